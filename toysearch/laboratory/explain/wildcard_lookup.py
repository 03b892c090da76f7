"""The terms of a wildcard as textbooks find them: by a permuterm index and by a k-gram index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError
from toysearch.base.regular_expression import wildcard_expression
from toysearch.query.automaton import Automaton
from toysearch.query.syntax import Wildcard

__all__ = ["Gram", "WildcardLookup", "rotations", "wildcard_lookup"]

END = "$"


class Gram(NamedTuple):
    """A sequence of k letters, and the number of terms that contain it."""

    gram: str
    n_terms: int


class WildcardLookup(NamedTuple):
    """How a permuterm index and a k-gram index find the terms of a wildcard.

    Attributes
    ----------
    pattern : str
        The wildcard.
    rotation : str
        The pattern rotated so that it ends with its star. What stands between several of ``*`` and ``?`` is checked
        later.
    rotated : list of tuple of str
        The rotations that begin so, each with its term, sorted.
    grams : list of Gram
        The k-grams of the pattern, where ``$`` marks both ends of a term.
    candidates : list of str
        The terms that contain all k-grams, sorted; all terms if the pattern has no k-gram.
    terms : list of str
        The terms that fit the pattern, sorted: both indexes end with these, after a check.
    """

    pattern: str
    rotation: str
    rotated: list[tuple[str, str]]
    grams: list[Gram]
    candidates: list[str]
    terms: list[str]


@checked
def rotations(term: str) -> list[str]:
    """The rotations of a term and its end mark, as a permuterm index stores them.

    Parameters
    ----------
    term : str
        The term.

    Examples
    --------
    >>> rotations("cat")
    ['cat$', 'at$c', 't$ca', '$cat']
    """
    marked = term + END
    return [marked[at:] + marked[:at] for at in range(len(marked))]


@checked
def wildcard_lookup(terms: Iterable[str], pattern: str, k: int = 2) -> WildcardLookup:
    """Find the terms of a wildcard by a permuterm index and by a k-gram index.

    Manning, Raghavan & Schütze 2008, 3.2.1 and 3.2.2.

    Parameters
    ----------
    terms : iterable of str
        The dictionary.
    pattern : str
        A wildcard: ``*`` stands for any characters, ``?`` for one.
    k : int, default 2
        The number of letters of a k-gram, 2 or more.

    Raises
    ------
    ArgumentError
        If the pattern has neither ``*`` nor ``?``, or k is less than 2.

    Examples
    --------
    >>> found = wildcard_lookup(["cart", "cat", "chest", "cut", "cactus", "dog"], "c*t")
    >>> found.rotation, found.rotated[:2]
    ('t$c*', [('t$ca', 'cat'), ('t$car', 'cart')])
    >>> found.grams
    [Gram(gram='$c', n_terms=5), Gram(gram='t$', n_terms=4)]
    >>> found.terms
    ['cart', 'cat', 'chest', 'cut']
    >>> wildcard_lookup(["retired", "red", "redo"], "red*").candidates
    ['red', 'redo', 'retired']
    """
    if k < 2:
        raise ArgumentError(f"k must be 2 or more, not {k}")
    pieces, expression = wildcard_expression(Wildcard(pattern).pattern)
    vocabulary = sorted(set(terms))
    begin, end = pieces[0], pieces[-1]
    rotation = end + END + begin
    rotated = sorted((turned, term) for term in vocabulary if (turned := _turned(term, rotation)))
    marked = {term: f"{END}{term}{END}" for term in vocabulary}
    of_pattern = [END + begin, *pieces[1:-1], end + END]
    grams = list(dict.fromkeys(gram for piece in of_pattern for gram in _grams(piece, k)))
    counts = [Gram(gram, sum(gram in own for own in marked.values())) for gram in grams]
    candidates = [term for term, own in marked.items() if all(gram in own for gram in grams)]
    automaton = Automaton(expression, pattern)
    found = [term for term in vocabulary if automaton.fits(term)]
    return WildcardLookup(pattern, f"{rotation}*", rotated, counts, candidates, found)


def _turned(term: str, rotation: str) -> str:
    """The rotation of a term that begins with a rotated pattern; empty if there is none."""
    marked = term + END
    at = (marked + marked).find(rotation) if len(rotation) <= len(marked) else -1
    return marked[at:] + marked[:at] if at >= 0 else ""


def _grams(text: str, k: int) -> list[str]:
    """The sequences of k letters in a text."""
    return [text[at : at + k] for at in range(len(text) - k + 1)]
