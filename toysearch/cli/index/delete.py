"""`toysearch delete`: a saved index without some of its documents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from toysearch.base import counted
from toysearch.cli import Command, examples, option, remark
from toysearch.cli.index.index import summary

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch index cat-dog-parrot -o pets.idx",
        "toysearch delete pets.idx 2",
        "echo 4 | toysearch delete pets.idx -",
        "toysearch delete pets.idx --from gone.txt",
    ),
)
@click.argument("folder", metavar="INDEX")
@click.argument("named", nargs=-1, metavar="[DOC_ID]...")
@option("--from", "file", metavar="FILE", help="File of doc_ids to delete, one per line.")
def command(folder: str, named: Sequence[str], file: str | None) -> None:
    """Delete documents from a saved index.

    Each DOC_ID names a document; - reads them from standard input, one per line. Afterwards the index equals, byte for
    byte, one that `toysearch index` builds from the other documents: no trace of the deleted ones is left. If the index
    lacks one of them, nothing is deleted.

    Until then the old index can be searched, and it stays unchanged after a failure.
    """
    from toysearch.formats.text_files import read_doc_ids
    from toysearch.index.replacement import change_index

    started = time.perf_counter()
    doc_ids = [doc_id for name in named for doc_id in (read_doc_ids(name) if name == "-" else [name])]
    if file is not None:
        doc_ids += read_doc_ids(file)
    if not doc_ids:
        raise click.UsageError("expected the doc_ids of the documents to delete, or a file that names them (--from)")
    before = 0

    def smaller(index: Index) -> Index:
        nonlocal before
        before = index.stats.N
        return index.delete(doc_ids)

    index = change_index(folder, smaller)
    remark(f"{folder}: {counted(before, 'document')} before, now {summary(folder, index, started)}")
