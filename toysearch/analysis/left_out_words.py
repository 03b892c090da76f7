"""The words of a text from which an analyzer makes no term, and the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toysearch.analysis.tokenizer import UNICODE, WORD2

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer

__all__ = ["NO_TOKEN"]

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
    found = []
    for word, *after in zip(*(step.tokens for step in columns), strict=True):
        removed = next((columns[at].name for at, token in enumerate(after, 1) if token is None), "")
        if word is not None and removed:
            found.append((word, NO_TOKEN[analyzer.tokens] if removed == "tokens" else _OF_STEPS[removed]))
    return found


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
    return "; ".join(f"{_named(named)} {reason.sentence.format(analyzer)}" for reason, named in words.items())


def _named(words: list[str]) -> str:
    """The first few distinct words, with the verb that follows."""
    words = list(dict.fromkeys(words))
    listed = ", ".join([*words[:_MOST_NAMED], *(["…"] if len(words) > _MOST_NAMED else [])])
    return f"{listed} {'is' if len(words) == 1 else 'are'}"
