"""Analyzers as texts, such as ``english:stem=porter``; and variants of one, by such choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any

from toysearch.analysis.languages import CJK, UNSTEMMED, StopWords, stop_words
from toysearch.analysis.tokenizer import WORD2
from toysearch.base import ArgumentError, parse_spec, unknown

if TYPE_CHECKING:
    from pathlib import Path

    from toysearch.analysis.analyzer import Analyzer


def analyzer_spec(values: Mapping[str, Any], changed_values: Collection[str]) -> str:
    """Write an analyzer as text, ``english:stop=sklearn,stem=english``: its differences from plain analysis.

    changed_values : names that include those of limits that are not the default
    """
    language = values["language"]
    usual = {
        "lowercase": True,
        "html": False,
        "fold_accents": False,
        "cjk": language in CJK,
        "marks": language != "none",
    }
    changed = {name: values[name] for name, default in usual.items() if values[name] != default}
    parts = [name for name, on in changed.items() if on] + [f"{name}=no" for name, on in changed.items() if not on]
    stop, (tokens, stem) = values["stop_name"], (spelt(values[name]) for name in ("tokens", "stem"))
    stems = language not in ("none", *CJK, *UNSTEMMED)
    without_stem = "none" if stems else ""
    without_words = without_stem
    if values["stop"]:
        without_words = _own(values["stop"]) if stop == "own" else stop
    limits = [name for name in ("numbers", "min_length", "max_length") if name in changed_values]
    settings = {  # name → value as text, "" for the default; custom lists show their number of words
        "tokens": "" if tokens == WORD2 else tokens,
        "synonyms": _own(values["synonyms"]),
        "protected": _own(values["protected"]),
        **{name: str(values[name]) for name in limits},
        "stop": without_words,
        "stem": stem or without_stem,
        "ngrams": _range(values["ngrams"]),
        "char_ngrams": _range(values["char_ngrams"]),
    }
    parts += [f"{name}={value}" for name, value in settings.items() if value]
    name = "plain" if language == "none" else language
    return f"{name}:{','.join(parts)}" if parts else name


def spelt(value: Any) -> Any:
    """Return a function by its name, any other value as it is."""
    if not callable(value):
        return value
    from toysearch.analysis.token_function import name_of

    return name_of(value)


def _own(words: Sized) -> str:
    return f"<{len(words)}>" if words else ""


def _range(lengths: Iterable[int] | None) -> str:
    return "-".join(map(str, dict.fromkeys(lengths or [])))


_COMMA = "\0"
_IN_PATTERN = r",(?!\s*[A-Za-z_][\w-]*\s*(?:[=,]|\Z))"
"""Comma in a regular expression, such as that of {1,2}: no option follows it."""
_SWITCHED_ON = r",\s*([A-Za-z_][\w-]*)\s*(?=,|\Z)"
"""Option behind others that is only named: ngrams=2,html."""


def parsed(text: str) -> tuple[str, dict[str, Any]]:
    """Parse the text form of an analyzer into the language and the options."""
    before, named, behind = re.sub(_SWITCHED_ON, r",\1=yes", text).partition("tokens=")
    spec = parse_spec(before + named + re.sub(_IN_PATTERN, _COMMA, behind))
    settings = dict.fromkeys(spec.values, "yes") | spec.parameters
    options = {}
    for written, masked in settings.items():
        value = masked.replace(_COMMA, ",")
        name = written.replace("-", "_")
        if name not in _OPTIONS:
            raise unknown("analyzer option", written, _OPTIONS)
        options[name] = _OPTIONS[name](name, value)
    return spec.name, options


def _switch(name: str, value: str) -> bool:
    if value not in ("yes", "no"):
        raise ArgumentError(f"an analyzer's {name} is yes or no, not '{value}'")
    return value == "yes"


def _number(name: str, value: str) -> int:
    if not value.isdecimal():
        raise ArgumentError(f"an analyzer's {name} is a whole number, not '{value}'")
    return int(value)


def _lengths(name: str, value: str) -> tuple[int, int]:
    first, dash, last = value.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise ArgumentError(f"an analyzer's {name} is a length or a range of lengths such as 1-2, not '{value}'")
    return int(first), int(last or first)


def _text(name: str, value: Any) -> Any:
    if not callable(value) and value.startswith("<"):
        raise ArgumentError(f"an analyzer's {name}={value} stands for words that have no name; give a file with them")
    return value


def _words(name: str, value: str) -> Path | list[str]:
    from pathlib import Path  # few descriptions protect words

    words = [word for word in _text(name, value).split("+") if word]
    return Path(value) if Path(value).exists() or not (len(words) > 1 or value.isalnum()) else words


_OPTIONS: dict[str, Callable[[str, str], Any]] = {
    "tokens": lambda _, value: value,
    "stop": _text,
    "stem": _text,
    "html": _switch,
    "fold_accents": _switch,
    "cjk": _switch,
    "marks": _switch,
    "synonyms": _text,
    "protected": _words,
    "numbers": _text,
    "min_length": _number,
    "max_length": _number,
    "ngrams": _lengths,
    "char_ngrams": _lengths,
}
"""Options of the text form, and the reader of each value."""


def variant(analyzer: Analyzer, choices: Mapping[str, Any]) -> Analyzer:
    """Return an analyzer with the given choices changed, also the mapping of synonyms, and all others kept."""
    values = analyzer._values()
    language = values.pop("language")
    values["stop"] = StopWords(values.pop("stop_name"), analyzer.stop)
    del values["tokens_sha256"], values["stem_sha256"]
    if "language" in choices:
        other = type(analyzer).for_language(choices["language"])
        language = other.language
        values |= {"stop": StopWords(other.stop_name, other.stop), "stem": other.stem, "cjk": other.cjk}
        values |= {"marks": other.marks, "letters": dict(other.letters)}
    for name, value in choices.items():
        if name == "stop":
            values[name] = stop_words(value, language)
        elif name == "synonyms":
            values[name] = value
        elif name != "language":
            values[name] = CHOICES[name](name, value)
    changed = type(analyzer)(**values)
    object.__setattr__(changed, "language", language)
    return changed


def choice_of(analyzer: Analyzer, name: str) -> str:
    """Return the value of a choice in an analyzer, as the command line spells it."""
    value = analyzer.stop_name if name == "stop" else getattr(analyzer, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _range(value) if isinstance(value, tuple) else str(value or "none")


def _or_none(read: Callable[[str, str], Any]) -> Callable[[str, str], Any]:
    return lambda name, value: None if value == "none" else read(name, value)


CHOICES: Mapping[str, Callable[[str, str], Any]] = {
    "language": _text,
    **{name: read for name, read in _OPTIONS.items() if name not in ("marks", "synonyms", "protected")},
    **{name: _or_none(_OPTIONS[name]) for name in ("max_length", "ngrams", "char_ngrams")},
}
"""Choices of an analyzer that a short string can make, and the reader of each."""
