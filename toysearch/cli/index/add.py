"""`toysearch add`: more documents for a saved index."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from toysearch.base import ArgumentError, counted
from toysearch.cli import (
    Command,
    SourceOptions,
    Workers,
    document_options,
    examples,
    load_source,
    named_worker_options,
    option,
    progress,
    remark,
)
from toysearch.cli.index.index import summary
from toysearch.search.searcher import is_index_folder

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection
    from toysearch.index.inverted_index import Index


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch index cat-dog-parrot -o pets.idx",
        "toysearch add pets.idx more.jsonl",
        "toysearch add pets.idx cat-dog-parrot --replace",
    ),
)
@click.argument("folder", metavar="INDEX")
@click.argument("source")
@option("--replace", is_flag=True, help="Replace a document by a new one with the same id, placed at the end.")
@named_worker_options
@document_options
def command(folder: str, source: str, replace: bool, workers: Workers, options: SourceOptions) -> None:
    """Add documents to a saved index.

    SOURCE is the name of a collection, a folder or a file. Its documents are analysed and stored like those of the
    index: texts, separate fields, numbers, positions. Afterwards the index equals, byte for byte, one that `toysearch
    index` builds from all documents in this order. A document whose id is already in the index is refused.

    Until then the old index can be searched, and it stays unchanged after a failure. Give the same --fields as when the
    index was built: only an index with separate fields records them. Workers read and index parts of the new documents
    at the same time.
    """
    from toysearch.index.replacement import change_index

    started = time.perf_counter()
    if is_index_folder(source):
        raise ArgumentError(f"'{source}' is an index; name the collection that should be added to '{folder}'")
    before = 0
    with workers.connected() as client, ExitStack() as stack, progress("adding", "documents") as tell:

        def added(index: Index) -> Index:
            nonlocal before
            before = index.stats.N
            collection = _collection(source, options, index)
            if client is None:
                return index.add(collection, replace=replace, progress=tell)
            from toysearch.base.tasks import workers_of
            from toysearch.index import index_to_add

            how: Any = {"shards": len(workers_of(client)), "client": client, "progress": tell}
            new = stack.enter_context(index_to_add(collection, folder, index, **how))
            return index.with_arrays(new.arrays, replace)

        index = change_index(folder, added)
    remark(f"{folder}: {counted(before, 'document')} before, now {summary(folder, index, started)}")


def _collection(source: str, options: SourceOptions, index: Index) -> Collection:
    """The collection to add, searched in the separate fields of the index, if it has any."""
    fields = index.fields.names
    collection = load_source(source, options)
    if fields and options.fields is None and list(collection.searched_fields) != fields:
        collection = load_source(source, options._replace(fields=",".join(fields)))
    if fields and list(collection.searched_fields) != fields:
        raise ArgumentError(
            f"the index has the separate fields {', '.join(fields)}, but '{source}' would be searched in "
            f"{', '.join(collection.searched_fields)}; both must be the same, in the same order"
        )
    return collection
