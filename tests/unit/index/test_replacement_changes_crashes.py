"""A process that dies while it adds to an index or deletes from it leaves the old index or the new one, whole."""

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
from lengths import exhaustive, thinned

from toysearch.index.content_checks import check_index
from toysearch.index.inverted_index import Index
from toysearch.index.opened_files import index_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

# Forks a child for each line that it reads: "loop" adds four documents and deletes them again for ever; "add N" and
# "delete N" do it once and die before the Nth call of the operating system (exit code 9; 0 if it came to its end).
# What a process has written outlives it, so nothing waits for the disk.
DRIVER = """
import itertools, os, sys, time
from toysearch import Index
from toysearch.index.replacement import change_index

os.fsync = lambda descriptor: None
folder = sys.argv[1]
more = {f"new{number}": f"other{number} shared" for number in range(4)}
few = Index.build({str(number): f"word{number % 97} shared" for number in range(300)})
many = few.add(more)

def change():
    change_index(folder, lambda index: index.delete(more) if index.stats.N > 300 else index.add(more))

few.save(folder)
started = time.perf_counter()
change()
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
        while line == "loop\\n":
            change()
        what, last = line.split()
        (few if what == "add" else many).save(folder)
        calls = itertools.count()
        for name in ("fsync", "replace", "unlink", "open"):
            setattr(os, name, dying(getattr(os, name), calls, int(last)))
        change()
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
    assert index.stats[:3] in [(300, 600, 2.0), (304, 608, 2.0)]
    assert index.postings("shared").docs.size == index.stats.N
    assert index.stats.n_terms == (98 if index.stats.N == 300 else 102)
    return "few" if index.stats.N == 300 else "many"


@exhaustive
def test_killed_at_thirty_random_moments(driver, tmp_path):
    folder = tmp_path / "index"
    moment = random.Random(5)
    found: Counter[str] = Counter()
    interrupted = kills = 0
    # Thirty, and more where a busy machine was too slow for both indexes to be met, with ever longer waits.
    while kills < 30 or (kills < 200 and (len(found) < 2 or interrupted <= 5)):
        kills += 1
        driver.ask("loop")
        child = int(driver.answer())
        time.sleep(moment.uniform(0, 4 * driver.seconds * max(1, kills / 30)))
        os.kill(child, signal.SIGKILL)
        assert driver.answer() == str(-signal.SIGKILL)
        found[whole(folder)] += 1
        interrupted += {path.name for path in folder.iterdir()} != set(index_files(folder))
    assert set(found) == {"few", "many"}
    assert interrupted > 5


@pytest.mark.parametrize(("what", "old", "new"), thinned([("add", "few", "many"), ("delete", "many", "few")], 2))
def test_dying_before_each_call_of_the_operating_system(driver, tmp_path, what, old, new):
    folder = tmp_path / "index"
    code, states = "9", []
    while code == "9":
        driver.ask(f"{what} {len(states)}")
        driver.answer()
        code = driver.answer()
        states.append(whole(folder))
    switch = states.index(new)
    assert states == [old] * switch + [new] * (len(states) - switch)
    assert switch > 20
    assert len(states) > switch + 10
    assert {path.name for path in folder.iterdir()} == set(index_files(folder))
