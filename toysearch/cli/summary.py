"""What a command that has saved an index says of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import toysearch
from toysearch.cli.output import count, size

if TYPE_CHECKING:
    from toysearch.index.index import Index


def summary(folder: str, index: Index, started: float) -> str:
    """What the index in a folder holds, its size on the disk, and what it took."""
    stats = index.stats
    used = sum(toysearch.index_files(folder).values())
    return (
        f"{count(stats.N, 'document')}, {count(stats.n_terms, 'term')}, {count(stats.n_postings, 'posting')}, "
        f"{size(used)}, {time.perf_counter() - started:.2f} s"
    )
