"""The experiments as commands: each is a function with examples, and what the shell adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch import files
from toysearch.base import ArgumentError, note
from toysearch.cli.commands import command, kept_value
from toysearch.cli.options import (
    ANALYSIS,
    DEFAULT,
    SYSTEM,
    SourceOptions,
    description,
    documented,
    formula_models,
    formula_options,
    judged_options,
    names_in,
    notes_option,
    option,
    output_options,
    queries_options,
    refuse_if,
    shared,
    tuned_options,
)
from toysearch.cli.output import force_option, keeping, progress, remark, show, working, write_run
from toysearch.cli.sources import study_of
from toysearch.models.model import Model
from toysearch.workbench.commands.derived_commands import COLLECTION, command_of, study_taken


def _grid(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[str, str | None]:
    """Map each name to its values as typed, None for a name alone."""
    grid = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not name:
            raise ArgumentError(f"--grid '{text}' names no parameter; an example: --grid k1=0.2:3:0.2")
        if name in grid:
            raise ArgumentError(f"--grid names {name} twice; give all its values at once")
        grid[name] = values if equals else None
    return grid


_tuned = documented(toysearch.tune)


@command(
    "toysearch tune companions --grid k1=0.2:3:0.2 --grid b=0:1:0.05",
    "toysearch tune companions --grid k1 --grid b --grid stem=none,english -m RR",
    "toysearch tune companions --model lm-dirichlet --grid mu=50:5000",
    "toysearch tune companions --grid k1 --grid b --folds 10",
    'toysearch tune companions --formula "tf/(tf+k)*log(N/df)" --grid k=0.1:5:0.1',
    text=description(toysearch.tune, "A custom name in --formula without --set has no default for comparison."),
)
@COLLECTION
@option("--model", type=SYSTEM, metavar="MODEL", heading="Ranking", help=f"Model to tune.  [default: {DEFAULT}]")
@formula_options
@option(
    "--grid",
    multiple=True,
    metavar="NAME[=VALUES]",
    callback=_grid,
    help="Parameter and its values: k1=0.2:3:0.2 (low:high:step), b=0.3,0.5, or k1 alone; also stem=none,english and "
    "analyzer=plain,english.  "
    "[default: a few values of each parameter]",
)
@_tuned("measure")
@_tuned("folds")
@_tuned("seed")
@shared("k")
@shared("threshold")
@_tuned("alpha")
@shared("threads", help="Number of settings evaluated at once.  [default: one per core]")
@tuned_options
@output_options
def tune_command(
    source: str,
    model: Model | None,
    grid: dict[str, str | None],
    options: SourceOptions,
    form: str,
    **chosen: Any,
) -> None:
    """Tune the model on the queries of the study, and show the settings."""
    grid |= {name: ",".join(options.several[name]) for name in ANALYSIS if name in options.several}
    formulas, settings = kept_value("formulas"), kept_value("settings")
    set_names = {setting.partition("=")[0].strip() for setting in settings}
    unset = [name for name in grid if name in set().union(*map(names_in, formulas)) - set_names]
    typed = formula_models(formulas, [*settings, *(f"{name}=1" for name in unset)])
    refuse_if(len(typed) + (model is not None) > 1, "give one model, by --model or by --formula")
    tuned, study = typed[0] if typed else model or DEFAULT, study_of(source, options)
    with working("tuning settings") as tell:  # a formula with names without a value has no default for comparison
        tuning = toysearch.tune(tuned, study, grid, **chosen, default=not unset, progress=tell)
    show(tuning, form)


def _full_system(values: dict[str, Any]) -> list[Any]:
    """Take the model and the study; a note says what is not switched in an index."""
    [study] = study_taken(values)
    if study.opened() is not None:
        note("an index stores its own analysis, so stop words, stemming and title are not switched")
    return [values.pop("model"), study]


ablate_command = command_of(
    toysearch.ablate,
    "toysearch ablate companions",
    "toysearch ablate companions --model lm-dirichlet -m nDCG@10 --analyzer none",
    "toysearch ablate cisi --model cosine --test permutation --correction bh --format latex",
    "toysearch ablate companions --model mine.py:rank --json",
    doing="ablating",
    take=_full_system,
)


robustness_command = command_of(
    toysearch.robustness,
    "toysearch robustness cat-dog-parrot --only rare,spelling",
    "toysearch robustness companions --model bm25 --model cosine:idf=smooth --only length",
    "toysearch robustness cat-dog-parrot --thesaurus pets.txt --json",
    more="`toysearch docs test-robustness` describes each alteration. The rows of --format csv, tsv, markdown and "
    "latex have its first example, before and after; --json prints everything.",
    doing="measuring",
    take=lambda values: [values.pop("models") or DEFAULT, *study_taken(values)],
    only={"metavar": "A,B", "help": "Properties to test: semantic, rare, corpus, length, spelling.  [default: all]"},
    thesaurus={
        "metavar": "FILE",
        "help": "Synonyms, in lines such as 'budgie, parakeet'.",
    },
)


gate_command = command_of(
    toysearch.gate,
    "toysearch gate relevance.toml",
    "toysearch gate relevance.toml --json",
    more="Exit code 0 if all expectations hold, 1 if one fails or there are none, 2 if FILE is malformed.",
    path={"metavar": "FILE"},
    reads=notes_option,
    succeeds=lambda result: result.passed,
)


verify_command = command_of(
    toysearch.verify,
    "toysearch verify cat-dog-parrot",
    "toysearch verify companions --analyzer none --json",
    more="Exit code 0 if all agree, 1 otherwise.",
    reads=queries_options,
    succeeds=lambda verification: verification.agrees,
)


def _feature_names(_: click.Context, __: click.Parameter, text: str | None) -> Any:
    """Split a list of features; blanks within brackets and around operators are part of a feature."""
    if not text:
        return text
    operators, names = ("+", "*", ">>"), [""]
    for word in text.split():
        last = names[-1]
        joined = last.count("(") > last.count(")") or last.endswith(operators) or word.startswith(operators)
        names[-1:] = [f"{last} {word}"] if joined else [last, word]
    return names[1:]


def _output(_: click.Context, __: click.Parameter, folder: Any) -> Any:
    """Refuse, before the work, a place that holds something else than a ranker."""
    if folder is not None:
        from toysearch.workbench.learning.learned_ranker import refuse_foreign

        files.refuse_place(folder, True)
        refuse_foreign(folder)
    return folder


_learned = documented(toysearch.learn)


@command(
    "toysearch learn companions --learner logistic -o ranker",
    'toysearch learn companions --learner boosting:trees=50 --features "bm25 min-max(bm25) coverage length" -m RR',
    "toysearch learn companions --learner logistic --folds 10 --pool bm25@100 --pool dph@50",
    text=description(toysearch.learn),
)
@COLLECTION
@_learned("learner")
@option(
    "--features",
    "names",
    metavar="'A B …'",
    callback=_feature_names,
    help="Features, separated by blanks: models, prior:FIELD, and counts such as coverage or length; each also as "
    "min-max(A), z-score(A) or sum(A) over the pool.  [default: several models and counts]",
)
@_learned("measure")
@option(
    "--pool",
    multiple=True,
    metavar="MODEL@N",
    callback=lambda _, __, pool: pool or None,
    help="Documents of a query: the best N of a model; repeat to add other models.  [default: bm25@200]",
)
@_learned("folds")
@_learned("seed")
@shared("threshold")
@_learned("alpha")
@shared(
    "output",
    "folder",
    metavar="PATH",
    heading="Output",
    callback=_output,
    help="Folder for the ranker.",
)
@option(
    "--run",
    "run_file",
    metavar="FILE",
    writes="file",
    heading="Output",
    callback=keeping("run"),
    help="File for the held-out rankings.",
)
@force_option
@judged_options
@output_options
def learn_command(
    source: str,
    options: SourceOptions,
    form: str,
    folder: str | None,
    run_file: str | None,
    names: Sequence[str] | None,
    pool: Sequence[str] | None,
    threshold: float | None,
    **chosen: Any,
) -> None:
    """Learn a ranker from the judged queries, save it, and show it."""
    study = study_of(source, options)
    with progress("learning", "rankers") as tell:
        table = toysearch.features(study, names, pool, threshold=threshold)
        learning = toysearch.learn(table, **chosen, progress=tell)
    if folder is not None:
        learning.save(folder)
    if run_file is not None:
        write_run(learning.run, run_file)
    show(learning, form)
    if folder is not None:
        remark(f"the ranker is in {folder}: use it as --model learned:{folder}")
    if run_file is not None:
        remark(f"the held-out rankings are in {run_file}")
