"""Study: what is read, the index built of it, and the ranking and scoring of systems, decided in one place."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import toysearch.index
import toysearch.models
import toysearch.retrieval
from toysearch.base import (
    ArgumentError,
    DataError,
    Document,
    JoinedText,
    Query,
    Remedy,
    ToysearchError,
    a,
    agreeing,
    counted,
    expect_finite,
    listed,
    note,
    without_notes,
)
from toysearch.files import Reading

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
    from toysearch.base import Qrels, Run
    from toysearch.collection.collection import Collection
    from toysearch.collection.queries import QueriesLike
    from toysearch.evaluation import Measure
    from toysearch.files import Graded, QrelsLike, RunLike
    from toysearch.index.inverted_index import Index
    from toysearch.models import Model, ModelLike, Ranker
    from toysearch.retrieval import Searcher
    from toysearch.study.system import IndexedAs, ModelOrSystem, System

DEPTH = 1000
"""Default number of documents that models rank per query."""

DocumentsLike: TypeAlias = "Collection | Index | Searcher | str | os.PathLike[str]"
JudgedLike: TypeAlias = "Study | Collection | Index | Searcher | str | os.PathLike[str]"
SystemLike: TypeAlias = "RunLike | Callable[..., Any] | Model | Ranker | System"
SystemsLike: TypeAlias = "Mapping[str, SystemLike] | Iterable[SystemLike]"


_PATH = str, os.PathLike
_ORDER = "; the systems come first, then the collection, as in compare(['bm25', 'dph'], collection)"


def opened_index(source: Any) -> Index | None:
    """Return the index that a source is, by itself or by its folder; None if it is documents."""
    if isinstance(source, _PATH):
        return toysearch.Index.open(str(source)) if toysearch.index.is_index_folder(source) else None
    if source is None or isinstance(source, toysearch.Collection):
        return None  # scoring runs needs no engine, so none is loaded
    index = source.index if isinstance(source, toysearch.Searcher) else source
    return index if isinstance(index, toysearch.Index) else None


class StudySource(NamedTuple):
    """What a study is of, as it was given."""

    source: DocumentsLike | None  # None if only runs are scored, against given judgments
    queries: QueriesLike | None = None  # instead of those of the source
    qrels: QrelsLike | None = None  # instead of those of the source
    reading: Reading = Reading()  # how the source is read
    query_reading: Reading = Reading()  # how queries that are given are read
    topics: bool = True  # false if neither queries nor judgments are read
    analysis: AnalyzerLike | Mapping[str, Any] | None = None  # or some settings: the others are those of the collection

    @property
    def name(self) -> str:
        """Name of the source in messages."""
        if isinstance(self.source, _PATH):
            return str(self.source)
        collection = self.qrels if self.source is None else self.source
        return collection.name if isinstance(collection, toysearch.Collection) else "the index"


class _Read:
    """What is read of a source, each part at its first use."""

    def __init__(self, given: StudySource) -> None:
        self.given = given
        self.opened = cache(lambda: opened_index(given.source))

    @cached_property
    def own(self) -> Collection | Index | None:
        """Source without the queries and judgments that are replaced; an index without a collection is itself."""
        given, source = self.given, self.given.source
        if source is None:
            return given.qrels if isinstance(given.qrels, toysearch.Collection) else None
        if isinstance(source, toysearch.Collection):
            return source
        queries, qrels = given.queries is not None, given.qrels is not None
        topics: bool | str = given.topics
        if queries:
            from toysearch.collection.queries import lists_ids  # most searches take the queries of the collection

            queries = not lists_ids(given.queries)
        if queries or qrels:  # replaced parts are not read
            topics = False if queries and qrels else "qrels" if queries else "queries"
        index = self.opened()
        read = source if index is None else topics and index.collection
        if read:
            from toysearch.collection.catalog import collection_of  # documents in memory need no catalog

            return collection_of(read, given.reading, topics)  # type: ignore[arg-type]
        if index is None or topics is given.topics:
            return index
        return stored_collection(
            index, os.path.basename(os.path.realpath(source)) if isinstance(source, _PATH) else "index"
        )

    @cached_property
    def graded(self) -> Graded:
        """Judgments that were given, with the threshold of their collection."""
        from toysearch.evaluation.given_judgments import judgments_of  # a search needs no judgments

        return judgments_of(self.given.qrels)  # type: ignore[arg-type]

    @cached_property
    def collection(self) -> Collection | None:
        """Documents with queries and judgments, its own or those that replace them; None if there is no collection."""
        documents, queries, qrels = self.own, self.given.queries, self.given.qrels
        if not isinstance(documents, toysearch.Collection):
            return None
        if self.given.source is None or (queries is None and qrels is None):
            return documents
        from toysearch.collection.judged_queries import are_texts, by_other_names, refuse_hits
        from toysearch.collection.queries import (  # most searches need no topics
            Topics,
            chosen,
            fitted,
            lists_ids,
            named_by_text,
            queries_given,
        )

        how = self.given.query_reading
        if lists_ids(queries) and len(documents.queries):
            queries = chosen(queries, documents.queries)  # type: ignore[arg-type]
        if qrels is None:
            topics = queries_given(queries, how)  # type: ignore[arg-type]
            matched = (
                named_by_text(topics, documents.qrels) if len(documents.qrels) else Topics(topics, documents.qrels)
            )
            asked_of = documents.with_topics(matched.queries)
            if matched.remark:
                asked_of.qrels = matched.qrels
                note(matched.remark)
            return _without_unasked(asked_of, queries)
        grades, threshold = self.graded
        if queries is None:
            if self.opened() is None and not len(documents.queries) and are_texts(grades.query_ids):
                of_each = ({"text": one.text, **one.fields} for one in documents.stream())
                refuse_hits(documents.name, of_each, grades.query_ids)
            matched = named_by_text(documents.queries, grades)
        else:
            matched = fitted(queries, grades, how, lambda: [document.doc_id for document in documents.stream()])
        judged, named, index = matched.qrels, "", self.opened()
        if index is None or index.texts is not None:
            names = ((one.doc_id, {"title": one.title, "text": one.text, **one.fields}) for one in documents.stream())
            are_files = documents.reading is not None and bool(documents.reading.name)
            with without_notes():
                judged, named = by_other_names(judged, names, are_files=are_files)
        for remark in filter(None, (matched.remark, named)):
            note(remark)
        is_whole = isinstance(qrels, toysearch.Collection) and str(queries) in (qrels.name, str(qrels.folder))
        asked = None if queries is qrels or is_whole else queries
        return _without_unasked(documents.with_topics(matched.queries, judged, threshold), asked)


class Scoring(NamedTuple):
    """Settings by which systems rank and their rankings are scored."""

    k: int | None = DEPTH  # documents that models rank per query; None for all that match
    threshold: float | None = None  # the lowest relevant grade; None: that of the judgments
    ties: str | None = None  # the order of equal scores, as `evaluate` takes it
    query_mode: str | None = None  # mode of reading the texts of queries, as in `Searcher.run`; None for words
    threads: int | None = None  # of a search; by default one per core
    above: float | None = None  # leave out documents whose score is not above this number


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """What is read, the index built of it, and the ranking and scoring of systems; an experiment varies one of them.

    A call reads or builds; what it has read or built once is kept, and a variant shares all that it leaves unchanged.

    >>> study = Study.of("cat-dog-parrot").with_models(["bm25"])
    >>> study.threshold(), len(study.queries()), study.run("bm25")
    (0.5, 3, <Run 'bm25' of 3 queries: 12 ranked documents>)
    >>> study.with_index(analyzer="english").analyzer().stem
    'english'
    """

    given: StudySource
    read: _Read  # of what is given, with queries and judgments
    opened: Callable[[], Index | None]  # an index that was given; None if one is built
    indexed: Callable[[], Collection | None]  # the collection whose documents an index is built from
    replaced: Sequence[Document] | None = None  # documents to index instead, with the same ids
    named_fields: Iterable[str] | None = ()  # the fields that queries name; None if they may name any
    valued_fields: Iterable[str] = ()  # those whose values order, group or count documents
    models: tuple[ModelOrSystem, ...] = ()  # that rank, and that the index must serve; a system has its own
    built: list[Index] = field(default_factory=list)  # the indexes built so far, which variants with other models share
    of_systems: dict[IndexedAs, dict[str, Any]] = field(default_factory=dict)  # and what systems have of their own
    scoring: Scoring = field(default_factory=Scoring)
    fixed_runs: Sequence[Run] = ()  # that are scored; without one, models rank
    told: bool = False  # true if doubts about the judgments have been noted

    @classmethod
    def of(
        cls, source: JudgedLike | StudySource, queries: QueriesLike | None = None, qrels: QrelsLike | None = None
    ) -> Study:
        """Make the study of a source of documents, or another study, perhaps with other queries and judgments."""
        if isinstance(source, Study):
            return source if queries is None and qrels is None else source.with_topics(queries, qrels)
        given = source if isinstance(source, StudySource) else StudySource(source, queries, qrels)
        is_known = source is given or isinstance(source, _PATH)
        if not (is_known or isinstance(source, toysearch.Collection | toysearch.Index | toysearch.Searcher)):
            raise ArgumentError(f"expected a collection (its name, folder or file) or an index, not {a(source)}")
        read = _Read(given)
        return cls(given, read, read.opened, indexed=lambda: read.collection)

    @classmethod
    def of_judgments(
        cls, source: QrelsLike | JudgedLike, index: DocumentsLike | None = None, queries: QueriesLike | None = None
    ) -> Study:
        """Make the study of a collection or an index, or of judgments, to which an index may give the documents."""
        if isinstance(source, Study) or holds_documents(source):
            return cls.of(source, queries).with_index(index)  # type: ignore[arg-type]
        return cls.of(StudySource(index, queries, source))  # type: ignore[arg-type]

    def collection(self) -> Collection | None:
        """Return the documents with their queries and judgments; None if there is no collection."""
        return self.read.collection

    def with_topics(self, queries: QueriesLike | None = None, qrels: QrelsLike | None = None) -> Study:
        """Return the study with other queries or judgments on the same documents; None leaves them."""
        known = self.given
        source = None if known.source is None else self.read.own
        queries, qrels = known.queries if queries is None else queries, known.qrels if qrels is None else qrels
        read = _Read(known._replace(source=source, queries=queries, qrels=qrels))
        return replace(self, given=read.given, read=read)

    def with_known_items(self, items: Collection) -> Study:
        """Return the study with the known items of its documents, and the fields that these leave to a search."""
        read = _Read(self.given._replace(source=items, queries=None, qrels=None, topics=True))
        return replace(self, built=[], of_systems={}, given=read.given, read=read, indexed=lambda: items)

    def with_texts(self, queries: Iterable[Query]) -> Study:
        """Return the study with other texts of some of its queries, which stay texts of their needs."""
        return self.with_topics(self.judged().queries.with_texts(queries))

    def with_index(
        self,
        index: DocumentsLike | None = None,
        analyzer: AnalyzerLike | Mapping[str, Any] | None = None,
        documents: Sequence[Document] | None = None,
    ) -> Study:
        """Return the study with a given index, or one by another analyzer or of other texts; None leaves them."""
        changes = dict[str, Any]()
        if index is not None:
            changes["opened"] = cache(lambda: opened_index(index))
        if isinstance(index, (*_PATH, toysearch.Collection)):
            changes["indexed"] = cache(lambda: toysearch.load(index, topics=False))
        if analyzer is not None:
            changes["given"] = self.given._replace(analysis=analyzer)
        if documents is not None:
            changes["replaced"] = documents
            changes.setdefault("given", self.given._replace(analysis=self.analyzer()))
        return replace(self, built=[], of_systems={}, **changes) if changes else self

    def with_models(self, models: Iterable[ModelLike | System]) -> Study:
        """Return the study with the models that rank, for which the index has the statistics they need, or systems."""
        ranked = [ranked_of(model) for model in models]
        if any(map(is_system, ranked)):
            from toysearch.study.system import distinct  # most studies have models alone

            return replace(self, models=tuple(distinct(ranked)))
        return replace(self, models=tuple(ranked if len(ranked) < 2 else toysearch.models.distinct(ranked)))  # type: ignore[arg-type]

    def of_system(self, ranked: ModelOrSystem) -> Study:
        """Return the study of one system: with its analysis, its fields or its index; itself if all have the same.

        Systems with the same analysis, fields and index share the index.
        """
        own = indexed_as(ranked)
        if not any(map(is_system, self.models)) and not own:
            return self
        if own and own not in self.of_systems:
            self.of_systems[own] = self._changes(own)
        changes = {**self.of_systems[own]} if own else {}
        models = tuple(model_in(one) for one in self.models if indexed_as(one) == own)
        given = self.given._replace(analysis=changes.pop("analysis", self.given.analysis))
        return replace(self, given=given, models=models, of_systems={}, **changes)

    def _changes(self, own: IndexedAs) -> dict[str, Any]:
        """Return the fields of the study that a system has of its own, with the list of its indexes."""
        changes: dict[str, Any] = {"built": []}
        if own.index is not None:
            is_source = isinstance(own.index, str) and own.index == str(self.given.source)
            changes["opened"] = self.opened if is_source else cache(lambda: _saved_index(own.index))
        if own.analysis is not None:
            changes["analysis"] = dict(own.analysis) if isinstance(own.analysis, tuple) else own.analysis
            stored = self.opened()
            if stored is not None and changes["analysis"] != stored.analyzer:
                raise ArgumentError(
                    f"an index stores its own analysis, here {stored.analyzer}: systems with another one need the "
                    "collection; name it instead of the index"
                )
        if own.fields:
            if self.opened() is not None:
                raise ArgumentError(
                    f"an index stores the fields that are searched: {','.join(own.fields)} cannot be chosen on it; "
                    "name the collection instead of the index"
                )
            searched = self.searched()
            if searched.known_items == "title":
                raise ArgumentError(
                    "known items by title leave the title out of a search: leave out the fields "
                    f"{','.join(own.fields)}, or make the known items by sentence or words"
                )
            from toysearch.collection.catalog import with_fields  # few systems have their own

            changes["indexed"] = cache(lambda: with_fields(searched, own.fields))
        return changes

    def of_run(self, name: str) -> Study:
        """Return the study of the system whose run has this name; that of the first for any other run."""
        ranked = next((one for one in self.models if str(one) == name), self.models[0] if self.models else None)
        return self if ranked is None else self.of_system(ranked)

    def searcher(self, ranked: ModelOrSystem) -> Searcher:
        """Return the searcher of a model or a system, in the index of its own analysis."""
        return toysearch.Searcher(self.of_system(ranked).index(), model_in(ranked))

    def indexes(self) -> dict[str, Index]:
        """Return the index of each system by its name."""
        return {str(one): self.of_system(one).index() for one in self.models}

    def analyses(self) -> list[Analyzer]:
        """Return the analysis of each system, each once."""
        return list(dict.fromkeys(self.of_system(one).analyzer() for one in self.models)) or [self.analyzer()]

    def with_scoring(self, **changes: Any) -> Study:
        """Return the study with some fields of `Scoring` changed; None leaves them, except for k."""
        changes = {name: value for name, value in changes.items() if value is not None or name == "k"}
        expect_finite(changes.get("threshold"), "the threshold")
        return replace(self, scoring=self.scoring._replace(**changes))

    def index(self) -> Index:
        """Return the index that was given, or the first one built that serves the models, or build it.

        Of systems, that of the first.
        """
        if (first := self._of_first()) is not self:
            return first.index()
        given = self.opened() if self.replaced is None else None
        models = [*map(model_in, self.models)]
        if given is not None:
            refuse_joined_fields(given, models)
            return given
        analyzer = self.built[0].analyzer if self.built else self._chosen_analyzer()
        collection, named_fields = self.searched(), self.named_fields
        needs = toysearch.models.index_needs(*models)
        apart = bool(collection.separate_fields(needs.apart))
        for index in self.built:
            kept = {*map(str.casefold, index.values)}
            if (index.fields.names or not apart) and kept.issuperset(map(str.casefold, needs.values)):
                return index
        values, positions = needs.values, False
        if named_fields is None or not {*named_fields} <= {*collection.searched_fields} or self.valued_fields:
            from toysearch.index.stored_values import every_field  # most queries name no field
            from toysearch.models.rankers import parts_of

            unsearched = every_field(collection, self.valued_fields)
            if named_fields is not None:  # an unknown one is refused with the names of all
                named = {*map(str.casefold, [*named_fields, *self.valued_fields])}
                known = {*map(str.casefold, [*unsearched, *collection.searched_fields])}
                unsearched = tuple(name for name in unsearched if name.casefold() in named or not named <= known)
            values = tuple(dict.fromkeys([*values, *unsearched]))
            # Pairs of words are found sooner with positions, which pays where the index serves many queries.
            positions = named_fields is None and "sdm" in {part.call for model in models for part in parts_of(model)}
        fields = collection.searched_fields if apart or named_fields is None or [*named_fields] else ()
        index = toysearch.Index.build(
            collection if self.replaced is None else self.replaced,
            analyzer,
            store_text=not collection.word_counts,
            fields=fields,
            values=values,
            positions=positions,
        )
        self.built.append(index)
        return index

    def _of_first(self) -> Study:
        return self.of_system(self.models[0]) if any(map(is_system, self.models)) else self

    def analyzer(self) -> Analyzer:
        """Return the analyzer of the index, given or built, else the chosen one, else that of the collection."""
        if (first := self._of_first()) is not self:
            return first.analyzer()
        for index in (self.opened(), *self.built):
            if index is not None:
                return index.analyzer
        return self._chosen_analyzer() or self.index().analyzer

    def _chosen_analyzer(self) -> Analyzer | None:
        """Return the analyzer that is chosen, or changed; None for that which an index has by default."""
        choice = self.given.analysis
        if not isinstance(choice, Mapping):
            return None if choice is None else toysearch.Analyzer.of(choice)
        return toysearch.Analyzer.for_language(**(self.searched().analysis | dict(choice))) if choice else None

    def searched(self) -> Collection:
        """Return the collection whose documents an index is built from; refuse a source that has none."""
        collection = self.indexed()
        if collection is None:
            raise ArgumentError(f"{self.given.name} has no documents; name a collection or an index")
        return collection

    def documents(self) -> Sequence[Document]:
        """Return the documents that an index is built from."""
        return self.searched().documents if self.replaced is None else self.replaced

    def judged(self) -> Collection:
        """Return the collection; refuse it if it lacks queries or judgments, or none of its queries is judged."""
        collection = self._with_judgments()
        if not len(collection.queries):
            source, no_run = self.given.source, ""
            if isinstance(source, _PATH) and os.path.isfile(source):  # it may stand where a run stands
                from toysearch.files.recognise import what_is

                why = what_is(os.fspath(source)).why or "its lines have no known form"
                no_run = f"{source} is not a run: {why}; as documents, "
            raise ArgumentError(
                f"{no_run}{self.given.name} has no queries; give some: {Remedy('', queries=...)}, "
                f"or {self._other_remedy()}"
            )
        refuse_strangers(collection)
        return collection

    def _with_judgments(self) -> Collection:
        collection = self.collection()
        if collection is not None and len(collection.qrels):
            return collection
        raise ArgumentError(
            f"{self.given.name} has no judgments to score against; give some: {Remedy('', qrels=...)}, or "
            f"{self._other_remedy()}"
        )

    def _other_remedy(self) -> str:
        """Lead to queries and judgments made of the texts, where there are texts and neither was given."""
        index, (source, queries, qrels) = self.opened(), self.given[:3]
        if source is None or queries is not None or qrels is not None or (index is not None and index.texts is None):
            return "a collection that has some"
        return f"make them: {Remedy('known_items', kind='sentence')}"

    def queries(self) -> list[Query]:
        """Return the judged queries that have a text, in the order of the queries."""
        return self.judged().judged_queries

    def qrels(self) -> Qrels:
        """Return the judgments to score against."""
        if self.given.source is None:
            return self.read.graded.qrels
        return self._with_judgments().qrels

    def stated_threshold(self) -> float | None:
        """Return the lowest relevant grade that was given or that a collection states; None if none is stated."""
        if self.scoring.threshold is not None:
            return self.scoring.threshold
        if self.given.qrels is not None:
            return self.read.graded.threshold
        collection = self.collection()
        return collection.threshold if collection else None

    def threshold(self) -> float:
        """Return the lowest relevant grade; 1 if none is stated."""
        from toysearch.base import UNSTATED  # of judgments, which a search does not load

        threshold = self.stated_threshold()
        return UNSTATED if threshold is None else threshold

    def doubts(self) -> list[str]:
        """Return errors of the judgments that `toysearch check` would report, except those verified by the catalog."""
        from toysearch.evaluation.judgment_doubts import doubts  # most searches judge nothing

        collection, index, sentences = self.judged(), self.index(), list[str]()
        if not collection.vouched:
            # The ranking is always that of plain BM25, for any measured model, so that every command reports the
            # same. The notes of a search appear when the systems search.
            with without_notes():
                searcher = toysearch.Searcher(index, toysearch.MODELS["bm25"])
                run = searcher.run(collection.judged_queries[:_MOST], _DEPTH)
            sentences = doubts(run, collection.qrels, collection.queries.query_ids)
        if collection.known_items in ("sentence", "words") and len(self.analyses()) > 1:
            sentences.append(
                f"known items by {collection.known_items} copy the words of a text, and so favour the analysis that "
                "changes these least; titles that are not searched do so less (docs known-items)"
            )
        return [*sentences, *_missing_documents(collection, index)]

    def ready(self) -> Study:
        """Read and build everything, and note doubts about the results once; return the study."""
        if self.told or self.fixed_runs:
            return self
        collection, index = self.judged(), self.index()
        refuse_other_ids(collection, index)
        self._refuse_other_documents(index)
        for sentence in self.doubts():
            note(sentence)
        note_own_queries(collection, map(model_in, self.models))
        return replace(self, told=True)

    def _refuse_other_documents(self, index: Index) -> None:
        """Refuse systems with an index of other documents than the first has."""
        ranked: Sequence[Any] = self.models
        systems = [one for one in ranked if getattr(one, "index", None) is not None]
        first = systems[0].parts[-1] if systems and systems[0] is ranked[0] else self.given.name
        for system in systems:
            other, other_name = self.of_system(system).index(), system.parts[-1]
            pairs = (other_name, other, first, index), (first, index, other_name, other)
            for lacking_name, lacking, full_name, full in pairs if other is not index else ():
                absent = [doc_id for doc_id in full.doc_ids if lacking.find_document(doc_id) < 0]
                if absent:
                    raise DataError(
                        f"{lacking_name} lacks {len(absent):,} of the documents of {full_name}, such as '{absent[0]}'; "
                        "systems are compared on the same documents"
                    )

    def sized(self, measures: Sequence[Measure]) -> list[Measure]:
        """Give measures their N where they lack it and the documents are known."""
        if not any("N" in measure.definition.needs for measure in measures):
            return list(measures)  # the documents of a collection may not be read yet
        from toysearch.evaluation.measures.measure import with_size  # a search measures nothing

        if self.models or self.opened() is not None:
            return with_size(measures, len(self.index()))
        collection = self.collection()
        return with_size(measures, len(collection.documents) if collection else None)

    @property
    def ranking(self) -> dict[str, Any]:
        """Arguments of `Searcher.run` after the queries: models rank equal scores like the runs beside them."""
        from toysearch.base.run_order import rule_of  # a search makes no run

        how = self.scoring
        ties = rule_of(how.ties, all(run.ranked for run in self.fixed_runs))
        return {"k": how.k, "ties": ties, "query_mode": how.query_mode, "threads": how.threads, "above": how.above}

    def run(self, model: ModelLike | System) -> Run:
        """Rank documents for the judged queries by a model or a system."""
        return next(self.runs([ranked_of(model)]))

    def runs(self, models: Iterable[ModelOrSystem] | None = None) -> Iterator[Run]:
        """Make the run of each model on demand; by default of those of the study."""
        queries, how = self.queries(), self.ranking
        for one in self.models if models is None else models:
            yield self.searcher(one).run(queries, **how, name=str(one))

    def systems(self, systems: SystemsLike) -> tuple[Study, list[tuple[str, Run]]]:
        """Run systems by name: models rank the judged queries, runs stay as they are; () are the fixed runs."""
        if self.fixed_runs and isinstance(systems, tuple) and not systems:
            return self._of_one_table([(run.name, run) for run in self.fixed_runs])
        from toysearch.files.rows_in_memory import is_frame  # a search takes one model
        from toysearch.files.run_arguments import as_run, named_runs

        one_run = str, os.PathLike, toysearch.Run, toysearch.Qrels, toysearch.Ranking

        named: list[tuple[str | None, Any]] = []
        if isinstance(systems, Mapping):
            named = [(str(name), value) for name, value in systems.items()]
        elif isinstance(systems, Iterable) and not isinstance(systems, one_run) and not is_frame(systems):
            systems = list(systems)
            named = [(None, value) for value in systems]
        models = [model_of(system, self.given.source is not None) for _, system in named]
        if not any(models):
            return self._of_one_table(named_runs(systems, _ORDER))  # type: ignore[arg-type]
        if self.given.source is None:
            raise ArgumentError(
                f"'{next(filter(None, models))}' is a model, which needs documents to rank; give a collection or an "
                "index instead of the judgments, or add index=…"
            )
        ranking = [(name, model) for (name, _), model in zip(named, models, strict=True) if model is not None]
        if any(is_system(model) for _, model in ranking):  # each by the name by which its study is found
            from toysearch.study.system import System  # most studies have models alone

            as_systems = [(name, System.of(model)) for name, model in ranking]
            study = self.with_models(replace(system, name=name or system.name) for name, system in as_systems).ready()
        else:
            study = self.with_models(model for _, model in ranking).ready()
        given = [as_run(system) for (_, system), model in zip(named, models, strict=True) if model is None]
        files = iter(given)
        ranked = replace(study, fixed_runs=given).runs()
        runs = [next(files if model is None else ranked) for model in models]
        pairs = zip(named, runs, strict=True)
        return study._of_one_table([(run.name if name is None else name, run) for (name, _), run in pairs])

    def _of_one_table(self, named: Sequence[tuple[str, Run]]) -> tuple[Study, list[tuple[str, Run]]]:
        """Name the runs of a table: one rule for ties for all of them, and beside models one depth."""
        from toysearch.base.run_order import of_one_table

        k = self.scoring.k if self.models else None
        runs = of_one_table([run for _, run in named], self.scoring.ties, k)
        cut = [name for (name, run), shown in zip(named, runs, strict=True) if len(shown) < len(run)]
        if cut:
            note(f"{listed(cut)}: only the first {k:,} documents of each query count, as of the models beside it")
        return self, [(name, run) for (name, _), run in zip(named, runs, strict=True)]


def holds_documents(source: object) -> bool:
    """True if a source is a collection or an index, or the name or the folder of one."""
    from pathlib import Path  # most studies are of documents

    from toysearch.files.recognise import reads_as_judgments

    if isinstance(source, _PATH):
        return not reads_as_judgments(Path(source) if isinstance(source, os.PathLike) else source)
    return isinstance(source, Study | toysearch.Collection | toysearch.Index | toysearch.Searcher)


def _without_unasked(collection: Collection, queries: QueriesLike | None) -> Collection:
    """Drop judgments of queries that are not among those given."""
    judged_ids = collection.qrels.query_ids
    query_ids = [query_id for query_id in judged_ids if collection.queries.get(query_id) is not None]
    if queries is None or not query_ids or len(query_ids) == len(judged_ids):
        return collection
    variant = copy(collection)
    variant.qrels = collection.qrels.of_queries(query_ids)
    variant.unasked = len(collection.qrels.need_ids) - len(variant.qrels.need_ids)
    return variant


def refuse_strangers(collection: Collection) -> None:
    """Refuse a collection without a judged query; note it if only some of the judged queries are asked."""
    query_ids = collection.queries.query_ids
    if collection.unasked:
        n_judged = len(collection.qrels.need_ids)
        kinds = collection.qrels.needs.kind[1]
        these = "this one" if n_judged == 1 else f"these {n_judged}"
        collection.tell(
            f"{n_judged} of {n_judged + collection.unasked} judged {kinds} {agreeing(n_judged, '[is|are]')} given; "
            f"every mean is over {these}"
        )
    if not any(query_id in collection.qrels for query_id in query_ids):
        raise DataError(
            f"none of the {counted(len(query_ids), 'query', 'queries')} of '{collection.name}' is judged: their ids "
            f"are such as '{query_ids[0]}', the judged ids such as '{collection.qrels.query_ids[0]}'; "
            + _of_their_needs(collection)
        )


def _of_their_needs(collection: Collection) -> str:
    """Say how queries that are not judged would be; a field may have their ids, or those of the needs of several."""
    fields = collection.queries.fields
    for name in dict.fromkeys(name for of_query in fields for name in of_query):
        values = [str(of_query.get(name) or "").strip() for of_query in fields]
        if all(value in collection.qrels for value in values):
            is_id = len({*values}) == len(values)
            as_need = "rename it 'need', and each query is a text of the need that it names"
            remedy = Remedy("load", query_columns=f"id={name}") if is_id else as_need
            return f"their field '{name}' has judged ids: {remedy}"
    return "ids must be equal as texts"


def stored_collection(index: Index, name: str) -> Collection:
    """Collect the documents stored in an index, with the values it keeps; their name is that of its collection.

    >>> stored_collection(toysearch.Index.build({"d1": "a cat"}), "pets").documents[0].text
    'a cat'
    """

    def documents() -> Iterator[Document]:
        if index.texts is None or index.titles is None:
            raise ArgumentError("the index stores no texts to analyse again; name the collection instead")
        for number, doc_id in enumerate(index.doc_ids):
            text, title = index.texts[number], index.titles[number]
            kept = ((name, values.texts_of(number)) for name, values in index.values.items())
            yield Document(
                doc_id, text, title, {"text": text} | {name: JoinedText.joined(of) for name, of in kept if of}
            )

    collection = toysearch.Collection(index.collection or name, documents)
    if index.folder:
        collection.read_from = str(index.folder.absolute()), {}
    return collection


_MOST = 1000  # queries to rank, and judgments to look up
_DEPTH = 50  # ranks to check
_MOST_IDS = 1 << 18  # documents whose ids are compared in form
_FEW = 0.05  # a smaller share of judgments of missing documents hardly changes the figures


def _saved_index(given: Any) -> Index:
    index = opened_index(given)
    if index is None:
        raise ArgumentError(f"'{given}' is not a saved index; make one with toysearch index SOURCE -o DIR")
    return index


def note_own_queries(collection: Collection, models: Iterable[Model | Ranker]) -> None:
    """Note which rankers were learned from judged queries of a collection."""
    from toysearch.models.rankers import parts_of  # files of runs have none

    for model in (part for outside in models for part in parts_of(outside)):
        training = model.training
        learned_from = training.get("query_ids")
        if training.get("collection") != collection.name or not isinstance(learned_from, list):
            continue
        query_ids = [query_id for query_id, _ in collection.judged_queries]
        n = len({*map(str, learned_from)} & {*query_ids})
        if n:
            note(
                f"{model} was learned from {n} of the {counted(len(query_ids), 'judged query', 'judged queries')}, so "
                "its values are optimistic; learning gives held-out rankings too"
            )


def _missing_documents(collection: Collection, index: Index) -> list[str]:
    doc_ids = collection.qrels.doc_ids[:: math.ceil(len(collection.qrels) / _MOST) or 1]
    absent = [doc_id for doc_id in doc_ids if index.find_document(doc_id) < 0]
    if not absent:
        return []
    spelling = _other_spelling(collection, index)
    if len(absent) < _FEW * len(doc_ids) and not spelling:
        return []
    otherwise = {unicodedata.normalize(form, doc_id) for doc_id in absent for form in ("NFC", "NFD")}
    why = "Is it another edition?"
    if any(index.find_document(doc_id) >= 0 for doc_id in otherwise):
        why = "The index has this id with accents encoded differently (NFC or NFD): encode both in the same way."
    elif spelling:
        why = f"Document ids: {spelling}."
    elif toysearch.base.count_from_0(doc_ids, index.doc_ids):
        why = "They count the documents from 0, whose file is numbered from 1: write their numbers into the file."
    return [
        f"missing documents: {len(absent)} of {counted(len(doc_ids), 'judgment')} looked up are of documents that are "
        f"not in the index, such as '{absent[0]}'. A relevant one counts as not found for every system. {why}"
    ]


def _other_spelling(collection: Collection, index: Index) -> str:
    from toysearch.evaluation.lint import spelled_otherwise  # most judgments fit

    return spelled_otherwise(index.doc_ids, collection.qrels.doc_ids) if index.stats.N <= _MOST_IDS else ""


def refuse_other_ids(collection: Collection, index: Index) -> None:
    """Refuse judgments of which no document is in the index, since each value would be 0."""
    judged = dict.fromkeys(collection.qrels.doc_ids)
    if judged and all(index.find_document(doc_id) < 0 for doc_id in judged):
        field, repeats = toysearch.retrieval.field_of_values(index, judged)
        if repeats:
            why = f"{field} has these ids, some of several documents: judge these, or index each {field} as one"
        elif field:
            why = f"{field} has these ids"  # in an object or, where none can be that of the document, a list of objects
            why += "" if "." in field else f": {Remedy('load', columns={'id': field})}"
        elif spelling := _other_spelling(collection, index):
            why = f"document ids: {spelling}"
        else:
            why = "give the judgments of these documents"
        raise DataError(
            f"none of the {counted(len(judged), 'judged document')} is in the index, which has ids such as "
            f"'{index.doc_ids[0]}', the judgments such as '{next(iter(judged))}'; {why}"
        )


def refuse_joined_fields(index: Index, models: Iterable[Model | Ranker]) -> None:
    """Refuse a model that weights fields separately on an index that counts them together."""
    for model in [] if index.fields.names else models:
        fields = " and ".join(dict.fromkeys(field for part in model.models for _, field in part.of_fields.values()))
        if fields:
            raise ArgumentError(
                f"{model} weights its fields separately ({fields}), but this index counts all fields together; build "
                f"it again with separate fields: {Remedy('Index.build', fields=...)}"
            )


def refuse_documents_first(system: object, others: Sequence[object], call: str) -> None:
    """Refuse documents that stand before the systems; call: the right order."""
    is_name = isinstance(system, _PATH) and model_of(os.fspath(system), False) is None
    before_models = is_name and all(isinstance(other, list | tuple) or model_of(other, False) for other in others)
    if before_models or isinstance(system, Study | toysearch.Collection | toysearch.Index | toysearch.Searcher):
        raise ArgumentError(f"the systems come first, then the collection: {call}")


def is_system(ranked: object) -> bool:
    """True for a `System`, whose module most studies never load."""
    return hasattr(ranked, "indexed_as")


def model_in(ranked: Any) -> Model | Ranker:
    """Return the model of a system, or a model itself."""
    model: Model | Ranker = ranked.model if is_system(ranked) else ranked
    return model


def indexed_as(ranked: ModelOrSystem) -> IndexedAs | None:
    """Return what a system has of its own beside the model; None for a model."""
    return getattr(ranked, "indexed_as", None) or None


def ranked_of(given: Any) -> ModelOrSystem:
    """Return a model; or a system, if it has a name, an analysis, fields or an index of its own."""
    if given is None:
        raise ArgumentError("expected a model, such as 'bm25', or a System, not None")
    is_text = isinstance(given, str)
    if not is_system(given) and not (is_text and re.search(toysearch.base.SYSTEM_PARTS, given)):
        model: Model | Ranker = toysearch.model(given)
        return model
    from toysearch.study.system import System  # most studies have models alone

    system: System = System.of(given)
    return system if system.indexed_as or system.name else model_in(system)


def model_of(value: Any, can_rank: bool) -> ModelOrSystem | None:
    """Return the model of a system, or the system if it has an index of its own; None for a run."""
    from toysearch.files import is_file
    from toysearch.files.rows_in_memory import is_frame

    if isinstance(value, toysearch.models.Model | toysearch.models.Ranker):
        return value
    if isinstance(value, os.PathLike) and os.fspath(value).endswith(".py"):
        value = os.fspath(value)
    if not isinstance(value, str):
        is_function = callable(value) and not isinstance(value, type | Mapping) and not is_frame(value)
        return ranked_of(value) if is_function or is_system(value) else None
    if value == "-" or (os.path.isfile(value) and not value.endswith(".py")):
        return None
    try:
        return ranked_of(value)
    except ToysearchError:
        if value.startswith(toysearch.models.PREFIX) or ".py" in value or (can_rank and not is_file(value)):
            raise
        return None  # reading it as a run reports the missing file
