"""Options that several commands share: how a text is analysed, what of a source is read, examples in the help."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

import toysearch
from toysearch.cli.analyzing import analysis_decorators, analyzer_values
from toysearch.errors import ArgumentError

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.corpus.collection import Collection
    from toysearch.index.index import Index
    from toysearch.ranking.mixture import Mixture
    from toysearch.ranking.model import Model
    from toysearch.sources import QrelsLike

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class SourceOptions(NamedTuple):
    """How a source is to be read and analysed; None where the user did not say."""

    language: str | None = None
    stop: str | None = None
    stem: str | None = None
    html: bool | None = None
    fold_accents: bool | None = None
    cjk: bool | None = None
    synonyms: str | None = None
    protect: str | None = None
    numbers: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    ngrams: tuple[int, int] | None = None
    char_ngrams: tuple[int, int] | None = None
    fields: str | None = None
    grades: str | None = None
    split: str | None = None
    input_format: str | None = None
    columns: str | None = None
    query_fields: str | None = None
    query_columns: str | None = None
    qrels_columns: str | None = None
    ids: str | None = None
    on_error: str | None = None
    rejected: str | None = None
    queries: str | None = None
    qrels: str | None = None

    def given(self, *names: str) -> list[str]:
        """Those of the named options that the user gave, written as on the command line."""
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) is not None]

    def reading(self) -> dict[str, Any]:
        """Those of them that say how a source is read, None too, as `toysearch.load` takes them.

        What says how queries or judgments are read is meant for those of --queries and --qrels, where these are given.
        """
        others = _OF_QUERIES if self.queries is not None else ()
        others += _OF_QRELS if self.qrels is not None else ()
        return {name: None if name in others else getattr(self, name) for name in _READING}


_OF_QUERIES: tuple[str, ...] = ("query_fields", "query_columns")
_OF_QRELS: tuple[str, ...] = ("grades", "split", "qrels_columns")
ANALYSIS = SourceOptions._fields[: SourceOptions._fields.index("char_ngrams") + 1]
"""The names of the options that make an analyzer."""

_PART = re.compile(r"[a-z_]+(-[0-9]+)?-[0-9a-f]{16}\.npy")  # a data file of an index
_LANGUAGE = "Stop words and stemmer of a language (english, german …); none: neither.  [default: "
_READING = {
    "fields": click.option(
        "--fields", metavar="A,B", help="Fields that are searched; by default those that the collection names."
    ),
    "columns": click.option(
        "--columns",
        metavar="PART=NAME,…",
        help="Columns or keys that hold a document's id, title, text, such as id=docno,text=body.",
    ),
    "query_fields": click.option(
        "--query-fields", metavar="A,B", help="Fields of a query to search with, such as title,description."
    ),
    "query_columns": click.option(
        "--query-columns",
        metavar="PART=NAME,…",
        help="Columns or keys that hold a query's id and text, such as id=nr,text=question.",
    ),
    "qrels_columns": click.option(
        "--qrels-columns",
        metavar="PART=NAME,…",
        help="Columns or keys of judgments, such as query_id=search,doc_id=product,relevance=points.",
    ),
    "ids": click.option(
        "--ids",
        type=click.Choice(["refuse", "first", "last", "number"]),
        help="Records with a repeated id: refuse, keep the first or the last, or number them.  [default: refuse]",
    ),
    "on_error": click.option(
        "--on-error",
        type=click.Choice(["refuse", "skip"]),
        help="Records of JSON Lines, CSV, TSV that cannot be read: refuse, or skip and count.  [default: refuse]",
    ),
    "rejected": click.option(
        "--rejected", metavar="FILE", help="With --on-error skip: a new file for what was left out, and why."
    ),
    "grades": click.option(
        "--grades",
        metavar="MAPPING",
        help="What the judgments' codes mean, such as binary or graded:minus1=relevant; "
        "`toysearch corpora show NAME` lists them.",
    ),
    "split": click.option("--split", metavar="NAME", help="Which judgments, where there are several: train, test."),
    "input_format": click.option(
        "--input-format",
        metavar="NAME",
        help="Format of the documents, where their content misleads: beir, smart, trec, jsonl, csv, tsv, folder.",
    ),
}


GET = "toysearch.get"
"""Where a command's context keeps whether --get was given."""


def _remember_get(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    """Keep it for the frame, which fetches what is missing whatever command missed it."""
    ctx.meta[GET] = given


_FETCHING = click.option(
    "--get",
    is_flag=True,
    expose_value=False,
    callback=_remember_get,
    help="Fetch the files of a named collection if they are not here, without asking.",
)


_NOT_CHECKED = ("split", "on_error", "rejected")  # every split is looked at, and every record that is wrong is told


def _gathered(options: Sequence[Decorator]) -> Decorator:
    """A decorator that adds options to a command and hands them over as one `SourceOptions`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def gathering(*args: Any, **values: Any) -> Any:
            asked = {name: values.pop(name) for name in SourceOptions._fields if name in values}
            return function(*args, options=SourceOptions(**asked), **values)

        command: Callable[..., Any] = gathering
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


analysis_options = _gathered(analysis_decorators(f"{_LANGUAGE}none]"))
"""Add all that makes an analyzer, from --language on; the command gets it as ``options``, a `SourceOptions`."""

_SOURCE: Sequence[Decorator] = [
    *analysis_decorators(f"{_LANGUAGE}the language that the collection names, else none]"),
    *_READING.values(),
    _FETCHING,
]

source_options = _gathered(_SOURCE)
"""Add the options of a command that takes a SOURCE; the command gets them as ``options``, a `SourceOptions`."""

_TOPICS = {
    "queries": click.option(
        "--queries",
        metavar="FILE",
        help="Queries in the place of its own: a file (topics, CSV, JSON Lines, lines 'id text') or a collection.",
    ),
    "qrels": click.option(
        "--qrels", metavar="QRELS", help="Judgments in the place of its own, or those of RUNs: a file or a collection."
    ),
}

queries_options = _gathered([*_SOURCE, _TOPICS["queries"]])
"""`source_options` and --queries, for a command that uses queries."""

judged_options = _gathered([*_SOURCE, *_TOPICS.values()])
"""`source_options`, --queries and --qrels, for a command that measures."""

runs_options = _gathered([_TOPICS["qrels"]])
"""--qrels alone, for a command that takes run files."""

reading_options = _gathered([*_READING.values(), _FETCHING])
"""Add those of them that say how a SOURCE is read, for a command that analyses nothing."""

checking_options = _gathered([option for name, option in _READING.items() if name not in _NOT_CHECKED] + [_FETCHING])
"""Add those of them for a command that looks at every set of judgments."""


def analyzer_for(options: SourceOptions, language: str | None = None) -> Analyzer:
    """The analyzer that the options ask for."""
    chosen = options.language or language or "none"
    analyzer: Analyzer = toysearch.Analyzer.for_language(chosen, **analyzer_values(options))
    return analyzer


def is_index(source: str) -> bool:
    """Whether a path is the folder of an index: one with a manifest, or with what a killed save has left."""
    folder = Path(source)
    if os.path.lexists(folder / "manifest.json") or not folder.is_dir():
        return os.path.lexists(folder / "manifest.json")
    names = os.listdir(folder)
    return any(map(_PART.fullmatch, names)) and all(
        name.startswith("toysearch-") or _PART.fullmatch(name) for name in names
    )


def load_source(source: str, options: SourceOptions) -> Collection:
    """The collection that a name, a folder or a file stands for, read and judged as the options say."""
    collection: Collection = toysearch.load(source, **options.reading())
    return _judged_as(collection, options) if options.given("queries", "qrels") else collection


def _judged_as(collection: Collection, options: SourceOptions) -> Collection:
    """A collection with the queries and the judgments that --queries and --qrels name, where they do."""
    from toysearch.sources import is_file, with_topics

    qrels: QrelsLike | None = options.qrels
    if options.qrels is not None and is_file(options.qrels):
        qrels = toysearch.read_qrels(options.qrels, options.qrels_columns)
    elif options.qrels is not None:
        read = {name: getattr(options, name) for name in _OF_QRELS}
        qrels = toysearch.load(options.qrels, **read)
    named = {"fields": options.query_fields, "columns": options.query_columns}
    return with_topics(collection, options.queries, qrels, **named)


def open_source(
    source: str, options: SourceOptions, models: Sequence[Model | Mixture] = ()
) -> tuple[Index, Collection | None]:
    """The index of a SOURCE, opened from its folder or built in memory, and the collection behind it."""
    if not is_index(source):
        collection = load_source(source, options)
        needs = toysearch.needs(*models)
        fields = collection.searched_fields if needs.apart else None
        analyzer = analyzer_for(options, collection.language)
        return toysearch.Index.build(collection, analyzer, fields=fields, values=needs.values), collection
    fixed = options.given(*ANALYSIS, "fields", "input_format", "columns")
    if fixed:
        raise ArgumentError(
            f"'{source}' is an index, which stores its own analysis: {' and '.join(fixed)} cannot be chosen here; "
            "leave it out, or name the collection in place of the index"
        )
    index = toysearch.Index.open(source)
    topics = options.given("queries", "qrels")
    if index.collection and len(topics) < 2:
        return index, cast("Collection", Later(lambda: load_source(index.collection, options)))
    if topics:
        from toysearch.sources import collection_of

        return index, _judged_as(collection_of(index, Path(source).resolve().name, own=False), options)
    judged = options.given("grades", "split", "query_fields")
    if judged:
        raise ArgumentError(
            f"the index '{source}' was not built from a named collection and has no judgments: "
            f"{' and '.join(judged)} cannot be chosen here; leave it out, or name a collection in place of the index"
        )
    return index, None


class Later:
    """Stands for a collection that is loaded when it is first asked for anything: most searches never do."""

    def __init__(self, load: Callable[[], Collection]) -> None:
        self._load = load

    @functools.cached_property
    def loaded(self) -> Collection:
        """The collection."""
        return self._load()

    def __getattr__(self, name: str) -> Any:
        """What the collection has under that name."""
        return getattr(self.loaded, name)


def examples(*lines: str) -> str:
    r"""The block of examples at the end of a command's help, for click's `epilog`."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])
