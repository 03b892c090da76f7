"""`toysearch corpora get`: the files of a named collection, downloaded and checked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import GET, option
from toysearch.cli.output import count, paragraph, remark, size
from toysearch.corpus import catalog
from toysearch.corpus.recipe import Recipe

Tell = Callable[[str, int, int | None], None]


@click.command(
    "get",
    cls=Command,
    epilog=examples(
        "toysearch corpora get cat-dog-parrot",
        "toysearch corpora get cranfield",
        "toysearch corpora get cranfield --from http://127.0.0.1:8000/cranfield.tar.gz",
    ),
)
@click.argument("name")
@option(
    "--from",
    "source",
    metavar="PLACE",
    help="Address or path of an archive or a folder.  [default: the sources that `toysearch corpora show` lists]",
)
@option("-o", "--output", metavar="DIR", help="Folder of collections to use instead of the cache.")
@option("--force", is_flag=True, help="Fetch the files again; the old ones stay until the new are checked.")
@option(
    "--timeout",
    default=30.0,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Seconds to wait for a silent server.",
)
def command(name: str, source: str | None, output: str | None, force: bool, timeout: float) -> None:
    """Fetch the files of a named collection, and check them.

    The sources that its description lists are tried in turn. Each file is compared with the checksum stated there
    before it takes its place. A download that was cut or interrupted is resumed next time. The folder that holds the
    files is printed.
    """
    with _progress(name) as progress:
        folder, paths = toysearch.fetch(name, output, source=source, force=force, timeout=timeout, progress=progress)
    click.echo(folder)
    if not paths:
        remark(f"{name} is there already, nothing was fetched (--force fetches it again)")
        return
    remark(f"{name}: {count(len(paths), 'file')} fetched")
    if output is not None and folder != catalog.locate(catalog.recipe(name)):
        remark(f"To use them, name {Path(output).resolve()} in the environment variable {catalog.VARIABLE}.")


def offer(name: str) -> bool:
    """Whether the missing files of a collection are there now: fetched with --get, or after a yes at the terminal."""
    if not click.get_current_context().meta.get(GET) and not _agreed(catalog.recipe(name)):
        return False
    with _progress(name) as progress:
        toysearch.fetch(name, progress=progress)
    return True


def _agreed(recipe: Recipe) -> bool:
    """Whether the user, asked at a terminal, wants the files fetched."""
    if not at_terminal():
        return False
    bytes_ = [file.bytes for file in recipe.files]
    large = f" ({size(sum(bytes_))})" if all(bytes_) else ""  # type: ignore[arg-type]
    hosts = dict.fromkeys(urlsplit(source).hostname or source for source in recipe.sources)
    question = f"The files of {recipe.title or recipe.name}{large} are not here. Fetch them from {' or '.join(hosts)}?"
    try:
        return click.confirm(paragraph(question, stream=sys.stderr), default=True, err=True)
    except click.Abort:  # click's own word for Ctrl-C and for the end of the input
        raise KeyboardInterrupt from None


def at_terminal() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def _progress(name: str) -> Iterator[Tell | None]:
    """A bar with the bytes that have come; None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def tell(address: str, done: int, total: int | None) -> None:
            if address not in tasks:
                tasks[address] = bar.add_task(f"{name}: {address.rstrip('/').rsplit('/', 1)[-1]}", total=total)
            bar.update(tasks[address], completed=done, total=total)

        yield tell
