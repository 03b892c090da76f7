"""Storing models' weights in an index, with progress: for `toysearch index`, and again after `add` and `delete`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import toysearch
from toysearch.cli.output import progress

if TYPE_CHECKING:
    from toysearch.index.index import Index


def precomputed(index: Index, models: Sequence[str]) -> Index:
    """The index with what these models give to its postings."""
    if not models:
        return index
    with progress("weighing", "postings") as tell:
        return toysearch.precompute(index, models, progress=tell)
