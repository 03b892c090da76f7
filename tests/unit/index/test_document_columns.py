"""Values of a field as they are shown."""

import numpy as np
import pytest

from toysearch.index.document_columns import Keywords, ValueGroups


@pytest.mark.parametrize(
    ("codes", "shown"),
    [
        ([1, 2, 3], "Dyson"),  # of spellings of one frequency the first by bytes
        ([1, 2, 2, 3], "DYSON "),
        ([1, 2, 3, 3, 0], "dyson"),
    ],
)
def test_of_several_spellings_the_most_frequent_is_shown(codes, shown):
    found = ValueGroups.of(Keywords(["Dyson", "DYSON ", "dyson"], np.array(codes, dtype=np.int32)))
    assert (found.values, found.folded) == ([shown], ["dyson"])
    assert found.codes.tolist() == [int(code > 0) for code in codes]
