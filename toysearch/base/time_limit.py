"""A time limit for code in this process: an endless loop is interrupted, and the program continues after it."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator

SECONDS = {"call": 10.0, "cell": 60.0}
"""The limits for one call of a student's function and for one cell of a graded notebook, in seconds."""

_AGAIN = 1.0  # seconds until the next interruption of code that catches everything


class TooLong(BaseException):
    """The interruption of slow code; not an `Exception`, so that it is rarely caught."""


@contextlib.contextmanager
def at_most(what: str, seconds: float | None = None) -> Iterator[None]:
    """Interrupt a block after its limit in seconds, once any running non-Python code (such as a numpy sum) ends.

    >>> with at_most("call"):
    ...     sum(range(100))
    4950
    """
    # Blocks may be nested. Without such alarms (Windows, other threads) there is no limit.
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds = SECONDS[what] if seconds is None else seconds
    running = True

    def ring(*_: object) -> None:
        if running:
            raise TooLong(f"the {what} took more than {seconds:g} s and was stopped")

    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, ring)
    outer, again = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    if outer and outer < seconds:
        signal.setitimer(signal.ITIMER_REAL, outer, _AGAIN)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler if handler is not None else signal.SIG_DFL)
        if outer:
            left = outer - (time.monotonic() - started)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), again)
