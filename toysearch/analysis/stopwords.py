"""Stop words: which lists there are, and how one is read from a file."""

from __future__ import annotations

import importlib.util
import runpy
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toysearch.analysis.stemming import CJK, language_code
from toysearch.analysis.wordlists import words_of
from toysearch.errors import ArgumentError, note, unknown

LISTS = ("none", "sklearn", "iso")


class StopWords(NamedTuple):
    """Words that are left out, and the name to show for them: ``none``, ``sklearn``, ``iso`` or ``own``."""

    name: str
    words: frozenset[str]


def stop_words(source: StopWords | str | Path | Iterable[str] | None, language: str = "none") -> StopWords:
    """The stop words that a name, a file or an iterable stands for.

    Parameters
    ----------
    source : StopWords, str, Path, iterable of str or None
        None and ``none``: no words. ``sklearn``: scikit-learn's 318 English words. ``iso``: the list
        that stopwords-iso has for the language. Any other text and a path: a file with one word a line,
        in which ``#`` starts a comment. Otherwise the words themselves.
    language : str
        For ``iso``: the language, as PyStemmer spells it.

    Raises
    ------
    ArgumentError
        If there is no such list or file, or ``iso`` has no list for the language.
    DataError
        If a line of the file holds more than one word.

    Examples
    --------
    >>> len(stop_words("sklearn").words)
    318
    >>> stop_words(["the", "of"]).name
    'own'
    """
    if isinstance(source, StopWords):
        return source
    if source is None or source == "none":
        return StopWords("none", frozenset())
    if source == "sklearn":
        return StopWords("sklearn", _sklearn_words())
    if source == "iso":
        return StopWords("iso", _iso_words(language))
    if isinstance(source, str | Path):
        return StopWords("own", _read(source))
    if not isinstance(source, Iterable):
        raise ArgumentError(f"stop words are the name of a list, a file, or the words, not {source!r}")
    words = frozenset(source)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise ArgumentError(f"stop words are texts, not {type(strange[0]).__name__}: {strange[0]!r}")
    return StopWords("own" if words else "none", words)


def default_list(language: str) -> str:
    """The name of the list that a language has unless another is asked for; a note where there is none.

    English has scikit-learn's: docs/analysis.md shows what it gives beside the much longer list of
    stopwords-iso, which takes words that carry meaning (information, computer, research). Chinese, Japanese
    and Korean have none: a pair of characters may be a word of the list without being that word in the text.

    Examples
    --------
    >>> default_list("english"), default_list("german"), default_list("none")
    ('sklearn', 'iso', 'none')
    """
    if language == "none" or language in CJK:
        return "none"
    if language_code(language) == "en":
        return "sklearn"
    if _iso(language):
        return "iso"
    note(f"no list of stop words is known for {language}: its words are stemmed and none is left out")
    return "none"


@cache
def _sklearn_words() -> frozenset[str]:
    """scikit-learn's ENGLISH_STOP_WORDS, without importing scikit-learn.

    Importing the package takes most of a second and 100 MB, which a command that only needs 318 words
    must not cost; so the one file that holds the words, and nothing else, is run as a module of its own. Where
    it is not to be found (it is not part of scikit-learn's public interface), the public import serves.
    """
    package = importlib.util.find_spec("sklearn")
    try:
        folder = Path((package.submodule_search_locations or [""])[0]) if package else Path()
        module = runpy.run_path(str(folder / "feature_extraction" / "_stop_words.py"))
        return frozenset(module["ENGLISH_STOP_WORDS"])
    except (OSError, ImportError, KeyError):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)


def _iso(language: str) -> frozenset[str]:
    """The words of stopwords-iso for a language, none where it has no list."""
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(language_code(language)))


def _iso_words(language: str) -> frozenset[str]:
    if language == "none":
        raise ArgumentError("the stop words 'iso' are a list per language; name the language too")
    words = _iso(language)
    if not words:
        raise ArgumentError(f"the stop words 'iso' have no list for {language}; take a file of your own, or none")
    return words


def _read(path: str | Path) -> frozenset[str]:
    """The words of a file, one a line."""
    if isinstance(path, str) and path != "-" and not Path(path).exists():
        raise unknown("stop word list or file", path, LISTS, plural="stop word lists")
    return frozenset(word for _, word in words_of(path))
