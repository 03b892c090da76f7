"""SMART files (Cranfield, CISI, CACM, MED): records that begin with ``.I ID``, fields under ``.T``, ``.W``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toysearch.base import malformed
from toysearch.files import Record, RecordFile, numbered_lines
from toysearch.files.claims import Clues, What
from toysearch.files.source import Source

TEXT = "W"
"""Field that holds the text of a document or a query."""

_MARKER = re.compile(r"\.([A-Z])[ \t]*\Z")
_RECORD = re.compile(r"\.I(?:[ \t]+(.*))?\Z")


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file that begins with a record; one copy of CISI has a stray marker line before it."""
    lines = (line for line in source.head.lstrip().split(b"\n") if not (line[:1] == b"." and len(line.strip()) == 2))
    if next(lines, b"").startswith((b".I ", b".I\t")):
        return What(clues.role, "smart", "it begins with a line .I ID")
    return None


def read_smart(file: RecordFile) -> Iterator[Record]:
    """Read the records of a SMART file: documents or queries."""
    # A line `.X` (a full stop, one capital letter, optional blanks) begins field X. The lines of a field are joined
    # with line ends, and so are fields that occur several times before the text (one `.A` per author). After the text
    # (`.W`) has begun, a marker that already occurred in the record is a stray line: it is dropped and the field
    # continues, because the old files hold such lines in the middle of abstracts. An empty record keeps its id.
    path = file.source
    first_line, record_id = 0, ""
    fields: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, line in numbered_lines(path):
        if line.startswith("."):
            if begins := _RECORD.match(line):
                if record_id:
                    yield first_line, record_id, _joined(fields)
                words = (begins[1] or "").split()
                if len(words) != 1:
                    instead = f"found '{begins[1].strip()}'" if words else "found nothing"
                    raise malformed(path, number, f"expected one id without blanks after .I, {instead}")
                first_line, record_id = number, words[0]
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
            raise malformed(
                path,
                number,
                f"expected a line that begins a field, such as .T or .W, after .I {record_id}, found '{line}'"
                if record_id
                else f"expected a line '.I ID' that begins a SMART record, found '{line[:60]}'",
            )
    if record_id:
        yield first_line, record_id, _joined(fields)


def _joined(fields: dict[str, list[str]]) -> dict[str, str]:
    return {name: "\n".join(lines) for name, lines in fields.items()}
