"""Postings packed in blocks: both ways write the same bits and read what was written; no content leads astray."""

import numpy as np
import pytest
from chosen_way import way
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch.base.errors import StorageError
from toysearch.index.posting_blocks import BLOCK, PostingBlocks, bit_lengths, cut_in_blocks, packed
from toysearch.index.postings import Counts

WAYS = ("plain", "compiled")


def arrays_of(lists, dl):
    """The packed arrays of postings given term by term as pairs of document and frequency."""
    docs = np.array([doc for pairs in lists for doc, _ in pairs], dtype=np.int32)
    tf = np.array([count for pairs in lists for _, count in pairs], dtype=np.int64)
    offsets = np.cumsum([0, *map(len, lists)])
    made = packed(docs, Counts.of(tf), offsets, np.asarray(dl, dtype=np.int32))
    return {**made, "dl": np.asarray(dl, dtype=np.int32)}, offsets


@st.composite
def collections(draw):
    n = draw(st.sampled_from([1, 2, 127, 128, 129, 300, (1 << 16) + 1]))
    dl = draw(st.lists(st.integers(1, 900), min_size=1, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    lists = []
    for size in draw(st.lists(st.sampled_from([1, 2, 127, 128, 129, 256, 257]), min_size=1, max_size=5)):
        docs = np.sort(rng.choice(n, min(size, n), replace=False))
        highest = draw(st.sampled_from([1, 2, 254, 255, 256, 70_000]))
        lists.append(list(zip(docs.tolist(), rng.integers(1, highest + 1, docs.size).tolist(), strict=True)))
    return lists, np.resize(dl, n)


@given(collections())
@settings(max_examples=often(100), deadline=None)
def test_what_is_packed_comes_back_and_both_ways_write_the_same(collection):
    lists, dl = collection
    made = {}
    for name in WAYS:
        with way(name):
            made[name], offsets = arrays_of(lists, dl)
    for name, values in made["plain"].items():
        assert values.dtype == made["compiled"][name].dtype, name
        np.testing.assert_array_equal(values, made["compiled"][name], err_msg=name)
    for name in WAYS:
        with way(name):
            blocks = PostingBlocks(made["plain"], offsets)
            for term, pairs in enumerate(lists):
                docs, tf = blocks.of_terms(np.array([term]))
                assert list(zip(docs.tolist(), tf.tolist(), strict=True)) == pairs
            every = [pair for pairs in lists for pair in pairs]
            assert blocks.span().docs.tolist() == [doc for doc, _ in every]
            start, stop = len(every) // 3, len(every) - len(every) // 4
            assert blocks.span(start, stop).tf.tolist() == [count for _, count in every[start:stop]]
            doc = every[len(every) // 2][0]
            terms, tf = blocks.of_document(doc)
            held = [(term, count) for term, pairs in enumerate(lists) for other, count in pairs if other == doc]
            assert list(zip(terms.tolist(), tf.tolist(), strict=True)) == held


def test_the_bits_are_those_of_the_description():
    made, offsets = arrays_of([[(0, 1), (2, 3), (7, 1)], [(5, 2)]], [4] * 8)
    # gaps less one in three bits: 0, 1, 4; frequencies less one in two: 0, 2, 0; then gap 5 in three, frequency in one
    bits = "000" + "100" + "001" + "00" + "01" + "00" + "101" + "1"
    assert made["postings"][0] == int(bits[::-1], 2)
    assert made["gap_bits"].tolist() == [3, 3]
    assert made["highest_tf"].tolist() == [3, 2]
    assert made["last_docs"].tolist() == [7, 5]
    assert PostingBlocks(made, offsets).terms.whole.columns.starts.tolist() == [0, 15]


def test_blocks_end_with_their_term():
    first_blocks, counts = cut_in_blocks(np.cumsum([0, 1, BLOCK, BLOCK + 1]))
    assert (first_blocks.tolist(), counts.tolist()) == ([0, 1, 2, 4], [1, BLOCK, BLOCK, 1])
    assert [part.tolist() for part in cut_in_blocks(np.zeros(1, dtype=np.int64))] == [[0], []]


def test_bit_lengths_are_those_of_python():
    numbers = [0, *(1 << bit for bit in range(32)), *((1 << bit) - 1 for bit in range(1, 33))]
    assert bit_lengths(np.array(numbers)).tolist() == [number.bit_length() for number in numbers]


@pytest.mark.parametrize("name", WAYS)
def test_no_postings_at_all(name):
    made, offsets = arrays_of([], [0, 0])
    blocks = PostingBlocks(made, offsets)
    with way(name):
        assert [part.size for part in blocks.span()] == [0, 0]
        assert [part.size for part in blocks.of_terms(np.empty(0, dtype=np.int64))] == [0, 0]


@pytest.mark.parametrize("name", WAYS)
@given(st.data())
@settings(max_examples=often(170), deadline=None)
def test_forged_arrays_end_in_a_sentence_or_in_postings_within_bounds(name, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    docs = np.sort(rng.choice(5000, 400, replace=False))
    lists = [[(int(doc), int(rng.integers(1, 9))) for doc in docs[:size]] for size in (400, 3, 130)]
    made, offsets = arrays_of(lists, np.full(5000, 7))
    offsets = offsets.copy()
    for array in (*made.values(), offsets):
        array.flags.writeable = True
    forged = data.draw(st.sampled_from([*made, "offsets"]))
    values = offsets if forged == "offsets" else made[forged]
    how = data.draw(st.sampled_from(["one", "all", "zero", "highest", "cut", "grown"]))
    if how in ("cut", "grown"):
        made[forged] = values[:-1] if how == "cut" else np.append(values, values[-1:])
        offsets = made.pop("offsets", offsets)
    else:
        places = slice(None) if how != "one" else data.draw(st.integers(0, values.size - 1))
        high = {"|u1": 255, "<i4": 2**31 - 1, "<i8": 1 << 40, "<u8": 2**63}[values.dtype.str]
        values[places] = {"zero": 0, "highest": high}.get(how, rng.integers(0, high, dtype=values.dtype))
    with way(name):
        try:
            blocks = PostingBlocks(made, np.asarray(offsets))
            found = [blocks.of_terms(np.array([term])) for term in range(offsets.size - 1)]
        except StorageError:
            return
    for docs, tf in found:
        assert (np.diff(docs) > 0).all()
        assert docs.min() >= 0
        assert docs.max() < made["dl"].size
        assert tf.min() >= 1
