r"""Regular expressions in a query: a text in a part of Python's syntax → its parts.

The automaton that is made of the parts reads each term once, so every expression is matched in bounded time. What it
cannot do is refused: to refer back to a group, and to look ahead.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError

__all__ = ["Either", "Expression", "Repeat", "Sequence", "Symbol", "read_expression", "wildcard_expression"]

_LONGEST, _DEEPEST = 4000, 20
_OF_WILDCARD = re.compile(r"(?s)\\(.)|(.)")

_PIECE = re.compile(
    r"""(?sx)
    \\ (?P<escaped> x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | U[0-9a-fA-F]{8} | N\{[^}]*+\} | . )
  | \[ \^? \]? (?: \\. | [^\]\\] )*+ \]                          # a set of characters
  | (?P<group> \( (?: \? : )?+ )
  | (?P<close> \) )
  | (?P<repeat> (?: [*+?] | \{ (?P<low> [0-9]*+ ) (?P<comma> ,? ) (?P<high> [0-9]*+ ) (?<!\{) \} ) (?P<how> [+?]? ) )
  | (?P<bar> \| )
  | (?P<edge> [\^$] )
  | .
    """
)


class Symbol(NamedTuple):
    r"""One character: a letter, ``.``, an escape such as ``\d``, or a set such as ``[a-z]``."""

    text: str


class Sequence(NamedTuple):
    """Parts one after the other."""

    parts: list[Expression]


class Either(NamedTuple):
    """One of several parts."""

    parts: list[Expression]


class Repeat(NamedTuple):
    """A part a number of times; without a highest number if that is None."""

    part: Expression
    low: int
    high: int | None


Expression: TypeAlias = Symbol | Sequence | Either | Repeat


@checked
def read_expression(pattern: str) -> Expression:
    """The parts of a regular expression; one that an automaton cannot match is refused.

    >>> read_expression("ab+")
    Sequence(parts=[Symbol(text='a'), Repeat(part=Symbol(text='b'), low=1, high=None)])
    >>> read_expression("(a+")
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: '(a+' is not a regular expression: missing ), unterminated subpattern
    """
    if not isinstance(pattern, str) or not pattern:
        raise ArgumentError(f"a regular expression must be a text that is not empty, not {pattern!r:.60}")
    if len(pattern) > _LONGEST:
        raise ArgumentError(f"the regular expression has {len(pattern):,} characters; at most {_LONGEST:,} are read")
    pieces = [*_PIECE.finditer(pattern)]
    _refuse_others(pattern, pieces)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sets such as [[a]
            re.compile(pattern)
    except (re.error, OverflowError) as error:
        problem = getattr(error, "msg", str(error))
        raise ArgumentError(f"'{pattern:.60}' is not a regular expression: {problem}") from None
    return _parts(pieces)


@checked
def wildcard_expression(pattern: str, prepared: Callable[[str], str] = str) -> tuple[list[str], Expression]:
    """The texts before, between and after the * and ? of a wildcard, prepared like words; and the parts of the whole.

    >>> wildcard_expression("c?t")
    (['c', 't'], Sequence(parts=[Symbol(text='c'), Symbol(text='.'), Symbol(text='t')]))
    """
    texts, signs = [""], []
    for escaped, sign in _OF_WILDCARD.findall(pattern):
        if sign in ("*", "?"):
            signs.append(sign)
            texts.append("")
        else:
            texts[-1] += escaped or sign
    texts = [prepared(text) for text in texts]
    parts: list[Expression] = [Symbol(re.escape(letter)) for letter in texts[0]]
    for sign, text in zip(signs, texts[1:], strict=True):
        parts.append(Repeat(Symbol("."), 0, None) if sign == "*" else Symbol("."))
        parts += [Symbol(re.escape(letter)) for letter in text]
    return texts, Sequence(parts)


def _refuse_others(pattern: str, pieces: list[re.Match[str]]) -> None:
    """Reject what has no meaning for whole terms, or cannot be matched by reading a term once."""
    depth = 0
    for place, piece in enumerate(pieces):
        kind, text = piece.lastgroup, piece[0]
        if kind == "group":
            depth += 1
            if pattern.startswith("?", piece.end()):
                raise ArgumentError(
                    "the groups of a regular expression in a query are (…) or (?:…), not other kinds of (?…)"
                )
            if depth > _DEEPEST:
                raise ArgumentError(f"the groups of the regular expression are nested more than {_DEEPEST} deep")
        elif kind == "close":
            depth -= 1
        elif kind == "escaped" and text[1].isdigit():
            raise ArgumentError("a regular expression in a query cannot refer back to a group (\\1)")
        elif kind == "repeat" and piece["how"] == "+":
            raise ArgumentError(
                f"a regular expression in a query has no possessive repeats: leave out the + after {text[:-1]}"
            )
        elif text in (r"\b", r"\B", r"\A", r"\Z") or (kind == "edge" and not _at_an_end(pieces, place, depth)):
            raise ArgumentError(f"a regular expression matches a term as a whole: leave out {text}")


def _at_an_end(pieces: list[re.Match[str]], place: int, depth: int) -> bool:
    """Whether ^ begins the expression or one of its alternatives, or $ ends it."""
    beside = place - 1 if pieces[place][0] == "^" else place + 1
    return depth == 0 and (not 0 <= beside < len(pieces) or pieces[beside].lastgroup == "bar")


def _parts(pieces: list[re.Match[str]]) -> Expression:
    """The parts of an expression that is known to be sound."""
    open_groups: list[list[list[Expression]]] = [[[]]]  # of each its alternatives, of each its parts
    for piece in pieces:
        kind = piece.lastgroup
        if kind == "group":
            open_groups.append([[]])
        elif kind == "close":
            closed = _either(open_groups.pop())
            open_groups[-1][-1].append(closed)
        elif kind == "bar":
            open_groups[-1].append([])
        elif kind == "repeat":
            open_groups[-1][-1].append(_repeat(open_groups[-1][-1].pop(), piece))
        elif kind != "edge":
            open_groups[-1][-1].append(Symbol(piece[0]))
    return _either(open_groups[0])


def _either(alternatives: list[list[Expression]]) -> Expression:
    """The part that a group is."""
    parts = [parts[0] if len(parts) == 1 else Sequence(parts) for parts in alternatives]
    return parts[0] if len(parts) == 1 else Either(parts)


def _repeat(part: Expression, piece: re.Match[str]) -> Repeat:
    """A part with the repeat that follows it."""
    if piece["low"] is None:
        return Repeat(part, int(piece[0][0] == "+"), 1 if piece[0][0] == "?" else None)
    low = int(piece["low"] or 0)
    return Repeat(part, low, int(piece["high"]) if piece["high"] else None if piece["comma"] else low)
