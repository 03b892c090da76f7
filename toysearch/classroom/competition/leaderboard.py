"""Competition in a folder: settings, judgments, an index, the submissions, and the history."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import math
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toysearch import Collection, Index, Searcher, evaluate, read_qrels, write_qrels
from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Run,
    StorageError,
    ToysearchError,
    cache_folder,
    counted,
    groups_of,
    portable_name,
    without_notes,
)
from toysearch.base import replace as replace_file
from toysearch.classroom.competition.history import (
    CLOSED,
    HELD_OUT,
    PARTS,
    PUBLIC,
    HistoryLine,
    append,
    locked,
    now,
    read_history,
)
from toysearch.classroom.competition.submission import Sent, Task, run_of, sent
from toysearch.classroom.competition.submission_queue import WAITING, rank_all
from toysearch.classroom.sandbox.confined_run import Limits, admit_code
from toysearch.classroom.times import moment
from toysearch.collection.catalog import places
from toysearch.evaluation import SIZE, Evaluation, Measure, mean_measures, parse_measures, placed, with_size
from toysearch.evaluation.intervals import check_alpha, mean_interval
from toysearch.evaluation.values_and_means import over_needs
from toysearch.study import DECIMALS, corrected, detectable_difference
from toysearch.study.compare.significance import paired_tests

__all__ = ["Leaderboard", "TeamStanding"]

CORRECTION = "holm"
"""Correction of p for all pairs."""


class Place(NamedTuple):
    """Place of one of several systems."""

    rank: int  # the rank, counted from 1, that it shares with the others of its group
    shared: bool  # whether others share it
    system: int  # the column of the system
    # mean, low, high: its mean over the queries, and the interval of that mean (Student's)
    mean: float
    low: float
    high: float
    behind: float  # the distance of its mean from the best of its group; 0 for the best
    p: float  # of that difference, corrected for all pairs of systems; 1 for the best itself


class TeamStanding(NamedTuple):
    """Line of a team in the table.

    Attributes
    ----------
    place : Place
        Its rank, mean and interval, over the public or the held-out queries.
    entry : HistoryLine
        The best submission of the team on the public queries.
    submissions : int
        The number of accepted submissions of the team.
    """

    place: Place
    entry: HistoryLine
    submissions: int


def shared_places(values: np.ndarray, measure: Measure, *, alpha: float = 0.05) -> list[Place]:
    """Rank systems by their means of a measure, in groups that share a rank."""
    # values: (queries, systems) float64. The best system is compared with those below it, query by query (Student's
    # paired t), p corrected after Holm for all pairs of systems, because which one is the best was found by looking at
    # all. Its group goes down to the last one before the first that differs significantly from it; that one is the best
    # of the next group, and so on. The rank of a group is the place of its best. Why not Tukey's test of all pairs at
    # once: its critical difference grows with the spread of all systems, so that a single very poor one would make all
    # others share a rank. Holm, Scandinavian Journal of Statistics 6, 1979. Carterette, ACM TOIS 30(1), 2012, on all
    # pairs of systems.
    means, sign = values.mean(axis=0), measure.sign
    order = np.argsort(np.round(-sign * means, DECIMALS), kind="stable").tolist()
    systems = values.shape[1]
    p = np.ones((systems, systems))
    pairs = list(combinations(range(systems), 2))
    if pairs:
        first, second = (list(column) for column in zip(*pairs, strict=True))
        tests = paired_tests(values[:, first] - values[:, second], "t", alpha=alpha)
        p[first, second] = p[second, first] = corrected([test.p for test in tests], CORRECTION)
    groups: list[list[int]] = []
    for system in order:
        if groups and p[groups[-1][0], system] > alpha:
            groups[-1].append(system)
        else:
            groups.append([system])
    places = []
    for group in groups:
        for system in group:
            interval = mean_interval(measure, values[:, system], alpha)
            places.append(
                Place(
                    rank=order.index(group[0]) + 1,
                    shared=len(group) > 1,
                    system=system,
                    mean=float(means[system]),
                    low=interval.low,
                    high=interval.high,
                    behind=float(sign * (means[group[0]] - means[system])) + 0.0,
                    p=float(p[group[0], system]),
                )
            )
    return places


def distinguishable(values: np.ndarray, alpha: float = 0.05) -> float:
    """Difference of two means that is detected with power 0.8 for these numbers of queries and systems."""
    # values: (queries, systems) float64. That of the paired t test with power 0.8, at alpha divided by the number of
    # pairs (where Holm's correction begins), for a pair of systems whose differences are as spread as those of the
    # median pair.
    pairs = list(combinations(range(values.shape[1]), 2))
    if len(values) < 2 or not pairs:
        return math.inf
    spreads = [np.std(values[:, first] - values[:, second], ddof=1) for first, second in pairs]
    spreads = [spread for spread in spreads if spread > 10.0**-DECIMALS]
    if not spreads:
        return math.inf
    return detectable_difference(float(np.median(spreads)), len(values), alpha=alpha / len(pairs))


@contextlib.contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """Yield a folder, private to its owner, that appears only once it is complete."""
    parent = target.absolute().parent
    if not parent.is_dir():
        raise StorageError(f"'{target}': there is no folder '{parent}'; create it, or choose another")
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=parent))  # which only its owner can read
        try:
            yield folder
            replace_file(folder, target)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error


FORMAT = 1
"""Version of the format of the folder."""


@dataclass(frozen=True)
class CompetitionSettings:
    """Settings of the competition, fixed at its beginning."""

    collection: str  # its name
    measures: tuple[str, ...]  # the first decides
    held_out: float  # the share of the judged queries that are held out
    secret: str  # the seed of the split
    k: int  # the depth of rankings
    alpha: float  # significance level of the corrected p
    threshold: float  # the lowest grade that is relevant
    limit: int | None  # submissions per team
    # seconds, memory: the limits of a model, see `Limits`
    seconds: float
    memory: int
    source: str = ""  # the folder or file that the collection was read from; "" for a named one
    until: str = ""  # from then on submissions are refused: ISO 8601 with the offset of its time zone; "" for none
    needs: dict[str, str] = field(default_factory=dict)  # text → its need, if a need has several: it counts once
    format: int = FORMAT  # of the folder

    @property
    def shown_until(self) -> str:
        """Return the deadline for people; "" for none.

        >>> until = "2026-12-01T18:00+01:00"
        >>> CompetitionSettings("pets", ("AP",), 0.5, "", 10, 0.05, 1, None, 60, 10, until=until).shown_until
        '2026-12-01 18:00 UTC+01:00'
        """
        return f"{datetime.fromisoformat(self.until):%Y-%m-%d %H:%M %Z}" if self.until else ""


def held_out_queries(query_ids: Iterable[str], share: float, secret: str) -> set[str]:
    """Choose the held-out queries."""
    # They have the lowest HMAC-SHA-256 of their ids under the secret, so that the collection reveals nothing about them
    # without the secret.
    listed = sorted(set(query_ids))
    if not 0 < share < 1:
        raise ArgumentError(f"the share of held-out queries must be between 0 and 1, not {share:g}")
    if len(listed) < 2:
        raise ArgumentError(
            f"holding out queries needs at least two judged queries, found {len(listed)}; put files of queries and of "
            "judgments into the folder of the collection (`toysearch docs my-own-collection`)"
        )
    drawn = sorted(listed, key=lambda query_id: hmac.digest(secret.encode(), query_id.encode(), hashlib.sha256))
    return set(drawn[: min(max(round(share * len(listed)), 1), len(listed) - 1)])


SETTINGS, HISTORY, QUERIES = "board.json", "history.jsonl", "queries.json"
INDEX, JUDGMENTS = "index", "judgments"
SENT = "submissions"
"""Folder with one folder per submission."""

_REFUSED_KEPT = 3  # submissions of a team whose files stay

KEYS = "keys.json"
"""File that a page adds to the folder: the secret of each team."""

CLOSING = "closing"
"""File that is there from the beginning of `Leaderboard.close`: what is sent later is refused."""

VALUES = "values.json"
"""File in the folder of a submission: its values, query by query."""

_LONGEST_NAME = 40


def checked_name(team: str) -> str:
    """Return the name of a team, with single spaces; refuse a text that cannot be one."""
    name = " ".join(team.split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise ArgumentError(f"expected a team name of 1 to {_LONGEST_NAME} letters, found '{team}'")
    return name


class Leaderboard:
    """Competition opened from its folder, which holds the judgments and is private to the organiser.

    Parameters
    ----------
    folder : str or Path
        The folder made by `Leaderboard.create`.

    Raises
    ------
    StorageError
        If there is no competition in the folder.

    Examples
    --------
    >>> import tempfile
    >>> from toysearch.collection.catalog import load
    >>> board = Leaderboard.create(Path(tempfile.mkdtemp()) / "board", load("cat-dog-parrot"), "AP", secret="x")
    >>> entry = board.submit("bm25:b=0", "Ada")
    >>> entry.number, sorted(entry.public)
    (1, ['AP'])
    >>> [(line.place.rank, line.entry.team) for line in board.standings()]
    [(1, 'Ada')]
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            settings = json.loads((self.folder / SETTINGS).read_text(encoding="utf-8"))
            if settings["format"] != FORMAT:
                raise StorageError(f"{folder} was made by another version of toysearch; use that version")
            self.settings = CompetitionSettings(**{**settings, "measures": tuple(settings["measures"])})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise StorageError(
                f"{folder} holds no readable leaderboard; `toysearch leaderboard init` makes one"
            ) from error

    @classmethod
    def create(
        cls,
        folder: str | Path,
        collection: Collection,
        measures: str | Iterable[object] = "AP",
        *,
        held_out: float = 0.5,
        secret: str | None = None,
        k: int = 1000,
        alpha: float = 0.05,
        limit: int | None = None,
        limits: Limits | None = None,
        analyzer: AnalyzerLike | None = None,
        source: str | Path = "",
        until: str = "",
    ) -> Leaderboard:
        """Begin a new competition in a new folder, which others cannot read.

        Parameters
        ----------
        folder : str or Path
            The new folder, which must not exist yet.
        collection : Collection
            Documents, queries and judgments.
        measures : str or iterable, default "AP"
            As `evaluate` takes them; the first decides.
        held_out : float, default 0.5
            The share of the judged queries that are held out.
        secret : str, optional
            The seed of the split; random by default.
        k : int, default 1000
            The maximum number of documents ranked per query.
        alpha : float, default 0.05
            The significance level of the corrected p.
        limit : int, optional
            The number of submissions per team.
        limits : Limits, optional
            The limits of a model.
        analyzer : Analyzer, str or function, optional
            The analyzer of the index; by default that of the collection.
        source : str or Path, optional
            The folder or file of a collection without a name; submissions may not read it.
        until : str, optional
            The time from which submissions are refused, such as ``2026-12-01T18:00+01:00`` or ``2026-12-01 18:00
            Europe/Berlin``; without a zone it is that of this computer.

        Raises
        ------
        ArgumentError
            If a setting is out of range.
        StorageError
            If the folder exists, or cannot be written.
        """
        parsed = with_size(parse_measures(measures, SIZE), len(collection.documents))
        target, limits = Path(folder), limits or Limits()
        check_alpha(alpha)
        mean_measures(parsed[:1])
        if parsed[0].definition.better is None:
            raise ArgumentError(f"{parsed[0]} has no better or worse values; put another measure first")
        almost_nothing = Run.from_dict({collection.qrels.query_ids[0]: {collection.documents[0].doc_id: 1.0}})
        of_nothing = evaluate(almost_nothing, collection.qrels, parsed, threshold=collection.threshold)
        for query_id, row in of_nothing.per_query.items():
            for measure, value in row.items():
                if not math.isfinite(value):
                    raise ArgumentError(
                        f"{measure} may have no finite value for a query, such as '{query_id}', so no test can compare "
                        "all teams by it; choose another measure"
                    )
        if k < 1 or (limit is not None and limit < 1):
            raise ArgumentError("k and the limit of submissions must be at least 1")
        if target.exists():
            raise StorageError(f"'{target}' already exists; choose another name")
        secret = secrets.token_hex(16) if secret is None else secret
        qrels = collection.qrels
        away = held_out_queries(qrels.need_ids, held_out, secret)
        deadline = moment(until) if until else None
        if deadline and deadline <= datetime.fromisoformat(now()):
            raise ArgumentError(f"the deadline {until} has passed; choose a later one")
        settings = CompetitionSettings(
            collection=collection.name,
            measures=tuple(placed(str(one), Path.cwd()) for one in parsed),  # found from any folder
            held_out=held_out,
            secret=secret,
            k=k,
            alpha=alpha,
            threshold=collection.threshold,
            limit=limit,
            seconds=limits.seconds,
            memory=limits.memory,
            source=str(Path(source).resolve()) if source else "",
            until=deadline.isoformat() if deadline else "",
            needs=dict(qrels.needs),
        )
        with appearing(target) as draft:
            Index.build(collection, analyzer).save(draft / INDEX)
            (draft / SENT).mkdir()
            (draft / JUDGMENTS).mkdir()
            for part in PARTS:
                chosen = [one for one in qrels.query_ids if (qrels.needs[one] in away) == (part == HELD_OUT)]
                write_qrels(qrels.of_queries(chosen), draft / JUDGMENTS / f"{part}.json", "json")
            texts = {query.query_id: query.text for query in collection.judged_queries}
            (draft / QUERIES).write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")
            (draft / SETTINGS).write_text(json.dumps(asdict(settings), indent=1, ensure_ascii=False), encoding="utf-8")
        return cls(target)

    @cached_property
    def measure(self) -> Measure:
        """Return the measure that decides."""
        return parse_measures(self.settings.measures)[0]

    @property
    def history(self) -> list[HistoryLine]:
        """Return all submissions, in order."""
        return read_history(self.folder / HISTORY)

    @property
    def closed(self) -> bool:
        """True if the competition is closed."""
        return any(entry.kind == CLOSED for entry in self.history)

    @cached_property
    def queries(self) -> dict[str, int]:
        """Return part → its number of judged queries."""
        return {part: len(qrels.query_ids) for part, qrels in self._qrels.items()}

    @cached_property
    def doc_ids(self) -> list[str]:
        """Return the documents, in the order of the index."""
        return list(Index.open(self.folder / INDEX).doc_ids)

    @cached_property
    def sample(self) -> str:
        """Return the first lines of a run as a team may send it: the first two queries with two documents each."""
        queries = list(json.loads((self.folder / QUERIES).read_text(encoding="utf-8")))[:2]
        documents = self.doc_ids[:2]
        return "".join(
            f"{query_id} Q0 {doc_id} {rank} {3 - rank}.0 mine\n"
            for query_id in queries
            for rank, doc_id in enumerate(documents, 1)
        )

    def submit(
        self,
        what: str | Sent,
        team: str,
        *,
        baseline: bool = False,
        trust_code: bool = False,
        stop: threading.Event | None = None,
        waited: bool = False,
    ) -> HistoryLine:
        """Take a submission: store it, rank with it in a confined process, evaluate it, and add it to the history.

        Parameters
        ----------
        what : str or Sent
            A model in a file (``mine.py:rank``), the text of a model, or a file with a run of all judged queries.
        team : str
            The team; names that differ only in case are equal.
        baseline : bool, default False
            Whether it is a baseline of the organiser, which does not count as a submission of a team.
        trust_code : bool, default False
            Run the file of a model even if this system cannot confine it.
        stop : threading.Event, optional
            Ends the submission with a `KeyboardInterrupt` once it is set: nothing of it is kept.
        waited : bool, default False
            Whether it was sent while the competition took submissions, and has waited to be ranked.

        Raises
        ------
        ArgumentError
            If the competition is closed, the team has no submission left, the model is invalid, or this system cannot
            confine it. A refused submission is recorded in the history with the reason, and does not count.
        DataError
            If a run is invalid, or does not fit the collection.
        """
        team = self._admitted(team, baseline, waited)
        submission = sent(what) if isinstance(what, str) else what
        if submission.kind == "file":
            admit_code(trust_code)
        number, path = self._keep(submission)
        text = submission.text or submission.name
        entry = HistoryLine(submission.kind, now(), number, team, baseline, text, submission.checksum)

        def refuse(error: ToysearchError) -> None:
            append(self.folder / HISTORY, replace(entry, refused=str(error)))
            refused = [line for line in self.history if line.refused and line.team.casefold() == team.casefold()]
            for line in refused[:-_REFUSED_KEPT]:  # of the others the history keeps the checksums
                shutil.rmtree(self.folder / SENT / f"{line.number:04}", ignore_errors=True)

        try:
            run = run_of(submission, self._task._replace(trust_code=trust_code, stop=stop), path)
            parts = {part: self._evaluated(run, part) for part in PARTS}
        except ToysearchError as error:
            refuse(error)
            raise
        except BaseException:
            shutil.rmtree(path.parent)
            raise
        means = {part: {str(one): values[str(one)] for one in values.measures} for part, values in parts.items()}
        with locked(self.folder):
            try:
                # Again: others may have submitted meanwhile. It was sent in time, however long it took.
                self._admitted(team, baseline, waited=True)
                if self.closed:
                    raise ArgumentError(f"{self.folder}: {self.over}")
            except ArgumentError as error:
                refuse(error)
                raise
            per_query = {part: values.per_query for part, values in parts.items()}
            (path.parent / VALUES).write_text(json.dumps(per_query), encoding="utf-8")
            accepted = replace(entry, public=means[PUBLIC], held_out=means[HELD_OUT])
            append(self.folder / HISTORY, accepted)
        return accepted

    def close(self) -> None:
        """End the competition: from now on `standings` are those on the held-out queries.

        What is sent from now on is refused; what waits on a page is ranked first.

        Raises
        ------
        ArgumentError
            If it is already closed.
        """
        if self.closed:
            raise ArgumentError(f"{self.folder}: this competition is already closed")
        with locked(self.folder):
            (self.folder / CLOSING).touch()
        rank_all(self)
        with locked(self.folder):
            append(self.folder / HISTORY, HistoryLine(CLOSED, now()))

    @property
    def over(self) -> str:
        """Say why no submission is taken any more; "" while submissions are taken."""
        if self.closed or (self.folder / CLOSING).exists():
            return "this competition is closed and takes no more submissions"
        until = self.settings.until
        if until and datetime.fromisoformat(now()) >= datetime.fromisoformat(until):
            return f"this competition took submissions until {self.settings.shown_until}"
        return ""

    @property
    def waiting(self) -> int:
        """Count the submissions that were sent on a page and are not ranked yet."""
        return len([*(self.folder / WAITING).glob("[0-9]*.json")])

    def standings(self, part: str | None = None) -> list[TeamStanding]:
        """Return the table, best first: one line per team, with its best submission on the public queries.

        Parameters
        ----------
        part : {'public', 'held-out'}, optional
            The queries; by default the public ones while the competition is open, the held-out ones once it is closed.
        """
        counted_ones = self.counted
        if not counted_ones:
            return []
        best, values = self._best(part)
        numbers = [len(entries) for entries in counted_ones.values()]
        shared = shared_places(values, self.measure, alpha=self.settings.alpha)
        return [TeamStanding(place, best[place.system], numbers[place.system]) for place in shared]

    def distinguishable(self, part: str | None = None) -> float:
        """Return the smallest difference between two teams that these queries detect with power 0.8; see `standings`.

        Parameters
        ----------
        part : {'public', 'held-out'}, optional
            As in `standings`.
        """
        return distinguishable(self._best(part)[1], self.settings.alpha) if self.counted else math.inf

    def _best(self, part: str | None) -> tuple[list[HistoryLine], np.ndarray]:
        part = part or (HELD_OUT if self.closed else PUBLIC)
        best = [self.best(entries) for entries in self.counted.values()]
        return best, np.stack([self._values(entry, part) for entry in best], axis=1)

    @property
    def counted(self) -> dict[str, list[HistoryLine]]:
        """Return team → its accepted submissions, in order; teams in the order of their first."""
        return groups_of((entry.team, entry) for entry in self.history if entry.accepted)

    def best(self, entries: Sequence[HistoryLine]) -> HistoryLine:
        """Return the submission with the best public mean, the earliest of ties.

        Parameters
        ----------
        entries : sequence of HistoryLine
            At least one.
        """
        name, sign = str(self.measure), self.measure.sign
        return max(entries, key=lambda entry: sign * entry.public[name])

    def _admitted(self, team: str, baseline: bool, waited: bool) -> str:
        """Return the name of the team as first written; refuse a team that may not submit."""
        name = checked_name(team)
        if not waited and (over := self.over):
            raise ArgumentError(f"{self.folder}: {over}")
        for other, entries in self.counted.items():
            if other.casefold() != name.casefold():
                continue
            if entries[0].baseline and not baseline:
                raise ArgumentError(f"'{other}' is the name of a baseline; choose another name")
            limit = self.settings.limit
            if limit is not None and len(entries) >= limit and not baseline:
                raise ArgumentError(f"{other} has already sent {counted(limit, 'submission')}, which is the limit")
            return other
        return name

    def _keep(self, submission: Sent) -> tuple[int, Path]:
        """Keep a submission in a folder of its own; return its number and its original file."""
        place = self.folder / SENT
        number = max((int(path.name) for path in place.iterdir() if path.name.isdigit()), default=0) + 1
        while True:
            try:
                (place / f"{number:04}").mkdir(mode=0o700)
                break
            except FileExistsError:  # a concurrent submission
                number += 1
        target = place / f"{number:04}" / portable_name(submission.name)
        target.write_bytes(submission.data)
        return number, target

    @cached_property
    def _qrels(self) -> dict[str, Qrels]:
        with without_notes():  # of sub-topics
            read = {part: read_qrels(self.folder / JUDGMENTS / f"{part}.json") for part in PARTS}
        top = max(qrels.top for qrels in read.values())
        for qrels in read.values():
            qrels.whole_top = top
        needs = self.settings.needs.items()
        return {
            part: qrels.for_texts({text: need for text, need in needs if text in qrels}) for part, qrels in read.items()
        }

    @cached_property
    def _task(self) -> Task:
        # Programs must not read the paths with judgments: this folder, and the collections.
        hidden = [self.folder / name for name in (SETTINGS, HISTORY, SENT, JUDGMENTS, WAITING, KEYS)]
        hidden += [place for place in places() if place != cache_folder()]
        hidden += [Path(self.settings.source)] if self.settings.source else []
        index = Index.open(self.folder / INDEX)
        queries: dict[str, str] = json.loads((self.folder / QUERIES).read_text(encoding="utf-8"))
        searcher = Searcher(index)
        return Task(
            index_folder=(self.folder / INDEX).resolve(),
            queries=queries,
            answerable={
                query_id for query_id, text in queries.items() if len(searcher.terms(text, query_id=query_id).numbers)
            },
            doc_ids=set(index.doc_ids),
            k=self.settings.k,
            limits=Limits(seconds=self.settings.seconds, memory=self.settings.memory),
            hidden=hidden,
        )

    def _evaluated(self, run: Run, part: str) -> Evaluation:
        return evaluate(run, self._qrels[part], self.settings.measures, threshold=self.settings.threshold)

    def _values(self, entry: HistoryLine, part: str) -> np.ndarray:
        path = self.folder / SENT / f"{entry.number:04}" / VALUES
        try:
            rows: Mapping[str, Mapping[str, float]] = json.loads(path.read_text(encoding="utf-8"))[part]
            qrels = self._qrels[part]
            values = {query_id: rows[query_id][str(self.measure)] for query_id in qrels.query_ids}
        except (OSError, ValueError, KeyError) as error:
            raise DataError(f"{path} is missing or damaged; restore it") from error
        for query_id, value in values.items():
            if not math.isfinite(value):  # in a competition that an earlier version began
                raise DataError(
                    f"{self.folder}: {self.measure} has no finite value for query '{query_id}' of {entry.team}, so no "
                    "test can compare the teams by it; begin a competition by another measure"
                )
        return over_needs([*values], np.array([*values.values()]), qrels.needs)[1]
