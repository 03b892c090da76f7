"""Numbers of terms in the order of their first occurrence; each distinct token is analysed once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from toysearch.analysis.analyzer import Analyzer


class TermNumbers(dict[str, int]):
    """Token → number of its term, -1 if the token is left out; each distinct token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.terms: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        term = self._analyzer.term(token)
        number = -1 if term is None else self.terms.setdefault(term, len(self.terms))
        self[token] = number
        return number

    def of(self, text: str) -> Iterable[int]:
        """Return the term numbers of the tokens of a text, in its order."""
        return map(self.__getitem__, self._analyzer.tokenizer(text))

    def of_parts(self, text: str) -> Iterable[Iterable[int]]:
        """Return the term numbers of the tokens of each part of a text."""
        return [map(self.__getitem__, tokens) for tokens in self._analyzer.tokenizer.parts(text)]


class GramNumbers:
    """Numbers of n-grams: each distinct token is analysed once, and each distinct n-gram gets a number."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._term = cache(analyzer.term)
        self.terms: dict[str, int] = {}

    def of(self, text: str) -> Iterable[int]:
        """Return the numbers of the n-grams of a text, in the order of the analyzer."""
        terms = [term for term in map(self._term, self._analyzer.tokenizer(text)) if term is not None]
        numbers = self.terms
        return [numbers.setdefault(gram, len(numbers)) for gram in self._analyzer.grams(terms)]
