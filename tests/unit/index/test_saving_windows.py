"""Saving as Windows allows it: no read-only file is flushed, and no file that is mapped is replaced or removed."""

import os
import sys

import numpy as np
import pytest
from on_windows import in_use
from shell import done
from small_shards import build_shards
from tiers import exhaustive, thinned

import toysearch
from toysearch.index.index_change import change_index
from toysearch.index.listed_files import index_files

pytestmark = pytest.mark.system

DOCUMENTS = {f"d{n}": f"a cat and dog {n} {'wing' * (n % 3)} {'bird ' * 4000}" for n in range(40)}
"""Their texts fill a large file, which is mapped while the index is open; a small one is only read."""


def contents(folder):
    """The bytes of the files that an index consists of."""
    return {name: (folder / name).read_bytes() for name in index_files(folder)}


@pytest.mark.parametrize("shards", thinned([[], ["--shards", 2]], 2), ids=["whole", "shards"])
def test_an_index_is_saved_replaced_and_changed(shards, tmp_path, windows):
    own = tmp_path / "pets.idx"
    done("index", "cat-dog-parrot", "-o", own, "--no-text", *shards)
    before = toysearch.Index.open(own)
    ranking = list(toysearch.Searcher(before).search("train cat"))
    done("index", "cat-dog-parrot", "-o", own, *shards)
    done("index", "cat-dog-parrot", "-o", own, *shards)  # over the files of the same content
    done("delete", own, "2")
    assert "How to train a" in done("search", own, "cat").stdout
    done("index", "cat-dog-parrot", "-o", own, "--no-text", *shards)  # of what is in use, files have stayed
    assert "every checksum matches" in done("check", own).stdout
    assert not (own / "toysearch-building").exists()
    assert list(toysearch.Searcher(before).search("train cat")) == ranking  # the opened index stays as it was


@exhaustive
def test_shards_that_become_one_index_leave_nothing(tmp_path, windows):
    index = build_shards("cat-dog-parrot", tmp_path / "pets.idx", shards=2, joined=True)
    assert [path.name for path in tmp_path.iterdir()] == ["pets.idx"]
    assert len(index) == 4


def test_an_opened_index_is_saved_over_itself(tmp_path, windows):
    toysearch.Index.build(DOCUMENTS, folder=tmp_path / "ix")
    index = toysearch.Index.open(tmp_path / "ix")
    before = contents(tmp_path / "ix")
    index.save(tmp_path / "ix")
    assert "replace" in windows  # a file was in use, and stayed
    assert contents(tmp_path / "ix") == before
    change_index(tmp_path / "ix", lambda index: index.add({"new": "a parrot"}))
    assert toysearch.Index.open(tmp_path / "ix").stats.N == 41


def test_a_damaged_file_in_use_does_not_stay(tmp_path, windows):
    index = toysearch.Index.build(DOCUMENTS)
    index.save(tmp_path / "ix")
    opened = toysearch.Index.open(tmp_path / "ix")
    name = next(name for name in index_files(tmp_path / "ix") if name.startswith("texts-"))
    with open(tmp_path / "ix" / name, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x99")
    with pytest.raises(toysearch.ToysearchError, match="cannot save the index"):
        index.save(tmp_path / "ix")
    assert opened.stats.N == 40


def test_the_files_are_those_of_other_systems(tmp_path, monkeypatch, request):
    toysearch.Index.build(DOCUMENTS, folder=tmp_path / "linux")
    request.getfixturevalue("windows")
    toysearch.Index.build(DOCUMENTS, folder=tmp_path / "windows")
    assert contents(tmp_path / "linux") == contents(tmp_path / "windows")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is open")
def test_a_file_is_in_use_while_it_is_open_or_mapped(tmp_path):
    path = tmp_path / "numbers.npy"
    np.save(path, np.arange(3))
    assert not in_use(path)
    numbers = np.load(path, mmap_mode="r")
    assert in_use(path)
    assert in_use(tmp_path)
    assert not in_use(tmp_path / "numbers.np")
    del numbers
    assert not in_use(path)
    with path.open("rb"):
        assert in_use(path)
    assert not in_use(path)
