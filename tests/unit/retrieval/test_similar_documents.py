"""Neighbours: a document as the query of any model, and what is shared; near duplicates."""

import random
from itertools import product

import numpy as np
import pytest
from error_messages import raising
from tiers import thinned

import toysearch
from toysearch import Index, Searcher, explain
from toysearch.base.errors import ArgumentError
from toysearch.retrieval import similar_documents as module
from toysearch.retrieval.similar_documents import (
    SimilarPair,
    duplicate_groups,
    near_duplicates,
    similar,
    similarity_matrix,
)
from toysearch.study.explain.order_explanation import explain_similar, shared_terms

TEXTS = ["ant bee cat cat", "cat cat bee ant", "ant dog dog", "elk", "", "ant bee bee"]
MODELS = ["overlap", "tfidf", "cosine", "dice", "jaccard", "bm25", "bm25l", "bm25plus"]


@pytest.fixture
def index():
    return Index.build(TEXTS)


@pytest.mark.parametrize(("model", "number"), thinned(product(MODELS, range(len(TEXTS))), 5))
def test_it_is_the_search_for_the_text_without_the_document(index, model, number):
    doc_id = str(number + 1)
    found = similar(index, doc_id, model, k=None)
    searched = [hit for hit in Searcher(index, model).search(TEXTS[number], k=None) if hit.doc_id != doc_id]
    assert [(hit.doc_id, hit.score) for hit in found] == [(hit.doc_id, hit.score) for hit in searched]
    assert found.query_id == doc_id
    best = similar(Searcher(index, model), doc_id, k=2)
    assert [(hit.doc_id, hit.score) for hit in best] == [(hit.doc_id, hit.score) for hit in found][:2]


def test_a_mixture_ranks_neighbours_too(index):
    found = similar(index, "1", "0.5*jaccard + 0.5*dice")
    jaccard, dice = similarity_matrix(index, ["1", "2", "3"]), similarity_matrix(index, ["1", "2", "3"], "dice")
    scores = dict(zip(found.doc_ids, found.scores, strict=True))
    assert scores["3"] == pytest.approx((jaccard[0, 2] + dice[0, 2]) / 2)
    with pytest.raises(ArgumentError, match="is a mixture; name a single model here"):
        shared_terms(Searcher(index, "0.5*jaccard + 0.5*dice"), "1", "3")


def test_a_neighbour_under_a_mixture_is_explained(index):
    searcher = Searcher(index, "0.5*jaccard + 2*dice*bm25plus-rank")
    for hit in similar(searcher, "1", k=None):
        why = explain_similar(searcher, "1", hit.doc_id)
        assert why.score == hit.score
        assert sum(product.value for product in why.tree.parts) == pytest.approx(hit.score, rel=1e-12)
        _, jaccard = why.tree.parts[0].parts
        assert jaccard.parts == (explain_similar(Searcher(index, "jaccard"), "1", hit.doc_id).tree,)
    assert explain_similar(searcher, "1", "4").score is None
    assert explain_similar(searcher, "5", "1").score is None
    assert explain_similar(Searcher(index), "5", "1").score is None


@pytest.mark.parametrize("model", MODELS)
def test_shares_add_up_to_the_score(index, model):
    searcher = Searcher(index, model)
    for hit in similar(searcher, "1", k=None):
        shared = shared_terms(searcher, "1", hit.doc_id)
        assert {term.term for term in shared} == set(index.vector("1")) & set(index.vector(hit.doc_id))
        assert sum(term.share for term in shared) == pytest.approx(hit.score, abs=1e-12)
        assert [term.share for term in shared] == sorted((term.share for term in shared), reverse=True)


@pytest.mark.parametrize("model", [*MODELS, "bm25plus-rank", "bm25l-rank", "tfidf:idf=smooth"])
def test_shares_are_those_of_the_search_for_the_text(index, model):
    """Also where a model adds something to each document, whatever its terms: that is no term's share."""
    searcher = Searcher(index, model)
    for doc_id in ("2", "3", "6"):
        expected = {term.term: term.share for term in explain(searcher, TEXTS[0], doc_id).terms}
        shared = shared_terms(searcher, "1", doc_id)
        assert {term.term: term.share for term in shared} == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_a_document_that_shares_nothing_is_not_scored():
    """A model need not have a finite score for it."""

    def of_sum(s):
        return np.log(s)

    @toysearch.model(similarity=of_sum, document=lambda dl: -dl)
    def logarithm(tf):
        return tf

    assert shared_terms(Searcher(Index.build(["cat", "dog"]), logarithm), "1", "2") == []


def test_what_is_known_of_a_shared_term(index):
    shared = shared_terms(Searcher(index, "cosine:weights=tf"), "6", "1")
    # ant 1 · 1 and bee 2 · 1, over √(1 + 4) · √(1 + 1 + 4)
    assert [term[:4] for term in shared] == [("bee", 3, 2, 1), ("ant", 4, 1, 1)]
    assert [term.share for term in shared] == pytest.approx([2 / np.sqrt(30), 1 / np.sqrt(30)])
    assert [term[:4] for term in shared_terms(Searcher(index, "cosine:weights=tf"), "1", "6")] == [
        ("bee", 3, 1, 2),
        ("ant", 4, 1, 1),
    ]


def test_documents_without_a_term_in_common(index):
    assert shared_terms(Searcher(index, "jaccard"), "1", "4") == []
    assert shared_terms(Searcher(index, "jaccard"), "5", "1") == []
    assert len(similar(index, "5")) == 0
    assert similarity_matrix(index, ["5", "4", "1"]).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_a_matrix_may_name_a_document_twice_and_its_rows_are_queries(index):
    matrix = similarity_matrix(index, ["3", "1", "3"], "bm25")
    assert (matrix[0] == matrix[2]).all()
    assert (matrix[:, 0] == matrix[:, 2]).all()
    scores = {hit.doc_id: hit.score for hit in similar(index, "1", "bm25")}
    assert matrix[1, 0] == scores["3"]
    assert matrix[1, 0] != matrix[0, 1]
    assert similarity_matrix(index, []).shape == (0, 0)


def test_large_counts_are_not_cut_to_a_byte():
    index = Index.build(["cat " * 300 + "dog", "cat dog", "cat " * 300 + "dog"])
    assert similar(index, "1", "cosine:weights=tf")[0][1:] == ("3", pytest.approx(1))
    assert shared_terms(Searcher(index, "overlap"), "2", "1")[0][2:4] == (1, 300)


def test_unknown_documents_and_models(index):
    for call in (
        lambda: similar(index, "9"),
        lambda: similarity_matrix(index, ["1", "9"]),
        lambda: shared_terms(Searcher(index), "1", "9"),
        lambda: shared_terms(Searcher(index), "9", "1"),
    ):
        with raising(ArgumentError, "the index has no document '9'; it has 6 documents, the first is '1'"):
            call()
    for k in (0, True):
        with raising(ArgumentError, f"k must be a whole number of at least 1 (or None for all), not {k!r}"):
            similar(index, "1", k=k)
    with raising(ArgumentError, "k must be a whole number of at least 1 (or None for all), not '3'"):
        similar(index, "1", k="3")
    with pytest.raises(ArgumentError, match="unknown model 'cosin'; did you mean 'cosine'"):
        similar(index, "1", "cosin")


# Near duplicates


def pairs(texts, *arguments):
    return [tuple(pair) for pair in near_duplicates(Index.build(texts), *arguments)]


@pytest.mark.system
def test_equal_documents_are_found_whatever_rounding_does():
    """A cosine of two equal vectors can come out as 1 - 2⁻⁵³."""
    rng = random.Random(7)
    texts = [" ".join(rng.choices([f"w{i}" for i in range(40)], k=30)) for _ in range(60)]
    for model in ("cosine", "cosine:tf=log,idf=smooth", "dice:weights=tfidf", "jaccard:weights=tfidf", "jaccard"):
        found = pairs([text for text in texts for _ in range(2)], 1.0, model)
        assert [pair[:2] for pair in found] == [(str(n), str(n + 1)) for n in range(1, 120, 2)]
        assert [pair[2] for pair in found] == pytest.approx([1.0] * 60, abs=1e-12)


@pytest.mark.system
@pytest.mark.parametrize("work", thinned([7, 1, 100], 3))
def test_blocks_change_nothing(monkeypatch, work):
    rng, words = random.Random(3), ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]
    texts = [" ".join(rng.choices(words, k=rng.randrange(12))) for _ in range(80)]
    whole = {model: pairs(texts, 0.6, model) for model in ("cosine", "dice", "jaccard")}
    assert all(len(found) > 20 for found in whole.values())
    monkeypatch.setattr(module, "_WORK", work)
    for model, found in whole.items():
        assert pairs(texts, 0.6, model) == found


@pytest.mark.system
def test_few_are_compared_in_full(monkeypatch):
    """Documents that share frequent terms only are no candidates, nor are those of too different sizes."""
    asked = []
    reaching = module._reaching

    def counting(similarity, above, shared, dd, qq):
        asked.append(len(shared))
        return reaching(similarity, above, shared, dd, qq)

    monkeypatch.setattr(module, "_reaching", counting)
    common = " ".join(f"c{i}" for i in range(8))
    texts = [f"{common} r{i} s{i} t{i}" for i in range(100)] + [f"{common} r0 s0 t0", "r0 s0"]
    assert [pair[:2] for pair in pairs(texts)] == [("1", "101")]
    assert asked == [3, 1]  # three have r0, and the last one is too short


@pytest.mark.system
def test_wrong_arguments_are_refused_at_once():
    index = Index.build(["ant"])
    for above in (0, -0.5, 1.1, float("nan")):
        with pytest.raises(ArgumentError) as caught:
            near_duplicates(index, above)
        assert (
            str(caught.value) == f"the least similarity of near duplicates must be above 0 and at most 1, not {above!r}"
        )
    for model in ("bm25", "overlap", "0.5*jaccard + 0.5*dice"):
        with pytest.raises(ArgumentError) as caught:
            near_duplicates(index, 0.9, model)
        assert str(caught.value).startswith("near duplicates are found by cosine, dice or jaccard, not by")


@pytest.mark.system
def test_a_model_of_ones_own_is_refused_whatever_its_name():
    @toysearch.model(similarity="euclidean")
    def jaccard(tf):
        return tf

    with pytest.raises(ArgumentError, match="near duplicates are found by cosine, dice or jaccard"):
        near_duplicates(Index.build(["ant"]), 0.9, jaccard)

    @toysearch.model(similarity="dice")
    def dice(tf, df):
        return tf / df  # the query's weights are not these

    with pytest.raises(ArgumentError, match="near duplicates are found by cosine, dice or jaccard"):
        near_duplicates(Index.build(["ant"]), 0.9, dice)


@pytest.mark.system
def test_groups_are_joined_by_chains():
    chain = [SimilarPair(*pair, 1.0) for pair in ("xy", "ab", "cd", "bc", "ef", "eg", "hd")]
    assert duplicate_groups(chain) == [["a", "b", "c", "d", "h"], ["e", "f", "g"], ["x", "y"]]
    triangle = [SimilarPair(*pair, 1.0) for pair in ("ab", "bc", "ac")]
    assert duplicate_groups(triangle) == [["a", "b", "c"]]
    assert duplicate_groups([]) == []
