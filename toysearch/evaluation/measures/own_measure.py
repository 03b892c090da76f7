"""Measures that are functions of the user, in a file or in Python."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from toysearch.base import ArgumentError, checked, functions_of, line_in, listed, loading, module_of, unknown
from toysearch.evaluation import Definition, JoinedRun, Parameter, Piece, Sum, Terms

__all__ = ["measure"]

DECLARED: dict[str, Definition] = {}
"""Name → definition of each measure that was declared in Python; a later one of the same name replaces it."""

TAKES = ("grades", "hits", "judged", "ideal", "R", "k", "joined")
"""Names of the arguments that the function of a measure can take by position."""


@checked
def measure(
    function: Callable[..., Any] | None = None,
    *,
    better: Literal["higher", "lower"] = "higher",
    description: str = "",
) -> Any:
    """Declare a function as a measure of its name: evaluated, explained, compared and tuned like all others.

    Its positional parameters name what it takes, for one query:

    ======  ===========================================================================================
    grades  the grades by rank, down to the cutoff: float64; 0 for an unjudged document and below 0
    hits    whether each of these is relevant: bool
    judged  whether each of these is judged: bool
    ideal   the grades of all judged documents, retrieved or not, falling: float64
    R       the number of relevant documents, retrieved or not
    k       the cutoff; None without one
    joined  all queries at once, as a `toysearch.evaluation.joined_run.JoinedRun`
    ======  ===========================================================================================

    It returns a number, or an array with what each rank adds, by which the value is explained; NaN where it is not
    defined. A function of `joined` returns one number per query, or the `Terms` of these. Parameters with a default
    are those of the measure, as in ``useful(p=0.9)@10``. In a shell, ``-m mine.py:useful@10`` names it.

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
        for metric in _called(listing, name, frames_of_ranks(joined, cutoff), {}):
            values[metric.query_id] = metric.value
        return Terms(Piece(name, _numbers(name, [*values.values()], (len(values),))))

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
    if not path.is_file():
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

    def compute(joined: JoinedRun, cutoff: int | None = None, **values: Any) -> Terms:
        if statistics == ["joined"]:
            terms = _called(function, name, (joined,), values)
            if isinstance(terms, Terms):
                return terms
            return Terms(Piece(name, _numbers(name, terms, (len(joined.query_ids),))))
        return _by_query(function, name, statistics, joined, cutoff, values)

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
    for key, argument in inspect.signature(function).parameters.items():
        if argument.default is not inspect.Parameter.empty:
            default = argument.default if isinstance(argument.default, bool) else float(argument.default)
            parameters[key] = Parameter("a parameter of the function", default, low=None)
        elif key in TAKES and argument.kind is not inspect.Parameter.KEYWORD_ONLY:
            statistics.append(key)
        else:
            raise ArgumentError(f"{name}: a measure takes {listed(TAKES)}, and parameters with a default, not '{key}'")
    if not statistics or ("joined" in statistics and len(statistics) > 1):
        raise ArgumentError(f"{name}: a measure takes one of {listed(TAKES)} or several, but joined only alone")
    return statistics, parameters


def _by_query(
    function: Callable[..., Any],
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
        is_hit[places], is_judged[places] = hits[row, columns], joined.grades[row, columns] >= 0
        ideal = joined.ideal[row][~np.isnan(joined.ideal[row])]
        of_query: dict[str, Any] = {"grades": grades, "hits": is_hit, "judged": is_judged, "ideal": ideal}
        of_query |= {"R": int(relevant[row]), "k": cutoff}
        result = _called(function, name, tuple(of_query[key] for key in statistics), values)
        terms = _numbers(name, result, (depth,) if np.ndim(result) else ())
        totals[row] = terms.sum()
        if terms.ndim:
            at_ranks[row, columns] = terms[places]
        # Only documents that are judged have a row in an explanation.
        is_sum = is_sum and terms.ndim == 1 and not np.delete(terms, places).any()
    return Terms(Sum(Piece("added", at_ranks))) if is_sum else Terms(Piece(name, totals))


def _called(function: Callable[..., Any], name: str, given: tuple[Any, ...], values: Mapping[str, Any]) -> Any:
    """Call the function; turn any failure in it into a sentence."""
    try:
        return function(*given, **values)
    except Exception as error:
        file = inspect.getsourcefile(function) if inspect.isfunction(function) else None
        where = f"{file}:{line_in(error, file)}: " if file and Path(file).is_file() else ""
        raise ArgumentError(f"{name}: {where}{type(error).__name__}: {error}") from error


def _numbers(name: str, result: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        numbers = np.asarray(result, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full((2, 2), np.nan)
    if numbers.shape != shape:
        raise ArgumentError(f"{name}: expected a number or one number per rank, found {result!r}"[:300])
    return numbers
