"""Choice between plain numpy and compiled loops, which give the same results faster."""

from __future__ import annotations

import os
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES

from toysearch.base import platform
from toysearch.base.errors import ArgumentError, unknown

VARIABLE = "TOYSEARCH_PATH"
"""Environment variable that chooses for everything: ``plain`` or ``compiled``."""

# The modules of `toysearch.compiled` that are compiled when toysearch is installed; their sources are Python, but slow.
LOOPS = (
    "bit_packing",
    "block_max",
    "common_postings",
    "id_hashes",
    "judged_ranks",
    "posting_sort",
    "run_ranks",
    "term_lookup",
    "tokens",
    "trec_lines",
)  # fmt: skip

ARRAYS = "memoryviews"
"""Module with which all of them read arrays; Cython writes it, so it has no source here."""

_MODULES = [f"toysearch.compiled.{name}" for name in (*LOOPS, ARRAYS)]


def compiled() -> bool:
    """True if compiled loops do the work; the results are the same."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen not in ("", "plain", "compiled"):
        raise ArgumentError(str(unknown(f"value of {VARIABLE}", chosen, ["plain", "compiled"], "values")))
    if chosen == "compiled" and not loops_compiled():
        raise ArgumentError(f"{VARIABLE} is compiled, but its loops are not; unset it")
    return chosen != "plain" and loops_compiled()


@cache
def loops_compiled() -> bool:
    """True if the loops were compiled for this Python of 64 bits; if one was not, numpy does the work of all."""
    return platform.WIDE and all(map(is_compiled, _MODULES))


def is_compiled(module: str) -> bool:
    """True if a module exists and was compiled; a module in Python is not.

    >>> is_compiled("toysearch.base.plain_or_compiled")
    False
    """
    place = os.path.join(os.path.dirname(__file__), *[os.pardir] * 2, *module.split("."))
    return any(os.path.isfile(place + suffix) for suffix in EXTENSION_SUFFIXES)
