"""A term of an index as textbooks draw it: dictionary entry, postings list, gaps, codes, skip pointers."""

from __future__ import annotations

from typing import Any, NamedTuple

from toysearch import display
from toysearch.errors import ArgumentError
from toysearch.laboratory.explain.codes import gamma, gamma_bits, gaps, skip_pointers, variable_byte, variable_byte_bits
from toysearch.search.searcher import IndexLike, index_of

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
        raise ArgumentError(f"no document of the index holds the term '{term}'")
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
