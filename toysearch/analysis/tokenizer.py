"""Text → tokens: what happens to a text as a whole, before its tokens are looked at one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from toysearch.errors import ArgumentError

TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's: two word characters or more


@dataclass(frozen=True)
class Tokenizer:
    r"""Splits a text into its tokens.

    Parameters
    ----------
    pattern : str
        A regular expression: its matches are the tokens; with one group, what the group matched.
    lowercase, html, fold_accents, cjk : bool
        What `Analyzer` says of them.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression or has several groups, or another value is not True or False.

    Examples
    --------
    >>> Tokenizer(fold_accents=True)("Été à Genève")
    ['ete', 'geneve']
    """

    pattern: str = TOKEN_PATTERN
    lowercase: bool = True
    html: bool = False
    fold_accents: bool = False
    cjk: bool = False
    compiled: re.Pattern[str] = field(init=False, compare=False, repr=False)
    _findall: Callable[[str], list[str]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("lowercase", "html", "fold_accents", "cjk"):
            if not isinstance(value := getattr(self, name), bool):
                raise ArgumentError(f"{name} is True or False, not {value!r}")
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
        from toysearch.analysis.text import without_html  # its expressions take milliseconds that few have a use for

        return without_html(text)

    def prepared(self, text: str) -> str:
        """A text or a word of a list as it is compared: lower-cased, its accents folded."""
        if self.lowercase:
            text = text.lower()
        if not self.fold_accents:
            return text
        from toysearch.analysis.text import folded

        return folded(text)

    def split(self, text: str) -> list[str]:
        """The tokens of a text that is prepared already."""
        if self.cjk and not text.isascii():
            return [text[start:end] for start, end in self._pairs(text, self.compiled.groups)]
        return self._findall(text)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the tokens stand in a text as it was written: (start, end), of the whole match of the pattern."""
        if self.cjk:
            return self._pairs(text, 0)
        return (match.span() for match in self.compiled.finditer(text))

    def _pairs(self, text: str, group: int) -> Iterator[tuple[int, int]]:
        from toysearch.analysis.cjk import token_places

        return token_places(text, self.compiled, group)

    def stages(self, text: str) -> list[tuple[str, str]]:
        """What the text is after each of the stages that change it as a whole, by the stage's name."""
        stages = []
        if self.html:
            text = self.visible(text)
            stages.append(("HTML taken out", text))
        if self.fold_accents:
            text = self.prepared(text)
            stages.append(("accents folded", text))
        return stages

    def word(self, word: str) -> str:
        """A word of a list as the token that it is compared with.

        Raises
        ------
        ArgumentError
            If it is no text or can never be a token: it holds a blank, or is taken apart. (Of a pattern with a
            group nothing can be said: what stands around the group is no part of the token.)
        """
        if not isinstance(word, str):
            raise ArgumentError(f"expected a word, found {word!r}")
        prepared = self.prepared(word)
        tokens = self.split(prepared)
        if (self.compiled.groups or tokens in ([prepared], [])) and prepared.split() == [prepared]:
            return prepared
        parts = f"the analyzer makes {', '.join(map(repr, tokens))} of it" if tokens else "no token is in it"
        raise ArgumentError(f"expected a single token, found {word!r}: {parts}")


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
