"""Wrong functions that students write in lab 1: tokenizers."""

from __future__ import annotations

import re
import string
import unicodedata

from toysearch.classroom.exercises.lab01 import _MARKS_STAY, _found, _stem, _then, _tokens

_STOP_WORDS = {"the", "and", "of", "to", "is", "not", "in", "an"}


def _without_accents(text: str) -> list[str]:
    return _tokens("".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)))


def _stripped(text: str) -> list[str]:
    words = (word.strip(string.punctuation) for word in text.lower().split())
    return [word for word in words if len(word) > 1]


_NOT_ALL = "a to z are not all the letters: think of é, and of other scripts."


_WRONG_TOKENIZERS = (
    (_found(r"\w\w+ ?"), "your tokens end with blanks."),
    (_then(lambda tokens: (f" {token}" for token in tokens)), "your tokens begin with blanks."),
    (_found(r"\w{3,}"), "your tokens have three or more characters; two are enough."),
    (_found(r"\S\S+"), "you split at blanks only; punctuation stays in your tokens."),
    (_stripped, "you remove punctuation at the ends of words; inside a word it ends a token as well."),
    (_found(r"[a-z0-9][a-z0-9]+"), "a to z are not all the letters: think of é, and of the underscore."),
    (_found(r"[a-z0-9_][a-z0-9_]+"), _NOT_ALL),
    (lambda text: re.findall(r"\w\w+", text.lower(), re.ASCII), _NOT_ALL),
    (_found(r"[a-zà-ÿ0-9_]{2,}"), "there are letters in other scripts than the Latin one."),
    (_found(r"[^\W\d_]{2,}"), "your tokens are of letters only; digits and the underscore are word characters."),
    (_found(r"[^\W\d]\w+"), "your tokens do not begin with a digit; they may."),
    (_then(lambda tokens: (token for token in tokens if not token.isdigit())), "you leave out numbers."),
    (_found(r"\w[\w'’]+"), _MARKS_STAY + "the apostrophe."),
    (_found(r"\w[\w'-]+"), _MARKS_STAY + "the apostrophe and the hyphen."),
    (_found(r"\w[\w.]+"), _MARKS_STAY + "the full stop."),
    (_without_accents, "you replace letters with accents by others; keep them."),
    (lambda text: _tokens(text.casefold()), "case folding turns ß into ss; lower case keeps it."),
    (_then(sorted), "your tokens are sorted; return them in the order of the text."),
    (_then(reversed), "your tokens are in reverse; return them in the order of the text."),
    (
        _then(lambda tokens: (token for token in tokens if token not in _STOP_WORDS)),
        "you leave out stop words; a tokenizer keeps them.",
    ),
    (_then(lambda tokens: map(_stem, tokens)), "you stem; a tokenizer keeps the forms of words."),
    (_then(lambda tokens: (token.rstrip("s") for token in tokens)), "you remove the s at the end of a token."),
    (_then(lambda tokens: tokens[:-1]), "you lose the last token."),
    (_then(lambda tokens: tokens[1:]), "you lose the first token."),
    (lambda text: _tokens(text.partition("\n")[0]), "you read only the first line."),
)


WRONG = {"1.2": _WRONG_TOKENIZERS}
