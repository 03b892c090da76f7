"""The rankings and values of a system in a gate file, computed at first use and then kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.tokenizer import is_function
from toysearch.base.errors import ArgumentError, note
from toysearch.base.records import Qrels, Run, ordered
from toysearch.corpus.catalog import load, names
from toysearch.corpus.collection import Collection
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.lint import suspicions
from toysearch.evaluation.measures.measure import Measure
from toysearch.formats.runs_and_judgments import judgments_of, read_run
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.gate.expectation import ANALYSIS, READING, System
from toysearch.laboratory.judged_collection import collection_of, tell_doubts, tell_own_queries, with_topics
from toysearch.models.model import index_needs
from toysearch.models.registry import model as find_model
from toysearch.search.searcher import Searcher, is_index_folder

_FILE = re.compile(r"(?P<file>[^:]+\.py):")
_DEPTH = 1000
Made = TypeVar("Made")


class Shared:
    """Collections and indexes shared by the systems of a file, each made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """The object kept for a key; made now if there is none."""
        if key not in self._made:
            self._made[key] = make()
        found: Made = self._made[key]
        return found

    def path(self, name: str) -> str:
        """The path of a name relative to the gate file; the name itself if no such file or folder exists."""
        return str(self.folder / name) if os.path.exists(self.folder / name) else name

    def source(self, name: str) -> str:
        """A collection as `load` takes it; a name in the catalog takes precedence over a path."""
        return name if "/" not in name and name in names() else self.path(name)


class ReadySystem:
    """A system that is ready to rank."""

    def __init__(self, system: System, shared: Shared) -> None:
        self._values: Mapping[str, Any] = system.values
        self._shared = shared
        self._evaluations: dict[Measure, Evaluation] = {}

    @property
    def label(self) -> str:
        """A description of the system.

        >>> ReadySystem(System("", 1, {"collection": "cranfield", "model": "bm25"}), Shared(Path())).label
        'bm25 on cranfield'
        """
        if "run" in self._values:
            return str(self._values["run"])
        return f"{self._model} on {self._values['collection']}"

    @property
    def _model(self) -> str:
        return str(self._values.get("model", "bm25"))

    @property
    def searches(self) -> bool:
        """Whether it has an index that can be searched for a text."""
        return "run" not in self._values

    @property
    def depth(self) -> int:
        """The maximum number of documents retrieved per query."""
        return int(self._values.get("k", _DEPTH))

    @cached_property
    def collection(self) -> Collection | None:
        """The collection that supplies the queries; None for a run with judgments of its own."""
        given = {key: self._shared.source(self._values[key]) for key in ("queries", "qrels") if key in self._values}
        source = self.documents
        if source is None and "queries" in given:
            source = collection_of(Index.open(self._shared.source(self._values["collection"])))
        if source is None or not given:
            return source
        return with_topics(source, given.get("queries"), given.get("qrels"), fields=self._values.get("query_fields"))

    @cached_property
    def documents(self) -> Collection | None:
        """The collection with its own queries and judgments; None if there is none."""
        if "collection" not in self._values:
            return None
        source = self._shared.source(self._values["collection"])
        if is_index_folder(source):
            source = Index.open(source).collection
            if not source:
                return None
        own = "queries" not in self._values  # else `query_fields` refers to the queries given
        reading = {key: self._values[key] for key in READING if key in self._values and (own or key != "query_fields")}
        return self._shared.once(("collection", source, *reading.items()), lambda: load(source, **reading))

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments."""
        if "qrels" in self._values and self.collection is None:
            return self._judgments[0]
        if self.collection is None or not len(self.collection.qrels):
            raise ArgumentError(f"'{self._values['collection']}' has no judgments; expected a key qrels beside it")
        return self.collection.qrels

    @property
    def threshold(self) -> float | None:
        """The lowest relevant grade; None if not given."""
        if "threshold" in self._values:
            return float(self._values["threshold"])
        if "qrels" in self._values:
            return self._judgments[1]
        return None if self.collection is None else self.collection.threshold

    @cached_property
    def _judgments(self) -> tuple[Qrels, float | None]:
        """The judgments given, and the threshold of the collection that they come from."""
        return judgments_of(self._shared.source(self._values["qrels"]))

    @cached_property
    def searcher(self) -> Searcher:
        """The index with the model."""
        file = _FILE.match(self._model)
        text = self._model if file is None else self._shared.path(file["file"]) + self._model[file.end() - 1 :]
        model = find_model(text)
        source = self._shared.source(self._values["collection"])
        if is_index_folder(source):
            given = [key for key in ANALYSIS if key in self._values]
            if given:
                raise ArgumentError(f"'{source}' is an index, which stores its own analysis: leave out {given[0]}")
            return Searcher(self._shared.once(("index", source), lambda: Index.open(source)), model)
        collection = self.documents
        assert collection is not None
        stop = self._shared.path(self._values["stop"]) if "stop" in self._values else None
        tokens = self._values.get("tokens", collection.tokens)
        if is_function(tokens):
            file, _, name = tokens.rpartition(":")
            tokens = f"{self._shared.path(file)}:{name}"
        language = self._values.get("language", collection.language)
        analyzer = Analyzer.for_language(language, stop, self._values.get("stem"), tokens=tokens)
        needed = index_needs(model)
        fields = collection.searched_fields if needed.apart or collection.apart else ()
        key = ("index", collection, analyzer, fields, needed.values)
        index = self._shared.once(key, lambda: Index.build(collection, analyzer, fields=fields, values=needed.values))
        return Searcher(index, model)

    @cached_property
    def run(self) -> Run:
        """The rankings of all queries, by rank."""
        if not self.searches:
            run = read_run(self._shared.path(self._values["run"]))
        elif self.collection is None:
            raise ArgumentError(
                f"the index '{self._values['collection']}' was not built from a named collection and has no queries; "
                "a query can be given as text"
            )
        else:
            run = self.searcher.run(self.collection.queries, self.depth)
        return ordered(run)[0]

    def query_text(self, query_id: str) -> str:
        """The text of a query; "" if unknown."""
        query = None if self.collection is None else self.collection.queries.get(query_id)
        return "" if query is None else query.text

    def evaluation(self, measure: Measure) -> Evaluation:
        """The values of a measure."""
        if not self._evaluations:
            self._tell_doubts()
        if measure not in self._evaluations:
            self._evaluations[measure] = evaluate(self.run, self.qrels, [measure], threshold=self.threshold)
        return self._evaluations[measure]

    def _tell_doubts(self) -> None:
        """Note what makes the judgments doubtful; of systems on the same collection, once."""
        if self.searches and self.collection is not None:
            collection, index = self.collection, self.searcher.index
            key = ("doubts", index, self._values.get("queries"), self._values.get("qrels"))
            self._shared.once(key, lambda: tell_doubts(collection, index))
            tell_own_queries(collection, [self.searcher.model])
        elif not self.searches:
            for sentence in suspicions(self.run, self.qrels, self._shared.path(self._values["run"])):
                note(f"{self.label}: {sentence}")

    def ranking(self, query_id: str | None, text: str | None) -> list[str]:
        """The documents for a query, best first."""
        if text is not None:
            if not self.searches:
                raise ArgumentError("a text needs a collection to search, but this system is a run; give query instead")
            return self.searcher.search(text, self.depth).doc_ids
        assert query_id is not None
        if query_id not in self.run and self.collection is not None:
            self.collection.query(query_id)
        if query_id not in self.run and query_id not in self.qrels:
            raise ArgumentError(f"neither the run nor the judgments have a query '{query_id}'")
        return self.run.doc_ids_of(query_id)

    def holds(self, doc_id: str) -> bool:
        """Whether the index has a document; True for a run, where this is unknown."""
        index = self.searcher.index if self.searches else None
        return index is None or index.doc_ids.find(doc_id, index.doc_ids_order) >= 0
