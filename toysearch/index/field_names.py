"""Names of fields, and values, that are alike but for case, blanks and signs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

from toysearch.base import ArgumentError

__all__: list[str] = []


def field_spelt(name: str, names: Iterable[str]) -> str:
    """Return the name of a field as it is spelt among others; itself if it is not among them.

    Case does not matter, nor do the blanks and signs between words, which a query writes as `_`.

    >>> field_spelt("BRAND", ["Brand", "price"]), field_spelt("colour", ["Brand"])
    ('Brand', 'colour')
    >>> field_spelt("price", ["Price (€)"]), field_spelt("release_date", ["Release Date"])
    ('Price (€)', 'Release Date')
    """
    names = [*names]
    if name in names:
        return name
    alike = sorted({other for other in names if folded(other) == folded(name)}) or sorted(
        {other for other in names if field_word(other) == field_word(name) != ""}
    )
    if len(alike) > 1:
        raise ArgumentError(f"'{name}' may be any of the fields {', '.join(alike)}; write one of these")
    return alike[0] if alike else name


def field_word(name: str) -> str:
    """Return the name of a field as one word of a query.

    >>> field_word("Price (€)"), field_word("Release-Date")
    ('price', 'release_date')
    """
    return re.sub(r"\W+", "_", folded(name)).strip("_")


def folded(text: str) -> str:
    """Fold a value or a name of a field for comparison: case, blanks and composed letters do not matter.

    >>> folded("Cafe\u0301  Noir") == folded("CAF\u00c9 noir")
    True
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(normalize("NFC", normalize("NFC", text).casefold()).split())
