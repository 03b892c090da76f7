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
    Part,
    QueryNote,
    ResultTable,
    Sentences,
    annex,
    counted,
    listed,
    note,
    one_line,
    percent,
    turned,
    unknown,
    width_of,
    without_notes,
)
from toysearch.cli import (
    MEASURES,
    POSITIVE,
    Page,
    SourceOptions,
    Workers,
    alike,
    command_of,
    emit,
    first_words,
    given_options,
    models_option,
    named_measures,
    named_worker_option,
    notes_option,
    option,
    optional_depth_option,
    output_options_with,
    query_mode_option,
    ranked,
    refuse_given,
    refuse_out_of_reach,
    remark,
    shared,
    show,
    study_data,
    study_to_evaluate,
    tell_conventions,
    tell_remarks,
    terminal_width,
    threshold_option,
    together,
    was_given,
)
from toysearch.evaluation.result import AGGREGATES
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.laboratory import binned, histogram


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


def _cells(values: dict[str, float], bounds: dict[str, tuple[float, float]] | None) -> list[float]:
    """The values of a row, each with its bounds after it, if there are any."""
    return [cell for name, value in values.items() for cell in (value, *(bounds[name] if bounds else ()))]


_WIDEST = 100  # characters of the table of one system; the measures of a wider one are below each other
TREC_EVAL = "trec_eval"
"""The form that prints what trec_eval prints."""
_LEAST_SHARE = 0.01  # the least share of unjudged documents that is mentioned


class Asked(NamedTuple):
    """What to show besides the values: queries of each kind, a measure explained, conventions, bounds."""

    worst: int | None = None
    best: int | None = None
    hardest: int | None = None
    histogram: bool = False
    explain: str | None = None
    query_id: str | None = None
    exposure: str | None = None
    bounds: bool = False
    max_rel: float | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing but the explanation of one value is shown."""
        return self.explain is not None and not any(
            (self.worst, self.best, self.hardest, self.histogram, self.exposure)
        )


class ScoredStudy(NamedTuple):
    """A study with its runs and their evaluations."""

    study: laboratory.Study
    details: Asked
    systems: list[tuple[Any, Any]]  # run, evaluation
    aggregate: str | None = None
    searchers: tuple[Any, ...] = ()  # those that made the runs, if they predict difficulties

    @property
    def evaluations(self) -> list[Any]:
        """The evaluations, in the order of the systems."""
        return [evaluation for _, evaluation in self.systems]

    def show(self, per_query: bool, bounds: bool, form: str) -> None:
        """The table, the requested details of single queries, and the conventions and notes on stderr."""
        evaluations = self.evaluations
        if self.details.alone and not per_query and form == "table":  # what other queries have explains nothing
            click.echo("\n\n".join(self.explanations()))
            tell_conventions(self.study, evaluations[0], self.aggregate and f"aggregate {self.aggregate}")
            return
        data: Any = self.data() if form == "json" or any(self.details) else None
        lens = form == "table" and not bounds and self.aggregate is None
        columns, rows = self.rows(per_query, lens, bounds)
        if form == "table" and len(evaluations) == 1 and not per_query and width_of(columns, rows) > _WIDEST:
            if bounds:
                columns, rows = self.rows(per_query, lens, bounds=False)
                pairs = evaluations[0].tie_bounds.values()
                rows += [["low", *(low for low, _ in pairs)], ["high", *(high for _, high in pairs)]]
            columns, rows = turned(columns, rows, "measure")
        table = ResultTable(columns, rows)
        details = self.details_asked(data) if form == "table" and any(self.details) else []
        show(Page([table, *details], table, data), form)
        if form == "table":
            tell_conventions(self.study, evaluations[0], self.aggregate and f"aggregate {self.aggregate}")
        tell_remarks(evaluations, self.study)
        shares = [
            (percent(evaluation.first_ten[1], evaluation.first_ten[0]), evaluation.name)
            for evaluation in evaluations
            if evaluation.first_ten[1] and evaluation.unjudged_share >= _LEAST_SHARE
        ]
        if shares:
            text = shares[0][0] if len(evaluations) == 1 else ", ".join(f"{share} ({name})" for share, name in shares)
            note(f"{text} of the first ten documents are unjudged and count as not relevant")
        for sentence in alike([run for run, _ in self.systems]):
            note(sentence)
        if bounds:
            for evaluation in evaluations:
                note(f"{evaluation.name}: {evaluation.tie_remark or 'tied documents affect no value'}")
        elif self.aggregate is None and (affected := [one for one in evaluations if any(tie_row(one))]):
            counts = [f"{evaluation.name} in {len(evaluation.tied_queries)}" for evaluation in affected]
            queries = counted(evaluations[0].n_queries, "query", "queries")
            several = f"tied documents affect the values of {listed(counts)} of {queries}"
            note(affected[0].tie_remark if len(evaluations) == 1 else several, QueryNote)

    def rows(self, per_query: bool, lens: bool, bounds: bool) -> tuple[list[Column], list[list[Any]]]:
        """One row per system, or per query followed by the means, with the effect of ties below the means or beside."""
        measures = self.systems[0][1].measures
        counts = {measure for measure in measures if measure.definition.aggregate == "sum"}
        numbers = [Column(str(one), "", "right", ".10g" if one in counts else ".4f") for one in measures]
        sides = ("", " low", " high") if bounds else ("",)
        numbers = [column._replace(name=f"{column.name}{side}") for column in numbers for side in sides]
        keys = [Column("system"), Column("query_id", "query")] if per_query else [Column("system")]
        rows: list[list[Any]] = []
        for _, evaluation in self.systems:
            if per_query:
                of_query = _bounds_by_query(evaluation) if bounds else {}
                rows += [
                    [evaluation.name, query_id, *_cells(row, of_query.get(query_id))]
                    for query_id, row in evaluation.per_query.items()
                ]
            key = [evaluation.name, "all"] if per_query else [evaluation.name]
            means = evaluation.aggregates(self.aggregate)
            rows.append([*key, *_cells(means, evaluation.tie_bounds if bounds else None)])
            tied = tie_row(evaluation) if lens else []
            if any(tied):
                rows.append([*(["", "  any order of ties"] if per_query else ["  any order of ties"]), *tied])
        return [*keys, *numbers], rows

    def data(self) -> dict[str, Any]:
        """All results, for JSON."""
        first = self.systems[0][1]
        systems = []
        for run, evaluation in self.systems:
            system = {
                "system": evaluation.name,
                "measures": evaluation.aggregates(self.aggregate),
                "queries": evaluation.n_queries,
                "per_query": evaluation.per_query,
            }
            if evaluation.ties == "bounds" or evaluation.tie_remark:  # the bounds of all means that ties affect
                system["tie_bounds"] = evaluation.tie_bounds
            if evaluation.ties == "bounds":
                system["tie_bounds_per_query"] = _bounds_by_query(evaluation)
            if self.details.worst:
                system["worst"] = self.listed(run, evaluation, self.details.worst, best=False)
            if self.details.best:
                system["best"] = self.listed(run, evaluation, self.details.best, best=True)
            if self.details.histogram:
                system["histogram"] = [bin_._asdict() for bin_ in _bins(evaluation)]
            if self.details.exposure is not None:
                system["exposure"] = exposure_by(self.study, self.details.exposure, run).data()
            if self.details.explain is not None:
                system["explanation"] = self.explained(run, evaluation).data()
            systems.append(system)
        data = {
            **study_data(self.study),
            "threshold": first.threshold,
            "ties": first.ties,
            "convention": first.convention.name,
            "k": self.study.scoring.k if self.study.models else None,
            "systems": systems,
        }
        if self.aggregate:
            data["aggregate"] = self.aggregate
        if self.details.hardest:
            hard = laboratory.hardest(self.evaluations, self.details.hardest)
            data["hardest"] = [query._asdict() | {"text": self.text(query.query_id)} for query in hard]
        return data

    def details_asked(self, data: dict[str, Any]) -> list[Part]:
        """The requested queries, for people."""
        measure, parts = str(self.systems[0][1].measures[0]), list[Part]()
        for (run, evaluation), system in zip(self.systems, data["systems"], strict=True):
            name = system["system"]
            if self.details.exposure is not None:
                by_group = exposure_by(self.study, self.details.exposure, run)
                parts += [f"Attention to each {self.details.exposure} in {name}", *by_group.text_parts()]
            if self.details.histogram:
                queries = counted(evaluation.n_queries, "query", "queries")
                parts += [f"{measure} of {name}, {queries}", histogram(_bins(evaluation))]
            for kind in ("worst", "best"):
                if kind in system:
                    parts += _queries_parts(f"The {kind} queries of {name}", measure, system[kind])
        if self.details.explain is not None:
            parts += self.explanations()
        if self.details.hardest:
            columns = [
                Column("query_id", "query"),
                Column("value", f"best {measure}", "right", ".4f"),
                Column("run", "by"),
                Column("text", wrap=True),
            ]
            rows = [[hard["query_id"], hard["value"], hard["run"], _line(hard["text"])] for hard in data["hardest"]]
            parts.append(ResultTable(columns, rows, "The queries that no system answers well\n"))
        return parts

    def explanations(self) -> list[str]:
        """The explanation of the value of a query for each system, for people."""
        whys = [(self.explained(*system), system[1].name) for system in self.systems]
        width = terminal_width(sys.stdout)
        return [laboratory.measure_text(why, width, f"query {why.query_id}, {name}") for why, name in whys]

    def explained(self, run: Any, evaluation: Any) -> Any:
        """The explanation of the value of --query-id."""
        return toysearch.explain_measure(
            run, self.study.qrels, evaluation, self.details.explain or "", self.details.query_id or ""
        )

    def listed(self, run: Any, evaluation: Any, n: int, *, best: bool) -> list[dict[str, Any]]:
        """The queries that stand out, with their texts, and the causes found for bad ones."""
        listed, predicted = [], dict[str, Any]()
        searcher = next((candidate for candidate in self.searchers if str(candidate.model) == run.name), None)
        if searcher is not None and not best:
            queries = [query for query, _ in self.study.queries if query in evaluation.per_query]
            predicted = searcher.difficulties(queries) if len(queries) >= laboratory.FEWEST else {}
        for query in laboratory.poorest(run, self.study.qrels, evaluation, n, best=best):
            text = self.text(query.query_id)
            row = query._asdict() | {"text": text}
            row |= {part: [placed._asdict() for placed in row[part]] for part in ("came", "wanted")}
            if not best:
                index = self.study.index if text else None
                reasons = laboratory.causes(run, self.study.qrels, evaluation, query.query_id, index=index, text=text)
                row["causes"] = [cause._asdict() for cause in reasons]
                if query.query_id in predicted:
                    row["difficulty"] = predicted[query.query_id]._asdict()
            listed.append(row)
        return listed

    def text(self, query_id: str) -> str | None:
        """The text of a query; None if only its id is known."""
        collection = self.study.collection
        query = collection.queries.get(query_id) if collection else None
        return query.text if query else None


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
    collection: scores the runs, in any format (TREC, CSV, JSON, …); - is standard input. --format trec_eval prints as
    trec_eval does. `toysearch score` takes a ranking typed by hand.

    --convention all shows the values by trec_eval, by textbooks and by scikit-learn, and why they differ. --bounds
    shows the lowest and the highest value over all grades that the unjudged documents may have, from not relevant to
    --max-rel; both are reached.
    """
    lines = _lines_asked(rules["measures"]) if form == TREC_EVAL else []
    conventions = rules["convention"] == EVERY
    if conventions or asked.bounds or asked.max_rel is not None:
        _refuse_beside(conventions, asked.bounds, rules["ties"])
    if asked.bounds and not was_given("measures"):
        rules["measures"] = _BOUNDED
    by, ties, convention, threshold = rules.pop("by"), rules["ties"], rules["convention"], rules["threshold"]
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
    measures_to_show = named_measures(MEASURES if lines else rules["measures"])
    explained = [] if asked.explain is None else [scoring.Measure.parse(asked.explain, ["N"])]
    alone = asked.alone and not per_query and form == "table"
    ranking = laboratory.Scoring(k, threshold, ties, threads=threads, results=rules.pop("results"))
    with without_notes() if alone else nullcontext():
        study = study_to_evaluate(targets, options, models, ranking)
        with workers.connected():
            study, searchers = study.ready(), tuple[Any, ...]()
            if asked.worst and study.models:
                searchers = tuple(laboratory.PredictingSearcher(study.index, model) for model in study.models)
            runs = ranked(study, searchers)
    if lines:
        if len(runs) > 1:
            raise click.UsageError("--format trec_eval holds one system: give one model or run")
        how = {"threshold": study.threshold, "only_retrieved": bool(rules["only_retrieved"]), "per_query": per_query}
        click.echo("\n".join(annex(TREC_EVAL).trec_eval_lines(runs[0], study.qrels, lines, **how)))
        return
    rules |= {"threshold": study.stated_threshold, "measures": study.sized([*measures_to_show, *explained])}
    details = asked._replace(explain=next(map(str, study.sized(explained)), None))
    if conventions:
        _show_conventions(study, runs, rules, form)
        return
    if asked.bounds:
        _show_bounds(study, runs, {**rules, "max_rel": asked.max_rel}, per_query, form)
        return
    systems = [(run, toysearch.evaluate(run=run, qrels=study.qrels, **rules)) for run in runs]
    first = systems[0][1]
    refuse_out_of_reach(study.qrels, first.measures, threshold, first.undefined)
    if by is not None:
        show(laboratory.means_by_group({evaluation.name: evaluation for _, evaluation in systems}, study, by), form)
        tell_conventions(study, first)
        tell_remarks([evaluation for _, evaluation in systems], study)
        return
    ScoredStudy(study, details, systems, aggregate, searchers).show(per_query, ties == "bounds", form)


def _lines_asked(measures: str) -> list[Any]:
    """The lines of trec_eval that were asked for; options that would change their values are refused."""
    if changing := given_options(_CHANGING):
        raise click.UsageError(
            f"--format trec_eval prints what trec_eval prints: leave out {listed([*changing.values()])}"
        )
    printer = annex(TREC_EVAL)
    lines: list[Any] = printer.asked(measures if was_given("measures") else next(iter(printer.SETS)))
    return lines


_CHANGING = ("ties", "undefined", "convention", "aggregate", "by", *Asked._fields)
"""The options that change values, or what is shown, by the names of their parameters."""


_SINGLE = ("worst", "best", "hardest", "histogram", "explain", "exposure", "by", "aggregate")
"""The options that show single queries, or decide by themselves what --convention all and --bounds vary."""
EVERY = "all"


def _refuse_beside(conventions: bool, bounds: bool, ties: str | None) -> None:
    """Refuse what has no effect beside --convention all or --bounds, and what needs one of them."""
    if conventions and bounds:
        raise click.UsageError("give --convention all or --bounds, not both")
    if not (conventions or bounds):
        raise click.UsageError("--max-rel goes with --bounds")
    side, others = "--bounds", ("undefined", "convention")
    if conventions:
        side, others = "--convention all", ("per_query", "max_rel")
    refuse_given((*_SINGLE, *others), f"{{}} has no effect beside {side}: leave it out")
    if ties in ("average", "bounds", "sklearn"):
        raise click.UsageError(f"{side} needs one order of the documents: leave out --ties {ties}")


_BOUNDED = "AP P@10 RR DCG@10 RBP"


def _show_bounds(study: laboratory.Study, runs: Any, rules: dict[str, Any], per_query: bool, form: str) -> None:
    """The bounds of each system over the grades of its unjudged documents; the means, or the queries too."""
    of_bounds = ("measures", "max_rel", "threshold", "ties", "only_retrieved")
    rules = {name: rules[name] for name in of_bounds if rules[name] is not None}
    systems = [(run, unjudged_bounds(run, study.qrels, **rules)) for run in runs]
    rows: list[list[Any]] = []
    for run, bounds in systems:
        [table] = bounds.tables(form)
        chosen = [*table.rows] if per_query else [*table.rows][-len(bounds.means) :]
        rows += [[run.name, *row] for row in chosen]
    columns = [Column("system"), *table.columns]
    kept = [place for place, column in enumerate(columns) if per_query or column.name != "query_id"]
    emit([columns[place] for place in kept], [[row[place] for place in kept] for row in rows], form)
    for run, bounds in systems:
        values = bounds.evaluation
        share = toysearch.evaluate(run, study.qrels, "Judged", threshold=values.threshold)["Judged"]
        queries = counted(values.n_queries, "query", "queries")
        judged = f"{share:.1%} of the retrieved documents are judged"
        remark(f"{run.name}: {queries} · relevant from grade {values.threshold:g} · {judged}")
    tell_remarks([bounds.evaluation for _, bounds in systems], study)


def _show_conventions(study: laboratory.Study, runs: Any, rules: dict[str, Any], form: str) -> None:
    """The values of each system by the three conventions, and why they differ."""
    rules = {name: rules[name] for name in ("measures", "threshold", "ties", "only_retrieved", "undefined")}
    sides = [(run.name, scoring.side_by_side(run, study.qrels, **rules)) for run in runs]
    tables = [side.tables(form)[0] for _, side in sides]
    rows = [[name, *row] for (name, _), of_system in zip(sides, tables, strict=True) for row in of_system.rows]
    table = ResultTable([Column("system"), *tables[0].columns], rows)
    parts: list[Part] = [table]
    for name, side in sides:
        sentences = []
        for effect in side.effects:
            changes = ", ".join(f"{measure} {old:.4f} → {new:.4f}" for measure, (old, new) in effect.changes.items())
            sentences += [f"{effect.convention}: {effect.reason} ({changes})"] if changes else []
        heading = f"{name}: {'why they differ, each reason alone' if sentences else 'no difference'}"
        parts.append(Sentences(sentences, "  ", "    ", heading))
    systems = [{"system": name, **side.data()} for name, side in sides]
    show(Page(parts, table, {"systems": systems}), form)


_QUERY = 48  # characters of a query in a table


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
    return scoring.exposure(run, study.qrels, groups, k=study.scoring.k)


def _bins(evaluation: Any) -> Any:
    """Ten bins over the range of the first measure, which its definition states."""
    measure = evaluation.measures[0]
    low, high = measure.definition.range
    values = [row[str(measure)] for row in evaluation.per_query.values()]
    highest = max(filter(math.isfinite, values), default=1.0)
    return binned(values, low, highest if high is None else high)


def _queries_parts(title: str, measure: str, queries: list[dict[str, Any]]) -> list[Part]:
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
    causes = {query["query_id"]: query["causes"] for query in queries if query.get("causes")}
    whys = [f"{query_id}: {'; '.join(cause['sentence'] for cause in reasons)}" for query_id, reasons in causes.items()]
    table = ResultTable(columns, rows, f"{title}\n")
    return [table, *([Sentences(whys, "  ", "  ", "Why\n")] if whys else [])]


def _line(text: str | None) -> str:
    """The beginning of a query; all of it is in the JSON."""
    return first_words(text, _QUERY) or ""


_OF_QUERIES: dict[str, Any] = {"into": ("asked", Asked), "heading": "Queries"}
_VARIED: dict[str, Any] = {"into": ("asked", Asked), "heading": "Evaluation"}
eval_command = command_of(
    "toysearch.evaluate",
    "toysearch eval companions --model bm25 --model cosine:idf=smooth --exposure topic",
    'toysearch eval companions -m "AP nDCG@10 P@5 Rprec" --analyzer english --worst 5',
    "toysearch eval mine.run theirs.run --qrels qrels.txt --per-query --tsv",
    "toysearch eval mine.run qrels.txt --format trec_eval -q -m all_trec",
    "toysearch eval my-index --queries topics.txt --qrels qrels.txt",
    'toysearch eval companions --explain "AP" --query-id 12',
    'toysearch eval cat-dog-parrot -m "AP nDCG@2 RR" --convention all',
    "toysearch eval mine.run --qrels qrels.txt --bounds",
    call=_eval,
    argument=together(
        click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS"),
        models_option,
        optional_depth_option,
        query_mode_option("plain", "Ranking", brief="toysearch run"),
        shared("threads", brief="toysearch run"),
    ),
    forms=together(notes_option, output_options_with(TREC_EVAL)),
    measures={"default": MEASURES},
    ties={
        "help": "Order of equal scores, or average or bounds over all orders.  "
        "[default: rank for models, else trec_eval]"
    },
    gains=None,
    convention={
        "heading": "Evaluation",
        "type": click.Choice(["trec_eval", "textbook", "sklearn", EVERY]),
        "help": "Defaults for ties, undefined values and gains; all shows the values by each, and why they differ.",
    },
    parameters=None,
    aggregate=option(
        "--aggregate",
        type=click.Choice([name for name in AGGREGATES if name != "sum"]),
        heading="Evaluation",
        help="Value for all queries: gm and hm are other means.  [default: that of each measure]",
    ),
    per_query=shared("per_query", heading="Queries", names=["-q", "--per-query"]),
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
    bounds=option(
        "--bounds",
        is_flag=True,
        **_VARIED,
        help=f"Show the bounds over all grades of unjudged documents.  [default of -m: {_BOUNDED}]",
    ),
    max_rel=option(
        "--max-rel",
        type=float,
        **_VARIED,
        help="With --bounds: highest possible grade of an unjudged document.  [default: the highest judged]",
    ),
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
    workers=named_worker_option,
)


_UNKNOWN = "needs all relevant documents"


def _score(
    ranking: str,
    relevant: int | None,
    judged: str | None,
    measures: str,
    explain: str | None,
    threshold: float | None,
    undefined: str | None,
    form: str,
) -> None:
    """Score a ranking typed by hand, by all measures.

    SIGNS are R (relevant), I (not relevant) or U (unjudged), or grades, from the first rank; if they begin with a minus
    sign, put -- before them. Measures that need all relevant documents take --relevant or --judged.
    """
    typed = toysearch.typed_ranking(ranking, relevant, judged)
    if explain is not None:
        chosen = [scoring.Measure.parse(explain)]
    else:
        chosen = scoring.parse_measures(measures) if measures else scoring.all_measures(len(typed.run))
    scored = toysearch.evaluate(typed.run, typed.qrels, chosen, threshold=threshold, undefined=undefined)
    query_id = typed.run.query_ids[0]
    is_known = scoring.computable(typed, chosen, scored.threshold)
    whys = [toysearch.explain_measure(typed.run, typed.qrels, scored, measure, query_id) for measure in chosen]
    if explain is not None and form == "table":
        click.echo(laboratory.measure_text(whys[0], terminal_width(sys.stdout), "this ranking"))
        if not is_known[chosen[0]]:
            assumed = "the value shown holds if all relevant documents are in the ranking"
            note(f"{whys[0].measure} {_UNKNOWN} (--relevant, --judged); {assumed}")
        return
    unjudged = any(row.grade is None for row in whys[0].ranking)
    bounds = [_bounds(typed, measure, scored.threshold) if is_known[measure] else None for measure in chosen]
    rows: list[list[Any]] = []
    for measure, why, pair in zip(chosen, whys, bounds, strict=True):
        how = why.arithmetic.removeprefix(f"{why.measure} is ") if math.isnan(why.value) else why.how
        if not is_known[measure]:
            how = f"{_UNKNOWN}; {'undefined' if math.isnan(why.value) else f'{why.value:.6g}'} if these are all"
        between = [pair and f"{pair[0]:.4g} … {pair[1]:.4g}"] if unjudged else []
        rows.append([str(measure), why.counted if is_known[measure] else None, *between, how])
    columns = [Column("measure"), Column("value", "", "right", ".6g"), Column("how", wrap=True)]
    if unjudged:
        columns.insert(2, Column("bounds", "whatever the unjudged are", "right"))
    data = {
        "ranking": [row._asdict() for row in whys[0].ranking],
        "complete": typed.complete,
        "measures": [
            why.data() | {"known": is_known[measure], "bounds": pair}
            for measure, why, pair in zip(chosen, whys, bounds, strict=True)
        ],
    }
    emit(columns, rows, form, data=data)
    if form == "table":
        _remark(typed, whys[0], [measure for measure in chosen if not is_known[measure]])


def _bounds(typed: Any, measure: Any, threshold: float) -> tuple[float, float] | None:
    """The bounds of a measure over the unjudged documents; None if it has no such bounds."""
    try:
        bounds = unjudged_bounds(typed.run, typed.qrels, [measure], threshold=threshold)
    except ArgumentError:
        return None
    pair: tuple[float, float] = bounds.means[str(measure)]
    return pair


def _remark(typed: Any, why: Any, unknown: list[Any]) -> None:
    """The assumptions."""
    unjudged = sum(row.grade is None for row in why.ranking)
    sentence = sum(row.relevant for row in why.ranking)
    parts = [
        f"{why.retrieved} retrieved",
        f"{unjudged} of them unjudged" if unjudged else "",
        f"{sentence} relevant found",
        f"{why.relevant} relevant in all" if typed.complete else "the number of relevant documents is not known",
        f"relevant from grade {why.threshold:g}",
    ]
    remark(" · ".join(part for part in parts if part))
    if unjudged and typed.complete:
        note("an unjudged document that is relevant counts as one more than those relevant in all")
    if unknown:
        note(f"not computed without --relevant or --judged: {', '.join(map(str, unknown))}")


score_command = command_of(
    "toysearch.typed_ranking",
    'toysearch score "R R I I R" --relevant 4',
    'toysearch score "3 U 0 2" --judged "3 2 2 1 0" -m "nDCG AP"',
    'toysearch score "R I R" --relevant 2 --explain AP',
    call=_score,
    ranking={"metavar": "SIGNS"},
    relevant={"type": click.IntRange(min=0), "metavar": "N"},
    judged={"metavar": "GRADES"},
    measures=shared("measures", default="", help="Measures (`toysearch measures`), or a set.  [default: all]"),
    explain=option("--explain", metavar="MEASURE", help="Show how its value is computed, rank by rank."),
    threshold=threshold_option,
    undefined=shared("undefined"),
)
