"""Postings and positions packed by loops in both forms, compared with numpy; damaged ones are in tests/unit/index."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from both_forms import both_forms, in_python, uncompiled
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lengths import often
from ways import way

from toysearch import Index, Searcher
from toysearch.base.errors import StorageError
from toysearch.index.position_blocks import PositionBlocks, packed_positions
from toysearch.index.posting_blocks import AGAIN, DONE, PostingBlocks, packed
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


def starts_of_phrase(places: dict[int, np.ndarray], terms, distances) -> int:
    """How often terms stand at distances from the first, by the definition."""
    first, *others = [places[term] - distance for term, distance in zip(terms, distances, strict=True)]
    return sum(all(start in other for other in others) for start in first)


@pytest.mark.usefixtures("form")
@settings(max_examples=often(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_documents_with_all_terms_and_with_a_phrase(data):
    docs, tf, offsets, places, dl, holes = postings(data.draw)
    n_terms = offsets.size - 1
    terms = data.draw(st.lists(st.integers(0, n_terms - 1), min_size=1, max_size=4))
    distances = [0, *sorted(data.draw(st.lists(st.integers(1, 4), min_size=len(terms) - 1, max_size=len(terms) - 1)))]
    distinct = np.array(sorted({*terms}))
    of_terms = [docs[offsets[term] : offsets[term + 1]] for term in distinct]
    expected = reduce(np.intersect1d, of_terms)
    if data.draw(st.booleans()):
        among = np.array(sorted(data.draw(st.sets(st.integers(0, dl.size - 1)))), dtype=np.int32)
        expected = np.intersect1d(expected, among)
    else:
        among = None
    with way("compiled"):
        arrays = packed(docs, Counts.of(tf), offsets, dl)
        arrays |= packed_positions(places, docs, Counts.of(tf), offsets, dl, holes)
        blocks = PostingBlocks(arrays | {"dl": dl}, offsets)
        positions = PositionBlocks(arrays | {"dl": dl, "holes": holes}, blocks)
        common, own_tf = blocks.common(distinct, among)
        assert common.tolist() == expected.tolist()
        for row, (term, every) in enumerate(zip(distinct, of_terms, strict=True)):
            own = tf[offsets[term] : offsets[term + 1]]
            assert own_tf[row].tolist() == own[np.searchsorted(every, expected)].tolist()
        phrase = positions.phrase(terms, distances)
    ends = np.cumsum(tf)
    held = {}
    for doc in reduce(np.intersect1d, of_terms).tolist():
        rows = {
            term: offsets[term] + int(np.searchsorted(docs[offsets[term] : offsets[term + 1]], doc)) for term in terms
        }
        of_doc = {term: places[ends[row] - tf[row] : ends[row]].astype(np.int64) for term, row in rows.items()}
        if count := starts_of_phrase(of_doc, terms, distances):
            held[doc] = count
    assert dict(zip(phrase.docs.tolist(), phrase.tf.tolist(), strict=True)) == held


def test_pages_are_verified_when_a_search_comes_to_them(tmp_path, monkeypatch):
    monkeypatch.setattr("toysearch.index.checksums._LARGE", 100)
    monkeypatch.setattr("toysearch.index.checksums._REST", 0)
    more = " ".join(f"v{number}" for number in range(30))
    texts = [" ".join(f"w{number % step}" for step in (2, 3, 5, 601)) + f" {more}" for number in range(9000)]
    built = Index.build(texts, positions=True)
    built.save(tmp_path)
    expected = [hit.doc_id for hit in Searcher(built).search('"w1 w600"', None)]
    assert expected
    with way("compiled"):
        opened = Index.open(tmp_path)
        assert [hit.doc_id for hit in Searcher(opened).search('"w1 w600"', None)] == expected
        pages = opened.position_blocks._paged.right
        assert 0 < int(pages.sum()) < pages.size
        [path] = tmp_path.glob("positions-*")
        content = bytearray(path.read_bytes())
        content[-2000::-4096] = [content[place] ^ 1 for place in range(len(content) - 2000, -1, -4096)]
        path.write_bytes(content)
        with pytest.raises(StorageError, match="its checksum does not match"):
            Searcher(Index.open(tmp_path)).search('"w1 w600"')


@pytest.mark.usefixtures("form")
def test_a_search_is_cut_into_parts_between_which_ctrl_c_is_answered(monkeypatch):
    docs, offsets, dl = np.arange(3, dtype=np.int32), np.array([0, 3]), np.ones(3, dtype=np.int32)
    with way("compiled"):
        blocks = PostingBlocks(packed(docs, Counts.of(np.ones(3, np.int64)), offsets, dl) | {"dl": dl}, offsets)
        _, search, *_ = blocks.search_of(np.array([0]))
        monkeypatch.setattr(uncompiled("bit_packing"), "_AT_ONCE", 2)
        states = [search.go_on(), search.go_on()]
    assert states in ([AGAIN, DONE], [DONE, DONE])  # the compiled form has larger parts
    assert search.n_found == 3


@pytest.mark.parametrize("broken", ["ranges", "room", "columns"])
def test_what_does_not_fit_is_refused_before_the_search(broken):
    for module in both_forms("bit_packing"):
        bits = module.PackedBits(np.zeros(3, np.uint64), np.empty(0, np.uint8), 0, 4096)
        types = "u1", "i8", "i4", "u1", "u1", "i4", "i4"
        columns = [np.zeros(2 if broken == "columns" and kind == "i8" else 1, kind) for kind in types]
        ranges = [[0], [2 if broken == "ranges" else 1], [0]]
        counts = np.empty((1, 2 if broken == "room" else 1), np.int64)
        with pytest.raises(ValueError, match=r"blocks|room|length"):
            module.CommonPostings(module.OpenedBlocks(bits, columns), ranges, np.empty(1, np.int32), counts)


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
