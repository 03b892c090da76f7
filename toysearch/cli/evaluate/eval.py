"""`toysearch eval`: score models on a collection, or runs from anywhere, against relevance judgments."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import toysearch
from toysearch.base import QueryNote, counted, listed, note, percent, without_notes
from toysearch.cli import (
    POSITIVE,
    Command,
    Decorator,
    SourceOptions,
    Workers,
    alike,
    emit,
    examples,
    judged_options,
    measures_option,
    models_option,
    named_measures,
    notes_option,
    option,
    optional_depth_option,
    output_options,
    query_mode_option,
    ranked,
    ranking_worker_options,
    refuse_out_of_reach,
    remark,
    shared,
    study_data,
    study_to_evaluate,
    tell_remarks,
    threshold_option,
)
from toysearch.cli.evaluate.conventions import NAMES, counting_options
from toysearch.evaluation.result import AGGREGATES
from toysearch.laboratory.results.tables import Column, turned, width_of

if TYPE_CHECKING:
    from toysearch.laboratory.study import Study


def tie_data(evaluation: Any) -> dict[str, Any]:
    """For JSON: the bounds of all means that ties affect; with ``--ties bounds`` always, and by query."""
    if evaluation.ties == "bounds":
        return {"tie_bounds": evaluation.tie_bounds, "tie_bounds_per_query": _by_query(evaluation)}
    return {"tie_bounds": evaluation.tie_bounds} if evaluation.tie_remark else {}


def _by_query(evaluation: Any) -> dict[str, dict[str, tuple[float, float]]]:
    low, high, _ = evaluation.extremes
    return {query_id: {name: (row[name], high[query_id][name]) for name in row} for query_id, row in low.items()}


def tie_row(evaluation: Any) -> list[str]:
    """For each measure ``low … high`` over the orders of tied documents, blank if both print alike."""
    bounds = evaluation.tie_bounds
    cells = []
    for measure in map(str, evaluation.measures):
        low, high = (f"{value:.4f}" for value in bounds.get(measure, (0.0, 0.0)))
        cells.append("" if low == high else f"{low} … {high}")
    return cells


def with_bounds(columns: list[Column], rows: list[list[Any]], evaluations: list[Any]) -> tuple[list[Column], list[Any]]:
    """The columns and rows of `toysearch eval` with the bounds of each value after it."""
    keys = len(columns) - len(evaluations[0].measures)
    wide = list(columns[:keys])
    for column in columns[keys:]:
        wide += [column] + [column._replace(name=f"{column.name} {side}", header="") for side in ("low", "high")]
    bounds = []
    for evaluation in evaluations:
        if keys > 1:
            bounds += list(_by_query(evaluation).values())
        bounds.append(evaluation.tie_bounds)
    rows = [
        row[:keys]
        + [number for value, pair in zip(row[keys:], pairs.values(), strict=True) for number in (value, *pair)]
        for row, pairs in zip(rows, bounds, strict=True)
    ]
    return wide, rows


TIES = ("rank", "trec_eval", "average", "bounds", "sklearn")
_WIDEST = 100  # characters of the table of one system; the measures of a wider one are below each other
_LEAST_SHARE = 0.01  # the least share of unjudged documents that is mentioned


class Asked(NamedTuple):
    """The queries to show: the number of each kind, and the measure to explain for one query."""

    worst: int | None = None
    best: int | None = None
    hardest: int | None = None
    histogram: bool = False
    explain: str | None = None
    query_id: str | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing but the explanation of one value is shown."""
        return self.explain is not None and not any((self.worst, self.best, self.hardest, self.histogram))

    def check(self) -> None:
        """Refuse one of --explain and --query-id without the other."""
        if self.explain is not None and self.query_id is None:
            raise click.UsageError("--explain needs --query-id: the query whose value to explain")
        if self.query_id is not None and self.explain is None:
            raise click.UsageError("--query-id needs --explain: the measure whose value to explain")


class ScoredStudy(NamedTuple):
    """A study with its runs and their evaluations."""

    study: Study
    systems: list[tuple[Any, Any]]  # run, evaluation
    aggregate: str | None = None
    searchers: tuple[Any, ...] = ()  # those that made the runs, if they predict difficulties

    @property
    def evaluations(self) -> list[Any]:
        """The evaluations, in the order of the systems."""
        return [evaluation for _, evaluation in self.systems]


def _asked(*names: str, **settings: Any) -> Decorator:
    return option(*names, into=("asked", Asked), heading="Queries", **settings)


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch eval companions --model bm25 --model cosine:idf=smooth",
        'toysearch eval companions -m "AP nDCG@10 P@5 Rprec" --analyzer english --worst 5',
        "toysearch eval mine.run theirs.run --qrels qrels.txt --per-query --tsv",
        "toysearch eval my-index --queries topics.txt --qrels qrels.txt",
        'toysearch eval companions --explain "AP" --query-id 12',
    ),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS")
@models_option
@optional_depth_option
@query_mode_option("plain", "Ranking", brief="toysearch run")
@shared("threads", brief="toysearch run")
@measures_option
@threshold_option
@shared(
    "ties",
    type=click.Choice(TIES),
    help="Order of equal scores, or average or bounds over all orders.  [default: rank for models, else trec_eval]",
)
@option(
    "--convention",
    type=click.Choice(NAMES),
    default="trec_eval",
    heading="Evaluation",
    help="Defaults for ties, undefined values and gains.",
)
@option(
    "--aggregate",
    type=click.Choice([name for name in AGGREGATES if name != "sum"]),
    heading="Evaluation",
    help="Value for all queries: gm and hm are other means.  [default: that of each measure]",
)
@counting_options
@shared("per_query", heading="Queries")
@_asked("--worst", type=POSITIVE, help="Show the N worst queries by the first measure, their predicted place, and why.")
@_asked("--best", type=POSITIVE, help="Show the N best queries by the first measure.")
@_asked("--hardest", type=POSITIVE, help="Show the N queries that no system answers well.")
@_asked("--histogram", is_flag=True, help="Show the distribution of the first measure.")
@_asked("--explain", metavar="MEASURE", help="Show how its value for --query-id is computed, rank by rank.")
@_asked("--query-id", metavar="ID", help="Query whose value --explain explains.")
@ranking_worker_options
@judged_options
@notes_option
@output_options
def command(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    k: int | None,
    threads: int | None,
    workers: Workers,
    aggregate: str | None,
    per_query: bool,
    asked: Asked,
    options: SourceOptions,
    form: str,
    **rules: Any,
) -> None:
    """Score models, or runs, against relevance judgments.

    With a COLLECTION (a name, a folder) or an INDEX: ranks the judged queries with each MODEL and scores the rankings,
    with its own queries and judgments or those of --queries and --qrels. With RUN files and QRELS, a file or a
    collection: scores the runs, in any format (TREC, CSV, JSON, …); - is standard input. Shows one row per system.
    `toysearch score` takes a ranking typed by hand, `toysearch conventions` shows conventions side by side.
    """
    from toysearch.evaluation.measures.measure import Measure

    ties, convention, threshold = rules["ties"], rules["convention"], rules["threshold"]
    asked.check()
    if asked.explain is not None and (ties in ("average", "sklearn") or convention == "sklearn"):
        raise click.UsageError(
            "--explain explains one order of the documents; it cannot be combined with a value over all orders of ties"
        )
    if aggregate is not None and ties == "bounds":
        raise click.UsageError("--aggregate cannot be combined with --ties bounds, which compares means")
    # A misspelt measure is reported before anything is ranked.
    measures_to_show = named_measures(rules["measures"])
    explained = [] if asked.explain is None else [Measure.parse(asked.explain, ["N"])]
    alone = asked.alone and not per_query and form == "table"
    settings: Any = {"k": k, "threads": threads, "threshold": threshold, "ties": ties}
    with workers.connected(), without_notes() if alone else nullcontext():
        study = study_to_evaluate(targets, options, models=models, **settings)
        searchers: tuple[Any, ...] = ()
        if asked.worst and study.models:
            from toysearch.laboratory.experiments.prediction.predictors import PredictingSearcher

            searchers = tuple(PredictingSearcher(study.ready().index, model) for model in study.models)
        runs = ranked(study, searchers)
    rules |= {"threshold": study.stated_threshold, "measures": study.sized([*measures_to_show, *explained])}
    asked = asked._replace(explain=next(map(str, study.sized(explained)), None))
    systems = [(run, toysearch.evaluate(run, study.qrels, **rules)) for run in runs]
    evaluation = systems[0][1]
    refuse_out_of_reach(study.qrels, evaluation.measures, threshold, evaluation.undefined)
    _print(ScoredStudy(study, systems, aggregate, searchers), asked, per_query, ties == "bounds", form)


def _print(scored: ScoredStudy, asked: Asked, per_query: bool, bounds: bool, form: str) -> None:
    """The table, the requested details of single queries, and the conventions and notes on stderr."""
    evaluations = scored.evaluations
    data = _data(scored, asked)
    if asked.alone and not per_query and form == "table":  # what is known of the other queries explains nothing
        from toysearch.cli.evaluate.eval_queries import explain_values

        click.echo("\n\n".join(explain_values(scored, asked)))
        _remark_conventions(scored, data)
        return
    columns, rows = _rows(scored, per_query, lens=form == "table" and not bounds and scored.aggregate is None)
    wide = with_bounds(columns, rows, evaluations) if bounds else (columns, rows)
    if form == "table" and len(evaluations) == 1 and not per_query and width_of(*wide) > _WIDEST:
        if bounds:
            pairs = evaluations[0].tie_bounds.values()
            rows += [["low", *(low for low, _ in pairs)], ["high", *(high for _, high in pairs)]]
        wide = turned(columns, rows, "measure")
    emit(wide[0], wide[1], form, data=data)
    if form == "table":
        if any(asked):
            from toysearch.cli.evaluate.eval_queries import tell

            tell(scored, asked, data)
        _remark_conventions(scored, data)
    tell_remarks(evaluations, scored.study)
    if sentence := _unjudged_first_ten(evaluations):
        note(sentence)
    for sentence in alike([run for run, _ in scored.systems]):
        note(sentence)
    if bounds:
        for evaluation in evaluations:
            note(f"{evaluation.name}: {evaluation.tie_remark or 'tied documents affect no value'}")
    elif scored.aggregate is None and (sentence := _affected_by_ties(evaluations)):
        note(sentence, QueryNote)


def _affected_by_ties(evaluations: list[Any]) -> str:
    """One sentence on the systems with a mean that the order of tied documents changes; empty if there is none."""
    affected = [evaluation for evaluation in evaluations if any(tie_row(evaluation))]
    if len(evaluations) == 1:
        return "".join(evaluation.tie_remark for evaluation in affected)
    counts = [f"{evaluation.name} in {len(evaluation.tied_queries)}" for evaluation in affected]
    queries = counted(evaluations[0].n_queries, "query", "queries")
    return f"tied documents affect the values of {listed(counts)} of {queries}" if affected else ""


def _unjudged_first_ten(evaluations: list[Any]) -> str:
    """The share of the first ten documents that is unjudged; empty below 1 %."""
    shares = [
        (evaluation.name, percent(evaluation.first_ten[1], evaluation.first_ten[0]))
        for evaluation in evaluations
        if evaluation.first_ten[1] and evaluation.unjudged_share >= _LEAST_SHARE
    ]
    if not shares:
        return ""
    text = shares[0][1] if len(evaluations) == 1 else ", ".join(f"{share} ({name})" for name, share in shares)
    return f"{text} of the first ten documents are unjudged and count as not relevant"


def _rows(scored: ScoredStudy, per_query: bool, lens: bool) -> tuple[list[Column], list[list[Any]]]:
    """One row per system, or per query followed by the means, with the effect of ties below the means."""
    measures = scored.systems[0][1].measures
    counts = {measure for measure in measures if measure.definition.aggregate == "sum"}
    numbers = [Column(str(one), "", "right", ".10g" if one in counts else ".4f") for one in measures]
    keys = [Column("system"), Column("query_id", "query")] if per_query else [Column("system")]
    rows: list[list[Any]] = []
    for _, evaluation in scored.systems:
        if per_query:
            rows += [[evaluation.name, query_id, *row.values()] for query_id, row in evaluation.per_query.items()]
        key = [evaluation.name, "all"] if per_query else [evaluation.name]
        rows.append([*key, *evaluation.aggregates(scored.aggregate).values()])
        bounds = tie_row(evaluation) if lens else []
        if any(bounds):
            rows.append([*(["", "  any order of ties"] if per_query else ["  any order of ties"]), *bounds])
    return [*keys, *numbers], rows


def _data(scored: ScoredStudy, asked: Asked) -> dict[str, Any]:
    """All results, for JSON."""
    first = scored.systems[0][1]
    systems = []
    for run, evaluation in scored.systems:
        system = {
            "system": evaluation.name,
            "measures": evaluation.aggregates(scored.aggregate),
            "queries": evaluation.n_queries,
            "per_query": evaluation.per_query,
        }
        system |= tie_data(evaluation)
        if any(asked):
            from toysearch.cli.evaluate.eval_queries import data_of

            system |= data_of(scored, asked, run, evaluation)
        systems.append(system)
    data = {
        **study_data(scored.study),
        "threshold": first.threshold,
        "ties": first.ties,
        "convention": first.convention.name,
        "k": scored.study.k if scored.study.models else None,
        "systems": systems,
    }
    if scored.aggregate:
        data["aggregate"] = scored.aggregate
    if asked.hardest:
        from toysearch.cli.evaluate.eval_queries import hardest_of

        data["hardest"] = hardest_of(scored, asked.hardest)
    return data


def _remark_conventions(scored: ScoredStudy, data: dict[str, Any]) -> None:
    """The conventions behind the numbers, on stderr, so that no table stands without them."""
    parts = [
        data["collection"],
        data["analyzer"],
        data["grades"] and f"grades {data['grades']}",
        counted(scored.systems[0][1].n_queries, "query", "queries"),
        f"relevant from grade {data['threshold']:g}",
        f"ties {data['ties']}",
        f"convention {data['convention']}" if data["convention"] != NAMES[0] else "",
        data["k"] and f"k {data['k']}",
        scored.aggregate and f"aggregate {scored.aggregate}",
    ]
    remark(" · ".join(part for part in parts if part))
