"""What moved a document between two rankings: the parts of its two scores, held against those of its rivals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toysearch.errors import ArgumentError
from toysearch.laboratory.explain.score_explanation import explain
from toysearch.laboratory.explain.score_parts import ScorePart, part_differences, parts
from toysearch.search.searcher import Searcher


class Mover(NamedTuple):
    """A part of a document's score in two rankings."""

    # kind, name: what it is (see `ScorePart`); absent: the document lacks the term
    kind: str
    name: str
    # first, second: what it adds to the score of either; 0 for a term that the document lacks
    first: float
    second: float
    difference: float  # The second less the first. The differences of all movers add up to that of the scores
    # How far it lifts the document past its rivals. Where a document stands among rivals is how far its score is above
    # their mean, as a part of the distance between the best and the last of them, which is the same on any scale; a
    # part's share of that is what the document has of it beyond the rivals' mean. The lift is the second less the
    # first: all lifts add up to the change of where the document stands. What all get alike lifts none, and a term that
    # a document lacks and its rivals hold can sink it
    lift: float


class Explained(NamedTuple):
    """A document's scores in two rankings (None: not ranked), and what makes their difference."""

    scores: tuple[float | None, float | None]  # in both
    standings: tuple[float | None, float | None]  # where it stands among its rivals in both: see `Mover`
    movers: list[Mover]  # what lifts or sinks it most comes first; empty where one of the two does not rank it


def movers_of(
    searchers: Sequence[Searcher], text: str, doc_ids: Sequence[str], rivals: Sequence[str]
) -> dict[str, Explained]:
    """What moved documents between the rankings of two searchers.

    >>> from toysearch.index.index import Index
    >>> index = Index.build(["cat sat", "cat cat cat", "dog"])
    >>> searchers = [Searcher(index, "tfidf:query_weights=tf"), Searcher(index, "overlap")]
    >>> explained = movers_of(searchers, "cat sat", ["2"], ["1", "2"])["2"]
    >>> explained.standings
    (-0.5..., -0.5)
    >>> [(mover.name, round(mover.first, 4), mover.second, round(mover.lift, 4)) for mover in explained.movers]
    [('sat', 0.0, 0.0, 1.4094), ('cat', 1.2164, 1.0, -1.4094)]
    """
    known: list[dict[str, _Parts]] = [{}, {}]
    for searcher, own in zip(searchers, known, strict=True):
        for doc_id in dict.fromkeys([*doc_ids, *rivals]):
            own[doc_id] = _parts(searcher, text, doc_id)
    scales = [_Scale.of([own[doc_id] for doc_id in rivals]) for own in known]
    return {doc_id: _explained(known[0][doc_id], known[1][doc_id], scales) for doc_id in doc_ids}


class _Parts(NamedTuple):
    """A document's score, None where it is not ranked, and its parts."""

    score: float | None
    parts: dict[ScorePart, float]


class _Scale(NamedTuple):
    """What rivals have: the mean of each part and of the scores, and 1 over the distance from the last to the best."""

    means: dict[ScorePart, float]
    mean: float
    unit: float

    @classmethod
    def of(cls, rivals: Sequence[_Parts]) -> _Scale:
        """The scale of those rivals that are ranked; where all of them score alike, nothing is above or below."""
        ranked = [rival for rival in rivals if rival.score is not None]
        scores = [rival.score for rival in ranked if rival.score is not None]
        if not scores or max(scores) == min(scores):
            return cls({}, 0.0, 0.0)
        names = dict.fromkeys(part for rival in ranked for part in rival.parts)
        means = {part: sum(rival.parts.get(part, 0.0) for rival in ranked) / len(ranked) for part in names}
        return cls(means, sum(scores) / len(scores), 1 / (max(scores) - min(scores)))


def _parts(searcher: Searcher, text: str, doc_id: str) -> _Parts:
    try:
        why = explain(searcher, text, doc_id)
    except ArgumentError:  # of two indexes, this one lacks it
        return _Parts(None, {})
    return _Parts(why.score, parts(why))


def _explained(first: _Parts, second: _Parts, scales: Sequence[_Scale]) -> Explained:
    pairs = list(zip((first, second), scales, strict=True))
    standings = [None if one.score is None else (one.score - scale.mean) * scale.unit for one, scale in pairs]
    movers: list[Mover] = []
    if first.score is not None and second.score is not None:
        before, after = scales
        every = dict.fromkeys([*before.means, *after.means], 0.0)
        for row in part_differences(every | first.parts, second.parts):
            part = ScorePart(row.kind, row.name)
            lift = (row.second - after.means.get(part, 0.0)) * after.unit
            lift -= (row.first - before.means.get(part, 0.0)) * before.unit
            held = part in first.parts or part in second.parts or part.kind != "term"
            movers.append(Mover(row.kind if held else "absent", *row[1:], lift))
        movers.sort(key=lambda mover: (-abs(mover.lift), mover.kind, mover.name))
    return Explained((first.score, second.score), (standings[0], standings[1]), movers)
