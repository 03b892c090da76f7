"""Chinese, Japanese and Korean, written without blanks between words: pairs of characters as tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CHARACTERS = (
    "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"  # Han
    "\u3041-\u3096\u309d-\u309f\U0001b001-\U0001b11f\U0001b132\U0001b150-\U0001b152"  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d\U0001aff0-\U0001affe\U0001b000\U0001b120-\U0001b122"
    "\U0001b155\U0001b164-\U0001b167"  # Katakana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa0-\uffdc"  # Hangul
)
# Voicing marks and variation selectors belong to the character before them.
_UNIT = re.compile(f"[{_CHARACTERS}][\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef]*")
_RUN = re.compile(f"(?:{_UNIT.pattern})+")


def is_character(term: str) -> bool:
    """Whether a term is a single Chinese, Japanese or Korean character."""
    return _UNIT.fullmatch(term) is not None


def has_characters(text: str) -> bool:
    """Whether a text holds a Chinese, Japanese or Korean character."""
    return _RUN.search(text) is not None


def runs(text: str) -> list[str]:
    """The runs of such characters in a text."""
    return _RUN.findall(text)


def token_places(text: str, pattern: re.Pattern[str], group: int = 0) -> Iterator[tuple[int, int]]:
    r"""Where the tokens of a text stand that may hold Chinese, Japanese or Korean: (start, end), in order.

    A run of Han, Hiragana, Katakana and Hangul characters gives all its pairs of neighbours, a run of one
    character that character; the rest of the text is split by the pattern.

    Apache Lucene's CJKBigramFilter, which makes the same pairs of the same four scripts, but after a tokenizer that
    keeps Hangul and Latin letters without a blank between them (한국abc) together as one word; here they are parted.
    """
    last = 0
    for run in _RUN.finditer(text):
        yield from _matched(text, last, run.start(), pattern, group)
        starts = [unit.start() for unit in _UNIT.finditer(text, *run.span())]
        ends = [*starts[1:], run.end()]
        yield from zip(starts[:-1] or starts, ends[1:] or ends, strict=True)
        last = run.end()
    yield from _matched(text, last, len(text), pattern, group)


def _matched(text: str, start: int, end: int, pattern: re.Pattern[str], group: int) -> Iterator[tuple[int, int]]:
    """Where the pattern's tokens stand in a part of a text, which it is shown as if nothing stood around it."""
    for match in pattern.finditer(text[start:end]):
        first, last = match.span(group)
        yield (start + first, start + last) if first >= 0 else (start, start)
