"""Files of charts: SVG, PNG, PDF, and pages that need no network."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, of_charts
from toysearch.base.optional_packages import require_charts
from toysearch.files import refuse_place, replacing_bytes
from toysearch.files.writing import PDF_MARK, PNG_TEXT

Chart = dict[str, Any]
"""Vega-Lite specification."""


class _Library:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(of_charts(self._name), attribute)


alt, vl_convert = _Library("altair"), _Library("vl_convert")

_SCALE = 2  # pixels in a PNG per pixel of the chart


def drawing_script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one JavaScript text, so that a page needs no network."""
    return str(vl_convert.javascript_bundle(vl_version=_version()))


def svg(chart: Chart) -> str:
    """Draw a chart as SVG."""
    return str(vl_convert.vegalite_to_svg(chart, vl_version=_version()))


def png(chart: Chart) -> bytes:
    """Draw a chart as PNG, at twice its size."""
    return bytes(vl_convert.vegalite_to_png(chart, vl_version=_version(), scale=_SCALE))


def pdf(chart: Chart) -> bytes:
    """Draw a chart as PDF, with a comment that names toysearch."""
    return bytes(vl_convert.vegalite_to_pdf(chart, vl_version=_version())) + PDF_MARK


def signed_png(picture: bytes) -> bytes:
    """Add a text chunk that names the maker of a PNG, so that the file can be recognised later."""
    # W3C, Portable Network Graphics (PNG) Specification, section 5: a chunk is a length, a type, data and a checksum.
    end = picture.rindex(b"IEND") - 4  # the position of the length of the last chunk
    chunk = b"tEXt" + PNG_TEXT
    return (
        picture[:end] + struct.pack(">I", len(PNG_TEXT)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + picture[end:]
    )


def write_whole(path: str | Path, makers: Mapping[str, Callable[[], str | bytes]]) -> None:
    """Write a file in the format of its extension, completely or not at all."""
    content = makers[checked_ending(path, makers)]()
    with replacing_bytes(Path(path)) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def checked_ending(path: str | Path, endings: Iterable[str]) -> str:
    """Return the extension of a file name, such as ``.svg``; refuse an unknown one or a missing folder."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in endings:
        *others, last = endings
        choices = f"{', '.join(others)} or {last}" if others else last
        raise ArgumentError(f"'{path}': the extension of the file selects the format; expected {choices}")
    require_charts()
    refuse_place(file)
    return ending


def _version() -> str:
    """Return the Vega-Lite version that Altair targets, as vl-convert names it: 6.4 for v6.4.1."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


ENDINGS = (".svg", ".png", ".html", ".pdf")
"""File extensions, which select the format: a picture, or a self-contained page."""


class Figure(NamedTuple):
    """Chart with its name and its caption."""

    name: str
    chart: Chart
    caption: str


_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Escapes by which no text of a chart, which stands in the page as JSON, can close the script element."""


def true_minus(text: str) -> str:
    """Replace hyphens before numbers by minus signs."""
    return re.sub(r"(?<![\w-])-(?=[\d.])", "−", text)  # one within a name is a hyphen


def templates(package: str) -> Any:
    """Return the environment of the templates of a package; everything in them is escaped."""
    jinja2 = of_charts("jinja2")
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_of(template: str, figures: Sequence[Figure], **values: Any) -> str:
    """Render a template; everything is escaped except our own scripts and styles."""
    Markup = of_charts("markupsafe").Markup
    scripts = [_library(), _own("page.js")]
    # The browser runs only scripts whose checksums are listed.
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    texts = {
        figure.name: json.dumps(
            figure.chart | {"background": "transparent"}, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        for figure in figures
    }
    environment = templates("toysearch.workbench.report")
    page = environment.get_template(template).render(
        scripts=[Markup(script) for script in scripts],
        policy=f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:",
        style=Markup(_own("page.css")),
        charts={name: Markup(text.translate(_ESCAPES)) for name, text in texts.items()},
        figures=figures,
        **values,
    )
    return str(page)


def _own(name: str) -> str:
    return files("toysearch.workbench.report").joinpath(f"templates/{name}").read_text(encoding="utf-8")


@functools.cache
def _library() -> str:
    return drawing_script().replace("</script", "<\\/script").replace("<!--", "<\\!--")
