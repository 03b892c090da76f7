"""Strings in two arrays."""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from small_collections import contents
from tiers import thinned

from toysearch.base import Document, Utf8
from toysearch.base.errors import StorageError
from toysearch.index import strings
from toysearch.index.content_checks import check_index
from toysearch.index.index_change import change_index
from toysearch.index.inverted_index import Index
from toysearch.index.strings import GrowingStrings, Pieces, Positions, Strings, byte_order, parts, pieces_of, repeated

TEXTS = st.lists(st.text())


@given(TEXTS)
def test_it_is_a_sequence_of_the_strings(texts):
    strings = Strings.of(texts)
    assert list(strings) == texts
    assert len(strings) == len(texts)
    assert strings[:] == texts
    assert strings[::-2] == texts[::-2]
    assert [strings.raw(number).decode() for number in range(len(texts))] == texts


@given(TEXTS.filter(bool), st.data())
def test_equal_compares_each_string_with_a_text(texts, data):
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1))
    first = data.draw(st.integers(0, len(texts) - 1))
    some = st.sampled_from([*texts, "\ud800", ""])
    blob, offsets = Strings.of(texts).blob, Strings.of(texts).offsets
    for stored in (Strings(blob, offsets), Strings(pieces_of(*np.split(blob, offsets[first : first + 1])), offsets)):
        for places in (numbers, [*range(first, len(texts))]):
            given = [texts[place] for place in places]
            assert stored.equal(np.array(places), given) == [True] * len(places)
            others = data.draw(st.lists(some, min_size=len(places), max_size=len(places)))
            assert stored.equal(np.array(places), others) == [*map(str.__eq__, given, others)]


@given(TEXTS.filter(bool), st.data())
def test_take_gives_the_strings_at_many_positions(texts, data):
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=200))
    strings = Strings.of(texts)
    expected = [texts[number] for number in numbers]
    assert strings.take(numbers) == expected
    assert strings.take(np.array(numbers, dtype=np.int64)) == expected
    assert strings.take(numbers) == expected  # now that they may all be decoded


def test_take_decodes_all_once_many_are_asked_for():
    strings = Strings.of(map(str, range(1000)))
    strings.take(range(200))
    assert strings._all is None
    assert strings.take(range(300)) == [str(number) for number in range(300)]
    assert strings._all == [str(number) for number in range(1000)]


def test_positions_are_those_of_a_list():
    strings = Strings.of(["a", "b"])
    assert strings[-1] == "b"
    for beyond in (2, -3):
        with pytest.raises(IndexError):
            strings[beyond]


@given(st.sets(st.text()), st.one_of(st.text(), st.text(st.characters(exclude_categories=()))))
def test_find_in_sorted_strings(texts, other):
    strings = Strings.of(sorted(texts))
    for number, text in enumerate(sorted(texts)):
        assert strings.find(text) == number
    assert (strings.find(other) >= 0) == (other in texts)


@given(st.lists(st.text(), unique=True), st.text())
def test_find_by_an_order(texts, other):
    strings = Strings.of(texts)
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int32)
    for number, text in enumerate(texts):
        assert strings.find(text, order) == number
    assert (strings.find(other, order) >= 0) == (other in texts)


def test_growing():
    growing = GrowingStrings()
    growing.extend(Utf8.of([b"cat", b""]))
    growing.extend(Utf8.of(["\u00e9".encode()]))
    strings = growing.finish()
    assert (list(strings), strings.offsets.tolist()) == (["cat", "", "é"], [0, 3, 3, 5])


# Sorting strings by their bytes.

PARTS = st.sampled_from(["a", "b", "\0", "é", "\uffff", "\U00010000", "aaaaaaaa", "bbbbbbbbbbbbbbbb"])
STRINGS = st.lists(st.lists(PARTS, max_size=8).map("".join) | st.text(max_size=30), max_size=40)


@given(STRINGS)
def test_the_order_is_python_s_own(strings):
    order = byte_order(Strings.of(strings)).tolist()
    assert order == sorted(range(len(strings)), key=lambda number: strings[number].encode())


@given(STRINGS.map(lambda strings: strings + strings[::2]))
def test_what_is_repeated(strings):
    packed = Strings.of(strings)
    order = byte_order(packed)
    ordered = [strings[number] for number in order]
    expected = [number > 0 and ordered[number] == ordered[number - 1] for number in range(len(ordered))]
    assert repeated(packed, order).tolist() == expected


def test_strings_are_sorted_in_parts_between_which_ctrl_c_is_answered(monkeypatch):
    strings = [f"{first}{second}{number % 7}" for number in range(20) for first in "dbac" for second in "xzy"] + [""]
    expected = sorted(range(len(strings)), key=lambda number: (strings[number], number))
    sizes = []
    lexsort = np.lexsort

    def recorded(keys):
        sizes.append(len(keys[0]))
        return lexsort(keys)

    monkeypatch.setattr("toysearch.index.strings._AT_ONCE", 30)
    monkeypatch.setattr(np, "lexsort", recorded)
    assert byte_order(Strings.of(strings)).tolist() == expected
    assert sum(sizes) == len(strings)
    assert max(sizes) < 30 + 20  # 20 strings begin with the same two letters


# Many strings together

ALIKE = st.text(st.sampled_from("ab\x00é"), max_size=20)


@given(st.sets(ALIKE, min_size=1, max_size=60), st.sets(ALIKE, min_size=9, max_size=30))
def test_strings_alike_for_many_bytes(known, others):
    ordered = sorted(known, key=str.encode)
    wanted = [*others, *ordered[:5]]
    together, alone = Positions(Strings.of(ordered)), Positions(Strings.of(ordered))
    places = {string: place for place, string in enumerate(ordered)}
    assert together.of_each(wanted) == [places.get(string, -1) for string in wanted]
    assert together.of_each(wanted) == [alone[string] for string in wanted]


def test_absent_strings_are_not_kept():
    positions = Positions(Strings.of(["cat", "dog"]))
    assert positions.of_each(["dog", "catfish", ""]) == [1, -1, -1]
    assert dict(positions) == {"dog": 1}


# Much text in parts: the same parts however the index was made, and full ones stay when documents are added


PARTED = ["", "a cat", "", "é" * 7, "dog" * 20, "", "x", "yy", "", "z" * 9, "last", ""]
DOCUMENTS = [Document(f"d{number}", text, text[:3], {"title": text[:3]}) for number, text in enumerate(PARTED * 3)]


@pytest.fixture(params=thinned([9, 1, 10, 14, 60, 1000], 4))
def full(request, monkeypatch) -> int:
    """Parts that are full with so many bytes."""
    monkeypatch.setattr("toysearch.index.strings.FULL", request.param)
    return request.param


def data(blobs) -> list[bytes]:
    return [blob.tobytes() for blob in blobs]


@pytest.mark.system
def test_parts_end_behind_the_text_that_fills_them(monkeypatch):
    monkeypatch.setattr("toysearch.index.strings.FULL", 5)
    for texts, expected in (
        (["ab", "cde", "f", "gh"], [b"abcdef", b"gh"]),  # one byte ends a part of five
        (["a", "b", "cd", "e", "f", "", "g"], [b"abcde", b"fg"]),
        (["ab", "cd", "efgh", "ij", "", "kl"], [b"abcdefghij", b"kl"]),  # and ten bytes end it in any case
        (["a" * 257, "b"], [b"a" * 257, b"b"]),
        (["abcdefghij", "", ""], [b"abcdefghij"]),  # nothing begins a part in which there is nothing
        (["", "", "abcdefghij", "klmnopqrstu", ""], [b"abcdefghij", b"klmnopqrstu"]),
        (["abcd"], [b"abcd"]),
        (["", ""], [b""]),
        ([], [b""]),
    ):
        strings = Strings.of(texts)
        assert data(parts(strings.blob, strings.offsets)) == expected


@pytest.mark.system
def test_an_index_in_parts_is_the_same_on_every_way(tmp_path, full):
    Index.build(DOCUMENTS).save(tmp_path / "saved")
    Index.build(DOCUMENTS, folder=tmp_path / "built")
    Index.build(DOCUMENTS[:5]).add(DOCUMENTS[5:20]).add(DOCUMENTS[20:]).save(tmp_path / "added")
    Index.build([Document("z", "zebra"), *DOCUMENTS]).delete(["z"]).save(tmp_path / "deleted")
    Index.build(DOCUMENTS[:7], folder=tmp_path / "changed")
    change_index(tmp_path / "changed", lambda index: index.add([*DOCUMENTS[7:], Document("more", "much more")]))
    change_index(tmp_path / "changed", lambda index: index.delete(["more"]))
    Index.open(tmp_path / "saved").save(tmp_path / "copied")
    for name in ("built", "added", "deleted", "changed", "copied"):
        assert contents(tmp_path / name) == contents(tmp_path / "saved"), name
        assert check_index(tmp_path / name) == []
    index = Index.open(tmp_path / "saved")
    assert isinstance(index.texts, Strings)
    assert list(index.texts) == [index.text(number) for number in range(36)] == PARTED * 3
    assert index.texts.take(np.arange(36)[::-1]) == (PARTED * 3)[::-1]
    assert [index.title(number) for number in range(36)] == [text[:3] for text in PARTED * 3]


@pytest.mark.system
def test_full_parts_stay_as_they_are_when_documents_are_added(tmp_path, monkeypatch):
    monkeypatch.setattr("toysearch.index.strings.FULL", 40)
    Index.build(DOCUMENTS, folder=tmp_path)
    before = {path.name: path.stat().st_ino for path in tmp_path.glob("texts-*.npy")}
    sent = []
    write = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (sent.append(Path(new).name), write(old, new)))
    change_index(tmp_path, lambda index: index.add({"x": "one more"}))
    after = {name: (tmp_path / name).stat().st_ino for name in contents(tmp_path) if name.startswith("texts-")}
    last = max(before, key=lambda name: int(name.split("-")[1]))
    assert len(before) > 2
    assert before.items() - after.items() == {(last, before[last])}
    assert sum(name.startswith("texts-") for name in sent) == 1


@pytest.mark.system
def test_parts_of_one_content(tmp_path, monkeypatch):
    monkeypatch.setattr("toysearch.index.strings.FULL", 2)
    Index.build(["a cat", "a cat", "a cat"]).save(tmp_path)
    assert [Index.open(tmp_path).text(number) for number in range(3)] == ["a cat"] * 3
    assert len(list(tmp_path.glob("texts-*.npy"))) == 3


@pytest.mark.system
@given(st.lists(st.binary(max_size=5), min_size=1), st.data())
def test_pieces_are_as_one(blobs, draw):
    whole = b"".join(blobs)
    found = pieces_of(*(np.frombuffer(blob, np.uint8) for blob in blobs))
    assert (found.tobytes(), found.size) == (whole, len(whole))
    start = draw.draw(st.integers(0, len(whole)))
    stop = draw.draw(st.integers(start, len(whole)))
    assert found.span(start, stop).tobytes() == whole[start:stop]
    edges = [0, *np.cumsum([array.size for array in found.arrays]).tolist()]
    for first, last in pairwise(edges):
        if first <= start < last and stop <= last:
            assert bytes(found[start:stop]) == whole[start:stop]
    assert isinstance(pieces_of(found, found), Pieces)
    assert strings.pieces_of(found, found).tobytes() == whole * 2


@pytest.mark.system
def test_many_documents_on_disk(tmp_path):
    """Numbers of more than two bytes; and then fewer again."""
    texts = {f"{number:x}": "cat" if number % 3 else "dog" for number in range(65_540)}
    built = Index.build(texts, store_text=False)
    built.save(tmp_path / "more")
    opened = Index.open(tmp_path / "more")
    for term in ("cat", "dog"):
        np.testing.assert_array_equal(opened.postings(term).docs, built.postings(term).docs)
        assert opened.postings(term).docs.dtype == np.int32
    assert opened.vector("10003") == {"cat": 1}
    change_index(tmp_path / "more", lambda index: index.delete(["0", "1", "2", "10003"]))
    few = {doc_id: text for doc_id, text in texts.items() if doc_id not in ("0", "1", "2", "10003")}
    Index.build(few, store_text=False).save(tmp_path / "few")
    assert contents(tmp_path / "more") == contents(tmp_path / "few")
    change_index(tmp_path / "few", lambda index: index.add({"1": "cat", "y": "dog"}))
    few |= {"1": "cat", "y": "dog"}
    Index.build(few, store_text=False).save(tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "few")


@pytest.mark.system
def test_damage_in_a_full_part_is_still_found_after_a_change(tmp_path, monkeypatch):
    monkeypatch.setattr("toysearch.index.strings.FULL", 40)
    monkeypatch.setattr("toysearch.index.checksums._LARGE", 40)  # as full parts are
    Index.build(DOCUMENTS, folder=tmp_path)
    first = next(tmp_path.glob("texts-0-*.npy"))
    first.write_bytes(first.read_bytes()[:-1] + b"\x07")
    sentence = f"{first} is damaged: its checksum does not match; build the index again"
    change_index(tmp_path, lambda index: index.add({"x": "one more"}))  # the part stays, and so does its checksum
    assert check_index(tmp_path) == [sentence]
    with raising(StorageError, sentence):
        list(Index.open(tmp_path).texts)
    with raising(StorageError, sentence):
        change_index(tmp_path, lambda index: index.delete(["d1"]))  # the part would be written anew
    assert check_index(tmp_path) == [sentence]


def test_strings_show_their_number_and_the_first():
    assert repr(Strings.of("abcd")) == "<4 strings: 'a', 'b', 'c', …>"
    assert [repr(Strings.of(each)) for each in ([], ["cat"])] == ["<0 strings>", "<1 string: 'cat'>"]


@given(st.lists(st.text(), min_size=1, unique=True), st.text())
def test_strings_that_are_all_decoded_are_found_without_reading_their_bytes(texts: list[str], other: str) -> None:
    """The order of characters is that of their UTF-8 bytes."""
    reads = []

    class Counted(Strings):
        def raw(self, number: int) -> bytes:
            reads.append(number)
            return super().raw(number)

    texts += [text for text in ("\ue000", "\uffff", "\U00010000", "é") if text not in texts]
    stored = Counted.of(texts)
    stored._all = [*texts]
    order = np.array(sorted(range(len(texts)), key=lambda number: texts[number].encode()))
    for number, text in enumerate(texts):
        reads.clear()
        assert stored.find(text, order) == number
        assert reads == [number]
    for absent in {other, "\ud800"} - {*texts}:
        assert stored.find(absent, order) == -1
