"""What holds of every analyzer on every text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from toysearch.analysis.analyzer import Analyzer

WORDS = st.sampled_from(
    ["the", "The", "cats", "flying", "été", "ÉTÉ", "straße", "мир", "run\ud800ning", "x", "2nd", ""]
)
TEXTS = st.one_of(st.text(st.characters(exclude_categories=())), st.lists(WORDS).map(" ".join))
ANALYZERS = st.builds(
    Analyzer,
    lowercase=st.booleans(),
    pattern=st.sampled_from([r"(?u)\b\w\w+\b", r"\S+", r"\w(\w*)"]),
    stop=st.one_of(st.none(), st.just("sklearn"), st.lists(st.one_of(WORDS, st.text(max_size=3)))),
    stem=st.sampled_from([None, "english", "german", "russian"]),
)


@given(ANALYZERS, TEXTS)
def test_a_term_depends_on_its_token_alone(analyzer, text):
    terms = [analyzer.term(token) for token in analyzer.tokens(text)]
    assert analyzer(text) == [term for term in terms if term is not None]


@given(ANALYZERS, TEXTS)
def test_the_last_step_holds_the_terms(analyzer, text):
    steps = analyzer.steps(text)
    assert [term for term in steps[-1].tokens if term is not None] == analyzer(text)
    assert {len(step.tokens) for step in steps} == {len(analyzer.tokens(text))}


@given(ANALYZERS, TEXTS)
def test_its_description_makes_it_again(analyzer, text):
    again = Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict())))
    assert again == analyzer
    assert str(again) == str(analyzer)
    assert again(text) == analyzer(text)
