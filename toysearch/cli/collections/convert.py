"""`toysearch convert`: a collection → its documents, queries and judgments in another layout."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, option, reading_options
from toysearch.cli.output import progress, remark
from toysearch.cli.sources import is_index, load_source
from toysearch.errors import ArgumentError
from toysearch.wording import byte_size, counted


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch convert cat-dog-parrot --to trec -o pets",
        "toysearch convert cranfield --to beir -o cranfield-beir",
        "toysearch convert cranfield --grades binary --to jsonl -o cranfield-binary",
    ),
)
@click.argument("source")
@option("--to", required=True, metavar="LAYOUT", help="Layout to write: beir, trec or jsonl.")
@option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="DIR",
    help="Folder to write; replaces an earlier one of this kind.",
)
@reading_options
def command(source: str, to: str, folder: str, options: SourceOptions) -> None:
    """Write a collection in another layout: BEIR, TREC, JSON Lines.

    SOURCE is the name of a collection (`toysearch corpora list`), a folder or a file. The folder gets its
    documents, queries and judgments, and a collection.toml that records the searched fields, so that the same
    models have the same figures there. Judgments are written as gains. Content that a layout cannot carry is refused or
    counted in a note.
    """
    if is_index(source):
        raise ArgumentError(
            f"'{source}' is an index, which holds no queries; name the collection that it was built from"
        )
    collection = load_source(source, options)
    written = 0

    def count_documents(done: int) -> None:
        nonlocal written
        written = done
        if tell:
            tell(done)

    with progress("writing", "documents") as tell:
        path = toysearch.convert(collection, to=to, folder=folder, split=options.split, progress=count_documents)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    names = ", ".join(file.relative_to(path).as_posix() for file in files)
    used = byte_size(sum(file.stat().st_size for file in files))
    remark(
        f"{folder}: {counted(written, 'document')}, "
        f"{counted(len(collection.queries), 'query', 'queries')}, {used}: {names}"
    )
