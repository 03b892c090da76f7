"""A collection with judgments as a command's argument: its name, its folder, or an index made from a named one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import toysearch
from toysearch.cli.options import SourceOptions, analyzer_for, is_index, load_source, open_source

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.corpus.collection import Collection
    from toysearch.index.index import Index


@dataclass(frozen=True)
class JudgedSource:
    """A judged collection, with how to analyse it, or with the index that it was given as."""

    collection: Collection
    analyzer: Analyzer | None
    index: Index | None


def judged_source(source: str, options: SourceOptions) -> JudgedSource:
    """The judged collection that a SOURCE stands for; its documents are not read yet.

    Parameters
    ----------
    source : str
        A collection: its name, its folder, its file; or the folder of an index made from a named one.
    options : SourceOptions
        How to read and analyse it.

    Raises
    ------
    ArgumentError
        If it has no judgments.
    """
    index, analyzer = None, None
    if is_index(source):
        index, collection = open_source(source, options)
    else:
        collection = load_source(source, options)
        analyzer = analyzer_for(options, collection.language)
    if collection is None or not len(collection.qrels):
        raise toysearch.ArgumentError(f"{source} has no judgments to score against; give a collection that has some")
    return JudgedSource(collection, analyzer, index)
