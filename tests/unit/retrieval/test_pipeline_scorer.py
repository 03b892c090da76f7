"""Pipelines: what a stage moves, one stage, the same stage twice, and documents outside a pool."""

import math
import warnings

import pytest

import toysearch
from toysearch import Analyzer, Document, Index, Searcher, model
from toysearch.base import ArgumentError
from toysearch.base.explanation import SUM
from toysearch.models.rankers import Ranker

TEXTS = ["cat dog cat", "dog dog dog fish", "cat fish", "dog cat bird", "bird", "cat cat cat cat bird tree house"]
INDEX = Index.build(TEXTS)
RANKERS = ["bm25", "dph", "rm3(bm25)", "lsa:3", "0.5*bm25 + 0.5*min-max(dice)", "mmr(bm25)", "passages(bm25, words=2)"]


def ranking(ranker, query="cat dog", k=None, index=INDEX, **options):
    return [(hit.doc_id, hit.score) for hit in Searcher(index, ranker).search(query, k, **options)]


def ids(*arguments, **options):
    return [doc_id for doc_id, _ in ranking(*arguments, **options)]


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_pipeline_of_one_stage_is_that_stage(ranker):
    for k in (2, None):
        assert ranking(Ranker(">>", (model(ranker),)), k=k) == ranking(ranker, k=k)


@pytest.mark.parametrize("depth", [1, 2, 3, 100])
@pytest.mark.parametrize("ranker", RANKERS[:5])
def test_the_same_ranker_again_is_the_same_ranking(ranker, depth):
    for k in (2, None):
        assert ids(f"{ranker}@{depth} >> {ranker}", k=k) == ids(ranker, k=k)


def test_the_others_follow_in_their_order_below_the_lowest():
    first, second = ranking("bm25"), dict(ranking("dice"))
    head = sorted(first[:3], key=lambda pair: (-second[pair[0]], pair[0]))
    scores = [second[doc_id] for doc_id, _ in head]
    below = [(doc_id, scores[-1] - place) for place, (doc_id, _) in enumerate(first[3:], 1)]
    assert ranking("bm25@3 >> dice") == [*((doc_id, second[doc_id]) for doc_id, _ in head), *below]


def test_without_a_depth_all_are_ranked_again():
    assert ranking("bm25 >> dice") == ranking("dice")


def test_a_document_that_a_stage_does_not_rank_follows_those_that_it_ranks():
    assert ids("lsa:3@4 >> bm25", "bird")[:3] == ids("bm25", "bird")
    assert sorted(ids("lsa:3@4 >> bm25", "bird")) == sorted(ids("lsa:3", "bird"))


@pytest.mark.parametrize(
    "ranker", ["bm25@3 >> mmr(dph) >> dice", "xquad(bm25@4 >> dph)", "passages(bm25@9 >> dph, words=2)"]
)
def test_a_cut_keeps_the_beginning(ranker):
    for k in range(1, 6):
        assert ranking(ranker, k=k) == ranking(ranker)[:k]


def test_phrases_filters_and_required_words_restrict_every_stage():
    index = Index.build([Document(str(n), text, "", {"n": str(n)}) for n, text in enumerate(TEXTS)], values=["n"])
    for ranker in ("bm25@2 >> lsa:3", "passages(bm25, words=2)", "mmr(lsa:3)", "xquad(bm25)", "lsa:3"):
        assert set(ids(ranker, '"dog cat"', index=index)) == {"0", "3"}
        assert set(ids(ranker, "+bird cat", index=index)) == {"3", "4", "5"}
        every = ranking(ranker, "cat", index=index)
        assert ranking(ranker, "cat", index=index, where="n > 1") == [pair for pair in every if int(pair[0]) > 1]


@pytest.mark.parametrize("ranker", [f"mmr({ranker}, lambda=1)" for ranker in RANKERS[:5]])
def test_mmr_with_lambda_1_is_the_ranking(ranker):
    assert ranking(ranker) == ranking(ranker.removeprefix("mmr(").removesuffix(", lambda=1)"))


def test_xquad_with_lambda_0_is_the_ranking():
    assert ranking("xquad(bm25, lambda=0)") == ranking("bm25")


def test_a_stage_is_explained_with_what_it_moved():
    tree = toysearch.explain(Searcher(INDEX, "bm25 >> dice"), "cat dog", "4").tree
    places = [ids(ranker).index("4") + 1 for ranker in ("bm25", "dice")]
    assert (tree.quantities["stages"], list(tree.quantities["ranks"])) == (("bm25", "dice"), places)


def test_passages_need_texts():
    index = Index.build(TEXTS, store_text=False)
    with pytest.raises(ArgumentError) as error:
        Searcher(index, "passages(bm25)")
    assert str(error.value).startswith("passages are cut out of texts, and this index keeps none; build it again with ")


@pytest.mark.parametrize("ngrams", [(1, 2), (2, 2)])
def test_a_pair_of_words_across_the_ends_of_passages_is_unknown_in_them(ngrams):
    whole, pieces = (
        Index.build(texts, Analyzer(ngrams=ngrams)) for texts in (["old red fox ran"], ["old red", "fox ran"])
    )
    for query in ("red fox", "red fox ran"):
        [(_, score)] = ranking("jaccard", query, k=1, index=pieces) or [("", None)]
        found = ranking("passages(jaccard, words=2, stride=2)", query, index=whole)
        assert found == ([] if score is None else [("1", score)])


def test_priors_of_documents_are_those_of_their_passages():
    index = Index.build([Document(str(n), text, "", {"n": str(n)}) for n, text in enumerate(TEXTS)], values=["n"])
    assert dict(ranking("passages(0*bm25 + prior:n, words=2)", index=index)) == {
        doc_id: float(doc_id) for doc_id in ids("bm25", index=index)
    }


@pytest.mark.system
def test_tuning_finds_the_depth(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = toysearch.tune("bm25@3 >> dice", "cat-dog-parrot", {"depth1": [1, 5]})
    assert "depth1" in str(result)


@pytest.mark.parametrize("ranker", ["mmr(bm25)", "xquad(bm25)"])
def test_a_document_that_is_not_ranked_has_an_empty_explanation(ranker):
    """Document 3 has none of the words."""
    why = Searcher(INDEX, ranker).scorer.explained(Searcher(INDEX, ranker).terms("dog"), "3")
    assert (why.label, why.formula, why.kind, why.parts) == (ranker, SUM, "diversity", ())
    assert math.isnan(why.value)
    assert toysearch.explain(Searcher(INDEX, ranker), "dog", "3").score is None
