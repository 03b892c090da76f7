"""The rankings and values of a system in a gate file, computed at first use and then kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from toysearch.analysis.tokenizer import is_function
from toysearch.base import Qrels, Run, ordered
from toysearch.base.errors import ArgumentError, note
from toysearch.corpus.catalog import names
from toysearch.corpus.collection import Collection
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.lint import suspicions
from toysearch.evaluation.measures.measure import Measure
from toysearch.formats.runs_and_judgments import read_run
from toysearch.laboratory.experiments.expectation import ANALYSIS, READING, System
from toysearch.laboratory.study import DEPTH, Study, tell_own_queries
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model, index_needs
from toysearch.models.registry import model as find_model
from toysearch.search.searcher import Searcher, is_index_folder

_FILE = re.compile(r"(?P<file>[^:]+\.py):")
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
        value: Made = self._made[key]
        return value

    def path(self, name: str) -> str:
        """The path of a name relative to the gate file; the name itself if no such file or folder exists."""
        return str(self.folder / name) if os.path.exists(self.folder / name) else name

    def source(self, name: str) -> str:
        """A collection as `load` takes it; a name in the catalog takes precedence over a path."""
        return name if "/" not in name and name in names() else self.path(name)


class MeasuredSystem:
    """A system with its study, its rankings and its values."""

    def __init__(self, system: System, shared: Shared) -> None:
        self._values: Mapping[str, Any] = system.values
        self._shared = shared
        self._evaluations: dict[Measure, Evaluation] = {}

    @property
    def label(self) -> str:
        """A description of the system.

        >>> MeasuredSystem(System("", 1, {"collection": "cranfield", "model": "bm25"}), Shared(Path())).label
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
        return int(self._values.get("k", DEPTH))

    @cached_property
    def study(self) -> Study:
        """The study of the system; those of systems on the same source share what is read and built."""
        values = self._values
        topics: Any = {name: self._shared.source(values[name]) for name in ("queries", "qrels") if name in values}
        if "collection" not in values:
            topics["threshold"] = values.get("threshold")
            return Study(None, topics)
        reading = {name: values[name] for name in READING if name in values}
        if "queries" in topics:
            topics["query_reading"] = {"fields": reading.pop("query_fields", None)}
        study = self._shared.once(("study", self._analysed, str(topics)), lambda: self._analysed.with_(**topics))
        return study.with_(threshold=values.get("threshold"))

    @cached_property
    def _analysed(self) -> Study:
        """The documents with their own queries and judgments, and how they are analysed."""
        values = self._values
        source = self._shared.source(values["collection"])
        replaced = ("query_fields",) if "queries" in values else ()  # it is about the queries that are given
        reading = {name: values[name] for name in READING if name in values and name not in replaced}
        analysis = {name: values[name] for name in ANALYSIS if name in values} if self.searches else {}
        if analysis and is_index_folder(source):
            raise ArgumentError(
                f"'{source}' is an index, which stores its own analysis: leave out {next(iter(analysis))}"
            )
        if "stop" in analysis:
            analysis["stop"] = self._shared.path(analysis["stop"])
        if is_function(analysis.get("tokens", "")):
            file, _, name = analysis["tokens"].rpartition(":")
            analysis["tokens"] = f"{self._shared.path(file)}:{name}"
        models = [self.model] if self.searches else []
        key = ("analysed", source, *reading.items(), *analysis.items(), index_needs(*models))
        return self._shared.once(
            key, lambda: Study.of(source, reading=reading, analyzer=analysis, models=models, doubts=False)
        )

    @cached_property
    def model(self) -> Model | Mixture:
        """The model, whose files are beside the gate file."""
        file = _FILE.match(self._model)
        return find_model(
            self._model if file is None else self._shared.path(file["file"]) + self._model[file.end() - 1 :]
        )

    @cached_property
    def collection(self) -> Collection | None:
        """The collection that supplies the queries; None for a run with judgments of its own."""
        return self.study.collection

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments."""
        missing = "qrels" not in self._values and (self.collection is None or not len(self.collection.qrels))
        if missing:
            raise ArgumentError(f"'{self._values['collection']}' has no judgments; expected a key qrels beside it")
        return self.study.qrels

    @cached_property
    def searcher(self) -> Searcher:
        """The index with the model."""
        return Searcher(self._analysed.index, self.model)

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
            threshold = self.study.stated_threshold
            self._evaluations[measure] = evaluate(self.run, self.qrels, [measure], threshold=threshold)
        return self._evaluations[measure]

    def _tell_doubts(self) -> None:
        """Note what makes the judgments doubtful; of systems on the same collection, once."""
        if self.searches and self.collection is not None:
            key = ("doubts", self.searcher.index, self._values.get("queries"), self._values.get("qrels"))
            self._shared.once(key, lambda: [*map(note, self.study.doubts)])
            tell_own_queries(self.collection, [self.model])
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
