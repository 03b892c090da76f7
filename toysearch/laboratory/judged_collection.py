"""A judged collection and the systems that rank it, from the sources that a user names."""

from __future__ import annotations

import math
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toysearch.base.errors import ArgumentError, DataError, ToysearchError, a, note, without_notes
from toysearch.base.ranking import Ranking
from toysearch.base.records import Document, Qrels, Run
from toysearch.base.remedies import Remedy
from toysearch.base.wording import counted
from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection
from toysearch.corpus.query_sources import QueriesLike as QueriesLike
from toysearch.corpus.query_sources import fitted, named_by_text, read_queries
from toysearch.formats.detection import is_file
from toysearch.formats.runs_and_judgments import QrelsLike as QrelsLike
from toysearch.formats.runs_and_judgments import RunLike, as_run, is_frame, judgments_of, named_runs
from toysearch.index.inverted_index import Index
from toysearch.index.opened_files import local
from toysearch.models.formula import PREFIX
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model, field_statistic
from toysearch.models.ranker import LearnedModel
from toysearch.models.registry import MODELS, distinct
from toysearch.models.registry import model as find_model
from toysearch.search.searcher import Searcher, index_of
from toysearch.search.searcher import is_index_folder as is_index_folder

if TYPE_CHECKING:
    from toysearch.search.distributed_search import Ranked

JudgedLike: TypeAlias = "Collection | Index | Searcher | str | os.PathLike[str]"


@dataclass(frozen=True)
class Judged:
    """A collection with queries and judgments, and its index if the source was an index."""

    collection: Collection
    index: Index | None = None


def judged(source: JudgedLike, queries: QueriesLike | None = None, qrels: QrelsLike | None = None) -> Judged:
    """The documents, queries and judgments of a source.

    >>> index = Index.build({"d1": "a cat", "d2": "a dog"})
    >>> judged(index, {"q": "cat"}, {"q": {"d1": 1}}).collection
    <Collection index: documents not read yet, 1 query, 1 judgment>
    """
    collection, index = _opened(source, own=queries is None or qrels is None)
    found = with_topics(collection, queries, qrels)
    what = "the index" if index is not None else found.name
    if not len(found.qrels):
        raise ArgumentError(
            f"{what} has no judgments to score against; give some: {Remedy('', qrels=...)}, or a "
            "collection that has some"
        )
    if not len(found.queries):
        raise ArgumentError(f"{what} has no queries; give some: {Remedy('', queries=...)}")
    refuse_strangers(found)
    return Judged(found, index)


def runs_of_models(
    models: Iterable[Model | Mixture],
    index: Index,
    collection: Collection,
    k: int | None = 1000,
    *,
    query_mode: str | None = None,
    ties: str | None = None,
    threads: int | None = None,
    searcher: Callable[[Index, Model | Mixture], Searcher] = Searcher,
    ranked: Ranked | None = None,
) -> Iterator[Run]:
    """The runs of the models over the judged queries of a collection, each made on demand by a kind of searcher.

    ranked: makes the runs of all models elsewhere.
    """
    queries, models = collection.judged_queries, distinct([*models])
    how: dict[str, Any] = {
        "k": k,
        "query_mode": query_mode,
        "ties": "trec_eval" if ties == "trec_eval" else "rank",
        "threads": threads,
    }
    made = None if ranked is None else iter(ranked(models, queries, how))
    for model in models:
        yield searcher(index, model).run(queries, **how) if made is None else next(made)


def _tell_own_queries(model: LearnedModel, collection: Collection) -> None:
    """Note that a ranker was learned from queries that it is about to rank."""
    training = model.ranker.training
    own, asked = training.get("query_ids"), [query_id for query_id, _ in collection.judged_queries]
    if training.get("collection") != collection.name or not isinstance(own, list):
        return
    n = len({str(query_id) for query_id in own} & set(asked))
    if n:
        note(
            f"{model} was learned from {n} of the {counted(len(asked), 'judged query', 'judged queries')}, so its "
            "values are optimistic; learning gives held-out rankings too"
        )


def with_topics(
    collection: Collection,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    *,
    fields: str | None = None,
    columns: str | None = None,
) -> Collection:
    """The collection with the given queries and judgments instead of its own, which are left out."""
    if queries is None and qrels is None:
        return collection
    if qrels is None:
        asked = read_queries(queries, fields=fields, columns=columns) if queries is not None else None
        return _of_given_queries(collection.with_topics(asked), queries)
    grades, threshold = judgments_of(qrels)
    if queries is None:
        topics = named_by_text(collection.queries, grades)
    else:
        topics = fitted(queries, grades, fields, columns, lambda: [document.doc_id for document in collection.stream()])
    if topics.told:
        note(topics.told)
    kept = None if _name_one_collection(queries, qrels) else queries
    return _of_given_queries(collection.with_topics(topics.queries, topics.qrels, threshold), kept)


def _name_one_collection(queries: object, qrels: object) -> bool:
    """Whether queries and judgments are those of one collection, given as a whole."""
    return queries is qrels or (isinstance(qrels, Collection) and str(queries) in (qrels.name, str(qrels.folder)))


def _of_given_queries(collection: Collection, queries: QueriesLike | None) -> Collection:
    """The collection without judgments of queries that are not among those given: they were not asked."""
    judged_ids = collection.qrels.query_ids
    asked = [query_id for query_id in judged_ids if collection.queries.get(query_id) is not None]
    if queries is None or not asked or len(asked) == len(judged_ids):
        return collection
    found = copy(collection)
    found.qrels = collection.qrels.of_queries(asked)
    found.unasked = len(judged_ids) - len(asked)
    return found


def refuse_strangers(collection: Collection) -> None:
    """Refuse a collection without a judged query; note it if only some of the judged queries are asked."""
    asked, judged_ids = collection.queries.query_ids, collection.qrels.query_ids
    if collection.unasked:
        given, all_judged = len(judged_ids), len(judged_ids) + collection.unasked
        are, these = ("is", "this one") if given == 1 else ("are", f"these {given}")
        note(f"{given} of {all_judged} judged queries {are} given; every mean is over {these}")
    if not any(query_id in collection.qrels for query_id in asked):
        raise DataError(
            f"none of the {counted(len(asked), 'query', 'queries')} of '{collection.name}' is judged: their ids "
            f"are such as '{asked[0]}', the judged ids such as '{judged_ids[0]}'; ids must be equal as texts"
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
    source = local(source)
    if is_index_folder(source):
        index = Index.open(Path(source))
        return collection_of(index, Path(source).resolve().name, own=own), index
    return load(source), None


def collection_of(index: Index, name: str = "index", *, own: bool = True) -> Collection:
    """The named collection of an index; without one, the documents stored in the index, under a name.

    >>> collection_of(Index.build({"d1": "a cat"})).documents[0].text
    'a cat'
    """
    if index.collection and own:
        return load(index.collection)
    found = Collection(index.collection or name, lambda: _stored(index))
    if index.folder is not None:
        found.read_from = str(index.folder.absolute()), {}
    return found


def _stored(index: Index) -> Iterator[Document]:
    """The documents of an index, with the indexed texts."""
    if index.texts is None or index.titles is None:
        raise ArgumentError("the index stores no texts to analyse again; name the collection instead")
    for number, doc_id in enumerate(index.doc_ids):
        text, title = index.texts[number], index.titles[number]
        yield Document(doc_id, text, title, {"text": text})


_MOST = 1000  # queries to rank, and judgments to look up
_DEPTH = 50  # ranks to check
_FEW = 0.05  # a smaller share of judgments of missing documents hardly changes the figures


def tell_doubts(collection: Collection, index: Index, models: Iterable[Model | Mixture] = ()) -> None:
    """Note every error of the judgments that `toysearch check` would report, and rankers learned from them."""
    for sentence in [*_doubts(collection, index), *_missing_documents(collection, index)]:
        note(sentence)
    tell_own_queries(collection, models)


def tell_own_queries(collection: Collection, models: Iterable[Model | Mixture]) -> None:
    """Note which rankers were learned from judged queries of a collection."""
    for model in models:
        for ranker in (model, *getattr(model, "rankers", ())):
            if isinstance(ranker, LearnedModel):
                _tell_own_queries(ranker, collection)


def _doubts(collection: Collection, index: Index) -> list[str]:
    """The errors that show in a ranking, such as reversed grades; none for judgments verified by the catalog."""
    if collection.vouched:
        return []
    from toysearch.evaluation.judgment_doubts import doubts

    # The ranking is always that of plain BM25, whatever model is measured, so that every command reports the same.
    with without_notes():  # the notes of a search appear when the systems search
        run = Searcher(index, MODELS["bm25"]).run(list(collection.judged_queries)[:_MOST], _DEPTH)
    return doubts(run, collection.qrels, collection.queries.query_ids)


def _missing_documents(collection: Collection, index: Index) -> list[str]:
    """A sentence if many judgments are of documents that the index lacks; a large set of judgments is sampled."""
    doc_ids = collection.qrels.doc_ids[:: math.ceil(len(collection.qrels) / _MOST) or 1]
    order = index.doc_ids_order
    absent = [doc_id for doc_id in doc_ids if index.doc_ids.find(doc_id, order) < 0]
    if len(absent) < _FEW * len(doc_ids) or not absent:
        return []
    otherwise = {unicodedata.normalize(form, doc_id) for doc_id in absent for form in ("NFC", "NFD")}
    why = "Is it another edition?"
    if any(index.doc_ids.find(doc_id, order) >= 0 for doc_id in otherwise):
        why = "The index has this id with accents encoded differently (NFC or NFD): encode both in the same way."
    return [
        f"missing documents: {len(absent)} of {counted(len(doc_ids), 'judgment')} looked up are of documents that are "
        f"not in the index, such as '{absent[0]}'. A relevant one counts as not found for every system. {why}"
    ]


SystemLike: TypeAlias = RunLike | Callable[..., Any] | Model | Mixture
SystemsLike: TypeAlias = Mapping[str, SystemLike] | Iterable[SystemLike]

DEPTH = 1000
"""The default number of documents that models rank per query."""

_Found = Model | Mixture | None


class JudgedRuns(NamedTuple):
    """Runs with their names, their judgments, and what is known of the collection."""

    runs: list[tuple[str, Run]]
    qrels: Qrels
    threshold: float | None  # the lowest relevant grade
    n_documents: int | None = None


def refuse_joined_fields(index: Index, models: Iterable[Model | Mixture]) -> None:
    """Refuse a model that weights fields separately on an index that counts them together."""
    for model in [] if index.fields.names else models:
        parts = [part for each in model.models for part in map(field_statistic, each.statistics) if part]
        if parts:
            fields = " and ".join(dict.fromkeys(field for _, field in parts))
            raise ArgumentError(
                f"{model} weights its fields separately ({fields}), but this index counts all fields together; build "
                f"it again with separate fields: {Remedy('Index.build', fields=...)}"
            )


def systems_of(
    systems: SystemsLike,
    source: QrelsLike | JudgedLike,
    *,
    index: JudgedLike | None = None,
    queries: QueriesLike | None = None,
    k: int | None = DEPTH,
    ties: str | None = None,
    threads: int | None = None,
    client: Any = None,
) -> JudgedRuns:
    """The systems as runs: models rank the judged queries, runs are used as they are."""
    can_rank = index is not None or _holds_documents(source)
    systems = systems if _is_single(systems) else list(systems)
    named = _named(systems)
    found = [_model(value, can_rank) for _, value in named]
    models = [each for each in found if each is not None]
    if not models:
        if any(each is not None for each in (index, queries, threads, client)) or k != DEPTH:
            raise ArgumentError(
                "index, queries, k, threads and client apply only to models; runs are compared as they are"
            )
        return JudgedRuns(named_runs(systems), *judgments_of(source))  # type: ignore[arg-type]
    if not can_rank:
        raise ArgumentError(
            f"'{models[0]}' is a model, which needs documents to rank; give a collection or an index instead of the "
            "judgments, or add index=…"
        )
    if _holds_documents(source):
        what = judged(source, queries)  # type: ignore[arg-type]
        searched = index if index is not None else what.index or what.collection
    else:
        what = judged(index, queries, source)  # type: ignore[arg-type]
        searched = what.index or what.collection
    if isinstance(searched, str | os.PathLike) and not is_index_folder(searched := local(searched)):
        searched = load(searched, topics=False)
    documents = searched if isinstance(searched, Collection) else None
    searched = index_of(searched, *models)
    refuse_joined_fields(searched, models)
    tell_doubts(what.collection, searched, models)
    runs = []
    with _ranking(client, searched, documents) as by_workers:
        ranked = runs_of_models(models, searched, what.collection, k, ties=ties, threads=threads, ranked=by_workers)
        for (name, value), model in zip(named, found, strict=True):
            run = as_run(value) if model is None else next(ranked)
            runs.append((run.name if name is None else name, run))
    return JudgedRuns(runs, what.collection.qrels, what.collection.threshold, len(searched))


class JudgedSearchers(NamedTuple):
    """Searchers of several models over one index, and the collection with the queries and the judgments."""

    searchers: list[Searcher]
    collection: Collection


def searchers_of(
    systems: Sequence[Any], source: QrelsLike | JudgedLike, queries: QueriesLike | None = None
) -> JudgedSearchers | None:
    """The searchers of systems that are models, over a source of documents; None for runs and searchers."""
    found = [None if isinstance(each, Searcher) else _model(each, _holds_documents(source)) for each in systems]
    models = [each for each in found if each is not None]
    if not models or len(models) < len(found):
        return None
    if not _holds_documents(source):
        raise ArgumentError(
            f"'{models[0]}' is a model, which needs documents to rank; give a collection or an index instead of the "
            "judgments"
        )
    what = judged(source, queries)  # type: ignore[arg-type]
    index = what.index or index_of(what.collection, *models)
    refuse_joined_fields(index, models)
    tell_doubts(what.collection, index, models)
    return JudgedSearchers([Searcher(index, model) for model in models], what.collection)


def is_model(text: str) -> bool:
    """Whether a text is that of a model.

    >>> is_model("rm3(bm25)"), is_model("companions")
    (True, False)
    """
    try:
        return find_model(text) is not None
    except ToysearchError:
        return False


def _ranking(client: Any, index: Index, documents: Collection | None) -> AbstractContextManager[Ranked | None]:
    """What makes runs by workers, if there is a client; documents: those that the index was built from just now."""
    if client is None:
        return nullcontext()
    from toysearch.search.distributed_search import ranking  # most systems rank here

    return ranking(client, index, documents)


def _is_single(systems: object) -> bool:
    """Whether this is one run, systems by name, or something else instead of a list of systems."""
    single = isinstance(systems, str | Path | Run | Qrels | Ranking | Mapping) or is_frame(systems)
    return single or not isinstance(systems, Iterable)


def _named(systems: SystemsLike) -> list[tuple[str | None, Any]]:
    """Systems with the names from a mapping, or without names from a list; empty for a single unnamed one."""
    if isinstance(systems, Mapping):
        return [(str(name), value) for name, value in systems.items()]
    return [] if _is_single(systems) else [(None, value) for value in systems]


def _model(value: Any, can_rank: bool) -> _Found:
    """The model of a system; None for a run."""
    if isinstance(value, Model | Mixture):
        return value
    if not isinstance(value, str):
        is_function = callable(value) and not isinstance(value, type | Mapping) and not is_frame(value)
        return find_model(value) if is_function else None
    if value == "-" or Path(value).is_file():
        return None
    try:
        return find_model(value)
    except ToysearchError:
        if value.startswith(PREFIX) or ".py:" in value or (can_rank and not is_file(value)):
            raise
        return None  # reading it as a run reports the missing file


def _holds_documents(source: object) -> bool:
    """Whether a source is a collection or an index, or the name or the folder of one."""
    if isinstance(source, str | os.PathLike):
        return not is_file(Path(source) if isinstance(source, os.PathLike) else source)
    return isinstance(source, Collection | Index | Searcher)
