"""Explained scores: the shares add up, and they come from the code that scores."""

from __future__ import annotations

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher, explain

TEXTS = ["train the cat", "train train the dog and the cat", "parrot", "the the the"]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, fields=("title", "text"))


SPECS = [*toysearch.MODELS, "cosine:weights=tf", "dice:weights=tfidf,idf=smooth", "jaccard:weights=tf", "bm25:k3=2"]


@pytest.mark.parametrize("spec", SPECS)
def test_shares_add_up_to_the_score_of_the_ranking(index, spec):
    searcher = Searcher(index, spec)
    text = "train the the cat unheard"
    for hit in searcher.search(text, k=None):
        why = explain(searcher, text, hit.doc_id)
        assert why.score == hit.score  # the very same number
        total = sum(share.share for share in why.terms) + why.per_matched_document + why.document
        assert total == pytest.approx(hit.score, rel=1e-12, abs=1e-12)
        assert why.unknown == ["unheard"]


def test_random_collections_add_up_too():
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(30)]
    texts = [" ".join(rng.choice(words, rng.integers(1, 60))) for _ in range(40)]
    index = Index.build(texts, fields=("title", "text"))
    for spec in SPECS:
        searcher = Searcher(index, spec)
        text = " ".join(rng.choice(words, 6))
        for hit in searcher.search(text, k=None):
            why = explain(searcher, text, hit.doc_id)
            total = sum(share.share for share in why.terms) + why.per_matched_document + why.document
            assert (why.score, total) == (hit.score, pytest.approx(hit.score, rel=1e-12, abs=1e-12))


def test_bm25_shows_its_idf_and_length_parts(index):
    why = explain(Searcher(index, "bm25"), "train cat", "2")
    share = next(share for share in why.terms if share.term == "train")
    assert share.statistics == {"tf": 2.0, "dl": 7.0, "df": 2.0}
    idf, length = np.log(1 + 2.5 / 2.5), 1 - 0.75 + 0.75 * 7 / (14 / 4)
    assert share.parts == {"idf": pytest.approx(idf), "length": pytest.approx(length)}
    assert share.weight == pytest.approx(idf * 2 / (2 + 1.2 * length))
    assert why.collection == {"N": 4.0, "avgdl": 3.5}


def test_a_users_function_explains_itself_by_the_names_it_gives(index):
    def mine(tf, df, N):
        rarity = np.log(N / df)
        doubled = 2 * tf
        return doubled * rarity

    [share] = explain(Searcher(index, mine), "parrot", "3").terms
    assert share.parts == {"rarity": pytest.approx(np.log(4)), "doubled": 2.0}


def test_norms_are_shown_for_the_similarities_that_divide_by_them(index):
    why = explain(Searcher(index, "dice"), "train cat unheard", "1")
    assert (why.s, why.norms, why.similarity) == (2.0, {"dd": 3.0, "qq": 3.0}, "2s / (dd + qq)")
    assert why.score == 2 * 2 / 6
    why = explain(Searcher(index, "bm25"), "train", "1")
    assert (why.norms, why.similarity) == ({}, "s")


def test_what_every_document_gets_is_divided_by_the_norms_too(index):
    @toysearch.model(similarity="cosine", per_matched_document=lambda qtf: 3 * qtf, document=lambda dl: dl)
    def mixed(tf):
        return tf

    searcher = Searcher(index, mixed)
    for hit in searcher.search("train cat"):
        why = explain(searcher, "train cat", hit.doc_id)
        assert why.per_matched_document == pytest.approx(6 / np.sqrt(why.norms["dd"] * why.norms["qq"]))
        total = sum(share.share for share in why.terms) + why.per_matched_document + why.document
        assert (why.score, total) == (hit.score, pytest.approx(hit.score, rel=1e-12))


def test_parts_that_cancel_are_shown_all_the_same():
    """Of one document, the collection is the document: p(t|d) = p(t|C) = 1, and log p(q|d) = 0."""
    why = explain(Searcher(Index.build(["train"]), "lm-dirichlet:1"), "train", "1")
    assert (why.score, why.per_matched_document) == (0.0, 0.0)
    assert why.terms[0].share == pytest.approx(np.log(2))  # ln(1 + tf / mu)
    assert why.document == pytest.approx(-np.log(2))  # ln(mu / (dl + mu))


def test_a_document_without_a_query_term_has_no_score(index):
    why = explain(Searcher(index, "bm25plus-rank"), "train", "3")
    assert (why.score, why.terms, why.absent) == (None, [], ["train"])


def test_an_unknown_document_is_refused(index):
    with pytest.raises(toysearch.ToysearchError, match="'99'"):
        explain(Searcher(index), "train", "99")


@pytest.mark.parametrize("model", ["bm25", "0.5*bm25 + 0.5*tfidf"])
def test_a_document_that_is_not_ranked_is_printed_as_such(index, model):
    doc_id = next(
        doc_id for doc_id in index.doc_ids if "cat" not in (index.text(index.doc_number(doc_id)) or "").split()
    )
    why = toysearch.explain(toysearch.Searcher(index, model), "cat", doc_id)
    assert str(why) == f"document {doc_id} is not ranked under {model}: it holds none of the query's terms"
    assert str(why) in why._repr_html_().replace("&#x27;", "'").replace("&#39;", "'")
