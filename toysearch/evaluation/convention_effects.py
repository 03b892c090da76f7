"""Effects of conventions on a run: its values under each, and the effect of each difference alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from toysearch.base import Column, Result, ResultTable, groups_of, number_columns, plain
from toysearch.evaluation import parse_measures
from toysearch.evaluation.conventions import CONVENTIONS, Convention
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.given_judgments import judgments_of
from toysearch.evaluation.values_and_means import Evaluation
from toysearch.files import QrelsLike, RunLike, as_run

__all__ = ["SideBySide", "side_by_side"]


def variants(first: Convention, other: Convention) -> list[tuple[str, Convention]]:
    """Describe each difference between two conventions, and give the first convention with that difference alone.

    >>> for reason, _ in variants(CONVENTIONS["trec_eval"], CONVENTIONS["textbook"]):
    ...     print(reason)
    equal scores keep the order of the ranking, or of the file's lines
    a query without a relevant document is undefined and left out of the mean
    DCG and nDCG have dcg='exp-log2'
    """
    changed = []
    for name, clauses in _SAID.items():
        setting = getattr(other, name)
        if setting != getattr(first, name):
            change = {name: setting}
            changed.append((clauses[setting], replace(first, **change)))
    if other.parameters != first.parameters:
        by_text = groups_of(
            (", ".join(f"{key}={value!r}" for key, value in parameters.items()), measure)
            for measure, parameters in other.parameters.items()
        )
        reason = "; ".join(f"{' and '.join(measures)} have {text}" for text, measures in by_text.items())
        changed.append((reason, replace(first, parameters=other.parameters)))
    return changed


_SAID: Mapping[str, Mapping[object, str]] = {
    "ties": {
        None: "equal scores of a run file, as 32-bit floats, are ordered by falling doc_id; a ranking keeps its order",
        "rank": "equal scores keep the order of the ranking, or of the file's lines",
        "sklearn": "documents of equal score count all at once for AP; other measures are the mean over their orders",
    },
    "undefined": {
        "zero": "a query without a relevant document counts as 0",
        "nan": "a query without a relevant document is undefined and left out of the mean",
    },
    "only_retrieved": {
        True: "a query that the run lacks is left out",
        False: "a query that the run lacks counts as 0",
    },
    "retrieved_only": {
        True: "judged documents that were not retrieved do not count, not even for R and the ideal ranking",
        False: "judged documents that were not retrieved count for R and the ideal ranking",
    },
}

_EQUAL = 1e-12  # smaller differences come only from the order of additions


class ConventionEffect(NamedTuple):
    """Effect of one difference of a convention alone."""

    convention: str  # the convention's name
    reason: str  # its difference from the first convention, in words
    # measure → its values under the first convention and with this difference; only for measures that change
    changes: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class SideBySide(Result):
    """Run under every convention.

    Attributes
    ----------
    values : dict of str to dict of str to float
        Measure as it was asked for → convention → the value for all queries.
    effects : list of ConventionEffect
        Each difference from the first convention by itself.
    evaluations : dict of str to Evaluation
        Convention → the whole evaluation.
    """

    values: dict[str, dict[str, float]]
    effects: list[ConventionEffect]
    evaluations: dict[str, Evaluation]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show each measure under every convention, and the conventions that differ."""
        names = next(iter(self.values.values()), {})
        columns = [Column("measure"), *number_columns(".4f", *names), Column("differs")]
        rows = [[name, *values.values(), ", ".join(self.differ(name))] for name, values in self.values.items()]
        return [ResultTable(columns, rows)]

    def data(self) -> dict[str, Any]:
        """Return the values and the effects."""
        return plain({"measures": self.values, "effects": self.effects})  # type: ignore[no-any-return]

    def differ(self, measure: str) -> list[str]:
        """Name the conventions under which the value of a measure differs from the first one."""
        values = self.values[measure]
        first, *others = values
        return [name for name in others if not _same(values[first], values[name])]


def side_by_side(run: RunLike, qrels: QrelsLike, measures: str | Iterable[object], **options: Any) -> SideBySide:
    """Evaluate a run under each convention, and explain the differences.

    Parameters
    ----------
    run, qrels, measures
        As in `evaluate`.
    **options
        Other arguments of `evaluate`; they hold under every convention.

    Examples
    --------
    >>> run, qrels = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 1}, "2": {"b": 0}}
    >>> table = side_by_side(run=run, qrels=qrels, measures="AP")
    >>> table.values["AP"]
    {'trec_eval': 0.16666666666666666, 'textbook': 1.0, 'sklearn': 0.3333333333333333}
    >>> for effect in table.effects[:2]:
    ...     print(effect.convention, effect.reason, effect.changes["AP"][1], sep=" | ")
    textbook | equal scores keep the order of the ranking, or of the file's lines | 0.5
    textbook | a query without a relevant document is undefined and left out of the mean | 0.3333333333333333
    """
    run, (qrels, threshold) = as_run(run), judgments_of(qrels)
    options.setdefault("threshold", threshold)
    parsed = parse_measures(measures)
    evaluations = {name: evaluate(run, qrels, parsed, convention=name, **options) for name in CONVENTIONS}
    base, *others = CONVENTIONS.values()
    effects = []
    for other in others:
        for reason, alone in variants(base, other):
            changed = evaluate(run, qrels, parsed, convention=alone, **options)
            pairs = {measure.text: (evaluations[base.name][measure], changed[measure]) for measure in parsed}
            changes = {name: pair for name, pair in pairs.items() if not _same(*pair)}
            effects.append(ConventionEffect(other.name, reason, changes))
    values = {measure.text: {name: one[measure] for name, one in evaluations.items()} for measure in parsed}
    return SideBySide(values, effects, evaluations)


def _same(first: float, other: float) -> bool:
    return math.isclose(first, other, rel_tol=_EQUAL, abs_tol=_EQUAL) or (math.isnan(first) and math.isnan(other))
