"""Much text in parts: the same parts however the index was made, and full ones stay when documents are added."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import contents
from raising import raising

from toysearch.base import Document
from toysearch.base.errors import StorageError
from toysearch.index import replacement, strings
from toysearch.index.content_checks import check_index
from toysearch.index.inverted_index import Index
from toysearch.index.replacement import change_index
from toysearch.index.strings import Pieces, Strings, parts, pieces_of

pytestmark = pytest.mark.system

TEXTS = ["", "a cat", "", "é" * 7, "dog" * 20, "", "x", "yy", "", "z" * 9, "last", ""]
DOCUMENTS = [Document(f"d{number}", text, text[:3]) for number, text in enumerate(TEXTS * 3)]


@pytest.fixture(params=[1, 9, 10, 14, 60, 1000])
def full(request, monkeypatch) -> int:
    """Parts that are full with so many bytes."""
    monkeypatch.setattr("toysearch.index.strings.FULL", request.param)
    monkeypatch.setattr("toysearch.index.replacement.FULL", request.param)
    return request.param


def data(blobs) -> list[bytes]:
    return [blob.tobytes() for blob in blobs]


def test_parts_end_behind_the_text_that_fills_them(monkeypatch):
    monkeypatch.setattr("toysearch.index.strings.FULL", 5)
    for texts, expected in (
        (["ab", "cde", "f"], [b"abcde", b"f"]),
        (["ab", "cd", "efgh", "", "i"], [b"abcdefgh", b"i"]),
        (["abcdef", "", ""], [b"abcdef"]),  # nothing begins a part in which there is nothing
        (["", "", "abcde", "fghijklmnop", ""], [b"abcde", b"fghijklmnop"]),
        (["abcd"], [b"abcd"]),
        (["", ""], [b""]),
        ([], [b""]),
    ):
        strings = Strings.of(texts)
        assert data(parts(strings.blob, strings.offsets)) == expected


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
    assert list(index.texts) == [index.text(number) for number in range(36)] == TEXTS * 3
    assert index.texts.take(np.arange(36)[::-1]) == (TEXTS * 3)[::-1]
    assert [index.title(number) for number in range(36)] == [text[:3] for text in TEXTS * 3]


def test_full_parts_stay_as_they_are_when_documents_are_added(tmp_path, monkeypatch):
    for module in ("strings", "replacement"):
        monkeypatch.setattr(f"toysearch.index.{module}.FULL", 40)
    Index.build(DOCUMENTS, folder=tmp_path)
    before = {path.name: path.stat().st_ino for path in tmp_path.glob("texts-*.npy")}
    mapped, whole = [], replacement._file_of
    monkeypatch.setattr(replacement, "_file_of", lambda values: mapped.append(whole(values)) or mapped[-1])
    sent = []
    write = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (sent.append(Path(new).name), write(old, new)))
    change_index(tmp_path, lambda index: index.add({"x": "one more"}))
    after = {name: (tmp_path / name).stat().st_ino for name in contents(tmp_path) if name.startswith("texts-")}
    last = max(before, key=lambda name: int(name.split("-")[1]))
    assert len(before) > 2
    assert before.items() - after.items() == {(last, before[last])}
    assert sum(name.startswith("texts-") for name in sent) == 1
    assert {path.name for path in mapped if path and path.name.startswith("texts-")} == before.keys() - {last}


def test_parts_of_one_content(tmp_path, monkeypatch):
    monkeypatch.setattr("toysearch.index.strings.FULL", 5)
    Index.build(["a cat", "a cat", "a cat"]).save(tmp_path)
    assert [Index.open(tmp_path).text(number) for number in range(3)] == ["a cat"] * 3
    assert len(list(tmp_path.glob("texts-*.npy"))) == 3


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


def test_damage_in_a_full_part_is_still_found_after_a_change(tmp_path, monkeypatch):
    for module in ("strings", "replacement"):
        monkeypatch.setattr(f"toysearch.index.{module}.FULL", 40)
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
