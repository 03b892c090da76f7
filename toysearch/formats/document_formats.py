"""The formats of documents and queries: names, readers and searched fields."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from toysearch.base import ArgumentError, unknown
from toysearch.formats.record_files import Record, RecordFile, Rejected


class Format(NamedTuple):
    """A format of documents, of queries, or of both."""

    described: str  # a description of such a file for people
    # documents, queries: the reader, as ``module:function`` below toysearch.formats, imported on first use; "" for none
    documents: str
    queries: str
    title: str = "title"  # the field shown as the title of a document
    # the searched fields of a document unless the collection or the user names others, the main text last
    text: tuple[str, ...] = ("title", "text")
    # the fields that a query can be made of: the first one present, unless the collection or the user names another
    query: tuple[str, ...] = ("text",)
    columns: bool = False  # whether the user may name the column or key of each part


_CELLS = "csv_tables:read_table"
_LINES = "jsonl:read_jsonl"
_FORMATS = {
    "beir": Format("a BEIR folder (corpus.jsonl)", _LINES, _LINES, columns=True),
    "smart": Format(
        "SMART records (lines '.I ID')",
        "smart_files:read_smart",
        "smart_files:read_smart",
        "T",
        ("T", "W"),
        query=("W",),
    ),
    "trec": Format(
        "TREC documents (<DOC> with a <DOCNO>)",
        "sgml:read_trec_documents",
        "topics:read_topics",
        query=("title", "description", "text", "narrative"),
    ),
    "jsonl": Format("JSON Lines (one object per line)", _LINES, _LINES, columns=True),
    "csv": Format("CSV with a header", _CELLS, _CELLS, columns=True),
    "tsv": Format("TSV with a header", _CELLS, _CELLS, columns=True),
    "folder": Format("a folder of texts (.txt, .md, .html)", "text_folder:read_folder", ""),
}

TOPIC_FORMS = "topics are <top> … </top>, XML with <topic number=\"51\"> or lines such as '51:airbus subsidies'"

_EMPTY = {
    "smart_files:read_smart": "record; expected SMART records, each beginning with a line '.I ID'",
    "sgml:read_trec_documents": "document; expected TREC documents, each <DOC> … </DOC> with a <DOCNO>",
    "topics:read_topics": f"topic; {TOPIC_FORMS}",
}
"""Reader → what is said of a file without records."""

DATASET = "ir_datasets"
"""The prefix of a source from the package ir_datasets, and the name of its format."""

FORMATS = tuple(_FORMATS)
"""The formats of files; `--input-format` and a collection.toml name one of them."""

_DATASET = Format(
    f"a collection of the package {DATASET}",
    "datasets:read_dataset_documents",
    "datasets:read_dataset_queries",
    query=("text", "title", "query", "question", "description"),
)


def is_dataset(source: str) -> bool:
    """Whether a source names a collection of the package ir_datasets.

    >>> is_dataset("ir_datasets:vaswani"), is_dataset("irds:beir/scifact/test"), is_dataset("irds")
    (True, True, False)
    """
    prefix, colon, _ = source.partition(":")
    return bool(colon) and prefix in (DATASET, "irds")  # PyTerrier has the short prefix


def format_named(name: str) -> Format:
    """The entry of a format."""
    if name == DATASET:
        return _DATASET
    if name not in _FORMATS:
        raise unknown("format", name, FORMATS)
    return _FORMATS[name]


def read_records(
    name: str,
    role: str,
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    rejected: Rejected | None = None,
    unnamed: bool = False,
) -> Iterator[Record]:
    """The records of a file of documents or queries, in its order."""
    form = format_named(name)
    home = form.documents if role == "documents" else form.queries
    if not home:
        raise ArgumentError(f"the format {name} has no {role}; name another for {path}: {', '.join(FORMATS)}")
    if columns and not form.columns:
        able = ", ".join(other for other, entry in _FORMATS.items() if entry.columns)
        raise ArgumentError(
            f"columns can be named only in the formats {able}; {path} is in the format {name}: leave columns out, "
            "and choose its fields with fields"
        )
    module, _, reader = home.partition(":")
    records_of: Callable[[RecordFile], Iterator[Record]] = getattr(
        importlib.import_module(f"toysearch.formats.{module}"), reader
    )
    file = RecordFile(path, columns, rejected, unnamed)
    return file.some(records_of(file), _EMPTY[home]) if home in _EMPTY else records_of(file)
