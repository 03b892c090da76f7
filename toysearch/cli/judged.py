"""A collection with judgments as a command's argument: its name, its folder, or an index with queries and judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import toysearch
from toysearch.cli.options import Later, SourceOptions, analyzer_for, is_index, load_source, open_source

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.corpus.collection import Collection
    from toysearch.index.index import Index


@dataclass(frozen=True)
class JudgedSource:
    """A judged collection, with how to analyse it, or with the index that it was given as."""

    collection: Collection
    analyzer: Analyzer | None
    index: Index | None


def judged_source(source: str, options: SourceOptions) -> JudgedSource:
    """The judged collection that a SOURCE stands for; its documents are not read yet."""
    index, analyzer = None, None
    if is_index(source):
        index, collection = open_source(source, options)
    else:
        collection = load_source(source, options)
        analyzer = analyzer_for(options, collection.language)
    return JudgedSource(with_judgments(source, collection), analyzer, index)


def stored_documents(index: Index, collection: Collection) -> Collection:
    """The documents that an index keeps, which may be others than its collection's, with the queries and judgments."""
    from toysearch.sources import collection_of

    stored = collection_of(index, collection.name, own=False)
    return stored.with_topics(collection.queries, collection.qrels, collection.threshold)


def with_judgments(source: str, collection: Collection | None) -> Collection:
    """The collection of a SOURCE, refused where there is nothing to measure with."""
    for name, what, option in (("qrels", "judgments to score against", "qrels"), ("queries", "queries", "queries")):
        if collection is None or not len(getattr(collection, name)):
            raise toysearch.ArgumentError(
                f"{source} has no {what}; give some with --{option}, or a collection that has some"
            )
    from toysearch.sources import refuse_strangers

    found = cast("Collection", collection.loaded if isinstance(collection, Later) else collection)
    refuse_strangers(found)
    return found
