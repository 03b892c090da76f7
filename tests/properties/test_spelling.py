"""A better spelling of any query."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toysearch import Analyzer, Index
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


@given(st.sampled_from(INDEXES), st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=6).map(" ".join))
def test_a_suggestion_is_another_text_and_is_final(index, text):
    found = suggest(index, text)
    if found is not None:
        assert found.text != text
        assert 0 <= found.documents <= len(TEXTS)
        if found.documents:
            assert suggest(index, found.text) is None
