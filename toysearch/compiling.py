"""Compiled loops: numba, and where it keeps what it has compiled. Imported only where such loops are wanted."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from toysearch.caches import compiled_loops
from toysearch.errors import note

Function = TypeVar("Function", bound=Callable[..., Any])


ZERO = cast(int, np.int64(0))
"""Where a compiled function begins to count what it gives to another: numba takes 0 for a type of its own, and would
compile the other once for that and once for whole numbers."""


if "NUMBA_CACHE_DIR" not in os.environ:
    _folder = compiled_loops()
    if not _folder.is_dir():
        note(f"compiling the fast loops, once: they are kept in {_folder.parent}")
    numba.config.CACHE_DIR = str(_folder)  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """A function that is compiled at its first call, or taken from the cache.

    It lets other threads run, divides by zero as numpy does, and rounds each operation by itself.

    Parameters
    ----------
    function : callable
        Loops over arrays and numbers.
    """
    return _compiled(function)


def inlined(function: Function) -> Function:
    """As `kernel`, for one that another calls in one place: it is compiled as a piece of that, not by itself too."""
    return _compiled(function, inline="always")


def _compiled(function: Function, **options: str) -> Function:
    njit: Any = numba.njit  # whose types know fewer options than it has
    made = njit(cache=True, nogil=True, error_model="numpy", fastmath=False, no_cfunc_wrapper=True, **options)(function)
    return cast(Function, made)
