"""Checks of the judgments: their columns, their pairs, the documents that they name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from toysearch.errors import DataError
from toysearch.formats.bad_lines import Problems
from toysearch.formats.detect_run_or_qrels import form_of
from toysearch.formats.table_columns import rows_of
from toysearch.formats.text_files import counted, numbered_lines
from toysearch.laboratory.corpus_check.finding import ERROR, INFO, MOST_ROWS, WARNING, Finding, some
from toysearch.laboratory.corpus_check.raw_collection import Material, files_of

_PLACES = {"trec": (0, 2, 3), "three": (0, 1, 2)}
"""Where query, document and grade stand in a line, by the layout of a file without a header."""

_FEW = 0.05  # share of judgments of missing documents that changes figures but little


def constant_columns(material: Material) -> Iterator[Finding]:
    """Findings on columns that hold the same on every line, where a grade is expected."""
    for file, path in files_of(material, "qrels"):
        if file.split not in material.codes or form_of(path).layout != "smart":
            continue
        ends = {tuple(columns[2:]) for _, columns in _columns(path)}
        if len(ends) == 1:
            yield Finding(
                INFO,
                f"{path.name} has no grades: its last columns are {' and '.join(*ends)} on every line; each line is "
                "read as a relevant pair, query and document",
                [{"line": number, "columns": " ".join(columns)} for number, columns in islice(_columns(path), 2)],
                "A reader of TREC's four columns would take the document for a constant and the grade for 0.",
            )


def _columns(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in numbered_lines(path):
        if columns := line.split():
            yield number, columns


def pairs_twice(material: Material) -> Iterator[Finding]:
    """Findings on pairs of query and document that are judged more than once in a file."""
    for file, path in files_of(material, "qrels"):
        rows = _second_judgments(path, file.columns)
        if rows:
            differ = sum(row["first grade"] != row["second grade"] for row in rows)
            yield Finding(
                ERROR if differ else INFO,
                f"{path}: {counted(len(rows), 'pair is', 'pairs are')} judged a second time, {differ} with another "
                "grade",
                sorted(rows, key=lambda row: row["first grade"] == row["second grade"])[:MOST_ROWS],
                "Keep one line for each pair; where grades differ, somebody has to say which holds."
                if differ
                else "Each counts once.",
            )


def _second_judgments(path: Path, columns: Mapping[str, str]) -> list[dict[str, str]]:
    """The lines that judge a pair again."""
    seen: dict[tuple[str, str], tuple[int, str]] = {}
    rows = []
    with contextlib.suppress(DataError):  # told by the check that reads all files
        for line, query_id, doc_id, code in _given(path, columns):
            first, before = seen.setdefault((query_id, doc_id), (line, code))
            if first != line:
                pair = {"query": query_id, "document": doc_id, "lines": f"{first} and {line}"}
                rows.append({**pair, "first grade": before, "second grade": code})
    return rows


def _given(path: Path, columns: Mapping[str, str]) -> Iterator[tuple[int, str, str, str]]:
    """Line, query, document and grade of each judgment that can be read; of votes nothing."""
    layout = form_of(path, columns).layout
    if layout == "table":
        for row in rows_of(path, ("relevance", "vote", "score"), "judgments", Problems(path), columns):
            if row.by != "vote":  # several users may vote on one pair
                yield row.line, row.query_id, row.doc_id, row.value
        return
    places = _PLACES.get(layout or "", ())
    for line, cells in _columns(path) if places else ():
        if len(cells) > max(places):
            query_id, doc_id, code = (cells[place] for place in places)
            yield line, query_id, doc_id, code


def missing_documents(material: Material) -> Iterator[Finding]:
    """Findings on judgments of documents that the collection does not hold."""
    if material.index is None or material.census.refused:
        return
    known = set(material.index.doc_ids.take(range(len(material.index.doc_ids))))
    absent: dict[str, int] = {}
    for doc_id in material.all_codes.doc_ids:
        if doc_id not in known:
            absent[doc_id] = absent.get(doc_id, 0) + 1
    if not absent:
        return
    rows = sum(absent.values())
    share = rows / len(material.all_codes)
    folded = {doc_id.casefold(): doc_id for doc_id in known}
    alike = [(doc_id, folded[doc_id.casefold()]) for doc_id in absent if doc_id.casefold() in folded]
    hint = f" '{alike[0][0]}' is there as '{alike[0][1]}': write ids alike." if alike else ""
    yield Finding(
        WARNING if share < _FEW else ERROR,
        f"{rows} of {len(material.all_codes)} judgments ({share:.1%}) are of {counted(len(absent), 'document')} that "
        "the collection does not hold",
        [{"document": doc_id, "judgments": count} for doc_id, count in list(absent.items())[:MOST_ROWS]],
        f"A relevant one counts as not found, for every system. Are documents missing, or is it another edition?{hint}",
    )


def nothing_relevant(material: Material) -> Iterator[Finding]:
    """Findings on judged queries for which nothing is relevant."""
    qrels, threshold = material.relevance, material.recipe.threshold
    without = [
        query_id
        for query_id in qrels.query_ids
        if not any(gain > 0 and gain >= threshold for gain in qrels[query_id].values())
    ]
    if without and len(without) < len(qrels.query_ids):
        yield Finding(
            WARNING,
            f"{counted(len(without), 'judged query has', 'judged queries have')} no relevant document (a gain of "
            f"{threshold:g} or more): {some(without)}",
            cure="They count as 0 by trec_eval's convention, and are left out with --undefined nan. Say which.",
        )
