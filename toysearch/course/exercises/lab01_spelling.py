"""Lab 1: the matrix of an edit distance, and a spelling corrector scored on misspelt words."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from toysearch import Analyzer, Index
from toysearch.course.answers import at_least, ordered, whole
from toysearch.course.exercise import Draw, Exercise, Given, Mistake, Unanswered
from toysearch.course.lab_collection import collection
from toysearch.course.textbook_query import edit_matrix
from toysearch.search.fitting_terms import terms_within

Rows = list[list[int]]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

# 1.9 Edit distance by hand

_MEANT = ("budgie", "ferret", "gerbil", "kitten", "mynah", "parrot", "puppy", "rabbit", "spider")


def _two_words(draw: Draw) -> dict[str, str]:
    """A word, and the same with two neighbours exchanged and a letter too many or too few at its end."""
    meant = draw.one(_MEANT)
    at = draw.one([place for place in range(len(meant) - 3) if meant[place] != meant[place + 1]])
    exchanged = meant[:at] + meant[at + 1] + meant[at] + meant[at + 2 :]
    ending = exchanged + draw.one(_LETTERS) if draw.whole(0, 1) else exchanged[:-1]
    return {"typed": ending, "meant": meant}


def _matrix(
    first: str, second: str, *, replaced: int = 1, equal: int = 0, exchange: bool = True, edge: int = 1
) -> Rows:
    """The matrix of two words, with other costs than those of the exercise."""
    rows = [[edge * place for place in range(len(second) + 1)]]
    for i in range(1, len(first) + 1):
        rows.append([edge * i])
        for j in range(1, len(second) + 1):
            cost = equal if first[i - 1] == second[j - 1] else replaced
            ways = [rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost]
            if exchange and min(i, j) > 1 and first[i - 2 : i] == second[j - 1] + second[j - 2]:
                ways.append(rows[i - 2][j - 2] + 1)
            rows[i].append(min(ways))
    return rows


def _with(**costs: Any) -> Callable[[Given], Rows]:
    """The matrix with other costs."""
    return lambda given: _matrix(given.typed, given.meant, **costs)


MATRIX = Exercise(
    number="1.9",
    title="Edit distance by hand",
    why="Four neighbours decide each cell, so the distance takes as many steps as the matrix has cells.",
    given=_two_words,
    answer=ordered(ordered(whole(), "numbers"), "rows"),
    expected=lambda given: edit_matrix(given.typed, given.meant).rows,
    mistakes=(
        Mistake(_with(exchange=False), "here the exchange of two neighbours is one edit; in your matrix it is two."),
        Mistake(_with(replaced=2), "a replacement is one edit; in your matrix it is two, a deletion and an insertion."),
        Mistake(_with(equal=1), "equal letters cost nothing: there the number is the one above on the left."),
        Mistake(_with(edge=0), "your first row and column are 0; each letter of a beginning is inserted or deleted."),
        Mistake(
            lambda given: _matrix(given.meant, given.typed),
            "your rows and columns are exchanged: rows are for the typed word, columns for the meant one.",
        ),
        Mistake(
            lambda given: [row[1:] for row in _matrix(given.typed, given.meant)[1:]],
            "the first row and the first column are missing: those of the empty beginnings.",
        ),
    ),
    hints=(
        "Begin with the edges: it takes j insertions from nothing to j letters, and i deletions from i to nothing.",
        "Each other cell is the least of: the cell above + 1, the cell to the left + 1, and the cell above on the "
        "left, + 1 if the two letters differ.",
        "Where the last two letters of one beginning are those of the other in reverse, the cell two up and two to the "
        "left, + 1, may be less.",
    ),
    points=2,
)


# 1.10 A spelling corrector

_SHOWN, _HIDDEN = 8, 200
_SHORT = 6  # letters


@functools.cache
def _index() -> Index:
    return Index.build(collection(), analyzer=Analyzer())


@functools.cache
def _occurrences() -> list[str]:
    """The words of the collection with four letters or more, as often as they occur."""
    words = itertools.chain.from_iterable(map(Analyzer(), (document.text for document in collection().documents)))
    return [word for word in words if len(word) > 3 and word.isascii() and word.isalpha()]


def _edited(draw: Draw, word: str) -> str:
    """A word with one random edit."""
    at, letter = draw.whole(0, len(word) - 2), draw.one(_LETTERS)
    before, after = word[:at], word[at:]
    return draw.one(
        [
            before + after[1:],
            before + letter + after,
            before + letter + after[1:],
            before + after[1] + after[0] + after[2:],
        ]
    )


def _typos(draw: Draw, count: int) -> dict[str, str]:
    """Misspelt words that the collection lacks, each with the word meant; one in four has two errors."""
    typos: dict[str, str] = {}
    while len(typos) < count:
        meant = draw.one(_occurrences())
        typed = _edited(draw, meant)
        if draw.whole(0, 3) == 0:
            typed = _edited(draw, typed)
        if _index().term_number(typed) < 0:
            typos[typed] = meant
    return typos


def _share_right(correct: Callable[[str], Any], given: Given) -> float:
    """The share of misspelt words, unlike those shown, that a function corrects."""
    typos = _typos(Draw("typos", *given.typos), _HIDDEN)
    words = [correct(typed) for typed in typos]
    if all(word is None or word is ... for word in words):
        raise Unanswered("your function returns nothing; put its result after the word return")
    return sum(bool(word == meant) for word, meant in zip(words, typos.values(), strict=True)) / len(typos)


@functools.lru_cache(1024)
def _good_enough(word: str) -> str:
    """The nearest and most frequent term; a little worse than that, since a short word gets only one edit."""
    near = terms_within(_index(), word, 2 if len(word) > _SHORT else 1)
    negative = (-_index().cf[near.numbers]).tolist()
    candidates = sorted(zip(near.edits.tolist(), negative, _index().terms.take(near.numbers), strict=True))
    return str(candidates[0][2]) if candidates else word


CORRECTOR = Exercise(
    number="1.10",
    title="A spelling corrector",
    why="The words of the documents are a dictionary: it knows names and jargon, and how frequent each word is.",
    given=lambda draw: {"typos": _typos(draw, _SHOWN)},
    answer=at_least(_share_right, "a function correct(word) that returns a term", "share of right words"),
    expected=lambda given: _good_enough,
    hints=(
        "Take the terms within two edits, terms_within(index, word, 2). Which is the most probable of them?",
        "First the number of edits, then the frequency: min with the key (edits, -cf). What if no term is near?",
    ),
    points=2,
)
