"""The verdict of a comparison of systems: one sentence, no stronger than what the conclusions depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toysearch.base import counted, groups_of, listed
from toysearch.study.effects import p_text

if TYPE_CHECKING:
    from toysearch.study.comparison import Caveat, Comparison
    from toysearch.study.stats.significance import Pair

_ALL = {2: "both measures", 3: "all three measures", 4: "all four measures"}
_LEAST_PRINTED = 5e-5  # a smaller difference is printed as 0
_MOST_NAMED = 3  # systems that cannot be distinguished from the best
_DEPENDS = {
    "one query": "one query",
    "ties": "the order of tied documents",
    "unjudged": "unjudged documents",
    "bounds": "unjudged documents",
}
"""Kind of a caveat of a pair → what its conclusion depends on."""


def headline(comparison: Comparison, caveats: Sequence[Caveat] = ()) -> str:
    """Say which system is better, and whether that may be chance; "" for one system, or if no measure has a best."""
    if len(comparison.systems) < 2 or not comparison.best:
        return ""
    said, sure = _between_two(comparison) if len(comparison.systems) == 2 else _among_many(comparison)
    shown = {pair[:3] for pair in sure}
    doubts = [_DEPENDS[one.kind] for one in caveats if one.kind in _DEPENDS and one[1:4] in shown]
    if sure and any(caveat.kind == "queries" for caveat in caveats):
        doubts.append(f"the choice of {counted(min(map(len, comparison.query_ids.values())), *comparison.kind)}")
    return said + (f" That depends on {listed([*dict.fromkeys(doubts)])}." if doubts else "")


def equal_to_best(comparison: Comparison, measure: str) -> list[str]:
    """List the systems whose mean is printed like the best one."""
    best = comparison.best.get(measure)
    pairs = comparison.of_best(measure) if best is not None else []
    return [
        pair.system if pair.other == best else pair.other for pair in pairs if abs(pair.result.mean) < _LEAST_PRINTED
    ]


def _between_two(comparison: Comparison) -> tuple[str, list[Pair]]:
    """Say whether the one system is better than the other, and give the pairs by which that is more than chance."""
    pairs = [pair for pair in comparison.pairs if pair.measure in comparison.best]
    found = groups_of((_standing(comparison, pair), pair) for pair in pairs)
    system, other = map(_called, pairs[0][1:3])
    equal, ahead, behind = (found.get(standing, []) for standing in ("equal", "ahead", "behind"))
    sure = [pair for way in ("better", "worse") for pair in found.get(way, [])]
    unsure = [pair for pair in pairs if pair in ahead or pair in behind]
    if equal == pairs:
        return f"{_few(comparison.systems)} have equal means {_by(comparison, equal)}.", sure
    alike = f"they have equal means {_by(comparison, equal)}" if equal else ""
    what = "lead" if not behind and not sure and not equal else "difference"
    chance = f"the {what}{'s' * (len(unsure) > 1)} {_by(comparison, unsure)} may be chance" if unsure else ""
    if not sure:
        differ = f"be better than {other}" if what == "lead" else f"differ from {other}"
        why = _number(comparison, pairs[0], " may be chance") if len(pairs) == 1 else chance
        return f"{system} is not shown to {differ}: {', and '.join(filter(None, [alike, why]))}.", sure
    if len(pairs) == 1:
        [way] = found
        return f"{system} is {way} than {other} by more than chance: {_number(comparison, pairs[0])}.", sure
    led = ", but ".join(
        f"{way} than {other} {_by(comparison, found[way])}" for way in ("better", "worse") if way in found
    )
    return "; ".join(filter(None, [f"{system} is {led}, by more than chance", chance, alike])) + ".", sure


def _among_many(comparison: Comparison) -> tuple[str, list[Pair]]:
    """Say which system is best, and give the pairs by which that is more than chance."""
    wins = groups_of(
        (((best, *equal_to_best(comparison, measure)), not comparison.as_good[measure]), measure)
        for measure, best in comparison.best.items()
    )
    against, sure = _against_baseline(comparison)
    if len(wins) > 1 and all(len(names) == 1 and not is_sure for names, is_sure in wins):
        leads = [f"{_titled(comparison, names[0])} leads {_by(comparison, wins[names, False])}" for names, _ in wins]
        return f"No system is shown to be best: {listed(leads)}, and each lead may be chance.{against}", sure
    clauses = []
    for (names, is_sure), measures in wins.items():
        by = _by(comparison, measures)
        leader = _titled(comparison, names[0])
        if len(names) > 1:
            are_all = len(names) == len(comparison.systems)
            clauses.append(
                f"{_few(names)} {f'have equal means {by}' if are_all else f'are best {by}, with equal means'}"
            )
        elif is_sure:
            clauses.append(f"{leader} is best {by}, by more than chance")
        elif len(measures) == 1:
            clauses.append(
                f"{leader} leads {by}, but is not shown to be better than {_rivals(comparison, measures[0])}"
            )
        else:
            clauses.append(f"{leader} leads {by}, but each lead may be chance")
    return f"{'; '.join(clauses)}.{against}", sure


def _against_baseline(comparison: Comparison) -> tuple[str, list[Pair]]:
    """Add what is shown against the baseline where the lead over others may be chance; give all pairs shown."""
    baseline, sure, leads = comparison.baseline, [], []
    for measure, best in comparison.best.items():
        pairs = [pair for pair in comparison.of_best(measure) if pair.p <= comparison.how.alpha]
        if not comparison.as_good[measure]:
            sure += pairs
        elif best != baseline and not equal_to_best(comparison, measure):
            leads.append((best, [pair for pair in pairs if baseline in pair[1:3]]))
    beaten = groups_of((best, pair) for best, pairs in leads for pair in pairs)
    if beaten:
        by = {name: f" {_by(comparison, pairs)}," if len(comparison.best) > 1 else "" for name, pairs in beaten.items()}
        said = [
            f" {_called(name)} is better than {_called(baseline)}, the baseline,{by[name]} by more than chance."
            for name in beaten
        ]
        return "".join(said), sure + [pair for pairs in beaten.values() for pair in pairs]
    is_open = baseline is not None and len(leads) > 1 and not sure
    return f" No lead over {_called(baseline)}, the baseline, is shown." if is_open else "", sure


def _standing(comparison: Comparison, pair: Pair) -> str:
    """Return how a system stands to the other by one measure."""
    if abs(pair.result.mean) < _LEAST_PRINTED:
        return "equal"
    is_ahead = comparison.best[pair.measure] == pair.system
    if comparison.verdict(pair):
        return "better" if is_ahead else "worse"
    return "ahead" if is_ahead else "behind"


def _number(comparison: Comparison, pair: Pair, more: str = "") -> str:
    [lower] = [one.definition.better == "lower" for one in comparison.measures if str(one) == pair.measure]
    p = p_text(pair.p)
    p = f"p < {p[1:]}" if p.startswith("<") else f"p = {p}"
    return f"{pair.result.mean:+.4f} {pair.measure}{more} ({p}{', lower is better' * lower})"


def _by(comparison: Comparison, measures: Sequence[Pair | str]) -> str:
    names = [measure if isinstance(measure, str) else measure.measure for measure in measures]
    count = len(comparison.best)
    return f"by {_ALL.get(count, f'all {count} measures') if len(names) == count > 1 else listed(names)}"


def _titled(comparison: Comparison, name: str) -> str:
    return f"{_called(name)}, the baseline," if name == comparison.baseline else _called(name)


def _rivals(comparison: Comparison, measure: str) -> str:
    names = sorted(comparison.as_good[measure], key=lambda name: name != comparison.baseline)
    return _few(names, " (the baseline)" * (comparison.baseline in names))


def _few(names: Sequence[str], of_first: str = "") -> str:
    """List names, with what the first one is; of many, only the first ones."""
    called, more = [*map(_called, names)], len(names) - _MOST_NAMED + 1
    called[0] += of_first
    return listed([*called[: _MOST_NAMED - 1], f"{more} more"] if len(names) > _MOST_NAMED else called)


def _called(name: str | None) -> str:
    """Set a name of several words apart from the sentence."""
    return f"'{name}'" if name and " " in name else str(name)
