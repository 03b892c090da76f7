"""An index in shards on disk: the manifest is replaced last, and every lost or changed file is one sentence."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from error_messages import raising
from small_collections import contents
from small_shards import build_shards, documents, saved, whole
from tiers import thinned

from toysearch import Index
from toysearch.base.errors import StorageError
from toysearch.index.content_checks import check_index
from toysearch.index.file_layout import MANIFEST, SHARDED, read_manifest, sealed
from toysearch.index.index_change import change_index
from toysearch.index.listed_files import index_files
from toysearch.index.postings import CollectionStats
from toysearch.workbench.shards import shard_folder
from toysearch.workbench.shards.shard_folder import BUILDING, refuse_other_content, save_shards
from toysearch.workbench.shards.sharded_index import ShardedIndex


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("saved"))


@pytest.fixture
def folder(sound, tmp_path):
    return Path(shutil.copytree(sound, tmp_path / "pets.idx"))


@pytest.mark.system
def test_it_is_opened_like_one_index(folder):
    index = Index.open(folder)
    assert isinstance(index, ShardedIndex)
    assert index.checksum == whole().checksum
    assert index.whole.stats == whole().stats
    assert check_index(folder) == []
    assert sorted(index_files(folder)) == sorted(contents(folder))


def shards(folder):
    """The names of the folders of shards."""
    return {name.partition("/")[0] for name in contents(folder) if name.startswith("shard-")}


@pytest.mark.system
def test_only_the_shards_that_change_are_written_again(folder):
    before = shards(folder)
    changed = change_index(folder, lambda index: index.add([documents()[3]._replace(doc_id="new")]))
    after = shards(folder)
    assert len(before & after) == len(before) - 1 == len(after) - 1
    assert changed.checksum == whole().add([documents()[3]._replace(doc_id="new")]).checksum
    assert check_index(folder) == []
    assert set(index_files(folder)) == set(contents(folder))  # nothing else is left


@pytest.mark.system
@pytest.mark.parametrize("moment", thinned([6, 1, 3], 3))
def test_a_failure_at_any_moment_leaves_the_old_index(moment, folder, monkeypatch):
    before, left = contents(folder), [moment]
    replace = os.replace

    class Killed(BaseException):
        pass

    def dying(written, named):
        left[0] -= Path(written).parent == folder and Path(named).is_relative_to(folder)
        if not left[0]:
            raise Killed
        replace(written, named)

    monkeypatch.setattr(os, "replace", dying)
    with pytest.raises(Killed):
        change_index(folder, lambda index: index.delete(["d30", "d1"]))
    assert check_index(folder) == []
    assert {name: contents(folder)[name] for name in before} == before
    monkeypatch.setattr(os, "replace", replace)
    changed = change_index(folder, lambda index: index.delete(["d30", "d1"]))
    assert changed.checksum == whole().delete(["d30", "d1"]).checksum
    assert set(index_files(folder)) == set(contents(folder))


def test_a_lost_shard_is_one_sentence(folder):
    lost = Index.open(folder).parts[1]
    shutil.rmtree(lost.folder)
    said = f"{lost.folder}: this shard of the index is missing; restore it, or build the index again"
    with raising(StorageError, said):
        Index.open(folder)
    assert check_index(folder) == [said]


def test_a_shard_changed_by_itself_is_refused(folder):
    part = Index.open(folder).parts[1].folder
    change_index(part, lambda index: index.add({"new": "w0"}))
    with pytest.raises(StorageError) as refused:
        Index.open(folder)
    assert str(refused.value).startswith(f"{part}: this shard has been changed by itself")


@pytest.mark.parametrize("label", thinned(["terms", "terms_lengths", "df", "cf", "numbers"], 3))
def test_changed_statistics_are_found_on_opening(folder, label):
    path = sorted(folder.glob(f"{label}-*"))[-1]
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with raising(StorageError, f"{path} is damaged: its checksum does not match; build the index again"):
        Index.open(folder)
    assert check_index(folder)


def test_statistics_of_other_shards_are_found_by_check(folder):
    index = Index.open(folder)
    index.whole = index.whole._replace(cf=index.whole.cf + 1)
    save_shards(folder, index)
    assert check_index(folder) == [
        f"the index in {folder} is damaged: its statistics are not those of its shards; build it again"
    ]


def test_a_changed_manifest_is_refused(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"documents": 48', '"documents": 49'))
    with raising(StorageError, f"{path} is damaged: its checksum does not match; build the index again"):
        Index.open(folder)


@pytest.mark.parametrize("name", CollectionStats._fields)
@pytest.mark.parametrize("value", [None, "12", [], -1, True, float("nan"), float("inf"), 1e300, 1 << 70])
def test_forged_statistics_are_refused(folder, name, value):
    manifest = read_manifest(folder, SHARDED)
    own = {key: kept for key, kept in manifest.items() if key not in ("format", "version", "files", "sha256")}
    own["statistics"] = {**own["statistics"], name: value}
    (folder / MANIFEST).write_bytes(sealed(own, manifest["files"], SHARDED))
    with pytest.raises(StorageError) as refused:
        Index.open(folder)
    assert str(refused.value).startswith(f"{folder / MANIFEST} is damaged: its statistics do not fit each other")


def test_more_shards_than_files_may_be_open(folder, monkeypatch):
    def no_more(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(shard_folder, "place_of_shard", no_more)
    with pytest.raises(StorageError) as refused:
        Index.open(folder)
    assert str(refused.value) == (
        f"{folder} has 3 shards, more than this process may open at once; raise the limit (ulimit -n), or build the "
        "index with fewer shards"
    )


def test_one_index_does_not_replace_shards_nor_the_other_way_round(folder, tmp_path):
    with raising(StorageError, f"{folder} holds an index in shards; remove it, or choose another folder"):
        whole().save(folder)
    whole().save(tmp_path / "one")
    with pytest.raises(StorageError) as refused:
        shard_folder.refuse_other_content(tmp_path / "one")
    assert "does not belong to an index in shards" in str(refused.value)


def test_leftovers_are_removed_and_nothing_else(folder):
    (folder / BUILDING).mkdir()
    (folder / BUILDING / "half").write_text("half")
    shutil.copytree(next(folder.glob("shard-*")), folder / "shard-0123456789abcdef")
    before = set(index_files(folder))
    shard_folder.remove_unnamed_shards(folder)
    assert set(contents(folder)) == before
    assert not os.path.exists(folder / BUILDING)


def test_shards_are_built_over_older_ones_and_over_nothing_else(tmp_path):
    """A folder of shards and an empty one are taken; one whose manifest is that of a single index is refused."""
    for texts in (["cat", "dog", "bird"], ["cow", "cat"]):
        (tmp_path / "pets.tsv").write_text("id\ttext\n" + "".join(f"{text}s\t{text}\n" for text in texts))
        build_shards(str(tmp_path / "pets.tsv"), tmp_path / "pets.idx", shards=2)
        assert [*Index.open(tmp_path / "pets.idx").doc_ids] == [f"{text}s" for text in texts]
    assert (tmp_path / "pets.idx" / MANIFEST).exists()
    (tmp_path / "empty").mkdir()
    refuse_other_content(tmp_path / "empty")
    Index.build(["cat"]).save(tmp_path / "one.idx")
    with pytest.raises(StorageError, match="that does not belong to an index in shards"):
        refuse_other_content(tmp_path / "one.idx")
