"""`toysearch corpora get`: the files of a named collection, downloaded and checked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

import toysearch
from toysearch.cli.options import examples
from toysearch.cli.output import count, remark
from toysearch.corpus import catalog

Tell = Callable[[str, int, int | None], None]


@click.command(
    "get",
    epilog=examples(
        "toysearch corpora get cat-dog-parrot",
        "toysearch corpora get cranfield",
        "toysearch corpora get cranfield --from http://127.0.0.1:8000/cranfield.tar.gz",
    ),
)
@click.argument("name")
@click.option(
    "--from",
    "source",
    metavar="PLACE",
    help="Take the files from here: the address or the path of a tar or zip archive, or of a folder (an address then "
    "ends in /).  [default: the addresses of `toysearch corpora show NAME`]",
)
@click.option(
    "-o", "--output", metavar="DIR", help="A folder of collections in the place of your cache; files go to DIR/NAME."
)
@click.option("--force", is_flag=True, help="Fetch again what is there; the old files stay until the new are checked.")
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long a server may be silent.",
)
def command(name: str, source: str | None, output: str | None, force: bool, timeout: float) -> None:
    """Fetch the files of a named collection, and check them.

    Each file is compared with the checksum that the collection's description states before it takes its place. What
    was cut or interrupted is gone on with next time. Printed is the folder in which the files are.
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
