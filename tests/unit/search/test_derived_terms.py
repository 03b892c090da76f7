"""Terms that count as one, against the sums of their frequencies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Index
from toysearch.search import derived_terms, scoring
from toysearch.search.derived_terms import of_terms

DOCUMENTS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), min_size=2, max_size=12)


@pytest.mark.parametrize(("share", "block"), [(0.01, 1 << 20), (100, 1 << 20), (100, 2), (1, 2)])
@given(documents=DOCUMENTS)
def test_the_frequencies_of_terms_add_up(share, block, documents):
    index = Index.build([" ".join(word * 2 for word in words) for words in documents])
    words = [word * 2 for word in "abc" if word * 2 in index]
    counts = [sum(Counter(words)[word] for word in "abc") for words in documents]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(derived_terms, "_SORTED", share)  # counted by sorting, or for all documents
        patched.setattr(scoring, "BLOCK", block)
        made = of_terms(index, "", np.array([index.term_number(word) for word in words], dtype=np.int64))
    assert made.docs.tolist() == [doc for doc, count in enumerate(counts) if count]
    assert made.tf.tolist() == [count for count in counts if count]
    assert (made.docs.dtype, made.tf.dtype) == (np.int32, np.int64)
    assert (made.df, made.cf) == (len(made.docs), sum(counts))
