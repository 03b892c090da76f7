"""A source as the page shows it: its index, its collection, its searchers, and what has been tried on it."""

from __future__ import annotations

import functools
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch import Searcher
from toysearch.base import ToysearchError, note
from toysearch.index import MANIFEST, is_facet
from toysearch.laboratory import opening
from toysearch.laboratory.explain.snippet import Snippet, snippet
from toysearch.search.matching import unrequired_filters
from toysearch.search.typed_query import TypedQuery, read_typed

if TYPE_CHECKING:
    from toysearch import Index
    from toysearch.base import Query
    from toysearch.laboratory import Study
    from toysearch.laboratory.experiments.experiment_log import ExperimentLog
    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model
    from toysearch.page.judging import Judging
    from toysearch.page.voting import Voting

FACET = "f."
"""What the name of a chosen value in an address begins with; the rest is the name of the field."""

MOST_DOCUMENTS = 100_000
"""Documents of an index whose queries are ranked in full, to count what matches; a longer one has no facets."""


class Facet(NamedTuple):
    """A field with few values, and the value of each document that has one."""

    field: str
    value_of: Mapping[str, str]  # by doc_id


def facets_of(index: Index) -> list[Facet]:
    """The fields with few values among those whose values the index keeps."""
    if len(index) > MOST_DOCUMENTS:
        return []
    columns: dict[str, dict[str, str]] = {}
    for name, keywords in index.keywords.items():
        texts = zip(index.doc_ids, keywords.of_documents(), strict=True)
        columns[name] = {doc_id: text for doc_id, text in texts if text}
    for name, values in index.values.items():
        if name not in columns:
            columns[name] = {index.doc_ids[place]: f"{value:g}" for place, value in enumerate(values) if value == value}
    return [Facet(name, column) for name, column in columns.items() if is_facet({*column.values()}, len(column))]


def counts(facets: Iterable[Facet], doc_ids: Iterable[str], chosen: Mapping[str, str]) -> list[dict[str, Any]]:
    """The number of documents with each value of each facet, most frequent first; a chosen value is always named."""
    listed, tables = [*doc_ids], []
    for facet in facets:
        tally = Counter(facet.value_of[doc_id] for doc_id in listed if doc_id in facet.value_of)
        choice = chosen.get(facet.field)
        if choice is not None:
            tally.setdefault(choice, 0)
        values = sorted(tally.items(), key=lambda pair: (-pair[1], pair[0]))
        rows = [{"value": value, "documents": number, "chosen": value == choice} for value, number in values]
        tables.append({"field": facet.field, "values": rows})
    return tables


followed_link: ContextVar[bool] = ContextVar("followed_link", default=False)
"""Whether a link on a page of another server was followed: what it shows is counted, but not written to the log."""

_SEARCHERS = 8  # settings whose term weights are kept
_MEMORY = 1 << 26  # bytes of term weights of one setting
_QUERIES = 256  # queries whose reading is kept
_PASSAGES = 4096  # documents of queries whose passages are kept: they are the same for all models
_TITLE, _WIDTH = 200, 240  # characters of a title and of a passage
_RESERVED = ("static",)  # first parts of addresses that are not sources
_OF_JUDGMENTS = ("--queries", "--qrels")
_BEGINNING = 80  # characters of a text without a title
_TOPICS = 300  # topics that a list offers; of more, the id is typed
_TOPIC = 70  # characters of a topic in the list


class ServedSource:
    """A study whose index is searched, and what has been tried on it."""

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
        self.index, self.collection = study.index, study.collection
        self.is_index, self.options, self.reading = study.opened is not None, options, dict(reading or {})
        self._reopen, self._state = reopen, _state(typed) if reopen is not None else None
        self._renewing, self._successor, self.problem = threading.Lock(), self, ""
        self.judging: Judging | None = None  # if grades are given on the page
        self.voting: Voting | None = None  # if an audience votes
        self._searchers: OrderedDict[str, Searcher] = OrderedDict()
        self._finding = threading.Lock()
        self.experiments: ExperimentLog | None = None  # counts what is tried, and keeps snapshots
        self._tried: set[str] = set()
        self._n_tried = 0  # with what the log counts
        self._counting = threading.Lock()
        self.room = threading.Lock()  # held by views of what people change together
        # What is known of a query, which is the same for all settings.
        self.read = functools.lru_cache(_QUERIES)(self._read)
        self.marked = functools.lru_cache(_QUERIES)(lambda query: query.marked_terms(self.index))
        self.unknown = functools.lru_cache(_QUERIES)(lambda query: query.unknown(self.index))
        self.better = functools.lru_cache(_QUERIES)(lambda query: query.better(self.index))
        self.passages = functools.lru_cache(_PASSAGES)(self._passages)

    def renewed(self) -> ServedSource:
        """The source itself, or one that has read the index anew, if another program has changed it since.

        An index on which people judge or vote stays as it was. One that cannot be read any more does too, with a note.
        """
        if self._reopen is None or self.judging is not None or self.voting is not None:
            return self
        with self._renewing:
            state = _state(self.typed)
            if state != self._state:
                self._state = state
                try:
                    fresh = self._reopen()
                except (ToysearchError, OSError) as error:
                    self.problem = f"the index has been changed and cannot be read now, so this is from before: {error}"
                else:
                    fresh.experiments, fresh._tried, fresh._n_tried = self.experiments, self._tried, self._n_tried
                    self._successor = fresh
            return self._successor

    @functools.cached_property
    def facets(self) -> list[Facet]:
        """The fields with few values."""
        return facets_of(self.index)

    @functools.cached_property
    def topics(self) -> list[tuple[str, str]]:
        """The id of each query and its first words in one line; none if there are too many for a list."""
        queries = self.collection.queries if self.collection is not None else []
        if len(queries) > _TOPICS:
            return []
        lines = [(query.query_id, " ".join(query.text.split())) for query in queries]
        return [(key, line if len(line) <= _TOPIC else f"{line[: _TOPIC - 1]}…") for key, line in lines]

    @functools.cached_property
    def neighbour_searcher(self) -> Searcher:
        """The searcher for similar documents, which is not a setting that is tried."""
        return Searcher(self.index, "cosine", memory=_MEMORY)

    @functools.cached_property
    def _grades(self) -> dict[str, list[tuple[str, float]]]:
        """The judgments by doc_id."""
        grades: dict[str, list[tuple[str, float]]] = {}
        for query_id, doc_id, grade in self.collection.qrels if self.collection is not None else ():
            grades.setdefault(doc_id, []).append((query_id, grade))
        return grades

    def grades_of(self, doc_id: str) -> list[tuple[str, float]]:
        """The topics for which a document is judged, with its grades."""
        return self._grades.get(doc_id, [])

    def searcher(self, model: Model | Mixture) -> Searcher:
        """The searcher of a model; using one counts it as tried."""
        key = str(model)
        self.count(model)
        with self._finding:
            searcher = self._searchers.pop(key, None) or Searcher(self.index, model, memory=_MEMORY)
            self._searchers[key] = searcher
            if len(self._searchers) > _SEARCHERS:
                self._searchers.popitem(last=False)
        return searcher

    def count(self, model: Model | Mixture) -> None:
        """Count a setting whose results are shown: a conclusion must be corrected for all of them."""
        with self._counting:
            self._tried.add(str(model))
            # Also of a model that is known: another program may have added to the log.
            if self.experiments is not None and self.judged_queries and not followed_link.get():
                try:
                    self._n_tried = self.experiments.add(self.judged_queries, self.index, [model])
                except ToysearchError as error:
                    note(f"what is tried now will not count after a restart: {error}")

    @functools.cached_property
    def judged_queries(self) -> list[Query]:
        """The queries on which settings are tried."""
        return self.collection.judged_queries if self.collection is not None else []

    @property
    def options_of_documents(self) -> list[str]:
        """The options without those for queries and judgments."""
        pairs = zip(self.options[::2], self.options[1::2], strict=True)
        return [word for pair in pairs if pair[0] not in _OF_JUDGMENTS for word in pair]

    @property
    def threshold(self) -> float:
        """The lowest grade of a relevant document."""
        return self.study.threshold

    @property
    def tried(self) -> int:
        """The number of different settings whose results have been shown, with those in the log."""
        return max(len(self._tried), self._n_tried)

    def title(self, doc_id: str) -> str:
        """The title of a document, or the beginning of its text; "" in an index without texts."""
        number = self.index.doc_number(doc_id)
        return opening(self.index.title(number) or self.index.text(number) or "", _BEGINNING)

    def _passages(self, text: str, mode: str, doc_id: str) -> tuple[Snippet, Snippet]:
        """The title of a document and its best passage for a query, with the words to mark."""
        index, marked = self.index, self.marked(self.read(text, mode)[0])
        number = index.doc_number(doc_id)
        title, body = index.title(number), index.text(number)
        passage = snippet(body, marked, index.analyzer, width=_WIDTH) if body else Snippet("", [])
        return snippet(title or "", marked, index.analyzer, width=_TITLE), passage

    def _read(self, text: str, mode: str) -> tuple[TypedQuery, list[str]]:
        """A query as `toysearch search` reads it, and the remarks on it."""
        query, remarks = read_typed(self.index, text, mode, saved=self.is_index)
        return query, [*remarks, *unrequired_filters(self.index, query.tree)]


def _state(folder: str) -> tuple[int, ...] | None:
    """Inode, size and time of the manifest, which is replaced whenever an index is saved; None without one."""
    try:
        status = (Path(folder) / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def names_in_addresses(typed: Iterable[str]) -> list[str]:
    """The names of sources in addresses: letters, digits, _ and -, all different.

    >>> names_in_addresses(["cranfield", "runs/my index", "other/cranfield"])
    ['cranfield', 'my-index', 'cranfield-2']
    """
    names: list[str] = []
    for text in typed:
        last = Path(text).resolve().name if "/" in text else text
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-") or "source"
        name, number = base, 1
        while name in names or name in _RESERVED:
            number += 1
            name = f"{base}-{number}"
        names.append(name)
    return names
