"""Saving as Windows allows it: no read-only file is flushed, and no file that is mapped is replaced or removed."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest
from shell import done

import toysearch
from toysearch.index.opened_files import index_files
from toysearch.index.replacement import change_index

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is mapped")
DOCUMENTS = {f"d{n}": f"a cat and dog {n} {'wing' * (n % 3)}" for n in range(40)}


def mapped():
    """The files that this process has mapped."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {line.split(maxsplit=5)[5].removesuffix(" (deleted)") for line in lines if line.count(" /") == 1}


def in_use(path):
    """Whether a file is mapped, or one in a folder."""
    place = os.path.realpath(path)
    return any(each == place or each.startswith(f"{place}/") for each in mapped())


@pytest.fixture
def windows(monkeypatch):
    """The calls that Windows refuses are refused; the refusals of the last test are counted."""
    refusals = []

    def refusing(call, n_paths):
        def called(*arguments, **options):
            if any(in_use(path) for path in arguments[:n_paths]):
                refusals.append(call.__name__)
                raise PermissionError(13, "Access denied", str(arguments[0]))
            return call(*arguments, **options)

        return called

    def fsync(descriptor, flush=os.fsync):
        import fcntl

        plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if plain and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(9, "Bad file descriptor")
        flush(descriptor)

    monkeypatch.setattr(os, "replace", refusing(os.replace, 2))
    monkeypatch.setattr(os, "unlink", refusing(os.unlink, 1))
    monkeypatch.setattr(Path, "unlink", refusing(Path.unlink, 1))
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)  # folders are removed file by file, by their paths
    return refusals


def contents(folder):
    """The bytes of the files that an index consists of."""
    return {name: (folder / name).read_bytes() for name in index_files(folder)}


@pytest.mark.parametrize("shards", [[], ["--shards", 2]], ids=["whole", "shards"])
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


def test_shards_that_become_one_index_leave_nothing(tmp_path, windows):
    index = toysearch.index.shard_folder.build_shards("cat-dog-parrot", tmp_path / "pets.idx", shards=2, joined=True)
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
    name = next(name for name in index_files(tmp_path / "ix") if name.startswith("postings-"))
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
