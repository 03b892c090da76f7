"""Lab 2: postings lists, Boolean merges and overlap, gaps and codes, phrases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toysearch.course.answer_kinds import Function, Ordered, Text, Unordered, Whole
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.exercises.lab02_codes import CODES
from toysearch.course.exercises.lab02_postings import ANIMALS, BY_HAND, FROM_SCRATCH, PHRASES, Pair
from toysearch.course.students import Draw

# 2.3 Boolean retrieval by hand


def _three_lists(draw: Draw) -> dict[str, Any]:
    a, b, c = draw.some(ANIMALS, 3)
    lists = {term: sorted(draw.some(range(1, 16), draw.whole(5, 8))) for term in (a, b, c)}
    return {"lists": lists, "query": f"({a} OR {b}) AND NOT {c}"}


_FORMS: dict[str, Callable[[set[int], set[int], set[int]], set[int]]] = {
    "right": lambda a, b, c: (a | b) - c,
    "no parentheses": lambda a, b, c: a | (b - c),
    "or is and": lambda a, b, c: (a & b) - c,
    "either": lambda a, b, c: (a ^ b) - c,
    "no not": lambda a, b, c: (a | b) & c,
    "not left out": lambda a, b, c: a | b,
    "all the others": lambda a, b, c: set(range(1, 16)) - c,
}


def _boolean(given: Given, form: str) -> list[int]:
    return sorted(_FORMS[form](*map(set, given.lists.values())))


# 2.4 A merge


def _two_lists(draw: Draw, given: Given) -> list[tuple[list[int], list[int]]]:
    drawn = [
        (sorted(draw.some(range(1, 40), draw.whole(5, 9))), sorted(draw.some(range(1, 40), draw.whole(8, 14))))
        for _ in range(3)
    ]
    return [([1, 3, 4, 8], [2, 3, 4, 9, 10, 12]), *drawn, ([5], [1, 2, 3]), ([], [4, 7])]


def _merged(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
    found, i, j, turns = [], 0, 0, 0
    while i < len(a) and j < len(b):
        turns += 1
        if a[i] == b[j]:
            found.append(a[i])
        i, j = i + (a[i] <= b[j]), j + (b[j] <= a[i])
    return found, turns


def _every_pair(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
    return _merged(a, b)[0], len(a) * len(b)


def _at_the_most(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
    return _merged(a, b)[0], len(a) + len(b)


def _to_both_ends(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
    return _merged(a, b)[0], len(set(a) | set(b))


def _one_step_on_a_match(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
    found, i, j, turns = [], 0, 0, 0
    while i < len(a) and j < len(b):
        turns += 1
        if a[i] == b[j]:
            found.append(a[i])
        i, j = i + (a[i] <= b[j]), j + (b[j] < a[i])
    return found, turns


def _either_of_both(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
    return sorted({*a, *b}), len({*a, *b})


# 2.5 The order of merging

_SYNONYMS = (
    ("dog", "hound"),
    ("cat", "feline"),
    ("feed", "diet"),
    ("train", "teach"),
    ("illness", "disease"),
    ("cage", "aviary"),
    ("vet", "clinic"),
    ("price", "cost"),
)


def _groups(draw: Draw) -> dict[str, Any]:
    while True:
        pairs = draw.some(_SYNONYMS, 4)
        df = {name: {word: draw.whole(20, 990) for word in pair} for name, pair in zip("ABCD", pairs, strict=True)}
        if len({sum(group.values()) for group in df.values()}) == len(df):
            return {"query": " AND ".join(f"({one} OR {other})" for one, other in pairs), "df": df}


def _order(given: Given, by: Callable[..., int]) -> list[str]:
    return sorted(given.df, key=lambda name: by(given.df[name].values()))


# 2.6 Overlap

_TEXTS = (
    "how to train a cat to walk on a lead",
    "the lead in old paint and the health of a parrot",
    "a dog on a lead and a dog off the lead",
    "train your parrot to step on a hand",
    "walk the dog then walk the dog again",
    "what to feed a cat and what not to feed a cat",
    "health of the old dog",
    "a parrot and a cat in one home",
    "train by train with a dog and a cat",
    "dog cat parrot and other words for love",
    "goldfish need no walk",
    "an old horse at grass",
    "feed and health of horses",
)
_ASKED = (
    "train dog lead",
    "cat parrot feed",
    "walk dog lead",
    "feed cat health",
    "train parrot cat",
    "dog health walk",
)


def _texts_and_query(draw: Draw) -> dict[str, Any]:
    while True:
        given = {"query": draw.one(_ASKED), "documents": dict(enumerate(draw.some(_TEXTS, 7), 1))}
        levels = set(_overlaps(Given(**given)).values())
        if 0 in levels and len(levels) > 2:
            return given


def _overlaps(given: Given, tokens: bool = False) -> dict[int, int]:
    query = set(given.query.split())
    words = {number: text.split() for number, text in given.documents.items()}
    return {n: sum(each.count(term) if tokens else term in each for term in query) for n, each in words.items()}


def _ranked(given: Given, way: str = "distinct") -> list[int]:
    shared = _overlaps(given, tokens=way == "tokens")
    least = {"all": 0, "and": max(shared.values())}.get(way, 1)
    turn = -1 if way == "late ties" else 1
    return sorted((n for n in shared if shared[n] >= least), key=lambda n: (-shared[n], turn * n))


EXERCISES = (
    BY_HAND,
    FROM_SCRATCH,
    Exercise(
        number="2.3",
        title="Boolean retrieval by hand",
        given=_three_lists,
        answer=Unordered(Whole(), "documents"),
        expected=lambda given: _boolean(given, "right"),
        mistakes=(
            Mistake(
                lambda given: _boolean(given, "no parentheses"),
                "mind the parentheses: AND NOT takes documents away from what both words found.",
            ),
            Mistake(lambda given: _boolean(given, "or is and"), "OR asks for one of the two words, not for both."),
            Mistake(
                lambda given: _boolean(given, "either"),
                "OR does not exclude: a document with both words is found as well.",
            ),
            Mistake(lambda given: _boolean(given, "no not"), "you read AND; the query says AND NOT."),
            Mistake(lambda given: _boolean(given, "not left out"), "nothing has been taken away yet by AND NOT."),
            Mistake(
                lambda given: _boolean(given, "all the others"),
                "these are all documents without the last word; they have to hold one of the others too.",
            ),
        ),
        hints=(
            "First merge the two lists of the parenthesis: every document that stands in one of them, once.",
            "Then strike out what stands in the third list.",
        ),
    ),
    Exercise(
        number="2.4",
        title="A merge and its cost",
        answer=Function(
            Pair(("documents", "turns"), (Ordered(Whole(), "documents"), Whole())),
            "intersect(a, b)",
        ),
        inputs=_two_lists,
        expected=lambda given: _merged,
        mistakes=(
            Mistake(lambda given: _either_of_both, "this merges for OR: AND keeps what stands in both lists."),
            Mistake(
                lambda given: _every_pair,
                "you compare each document of one list with each of the other; in a merge both places only move on.",
            ),
            Mistake(
                lambda given: _at_the_most,
                "the two lengths added are what a merge takes at the most; count the turns that it does take.",
            ),
            Mistake(
                lambda given: _to_both_ends,
                "you go on after one list has ended; for AND nothing can be found there any more.",
            ),
            Mistake(
                lambda given: _one_step_on_a_match,
                "after a match move on in both lists: you take a turn more for each.",
            ),
        ),
        hints=(
            "Keep two places, i = 0 and j = 0, and go on while i < len(a) and j < len(b). Each time round is a turn.",
            "There are three cases: a[i] equals b[j] (keep it, move both on), is smaller (move i on), is larger.",
        ),
        points=2,
    ),
    Exercise(
        number="2.5",
        title="Which merge comes first",
        given=_groups,
        answer=Ordered(Text(), "groups"),
        expected=lambda given: _order(given, sum),
        mistakes=(
            Mistake(
                lambda given: _order(given, sum)[::-1],
                "this begins with the longest list; begin with what leaves least to compare.",
            ),
            Mistake(
                lambda given: _order(given, min),
                "you went by the rarer word of each group; OR finds the documents of the other as well.",
            ),
            Mistake(
                lambda given: _order(given, max),
                "you went by the more frequent word of each group; the documents of the other come on top.",
            ),
            Mistake(lambda given: list("ABCD"), "this is the order in which they are written; look at df."),
        ),
        hints=(
            "The result of AND is never longer than the shorter of the two lists.",
            "How long can the list of (x OR y) be at most, if no document holds both?",
        ),
    ),
    Exercise(
        number="2.6",
        title="Overlap by hand",
        given=_texts_and_query,
        answer=Ordered(Whole(), "documents"),
        expected=_ranked,
        mistakes=(
            Mistake(
                lambda given: _ranked(given, "tokens"),
                "you counted occurrences; overlap counts how many different words of the query a document holds.",
            ),
            Mistake(
                lambda given: _ranked(given, "all"),
                "a document without any word of the query is not retrieved at all.",
            ),
            Mistake(
                lambda given: _ranked(given, "late ties"),
                "documents with equal overlap stand by rising number here; yours fall.",
            ),
            Mistake(
                lambda given: _ranked(given, "and"),
                "the best level is only the beginning: documents with fewer of the words follow.",
            ),
        ),
        hints=(
            "For each document write down which of the query's words it holds, each word once.",
            "Sort by that count, the largest first, then by the number of the document. Leave out those with 0.",
        ),
    ),
    CODES,
    PHRASES,
)
