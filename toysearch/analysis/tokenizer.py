"""Text → tokens: what happens to a text as a whole, before its tokens are looked at one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from toysearch.analysis.unicode_forms import may_have_marks, spelling, unaccented, unifier
from toysearch.errors import ArgumentError

TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's: two word characters or more
EVERY_WORD = (
    r"(?u)\w+|[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
"""Words of one character too, flags, and each emoji by itself."""

_SYMBOLS = EVERY_WORD.partition("|")[2]


@dataclass(frozen=True)
class Tokenizer:
    r"""Splits a text into its tokens.

    >>> Tokenizer(fold_accents=True)("Été à Genève")
    ['ete', 'geneve']
    """

    # a regular expression: its matches are the tokens; with one group, what the group matched
    pattern: str = TOKEN_PATTERN
    # lowercase, html, fold_accents, cjk, marks: what `Analyzer` says of them
    lowercase: bool = True
    html: bool = False
    fold_accents: bool = False
    cjk: bool = False
    marks: bool = False
    letters: tuple[tuple[str, str], ...] = ()  # what single characters are replaced by, where marks belong to words
    compiled: re.Pattern[str] = field(init=False, compare=False, repr=False)
    _findall: Callable[[str], list[str]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("lowercase", "html", "fold_accents", "cjk", "marks"):
            if not isinstance(value := getattr(self, name), bool):
                raise ArgumentError(f"{name} is True or False, not {value!r}")
        if not all(isinstance(old, str) and isinstance(new, str) and len(old) == 1 for old, new in self.letters):
            raise ArgumentError("letters are single characters, each with the text that takes its place")
        compiled = _compiled(self.pattern)
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "_findall", compiled.findall)

    def __call__(self, text: str) -> list[str]:
        """The tokens of a text, in its order."""
        return self.split(self.prepared(self.visible(text)))

    def visible(self, text: str) -> str:
        """A text without its HTML, if that is to be taken out."""
        if not self.html:
            return text
        from toysearch.analysis.html_and_accents import (
            without_html,  # its expressions take milliseconds that few have a use for
        )

        return without_html(text)

    def prepared(self, text: str) -> str:
        """A text or a word of a list as it is compared: lower-cased, in one spelling, its accents folded."""
        if self.lowercase:
            text = text.lower()
        if text.isascii():
            return text
        return self._folded(self._unified(text))

    def _unified(self, text: str) -> str:
        """The text in one spelling, where marks belong to words."""
        if not self.marks:
            return text
        return unifier(self.letters)(text)

    def _folded(self, text: str) -> str:
        """The text without accents, if these are to be folded."""
        if not self.fold_accents:
            return text
        if self.marks:
            return unaccented(text)
        from toysearch.analysis.html_and_accents import folded

        return folded(text)

    def split(self, text: str) -> list[str]:
        """The tokens of a text that is prepared already."""
        if text.isascii():
            return self._findall(text)
        pattern = self._beyond_ascii(self.pattern, text)
        if self.cjk:
            return [text[start:end] for start, end in self._pairs(text, pattern, pattern.groups)]
        return pattern.findall(text)

    def words(self, text: str) -> list[str]:
        """What a text that is prepared has for words: its tokens, and what is too short for one."""
        if self.pattern != TOKEN_PATTERN:
            return self.split(text)
        pattern = self._beyond_ascii(EVERY_WORD, text)
        places = self._pairs(text, pattern, 0) if self.cjk else (match.span() for match in pattern.finditer(text))
        return [text[start:end] for start, end in places]

    def _beyond_ascii(self, pattern: str, text: str) -> re.Pattern[str]:
        """What finds words in a text: the pattern, with marks as a part of the words where they are one."""
        if not (self.marks and may_have_marks(text)):
            return self.compiled if pattern == self.pattern else _compiled(pattern)
        return with_marks(pattern)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the tokens stand in a text as it was written: (start, end), of the whole match of the pattern."""
        marked = self.marks and may_have_marks(text)
        pattern = with_marks(self.pattern, unseen=True) if marked else self.compiled
        if self.cjk:
            return self._pairs(text, pattern, 0)
        return (match.span() for match in pattern.finditer(text))

    def _pairs(self, text: str, pattern: re.Pattern[str], group: int) -> Iterator[tuple[int, int]]:
        from toysearch.analysis.cjk import token_places

        return token_places(text, pattern, group)

    def stages(self, text: str) -> list[tuple[str, str]]:
        """What the text is after each of the stages that change it as a whole, by the stage's name."""
        stages = []
        if self.html:
            text = self.visible(text)
            stages.append(("HTML taken out", text))
        lowered = text.lower() if self.lowercase else text
        unified = self._unified(lowered)
        if unified != lowered:
            stages.append(("one spelling", unified))
        if self.fold_accents:
            stages.append(("accents folded", self._folded(unified)))
        return stages

    def word(self, word: str) -> str:
        """A word of a list as the token that it is compared with."""
        if not isinstance(word, str):
            raise ArgumentError(f"expected a word, found {word!r}")
        prepared = self.prepared(word)
        tokens = self.split(prepared)
        if (self.compiled.groups or tokens in ([prepared], [])) and prepared.split() == [prepared]:
            return prepared
        parts = f"the analyzer makes {', '.join(map(repr, tokens))} of it" if tokens else "no token is in it"
        raise ArgumentError(f"expected a single token, found {word!r}: {parts}")


@cache
def with_marks(pattern: str, unseen: bool = False) -> re.Pattern[str]:
    """A pattern of words as it is where marks, and maybe characters that are not seen, belong to the word before them.

    A pattern of the user's own stays as it is: it says itself what a word is.
    """
    more = spelling().marks + (spelling().unseen if unseen else "")
    words = {TOKEN_PATTERN: rf"\w[\w{more}]+", EVERY_WORD: rf"\w[\w{more}]*|{_SYMBOLS}"}
    return re.compile(words.get(pattern, pattern))


def _compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression of a pattern, refused if it is none or has more than one group."""
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"the token pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups > 1:
        raise ArgumentError(
            f"the token pattern {pattern!r} has {compiled.groups} capturing groups, and which of them is the "
            "token is not clear; keep one, and write the others as (?:…)"
        )
    return compiled
