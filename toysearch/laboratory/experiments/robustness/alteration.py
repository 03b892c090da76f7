"""An alteration of a text: its name, its seeded random numbers, and the words that it changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random
from typing import NamedTuple

from toysearch.index.inverted_index import Index
from toysearch.records import Query


class Alteration(NamedTuple):
    """Something that happens to the text of a query."""

    name: str  # a few words, the same in all output
    what: str  # what is done, in a sentence
    # text and random numbers → the altered text; the same text where it cannot be altered so
    alter: Callable[[str, Random], str]
    # what the random numbers are named after, where it is not the name: alterations of one draw choose alike
    draw: str = ""


def chance(seed: int, *names: str) -> Random:
    """Random numbers that depend on a seed and on what they are for, and on nothing else.

    >>> chance(0, "a").random() == chance(0, "a").random(), chance(0, "a").random() == chance(1, "a").random()
    (True, False)
    """
    # So a query is altered alike whatever other queries and alterations there are.
    return Random("\0".join([str(seed), *names]))  # a text as a seed is hashed by SHA-512, on every machine alike


def altered_queries(alteration: Alteration, queries: Iterable[Query], seed: int) -> list[Query]:
    """The queries that an alteration changes, as it leaves them.

    >>> shout = Alteration("upper case", "in capitals", lambda text, random: text.upper())
    >>> altered_queries(shout, [Query("1", "a cat"), Query("2", "NASA")], seed=0)
    [Query(query_id='1', text='A CAT')]
    """
    made = []
    for query_id, text in queries:
        after = alteration.alter(text, chance(seed, alteration.draw or alteration.name, query_id))
        if after != text:
            made.append(Query(query_id, after))
    return made


_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The words of a text, as they stand there.

    >>> words_of("Jets, and a Mach-2 wing")
    ['Jets', 'and', 'a', 'Mach', '2', 'wing']
    """
    return _WORD.findall(text)


def rewritten(text: str, changed: Callable[[int, str], str]) -> str:
    """A text with each of its words replaced by what a function makes of it.

    >>> rewritten("the flow, the wing", lambda place, word: "" if word == "the" else word.upper())
    'FLOW, WING'
    """
    parts, end = [], 0
    for place, match in enumerate(_WORD.finditer(text)):
        between, word = text[end : match.start()], changed(place, match[0])
        parts += [between if word else between.rstrip(), word]
        end = match.end()
    made = "".join([*parts, text[end:]])
    return made if made == text else made.strip()


class Vocabulary:
    """The words that the texts of a collection are written in, and the terms that an index makes of them.

    >>> texts = ["the cats sat", "Cats", "a dog"]
    >>> vocabulary = Vocabulary(Index.build(texts), texts)
    >>> vocabulary.counts["cats"], vocabulary.term("CATS"), vocabulary.term("horse"), vocabulary.word["sat"]
    (2, 'cats', None, 'sat')
    """

    def __init__(self, index: Index, texts: Iterable[str]) -> None:
        self.index = index
        self.counts: Counter[str] = Counter()
        for text in texts:
            self.counts.update(words_of(text.lower()))
        self._terms: dict[str, str | None] = {}

    def term(self, word: str) -> str | None:
        """The term that a word becomes; None where it becomes none, several, or one that the index lacks."""
        if word not in self._terms:
            terms = self.index.analyzer(word)
            known = len(terms) == 1 and self.index.term_number(terms[0]) >= 0
            self._terms[word] = terms[0] if known else None
        return self._terms[word]

    def knows(self, word: str) -> bool:
        """Whether the index knows a term of a word."""
        return any(self.index.term_number(term) >= 0 for term in self.index.analyzer(word))

    def df(self, word: str) -> int:
        """How many documents hold the word's term; 0 for a word without one."""
        term = self.term(word)
        return 0 if term is None else int(self.index.df[self.index.term_number(term)])

    @cached_property
    def words(self) -> list[str]:
        """The words, the most frequent first; equally frequent ones by their letters."""
        return sorted(self.counts, key=lambda word: (-self.counts[word], word))

    @cached_property
    def word(self) -> dict[str, str]:
        """Term → the word that most often stands for it, of equal ones the first by its letters."""
        found: dict[str, str] = {}
        for word in self.words:
            term = self.term(word)
            if term is not None:
                found.setdefault(term, word)
        return found
