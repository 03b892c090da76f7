"""Expansions worked out by hand, step by step, as fractions: from the source code of Anserini, `rm3` from its
definition.

The feedback documents and their scores are given, so no weight of a retrieval model enters. Anserini scales the query
(its counts are divided by their sum or norm); toysearch keeps the counts and scales what comes in instead, so each
expected weight is that of the tool times this divisor.
"""

from fractions import Fraction as F
from math import log, log2, sqrt

import numpy as np
import pytest

import toysearch
from toysearch.retrieval.expanded_queries import expanded_by


def weights(model, query, texts, scores):
    """The weight of each term after the expansion of a query by the first documents, which have these scores."""
    index = toysearch.Index.build(texts)
    searcher = toysearch.Searcher(index, "bm25")
    [factor] = toysearch.model(model).products[0].factors
    docs = np.arange(len(scores))
    made = expanded_by(searcher.scorer, searcher.terms(query), factor.wrappers[0], docs, np.array(scores, float)).query
    return {index.term(n): weight for n, weight in zip(made.numbers.tolist(), made.qtf.tolist(), strict=True)}


# The feedback documents of RM3: 6 words and 5 words.
RELEVANCE = ["ant ant bee cow cow elk", "ant bee bee fox gnu"]


def test_rm3():
    # 20 documents, 2 of them for feedback, with the scores 3 and 1; elk and gnu are in 3, more than a tenth, and are
    # left out; the others are in at most 2. Σ tf / dl · score:
    texts = [*RELEVANCE, "cow owl", "elk gnu", "elk gnu", *["owl"] * 15]
    ant, bee = F(2, 6) * 3 + F(1, 5) * 1, F(1, 6) * 3 + F(2, 5) * 1
    cow, fox = F(2, 6) * 3, F(1, 5) * 1
    assert (ant, cow, bee, fox) == (F(12, 10), F(10, 10), F(9, 10), F(2, 10))
    # They are divided by their sum, 33/10, and mixed with the query "ant ant owl", {ant 2/3, owl 1/3}, by 1/4. No
    # document contains yak, so it is not a word of the query.
    added = {"ant": F(12, 33), "cow": F(10, 33), "bee": F(9, 33), "fox": F(2, 33)}
    expected = {term: F(3, 4) * weight for term, weight in added.items()} | {"owl": F(1, 4) * F(1, 3)}
    expected["ant"] += F(1, 4) * F(2, 3)
    assert sum(expected.values()) == 1
    found = weights("rm3(bm25, terms=5, lambda=0.25)", "ant ant owl yak", texts, [3, 1])
    assert found == pytest.approx({term: float(3 * weight) for term, weight in expected.items()}, rel=1e-14)
    # Log probabilities become exp(score - highest), here 1 and 1/3. Only the best 2 come in, with the sum 22/10.
    expected = {"ant": F(1, 4) * F(2, 3) + F(3, 4) * F(12, 22), "cow": F(3, 4) * F(10, 22), "owl": F(1, 12)}
    found = weights("rm3(bm25, terms=2, lambda=0.25)", "ant ant owl yak", texts, [-5, -5 - log(3)])
    assert found == pytest.approx({term: float(3 * weight) for term, weight in expected.items()}, rel=1e-14)


ROCCHIO = ["ant ant bee bee cow", "dog dog dog dog ant ant ant"]


def test_rocchio_of_anserini():
    # io.anserini.rerank.lib.RocchioReranker, 20 documents, 2 of them for feedback, topFbTerms 2, alpha 1, beta 3/4.
    # computeMeanOfDocumentVectors: the norms are √(4 + 4 + 1) = 3 and √(16 + 9) = 5.
    ant, bee, cow, dog = (F(2, 3) + F(3, 5)) / 2, F(2, 3) / 2, F(1, 3) / 2, F(4, 5) / 2
    assert (ant, bee, cow, dog) == (F(19, 30), F(10, 30), F(5, 30), F(12, 30))
    # pruneToSize(2) leaves ant and dog; scaleToUnitL2Norm divides by √(19² + 12²) / 30.
    norm = sqrt(19**2 + 12**2)
    # computeWeightedVector, with the query {ant 1}:
    expected = {"ant": 1 + 0.75 * 19 / norm, "dog": 0.75 * 12 / norm}
    assert weights("rocchio(bm25, terms=2)", "ant", [*ROCCHIO, *["elk"] * 18], [3, 1]) == pytest.approx(
        expected, rel=1e-14
    )


def test_rocchio_differs_from_anserini_in_the_norm_of_documents_with_frequent_terms():
    # elk is in all documents and does not come in. Here it counts in the norm of a document, √(4 + 4 + 1) = 3 with elk
    # in the place of cow; createDocumentVector leaves it out before computeL2Norm, √(4 + 4).
    texts = ["ant ant bee bee elk", ROCCHIO[1], *["elk"] * 18]
    norm = sqrt(19**2 + 12**2)
    found = weights("rocchio(bm25, terms=2)", "ant", texts, [3, 1])
    assert found == pytest.approx({"ant": 1 + 0.75 * 19 / norm, "dog": 0.75 * 12 / norm}, rel=1e-14)
    anserini = (2 / sqrt(8) + 3 / 5, 4 / 5)
    assert found["dog"] != pytest.approx(0.75 * anserini[1] / sqrt(anserini[0] ** 2 + anserini[1] ** 2), rel=1e-3)


def test_axiomatic_of_anserini():
    # io.anserini.rerank.lib.AxiomReranker with N = 1: the pool has the feedback documents only.
    texts = ["ant bee cow elk", "ant bee cow elk", "cow dog elk", "elk fox", "owl"]
    # computeMutualInformation, in units of log 2: I(ant, ant) = 1, since ant is in 2 of 4 documents; bee in the same.
    # cow is in these 2 and one more: 1/2 log2(4/3) + 1/4 log2(2/3) + 1/4 log2(2) = 3/4 log2(4/3).
    # dog and fox are each in one of the 2 others: 1/2 log2(4/3) + 1/4 log2(2/3) + 1/4 log2(2), the same.
    # elk is in all, and has 0.
    third = 0.75 * log2(4 / 3)
    # computeTermScore: the query term counts 1, another beta · I(q, t) / I(q, q), here with beta 0.4. Anserini
    # multiplies by the idf of q and divides by the number of query terms: the same factors for all terms here.
    expected = {"ant": 1.0, "bee": 0.4, "cow": 0.4 * third, "dog": 0.4 * third, "fox": 0.4 * third}
    assert weights("axiomatic(bm25, pool=1)", "ant", texts, [4, 3, 2, 1]) == pytest.approx(expected, rel=1e-12)
