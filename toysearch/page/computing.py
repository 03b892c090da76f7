"""Where views compute: in threads of their own, a few at once, each only as long as somebody waits for its answer."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeVar

from toysearch.base import ArgumentError, ToysearchError, ended_by

Made = TypeVar("Made")
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

AT_ONCE = 8
"""Views that compute at the same time; others wait for one of them."""

LONGEST = 20.0
"""Seconds of computing that an answer may take."""

_LOOK = 0.2  # seconds between two looks of a view that waits, whether somebody still waits for it


class Forsaken(ToysearchError):
    """Nobody waits for an answer any more."""


class Computing:
    """Threads in which views compute.

    They end with the process, whatever they do, so that Ctrl-C and SIGTERM always end it.
    """

    def __init__(self, at_once: int = AT_ONCE, longest: float = LONGEST) -> None:
        self._places, self._longest = threading.Semaphore(at_once), longest

    async def __call__(self, compute: Callable[[], Made], receive: Receive | None = None) -> Made:
        """What a function returns; with `receive`, it is ended if the client that asked goes away."""
        loop, gone = asyncio.get_running_loop(), threading.Event()
        future: asyncio.Future[Made] = loop.create_future()
        thread = threading.Thread(target=self._work, args=(compute, gone, future, loop), name="view", daemon=True)
        thread.start()
        watching = None if receive is None else asyncio.ensure_future(_client_left(receive))
        try:
            if watching is not None:
                await asyncio.wait((future, watching), return_when=asyncio.FIRST_COMPLETED)
                if not future.done():
                    gone.set()
            return await future
        except asyncio.CancelledError:
            gone.set()
            raise
        finally:
            if watching is not None:
                watching.cancel()

    def _work(
        self,
        compute: Callable[[], Made],
        gone: threading.Event,
        future: asyncio.Future[Made],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Compute in this thread once there is a place, and hand the result over."""
        try:
            while not self._places.acquire(timeout=_LOOK):
                _refuse_forsaken(gone)
            try:
                with ended_by(self._check(gone)):
                    result = compute()
            finally:
                self._places.release()
        except BaseException as error:
            _hand_over(loop, future, future.set_exception, error)
        else:
            _hand_over(loop, future, future.set_result, result)

    def _check(self, gone: threading.Event) -> Callable[[], None]:
        """The check between the steps of a view: it raises once the client has left or the time is up."""
        end = time.thread_time() + self._longest

        def check() -> None:
            _refuse_forsaken(gone)
            if time.thread_time() > end:
                raise ArgumentError(
                    f"this took more than {self._longest:g} s of computing and was ended; ask for fewer documents, or "
                    "for words that fewer terms match"
                )

        return check


def _refuse_forsaken(gone: threading.Event) -> None:
    if gone.is_set():
        raise Forsaken("nobody waits for this answer any more")


async def _client_left(receive: Receive) -> None:
    """Return once the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _hand_over(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], settle: Callable[[Any], None], result: Any
) -> None:
    """Give a result to the loop, if it still runs and the client still waits."""
    with contextlib.suppress(RuntimeError):  # the loop is closed: the server ends
        loop.call_soon_threadsafe(lambda: None if future.done() else settle(result))
