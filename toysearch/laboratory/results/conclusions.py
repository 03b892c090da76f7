"""The conclusions of a comparison in sentences and small tables: the best system, and its lead."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from toysearch.base.wording import counted, listed
from toysearch.evaluation.curves import ByRank
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.stats.multiple_comparisons import Pair
from toysearch.laboratory.experiments.stats.significance import paired_test, within_range
from toysearch.laboratory.results.comparison_text import TitledTable, p_text
from toysearch.laboratory.results.tables import Column, Marked

FIRST = 10
"""The number of ranks in which unjudged documents are counted."""

_ALL = {2: "both measures", 3: "all three measures", 4: "all four measures"}
_LEAST_PRINTED = 5e-5  # a smaller difference is printed as 0
_FEW = 0.01  # a share of unjudged documents too small to mention
_HYPHEN = re.compile(r"(?<![\w-])-(?=[\d.])")  # before a number; one within a name is a hyphen


class Conclusion(NamedTuple):
    """The conclusion by one measure, and its evidence."""

    conclusion: str
    evidence: str


def headline(comparison: Comparison) -> str:
    """The best system and the measures that favour it; "" for one system, or if no measure has a best."""
    wins: dict[tuple[str, ...], list[str]] = {}
    for measure, best in comparison.best.items():
        wins.setdefault((best, *_equal_to_best(comparison, measure)), []).append(measure)
    if len(comparison.systems) < 2 or not wins:
        return ""
    count = len(comparison.best)
    led = "; ".join(
        f"{listed(names)} {'are equal' if len(names) > 1 else 'is best'} by "
        f"{_ALL.get(count, f'all {count} measures') if count > 1 and len(wins) == 1 else listed(measures)}"
        for names, measures in wins.items()
    )
    leads = [measures for names, measures in wins.items() if len(names) == 1]
    if not leads:
        return f"{led}."
    sure = [measure for measures in leads for measure in measures if not comparison.as_good[measure]]
    number = sum(map(len, leads))
    if len(sure) == number:
        return f"{led}, by more than chance."
    if sure:
        return f"{led}. The lead by {listed(sure)} is more than chance."
    return f"{led}. {'The' if number == 1 else 'Each'} lead may be chance."


def verdicts(comparison: Comparison) -> list[Conclusion]:
    """One verdict per measure: the best system, its lead, and whether the lead may be chance."""
    make = _alone if len(comparison.systems) == 1 else _verdict
    return [make(comparison, measure) for measure in map(str, comparison.measures)]


def means_table(comparison: Comparison) -> TitledTable:
    """The means, one row per system and one column per measure: the best is marked, ~ may be as good."""
    measures = list(map(str, comparison.measures))
    columns = [Column("system"), *[Column(measure, "", "right") for measure in measures]]
    rows = [[name, *(_mean(comparison, measure, name) for measure in measures)] for name in comparison.systems]
    queries = {len(ids) for ids in comparison.query_ids.values()}
    over = counted(queries.pop(), "query", "queries") if len(queries) == 1 else "the evaluated queries"
    return TitledTable(f"Means over {over}", columns, rows)


def means_legend(comparison: Comparison) -> str:
    """The legend of the table of means."""
    if len(comparison.systems) < 2 or not comparison.best:
        return ""
    return "Bold: the best. ~: not distinguishable from the best. Not distinguishable does not mean equal."


def differences_table(comparison: Comparison) -> TitledTable:
    """One row per measure and pair: the difference with its interval, p, effect, and the queries won and lost."""
    columns = [Column("measure"), Column("system"), Column("minus")]
    columns += [Column("difference", "", "right", "+.4f")]
    columns += [Column("interval", f"{100 * (1 - comparison.how.alpha):.4g} % interval", "right")]
    columns += [Column("p", "", "right"), Column("effect", "d_z", "right"), Column("queries", "+/=/−", "right")]
    rows: list[list[Any]] = [
        [
            pair.measure,
            pair.system,
            pair.other,
            pair.result.mean + 0.0,
            _interval(pair.result.low, pair.result.high),
            p_text(pair.p),
            "" if math.isnan(pair.result.effect) else f"{pair.result.effect:+.2f}",
            f"{pair.wins}/{pair.ties}/{pair.losses}",
        ]
        for pair in comparison.pairs
    ]
    return TitledTable("Differences", columns, rows)


def unjudged_sentence(found: Mapping[str, ByRank]) -> str:
    """The share of unjudged documents in the first ten, system by system; "" if it is below 1 %."""
    shares = {}
    for name, counts in found.items():
        unjudged = int(counts.unjudged[:FIRST].sum())
        retrieved = unjudged + int(counts.relevant[:FIRST].sum()) + int(counts.not_relevant[:FIRST].sum())
        shares[name] = unjudged / retrieved if retrieved else 0.0
    if max(shares.values()) < _FEW:
        return ""
    told = ", ".join(f"{name} {_percent(share)}" for name, share in shares.items())
    return f"Some of the first {FIRST} documents are unjudged and count as not relevant: {told}."


def true_minus(text: str) -> str:
    """The hyphens before numbers as minus signs."""
    return _HYPHEN.sub("−", text)


def _alone(comparison: Comparison, measure: str) -> Conclusion:
    """The mean of one system, and its interval."""
    values = comparison.values[measure][:, 0]
    found = paired_test(values, "t", alpha=comparison.how.alpha)
    definition = next(each for each in comparison.measures if str(each) == measure)
    low, high = within_range(definition, found.low, found.high)
    level = f"{100 * (1 - comparison.how.alpha):.4g} % interval"
    between = f"{low:.4f} to {high:.4f}" if math.isfinite(low) else "unbounded"
    queries = counted(len(values), "query", "queries")
    return Conclusion(f"{measure} is {found.mean:.4f}", f"over {queries} ({level} {between}).")


def _verdict(comparison: Comparison, measure: str) -> Conclusion:
    best = comparison.best.get(measure)
    if best is None:
        return Conclusion(f"{measure} has no best", "value: higher is neither better nor worse.")
    pairs = {pair.system if pair.other == best else pair.other: pair for pair in comparison.of_best(measure)}
    others = sorted(pairs, key=lambda name: abs(pairs[name].result.mean))
    equal, alike = _equal_to_best(comparison, measure), comparison.as_good[measure]
    nearest, mean = others[0], f"{comparison.means[measure][best]:.4f}"
    further = [name for name in others if name in alike and name not in (nearest, *equal)]
    apart = [name for name in others if name not in alike and name != nearest]
    level = _evidence(comparison, pairs[nearest], best)
    rest = f" {'They' if equal else 'It'} can be distinguished from {listed(apart)}." if apart else ""
    if equal:
        between = f" They cannot be distinguished from {listed(further)}." if further else ""
        names = listed([best, *equal])
        return Conclusion(f"By {measure}, {names} are equal ({mean}):", f"no difference {level}.{between}{rest}")
    lead = f"{_lead(pairs[nearest], best)} {nearest}"
    if not alike:
        return Conclusion(f"By {measure}, {best} is best ({mean}):", f"{lead}, more than chance {level}.{rest}")
    chance = "which may be chance" if nearest in alike else "more than chance"
    join = "Nor can it be" if nearest in alike else "It cannot be"
    between = f" {join} distinguished from {listed(further)}." if further else ""
    return Conclusion(f"By {measure}, {best} leads ({mean}).", f"It is {lead}, {chance} {level}.{between}{rest}")


def _equal_to_best(comparison: Comparison, measure: str) -> list[str]:
    """The systems whose mean differs from the best by nothing that is printed."""
    best = comparison.best.get(measure)
    pairs = comparison.of_best(measure) if best is not None else []
    return [
        pair.system if pair.other == best else pair.other for pair in pairs if abs(pair.result.mean) < _LEAST_PRINTED
    ]


def _lead(pair: Pair, best: str) -> str:
    """How far the best is ahead of the other of a pair."""
    ahead = pair.result.mean if pair.system == best else -pair.result.mean
    return f"{abs(ahead):.4f} {'above' if ahead >= 0 else 'below'}"


def _evidence(comparison: Comparison, pair: Pair, best: str) -> str:
    """The interval, p, and the queries won and lost, from the side of the best."""
    result, flipped = pair.result, pair.system != best
    low, high = (-result.high, -result.low) if flipped else (result.low, result.high)
    wins, losses = (pair.losses, pair.wins) if flipped else (pair.wins, pair.losses)
    p, what = p_text(pair.p), "p" if comparison.how.correction == "none" else "corrected p"
    level = f"{100 * (1 - comparison.how.alpha):.4g} % interval of the difference {_interval(low, high)}"
    counts = f"better for {counted(wins, 'query', 'queries')}, equal for {pair.ties}, worse for {losses}"
    said = f"({level}, {what} {p.replace('<', '< ') if p.startswith('<') else f'= {p}'}; {counts})"
    return true_minus(said)


def _interval(low: float, high: float) -> str:
    return "unbounded" if math.isinf(low) else f"{low + 0.0:+.4f} to {high + 0.0:+.4f}"


def _mean(comparison: Comparison, measure: str, name: str) -> str | Marked:
    """A mean; a blank replaces the ~ of others, so that decimal points are aligned."""
    text = f"{comparison.means[measure][name]:.4f}"
    if name in comparison.as_good.get(measure, ()):
        return f"{text}~"
    mark = "\u2007" if comparison.as_good.get(measure) else ""
    best = name == comparison.best.get(measure) and len(comparison.systems) > 1
    return Marked(text + mark, [(0, len(text))]) if best else text + mark


def _percent(share: float) -> str:
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
