"""The line that tells how far long work is."""

from __future__ import annotations

import io

from toysearch.cli import output


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_how_many_are_done_and_what_is_best(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(output, "_PATIENCE", 0)
    with output.progress("tuning") as tell:
        tell(3, 12, "AP 0.3012 at b=0.5")
        tell(12, 12, "AP 0.3030 at b=0.7")
    assert "12/12" in terminal.getvalue()
    assert "AP 0.3030 at b=0.7" in terminal.getvalue()


def test_quick_work_stays_quiet(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with output.progress("tuning") as tell:
        tell(1, None, "")
    assert terminal.getvalue() == ""


def test_there_is_none_but_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with output.progress("tuning") as tell:
        assert tell is None
