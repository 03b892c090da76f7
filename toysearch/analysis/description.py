"""An analyzer as JSON can hold it, for the manifest of an index, and as people read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toysearch.analysis.tokenizer import EVERY_WORD, TOKEN_PATTERN
from toysearch.errors import DataError

ALWAYS: dict[str, Any] = {
    "language": str,
    "lowercase": bool,
    "pattern": str,
    "stop_name": str,
    "stop": list,
    "stem": str | None,
}
"""What every description names, in this order, and the type of its value."""

SOMETIMES: dict[str, tuple[Any, Any]] = {
    "html": (bool, False),
    "fold_accents": (bool, False),
    "cjk": (bool, False),
    "marks": (bool, False),
    "letters": (dict, {}),
    "synonyms": (dict, {}),
    "protected": (list, []),
    "numbers": (str, "keep"),
    "min_length": (int, 1),
    "max_length": (int | None, None),
    "ngrams": (list | None, None),
    "char_ngrams": (list | None, None),
}
"""What a description names only where it differs from the default: the type of its value, and the default."""

_TEXTS = {"stop": "stop words", "protected": "protected words", "synonyms": "synonyms", "letters": "letters"}


_PATTERNS = {TOKEN_PATTERN: "", EVERY_WORD: "lengths from 1"}


def described(values: Mapping[str, Any]) -> dict[str, Any]:
    """A description with these values: those that are always named, and of the others what is not the default."""
    others = {name: values[name] for name, (_, default) in SOMETIMES.items() if values[name] != default}
    return {name: values[name] for name in ALWAYS} | others


def checked(description: Mapping[str, Any]) -> dict[str, Any]:
    """All the values that a description stands for, of the right types."""
    if not set(ALWAYS) <= set(description) <= {*ALWAYS, *SOMETIMES}:
        raise DataError(
            f"an analyzer is described by {', '.join(ALWAYS)}, and {', '.join(SOMETIMES)} where they are not the "
            f"default; found {', '.join(description) or 'nothing'}"
        )
    types = ALWAYS | {name: kind for name, (kind, _) in SOMETIMES.items()}
    for name, value in description.items():
        if not isinstance(value, types[name]) or (isinstance(value, bool) and types[name] is not bool):
            raise DataError(f"an analyzer's {name} cannot be {value!r}")
    for name, words in _TEXTS.items():
        held = description.get(name, ())
        texts = [*held, *held.values()] if isinstance(held, dict) else held
        if not all(isinstance(word, str) for word in texts):
            raise DataError(f"an analyzer's {words} must all be texts")
    return {name: default for name, (_, default) in SOMETIMES.items()} | dict(description)


def shown(values: Mapping[str, Any]) -> str:
    """The name of an analyzer: its language, and in parentheses what is not the default, in the order of the steps."""
    name = "plain" if values["language"] == "none" else values["language"]
    details = ", ".join(filter(None, _details(values)))
    return f"{name} ({details})" if details else name


def _details(values: Mapping[str, Any]) -> list[str]:
    """A few words for each value; an empty text where it is the default."""
    numbers = {"keep": "", "drop": "numbers left out", "mark": "numbers marked"}[values["numbers"]]
    lengths = [f"from {values['min_length']}"] if values["min_length"] > 1 else []
    lengths += [f"to {values['max_length']}"] if values["max_length"] else []
    stop = f"{len(values['stop'])} own" if values["stop_name"] == "own" else values["stop_name"]
    named = values["language"] != "none"
    return [
        "HTML taken out" if values["html"] else "",
        "" if values["lowercase"] else "upper and lower case kept",
        "accents folded" if values["fold_accents"] else "",
        "pairs of CJK characters" if values["cjk"] else "",
        _PATTERNS.get(values["pattern"], f"pattern: {values['pattern']}"),
        "" if values["marks"] == named else "marks belong to words" if values["marks"] else "marks end words",
        f"synonyms: {len(values['synonyms'])}" if values["synonyms"] else "",
        f"protected: {len(values['protected'])}" if values["protected"] else "",
        numbers,
        f"lengths {' '.join(lengths)}" if lengths else "",
        f"stop words: {stop}" if values["stop"] else "",
        f"stemmer: {values['stem']}" if values["stem"] else "",
        f"n-grams: {_range(values['ngrams'])}" if values["ngrams"] else "",
        f"character n-grams: {_range(values['char_ngrams'])}" if values["char_ngrams"] else "",
    ]


def _range(lengths: list[int]) -> str:
    return "-".join(map(str, dict.fromkeys(lengths)))
