"""A result in each form: as its command prints it, as HTML for a notebook, as a data frame, and for programs."""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from toysearch.base import ArgumentError, Column, Marked, Part, Ranking, ResultTable, Sentences, checked, unknown
from toysearch.base.errors import a
from toysearch.laboratory.results.tables import FORMATS, flowed, html_cells, opening, render

__all__ = ["as_frame", "as_html", "as_text"]

_WIDTH = 80  # columns of running text; tables are as wide as they need to be
_MOST = 20  # rows of a table in a notebook
_LONGEST = 200  # characters of a cell in a notebook
_LIBRARIES = ("pandas", "polars")


@checked
def as_text(found: Any, form: str = "table") -> str:
    """A result of the laboratory as text.

    ``print`` and ``str`` give the same text.

    Parameters
    ----------
    found : Ranking, Comparison, Diff, Tuning, Learning, Ablation, Robustness, Prediction, GateResult, Diagnosis, …
        What `compare`, `diff`, `tune`, `learn`, `ablate`, `robustness`, `predict`,
        `retrievability`, `gate`, `explain`, `explain_order`, `explain_measure`, `diagnose`, `verify` or
        `Searcher.search` returned.
    form : {"table", "tsv", "csv", "json", "markdown", "latex"}, default "table"
        "table" is for people: tables, findings in sentences, caveats. "json" holds everything. Each other form is a
        single table; for a Comparison, "latex" gives a table for a paper.

    Returns
    -------
    str
        The text, without a final newline.

    Raises
    ------
    ArgumentError
        If `found` is another kind of object, or `form` is unknown.

    Examples
    --------
    >>> from toysearch.laboratory.experiments.run_diff import diff
    >>> found = diff({"1": ["a", "b"]}, {"1": ["b", "a"]}, {"1": {"b": 1}}, "RR")
    >>> print(as_text(found, "csv"))
    query_id,first,second,gain,text
    1,0.5,1.0,0.5,
    """
    if not hasattr(found, "text_parts"):
        raise ArgumentError(f"{type(found).__name__} cannot be shown as text; expected a result of the laboratory")
    if form not in FORMATS:
        raise unknown("form", form, FORMATS)
    if form == "table":
        about = "\n".join(flowed(line, _WIDTH) for line in found.about())
        return "\n\n".join(filter(None, [written(found.text_parts(None, _WIDTH), None, _WIDTH), about]))
    if form == "json":
        return render([], [], form, data=found.data())
    if form == "latex" and hasattr(found, "to_latex"):
        return str(found.to_latex())
    tables = found.tables(form)
    if not tables:
        raise ArgumentError(f"an explanation cannot be shown as {form}; use table or json")
    return render(tables[0].columns, tables[0].rows, form)


def written(parts: Iterable[Part], width: int | None, wrap: int | None) -> str:
    """The parts of a text with a blank line between them; parts without content are left out."""
    texts = []
    for part in parts:
        if isinstance(part, ResultTable):
            captions = [flowed(line, wrap) for line in part.caption.split("\n")]
            lines = [part.title, render(part.columns, part.rows, width=width), *captions]
            texts.append("\n".join(filter(None, lines)))
        elif isinstance(part, Sentences):
            lines = [flowed(line, wrap, part.first, part.indent) for line in part.texts]
            texts.append("\n".join([part.heading, *lines] if part.heading else lines))
        else:
            texts.append(part)
    return "\n\n".join(filter(None, texts))


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
    tables = _tables(found, "html")
    if not tables:
        # Notebooks give <pre> the font of running text, in which the columns would not stand below each other.
        return f'<pre style="font-family:monospace">{html.escape(as_text(found))}</pre>'
    columns, n = tables[0].columns, tables[0].n or 0
    if tables[0].n is None and isinstance(tables[0].rows, Sequence):
        n = len(tables[0].rows)
    rows = [
        [opening(cell, _LONGEST) if isinstance(cell, str) and len(cell) > _LONGEST else cell for cell in row]
        for row in islice(tables[0].rows, _MOST)
    ]
    head = "".join(_cell("th", column.justify, html.escape(column.header or column.name)) for column in columns)
    body = "".join(
        f"<tr>{''.join(_cell('td', column.justify, cell) for column, cell in zip(columns, cells, strict=True))}</tr>"
        for cells in html_cells(columns, rows)
    )
    more = f"<div>… and {n - _MOST:,} more</div>" if n > _MOST else ""
    is_list = isinstance(found, tuple | list) or (isinstance(found, Ranking) and len(found) > 0)
    title = "" if is_list else html.escape(opening(repr(found), _LONGEST))
    caption = f"<div>{title}</div>" if title else ""
    lines = [*found.sentences(), *found.about()] if hasattr(found, "text_parts") else []
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
    if library is not None and library not in _LIBRARIES:
        raise unknown("library", library, _LIBRARIES, "libraries")
    tables = _tables(found, "frame")
    if not tables:
        raise ArgumentError(f"{a(found)} has no rows to show")
    rows = [[cell.text if isinstance(cell, Marked) else cell for cell in row] for row in tables[0].rows]
    columns = {column.name: [row[place] for row in rows] for place, column in enumerate(tables[0].columns)}
    libraries = _LIBRARIES if library is None else (library,)
    for name in libraries:
        with suppress(ImportError):
            return importlib.import_module(name).DataFrame(columns)
    missing = "pandas or polars, and neither is installed" if library is None else f"{library}, which is not installed"
    raise ArgumentError(f"a data frame needs {missing}: pip install {libraries[0]}")


def _tables(found: Any, form: str) -> Sequence[ResultTable]:
    """The tables of a result, or of records of one kind, with one column per field."""
    if hasattr(found, "tables"):
        return found.tables(form)  # type: ignore[no-any-return]
    records = found if isinstance(found, list) else [found]
    if len({type(record) for record in records}) != 1 or not hasattr(records[0], "_fields"):
        raise ArgumentError(f"{a(found)} has no rows to show")
    formats = {float: ".4f", int: ","}
    columns = [
        Column(name, name.replace("_", " "), "right", formats[type(value)])
        if type(value) in formats
        else Column(name, name.replace("_", " "))
        for name, value in records[0]._asdict().items()
    ]
    return [ResultTable(columns, records)]


def _cell(kind: str, side: str, content: str) -> str:
    return f'<{kind} style="text-align:{side}">{content}</{kind}>'
