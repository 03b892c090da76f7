"""Judgments as JSON Lines: an object with query_id, doc_id and relevance on each line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from toysearch.errors import DataError
from toysearch.formats.bad_lines import Judgments
from toysearch.formats.detect_run_or_qrels import JUDGMENT_KEYS, judgment_keys
from toysearch.formats.json_arrays import object_lines
from toysearch.formats.writing import write_texts
from toysearch.records import Qrels, encodable

_EXPECTED = "expected a JSON object with query_id, doc_id and relevance"


def read_judgment_lines(path: str | Path, columns: Mapping[str, str] | None = None) -> Qrels:
    r"""The judgments of a JSON Lines file or of an array of objects, in its order.

    An id is a text or a whole number, a grade any finite number. Blank lines are skipped. The keys may be called as
    the columns of a table may; the first object tells.
    """
    judgments = Judgments(path)
    keys: tuple[str, str, str] | None = None
    for number, line in object_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            judgments.problems.add(number, f"{_EXPECTED}; {error}")
            continue
        if not isinstance(item, dict) or not (keys := keys or judgment_keys(item, columns)) or not {*keys} <= {*item}:
            judgments.problems.add(number, f"{_EXPECTED}, found {line.strip()[:60]}")
            continue
        _add(judgments, number, item, keys)
    qrels = judgments.qrels()
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; {_EXPECTED} a line")
    return qrels


def _add(judgments: Judgments, number: int, item: Mapping[str, object], keys: tuple[str, str, str]) -> None:
    """Add the judgment that an object is."""
    for key in keys[:2]:
        if type(item[key]) is not int and not (isinstance(item[key], str) and item[key]):  # a bool is a kind of int
            found = json.dumps(item[key])[:60]
            judgments.problems.add(number, f"{key} must be a text or a whole number, found {found}")
            return
    query_id, doc_id = (encodable(str(item[key]))[0] for key in keys[:2])
    grade = _grade(item[keys[2]])
    if not math.isfinite(grade):
        found = json.dumps(item[keys[2]])[:60]
        judgments.problems.add(number, f"expected a finite number as {keys[2]}, found {found}")
        return
    judgments.add(number, query_id, doc_id, grade)


def _grade(value: object) -> float:
    """A number as it is, anything else as one that is not finite."""
    try:
        return float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


def write_judgment_lines(qrels: Qrels, path: Path) -> None:
    """Write judgments as JSON Lines."""
    rows = (dict(zip(JUDGMENT_KEYS, (row.query_id, row.doc_id, _number(row.relevance)), strict=True)) for row in qrels)
    write_texts((json.dumps(row, ensure_ascii=False) + "\n" for row in rows), path)


def _number(grade: float) -> float | int:
    """A whole grade without its decimal point."""
    return int(grade) if grade.is_integer() else grade
