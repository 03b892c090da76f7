"""The bytes of a file, before any reader has mended them: line ends, marks, what is no UTF-8."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from toysearch.errors import DataError
from toysearch.formats.peek import DAMAGE
from toysearch.formats.text_files import damaged, open_bytes

BLOCK = 1 << 20

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"
_REPLACEMENT = b"\xef\xbf\xbd"
# In JSON a half of a surrogate pair may stand by itself, as an escape; an even number of backslashes is no escape.
_SURROGATE = re.compile(
    rb"(?<!\\)(?:\\\\)*(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_REPLACED = re.compile(rb"\xef\xbf\xbd|(?<!\\)(?:\\\\)*\\u[fF]{3}[dD]")
_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0e-\x1f\x7f]")
_OF_TEXT = bytes(byte for byte in range(256) if byte and not _CONTROL.match(bytes([byte])))


@dataclass
class FileScan:
    """What the bytes of a file show."""

    path: Path  # the file
    wide: bool = False  # whether it is UTF-16 or UTF-32; nothing else is counted then
    mark: bool = False  # whether it begins with a byte order mark of UTF-8
    # crlf, lf, cr: lines that end with CRLF, with LF alone, and carriage returns without LF
    crlf: int = 0
    lf: int = 0
    cr: int = 0
    # how often: ``NUL bytes``, ``control bytes``, ``bytes that are no UTF-8``, ``U+FFFD``, ``lone surrogates``
    counts: dict[str, int] = field(default_factory=dict)
    first_lines: dict[str, int] = field(default_factory=dict)  # the line on which each of those is first
    damage: str = ""  # why it could not be read to the end, "" if it could


def scan_file(path: Path) -> FileScan:
    r"""What the bytes of a file show, read block by block.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "two.txt")
    >>> _ = path.write_bytes(b"cat\r\nd\x00g\xff\n")
    >>> scan = scan_file(path)
    >>> scan.crlf, scan.lf, scan.counts
    (1, 1, {'NUL bytes': 1, 'bytes that are no UTF-8': 1})
    """
    scan = FileScan(path)
    try:
        with open_bytes(path) as file:
            block = file.read(BLOCK) + file.readline()
            scan.wide = block.startswith(_WIDE) or block[:4096].count(0) * 4 > len(block[:4096])
            scan.mark = block.startswith(_MARK)
            while block and not scan.wide:
                _count(scan, block)
                block = file.read(BLOCK) + file.readline()
    except DataError as error:
        scan.damage = str(error)
    except DAMAGE as error:
        scan.damage = str(damaged(path, error))
    return scan


def _count(scan: FileScan, block: bytes) -> None:
    """Add a block of whole lines."""
    crlf, lines = block.count(b"\r\n"), block.count(b"\n")
    places: dict[str, list[int]] = {}
    # Most blocks hold none of these, which a look for a few bytes tells ten times sooner than a pattern.
    if block.translate(None, _OF_TEXT):
        places["NUL bytes"] = [match.start() for match in re.finditer(rb"\x00", block)]
        places["control bytes"] = [match.start() for match in _CONTROL.finditer(block)]
    if any(sign in block for sign in (_REPLACEMENT, b"\\uf", b"\\uF")):
        places["U+FFFD"] = [match.start() for match in _REPLACED.finditer(block)]
    if b"\\ud" in block or b"\\uD" in block:
        places["lone surrogates"] = [match.start() for match in _SURROGATE.finditer(block) if not match[1]]
    found = {name: (len(starts), starts[0]) for name, starts in places.items() if starts}
    if not block.isascii() and (bad := _not_utf8(block)):
        found["bytes that are no UTF-8"] = bad
    before = scan.crlf + scan.lf
    for name, (number, start) in found.items():
        scan.counts[name] = scan.counts.get(name, 0) + number
        scan.first_lines.setdefault(name, before + block.count(b"\n", 0, start) + 1)
    scan.crlf += crlf
    scan.lf += lines - crlf
    scan.cr += block.count(b"\r") - crlf


def _not_utf8(block: bytes) -> tuple[int, int] | None:
    """How many sequences are no UTF-8, and where the first of them begins."""
    try:
        block.decode()
    except UnicodeDecodeError as error:
        return block.decode(errors="replace").count("\ufffd") - block.count(_REPLACEMENT), error.start
    return None
