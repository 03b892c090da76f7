"""Systems compared over all judged queries: means, differences, p corrected for all that was tried, gains by query."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import toysearch
from toysearch import paired_test
from toysearch.base import Qrels, collected_notes
from toysearch.compiled import compiled
from toysearch.evaluation import Evaluation
from toysearch.laboratory import (
    DECIMALS,
    DEPTH,
    POWER,
    Procedure,
    caveat_lines,
    compared,
    pair_data,
    refuse_joined_fields,
    tell_own_queries,
)
from toysearch.laboratory.experiments.comparison import caveats
from toysearch.laboratory.experiments.stats.power import sensitivity
from toysearch.page.comparison_request import ComparisonRequest
from toysearch.page.model_picker import AnyModel
from toysearch.page.served_source import ServedSource

_Made = TypeVar("_Made")

HOW = Procedure("t", "holm", 0.05, 0)
"""How `toysearch compare` tests unless told otherwise."""

_EVALUATORS = 16  # pairs of a source and a list of measures whose judged queries are kept prepared
_EVALUATIONS = 64  # settings whose values are kept
_BARS = 10  # of a histogram, on either side of zero


def missing(source: ServedSource) -> str | None:
    """What a source lacks for a comparison over all queries, in a sentence; None if nothing."""
    if source.collection is None:
        return f"{source.typed} has no queries and no judgments, so only rankings can be compared"
    if not source.collection.judged_queries:
        what = "judgments" if len(source.collection.queries) else "queries"
        return (
            f"{source.typed} has no {what} to measure systems by, so only rankings can be compared; start `toysearch "
            f"serve` with --{'qrels' if what == 'judgments' else 'queries'} FILE"
        )
    return None


def prepare() -> None:
    """Load the compiled loops and the tests, which take the first comparison of a process more than a second."""
    paired_test([0.1, 0.2], "t")
    if compiled():
        from toysearch.laboratory import PreparedPostings

        index, qrels = toysearch.Index.build({"1": "word"}), Qrels.from_dict({"1": {"1": 1}})
        prepared = PreparedPostings(index, {"1": toysearch.Searcher(index).terms("word")}, qrels, 1, DEPTH)
        list(prepared.judged(toysearch.MODELS["bm25"]))


def overall(source: ServedSource, request: ComparisonRequest) -> dict[str, Any]:
    """The comparison over all judged queries, with the numbers of `toysearch.compare`."""
    measures = tuple(map(str, request.measures))
    evaluated = {}
    for letter, model in request.models.items():
        source.count(model)
        evaluated[letter] = _values_of(source, measures, model)
    evaluations = {letter: evaluation for letter, (evaluation, _) in evaluated.items()}
    comparison = compared(evaluations, request.baseline, HOW, source.study.qrels, {}, {})
    factor = HOW._replace(tried=source.tried).comparisons(len(comparison.pairs), len(measures))
    tables = []
    for measure in request.measures:
        name = str(measure)
        tested = [  # each with its p as `compare` corrects it, and multiplied for all that was tried
            pair_data(pair) | {"p_compare": pair.p, "p": min(1.0, pair.result.p * factor)}
            for pair in comparison.pairs
            if pair.measure == name
        ]
        about = {"measure": name, "queries": len(comparison.query_ids[name]), "better": measure.definition.better}
        tables.append(about | {"means": comparison.means[name], "pairs": tested})
    first = measures[0]
    rows = _by_gain(source, request, comparison.query_ids[first], comparison.values[first])
    drawn = {name: _histogram([row["gains"][name] for row in rows]) for name in request.others}
    return {
        "alpha": HOW.alpha,
        "multiplied": factor,
        "measures": tables,
        "sorted_by": {"measure": first, "system": request.sort},
        "histograms": drawn,
        "rows": rows,
        "notes": [
            *dict.fromkeys([*doubts(source), *(sentence for _, notes in evaluated.values() for sentence in notes)])
        ],
    } | (_dependences(source, measures, tuple(request.models.items())) if request.depends else {})


@functools.lru_cache(_EVALUATORS)
def _dependences(source: ServedSource, measures: tuple[str, ...], models: tuple[tuple[str, AnyModel], ...]) -> Any:
    """The caveats and the power that `toysearch compare --power` prints below its tables."""
    comparison, _ = _noted(lambda: toysearch.compare(dict(models), source.study, measures))
    warnings = caveats(comparison)
    power = [{**record._asdict(), "wanted": POWER} for record in sensitivity(comparison, POWER)]
    return {"caveats": [record._asdict() for record in warnings], "depends_on": caveat_lines(warnings), "power": power}


@functools.lru_cache(_EVALUATORS)
def doubts(source: ServedSource) -> list[str]:
    """What `toysearch compare` notes about the judgments of a source."""
    sentences, notes = _noted(lambda: source.study.doubts)
    return [*notes, *sentences]


def _noted(compute: Callable[[], _Made]) -> tuple[_Made, list[str]]:
    """The result of a function, with the notes it made."""
    with collected_notes() as notes:
        result = compute()
    return result, [*map(str, notes)]


@functools.lru_cache(_EVALUATIONS)
def _values_of(source: ServedSource, measures: tuple[str, ...], model: AnyModel) -> tuple[Evaluation, list[str]]:
    """The evaluation of a model and its notes, kept because only one of the compared systems changes at a time."""
    refuse_joined_fields(source.index, [model])

    def evaluated() -> Evaluation:
        tell_own_queries(source.study.judged, [model])
        return source.study.evaluator(measures)(model)

    return _noted(evaluated)


def _by_gain(
    source: ServedSource, request: ComparisonRequest, query_ids: tuple[str, ...], values: np.ndarray
) -> list[dict[str, Any]]:
    """The queries with their values by the first measure, the largest gain first; ties in the order of the queries."""
    names, collection = [*request.models], source.collection
    assert collection is not None
    gains = np.round(values - values[:, :1], DECIMALS) + 0.0
    lower = request.measures[0].definition.better == "lower"
    by = gains[:, names.index(request.sort)] * (1 if lower else -1)
    addresses = request.of_queries(source, query_ids)
    return [
        {
            "query_id": query_ids[row],
            "query": collection.query(query_ids[row]).text,
            "values": dict(zip(names, values[row].tolist(), strict=True)),
            "gains": dict(zip(names[1:], gains[row, 1:].tolist(), strict=True)),
            "address": addresses[row],
        }
        for row in np.argsort(by, kind="stable").tolist()
    ]


def _histogram(gains: list[float]) -> list[dict[str, Any]]:
    """The number of queries by their difference: bars of a round width, and one for no difference at all.

    A bar contains its end that is farther from zero.

    >>> [tuple(bar.values()) for bar in _histogram([0.1, -0.05, 0.0, 0.0]) if bar["queries"]]
    [(-0.05, -0.04, 1), (0.0, 0.0, 2), (0.09, 0.1, 1)]
    """
    largest = max(map(abs, gains), default=0.0)
    width = _round_width(largest / _BARS) if largest else 0.1
    counts = dict.fromkeys(range(-_BARS, _BARS + 1), 0)
    for gain in gains:
        counts[int(math.copysign(min(_BARS, math.ceil(round(abs(gain) / width, 9))), gain))] += 1
    bars = []
    for place, queries in counts.items():
        ends = sorted((place * width, (place - np.sign(place)) * width))
        bars.append(
            {"low": round(float(ends[0]), DECIMALS), "high": round(float(ends[1]), DECIMALS), "queries": queries}
        )
    return bars


def _round_width(number: float) -> float:
    """The least of 1, 2, 2.5, 5 times a power of ten that is not below a number."""
    power = 10.0 ** math.floor(math.log10(number) + 1e-9)
    return float(next(factor for factor in (1, 2, 2.5, 5, 10) if factor * power >= number * (1 - 1e-9)) * power)
