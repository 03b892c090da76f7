"""A line on the terminal that tells how far long work is and what the best is so far."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

_PATIENCE = 0.5  # seconds of work without a line about progress


@contextlib.contextmanager
def bar(doing: str) -> Iterator[Callable[[int, int | None, str], None] | None]:
    """A function to call with how many are done, how many there are, and a few words; None where stderr is no terminal.

    The line appears once the work has taken half a second: what is quick stays quiet.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    words = TextColumn("{task.fields[words]}", table_column=Column(no_wrap=True, overflow="ellipsis"))
    columns = (TextColumn(doing), BarColumn(16), MofNCompleteColumn(), words)
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        line = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        task = line.add_task(doing, total=None, words="")
        shown = False

        def tell(done: int, total: int | None, words: str) -> None:
            nonlocal shown
            if not shown and time.monotonic() - started >= _PATIENCE:
                shown = True
                stack.enter_context(line)
            line.update(task, completed=done, total=total, words=words)

        yield tell
