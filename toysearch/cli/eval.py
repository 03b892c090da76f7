"""`toysearch eval`: systems scored against judgments, and their single queries."""

from __future__ import annotations

import math
import sys
from contextlib import nullcontext
from typing import Any, NamedTuple

import click

import toysearch
from toysearch import evaluation as scoring
from toysearch import laboratory
from toysearch.base import (
    ArgumentError,
    Column,
    QueryNote,
    annex,
    counted,
    listed,
    note,
    one_line,
    percent,
    unknown,
    without_notes,
)
from toysearch.cli import (
    MEASURES,
    POSITIVE,
    SourceOptions,
    Workers,
    alike,
    command_of,
    emit,
    first_words,
    models_option,
    named_measures,
    notes_option,
    option,
    optional_depth_option,
    output_options_with,
    paragraph,
    query_mode_option,
    ranked,
    ranking_worker_options,
    refuse_out_of_reach,
    shared,
    show,
    study_data,
    study_to_evaluate,
    tell_conventions,
    tell_remarks,
    terminal_width,
    together,
)
from toysearch.evaluation.result import AGGREGATES
from toysearch.laboratory import binned, histogram, turned, width_of


def _bounds_by_query(evaluation: Any) -> dict[str, dict[str, tuple[float, float]]]:
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
            bounds += list(_bounds_by_query(evaluation).values())
        bounds.append(evaluation.tie_bounds)
    rows = [
        row[:keys]
        + [number for value, pair in zip(row[keys:], pairs.values(), strict=True) for number in (value, *pair)]
        for row, pairs in zip(rows, bounds, strict=True)
    ]
    return wide, rows


_WIDEST = 100  # characters of the table of one system; the measures of a wider one are below each other
RANK_EVAL = "rank-eval"
"""The form that prints what Elasticsearch answers to a `_rank_eval` request."""
_LEAST_SHARE = 0.01  # the least share of unjudged documents that is mentioned


class Asked(NamedTuple):
    """The queries to show: the number of each kind, and the measure to explain for one query."""

    worst: int | None = None
    best: int | None = None
    hardest: int | None = None
    histogram: bool = False
    explain: str | None = None
    query_id: str | None = None
    exposure: str | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing but the explanation of one value is shown."""
        return self.explain is not None and not any(
            (self.worst, self.best, self.hardest, self.histogram, self.exposure)
        )


class ScoredStudy(NamedTuple):
    """A study with its runs and their evaluations."""

    study: laboratory.Study
    systems: list[tuple[Any, Any]]  # run, evaluation
    aggregate: str | None = None
    searchers: tuple[Any, ...] = ()  # those that made the runs, if they predict difficulties

    @property
    def evaluations(self) -> list[Any]:
        """The evaluations, in the order of the systems."""
        return [evaluation for _, evaluation in self.systems]


def _eval(
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
    by, ties, convention, threshold = rules.pop("by"), rules["ties"], rules["convention"], rules["threshold"]
    from toysearch.evaluation.measures.measure import Measure

    if asked.explain is not None and asked.query_id is None:
        raise click.UsageError("--explain needs --query-id: the query whose value to explain")
    if asked.query_id is not None and asked.explain is None:
        raise click.UsageError("--query-id needs --explain: the measure whose value to explain")
    if asked.explain is not None and (ties in ("average", "sklearn") or convention == "sklearn"):
        raise click.UsageError(
            "--explain explains one order of the documents; it cannot be combined with a value over all orders of ties"
        )
    if aggregate is not None and ties == "bounds":
        raise click.UsageError("--aggregate cannot be combined with --ties bounds, which compares means")
    if by is not None and (per_query or any(asked) or aggregate is not None or ties == "bounds"):
        raise click.UsageError("--by shows groups alone: leave out other options that show or sum up queries")
    if asked.worst and rules["results"] is not None:
        raise click.UsageError("--worst predicts difficulties while it ranks: leave out --results")
    # A misspelt measure is reported before anything is ranked.
    measures_to_show = named_measures(rules["measures"])
    explained = [] if asked.explain is None else [Measure.parse(asked.explain, ["N"])]
    alone = asked.alone and not per_query and form == "table"
    settings: Any = {"k": k, "threads": threads, "threshold": threshold, "ties": ties, "results": rules.pop("results")}
    with workers.connected(), without_notes() if alone else nullcontext():
        study = study_to_evaluate(targets, options, models=models, **settings)
        searchers: tuple[Any, ...] = ()
        if asked.worst and study.models:
            searchers = tuple(laboratory.PredictingSearcher(study.ready().index, model) for model in study.models)
        runs = ranked(study, searchers)
    rules |= {"threshold": study.stated_threshold, "measures": study.sized([*measures_to_show, *explained])}
    asked = asked._replace(explain=next(map(str, study.sized(explained)), None))
    systems = [(run, toysearch.evaluate(run, study.qrels, **rules)) for run in runs]
    first = systems[0][1]
    if form == RANK_EVAL and (len(systems) > 1 or len(first.measures) > 1 or by is not None or ties == "bounds"):
        raise click.UsageError("rank-eval holds one system and one measure: give one model or run, and -m P@10")
    refuse_out_of_reach(study.qrels, first.measures, threshold, first.undefined)
    if by is not None:
        show(laboratory.means_by_group({evaluation.name: evaluation for _, evaluation in systems}, study, by), form)
        tell_conventions(study, first)
        tell_remarks([evaluation for _, evaluation in systems], study)
        return
    _print(ScoredStudy(study, systems, aggregate, searchers), asked, per_query, ties == "bounds", form)


def _print(scored: ScoredStudy, asked: Asked, per_query: bool, bounds: bool, form: str) -> None:
    """The table, the requested details of single queries, and the conventions and notes on stderr."""
    evaluations = scored.evaluations
    data = _data(scored, asked)
    if asked.alone and not per_query and form == "table":  # what is known of the other queries explains nothing
        click.echo("\n\n".join(_explanations(scored, asked)))
        tell_conventions(scored.study, evaluations[0], scored.aggregate and f"aggregate {scored.aggregate}")
        return
    if form == RANK_EVAL:
        [(run, evaluation)], collection = scored.systems, scored.study.collection
        where = collection.name if collection else ""
        response = annex(RANK_EVAL).rank_eval_response(run, evaluation, scored.study.qrels, where, scored.aggregate)
        emit([], [], "json", data=response)
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
            _tell_queries(scored, asked, data)
        tell_conventions(scored.study, evaluations[0], scored.aggregate and f"aggregate {scored.aggregate}")
    tell_remarks(evaluations, scored.study)
    shares = [
        (percent(evaluation.first_ten[1], evaluation.first_ten[0]), evaluation.name)
        for evaluation in evaluations
        if evaluation.first_ten[1] and evaluation.unjudged_share >= _LEAST_SHARE
    ]
    if shares:
        text = shares[0][0] if len(evaluations) == 1 else ", ".join(f"{share} ({name})" for share, name in shares)
        note(f"{text} of the first ten documents are unjudged and count as not relevant")
    for sentence in alike([run for run, _ in scored.systems]):
        note(sentence)
    if bounds:
        for evaluation in evaluations:
            note(f"{evaluation.name}: {evaluation.tie_remark or 'tied documents affect no value'}")
    elif scored.aggregate is None and (affected := [one for one in evaluations if any(tie_row(one))]):
        counts = [f"{evaluation.name} in {len(evaluation.tied_queries)}" for evaluation in affected]
        queries = counted(evaluations[0].n_queries, "query", "queries")
        several = f"tied documents affect the values of {listed(counts)} of {queries}"
        note(affected[0].tie_remark if len(evaluations) == 1 else several, QueryNote)


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
        if evaluation.ties == "bounds" or evaluation.tie_remark:  # the bounds of all means that ties affect
            system["tie_bounds"] = evaluation.tie_bounds
        if evaluation.ties == "bounds":
            system["tie_bounds_per_query"] = _bounds_by_query(evaluation)
        if asked.worst:
            system["worst"] = _listed(scored, run, evaluation, asked.worst, best=False)
        if asked.best:
            system["best"] = _listed(scored, run, evaluation, asked.best, best=True)
        if asked.histogram:
            system["histogram"] = [bin_._asdict() for bin_ in _bins(evaluation)]
        if asked.exposure is not None:
            system["exposure"] = exposure_by(scored.study, asked.exposure, run).data()
        if asked.explain is not None:
            system["explanation"] = _explained(scored, asked, run, evaluation).data()
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
        hard = laboratory.hardest(scored.evaluations, asked.hardest)
        data["hardest"] = [query._asdict() | {"text": _text(scored, query.query_id)} for query in hard]
    return data


_QUERY = 48  # characters of a query in a table


def _tell_queries(scored: ScoredStudy, asked: Asked, data: dict[str, Any]) -> None:
    """Print the requested queries, for people."""
    measure = str(scored.systems[0][1].measures[0])
    for (run, evaluation), system in zip(scored.systems, data["systems"], strict=True):
        if asked.exposure is not None:
            click.echo(f"\nAttention to each {asked.exposure} in {system['system']}\n")
            show(exposure_by(scored.study, asked.exposure, run), "table")
        if asked.histogram:
            queries = counted(evaluation.n_queries, "query", "queries")
            click.echo(f"\n{measure} of {system['system']}, {queries}\n")
            click.echo(histogram(_bins(evaluation)))
        if asked.worst:
            _print_queries(f"The worst queries of {system['system']}", measure, system["worst"])
        if asked.best:
            _print_queries(f"The best queries of {system['system']}", measure, system["best"])
    for text in _explanations(scored, asked) if asked.explain is not None else ():
        click.echo(f"\n{text}")
    if asked.hardest:
        click.echo("\nThe queries that no system answers well\n")
        columns = [
            Column("query_id", "query"),
            Column("value", f"best {measure}", "right", ".4f"),
            Column("run", "by"),
            Column("text", wrap=True),
        ]
        rows = [[hard["query_id"], hard["value"], hard["run"], _line(hard["text"])] for hard in data["hardest"]]
        emit(columns, rows, "table")


def _explanations(scored: ScoredStudy, asked: Asked) -> list[str]:
    """The explanation of the value of a query for each system, for people."""
    whys = [(_explained(scored, asked, *system), system[1].name) for system in scored.systems]
    width = terminal_width(sys.stdout)
    return [laboratory.measure_text(why, width, f"query {why.query_id}, {name}") for why, name in whys]


def _explained(scored: ScoredStudy, asked: Asked, run: Any, evaluation: Any) -> Any:
    return toysearch.explain_measure(run, scored.study.qrels, evaluation, asked.explain or "", asked.query_id or "")


def exposure_by(study: laboratory.Study, field: str, run: Any) -> Any:
    """The exposure of the documents by a field."""
    collection = study.collection
    documents = [] if collection is None else list(collection.documents)
    names = {name for document in documents for name in document.fields}
    if field not in names:
        if documents:
            raise unknown("field", field, sorted(names), "fields")
        raise ArgumentError("exposure groups documents by a field: give a collection that has the documents")
    groups = {document.doc_id: one_line(str(document.fields.get(field, ""))) for document in documents}
    return scoring.exposure(run, study.qrels, groups, k=study.k)


def _bins(evaluation: Any) -> Any:
    """Ten bins over the range of the first measure, which its definition states."""
    measure = evaluation.measures[0]
    low, high = measure.definition.range
    values = [row[str(measure)] for row in evaluation.per_query.values()]
    highest = max(filter(math.isfinite, values), default=1.0)
    return binned(values, low, highest if high is None else high)


def _listed(scored: ScoredStudy, run: Any, evaluation: Any, n: int, *, best: bool) -> list[dict[str, Any]]:
    """The queries that stand out, with their texts, and the causes found for bad ones."""
    listed, predicted = [], dict[str, Any]()
    searcher = next((candidate for candidate in scored.searchers if str(candidate.model) == run.name), None)
    if searcher is not None and not best:
        queries = [query for query, _ in scored.study.queries if query in evaluation.per_query]
        predicted = searcher.difficulties(queries) if len(queries) >= laboratory.FEWEST else {}
    for query in laboratory.poorest(run, scored.study.qrels, evaluation, n, best=best):
        text = _text(scored, query.query_id)
        row = query._asdict() | {"text": text}
        row |= {part: [placed._asdict() for placed in row[part]] for part in ("came", "wanted")}
        if not best:
            index = scored.study.index if text else None
            reasons = laboratory.causes(run, scored.study.qrels, evaluation, query.query_id, index=index, text=text)
            row["causes"] = [cause._asdict() for cause in reasons]
            if query.query_id in predicted:
                row["difficulty"] = predicted[query.query_id]._asdict()
        listed.append(row)
    return listed


def _text(scored: ScoredStudy, query_id: str) -> str | None:
    collection = scored.study.collection
    query = collection.queries.get(query_id) if collection else None
    return query.text if query else None


def _print_queries(title: str, measure: str, queries: list[dict[str, Any]]) -> None:
    """Queries for people: text, first documents, relevant documents with their ranks, and the causes below."""
    of = next((query["difficulty"]["n"] for query in queries if "difficulty" in query), 0)
    columns = [
        Column("query_id", "query"),
        Column("value", measure, "right", ".4f"),
        *([Column("wig", "predicted difficulty")] if of else []),
        Column("text", "text", wrap=True),
        Column("came", "came first (grade)", wrap=True),
        Column("wanted", "relevant (rank)", wrap=True),
    ]
    rows = []
    for query in queries:
        grades = [(hit["doc_id"], "unjudged" if hit["grade"] is None else f"{hit['grade']:g}") for hit in query["came"]]
        came = ", ".join(f"{doc_id} ({grade})" for doc_id, grade in grades)
        relevant = [f"{hit['doc_id']} ({hit['rank'] or 'not found'})" for hit in query["wanted"]]
        more = [f"and {len(relevant) - 3} more"] if len(relevant) > 3 else []
        difficulty = query.get("difficulty")
        place = [f"{difficulty['place']} of {of}" if difficulty else ""] if of else []
        listed = ", ".join(relevant[:3] + more)
        rows.append([query["query_id"], query["value"], *place, _line(query["text"]), came or "nothing", listed])
    click.echo(f"\n{title}\n")
    emit(columns, rows, "table")
    with_causes = [query for query in queries if query.get("causes")]
    if with_causes:
        click.echo("\nWhy\n")
        for query in with_causes:
            sentences = "; ".join(cause["sentence"] for cause in query["causes"])
            click.echo(paragraph(f"{query['query_id']}: {sentences}", indent="  "))


def _line(text: str | None) -> str:
    """The beginning of a query; all of it is in the JSON."""
    return first_words(text, _QUERY) or ""


_OF_QUERIES: dict[str, Any] = {"into": ("asked", Asked), "heading": "Queries"}
eval_command = command_of(
    "toysearch.evaluate",
    "toysearch eval companions --model bm25 --model cosine:idf=smooth --exposure topic",
    'toysearch eval companions -m "AP nDCG@10 P@5 Rprec" --analyzer english --worst 5',
    "toysearch eval mine.run theirs.run --qrels qrels.txt --per-query --tsv",
    "toysearch eval my-index --queries topics.txt --qrels qrels.txt",
    'toysearch eval companions --explain "AP" --query-id 12',
    call=_eval,
    argument=together(
        click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS"),
        models_option,
        optional_depth_option,
        query_mode_option("plain", "Ranking", brief="toysearch run"),
        shared("threads", brief="toysearch run"),
    ),
    forms=together(notes_option, output_options_with(RANK_EVAL)),
    run=None,
    measures={"default": MEASURES},
    ties={
        "help": "Order of equal scores, or average or bounds over all orders.  "
        "[default: rank for models, else trec_eval]"
    },
    gains=None,
    convention={"heading": "Evaluation", "help": "Defaults for ties, undefined values and gains."},
    parameters=None,
    aggregate=option(
        "--aggregate",
        type=click.Choice([name for name in AGGREGATES if name != "sum"]),
        heading="Evaluation",
        help="Value for all queries: gm and hm are other means.  [default: that of each measure]",
    ),
    per_query=shared("per_query", heading="Queries"),
    by=shared("by", brief="toysearch compare"),
    results=shared("results", brief="toysearch compare"),
    worst=option(
        "--worst",
        type=POSITIVE,
        help="Show the N worst queries, their predicted place, and why.",
        **_OF_QUERIES,
    ),
    best=option("--best", type=POSITIVE, help="Show the N best queries by the first measure.", **_OF_QUERIES),
    hardest=option("--hardest", type=POSITIVE, help="Show the N queries that no system answers well.", **_OF_QUERIES),
    histogram=option("--histogram", is_flag=True, help="Show the distribution of the first measure.", **_OF_QUERIES),
    explain=option(
        "--explain",
        metavar="MEASURE",
        help="Show the arithmetic of its value for --query-id.",
        **_OF_QUERIES,
    ),
    exposure=option(
        "--exposure",
        metavar="FIELD",
        help="Show attention by a field and its share of the relevant.",
        **_OF_QUERIES,
    ),
    query_id=option("--query-id", metavar="ID", help="Query whose value --explain explains.", **_OF_QUERIES),
    workers=ranking_worker_options,
)
