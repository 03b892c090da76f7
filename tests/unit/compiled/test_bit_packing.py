"""Postings and positions packed by loops in both forms, compared with numpy; damaged ones are in tests/unit/index."""

import numpy as np
import pytest
from chosen_way import way
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loop_forms import both_forms, in_python, uncompiled
from positioned_postings import postings
from tiers import often

from toysearch import Index, loops
from toysearch.base import Document
from toysearch.index import merge
from toysearch.index.merge import changed_arrays
from toysearch.index.position_blocks import PositionBlocks, packed_positions
from toysearch.index.posting_blocks import PostingBlocks, copy_bits, packed
from toysearch.index.postings import Counts


@pytest.fixture(params=["python", "compiled"])
def form(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(uncompiled("bit_packing"), "_AT_ONCE", 2)  # blocks between two moments for Ctrl-C
        in_python(monkeypatch, "bit_packing")


@pytest.mark.usefixtures("form")
@settings(max_examples=often(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_blocks_are_those_of_numpy(data):
    docs, tf, offsets, places, dl, holes = postings(data.draw)
    some = st.just({*range(dl.size)}) | st.sets(st.integers(0, dl.size - 1))
    sought = np.array(sorted(data.draw(some)), dtype=np.int32)
    answers = []
    for chosen in ("plain", "compiled"):
        with way(chosen):
            arrays = packed(docs, Counts.of(tf), offsets, dl)
            arrays |= packed_positions(places, docs, Counts.of(tf), offsets, dl, holes)
            blocks = PostingBlocks(arrays | {"dl": dl}, offsets)
            positions = PositionBlocks(arrays | {"dl": dl, "holes": holes}, blocks)
            answer = [*arrays.values(), *blocks.span()]
            for term in range(offsets.size - 1):
                held = blocks.in_documents(term, sought)
                answer += [*held, *positions.of_term(term, held.docs)]
            (all_docs, all_tf), all_places = positions.decoded()
            answers.append([*answer, all_docs, all_tf, all_places])
    for plain, by_loops in zip(*answers, strict=True):
        assert plain.dtype == by_loops.dtype
        np.testing.assert_array_equal(plain, by_loops)
    np.testing.assert_array_equal(answers[1][-1], places)


@pytest.mark.usefixtures("form")
@settings(max_examples=often(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(source=st.binary(min_size=40, max_size=40), sizes=st.lists(st.integers(0, 120), max_size=6), data=st.data())
@pytest.mark.parametrize("chosen", ["plain", "compiled"])
def test_bits_are_copied_like_digits(source, sizes, data, chosen):
    digits = bin(int.from_bytes(source, "little") | 1 << 320)[:2:-1]  # the lowest first
    starts = [data.draw(st.integers(0, 256 - size)) for size in sizes]
    gaps = [data.draw(st.integers(0, 70)) for _ in sizes]
    positions = np.cumsum([0, *sizes[:-1]])[: len(sizes)] + np.cumsum(gaps, dtype=np.int64)
    words = np.zeros(sum(sizes + gaps) // 64 + 2, dtype=np.uint64)
    with way(chosen):
        numbers = (np.array(each, dtype=np.int64) for each in (starts, sizes))
        copy_bits(np.frombuffer(source, np.uint64), *numbers, words, positions.astype(np.int64))
    expected = "".join(
        "0" * gap + digits[start : start + size] for gap, start, size in zip(gaps, starts, sizes, strict=True)
    )
    assert int.from_bytes(words.tobytes(), "little") == int(expected[::-1] or "0", 2)


@pytest.mark.usefixtures("form")
@settings(max_examples=often(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 9), st.sets(st.integers(0, 299), min_size=1, max_size=9), st.lists(st.integers(0, 300)))
def test_blocks_of_documents_with_other_numbers_are_those_of_a_build(seed, gone, at):
    drawn = np.random.default_rng(seed).random((300, 4)) < [0.9, 0.5, 0.1, 0.02]
    texts = [" ".join(word for word, has in zip("abcd", row, strict=True) if has) for row in drawn.tolist()]
    old, at = [Document(f"d{number}", text) for number, text in enumerate(texts)], sorted(at)
    new = [Document(f"new{number}", "a c") for number in range(len(at))]
    expected: list[Document] = []
    for place in range(301):
        expected += [each for each, before in zip(new, at, strict=True) if before == place]
        expected += [each for each in old[place : place + 1] if place not in gone]
    with way("compiled"):
        first, built = Index.build(old).arrays, Index.build(expected).arrays
        second = Index.build(new).arrays if new else merge._nothing_like(first)
        changed = changed_arrays(first, second, np.array(sorted(gone)), np.array(at, np.int64))
    for name in ("postings", "gap_bits", "highest_tf", "last_docs", "least_dl"):
        np.testing.assert_array_equal(changed[name], built[name], name)


@pytest.mark.usefixtures("form")
def test_damaged_blocks_get_no_other_numbers():
    docs, dl = np.array([0, 2, 7], np.int32), np.ones(8, np.int32)
    arrays = packed(docs, Counts.of(np.ones(3, np.int64)), np.array([0, 3]), dl)
    blocks = PostingBlocks(arrays | {"dl": dl}, np.array([0, 3]))
    rows, numbers = blocks.verified(blocks.terms.whole.columns), np.arange(8, dtype=np.int32) - 1
    for last, right in ((7, True), (6, False), (8, False)):
        rows[5] = last
        words, fits = blocks.words.copy(), np.zeros(1, np.uint8)
        assert loops.renumber(blocks.words, rows, numbers, words, fits) is right
        assert fits.tolist() == [0]  # the first document leaves


def interrupted() -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("form")
def test_ctrl_c_is_answered_between_blocks(monkeypatch):
    docs, offsets, dl = np.arange(3, dtype=np.int32), np.array([0, 3]), np.ones(3, dtype=np.int32)
    columns = Counts.of(np.ones(3, dtype=np.int64)), offsets, dl
    with way("compiled"):
        arrays = packed(docs, *columns)
        arrays |= packed_positions(np.zeros(3, dtype=np.int32), docs, *columns, np.zeros(3, dtype=np.int32))
        blocks = PostingBlocks(arrays | {"dl": dl}, offsets)
        for module in both_forms("bit_packing"):
            monkeypatch.setattr(module, "answer_signals", interrupted)
        for work in (lambda: packed(docs, *columns), blocks.span):
            with pytest.raises(KeyboardInterrupt):
                work()
