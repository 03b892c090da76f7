"""Texts → numbers of terms, given out in the order in which the terms are first met."""

from __future__ import annotations

from collections.abc import Iterable

from toysearch.analysis.analyzer import Analyzer


class TermNumbers(dict[str, int]):
    """Token → number of its term; -1 where the token is left out. Each distinct token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.terms: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        term = self._analyzer.term(token)
        number = -1 if term is None else self.terms.setdefault(term, len(self.terms))
        self[token] = number
        return number

    def of(self, text: str) -> Iterable[int]:
        """The numbers of a text's tokens, in its order."""
        return map(self.__getitem__, self._analyzer.tokens(text))


class GramNumbers:
    """The same for n-grams: each distinct token is analysed once, and what neighbours make together is numbered."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._words = _Terms(analyzer)
        self.terms: dict[str, int] = {}

    def of(self, text: str) -> Iterable[int]:
        """The numbers of a text's n-grams, in the analyzer's order."""
        words = self._words
        kept = [term for token in self._analyzer.tokens(text) if (term := words[token]) is not None]
        numbers = self.terms
        return [numbers.setdefault(gram, len(numbers)) for gram in self._analyzer.grams(kept)]


class _Terms(dict[str, str | None]):
    """Token → its term."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def __missing__(self, token: str) -> str | None:
        term = self[token] = self._analyzer.term(token)
        return term
