"""Results of the laboratory as text, as their commands print them, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, unknown
from toysearch.base.ranking import Ranking
from toysearch.laboratory.corpus_check.diagnosis import Diagnosis
from toysearch.laboratory.experiments.ablation import Ablation
from toysearch.laboratory.experiments.caveats import caveats
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.gate.gate_outcome import GateResult
from toysearch.laboratory.experiments.prediction.query_prediction import Prediction
from toysearch.laboratory.experiments.retrieval_bias import Retrievability
from toysearch.laboratory.experiments.robustness.property_card import PropertyCard
from toysearch.laboratory.experiments.robustness.scorecard import Robustness
from toysearch.laboratory.experiments.run_diff import Diff
from toysearch.laboratory.experiments.tuning_result import Tuning
from toysearch.laboratory.experiments.verification import Verification
from toysearch.laboratory.explain.document_comparison import OrderExplanation
from toysearch.laboratory.explain.measure_explanation import MeasureExplanation
from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.score_explanation import MixtureExplanation, RankerExplanation
from toysearch.laboratory.learning.ranker_training import Learning
from toysearch.laboratory.results.comparison_text import (
    caveat_lines,
    compared_data,
    compared_rows,
    comparison_text,
    paper_table,
    tested_text,
)
from toysearch.laboratory.results.diagnosis_text import diagnosis_data, diagnosis_table, diagnosis_text
from toysearch.laboratory.results.diff_text import diff_about, diff_data, diff_table, diff_text
from toysearch.laboratory.results.evaluation_text import measure_data, measure_text, verified_data, verified_table
from toysearch.laboratory.results.experiment_text import (
    ablation_about,
    ablation_data,
    ablation_table,
    ablation_text,
    switch_sentences,
    tuning_about,
    tuning_data,
    tuning_sentences,
    tuning_text,
    values_table,
)
from toysearch.laboratory.results.explanation_text import explanation_data, explanation_text
from toysearch.laboratory.results.gate_text import gate_sentence, gate_table, gate_text
from toysearch.laboratory.results.learning_text import (
    learned_table,
    learning_about,
    learning_data,
    learning_sentences,
    learning_text,
)
from toysearch.laboratory.results.order_text import order_data, order_text
from toysearch.laboratory.results.prediction_text import (
    prediction_about,
    prediction_sentences,
    prediction_table,
    prediction_text,
)
from toysearch.laboratory.results.property_text import property_about, property_rows, property_text
from toysearch.laboratory.results.ranking_text import ranking_data, ranking_remarks, ranking_rows, ranking_text
from toysearch.laboratory.results.retrievability_text import (
    retrievability_about,
    retrievability_table,
    retrievability_text,
)
from toysearch.laboratory.results.robustness_text import robustness_about, robustness_rows, robustness_text
from toysearch.laboratory.results.tables import FORMATS, Column, flowed, render

__all__ = ["as_text"]

_WIDTH = 80  # columns of running text; tables are as wide as they need to be


@checked
def as_text(found: Any, form: str = "table") -> str:
    """A result of the laboratory as text.

    ``print`` and ``str`` give the same text.

    Parameters
    ----------
    found : Ranking, Comparison, Diff, Tuning, Learning, Ablation, Robustness, Prediction, GateResult, Diagnosis, …
        What `compare`, `diff`, `tune`, `learn`, `ablate`, `robustness`, `property_card`, `predict`,
        `retrievability`, `gate`, `explain`, `explain_order`, `explain_measure`, `diagnose`, `verify` or
        `Searcher.search` returned.
    form : {"table", "tsv", "csv", "json", "markdown", "latex"}, default "table"
        "table" is for people: tables, findings in sentences, caveats. "json" holds everything. Each other form is a
        single table; for a Comparison, "latex" gives a table for a paper.

    Returns
    -------
    str
        The text, without a final newline.

    Raises
    ------
    ArgumentError
        If `found` is another kind of object, or `form` is unknown.

    Examples
    --------
    >>> from toysearch.laboratory.experiments.run_diff import diff
    >>> found = diff({"1": ["a", "b"]}, {"1": ["b", "a"]}, {"1": {"b": 1}}, "RR")
    >>> print(as_text(found, "csv"))
    query_id,first,second,gain,text
    1,0.5,1.0,0.5,
    """
    if type(found) not in SHOWN:
        names = ", ".join(sorted(kind.__name__ for kind in SHOWN))
        raise ArgumentError(f"{type(found).__name__} cannot be shown as text; results that can: {names}")
    if form not in FORMATS:
        raise unknown("form", form, FORMATS)
    shown = SHOWN[type(found)]
    if form == "table":
        about = "\n".join(flowed(line, _WIDTH) for line in shown.about(found))
        return "\n\n".join(filter(None, [shown.text(found, None, _WIDTH), about]))
    if form == "latex" and isinstance(found, Comparison):
        return paper_table(found)
    if shown.table is None and form != "json":
        raise ArgumentError(f"an explanation cannot be shown as {form}; use table or json")
    columns, rows = shown.table(found, form) if shown.table else ([], [])
    return render(columns, rows, form, data=shown.data(found) if form == "json" else None)


class _Shown(NamedTuple):
    """How one kind of result is shown: as text, as one table, and as data for JSON."""

    text: Callable[..., str]  # the result, the widths of its tables and of its sentences → the text for stdout
    table: Callable[[Any, str], tuple[Sequence[Column], Iterable[Any]]] | None
    data: Callable[[Any], Any]
    about: Callable[[Any], list[str]] = lambda _: []  # what was measured and how: lines for stderr
    remarks: Callable[[Any], list[str]] = lambda _: []  # what to conclude: lines below the table in a notebook


def _comparison(found: Comparison, width: int | None, wrap: int | None) -> str:
    first = next(iter(found.evaluations.values()))
    about = f"relevant from grade {first.threshold:g} · ties {first.ties}"
    return comparison_text(found, caveats(found), about=about, width=width, wrap=wrap)


def _compared(found: Comparison, form: str) -> tuple[list[Column], list[list[Any]]]:
    table = compared_rows(found, form)
    return table.columns, table.rows


def _parts(found: OrderExplanation, _: str) -> tuple[list[Column], list[list[Any]]]:
    numbers = [Column(name, "", "right", ".6g") for name in ("above", "below", "ahead")]
    columns = [Column("kind"), Column("name"), *numbers]
    return columns, [[part[column.name] for column in columns] for part in order_data(found)["parts"]]


_SCORE = _Shown(lambda found, *_: explanation_text(None, found), None, explanation_data)

SHOWN: dict[type, _Shown] = {
    Comparison: _Shown(
        _comparison,
        _compared,
        lambda found: compared_data(found, caveats(found), (), ()),
        remarks=lambda found: [tested_text(found), *caveat_lines(caveats(found))],
    ),
    Diff: _Shown(diff_text, diff_table, diff_data, diff_about),
    Tuning: _Shown(tuning_text, values_table, tuning_data, tuning_about, tuning_sentences),
    Ablation: _Shown(ablation_text, ablation_table, ablation_data, ablation_about, switch_sentences),
    Robustness: _Shown(robustness_text, robustness_rows, Robustness.as_dict, robustness_about),
    PropertyCard: _Shown(property_text, property_rows, PropertyCard.as_dict, property_about),
    Prediction: _Shown(prediction_text, prediction_table, Prediction.as_dict, prediction_about, prediction_sentences),
    Retrievability: _Shown(retrievability_text, retrievability_table, Retrievability.as_dict, retrievability_about),
    GateResult: _Shown(gate_text, gate_table, GateResult.as_dict, gate_sentence),
    Diagnosis: _Shown(diagnosis_text, diagnosis_table, diagnosis_data),
    Verification: _Shown(
        lambda found, width, _: render(*verified_table(found), width=width),
        verified_table,
        verified_data,
        lambda found: [f"left out: {line}" for line in found.left],
    ),
    OrderExplanation: _Shown(order_text, _parts, order_data),
    ScoreExplanation: _SCORE,
    MixtureExplanation: _SCORE,
    RankerExplanation: _SCORE,
    Ranking: _Shown(ranking_text, ranking_rows, ranking_data, remarks=ranking_remarks),
    Learning: _Shown(learning_text, learned_table, learning_data, learning_about, learning_sentences),
    MeasureExplanation: _Shown(lambda found, width, _: measure_text(found, width), None, measure_data),
}
