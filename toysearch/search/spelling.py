"""Query words that no document contains, with the nearest word that occurs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from toysearch.argument_checks import checked
from toysearch.index.inverted_index import Index

__all__ = ["UnknownWord", "unknown_words"]

_SHORTEST = 4  # half the vocabulary is near a shorter word
_BLOCK = 64  # code points around a letter, mostly of its script
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class UnknownWord(NamedTuple):
    """A word that no document contains, and a word that occurs and differs in one letter; "" if there is none."""

    word: str
    near: str


@checked
def unknown_words(index: Index, text: str) -> list[UnknownWord]:
    """The words of a query that no document of an index contains.

    Parameters
    ----------
    index : Index
        The index searched.
    text : str
        The query.

    Returns
    -------
    list of UnknownWord
        In the order of the query, each once. The near word is the most frequent one whose term differs by one letter
        inserted, deleted or replaced, or by two neighbouring letters exchanged.

    Examples
    --------
    >>> unknown_words(Index.build(["the boundary layer", "boundary conditions"]), "boundery layer")
    [UnknownWord(word='boundery', near='boundary')]
    """
    analyzer = index.analyzer
    if analyzer.makes_grams:
        return []
    found = {}
    for token in analyzer.tokens(text):
        term = analyzer.term(token)
        if term is not None and token not in found and index.term_number(term) < 0 and not _in_pairs(index, term):
            found[token] = UnknownWord(token, _near(index, term))
    return list(found.values())


def _in_pairs(index: Index, term: str) -> bool:
    """Whether a character is searched in pairs of characters, and occurs in one."""
    return index.analyzer.cjk and len(term) == 1 and len(index.terms.holding(term)) > 0


def _near(index: Index, term: str) -> str:
    """A word whose term differs in one place, the most frequent one; "" if there is none."""
    if len(term) < _SHORTEST:
        return ""
    numbers = {number for candidate in _edited(term) if (number := index.term_numbers[candidate]) >= 0}
    best = max(numbers, key=lambda number: (int(index.df[number]), -number), default=None)
    return "" if best is None else _written(index, best)


def _edited(term: str) -> Iterator[str]:
    """All terms that differ from a term by one error."""
    letters = _letters(term)
    for at in range(len(term) + 1):
        before, after = term[:at], term[at:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        yield from (before + letter + after for letter in letters)


def _letters(term: str) -> str:
    """The possible letters of a term: the alphabet, and the neighbours of its own letters in Unicode."""
    blocks = {ord(character) // _BLOCK for character in term if not character.isascii()}
    near = [chr(block * _BLOCK + at) for block in sorted(blocks) for at in range(_BLOCK)]
    return _LETTERS + "".join(letter for letter in near if unicodedata.category(letter)[0] in "LM")


def _written(index: Index, number: int) -> str:
    """A term as a document has it before stemming; the term itself if no text is stored."""
    term = index.term(number)
    text = index.text(int(index.docs(int(index.offsets[number]), int(index.offsets[number]) + 1)[0])) or ""
    return next((token for token in index.analyzer.tokens(text) if index.analyzer.term(token) == term), term)
