"""The page without a server: its application asked in this process, as a browser or a program asks it."""

import asyncio
import contextlib
import json
import queue
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from interruptible_command import PROGRAM
from shell import done, words_of

import toysearch

pytest.importorskip("starlette")

import click
from starlette.testclient import TestClient

from toysearch.cli.options import SourceOptions
from toysearch.page.application import application
from toysearch.page.serve import serve_command, served_source
from toysearch.page.served_source import ServedSource
from toysearch.study.study import Study

uvicorn = pytest.importorskip("uvicorn")

USUAL = {"bm25": toysearch.MODELS["bm25"]} | toysearch.MODELS
HOST = "127.0.0.1:8765"


@contextlib.contextmanager
def server(*arguments: str, folder: Path) -> Iterator[tuple[subprocess.Popen, str]]:
    """A real server on any free port, with the address that it prints; it is stopped at the end."""
    command = [*PROGRAM, "serve", *arguments, "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@contextlib.contextmanager
def served_here(*arguments: str, folder: Path) -> Iterator[list[str]]:
    """The same command in a thread of this process, where all is loaded: what it prints, its address first."""
    printed: list[str] = []
    begun: queue.SimpleQueue[uvicorn.Server | None] = queue.SimpleQueue()

    class Known(uvicorn.Server):
        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            begun.put(self)

    def echo(text: object = "", **options: object) -> None:
        printed.extend([] if options.get("err") else [str(text)])

    turn = sys.getswitchinterval()
    with ThreadPoolExecutor(1) as pool:
        with pytest.MonkeyPatch.context() as patch:  # until it listens
            patch.setattr(uvicorn, "Server", Known)
            patch.setattr(click, "echo", echo)
            patch.chdir(folder)
            ended = pool.submit(serve_command.main, [*arguments, "--port", "0"], standalone_mode=False)
            ended.add_done_callback(lambda _: begun.put(None))
            running = begun.get()
        if running is None:
            ended.result()
        try:
            yield printed
        finally:
            running.should_exit = running.force_exit = True
            ended.result()
            sys.setswitchinterval(turn)


def run_in_loop(work: Coroutine) -> object:
    """What a coroutine returns, in a loop of a thread of its own: a browser that is open has one in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def write_token(address: str, view: str = "companions/search") -> str:
    """The token that each write to a view must carry."""
    with urllib.request.urlopen(f"{address}{view}", timeout=60) as reply:
        return re.search(r'name="toysearch-token" content="([^"]+)"', reply.read().decode())[1]


def acknowledged_when_killed(give: Callable[[str, list], None], *arguments: str, folder: Path) -> list:
    """What a server had acknowledged when it was killed: `give` asks it, and notes each answer in a list."""
    begun = threading.Event()

    class Noted(list):
        def append(self, answer: object) -> None:
            super().append(answer)
            begun.set()

    acknowledged = Noted()
    with server(*arguments, folder=folder) as (process, address), ThreadPoolExecutor(1) as pool:
        pool.submit(give, address, acknowledged).add_done_callback(lambda _: begun.set())
        begun.wait()
        process.kill()
    assert acknowledged
    return acknowledged


def of_name(*typed: str) -> list[ServedSource]:
    """Named sources, as the command serves them."""
    return [served_source(name.replace("/", "-").strip("-"), name, (), SourceOptions()) for name in typed]


def of_documents(documents, name: str = "own", queries=(), qrels=None) -> ServedSource:
    """Documents that no file holds."""
    study = Study.of(toysearch.Collection(name, documents, queries, qrels))
    return ServedSource("own", name, replace(study, named_fields=None, told=True))


def run_by_python(text: str) -> dict[str, Any]:
    """The names that the Python of a page gives values."""
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def reproduced(data: dict[str, Any]) -> dict[str, Any]:
    """What the command of a view prints as JSON; it and the Python of the view give the ranking of the view."""
    command = words_of(data["command"])
    printed = json.loads(done(*command[1:2], "--json", *command[2:]).stdout)
    ranking = [(hit["doc_id"], hit["score"]) for hit in data.get("neighbours", data.get("hits"))]
    assert [(hit["doc_id"], hit["score"]) for hit in printed["hits"]] == ranking
    assert [(hit.doc_id, hit.score) for hit in run_by_python(data["python"])["ranking"]] == ranking
    return printed


def client(*sources: ServedSource, models=None, token=None, hosts=frozenset({HOST})) -> TestClient:
    """Somebody who asks the page of some sources; errors of the page are answers, not exceptions here."""
    app = application(sources, models or USUAL, hosts=hosts, token=token)
    return TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False, follow_redirects=False)
