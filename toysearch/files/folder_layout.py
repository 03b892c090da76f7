"""Layout of a folder: each file and its part in a collection."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from toysearch.base import DataError, Remedy, counted, groups_of, note, some, unknown, without_notes
from toysearch.files.claims import NAMELESS, NOTEBOOK, NOUNS, QUERY_NAME, Clues, ColumnNames, What, refuse_use
from toysearch.files.columns import has_letters, named_column, parts_of, parts_with_id, places_of, plain_label
from toysearch.files.document_formats import FORMATS, format_named, is_texts, text_patterns
from toysearch.files.encodings import readable
from toysearch.files.file_role import PAIR
from toysearch.files.nested_fields import nested_texts
from toysearch.files.reading import Reading
from toysearch.files.recognise import what_is
from toysearch.files.record_tables import record_table
from toysearch.files.roles import settle
from toysearch.files.sheets import RECORDS_FIRST, sheet_for
from toysearch.files.source import ENOUGH, INSTALL, Source, refuse_folder, refuse_unreadable, source_of, unread
from toysearch.files.syntaxes import delimited, pdf
from toysearch.files.syntaxes.delimited import cells_of
from toysearch.files.syntaxes.json_lines import certain_documents
from toysearch.files.syntaxes.json_tables import BEGINS, is_object, tables
from toysearch.files.syntaxes.texts import NO_TEXT, is_bare_text, is_named_by, left_out_of, text_endings
from toysearch.files.table import KEY
from toysearch.files.unpacking import table_name, unpacked_name

HELP = "describe it in a collection.toml (`toysearch docs collections` has an example)"

_SHOWN = 8  # files in an error
_NUMBER = re.compile(r"\d+")
_MOST_HELD = 64  # small files of a folder, whose bytes are held until they are read
_TABLES = ("csv", "tsv")
_OF_RECORDS = (*_TABLES, "jsonl", "beir", "xml")
_OF_TOOLS = ".canvas"  # a file of JSON that is no record
_ALONE = (".mbox", NOTEBOOK)  # ends of names of texts that are read without their folder
_SHEET_NAME = re.compile(r"judg|qrel|rating|relevan|grade|urteil|bewertung|jugement", re.IGNORECASE)
_FEW = 3  # files in a sentence
_SETTINGS = What(shown_by="its only object has names and numbers")
_SEE_FORMATS = "formats: `toysearch docs formats`"


class Part(NamedTuple):
    """File and its part in a collection."""

    role: str  # ``documents``, ``queries``, ``qrels`` or ``run``
    path: str  # below the folder; ``.`` is the folder itself, for a folder of texts
    format: str  # one of `FORMATS`; "" if the reader of the part decides
    split: str = ""  # the name of a set of judgments, if there are several
    source: Source | None = None  # for its reader, with what was read to recognise it
    guessed: bool = False  # whether it is one of several files of documents by its name


FolderLayout = tuple[Part, ...]
"""Files of a collection, documents first."""


def layout_of_file(
    source: str | PathLike[str],
    form: str | None = None,
    columns: ColumnNames = NAMELESS,
    reading: Reading = Reading(),
) -> FolderLayout:
    """Lay out a single file of documents."""
    path = source_of(source, encoding=reading.encoding, report=reading.report)
    certain = None if form or any(columns.values()) else certain_documents(path)
    if not certain:
        path = sheet_for(path, ("documents",), columns.get("documents"))
    name = Path(path.path).name
    if form is not None:
        if is_texts(checked_format(form)):
            raise DataError(f"{path} is a file; the format folder is for a folder of texts")
        reading.tell(f"{path} is read as documents ({form})")
        return (Part("documents", name, form),)
    look = certain or what_is(path, columns, place="documents")
    recognised = path if look.role else None
    if not look.role:
        refuse_unreadable(path)
        look = What("documents", by_name) if (by_name := _table_by_name(path)) else What()
    if look.form == "folder" and (unpacked_name(str(path).lower()).endswith(_ALONE) or pdf.is_one(path)):
        return (Part("documents", name, "folder", source=recognised),)
    is_topics = (look.role, look.form) == ("queries", "trec")
    if look.role not in ("documents", "queries") or look.form == "folder" or is_topics:
        refuse_use(look, path, "documents")
        lines = Remedy("load", input_format="lines")
        found = (
            "TREC topics" if is_topics else NOUNS.get(look.role, "no known format" if path.head.strip() else "nothing")
        )
        if look.form == "folder":
            found = f"a single text; give its folder, or {lines} for a document on each line"
        elif not look.role and path.head.strip():
            found = f"{found}; {lines} reads a document from each line"
        raise DataError(f"{path}: expected documents, found {found} ({_SEE_FORMATS})")
    if not look.sure:
        raise DataError(f"{path}: expected documents, found a single object without a text: {_way_of_object(path)}")
    if reading.report.taken:
        reading.report.taken(look.taken(path, "documents"))
    if look.form == "lines":
        note(f"{path}: a document on each line")
    documents = Part("documents", name, look.form, source=recognised)
    return (documents,) if certain else (documents, *_parts_inside(path, name, look.form))


def _parts_inside(source: Source, name: str, form: str) -> Iterator[Part]:
    """Yield the queries that stand beside the documents in an object of JSON, as their name says, and the judgments."""
    is_whole = form == "jsonl" and BEGINS.match(source.text) and is_object(source)
    found = [record_table(source, role) for role in ("documents", "queries")] if is_whole else []
    if len({table.name for table in found if table}) < 2:
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
    return f"{keys}, or name its text, as in {named_column(labels[0], 'columns')}" if labels else keys


def layout_of_files(
    sources: Sequence[Source],
    folder: Path,
    form: str | None = None,
    columns: ColumnNames = NAMELESS,
    reading: Reading = Reading(),
) -> FolderLayout:
    """Lay out several files of documents, which are parts of one collection; folder: one that holds them all."""
    parts = [layout_of_file(source, form, columns, reading)[0] for source in sources]
    other = next((place for place, part in enumerate(parts) if part.format != parts[0].format), None)
    if other is not None:
        raise DataError(
            f"{sources[other]} has another format than {sources[0]}: {parts[other].format}, not {parts[0].format}; "
            "give files of one format"
        )
    paths = [Path(source.path).relative_to(folder).as_posix() for source in sources]
    return tuple(part._replace(path=path) for part, path in zip(parts, paths, strict=True))


def _table_by_name(source: Source) -> str:
    """Return the format of an unrecognised table by its name: its reader then reports the missing column; else ""."""
    ending = table_name(source.path.lower()).rpartition(".")[2]
    if ending not in _TABLES:
        return ""
    header = readable(source.head.lstrip().partition(b"\n")[0])
    is_text = re.sub(r"[\t\r]", "", header).isprintable() and "\ufffd" not in header
    return ending if header and is_text else ""


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
    names = [name for name in among if name != "collection.toml"]  # settings, never data
    corpus = _usual("corpus.jsonl", names)
    if form == "beir" and corpus is None:
        listed = some(names, _SHOWN) or "nothing"
        raise DataError(f"{folder}: expected a file corpus.jsonl, as each BEIR folder has; found {listed}")
    sources = {name: Source(str(folder / name), reading) for name in names}
    looks = _looked_at(sources, form, columns)
    by_name = {n: table for n, look in looks.items() if not look.role and (table := _table_by_name(sources[n]))}
    if form is None:
        _refuse_unknown(folder, looks, sources, by_name, named=bool(columns.get("documents")))
    if corpus and form in (None, "beir"):
        looks[corpus] = What("documents", "beir")
        documents, format_of_all = [corpus], "beir"
    else:
        meant = form or (_of_texts(looks, sources) if not columns.get("documents") else None)
        documents, format_of_all = _documents(folder, looks, sources, by_name, meant)
    rest = {name: look for name, look in looks.items() if name not in documents}
    if form is None:
        _tell_left_out(folder, documents, format_of_all, rest)
    are_parts = len(documents) > 1 and format_of_all != "trec"
    parts = [Part("documents", name, format_of_all, guessed=are_parts) for name in documents]
    judgments = _judgments(folder, rest, by_name, format_of_all)
    parts += _queries(folder, rest, by_name, format_of_all) or _queries_judged(judgments, sources)
    parts += judgments
    runs = _nearest(name for name, look in rest.items() if look.role == "run")
    if len(runs) == 1:  # several are the user's own
        parts.append(Part("run", runs[0], rest[runs[0]].form))
    if not is_texts(format_of_all):
        others = [name for name in by_name if name not in {part.path for part in parts}]
        _tell_unread(folder, documents[0], looks, {name: sources[name] for name in others})
    if form is None and format_of_all in _OF_RECORDS and "collection.toml" not in among:
        _tell_other_kinds(folder, documents[0], _of_other_kinds(rest, sources))
    for part in parts[:_SHOWN]:
        look = looks.get(part.path, What(part.role, shown_by="it is a folder of texts"))
        reading.tell(look._replace(form=part.format).taken(folder / part.path, part.role))
    whole = Source("", reading, files={source.path: source for source in sources.values()})
    of_folder = {part.path: replace(whole, path=str(folder / part.path)) for part in parts}
    return tuple(part._replace(source=sources.get(part.path, of_folder[part.path])) for part in parts)


def _looked_at(sources: dict[str, Source], form: str | None, columns: ColumnNames) -> dict[str, What]:
    """Return what each file is by its content, and beside the others."""
    looks, patterns = dict[str, What](), text_patterns(form or "")
    for name, source in sources.items():
        looks[name] = What("documents", "folder") if is_named_by(patterns, name) else what_is(source, columns, name)
        if len(sources) > _MOST_HELD:
            sources[name] = Source(source.path, source.reading)
    unsure = [name for name, look in looks.items() if look.role == "documents" and not look.sure]
    are_different = len(unsure) == 1 or not _are_parts(unsure, sources, ())
    beside = _of_other_kinds(looks, sources) if unsure and are_different and form is None else []  # such as programs
    if any(looks[name].sure for name in _files_of_records(looks)) or text_endings(beside):
        looks |= dict.fromkeys(unsure, _SETTINGS)
    loose = _loose_texts(looks)
    if form is None and len(loose) == 1 and any(look.role == "qrels" for look in looks.values()):
        looks[loose[0]] = delimited.claims(sources[loose[0]], Clues("documents.tsv")) or looks[loose[0]]
    tables = [name for name, look in looks.items() if look.role == "documents" and look.form in _TABLES]
    if len(tables) > 1 and not all(looks[name].graded for name in tables):  # judgments, since another one has a text
        looks |= {name: What("qrels") for name, look in looks.items() if look.graded}
    if len(tables) == 1 and _judges_texts(looks, sources):  # so it has the queries, whatever it is called
        looks[tables[0]] = looks[tables[0]]._replace(role="queries")
    tagged = [name for name, look in looks.items() if (look.role, look.form) == ("documents", "trec")]
    query_files = [name for name in tagged if QUERY_NAME.search(name.rpartition("/")[2])]
    if len(query_files) < len(tagged):  # queries in <DOC>, beside documents
        looks |= dict.fromkeys(query_files, What("queries", "trec"))
    return looks


def _tell_unread(folder: Path, documents: str, looks: Mapping[str, What], tables: Mapping[str, Source]) -> None:
    """Note tables of unknown columns, and files whose library is not installed."""
    if tables:
        shown = [*tables.items()][:_SHOWN]
        listed = " and ".join(f"{name} ({', '.join(source.labels)})" for name, source in shown)
        note(f"{folder}: {documents} has the documents; the columns of {listed} are not known: left out")
    absent = [name for name, look in looks.items() if not look.role and name.lower().endswith((*unread().values(),))]
    if absent:
        note(f"{folder}: {counted(len(absent), 'file')} left out, such as {absent[0]}; to read them: {INSTALL}")


def _of_other_kinds(looks: Mapping[str, What], sources: Mapping[str, Source]) -> list[Path]:
    """Return the files that nothing here reads, but tables, settings, readmes and those whose library is missing."""
    unknown_files = [sources[name] for name, look in looks.items() if not look.role and look is not _SETTINGS]
    paths = [Path(source.path) for source in unknown_files if not _table_by_name(source)]
    return [
        path for path in paths if not (NO_TEXT.match(path.name) or path.name.lower().endswith((*unread().values(),)))
    ]


def _tell_other_kinds(folder: Path, documents: str, others: list[Path]) -> None:
    if others:
        advice = text_endings(others, how="instead")
        also = f"; {advice}" if advice else ""
        note(f"{folder}: {documents} has the documents, {left_out_of(others)}{also}")


def _of_texts(looks: Mapping[str, What], sources: Mapping[str, Source]) -> str | None:
    """Return the format of a folder whose texts are its documents, though it has files of records too; else None."""
    texts, names = _loose_texts(looks), _files_of_records(looks)
    is_judged = any(look.role == "qrels" and look.sure for look in looks.values())
    if not (texts and names) or (is_judged and not _judges_texts(looks, sources)):
        return None
    stems = {os.path.splitext(name)[0] for name in texts}
    if len(names) > 1 and stems.issuperset(os.path.splitext(name)[0] for name in names):  # they describe the texts
        return "folder"
    n_records = sum(_documents_in(sources[name], one_text=len(texts) == 1) for name in _nearest(names))
    return "folder" if n_records < len(texts) else None


def _loose_texts(looks: Mapping[str, What]) -> list[str]:
    return [name for name, look in looks.items() if _is_loose_text(look)]


def _files_of_records(looks: Mapping[str, What]) -> list[str]:
    return [name for name, look in looks.items() if look.role == "documents" and look.form in _OF_RECORDS]


def _documents_in(source: Source, *, one_text: bool) -> int:
    """Estimate the documents in a file: its rows if they have words and an id, or are several beside one text."""
    source = sheet_for(source, RECORDS_FIRST)
    if source.path.endswith(_OF_TOOLS):
        return 0
    labels, rows = source.labels, [cells_of(line, source.delimiter) for line in source.lines[1:]]
    if source.head.lstrip()[:1] in (b"{", b"[", b"<"):
        table = record_table(source, "documents") or tables(source)[0]
        labels = [*table.labels]
        rows = [[str(row.cells.get(label, "")) for label in labels] for row in table.head]
    has_words = any(" " in cell.strip() and has_letters(cell) for row in rows for cell in row)
    if not (has_words or {"title", "text"} & parts_of(labels).keys()):
        return 0
    n_rows = len(rows) if source.whole else len(rows) * max(source.size, ENOUGH) // ENOUGH
    parts = parts_with_id(labels, None, rows)
    is_of_documents = "id" in parts and plain_label(parts.get("text", "query")) not in ("query", "question")
    others = n_rows - 1 if one_text else 0
    return n_rows if is_of_documents else others


def _tell_left_out(folder: Path, documents: Sequence[str], form: str, others: Mapping[str, What]) -> None:
    """Note the texts beside a file of records, or the files of records beside texts, that are not searched."""
    texts, files = _loose_texts(others), _files_of_records(others)
    if is_texts(form) and files:
        table, instead = files[0], Remedy("load", input_format=others[files[0]].form)
        say = f"the texts are the documents, {some(files, _SHOWN)} left out"
        if len(files) == 1:
            say = f"{say}; to search it instead: {instead}"
    elif form in _OF_RECORDS and texts:
        instead, table = Remedy("load", input_format="folder"), documents[0]
        listed = f"{counted(len(texts), 'text')} left out, such as {texts[0]}"
        say = f"{table} has the documents, {listed}; to search the texts instead: {instead}"
    elif form in _OF_RECORDS and files:
        listed = f"{counted(len(files), 'file')} of records left out, such as {files[0]}"
        note(f"{folder}: {documents[0]} has the documents, {listed}; to search these instead, give their folder")
        return
    else:
        return
    suffix = Path(table).suffix
    queries = f"; if {table} has the queries, call it queries{suffix}" if suffix[1:] in _TABLES else ""
    note(f"{folder}: {say}{queries}")


def _refuse_unknown(
    folder: Path,
    looks: Mapping[str, What],
    sources: Mapping[str, Source],
    by_name: Iterable[str],
    *,
    named: bool,
) -> None:
    """Refuse tables whose columns are unknown, beside none but sheets of ratings; named: in vain, by the user."""
    alike = [name for name, look in looks.items() if look.role == "documents"]
    sheets = [name for name in alike if _is_sheet(name, looks[name], sources[name])]
    tables = {name: sources[name] for name in (*by_name, *sheets)}
    if sheets != alike or len(tables) <= max(len(sheets), 1):
        return
    listed = " and ".join(
        f"{name} ({', '.join(source.labels)})" for name, source in tables.items() if name not in sheets
    )
    judged = f", and {' and '.join(sheets)} has those of judgments" if sheets else ""
    columns = {name: _columns_in(source) for name, source in tables.items()}
    queries = next((name for name in columns if name not in sheets and QUERY_NAME.search(name)), "")
    others = [
        name for name in columns if name not in (queries, *sheets) and "relevance" not in places_of(columns[name])
    ]
    titled = [name for name in others if "title" in parts_of([*columns[name]])]
    others = titled if len(titled) == 1 else others
    remedies = list[str]()
    if len(others) == 1 and not named:
        parts = _parts_in(columns.pop(others[0]), columns.values())
        if _are_documents(folder, others[0], parts):
            of_texts = Remedy("load", columns=",".join(f"{part}={label}" for part, label in parts.items()))
            remedies.append(f"name those of the texts: {of_texts}")
    if queries:
        remedies.append(f"of the queries: {named_column(_longest(columns[queries]), 'query_columns')}")
    raise DataError(f"{folder}: the columns of {listed} are not known{judged}; {'; '.join(remedies) or HELP}")


def _is_sheet(name: str, look: What, source: Source) -> bool:
    """True if a table has a query and a grade in each row, as ratings that repeat the titles of documents have."""
    places = places_of(source.labels) if table_name(name.lower()).endswith((".csv", ".tsv")) else {}
    return "query_id" in places and (look.graded or "relevance" in places)


def _columns_in(source: Source) -> dict[str, list[str]]:
    rows = [cells_of(line, source.delimiter) for line in source.lines[1:]]
    return {label: [row[place] for row in rows if place < len(row)] for place, label in enumerate(source.labels)}


def _longest(columns: Mapping[str, list[str]]) -> str:
    return max(columns, key=lambda label: sum(map(len, columns[label])))


def _parts_in(columns: Mapping[str, list[str]], others: Iterable[Mapping[str, list[str]]]) -> dict[str, str]:
    """Return the column of the longest texts, or the title if those are words, and the ids in other tables."""
    text, title, rows = _longest(columns), parts_of([*columns]).get("title"), zip(*columns.values(), strict=False)
    are_words = 2 * sum(" " in cell for cell in columns[text]) < len(columns[text])
    parts = {"title": title} if title and are_words else {"text": text}
    if "id" in parts_with_id([*columns], parts, rows):
        return parts
    elsewhere = {cell for table in others for cells in table.values() for cell in cells}
    distinct = (label for label, cells in columns.items() if len({*cells}) == len(cells) and elsewhere & {*cells})
    id_of = next((label for label in distinct if label not in parts.values()), "")
    return {"id": id_of, **parts} if id_of else parts


def _are_documents(folder: Path, name: str, columns: Mapping[str, str]) -> bool:
    """True if a folder is laid out with these columns, and that file has the documents."""
    with without_notes():
        try:
            parts = layout_of_folder(folder, columns={"documents": columns})
        except DataError:
            return False
    return [part.path for part in parts if part.role == "documents"] == [name]


def _judges_texts(looks: Mapping[str, What], sources: Mapping[str, Source]) -> bool:
    """True if the judgments of a folder are of its texts, which are named after their files."""
    names = {name for name, look in looks.items() if _is_loose_text(look)}
    names |= {name.partition("/")[2] for name in names} - {""}
    judged = (line for name, look in looks.items() if look.role == "qrels" and names for line in sources[name].lines)
    return any(not names.isdisjoint(re.split(r'[\s,;"]+', line)) for line in judged)


def checked_format(input_format: str) -> str:
    """Return the name of a format; refuse an unknown one."""
    if not is_texts(input_format) and input_format not in FORMATS:
        raise unknown("input format", input_format, FORMATS)
    return input_format


def files_below(folder: Path) -> list[str]:
    """List all files below a folder, with ``/`` between the parts of paths: its own files first, each group sorted."""
    # Hidden files and folders are left out.
    top: list[str] = []
    others: list[str] = []
    for place, folders, names in os.walk(folder, onerror=refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        below = Path(place).relative_to(folder).as_posix()
        # A pipe or a socket is not listed: opening it would wait for a writer.
        visible = [name for name in names if not name.startswith(".") and os.path.isfile(os.path.join(place, name))]
        if below == ".":
            top = sorted(visible)
        else:
            others += [f"{below}/{name}" for name in visible]
    return top + sorted(others)


def _documents(
    folder: Path,
    looks: Mapping[str, What],
    sources: Mapping[str, Source],
    by_name: Mapping[str, str],
    meant: str | None,
) -> tuple[list[str], str]:
    """Return the files of the documents, and their format; meant: the one that the user or the texts decide."""
    has_texts = any(map(_is_loose_text, looks.values()))
    if meant is not None:
        names, forms = _in_format(looks, "folder" if is_texts(meant) else meant), {meant}
    else:
        found = [n for n, look in looks.items() if look.role == "documents" and look.form != "folder"]
        names = _nearest(found)
        if len(names) + 1 < len(found) and not any(_has_text(sources[name]) for name in names):
            names = [name for name in found if _has_text(sources[name])] or names  # beside lists of people, say
        forms = {looks[name].form for name in names}
        if forms == {"trec"}:
            names = _in_format(looks, "trec")  # in subfolders too
        elif not names and has_texts:
            forms = {"folder"}
        elif not names:
            names = _nearest(by_name)
            forms = {by_name[name] for name in names} if len(names) == 1 else set()
            if not names and any(is_bare_text(sources[name]) for name, look in looks.items() if not look.role):
                forms = {"folder"}
    form = next(iter(forms), None)
    if form and is_texts(form):
        tops = {name.partition("/")[0] for name, look in looks.items() if _is_loose_text(look)}
        alone = len(tops) == 1 and not any(name in looks for name in tops)
        others = {name.partition("/")[0] for name, look in looks.items() if look.role not in ("documents", "")}
        return [tops.pop() if alone and not tops & others else "."], form  # one subfolder has all the texts
    if form is None or not names:
        raise _without_documents(folder, looks, sources, form)
    if forms != {"trec"} and len(names) > 1 and not _are_parts(names, sources, forms):
        beside = meant is None and not any(format_named(each).counts for each in forms)  # their vocabularies are texts
        raise _ambiguous(folder, "documents", names, beside and has_texts)
    return names, form


def _without_documents(
    folder: Path, looks: Mapping[str, What], sources: Mapping[str, Source], form: str | None
) -> DataError:
    """Make the error for a folder without documents, or without those of a format."""
    unknown_files = [name for name, look in looks.items() if not look.role]
    for name in unknown_files:
        refuse_unreadable(sources[name])
    expected = f": {format_named(form).described}; found" if form else ", found"
    listed = some([f"{name} ({_word(look)})" for name, look in looks.items()], _FEW)
    advice = "" if form else text_endings([folder / name for name in unknown_files])
    also = f"; {advice}" if advice else ""
    return DataError(f"{folder}: expected documents{expected} {listed or 'nothing'}{also} ({_SEE_FORMATS})")


def _are_parts(names: Sequence[str], sources: Mapping[str, Source], forms: Collection[str]) -> bool:
    """True if files of one format differ in their numbers alone, and hold the id and the texts in the same columns."""
    numbered = {_NUMBER.sub("0", name.rpartition("/")[2]) for name in names}
    if len(forms) > 1 or len(numbered) > 1:
        return False
    labels = [_labels_in(sources[name]) for name in names]
    return all(parts_of(each) == parts_of(labels[0]) for each in labels)


def _labels_in(source: Source) -> Sequence[str]:
    """Return the columns or keys of the records of a file; those of a file without any do not matter."""
    return next((table.labels for table in tables(source)), ()) if BEGINS.match(source.text) else source.labels


def _has_text(source: Source) -> bool:
    return "text" in parts_of(_labels_in(source))


def _in_format(looks: Mapping[str, What], wanted: str) -> list[str]:
    """Prefer files recognised as documents in the format that the user names, else take unrecognised ones."""
    same = [name for name, look in looks.items() if (look.role, look.form) == ("documents", wanted)]
    if same and wanted in ("trec", "folder"):
        return same
    # Any other file that looks like documents may be meant: the user knows the format better.
    return _nearest(same) or _nearest(name for name, look in looks.items() if look.role in ("", "documents"))


def _is_loose_text(look: What) -> bool:
    return (look.role, look.form) == ("documents", "folder")


def _nearest(names: Iterable[str]) -> list[str]:
    names = list(names)
    return [name for name in names if "/" not in name] or names


def _usual(name: str, names: Collection[str]) -> str | None:
    """Return the name of a file of a BEIR folder, plain or gzipped; None if it is missing."""
    return next((variant for variant in (name, f"{name}.gz") if variant in names), None)


def _queries(folder: Path, looks: Mapping[str, What], by_name: Mapping[str, str], format_of_all: str) -> list[Part]:
    usual = _usual("queries.jsonl", looks)
    if format_of_all == "beir" and usual:
        return [Part("queries", usual, "beir")]
    named = [name for name in by_name if QUERY_NAME.search(name)]
    names = _nearest(name for name, look in looks.items() if look.role == "queries" or name in named)
    if len(names) > 1:
        raise _ambiguous(folder, "queries", names)
    return [Part("queries", name, by_name.get(name, looks[name].form)) for name in names]


def _queries_judged(judgments: Sequence[Part], sources: Mapping[str, Source]) -> list[Part]:
    """Return the part of the queries in judgments that have their texts, beside the id of each."""
    for path in [part.path for part in judgments[:1]]:
        table, parts, *_ = settle(sources[path], "qrels")[1:]
        ids = table.cells(parts.get("query_id", "")) if table and table.form == "lines" else []
        others = [label for label in table.labels if label != parts["query_id"]] if table and ids else []
        if "text" in parts_of(others) and len({*map(str, ids)}) == len(ids):
            return [Part("queries", path, "jsonl")]
    return []


def _judgments(folder: Path, looks: Mapping[str, What], by_name: Collection[str], format_of_all: str) -> list[Part]:
    of_beir = [name for name in looks if name.startswith("qrels/") and unpacked_name(name).endswith(".tsv")]
    if format_of_all == "beir" and of_beir:
        return _splits(of_beir, "beir")
    names = _nearest(name for name, look in looks.items() if look.role == "qrels")
    if not names:  # unrecognised tables that are named like judgments: their reader reports the missing columns
        names = _nearest(name for name in by_name if name in looks and _SHEET_NAME.search(name))
    if len(names) > 1 and all(name.split("/")[-2:-1] == ["qrels"] for name in names):
        return _splits(names, looks[names[0]].form)
    if len(names) > 1:
        raise _ambiguous(folder, "judgments", names)
    forms = {"trec": format_of_all if format_of_all == "smart" else "trec"}  # SMART has other columns
    return [Part("qrels", name, forms.get(looks[name].form, looks[name].form)) for name in names]


def _splits(names: Iterable[str], form: str) -> list[Part]:
    """Make one set of judgments per file, named after it; a file present both plain and gzipped counts once."""
    splits = groups_of((Path(unpacked_name(name)).stem, name) for name in names)
    return [Part("qrels", files[0], form, split) for split, files in splits.items()]


def _ambiguous(folder: Path, part: str, names: list[str], has_texts: bool = False) -> DataError:
    listed = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} others"]
    texts = f"to read the texts beside them: {Remedy('load', input_format='folder')}; or " if has_texts else ""
    return DataError(f"{folder}: {' and '.join(listed)} could each hold the {part}; {texts}{HELP}")


def _word(look: What) -> str:
    if look.form and look.role:
        return f"{NOUNS[look.role]}, {look.form}"
    return NOUNS.get(look.role, "unknown")
