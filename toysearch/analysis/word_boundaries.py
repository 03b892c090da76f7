"""Text → places of its words: by the rules of Unicode, or as pairs of Chinese, Japanese and Korean characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache

# Unicode Standard Annex 29, Unicode Text Segmentation, section 4, Word Boundaries (revision 45, Unicode 16). Each
# character has a class of the annex, written as one letter here, and the rules are a pattern of classes.
_CLASSES = {
    ":": "\u003a\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a",  # MidLetter
    ".": "\u002e\u2018\u2019\u2024\ufe52\uff07\uff0e",  # MidNumLet
    ";": "\u002c\u003b\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe50\ufe54\uff0c\uff1b",  # MidNum
    "'": "'",
    '"': '"',
    "_": "\u202f",  # ExtendNumLet, with the category Pc
}
_RANGES = {  # the classes of characters that do not follow from their category; of overlapping ranges the first counts
    "A": "b8 2c2-2c5 2d2-2d7 2de-2df 2e5-2eb 2ed 2ef-2ff 55a-55c 55e 58a 5f3 70f 24b6-24e9 a708-a716 a720-a721 "
    "a789-a78a ab5b 1f130-1f149 1f150-1f169 1f170-1f189",
    "H": "5d0-5f2 fb1d fb1f-fb28 fb2a-fb4f",
    "K": "3031-3035 309b-309c 30a0-30fa 30fc-30ff 31f0-31ff 32d0-32fe 3300-3357 ff66-ff9d 1aff0-1b000 1b120-1b122 "
    "1b155 1b164-1b167",
    "N": "600-605 66b 6dd 890-891 8e2 19da 110bd 110cd",
    "X": "200c-200d ff9e-ff9f 1f3fb-1f3ff e0020-e007f",
    " ": "200b",
    # Letters that are words of their own: ideographs, Hiragana, and scripts without blanks between words.
    "S": "e01-e30 e32-e33 e40-e46 e81-eb0 eb2-eb3 ebd-ec6 edc-edf 1000-102a 103f 1050-1055 105a-105d 1061 1065-1066 "
    "106e-1070 1075-1081 108e 1780-17b3 17d7 17dc 1950-19c9 1a20-1a54 1aa7 3006-3007 3021-3029 3038-303a 3041-3096 "
    "309d-309f 3400-4dbf 4e00-9fff a9e0-a9e4 a9e6-a9ef a9fa-a9fe aa60-aa76 aa7a aa7e-aaaf aab1 aab5-aab6 aab9-aabd "
    "aac0 aac2-aadd f900-fad9 11700-1171a 11740-11746 17000-18d1e 18d80-18df2 1b001-1b11f 1b132 1b150-1b152 "
    "1b170-1b2fb 20000-3347f",
}

_LETTER = r"""[AH](?:[:.'](?=[AH])|(?<=H)"(?=H))?"""  # the rules WB5, WB6, WB7, WB7b, WB7c
_DIGIT = r"N(?:[;.'](?=N))?"  # WB8, WB11, WB12
_PART = rf"(?:(?:{_LETTER}|{_DIGIT})++|K++)"  # WB9, WB10, WB13
_WORD = rf"_*+({_PART}(?:_++{_PART})*_*+(?:(?<=H)')?)|_++|(S)"  # WB13a, WB13b, WB7a


def word_places(text: str) -> list[tuple[int, int]]:
    """The places (start, end) of the words of a text: the segments of the annex that have a letter or a digit.

    >>> text = "U.S.A. can't pay 3.14 for C++"
    >>> [text[start:end] for start, end in word_places(text)]
    ['U.S.A', "can't", 'pay', '3.14', 'for', 'C']
    """
    # Left out is rule WB3c, by which an emoji belongs to a word that ends in a joiner. Symbols that the annex counts as
    # letters, such as Ⓐ, are letters; numbers that it does not count as digits, such as ½, are words of their own.
    classes, pattern = text.translate(_CLASS_OF), _pattern()
    if "X" not in classes:
        return [match.span() for match in pattern.finditer(classes) if match[1] or match[2]]
    starts = [at for at, name in enumerate(classes) if name != "X"]  # WB4: marks belong to the character before them
    starts.append(len(text))
    words = pattern.finditer(classes.replace("X", ""))
    return [(starts[match.start()], starts[match.end()]) for match in words if match[1] or match[2]]


@cache
def _pattern() -> re.Pattern[str]:
    """The pattern of words, compiled at first use."""
    return re.compile(_WORD)


class _ClassTable(dict[int, str]):
    """The class of each code point, found when it is first met: A letter, N digit, S letter by itself, X mark …."""

    def __missing__(self, code: int) -> str:
        name = self[code] = _class_of(code)
        return name


_CLASS_OF = _ClassTable({ord(character): name for name, characters in _CLASSES.items() for character in characters})


def _class_of(code: int) -> str:
    """The class of a code point: that of its range, otherwise that of its category; a blank for all others."""
    category = unicodedata.category(chr(code))
    if category == "Cn":
        return " "
    letter = category[0] == "L" or category == "Nl"
    of_range = next((name for first, last, name in _ranges() if first <= code <= last and (name != "S" or letter)), "")
    return of_range or ("A" if letter else _BY_CATEGORY.get(category, " "))


_BY_CATEGORY = {"Nd": "N", "No": "S", "Pc": "_", "Mn": "X", "Mc": "X", "Me": "X", "Cf": "X"}


@cache
def _ranges() -> list[tuple[int, int, str]]:
    """The first and the last code point of each range, with its class."""
    pairs = [(*part.split("-"), name) for name, ranges in _RANGES.items() for part in ranges.split()]
    return [(int(pair[0], 16), int(pair[-2], 16), pair[-1]) for pair in pairs]


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
