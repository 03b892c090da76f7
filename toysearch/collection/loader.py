"""Loading a collection from its recipe."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from pathlib import Path

from toysearch.base import BORDER, CountedWords, DataError, Document, JoinedText, bordered
from toysearch.collection.collection import Collection, Queries, ReadFiles
from toysearch.collection.document_batches import BATCH, Batch
from toysearch.collection.judged_queries import JudgedQueries, asked_fields, queries_from, read_judged_queries
from toysearch.collection.recipe import Recipe, spelt_fields
from toysearch.files import DATASET, Record, Rejected, format_named, sha256
from toysearch.files.account import Account
from toysearch.files.document_formats import chosen, read_records, unique
from toysearch.files.part import Part
from toysearch.files.reading import named_fields
from toysearch.files.sheets import sheet_for
from toysearch.files.source import AnyPath, ByteRange

Parts = Mapping[str, ByteRange]
"""Absolute path of a file → what is read of it."""

_ONCE = "refuse"  # records with a repeated id
_PLURALS = {"documents": "documents", "queries": "queries", "qrels": "judgments"}


def load_recipe(recipe: Recipe, topics: bool = True) -> Collection:
    """Make the collection of a recipe whose folder holds all its files."""
    # Queries and judgments are read now if topics are wanted, documents when they are first used.
    if recipe.reading.on_error == "skip" and recipe.rejected is None:
        recipe = replace(recipe, rejected=Rejected(recipe.reading.rejected))
    recipe = _with_named_fields(recipe)
    judged = read_judged_queries(recipe, _records) if topics else JudgedQueries()
    form = format_named(recipe.format)
    # Of the fields of a format, title and text, a collection may lack one.
    named, added = recipe.reading.searched, recipe.reading.added
    searched = () if named else form.text
    if named or added:
        searched = (*searched, *_as_documents_spell(recipe, named or added))
    paths = [path for file in recipe.files if file.role == "documents" for path in file.paths(recipe.folder)]
    size = sum(path.stat().st_size for path in paths if isinstance(path, Path) and path.is_file())
    reading = ReadFiles(
        format_named(recipe.texts_format).title if recipe.texts_format else form.title,
        form.text[-1],
        tuple(searched),
        judged.query_fields,
        judged.splits,
        judged.qrels_of,
        recipe.licence,
        recipe.origin,
        size,
        lambda parts=None: _batches(recipe, reading, collection.tell, parts),
        lambda: _line_files(recipe),
        counts=form.counts,
        name=form.name,
    )
    split = judged.file.split if judged.file else ""
    published = next((file.below(recipe.folder) for file in recipe.files if file.role == "run"), None)
    collection = Collection(
        recipe.name,
        lambda: (
            document
            for some in _batches(recipe, reading, collection.tell, whole=True)
            for document in map(Document, some.doc_ids, map(JoinedText.of, some.texts), some.titles, some.fields)
        ),
        judged.queries,
        judged.qrels,
        title=recipe.title,
        description=recipe.description,
        language=recipe.language,
        tokens=recipe.tokens,
        stop=recipe.stop,
        grades=judged.grades,
        threshold=recipe.threshold,
        split=split,
        apart=recipe.apart,
        complete=recipe.judgments == "complete",
        in_catalog=recipe.in_catalog,
        published=published,
        folder=None if recipe.format == DATASET else recipe.folder,
        reading=reading,
    )
    for remark in judged.notes:
        collection.tell(remark)
    if recipe.rejected:
        _tell_rejected(recipe.rejected, collection.tell)
    if topics:
        _compare(recipe, "queries", judged.records, collection.tell)
    if judged.file and judged.codes is not None:
        _compare_file(recipe, judged.file, len(judged.codes), collection.tell)
    collection.without_relevant = frozenset(recipe.without_relevant)
    described = all(file.sha256 for file in recipe.files if file.role in ("queries", "qrels"))
    collection.vouched = recipe.in_catalog and described and recipe.reading.grades is None and not collection.notes
    if topics and recipe.remark:  # an index of word counts reads its queries alone
        collection.tell(recipe.remark)
    return collection


def queries_of(recipe: Recipe) -> Queries:
    """Read the queries of a recipe, under the ids of their file."""
    recipe = _with_named_fields(recipe)
    records = list(_records(recipe, "queries"))
    return queries_from([record_id for _, record_id, _ in records], records, asked_fields(recipe, records))


def _with_named_fields(recipe: Recipe) -> Recipe:
    """Return a recipe with lists of the fields that the user names."""
    reading = recipe.reading
    if reading.fields is not None:
        reading = replace(reading, fields=named_fields(reading.fields))
    if reading.query_fields is not None:
        asked = named_fields(reading.query_fields, "query_fields", "title,description")
        reading = replace(reading, query_fields=asked)
    return replace(recipe, reading=reading)


def _records(
    recipe: Recipe,
    role: str,
    *,
    once: bool = True,
    searched: Sequence[str] | None = None,
    parts: Parts | None = None,
) -> Iterator[Record]:
    """Yield the records of the documents or the queries, in the order of their files; each id may occur once."""
    # searched: of word counts, only these fields are read, where each has a file.
    # parts: of the files of documents, only these are read.
    accounts, described, ids = list[Account](), dict[str, Part](), recipe.reading.ids or _ONCE

    def read() -> list[tuple[AnyPath, Iterator[Record]]]:
        sources, in_fields = list[tuple[AnyPath, Iterator[Record]]](), any(file.field for file in recipe.files)
        numbers = None if in_fields else itertools.count(1)
        for file in recipe.files:
            is_asked = file.role == role and (searched is None or not file.field or file.field in searched)
            for path in file.paths(recipe.folder) if is_asked else ():
                part = None if parts is None else parts.get(os.path.abspath(path))
                if parts is None or part:
                    how = file.columns, recipe.rejected, ids != _ONCE, file.field, numbers
                    source = file.source_at(path, recipe.reading, recipe.reading.report._replace(read=accounts.append))
                    described[source.path] = file
                    source = source if source.is_usual else sheet_for(source, (role,), file.columns)
                    source = source if part is None else source.only(part)
                    sources.append((source, read_records(file.format, role, source, *how)))
        return [(sources[0][0], _joined_records(sources))] if in_fields and len(sources) > 1 else sources

    if ids != _ONCE:
        yield from chosen(read, ids)
    elif not once or (role == "queries" and recipe.number == "place"):
        for _, records in read():
            yield from records
    else:
        yield from unique(read(), "doc_id" if role == "documents" else "query_id", recipe.rejected)
    by_path = {account.path: account for account in accounts}  # a file may be read twice
    for path, account in by_path.items():
        is_guessed = (account.guessed or described[path].guessed) and not described[path].confined
        by_path[path] = account._replace(guessed=is_guessed)
    recipe.reading.report.tell_read(by_path.values())


def _joined_records(sources: Sequence[tuple[AnyPath, Iterator[Record]]]) -> Iterator[Record]:
    for rows in zip_longest(*(records for _, records in sources)):
        if len({row and row[1] for row in rows}) > 1:
            ids = (f"'{row[1]}'" if row else "no more" for row in rows)
            places = ", ".join(f"{doc_id} in {path}" for doc_id, (path, _) in zip(ids, sources, strict=True))
            raise DataError(f"files with a field each must have the same documents in the same order; found {places}")
        yield *rows[0][:2], {name: text for row in rows for name, text in row[2].items()}


def _is_exact(recipe: Recipe) -> bool:
    """True if each record is read as its file has it, or refused."""
    return recipe.rejected is None and recipe.reading.ids in (None, _ONCE)


def _line_files(recipe: Recipe) -> tuple[Path, ...]:
    """Return the document files, if each of their lines is a document, to be read as the first line tells."""
    files = recipe.of("documents")
    plain = all(file.format in ("beir", "jsonl") and not file.columns for file in files)
    if not plain or not _is_exact(recipe) or recipe.reading.codec:
        return ()
    paths = {path: file for file in files for path in file.paths(recipe.folder) if isinstance(path, Path)}
    sources = [file.source_at(path, recipe.reading) for path, file in paths.items()]
    return () if any(source.head and source.begun.encoding for source in sources) else tuple(paths)


def _batches(
    recipe: Recipe, reading: ReadFiles, tell: Callable[[str], None], parts: Parts | None = None, *, whole: bool = False
) -> Iterator[Batch]:
    """Yield the documents in batches; whole: with all fields, and each id once, which an index sees to otherwise."""
    count = 0
    join: Callable[[Sequence[str]], str] = CountedWords.joined if reading.counts else BORDER.join
    if recipe.remark:
        tell(recipe.remark)
    once, searched = whole or not _is_exact(recipe), None if whole else reading.searched
    records = _records(recipe, "documents", once=once, searched=searched, parts=parts)
    if reading.name:
        records = _without_others(recipe, records)
    while some := list(islice(records, BATCH)):
        count += len(some)
        _, doc_ids, fields = zip(*some, strict=True)
        of_some = () if reading.counts else _column(fields, reading.title)
        if reading.name:
            of_some = [title or name for title, name in zip(of_some, _column(fields, reading.name), strict=True)]
        titles = [" ".join(title.split()) if title else "" for title in of_some] or [""] * len(some)
        columns = [column for name in reading.searched if any(column := _column(fields, name))]
        for place, column in enumerate(columns):
            if {*map(type, column)} != {str}:
                columns[place] = [*map(bordered, column)]
        rows = zip(*columns, strict=True)
        texts = columns[0] if len(columns) == 1 else [join([*filter(None, row)]) for row in rows]
        yield Batch(doc_ids, texts or [""] * len(some), titles, fields)
    if recipe.rejected:
        _tell_rejected(recipe.rejected, tell)
    if parts is None:
        _compare(recipe, "documents", count, tell)


def _tell_rejected(rejected: Rejected, tell: Callable[[str], None]) -> None:
    rejected.write()
    for sentence in rejected.told():
        tell(sentence)


def _without_others(recipe: Recipe, records: Iterator[Record]) -> Iterator[Record]:
    """Yield the documents in a folder of texts, which may hold the queries and judgments too."""
    others = {file.path for file in recipe.files if file.role != "documents"}
    return (record for record in records if record[2].get("path") not in others)


def _column(fields: Iterable[Mapping[str, str]], name: str) -> list[str]:
    return [record.get(name, "") for record in fields]


def _as_documents_spell(recipe: Recipe, names: list[str]) -> list[str]:
    if {*names} <= {file.field for file in recipe.of("documents")}:
        return names
    present, wanted = dict[str, None](), {*map(str.casefold, names)}
    for _, _, fields_of in _records(recipe, "documents"):
        if not present.keys() >= fields_of.keys():
            present.update(dict.fromkeys(fields_of))
            if wanted.issubset(map(str.casefold, present)):
                break  # usually after the first document
    return spelt_fields(names, present, "field")


def _compare(recipe: Recipe, role: str, count: int, tell: Callable[[str], None]) -> None:
    files = [file for file in recipe.files if file.role == role]
    if len(files) == 1 or any(file.field for file in files):
        for file in files:
            if file.records is not None or file.sha256:
                _compare_file(recipe, file, count, tell)
    elif recipe.expected.get(role, count) != count:
        tell(
            f"the {len(files)} files of the {role} of '{recipe.name}' hold {count}, its recipe expects "
            f"{recipe.expected[role]}; figures may differ from published ones"
        )


def _compare_file(recipe: Recipe, file: Part, count: int, tell: Callable[[str], None]) -> None:
    """Note it if a file is not the one in the recipe: it may be used, but the figures may differ."""
    path = file.below(recipe.folder)
    if file.records is not None and count != file.records:
        tell(
            f"{path} holds {count} {_PLURALS[file.role]}, the recipe of '{recipe.name}' expects {file.records}; "
            "figures may differ from published ones"
        )
    elif file.sha256 and sha256(path) != file.sha256:
        tell(
            f"{path} is not the file in the recipe of '{recipe.name}': its checksum differs; "
            "figures may differ from published ones"
        )
