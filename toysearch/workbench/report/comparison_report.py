"""Comparison of systems in a report: its means, its differences, and the unjudged documents."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from toysearch.base import Marked, ResultTable, counted, number_columns, table_columns
from toysearch.evaluation.intervals import interval_name
from toysearch.study import p_text
from toysearch.workbench.report.documents_by_rank import ByRank

if TYPE_CHECKING:
    from toysearch.study import Comparison

FIRST = 10
"""Number of ranks in which unjudged documents are counted."""

_FEW = 0.01  # a share of unjudged documents too small to mention


def means_table(comparison: Comparison) -> ResultTable:
    """Show the means with their intervals, one row per system: the best is marked, ~ may be as good."""
    columns = table_columns("system")
    rows: list[list[str | Marked]] = [[name] for name in comparison.systems]
    for measure in map(str, comparison.measures):
        columns += number_columns("", **{measure: measure, f"{measure} ±": "±"})
        for row, name in zip(rows, comparison.systems, strict=True):
            half = comparison.intervals[measure][name].half
            row += [_mean(comparison, measure, name), f"{half:.4f}" if 0 < half < math.inf else ""]
    queries = {len(ids) for ids in comparison.query_ids.values()}
    over = counted(queries.pop(), *comparison.kind) if len(queries) == 1 else f"the evaluated {comparison.kind[1]}"
    return ResultTable(columns, rows, f"Means over {over}")


def means_legend(comparison: Comparison) -> str:
    """Explain the marks in the table of means."""
    halves = f"±: half of the {interval_name(comparison.how.alpha)} of the mean, by Student's t."
    if len(comparison.systems) < 2 or not comparison.best:
        return halves
    return f"Bold: the best. ~: not distinguishable from the best; that does not mean equal. {halves}"


def differences_table(comparison: Comparison) -> ResultTable:
    """Make one row per measure and pair: the difference with its interval, p, effect, and the queries won and lost."""
    columns = table_columns(
        "measure",
        "system",
        "minus",
        number_columns("+.4f", "difference"),
        number_columns("", interval=interval_name(comparison.how.alpha), p="", effect="d_z", queries="+/=/−"),
    )
    rows = [
        [
            pair.measure,
            pair.system,
            pair.other,
            pair.result.mean + 0.0,
            "unbounded"
            if math.isinf(pair.result.low)
            else f"{pair.result.low + 0.0:+.4f} to {pair.result.high + 0.0:+.4f}",
            p_text(pair.p),
            "" if math.isnan(pair.result.effect) else f"{pair.result.effect:+.2f}",
            f"{pair.wins}/{pair.ties}/{pair.losses}",
        ]
        for pair in comparison.pairs
    ]
    return ResultTable(columns, rows, "Differences")


def unjudged_sentence(ranks: Mapping[str, ByRank]) -> str:
    """Give the share of unjudged documents in the first ten, system by system; "" if it is below 1%."""
    shares = {}
    for name, counts in ranks.items():
        unjudged = int(counts.unjudged[:FIRST].sum())
        retrieved = unjudged + int(counts.relevant[:FIRST].sum()) + int(counts.not_relevant[:FIRST].sum())
        shares[name] = unjudged / retrieved if retrieved else 0.0
    if max(shares.values()) < _FEW:
        return ""
    percents = {name: "under 1%" if 0 < share < 0.01 else f"{share:.0%}" for name, share in shares.items()}
    systems = ", ".join(f"{name} {percent}" for name, percent in percents.items())
    return f"Some of the first {FIRST} documents are unjudged and count as not relevant: {systems}."


def true_minus(text: str) -> str:
    """Replace hyphens before numbers by minus signs."""
    return re.sub(r"(?<![\w-])-(?=[\d.])", "−", text)  # one within a name is a hyphen


def _mean(comparison: Comparison, measure: str, name: str) -> str | Marked:
    """Write a mean; a blank replaces the ~ of others, so that decimal points are aligned."""
    text = f"{comparison.means[measure][name]:.4f}"
    if name in comparison.as_good.get(measure, ()):
        return f"{text}~"
    mark = "\u2007" if comparison.as_good.get(measure) else ""
    best = name == comparison.best.get(measure) and len(comparison.systems) > 1
    return Marked(text + mark, [(0, len(text))]) if best else text + mark
