"""A better spelling of any query."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Analyzer, Index
from toysearch.search import corrections, near_words
from toysearch.search.spelling import suggest

TEXTS = [
    "the boundary layer of a wing",
    "boundary conditions don't matter",
    "été au café",
    "東京都 한국어",
    "किताब",
    "B747",
]
ANALYZERS = ["plain", "english", "english:tokens=whitespace", "plain:fold_accents", "cjk", "hindi", "english:html"]
INDEXES = [Index.build(TEXTS, Analyzer.parse(spec)) for spec in ANALYZERS]
WORDS = [
    "boundery",
    "boundarylayer",
    "bound",
    "ary",
    "wnig",
    "condition",
    "the",
    "cafè",
    "京都",
    "कतब",
    "B748",
    "\ud800x",
    "<b>",
]
QUERIES = st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=6).map(" ".join)


@given(st.sampled_from(INDEXES), QUERIES)
def test_a_suggestion_is_another_text_and_is_final(index, text):
    found = suggest(index, text)
    if found is not None:
        assert found.text != text
        assert 0 <= found.documents <= len(TEXTS)
        if found.documents:
            assert suggest(index, found.text) is None


def unused(index: Index) -> Index:
    """The same index, of which nothing has been asked."""
    return Index(index.analyzer, index._arrays, index.collection)


@pytest.mark.parametrize("kept", [0, 5, 1 << 18])
@given(index=st.sampled_from(INDEXES), queries=st.lists(QUERIES, min_size=1, max_size=6))
def test_what_is_kept_of_earlier_queries_changes_no_suggestion(kept, index, queries):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(near_words, "_KEPT_WORDS", kept)
        for name in ("_KEPT", "_KEPT_DOCS", "_MOST_DOCS"):
            patched.setattr(corrections, name, kept)
        asked = unused(index)
        found = [suggest(asked, query) for query in [*queries, *reversed(queries)]]
        assert found == [*found[: len(queries)], *reversed(found[: len(queries)])]
        assert found[: len(queries)] == [suggest(unused(index), query) for query in queries]


def test_what_is_kept_serves_several_threads_and_ends_with_the_index():
    index = unused(INDEXES[1])
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(partial(suggest, index), ["boundery wnig", "bound ary layer"] * 20))
    assert [found[0].text, found[1].text] * 20 == [each.text for each in found]
    kept = weakref.ref(corrections._LEXICONS[index])
    del index
    gc.collect()
    assert kept() is None
