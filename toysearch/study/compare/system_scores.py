"""Scores of systems against judgments: their means, the queries that stand out, and the choices behind the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import toysearch
import toysearch.study
from toysearch import evaluation
from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    Qrels,
    QueryNote,
    Remedy,
    Result,
    ResultTable,
    Run,
    Sentences,
    ToysearchNote,
    counted,
    groups_of,
    listed,
    number_columns,
    opening,
    percent,
    plain,
    table_columns,
)
from toysearch.base.rendering import turned, width_of
from toysearch.base.result import Page
from toysearch.evaluation.evaluate import DEFAULT_MEASURES, evaluate, out_of_reach, resolve
from toysearch.evaluation.intervals import FEWEST
from toysearch.evaluation.measures.measure import Measure, parse_measures
from toysearch.study.study import Study

if TYPE_CHECKING:
    from toysearch.evaluation.convention_effects import SideBySide
    from toysearch.evaluation.intervals import MeanInterval
    from toysearch.evaluation.unjudged_bounds import UnjudgedBounds
    from toysearch.evaluation.values_and_means import Evaluation
    from toysearch.files import QrelsLike
    from toysearch.study.compare.consistency import Consistency
    from toysearch.study.query_times import QueryTimes
    from toysearch.study.study import JudgedLike, SystemsLike

__all__ = ["Scores", "scores"]

BOUNDED = ("AP", "P@10", "RR", "DCG@10", "RBP")
"""Measures whose bounds are shown if none are named."""

ITEM_MEASURES = ("RR", "Success@1", "Success@10")
"""Measures of known items if none are named."""

EVERY = "all"
"""Name that stands for every convention."""

_WIDEST = 100  # characters of the table of a few systems; the measures of a wider one are below each other
_LINE = 80  # characters of a line that holds the intervals of the means
_HALF = "±"
_TOO_FEW = f"too few queries for confidence intervals of the means (fewer than {FEWEST})"
_FEW = 2  # systems
_LEAST_SHARE = 0.01  # the least share of unjudged documents that is mentioned
_QUERY = 48  # characters of a query in a table
_RELEVANT = 3  # relevant documents of a query in a table
_ENOUGH_TO_WONDER = 10  # queries; on fewer, systems often agree by chance


@dataclass(frozen=True, repr=False)
class ScoredStudy(Result):
    """Systems on a study with their values; its notes say which queries did not count like the others."""

    study: Study  # the documents, the queries and the judgments
    runs: Sequence[Run]  # the systems
    evaluations: Sequence[Evaluation]  # their values; none if there are several of a system
    shown: Result = field(default_factory=Result)  # what is shown of them, and perhaps what was measured

    def tables(self, form: str = "table") -> Sequence[ResultTable]:
        """Return the tables of what is shown."""
        return self.shown.tables(form)

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """Return its text."""
        return self.shown.text_parts(width, wrap)

    def data(self) -> Any:
        """Return its values."""
        return self.shown.data()

    def about(self) -> list[str]:
        """Say what was measured, and how."""
        return self.shown.about() or [conventions(self.study, values) for values in self.evaluations[:1]]

    @property
    def too_few(self) -> str:
        """Say that the queries are too few for intervals; "" if they are not, or if no interval would be shown."""
        return ""

    def notes(self) -> Iterator[ToysearchNote]:
        """Yield the notes that a reader of the values needs."""
        yield from remarks(self.evaluations, self.study)


@dataclass(frozen=True, repr=False)
class Scores(ScoredStudy):
    """Result of `scores`.

    Attributes
    ----------
    study : Study
        The documents, the queries and the judgments.
    runs : list of Run
        The systems.
    evaluations : list of Evaluation
        Their values.
    per_query : bool
        Whether the table has a row per query.
    worst : list of list of dict
        For each system the queries that stand out, with their first documents, the relevant ones, and why.
    explanations : list
        For each system the arithmetic of a value.
    hardest : list of dict
        The queries that no system answers well.
    consistencies : list of Consistency
        For each system its consistency over the texts of a need; none if no need has several.
    times : dict of str to QueryTimes
        For each model the time of each query; empty if it was not asked for.
    """

    per_query: bool = False
    worst: Sequence[list[dict[str, Any]]] = ()
    explanations: Sequence[Any] = ()
    hardest: Sequence[dict[str, Any]] = ()
    consistencies: Sequence[Consistency] = ()
    times: Mapping[str, QueryTimes] = field(default_factory=dict)

    @property
    def explains_alone(self) -> bool:
        """True if only the explanation of one value is shown to people."""
        others = self.worst or self.hardest
        return bool(self.explanations) and not (others or self.per_query)

    @cached_property
    def intervals(self) -> list[dict[str, MeanInterval]]:
        """For each system, measure → interval of its mean; none beside the bounds of ties."""
        if self.evaluations[0].ties == "bounds":
            return [{} for _ in self.evaluations]
        return [values.intervals() for values in self.evaluations]

    @property
    def _without_interval(self) -> dict[str, None]:
        """Measures whose means have no interval because the queries are too few; none beside the bounds of ties."""
        first = self.evaluations[0]
        if len(first.by_need) >= FEWEST or first.ties == "bounds":
            return {}
        return dict.fromkeys(one.text for one in first.measures if one.definition.aggregate == "mean")

    @property
    def too_few(self) -> str:
        """Say that the queries are too few for intervals; "" if they are not."""
        return _TOO_FEW if self._without_interval else ""

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show one row per system, or per query before the means; for people with the effect of ties on the means."""
        bounds = self.evaluations[0].ties == "bounds"
        lens = form == "table" and not bounds

        columns, rows = self._rows(bounds, lens)
        caption = "" if self.per_query else self.too_few
        if any(self.intervals) and not self.per_query:
            fitting = next(self._with_halves(form), None)
            if fitting is not None:
                sizes = {interval.n for of_system in self.intervals for interval in of_system.values()}
                over = f" over {counted(max(sizes), *self.evaluations[0].needs.kind)}" * (len(sizes) == 1)
                caption = f"{_HALF}: half of the 95% confidence interval of the mean{over} (t)"
                return [ResultTable(*fitting, caption=caption)]
            caption = "The 95% confidence intervals of the means do not fit beside them; JSON and CSV have them."
        is_wide = form == "table" and not self.per_query and width_of(columns, rows) > _WIDEST
        if is_wide and len(self.runs) <= _FEW:
            if bounds:
                columns, rows = self._rows(False, False)
                ends = [[*zip(*values.tie_bounds.values(), strict=True)] for values in self.evaluations]
                rows = [
                    line
                    for row, (low, high) in zip(rows, ends, strict=True)
                    for line in (row, ["low", *low], ["high", *high])
                ]
            columns, rows = turned(columns, rows, "measure")
        elif is_wide:
            below = turned(*self._rows(bounds, lens=False), "measure")
            columns, rows = min((columns, rows), below, key=lambda table: width_of(*table))
        return [ResultTable(columns, rows, caption=caption)]

    def _with_halves(self, form: str) -> Iterator[tuple[list[Column], list[list[Any]]]]:
        """Yield the tables with half intervals that fit on a line; a note tells of the ties that they leave out."""
        for with_ties in (True, False) if form == "table" else (False,):
            columns, rows = self._rows(False, with_ties, halves=True)
            # The halves are in the row below a mean; beside it, they take the last columns in TSV and CSV.
            blank = [None] * len(columns)
            below_each = zip(rows, [*rows[1:], blank], strict=True)
            merged = [(row, other if other[0] == _HALF else blank) for row, other in below_each if row[0] != _HALF]
            known = [place for place in range(1, len(columns)) if any(half[place] is not None for _, half in merged)]
            order = [(place, False) for place in range(len(columns))] + [(place, True) for place in known]
            if form not in ("tsv", "csv"):
                order.sort()
            header = _HALF if form == "table" else ""
            of_halves = [column._replace(name=f"{column.name} {_HALF}", header=header) for column in columns]
            shown = [(of_halves if is_half else columns)[place] for place, is_half in order]
            beside = shown, [[(half if is_half else row)[place] for place, is_half in order] for row, half in merged]
            if form != "table" or width_of(*beside) <= _LINE:
                yield beside
            below = turned(columns, rows, "measure")
            if len(self.runs) <= _FEW or not with_ties:
                yield from [below] if width_of(*below) <= _LINE else []

    def _rows(self, bounds: bool, lens: bool, halves: bool = False) -> tuple[list[Column], list[list[Any]]]:
        """Make columns and rows, with the bounds of ties beside values; below means half intervals, a lens on ties."""
        measures = self.evaluations[0].measures
        counts = {measure for measure in measures if measure.definition.aggregate == "sum"}
        numbers = [Column(str(one), "", "right", ".10g" if one in counts else ".4f") for one in measures]
        sides = ("", " low", " high") if bounds else ("",)
        keys = table_columns("system", [Column("query_id", "query")] * self.per_query)
        time_columns = number_columns(".3f", "ms", ms_95="ms 95%") if self.times else []
        rows = []
        for values, intervals in zip(self.evaluations, self.intervals, strict=True):
            all_queries, times = ["all"] * self.per_query, self.times.get(values.name)
            none: list[Any] = [None] * len(time_columns)
            if self.per_query:
                of_query = bounds_by_query(values) if bounds else {}
                for query_id, row in values.per_query.items():
                    took = none if times is None else [times.by_query.get(query_id), None]
                    rows.append([values.name, query_id, *_cells(row, of_query.get(query_id)), *took])
            means = _cells(values.aggregates(), values.tie_bounds if bounds else None)
            took = none if times is None else [times.median, times.percentile_95]
            rows.append([values.name, *all_queries, *means, *took])
            if halves:
                half_of = {name: interval.half for name, interval in intervals.items()}
                rows.append([_HALF, *(half_of.get(measure.text) for measure in measures), *none])
            if lens and any(tied := tie_row(values)):
                rows.append([""] * self.per_query + ["  any order of ties", *tied, *none])
        columns = [column._replace(name=f"{column.name}{side}") for column in numbers for side in sides]
        return [*keys, *columns, *time_columns], rows

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """Yield the table, then the requested additions; or the explanation of one value alone."""
        whys = [
            toysearch.study.measure_text(why, width, f"query {why.query_id}, {values.name}")
            for why, values in zip(self.explanations, self.evaluations, strict=False)
        ]
        if self.explains_alone:
            yield "\n\n".join(whys)
            return
        measure = str(self.evaluations[0].measures[0])
        yield from self.tables()
        if self.consistencies:
            from toysearch.study.compare.consistency import consistency_table  # few needs have several texts

            yield consistency_table(self.consistencies, f"Over the texts of a need ({self.evaluations[0].size})")
        for place, values in enumerate(self.evaluations):
            if self.consistencies and self.per_query:
                yield f"The needs of {values.name}"
                yield from self.consistencies[place].tables()
            if self.worst and self.worst[place]:
                yield from _standing_parts(f"The worst queries of {values.name}", measure, self.worst[place])
        yield from whys
        if self.hardest:
            columns = table_columns(
                Column("query_id", "query"),
                number_columns(".4f", value=f"best {measure}"),
                Column("run", "by"),
                Column("text", wrap=True),
            )
            rows = [
                [hard["query_id"], hard["value"], hard["run"], opening(hard["text"] or "", _QUERY)]
                for hard in self.hardest
            ]

            yield ResultTable(columns, rows, "The queries that no system answers well\n")

    def data(self) -> dict[str, Any]:
        """Return all values, and the requested additions."""
        first, systems = self.evaluations[0], []
        asked = {
            "worst": self.worst,
            "consistency": [one.data() for one in self.consistencies],
            "explanation": [why.data() for why in self.explanations],
        }
        for place, values in enumerate(self.evaluations):
            ends = {name: [one.low, one.high] for name, one in self.intervals[place].items()}
            system = {
                "system": values.name,
                "measures": values.aggregates(),
                "intervals": self._without_interval | ends,
                **values.counts,
                "per_query": values.per_query,
            }
            if values.ties == "bounds" or values.tie_remark:  # the bounds of all means that ties affect
                system["tie_bounds"] = values.tie_bounds
            if values.ties == "bounds":
                system["tie_bounds_per_query"] = bounds_by_query(values)
            if times := self.times.get(values.name):
                system["milliseconds"] = {"median": times.median, "percentile_95": times.percentile_95}
                system["milliseconds_per_query"] = times.by_query
            systems.append(system | {name: each[place] for name, each in asked.items() if each})
        return {
            **about_study(self.study),
            "threshold": first.threshold,
            "ties": first.ties,
            "convention": first.convention.name,
            "k": self.study.scoring.k if self.study.models else None,
            "systems": systems,
            **({"hardest": self.hardest} if self.hardest else {}),
            **({"note": self.too_few} if self.too_few else {}),
        }

    def notes(self) -> Iterator[ToysearchNote]:
        """Yield the notes that a reader of the values needs; none beside the explanation of one value."""
        if self.explains_alone:
            return
        yield from super().notes()
        shares = [
            (percent(values.first_ten[1], values.first_ten[0]), values.name)
            for values in self.evaluations
            if values.first_ten[1] and values.unjudged_share >= _LEAST_SHARE
        ]
        if shares:
            several = ", ".join(f"{share} ({name})" for share, name in shares)
            text = shares[0][0] if len(self.runs) == 1 else several
            yield ToysearchNote(f"{text} of the first ten documents are unjudged and count as not relevant")
        yield from map(ToysearchNote, alike(self.runs))
        if self.evaluations[0].ties == "bounds":
            for values in self.evaluations:
                yield ToysearchNote(f"{values.name}: {values.tie_remark or 'tied documents affect no value'}")
        elif affected := [values for values in self.evaluations if any(tie_row(values))]:
            counts = [f"{values.name} in {len(values.tied_queries)}" for values in affected]
            queries = counted(self.evaluations[0].n_queries, "query", "queries")
            text = f"tied documents affect the values of {listed(counts)} of {queries}"
            yield QueryNote(affected[0].tie_remark if len(self.runs) == 1 else text)


def scores(
    systems: SystemsLike,
    qrels: QrelsLike | JudgedLike,
    measures: str | Iterable[object] | None = None,
    *,
    threshold: float | None = None,
    ties: str | None = None,
    only_retrieved: bool | None = None,
    undefined: str | None = None,
    convention: str = "trec_eval",
    bounds: bool = False,
    max_rel: float | None = None,
    per_query: bool = False,
    worst: int | None = None,
    hardest: int | None = None,
    explain: str | None = None,
    query_id: str | None = None,
    by: str | None = None,
    time: bool = False,
) -> ScoredStudy:
    """Score models, or runs, against relevance judgments.

    With a COLLECTION (a name, a folder) or an INDEX: ranks the judged queries with each MODEL and scores the rankings,
    with its own queries and judgments or those of --queries and --qrels. With RUN files and QRELS, a file or a
    collection: scores the runs, in any format (TREC, CSV, JSON, …); - is standard input. --format trec_eval prints as
    trec_eval does. `toysearch score` takes a ranking typed by hand.

    ± beside a mean is half of its 95% confidence interval: t(n − 1) · s / √n over the n queries, or needs.

    --convention all shows the values by trec_eval, by textbooks and by scikit-learn, and why they differ. --bounds
    shows the lowest and the highest value over all grades that the unjudged documents may have, from not relevant to
    --max-rel; both are reached.

    Parameters
    ----------
    systems : mapping of str to run or model, or list of run or model
        The systems, as `compare` takes them; those of a study with fixed runs are these.
    qrels : Qrels, dict, data frame, path, Collection, Index, Searcher, Study or name
        The judgments. Models need a collection, or an index built from a named one.
    measures : str or iterable, default ("AP", "nDCG@10", "P@10")
        The measures, as `evaluate` takes them; with `bounds` AP, P@10, RR, DCG@10 and RBP, of known items RR,
        Success@1 and Success@10.
    threshold : float, optional
        The lowest relevant grade; by default that of the collection, or 1.
    ties : {"rank", "trec_eval", "average", "bounds", "sklearn"}, optional
        Order of equal scores, or average or bounds over all orders; by default rank for models alone, else trec_eval.
    only_retrieved : bool, default False
        Average over answered queries, as trec_eval.
    undefined : {"zero", "nan"}, default "zero"
        The value of a query without relevant documents; nan leaves it out.
    convention : {"trec_eval", "textbook", "sklearn", "all"}, default "trec_eval"
        Defaults for ties, undefined values and gains; all shows the values by each, and why they differ.
    bounds : bool, default False
        Show the bounds over all grades of unjudged documents.
    max_rel : float, optional
        With --bounds: highest possible grade of an unjudged document; by default the highest judged.
    per_query : bool, default False
        Show one row per query, and the means as query 'all'.
    worst : int, optional
        Show the N worst queries, and why.
    hardest : int, optional
        Show the N queries that no system answers well.
    explain : str, optional
        Show the arithmetic of this measure for --query-id.
    query_id : str, optional
        Query whose value --explain explains.
    by : str, optional
        Show means and tests by groups of queries: by their length, or by a field of the queries.
    time : bool, default False
        Show the median and the 95th percentile of the time per query, in ms, on this machine.

    Returns
    -------
    Scores
        With `by`, `bounds` or the convention "all" the means by groups, the bounds, or the values by each convention.

    Raises
    ------
    ArgumentError
        If a measure or an option is unknown, or no grade reaches the threshold.
    DataError
        As in `evaluate`.

    Examples
    --------
    >>> found = scores(["bm25", "cosine"], "companions", "AP", hardest=1)
    >>> found.hardest[0]["text"], [round(values["AP"], 4) for values in found.evaluations]
    ('bereavement support', [0.3831, 0.3473])
    >>> scores({"mine": {"1": ["a", "b"]}}, {"1": {"b": 1}}, "RR", per_query=True).tables()[0].rows
    [['mine', '1', 0.5], ['mine', 'all', 0.5]]
    """
    study, named = Study.of_judgments(qrels).with_scoring(threshold=threshold, ties=ties).systems(systems)
    usual = BOUNDED if bounds else ITEM_MEASURES if asks_known_items(study) else DEFAULT_MEASURES
    measured = parse_measures(measures or usual, evaluation.SIZE)
    explained = [] if explain is None else study.sized([Measure.parse(explain, evaluation.SIZE)])
    measured = [*study.sized(measured), *explained]
    runs, rules = [run for _, run in named], {"threshold": study.stated_threshold(), "ties": ties}
    how: dict[str, Any] = {**rules, "only_retrieved": only_retrieved, "undefined": undefined}
    if convention == EVERY:
        sides = {name: evaluation.side_by_side(run, study.qrels(), measured, **how) for name, run in named}
        return ScoredStudy(study, runs, (), _by_convention(sides))
    if bounds:
        from toysearch.evaluation.unjudged_bounds import unjudged_bounds  # few ask for them

        how = {**rules, "only_retrieved": bool(only_retrieved), "max_rel": max_rel}
        of_runs = [unjudged_bounds(run, study.qrels(), measured, **how) for run in runs]
        shown = _with_bounds(runs, of_runs, study.qrels(), per_query)
        return ScoredStudy(study, runs, [bounds.evaluation for bounds in of_runs], shown)
    asked = resolve(measured, ties, only_retrieved, undefined, convention, None)
    refuse_out_of_reach(study.qrels(), asked.measures, threshold, asked.undefined)
    evaluations = [
        replace(evaluate(run, study.qrels(), measured, convention=convention, **how), name=name) for name, run in named
    ]
    times = {}
    if time:
        from toysearch.study.query_times import query_times  # few ask for it

        times = query_times(study)
    if by is not None:
        means = toysearch.study.means_by_group({values.name: values for values in evaluations}, study, by)
        return ScoredStudy(study, runs, evaluations, means)
    systems_scored = list(zip(runs, evaluations, strict=True))
    consistencies = []
    if evaluations[0].needs:
        from toysearch.study.compare.consistency import consistency  # few needs have several texts

        consistencies = [consistency(run, values) for run, values in systems_scored]

    explanations = [
        toysearch.explain_measure(run, study.qrels(), values, measure, query_id or "")
        for measure in explained
        for run, values in systems_scored
    ]
    hardest_queries = toysearch.study.hardest(evaluations, hardest) if hardest else ()
    return Scores(
        study,
        runs,
        evaluations,
        per_query=per_query,
        consistencies=consistencies,
        worst=[_standing(study, run, values, worst) for run, values in systems_scored] if worst else (),
        explanations=explanations,
        hardest=[query._asdict() | {"text": _text(study, query.query_id)} for query in hardest_queries],
        times=times,
    )


def _with_bounds(runs: Sequence[Run], bounds: Sequence[UnjudgedBounds], qrels: Qrels, per_query: bool) -> Page:
    """Show the bounds of each system over the grades of its unjudged documents, and how much of them is judged."""
    columns, rows, lines = list[Column](), list[list[Any]](), list[str]()
    for run, of_run in zip(runs, bounds, strict=True):
        [table] = of_run.tables()
        columns = [column for column in table.columns if per_query or column.name != "query_id"]
        for measure, query_id, *numbers in [*table.rows][0 if per_query else -len(of_run.means) :]:
            rows.append([run.name, measure, *([query_id] if per_query else []), *numbers])
        values = of_run.evaluation
        share = evaluate(run, qrels, "Judged", threshold=values.threshold)["Judged"]
        judged, grades = f"{share:.1%} of the retrieved documents are judged", f"from grade {values.threshold:g}"
        lines.append(f"{run.name}: {values.size} · relevant {grades} · {judged} · ties {values.ties}")
    table = ResultTable(table_columns("system", columns), rows)
    return Page([table], table, settings=lines)


def _by_convention(sides: Mapping[str, SideBySide]) -> Page:
    """Show each measure of each system under every convention, and each reason for a difference alone."""
    columns, rows, reasons = list[Column](), list[list[Any]](), list[Part]()
    for name, side in sides.items():
        [table] = side.tables()
        columns = table_columns("system", table.columns)
        rows += [[name, *row] for row in table.rows]
        sentences = []
        for effect in side.effects:
            pairs = effect.changes.items()
            changes = ", ".join(f"{measure} {old:.4f} → {new:.4f}" for measure, (old, new) in pairs)
            sentences += [f"{effect.convention}: {effect.reason} ({changes})"] if changes else []
        heading = f"{name}: {'why they differ, each reason alone' if sentences else 'no difference'}"
        reasons.append(Sentences(sentences, "  ", "    ", heading))
    table = ResultTable(columns, rows)
    data = {"systems": [{"system": name, **side.data()} for name, side in sides.items()]}
    return Page([table, *reasons], table, data)


def refuse_out_of_reach(
    qrels: Qrels, measures: Sequence[Measure], threshold: float | None, undefined: str | None
) -> None:
    """Refuse a threshold or a ``rel`` that no grade reaches: a table of zeros would say nothing."""
    problem = out_of_reach(qrels, measures, threshold)
    if problem and undefined != "nan":
        raise ArgumentError(f"{problem} ({Remedy('evaluate', undefined='nan')} says so query by query)")


def bounds_by_query(values: Evaluation) -> dict[str, dict[str, tuple[float, float]]]:
    """Query → measure → lowest and highest value over the orders of tied documents."""
    low, high, _ = values.extremes
    return {query_id: {name: (row[name], high[query_id][name]) for name in row} for query_id, row in low.items()}


def tie_row(values: Evaluation) -> list[str]:
    """Write for each measure ``low … high`` over the orders of tied documents, blank if both print alike."""
    pairs = (values.tie_bounds.get(measure, (0.0, 0.0)) for measure in map(str, values.measures))
    texts = ((f"{low:.4f}", f"{high:.4f}") for low, high in pairs)
    return ["" if low == high else f"{low} … {high}" for low, high in texts]


def _cells(values: Mapping[str, float], bounds: Mapping[str, tuple[float, float]] | None) -> list[float]:
    return [cell for name, value in values.items() for cell in (value, *(bounds[name] if bounds else ()))]


def _text(study: Study, query_id: str) -> str | None:
    collection = study.collection()
    query = collection.queries.get(query_id) if collection else None
    return query.text if query else None


def _standing(study: Study, run: Run, values: Evaluation, n: int) -> list[dict[str, Any]]:
    rows = []
    perfect = 1.0 if asks_known_items(study) else None  # an item that is found first has no reason to fail
    for query in toysearch.study.poorest(run, study.qrels(), values, n):
        if query.value == perfect:
            continue
        text = _text(study, query.query_id)
        index = study.of_run(run.name).index() if text else None
        reasons = toysearch.study.causes(run, study.qrels(), values, query.query_id, index=index, text=text)
        came, wanted, why = map(plain, (query.came, query.wanted, reasons))
        rows.append(query._asdict() | {"came": came, "wanted": wanted, "text": text, "causes": why})
    return rows


def _standing_parts(title: str, measure: str, queries: list[dict[str, Any]]) -> list[Part]:
    texts = any(query["text"] for query in queries)
    columns = table_columns(
        Column("query_id", "query"),
        number_columns(".4f", value=measure),
        [Column("text", wrap=True)] if texts else [],
        Column("came", "first documents (grade)", wrap=True),
        Column("wanted", "relevant (rank)", wrap=True),
    )
    rows = []
    for query in queries:
        grades = [(hit["doc_id"], "unjudged" if hit["grade"] is None else f"{hit['grade']:g}") for hit in query["came"]]
        came = ", ".join(f"{doc_id} ({grade})" for doc_id, grade in grades)
        relevant = [f"{hit['doc_id']} ({hit['rank'] or 'not found'})" for hit in query["wanted"]]
        more = [f"and {len(relevant) - _RELEVANT} more"] if len(relevant) > _RELEVANT else []
        shown = ", ".join(relevant[:_RELEVANT] + more)
        text = [opening(query["text"] or "", _QUERY)] if texts else []
        rows.append([query["query_id"], query["value"], *text, came or "nothing", shown])
    whys = [
        f"{query['query_id']}: {'; '.join(cause['sentence'] for cause in query['causes'])}"
        for query in queries
        if query["causes"]
    ]
    table = ResultTable(columns, rows, f"{title}\n")
    return [table, *([Sentences(whys, "  ", "  ", "Why\n")] if whys else [])]


def asks_known_items(study: Study) -> bool:
    """True if the queries of a study were made of its texts."""
    collection = study.collection()
    return collection is not None and bool(collection.known_items)


def about_study(study: Study) -> dict[str, str | None]:
    """Describe the collection, the analysis and the grades of a study, for JSON."""
    collection = study.collection()
    return {
        "collection": collection.name if collection else None,
        "analyzer": " · ".join(map(str, study.analyses())) if study.models else None,
        "grades": collection.grades if collection else None,
    }


def conventions(study: Study, values: Evaluation, *more: str | None) -> str:
    """State the conventions behind the numbers in a line, so that no table stands without them."""
    collection, analyzer, grades = about_study(study).values()
    convention = "" if values.convention.name == "trec_eval" else f"convention {values.convention.name}"
    k = study.scoring.k if study.models else None
    parts = [
        collection,
        analyzer,
        grades and f"grades {grades}",
        values.size,
        f"relevant from grade {values.threshold:g}",
        f"ties {values.ties}",
        convention,
        f"k {k}" if k else "",
        *more,
    ]
    return " · ".join(part for part in parts if part)


def remarks(evaluations: Sequence[Evaluation], study: Study) -> Iterator[ToysearchNote]:
    """Yield the remarks of evaluations on queries, each once, with its systems if it is not true of all."""
    # Of rankings made here, the search has told which queries have no known term, and the rest can wait. A collection
    # declares the known facts about its queries.
    names_of: dict[str, list[str]] = {}
    collection = study.collection()
    for values in evaluations:
        missing, barren, unjudged = values.missing, values.without_relevant, values.unjudged
        queries: Any = study.given.queries
        if study.given.source is None and queries is not None:  # the others are left out on request
            unjudged = tuple(query_id for query_id in unjudged if queries.get(query_id) is not None)
        if study.models and not values.only_retrieved:
            of_system = study.of_run(values.name)
            topics, number_of = study.judged().queries, of_system.index().term_number
            missing = tuple(
                query_id
                for query_id in missing
                if (query := topics.get(query_id)) is None
                or any(number_of(term) >= 0 for term in of_system.analyzer()(query.text))
            )
        if collection and collection.without_relevant.issuperset(barren):
            barren = ()
        for sentence in replace(values, missing=missing, without_relevant=barren, unjudged=unjudged).remarks:
            names_of.setdefault(sentence, []).append(values.name)
    kind = QueryNote if study.models else ToysearchNote
    for sentence, names in names_of.items():
        yield kind(sentence if len(names) == len(evaluations) else f"{', '.join(names)}: {sentence}")


def alike(runs: Sequence[Run]) -> list[str]:
    """Name the systems that rank all of several queries alike: their equal figures are not a coincidence."""
    begun: dict[tuple[Any, ...], list[Run]] = {}  # by the first documents, so that most other ids are not decoded
    for run in runs if len(runs) > 1 else ():
        if len(run.query_ids) >= _ENOUGH_TO_WONDER:
            firsts = run.ids.at(run.offsets[:-1][np.diff(run.offsets) > 0])
            begun.setdefault((tuple(run.query_ids), tuple(firsts), tuple(run.offsets)), []).append(run)
    groups = (groups_of((tuple(run.doc_ids), run.name) for run in some) for some in begun.values() if some[1:])
    named = (names for of_ids in groups for names in of_ids.values() if names[1:])
    return [f"{' and '.join(names)} rank all queries alike" for names in named]
