"""Compiled loops: numba and the folder of its cache. Imported only where compiled loops are used."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

from toysearch.base.errors import note
from toysearch.base.user_cache import compiled_loops

Function = TypeVar("Function", bound=Callable[..., Any])


# The 0 of a count that a compiled function passes to another one. Numba gives the literal 0 a type of its own, and
# would compile the other function twice: for that type, and for int64.
ZERO = cast(int, np.int64(0))


def _kept(folder: Path) -> Path:
    """The cache folder of compiled loops, or one for this process alone if the folder is not writable."""
    try:
        existed = folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        private = Path(tempfile.mkdtemp(prefix="toysearch-"))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        try:
            shutil.copytree(folder, private, dirs_exist_ok=True)  # its compiled loops can still be read
        except OSError:
            note(
                f"compiling the fast loops for this run only: {folder.parent} is not writable; set "
                "NUMBA_CACHE_DIR to a writable folder to keep them"
            )
        return private
    if not existed:
        note(f"compiling the fast loops once; they are kept in {folder.parent}")
    return folder


if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(_kept(compiled_loops()))  # type: ignore[attr-defined]


def kernel(function: Function, **options: str) -> Function:
    """A function that is compiled at its first call or loaded from the cache."""
    # Compiled code lets other threads run, divides by zero like numpy, and rounds each operation separately.
    njit: Any = numba.njit  # its type hints lack some options
    settings = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": False, "no_cfunc_wrapper": True}
    return cast(Function, njit(**settings, **options)(function))


# Like `kernel`, for a function that is called in one place: it is compiled only as a part of its caller.
inlined = functools.partial(kernel, inline="always")
