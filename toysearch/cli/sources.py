"""A SOURCE as an index and a collection, with its judgments."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import toysearch
from toysearch.cli.options import ANALYSIS, OF_QRELS, OF_QUERIES, SourceOptions, analyzer_for
from toysearch.errors import ArgumentError

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.corpus.collection import Collection
    from toysearch.index.inverted_index import Index
    from toysearch.laboratory.judged_collection import QrelsLike
    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model

_PART = re.compile(r"[a-z_]+(-[0-9]+)?-[0-9a-f]{16}\.npy")  # a data file of an index


def is_index(source: str) -> bool:
    """Whether a path is the folder of an index: one with a manifest, or with leftovers of a killed save."""
    folder = Path(source)
    if os.path.lexists(folder / "manifest.json") or not folder.is_dir():
        return os.path.lexists(folder / "manifest.json")
    names = os.listdir(folder)
    return any(map(_PART.fullmatch, names)) and all(
        name.startswith("toysearch-") or _PART.fullmatch(name) for name in names
    )


_OF_TOPICS = ("queries", "qrels", *OF_QUERIES, *OF_QRELS, "on_error", "rejected")


def load_source(source: str, options: SourceOptions, topics: bool = True) -> Collection:
    """The collection of a name, a folder or a file, read and judged according to the options."""
    # Without topics only its documents are read, unless an option concerns its queries or judgments.
    topics = topics or bool(options.given(*_OF_TOPICS))
    collection: Collection = toysearch.load(source, topics=topics, **options.reading())
    return _judged_as(collection, options) if options.given("queries", "qrels") else collection


def _judged_as(collection: Collection, options: SourceOptions) -> Collection:
    """A collection with the queries of --queries and the judgments of --qrels, if given."""
    from toysearch.laboratory.judged_collection import is_file, with_topics

    qrels: QrelsLike | None = options.qrels
    if options.qrels is not None and is_file(options.qrels):
        qrels = toysearch.read_qrels(options.qrels, options.qrels_columns)
    elif options.qrels is not None:
        read = {name: getattr(options, name) for name in OF_QRELS}
        qrels = toysearch.load(options.qrels, **read)
    named = {"fields": options.query_fields, "columns": options.query_columns}
    return with_topics(collection, options.queries, qrels, **named)


def open_source(
    source: str, options: SourceOptions, models: Sequence[Model | Mixture] = (), *, topics: bool = True
) -> tuple[Index, Collection | None]:
    """The index of a SOURCE, opened from its folder or built in memory, and the collection behind it."""
    from toysearch.models.mixture import needs

    if not is_index(source):
        collection = load_source(source, options, topics)
        needed = needs(*models)
        fields = collection.searched_fields if needed.apart else None
        analyzer = analyzer_for(options, collection.language)
        return toysearch.Index.build(collection, analyzer, fields=fields, values=needed.values), collection
    fixed = options.given(*ANALYSIS, "fields", "input_format", "columns")
    if fixed:
        raise ArgumentError(
            f"'{source}' is an index, which stores its own analysis: {' and '.join(fixed)} cannot be chosen here; "
            "leave it out, or name the collection instead of the index"
        )
    index = toysearch.Index.open(source)
    named = options.given("queries", "qrels")
    if index.collection and len(named) < 2:
        return index, cast("Collection", Later(lambda: load_source(index.collection, options)))
    if named:
        from toysearch.laboratory.judged_collection import collection_of

        return index, _judged_as(collection_of(index, Path(source).resolve().name, own=False), options)
    judged = options.given("grades", "split", "query_fields")
    if judged:
        raise ArgumentError(
            f"the index '{source}' was not built from a named collection and has no judgments: "
            f"{' and '.join(judged)} cannot be chosen here; leave it out, or name a collection instead of the index"
        )
    return index, None


class Later:
    """A placeholder for a collection that is loaded on first use: most searches never need it."""

    def __init__(self, load: Callable[[], Collection]) -> None:
        self._load = load

    @functools.cached_property
    def loaded(self) -> Collection:
        """The collection."""
        return self._load()

    def __getattr__(self, name: str) -> Any:
        """The attribute of the collection."""
        return getattr(self.loaded, name)


@dataclass(frozen=True)
class JudgedSource:
    """A judged collection with its analyzer, or with its index if that was given."""

    collection: Collection
    analyzer: Analyzer | None
    index: Index | None


def judged_source(source: str, options: SourceOptions) -> JudgedSource:
    """The judged collection of a SOURCE; its documents are not read yet."""
    index, analyzer = None, None
    if is_index(source):
        index, collection = open_source(source, options)
    else:
        collection = load_source(source, options)
        analyzer = analyzer_for(options, collection.language)
    return JudgedSource(with_judgments(source, collection), analyzer, index)


def stored_documents(index: Index, collection: Collection) -> Collection:
    """The documents of an index, which may differ from its collection, with the queries and judgments."""
    from toysearch.laboratory.judged_collection import collection_of

    stored = collection_of(index, collection.name, own=False)
    return stored.with_topics(collection.queries, collection.qrels, collection.threshold)


def with_judgments(source: str, collection: Collection | None) -> Collection:
    """The collection of a SOURCE, refused if it lacks queries or judgments."""
    for name, what, option in (("qrels", "judgments to score against", "qrels"), ("queries", "queries", "queries")):
        if collection is None or not len(getattr(collection, name)):
            raise ArgumentError(f"{source} has no {what}; give some with --{option}, or a collection that has some")
    from toysearch.laboratory.judged_collection import refuse_strangers

    found = cast("Collection", collection.loaded if isinstance(collection, Later) else collection)
    refuse_strangers(found)
    return found
