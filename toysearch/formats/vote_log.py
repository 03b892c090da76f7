"""The vote log: votes on two lists, and thumbs up or down on documents, in an append-only file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from toysearch.base import ArgumentError, DataError, Qrels, checked, counted, encodable, malformed, note, unknown
from toysearch.formats.event_log import EventLog, now, texts_of
from toysearch.formats.runs_and_judgments import write_qrels
from toysearch.formats.writing import table_texts, write_texts

__all__ = ["Preference", "Vote", "VoteLog", "write_thumbs"]

_EXPECTED = "an entry of a vote log: a JSON object with time, voter, query_id and vote"
_OF_LISTS = ("left", "right", "tie")
_OF_DOCUMENTS = ("up", "down")
_FORMS = {
    "votes": ["query_id", "doc_id", "vote", "user"],
    "counts": ["query_id", "doc_id", "relevance", "up", "down"],
    "qrels": [],
}
_HALF = 0.5  # a share


class Vote(NamedTuple):
    """A vote.

    Attributes
    ----------
    time : str
        When it was given: UTC, ISO 8601, in milliseconds.
    voter, query_id : str
        Who voted, and on which query.
    vote : str
        On two lists: left, right or tie; on a document: up or down.
    left, right : str
        The systems whose lists were shown. For a document of an interleaved list: the system that it is credited to,
        and the other one; both "" for a document of a single list.
    doc_id : str
        The document; "" for a vote on lists.
    """

    time: str
    voter: str
    query_id: str
    vote: str
    left: str = ""
    right: str = ""
    doc_id: str = ""


class Preference(NamedTuple):
    """What a voter prefers for a query, of two systems in the order of their names.

    Attributes
    ----------
    voter, query_id : str
        Who voted, and on which query.
    first, second : str
        The systems.
    value : int
        1 if the voter prefers the first, −1 if the second, 0 for a tie.
    """

    voter: str
    query_id: str
    first: str
    second: str
    value: int


class VoteLog(EventLog[Vote]):
    """The votes of an audience in an append-only file of JSON Lines; iterating gives each `Vote` in force.

    Saved, locked and read back like a `JudgmentLog`: a vote is on the disk before the method returns, a later vote of
    the same person on the same thing replaces the earlier one, and `undo` takes a person's last vote back.

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
    >>> with VoteLog(Path(tempfile.mkdtemp(), "votes.jsonl")) as log:
    ...     _ = log.prefer("ada", "1", "left", left="lsa", right="bm25")
    ...     _ = log.thumb("ben", "1", "d7", up=True, team="bm25", other="lsa")
    >>> log.preferences()[0]
    Preference(voter='ada', query_id='1', first='bm25', second='lsa', value=-1)
    >>> log.preferences()[1].value, log.qrels()["1"]
    (1, {'d7': 1.0})
    """

    @checked
    def __init__(self, path: str | Path, *, append: bool = True) -> None:
        super().__init__(path, _EXPECTED, append)

    @checked
    def prefer(self, voter: str, query_id: str, vote: str, *, left: str, right: str) -> Vote:
        """Save a vote on two lists, side by side.

        Parameters
        ----------
        voter, query_id : str
            Who votes, and on which query.
        vote : {"left", "right", "tie"}
            The better side.
        left, right : str
            The systems whose lists were on each side, as in a `BlindPair`.

        Raises
        ------
        ArgumentError
            If a name is empty, the vote or the pair is not one, or the log was opened for reading.
        StorageError
            If the file cannot be written; then the vote is not in the log.
        """
        if vote not in _OF_LISTS:
            raise unknown("vote", vote, _OF_LISTS)
        return self._add(Vote(now(), voter, query_id, vote, left, right))

    @checked
    def thumb(self, voter: str, query_id: str, doc_id: str, *, up: bool, team: str = "", other: str = "") -> Vote:
        """Save a thumb up or down on a document.

        Parameters
        ----------
        voter, query_id, doc_id : str
            Who votes, and on what.
        up : bool
            Whether the document is good.
        team, other : str, default ""
            In an `Interleaved` list, the system that the document is credited to, and the other one.

        Raises
        ------
        ArgumentError
            If a name is empty, the pair is not one, or the log was opened for reading.
        StorageError
            If the file cannot be written; then the vote is not in the log.
        """
        if not doc_id:
            raise ArgumentError("a thumb needs a doc_id, and it is empty")
        return self._add(Vote(now(), voter, query_id, _OF_DOCUMENTS[not up], team, other, doc_id))

    @checked
    def undo(self, voter: str) -> Vote | None:
        """Take a person's last vote back; None if there is none.

        Parameters
        ----------
        voter : str
            Who voted.

        Raises
        ------
        ArgumentError
            If the log was opened for reading.
        StorageError
            If the file cannot be written; then nothing is taken back.
        """
        return self._undo(voter)

    @checked
    def of_query(self, query_id: str) -> list[Vote]:
        """The votes in force on one query.

        Parameters
        ----------
        query_id : str
            The query.
        """
        with self._lock:
            return [votes[-1] for votes in self._entries.get(query_id, {}).values()]

    @checked
    def of_voter(self, voter: str, query_id: str) -> list[Vote]:
        """The votes of one person in force on one query.

        Parameters
        ----------
        voter, query_id : str
            Who voted, and on which query.
        """
        with self._lock:
            votes = {self._key(vote): vote for vote in self._by_person.get(voter, ()) if vote.query_id == query_id}
        return list(votes.values())

    @property
    def voters(self) -> tuple[str, ...]:
        """The people who have a vote in force."""
        return self._people()

    def preferences(self) -> list[Preference]:
        """What each voter prefers for each query: a vote on lists, or the thumbs on an interleaved list together.

        A thumb up counts 1 for the system that the document is credited to, a thumb down 1 against it; the system with
        the higher sum is preferred.
        """
        sums: dict[tuple[str, str, str, str, bool], int] = {}
        for vote in self:
            if not vote.left:
                continue
            first, second = sorted((vote.left, vote.right))
            value = {"left": 1, "up": 1, "tie": 0, "right": -1, "down": -1}[vote.vote]
            key = (vote.voter, vote.query_id, first, second, bool(vote.doc_id))
            sums[key] = sums.get(key, 0) + (value if vote.left == first else -value)
        return [Preference(*key[:4], (total > 0) - (total < 0)) for key, total in sums.items()]

    def qrels(self) -> Qrels:
        """The thumbs as judgments: the grade is the share of thumbs up, and `Qrels.votes` their number."""
        thumbs = self.thumbs()
        qrels = Qrels.from_dict(
            {query_id: {doc_id: sum(ups) / len(ups) for doc_id, ups in by.items()} for query_id, by in thumbs.items()}
        )
        qrels.votes = np.array([len(ups) for by in thumbs.values() for ups in by.values()], dtype=np.int64)
        return qrels

    def thumbs(self) -> dict[str, dict[str, list[bool]]]:
        """The thumbs on each document, query_id → doc_id → whether each is up."""
        by_query: dict[str, dict[str, list[bool]]] = {}
        for vote in self:
            if vote.doc_id:
                by_query.setdefault(vote.query_id, {}).setdefault(vote.doc_id, []).append(vote.vote == "up")
        return by_query

    def __repr__(self) -> str:
        return f"<VoteLog of {counted(len(self.voters), 'voter')}: {counted(len(self), 'vote')}>"

    def _key(self, entry: Vote) -> tuple[str, str, tuple[str, ...]]:
        return entry.voter, entry.query_id, (entry.voter, entry.doc_id, *sorted((entry.left, entry.right)))

    def _undo_line(self, entry: Vote) -> dict[str, Any]:
        fields = {name: value for name, value in entry._asdict().items() if value and name != "vote"}
        return fields | {"time": now(), "undo": True}

    def _add(self, vote: Vote) -> Vote:
        vote = Vote(*(encodable(text)[0] for text in vote))
        if not (vote.voter and vote.query_id):
            raise ArgumentError("a vote needs the name of a voter and a query_id; one of them is empty")
        if problem := _problem(vote):
            raise ArgumentError(problem)
        with self._lock:
            self._append({name: value for name, value in vote._asdict().items() if value})
            self._take(vote)
        return vote

    def _replay(self, line: int, item: dict[str, Any]) -> None:
        """Apply one line of the file."""
        undo = item.get("undo") is True
        texts_of(self.path, line, item, ("voter", "query_id") if undo else ("voter", "query_id", "vote"))
        fields = {name: item.get(name, "") for name in Vote._fields}
        odd = next((name for name, text in fields.items() if type(text) is not str), None)
        if odd is not None:
            raise malformed(self.path, line, f"expected a text as {odd}, found {fields[odd]!r}"[:200])
        vote = Vote(**fields)
        if not undo and (problem := _problem(vote)):
            raise malformed(self.path, line, problem)
        if not undo:
            self._take(vote)
        elif self._take_back(vote) is None:
            problem = f"{vote.voter} takes back a vote on query '{vote.query_id}' and has given none"
            raise malformed(self.path, line, f"{problem}; remove the line")


@checked
def write_thumbs(log: VoteLog, file: TextIO | str | Path, form: str = "votes") -> int:
    """Write the thumbs of a log as judgments, which `read_qrels` reads.

    Parameters
    ----------
    log : VoteLog
        The log.
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
    >>> with VoteLog(Path(tempfile.mkdtemp(), "votes.jsonl")) as log:
    ...     _ = log.thumb("ben", "1", "d7", up=True)
    >>> write_thumbs(log, sys.stdout)
    query_id,doc_id,vote,user
    1,d7,1,ben
    1
    """
    if form not in _FORMS:
        raise unknown("form", form, _FORMS)
    votes = [(vote.query_id, vote.doc_id, str(int(vote.vote == "up")), vote.voter) for vote in log if vote.doc_id]
    if not votes:
        raise DataError(f"{log.path} holds no thumb, so there are no judgments to write")
    if form == "votes":
        write_texts(table_texts(_FORMS[form], sorted(votes), "csv"), file)
        return len(votes)
    qrels = log.qrels()
    if form == "counts":
        thumbs = log.thumbs()
        rows = [
            (query_id, doc_id, f"{share!r}".removesuffix(".0"), str(ups.count(True)), str(ups.count(False)))
            for query_id, doc_id, share in qrels
            for ups in (thumbs[query_id][doc_id],)
        ]
        write_texts(table_texts(_FORMS[form], rows, "csv"), file)
        return len(rows)
    decided: dict[str, dict[str, float]] = {}
    for query_id, doc_id, share in qrels:
        if share != _HALF:
            decided.setdefault(query_id, {})[doc_id] = float(share > _HALF)
    qrels_of_votes = Qrels.from_dict(decided)
    if len(qrels_of_votes) < len(qrels):
        note(f"{counted(len(qrels) - len(qrels_of_votes), 'document')} left out, with as many thumbs up as down")
    write_qrels(qrels_of_votes, file)
    return len(qrels_of_votes)


def _problem(vote: Vote) -> str:
    """What is wrong with a vote, if anything."""
    choices = _OF_DOCUMENTS if vote.doc_id else _OF_LISTS
    if vote.vote not in choices:
        return f"expected {' or '.join(choices)} as vote, found '{vote.vote}'"
    if vote.left == vote.right if not vote.doc_id else bool(vote.left) != bool(vote.right):
        return f"a vote compares two systems, found '{vote.left}' and '{vote.right}'"
    if not vote.doc_id and not (vote.left and vote.right):
        return f"a vote compares two systems, found '{vote.left}' and '{vote.right}'"
    return ""
