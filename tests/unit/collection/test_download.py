"""Fetching a collection from a server on this machine that does what servers do: cut, hang, forget, and worse."""

import gzip
import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import tarfile
import threading
import time
import warnings
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from interruptible_command import PROGRAM
from simulated_tab import a_tab
from small_collections import write_files
from tiers import thinned
from waiting import until

import toysearch
from toysearch import ToysearchNote
from toysearch.base.errors import ArgumentError, DataError, StorageError
from toysearch.base.platform import cache_folder
from toysearch.collection import catalog, download
from toysearch.collection.download import fetch

pytestmark = pytest.mark.waits  # for a server
DOCUMENTS = "".join(f'{{"_id": "d{n}", "title": "", "text": "word{n} {n * n}"}}\n' for n in range(30_000)).encode()
FILES = {
    "corpus.jsonl": DOCUMENTS,
    "queries.jsonl": b'{"_id": "q1", "text": "word7"}\r\n',
    "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td7\t1\n",
}

OTHER = "another source (fetch(…, address=…))"


def checksum(data: bytes) -> str:
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def tar(entries: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return packed.getvalue()


class Server(ThreadingHTTPServer):
    """What it serves, how it behaves, and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.cuts: list[int] = []  # of the next answers, after how many bytes the connection is closed
        self.status = 200
        self.statuses: list[int] = []  # of the next answers
        self.silent: threading.Event | None = None  # until when nothing is answered
        self.held: threading.Event | None = None  # what an answer that is cut waits for before the connection ends
        self.encoding = ""
        self.redirects: dict[str, str] = {}
        self.length = ""  # what is announced instead of the length
        self.answered: list[int] = []
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        """Nothing: a client that goes away is part of the tests."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server = self.server
        server.asked.append(self.path)
        if server.silent:
            server.silent.wait(120)
            return
        status = server.statuses.pop(0) if server.statuses else server.status
        if self.path in server.redirects:
            self.send_response(302)
            self.send_header("Location", server.redirects[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data = server.files.get(self.path)
        if data is None or status != 200:
            self.send_error(404 if data is None else status)
            return
        self.send_response(200)
        if server.encoding:
            self.send_header("Content-Encoding", server.encoding)
        self.send_header("Content-Length", server.length or str(len(data)))
        self.end_headers()
        cut = server.cuts.pop(0) if server.cuts else len(data)
        self.wfile.write(data[:cut])
        if server.held and cut < len(data):
            server.held.wait(120)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Keep the status of an answer."""
        self.server.answered.append(int(code))

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "_PAUSE", 0.01)
    with Server() as served:
        threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield served
        served.shutdown()


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Where the recipes are; the cache is empty."""
    folder = tmp_path / "recipes"
    folder.mkdir()
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(folder))
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache" / "toysearch"))
    return folder


def describe(home: Path, files: dict[str, bytes], *sources: str, checksums: bool = True) -> None:
    """Write the recipe of a collection that is called pets."""
    roles = {"corpus.jsonl": "documents", "queries.jsonl": "queries"}
    lines = ['format = "beir"', 'origin = "A shelter."', f"sources = {list(sources)}"]
    for path, data in files.items():
        lines += ["[[files]]", f'role = "{roles.get(path.rsplit("/")[-1], "qrels")}"', f"path = '{path}'"]
        lines += [f'sha256 = "{checksum(data)}"'] if checksums else []
    (home / "pets").mkdir(exist_ok=True)
    (home / "pets" / "collection.toml").write_text("\n".join(lines))


@pytest.fixture
def archive(server, home):
    """The collection pets, all of it in one archive on the server."""
    address = f"{server.address}/pets.tar.gz"
    server.files["/pets.tar.gz"] = tar({f"pets/{path}": data for path, data in FILES.items()})
    describe(home, FILES, address)
    return address


def folder() -> Path:
    return cache_folder() / "pets"


def there() -> dict[str, bytes]:
    """What is in the folder of the collection in the cache, without what a name with a dot hides."""
    paths = (path for path in folder().rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder()).as_posix(): path.read_bytes() for path in paths}


def hidden() -> list[str]:
    return sorted(path.name for path in folder().glob(".*"))


def has_begun() -> bool:
    """True if some of a file is there; another process may take away what has just been found."""
    try:
        return any(path.stat().st_size for path in folder().glob(".*/*"))
    except FileNotFoundError:
        return False


def message(*arguments, **options) -> str:
    with pytest.raises((DataError, StorageError)) as error:
        fetch(*arguments, **options)
    return str(error.value)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.system
def test_an_archive_is_fetched_once_unpacked_and_found_by_the_catalog(server, archive):
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fetch("pets", progress=lambda *step: seen.append(step)) == (folder(), list(FILES))
    assert (there(), hidden(), len(server.asked)) == (FILES, [], 1)
    size = len(server.files["/pets.tar.gz"])
    assert seen[-1] == (archive, size, size)
    assert len(toysearch.load("pets").documents) == 30_000
    assert fetch("pets") == (folder(), [])
    assert len(server.asked) == 1


@pytest.mark.system
def test_a_file_each_plain_or_gzipped(server, home, tmp_path):
    describe(home, FILES, f"{server.address}/x/")
    server.files = {f"/x/{path}": data for path, data in FILES.items()}
    server.files["/x/corpus.jsonl"] = gzip.compress(DOCUMENTS)
    assert fetch("pets", tmp_path / "mine") == (tmp_path / "mine" / "pets", list(FILES))
    assert not folder().exists()
    fetch("pets")
    assert (there(), hidden()) == (FILES, [])


def test_what_came_stays_if_a_later_file_does_not(server, home):
    describe(home, FILES, f"{server.address}/")
    server.files = {f"/{path}": data for path, data in FILES.items() if path != "qrels/test.tsv"}
    answer = f"the server answers 404 Not Found; try again, or use {OTHER}"
    assert message("pets") == f"{server.address}/qrels/test.tsv: {answer}"
    assert sorted(there()) == ["corpus.jsonl", "queries.jsonl"]
    server.files["/qrels/test.tsv"] = FILES["qrels/test.tsv"]
    assert fetch("pets").paths == ["qrels/test.tsv"]
    assert len(server.asked) == 4  # 404 is asked once


@pytest.mark.system
def test_a_server_in_trouble_is_asked_again(server, archive):
    server.statuses = [503, 429]
    assert fetch("pets").paths == list(FILES)
    server.status = 503
    assert message("pets", force=True, attempts=2) == (
        f"{archive}: the server answers 503 Service Unavailable (tried 2 times); try again, or use {OTHER}"
    )
    assert there() == FILES


@pytest.mark.system
def test_after_a_cut_connection_all_is_asked_for_again(server, archive):
    size = len(server.files["/pets.tar.gz"])
    cut = rf": the connection was interrupted after [\d,]+ bytes of {size:,} \(tried once\); try again, or use "
    server.cuts = [100_000]
    assert re.fullmatch(re.escape(archive) + cut + re.escape(OTHER), message("pets", attempts=1))
    assert not folder().exists()
    server.cuts = [30_000, 20_000]
    fetch("pets")
    assert (there(), hidden(), len(server.asked)) == (FILES, [], 4)


@pytest.mark.system
def test_a_redirection_is_followed(server, archive):
    server.redirects["/pets"] = server.address + "/pets.tar.gz"
    fetch("pets", address=f"{server.address}/pets")
    assert (there(), server.answered) == (FILES, [302, 200])


@pytest.mark.system
def test_an_interruption_leaves_nothing(server, archive, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(download, "unpack", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fetch("pets")
    assert not folder().exists()
    with pytest.raises(KeyboardInterrupt):
        fetch("pets", progress=interrupted)
    assert not folder().exists()
    fetch("pets")
    assert (there(), hidden()) == (FILES, [])


@pytest.mark.system
@pytest.mark.parametrize("length", ["", "10001", "1" + 15 * "0", 5000 * "9"])
def test_a_download_without_an_end_is_stopped_or_not_begun_if_its_length_is_announced(
    server, archive, monkeypatch, length
):
    monkeypatch.setattr(download, "_MOST_BYTES", 10_000)
    server.length = length
    assert message("pets") == f"{archive} is larger than 10,000 bytes, the limit for a collection"
    assert len(server.asked) == 1
    assert not folder().exists()  # what has come is of no use


@pytest.mark.system
def test_a_server_that_packs_on_the_way(server, home):
    describe(home, FILES, f"{server.address}/")
    server.files = {f"/{path}": gzip.compress(data) for path, data in FILES.items()}
    server.encoding = "gzip"
    server.cuts = [20_000]
    fetch("pets")
    assert (there(), hidden()) == (FILES, [])


@pytest.mark.system
def test_a_silent_server_is_given_up(server, archive):
    server.silent = threading.Event()
    assert message("pets", timeout=0.2, attempts=2) == (
        f"{archive}: no answer within 0.2 seconds (tried 2 times); try again, or use {OTHER}"
    )
    server.silent.set()
    assert not folder().exists()


@pytest.mark.system
def test_a_server_that_speaks_no_tls_and_none_at_all(server, archive):
    address = server.address.replace("http:", "https:")
    assert message("pets", address=f"{address}/pets.tar.gz").startswith(
        f"{address}/pets.tar.gz: there is no secure connection to the server: "
    )
    server.shutdown()
    server.server_close()
    assert message("pets", attempts=2) == (
        f"{archive}: the server cannot be reached or closes the connection (tried 2 times); try again, or use {OTHER}"
    )


def test_in_a_tab_of_a_browser_an_address_is_tried_once(archive):
    instead = "upload the file, and name it here (fetch(…, address=…))"
    with a_tab():
        assert message("pets") == (
            f"{archive}: the server cannot be reached or closes the connection (tried once); "
            f"a tab of a browser fetches only from servers that allow it: {instead}"
        )


GONE = "/gone.tar.gz"
WRONG = "/wrong.tar.gz"
HALF = "/half/"


@pytest.mark.system
@pytest.mark.parametrize("first", [GONE, WRONG, HALF])
def test_the_next_source_is_tried_for_what_the_first_did_not_give(server, archive, home, first):
    server.files[WRONG] = tar({**FILES, "queries.jsonl": b"another edition"})
    server.files[f"{HALF}corpus.jsonl"] = DOCUMENTS
    describe(home, FILES, f"{server.address}{first}", archive)
    with pytest.warns(ToysearchNote, match="; trying the next source$"):
        assert fetch("pets").paths == list(FILES)
    assert (there(), hidden()) == (FILES, [])


def test_no_source_gives_the_files(server, home):
    describe(home, FILES, f"{server.address}/a.zip", f"{server.address}/b/")
    with pytest.warns(ToysearchNote, match="trying the next source"):
        told = message("pets")
    assert told == (
        "none of 2 sources gave corpus.jsonl, queries.jsonl, qrels/test.tsv: "
        f"{server.address}/a.zip: the server answers 404 Not Found; "
        f"{server.address}/b/corpus.jsonl: the server answers 404 Not Found; try again, or use {OTHER}"
    )
    assert not folder().exists()


@pytest.mark.system
def test_a_wrong_checksum_keeps_nothing_and_the_old_until_the_new_are_right(server, archive):
    server.files["/pets.tar.gz"] = tar({**FILES, "queries.jsonl": b"{}"})
    told = (
        f"{archive}: expected queries.jsonl with the checksum {checksum(FILES['queries.jsonl'])}, found "
        f"{checksum(b'{}')}; it is another edition or was damaged on the way, and was not kept; try again, or use "
        f"{OTHER}"
    )
    assert message("pets") == told
    assert not folder().exists()
    wrong, server.files["/pets.tar.gz"] = server.files["/pets.tar.gz"], tar(FILES)
    fetch("pets")
    server.files["/pets.tar.gz"] = wrong
    assert message("pets", force=True) == told
    assert (there(), hidden()) == (FILES, [])
    server.files["/pets.tar.gz"] = tar(FILES)
    assert fetch("pets", force=True).paths == list(FILES)
    (folder() / "queries.jsonl").write_text("{}")
    with pytest.warns(ToysearchNote, match="does not have the expected checksum and is fetched again"):
        assert fetch("pets").paths == ["queries.jsonl"]
    assert there() == FILES


@pytest.mark.system
def test_files_without_a_checksum_are_noted(server, archive, home):
    describe(home, FILES, archive, checksums=False)
    with noted() as notes:
        fetch("pets")
    assert notes == [
        "no checksum is known for corpus.jsonl, queries.jsonl, qrels/test.tsv: check the downloaded content"
    ]


@pytest.mark.system
def test_what_the_catalog_finds_elsewhere_is_not_fetched_unless_forced(server, archive, home):
    write_files(home / "pets", **FILES)
    assert fetch("pets") == (home / "pets", [])
    assert server.asked == []
    assert fetch("pets", force=True).folder == folder()


@pytest.mark.parametrize("kind", ["archive", "folder", "address of an archive", "address of a folder"])
def test_another_source(server, home, tmp_path, kind):
    describe(home, FILES)
    (tmp_path / "pets.zip").write_bytes(zipped({path.rsplit("/")[-1]: data for path, data in FILES.items()}))
    write_files(tmp_path / "copy", **FILES)
    server.files = {f"/copy/{path}": data for path, data in FILES.items()}
    server.files["/pets.zip"] = (tmp_path / "pets.zip").read_bytes()
    source = {
        "archive": tmp_path / "pets.zip",
        "folder": str(tmp_path / "copy"),
        "address of an archive": f"{server.address}/pets.zip",
        "address of a folder": f"{server.address}/copy/",
    }[kind]
    assert fetch("pets", address=source).paths == list(FILES)
    assert (there(), hidden()) == (FILES, [])
    assert (tmp_path / "pets.zip").exists()


def of_one_path(home: Path, path: str) -> None:
    """The recipe of a collection with one file."""
    toml = f'format = "beir"\n[[files]]\nrole = "documents"\npath = "{path}"\n'
    write_files(home / "pets", **{"collection.toml": toml})


def test_a_path_below_an_address_is_quoted_and_a_pattern_cannot_be_fetched(server, home, tmp_path):
    of_one_path(home, "my corpus#1.jsonl")
    server.files = {"/x/my%20corpus%231.jsonl": DOCUMENTS}
    fetch("pets", address=f"{server.address}/x/")
    assert there() == {"my corpus#1.jsonl": DOCUMENTS}
    of_one_path(home, "docs/*.jsonl")
    assert message("pets", address=tmp_path) == (
        "collection 'pets': a file to fetch has a plain path below its folder, not 'docs/*.jsonl'"
    )


def test_sources_that_are_none(home, tmp_path):
    describe(home, FILES)
    assert message("pets") == (
        "no source is known for corpus.jsonl, queries.jsonl, qrels/test.tsv of collection 'pets'. Their origin: A "
        "shelter. Give an archive or a folder that holds them (fetch(…, address=…)), or "
        "put them into a folder pets below a folder listed in TOYSEARCH_CORPORA"
    )
    no_address = "'ftp://a/b.zip': expected an address of HTTP or HTTPS, or the path of a folder or an archive"
    with raising(ArgumentError, no_address):
        fetch("pets", address="ftp://a/b.zip")
    no_file = "there is no such file; expected an archive, or a folder that holds the files"
    for path in (tmp_path / "nix.zip", tmp_path):
        assert no_file in message("pets", address=path)
    assert "is not an address that can be fetched" in message("pets", address="http://[nix/pets.zip")


@pytest.mark.system
def test_no_archive_and_no_folder(server, archive, tmp_path):
    (tmp_path / "file").write_text("")
    assert "could not be written" in message("pets", tmp_path / "file")
    server.files["/pets.tar.gz"] = b"<html>Sorry, we have moved</html>"
    expected = "expected an archive that holds corpus.jsonl, queries.jsonl, qrels/test.tsv"
    assert message("pets") == f"{archive} is neither a tar nor a zip archive; {expected}"
    assert not folder().exists()


@pytest.mark.system
def test_what_a_killed_process_left_is_removed_after_a_day(server, archive):
    folder().mkdir(parents=True)
    for name, age in ((".a.fetching", 2 * 24 * 3600), (".b.fetching", 3600)):
        (folder() / name).mkdir()
        (folder() / name / "packed").write_text("left")
        os.utime(folder() / name, times=(time.time() - age,) * 2)
    fetch("pets")
    assert hidden() == [".b.fetching"]


@pytest.mark.system
def test_two_processes_at_once(server, archive):
    code = "from toysearch.collection.download import fetch; print(*fetch('pets').paths)"
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)]
    try:
        assert [one.wait(timeout=60) for one in both] == [0, 0]
    finally:
        for one in both:
            one.stdout.close()
            one.kill()
    assert (there(), hidden()) == (FILES, [])


@pytest.mark.system
@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts a process otherwise")
def test_control_c_in_the_command(server, archive):
    server.cuts, server.held = [100_000], threading.Event()  # more than what is received at once
    command = [*PROGRAM, "corpora", "get", "pets"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            # The sign that it has begun, however long that takes: some of the file is there, and the rest is held.
            until(lambda: process.poll() is not None or has_begun())
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=100) == 130
        finally:
            process.kill()
            server.held.set()
        assert (process.stdout.read(), process.stderr.read()) == ("", "toysearch: interrupted\n")
    assert there() == {}
    assert fetch("pets").paths == list(FILES)
    assert (there(), hidden()) == (FILES, [])


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(["cranfield", "cisi", "scifact"], 3))
def test_the_public_collections_from_an_archive(corpora, server, name, monkeypatch, tmp_path):
    """As a teacher serves them in a lab."""
    paths = [file.path for file in catalog.recipe(name).files]
    packed = tar({f"{name}/{path}": (corpora / name / path).read_bytes() for path in paths})
    server.files[f"/{name}.tar.gz"] = packed
    monkeypatch.setenv("TOYSEARCH_CORPORA", "")
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "toysearch"))
    assert fetch(name, address=f"{server.address}/{name}.tar.gz").paths == paths
    assert catalog.locate(catalog.recipe(name)) == tmp_path / "toysearch" / name
