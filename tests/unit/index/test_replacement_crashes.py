"""A process that dies while it saves leaves the old index or the new one, whole."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from dying import Driver, driven
from lengths import exhaustive

from toysearch.index.content_checks import check_index
from toysearch.index.inverted_index import Index
from toysearch.index.opened_files import index_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

# Forks a child for each line that it reads: "loop" saves two indexes in turn for ever; N saves the first, then the
# second over it, and dies before its Nth call of the operating system (exit code 9; 0 if it came to its end).
DRIVER = """
import itertools, os, sys, time
from toysearch import Index

folder = sys.argv[1]
old = Index.build([f"word{i % 97} word{i % 101} shared" for i in range(400)])
new = Index.build([f"other{i % 89} other{i % 103} shared" for i in range(400)], positions=True)
old.save(folder)
started = time.perf_counter()
new.save(folder)
print(time.perf_counter() - started, flush=True)

def dying(function, calls, last):
    def call(*arguments, **options):
        if next(calls) == last:
            os._exit(9)
        return function(*arguments, **options)
    return call

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        if line == "loop\\n":
            while True:
                new.save(folder)
                old.save(folder)
        old.save(folder)
        calls, last = itertools.count(), int(line)
        for name in ("fsync", "replace", "unlink", "open"):
            setattr(os, name, dying(getattr(os, name), calls, last))
        new.save(folder)
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driven(DRIVER, tmp_path / "index") as driver:
        yield driver


def whole(folder: Path) -> str:
    """Which index is in the folder, after a look at every byte of it."""
    assert check_index(folder) == []
    index = Index.open(folder)
    assert index.stats[:3] == (400, 1200, 3.0)
    assert index.postings("shared").docs.size == 400
    return index.term(index.stats.n_terms - 1)[:4]


@exhaustive
def test_killed_at_fifty_random_moments(driver, tmp_path):
    folder = tmp_path / "index"
    moment = random.Random(17)
    found: Counter[str] = Counter()
    interrupted = kills = 0
    # Fifty, and more where a busy machine saved too slowly for both indexes to be met, with ever longer waits.
    while kills < 50 or (kills < 300 and (len(found) < 2 or interrupted <= 10)):
        kills += 1
        driver.ask("loop")
        child = int(driver.answer())
        time.sleep(moment.uniform(0, 3 * driver.seconds * max(1, kills / 50)))
        os.kill(child, signal.SIGKILL)
        assert driver.answer() == str(-signal.SIGKILL)
        found[whole(folder)] += 1
        interrupted += {path.name for path in folder.iterdir()} != set(index_files(folder))
    assert set(found) == {"word", "shar"}  # the last terms: word… of the old one, shared of the new
    assert interrupted > 10


def test_readers_find_a_whole_index_while_others_are_saved(driver, tmp_path):
    driver.ask("loop")
    child = int(driver.answer())
    found: Counter[str] = Counter()
    while found.total() < 150 or (found.total() < 5000 and len(found) < 2):
        found[whole(tmp_path / "index")] += 1
    os.kill(child, signal.SIGKILL)
    assert driver.answer() == str(-signal.SIGKILL)
    assert set(found) == {"word", "shar"}


@exhaustive
def test_dying_before_each_call_of_the_operating_system(driver, tmp_path):
    folder = tmp_path / "index"
    code, states = "9", []
    while code == "9":
        driver.ask(str(len(states)))
        driver.answer()
        code = driver.answer()
        states.append(whole(folder))
    switch = states.index("shar")
    assert states == ["word"] * switch + ["shar"] * (len(states) - switch)
    assert switch > 40
    assert len(states) > switch + 10
    assert {path.name for path in folder.iterdir()} == set(index_files(folder))
