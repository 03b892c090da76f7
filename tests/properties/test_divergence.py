"""What must hold for divergence from randomness, information-based and axiomatic models whatever the statistics."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import toysearch
from toysearch import Index, Searcher

NORMALISED = ["pl2", "inl2", "ll", "spl"]
NAMES = [*NORMALISED, "dph", "f2exp"]
WORDS = ["train", "cat", "dog", "κῦμα", "日本語", "emoji😀", "x" * 500]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=10)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6).map(" ".join)


@st.composite
def postings(draw) -> dict[str, float]:
    """Statistics that a posting can have: one repeated word, df = N, cf far beyond N, one document …"""
    N = draw(st.just(1) | st.integers(1, 10) | st.integers(1, 10**9))
    tf = draw(st.just(1) | st.integers(1, 10**6))
    df = draw(st.just(1) | st.just(N) | st.integers(1, N))
    dl = tf + draw(st.just(0) | st.integers(0, 10**6))
    cf = tf + df - 1 + (draw(st.just(0) | st.integers(0, 10**9)) if df > 1 else 0)
    T = cf + (dl - tf) + draw(st.just(0) | st.integers(0, 10**12))
    return {"tf": tf, "df": df, "cf": cf, "dl": dl, "N": N, "avgdl": T / N}


def weigh(model, posting, **other):
    return model.weight(**{name: {**posting, **other}[name] for name in model.statistics})


def bound(name, c, s, k):
    values = {"c": c, "s": s, "k": k}
    model = toysearch.model(name)
    return model.bind(**{public: values[public] for _, public, *_ in model.describe_parameters()})


C = st.sampled_from([0.001, 1.0, 1e6]) | st.floats(0.001, 1e6)
S = st.sampled_from([0.0, 0.5, 1e308]) | st.floats(0, 1e308)


@pytest.mark.parametrize("name", NAMES)
@given(posting=postings(), c=C, s=S, k=st.floats(0, 1))
def test_every_weight_is_finite(name, posting, c, s, k):
    assert np.isfinite(weigh(bound(name, c, s, k), posting))


@pytest.mark.parametrize("name", ["inl2", "ll", "spl", "f2exp"])
@given(posting=postings(), c=C, s=S, k=st.floats(0, 1), more=st.integers(1, 10**4))
def test_more_occurrences_at_fixed_length_never_lower_the_weight(name, posting, c, s, k, more):
    model = bound(name, c, s, k)
    before, after = weigh(model, posting), weigh(model, posting, tf=posting["tf"] + more)
    assert before >= -1e-12
    assert after >= before * (1 - 1e-9) - 1e-12


@given(posting=postings(), c=C, more=st.integers(1, 10**4))
def test_pl2_rises_with_tf_from_twice_the_occurrences_of_chance_on(posting, c, more):
    """Below it need not: fewer occurrences than chance has are a surprise too."""
    model = bound("pl2", c, 0, 0)
    tfn = posting["tf"] * np.log2(1 + c * posting["avgdl"] / posting["dl"])
    assume(tfn >= 2 * posting["cf"] / posting["N"])
    before, after = weigh(model, posting), weigh(model, posting, tf=posting["tf"] + more)
    assert after >= before - 1e-9 * abs(before)


@pytest.mark.parametrize("name", ["inl2", "ll", "spl", "f2exp", "pl2"])
@given(posting=postings(), c=C, times=st.integers(2, 100))
def test_a_rarer_term_weighs_no_less(name, posting, c, times):
    """At a fixed length and tf; for pl2 while it is above chance."""
    model = bound(name, c, 0.5, 0.35)
    tfn = posting["tf"] * np.log2(1 + c * posting["avgdl"] / posting["dl"])
    assume(name != "pl2" or tfn >= posting["cf"] * times / posting["N"])
    more = {"df": min(posting["df"] * times, posting["N"]), "cf": posting["cf"] * times}
    rare, common = weigh(model, posting), weigh(model, posting, **more)
    assert rare >= common - 1e-9 * abs(common)


@pytest.mark.system
@pytest.mark.parametrize("name", NAMES)
@given(texts=TEXTS, query=QUERIES)
def test_an_unknown_term_changes_nothing(name, texts, query):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        searcher = Searcher(Index.build(texts), name)
        with_unknown, without = (searcher.search(text, k=None) for text in (f"neverseen {query} neverseen", query))
    assert with_unknown.doc_ids == without.doc_ids
    assert np.array_equal(with_unknown.scores, without.scores)
