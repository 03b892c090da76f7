"""Terms that are derived from others: frequencies of several together, and pairs of words, kept for an index."""

import gc
import weakref
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Index, Searcher
from toysearch.retrieval import derived_terms
from toysearch.retrieval.derived_terms import of_terms, places_of

pytestmark = pytest.mark.system

TEXTS = [
    "a tick bites a dog",
    "the dog bites a tick and the tick",
    "warm grass",
    "a dog bites",
    "tick and its dog grass bites",
]
SETTINGS = ("sdm(bm25)", "sdm(bm25:b=0.1)", "sdm(bm25, ordered=0.7, window=2)", "sdm(bm25, window=3)", "sdm(bm25)")


@pytest.fixture
def read(monkeypatch):
    """The pairs whose places were read."""
    found = []
    monkeypatch.setattr(derived_terms, "places_of", lambda index, terms: found.append(terms) or places_of(index, terms))
    return found


def _found(index: Index, setting: str) -> list[tuple[str, float]]:
    return [*Searcher(index, setting).search("tick bites dog bites tick grass", None)]


@pytest.mark.parametrize("positions", [False, True])
def test_each_pair_is_read_once_whatever_the_weights_the_window_and_the_model(read, positions):
    index, differ = Index.build(TEXTS, positions=positions), set()
    for setting in SETTINGS:
        found = _found(index, setting)
        assert len(read) == len({*read}) == 3  # of any two words once, whatever their order
        kept = len(read)
        assert found == _found(Index.build(TEXTS), setting), setting
        del read[kept:]
        differ.add(str(found))
    assert len(differ) == len({*SETTINGS})


def test_above_the_limit_the_oldest_pairs_are_dropped(read, monkeypatch):
    index = Index.build(TEXTS)
    expected = _found(index, "sdm(bm25)")
    pairs = index.memo[derived_terms._Pairs]
    assert pairs._bytes == sum(pair.n_bytes for pair in pairs._kept.values())
    monkeypatch.setattr(derived_terms, "MEMORY", 2 * derived_terms._PAIR)
    index = Index.build(TEXTS)
    for _ in range(2):
        read.clear()
        assert _found(index, "sdm(bm25)") == expected
        assert len(read) >= 3
    pairs = index.memo[derived_terms._Pairs]
    assert pairs._bytes == sum(pair.n_bytes for pair in pairs._kept.values()) <= derived_terms.MEMORY


def test_pairs_are_kept_no_longer_than_their_index():
    index = Index.build(TEXTS)
    _found(index, "sdm(bm25)")
    pairs = weakref.ref(index.memo[derived_terms._Pairs])
    del index
    gc.collect()
    assert pairs() is None


# The frequencies of terms


DOCUMENTS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), min_size=2, max_size=12)


@pytest.mark.parametrize(("share", "block"), [(0.01, 1 << 20), (100, 1 << 20), (100, 2), (1, 2)])
@given(documents=DOCUMENTS)
def test_the_frequencies_of_terms_add_up(share, block, documents):
    index = Index.build([" ".join(word * 2 for word in words) for words in documents])
    words = [word * 2 for word in "abc" if word * 2 in index]
    counts = [sum(Counter(words)[word] for word in "abc") for words in documents]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(derived_terms, "_SORTED", share)  # counted by sorting, or for all documents
        patched.setattr("toysearch.retrieval.query_terms.BLOCK", block)
        made = of_terms(index, "", np.array([index.term_number(word) for word in words], dtype=np.int64))
    assert made.docs.tolist() == [doc for doc, count in enumerate(counts) if count]
    assert made.tf.tolist() == [count for count in counts if count]
    assert (made.docs.dtype, made.tf.dtype) == (np.int32, np.int64)
    assert (made.df, made.cf) == (len(made.docs), sum(counts))
