"""An analyzer with some of its choices made otherwise: other stop words, another stemmer, numbers left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.stopwords import StopWords, stop_words
from toysearch.analysis.tokenizer import EVERY_WORD
from toysearch.errors import ArgumentError

_YES_OR_NO = {"yes": True, "no": False}
_LENGTHS = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)


def variant(analyzer: Analyzer, choices: Mapping[str, str]) -> Analyzer:
    """The analyzer that differs from another in the choices given, and in nothing else."""
    language = analyzer.language
    values: dict[str, Any] = {
        "lowercase": analyzer.lowercase,
        "pattern": analyzer.pattern,
        "stop": StopWords(analyzer.stop_name, analyzer.stop),
        "stem": analyzer.stem,
        "synonyms": dict(analyzer.synonyms),
        "protected": analyzer.protected,
        "marks": analyzer.marks,
        "letters": dict(analyzer.letters),
    }
    values |= {name: getattr(analyzer, name) for name in CHOICES if name not in ("language", "stop", "stem")}
    if chosen(analyzer, "min_length") == "none":
        values["min_length"] = None
    if "language" in choices:
        other = Analyzer.for_language(choices["language"])
        language = other.language
        values |= {"stop": StopWords(other.stop_name, other.stop), "stem": other.stem, "cjk": other.cjk}
        values |= {"marks": other.marks, "letters": dict(other.letters)}
    for name, value in choices.items():
        if name == "stop":
            values[name] = stop_words(value, language)
        elif name != "language":
            values[name] = CHOICES[name](name, value)
    made = Analyzer(**values)
    object.__setattr__(made, "language", language)
    return made


def chosen(analyzer: Analyzer, name: str) -> str:
    """What an analyzer has for a choice, as the command line spells it."""
    if name == "min_length" and analyzer.min_length == 1 and analyzer.pattern != EVERY_WORD:
        return "none"
    value = analyzer.stop_name if name == "stop" else getattr(analyzer, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-".join(map(str, dict.fromkeys(value))) if isinstance(value, tuple) else str(value or "none")


def _text(_: str, value: str) -> str:
    return value


def _yes_or_no(name: str, value: str) -> bool:
    if value not in _YES_OR_NO:
        raise ArgumentError(f"{name} is yes or no, not '{value}'")
    return _YES_OR_NO[value]


def _whole(name: str, value: str) -> int:
    if not value.isascii() or not value.isdigit() or not int(value):
        raise ArgumentError(f"{name} is a whole number of at least 1, not '{value}'")
    return int(value)


def _whole_or_none(name: str, value: str) -> int | None:
    return None if value == "none" else _whole(name, value)


def _lengths(name: str, value: str) -> tuple[int, int] | None:
    if value == "none":
        return None
    match = _LENGTHS.fullmatch(value)
    if match is None:
        raise ArgumentError(f"{name} is a length or a range of lengths such as 1-2, or none, not '{value}'")
    return int(match[1]), int(match[2] or match[1])


CHOICES: Mapping[str, Callable[[str, str], Any]] = {
    "language": _text,
    "stop": _text,
    "stem": _text,
    "html": _yes_or_no,
    "fold_accents": _yes_or_no,
    "cjk": _yes_or_no,
    "numbers": _text,
    "min_length": _whole_or_none,
    "max_length": _whole_or_none,
    "ngrams": _lengths,
    "char_ngrams": _lengths,
}
"""What of an analyzer can be chosen by a short text, and how that is read."""
