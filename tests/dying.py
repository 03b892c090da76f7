"""A process that writes an index and may die at any moment, driven line by line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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


@contextmanager
def driven(script: str, folder: Path) -> Iterator[Driver]:
    """A process that runs a script with the folder as its argument; it and its child are gone afterwards."""
    driver = Driver(script, folder)
    try:
        yield driver
    finally:
        os.killpg(driver.process.pid, signal.SIGKILL)  # its child as well, where a test has failed half-way
        driver.process.communicate()
