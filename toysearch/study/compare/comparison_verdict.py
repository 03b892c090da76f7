"""The verdict of a comparison of systems: one sentence, no stronger than what the conclusions depend on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

from toysearch.base import counted, groups_of, listed
from toysearch.study.compare.effects import p_stated

if TYPE_CHECKING:
    from toysearch.study.compare.comparison import Caveat, Comparison
    from toysearch.study.compare.significance import Pair

_ALL = {2: "both measures", 3: "all three measures", 4: "all four measures"}
_LEAST_PRINTED = 5e-5  # a smaller difference is printed as 0
_MOST_NAMED = 3  # systems that cannot be distinguished from the best
_BASELINE = " (the baseline)"
_TITLES = rf", the baseline,?|{re.escape(_BASELINE)}"  # after the name of the baseline, at its first mention
_DEPENDS = {
    "one query": "one query",
    "ties": "the order of tied documents",
    "unjudged": "unjudged documents",
    "bounds": "unjudged documents",
}
"""Kind of a caveat of a pair → what its conclusion depends on."""


def headline(comparison: Comparison, caveats: Sequence[Caveat] = ()) -> str:
    """Say which systems differ, and which leads may be chance; "" for one system, or if no measure has a best."""
    if len(comparison.systems) < 2 or not comparison.best:
        return ""
    said = _between_two if len(comparison.systems) == 2 else _among_many
    differences, sure, leads = said(comparison)
    shown = {pair[:3] for pair in sure}
    doubts = [_DEPENDS[one.kind] for one in caveats if one.kind in _DEPENDS and one[1:4] in shown]
    if sure and any(caveat.kind == "queries" for caveat in caveats):
        doubts.append(f"the choice of {counted(min(map(len, comparison.query_ids.values())), *comparison.kind)}")
    depends = f"That depends on {listed([*dict.fromkeys(doubts)])}." if doubts else ""
    text = " ".join(filter(None, [differences, depends, leads]))
    mentions = count()
    return re.sub(_TITLES, lambda title: "" if next(mentions) else title[0], text)


def equal_to_best(comparison: Comparison, measure: str) -> list[str]:
    """List the systems whose mean is printed like the best one."""
    best = comparison.best.get(measure)
    pairs = comparison.of_best(measure) if best is not None else []
    return [
        pair.system if pair.other == best else pair.other for pair in pairs if abs(pair.result.mean) < _LEAST_PRINTED
    ]


def _between_two(comparison: Comparison) -> tuple[str, list[Pair], str]:
    """Say whether the one system is better than the other, and give the pairs by which that is significant."""
    pairs = [pair for pair in comparison.pairs if pair.measure in comparison.best]
    found = groups_of((_standing(comparison, pair), pair) for pair in pairs)
    system, other = map(_called, pairs[0][1:3])
    equal, ahead, behind = (found.get(standing, []) for standing in ("equal", "ahead", "behind"))
    sure = [pair for way in ("better", "worse") for pair in found.get(way, [])]
    unsure = [pair for pair in pairs if pair in ahead or pair in behind]
    if equal == pairs:
        return f"{_few(comparison.systems)} have equal means {_by(comparison, equal)}.", sure, ""
    alike = f"they have equal means {_by(comparison, equal)}" if equal else ""
    what = "lead" if not behind and not sure and not equal else "difference"
    chance = f"the {what}{'s' * (len(unsure) > 1)} {_by(comparison, unsure)} may be chance" if unsure else ""
    if not sure:
        differ = f"be better than {other}" if what == "lead" else f"differ from {other}"
        why = _number(comparison, pairs[0], " may be chance") if len(pairs) == 1 else chance
        return f"{system} is not shown to {differ}: {', and '.join(filter(None, [alike, why]))}.", sure, ""
    if len(pairs) == 1:
        [way] = found
        return f"{system} is significantly {way} than {other}: {_number(comparison, pairs[0])}.", sure, ""
    led = ", but ".join(
        f"significantly {way} than {other} {_by(comparison, found[way])}" for way in ("better", "worse") if way in found
    )
    return "; ".join(filter(None, [f"{system} is {led}", chance, alike])) + ".", sure, ""


def _among_many(comparison: Comparison) -> tuple[str, list[Pair], str]:
    """Say which differences are significant, with their pairs; then, which systems lead without that."""
    leaders = {measure: (best, *equal_to_best(comparison, measure)) for measure, best in comparison.best.items()}
    wins = groups_of(((names, _not_beaten(comparison, measure, names)), measure) for measure, names in leaders.items())
    best, leads = list[str](), list[str]()
    sure: list[Pair] = []
    for (names, rivals), measures in wins.items():
        by = _by(comparison, measures)
        if len(names) > 1 or rivals:
            leads.append(_lead(comparison, names, rivals, by))
        else:
            best.append(f"{_titled(comparison, names[0])} is significantly better than all others {by}")
            sure += [pair for measure in measures for pair in comparison.of_best(measure)]
    of_best = [pair for pair in comparison.pairs if pair.measure in comparison.best and pair not in sure]
    others = [pair for pair in of_best if _standing(comparison, pair) in ("better", "worse")]
    shown = "".join(f"{clause}. " for clause in (*filter(None, ["; ".join(best)]), *_differences(comparison, others)))
    is_open = not shown and all(len(names) == 1 for names, _ in wins)
    if len(wins) > 1 and is_open and not any(map(comparison.verdict, comparison.every_pair)):
        led = [
            f"{_titled(comparison, names[0])} leads {_by(comparison, wins[names, rivals])}" for names, rivals in wins
        ]
        return "", [], f"No system is shown to be best: {listed(led)}, and each lead may be chance."
    return shown.rstrip(), sure + others, f"{'; '.join(leads)}." if leads else ""


def _lead(comparison: Comparison, names: Sequence[str], rivals: Sequence[str], by: str) -> str:
    """Say who leads by some measures, and which other systems may be as good."""
    if len(names) == len(comparison.systems):
        return f"{_few(names)} have equal means {by}"
    if not rivals:
        return f"{_few(names)} are best {by}, with equal means"
    first = sorted(rivals, key=lambda name: name != comparison.baseline)
    others = _few(first, _BASELINE * (comparison.baseline in rivals))
    if len(names) == 1:
        return f"{_titled(comparison, names[0])} leads {by}, but is not shown to be better than {others}"
    return f"{_few(names)} lead {by}, with equal means, but are not shown to be better than {others}"


def _not_beaten(comparison: Comparison, measure: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the other systems than some that lead, which one of these is not shown to be better than."""
    pairs = [pair for pair in comparison.every_pair if pair.measure == measure and not comparison.verdict(pair)]
    unsure = {name for pair in pairs for name in pair[1:3] if {*pair[1:3]} & {*names}}
    return tuple(name for name in comparison.systems if name in unsure and name not in names)


def _differences(comparison: Comparison, pairs: Sequence[Pair]) -> list[str]:
    """State what is significantly better or worse than the baseline; without one, what is worse than others."""
    found: dict[tuple[str, str, str], list[str]] = {}  # way, system and other → measures
    for pair in pairs:
        way, system, other = _standing(comparison, pair), pair.system, pair.other
        if comparison.baseline is None and way == "better":
            way, system, other = "worse", other, system
        found.setdefault((way, system, other), []).append(pair.measure)
    systems_of = groups_of(((way, other, tuple(by)), system) for (way, system, other), by in found.items())
    others_of = groups_of(((way, tuple(names), by), other) for (way, other, by), names in systems_of.items())
    clauses, rest = list[str](), 0
    for (way, systems, measures), others in others_of.items():
        if len(clauses) == _MOST_NAMED:
            rest += len(systems) * len(others) * len(measures)
            continue
        are = "is" if len(systems) == 1 else "are"
        than = _titled(comparison, others[0]) if len(others) == 1 else _few(others)
        by = f" {_by(comparison, measures)}" if len(comparison.best) > 1 else ""
        clauses.append(f"{_few(systems)} {are} significantly {way} than {than}{by}".rstrip(","))
    if rest:
        clauses.append(f"So {'is' if rest == 1 else 'are'} {counted(rest, 'further difference')} in the tables")
    return clauses


def _standing(comparison: Comparison, pair: Pair) -> str:
    """Return how a system stands to the other by one measure."""
    if abs(pair.result.mean) < _LEAST_PRINTED:
        return "equal"
    is_ahead = (pair.result.mean < 0) == _lower_is_better(comparison, pair)
    if comparison.verdict(pair):
        return "better" if is_ahead else "worse"
    return "ahead" if is_ahead else "behind"


def _lower_is_better(comparison: Comparison, pair: Pair) -> bool:
    return any(one.definition.better == "lower" for one in comparison.measures if str(one) == pair.measure)


def _number(comparison: Comparison, pair: Pair, more: str = "") -> str:
    lower = _lower_is_better(comparison, pair)
    return f"{pair.result.mean:+.4f} {pair.measure}{more} ({p_stated(pair.p)}{', lower is better' * lower})"


def _by(comparison: Comparison, measures: Sequence[Pair | str]) -> str:
    names = [measure if isinstance(measure, str) else measure.measure for measure in measures]
    count = len(comparison.best)
    return f"by {_ALL.get(count, f'all {count} measures') if len(names) == count > 1 else listed(names)}"


def _titled(comparison: Comparison, name: str) -> str:
    return f"{_called(name)}, the baseline," if name == comparison.baseline else _called(name)


def _few(names: Sequence[str], of_first: str = "") -> str:
    """List names, with what the first one is; of many, only the first ones."""
    called, more = [*map(_called, names)], len(names) - _MOST_NAMED + 1
    called[0] += of_first
    return listed([*called[: _MOST_NAMED - 1], f"{more} more"] if len(names) > _MOST_NAMED else called)


def _called(name: str | None) -> str:
    """Set a name of several words apart from the sentence."""
    return f"'{name}'" if name and " " in name else str(name)
