"""Lab 11, latent topics: documents that share no word and are neighbours."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from toysearch import Analyzer, Index, Searcher, similar
from toysearch.base import without_notes
from toysearch.course.answers import number, text
from toysearch.course.exercise import Draw, Exercise, Given, Mistake
from toysearch.course.lab_collection import collection
from toysearch.models.similarity import similarity

Point = tuple[float, float]


# 11.7: the cosine of two documents among two topics


def _words_with_places(draw: Draw) -> dict[str, Any]:
    """Words on the side of one topic, and two documents of two of them each, with different counts."""
    words = draw.some(("car", "automobile", "engine", "garage", "motor", "wheel"), 4)
    places = {word: [draw.number(0.3, 0.8, 2), draw.number(-0.3, 0.4, 2)] for word in words}
    counts = [draw.shuffled([1, draw.whole(2, 4)]) for _ in range(2)]
    return {
        "topics": places,
        "first": dict(zip(words[:2], counts[0], strict=True)),
        "second": dict(zip(words[2:], counts[1], strict=True)),
    }


def _place(given: Given, counts: dict[str, int], counted: bool = True) -> Point:
    """The sum of the places of the words, each as often as it occurs."""
    parts = [(count if counted else 1, given.topics[word]) for word, count in counts.items()]
    return sum(count * place[0] for count, place in parts), sum(count * place[1] for count, place in parts)


def _places(given: Given, counted: bool = True) -> tuple[Point, Point]:
    return _place(given, given.first, counted), _place(given, given.second, counted)


def _mean_of_pairs(given: Given) -> float:
    """The mean cosine of a word of one document and a word of the other."""
    pairs = [(given.topics[one], given.topics[other]) for one in given.first for other in given.second]
    return sum(similarity(one, other).cosine for one, other in pairs) / len(pairs)


COSINE = Exercise(
    number="11.7",
    title="Neighbours without a shared word",
    why="Words that keep the same company point the same way, so documents can meet without sharing one.",
    given=_words_with_places,
    answer=number(3),
    expected=lambda given: similarity(*_places(given)).cosine,
    mistakes=(
        Mistake(
            lambda given: 0.0,
            "this is the cosine of the words, of which they share none; compare their places among the topics.",
        ),
        Mistake(lambda given: similarity(*_places(given)).xy, "divide the dot product by the lengths of both vectors."),
        Mistake(
            lambda given: similarity(*_places(given, counted=False)).cosine,
            "a word that occurs several times counts as often.",
        ),
        Mistake(
            _mean_of_pairs,
            "first add up the places of the words of each document, then take one cosine.",
        ),
    ),
    hints=(
        "The place of a document is a sum: the place of each word, times its count, separately for each of the topics.",
        "The cosine of (a, b) and (c, d) is (a·c + b·d) / (√(a² + b²) · √(c² + d²)).",
    ),
)


# 11.8: the nearest stranger

_TOPICS = 20


class Stranger(NamedTuple):
    """A document that shares no word with another one, and how near it is."""

    rank: int
    doc_id: str
    score: float


@functools.cache
def _index() -> Index:
    """The collection of the labs without the word that is in each of its passages."""
    english = Index.build(collection()).analyzer
    return Index.build(collection(), Analyzer(stop=[*english.stop, "animal", "animals"], stem="english"))


@functools.cache
def _searcher(topics: int) -> Searcher:
    return Searcher(_index(), f"lsa:{topics}")


@functools.cache
def _strangers(doc_id: str, topics: int = _TOPICS) -> list[Stranger]:
    """The documents without a word of this one, nearest first."""
    sharing = {hit.doc_id for hit in similar(_index(), doc_id, k=None)}
    with without_notes():  # the topics are computed for this search
        ranked = enumerate(similar(_searcher(topics), doc_id, k=None), 1)
    return [Stranger(rank, hit.doc_id, hit.score) for rank, hit in ranked if hit.doc_id not in sharing]


@functools.cache
def _lonely() -> list[str]:
    """Documents whose nearest stranger is unambiguous and at rank 2 to 12 among their neighbours."""
    lonely = []
    for doc_id in _index().doc_ids:
        nearest = _strangers(doc_id)[:2]
        if len(nearest) == 2 and 2 <= nearest[0].rank <= 12 and nearest[0].score - nearest[1].score > 0.01:
            lonely.append(doc_id)
    return lonely


STRANGER = Exercise(
    number="11.8",
    title="The nearest stranger",
    why="No search by words can find it from there; a model of topics can, and says why only in numbers.",
    given=lambda draw: {"document": draw.one(_lonely())},
    answer=text(),
    expected=lambda given: _strangers(given.document)[0].doc_id,
    mistakes=(
        Mistake(
            lambda given: next(iter(similar(_searcher(_TOPICS), given.document))).doc_id,
            "this is the nearest neighbour of all, and it shares a word with your document.",
        ),
        Mistake(
            lambda given: _strangers(given.document)[-1].doc_id,
            "this one shares no word, but it is the farthest such document; find the nearest.",
        ),
        Mistake(
            lambda given: _strangers(given.document, 100)[0].doc_id,
            "this is the answer for lsa:100; take lsa:20, fewer and broader topics.",
        ),
    ),
    hints=(
        "similar(index, document, k=None) ranks the documents that share a word, and no others; with "
        'toysearch.Searcher(index, "lsa:20") in place of the index, it ranks all documents by topics.',
        "Go through the second ranking from its top, and stop at the first document that is not in the first one.",
    ),
    points=2,
)
