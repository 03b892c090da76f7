"""The first bytes of a file, by which its format is told before a reader reads it from the start."""

from __future__ import annotations

import io
import stat
import sys
import zlib
from pathlib import Path

from toysearch.errors import DataError
from toysearch.formats.text_files import damaged, open_bytes, peeked, raw_blocks

ENOUGH = 1 << 16
"""So many bytes tell a format."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

DAMAGE = (EOFError, zlib.error, OSError)
"""What is raised while a file that is damaged or cut short is unpacked."""


def beginning(path: str | Path, size: int = ENOUGH) -> bytes:
    r"""The first bytes of a file, unpacked, without a byte order mark; none where it cannot be unpacked."""
    if str(path) == "-":
        return _waiting(size).removeprefix(_BYTE_ORDER_MARK)
    _refuse_pipe(Path(path))
    with open_bytes(path) as file:
        try:
            return file.read(size).removeprefix(_BYTE_ORDER_MARK)
        except DAMAGE:
            return b""  # the reader that follows tells what is damaged


def _waiting(size: int) -> bytes:
    """What standard input gives next, unpacked, and left there."""
    data = peeked(sys.stdin.buffer, size)
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return zlib.decompressobj(wbits=31).decompress(data, size)
    except zlib.error:
        return b""


def refuse_unreadable(path: str | Path) -> None:
    """Refuse a file of which no reader could read even the beginning."""
    with open_bytes(path) as file:
        try:
            head = file.read(ENOUGH)
        except DAMAGE as error:
            raise damaged(path, error) from None
    for _ in raw_blocks(path, io.BytesIO(head)):
        break


def _refuse_pipe(path: Path) -> None:
    """Refuse what can be read only once."""
    try:
        is_pipe = stat.S_ISFIFO(path.stat().st_mode)
    except OSError:  # opening it says what is wrong
        return
    if is_pipe:
        raise DataError(
            f"{path} is a pipe, which can be read only once, and telling its format takes one reading; save it to a "
            "file, or pipe a run or judgments into standard input and name it -"
        )
