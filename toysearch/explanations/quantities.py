"""What a measure's code computes on its way: the names that it gives, and the arrays that it adds up.

The measure's own function is run on one query while a profiler looks on. When a function of the evaluation returns, its
local variables are read; when the method ``sum`` of an array is called, the array. So nothing is computed a second time
in another way, and a change in the code is a change in what is seen here.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from toysearch.evaluation.judged import Judged
from toysearch.evaluation.measure import Measure

TERM, SUM, IDEAL_SUM = "term", "running_sum", "ideal_running_sum"
"""The names of what a measure adds up, of the sum so far, and of that of an ideal along the same ranks."""

_HOME = "toysearch.evaluation."
_PLUMBING = ("toysearch.evaluation.judged", "toysearch.evaluation.measure")
_OFTEN = 3  # calls of a helper from which on its results are a list
_LONGEST = 10_000  # ranks: a cutoff beyond is no array's length


class Quantities(NamedTuple):
    """What the code names, by length: along the ranking, along the ideal ranking, single numbers, anything else."""

    by_rank: dict[str, np.ndarray]
    by_ideal: dict[str, np.ndarray]
    numbers: dict[str, float]
    lists: dict[str, list[float]]


class _Call(NamedTuple):
    """A function of the evaluation that has returned: its name, local variables, value, and the arrays it added up."""

    name: str
    local: Mapping[str, Any]
    value: Any
    summed: list[np.ndarray]


def quantities(measure: Measure, judged: Judged) -> tuple[float, Quantities]:
    """A measure's value for the one query of a join, and what its code computes on its way.

    Parameters
    ----------
    measure : Measure
        The measure.
    judged : Judged
        The join of one query, as `widened` makes it.

    Returns
    -------
    float, Quantities
        The value, NaN where it is undefined. Among the quantities along a ranking are `TERM` and `SUM`, where the code
        adds something up along it.

    Examples
    --------
    >>> from toysearch.evaluation.judged import join
    >>> from toysearch.records import Qrels, Ranking, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "b"], [3, 2, 1])])
    >>> judged = widened(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1}})))
    >>> value, found = quantities(Measure.parse("AP"), judged)
    >>> found.by_rank["precisions"][:2].tolist(), found.by_rank[SUM][:2].tolist()
    ([1.0, 0.6666666666666666], [1.0, 1.6666666666666665])
    """
    value, calls = _watched(measure, judged)
    return value, _sorted_by_length(measure, judged, calls, value)


def widened(judged: Judged, cutoff: float | None = None) -> Judged:
    """The same join with room beyond the last judged document, which no measure looks at.

    So the arrays along the ranking have a length that no others have: that is how they are told apart.

    Parameters
    ----------
    judged : Judged
        The join of one query.
    cutoff : float, optional
        The measure's cutoff.
    """
    longest = max(judged.ideal.shape[1], int(judged.retrieved[0]), min(int(cutoff or 0), _LONGEST))
    more = longest + 1 - judged.ranks.shape[1]
    wider = ((0, 0), (0, more))
    return replace(
        judged,
        ranks=np.pad(judged.ranks, wider, constant_values=np.inf),
        grades=np.pad(judged.grades, wider, constant_values=np.nan),
    )


def _watched(measure: Measure, judged: Judged) -> tuple[float, list[_Call]]:
    """The measure's value, and the functions of the evaluation that made it: its own first, then its helpers."""
    compute = _innermost(measure.definition.compute)
    code = getattr(compute, "__code__", None)
    calls: list[_Call] = []
    summed: dict[int, list[np.ndarray]] = {}

    def watch(frame: Any, event: str, value: Any) -> None:
        if event not in ("c_call", "return"):
            return
        home = frame.f_globals.get("__name__", "")
        if frame.f_code is not code and (not home.startswith(_HOME) or home in _PLUMBING):
            return
        if event == "c_call":
            # The array whose .sum() is being called: what is added up need not have a name in the code.
            array = getattr(value, "__self__", None)
            if isinstance(array, np.ndarray) and value.__name__ == "sum":
                summed.setdefault(id(frame), []).append(array.copy())
            return
        added = summed.pop(id(frame), [])
        # Lambdas and comprehensions bear no name to show, unless one is the measure itself.
        if frame.f_code is code or not frame.f_code.co_name.startswith("<"):
            calls.append(_Call(frame.f_code.co_name, dict(frame.f_locals), value, added))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        values = measure.values(judged)
    finally:
        sys.setprofile(before)
    own = getattr(code, "co_name", "")
    calls.sort(key=lambda call: call.name != own)
    return float(values[0]), calls


def _innermost(function: Callable[..., Any]) -> Any:
    """The function with the formula, under partial() and decorators."""
    while inner := getattr(function, "__wrapped__", None) or getattr(function, "func", None):
        function = inner
    return function


def _sorted_by_length(measure: Measure, judged: Judged, calls: list[_Call], value: float) -> Quantities:
    """What the calls name: along the ranking, along the ideal ranking, single numbers, others."""
    width, ideal = judged.ranks.shape[1], judged.ideal.shape[1]
    lengths = {ideal, min(ideal, int(measure.cutoff or 0) or ideal)}
    n_found = int(np.isfinite(judged.ranks).sum())
    found = Quantities({}, {}, {}, {})
    adders: set[str] = set()
    often = {name for name, times in Counter(call.name for call in calls).items() if times >= _OFTEN}
    for position, call in enumerate(calls):
        helper = position > 0
        if call.name in often:  # once for each level or cutoff: its results are a list
            _add_result(found, call)
            continue
        for name, row in _named(call, width, helper).items():
            if helper and _is_known(row, judged):
                continue
            if row.size == width:
                _add(found.by_rank, name, row, helper, n_found)
            elif row.size == 1:
                _add_number(found, name, float(row[0]), helper, value)
            elif row.size in lengths:
                _add(found.by_ideal, name.removesuffix("_of_ideal"), row, helper, row.size)
            elif row.size:
                found.lists.setdefault(name, row.tolist())
        for array in call.summed:
            _add_sums(found, array, width, lengths, again=call.name in adders)
        adders |= {call.name} if helper and call.summed else set()
    return found


def _named(call: _Call, width: int, helper: bool) -> dict[str, np.ndarray]:
    """The numeric quantities of a call by their names; without the flags of a helper, which would only fill tables."""
    values = {name: value for name, value in _flattened(call.local).items() if not name.startswith("_")}
    if helper:  # its result has no name but its own; the measure's is the value itself
        values[_result_name(call, width)] = call.value
    rows = {name: _row(value) for name, value in values.items() if not (helper and _is_flags(value))}
    return {name: row for name, row in rows.items() if row is not None}


def _add_result(found: Quantities, call: _Call) -> None:
    result = _row(call.value)
    if result is not None and result.size == 1 and not call.name.startswith("_"):
        found.lists.setdefault(call.name, []).append(float(result[0]))


def _add_number(found: Quantities, name: str, number: float, helper: bool, value: float) -> None:
    """A single number, unless a helper names once more what is known, or it is the measure's value."""
    known = (value, *found.numbers.values(), *found.by_rank.get(SUM, [])[-1:])
    if np.isfinite(number) and not (helper and number in known):
        found.numbers.setdefault(name, number)


def _add(along: dict[str, np.ndarray], name: str, row: np.ndarray, helper: bool, size: int) -> None:
    """A quantity under its name, unless a helper names once more what has a name; `size` of its numbers count."""
    if not (helper and any(np.array_equal(row[:size], known[:size], equal_nan=True) for known in along.values())):
        along.setdefault(name, row)


def _add_sums(found: Quantities, array: np.ndarray, width: int, lengths: set[int], again: bool) -> None:
    """The terms of a sum that the code makes, and the sum so far, along what they are added up.

    A helper that adds up along the ranking a second time did so first for an ideal made of the ranking's own documents.
    """
    row = _row(array)
    if row is None or row.size not in {width, *lengths}:
        return
    along = found.by_rank if row.size == width else found.by_ideal
    if again and SUM in along and row.size == width:
        along[IDEAL_SUM] = along.pop(SUM)
        along.pop(TERM)
    if SUM not in along:
        along[TERM], along[SUM] = row, np.cumsum(row)


def _result_name(call: _Call, width: int) -> str:
    """What to call a helper's value: its name, told apart where it has been called for the ideal ranking."""
    rows = map(_row, [*_flattened(call.local).values(), *call.summed])
    sizes = {row.size for row in rows if row is not None} - {1}
    beside = bool(sizes) and width not in sizes
    return call.name.strip("_") + ("_of_ideal" if beside else "")


def _flattened(local: Mapping[str, Any]) -> dict[str, Any]:
    """The local variables, a named tuple's fields in its place."""
    flat: dict[str, Any] = {}
    for name, value in local.items():
        flat |= value._asdict() if hasattr(value, "_fields") else {name: value}
    return flat


def _is_flags(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "b"


def _row(value: Any) -> np.ndarray | None:
    """A quantity as the numbers of the one query; None for what is no number."""
    if isinstance(value, bool | np.bool_ | int | float | np.generic):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "bifu":
        return None
    if value.ndim > 2 or (value.ndim == 2 and value.shape[0] != 1):
        return None
    return value.astype(np.float64).ravel()


def _is_known(row: np.ndarray, judged: Judged) -> bool:
    """Whether it is a column that is shown anyhow: the ranks and grades of the ranking, or of the ideal one."""
    size = int(np.isfinite(judged.ranks).sum()) if row.size == judged.ranks.size else row.size
    columns = (judged.ranks[0], judged.grades[0], judged.ideal[0], np.arange(1.0, judged.ideal.shape[1] + 1))
    return row.size > 1 and any(np.array_equal(row[:size], column[:size], equal_nan=True) for column in columns)
