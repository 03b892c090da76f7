"""Limits of time for code in this process, such as a function of a student."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from toysearch.base.platform import alarm

SECONDS = {"call": 10.0, "cell": 60.0}
"""Limits for one call of a student's function and for one cell of a graded notebook, in seconds."""

_AGAIN = 1.0  # seconds until the next interruption of code that catches everything


class TooLong(BaseException):
    """Interruption of slow code; not an `Exception`, so that it is rarely caught."""


@contextlib.contextmanager
def at_most(what: str, seconds: float | None = None) -> Iterator[None]:
    """Interrupt a block after its limit in seconds, once any running non-Python code (such as a numpy sum) ends.

    Blocks may be nested. Outside of the main thread there is no limit.

    >>> with at_most("call"):
    ...     sum(range(100))
    4950
    """
    seconds = SECONDS[what] if seconds is None else seconds
    running = True

    def ring(*_: object) -> None:
        if running:
            raise TooLong(f"the {what} took more than {seconds:g} s and was stopped")

    with alarm(seconds, _AGAIN, ring):
        try:
            yield
        finally:
            running = False
