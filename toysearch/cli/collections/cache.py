"""`toysearch cache`: the caches of toysearch, their sizes, and how to clear them."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from toysearch.base import Column, byte_size
from toysearch.base.user_cache import cache_folder, compiled_loops, neighbour_graphs
from toysearch.cli import Command, emit, examples, option, output_options, remark
from toysearch.corpus import catalog

LOOPS = "compiled loops"
GRAPHS = "graphs of vectors"


@click.command(cls=Command, epilog=examples("toysearch cache", "toysearch cache --clear"))
@option("--clear", is_flag=True, help="Remove compiled loops and graphs of vectors, which are made again when needed.")
@output_options
def command(clear: bool, form: str) -> None:
    """Show the caches, and remove what can be made again.

    Downloaded collections stay: to remove one, delete its folder.
    """
    loops = cache_folder() / "compiled"
    kinds = [(LOOPS, loops), (GRAPHS, neighbour_graphs())]
    if clear:
        for what, folder in kinds:
            freed = sum(_sizes(folder))
            shutil.rmtree(folder, ignore_errors=True)
            remark(f"{byte_size(freed)} of {what} removed from {folder}")
        if loops not in (chosen := compiled_loops()).parents:
            remark(f"NUMBA_CACHE_DIR names {chosen}, which is yours and is left unchanged")
    fetched = [(name, cache_folder() / name) for name in catalog.names() if (cache_folder() / name).is_dir()]
    rows: list[list[object]] = []
    for what, folder in [*kinds, *fetched]:
        sizes = _sizes(folder)
        rows.append([what, len(sizes), byte_size(sum(sizes)) if form == "table" else sum(sizes), str(folder)])
    columns = [Column("what"), Column("files", justify="right"), Column("bytes", "size", justify="right")]
    emit([*columns, Column("folder", wrap=True)], rows, form)


def _sizes(folder: Path) -> list[int]:
    """The size of each file below a folder; empty if the folder does not exist."""
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
