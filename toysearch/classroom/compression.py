"""Index in theory: textbook compression of postings, skip pointers; as numbers and text.

The index itself stores whole numbers (docs/look-up/index-format.md). These codes are for study and for counting bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    Result,
    ResultTable,
    expect,
    number_columns,
    render,
)
from toysearch.index.inverted_index import Index
from toysearch.retrieval import IndexLike, index_of

__all__ = ["CodedPosting", "StoredBlock", "TextbookView", "textbook_view"]


_LAST = 0x80  # the continuation bit, set in the last byte of a number
_LARGEST = 2**53  # above it the logarithm used to count bits is not exact


class Skip(NamedTuple):
    """Skip pointer: its source and its target, as positions in a postings list, counted from 0."""

    source: int
    target: int


def gaps(docs: Sequence[int] | np.ndarray) -> np.ndarray:
    """Gaps between consecutive document numbers; the first gap is from 0, with documents counted from 1."""
    differences = np.diff(np.asarray(docs, dtype=np.int64), prepend=-1)
    if (differences < 1).any():
        raise ArgumentError("the document numbers of a postings list must be at least 0, distinct and rising")
    return differences


def variable_byte(number: int) -> bytes:
    """Variable-byte code of a number: seven bits per byte, highest first; the last byte has its top bit set."""
    # Manning, Raghavan & Schütze 2008, fig. 5.8.
    if number < 0:
        raise ArgumentError(f"a variable-byte code needs a number of at least 0, not {number}")
    code = [number % 128 + _LAST]
    while number := number // 128:
        code.append(number % 128)
    return bytes(reversed(code))


def gamma(number: int) -> str:
    """Elias gamma code of a number: the length of the offset in unary (ones, then a zero), then the offset."""
    # The offset is the number in binary without its leading 1. Elias 1975 writes the length in zeros; this is the form
    # of Manning, Raghavan & Schütze 2008, table 5.5.
    offset = _offset(number, "gamma")
    return "1" * len(offset) + "0" + offset


def delta(number: int) -> str:
    """Elias delta code of a number: the length of its binary form in gamma code, then the offset (Elias 1975)."""
    offset = _offset(number, "delta")
    return gamma(len(offset) + 1) + offset


def variable_byte_bits(numbers: np.ndarray) -> np.ndarray:
    """Length in bits of each number's variable-byte code, computed without the code itself."""
    return 8 * (_exponents(numbers) // 7 + 1)


def gamma_bits(numbers: np.ndarray) -> np.ndarray:
    """Length in bits of each number's gamma code, 2 ⌊log₂ n⌋ + 1, computed without the code itself."""
    return 2 * _exponents(numbers) + 1


def skip_pointers(length: int) -> list[Skip]:
    """Place skip pointers evenly in a postings list of P postings, ⌊√P⌋ postings apart."""
    # As recommended by Manning, Raghavan & Schütze 2008, 2.3.
    apart = math.isqrt(length)
    if apart < 2:  # the pointer would lead to the next posting
        return []
    return [Skip(place, place + apart) for place in range(0, length - apart, apart)]


def _offset(number: int, code: str) -> str:
    if number < 1:
        raise ArgumentError(f"a {code} code needs a number of at least 1, not {number}")
    return f"{number:b}"[1:]


def _exponents(numbers: np.ndarray) -> np.ndarray:
    """Compute ⌊log₂ n⌋ of each number, exactly: a float64 represents each number, and frexp reads its exponent."""
    numbers = np.asarray(numbers, dtype=np.int64)
    outside = numbers[(numbers < 1) | (numbers > _LARGEST)]
    if outside.size:
        raise ArgumentError(f"code lengths are computed for numbers from 1 to 2^53, not {int(outside[0])}")
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64) - 1


_WHOLE_NUMBER = 32  # bits of an uncompressed document number


class CodedPosting(NamedTuple):
    """Posting and its storage in textbooks.

    Attributes
    ----------
    document : int
        The document number, from 1 as in textbooks (an index itself counts from 0).
    doc_id : str
        The document.
    tf : int
        The term frequency in the document.
    gap : int
        The difference from the document number of the previous posting; for the first posting, from 0.
    variable_byte, gamma : str
        The codes of the gap as bits; a blank separates bytes, and the length and the offset of the gamma code.
    skip_to : int or None
        The document to which a skip pointer leads from here; None without a skip pointer.
    """

    document: int
    doc_id: str
    tf: int
    gap: int
    variable_byte: str
    gamma: str
    skip_to: int | None


class StoredBlock(NamedTuple):
    """Block of a term's postings, as the index stores it.

    Attributes
    ----------
    postings : int
        The number of its postings, at most 128.
    last_document : int
        Its last document, numbered from 1: a search for a later one skips the block.
    gap_bits, tf_bits : int
        The bits of a gap and of a term frequency.
    highest_tf, least_dl : int
        Its highest term frequency, and the length of its shortest document: they bound every weight in the block.
    bits : int
        The size of the block.
    """

    postings: int
    last_document: int
    gap_bits: int
    tf_bits: int
    highest_tf: int
    least_dl: int
    bits: int


@dataclass(frozen=True)
class TextbookView(Result):
    """Dictionary entry of a term, its first postings, and the size of the whole postings list.

    Attributes
    ----------
    term : str
        The term.
    number, terms : int
        Its position in the dictionary, from 1, and the number of terms in the dictionary.
    df, cf : int
        The document frequency and the collection frequency of the term.
    first_row, last_row : int
        The first and the last row of its postings among the postings of all terms, from 1.
    postings : list of CodedPosting
        The first postings.
    skips : int
        The number of skip pointers in the whole list.
    skips_apart : int
        The distance from a skip pointer to its target, in postings, ⌊√df⌋; 0 without skip pointers.
    bits : dict of str to int
        The size of all document numbers in bits: as whole numbers of 32 bits, as gaps in each code, and as the index
        stores them.
    blocks : list of StoredBlock
        The blocks that the index stores, all of them.
    """

    term: str
    number: int
    terms: int
    df: int
    cf: int
    first_row: int
    last_row: int
    postings: list[CodedPosting]
    skips: int
    skips_apart: int
    bits: dict[str, int]
    blocks: list[StoredBlock]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the postings with their codes."""
        return [ResultTable(POSTING_COLUMNS, self.postings)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the dictionary entry, the postings list as boxes, a table of gaps and codes, and their sizes."""
        rest = self.df - len(self.postings)
        skips = "no skip pointers: a list of fewer than four postings has no use for them"
        if self.skips:
            skips = f"↷n: a skip pointer to document n, every ⌊√{self.df:,}⌋ = {self.skips_apart:,} postings"
        table = render(
            [column for column in POSTING_COLUMNS if column.name != "skip_to"], [row[:-1] for row in self.postings]
        )
        rows = f"rows {self.first_row:,} to {self.last_row:,}" if self.df > 1 else f"row {self.first_row:,}"
        number = f"{self.number:,} of {self.terms:,}"
        entry = render(_DICTIONARY, [(self.term, number, self.df, self.cf, f"→ {rows}")])
        whole = self.bits["whole"]
        sizes = render(_SIZES, [(_CODES[name], bits, bits / self.df, bits / whole) for name, bits in self.bits.items()])
        blocks = render(_STORED, self.blocks[:_BLOCKS])
        if len(self.blocks) > _BLOCKS:
            blocks += f"\n… {len(self.blocks) - _BLOCKS:,} more"
        postings = "the only posting" if self.df == 1 else f"all {self.df:,} postings"
        return [
            f"dictionary\n\n{entry}",
            f"postings list: [document|tf], documents numbered from 1;\n{skips}\n\n{_boxes(self.postings, rest)}",
            f"gaps between the documents, and their codes\n\n{table}{f'{chr(10)}… {rest:,} more' if rest else ''}",
            f"the document numbers of {postings}\n\n{sizes}",
            f"as the index stores them: in blocks of at most 128 postings, gaps and tf minus one\n\n{blocks}",
        ]


def textbook_view(index: IndexLike, term: str, k: int | None = None) -> TextbookView:
    """Show the postings list of a term as textbooks draw it.

    Manning, Raghavan & Schütze 2008: dictionary and postings 1.2, skip pointers 2.3, codes 5.3.

    Parameters
    ----------
    index : Index
        The index that holds the term.
    term : str
        A term after analysis.
    k : int, optional
        The largest number of postings to encode. By default all.

    Raises
    ------
    ArgumentError
        If no document holds the term.

    Examples
    --------
    >>> from toysearch import Index
    >>> view = textbook_view(Index.build(["the cat", "the dog", "a cat and another cat"]), "cat")
    >>> [(posting.document, posting.tf, posting.gap, posting.gamma) for posting in view.postings]
    [(1, 1, 1, '0'), (3, 2, 2, '10 0')]
    >>> view.bits
    {'whole': 64, 'variable_byte': 16, 'gamma': 4, 'packed': 2}
    >>> view.blocks
    [StoredBlock(postings=2, last_document=3, gap_bits=1, tf_bits=1, highest_tf=2, least_dl=2, bits=4)]
    """
    expect(str, term=term)
    index = index_of(index)
    number = index.term_number(term)
    if number < 0:
        raise ArgumentError(f"no document of the index contains the term '{term}'")
    postings = index.postings(term)
    blocks = _stored_blocks(index, number)
    distances, skips = gaps(postings.docs), skip_pointers(len(postings.docs))
    leads = {skip.source: int(postings.docs[skip.target]) + 1 for skip in skips}
    docs = postings.docs[:k].tolist()
    columns = zip(docs, index.doc_ids.take(docs), postings.tf[:k].tolist(), distances[:k].tolist(), strict=True)
    coded = []
    for place, (doc, doc_id, tf, gap) in enumerate(columns):
        code = gamma(gap)
        length = code.index("0") + 1
        in_bytes = " ".join(f"{byte:08b}" for byte in variable_byte(gap))
        bits = f"{code[:length]} {code[length:]}".rstrip()
        coded.append(CodedPosting(doc + 1, doc_id, tf, gap, in_bytes, bits, leads.get(place)))
    return TextbookView(
        term,
        number + 1,
        len(index.terms),
        len(postings.docs),
        int(postings.tf.sum()),
        int(index.offsets[number]) + 1,
        int(index.offsets[number + 1]),
        coded,
        len(skips),
        skips[0].target if skips else 0,
        {
            "whole": _WHOLE_NUMBER * len(postings.docs),
            "variable_byte": int(variable_byte_bits(distances).sum()),
            "gamma": int(gamma_bits(distances).sum()),
            "packed": sum(block.postings * block.gap_bits for block in blocks),
        },
        blocks,
    )


def _stored_blocks(index: Index, number: int) -> list[StoredBlock]:
    blocks = index.blocks.packed
    rows = slice(int(blocks.first_blocks[number]), int(blocks.first_blocks[number + 1]))
    stored = blocks.counts, blocks.last_docs, blocks.gap_bits, blocks.tf_bits, blocks.highest_tf, blocks.least_dl
    counts, last_docs, gap_bits, tf_bits, *bounds = (column[rows].astype(np.int64) for column in stored)
    columns = counts, last_docs + 1, gap_bits, tf_bits, *bounds, counts * (gap_bits + tf_bits)
    return [StoredBlock(*map(int, row)) for row in zip(*columns, strict=True)]


_WIDE = 78  # characters of a line of boxes
_ARROW = " → "
_CODES = {
    "whole": "numbers of 32 bits",
    "variable_byte": "variable-byte code",
    "gamma": "gamma code",
    "packed": "gaps in the index",
}

POSTING_COLUMNS: list[Column] = [
    *number_columns(",", document="number"),
    Column("doc_id", "document"),
    *number_columns(",", "tf", "gap"),
    Column("variable_byte", "variable-byte code"),
    Column("gamma", "gamma code"),
    *number_columns(",", skip_to="skip to"),
]


_DICTIONARY = [
    Column("term"),
    Column("number", justify="right"),
    Column("df", justify="right", format=","),
    Column("cf", justify="right", format=","),
    Column("postings"),
]
_SIZES = [
    Column("stored as"),
    Column("bits", justify="right", format=","),
    Column("per posting", justify="right", format=".2f"),
    Column("of 32 bits", justify="right", format=".1%"),
]
_STORED = [
    Column("postings", justify="right"),
    Column("last document", justify="right", format=","),
    Column("bits per gap", justify="right"),
    Column("bits per tf", justify="right"),
    Column("highest tf", justify="right", format=","),
    Column("least dl", justify="right", format=","),
    Column("bits", justify="right", format=","),
]


def _boxes(postings: list[CodedPosting], rest: int) -> str:
    """Draw the postings as boxes with arrows, the skip pointers above them; as many lines as needed."""
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


_BLOCKS = 8  # rows
