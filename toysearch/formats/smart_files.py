"""SMART files (Cranfield, CISI, CACM, MED): records that begin with ``.I ID``, fields under ``.T``, ``.W``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from toysearch.errors import DataError, malformed
from toysearch.formats.bad_lines import JudgmentLines
from toysearch.formats.text_files import Record, finite_number, numbered_lines
from toysearch.formats.trec import read_trec_qrels
from toysearch.records import Qrels

TEXT = "W"
"""The field that holds the text of a document or a query."""

_MARKER = re.compile(r"\.([A-Z])[ \t]*\Z")
_RECORD = re.compile(r"\.I(?:[ \t]+(.*))?\Z")
_NO_GRADE = ("0", 0.0)


def read_smart(path: str | Path) -> Iterator[Record]:
    """The records of a SMART file: documents or queries."""
    # A line `.X` (a full stop, one capital letter, optional blanks) begins field X. The lines of a field are joined
    # with line ends, and so are fields that occur several times before the text (one `.A` per author). After the text
    # (`.W`) has begun, a marker that already occurred in the record is a stray line: it is dropped and the field
    # continues, because the old files hold such lines in the middle of abstracts. An empty record keeps its id.
    first_line, record_id = 0, ""
    fields: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, line in numbered_lines(path):
        if line.startswith("."):
            if begins := _RECORD.match(line):
                if record_id:
                    yield first_line, record_id, _joined(fields)
                first_line, record_id = number, _record_id(path, number, begins[1])
                fields, lines = {}, None
                continue
            if marker := _MARKER.match(line):
                stray = not record_id or (TEXT in fields and marker[1] in fields)
                if not stray:
                    lines = fields.setdefault(marker[1], [])
                continue
        if lines is not None:
            lines.append(line)
        elif line.strip():
            raise malformed(path, number, _outside(record_id, line))
    if not record_id:
        raise DataError(f"{path} holds no record; expected SMART records, each beginning with a line '.I ID'")
    yield first_line, record_id, _joined(fields)


def _joined(fields: dict[str, list[str]]) -> dict[str, str]:
    return {name: "\n".join(lines) for name, lines in fields.items()}


def _record_id(path: str | Path, number: int, rest: str | None) -> str:
    words = (rest or "").split()
    if len(words) != 1:
        found = f"found '{(rest or '').strip()}'" if words else "found nothing"
        raise malformed(path, number, f"expected one id without blanks after .I, {found}")
    return words[0]


def _outside(record_id: str, line: str) -> str:
    if record_id:
        return f"expected a line that begins a field, such as .T or .W, after .I {record_id}, found '{line}'"
    return f"expected a line '.I ID' that begins a SMART record, found '{line[:60]}'"


def read_smart_qrels(path: str | Path) -> Qrels:
    """The judgments of a SMART collection, in any of three layouts.

    =============================  ==================================================================
    line                           meaning
    =============================  ==================================================================
    ``query document code``        the unchanged code (Cranfield); a grade mapping turns it into a gain
    ``query document 0 0.000000``  two columns that are always 0 (CISI, CACM): the pair is relevant, 1
    ``query 0 document grade``     TREC layout (MED): the second column is the same on all lines
    =============================  ==================================================================
    """
    rows = [(number, line.split()) for number, line in numbered_lines(path) if line.strip()]
    if not rows:
        raise DataError(f"{path} holds no judgments; expected lines such as 'query document grade'")
    width = next((len(columns) for _, columns in rows if len(columns) in (3, 4)), 0)
    if width == 4 and not _without_grades(rows):
        _refuse_mixture(path, rows)
        return read_trec_qrels(path)
    judgments = JudgmentLines(path)
    for number, columns in rows:
        _add(judgments, number, columns, width)
    return judgments.qrels()


def _without_grades(rows: list[tuple[int, list[str]]]) -> bool:
    return all((columns[2], finite_number(columns[3])) == _NO_GRADE for _, columns in rows if len(columns) == 4)


def _refuse_mixture(path: str | Path, rows: list[tuple[int, list[str]]]) -> None:
    """Refuse four columns if neither the second (TREC) nor the last two (SMART) are constant."""
    if len({columns[1] for _, columns in rows if len(columns) == 4}) == 1:
        return
    number, columns = next(row for row in rows if not _without_grades([row]))
    raise malformed(
        path,
        number,
        (
            "expected 'query document 0 0' or, in TREC, 'query 0 document grade' on every line, "
            f"found '{' '.join(columns)}'"
        ),
    )


def _add(judgments: JudgmentLines, number: int, columns: list[str], width: int) -> None:
    """Add the judgment of a line, whose third column is a code if it has no fourth."""
    if len(columns) != width:
        expected = width or "3 or 4"
        judgments.problems.add(
            number,
            f"expected {expected} columns, found {len(columns)}: '{' '.join(columns)[:80]}'; SMART judgments are lines "
            "'query document grade' or 'query document 0 0'",
        )
        return
    code = finite_number(columns[2]) if width == 3 else 1.0
    if code is None:
        judgments.problems.add(number, f"expected a number as the third column, found '{columns[2]}'")
        return
    judgments.add(number, columns[0], columns[1], code)
