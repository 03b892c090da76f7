"""Postings and positions packed by loops in both forms, compared with numpy; damaged ones are in tests/unit/index."""

from __future__ import annotations

import numpy as np
import pytest
from both_forms import both_forms, in_python, uncompiled
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lengths import often
from ways import way

from toysearch.index.position_blocks import PositionBlocks, packed_positions
from toysearch.index.posting_blocks import PostingBlocks, packed
from toysearch.index.postings import Counts


@pytest.fixture(params=["python", "compiled"])
def form(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(uncompiled("bit_packing"), "_AT_ONCE", 2)  # blocks between two moments for Ctrl-C
        in_python(monkeypatch, "bit_packing")


def postings(draw):
    """The documents, frequencies, offsets and positions of a few terms, and the lengths and holes of documents."""
    n_documents = draw(st.sampled_from([1, 5, 300]))
    of_terms = [
        sorted(draw(st.sets(st.integers(0, n_documents - 1), min_size=1, max_size=n_documents)))
        for _ in range(draw(st.integers(1, 4)))
    ]
    if n_documents == 300:
        of_terms.append([*range(0, 300, 1 + draw(st.integers(0, 1)))])
    docs = np.concatenate(of_terms).astype(np.int32)
    most = draw(st.sampled_from([1, 3, 600]))
    random = np.random.default_rng(draw(st.integers(0, 9)))
    tf = np.minimum(random.geometric(0.3, docs.size), most)
    tf[random.random(docs.size) < 0.02] = most
    dl = np.bincount(docs, tf, n_documents).astype(np.int32)
    holes = random.integers(0, 3, n_documents).astype(np.int32)
    places = [np.sort(random.choice(dl[doc] + holes[doc], n, replace=False)) for doc, n in zip(docs, tf, strict=True)]
    offsets = np.cumsum([0, *map(len, of_terms)])
    return docs, tf, offsets, np.concatenate(places).astype(draw(st.sampled_from([np.int32, np.uint16]))), dl, holes


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
