"""Runs and judgments as arguments: in memory, or in a file."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Ranking,
    Run,
    ToysearchError,
    a,
    counted,
    note,
    some,
    without_notes,
)
from toysearch.base.documents import Frame
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.run_and_qrels import columns_of
from toysearch.files.columns import places_of
from toysearch.files.listed_documents import VALUES, listed
from toysearch.files.numbers import risen
from toysearch.files.rows_in_memory import ColumnsFrame, columns_in, is_frame, is_missing, triples_in_memory

_PAIR = {"query_id", "doc_id"}
_PLAIN_NAME = re.compile(r"\w[\w-]*")  # no path, and no name of a file, but perhaps of a model


Rows = Mapping[str, Sequence[Any]] | Iterable[tuple[str, str, float] | Mapping[str, Any]]
"""Rows of query, document and value: columns by their names, or records."""
RunLike = Run | Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]] | Frame | Rows | str | PathLike[str]
_GROUPS = (Mapping, list, np.ndarray)
RunsLike = Mapping[str, RunLike] | Iterable[RunLike]
_ORDER = "; runs come first, then the judgments, as in evaluate(run, qrels)"


@runtime_checkable
class HasJudgments(Protocol):
    """Collection, as far as its judgments are needed."""

    @property
    def name(self) -> str:
        """Name in messages."""

    @property
    def qrels(self) -> Qrels:
        """Judgments; empty if it has none."""

    @property
    def threshold(self) -> float:
        """Lowest relevant grade."""


Judged = Mapping[str, float] | Collection[str]
"""Documents of a query with their grades, or those that are relevant."""
QrelsLike = Qrels | Mapping[str, Judged] | Frame | Rows | str | PathLike[str] | HasJudgments


class Graded(NamedTuple):
    """Judgments, and the relevance threshold if a collection states one."""

    qrels: Qrels
    threshold: float | None = None


def as_run(source: RunLike, judged: object = None) -> Run:
    """Check the given run: it has a query, and each score is a number."""
    # Documents that are judged, if these are `Qrels`, are ranked while dicts are read; ids of judgments in any form
    # show what columns of unknown names hold.
    if isinstance(source, str) and _PLAIN_NAME.fullmatch(source) and not Path(source).exists():
        raise DataError(
            f"{source}: there is no such file{_ORDER}; a run by a model is Searcher(collection, '{source}')"
            ".run(collection.queries)"
        )
    source = _as_written(source, "run", judged)
    if isinstance(source, str | PathLike):
        from toysearch.files.runs_and_judgments import read_run  # what reads files is loaded where one is given

        return read_run(source)
    if isinstance(source, Run):
        run = source
    elif (frame := _frame_of(source, "score")) is not None:
        from toysearch.files.triples import one_run, runs_of_frame

        run = one_run(*runs_of_frame(frame))
    elif not isinstance(source, Mapping):
        order = _ORDER if isinstance(source, Qrels | HasJudgments) else ""
        raise ArgumentError(f"a run is a Run, a dict, a data frame, rows or the path of a file, not {a(source)}{order}")
    elif source and all(isinstance(group, Mapping) for group in source.values()):
        groups: Iterable[Any] = source.values()
        if isinstance(next((value for group in groups for value in group.values()), None), Mapping):
            runs = f"{counted(len(source), 'run')} by name ({some([*map(str, source)])})"
            raise ArgumentError(
                f"expected a dict of query_id to doc_id to score, found {runs}; give one, or compare them"
            )
        source, qrels = _in_texts(source), judged if isinstance(judged, Qrels) else None
        run = Run.of_groups(source, lambda: _check_types(source, "score"), qrels)  # type: ignore[arg-type]  # no list
    elif (scored := _scored(source)) is not None:
        return as_run(scored, judged)
    else:
        rankings = []
        for query_id, group in _in_texts(source).items():
            group = group.tolist() if isinstance(group, np.ndarray) else group
            if isinstance(group, Ranking):
                doc_ids, scores = group.doc_ids, group.scores
            elif isinstance(group, Sequence) and not isinstance(group, str):
                doc_ids, scores = [*group], np.arange(len(group), 0, -1)
            else:
                raise ArgumentError(
                    f"query {query_id!r} of the run: expected a list of doc_ids, best first (or, for all queries, a "
                    f"dict of doc_id to score), found {a(group)}"
                )
            _check_types({query_id: doc_ids})
            rankings.append(Ranking(query_id, doc_ids, scores))
        run = Run.from_rankings(rankings)
    if not run.query_ids:
        raise DataError("the run is empty; expected at least one query with its ranking")
    if (refused := np.isnan(run.values)).any():
        refuse_values(run, refused, "score")
    lists = ((query_id, run.values[run.rows(query_id)].tolist()) for query_id in run.query_ids)
    if not isinstance(source, Run) and not run.ranked and (rising := risen(lists)):
        note(f"{rising}; if they are distances, negate them, or name their column distance")
    return run


def _in_texts(groups: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return groups by query under the texts of their ids, where all of them are whole numbers, as JSON has them.

    >>> _in_texts({1: [30, 10], 2: {"a": 0.5}})
    {'1': ['30', '10'], '2': {'a': 0.5}}
    """
    query_id, group = next(iter(groups.items()), ("", ""))
    first = next(iter(group), "") if isinstance(group, _GROUPS) else ""
    if not (_is_whole(query_id) or _is_whole(first)):
        return groups
    by_text = dict(zip(_texts(groups), groups.values(), strict=True))
    for query_id, group in by_text.items():
        if isinstance(group, Mapping):
            by_text[query_id] = dict(zip(_texts(group), group.values(), strict=True))
        elif isinstance(group, _GROUPS):
            by_text[query_id] = _texts(group)
    return by_text


def _texts(ids: Iterable[Any]) -> list[Any]:
    ids = [*ids]
    return [*map(str, ids)] if all(map(_is_whole, ids)) else ids


def _is_whole(one: object) -> bool:
    return isinstance(one, int | np.integer) and not isinstance(one, bool)


def _scored(source: Mapping[str, Any]) -> dict[str, Mapping[str, float]] | None:
    """Return rankings that have scores, as pairs, series or hits, as dicts; None if one has none."""
    scored: dict[str, Mapping[str, float]] = {}
    for query_id, group in source.items():
        pairs = [*group.items()] if hasattr(group, "items") else group
        if isinstance(pairs, list) and pairs and all(isinstance(hit, dict) for hit in pairs):
            hits = [listed(hit, "run") for hit in pairs]
            pairs = [(hit.doc_id, hit.value) for hit in hits if hit and hit.by == "score"]
            pairs = pairs if len(pairs) == len(hits) else None
        if not isinstance(pairs, list | tuple) or not all(map(_is_pair, pairs)):
            return None
        scored[query_id] = dict(pairs)
        if len(scored[query_id]) < len(pairs):
            [(twice, _)] = Counter(doc_id for doc_id, _ in pairs).most_common(1)
            raise DataError(f"query '{query_id}' has document '{twice}' twice in the run; each pair may occur once")
    return scored if any(scored.values()) else None


def _is_pair(pair: object) -> bool:
    return (
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and isinstance(pair[0], str | int)
        and isinstance(pair[1], Real)
    )


def named_runs(runs: RunsLike, order: str = "") -> list[tuple[str, Run]]:
    """Return several runs with their names, which may repeat; order: what is said besides if it is not several.

    >>> [name for name, _ in named_runs({"mine": {"1": ["a"]}, "theirs": {"1": {"a": 0.5}}})]
    ['mine', 'theirs']
    """
    several = isinstance(runs, Iterable) and not isinstance(runs, str | PathLike | Run | Qrels | Ranking)
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        single = isinstance(first, Mapping) and not isinstance(next(iter(first.values()), {}), Mapping | Sequence)
        if not single and not isinstance(first, list | tuple | Ranking):
            return [(str(name), as_run(run)) for name, run in runs.items()]
        several = False
    in_table = runs_in(cast("Frame", runs)) if is_frame(runs) else []
    if len(in_table) > 1:
        return [(run.name, run) for run in in_table]
    if not several or in_table:
        one = "one run" if isinstance(runs, str | PathLike | Run | Mapping) or in_table else a(runs)
        raise ArgumentError(f"expected several runs, in a list or in a dict of name to run; found {one}{order}")
    return [(run.name, run) for source in runs for run in runs_in(source)]


def runs_in(source: RunLike) -> list[Run]:
    """Return the run that is given, or those of the systems in a file or a data frame."""
    if isinstance(source, str | PathLike) and Path(source).is_file():
        from toysearch.files.runs_and_judgments import read_runs

        return read_runs(source)
    if is_frame(source):
        from toysearch.files.triples import runs_of_frame

        return runs_of_frame(source)[0]
    return [as_run(source)]


def judgments_in(source: QrelsLike, run: Run | None = None) -> Graded:
    """Check the given judgments: there is at least one, and each grade is a finite number.

    run : what they are of, whose ids show what columns of unknown names hold

    >>> judgments_in({"1": {"a": 2}}).qrels["1"], judgments_in({"1": {"a"}}).qrels["1"]
    ({'a': 2.0}, {'a': 1.0})
    """
    source = _as_written(source, "qrels", run)
    if isinstance(source, str | PathLike):
        from toysearch.files.runs_and_judgments import read_qrels

        return Graded(read_qrels(source))
    if isinstance(source, Qrels):
        qrels = source
    elif (frame := _frame_of(source, "relevance")) is not None:
        from toysearch.files.triples import qrels_of_frame

        qrels = qrels_of_frame(frame)
    elif isinstance(source, Mapping):
        lists = (list, tuple, set, frozenset, np.ndarray)
        if all(isinstance(group, lists) for group in source.values()):  # each document is relevant
            source = {query_id: dict.fromkeys(sorted(group, key=str), 1) for query_id, group in source.items()}
        source = _in_texts(source)
        for query_id, group in source.items():
            if not isinstance(group, Mapping):
                expected = "expected a dict of doc_id to grade (or, for all queries, a list of doc_ids)"
                raise ArgumentError(f"query {query_id!r} of the judgments: {expected}, found {a(group)}")
        grades: Mapping[str, Any] = source
        usual = Qrels.of_usual(grades) if compiled() else None
        if usual is None:
            _check_types(source, "grade")
        qrels = usual.lasting() if usual else Qrels(*columns_of(source))
    elif isinstance(source, HasJudgments):
        if not len(source.qrels):
            raise DataError(
                f"collection '{source.name}' has no judgments; give a collection that has some, or a file of judgments"
            )
        return Graded(source.qrels, source.threshold)
    else:
        order = _ORDER if isinstance(source, Run | Ranking) else ""
        raise ArgumentError(
            f"judgments are Qrels, a dict, a data frame, rows, the path of a file or a collection, not {a(source)}"
            f"{order}"
        )
    if not qrels.values.size:
        raise DataError("the judgments are empty; expected at least one query with a judged document")
    if (refused := ~np.isfinite(qrels.values)).any():
        refuse_values(qrels, refused, "grade")
    return Graded(qrels)


def _as_written(source: Any, role: str, other: object = None) -> Any:
    """Return rows and objects without the names of a run or judgments as the file of JSON that has them.

    Those with lists, and answers of an engine by query, are read like one; others only where their parts are found, by
    the ids of the other one too. Anything else is returned as it is, a data frame with its named index as columns.
    """
    if isinstance(source, Run | Qrels):
        return source
    if isinstance(source, str | PathLike):
        return source if other is None else _with_ids_of(source, role, other)
    source = ColumnsFrame(columns_in(source)) if is_frame(source) else source
    rows = source if isinstance(source, list) and all(isinstance(one, dict) for one in source) else []
    labels = source.columns if is_frame(source) else dict.fromkeys(label for row in rows for label in row)
    data, is_sure = "", False
    if isinstance(source, Mapping):
        groups = [*source.values()]
        firsts = [next(iter(group.values()), None) for group in groups if isinstance(group, Mapping)]
        is_sure = _is_answer(next(iter(groups), None))
        is_nested = any(isinstance(first, list | dict) for first in firsts)
        data = json.dumps(source) if is_sure or (role == "qrels" and is_nested) else ""
    elif labels:
        known = places_of(labels).keys()
        records = [] if known >= _PAIR and known & {*VALUES[role]} else _records_in(source)
        is_sure = any(isinstance(value, list | dict | np.ndarray) for one in records for value in one.values())
        data = _lines_of(records) if records else ""
    if not data:
        return source
    from toysearch.files.roles import settle
    from toysearch.files.source import Source

    name = "the data frame" if is_frame(source) else f"the {type(source).__name__}"
    written = _with_ids_of(Source(name, data=data.encode()), role, other)
    settled = settle(written, role)
    is_valued = settled.by or settled.what.form != "table" or (role == "qrels" and settled.is_pair)
    is_read = settled.parts.keys() >= _PAIR and is_valued and not settled.ask
    return written if is_sure or is_read else source


def _with_ids_of(path: Any, role: str, other: Any) -> Any:
    """Return a file that knows the ids of the judgments of a run, or of the run that is judged."""
    from toysearch.files.source import Source, source_of

    source = source_of(path)
    if isinstance(other, str | PathLike):
        source.beside = [source_of(other)] if Path(other).is_file() else []
        return source
    name = "the judgments" if role == "run" else "the run"
    with suppress(ToysearchError), without_notes():  # where their columns are not known either
        other = other if other is None or isinstance(other, Run) else judgments_in(other).qrels
    if isinstance(other, Run | Qrels):
        source.beside = [Source(name, data=b"", ids=lambda: (other.query_ids, other.doc_ids))]
    elif rows := _records_in(other):
        source.beside = [Source(name, data=_lines_of(rows).encode())]
    return source


def _records_in(source: Any) -> list[Any]:
    """Return the rows of a data frame as dicts, and those in a list; none of anything else."""
    if is_frame(source):
        columns = columns_in(source)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [row for row in source if isinstance(row, dict)] if isinstance(source, list) else []


def _lines_of(records: Sequence[Mapping[Any, Any]]) -> str:
    """Write dicts as lines of JSON, a missing cell as null; a matrix, which has texts in one column, as a table."""
    rows = [{str(label): None if is_missing(cell) else cell for label, cell in one.items()} for one in records]
    others = {label for row in rows for label, cell in row.items() if not isinstance(cell, Real | None)}
    if (
        len(others) == 1
        and len(rows[0]) > len(_PAIR)
        and all(isinstance(row.get(label), str) for row in rows for label in others)
    ):
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([[*rows[0]], *(row.values() for row in rows)])
        return table.getvalue()
    return "".join(json.dumps(row, default=_of_json) + "\n" for row in rows)


def _of_json(value: Any) -> Any:
    """Return a value of numpy as JSON has it, any other one as a text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _is_answer(answer: object) -> bool:
    """True for an object of objects that hold lists, as an engine answers; scores by document are numbers."""
    inner = [value for value in answer.values() if isinstance(value, Mapping)] if isinstance(answer, Mapping) else []
    return any(isinstance(value, list) for one in inner for value in one.values())


def _frame_of(source: Any, value: str) -> Frame | None:
    is_record = isinstance(source, Run | Qrels | Ranking | HasJudgments)
    return None if is_record else triples_in_memory(source, value)


def _check_types(groups: Mapping[str, Iterable[Any]], numbers: str = "") -> None:
    """Refuse ids that are not strings (1 and "1" would never match), and values that are not numbers."""
    for query_id, group in groups.items():
        if not isinstance(query_id, str):
            raise ArgumentError(f"ids must be strings, but a query_id is {query_id!r}; write {str(query_id)!r}")
        try:  # to join all ids and to add all numbers is quicker than to look at each
            "".join(group)
            if not isinstance(group, Mapping) or type(sum(group.values())) in (int, float):
                continue
        except (TypeError, ValueError, ArithmeticError):
            pass
        for doc_id in group:
            if not isinstance(doc_id, str):
                advice = f"write {str(doc_id)!r}"
                if not isinstance(doc_id, Real):
                    advice = "give each query doc_ids, or each of them scores by doc_id"
                raise ArgumentError(f"ids must be strings, but query {query_id!r} has the doc_id {doc_id!r}; {advice}")
        for doc_id, value in group.items() if isinstance(group, Mapping) else ():
            if not isinstance(value, Real):
                raise _not_a_number(numbers, query_id, doc_id, value)


def refuse_values(rows: Run | Qrels, refused: np.ndarray, what: str) -> None:
    """Refuse values that are not numbers, by the first of them."""
    for row in np.flatnonzero(refused)[:1].tolist():
        raise _not_a_number(what, rows.query_of(row), rows.doc_ids[row], float(rows.values[row]))


def _not_a_number(what: str, query_id: str, doc_id: str, found: object) -> DataError:
    return DataError(f"query '{query_id}', document '{doc_id}': expected a number as {what}, found {found!r}")
