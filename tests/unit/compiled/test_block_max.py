"""The search in packed postings by both forms of the loops, compared with the definition in numpy."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from loop_forms import both_forms, terms_in_python
from tiers import thinned

import toysearch
from toysearch import Index
from toysearch.retrieval import block_search
from toysearch.retrieval.block_search import BlockSearch
from toysearch.retrieval.derived_terms import DerivedTerm
from toysearch.retrieval.query_terms import query_terms
from toysearch.retrieval.scoring import Weights, highest, score, top

FORMS = both_forms("block_max")
NAMES = ("DocumentLengths", "MaxScore", "PackedPostings", "WeighedTerms")


@toysearch.model(query=lambda qtf, df: np.where(df % 2, -qtf, qtf))
def turned(tf, dl):
    """Weights and query weights of both signs."""
    return tf - 0.1 * dl


@pytest.fixture(params=FORMS, ids=lambda module: "python" if module.__file__.endswith(".py") else "compiled")
def form(request, monkeypatch):
    """One form of the loops, which search the windows of a small collection."""
    index().memo.clear()
    index().blocks.packed.__dict__.pop("single_terms", None)
    if request.param.__file__.endswith(".py"):
        terms_in_python(monkeypatch)
    for name in NAMES:
        monkeypatch.setattr(block_search, name, getattr(request.param, name))
    monkeypatch.setattr(block_search, "FIRST", 64)
    monkeypatch.setattr(block_search, "WINDOW", 256)
    yield request.param
    index().blocks.packed.__dict__.pop("single_terms", None)


@cache
def index() -> Index:
    """900 documents of words of very different frequency."""
    rng = np.random.default_rng(7)
    chances = 1 / np.arange(1, 31)
    texts = (rng.choice(30, rng.integers(0, 25), p=chances / chances.sum()) for _ in range(900))
    return Index.build([" ".join(f"w{word}" for word in text.tolist()) for text in texts])


MODELS = ["bm25", "bm25-robertson", "lm-dirichlet", "cosine", "dice", "jaccard:weights=tfidf", turned]
CELLS = [*product(MODELS, [0, 1 << 13], [1, 10, 100])]  # lists or tables of weights
assert len(CELLS) == 42


@pytest.mark.parametrize(("model", "small", "k"), thinned(CELLS, 5), ids=str)
def test_the_best_documents_are_those_of_numpy(form, model, small, k, monkeypatch):
    monkeypatch.setattr(block_search, "SMALL", small)
    weights = Weights(index(), toysearch.model(model))
    search = BlockSearch(weights)
    texts = ("w29", "w0 w28 w3 w3", "w1 w2 w4 w8 w16 w25", "w0 w1", "neverseen", "w27 w12 w0")
    queries = [query_terms(index(), text.split()) for text in texts]
    queries += [query._replace(required=True) for query in queries[1:4]]
    for query, (docs, scores) in zip(queries, search.best(queries, k), strict=True):
        expected_docs, expected_scores = highest(score(weights, query), k)
        assert docs.tolist() == expected_docs.tolist()
        assert scores.tobytes() == expected_scores.tobytes()


@pytest.mark.system
@pytest.mark.parametrize("n_short", [0, 1_500], ids=["many long documents", "few long documents"])
@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet"])
def test_documents_may_have_more_lengths_than_a_byte_has_values(form, model, n_short):
    longer = [f"cat {'dog ' * n}" for n in range(300)]
    weights = Weights(Index.build(["cat", "cat cat cat"] * n_short + longer + ["dog dog cat"]), toysearch.model(model))
    query = query_terms(weights.index, ["cat", "dog", "cat"])
    [(docs, scores)] = BlockSearch(weights).best([query], 400)
    expected_docs, expected_scores = highest(score(weights, query), 400)
    assert docs.tolist() == expected_docs.tolist()
    assert scores.tobytes() == expected_scores.tobytes()


def test_lengths_that_contradict_each_other_are_refused(form):
    small = np.array([3, 255, 1], np.uint8)
    assert form.DocumentLengths(small, np.array([300])).occurring.tolist() == [1, *range(1, 255), 300]
    for none in (small[:1], small[::2].copy()):  # every length has a column
        lengths = form.DocumentLengths(none, np.array([], np.int64))
        assert int(lengths.below.max()) < len(lengths.occurring) == 255
    for large in ([], [300, 300], [254], [1 << 24]):
        with pytest.raises(ValueError, match="do not fit"):
            form.DocumentLengths(small, np.array(large, np.int64))


@pytest.mark.parametrize("required", [False, True])
def test_a_query_without_terms_has_no_documents(form, required):
    search = BlockSearch(Weights(index(), toysearch.model("lm-dirichlet")))
    query = query_terms(index(), ["neverseen"])._replace(required=required)
    [(docs, scores)] = search.best([query], 3)
    assert (docs.tolist(), scores.tolist()) == ([], [])


@pytest.mark.system
def test_a_batch_with_more_weights_than_memory_is_answered_in_parts(form):
    model = toysearch.model("lm-dirichlet")
    ample, tight = (BlockSearch(Weights(index(), model, memory)) for memory in (1 << 30, 20_000))
    queries = [query_terms(index(), [f"w{number % 30}", f"w{number * 7 % 30}"]) for number in range(40)]
    for one, other in zip(ample.best(queries, 5), tight.best(queries, 5), strict=True):
        assert one[0].tolist() == other[0].tolist()
        assert one[1].tobytes() == other[1].tobytes()
    assert max(tight._terms.sizes()) < max(ample._terms.sizes())


@pytest.mark.parametrize(
    ("place", "wrong"), [(0, 100), (1, 100), (2, -9), (4, 32), (5, -1), (6, 1)], ids=lambda value: str(value)
)
def test_blocks_that_contradict_each_other_are_refused(form, place, wrong):
    own_index = Index.build(["a1 b1 c1", "a1 a1 b1", "c1 b1", "", "a1"] * 60)
    search = BlockSearch(Weights(own_index, toysearch.model("bm25")))
    search.best([query_terms(own_index, ["a1", "b1", "c1"])], 2)
    search._terms.arrays[0][place][: search._terms.sizes()[0]] += wrong
    with pytest.raises(toysearch.base.errors.StorageError, match="postings contradict each other; build it again"):
        search.best([query_terms(own_index, ["a1", "b1", "c1"])], 2)


SCORES = st.floats(-1e308, 1e308) | st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-52, 5e-324, -1e-300])


@pytest.mark.parametrize("form", FORMS, ids=lambda module: "python" if module.__file__.endswith(".py") else "compiled")
@given(scores=st.lists(SCORES, min_size=1, max_size=300), k=st.integers(1, 200))
@example(scores=[1.0] * 200, k=130)
@example(scores=[1e308, -1e308] * 100, k=90)
@example(scores=[float(number * 7919 % 211) for number in range(300)], k=150)
@example(scores=[1.0 + number % 3 * 2**-52 for number in range(250)], k=120)
@pytest.mark.system
def test_the_highest_scores_are_those_of_top(form, scores, k):
    k = min(k, len(scores))
    for places in (k + 1, k + 70):
        positions, kept = form.BestDocuments(k, places).of(scores)
        expected = top(np.array(scores), k)
        assert positions.tolist() == expected.tolist()
        assert kept.tobytes() == np.array(scores)[expected].tobytes()


def test_requests_that_do_not_fit_are_refused(form):
    search = BlockSearch(Weights(index(), toysearch.model("bm25")))
    assert len(search.best([query_terms(index(), ["w0"])], 3)) == 1
    room = search._room(3)
    for numbers, q, parts in (([0], [], None), ([0], [1.0], np.zeros(1)), ([-1], [1.0], None), ([7], [1.0], None)):
        with pytest.raises(ValueError, match=r"there are no such terms|the query lacks weights"):
            room.answer(search._terms, numbers, q, 0.0, parts, 0.0, False)
    with pytest.raises(ValueError, match="no room for this term"):
        search._terms.add_list([0, 1, 1, 5, 0], np.ones(5), 64)
    with pytest.raises(ValueError, match="no room for these terms"):
        search._terms.add_tables(np.zeros((5, 1), np.int64), np.ones(5))
    for entry in ((0, 1, 0, 3, 0), (1, 0, 1, 3, 0), (-1, 1, 1, 3, 0), (0, 999, 1, 3, 0)):  # without a row, outside
        with pytest.raises(ValueError, match="no room for this term"):
            search._terms.add_shared([entry], {3: 1.0}, {})
    with pytest.raises(ValueError, match="no column for each length"):
        search._terms.with_shared(np.ones((2, 1)), np.ones((2, 1)))


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_a_derived_term_is_ranked_with_the_shared_tables(form, k):
    weights = Weights(index(), toysearch.model("bm25"))
    search = BlockSearch(weights)
    query = query_terms(index(), ["w3"])
    docs, tf = index().blocks.of_terms(query.numbers)
    phrase = DerivedTerm('"w3 w3"', docs, np.minimum(tf, 3), {})
    query = query._replace(numbers=np.array([index().stats.n_terms]), derived=(phrase,))
    [(best, scores)] = search.best([query], k)
    expected_docs, expected_scores = highest(score(weights, query), k)
    assert best.tolist() == expected_docs.tolist()
    assert scores.tobytes() == expected_scores.tobytes()


def test_what_the_shared_tables_cannot_rank_is_left_to_numpy(form):
    search = BlockSearch(Weights(index(), toysearch.model("bm25")))
    search.best([query_terms(index(), ["w3"])], 3)
    terms, room = search._terms, search._room(3)
    docs, tf = np.array([0, 1], np.int32), np.ones(2, np.int64)
    best, scores = room.answer_derived(terms, 1.0, 2.0, docs, tf)
    assert sorted(best.tolist()) == [0, 1]
    assert scores.min() > 0
    for others in ((docs - 1, tf), (docs + 899, tf), (docs, tf - 1), (docs, tf + terms.n_shared)):
        assert room.answer_derived(terms, 1.0, 2.0, others[0].astype(np.int32), others[1]) is None
    assert room.answer_derived(terms, 1.0, 1e305, docs, tf) is None  # a score may not be finite
    with pytest.raises(ValueError, match="each document has a frequency"):
        room.answer_derived(terms, 1.0, 2.0, docs, tf[:1])
