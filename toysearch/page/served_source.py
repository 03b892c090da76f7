"""Source as the page shows it: its index, its collection, its searchers, and what has been tried on it."""

from __future__ import annotations

import functools
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toysearch import Searcher, evaluate
from toysearch.base import Qrels, Query, Run, ToysearchError, cut, groups_of, opening
from toysearch.cli.commands import flag
from toysearch.cli.options import OF_QRELS, OF_QUERIES
from toysearch.collection.collection import Queries
from toysearch.evaluation import DEFAULT_MEASURES, Measure, parse_measures
from toysearch.index import MANIFEST
from toysearch.page.foreign_run import ForeignRun
from toysearch.page.moving_query import moving_query
from toysearch.retrieval import TypedQuery, read_typed, unrequired_filters
from toysearch.retrieval.filters_and_facets import facet_fields
from toysearch.study.search_result import passages
from toysearch.study.study import is_system

if TYPE_CHECKING:
    from toysearch.models import Model, Ranker
    from toysearch.page.judging_rules import Judging
    from toysearch.page.thumbs import Thumbs
    from toysearch.study import Study
    from toysearch.study.system import System

FACET = "f."
"""Beginning of the name of a chosen value in an address; the rest is the name of the field."""

MOST_DOCUMENTS = 100_000
"""Largest number of documents of an index whose queries are ranked in full and that has facets."""


visitor: ContextVar[str] = ContextVar("visitor", default="")
"""Visitor of the page: the name in the cookie of the browser."""

rater: ContextVar[str] = ContextVar("rater", default="")
"""Grader in the ranking, who sees no other grades: the name in the cookie of the browser."""

is_moving: ContextVar[bool] = ContextVar("is_moving", default=False)
"""True while a slider is moved: only the value at which it is left counts as tried."""

_VISITORS = 1000  # whose settings are counted
_SEARCHERS = 8  # settings whose term weights are kept
_MEMORY = 1 << 26  # bytes of term weights of one setting
_QUERIES = 256  # queries whose reading is kept
_PASSAGES = 4096  # documents of queries whose passages are kept: they are the same for all models
_WIDTH = 240  # characters of a passage
_RESERVED = ("static",)  # first parts of addresses that are not sources
_OF_TOPICS = {flag(name) for name in ("queries", "qrels", *OF_QUERIES, *OF_QRELS)}
_BEGINNING = 80  # characters of a text without a title
_TOPICS = 300  # topics that a list offers; of more, the id is typed
_TOPIC = 48  # characters of a topic in the list


class ServedSource:
    """Study whose index is searched, and what has been tried on it."""

    # name: in addresses. typed: as the user named it. options: those that the same command needs, such as --analyzer.
    # reading: the arguments of `toysearch.load` that these options give. reopen: what reads a saved index anew.

    def __init__(
        self,
        name: str,
        typed: str,
        study: Study,
        *,
        options: Sequence[str] = (),
        reading: Mapping[str, Any] | None = None,
        reopen: Callable[[], ServedSource] | None = None,
    ) -> None:
        self.name, self.typed, self.study = name, typed, study
        self.index, self.collection = study.index(), study.collection()
        self.is_index, self.options, self.reading = study.opened() is not None, options, dict(reading or {})
        self._reopen, self._state = reopen, state_of(Path(typed) / MANIFEST)
        self._renewing, self._successor, self.problem = threading.Lock(), self, ""
        self._own, self._version = study, -1  # without the queries of whoever judges their own searches; their version
        self.judging: Judging | None = None  # if grades are given on the page
        self.thumbs: Thumbs | None = None  # if they are kept
        self.class_link = ""  # the address by which a class may read
        self.runs: Mapping[str, ForeignRun] = {}  # of other engines, by their names
        self.systems: Mapping[str, System] = {}  # models with an analysis or fields of their own, by their names
        self.chosen_measures: Sequence[Measure] = ()  # shown in place of the usual ones
        self._tried: OrderedDict[str, dict[str, float]] = OrderedDict()  # visitor → setting → when it was tried first
        self._counting = threading.Lock()
        self.room = threading.Lock()  # held by views of what people change together
        self._searcher = functools.lru_cache(_SEARCHERS)(lambda model: Searcher(self.index, model, memory=_MEMORY))
        # What is known of a query, which is the same for all settings.
        self.read = functools.lru_cache(_QUERIES)(self._read)
        self.marked = functools.lru_cache(_QUERIES)(lambda query: query.marked_terms(self.index))
        self.unknown = functools.lru_cache(_QUERIES)(lambda query: query.unknown(self.index))
        self.better = functools.lru_cache(_QUERIES)(lambda query, where: query.better(self.index, where))
        self.passages = functools.lru_cache(_PASSAGES)(functools.partial(passages, self.index, width=_WIDTH))
        self.moving_query = functools.lru_cache(1)(lambda model: moving_query(self.index, self.judged_queries, model))

    def renewed(self) -> ServedSource:
        """Return the source itself, or one that has read the index anew, if another program has changed it since.

        An index on which people judge, also by thumbs, stays as it was. One that cannot be read any more does too, with
        a note. Where somebody judges their own searches, the queries and grades are the present ones.
        """
        if self.judging is not None and self.judging.own_judge:
            return self if self._version == self.judging.version else self._with_own_queries(self.judging)
        if self._reopen is None or self.judging is not None or self.thumbs is not None:
            return self
        with self._renewing:
            state = state_of(Path(self.typed) / MANIFEST)
            if state != self._state:
                self._state = state
                try:
                    fresh = self._reopen()
                except (ToysearchError, OSError) as error:
                    self.problem = f"the index has been changed and cannot be read now, so this is from before: {error}"
                else:
                    fresh._tried, fresh.class_link, fresh.runs = self._tried, self.class_link, self.runs
                    fresh.chosen_measures, fresh.systems = self.chosen_measures, self.systems
                    self._successor = fresh
            return self._successor

    def _with_own_queries(self, judging: Judging) -> ServedSource:
        """Return the source with the searches of whoever judges them as its queries, and their grades."""
        with self._renewing:
            fresh, fresh._version = copy(self), judging.version
            grades = {query_id: judging.grades_by(judging.own_judge, query_id) for query_id in judging.queries}
            qrels = Qrels.from_dict({query_id: of for query_id, of in grades.items() if of})
            queries = Queries(Query(*each) for each in judging.queries.items())
            fresh.study = self._own.with_topics(queries if len(queries) else None, qrels if len(qrels) else None)
        fresh.collection = fresh.study.collection()
        for name in ("topics", "_grades", "judged_queries"):
            vars(fresh).pop(name, None)
        return fresh

    @property
    def measures(self) -> Sequence[Measure]:
        """Return the measures of a query that are shown."""
        return self.chosen_measures or parse_measures(DEFAULT_MEASURES)

    @property
    def case_measure(self) -> Measure:
        """Return the measure of a case."""
        return next(iter(self.chosen_measures), Measure.parse("nDCG@10"))

    @property
    def queries(self) -> Queries:
        """Return the queries of the collection; none without one."""
        return self.collection.queries if self.collection is not None else Queries(())

    @property
    def qrels(self) -> Qrels:
        """Return the judgments of the collection; none without one."""
        return self.collection.qrels if self.collection is not None else Qrels.from_dict({})

    @functools.cached_property
    def facets(self) -> list[str]:
        """Return the fields by which matching documents are counted."""
        return facet_fields(self.index) if len(self.index) <= MOST_DOCUMENTS else []

    @functools.cached_property
    def topics(self) -> list[tuple[str, str]]:
        """Return the id of each query and its first words in one line; none if there are too many for a list."""
        if len(self.queries) > _TOPICS:
            return []
        return [(query_id, cut(" ".join(text.split()), _TOPIC)) for query_id, text in self.queries]

    @functools.cached_property
    def own_searcher(self) -> Searcher:
        """Return the searcher for similar documents and the terms of runs, which is not a setting that is tried."""
        return Searcher(self.index, "cosine", memory=_MEMORY)

    @functools.cached_property
    def _grades(self) -> dict[str, list[tuple[str, float]]]:
        return groups_of((doc_id, (query_id, grade)) for query_id, doc_id, grade in self.qrels)

    def grades(self, query_id: str) -> Mapping[str, float]:
        """Return the grades of a query by doc_id: those of the grader in the ranking, else of the collection."""
        if self.judging is not None and rater.get():
            return self.judging.grades_by(rater.get(), query_id)
        return self.qrels[query_id]

    def values(self, run: Run, measures: Sequence[Measure], query_ids: Iterable[str]) -> dict[str, dict[str, float]]:
        """Return query → measure → value of a run, by the grades of the grader or of the collection."""
        qrels = self.qrels
        if self.judging is not None and rater.get():
            graded = dict.fromkeys([*self.judging.queries, *qrels.query_ids])
            qrels = Qrels.from_dict({query_id: self.grades(query_id) for query_id in graded})
        return evaluate(run, qrels.of_queries(query_ids), measures, threshold=self.threshold).per_query

    def grades_of(self, doc_id: str) -> list[tuple[str, float]]:
        """Return the topics for which a document is judged, with its grades."""
        if self.judging is not None and rater.get():
            by_query = ((query_id, self.grades(query_id).get(doc_id)) for query_id in self.judging.queries)
            return [(query_id, grade) for query_id, grade in by_query if grade is not None]
        return self._grades.get(doc_id, [])

    def searcher(self, model: Model | Ranker | System) -> Searcher:
        """Return the searcher of a model, or of a system in the index of its own analysis, and count it as tried."""
        self.count(model)
        return self.study.searcher(model) if is_system(model) else self._searcher(model)

    def count(self, model: Model | Ranker | ForeignRun | System) -> None:
        """Count a setting whose results are shown: a conclusion must be corrected for all of them."""
        if is_moving.get():
            return
        with self._counting:
            self._own_tried().setdefault(str(model), time.time())

    def count_anew(self) -> None:
        """Forget what this visitor has tried."""
        with self._counting:
            self._own_tried().clear()

    def _own_tried(self) -> dict[str, float]:
        """Return the settings that this visitor has tried; of very many visitors those longest away are forgotten."""
        settings = self._tried.setdefault(visitor.get(), {})
        self._tried.move_to_end(visitor.get())
        if len(self._tried) > _VISITORS:
            self._tried.popitem(last=False)
        return settings

    @functools.cached_property
    def judged_queries(self) -> list[Query]:
        """Return the queries on which settings are tried."""
        return self.collection.judged_queries if self.collection is not None else []

    @property
    def options_of_documents(self) -> list[str]:
        """Return the options without those for queries and judgments."""
        pairs = zip(self.options[::2], self.options[1::2], strict=True)
        return [
            word
            for name, value in pairs
            if name not in _OF_TOPICS and (name == "--analyzer" or not self.is_index)  # which holds its documents
            for word in (name, value)
        ]

    @property
    def threshold(self) -> float:
        """Return the lowest grade of a relevant document."""
        return self.study.threshold()

    @property
    def tried(self) -> int:
        """Return the number of settings whose results this visitor has seen."""
        return len(self._tried.get(visitor.get(), ()))

    @property
    def tries(self) -> dict[str, float]:
        """Return the settings that this visitor has tried, in this order, with the time of each in Unix seconds."""
        with self._counting:
            return dict(self._tried.get(visitor.get(), {}))

    @property
    def judges_own_searches(self) -> bool:
        """True if there are no queries but those that somebody types and grades."""
        return self.judging is not None and bool(self.judging.own_judge)

    @property
    def has_adjudicator(self) -> bool:
        """True if several people may judge."""
        return self.judging is not None and not self.judging.own_judge

    def has(self, doc_id: str) -> bool:
        """True if the index has a document."""
        return self.index.find_document(doc_id) >= 0

    def title(self, doc_id: str) -> str:
        """Return the title of a document, or the beginning of its text; "" without texts, and for unknown documents."""
        if not self.has(doc_id):
            return ""
        number = self.index.doc_number(doc_id)
        return opening(self.index.title(number) or self.index.text(number) or "", _BEGINNING)

    def _read(self, text: str, mode: str) -> tuple[TypedQuery, list[str]]:
        """Read a query as `toysearch search` does; return the remarks on it too."""
        query, remarks = read_typed(self.index, text, mode, saved=self.is_index)
        return query, [*remarks, *unrequired_filters(self.index, query.tree)]


def state_of(path: Path) -> tuple[int, ...]:
    """Return inode, size and time of a file, one of which changes when it is written; empty without one."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns


def names_in_addresses(typed: Iterable[str]) -> list[str]:
    """Return the names of sources in addresses: letters, digits, _ and -, all different.

    >>> names_in_addresses(["cranfield", "runs/my index", "other/cranfield"])
    ['cranfield', 'my-index', 'cranfield-2']
    """
    names = []
    for text in typed:
        last = Path(text).resolve().name if "/" in text else text
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-") or "source"
        name, number = base, 1
        while name in names or name in _RESERVED:
            number += 1
            name = f"{base}-{number}"
        names.append(name)
    return names
