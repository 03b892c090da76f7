"""Exercise as data: what it gives, what a right answer is, mistakes, hints, and numbers drawn for each student."""

from __future__ import annotations

import functools
import hashlib
import importlib
import itertools
import operator
import pprint
import random
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from toysearch.base import ArgumentError, cut, expect_name, without_notes

ANYONE = "anyone"
"""Student of the examples, and of a lab started without a name."""

_LONGEST = 100

T = TypeVar("T")

Drawn = dict[str, Any]
"""Values drawn for one student, by the names under which the exercise gives them."""

Numbers = dict[str, float]
"""Answer of several numbers, by name."""


class Draw:
    """Numbers drawn for one student and one exercise.

    Everything is made from `random.Random.random`, the one method whose sequence Python promises to keep.
    """

    def __init__(self, *seed: str) -> None:
        digest = hashlib.sha256("\n".join(seed).encode()).digest()
        self._random = random.Random(int.from_bytes(digest)).random

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number from low to high, inclusive."""
        return low + int(self._random() * (high - low + 1))

    def number(self, low: float, high: float, decimals: int) -> float:
        """Draw a number between two others, with few decimals."""
        return round(low + self._random() * (high - low), decimals)

    def one(self, among: Sequence[T]) -> T:
        """Draw one of several."""
        return among[self.whole(0, len(among) - 1)]

    def some(self, among: Sequence[T], count: int) -> list[T]:
        """Draw several different ones, in random order."""
        rest = list(among)
        return [rest.pop(self.whole(0, len(rest) - 1)) for _ in range(count)]

    def shuffled(self, among: Sequence[T]) -> list[T]:
        """Return all of them, in random order."""
        return self.some(among, len(among))


def checked_name(student: str | None) -> str:
    """Return a student's name without stray blanks; `ANYONE` for none."""
    if student is not None and not isinstance(student, str):
        raise ArgumentError(f'a student\'s name is a text such as student="ada", not {type(student).__name__}')
    name = " ".join((student or "").split()) or ANYONE
    if len(name) > _LONGEST or not name.isprintable():
        raise ArgumentError(f"a student's name has at most {_LONGEST} letters, all of them printable, not {name!a}")
    return name


def clean_name(text: str) -> str:
    r"""Turn a text of any origin into the name of a student: cut, with blanks for what cannot be printed.

    >>> clean_name("Ada\x1b[2J \ud800"), len(clean_name("a" * 300)), clean_name("\n")
    ('Ada [2J', 100, 'unnamed')
    """
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return cut(" ".join(printable.split()), _LONGEST) or "unnamed"


def seed(student: str) -> str:
    """Return the part of a name that decides the numbers, without case and blanks."""
    return unicodedata.normalize("NFKC", checked_name(student)).casefold()


def individual_number(key: str, student: str) -> str:
    """Compute the number of a student that needs the key of its owner; with the name it decides the numbers of labs.

    >>> individual_number("winter", "Ada") == individual_number("winter", " ada "), individual_number("", "Ada")
    (True, '')
    """
    secret = hashlib.sha256(key.encode()).digest()
    return hashlib.blake2b(seed(student).encode(), digest_size=8, key=secret).hexdigest() if key else ""


_ATTEMPTS = 200


class Given:
    """Named values that an exercise gives to one student.

    >>> given = Given(text="A cat", k=3)
    >>> given
    text = 'A cat'
    k = 3
    >>> given.k, given["k"], dict(given)
    (3, 3, {'text': 'A cat', 'k': 3})
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:  # for the type checker: every value is set in __init__
        raise AttributeError(f"this exercise gives no '{name}'; it gives {', '.join(vars(self)) or 'none'}")

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def keys(self) -> list[str]:
        """Return the names of the values."""
        return [*self]

    def __repr__(self) -> str:
        lines = []
        for name, value in vars(self).items():
            text = pprint.pformat(value, width=97 - len(name), sort_dicts=False)
            lines.append(f"{name} = {text}".replace("\n", "\n" + " " * (len(name) + 3)))
        return "\n".join(lines) or "this exercise gives no values"


class Case(NamedTuple):
    """Exercise of one student: the given values, and the arguments for an answer that is a function."""

    given: Given
    inputs: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Answer:
    """Kind of answer (see `toysearch.classroom.answers`); by default right if equal, with no remark."""

    expects: str  # the expected answer, such as "a number, to 3 decimals"
    # (answer, case) → the comparable part of the answer, fit for JSON; raises `Unusable` for a wrong kind
    look: Callable[[Any, Case], Any]
    # (seen, right) → whether an observed answer is as good as the right one
    same: Callable[[Any, Any], bool] = operator.eq
    # (seen, right, case) → a hint about a wrong answer that does not reveal the right one; "" for none
    remark: Callable[[Any, Any, Case], str] = lambda seen, right, case: ""
    is_bar: bool = False  # whether an answer better than the right one is right, too


class Unusable(Exception):
    """Raised for an answer of the wrong kind; the message describes it."""


class Unanswered(Unusable):
    """Raised for an empty answer, such as a function without a body; the message says so."""


Function = Callable[..., Any]

Wrong = Callable[[Given], Any] | Mapping[str, Any]
"""Origin of a wrong answer: a function of the given values, or the arguments by which the right one goes wrong."""

Mistakes = Mapping[str, Wrong | list[Wrong]]
"""Common mistakes: the comment, which does not reveal the answer, and one wrong answer or several."""


class Mistake(NamedTuple):
    """Common mistake."""

    answer: Callable[[Given], Any]  # the wrong one: a function of the given values, like ``Exercise.expected``
    sentence: str  # the comment


def _several(one_or_more: Any) -> list[Any]:
    return one_or_more if isinstance(one_or_more, list) else [one_or_more]


def wrong_functions(
    table: Mapping[str, Wrong | Function | list[Function]], right: Function | None = None
) -> dict[str, list[Wrong]]:
    """Return mistakes in an answer that is a function, from the wrong functions, or the arguments of a right one.

    The inputs of the exercise show the difference from the right function to every student: they are made for it, and
    only their names and numbers are drawn.
    """

    def always(wrong: Any) -> Wrong:
        function = partial(right, **wrong) if right is not None and isinstance(wrong, Mapping) else wrong
        return lambda given: function

    return {sentence: [*map(always, _several(wrong))] for sentence, wrong in table.items()}


_ENDS = {
    "you return inside the loop, after the first item.": slice(1),
    "you leave out the last item.": slice(-1),
    "you leave out the first item.": slice(1, None),
}


def lost_items(right: Function) -> dict[str, list[Wrong]]:
    """Return the mistakes of a right function that does not go through all of its first argument."""

    def of(part: slice) -> Function:
        return lambda items, *others: right(items[part], *others)

    return wrong_functions({sentence: of(part) for sentence, part in _ENDS.items()})


def shifted(given: Given, **by: int) -> Given:
    """Return the given values, with some of the whole numbers increased.

    >>> shifted(Given(first=3, last=8), last=-1)
    first = 3
    last = 7
    """
    values = vars(given)
    return Given(**values | {name: values[name] + more for name, more in by.items()})


def swapped(expected: Callable[[Given], dict[str, Any]], one: str, other: str) -> Wrong:
    """Return the mistake of swapping two of the expected values."""

    def wrong(given: Given) -> dict[str, Any]:
        values = expected(given)
        return {**values, one: values[other], other: values[one]}

    return wrong


def off_by_one(expected: Callable[[Given], Any], *names: str) -> list[Wrong]:
    """Return the off-by-one mistakes in given numbers, such as the last place of a part: two for each."""

    def off(name: str, by: int) -> Wrong:
        return lambda given: expected(shifted(given, **{name: by}))

    return [off(name, by) for name in names for by in (-1, 1)]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """Exercise of a lab."""

    title: str  # a few words
    answer: Answer  # the kind of answer
    # a right answer, from the given values; if the answer is a function, a right function
    expected: Callable[[Given], Any]
    # The values given to the student, as a dict, from a `Draw`; by default none
    given: Callable[[Draw], Drawn] = field(default=lambda draw: {})
    # If the answer is a function: the tuples of arguments with which it is called, from a `Draw` and the given values.
    # The student does not see them in advance; a grader uses others
    inputs: Callable[[Draw, Given], Sequence[tuple[Any, ...]]] = field(default=lambda draw, given: [])
    mistakes: Mistakes = field(default_factory=dict, hash=False)  # the first that fits is reported
    hints: Sequence[str] = ()  # in order; each helps more than the one before
    why: str = ""  # its relevance: one sentence, shown with a right answer
    points: int = 1
    number: str = ""  # the numbers of the lab and the exercise, such as "3.2"; its place in the lab decides
    _drawn: dict[tuple[str, str], int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def wrong_answers(self) -> list[Mistake]:
        """Return the common mistakes one by one, each with a function of the given values."""
        return [
            Mistake(partial(self.expected, **wrong) if isinstance(wrong, Mapping) else wrong, sentence)
            for sentence, several in self.mistakes.items()
            for wrong in _several(several)
        ]

    def case(self, student: str, salt: str = "", individual: str = "") -> Case:
        """Draw the exercise of this student, again if a mistake coincides with the right answer or another mistake.

        Two mistakes with one sentence may coincide.
        """
        name = "\n".join(filter(None, [seed(student), individual]))
        with without_notes():
            first = self._clear(name, "", lambda attempt: self._case(name, attempt, "", attempt))
            salted = self._clear(name, salt, lambda attempt: self._case(name, first, salt, attempt)) if salt else first
            return self._case(name, first, salt, salted)

    def _case(self, name: str, attempt: int, salt: str, inputs_attempt: int) -> Case:
        values = Given(**self.given(Draw(name, self.number, str(attempt))))
        return Case(values, list(self.inputs(Draw(name, self.number, "inputs", salt, str(inputs_attempt)), values)))

    def _clear(self, name: str, salt: str, drawn: Callable[[int], Case]) -> int:
        """Return the number of the first attempt in which nothing coincides; 0 if there is none."""
        if (name, salt) not in self._drawn:
            clear = (attempt for attempt in range(_ATTEMPTS) if self._is_clear(drawn(attempt)))
            self._drawn[name, salt] = next(clear, 0)
        return self._drawn[name, salt]

    def _is_clear(self, case: Case) -> bool:
        answers = (Mistake(self.expected, ""), *self.wrong_answers())
        looks = [(self.answer.look(each.answer(case.given), case), each.sentence) for each in answers]
        return not any(
            said != later_said and self.answer.same(later, earlier)
            for (earlier, said), (later, later_said) in itertools.combinations(looks, 2)
        )


class Lesson(NamedTuple):
    """Lab of the course."""

    number: int  # from 1
    name: str  # of its file, without the number
    title: str
    minutes: int  # approximate duration for a student
    topics: tuple[str, ...]  # the usual course topics that it covers
    prediction: str  # what the reason of a student's prediction says
    explanation: tuple[str, ...]  # what a student's explanation says

    @property
    def stem(self) -> str:
        """Return the name of its files, without a suffix."""
        return f"{self.number:02}-{self.name}"

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """Return its exercises, in their order."""
        return _numbered(self)


@functools.cache
def _numbered(lab: Lesson) -> tuple[Exercise, ...]:
    listed = importlib.import_module(f"toysearch.classroom.exercises.lab{lab.number:02}").EXERCISES
    return tuple(replace(each, number=f"{lab.number}.{place}") for place, each in enumerate(listed, 1))


LESSONS = tuple(
    Lesson(**lab | {"topics": tuple(lab["topics"]), "explanation": tuple(lab["explanation"])})  # which are hashed
    for lab in tomllib.loads(Path(__file__).with_name("labs.toml").read_text(encoding="utf-8"))["lab"]
)


def lesson(number: int) -> Lesson:
    """Return a lab by its number."""
    by_number = {str(candidate.number): candidate for candidate in LESSONS}
    expect_name("lab", str(number), by_number)
    return by_number[str(number)]


def exercise(number: str) -> Exercise:
    """Return an exercise by its number."""
    if not isinstance(number, str) or not number.partition(".")[0].isdigit():
        raise ArgumentError(f'an exercise is named by a text such as "1.1", not by {number!r}')
    by_number = {candidate.number: candidate for candidate in lesson(int(number.partition(".")[0])).exercises}
    expect_name("exercise", number, by_number)
    return by_number[number]
