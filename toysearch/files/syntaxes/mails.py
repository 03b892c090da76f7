"""Mails: the headers and the text of a message, whatever it holds, in bounded time."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, DataError, JoinedText
from toysearch.files.encodings import known_encoding, mended_bytes

_LONGEST = {"subject": 50_000, "from": 1_000, "date": 1_000, "to": 4_000}
"""Header that is a field → the characters that the library takes apart, in time that grows with their square."""
_LONGEST_OF_PART = 1_000  # the same for the headers that each part of a mail may have
_DEEPEST = 100  # parts inside each other


class Mail(NamedTuple):
    """Mail as far as it is searched."""

    headers: dict[str, str]  # those of `_LONGEST` by name, as far as it has them
    content: str
    is_html: bool


def read_mail(data: bytes, name: str = "the mail") -> Mail:
    """Read a mail; a header that the library cannot take apart stays as it is written."""
    try:
        message: Any = message_from_bytes(data, policy=_POLICY)
        body = message.get_body(("plain", "html"))
        headers = {name: _value(message[name]) for name in _LONGEST if message[name]}
        if body is None:
            return Mail(headers, "", is_html=False)
        payload: Any = body.get_payload(decode=True)
        content = _decoded(payload or b"", body.get_content_charset("ascii"))
        return Mail(headers, content, body.get_content_subtype() == "html")
    except MemoryError:
        raise
    except _TooDeep:
        raise DataError(f"{name} has more than {_DEEPEST} parts inside each other") from None
    except Exception as error:  # the library raises many kinds
        raise DataError(f"{name} cannot be taken apart ({type(error).__name__})") from None


def _value(header: Any) -> str:
    """Return the time of a date in UTC, the addresses of several recipients as a list, else the text of a header."""
    moment: datetime | None = getattr(header, "datetime", None)
    if moment:
        with suppress(OverflowError):  # in the first or last year of the calendar
            utc = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
            return utc.isoformat().replace("+00:00", "Z")
    addresses = getattr(header, "addresses", ())
    texts = [*map(str, addresses)] if len(addresses) > 1 and not header.defects else [str(header)]
    return JoinedText.joined(" ".join(text.split()) for text in texts)


class _TooDeep(Exception):
    pass


class _Part(EmailMessage):
    depth = 0

    def attach(self, payload: Any) -> None:
        payload.depth = self.depth + 1
        if payload.depth > _DEEPEST:
            raise _TooDeep
        super().attach(payload)

    def is_attachment(self) -> bool:
        disposition, _, _ = str(self["content-disposition"] or "").partition(";")
        return disposition.strip().lower() == "attachment"  # also of a header that could not be taken apart


class _Policy(EmailPolicy):
    """Headers that are read are taken apart once, when they are met; a failure leaves the text."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, typed = super().header_source_parse(sourcelines)
        text = "".join(typed.splitlines())
        of_part = name.lower().startswith("content-")
        if len(text) <= (_LONGEST_OF_PART if of_part else _LONGEST.get(name.lower(), 0)):
            with suppress(Exception):  # the library raises many kinds
                return name, self.header_factory(name, text)
        text = mended_bytes(text.encode("utf-8", "surrogateescape"))[0]
        return name, text[:_LONGEST_OF_PART] if of_part else text

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value


_POLICY = _Policy(message_factory=_Part)


def _decoded(content: bytes, charset: str) -> str:
    """Decode the bytes of a text; those in an unknown encoding as UTF-8, as far as they are."""
    try:
        return content.decode(known_encoding(charset) or charset, errors="replace")
    except (ArgumentError, UnicodeError):
        return mended_bytes(content)[0]
