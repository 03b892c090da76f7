"""What must hold for each family of models whatever the collection and the parameters."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.models.model import call
from toysearch.retrieval.scoring import finish

WORDS = ["train", "cat", "dog", "κῦμα", "日本語", "emoji😀", "\ud800", "x" * 500]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=10)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6).map(" ".join)
LANGUAGE = ["lm-dirichlet", "lm-jm"]
DOCUMENT = st.tuples(*(st.sampled_from(letters) for letters in ("nlabLd", "ntp", "nub"))).map("".join)


@st.composite
def postings(draw, most: int = 10**6, often: int = 1000) -> dict[str, float]:
    """Statistics that a posting can have: one repeated word, a term in every document, one document, one term …"""
    N, tf = draw(st.just(1) | st.integers(1, most)), draw(st.just(1) | st.integers(1, often))
    df = draw(st.integers(1, N) | st.sampled_from([1, N]))
    dl = tf + draw(st.just(0) | st.integers(0, 10**5))
    distinct = 1 if dl == tf else draw(st.integers(2, dl - tf + 1))
    cf = tf + df - 1 + (draw(st.just(0) | st.integers(0, most)) if df > 1 else 0)
    T = cf + (dl - tf) + draw(st.just(0) | st.integers(0, 10**12))
    return {
        "tf": tf,
        "df": df,
        "cf": cf,
        "dl": dl,
        "distinct": distinct,
        "max_tf": draw(st.integers(tf, max(tf, dl - distinct + 1))),
        "bytes": draw(st.integers(0, 10**7)),
        "N": N,
        "avgdl": T / N,
        "avg_distinct": max(1.0, distinct / N),
        "T": T,
        "ql": draw(st.integers(1, 1000)),
        "qtf": 1,
    }


def as_passed(statistics: dict[str, float]) -> dict[str, Any]:
    """Columns of one row, and numbers for what is of the query or the collection."""
    single = {"N", "avgdl", "avg_distinct", "T", "ql"}
    return {name: float(v) if name in single else np.array([float(v)]) for name, v in statistics.items()}


@given(posting=postings(), mu=st.floats(0, 1e308), share=st.floats(0, 1))
@pytest.mark.parametrize("name", LANGUAGE)
def test_every_part_of_a_language_model_is_finite(name, posting, mu, share):
    values = {public: mu if public == "mu" else share for _, public, *_ in toysearch.model(name).describe_parameters()}
    if max(values.values()) < 1e-9:
        with pytest.raises(ArgumentError, match="smooth"):
            toysearch.model(name).bind(**values)
        return
    model = toysearch.model(name).bind(**values)
    weight = model.weight(**{statistic: posting[statistic] for statistic in model.statistics})
    assert np.isfinite(weight)
    assert weight >= 0
    for hook in ("document", "per_matched_document"):
        part = call(model.hooks[hook], as_passed(posting), model.parameters)
        assert np.isfinite(part).all()
        assert (np.asarray(part) <= 0).all()


@given(
    posting=postings(),
    letters=DOCUMENT,
    base=st.none() | st.floats(2, 1e300),
    pivot=st.none() | st.floats(1, 1e300),
    slope=st.floats(0, 1),
    alpha=st.floats(0, 1),
)
def test_every_smart_weight_is_finite(posting, letters, base, pivot, slope, alpha):
    model = toysearch.model(f"smart:{letters}.nnn")
    if letters[2] == "u":
        model = model.bind(pivot=pivot, slope=slope)
    if letters[2] == "b":
        model = model.bind(alpha=alpha)
    if set(letters[:2]) & set("lLdtp"):
        model = model.bind(base=base)
    weight = model.weight(**{statistic: posting[statistic] for statistic in model.statistics})
    assert np.isfinite(weight)
    assert weight >= 0


@given(posting=postings(), more=st.integers(1, 100), letters=DOCUMENT)
def test_more_occurrences_at_fixed_lengths_never_lower_a_smart_weight(posting, more, letters):
    """At fixed max_tf too: where the term itself is the most frequent one, letter a compares it with itself."""
    model = toysearch.model(f"smart:{letters}.nnn")
    given_values = {name: posting[name] for name in model.statistics} | {"max_tf": posting["tf"] + more}
    assert model.weight(**given_values | {"tf": posting["tf"] + more}) >= model.weight(**given_values) * (1 - 1e-12)


@given(posting=postings(), more=st.integers(1, 100), share=st.floats(1e-9, 1), mu=st.floats(1e-9, 1e6))
@pytest.mark.parametrize("name", LANGUAGE)
def test_more_occurrences_at_fixed_length_never_lower_a_language_model(name, posting, more, share, mu):
    model = toysearch.model(name)
    model = model.bind(**{public: mu if public == "mu" else share for _, public, *_ in model.describe_parameters()})
    given_values = {statistic: posting[statistic] for statistic in model.statistics}
    assert model.weight(**given_values | {"tf": posting["tf"] + more}) >= model.weight(**given_values) * (1 - 1e-12)


@pytest.mark.system
@given(texts=TEXTS, share=st.floats(1e-6, 1), mu=st.floats(1e-6, 1e6))
@pytest.mark.parametrize("name", LANGUAGE)
def test_the_probabilities_of_all_terms_add_up_to_one_in_every_document(name, texts, share, mu):
    model = toysearch.model(name)
    model = model.bind(**{public: mu if public == "mu" else share for _, public, *_ in model.describe_parameters()})
    searcher = Searcher(Index.build(texts), model)
    documents = np.flatnonzero(searcher.index.dl)
    totals = np.zeros(len(documents))
    for number in range(len(searcher.index.df)):
        planned = searcher.plan(searcher.index.term(number))
        [term] = planned.terms
        weights = np.zeros(len(texts))
        weights[term.docs] = term.weights
        totals += np.exp(finish(searcher.weights, planned, documents, weights[documents]))
    np.testing.assert_allclose(totals, 1.0, rtol=0, atol=1e-9)


@pytest.mark.system
@given(texts=TEXTS, query=QUERIES)
@pytest.mark.parametrize("weights", ["binary", "tf", "tfidf"])
def test_no_distance_is_below_zero(weights, texts, query):
    """0 is no distance, and a score is minus the distance."""
    scores = Searcher(Index.build(texts), f"euclidean:weights={weights}").search(query, k=None).scores
    assert (scores <= 0).all()


# Divergence from randomness, information-based and axiomatic models

NORMALISED = ["pl2", "inl2", "ll", "spl"]
NAMES = [*NORMALISED, "dph", "f2exp"]


def weigh(model, posting, **other):
    return model.weight(**{name: {**posting, **other}[name] for name in model.statistics})


def bound(name, c, s, k):
    values = {"c": c, "s": s, "k": k}
    model = toysearch.model(name)
    return model.bind(**{public: values[public] for _, public, *_ in model.describe_parameters()})


C = st.sampled_from([0.001, 1.0, 1e6]) | st.floats(0.001, 1e6)
S = st.sampled_from([0.0, 0.5, 1e308]) | st.floats(0, 1e308)


@pytest.mark.parametrize("name", NAMES)
@given(posting=postings(10**9, 10**6), c=C, s=S, k=st.floats(0, 1))
def test_every_weight_of_divergence_is_finite(name, posting, c, s, k):
    assert np.isfinite(weigh(bound(name, c, s, k), posting))


@pytest.mark.parametrize("name", ["inl2", "ll", "spl", "f2exp"])
@given(posting=postings(10**9, 10**6), c=C, s=S, k=st.floats(0, 1), more=st.integers(1, 10**4))
def test_more_occurrences_at_fixed_length_never_lower_one_of_divergence(name, posting, c, s, k, more):
    model = bound(name, c, s, k)
    before, after = weigh(model, posting), weigh(model, posting, tf=posting["tf"] + more)
    assert before >= -1e-12
    assert after >= before * (1 - 1e-9) - 1e-12


@given(posting=postings(10**9, 10**6), c=C, more=st.integers(1, 10**4))
def test_pl2_rises_with_tf_from_twice_the_occurrences_of_chance_on(posting, c, more):
    """Below it need not: fewer occurrences than chance has are a surprise too."""
    model = bound("pl2", c, 0, 0)
    tfn = posting["tf"] * np.log2(1 + c * posting["avgdl"] / posting["dl"])
    assume(tfn >= 2 * posting["cf"] / posting["N"])
    before, after = weigh(model, posting), weigh(model, posting, tf=posting["tf"] + more)
    assert after >= before - 1e-9 * abs(before)


@pytest.mark.parametrize("name", ["inl2", "ll", "spl", "f2exp", "pl2"])
@given(posting=postings(10**9, 10**6), c=C, times=st.integers(2, 100))
def test_a_rarer_term_weighs_no_less(name, posting, c, times):
    """At a fixed length and tf; for pl2 while it is above chance."""
    model = bound(name, c, 0.5, 0.35)
    tfn = posting["tf"] * np.log2(1 + c * posting["avgdl"] / posting["dl"])
    assume(name != "pl2" or tfn >= posting["cf"] * times / posting["N"])
    more = {"df": min(posting["df"] * times, posting["N"]), "cf": posting["cf"] * times}
    rare, common = weigh(model, posting), weigh(model, posting, **more)
    assert rare >= common - 1e-9 * abs(common)
