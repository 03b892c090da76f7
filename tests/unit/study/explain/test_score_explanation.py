"""Explained scores: the parts come from the code that scores; the terms that came into a query."""

import cProfile

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher, explain
from toysearch.base import Document
from toysearch.base.explanation import SUM
from toysearch.base.explanation import PartName as Part
from toysearch.study.explain.score_explanation import PartDifference, explain_expansion, part_differences

TEXTS = ["train the cat", "train train the dog and the cat", "parrot", "the the the"]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, fields=("title", "text"))


def test_norms_are_shown_for_the_similarities_that_divide_by_them(index):
    why = explain(Searcher(index, "dice"), "train cat unheard", "1")
    similarity = why.tree.parts[1]
    assert (similarity.formula, similarity.quantities) == ("2s / (dd + qq)", {"dd": 3.0, "qq": 3.0})
    assert [(part.label, part.value) for part in similarity.parts] == [("s", 2.0)]
    assert why.score == 2 * 2 / 6
    assert explain(Searcher(index, "bm25"), "train", "1").tree.formula == SUM


def test_parts_that_cancel_are_shown_all_the_same():
    """Of one document, the collection is the document: p(t|d) = p(t|C) = 1, and log p(q|d) = 0."""
    why = explain(Searcher(Index.build(["train"]), "lm-dirichlet:1"), "train", "1")
    assert (why.score, why.tree.of_kind("per_matched_document")) == (0.0, [])
    assert why.terms[0].share == pytest.approx(np.log(2))  # ln(1 + tf / mu)
    [document] = why.tree.of_kind("document")
    assert document.value == pytest.approx(-np.log(2))  # ln(mu / (dl + mu))


@pytest.mark.parametrize("model", ["bm25", "0.5*bm25 + 0.5*tfidf"])
def test_a_document_that_is_not_ranked_is_printed_as_such(index, model):
    doc_id = next(
        doc_id for doc_id in index.doc_ids if "cat" not in (index.text(index.doc_number(doc_id)) or "").split()
    )
    why = toysearch.explain(toysearch.Searcher(index, model), "cat", doc_id)
    assert str(why) == f"document {doc_id} is not ranked under {model}: it contains no query term"
    assert str(why) in why._repr_html_().replace("&#x27;", "'").replace("&#39;", "'")


DOCUMENTS = [
    toysearch.Document("1", "cat sat", fields={"year": "2"}),
    toysearch.Document("2", "cat cat dog", fields={"year": "3"}),
    toysearch.Document("3", "dog", fields={"year": "5"}),
]


@pytest.fixture(scope="module")
def with_years():
    return Index.build(DOCUMENTS, values=("year",))


# overlap is 2, 2, 1 for the three; min-max takes 1 off and divides by 1: a term counts 1, the whole is moved by -1.
# sum: (2 − 1) / (1 + 1 + 0). Where all score alike, the constant of the normalisation is all there is.
PARTS = [
    ("overlap", "cat sat", "1", {"term cat": 1.0, "term sat": 1.0}),
    ("2*overlap + 3*overlap", "cat sat", "1", {"term cat": 5.0, "term sat": 5.0}),
    ("overlap*prior:year", "cat dog", "2", {"term cat": 3.0, "term dog": 3.0}),
    ("overlap + 0.1*prior:year", "cat", "2", {"term cat": 1.0, "product prior:year": pytest.approx(0.3)}),
    ("2*overlap*dice", "cat", "1", {"product overlap*dice": pytest.approx(2 * 2 / 3)}),
    (
        "0.5*min-max(overlap)",
        "cat sat dog",
        "1",
        {"term cat": 0.5, "term sat": 0.5, "normalisation min-max(overlap)": -0.5},
    ),
    ("sum(overlap)", "cat sat dog", "2", {"term cat": 0.5, "term dog": 0.5, "normalisation sum(overlap)": -0.5}),
    ("min-max(overlap)", "dog", "3", {"term dog": 0.0, "normalisation min-max(overlap)": 1.0}),
    ("bm25", "cat", "3", {}),
    ("bm25 + dice", "cat", "3", {}),
]


@pytest.mark.parametrize(("spec", "text", "doc_id", "expected"), PARTS)
def test_a_score_has_these_parts(with_years, spec, text, doc_id, expected):
    shares = explain(Searcher(with_years, spec), text, doc_id).tree.shares()
    assert {" ".join(part): share for part, share in shares.items()} == expected


def test_the_largest_difference_comes_first_and_equal_ones_by_name():
    first = {Part("term", "b"): 1.0, Part("term", "a"): 1.0, Part("per_matched_document"): 5.0}
    second = {Part("term", "b"): 2.0, Part("term", "a"): 0.0, Part("document"): -7.0, Part("per_matched_document"): 5.0}
    assert part_differences(first, second) == [
        PartDifference("document", "", 0.0, -7.0, -7.0),
        PartDifference("term", "a", 1.0, 0.0, -1.0),
        PartDifference("term", "b", 1.0, 2.0, 1.0),
        PartDifference("per_matched_document", "", 5.0, 5.0, 0.0),
    ]


@pytest.mark.parametrize("at_once", [1, 3, 1 << 20])
def test_frequencies_in_fields_are_those_of_the_postings(monkeypatch, at_once):
    """Whatever number of postings is read at once; a phrase is counted apart from them."""
    monkeypatch.setattr("toysearch.retrieval.query_terms.BLOCK", at_once)
    texts = {
        "1": ("red dog", "the dog and a red cat"),
        "2": ("cat", "red red dog dog dog"),
        "3": ("dog", "a red dog bit"),
    }
    documents = [
        Document(doc_id, f"{title} {body}", fields={"head": title, "body": body})
        for doc_id, (title, body) in texts.items()
    ]
    index = Index.build(documents, fields=["head", "body"])
    searcher = Searcher(index, "bm25f:head=3,body=1")
    terms = searcher.terms('red dog cat "red dog"', "strict")
    for doc_id in texts:
        why = explain(searcher, terms, doc_id)
        for share in why.terms:
            if share.term != '"red dog"':
                counts = [index.analyzer(text).count(share.term) for text in texts[doc_id]]
                assert [share.statistics["tf_head"], share.statistics["tf_body"]] == counts, (doc_id, share)
        assert [share.term for share in why.terms if share.term != '"red dog"']


def test_a_profiler_goes_on_after_an_explanation():
    index = toysearch.Index.build(["cat sat", "dog"])
    profiler = cProfile.Profile()
    profiler.enable()
    try:
        why = toysearch.explain(toysearch.Searcher(index), "cat", "1")
        divmod(7, 2)
    finally:
        profiler.disable()
    assert why == toysearch.explain(toysearch.Searcher(index), "cat", "1")
    assert any("builtins.divmod" in str(entry.code) for entry in profiler.getstats())


INDEX = toysearch.Index.build(toysearch.load("companions"))


@pytest.mark.system
@pytest.mark.parametrize("model", ["rm3(bm25)", "rocchio(sdm(bm25))", "0.5*min-max(kl(bm25)) + 0.5*min-max(bm25)"])
def test_the_parts_of_the_expanded_query(model):
    searcher = toysearch.Searcher(INDEX, model)
    [found] = explain_expansion(searcher, "guinea pig food")
    keeps = 0.5 if model.startswith("rm3") else 1.0
    for term in found.parts:
        query, added = term.parts
        assert query.value == pytest.approx(keeps * query.quantities["qtf"], rel=1e-12, abs=1e-12)
        assert term.value == pytest.approx(term.combined, rel=1e-12)
        if '"' not in term.label:
            assert {doc_id: INDEX[term.label][doc_id] for doc_id in added.quantities} == added.quantities
            assert {*found.quantities} & {*INDEX[term.label]} == {*added.quantities}
    first = toysearch.Searcher(INDEX, "sdm(bm25)" if "sdm" in model else "bm25").search("guinea pig food", k=10)
    assert [*found.quantities.items()] == [(hit.doc_id, hit.score) for hit in [*first][: len(found.quantities)]]
    assert [term.value for term in found.parts] == sorted((term.value for term in found.parts), reverse=True)


@pytest.mark.system
def test_models_without_feedback():
    assert explain_expansion(toysearch.Searcher(INDEX, "bm25"), "cat") == []
    assert explain_expansion(toysearch.Searcher(INDEX, "sdm(bm25)"), "cat") == []
