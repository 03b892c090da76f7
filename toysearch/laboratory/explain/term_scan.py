"""The terms of a regular expression: it is compared with each term of the dictionary as a whole."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.regular_expression import Repeat, Sequence, Symbol, read_expression
from toysearch.index.inverted_index import Index
from toysearch.query.automaton import Automaton
from toysearch.query.syntax import Regex
from toysearch.search.fitting_terms import fitting
from toysearch.search.matching import Matcher

__all__ = ["TermScan", "term_scan"]


class TermScan(NamedTuple):
    """The terms that a regular expression was compared with.

    Attributes
    ----------
    node : str
        The regular expression.
    n_terms : int
        The number of terms of the dictionary.
    terms : list of str
        The terms that it matches as a whole, sorted.
    in_part : list of str
        The terms of which it matches only a part, sorted.
    """

    node: str
    n_terms: int
    terms: list[str]
    in_part: list[str]


@checked
def term_scan(index: Index, node: Regex) -> TermScan:
    """Compare a regular expression with all terms.

    Parameters
    ----------
    index : Index
        The index searched.
    node : Regex
        The regular expression.

    Examples
    --------
    >>> scan = term_scan(Index.build(["color and colour", "discoloured", "colt"]), Regex("colou?r"))
    >>> scan.terms, scan.in_part
    (['color', 'colour'], ['discoloured'])
    """
    terms = sorted(Matcher(index).marked_terms(node))
    anything = Repeat(Symbol("."), 0, None)
    around = Sequence([anything, read_expression(node.pattern), anything])
    numbers = fitting(index.terms, np.arange(len(index.terms)), Automaton(around, str(node)))
    in_part = sorted({*index.terms.take(numbers)}.difference(terms))
    return TermScan(str(node), len(index.terms), terms, in_part)
