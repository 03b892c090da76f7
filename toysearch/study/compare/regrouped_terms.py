"""Terms of a query that two analyses group differently: one joins or splits what the other tells apart or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import listed

__all__ = ["RegroupedTerms"]

_MOST_NAMED = 4  # terms of one analysis in the label of a group


class RegroupedTerms(NamedTuple):
    """Terms that the same words are by two analyses.

    Attributes
    ----------
    first, second : tuple of str
        The terms by each: several that become one are joined, one that becomes several is split.
    lifts : dict of str to float
        Moved document → the part of these terms in its move (`Mover`).
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    lifts: Mapping[str, float] = {}

    @property
    def label(self) -> str:
        """Both sides: tick and ticks → tick."""
        return f"{_named(self.first)} → {_named(self.second)}"

    @property
    def kind(self) -> str:
        """Joined, split, or both, regrouped; "" if one term only gets another name."""
        if len(self.first) == len(self.second) == 1:
            return ""
        return "joined" if len(self.second) == 1 else "split" if len(self.first) == 1 else "regrouped"


def regrouped_terms(analyzers: Sequence[Analyzer], query: str, texts: Iterable[str]) -> list[RegroupedTerms]:
    """Return the terms of a query that differ by two analyses, with those that the words of some texts add.

    >>> plain, english = Analyzer(), Analyzer(stem="english")
    >>> [group.label for group in regrouped_terms([plain, english], "tick removal", ["Ticks bite a dog"])]
    ['tick and ticks → tick', 'removal → remov']
    """
    first, second = analyzers
    if first == second:
        return []
    asked, pairs = [{*first(query)}, {*second(query)}], dict[tuple[str, str], None]()
    for word in dict.fromkeys(re.findall(r"\w+", " ".join([query, *texts]))):
        before, after = first(word), second(word)
        if len(before) == len(after) == 1:
            pairs[before[0], after[0]] = None
    groups = []
    for pair in pairs:
        is_asked = pair[0] in asked[0] or pair[1] in asked[1]
        if is_asked and (group := _group_of(pair, [*pairs])) not in groups:
            groups.append(group)
    return [group for group in groups if group.first != group.second]


def _group_of(pair: tuple[str, str], pairs: Sequence[tuple[str, str]]) -> RegroupedTerms:
    """Return all terms that are connected with a pair by words."""
    befores, afters, size = {pair[0]}, {pair[1]}, 0
    while len(befores) + len(afters) > size:
        size = len(befores) + len(afters)
        befores |= {before for before, after in pairs if after in afters}
        afters |= {after for before, after in pairs if before in befores}
    first, second = zip(*(other for other in pairs if other[0] in befores), strict=True)
    return RegroupedTerms(tuple(dict.fromkeys(first)), tuple(dict.fromkeys(second)))


def _named(terms: Sequence[str]) -> str:
    more = len(terms) - _MOST_NAMED
    return listed([*terms[:_MOST_NAMED], f"{more} more"] if more > 0 else terms)
