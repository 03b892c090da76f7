"""`toysearch search`: the ranking of one query."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.cli.commands import command, given_options
from toysearch.cli.options import (
    SourceOptions,
    description,
    documented,
    judged_options,
    model_option,
    output_options,
    query_mode_option,
    refuse_if,
)
from toysearch.cli.output import show
from toysearch.cli.sources import study_of
from toysearch.index import is_index_folder


def _one_source(source: str, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Take files before the words as parts of one source, if the shell wrote them for a pattern; refuse others."""
    files = [word for word in words if _is_path(word)]
    alike = [] if files or len(words) < 2 or not _are_alike(source, words[0]) else [words[0]]
    if not (files or alike) or not (os.path.exists(source) or source in toysearch.collections()):
        return source, words
    if files and os.path.isfile(source) and [*words[: len(files)]] == files and len(words) > len(files):
        from toysearch.cli.habits import pattern_of  # few queries begin with files

        if pattern := pattern_of([source, *files]):
            return pattern, words[len(files) :]
    files = files or alike
    way = "give one file, several before the words, or the folder of the files"
    kind = "folder" if os.path.isdir(files[0]) else "file"
    raise click.UsageError(f"{files[0]} is a {kind}, not a word of the query; {way}, or quote it: '\"{files[0]}\"'")


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
@_found("above", heading="Ranking")
@judged_options
@output_options
def search_command(
    source: str, query: Sequence[str], model: Any, options: SourceOptions, form: str, **chosen: Any
) -> None:
    """Search the source for the query, and show what is found."""
    source, words = _one_source(source, query)
    text, query_id = " ".join(words), chosen["query_id"]
    for name, cannot in {"explain": "it", "facets": "them"}.items():
        is_lost = chosen[name] and form not in ("table", "json")
        refuse_if(is_lost, f"--{name} needs a table or JSON; other formats cannot hold {cannot}")
    narrowed = given_options(("facets", "where", "sort", "group_by", "offset"))
    refuse_if(
        narrowed and (chosen["relevant"] or chosen["not_relevant"]),
        "--relevant and --not take no filter, order or facets; leave these out",
    )
    refuse_if(
        query_id is None and not text.strip() and chosen["where"] is None,
        "give a query, or --query-id with the id of a query of the collection",
    )
    refuse_if(query_id is not None and text, "give a query or --query-id, not both")
    if chosen["sort"] and words and words[-1].casefold() in ("asc", "desc"):  # an order, as in SQL
        *words, order = words
        chosen["sort"] += f" {order}"
    study = study_of(source, options, topics=query_id is not None)
    found = toysearch.study.find(study, " ".join(words), model, **chosen)
    show(found, form)
