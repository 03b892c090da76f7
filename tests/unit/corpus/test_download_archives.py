"""Archives: what is taken out of them, and that nothing else is ever written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import stat
import tarfile
import zipfile

import pytest

from toysearch.base import platform
from toysearch.base.errors import DataError, StorageError
from toysearch.corpus import download
from toysearch.corpus.download import unpack
from toysearch.corpus.recipe import leaves_folder


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


def test_the_closest_name_is_taken(take):
    assert take(tar(("a", b"1"), ("old/a", b"2")), "a") == {"a": b"1"}


def test_a_folder_is_never_a_file(take):
    folder = special("a", tarfile.DIRTYPE)
    assert take(tar(folder, ("x/a", b"1")), "a") == {"a": b"1"}
    assert take(tar(("b", b"2"), special("b", tarfile.DIRTYPE)), "b") == {"b": b"2"}


def test_by_the_end_of_the_path_and_by_the_name_alone(take):
    entries = [("x/test.tsv", b"1"), ("x/qrels/test.tsv", b"2"), ("docs.all", b"3")]
    assert take(zipped(*entries), "qrels/test.tsv", "smart/docs.all") == {
        "qrels/test.tsv": b"2",
        "smart/docs.all": b"3",
    }


def test_a_name_that_two_wanted_files_have_decides_nothing(take):
    assert refusal(take, tar(("x/test.tsv", b"1")), "train/test.tsv", "test/test.tsv") == (
        "pets.tar: expected one file train/test.tsv in the archive, found none; nothing was unpacked"
    )


@pytest.mark.parametrize(("names", "found"), [(["x/a", "y/a"], "2 of them (x/a, y/a)"), (["b"], "none")])
def test_one_file_has_to_be_it(take, names, found):
    assert refusal(take, tar(*((name, b"") for name in names)), "a") == (
        f"pets.tar: expected one file a in the archive, found {found}; nothing was unpacked"
    )
    assert "found 2 of them (a, a)" in refusal(take, tar(("a", b"1"), ("a", b"2")), "a")


@pytest.mark.parametrize("name", ["../a", "x/../../a", "/a", "/etc/a", "C:\\a", "x\\..\\..\\a", "x/.."])
@pytest.mark.parametrize("pack", [tar, zipped])
def test_an_entry_that_leads_out_of_the_folder_is_not_written_there(take, tmp_path, pack, name):
    before = sorted(tmp_path.rglob("*"))
    assert take(pack(("b", b"1"), (name, b"2")), "b") == {"b": b"1"}
    assert sorted(tmp_path.rglob("*")) == sorted(
        [*before, tmp_path / "packed", tmp_path / "out", tmp_path / "out" / "b"]
    )


def test_paths_that_stay_inside():
    assert not any(map(leaves_folder, ["a", "a/b", "./a", "a..b", "..a", "a/"]))
    assert all(map(leaves_folder, ["", "a\0b", "..", "\\a", "z:"]))


def test_devices_are_in_no_folder(monkeypatch):
    monkeypatch.setattr(platform, "SYSTEM", "Windows")
    assert all(map(leaves_folder, ["aux", "docs/con.txt", "docs.txt:hidden"]))
    assert not any(map(leaves_folder, ["a", "a/*.txt", "./a", "auxiliary.txt"]))


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE],
)
def test_links_and_devices_in_a_tar_are_not_files(take, tmp_path, kind):
    assert take(tar(("a", b"1"), special("b", kind)), "a") == {"a": b"1"}
    assert "expected one file b in the archive, found none" in refusal(take, tar(("a", b"1"), special("b", kind)), "b")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_are_not_files(take, kind):
    data = zipped(("a", b"1"), (zip_link("b", kind), b"/etc"))
    assert take(data, "a") == {"a": b"1"}
    assert "expected one file b in the archive, found none" in refusal(take, data, "b")


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


def test_a_declared_size_is_enough_to_refuse(take):
    info = tarfile.TarInfo("a")
    info.size = 1 << 40
    data = info.tobuf() + bytes(1024)
    assert "it unpacks to more than 67,108,864 bytes" in refusal(take, data, "a")


def test_a_header_of_gigabytes_is_not_read(take):
    info = tarfile.TarInfo("a")
    info.type, info.size = tarfile.XHDTYPE, 1 << 32
    found = refusal(take, info.tobuf() + bytes(1024), "a")
    before, _, reason = found.rpartition(": ")
    assert before == "pets.tar cannot be unpacked because it is damaged or truncated"
    # Since Python 3.15 tarfile reads such a header in pieces, and finds the end of the file.
    assert reason in ("a header of 4,294,967,296 bytes", "empty header")


def test_long_names_are_read(take):
    name = "x" * 300 + "/a"
    assert take(tar((name, b"1")), "a") == {"a": b"1"}


@pytest.mark.parametrize("pack", [tar, zipped, lambda *entries: gzip.compress(tar(*entries))])
def test_a_damaged_archive(take, pack):
    data = pack(("b", b"".join(b"%d " % (n * n) for n in range(20_000))), ("a", b"1"))
    half = data[: len(data) // 2] if pack is not zipped else data[:100] + b"????" + data[104:]
    assert refusal(take, half, "b").startswith("pets.tar cannot be unpacked because it is damaged or truncated: ")


def test_a_password(take, monkeypatch):
    data = bytearray(zipped(("a", b"1")))
    for place in (6, data.index(b"PK\x01\x02") + 8):  # the flag of an encrypted entry, in both of its headers
        data[place] |= 1
    assert refusal(take, bytes(data), "a").startswith(
        "pets.tar cannot be unpacked because it is damaged or truncated: "
    )


def test_a_file_that_is_no_archive(take):
    assert take(b"PK is how it begins", "a") == {"a": b"PK is how it begins"}


def test_a_gzipped_file_that_is_no_archive(take):
    assert take(gzip.compress(b"text"), "a") == {"a": b"text"}


def test_several_files_from_what_is_no_archive(take):
    assert refusal(take, b"<html>", "a", "b") == (
        "pets.tar is neither a tar nor a zip archive; expected an archive that holds a, b"
    )


def test_a_damaged_gzipped_file(take):
    assert "damaged or truncated" in refusal(take, gzip.compress(b"text" * 999)[:20], "a")


def test_what_is_there_is_not_written_over(tmp_path):
    (tmp_path / "packed").write_bytes(b"new")
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(StorageError, match=r"a could not be written: File exists$"):
        unpack(tmp_path / "packed", {"a": tmp_path / "a"}, "pets.tar")
    assert (tmp_path / "a").read_bytes() == b"old"
