"""Codes of postings: the numbers of Manning, Raghavan & Schütze 2008, and back."""

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError
from toysearch.classroom import compression

pytestmark = pytest.mark.system

BOOK_GAMMA = {  # table 5.5
    1: "0",
    2: "100",
    3: "101",
    4: "11000",
    9: "1110001",
    13: "1110101",
    24: "111101000",
    511: "11111111011111111",
    1025: "111111111100000000001",
}
BOOK_VARIABLE = {824: "00000110 10111000", 5: "10000101", 214577: "00001101 00001100 10110001"}  # fig. 5.8
# Elias 1975 with the unary part in ones: 17 = 10001, of length 5 = gamma 11001, then 0001.
DELTA = {1: "0", 2: "1000", 3: "1001", 4: "10100", 8: "11000000", 17: "110010001"}
RISING = "the document numbers of a postings list must be at least 0, distinct and rising"


def variable_byte_numbers(code):
    """The numbers encoded by consecutive variable-byte codes."""
    numbers, number = [], 0
    for byte in code:
        number = number * 128 + byte % 128
        if byte >= 128:
            numbers.append(number)
            number = 0
    assert not number
    return numbers


def gamma_numbers(bits):
    """The numbers encoded by consecutive gamma codes."""
    numbers, place = [], 0
    while place < len(bits):
        number, place = number_at(bits, place)
        numbers.append(number)
    return numbers


def delta_numbers(bits):
    """The numbers encoded by consecutive delta codes."""
    numbers, place = [], 0
    while place < len(bits):
        length, place = number_at(bits, place)
        numbers.append(int("1" + bits[place : place + length - 1], 2))
        place += length - 1
    return numbers


def number_at(bits, place):
    """The number of the gamma code at a place, and the place after it."""
    zero = bits.index("0", place)
    end = 2 * zero - place + 1
    return int("1" + bits[zero + 1 : end], 2), end


@pytest.mark.parametrize(
    ("coded", "number", "bits"),
    [
        *(("variable", *pair) for pair in BOOK_VARIABLE.items()),
        *(("gamma", *pair) for pair in BOOK_GAMMA.items()),
        *(("delta", *pair) for pair in DELTA.items()),
    ],
)
def test_codes_of_the_book_and_of_elias(coded, number, bits):
    found = {"variable": compression.variable_byte, "gamma": compression.gamma, "delta": compression.delta}[coded](
        number
    )
    assert (found if isinstance(found, str) else " ".join(f"{byte:08b}" for byte in found)) == bits


@given(st.lists(st.integers(0, 2**70)))
def test_variable_byte_codes_there_and_back(numbers):
    assert variable_byte_numbers(b"".join(map(compression.variable_byte, numbers))) == numbers


@given(st.lists(st.integers(1, 2**70)))
def test_gamma_and_delta_codes_there_and_back(numbers):
    assert gamma_numbers("".join(map(compression.gamma, numbers))) == numbers
    assert delta_numbers("".join(map(compression.delta, numbers))) == numbers


@given(st.sets(st.integers(0, 10**6)))
def test_gaps_add_up_to_the_documents(docs):
    found = compression.gaps(sorted(docs))
    assert (np.cumsum(found) - 1).tolist() == sorted(docs)
    assert (found >= 1).all()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: compression.variable_byte(-1), "a variable-byte code needs a number of at least 0, not -1"),
        (lambda: compression.gamma(0), "a gamma code needs a number of at least 1, not 0"),
        (lambda: compression.delta(0), "a delta code needs a number of at least 1, not 0"),
        (lambda: compression.gaps([3, 3]), RISING),
        (lambda: compression.gaps([-1]), RISING),
    ],
)
def test_numbers_without_a_code_are_refused(call, sentence):
    with raising(ArgumentError, sentence):
        call()
