"""Layout of a folder: each file and its part in a collection."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, cast

from toysearch.base import DataError, ReadingNote, Remedy, counted, groups_of, note, some, unknown, without_notes
from toysearch.files.claims import (
    NAMELESS,
    NOTEBOOK,
    NOUNS,
    QUERY_NAME,
    Clues,
    ColumnNames,
    What,
    named_like_text,
    refuse_use,
)
from toysearch.files.columns import (
    ASKED,
    ByPart,
    TableHead,
    has_letters,
    is_prose,
    named_column,
    of_most_text,
    parts_of,
    places_of,
    plain_label,
    record_parts,
)
from toysearch.files.document_formats import FORMATS, format_named, is_texts, text_patterns
from toysearch.files.file_role import PAIR, pairs_in_head
from toysearch.files.labels import ANSWERS, DESCRIPTIONS, QUERY_TEXTS, TABLES
from toysearch.files.nested_fields import MOST_KEYS, nested_texts
from toysearch.files.part import FILE_NAME, Part, files_below
from toysearch.files.problems import reader
from toysearch.files.reading import Reading
from toysearch.files.recognise import are_whole, what_is
from toysearch.files.record_tables import has_queries_beside, likely_keys, record_table
from toysearch.files.roles import settle
from toysearch.files.sheets import RECORDS_FIRST, sheet_for
from toysearch.files.source import (
    ENOUGH,
    INSTALL,
    AnyPath,
    Beginning,
    Source,
    refuse_converted,
    refuse_unreadable,
    source_of,
    unread,
)
from toysearch.files.syntaxes import delimited, pdf
from toysearch.files.syntaxes.delimited import rows_in
from toysearch.files.syntaxes.json_lines import certain_documents
from toysearch.files.syntaxes.json_tables import BEGINS, is_one_object, tables
from toysearch.files.syntaxes.texts import DATED, NO_TEXT, is_bare_text, is_named_by, left_out_of, text_endings
from toysearch.files.syntaxes.xml_tables import likely_records
from toysearch.files.table import KEY
from toysearch.files.unpacking import table_name, unpacked_name

HELP = "describe it in a collection.toml (`toysearch docs collections` has an example)"

_SHOWN = 8  # files in an error
_NUMBER = re.compile(r"\d+")
_MOST_HELD = 64  # small files of a folder, whose bytes are held until they are read
_TABLES = ("csv", "tsv")
_OF_RECORDS = (*_TABLES, "jsonl", "beir", "xml")
_OF_COUNTS = ("docword", "svmlight")
_OF_TOOLS = ".canvas"  # a file of JSON that is no record
_ALONE = (".mbox", NOTEBOOK)  # ends of names of texts that are read without their folder
_SHEET_NAME = re.compile(r"judg|qrel|rating|relevan|grade|urteil|bewertung|jugement", re.IGNORECASE)
_FEW = 3  # files in a sentence
_SETTINGS = What(shown_by="its only object has names and numbers")
_TOPICS = "TREC topics; give the documents, and these as their queries"
_SEE_FORMATS = "formats: `toysearch docs formats`"


FolderLayout = tuple[Part, ...]
"""Files of a collection, documents first."""


@reader
def layout_of_file(
    source: AnyPath,
    form: str | None = None,
    columns: ColumnNames = NAMELESS,
    reading: Reading = Reading(),
    *,
    among_others: bool = False,
) -> FolderLayout:
    """Lay out a single file of documents; among_others: a text is a document, as it is in a folder."""
    path = source_of(source, encoding=reading.encoding, report=reading.report, records=reading.records)
    certain = None if form or any(columns.values()) else certain_documents(path)
    if not certain:
        path = sheet_for(path, ("documents",), columns.get("documents"))
    name = Path(path.path).name
    if form is not None:
        if is_texts(checked_format(form)):
            return (Part("documents", name, "folder", source=path),)
        reading.tell(f"{path} is read as documents ({form})")
        return (Part("documents", name, form, source=path.read_as(input_format=form)),)
    look = certain or _in_place(path, columns, among_others=among_others)
    if look.form == "folder" and (among_others or _is_document(path)):
        return (Part("documents", name, "folder", source=path),)
    is_topics = (look.role, look.form) == ("queries", "trec")
    if look.role not in ("documents", "queries") or look.form == "folder" or is_topics:
        refuse_use(look, path, "documents")
        refuse_converted(path, path.head)
        lines = Remedy("load", input_format="lines")
        found = _TOPICS if is_topics else NOUNS.get(look.role, "no known format" if path.head.strip() else "nothing")
        if look.form == "folder":
            found = f"a single text; give its folder, or {lines} for a document on each line"
        elif not look.role and (asked := _which_records(path)):
            found = asked
        elif not look.role and path.head.strip():
            found += f": {look.why}" if look.why else f"; {lines} reads a document from each line"
        raise DataError(f"{path}: expected documents, found {found} ({_SEE_FORMATS})")
    if not look.sure and (asked := _which_records(path)):
        raise DataError(f"{path}: expected documents, found {asked} ({_SEE_FORMATS})")
    if not look.sure:
        raise DataError(f"{path}: expected documents, found a single object without a text: {_way_of_object(path)}")
    if reading.report.taken:
        reading.report.taken(look.taken(path, "documents"))
    if look.form == "lines":
        note(f"{path}: a document on each line{' that begins with a date' * bool(DATED.match(path.text))}")
    documents = Part("documents", name, look.form, source=path)
    return (documents,) if certain else (documents, *_parts_inside(path, name, look.form))


def _which_records(path: Source) -> str:
    """Ask for the element of XML that is a document, or for the key of JSON that holds them; "" for any other file."""
    is_xml = path.text.lstrip().startswith("<")
    ways = " or ".join(str(Remedy("load", records=name)) for name in (likely_records if is_xml else likely_keys)(path))
    found = "XML whose elements are not known; name the one that is a document"
    found = found if is_xml else "an object whose keys are not known; name the one that holds the documents"
    return f"{found}: {ways}" if ways else ""


def _in_place(path: Source, columns: ColumnNames = NAMELESS, *, among_others: bool = False) -> What:
    """Detect what a file in the place of documents is; one of unknown columns is a table by its rows."""
    look = what_is(path, columns, place="documents")
    if among_others and not look.role and named_like_text(path.path):  # also a readme
        look = What("documents", "folder", "its name ends like that of a text")
    if look.role and (look.form != "folder" or among_others or _is_document(path)):
        return look
    if not look.role:
        refuse_unreadable(path)
    table = _table_by_name(path, by_rows=True)
    return What("documents", table) if table else look


def taken_alone(path: AnyPath, columns: ByPart | None = None) -> What:
    """Detect what a file alone is: a run or judgments, if that is certain, else what `layout_of_file` reads.

    It is queries if its name says so, unless it has texts below titles.

    columns : those of judgments that are named
    """
    source = sheet_for(source_of(path), RECORDS_FIRST)
    rows = settle(source, columns=columns).what
    if rows.role and rows.sure:
        return rows
    named, look = what_is(source), _in_place(source)
    parts = parts_of(_head_of(source).labels) if named.form in _OF_RECORDS else {}
    if "title" in parts and plain_label(parts.get("text", "query")) not in (*DESCRIPTIONS, *QUERY_TEXTS):
        named = look
    is_read = look.role in ("documents", "queries") and look.form != "folder"
    return look if is_read and named.role != "queries" else rows if rows.role else named


def _is_document(source: Source) -> bool:
    """True for a text that is read without its folder."""
    return unpacked_name(str(source).lower()).endswith(_ALONE) or pdf.is_one(source)


def _parts_inside(source: Source, name: str, form: str) -> Iterator[Part]:
    """Yield the queries that stand beside the documents in an object of JSON, as their name says, and the judgments."""
    if form != "jsonl" or not has_queries_beside(source):
        return
    yield Part("queries", name, form)
    judged = settle(source, "qrels")
    if {*PAIR} <= judged.parts.keys() and judged.table and judged.table.name.removesuffix(KEY):  # not all of it
        yield Part("qrels", name, "")


def _way_of_object(source: Source) -> str:
    """Say what to give instead of an object of names and numbers, such as settings, or how to read it."""
    item = (record_table(source, "documents") or tables(source)[0]).head[0].cells
    texts = [nested_texts(key, value, lambda one: one if isinstance(one, str) else None) for key, value in item.items()]
    labels = [label for found in texts for label in found]
    keys = f"its keys are {some([*item], _SHOWN)}; give the file or folder that has the texts"
    if len(item) > MOST_KEYS or not labels:  # so many keys are ids
        return keys
    return f"{keys}, or name its text, as in {named_column(labels[0])}"


def layout_of_files(
    sources: Sequence[Source],
    folder: Path,
    form: str | None = None,
    columns: ColumnNames = NAMELESS,
    reading: Reading = Reading(),
) -> FolderLayout:
    """Lay out several files of documents, which are parts of one collection; folder: one that holds them all."""
    among_others = len(sources) > 1
    _set_alike(sources)
    parts = [layout_of_file(source, form, columns, reading, among_others=among_others)[0] for source in sources]
    other = next((place for place, part in enumerate(parts) if part.format != parts[0].format), None)
    if other is not None:
        raise DataError(
            f"{sources[other]} has another format than {sources[0]}: {parts[other].format}, not {parts[0].format}; "
            "give files of one format"
        )
    paths = [Path(source.path).relative_to(folder).as_posix() for source in sources]
    return tuple(replace(part, path=path) for part, path in zip(parts, paths, strict=True))


def _table_by_name(source: Source, *, by_rows: bool = False) -> str:
    """Return the format of an unrecognised table by its name: its reader then reports the missing column; else ""."""
    ending = table_name(source.path.lower()).rpartition(".")[2]
    if ending not in _TABLES:
        ending = delimited.form_of_rows(source) if by_rows else ""
    header = source.head.lstrip().partition(b"\n")[0].decode(errors="replace")
    is_text = re.sub(r"[\t\r]", "", header).isprintable() and "\ufffd" not in header
    return ending if header and is_text else ""


@reader
def layout_of_folder(
    folder: Path,
    form: str | None = None,
    columns: ColumnNames = NAMELESS,
    only: Collection[str] | None = None,
    reading: Reading = Reading(),
) -> FolderLayout:
    """Lay out a folder whose files no collection.toml names; only: some of its files."""
    # The part of each file is decided by its content, or by its name if the content does not decide. Files in the
    # folder itself take precedence over files in its subfolders.
    if form is not None:
        checked_format(form)
    among = files_below(folder) if only is None else only
    names = [name for name in among if name != FILE_NAME]  # settings, never data
    corpus = _usual("corpus.jsonl", names)
    if form == "beir" and corpus is None:
        listed = some(names, _SHOWN) or "nothing"
        raise DataError(f"{folder}: expected a file corpus.jsonl, as each BEIR folder has; found {listed}")
    files = {name: _File(name, Source(str(folder / name), reading)) for name in names}
    _set_alike([file.source for file in files.values()])
    found = _Folder(folder, files, form, columns, reading)
    found.look()
    if form is None:
        found.refuse_unknown()
    if corpus and form in (None, "beir"):
        files[corpus].look = What("documents", "beir")
        found.documents, format_of_all = [files[corpus]], "beir"
    else:
        found.documents, format_of_all = found.documents_in()
    if form is None:
        found.tell_left_out(format_of_all)
    are_parts = len(found.documents) > 1 and format_of_all != "trec"
    parts = [file.part("documents", format_of_all, guessed=are_parts) for file in found.documents]
    judgments = found.judgments(format_of_all)
    parts += found.queries(format_of_all) or _queries_judged(judgments)
    parts += judgments
    runs = _nearest(found.of("run"))
    if len(runs) == 1:  # several are the user's own
        parts.append(runs[0].part("run", runs[0].look.form))
    if not is_texts(format_of_all):
        used = {part.path for part in parts}
        found.tell_unread([file for file in found.tables if file.name not in used])
    if form is None and format_of_all in _OF_RECORDS and FILE_NAME not in among:
        found.tell_other_kinds()
    for part in parts[:_SHOWN]:
        file = files.get(part.path, found.documents[0])
        reading.tell(file.look._replace(form=part.format).taken(folder / part.path, part.role))
    return tuple(parts)


def _set_alike(sources: Sequence[Source]) -> None:
    """Let each file of JSON know the next one, by which the keys of its only object are told from ids."""
    of_json = [source for source in sources if unpacked_name(source.path.lower()).endswith(".json")]
    if len(of_json) < 2:
        return
    stems = [Path(unpacked_name(source.path)).stem for source in of_json]
    are_names = len({*stems}) == len(stems)
    for source, other, stem in zip(of_json, of_json[1:] + of_json[:1], stems, strict=True):
        source.alike = [Source(other.path, other.reading)]
        source.stem = stem if are_names else ""


class _Summary(NamedTuple):
    """Beginning of a file of records."""

    labels: tuple[str, ...]
    n_letters: int  # of its prose
    is_one: bool  # whether it is a single object, which is a record


@dataclass(eq=False)
class _File:
    """File of a folder, and what it is taken for."""

    name: str  # its path in the folder
    source: Source
    look: What = field(default_factory=What)
    table: str = ""  # the format of a table whose columns are unknown

    @property
    def head(self) -> TableHead:
        """First cells of its records."""
        return _head_of(self.source)

    @cached_property
    def summary(self) -> _Summary:
        """What it begins with, if it has records."""
        head = self.head
        is_one = not record_table(self.source, "documents") and is_one_object(self.source)
        self.source.known.clear()  # of many files
        return _Summary(tuple(head.labels), head.n_letters, is_one)

    @property
    def has_text(self) -> bool:
        """Whether a column is named as a text is."""
        return "text" in parts_of(self.summary.labels)

    @property
    def ids(self) -> set[str]:
        """Ids of its first records."""
        head = self.head
        return {*head.filled(label)} if (label := record_parts(head.labels).get("id")) else set()

    @property
    def folders(self) -> tuple[str, ...]:
        """Names of the folders that it is in, from the outermost."""
        return Path(self.name).parts[:-1]

    @property
    def is_named_like_judgments(self) -> bool:
        """Whether its name is that of judgments."""
        return bool(_SHEET_NAME.search(self.name))

    @property
    def is_named_like_queries(self) -> bool:
        """Whether its name is that of queries."""
        return bool(QUERY_NAME.search(self.name))

    def take(self, role: str) -> None:
        """Take the file for one of another role."""
        self.look = self.look._replace(role=role)

    def part(self, role: str, form: str, split: str = "", *, guessed: bool = False) -> Part:
        """Return it as a part of a collection."""
        return Part(role, self.name, form, split, source=self.source, guessed=guessed)


@dataclass
class _Folder:
    """Files of a folder, by their paths in it."""

    path: Path
    files: dict[str, _File]
    form: str | None  # the format of the documents that the user names
    columns: ColumnNames
    reading: Reading
    documents: list[_File] = field(default_factory=list)  # once these are settled

    def of(self, role: str, *forms: str) -> list[_File]:
        """Return the files of a role, perhaps of some forms, beside the documents."""
        documents = {*self.documents}
        files = [file for file in self.files.values() if file.look.role == role and file not in documents]
        return [file for file in files if file.look.form in forms] if forms else files

    @property
    def tables(self) -> list[_File]:
        """Tables of unknown columns."""
        return [file for file in self.of("") if file.table]

    @property
    def names_columns(self) -> bool:
        """Whether the user names columns of the documents."""
        return bool(self.columns.get("documents"))

    def look(self) -> None:
        """Say what each file is by its content, and beside the others."""
        patterns = text_patterns(self.form or "")
        for file in self.files.values():
            is_named = is_named_by(patterns, file.name)
            file.look = What("documents", "folder") if is_named else what_is(file.source, self.columns, file.name)
            file.source.known.clear()  # the tables in it have the source
            if len(self.files) > _MOST_HELD:
                file.source = replace(file.source, begun=Beginning())
        named = [file for file in self.of("documents") if file.is_named_like_judgments]
        if len(named) < len(self.of("documents")):  # judgments may have columns of that name too
            for file in named:
                file.look = what_is(file.source, {**self.columns, "documents": {}}, file.name)
        runs = [] if self.of("qrels") else self.of("run")
        for file in [file for file in runs if file.is_named_like_judgments]:
            settled = settle(file.source, "qrels")
            if settled.table and settled.what.form != "ranks" and are_whole(settled):  # lists, and scores like grades
                file.take("qrels")
        for file in self.of(""):
            file.table = _table_by_name(file.source)
        if not self.of("documents"):  # answers of an engine, with the texts
            of_runs = {file: settle(file.source).table for file in self.of("run")}
            for file in [file for file, table in of_runs.items() if table and table.name in ANSWERS]:
                file.look = what_is(file.source, self.columns, place="documents")
        if self.of("documents") == self.of("documents", "folder") and _are_records(self.tables):
            for file in self.tables:
                file.look = What("documents", file.table)
        unsure = [file for file in self.of("documents") if not file.look.sure]
        are_different = len(unsure) == 1 or not _are_parts(unsure, ())
        beside = self._others() if unsure and are_different else []  # such as programs
        if any(file.look.sure for file in self.of("documents", *_OF_RECORDS)) or text_endings(beside):
            for file in unsure:
                file.look = _SETTINGS
        loose = self.of("documents", "folder")
        if len(loose) == 1 and self.of("qrels"):
            loose[0].look = delimited.claims(loose[0].source, Clues("documents.tsv")) or loose[0].look
        tables = self.of("documents", *_TABLES)
        if len(tables) > 1 and not all(file.look.graded for file in tables):  # judgments, since another has a text
            for file in self.files.values():
                file.look = What("qrels") if file.look.graded else file.look
        is_only = len(tables) == 1 and self._judges_texts()  # so it has the queries, whatever it is called
        for file in tables if is_only else self._asked():
            file.take("queries")
        graded = [file for file in self.of("queries") if file.look.graded]
        if graded != self.of("queries"):  # judgments, since another has the queries
            for file in graded:
                file.look = What("qrels")
        asked = [file for file in self.of("queries", *_OF_RECORDS) if Path(file.name).stem not in TABLES["queries"]]
        records = [file for file in self.of("documents", *_OF_RECORDS) if asked and file.summary.is_one]
        for alike in _by_labels([*records, *asked]).values():
            if 2 * len({*alike} & {*records}) > len(alike):  # of the same kind, whatever they are called
                for file in alike:
                    file.take("documents")
        tagged = self.of("documents", "trec")
        query_files = [file for file in tagged if QUERY_NAME.search(file.name.rpartition("/")[2])]
        if len(query_files) < len(tagged):  # queries in <DOC>, beside documents
            for file in query_files:
                file.look = What("queries", "trec")

    def _asked(self) -> list[_File]:
        """Return the files of records that have ids of judged queries, if another one has those of the documents."""
        judged, records = self.of("qrels"), self.of("documents", *_OF_RECORDS)
        if len(judged) != 1 or len(records) < 2:
            return []
        queries, doc_ids = set[str](), set[str]()
        for query_id, judged_ids in pairs_in_head(settle(judged[0].source, "qrels")):
            queries.add(query_id)
            doc_ids.update(judged_ids)
        ids = {file: file.ids for file in records}
        documents = [file for file in records if ids[file] & doc_ids]
        return [file for file in records if documents and file not in documents and ids[file] & queries]

    def tell_unread(self, tables: Sequence[_File]) -> None:
        """Note tables of unknown columns, and files whose library is not installed."""
        if tables:
            listed = f"the columns of {_labels(tables[:_SHOWN])} are not known: left out"
            note(f"{self.path}: {self.documents[0].name} has the documents; {listed}")
        absent = [file.name for file in self.of("") if file.name.lower().endswith((*unread().values(),))]
        if absent:
            some_left_out = f"{counted(len(absent), 'file')} left out, such as {absent[0]}"
            note(f"{self.path}: {some_left_out}; to read them: {INSTALL}", ReadingNote)

    def _others(self) -> list[Path]:
        """Return the files that nothing here reads, but tables, settings, readmes and those without their library."""
        names = [file.name for file in self.of("") if file.look is not _SETTINGS and not file.table]
        paths = [self.path / name for name in names if not name.lower().endswith((*unread().values(),))]
        return [path for path in paths if not NO_TEXT.match(path.name)]

    def tell_other_kinds(self) -> None:
        """Note the files that nothing here reads."""
        if others := self._others():
            advice = text_endings(others, how="instead")
            also = f"; {advice}" if advice else ""
            note(f"{self.path}: {self.documents[0].name} has the documents, {left_out_of(others)}{also}", ReadingNote)

    def _format_of_texts(self) -> str | None:
        """Return the format of a folder whose texts are its documents, though it has records too; else None."""
        texts, records = self.of("documents", "folder"), self.of("documents", *_OF_RECORDS)
        counts = self.of("documents", *_OF_COUNTS)  # each with its vocabulary, which is named like a text
        is_judged = any(file.look.sure for file in self.of("qrels"))
        if not (texts and (records or counts)) or (is_judged and not self._judges_texts()):
            return None
        stems = {os.path.splitext(file.name)[0] for file in texts}
        if len(records) > 1 and stems.issuperset(os.path.splitext(file.name)[0] for file in records):
            return "folder"  # they describe the texts
        n_records = sum(_documents_in(file.source, one_text=len(texts) == 1) for file in _nearest(records))
        return "folder" if n_records + 2 * len(counts) < len(texts) else None

    def tell_left_out(self, form: str) -> None:
        """Note the texts beside a file of records, or the files of records beside texts, that are not searched."""
        texts, table = self.of("documents", "folder"), self.documents[0].name
        files = self.of("documents", *_OF_RECORDS, *_OF_COUNTS)
        names = [file.name for file in files]
        if is_texts(form) and files:
            table, instead = names[0], Remedy("load", input_format=files[0].look.form)
            say = f"the texts are the documents, {some(names, _SHOWN)} left out"
            if len(files) == 1:
                say = f"{say}; to search it instead: {instead}"
        elif form in _OF_RECORDS and texts:
            instead = Remedy("load", input_format="folder")
            listed = f"{counted(len(texts), 'text')} left out, such as {texts[0].name}"
            say = f"{table} has the documents, {listed}; to search the texts instead: {instead}"
        elif form in _OF_RECORDS and files:
            listed = f"{counted(len(files), 'file')} of records left out, such as {names[0]}"
            way = "these instead, give their folder" if "/" in names[0] else f"that instead: {self.path / names[0]}"
            note(f"{self.path}: {table} has the documents, {listed}; to search {way}")
            return
        else:
            return
        suffix = Path(table).suffix
        queries = f"; if {table} has the queries, call it queries{suffix}" if suffix[1:] in _TABLES else ""
        note(f"{self.path}: {say}{queries}")

    def refuse_unknown(self) -> None:
        """Refuse tables whose columns are unknown, beside none but sheets of ratings."""
        alike, tables = self.of("documents"), self.tables
        sheets = [file for file in alike if _is_sheet(file)]
        if sheets != alike or len(tables) + len(sheets) <= max(len(sheets), 1):
            return
        judged = f", and {' and '.join(file.name for file in sheets)} has those of judgments" if sheets else ""
        heads = {file: head for file in tables if (head := file.head).labels}
        queries = next((file for file in heads if file.is_named_like_queries), None)
        others = [file for file in heads if file != queries and "relevance" not in places_of(heads[file].labels)]
        titled = [file for file in others if "title" in parts_of(heads[file].labels)]
        others = titled if len(titled) == 1 else others
        remedies = list[str]()
        if len(others) == 1 and not self.names_columns:  # which did not help
            text = _text_in(heads[others[0]])
            if _are_documents(self.path, others[0].name, text):
                named = ",".join(f"{part}={label}" for part, label in text.items())
                remedies.append(f"name those of the texts: {Remedy('load', columns=named)}")
        if queries:
            remedies.append(f"of the queries: {named_column(_longest(heads[queries]), 'queries')}")
        unknown_tables = f"the columns of {_labels(tables)} are not known{judged}"
        raise DataError(f"{self.path}: {unknown_tables}; {'; '.join(remedies) or HELP}")

    def _judges_texts(self) -> bool:
        """True if the judgments of a folder are of its texts, which are named after their files."""
        names = {file.name for file in self.of("documents", "folder")}
        names |= {name.partition("/")[2] for name in names} - {""}
        judged = (line for file in self.of("qrels") if names for line in file.source.lines)
        return any(not names.isdisjoint(re.split(r'[\s,;"]+', line)) for line in judged)

    def documents_in(self) -> tuple[list[_File], str]:
        """Return the files of the documents, the folder itself for texts, and their format."""
        texts = self.of("documents", "folder")
        meant = self.form or (None if self.names_columns else self._format_of_texts())
        if meant is not None:
            files, forms = self._in_format(meant), {meant}
        else:
            found = [file for file in self.of("documents") if file not in texts]
            files = _nearest(found)
            if len(files) + 1 < len(found) and not any(file.has_text for file in files):
                files = [file for file in found if file.has_text] or files  # beside lists of people, say
            forms = {file.look.form for file in files}
            if forms <= {*_OF_RECORDS} and (len(files) == 1 or not _are_parts(files, forms)):
                files = self._of_most_text(files) or files
                forms = {file.look.form or file.table for file in files}
            if forms == {"trec"}:
                files = self._in_format("trec")  # in subfolders too
            elif not files and texts:
                forms = {"folder"}
            elif not files:
                files = _nearest(self.tables)
                forms = {files[0].table} if len(files) == 1 else set()
                if not files and any(is_bare_text(file.source) for file in self.of("")):
                    forms = {"folder"}
        form = next(iter(forms), None)
        if form and is_texts(form):
            return [self._of_texts(texts)], form
        if form is None or not files:
            raise self._without_documents(form)
        if forms != {"trec"} and len(files) > 1 and not _are_parts(files, forms):
            beside = meant is None and not any(format_named(each).counts for each in forms)  # their vocabularies: texts
            titled = (file.name for file in files if meant is None and file.has_text)
            raise self._ambiguous("documents", files, beside and bool(texts), next(titled, ""))
        return files, form

    def _of_texts(self, texts: Sequence[_File]) -> _File:
        """Return the folder, or the only one below it that has texts if it has nothing else."""
        tops = {file.folders[:1] for file in texts}
        others = {file.folders[:1] for file in self.files.values() if file.look.role not in ("documents", "")}
        name = "/".join(*tops) if len(tops) == 1 and tops.isdisjoint(others) else ""
        sources = [file.source for file in self.files.values()]
        of_all = {source.path: source for source in sources}
        whole = Source(str(self.path / name), self.reading, files=of_all)
        return _File(name or ".", whole, What("documents", shown_by="it is a folder of texts"))

    def _of_most_text(self, files: Sequence[_File]) -> list[_File]:
        """Return the files of the columns with by far most text, if there are such."""
        places = {file.folders for file in files}
        beside = [file for file in self.tables if file.folders in places and not self.names_columns]
        if self.of("queries") or self.of("qrels") or any(map(_names_other, beside)):
            beside = []
        alike = _by_labels([*files, *beside])
        most = of_most_text({labels: sum(file.summary.n_letters for file in alike[labels]) for labels in alike})
        return [file for labels in most for file in alike[labels]]

    def _without_documents(self, form: str | None) -> DataError:
        """Make the error for a folder without documents, or without those of a format."""
        unknown_files = self.of("")
        for file in unknown_files:
            refuse_unreadable(file.source, alike=True)
            if asked := _which_records(file.source):
                return DataError(f"{file.source}: expected documents, found {asked}")
        expected = f": {format_named(form).described}; found" if form else ", found"
        listed = some([f"{file.name} ({_word(file.look)})" for file in self.files.values()], _FEW)
        advice = "" if form else text_endings([self.path / file.name for file in unknown_files])
        also = f"; {advice}" if advice else ""
        return DataError(f"{self.path}: expected documents{expected} {listed or 'nothing'}{also} ({_SEE_FORMATS})")

    def _in_format(self, wanted: str) -> list[_File]:
        """Prefer files recognised as documents in the format that the user names, else take unrecognised ones."""
        same = self.of("documents", wanted)
        if same and wanted == "trec":
            return same
        # Any other file that looks like documents may be meant: the user knows the format better.
        return _nearest(same) or _nearest(file for file in self.files.values() if file.look.role in ("", "documents"))

    def queries(self, format_of_all: str) -> list[Part]:
        """Return the part of the queries, if there are any."""
        usual = _usual("queries.jsonl", self.files)
        if format_of_all == "beir" and usual:
            return [self.files[usual].part("queries", "beir")]
        found = [*self.of("queries"), *(file for file in self.tables if file.is_named_like_queries)]
        files = _nearest(file for file in self.files.values() if file in found)
        if len(files) > 1:
            raise self._ambiguous("queries", files)
        return [file.part("queries", file.table or file.look.form) for file in files]

    def judgments(self, format_of_all: str) -> list[Part]:
        """Return the parts of the judgments, one for each set."""
        of_beir = [file for file in self.files.values() if re.fullmatch(r"qrels/.*\.tsv", unpacked_name(file.name))]
        if format_of_all == "beir" and of_beir:
            return _splits(of_beir, "beir")
        # Tables of unknown columns may be named like judgments: their reader finds the columns, or reports them.
        files = _nearest(self.of("qrels")) or _nearest(file for file in self.tables if file.is_named_like_judgments)
        if len(files) > 1 and all(file.folders[-1:] == ("qrels",) for file in files):
            return _splits(files, files[0].look.form)
        if len(files) > 1:
            raise self._ambiguous("judgments", files)
        forms = {"trec": format_of_all if format_of_all == "smart" else "trec"}  # SMART has other columns
        return [file.part("qrels", forms.get(form := file.look.form, form)) for file in files]

    def _ambiguous(self, part: str, files: Sequence[_File], has_texts: bool = False, likely: str = "") -> DataError:
        names = [file.name for file in files]
        listed = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} others"]
        texts = f"to read the texts beside them: {Remedy('load', input_format='folder')}; or " if has_texts else ""
        alone = f"give one alone, such as {self.path / likely}{'; ' if texts else ', or '}" if likely else ""
        return DataError(f"{self.path}: {' and '.join(listed)} could each hold the {part}; {alone}{texts}{HELP}")


def _labels(files: Iterable[_File]) -> str:
    return " and ".join(f"{file.name} ({', '.join(file.source.labels)})" for file in files)


def _are_records(tables: Sequence[_File]) -> bool:
    """True for tables of unknown columns, the same in all, that have sentences, and no name of another role."""
    heads = [file.head for file in tables]
    have_prose = all(any(map(is_prose, head.texts.values())) for head in heads)
    return len({tuple(head.labels) for head in heads}) == 1 and have_prose and not any(map(_names_other, tables))


def _by_labels(files: Iterable[_File]) -> dict[tuple[str, ...], list[_File]]:
    """Return files by their labels; those of one object each may lack some keys that most have."""
    found = groups_of((file.summary.labels, file) for file in files)
    of_one = [labels for labels in found if all(file.summary.is_one for file in found[labels])]
    most = max(of_one, key=lambda labels: len(found[labels]), default=())
    alike = [labels for labels in of_one if 2 * len({*labels} & {*most}) > len({*labels, *most})]
    others = {labels: found[labels] for labels in found if labels not in alike}
    merged = sorted(chain(*map(found.__getitem__, alike)), key=lambda file: file.name)
    return {most: merged, **others} if alike else others


def _are_parts(files: Sequence[_File], forms: Collection[str]) -> bool:
    """True if files of one format have the same columns, or differ in numbers alone and have the same parts."""
    if len(forms) > 1:
        return False
    numbered = {_NUMBER.sub("0", file.name.rpartition("/")[2]) for file in files}
    labels = [file.summary.labels for file in files]
    if len(numbered) > 1:
        is_pair = len(labels[0]) <= len(PAIR)  # an id and a text may be those of queries
        has_ids = is_pair and "id" in record_parts(files[0].head.labels)
        are_records = bool(forms) and {*forms} <= {*_OF_RECORDS} and not has_ids
        return are_records and len(_by_labels(files)) == 1
    parts = [{**parts_of(each), "id": ""} for each in labels]  # which a record may lack
    return all(each == parts[0] for each in parts)


def _names_other(file: _File) -> bool:
    """True for the name of a file of queries or judgments."""
    return file.is_named_like_queries or file.is_named_like_judgments


def _documents_in(source: Source, *, one_text: bool) -> int:
    """Estimate the documents in a file: its rows if they have words and an id, or are several beside one text."""
    source = sheet_for(source, RECORDS_FIRST)
    if source.path.endswith(_OF_TOOLS):
        return 0
    head = _head_of(source)
    parts = record_parts(head.labels)
    has_words = any(" " in text and has_letters(text) for text in head.texts.values())
    if not (has_words or {"title", "text"} & parts.keys()):
        return 0
    n_rows = max(map(len, head.cells.values()))
    n_rows = n_rows if source.whole else n_rows * max(source.size, ENOUGH) // ENOUGH
    is_of_documents = "id" in parts and plain_label(parts.get("text", "query")) not in ASKED
    others = n_rows - 1 if one_text else 0
    return n_rows if is_of_documents else others


def _is_sheet(file: _File) -> bool:
    """True if a table has a query and a grade in each row, as ratings that repeat the titles of documents have."""
    places = places_of(file.source.labels) if file.look.form in _TABLES else {}
    return "query_id" in places and (file.look.graded or "relevance" in places)


def _head_of(source: Source) -> TableHead:
    """Return the first cells of the records of a file; those of a file without any do not matter."""
    table = record_table(source, "documents") if source.head.lstrip()[:1] in (b"{", b"[", b"<") else None
    if table or BEGINS.match(source.text):
        table = table or tables(source)[0]
        return TableHead({label: [str(row.cells.get(label, "")) for row in table.head] for label in table.labels})
    labels = source.labels if source.first_lines else []
    return TableHead.of_rows(labels, rows_in(source.lines[1:], source.delimiter) if labels else ())


def _longest(head: TableHead) -> str:
    return max(head.labels, key=lambda label: sum(map(len, head.cells[label])))


def _text_in(head: TableHead) -> dict[str, str]:
    """Return the column of the longest texts as the text, or the title if those are words."""
    text, title = _longest(head), parts_of(head.labels).get("title")
    are_words = 2 * sum(" " in cell for cell in head.cells[text]) < len(head.cells[text])
    return {"title": title} if title and are_words else {"text": text}


def _are_documents(folder: Path, name: str, columns: ByPart) -> bool:
    """True if a folder is laid out with these columns, and that file has the documents."""
    with without_notes():
        try:
            parts = layout_of_folder(folder, columns={"documents": columns})
        except DataError:
            return False
    return [part.path for part in parts if part.role == "documents"] == [name]


def checked_format(input_format: str) -> str:
    """Return the name of a format; refuse an unknown one."""
    if not is_texts(input_format) and input_format not in FORMATS:
        raise unknown("input format", input_format, FORMATS)
    return input_format


def _nearest(files: Iterable[_File]) -> list[_File]:
    files = list(files)
    return [file for file in files if not file.folders] or files


def _usual(name: str, names: Collection[str]) -> str | None:
    """Return the name of a file of a BEIR folder, plain or gzipped; None if it is missing."""
    return next((variant for variant in (name, f"{name}.gz") if variant in names), None)


def _queries_judged(judgments: Sequence[Part]) -> list[Part]:
    """Return the part of the queries in judgments that have their texts, beside the id of each."""
    for part in judgments[:1]:
        table, parts, *_ = settle(cast(Source, part.source), "qrels")[1:]
        ids = table.cells(parts["query_id"]) if table and table.form == "lines" and "query_id" in parts else []
        others = [label for label in table.labels if label != parts["query_id"]] if table and ids else []
        if "text" in parts_of(others) and len({*map(str, ids)}) == len(ids):
            return [replace(part, role="queries", format="jsonl", split="")]
    return []


def _splits(files: Iterable[_File], form: str) -> list[Part]:
    """Make one set of judgments per file, named after it; a file present both plain and gzipped counts once."""
    splits = groups_of((Path(unpacked_name(file.name)).stem, file) for file in files)
    return [alike[0].part("qrels", form, split) for split, alike in splits.items()]


def _word(look: What) -> str:
    if look.form and look.role:
        return f"{NOUNS[look.role]}, {look.form}"
    return NOUNS.get(look.role, "unknown")
