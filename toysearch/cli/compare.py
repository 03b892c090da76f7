"""`toysearch compare` and `diff`: several systems, and what sets them apart."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

import toysearch
import toysearch.study
from toysearch import files
from toysearch.base import ArgumentError, counted, note
from toysearch.base.result import Page
from toysearch.cli.commands import command, refuse_given, was_given
from toysearch.cli.options import (
    DEFAULT,
    POSITIVE,
    SourceOptions,
    Target,
    documented,
    option,
    optional_depth_option,
    output_options,
    query_mode_option,
    refuse_if,
    run_columns_option,
    shared,
    systems_option,
    systems_options,
    threshold_option,
    ties_option,
    together,
)
from toysearch.cli.output import emit, paragraph, remark, show, show_paragraph, terminal_width
from toysearch.cli.sources import is_run, named_measures, ranked, refuse_run, study_of, study_of_targets, with_indexes
from toysearch.retrieval import title_of
from toysearch.study import caveat_lines
from toysearch.study.compare.comparison_tables import (
    agreement_table,
    compared_data,
    compared_rows,
    comparison_parts,
    legend,
    paper_table,
    power_table,
    tested_sentence,
)
from toysearch.study.compare.comparison_verdict import conclusion_of

if TYPE_CHECKING:
    from toysearch.study.system import ModelOrSystem

_ONE_TABLE = ("tsv", "csv")
_PAIRS = "Compare each pair, by randomised Tukey HSD if no --test is given."
_OF_RANKING = ("measures", "k", "above", "threads", "threshold")
"""Rules that a study has applied before a comparison."""


_compared = documented(toysearch.compare)
comparison_options = together(
    shared("measures"),
    _compared(
        "baseline", heading="Test", metavar="NAME", help="System to compare the others with.  [default: the first]"
    ),
    shared("test", default=None, help="Paired test of each difference.  [default: t; tukey for --all-pairs]"),
    shared("correction"),
    _compared("tried", heading="Test"),
    _compared("family", heading="Test"),
    _compared("alpha"),
    _compared("margin", heading="Test"),
    option(
        "--all-pairs", "pairs", flag_value="all", default="baseline", show_default=False, heading="Test", help=_PAIRS
    ),
    _compared("seed", heading="Test"),
    optional_depth_option,
    shared("above", brief="toysearch run"),
    shared("threads", brief="toysearch run"),
    threshold_option,
    ties_option,
    shared("only_retrieved"),
    shared("undefined"),
)
"""The options of `toysearch.compare`, and those that it hands on to `evaluate`; a command gets them as its rules."""


def study_to_compare(
    targets: tuple[str, ...],
    models: Sequence[ModelOrSystem],
    options: SourceOptions,
    rules: dict[str, Any],
    *,
    fewest: int = 2,
) -> toysearch.study.Study:
    """Return the study with its runs: ranked here on a collection, or read from files."""
    named_measures(rules["measures"])  # a misspelt measure is reported before anything is ranked
    refuse_if(not targets, "Missing argument 'COLLECTION | RUN...'.")
    both = rules.get("pairs") == "all" and rules.get("margin") is not None
    refuse_if(both, "--margin is tested against the baseline: leave out --all-pairs, or --margin")
    more, other = (" and another one", " OTHER") if fewest > 1 else ("", "")
    otherwise = f"give the judgments{more}: {click.get_current_context().command_path} --qrels QRELS {{}}{other}"
    scoring: Any = {name: rules.get(name) for name in ("k", "above", "threads", "threshold", "ties")}
    study = study_of_targets(targets, options, models, toysearch.study.Scoring(**scoring), otherwise)
    if options.known_items is not None and not was_given("measures"):
        rules["measures"] = " ".join(toysearch.study.ITEM_MEASURES)
    if study.models:
        alone = len(study.models) == 1 and not study.fixed_runs
        is_book = files.is_file(targets[0]) and len(options.source(targets[0]).sheets) > 1
        way = "write the sheet of each as a file, and name the judgments with --qrels" if is_book else "repeat --model"
        refuse_if(alone and fewest > 1, f"a comparison needs at least two systems, found {len(models)}; {way}")
        study = study.ready()
        return replace(study, fixed_runs=ranked(study))
    if (n := len(study.fixed_runs)) < fewest:
        raise ArgumentError(f"a comparison needs at least two systems, found {n}")
    return study


def compared(study: toysearch.study.Study, rules: dict[str, Any]) -> toysearch.study.Comparison:
    """Return the comparison of the runs of a study by the rules."""
    measures = study.sized(named_measures(rules["measures"]))
    toysearch.study.refuse_out_of_reach(study.qrels(), measures, rules["threshold"], rules["undefined"])
    how = {name: value for name, value in rules.items() if name not in _OF_RANKING}
    return toysearch.compare((), study, measures, **how | {"k": study.scoring.k})


def _show_tables(
    comparison: toysearch.study.Comparison,
    form: str,
    study: toysearch.study.Study,
    power: bool,
    agreement: bool,
) -> None:
    doubts = toysearch.study.caveats(comparison)
    sensitivities = toysearch.study.sensitivity(comparison) if power else []
    first, queries = comparison.first, next(iter(comparison.texts.values()))
    of_all = {"ties": comparison.options["ties"], "needs": comparison.needs}
    alikeness = [
        toysearch.study.agreement(one, other, queries, **of_all)
        for one, other in combinations([comparison.runs[name] for name in comparison.systems] if agreement else [], 2)
    ]

    def data() -> dict[str, Any]:
        about = {
            "systems": list(comparison.systems),
            **first.counts,
            "threshold": first.threshold,
            "ties": first.ties,
            "k": study.scoring.k if study.models else None,
        }
        return toysearch.study.about_study(study) | about | compared_data(comparison, doubts, sensitivities, alikeness)

    further = [agreement_table(alikeness, comparison.kind[1])] if alikeness else []
    if power and form not in _ONE_TABLE:
        further = [power_table(sensitivities), *further]
    if form == "latex":
        click.echo(paper_table(comparison))
    else:
        if form == "markdown" and (conclusion := conclusion_of(comparison, doubts)):
            click.echo(paragraph(conclusion) + "\n")
        parts = comparison_parts(comparison, doubts, further, terminal=terminal_width(sys.stdout) is not None)
        table = compared_rows(comparison, form, sensitivities if form in _ONE_TABLE else ())
        show(Page(parts, table, data), form)
    if form == "markdown":
        click.echo("\n" + paragraph(legend(comparison, best="")))
        for one in comparison.margins:
            click.echo(f"\n{paragraph(one.sentence)}")
    if form not in ("table", "json", "html"):  # these hold all of it
        for more in further:
            click.echo()
            emit(more.columns, more.rows, form)
        for line in [*(one.sentence for one in comparison.margins if form != "markdown"), *caveat_lines(doubts)]:
            note(line)


@command(
    "toysearch compare companions --model tfidf --model bm25 --model bm25:b=0.4",
    "toysearch compare --qrels qrels.txt mine.run theirs.run -m AP --power",
    "toysearch compare companions --model bm25 --model lm-jm --model cosine --all-pairs --format latex",
    "toysearch compare companions --analyzer plain --analyzer english -m AP",
    "toysearch compare cat-dog-parrot mine.run --model bm25",
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN...")
@systems_option
@run_columns_option
@comparison_options
@query_mode_option("plain", "Ranking", brief="toysearch run")
@option("--power", is_flag=True, help="Show the power of the tests, and how many queries the differences need.")
@shared("by")
@shared("per_query", names=["-q", "--per-query"])
@option("--agreement", is_flag=True, help="Show rank agreement: Kendall's τ, τ_AP, rank-biased overlap.")
@systems_options
@shared("methods")
@output_options
def compare_command(
    targets: tuple[str, ...],
    models: Sequence[ModelOrSystem],
    options: SourceOptions,
    form: str,
    by: str | None,
    per_query: bool,
    power: bool,
    agreement: bool,
    methods: bool,
    **rules: Any,
) -> None:
    """Compare systems: which is better, and what could be chance.

    With a COLLECTION or an INDEX: ranks the judged queries with each MODEL. With RUN files and --qrels: takes the runs.
    With both, run files and models are compared with each other.
    For each measure, every system is tested against the baseline on the same queries, and p is corrected for the number
    of comparisons: all measures times all systems but the baseline. Notes below the tables say what the conclusions
    depend on.

    Repeat --analyzer, --language or --fields, and every combination with every MODEL is a system, at most 24; several
    INDEX folders of the same documents are systems too.
    """
    refuse_if(
        agreement and form in _ONE_TABLE,
        f"--agreement is a separate table, but {form} holds only one; choose another --format",
    )
    refuse_if(
        by is not None and (rules["pairs"] == "all" or power or agreement),
        "--by shows groups of queries alone: leave out --all-pairs, --power, --agreement",
    )
    if per_query:
        refuse_given(("by", "power", "agreement"), "--per-query shows the queries alone: leave out {}")
    study = study_to_compare(targets, models, options, rules)
    comparison = compared(study, rules)
    evaluations = [*comparison.evaluations.values()]
    if methods:
        show_paragraph(toysearch.study.methods_paragraph(study, evaluations[0], tested_sentence(comparison)), form)
        return
    if by is not None:
        baseline, how = str(comparison.baseline), comparison.how
        shown = {baseline: comparison.evaluations[baseline]} | comparison.evaluations
        groups = toysearch.study.means_by_group(shown, study, by, how.test, how.correction, how.alpha, how.seed)
        show(groups, form)
        return
    if per_query:
        show(comparison.per_query, form)
    else:
        _show_tables(comparison, form, study, power, agreement)
    remark(toysearch.study.conventions(study, evaluations[0]))
    for message in toysearch.study.remarks(evaluations, study):
        note(message)
    for sentence in toysearch.study.alike(study.fixed_runs):
        note(sentence)


def _not_two_runs(n_runs: int) -> click.UsageError:
    runs = counted(n_runs, "run")
    return click.UsageError(f"a diff needs two runs and their judgments, found {runs}: diff RUN RUN QRELS")


_diffed = documented(toysearch.diff)


@command(
    "toysearch diff cat-dog-parrot --model bm25 --model jaccard",
    "toysearch diff companions --model bm25 --model bm25:b=0.3 -m nDCG@10 --top 3",
    "toysearch diff companions --model bm25 --model lm-dirichlet --query-id 52",
    "toysearch diff companions --analyzer plain --analyzer english",
    "toysearch diff mine.run theirs.run qrels.txt",
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN RUN [QRELS]", required=True)
@systems_option
@run_columns_option
@_diffed("measure")
@_diffed("n", names=["--top"], type=POSITIVE, help="Number of queries that gain most, and that lose most.")
@option("--depth", "moves", type=POSITIVE, help="Number of documents per query.  [default: 3; with --query-id 10]")
@shared("query_id", help="Show this query alone, with all parts of the scores.")
@option("--all", "every", is_flag=True, help="Show all queries that gain or lose.")
@optional_depth_option
@threshold_option
@ties_option
@systems_options
@output_options
def diff_command(
    targets: Sequence[Target],
    models: Sequence[ModelOrSystem],
    options: SourceOptions,
    form: str,
    measure: str,
    n: int,
    every: bool,
    query_id: str | None,
    moves: int | None,
    k: int | None,
    threshold: float | None,
    ties: str | None,
) -> None:
    """Show which queries gain and lose, which documents moved, and why.

    With a COLLECTION (a name, a folder) or an INDEX, and two models: ranks the judged queries with both, and shows the
    change from the first to the second: the queries that lose and gain most, and in each the documents that moved, with
    the documents that they passed and the terms that made the difference. With one model, the first is bm25. Two
    analyses, or two INDEX folders, are two systems too.
    With two RUN files and QRELS, a file or a collection, or with a COLLECTION, a RUN and a model: shows only ranks and
    grades.
    """
    targets, options, indexes = with_indexes(targets, options, models)
    beside = len(models) == 1 and any(map(is_run, targets))
    shown: dict[str, Any] = {
        "query_id": query_id,
        "n": None if every else n,
        "moves": moves or (10 if query_id else 3),
        "ties": ties,
    }
    if len(targets) == 1 and not beside:
        refuse_run(targets[0], "give a second one and the judgments: diff RUN RUN QRELS")
        usual = toysearch.MODELS[DEFAULT]
        study = study_of(targets[0], options, models or [usual], indexes=indexes).with_scoring(threshold=threshold)
        if len(study.models) == 1 and str(study.models[0]) != DEFAULT:
            study = study.with_models([usual, *study.models])
        n = len(study.models) if len(study.models) > 1 else len(models)
        refuse_if(n != 2, f"give two models to compare, not {n}: --model A --model B")
        named_measures(measure)  # a misspelt measure is reported before anything is ranked
        first, second = study.models
        found = toysearch.diff(first, second, study, measure, k=k or toysearch.study.DEPTH, **shown)
        show(found, form, single=query_id is not None, title=functools.partial(title_of, study.index()))
        return
    if not beside and (n_runs := len(targets) - (options.qrels is None)) not in (1, 2):
        raise _not_two_runs(max(0, n_runs))
    measures, scoring = named_measures(measure), toysearch.study.Scoring(k, threshold, ties)
    study = study_of_targets(targets, options, models, scoring)
    _, named_runs = replace(study, fixed_runs=ranked(study)).systems(())
    runs = [run for _, run in named_runs]
    if len(runs) != 2 and not beside:
        raise _not_two_runs(len(runs))
    refuse_if(len(runs) != 2, f"a diff needs two systems, found {len(runs)}: diff COLLECTION RUN --model MODEL")
    collection, measure = study.collection(), " ".join(map(str, study.sized(measures)))
    shown |= {"threshold": study.stated_threshold(), "queries": collection.judged_queries if collection else None}
    one, other = runs
    show(toysearch.diff(one, other, study.qrels(), measure, **shown), form, single=query_id is not None)
