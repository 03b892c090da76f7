"""`toysearch eval`: score models on a collection, or runs from anywhere, against relevance judgments."""

from __future__ import annotations

from typing import Any, NamedTuple

import click

import toysearch
from toysearch.cli.evaluate.conventions import ALL, NAMES, TIES, print_side_by_side, tie_data, tie_row, with_bounds
from toysearch.cli.evaluate.eval_queries import Asked, Scored, data_of, hardest_of, tell
from toysearch.cli.evaluate.typed_ranking import score_typed
from toysearch.cli.model_options import DEFAULT, models_option, threads_option
from toysearch.cli.options import SourceOptions, examples, judged_options
from toysearch.cli.output import count, emit, output_options, remark
from toysearch.cli.systems import (
    Systems,
    alike,
    is_run,
    refuse_model_options,
    systems_of_models,
    systems_of_runs,
    with_collection,
)
from toysearch.reports.judged import unjudged_sentence
from toysearch.reports.tables import Column

MEASURES = "AP nDCG@10 P@10"
_WITH_A_RUN = "give the judgments after it: toysearch eval {} QRELS"

_WITH_RANKING = {"--ranking", "--relevant", "--judged", "--measures", "--explain", "--threshold", "--undefined"}
_WITH_RANKING |= {"--format", "--json", "--tsv"}


class _Judged(NamedTuple):
    """The systems that were scored, and what they were scored against; the analyzer where they ranked here."""

    collection: Any
    analyzer: str | None
    qrels: Any
    k: int | None
    systems: list[tuple[Any, Any]]  # run, evaluation
    index: Any = None
    aggregate: str | None = None

    @property
    def scored(self) -> Scored:
        """What single queries are told from."""
        return Scored(self.systems, self.qrels, self.collection, self.index)


@click.command(
    epilog=examples(
        "toysearch eval companions --model bm25 --model cosine:idf=smooth",
        'toysearch eval companions -m "AP nDCG@10 P@5 Rprec" --language english --worst 5',
        "toysearch eval mine.run theirs.run --qrels qrels.txt --per-query --tsv",
        "toysearch eval my-index --queries topics.txt --qrels qrels.txt",
        'toysearch eval companions --explain "AP" --query-id 12',
        'toysearch eval --ranking "R R I I R" --relevant 4',
    )
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS")
@models_option
@click.option(
    "-m",
    "--measures",
    default=MEASURES,
    show_default=True,
    help="Measures (`toysearch measures`), or official, beir, seeds.",
)
@click.option("--per-query", is_flag=True, help="A row for each query, and the means as query 'all'.")
@click.option(
    "--worst", type=click.IntRange(min=1), metavar="N", help="The N poorest queries by the first measure, and why."
)
@click.option("--best", type=click.IntRange(min=1), metavar="N", help="The N best queries by the first measure.")
@click.option("--hardest", type=click.IntRange(min=1), metavar="N", help="The N queries that no system answers well.")
@click.option("--histogram", is_flag=True, help="How the queries' values of the first measure are distributed.")
@click.option("--explain", metavar="MEASURE", help="How its value comes about, rank by rank; needs --query-id.")
@click.option("--query-id", metavar="ID", help="The query whose value --explain explains.")
@click.option(
    "--ranking",
    metavar="SIGNS",
    help="A ranking typed by hand in place of targets: R (relevant) and I (not), or grades; U where unjudged.",
)
@click.option("--relevant", type=click.IntRange(min=0), metavar="N", help="With --ranking: relevant documents in all.")
@click.option("--judged", "pool", metavar="GRADES", help="With --ranking: the grades of all judged documents.")
@click.option("-k", type=click.IntRange(min=1), help="How deep models rank.  [default: 1000]")
@threads_option
@click.option("--threshold", type=float, help="The lowest grade that is relevant.  [default: the collection's, or 1]")
@click.option(
    "--ties",
    type=click.Choice(TIES),
    help="Order of equal scores: the ranking's own, or trec_eval's (32-bit scores, then doc_id descending); or the "
    "mean over all orders, or lowest and highest value beside each, or as scikit-learn.  "
    "[default: rank for models, trec_eval for run files]",
)
@click.option(
    "--convention",
    type=click.Choice([*NAMES, ALL]),
    default="trec_eval",
    show_default=True,
    help="What settles all that is not given: ties, undefined values, gains; all: side by side, and why they differ.",
)
@click.option(
    "--aggregate",
    type=click.Choice([name for name in toysearch.AGGREGATES if name != "sum"]),
    help="The value for all queries: gm and hm are the geometric and harmonic mean.  [default: each measure's own]",
)
@click.option("--dcg", type=click.Choice(["log2", "exp-log2"]), help="Gain of nDCG and DCG: grade, or 2^grade - 1.")
@click.option("--discount", type=click.Choice(["burges", "jk"]), help="Theirs: log2(rank + 1), or 1 and log2(rank).")
@click.option("--ideal", type=click.Choice(["judged", "ranking", "max"]), help="What nDCG's ideal ranking is made of.")
@click.option(
    "--only-retrieved",
    is_flag=True,
    default=None,
    help="Average over the queries that a run answers, as bare trec_eval.",
)
@click.option(
    "--undefined",
    type=click.Choice(["zero", "nan"]),
    help="What a query without relevant documents counts as; nan: not at all.  [default: zero]",
)
@judged_options
@output_options
def command(
    targets: tuple[str, ...],
    names: tuple[str, ...],
    measures: str,
    per_query: bool,
    worst: int | None,
    best: int | None,
    hardest: int | None,
    histogram: bool,
    explain: str | None,
    query_id: str | None,
    ranking: str | None,
    relevant: int | None,
    pool: str | None,
    k: int | None,
    threads: int | None,
    threshold: float | None,
    ties: str | None,
    convention: str,
    aggregate: str | None,
    dcg: str | None,
    discount: str | None,
    ideal: str | None,
    only_retrieved: bool | None,
    undefined: str | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Score models, or runs, against relevance judgments.

    With a COLLECTION (a name, a folder) or an INDEX: ranks the judged queries with each MODEL and scores the rankings;
    queries and judgments are its own, or those of --queries and --qrels. With RUN files and QRELS, a file or a
    collection: scores the runs; files may have any format (TREC, CSV, JSON, …), and - is standard input. One row per
    system. With --ranking: scores that, by all measures.
    """
    parameters = {name: value for name, value in (("dcg", dcg), ("discount", discount), ("ideal", ideal)) if value}
    asked = Asked(worst, best, hardest, histogram, explain, query_id)
    if ranking is not None:
        _refuse_with_ranking(targets)
        chosen = measures if _is_given("measures") else None
        score_typed(ranking, relevant, pool, chosen, explain, {"threshold": threshold, "undefined": undefined}, form)
        return
    if relevant is not None or pool is not None:
        raise click.UsageError("--relevant and --judged go with --ranking, a ranking typed by hand")
    if not targets:
        raise click.UsageError("Missing argument 'COLLECTION | RUN... QRELS'.")
    asked.check()
    if explain is not None and (ties in ("average", "sklearn") or convention == "sklearn"):
        raise click.UsageError(
            "--explain tells of one order of the documents; not with a value over all orders of ties"
        )
    measures = measures if explain is None else f"{measures} {explain}"
    toysearch.parse_measures(measures)  # a misspelt measure is told before anything is ranked
    rules: dict[str, Any] = {
        "ties": ties,
        "only_retrieved": only_retrieved,
        "undefined": undefined,
        "measures": measures,
        "convention": NAMES[0] if convention == ALL else convention,
        "parameters": parameters,
    }
    if convention == ALL and (per_query or any(asked)):
        raise click.UsageError("--convention all prints the means side by side: no single queries with it")
    if aggregate is not None and (convention == ALL or ties == "bounds"):
        raise click.UsageError("--aggregate: not with --convention all or --ties bounds, which compare means")
    targets, options = with_collection(targets, options)
    if len(targets) == 1 and (options.qrels is None or not is_run(targets[0])):
        systems = systems_of_models(
            targets[0], names or (DEFAULT,), k or 1000, threads, threshold, options, ties=ties, otherwise=_WITH_A_RUN
        )
        judged = _scored(systems, rules)
    else:
        refuse_model_options(names, k, threads, options)
        judged = _scored(systems_of_runs(targets, threshold, options), rules)
        if worst and judged.collection:  # why a query is poor is looked up in the documents
            judged = judged._replace(index=toysearch.Index.build(judged.collection))
    if convention == ALL:
        print_side_by_side(judged, {name: rule for name, rule in rules.items() if name != "convention"}, form)
        return
    _refuse_out_of_reach(judged, threshold)
    judged = judged._replace(aggregate=aggregate)
    data = _data(judged, asked)
    columns, rows = _rows(judged, per_query, lens=form == "table" and ties != "bounds" and aggregate is None)
    if ties == "bounds":
        columns, rows = with_bounds(columns, rows, [evaluation for _, evaluation in judged.systems])
    emit(columns, rows, form, data=data)
    if form == "table":
        tell(judged.scored, asked, data)
        _remark_conventions(judged, data)
    evaluations = [evaluation for _, evaluation in judged.systems]
    for sentence in dict.fromkeys(s for evaluation in evaluations for s in _untold(judged, evaluation)):
        remark(f"note: {sentence}")
    if sentence := unjudged_sentence(evaluations):
        remark(f"note: {sentence}")
    for sentence in alike([run for run, _ in judged.systems]):
        remark(f"note: {sentence}")
    for _, evaluation in judged.systems:
        if ties == "bounds" or (aggregate is None and any(tie_row(evaluation))):
            remark(f"note: {evaluation.name}: {evaluation.tie_remark or 'the order of ties decides nothing'}")


def _untold(judged: _Judged, evaluation: Any) -> list[str]:
    """What is said of an evaluation's queries; of those without a known term the search has told already."""
    remarks: list[str] = evaluation.remarks
    if judged.k is None or not evaluation.missing or evaluation.only_retrieved:
        return remarks
    queries = [judged.collection.queries.get(query_id) for query_id in evaluation.missing]
    texts = [query.text for query in queries if query is not None]
    known = any(judged.index.term_number(term) >= 0 for text in texts for term in judged.index.analyzer(text))
    return remarks if known or None in queries else remarks[1:]


def _is_given(name: str) -> bool:
    """Whether the user gave an option."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT


def _refuse_with_ranking(targets: tuple[str, ...]) -> None:
    """Refuse what a ranking typed by hand has no use for."""
    options = [option for option in click.get_current_context().command.params if isinstance(option, click.Option)]
    given = [max(option.opts, key=len) for option in options if _is_given(str(option.name))]
    refused = [*targets, *(name for name in given if name not in _WITH_RANKING)]
    if refused:
        raise click.UsageError(
            f"{', '.join(refused)}: not with --ranking, which stands for one ranking and its judgments; measures take "
            "their parameters in parentheses"
        )


def _refuse_out_of_reach(judged: _Judged, threshold: float | None) -> None:
    """Refuse a threshold or a ``rel`` that no grade reaches: a table of zeros would say nothing."""
    evaluation = judged.systems[0][1]
    highest = float(judged.qrels.relevance.max())
    asked = [(str(measure), dict(measure.parameters).get("rel")) for measure in evaluation.measures]
    for name, rel in [("--threshold", threshold), *asked]:
        if isinstance(rel, float) and rel > highest and evaluation.undefined == "zero":
            raise toysearch.ArgumentError(
                f"{name}: no judgment has a grade of {rel:g} or above, the highest is {highest:g}; nothing could be "
                "relevant (--undefined nan says so query by query)"
            )


def _scored(systems: Systems, rules: dict[str, Any]) -> _Judged:
    """Score the runs."""
    pairs = [
        (run, toysearch.evaluate(run, systems.qrels, threshold=systems.threshold, **rules)) for run in systems.runs
    ]
    analyzer = str(systems.index.analyzer) if systems.index is not None else None
    return _Judged(systems.collection, analyzer, systems.qrels, systems.k, pairs, systems.index)


def _rows(judged: _Judged, per_query: bool, lens: bool) -> tuple[list[Column], list[list[Any]]]:
    """One row a system; or one a query and, last, the means. With the lens, below the means what ties do to them."""
    measures = judged.systems[0][1].measures
    counts = {measure for measure in measures if measure.definition.aggregate == "sum"}
    numbers = [Column(str(one), "", "right", ".10g" if one in counts else ".4f") for one in measures]
    keys = [Column("system"), Column("query_id", "query")] if per_query else [Column("system")]
    rows: list[list[Any]] = []
    for _, evaluation in judged.systems:
        if per_query:
            rows += [[evaluation.name, query_id, *row.values()] for query_id, row in evaluation.per_query.items()]
        key = [evaluation.name, "all"] if per_query else [evaluation.name]
        rows.append([*key, *evaluation.aggregates(judged.aggregate).values()])
        bounds = tie_row(evaluation) if lens else []
        if any(bounds):
            rows.append([*(["", "  any order of ties"] if per_query else ["  any order of ties"]), *bounds])
    return [*keys, *numbers], rows


def _data(judged: _Judged, asked: Asked) -> dict[str, Any]:
    """All that was found out, for JSON."""
    first = judged.systems[0][1]
    systems = []
    for run, evaluation in judged.systems:
        system = {
            "system": evaluation.name,
            "measures": evaluation.aggregates(judged.aggregate),
            "queries": evaluation.n_queries,
            "per_query": evaluation.per_query,
        } | tie_data(evaluation)
        systems.append(system | data_of(judged.scored, asked, run, evaluation))
    data = {
        "collection": judged.collection.name if judged.collection else None,
        "analyzer": judged.analyzer,
        "grades": judged.collection.grades if judged.collection else None,
        "threshold": first.threshold,
        "ties": first.ties,
        "convention": first.convention.name,
        "k": judged.k,
        "systems": systems,
    }
    if judged.aggregate:
        data["aggregate"] = judged.aggregate
    if asked.hardest:
        data["hardest"] = hardest_of(judged.scored, asked.hardest)
    return data


def _remark_conventions(judged: _Judged, data: dict[str, Any]) -> None:
    """The conventions behind the numbers, on stderr, so that no table stands without them."""
    parts = [
        data["collection"],
        data["analyzer"],
        data["grades"] and f"grades {data['grades']}",
        count(judged.systems[0][1].n_queries, "query", "queries"),
        f"relevant from grade {data['threshold']:g}",
        f"ties {data['ties']}",
        f"convention {data['convention']}" if data["convention"] != NAMES[0] else "",
        data["k"] and f"k {data['k']}",
        judged.aggregate and f"aggregate {judged.aggregate}",
    ]
    remark(" · ".join(part for part in parts if part))
