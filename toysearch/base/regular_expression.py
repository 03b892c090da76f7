"""Regular expressions of tokens: whether matching one may take time that grows fast with the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from toysearch.base.argument_checks import expect

__all__ = ["grows_fast"]

_LONGEST, _DEEPEST = 4000, 20

_PIECE = re.compile(
    r"""(?sx)
    \\ (?P<escaped> x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | U[0-9a-fA-F]{8} | N\{[^}]*+\} | . )
  | \[ \^? \]? [^\]\\]*+ (?: \\. [^\]\\]*+ )* \]                   # a set of characters
  | (?P<group> \( (?: \? : )? )
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
    """Part that occurs a number of times; None as the highest number means any."""

    part: Expression
    low: int
    high: int | None


Expression: TypeAlias = Symbol | Sequence | Either | Repeat


class _Unclear(Exception):
    """Pattern that may be slow, or cannot be judged."""


def _expression(pattern: str) -> Expression:
    """Parse a regular expression that compiles; refuse one that refers back to groups, looks ahead, or is too long."""
    if len(pattern) > _LONGEST:
        raise _Unclear
    pieces = [*_PIECE.finditer(pattern)]
    depth = 0
    for piece in pieces:
        depth += (piece.lastgroup == "group") - (piece.lastgroup == "close")
        special = piece.lastgroup == "group" and pattern.startswith("?", piece.end())
        refers_back = piece.lastgroup == "escaped" and piece[0][1].isdigit()
        if special or refers_back or depth > _DEEPEST:
            raise _Unclear
    return _parts(pieces)


def _parts(pieces: list[re.Match[str]]) -> Expression:
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
            low, high = int(piece["low"] or piece[0][0] == "+"), 1 if piece[0][0] == "?" else None
            if piece["low"] is not None:  # {2}, {2,}, {,5} or {2,5}
                high = int(piece["high"]) if piece["high"] else None if piece["comma"] else low
            open_groups[-1][-1].append(Repeat(open_groups[-1][-1].pop(), low, high))
        elif kind != "edge":
            open_groups[-1][-1].append(Symbol(piece[0]))
    return _either(open_groups[0])


def _either(alternatives: list[list[Expression]]) -> Expression:
    parts = [parts[0] if len(parts) == 1 else Sequence(parts) for parts in alternatives]
    return parts[0] if len(parts) == 1 else Either(parts)


_MOST_STEPS, _MOST_CHOICES = 100_000, 1_000
_ALPHABET = [*map(chr, range(128)), *"éßΩж٣²–’\u00a0\u0301東ア한🙂\U000e0001"]
_NOT_READ = re.compile(
    r"""(?sx)
    (?P<edge> \\[bBAZ] | [\^$] | \(\?[aimsu]+\) )
  | (?P<group> \(\? (?: [=!>] | <[=!] | P<\w+> | [aimsu]*(?:-[ims]+)? : ) )
  | (?P<repeat> [*+?] | \{ (?: [0-9]+,?[0-9]* | ,[0-9]* ) \} ) \+   # possessive: read as if it were not
  | \\. | \[\^?\]?[^\]\\]*+(?:\\.[^\]\\]*+)*\]
    """
)


def grows_fast(pattern: str, *, at_all: bool = True) -> bool:
    r"""True if the ways to match a pattern at one place may grow with the text; if not `at_all`, exponentially.

    >>> [pattern for pattern in (r"\w+", r"[a-z]+(?:-[a-z]+)*", "(a+)+$", "a*a*b") if grows_fast(pattern)]
    ['(a+)+$', 'a*a*b']
    """
    expect(str, pattern=pattern)
    try:
        re.compile(pattern)  # before it is read in parts: in one that is sound, each set ends
    except (re.error, OverflowError, RecursionError):
        return False  # it matches nothing
    readable = _NOT_READ.sub(_readable, pattern)
    if not readable:
        return False  # there are only places
    folded = any("i" in part[0].partition("-")[0] for part in _NOT_READ.finditer(pattern) if part[0].startswith("(?"))
    try:
        re.compile(readable)
        _Automaton(_expression(readable), re.IGNORECASE if folded else re.NOFLAG).judge(at_all)
    except (re.error, OverflowError, _Unclear, RecursionError):
        return True
    return False


def _readable(part: re.Match[str]) -> str:
    """Replace a part of a pattern that `_expression` does not read."""
    return part["repeat"] or {"edge": "", "group": "(?:"}.get(part.lastgroup or "", part[0])


class _Automaton:
    def __init__(self, expression: Expression, flags: re.RegexFlag) -> None:
        self._flags, self._steps = flags | re.DOTALL, 0
        self._alphabet = sorted({*_ALPHABET, *_letters(expression)})
        self.matched: list[int] = []  # of each character of the pattern, the letters that it matches, as bits
        self.following: list[set[int]] = []
        if _choices(expression) > _MOST_CHOICES:
            raise _Unclear
        self._add(expression)

    def _add(self, part: Expression) -> tuple[set[int], set[int], bool]:
        """Add a part; return its first and last characters, and whether it may be empty."""
        if isinstance(part, Symbol):
            matches = re.compile(part.text, self._flags).fullmatch
            self.matched.append(sum(1 << place for place, letter in enumerate(self._alphabet) if matches(letter)))
            self.following.append(set())
            state = {len(self.matched) - 1}
            return state, state, False
        if isinstance(part, Repeat):
            first, last, empty = self._add(part.part)
            if empty and part.high not in (1, None):  # any of its rounds may be the empty ones
                raise _Unclear
            if part.high != 1 and not (isinstance(part.part, Symbol) and part.low == part.high):
                self._join(last, first)
            return first, last, empty or part.low == 0
        if isinstance(part, Either):
            firsts, lasts, empties = zip(*map(self._add, part.parts), strict=True)
            return set().union(*firsts), set().union(*lasts), any(empties)
        first, last, empty = set[int](), set[int](), True
        for member in part.parts:
            next_first, next_last, next_empty = self._add(member)
            self._join(last, next_first)
            first = first | next_first if empty else first
            last = last | next_last if next_empty else next_last
            empty = empty and next_empty
        return first, last, empty

    def _join(self, last: Iterable[int], first: set[int]) -> None:
        """Let characters follow others; if they do already, a repeat within a repeat reads one text in two ways."""
        for place in last:
            if self.following[place] & first:
                raise _Unclear
            self.following[place] |= first

    def judge(self, at_all: bool) -> None:
        """Refuse two ways from a character back to itself; if `at_all`, also a repeat after one of the same text."""
        for place in range(len(self.matched)):
            # Two ways side by side, and whether they have parted.
            if (place, place, 1) in self._reached((place, place, 0), lambda ways: int(ways[0] != ways[1])):
                raise _Unclear
        for place in range(len(self.matched)) if at_all else ():
            for other in range(len(self.matched)):
                ends = (place, other, other, 0)
                if place != other and ends in self._reached((place, place, other, 0), lambda _: 0):
                    raise _Unclear

    def _reached(self, start: tuple[int, ...], mark: Callable[[tuple[int, ...]], int]) -> set[tuple[int, ...]]:
        """Return the places that some ways reach together, by the same letters, and a mark that stays."""
        reached, open_ = set[tuple[int, ...]](), [start]
        while open_:
            *ways, marked = open_.pop()
            for after in self._steps_of(ways):
                state = (*after, marked | mark(after))
                if state not in reached:
                    reached.add(state)
                    open_.append(state)
        return reached

    def _steps_of(self, ways: list[int]) -> list[tuple[int, ...]]:
        paths: list[tuple[tuple[int, ...], int]] = [((), -1)]
        for way in ways:
            paths = [
                ((*before, after), letters & self.matched[after])
                for before, letters in paths
                for after in self.following[way]
                if letters & self.matched[after]
            ]
            self._steps += 1 + len(paths)
            if self._steps > _MOST_STEPS:
                raise _Unclear
        return [places for places, _ in paths]


def _letters(part: Expression) -> str:
    if not isinstance(part, Symbol):
        return "".join(map(_letters, [part.part] if isinstance(part, Repeat) else part.parts))
    letters = {*part.text, *(chr(int(code[1:], 16)) for code in re.findall(r"x\w{2}|u\w{4}|U\w{8}", part.text))}
    return "".join(
        chr(ord(letter) + step) for letter in letters for step in (-1, 0, 1) if 0 <= ord(letter) + step < 0x110000
    )


def _choices(part: Expression) -> int:
    """Bound the ways through a pattern without going round in its repeats."""
    if isinstance(part, Symbol):
        return 1
    if isinstance(part, Repeat):
        return _choices(part.part) + (part.high == 1)
    counts = [_choices(member) for member in part.parts]
    if isinstance(part, Either):
        return sum(counts)
    product = 1
    for member in counts:
        product *= member
    return product
