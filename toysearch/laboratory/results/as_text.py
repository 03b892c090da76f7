"""The results whose classes do not yet say how they are shown; what remains here goes with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from toysearch.base.display import ResultTable
from toysearch.laboratory.experiments.ablation import Ablation
from toysearch.laboratory.experiments.robustness.scorecard import Robustness
from toysearch.laboratory.experiments.run_diff import Diff
from toysearch.laboratory.experiments.tuning_result import Tuning
from toysearch.laboratory.explain.document_comparison import OrderExplanation
from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.score_explanation import MixtureExplanation, RankerExplanation
from toysearch.laboratory.results.diff_text import diff_about, diff_data, diff_table, diff_text
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
from toysearch.laboratory.results.order_text import order_data, order_text
from toysearch.laboratory.results.robustness_text import robustness_about, robustness_rows, robustness_text
from toysearch.laboratory.results.tables import Column


class _Shown(NamedTuple):
    """How one kind of result is shown: as text, as one table, and as data for JSON."""

    text: Callable[..., str]  # the result, the widths of its tables and of its sentences → the text for stdout
    table: Callable[[Any, str], tuple[Sequence[Column], Iterable[Any]]] | None
    data: Callable[[Any], Any]
    about: Callable[[Any], list[str]] = lambda _: []  # what was measured and how: lines for stderr
    remarks: Callable[[Any], list[str]] = lambda _: []  # what to conclude: lines below the table in a notebook


def _parts(found: OrderExplanation, _: str) -> tuple[list[Column], list[list[Any]]]:
    numbers = [Column(name, "", "right", ".6g") for name in ("above", "below", "ahead")]
    columns = [Column("kind"), Column("name"), *numbers]
    return columns, [[part[column.name] for column in columns] for part in order_data(found)["parts"]]


_SCORE = _Shown(lambda found, *_: explanation_text(None, found), None, explanation_data)

SHOWN: dict[type, _Shown] = {
    Diff: _Shown(diff_text, diff_table, diff_data, diff_about),
    Tuning: _Shown(tuning_text, values_table, tuning_data, tuning_about, tuning_sentences),
    Ablation: _Shown(ablation_text, ablation_table, ablation_data, ablation_about, switch_sentences),
    Robustness: _Shown(robustness_text, robustness_rows, Robustness.as_dict, robustness_about),
    OrderExplanation: _Shown(order_text, _parts, order_data),
    ScoreExplanation: _SCORE,
    MixtureExplanation: _SCORE,
    RankerExplanation: _SCORE,
}


class Old:
    """A result whose class does not yet say how it is shown."""

    def __init__(self, found: Any) -> None:
        self.found, self.shown = found, SHOWN[type(found)]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The table."""
        return [ResultTable(*self.shown.table(self.found, form))] if self.shown.table else []

    def sentences(self) -> list[str]:
        """What to conclude."""
        return self.shown.remarks(self.found)

    def about(self) -> list[str]:
        """What was measured."""
        return self.shown.about(self.found)

    def text_parts(self, width: int | None = None, wrap: int | None = None, **more: Any) -> list[str]:
        """The text."""
        return [self.shown.text(self.found, width, wrap, **more)]

    def data(self) -> Any:
        """Plain values."""
        return self.shown.data(self.found)


def shown(found: Any) -> Any:
    """The result, or what stands for it until its class says how it is shown."""
    return Old(found) if not hasattr(found, "text_parts") and type(found) in SHOWN else found
