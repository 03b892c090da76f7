"""Gate of a build: compare the expectations in a file with the rankings and values of its systems."""

from __future__ import annotations

import math
import os
import re
import textwrap
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from toysearch.base import (
    ArgumentError,
    DataError,
    Part,
    Qrels,
    Result,
    ResultTable,
    Run,
    ToysearchError,
    a,
    counted,
    note,
    number_columns,
    table_columns,
    without_notes,
)
from toysearch.base.rendering import flowed, opening, render
from toysearch.base.run_order import ordered
from toysearch.collection.catalog import collections
from toysearch.evaluation import Measure, mean_measures
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.lint import suspicions
from toysearch.files import ReadingReport, is_file, read_run, source_of
from toysearch.files.source import AnyPath
from toysearch.retrieval import Searcher
from toysearch.study.known_item_queries import ItemSettings, known_items
from toysearch.study.study import DEPTH, Study, StudySource, model_in, note_own_queries, ranked_of
from toysearch.workbench.gate_file import Expectation, GateSystem, Item, read_gate

__all__ = ["GateResult", "gate"]


Made = TypeVar("Made")


class Shared:
    """Collections and indexes shared by the systems of a file, each made once."""

    def __init__(self, folder: Path, report: ReadingReport) -> None:
        self.folder, self.report = folder, report
        self._made: dict[Any, Any] = {}

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
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
    """System of a file with its study, its rankings and its values."""

    def __init__(self, values: GateSystem, shared: Shared, ties: str) -> None:
        self._values, self._shared = values, shared
        self._ties = ties  # the order of equal scores in all systems: see `Gate.ties`
        self._model = str(values.get("model", "bm25"))
        self.searches = "run" not in values  # it has an index that can be searched for a text

    @property
    def label(self) -> str:
        """Describe the system.

        >>> MeasuredSystem({"collection": "cranfield", "model": "bm25"}, Shared(Path(), ReadingReport()), "rank").label
        'bm25 on cranfield'
        """
        return f"{self._model} on {self._values['collection']}" if self.searches else str(self._values["run"])

    @cached_property
    def study(self) -> Study:
        """Return the study of the system; systems on the same source share what is read and built."""
        given = {name: self._shared.source(self._values[name]) for name in ("queries", "qrels") if name in self._values}
        topics: Any = {name: self._file(path) if is_file(path) else path for name, path in given.items()}
        if "collection" not in self._values:
            return self._shared.once(str(given), lambda: Study.of(StudySource(None, **topics)))
        source, items = self._shared.source(self._values["collection"]), self._values.get("known_items")
        study = self._shared.once((source, items, str(given)), lambda: _studied(source, items).with_topics(**topics))
        return study.with_models([self._ranked]) if self.searches else study

    def _file(self, path: str) -> Any:
        return source_of(path, report=self._shared.report)

    @cached_property
    def _ranked(self) -> Any:
        """Model or system; the file of a function is relative to the gate file."""
        file = re.match(r"[^:]+\.py(?=:)", self._model)
        return ranked_of(self._shared.path(file[0]) + self._model[file.end() :] if file else self._model)

    @cached_property
    def qrels(self) -> Qrels:
        """Return the judgments; refuse a collection without any."""
        collection = self.study.collection()
        if "qrels" not in self._values and (collection is None or not len(collection.qrels)):
            raise ArgumentError(
                f"'{self._values['collection']}' has no judgments; expected a key qrels or known_items beside it"
            )
        return self.study.qrels()

    @cached_property
    def searcher(self) -> Searcher:
        """Return a searcher for the index and the model."""
        return self.study.searcher(self._ranked)

    @cached_property
    def run(self) -> Run:
        """Return the rankings of all queries, by rank."""
        collection = self.study.collection()
        if not self.searches:
            run = read_run(self._file(self._shared.path(self._values["run"])))
        elif collection is None:
            raise ArgumentError(
                f"the index '{self._values['collection']}' was not built from a named collection and has no queries; "
                "a query can be given as text"
            )
        else:
            run = self.searcher.run(collection.queries, DEPTH, ties=self._ties)
        return ordered(run, None if run.ranked else self._ties)[0]

    def evaluation(self, measure: Measure) -> Evaluation:
        """Return the values of a measure."""
        self._shared.once(("told", id(self)), self._note_doubts)
        return evaluate(self.run, self.qrels, [measure], threshold=self.study.stated_threshold())

    def _note_doubts(self) -> None:
        """Note what makes the judgments doubtful, once for all systems on the same collection."""
        collection = self.study.collection()
        if not self.searches:
            for sentence in suspicions(self.run, self.qrels, self._shared.path(self._values["run"])):
                note(f"{self.label}: {sentence}")
        elif collection is not None:
            key = ("doubts", self.searcher.index, self._values.get("queries"), self._values.get("qrels"))
            self._shared.once(key, lambda: [*map(note, self.study.doubts())])
            note_own_queries(collection, [model_in(self._ranked)])

    def failing(self, query_id: str, value: float, baseline: float | None = None) -> FailingQuery:
        """Return a query that violates an expectation, with its text."""
        collection = self.study.collection()
        query = None if collection is None else collection.queries.get(query_id)
        return FailingQuery(query_id, "" if query is None else query.text, value, baseline)

    def ranking(self, values: Item) -> tuple[str, list[str]]:
        """Return the query of an expectation in words, and its documents, best first."""
        if "text" in values:
            if not self.searches:
                raise ArgumentError("a text needs a collection to search, but this system is a run; give query instead")
            return f"'{values['text']}'", self.searcher.search(values["text"], DEPTH, ties=self._ties).doc_ids
        query_id, collection = values["query"], self.study.collection()
        if query_id not in self.run and collection is not None:
            collection.query(query_id)  # an unknown one is refused
        if query_id not in self.run and query_id not in self.qrels:
            raise ArgumentError(f"neither the run nor the judgments have a query '{query_id}'")
        return f"query {query_id}", self.run.doc_ids_of(query_id)


def _studied(source: str, items: ItemSettings | None) -> Study:
    study = Study.of(source)
    return study if items is None else study.with_known_items(known_items(study, **items._asdict()))


_POOREST = 5  # queries named by a failure that no single query causes
_AHEAD = 5  # documents named ahead of one that ranks too low
_MOST_QUERIES = 10  # queries of a failure in its text; JSON has them all
_TEXT = 40  # the least number of characters shown of a query
_INDENT = " " * 5
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
    measure, query_id, least = values["measure"], values.get("query"), values["at_least"]
    evaluation = system.evaluation(measure)
    if query_id is not None and query_id not in evaluation.per_query:
        raise ArgumentError(f"query '{query_id}' has no judgments, so no value of {measure}")
    value = evaluation[measure] if query_id is None else evaluation.per_query[query_id][str(measure)]
    whose = f"of {system.label}" if query_id is None else f"of query {query_id} under {system.label}"
    what = f"{measure} {whose} is at least {least:g}"
    if value >= least:
        return outcome(what, True, f"{value:.4f}", value=value)
    if math.isnan(value):
        return outcome(what, False, "undefined", "it is undefined: no relevant document is judged")
    gap = least - value
    reason = f"it is {value:.4f}, {gap:.4f} too low" if gap >= 0.00005 else f"it is {value:.4f}, {gap:.2g} too low"
    worst = evaluation.worst(measure)[:_POOREST] if query_id is None else []
    return outcome(what, False, f"{value:.4f}", reason, value, tuple(system.failing(*each) for each in worst))


def _rank(outcome: Make, values: Item, system: MeasuredSystem, *, inside: bool) -> Outcome:
    wanted, n = values["documents"], values["in_first" if inside else "not_in_first"]
    query, ranked = system.ranking(values)
    documents = f"document{'s' * (len(wanted) > 1)} {', '.join(wanted)}"
    verb = "has" if inside else "does not have"
    what = f"{query} {verb} {documents} {f'in the first {n}' if n > 1 else 'first'} ({system.label})"
    ranks = {doc_id: rank for rank, doc_id in enumerate(ranked, 1)}
    reached = ", ".join(f"rank {ranks[doc_id]}" if doc_id in ranks else "not retrieved" for doc_id in wanted)
    wrong = [doc_id for doc_id in wanted if (ranks.get(doc_id, math.inf) <= n) != inside]
    if not wrong:
        return outcome(what, True, reached)
    sentences = []
    for doc_id in wrong:
        if doc_id in ranks:
            sentences.append(f"document {doc_id} is at rank {ranks[doc_id]}")
        elif system.searches and system.searcher.index.find_document(doc_id) < 0:
            sentences.append(f"the collection has no document '{doc_id}'")
        else:
            sentences.append(f"document {doc_id} is not among the {len(ranked):,} that are retrieved")
    if inside:
        first = ranked[: min(n, _AHEAD)]
        come = "come" if len(first) > 1 else "comes"
        sentences.append(f"first {come} {', '.join(first)}" if first else "nothing is retrieved")
    return outcome(what, False, reached, "; ".join(sentences))


def _found(outcome: Make, values: Item, system: MeasuredSystem) -> Outcome:
    query, ranked = system.ranking(values)
    most, n = values["finds_at_most"], len(ranked)
    what = f"{query} finds {f'at most {most:,}' if most else 'nothing'} ({system.label})"
    found = counted(n, "document")
    if n <= most:
        return outcome(what, True, found, value=n)
    return outcome(what, False, found, f"it finds {found}, first {', '.join(ranked[:_AHEAD])}", n)


def _fall(outcome: Make, values: Item, system: MeasuredSystem, baseline: MeasuredSystem) -> Outcome:
    measure, limit = values["measure"], values["query_may_fall_by"]
    mean_measures([measure])
    name, theirs = str(measure), baseline.evaluation(measure).per_query
    verb = "fall" if measure.sign > 0 else "rise"  # which is to the worse
    falls = []
    for query_id, row in system.evaluation(measure).per_query.items():
        after, before = row[name], theirs.get(query_id, {}).get(name, math.nan)
        if not math.isnan(after) and not math.isnan(before):
            fall = 0.0 if after == before else measure.sign * (before - after)  # 0 also of two infinite values
            falls.append((fall, system.failing(query_id, after, before)))
    if not falls:
        raise ArgumentError(f"{system.label} and the baseline {baseline.label} have no query with a value in common")
    falls.sort(key=lambda pair: -pair[0])
    fall = falls[0][0]
    what = f"{measure} of no query {verb}s by more than {limit:g} from {baseline.label} to {system.label}"
    change = f"largest {verb} {max(fall, 0.0) + 0.0:.4f}"
    fallen = tuple(query for size, query in falls if size > limit + _ROUNDING)
    if not fallen:
        return outcome(what, True, change, value=fall)
    many = counted(len(falls), "query", "queries")
    reason = f"{len(fallen)} of {many} {verb}{'s' * (len(fallen) == 1)} by more, one by {fall:.4f}"
    return outcome(what, False, change, reason, fall, fallen)


_CHECKS: dict[str, Callable[..., Outcome]] = {
    "at_least": _value,
    "in_first": partial(_rank, inside=True),
    "not_in_first": partial(_rank, inside=False),
    "finds_at_most": _found,
    "query_may_fall_by": _fall,
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
        systems = [
            self._shared.once(("system", id(system), ties), partial(MeasuredSystem, system, self._shared, ties))
            for system in (expectation.system, expectation.baseline)
            if system
        ]
        try:
            make = partial(Outcome, expectation.line)
            outcome = _CHECKS[expectation.goal](make, expectation.values, *systems)
        except (ToysearchError, OSError) as error:
            problem = str(error)
            if isinstance(error, OSError):  # a name that is invalid for a file
                problem = f"{error.strerror}: {str(error.filename)[:60]!r}"
            raise DataError(f"{self.path}:{expectation.line}: {problem}") from error
        name = expectation.values.get("name")
        return outcome if name is None else outcome._replace(what=f"{name}: {outcome.what}")


@dataclass(frozen=True, repr=False)
class GateResult(Result):
    """Outcomes of the expectations in a file.

    Attributes
    ----------
    path : str
        The file.
    passed : bool
        True if all expectations hold and there is at least one.
    ties : {"rank", "trec_eval"}
        The order of equal scores in all systems: the one that the file names, else that of trec_eval if one is a run.
    outcomes : tuple of Outcome
        One per expectation, in the order of the file.
    """

    path: str
    passed: bool
    ties: str
    outcomes: tuple[Outcome, ...]

    @property
    def failures(self) -> list[Outcome]:
        """Return the outcomes of the expectations that do not hold."""
        return [outcome for outcome in self.outcomes if not outcome.passed]

    def __repr__(self) -> str:
        passed = len(self.outcomes) - len(self.failures)
        return f"<GateResult of {self.path}: {passed} of {counted(len(self.outcomes), 'expectation')} met>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the outcome of each expectation."""
        columns = table_columns("line", "passed", "what", "found", "reason")
        return [
            ResultTable(columns, [[one.line, one.passed, one.what, one.found, one.reason] for one in self.outcomes])
        ]

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
        n, failed = len(self.outcomes), len(self.failures)
        of_all = counted(n, "expectation")
        said = f"{failed:,} of {of_all} fail{'s' * (failed == 1)}" if failed else f"{of_all} hold{'s' * (n == 1)}"
        return [f"{said} · ties {self.ties}"]


def failure_text(outcome: Outcome, width: int | None = None) -> str:
    """Return the expectation, why it fails, and the queries that violate it, worst first."""
    lines = [flowed(text, width, _INDENT, _INDENT) for text in (outcome.what, outcome.reason)]
    if outcome.queries:
        room = max(_TEXT, (width or 80) - len(_INDENT) - 30)
        columns = table_columns("query", number_columns(".4f", "value", "baseline"), "text")
        worst = outcome.queries[:_MOST_QUERIES]
        rows = [[one.query_id, one.value, one.baseline, opening(one.text, room)] for one in worst]
        filled = [place for place in range(len(columns)) if any(row[place] not in (None, "") for row in rows)]
        shown = render([columns[place] for place in filled], [[row[place] for place in filled] for row in rows])
        lines.append(textwrap.indent(shown, _INDENT))
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
    outcomes = tuple(map(tested.test, tested.expectations))
    passed = bool(outcomes) and all(outcome.passed for outcome in outcomes)
    return GateResult(str(path), passed, tested.ties, outcomes)
