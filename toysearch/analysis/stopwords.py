"""Stop words, and words in files or lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toysearch.analysis.languages import CJK, STEMMED, UNSTEMMED, known_as, language_code
from toysearch.errors import ArgumentError, malformed, note, unknown
from toysearch.formats.text_files import numbered_lines

_COMMENT = re.compile(r"(?:^|\s)#.*")


def uncommented(line: str) -> str:
    """A line of a list without its comment and surrounding blanks."""
    return _COMMENT.sub("", line).strip()


def words_of(path: str | Path) -> Iterator[tuple[int, str]]:
    """The words of a file with one word per line, with their line numbers."""
    for number, line in numbered_lines(path):
        found = uncommented(line).split()
        if len(found) > 1:
            raise malformed(path, number, f"expected one word per line, found {len(found)}: '{line.strip()}'")
        yield from ((number, word) for word in found)


def protected_words(source: str | Path | Iterable[str] | None, token: Callable[[str], str]) -> frozenset[str]:
    """The protected words, as tokens."""
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


LISTS = ("none", "sklearn", "snowball", "iso")

_FILE = Path(__file__).with_name("stop_words.toml")


class StopWords(NamedTuple):
    """The stop words, and the name to show for them: ``own`` or one of `LISTS`."""

    name: str
    words: frozenset[str]


def stop_words(source: StopWords | str | Path | Iterable[str] | None, language: str = "none") -> StopWords:
    """The stop words from the name of a list, a file or an iterable."""
    if isinstance(source, StopWords):
        return source
    if source is None or source == "none":
        return StopWords("none", frozenset())
    if source == "sklearn":
        return StopWords("sklearn", _shipped("sklearn")["english"])
    if source in ("snowball", "iso"):
        return StopWords(str(source), _of_language(str(source), language))
    if isinstance(source, str | Path):
        return StopWords("own", _read(source))
    if not isinstance(source, Iterable):
        raise ArgumentError(f"stop words are the name of a list, a file, or the words, not {source!r}")
    words = frozenset(source)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise ArgumentError(f"stop words must be strings, not {type(strange[0]).__name__}: {strange[0]!r}")
    return StopWords("own" if words else "none", words)


def default_list(language: str) -> str:
    """The name of the default list of a language; a note if there is none."""
    # English has the scikit-learn list: docs/understand/analysis.md compares it with the much longer list of
    # stopwords-iso, which includes words that carry meaning (information, computer, research). Other languages have the
    # Snowball list if there is one, for the same reason, else that of stopwords-iso. Chinese, Japanese and Korean have
    # none: a pair of characters may equal a word of the list without being that word in the text.
    if language == "none" or language in CJK:
        return "none"
    if language_code(language) == "en":
        return "sklearn"
    if _words("snowball", language):
        return "snowball"
    if _words("iso", language):
        return "iso"
    note(f"no list of stop words is known for {language}: its words are stemmed and none is left out")
    return "none"


@cache
def _shipped(name: str) -> dict[str, frozenset[str]]:
    """The lists of words that are part of toysearch, by language."""
    import tomllib  # not needed for reading an index

    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))[name]
    return {language: frozenset(words.split()) for language, words in lists.items()}


def _words(name: str, language: str) -> frozenset[str]:
    """The words of a list for a language, empty if there is no such list."""
    if name == "snowball":
        same = {"porter": "english", "dutch_porter": "dutch"}.get(language, language)
        return _shipped(name).get(same, frozenset())
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(language_code(language)))


def _of_language(name: str, language: str) -> frozenset[str]:
    if language == "none":
        raise ArgumentError(f"the stop words '{name}' are one list per language; name the language too")
    words = _words(name, language)
    if not words:
        raise ArgumentError(f"the stop words '{name}' have no list for {language}; give your own file, or none")
    return words


def _read(path: str | Path) -> frozenset[str]:
    """The words of a file with one word per line."""
    if isinstance(path, str) and path != "-" and not Path(path).exists():
        if known_as(path.lower()) in {*STEMMED, *UNSTEMMED}:
            raise ArgumentError(
                f"'{path}' is a language, not a list of stop words: --analyzer {path} uses its list; "
                f"the lists are {', '.join(LISTS)}"
            )
        raise unknown("stop word list or file", path, LISTS, plural="stop word lists")
    return frozenset(word for _, word in words_of(path))
