r"""Patterns of tokens in a file that somebody else may have written: which ones may be matched for ever.

Python tries one way after another to match a pattern. Their number grows with the text only if a part of the text can
be read by the repeats of the pattern in several ways, as in ``(a+)+`` or ``a*a*``. Whether that is so is seen in the
automaton whose states are the characters of the pattern (Glushkov 1961; Weber & Seidl 1991).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from toysearch.base.errors import ArgumentError
from toysearch.base.regular_expression import Either, Expression, Repeat, Symbol, read_expression

_MOST_STEPS, _MOST_CHOICES = 100_000, 1_000
_ALPHABET = [*map(chr, range(128)), *"éßΩж٣²–’\u00a0\u0301東ア한🙂\U000e0001"]
_NOT_READ = re.compile(
    r"""(?sx)
    (?P<edge> \\[bBAZ] | [\^$] | \(\?[aimsu]+\) )
  | (?P<group> \(\? (?: [=!>] | <[=!] | P<\w+> | [aimsu]*(?:-[ims]+)? : ) )
  | (?P<repeat> [*+?] | \{ (?: [0-9]+,?[0-9]* | ,[0-9]* ) \} ) \+   # possessive: read as if it were not
  | \\. | \[\^?\]?(?:\\.|[^\]\\])*+\]
    """
)


class _Unclear(Exception):
    """A pattern may be slow, or cannot be judged."""


def grows_fast(pattern: str, *, at_all: bool = True) -> bool:
    r"""Whether the ways to match a pattern at one place may grow with the text; if not `at_all`, exponentially.

    >>> [pattern for pattern in (r"\w+", r"[a-z]+(?:-[a-z]+)*", "(a+)+$", "a*a*b") if grows_fast(pattern)]
    ['(a+)+$', 'a*a*b']
    """
    readable = _NOT_READ.sub(_readable, pattern)
    if not readable:
        return False  # there are only places
    folded = any("i" in part[0].partition("-")[0] for part in _NOT_READ.finditer(pattern) if part[0].startswith("(?"))
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False  # it matches nothing
    try:
        _Automaton(read_expression(readable), re.IGNORECASE if folded else re.NOFLAG).judge(at_all)
    except (ArgumentError, _Unclear, RecursionError):
        return True
    return False


def _readable(part: re.Match[str]) -> str:
    """What stands for a part of a pattern that `read_expression` does not read."""
    return part["repeat"] or {"edge": "", "group": "(?:"}.get(part.lastgroup or "", part[0])


def refuse_endless(tokens: str) -> None:
    """Refuse to keep a pattern of tokens that may never end, since whoever opens the index has not chosen it."""
    if grows_fast(tokens, at_all=False):
        raise ArgumentError(
            f"no index is kept with the pattern of tokens '{tokens}', which may read a text in so many ways that it "
            "never ends: leave out repeats inside others that read the same text, or take a function in a file"
        )


class _Automaton:
    """The characters of a pattern, and which of them can follow which."""

    def __init__(self, expression: Expression, flags: re.RegexFlag) -> None:
        self._flags, self._steps = flags | re.DOTALL, 0
        self._alphabet = sorted({*_ALPHABET, *_letters(expression)})
        self.matched: list[int] = []  # of each character of the pattern, the letters that it matches, as bits
        self.following: list[set[int]] = []
        if _choices(expression) > _MOST_CHOICES:
            raise _Unclear
        self._add(expression)

    def _add(self, part: Expression) -> tuple[set[int], set[int], bool]:
        """The first and the last characters of a part, and whether it may be empty."""
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
            if (place, place, 1) in self._reached((place, place, 0), 2, lambda ways: int(ways[0] != ways[1])):
                raise _Unclear
        for place in range(len(self.matched)) if at_all else ():
            for other in range(len(self.matched)):
                ends = (place, other, other, 0)
                if place != other and ends in self._reached((place, place, other, 0), 3, lambda _: 0):
                    raise _Unclear

    def _reached(self, start: tuple[int, ...], n: int, mark: Callable[[tuple[int, ...]], int]) -> set[tuple[int, ...]]:
        """The places that n ways reach together, by the same letters, and a mark that stays."""
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
        """The next places of several ways that one letter leads to."""
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
    """The letters that a pattern names, with their neighbours, and those of its escapes."""
    if not isinstance(part, Symbol):
        return "".join(map(_letters, [part.part] if isinstance(part, Repeat) else part.parts))
    letters = {*part.text, *(chr(int(code[1:], 16)) for code in re.findall(r"x\w{2}|u\w{4}|U\w{8}", part.text))}
    return "".join(
        chr(ord(letter) + step) for letter in letters for step in (-1, 0, 1) if 0 <= ord(letter) + step < 0x110000
    )


def _choices(part: Expression) -> int:
    """At most how many ways there are through a pattern without going round in its repeats."""
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
