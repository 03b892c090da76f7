"""Completions of a partly typed query: words that begin like its last word, by document frequency."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, expect
from toysearch.index import Index

__all__ = ["Completion", "completions"]

_READ = 5  # documents in which the written form of a term is looked up
_LEAST = 3  # letters of a stem that is shorter than the beginning of the word
_LAST = "\U0010ffff"


class Completion(NamedTuple):
    """Query whose last word is complete.

    Attributes
    ----------
    text : str
        The query.
    term : str
        The term of its last word.
    df : int
        The number of documents with this term.
    """

    text: str
    term: str
    df: int


def completions(index: Index, text: str, k: int = 10) -> list[Completion]:
    """Complete the last word of a query by the most frequent words of the documents that begin like it, best first.

    They are terms with this prefix, and shorter ones that a stemmer made of such words. If the index stores texts, a
    stem is shown as the first documents with it write it after the word before, or else most often. Words of equal df
    are in the order of the terms.

    Parameters
    ----------
    index : Index
        The index searched.
    text : str
        The beginning of the query.
    k : int, default 10
        The maximum number of completions.

    Raises
    ------
    ArgumentError
        If k is not positive, or the text ends without a word.

    Examples
    --------
    >>> from toysearch import Analyzer
    >>> texts = ["trained dogs", "a trained dog, training", "the tram"]
    >>> index = Index.build(texts, Analyzer.for_language("english"))
    >>> completions(index, "old tra")
    [Completion(text='old trained', term='train', df=2), Completion(text='old tram', term='tram', df=1)]
    """
    expect(Index, index=index)
    expect(str, text=text)
    expect(int, k=k)
    if k < 1:
        raise ArgumentError(f"k must be at least 1, not {k}")
    typed = re.search(r"\w+$", text)
    if typed is None:
        raise ArgumentError("a completion needs the beginning of a word at the end of the text")
    before, start = text[: typed.start()], index.analyzer.tokenizer.prepared(typed[0])
    previous = (index.analyzer.tokenizer(before) or [""])[-1]
    numbers = [*range(bisect_left(index.terms, start), bisect_left(index.terms, start + _LAST))]
    numbers += [index.term_number(start[:length]) for length in range(_LEAST, len(start))]
    known = np.array([number for number in numbers if number >= 0], np.int64)
    frequencies = dict(zip(known.tolist(), index.df_by_term[known].tolist(), strict=True))
    chosen = []
    for number in sorted(frequencies, key=lambda number: (-frequencies[number], number)):
        term = index.term(number)
        word = _written(index, term, start, previous)
        if word is not None:
            chosen.append(Completion(before + word, term, frequencies[number]))
        if len(chosen) == k:
            break
    return chosen


def _written(index: Index, term: str, start: str, previous: str) -> str | None:
    """Find the word with this beginning that the first documents with a term use most, above all after another."""
    finds_itself = term.startswith(start) and term in index.analyzer(term)  # but not each stem is the stem of itself
    if index.texts is None:
        return term if finds_itself else None
    words: Counter[str] = Counter()
    following: Counter[str] = Counter()
    for number in np.unique(index.postings(term).docs)[:_READ].tolist():
        tokens = index.analyzer.tokenizer(f"{index.title(number) or ''} {index.text(number) or ''}")
        words.update(tokens)
        following.update(second for first, second in pairwise(tokens) if first == previous)
    alike = [word for word in words if word.startswith(start) and index.analyzer.term(word) == term]
    default = term if finds_itself else None
    return min(alike, key=lambda word: (-following[word], -words[word], word), default=default)
