"""The likeliest corrections of long queries."""

from __future__ import annotations

import tracemalloc
import warnings

import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.search.spelling import corrected

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def index():
    return Index.build(toysearch.load("companions"))


def words(n):
    """Different words of letters that no document contains."""
    return " ".join("zq" + "".join(chr(97 + place // 26**power % 26) for power in range(4)) for place in range(n))


def highest(index, text):
    """The highest number of bytes that a correction holds at once."""
    index.memo.clear()
    tracemalloc.start()
    corrected(index, text)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_the_memory_of_a_correction_grows_with_the_words_and_not_with_their_square(index):
    few, many = (highest(index, words(n)) for n in (600, 2400))
    assert many < 6 * few


def test_a_long_query_is_corrected_to_its_end(index):
    text = "removnig a tikc " + "dog " * 3000
    assert corrected(index, text)[0] == "removing a tick " + "dog " * 3000


def test_many_words_are_searched_whether_or_not_documents_contain_them(index):
    some = "dog " + words(10_500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        assert Searcher(index).search(some).doc_ids == Searcher(index).search("dog").doc_ids
