"""The output for people and programs: tables on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import click

import toysearch
from toysearch import files
from toysearch.base import ArgumentError, Column, ResultTable, note, platform
from toysearch.base import rendering as tables
from toysearch.base.result import Page
from toysearch.cli.commands import command_line, kept_value
from toysearch.cli.options import option

if TYPE_CHECKING:
    from pathlib import Path

    from rich.progress import Progress

    from toysearch.base import Run
    from toysearch.study.provenance import Facts
    from toysearch.study.study import Study


def keep(path: str | Path, kind: str) -> None:
    """Refuse to replace a file of another kind without --force."""
    if not kept_value("force"):
        try:
            files.refuse_loss(path, kind)
            if kind == "run" and str(path) != "-":
                files.refuse_loss(files.record_of(path), "record")
        except ArgumentError as error:
            raise ArgumentError(f"{error}, or give --force") from None


def keeping(kind: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return the callback of an option for an output file: an existing file is checked before any work is done."""

    def look(_: click.Context, __: click.Parameter, path: Any) -> Any:
        if path is not None:
            keep(path, kind)
        return path

    return look


force_option = option(
    "--force", is_flag=True, kept=True, heading="Output", help="Replace an existing file, whatever it holds."
)
"""Add --force, which `keep` and `keeping` obey."""


def show(result: Any, form: str, **more: Any) -> None:
    """Print a result: its text or a table on stdout, its settings on stderr; more: of its method ``parts``."""
    if form == "json":
        click.echo(tables.render([], [], form, data=_repeatable(result.data())))
    elif form != "table":
        click.echo(tables.as_text(result, form))
    else:
        width = terminal_width(sys.stdout)
        if text := tables.written(result.text_parts(width, width, **more), width, width):
            click.echo(text)
        for line in result.about():
            remark(line)
        for sentence in result.cautions if isinstance(result, Page) else ():
            note(sentence)


def show_paragraph(text: str, form: str) -> None:
    """Print running text: in lines, in LaTeX, or as the only value in JSON."""
    if form in ("tsv", "csv"):
        raise click.UsageError(f"--format {form} is for tables; a paragraph is text, latex or json")
    if form == "json":
        click.echo(tables.render([], [], form, data=_repeatable({"paragraph": text})))
    else:
        click.echo(tables.latex_text(text) if form == "latex" else paragraph(text))


def write_run(run: Run, output: str, runs: Mapping[str, Run] | None = None) -> None:
    """Write a run to a file, and beside it what made it, such as other runs; or to standard output."""
    toysearch.write_run(run, sys.stdout if output == "-" else output)
    if output == "-":
        return
    from toysearch.study.provenance import provenance, write_record

    study = kept_value("study")
    facts = _facts(study) if study is not None else provenance(None, None, {}, (), runs or {}, {}, command_line())
    write_record(output, facts)


def _facts(study: Study) -> Facts:
    from toysearch.study.provenance import provenance_of  # a table has none

    given = click.get_current_context().params
    choices = {name: given[name] for name in ("k", "seed") if given.get(name) is not None}
    models = given.get("models") or [*filter(None, [given.get("model")])]
    return provenance_of(study if study.models else study.with_models(models), command_line(), **choices)


def _repeatable(data: Any) -> Any:
    """Add to the data of a study what its numbers depend on."""
    if (study := kept_value("study")) is None or not isinstance(data, dict) or "repeat" in data:
        return data
    return data | {"repeat": _facts(study)}


def emit(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    form: str,
    *,
    data: Any = None,
    title: str = "",
    caption: str = "",
) -> None:
    """Print a table on stdout in the chosen form, with what stands around it for people and its data for JSON."""
    table = ResultTable(columns, rows, title, caption)
    show(Page([table], table, data), form)


def terminal_width(stream: Any) -> int | None:
    """Return the columns of the terminal that a stream writes to; None for a file or a pipe."""
    if not stream.isatty():
        return None
    from shutil import get_terminal_size  # with all kinds of archives

    return get_terminal_size().columns


def paragraph(text: str, indent: str = "", first: str = "", stream: Any = None) -> str:
    """Running text of any origin, made safe and wrapped for the terminal."""
    return tables.flowed(text, terminal_width(stream or sys.stdout), first or indent, indent)


def first_words(text: str | None, width: int) -> str | None:
    """Return the first words of a text, up to a number of characters; None without text."""
    return text and tables.opening(text, width)


def remark(message: str) -> None:
    """Print a line about the output on stderr, below what has been written on stdout."""
    sys.stdout.flush()
    click.echo(paragraph(message, stream=sys.stderr), err=True)


_PATIENCE = 0.5  # seconds of work without a line about progress


class Tell(Protocol):
    """Callback with the number done, the total, and a few words about the best so far."""

    def __call__(self, done: int, total: int | None = None, words: str = "") -> None:
        """Show it."""


@contextlib.contextmanager
def progress(
    doing: str, what: str = "", position: Callable[[], tuple[int, int] | None] = lambda: None, *, untold: bool = False
) -> Iterator[Tell | None]:
    """Return a callback for the number done; None if stderr is not a terminal.

    The line appears after half a second of work. The position is the number of bytes read from the source, and the
    total. untold: whether the line appears even if nothing is told by then.
    """
    if not sys.stderr.isatty():
        yield None
        return
    started, writing = time.monotonic(), threading.Lock()
    with contextlib.ExitStack() as stack:
        line = None
        text, over = doing, False

        def show() -> None:
            nonlocal line
            with writing:
                if over:  # what workers tell may come late
                    return
                if line is None:
                    line = stack.enter_context(_line())
                    line.add_task(text)
                line.update(line.task_ids[0], description=text)

        def tell(done: int, total: int | None = None, words: str = "") -> None:
            nonlocal text
            seconds, place = time.monotonic() - started, position()
            number = f"{done:,}/{total:,}" if total else f"{done:,}"
            about = f"{doing}: {number} {what}".rstrip() + (pace(*place, seconds) if place else "")
            text = f"{about}  {words}".rstrip()
            if seconds >= _PATIENCE:
                show()

        waiting = threading.Timer(_PATIENCE, show)
        waiting.daemon = True
        if untold and not platform.ALONE:
            waiting.start()
        try:
            yield tell
        finally:
            with writing:
                over = True
            waiting.cancel()


@contextlib.contextmanager
def working(doing: str) -> Iterator[Callable[..., None]]:
    """Return the callback of work that may be interrupted; what it told is best so far is said then.

    doing : what the line about progress says, and what it counts: "tuning settings"
    """
    told: list[Any] = []
    what, _, counts = doing.partition(" ")
    try:
        with progress(what, counts) as line:

            def tell(*state: Any) -> None:
                told[:] = state
                if line is not None:
                    line(*state)

            yield tell
    except KeyboardInterrupt:
        if told[2:]:
            count, total, best = told
            remark(f"{count} of {total} {counts} are done, the best so far {best}")
        raise


def _line() -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    return Progress(SpinnerColumn(), text, TimeElapsedColumn(), console=Console(stderr=True), transient=True)


def pace(read: int, size: int, seconds: float) -> str:
    """Return the reading speed and the estimated remaining time; "" if unknown."""
    if not read or seconds <= 0:
        return ""
    remaining = round((size - read) * seconds / read)
    return f", {read / seconds / 1e6:.1f} MB/s, {remaining // 60}:{remaining % 60:02} left"
