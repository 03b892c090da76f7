"""Token filters after the tokenizer: synonyms of one word or several, rules for single tokens, stemmers; n-grams."""

from __future__ import annotations

import os
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, malformed, unknown


@cache
def stemmers() -> tuple[str, ...]:
    """Name all Snowball stemmers, sorted: of PyStemmer, or of snowballstemmer where that is missing."""
    try:
        import Stemmer
    except ImportError:
        import snowballstemmer

        return tuple(sorted(snowballstemmer.algorithms()))
    return tuple(sorted(Stemmer.algorithms()))


class _Stemmers(threading.local):
    """One stemmer per name and thread, since stemmers are not thread-safe."""

    def __init__(self) -> None:
        self.by_name: dict[str, Any] = {}


_STEMMERS = _Stemmers()


def stem(word: str, name: str) -> str:
    """Stem a word."""
    # M. F. Porter, Snowball: a language for stemming algorithms, 2001; `english` is his Porter2.
    stemmer = _STEMMERS.by_name.get(name)
    if stemmer is None:
        try:
            import Stemmer
        except ImportError:
            import snowballstemmer

            stemmer = snowballstemmer.stemmer(name)
        else:  # no cache: each distinct word is analysed only once, and stemming is twice as fast without one
            stemmer = Stemmer.Stemmer(name, 0)
        _STEMMERS.by_name[name] = stemmer
    try:
        word.encode()  # a lone surrogate, which only a pattern such as \S+ admits
    except UnicodeEncodeError:
        return word
    stemmed: str = stemmer.stemWord(word)
    return stemmed


_COMMENT = r"(?:^|\s)#.*"


def uncommented(line: str) -> str:
    """Strip the comment and surrounding blanks from a line of a list."""
    return re.sub(_COMMENT, "", line).strip()


_ARROW = "=>"


def synonyms_of(
    source: str | os.PathLike[str] | Mapping[str, str],
    token: Callable[[str], str],
    run: Callable[[str], str] | None = None,
) -> dict[str, str]:
    """Token, or with `run` several tokens with blanks between them → replacement, sorted."""
    # A line of a file is either a list of synonyms, separated by commas, which all become the first; or one or more
    # words, `=>`, and their replacement. `#` starts a comment. A replacement cannot itself be replaced, so that there
    # are no chains or cycles.
    synonyms, replaced = _Synonyms(), run or token
    if isinstance(source, str | os.PathLike):
        from toysearch.files.source import SAVE_AS_UTF8, numbered_lines

        for number, line in numbered_lines(source, SAVE_AS_UTF8):
            try:
                for word, replacement in _pairs(uncommented(line)):
                    synonyms.add(replaced(word), token(replacement), f"on line {number}")
            except ArgumentError as error:
                raise malformed(source, number, str(error)) from None
    elif isinstance(source, Mapping):
        for word, replacement in source.items():
            synonyms.add(replaced(word), token(replacement), "by the mapping")
    else:
        raise ArgumentError(f"synonyms are a mapping of words to words, or a file, not {source!r}")
    return dict(sorted(synonyms.replacements.items()))


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    if not line:
        return
    before, arrow, after = line.partition(_ARROW)
    words = [word.strip() for word in before.split(",")]
    replacement = after.strip() if arrow else words.pop(0)
    if not words or not all([*words, replacement]) or "," in replacement or _ARROW in replacement:
        raise ArgumentError(
            "expected words separated by commas, which are replaced by the first ('budgie, parakeet'), or "
            f"'colour => color'; found '{line}'"
        )
    yield from ((word, replacement) for word in words)


class _Synonyms:
    """Replacements so far, with the places where each word was first replaced and first used as a replacement."""

    def __init__(self) -> None:
        self.replacements: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._used: dict[str, str] = {}

    def add(self, word: str, replacement: str, where: str) -> None:
        if word == replacement:
            raise ArgumentError(f"'{word}' would replace itself; leave one out")
        if word in self._replaced:
            raise ArgumentError(f"'{word}' is already replaced {self._replaced[word]}; a word has one replacement")
        if word in self._used:
            raise ArgumentError(
                f"'{word}' would become '{replacement}', but replaces another word {self._used[word]}; "
                "a word that replaces others cannot be replaced"
            )
        if replacement in self._replaced:
            end = self.replacements[replacement]
            raise ArgumentError(
                f"'{word}' would become '{replacement}', which is already replaced {self._replaced[replacement]}; "
                f"write '{word} {_ARROW} {end}'"
            )
        self.replacements[word] = replacement
        self._replaced[word] = where
        self._used.setdefault(replacement, where)


_KEPT_TERMS = 1 << 16  # tokens whose terms are kept


class TokenJoiner:
    """Replaces runs of tokens by one token: synonyms of several words.

    Tokens are compared by their terms, and those that are left out by themselves. From the left, the longest run is
    replaced; what replaces it is not part of another run.

    >>> joined = TokenJoiner({"water boiler": "kettle", "boiler": "tank"}, lambda token: token.rstrip("s"))
    >>> joined(["new", "water", "boilers", "boiler"])
    ['new', 'kettle', 'boiler']
    """

    def __init__(self, synonyms: Mapping[str, str], term: Callable[[str], str | None]) -> None:
        self._term = lru_cache(_KEPT_TERMS)(term)
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        words_of: dict[tuple[str, ...], str] = {}
        for words, replacement in synonyms.items():
            tokens = words.split(" ")
            if len(tokens) == 1:
                continue
            run = tuple(map(self._key, tokens))
            same = words_of.setdefault(run, words)
            if synonyms[same] != replacement:
                raise ArgumentError(
                    f"'{same}' and '{words}' have the same terms, but become '{synonyms[same]}' and '{replacement}'; "
                    "leave one out"
                )
            self._by_first[run[0]].append((run, replacement))
        for runs in self._by_first.values():
            runs.sort(key=lambda pair: -len(pair[0]))

    def __call__(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with each run replaced."""
        return [token for _, _, token in self.runs(tokens)]

    def runs(self, tokens: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the places (start, end) of each token or replaced run, and the token that remains."""
        start = 0
        while start < len(tokens):
            end, token = self._run_at(tokens, start)
            yield start, end, token
            start = end

    def _run_at(self, tokens: Sequence[str], start: int) -> tuple[int, str]:
        for run, replacement in self._by_first.get(self._key(tokens[start]), ()):
            end = start + len(run)
            if run == tuple(map(self._key, tokens[start:end])):
                return end, replacement
        return start + 1, tokens[start]

    def _key(self, token: str) -> str:
        term = self._term(token)
        return f"\0{token}" if term is None else term


NUMBERS = ("keep", "drop", "mark")
NUMBER_MARK = "<num>"

_NUMBER = r"[+\-−]?\d+(?:[.,]\d+)*"


class Rule(NamedTuple):
    """Step of the analysis, and its effect on a token: None leaves the token out."""

    name: str
    apply: Callable[[str], str | None]


def is_number(token: str) -> bool:
    """True if a token is a number: decimal digits of any script, with optional points, commas and a sign."""
    return re.fullmatch(_NUMBER, token) is not None


def rules_of(
    *,
    synonyms: Mapping[str, str],
    protected: Collection[str],
    numbers: str,
    min_length: int,
    max_length: int | None,
    stop: Collection[str],
    stemmer: str | Callable[[str], str] | None,
) -> tuple[Rule, ...]:
    """List the rules of an analyzer, in order, without those that do nothing."""
    rules = []
    if numbers != "keep":
        instead = NUMBER_MARK if numbers == "mark" else None
        rules.append(Rule("numbers", lambda token: instead if is_number(token) else token))
    if min_length > 1 or max_length is not None:
        longest = float("inf") if max_length is None else max_length
        rules.append(Rule("lengths", lambda token: token if min_length <= len(token) <= longest else None))
    if stop:
        rules.append(Rule("stop words", lambda token: None if token in stop else token))
    if stemmer:
        rules.append(Rule("stems", stemmer if callable(stemmer) else lambda token: stem(token, stemmer)))
    exempt = {*protected, NUMBER_MARK} if numbers == "mark" else protected
    if exempt:
        rules = [_sparing(exempt, rule) for rule in rules]
    if synonyms:
        rules.insert(0, Rule("synonyms", lambda token: synonyms.get(token, token)))
    return tuple(rules)


def _sparing(kept: Collection[str], rule: Rule) -> Rule:
    return Rule(rule.name, lambda token: token if token in kept else rule.apply(token))


def outcomes(rules: tuple[Rule, ...], token: str | None) -> Iterator[str | None]:
    """Yield the token after each of the rules; None from the rule that leaves it out."""
    now = token
    for rule in rules:
        now = None if now is None else rule.apply(now)
        yield now


def check_rules(numbers: str, min_length: int, max_length: int | None) -> None:
    """Refuse invalid settings of the rules."""
    if numbers not in NUMBERS:
        raise unknown("treatment of numbers", str(numbers), NUMBERS, plural="they can be")
    if type(min_length) is not int or min_length < 1:  # nor bool, a subclass
        raise ArgumentError(f"min_length is a whole number of characters, at least 1, not {min_length!r}")
    if max_length is not None and (type(max_length) is not int or max_length < min_length):
        raise ArgumentError(
            f"max_length is a whole number of characters, at least min_length ({min_length}), not {max_length!r}"
        )


GramLengths = tuple[int, int]
"""Lengths of n-grams: the shortest and the longest n."""


def word_ngrams(terms: Sequence[str], lengths: GramLengths) -> list[str]:
    """Join runs of n neighbouring terms by a blank: for each n from the shortest, in the order of the text."""
    # Equal to `CountVectorizer(ngram_range=(shortest, longest))` of scikit-learn on the same terms.
    shortest, longest = lengths
    return [
        " ".join(terms[start : start + n])
        for n in range(shortest, min(longest, len(terms)) + 1)
        for start in range(len(terms) - n + 1)
    ]


def char_ngrams(term: str, lengths: GramLengths) -> list[str]:
    """List the runs of n neighbouring characters of a term between two blanks, for each n from the shortest."""
    # Equal to `CountVectorizer(analyzer="char_wb", ngram_range=(shortest, longest))` of scikit-learn on a word: a word
    # shorter than n, blanks included, is taken whole, once.
    padded = f" {term} "
    shortest, longest = lengths
    runs = [
        padded[start : start + n]
        for n in range(shortest, min(longest, len(padded)) + 1)
        for start in range(len(padded) - n + 1)
    ]
    return runs or [padded]


def lengths_of(name: str, value: Iterable[int]) -> GramLengths | None:
    """Check a pair of lengths; None for words one by one."""
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
    if len(pair) != 2 or not whole or not 1 <= pair[0] <= pair[1]:
        raise ArgumentError(
            f"{name} takes the shortest and the longest length, whole numbers such as (1, 2), not {value!r}"
        )
    return None if name == "ngrams" and pair == (1, 1) else (pair[0], pair[1])
