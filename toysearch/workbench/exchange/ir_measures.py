"""Provider of ir_measures: its measures, computed by toysearch. Importing this module registers ``toysearch``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toysearch import Qrels, evaluate
from toysearch.base import ArgumentError, groups_of, without_notes

try:
    from ir_measures import Metric, measures, providers, util
    from ir_measures.providers.base import Any as Anything
    from ir_measures.providers.base import Choices
except ModuleNotFoundError as error:
    raise ArgumentError(
        f"toysearch.workbench.exchange.ir_measures needs the package {error.name}, a part of an extra: "
        "pip install 'toysearch[peers]'"
    ) from None

__all__ = ["PROVIDER", "Provider"]

_ANY = {
    "AP": "cutoff rel judged_only",
    "Bpref": "rel",
    "Compat": "p normalize",
    "ERR": "cutoff",
    "IPrec": "recall rel judged_only",
    "NumQ": "",
    "NumRel": "rel",
    "NumRet": "rel",
    "P": "cutoff rel judged_only",
    "R": "cutoff rel judged_only",
    "RR": "cutoff rel judged_only",
    "Rprec": "rel judged_only",
    "SetAP": "rel judged_only",
    "SetP": "rel relative judged_only",
    "SetR": "rel",
    "Success": "cutoff rel judged_only",
    "infAP": "rel",
    "nDCG": "cutoff dcg gains judged_only",
}
"""Measures of ir_measures and their parameters, which may have any value."""


class Provider(providers.Provider):  # type: ignore[misc]  # ir_measures has no types
    """Provider of ir_measures whose values are those of `evaluate`, with the ties of trec_eval.

    Values are given for every judged query. Those that the run lacks count in NumQ, and their relevant documents in
    NumRel, as in ``trec_eval -c``. ERR has the scale from 0 to 4, as gdeval does.

    Examples
    --------
    >>> from ir_measures import AP, nDCG
    >>> values = PROVIDER.calc_aggregate([AP, nDCG @ 10], {"1": {"a": 1, "c": 1}}, {"1": {"a": 2.5, "b": 1.5}})
    >>> values[AP]
    0.5
    """

    NAME = "toysearch"
    SUPPORTED_MEASURES = (  # type: ignore[assignment, unused-ignore]
        *(getattr(measures, f"_{name}")(**dict.fromkeys(names.split(), Anything())) for name, names in _ANY.items()),
        measures._RBP(cutoff=Anything(), p=Anything(), rel=Anything(required=True)),
        measures._SetF(rel=Anything(), beta=Choices(1.0), judged_only=Anything()),
    )

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RunEvaluator:
        return RunEvaluator([*measures], util.QrelsConverter(qrels).as_dict_of_dict())


class RunEvaluator(providers.Evaluator):  # type: ignore[misc]  # likewise
    """Values of some measures for any run against the same judgments."""

    def __init__(self, measures: list[Any], grades: dict[str, dict[str, int]]) -> None:
        super().__init__(measures, set(grades))
        self._grades = grades
        self._by_gains = groups_of((tuple(measure.params.get("gains", {}).items()), measure) for measure in measures)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        scores = {query_id: docs for query_id, docs in util.RunConverter(run).as_dict_of_dict().items() if docs}
        if scores.keys().isdisjoint(self._grades):
            return  # ir_measures gives each query the value of an empty ranking
        for gains, measures in self._by_gains.items():
            names = {_name(measure): measure for measure in measures}
            with without_notes():
                evaluation = evaluate(scores, self._judgments(dict(gains)), [*names], threshold=1)
            for query_id, values in evaluation.per_query.items():
                for measure, value in zip(names.values(), values.values(), strict=True):
                    yield Metric(query_id=query_id, measure=measure, value=value)

    def _judgments(self, gains: dict[int, float]) -> Qrels:
        return Qrels.from_dict(
            {
                query_id: {doc_id: gains.get(grade, grade) for doc_id, grade in grades.items()}
                for query_id, grades in self._grades.items()
            }
        )


def _name(measure: Any) -> str:
    """Name a measure as toysearch does, without gains, which are applied to the judgments."""
    if measure.NAME == "ERR":
        return f"ERR(max_rel=4){repr(measure)[3:]}"
    return repr(type(measure)(**{name: value for name, value in measure.params.items() if name != "gains"}))


PROVIDER = providers.register(Provider())
"""Provider found at ``ir_measures.providers.registry["toysearch"]``."""
