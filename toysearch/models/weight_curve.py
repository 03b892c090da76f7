"""Weight curve: the weight of a model as one statistic changes and the others are fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from toysearch.base import ArgumentError, Remedy, Result, ResultTable, expect, expect_name, number_columns
from toysearch.models.model import STATISTICS, Array, Model, call, field_statistic, is_of_collection, prior_statistic

__all__ = ["WeightCurve", "weight_curve"]

ALONG = ("tf", "dl", "df")
TYPICAL = {"tf": 2.0, "df": 14.0, "dl": 100.0, "N": 1400.0, "avgdl": 100.0}
"""Default values of the others: a word in one of a hundred documents, twice in one of average length."""

_STEPS = (1, 2, 5)
_COUNTS = ("tf", "df", "cf", "dl", "N", "T", "distinct", "max_tf")


@dataclass(frozen=True)
class WeightCurve(Result):
    """Weight of a term in a document at several values of one statistic, and the score of a query of this term alone.

    Attributes
    ----------
    along : str
        The statistic that changes.
    values, weights : ndarray of float64, shape (n,)
        Its values, and the weight at each.
    scores : ndarray of float64, shape (n,)
        The weights, with what the model adds per matched term and per document; the same if it adds nothing. Query
        weight and similarity are left out.
    fixed : dict of str to float
        The other statistics of the model, which are fixed.
    """

    along: str
    values: Array
    weights: Array
    fixed: dict[str, float]
    scores: Array

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the points in a table."""
        columns = [*number_columns("g", self.along), *number_columns(".4f", "weight", "score")]
        points = zip(self.values.tolist(), self.weights.tolist(), self.scores.tolist(), strict=True)
        return [ResultTable(columns, list(points))]


def weight_curve(model: Model | str, along: str = "tf", at: Mapping[str, float] | None = None) -> WeightCurve:
    """Compute the weight of a term in a document, and the score of a query of it alone, while one statistic changes.

    tf runs from 1 to 20; dl over the round numbers from tf to 100 times avgdl; df over those up to N. The defaults
    are tf 2, dl 100, df 14, N 1400, avgdl 100, and cf 3 df, T N · avgdl, max_tf 5, distinct 0.7 dl, bytes 6 dl,
    avg_distinct 0.7 avgdl, limited to values that a document can have; the statistics of a field are those of the
    document.

    Parameters
    ----------
    model : Model or str
        The model with its parameters bound, or its text.
    along : {'tf', 'dl', 'df'}
        The statistic that changes.
    at : mapping of str to float, optional
        The values of other statistics, and of constants that the model computes from a whole collection.

    Raises
    ------
    ArgumentError
        If a statistic is unknown or impossible, or the model needs one that cannot be derived.

    Examples
    --------
    >>> from toysearch.models.bm25 import bm25
    >>> curve = weight_curve(bm25, "tf", {"N": 1000, "df": 10})
    >>> [round(float(weight), 3) for weight in curve.weights[:3]]
    [2.072, 2.848, 3.255]
    """
    if not isinstance(model, str):
        expect(Model, model=model)
    expect_name("curve", along, ALONG)
    if isinstance(model, str):
        from toysearch.models.registry import model as find_model  # which imports all models

        ranker = find_model(model)
        if not isinstance(ranker, Model):
            raise ArgumentError(f"'{model}' is made of several models; the weight of a term is that of one of them")
        model = ranker
    expect(Mapping, at=at or {})
    fixed_values = _given(model, along, dict(at or {}))
    if along == "tf":
        values = np.arange(1.0, 1 + min(20.0, fixed_values["dl"], fixed_values.get("cf", 20.0)))
    else:
        low, high = fixed_values["tf"], 100 * fixed_values["avgdl"]
        if along == "df":
            low, high = 1.0, min(fixed_values["N"], fixed_values.get("cf", np.inf))
        round_numbers = [step * 10.0**power for power in range(13) for step in _STEPS]
        values = np.array(sorted({low, max(low, high), *(x for x in round_numbers if low < x < high)}))
    statistics = {**_following({**fixed_values, along: values}), **fixed_values, along: values}
    arguments = {name: _value(model, name, statistics) for name in model.statistics}
    fixed = {name: float(value) for name, value in arguments.items() if np.ndim(value) == 0}
    weights = np.zeros(len(values)) + (model.weight(**arguments) if arguments else model.weight())
    scores, one_term = weights, {**statistics, **dict.fromkeys(("qtf", "ql", "max_qtf", "distinct_q"), 1.0)}
    for part in ("per_matched_document", "document"):
        if part in model.hooks:
            scores = scores + call(model.hooks[part], {**one_term, **arguments}, model.parameters)
    return WeightCurve(along, values, weights, fixed, scores)


def _value(model: Model, name: str, statistics: Mapping[str, float | Array]) -> float | Array:
    """Return a statistic that the model takes; of a field, that of the document."""
    part = field_statistic(name)
    of_document = name if name in statistics or not part else part[0]
    if of_document not in statistics:
        source = "a document" if prior_statistic(name) else "a whole collection"
        raise ArgumentError(
            f"{model.name} computes {name} from {source}; give it a value: "
            f"{Remedy('toysearch.models.weight_curve.weight_curve', at={name: 5})}"
        )
    value = statistics[of_document]
    return float(value) if is_of_collection(name) else value


def _given(model: Model, along: str, at: dict[str, float]) -> dict[str, float]:
    for name, value in at.items():
        if name == along:
            raise ArgumentError(f"{name} changes along the curve and cannot be fixed at {value:g}")
        expect_name("statistic", name, dict.fromkeys([*STATISTICS, *model.statistics]), "statistics")
        if not np.isfinite(value) or (name in STATISTICS and value <= 0) or (name in _COUNTS and value < 1):
            raise ArgumentError(f"{name} must be {'1 or more' if name in _COUNTS else 'above 0'}, not {value:g}")
    values = {**TYPICAL, **at}
    values.pop(along)
    for typical, bound in (("df", "N"), ("tf", "dl")):
        if {typical, bound} <= values.keys() and typical not in at:
            values[typical] = min(values[typical], values[bound])
    for low, high in (("df", "N"), ("tf", "dl"), ("tf", "cf"), ("df", "cf"), ("cf", "T"), ("dl", "T")):
        if low in values and high in values and values[low] > values[high]:
            raise ArgumentError(f"{low} {values[low]:g} cannot be above {high} {values[high]:g} in any posting")
    return values


def _following(known: Mapping[str, float | Array]) -> dict[str, float | Array]:
    tf, df, dl, N, avgdl = (known[name] for name in ("tf", "df", "dl", "N", "avgdl"))
    highest_tf = float(np.max(tf))
    max_tf = np.minimum(max(5.0, highest_tf), dl)
    return {
        "cf": np.maximum(3 * df, df + highest_tf - 1),
        "T": N * avgdl,
        "distinct": np.maximum(np.minimum(dl - max_tf + 1, 0.7 * dl), 1.0),
        "max_tf": max_tf,
        "bytes": 6 * dl,
        "avg_distinct": 0.7 * avgdl,
    }
