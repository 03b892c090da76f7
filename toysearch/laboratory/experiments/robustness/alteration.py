"""An alteration: what is done to a text, by a name, and the seeded choice of where."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple

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

    So a query is altered alike whatever other queries and alterations there are.

    >>> chance(0, "a").random() == chance(0, "a").random(), chance(0, "a").random() == chance(1, "a").random()
    (True, False)
    """
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
