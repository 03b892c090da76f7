"""Codes of postings: the numbers of Manning, Raghavan & Schütze 2008, and back."""

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import Index
from toysearch.base.errors import ArgumentError
from toysearch.classroom import compression
from toysearch.classroom.compression import textbook_view

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
LENGTHS = "code lengths are computed for numbers from 1 to 2^53"
positive = st.integers(1, 2**53)


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


@given(
    st.lists(st.one_of(positive, st.integers(0, 53).map(lambda e: 2**e), st.integers(1, 53).map(lambda e: 2**e - 1)))
)
def test_sizes_are_those_of_the_codes(numbers):
    array = np.array(numbers, dtype=np.int64)
    assert compression.variable_byte_bits(array).tolist() == [8 * len(compression.variable_byte(n)) for n in numbers]
    assert compression.gamma_bits(array).tolist() == [len(compression.gamma(n)) for n in numbers]


@given(st.sets(st.integers(0, 10**6)))
def test_gaps_add_up_to_the_documents(docs):
    found = compression.gaps(sorted(docs))
    assert (np.cumsum(found) - 1).tolist() == sorted(docs)
    assert (found >= 1).all()


@given(st.integers(0, 10_000))
def test_skip_pointers_are_evenly_placed_and_stay_inside(length):
    pointers = compression.skip_pointers(length)
    apart = int(np.sqrt(length))
    assert [skip.source for skip in pointers] == [place * apart for place in range(len(pointers))]
    assert all(skip.target == skip.source + apart < length for skip in pointers)
    assert apart < 2 or length - pointers[-1].target <= apart  # none is missing at the end


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: compression.variable_byte(-1), "a variable-byte code needs a number of at least 0, not -1"),
        (lambda: compression.gamma(0), "a gamma code needs a number of at least 1, not 0"),
        (lambda: compression.delta(0), "a delta code needs a number of at least 1, not 0"),
        (lambda: compression.gaps([3, 3]), RISING),
        (lambda: compression.gaps([-1]), RISING),
        (lambda: compression.gamma_bits(np.array([3, 0])), f"{LENGTHS}, not 0"),
        (lambda: compression.variable_byte_bits(np.array([1, 2**53 + 1])), f"{LENGTHS}, not {2**53 + 1}"),
    ],
)
def test_numbers_without_a_code_are_refused(call, sentence):
    with raising(ArgumentError, sentence):
        call()


def test_every_term_of_cranfield_decodes_to_its_postings(corpora):
    index = Index.build(toysearch.load("cranfield"))
    for number, term in list(enumerate(index.terms))[::37]:
        view, postings = textbook_view(index, term), index.postings(term)
        assert [posting.document - 1 for posting in view.postings] == postings.docs.tolist()
        assert [posting.doc_id for posting in view.postings] == index.doc_ids.take(postings.docs)
        assert [posting.tf for posting in view.postings] == postings.tf.tolist()
        bits = "".join(posting.gamma for posting in view.postings).replace(" ", "")
        assert (np.cumsum(gamma_numbers(bits)) - 1).tolist() == postings.docs.tolist()
        code = bytes(int(byte, 2) for posting in view.postings for byte in posting.variable_byte.split())
        assert (np.cumsum(variable_byte_numbers(code)) - 1).tolist() == postings.docs.tolist()
        packed, of_blocks = 0, []
        for start in range(0, view.df, 128):
            some = view.postings[start : start + 128]
            widths = [max(each).bit_length() for each in ([p.gap - 1 for p in some], [p.tf - 1 for p in some])]
            least_dl = min(int(index.dl[p.document - 1]) for p in some)
            size, highest_tf = len(some) * sum(widths), max(p.tf for p in some)
            of_blocks.append((len(some), some[-1].document, *widths, highest_tf, least_dl, size))
            packed += len(some) * widths[0]
        assert view.blocks == of_blocks
        sizes = {"whole": 32 * view.df, "variable_byte": 8 * len(code), "gamma": len(bits), "packed": packed}
        assert view.bits == sizes
        assert (view.number, view.terms) == (number + 1, len(index.terms))
        assert (view.df, view.cf) == (index.df[number], index.cf[number])
        assert view.last_row - view.first_row + 1 == view.df
        skipping = [place for place, posting in enumerate(view.postings) if posting.skip_to]
        assert len(skipping) == view.skips
        for place in skipping:
            assert view.postings[place].skip_to == view.postings[place + view.skips_apart].document


def test_a_term_that_no_document_holds():
    with raising(ArgumentError, "no document of the index contains the term 'dog'"):
        textbook_view(Index.build(["cat"]), "dog")


def test_only_so_many_postings_are_coded():
    view = textbook_view(Index.build(["cat"] * 9), "cat", k=2)
    assert [posting.skip_to for posting in view.postings] == [4, None]
    assert (view.df, view.skips, view.skips_apart, view.bits["gamma"]) == (9, 2, 3, 9)
