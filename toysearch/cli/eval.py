"""`toysearch eval` and `score`: systems scored against judgments, and a ranking typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.base import listed, note, without_notes
from toysearch.cli.commands import command, given_options, one_list, refuse_given
from toysearch.cli.options import (
    MEASURES,
    POSITIVE,
    SourceOptions,
    Target,
    description,
    documented,
    option,
    optional_depth_option,
    output_options,
    output_options_with,
    query_mode_option,
    refuse_if,
    run_columns_option,
    shared,
    systems_option,
    systems_options,
    threshold_option,
)
from toysearch.cli.output import show, show_paragraph
from toysearch.cli.sources import named_measures, ranked, study_of_targets
from toysearch.rings import ring
from toysearch.study.compare.system_scores import BOUNDED, EVERY
from toysearch.study.explain.typed_ranking_measures import score_ranking

TREC_EVAL = "trec_eval"
"""The form that prints what trec_eval prints."""
_OF_QUERIES = ("worst", "hardest", "explain")
_LISTING = ("time", "bounds", "max_rel", "query_id", *_OF_QUERIES, "per_query")
_CHANGING = ("ties", "undefined", "convention", "by", *_LISTING[:-1])
"""The options that change values, or what is shown, by the names of their parameters."""
_POOREST = 5  # queries
"""Number of known items that are shown by default, if they fail."""
_IDLE = (*_OF_QUERIES, "by", "time")
"""The options that show single queries, or decide by themselves what --convention all and --bounds vary."""
_BOUNDS = f"Show the bounds over all grades of unjudged documents.  [default of -m: {' '.join(BOUNDED)}]"


def _refuse_conflicts(targets: Sequence[Target], chosen: dict[str, Any]) -> None:
    explain, ties, convention = chosen["explain"], chosen["ties"], chosen["convention"]
    conventions, bounds, over_orders = convention == EVERY, chosen["bounds"], ("average", "sklearn")
    side = "--convention all" if conventions else "--bounds" if bounds else ""
    listing = any(chosen[name] for name in _LISTING)
    if side:
        others = ("per_query", "max_rel") if conventions else ("undefined", "convention")
        refuse_given((*_IDLE, *others), f"{{}} has no effect beside {side}: leave it out")
    refuse_if(not targets, "Missing argument 'COLLECTION | RUN... QRELS'.")
    refuse_if(conventions and bounds, "give --convention all or --bounds, not both")
    refuse_if(chosen["max_rel"] is not None and not side, "--max-rel goes with --bounds")
    several_orders = ties in ("bounds", *over_orders)
    refuse_if(side and several_orders, f"{side} needs one order of the documents: leave out --ties {ties}")
    query_id = chosen["query_id"]
    refuse_if(explain in ("--query-id", "-m"), "--explain needs a measure, as in --explain AP --query-id 1")
    refuse_if(explain and query_id is None, "--explain needs --query-id: the query whose value to explain")
    refuse_if(query_id and explain is None, "--query-id needs --explain: the measure whose value to explain")
    refuse_if(
        explain and (ties in over_orders or convention == "sklearn"),
        "--explain explains one order of the documents; it cannot be combined with a value over all orders of ties",
    )
    refuse_if(
        chosen["by"] and (listing or ties == "bounds"),
        "--by shows groups alone: leave out other options that show or sum up queries",
    )


_scored = documented(toysearch.study.scores)


@command(
    "toysearch eval companions --model bm25 --model cosine:idf=smooth",
    'toysearch eval companions -m "AP nDCG@10 P@5 Rprec" --analyzer english --worst 5',
    "toysearch eval mine.run theirs.run --qrels qrels.txt --per-query --tsv",
    "toysearch eval mine.run qrels.txt --format trec_eval -q",
    "toysearch eval pets.idx --queries topics.txt --qrels qrels.txt",
    'toysearch eval companions --explain "AP" --query-id 12',
    'toysearch eval cat-dog-parrot -m "AP nDCG@2 RR" --convention all',
    "toysearch eval mine.run --qrels qrels.txt --bounds",
    text=description(toysearch.study.scores),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS")
@systems_option
@run_columns_option
@optional_depth_option
@shared("above", brief="toysearch run")
@query_mode_option("plain", "Ranking", brief="toysearch run")
@shared("threads", brief="toysearch run")
@shared("measures", default=None)
@threshold_option
@_scored("ties")
@_scored("only_retrieved")
@shared("undefined")
@_scored("convention", heading="Evaluation")
@option("--bounds", is_flag=True, heading="Evaluation", help=_BOUNDS)
@_scored("max_rel", heading="Evaluation")
@_scored("time", heading="Evaluation")
@_scored("per_query", names=["-q", "--per-query"], heading="Queries")
@_scored("worst", type=POSITIVE, is_flag=False, flag_value=_POOREST, metavar="[N]", heading="Queries")
@_scored("hardest", type=POSITIVE, heading="Queries")
@_scored("explain", metavar="MEASURE", heading="Queries")
@_scored("query_id", heading="Queries")
@_scored("by", brief="toysearch compare")
@systems_options
@shared("methods")
@output_options_with(TREC_EVAL)
def eval_command(
    targets: Sequence[Target],
    models: Sequence[Any],
    options: SourceOptions,
    form: str,
    k: int | None,
    above: float | None,
    threads: int | None,
    methods: bool,
    **chosen: Any,
) -> None:
    """Rank or read the runs, score them, and show the scores."""
    measures, explain = chosen["measures"], chosen["explain"]
    printer = ring(TREC_EVAL) if form == TREC_EVAL else None
    if printer and (changing := given_options(("measures", *_CHANGING))):
        raise click.UsageError(
            "--format trec_eval prints the official measures of trec_eval: leave out "
            f"{listed([*changing.values()])}, or print another form, such as --tsv"
        )
    _refuse_conflicts(targets, chosen)
    # A misspelt measure is reported before anything is ranked.
    named_measures(f"{MEASURES if measures is None else measures} {explain or ''}")
    ranking = toysearch.study.Scoring(k, chosen["threshold"], chosen["ties"], threads=threads, above=above)
    others = any(chosen[name] for name in ("per_query", *_OF_QUERIES) if name != "explain")
    lists = chosen["by"] or chosen["convention"] == EVERY or any(chosen[name] for name in _LISTING)
    if options.known_items is not None and form in ("table", "json") and not lists:
        chosen["worst"] = _POOREST
    is_alone = explain is not None and form == "table" and not others
    several = chosen["bounds"] or chosen["convention"] == EVERY or printer is not None
    refuse_if(
        methods and several,
        "--methods describes one table of values: leave out --bounds, --convention all and --format trec_eval",
    )
    with without_notes() if is_alone else nullcontext():
        otherwise = f"give the judgments after it: {click.get_current_context().command_path} {{}} QRELS"
        study = study_of_targets(targets, options, models, ranking, otherwise).ready()
        study = replace(study, fixed_runs=ranked(study))
    if printer:
        refuse_if(len(study.fixed_runs) > 1, "--format trec_eval holds one system: give one model or run")
        [run], qrels = study.fixed_runs, study.qrels()
        if qrels.needs:
            note("a mean is over all texts, as in trec_eval; the other forms count each need once")
        how = {"only_retrieved": bool(chosen["only_retrieved"]), "per_query": chosen["per_query"]}
        click.echo("\n".join(printer.trec_eval_lines(run, qrels, threshold=study.threshold(), **how)))
        return
    scores = toysearch.study.scores((), study, **chosen)
    if methods:
        show_paragraph(toysearch.study.methods_paragraph(study, scores.evaluations[0]), form)
        return
    show(scores, form)
    if scores.too_few and form not in ("table", "html", "json"):  # these hold the sentence themselves
        note(scores.too_few)
    for message in scores.notes():
        note(message)


_typed = documented(score_ranking)


@command(
    'toysearch score "R R I I R" --relevant 4',
    'toysearch score "3 U 0 2" --judged "3 2 2 1 0" -m "nDCG AP"',
    'toysearch score "R I R" --relevant 2 --explain AP',
)
@click.argument("ranking", metavar="SIGNS...", nargs=-1, required=True, callback=one_list)
@_typed("relevant", type=click.IntRange(min=0), metavar="N")
@_typed("judged", metavar="GRADES")
@shared("measures", default="", help="Measures (`toysearch measures`), or a set.  [default: all]")
@_typed("explain", metavar="MEASURE")
@threshold_option
@shared("undefined")
@output_options
def score_command(ranking: str, form: str, **chosen: Any) -> None:
    """Score a ranking typed by hand, by all measures.

    SIGNS are R (relevant), I (not relevant) or U (unjudged), or grades, from the first rank; if they begin with a minus
    sign, put -- before them. Measures that need all relevant documents take --relevant or --judged.
    """
    show(score_ranking(ranking, **chosen), form)
