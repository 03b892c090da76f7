"""The two ways in which work is done, one of them chosen for some lines of a test."""

import contextlib
import os
from collections.abc import Iterator

from toysearch.base.plain_or_compiled import VARIABLE


@contextlib.contextmanager
def way(chosen: str) -> Iterator[None]:
    """Let work be done ``plain`` or ``compiled``."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = chosen
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
