"""Text → tokens: markup removed, one spelling per word, words by a pattern or by rules, pairs of characters in CJK.

Start with `Tokenizer.__call__`, then `prepared` and `split`. What stands before the class are the word boundaries of
Unicode, and the spellings that count as one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base import BORDER, GAP, ArgumentError, bordered, folded, unknown

if TYPE_CHECKING:
    from toysearch.analysis.token_filters import TokenJoiner
    from toysearch.analysis.token_function import TokenFunction

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

_LETTERS = r"""[AH]++(?:[:.'](?=[AH])|(?<=H)"(?=H))?"""  # the rules WB5, WB6, WB7, WB7b, WB7c
_DIGITS = r"N++(?:[;.'](?=N))?"  # WB8, WB11, WB12
_PART = rf"(?:(?:{_LETTERS}|{_DIGITS})+|K++)"  # WB9, WB10, WB13
_WORD = rf"_*+({_PART}(?:_++{_PART})*_*+(?:(?<=H)')?)|_++|(S)"  # WB13a, WB13b, WB7a


def word_places(text: str) -> list[tuple[int, int]]:
    """Find the places (start, end) of the words of a text: the segments of the annex that have a letter or a digit.

    >>> text = "U.S.A. can't pay 3.14 for C++"
    >>> [text[start:end] for start, end in word_places(text)]
    ['U.S.A', "can't", 'pay', '3.14', 'for', 'C']
    """
    # Left out is rule WB3c, by which an emoji belongs to a word that ends in a joiner. Symbols that the annex counts as
    # letters, such as Ⓐ, are letters; numbers that it does not count as digits, such as ½, are words of their own.
    classes = text.translate(_CLASS_OF)
    if "X" not in classes:
        return [match.span() for match in re.finditer(_WORD, classes) if match[1] or match[2]]
    starts = [at for at, name in enumerate(classes) if name != "X"]  # WB4: marks belong to the character before them
    starts.append(len(text))
    words = re.finditer(_WORD, classes.replace("X", ""))
    return [(starts[match.start()], starts[match.end()]) for match in words if match[1] or match[2]]


class _ClassTable(dict[int, str]):
    """Class of each code point, found when it is first met: A letter, N digit, S letter by itself, X mark …."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        letter = category[0] == "L" or category == "Nl"
        ranges = _ranges_of_class() if category != "Cn" else ()
        of_range = (name for first, last, name in ranges if first <= code <= last and (name != "S" or letter))
        self[code] = name = next(of_range, "A" if letter else _BY_CATEGORY.get(category, " "))
        return name


_CLASS_OF = _ClassTable({ord(character): name for name, characters in _CLASSES.items() for character in characters})


_BY_CATEGORY = {"Nd": "N", "No": "S", "Pc": "_", "Mn": "X", "Mc": "X", "Me": "X", "Cf": "X"}


@cache
def _ranges_of_class() -> list[tuple[int, int, str]]:
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
_RUN = f"(?:{_UNIT})+"  # compiled at first use, which takes longer than many searches


def is_character(term: str) -> bool:
    """True if a term is a single Chinese, Japanese or Korean character."""
    return re.fullmatch(_UNIT, term) is not None


def has_characters(text: str) -> bool:
    """True if a text contains a Chinese, Japanese or Korean character."""
    return re.search(_RUN, text) is not None


def runs(text: str) -> list[str]:
    """List the runs of such characters in a text."""
    return re.findall(_RUN, text)


Places = Callable[[str], Iterable[tuple[int, int]]]
"""Function that finds the places (start, end) of the tokens in a text."""


def token_places(text: str, places: Places) -> Iterator[tuple[int, int]]:
    """Yield the places (start, end) of the tokens of a text that may hold Chinese, Japanese or Korean, in order."""
    # A run of Han, Hiragana, Katakana and Hangul characters gives all its pairs of neighbours, a run of one character
    # that character; the rest of the text is split as usual. CJKBigramFilter of Apache Lucene makes the same
    # pairs for the same four scripts, but its tokenizer keeps adjacent Hangul and Latin letters (한국abc) as one
    # word; here they are separated.
    last = 0
    for run in re.finditer(_RUN, text):
        yield from _shifted(places(text[last : run.start()]), last)
        starts = [run.start() + unit.start() for unit in re.finditer(_UNIT, run[0])]
        ends = [*starts[1:], run.end()]
        yield from zip(starts[:-1] or starts, ends[1:] or ends, strict=True)
        last = run.end()
    yield from _shifted(places(text[last:]), last)


def _shifted(places: Iterable[tuple[int, int]], start: int) -> Iterator[tuple[int, int]]:
    return ((start + first, start + last) for first, last in places)


JOINERS = "\u200c\u200d"
"""Characters within words that join or separate the shapes of letters."""

_BREAKS = "\u200b"  # the zero-width space, which ends a word
_MARKS = {"Mn", "Mc", "Me"}
_WIDE = range(0xFF00, 0xFFF0)
_WITHOUT_MARKS = ((0x3400, 0xA000), (0xAC00, 0xD7B0), (0xD800, 0xF900), (0x20000, 0xE0000), (0xE0200, 0x110000))
_UNTOUCHED = (
    "\x00-\xac\xae-\u02ff\u0370-\u0373\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2070-\u209c"
    "\u20a0-\u20bf\u2100-\u2125\u2127-\u2129\u212c-\u2328\u232b-\u2adb\u2add-\u2bff"
)
"""Letters and signs with a single spelling, for which the tables below are not needed."""
_TOUCHED = f"[^{_UNTOUCHED}]"  # compiled at first use
_DOTTED_I = "i\u0307"  # the lower case of İ


class Spelling(NamedTuple):
    """Classes of characters in the Unicode version of the running Python."""

    # all characters of the categories M and the two joiners, for the brackets of a regular expression
    marks: str
    unseen: str  # the invisible characters, likewise
    # each half- and full-width form → its usual form, each invisible character → nothing
    replaced: dict[str, str]


def code_points() -> Iterator[int]:
    """Yield all code points beyond Latin-1 that can be marks or invisible characters."""
    starts = [0x00AD, *(stop for _, stop in _WITHOUT_MARKS)]
    return chain.from_iterable(map(range, starts, [start for start, _ in _WITHOUT_MARKS]))


@cache
def spelling() -> Spelling:
    """Build the tables when a text beyond ASCII first needs them."""
    marks, replaced = [*map(ord, JOINERS)], {}
    categories = map(unicodedata.category, map(chr, code_points()))
    for code in compress(code_points(), map({*_MARKS, "Cf"}.__contains__, categories)):
        if unicodedata.category(chr(code)) in _MARKS:
            marks.append(code)
        elif chr(code) not in _BREAKS:
            replaced[chr(code)] = ""
    unseen = _ranges([*map(ord, replaced)])
    for code in _WIDE:
        kind, _, usual = unicodedata.decomposition(chr(code)).partition(" ")
        if kind in ("<wide>", "<narrow>"):
            replaced[chr(code)] = chr(int(usual, 16))
    return Spelling(_ranges(sorted(marks)), unseen, replaced)


def _ranges(codes: list[int]) -> str:
    parts, first, last = [], codes[0], codes[0]
    for code in [*codes[1:], -1]:
        if code != last + 1:
            parts.append(f"{chr(first)}-{chr(last)}")
            first = code
        last = code
    return "".join(parts)


def may_have_marks(text: str) -> bool:
    """True if a text has a character that may be a mark, be invisible or have several spellings."""
    return not text.isascii() and re.search(_TOUCHED, text) is not None


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
        unchanged = {character for character, instead in self._letters.items() if character == instead}
        return re.compile(f"[{_ranges(sorted(map(ord, set(spelling().replaced) - unchanged)))}]")

    def __call__(self, text: str) -> str:
        """Give a text one spelling; lower-case it if requested."""
        if not may_have_marks(text):
            return text if self._late is None else self._late.sub(self._letter, text)
        text = self._early.sub(lambda match: self._replaced[match[0]], text)
        text = unicodedata.normalize("NFC", text).replace(_DOTTED_I, "i")
        if self._late is not None:
            text = self._late.sub(self._letter, text)
        return unicodedata.normalize("NFC", text)  # characters may have become adjacent

    def _letter(self, match: re.Match[str]) -> str:
        return self._letters[match[0]]


@cache
def unifier(letters: tuple[tuple[str, str], ...]) -> Unifier:
    """Return the cached `Unifier` of some letters."""
    return Unifier(dict(letters))


def unaccented(text: str) -> str:
    """Remove the accents of a text; marks that act as letters (vowel signs, the virama) stay."""
    # Marks above, below and across letters and points (canonical combining classes 1, 10 to 36, and from 200) are
    # removed. Other characters that NFKD decomposes are composed again: Korean syllables, Japanese voicing marks.
    # Unicode Standard, section 4.3, Combining Classes.
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    orders = map(unicodedata.combining, parts)
    letters = [
        part for part, order in zip(parts, orders, strict=True) if not (order == 1 or 10 <= order <= 36 or order >= 200)
    ]
    return unicodedata.normalize("NFC", "".join(letters))


def _matched(text: str, pattern: re.Pattern[str], group: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the matches of a pattern, or of its group; an empty place where the group takes no part."""
    for match in pattern.finditer(text):
        first, last = match.span(group)
        yield (first, last) if first >= 0 else (0, 0)


TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # as in scikit-learn: at least two word characters
EVERY_WORD = (
    r"(?u)\w+|[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
"""Pattern of words, also of one character, of flags, and of single emoji."""

_SYMBOLS = EVERY_WORD.partition("|")[2]

WORD2, WORD1, UNICODE, WHITESPACE = TOKENIZERS = ("word2", "word1", "unicode", "whitespace")
"""Tokenizers with a name: words of two or more characters, of one or more, of Unicode, and runs without blanks."""

_PATTERNS = {WORD2: TOKEN_PATTERN, WORD1: EVERY_WORD, WHITESPACE: r"\S+"}


@dataclass(frozen=True, repr=False)
class Tokenizer:
    r"""Splits a text into its tokens.

    >>> Tokenizer(fold_accents=True)("Été à Genève")
    ['ete', 'geneve']
    """

    # one of `TOKENIZERS`; a function, in a file or in memory; or a regular expression: its matches are the tokens, or
    # the matches of its one group
    tokens: str | Callable[[str], Any] = WORD2
    # lowercase, html, fold_accents, cjk, marks: as in `Analyzer`
    lowercase: bool = True
    html: bool = False
    fold_accents: bool = False
    cjk: bool = False
    marks: bool = False
    # with `marks`: replacements of single characters, of capital letters before lower-casing
    letters: tuple[tuple[str, str], ...] = ()
    tokens_sha256: str = ""  # of the file of a function
    joiner: TokenJoiner | None = field(default=None, compare=False)  # of synonyms of several words
    function: TokenFunction | None = field(init=False, compare=False)
    pattern: re.Pattern[str] | None = field(init=False, compare=False)  # None: there is no pattern

    def __post_init__(self) -> None:
        for switch in ("lowercase", "html", "fold_accents", "cjk", "marks"):
            if not isinstance(value := getattr(self, switch), bool):
                is_name = isinstance(value, str) and value not in ("yes", "no")
                lead = f"; Analyzer.parse({value!r}) reads the name of an analyzer" if is_name else ""
                raise ArgumentError(f"{switch} is True or False, not {value!r}{lead}")
        if not all(isinstance(old, str) and isinstance(new, str) and len(old) == 1 for old, new in self.letters):
            raise ArgumentError("letters must be single characters, each with its replacement")
        name: Any = self.tokens
        function = None
        if callable(name) or name not in TOKENIZERS:
            if is_function(name):
                from toysearch.analysis.token_function import token_function

                function = token_function(name, self.tokens_sha256)
            name = name if function else _named(name)
        if function and self.cjk:
            raise ArgumentError(f"a function splits the whole text: leave out cjk, or {function.name}")
        object.__setattr__(self, "tokens", name)
        object.__setattr__(self, "tokens_sha256", function.sha256 if function else "")
        object.__setattr__(self, "function", function)
        without = callable(name) or function is not None or name == UNICODE
        object.__setattr__(self, "pattern", None if without else _compiled(_PATTERNS.get(name, name)))

    def __call__(self, text: str) -> list[str]:
        """Split a text into its tokens, in its order."""
        if self.joiner is not None:
            return [*chain.from_iterable(self.parts(text))]
        return self.split(self.prepared(self.visible(text)))

    def parts(self, text: str) -> list[list[str]]:
        """Split each part of a text into its tokens: all in one list if a token lies across a border."""
        parts = self._parts(text)
        return parts if self.joiner is None else [*map(self.joiner, parts)]

    def _parts(self, text: str) -> list[list[str]]:
        marked = bordered(text)
        if BORDER not in marked:
            return [self.split(self.prepared(self.visible(text)))]
        parts = [*map(self.split, self.prepared(self.visible(marked)).split(BORDER))]
        if self.tokens in TOKENIZERS:  # for each of these, a border is a blank
            return parts
        whole = self.split(self.prepared(self.visible(text)))
        return parts if [*chain.from_iterable(parts)] == whole else [whole]

    def placed(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the tokens of a text, each with its position; `GAP` positions are left free at a border."""
        first = 0
        for tokens in self.parts(text):
            yield from enumerate(tokens, first)
            first += len(tokens) + GAP

    def visible(self, text: str) -> str:
        """Remove HTML from a text, if the tokenizer does so."""
        if not self.html:
            return text
        from toysearch.base import without_html  # few texts have markup

        return without_html(text)

    def prepared(self, text: str) -> str:
        """Put a text or a listed word in comparable form: lower-cased, in one spelling, with accents folded."""
        if self.lowercase:
            text = (self.with_small_letters(text) if self.capitals else text).lower()
        if text.isascii():
            return text
        return self._folded(unifier(self.letters)(text) if self.marks else text)

    @cached_property
    def capitals(self) -> list[tuple[str, str]]:
        """List the letters whose lower case is another one in this language, the decomposed forms first."""
        capitals = {old: new for old, new in self.letters if self.marks and self.lowercase and old != old.lower()}
        decomposed = {unicodedata.normalize("NFD", old): new for old, new in capitals.items()}
        return sorted((decomposed | capitals).items(), key=lambda pair: -len(pair[0]))

    def with_small_letters(self, text: str) -> str:
        """Replace the letters whose lower case is another one in this language."""
        for capital, small in self.capitals:
            text = text.replace(capital, small)
        return text

    def _folded(self, text: str) -> str:
        return text if not self.fold_accents else unaccented(text) if self.marks else folded(text)

    def split(self, text: str) -> list[str]:
        """Split a prepared text into tokens."""
        if self.function is not None:
            return self.function.tokens(text)
        if self.pattern is not None and text.isascii():
            return self.pattern.findall(text)
        pattern = self._beyond_ascii(self.pattern, text)
        if pattern is not None and not self.cjk:
            return pattern.findall(text)
        return [text[start:end] for start, end in self._places(text, pattern, pattern.groups if pattern else 0)]

    def words(self, text: str) -> list[str]:
        """List the words of a prepared text: its tokens, and words or symbols that are not tokens."""
        if self.tokens == WORD2:
            places = self._places(text, self._beyond_ascii(_compiled(EVERY_WORD), text), 0)
            return [text[start:end] for start, end in places]
        if self.tokens == UNICODE:
            words = [*self._places(text, None, 0)]
            within = {at for start, end in words for at in range(start, end)}
            symbols = [match.span() for match in re.finditer(_SYMBOLS, text) if match.start() not in within]
            return [text[start:end] for start, end in sorted([*words, *symbols])]
        return self.split(text)

    def aligned(self, text: str) -> tuple[list[str], list[str | None], list[str | None]]:
        """Return the words of a text, the token of each, None if it is not one, and what joined tokens become.

        Words that are joined stand as one, with blanks between them.
        """
        text = self.prepared(self.visible(text))
        words, tokens = self.words(text), iter([*self.split(text), None])
        following = next(tokens)
        aligned = []
        for word in words:
            aligned.append(following if word == following else None)
            if word == following:
                following = next(tokens)
        return words, aligned, aligned if self.joiner is None else self._join(words, aligned, self.joiner)

    def _join(self, words: list[str], tokens: list[str | None], joiner: TokenJoiner) -> list[str | None]:
        """Join words and tokens in place, and return the tokens that replace them."""
        replaced = [*tokens]
        present = [(at, token) for at, token in enumerate(tokens) if token is not None]
        runs = [*joiner.runs([token for _, token in present])]
        for first, end, token in reversed(runs):
            if end == first + 1:
                continue
            here = slice(present[first][0], present[end - 1][0] + 1)
            words[here] = [" ".join(words[here])]
            tokens[here] = [" ".join(token for _, token in present[first:end])]
            replaced[here] = [token]
        return replaced

    def _beyond_ascii(self, pattern: re.Pattern[str] | None, text: str, unseen: bool = False) -> re.Pattern[str] | None:
        return with_marks(pattern, unseen) if pattern and self.marks and may_have_marks(text) else pattern

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places (start, end) of the tokens in the original text, for the whole match of a pattern."""
        pattern = self._beyond_ascii(self.pattern, text, unseen=True)
        if self.function is not None:
            prepared = self.prepared(text)  # in lower case, which rarely has another length
            found = self.function.places(prepared if len(prepared) == len(text) else text)
        elif pattern and not self.cjk:
            found = (match.span() for match in pattern.finditer(text))
        else:
            found = self._places(text, pattern, 0)
        if self.joiner is None:
            return found
        places = [*found]
        tokens = [self._part(text[start:end]) for start, end in places]
        runs = self.joiner.runs([token[0] if len(token) == 1 else "" for token in tokens])
        return ((places[first][0], places[end - 1][1]) for first, end, _ in runs)

    def part(self, text: str) -> list[str]:
        """Split a part of a text into tokens, without its surroundings."""
        if self.joiner is not None:
            joined = self.joiner(self.split(self.prepared(text)))
            if len(joined) == 1:
                return joined
        return self._part(text)

    def _part(self, text: str) -> list[str]:
        prepared = self.prepared(text)
        return [prepared] if self.function is not None else self.split(prepared)

    def _places(self, text: str, pattern: re.Pattern[str] | None, group: int) -> Iterator[tuple[int, int]]:
        places = word_places if pattern is None else partial(_matched, pattern=pattern, group=group)
        return token_places(text, places) if self.cjk else iter(places(text))

    def stages(self, text: str) -> list[tuple[str, str]]:
        """Return the text after each stage that changes it as a whole, by the name of the stage."""
        stages = []
        if self.html:
            text = self.visible(text)
            stages.append(("HTML taken out", text))
        lowered = self.with_small_letters(text).lower() if self.lowercase else text
        unified = unifier(self.letters)(lowered) if self.marks else lowered
        if unified != lowered:
            stages.append(("one spelling", unified))
        if self.fold_accents:
            stages.append(("accents folded", self._folded(unified)))
        return stages

    def word(self, word: str, several: str = "") -> str:
        """Turn a listed word into a token; several words are refused with a sentence of advice."""
        if not isinstance(word, str):
            raise ArgumentError(f"expected a word, found {word!r}")
        prepared = self.prepared(word)
        tokens = self.split(prepared)
        groups = self.pattern.groups if self.pattern else 0
        if (groups or tokens in ([prepared], [])) and prepared.split() == [prepared]:
            return prepared
        parts = f"the analyzer makes {', '.join(map(repr, tokens))} of it" if tokens else "it contains no token"
        advice = several.format("_".join(tokens), word) if len(tokens) > 1 else ""
        raise ArgumentError(f"expected a single token, found {word!r}: {parts}{advice}")

    def run(self, words: str) -> str:
        """Turn a listed word into a token, or several words into tokens with blanks between them."""
        prepared = self.prepared(words) if isinstance(words, str) else ""
        tokens = self.split(prepared)
        if (
            len(tokens) < 2
            or (self.cjk and has_characters(prepared))
            or any(token.split() != [token] for token in tokens)
        ):
            return self.word(words)
        if lost := [word for word in self.words(prepared) if word not in tokens]:
            raise ArgumentError(
                f"'{lost[0]}' in '{words}' is not a token, so the rest would stand for other words too; tokens=word1 "
                "keeps it"
            )
        return " ".join(tokens)


def is_function(tokens: object) -> bool:
    """True if a tokenizer or a stemmer is a function, in memory or, by its name, in a file."""
    if callable(tokens):
        return True
    if not isinstance(tokens, str) or ".py:" not in tokens:
        return False
    from toysearch.base.user_code import IN_FILE

    return IN_FILE.fullmatch(tokens) is not None


def _named(tokens: object) -> str:
    if not isinstance(tokens, str):
        raise ArgumentError(
            f"tokens is one of {', '.join(TOKENIZERS)}, a regular expression or a function in a file such as "
            f"'mine.py:tokens', not {tokens!r}"
        )
    if tokens.endswith(".py"):
        raise ArgumentError(f"'{tokens}': name its function, as in {tokens}:tokens")
    if re.fullmatch(r"[\w-]*", tokens):  # as a pattern it would match a single word
        raise unknown("tokenizer", tokens, TOKENIZERS)
    return next((name for name, pattern in _PATTERNS.items() if pattern == tokens), tokens)


@cache
def with_marks(pattern: re.Pattern[str], unseen: bool = False) -> re.Pattern[str]:
    """Extend a pattern by the marks, and optionally the invisible characters, that follow the letters of its words."""
    # A custom pattern is unchanged: it defines words itself.
    more = spelling().marks + (spelling().unseen if unseen else "")
    words = {TOKEN_PATTERN: rf"\w[\w{more}]+", EVERY_WORD: rf"\w[\w{more}]*|{_SYMBOLS}"}
    return re.compile(words[pattern.pattern]) if pattern.pattern in words else pattern


def refuse_endless(tokens: str) -> None:
    """Refuse to keep a pattern of tokens that may never end, since not every opener of the index has chosen it."""
    if tokens in TOKENIZERS:
        return
    from toysearch.base import may_not_end

    if may_not_end(tokens):
        raise ArgumentError(
            f"no index is kept with the pattern of tokens '{tokens}', which may read a text in so many ways that it "
            "never ends: shorten it, repeat no group that has repeats or alternatives, or take a function in a file"
        )


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile the pattern; refuse it if it is not a regular expression or has more than one group."""
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"the token pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups > 1:
        raise ArgumentError(
            f"the token pattern {pattern!r} has {compiled.groups} capturing groups, so that the "
            "token is ambiguous; keep one group, and write the others as (?:…)"
        )
    return compiled
