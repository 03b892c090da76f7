"""`toysearch eval` and `score`: systems scored against judgments, and a ranking typed by hand."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.base import listed, note, without_notes
from toysearch.cli.commands import given_options, one_list, refuse_given, was_given
from toysearch.cli.options import (
    MEASURES,
    POSITIVE,
    Target,
    models_option,
    optional_depth_option,
    output_options_with,
    query_mode_option,
    refuse_if,
    run_columns_option,
    shared,
    threshold_option,
    together,
)
from toysearch.cli.output import show
from toysearch.cli.signatures import command_of, popped
from toysearch.cli.sources import named_measures, refuse_run, study_of_targets
from toysearch.cli.workers import named_worker_option, ranked
from toysearch.rings import ring
from toysearch.study.compare.system_scores import BOUNDED, EVERY

TREC_EVAL = "trec_eval"
"""The form that prints what trec_eval prints."""
_OF_QUERIES = ("worst", "best", "hardest", "histogram", "explain")
_CHANGING = ("ties", "undefined", "convention", "aggregate", "by", "bounds", "max_rel", "query_id", *_OF_QUERIES)
"""The options that change values, or what is shown, by the names of their parameters."""
_IDLE = (*_OF_QUERIES, "by", "aggregate")
"""The options that show single queries, or decide by themselves what --convention all and --bounds vary."""


def _refuse_conflicts(values: dict[str, Any]) -> None:
    explain, ties, convention = values["explain"], values["ties"], values["convention"]
    conventions, bounds, over_orders = convention == EVERY, values["bounds"], ("average", "sklearn")
    side = "--convention all" if conventions else "--bounds" if bounds else ""
    listing = any(values[name] for name in ("per_query", "bounds", "max_rel", "query_id", "aggregate", *_OF_QUERIES))
    if side:
        others = ("per_query", "max_rel") if conventions else ("undefined", "convention")
        refuse_given((*_IDLE, *others), f"{{}} has no effect beside {side}: leave it out")
    refuse_if(not values["targets"], "Missing argument 'COLLECTION | RUN... QRELS'.")
    refuse_if(conventions and bounds, "give --convention all or --bounds, not both")
    refuse_if(values["max_rel"] is not None and not side, "--max-rel goes with --bounds")
    several_orders = ties in ("bounds", *over_orders)
    refuse_if(side and several_orders, f"{side} needs one order of the documents: leave out --ties {ties}")
    query_id = values["query_id"]
    refuse_if(explain and query_id is None, "--explain needs --query-id: the query whose value to explain")
    refuse_if(query_id and explain is None, "--query-id needs --explain: the measure whose value to explain")
    refuse_if(
        explain and (ties in over_orders or convention == "sklearn"),
        "--explain explains one order of the documents; it cannot be combined with a value over all orders of ties",
    )
    refuse_if(
        values["aggregate"] and ties == "bounds",
        "--aggregate cannot be combined with --ties bounds, which compares means",
    )
    refuse_if(
        values["by"] and (listing or ties == "bounds"),
        "--by shows groups alone: leave out other options that show or sum up queries",
    )


def _lines_asked(measures: str | None) -> list[Any]:
    """Parse the requested lines of trec_eval; options that would change their values are refused."""
    if changing := given_options(_CHANGING):
        raise click.UsageError(
            f"--format trec_eval prints what trec_eval prints: leave out {listed([*changing.values()])}"
        )
    printer = ring(TREC_EVAL)
    lines = [*printer.asked(measures if was_given("measures") else next(iter(printer.SETS)))]
    return lines or named_measures("")  # refused: no measure was named


def _refuse_one_run(source: Target | None) -> None:
    refuse_run(source, f"give the judgments after it: {click.get_current_context().command_path} {{}} QRELS")


def _runs_taken(values: dict[str, Any]) -> list[Any]:
    """Rank or read the runs to score; in the form of trec_eval, print its lines alone."""
    lines = _lines_asked(values["measures"]) if values["form"] == TREC_EVAL else []
    _refuse_conflicts(values)
    # A misspelt measure is reported before anything is ranked.
    named_measures(" ".join([MEASURES if lines else values["measures"] or MEASURES, values["explain"] or ""]))
    how = {name: values.pop(name) for name in ("k", "threads", "results")}
    ranking = toysearch.study.Scoring(threshold=values["threshold"], ties=values["ties"], **how)
    others = any(values[name] for name in ("per_query", *_OF_QUERIES) if name != "explain")
    is_alone = values["explain"] is not None and values["form"] == "table" and not others
    with without_notes() if is_alone else nullcontext():
        targets, options, models = popped(values, "targets", "options", "models")
        study = study_of_targets(targets, options, models, ranking, _refuse_one_run).ready()
        runs = ranked(study)
    if not lines:
        return [(), replace(study, fixed_runs=runs)]
    refuse_if(len(runs) > 1, "--format trec_eval holds one system: give one model or run")
    qrels = study.qrels()
    if qrels.needs:
        note("a mean is over all texts, as in trec_eval; the other forms count each need once")
    of_lines = {"only_retrieved": bool(values["only_retrieved"]), "per_query": values["per_query"]}
    of_runs = ring(TREC_EVAL).trec_eval_lines(runs[0], qrels, lines, threshold=study.threshold(), **of_lines)
    click.echo("\n".join(of_runs))
    return click.get_current_context().exit()


def _show_scores(scores: Any, form: str) -> None:
    show(scores, form)
    for message in scores.notes():
        note(message)


_QUERIES: dict[str, Any] = {"heading": "Queries"}
_NUMBER: dict[str, Any] = {"type": POSITIVE, **_QUERIES}
_VARIED: dict[str, Any] = {"heading": "Evaluation"}
eval_command = command_of(
    "toysearch.study.scores",
    "toysearch eval companions --model bm25 --model cosine:idf=smooth --histogram",
    'toysearch eval companions -m "AP nDCG@10 P@5 Rprec" --analyzer english --worst 5',
    "toysearch eval mine.run theirs.run --qrels qrels.txt --per-query --tsv",
    "toysearch eval mine.run qrels.txt --format trec_eval -q -m all_trec",
    "toysearch eval my-index --queries topics.txt --qrels qrels.txt",
    'toysearch eval companions --explain "AP" --query-id 12',
    'toysearch eval cat-dog-parrot -m "AP nDCG@2 RR" --convention all',
    "toysearch eval mine.run --qrels qrels.txt --bounds",
    argument=together(
        click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS"),
        models_option,
        run_columns_option,
        optional_depth_option,
        query_mode_option("plain", "Ranking", brief="toysearch run"),
        shared("threads", brief="toysearch run"),
    ),
    take=_runs_taken,
    after=_show_scores,
    forms=output_options_with(TREC_EVAL),
    convention=_VARIED,
    aggregate=_VARIED,
    bounds={
        **_VARIED,
        "help": f"Show the bounds over all grades of unjudged documents.  [default of -m: {' '.join(BOUNDED)}]",
    },
    max_rel=_VARIED,
    per_query={**_QUERIES, "names": ["-q", "--per-query"]},
    worst=_NUMBER,
    best=_NUMBER,
    hardest=_NUMBER,
    histogram=_QUERIES,
    explain={**_QUERIES, "metavar": "MEASURE"},
    query_id=_QUERIES,
    by={"brief": "toysearch compare"},
    results=shared("results", brief="toysearch compare"),
    workers=named_worker_option,
)


score_command = command_of(
    "toysearch.study.explain.typed_ranking_scores.score_ranking",
    'toysearch score "R R I I R" --relevant 4',
    'toysearch score "3 U 0 2" --judged "3 2 2 1 0" -m "nDCG AP"',
    'toysearch score "R I R" --relevant 2 --explain AP',
    text="""Score a ranking typed by hand, by all measures.

    SIGNS are R (relevant), I (not relevant) or U (unjudged), or grades, from the first rank; if they begin with a minus
    sign, put -- before them. Measures that need all relevant documents take --relevant or --judged.
    """,
    ranking={"metavar": "SIGNS...", "nargs": -1, "callback": one_list},
    relevant={"type": click.IntRange(min=0), "metavar": "N"},
    judged={"metavar": "GRADES"},
    measures={"default": "", "help": "Measures (`toysearch measures`), or a set.  [default: all]"},
    explain={"metavar": "MEASURE"},
    threshold=threshold_option,
    undefined=shared("undefined"),
)
