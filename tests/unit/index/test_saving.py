"""Saving and opening: the same index comes back, whatever happens; what is no index is refused."""

import errno
import hashlib
import io
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from error_messages import raising
from small_collections import contents
from tiers import EVERYTHING, longer, often

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.base.errors import StorageError
from toysearch.index import content_checks, opened_files, saving
from toysearch.index.content_checks import check_index
from toysearch.index.file_layout import sealed
from toysearch.index.inverted_index import Index
from toysearch.index.listed_files import index_files

DOCUMENTS = [
    Document("b", "the cat sat " + "on " * 300, "Cat"),
    Document("a", ""),
    Document("é", "a dog and another dog 文文 👩"),
]
OLD = Index.build(DOCUMENTS, Analyzer.for_language("english", stop=["the"]))
NEW = Index.build(["something else", "and more of it", "", "more"])


def content(index: Index) -> dict[str, object]:
    """All that an index holds, to compare."""
    return {
        **{name: np.asarray(values).tolist() for name, values in index.arrays.items()},
        "analyzer": (index.analyzer, str(index.analyzer)),
        "collection": index.collection,
        "stats": index.stats,
    }


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with OLD in it."""
    OLD.save(tmp_path / "index")
    return tmp_path / "index"


# The same comes back


@pytest.mark.parametrize(
    ("length", "dtype"), [(0, "|u1"), (255, "|u1"), (256, "<u2"), (65_535, "<u2"), (65_536, "<i4")]
)
def test_columns_are_as_wide_as_their_values_need(tmp_path, length, dtype):
    Index.build(["cat " * length, "dog"]).save(tmp_path)
    opened = Index.open(tmp_path)
    assert opened.arrays["dl"].dtype.str == opened.arrays["max_tf"].dtype.str == dtype
    assert (opened.dl.dtype, opened.dl.tolist(), opened.cf.tolist()[-1]) == (np.int32, [length, 1], 1)
    assert opened.max_tf.tolist() == [length, 1]
    assert (opened.offsets.dtype, opened.bytes.dtype) == (np.int64, np.int64)


HELD = {
    "thesis.tex": ("{0} holds other files, such as 'thesis.tex'; choose a new folder or an empty one", "mine"),
    "manifest.json": (
        "{0} holds a manifest.json that does not belong to an index; choose a new folder or an empty one",
        '{"manifest_version": 3}',
    ),
    "": ("{0} is a file; an index is saved as a folder", "mine"),
}


@pytest.mark.parametrize("name", HELD)
def test_what_is_no_index_is_not_replaced(tmp_path, name):
    message, text = HELD[name]
    folder = tmp_path / "index"
    held = folder / name if name else folder
    held.parent.mkdir(exist_ok=True)
    held.write_text(text)
    with raising(StorageError, message.format(folder)):
        OLD.save(folder)
    assert held.read_text() == text
    assert not name or set(contents(folder)) == {name}


def test_arrays_of_small_files_are_the_bytes_that_were_verified(saved):
    opened = Index.open(saved)
    for values in map(opened.arrays.__getitem__, ("postings", "last_docs", "dl", "terms", "doc_ids")):
        assert type(values) is np.ndarray
        assert isinstance(values.base, bytes)
        assert not values.flags.writeable


@pytest.mark.system
def test_the_bytes_do_not_depend_on_the_process(tmp_path):
    script = (
        "import sys; from toysearch import Analyzer, Index\n"
        "texts = ['the cat sat on a mat', 'dogs and parrots are not cats', 'ein Hund']\n"
        "Index.build(texts, Analyzer.for_language('english')).save(sys.argv[1])"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, tmp_path / seed], env=environment, check=True)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


# The folder


def test_the_files_and_what_the_manifest_says(saved):
    manifest = json.loads((saved / "manifest.json").read_bytes())
    assert list(manifest) == ["format", "version", "collection", "analyzer", "counts", "files", "sha256"]
    assert manifest["counts"] == {"documents": 3, "terms": 7, "postings": 7}
    assert manifest["analyzer"]["stop"] == ["the"]
    assert {path.name for path in saved.iterdir()} == {*manifest["files"], "manifest.json"}
    assert index_files(saved) == {path.name: path.stat().st_size for path in saved.iterdir()}
    assert list(index_files(saved))[-1] == "manifest.json"
    assert all(re.fullmatch(r"[a-z_]+(-0)?-[0-9a-f]{16}\.npy", name) for name in manifest["files"])
    for name, entry in manifest["files"].items():
        assert (saved / name).stat().st_size == entry["bytes"]
        np.load(saved / name, allow_pickle=False)


def test_the_manifest_holds_no_path(tmp_path):
    words = tmp_path / "my-words.txt"
    words.write_text("the\n")
    Index.build(DOCUMENTS, Analyzer(stop=words)).save(tmp_path / "index")
    text = (tmp_path / "index" / "manifest.json").read_text()
    assert "my-words" not in text
    assert str(tmp_path) not in text


def test_saving_replaces_the_index_and_leaves_other_files(saved):
    (saved / "notes.txt").write_text("mine")
    (saved / "docs-mine.npy").write_text("mine")
    NEW.save(saved)
    assert content(Index.open(saved)) == content(NEW)
    assert set(contents(saved)) == {*index_files(saved), "notes.txt", "docs-mine.npy"}


def test_an_open_index_stays_as_it_was(saved):
    opened = Index.open(saved)
    NEW.save(saved)
    assert content(opened) == content(OLD)


def test_what_an_interrupted_save_has_left_is_removed(saved):
    left = ["toysearch-saving.tmp", "docs-0123456789abcdef.npy", "texts_offsets-0123456789abcdef.npy"]
    for name in left:
        (saved / name).write_bytes(b"half")
    assert content(Index.open(saved)) == content(OLD)
    OLD.save(saved)
    assert not set(left) & set(contents(saved))


def test_it_is_removed_before_anything_is_written(saved, monkeypatch):
    (saved / "docs-0123456789abcdef.npy").write_bytes(b"takes up room")
    there: list[bool] = []
    written = saving._written

    def look_and_write(folder):
        there.append((folder / "docs-0123456789abcdef.npy").exists())
        return written(folder)

    monkeypatch.setattr(saving, "_written", look_and_write)
    OLD.save(saved)
    assert set(there) == {False}


def test_a_folder_with_nothing_but_such_leftovers_is_free(tmp_path):
    (tmp_path / "docs-0123456789abcdef.npy").write_bytes(b"half")
    OLD.save(tmp_path)
    assert set(contents(tmp_path)) == set(index_files(tmp_path))


def test_a_damaged_index_can_be_replaced(saved):
    manifest = saved / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:-100])
    NEW.save(saved)
    assert content(Index.open(saved)) == content(NEW)
    assert set(contents(saved)) == set(index_files(saved))


# Opening what is no index, or no longer one


def opening(folder: Path) -> str:
    with pytest.raises(StorageError) as error:
        Index.open(folder)
    return str(error.value)


@pytest.mark.parametrize("text", [None, "", "{}", "[1]", '{"format": "another"}', "\x00\xff"])
def test_a_folder_without_an_index(tmp_path, text):
    message = f"{tmp_path} is not an index: it has no manifest.json"
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
        message = f"{tmp_path} is not an index: its manifest.json was not written by toysearch"
    assert opening(tmp_path) == message
    if text is not None:
        assert check_index(tmp_path) == [message]
        return
    gone = tmp_path / "gone"
    missing = f"{gone}: there is no such folder; toysearch index SOURCE -o {gone} makes one"
    assert opening(gone) == missing
    for folder, said in ((tmp_path, message), (gone, missing)):
        with raising(StorageError, said):
            check_index(folder)


def test_files_of_an_older_format_are_replaced(saved):
    changed_manifest(saved, b'"version": 4', b'"version": 3')
    for name in ("docs_low-0123456789abcdef.npy", "terms_offsets-0123456789abcdef.npy"):  # as that format called them
        (saved / name).write_bytes(b"")
    NEW.save(saved)
    assert content(Index.open(saved)) == content(NEW)
    assert set(contents(saved)) == set(index_files(saved))


def data_file(folder: Path, array: str) -> Path:
    return next(folder.glob(f"{array}-*.npy"))


def test_a_missing_file(saved):
    path = data_file(saved, "df")
    path.unlink()
    assert opening(saved) == f"{path} is missing; build the index again"
    with pytest.raises(FileNotFoundError) as missing:
        path.stat()
    assert check_index(saved) == [f"{path} cannot be read: {missing.value.strerror}; build the index again"]


def reseal(folder: Path, change) -> None:
    """Write a manifest that is as a whole, but says something else."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    named, seal = manifest.pop("files"), manifest.pop("sha256")
    assert len(seal) == 64
    change(manifest, named)
    (folder / "manifest.json").write_bytes(sealed(manifest, named))


def replace(folder: Path, path: Path, raw: bytes) -> None:
    """Replace the content of a data file, with the right size and checksum in the manifest."""
    path.write_bytes(raw)
    entry = {path.name: {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}}
    reseal(folder, lambda manifest, named: named.update(entry))


def changed_manifest(folder: Path, old: bytes, new: bytes) -> None:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes().replace(old, new))


def changed_data(folder: Path, array: str, old: bytes, new: bytes) -> None:
    """Change a data file, with the right size and checksum in the manifest."""
    path = data_file(folder, array)
    replace(folder, path, path.read_bytes().replace(old, new))


def cut(path: Path, n: int) -> None:
    path.write_bytes(path.read_bytes()[:-n])


MANIFEST, POSTINGS = "{folder}/manifest.json is damaged: ", "{postings} is damaged: "
HEADER, ODD_FILE = "its header was not written by toysearch", {"../../etc/passwd": {"bytes": 1, "sha256": "0" * 64}}
DAMAGES = [
    (
        lambda folder: changed_manifest(folder, b'"version": 4', b'"version": 6'),
        "{folder} is an index of format 6, written by a newer toysearch; this one reads format 5: upgrade it, or ",
    ),
    (
        lambda folder: changed_manifest(folder, b'"version": 4', b'"version": 3'),
        "{folder} is an index of format 3, written by an older toysearch; this one reads format 5: ",
    ),
    (lambda folder: cut(folder / "manifest.json", 100), MANIFEST + "it is not JSON written by toysearch; "),
    (
        lambda folder: changed_manifest(folder, b'"the"', b'"tha"'),
        MANIFEST + "its checksum does not match; ",
    ),
    (
        lambda folder: reseal(folder, lambda manifest, named: named.update(ODD_FILE)),
        MANIFEST + "it names a file '../../etc/passwd', which no index of this format has; ",
    ),
    (
        lambda folder: reseal(folder, lambda manifest, named: named.pop(data_file(folder, "dl").name)),
        "the index in {folder} is damaged: it has no dl; ",
    ),
    (
        lambda folder: reseal(folder, lambda manifest, named: manifest["analyzer"].update(stem=7)),
        MANIFEST + "its analyzer cannot be restored (an analyzer's stem cannot be 7); ",
    ),
    (
        lambda folder: reseal(folder, lambda manifest, named: manifest["analyzer"].update(tokens="../x")),
        "the index in {folder} is damaged: its analyzer finds no word in 'and', a term of the index; ",
    ),
    (lambda folder: cut(data_file(folder, "postings"), 1), POSTINGS + "it has 143 bytes, not 144; "),
    (lambda folder: changed_data(folder, "postings", b"NUMPY", b"MUMPY"), POSTINGS + HEADER + "; "),
    *(
        (
            lambda folder, other=other: changed_data(folder, "postings", b"<u8", other),
            POSTINGS + f"its values are of type {other.decode()}, not <u8; ",
        )
        for other in (b"<f8", b"<i8")
    ),
    (
        lambda folder: changed_data(folder, "postings", b"(2,)", b"(1,)"),
        POSTINGS + "its header does not fit its length; ",
    ),
    (
        lambda folder: changed_data(folder, "postings", b"(2,), }  ", b"(1, 2), } "),
        POSTINGS + HEADER + "; ",
    ),
    (
        lambda folder: replace(folder, path := data_file(folder, "terms_lengths"), path.read_bytes()[:-1] + b"c"),
        "the index in {folder} is damaged: its terms_lengths do not fit its terms; ",
    ),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES)
def test_damage_is_told_when_the_index_is_opened(saved, damage, sentence):
    damage(saved)
    told = sentence.format(folder=saved, postings=data_file(saved, "postings"))
    said = opening(saved)
    assert said in (f"{told}build the index again", f"{told}build it again")
    [problem] = check_index(saved)  # which compares checksums first
    assert problem == said or "is an index of format" not in said


class Harmful:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_is_never_loaded(saved, tmp_path):
    objects = io.BytesIO()
    np.save(objects, np.array([Harmful(tmp_path / "harm")], dtype=object), allow_pickle=True)
    path = data_file(saved, "postings")
    for raw in (objects.getvalue(), pickle.dumps(Harmful(tmp_path / "harm"))):
        replace(saved, path, raw)
        problem = "its header was not written by toysearch"
        assert opening(saved) == f"{path} is damaged: {problem}; build the index again"
        assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("module", [opened_files, content_checks])
def test_an_index_replaced_while_it_is_opened_or_checked(saved, monkeypatch, module):
    read = module.read_manifest

    def read_then_replace(folder):
        manifest = read(folder)
        monkeypatch.setattr(module, "read_manifest", read)
        NEW.save(folder)
        return manifest

    monkeypatch.setattr(module, "read_manifest", read_then_replace)
    if module is opened_files:
        assert content(Index.open(saved)) == content(NEW)
    else:
        assert check_index(saved) == []
    assert module.read_manifest is read


# One flipped byte


@contextmanager
def changed_byte(path: Path, place: int, byte: int) -> Iterator[None]:
    """The file with another byte at a place, for a while."""
    with open(path, "r+b", buffering=0) as file:
        file.seek(place)
        before = file.read(1)
        file.seek(place)
        file.write(bytes([byte]))
        try:
            yield
        finally:
            file.seek(place)
            file.write(before)


@longer
@pytest.mark.system
def test_a_flipped_byte_anywhere_is_found(saved):
    random, flips = np.random.default_rng(4), (0x01, 0x20, 0x80, 0xFF) if EVERYTHING else (0x01, 0xFF)
    for path in sorted(saved.iterdir()):
        raw = path.read_bytes()
        edges = [0, 1, 6, 8, 10, 20, 60, 126, 127, 128, len(raw) // 2, len(raw) - 2, len(raw) - 1]
        places = {place for place in edges if place < len(raw)} | set(
            random.integers(0, len(raw), often(8, 2)).tolist()
        )
        for place in places:
            for flip in flips:
                with changed_byte(path, place, raw[place] ^ flip):
                    problems = check_index(saved)
                assert len(problems) == 1, (path.name, place, flip)
                assert str(saved) in problems[0]
    assert check_index(saved) == []


@pytest.mark.system
def test_opening_finds_a_flipped_byte_in_each_small_file(saved):
    for path in sorted(saved.glob("*.npy")):
        raw = path.read_bytes()
        for place in {0, 60, len(raw) // 2, len(raw) - 1}:
            with changed_byte(path, place, raw[place] ^ 0x01):
                assert opening(saved) == f"{path} is damaged: its checksum does not match; build the index again"


@longer
@pytest.mark.system
def test_every_byte_of_the_manifest_counts(saved):
    path = saved / "manifest.json"
    for place, byte in [*enumerate(path.read_bytes())][:: 1 if EVERYTHING else 7]:
        for other in {byte ^ 1, ord(" "), ord("\n"), ord("0")} - {byte}:
            with changed_byte(path, place, other):
                assert len(check_index(saved)) == 1, (place, other)


def test_check_names_each_damaged_file(saved):
    damaged = [data_file(saved, "df"), data_file(saved, "texts")]
    for path in damaged:
        path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    assert check_index(saved) == [
        f"{path} is damaged: its checksum does not match; build the index again" for path in damaged
    ]


# No room


class FullDisk:
    """Opens files that take so many bytes in all, then none."""

    def __init__(self, room: int) -> None:
        self.room = room

    def __call__(self, path, mode="r"):
        file = open(path, mode)  # noqa: SIM115
        if "w" in mode:
            disk, write = self, file.write

            class Full:
                def write(self, chunk):
                    disk.room -= len(chunk)
                    if disk.room < 0:
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    return write(chunk)

                def __getattr__(self, name):
                    return getattr(file, name)

                def __enter__(self):
                    return self

                def __exit__(self, *problem):
                    file.close()

            return Full()
        return file


@pytest.mark.system
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_full_disk_leaves_the_old_index(saved, monkeypatch, share):
    before = contents(saved)
    NEW.save(saved.parent / "size")
    room = int(share * sum(index_files(saved.parent / "size").values()))
    monkeypatch.setattr(saving, "open", FullDisk(room), raising=False)
    with pytest.raises(StorageError) as error:
        NEW.save(saved)
    assert str(error.value) == (
        f"cannot save the index to {saved}: No space left on device; the index in it is unchanged"
    )
    assert contents(saved) == before
    monkeypatch.undo()
    assert content(Index.open(saved)) == content(OLD)


def test_a_full_disk_leaves_nothing_of_a_first_save(tmp_path, monkeypatch):
    monkeypatch.setattr(saving, "open", FullDisk(2000), raising=False)
    with raising(StorageError, f"cannot save the index to {tmp_path / 'index'}: No space left on device"):
        OLD.save(tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_an_interrupted_or_failing_save_leaves_the_old_index(saved, monkeypatch):
    before = contents(saved)
    for owner, name, error, told in (
        (os, "fsync", OSError(errno.EIO, os.strerror(errno.EIO)), "Input/output error; the index in it is unchanged"),
        (saving, "sync_folder", KeyboardInterrupt(), ""),
    ):

        def fail(_, error=error):
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            with pytest.raises((StorageError, KeyboardInterrupt), match=told or None):
                NEW.save(saved)
        assert contents(saved) == before


def test_a_newer_index_is_not_harmed_by_a_save_that_fails(saved, monkeypatch):
    manifest = saved / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"version": 4', b'"version": 6'))
    before = contents(saved)
    monkeypatch.setattr(saving, "open", FullDisk(2000), raising=False)
    with pytest.raises(StorageError, match="No space left"):
        NEW.save(saved)
    assert {name: raw for name, raw in contents(saved).items() if name in before} == before
