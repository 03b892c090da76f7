"""Text → terms: lower-case, split into tokens, leave out stop words, stem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.analysis.stemming import language_named, stem, stemmer_named
from toysearch.analysis.stopwords import StopWords, default_list, stop_words
from toysearch.errors import ArgumentError, DataError

TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's: two word characters or more


class Step(NamedTuple):
    """A step of the analysis and what each token is after it: None once it has been left out."""

    name: str
    tokens: list[str | None]


@dataclass(frozen=True, init=False, repr=False)
class Analyzer:
    r"""Turns a text into the list of its terms; the same one serves documents and queries.

    The default does what scikit-learn's CountVectorizer does, on any Unicode text: lower-case, then every
    match of the pattern. Two analyzers are equal if they give the same terms by the same rules.

    Parameters
    ----------
    lowercase : bool
        Whether the text is lower-cased (Python's ``str.lower``) before it is split.
    pattern : str
        A regular expression: its matches are the tokens. With one capturing group, what the group
        matched is the token.
    stop : str, Path, iterable of str or None
        Tokens to leave out: ``none``, ``sklearn``, a file with one word a line, or the words themselves;
        None leaves out nothing. They are lower-cased if the text is.
    stem : str or None
        The Snowball stemmer that each remaining token goes through, as PyStemmer spells it.

    Attributes
    ----------
    stop : frozenset of str
        The stop words themselves.
    language : str
        The language it was made for (``none`` unless `for_language` made it); only a name to show.
    stop_name : str
        Where the stop words are from; only a name to show.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression or has several groups, or a name is unknown.

    Examples
    --------
    >>> Analyzer()("The cats, and a DOG")
    ['the', 'cats', 'and', 'dog']
    >>> Analyzer(stop="sklearn", stem="english")("The cats, and a DOG")
    ['cat', 'dog']
    """

    lowercase: bool
    pattern: str
    stop: frozenset[str]
    stem: str | None
    language: str = field(compare=False)
    stop_name: str = field(compare=False)
    _findall: Callable[[str], list[str]] = field(compare=False)

    def __init__(
        self,
        lowercase: bool = True,
        pattern: str = TOKEN_PATTERN,
        stop: str | Path | Iterable[str] | None = None,
        stem: str | None = None,
    ) -> None:
        self._set(lowercase, pattern, stop_words(stop), stemmer_named(stem), "none")

    def _set(self, lowercase: bool, pattern: str, stop: StopWords, stem: str | None, language: str) -> None:
        """Fill the fields, once: afterwards they are frozen."""
        words = frozenset(map(str.lower, stop.words)) if lowercase else stop.words
        values = {
            "lowercase": lowercase,
            "pattern": pattern,
            "stop": words,
            "stem": stem,
            "language": language,
            "stop_name": stop.name,
            "_findall": _compiled(pattern).findall,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def for_language(
        cls, language: str, stop: str | Path | Iterable[str] | None = None, stem: str | None = None
    ) -> Analyzer:
        """The analyzer of a language: its stop words are left out, what remains is stemmed.

        Parameters
        ----------
        language : str
            A language that PyStemmer has, by its name or its ISO 639-1 code; ``none`` or ``plain``: no
            stop words, no stemmer.
        stop : str, Path, iterable of str or None
            Other stop words (``none``, ``sklearn``, ``iso``, a file, the words); None: the language's own.
        stem : str or None
            Another stemmer, or ``none``; None: the language's own.

        Raises
        ------
        ArgumentError
            If a name is unknown.

        Examples
        --------
        >>> str(Analyzer.for_language("english"))
        'english (stop words: sklearn, stemmer: english)'
        >>> Analyzer.for_language("de", stem="none")("Die Katze und der Hund")
        ['katze', 'hund']
        """
        language = language_named(language)
        words = stop_words(default_list(language) if stop is None else stop, language)
        analyzer = cls.__new__(cls)
        analyzer._set(True, TOKEN_PATTERN, words, stemmer_named(language if stem is None else stem), language)
        return analyzer

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order, repeated as often as they occur."""
        return [term for term in map(self.term, self.tokens(text)) if term is not None]

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text before stop words and stemming."""
        return self._findall(text.lower() if self.lowercase else text)

    def term(self, token: str) -> str | None:
        """The term of a token, None for a stop word. It depends on the token alone."""
        if token in self.stop:
            return None
        return stem(token, self.stem) if self.stem else token

    def steps(self, text: str) -> list[Step]:
        """What becomes of each token of a text, step by step: one column a step, aligned.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of Step
            ``tokens``; ``stop words`` (None: left out) if there are any; ``stems`` if there is a stemmer.

        Examples
        --------
        >>> for step in Analyzer(stop=["the"], stem="english").steps("The cats"):
        ...     print(step.name, step.tokens)
        tokens ['the', 'cats']
        stop words [None, 'cats']
        stems [None, 'cat']
        """
        tokens = self.tokens(text)
        steps = [Step("tokens", list(tokens))]
        if self.stop:
            steps.append(Step("stop words", [None if token in self.stop else token for token in tokens]))
        if self.stem:
            steps.append(Step("stems", [self.term(token) for token in tokens]))
        return steps

    def to_dict(self) -> dict[str, Any]:
        """A description that JSON can hold, with the stop words themselves, sorted."""
        return {
            "language": self.language,
            "lowercase": self.lowercase,
            "pattern": self.pattern,
            "stop_name": self.stop_name,
            "stop": sorted(self.stop),
            "stem": self.stem,
        }

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Analyzer:
        """The analyzer that `to_dict` described.

        Parameters
        ----------
        description : mapping
            What `to_dict` gave, as it comes back from JSON.

        Raises
        ------
        DataError
            If the description lacks a key, has one too many, or a value of the wrong type.
        ArgumentError
            If this PyStemmer lacks the stemmer, or the pattern is no regular expression.

        Examples
        --------
        >>> Analyzer.from_dict(Analyzer().to_dict()) == Analyzer()
        True
        """
        types: dict[str, Any] = {
            "language": str,
            "lowercase": bool,
            "pattern": str,
            "stop_name": str,
            "stop": list,
            "stem": str | None,
        }
        if set(description) != set(types):
            raise DataError(
                f"an analyzer is described by {', '.join(types)}; found {', '.join(description) or 'nothing'}"
            )
        for key, kind in types.items():
            if not isinstance(description[key], kind):
                raise DataError(f"an analyzer's {key} cannot be {description[key]!r}")
        if not all(isinstance(word, str) for word in description["stop"]):
            raise DataError("an analyzer's stop words must all be texts")
        analyzer = cls.__new__(cls)
        analyzer._set(
            description["lowercase"],
            description["pattern"],
            StopWords(description["stop_name"], frozenset(description["stop"])),
            stemmer_named(description["stem"]),
            description["language"],
        )
        return analyzer

    def __str__(self) -> str:
        name = "plain" if self.language == "none" else self.language
        details = [
            "" if self.lowercase else "upper and lower case kept",
            "" if self.pattern == TOKEN_PATTERN else f"pattern: {self.pattern}",
            f"stop words: {self._stop_shown()}" if self.stop else "",
            f"stemmer: {self.stem}" if self.stem else "",
        ]
        shown = ", ".join(filter(None, details))
        return f"{name} ({shown})" if shown else name

    def _stop_shown(self) -> str:
        count = len(self.stop)
        return f"{count} own" if self.stop_name == "own" else self.stop_name

    def __repr__(self) -> str:
        return f"<Analyzer {self}>"


def _compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression of a pattern, refused if it is none or has more than one group."""
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"the token pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups > 1:
        raise ArgumentError(
            f"the token pattern {pattern!r} has {compiled.groups} capturing groups, and which of them is the "
            "token is not clear; keep one, and write the others as (?:…)"
        )
    return compiled
