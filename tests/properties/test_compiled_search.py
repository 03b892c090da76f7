"""The compiled loops find the documents and scores of the plain path, to the last bit, for any model, k and threads."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often, thinned

import toysearch
from toysearch import MODELS, Index, Run, Searcher
from toysearch.base import Document
from toysearch.index.posting_blocks import BLOCK
from toysearch.retrieval import block_search

WORDS = [f"w{number}" for number in range(40)]
QUERIES = st.lists(st.lists(st.sampled_from([*WORDS, "neverseen"]), max_size=9).map(" ".join), min_size=1, max_size=6)
KS = st.sampled_from([1, 2, 3, 10, 50, 1000, 100_000, None])


@toysearch.model(query=lambda qtf, df: np.where(df % 2, -qtf, qtf), per_matched_document=lambda qtf, df: -qtf * df / 7)
def subtracting(tf, dl):
    """Weights and query weights of both signs, and a part of every document."""
    return tf - 0.1 * dl


@toysearch.model(document=lambda dl, ql: np.sin(dl * 12.9898) * ql)
def part_of_document(tf, df):
    return tf / df


@toysearch.model
def level(tf):
    """All documents that hold as many terms are equal."""
    return tf / tf


@toysearch.model(similarity="cosine", query=lambda qtf, df: np.where(df % 2, -qtf, qtf))
def turned(tf, df, N):
    """A cosine with weights of both signs."""
    return tf * np.log(N / (2 * df))


@toysearch.model(similarity="cosine", query=lambda qtf: 0.61 * qtf)
def tiny(tf, dl):
    """Squared weights that lose their digits."""
    return tf / dl * 3e-160


@toysearch.model(similarity="dice", query=lambda qtf: 0.01 * qtf)
def faint(tf, df):
    """A query much shorter than any document."""
    return tf / np.sqrt(df)


@toysearch.model(similarity="cosine", query=lambda qtf: 0.61e-160 * qtf)
def distant(tf, dl):
    """A query whose squared weights lose their digits."""
    return tf / dl


@toysearch.model(similarity="cosine", document=lambda dl: 0.01 * np.sin(dl))
def lifted(tf):
    """A similarity of more than the sum of weights, which are small beside their part."""
    return 0.01 * tf


OWN = (subtracting, part_of_document, level)
LENGTHS = (
    "cosine",
    "dice",
    "jaccard:weights=tfidf",
    "smart:lnc.ltc",
    "smart:nnc.nnn",
    "smart:nnn.nnc",
    turned,
    tiny,
    faint,
    lifted,
)
MIXTURES = ("0.7*bm25 + 0.3*lm-dirichlet", "min-max(bm25) + 2*cosine*overlap")


@functools.cache
def index_of(seed: int, n_docs: int, apart: bool = False) -> Index:
    """An index of words of very different frequency; the first is in most documents, some documents are empty."""
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(WORDS) + 1)
    distinct = 5 if seed % 3 == 0 else n_docs  # few different texts: most documents have an equal
    chances /= chances.sum()
    texts = [" ".join(rng.choice(WORDS, rng.integers(0, 30), p=chances)) for _ in range(min(n_docs, distinct))]
    chosen = [texts[number % len(texts)] for number in range(n_docs)]
    if not apart:
        return Index.build(chosen)
    documents = (
        Document(str(number), text, "", {"title": text[:20].rsplit(" ", 1)[0], "text": text})
        for number, text in enumerate(chosen)
    )
    return Index.build(documents, fields=["title", "text"])


def both(monkeypatch_context, index, model, queries, k, threads=1, required=False) -> tuple[Run, Run]:
    """The runs of the plain and of the compiled path; required: only documents with all words of a query."""
    runs = []
    if required:
        queries = [" AND ".join(text.split()) for text in queries]
    for path in ("plain", "compiled"):
        monkeypatch_context.setenv("TOYSEARCH_PATH", path)
        named = {str(number): text for number, text in enumerate(queries)}
        runs.append(Searcher(index, model).run(named, k, query_mode="strict" if required else "plain", threads=threads))
    return runs[0], runs[1]


def same(one: Run, other: Run) -> bool:
    return (
        one.doc_ids == other.doc_ids
        and np.array_equal(one.scores, other.scores)
        and np.array_equal(one.offsets, other.offsets)
    )


@pytest.fixture(autouse=True)
def _silent(recwarn):
    """Queries of unknown terms are told in notes."""


@pytest.mark.parametrize("name", [*MODELS, *MIXTURES, *OWN], ids=str)
@settings(max_examples=often(15, quick=6))
@given(
    seed=st.integers(0, 5),
    n_docs=st.sampled_from([1, 2, 30, 300]),
    queries=QUERIES,
    k=KS,
    groups=st.sampled_from([0, 2, 6]),
    small=st.sampled_from([0, 60, 1 << 13]),
    required=st.booleans(),
)
def test_every_model_ranks_alike_on_both_paths(name, seed, n_docs, queries, k, groups, small, required):
    index = index_of(seed, n_docs, apart=name == "bm25f")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_search, "GROUPS", groups)
        patch.setattr(block_search, "SMALL", small)
        assert same(*both(patch, index, name, queries, k, required=required))


LARGE = ["bm25", "lm-dirichlet", "cosine", "jaccard", *OWN, *LENGTHS]


THREADED = [(name, 1 + place % 3) for place, name in enumerate(LARGE)] + [("bm25", 2), ("bm25", 3)]


@pytest.mark.system
@pytest.mark.parametrize(("name", "threads"), thinned(THREADED, 13), ids=str)
def test_large_collections_and_any_number_of_threads(name, threads, monkeypatch):
    """20,000 documents: several windows, many blocks."""
    index = index_of(1, 20_000)
    assert index.stats.N > 8 * block_search.FIRST
    rng = np.random.default_rng(threads)
    queries = [" ".join(rng.choice(WORDS, rng.integers(0, 8))) for _ in range(70)]
    for k, required in ((1, False), (10, False), (1000, False), (30_000, False), (10, True)):
        assert same(*both(monkeypatch, index, name, queries, k, threads, required))


@functools.cache
def index_in_stretches() -> Index:
    """140,000 documents, nine windows of them: some hold short documents or rare words only, some long ones."""
    rng = np.random.default_rng(4)
    texts = []
    for stretch in (3, 7, 11, 15, *rng.permutation(24)):  # long ones first, whose parts are the lowest
        words = rng.integers(stretch % 5, 12 + stretch % 7, (5_000, 1 + 3 * (stretch % 4)))
        texts += [" ".join(f"w{word}" for word in row) for row in words.tolist()]
    return Index.build(texts)


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(["bm25", "tfidf", "lm-dirichlet", "pl2", *OWN, *LENGTHS], 10), ids=str)
def test_windows_that_cannot_hold_the_best_are_passed_over(name, monkeypatch):
    index = index_in_stretches()
    rng = np.random.default_rng(9)
    queries = [" ".join(rng.choice(WORDS[:20], rng.integers(1, 7))) for _ in range(25)]
    for k, required in ((1, False), (10, False), (100, False), (10, True)):
        assert same(*both(monkeypatch, index, name, queries, k, required=required))


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(["bm25", "lm-dirichlet", *OWN, "cosine", turned], 3), ids=str)
def test_queries_of_many_terms(name, monkeypatch):
    """So many that the last ones need not be read."""
    index = index_in_stretches()
    for k in (1, 10, 100):
        assert same(*both(monkeypatch, index, name, [" ".join(WORDS), " ".join(WORDS[3:33] * 2)], k))


@pytest.mark.system
def test_no_document_can_be_left_out_by_its_bound(monkeypatch):
    """All have the same score."""
    index = Index.build(["a1 b1"] * (block_search.WINDOW + 5))
    for k in (1, 10):
        assert same(*both(monkeypatch, index, "bm25", ["a1", "a1 b1"], k))


@pytest.mark.system
@pytest.mark.parametrize("n_docs", [BLOCK - 1, BLOCK, BLOCK + 1, (1 << 16) - 1, (1 << 16) + 1])
@pytest.mark.parametrize("name", ["bm25", "lm-dirichlet", "cosine", subtracting], ids=str)
def test_documents_at_the_edges_of_blocks_and_windows(name, n_docs, monkeypatch):
    index = Index.build(
        [f"a1 b{number % 7} b{number % 11} b{number % 101} c{number % 9973}" for number in range(n_docs)]
    )
    queries = ["a1", "a1 b0 b1", "b3 b100 c5 a1", "c0 c1 c2", "b6 b6 b10 c9"]
    for k in (1, 10, 1000):
        assert same(*both(monkeypatch, index, name, queries, k))


@pytest.mark.parametrize("model", [level, "cosine", "dice", turned], ids=str)
@pytest.mark.parametrize("k", [1, 7, 299, 301])
def test_equal_scores_stand_in_the_order_of_the_collection(k, model, monkeypatch):
    index = index_of(0, 300)  # five different texts
    plain, compiled = both(monkeypatch, index, model, ["w0 w1", "w39 w0 w0", "w2"], k)
    assert same(plain, compiled)
    for query_id in compiled.query_ids:
        ranking = compiled.ranking(query_id)
        keys = [(-hit.score, int(hit.doc_id)) for hit in ranking]
        assert keys == sorted(keys)


@pytest.mark.parametrize("ties", ["rank", "trec_eval"])
def test_the_order_of_ties_is_that_of_the_plain_path(ties, monkeypatch):
    index, rankings = index_of(3, 300), []
    for path in ("plain", "compiled"):
        monkeypatch.setenv("TOYSEARCH_PATH", path)
        rankings.append(Searcher(index).search("w0 w3 w5", 40, ties=ties))
    assert rankings[0].doc_ids == rankings[1].doc_ids


@pytest.mark.system
def test_a_searcher_forgets_terms_and_finds_the_same(monkeypatch):
    index = index_of(1, 300)
    queries = {str(number): f"w{number % 40} w{(number * 7) % 40} w0" for number in range(100)}
    for path in ("plain", "compiled"):
        monkeypatch.setenv("TOYSEARCH_PATH", path)
        ample, tight = Searcher(index), Searcher(index, memory=2000)
        for _ in range(2):
            one_by_one = [tight.search(text, 20, query_id=query_id) for query_id, text in queries.items()]
            assert same(ample.run(queries, 20), Run.from_rankings(one_by_one))
        assert same(ample.run(queries, 20), tight.run(queries, 20))


@pytest.mark.parametrize("longest", [200, 300, 70_000])
def test_an_opened_index_ranks_alike_however_narrow_its_columns_are(longest, monkeypatch, tmp_path):
    index = Index.build([*(f"w1 w{number % 7} w3" for number in range(200)), "w1 " * longest])
    index.save(tmp_path)
    for each in (index, Index.open(tmp_path)):
        one, other = both(monkeypatch, each, "bm25", ["w1 w3", "w2"], 10)
        assert same(one, other)


@toysearch.model
def huge(tf):
    return tf * 1e308


@toysearch.model(document=lambda dl: 1 / (dl - 2))
def odd(tf):
    return tf


@pytest.mark.parametrize(
    ("model", "query", "bad", "doc_id"), [(huge, "a1", "a1 b1 c1", "1"), (odd, "a1", "b1", "3")], ids=["sum", "part"]
)
def test_a_score_that_is_not_finite_is_refused_alike_and_only_where_it_matters(model, query, bad, doc_id, monkeypatch):
    index = Index.build(["a1 b1 c1", "a1", "b1 c1"])
    for path in ("plain", "compiled"):
        monkeypatch.setenv("TOYSEARCH_PATH", path)
        found = Searcher(index, model).search(query)
        assert (found.doc_ids, np.isfinite(found.scores).all()) == (["1", "2"], True)
        message = f"gives document '{doc_id}' a score that is not finite"
        with pytest.raises(toysearch.base.errors.ModelError, match=message):
            Searcher(index, model).search(bad)
