"""The passage of a document that shows best why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from toysearch.analysis.analyzer import Analyzer


class Snippet(NamedTuple):
    """A passage and the places of the matched words in it, as (start, end) pairs."""

    text: str
    spans: list[tuple[int, int]]


def snippet(text: str, terms: Collection[str], analyzer: Analyzer, width: int = 160) -> Snippet:
    """The window of a text that holds most of a query's terms.

    Parameters
    ----------
    text : str
        The document's text; white space is folded.
    terms : collection of str
        The query's terms, after analysis.
    analyzer : Analyzer
        What made them.
    width : int
        The window's length in characters; cut at blanks, with … where text is left out.

    Returns
    -------
    Snippet
        The start of the text where no word matches.

    Examples
    --------
    >>> snippet("How to train a parrot", {"parrot"}, Analyzer())
    Snippet(text='How to train a parrot', spans=[(15, 21)])
    """
    text = " ".join(text.split())
    matches = _matches(text, terms, analyzer)
    start, stop = _window(text, matches, width)
    before = "… " if start else ""
    passage = text[start:stop].rstrip()
    shift = len(before) - start
    spans = [(first + shift, last + shift) for first, last, _ in matches if start <= first and last <= stop]
    return Snippet(before + passage + (" …" if stop < len(text) else ""), spans)


def _matches(text: str, terms: Collection[str], analyzer: Analyzer) -> list[tuple[int, int, str]]:
    """Where the words stand that the analyzer turns into one of the terms: (start, end, term)."""
    found = []
    # Each word is analysed by itself: lower-casing may change a text's length, and positions would slip.
    for match in re.finditer(analyzer.pattern, text):
        term = next((term for term in analyzer(match.group()) if term in terms), None)
        if term is not None:
            found.append((*match.span(), term))
    return found


def _window(text: str, matches: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    """Start and end of the window with the most different terms, then the most matches, then the earliest."""
    if len(text) <= width:
        return 0, len(text)
    best, first, last = (0, 0), 0, 0
    for i, (begin, _, _) in enumerate(matches):
        inside = [match for match in matches[i:] if match[1] <= begin + width]
        richness = len({term for _, _, term in inside}), len(inside)
        if richness > best:
            best, first, last = richness, begin, inside[-1][1]
    start = max(0, min(first - (width - (last - first)) // 2, len(text) - width))
    if start:  # begin at a word, but not after the first match
        start = text.find(" ", start, first) + 1 or first
    stop = min(len(text), start + width)
    if stop < len(text):
        stop = max(text.rfind(" ", last, stop + 1), last, start + 1)
    return start, stop
