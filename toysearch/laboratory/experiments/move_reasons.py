"""Why a document moved between two rankings: the parts of its scores beside those of the documents that it passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toysearch.base import ArgumentError, Query
from toysearch.base.explanation import PartName
from toysearch.laboratory.explain.score_explanation import explain, part_differences, parts
from toysearch.search.scoring import QueryTerms
from toysearch.search.searcher import Searcher


class Mover(NamedTuple):
    """A part of the score of a document in two rankings."""

    # kind, name: as in `PartName`; absent: whether the document lacks the term
    kind: str
    name: str
    # first, second: its contribution to each score; 0 for a term that the document lacks
    first: float
    second: float
    difference: float  # second − first; these differences sum to the difference of the scores
    # own, others: the same difference on a scale common to both rankings, for the document, and for the mean of those
    # that it passes or that pass it. Each score is divided by the distance from the first score to the tenth
    own: float
    others: float
    lift: float  # own − others; the lifts sum to the change of the document's lead, so they have the sign of its move


class Explained(NamedTuple):
    """The scores of a document in two rankings (None: not ranked), and the parts of their difference."""

    scores: tuple[float | None, float | None]  # in both rankings
    leads: tuple[float | None, float | None]  # its mean lead over the documents that it passes, in both
    movers: list[Mover]  # largest lift or fall first; empty if nothing can be compared in both rankings


def movers_of(
    searchers: Sequence[Searcher], text: str | Query, passed: Mapping[str, Sequence[str]], spans: Sequence[float]
) -> dict[str, Explained]:
    """The parts of the scores that moved documents past others between the rankings of two searchers.

    Each score is divided by a span of the scores of its ranking, which makes the two comparable.

    >>> from toysearch.index.inverted_index import Index
    >>> index = Index.build(["cat sat", "cat cat cat", "dog"])
    >>> searchers = [Searcher(index, "tfidf:query_weights=tf"), Searcher(index, "overlap")]
    >>> explained = movers_of(searchers, "cat sat", {"2": ["1"]}, [1, 1])["2"]
    >>> explained.leads
    (-0.2876..., -1.0)
    >>> [(mover.name, round(mover.first, 4), mover.second, round(mover.lift, 4)) for mover in explained.movers]
    [('cat', 1.2164, 1.0, -0.8109), ('sat', 0.0, 0.0, 0.0986)]
    """
    every = dict.fromkeys([*passed, *(other for others in passed.values() for other in others)])
    by_system: list[dict[str, _Parts]] = []
    for searcher in searchers:
        terms = searcher.terms(text)
        by_system.append({doc_id: _parts(searcher, terms, doc_id) for doc_id in every})
    units = [1 / span if span > 0 else 1.0 for span in spans]
    return {doc_id: _explained(by_system, units, doc_id, others) for doc_id, others in passed.items()}


class _Parts(NamedTuple):
    """The score of a document (None if not ranked) and its parts."""

    score: float | None
    parts: dict[PartName, float]


def _parts(searcher: Searcher, terms: QueryTerms, doc_id: str) -> _Parts:
    try:
        why = explain(searcher, terms, doc_id)
    except ArgumentError:  # this one of two indexes lacks the document
        return _Parts(None, {})
    return _Parts(why.score, parts(why))


def _explained(
    by_system: Sequence[Mapping[str, _Parts]], units: Sequence[float], doc_id: str, passed: Sequence[str]
) -> Explained:
    """The parts that moved one document past others."""
    first, second = (mine[doc_id] for mine in by_system)
    others = [other for other in passed if all(mine[other].score is not None for mine in by_system)]
    if first.score is None or second.score is None or not others:
        return Explained((first.score, second.score), (None, None), [])
    before, after = (_mean([mine[other] for other in others]) for mine in by_system)
    movers: list[Mover] = []
    every = dict.fromkeys([*before.parts, *after.parts], 0.0)
    for row in part_differences(every | first.parts, second.parts):
        part = PartName(row.kind, row.name)
        mine = units[1] * row.second - units[0] * row.first
        theirs = units[1] * after.parts.get(part, 0.0) - units[0] * before.parts.get(part, 0.0)
        is_part = part in first.parts or part in second.parts or part.kind != "term"
        movers.append(Mover(row.kind if is_part else "absent", *row[1:], mine, theirs, mine - theirs))
    movers.sort(key=lambda mover: (-abs(mover.lift), mover.kind, mover.name))
    assert before.score is not None
    assert after.score is not None
    leads = units[0] * (first.score - before.score), units[1] * (second.score - after.score)
    return Explained((first.score, second.score), leads, movers)


def _mean(documents: Sequence[_Parts]) -> _Parts:
    """The mean score of ranked documents, and the mean of each part."""
    names = dict.fromkeys(part for document in documents for part in document.parts)
    means = {part: sum(document.parts.get(part, 0.0) for document in documents) / len(documents) for part in names}
    return _Parts(sum(document.score or 0.0 for document in documents) / len(documents), means)
