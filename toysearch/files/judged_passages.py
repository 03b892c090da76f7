"""Rows of a query, a document and its grade: one file with the documents, the queries and the judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toysearch.base import DataError
from toysearch.files.columns import is_prose, n_words, names_query, parsed_judged_columns
from toysearch.files.file_role import PAIR
from toysearch.files.listed_documents import VALUES, id_in
from toysearch.files.nested_hits import cells_by_path
from toysearch.files.reading import Columns
from toysearch.files.roles import settle
from toysearch.files.rows_in_memory import ColumnsFrame
from toysearch.files.source import Source
from toysearch.files.syntaxes.json_tables import tables_if_any


class JudgedRows(NamedTuple):
    """Documents in rows of judgments, each once, and the texts of their queries."""

    documents: ColumnsFrame
    id_column: str
    texts: Mapping[str, str]  # by the ids of the queries


def judged_rows(source: Source, columns: Columns = None) -> JudgedRows | None:
    """Return the documents and the texts of queries in the rows of judgments; None if no document has a text.

    A column with one value for each query is never searched; a document has those with one value for each document.

    columns : those of the judgments, as the user names them
    """
    settled = settle(source, "qrels", {} if columns is None else parsed_judged_columns(columns))
    table, grade = settled.table, settled.parts.get(settled.by)
    _refuse_lists(source, settled.parts.get("doc_id", ""))
    are_scored = any(settled.parts.get(part, grade) != grade for part in VALUES["run"])
    if table is None or table.form == "rows" or settled.ask or are_scored or not {*PAIR} <= settled.parts.keys():
        return None
    query, doc = (settled.parts[part] for part in PAIR)
    rows = [row.cells for row in table.rows() if not row.problem]
    free = [label for label in table.labels if label not in (query, doc, grade)]
    asked, found = ({label: _one_each(rows, by, label) for label in free} for by in (query, doc))
    query_ids, doc_ids = _one_each(rows, query, query), _one_each(rows, doc, doc)
    repeat = len(query_ids) < len(doc_ids)  # what does not differ among the documents of a query is its own
    of_queries = [label for label in free if asked[label] and (repeat or not found[label] or names_query(label))]
    own = {label: cells for label, cells in found.items() if cells and label not in of_queries} | {doc: doc_ids}
    if not any(map(_has_words, own.values())):
        return None
    id_column = doc
    if _has_words(doc_ids):  # which are the texts too
        own["doc_id"], id_column = doc_ids, "doc_id"
    documents = ColumnsFrame({label: [*map(own[label].get, doc_ids)] for label in own}, str(source))
    worded = [] if _has_words(query_ids) else [label for label in of_queries if _has_words(asked[label])]
    text = min(worded, key=lambda label: not names_query(label), default="")
    return JudgedRows(documents, id_column, asked.get(text, {}))


def _one_each(rows: Sequence[Mapping[str, Any]], by: str, label: str) -> dict[str, Any]:
    """Return id → the only cell beside it; none if an id has several."""
    found = dict[str, Any]()
    for cells in rows:
        cell = cells.get(label, "")
        if found.setdefault(id_in(cells.get(by)) or "", cell) != cell:
            return {}
    return found


def _has_words(cells: Mapping[str, Any]) -> bool:
    return any(isinstance(cell, str) and n_words(cell) > 1 for cell in cells.values())


def _refuse_lists(source: Source, doc: str) -> None:
    """Refuse records with lists of texts where the documents are."""
    for table in tables_if_any(source)[:1]:
        for path, cells in cells_by_path(table).items():
            label = path.partition(".")[0]
            are_lists = any(isinstance(cell, list) for cell in table.cells(label))
            if label == doc.partition(".")[0] and are_lists and any(map(is_prose, cells)):
                problem = f"each record holds several texts, under {path}"
                raise DataError(f"{source}: {problem}; write a row for each, with the query and the grade")
