"""An array with values put in: what numpy's insert makes of both, whichever stretch is looked at."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toysearch.index.manifest import array_entry
from toysearch.index.postings import Inserted


@given(st.integers(0, 20), st.lists(st.integers(0, 20), max_size=20), st.data())
def test_every_stretch_is_that_of_the_whole(size, at, data):
    at = np.sort(np.minimum(np.array(at, dtype=np.int64), size))
    others, values = np.arange(size, dtype=np.uint8), np.arange(100, 100 + at.size, dtype=np.uint8)
    expected = np.insert(others, at, values)
    found = Inserted(others, values, at + np.arange(at.size))
    start = data.draw(st.integers(0, expected.size))
    stop = data.draw(st.integers(start, expected.size + 3))
    assert (len(found), found.size, found.dtype) == (expected.size, expected.size, np.uint8)
    np.testing.assert_array_equal(found[start:stop], expected[start:stop])
    np.testing.assert_array_equal(np.asarray(found), expected)
    assert array_entry("tf", found) == array_entry("tf", expected)


def test_into_an_array_that_is_such_a_one_and_longer_than_what_is_written_together():
    others = Inserted(np.zeros(2_500_000, np.uint16), np.array([7], np.uint16), np.array([1_048_576]))
    places = np.array([0, 1_048_575, 1_048_576, 2_500_003])
    found = Inserted(others, np.array([1, 2, 3, 4], np.uint16), places)
    expected = np.zeros(2_500_005, np.uint16)
    expected[places] = [1, 2, 3, 4]
    expected[1_048_579] = 7
    assert array_entry("docs_low", found) == array_entry("docs_low", expected)
