"""Processes that read an address over HTTP: the same index as alone; what changes or ends meanwhile is one sentence."""

from __future__ import annotations

import functools
import http.server
import json
import os
import threading

import pytest
from lengths import exhaustive
from made import contents
from shell import done, refusal
from workers_here import connect, scheduler_with_workers

from toysearch.formats import remote_files

HIDING = """
import os

def hidden(path, exists=os.path.exists):
    return exists(path) and not str(path).startswith(os.environ["HIDDEN"])

os.path.exists = hidden
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files; it counts the copies, and after some of them answers with half a file."""

    copies, whole = 0, 100

    def do_GET(self):
        Handler.copies += 1
        if Handler.copies <= Handler.whole:
            super().do_GET()
            return
        half = self.path.encode() * 10
        self.send_response(200)
        self.send_header("Content-Length", str(2 * len(half)))
        self.end_headers()
        self.wfile.write(half)
        self.close_connection = True

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A file of documents and its address."""
    monkeypatch.setattr(Handler, "copies", 0)
    monkeypatch.setattr(Handler, "whole", 100)
    file = tmp_path / "www" / "docs.jsonl"
    file.parent.mkdir()
    write(file, 300)
    handler = functools.partial(Handler, directory=str(file.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield file, f"http://127.0.0.1:{server.server_port}/docs.jsonl"
        server.shutdown()
        thread.join()


def write(file, n, word="w"):
    """Some documents of many lengths."""
    texts = (" ".join(f"{word}{(number * step) % 23}" for step in range(number % 17)) for number in range(n))
    lines = [json.dumps({"id": f"d{number}", "title": "t", "text": text}) for number, text in enumerate(texts)]
    file.write_text("".join(line + "\n" for line in lines))
    os.utime(file, (ord(word), ord(word)))  # seconds: all that HTTP tells of a version


def asked_anew(monkeypatch, cache):
    """The memory of a new command, with a cache of its own."""
    monkeypatch.setattr(remote_files, "_known", {})
    monkeypatch.setenv("TOYSEARCH_CACHE", str(cache / "toysearch"))


@exhaustive
def test_processes_read_an_address(served, processes, tmp_path, monkeypatch):
    file, address = served
    mine, theirs, made = tmp_path / "mine", tmp_path / "theirs", tmp_path / "made"
    made.mkdir()
    asked_anew(monkeypatch, mine)
    done("index", file, "-o", made / "alone", "--shards", 2)
    with monkeypatch.context() as here:
        connect(here, processes)
        done("index", address, "-o", made / "here", "--shards", 2, "--workers", 2)
    assert contents(made / "here") == contents(made / "alone")
    assert Handler.copies == 1  # these processes read the copy of the command

    (tmp_path / "hiding.py").write_text(HIDING)
    place = tmp_path / "scheduler.json"
    there = {"TOYSEARCH_CACHE": str(theirs / "toysearch"), "HIDDEN": str(mine)}
    with scheduler_with_workers(place, 2, "--preload", str(tmp_path / "hiding.py"), **there):
        elsewhere = ("--shards", 2, "--workers", place)
        done("index", address, "-o", made / "there", *elsewhere)
        assert contents(made / "there") == contents(made / "alone")
        assert len([*theirs.rglob("docs.jsonl")]) == 1

        write(file, 300, "v")  # another version with as many bytes, for the next command
        asked_anew(monkeypatch, mine)
        done("index", file, "-o", made / "new", "--shards", 2)
        done("index", address, "-o", made / "newer", *elsewhere)
        assert contents(made / "newer") == contents(made / "new")

        before = contents(made)
        asked_anew(monkeypatch, tmp_path / "mine" / "other")
        copied = remote_files.local_copy(address)
        write(file, 300, "u")  # and one while a command is busy
        said = refusal("index", address, "-o", made / "x", *elsewhere)
        assert said == f"toysearch: {address} has changed since the command copied it; run the command again"
        assert copied.exists()

        write(file, 300, "t")
        asked_anew(monkeypatch, mine)
        Handler.whole = Handler.copies + 1  # the command gets its copy, the workers do not
        said = refusal("index", address, "-o", made / "x", *elsewhere)
        assert said.startswith(f"toysearch: {address} could not be read: ")
        assert contents(made) == before
        assert sorted(os.listdir(made)) == ["alone", "here", "new", "newer", "there"]
        assert not [*theirs.rglob("new-*")]
