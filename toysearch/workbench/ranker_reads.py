"""What a ranker reads: the terms of an index, the words of a query, vectors or rankings of queries by their ids."""

from __future__ import annotations

from toysearch.base import IN_FILE
from toysearch.models.calls import IMPACT, LEARNED, LSA, RUN
from toysearch.models.rankers import VECTORS_OF_FILES, Part, Ranker, parts_of


def reads_index(ranker: Part) -> bool:
    """True if a ranker reads the terms of the documents; false for vectors and searches that the user brings alone.

    >>> from toysearch.models.registry import model
    >>> reads_index(model("rrf(bm25, dense:v.npy)")), reads_index(model("dense:v.npy")), reads_index(model("lsa:5"))
    (True, False, True)
    """
    return any(part.call in ("model", "mmr", LSA, LEARNED) for part in parts_of(ranker))


def reads_words(ranker: Part) -> bool:
    """True if it looks up the words of a query as they are typed, without stop words, in a file of learned weights."""
    return any(part.call == IMPACT and not _query_vectors(part) for part in parts_of(ranker))


def has_queries_by_id(ranker: Part) -> bool:
    """True if it takes vectors or rankings of queries from a file by their ids, the same for another text.

    >>> from toysearch.models.registry import model
    >>> has_queries_by_id(model("dense:v.npy,queries=q.npy")), has_queries_by_id(model("dense:v.npy,queries=m.py:f"))
    (True, False)
    """
    if any(part.call == RUN for part in parts_of(ranker)):
        return True
    named = [_query_vectors(part) for part in parts_of(ranker)]
    return any(name and not IN_FILE.fullmatch(name) for name in named)


def _query_vectors(part: Part) -> str:
    return str(part.settings["queries"]) if isinstance(part, Ranker) and part.call in VECTORS_OF_FILES else ""
