"""Queries in folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import ArgumentError
from toysearch.laboratory.experiments.folds import folds


@given(n=st.integers(2, 60), data=st.data(), seed=st.integers(0, 1000))
def test_every_query_has_a_fold_and_all_folds_have_nearly_the_same_size(n, data, seed):
    k = data.draw(st.integers(2, n))
    found = folds(n, k, seed)
    sizes = np.bincount(found, minlength=k)
    assert sizes.sum() == n
    assert len(sizes) == k
    assert sizes.max() - sizes.min() <= 1
    assert (found == folds(n, k, seed)).all()


def test_the_seed_decides():
    assert folds(40, 5, 1).tolist() != folds(40, 5, 2).tolist()


def test_five_unless_there_are_fewer_queries():
    assert folds(30).max() == 4
    assert sorted(folds(3).tolist()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("n", "k", "problem"),
    [
        (
            1,
            None,
            "cross-validation needs at least 2 judged queries; the collection has 1",
        ),
        (3, 4, "the number of folds is from 2 to 3, the number of judged queries, not 4"),
        (3, 1, "the number of folds is from 2 to 3, the number of judged queries, not 1"),
        (3, 2.5, "the number of folds is from 2 to 3, the number of judged queries, not 2.5"),
    ],
)
def test_what_is_refused(n, k, problem):
    with pytest.raises(ArgumentError) as caught:
        folds(n, k)
    assert str(caught.value) == problem
