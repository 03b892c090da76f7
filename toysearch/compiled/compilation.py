"""Compiled loops: numba and the folder of its cache. Imported only where compiled loops are used."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

from toysearch.errors import note
from toysearch.user_cache import compiled_loops

Function = TypeVar("Function", bound=Callable[..., Any])


ZERO = cast(int, np.int64(0))
"""Where a compiled function begins to count what it gives to another: numba takes 0 for a type of its own, and would
compile the other once for that and once for whole numbers."""


def _kept(folder: Path) -> Path:
    """The cache folder of compiled loops, or one for this process alone if the folder is not writable."""
    try:
        known = folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        own = Path(tempfile.mkdtemp(prefix="toysearch-"))
        atexit.register(shutil.rmtree, own, ignore_errors=True)
        try:
            shutil.copytree(folder, own, dirs_exist_ok=True)  # what is there may be read
        except OSError:
            note(
                f"compiling the fast loops for this run alone: {folder.parent} cannot be written to; set "
                "NUMBA_CACHE_DIR to a folder of yours, where they are kept"
            )
        return own
    if not known:
        note(f"compiling the fast loops, once: they are kept in {folder.parent}")
    return folder


if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(_kept(compiled_loops()))  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """A function that is compiled at its first call or loaded from the cache."""
    # It lets other threads run, divides by zero as numpy does, and rounds each operation by itself.
    return _compiled(function)


def inlined(function: Function) -> Function:
    """As `kernel`, for one that another calls in one place: it is compiled as a piece of that, not by itself too."""
    return _compiled(function, inline="always")


def _compiled(function: Function, **options: str) -> Function:
    njit: Any = numba.njit  # whose types know fewer options than it has
    made = njit(cache=True, nogil=True, error_model="numpy", fastmath=False, no_cfunc_wrapper=True, **options)(function)
    return cast(Function, made)
