"""Notebooks with like code: pairs by winnowing their tokens, and the passages that two of them have in common."""

from __future__ import annotations

import io
import keyword
import tokenize
import zlib
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

from toysearch.base import groups_of, totals

GRAM = 12
"""Number of tokens in a gram: a shorter passage is never reported."""

WINDOW = 8
"""Number of grams in a window: a common passage of GRAM + WINDOW - 1 tokens is always found."""

_COMMON = 4  # a gram of more notebooks is what the exercise asks for, unless the class is large
_LEAST_SHARE = 0.05  # of the fingerprints of the smaller notebook; less is one short cell
_SHARE = 0.05  # of the notebooks, in a large class
_PASSAGES = 5  # of a pair
_MOST = 20_000  # tokens of a notebook that are looked at


class Token(NamedTuple):
    """Token of a notebook's code."""

    kind: str  # what is compared: names, numbers and texts are all alike
    cell: int
    line: int  # in that cell, from 1


class CommonPassage(NamedTuple):
    """Passage that two notebooks have in common, as it stands in each."""

    tokens: int
    first: str
    second: str


class LikePair(NamedTuple):
    """Two notebooks with like code."""

    first: int  # its place among the notebooks
    second: int
    shared: int  # fingerprints of both, and of few others
    share: float  # of the fingerprints of the one that has fewer
    passages: tuple[CommonPassage, ...]  # the longest first


def tokens_of(cells: Sequence[str]) -> list[Token]:
    """Read the tokens of some cells without comments and layout; names, numbers and texts lose what they are.

    >>> [token.kind for token in tokens_of(["total = 3 * x  # mine"])]
    ['name', '=', 'number', '*', 'name']
    """
    tokens: list[Token] = []
    for place, code in enumerate(cells):
        try:
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                if kind := _kind(token):
                    tokens.append(Token(kind, place, token.start[0]))
        except (tokenize.TokenError, SyntaxError):  # the tokens before the error are kept
            continue
    return tokens[:_MOST]


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return token.string if keyword.iskeyword(token.string) else "name"
    if token.type == tokenize.NUMBER:
        return "number"
    if token.type == tokenize.STRING or tokenize.tok_name[token.type].startswith("FSTRING"):
        return "text"
    return token.string if token.type == tokenize.OP else ""


def fingerprints(kinds: Sequence[str], gram: int = GRAM, window: int = WINDOW) -> set[int]:
    """Return the fingerprints of a sequence of tokens: of each window of grams, the smallest hash.

    Two sequences with a common passage of at least gram + window - 1 tokens have a common fingerprint, and ones without
    a common passage of gram tokens have none but by collision. Schleimer, Wilkerson & Aiken, Winnowing, SIGMOD 2003.

    >>> a, b = "x = f ( y ) + g ( z )".split(), "p q r x = f ( y ) + s".split()
    >>> len(fingerprints(a, 4, 3) & fingerprints(b, 4, 3)) > 0
    True
    """
    hashes = [zlib.crc32("\0".join(kinds[place : place + gram]).encode()) for place in range(len(kinds) - gram + 1)]
    if not hashes:
        return set()
    return {min(hashes[place : place + window]) for place in range(max(1, len(hashes) - window + 1))}


def like_pairs(notebooks: Sequence[Sequence[str]], blank: Sequence[str] = (), least: int = 3) -> list[LikePair]:
    """Return the pairs of notebooks, given as their cells, that share fingerprints which few others have; likest first.

    What the blank notebook provides is left out, and so is what many notebooks share. A pair has `least` fingerprints,
    and more than a short cell in common.
    """
    provided = {cell.strip() for cell in blank}
    template = fingerprints([token.kind for token in tokens_of(blank)])
    answers = [[cell for cell in cells if cell.strip() not in provided] for cells in notebooks]
    prints = [fingerprints([token.kind for token in tokens_of(cells)]) - template for cells in answers]
    owners = groups_of((fingerprint, place) for place, of_notebook in enumerate(prints) for fingerprint in of_notebook)
    limit = max(_COMMON, int(_SHARE * len(notebooks)))
    shared = totals(
        (pair, 1) for places in owners.values() for pair in (combinations(places, 2) if len(places) <= limit else ())
    )
    pairs = [
        LikePair(first, second, count, count / min(len(prints[first]), len(prints[second])), ())
        for (first, second), count in shared.items()
        if count >= least and count >= _LEAST_SHARE * min(len(prints[first]), len(prints[second]))
    ]
    pairs.sort(key=lambda pair: (-pair.shared, -pair.share, pair.first, pair.second))
    return [pair._replace(passages=_passages(answers[pair.first], answers[pair.second], template)) for pair in pairs]


def _passages(first: Sequence[str], second: Sequence[str], template: Iterable[int]) -> tuple[CommonPassage, ...]:
    """Return the longest passages of two notebooks with the same tokens, without those that are provided."""
    tokens, others = tokens_of(first), tokens_of(second)
    matcher = SequenceMatcher(None, [token.kind for token in tokens], [token.kind for token in others], autojunk=False)
    passages = []
    for block in matcher.get_matching_blocks():
        run = tokens[block.a : block.a + block.size]
        if block.size >= GRAM and not fingerprints([token.kind for token in run]) <= set(template):
            same = others[block.b : block.b + block.size]
            passages.append(CommonPassage(block.size, _lines(first, run), _lines(second, same)))
    return tuple(sorted(passages, key=lambda passage: -passage.tokens)[:_PASSAGES])


def _lines(cells: Sequence[str], tokens: Sequence[Token]) -> str:
    places = groups_of((token.cell, token.line) for token in tokens)
    parts = ("\n".join(cells[cell].splitlines()[min(lines) - 1 : max(lines)]) for cell, lines in places.items())
    return "\n".join(parts)
