"""Submissions that wait for their turn: kept in the folder of the competition, and ranked two at a time."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base import ArgumentError, StorageError, ToysearchError, lock_folder, sync, sync_folder, without_notes
from toysearch.base.interrupts import until
from toysearch.classroom.competition.history import locked, now
from toysearch.classroom.competition.submission import Sent
from toysearch.files import replacing_bytes

if TYPE_CHECKING:
    from toysearch.classroom.competition.leaderboard import Leaderboard

WAITING = "waiting"
"""Folder with the submissions that wait, in that of the competition."""

_LOOK = 0.2  # seconds between two looks at what a page ranks
_LONG = 10.0  # seconds: so much that a team has used puts its submission behind those of the others
_MISTAKE = "this submission could not be ranked, by a mistake of toysearch; the terminal of the organiser says more"


class WaitingSubmission(NamedTuple):
    """Submission that waits or is ranked."""

    path: Path  # of its file
    team: str
    what: str  # the text of the model, or the name of the file
    time: str  # when it came: UTC, in ISO 8601
    checksum: str


class QueueProgress(NamedTuple):
    """Progress of the submission of a team."""

    turn: WaitingSubmission
    before: int  # submissions that are ranked earlier; 0 while it is ranked
    seconds: float | None  # since its ranking began; None while it waits


class QueueTaken(StorageError):
    """Raised if another process ranks what waits."""


class SubmissionQueue:
    """Queue of the submissions of a competition that wait, and the threads that rank them.

    A submission is on the disk when `add` returns. It is removed once it is in the history, so one that a crash
    interrupted is ranked when the queue is opened again. Each team may have one submission in the queue. First come,
    first ranked, but a team whose submissions have taken long waits for those whose have not.

    The first thread ranks each submission to its end. The others put one aside that has taken long while a team waits
    that has not: it begins anew later. So programs without an end never hold all threads.
    """

    def __init__(self, board: Leaderboard, workers: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self.board, self.folder, self._clock = board, board.folder / WAITING, clock
        self._turns: list[WaitingSubmission] = []  # in the order in which they came
        # team → when the ranking of its submission began, and what ends it
        self._ranked: dict[str, tuple[float, threading.Event]] = {}
        self._used: defaultdict[str, float] = defaultdict(float)  # team → seconds that its submissions took
        self._refusals: dict[str, str] = {}  # team → why its last submission was refused
        self._changed, self._stop = threading.Condition(), threading.Event()
        self._quiet = contextlib.ExitStack()  # while something is ranked
        try:  # only one queue ranks the submissions of a folder
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._lock = lock_folder(self.folder)
        except OSError as error:
            raise StorageError(f"{self.folder} could not be opened: {error.strerror or error}") from error
        if self._lock is None:
            raise QueueTaken(f"another page takes submissions for {self.folder.parent}; close it first")
        self._number = 0
        try:
            self._resume()
        except BaseException:
            self._unlock()
            raise
        self._threads = [
            threading.Thread(target=self._work, args=(number > 0,), name=f"submissions {number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def add(self, team: str, given: Sent) -> None:
        """Take a submission of a team; when this returns, it is on the disk."""
        with self._changed, locked(self.board.folder):
            if self._stop.is_set():
                raise ArgumentError("this page is being closed and takes no more submissions; send it again later")
            if over := self.board.over:
                raise ArgumentError(over)
            if any(turn.team == team for turn in self._turns):
                raise ArgumentError(f"the last submission of {team} is not ranked yet; wait for its result")
            self._number += 1
            turn = WaitingSubmission(
                self.folder / f"{self._number:06}.json", team, given.text or given.name, now(), given.checksum
            )
            entry = {"team": team, "time": turn.time, "after": len(self.board.history)}
            entry |= {**given._asdict(), "data": base64.b64encode(given.data).decode()}
            with replacing_bytes(turn.path) as file:
                file.write(json.dumps(entry).encode())
                file.flush()
                sync(file.fileno())
            sync_folder(self.folder)
            self._turns.append(turn)
            self._refusals.pop(team, None)
            self._changed.notify_all()

    def progress(self, team: str) -> QueueProgress | None:
        """Return the progress of the submission of a team; None if it has none in the queue."""
        with self._changed:
            turns = [*(turn for turn in self._turns if turn.team in self._ranked), *self._next()]
            turn = next((turn for turn in turns if turn.team == team), None)
            if turn is None:
                return None
            if team in self._ranked:
                return QueueProgress(turn, 0, self._clock() - self._ranked[team][0])
            return QueueProgress(turn, turns.index(turn), None)

    def wait(self) -> None:
        """Wait until nothing waits and nothing is ranked."""
        with self._changed:
            until(partial(self._changed.wait_for, lambda: not self._turns or self._stop.is_set()))

    def _next(self) -> list[WaitingSubmission]:
        waiting = [turn for turn in self._turns if turn.team not in self._ranked]
        return sorted(waiting, key=lambda turn: self._used[turn.team] // _LONG)

    def refusal(self, team: str) -> str:
        """Say why the last submission of a team was refused since the queue was opened; "" if it was not."""
        with self._changed:
            return self._refusals.get(team, "")

    def close(self) -> None:
        """End the threads; a submission whose ranking is interrupted stays in the queue."""
        with self._changed:
            self._stop.set()
            for _, interrupt in self._ranked.values():
                interrupt.set()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()  # only then may another queue rank what is left
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _resume(self) -> None:
        """Read the submissions that were left, without those that reached the history before a crash."""
        history = [(line.team.casefold(), line.checksum) for line in self.board.history]
        for path in sorted(self.folder.glob("[0-9]*.json")):
            entry, submission = _read(path)
            turn = WaitingSubmission(
                path, entry["team"], submission.text or submission.name, entry["time"], submission.checksum
            )
            if (turn.team.casefold(), turn.checksum) in history[entry["after"] :]:
                path.unlink()
                continue
            self._turns.append(turn)
            self._number = int(path.stem)

    def _work(self, puts_aside: bool) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._next() or self._stop.is_set())
                if self._stop.is_set():
                    return
                turn = self._next()[0]
                if not self._ranked:  # notes are about the file of a team, on the terminal of the organiser
                    self._quiet.enter_context(without_notes())
                began, interrupt = self._ranked[turn.team] = self._clock(), threading.Event()
            if puts_aside:
                threading.Thread(target=self._put_aside, args=(turn.team, began, interrupt), daemon=True).start()
            try:
                refusal: str | None = self._refused(turn, interrupt)
            except KeyboardInterrupt:
                refusal = None
            with self._changed:
                if self._stop.is_set() and refusal is None:  # it stays in the queue
                    return
                del self._ranked[turn.team]
                self._used[turn.team] += self._clock() - began
                if not self._ranked:
                    self._quiet.close()
                if refusal is not None:
                    self._turns.remove(turn)
                if refusal:
                    self._refusals[turn.team] = refusal
                self._changed.notify_all()

    def _put_aside(self, team: str, began: float, interrupt: threading.Event) -> None:
        """Interrupt the ranking of a team's submission once it has taken long and a team waits that has not."""
        with self._changed:
            while self._ranked.get(team) == (began, interrupt) and not interrupt.is_set():
                remaining = began + _LONG - self._clock()
                if remaining <= 0 and any(self._used[turn.team] < _LONG for turn in self._next()):
                    interrupt.set()
                else:
                    self._changed.wait(remaining if remaining > 0 else None)

    def _refused(self, turn: WaitingSubmission, interrupt: threading.Event) -> str:
        """Rank a waiting submission and remove its file; return the reason for a refusal, "" if it is accepted."""
        refusal = ""
        try:
            self.board.submit(_read(turn.path)[1], turn.team, stop=interrupt, waited=True)
        except ToysearchError as error:
            refusal = str(error)
        except Exception:
            traceback.print_exc()
            refusal = _MISTAKE
        with contextlib.suppress(OSError):
            turn.path.unlink()
        return refusal


def rank_all(board: Leaderboard) -> None:
    """Wait until nothing waits: a page that is open ranks it, else it is ranked here."""
    while board.waiting:
        try:
            with contextlib.closing(SubmissionQueue(board)) as queue:
                queue.wait()
        except QueueTaken:
            time.sleep(_LOOK)


def _read(path: Path) -> tuple[dict[str, Any], Sent]:
    try:
        entry = json.loads(path.read_bytes())
        content = Sent(entry["kind"], entry["text"], entry["name"], base64.b64decode(entry["data"]))
        return {"team": str(entry["team"]), "time": str(entry["time"]), "after": max(0, int(entry["after"]))}, content
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(f"{path} is not a waiting submission; remove it, and let its team send it again") from error
