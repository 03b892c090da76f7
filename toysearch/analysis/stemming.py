"""Snowball stemmers (PyStemmer), and the languages they are for."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from toysearch.errors import unknown

_CODES = {  # ISO 639-1; the first name of a code is what the code stands for
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "czech": "cs", "danish": "da", "dutch": "nl",
    "dutch_porter": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it",
    "lithuanian": "lt", "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl", "porter": "en",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "sesotho": "st", "spanish": "es",
    "swedish": "sv", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}  # fmt: skip
CJK = {"chinese": "zh", "cjk": "", "japanese": "ja", "korean": "ko"}
"""The languages whose tokens are pairs of characters, which need no stemmer, and their ISO 639-1 codes."""
_NAMES = {code: name for name, code in reversed([*_CODES.items(), *CJK.items()]) if code}


@cache
def languages() -> tuple[str, ...]:
    """The names of all stemmers, sorted: the languages that an analyzer knows besides `CJK`.

    Examples
    --------
    >>> languages()[:3]
    ('arabic', 'armenian', 'basque')
    """
    import Stemmer

    return tuple(sorted(Stemmer.algorithms()))


def language_named(name: str) -> str:
    """The language of a name or an ISO 639-1 code; ``none`` for ``none`` and ``plain``.

    Besides the languages that have a stemmer there are those that are split into pairs of characters.

    Parameters
    ----------
    name : str
        In upper or lower case.

    Raises
    ------
    ArgumentError
        If it is none of these.

    Examples
    --------
    >>> language_named("de"), language_named("English"), language_named("plain")
    ('german', 'english', 'none')
    """
    known = str(name).strip().lower()
    if known in ("none", "plain"):
        return "none"
    known = _NAMES.get(known, known)
    if known not in (known_languages := sorted([*languages(), *CJK])):
        raise unknown("language", str(name), ["none", *known_languages])
    return known


def language_code(language: str) -> str:
    """The ISO 639-1 code of a language, "" where none is known (a stemmer that came with a later PyStemmer).

    Examples
    --------
    >>> language_code("german")
    'de'
    """
    return (_CODES | CJK).get(language, "")


def stemmer_named(name: str | None) -> str | None:
    """The stemmer of a name (or an ISO 639-1 code), None for None and ``none``.

    Raises
    ------
    ArgumentError
        If PyStemmer has no stemmer of that name.
    """
    known = "none" if name is None else str(name).strip().lower()
    if known == "none":
        return None
    known = _NAMES.get(known, known)
    if known not in languages():
        raise unknown("stemmer", str(name), ["none", *languages()])
    return known


class _Stemmers(threading.local):
    """One stemmer of a name for each thread: a PyStemmer object must not be used by two at once."""

    def __init__(self) -> None:
        self.by_name: dict[str, Any] = {}


_STEMMERS = _Stemmers()


def stem(word: str, name: str) -> str:
    """The stem of a word.

    Parameters
    ----------
    word : str
        In lower case: Snowball's algorithms know no other.
    name : str
        The stemmer, one of `languages()`.

    References
    ----------
    M. F. Porter, Snowball: a language for stemming algorithms, 2001; ``english`` is his Porter2.

    Examples
    --------
    >>> stem("flying", "english"), stem("flies", "english")
    ('fli', 'fli')
    """
    stemmer = _STEMMERS.by_name.get(name)
    if stemmer is None:
        import Stemmer

        # No cache of its own: an analyzer is asked for each distinct word once, and is twice as fast without.
        stemmer = _STEMMERS.by_name[name] = Stemmer.Stemmer(name, 0)
    try:
        stemmed: str = stemmer.stemWord(word)
    except UnicodeEncodeError:  # a lone surrogate, which only a pattern such as \S+ lets through
        return word
    return stemmed
