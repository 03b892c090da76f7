"""`toysearch diff`: the queries that gain and lose from one system to another, the moved documents, and the causes."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.base import counted
from toysearch.cli import (
    POSITIVE,
    Command,
    SourceOptions,
    examples,
    first_words,
    judged_options,
    models_option,
    named_measures,
    option,
    optional_depth_option,
    options_of,
    output_options,
    refuse_model_options,
    refuse_run,
    show,
    study_of,
    study_of_runs,
    threshold_option,
    with_collection,
)

_BEGINNING = 50  # characters of a title


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch diff cat-dog-parrot --model bm25 --model jaccard",
        "toysearch diff companions --model bm25 --model bm25:b=0.3 -m nDCG@10 --top 3",
        "toysearch diff companions --model bm25 --model lm-dirichlet --query-id 52",
        "toysearch diff mine.run theirs.run qrels.txt",
    ),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN RUN [QRELS]", required=True)
@models_option
@options_of(
    toysearch.diff,
    first=None,
    second=None,
    n={"names": ["--top"], "type": POSITIVE, "help": "Number of queries that gain most, and that lose most."},
    every=option("--all", "every", is_flag=True, help="Show all queries that gain or lose."),
    query_id={"help": "Show this query alone, with all parts of the scores."},
    moves=option("--documents", type=POSITIVE, help="Number of documents per query.  [default: 3; with --query-id 10]"),
    k=optional_depth_option,
)
@threshold_option
@judged_options
@output_options
def command(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    every: bool,
    documents: int | None,
    threshold: float | None,
    options: SourceOptions,
    form: str,
    **settings: Any,
) -> None:
    """Show which queries gain and lose, which documents moved, and why.

    With a COLLECTION (a name, a folder) or an INDEX, and two models: ranks the judged queries with both, and shows the
    change from the first to the second: the queries that lose and gain most, and in each the documents that moved, with
    the documents that they passed and the terms that made the difference.
    With two RUN files and QRELS, a file or a collection: shows only ranks and grades.
    """
    measure, query_id, k = settings["measure"], settings["query_id"], settings["k"]
    n = None if every else settings["n"]
    listing: dict[str, Any] = {"n": n, "query_id": query_id, "moves": documents or (10 if query_id else 3)}
    index = None
    targets, options = with_collection(targets, options)
    if len(targets) == 1:
        source = targets[0]
        refuse_run(source, "give a second one and the judgments: diff RUN RUN QRELS")
        if len(models) != 2:
            raise click.UsageError(f"give two models to compare, not {len(models)}: --model A --model B")
        named_measures(measure)  # a misspelt measure is reported before anything is ranked
        study = study_of(source, options, models=models, threshold=threshold).ready()
        first, second = (toysearch.Searcher(study.index, model) for model in models)
        listing |= {"queries": study.queries, "k": k or 1000, "threshold": study.threshold}
        result, index = toysearch.diff(first, second, study.qrels, measure, **listing), study.index
    else:
        refuse_model_options(models, k, None, options)
        result = _of_runs(targets, measure, threshold, options, listing)
    if form != "table":
        show(result, form)
        return

    def title(doc_id: str) -> str | None:
        """The title of a document, or its beginning; None if only runs are known."""
        if index is None:
            return None
        number = index.doc_number(doc_id)
        return first_words(index.title(number) or index.text(number), _BEGINNING)

    show(result, form, single=query_id is not None, title=title)


def _of_runs(
    targets: tuple[str, ...], measure: str, threshold: float | None, options: SourceOptions, asked: dict[str, Any]
) -> Any:
    """Two run files against the judgments of a file or a collection."""
    n_runs = len(targets) - (options.qrels is None)
    if n_runs != 2:
        runs = counted(max(0, n_runs), "run")
        raise click.UsageError(f"a diff needs two runs and their judgments, found {runs}: diff RUN RUN QRELS")
    if targets.count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")
    parsed = named_measures(measure)
    study = study_of_runs(targets, threshold, options)
    queries = study.collection.judged_queries if study.collection else None
    first, second = study.runs()
    sized = " ".join(map(str, study.sized(parsed)))
    return toysearch.diff(first, second, study.qrels, sized, queries=queries, threshold=study.stated_threshold, **asked)
