"""What this Python takes for word characters, and what it makes of them in lower case, as arrays for compiled loops."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np

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
    from toysearch.analysis.unicode_forms import JOINERS, code_points

    marks = [code for code in code_points() if unicodedata.category(chr(code))[0] == "M"]
    return np.array([*marks, *map(ord, JOINERS)], dtype=np.int64)


@cache
def spelt_anew(letters: tuple[tuple[str, str], ...]) -> np.ndarray:
    """The code points at which a text may have to be brought into one spelling: all others stay as they are.

    They are marks, what is not seen, half- and full-width forms, what NFC changes or puts together with the character
    before it, and the letters given.
    """
    from toysearch.analysis.unicode_forms import code_points, spelling

    found = {*spelling().replaced, *dict(letters), *map(chr, range(0x1100, 0x1200))}  # Hangul is composed by arithmetic
    for code in (*code_points(), *range(0xF900, 0xFB00), *range(0x2F800, 0x2FA20)):
        character = chr(code)
        parts = unicodedata.decomposition(character)
        if unicodedata.category(character)[0] == "M" or unicodedata.normalize("NFC", character) != character:
            found.add(character)
        elif parts and parts[0] != "<":
            found.update(chr(int(part, 16)) for part in parts.split()[1:])
    return np.array(sorted(map(ord, found)), dtype=np.int64)
