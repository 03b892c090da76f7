"""Addresses: what is at them is read like a file, from a copy in the cache that follows the original."""

from __future__ import annotations

import functools
import http.server
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from raising import raising
from shell import done, refusal

import toysearch
from toysearch import evaluate, load, read_qrels, read_run
from toysearch.base.errors import ArgumentError, DataError, ToysearchError
from toysearch.formats import remote_files
from toysearch.formats.remote_files import local_copy

DOCUMENTS = '{"_id": "d1", "text": "a cat"}\n{"_id": "d2", "text": "the dog"}\n'
QUERIES = '{"_id": "1", "text": "cat"}\n'
RUN = "1 Q0 d2 1 2.0 mine\n1 Q0 d1 2 1.0 mine\n"
QRELS = "1 0 d1 1\n"
FILES = {"pets/corpus.jsonl": DOCUMENTS, "pets/queries.jsonl": QUERIES, "mine.run": RUN, "judged.qrels": QRELS}
FILES["pets/qrels/test.tsv"] = "query-id\tcorpus-id\tscore\n1\td1\t1\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache" / "toysearch"))
    monkeypatch.setattr(remote_files, "_known", {})


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system in memory, with some files below /here."""
    system = fsspec.filesystem("memory")
    system.pipe({f"/here/{name}": text.encode() for name, text in FILES.items()})
    yield system
    system.rm("/here", recursive=True)


class _Handler(http.server.SimpleHTTPRequestHandler):
    def send_head(self) -> Any:
        if "secret" in self.path:
            self.send_error(403)
            return None
        return super().send_head()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of a server on this machine with the files."""
    for name, text in FILES.items():
        (tmp_path / "www" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "www" / name).write_text(text)
    handler = functools.partial(_Handler, directory=tmp_path / "www")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(10)


def here(scheme: str, served: str, tmp_path: Path) -> str:
    return {"memory": "memory://here", "http": served, "file": f"file://{tmp_path}/www"}[scheme]


@pytest.mark.parametrize("scheme", ["memory", "http", "file"])
def test_runs_judgments_and_documents_are_read(memory, served: str, tmp_path: Path, scheme: str) -> None:
    place = here(scheme, served, tmp_path)
    run, qrels = f"{place}/mine.run", f"{place}/judged.qrels"
    assert evaluate(run, qrels, "RR").per_query == {"1": {"RR": 0.5}}
    assert evaluate(qrels, run, "RR").per_query == {"1": {"RR": 0.5}}  # in either order
    assert (read_run(run)["1"], read_run(run).name, read_qrels(qrels)["1"]) == ({"d2": 2, "d1": 1}, "mine", {"d1": 1})
    collection = load(f"{place}/pets/corpus.jsonl")
    assert (collection.name, [document.doc_id for document in collection.documents]) == ("corpus.jsonl", ["d1", "d2"])
    asked = done("eval", f"{place}/pets/corpus.jsonl", "--queries", f"{place}/pets/queries.jsonl", "--qrels", qrels)
    assert "1.0000" in asked.stdout
    assert done("eval", run, qrels, "-m", "RR", "--tsv").stdout == "system\tRR\nmine\t0.5\n"


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_a_folder_is_a_collection_or_an_index(memory, served: str, tmp_path: Path, scheme: str) -> None:
    place = here(scheme, served, tmp_path)
    assert [len(part) for part in (load(f"{place}/pets").queries, load(f"{place}/pets").qrels)] == [1, 1]
    assert "1.0000" in done("eval", f"{place}/pets", "--model", "bm25", "-m", "RR").stdout
    assert evaluate({"1": ["d2", "d1"]}, f"{place}/pets", "RR")["RR"] == 0.5
    done("index", f"{place}/pets", "-o", tmp_path / "www" / "pets.idx")
    memory.put(str(tmp_path / "www" / "pets.idx"), "/here/pets.idx", recursive=True)
    assert "d2" in done("search", f"{place}/pets.idx", "dog", "--tsv").stdout


def test_a_copy_is_made_again_only_if_the_original_has_changed(memory, monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[str] = []
    real = type(memory).get_file
    monkeypatch.setattr(
        type(memory), "get_file", lambda *given, **more: (copies.append(given[1]), real(*given, **more))
    )
    first = local_copy("memory://here/mine.run")
    for _ in range(2):
        monkeypatch.setattr(remote_files, "_known", {})  # as in another process
        assert local_copy("memory://here/mine.run") == first
    assert copies == ["/here/mine.run"]
    memory.pipe("/here/mine.run", RUN.replace("mine", "nine").encode())
    monkeypatch.setattr(remote_files, "_known", {})
    second = local_copy("memory://here/mine.run")
    assert (second.read_text(), first.exists(), len(copies)) == (RUN.replace("mine", "nine"), False, 2)
    assert {path.name for path in second.parent.parent.iterdir()} == {second.parent.name}


def test_a_checksum_of_a_recipe_is_compared(memory) -> None:
    recipe = 'format = "beir"\n[[files]]\nrole = "documents"\npath = "corpus.jsonl"\nsha256 = "00"\n'
    memory.pipe("/here/pets/collection.toml", recipe.encode())
    with pytest.warns(
        toysearch.base.errors.ToysearchNote, match="memory://here/pets/corpus.jsonl is not the file in the"
    ):
        len(load("memory://here/pets").documents)


def test_an_error_in_a_file_names_its_address(memory) -> None:
    memory.pipe("/here/broken.jsonl", b'{"_id": "d1", "text": "a"}\n{"_id": \n')
    memory.pipe("/here/broken.run", b"1 Q0 d1 1 2.0 mine\n1 Q0\n")
    assert refusal("search", "memory://here/broken.jsonl", "a").startswith("toysearch: memory://here/broken.jsonl:2: ")
    assert refusal("eval", "memory://here/broken.run", "memory://here/judged.qrels").startswith(
        "toysearch: memory://here/broken.run:2: "
    )
    with pytest.raises(DataError, match=r"^memory://here/broken.run:2: "):
        read_run("memory://here/broken.run")


def test_the_text_of_a_query_is_no_address(memory) -> None:
    assert done("search", "memory://here/pets", "http://nowhere.invalid/cat", "--tsv").stdout.count("d1") == 1


def test_what_cannot_be_read(memory, served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "memory://here/none.run": "memory://here/none.run: there is no such file",
        f"{served}/none.run": f"{served}/none.run: there is no such file",
        f"{served}/secret.run": f"{served}/secret.run: you have no permission to read it; check your credentials",
        "memry://here/a.run": "unknown protocol 'memry'; did you mean 'memory'?",
    }
    for address, sentence in told.items():
        for read in (read_run, load, local_copy):
            with raising(ToysearchError, sentence):
                read(address)
        assert refusal("eval", address, "memory://here/judged.qrels") == f"toysearch: {sentence}"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as closed:
        nobody = f"http://127.0.0.1:{closed.server_port}/mine.run"
    with pytest.raises(DataError) as error:
        read_run(nobody)
    assert str(error.value).startswith(f"{nobody} could not be read: ClientConnectorError: ")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(DataError) as error:
        read_run("s3://bucket/a.run")
    assert str(error.value) == (
        "s3://bucket/a.run needs a package that is not installed; fsspec says: Install s3fs to access S3"
    )
    memory.makedirs("/here/empty")
    with pytest.raises(DataError, match=r"^memory://here/empty is a folder without files$"):
        load("memory://here/empty")
    assert not list((tmp_path / "cache").rglob("new-*"))


def test_a_file_that_comes_in_part_is_refused(memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(memory), "get_file", lambda self, name, to, **_: Path(to).write_bytes(b"1 Q0"))
    with pytest.raises(DataError, match=r"^memory://here/mine.run: 4 of 38 bytes of the file came; try again$"):
        read_run("memory://here/mine.run")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_path_that_leads_out_is_refused(memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"/here/pets/../../x": {"name": "/here/pets/../../x", "type": "file", "size": 1}}
    monkeypatch.setattr(type(memory), "find", lambda *_, **__: found)
    with pytest.raises(DataError) as error:
        load("memory://here/pets")
    monkeypatch.undo()
    assert str(error.value) == "memory://here/pets has a file with the path '../../x', which leads out of its folder"


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ArgumentError) as error:
        read_run("s3://bucket/a.run")
    assert str(error.value) == (
        "s3://bucket/a.run needs the package fsspec, a part of an extra: pip install 'toysearch[remote]'"
    )


def test_the_folder_of_an_index_at_an_address_is_opened(memory: Any, tmp_path: Path) -> None:
    index = toysearch.Index.build({"d1": "a cat", "d2": "a dog"})
    index.save(tmp_path / "one")
    memory.put(str(tmp_path / "one"), "/here/pets.idx", recursive=True)
    address = "memory://here/pets.idx"
    assert toysearch.Index.open(address).checksum == index.checksum
    assert [hit.doc_id for hit in toysearch.Searcher(address).search("dog")] == ["d2"]
    found = toysearch.tune(
        address, grid={"b": [0.3]}, queries={"1": "cat", "2": "dog"}, qrels={"1": {"d1": 1}, "2": {"d2": 1}}
    )
    assert found.held_out.value == 1
    with pytest.raises(DataError, match=r"^memory://here/none: there is no such file$"):
        toysearch.Index.open("memory://here/none")


def test_no_index_is_saved_to_an_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    said = "s3:/bucket/x is an address, where no index can be saved: save it to a folder, and copy that"
    for make in (toysearch.Index.build(["a cat"]).save, lambda folder: toysearch.Index.build(["a cat"], folder=folder)):
        with raising(ToysearchError, said):
            make("s3://bucket/x")
    assert not [*tmp_path.iterdir()] or [each.name for each in tmp_path.iterdir()] == ["cache"]
