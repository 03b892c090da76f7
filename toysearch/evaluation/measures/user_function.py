"""Function of a user, called as a measure: for each query or for the joined run; what it returns is checked."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, counted, instead_of_numbers, line_in
from toysearch.evaluation import JoinedRun, Piece, Sum, Terms


def of_the_join(function: Callable[..., Any], name: str, joined: JoinedRun, /, **values: Any) -> Terms:
    """Compute the terms of a measure by a function of the joined run: one number per query, or the terms."""
    terms = calling(function, name)(joined=joined, **values)
    returned = calling(lambda: terms.values, name)() if isinstance(terms, Terms) else terms
    numbers = of_queries(name, returned, joined)
    return terms if isinstance(terms, Terms) else Terms(Piece(name, numbers))


def of_each_query(
    function: Callable[..., Any],
    name: str,
    statistics: list[str],
    joined: JoinedRun,
    /,
    cutoff: int | None = None,
    **values: Any,
) -> Terms:
    """Compute the terms of a measure by a function of the statistics of one query."""
    call = calling(function, name)
    totals, at_ranks = np.zeros(len(joined.query_ids)), np.zeros(joined.ranks.shape)
    hits, relevant, is_sum = joined.hits(), joined.n_relevant(), True
    for row, retrieved in enumerate(joined.retrieved.tolist()):
        depth = retrieved if cutoff is None else min(retrieved, cutoff)
        columns = np.flatnonzero(joined.ranks[row] <= depth)
        places = joined.ranks[row, columns].astype(np.int64) - 1
        grades, is_hit, is_judged = np.zeros(depth), np.zeros(depth, bool), np.zeros(depth, bool)
        grades[places] = np.fmax(joined.grades[row, columns], 0)
        is_hit[places], is_judged[places] = hits[row, columns], True
        ideal = joined.ideal[row][~np.isnan(joined.ideal[row])]
        of_query = {
            "grades": grades,
            "hits": is_hit,
            "judged": is_judged,
            "ideal": ideal,
            "R": int(relevant[row]),
            "k": cutoff,
        }
        result, query_id = call(**{key: of_query[key] for key in statistics}, **values), joined.query_ids[row]
        where = f"the {depth} ranks of query '{query_id}'"
        terms = _numbers(name, result, [(), (depth,)], where, "one number, or one for each rank")
        for rank in np.flatnonzero(~np.isfinite(terms))[: terms.ndim]:
            raise ArgumentError(
                f"measure '{name}' gives {terms[rank]} for rank {rank + 1} of query '{query_id}'; what a rank adds "
                "must be a finite number"
            )
        _refuse_infinite(name, terms.reshape(-1), [query_id])
        totals[row] = terms.sum()
        if terms.ndim:
            at_ranks[row, columns] = terms[places]
        # Only documents that are judged have a row in an explanation.
        is_sum = is_sum and terms.ndim == 1 and not np.delete(terms, places).any()
    return Terms(Sum(Piece("added", at_ranks))) if is_sum else Terms(Piece(name, totals))


def calling(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return what calls the function with statistics and parameters; any failure in it becomes a sentence."""
    signature = inspect.signature(function)
    needed = {key for key, one in signature.parameters.items() if one.default is inspect.Parameter.empty}

    def call(**given: Any) -> Any:
        # Without a cutoff, k has its default.
        arguments = {key: value for key, value in given.items() if value is not None or key in needed}
        bound = inspect.BoundArguments(signature, OrderedDict(arguments))
        bound.apply_defaults()
        try:
            return function(*bound.args, **bound.kwargs)
        except Exception as error:
            file = inspect.getsourcefile(function) if inspect.isfunction(function) else None
            where = f"{file}:{line_in(error, file)}: " if file and Path(file).is_file() else ""
            raise ArgumentError(f"{name}: {where}{type(error).__name__}: {error}") from error

    return call


def of_queries(name: str, result: Any, joined: JoinedRun) -> np.ndarray:
    """Check what a measure of a join returned: one number for each query."""
    n = len(joined.query_ids)
    expected = "one number for each query, or Terms of toysearch.evaluation.measures.definition"
    numbers = _numbers(name, result, [(n,)], counted(n, "query", "queries"), expected)
    _refuse_infinite(name, numbers, joined.query_ids)
    return numbers


def _numbers(name: str, result: Any, shapes: Sequence[tuple[int, ...]], where: str, expected: str) -> np.ndarray:
    """Return the numbers for queries or ranks that a measure returned, if they have one of these shapes."""
    if problem := instead_of_numbers(result):
        raise ArgumentError(f"measure '{name}' returned {problem}; expected {expected}")
    numbers = np.asarray(result, np.float64)
    if numbers.shape not in shapes:
        many = f"{numbers.size} numbers" if numbers.ndim else "one number"
        many = f"an array of shape {numbers.shape}" if numbers.ndim > 1 else many
        raise ArgumentError(f"measure '{name}' returned {many} for {where}; expected {expected}")
    return numbers


def _refuse_infinite(name: str, numbers: np.ndarray, query_ids: Sequence[str]) -> None:
    for place in np.flatnonzero(np.isinf(numbers)).tolist():
        raise ArgumentError(
            f"measure '{name}' gives {numbers[place]} for query '{query_ids[place]}'; every value must be a finite "
            "number, or NaN where it is not defined"
        )
