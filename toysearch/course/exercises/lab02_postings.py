"""What an index lists: the exercises of lab 2 on postings, and on positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toysearch.course.answer_kinds import Function, Ordered, Table, Whole
from toysearch.course.exercise import Answer, Case, Exercise, Given, Mistake, Unusable
from toysearch.course.students import Draw

Posting = tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """Two values in a fixed order, such as a posting.

    Parameters
    ----------
    names : pair of str
        What they are.
    kinds : pair of Answer
        The kind of each.

    Examples
    --------
    >>> pair = Pair(("document", "tf"), (Whole(), Whole()))
    >>> case = Case(Given(), [])
    >>> pair.look((3, 2.0), case), pair.expects, pair.remark([3, 1], [3, 2], case)
    ([3, 2], 'a pair (document, tf)', 'document: right; tf: not')
    >>> pair.look([3, 2, 1], case)
    Traceback (most recent call last):
    toysearch.course.exercise.Unusable: [3, 2, 1] where a pair (document, tf) should be
    """

    names: tuple[str, str]
    kinds: tuple[Answer, Answer]

    @property
    def expects(self) -> str:
        """What a student should give."""
        return f"a pair ({', '.join(self.names)})"

    def look(self, answer: Any, case: Case) -> list[Any]:
        """The two values."""
        if isinstance(answer, str | Mapping) or not isinstance(answer, Sequence) or len(answer) != 2:
            raise Unusable(f"{answer!r:.60} where {self.expects} should be")
        return [kind.look(value, case) for kind, value in zip(self.kinds, answer, strict=True)]

    def same(self, seen: list[Any], right: list[Any]) -> bool:
        """Whether both are the same."""
        return all(self._same(seen, right))

    def remark(self, seen: list[Any], right: list[Any], case: Case) -> str:
        """Which of the two is wrong, if one is right."""
        good = self._same(seen, right)
        return f"{self.names[good.index(True)]}: right; {self.names[good.index(False)]}: not" * any(good)

    def _same(self, seen: list[Any], right: list[Any]) -> list[bool]:
        return [kind.same(*both) for kind, *both in zip(self.kinds, seen, right, strict=True)]


POSTINGS = Ordered(Pair(("document", "tf"), (Whole(), Whole())), "postings")


# 2.1 Postings by hand

ANIMALS = ("cat", "dog", "parrot", "rabbit", "hamster", "horse", "tortoise", "ferret", "mynah")
_SENTENCES = (
    "a {x} and another {x} share a basket",
    "how to train a {x} that knows nothing yet",
    "{x}s are at home where their food is",
    "the {y} ran and the {x} ran after it",
    "no {y} likes to be alone",
    "two {x}s met one {x} at the vet",
    "feed the {y} before you feed yourself",
    "where the {x} sleeps a {x} has slept before",
    "some {x}s outlive their owners",
    "the oldest {y} of all was no {x}",
)


def _sentences(draw: Draw) -> dict[str, Any]:
    while True:
        term, other = draw.some(ANIMALS, 2)
        texts = [text.format(x=term, y=other) for text in draw.some(_SENTENCES, 6)]
        counts = [text.split().count(term) for text in texts]
        plural_only = any(f"{term}s" in text.split() and not count for text, count in zip(texts, counts, strict=True))
        if plural_only and 2 in counts and counts.count(0) >= 2 and counts.count(1) >= 2:
            return {"term": term, "documents": dict(enumerate(texts, 1))}


def _postings_of(given: Given, first: int = 1, once: bool = False, plurals: bool = False) -> list[Posting]:
    found = []
    for number, text in enumerate(given.documents.values(), first):
        words = text.split()
        tf = words.count(given.term) + plurals * words.count(f"{given.term}s")
        if tf:
            found.append((number, 1 if once else tf))
    return found


# 2.2 An index from scratch

_WORDS = ("cat", "dog", "train", "walk", "the", "and", "feed", "bird", "play", "vet", "home", "lead")


def _token_lists(draw: Draw, given: Given) -> list[tuple[list[list[str]]]]:
    lists = [[[draw.one(_WORDS) for _ in range(draw.whole(4, 9))] for _ in range(4)] for _ in range(2)]
    return [([["the", "cat", "and", "the", "dog"], ["dog"]],), *((tokens,) for tokens in lists), ([["cat"], []],)]


def _inverted(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
    index: dict[str, list[Posting]] = {}
    for number, tokens in enumerate(documents, 1):
        for term in dict.fromkeys(tokens):
            index.setdefault(term, []).append((number, tokens.count(term)))
    return index


def _altered(change: Callable[[Posting], list[Posting]]) -> Callable[..., dict[str, list[Posting]]]:
    """An inversion that puts other postings in the place of each."""

    def inverted(documents: Sequence[Sequence[str]]) -> dict[str, list[Posting]]:
        index = _inverted(documents)
        return {term: [other for posting in found for other in change(posting)] for term, found in index.items()}

    return inverted


BY_HAND = Exercise(
    number="2.1",
    title="A postings list by hand",
    given=_sentences,
    answer=POSTINGS,
    expected=_postings_of,
    mistakes=(
        Mistake(lambda given: _postings_of(given, first=0), "the first document has the number 1 here, not 0."),
        Mistake(
            lambda given: _postings_of(given, once=True),
            "these are the right documents, but tf is how often the term occurs in each.",
        ),
        Mistake(
            lambda given: _postings_of(given, plurals=True),
            "you counted the plural as well; without a stemmer it is a term of its own.",
        ),
    ),
    hints=(
        "A posting is a document that holds the term, with the number of times it does. No posting says 0.",
        "Write them by rising document number, as in [(2, 1), (5, 3)]: once in document 2, three times in 5.",
    ),
)

FROM_SCRATCH = Exercise(
    number="2.2",
    title="An index from scratch",
    answer=Function(Table(POSTINGS, "terms"), "inverted(documents)"),
    inputs=_token_lists,
    expected=lambda given: _inverted,
    mistakes=(
        Mistake(
            lambda given: _altered(lambda posting: [(posting[0] - 1, posting[1])]),
            "your first document has the number 0; here documents count from 1.",
        ),
        Mistake(
            lambda given: _altered(lambda posting: [(posting[0], 1)]),
            "every tf of yours is 1, also where a document repeats a term.",
        ),
        Mistake(
            lambda given: _altered(lambda posting: [(posting[0], 1)] * posting[1]),
            "a document that repeats a term has several postings in your list; it should be one, with its tf.",
        ),
        Mistake(
            lambda given: _altered(lambda posting: [posting] * posting[1]),
            "you add a posting for each token; add one for each different term of a document.",
        ),
        Mistake(
            lambda given: lambda documents: {term: postings[::-1] for term, postings in _inverted(documents).items()},
            "your postings stand by falling document number; they should rise.",
        ),
    ),
    hints=(
        "Go through the documents in order, numbered by enumerate(documents, 1), and append to the lists: then "
        "they rise by themselves.",
        "collections.Counter(tokens) counts the terms of one document; index.setdefault(term, []) gives a term's "
        "list and makes it where there is none.",
    ),
    points=2,
)


# 2.8 Phrases


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
    """Document → where each word of the phrase stands for the first time, of those that hold all."""
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
    number="2.8",
    title="Phrases from positions",
    answer=Function(Ordered(Whole(), "documents"), "with_phrase(phrase, documents)"),
    inputs=_phrases,
    expected=lambda given: _with_phrase,
    mistakes=(
        Mistake(lambda given: _from_zero, "your first document has the number 0; here documents count from 1."),
        Mistake(lambda given: _with_words, "you find all documents with the words, wherever they stand."),
        Mistake(lambda given: _in_order, "the words are in the right order in what you find, but not always next."),
        Mistake(
            lambda given: _as_text,
            "you search in the joined text, where a word can be a part of another one, as cat is of wildcat.",
        ),
        Mistake(lambda given: _either_way, "you find the phrase backwards as well."),
        Mistake(
            lambda given: _at_first_places,
            "you look at the first position of a word only; the phrase may begin at a later one.",
        ),
        Mistake(
            lambda given: _by_pairs,
            "you look for each pair of neighbours somewhere; of three words all pairs may be there, apart.",
        ),
    ),
    hints=(
        "Make an index that keeps positions: term → document → list of positions, by "
        "enumerate(tokens). A dict in a dict will do.",
        "The phrase begins at position p if its second word is at p + 1, its third at p + 2, and so on. "
        "Try every p of the first word.",
    ),
    points=3,
)
