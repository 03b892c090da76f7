"""One spelling per word in Unicode, and the classes of characters for the tokenizer."""

from __future__ import annotations

import itertools
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

JOINERS = "\u200c\u200d"
"""Characters within words that join or separate the shapes of letters."""

_BREAKS = "\u200b"  # the zero-width space, which ends a word
_MARKS = {"Mn", "Mc", "Me"}
_WIDE = range(0xFF00, 0xFFF0)
_WITHOUT_MARKS = ((0x3400, 0xA000), (0xAC00, 0xD7B0), (0xD800, 0xF900), (0x20000, 0xE0000), (0xE0200, 0x110000))
_UNTOUCHED = (
    "\x00-\xac\xae-\u02ff\u0370-\u0373\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf"
)
"""Letters and signs with a single spelling, for which the tables below are not needed."""
_TOUCHED = re.compile(f"[^{_UNTOUCHED}]")
_DOTTED_I = "i\u0307"  # the lower case of İ


class Spelling(NamedTuple):
    """The classes of characters in the Unicode version of the running Python."""

    # all characters of the categories M and the two joiners, for the brackets of a regular expression
    marks: str
    unseen: str  # the invisible characters, likewise
    # each half- and full-width form → its usual form, each invisible character → nothing
    replaced: dict[str, str]


def code_points() -> Iterator[int]:
    """All code points beyond Latin-1 that can be marks or invisible characters."""
    starts = [0x00AD, *(stop for _, stop in _WITHOUT_MARKS)]
    return itertools.chain.from_iterable(map(range, starts, [start for start, _ in _WITHOUT_MARKS]))


@cache
def spelling() -> Spelling:
    """The tables, built when a text beyond ASCII first needs them."""
    marks, replaced = [*map(ord, JOINERS)], {}
    for character, category in zip(
        map(chr, code_points()), map(unicodedata.category, map(chr, code_points())), strict=True
    ):
        if category in _MARKS:
            marks.append(ord(character))
        elif category == "Cf" and character not in _BREAKS:
            replaced[character] = ""
    unseen = _ranges([*map(ord, replaced)])
    for code in _WIDE:
        kind, _, usual = unicodedata.decomposition(chr(code)).partition(" ")
        if kind in ("<wide>", "<narrow>"):
            replaced[chr(code)] = chr(int(usual, 16))
    return Spelling(_ranges(sorted(marks)), unseen, replaced)


def _ranges(codes: list[int]) -> str:
    """Code points as the ranges of a regular expression's brackets."""
    parts, first, last = [], codes[0], codes[0]
    for code in [*codes[1:], -1]:
        if code != last + 1:
            parts.append(f"{chr(first)}-{chr(last)}")
            first = code
        last = code
    return "".join(parts)


@cache
def _stray() -> re.Pattern[str]:
    marks = spelling().marks
    return re.compile(rf"(?<![\w{marks}])[{marks}]+")


def without_stray_marks(text: str) -> str:
    """A text with blanks for marks outside words; the remaining marks are part of words."""
    return _stray().sub(" ", text)


def may_have_marks(text: str) -> bool:
    """Whether a text has a character that may be a mark, be invisible or have several spellings."""
    return not text.isascii() and _TOUCHED.search(text) is not None


class Unifier:
    """Gives texts one spelling; ASCII text is unchanged."""

    def __init__(self, letters: Mapping[str, str]) -> None:
        self._letters = letters
        self._late = re.compile(f"[{''.join(map(re.escape, letters))}]") if letters else None

    @cached_property
    def _replaced(self) -> dict[str, str]:
        return {**spelling().replaced, **self._letters}

    @cached_property
    def _early(self) -> re.Pattern[str]:
        kept = {character for character, instead in self._letters.items() if character == instead}
        return re.compile(f"[{''.join(map(re.escape, set(spelling().replaced) - kept))}]")

    def __call__(self, text: str) -> str:
        """The text in one spelling; lower-cased if requested."""
        if not may_have_marks(text):
            return text if self._late is None else self._late.sub(self._letter, text)
        text = self._early.sub(self._instead, text)
        text = unicodedata.normalize("NFC", text).replace(_DOTTED_I, "i")
        if self._late is not None:
            text = self._late.sub(self._letter, text)
        return unicodedata.normalize("NFC", text)  # characters may have become adjacent

    def _instead(self, match: re.Match[str]) -> str:
        return self._replaced[match[0]]

    def _letter(self, match: re.Match[str]) -> str:
        return self._letters[match[0]]


@cache
def unifier(letters: tuple[tuple[str, str], ...]) -> Unifier:
    """The cached `Unifier` of some letters."""
    return Unifier(dict(letters))


def unaccented(text: str) -> str:
    """A text without accents; marks that act as letters (vowel signs, the virama) stay."""
    # Marks above, below and across letters and points (canonical combining classes 1, 10 to 36, and from 200) are
    # removed. Other characters that NFKD decomposes are composed again: Korean syllables, Japanese voicing marks.
    # Unicode Standard, section 4.3, Combining Classes.
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not _is_accent(part)))


def _is_accent(character: str) -> bool:
    """Whether a character is an optional mark."""
    order = unicodedata.combining(character)
    return order == 1 or 10 <= order <= 36 or order >= 200


_CODE_POINTS = sys.maxunicode + 1
_STRETCH = 256  # code points checked together
_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"  # becomes ς at the end of a word, σ elsewhere


class Characters(NamedTuple):
    r"""Tables made from the Unicode data of the running Python."""

    # (0x110000,) uint32; the lower case of each code point whose lower case is a word character (``\w``); else 0
    words: np.ndarray
    # characters whose lower case is not a single character or depends on the context; ``str.lower`` leaves none of them
    unusual: tuple[str, ...]


@cache
def characters() -> Characters:
    """The tables of all code points, built at the first call.

    >>> words, unusual = characters()
    >>> chr(words[ord("É")]), int(words[ord("-")]), unusual
    ('é', 0, ('İ', 'Σ'))
    """
    everything = _decoded(np.arange(_CODE_POINTS, dtype=np.uint32))
    unusual = sorted({_SIGMA, *_growing(everything)})
    small = everything.translate({ord(character): "\0" for character in unusual}).lower()
    words = np.zeros(_CODE_POINTS, dtype=np.uint32)
    code_points = np.frombuffer(small.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    for match in re.finditer(r"(?u)\w+", small):
        words[slice(*match.span())] = code_points[slice(*match.span())]
    return Characters(words, tuple(unusual))


def _decoded(code_points: np.ndarray) -> str:
    return code_points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _growing(everything: str) -> list[str]:
    """The characters that become several in lower case."""
    stretches = (everything[start : start + _STRETCH] for start in range(0, len(everything), _STRETCH))
    suspicious = (stretch for stretch in stretches if len(stretch.lower()) != len(stretch))
    return [character for stretch in suspicious for character in stretch if len(character.lower()) != 1]


@cache
def marks_and_joiners() -> np.ndarray:
    """The code points that extend the preceding word: category M, and the two joiners."""
    marks = [code for code in code_points() if unicodedata.category(chr(code))[0] == "M"]
    return np.array([*marks, *map(ord, JOINERS)], dtype=np.int64)


@cache
def spelt_anew(letters: tuple[tuple[str, str], ...]) -> np.ndarray:
    """The code points that normalisation to one spelling may change."""
    # They are marks, invisible characters, half- and full-width forms, characters that NFC changes or composes with the
    # preceding one, and the given letters.
    found = {*spelling().replaced, *dict(letters), *map(chr, range(0x1100, 0x1200))}  # Hangul is composed by arithmetic
    for code in (*code_points(), *range(0xF900, 0xFB00), *range(0x2F800, 0x2FA20)):
        character = chr(code)
        parts = unicodedata.decomposition(character)
        if unicodedata.category(character)[0] == "M" or unicodedata.normalize("NFC", character) != character:
            found.add(character)
        elif parts and parts[0] != "<":
            found.update(chr(int(part, 16)) for part in parts.split()[1:])
    return np.array(sorted(map(ord, found)), dtype=np.int64)
