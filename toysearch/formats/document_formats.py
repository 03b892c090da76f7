"""The formats of documents and queries: names, readers and searched fields, and the column or key of each part."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, Remedy, unknown
from toysearch.formats.rejected_records import Rejected
from toysearch.formats.text_files import Record


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
    reader: Callable[..., Iterator[Record]] = _function(home)
    if form.columns:
        return reader(path, columns, rejected, unnamed)
    if columns:
        able = ", ".join(other for other, entry in _FORMATS.items() if entry.columns)
        raise ArgumentError(
            f"columns can be named only in the formats {able}; {path} is in the format {name}: leave columns out, "
            "and choose its fields with fields"
        )
    return reader(path)


def _function(home: str) -> Callable[..., Any]:
    """The function named ``module:function`` below toysearch.formats."""
    module, _, name = home.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(f"toysearch.formats.{module}"), name)
    return function


PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": (
            "_id",
            "id",
            "doc_id",
            "docid",
            "docno",
            "document_id",
            "query_id",
            "queryid",
            "qid",
            "topic_id",
            "number",
            "pid",
        ),
        "title": ("title", "headline", "heading", "name", "subject"),
        "text": (
            "text",
            "body",
            "content",
            "contents",
            "abstract",
            "passage",
            "document",
            "description",
            "query",
            "question",
        ),
    }
)
"""Part → the names of its column, in order of precedence."""

_LONG_TEXTS = ("text", "body", "content", "contents", "abstract", "passage")
_MOST_SHOWN = 20  # labels in an error


def plain_label(label: str) -> str:
    """A column name in comparable form: lower case, with ``_`` for hyphens and blanks.

    >>> plain_label("Query-ID ")
    'query_id'
    """
    return label.strip().lower().replace("-", "_").replace(" ", "_")


def parsed_columns(columns: str | Mapping[str, str] | None) -> dict[str, str]:
    """Part → column, as the user gave them."""
    if isinstance(columns, str):
        columns = _pairs(columns)
    return checked_columns(columns)


def _pairs(text: str) -> dict[str, str]:
    """Part → column, from a string such as ``id=docno,text=body``."""
    columns: dict[str, str] = {}
    for item in text.split(","):
        part, _, column = (piece.strip() for piece in item.partition("="))
        if not part or not column:
            raise ArgumentError(f"expected columns such as id=docno,text=body, found '{item.strip()}'")
        if part in columns:
            raise ArgumentError(f"columns names the part {part} twice; name one column per part")
        columns[part] = column
    return columns


def parts_of(labels: Sequence[str], columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Part → the label of its column, for the parts that have one."""
    choices = {part: _spelt(label, labels) for part, label in (columns or {}).items()}
    free = {plain_label(label): label for label in reversed(labels) if label not in choices.values()}
    parts: dict[str, str] = {}
    for part, names in PARTS.items():
        label = choices[part] if part in choices else next((free[name] for name in names if name in free), None)
        if label is not None:
            parts[part] = label
    return parts


def holds_text(labels: Iterable[str]) -> bool:
    """Whether a label names a long text, which neither judgments nor runs have."""
    return any(plain_label(label) in _LONG_TEXTS for label in labels)


def _spelt(label: str, labels: Sequence[str]) -> str | None:
    """The label that the user means; None if the table lacks it."""
    alike = (other for other in labels if plain_label(other) == plain_label(label))
    return label if label in labels else next(alike, None)


def checked_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """The user's choice of columns, refused if a part is unknown or one column is named for two parts."""
    labels: dict[str, str] = {}
    for part, label in (columns or {}).items():
        if part not in PARTS:
            raise unknown("part of a record", part, PARTS, "parts")
        if label in labels:
            raise ArgumentError(
                f"column '{label}' is named for {labels[label]} and for {part}; name one column per part"
            )
        labels[label] = part
    return dict(columns or {})


def field_names(labels: Iterable[str], parts: Mapping[str, str]) -> dict[str, str]:
    """The field names of a record: label → name, without the label of the id."""
    # The labels of the title and the text are renamed to title and text. Any other label that is one of these two words
    # gets an underscore behind it.
    names = {label: part for part, label in parts.items() if part != "id"}
    in_use = set(names.values())
    for label in labels:
        if label in names or label == parts.get("id"):
            continue
        name = label
        while name in in_use:
            name += "_"
        in_use.add(name)
        names[label] = name
    return names


def without_text(labels: Sequence[str], parts: Mapping[str, str], noun: str, expected: str) -> str:
    """The advice for columns or keys without a known name for the text."""
    free = {label.rpartition(".")[2].lower(): label for label in labels if label not in parts.values()}
    near = [free[each] for name in _LONG_TEXTS for each in free if name in each.split("_")]
    near += [free[each] for name in _LONG_TEXTS for each in difflib.get_close_matches(name, free, n=1)]
    example = (near or [*free.values(), "NAME"])[0]
    return (
        f"expected {expected} that holds the text, such as text or body, found {listed_labels(labels, noun)}; "
        f"name it, as in {Remedy('load', columns=f'text={example}')}"
    )


def listed_labels(labels: Sequence[str], noun: str) -> str:
    """The labels separated by commas, for an error; a long list is truncated."""
    listed = ", ".join(labels[:_MOST_SHOWN]) + (", …" if len(labels) > _MOST_SHOWN else "")
    return listed if labels else f"no {noun}"
