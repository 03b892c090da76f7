"""The names and values of a form in the body of a request, with the files that it carries."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

FILE_NAME = ".name"
"""What follows the name of a field that holds a file, for the name of the file."""

LONGEST_TYPE = 200
"""Characters of a content type; a longer one describes no form."""

LONGEST_HEAD = 1000
"""Bytes of the lines before a field of a form in parts; a field with more is left out."""

MOST_FIELDS = 50
"""Fields of a form."""

_ADDRESS_LIKE = "application/x-www-form-urlencoded"
_IN_PARTS = "multipart/form-data"
_PARAMETER = re.compile(r';\s*+([\w*]++)=(?:"((?:[^"\\]|\\.)*+)"|([^;\s"]*+))', re.DOTALL)


def form_of(content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a form; a file is a text with one character per byte (latin-1). Empty if it is not a form.

    >>> form_of("application/x-www-form-urlencoded", b"judge=ada&grade=3")
    {'judge': 'ada', 'grade': '3'}
    """
    if len(content_type) > LONGEST_TYPE:
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _IN_PARTS and (boundary := _parameters(content_type).get("boundary")):
        return _of_parts(body, boundary.encode("latin-1", "replace"))
    if kind != _ADDRESS_LIKE:
        return {}
    try:
        return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def _of_parts(body: bytes, boundary: bytes) -> dict[str, str]:
    """The fields of a form in parts, which may hold files."""
    fields: dict[str, str] = {}
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary, MOST_FIELDS + 1)
    for part in parts[1 : MOST_FIELDS + 1]:
        head, mark, content = part.partition(b"\r\n\r\n")
        if part.startswith(b"--") or not mark or len(head) > LONGEST_HEAD:
            continue
        lines = head.decode(errors="replace").split("\r\n")
        described = next((line for line in lines if line.lower().startswith("content-disposition:")), "")
        parameters = _parameters(described)
        name, file = parameters.get("name"), parameters.get("filename")
        if name is None:
            continue
        if file is None:
            fields[name] = content.decode(errors="replace")
        elif file:  # a field in which no file was chosen has an empty name
            fields |= {name: content.decode("latin-1"), name + FILE_NAME: file}
    return fields


def _parameters(line: str) -> dict[str, str]:
    """The parameters of a header: name → value, without the quotation marks around it."""
    return {
        name.lower(): re.sub(r'\\(["\\])', r"\1", quoted) or plain for name, quoted, plain in _PARAMETER.findall(line)
    }
