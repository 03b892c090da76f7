"""From a chart's specification to a picture: SVG, PNG, or a script that draws it in any browser."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from toysearch.errors import ArgumentError
from toysearch.formats.overwriting import PNG_TEXT
from toysearch.formats.writing import replacing_bytes
from toysearch.laboratory.reports.charts import Chart
from toysearch.optional_packages import of_charts, require_charts

_SCALE = 2  # pixels of a PNG for each of the chart


def drawing_script() -> str:
    """Vega, Vega-Lite and Vega-Embed as one JavaScript text: with it a page needs nothing from anywhere."""
    vl_convert = of_charts("vl_convert")

    script: str = vl_convert.javascript_bundle(vl_version=_version())
    return script


def svg(chart: Chart) -> str:
    """The chart as SVG."""
    vl_convert = of_charts("vl_convert")

    picture: str = vl_convert.vegalite_to_svg(chart, vl_version=_version())
    return picture


def png(chart: Chart) -> bytes:
    """The chart as PNG, at twice its size."""
    vl_convert = of_charts("vl_convert")

    return packed_png(vl_convert.vegalite_to_png(chart, vl_version=_version(), scale=_SCALE))


def packed_png(picture: bytes) -> bytes:
    """The same pixels in fewer bytes: the drawing library packs them loosely, and a notebook holds many pictures.

    W3C, Portable Network Graphics (PNG) Specification, section 5: a signature of 8 bytes, then chunks of a length, a
    type, data and a checksum; the data of all IDAT chunks together are one zlib stream.
    """
    place, data, others = 8, b"", []
    while place < len(picture):
        (length,) = struct.unpack_from(">I", picture, place)
        kind, content = picture[place + 4 : place + 8], picture[place + 8 : place + 8 + length]
        if kind == b"IDAT":
            data += content
        else:
            others.append((kind, content))
        place += length + 12
    chunks = [*others[:-1], (b"IDAT", zlib.compress(zlib.decompress(data), 9)), others[-1]]
    return picture[:8] + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


def signed_png(picture: bytes) -> bytes:
    """The same picture with a text that says what made it, by which a file is known again."""
    chunk = b"tEXt" + PNG_TEXT
    text = struct.pack(">I", len(PNG_TEXT)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    end = picture.rindex(b"IEND") - 4  # where the length of the last chunk stands
    return picture[:end] + text + picture[end:]


def write_whole(path: str | Path, makers: Mapping[str, Callable[[], str | bytes]]) -> None:
    """Make a file in the form that its name asks for; it appears whole or not at all."""
    content = makers[checked_ending(path, makers)]()
    with replacing_bytes(Path(path)) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def checked_ending(path: str | Path, endings: Mapping[str, Any]) -> str:
    """The ending of a file's name, such as ``.svg``, refused where it cannot be made or the folder is missing."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in endings:
        *others, last = endings
        choices = f"{', '.join(others)} or {last}" if others else last
        raise ArgumentError(f"'{path}': the file's name says what is made; let it end in {choices}")
    require_charts()
    if file.is_dir():
        raise ArgumentError(f"'{path}' is a folder; name a file")
    if not file.parent.is_dir():
        raise ArgumentError(f"'{path}': there is no folder '{file.parent}'; make it, or choose another")
    return ending


def _version() -> str:
    """The Vega-Lite that Altair writes for, as vl-convert names it: 6.4 of v6.4.1."""
    altair = of_charts("altair")

    return ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
