"""The terms that fit a pattern: an automaton reads all of them at once, one character of each per step."""

from __future__ import annotations

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.index.strings import Strings
from toysearch.query.automaton import DEAD, Automaton
from toysearch.search.edit_distance import characters_at

__all__ = ["fitting"]

_BLOCK = 1 << 16  # strings that are read at a time: limits memory
_MOST_MOVES = 1 << 22  # entries of the table of moves


@checked
def fitting(strings: Strings, numbers: np.ndarray, automaton: Automaton) -> np.ndarray:
    """The numbers, of some given ones, of the strings that an automaton fits as a whole.

    >>> from toysearch.base.regular_expression import read_expression
    >>> automaton = Automaton(read_expression("colou?r"), "/colou?r/")
    >>> fitting(Strings.of(["color", "colors", "colour"]), np.arange(3), automaton)
    array([0, 2])
    """
    text, offsets, moves = strings.text, np.asarray(strings.offsets), _Moves(automaton)
    found = [np.empty(0, dtype=np.int64)]
    for first in range(0, len(numbers), _BLOCK):
        rows = numbers[first : first + _BLOCK]
        at, ends = offsets[rows], offsets[rows + 1]
        states = np.full(len(rows), automaton.start)
        while len(rows):
            ended = at >= ends
            found.append(rows[ended & moves.ends(states)])
            rows, at, ends, states = (each[~ended] for each in (rows, at, ends, states))
            characters, sizes = characters_at(text, at)
            states, at = moves.after(states, characters), at + sizes
            alive = states != DEAD
            rows, at, ends, states = (each[alive] for each in (rows, at, ends, states))
    return np.sort(np.concatenate(found))


class _Moves:
    """The moves of an automaton as a table, filled where texts lead."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._kinds = np.full(0x110000, -1, dtype=np.int32)  # by the number of a character
        self._table = np.full((16, 16), -1, dtype=np.int32)  # by state and kind

    def after(self, states: np.ndarray, characters: np.ndarray) -> np.ndarray:
        """The states after one more character of each text."""
        kinds = self._kinds.take(characters, mode="clip")
        if (kinds < 0).any():
            for number in np.unique(characters[kinds < 0]).tolist():
                self._kinds[number] = self._automaton.kind(chr(number))
            kinds = self._kinds.take(characters, mode="clip")
        self._grow(int(states.max(initial=0)), int(kinds.max(initial=0)))
        moved: np.ndarray = self._table[states, kinds]
        new = np.flatnonzero(moved < 0)
        if len(new):
            for pair in np.unique(states[new].astype(np.int64) * self._table.shape[1] + kinds[new]).tolist():
                state, kind = divmod(pair, self._table.shape[1])
                self._table[state, kind] = self._automaton.move(state, kind)
            moved = self._table[states, kinds]
        return moved

    def _grow(self, state: int, kind: int) -> None:
        """Make room in the table for a state and a kind."""
        rows, columns = self._table.shape
        if state >= rows or kind >= columns:
            larger = (max(rows, 2 * state), max(columns, 2 * kind))
            if larger[0] * larger[1] > _MOST_MOVES:
                self._automaton.give_up()
            table = np.full(larger, -1, dtype=np.int32)
            table[:rows, :columns] = self._table
            self._table = table

    def ends(self, states: np.ndarray) -> np.ndarray:
        """Whether a text that ends in these states fits."""
        ends = {state for state in np.unique(states).tolist() if self._automaton.is_end(state)}
        return np.isin(states, [*ends])
