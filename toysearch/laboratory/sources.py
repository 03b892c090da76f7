"""What a user points at, made what is meant: an index, a collection with queries and judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection
from toysearch.corpus.query_sources import QueriesLike, fitted, named_by_text, read_queries
from toysearch.errors import ArgumentError, DataError, a, note
from toysearch.formats.detect_file import look_at
from toysearch.formats.detect_run_or_qrels import kind_of
from toysearch.formats.run_and_qrels import QrelsLike, is_file, judgments_of
from toysearch.formats.text_files import counted
from toysearch.index.index import Index
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.records import Document, Run
from toysearch.search.searcher import Searcher, is_index_folder

__all__ = [
    "Judged",
    "JudgedLike",
    "QrelsLike",
    "QueriesLike",
    "collection_of",
    "holds_documents",
    "is_file",
    "is_index_folder",
    "judged",
    "refuse_strangers",
    "runs_of_models",
    "with_topics",
]

JudgedLike: TypeAlias = "Collection | Index | Searcher | str | os.PathLike[str]"


@dataclass(frozen=True)
class Judged:
    """A collection with queries and judgments; and the index that it was given as, if it was."""

    collection: Collection
    index: Index | None = None


def judged(source: JudgedLike, queries: QueriesLike | None = None, qrels: QrelsLike | None = None) -> Judged:
    """What a source stands for to whoever measures on it: documents, queries and judgments.

    >>> index = Index.build({"d1": "a cat", "d2": "a dog"})
    >>> judged(index, {"q": "cat"}, {"q": {"d1": 1}}).collection
    <Collection index: documents not read yet, 1 query, 1 judgment>
    """
    collection, index = _opened(source, own=queries is None or qrels is None)
    found = with_topics(collection, queries, qrels)
    what = f"the index of {found.name}" if index is not None else found.name
    if not len(found.qrels):
        raise ArgumentError(
            f"{what} has no judgments to score against; give some as qrels, or --qrels FILE, or a collection with some"
        )
    if not len(found.queries):
        raise ArgumentError(f"{what} has no queries; give some as queries, or --queries FILE")
    refuse_strangers(found)
    return Judged(found, index)


def runs_of_models(
    models: Iterable[Model | Mixture],
    index: Index,
    collection: Collection,
    k: int | None = 1000,
    *,
    ties: str | None = None,
    threads: int | None = None,
) -> Iterator[Run]:
    """The run of each model over the judged queries of a collection, made when it is asked for."""
    order = "trec_eval" if ties == "trec_eval" else "rank"
    for model in models:
        yield Searcher(index, model).run(collection.judged_queries, k, ties=order, threads=threads)


def holds_documents(file: str) -> bool:
    """Whether a file holds documents, not a run or judgments; a table of unknown columns is rather that than a run."""
    path = Path(file)
    if not path.is_file() or kind_of(path) is not None:
        return False
    role = look_at(path, path.name).role
    return role == "documents" or (not role and path.name.removesuffix(".gz").endswith((".csv", ".tsv")))


def with_topics(
    collection: Collection,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    *,
    fields: str | None = None,
    columns: str | None = None,
) -> Collection:
    """A collection with the queries and judgments that are given, in the place of its own."""
    if queries is None and qrels is None:
        return collection
    if qrels is None:
        asked = read_queries(queries, fields=fields, columns=columns) if queries is not None else None
        return collection.with_topics(asked)
    grades, threshold = judgments_of(qrels)
    if queries is None:
        topics = named_by_text(collection.queries, grades)
    else:
        topics = fitted(queries, grades, fields, columns, lambda: [document.doc_id for document in collection.stream()])
    if topics.told:
        note(topics.told)
    return collection.with_topics(topics.queries, topics.qrels, threshold)


def refuse_strangers(collection: Collection) -> None:
    """Refuse a collection of which no query is judged."""
    asked, judged_ids = collection.queries.query_ids, collection.qrels.query_ids
    if not any(query_id in collection.qrels for query_id in asked):
        raise DataError(
            f"none of the {counted(len(asked), 'query', 'queries')} of '{collection.name}' is judged: they have ids "
            f"such as '{asked[0]}', the judgments are of queries such as '{judged_ids[0]}'; ids must be equal as texts"
        )


def _opened(source: JudgedLike, own: bool) -> tuple[Collection, Index | None]:
    if isinstance(source, Collection):
        return source, None
    if isinstance(source, Searcher):
        source = source.index
    if isinstance(source, Index):
        return collection_of(source, own=own), source
    if not isinstance(source, str | os.PathLike):
        raise ArgumentError(f"expected a collection (its name, folder or file) or an index, not {a(source)}")
    if is_index_folder(source):
        index = Index.open(Path(source))
        return collection_of(index, Path(source).resolve().name, own=own), index
    return load(source), None


def collection_of(index: Index, name: str = "index", *, own: bool = True) -> Collection:
    """The named collection of an index; of any other its documents, as it keeps them, under a name.

    >>> collection_of(Index.build({"d1": "a cat"})).documents[0].text
    'a cat'
    """
    if index.collection and own:
        return load(index.collection)
    return Collection(index.collection or name, lambda: _stored(index))


def _stored(index: Index) -> Iterator[Document]:
    """The documents of an index, with the texts that were searched."""
    if index.texts is None or index.titles is None:
        raise ArgumentError("the index keeps no texts to be analysed anew; name the collection in its place")
    for number, doc_id in enumerate(index.doc_ids):
        text, title = index.texts[number], index.titles[number]
        yield Document(doc_id, text, title, {"text": text})
