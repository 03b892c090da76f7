"""Rules that drop, keep or replace a token after the tokenizer, and n-grams of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toysearch.analysis.stemming import stem
from toysearch.errors import ArgumentError, unknown

NUMBERS = ("keep", "drop", "mark")
NUMBER_MARK = "<num>"

_NUMBER = re.compile(r"[+\-−]?\d+(?:[.,]\d+)*")


class Rule(NamedTuple):
    """A step of the analysis, and its effect on a token: None leaves the token out."""

    name: str
    apply: Callable[[str], str | None]


def is_number(token: str) -> bool:
    """Whether a token is a number: decimal digits of any script, with optional points, commas and a sign."""
    return _NUMBER.fullmatch(token) is not None


def rules_of(
    *,
    synonyms: Mapping[str, str],
    protected: Collection[str],
    numbers: str,
    min_length: int,
    max_length: int | None,
    stop: Collection[str],
    stemmer: str | None,
) -> tuple[Rule, ...]:
    """The rules of an analyzer, in order, without those that do nothing."""
    rules = []
    if numbers != "keep":
        rules.append(Rule("numbers", _numbers(numbers)))
    if min_length > 1 or max_length is not None:
        longest = float("inf") if max_length is None else max_length
        rules.append(Rule("lengths", lambda token: token if min_length <= len(token) <= longest else None))
    if stop:
        rules.append(Rule("stop words", lambda token: None if token in stop else token))
    if stemmer:
        rules.append(Rule("stems", lambda token: stem(token, stemmer)))
    kept = {*protected, NUMBER_MARK} if numbers == "mark" else protected
    if kept:
        rules = [_sparing(kept, rule) for rule in rules]
    if synonyms:
        rules.insert(0, Rule("synonyms", lambda token: synonyms.get(token, token)))
    return tuple(rules)


def _numbers(treatment: str) -> Callable[[str], str | None]:
    instead = NUMBER_MARK if treatment == "mark" else None
    return lambda token: instead if is_number(token) else token


def _sparing(kept: Collection[str], rule: Rule) -> Rule:
    """The rule, for all but the protected tokens."""
    return Rule(rule.name, lambda token: token if token in kept else rule.apply(token))


def outcomes(rules: tuple[Rule, ...], token: str | None) -> Iterator[str | None]:
    """The token after each of the rules; None from the rule that leaves it out."""
    now = token
    for rule in rules:
        now = None if now is None else rule.apply(now)
        yield now


def check_rules(numbers: str, min_length: int, max_length: int | None) -> None:
    """Refuse invalid settings of the rules."""
    if numbers not in NUMBERS:
        raise unknown("treatment of numbers", str(numbers), NUMBERS, plural="they can be")
    if not _is_whole(min_length) or min_length < 1:
        raise ArgumentError(f"min_length is a whole number of characters, at least 1, not {min_length!r}")
    if max_length is not None and (not _is_whole(max_length) or max_length < min_length):
        raise ArgumentError(
            f"max_length is a whole number of characters, at least min_length ({min_length}), not {max_length!r}"
        )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


Range = tuple[int, int]
"""The shortest and the longest n."""


def word_ngrams(terms: Sequence[str], lengths: Range) -> list[str]:
    """All runs of n neighbouring terms, joined by a blank: for each n from the shortest, in the order of the text."""
    # Equal to `CountVectorizer(ngram_range=(shortest, longest))` of scikit-learn on the same terms.
    shortest, longest = lengths
    return [
        " ".join(terms[start : start + n])
        for n in range(shortest, min(longest, len(terms)) + 1)
        for start in range(len(terms) - n + 1)
    ]


def char_ngrams(term: str, lengths: Range) -> list[str]:
    """All runs of n neighbouring characters of a term between two blanks, for each n from the shortest."""
    # Equal to `CountVectorizer(analyzer="char_wb", ngram_range=(shortest, longest))` of scikit-learn on a word: a word
    # shorter than n, blanks included, is taken whole, once.
    padded = f" {term} "
    shortest, longest = lengths
    if len(padded) < shortest:
        return [padded]
    return [
        padded[start : start + n]
        for n in range(shortest, min(longest, len(padded)) + 1)
        for start in range(len(padded) - n + 1)
    ]


def lengths_of(name: str, value: Iterable[int] | None) -> Range | None:
    """A pair of lengths, checked; None for None, and for words one by one."""
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
    if len(pair) != 2 or not whole or not 1 <= pair[0] <= pair[1]:
        raise ArgumentError(
            f"{name} takes the shortest and the longest length, whole numbers such as (1, 2), not {value!r}"
        )
    return None if name == "ngrams" and pair == (1, 1) else (pair[0], pair[1])
