"""Judgments as JSON Lines: an object with query_id, doc_id and relevance on each line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

from toysearch.errors import DataError, malformed
from toysearch.formats.lines import numbered_lines, refuse_second
from toysearch.formats.recognised import JUDGMENT_KEYS, is_judgment
from toysearch.formats.writing import write_texts
from toysearch.records import Qrels, encodable

_EXPECTED = "expected a JSON object with query_id, doc_id and relevance"


def read_judgment_lines(path: str | Path) -> Qrels:
    r"""The judgments of a JSON Lines file, in its order.

    An id is a text or a whole number, a grade any finite number. Blank lines are skipped.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    DataError
        With the line, where it is no such object or judges a pair a second time; if there is no judgment.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "qrels.jsonl")
    >>> _ = path.write_text('{"query_id": "1", "doc_id": "d7", "relevance": 0.5}\n')
    >>> read_judgment_lines(path)["1"]
    {'d7': 0.5}
    """
    qrels = Qrels.from_records(_judgments(path))
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; {_EXPECTED} a line")
    return qrels


def _judgments(path: str | Path) -> Iterator[tuple[str, str, float]]:
    first_lines: dict[tuple[str, str], int] = {}
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise malformed(path, number, f"{_EXPECTED}; {error}") from None
        if not isinstance(item, dict) or not is_judgment(item):
            raise malformed(path, number, f"{_EXPECTED}, found {line.strip()[:60]}")
        query_id, doc_id = (_checked_id(path, number, key, item[key]) for key in JUDGMENT_KEYS[:2])
        refuse_second(path, number, (query_id, doc_id), first_lines)
        yield query_id, doc_id, _grade(path, number, item["relevance"])


def _checked_id(path: str | Path, number: int, key: str, value: object) -> str:
    if type(value) is int:  # not bool, which is a kind of int
        return str(value)
    if not isinstance(value, str) or not value:
        raise malformed(path, number, f"{key} must be a text or a whole number, found {json.dumps(value)[:60]}")
    return encodable(value)[0]


def _grade(path: str | Path, number: int, value: object) -> float:
    try:
        grade = float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        grade = math.inf
    if not math.isfinite(grade):
        raise malformed(path, number, f"expected a finite number as relevance, found {json.dumps(value)[:60]}")
    return grade


def write_judgment_lines(qrels: Qrels, path: Path) -> None:
    """Write judgments as JSON Lines.

    Parameters
    ----------
    qrels : Qrels
        The judgments; grades are written so that they read back as the same numbers.
    path : Path
        The file, which is replaced as a whole.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    rows = (dict(zip(JUDGMENT_KEYS, (row.query_id, row.doc_id, _number(row.relevance)), strict=True)) for row in qrels)
    write_texts((json.dumps(row, ensure_ascii=False) + "\n" for row in rows), path)


def _number(grade: float) -> float | int:
    """A whole grade without its decimal point."""
    return int(grade) if grade.is_integer() else grade
