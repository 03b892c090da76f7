"""A process that dies while it saves, builds, adds or deletes leaves the old index or the new one, whole."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiers import exhaustive, thinned

from toysearch.base.errors import StorageError
from toysearch.index.content_checks import check_index
from toysearch.index.inverted_index import Index
from toysearch.index.listed_files import index_files

pytestmark = [
    pytest.mark.system,
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL"),
]

DRIVER = """
import itertools, os, signal, sys
from toysearch import Index
from toysearch.index.index_change import change_index

folder, sound, kind = sys.argv[1:]
os.fsync = lambda descriptor: None  # what a process has written outlives it, so nothing waits for the disk

more = {f"new{number}": f"other{number} shared" for number in range(4)}
few = Index.build({str(number): f"word{number % 97} shared" for number in range(300)})
many = few.add(more)
texts = [f"other{i % 89} other{i % 103} shared" for i in range(400)]
words = Index.build([f"word{i % 97} word{i % 101} shared" for i in range(400)])
others = Index.build(texts, positions=kind == "save")
old, new = {"add": (few, many), "delete": (many, few)}.get(kind, (words, others))
old.save(f"{sound}/old")
new.save(f"{sound}/new")
change, back = {
    "save": (lambda: new.save(folder), lambda: old.save(folder)),
    "build": (lambda: Index.build(iter(texts), folder=folder), lambda: old.save(folder)),
    "add": (lambda: change_index(folder, lambda index: index.add(more)),
            lambda: change_index(folder, lambda index: index.delete(more))),
    "delete": (lambda: change_index(folder, lambda index: index.delete(more)),
               lambda: change_index(folder, lambda index: index.add(more))),
}[kind]

def at_each_line(act):
    def line(frame, event, _):
        if event == "line":
            act()
        return line
    sys.settrace(lambda frame, *_: line if "/toysearch/" in frame.f_code.co_filename else None)

def before(last, act):
    calls = itertools.count()
    def counted(function=lambda: None):
        def call(*arguments, **options):
            if next(calls) == last:
                act()
            return function(*arguments, **options)
        return call
    return counted

def once(last):
    counted = before(last, lambda: os._exit(9))
    for name in ("fsync", "replace", "unlink", "open"):
        setattr(os, name, counted(getattr(os, name)))
    change()

def forever(last=-1):
    if last >= 0:
        at_each_line(before(last, lambda: os.kill(os.getpid(), signal.SIGKILL))())
    while True:
        change()
        back()

old.save(folder)
lines = itertools.count()
at_each_line(lambda: next(lines))
change()
sys.settrace(None)
print(next(lines), flush=True)
for line in sys.stdin:
    what, *last = line.split()
    child = os.fork()
    if child == 0:
        old.save(folder)
        {"once": once, "forever": forever}[what](*map(int, last))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Forks a child for each line that it reads, which begins with the old index in the folder.

At "once N" the child changes it once, but dies before its Nth call of the operating system (exit code 9; 0 if it came
to its end). At "forever N" it changes it to and fro, and is killed before the Nth line of the package; at "forever"
until somebody kills it. First it says how many lines a change has: nothing here depends on time.
"""


class Driver:
    """The forking process."""

    def __init__(self, folder: Path, kind: str, path: str = "compiled") -> None:
        self.folder, sound = folder / "index", folder / "sound"
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, self.folder, sound, kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TOYSEARCH_PATH": path},
        )
        self.lines = int(self.answer())
        self.sound = {Index.open(sound / name).checksum: name for name in ("old", "new")}

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def begin(self, what: str, *last: int) -> int:
        """Let a child begin, and return its number."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what} {' '.join(map(str, last))}\n")
        self.process.stdin.flush()
        return int(self.answer())

    def state(self) -> str:
        """Which index is in the folder, after a look at every byte of it."""
        assert check_index(self.folder) == []
        index = Index.open(self.folder)
        assert index.postings("shared").docs.size == index.stats.N
        return self.sound[index.checksum]

    @property
    def leftovers(self) -> set[str]:
        """The files that no index names."""
        return {path.name for path in self.folder.iterdir()} - set(index_files(self.folder))


@pytest.fixture
def driver(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A driver for a way of changing an index; it and its child are gone afterwards."""
    made = Driver(tmp_path, *request.param.split())
    try:
        yield made
    finally:
        os.killpg(made.process.pid, signal.SIGKILL)  # its child as well, where a test has failed half-way
        made.process.communicate()


@pytest.mark.parametrize("driver", ["save"], indirect=True)
def test_readers_find_a_whole_index_while_others_are_saved(driver):
    child = driver.begin("forever")
    states: Counter[str] = Counter()
    while states.total() < 60 or (len(states) < 2 and time.process_time() < 60):
        try:
            states[driver.state()] += 1
        except (
            AssertionError,
            StorageError,
        ):  # replaced twice during one look: real damage stays when the other stands
            os.kill(child, signal.SIGSTOP)
            states[driver.state()] += 1
            os.kill(child, signal.SIGCONT)
    assert set(states) == {"old", "new"}


@pytest.mark.parametrize(
    ("driver", "calls"),
    thinned([("add", 20), ("delete", 20), ("save", 40), ("build plain", 40), ("build compiled", 40)], 5),
    indirect=["driver"],
)
def test_dying_before_each_call_of_the_operating_system(driver, calls):
    """Its index is the old one for so many calls, then the new one, and no file of the old one is left in the end."""
    code, states = "9", []
    while code == "9":
        driver.begin("once", len(states))
        code = driver.answer()
        states.append(driver.state())
    switch = states.index("new")
    assert states == ["old"] * switch + ["new"] * (len(states) - switch)
    assert switch > calls
    assert len(states) > switch + 10
    assert not driver.leftovers


@pytest.mark.parametrize(
    ("driver", "kills"),
    [
        ("build plain", 8),
        *(pytest.param(kind, kills, marks=exhaustive)
          for kind, kills in [("save", 50), ("add", 30), ("delete", 30), ("build plain", 30), ("build compiled", 30)]),
    ],
    indirect=["driver"],
)  # fmt: skip
def test_killed_before_random_lines(driver, kills):
    states: Counter[str] = Counter()
    interrupted, seed = 0, 17
    places = random.Random(seed).choices(range(3 * driver.lines), k=kills)
    for place in places:
        driver.begin("forever", place)
        assert driver.answer() == str(-signal.SIGKILL), place
        states[driver.state()] += 1
        interrupted += bool(driver.leftovers)
    assert set(states) == {"old", "new"}
    assert interrupted > kills // 6
