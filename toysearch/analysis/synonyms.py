"""Synonyms: replacements of tokens, from a file or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from toysearch.analysis.stopwords import uncommented
from toysearch.errors import ArgumentError, malformed
from toysearch.formats.text_files import numbered_lines

_ARROW = "=>"


def synonyms_of(source: str | Path | Mapping[str, str] | None, token: Callable[[str], str]) -> dict[str, str]:
    """Token → its replacement, sorted."""
    # A line of a file is either a list of synonyms, separated by commas, which all become the first; or one or more
    # words, `=>`, and their replacement. `#` starts a comment. A replacement cannot itself be replaced, so that there
    # are no chains or cycles.
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
    """The replaced words of a line, each with its replacement."""
    if not line:
        return
    left, arrow, right = line.partition(_ARROW)
    words = [word.strip() for word in left.split(",")]
    replacement = right.strip() if arrow else words.pop(0)
    if not words or not all([*words, replacement]) or "," in replacement or _ARROW in right:
        raise ArgumentError(
            "expected words separated by commas, which are replaced by the first ('budgie, parakeet'), or "
            f"'colour => color'; found '{line}'"
        )
    yield from ((word, replacement) for word in words)


class _Synonyms:
    """The replacements so far, with the places where each word was first replaced and first used as a replacement."""

    def __init__(self) -> None:
        self.replacements: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._used: dict[str, str] = {}

    def add(self, word: str, replacement: str, where: str) -> None:
        """Add a replacement, refused if it contradicts the earlier ones."""
        if word == replacement:
            raise ArgumentError(f"'{word}' would replace itself; leave one out")
        if word in self._replaced:
            raise ArgumentError(f"'{word}' is already replaced {self._replaced[word]}; a word has one replacement")
        if word in self._used:
            raise ArgumentError(
                f"'{word}' would become '{replacement}', but replaces another word {self._used[word]}; "
                "a word that replaces others cannot be replaced"
            )
        if replacement in self._replaced:
            end = self.replacements[replacement]
            raise ArgumentError(
                f"'{word}' would become '{replacement}', which is already replaced {self._replaced[replacement]}; "
                f"write '{word} {_ARROW} {end}'"
            )
        self.replacements[word] = replacement
        self._replaced[word] = where
        self._used.setdefault(replacement, where)
