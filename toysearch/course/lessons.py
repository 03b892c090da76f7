"""The labs of the course: their titles, topics and exercises."""

from __future__ import annotations

import importlib
import importlib.util
from typing import NamedTuple

from toysearch.base import ArgumentError, unknown
from toysearch.course.exercise import Exercise


class Lesson(NamedTuple):
    """One lab."""

    number: int  # from 1
    name: str  # of its file, without the number
    title: str  # its title
    minutes: int  # approximate duration for a student
    topics: tuple[str, ...]  # the usual course topics that it covers

    @property
    def stem(self) -> str:
        """The name of its files, without a suffix."""
        return f"{self.number:02}-{self.name}"

    @property
    def module(self) -> str:
        """The module of its exercises."""
        return f"toysearch.course.exercises.lab{self.number:02}"

    @property
    def written(self) -> bool:
        """Whether it has exercises."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """Its exercises, in their order."""
        return tuple(importlib.import_module(self.module).EXERCISES)

    @property
    def collection_name(self) -> str:
        """The name of the collection, if the lab can use several; otherwise empty."""
        name = getattr(importlib.import_module(self.module), "collection_name", None)
        return str(name()) if name else ""


_ALL = (
    Lesson(
        1,
        "tokens",
        "Tokens and terms",
        120,
        ("tokenising", "vocabulary growth", "Zipf's law", "stop words", "stemming", "edit distance and spelling"),
    ),
    Lesson(
        2,
        "index",
        "The inverted index",
        120,
        ("building an index", "Boolean merges", "positions, phrases and wildcards", "gaps and codes by hand"),
    ),
    Lesson(3, "vectors", "Vectors", 120, ("TF-IDF cosine by hand", "SMART codes", "Dice, Jaccard, cosine")),
    Lesson(4, "bm25", "BM25", 120, ("BM25 from scratch", "saturation and length", "query likelihood")),
    Lesson(5, "sets", "Precision, recall and F", 90, ("P, R and F by hand", "the 2×2 table", "gaming a measure")),
    Lesson(6, "ranked", "Measures of rankings", 120, ("AP and the 11-point curve by hand", "nDCG", "ties")),
    Lesson(7, "cranfield", "Cranfield", 90, ("a collection's traps", "a MAP bar on Cranfield", "explaining a ranking")),
    Lesson(8, "significance", "Is it significant?", 120, ("tests", "power", "tuning on one set, reporting on another")),
    Lesson(9, "judging", "Judging", 120, ("judging and pooling the class", "agreement", "unjudged documents")),
    Lesson(10, "tweak", "A tweak, from idea to report", 120, ("an nDCG competition", "from idea to report")),
    Lesson(
        11,
        "feedback",
        "Expansion and relevance feedback",
        120,
        ("Rocchio and RM3 by hand", "the residual collection", "feedback that harms", "latent topics"),
    ),
    Lesson(
        12,
        "learning",
        "Learning to rank",
        120,
        (
            "features by hand",
            "a pairwise update",
            "folds and near-duplicate queries",
            "controls with shuffled features",
        ),
    ),
)

LESSONS = tuple(lesson for lesson in _ALL if lesson.written)
"""The labs, in order."""


def lesson(number: int) -> Lesson:
    """A lab by its number."""
    for candidate in LESSONS:
        if candidate.number == number:
            return candidate
    raise unknown("lab", str(number), [str(candidate.number) for candidate in LESSONS])


def exercise(number: str) -> Exercise:
    """An exercise by its number."""
    if not isinstance(number, str) or not number.partition(".")[0].isdigit():
        raise ArgumentError(f'an exercise is named by a text such as "1.1", not by {number!r}')
    of = lesson(int(number.partition(".")[0]))
    for candidate in of.exercises:
        if candidate.number == number:
            return candidate
    raise unknown("exercise", number, [candidate.number for candidate in of.exercises])
