"""Measures that are functions of the user, in a file or in Python."""

from __future__ import annotations

import importlib
import inspect
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from toysearch.base import (
    ArgumentError,
    a,
    counted,
    functions_of,
    instead_of_numbers,
    line_in,
    listed,
    loading,
    module_of,
    unknown,
)
from toysearch.evaluation import Definition, JoinedRun, Parameter, Piece, Sum, Terms

__all__ = ["measure"]

DECLARED: dict[str, Definition] = {}
"""Name → definition of each measure that was declared in Python; a later one of the same name replaces it."""

TAKES = ("grades", "hits", "judged", "ideal", "R", "k", "joined")
"""Names of the arguments that the function of a measure can take."""


def measure(
    function: Callable[..., Any] | None = None,
    *,
    better: Literal["higher", "lower"] = "higher",
    description: str = "",
) -> Any:
    """Declare a function as a measure of its name: evaluated, explained, compared and tuned like all others.

    Its parameters name what it takes, for one query:

    ======  ===========================================================================================
    grades  the grades by rank, down to the cutoff: float64; 0 for an unjudged document and below 0
    hits    whether each of these is relevant: bool
    judged  whether each of these is judged: bool
    ideal   the grades of all judged documents, retrieved or not, falling: float64
    R       the number of relevant documents, retrieved or not
    k       the cutoff; without one its default, or None
    joined  all queries at once, as a `toysearch.evaluation.joined_run.JoinedRun`
    ======  ===========================================================================================

    It returns a number, or an array with what each rank adds, by which the value is explained; NaN where it is not
    defined. A function of `joined` returns one number per query, or the `Terms` of these. Other parameters need a
    default, and are those of the measure, as in ``useful(p=0.9)@10``. In a shell, ``-m mine.py:useful@10`` names it.

    Parameters
    ----------
    function : callable, optional
        The function; without it a decorator, as in ``@measure(better="lower")``.
    better : {"higher", "lower"}
        Which values are better.
    description : str
        One line; by default the first line of the docstring.

    Raises
    ------
    ArgumentError
        If it takes something else.

    Examples
    --------
    >>> from toysearch import evaluate
    >>> @measure(better="higher")
    ... def useful(grades, *, p=0.5):
    ...     return (grades >= 2) * p ** np.arange(len(grades))
    >>> evaluate({"1": ["a", "b", "c"]}, {"1": {"a": 2, "b": 1, "c": 3}}, "useful useful(p=1)@2").means
    {'useful': 1.25, 'useful(p=1)@2': 1.0}
    """
    if function is None:
        return partial(measure, better=better, description=description)
    if not callable(function):
        raise ArgumentError(f"function must be a function, not {a(function)}")
    DECLARED[function.__name__] = definition_of(function, function.__name__, better, description)
    return function


def declared(function: Callable[..., Any]) -> str:
    """Declare a function as a measure and return its name; a lambda gets a number, such as lambda1."""
    name = getattr(function, "__name__", type(function).__name__)
    if name.isidentifier():
        DECLARED[name] = definition_of(function, name)
        return name
    place = next(place for place in range(1, len(DECLARED) + 2) if f"lambda{place}" not in DECLARED)
    DECLARED[f"lambda{place}"] = definition_of(function, f"lambda{place}")
    return f"lambda{place}"


def of_ir_measures(measure: Any) -> str:
    """Return the text form of a measure made by ``define`` or ``define_byquery`` of ir_measures, and declare it.

    Its function gets data frames, as in ir_measures. A measure depends on ranks and grades alone, so documents are
    named by them: ``rank 1``, ``not retrieved 1``; and the score of rank i is -i.
    """
    name, whole = str(measure.NAME), type(measure)()
    if not name.isidentifier():
        raise ArgumentError(f"a measure of ir_measures needs a name that is one word, not '{name}': define(…, name=…)")
    columns = {*measure.RUN_INPUTS, *measure.QREL_INPUTS} - {"query_id", "doc_id", "score", "relevance"}
    if columns:
        raise ArgumentError(f"{name}: a measure takes ranks and grades, not the columns {listed(sorted(columns))}")

    def compute(joined: JoinedRun, cutoff: int | None = None) -> Terms:
        values = dict.fromkeys(joined.query_ids, np.nan)
        listing = partial(lambda *both: list(whole.runtime_impl(*both)))  # the function has no file of its own
        for metric in _calling(partial(listing, *frames_of_ranks(joined, cutoff)), name)():
            values[metric.query_id] = metric.value
        return Terms(Piece(name, _of_queries(name, [*values.values()], joined)))

    DECLARED[name] = Definition(
        compute,
        "optional" if "cutoff" in measure.SUPPORTED_PARAMS else "none",
        {},
        family="own",
        description=measure.SHORT_DESC or "a measure defined with ir_measures",
        formula=f"{name}(qrels, run)",
        source="a function of the user",
        range=(0.0, None),
        better="higher",
        undefined="the function gives no value, or NaN",
    )
    cutoff = measure.params.get("cutoff")
    return name if cutoff is None else f"{name}@{cutoff}"


def frames_of_ranks(joined: JoinedRun, cutoff: int | None) -> tuple[Any, Any]:
    """Return the judgments and the run of a join as data frames, as the functions of ir_measures take them."""
    with loading("a measure of ir_measures needs the package {}", "which is not installed with toysearch"):
        data_frame = importlib.import_module("pandas").DataFrame

    judged: list[tuple[str, str, float]] = []
    ranked: list[tuple[str, str, float]] = []
    for query_id, n, ranks, grades, ideal in zip(
        joined.query_ids, joined.retrieved.tolist(), joined.ranks, joined.grades, joined.ideal, strict=True
    ):
        depth = n if cutoff is None else min(n, cutoff)
        ranked += [(query_id, f"rank {rank}", -float(rank)) for rank in range(1, depth + 1)]
        graded = np.isfinite(ranks)
        pairs = zip(ranks[graded].tolist(), grades[graded].tolist(), strict=True)
        judged += [(query_id, f"rank {rank:.0f}", grade) for rank, grade in pairs]
        missed = Counter(ideal[~np.isnan(ideal)].tolist()) - Counter(grades[graded].tolist())
        judged += [(query_id, f"not retrieved {place}", grade) for place, grade in enumerate(missed.elements(), 1)]
    qrels = data_frame(judged, columns=["query_id", "doc_id", "relevance"])
    if (qrels["relevance"] % 1 == 0).all():
        qrels["relevance"] = qrels["relevance"].astype(int)
    return qrels, data_frame(ranked, columns=["query_id", "doc_id", "score"])


def in_file(path: Path, name: str) -> Definition:
    """Define a measure by a function in a Python file."""
    if not os.path.isfile(path):
        raise ArgumentError(f"{path}: there is no such file; a measure of your own is given as FILE.py:NAME")
    before = dict(DECLARED)
    module = module_of(path, path.read_bytes(), ArgumentError)
    decorated = DECLARED.get(name)
    DECLARED.clear()
    DECLARED.update(before)  # a file declares its measures under names that begin with its own
    if decorated is not None and decorated is not before.get(name):
        return decorated
    if not callable(getattr(module, name, None)):
        raise unknown(f"measure in {path}", name, functions_of(module), f"functions of {path}")
    return definition_of(getattr(module, name), name)


def definition_of(
    function: Callable[..., Any], name: str, better: Literal["higher", "lower"] = "higher", description: str = ""
) -> Definition:
    """Define a measure by a function."""
    statistics, parameters = _signature(function, name)
    call = _calling(function, name)

    def compute(joined: JoinedRun, cutoff: int | None = None, **values: Any) -> Terms:
        if statistics == ["joined"]:
            terms = call({"joined": joined}, values)
            returned = _calling(lambda: terms.values, name)() if isinstance(terms, Terms) else terms
            numbers = _of_queries(name, returned, joined)
            return terms if isinstance(terms, Terms) else Terms(Piece(name, numbers))
        return _by_query(call, name, statistics, joined, cutoff, values)

    first_line = (inspect.getdoc(function) or "").strip().partition("\n")[0]
    return Definition(
        compute,
        "none" if statistics == ["joined"] else "optional",
        parameters,
        family="own",
        description=description or first_line or f"a function of {listed(statistics)}",
        formula=f"{name}({', '.join(statistics)})",
        source="a function of the user",
        range=(0.0, None),
        better=better,
        undefined="the function returns NaN",
    )


def _signature(function: Callable[..., Any], name: str) -> tuple[list[str], Mapping[str, Parameter]]:
    statistics: list[str] = []
    parameters: dict[str, Parameter] = {}
    try:
        arguments = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} does not say what it takes; call it in a function of {listed(TAKES)}") from error
    for key, argument in arguments.items():
        if key in TAKES:
            statistics.append(key)
        elif argument.default is inspect.Parameter.empty:
            raise ArgumentError(f"{name}: a measure takes {listed(TAKES)}, and parameters with a default, not '{key}'")
        elif isinstance(argument.default, bool | str | None):
            parameters[key] = Parameter("a parameter of the function", argument.default, low=None)
        elif isinstance(argument.default, int | float | np.number) and not instead_of_numbers(argument.default):
            parameters[key] = Parameter("a parameter of the function", float(argument.default), low=None)
    if not statistics or ("joined" in statistics and len(statistics) > 1):
        raise ArgumentError(f"{name}: a measure takes one of {listed(TAKES)} or several, but joined only alone")
    return statistics, parameters


def _by_query(
    call: Callable[..., Any],
    name: str,
    statistics: list[str],
    joined: JoinedRun,
    cutoff: int | None,
    values: Mapping[str, Any],
) -> Terms:
    totals, at_ranks = np.zeros(len(joined.query_ids)), np.zeros(joined.ranks.shape)
    hits, relevant, is_sum = joined.hits(), joined.n_relevant(), True
    for row, retrieved in enumerate(joined.retrieved.tolist()):
        depth = retrieved if cutoff is None else min(retrieved, cutoff)
        columns = np.flatnonzero(joined.ranks[row] <= depth)
        places = joined.ranks[row, columns].astype(np.int64) - 1
        grades, is_hit, is_judged = np.zeros(depth), np.zeros(depth, dtype=bool), np.zeros(depth, dtype=bool)
        grades[places] = np.fmax(joined.grades[row, columns], 0)
        is_hit[places], is_judged[places] = hits[row, columns], True
        ideal = joined.ideal[row][~np.isnan(joined.ideal[row])]
        of_query: dict[str, Any] = {"grades": grades, "hits": is_hit, "judged": is_judged, "ideal": ideal}
        of_query |= {"R": int(relevant[row]), "k": cutoff}
        result = call({key: of_query[key] for key in statistics}, values)
        terms = _of_ranks(name, result, depth, joined.query_ids[row])
        totals[row] = terms.sum()
        if terms.ndim:
            at_ranks[row, columns] = terms[places]
        # Only documents that are judged have a row in an explanation.
        is_sum = is_sum and terms.ndim == 1 and not np.delete(terms, places).any()
    return Terms(Sum(Piece("added", at_ranks))) if is_sum else Terms(Piece(name, totals))


def _calling(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return what calls the function with statistics and parameters; any failure in it becomes a sentence."""
    signature = inspect.signature(function)
    every = {key: argument.default for key, argument in signature.parameters.items()}
    defaults = {key: default for key, default in every.items() if default is not inspect.Parameter.empty}

    def call(given: Mapping[str, Any] = MappingProxyType({}), values: Mapping[str, Any] = MappingProxyType({})) -> Any:
        # Without a cutoff, k has its default.
        arguments = {key: value for key, value in given.items() if value is not None or key not in defaults}
        bound = inspect.BoundArguments(signature, OrderedDict(defaults | arguments | dict(values)))
        try:
            return function(*bound.args, **bound.kwargs)
        except Exception as error:
            file = inspect.getsourcefile(function) if inspect.isfunction(function) else None
            where = f"{file}:{line_in(error, file)}: " if file and Path(file).is_file() else ""
            raise ArgumentError(f"{name}: {where}{type(error).__name__}: {error}") from error

    return call


def _of_ranks(name: str, result: Any, depth: int, query_id: str) -> np.ndarray:
    """Check what a measure returned for a query: a number, or one for each rank."""
    numbers = _numbers(name, result, "one number, or one for each rank")
    if numbers.shape not in ((), (depth,)):
        raise ArgumentError(
            f"measure '{name}' returned {_shape(numbers)} for the {depth} ranks of query '{query_id}'; expected one "
            "number, or one for each rank"
        )
    for rank in np.flatnonzero(~np.isfinite(numbers))[: bool(numbers.ndim)]:
        raise ArgumentError(
            f"measure '{name}' gives {numbers[rank]} for rank {rank + 1} of query '{query_id}'; what a rank adds must "
            "be a finite number"
        )
    _refuse_infinite(name, numbers.reshape(-1), [query_id] * numbers.size)
    return numbers


def _of_queries(name: str, result: Any, joined: JoinedRun) -> np.ndarray:
    """Check what a measure of a join returned: one number for each query."""
    expected = "one number for each query, or Terms of toysearch.evaluation.measures.definition"
    numbers, n = _numbers(name, result, expected), len(joined.query_ids)
    if numbers.shape != (n,):
        queries = counted(n, "query", "queries")
        raise ArgumentError(f"measure '{name}' returned {_shape(numbers)} for {queries}; expected {expected}")
    _refuse_infinite(name, numbers, joined.query_ids)
    return numbers


def _shape(numbers: np.ndarray) -> str:
    """Say how many numbers were returned."""
    if numbers.ndim > 1:
        return f"an array of shape {numbers.shape}"
    return f"{numbers.size} numbers" if numbers.ndim else "one number"


def _numbers(name: str, result: Any, expected: str) -> np.ndarray:
    if problem := instead_of_numbers(result):
        raise ArgumentError(f"measure '{name}' returned {problem}; expected {expected}")
    return np.asarray(result, dtype=np.float64)


def _refuse_infinite(name: str, numbers: np.ndarray, query_ids: Sequence[str]) -> None:
    for place in np.flatnonzero(np.isinf(numbers)).tolist():
        raise ArgumentError(
            f"measure '{name}' gives {numbers[place]} for query '{query_ids[place]}'; every value must be a finite "
            "number, or NaN where it is not defined"
        )
