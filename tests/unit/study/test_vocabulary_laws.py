"""Zipf's and Heaps' laws of a vocabulary."""

import math

import numpy as np
import pytest

import toysearch
from toysearch import Analyzer, Index
from toysearch.base.errors import ArgumentError
from toysearch.study.vocabulary_laws import heaps, laws_parts, zipf


def words(counts):
    """A text with the word w0 counts[0] times, w1 counts[1] times, and so on."""
    return " ".join(f"w{i}" for i, count in enumerate(counts) for _ in range(count))


def test_a_range_of_ranks_is_fitted_alone():
    law = zipf(Index.build([words([1, 64, 16, 100, 2, 3])]), ranks=(2, 3))
    assert law.cf.tolist() == [100, 64, 16, 3, 2, 1]
    slope = math.log(16 / 64) / math.log(3 / 2)
    assert (law.slope, law.c, law.r_squared) == pytest.approx((slope, 64 / 2**slope, 1))
    assert (law.first, law.last) == (2, 3)


def test_no_line_goes_through_one_point_or_none():
    for texts in ([""], ["cat cat"]):
        for law in (zipf(Index.build(texts)), heaps(Index.build(texts))):
            assert all(math.isnan(value) for value in law.data().values() if isinstance(value, float))
            assert math.isnan(law.r_squared)
    assert math.isnan(zipf(Index.build(["cat cat"])).slope)
    assert math.isnan(heaps(Index.build(["cat cat"])).b)


def test_a_fit_to_few_terms_says_nothing_and_data_leave_out_what_was_fitted():
    few = zipf(Index.build(["cat dog"])), heaps(Index.build(["cat dog"]))
    assert laws_parts(*few) == ["Zipf's and Heaps' laws: 2 distinct terms; a fit to fewer than 50 means nothing"]
    assert [[*law.data()] for law in few] == [["c", "slope", "r_squared", "first", "last"], ["k", "b", "r_squared"]]


@pytest.mark.parametrize("times", range(1, 12))
@pytest.mark.filterwarnings("error")
def test_equal_frequencies_lie_on_a_level_line_that_explains_nothing(times):
    law = zipf(Index.build(["cat dog cow hen elk fox gnu " * times]))
    assert law.c == pytest.approx(times)
    assert law.slope == 0  # not nearly so: the mean of equal logarithms can differ from each
    assert math.isnan(law.r_squared)


@pytest.mark.parametrize("ranks", [(0, 2), (2, 2), (3, 1), (1, 4)])
def test_ranks_that_the_index_lacks_are_refused(ranks):
    with pytest.raises(ArgumentError) as caught:
        zipf(Index.build(["cat dog cow"]), ranks)
    assert str(caught.value) == (
        f"ranks to fit must be from 1 to 3, the lower first, not from {ranks[0]} to {ranks[1]}"
    )


def test_cranfields_lines_are_those_of_polyfit(corpora):
    index = Index.build(toysearch.load("cranfield"), Analyzer())
    law, growth = zipf(index), heaps(index)
    for x, y, c, slope, r_squared in (
        (np.arange(1, law.cf.size + 1), law.cf, law.c, law.slope, law.r_squared),
        (growth.tokens, growth.terms, growth.k, growth.b, growth.r_squared),
    ):
        fitted = np.polyfit(np.log(x), np.log(y), 1)
        assert [slope, math.log(c)] == pytest.approx(fitted.tolist(), rel=1e-9)
        assert r_squared == pytest.approx(np.corrcoef(np.log(x), np.log(y))[0, 1] ** 2)
    assert (growth.tokens[-1], growth.terms[-1]) == (index.stats.T, index.stats.n_terms)
    seen = set()
    for number, text in enumerate(index.texts[:50]):
        seen.update(index.analyzer(text))
        assert growth.terms[number] == len(seen)
