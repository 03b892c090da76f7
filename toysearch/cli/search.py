"""`toysearch search`, `run` and `fuse`: rankings of one query, of all queries, and of several runs together."""

from __future__ import annotations

import glob
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch import retrieval
from toysearch.base import (
    ArgumentError,
    Column,
    ResultTable,
    counted,
)
from toysearch.base.result import Page
from toysearch.cli.commands import command, given_options
from toysearch.cli.options import (
    SourceOptions,
    depth_option,
    judged_options,
    model_option,
    option,
    output_options,
    queries_options,
    query_mode_option,
    reading_of_runs,
    runs_options,
    shared,
)
from toysearch.cli.output import force_option, keeping, progress, remark, show
from toysearch.cli.signatures import description, documented
from toysearch.cli.sources import runs_named, study_of
from toysearch.cli.workers import Workers, spread_work, worker_option
from toysearch.index import is_index_folder
from toysearch.models.calls import WEIGHT, Setting, chosen


def _refuse_conflicts(form: str, text: str, chosen: dict[str, Any]) -> None:
    query_id = chosen["query_id"]
    for name in ("explain", "facets"):
        if chosen[name] and form not in ("table", "json"):
            cannot = "it" if name == "explain" else "them"
            raise click.UsageError(f"--{name} needs a table or JSON; other formats cannot hold {cannot}")
    if (chosen["relevant"] or chosen["not_relevant"]) and given_options(
        ("facets", "where", "sort", "group_by", "offset")
    ):
        raise click.UsageError("--relevant and --not take no filter, order or facets; leave these out")
    if query_id is None and not text.strip() and chosen["where"] is None:
        raise click.UsageError("give a query, or --query-id with the id of a query of the collection")
    if query_id is not None and text:
        raise click.UsageError("give a query or --query-id, not both")


def _one_source(source: str, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Take files before the words as parts of one source, if the shell wrote them for a pattern; refuse others."""
    if not os.path.exists(source) and source not in toysearch.collections():
        return source, words
    files = [word for word in words if _is_path(word)]
    if files and os.path.isfile(source) and [*words[: len(files)]] == files and len(words) > len(files):
        every = [source, *files]
        ending = os.path.splitext(source)[1]
        begin = os.path.commonprefix(every).removesuffix(ending)  # noqa: RUF071 (of names, not of folders)
        pattern = f"{glob.escape(begin)}*{ending}"
        if sorted(glob.glob(pattern)) == sorted(every):
            return pattern, words[len(files) :]
    if not files and len(words) > 1 and _are_alike(source, words[0]):
        files = [words[0]]
    if files:
        of_lines = os.path.isfile(source) and all(file.endswith((".jsonl", ".ndjson")) for file in files)
        join = f"join them ({shlex.join(['cat', source, *files])} > FILE)"
        way = join if of_lines else "give one file, or the folder of the files"
        kind = "folder" if os.path.isdir(files[0]) else "file"
        raise click.UsageError(f"{files[0]} is a {kind}, not a word of the query; {way}, or quote it: '\"{files[0]}\"'")
    return source, words


def _is_path(word: str) -> bool:
    """True if a word is the path of a file or a folder, and neither a mark such as / nor a word such as /home/."""
    if not any(map(str.isalnum, word)) or word[:1] == word[-1:] == "/":
        return False
    return os.path.exists(word) if os.sep in word else "." in word and os.path.isfile(word)


def _are_alike(source: str, word: str) -> bool:
    """True if a source and a word are both folders, or both files without a suffix, as a shell writes them for *."""
    if os.path.isdir(source):
        return os.path.isdir(word) and word.strip(".") != "" and not is_index_folder(source)
    return "." not in source and os.path.isfile(source) and os.path.isfile(word)


_found = documented(toysearch.study.find)


@command(
    'toysearch search cat-dog-parrot "train cat"',
    "toysearch search companions --query-id 12 --model bm25:b=0.4 -k 5",
    "toysearch search companions '\"tick removal\" OR leash* -dog' --explain",
    'toysearch search companions "old dog" --where "topic = health and date > 2010" --facets topic,date',
    'toysearch search cat-dog-parrot "train cat" --formula "tf/(tf+k) * log(N/df)" --set k=1.2',
    text=description(toysearch.study.find),
)
@click.argument("source")
@click.argument("query", nargs=-1)
@model_option
@_found("k", heading="Options")
@_found("query_id")
@query_mode_option("lenient; plain with --query-id")
@_found("correct")
@_found("explain")
@_found("relevant", metavar="ID,…")
@_found("not_relevant", names=["--not"], metavar="ID,…")
@_found("where", heading="Ranking", metavar="FILTER")
@_found("sort", heading="Ranking", metavar="FIELD")
@_found("group_by", heading="Ranking", metavar="FIELD")
@_found("facets", heading="Ranking", metavar="FIELD,…")
@_found("offset", heading="Ranking")
@judged_options
@output_options
def search_command(
    source: str, query: Sequence[str], model: Any, options: SourceOptions, form: str, **chosen: Any
) -> None:
    """Search the source for the query, and show what is found."""
    source, words = _one_source(source, query)
    _refuse_conflicts(form, " ".join(words), chosen)
    if chosen["sort"] and words and words[-1].casefold() in ("asc", "desc"):  # an order, as in SQL
        *words, order = words
        chosen["sort"] += f" {order}"
    study = study_of(source, options, topics=chosen["query_id"] is not None)
    found = toysearch.study.find(study, " ".join(words), model, **chosen)
    show(found, form)


@command(
    "toysearch run companions --model bm25 -o bm25.run",
    "toysearch run companions --model cosine -o - | toysearch eval - companions",
    "toysearch run my-index --queries topics.txt -o bm25.run",
    "toysearch run companions --model bm25 --fingerprint -o bm25.run",
)
@click.argument("source")
@model_option
@shared("output", required=True, stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@depth_option
@option("--tag", help="Name of the run, its last column.  [default: the model's]")
@option("--fingerprint", is_flag=True, help="End the name with a checksum of documents, queries, model and settings.")
@query_mode_option("plain", "Ranking")
@shared("threads")
@worker_option
@queries_options
def run_command(
    source: str,
    model: Any,
    output: str,
    k: int,
    tag: str | None,
    fingerprint: bool,
    threads: int | None,
    workers: Workers,
    options: SourceOptions,
) -> None:
    """Rank every query of a collection and write a TREC run.

    SOURCE is the name of a collection, a folder, a file or an index; its own queries are ranked, or those of --queries.
    Each line is `query Q0 document rank score tag`. The scores are written so that trec_eval, which sorts a run again,
    keeps the ranked order: if necessary, a score is lowered to the next 32-bit number.
    """
    with workers.connected():
        study = study_of(source, options, models=[model])
        index, collection = study.index(), study.collection()
        if collection is None or not len(collection.queries):
            raise ArgumentError(f"{source} has no queries to rank; give some with --queries FILE")
        if len(collection.qrels):
            toysearch.study.tell_own_queries(collection, [model])
        searcher = toysearch.Searcher(index, model)
        with progress("ranking", "queries") as tell:
            spread_work(index, source, tell=tell)
            run = searcher.run(collection.queries, k, query_mode=options.query_mode, name=tag, threads=threads)
        if fingerprint:
            texts = {query.query_id: query.text for query in collection.queries}
            run.name += f"-{toysearch.study.run_fingerprint(searcher, texts, k, options.query_mode)}"
    toysearch.write_run(run, sys.stdout if output == "-" else output)
    remark(f"{counted(len(run.query_ids), 'query', 'queries')}, {counted(len(run), 'ranked document')}, {model}")


def _numbers(_: click.Context, __: click.Parameter, weights: str | None) -> list[float] | None:
    if weights is None:
        return None
    try:
        return [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise click.UsageError(f"--weights takes a number for each run, such as 0.7,0.3; found '{weights}'") from None


def _list_methods(form: str) -> None:
    columns = [Column("method"), Column("formula"), Column("of"), Column("source", wrap=True)]
    rows = [
        [name, method.formula, "scores" if method.by_score else "ranks", method.source]
        for name, method in retrieval.FUSION_METHODS.items()
    ]
    legend = (
        "w weight of a run · n number of runs that have the document · c number of\n"
        "documents that any run has · s normalised score"
    )
    table = ResultTable(columns, rows)
    show(Page([table, legend], table), form)


def _method_of(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a method with its setting, such as rrf:k=20."""
    normalisation = Setting(None, words="a normalisation")
    settings: dict[str, dict[str, Setting]] = {
        name: {"normalise": normalisation} if method.by_score else {}
        for name, method in retrieval.FUSION_METHODS.items()
    }
    settings["rrf"] = {"k": WEIGHT}
    name, how = chosen("method", text, settings)
    if "k" in how:
        how["rrf_k"] = how.pop("k")
    return name, how


def _refuse_fused(runs: Sequence[str], output: str, form: str) -> None:
    if form != "table":
        raise click.UsageError(
            f"--format {form} is for the list of methods; for -o, the ending .json, .csv or .tsv chooses the format"
        )
    for run in runs:
        if output != "-" and Path(output).exists() and Path(run).exists() and Path(output).samefile(run):
            raise click.UsageError(f"'{output}' is one of the runs that are fused; write to another file")


_fused = documented(toysearch.fuse)


@command(
    "toysearch fuse mine.run theirs.run -o fused.run",
    "toysearch fuse mine.run theirs.run --method combsum --weights 0.7,0.3 | toysearch eval - cat-dog-parrot",
    "toysearch fuse mine.run theirs.run --method rrf:k=20 -o fused.run",
    "toysearch fuse",
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@_fused("method", metavar="NAME", help="Fusion method, with its setting.")
@depth_option
@option("--weights", metavar="A,B,…", callback=_numbers, help="Weight of each run, such as 0.7,0.3.  [default: equal]")
@_fused("name", names=["--tag"])
@shared("output", default="-", stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@runs_options
@output_options
def fuse_command(
    runs: Sequence[str],
    method: str,
    k: int,
    weights: list[float] | None,
    name: str | None,
    output: str,
    form: str,
) -> None:
    """Fuse several runs into one TREC run.

    Each RUN is a file in any known format (`toysearch docs runs-and-judgments`); one of them may be - for standard
    input. A query that some run lacks is fused from the others. Equal fused scores keep the order of the first run; the
    scores are written so that every reader keeps the order.

    Methods of ranks are rrf, with its constant as rrf:k=60, isr, logisr and borda. Those of scores, such as combsum,
    take a normalisation too: combsum:normalise=min-max, sum, z-score, rank or none. Without a RUN the methods are
    listed with their formulas, in a --format.
    """
    if not runs and output == "-":
        _list_methods(form)
        return
    _refuse_fused(runs, output, form)
    one, how = _method_of(method)
    given = [run for run, _ in runs_named(runs, reading_of_runs())]
    fused = toysearch.fuse(given, one, k=k, weights=weights, name=name, **how)
    toysearch.write_run(fused, sys.stdout if output == "-" else output)
    n_queries, ranked = counted(len(fused.query_ids), "query", "queries"), counted(len(fused), "ranked document")
    remark(f"{counted(len(runs), 'run')}, {n_queries}, {ranked}, {method}")
