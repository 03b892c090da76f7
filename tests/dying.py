"""A process that writes an index and may die at any moment, driven line by line."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from toysearch.index.opened_files import index_files

FORKING = """
import itertools, os, sys, time

def timed(change):
    started = time.perf_counter()
    change()
    print(time.perf_counter() - started, flush=True)

def dying(function, calls, last):
    def call(*arguments, **options):
        if next(calls) == last:
            os._exit(9)
        return function(*arguments, **options)
    return call

def die_before(last):
    calls = itertools.count()
    for name in ("fsync", "replace", "unlink", "open"):
        setattr(os, name, dying(getattr(os, name), calls, int(last)))

def serve(once, forever):
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            while line == "loop\\n":
                forever()
            once(*line.split())
            os._exit(0)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""The beginning of a driver's script: `serve` forks a child for each line that it reads.

At "loop" the child changes the index for ever; at any other line once, and after `die_before(N)` it dies before its Nth
call of the operating system (exit code 9; 0 if it came to its end).
"""


class Driver:
    """The forking process; `seconds` is what one save takes here."""

    def __init__(self, script: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.seconds = float(self.answer())

    def ask(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self, child: int) -> None:
        """Kill the child that changes the index for ever."""
        os.kill(child, signal.SIGKILL)
        assert self.answer() == str(-signal.SIGKILL)


@contextmanager
def driven(script: str, folder: Path) -> Iterator[Driver]:
    """A process that runs a script with the folder as its argument; it and its child are gone afterwards."""
    driver = Driver(script, folder)
    try:
        yield driver
    finally:
        os.killpg(driver.process.pid, signal.SIGKILL)  # its child as well, where a test has failed half-way
        driver.process.communicate()


def killed_at_random(
    driver: Driver, folder: Path, state: Callable[[Path], str], kills: int, interruptions: int, seed: int
) -> set[str]:
    """The states that an index is found in after kills at random moments, of which so many left files behind.

    On a busy machine there are more kills, with ever longer waits, until two states are met.
    """
    moment = random.Random(seed)
    states: Counter[str] = Counter()
    interrupted = count = 0
    while count < kills or (count < 6 * kills and (len(states) < 2 or interrupted <= interruptions)):
        count += 1
        driver.ask("loop")
        child = int(driver.answer())
        time.sleep(moment.uniform(0, 4 * driver.seconds * max(1, count / kills)))
        driver.kill(child)
        states[state(folder)] += 1
        interrupted += {path.name for path in folder.iterdir()} != set(index_files(folder))
    assert interrupted > interruptions
    return set(states)


def dead_before_each_call(
    driver: Driver, folder: Path, state: Callable[[Path], str], what: str, old: str, new: str, calls: int
) -> None:
    """Let a change die before each call: its index is the old one for so many calls, then the new one, and no file
    of the old one is left in the end."""
    code, states = "9", []
    while code == "9":
        driver.ask(f"{what} {len(states)}")
        driver.answer()
        code = driver.answer()
        states.append(state(folder))
    switch = states.index(new)
    assert states == [old] * switch + [new] * (len(states) - switch)
    assert switch > calls
    assert len(states) > switch + 10
    assert {path.name for path in folder.iterdir()} == set(index_files(folder))
