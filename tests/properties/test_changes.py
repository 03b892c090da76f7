"""Adding and deleting against building from scratch: the same arrays to the last byte, whatever the documents."""

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tiers import often
from user_tokenizers import PLACES

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.base.errors import ToysearchNote
from toysearch.index import strings
from toysearch.index.file_layout import Starts
from toysearch.index.inverted_index import Index
from toysearch.index.merge import changed_arrays
from toysearch.index.postings import Counts
from toysearch.index.strings import Strings, places

pytestmark = pytest.mark.system

# Terms that begin alike and end apart, at and around seven bytes, with NUL and other low characters among them.
WORDS = [
    "a",
    "a\0",
    "abcdefg",
    "abcdefgh",
    "abcdefg\0",
    "abcdefghijklmn",
    "abcdefghijklmno",
    "é",
    "éé",
    "文文",
    "👩",
    "zz",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from([*WORDS, "the", "The"]), max_size=8).map(" ".join),
    st.text(st.characters(exclude_categories=(), exclude_characters="\x1f"), max_size=20),
    st.tuples(st.sampled_from(WORDS), st.integers(250, 520)).map(lambda pair: f"{pair[0]} " * pair[1]),
)
FIELDS = st.dictionaries(st.sampled_from(["A", "B", "year"]), TEXTS | st.sampled_from(["1999", "2020-02-02", "x"]))
ANALYZERS = st.sampled_from(
    [
        Analyzer(),
        Analyzer(tokens=r"[^ ]+", lowercase=False),
        Analyzer(tokens="unicode"),
        Analyzer(tokens=PLACES),
        Analyzer.for_language("english"),
        Analyzer(ngrams=(1, 2)),
    ]
)


class Keeping(NamedTuple):
    """What an index is to keep of its documents."""

    store_text: bool
    fields: tuple[str, ...]
    values: tuple[str, ...]
    positions: bool


KEEPING = st.builds(
    Keeping,
    st.booleans(),
    st.sampled_from([(), ("A",), ("A", "B")]),
    st.sampled_from([(), ("year", "B")]),
    st.booleans(),
)


@st.composite
def collections(draw: st.DrawFn, least: int = 2) -> list[Document]:
    """Documents with ids that differ, also once they are fit to be written."""
    ids = st.text(max_size=3) | st.sampled_from(["doc-1", "doc-10", "doc-100", "doc-1\0", "doc-"])
    found = draw(st.lists(ids, unique=True, min_size=least, max_size=10))
    return [Document(doc_id, draw(TEXTS), draw(st.text(max_size=4)), draw(FIELDS)) for doc_id in found]


def build(documents: list[Document], analyzer: Analyzer, keeping: Keeping) -> Index:
    assume(all(any(name in each.fields for each in documents) for name in keeping.values))  # others are refused
    keeping = keeping._replace(positions=keeping.positions and not analyzer.makes_grams)
    return Index.build(documents, analyzer, **keeping._asdict())


def parts_of(values):
    return [values.small, values.large] if isinstance(values, Counts) else [values]


def assert_same(changed: Index, built: Index) -> None:
    """The two hold the same arrays: names, types, order and bytes."""
    assert list(changed.arrays) == list(built.arrays)
    for name, values in built.arrays.items():
        found = changed.arrays[name]
        assert found.size == values.size, name
        if isinstance(found, Starts):
            assert np.array_equal(found, values), name
            continue
        for each, other in zip(parts_of(found), parts_of(values), strict=True):
            assert each.tobytes() == other.tobytes(), name
            if name not in ("titles", "texts"):  # which come in pieces
                assert each.dtype == other.dtype, name
                assert not each.flags.writeable, name
    assert (changed.analyzer, changed.collection) == (built.analyzer, built.collection)


@given(collections(), st.data(), ANALYZERS, KEEPING)
@settings(max_examples=often(100))
def test_adding_gives_what_building_gives(documents, data, analyzer, keeping):
    cut = data.draw(st.integers(1, len(documents) - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        changed = build(documents[:cut], analyzer, keeping).add(documents[cut:])
        assert_same(changed, build(documents, analyzer, keeping))


@given(collections(), st.data(), ANALYZERS, KEEPING)
@settings(max_examples=often(100))
def test_deleting_gives_what_building_gives(documents, data, analyzer, keeping):
    gone = data.draw(st.sets(st.sampled_from([each.doc_id for each in documents]), max_size=len(documents) - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        changed = build(documents, analyzer, keeping).delete(data.draw(st.permutations(sorted(gone))))
        assert_same(changed, build([each for each in documents if each.doc_id not in gone], analyzer, keeping))


@given(collections(), collections(0), st.data(), ANALYZERS, KEEPING)
@settings(max_examples=often(150))
def test_documents_may_leave_and_come_anywhere(old, new, data, analyzer, keeping):
    new = [Document(f"new {each.doc_id}", *each[1:]) for each in new] or [Document("new", "a zz")]
    gone = sorted(data.draw(st.sets(st.integers(0, len(old) - 1))))
    at = sorted(data.draw(st.integers(0, len(old))) for _ in new)
    expected: list[Document] = []
    for place in range(len(old) + 1):
        expected += [each for each, before in zip(new, at, strict=True) if before == place]
        expected += [each for each in old[place : place + 1] if place not in gone]
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", ToysearchNote)
        patch.setattr("toysearch.index.changed_postings._AT_ONCE", data.draw(st.sampled_from([1, 20, 1 << 18])))
        patch.setattr("toysearch.index.posting_blocks.GROUP", data.draw(st.sampled_from([1, 3, 256])))
        first, second = build(old, analyzer, keeping), build(new, analyzer, keeping)
        arrays = changed_arrays(first.arrays, second.arrays, np.array(gone, np.int64), np.array(at, np.int64))
        assert_same(Index(analyzer, arrays), build(expected, analyzer, keeping))


@given(st.data(), ANALYZERS, KEEPING)
@settings(max_examples=often(150))
def test_a_sequence_of_changes_gives_what_building_gives(data, analyzer, keeping):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        held = {each.doc_id: each for each in data.draw(collections())}
        index = build(list(held.values()), analyzer, keeping)
        for _ in range(data.draw(st.integers(1, 4))):
            if data.draw(st.booleans()) and len(held) > 1:
                gone = data.draw(st.sets(st.sampled_from(sorted(held)), min_size=1, max_size=len(held) - 1))
                index = index.delete(gone)
                held = {doc_id: each for doc_id, each in held.items() if doc_id not in gone}
            else:
                new = {each.doc_id: each for each in data.draw(collections(least=1))}
                index = index.add(new.values(), replace=True)
                held = {doc_id: each for doc_id, each in held.items() if doc_id not in new} | new
            assert_same(index, build(list(held.values()), analyzer, keeping))


@given(st.sets(st.text() | st.sampled_from(WORDS)), st.lists(st.text() | st.sampled_from(WORDS)), st.randoms())
@settings(max_examples=often(100))
def test_places_are_those_of_sorting(others, wanted, random):
    shuffled = random.sample(sorted(others), len(others))
    order = np.array(sorted(range(len(shuffled)), key=shuffled.__getitem__), dtype=np.int32)
    for share in (0, 8):  # the keys of strings are made one by one, or for all
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(strings, "_ALL", share)
            found = places(Strings.of(shuffled), order, Strings.of(wanted))
        assert found.before.tolist() == [sum(other < each for other in others) for each in wanted]
        assert found.found.tolist() == [each in others for each in wanted]
