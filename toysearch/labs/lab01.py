"""Lab 1: tokens, the laws of vocabulary, stop words, stemming."""

from __future__ import annotations

import re
from typing import Any

from toysearch.analysis.analyzer import Analyzer
from toysearch.labs.answers import Function, Ordered, Text
from toysearch.labs.exercise import Exercise, Given, Mistake
from toysearch.labs.students import Draw

# Each sentence has a capital in its opening, a character that stands alone and a sign at the end of a word.
_OPENINGS = ("The cat's whiskers", "My 2 parrots", "Rex, I said,", "The re-homed Dog", "Oh, what budgies")
_MIDDLES = ("aren't toys", "learnt in 3 weeks", "ate (half of) the carrot", "e.g. sat still", "can climb; they fall")
_ENDINGS = ("at 7 a.m. today!", "in the vet's X-ray room.", "so - be a friend, OK?", "and a 12-year-old watched.")


def _tokens(text: str) -> list[str]:
    return Analyzer()(text)


def _sentence(draw: Draw) -> dict[str, Any]:
    return {"text": " ".join(draw.one(part) for part in (_OPENINGS, _MIDDLES, _ENDINGS))}


def _with_capitals(text: str) -> list[str]:
    return re.findall(r"\w\w+", text)


def _with_letters(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _at_blanks(text: str) -> list[str]:
    return text.lower().split()


def _only_ascii_letters(text: str) -> list[str]:
    return re.findall(r"[a-z][a-z]+", text.lower())


def _texts(draw: Draw, given: Given) -> list[tuple[str]]:
    more = draw.some(
        ("Crème brûlée für Übermut", "snake_case and kebab-case", "Ünïcödé 4x4 B-52", "TÜV prüft 2 Käfige"), 2
    )
    return [(_sentence(draw)["text"],), *((text,) for text in more), ("",)]


EXERCISES = (
    Exercise(
        number="1.1",
        title="Tokens by hand",
        given=_sentence,
        answer=Ordered(Text(exact=True), "tokens"),
        expected=lambda given: _tokens(given.text),
        mistakes=(
            Mistake(lambda given: _with_capitals(given.text), "the default analysis turns everything into lower case."),
            Mistake(lambda given: _with_letters(given.text), "a single character is no token: it takes two or more."),
            Mistake(
                lambda given: _at_blanks(given.text), "you split at blanks only; punctuation ends a token as well."
            ),
        ),
        hints=(
            "Go from left to right: a token is a longest run of word characters (letters, digits, underscore).",
            "An apostrophe, a hyphen and a full stop are no word characters: they end a token. "
            "What then is left of the s in cat's?",
        ),
    ),
    Exercise(
        number="1.2",
        title="A tokenizer of your own",
        answer=Function(Ordered(Text(exact=True), "tokens"), "tokens(text)"),
        inputs=_texts,
        expected=lambda given: _tokens,
        mistakes=(
            Mistake(lambda given: _with_capitals, "your tokens keep their capitals."),
            Mistake(lambda given: _with_letters, "your tokens include single characters."),
            Mistake(lambda given: _at_blanks, "you split at blanks only; punctuation stays in your tokens."),
            Mistake(
                lambda given: _only_ascii_letters,
                "a to z are not all letters there are: think of é, and of digits and the underscore.",
            ),
        ),
        hints=(
            "The module re has it: re.findall(pattern, text) gives all parts of a text that fit a pattern.",
            r"In a pattern, \w is one word character of any script; + is one or more of what stands before it.",
        ),
        points=2,
    ),
)
