"""Tokenizers of a user, for tests: one that gives places, and one that gives strings."""

import re

PLACES = f"{__file__}:places"
STRINGS = f"{__file__}:strings"

_WORD = re.compile(r"\.?\w[\w+#]*")


def places(text: str) -> list[tuple[int, int]]:
    """Words, and the names of programming languages."""
    return [match.span() for match in _WORD.finditer(text)]


def strings(text: str) -> list[str]:
    """What stands between blanks, each with its length."""
    return [f"{word}{len(word)}" for word in text.split()]
