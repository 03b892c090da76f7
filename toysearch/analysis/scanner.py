"""Many texts → numbers of their tokens: the tokenizer as compiled loops on UTF-8."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.tokenizer import JOINERS, WORD2, Tokenizer, code_points, spelling
from toysearch.base.encoded_texts import Utf8

if TYPE_CHECKING:
    from toysearch.compiled.tokens import CharacterCodes, TokenBatch

_TOKENS = 1 << 12  # initial capacity of a table
_ALL_BITS = (1 << 64) - 1


def scannable(analyzer: Analyzer) -> bool:
    """Whether the scanner finds the tokens of an analyzer, and each term comes from one token.

    >>> scannable(Analyzer.for_language("english")), scannable(Analyzer(fold_accents=True))
    (True, False)
    """
    plain = analyzer.lowercase and analyzer.tokens == WORD2
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
        self._slots = np.zeros(4 * _TOKENS, dtype=np.uint64)
        self._blob = np.empty(8 * _TOKENS, dtype=np.uint8)
        self._starts = np.zeros(_TOKENS, dtype=np.int64)
        self._table = TokenTable(self._slots, self._blob, self._starts, hash_mask)
        self._found = np.empty(0, dtype=np.int32)

    def scan(self, texts: Utf8, prepared: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The token numbers of all texts (int32), and the end of each text among them (int64)."""
        # The next call reuses the first array, which saves allocation.
        from toysearch.compiled.tokens import scan

        most = texts.size // 3 + texts.n  # a token has at least two bytes, and a separator follows it
        if self._found.size < most:
            self._found = np.empty(most + most // 2, dtype=np.int32)
        ends = np.empty(texts.n, dtype=np.int64)
        batch = _batch(int(np.diff(texts.offsets).max(initial=0)))
        characters, n_done = _characters(self._tokenizer, prepared), 0
        while n_done < texts.n:
            n_done, tokens, size = scan(
                texts.blob, texts.offsets, n_done, characters, batch, self._table, self._found, ends
            )
            if tokens < 0:
                return self.scan(Utf8.of([_prepared(raw, self._tokenizer) for raw in texts.raws()]), prepared=True)
            if n_done < texts.n:
                self._make_room(self._table.n_tokens + tokens, self._table.n_bytes + size)
        return self._found[: ends[-1] if texts.n else 0], ends

    def _make_room(self, tokens: int, size: int) -> None:
        """Make room for so many tokens with so many bytes."""
        if size > self._blob.size:
            self._blob = _grown(self._blob, size)
        if tokens >= self._starts.size:
            self._starts = _grown(self._starts, tokens + 1)
        self._table.move(self._blob, self._starts)
        if 4 * tokens > self._slots.size:
            self._slots = np.zeros(_power_of_two(4 * tokens), dtype=np.uint64)
            self._table.rehash(self._slots)

    @property
    def n_tokens(self) -> int:
        """The number of distinct tokens so far."""
        return int(self._table.n_tokens)

    def token(self, number: int) -> str:
        """The token of a number."""
        return self._blob[self._starts[number] : self._starts[number + 1]].tobytes().decode()

    def tokens(self) -> tuple[np.ndarray, np.ndarray]:
        """All tokens: their concatenated UTF-8 bytes, the offset of each, and the end of the last."""
        starts = self._starts[: self.n_tokens + 1]
        return self._blob[: starts[-1]], starts


@cache
def _characters(tokenizer: Tokenizer, prepared: bool) -> CharacterCodes:
    """The codes of bytes and code points for the loop."""
    from toysearch.compiled.tokens import NOT_ASCII, UNUSUAL, CharacterCodes

    words, unusual = characters()
    words = words.copy()
    if not prepared:
        words[[ord(character) for character in unusual]] = UNUSUAL
        if tokenizer.marks:
            changed = spelt_anew(tokenizer.letters)
            words[np.isin(words, changed)] = UNUSUAL  # capital letters too
            words[changed] = UNUSUAL
    elif tokenizer.marks:
        words[marks_and_joiners()] = marks_and_joiners()
    ascii_words = np.full(256, NOT_ASCII, dtype=np.uint8)
    ascii_words[:128] = words[:128]
    return CharacterCodes(ascii_words, words)


def _prepared(raw: bytes, tokenizer: Tokenizer) -> bytes:
    """A text in lower case and in one spelling, if it has characters that the loop cannot convert."""
    if raw.isascii():
        return raw
    if tokenizer.marks:
        return without_stray_marks(tokenizer.prepared(raw.decode())).encode()
    if not any(character.encode() in raw for character in characters().unusual):
        return raw
    return raw.decode().lower().encode()


def _batch(longest: int) -> TokenBatch:
    """Room for a batch of texts, the longest of so many bytes."""
    from toysearch.compiled.tokens import BATCH, BATCH_BYTES, TokenBatch

    # It holds each text once and its words beyond ASCII twice, with less than twice the bytes in lower case.
    lowered = np.zeros(BATCH_BYTES + 3 * longest + 8, dtype=np.uint8)
    tokens = BATCH + longest // 2 + 1
    return TokenBatch(
        lowered,
        np.ndarray((lowered.size - 7,), dtype="<u8", buffer=lowered.data, strides=(1,)),
        np.empty(longest + 1, dtype=np.int64),
        np.empty((tokens, 2), dtype=np.int64),
        np.empty(tokens, dtype=np.uint64),
        np.empty(tokens, dtype=np.uint64),
    )


def _grown(values: np.ndarray, size: int) -> np.ndarray:
    """The values in an array with at least this capacity."""
    grown = np.empty(_power_of_two(size), dtype=values.dtype)
    grown[: values.size] = values
    return grown


def _power_of_two(size: int) -> int:
    """The least power of two that is not smaller."""
    return 1 << (size - 1).bit_length()


@cache
def _stray() -> re.Pattern[str]:
    marks = spelling().marks
    return re.compile(rf"(?<![\w{marks}])[{marks}]+")


def without_stray_marks(text: str) -> str:
    """A text with blanks for marks outside words; the remaining marks are part of words."""
    return _stray().sub(" ", text)


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
    characters = {
        *spelling().replaced,
        *dict(letters),
        *map(chr, range(0x1100, 0x1200)),
    }  # Hangul is composed by arithmetic
    for code in (*code_points(), *range(0xF900, 0xFB00), *range(0x2F800, 0x2FA20)):
        character = chr(code)
        parts = unicodedata.decomposition(character)
        if unicodedata.category(character)[0] == "M" or unicodedata.normalize("NFC", character) != character:
            characters.add(character)
        elif parts and parts[0] != "<":
            characters.update(chr(int(part, 16)) for part in parts.split()[1:])
    return np.array(sorted(map(ord, characters)), dtype=np.int64)
