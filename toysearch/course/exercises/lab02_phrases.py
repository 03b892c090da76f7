"""Lab 2: positions, phrases, windows and wildcards."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from toysearch import Analyzer, Index
from toysearch.course.answers import function, ordered, table, text, unordered, whole
from toysearch.course.exercise import Draw, Exercise, Given, Mistake, off_by_one
from toysearch.course.lab_collection import collection

ANIMALS = ("cat", "dog", "parrot", "rabbit", "hamster", "horse", "tortoise", "ferret", "mynah")

# 2.8 Positions by hand

_PLACES = range(25)


def _places(draw: Draw) -> dict[str, Any]:
    """The positions of two terms in a document; some are neighbours, in both orders."""
    a, b = draw.some(ANIMALS, 2)
    while True:
        places = draw.some(_PLACES, 10)
        positions = {a: sorted(places[:5]), b: sorted(places[5:])}
        values = {"positions": positions, "phrase": f'"{a} {b}"', "width": draw.whole(3, 6)}
        if _starts(positions[a], positions[b], 1) and _starts(positions[b], positions[a], 1):
            return values


def _starts(first: Sequence[int], second: Sequence[int], distance: int) -> list[int]:
    """The positions of the first term with the second one at most some positions after it."""
    return [start for start in first if any(0 < place - start <= distance for place in second)]


def _lists(given: Given) -> tuple[list[int], list[int]]:
    a, b = given.positions.values()
    return a, b


def _positions(given: Given) -> dict[str, list[int]]:
    a, b = _lists(given)
    window = _starts(a, b, given.width - 1) + _starts(b, a, given.width - 1)
    return {"phrase": sorted(_starts(a, b, 1)), "window": sorted(window)}


def _changed(change: Callable[[list[int], list[int], int], dict[str, list[int]]]) -> Callable[[Given], dict[str, Any]]:
    """The right answer, except for what a function of both lists and the width gives."""
    return lambda given: _positions(given) | change(*_lists(given), given.width)


def _ends(a: Sequence[int], b: Sequence[int], distance: int) -> list[int]:
    return [place for place in b if any(0 < place - start <= distance for start in a)]


_WIDTH = "a window of n positions that starts at p ends at p + n − 1, not before and not after."

POSITIONS = Exercise(
    number="2.8",
    title="Positions by hand",
    why="From positions, an index answers phrases and windows without reading a text.",
    given=_places,
    answer=table(ordered(whole(), "positions"), "queries"),
    expected=_positions,
    mistakes=(
        Mistake(
            _changed(lambda a, b, width: {"phrase": sorted(_starts(a, b, 1) + _starts(b, a, 1))}),
            "a phrase has its words in their order; you also count the second word before the first.",
        ),
        Mistake(
            _changed(lambda a, b, width: {"phrase": _starts(b, a, 1)}),
            "your phrase is backwards: its first word comes first in the text.",
        ),
        Mistake(
            _changed(lambda a, b, width: {"phrase": _ends(a, b, 1)}),
            "these are the positions of the second word of the phrase; an occurrence is counted where it starts.",
        ),
        Mistake(
            _changed(lambda a, b, width: {"window": _starts(a, b, width - 1)}),
            "in a window the words are in any order; yours all start with the first word.",
        ),
        Mistake(
            _changed(lambda a, b, width: {"window": sorted(_ends(a, b, width - 1) + _ends(b, a, width - 1))}),
            "these are the positions where windows end; an occurrence is counted where it starts.",
        ),
        *off_by_one(_positions, "width", _WIDTH),
    ),
    hints=(
        "For the phrase, take each position p of the first word. Is p + 1 among the positions of the second?",
        "For the window, take each position p of either word. Is the other word at one of p + 1, …, p + width − 1?",
    ),
)


# 2.9 Phrases


def _phrases(draw: Draw, given: Given) -> list[tuple[list[str], list[list[str]]]]:
    a, b, c, other = draw.some(ANIMALS, 4)
    tricky = [
        [a, b, c],
        [c, b, a],
        [a, other, b, c],
        [a, b, other, b, c],
        [b, a, other],
        [a, other, a, b, c],
        [f"wild{a}", b, f"{other}s"],
    ]
    documents = draw.shuffled(tricky)
    small = ([a, b], [[a, b], [b, a], [a, c, b]])
    return [small, ([a, b], documents), ([a, b, c], documents), ([other], documents), ([c, a], documents)]


def _with_phrase(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    length = len(phrase)
    return [
        number
        for number, tokens in enumerate(documents, 1)
        if any(list(tokens[at : at + length]) == list(phrase) for at in range(len(tokens)))
    ]


def _with_words(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return [number for number, tokens in enumerate(documents, 1) if set(phrase) <= set(tokens)]


def _first_places(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> dict[int, list[int]]:
    """Document → the first position of each word of the phrase, for documents that contain all of them."""
    return {number: [documents[number - 1].index(word) for word in phrase] for number in _with_words(phrase, documents)}


def _in_order(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return [number for number, places in _first_places(phrase, documents).items() if places == sorted(places)]


def _at_first_places(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return [
        number
        for number, places in _first_places(phrase, documents).items()
        if places == list(range(places[0], places[0] + len(places)))
    ]


def _either_way(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return sorted({*_with_phrase(phrase, documents), *_with_phrase(phrase[::-1], documents)})


def _by_pairs(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    pairs = [phrase[at : at + 2] for at in range(max(1, len(phrase) - 1))]
    return sorted(set.intersection(*(set(_with_phrase(pair, documents)) for pair in pairs)))


def _as_text(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return [number for number, tokens in enumerate(documents, 1) if " ".join(phrase) in " ".join(tokens)]


def _from_zero(phrase: Sequence[str], documents: Sequence[Sequence[str]]) -> list[int]:
    return [number - 1 for number in _with_phrase(phrase, documents)]


PHRASES = Exercise(
    number="2.9",
    title="Phrases from positions",
    why="Positions make phrases possible, and they make an index two to four times as large.",
    answer=function(ordered(whole(), "documents"), "with_phrase(phrase, documents)"),
    inputs=_phrases,
    expected=lambda given: _with_phrase,
    mistakes=(
        Mistake(lambda given: _from_zero, "your first document has the number 0; here documents count from 1."),
        Mistake(lambda given: _with_words, "you find all documents that contain the words, in any position."),
        Mistake(
            lambda given: _in_order,
            "your documents have the words in the right order, but not always next to each other.",
        ),
        Mistake(
            lambda given: _as_text,
            "you search the joined text, where a word can be part of another one, such as cat in wildcat.",
        ),
        Mistake(lambda given: _either_way, "you find the phrase backwards as well."),
        Mistake(
            lambda given: _at_first_places,
            "you look only at the first position of a word; the phrase may begin at a later one.",
        ),
        Mistake(
            lambda given: _by_pairs,
            "you look for each pair of neighbours separately; all pairs may occur without the whole phrase.",
        ),
    ),
    hints=(
        "Make an index that keeps positions: term → document → list of positions, by "
        "enumerate(tokens). A dict of dicts works.",
        "The phrase begins at position p if its second word is at p + 1, its third at p + 2, and so on. "
        "Try every p of the first word.",
    ),
    points=3,
)


# 2.10 Wildcards by hand

_PATTERNS = (
    "al*s",
    "an*s",
    "ar*ed",
    "ce*e",
    "ch*es",
    "co*nt",
    "de*es",
    "en*e",
    "he*er",
    "le*e",
    "pr*es",
    "re*es",
    "re*rd",
)


@functools.cache
def _words() -> list[str]:
    terms = Index.build(collection(), Analyzer()).terms
    return [term for term in terms if term.isascii() and term.isalpha() and 3 < len(term) < 11]


def _wildcard(draw: Draw) -> dict[str, Any]:
    """A pattern, and words that fit it, that only have its 2-grams, and that lack one."""
    pattern = draw.one(_PATTERNS)
    grams = _grams(pattern)
    shared = {word: sum(gram in f"${word}$" for gram in grams) for word in _words()}
    candidates = [word for word in shared if shared[word] == len(grams)]
    fitting = [word for word in candidates if _fits(word, pattern)]
    others = [word for word in candidates if word not in fitting]
    near = [word for word in shared if shared[word] == len(grams) - 1]
    return {"pattern": pattern, "words": sorted([*draw.some(fitting, 3), *draw.some(others, 2), *draw.some(near, 4)])}


def _halves(pattern: str) -> tuple[str, str]:
    begin, _, end = pattern.partition("*")
    return begin, end


def _fits(word: str, pattern: str) -> bool:
    begin, end = _halves(pattern)
    return word.startswith(begin) and word.endswith(end) and len(word) >= len(begin) + len(end)


def _grams(pattern: str, *, marks: bool = True, joined: bool = False) -> list[str]:
    begin, end = _halves(pattern)
    pieces = [f"${begin}{end}$"] if joined else [f"${begin}", f"{end}$"]
    pieces = pieces if marks else [piece.strip("$") for piece in pieces]
    return list(dict.fromkeys(piece[at : at + 2] for piece in pieces for at in range(len(piece) - 1)))


def _steps(given: Given) -> dict[str, list[str]]:
    begin, end = _halves(given.pattern)
    grams = _grams(given.pattern)
    return {
        "rotation": [f"{end}${begin}*"],
        "2-grams": grams,
        "candidates": [word for word in given.words if all(gram in f"${word}$" for gram in grams)],
        "terms": [word for word in given.words if _fits(word, given.pattern)],
    }


def _instead(step: str, change: Callable[[Given], list[str]]) -> Callable[[Given], dict[str, list[str]]]:
    """The right steps except one."""
    return lambda given: _steps(given) | {step: change(given)}


WILDCARDS = Exercise(
    number="2.10",
    title="A wildcard by hand",
    why="Both indexes turn a search in the middle of words into a search that a sorted list can answer.",
    given=_wildcard,
    answer=table(unordered(text(), "texts"), "steps"),
    expected=_steps,
    mistakes=(
        Mistake(
            _instead("rotation", lambda given: ["{}${}*".format(*_halves(given.pattern))]),
            "rotate until the star is last: what stands after the star comes first, then $, then the beginning.",
        ),
        Mistake(
            _instead("rotation", lambda given: ["{1}{0}*".format(*_halves(given.pattern))]),
            "your rotation has lost the mark of the end, $.",
        ),
        Mistake(
            _instead("2-grams", lambda given: _grams(given.pattern, marks=False)),
            "your 2-grams lack the marks: $ stands before the first letter of a term and after the last one.",
        ),
        Mistake(
            _instead("2-grams", lambda given: _grams(given.pattern, joined=True)),
            "you joined the letters on both sides of the star; other letters may stand between them.",
        ),
        Mistake(
            _instead("candidates", lambda given: _steps(given)["terms"]),
            "candidates are all words that have the 2-grams, wherever these stand; some do not fit the pattern.",
        ),
        Mistake(
            _instead("terms", lambda given: _steps(given)["candidates"]),
            "you did not check the candidates: some have all 2-grams, but in other places.",
        ),
    ),
    hints=(
        "For ab*c, the term is ab…c$ with its mark; rotated until the star is last, this is c$ab*.",
        "The 2-grams of ab*c are those of $ab and of c$. Go through the words: which have all of them?",
    ),
    points=2,
)
