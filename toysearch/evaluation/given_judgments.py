"""Judgments given to a function of the evaluation: in memory, in a file, or in a named collection."""

from __future__ import annotations

from pathlib import Path

from toysearch.base import Qrels, Run
from toysearch.files import Graded, QrelsLike, judgments_in


def judgments_of(source: QrelsLike, run: Run | None = None) -> Graded:
    """Read and check the given judgments, perhaps of a run, with the relevance threshold of a collection.

    >>> judgments_of("cat-dog-parrot").threshold, judgments_of({"1": {"a": 2}}).qrels["1"]
    (0.5, {'a': 2.0})
    """
    return judgments_in(with_name_loaded(source), run)


def with_name_loaded(source: QrelsLike) -> QrelsLike:
    """Load the collection of a name; return anything else as it is."""
    if isinstance(source, str | Path):
        from toysearch.files import reads_as_judgments  # judgments in memory need neither this nor the catalog

        if not reads_as_judgments(source):
            from toysearch.collection.catalog import collection_of

            return collection_of(source)
    return source


def as_qrels(source: QrelsLike) -> Qrels:
    """Read the given judgments, as `judgments_of` does."""
    return judgments_of(source).qrels
