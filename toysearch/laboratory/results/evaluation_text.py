"""The explanation of a measure as text and as data, and tables of pools, judges, bounds and conventions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from toysearch.laboratory.explain.measure_explanation import TERM, VALUE, MeasureExplanation, RankRow
from toysearch.laboratory.results.tables import Column, flowed, number_columns, render

if TYPE_CHECKING:
    from toysearch.evaluation.convention_comparison import SideBySide
    from toysearch.evaluation.judge_agreement import Alpha, Kappa
    from toysearch.evaluation.pooling import Pool
    from toysearch.evaluation.unjudged_bounds import UnjudgedBounds
    from toysearch.laboratory.experiments.verification import Verification
    from toysearch.laboratory.experiments.vote_counts import VoteCount


_LONG = 3  # the longest stretch of documents that add nothing shown row by row
_DEEP = 20  # ranks of the ideal ranking that are shown


def measure_data(why: MeasureExplanation) -> dict[str, Any]:
    """The explanation as a dict of plain values, for JSON; ``arithmetic`` is the formula with its numbers."""
    data = why._asdict() | {"arithmetic": why.arithmetic}
    del data["tree"]
    return data


def measure_text(why: MeasureExplanation, width: int | None = None, subject: str = "") -> str:
    """The value of a measure explained: the ranking, the ideal ranking, other quantities, the value."""
    lines = [flowed(f"{why.measure} of {subject or f'query {why.query_id}'}: {why.description}", width)]
    lines += [flowed(why.formula, width), ""]
    if why.ranking:
        lines.append(_ranking_table(why, width))
    else:
        lines.append("nothing was retrieved")
    lines.append(f"{why.retrieved} retrieved · {why.relevant} relevant in all (from grade {why.threshold:g})")
    if why.ideal:
        lines += ["", "the ideal ranking: all judged documents by descending grade", _ideal_table(why, width)]
    if why.lists:
        lines.append("")
        for name, row in why.lists.items():
            lines.append(flowed(f"{_spoken(name)}: {' '.join(f'{value:.4g}' for value in row)}", width))
    if why.numbers:
        named = (f"{_spoken(name)} {value:.7g}" for name, value in why.numbers.items())
        lines += ["", flowed(" · ".join(named), width)]
    return "\n".join([*lines, "", flowed(why.arithmetic, width)])


def _ranking_table(why: MeasureExplanation, width: int | None) -> str:
    """One row per document; a long stretch of documents that add nothing, and all below the cutoff, take one row."""
    names = _shown_names(why)
    columns = [Column("rank", justify="right"), Column("doc_id", "document"), Column("grade", justify="right")]
    columns += [Column("relevant")] + [Column(name, _spoken(name), "right", ".4f") for name in names]
    blank: list[Any] = [None] * (len(names) + 1)
    cutoff = math.inf if why.cutoff is None else why.cutoff
    rows: list[list[Any]] = []
    for adds, group in groupby((row for row in why.ranking if row.rank <= cutoff), key=_adds):
        stretch = [*group]
        if not adds and len(stretch) > _LONG:
            unjudged = sum(row.grade is None for row in stretch)
            alike = unjudged == len(stretch)
            documents = f"{len(stretch)} documents" if alike else f"… {len(stretch)} not relevant"
            grade = "unjudged" if alike else f"{unjudged} unjudged" if unjudged else None
            rows.append([f"{stretch[0].rank}–{stretch[-1].rank}", documents, grade, *blank])
            continue
        for row in stretch:
            if row.grade is None:
                rows.append([row.rank, row.doc_id, "unjudged", *blank])
                continue
            quantities = [row.quantities.get(name) for name in names]
            rows.append([row.rank, row.doc_id, f"{row.grade:g}", "yes" if row.relevant else "no", *quantities])
    if len(why.ranking) > cutoff:
        below = len(why.ranking) - int(cutoff)
        noun = "document" if below == 1 else "documents"
        rows.append(["below", f"{below} {noun}", None, *blank])
    return render(columns, rows, width=width)


def _adds(row: RankRow) -> bool:
    """Whether a document is relevant or adds to the value."""
    return row.grade is not None and (row.relevant or row.quantities.get(TERM, 1.0) != 0)


def _shown_names(why: MeasureExplanation) -> list[str]:
    """The quantities along the ranking that repeat no column before them."""
    judged = [row for row in why.ranking if row.grade is not None and row.rank <= (why.cutoff or math.inf)]
    seen = [tuple(float(row.relevant) for row in judged), tuple(float(row.rank) for row in judged)]
    names = []
    for name in judged[0].quantities if judged else ():
        column = tuple(row.quantities[name] for row in judged)
        if column not in seen or name not in (TERM, VALUE, "hits", "rank"):
            names.append(name)
            seen.append(column)
    return names


def _ideal_table(why: MeasureExplanation, width: int | None) -> str:
    names: Sequence[str] = list(why.ideal[0].quantities)
    columns = [Column("rank", justify="right"), Column("grade", "", "right", "g")]
    columns += [Column(name, _spoken(name), "right", ".4f") for name in names]
    rows: list[list[Any]] = [
        [row.rank, row.grade, *(row.quantities.get(name) for name in names)] for row in why.ideal[:_DEEP]
    ]
    if len(why.ideal) > _DEEP:
        last = why.ideal[-1]
        rows.append([f"… {last.rank}", last.grade, *(last.quantities.get(name) for name in names)])
    return render(columns, rows, width=width)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


ColumnsAndRows = tuple[list[Column], Sequence[Sequence[Any]]]


def grades_table(found: Kappa) -> ColumnsAndRows:
    """The number of pairs for each grade of the first judge (row) and of the second (column)."""
    columns = [Column("grade", "", "right"), *(Column(f"{grade:g}", "", "right", ",") for grade in found.grades)]
    return columns, [[f"{grade:g}", *row] for grade, row in zip(found.grades, found.table.tolist(), strict=True)]


def judges_table(found: Alpha) -> ColumnsAndRows:
    """The agreement of the judges, one row per query; an undefined alpha is left empty."""
    columns = [
        Column("query_id", "query"),
        Column("pairs", "pairs", "right", ","),
        Column("agreement", "same grade", "right", ".4f"),
        Column("alpha", "alpha", "right", ".4f"),
    ]
    return columns, [(*row[:3], None if math.isnan(row[3]) else row[3]) for row in found.by_query]


def votes_table(found: Sequence[VoteCount]) -> ColumnsAndRows:
    """The votes on each pair of systems, by votes and by queries; an undefined share is left empty."""
    columns = [
        *(Column("first"), Column("second"), Column("by")),
        *number_columns(",", wins="first wins", ties="ties", losses="second wins"),
        *number_columns(".4f", "share", low="lowest", high="highest", p="p"),
    ]
    return columns, [[None if cell != cell else cell for cell in each] for each in found]


def bounds_table(found: UnjudgedBounds, per_query: bool = True) -> ColumnsAndRows:
    """The lowest value of each measure, the value with unjudged documents as not relevant, and the highest."""
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
    """The documents to judge, and their rank in each run."""
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


def verified_data(found: Verification) -> dict[str, Any]:
    """All rows as plain values, for JSON."""
    return {"agrees": found.agrees, "rows": found.rows, "left_out": found.left}


def verified_table(found: Verification, _: str = "table") -> ColumnsAndRows:
    """The recomputed values, the library that recomputed them, and the largest difference."""
    columns = [
        Column("what"),
        Column("numbers", "", "right", ","),
        Column("difference", "largest difference", "right", ".1e"),
        Column("digits", "", "right"),
        Column("by"),
        Column("agrees"),
    ]
    return columns, [[*row[:5], "yes" if row.agrees else "NO"] for row in found.rows]
