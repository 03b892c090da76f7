"""`toysearch cache`: the caches of toysearch, their sizes, and how to clear them."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from toysearch.base import Column, byte_size
from toysearch.base.user_cache import cache_folder, neighbour_graphs
from toysearch.cli import Command, emit, examples, option, output_options, remark
from toysearch.corpus import catalog

GRAPHS = "graphs of vectors"


@click.command(cls=Command, epilog=examples("toysearch cache", "toysearch cache --clear"))
@option("--clear", is_flag=True, help="Remove graphs of vectors, which are made again when needed.")
@output_options
def command(clear: bool, form: str) -> None:
    """Show the caches, and remove what can be made again.

    Downloaded collections stay: to remove one, delete its folder.
    """
    graphs = neighbour_graphs()
    if clear:
        freed = sum(_sizes(graphs))
        shutil.rmtree(graphs, ignore_errors=True)
        remark(f"{byte_size(freed)} of {GRAPHS} removed from {graphs}")
    fetched = [(name, cache_folder() / name) for name in catalog.names() if (cache_folder() / name).is_dir()]
    rows: list[list[object]] = []
    for what, folder in [(GRAPHS, graphs), *fetched]:
        sizes = _sizes(folder)
        rows.append([what, len(sizes), byte_size(sum(sizes)) if form == "table" else sum(sizes), str(folder)])
    columns = [Column("what"), Column("files", justify="right"), Column("bytes", "size", justify="right")]
    emit([*columns, Column("folder", wrap=True)], rows, form)


def _sizes(folder: Path) -> list[int]:
    """The size of each file below a folder; empty if the folder does not exist."""
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
