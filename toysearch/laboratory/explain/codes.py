"""How textbooks compress postings: gaps, variable-byte code, Elias' gamma and delta codes; and skip pointers.

The index itself keeps whole numbers (docs/look-up/index-format.md): these are for looking at, and for counting bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch import display
from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError, DataError
from toysearch.search.searcher import IndexLike, index_of

__all__ = ["CodedPosting", "TextbookView", "textbook_view"]

_LAST = 0x80  # the continuation bit, set in the last byte of a number
_LARGEST = 2**53  # above it the logarithm that sizes are counted with is not exact


class Skip(NamedTuple):
    """A skip pointer: the places in a postings list, from 0, where it stands and where it leads."""

    source: int
    target: int


def gaps(docs: Sequence[int] | np.ndarray) -> np.ndarray:
    """The distances between documents that follow each other; the first from 0, with documents counted from 1."""
    found = np.diff(np.asarray(docs, dtype=np.int64), prepend=-1)
    if (found < 1).any():
        raise ArgumentError("the document numbers of a postings list rise from 0 or above, each once")
    return found


def variable_byte(number: int) -> bytes:
    """The variable-byte code of a number: seven bits a byte, highest first; the last byte has its top bit set."""
    # Manning, Raghavan & Schütze 2008, fig. 5.8.
    if number < 0:
        raise ArgumentError(f"a variable-byte code is for numbers from 0, not {number}")
    code = [number % 128 + _LAST]
    while number := number // 128:
        code.append(number % 128)
    return bytes(reversed(code))


def variable_byte_decode(code: bytes) -> list[int]:
    """The numbers of variable-byte codes that stand one after the other."""
    numbers, number = [], 0
    for byte in code:
        number = number * 128 + byte % 128
        if byte >= _LAST:
            numbers.append(number)
            number = 0
    if code and code[-1] < _LAST:
        raise DataError("the variable-byte code ends inside a number: no byte with the top bit set stands last")
    return numbers


def gamma(number: int) -> str:
    """Elias' gamma code of a number: the length of the offset in unary (ones, then a zero), then the offset."""
    # The offset is the number in binary without its leading 1. Elias 1975 writes the length in zeros; this is the form
    # of Manning, Raghavan & Schütze 2008, table 5.5.
    offset = _offset(number, "gamma")
    return "1" * len(offset) + "0" + offset


def gamma_decode(bits: str) -> list[int]:
    """The numbers of gamma codes that stand one after the other."""
    numbers, place = [], 0
    while place < len(bits):
        number, place = _gamma_at(bits, place)
        numbers.append(number)
    return numbers


def delta(number: int) -> str:
    """Elias' delta code of a number: the length of its binary form in gamma code, then the offset (Elias 1975)."""
    offset = _offset(number, "delta")
    return gamma(len(offset) + 1) + offset


def delta_decode(bits: str) -> list[int]:
    """The numbers of delta codes that stand one after the other."""
    numbers, place = [], 0
    while place < len(bits):
        start = place
        length, place = _gamma_at(bits, place)
        number, place = _with_offset(bits, place, length - 1, start)
        numbers.append(number)
    return numbers


def variable_byte_bits(numbers: np.ndarray) -> np.ndarray:
    """The bits of each number's variable-byte code, without making the codes."""
    return 8 * (_exponents(numbers) // 7 + 1)


def gamma_bits(numbers: np.ndarray) -> np.ndarray:
    """The bits of each number's gamma code, 2 ⌊log₂ n⌋ + 1, without making the codes."""
    return 2 * _exponents(numbers) + 1


def skip_pointers(length: int) -> list[Skip]:
    """Skip pointers for a postings list, evenly placed, ⌊√P⌋ postings apart for P of them."""
    # So advise Manning, Raghavan & Schütze 2008, 2.3.
    apart = math.isqrt(length)
    if apart < 2:  # it would lead where the list itself leads
        return []
    return [Skip(place, place + apart) for place in range(0, length - apart, apart)]


def _offset(number: int, code: str) -> str:
    """A number in binary, without its leading 1."""
    if number < 1:
        raise ArgumentError(f"a {code} code is for numbers from 1, not {number}")
    return f"{number:b}"[1:]


def _gamma_at(bits: str, start: int) -> tuple[int, int]:
    """The number of the gamma code that begins at a place, and the place behind it."""
    zero = bits.find("0", start)
    if zero < 0 or bits[start:zero].strip("1"):
        raise _cut_short(bits, start)
    return _with_offset(bits, zero + 1, zero - start, start)


def _with_offset(bits: str, place: int, length: int, start: int) -> tuple[int, int]:
    """The number whose offset of this length begins at a place, and the place behind it."""
    offset = bits[place : place + length]
    if len(offset) < length or offset.strip("01"):
        raise _cut_short(bits, start)
    return int(f"1{offset}", 2), place + length


def _cut_short(bits: str, start: int) -> DataError:
    if bits.strip("01"):
        return DataError(f"a code of bits holds 0 and 1 only, not {bits.strip('01')[0]!r}")
    return DataError(f"the code ends inside a number: '{bits[start:]}'")


def _exponents(numbers: np.ndarray) -> np.ndarray:
    """⌊log₂ n⌋ of each number, exact: a float64 holds them, and frexp reads the exponent off."""
    numbers = np.asarray(numbers, dtype=np.int64)
    outside = numbers[(numbers < 1) | (numbers > _LARGEST)]
    if outside.size:
        raise ArgumentError(f"codes are counted for numbers from 1 to 2^53, not {int(outside[0])}")
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64) - 1


_WHOLE_NUMBER = 32  # bits of a document's number where nothing is compressed


class CodedPosting(NamedTuple):
    """A posting and how textbooks store it.

    Attributes
    ----------
    document : int
        The document's number, from 1 as in textbooks (an index itself counts from 0).
    doc_id : str
        Its id.
    tf : int
        How often it holds the term.
    gap : int
        How far its number is from that of the posting before, or from 0.
    variable_byte, gamma : str
        The codes of the gap as bits; a blank between bytes, and between the gamma code's length and offset.
    skip_to : int or None
        The document to which a skip pointer leads from here.
    """

    document: int
    doc_id: str
    tf: int
    gap: int
    variable_byte: str
    gamma: str
    skip_to: int | None


class TextbookView(NamedTuple):
    """A term's entry in the dictionary, its first postings, and the sizes of all of them.

    Attributes
    ----------
    term : str
        The term.
    number, terms : int
        Its place in the dictionary, from 1, and how many terms that has.
    df, cf : int
        How many documents hold the term, and how often all together.
    first_row, last_row : int
        Where its postings stand among those of all terms, from 1.
    postings : list of CodedPosting
        The first ones.
    skips : int
        How many skip pointers there are in all.
    skips_apart : int
        From how many postings to how many a skip pointer leads, ⌊√df⌋; without any, 0.
    bits : dict of str to int
        What all document numbers take: as whole numbers of 32 bits, and their gaps in each code.
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

    def _repr_html_(self) -> str:
        return display.html(self)

    def frame(self) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return display.frame(self)


@checked
def textbook_view(index: IndexLike, term: str, k: int | None = None) -> TextbookView:
    """A term of an index as textbooks draw it.

    Manning, Raghavan & Schütze 2008: dictionary and postings 1.2, skip pointers 2.3, codes 5.3.

    Parameters
    ----------
    index : Index
        Where the term is.
    term : str
        A term as the analyzer gives it.
    k : int, optional
        How many postings to code at the most. By default all.

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
    {'whole': 64, 'variable_byte': 16, 'gamma': 4}
    """
    index = index_of(index)
    number = index.term_number(term)
    if number < 0:
        raise ArgumentError(f"no document of the index contains the term '{term}'")
    found = index.postings(term)
    distances, skips = gaps(found.docs), skip_pointers(len(found.docs))
    leads = {skip.source: int(found.docs[skip.target]) + 1 for skip in skips}
    docs = found.docs[:k].tolist()
    columns = zip(docs, index.doc_ids.take(docs), found.tf[:k].tolist(), distances[:k].tolist(), strict=True)
    return TextbookView(
        term,
        number + 1,
        len(index.terms),
        len(found.docs),
        int(found.tf.sum()),
        int(index.offsets[number]) + 1,
        int(index.offsets[number + 1]),
        [_coded(*row, leads.get(place)) for place, row in enumerate(columns)],
        len(skips),
        skips[0].target if skips else 0,
        {
            "whole": _WHOLE_NUMBER * len(found.docs),
            "variable_byte": int(variable_byte_bits(distances).sum()),
            "gamma": int(gamma_bits(distances).sum()),
        },
    )


def _coded(doc: int, doc_id: str, tf: int, gap: int, skip_to: int | None) -> CodedPosting:
    """A posting with the codes of its gap."""
    code = gamma(gap)
    length = code.index("0") + 1
    bits = f"{code[:length]} {code[length:]}".rstrip()
    return CodedPosting(doc + 1, doc_id, tf, gap, " ".join(f"{byte:08b}" for byte in variable_byte(gap)), bits, skip_to)
