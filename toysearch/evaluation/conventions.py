"""Conventions: the defaults of an evaluation.

A convention settles what the name of a measure leaves open: the order of equal scores, the value of a query without
relevant documents, which queries and documents count, and the default parameters of measures. Explicit options take
precedence. docs/understand/conventions.md compares the conventions of several tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toysearch.base import ArgumentError
from toysearch.evaluation import Measure, Value
from toysearch.evaluation.measures.definition import differing

__all__ = ["CONVENTIONS", "Convention"]


@dataclass(frozen=True)
class Convention:
    """Defaults of an evaluation.

    Attributes
    ----------
    name : str
        As given with ``--convention``.
    description : str
        Description in half a line.
    source : str
        Where it is documented.
    ties : str or None
        The rule for ties (`toysearch.base.run_order.TIES`); None: the default of the run.
    undefined : {"zero", "nan"}
        The value of a query without relevant documents.
    only_retrieved : bool
        Whether judged queries for which the run has no document are left out.
    retrieved_only : bool
        Whether judged documents that were not retrieved are ignored.
    parameters : mapping of str to mapping
        Name of a measure → its default parameters under the convention.
    """

    name: str
    description: str
    source: str
    ties: str | None = None
    undefined: str = "zero"
    only_retrieved: bool = False
    retrieved_only: bool = False
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def applied(self, measure: Measure) -> Measure:
        """Return the measure with the default parameters of the convention; explicit parameters stay.

        Examples
        --------
        >>> str(CONVENTIONS["textbook"].applied(Measure.parse("nDCG@10")))
        "nDCG(dcg='exp-log2')@10"
        >>> str(CONVENTIONS["textbook"].applied(Measure.parse("AP")))
        'AP'
        """
        parameters = {**self.parameters.get(measure.name, {}), **dict(measure.parameters)}
        return replace(measure, parameters=differing(parameters, measure.definition.parameters))

    def overridden(self, parameters: Mapping[str, Value], measures: Iterable[Measure]) -> Convention:
        """Return the convention with other default parameters for the measures that take them.

        Parameters
        ----------
        parameters : mapping of str to value
            Name of a parameter → its value, unless the name of a measure gives another one.
        measures : iterable of Measure
            The measures to evaluate.

        Raises
        ------
        ArgumentError
            If none of the measures takes a parameter, or a value is not valid for it.
        """
        by_measure = {name: dict(of_measure) for name, of_measure in self.parameters.items()}
        for key, value in parameters.items():
            takers = {one.name: one for one in measures if key in one.definition.parameters}
            if not takers:
                raise ArgumentError(f"none of {', '.join(map(str, measures))} has a parameter {key}; leave it out")
            for name, one in takers.items():
                cutoff = "" if one.cutoff is None else f"@{one.cutoff}"
                parsed = dict(Measure.parse(f"{name}({key}={value!r}){cutoff}").parameters)
                by_measure.setdefault(name, {})[key] = parsed.get(key, one.definition.parameters[key].default)
        return replace(self, parameters=by_measure)


CONVENTIONS: Mapping[str, Convention] = {
    one.name: one
    for one in (
        Convention(
            "trec_eval",
            "trec_eval with its option -c: a query without results or relevant documents counts as 0",
            "trec_eval 9, form_res_rels.c and m_*.c",
        ),
        Convention(
            "textbook",
            "a ranking has one order; no value without a relevant document; nDCG gains 2^grade - 1",
            "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8",
            ties="rank",
            undefined="nan",
            parameters={"DCG": {"dcg": "exp-log2"}, "nDCG": {"dcg": "exp-log2"}},
        ),
        Convention(
            "sklearn",
            "arrays of the scored documents: others do not exist, and tied ones have no order",
            "scikit-learn, sklearn.metrics.average_precision_score and ndcg_score",
            ties="sklearn",
            only_retrieved=True,
            retrieved_only=True,
        ),
    )
}
"""Name → convention; the first is the default."""
