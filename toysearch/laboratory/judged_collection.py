"""The parts of a study, for experiments that do not take one yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toysearch.corpus.collection import Collection
from toysearch.corpus.query_sources import QueriesLike as QueriesLike
from toysearch.formats.runs_and_judgments import QrelsLike as QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.laboratory.study import JudgedLike as JudgedLike
from toysearch.laboratory.study import Study
from toysearch.laboratory.study import refuse_joined_fields as refuse_joined_fields
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model


@dataclass(frozen=True)
class Judged:
    """A collection with queries and judgments, and its index if the source was an index."""

    collection: Collection
    index: Index | None = None


def judged(source: JudgedLike, queries: QueriesLike | None = None, qrels: QrelsLike | None = None) -> Judged:
    """The documents, queries and judgments of a source."""
    study = Study.of(source, queries=queries, qrels=qrels)
    return Judged(study.judged, study.opened)


def tell_doubts(collection: Collection, index: Index, models: Iterable[Model | Mixture] = ()) -> None:
    """Note every error of the judgments that `toysearch check` would report, and rankers learned from them."""
    Study.of(collection, index=index, models=[*models]).ready()


def collection_of(index: Index, name: str = "index", *, own: bool = True) -> Collection:
    """The documents stored in an index."""
    from toysearch.laboratory.study import stored_collection

    assert not own
    return stored_collection(index, name)
