"""Runs and judgments without a header in the layouts of other programs: ranks, pairs, lists of ids, LETOR."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from toysearch.base import Qrels, Run, counted, groups_of, malformed, note
from toysearch.files.claims import Clues, What
from toysearch.files.columns import (
    NOTHING,
    begins_other_table,
    cells_in,
    header_of,
    labels_in,
    list_of_ids,
    plain_label,
)
from toysearch.files.numbers import finite_number
from toysearch.files.source import AnyPath, Source, numbered_lines
from toysearch.files.syntaxes.trec import LOOKED_AT, TrecColumns, columns_of_line, is_comment, score_of, trec_rows
from toysearch.files.triples import Triples, run_name

_RANKS = TrecColumns("a run", ("query_id", "doc_id", "rank"), 2, finite_number)
_SCORED = TrecColumns("a run", (*_RANKS.columns, "score"), 3, score_of)
_LETOR = r"\s*(?P<grade>[-+.\w]+)\s+qid:(?P<query>\S+)(?:\s+\d+:\S+)*\s*(?:#(?P<comment>.*))?"
_NAMED = r"(?i)\bdoc_?id\s*=\s*(\S+)"
_LISTS = ("prediction", "ranking", "result", "recommendation", "item", "article_id", "product_id", "doc_id", "docid")
"""Names of a column whose cells are lists of ids, with blanks between."""
_DIGITS = re.compile(r"\d+")
_MANY = 5  # ranks that no scale of grades has in this order for each query


def claims_rows(source: Source, clues: Clues) -> What | None:
    """Claim lines of ranks, of LETOR, of pairs, or of lists of ids."""
    lines = [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT) if not is_comment(line)]
    if not lines or (len(columns_of_line(lines[0])) > _SCORED.value + 1 and "qid:" not in lines[0]):
        return None
    if "qid:" in source.text and 2 * sum(re.fullmatch(_LETOR, line) is not None for line in lines) > len(lines):
        return What("qrels", "letor", "its lines begin with a grade and qid:")
    labels, delimiter = labels_in(lines[0])
    if len(labels) == 2 and delimiter and plain_label(labels[1]).removesuffix("s") in _LISTS:
        return What("run", "lists", f"its column {labels[1]} holds lists of ids", sure=False)
    rows = [columns_of_line(line) for line in lines]
    if ranks := _claims_ranks(rows):
        return ranks
    separator = _separator(lines)
    are_judgments = all(len(row) == len(rows[0]) in (3, 4) and finite_number(row[-1]) is not None for row in rows)
    if are_judgments and separator != "\t":  # ids may hold commas
        return None
    if all(len(_cells(line, separator)) == 2 for line in lines) and not begins_other_table(lines):
        return What("", "pairs", "its lines have two columns", sure=False)
    return None


def claims(source: Source, clues: Clues) -> What | None:
    """Claim what its rows show, unless its name is that of judgments."""
    if not clues.rows.sure and "rel" in clues.name.rpartition("/")[2].lower():
        return None
    return clues.rows if clues.rows.form in READERS.get(clues.rows.role, ()) else None


def _claims_ranks(rows: list[list[str]]) -> What | None:
    """Claim rows whose third column counts the documents of each query."""
    width, n_rows = len(rows[0]), len(rows)
    rows = [row for row in rows if len(row) == width]  # the reader reports the others
    if width not in (3, 4) or 2 * len(rows) < n_rows:
        return None
    by_query = groups_of((row[0], row) for row in rows)
    for group in by_query.values():
        ranks, documents = [row[2] for row in group], {row[1] for row in group}
        if len(documents) < len(group) or ranks != [str(rank) for rank in range(1, len(group) + 1)]:
            return None
    longest = max(map(len, by_query.values()))
    if width == 3:
        why = "its lines have three columns, the third counts the documents of each query"
        return What("run", "ranks", why, sure=longest >= _MANY) if longest > 1 else None
    scores = [[score_of(row[3]) for row in group] for group in by_query.values()]
    falling = all(None not in group and group == sorted(group, reverse=True) for group in scores)  # type: ignore[type-var]
    fractions = any("." in row[3] for row in rows)
    if not falling or not (fractions or longest >= _MANY or any(group[0] != group[-1] for group in scores)):
        return None
    why = "its lines have four columns, the third counts the documents of each query and the fourth falls"
    return What("run", "ranks", why, sure=fractions or longest >= _MANY)


def _separator(lines: Sequence[str]) -> str | None:
    """Return the separator of all lines of two columns, which the first one decides; None: blanks.

    >>> _separator(["red shoe,a", "lamp,c"]), _separator(["q1 a", "q2 b,c"]), _separator(["q1 a,", "q2 b"])
    (',', None, None)
    """
    marks = [mark for mark in "\t,;" if mark in lines[0] and len(_cells(lines[0], mark)) > 1]
    return next((mark for mark in marks if all(len(_cells(line, mark)) == 2 for line in lines)), [*marks, None][0])


def _cells(line: str, separator: str | None) -> list[str]:
    """Split a line; empty for a line of blank cells."""
    cells = columns_of_line(line) if separator is None else cells_in(line, separator)
    return cells if all(cells) else []


def read_ranks(path: AnyPath) -> Run:
    """Read the run in lines of a query, a document and its rank (MS MARCO), with or without a score."""
    triples, lines = Triples(path, "run"), numbered_lines(path)
    before: list[tuple[int, str]] = []
    for numbered in lines:
        before.append(numbered)
        if len(columns_of_line(numbered[1])) in (3, 4):
            break
    layout = _SCORED if before and len(columns_of_line(before[-1][1])) == 4 else _RANKS
    for number, row, value in trec_rows(chain(before, lines), layout, triples.problems):
        triples.add(number, row[0], row[1], value)
    return triples.run(run_name(path), f"{path} is empty; expected a run: lines of {layout}", by_rank=layout is _RANKS)


def read_lists(path: AnyPath) -> Run:
    """Read the run in a table of two columns: a query, and its documents, best first."""
    triples = Triples(path, "run")
    for number, query_id, doc_ids in _lists(path, triples):
        triples.groups.setdefault(query_id, {})
        for rank, doc_id in enumerate(doc_ids, 1):
            triples.add(number, query_id, doc_id, rank)
    return triples.run(run_name(path), f"{path} holds no run: no row has a document", by_rank=True)


def _lists(path: AnyPath, triples: Triples) -> Iterator[tuple[int, str, list[str]]]:
    lines = ((number, line) for number, line in numbered_lines(path) if line.strip())
    labels, delimiter = labels_in(next(lines)[1])
    for number, line in lines:
        cells = cells_in(line, delimiter)
        if len(cells) != 2 or not cells[0]:
            expected = f"expected 2 columns ({' '.join(labels)}), found {len(cells)}: '{line[:80]}'"
            triples.problems.add(number, f"{expected}; complete the line or remove it")
        elif problem := list_of_ids(cells[1], ",;|"):
            triples.problems.add(number, problem)
        else:
            yield number, cells[0], cells[1].split()


def _relevant(triples: Triples, pairs: Iterable[tuple[int, str, str]]) -> Qrels:
    path = triples.problems.path
    for number, query_id, doc_id in pairs:
        triples.add(number, query_id, doc_id, 1.0)
    qrels = triples.qrels(f"{path} holds no judgments; expected lines of a query and a document")
    note(f"{path}: no column holds grades, so {counted(len(qrels), 'pair counts', 'pairs count')} as relevant, grade 1")
    return qrels


def read_pairs(path: AnyPath) -> Qrels:
    """Read judgments in lines of a query and a relevant document."""
    triples, places = Triples(path, "qrels"), (0, 1)
    lines = [(number, line) for number, line in numbered_lines(path) if line.strip(NOTHING) and not is_comment(line)]
    header = header_of(lines[0][1]) if lines else None
    separator = header.delimiter if header else _separator([line for _, line in lines[:LOOKED_AT]])
    rows = [(number, line, _cells(line, separator)) for number, line in lines]
    if header:
        places, rows = (header.places["query_id"], header.places["doc_id"]), rows[1:]
    elif _is_header(path, [cells for _, _, cells in rows if len(cells) == 2], *lines[0]):
        rows = rows[1:]
    pairs = list[tuple[int, str, str]]()
    for number, line, cells in rows:
        if len(cells) != 2:
            expected = f"expected 2 columns (query_id doc_id), found {len(cells)}: '{line.strip()[:80]}'"
            triples.problems.add(number, f"{expected}; complete the line or remove it")
        elif problem := list_of_ids(cells[places[1]], "" if header else " "):
            triples.problems.add(number, problem)
        else:
            pairs.append((number, cells[places[0]], cells[places[1]]))
    return _relevant(triples, pairs)


def _is_header(path: AnyPath, rows: Sequence[list[str]], number: int, line: str) -> bool:
    """True if the first of some pairs is unlike all others in kind; refuse one that may be a header or a pair."""
    first, *others = rows or [[]]
    alike = [_DIGITS.sub("0", cell) for cell in first]  # q1 is of the kind of q2
    again = any(_DIGITS.sub("0", cell) == alike[place] for row in others for place, cell in enumerate(row))
    if not others or again or any(finite_number(cell) is not None for cell in first):
        return False
    for place, cell in enumerate(first):
        if not _has_digit(cell) and all(_has_digit(row[place]) for row in others):
            note(f"{path}: the first line, '{line.strip()[:80]}', is taken for the header: no other line is like it")
            return True
    if not any(map(_has_digit, first)):
        raise malformed(
            path,
            number,
            f"'{line.strip()[:80]}' may be a header or a judged pair; write query_id,doc_id above the pairs, with "
            "the separator of the file",
        )
    return False


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def read_relevant_lists(path: AnyPath) -> Qrels:
    """Read judgments in a table of two columns: a query, and its relevant documents."""
    triples = Triples(path, "qrels")
    rows = _lists(path, triples)
    return _relevant(triples, ((number, query_id, doc_id) for number, query_id, ids in rows for doc_id in ids))


def read_letor(path: AnyPath) -> Qrels:
    """Read the judgments of LETOR, whose comments name the documents: ``2 qid:1 1:0.5 # d7``."""
    triples = Triples(path, "qrels")
    for number, line in numbered_lines(path):
        if not line.strip() or is_comment(line):
            continue
        match = re.fullmatch(_LETOR, line)
        grade = finite_number(match["grade"]) if match else None
        comment = (match["comment"] or "").strip() if match else ""
        id_in_comment = re.search(_NAMED, comment)
        if match is None or grade is None:
            triples.problems.add(number, f"expected a grade, qid:ID and features, found '{line.strip()[:60]}'")
        elif not comment:
            triples.problems.add(number, "expected the id of the document after #, found none; add it to each line")
        else:
            triples.add(number, match["query"], id_in_comment[1] if id_in_comment else comment.split()[0], grade)
    return triples.qrels(f"{path} holds no judgments; expected lines such as '2 qid:1 # d7'")


READERS: dict[str, dict[str, Callable[[AnyPath], Any]]] = {
    "run": {"ranks": read_ranks, "lists": read_lists},
    "qrels": {"lists": read_relevant_lists, "letor": read_letor, "pairs": read_pairs},
}
"""Kind → form → the reader of the layout."""
