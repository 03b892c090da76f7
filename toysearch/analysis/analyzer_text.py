"""An analyzer as JSON, as a string that people type, and with some choices changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.analysis.languages import CJK, UNSTEMMED, StopWords, stop_words
from toysearch.analysis.tokenizer import UNICODE, WORD2, is_function
from toysearch.base import ArgumentError, DataError, parse_spec, unknown

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer

__all__ = ["NO_TOKEN"]


ALWAYS: dict[str, Any] = {
    "language": str,
    "lowercase": bool,
    "tokens": str,
    "stop_name": str,
    "stop": list,
    "stem": str | None,
}
"""The keys of every description, in order, and the type of each value."""

SOMETIMES: dict[str, tuple[Any, Any]] = {
    "tokens_sha256": (str, ""),
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
"""The keys that a description has only if they differ from the default: the type of the value, and the default."""

_TEXTS = {"stop": "stop words", "protected": "protected words", "synonyms": "synonyms", "letters": "letters"}


def description_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """A description with these values: the permanent keys, and all other values that are not the default."""
    others = {name: values[name] for name, (_, default) in SOMETIMES.items() if values[name] != default}
    return {name: values[name] for name in ALWAYS} | others


def checked_description(description: Mapping[str, Any]) -> dict[str, Any]:
    """All values of a description, with the right types."""
    if not set(ALWAYS) <= set(description) <= {*ALWAYS, *SOMETIMES}:
        raise DataError(
            f"an analyzer is described by {', '.join(ALWAYS)}, and {', '.join(SOMETIMES)} if they are not the "
            f"default; found {', '.join(description) or 'nothing'}"
        )
    types = ALWAYS | {name: kind for name, (kind, _) in SOMETIMES.items()}
    for name, value in description.items():
        if not isinstance(value, types[name]) or (isinstance(value, bool) and types[name] is not bool):
            raise DataError(f"an analyzer's {name} cannot be {value!r}")
    for name, words in _TEXTS.items():
        entries = description.get(name, ())
        texts = [*entries, *entries.values()] if isinstance(entries, dict) else entries
        if not all(isinstance(word, str) for word in texts):
            raise DataError(f"an analyzer's {words} must be strings")
    if is_function(description["tokens"]) != bool(description.get("tokens_sha256")):
        raise DataError("an analyzer has tokens_sha256 if its tokens come from a function, and only then")
    return {name: default for name, (_, default) in SOMETIMES.items()} | dict(description)


def analyzer_spec(values: Mapping[str, Any]) -> str:
    """The text form of an analyzer, ``english:stop=sklearn,stem=english``: its differences from plain analysis."""
    language = values["language"]
    parts = [*_flags(values), *(f"{name}={value}" for name, value in _settings(values).items() if value)]
    name = "plain" if language == "none" else language
    return f"{name}:{','.join(parts)}" if parts else name


def _flags(values: Mapping[str, Any]) -> list[str]:
    """The switches that are on, and ``=no`` for those that a language would turn on."""
    has_language = values["language"] != "none"
    usual = {
        "lowercase": True,
        "html": False,
        "fold_accents": False,
        "cjk": values["language"] in CJK,
        "marks": has_language,
    }
    changed = {name: values[name] for name, default in usual.items() if values[name] != default}
    return [name for name, on in changed.items() if on] + [f"{name}=no" for name, on in changed.items() if not on]


def _settings(values: Mapping[str, Any]) -> dict[str, str]:
    """Name → value as text, "" for the default; custom lists show their number of words."""
    stop, stem = values["stop_name"], values["stem"]
    stems = values["language"] not in ("none", *CJK, *UNSTEMMED)
    length = values["min_length"]
    return {
        "tokens": values["tokens"] if values["tokens"] != WORD2 else "",
        "synonyms": _own(values["synonyms"]),
        "protected": _own(values["protected"]),
        "numbers": values["numbers"] if values["numbers"] != "keep" else "",
        "min_length": str(length) if length > 1 else "",
        "max_length": str(values["max_length"] or ""),
        "stop": (_own(values["stop"]) if stop == "own" else stop) if values["stop"] else "none" if stems else "",
        "stem": stem or ("none" if stems else ""),
        "ngrams": _range(values["ngrams"]),
        "char_ngrams": _range(values["char_ngrams"]),
    }


def _own(words: Sized) -> str:
    return f"<{len(words)}>" if words else ""


def _range(lengths: list[int] | None) -> str:
    return "-".join(map(str, dict.fromkeys(lengths or [])))


def parsed(text: str) -> tuple[str, dict[str, Any]]:
    """The language and the options in the text form of an analyzer."""
    spec = parse_spec(text)
    settings = dict.fromkeys(spec.values, "yes") | spec.parameters
    options: dict[str, Any] = {}
    for written, value in settings.items():
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


def _text(name: str, value: str) -> str:
    if value.startswith("<"):
        raise ArgumentError(f"an analyzer's {name}={value} stands for words that have no name; give a file with them")
    return value


def _tokens(_: str, value: str) -> str:
    return value


def _words(name: str, value: str) -> Path | list[str]:
    """A file, or words separated by ``+``."""
    words = [word for word in _text(name, value).split("+") if word]
    return Path(value) if Path(value).exists() or not (len(words) > 1 or value.isalnum()) else words


_OPTIONS: dict[str, Callable[[str, str], Any]] = {
    "tokens": _tokens,
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
"""The options of the text form, and the reader of each value."""


def variant(analyzer: Analyzer, choices: Mapping[str, str]) -> Analyzer:
    """An analyzer with the given choices changed, and all others kept."""
    language = analyzer.language
    values: dict[str, Any] = {
        "lowercase": analyzer.lowercase,
        "stop": StopWords(analyzer.stop_name, analyzer.stop),
        "stem": analyzer.stem,
        "synonyms": dict(analyzer.synonyms),
        "protected": analyzer.protected,
        "marks": analyzer.marks,
        "letters": dict(analyzer.letters),
    }
    values |= {name: getattr(analyzer, name) for name in CHOICES if name not in ("language", "stop", "stem")}
    if "language" in choices:
        other = type(analyzer).for_language(choices["language"])
        language = other.language
        values |= {"stop": StopWords(other.stop_name, other.stop), "stem": other.stem, "cjk": other.cjk}
        values |= {"marks": other.marks, "letters": dict(other.letters)}
    for name, value in choices.items():
        if name == "stop":
            values[name] = stop_words(value, language)
        elif name != "language":
            values[name] = CHOICES[name](name, value)
    changed = type(analyzer)(**values)
    object.__setattr__(changed, "language", language)
    return changed


def choice_of(analyzer: Analyzer, name: str) -> str:
    """The value of a choice in an analyzer, as the command line spells it."""
    value = analyzer.stop_name if name == "stop" else getattr(analyzer, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-".join(map(str, dict.fromkeys(value))) if isinstance(value, tuple) else str(value or "none")


def _or_none(read: Callable[[str, str], Any]) -> Callable[[str, str], Any]:
    """A reader that also accepts ``none``."""
    return lambda name, value: None if value == "none" else read(name, value)


CHOICES: Mapping[str, Callable[[str, str], Any]] = {
    "language": _text,
    "tokens": _tokens,
    "stop": _text,
    "stem": _text,
    "html": _switch,
    "fold_accents": _switch,
    "cjk": _switch,
    "numbers": _text,
    "min_length": _number,
    "max_length": _or_none(_number),
    "ngrams": _or_none(_lengths),
    "char_ngrams": _or_none(_lengths),
}
"""The choices of an analyzer that a short string can make, and the reader of each."""


_MOST_NAMED = 5


class LeftOutReason(NamedTuple):
    """Why a word is left out: in a table, and in a sentence that names the setting to change."""

    short: str
    sentence: str


NO_TOKEN = {
    WORD2: LeftOutReason("too short", "too short (tokens=word1 keeps single characters)"),
    UNICODE: LeftOutReason("no letter or digit", "without a letter or digit (tokens=word1 keeps emoji)"),
}
"""Tokenizer → why a word is not a token; the other tokenizers keep every word."""

_OF_STEPS = {
    "numbers": LeftOutReason("number", "left out as numbers (numbers=keep)"),
    "lengths": LeftOutReason("too short or too long", "too short or too long (min_length, max_length)"),
    "stop words": LeftOutReason("stop word", "on the list of stop words ({0.stop_name})"),
}


def reasons(text: str, analyzer: Analyzer) -> list[tuple[str, LeftOutReason]]:
    """The words that are left out, in their order, each with the reason.

    >>> from toysearch.analysis.analyzer import Analyzer
    >>> [(word, reason.short) for word, reason in reasons("The cat and R", Analyzer.for_language("english"))]
    [('the', 'stop word'), ('and', 'stop word'), ('r', 'too short')]
    """
    columns = [step for step in analyzer.steps(text) if step.name in ("words", "tokens", *_OF_STEPS)]
    left_out_words = []
    for word, *after in zip(*(step.tokens for step in columns), strict=True):
        removed = next((columns[at].name for at, token in enumerate(after, 1) if token is None), "")
        if word is not None and removed:
            left_out_words.append((word, NO_TOKEN[analyzer.tokens] if removed == "tokens" else _OF_STEPS[removed]))
    return left_out_words


def left_out(text: str, analyzer: Analyzer) -> str:
    """The words of a text that are not terms, with the reasons; "" if there are none.

    >>> from toysearch.analysis.analyzer import Analyzer
    >>> left_out("The R", Analyzer.for_language("english"))
    "'the' is on the list of stop words (sklearn); 'r' is too short (tokens=word1 keeps single characters)"
    >>> left_out("?!", Analyzer())
    ''
    """
    words: dict[LeftOutReason, list[str]] = {}
    for word, reason in reasons(text, analyzer):
        words.setdefault(reason, []).append(f"'{word}'")
    parts = []
    for reason, repeated in words.items():
        distinct = list(dict.fromkeys(repeated))
        listed = ", ".join([*distinct[:_MOST_NAMED], *(["…"] if len(distinct) > _MOST_NAMED else [])])
        parts.append(f"{listed} {'is' if len(distinct) == 1 else 'are'} {reason.sentence.format(analyzer)}")
    return "; ".join(parts)
