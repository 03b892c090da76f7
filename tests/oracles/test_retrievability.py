"""Retrievability is that of plain loops over single searches; Gini is half the relative mean absolute difference."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.workbench.retrieval_bias import generated_queries, gini, retrievability

pytestmark = pytest.mark.system


def gini_by_pairs(values: list[int]) -> Fraction:
    """Half the mean absolute difference of all pairs, divided by the mean."""
    n = len(values)
    differences = sum(abs(one - other) for one in values for other in values)
    return Fraction(differences, 2 * n * sum(values))


@pytest.mark.parametrize("values", [[1], [3, 3], [0, 0, 5], [4, 1, 0, 7, 7, 2]])
def test_gini_is_that_of_all_pairs(values):
    assert gini(values) == pytest.approx(float(gini_by_pairs(values)), abs=1e-15)


def test_gini_of_nothing_is_undefined():
    assert math.isnan(gini([0, 0]))


@pytest.mark.parametrize(("kind", "n"), [("bigrams", 150), ("terms", 80)])
def test_counts_and_curve_are_those_of_plain_loops(kind, n):
    index = Index.build(toysearch.load("companions"), toysearch.Analyzer.for_language("english"))
    found = retrievability(index, ["bm25:b=0", "cosine"], kind=kind, n=n, k=7, seed=3)
    asked = generated_queries(index, kind, n, seed=3)
    occurring = Counter()
    for text in index.texts:
        terms = index.analyzer(text)
        occurring.update(list(pairwise(terms)) if kind == "bigrams" else [(term,) for term in terms])
    assert len(set(asked)) == n
    assert all(occurring[terms] >= 2 for terms in asked)
    for own in found.systems:
        counts = dict.fromkeys(index.doc_ids, 0)
        for terms in asked:
            for hit in Searcher(index, own.system).search_terms(terms, k=7):
                counts[hit.doc_id] += 1
        assert own.counts.tolist() == list(counts.values())
        assert own.never == tuple(doc_id for doc_id, count in counts.items() if count == 0)
        assert own.gini == pytest.approx(float(gini_by_pairs(list(counts.values()))), rel=1e-12)
        rising, total = sorted(counts.values()), sum(counts.values())
        expected = [sum(rising[: 40 * tenth]) / total for tenth in range(11)]  # 400 documents
        assert own.lorenz == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_an_example_by_hand():
    # "cat": d1, d2; "dog": d2, d3. Of the best 1: the shorter document. d4 is never found.
    index = Index.build({"d1": "cat", "d2": "cat dog bird", "d3": "dog", "d4": "fish"})
    [own] = retrievability(index, queries=[("1", "cat"), ("2", "dog")], k=1).systems
    assert (own.counts.tolist(), own.never, own.gini) == ([1, 0, 1, 0], ("d2", "d4"), 0.5)
    [own] = retrievability(index, queries=[("1", "cat"), ("2", "dog")], k=2).systems
    assert (own.counts.tolist(), own.never, own.gini) == ([1, 2, 1, 0], ("d4",), 0.375)
