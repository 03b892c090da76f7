"""A run file read line by line to its end, whatever is wrong in it; and whether its ranks agree with its scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from toysearch.formats.detection import form_of
from toysearch.formats.text_files import finite_number, numbered_lines
from toysearch.formats.trec import columns_of, is_comment, run_columns, score_of

_HEAD = 1000  # lines
_COLUMNS = 6


class Placed(NamedTuple):
    """A document where its line puts it."""

    line: int
    rank: float
    doc_id: str
    score: float


@dataclass
class Scan:
    """What the lines of a TREC run file hold."""

    # query_id → doc_id → score, of the lines that can be read; of a document given twice, the first
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    placed: dict[str, list[Placed]] = field(default_factory=dict)  # the same lines by query, where the rank is a number
    not_lines: list[tuple[int, str]] = field(default_factory=list)  # lines without six columns
    # lines whose score is not a number, and what stands there
    not_scores: list[tuple[int, str]] = field(default_factory=list)
    # lines that name a document of a query again: line, query_id, doc_id
    twice: list[tuple[int, str, str]] = field(default_factory=list)
    tags: dict[str, int] = field(default_factory=dict)  # each tag, and the line on which it is first


def scan_run(path: str | Path, head: bool = False) -> Scan:
    """The lines of a TREC run file."""
    lines: Iterable[tuple[int, str]] = numbered_lines(path)
    scan = Scan()
    for number, line in islice(lines, _HEAD) if head else lines:
        columns = line.split() if line.isascii() else columns_of(line)
        if len(columns) > _COLUMNS:
            columns = run_columns(line)
        if not columns:
            continue
        if is_comment(line) and (len(columns) < _COLUMNS or score_of(columns[4]) is None):
            continue
        if len(columns) != _COLUMNS:
            scan.not_lines.append((number, line.strip()))
            continue
        query_id, _, doc_id, rank, score, tag = columns
        scan.tags.setdefault(tag, number)
        value = score_of(score)
        if value is None:
            scan.not_scores.append((number, score))
            continue
        group = scan.scores.setdefault(query_id, {})
        if doc_id in group:
            scan.twice.append((number, query_id, doc_id))
            continue
        group[doc_id] = value
        place = finite_number(rank)
        if place is not None:
            scan.placed.setdefault(query_id, []).append(Placed(number, place, doc_id, value))
    return scan


def contradictions(placed: dict[str, list[Placed]]) -> list[tuple[str, Placed, Placed]]:
    """For each query whose ranks contradict its scores, two documents that show it: the higher one scores lower."""
    found = []
    for query_id, rows in placed.items():
        rising = sorted(rows, key=lambda row: row.rank)
        for above, below in pairwise(rising):
            if above.rank < below.rank and above.score < below.score:
                found.append((query_id, above, below))
                break
    return found


def contradictions_in_head(path: str | Path) -> list[tuple[str, Placed, Placed]]:
    """The contradictions in the first 1,000 lines of a TREC run file; none in a file of another format."""
    if str(path) == "-" or form_of(path).layout != "trec":
        return []
    return contradictions(scan_run(path, head=True).placed)
