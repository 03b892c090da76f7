"""Showing what a check says at once: two checks in one cell are both seen, and in a plain script each is printed."""

from __future__ import annotations

import inspect
import sys
from typing import Any, Protocol, TypeVar


class Panel(Protocol):
    """What is shown: text for a terminal, HTML for a notebook."""

    def _repr_html_(self) -> str: ...


P = TypeVar("P", bound=Panel)

_LATEST: list[Any] = [None, None]
"""The panel shown last, and the number of the cell that showed it."""


def shown_at_once(panel: P) -> P:
    """Show a panel now, in a notebook or in a script; in a Python shell it is shown as the value of its line."""
    if (shell := _shell()) is not None:
        _LATEST[:] = panel, shell.execution_count
        _display(panel)
    elif called_by_a_script():
        print(panel)
    return panel


def display_once(panel: Panel) -> None:
    """What a notebook calls for the value of a cell: nothing is shown again that this cell has shown already."""
    shell = _shell()
    if shell is None or _LATEST[0] is not panel or _LATEST[1] != shell.execution_count:
        _display(panel)


def called_by_a_script() -> bool:
    """Whether what called the labs is a Python file run as a program, in which no value of a line is shown."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("toysearch."):
        frame = frame.f_back
    names = frame.f_globals if frame is not None else {}
    return names.get("__name__") == "__main__" and "__file__" in names and not hasattr(sys, "ps1")


def stop_cell(waiting: type[Exception], notice: Panel) -> None:
    """Have a notebook show a notice, and no traceback, where this kind of exception ends a cell."""
    if (shell := _shell()) is not None:
        shell.set_custom_exc((waiting,), lambda *_, **__: _display(notice))


def _shell() -> Any:
    """The IPython that runs this, if one does; it is never loaded for that."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _display(panel: Panel) -> None:
    import IPython.display

    show: Any = IPython.display.display
    show({"text/plain": repr(panel), "text/html": panel._repr_html_()}, raw=True)
