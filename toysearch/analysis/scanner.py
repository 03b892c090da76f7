"""Scanner of many texts, which numbers their tokens: the tokenizer as compiled loops on UTF-8."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.tokenizer import JOINERS, WORD2, Tokenizer, code_points, may_have_marks, spelling
from toysearch.base.encoded_texts import Utf8
from toysearch.base.platform import own_pages

if TYPE_CHECKING:
    from toysearch.compiled.tokens import TokenBatch

_TOKENS = 1 << 12  # initial capacity of a table
_ALL_BITS = (1 << 64) - 1


def scannable(analyzer: Analyzer) -> bool:
    """True if the scanner finds the tokens of an analyzer, and each term comes from one token.

    >>> scannable(Analyzer.for_language("english")), scannable(Analyzer(fold_accents=True))
    (True, False)
    """
    letters = {letter for letter, _ in small_letters(analyzer.tokenizer)}
    plain = analyzer.lowercase and analyzer.tokens == WORD2 and not any(map(str.isascii, letters))
    plain = plain and analyzer.tokenizer.joiner is None
    return plain and not (analyzer.html or analyzer.fold_accents or analyzer.cjk or analyzer.makes_grams)


class Scanner:
    """Numbers the tokens in the order of their first occurrence, and keeps their bytes.

    >>> scanner = Scanner()
    >>> found, ends = scanner.scan(Utf8.of([b"A cat, the CAT", b"the dog"]))
    >>> found.tolist(), ends.tolist(), [scanner.token(number) for number in range(scanner.n_tokens)]
    ([0, 1, 0, 1, 2], [3, 5], ['cat', 'the', 'dog'])
    """

    def __init__(self, tokenizer: Tokenizer | None = None, hash_mask: int = _ALL_BITS) -> None:
        from toysearch.compiled.tokens import TokenTable

        self._tokenizer = tokenizer or Tokenizer()
        self._slots = np.zeros(4 * _TOKENS, np.uint64)
        self._blob = np.empty(8 * _TOKENS, np.uint8)
        self._starts = np.zeros(_TOKENS, np.int64)
        self._table = TokenTable(self._slots, self._blob, self._starts, hash_mask)
        self._found = np.empty(0, np.int32)

    def scan(self, texts: Utf8, prepared: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return the token numbers of all texts (int32), and the end of each text among them (int64)."""
        # The next call reuses the first array, which saves allocation.
        from toysearch.compiled.tokens import scan

        if self._tokenizer.capitals and not prepared:
            small = self._tokenizer.with_small_letters
            texts = Utf8.of([small(text).encode() for text in texts.texts()])
        n = len(texts.offsets) - 1
        most = len(texts.blob) // 3 + n  # a token has at least two bytes, and a separator follows it
        if self._found.size < most:
            self._found = own_pages(most + most // 2, np.int32)
        ends = np.empty(n, np.int64)
        batch = _batch(int(np.diff(texts.offsets).max(initial=0)))
        characters, n_done = _characters(self._tokenizer, prepared), 0
        while n_done < n:
            n_done, tokens, size = scan(
                texts.blob, texts.offsets, n_done, characters.codes, batch, self._table, self._found, ends
            )
            if tokens < 0 and size < 0:
                return self.scan(Utf8.of([_prepared(raw, self._tokenizer) for raw in texts.raws()]), prepared=True)
            if tokens < 0:
                characters.add(size)
            elif n_done < n:
                self._make_room(self._table.n_tokens + tokens, self._table.n_bytes + size)
        return self._found[: ends[-1] if n else 0], ends

    def _make_room(self, tokens: int, size: int) -> None:
        if size > self._blob.size:
            self._blob = _grown(self._blob, size)
        if tokens >= self._starts.size:
            self._starts = _grown(self._starts, tokens + 1)
        self._table.move(self._blob, self._starts)
        if 4 * tokens > self._slots.size:
            self._slots = own_pages(_power_of_two(4 * tokens), np.uint64)
            self._table.rehash(self._slots)

    @property
    def n_tokens(self) -> int:
        """Number of distinct tokens so far."""
        return int(self._table.n_tokens)

    def token(self, number: int) -> str:
        """Return the token of a number."""
        return self._blob[self._starts[number] : self._starts[number + 1]].tobytes().decode()

    def tokens(self, first: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return all tokens from a number on: their concatenated UTF-8 bytes, the offset of each, and the end."""
        starts = self._starts[first : self.n_tokens + 1]
        return self._blob[starts[0] : starts[-1]], starts - starts[0]


def small_letters(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """List the replacements of letters in lower-cased text."""
    capitals = dict(tokenizer.capitals)
    return [pair for pair in tokenizer.letters if pair[0] not in capitals]


def _prepared(raw: bytes, tokenizer: Tokenizer) -> bytes:
    """Put a text in lower case and in one spelling, without characters that the loop cannot convert."""
    if raw.isascii():
        return raw
    text = raw.decode()
    return (_stray().sub(" ", tokenizer.prepared(text)) if tokenizer.marks else text.lower()).encode()


def _batch(longest: int) -> TokenBatch:
    from toysearch.compiled.tokens import BATCH, BATCH_BYTES, TokenBatch

    # It holds each text once and its words beyond ASCII twice, with less than twice the bytes in lower case.
    lowered = np.zeros(BATCH_BYTES + 3 * longest + 8, np.uint8)
    tokens = BATCH + longest // 2 + 1
    return TokenBatch(
        lowered,
        np.ndarray((lowered.size - 7,), dtype="<u8", buffer=lowered.data, strides=(1,)),
        np.empty(longest + 1, np.int64),
        np.empty((tokens, 2), np.int64),
        np.empty(tokens, np.uint64),
        np.empty(tokens, np.uint64),
    )


def _grown(values: np.ndarray, size: int) -> np.ndarray:
    grown = own_pages(_power_of_two(size), values.dtype)
    grown[: values.size] = values
    return grown


def _power_of_two(size: int) -> int:
    return 1 << (size - 1).bit_length()


@cache
def _stray() -> re.Pattern[str]:
    """Marks outside words, which a blank replaces; the others are parts of words."""
    marks = spelling().marks
    return re.compile(rf"(?<![\w{marks}])[{marks}]+")


_CODE_POINTS = sys.maxunicode + 1
_STRETCH = 128  # code points whose codes are computed together
_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"  # becomes ς at the end of a word, σ elsewhere
_WORD = re.compile(r"\w")
_JAMO = range(0x1100, 0x1200)  # letters of Hangul, which are composed by arithmetic


class Characters:
    """Codes of characters for the loop, from the Unicode data of the running Python.

    In prepared texts, all characters are regular. The codes are computed when a text first needs them, for neighbours
    together: those of all take half a second.
    """

    def __init__(self, tokenizer: Tokenizer, prepared: bool) -> None:
        from toysearch.compiled.tokens import NOT_ASCII, OUTSIDE, CharacterCodes

        self._prepared, self._marks, self._letters = prepared, tokenizer.marks, small_letters(tokenizer)
        self.words = np.zeros(_CODE_POINTS, np.uint32)  # all UNKNOWN
        self.add(0)
        ascii_words = np.full(256, NOT_ASCII, np.uint8)
        ascii_words[:128] = np.where(self.words[:128] == OUTSIDE, 0, self.words[:128])
        self.codes = CharacterCodes(ascii_words, self.words)

    def add(self, code_point: int) -> None:
        """Compute the codes of a character and its neighbours, those with several spellings only if it is one."""
        first, everything = code_point - code_point % _STRETCH, may_have_marks(chr(code_point))
        for code in range(first, first + _STRETCH):
            if everything or not may_have_marks(chr(code)):
                self.words[code] = self._code(chr(code))

    def _code(self, character: str) -> int:
        from toysearch.compiled.tokens import OUTSIDE, UNUSUAL

        small, marks = character.lower(), self._marks
        if self._prepared and marks and (character in JOINERS or unicodedata.category(character)[0] == "M"):
            return ord(character)
        regular = len(small) == 1 and character != _SIGMA  # lower case leaves no others
        if not self._prepared:
            forms = (character, small) if marks else ()
            if not regular or any(is_spelt_anew(form, self._letters) for form in forms):
                return UNUSUAL
        return ord(small) if regular and _WORD.match(small) else OUTSIDE


_characters = cache(Characters)


def is_spelt_anew(character: str, letters: Sequence[tuple[str, str]]) -> bool:
    """True if normalisation to one spelling may change a character or compose it with the preceding one.

    >>> [is_spelt_anew(character, (("œ", "oe"),)) for character in ("é", "\u0301", "Ａ", "œ")]
    [False, True, True, True]
    """
    # They are marks, invisible characters, half- and full-width forms, characters that NFC changes, and the letters.
    if any(character == letter for letter, _ in letters):
        return True
    if not may_have_marks(character):
        return False
    if unicodedata.category(character)[0] == "M" or ord(character) in _JAMO:
        return True
    is_composed = character in spelling().replaced or character in _composed()
    return is_composed or unicodedata.normalize("NFC", character) != character


@cache
def _composed() -> frozenset[str]:
    """Characters that NFC composes with the preceding one."""
    parts = (unicodedata.decomposition(chr(code)) for code in code_points())
    return frozenset(chr(int(part, 16)) for text in parts if text and text[0] != "<" for part in text.split()[1:])
