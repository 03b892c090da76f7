"""One spelling per word in Unicode, and what each character is to the tokenizer."""

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
"""They stand within words, and part or join letters that are drawn together."""

_BREAKS = "\u200b"  # has no width, and is there to end a word
_MARKS = {"Mn", "Mc", "Me"}
_WIDE = range(0xFF00, 0xFFF0)
_WITHOUT_MARKS = ((0x3400, 0xA000), (0xAC00, 0xD7B0), (0xD800, 0xF900), (0x20000, 0xE0000), (0xE0200, 0x110000))
_UNTOUCHED = (
    "\x00-\xac\xae-\u02ff\u0370-\u0373\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf"
)
"""Letters and signs that have one spelling only: for texts of these the tables below need not be made."""
_TOUCHED = re.compile(f"[^{_UNTOUCHED}]")
_DOTTED_I = "i\u0307"  # what lower-casing makes of İ


class Spelling(NamedTuple):
    """What the characters of the running Python's Unicode are for the analysis of words."""

    # all characters of the categories M and the two joiners, as they stand in the brackets of a regular expression
    marks: str
    unseen: str  # the characters that are not seen, likewise
    # each half- and full-width form with its usual form, each character that is not seen with nothing
    replaced: dict[str, str]


def code_points() -> Iterator[int]:
    """All code points beyond Latin-1 among which there are marks or characters that are not seen."""
    starts = [0x00AD, *(stop for _, stop in _WITHOUT_MARKS)]
    return itertools.chain.from_iterable(map(range, starts, [start for start, _ in _WITHOUT_MARKS]))


@cache
def spelling() -> Spelling:
    """The tables, made when a text beyond ASCII first needs them."""
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
    """A text with blanks for the marks that stand in no word: what is left of them is a part of words."""
    return _stray().sub(" ", text)


def may_have_marks(text: str) -> bool:
    """Whether a text has a character beyond those that have one spelling only; none of these is a mark, or unseen."""
    return not text.isascii() and _TOUCHED.search(text) is not None


class Unifier:
    """Gives texts one spelling; none of it changes a text in ASCII."""

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
        """The text in one spelling; it is in lower case where that is wanted."""
        if not may_have_marks(text):
            return text if self._late is None else self._late.sub(self._letter, text)
        text = self._early.sub(self._instead, text)
        text = unicodedata.normalize("NFC", text).replace(_DOTTED_I, "i")
        if self._late is not None:
            text = self._late.sub(self._letter, text)
        return unicodedata.normalize("NFC", text)  # what stood apart may stand together now

    def _instead(self, match: re.Match[str]) -> str:
        return self._replaced[match[0]]

    def _letter(self, match: re.Match[str]) -> str:
        return self._letters[match[0]]


@cache
def unifier(letters: tuple[tuple[str, str], ...]) -> Unifier:
    """The `Unifier` of some letters, made once."""
    return Unifier(dict(letters))


def unaccented(text: str) -> str:
    """A text without its accents, in which marks that are letters by themselves stay: vowel signs, the virama.

    Taken off are the marks above, below and across letters, and points (canonical combining classes 1, 10 to 36, and
    from 200 on). What else NFKD takes apart is put together again: Korean syllables, Japanese voicing marks.

    Unicode Standard, section 4.3, Combining Classes.
    """
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not _is_accent(part)))


def _is_accent(character: str) -> bool:
    """Whether a character is a mark that people leave out."""
    order = unicodedata.combining(character)
    return order == 1 or 10 <= order <= 36 or order >= 200


_CODE_POINTS = sys.maxunicode + 1
_STRETCH = 256  # code points that are looked at together
_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"  # becomes ς at the end of a word, σ elsewhere


class Characters(NamedTuple):
    r"""The running Python's own tables."""

    # (0x110000,) uint32; for each code point that is a word character (``\w``) in lower case, that code point in lower
    # case; else 0
    words: np.ndarray
    # characters of which ``str.lower`` does not make one character, or not the same one everywhere; after ``str.lower``
    # a text has none of them
    unusual: tuple[str, ...]


@cache
def characters() -> Characters:
    """The tables of all code points, made at the first call.

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
    """The code points that belong to the word before them: category M, and the two joiners."""
    marks = [code for code in code_points() if unicodedata.category(chr(code))[0] == "M"]
    return np.array([*marks, *map(ord, JOINERS)], dtype=np.int64)


@cache
def spelt_anew(letters: tuple[tuple[str, str], ...]) -> np.ndarray:
    """The code points at which a text may have to be brought into one spelling: all others stay as they are.

    They are marks, what is not seen, half- and full-width forms, what NFC changes or puts together with the character
    before it, and the letters given.
    """
    found = {*spelling().replaced, *dict(letters), *map(chr, range(0x1100, 0x1200))}  # Hangul is composed by arithmetic
    for code in (*code_points(), *range(0xF900, 0xFB00), *range(0x2F800, 0x2FA20)):
        character = chr(code)
        parts = unicodedata.decomposition(character)
        if unicodedata.category(character)[0] == "M" or unicodedata.normalize("NFC", character) != character:
            found.add(character)
        elif parts and parts[0] != "<":
            found.update(chr(int(part, 16)) for part in parts.split()[1:])
    return np.array(sorted(map(ord, found)), dtype=np.int64)
