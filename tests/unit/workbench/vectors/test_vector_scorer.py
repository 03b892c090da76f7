import pytest

import toysearch
from toysearch import Index, Searcher

TEXTS = {"d1": "car engine", "d2": "automobile engine", "d3": "automobile wheel", "d4": "cat dog", "d5": ""}


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def test_documents_without_a_query_word_are_ranked(index):
    ranking = Searcher(index, "lsa:1").search("car", None)
    found = dict(zip(ranking.doc_ids, ranking.scores.round(6), strict=True))
    assert found == {"d1": 1, "d2": 1, "d3": 1, "d4": 0, "d5": 0}


@pytest.mark.parametrize(
    ("query", "ranked"),
    [
        ("+car", {"d1"}),
        ("+automobile wheel", {"d2", "d3"}),
        ("+(car wheel)", {"d1", "d3"}),
        ("(car OR wheel) AND automobile", {"d3"}),
    ],
)
@pytest.mark.parametrize("model", ["lsa:2", "bm25 + lsa:2", "bm25"])
def test_only_documents_with_required_words_are_ranked(index, model, query, ranked):
    assert {*Searcher(index, model).search(query, None, query_mode="strict").doc_ids} == ranked


def test_a_query_without_known_words_ranks_nothing(index):
    with pytest.warns(toysearch.ToysearchNote, match="no document contains a term of the query"):
        assert len(Searcher(index, "lsa:3").search("zebra", None)) == 0
    assert len(Searcher(index, "lsa:3").search("zebra", 2)) == 0
    assert len(Searcher(index, "bm25 + lsa:3").search("zebra", None)) == 0


def test_the_first_k_are_those_of_all(index):
    searcher = Searcher(index, "lsa:2")
    every = searcher.search("automobile dog", None)
    for k in range(1, 6):
        ranking = searcher.search("automobile dog", k)
        assert list(ranking.doc_ids) == list(every.doc_ids)[:k]
        assert list(ranking.scores) == list(every.scores)[:k]


def test_a_mixture_ranks_the_documents_of_all_its_models(index):
    ranking = Searcher(index, "min-max(bm25) + min-max(lsa:3)").search("car", None)
    assert len(ranking) == 5


def test_rrf_adds_reciprocal_ranks(index):
    searcher = Searcher(index, "rrf(bm25:k1=0.9,b=0.4, lsa:3)")
    assert str(searcher.model) == "rrf(bm25:k1=0.9,b=0.4) + rrf(lsa:3)"
    runs = [Searcher(index, model).run({"1": "car"}, None) for model in ("bm25:k1=0.9,b=0.4", "lsa:3")]
    fused = toysearch.fuse(runs)
    assert searcher.run({"1": "car"}, None)["1"] == pytest.approx(fused["1"])
    assert list(searcher.search("car").doc_ids) == list(fused.ranking("1").doc_ids)


def test_similar_documents_by_topics_need_no_common_word(index):
    ranking = toysearch.similar(index, "d1", "lsa:1")  # the second and third topic weigh the same
    assert list(ranking.doc_ids)[:2] == ["d2", "d3"]
    assert "d1" not in ranking.doc_ids
    assert len(toysearch.similar(index, "d5", "lsa:3")) == 0


def test_the_terms_of_a_similar_document_add_up_too(index):
    from toysearch.study.explain.order_explanation import explain_similar

    [product] = explain_similar(Searcher(index, "lsa:2"), "d2", "d1").tree.parts
    _, factor = product.parts
    [vectors] = factor.parts
    assert sum(term.value for term in vectors.summands) == pytest.approx(factor.quantities["raw"], abs=1e-6)


def test_an_explanation_shows_topics_by_their_terms(index):
    shown = str(toysearch.explain(Searcher(index, "lsa:1"), "car", "d3"))
    assert shown.splitlines() == [
        "document d3: score 1.000000 under lsa:1",
        "term  weight  tf     share",
        "car   1.3863   0  1.000000",
        "",
        "topic   query  document     share  by its strongest terms",
        "    1  1.0000    1.0000  1.000000  automobile, engine, car, wheel",
    ]
