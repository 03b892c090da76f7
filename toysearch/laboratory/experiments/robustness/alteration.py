"""An alteration of a text: its name, its seeded random numbers, and the words that it changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random
from typing import NamedTuple

from toysearch.base.records import Query
from toysearch.index.inverted_index import Index
from toysearch.search.spelling import suggest


class Alteration(NamedTuple):
    """A change to the text of a query."""

    name: str  # a few words, the same in all output
    what: str  # a description of one sentence
    # text and random numbers → the altered text; unchanged if the alteration does not apply
    alter: Callable[[str, Random], str]
    # the name that seeds the random numbers, if not `name`: alterations with the same draw choose alike
    draw: str = ""
    misspells: bool = False  # whether it imitates typing errors, which can be corrected
    idle: str = "it changes no query"  # the reason to give if it does


def seeded_random(seed: int, *names: str) -> Random:
    """Random numbers that depend only on a seed and on names for their use.

    >>> first = seeded_random(0, "a").random()
    >>> first == seeded_random(0, "a").random(), first == seeded_random(1, "a").random()
    (True, False)
    """
    # So the alteration of a query does not depend on other queries and alterations.
    return Random("\0".join([str(seed), *names]))  # SHA-512 hashes a string seed, on every machine alike


def altered_queries(alteration: Alteration, queries: Iterable[Query], seed: int) -> list[Query]:
    """The queries that an alteration changes, with their altered texts.

    >>> shout = Alteration("upper case", "in capitals", lambda text, random: text.upper())
    >>> altered_queries(shout, [Query("1", "a cat"), Query("2", "NASA")], seed=0)
    [Query(query_id='1', text='A CAT')]
    """
    made = []
    for query_id, text in queries:
        after = alteration.alter(text, seeded_random(seed, alteration.draw or alteration.name, query_id))
        if after != text:
            made.append(Query(query_id, after))
    return made


def corrected_queries(index: Index, queries: Iterable[Query]) -> list[Query]:
    """Queries in the better spelling that is suggested, if there is one.

    >>> corrected_queries(Index.build(["the boundary layer", "boundary conditions"]), [Query("1", "boundery")])
    [Query(query_id='1', text='boundary')]
    """
    suggested = ((query, suggest(index, query.text)) for query in queries)
    return [query._replace(text=better.text) if better else query for query, better in suggested]


_WORD = re.compile(r"\w+")


def written_words(text: str) -> list[str]:
    """The words of a text, as written.

    >>> written_words("Jets, and a Mach-2 wing")
    ['Jets', 'and', 'a', 'Mach', '2', 'wing']
    """
    return _WORD.findall(text)


def rewritten(text: str, changed: Callable[[int, str], str]) -> str:
    """A text with each word replaced by the result of a function.

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
    """The words in the texts of a collection, and the index terms that they become.

    >>> texts = ["the cats sat", "Cats", "a dog"]
    >>> vocabulary = Vocabulary(Index.build(texts), texts)
    >>> vocabulary.counts["cats"], vocabulary.term("CATS"), vocabulary.term("horse"), vocabulary.word["sat"]
    (2, 'cats', None, 'sat')
    """

    def __init__(self, index: Index, texts: Iterable[str]) -> None:
        self.index = index
        self.counts: Counter[str] = Counter()
        for text in texts:
            self.counts.update(written_words(text.lower()))
        self._terms: dict[str, str | None] = {}

    def term(self, word: str) -> str | None:
        """The term that a word becomes; None if it becomes no term, several, or one that the index lacks."""
        if word not in self._terms:
            terms = self.index.analyzer(word)
            known = len(terms) == 1 and self.index.term_number(terms[0]) >= 0
            self._terms[word] = terms[0] if known else None
        return self._terms[word]

    def knows(self, word: str) -> bool:
        """Whether the index contains a term of a word."""
        return any(self.index.term_number(term) >= 0 for term in self.index.analyzer(word))

    def df(self, word: str) -> int:
        """The document frequency of the term of a word; 0 for a word without one."""
        term = self.term(word)
        return 0 if term is None else int(self.index.df[self.index.term_number(term)])

    @cached_property
    def words(self) -> list[str]:
        """The words, most frequent first; equally frequent ones in alphabetical order."""
        return sorted(self.counts, key=lambda word: (-self.counts[word], word))

    @cached_property
    def word(self) -> dict[str, str]:
        """Term → its most frequent word; the first in alphabetical order if several are."""
        found: dict[str, str] = {}
        for word in self.words:
            term = self.term(word)
            if term is not None:
                found.setdefault(term, word)
        return found
