"""Encodings of texts: which one a file has by its mark, its bytes or the user, and its text as UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import IO

from toysearch.base import ArgumentError, DataError
from toysearch.files.unpacking import DAMAGE, blocks_of, unpacked

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MARKS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Byte order mark → encoding, the longer ones first."""
_OF_HOSTS = ("idna", "punycode")  # encodings of names, which no text has
UTF16_SEEN = 64
"""Bytes that are looked at where UTF-16 has no mark."""

REPLACEMENT = "\ufffd"
_KANA = "のにをはがとでたしるいアイスルンラトリ"
_CYRILLIC = "оеаинтсрвл"
_ACCENTED = "äöüßéèàêçñáíóúãâôåøæ"
_SLAVIC = "ąęłśżźćńěščřžýáíéúůőűäöüß"
_OLD_MAC = "mac_roman"  # whose accents are bytes that no text of Windows has, but pictures have
_TYPED = "’“”„–—…€£"
_FREQUENT: Sequence[Mapping[str, str]] = (
    {
        "cp932": _KANA,
        "euc_jp": _KANA,
        "cp949": "이다는에의을가고를한로하지도서기사리나",
        "gb18030": "的一是不了在有人这中大为上个国我以要他时来用们到年和会分可品家日好小新美",
        "big5": "的一是不了在有人這中大為上個國我以要他時來用們到年和會分可品家日好小新美",
    },
    {"cp1252": _ACCENTED + _TYPED, _OLD_MAC: _ACCENTED, "cp1250": _SLAVIC + _TYPED, "iso8859-2": _SLAVIC},
    {"cp1251": _CYRILLIC, "koi8-r": _CYRILLIC, "cp1253": "αοιετσνηυρ"},
)
"""Encoding → letters that are frequent in its languages: of several bytes, of single accents in words, of alphabets."""
_LEAST = (0.05, 0.5)  # of the signs beyond ASCII: in encodings of several bytes, and of one


def encoding_of(head: bytes, named: str | None, *, is_open: bool = False) -> str | None:
    """Read the encoding off the first bytes, or take the one that is named; None for UTF-8.

    is_open : whether the letters may show it, where nobody names one
    """
    encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), named)
    first = head[:UTF16_SEEN]
    if encoding is None and len(first) >= UTF16_SEEN // 2:  # letters of Latin-1 in UTF-16 without a mark
        for zeros, name in ((first[1::2], "utf-16-le"), (first[::2], "utf-16-be")):
            if not any(zeros) and first.count(0) == len(zeros):
                return name
    if head.startswith(BYTE_ORDER_MARK):
        return None
    if encoding is None and is_open and not _may_be_utf8(head):
        likely = likely_encoding(head)
        return None if likely in ("", _OLD_MAC) else likely
    return encoding


def _may_be_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # in which a last letter may be cut
    except UnicodeDecodeError:
        return False
    return True


def known_encoding(name: str) -> str | None:
    """Return the name of an encoding of texts as Python spells it; None for UTF-8."""
    found = f"unknown encoding '{name}'"
    try:
        codec = codecs.lookup(name)
        found = f"'{name}' is not an encoding of texts"
        "".encode(codec.name)
        if codec.name in _OF_HOSTS:
            raise LookupError
    except (LookupError, ValueError):
        raise ArgumentError(
            f"{found}; usual ones are utf-8, cp1252 (Windows), latin-1, cp1250, cp1251, shift_jis, gb18030, utf-16"
        ) from None
    return None if codec.name in ("utf-8", "utf-8-sig") else codec.name


def is_utf8(path: str) -> bool:
    """True if a file is UTF-8 with more than ASCII, which no file in another encoding is by accident."""
    decoder, beyond = codecs.getincrementaldecoder("utf-8")(), False
    with suppress(*DAMAGE, UnicodeDecodeError), open(path, "rb") as stored:
        for data in blocks_of(unpacked(path, stored)):
            decoder.decode(data)
            beyond = beyond or not data.isascii()
        decoder.decode(b"", final=True)
        return beyond
    return False


def recoded(path: str, file: IO[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the text of a file in another encoding, as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for data in chain(blocks_of(file), [b""]):
        try:
            yield decoder.decode(data, final=not data).encode()
        except UnicodeDecodeError as error:
            odd_bytes = error.object[error.start : error.end].hex(" ")
            raise DataError(
                f"{path} is not in {encoding}: it has the bytes {odd_bytes}; name another encoding"
            ) from None
        except UnicodeError:  # without the mark by which UTF-16 and UTF-32 say the order of bytes
            raise DataError(
                f"{path} is not in {encoding}: it does not begin with a byte order mark; name another "
                "encoding, such as utf-16-le"
            ) from None


def mended_bytes(data: bytes) -> tuple[str, int]:
    """Decode bytes that may be invalid UTF-8, and count the sequences replaced by U+FFFD."""
    try:
        return data.decode(), 0
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        return text, text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())


def likely_encoding(data: bytes) -> str:
    """Name the encoding whose frequent letters are most of what some bytes have beyond ASCII; "" without one.

    Of several lines the last is left out, in which a letter may be cut.

    >>> [likely_encoding(word.encode(name)) for word, name in (("prêt", "cp1252"), ("масло", "koi8-r"), ("的", "big5"))]
    ['cp1252', 'koi8-r', 'big5']
    """
    data = data[: data.rfind(b"\n") + 1] or data
    lengths = [*map(len, re.findall(rb"[\x80-\xff]+", data))]
    sound = sum(len(sign.encode()) for sign in data.decode(errors="ignore") if not sign.isascii())
    several, accents, alphabets = _FREQUENT
    of_one = accents if 2 * lengths.count(1) >= len(lengths) else alphabets
    is_damaged = 2 * sound > sum(lengths)  # UTF-8 with a few places that are not
    for letters, least in zip((several, {} if is_damaged else of_one), _LEAST, strict=True):
        shares = dict.fromkeys(letters, 0.0)
        for name in letters:
            with suppress(UnicodeDecodeError):
                signs = [sign for sign in data.decode(name).lower() if not sign.isascii()]
                shares[name] = sum(sign in letters[name] for sign in signs) / max(len(signs), 1)
        best = max(shares, key=shares.__getitem__, default="")
        if best and shares[best] >= least:
            return best
    return ""
