"""Similarity of rankings: what is no ranking of ids is refused."""

import numpy as np
import pytest

from toysearch.base import ArgumentError
from toysearch.study.compare.correlation import kendall_tau, rank_biased_overlap, tau_ap


@pytest.mark.parametrize("correlation", [kendall_tau, tau_ap, rank_biased_overlap])
def test_rankings_are_lists_of_ids_or_texts_of_letters(correlation):
    for wrong in (b"ab", [1, 2], [0.5, 0.25], np.array([1, 2]), range(2), 5, None):
        for pair in ((wrong, wrong), (["a", "b"], wrong)):
            with pytest.raises(ArgumentError, match=r"^(first|second) must be a list of str, not "):
                correlation(*pair)
    for pair in ((["a", "a"], ["a", "b"]), ("ab", "bab")):
        with pytest.raises(ArgumentError, match=r"^(first|second) has an item twice; a ranking has each once$"):
            correlation(*pair)
    assert correlation("abc", "acb") == correlation([*"abc"], np.array([*"acb"]))
