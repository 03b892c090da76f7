"""A terminal in this process, for what is shown on one only."""

import io
from typing import Any


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: Any) -> Terminal:
    """A terminal of 60 columns that stands for stdout and stderr until the test ends."""
    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("sys.stdout", stream)
    return stream
