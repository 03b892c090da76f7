"""Gate of a build: compare the expectations in a file with the rankings and values of its systems."""

from __future__ import annotations

import math
import os
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from toysearch.analysis.tokenizer import is_function
from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    Part,
    Qrels,
    Result,
    ResultTable,
    Run,
    TextNeeds,
    ToysearchError,
    a,
    counted,
    note,
    number_columns,
    plain,
    table_columns,
    without_notes,
)
from toysearch.base.rendering import flowed, opening, render
from toysearch.base.run_order import of_one_table, ordered
from toysearch.collection.catalog import collections
from toysearch.collection.collection import Collection
from toysearch.collection.queries import lists_ids, queries_given
from toysearch.evaluation import Measure, mean_measures
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.lint import suspicions
from toysearch.evaluation.values_and_means import over_needs
from toysearch.files import (
    SETTINGS,
    Reading,
    ReadingReport,
    Source,
    is_file,
    read_qrels,
    read_run,
    settings_for,
    source_of,
)
from toysearch.files.source import AnyPath
from toysearch.index import is_index_folder
from toysearch.models import index_needs
from toysearch.retrieval import Searcher
from toysearch.study.compare.margin import least_gain, queries_to_settle, settled_by, two_one_sided
from toysearch.study.known_item_queries import known_items
from toysearch.study.study import (
    DEPTH,
    Study,
    StudySource,
    indexed_as,
    model_in,
    note_own_queries,
    ranked_of,
)
from toysearch.workbench.gate_file import ANALYSIS, READING, Expectation, GateSystem, Item, read_gate

if TYPE_CHECKING:
    from toysearch.study.system import ModelOrSystem

__all__ = ["GateResult", "gate"]


_OF_QUERIES, _OF_QRELS = settings_for("queries", "file"), settings_for("qrels", "file")
_OF_TOPICS = (*_OF_QUERIES, *_OF_QRELS)
"""Keys for reading files of queries and judgments."""
Made = TypeVar("Made")


class Shared:
    """Collections and indexes shared by the systems of a file, each made once."""

    def __init__(self, folder: Path, report: ReadingReport) -> None:
        self.folder, self.report = folder, report
        self._made: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """Return the object kept for a key, making it at first use."""
        if key not in self._made:
            self._made[key] = make()
        return cast(Made, self._made[key])

    def path(self, name: str) -> str:
        """Return the path of a name relative to the gate file, or the name itself if no such file or folder exists."""
        return str(self.folder / name) if os.path.exists(self.folder / name) else name

    def source(self, name: str) -> str:
        """Return a collection in the form `load` takes; a name in the catalog takes precedence over a path."""
        return name if "/" not in name and name in collections() else self.path(name)


class MeasuredSystem:
    """GateSystem with its study, its rankings and its values."""

    def __init__(self, values: GateSystem, shared: Shared, ties: str) -> None:
        self._values, self._shared = values, shared
        self._ties = ties  # the order of equal scores in all systems: see `Gate.ties`
        self._evaluations: dict[tuple[Measure, int | None], Evaluation] = {}

    @property
    def label(self) -> str:
        """Describe the system.

        >>> MeasuredSystem({"collection": "cranfield", "model": "bm25"}, Shared(Path(), ReadingReport()), "rank").label
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
        """True if the system has an index that can be searched for a text."""
        return "run" not in self._values

    @property
    def depth(self) -> int:
        """Return the maximum number of documents retrieved per query."""
        return int(self._values.get("k", DEPTH))

    @cached_property
    def study(self) -> Study:
        """Return the study of the system; systems on the same source share what is read and built."""
        values = self._values
        sources: Any = {name: self._shared.source(values[name]) for name in ("queries", "qrels") if name in values}
        key = (str(sources), str(self._given(*_OF_TOPICS)))
        topics = self._shared.once(("topics", *key), lambda: self._read(sources))
        if "collection" not in values:
            return Study.of(StudySource(None, **topics)).with_scoring(threshold=values.get("threshold"))
        study = self._shared.once(("study", self._analysed, *key), lambda: self._analysed.with_topics(**topics))
        return study.with_scoring(threshold=values.get("threshold"))

    def _read(self, topics: dict[str, str]) -> dict[str, Any]:
        """Read the files of queries and judgments that need more than their names; other names stay."""
        values = self._values
        replaced: dict[str, Any] = {
            name: self._source(path) if is_file(path) else path for name, path in topics.items()
        }
        if {*_OF_QRELS} & values.keys() and is_file(topics.get("qrels", "")):
            replaced["qrels"] = read_qrels(
                replaced["qrels"], values.get("qrels_columns"), **self._given("on_error", "grades")
            )
        queries = replaced.get("queries", "")  # of ids alone, they choose among those of the collection
        if {*_OF_QUERIES} & values.keys() and is_file(queries) and not lists_ids(queries):
            reading = Reading(**self._given(*_OF_QUERIES), report=self._shared.report)
            replaced["queries"] = queries_given(queries, reading)
        return replaced

    def _source(self, path: str) -> Source:
        return Source(path, Reading(encoding=self._values.get("encoding"), report=self._shared.report))

    def _given(self, *names: str) -> dict[str, Any]:
        return {name: self._values[name] for name in names if name in self._values}

    @cached_property
    def _analysed(self) -> Study:
        values = self._values
        source = self._shared.source(values["collection"])
        reading = self._given(*READING)
        of_given = Reading(query_fields=reading.pop("query_fields", None)) if "queries" in values else Reading()
        for part, names in (("queries", _OF_QUERIES), ("qrels", _OF_QRELS)):
            for name in names if is_file(self._shared.source(values.get(part, ""))) else ():
                if SETTINGS[name].role == part:  # it is for the file that replaces them
                    reading.pop(name, None)
        analysis = self._given(*ANALYSIS)
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
        needs = index_needs(*map(model_in, models)), *map(indexed_as, models)
        how = values.get("known_items")
        of_source = ("analysed", source, str(reading), str(of_given), how)
        key = (*of_source, *analysis.items(), *needs)
        given = StudySource(source, reading=Reading(**reading), query_reading=of_given, analysis=analysis)
        study = Study.of(given)
        if how is not None:
            items = self._shared.once(of_source, lambda: known_items(study, **how._asdict()))
            study = study.with_known_items(items)
        return self._shared.once(key, lambda: study.with_models(models))

    @cached_property
    def model(self) -> ModelOrSystem:
        """Return the model, or the system; its files are relative to the gate file."""
        file = re.match(r"(?P<file>[^:]+\.py):", self._model)
        return ranked_of(
            self._model if file is None else self._shared.path(file["file"]) + self._model[file.end() - 1 :]
        )

    @cached_property
    def collection(self) -> Collection | None:
        """Return the collection that supplies the queries; None for a run with judgments of its own."""
        return self.study.collection()

    @cached_property
    def qrels(self) -> Qrels:
        """Return the judgments; refuse a collection without any."""
        if "qrels" not in self._values and (self.collection is None or not len(self.collection.qrels)):
            raise ArgumentError(
                f"'{self._values['collection']}' has no judgments; expected a key qrels or known_items beside it"
            )
        return self.study.qrels()

    @cached_property
    def searcher(self) -> Searcher:
        """Return a searcher for the index and the model."""
        return self._analysed.searcher(self.model)

    @cached_property
    def run(self) -> Run:
        """Return the rankings of all queries, by rank."""
        if not self.searches:
            run = read_run(self._source(self._shared.path(self._values["run"])), **self._given("on_error"))
        elif self.collection is None:
            raise ArgumentError(
                f"the index '{self._values['collection']}' was not built from a named collection and has no queries; "
                "a query can be given as text"
            )
        else:
            run = self.searcher.run(self.collection.queries, self.depth, ties=self._ties)
        return ordered(run, None if run.ranked else self._ties)[0]

    def query_text(self, query_id: str) -> str:
        """Return the text of a query; "" if unknown."""
        query = None if self.collection is None else self.collection.queries.get(query_id)
        return "" if query is None else query.text

    def evaluation(self, measure: Measure, beside: MeasuredSystem | None = None) -> Evaluation:
        """Return the values of a measure; a run beside a model has the depth of the model."""
        k = beside.depth if beside is not None and beside.searches and not self.searches else None
        if not self._evaluations:
            self._note_doubts()
        if (measure, k) not in self._evaluations:
            threshold, [run] = self.study.stated_threshold(), of_one_table([self.run], k=k)
            self._evaluations[measure, k] = evaluate(run, self.qrels, [measure], threshold=threshold)
        return self._evaluations[measure, k]

    def _note_doubts(self) -> None:
        """Note what makes the judgments doubtful, once for all systems on the same collection."""
        if self.searches and self.collection is not None:
            key = ("doubts", self.searcher.index, self._values.get("queries"), self._values.get("qrels"))
            self._shared.once(key, lambda: [*map(note, self.study.doubts())])
            note_own_queries(self.collection, [model_in(self.model)])
        elif not self.searches:
            for sentence in suspicions(self.run, self.qrels, self._shared.path(self._values["run"])):
                note(f"{self.label}: {sentence}")

    def ranking(self, query_id: str | None, text: str | None) -> list[str]:
        """Return the documents for a query, best first."""
        if text is not None:
            if not self.searches:
                raise ArgumentError("a text needs a collection to search, but this system is a run; give query instead")
            return self.searcher.search(text, self.depth, ties=self._ties).doc_ids
        assert query_id is not None
        if query_id not in self.run and self.collection is not None:
            self.collection.query(query_id)
        if query_id not in self.run and query_id not in self.qrels:
            raise ArgumentError(f"neither the run nor the judgments have a query '{query_id}'")
        return self.run.doc_ids_of(query_id)

    def holds(self, doc_id: str) -> bool:
        """True if the index has a document, and for a run, where this is unknown."""
        return not self.searches or self.searcher.index.find_document(doc_id) >= 0


_POOREST = 5  # queries named by a failure that no single query causes
_AHEAD = 5  # documents named ahead of one that ranks too low
_MOST_QUERIES = 10  # queries of a failure in its text; JSON has them all
_TEXT = 40  # the least number of characters shown of a query
_INDENT = " " * 5
ALPHA = 0.05
"""Level of the test behind *no worse than*."""

_ROUNDING = 1e-12  # a fall from 0.3 to 0.1 counts as 0.2 despite binary rounding


class FailingQuery(NamedTuple):
    """Query on which a system fails an expectation."""

    # query_id, text: the query; text is "" if unknown
    query_id: str
    text: str
    value: float  # the value of the measure
    baseline: float | None = None  # the value of the baseline


class Outcome(NamedTuple):
    """Outcome of an expectation."""

    line: int  # its line in the file
    what: str  # the expectation in words
    passed: bool  # whether it holds
    found: str  # the value or rank found
    reason: str = ""  # why it does not hold; "" if it does
    value: float | None = None  # the value found, if it is a number
    queries: tuple[FailingQuery, ...] = ()  # the queries that violate it, worst first


Make = Callable[..., Outcome]
"""Makes the outcome of an expectation of what follows its line."""


def _value(outcome: Make, values: Item, system: MeasuredSystem) -> Outcome:
    measure, query_id = values["measure"], values.get("query")
    low, high = values.get("at_least", -math.inf), values.get("at_most", math.inf)
    evaluation = system.evaluation(measure)
    if query_id is not None and query_id not in evaluation.per_query:
        raise ArgumentError(f"query '{query_id}' has no judgments, so no value of {measure}")
    value = evaluation[measure] if query_id is None else evaluation.per_query[query_id][str(measure)]
    whose = f"of {system.label}" if query_id is None else f"of query {query_id} under {system.label}"
    limits = [f"{key.replace('_', ' ')} {values[key]:g}" for key in ("at_least", "at_most") if key in values]
    what = f"{measure} {whose} is {' and '.join(limits)}"
    if low <= value <= high:
        return outcome(what, True, f"{value:.4f}", value=value)
    if math.isnan(value):
        return outcome(what, False, "undefined", "it is undefined: no relevant document is judged")
    short = value < low
    reason = f"it is {value:.4f}, {_gap(low - value if short else value - high)} too {'low' if short else 'high'}"
    poorest = _poorest(system, measure)[:_POOREST] if query_id is None else []
    return outcome(what, False, f"{value:.4f}", reason, value, tuple(poorest))


def _gap(size: float) -> str:
    return f"{size:.4f}" if size >= 0.00005 else f"{size:.2g}"


def _poorest(system: MeasuredSystem, measure: Measure) -> list[FailingQuery]:
    worst = system.evaluation(measure).worst(measure)
    return [FailingQuery(query_id, system.query_text(query_id), value) for query_id, value in worst]


def _every_query(outcome: Make, values: Item, system: MeasuredSystem) -> Outcome:
    measure, least = values["measure"], values["every_query_at_least"]
    what = f"{measure} of every query under {system.label} is at least {least:g}"
    queries = sorted(_poorest(system, measure), key=lambda query: query.value)
    if not queries:
        return outcome(what, False, "undefined", "it is undefined for all queries")
    below = tuple(query for query in queries if query.value < least)
    lowest = queries[0].value
    low = f"lowest {lowest:.4f}"
    if not below:
        return outcome(what, True, low, value=lowest)
    are = "is" if len(below) == 1 else "are"
    reason = f"{len(below)} of {counted(len(queries), 'query', 'queries')} {are} below, the lowest with {lowest:.4f}"
    return outcome(what, False, low, reason, lowest, below)


def _ranking(values: Item, system: MeasuredSystem) -> tuple[str, list[str]]:
    """Return the query of an expectation in words, and its documents, best first."""
    query_id, text = values.get("query"), values.get("text")
    return f"'{text}'" if query_id is None else f"query {query_id}", system.ranking(query_id, text)


def _rank(outcome: Make, values: Item, system: MeasuredSystem) -> Outcome:
    documents_wanted = values["documents"]
    query, ranked = _ranking(values, system)
    ranks = {doc_id: rank for rank, doc_id in enumerate(ranked, 1)}
    inside = "in_first" in values
    n = values["in_first" if inside else "not_in_first"]
    documents = f"document{'s' * (len(documents_wanted) > 1)} {', '.join(documents_wanted)}"
    verb = "has" if inside else "does not have"
    place = f"in the first {n}" if n > 1 else "first"
    what = f"{query} {verb} {documents} {place} ({system.label})"
    places = {doc_id: ranks.get(doc_id) for doc_id in documents_wanted}
    reached = ", ".join(f"rank {rank}" if rank else "not retrieved" for rank in places.values())
    wrong = {doc_id: rank for doc_id, rank in places.items() if (rank is not None and rank <= n) != inside}
    if not wrong:
        return outcome(what, True, reached)
    sentences = []
    for doc_id, rank in wrong.items():
        if rank is not None:
            sentences.append(f"document {doc_id} is at rank {rank}")
        elif not system.holds(doc_id):
            sentences.append(f"the collection has no document '{doc_id}'")
        else:
            sentences.append(f"document {doc_id} is not among the {len(ranked):,} that are retrieved")
    if inside:
        first = ranked[: min(n, _AHEAD)]
        come = "come" if len(first) > 1 else "comes"
        sentences.append(f"first {come} {', '.join(first)}" if first else "nothing is retrieved")
    return outcome(what, False, reached, "; ".join(sentences))


def _found(outcome: Make, values: Item, system: MeasuredSystem) -> Outcome:
    query, ranked = _ranking(values, system)
    least, most = values.get("finds_at_least"), values.get("finds_at_most")
    number = f"at least {least:,}" if least else f"at most {most:,}" if most else "nothing"
    what = f"{query} finds {number} ({system.label})"
    n, found = len(ranked), counted(len(ranked), "document")
    if (least or 0) <= n <= (n if most is None else most):
        return outcome(what, True, found, value=n)
    first = f", first {', '.join(ranked[:_AHEAD])}" if n else ""
    return outcome(what, False, found, f"it finds {found}{first}", n)


def _values_of_both(
    measure: Measure, system: MeasuredSystem, baseline: MeasuredSystem
) -> tuple[dict[str, tuple[float, float]], TextNeeds]:
    """Query → the value of the system and that of the baseline, where both have one; and the needs of the queries."""
    mean_measures([measure])
    name, theirs = str(measure), baseline.evaluation(measure, system).per_query
    ours = system.evaluation(measure, baseline)
    rows = ours.per_query.items()
    pairs = {query_id: (row[name], theirs[query_id][name]) for query_id, row in rows if query_id in theirs}
    pairs = {query_id: pair for query_id, pair in pairs.items() if not any(map(math.isnan, pair))}
    if not pairs:
        raise ArgumentError(f"{system.label} and the baseline {baseline.label} have no query with a value in common")
    return pairs, ours.needs


def _change(after: float, before: float) -> float:
    """Return the difference; 0 also of two infinite values."""
    return 0.0 if before == after else before - after


def _fall(outcome: Make, values: Item, system: MeasuredSystem, baseline: MeasuredSystem) -> Outcome:
    measure = values["measure"]
    pairs, needs = _values_of_both(measure, system, baseline)
    sign, fall_or_rise = measure.sign, "fall" if measure.sign > 0 else "rise"  # which is to the worse
    falls = {query_id: sign * _change(after, before) for query_id, (after, before) in pairs.items()}
    order = sorted(falls, key=lambda query_id: -falls[query_id])
    queries = [FailingQuery(query_id, system.query_text(query_id), *pairs[query_id]) for query_id in order]
    between = f"from {baseline.label} to {system.label}"
    if "query_may_fall_by" in values:
        limit, fall = values["query_may_fall_by"], falls[order[0]]
        what = f"{measure} of no query {fall_or_rise}s by more than {limit:g} {between}"
        fallen = [query for query in queries if falls[query.query_id] > limit + _ROUNDING]
        change = f"largest {fall_or_rise} {max(fall, 0.0) + 0.0:.4f}"
        verb = f"{fall_or_rise}s" if len(fallen) == 1 else fall_or_rise
        reason = f"{len(fallen)} of {counted(len(queries), 'query', 'queries')} {verb} by more, one by {fall:.4f}"
    else:
        limit = values["mean_may_fall_by"]
        _, of_needs = over_needs([*pairs], np.array([*pairs.values()]), needs)
        after, before = (math.fsum(column) / len(of_needs) for column in of_needs.T.tolist())
        fall = sign * _change(after, before)
        what = f"the mean {measure} does not {fall_or_rise} by more than {limit:g} {between}"
        fallen = [query for query in queries if falls[query.query_id] > 0][:_POOREST]
        change = f"{before:.4f} → {after:.4f}"
        reason = f"it {fall_or_rise}s from {before:.4f} to {after:.4f}, by {_gap(fall)}"
    if fall <= limit + _ROUNDING:
        return outcome(what, True, change, value=fall)
    return outcome(what, False, change, reason, fall, tuple(fallen))


def _not_worse(outcome: Make, values: Item, system: MeasuredSystem, baseline: MeasuredSystem) -> Outcome:
    measure, margin = values["measure"], values["margin"]
    pairs, needs = _values_of_both(measure, system, baseline)
    sign = measure.sign
    gains = sign * np.array([_change(before, after) for after, before in pairs.values()])
    order = sorted(pairs, key=dict(zip(pairs, gains.tolist(), strict=True)).__getitem__)
    fallen = [FailingQuery(query_id, system.query_text(query_id), *pairs[query_id]) for query_id in order[:_POOREST]]
    what = f"the mean {measure} of {system.label} is not worse than that of {baseline.label} by {margin:g} or more"
    if infinite := int(np.isinf(gains).sum()):
        of_which = counted(infinite, "query", "queries")
        reason = f"no test is possible: the difference of {of_which} is infinite; take a finite measure, such as RR"
        return outcome(what, False, "", reason, None, tuple(fallen))
    of_needs = over_needs([*pairs], gains, needs)[1]
    least, gain, n = least_gain(of_needs, ALPHA), float(of_needs.mean()), len(of_needs)
    bounds = f"mean difference {sign * gain + 0.0:+.4f}"
    found = f"{bounds}, with 95% confidence {'at most' if sign < 0 else 'at least'} {sign * least + 0.0:+.4f}"
    if two_one_sided(of_needs, margin).p_not_worse < ALPHA:
        return outcome(what, True, found, value=gain)
    number = settled_by(queries_to_settle(of_needs, margin, ALPHA), sign * gain, n, needs.kind)
    reason = f"that is not shown: {found}; {number}" if gain > -margin else f"it is not: {found}"
    return outcome(what, False, found, reason, gain, tuple(fallen))


_CHECKS: Mapping[str, Callable[..., Outcome]] = {
    "value": _value,
    "every query": _every_query,
    "rank": _rank,
    "found": _found,
    "fall": _fall,
    "not worse": _not_worse,
}


class Gate:
    """Expectations of a file, to be tested one by one or all."""

    def __init__(self, path: AnyPath) -> None:
        self.path, self.expectations = Path(path), read_gate(path)
        self._shared = Shared(self.path.parent, source_of(path).reading.report)
        systems = [system for one in self.expectations for system in (one.system, one.baseline) if system]
        named = [system["ties"] for system in systems if "ties" in system]
        has_run = any("run" in system for system in systems)
        self._names_ties = bool(named)
        # The order of equal scores in all systems: the one that the file names, else that of trec_eval if one is a run.
        self.ties = named[0] if named else "trec_eval" if has_run else "rank"

    def test(self, expectation: Expectation) -> Outcome:
        """Test an expectation; if only the order of equal scores that nobody chose makes it fail, say so."""
        outcome = self._outcome(expectation, self.ties)
        if outcome.passed or self._names_ties or self.ties == "rank":
            return outcome
        with without_notes():
            holds = self._outcome(expectation, "rank").passed
        by_rank = f'{outcome.reason}; it holds with ties = "rank" where the system is defined'
        return outcome._replace(reason=by_rank) if holds else outcome

    def _outcome(self, expectation: Expectation, ties: str) -> Outcome:
        try:
            given = [system for system in (expectation.system, expectation.baseline) if system]
            systems = [
                self._shared.once(("system", id(one), ties), partial(MeasuredSystem, one, self._shared, ties))
                for one in given
            ]
            make = partial(Outcome, expectation.line)
            outcome = _CHECKS[expectation.kind](make, expectation.values, *systems)
        except ToysearchError as error:
            raise DataError(f"{self.path}:{expectation.line}: {error}") from error
        except OSError as error:  # a name that is invalid for a file
            raise DataError(
                f"{self.path}:{expectation.line}: {error.strerror}: {str(error.filename)[:60]!r}"
            ) from error
        name = expectation.values.get("name")
        return outcome if name is None else outcome._replace(what=f"{name}: {outcome.what}")


@dataclass(frozen=True, repr=False)
class GateResult(Result):
    """Outcomes of the expectations in a file.

    Attributes
    ----------
    path : str
        The file.
    outcomes : tuple of Outcome
        One per expectation, in the order of the file.
    ties : {"rank", "trec_eval"}
        The order of equal scores in all systems: the one that the file names, else that of trec_eval if one is a run.
    """

    path: str
    outcomes: tuple[Outcome, ...]
    ties: str = "rank"

    @property
    def passed(self) -> bool:
        """True if all expectations hold and there is at least one."""
        return bool(self.outcomes) and not self.failures

    @property
    def failures(self) -> list[Outcome]:
        """Return the outcomes of the expectations that do not hold."""
        return [outcome for outcome in self.outcomes if not outcome.passed]

    def __repr__(self) -> str:
        passed = len(self.outcomes) - len(self.failures)
        return f"<GateResult of {self.path}: {passed} of {counted(len(self.outcomes), 'expectation')} met>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the outcome of each expectation."""
        names = ("line", "passed", "what", "found", "reason")
        rows = [[getattr(outcome, name) for name in names] for outcome in self.outcomes]
        return [ResultTable([*map(Column, names)], rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the failures with their reasons, then one line per expectation that holds."""
        failures = [f"FAIL {self.path}:{one.line}\n{failure_text(one, wrap)}" for one in self.failures]
        passes = [
            flowed(f"pass {self.path}:{one.line} {one.what}: {one.found}", wrap, "", _INDENT)
            for one in self.outcomes
            if one.passed
        ]
        return ["\n".join([*failures, *passes])]

    def about(self) -> list[str]:
        """Say how many expectations fail, or that all hold."""
        if not self.outcomes:
            return [f"{self.path}: no expectation found; expected one table [[expect]] per expectation"]
        failed, expectations = len(self.failures), counted(len(self.outcomes), "expectation")
        if failed:
            return [f"{failed:,} of {expectations} {'fails' if failed == 1 else 'fail'} · ties {self.ties}"]
        return [f"{expectations} {'holds' if len(self.outcomes) == 1 else 'hold'} · ties {self.ties}"]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {"path": self.path, "passed": self.passed, "ties": self.ties, "outcomes": plain(self.outcomes)}


def failure_text(outcome: Outcome, width: int | None = None) -> str:
    """Return the expectation, why it fails, and the queries that violate it, worst first."""
    lines = [flowed(text, width, _INDENT, _INDENT) for text in (outcome.what, outcome.reason)]
    if outcome.queries:
        compared = any(query.baseline is not None for query in outcome.queries)
        columns = table_columns("query", number_columns(".4f", "value", *["baseline"] * compared))
        room = max(_TEXT, (width or 80) - len(_INDENT) - 30)
        rows = [
            [query.query_id, query.value, *([query.baseline] if compared else []), opening(query.text, room)]
            for query in outcome.queries[:_MOST_QUERIES]
        ]
        if any(row[-1] for row in rows):
            columns.append(Column("text"))
        lines.append(textwrap.indent(render(columns, [row[: len(columns)] for row in rows]), _INDENT))
        if len(outcome.queries) > _MOST_QUERIES:
            lines.append(f"{_INDENT}… and {len(outcome.queries) - _MOST_QUERIES:,} more")
    return "\n".join(lines)


def gate(path: AnyPath) -> GateResult:
    """Test the expectations about a ranking, for a build.

    FILE is a TOML file, kept with the code, with systems and expectations: a measure above a limit, a document among
    the first for a query, no query worse than under a baseline (`toysearch docs gate`). Failures are listed first, with
    the reason and the worst queries; each passing expectation takes one line. Under pytest, files named
    relevance*.toml are tests too.

    Parameters
    ----------
    path : str or Path
        The file; paths in it are relative to its folder. A system is a model on a collection, or a run.

    Returns
    -------
    GateResult
        Its `passed` is True only if the file has at least one expectation and all hold.

    Raises
    ------
    DataError
        If the file is malformed or an expectation cannot be tested; the message gives the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "relevance.toml")
    >>> _ = path.write_text('''
    ... collection = "cat-dog-parrot"
    ... model = "bm25"
    ...
    ... [[expect]]
    ... text = "train a parrot"
    ... document = 3
    ... in_first = 1
    ... ''')
    >>> result = gate(path)
    >>> result.passed, result.outcomes[0].found
    (True, 'rank 1')
    """
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(f"gate takes the path of a file of expectations, not {a(path)}; the file names the systems")
    tested = Gate(path)
    return GateResult(str(path), tuple(map(tested.test, tested.expectations)), tested.ties)
