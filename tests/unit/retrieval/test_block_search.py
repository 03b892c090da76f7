"""Which path answers, and what is kept between queries."""

import numpy as np
import pytest

import toysearch
from toysearch import Index
from toysearch.base import plain_or_compiled
from toysearch.retrieval import block_search
from toysearch.retrieval.block_search import BlockSearch
from toysearch.retrieval.model_scorer import ModelScorer
from toysearch.retrieval.query_terms import query_terms
from toysearch.retrieval.scoring import Ranked, Weights, highest, score

TEXTS = ["a1 b1 c1", "a1 a1 b1", "c1 b1", "", "a1"]


@pytest.fixture
def retrieval():
    def over(model) -> BlockSearch:
        weights = Weights(Index.build(TEXTS), toysearch.model(model))
        assert BlockSearch.fits(weights)
        return BlockSearch(weights)

    return over


def asked(search: BlockSearch, text: str):
    return query_terms(search.weights.index, text.split())


def by_numpy(search: BlockSearch, query, k: int) -> Ranked:
    return highest(score(search.weights, query), k)


@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_compiled_loops_search_where_they_are_chosen(path, monkeypatch):
    if path == "compiled" and not plain_or_compiled.loops_compiled():
        pytest.skip("the loops are not compiled")
    monkeypatch.setenv(plain_or_compiled.VARIABLE, path)
    scorer = ModelScorer(Index.build(TEXTS), toysearch.model("bm25"))
    assert (scorer.search is not None) == (path == "compiled")
    query = query_terms(scorer.weights.index, ["a1", "b1"])
    for one, other in zip(scorer.best([query], 2)[0], highest(scorer.score(query), 2), strict=True):
        assert one.tobytes() == other.astype(one.dtype).tobytes()


def test_functions_without_a_module(retrieval):
    made: dict[str, object] = {}
    exec("def halved(tf): return tf / 2\ndef thrice(qtf): return 3 * qtf", made)
    assert made["halved"].__module__ is None or "toysearch" not in made["halved"].__module__
    made["halved"].__module__ = made["thrice"].__module__ = None
    search = retrieval(toysearch.model(query=made["thrice"])(made["halved"]))
    [(docs, scores)] = search.best([asked(search, "a1")], 5)
    assert (docs.tolist(), scores.tolist()) == ([1, 0, 4], [3.0, 1.5, 1.5])


def test_empty_documents_need_no_finite_part(retrieval):
    @toysearch.model(document=lambda dl: np.log(dl))
    def lengthy(tf):
        return tf

    made = retrieval(lengthy)
    [(docs, _)] = made.best([asked(made, "a1 b1")], 5)
    assert docs.tolist() == [1, 0, 2, 4]


@pytest.mark.parametrize(
    ("model", "searched"),
    [("bm25", True), ("tfidf", True), ("cosine", True), ("smart:lnu.ltc", True), ("euclidean", False)],
)
def test_models_with_a_similarity_of_their_own_are_added_up(model, searched):
    assert BlockSearch.fits(Weights(Index.build(TEXTS), toysearch.model(model))) == searched


def test_a_model_sees_no_pairs_that_do_not_occur_if_it_refuses_them(retrieval):
    @toysearch.model
    def strict(tf, dl):
        if (tf > dl).any():
            raise ValueError("more than all")
        return tf / dl

    made = retrieval(strict)
    query = asked(made, "a1 c1")
    expected = by_numpy(made, query, 3)
    [(docs, scores)] = made.best([query], 3)
    assert (docs.tolist(), scores.tolist()) == (expected[0].tolist(), expected[1].tolist())


def test_documents_of_too_many_lengths_are_added_up(monkeypatch):
    monkeypatch.setattr(block_search, "LENGTHS", 3)
    assert not BlockSearch.fits(Weights(Index.build(TEXTS), toysearch.model("bm25")))  # 0, 1, 2 and 3 tokens


@pytest.mark.parametrize("column", ["before", "gap_bits", "highest_tf", "last_docs"])
def test_blocks_that_contradict_each_other_are_refused(retrieval, column):
    made = retrieval("bm25")
    made.best([asked(made, "a1 b1 c1")], 2)
    row = made._terms.arrays[0][{"before": 2, "gap_bits": 4, "highest_tf": 5, "last_docs": 6}[column]]
    row[:3] = {"before": row[:3] - 9, "gap_bits": 1 - row[:3], "highest_tf": 1, "last_docs": row[:3] + 1}[column]
    with pytest.raises(toysearch.base.errors.StorageError, match="postings contradict each other; build it again"):
        made.best([asked(made, "a1 b1 c1")], 2)


@pytest.mark.parametrize(("added", "expected"), [(-5, [0, 0, 0]), (999, [254, 254, 254])])  # columns of the table
def test_forged_lengths_of_blocks_stay_within_the_table(retrieval, added, expected):
    made = retrieval("bm25")
    blocks = made.weights.index.blocks.packed
    blocks._least_dl = np.asarray(blocks.least_dl, np.int64) + added
    assert len(made.best([asked(made, "a1 b1 c1")], 2)) == 1
    assert made._terms.arrays[0][-1][:3].tolist() == expected


@pytest.mark.parametrize("k", [1, 2, 40])
@pytest.mark.parametrize("model", ["bm25", "bm25:k1=0", "tfidf", "lm-dirichlet", "dph", "cosine", "bm25l"])
def test_a_phrase_is_ranked_as_by_numpy(model, k):
    texts = [*TEXTS, "a1 b1 " * 3, "a1 b1 " * 30, *(f"a1 b1 {'x1 ' * n}" for n in range(260)), "b1 a1"]
    searcher = toysearch.Searcher(Index.build(texts, positions=True), model)
    query = searcher.terms('"a1 b1"')
    keeps = np.arange(len(texts)) % 3 == 0
    for asked_for in (query, query._replace(allowed=keeps.astype(np.uint8)), searcher.terms('"a1 b1" x1')):
        for one, other in zip(
            searcher.scorer.best([asked_for], k)[0], highest(searcher.scorer.score(asked_for), k), strict=True
        ):
            assert one.tobytes() == other.astype(one.dtype).tobytes()
    several = searcher.scorer.best([query, asked_for, query], k)
    for one, other in zip(several[2], highest(searcher.scorer.score(query), k), strict=True):
        assert one.tobytes() == other.astype(one.dtype).tobytes()
