"""Language models against their definition: log p(q|d) from exact fractions, one word of the query at a time.

The definitions are written as the papers have them, with p(t|d) for any term, absent ones too; the models here
are written as weights of the terms that match and parts of a document and a query.
"""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import exhaustive

import toysearch
from toysearch import Analyzer, Index, Searcher

analyze = Analyzer()
WORDS = ["train", "cat", "dog", "the", "κῦμα", "日本語", "ab😀cd", "it_s"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), min_size=1, max_size=7)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=7).map(" ".join)

Probability = Callable[[int, int, Fraction], Fraction]  # of tf, dl, p(t|C)


def dirichlet(mu: Fraction) -> Probability:
    return lambda tf, dl, p: (tf + mu * p) / (dl + mu)


def jelinek_mercer(lambda_: Fraction) -> Probability:
    return lambda tf, dl, p: (1 - lambda_) * Fraction(tf, dl) + lambda_ * p


def log_probabilities(texts, query, probability: Probability) -> dict[int, float]:
    """log p(q|d) of each document that shares a term with the query; words that no document has are left out."""
    documents = [Counter(analyze(text)) for text in texts]
    collection = Counter(term for counts in documents for term in counts.elements())
    size, lengths = collection.total(), [counts.total() for counts in documents]
    asked = [term for term in analyze(query) if term in collection]
    found = {}
    for number, counts in enumerate(documents):
        if counts.keys() & set(asked):
            of_each = [probability(counts[term], lengths[number], Fraction(collection[term], size)) for term in asked]
            found[number] = math.fsum(math.log(p.numerator) - math.log(p.denominator) for p in of_each)
    return found


MODELS = [
    ("lm-dirichlet", dirichlet(Fraction(2000))),
    ("lm-dirichlet:0.25", dirichlet(Fraction(1, 4))),
    ("lm-jm", jelinek_mercer(Fraction(0.1))),
    ("lm-jm:0.75", jelinek_mercer(Fraction(3, 4))),
    ("lm-jm:1", jelinek_mercer(Fraction(1))),
]
each_model = pytest.mark.parametrize(
    ("name", "probability"),
    [pytest.param(*each, id=each[0], marks=[pytest.mark.system] if ":" in each[0] else []) for each in MODELS],
)


@each_model
@given(texts=TEXTS, query=QUERIES)
def test_scores_are_log_probabilities(name, probability, texts, query):
    ranking = Searcher(Index.build(texts), name).search(query, k=None)
    ours = {int(hit.doc_id) - 1: hit.score for hit in ranking}
    assert ours == pytest.approx(log_probabilities(texts, query, probability), rel=1e-12, abs=1e-11)


@exhaustive
def test_cranfield(corpora):
    """One query a model: the loops are slow."""
    collection = toysearch.load("cranfield")
    index = Index.build(collection, analyze)
    for (name, probability), query in zip(MODELS, collection.queries[::45], strict=True):
        ours = {index.doc_number(hit.doc_id): hit.score for hit in Searcher(index, name).search(query.text, k=None)}
        expected = log_probabilities(collection.documents.texts, query.text, probability)
        assert ours == pytest.approx(expected, rel=1e-12)


def test_revenue_down():
    """Manning, Raghavan & Schütze 2008, example 12.3: lambda = 1/2, P(q|d1) = 3/256 and P(q|d2) = 1/256.

    "a" is a word there, which the default analyzer leaves out.
    """
    texts = ["Xyzzy reports xx profit but revenue is down", "Quorus narrows quarter loss but revenue decreases further"]
    ranking = Searcher(Index.build(texts), "lm-jm:lambda=0.5").search("revenue down")
    assert [(hit.doc_id, math.exp(hit.score) * 256) for hit in ranking] == [
        ("1", pytest.approx(3.0)),
        ("2", pytest.approx(1.0)),
    ]
