"""Snowball stemmers: PyStemmer, or the same algorithms in pure Python (snowballstemmer)."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from toysearch.analysis.languages import known_as
from toysearch.errors import unknown


@cache
def languages() -> tuple[str, ...]:
    """The names of all stemmers, sorted: the languages that an analyzer knows besides `CJK`."""
    try:
        import Stemmer
    except ImportError:
        import snowballstemmer

        return tuple(sorted(snowballstemmer.algorithms()))
    return tuple(sorted(Stemmer.algorithms()))


def stemmer_named(name: str | None) -> str | None:
    """The stemmer of a name (or an ISO 639-1 code), None for None and ``none``."""
    known = "none" if name is None else str(name).strip().lower()
    if known == "none":
        return None
    known = known_as(known)
    if known not in languages():
        raise unknown("stemmer", str(name), ["none", *languages()])
    return known


class _Stemmers(threading.local):
    """One stemmer per name and thread, since stemmers are not thread-safe."""

    def __init__(self) -> None:
        self.by_name: dict[str, Any] = {}


_STEMMERS = _Stemmers()


def stem(word: str, name: str) -> str:
    """The stem of a word."""
    # M. F. Porter, Snowball: a language for stemming algorithms, 2001; `english` is his Porter2.
    stemmer = _STEMMERS.by_name.get(name)
    if stemmer is None:
        stemmer = _STEMMERS.by_name[name] = _stemmer(name)
    try:
        word.encode()  # a lone surrogate, which only a pattern such as \S+ admits
    except UnicodeEncodeError:
        return word
    stemmed: str = stemmer.stemWord(word)
    return stemmed


def _stemmer(name: str) -> Any:
    try:
        import Stemmer
    except ImportError:
        import snowballstemmer

        return snowballstemmer.stemmer(name)
    # No cache: each distinct word is analysed only once, and stemming is twice as fast without one.
    return Stemmer.Stemmer(name, 0)
