"""`toysearch index`, `add` and `delete`: an index in a folder, with more documents, and without some."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toysearch
import toysearch.index
from toysearch import files
from toysearch.base import (
    ArgumentError,
    byte_size,
    counted,
    typed_line,
    workers_of,
)
from toysearch.cli.commands import command, given_options
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    analysis_of,
    analyzer_for,
    document_options,
    index_options,
    option,
    refuse_if,
    shared,
)
from toysearch.cli.output import emit, progress, remark
from toysearch.cli.sources import load_source
from toysearch.cli.workers import connected, worker_option
from toysearch.rings import ring

if TYPE_CHECKING:
    from toysearch.collection.collection import Collection


@command(
    "toysearch index cat-dog-parrot -o pets.idx",
    "toysearch index companions -o companions.idx --language english",
    "toysearch index companions -o companions.idx --fields title --no-text",
    "toysearch index cat-dog-parrot -o pets.idx --apart",
    "toysearch index cat-dog-parrot -o pets.idx --positions",
    "toysearch index companions -o companions.idx --lsa 100",
    "toysearch index companions -o companions-shards.idx --shards 3",
)
@click.argument("source")
@shared("output", "folder", required=True, metavar="DIR", help="Folder of the index; replaces an index there.")
@option("--no-text", is_flag=True, help="Store no titles and texts: smaller, but without snippets.")
@option("--apart", is_flag=True, help="Count the searched fields separately too, for bm25f.")
@option(
    "--values",
    metavar="A,B",
    help="Fields whose values to keep, for filters and priors: brand,year.  [default: numbers, dates and few values, "
    "of at most 6 MB]",
)
@option("--positions", is_flag=True, help="Store the positions of the terms in each document.")
@option("--lsa", type=POSITIVE, metavar="N", help="Number of latent topics to store, for the model lsa: 200.")
@shared("threads", heading="Options", help="Number of threads; the index is the same.  [default: one per core]")
@option("--shards", type=POSITIVE, help="Number of shards to cut the index into.  [default: one index]")
@option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@worker_option
@index_options
def index_command(
    source: str,
    folder: str,
    no_text: bool,
    apart: bool,
    values: str | None,
    positions: bool,
    lsa: int | None,
    threads: int | None,
    shards: int | None,
    as_json: bool,
    workers: int | str | None,
    options: SourceOptions,
) -> None:
    """Index a collection and save it to a folder.

    SOURCE is the name of a collection (`toysearch corpora`), a folder or a file. The index stores its analyzer,
    which also analyses its queries. The ranking model is chosen when searching.

    The values of a field that is not searched, such as a brand, a price or a date, can be asked for in queries
    (+brand:dyson, +price:<50) if the index keeps them. --values "" keeps none.

    Workers read and index parts of the documents at the same time; the index is the same, byte for byte. An index in
    shards is searched like one index, by workers too, and every score is the same.
    """
    started = time.perf_counter()
    if toysearch.index.is_index_folder(source):
        raise ArgumentError(f"'{source}' is already an index; name the collection to build it from")
    in_parts = shards is not None or workers is not None
    if not in_parts:
        toysearch.index.refuse_foreign(Path(folder))  # before the work, not after it
    else:
        rejecting = ", ".join(given_options(("on_error", "rejected")).values())
        refuse_if(rejecting, f"{rejecting}: only without --shards and workers")
        refuse_if(
            shards is not None and lsa is not None,
            f"--lsa: an index in shards stores no topics; leave it out, and --model lsa:{lsa} computes them for a "
            "search",
        )
    with connected(workers) as client:
        collection = load_source(source, options, topics=False)
        analyzer = analyzer_for(options, collection) if analysis_of(options) else None
        searched = collection.searched_fields
        settings: dict[str, Any] = {"store_text": not no_text, "positions": positions, "threads": threads}
        settings["fields"] = searched if apart else None
        if values is not None:
            settings["values"] = [name.strip() for name in values.split(",") if name.strip()]
        with progress("indexing", "documents", lambda: None if in_parts else collection.position) as tell:
            work: dict[str, Any] = {"lsa": lsa, "progress": tell}
            if in_parts:
                work |= {"shards": shards or len(workers_of(client)), "joined": shards is None, "client": client}
                index = ring("shard builder").index_in_shards(collection, folder, analyzer, settings, **work)
            else:
                index = toysearch.Index.build(collection, analyzer, **settings, folder=folder, **work)
    for name, kept in index.values.items() if values is not None else ():
        toysearch.index.note_left_out(name, kept)
    _tell(folder, index, started, as_json, searched)


def _tell(folder: str, index: toysearch.Index, started: float, as_json: bool, searched: Sequence[str]) -> None:
    field_names = sorted(index.values)
    if not as_json:
        remark(f"{folder}: {summary(folder, index, started)}")
        parts = [str(index.analyzer), f"searched: {', '.join(searched)}"]
        parts += [f"values kept: {', '.join(field_names)}"] if field_names else []
        remark(" · ".join(parts))
        if not index.collection:
            line = typed_line("toysearch", "eval", folder, "--known-items", "sentence")
            remark(f"how well it finds its own texts, without judgments: {line}")
        return

    stats = index.stats
    data = {
        "folder": folder,
        "collection": index.collection or None,
        "analyzer": str(index.analyzer),
        "documents": stats.N,
        "terms": stats.n_terms,
        "postings": stats.n_postings,
        "avgdl": stats.avgdl,
        "searched": list(searched),
        "fields": list(index.fields.names),
        "values": field_names,
        "bytes": sum(toysearch.index.index_files(folder).values()),
        "seconds": time.perf_counter() - started,
    }
    emit([], [], "json", data=data)


def summary(folder: str, index: toysearch.Index, started: float) -> str:
    """Return a sentence with the counts of a saved index, its size on disk, and the elapsed time."""
    stats = index.stats
    size = sum(toysearch.index.index_files(folder).values())
    return (
        f"{counted(stats.N, 'document')}, {counted(stats.n_terms, 'term')}, {counted(stats.n_postings, 'posting')}, "
        f"{byte_size(size)}, {time.perf_counter() - started:.2f} s"
    )


@command(
    "toysearch index cat-dog-parrot -o pets.idx",
    "toysearch add pets.idx more.jsonl",
    "toysearch add pets.idx cat-dog-parrot --replace",
    "toysearch add notes.idx notes --sync",
)
@click.argument("folder", metavar="INDEX")
@click.argument("source")
@option("--replace", is_flag=True, help="Replace a document by a new one with the same id, placed at the end.")
@option("--sync", is_flag=True, help="Make the index what SOURCE is now: add, replace, delete.")
@worker_option
@document_options
def add_command(
    folder: str, source: str, replace: bool, sync: bool, workers: int | str | None, options: SourceOptions
) -> None:
    """Add documents to a saved index.

    SOURCE is the name of a collection, a folder or a file. Its documents are analysed and stored like those of the
    index: texts, separate fields, numbers, positions. Afterwards the index equals, byte for byte, one that `toysearch
    index` builds from all documents in this order. A document whose id is already in the index is refused. With --sync
    it equals one of SOURCE as it is now, read with the options with which the index was built unless others are given,
    and the documents added, changed and gone are counted.

    Until then the old index can be searched, and it stays unchanged after a failure. Without --sync, give the same
    --fields as when the index was built. Workers read and index parts of the new documents
    at the same time.
    """
    started = time.perf_counter()
    refuse_if(sync and replace, "--sync replaces what has changed: leave out --replace")
    if toysearch.index.is_index_folder(source):
        raise ArgumentError(f"'{source}' is an index; name the collection that should be added to '{folder}'")
    before, changes = 0, ""
    with connected(workers) as client, ExitStack() as stack, progress("adding", "documents") as tell:

        def added(index: toysearch.Index) -> toysearch.Index:
            nonlocal before, changes
            before = index.stats.N
            collection = _read_for(index, source, options, sync)
            n_shards = len(index.shards) if sync else 0  # an index in shards has as many of them afterwards
            built = None
            if client is not None or n_shards:
                shards = n_shards or len(workers_of(client))
                building = ring("shard builder").index_to_add(
                    collection, folder, index, shards=shards, joined=not n_shards, client=client, progress=tell
                )
                built = stack.enter_context(building)
            if not sync:
                if built is None:
                    return index.add(collection, replace=replace, progress=tell)
                return index.with_arrays(built.arrays, replace)
            if built is None:
                now, changes = toysearch.index.synced(index, collection, tell)
                return now
            now = built if n_shards else toysearch.index.made_like(index, built.arrays, collection)
            changes = toysearch.index.differences(index, now)
            return now

        index = toysearch.index.change_index(folder, added)
    changes = f"{changes}; " if changes else ""
    remark(f"{folder}: {changes}{counted(before, 'document')} before, now {summary(folder, index, started)}")


def _read_for(index: toysearch.Index, source: str, options: SourceOptions, sync: bool) -> Collection:
    """Read what an index gets, searched in its fields; to sync, read as the index was built unless options differ."""
    fields = index.fields.names
    as_built = {name: value for name, value in index.reading.items() if sync and name in files.SETTINGS}
    how_read = as_built | {name: value for name, value in vars(options.reading).items() if value}
    are_named = "input_format" in how_read or index.reading.get("input_format")  # perhaps lines of texts
    if not (sync or are_named) and os.path.isfile(source) and files.taken_alone(source).form == "folder":
        how_read["input_format"] = "folder"  # one text is one document
    collection = load_source(source, options._replace(reading=files.Reading(**how_read)), topics=False)
    if not fields or list(collection.searched_fields) == fields:
        return collection
    if options.reading.fields is None:
        how_read["fields"] = ",".join(fields)
        collection = load_source(source, options._replace(reading=files.Reading(**how_read)), topics=False)
    if list(collection.searched_fields) != fields:
        raise ArgumentError(
            f"the index has the separate fields {', '.join(fields)}, but '{source}' would be searched in "
            f"{', '.join(collection.searched_fields)}; both must be the same, in the same order"
        )
    return collection


@command(
    "toysearch index cat-dog-parrot -o pets.idx",
    "toysearch delete pets.idx 2",
    "echo 4 | toysearch delete pets.idx -",
    "toysearch delete pets.idx --from gone.txt",
)
@click.argument("folder", metavar="INDEX")
@click.argument("named", nargs=-1, metavar="[DOC_ID]...")
@option("--from", "file", metavar="FILE", help="File of doc_ids to delete, one per line.")
def delete_command(folder: str, named: Sequence[str], file: str | None) -> None:
    """Delete documents from a saved index.

    Each DOC_ID names a document; - reads them from standard input, one per line. Afterwards the index equals, byte for
    byte, one that `toysearch index` builds from the other documents: no trace of the deleted ones is left. If the index
    lacks one of them, nothing is deleted.

    Until then the old index can be searched, and it stays unchanged after a failure.
    """
    started = time.perf_counter()
    doc_ids = [doc_id for name in named for doc_id in (files.read_doc_ids(name) if name == "-" else [name])]
    if file is not None:
        doc_ids += files.read_doc_ids(file)
    refuse_if(not doc_ids, "expected the doc_ids of the documents to delete, or a file that names them (--from)")
    before = 0

    def smaller(index: toysearch.Index) -> toysearch.Index:
        nonlocal before
        before = index.stats.N
        return index.delete(doc_ids)

    index = toysearch.index.change_index(folder, smaller)
    remark(f"{folder}: {counted(before, 'document')} before, now {summary(folder, index, started)}")
