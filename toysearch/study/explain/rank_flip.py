"""Rank flip: the smallest change of one parameter that swaps two documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, ModelError, expect_list, has_no, without_notes
from toysearch.index.postings import contained
from toysearch.models.model import Value
from toysearch.models.tunable_parameters import TunableParameter, tunable_parameters
from toysearch.retrieval import Asked, Searcher, SearcherLike, searcher_of

__all__ = ["Turn", "turning_points"]


_STEPS = 200  # positions tested in a range
_CLOSE = 1e-9  # bisection ends at this part of the range
_ROUNDING = 1e-12  # of a score: a smaller difference may come from the order of additions and swaps nothing
_NEARLY_0 = 1e-6  # of the distance to a value: a value this small is tried as 0
_DIGITS = (4, 6, 9, 12)  # a value is rounded to the fewest of these digits that still swap the documents


class Turn(NamedTuple):
    """Smallest change of one parameter that swaps two documents, if there is one.

    Attributes
    ----------
    parameter : str
        Its name, in a mixture with its model: ``b of bm25``.
    value : number, text or None
        Its present value.
    range : str
        Its declared range in words.
    turned : number, text or None
        The value nearest to the present one that swaps the documents; None if `turns` is False.
    turns : bool
        Whether there is such a value.
    change : float or None
        Its distance from the present value as a fraction of the range; None if either is not a number.
    ahead : float or None
        The lead of the lower document at that value; 0 if the order of the collection decides; None if `turns` is
        False, or the higher document is no longer ranked.
    """

    parameter: str
    value: Value
    range: str
    turned: Value
    turns: bool
    change: float | None
    ahead: float | None


def turning_points(
    searcher: SearcherLike,
    text: Asked,
    above: str,
    below: str,
    parameters: Iterable[str] | None = None,
    *,
    progress: Callable[[int], object] | None = None,
) -> list[Turn]:
    """Find, for each parameter, the smallest change within its range that swaps two documents, the others unchanged.

    The documents are ranked at 200 positions of the range, outward from the present value. The value is found by
    bisection between the last position that keeps the order and the first that swaps it. If the two scores come close
    without meeting, the closest point between is also tried. Every value in the result was tested by ranking with it.
    With another value a query may be expanded by other terms; a document that is then not ranked is below one that is.

    Parameters
    ----------
    searcher : Searcher
        The index and the model; the weights of a mixture are parameters of any value.
    text : str
        The query.
    above, below : str
        The documents in their present order.
    parameters : iterable of str, optional
        The names of the parameters to change; by default all.
    progress : callable, optional
        Called with the number of rankings so far.

    Returns
    -------
    list of Turn
        First the parameters that swap the documents, smallest change first; then those without a distance; then those
        that cannot swap them. Empty if the model has no parameters.

    Raises
    ------
    ArgumentError
        If the index lacks a document, one of them is not ranked, ``above`` is not ranked above ``below``, or there is
        no such parameter.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat, and one more, sat on it", "the dog"])
    >>> for turn in turning_points(toysearch.Searcher(index, "bm25"), "cat", "1", "2"):
    ...     print(turn.parameter, turn.value, turn.turned, turn.change and round(turn.change, 4))
    b 0.75 0.5555 0.1945
    k1 1.2 None None
    k3 None None None
    """
    searcher = searcher_of(searcher)
    order = _Order(searcher, text, above, below, progress)
    if order(searcher) <= 0:
        raise ArgumentError(f"'{above}' does not rank above '{below}' for this query; swap the two")
    tunable = {parameter.name: parameter for parameter in tunable_parameters(searcher.model)}
    chosen = tunable if parameters is None else parameters
    expect_list(str, ordered=False, parameters=chosen)
    for name in chosen:
        if name not in tunable:
            raise has_no(str(searcher.model), "parameter", name, tunable)
    with without_notes():  # of models that nobody asked for
        turns = [_turn(tunable[name], order) for name in chosen]
    return sorted(turns, key=lambda turn: (not turn.turns, math.inf if turn.change is None else turn.change))


class _Order:
    def __init__(
        self,
        searcher: Searcher,
        text: Asked,
        above: str,
        below: str,
        progress: Callable[[int], object] | None,
    ) -> None:
        self._progress, self._rankings = progress, 0
        self.index, self.terms = searcher.index, searcher.terms(text)
        self.above, self.below = (self.index.doc_number(doc_id) for doc_id in (above, below))
        for doc_id, score in zip((above, below), self.scores(searcher), strict=True):
            if score is None:
                raise ArgumentError(f"document '{doc_id}' is not ranked for this query; compare two ranked documents")

    def __call__(self, searcher: Searcher) -> float:
        """Subtract the scores: above 0 if the order is kept; the order of the collection breaks a tie."""
        above, below = self.scores(searcher, as_ranked=True)
        if above is None or below is None:  # one that is not ranked is below the other; without both there is no order
            return (math.nan if below is None else -math.inf) if above is None else math.inf
        if above == below:
            return math.ulp(0.0) if self.above < self.below else -math.ulp(0.0)
        if abs(above - below) <= _ROUNDING * max(abs(above), abs(below)):
            return math.ulp(0.0)
        return above - below

    def scores(self, searcher: Searcher, *, as_ranked: bool = False) -> tuple[float | None, float | None]:
        """Return both scores, or what ranks the two in their place; None for a document that is not ranked."""
        docs, scores = searcher.scores(self.terms)
        both = np.array([self.above, self.below])
        if as_ranked:
            scores = searcher.scorer.ranking_keys(self.terms, scores)
        places, ranked = np.searchsorted(docs, both).tolist(), contained(both, docs).tolist()
        above, below = (
            float(scores[place]) if is_ranked else None for place, is_ranked in zip(places, ranked, strict=True)
        )
        return above, below

    def at(self, parameter: TunableParameter, value: Value) -> float:
        self._rankings += 1
        if self._progress is not None:
            self._progress(self._rankings)
        try:
            return self(Searcher(self.index, parameter.with_value(value)))
        except (ArgumentError, ModelError):
            return math.nan

    def along(self, parameter: TunableParameter) -> Callable[[float], float]:
        """Return the function from a place in the range of a parameter to what `at` gives."""
        return lambda place: self.at(parameter, parameter.at(place))


def _turn(parameter: TunableParameter, order: _Order) -> Turn:
    value: Value = None
    turns = False
    if parameter.is_number:
        number = _nearest(parameter, order) if isinstance(parameter.value, (int, float)) else _lowest(parameter, order)
        turns, value = number is not None, number
    # Without numbers there is no distance: the first choice in the order of declaration is taken.
    others: tuple[Value, ...] = (None,) if parameter.is_number and parameter.default is None else parameter.choices
    for other in others if not turns else ():
        if other != parameter.value and order.at(parameter, other) < 0:
            turns, value = True, other
            break
    change = ahead = None
    if turns:
        above, below = order.scores(Searcher(order.index, parameter.with_value(value)))
        ahead = None if above is None or below is None else below - above
        if isinstance(value, (int, float)) and isinstance(parameter.value, (int, float)):
            change = abs(parameter.place(value) - parameter.place(parameter.value))
    return Turn(parameter.name, parameter.value, parameter.range, value, turns, change, ahead)


def _nearest(parameter: TunableParameter, order: _Order) -> float | None:
    assert isinstance(parameter.value, (int, float))
    here = parameter.place(parameter.value)
    swaps: list[float] = []
    for both in zip(_walk(parameter, order, here, -1), _walk(parameter, order, here, 1), strict=True):
        late = bool(swaps)  # one more step: a dip on the other side is detected only after it
        swaps += [place for place in both if place is not None]
        if late:
            break
    if not swaps:
        return None
    value = parameter.at(min(swaps, key=lambda place: abs(place - here)))
    return _rounded(parameter, order, value, value - parameter.value)


def _walk(parameter: TunableParameter, order: _Order, here: float, side: int) -> Iterator[float | None]:
    """Yield, at each step from the present value to one side, the place that swaps the documents, or None."""
    at, seen = order.along(parameter), [(here, order.at(parameter, parameter.value))]
    for step in range(1, _STEPS + 2):
        place = min(max(here + side * step / _STEPS, 0.0), 1.0)
        if place == seen[-1][0] or not math.isfinite(parameter.at(place)):
            yield None
            continue
        seen.append((place, at(place)))
        yield _halved(at, seen[-2][0], place) if seen[-1][1] < 0 else _dip(at, seen[-3:])


def _dip(at: Callable[[float], float], seen: Sequence[tuple[float, float]]) -> float | None:
    """Find the place that swaps the documents between three that do not."""
    if len(seen) < 3:
        return None
    (first, before), (_, middle), (last, after) = seen
    if not (0 < middle < before and middle <= after):
        return None
    from scipy.optimize import minimize_scalar

    bounds = min(first, last), max(first, last)
    lowest = float(minimize_scalar(at, bounds=bounds, method="bounded").x)
    return _halved(at, first, lowest) if at(lowest) < 0 else None


def _lowest(parameter: TunableParameter, order: _Order) -> float | None:
    """Find the lowest value that turns the order, for a parameter whose present value is None."""
    at, keeps = order.along(parameter), None
    for step in range(_STEPS + 1):
        place = step / _STEPS
        if not math.isfinite(parameter.at(place)):
            continue
        ahead = at(place)
        if ahead < 0:
            value = parameter.at(place if keeps is None else _halved(at, keeps, place))
            return value if keeps is None else _rounded(parameter, order, value, value)
        keeps = place if ahead > 0 else keeps
    return None


def _halved(at: Callable[[float], float], keeps: float, turns: float) -> float:
    while abs(turns - keeps) > _CLOSE:
        middle = (keeps + turns) / 2
        keeps, turns = (keeps, middle) if at(middle) < 0 else (middle, turns)
    return turns


def _rounded(parameter: TunableParameter, order: _Order, value: float, away: float) -> float:
    """Round to few digits that also turn the order, by the smaller of the value and the change."""
    if abs(value) <= _NEARLY_0 * abs(away) and order.at(parameter, 0.0) < 0:
        return 0.0
    for digits in _DIGITS:
        unit = 10.0 ** (math.floor(math.log10(min(abs(away), abs(value)))) + 1 - digits)
        outward = math.ceil(value / unit) if away > 0 else math.floor(value / unit)
        for count in (round(value / unit), outward):
            shorter = float(f"{count * unit:.15g}")
            if order.at(parameter, shorter) < 0:
                return shorter
    return value
