"""Where an analyzer does not fit a text: scripts that it breaks, and words of a query that it leaves out."""

from __future__ import annotations

import re

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.tokenizer import EVERY_WORD, TOKEN_PATTERN

SAMPLE = 1 << 16
"""So many bytes of a collection's texts show what script they are in."""

_FEW = 0.02  # words that may be broken, or written without blanks, before it is worth a note
_WITHOUT_BLANKS = re.compile("[\u0e01-\u0e30\u0e32\u0e40-\u0e46\u0e81-\u0eb0\u0ec0-\u0ec6\u1000-\u102a\u1780-\u17b3]")
_OTHER_SCRIPTS = re.compile("[\u0300-\u036f\u0483-\u0489\u0590-\u1fff\u2e80-\U0010ffff]")
"""All that has marks, or no blanks: most texts in Latin, Greek and Cyrillic letters need no closer look."""
_MOST_NAMED = 5


def misfit(text: str, analyzer: Analyzer) -> str:
    """What the analyzer breaks in a text, and what to do, as a sentence; an empty text where nothing is amiss.

    Looked for are marks that end words (Hindi, Tamil, vowelled Arabic, decomposed accents), and scripts without blanks
    between words. Of a pattern of the user's own nothing can be said.
    """
    if not _OTHER_SCRIPTS.search(text) or analyzer.pattern not in (TOKEN_PATTERN, EVERY_WORD):
        return ""
    from toysearch.analysis.cjk import has_characters, runs

    text = analyzer.tokenizer.prepared(text)
    few = _FEW * len(re.findall(r"\w+", text))
    if not analyzer.marks:
        from toysearch.analysis.unicode_forms import spelling

        if len(re.findall(rf"\w[{spelling().marks}]", text)) > 1 + few:
            return (
                "plain analysis ends a word at each combining mark, as scikit-learn's CountVectorizer does, and here "
                "many words have some: name the language (--analyzer hindi, de, …)"
            )
    if not analyzer.cjk and has_characters(text) and sum(map(len, runs(text))) > few:
        return (
            "Chinese, Japanese and Korean are written in runs of characters, and each run is one word here: --analyzer "
            "zh, ja or ko makes pairs of characters"
        )
    if not analyzer.char_ngrams and len(_WITHOUT_BLANKS.findall(text)) > few:
        return (
            "Thai, Lao, Burmese and Khmer are written without blanks between words, and a whole phrase is one word "
            "here: --analyzer thai:char_ngrams=3-4 finds parts of it"
        )
    return ""


def left_out(text: str, analyzer: Analyzer) -> str:
    """Which words of a text are no terms, and why: a few words for each reason.

    >>> left_out("The R", Analyzer.for_language("english"))
    "'the' is on the list of stop words (sklearn), 'r' is too short (min_length=1 keeps single characters)"
    >>> left_out("?!", Analyzer())
    'there is no word in it'
    """
    names = ("words", "synonyms", *_REASONS)
    columns = [step for step in analyzer.steps(text) if step.name in names]
    reasons: dict[str, list[str]] = {}
    for word, *after in zip(*(step.tokens for step in columns), strict=True):
        removed = next((columns[at].name for at, token in enumerate(after, 1) if token is None), "")
        if word is not None and removed:
            reasons.setdefault(removed, []).append(f"'{word}'")
    if not reasons:
        return "there is no word in it"
    return ", ".join(f"{_named(words)} {_REASONS[name].format(analyzer)}" for name, words in reasons.items())


def _named(words: list[str]) -> str:
    """The words, each once, the first few of them, with the verb that follows."""
    words = list(dict.fromkeys(words))
    listed = ", ".join([*words[:_MOST_NAMED], *(["…"] if len(words) > _MOST_NAMED else [])])
    return f"{listed} {'is' if len(words) == 1 else 'are'}"


_REASONS = {
    "tokens": "too short (min_length=1 keeps single characters)",
    "numbers": "left out as numbers (numbers=keep)",
    "lengths": "too short or too long (min_length, max_length)",
    "stop words": "on the list of stop words ({0.stop_name})",
}
