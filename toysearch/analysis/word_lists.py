"""Lists of words of the user's: files with a word a line, and the words that are kept as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from toysearch.errors import ArgumentError, malformed
from toysearch.formats.text_files import numbered_lines

_COMMENT = re.compile(r"(?:^|\s)#.*")


def uncommented(line: str) -> str:
    """A line of a list without its comment and the blanks around; empty if it holds nothing else."""
    return _COMMENT.sub("", line).strip()


def words_of(path: str | Path) -> Iterator[tuple[int, str]]:
    """The words of a file with one word a line, with the numbers of their lines."""
    for number, line in numbered_lines(path):
        found = uncommented(line).split()
        if len(found) > 1:
            raise malformed(path, number, f"expected one word a line, found {len(found)}: '{line.strip()}'")
        yield from ((number, word) for word in found)


def protected_words(source: str | Path | Iterable[str] | None, token: Callable[[str], str]) -> frozenset[str]:
    """The words that are to be kept as they are, each as the token that it is."""
    if source is not None and not isinstance(source, Iterable | Path):
        raise ArgumentError(f"protected words are a file, or the words, not {source!r}")
    if not isinstance(source, str | Path):
        return frozenset(map(token, source or ()))
    words = set()
    for number, word in words_of(source):
        try:
            words.add(token(word))
        except ArgumentError as error:
            raise malformed(source, number, str(error)) from None
    return frozenset(words)
