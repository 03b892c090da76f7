"""A term of an index drawn as in textbooks: boxes and arrows, gaps and bits."""

from __future__ import annotations

from typing import Any

from toysearch.laboratory.explain.coded_postings import CodedPosting, TextbookView
from toysearch.laboratory.reports.tables import Column, render

_WIDE = 78  # characters of a line of boxes
_ARROW = " → "
_CODES = {"whole": "numbers of 32 bits", "variable_byte": "variable-byte code", "gamma": "gamma code"}

POSTING_COLUMNS: list[Column] = [
    Column("document", "number", "right", ","),
    Column("doc_id", "document"),
    Column("tf", "tf", "right", ","),
    Column("gap", "gap", "right", ","),
    Column("variable_byte", "variable-byte code"),
    Column("gamma", "gamma code"),
    Column("skip_to", "skip to", "right", ","),
]


def textbook_data(view: TextbookView) -> dict[str, Any]:
    """The view as a dict of plain values, for JSON."""
    return view._asdict() | {"postings": [posting._asdict() for posting in view.postings]}


def textbook_text(view: TextbookView) -> str:
    """The dictionary entry, the postings list as boxes, a table of gaps and codes, and their sizes."""
    rest = view.df - len(view.postings)
    skips = "no skip pointers: a list of fewer than four postings has no use for them"
    if view.skips:
        skips = f"↷n: a skip pointer to document n, every ⌊√{view.df:,}⌋ = {view.skips_apart:,} postings"
    table = render(
        [column for column in POSTING_COLUMNS if column.name != "skip_to"], [row[:-1] for row in view.postings]
    )
    parts = [
        f"dictionary\n\n{_entry(view)}",
        f"postings list: [document|tf], documents numbered from 1;\n{skips}\n\n{_boxes(view.postings, rest)}",
        f"gaps between the documents, and their codes\n\n{table}{f'{chr(10)}… {rest:,} more' if rest else ''}",
        f"the document numbers of {_all(view.df)}\n\n{_sizes(view)}",
    ]
    return "\n\n".join(parts)


def _all(df: int) -> str:
    return "the only posting" if df == 1 else f"all {df:,} postings"


def _entry(view: TextbookView) -> str:
    """The line of the dictionary."""
    columns = [
        Column("term"),
        Column("number", justify="right"),
        Column("df", justify="right", format=","),
        Column("cf", justify="right", format=","),
        Column("postings"),
    ]
    number = f"{view.number:,} of {view.terms:,}"
    rows = f"rows {view.first_row:,} to {view.last_row:,}" if view.df > 1 else f"row {view.first_row:,}"
    return render(columns, [(view.term, number, view.df, view.cf, f"→ {rows}")])


def _boxes(postings: list[CodedPosting], rest: int) -> str:
    """The postings as boxes with arrows, the skip pointers above them; as many lines as it takes."""
    boxes = [
        (f"[{posting.document}|{posting.tf}]", f"↷{posting.skip_to}" if posting.skip_to else "") for posting in postings
    ]
    boxes += [(f"… {rest:,} more", "")] if rest else []
    lines, above, below = [], "", ""
    for place, (box, skip) in enumerate(boxes):
        width = max(len(box), len(skip))
        arrow = _ARROW if place + 1 < len(boxes) else ""
        if below and len(below) + width + len(arrow.rstrip()) > _WIDE:
            lines += [above.rstrip(), below.rstrip()]
            above = below = ""
        above += f"{skip:<{width}}{' ' * len(arrow)}"
        below += f"{box:<{width}}{arrow}"
    return "\n".join(line for line in [*lines, above.rstrip(), below.rstrip()] if line)


def _sizes(view: TextbookView) -> str:
    """A row for each way to store the document numbers."""
    columns = [
        Column("stored as"),
        Column("bits", justify="right", format=","),
        Column("a posting", justify="right", format=".2f"),
        Column("of 32 bits", justify="right", format=".1%"),
    ]
    return render(
        columns,
        [(_CODES[name], bits, bits / view.df, bits / view.bits["whole"]) for name, bits in view.bits.items()],
    )
