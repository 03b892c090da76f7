"""`toysearch convert`: a collection → its documents, queries and judgments in another layout."""

from __future__ import annotations

import os

import click

import toysearch
from toysearch.base import ArgumentError, annex, byte_size, counted
from toysearch.cli import (
    Command,
    SourceOptions,
    examples,
    force_option,
    keep,
    load_source,
    option,
    progress,
    reading_options,
    remark,
    shared,
)
from toysearch.search.searcher import is_index_folder


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch convert cat-dog-parrot --to trec -o pets",
        "toysearch convert cranfield --to beir -o cranfield-beir",
        "toysearch convert cranfield --grades binary --to jsonl -o cranfield-binary",
        "toysearch convert pets.idx --to ciff -o pets.ciff.gz",
    ),
)
@click.argument("source")
@option("--to", required=True, metavar="LAYOUT", help="Layout to write: beir, trec or jsonl; ciff for an index.")
@shared(
    "output",
    "folder",
    required=True,
    metavar="PATH",
    help="Folder to write, or the file of ciff; replaces an earlier one of this kind.",
)
@force_option
@reading_options
def command(source: str, to: str, folder: str, options: SourceOptions) -> None:
    """Write a collection in another layout: BEIR, TREC, JSON Lines.

    SOURCE is the name of a collection (`toysearch corpora list`), a folder or a file. The folder gets its
    documents, queries and judgments, and a collection.toml that records the searched fields, so that the same
    models have the same figures there. Judgments are written as gains. Content that a layout cannot carry is refused or
    counted in a note.

    SOURCE may be the folder of an index if --to is ciff, the format in which search engines exchange indexes (Lucene,
    PISA, Terrier). It carries terms, postings, and the ids and lengths of documents. Texts, separate fields and
    positions are left out.
    """
    if to == "ciff":
        _write_ciff(source, folder, options)
        return
    if is_index_folder(source):
        raise ArgumentError(
            f"'{source}' is an index, which holds no queries; name the collection that it was built from, or write its "
            "postings: --to ciff"
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
    size = byte_size(sum(file.stat().st_size for file in files))
    remark(
        f"{folder}: {counted(written, 'document')}, "
        f"{counted(len(collection.queries), 'query', 'queries')}, {size}: {names}"
    )


def _write_ciff(source: str, path: str, options: SourceOptions) -> None:
    """Write the postings of an index to a CIFF file."""
    from toysearch.formats.writing import refuse_place

    refuse_place(path)
    if not is_index_folder(source):
        raise ArgumentError(
            f"'{source}' is not an index, and CIFF holds one; make it first: toysearch index {source} -o DIR"
        )
    if options_given := options.given(*SourceOptions._fields):
        raise ArgumentError(f"'{source}' is an index: leave out {' and '.join(options_given)}")
    keep(path, "ciff")
    index = toysearch.Index.open(source)
    with progress("writing", "terms") as tell:
        annex("CIFF").write_ciff(index, path, progress=tell)
    stats = index.stats
    counts = f"{counted(stats.N, 'document')}, {counted(stats.n_terms, 'term')}, {counted(stats.n_postings, 'posting')}"
    remark(f"{path}: {counts}, {byte_size(os.stat(path).st_size)}")
