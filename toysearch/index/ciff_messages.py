"""The messages of CIFF: their schema, and a file of them, each after its length."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from toysearch.base.errors import DataError
from toysearch.base.optional_packages import of_protobuf

_PACKAGE = "io.osirrc.ciff"
_SCHEMA = {
    "Header": (
        *(("version", "INT32"), ("num_postings_lists", "INT32"), ("num_doc_records", "INT32")),
        *(("total_postings_lists", "INT32"), ("total_docs", "INT32"), ("total_terms_in_collection", "INT64")),
        *(("average_doclength", "DOUBLE"), ("description", "STRING")),
    ),
    "Posting": (("docid", "INT32"), ("tf", "INT32")),
    "PostingsList": (("term", "STRING"), ("df", "INT64"), ("cf", "INT64"), ("postings", "Posting")),
    "DocRecord": (("docid", "INT32"), ("collection_docid", "STRING"), ("doclength", "INT32")),
}
"""Message → the names and types of its fields, numbered from 1; a message as type is repeated."""

HIGHEST = (1 << 31) - 1
"""The highest int32, and the most bytes of a message."""

_CHUNK = 1 << 20  # bytes read at a time
_EXPECTED = "expected a CIFF file, which is damaged or another one here"


@cache
def messages() -> SimpleNamespace:
    """The classes of the messages, and the exception of a message that cannot be read."""
    descriptor_pb2, descriptor_pool, message, message_factory = of_protobuf()
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="ciff.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _SCHEMA.items():
        described = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields, 1):
            if kind in _SCHEMA:
                own = {"type_name": f".{_PACKAGE}.{kind}", "type": kinds.TYPE_MESSAGE, "label": kinds.LABEL_REPEATED}
            else:
                own = {"type": getattr(kinds, f"TYPE_{kind}"), "label": kinds.LABEL_OPTIONAL}
            described.field.add(name=field, number=number, **own)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.GetMessageClassesForFiles([file.name], pool)
    classes = {name: made[f"{_PACKAGE}.{name}"] for name in _SCHEMA}
    return SimpleNamespace(**classes, unreadable=message.DecodeError)


def put_message(file: IO[bytes], message: Any) -> None:
    """Write a message after its length."""
    data = message.SerializeToString()
    length, prefix = len(data), bytearray()
    while length > 0x7F:
        prefix.append(length & 0x7F | 0x80)
        length >>= 7
    prefix.append(length)
    file.write(prefix)
    file.write(data)


class MessageReader:
    """Reads the messages of a file one after the other; an error names the message."""

    def __init__(self, path: str | Path, file: IO[bytes]) -> None:
        self.path, self.file = path, file
        self.where = ""  # the message that was read last
        self._messages = messages()

    def message(self, kind: str, where: str) -> Any:
        """The next message of the file."""
        self.where = where
        length, shift = 0, 0
        while True:
            byte = self._taken(1)[0]
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 28:
                raise self.wrong(f"its length is not a number below 2^31; {_EXPECTED}")
        if length > HIGHEST:
            raise self.wrong(f"its length is {length:,} bytes; {_EXPECTED}")
        try:
            return getattr(self._messages, kind).FromString(self._taken(length))
        except self._messages.unreadable:
            raise self.wrong(f"it is not a {kind}; {_EXPECTED}") from None

    def _taken(self, size: int) -> bytes:
        """The next bytes of the file."""
        parts, left = [], size
        while left and (part := self.file.read(min(left, _CHUNK))):  # a length that lies takes no memory
            parts.append(part)
            left -= len(part)
        if left:
            raise self.wrong(f"the file ends {left:,} bytes too early; {_EXPECTED}")
        return b"".join(parts)

    def wrong(self, problem: str) -> DataError:
        """The error for the message that was read last."""
        return DataError(f"{self.path}: {self.where}: {problem}")
