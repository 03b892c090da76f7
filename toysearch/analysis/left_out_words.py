"""Words of a text that an analyzer leaves out, with the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toysearch.analysis.tokenizer import UNICODE, WORD2
from toysearch.base import groups_of

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer

__all__ = ["NO_TOKEN"]

_MOST_NAMED = 5


class LeftOutReason(NamedTuple):
    """Reason why a word is left out: in a table, and in a sentence that names the setting to change."""

    short: str
    sentence: str


NO_TOKEN = {
    WORD2: LeftOutReason("too short", "too short (tokens=word1 keeps single characters)"),
    UNICODE: LeftOutReason("no letter or digit", "without a letter or digit (tokens=word1 keeps emoji)"),
}
"""Tokenizer → reason why a word is not a token; the other tokenizers keep every word."""

_OF_STEPS = {
    "numbers": LeftOutReason("number", "left out as numbers (numbers=keep)"),
    "lengths": LeftOutReason("too short or too long", "too short or too long (min_length, max_length)"),
    "stop words": LeftOutReason("stop word", "on the list of stop words ({0.stop_name})"),
}


def reasons(text: str, analyzer: Analyzer) -> list[tuple[str, LeftOutReason]]:
    """List the words that are left out, in their order, each with the reason.

    >>> from toysearch.analysis.analyzer import Analyzer
    >>> [(word, reason.short) for word, reason in reasons("The cat and R", Analyzer.for_language("english"))]
    [('the', 'stop word'), ('and', 'stop word'), ('r', 'too short')]
    """
    columns = [step for step in analyzer.steps(text) if step.name in ("words", "tokens", *_OF_STEPS)]
    left_out_words = []
    for word, *after in zip(*(step.tokens for step in columns), strict=True):
        removed = next((columns[at].name for at, token in enumerate(after, 1) if token is None), "")
        if word is not None and removed:
            left_out_words.append((word, NO_TOKEN[str(analyzer.tokens)] if removed == "tokens" else _OF_STEPS[removed]))
    return left_out_words


def left_out(text: str, analyzer: Analyzer) -> str:
    """List the words that are left out, by reasons, as `Analyzer.left_out`."""
    words = groups_of((reason, f"'{word}'") for word, reason in reasons(text, analyzer))
    parts = []
    for reason, repeated in words.items():
        distinct = list(dict.fromkeys(repeated))
        listed = ", ".join([*distinct[:_MOST_NAMED], *(["…"] if len(distinct) > _MOST_NAMED else [])])
        parts.append(f"{listed} {'is' if len(distinct) == 1 else 'are'} {reason.sentence.format(analyzer)}")
    return "; ".join(parts)
