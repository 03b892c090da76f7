"""Archives: what is taken out of them, and that nothing else is ever written."""

import bz2
import gzip
import io
import lzma
import re
import shutil
import stat
import tarfile
import zipfile

import pytest

from toysearch.base import platform
from toysearch.base.errors import DataError, StorageError
from toysearch.collection import download
from toysearch.collection.download import unpack
from toysearch.collection.recipe import leaves_folder


def tar(*entries: tuple[str, bytes] | tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for entry in entries:
            info = entry if isinstance(entry, tarfile.TarInfo) else tarfile.TarInfo(entry[0])
            data = b"" if isinstance(entry, tarfile.TarInfo) else entry[1]
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return packed.getvalue()


def special(name: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info


def zip_link(name: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return info


@pytest.fixture
def take(tmp_path):
    """A function that unpacks bytes and gives back what was written."""

    def function(data: bytes, *wanted: str) -> dict[str, bytes]:
        (tmp_path / "packed").write_bytes(data)
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        (tmp_path / "out").mkdir()
        targets = {path: tmp_path / "out" / path.replace("/", "_") for path in wanted}
        unpack(tmp_path / "packed", targets, "pets.tar")
        assert set((tmp_path / "out").iterdir()) == set(targets.values())
        return {path: target.read_bytes() for path, target in targets.items()}

    return function


def refusal(take, data: bytes, *wanted: str) -> str:
    with pytest.raises(DataError) as error:
        take(data, *wanted)
    return str(error.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, None])
def test_the_wanted_files_and_nothing_else(take, pack):
    entries = [("pets", b"no"), ("pets/a", b"1"), ("pets/q/b", b"2"), ("x", b"3")]
    assert take(pack(tar(*entries)) if pack else zipped(*entries), "a", "q/b") == {"a": b"1", "q/b": b"2"}


TAKEN = {
    "the closest name": (tar(("a", b"1"), ("old/a", b"2")), {"a": b"1"}),
    "never a folder": (tar(special("a", tarfile.DIRTYPE), ("x/a", b"1")), {"a": b"1"}),
    "nor a later one": (tar(("b", b"2"), special("b", tarfile.DIRTYPE)), {"b": b"2"}),
    "the end of a path": (zipped(("x/test.tsv", b"1"), ("x/qrels/test.tsv", b"2")), {"qrels/test.tsv": b"2"}),
    "the name alone": (zipped(("docs.all", b"3"), ("x", b"1")), {"smart/docs.all": b"3"}),
    "a long name": (tar(("x" * 300 + "/a", b"1")), {"a": b"1"}),
    "no archive": (b"PK is how it begins", {"a": b"PK is how it begins"}),
    "a gzipped file": (gzip.compress(b"text"), {"a": b"text"}),
}
DAMAGED = "pets.tar cannot be unpacked because it is damaged or truncated: "


def none_or_several(name: str, found: str) -> str:
    return f"pets.tar: expected one file {name} in the archive, found {found}; nothing was unpacked"


def declared(kind: bytes, size: int) -> bytes:
    """An entry that is only announced."""
    info = tarfile.TarInfo("a")
    info.type, info.size = kind, size
    return info.tobuf() + bytes(1024)


def locked() -> bytes:
    """An archive with the flag of an encrypted entry, in both of its headers."""
    data = bytearray(zipped(("a", b"1")))
    for place in (6, data.index(b"PK\x01\x02") + 8):
        data[place] |= 1
    return bytes(data)


NUMBERS = [("b", b"".join(b"%d " % (n * n) for n in range(20_000))), ("a", b"1")]
REFUSED = {  # Since Python 3.15 tarfile reads a header of gigabytes in pieces, and finds the end of the file.
    "a name of two wanted files": (tar(("x/t", b"1")), ["train/t", "test/t"], none_or_several("train/t", "none")),
    "a name twice": (tar(("x/a", b""), ("y/a", b"")), ["a"], none_or_several("a", r"2 of them \(x/a, y/a\)")),
    "an entry twice": (tar(("a", b"1"), ("a", b"2")), ["a"], none_or_several("a", r"2 of them \(a, a\)")),
    "no such name": (tar(("b", b"1")), ["a"], none_or_several("a", "none")),
    "a size of terabytes": (declared(tarfile.REGTYPE, 1 << 40), ["a"], ".*it unpacks to more than 67,108,864 bytes.*"),
    "a header of gigabytes": (
        declared(tarfile.XHDTYPE, 1 << 32),
        ["a"],
        f"{DAMAGED}(a header of 4,294,967,296 bytes|empty header)",
    ),
    "half a tar": (tar(*NUMBERS)[:60_000], ["b"], DAMAGED + ".*"),
    "half a gzipped tar": (gzip.compress(tar(*NUMBERS))[:20_000], ["b"], DAMAGED + ".*"),
    "a damaged zip": (zipped(*NUMBERS)[:100] + b"????" + zipped(*NUMBERS)[104:], ["b"], DAMAGED + ".*"),
    "a password": (locked(), ["a"], DAMAGED + ".*"),
    "half a gzipped file": (gzip.compress(b"text" * 999)[:20], ["a"], DAMAGED + ".*"),
    "several files of no archive": (
        b"<html>",
        ["a", "b"],
        "pets.tar is neither a tar nor a zip archive; expected an archive that holds a, b",
    ),
}


@pytest.mark.parametrize("case", TAKEN)
def test_what_is_taken(take, case):
    data, found = TAKEN[case]
    assert take(data, *found) == found


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(take, case):
    data, wanted, sentence = REFUSED[case]
    assert re.fullmatch(sentence, refusal(take, data, *wanted))


@pytest.mark.parametrize("name", ["../a", "x/../../a", "/a", "/etc/a", "C:\\a", "x\\..\\..\\a", "x/.."])
@pytest.mark.parametrize("pack", [tar, zipped])
def test_an_entry_that_leads_out_of_the_folder_is_not_written_there(take, tmp_path, pack, name):
    before = sorted(tmp_path.rglob("*"))
    assert take(pack(("b", b"1"), (name, b"2")), "b") == {"b": b"1"}
    assert sorted(tmp_path.rglob("*")) == sorted(
        [*before, tmp_path / "packed", tmp_path / "out", tmp_path / "out" / "b"]
    )


def test_paths_that_stay_inside(monkeypatch):
    assert not any(map(leaves_folder, ["a", "a/b", "./a", "a..b", "..a", "a/"]))
    assert all(map(leaves_folder, ["", "a\0b", "..", "\\a", "z:"]))
    monkeypatch.setattr(platform, "SYSTEM", "Windows")
    assert all(map(leaves_folder, ["aux", "docs/con.txt", "docs.txt:hidden"]))
    assert not any(map(leaves_folder, ["a", "a/*.txt", "./a", "auxiliary.txt"]))


KINDS = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE]
SPECIAL = [tar(("a", b"1"), special("b", kind)) for kind in KINDS]
SPECIAL += [zipped(("a", b"1"), (zip_link("b", kind), b"/etc")) for kind in (stat.S_IFLNK, stat.S_IFIFO)]


@pytest.mark.parametrize("data", SPECIAL, ids=[*map(str, range(8))])
def test_links_and_devices_are_not_files(take, tmp_path, data):
    assert take(data, "a") == {"a": b"1"}
    assert refusal(take, data, "b") == none_or_several("b", "none")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.system
def test_an_archive_that_grows_beyond_all_measure(take, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "ALWAYS_UNPACKED", 1 << 20)
    zeros = ("a", bytes(8 << 20))
    for data in (zipped(zeros), bz2.compress(tar(zeros))):
        allowed = max(1 << 20, 200 * len(data))
        assert refusal(take, data, "a") == (
            f"pets.tar is refused: it unpacks to more than {allowed:,} bytes, which its size does not account for"
        )
        assert list((tmp_path / "out").iterdir()) == []


def test_a_single_file_that_grows_beyond_all_measure(take, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "ALWAYS_UNPACKED", 1 << 10)
    packed = gzip.compress(bytes(1 << 22))
    assert f"it unpacks to more than {200 * len(packed):,} bytes" in refusal(take, packed, "a")
    assert (tmp_path / "out" / "a").stat().st_size <= 200 * len(packed)


def test_what_is_there_is_not_written_over(tmp_path):
    (tmp_path / "packed").write_bytes(b"new")
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(StorageError, match=r"a could not be written: File exists$"):
        unpack(tmp_path / "packed", {"a": tmp_path / "a"}, "pets.tar")
    assert (tmp_path / "a").read_bytes() == b"old"
