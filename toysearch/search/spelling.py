"""The spelling of a query: words that no document contains, and a better spelling of the whole query."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.index.inverted_index import Index
from toysearch.search.corrections import corrected

__all__ = ["Suggestion", "suggest", "unknown_words"]


class Suggestion(NamedTuple):
    """A better spelling of a query."""

    text: str  # the query with some words corrected
    documents: int  # the number of documents that contain all its terms; 0 if some are still unknown


@checked
def suggest(index: Index, text: str) -> Suggestion | None:
    """A better spelling of a query, from the words of the documents.

    A word that no document contains, or only very few, may stand for a near word, for two words, or, with its
    neighbour, for one word. The most probable reading of the whole query is suggested: its words are frequent, occur
    together, and need few edits.

    Parameters
    ----------
    index : Index
        The index searched.
    text : str
        The query.

    Returns
    -------
    Suggestion or None
        None if no word is better spelt in another way. Words of fewer than four letters and words with digits are never
        corrected, nor are n-grams and pairs of Chinese, Japanese and Korean characters.

    Notes
    -----
    A near word is at most two edits away (`terms_within`), one if the word has four letters. The probability of a
    reading is that of its words, df/N for the first and df/N given the word before it for the others, times that of
    the errors: 1/1000 for a letter dropped and for two letters exchanged, 1/26000 for a letter added or replaced. In an
    index of stems, the words are taken from the stored texts.

    References
    ----------
    Kernighan, Church & Gale, A spelling correction program based on a noisy channel model, COLING 1990.

    Examples
    --------
    >>> index = Index.build(["the boundary layer", "boundary conditions", "a layer of paint"])
    >>> suggest(index, "boundery layer")
    Suggestion(text='boundary layer', documents=1)
    >>> suggest(index, "boundarylayer").text
    'boundary layer'
    """
    found = None if index.analyzer.makes_grams else corrected(index, text)
    return None if found is None else Suggestion(*found)


@checked
def unknown_words(index: Index, text: str) -> list[str]:
    """The words of a query that no document of an index contains.

    Parameters
    ----------
    index : Index
        The index searched.
    text : str
        The query.

    Returns
    -------
    list of str
        In the order of the query, each once.

    Examples
    --------
    >>> unknown_words(Index.build(["the boundary layer", "boundary conditions"]), "boundery layer")
    ['boundery']
    """
    analyzer = index.analyzer
    if analyzer.makes_grams:
        return []
    terms = {token: analyzer.term(token) for token in analyzer.tokenizer(text)}
    return [
        token
        for token, term in terms.items()
        if term is not None and index.term_number(term) < 0 and not _in_pairs(index, term)
    ]


def _in_pairs(index: Index, term: str) -> bool:
    """Whether a character is searched in pairs of characters, and occurs in one."""
    return index.analyzer.cjk and len(term) == 1 and len(index.terms.holding(term)) > 0
