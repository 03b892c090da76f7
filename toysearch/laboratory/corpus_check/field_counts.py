"""Counts from one pass over the documents, without keeping them."""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from string import punctuation

import numpy as np

from toysearch.base import Document
from toysearch.base.errors import DataError

FULL_LOOK = 10_000
"""The number of first documents checked word by word; after them, one document in `EVERY` is checked."""

EVERY = 20

_OF_NUMBERS = "0123456789.,:;/+-()"


@dataclass
class FieldCount:
    """The counts of a field of the documents."""

    # documents, lines: the number of documents with text in it, and of its lines in all
    documents: int = 0
    lines: int = 0
    # tokens, numbers: the number of words between blanks in the documents checked, and of numbers among them
    tokens: int = 0
    numbers: int = 0
    # titled, repeats: the documents checked with a title elsewhere, and those whose field begins with that title
    titled: int = 0
    repeats: int = 0
    first: str = ""  # the first document that has it


@dataclass
class Garbled:
    """Texts with characters that point to a wrong encoding: their number, and the first few as (id, excerpt)."""

    texts: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)


class Census:
    """Counts collected while documents pass by.

    >>> census = Census()
    >>> documents = [Document("1", "Cats  purr", fields={"text": "Cats  purr"}), Document("2", "cats purr")]
    >>> len(list(census.watch(documents))), census.equal_texts().tolist()
    (2, [0, 0])
    """

    def __init__(self) -> None:
        self.fields: dict[str, FieldCount] = {}
        self.title_field = ""
        self.garbled: dict[str, Garbled] = {}
        self.refused = ""
        self._digests = array("Q")

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents in order, counted, up to a malformed file."""
        try:
            for number, document in enumerate(documents):
                self._count(document, number < FULL_LOOK or number % EVERY == 0)
                yield document
        except DataError as error:
            self.refused = str(error)

    def equal_texts(self) -> np.ndarray:
        """For each document, the number of the first one with the same text except for case and white space."""
        digests = np.frombuffer(self._digests, dtype=np.uint64)
        _, first, which = np.unique(digests, return_index=True, return_inverse=True)
        numbers: np.ndarray = first[which]
        return numbers

    def _count(self, document: Document, closely: bool) -> None:
        text = " ".join(document.text.casefold().split())
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
        self._digests.append(int.from_bytes(digest, "little"))
        note_garbled(self.garbled, document.doc_id, document.text)
        title = _words(document.title)
        for name, value in document.fields.items():
            if not value.strip():
                continue
            count = self.fields.setdefault(name, FieldCount(first=document.doc_id))
            count.documents += 1
            count.lines += value.count("\n") + 1
            if not closely:
                continue
            tokens = value.split()
            count.tokens += len(tokens)
            count.numbers += sum(not token.strip(_OF_NUMBERS) for token in tokens)
            if not title:
                continue
            if " ".join(tokens) == document.title and self.title_field in ("", name):
                self.title_field = name
                continue
            count.titled += 1
            count.repeats += _words(value[: 3 * len(document.title) + 40])[: len(title)] == title


def _words(text: str) -> list[str]:
    """The words between blanks, in lower case and without surrounding punctuation."""
    return [word for token in text.lower().split() if (word := token.strip(punctuation))]


# Bytes of UTF-8 read as Windows-1252 or Latin-1: a lead byte from C2 to F4, then bytes from 80 to BF. The latter are
# U+0080 to U+00BF in Latin-1; Windows-1252 has other characters instead of the first 32.
_FOLLOWING = "\u0080-\u00bf" + bytes(range(0x80, 0xA0)).decode("cp1252", errors="ignore")
_MOJIBAKE = re.compile(
    f"[\u00c2\u00c3][{_FOLLOWING}]|[\u00e0-\u00ef][{_FOLLOWING}]{{2}}|[\u00f0-\u00f4][{_FOLLOWING}]{{3}}"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_MOST_EXAMPLES = 5


def note_garbled(garbled: dict[str, Garbled], name: str, text: str) -> None:
    r"""Add a text to those that point to a wrong encoding, if it does.

    >>> found = {}
    >>> note_garbled(found, "7", "a caf\u00c3\u00a9 in Paris")
    >>> found["mojibake"].examples
    [('7', 'a cafÃ© in Paris')]
    """
    controls = _CONTROL.search(text)
    mojibake = None if text.isascii() else _MOJIBAKE.search(text)
    for what, match in (("mojibake", mojibake), ("control characters", controls)):
        if match and not (what == "control characters" and mojibake):
            group = garbled.setdefault(what, Garbled())
            group.texts += 1
            if len(group.examples) < _MOST_EXAMPLES:
                group.examples.append((name, _excerpt(text, match.start())))


def _excerpt(text: str, place: int) -> str:
    """Some characters around a position; control characters are written as escapes."""
    piece = text[max(0, place - 20) : place + 20]
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", piece).replace("\n", " ")
