"""Any result as a table in a notebook, and as a data frame."""

from __future__ import annotations

import html
import importlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, a, unknown
from toysearch.base.ranking import Ranking
from toysearch.base.records import Qrels, Run
from toysearch.corpus.collection import Collection
from toysearch.evaluation.convention_comparison import SideBySide
from toysearch.evaluation.curves import Curve
from toysearch.evaluation.judge_agreement import Alpha, Kappa
from toysearch.evaluation.pooling import Pool
from toysearch.evaluation.result import Evaluation
from toysearch.evaluation.unjudged_bounds import UnjudgedBounds
from toysearch.index.inverted_index import Index
from toysearch.laboratory.explain.compression import TextbookView
from toysearch.laboratory.explain.vocabulary_laws import HeapsLaw, ZipfLaw
from toysearch.laboratory.learning.feature_table import FeatureTable
from toysearch.laboratory.results.as_text import SHOWN, as_text
from toysearch.laboratory.results.evaluation_text import (
    bounds_table,
    conventions_table,
    grades_table,
    judges_table,
    pool_table,
)
from toysearch.laboratory.results.index_text import POSTING_COLUMNS
from toysearch.laboratory.results.learning_text import feature_rows
from toysearch.laboratory.results.ranking_text import marked_rows, ranking_rows
from toysearch.laboratory.results.tables import Column, Marked, html_cells, opening
from toysearch.models.weight_curve import WeightCurve

__all__ = ["as_frame", "as_html"]

_MOST = 20  # rows
_LONGEST = 200  # characters of a cell
_LIBRARIES = ("pandas", "polars")


class NotebookTable(NamedTuple):
    """Columns and rows, and how many rows there are."""

    columns: Sequence[Column]
    rows: Iterable[Sequence[Any]]
    n: int


@checked
def as_html(found: Any) -> str:
    """A result as HTML for a notebook: its title, the first rows of its table, the conclusions, the settings.

    Parameters
    ----------
    found : object
        Any result with rows: a `Ranking`, `Run`, `Qrels`, `Collection`, `Index`, `Evaluation`, `Kappa`, `Pool` …;
        anything that `as_text` takes; one record such as a `TestResult`, or a list of records of one kind.

    Returns
    -------
    str
        Escaped HTML without colours of its own, so that it follows those of the notebook.

    Raises
    ------
    ArgumentError
        If `found` is something else.

    Examples
    --------
    >>> as_html(Ranking("1", ["<a>"], [0.5])).split("<tbody>")[1]
    '<tr><td style="text-align:right">1</td><td style="text-align:left">&lt;a&gt;</td>\
<td style="text-align:right">0.5000</td></tr></tbody></table></div>'
    """
    shown = SHOWN.get(type(found))
    if shown is not None and shown.table is None:
        # Notebooks give <pre> the font of running text, in which the columns would not stand below each other.
        return f'<pre style="font-family:monospace">{html.escape(as_text(found))}</pre>'
    table = _table(found)
    rows = [[_short(cell) for cell in row] for row in islice(table.rows, _MOST)]
    sides = [column.justify for column in table.columns]
    head = "".join(_cell("th", side, html.escape(column.header or column.name)) for column, side in _both(table, sides))
    body = "".join(
        f"<tr>{''.join(_cell('td', side, cell) for side, cell in zip(sides, cells, strict=True))}</tr>"
        for cells in html_cells(table.columns, rows)
    )
    more = f"<div>… and {table.n - _MOST:,} more</div>" if table.n > _MOST else ""
    is_list = isinstance(found, tuple | list) or (isinstance(found, Ranking) and len(found) > 0)
    title = "" if is_list else html.escape(opening(repr(found), _LONGEST))
    caption = f"<div>{title}</div>" if title else ""
    lines = [] if shown is None else [*shown.remarks(found), *shown.about(found)]
    below = "".join(f'<div style="text-align:left">{html.escape(line)}</div>' for line in lines)
    return f"<div>{caption}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{below}</div>"


@checked
def as_frame(found: Any, library: str | None = None) -> Any:
    """The rows of a result as a data frame.

    Parameters
    ----------
    found : object
        A result as for `as_html`; it must have rows.
    library : {"pandas", "polars"}, optional
        The library of the data frame. By default pandas, or polars if only that is installed.

    Raises
    ------
    ArgumentError
        If `found` has no rows, or the library is unknown or not installed.
    """
    wanted = _LIBRARIES if library is None else (library,)
    if library is not None and library not in _LIBRARIES:
        raise unknown("library", library, _LIBRARIES, "libraries")
    table = _listed(ranking_rows(found)) if isinstance(found, Ranking) else _table(found)
    rows = [[cell.text if isinstance(cell, Marked) else cell for cell in row] for row in table.rows]
    names = [column.name for column in table.columns]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    for name in wanted:
        with suppress(ImportError):
            return importlib.import_module(name).DataFrame(columns)
    missing = "pandas or polars, and neither is installed" if library is None else f"{library}, which is not installed"
    raise ArgumentError(f"a data frame needs {missing}: pip install {wanted[0]}")


def _table(found: Any) -> NotebookTable:
    """The table of a result."""
    if type(found) in _TABLES:
        return _TABLES[type(found)](found)
    shown = SHOWN.get(type(found))
    if shown is not None and shown.table is not None:
        return _listed(shown.table(found, "json"))
    if type(found) in _ROWS:
        return _listed(_ROWS[type(found)](found))
    records = found if isinstance(found, list) else [found]
    kinds = {type(record) for record in records}
    if len(kinds) != 1 or not hasattr(records[0], "_fields"):
        raise ArgumentError(f"{a(found)} has no rows to show")
    return _records(records)


def _listed(table: tuple[Sequence[Column], Iterable[Sequence[Any]]]) -> NotebookTable:
    """Columns and rows, with their number."""
    rows = list(table[1])
    return NotebookTable(table[0], rows, len(rows))


def _records(found: Sequence[Any]) -> NotebookTable:
    """Records of one kind, one column per field."""
    numbers = {float: ".4f", int: ","}
    columns = [
        Column(name, name.replace("_", " "), "right", numbers[type(value)])
        if type(value) in numbers
        else Column(name, name.replace("_", " "))
        for name, value in found[0]._asdict().items()
    ]
    return NotebookTable(columns, found, len(found))


def _bounds(found: UnjudgedBounds) -> tuple[Sequence[Column], Iterable[Sequence[Any]]]:
    """The bounds, those over all queries first: a notebook shows only the beginning."""
    columns, rows = bounds_table(found)
    n = len(rows) - len(found.means)
    return columns, [*rows[n:], *rows[:n]]


def _curve(found: Curve) -> tuple[list[Column], list[tuple[float, float]]]:
    return [Column("at", "", "right", "g"), Column(found.measure, "", "right", ".4f")], found.points


def _weights(found: WeightCurve) -> tuple[list[Column], list[tuple[float, float]]]:
    columns = [Column(found.along, "", "right", "g"), Column("weight", "", "right", ".4f")]
    return columns, list(zip(found.values.tolist(), found.weights.tolist(), strict=True))


def _zipf(found: ZipfLaw) -> NotebookTable:
    columns = [Column("rank", "", "right", ","), Column("cf", "", "right", ",")]
    return NotebookTable(columns, enumerate(found.cf.tolist(), 1), found.cf.size)


def _heaps(found: HeapsLaw) -> NotebookTable:
    columns = [Column("tokens", "", "right", ","), Column("terms", "", "right", ",")]
    return NotebookTable(columns, zip(found.tokens.tolist(), found.terms.tolist(), strict=True), found.tokens.size)


def _run(found: Run) -> NotebookTable:
    columns = [Column("query_id"), Column("rank", "", "right"), Column("doc_id"), Column("score", "", "right", ".4f")]
    rows = (
        (query_id, rank, hit.doc_id, hit.score)
        for query_id in found.query_ids
        for rank, hit in enumerate(found.ranking(query_id), 1)
    )
    return NotebookTable(columns, rows, len(found))


def _qrels(found: Qrels) -> NotebookTable:
    return NotebookTable(
        [Column("query_id"), Column("doc_id"), Column("relevance", "", "right", "g")], found, len(found)
    )


def _collection(found: Collection) -> NotebookTable:
    columns = [Column("query_id"), Column("text"), Column("judgments", "", "right", ",")]
    rows = ((query_id, text, len(found.qrels[query_id])) for query_id, text in found.queries)
    return NotebookTable(columns, rows, len(found.queries))


def _index(found: Index) -> NotebookTable:
    columns = [Column("term"), Column("df", "", "right", ","), Column("cf", "", "right", ",")]
    n = found.stats.n_terms
    return NotebookTable(columns, iter(found.frequent_terms(n)), n)


def _evaluation(found: Evaluation) -> NotebookTable:
    names = list(map(str, found.measures))
    columns = [Column("query_id"), *(Column(name, "", "right", ".4f") for name in names)]
    rows = ([query_id, *(values[name] for name in names)] for query_id, values in found.per_query.items())
    return NotebookTable(columns, rows, found.n_queries)


_TABLES: dict[type, Callable[[Any], NotebookTable]] = {
    Ranking: lambda found: NotebookTable(*marked_rows(found), len(found)),
    Run: _run,
    Qrels: _qrels,
    Collection: _collection,
    Index: _index,
    Evaluation: _evaluation,
    ZipfLaw: _zipf,
    HeapsLaw: _heaps,
}
_ROWS: dict[type, Callable[[Any], tuple[Sequence[Column], Iterable[Sequence[Any]]]]] = {
    Kappa: grades_table,
    Alpha: judges_table,
    UnjudgedBounds: _bounds,
    Pool: pool_table,
    FeatureTable: feature_rows,
    SideBySide: conventions_table,
    Curve: _curve,
    WeightCurve: _weights,
    TextbookView: lambda found: (POSTING_COLUMNS, found.postings),
}


def _both(table: NotebookTable, sides: list[Any]) -> Iterable[tuple[Column, str]]:
    return zip(table.columns, sides, strict=True)


def _cell(kind: str, side: str, content: str) -> str:
    return f'<{kind} style="text-align:{side}">{content}</{kind}>'


def _short(cell: Any) -> Any:
    return opening(cell, _LONGEST) if isinstance(cell, str) and len(cell) > _LONGEST else cell
