"""An index for people: a term drawn as in textbooks, and the fitted laws of the vocabulary with their plots."""

from __future__ import annotations

import math

import numpy as np

from toysearch.base import Column, counted
from toysearch.laboratory.explain.compression import ENOUGH_TERMS, CodedPosting, HeapsLaw, TextbookView, ZipfLaw
from toysearch.laboratory.results.tables import render
from toysearch.laboratory.results.text_charts import text_plot

_WIDE = 78  # characters of a line of boxes
_ARROW = " → "
_CODES = {
    "whole": "numbers of 32 bits",
    "variable_byte": "variable-byte code",
    "gamma": "gamma code",
    "packed": "gaps in the index",
}

POSTING_COLUMNS: list[Column] = [
    Column("document", "number", "right", ","),
    Column("doc_id", "document"),
    Column("tf", "tf", "right", ","),
    Column("gap", "gap", "right", ","),
    Column("variable_byte", "variable-byte code"),
    Column("gamma", "gamma code"),
    Column("skip_to", "skip to", "right", ","),
]


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
        f"as the index stores them: in blocks of at most 128 postings, gaps and tf minus one\n\n{_stored(view)}",
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
    """The postings as boxes with arrows, the skip pointers above them; as many lines as needed."""
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
    """One row per way to store the document numbers."""
    columns = [
        Column("stored as"),
        Column("bits", justify="right", format=","),
        Column("per posting", justify="right", format=".2f"),
        Column("of 32 bits", justify="right", format=".1%"),
    ]
    return render(
        columns,
        [(_CODES[name], bits, bits / view.df, bits / view.bits["whole"]) for name, bits in view.bits.items()],
    )


_BLOCKS = 8  # rows


def _stored(view: TextbookView) -> str:
    """One row per block, the first ones."""
    columns = [
        Column("postings", justify="right"),
        Column("last document", justify="right", format=","),
        Column("bits per gap", justify="right"),
        Column("bits per tf", justify="right"),
        Column("highest tf", justify="right", format=","),
        Column("least dl", justify="right", format=","),
        Column("bits", justify="right", format=","),
    ]
    rest = len(view.blocks) - _BLOCKS
    return render(columns, view.blocks[:_BLOCKS]) + (f"\n… {rest:,} more" if rest > 0 else "")


_MOST_POINTS = 500  # points of a curve: more would fall on the same characters
_HEIGHT = 12


def law_data(law: ZipfLaw | HeapsLaw) -> dict[str, float]:
    """The numbers of a fit, without the fitted data.

    >>> law_data(ZipfLaw(np.array([6, 3, 2]), 6.0, -1.0, 1.0, 1, 3))
    {'c': 6.0, 'slope': -1.0, 'r_squared': 1.0, 'first': 1, 'last': 3}
    """
    return {name: value for name, value in law._asdict().items() if not isinstance(value, np.ndarray)}


def laws_text(zipf: ZipfLaw, heaps: HeapsLaw) -> str:
    """Both laws with their plots; for a vocabulary that is too small, a sentence instead."""
    if zipf.cf.size < ENOUGH_TERMS:
        terms = counted(zipf.cf.size, "distinct term")
        return f"Zipf's and Heaps' laws: {terms}; a fit to fewer than {ENOUGH_TERMS} means nothing"
    return f"{_zipf_text(zipf)}\n\n{_heaps_text(heaps)}"


def _zipf_text(law: ZipfLaw) -> str:
    """The frequencies by rank, on logarithmic axes."""
    # Evenly spaced on a logarithmic axis.
    ranks: np.ndarray = np.unique(np.geomspace(1, law.cf.size, _MOST_POINTS).round().astype(np.int64))
    fitted = np.unique(np.clip(ranks, law.first, law.last))
    plot = text_plot(
        {
            f"law, ranks {law.first:,} to {law.last:,}": (fitted.tolist(), (law.c * fitted**law.slope).tolist()),
            "terms": (ranks.tolist(), law.cf[ranks - 1].tolist()),
        },
        height=_HEIGHT,
        x_label="rank",
        y_label="cf",
        log_x=True,
        log_y=True,
    )
    return f"Zipf's law: cf ≈ {_number(law.c)} · rank^{law.slope:.3f}  (R² = {_r_squared(law.r_squared)})\n\n{plot}"


def _heaps_text(law: HeapsLaw) -> str:
    """The size of the vocabulary by the number of tokens."""
    if math.isnan(law.b):
        return "Heaps' law: the vocabulary of a single document does not grow"
    chosen = np.unique(np.linspace(0, law.tokens.size - 1, _MOST_POINTS).astype(np.int64))
    tokens, terms = law.tokens[chosen], law.terms[chosen]
    plot = text_plot(
        {"law": (tokens.tolist(), (law.k * tokens**law.b).tolist()), "documents": (tokens.tolist(), terms.tolist())},
        height=_HEIGHT,
        x_label="tokens",
        y_label="terms",
    )
    return f"Heaps' law: terms ≈ {_number(law.k)} · tokens^{law.b:.3f}  (R² = {_r_squared(law.r_squared)})\n\n{plot}"


def _number(value: float) -> str:
    """A factor with the digits that a fit supports."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _r_squared(value: float) -> str:
    """R², or "undefined" if all values are equal."""
    return "undefined" if math.isnan(value) else f"{value:.4f}"
