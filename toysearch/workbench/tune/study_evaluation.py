"""Evaluations of the systems of a study: what was prepared or computed once is kept as long as the study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from toysearch.evaluation import Evaluation, Measure
from toysearch.study.study import Study, is_system, model_in
from toysearch.study.system import ModelOrSystem
from toysearch.workbench.tune.fast_evaluator import Evaluator

_MOST = 16  # lists of measures whose judged queries are kept prepared
_EVALUATORS = WeakKeyDictionary[Study, dict[tuple[Measure | str, ...], Evaluator]]()
_EVALUATIONS = WeakKeyDictionary[Study, dict[tuple[Any, ...], Evaluation]]()


def study_evaluator(study: Study, measures: Iterable[Measure | str]) -> Evaluator:
    """Return an evaluator of one model after the other by some measures; its queries are prepared once.

    >>> study_evaluator(Study.of("cat-dog-parrot"), ["RR"]).values("bm25")
    array([1., 1., 1.])
    """
    kept, measures = _EVALUATORS.get(study, {}), tuple(measures)
    if measures not in kept:
        how: Any = {"k": study.scoring.k, "threshold": study.threshold(), "query_mode": study.scoring.query_mode}
        made = Evaluator(study.index(), study.queries(), study.qrels(), measures, **how)
        kept = _EVALUATORS[study] = dict([*kept.items(), (measures, made)][-_MOST:])
    return kept[measures]


def study_evaluation(study: Study, system: ModelOrSystem, measures: Iterable[Measure]) -> Evaluation:
    """Evaluate a model or a system by some measures for each judged query; the values are computed once."""
    own, model, measures = study.of_system(system), model_in(system), tuple(measures)
    kept = _EVALUATIONS.setdefault(own, {})
    if (model, measures) not in kept:
        kept[model, measures] = study_evaluator(own, measures)(model)
    evaluation = kept[model, measures]
    return replace(evaluation, name=str(system)) if is_system(system) else evaluation
