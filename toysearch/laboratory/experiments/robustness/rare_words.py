"""Rare inputs: words that no document holds, or only one; and queries by how rare their words are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np

from toysearch.laboratory.experiments.robustness.alteration import Alteration
from toysearch.laboratory.experiments.robustness.query_words import Vocabulary, words_of
from toysearch.search.scoring import QueryTerms

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aeiou"]
_TRIES = 100
GROUPS = ("common", "middling", "rare")


def unknown_word(vocabulary: Vocabulary, random: Random) -> str:
    """A word that can be spoken and of which the index knows no term; "" where it seems to know all."""
    index = vocabulary.index
    for _ in range(_TRIES):
        word = "".join(random.choices(_SYLLABLES, k=4))
        terms = index.analyzer(word)
        if terms and all(index.term_number(term) < 0 for term in terms):
            return word
    return ""


class RareWords:
    """Alterations that add words to queries."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    @cached_property
    def once_seen(self) -> list[str]:
        """The words that the whole collection holds once, by their letters."""
        vocabulary, cf = self._vocabulary, self._vocabulary.index.cf
        once = (word for word, count in vocabulary.counts.items() if count == 1)
        terms = ((word, vocabulary.term(word)) for word in once)
        return sorted(word for word, term in terms if term is not None and cf[vocabulary.index.term_number(term)] == 1)

    @property
    def alterations(self) -> list[Alteration]:
        """One word added or three, unknown or seen once."""

        def unknown(count: int) -> Callable[[str, Random], str]:
            return lambda text, random: _with(text, [unknown_word(self._vocabulary, random) for _ in range(count)])

        def once_seen(count: int) -> Callable[[str, Random], str]:
            return lambda text, random: _with(text, self._others_seen_once(text, random, count))

        return [
            Alteration("an unknown word", "one word that no document holds, at the end", unknown(1)),
            Alteration("three unknown words", "three words that no document holds, at the end", unknown(3)),
            Alteration("a once-seen word", "one word that the collection holds once, at the end", once_seen(1)),
            Alteration("three once-seen words", "three words that the collection holds once, at the end", once_seen(3)),
        ]

    def _others_seen_once(self, text: str, random: Random, count: int) -> list[str]:
        """Words that the collection holds once, and that are not in a text."""
        there = set(words_of(text.lower()))
        words = [word for word in self.once_seen if word not in there]
        return random.sample(words, min(count, len(words)))


def _with(text: str, words: Sequence[str]) -> str:
    """A text with words at its end; as it was where there are none."""
    return " ".join([text, *filter(None, words)])


class RarityGroup(NamedTuple):
    """A third of the queries, by how rare their words are."""

    group: str  # 'common' | 'middling' | 'rare': which third
    query_ids: list[str]  # the queries, those of the most common words first
    # low, high: the shares of the documents that hold a word of such a query (the geometric mean over its words): of
    # the query with the rarest words in the group, and of that with the most common ones
    low: float
    high: float


def rarity_groups(terms: Mapping[str, QueryTerms], df: np.ndarray, N: int) -> list[RarityGroup]:
    """Queries in three groups of a size, by the mean idf ln(N/df) of their known terms.

    The mean idf of a query's terms is a predictor of how hard it is (Cronen-Townsend, Zhou & Croft 2002; Hauff 2010
    names it AvIDF).
    """
    idf = {
        query_id: float(np.log(N / df[query.numbers]).mean()) for query_id, query in terms.items() if len(query.numbers)
    }
    order = sorted(idf, key=lambda query_id: idf[query_id])
    parts = [part.tolist() for part in np.array_split(np.array(order, dtype=object), len(GROUPS))]
    return [
        RarityGroup(name, part, math.exp(-idf[part[-1]]), math.exp(-idf[part[0]]))
        for name, part in zip(GROUPS, parts, strict=True)
        if part
    ]
