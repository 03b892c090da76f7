"""The terms of a regular expression: it is compared with each term of the dictionary as a whole."""

from __future__ import annotations

import re
from typing import NamedTuple

from toysearch.argument_checks import checked
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import Regex
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
    found = re.compile(node.pattern, re.DOTALL).search
    in_part = sorted({term for term in index.terms if found(term)}.difference(terms))
    return TermScan(str(node), len(index.terms), terms, in_part)
