"""Chinese, Japanese and Korean text → places of pairs of neighbouring characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

_CHARACTERS = (
    "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"  # Han
    "\u3041-\u3096\u309d-\u309f\U0001b001-\U0001b11f\U0001b132\U0001b150-\U0001b152"  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d\U0001aff0-\U0001affe\U0001b000\U0001b120-\U0001b122"
    "\U0001b155\U0001b164-\U0001b167"  # Katakana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa0-\uffdc"  # Hangul
)
# Voicing marks and variation selectors are part of the preceding character.
_UNIT = f"[{_CHARACTERS}][\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef]*"


@cache
def _unit() -> re.Pattern[str]:
    """The pattern of a character, compiled at first use: compiling takes longer than many searches."""
    return re.compile(_UNIT)


@cache
def _run() -> re.Pattern[str]:
    """The pattern of a run of characters, likewise."""
    return re.compile(f"(?:{_UNIT})+")


def is_character(term: str) -> bool:
    """Whether a term is a single Chinese, Japanese or Korean character."""
    return _unit().fullmatch(term) is not None


def has_characters(text: str) -> bool:
    """Whether a text holds a Chinese, Japanese or Korean character."""
    return _run().search(text) is not None


def runs(text: str) -> list[str]:
    """The runs of such characters in a text."""
    return _run().findall(text)


Places = Callable[[str], Iterable[tuple[int, int]]]
"""A function that finds the places (start, end) of the tokens in a text."""


def token_places(text: str, places: Places) -> Iterator[tuple[int, int]]:
    """The places (start, end) of the tokens of a text that may hold Chinese, Japanese or Korean, in order."""
    # A run of Han, Hiragana, Katakana and Hangul characters gives all its pairs of neighbours, a run of one character
    # that character; the rest of the text is split as usual. CJKBigramFilter of Apache Lucene makes the same
    # pairs for the same four scripts, but its tokenizer keeps adjacent Hangul and Latin letters (한국abc) as one
    # word; here they are separated.
    last = 0
    for run in _run().finditer(text):
        yield from _shifted(places(text[last : run.start()]), last)
        starts = [unit.start() for unit in _unit().finditer(text, *run.span())]
        ends = [*starts[1:], run.end()]
        yield from zip(starts[:-1] or starts, ends[1:] or ends, strict=True)
        last = run.end()
    yield from _shifted(places(text[last:]), last)


def _shifted(places: Iterable[tuple[int, int]], start: int) -> Iterator[tuple[int, int]]:
    """The places in a part of a text, as places of the text."""
    return ((start + first, start + last) for first, last in places)
