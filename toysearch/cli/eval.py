"""`toysearch eval`: score models on a collection, or runs from anywhere, against relevance judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

import toysearch
from toysearch.cli.options import SourceOptions, examples, open_source, source_options
from toysearch.cli.output import emit, output_options, remark
from toysearch.reports.tables import Column

MEASURES = "AP nDCG@10 P@10"


class _Judged(NamedTuple):
    """The systems that were scored, and what they were scored against; the analyzer where they ranked here."""

    collection: Any
    analyzer: str | None
    qrels: Any
    k: int | None
    systems: list[tuple[Any, Any]]  # run, evaluation


@click.command(
    epilog=examples(
        "toysearch eval cranfield --model bm25 --model cosine:idf=smooth",
        'toysearch eval cranfield -m "AP nDCG@10 P@5 Rprec" --language english --worst 5',
        "toysearch eval mine.run theirs.run qrels.txt --per-query --tsv",
    )
)
@click.argument("targets", nargs=-1, required=True, metavar="COLLECTION | RUN... QRELS")
@click.option(
    "--model",
    "names",
    multiple=True,
    metavar="MODEL",
    help="How to rank, once a system: bm25:b=0.4 (`toysearch models`), FILE.py:FUNCTION.  [default: bm25]",
)
@click.option("-m", "--measures", default=MEASURES, show_default=True, help="Measures, as in ir_measures.")
@click.option("--per-query", is_flag=True, help="A row for each query, and the means as query 'all'.")
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="The N poorest queries by the first measure.")
@click.option("-k", type=click.IntRange(min=1), help="How deep models rank.  [default: 1000]")
@click.option("--threshold", type=float, help="The lowest grade that is relevant.  [default: the collection's, or 1]")
@click.option(
    "--ties",
    type=click.Choice(["rank", "trec_eval"]),
    help="Order of equal scores: the ranking's own, or trec_eval's (32-bit scores, then doc_id descending).  "
    "[default: rank for models, trec_eval for run files]",
)
@click.option("--only-retrieved", is_flag=True, help="Average over the queries that a run answers, as bare trec_eval.")
@click.option(
    "--undefined",
    type=click.Choice(["zero", "nan"]),
    default="zero",
    show_default=True,
    help="What a query without relevant documents counts as; nan: not at all.",
)
@source_options
@output_options
def command(
    targets: tuple[str, ...],
    names: tuple[str, ...],
    measures: str,
    per_query: bool,
    worst: int | None,
    k: int | None,
    threshold: float | None,
    ties: str | None,
    only_retrieved: bool,
    undefined: str,
    options: SourceOptions,
    form: str,
) -> None:
    """Score models, or runs, against relevance judgments.

    With a COLLECTION (a name, a folder, an index made from a named one): ranks its judged queries with each
    MODEL and scores the rankings. With RUN files (- is standard input) and QRELS, a TREC qrels file or a
    collection: scores the runs. One row a system.
    """
    toysearch.parse_measures(measures)  # a misspelt measure is told before anything is ranked
    rules: dict[str, Any] = {
        "ties": ties,
        "only_retrieved": only_retrieved,
        "undefined": undefined,
        "measures": measures,
    }
    if len(targets) == 1:
        judged = _ranked_here(targets[0], names or ("bm25",), k or 1000, threshold, rules, options)
    else:
        _refuse_model_options(names, k, options)
        judged = _runs(targets, threshold, rules, options)
    data = _data(judged, worst)
    columns, rows = _rows(judged, per_query)
    emit(columns, rows, form, data=data)
    if form == "table":
        if worst:
            _print_worst(data["systems"], str(judged.systems[0][1].measures[0]))
        _remark_conventions(judged, data)
    for sentence in dict.fromkeys(s for _, evaluation in judged.systems for s in evaluation.remarks):
        remark(f"note: {sentence}")


def _ranked_here(
    source: str, names: tuple[str, ...], k: int, threshold: float | None, rules: dict[str, Any], options: SourceOptions
) -> _Judged:
    """Rank the judged queries of a collection with each model, and score the rankings."""
    models = [toysearch.model(name) for name in names]
    if Path(source).is_file() and toysearch.kind_of(source) == "run":
        raise click.UsageError(f"{source} is a run; give the judgments after it: toysearch eval {source} QRELS")
    index, collection = open_source(source, options)
    if collection is None or not len(collection.qrels):
        raise toysearch.ArgumentError(
            f"{source} has no judgments to score against; give a collection that has some, or RUN and QRELS files"
        )
    systems = []
    for model in models:
        run = toysearch.Searcher(index, model).run(collection.judged_queries, k, ties=rules["ties"] or "rank")
        limit = collection.threshold if threshold is None else threshold
        systems.append((run, toysearch.evaluate(run, collection.qrels, threshold=limit, **rules)))
    return _Judged(collection, str(index.analyzer), collection.qrels, k, systems)


def _refuse_model_options(names: tuple[str, ...], k: int | None, options: SourceOptions) -> None:
    given = ["--model"] * bool(names) + ["-k"] * (k is not None)
    given += options.given("language", "stop", "stem", "fields")
    if given:
        raise click.UsageError(f"{', '.join(given)}: only with one COLLECTION; run files are scored as they are")


def _runs(targets: tuple[str, ...], threshold: float | None, rules: dict[str, Any], options: SourceOptions) -> _Judged:
    """Score run files against the judgments of a file or a collection, whichever target that is."""
    kinds = [toysearch.kind_of(t) if t != "-" and Path(t).is_file() else None for t in targets]
    judgments = kinds.index("qrels") if "qrels" in kinds else len(targets) - 1
    files = [target for i, target in enumerate(targets) if i != judgments]
    if kinds[judgments] == "qrels":
        collection, qrels = None, toysearch.read_qrels(targets[judgments])
    elif kinds[judgments] == "run":
        raise click.UsageError(f"none of {', '.join(targets)} holds judgments (query iteration doc_id grade)")
    else:
        read = {name: getattr(options, name) for name in ("grades", "split", "input_format")}
        collection = toysearch.load(targets[judgments], **read)
        qrels = collection.qrels
        threshold = collection.threshold if threshold is None else threshold
    runs = [toysearch.read_run(file) for file in files]
    if len({run.name for run in runs}) < len(runs):  # equal tags would not tell the rows apart
        for run, file in zip(runs, files, strict=True):
            run.name = file
    systems = [(run, toysearch.evaluate(run, qrels, threshold=threshold, **rules)) for run in runs]
    return _Judged(collection, None, qrels, None, systems)


def _rows(judged: _Judged, per_query: bool) -> tuple[list[Column], list[list[Any]]]:
    """One row a system; or one a query and, last, the means."""
    measures = [str(measure) for measure in judged.systems[0][1].measures]
    numbers = [Column(name, "", "right", "g" if name.startswith("Num") else ".4f") for name in measures]
    if not per_query:
        rows = [[evaluation.name, *evaluation.means.values()] for _, evaluation in judged.systems]
        return [Column("system"), *numbers], rows
    rows = []
    for _, evaluation in judged.systems:
        rows += [[evaluation.name, query_id, *row.values()] for query_id, row in evaluation.per_query.items()]
        rows.append([evaluation.name, "all", *evaluation.means.values()])
    return [Column("system"), Column("query_id", "query"), *numbers], rows


def _data(judged: _Judged, worst: int | None) -> dict[str, Any]:
    """All that was found out, for JSON."""
    first = judged.systems[0][1]
    systems = []
    for run, evaluation in judged.systems:
        system = {
            "system": evaluation.name,
            "measures": evaluation.means,
            "queries": evaluation.n_queries,
            "per_query": evaluation.per_query,
        }
        if worst:
            system["worst"] = _worst(judged, run, evaluation, worst)
        systems.append(system)
    return {
        "collection": judged.collection.name if judged.collection else None,
        "analyzer": judged.analyzer,
        "grades": judged.collection.grades if judged.collection else None,
        "threshold": first.threshold,
        "ties": first.ties,
        "k": judged.k,
        "systems": systems,
    }


def _worst(judged: _Judged, run: Any, evaluation: Any, n: int) -> list[dict[str, Any]]:
    """The poorest queries with their texts."""
    poor = []
    for query in toysearch.poorest(run, judged.qrels, evaluation, n):
        known = judged.collection.queries.get(query.query_id) if judged.collection else None
        row = query._asdict() | {"text": known.text if known else None}
        row |= {part: [placed._asdict() for placed in row[part]] for part in ("came", "wanted")}
        poor.append(row)
    return poor


def _print_worst(systems: list[dict[str, Any]], measure: str) -> None:
    """The poorest queries for people: text, what came first, what was wanted and where it is."""
    columns = [
        Column("query_id", "query"),
        Column("value", measure, "right", ".4f"),
        Column("text", "text", wrap=True),
        Column("came", "came first (grade)", wrap=True),
        Column("wanted", "wanted (rank)", wrap=True),
    ]
    for system in systems:
        click.echo(f"\nThe poorest queries of {system['system']}\n")
        rows = []
        for poor in system["worst"]:
            came = ", ".join(f"{hit['doc_id']} ({_grade(hit['grade'])})" for hit in poor["came"])
            wanted = [f"{hit['doc_id']} ({hit['rank'] or 'not found'})" for hit in poor["wanted"]]
            more = [f"and {len(wanted) - 3} more"] if len(wanted) > 3 else []
            text = " ".join((poor["text"] or "").split())
            rows.append([poor["query_id"], poor["value"], text, came or "nothing", ", ".join(wanted[:3] + more)])
        emit(columns, rows, "table")


def _grade(grade: float | None) -> str:
    return "unjudged" if grade is None else f"{grade:g}"


def _remark_conventions(judged: _Judged, data: dict[str, Any]) -> None:
    """The conventions behind the numbers, on stderr, so that no table stands without them."""
    parts = [
        data["collection"],
        data["analyzer"],
        data["grades"] and f"grades {data['grades']}",
        f"{judged.systems[0][1].n_queries} queries",
        f"relevant from grade {data['threshold']:g}",
        f"ties {data['ties']}",
        data["k"] and f"k {data['k']}",
    ]
    remark(" · ".join(part for part in parts if part))
