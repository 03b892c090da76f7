"""What evaluation finds besides an `Evaluation`, as one table each: for the commands, notebooks and data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toysearch.laboratory.reports.tables import Column

if TYPE_CHECKING:
    from toysearch.evaluation.conventions import SideBySide
    from toysearch.evaluation.judge_agreement import Alpha, Kappa
    from toysearch.evaluation.pooling import Pool
    from toysearch.evaluation.unjudged_bounds import UnjudgedBounds
    from toysearch.laboratory.experiments.verification import Verification

ColumnsAndRows = tuple[list[Column], Sequence[Sequence[Any]]]


def grades_table(found: Kappa) -> ColumnsAndRows:
    """How many pairs have a grade of the first judge (row) and one of the second (column)."""
    columns = [Column("grade", "", "right"), *(Column(f"{grade:g}", "", "right", ",") for grade in found.grades)]
    return columns, [[f"{grade:g}", *row] for grade, row in zip(found.grades, found.table.tolist(), strict=True)]


def judges_table(found: Alpha) -> ColumnsAndRows:
    """How far the judges of each query agree."""
    columns = [
        Column("query_id", "query"),
        Column("pairs", "pairs", "right", ","),
        Column("agreement", "same grade", "right", ".4f"),
        Column("alpha", "alpha", "right", ".4f"),
    ]
    return columns, found.by_query


def bounds_table(found: UnjudgedBounds, per_query: bool = True) -> ColumnsAndRows:
    """The lowest value of each measure, that with the unjudged as not relevant, and the highest."""
    values = found.evaluation
    rows: list[Sequence[Any]] = []
    if per_query:
        rows = [
            (name, query_id, low, values.per_query[query_id][name], high)
            for query_id, row in found.per_query.items()
            for name, (low, high) in row.items()
        ]
    rows += [(name, "all", low, values[name], high) for name, (low, high) in found.means.items()]
    numbers = [Column(name, "", "right", ".4f") for name in ("lowest", "value", "highest")]
    columns = [Column("measure"), *([Column("query_id", "query")] if per_query else []), *numbers]
    return columns, rows if per_query else [(name, *rest) for name, _, *rest in rows]


def pool_table(found: Pool) -> ColumnsAndRows:
    """The documents to judge, and at which rank each run has them."""
    columns = [Column("query_id"), Column("doc_id"), *(Column(name, "", "right") for name in found.runs)]
    return columns, [
        [query_id, doc_id, *map(ranks[doc_id].get, found.runs)]
        for query_id, ranks in found.ranks.items()
        for doc_id in found[query_id]
    ]


def conventions_table(found: SideBySide) -> ColumnsAndRows:
    """Each measure under every convention, and the conventions that differ."""
    names = next(iter(found.values.values()), {})
    columns = [Column("measure"), *(Column(name, "", "right", ".4f") for name in names), Column("differs")]
    return columns, [
        [measure, *values.values(), ", ".join(found.differ(measure))] for measure, values in found.values.items()
    ]


def verified_table(found: Verification) -> ColumnsAndRows:
    """What was computed again, by which library, and how far the two are apart."""
    columns = [
        Column("what"),
        Column("numbers", "", "right", ","),
        Column("difference", "largest difference", "right", ".1e"),
        Column("digits", "", "right"),
        Column("by"),
        Column("agrees"),
    ]
    return columns, [[*row[:5], "yes" if row.agrees else "NO"] for row in found.rows]
