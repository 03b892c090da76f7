"""Conversion of a collection to another layout: its documents, queries and judgments."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from toysearch.base import (
    BORDER,
    INLINE,
    ArgumentError,
    DataError,
    Document,
    StorageError,
    ToysearchError,
    bordered,
    counted,
    encodable,
    expect_name,
    note,
    replace,
    without_notes,
)
from toysearch.collection.catalog import load, without_texts
from toysearch.collection.collection import Collection
from toysearch.collection.document_batches import joined
from toysearch.collection.recipe import file_tables, read_recipe, toml_lines
from toysearch.files import FILE_NAME, PARTS, Part, files_below, plain_label, replacing, write_qrels
from toysearch.files.labels import QUERY_IDS
from toysearch.files.run_writer import write_judgment_lines
from toysearch.files.syntaxes.sgml import TITLES
from toysearch.files.syntaxes.topics import FIELDS, LABELS

__all__ = ["convert"]

_TAG_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
_TAGS = {*TITLES, *INLINE, "doc", "docno", "docid", "header", "text", "body", "p", "script", "style"}
_TAGS |= set("br hr h1 h2 h3 h4 h5 h6 table tr td th ul ol li div center pre blockquote f".split())  # noqa: SIM905
_TOPIC_TAGS = {*INLINE, "p", "top", "num", *(name for names in FIELDS.values() for name in names)}


@dataclass
class Writing:
    """Renamed fields and losses of the records written to one file."""

    noun: str  # the noun for a record
    reserved: Container[str] = ()  # plain names (`plain_label`) that other fields must not have in this file
    as_tags: bool = False  # whether fields become tags, named with lower-case letters, digits and a few signs
    names: dict[str, str] = field(default_factory=dict)  # field → its name in the file
    losses: Counter[str] = field(default_factory=Counter)  # kind of loss → number of records
    # the fields, by their names in the file, that are not empty in at least one record
    filled: set[str] = field(default_factory=set)

    def name_of(self, name: str) -> str:
        """Return the name of a field in the file: unchanged, or the closest name that the layout allows."""
        if name not in self.names:
            new = encodable(name)[0]
            if self.as_tags and not _TAG_NAME.fullmatch(new):
                new = re.sub(r"[^a-z0-9_.-]", "_", new.lower())
                new = new if _TAG_NAME.fullmatch(new) else f"field_{new.lstrip('_')}"
            while plain_label(new) in self.reserved or new in self.names.values():
                new += "_"
            self.names[name] = new
        return self.names[name]

    def carried(
        self, own: Mapping[str, str], others: Mapping[str, str], carry: Callable[[str], str], loss: str
    ) -> dict[str, str]:
        """Return the fields of a record as the layout holds them; count a record that loses anything.

        own : those whose names the layout has
        """
        fields = {**own, **{self.name_of(name): text for name, text in others.items()}}
        parts = {name: bordered(text) for name, text in fields.items()}
        if self.as_tags:
            self.losses["with lists or joined fields, each of which becomes one text"] += parts != fields
            parts = fields
        texts = {name: encodable(text)[0] for name, text in parts.items()}
        self.losses["with lone surrogates, which become U+FFFD"] += texts != parts
        carried_texts = {name: carry(text) for name, text in texts.items()}
        self.losses[loss] += carried_texts != texts
        self.filled.update(name for name, text in carried_texts.items() if text)
        return carried_texts

    def notes(self) -> list[str]:
        """Write one sentence for each kind of change."""
        sentences = [
            f"{counted(count, self.noun, 'queries' if self.noun == 'query' else None)} {loss}"
            for loss, count in self.losses.items()
            if count
        ]
        # A reserved name is one that reads back as the field: desc in TREC is the description.
        changed = [(old, new) for old, new in self.names.items() if old != new and new not in self.reserved]
        renamed = ", ".join(f"'{old}' is called '{new}'" for old, new in changed)
        return sentences + ([f"of a {self.noun}, the field {renamed}"] if renamed else [])


Put: TypeAlias = Callable[[Document, Writing], str]
"""Text of a record in its file; "" where the file cannot hold it."""


class Target(NamedTuple):
    """Layout for writing a collection."""

    # documents, queries, qrels: the names of the files; the judgments of a split called NAME are in the folder qrels,
    # under NAME
    documents: str
    queries: str
    qrels: str  # its suffix is the form of the judgments
    document: Put
    query: Put
    document_names: Container[str]  # plain names that no other field of a document may have
    query_names: Container[str]
    query_field: str = "text"  # the field that holds the text of a query
    as_tags: bool = False  # whether fields become tags
    names: tuple[tuple[str, str], ...] = ()  # a field of a query, and its name in the file


def _object(key: str) -> Put:
    def put(record: Document, writing: Writing) -> str:
        item = {key: record.doc_id, "title": record.title, "text": record.text}
        if writing.noun == "query":
            del item["title"]
        texts = writing.carried(item, record.fields, str, "")
        values = {name: text.split(BORDER) if BORDER in text else text for name, text in texts.items()}
        return json.dumps(values, ensure_ascii=False) + "\n"

    return put


def _document_element(record: Document, writing: Writing) -> str:
    """Put other fields into an administrative element, which is not part of the text."""
    own = {"title": record.title, "text": record.text}
    loss = "with white space at the ends of a field, which is left out"
    elements = writing.carried(own, record.fields, str.strip, loss)
    doc_id = _checked_id(record.doc_id, writing.noun)
    title, text, *others = (
        f"<{name.upper()}>{_escaped(words)}</{name.upper()}>\n" if words else "" for name, words in elements.items()
    )
    header = f"<HEADER>\n{''.join(others)}</HEADER>\n" if any(others) else ""
    return f"<DOC>\n<DOCNO>{doc_id}</DOCNO>\n{title}{header}{text}</DOC>\n"


def _topic_element(record: Document, writing: Writing) -> str:
    loss = "with line breaks or repeated spaces, which become one space"
    carried = writing.carried({"title": record.text}, record.fields, lambda text: " ".join(text.split()), loss)
    parts = {name: words for name, words in carried.items() if words}
    if not parts:
        writing.losses["without text left out: a topic has some"] += 1
        return ""
    query_id = _checked_id(record.doc_id, writing.noun)
    labels = {name: f" {LABELS[name]}:" if name in LABELS else "" for name in parts}
    elements = [f"<{name}>{labels[name]} {_escaped(words)} </{name}>\n" for name, words in parts.items()]
    return f"<top>\n<num> {LABELS['num']}: {query_id} </num>\n{''.join(elements)}</top>\n"


def _checked_id(record_id: str, noun: str) -> str:
    """Return an id as it stands in markup; refuse one with white space."""
    if record_id.split() != [record_id] or encodable(record_id)[1]:
        raise DataError(
            f"the {noun} {record_id!r} has an id with white space or a lone surrogate, which the TREC formats cannot "
            "carry; give it another id, or convert to beir or jsonl"
        )
    return _escaped(record_id)


def _escaped(text: str) -> str:
    """Write markup characters as entities; carriage returns too, since CRLF is read as one line end."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


TARGETS: Mapping[str, Target] = {
    "beir": Target(
        "corpus.jsonl",
        "queries.jsonl",
        "qrels/test.tsv",
        _object("_id"),
        _object("_id"),
        {"_id", "doc_id", "docno", "title", "text"},  # the first two names are read as the id before it
        {"_id", *QUERY_IDS, "text"},
    ),
    "trec": Target(
        "documents.trec",
        "topics.trec",
        "qrels.trec",
        _document_element,
        _topic_element,
        _TAGS,
        _TOPIC_TAGS,
        "title",
        as_tags=True,
        names=(("description", "desc"), ("narrative", "narr")),
    ),
    "jsonl": Target(
        "documents.jsonl",
        "queries.jsonl",
        "qrels.jsonl",
        _object("doc_id"),
        _object("query_id"),
        {*PARTS["id"], "title", "text"},
        {*PARTS["id"], "text"},
    ),
}
"""Layouts that a collection can be converted to, by name."""


_STEM = re.compile(r"\w[\w.-]*", re.ASCII)
_FIRST_LINE = "# Written by `toysearch convert`, which replaces this folder as a whole."


def convert(
    source: str | os.PathLike[str] | Collection,
    *,
    to: str,
    folder: str | os.PathLike[str],
    split: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Write a collection in another layout: BEIR, TREC, JSON Lines.

    The folder gets its documents, queries and judgments, and a collection.toml that records the searched fields, the
    language and the threshold, so that the same models have the same figures there. Judgments are written as gains.
    Content that a layout cannot carry is refused or counted in a note.

    Parameters
    ----------
    source : str, path or Collection
        As in `toysearch.load`; a collection of your own, or loaded with options of your choice.
    to : {"beir", "trec", "jsonl"}
        The layout.
    folder : str or path
        The target: a new folder, an empty one, or one that this function wrote, which is replaced. After a failure
        it is unchanged.
    split : str, optional
        The set of judgments to write, if there are several. By default all of them.
    progress : function of int, optional
        Called with the number of documents that have been written.

    Raises
    ------
    ArgumentError
        If the layout or the split is unknown, or the documents are word counts.
    DataError
        If the layout cannot carry an id, or the files of the collection are malformed.
    StorageError
        If the folder holds anything else, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = convert("cat-dog-parrot", to="trec", folder=Path(tempfile.mkdtemp(), "pets"))
    >>> sorted(path.name for path in folder.iterdir())
    ['collection.toml', 'documents.trec', 'qrels', 'topics.trec']
    >>> load(folder).documents[0].text
    'How to train a cat'
    """
    expect_name("layout", to, TARGETS)
    final = Path(os.path.realpath(folder))
    _refuse_foreign(final)
    collection = source if isinstance(source, Collection) else load(source, split=split)
    if collection.word_counts:
        raise without_texts(f"the layout {to} holds texts", collection.catalog_name)
    with _replacing_folder(final) as place:
        target, searched = TARGETS[to], _searched_fields(collection)
        names = Writing("document", target.document_names, target.as_tags)
        asking = Writing("query", target.query_names, target.as_tags, dict(target.names))
        count = _write_records(
            place / target.documents, _documents(collection, searched, progress), target.document, names
        )
        written = [Part("documents", target.documents, records=count)]
        if len(collection.queries):
            count = _write_records(place / target.queries, _queries(collection), target.query, asking)
            written += [Part("queries", target.queries, records=count)] if count else []
        written += _write_judgments(collection, target, place, split)
        with replacing(place / FILE_NAME) as file:
            file.writelines(_toml(collection, to, _searched(collection, searched, names), written))
        for message in names.notes() + asking.notes():
            note(message)
    return Path(folder)


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds anything not written by `convert`, so that no work of the user is lost."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise StorageError(f"{folder} is a file; a collection is written as a folder")
    names = files_below(folder)
    hidden = [entry.name for entry in folder.iterdir() if entry.name.startswith(".")]
    ours: set[str] = set()
    if FILE_NAME in names and (folder / FILE_NAME).read_bytes().startswith(_FIRST_LINE.encode()):
        with suppress(ToysearchError):  # edited since: then it is the user's
            ours = {FILE_NAME, *(file.path for file in read_recipe(folder / FILE_NAME).files)}
    others = [name for name in names if name not in ours] + hidden
    if others:
        raise StorageError(
            f"{folder} holds files that `toysearch convert` did not write, such as '{others[0]}'; choose a new folder "
            "or an empty one"
        )


@contextmanager
def _replacing_folder(final: Path) -> Iterator[Path]:
    mark = secrets.token_hex(4)
    temporary, old = (final.with_name(f".{final.name}.{mark}{ending}") for ending in ("", ".old"))
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if final.exists():
            replace(final, old)
        try:
            replace(temporary, final)
        except BaseException:
            if old.exists():
                replace(old, final)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"{final} could not be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_records(path: Path, records: Iterator[Document], put: Put, writing: Writing) -> int:
    count = 0
    with replacing(path) as file:
        for record in records:
            text = put(record, writing)
            count += text != ""
            file.write(text)
    if not count:
        path.unlink()
    return count


def _searched_fields(collection: Collection) -> Sequence[str]:
    """Return the fields whose texts, joined, are searched; the text alone where that of a document was altered."""
    if collection.reading:
        return collection.reading.searched
    both = ("title", "text")
    are_joined = all(joined(_fields(document), both) == document.text for document in collection.stream())
    return both if are_joined else ("text",)


def _fields(document: Document) -> dict[str, str]:
    return {"title": document.title, "text": document.text, **document.fields}


def _documents(
    collection: Collection, searched: Sequence[str], progress: Callable[[int], None] | None
) -> Iterator[Document]:
    reading = collection.reading
    title, text = (reading.title, reading.text) if reading else ("title", "text")
    for count, document in enumerate(collection.stream(), 1):
        fields = document.fields if reading else _fields(document)
        own = {title: document.title, text: document.text}
        if reading or title in searched:
            own = {name: fields.get(name, "") for name in own}
        parts = [fields.get(name) for name in ("title", "text") if fields.get(name)]  # which have other names too
        again = {name for name, value in fields.items() if name not in own and any(value is part for part in parts)}
        others = {name: value for name, value in fields.items() if own.get(name) != value and name not in again}
        yield Document(document.doc_id, own[text], own[title], others)
        if progress:
            progress(count)


def _queries(collection: Collection) -> Iterator[Document]:
    """Yield the queries, each as a document without a title."""
    reading = collection.reading
    text_fields = reading.query_fields if reading else ("text",)
    field = text_fields[0] if len(text_fields) == 1 else None
    title = reading.title if reading else "title"
    for number, query in enumerate(collection.queries):
        fields = collection.queries.fields[number] if collection.queries.fields else {}
        others = {"title" if name == title else name: text for name, text in fields.items() if name != field}
        yield Document(query.query_id, query.text, "", others)


def _write_judgments(collection: Collection, target: Target, folder: Path, split: str | None) -> list[Part]:
    reading, sets = collection.reading, {collection.split: collection.qrels}
    if reading is not None:
        names = reading.splits if split is None else (split,)
        with without_notes() if collection.in_catalog else nullcontext():  # `corpora show` tells of these judgments
            sets = {name: sets[name] if name in sets else reading.qrels_of(name) for name in names}
    elif split is not None:
        raise ArgumentError(
            f"split '{split}' cannot be chosen: collection '{collection.name}' has one set of judgments; leave "
            "split out"
        )
    written = []
    for number, (name, qrels) in enumerate(sets.items(), 1):
        if not len(qrels):
            continue
        # The name of a split comes from a file of the user: as a path it might lead out of the folder.
        stem = name if _STEM.fullmatch(name) else f"split{number}"
        suffix = Path(target.qrels).suffix
        path = f"qrels/{stem}{suffix}" if name else target.qrels
        (folder / path).parent.mkdir(exist_ok=True)
        if suffix == ".jsonl":
            write_judgment_lines(qrels, folder / path)
        else:
            write_qrels(qrels, folder / path, suffix[1:])
        written.append(Part("qrels", path, split=name, records=len(qrels), judged=len(qrels.query_ids)))
    return written


def _toml(collection: Collection, layout: str, searched: list[str], written: list[Part]) -> Iterator[str]:
    reading = collection.reading
    origin = f"Converted from '{collection.name}'"
    if collection.grades != "as given":
        origin += f", with the grades {collection.grades}"
    licence, source = (reading.licence, reading.origin) if reading else ("", "")
    tokens = collection.tokens if collection.tokens != "word2" else ""
    has_queries = any(file.role == "queries" for file in written)
    splits = {file.split for file in written}
    settings = {
        "title": collection.title,
        "description": collection.description,
        "format": layout,
        "language": collection.language,
        "tokens": tokens,
        "stop": collection.stop,
        "text": searched,
        "query": [TARGETS[layout].query_field] * has_queries,
        "apart": collection.apart or "",
        "threshold": collection.threshold,
        "judgments": "complete" if collection.complete else "",
        "split": collection.split if collection.split in splits else "",
        "licence": licence,
        "origin": f"{origin}. {source}".strip(),
    }
    yield f"{_FIRST_LINE}\n\n"
    settings = {key: value for key, value in settings.items() if value not in ("", [])}
    yield from (f"{line}\n" for line in toml_lines({**settings, "files": file_tables(written)}))


def _searched(collection: Collection, names_read: Sequence[str], names: Writing) -> list[str]:
    """Return the names that the searched fields have in the file."""
    reading = collection.reading
    called = {reading.title: "title", reading.text: "text"} if reading else {"title": "title", "text": "text"}
    searched = [called.get(name) or names.name_of(name) for name in names_read]
    if reading is None:
        return [name for name in searched if name == "text" or name in names.filled]
    if not names.as_tags:
        return searched
    # A reader of TREC's documents leaves out what is empty, but for the title and the text.
    searched = [name for name in searched if name in names.filled or name in ("title", "text")]
    if not searched:
        raise DataError(
            f"collection '{collection.name}' has no document with any text in the searched fields, and TREC "
            "documents omit empty fields; search other fields, or convert to beir or jsonl"
        )
    return searched
