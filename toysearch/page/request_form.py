"""The names and values of a form in the body of a request, with the files that it carries."""

from __future__ import annotations

from email.message import Message
from email.parser import HeaderParser
from urllib.parse import parse_qsl

FILE_NAME = ".name"
"""What follows the name of a field that holds a file, for the name of the file."""

_MOST_FIELDS = 50
_LONGEST_HEAD = 10_000  # bytes of the lines before a field
_ADDRESS_LIKE = "application/x-www-form-urlencoded"
_IN_PARTS = "multipart/form-data"


def form_of(content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a form; a file is a text with one character per byte (latin-1). Empty if it is not a form.

    >>> form_of("application/x-www-form-urlencoded", b"judge=ada&grade=3")
    {'judge': 'ada', 'grade': '3'}
    """
    described = Message()
    described["content-type"] = content_type
    kind, boundary = described.get_content_type(), described.get_boundary("")
    if kind == _IN_PARTS and boundary:
        return _of_parts(body, boundary.encode("latin-1", "replace"))
    try:
        pairs = parse_qsl(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return {}
    return dict(pairs) if kind == _ADDRESS_LIKE else {}


def _of_parts(body: bytes, boundary: bytes) -> dict[str, str]:
    """The fields of a form in parts, which may hold files."""
    found: dict[str, str] = {}
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary, _MOST_FIELDS + 1)
    for part in parts[1 : _MOST_FIELDS + 1]:
        head, mark, content = part.partition(b"\r\n\r\n")
        if part.startswith(b"--") or not mark or len(head) > _LONGEST_HEAD:
            continue
        told = HeaderParser().parsestr(head.decode(errors="replace").lstrip())
        name, file = told.get_param("name", header="content-disposition"), told.get_filename()
        if not isinstance(name, str):
            continue
        if file is None:
            found[name] = content.decode(errors="replace")
        elif file:  # a field in which no file was chosen has an empty name
            found |= {name: content.decode("latin-1"), name + FILE_NAME: file}
    return found
