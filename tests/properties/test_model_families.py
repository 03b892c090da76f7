"""What must hold for SMART's weightings, language models and distances whatever the collection and the parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.models.model import call
from toysearch.search.scoring import finish

WORDS = ["train", "cat", "dog", "κῦμα", "日本語", "emoji😀", "\ud800", "x" * 500]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=10)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6).map(" ".join)
LANGUAGE = ["lm-dirichlet", "lm-jm"]
DOCUMENT = st.tuples(*(st.sampled_from(letters) for letters in ("nlabLd", "ntp", "nub"))).map("".join)


pytestmark = pytest.mark.filterwarnings("ignore::toysearch.ToysearchNote")


@st.composite
def postings(draw) -> dict[str, float]:
    """Statistics that a posting can have: one repeated word, a term in every document, one document, one term …"""
    N, tf = draw(st.integers(1, 10**6)), draw(st.integers(1, 1000))
    df = draw(st.integers(1, N) | st.just(N))
    dl = tf + draw(st.just(0) | st.integers(0, 10**5))
    distinct = 1 if dl == tf else draw(st.integers(2, dl - tf + 1))
    cf = tf + df - 1 + draw(st.integers(0, 10**6))
    T = max(cf, dl) + draw(st.just(0) | st.integers(0, 10**9))
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
@pytest.mark.parametrize("name", [*LANGUAGE, "smart:Lnu.ltu", "smart:dpb.anu", "smart:lnc.ltc"])
def test_an_unknown_term_changes_nothing_where_it_has_no_norm(name, texts, query):
    searcher = Searcher(Index.build(texts), name)
    with_unknown, without = searcher.search(f"neverseen {query} neverseen", k=None), searcher.search(query, k=None)
    assert with_unknown.doc_ids == without.doc_ids
    assert np.array_equal(with_unknown.scores, without.scores)


@given(texts=TEXTS, query=QUERIES)
@pytest.mark.parametrize("weights", ["binary", "tf", "tfidf"])
def test_no_distance_is_below_zero(weights, texts, query):
    """0 is no distance, and a score is minus the distance."""
    scores = Searcher(Index.build(texts), f"euclidean:weights={weights}").search(query, k=None).scores
    assert (scores <= 0).all()
