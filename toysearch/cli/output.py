"""Where results leave for people and programs: --format, tables on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import functools
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import click

from toysearch.reports.tables import FORMATS, Column, render
from toysearch.wording import one_line

_PATIENCE = 0.5  # seconds of work without a line about progress


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format, --json and --tsv; the command gets the name of the chosen format as ``form``."""

    @click.option("--format", "form", type=click.Choice(FORMATS), help="Form of the output.  [default: table]")
    @click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
    @click.option("--tsv", "as_tsv", is_flag=True, help="Short for --format tsv.")
    @functools.wraps(function)
    def command(*args: Any, form: str | None, as_json: bool, as_tsv: bool, **values: Any) -> Any:
        asked = {name for name, wanted in ((form, form), ("json", as_json), ("tsv", as_tsv)) if wanted}
        if len(asked) > 1:
            raise click.UsageError(f"the output can have one form, not both {' and '.join(sorted(map(str, asked)))}")
        return function(*args, form=next(iter(asked), "table"), **values)

    return command


def emit(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    form: str,
    *,
    data: Any = None,
    title: str = "",
    caption: str = "",
) -> None:
    """Print rows on stdout in the form that the user chose."""
    text = render(columns, rows, form, width=terminal_width(sys.stdout), data=data)
    if form == "table":
        text = "\n".join(part for part in (title, text, caption) if part)
    click.echo(text)


def terminal_width(stream: Any) -> int | None:
    """The columns of the terminal that a stream writes to; None for a file or a pipe."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def paragraph(text: str, indent: str = "", first: str = "", stream: Any = None) -> str:
    """Running text of any origin, fit to be printed: one line, or as many as the terminal needs."""
    text = one_line(text)
    width = terminal_width(stream or sys.stdout)
    first = first or indent
    return f"{first}{text}" if width is None else click.wrap_text(text, width, first, indent)


def opening(text: str | None, width: int) -> str | None:
    """The first words of a text, in at most so many characters; None where there is no text."""
    return text and textwrap.shorten(text, width, placeholder=" …")


def remark(message: str) -> None:
    """Print a line about the output on stderr."""
    click.echo(paragraph(message, stream=sys.stderr), err=True)


def count(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """A number of bytes for people."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= factor:
            return f"{number / factor:.1f} {unit}"
    return count(number, "byte")


@contextlib.contextmanager
def progress(
    doing: str, what: str, position: Callable[[], tuple[int, int] | None] = lambda: None
) -> Iterator[Callable[[int], None] | None]:
    """A function to call with how many are done; None where stderr is no terminal.

    The line appears once the work has taken half a second: what is quick stays quiet.
    """
    if not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        advance: Callable[[int], None] | None = None

        def tell(done: int) -> None:
            nonlocal advance
            if advance is None and time.monotonic() - started >= _PATIENCE:
                advance = stack.enter_context(_progress_line(doing, what, position, started))
            if advance is not None:
                advance(done)

        yield tell


@contextlib.contextmanager
def _progress_line(
    doing: str, what: str, position: Callable[[], tuple[int, int] | None], started: float
) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn(f"{doing}: {{task.completed:,}} {what}{{task.fields[pace]}}")
    with Progress(SpinnerColumn(), text, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None, pace="")

        def tell(done: int) -> None:
            read = position()
            bar.update(task, completed=done, pace=pace(*read, time.monotonic() - started) if read else "")

        yield tell


def pace(read: int, size: int, seconds: float) -> str:
    """How fast a source is read, and how long the rest of it takes at that pace; "" if nothing can be said."""
    if not read or seconds <= 0:
        return ""
    left = round((size - read) * seconds / read)
    return f", {read / seconds / 1e6:.1f} MB/s, {left // 60}:{left % 60:02} left"
