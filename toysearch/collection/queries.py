"""Queries from any source: a file in any format, a folder, the name of a collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from toysearch import files
from toysearch.base import ArgumentError, DataError, Qrels, Query, counted, malformed
from toysearch.collection.catalog import collection_of
from toysearch.collection.collection import Collection, Queries, QueriesInMemory
from toysearch.collection.judged_queries import aligned, are_texts, by_text, numbered_texts
from toysearch.collection.loader import queries_of
from toysearch.collection.recipe import Recipe
from toysearch.files import (
    Reading,
    Source,
    files_named,
    numbered_lines,
    parsed_columns,
    read_qrels,
    refuse_address,
    source_of,
)
from toysearch.files.claims import MARKDOWN, QUERY_NAME, What, named_like_text, refuse_use
from toysearch.files.columns import named_column, words_of
from toysearch.files.nested_fields import nested_texts
from toysearch.files.part import Part
from toysearch.files.roles import settle
from toysearch.files.rows_in_memory import queries_in_memory
from toysearch.files.runs_and_judgments import query_texts
from toysearch.files.sheets import sheet_for
from toysearch.files.syntaxes.json_tables import tables_if_any
from toysearch.files.table import text_of
from toysearch.files.unpacking import table_name

__all__ = ["read_queries"]

QueriesLike = Collection | Queries | QueriesInMemory | str | os.PathLike[str]


def read_queries(
    source: QueriesLike,
    *,
    fields: str | Sequence[str] | None = None,
    columns: str | Mapping[str, str] | None = None,
) -> Queries:
    r"""Read the queries in a file, in a folder or of a collection.

    Parameters
    ----------
    source : path, name, Collection, mapping or iterable
        A file of TREC topics, JSON Lines, CSV, TSV, SMART records, or lines that begin with an id; a collection, also
        by its name or its folder; a mapping of query_id to text; a data frame; or a list of queries, pairs or
        dicts.
    fields : str or sequence of str, optional
        The fields of a query that are searched with, such as ``"title,description"``. The default is its text; for
        TREC topics, the title.
    columns : str or mapping of str to str, optional
        The columns or keys of a file that hold the id and the text: ``"id=nr,text=question"``.

    Raises
    ------
    ArgumentError
        If the source is of another kind, or a query lacks a field.
    DataError
        If there is no query, a query is malformed, or an id is repeated.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "topics.csv")
    >>> _ = path.write_text("query_id,text\n7,train cat\n8,buy parrot\n")
    >>> list(read_queries(path)) == list(read_queries({"7": "train cat", "8": "buy parrot"}))
    True
    >>> len(read_queries("cat-dog-parrot"))
    3
    """
    return queries_given(source, Reading(query_fields=fields, query_columns=columns))


def queries_given(source: QueriesLike, reading: Reading) -> Queries:
    """Return the queries of a file, a folder or a collection, or those in memory."""
    if _are_typed(source):
        raise ArgumentError(f"'{source}' chooses queries by their ids, and there are none; name a file of queries")
    return _read(source, reading).queries


def lists_ids(source: object) -> bool:
    """True for typed ids such as 1,2, or a text file with one word per line, the id of a query: no topics as 1:lamp."""
    if _are_typed(source):
        return True
    if not isinstance(source, str | os.PathLike) or Path(source).suffix != ".txt" or not files.is_file(str(source)):
        return False
    words = [text.strip() for _, text in numbered_lines(source) if text.strip()]
    topics = [word.partition(":")[0] for word in words if all(word.partition(":"))]
    are_topics = words and len({*topics}) == len(words)
    return not are_topics and all(len(word.split()) < 2 for word in words)


def _are_typed(source: object) -> bool:
    """True for a text of ids between commas, or of one number, that names no file or folder."""
    text = source if isinstance(source, str) else ""
    is_list = text.isdecimal() or ("," in text and all(map(str.strip, text.split(","))))
    return is_list and not os.path.exists(text)


def chosen(source: str | os.PathLike[str], queries: Queries) -> Queries:
    """Choose the queries whose ids are typed, or listed in a file, in their own order."""
    lines = enumerate(str(source).split(",")) if _are_typed(source) else numbered_lines(source)
    listed = {text.strip(): line for line, text in lines if text.strip()}
    for query_id, line in listed.items():
        if queries.get(query_id) is None:
            problem = f"expected the id of a query of the collection, found '{query_id}'"
            raise ArgumentError(problem) if _are_typed(source) else malformed(source, line, problem)
    places = [place for place, query_id in enumerate(queries.query_ids) if query_id in listed]
    return Queries([queries[place] for place in places], [queries.fields[place] for place in places if queries.fields])


class Topics(NamedTuple):
    """Queries with matching judgments, and a note for the user ("" for none)."""

    queries: Queries
    qrels: Qrels
    remark: str = ""


def fitted(
    source: QueriesLike,
    qrels: Qrels,
    reading: Reading = Reading(),
    doc_ids: Callable[[], Sequence[str]] = list,
) -> Topics:
    """Return queries and their judgments with the same numbering, as in a collection of both."""
    source_queries = _read(source, reading)
    query_ids, remark = source_queries.queries.query_ids, ""
    if source_queries.recipe is not None and not source_queries.queries.needs:
        texts = source_queries.queries.texts
        query_ids, codes, remark = aligned(source_queries.recipe, query_ids, texts, qrels, doc_ids)
        qrels = qrels if codes is None else codes
    queries = Queries(map(Query, query_ids, source_queries.queries.texts), source_queries.queries.fields)
    return Topics(queries, qrels, remark) if remark else named_by_text(queries, qrels)


def named_by_text(queries: Queries, qrels: Qrels) -> Topics:
    """Match queries with judgments that name them by text; without a query file, those texts are the queries.

    >>> found = named_by_text(Queries([]), Qrels.from_dict({"usb cable": {"a": 1}, "mouse": {"b": 1}}))
    >>> list(found.queries.texts), found.qrels["1"]
    (['usb cable', 'mouse'], {'a': 1.0})
    >>> found.remark
    'there is no file of queries: the 2 texts by which the judgments name queries are searched, numbered from 1'
    """
    label = qrels.id_columns.get("query_id", "")
    pairs = zip(queries.query_ids, queries.fields, strict=False) if label else ()  # most judgments name the ids
    own = {fields.get(label, ""): query_id for query_id, fields in pairs}
    if label and len(own) == len(queries) and own.keys() >= {*qrels.query_ids}:
        return Topics(queries, qrels.renamed(own, {}), f"the judgments name queries by their {label}")
    if len(queries):
        return Topics(queries, *by_text(qrels, queries.query_ids, queries.texts))
    if qrels.texts:
        return Topics(Queries(Query(*each) for each in qrels.texts.items()), qrels)
    if not are_texts(qrels.query_ids):
        return Topics(queries, qrels)
    queries = Queries(Query(query_id, fields["text"]) for _, query_id, fields in numbered_texts(qrels.query_ids))
    renamed, _ = by_text(qrels, queries.query_ids, queries.texts)
    many = counted(
        len(queries), "text by which the judgments name a query is", "texts by which the judgments name queries are"
    )
    return Topics(queries, renamed, f"there is no file of queries: the {many} searched, numbered from 1")


class _Found(NamedTuple):
    queries: Queries
    recipe: Recipe | None = None


def _read(source: QueriesLike, reading: Reading) -> _Found:
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not files.is_file(source):
            collection = collection_of(source, reading)
            queries = collection.queries if len(collection.queries) else _of_documents(collection)
            return _some(queries, f"collection '{source}' has no queries")
        refuse_address(source)
        sources, what = _looked_at(path, reading)
        if what.role == "qrels" and len(named := _of_judgments(sources[0])):
            return _Found(named)
        recipe = _recipe_of(path, sources, what, reading)
        queries = queries_of(recipe)
        return _some(queries, f"{path} holds no query", recipe)
    if isinstance(source, Collection):
        return _some(source.queries, f"collection '{source.name}' has no queries")
    if isinstance(source, Queries):
        return _some(source, "there is no query")
    return _some(Queries(queries_in_memory(source)), "there is no query")


def _of_judgments(source: Source) -> Queries:
    """Return the queries in a file of judgments, by their texts or with these beside their ids; none without texts."""
    settled = settle(source, "qrels")
    query = settled.parts.get("query_id", "")
    if settled.table is None or not query:
        return named_by_text(Queries([]), read_qrels(source)).queries
    texts = query_texts(settled)
    ids = () if texts else [str(row.cells[query]) for row in settled.table.rows() if query in row.cells]
    named = Qrels.from_dict({query_id: {} for query_id in ids})
    named.texts = texts
    return named_by_text(Queries([]), named).queries


def recipe_of_queries(path: Path, reading: Reading) -> Recipe:
    """Return the recipe of a file of queries, or of the files that a pattern names."""
    return _recipe_of(path, *_looked_at(path, reading), reading)


def _recipe_of(path: Path, sources: Sequence[Source], what: What, reading: Reading) -> Recipe:
    first, *others = sources
    refuse_use(what, path, "queries")
    if not what.role or what.form == "folder":
        raise DataError(f"{path}: expected queries: TREC topics, JSON Lines, CSV, TSV, SMART, or lines 'id text'")
    if what.role not in ("queries", "documents"):
        contents = "judgments" if what.role == "qrels" else f"a {what.role}"
        way = _way_inside(first)
        raise DataError(f"{path} holds {contents}; expected queries, each with an id and a text{way}")
    reading.tell(what.taken(path, "queries"))
    folder = path.parent if path.parent.exists() else Path(path.anchor)  # a pattern may name folders too
    name, known = path.relative_to(folder).as_posix(), None if others else first
    columns = parsed_columns(reading.query_columns)
    file = Part("queries", name, what.form, columns=columns, source=known)
    return Recipe(path.name, folder, what.form, (file,), reading=reading)


def _way_inside(source: Source) -> str:
    """Say how to read titles or texts deeper in objects of JSON, if they are named like those of queries; else ""."""
    head = [row.cells for table in tables_if_any(source)[:1] for row in table.head[:1]]
    cells = head[0] if head else {}
    deeper = (key for name in cells for key in nested_texts(name, cells[name], text_of) if "." in key)
    labels = [*filter(QUERY_NAME.search, deeper)]
    labels.sort(key=lambda label: "title" not in words_of(label))
    return f"; to read those in it: {named_column(labels[0], 'queries')}" if labels else ""


def _looked_at(path: Path, reading: Reading) -> tuple[list[Source], What]:
    """Return the files at a path, and what the first one is in the place of queries."""
    sources = files_named(source_of(str(path), encoding=reading.encoding, report=reading.report))
    first = sources[0]
    if not os.path.exists(first):
        raise DataError(f"{path}: there is no such file")
    columns = parsed_columns(reading.query_columns)
    sheet = sheet_for(first, ("queries",), columns)
    name = Path(first).name
    if sheet is not first and named_like_text(name, MARKDOWN):  # its list or its table is read
        name = f"{name}.txt"
    what = files.what_is(sheet, {"queries": columns}, f"queries/{name}", "queries")
    if not what.role and table_name(first.path.lower()).endswith((".csv", ".tsv")):  # its header has no usual name
        what = what._replace(role="queries", form="csv")
    return sources, what


def _of_documents(collection: Collection) -> Queries:
    """Take the documents of a folder as queries; texts have the names of their files as ids."""
    if collection.reading is None or collection.in_catalog:
        return collection.queries
    name = collection.reading.name
    return Queries(Query(one.fields[name] if name else one.doc_id, one.text) for one in collection.documents)


def _some(queries: Queries, otherwise: str, recipe: Recipe | None = None) -> _Found:
    if not len(queries):
        raise DataError(f"{otherwise}; expected at least one query with its id and its text")
    return _Found(queries, recipe)
