"""The judgment log: every grade that a judge gives, as it is given, in an append-only file."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, malformed
from toysearch.base.records import Qrels
from toysearch.base.wording import counted, encodable
from toysearch.formats.append_log import AppendLog, logged, now, texts_of
from toysearch.formats.detection import first_object
from toysearch.formats.text_files import beginning, finite_value

__all__ = ["Judgment", "JudgmentLog"]

_EXPECTED = "an entry of a judgment log: a JSON object with time, judge, query_id, doc_id and grade"
_KEYS = ("judge", "query_id", "doc_id")


class Judgment(NamedTuple):
    """A grade that a judge gave.

    Attributes
    ----------
    time : str
        When it was given: UTC, ISO 8601, in milliseconds.
    judge, query_id, doc_id : str
        Who judged, and what.
    grade : float
        The grade.
    reason : str
        The reason in the judge's own words, or "".
    """

    time: str
    judge: str
    query_id: str
    doc_id: str
    grade: float
    reason: str = ""


class JudgmentLog:
    """The grades of several judges in an append-only file of JSON Lines; iterating gives each `Judgment` in force.

    Each grade is one line, written at once and synced to the disk before `add` returns, so a process that is killed
    loses no grade that it acknowledged. Nothing is ever changed in the file: a later grade of a judge for the same
    pair of query and document replaces the earlier one, and `undo` takes the judge's last grade back. What a judge puts
    off is kept too (`skip`). Threads may use one log together. A second program, or a second log of the same file, may
    only read it.

    Parameters
    ----------
    path : str or Path
        The file; it is created if it does not exist.
    append : bool, default True
        False to read the grades only: the file must exist, and may be appended to by another program meanwhile.

    Raises
    ------
    DataError
        If a line is not an entry of a log. A torn last line is left out with a note: it was never acknowledged.
    StorageError
        If the file cannot be opened for appending, or another log has it open.

    Examples
    --------
    >>> import tempfile
    >>> with JudgmentLog(Path(tempfile.mkdtemp(), "class.jsonl")) as log:
    ...     _ = log.add("ada", "1", "d7", 2, "names the breed")
    ...     _ = log.add("ben", "1", "d7", 1)
    ...     _ = log.add("ben", "1", "d9", 0)
    ...     log.undo("ben").doc_id
    'd9'
    >>> {judge: qrels["1"] for judge, qrels in log.qrels().items()}
    {'ada': {'d7': 2.0}, 'ben': {'d7': 1.0}}
    >>> log.latest("ada", "1", "d7").reason
    'names the breed'
    """

    @checked
    def __init__(self, path: str | Path, *, append: bool = True) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._given: dict[str, dict[tuple[str, str], Judgment]] = {}  # query_id → (doc_id, judge) → the grade in force
        self._replaced: dict[tuple[str, ...], list[Judgment]] = {}  # judge, query_id, doc_id → earlier grades
        self._by_judge: dict[str, list[Judgment]] = {}  # the grades not taken back, in their order
        self._counts: dict[str, dict[str, int]] = {}  # judge → query_id → grades in force
        self._skipped: dict[tuple[str, str], dict[str, None]] = {}  # judge, query_id → doc_ids, oldest first
        self._file = AppendLog(path) if append else None
        try:
            for line, item in logged(path, _EXPECTED):
                self._replay(line, item)
        except BaseException:
            self.close()
            raise

    @checked
    def add(self, judge: str, query_id: str, doc_id: str, grade: float, reason: str = "") -> Judgment:
        """Save a grade: when this returns, it is on the disk.

        Parameters
        ----------
        judge, query_id, doc_id : str
            Who judges, and what; none may be empty.
        grade : float
            The grade; larger is better.
        reason : str, default ""
            The judge's reason.

        Raises
        ------
        ArgumentError
            If a name or an id is empty, the grade is not a finite number, or the log was opened for reading.
        StorageError
            If the file cannot be written; then the grade is not in the log.
        """
        given = _complete(Judgment("", judge, query_id, doc_id, float(grade), reason))
        with self._lock:
            self._appending().append(log_entry(given))
            self._take(given)
        return given

    @checked
    def add_all(self, judgments: Iterable[Judgment]) -> int:
        """Save many grades with one write, such as `Judges.judgments` of sheets, and return their number.

        Parameters
        ----------
        judgments : iterable of Judgment
            The grades, in their order; one without a time gets the present one.

        Raises
        ------
        ArgumentError
            As of `add`, before any grade is saved.
        StorageError
            If the file cannot be written; then none of the grades is in the log.
        """
        given = [_complete(each) for each in judgments]
        with self._lock:
            if given:
                self._appending().append(*map(log_entry, given))
            for each in given:
                self._take(each)
        return len(given)

    @checked
    def undo(self, judge: str) -> Judgment | None:
        """Take a judge's last grade back; the grade that they gave the same pair before is in force again.

        Parameters
        ----------
        judge : str
            Whose last grade.

        Returns
        -------
        Judgment or None
            The grade that was taken back; None if the judge has given none.

        Raises
        ------
        ArgumentError
            If the log was opened for reading.
        StorageError
            If the file cannot be written; then nothing is taken back.
        """
        with self._lock:
            file, given = self._appending(), self._by_judge.get(judge)
            if not given:
                return None
            last = given[-1]
            file.append({"time": now(), **dict(zip(_KEYS, last[1:4], strict=True)), "undo": True})
            return self._take_back(*last[1:4])

    @checked
    def skip(self, judge: str, query_id: str, doc_id: str) -> None:
        """Put a document off: when this returns, it is on the disk that the judge wants to see it later.

        Parameters
        ----------
        judge, query_id, doc_id : str
            Who puts it off, and what; none may be empty.

        Raises
        ------
        ArgumentError, StorageError
            As of `add`.
        """
        given = _complete(Judgment("", judge, query_id, doc_id, 0.0))
        with self._lock:
            self._appending().append({"time": given.time, **dict(zip(_KEYS, given[1:4], strict=True)), "skip": True})
            self._put_off(*given[1:4])

    @checked
    def skipped(self, judge: str, query_id: str) -> list[str]:
        """The documents of a query that a judge put off and has not graded, in the order in which they were put off.

        Parameters
        ----------
        judge, query_id : str
            Whose, and of which query.
        """
        with self._lock:
            of_query = self._given.get(query_id, {})
            return [doc_id for doc_id in self._skipped.get((judge, query_id), ()) if (doc_id, judge) not in of_query]

    @checked
    def counts(self, judge: str) -> dict[str, int]:
        """The number of grades of a judge that are in force, by query; queries without one are left out.

        Parameters
        ----------
        judge : str
            The judge.
        """
        with self._lock:
            return dict(self._counts.get(judge, {}))

    @checked
    def latest(self, judge: str, query_id: str, doc_id: str) -> Judgment | None:
        """The grade of a judge that is in force for a pair of query and document; None if there is none.

        Parameters
        ----------
        judge, query_id, doc_id : str
            Who judged, and what.
        """
        with self._lock:
            return self._given.get(query_id, {}).get((doc_id, judge))

    @checked
    def of_query(self, query_id: str) -> dict[str, dict[str, Judgment]]:
        """The grades in force for one query, doc_id → judge → `Judgment`: all that a new grade there can change.

        Parameters
        ----------
        query_id : str
            The query.
        """
        with self._lock:
            of_query = dict(self._given.get(query_id, {}))
        found: dict[str, dict[str, Judgment]] = {}
        for (doc_id, judge), given in of_query.items():
            found.setdefault(doc_id, {})[judge] = given
        return found

    @checked
    def of_judge(self, judge: str) -> list[Judgment]:
        """The grades that a judge gave and did not take back, oldest first: their progress and their pace.

        Parameters
        ----------
        judge : str
            The judge.
        """
        with self._lock:
            return list(self._by_judge.get(judge, ()))

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges who have a grade in force, in the order of their first one."""
        with self._lock:
            return tuple(judge for judge, given in self._by_judge.items() if given)

    def qrels(self) -> dict[str, Qrels]:
        """The judgments of each judge, as `alpha` and `merge_qrels` take them."""
        return qrels_of(self)

    def latest_first(self) -> list[Judgment]:
        """The grades in force, the latest first, and of each pair of query and document only its latest."""
        found: dict[tuple[str, str], Judgment] = {}
        for given in sorted(self, key=lambda given: given.time, reverse=True):
            found.setdefault((given.query_id, given.doc_id), given)
        return [*found.values()]

    def close(self) -> None:
        """Close the file, so that another program may append; the grades can still be read here."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> JudgmentLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Judgment]:
        with self._lock:
            found = [given for of_query in self._given.values() for given in of_query.values()]
        return iter(found)

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._given.values()))

    def __repr__(self) -> str:
        return f"<JudgmentLog of {counted(len(self.judges), 'judge')}: {counted(len(self), 'grade')}>"

    def _appending(self) -> AppendLog:
        if self._file is None:
            raise ArgumentError(f"{self.path} was opened for reading only; open it with append=True")
        return self._file

    def _replay(self, line: int, item: dict[str, Any]) -> None:
        """Apply one line of the file."""
        judge, query_id, doc_id = texts_of(self.path, line, item, _KEYS)
        if item.get("skip"):
            self._put_off(judge, query_id, doc_id)
            return
        if item.get("undo"):
            if self._take_back(judge, query_id, doc_id) is None:
                problem = f"{judge} takes back a grade of query '{query_id}', document '{doc_id}' and has given none"
                raise malformed(self.path, line, f"{problem}; remove the line")
            return
        grade, reason, time = finite_value(item.get("grade")), item.get("reason", ""), item.get("time", "")
        if grade is None or type(reason) is not str or type(time) is not str:
            raise malformed(self.path, line, "expected a finite number as grade, and texts as time and reason")
        self._take(Judgment(time, judge, query_id, doc_id, grade, reason))

    def _take(self, given: Judgment) -> None:
        of_query = self._given.setdefault(given.query_id, {})
        pair = (given.doc_id, given.judge)
        if pair in of_query:
            self._replaced.setdefault(given[1:4], []).append(of_query[pair])
        else:
            self._count(given.judge, given.query_id, 1)
        of_query[pair] = given
        self._by_judge.setdefault(given.judge, []).append(given)

    def _count(self, judge: str, query_id: str, change: int) -> None:
        counts = self._counts.setdefault(judge, {})
        counts[query_id] = counts.get(query_id, 0) + change
        if not counts[query_id]:
            del counts[query_id]

    def _put_off(self, judge: str, query_id: str, doc_id: str) -> None:
        put_off = self._skipped.setdefault((judge, query_id), {})
        put_off.pop(doc_id, None)
        put_off[doc_id] = None

    def _take_back(self, judge: str, query_id: str, doc_id: str) -> Judgment | None:
        last = self._given.get(query_id, {}).pop((doc_id, judge), None)
        if last is None:
            return None
        if earlier := self._replaced.get(last[1:4]):
            self._given[query_id][doc_id, judge] = earlier.pop()
        else:
            self._count(judge, query_id, -1)
        in_order = self._by_judge[judge]
        place = next(place for place in range(len(in_order) - 1, -1, -1) if in_order[place] is last)
        del in_order[place]
        return last


def is_judgment_log(path: str | Path) -> bool:
    """Whether a file of JSON Lines is a judgment log: its first object names a judge and a time."""
    first = first_object(beginning(path).decode(errors="replace"))
    return first is not None and {"time", *_KEYS} <= first.keys()


def _complete(given: Judgment) -> Judgment:
    """A grade with its time, refused unless everything else is there."""
    time, judge, query_id, doc_id, grade, reason = given._replace(grade=float(given.grade))
    if not (judge and query_id and doc_id):
        raise ArgumentError("a grade needs the name of a judge, a query_id and a doc_id; one of them is empty")
    if not math.isfinite(grade):
        raise ArgumentError(f"a grade must be a finite number, not {grade}")
    judge, query_id, doc_id, reason = (encodable(text)[0] for text in (judge, query_id, doc_id, reason))
    return Judgment(time or now(), judge, query_id, doc_id, grade, reason)


def qrels_of(judgments: Iterable[Judgment]) -> dict[str, Qrels]:
    """The judgments of each judge."""
    grades: dict[str, dict[str, dict[str, float]]] = {}
    for given in judgments:
        grades.setdefault(given.judge, {}).setdefault(given.query_id, {})[given.doc_id] = given.grade
    return {judge: Qrels.from_dict(of_judge) for judge, of_judge in grades.items()}


def log_entry(given: Judgment) -> dict[str, object]:
    """The line of a grade: a whole one without its decimal point, and no empty reason."""
    entry = given._asdict() | {"grade": _plain(given.grade)}
    return entry if given.reason else {name: value for name, value in entry.items() if name != "reason"}


def _plain(grade: float) -> float | int:
    """A whole grade without its decimal point."""
    return int(grade) if grade.is_integer() else grade
