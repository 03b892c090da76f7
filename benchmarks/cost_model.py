"""What an index in shards costs, as formulas: bytes are counted, memory and seconds are lines through measured points.

A collection of N documents is cut into S shards of n = N / S documents, which W workers index and search. The command
keeps the terms of all shards and what it needs to merge their answers. `scale.py` measures the points, compares the
formulas with shards that were not used for the lines, and predicts what nobody has measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

HEADER = 128
"""Bytes of the header of a file."""

TASK = 280
"""Bytes of a task without its queries: the function, the model, the folder, the checksum."""


class Texts(NamedTuple):
    """What documents are like.

    Attributes
    ----------
    terms : callable
        The number of distinct terms of so many documents.
    postings : float
        Distinct terms of a document.
    term_bytes : float
        UTF-8 bytes of a distinct term.
    """

    terms: Callable[[float], float]
    postings: float = 52.2
    term_bytes: float = 8.0


def by_heaps(factor: float, exponent: float, tokens: float = 55) -> Callable[[float], float]:
    """The terms of so many documents by Heaps' law, factor · tokens ** exponent.

    >>> round(by_heaps(44, 0.49)(1_000_020 / 55))  # Manning, Raghavan and Schütze 2008, section 5.1.1
    38323
    """
    return lambda documents: factor * (tokens * documents) ** exponent


def drawn(probabilities: np.ndarray, tokens: float = 55) -> Callable[[float], float]:
    """The expected terms of so many documents whose words are drawn independently.

    >>> round(drawn(np.array([0.5, 0.5]), tokens=1)(2), 2)
    1.5
    """
    return lambda documents: float(-np.expm1(tokens * documents * np.log1p(-probabilities)).sum())


class Work(NamedTuple):
    """What is to be done: N documents in S shards by W workers, and then Q queries for the best k documents of each."""

    documents: int
    shards: int
    workers: int = 1
    queries: int = 1_000
    k: int = 1_000
    query_bytes: float = 208.0  # of a query in a task: the numbers and counts of its terms, its text and its id

    @property
    def of_shard(self) -> float:
        """n, the documents of a shard."""
        return self.documents / self.shards

    @property
    def turns(self) -> int:
        """How many shards a worker indexes or searches, one after the other."""
        return math.ceil(self.shards / self.workers)

    @property
    def hits(self) -> float:
        """The documents that all shards return for all queries, if enough documents match."""
        return self.queries * self.shards * min(self.k, self.of_shard)


def strings(work: Work, texts: Texts) -> float:
    """The terms of each shard, added up: what the command sorts to number the terms of all."""
    return work.shards * texts.terms(work.of_shard)


def shard_bytes(work: Work, texts: Texts) -> float:
    """The files of a shard without the texts."""
    documents, terms = work.of_shard, texts.terms(work.of_shard)
    postings = documents * texts.postings
    of_documents = 14 * documents  # an id of eight bytes, its length, dl, the other columns
    of_terms = (texts.term_bytes + 3) * terms  # its length, df, cf
    of_blocks = 7 * (terms + postings / 128)
    return of_documents + of_terms + of_blocks + 12.5 / 8 * postings


def statistics_bytes(work: Work, texts: Texts) -> float:
    """The files with the statistics of all shards: terms, lengths, df and cf, and the numbers of each shard's terms."""
    whole = (texts.term_bytes + 4 + 8 + 8) * texts.terms(work.documents)
    return whole + 4 * strings(work, texts) + HEADER * (4 + work.shards)


def worker_reads(work: Work, texts: Texts) -> float:
    """The statistics that a worker reads to open one shard."""
    whole = (texts.term_bytes + 4 + 8 + 8) * texts.terms(work.documents)
    return whole + 4 * texts.terms(work.of_shard) + HEADER * 5


def sent(work: Work) -> float:
    """The bytes of the tasks that the command sends for all queries."""
    return work.shards * (TASK + work.queries * work.query_bytes)


def received(work: Work) -> float:
    """The bytes of the answers: 16 per document, and the headers of two arrays per query."""
    return 16 * work.hits + work.shards * (400 + 52 * work.queries)


class Law(NamedTuple):
    """A measured quantity: a fixed part, and a part that grows with a count."""

    unit: str
    grows_with: Callable[[Work, Texts], float]


LAWS: Mapping[str, Law] = {
    "cut the files": Law("s", lambda work, _: work.documents),
    "index a shard": Law("s", lambda work, _: work.of_shard),
    "memory of a worker that indexes": Law("MB", lambda work, _: work.of_shard),
    "join the statistics": Law("s", strings),
    "memory of the command that joins": Law("MB", strings),
    "open all shards": Law("s", lambda work, _: work.shards),
    "search a shard": Law("s", lambda work, _: work.queries * work.of_shard),
    "merge the answers": Law("s", lambda work, _: work.hits),
    "memory of the command that merges": Law("MB", lambda work, _: work.hits),
}
"""Seconds and megabytes, of one process on one core."""


class Trend(NamedTuple):
    """A fixed part, and a part for each unit of a count; both at least 0."""

    fixed: float
    slope: float

    @classmethod
    def through(cls, points: Sequence[tuple[float, float]]) -> Trend:
        """The line through two points, or through the origin and the higher point if one part would be negative.

        >>> Trend.through([(1, 3), (3, 7)]), Trend.through([(1, 1), (2, 4)])
        (Trend(fixed=1.0, slope=2.0), Trend(fixed=0.0, slope=2.0))
        """
        (x1, y1), (x2, y2) = min(points), max(points)
        slope = (y2 - y1) / (x2 - x1) if x2 > x1 else -1.0
        fixed = y1 - slope * x1
        return cls(float(fixed), float(slope)) if min(slope, fixed) >= 0 else cls(0.0, y2 / x2)

    def at(self, count: float) -> float:
        """The value for a count."""
        return self.fixed + self.slope * count


def fitted(measured: Sequence[tuple[Work, Mapping[str, float]]], texts: Texts) -> dict[str, Trend]:
    """The line of each quantity, through what was measured for two kinds of work."""
    return {
        name: Trend.through([(law.grows_with(work, texts), found[name]) for work, found in measured])
        for name, law in LAWS.items()
    }


def predicted(work: Work, texts: Texts, lines: Mapping[str, Trend]) -> dict[str, float]:
    """Each quantity for some work: seconds and megabytes by the lines, bytes by the formulas in megabytes."""
    found = {name: lines[name].at(law.grows_with(work, texts)) for name, law in LAWS.items()}
    counted = {
        "files of a shard": shard_bytes(work, texts),
        "files of the statistics": statistics_bytes(work, texts),
        "sent": sent(work),
        "received": received(work),
    }
    return found | {name: size / 1e6 for name, size in counted.items()}


def index_seconds(work: Work, found: Mapping[str, float]) -> float:
    """The time to index: a worker looks where to cut its shards and indexes them, then the statistics of all."""
    own = found["cut the files"] / work.shards + found["index a shard"]
    return work.turns * own + found["join the statistics"]


def search_seconds(work: Work, found: Mapping[str, float], megabytes_per_second: float) -> float:
    """The time to open and to search; bytes pass the network of the scheduler twice."""
    network = 2 * (found["sent"] + found["received"]) / megabytes_per_second
    return found["open all shards"] + work.turns * found["search a shard"] + network + found["merge the answers"]
