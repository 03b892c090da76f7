"""Run a student's notebook confined, as ``python -m toysearch.classroom.grading.notebook_run``, and note the answers.

Nothing is judged here. Each line of the file `NOTES` holds the lab that was started, the observation of an answer, or
the end of a cell. `read_notes` reads them after that process has ended. The file is untrusted, so invalid lines are
skipped.
The cells run with IPython in the confined process: nbclient would start a kernel in a second process and talk to it
over sockets, and the confinement forbids both.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import SECONDS, TooLong, at_most, cut, one_line
from toysearch.classroom.answers import Waiting
from toysearch.classroom.exercise import clean_name
from toysearch.classroom.notebook import cells_of, plain_content
from toysearch.classroom.session import SESSION

Output = dict[str, Any]
"""Output of a cell as a notebook's file holds it."""


class CellResult(NamedTuple):
    """Result of one cell."""

    outputs: list[Output]  # what it showed, as a notebook's file holds it
    failed: bool  # whether an exception ended it
    trouble: str  # that exception, or what it wrote on stderr; empty for none


def executed(sources: list[str]) -> list[CellResult]:
    """Run cells with IPython in this process, which should run nothing else."""
    return list(run_cells(sources))


def run_cells(sources: Iterable[str], limited: bool = False) -> Iterator[CellResult]:
    """Run cells one by one: with IPython, or without its magics and without outputs where it is not installed."""
    os.environ["COLUMNS"] = "80"
    sys.path.insert(0, "")  # as in a notebook, which can import a file beside it
    limit = _CellLimit(limited)
    if importlib.util.find_spec("IPython") is None:
        names: dict[str, Any] = {"__name__": "__main__"}
        for place, source in enumerate(sources, 1):
            yield limit.stopping(functools.partial(_plain_cell, place, source, names))
        return
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as folder:  # the files that IPython keeps are not needed here
        quiet = Config({"HistoryManager": {"enabled": False}})
        shell: Any = InteractiveShell.instance(config=quiet, colors="nocolor", ipython_dir=folder)
        shell.ask_exit = lambda: None  # `exit()` ends a kernel, and there is none here: the later cells are run
        for source in sources:
            yield limit.stopping(functools.partial(_cell, shell, source))


class _CellLimit:
    """Time limit of each cell, lower after a cell that reached it."""

    def __init__(self, limited: bool) -> None:
        self.limited = limited
        self.what = "cell"

    def stopping(self, run: Callable[[], CellResult]) -> CellResult:
        if not self.limited:
            return run()
        try:
            with at_most("cell", SECONDS[self.what]):
                result = run()
        except TooLong as error:
            result = CellResult([], True, f"{TooLong.__name__}: {error}")
        if result.trouble.startswith(f"{TooLong.__name__}: "):
            self.what = "call"
            return CellResult([], True, result.trouble.removeprefix(f"{TooLong.__name__}: "))
        return result


def _plain_cell(place: int, source: str, names: dict[str, Any]) -> CellResult:
    code = "\n".join("" if line.startswith(("%", "!")) else line for line in source.splitlines())
    trouble = ""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(compile(code, f"cell {place}", "exec"), names)
        except Waiting:
            pass
        except (Exception, SystemExit) as error:
            trouble = f"{type(error).__name__}: {error}"
    return CellResult([], bool(trouble), trouble)


def _cell(shell: Any, source: str) -> CellResult:
    from IPython.core import displayhook, displaypub

    hook: Any = displayhook.CapturingDisplayHook
    publisher: Any = displaypub.CapturingDisplayPublisher
    shell.display_pub = publisher()
    shell.display_trap.hook = hook(shell=shell, outputs=shell.display_pub.outputs)
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        result = shell.run_cell(source)
    error = result.error_before_exec or result.error_in_exec
    if error and not isinstance(error, Waiting):
        return CellResult([], True, f"{type(error).__name__}: {error}")
    outputs: list[Output] = []
    if stdout.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": stdout.getvalue().splitlines(keepends=True)})
    for output in (item for item in shell.display_pub.outputs if item["data"]):
        data = output["data"]
        lines = {}
        for kind, value in sorted(data.items()):
            content = base64.b64encode(value).decode() if isinstance(value, bytes) else value
            lines[kind] = content.splitlines(keepends=True) if isinstance(content, str) else content
        outputs.append({"data": lines, "metadata": output["metadata"], "output_type": "display_data"})
    return CellResult(outputs, False, stderr.getvalue().strip())


ASKED, NOTES = "asked.json", "notes.jsonl"
"""Files in the working folder."""

Note = dict[str, Any]
"""Line of the file of notes."""

_HABIT = re.compile(r"^([ \t]*)(%(matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|cd)\b|!).*$", re.MULTILINE)
_OTHER_LANGUAGE = re.compile(r"\s*%%(bash|sh|script|html|HTML|javascript|js|svg|latex|markdown|writefile)\b")


def main() -> None:
    """Run the notebook."""
    request: dict[str, Any] = json.loads(Path(ASKED).read_text(encoding="utf-8"))
    path = Path(request["notebook"])
    cells = cells_of(plain_content(path), path)
    SECONDS.update(request["seconds"])
    with open(NOTES, "a", encoding="utf-8", buffering=1) as file:  # line by line: what is noted outlives a crash

        def note(record: Note) -> None:
            file.write(json.dumps(record) + "\n")

        SESSION.record, SESSION.salt = note, request["salt"]
        for place, result in enumerate(run_cells(map(without_habits, cells), limited=True), 1):
            note({"cell": place, "trouble": result.trouble if result.failed else ""})
        note({"cells": len(cells)})


def without_habits(source: str) -> str:
    r"""Remove the commands that grading does not need from a cell, such as ``%matplotlib inline`` and ``!pip …``."""
    return "" if _OTHER_LANGUAGE.match(source) else _HABIT.sub(r"\1pass", source)


_LONGEST_NOTE = 2_000_000  # bytes of a line
_MOST_NOTES = 100_000
_MOST_KEPT = 10_000_000  # bytes of all that is kept of answers; in memory it may be twenty times as much
_LONGEST_TROUBLE, _LONGEST_NAME = 200, 100
_MOST_TROUBLES = 20
_LACKS = {
    "ModuleNotFoundError: No module named 'altair'": "NameError: name 'alt' is not defined",
    "ModuleNotFoundError: No module named 'IPython'": "NameError: name 'IPython' is not defined",
}
"""Trouble where a package of the labs is missing → the one that follows from it in later cells."""


@dataclass
class Notes:
    """Notes of a run."""

    started: bool = False  # whether a lab was started
    lab: int = 0  # the last lab started
    student: str = ""  # the name given to it
    individual: str = ""  # the number of the student that is in the notebook
    observations: dict[str, Note] = field(default_factory=dict)  # exercise → that of its last usable answer
    failed: dict[str, list[int]] = field(default_factory=dict)  # trouble → its cells
    cells: int = 0  # the number of finished cells
    whole: bool = False  # whether all cells finished
    _sizes: dict[str, int] = field(default_factory=dict)
    _kept: int = 0

    def troubles(self) -> list[str]:
        """Return one sentence per trouble, with its cells; a package of the labs is missing here, not in a cell."""
        lacking = {_LACKS[trouble]: trouble for trouble in self.failed if trouble in _LACKS}
        sentences = [f"{trouble}; pip install 'toysearch[labs]' brings it" for trouble in lacking.values()]
        for trouble, cells in self.failed.items():
            if trouble not in {*lacking, *lacking.values()}:
                sentences.append(f"cell{'s' * (len(cells) > 1)} {', '.join(map(str, cells))}: {trouble}")
        more = len(sentences) - _MOST_TROUBLES
        return [*sentences[:_MOST_TROUBLES], *([f"{more} more cells failed"] if more > 0 else [])]

    def take(self, note: Note, cells: int, size: int) -> None:
        """Take a note of a known kind; for an answer that is too large, only that it exists."""
        if _is(note, lab=int, student=str):
            self.started, self.lab, self.student = True, note["lab"], clean_name(note["student"])
            self.individual = str(note.get("individual", ""))[:_LONGEST_NAME]
        elif _is(note, exercise=str, state=str):
            self._see(note["exercise"], note, size)
        elif _is(note, cell=int, trouble=str) and 1 <= note["cell"] <= cells:
            self.cells += 1
            trouble = cut(one_line(note["trouble"]), _LONGEST_TROUBLE)
            if trouble and note["cell"] not in self.failed.setdefault(trouble, []):
                self.failed[trouble].append(note["cell"])
        elif _is(note, cells=int):
            self.whole = True

    def _see(self, exercise: str, note: Note, size: int) -> None:
        """Keep the last observation of an answer unless it is too large; a wrong form does not replace another one."""
        if note["state"] == "refused" and self.observations.get(exercise, {}).get("state") == "seen":
            return
        self._kept -= self._sizes.get(exercise, 0)
        fits = self._kept + size <= _MOST_KEPT
        self._sizes[exercise] = size if fits else 0
        self._kept += self._sizes[exercise]
        self.observations[exercise] = note if fits else {}


def read_notes(content: bytes, cells: int) -> Notes:
    """Read the notes of a notebook; invalid lines are skipped."""
    notes = Notes()
    for line in content.split(b"\n", _MOST_NOTES)[:_MOST_NOTES]:
        if len(line) > _LONGEST_NOTE:
            continue
        try:
            note = _readable(json.loads(line.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            continue
        if isinstance(note, dict):
            notes.take(note, cells, len(line))
    return notes


def readable(text: str) -> str:
    r"""Make a text writable: lone surrogates become their escape sequences.

    >>> readable("\ud800")
    '\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _is(note: Note, **kinds: type) -> bool:
    return all(type(note.get(name)) is kind for name, kind in kinds.items())


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, dict):
        return {readable(key): _readable(item) for key, item in value.items()}
    return value


if __name__ == "__main__":
    main()
