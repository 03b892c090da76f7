"""The layouts for writing a collection: the file names and the form of a record."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toysearch.base import DataError, counted, encodable
from toysearch.base.markup import INLINE
from toysearch.formats.column_names import PARTS, plain_label
from toysearch.formats.sgml import TITLES
from toysearch.formats.topics import FIELDS, LABELS

_TAG_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
_TAGS = {*TITLES, *INLINE, "doc", "docno", "docid", "header", "text", "body", "p", "script", "style"}
_TAGS |= set("br hr h1 h2 h3 h4 h5 h6 table tr td th ul ol li div center pre blockquote f".split())  # noqa: SIM905
_TOPIC_TAGS = {*INLINE, "p", "top", "num", *(name for names in FIELDS.values() for name in names)}


@dataclass
class ExportedRecord:
    """A document or a query to write: its id, its title and text, and its other fields."""

    record_id: str  # the id
    title: str  # the title; "" for none, and always for a query
    text: str  # the main text of a document; the search text of a query
    others: Mapping[str, str]  # all other fields


@dataclass
class Writing:
    """The renamed fields and the losses of the records written to one file."""

    noun: str  # the noun for a record
    reserved: Container[str] = ()  # plain names (`plain_label`) that other fields must not have in this file
    as_tags: bool = False  # whether fields become tags, named with lower-case letters, digits and a few signs
    names: dict[str, str] = field(default_factory=dict)  # field → its name in the file
    losses: Counter[str] = field(default_factory=Counter)  # kind of loss → number of records
    # the fields, by their names in the file, that are not empty in at least one record
    filled: set[str] = field(default_factory=set)

    def name_of(self, name: str) -> str:
        """The name of a field in the file: unchanged, or the closest name that the layout allows."""
        if name not in self.names:
            new = encodable(name)[0]
            if self.as_tags and not _TAG_NAME.fullmatch(new):
                new = re.sub(r"[^a-z0-9_.-]", "_", new.lower())
                new = new if _TAG_NAME.fullmatch(new) else f"field_{new.lstrip('_')}"
            while plain_label(new) in self.reserved or new in self.names.values():
                new += "_"
            self.names[name] = new
        return self.names[name]

    def carried(self, fields: Mapping[str, str], carry: Callable[[str], str], loss: str) -> dict[str, str]:
        """The fields of a record as the layout holds them; a record that loses anything is counted."""
        texts = {name: encodable(text)[0] for name, text in fields.items()}
        self.losses["with lone surrogates, which become U+FFFD"] += texts != fields
        carried_texts = {name: carry(text) for name, text in texts.items()}
        self.losses[loss] += carried_texts != texts
        self.filled.update(name for name, text in carried_texts.items() if text)
        return carried_texts

    def notes(self) -> list[str]:
        """One sentence for each kind of change."""
        sentences = [
            f"{counted(count, self.noun, 'queries' if self.noun == 'query' else None)} {loss}"
            for loss, count in self.losses.items()
            if count
        ]
        # A reserved name is one that reads back as the field: desc in TREC is the description.
        changed = [(old, new) for old, new in self.names.items() if old != new and new not in self.reserved]
        renamed = ", ".join(f"'{old}' is called '{new}'" for old, new in changed)
        return sentences + ([f"of a {self.noun}, the field {renamed}"] if renamed else [])


class Target(NamedTuple):
    """A layout for writing a collection."""

    format: str  # its name; one of `FORMATS`
    # documents, queries, qrels: the names of the files; the judgments of a split called NAME are in the folder qrels,
    # under NAME
    documents: str
    queries: str
    qrels: str
    ending: str  # the suffix of such a file
    judgments: str  # the form of the judgments: a form of `write_qrels`, or ``jsonl``
    # document, query: the text of a record in its file; "" where the file cannot hold it
    document: Callable[[ExportedRecord, Writing], str]
    query: Callable[[ExportedRecord, Writing], str]
    # document_names, query_names: a new `Writing` for the file
    document_names: Callable[[], Writing]
    query_names: Callable[[], Writing]
    asked: str  # the field that holds the text of a query


def _object(key: str) -> Callable[[ExportedRecord, Writing], str]:
    """A function that writes a record as a JSON object on one line, with its id under the key."""

    def put(record: ExportedRecord, writing: Writing) -> str:
        item = {key: record.record_id, "title": record.title, "text": record.text}
        if writing.noun == "query":
            del item["title"]
        fields = item | {writing.name_of(name): text for name, text in record.others.items()}
        return json.dumps(writing.carried(fields, str, ""), ensure_ascii=False) + "\n"

    return put


def _document_element(record: ExportedRecord, writing: Writing) -> str:
    """A document in TREC SGML; other fields go into an administrative element, which is not part of the text."""
    fields = {"title": record.title, "text": record.text}
    fields |= {writing.name_of(name): text for name, text in record.others.items()}
    elements = writing.carried(fields, str.strip, "with white space at the ends of a field, which is left out")
    doc_id = _escaped(_checked_id(record.record_id, writing.noun))
    title, text, *others = (
        f"<{name.upper()}>{_escaped(words)}</{name.upper()}>\n" if words else "" for name, words in elements.items()
    )
    header = f"<HEADER>\n{''.join(others)}</HEADER>\n" if any(others) else ""
    return f"<DOC>\n<DOCNO>{doc_id}</DOCNO>\n{title}{header}{text}</DOC>\n"


def _topic_element(record: ExportedRecord, writing: Writing) -> str:
    """A query as a TREC topic; "" for a query without text."""
    fields = {"title": record.text} | {writing.name_of(name): text for name, text in record.others.items()}
    loss = "with line breaks or repeated spaces, which become one space"
    held = {name: words for name, words in writing.carried(fields, _one_line, loss).items() if words}
    if not held:
        writing.losses["without text left out: a topic has some"] += 1
        return ""
    query_id = _escaped(_checked_id(record.record_id, writing.noun))
    labels = {name: f" {LABELS[name]}:" if name in LABELS else "" for name in held}
    elements = [f"<{name}>{labels[name]} {_escaped(words)} </{name}>\n" for name, words in held.items()]
    return f"<top>\n<num> {LABELS['num']}: {query_id} </num>\n{''.join(elements)}</top>\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _checked_id(record_id: str, noun: str) -> str:
    """The id, refused where white space or a lone surrogate is in it."""
    if record_id.split() != [record_id] or encodable(record_id)[1]:
        raise DataError(
            f"the {noun} {record_id!r} has an id with white space or a lone surrogate, which the TREC formats cannot "
            "carry; give it another id, or convert to beir or jsonl"
        )
    return record_id


def _escaped(text: str) -> str:
    """A text with its markup characters as entities; carriage returns too, since CRLF is read as one line end."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


_TOPIC_NAMES = {"description": "desc", "narrative": "narr"}

TARGETS: Mapping[str, Target] = {
    "beir": Target(
        "beir",
        "corpus.jsonl",
        "queries.jsonl",
        "qrels/test.tsv",
        ".tsv",
        "tsv",
        _object("_id"),
        _object("_id"),
        lambda: Writing("document", {"_id", "title", "text"}),
        lambda: Writing("query", {"_id", "text"}),
        "text",
    ),
    "trec": Target(
        "trec",
        "documents.trec",
        "topics.trec",
        "qrels.trec",
        ".trec",
        "trec",
        _document_element,
        _topic_element,
        lambda: Writing("document", _TAGS, as_tags=True),
        lambda: Writing("query", _TOPIC_TAGS, as_tags=True, names=dict(_TOPIC_NAMES)),
        "title",
    ),
    "jsonl": Target(
        "jsonl",
        "documents.jsonl",
        "queries.jsonl",
        "qrels.jsonl",
        ".jsonl",
        "jsonl",
        _object("doc_id"),
        _object("query_id"),
        lambda: Writing("document", {*PARTS["id"], "title", "text"}),
        lambda: Writing("query", {*PARTS["id"], "text"}),
        "text",
    ),
}
"""The layouts that a collection can be converted to, by name."""
