"""`toysearch score` and `conventions`: a ranking typed by hand, and measures under each convention."""

from __future__ import annotations

import math
import sys
from typing import Any

import click

import toysearch
from toysearch import evaluation, laboratory
from toysearch.base import ArgumentError, Column, note
from toysearch.cli import (
    MEASURES,
    SourceOptions,
    command_of,
    emit,
    models_option,
    named_measures,
    option,
    optional_depth_option,
    paragraph,
    ranked,
    remark,
    shared,
    study_to_evaluate,
    terminal_width,
    threads_option,
    threshold_option,
    together,
)

_UNKNOWN = "needs all relevant documents"
_GAINS = ("dcg", "discount", "ideal")


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
        chosen = [evaluation.Measure.parse(explain)]
    else:
        chosen = evaluation.parse_measures(measures) if measures else evaluation.all_measures(len(typed.run))
    scored = toysearch.evaluate(typed.run, typed.qrels, chosen, threshold=threshold, undefined=undefined)
    query_id = typed.run.query_ids[0]
    is_known = evaluation.computable(typed, chosen, scored.threshold)
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
    from toysearch.evaluation.unjudged_bounds import unjudged_bounds

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
    argument=click.argument("ranking", metavar="SIGNS"),
    reads=together(),
    ranking=None,
    relevant={"type": click.IntRange(min=0), "metavar": "N"},
    judged={"metavar": "GRADES"},
    measures=shared("measures", default="", help="Measures (`toysearch measures`), or a set.  [default: all]"),
    explain=option("--explain", metavar="MEASURE", help="Show how its value is computed, rank by rank."),
    threshold=threshold_option,
    undefined=shared("undefined"),
)


def _conventions(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    measures: str,
    options: SourceOptions,
    form: str,
    **settings: Any,
) -> None:
    """Show measures under each convention, and why they differ.

    The conventions are those of trec_eval, of textbooks and of scikit-learn: ties, undefined values, gains
    (`toysearch docs conventions`). An option applies to each of them.
    """
    measures_to_show = named_measures(measures)  # a misspelt measure is reported before anything is ranked
    parameters = {name: value for name in _GAINS if (value := settings.pop(name)) is not None}
    rules = {name: settings.pop(name) for name in ("only_retrieved", "undefined")}
    rules |= {"ties": settings["ties"], "parameters": parameters}
    study = study_to_evaluate(targets, options, models=models, **settings)
    rows: list[list[Any]] = []
    data: list[dict[str, Any]] = []
    for run in ranked(study):
        how: dict[str, Any] = {"threshold": study.stated_threshold, "measures": study.sized(measures_to_show), **rules}
        table = evaluation.side_by_side(run, study.qrels, **how)
        [(columns, values, *_)] = table.tables(form)
        rows += [[run.name, *row] for row in values]
        effects = [effect._asdict() for effect in table.effects]
        data.append({"system": run.name, "measures": table.values, "effects": effects})
    emit([Column("system"), *columns], rows, form, data={"systems": data})
    for system in data if form == "table" else ():
        effective = [effect for effect in system["effects"] if effect["changes"]]
        click.echo(f"\n{system['system']}: " + ("why they differ, each reason alone" if effective else "no difference"))
        for effect in effective:
            changes = ", ".join(f"{name} {old:.4f} → {new:.4f}" for name, (old, new) in effect["changes"].items())
            click.echo(paragraph(f"{effect['convention']}: {effect['reason']} ({changes})", "    ", "  "))


conventions_command = command_of(
    "toysearch.evaluation.side_by_side",
    'toysearch conventions cat-dog-parrot -m "AP nDCG@2 RR"',
    "toysearch conventions mine.run qrels.txt",
    "toysearch conventions mine.run qrels.txt -m nDCG --dcg exp-log2",
    call=_conventions,
    argument=together(
        click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS"),
        models_option,
        optional_depth_option,
        threads_option,
    ),
    run=None,
    measures={"default": MEASURES},
    threshold=threshold_option,
    ties=shared("ties", type=click.Choice(["rank", "trec_eval"])),
    only_retrieved=shared("only_retrieved"),
    undefined=shared("undefined"),
    dcg=option(
        "--dcg", type=click.Choice(["log2", "exp-log2"]), heading="Evaluation", help="Gain: grade, or 2^grade - 1."
    ),
    discount=option(
        "--discount",
        type=click.Choice(["burges", "jk"]),
        heading="Evaluation",
        help="Discount of nDCG and DCG: log2(rank + 1), or 1 and log2(rank).",
    ),
    ideal=option(
        "--ideal",
        type=click.Choice(["judged", "ranking", "max"]),
        heading="Evaluation",
        help="Source of the ideal ranking of nDCG.",
    ),
)
