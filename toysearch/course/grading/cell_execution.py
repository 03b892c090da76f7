"""Running the cells of a notebook one after the other, as Jupyter would: an error ends a cell, not the notebook."""

from __future__ import annotations

import base64
import contextlib
import functools
import importlib.util
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from toysearch.course.sandbox.time_limit import SECONDS, TooLong, at_most
from toysearch.course.verdict import Waiting

Output = dict[str, Any]
"""An output of a cell as a notebook's file holds it."""


class CellResult(NamedTuple):
    """What became of one cell."""

    outputs: list[Output]  # what it showed, as a notebook's file holds it
    failed: bool  # whether an exception ended it
    trouble: str  # that exception, or what it wrote on stderr; empty for none


def executed(sources: list[str]) -> list[CellResult]:
    """Run cells with IPython in this process, which is thought to be one of its own."""
    return list(run_cells(sources))


def run_cells(sources: Iterable[str], limited: bool = False) -> Iterator[CellResult]:
    """Run cells one by one: with IPython, or without its magics and without outputs where it is not installed."""
    os.environ["COLUMNS"] = "80"
    sys.path.insert(0, "")  # as in a notebook, which can import a file beside it
    if importlib.util.find_spec("IPython") is None:
        yield from _without_ipython(sources, limited)
        return
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as folder:  # where IPython keeps what nobody here asks for
        quiet = Config({"HistoryManager": {"enabled": False}})
        shell = InteractiveShell.instance(config=quiet, colors="nocolor", ipython_dir=folder)
        limit = _CellLimit(limited)
        for source in sources:
            yield limit.stopping(functools.partial(_cell, shell, source))


class _CellLimit:
    """The limit of time of each cell, lower after one that met it."""

    def __init__(self, limited: bool) -> None:
        self.limited = limited
        self.what = "cell"

    def stopping(self, run: Callable[[], CellResult]) -> CellResult:
        """What became of a cell, which is stopped when it takes too long."""
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


def _without_ipython(sources: Iterable[str], limited: bool) -> Iterator[CellResult]:
    names: dict[str, Any] = {"__name__": "__main__"}
    limit = _CellLimit(limited)
    for place, source in enumerate(sources, 1):
        yield limit.stopping(functools.partial(_plain_cell, place, source, names))


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
    for shown in (each for each in shell.display_pub.outputs if each["data"]):
        outputs.append({"data": _mime(shown["data"]), "metadata": shown["metadata"], "output_type": "display_data"})
    return CellResult(outputs, False, stderr.getvalue().strip())


def _mime(data: dict[str, Any]) -> dict[str, Any]:
    """What is shown, by kind, in lines; bytes as base64."""
    lines = {}
    for kind, value in sorted(data.items()):
        content = base64.b64encode(value).decode() if isinstance(value, bytes) else value
        lines[kind] = content.splitlines(keepends=True)
    return lines
