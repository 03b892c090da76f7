"""Results in each form: tables for people, TSV, CSV, JSON and data frames for programs, Markdown, LaTeX and HTML."""

from __future__ import annotations

import importlib
import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice, starmap
from typing import Any

from toysearch.base import (
    BLANKS,
    ArgumentError,
    Column,
    Marked,
    Part,
    ResultTable,
    Sentences,
    a,
    cut,
    expect_name,
    one_line,
    plain,
    spreadsheet_text,
    unknown,
)
from toysearch.base.argument_checks import expect

__all__ = ["as_frame", "as_html", "as_text"]


FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex", "html")

_LEAST_TEXT = 14  # columns below which running text is not narrowed
_NO_LIMIT = 10_000
_LONGEST_CELL = 500  # characters

# Characters that would format, link, or end a cell (an underscore inside a word does not); < becomes an entity.
_MARKDOWN = r"[\\`*|\[\]~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])"
_MATHS = {
    "Σ": "Sigma", "Π": "Pi", "α": "alpha", "β": "beta", "ε": "varepsilon", "λ": "lambda", "κ": "kappa", "μ": "mu",
    "π": "pi", "τ": "tau", "×": "times", "≤": "leq", "≥": "geq", "≈": "approx", "→": "rightarrow", "√": "surd",
    "∩": "cap", "∪": "cup", "∞": "infty", "⌊": "lfloor", "⌋": "rfloor",
}  # fmt: skip
_LATEX = {
    **{character: f"$\\{name}$" for character, name in _MATHS.items()},
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # these two, at the start of a row, would be read as arguments of the row end before
    "*": "{*}",
    "−": "$-$",
    "₁": "$_1$",
    "₂": "$_2$",
    "ⁿ": "$^n$",
    "…": r"\ldots{}",
}
_NEGATIVE = r"(?<![\w.])-(?=[\d.])"


def render(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    form: str = "table",
    *,
    width: int | None = None,
    data: Any = None,
) -> str:
    r"""Write rows as the text of a table, of TSV, CSV, JSON, Markdown or LaTeX, without a final newline."""
    if form == "json":
        names = [column.name for column in columns]
        data = plain([dict(zip(names, row, strict=True)) for row in rows] if data is None else data)
        if isinstance(data, list) and data:  # one element per line, to be read and compared by line
            return "[" + ",\n ".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in data) + "]"
        indent = 2 if isinstance(data, dict) else None
        pieces = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent).iterencode(data)
        return "".join(iter(lambda: "".join(islice(pieces, 1 << 12)), ""))  # a list of all pieces takes far more memory
    if form in ("tsv", "csv"):
        names = [column.name for column in columns]
        lines = chain([names], ([*starmap(_tsv, zip(columns, row, strict=True))] for row in rows))
        if form == "tsv":
            return "\n".join(map("\t".join, lines))
        return "\n".join(",".join(map(_quoted, line, names)) for line in lines)
    if form == "markdown":
        return _markdown(columns, rows)
    if form == "latex":
        return _latex(columns, rows)
    return _plain(columns, rows) if width is None else _terminal(columns, rows, width)


def rounded_together(parts: Sequence[float], total: float, digits: int = 6) -> list[float]:
    """Round the parts of a total so that they add up to the rounded total.

    Each is rounded down, and those that lost most get one unit back (largest remainders), so none is further than one
    unit from its value. Parts that do not add up to the total are rounded one by one.

    >>> rounded_together([0.5472604, 0.0478914], 0.5951518)
    [0.547261, 0.047891]
    """
    unit = 10**digits
    if not all(map(math.isfinite, [*parts, total])):
        return [*parts]
    low = [math.floor(part * unit) for part in parts]
    missing = round(round(total, digits) * unit) - sum(low)
    if not 0 <= missing <= len(parts):
        return [round(part, digits) for part in parts]
    raised = sorted(range(len(parts)), key=lambda place: low[place] - parts[place] * unit)[:missing]
    return [(units + (place in raised)) / unit for place, units in enumerate(low)]


def display_width(text: str) -> int:
    r"""Return the columns of a terminal that a text takes: none for a combining mark, two for a wide character.

    >>> display_width("cat"), display_width("日本"), display_width("cafe\u0301")
    (3, 4, 4)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)


def width_of(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> int:
    """Return the characters of the longest line of a plain table."""
    return max(map(display_width, _plain(columns, rows).split("\n")))


def turned(columns: Sequence[Column], rows: Sequence[Sequence[Any]], name: str) -> tuple[list[Column], list[list[Any]]]:
    """Turn the rows of a table to columns of texts; the first cell of each is its header.

    >>> from toysearch.base import number_columns
    >>> columns, rows = turned([Column("system"), *number_columns(".2f", "AP", "RR")], [["bm25", 0.5, 1.0]], "measure")
    >>> print(render(columns, rows))
    measure  bm25
    AP       0.50
    RR       1.00
    """
    sides = [Column(str(row[0]).strip(), justify="right") for row in rows]
    lines = list[list[Any]]()
    for column, group in zip(columns, zip(*rows, strict=True), strict=True):
        lines.append([column.header or column.name, *(_shown(column, cell) for cell in group)])
    return [Column(name), *sides], lines[1:]


def _shortened(cell: Any) -> Any:
    return opening(cell, _LONGEST) if isinstance(cell, str) and len(cell) > _LONGEST else cell


def _escaped(text: str) -> str:
    from html import escape  # with a table of all entities, which no other form needs

    return escape(text)


def html_cells(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    """Write the cells of rows as HTML: escaped, marked words strong."""
    return [
        [_pieces(column, cell, _escaped, "<strong>", "</strong>") for column, cell in zip(columns, row, strict=True)]
        for row in rows
    ]


def opening(text: str, width: int) -> str:
    """Return the first words of a text on one line, in at most `width` characters."""
    return textwrap.shorten(one_line(text), width, placeholder=" …")


def flowed(text: str, width: int | None, first: str = "", indent: str = "") -> str:
    """Break running text into lines of at most `width` characters; without a width, keep one line."""
    text = one_line(text)
    if width is None:
        return f"{first}{text}"
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


_IN_FULL = Column("")  # without a format


def _tsv(column: Column, cell: Any) -> str:
    text = _shown(_IN_FULL, cell)
    return text.removesuffix(".0") if column.format.endswith((",", "g", ".0f")) else text


_COMPUTES = r"\A\s*=|[(|!]"


def _quoted(cell: str, name: str) -> str:
    """Write a cell of CSV; an id stays as it is unless a spreadsheet could compute with it."""
    if name not in ("doc_id", "query_id") or re.search(_COMPUTES, cell):
        cell = spreadsheet_text(cell)
    if "," in cell or '"' in cell or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _markdown(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    def escaped(text: str) -> str:
        return re.sub(_MARKDOWN, r"\\\g<0>", text).replace("<", "&lt;")

    lines = [[escaped(column.header.strip() or column.name) for column in columns]]
    lines += [
        [_pieces(column, cell, escaped, "**", "**").strip() for column, cell in zip(columns, row, strict=True)]
        for row in rows
    ]
    widths = [max(3, *map(display_width, cells)) for cells in zip(*lines, strict=True)]
    justify = [column.justify for column in columns]
    rule = [
        ("-" * (width - 1) + ":") if side == "right" else (":" + "-" * (width - 1))
        for width, side in zip(widths, justify, strict=True)
    ]
    padded = [list(map(_justified, line, widths, justify)) for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])


BOOKTABS = r"% needs \usepackage{booktabs}"


def _latex(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    """Write a tabular environment; marked words are bold, minus signs are true ones."""
    layout = "".join("r" if column.justify == "right" else "l" for column in columns)
    header = [latex_text(column.header.strip() or column.name) for column in columns]
    lines = [
        [
            _pieces(column, cell, latex_number if column.justify == "right" else latex_text, r"\textbf{", "}")
            for column, cell in zip(columns, row, strict=True)
        ]
        for row in rows
    ]
    head, *body = [" & ".join(line) + r" \\" for line in [header, *lines]]
    begin = f"\\begin{{tabular}}{{{layout}}}"
    return "\n".join([BOOKTABS, begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])


def latex_text(text: str) -> str:
    r"""Write a text of any origin in LaTeX: one line, its markup escaped."""
    return "".join(_LATEX.get(character, character) for character in text.translate(BLANKS))


def latex_number(text: str) -> str:
    """Write a number, or several, in LaTeX, with true minus signs."""
    return re.sub(_NEGATIVE, "$-$", latex_text(text))


def _pieces(column: Column, cell: Any, escaped: Callable[[str], str], before: str, after: str) -> str:
    text = _shown(column, cell)
    parts, last = [], 0
    for start, end in sorted(cell.spans) if isinstance(cell, Marked) else ():
        parts += [escaped(text[last:start]), before, escaped(text[start:end]), after]
        last = end
    return "".join(parts) + escaped(text[last:])


def _shown(column: Column, cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    text = cell.text if isinstance(cell, Marked) else cell
    if column.format and not isinstance(text, str):
        return format(text, column.format)
    return str(text).translate(BLANKS)


def _fitting(column: Column, cell: Any) -> str:
    text = _shown(column, cell)
    return text if isinstance(cell, Marked) or len(text) <= _LONGEST_CELL else cut(text, _LONGEST_CELL)


def _plain(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    lines = [[column.header or column.name for column in columns]]
    lines += [
        [
            _pieces(column, cell, str, "*", "*") if isinstance(cell, Marked) else _fitting(column, cell)
            for column, cell in zip(columns, row, strict=True)
        ]
        for row in rows
    ]
    widths = [max(map(display_width, cells)) for cells in zip(*lines, strict=True)]
    justify = [column.justify for column in columns]
    visible = lines if any(map(str.strip, lines[0])) else lines[1:]
    return "\n".join("  ".join(map(_justified, line, widths, justify)).rstrip() for line in visible)


def _justified(text: str, width: int, justify: str) -> str:
    blanks = " " * (width - display_width(text))
    return blanks + text if justify == "right" else text + blanks


def _terminal(columns: Sequence[Column], rows: Iterable[Sequence[Any]], width: int) -> str:
    """Write a table for a terminal: what is too wide is wrapped between words; numbers and ids are never cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    is_headed = any((column.header or column.name).strip() for column in columns)
    table = Table(box=box.SIMPLE_HEAD, show_header=is_headed, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    cells = []
    for row in rows:
        cells.append([Text(_fitting(column, cell)) for column, cell in zip(columns, row, strict=True)])
        for text, cell in zip(cells[-1], row, strict=True):
            for start, end in cell.spans if isinstance(cell, Marked) else ():
                text.stylize("bold", start, end)
    for position, column in enumerate(columns):
        header, texts = Text(column.header or column.name), [line[position] for line in cells]
        of_words = [max(map(display_width, text.plain.split()), default=0) for text in (header, *texts)]
        natural = [text.cell_len for text in texts]
        if column.wrap:
            least = min(max(header.cell_len, *natural, 0), _LEAST_TEXT)
        else:
            least = max(*of_words, *(natural if column.justify == "right" else ()), 0)
        table.add_column(header, justify=column.justify, overflow="fold", min_width=least)
    for line in cells:
        table.add_row(*line)
    # In a notebook, rich would show an empty output besides the captured one.
    console = Console(force_terminal=True, force_jupyter=False, width=_NO_LIMIT, highlight=False)
    # A table that is wider than the terminal is better broken by the terminal than cut in a number.
    console.width = max(width, console.measure(table).minimum)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


_WIDTH = 80  # columns of running text; tables are as wide as they need to be
_MOST = 20  # rows of a table in a notebook
_LONGEST = 200  # characters of a cell in a notebook
_LIBRARIES = ("pandas", "polars")


def as_text(found: Any, form: str = "table") -> str:
    """Return a result of the laboratory as text.

    ``print`` and ``str`` give the same text.

    Parameters
    ----------
    found : Ranking, Comparison, Diff, Tuning, Learning, Ablation, Robustness, GateResult, Diagnosis, …
        What `compare`, `diff`, `tune`, `learn`, `ablate`, `robustness`, `gate`, `explain`, `explain_order`,
        `explain_measure`, `diagnose`, `verify` or `Searcher.search` returned.
    form : {"table", "tsv", "csv", "json", "markdown", "latex", "html"}, default "table"
        "table" is for people: tables, findings in sentences, caveats; "html" has the same as a part of a page. "json"
        holds everything. Each other form is a single table; for a Comparison, "latex" gives a table for a paper.

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
    >>> from toysearch.study.compare.run_diff import diff
    >>> found = diff({"1": ["a", "b"]}, {"1": ["b", "a"]}, {"1": {"b": 1}}, "RR")
    >>> print(as_text(found, "csv"))
    query_id,first,second,gain,text
    1,0.5,1.0,0.5,
    """
    if not hasattr(found, "text_parts"):
        raise ArgumentError(f"{type(found).__name__} cannot be shown as text; expected a result of the laboratory")
    expect_name("form", form, FORMATS)
    if form == "table":
        about = "\n".join(flowed(line, _WIDTH) for line in found.about())
        return "\n\n".join(filter(None, [written(found.text_parts(None, _WIDTH), None, _WIDTH), about]))
    if form == "html":
        return html_of(found.text_parts(_WIDTH))
    if form == "json":
        return render([], [], form, data=found.data())
    if form == "latex" and hasattr(found, "to_latex"):
        return str(found.to_latex())
    tables = found.tables(form)
    if not tables:
        raise ArgumentError(f"an explanation cannot be shown as {form}; use table or json")
    return render(tables[0].columns, tables[0].rows, form)


def first_line(found: Any) -> str:
    """Return the first line of the text of a result; the parts after it are not made."""
    parts = (written([part], None, _WIDTH).strip() for part in found.text_parts(None, _WIDTH))
    return next(filter(None, parts), "").partition("\n")[0]


def written(parts: Iterable[Part], width: int | None, wrap: int | None) -> str:
    """Join the parts of a text with a blank line between them; parts without content are left out."""
    texts = []
    for part in parts:
        if isinstance(part, ResultTable):
            captions = [flowed(line, wrap) for line in part.caption.split("\n") if line]
            lines = [part.title, render(part.columns, part.rows, width=width), *captions]
            texts.append("\n".join(filter(None, lines)))
        elif isinstance(part, Sentences):
            lines = [flowed(line, wrap, part.first, part.indent) for line in part.texts]
            texts.append("\n".join([part.heading, *lines] if part.heading else lines))
        else:
            texts.append(part)
    return "\n\n".join(filter(None, texts))


def html_of(parts: Iterable[Part]) -> str:
    """Write the parts of a text as HTML: tables, paragraphs, lists under a heading, and other text as it stands."""
    texts = []
    for part in parts:
        if isinstance(part, ResultTable):
            title = f"<caption>{_escaped(part.title)}</caption>" if part.title else ""
            captions = "".join(f"<p>{_escaped(line)}</p>" for line in part.caption.split("\n") if line)
            texts.append(f"<div><table>{title}{_html_rows(part.columns, part.rows)}</table></div>{captions}")
        elif isinstance(part, Sentences):
            tag = "li" if part.heading else "p"
            lines = "".join(f"<{tag}>{_escaped(line)}</{tag}>" for line in part.texts)
            texts.append(f"<h2>{_escaped(part.heading)}</h2><ul>{lines}</ul>" if part.heading else lines)
        elif part:
            texts.append(f"<pre>{_escaped(part)}</pre>")
    return "\n".join(filter(None, texts))


def _html_rows(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(_cell("th", column.justify, _escaped(column.header or column.name)) for column in columns)
    body = "".join(
        f"<tr>{''.join(_cell('td', column.justify, cell) for column, cell in zip(columns, cells, strict=True))}</tr>"
        for cells in html_cells(columns, rows)
    )
    return f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"


def as_html(found: Any) -> str:
    """Return a result as HTML for a notebook: its title, the first rows of its table, the conclusions, the settings.

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
    >>> from toysearch import Ranking
    >>> as_html(Ranking("1", ["<a>"], [0.5])).split("<tbody>")[1]
    '<tr><td style="text-align:right">1</td><td style="text-align:left">&lt;a&gt;</td>\
<td style="text-align:right">0.5000</td></tr></tbody></table></div>'
    """
    tables = _tables(found, "html")
    if not tables:
        # Notebooks give <pre> the font of running text, in which the columns would not stand below each other.
        return f'<pre style="font-family:monospace">{_escaped(as_text(found))}</pre>'
    columns, n = tables[0].columns, tables[0].n
    if n is None:
        n = len(tables[0].rows) if isinstance(tables[0].rows, Sequence) else 0
    rows = [[_shortened(cell) for cell in row] for row in islice(tables[0].rows, _MOST)]
    more = f"<div>… and {n - _MOST:,} more</div>" if n > _MOST else ""
    title = repr(found) if getattr(found, "captioned", True) else ""
    # Another repr lists all fields.
    shown = opening(title, _LONGEST) if title.startswith("<") else ""
    caption = f"<div>{_escaped(shown)}</div>" if shown else ""
    lines = [*found.sentences(), *found.about()] if hasattr(found, "text_parts") else []
    further = [line for line in lines if line not in shown]
    below = "".join(f'<div style="text-align:left">{_escaped(line)}</div>' for line in further)
    return f"<div>{caption}<table>{_html_rows(columns, rows)}</table>{more}{below}</div>"


def as_frame(found: Any, library: str | None = None) -> Any:
    """Return the rows of a result as a data frame.

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
    if library is not None:
        expect(str, library=library)
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
