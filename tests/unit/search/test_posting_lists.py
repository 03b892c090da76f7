"""The lists of the compiled loops: what is in them, and how long they are kept."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import toysearch
from toysearch import Index
from toysearch.compiled import list_layout as layout
from toysearch.compiled import top_k
from toysearch.search.posting_lists import PostingLists
from toysearch.search.term_weights import Weights


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(8)
    words = [f"w{i:02}" for i in range(30)]
    chances = 1 / np.arange(1, 31) ** 2
    texts = [" ".join(rng.choice(words, 20, p=chances / chances.sum())) for _ in range(3000)]
    return Weights(Index.build(texts), toysearch.model("bm25"))


def parts(found) -> tuple[np.ndarray, np.ndarray]:
    """A list as its words, and as the bytes that its words speak of."""
    return found.values.view(np.int64), found.values.view(np.uint8)


def of_postings(found) -> np.ndarray:
    """The weights of a list."""
    words, _ = parts(found)
    return found.values[words[layout.WEIGHTS] // 8 :][: words[layout.SIZE]]


def docs_in(found, n_docs) -> list[int]:
    """The documents of a list."""
    words, bytes_ = parts(found)
    n_windows = -(-n_docs // layout.WINDOW)
    low = bytes_[words[layout.DOCS] :].view(np.uint16)[: words[layout.SIZE]].astype(np.int64)
    starts = bytes_[words[layout.STARTS] :].view(np.int32)[: n_windows + 1]
    windows = np.repeat(np.arange(n_windows), np.diff(starts))
    return ((windows * layout.WINDOW >> layout.LOW_BITS << layout.LOW_BITS) + low).tolist()


def test_a_list_holds_the_weights_and_their_extremes(weights):
    terms = list(range(30))
    for term, plain in zip(
        map(PostingLists(weights, 1 << 20).of_terms(terms).__getitem__, terms), weights.of_terms(terms), strict=True
    ):
        made = PostingLists.term_weights(term)
        assert docs_in(term, 3000) == plain.docs.tolist()
        assert np.array_equal(made.weights, plain.weights)
        assert (made.highest, made.lowest) == (plain.highest, plain.lowest)


def place_in(found, doc: int) -> int:
    """Where the directory leads to for a document."""
    words, _ = parts(found)
    shift, own = int(words[layout.SHIFT]), found.address + int(words[layout.DOCS])
    directory, entry = int(words[layout.DIRECTORY]), doc >> shift >> 6 << 4
    if not int(words[(directory + entry) // 8]) >> ((doc >> shift) & 63) & 1:
        return -1
    return layout.find(own, found.address + directory + entry, doc >> shift, doc & layout.LOW)


def test_the_directory_finds_every_document_of_a_term_and_no_other(weights):
    for found in PostingLists(weights, 1 << 20).of_terms(range(30)):
        docs = docs_in(found, 3000)
        assert [place_in(found, doc) for doc in range(3000)] == [
            docs.index(d) if d in docs else -1 for d in range(3000)
        ]


def test_documents_that_differ_in_their_high_bits_alone_are_told_apart():
    texts = ["b1"] * 200_000
    for doc in (65_530, 131_071, 131_080):
        texts[doc] = "a1"
    [found] = PostingLists(Weights(Index.build(texts), toysearch.model("bm25")), 1 << 30).of_terms([0])
    asked = [65_530, 65_535, 65_544, 131_066, 131_071, 131_080, 8, 199_999]
    assert [place_in(found, doc) for doc in asked] == [0, -1, -1, -1, 1, 2, -1, -1]


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_each_level_has_the_documents_whose_weights_are_no_higher_and_above_the_level_below(sign):
    rng = np.random.default_rng(6)
    texts = [" ".join(words) for words in rng.choice(["a1", "b1", "c1"], (70_000, 4), p=[0.001, 0.299, 0.7]).tolist()]
    weights = Weights(Index.build(texts), toysearch.model("bm25"))
    times = {1: np.ones(70_000), -1: np.full(70_000, -1.0), 0: rng.uniform(-1, 1, 70_000)}[sign]
    for found in PostingLists(weights, 1 << 30, times).of_terms([0, 1, 2]):
        words, bytes_ = parts(found)
        size, own = int(words[layout.SIZE]), of_postings(found)
        by_doc = dict(zip(docs_in(found, 70_000), own.tolist(), strict=True))
        tops = found.values[layout.TOPS :][: layout.N_LEVELS].tolist()
        assert tops == sorted(tops)
        assert tops[-1] == found.values[layout.HIGHEST] == own.max()
        assert all((own > top).sum() <= above * size for top, above in zip(tops, layout.ABOVE, strict=True))
        leveled = bytes_[words[layout.LEVELED] :].view(np.uint16)[:size].astype(int)
        starts = bytes_[words[layout.LEVEL_STARTS] :].view(np.int32)[: 2 * layout.N_LEVELS + 1].tolist()
        assert (starts[0], starts[-1]) == (0, size)
        docs = []
        for number, (start, stop) in enumerate(pairwise(starts)):
            span, level = divmod(number, layout.N_LEVELS)
            own_docs = (leveled[start:stop] + span * layout.SPAN).tolist()
            assert all(by_doc[doc] <= tops[level] for doc in own_docs)
            assert level == 0 or all(by_doc[doc] > tops[level - 1] for doc in own_docs)
            docs += own_docs
        assert sorted(docs) == sorted(by_doc)


def test_each_window_has_the_place_of_its_first_posting():
    texts = ["a1" if number % 3 else "b1" for number in range(50_000)]
    texts[40_000:] = ["b1"] * 10_000  # a window without a1
    weights = Weights(Index.build(texts), toysearch.model("bm25"))
    lists = PostingLists(weights, 1 << 20)
    for found in lists.of_terms([0, 1]):
        words, bytes_ = parts(found)
        docs = weights.index.docs(*weights.index.offsets[words[layout.NUMBER] :][:2].tolist())
        starts = bytes_[words[layout.STARTS] :].view(np.int32)[:5].tolist()
        assert starts == np.searchsorted(docs, layout.WINDOW * np.arange(5)).tolist()
        assert docs_in(found, 50_000) == docs.tolist()


def test_a_list_knows_its_weights_at_some_ranks(weights):
    for found in PostingLists(weights, 1 << 20).of_terms(range(30)):
        falling = np.sort(of_postings(found))[::-1]
        known = [falling[rank - 1] if rank <= len(falling) else -np.inf for rank in layout.RANKS]
        assert found.values[layout.RANKED :][: len(layout.RANKS)].tolist() == known


def test_the_terms_least_recently_used_go(weights):
    lists = PostingLists(weights, 1 << 30)
    sizes = [each.values.nbytes for each in lists.of_terms([10, 11, 12, 13])]
    tight = PostingLists(weights, sum(sizes[:3]))
    first = tight.of_terms([10])[0]
    tight.of_terms([11])
    tight.of_terms([12])
    assert tight.of_terms([10])[0] is first
    tight.of_terms([13])  # 11 has not been used for longest
    assert tight.of_terms([10])[0] is first
    calls = []
    original = weights.weigh
    weights.weigh = lambda terms, spans: calls.append(list(terms)) or original(terms, spans)
    try:
        tight.of_terms([10, 13])
        tight.of_terms([11])
    finally:
        del weights.weigh
    assert calls == [[11]]


def test_a_request_that_takes_more_than_the_memory_is_answered_whole(weights):
    lists = PostingLists(weights, 1)
    assert [int(each.values.view(np.int64)[layout.NUMBER]) for each in lists.of_terms([3, 4, 3])] == [3, 4, 3]
    kept = Weights(weights.index, weights.model, memory=1)
    assert [len(each.docs) for each in kept.of_terms([3, 4, 3])] == [int(weights.index.df[term]) for term in (3, 4, 3)]


@pytest.mark.parametrize("n", [0, 1, 11, 12, 13, 100, 1000])
def test_positions_by_falling_value_and_rising_id(n):
    rng = np.random.default_rng(n)
    values, ids = rng.integers(0, 5, n).astype(np.float64), rng.permutation(n)
    order, scratch = np.empty(n, np.int64), np.empty(n, np.int64)
    top_k.falling(values, ids, n, order, scratch)
    assert order.tolist() == np.lexsort((ids, -values)).tolist()


@pytest.mark.parametrize("distinct", [1, 3, 1000])
def test_the_best_are_kept_of_equal_ones_the_first(distinct):
    rng = np.random.default_rng(distinct)
    for n, k in ((2, 1), (10, 9), (200, 50), (200, 1)):
        scores, docs = rng.integers(0, distinct, n).astype(np.float64), rng.permutation(n).astype(np.int64)
        expected = np.lexsort((docs, -scores))[:k]
        wanted = sorted(zip(docs[expected].tolist(), scores[expected].tolist(), strict=True))
        least = top_k.keep_best(docs, scores, n, k, np.empty(n))
        assert sorted(zip(docs[:k].tolist(), scores[:k].tolist(), strict=True)) == wanted
        assert least == min(score for _, score in wanted)
