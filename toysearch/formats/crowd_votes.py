"""Judgments from votes: one row per vote of a user on a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from toysearch.base.errors import malformed, note
from toysearch.base.records import Qrels
from toysearch.base.wording import counted
from toysearch.formats.column_names import Row
from toysearch.formats.text_files import finite_number

_WORDS: Mapping[str, int] = MappingProxyType(
    {"true": 1, "yes": 1, "y": 1, "t": 1, "up": 1, "relevant": 1, "false": 0, "no": 0, "n": 0, "f": 0, "down": 0}
)


def qrels_of_votes(path: str | Path, rows: Iterable[Row]) -> Qrels:
    """The judgments from votes: the grade is the share of positive votes, and the number of votes is kept."""
    positive: dict[str, dict[str, int]] = {}
    number: dict[str, dict[str, int]] = {}
    negatives: dict[float, int] = {}
    voters: dict[tuple[str, str, str], int] = {}
    for row in rows:
        vote = _vote(path, row)
        if vote <= 0:
            negatives.setdefault(vote, row.line)
            _refuse_mixture(path, row, negatives)
        if user := row.cell("user"):
            first = voters.setdefault((user, row.query_id, row.doc_id), row.line)
            if first != row.line:
                problem = (
                    f"user '{user}' already voted on query '{row.query_id}', document '{row.doc_id}' on line {first}"
                )
                raise malformed(path, row.line, f"{problem}; keep one of the two")
        ups, votes = positive.setdefault(row.query_id, {}), number.setdefault(row.query_id, {})
        ups[row.doc_id] = ups.get(row.doc_id, 0) + (vote > 0)
        votes[row.doc_id] = votes.get(row.doc_id, 0) + 1
    shares = {
        query_id: {doc_id: ups / number[query_id][doc_id] for doc_id, ups in group.items()}
        for query_id, group in positive.items()
    }
    qrels = Qrels.from_dict(shares)
    qrels.votes = np.array([votes for group in number.values() for votes in group.values()], dtype=np.int64)
    total = counted(int(qrels.votes.sum()), "vote")
    note(f"{path}: {total} on {counted(len(qrels), 'document')}; the grade is the share of positive votes")
    return qrels


def _vote(path: str | Path, row: Row) -> float:
    word = row.value.strip().lower()
    vote = float(_WORDS[word]) if word in _WORDS else finite_number(word)
    if vote not in (1.0, 0.0, -1.0):
        expected = "1 or 0, +1 or -1, true or false, yes or no"
        raise malformed(path, row.line, f"expected {expected} as vote, found '{row.value}'")
    return vote


def _refuse_mixture(path: str | Path, row: Row, negatives: dict[float, int]) -> None:
    if len(negatives) == 2:
        first = min(negatives.values())
        problem = f"a vote of {row.value}, where line {first} has another that is not positive"
        raise malformed(path, row.line, f"{problem}; vote with 1 and 0, or with +1 and -1, throughout")
