"""Other words for the same: synonyms of a query's words, other forms of them, and how much hangs on the very words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from toysearch.analysis.languages import language_named
from toysearch.analysis.stemming import stem
from toysearch.analysis.synonyms import synonyms_of
from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.robustness.alteration import Alteration
from toysearch.laboratory.experiments.robustness.query_words import Vocabulary, rewritten, words_of
from toysearch.search.scoring import QueryTerms

Others = Callable[[str], Sequence[str]]
"""A word → those that may stand in its place, the best first."""

_TOGETHER = 3  # documents that two terms must share: in one or two they may meet by accident
_NEIGHBOURS = 10  # of a term that are kept: its best ones may stand in the query already


def synonyms_in(thesaurus: str | Path | Mapping[str, str]) -> Others:
    """Word → the others that mean the same, by a thesaurus.

    >>> others = synonyms_in({"parakeet": "budgie", "budgerigar": "budgie"})
    >>> others("Budgie"), others("parakeet"), others("cat")
    (['budgerigar', 'parakeet'], ['budgerigar', 'budgie'], [])
    """
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for word, stands_for in synonyms_of(thesaurus, _single_word).items():
        groups[stands_for] |= {word, stands_for}
    same = {word: group for group in groups.values() for word in group}
    return lambda word: sorted(same.get(word.lower(), set()) - {word.lower()})


def _single_word(text: str) -> str:
    if words_of(text) != [text]:
        raise ArgumentError(f"expected a single word, found {text!r}")
    return text.lower()


class Company:
    """Word → the words that keep company with it: those that stand in the same documents.

    The association of two terms is the cosine of the sets of documents that hold them, |A∩B| / √(|A|·|B|); a term is
    thus known by the documents that it is in (Salton & McGill 1983; Qiu & Frei 1993, "Concept based query expansion").
    These are not synonyms in a linguist's sense: boundary goes with layer.

    >>> from toysearch.index.index import Index
    >>> texts = ["boundary layer"] * 3 + ["boundary", "layer", "wing", "wing"]
    >>> Company(Vocabulary(Index.build(texts), texts))("boundary")
    ['layer']
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._found: dict[str, list[str]] = {}

    def __call__(self, word: str) -> Sequence[str]:
        """The words nearest to a word; none for one that no document holds or that nothing goes with."""
        term = self._vocabulary.term(word)
        if term is None:
            return []
        if term not in self._found:
            self._found[term] = self._nearest(self._vocabulary.index.term_number(term))
        return self._found[term]

    @cached_property
    def _terms_of_documents(self) -> tuple[np.ndarray, np.ndarray]:
        """The postings document by document: where those of each begin, and their terms."""
        index = self._vocabulary.index
        terms = np.repeat(np.arange(len(index.terms)), np.diff(index.offsets))
        order = np.argsort(index.docs, kind="stable")
        return np.cumsum(np.append(0, np.bincount(index.docs, minlength=index.stats.N))), terms[order]

    def _nearest(self, number: int) -> list[str]:
        index = self._vocabulary.index
        starts, terms = self._terms_of_documents
        docs = index.docs[index.offsets[number] : index.offsets[number + 1]]
        both = np.bincount(np.concatenate([terms[starts[doc] : starts[doc + 1]] for doc in docs]))
        both[number] = 0
        met = np.flatnonzero(both >= _TOGETHER)
        cosine = both[met] / np.sqrt(index.df[met] * float(len(docs)))
        nearest = met[np.argsort(-cosine, kind="stable")].tolist()
        words = (self._vocabulary.word.get(index.term(other)) for other in nearest)
        return [word for _, word in zip(range(_NEIGHBOURS), filter(None, words), strict=False)]


class Forms:
    """Word → the other words of the collection with its stem, by the stemmer of a language, most frequent first.

    >>> from toysearch.index.index import Index
    >>> texts = ["a wing", "wings", "wings", "winged"]
    >>> Forms(Vocabulary(Index.build(texts), texts), "english")("wing")
    ['wings', 'winged']
    """

    def __init__(self, vocabulary: Vocabulary, language: str) -> None:
        self._language = language_named(language)
        self._forms: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(vocabulary.counts, key=lambda word: (-vocabulary.counts[word], word)):
            self._forms[stem(word, self._language)].append(word)

    def __call__(self, word: str) -> Sequence[str]:
        """The other forms of a word."""
        word = word.lower()
        return [form for form in self._forms[stem(word, self._language)] if form != word]


def semantic_alterations(
    vocabulary: Vocabulary, others: Others, forms: Others, function_words: Collection[str]
) -> list[Alteration]:
    """Words of queries in the place of others."""

    def replaced(text: str, others: Others, chosen: Callable[[list[int], list[str]], list[int]]) -> str:
        words = words_of(text)
        instead: dict[int, str | None] = {}
        for place, word in enumerate(words):
            if word.lower() not in function_words:
                company = [*words[:place], *words[place + 1 :], *filter(None, instead.values())]
                instead[place] = first_new(others(word), company)
        places = chosen([place for place, other in instead.items() if other is not None], words)
        return rewritten(text, lambda place, word: (place in places and instead[place]) or word)

    def first_new(candidates: Sequence[str], company: Sequence[str]) -> str | None:
        """The first that is neither a function word nor, by its letters or by its term, among other words."""
        there = {word.lower() for word in company} | set(filter(None, map(vocabulary.term, company)))
        return next(
            (word for word in candidates if word not in function_words and not {word, vocabulary.term(word)} & there),
            None,
        )

    def rarest(places: list[int], words: list[str]) -> list[int]:
        return sorted(places, key=lambda place: vocabulary.df(words[place]) or np.inf)[:1]

    def all_of_them(places: list[int], _: list[str]) -> list[int]:
        return places

    def alteration(
        name: str, what: str, others: Others, chosen: Callable[[list[int], list[str]], list[int]]
    ) -> Alteration:
        def alter(text: str, _: Random) -> str:
            return replaced(text, others, chosen)

        return Alteration(name, what, alter)

    return [
        alteration("a synonym of one word", "the rarest word that has a synonym is replaced by it", others, rarest),
        alteration("synonyms of all words", "each word that has a synonym is replaced by it", others, all_of_them),
        alteration(
            "other forms of all words", "each word has another ending, such as wings for wing", forms, all_of_them
        ),
    ]


class ExactMatches(NamedTuple):
    """How many of the relevant documents hold the very words of their query."""

    relevant: int  # the pairs of a query and a relevant document of the collection
    # all_terms, some_terms, no_term: The shares of these pairs whose document holds all terms of its query, some of
    # them, none. No model that adds up the weights of a query's terms can find the last
    all_terms: float
    some_terms: float
    no_term: float


def exact_matches(
    vocabulary: Vocabulary, terms: Mapping[str, QueryTerms], relevant: Mapping[str, Iterable[int]]
) -> ExactMatches:
    """How many of the relevant documents hold the terms of their queries."""
    index, held = vocabulary.index, [0, 0, 0]
    for query_id, docs in relevant.items():
        query = terms[query_id]
        spans = [index.docs[index.offsets[number] : index.offsets[number + 1]] for number in query.numbers]
        counts = np.bincount(np.concatenate([np.empty(0, dtype=np.int64), *spans]), minlength=index.stats.N)
        wanted = len(query.numbers) + len(query.unknown)
        for doc in docs:
            held[0 if counts[doc] == wanted and wanted else 1 if counts[doc] else 2] += 1
    total = sum(held)
    return ExactMatches(total, *(count / total if total else np.nan for count in held))
