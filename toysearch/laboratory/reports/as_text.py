"""Any result of the laboratory as text: what its command prints, for a script or a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from toysearch.arguments import checked
from toysearch.errors import ArgumentError, unknown
from toysearch.formats.text_files import counted
from toysearch.laboratory.experiments.ablation import Ablation
from toysearch.laboratory.experiments.caveats import caveats
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.gate.gate_outcome import GateResult
from toysearch.laboratory.experiments.robustness.scorecard import Robustness
from toysearch.laboratory.experiments.run_diff import Diff
from toysearch.laboratory.experiments.tuning_result import Tuning
from toysearch.laboratory.explain.document_comparison import OrderExplanation
from toysearch.laboratory.explain.measure_explanation import MeasureExplanation
from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.score_explanation import MixtureExplanation
from toysearch.laboratory.reports.comparison_text import (
    compared_data,
    compared_rows,
    comparison_text,
    paper_table,
)
from toysearch.laboratory.reports.diff_text import (
    diff_data,
    document_text,
    moved_text,
    query_columns,
    query_line,
    query_row,
    summary,
)
from toysearch.laboratory.reports.evaluation_text import measure_data, measure_text
from toysearch.laboratory.reports.experiment_text import (
    ablation_data,
    ablation_lines,
    ablation_table,
    axes_table,
    gate_sentence,
    gate_text,
    tuning_data,
    tuning_sentences,
    values_table,
)
from toysearch.laboratory.reports.explanation_text import (
    documents_table,
    explanation_data,
    explanation_text,
    order_data,
    order_table,
)
from toysearch.laboratory.reports.robustness_text import robustness_rows, robustness_text
from toysearch.laboratory.reports.tables import FORMATS, Column, flowed, opening, render

_WIDTH = 80  # columns of running text; tables are as wide as they need to be
_OPENING = 40  # characters of a query's text in a table


@checked
def as_text(found: Any, form: str = "table") -> str:
    """A result of the laboratory as text.

    This is also what ``print`` and ``str`` give for such a result.

    Parameters
    ----------
    found : Comparison, Diff, Tuning, Ablation, Robustness, GateResult or an explanation
        What `compare`, `diff`, `tune`, `ablate`, `robustness`, `gate`, `explain`, `explain_order` or
        `explain_measure` returned.
    form : {"table", "tsv", "csv", "json", "markdown", "latex"}, default "table"
        "table" is for people: tables, findings in sentences, what a conclusion depends on. "json" holds everything;
        the others are one table each; "latex" of a Comparison is a table for a paper.

    Returns
    -------
    str
        Without a last line end.

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
        return shown.text(found)
    if form == "latex" and isinstance(found, Comparison):
        return paper_table(found)
    if shown.table is None and form != "json":
        raise ArgumentError(f"an explanation is not one table: as_text takes table and json for it, not {form}")
    columns, rows = shown.table(found, form) if shown.table else ([], [])
    return render(columns, rows, form, data=shown.data(found) if form == "json" else None)


class _Shown(NamedTuple):
    """How a kind of result is shown: for people, as one table of a form, and as data for JSON."""

    text: Callable[[Any], str]
    table: Callable[[Any, str], tuple[list[Column], Iterable[Any]]] | None
    data: Callable[[Any], Any]


def _comparison(found: Comparison) -> str:
    first = next(iter(found.evaluations.values()))
    about = f"relevant from grade {first.threshold:g} · ties {first.ties}"
    return comparison_text(found, caveats(found), about=about, wrap=_WIDTH)


def _diff(found: Diff) -> str:
    listed = [*found.gained, *found.lost]
    if len(listed) == 1:
        (query,) = listed
        parts = [document_text(document, found.names) for document in query.moved] or ["no document moved"]
        return "\n\n".join([summary(found), flowed(query_line(query), _WIDTH), *parts])
    blocks = [summary(found)]
    for title, queries in (("gain most", found.gained), ("lose most", found.lost)):
        moved = [moved_text(query._replace(text=opening(query.text or "", _OPENING))) for query in queries]
        blocks += [f"The queries that {title}", *moved] if moved else []
    return "\n\n".join(blocks if listed else [*blocks, "no query gains or loses"])


def _tuning(found: Tuning) -> str:
    sentences = "\n".join(flowed(sentence, _WIDTH, "- ", "  ") for sentence in tuning_sentences(found))
    about = _about(found, counted(len(found.query_ids), "query", "queries"), counted(len(found.trials), "setting"))
    return "\n\n".join([render(*values_table(found, "table")), render(*axes_table(found)), f"{sentences}\n{about}"])


def _ablation(found: Ablation) -> str:
    lines = "\n".join(flowed(line, _WIDTH, "- ", "  ") for line in ablation_lines(found))
    tests = f"{100 * (1 - found.alpha):g} % intervals", f"p corrected: {found.correction}"
    about = _about(found, counted(len(found.query_ids), "query", "queries"), *tests)
    return f"{render(*ablation_table(found, 'table'))}\n\n{lines}\n{about}"


def _robustness(found: Robustness) -> str:
    how = f"relevant from grade {found.threshold:g}", f"k {found.k}", f"seed {found.seed}"
    about = _about(found, counted(found.queries, "query", "queries"), *how, "95 % intervals, each for its row alone")
    return f"{robustness_text(found)}\n\n{about}"


def _gate(found: GateResult) -> str:
    if not found.outcomes:
        return "there is nothing to test"
    return f"{gate_text(found, _WIDTH)}\n{gate_sentence(found)}"


def _order(found: OrderExplanation) -> str:
    if found.ahead is None:
        return f"{found.below.doc_id} is not ranked: it holds none of the query's terms"
    ahead = f"{found.above.doc_id} stands above {found.below.doc_id} by {found.ahead:.6g}, under {found.above.model}"
    return f"{ahead}\n\n{documents_table(found)}\n\n{order_table(found)}"


def _score(found: ScoreExplanation | MixtureExplanation) -> str:
    return explanation_text(None, explanation_data(found))


def _compared(found: Comparison, form: str) -> tuple[list[Column], list[list[Any]]]:
    table = compared_rows(found, form)
    return table.columns, table.rows


def _expected(found: GateResult, form: str) -> tuple[list[Column], list[list[Any]]]:
    columns = [Column("line"), Column("passed"), Column("what"), Column("found"), Column("reason")]
    return columns, [[getattr(outcome, column.name) for column in columns] for outcome in found.outcomes]


def _parts(found: OrderExplanation, form: str) -> tuple[list[Column], list[list[Any]]]:
    columns = [
        Column("kind"),
        Column("name"),
        *(Column(name, "", "right", ".6g") for name in ("above", "below", "ahead")),
    ]
    return columns, [[part[column.name] for column in columns] for part in order_data(found)["parts"]]


def _queries(found: Diff, form: str) -> tuple[list[Column], list[list[Any]]]:
    return query_columns(found), [query_row(query) for query in (*found.gained, *found.lost)]


def _about(found: Tuning | Ablation | Robustness, *parts: str) -> str:
    return flowed(" · ".join([found.collection, found.analyzer, *parts]), _WIDTH)


SHOWN: dict[type, _Shown] = {
    Comparison: _Shown(_comparison, _compared, lambda found: compared_data(found, caveats(found), (), ())),
    Diff: _Shown(_diff, _queries, diff_data),
    Tuning: _Shown(_tuning, values_table, tuning_data),
    Ablation: _Shown(_ablation, ablation_table, ablation_data),
    Robustness: _Shown(_robustness, lambda found, form: robustness_rows(found), lambda found: found.as_dict()),
    GateResult: _Shown(_gate, _expected, lambda found: found.as_dict()),
    OrderExplanation: _Shown(_order, _parts, order_data),
    ScoreExplanation: _Shown(_score, None, explanation_data),
    MixtureExplanation: _Shown(_score, None, explanation_data),
    MeasureExplanation: _Shown(measure_text, None, measure_data),
}
