"""The exercise of lab 2 on codes of gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toysearch.course.answer_kinds import Table, Text
from toysearch.course.exercise import Case, Exercise, Given, Mistake, Unusable
from toysearch.course.students import Draw
from toysearch.laboratory.explain.codes import delta, gamma, variable_byte


@dataclass(frozen=True)
class Bits:
    """A text of 0 and 1; blanks in it do not matter.

    Examples
    --------
    >>> Bits().look("1110 101", Case(Given(), []))
    '1110101'
    >>> Bits().look("1110 102", Case(Given(), []))
    Traceback (most recent call last):
    toysearch.course.exercise.Unusable: the text '1110 102'
    >>> Bits().remark("111", "1110101", Case(Given(), []))
    'there should be more bits'
    """

    @property
    def expects(self) -> str:
        """What a student should give."""
        return "a text of 0 and 1"

    def look(self, answer: Any, case: Case) -> str:
        """The text without blanks."""
        bits = Text().look(answer, case).replace(" ", "")
        if not bits or bits.strip("01"):
            raise Unusable(f"the text '{answer:.60}'")
        return bits

    def same(self, seen: str, right: str) -> bool:
        """Whether they are equal."""
        return seen == right

    def remark(self, seen: str, right: str, case: Case) -> str:
        """How many bits there should be."""
        return f"there should be {'more' if len(seen) < len(right) else 'fewer'} bits" * (len(seen) != len(right))


def _documents_to_code(draw: Draw) -> dict[str, Any]:
    first = draw.whole(3, 90)
    second = first + draw.whole(5, 120)
    gap = draw.whole(135, 500)
    return {
        "documents": [first, second, second + gap, second + gap + draw.whole(2, 60)],
        "document": second + gap,
        "k": draw.whole(5, 6),
    }


def _gap(given: Given) -> int:
    return int(given.document - given.documents[given.documents.index(given.document) - 1])


def _rice(number: int, k: int) -> str:
    quotient, remainder = divmod(number - 1, 1 << k)
    return f"{'1' * quotient}0{remainder:0{k}b}"


def _bytes(number: int) -> str:
    return " ".join(f"{byte:08b}" for byte in variable_byte(number))


def _codes(number: int, k: int) -> dict[str, str]:
    return {
        "variable byte": _bytes(number),
        "gamma": gamma(number),
        "delta": delta(number),
        "rice": _rice(number, k),
    }


def _wrong_code(name: str, wrong: Callable[[int, int], str]) -> Callable[[Given], dict[str, str]]:
    """The right codes but for one."""
    return lambda given: _codes(_gap(given), given.k) | {name: wrong(_gap(given), given.k)}


def _top_bit_first(number: int, k: int) -> str:
    low, high = number % 128, number // 128
    return f"{high + 128:08b} {low:08b}"


def _gamma_with_leading_one(number: int, k: int) -> str:
    return "1" * (number.bit_length() - 1) + "0" + f"{number:b}"


def _gamma_in_zeros(number: int, k: int) -> str:
    return "0" * (number.bit_length() - 1) + f"{number:b}"


def _delta_of_offset(number: int, k: int) -> str:
    offset = f"{number:b}"[1:]
    return gamma(len(offset)) + offset


def _rice_of_the_number(number: int, k: int) -> str:
    return _rice(number + 1, k)


CODES = Exercise(
    number="2.7",
    title="Codes by hand",
    given=_documents_to_code,
    answer=Table(Bits(), "codes"),
    expected=lambda given: _codes(_gap(given), given.k),
    mistakes=(
        Mistake(
            lambda given: _codes(given.document, given.k),
            "you coded the number of the document; it is the gap that is stored.",
        ),
        Mistake(
            lambda given: _codes(_gap(given) - 1, given.k),
            "your gap is one too small: from 7 to 9 it is 2.",
        ),
        Mistake(
            _wrong_code("variable byte", _top_bit_first),
            "in your variable-byte code the first byte has the top bit; here it marks the last one.",
        ),
        Mistake(
            _wrong_code("gamma", _gamma_with_leading_one),
            "in your gamma code the offset still has its leading 1, which goes without saying.",
        ),
        Mistake(
            _wrong_code("gamma", _gamma_in_zeros),
            "your gamma code tells the length in zeros, as Elias did; here it is ones and then a zero.",
        ),
        Mistake(
            _wrong_code("delta", _delta_of_offset),
            "in your delta code stands the length of the offset; it is that of the whole binary number.",
        ),
        Mistake(
            _wrong_code("rice", _rice_of_the_number),
            "your Rice code divides n by 2^k; it is n − 1 that is divided, as no gap is 0.",
        ),
    ),
    hints=(
        "First the gap: the number of the document less that of the one before it. Then the gap in binary: "
        "f'{gap:b}' in Python.",
        "gamma: the offset is the binary number without its first 1; before it so many ones as it has bits, and a "
        "zero. delta: the offset again, before it the gamma code of the length of the binary number.",
        "variable byte: cut the binary number into sevens from the right, fill up with zeros on the left, put a 1 "
        "before the last seven and a 0 before the others. Rice: divmod(gap - 1, 2**k).",
    ),
    points=2,
)
