"""Expansions worked out by hand, step by step, as fractions: from the source code of Anserini and Terrier, `rm3` from
its definition.

The feedback documents and their scores are given, so no weight of a retrieval model enters. Both tools scale the query
(its counts are divided by their sum, norm or maximum); toysearch keeps the counts and scales what comes in instead, so
each expected weight is that of the tool times this divisor.
"""

from __future__ import annotations

from fractions import Fraction as F
from math import log, log2, sqrt

import numpy as np
import pytest

import toysearch
from toysearch.search.relevance_feedback import expanded_by


def weights(model, query, texts, scores):
    """The weight of each term after the expansion of a query by the first documents, which have these scores."""
    index = toysearch.Index.build(texts)
    searcher = toysearch.Searcher(index, "bm25")
    [factor] = toysearch.model(model).products[0].factors
    docs = np.arange(len(scores))
    made = expanded_by(searcher.scorer, searcher.terms(query), factor.wrappers[0], docs, np.array(scores, float)).query
    return {index.term(n): weight for n, weight in zip(made.numbers.tolist(), made.qtf.tolist(), strict=True)}


def test_rm3_of_anserini():
    # io.anserini.rerank.lib.Rm3Reranker, 20 documents, 2 of them for feedback, fbTerms 2, originalQueryWeight 1/2.
    texts = ["ant ant ant bee bee cow elk", "dog dog dog dog ant ant cat's elk", *["elk"] * 18]
    # createdFeatureVector: elk is in 20 of 20 documents, more than a tenth, and is left out; ant, in 2 of 20, is kept.
    # estimateRelevanceModel, pruneToSize(2): {ant 3, bee 2} with the sum 5, and {dog 4, ant 2} with the sum 6.
    ant, bee, dog = F(3, 5) * 3 + F(2, 6) * 1, F(2, 5) * 3, F(4, 6) * 1  # Σ tf / sum · score, with the scores 3 and 1
    assert (ant, bee, dog) == (F(32, 15), F(6, 5), F(2, 3))
    # pruneToSize(2) leaves ant and bee, and scaleToUnitL1Norm divides by 32/15 + 18/15.
    ant, bee = ant / F(50, 15), bee / F(50, 15)
    assert (ant, bee) == (F(16, 25), F(9, 25))
    # The query "ant yak" is {ant 1/2, yak 1/2}, though no document contains yak; interpolate with 1/2.
    ant, bee = F(1, 2) * F(1, 2) + F(1, 2) * ant, F(1, 2) * bee
    assert (ant, bee) == (F(57, 100), F(18, 100))
    found = weights("rm3-anserini(bm25:terms=2)", "ant yak", texts, [3, 1])
    assert found == pytest.approx({"ant": 2 * 0.57, "bee": 2 * 0.18}, rel=1e-14)  # the divisor of the query is 2


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
    found = weights("rm3(bm25:terms=5,lambda=0.25)", "ant ant owl yak", texts, [3, 1])
    assert found == pytest.approx({term: float(3 * weight) for term, weight in expected.items()}, rel=1e-14)
    # Log probabilities become exp(score - highest), here 1 and 1/3. Only the best 2 come in, with the sum 22/10.
    expected = {"ant": F(1, 4) * F(2, 3) + F(3, 4) * F(12, 22), "cow": F(3, 4) * F(10, 22), "owl": F(1, 12)}
    found = weights("rm3(bm25:terms=2,lambda=0.25)", "ant ant owl yak", texts, [-5, -5 - log(3)])
    assert found == pytest.approx({term: float(3 * weight) for term, weight in expected.items()}, rel=1e-14)


def test_rm3_of_terrier():
    # org.terrier.querying.RM1 and RM3 of terrier-prf, 40 documents, 2 of them for feedback with the scores log 6 and
    # log 2, fbTerms 5, lambda 3/5. FeedbackDocument keeps terms in at least 2 documents and in less than a tenth, 4:
    # elk, in 4, and fox, in 1, are left out, and gnu, in 3, is kept.
    texts = [*RELEVANCE, "cow owl", *["elk gnu"] * 2, "elk", *["owl"] * 34]
    # retrieveTopDocuments: exp(score) by their sum (logSumExp), 6/8 and 2/8. computeFeedbackTermScores divides tf by
    # the whole length of the document:
    ant, bee = F(2, 6) * F(6, 8) + F(1, 5) * F(2, 8), F(1, 6) * F(6, 8) + F(2, 5) * F(2, 8)
    cow, gnu = F(2, 6) * F(6, 8), F(1, 5) * F(2, 8)
    assert (ant, cow, bee, gnu) == (F(12, 40), F(10, 40), F(9, 40), F(2, 40))
    # clipTerms leaves all four, and normalizeFeedbackTermScores divides by their sum, 33/40. computeOriginalTermScore
    # divides by the sum of the query "ant yak", 2, and then drops yak, which is not in the lexicon.
    added = {"ant": F(12, 33), "cow": F(10, 33), "bee": F(9, 33), "gnu": F(2, 33)}
    expected = {term: F(2, 5) * weight for term, weight in added.items()}
    expected["ant"] += F(3, 5) * F(1, 2)
    found = weights("rm3-terrier(bm25:terms=5,lambda=0.6)", "ant yak", texts, [log(6), log(2)])
    assert found == pytest.approx({term: float(2 * weight) for term, weight in expected.items()}, rel=1e-14)
    # With fbTerms 2, ant and cow are left, and their sum is 22/40.
    expected = {"ant": F(3, 5) * F(1, 2) + F(2, 5) * F(12, 22), "cow": F(2, 5) * F(10, 22)}
    found = weights("rm3-terrier(bm25:terms=2,lambda=0.6)", "ant yak", texts, [log(6), log(2)])
    assert found == pytest.approx({term: float(2 * weight) for term, weight in expected.items()}, rel=1e-14)


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
    assert weights("rocchio(bm25:terms=2)", "ant", [*ROCCHIO, *["elk"] * 18], [3, 1]) == pytest.approx(
        expected, rel=1e-14
    )


def test_rocchio_differs_from_anserini_in_the_norm_of_documents_with_frequent_terms():
    # elk is in all documents and does not come in. Here it counts in the norm of a document, √(4 + 4 + 1) = 3 with elk
    # in the place of cow; createDocumentVector leaves it out before computeL2Norm, √(4 + 4).
    texts = ["ant ant bee bee elk", ROCCHIO[1], *["elk"] * 18]
    norm = sqrt(19**2 + 12**2)
    found = weights("rocchio(bm25:terms=2)", "ant", texts, [3, 1])
    assert found == pytest.approx({"ant": 1 + 0.75 * 19 / norm, "dog": 0.75 * 12 / norm}, rel=1e-14)
    anserini = (2 / sqrt(8) + 3 / 5, 4 / 5)
    assert found["dog"] != pytest.approx(0.75 * anserini[1] / sqrt(anserini[0] ** 2 + anserini[1] ** 2), rel=1e-3)


# org.terrier.querying.DFRBagExpansionTerms: the feedback documents are one bag, here of 12 words, {ant 4, bee 3, elk 2,
# dog 2, cow 1}. The collection has 24 documents and 96 words: {ant 8, bee 6, elk 24, dog 2, cow 1} and 55 times owl.
BAG = ["ant ant ant bee elk dog dog", "ant bee bee cow elk"]
TEXTS = [*BAG, "elk ant ant ant ant bee bee bee " + "owl " * 55, *["elk"] * 21]


def test_the_bag_is_as_stated():
    index = toysearch.Index.build(TEXTS)
    assert (index.stats.N, index.stats.T) == (24, 96)
    assert {each.term: each.cf for each in index.frequent_terms(6)} == {
        "owl": 55, "elk": 24, "ant": 8, "bee": 6, "dog": 2, "cow": 1
    }  # fmt: skip


def test_kl_of_terrier():
    # org.terrier.matching.models.queryexpansion.KL.score: tf/l · log2((tf/l) / (cf/T)); 0 below the collection's share.
    ant = F(4, 12) * 2  # (4/12) / (8/96) = 4, and log2 4 = 2
    bee = F(3, 12) * 2  # (3/12) / (6/96) = 4
    cow = F(1, 12) * 3  # (1/12) / (1/96) = 8
    assert F(2, 12) < F(24, 96)  # so elk has 0
    # assignWeights: dog is in one of the two documents (expansion.mindocuments 2) and not in the query, so it has 0;
    # cow is in one too, but in the query. The highest weight is that of ant, 2/3, whose tf is 4.
    assert (ant, bee, cow) == (F(2, 3), F(1, 2), F(1, 4))
    normaliser = F(4) * 3 / 12  # parameterFreeNormaliser: 4 · log2(96 / 12) / 12
    # QueryExpansion.expandQuery: at least as many terms as the query has come in, here 3; they are added to the
    # weights of the query "cow cow ant", which are divided by the highest: {cow 1, ant 1/2}.
    expected = {"ant": F(1, 2) + ant / normaliser, "bee": bee / normaliser, "cow": 1 + cow / normaliser}
    assert expected == {"ant": F(7, 6), "bee": F(1, 2), "cow": F(5, 4)}
    found = weights("kl-terrier(bm25:terms=3)", "cow cow ant", TEXTS, [3, 1])
    assert found == pytest.approx({term: float(2 * weight) for term, weight in expected.items()}, rel=1e-14)


def test_bo1_of_terrier():
    # org.terrier.matching.models.queryexpansion.Bo1.score: tf · log2((1 + f) / f) + log2(1 + f), f = cf / N.
    ant = 4 * 2 + log2(4 / 3)  # f = 8/24 = 1/3
    bee = 3 * log2(5) + log2(5 / 4)  # f = 6/24 = 1/4
    cow = 1 * log2(25) + log2(25 / 24)  # f = 1/24
    elk = 2 * 1 + 1  # f = 24/24 = 1
    assert ant > bee > cow > elk
    normaliser = 4 * log2(7) + log2(7 / 6)  # parameterFreeNormaliser: the same with tf = 4, that of ant, and f = 4/24
    expected = {"ant": 1 / 2 + ant / normaliser, "bee": bee / normaliser, "cow": 1 + cow / normaliser}
    found = weights("bo1-terrier(bm25:terms=3)", "cow cow ant", TEXTS, [3, 1])
    assert found == pytest.approx({term: 2 * weight for term, weight in expected.items()}, rel=1e-14)


def test_fewer_terms_than_the_query_has():
    # Terrier raises the number of terms to that of the query, 2; toysearch adds the one that it is told to.
    found = weights("kl-terrier(bm25:terms=1)", "cow cow ant", TEXTS, [3, 1])
    assert found == pytest.approx({"cow": 2.0, "ant": 1 + 2 * 2 / 3}, rel=1e-14)


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
    assert weights("axiomatic(bm25:pool=1)", "ant", texts, [4, 3, 2, 1]) == pytest.approx(expected, rel=1e-12)
