"""The progress line: how far long work is, on stderr, where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 0.5  # seconds of work without a line about progress


class Tell(Protocol):
    """What takes how many are done, how many there are, and a few words about the best so far."""

    def __call__(self, done: int, total: int | None = None, words: str = "") -> None:
        """Show it."""


@contextlib.contextmanager
def progress(
    doing: str, what: str = "", position: Callable[[], tuple[int, int] | None] = lambda: None
) -> Iterator[Tell | None]:
    """A function to call with how many are done; None where stderr is no terminal.

    The line appears once the work has taken half a second. The position is how many bytes of the source have been read,
    and how many there are.
    """
    if not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        line: Progress | None = None

        def tell(done: int, total: int | None = None, words: str = "") -> None:
            nonlocal line
            seconds = time.monotonic() - started
            if line is None and seconds >= _PATIENCE:
                line = stack.enter_context(_line())
                line.add_task(doing)
            if line is not None:
                read = position()
                number = f"{done:,}/{total:,}" if total else f"{done:,}"
                about = f"{doing}: {number} {what}".rstrip() + (pace(*read, seconds) if read else "")
                line.update(line.task_ids[0], description=f"{about}  {words}".rstrip())

        yield tell


def _line() -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    return Progress(SpinnerColumn(), text, TimeElapsedColumn(), console=Console(stderr=True), transient=True)


def pace(read: int, size: int, seconds: float) -> str:
    """How fast a source is read, and how long the rest of it takes at that pace; "" if nothing can be said."""
    if not read or seconds <= 0:
        return ""
    left = round((size - read) * seconds / read)
    return f", {read / seconds / 1e6:.1f} MB/s, {left // 60}:{left % 60:02} left"
