"""Long work in steps: between them it asks whether it should go on, so that others can end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def go_on() -> None:
    """Raise what the caller of this work wants it to end with, if so; nothing happens otherwise."""
    check = _CHECK.get()
    if check is not None:
        check()


@contextmanager
def ended_by(check: Callable[[], None]) -> Iterator[None]:
    """While this lasts, work of this thread asks `check` between its steps, which raises to end it.

    >>> def refuse():
    ...     raise TimeoutError("enough")
    >>> with ended_by(refuse):
    ...     go_on()
    Traceback (most recent call last):
    TimeoutError: enough
    """
    token = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(token)
