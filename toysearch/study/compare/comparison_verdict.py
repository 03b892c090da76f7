"""The verdict of a comparison of systems: first each difference that is shown, then what may be chance, with its p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from toysearch.base import counted, groups_of, listed
from toysearch.study.compare.significance import TUKEY, Pair
from toysearch.study.compare.tested_differences import p_related

if TYPE_CHECKING:
    from toysearch.study.compare.comparison import Caveat, Comparison

OpenTo: TypeAlias = "tuple[tuple[str, ...], ...]"
"""The systems that may be as good as each of some leaders."""

_ALL = {2: "both measures", 3: "all three measures", 4: "all four measures"}
_LEAST_PRINTED = 5e-5  # a smaller difference is printed as 0
_MOST_NAMED = 3  # systems that cannot be distinguished from the best
_BASELINE = "the baseline "  # before its name, at its first mention
_DEPENDS = {
    "infinite": "the queries left out",
    "one query": "one query",
    "ties": "the order of tied documents",
    "unjudged": "unjudged documents",
    "bounds": "unjudged documents",
}
"""Kind of a caveat of a pair → what its conclusion depends on."""


def verdict_of(comparison: Comparison) -> str:
    """Say which systems differ, and then which leads may be chance; "" for one system, or if no measure has a best."""
    if len(comparison.systems) < 2 or not comparison.best:
        return ""
    text = _of_two(comparison) if len(comparison.systems) == 2 else _of_many(comparison)
    before, title, after = text.partition(_BASELINE)
    first = title.capitalize() if not before or before.endswith(". ") else title
    return f"{before}{first}{after.replace(_BASELINE, '')}"


def conclusion_of(comparison: Comparison, caveats: Sequence[Caveat]) -> str:
    """Give the verdict, and what it depends on."""
    return " ".join(filter(None, [verdict_of(comparison), condition_of(comparison, caveats)]))


def condition_of(comparison: Comparison, caveats: Sequence[Caveat]) -> str:
    """Say what the differences that are shown depend on; "" if there are none, or they depend on nothing."""
    shown = {pair[:3] for pair in _directed(comparison) if _standing(comparison, pair) in ("better", "worse")}
    doubts = [_DEPENDS[one.kind] for one in caveats if one.kind in _DEPENDS and one[1:4] in shown]
    if shown and any(caveat.kind == "queries" for caveat in caveats):
        doubts.append(f"the choice of {counted(min(map(len, comparison.query_ids.values())), *comparison.kind)}")
    return f"What is shown depends on {listed([*dict.fromkeys(doubts)])}." if doubts else ""


def p_of(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    """State p, and p corrected for all that was tried; of several pairs the largest if they are shown, else the least.

    Tukey's p is corrected by itself; that of a pair beside the baseline is corrected among such pairs.
    """
    pick, sign = (max, "≤") if comparison.verdict(pairs[0]) else (min, "≥")
    if len(pairs) == 1:
        sign = "="
    alone = p_related(pick(pair.result.p for pair in pairs), sign)
    corrected = p_related(pick(pair.p for pair in pairs), sign)
    if not {*pairs} <= {*comparison.pairs}:
        return f"corrected p {corrected}"
    how_many = for_comparisons(comparison)
    if comparison.how.test == TUKEY or not how_many or alone == corrected:
        return f"p {corrected}{how_many}"
    return f"p {alone}; {corrected.removeprefix('= ')}{how_many}"


def for_comparisons(comparison: Comparison) -> str:
    """Say for how many comparisons p is corrected; "" for one."""
    is_corrected = comparison.how.correction != "none" or comparison.how.tried or comparison.how.test == TUKEY
    return f" for {comparison.together:,} comparisons" if is_corrected and comparison.together > 1 else ""


def _directed(comparison: Comparison) -> list[Pair]:
    """List the pairs compared by a measure that has a better side."""
    return [pair for pair in comparison.pairs if pair.measure in comparison.best]


def _of_two(comparison: Comparison) -> str:
    """Say by which measures the one system is better or worse than the other, and by which that is not shown."""
    pairs = _directed(comparison)
    found = groups_of((_standing(comparison, pair), pair) for pair in pairs)
    system, other = map(_called, pairs[0][1:3])
    equal = found.get("equal", [])
    if equal == pairs:
        return f"{listed([*map(_called, comparison.systems)])} have equal means {_in(comparison, equal)}."
    shown = [
        f"{way} than {other} {_in(comparison, found[way])} {_evidence(comparison, found[way])}"
        for way in ("better", "worse")
        if way in found
    ]
    unsure = [pair for pair in pairs if _standing(comparison, pair) in ("ahead", "behind")]
    leads = "behind" not in found and not equal
    if not shown and len(pairs) == 1:
        what = "be better than" if leads else "differ from"
        evidence = f"{_in(comparison, unsure)} {_evidence(comparison, unsure)}"
        return f"{system} is not shown to {what} {other} {evidence}."
    further = []
    if unsure:
        several, measures = "s" * (len(unsure) > 1), _in(comparison, unsure)
        what = f"the difference{several} {measures}"
        if leads:
            what = f"it leads {measures}, but the lead{several}"
        further.append(f"{what} may be chance {_evidence(comparison, unsure)}")
    if equal:
        further.append(f"they have equal means {_in(comparison, equal)}")
    if shown:
        return "; ".join([f"{system} is {', but '.join(shown)}", *further]) + "."
    what = "be better than" if leads else "differ from"
    return f"{system} is not shown to {what} {other}: {'; '.join(further)}."


def _of_many(comparison: Comparison) -> str:
    """Say which differences are shown; then, which systems lead without that."""
    wins: dict[tuple[tuple[str, ...], OpenTo], list[str]] = {}  # who leads, and who may be as good as each → measures
    for measure, leader in comparison.best.items():
        equal = [pair for pair in comparison.of_best(measure) if abs(pair.result.mean) < _LEAST_PRINTED]
        names = (leader, *(pair.system if pair.other == leader else pair.other for pair in equal))
        pairs = [pair for pair in _open_pairs(comparison, names) if pair.measure == measure]
        open_to = tuple(_rivals(comparison, name, pairs) for name in names)
        wins.setdefault((names, open_to), []).append(measure)
    best, leads = list[str](), list[str]()
    told = []
    for (names, open_to), measures in wins.items():
        if len(names) > 1 or any(open_to):
            leads.append(_lead(comparison, names, open_to, measures))
            continue
        pairs = [pair for measure in measures for pair in comparison.of_best(measure)]
        where = f"{_in(comparison, measures)} {_evidence(comparison, pairs)}"
        best.append(f"{_titled(comparison, names[0])} is better than all others {where}")
        told += pairs
    shown = [pair for pair in _directed(comparison) if _standing(comparison, pair) in ("better", "worse")]
    differences = _differences(comparison, [pair for pair in shown if pair not in told])
    is_open = len(wins) > 1 and all(len(names) == 1 for names, _ in wins)
    if is_open and not any(map(comparison.verdict, comparison.every_pair)):
        led = [
            f"{_titled(comparison, names[0])} leads {_in(comparison, measures)}"
            for (names, _), measures in wins.items()
        ]
        return f"No system is shown to be best: {listed(led)}, but the leads may be chance."
    sentences = [*filter(None, ["; ".join(best)]), *differences, *filter(None, ["; ".join(leads)])]
    return f"{'. '.join(sentences)}."


def _lead(comparison: Comparison, names: Sequence[str], open_to: OpenTo, measures: Sequence[str]) -> str:
    """Say who leads by some measures, and which other systems may be as good as whom."""
    where = _in(comparison, measures)
    if len(names) == len(comparison.systems):
        return f"{_few(comparison, names).replace(_BASELINE, '')} have equal means {where}"
    if not any(open_to):
        return f"{_few(comparison, names)} are best {where}, with equal means"
    unsure = [pair for pair in _open_pairs(comparison, names) if pair.measure in measures]
    clauses = []
    leaders_of = groups_of((rivals, name) for name, rivals in zip(names, open_to, strict=True) if rivals)
    for rivals, leaders in leaders_of.items():
        pairs = [pair for pair in unsure if not {*leaders}.isdisjoint(pair[1:3])]
        first = sorted(rivals, key=lambda name: name != comparison.baseline)
        who = "" if len(leaders) == len(names) else f"{_few(comparison, leaders)} "
        are = "is" if len(leaders) == 1 else "are"
        others = f"{_few(comparison, first)} {_evidence(comparison, pairs, leaders[0])}"
        clauses.append(f"{who}{are} not shown to be better than {others}")
    open_clauses = ", and ".join(clauses)
    if len(names) == 1:
        return f"{_titled(comparison, names[0])} leads {where}, but {open_clauses}"
    return f"{_few(comparison, names)} lead {where}, with equal means, but {open_clauses}"


def _rivals(comparison: Comparison, leader: str, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """List the systems that some pairs have beside a leader."""
    beside = {name for pair in pairs if leader in pair[1:3] for name in pair[1:3]} - {leader}
    return tuple(name for name in comparison.systems if name in beside)


def _open_pairs(comparison: Comparison, names: Sequence[str]) -> list[Pair]:
    """List the pairs of some systems with any others that are not shown to differ."""
    pairs = [pair for pair in comparison.every_pair if len({*names}.intersection(pair[1:3])) == 1]
    return [pair for pair in pairs if not comparison.verdict(pair)]


def _differences(comparison: Comparison, pairs: Sequence[Pair]) -> list[str]:
    """State what is better or worse than the baseline; without one, what is worse than others."""
    found: dict[tuple[str, str, str], list[Pair]] = {}  # way, system and other → pairs
    for pair in pairs:
        way, system, other = _standing(comparison, pair), pair.system, pair.other
        if comparison.baseline is None and way == "better":
            way, system, other = "worse", other, system
        found.setdefault((way, system, other), []).append(pair)
    by_measures = {key: tuple(pair.measure for pair in of_key) for key, of_key in found.items()}
    systems_of = groups_of(((way, other, by), system) for (way, system, other), by in by_measures.items())
    others_of = groups_of(((way, tuple(names), by), other) for (way, other, by), names in systems_of.items())
    clauses, rest = list[str](), 0
    for (way, systems, measures), others in others_of.items():
        if len(clauses) == _MOST_NAMED:
            rest += len(systems) * len(others) * len(measures)
            continue
        are = "is" if len(systems) == 1 else "are"
        of_clause = [pair for system in systems for other in others for pair in found[way, system, other]]
        where = f"{_in(comparison, measures)} {_evidence(comparison, of_clause, systems[0])}"
        clauses.append(f"{_few(comparison, systems)} {are} {way} than {_few(comparison, others)} {where}")
    if rest:
        clauses.append(f"So {'is' if rest == 1 else 'are'} {counted(rest, 'further difference')} in the tables")
    return clauses


def _standing(comparison: Comparison, pair: Pair) -> str:
    """Return how a system stands to the other by one measure."""
    if abs(pair.result.mean) < _LEAST_PRINTED:
        return "equal"
    is_ahead = pair.sign * pair.result.mean > 0
    if comparison.verdict(pair):
        return "better" if is_ahead else "worse"
    return "ahead" if is_ahead else "behind"


def _evidence(comparison: Comparison, pairs: Sequence[Pair], of: str = "") -> str:
    """Give the difference of one pair, from the side of a system, with its interval and p; of several pairs only p."""
    p = "" if any(math.isnan(pair.p) for pair in pairs) else p_of(comparison, pairs)
    if len(pairs) > 1:
        return f"({p})"
    [pair] = pairs
    result, side = pair.result, -1 if pair.other == of else 1
    parts = [f"{side * result.mean:+.4f}"]
    if result.interval and math.isfinite(result.low):
        low, high = sorted(side * end + 0.0 for end in result.interval)
        widened = for_comparisons(comparison) if comparison.how.tried else ""
        parts.append(f"{comparison.how.interval}{widened} {low:+.4f} to {high:+.4f}")
    lower = "lower is better" * (pair.sign < 0)
    return f"({'; '.join(filter(None, [', '.join(parts), p, lower]))})"


def _in(comparison: Comparison, measures: Sequence[Pair | str]) -> str:
    names = [measure if isinstance(measure, str) else measure.measure for measure in measures]
    several = len(comparison.best)
    if len(names) == several > 1:
        return f"in {_ALL.get(several, f'all {several} measures')}"
    return f"in {listed(names)}"


def _titled(comparison: Comparison, name: str) -> str:
    return f"{_BASELINE}{_called(name)}" if name == comparison.baseline else _called(name)


def _few(comparison: Comparison, names: Sequence[str]) -> str:
    """List names; of many, only the first ones."""
    called, more = [_titled(comparison, name) for name in names], len(names) - _MOST_NAMED + 1
    return listed([*called[: _MOST_NAMED - 1], f"{more} more"] if len(names) > _MOST_NAMED else called)


def _called(name: str | None) -> str:
    """Set a name of several words apart from the sentence."""
    return f"'{name}'" if name and " " in name else str(name)
