"""Documents with all terms and with phrases, found by both forms of the loop, compared with the definition."""

from functools import reduce

import numpy as np
import pytest
from chosen_way import way
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loop_forms import both_forms, in_python, terms_in_python, uncompiled
from positioned_postings import postings
from tiers import often

from toysearch import Index, Searcher
from toysearch.base.errors import StorageError
from toysearch.compiled.common_postings import AGAIN
from toysearch.index.position_blocks import PositionBlocks, packed_positions
from toysearch.index.posting_blocks import PostingBlocks, packed
from toysearch.index.postings import Counts


@pytest.fixture(params=["python", "compiled"])
def form(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(uncompiled("common_postings"), "_AT_ONCE", 2)  # ends of blocks between two parts
        in_python(monkeypatch, "common_postings")
        terms_in_python(monkeypatch)


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
def test_a_search_is_cut_into_parts_between_which_ctrl_c_is_answered():
    n_docs = 3 * 128  # three blocks
    docs, offsets, dl = np.arange(n_docs, dtype=np.int32), np.array([0, n_docs]), np.ones(n_docs, dtype=np.int32)
    with way("compiled"):
        blocks = PostingBlocks(packed(docs, Counts.of(np.ones(n_docs, np.int64)), offsets, dl) | {"dl": dl}, offsets)
        search = blocks.search_for([0])
        states = [search.go_on(), search.go_on()]
    assert states in ([AGAIN, 0], [0, 0])  # the compiled form has larger parts
    assert search.n_found == n_docs


def opened(module, terms, before=None):
    """Some of two terms, in all of three documents and in the last two, opened for a search; and the words."""
    docs, offsets, dl = np.array([0, 1, 2, 1, 2], np.int32), np.array([0, 3, 5]), np.ones(3, np.int32)
    blocks = PostingBlocks(packed(docs, Counts.of(np.ones(5, np.int64)), offsets, dl) | {"dl": dl}, offsets)
    with pytest.MonkeyPatch.context() as patch:
        if module.__file__.endswith(".py"):
            terms_in_python(patch)
        before = module.OpenedBlocks(0, 0, 1) if before is None else before
        return before.with_terms(blocks.single_terms, terms), blocks.words.view(np.uint32)


@pytest.mark.parametrize("module", both_forms("common_postings"))
def test_what_does_not_fit_is_refused_before_the_search(module):
    blocks, words = opened(module, [0])
    search = module.CommonPostings(words, 3, None)
    search.begin(blocks, [0])
    assert search.go_on() == 0
    assert search.answer()[0].tolist() == [0, 1, 2]
    with pytest.raises(KeyError):
        search.begin(blocks, [1])
    for refused in (search.locate, lambda: search.match([0], [0])):
        with pytest.raises(ValueError, match="there are no such"):
            refused()
    bits, widths = np.zeros(6, np.uint32), [np.full(n, 255, np.uint8) for n in (1, 3)]
    places, offsets = np.full(3, 1, np.int32), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        module.OpenedPositions(bits, None, offsets[:1], widths, places, 8)
    positions = module.OpenedPositions(bits, None, offsets, widths, places, 8)
    with pytest.raises(ValueError, match="other documents"):
        module.CommonPostings(bits, 4, positions)


@pytest.mark.parametrize("module", both_forms("common_postings"))
def test_the_search_keeps_its_work_arrays_for_terms_and_for_more(module):
    blocks, words = opened(module, [1], opened(module, [0])[0])
    search = module.CommonPostings(words, 3, None)
    for terms, expected in (([0], [0, 1, 2]), ([0, 1], [1, 2]), ([1], [1, 2]), ([0], [0, 1, 2])):
        search.begin(blocks, terms)
        assert search.go_on() == 0
        docs, counts = search.answer()
        assert docs.tolist() == expected
        assert counts.tolist() == [[1] * len(expected)] * len(terms)
