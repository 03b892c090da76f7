"""Judgment log: every grade that a judge gives, as it is given, in an append-only file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, TextIO

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    counted,
    encodable,
    expect,
    expect_finite,
    expect_name,
    groups_of,
    malformed,
    nested,
    note,
    shortest,
)
from toysearch.files import finite_value, now, whole_or_fraction, write_qrels, write_texts
from toysearch.files.event_log import EventLog, texts_of
from toysearch.files.source import AnyPath
from toysearch.files.writing import table_texts

__all__ = ["Judgment", "JudgmentLog", "Vote", "VoteLog", "write_thumbs"]

_KEYS = ("judge", "query_id", "doc_id")
_OF_NOTE = ("judge", "query_id", "note")


class Judgment(NamedTuple):
    """Grade that a judge gave.

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


class JudgmentLog(EventLog[Judgment]):
    """Grades of several judges in an append-only file of JSON Lines; iterating gives each `Judgment` in force.

    Each grade is one line, written at once and synced to the disk before `add` returns, so a process that is killed
    loses no grade that it acknowledged. Nothing is ever changed in the file: a later grade of a judge for the same
    pair of query and document replaces the earlier one, and `undo` takes the judge's last grade back. What a judge puts
    off is kept too (`skip`). Where the log is the only place of a query, its grades carry its text. Threads may use one
    log together. A second program, or a second log of the same file, may only read it.

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
    >>> from pathlib import Path
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

    def __init__(self, path: AnyPath, *, append: bool = True) -> None:
        self._skipped: dict[tuple[str, str], dict[str, None]] = {}  # judge, query_id → doc_ids, oldest first
        self._notes: dict[str, dict[str, str]] = {}  # judge → query_id → the note in force
        self._queries: dict[str, str] = {}  # query_id → its text
        expected = "an entry of a judgment log: a JSON object with time, judge, query_id, doc_id and grade"
        super().__init__(path, expected, append)

    def add(
        self,
        judge: str,
        query_id: str,
        doc_id: str,
        grade: float,
        reason: str = "",
        *,
        query_text: str = "",
        found_by: str = "",
    ) -> Judgment:
        """Save a grade: when this returns, it is on the disk.

        Parameters
        ----------
        judge, query_id, doc_id : str
            Who judges, and what; none may be empty.
        grade : float
            The grade; larger is better.
        reason : str, default ""
            The judge's reason.
        query_text : str, default ""
            The text of the query, which nothing else keeps.
        found_by : str, default ""
            The words that found the document, where a judge has searched by hand and no system has found it.

        Raises
        ------
        ArgumentError
            If a name or an id is empty, the grade is not a finite number, or the log was opened for reading.
        StorageError
            If the file cannot be written; then the grade is not in the log.
        """
        judgment = _complete(Judgment("", judge, query_id, doc_id, float(grade), reason))
        expect(str, query_text=query_text, found_by=found_by)
        texts = {"query_text": encodable(query_text)[0], "found_by": encodable(found_by)[0]}
        with self._lock:
            self._append(log_entry(judgment) | {name: text for name, text in texts.items() if text})
            self._take(judgment)
            self._keep_text(judgment, texts["query_text"])
        return judgment

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
        return self._undo(judge)

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
        judgment = _complete(Judgment("", judge, query_id, doc_id, 0.0))
        with self._lock:
            self._append({"time": judgment.time, **dict(zip(_KEYS, judgment[1:4], strict=True)), "skip": True})
            self._put_off(*judgment[1:4])

    def note(self, judge: str, query_id: str, text: str) -> None:
        """Save a note on a query; it replaces the earlier note of the same judge, and an empty one removes it.

        Parameters
        ----------
        judge, query_id : str
            Whose note, and of which query; neither may be empty.
        text : str
            The note.

        Raises
        ------
        ArgumentError
            If a name or an id is empty, or the log was opened for reading.
        StorageError
            If the file cannot be written; then the note is not in the log.
        """
        if not (judge and query_id):
            raise ArgumentError("a note needs the name of a judge and a query_id; one of them is empty")
        texts = dict(zip((*_KEYS, "note"), (encodable(part)[0] for part in (judge, query_id, "", text)), strict=True))
        with self._lock:
            self._append({"time": now(), **texts})
            self._notes.setdefault(texts["judge"], {})[texts["query_id"]] = texts["note"]

    def notes(self, judge: str) -> dict[str, str]:
        """Return the notes of a judge by query.

        Parameters
        ----------
        judge : str
            Whose.
        """
        with self._lock:
            return {query_id: text for query_id, text in self._notes.get(judge, {}).items() if text}

    @property
    def queries(self) -> dict[str, str]:
        """Return the texts of the queries that only the log keeps, by query_id."""
        with self._lock:
            return dict(self._queries)

    def skipped(self, judge: str, query_id: str) -> list[str]:
        """Return the documents of a query that a judge put off and has not graded, the earliest first.

        Parameters
        ----------
        judge, query_id : str
            Whose, and of which query.
        """
        with self._lock:
            of_query = self._entries.get(query_id, {})
            return [doc_id for doc_id in self._skipped.get((judge, query_id), ()) if (doc_id, judge) not in of_query]

    def counts(self, judge: str) -> dict[str, int]:
        """Count the grades of a judge that are in force, by query; queries without one are left out.

        Parameters
        ----------
        judge : str
            The judge.
        """
        with self._lock:
            pairs = dict.fromkeys((judgment.query_id, judgment.doc_id) for judgment in self._by_person.get(judge, ()))
            return dict(Counter(query_id for query_id, _ in pairs))

    def latest(self, judge: str, query_id: str, doc_id: str) -> Judgment | None:
        """Return the grade of a judge that is in force for a pair of query and document; None if there is none.

        Parameters
        ----------
        judge, query_id, doc_id : str
            Who judged, and what.
        """
        with self._lock:
            grades = self._entries.get(query_id, {}).get((doc_id, judge))
            return grades[-1] if grades else None

    def of_query(self, query_id: str) -> dict[str, dict[str, Judgment]]:
        """Return the grades in force for one query, doc_id → judge → `Judgment`: all that a new grade there can change.

        Parameters
        ----------
        query_id : str
            The query.
        """
        with self._lock:
            in_force = [grades[-1] for grades in self._entries.get(query_id, {}).values()]
        return nested((judgment.doc_id, judgment.judge, judgment) for judgment in in_force)

    def of_judge(self, judge: str) -> list[Judgment]:
        """Return the grades that a judge gave and did not take back, oldest first: their progress and their pace.

        Parameters
        ----------
        judge : str
            The judge.
        """
        with self._lock:
            return list(self._by_person.get(judge, ()))

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the judges who have a grade in force, in the order of their first one."""
        return self._people()

    def qrels(self) -> dict[str, Qrels]:
        """Return the judgments of each judge, as `alpha` and `merge_qrels` take them."""
        return qrels_of(self)

    def latest_first(self) -> list[Judgment]:
        """Return the grades in force, the latest first, and of each pair of query and document only its latest."""
        latest: dict[tuple[str, str], Judgment] = {}
        for judgment in sorted(self, key=lambda judgment: judgment.time, reverse=True):
            latest.setdefault((judgment.query_id, judgment.doc_id), judgment)
        return [*latest.values()]

    def __repr__(self) -> str:
        return f"<JudgmentLog of {counted(len(self.judges), 'judge')}: {counted(len(self), 'grade')}>"

    def _key(self, entry: Judgment) -> tuple[str, str, tuple[str, ...]]:
        return entry.judge, entry.query_id, (entry.doc_id, entry.judge)

    def _undo_line(self, entry: Judgment) -> dict[str, Any]:
        return {"time": now(), **dict(zip(_KEYS, entry[1:4], strict=True)), "undo": True}

    def _replay(self, line: int, item: dict[str, Any]) -> None:
        if "note" in item:
            removes = item["note"] == ""
            judge, query_id, *text = texts_of(self.path, line, item, _OF_NOTE[:2] if removes else _OF_NOTE)
            self._notes.setdefault(judge, {})[query_id] = "".join(text)
            return
        judge, query_id, doc_id = texts_of(self.path, line, item, _KEYS)
        if item.get("skip"):
            self._put_off(judge, query_id, doc_id)
            return
        if item.get("undo"):
            if self._take_back(Judgment("", judge, query_id, doc_id, 0.0)) is None:
                problem = f"{judge} takes back a grade of query '{query_id}', document '{doc_id}' and has given none"
                raise malformed(self.path, line, f"{problem}; remove the line")
            return
        grade, reason, time = finite_value(item.get("grade")), item.get("reason", ""), item.get("time", "")
        if grade is None or type(reason) is not str or type(time) is not str:
            raise malformed(self.path, line, "expected a finite number as grade, and texts as time and reason")
        judgment = Judgment(time, judge, query_id, doc_id, grade, reason)
        self._take(judgment)
        texts = {key: texts_of(self.path, line, item, (key,))[0] for key in ("query_text", "found_by") if key in item}
        self._keep_text(judgment, texts.get("query_text", ""))

    def _keep_text(self, judgment: Judgment, query_text: str) -> None:
        if query_text:
            self._queries[judgment.query_id] = query_text

    def _put_off(self, judge: str, query_id: str, doc_id: str) -> None:
        put_off = self._skipped.setdefault((judge, query_id), {})
        put_off.pop(doc_id, None)
        put_off[doc_id] = None


def _complete(judgment: Judgment) -> Judgment:
    """Add the time to a grade; refuse it unless everything else is there."""
    expect(float, grade=judgment.grade)
    time, judge, query_id, doc_id, grade, reason = judgment._replace(grade=float(judgment.grade))
    expect(str, judge=judge, query_id=query_id, doc_id=doc_id, reason=reason)
    if not (judge and query_id and doc_id):
        raise ArgumentError("a grade needs the name of a judge, a query_id and a doc_id; one of them is empty")
    expect_finite(grade, "a grade")
    judge, query_id, doc_id, reason = (encodable(text)[0] for text in (judge, query_id, doc_id, reason))
    return Judgment(time or now(), judge, query_id, doc_id, grade, reason)


def qrels_of(judgments: Iterable[Judgment]) -> dict[str, Qrels]:
    """Return the judgments of each judge."""
    by_judge = groups_of((entry.judge, (entry.query_id, entry.doc_id, entry.grade)) for entry in judgments)
    return {judge: Qrels.from_dict(nested(rows)) for judge, rows in by_judge.items()}


def log_entry(judgment: Judgment) -> dict[str, object]:
    """Return the line of a grade: a whole one without its decimal point, and no empty reason."""
    entry = judgment._asdict() | {"grade": whole_or_fraction(judgment.grade)}
    return {name: value for name, value in entry.items() if name != "reason" or value}


_OF_VOTE = ("voter", "query_id", "doc_id", "vote")
_VOTES = ("up", "down")
_FORMS = {
    "votes": ["query_id", "doc_id", "vote", "user"],
    "counts": ["query_id", "doc_id", "relevance", "up", "down"],
    "qrels": [],
}
_HALF = 0.5  # a share


class Vote(NamedTuple):
    """Thumb on a document.

    Attributes
    ----------
    time : str
        When it was given: UTC, ISO 8601, in milliseconds.
    voter, query_id : str
        Who voted, and on which query.
    vote : {"up", "down"}
        Whether the document is good.
    doc_id : str
        The document.
    model : str
        The model that ranked the document; "" where it was not said.
    rank : int
        The rank of the document, from 1; 0 where it was not said.
    """

    time: str
    voter: str
    query_id: str
    vote: str
    doc_id: str
    model: str = ""
    rank: int = 0


_NO_VOTE = Vote("", "", "", "", "")


class VoteLog(EventLog[Vote]):
    """Thumbs of an audience in an append-only file of JSON Lines; iterating gives each `Vote` in force.

    Saved, locked and read back like a `JudgmentLog`: a vote is on the disk before the method returns, and a later vote
    of the same person on the same document replaces the earlier one.

    Parameters
    ----------
    path : str or Path
        The file; it is created if it does not exist.
    append : bool, default True
        False to read the votes only.

    Raises
    ------
    DataError
        If a line is not an entry of a log. A torn last line is left out with a note.
    StorageError
        If the file cannot be opened for appending, or another log has it open.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with VoteLog(Path(tempfile.mkdtemp(), "votes.jsonl")) as log:
    ...     _ = log.thumb("ada", "1", "d7", up=False)
    ...     _ = log.thumb("ben", "1", "d7", up=True)
    >>> log.qrels()["1"]
    {'d7': 0.5}
    """

    def __init__(self, path: AnyPath, *, append: bool = True) -> None:
        expected = "an entry of a vote log: a JSON object with time, voter, query_id, doc_id and vote"
        super().__init__(path, expected, append)

    def thumb(self, voter: str, query_id: str, doc_id: str, *, up: bool, model: str = "", rank: int = 0) -> Vote:
        """Save a thumb up or down on a document.

        Parameters
        ----------
        voter, query_id, doc_id : str
            Who votes, and on what.
        up : bool
            Whether the document is good.
        model : str, default ""
            The model that ranked the document.
        rank : int, default 0
            The rank of the document, from 1.

        Raises
        ------
        ArgumentError
            If a name is empty, the rank is negative, or the log was opened for reading.
        StorageError
            If the file cannot be written; then the vote is not in the log.
        """
        expect(str, voter=voter, query_id=query_id, doc_id=doc_id)
        expect(bool, up=up)
        expect(int, rank=rank)
        voter, query_id, doc_id, model = (encodable(text)[0] for text in (voter, query_id, doc_id, model))
        vote = Vote(now(), voter, query_id, _VOTES[not up], doc_id, model, rank)
        if not (voter and query_id and doc_id):
            raise ArgumentError("a vote needs the name of a voter, a query_id and a doc_id; one of them is empty")
        if problem := _problem(vote):
            raise ArgumentError(problem)
        with self._lock:
            self._append({name: value for name, value in vote._asdict().items() if value})
            self._take(vote)
        return vote

    def withdraw(self, voter: str, query_id: str, doc_id: str) -> None:
        """Take back what a person has voted on a document, with all earlier thumbs on it.

        Parameters
        ----------
        voter, query_id, doc_id : str
            Who voted, and on what.

        Raises
        ------
        ArgumentError
            If the log was opened for reading.
        StorageError
            If the file cannot be written; then nothing is taken back.
        """
        vote = _NO_VOTE._replace(voter=voter, query_id=query_id, doc_id=doc_id)
        with self._lock:
            votes = [*self._entries.get(query_id, {}).get(self._key(vote)[2], ())]
            self._append(*map(self._undo_line, votes))
            for _ in votes:
                self._take_back(vote)

    def of_voter(self, voter: str, query_id: str) -> list[Vote]:
        """Return the votes of one person in force on one query.

        Parameters
        ----------
        voter, query_id : str
            Who voted, and on which query.
        """
        with self._lock:
            votes = {self._key(vote): vote for vote in self._by_person.get(voter, ()) if vote.query_id == query_id}
        return list(votes.values())

    def qrels(self) -> Qrels:
        """Return the thumbs as judgments: the grade is the share of thumbs up, and `Qrels.votes` their number."""
        thumbs = self.thumbs()
        qrels = Qrels.from_dict(
            {query_id: {doc_id: sum(ups) / len(ups) for doc_id, ups in by.items()} for query_id, by in thumbs.items()}
        )
        qrels.votes = np.array([len(ups) for by in thumbs.values() for ups in by.values()], dtype=np.int64)
        return qrels

    def thumbs(self) -> dict[str, dict[str, list[bool]]]:
        """Return the thumbs on each document, query_id → doc_id → whether each is up."""
        by_query: dict[str, dict[str, list[bool]]] = {}
        for vote in self:
            by_query.setdefault(vote.query_id, {}).setdefault(vote.doc_id, []).append(vote.vote == "up")
        return by_query

    def __repr__(self) -> str:
        return f"<VoteLog of {counted(len(self._people()), 'voter')}: {counted(len(self), 'vote')}>"

    def _key(self, entry: Vote) -> tuple[str, str, tuple[str, ...]]:
        return entry.voter, entry.query_id, (entry.voter, entry.doc_id)

    def _undo_line(self, entry: Vote) -> dict[str, Any]:
        fields = {name: value for name, value in entry._asdict().items() if value and name != "vote"}
        return fields | {"time": now(), "undo": True}

    def _replay(self, line: int, item: dict[str, Any]) -> None:
        if "left" in item and not item.get("doc_id"):
            problem = "a vote on two systems, which toysearch no longer counts; remove the line"
            raise malformed(self.path, line, problem)
        undo = item.get("undo") is True
        texts_of(self.path, line, item, _OF_VOTE[:3] if undo else _OF_VOTE)
        usual = _NO_VOTE._asdict()
        fields: dict[str, Any] = {name: item.get(name, value) for name, value in usual.items()}
        odd = next((name for name, value in fields.items() if type(value) is not type(usual[name])), None)
        if odd is not None:
            kind = "a whole number" if odd == "rank" else "a text"
            raise malformed(self.path, line, f"expected {kind} as {odd}, found {fields[odd]!r}"[:200])
        vote = Vote(**fields)
        if not undo and (problem := _problem(vote)):
            raise malformed(self.path, line, problem)
        if not undo:
            self._take(vote)
        elif self._take_back(vote) is None:
            problem = f"{vote.voter} takes back a vote on query '{vote.query_id}' and has given none"
            raise malformed(self.path, line, f"{problem}; remove the line")


def write_thumbs(log: VoteLog | AnyPath, file: TextIO | AnyPath, form: str = "votes") -> int:
    """Write the thumbs of a log as judgments, which `read_qrels` reads.

    In the forms votes and counts the grade is the share of thumbs up.

    Parameters
    ----------
    log : VoteLog or path
        The log, or its file.
    file : file open for text, or path
        A path is replaced as a whole.
    form : {"votes", "counts", "qrels"}
        A CSV table of the votes: query_id, doc_id, vote, user. One of the documents: query_id, doc_id, relevance (the
        share of thumbs up), up, down. Or judgments as `write_qrels` writes them, which trec_eval reads: 1 if more
        thumbs are up than down, 0 if fewer; a document with equally many is left out with a note.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    ArgumentError
        If the form is unknown.
    DataError
        If the log has no thumb, or an id holds a line end.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys, tempfile
    >>> from pathlib import Path
    >>> with VoteLog(Path(tempfile.mkdtemp(), "votes.jsonl")) as log:
    ...     _ = log.thumb("ben", "1", "d7", up=True)
    >>> write_thumbs(log, sys.stdout)
    query_id,doc_id,vote,user
    1,d7,1,ben
    1
    """
    expect_name("form", form, _FORMS)
    log = log if isinstance(log, VoteLog) else VoteLog(log, append=False)
    votes = [(vote.query_id, vote.doc_id, str(int(vote.vote == "up")), vote.voter) for vote in log]
    if not votes:
        raise DataError(f"{log.path} holds no thumb, so there are no judgments to write")
    if form == "votes":
        write_texts(table_texts(_FORMS[form], sorted(votes), "csv"), file)
        return len(votes)
    qrels = log.qrels()
    if form == "counts":
        thumbs = log.thumbs()
        rows = [
            (query_id, doc_id, shortest(share), str(ups.count(True)), str(ups.count(False)))
            for query_id, doc_id, share in qrels
            for ups in (thumbs[query_id][doc_id],)
        ]
        write_texts(table_texts(_FORMS[form], rows, "csv"), file)
        return len(rows)
    decided = nested((query_id, doc_id, float(share > _HALF)) for query_id, doc_id, share in qrels if share != _HALF)
    qrels_of_votes = Qrels.from_dict(decided)
    if len(qrels_of_votes) < len(qrels):
        note(f"{counted(len(qrels) - len(qrels_of_votes), 'document')} left out, with as many thumbs up as down")
    write_qrels(qrels_of_votes, file)
    return len(qrels_of_votes)


def _problem(vote: Vote) -> str:
    if vote.vote not in _VOTES:
        return f"expected up or down as vote, found '{vote.vote}'"
    return f"expected a rank from 1, found {vote.rank}" if vote.rank < 0 else ""
