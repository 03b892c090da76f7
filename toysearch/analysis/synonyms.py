"""Synonyms: which token is replaced by which, from a file or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from toysearch.analysis.stopwords import uncommented
from toysearch.errors import ArgumentError, malformed
from toysearch.formats.text_files import numbered_lines

_ARROW = "=>"


def synonyms_of(source: str | Path | Mapping[str, str] | None, token: Callable[[str], str]) -> dict[str, str]:
    r"""Token → the token that stands for it, sorted.

    A line of a file is either words that mean the same, separated by commas, all of which become the first of
    them; or one word or more, ``=>``, and the word that they become. ``#`` starts a comment. A word is replaced
    once: what words become cannot itself be replaced, so that there is no chain and no circle.
    """
    found = _Synonyms()
    if isinstance(source, str | Path):
        for number, line in numbered_lines(source):
            try:
                for word, replacement in _pairs(uncommented(line)):
                    found.add(token(word), token(replacement), f"on line {number}")
            except ArgumentError as error:
                raise malformed(source, number, str(error)) from None
    elif isinstance(source, Mapping):
        for word, replacement in source.items():
            found.add(token(word), token(replacement), "by the mapping")
    elif source is not None:
        raise ArgumentError(f"synonyms are a mapping of words to words, or a file, not {source!r}")
    return dict(sorted(found.replacements.items()))


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    """The words of a line that are replaced, each with its replacement."""
    if not line:
        return
    left, arrow, right = line.partition(_ARROW)
    words = [word.strip() for word in left.split(",")]
    replacement = right.strip() if arrow else words.pop(0)
    if not words or not all([*words, replacement]) or "," in replacement or _ARROW in right:
        raise ArgumentError(
            "expected words separated by commas, which all become the first ('budgie, parakeet'), or "
            f"'colour => color'; found '{line}'"
        )
    yield from ((word, replacement) for word in words)


class _Synonyms:
    """The replacements so far, and where each word was first replaced, and first replaced another."""

    def __init__(self) -> None:
        self.replacements: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._used: dict[str, str] = {}

    def add(self, word: str, replacement: str, where: str) -> None:
        """Take another replacement, refused if it does not go with those before."""
        if word == replacement:
            raise ArgumentError(f"'{word}' would replace itself; leave one out")
        if word in self._replaced:
            raise ArgumentError(f"'{word}' is replaced {self._replaced[word]} already; a word has one replacement")
        if word in self._used:
            raise ArgumentError(
                f"'{word}' would become '{replacement}', but replaces another word {self._used[word]}; "
                "no word can be replaced and replace others"
            )
        if replacement in self._replaced:
            end = self.replacements[replacement]
            raise ArgumentError(
                f"'{word}' would become '{replacement}', which is replaced {self._replaced[replacement]} already; "
                f"write '{word} {_ARROW} {end}'"
            )
        self.replacements[word] = replacement
        self._replaced[word] = where
        self._used.setdefault(replacement, where)
