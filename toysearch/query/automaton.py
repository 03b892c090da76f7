"""Automaton of a pattern: it reads a text once, from left to right, and tells if the whole text fits.

After each character the automaton is in one of finitely many states: the set of the places of the pattern that the
characters read so far can lead to. A state is worked out when a text first leads to it, and then known.

References
----------
Thompson, Regular expression search algorithm, CACM 11(6), 1968. Cox, Regular expression matching can be simple and
fast, https://swtch.com/~rsc/regexp/regexp1.html, 2007.
"""

from __future__ import annotations

import re
import warnings
from typing import NamedTuple

from toysearch.base import ArgumentError, checked
from toysearch.base.regular_expression import Either, Expression, Repeat, Sequence, Symbol

__all__ = ["DEAD", "MOST_STEPS", "Automaton", "Steps"]

MOST_STEPS = 1_000_000
DEAD = 0  # no text fits from this state
_OF_PLACE = 20  # the cost of a place of the pattern, in steps
_END = -1  # the place after the whole pattern
_LETTER = re.compile(r"(?s)\\?[^\w.]|\w")  # a symbol that stands for its last character


class Steps:
    """Number of steps that the patterns of a query may still take."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.most = self.left = most

    def take(self, steps: int, pattern: str) -> None:
        """Take some steps; refuse them if too few are left."""
        self.left -= steps
        if self.left < 0:
            raise ArgumentError(
                f"the pattern {pattern:.40} takes too long: comparing the patterns of a query with the terms of an "
                f"index may take {self.most:,} steps; shorten it, or write fewer of * + {{ }} in it"
            )


class _Place(NamedTuple):
    """Place of a pattern: it reads a character (the symbol it has to fit), or leads to other places."""

    symbol: int  # -1: none
    following: list[int]


class Automaton:
    """Matches texts with an expression as a whole.

    >>> from toysearch.base.regular_expression import read_expression
    >>> automaton = Automaton(read_expression("(a+)+b"), "/(a+)+b/")
    >>> automaton.fits("aaaaab"), automaton.fits("a" * 1000)
    (True, False)
    """

    @checked
    def __init__(self, expression: Expression, pattern: str, steps: Steps | None = None) -> None:
        self._pattern, self._steps = pattern, steps or Steps()
        self._places: list[_Place] = []
        self._symbols: dict[str, int] = {}
        first = self._before(expression, _END)
        self._letters = {text[-1]: number for text, number in self._symbols.items() if _LETTER.fullmatch(text)}
        others = {*self._symbols.values()} - {*self._letters.values()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sets such as [[a]
            self._sets = [(n, re.compile(text, re.DOTALL)) for text, n in self._symbols.items() if n in others]
        self._kinds: dict[frozenset[int], int] = {}  # the symbols that characters fit → a number
        self._symbols_of: list[frozenset[int]] = []
        self._kind_of: dict[str, int] = {}
        self._states: dict[frozenset[int], int] = {frozenset(): DEAD}
        self._places_of: list[frozenset[int]] = [frozenset()]
        self._moves: dict[tuple[int, int], int] = {}
        self.start = self._state([first])

    def _before(self, part: Expression, after: int) -> int:
        self._steps.take(_OF_PLACE, self._pattern)
        if isinstance(part, Symbol):
            return self._add(self._symbols.setdefault(part.text, len(self._symbols)), [after])
        if isinstance(part, Sequence):
            for inner in reversed(part.parts):
                after = self._before(inner, after)
            return after
        if isinstance(part, Either):
            return self._add(-1, [self._before(inner, after) for inner in part.parts])
        assert isinstance(part, Repeat)
        end = after
        if part.high is None:
            after = self._add(-1, [end])
            self._places[after].following.append(self._before(part.part, after))
        else:
            for _ in range(part.high - part.low):
                after = self._add(-1, [end, self._before(part.part, after)])
        for _ in range(part.low):
            after = self._before(part.part, after)
        return after

    def _add(self, symbol: int, following: list[int]) -> int:
        self._places.append(_Place(symbol, following))
        return len(self._places) - 1

    def _state(self, places: list[int]) -> int:
        reached, visited, waiting = [], {*places}, [*places]
        while waiting:
            place = waiting.pop()
            if place == _END or self._places[place].symbol >= 0:
                reached.append(place)
                continue
            for following in self._places[place].following:
                if following not in visited:
                    visited.add(following)
                    waiting.append(following)
        self._steps.take(len(visited), self._pattern)
        state = self._states.setdefault(frozenset(reached), len(self._places_of))
        if state == len(self._places_of):
            self._places_of.append(frozenset(reached))
        return state

    def kind(self, character: str) -> int:
        """Number the kind of a character: all of a kind fit the same symbols."""
        kind = self._kind_of.get(character)
        if kind is None:
            self._steps.take(1 + len(self._sets), self._pattern)
            fitting = {number for number, pattern in self._sets if pattern.fullmatch(character)}
            symbols = frozenset({*fitting, self._letters.get(character, -1)})
            kind = self._kind_of[character] = self._kinds.setdefault(symbols, len(self._kinds))
            if kind == len(self._symbols_of):
                self._symbols_of.append(symbols)
        return kind

    def move(self, state: int, kind: int) -> int:
        """Return the state after one more character of a kind."""
        following = self._moves.get((state, kind))
        if following is None:
            fitting, places = self._symbols_of[kind], self._places_of[state] - {_END}
            self._steps.take(1 + len(places), self._pattern)
            before = [self._places[place] for place in places]
            following = self._state([place.following[0] for place in before if place.symbol in fitting])
            self._moves[state, kind] = following
        return following

    def give_up(self) -> None:
        """Refuse the pattern: it has too many states and kinds of characters."""
        self._steps.take(self._steps.left + 1, self._pattern)

    def is_end(self, state: int) -> bool:
        """True if a text that ends in this state fits."""
        return _END in self._places_of[state]

    def fits(self, text: str) -> bool:
        """True if a whole text fits."""
        state = self.start
        for character in text:
            state = self.move(state, self.kind(character))
        return self.is_end(state)
