"""Formats of documents and queries: names, readers and searched fields."""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, TypeVar

from toysearch.base import (
    ArgumentError,
    DataError,
    JoinedText,
    Remedy,
    StorageError,
    bordered,
    counted,
    groups_of,
    is_html,
    malformed,
    note,
    some,
    unknown,
    without_html,
)
from toysearch.files.account import AFTER_FILES, BY_NAME, NUMBERED, Account
from toysearch.files.columns import (
    ByPart,
    Parts,
    checked_columns,
    is_value,
    named_column,
    record_parts,
)
from toysearch.files.labels import PARTS
from toysearch.files.problems import refused, refusing
from toysearch.files.source import AnyPath, Source, numbered_lines, unit_of

__all__ = ["read_records"]

T = TypeVar("T")

Record = tuple[int, str, dict[str, str]]
"""Record of a file: its first line number, its id, its fields by name."""

_LINE_BITS = 32
_FEW = 3  # fields in a line
_OWN_PARTS = frozenset(PARTS)


class Rejected:
    """Records left out, each with its file, its line and the reason.

    >>> rejected = Rejected()
    >>> rejected.add("pets.jsonl", 17, "expected a JSON object", "{oops")
    >>> list(rejected.told())
    ['pets.jsonl: 1 record left out, on line 17: expected a JSON object']
    """

    def __init__(self, target: AnyPath | None = None) -> None:
        self._target = None if target is None else Path(target)
        self._rows: dict[tuple[str, int], tuple[str, str]] = {}
        self._units: dict[str, str] = {}
        self._written = ""

    def add(self, path: AnyPath, line: int, reason: str, text: str) -> None:
        """Add a record; a record that is read twice counts once."""
        self._rows.setdefault((str(path), line), (reason, text))
        self._units[str(path)] = unit_of(path)

    def of_files(self) -> dict[str, list[tuple[int, str]]]:
        """Return, by file, the line and the reason of each record left out, by line."""
        return groups_of((path, (line, reason)) for (path, line), (reason, _) in sorted(self._rows.items()))

    def told(self) -> Iterator[str]:
        """Yield one sentence per file: the number of records left out, the first of them and the reason."""
        place = f"; all are in {self._target}" if self._target else ""
        for path, rows in self.of_files().items():
            line, reason = rows[0]
            first = f"{'the first ' if len(rows) > 1 else ''}on {self._units[path]} {line}"
            yield f"{path}: {counted(len(rows), 'record')} left out, {first}: {reason}{place}"

    def take(self, path: AnyPath, problems: Mapping[int, str]) -> None:
        """Add lines of a file, each with its problem."""
        texts = {} if str(path) == "-" else {line: text for line, text in numbered_lines(path) if line in problems}
        for line, problem in problems.items():
            self.add(path, line, problem, texts.get(line, ""))

    def write(self) -> None:
        """Write the records left out so far to the file."""
        if self._target is None or not self._rows:
            return
        rows = (
            {"file": path, "line": line, "reason": reason, "text": text}
            for (path, line), (reason, text) in sorted(self._rows.items())
        )
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if content == self._written:
            return
        if self._target.exists() and not self._is_ours(self._target, content):
            raise StorageError(f"{self._target} already exists; name another file for the rejected records")
        from toysearch.files.writing import write_texts  # most files are sound

        write_texts([content], self._target)
        self._written = content

    def _is_ours(self, target: Path, content: str) -> bool:
        try:
            return target.read_text(encoding="utf-8") in (self._written or content, content)
        except (OSError, UnicodeDecodeError):
            return False


FileRecords = tuple[AnyPath, Iterable[Record]]


class RecordFile:
    """File of documents or queries during reading: which records are refused, left out or named."""

    def __init__(
        self,
        path: AnyPath,
        columns: ByPart | None = None,
        rejected: Rejected | None = None,
        unnamed: bool = False,
        field: str = "",
        role: str = "documents",
        numbers: Iterator[int] | None = None,
        form: str = "",
    ) -> None:
        self.source = path if isinstance(path, Source) else Source(fspath(path))
        self.role = role
        self.columns = checked_columns(columns) if columns else {}  # part → the column or key that the user names
        self.field = field or "text"  # of word counts: the field whose words are counted
        self.stem = ""  # the id of its only record
        self.unnamed = unnamed  # whether a record without an id is named after its line
        self._numbers = numbers or itertools.count(1)  # for records without ids, in this file or the next one
        self.count = 0  # of the records so far, with those left out for their contents
        self._rejected = rejected
        self.form = form  # the name of its format
        self._named_lines: list[int] = []
        self._n_left_out = 0
        self.remark = ""  # on all rows, for the account
        self.n_empty = 0  # rows without a title and a text
        self.worded: set[str] = set()  # further columns with texts
        self.is_exact = form == "beir" or bool(self.source.reading.searched)
        self.account = Account(self.source.path, role, None)
        self._html: dict[str, None] = {}  # fields with HTML

    def records(
        self, rows: Iterable[tuple[int, T]], record: Callable[[int, T], Record | None], text: Callable[[T], str]
    ) -> Iterator[Record]:
        """Yield the record of each row, unless it is blank; refuse or leave out rows that cannot be read, as a text."""
        for line, row in rows:
            try:
                result = record(line, row)
            except Exception as error:  # as in `refusing`
                self._leave_out(refused(self.source, error), self.source, line, text(row))
                continue
            if result:
                yield result

    @contextmanager
    def part(self, path: AnyPath, line: int = 1, text: str = "") -> Iterator[None]:
        """Refuse or leave out what a file holds from a line on, if it cannot be read; `path`: of a file in a folder."""
        try:
            with refusing(path):
                yield
        except DataError as error:
            if self._rejected is None and error.problem:
                error = malformed(path, line, f"{error.problem}; {Remedy('load', on_error='skip')} leaves it out")
            self._leave_out(error, path, line, text)

    def left_out(self, error: DataError) -> DataError:
        """Return an error with the advice to leave out the file that it names, unless such files are left out."""
        if self._rejected is not None:
            return error
        return DataError(f"{error}; {Remedy('load', on_error='skip')} leaves it out")

    def _leave_out(self, error: Exception, path: AnyPath, line: int, text: str) -> None:
        if self._rejected is None or not isinstance(error, DataError):
            raise error
        self._n_left_out += 1
        self._rejected.add(path, line, error.problem or str(error), text)

    def numbered(self) -> str:
        """Return the id of a record of a file without ids: the next number, unless it is named after the file."""
        return self.stem or str(next(self._numbers))

    def name_of(self, line: int) -> str:
        """Name a record without an id."""
        self._named_lines.append(line)
        return f"line-{line}"

    def parts(self, labels: Sequence[str], **columns: str) -> Parts:
        """Return the parts of its records by their labels; without further columns where the fields are known.

        columns : part → the column that has it, "" for none
        """
        parts = record_parts(labels, self.columns | columns, self.role)
        if self.role == "documents" and self.is_exact:
            return {part: label for part, label in parts.items() if part in PARTS}
        added = self.source.reading.added
        return {part: label for part, label in parts.items() if part in PARTS or label not in added}

    def with_parts(self, fields: dict[str, str], parts: ByPart) -> dict[str, str]:
        """Return fields with the title and the text, which has the cells of all columns that are searched."""
        title, text = parts.get("title", ""), parts.get("text", "")
        if title != "title" and title in fields:
            fields = {"title": fields[title], **fields}
        if text != "text" and text in fields:
            fields["text"] = fields[text]
        if _OWN_PARTS.issuperset(parts):
            return fields
        texts = [fields["text"]] if fields.get("text") else []
        for part, label in parts.items():
            cell = fields.get(label) if part not in _OWN_PARTS else None
            if cell and not is_value(cell):
                texts.append(cell)
                self.worded.add(label)
        fields["text"] = JoinedText.joined(texts)
        return fields

    def take(self, labels: Iterable[str], parts: ByPart, called: Mapping[str, str] | None = None) -> None:
        """Take what the columns are read as, for the account of the file.

        called : column → what it is made of
        """
        order = [part for part in ("title", "text", *parts) if part in parts and part != "id"]
        searched = [*dict.fromkeys(parts[part] for part in order if part in PARTS or parts[part] in self.worded)]
        if self.role == "queries":
            searched = searched[-1:]
        elif self.source.reading.fields:
            named = [parts.get(name, name) for name in self.source.reading.searched]
            searched = named or [*searched, *self.source.reading.added]
        others = [label for label in labels if label not in (*searched, parts.get("id"))]
        values = [label for label in others if label in parts.values()]
        called, is_usual = called or {}, {*searched} <= {parts.get("title"), parts.get("text")}
        if self.remark:  # which says that no column has a name
            called = {label: f"column {place}" for place, label in enumerate(labels, 1)}
        is_told = "id" not in parts or bool(called) or (self.role == "documents" and not is_usual)
        columns = {part: called.get(parts[part], parts[part]) for part in PARTS if part in parts}
        evidence = dict.fromkeys(columns, BY_NAME)
        for part in self.columns.keys() & parts.keys():
            evidence[part] = f"named: {named_column(parts[part], self.role, part)}"
        self.account = self.account._replace(
            columns={"ids": AFTER_FILES if self.stem else NUMBERED, **columns} if "id" not in parts else columns,
            evidence=evidence,
            searched=tuple(called.get(label, label) for label in searched),
            others=tuple(called.get(label, label) for label in others if label not in values),
            values=tuple(called.get(label, label) for label in values),
            guessed=is_told and self.form != "beir",
        )

    def told(self, records: Iterator[Record], *, html: bool = False, empty: str = "") -> Iterator[Record]:
        """Yield the records, and tell what was read after the last one, and which records are named after lines.

        html : whether tags of HTML are left out
        empty : what a file without any record lacks, if one is expected
        """
        with refusing(self.source):
            number = 0
            for number, record in enumerate(map(self._without_tags, records) if html else records, 1):  # noqa: B007
                yield record
            if empty and not number:
                raise DataError(f"{self.source} holds no {empty}")
            self._tell(number)

    def _without_tags(self, record: Record) -> Record:
        """Return a record with the visible text of each field of HTML."""
        for name, text in record[2].items():
            if "<" in text and is_html(text):
                record[2][name] = JoinedText.of(without_html(bordered(text)).strip())
                self._html[name] = None
        return record

    def _tell(self, number: int) -> None:
        if self._named_lines:
            many = counted(
                len(self._named_lines),
                "record without an id is named after its line",
                "records without an id are named after their lines",
            )
            note(f"{self.source}: {many}, such as line-{self._named_lines[0]}")
        settled = self.columns or self.source.reading.fields
        html = dict.fromkeys(self.account.columns.get(name, name) for name in self._html)
        of_html = f"HTML read as text: {some([*html], _FEW)}" if html else ""
        empty_rows = f"{counted(self.n_empty, 'row')} without a text" if self.n_empty else ""
        account = self.account._replace(
            read=number if self.source.part is None else None,
            left_out=self._n_left_out,
            remark="; ".join(filter(None, (self.remark, of_html, empty_rows))),
            guessed=bool(of_html) or (not settled and (self.account.guessed or bool(self.remark))),
        )
        self.source.reading.report.tell_read([account])


def unique(sources: Iterable[FileRecords], kind: str, rejected: Rejected | None = None) -> Iterator[Record]:
    """Yield the records of files in order; those with the id of an earlier one are refused, or go to the rejected."""
    first_places: dict[str, int] = {}  # the number of the file above 32 bits, and the line
    paths: list[AnyPath] = []
    for number, (path, records) in enumerate(sources):
        paths.append(path)
        file_place = number << _LINE_BITS
        for record in records:
            line, record_id, fields = record
            place = file_place + line
            first = first_places.setdefault(record_id, place)
            if first == place:
                yield record
                continue
            file, first_line = divmod(first, 1 << _LINE_BITS)
            earlier = f"on {unit_of(path)} {first_line}" if paths[file] == path else f"in {paths[file]}"
            problem = f"{kind} '{record_id}' was already given {earlier}; each id may occur once"
            if rejected is None:
                choice = f": {Remedy('load', ids='number')} keeps both" if kind == "doc_id" else ""
                raise malformed(path, line, f"{problem}{choice}")
            rejected.add(path, line, problem, " ".join(fields.values()))


def chosen(read: Callable[[], Iterable[FileRecords]], choice: str) -> Iterator[Record]:
    """Resolve repeated ids: keep the first or the last record, or number the later ones.

    >>> records = [(1, "a", {"text": "cat"}), (2, "a", {"text": "dog"}), (3, "b", {"text": "parrot"})]
    >>> for choice in ("first", "last", "number"):
    ...     print([(line, doc_id) for line, doc_id, _ in chosen(lambda: [("pets.csv", records)], choice)])
    [(1, 'a'), (3, 'b')]
    [(2, 'a'), (3, 'b')]
    [(1, 'a'), (2, 'a-2'), (3, 'b')]
    """
    if choice == "last":
        last = {record[1]: (str(path), record[0]) for path, records in read() for record in records}
        for path, records in read():
            yield from (record for record in records if last[record[1]] == (str(path), record[0]))
        return
    counts: dict[str, int] = {}
    for _, records in read():
        for line, record_id, fields in records:
            counts[record_id] = count = counts.get(record_id, 0) + 1
            if count == 1:
                yield line, record_id, fields
            elif choice == "number":
                while (name := f"{record_id}-{count}") in counts:
                    count += 1
                counts[record_id], counts[name] = count, 1
                yield line, name, fields


class Format(NamedTuple):
    """Format of documents, of queries, or of both."""

    described: str  # a description of such a file for people
    # documents, queries: the reader, as ``module:function`` below toysearch.files, imported on first use; "" for none
    documents: str
    queries: str
    title: str = "title"  # the field shown as the title of a document
    # the searched fields of a document unless the collection or the user names others, the main text last
    text: tuple[str, ...] = ("title", "text")
    # the fields that a query can be made of: the first one present, unless the collection or the user names another
    query: tuple[str, ...] = ("text",)
    columns: bool = False  # whether the user may name the column or key of each part
    counts: bool = False  # whether it holds the counts of words instead of texts
    name: str = ""  # of a folder of texts: the field shown where the title is empty


def _with_columns(described: str, reader: str) -> Format:
    """Return the format of records with named parts, of documents or of queries."""
    return Format(described, reader, reader, query=("text", "title"), columns=True)


_CELLS = "syntaxes.delimited:read_table"
_LINES = "syntaxes.json_lines:read_jsonl"
_FORMATS = {
    "beir": _with_columns("a BEIR folder (corpus.jsonl)", _LINES),
    "smart": Format(
        "SMART records (lines '.I ID')",
        "syntaxes.smart:read_smart",
        "syntaxes.smart:read_smart",
        "T",
        ("T", "W"),
        query=("W",),
    ),
    "trec": Format(
        "TREC documents (<DOC> with a <DOCNO>)",
        "syntaxes.sgml:read_trec_documents",
        "syntaxes.topics:read_topics",
        query=("title", "description", "text", "narrative"),
    ),
    "jsonl": _with_columns("JSON Lines (one object per line)", _LINES),
    "xml": _with_columns("XML with an element per record", _LINES),
    "csv": _with_columns("CSV with a header", _CELLS),
    "tsv": _with_columns("TSV with a header", _CELLS),
    "folder": Format("a folder of texts (.txt, .md, .html)", "syntaxes.texts:read_folder", "", name="name"),
    "lines": Format("a document on each line", "syntaxes.texts:read_lines", "", text=("text",)),
    "docword": Format(
        "word counts of UCI (docword.NAME.txt)",
        "syntaxes.word_counts:read_docword",
        "syntaxes.word_counts:read_docword",
        text=("text",),
        counts=True,
    ),
    "svmlight": Format(
        "word counts of SVMlight (lines '0 3:1 17:2')",
        "syntaxes.word_counts:read_svmlight",
        "syntaxes.word_counts:read_svmlight",
        text=("text",),
        counts=True,
    ),
}

TOPIC_FORMS = "topics are <top> … </top>, XML with <topic number=\"51\"> or lines such as '51:airbus subsidies'"

_EMPTY = {
    "syntaxes.smart:read_smart": "record; expected SMART records, each beginning with a line '.I ID'",
    "syntaxes.sgml:read_trec_documents": "document; expected TREC documents, each <DOC> … </DOC> with a <DOCNO>",
    "syntaxes.topics:read_topics": f"topic; {TOPIC_FORMS}",
    "syntaxes.texts:read_lines": "document; expected one on each line",
    "syntaxes.word_counts:read_svmlight": "document; expected lines of SVMlight, such as '0 3:1 17:2'",
}
"""Reader → the beginning of the message about a file without records."""

DATASET = "ir_datasets"
"""Prefix of a source from the package ir_datasets, and the name of its format."""

FORMATS: tuple[str, ...] = tuple(_FORMATS)
"""Formats of files; `--input-format` and a collection.toml name one of them."""

_DATASET = Format(
    f"a collection of the package {DATASET}",
    "datasets:read_dataset",
    "datasets:read_dataset",
    query=("text", "title", "query", "question", "description"),
)


def is_dataset(source: str) -> bool:
    """True if a source names a collection of the package ir_datasets.

    >>> is_dataset("ir_datasets:vaswani"), is_dataset("irds:beir/scifact/test"), is_dataset("irds")
    (True, True, False)
    """
    prefix, colon, _ = source.partition(":")
    return bool(colon) and prefix in (DATASET, "irds")  # PyTerrier has the short prefix


def text_patterns(name: str) -> tuple[str, ...]:
    """Return the patterns of the files that a folder of texts has beside the usual ones.

    >>> text_patterns("folder:*.log,*.cfg"), text_patterns("folder")
    (('*.log', '*.cfg'), ())
    """
    return tuple(filter(None, map(str.strip, name.partition(":")[2].split(","))))


def is_texts(name: str) -> bool:
    """True if a format is a folder of texts, perhaps with patterns."""
    return name == "folder" or (name.startswith("folder:") and bool(text_patterns(name)))


def format_named(name: str) -> Format:
    """Return the entry of a format."""
    if name == DATASET:
        return _DATASET
    if not isinstance(name, str) or not (name in _FORMATS or is_texts(name)):
        raise unknown("format", str(name), FORMATS)
    return _FORMATS[name if name in _FORMATS else "folder"]


def read_records(
    name: str,
    role: str,
    path: str | PathLike[str],
    columns: Mapping[str, str] | None = None,
    rejected: Rejected | None = None,
    unnamed: bool = False,
    field: str = "",
    numbers: Iterator[int] | None = None,
) -> Iterator[Record]:
    r"""Read the records of a file of documents or queries, in its order: line, id, fields.

    Parameters
    ----------
    name : str
        The format, such as ``"trec"``, ``"jsonl"`` or ``"smart"``.
    role : {'documents', 'queries'}
        What the file has.
    path : str or Path
        The file, or the folder of a format that is one.
    columns : mapping, optional
        ``id``, ``title`` or ``text`` → the column that has it, in a table or JSON Lines.
    rejected : Rejected, optional
        What is done with a record that cannot be read; by default it is an error.
    unnamed : bool, default False
        Whether a record without an id is named after its line; by default it is an error.
    field : str, optional
        The field that words are put into, in a format of word counts.
    numbers : iterator of int, optional
        The ids of the records of a table without ids; by default from 1.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.jsonl")
    >>> _ = path.write_text('{"_id": "1", "text": "How to train a cat"}\n')
    >>> list(read_records("jsonl", "documents", path))
    [(1, '1', {'text': 'How to train a cat'})]
    """
    form = format_named(name)
    if role not in ("documents", "queries"):
        raise unknown("role of records", str(role), ("documents", "queries"), "roles")
    home = form.documents if role == "documents" else form.queries
    if not home:
        raise ArgumentError(f"the format {name} has no {role}; name another for {path}: {', '.join(FORMATS)}")
    if columns and not form.columns and not (form.name and {*columns} == {"id"}):
        able = ", ".join(other for other, entry in _FORMATS.items() if entry.columns)
        raise ArgumentError(
            f"columns can be named only in the formats {able}; {path} is in the format {name}: leave columns out, "
            "and choose its fields with fields"
        )
    module, _, reader = home.partition(":")
    records_of: Callable[[RecordFile], Iterator[Record]] = getattr(
        importlib.import_module(f"toysearch.files.{module}"), reader
    )
    file = RecordFile(path, columns, rejected, unnamed, field, role, numbers, name)
    records = file.told(records_of(file), html=form.columns, empty=_EMPTY.get(home, ""))
    if columns and form.name:
        records = _with_id(records, columns["id"])
    return map(_with_sorted_words, records) if form.counts and role == "queries" else records


def _with_id(records: Iterable[Record], name: str) -> Iterator[Record]:
    """Yield the records of a folder of texts with a field as their ids."""
    for line, _, fields in records:
        if name not in fields:
            raise DataError(str(unknown("field", name, fields)))
        yield line, fields[name], fields


def _with_sorted_words(record: Record) -> Record:
    """Sort the words of a query of word counts, which is shown to people."""
    line, query_id, fields = record
    return line, query_id, {name: " ".join(sorted(text.split())) for name, text in fields.items()}
