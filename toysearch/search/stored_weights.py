"""Weights of models for all postings, stored in the index, so that a first use needs no computation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError, expect
from toysearch.index.inverted_index import Index
from toysearch.models.mixture import ModelLike
from toysearch.models.model import Array, Model
from toysearch.models.registry import model as find_model
from toysearch.search.term_weights import Weights, in_blocks, stored_name

__all__ = ["precompute", "storable_models"]


@checked
def precompute(
    index: Index,
    models: Iterable[ModelLike],
    progress: Callable[[int], object] | None = None,
) -> Index:
    """The index with stored weights of models for its postings, in addition to those already stored.

    A searcher with one of these models uses them and ranks identically. They take 8 bytes per posting and model. Adding
    or deleting documents removes them, since the statistics change.

    Parameters
    ----------
    index : Index
        The index that the models will search.
    models : iterable of str or Model
        Their names, with parameters, or formulas; a mixture stands for its models.
    progress : callable, optional
        Called now and then with the number of postings done.

    Raises
    ------
    ArgumentError
        If a model or a parameter is unknown, or a model is a custom function, whose code may change.
    ModelError
        If a model breaks its contract.

    Examples
    --------
    >>> import toysearch
    >>> index = precompute(Index.build(["the cat sat", "a cat and another cat"]), ["bm25:b=0.4"])
    >>> [len(weights) for weights in index.weights.values()]
    [6]
    """
    expect(index, Index, "index")
    stored, done = dict(index.weights), 0
    for model in storable_models(models):
        name = stored_name(model)
        if name in stored:
            continue
        stored[name] = np.empty(index.stats.n_postings)
        for start, weights in _all_of(index, model):
            stored[name][start : start + len(weights)] = weights
            done += len(weights)
            if progress:
                progress(done)
    return index.with_weights(stored)


@checked
def storable_models(models: Iterable[ModelLike]) -> list[Model]:
    """The models, including those in mixtures, if an index may store the weights of all of them.

    Parameters
    ----------
    models : iterable of str or Model
        Their names, with parameters, or formulas.

    Raises
    ------
    ArgumentError
        If a model or a parameter is unknown, or a model is a custom function, whose code may change.

    Examples
    --------
    >>> storable_models(["0.7*bm25 + 0.3*lm-dirichlet"])
    [bm25, lm-dirichlet]
    """
    storable = [model for found in map(find_model, models) for model in found.models]
    for model in storable:
        if not model.function.__module__.startswith("toysearch."):
            raise ArgumentError(
                f"the weights of '{model}' cannot be stored: it is a function of your own, which may change; store "
                "those of a model that toysearch has (toysearch models), or of a formula"
            )
    return storable


def _all_of(index: Index, model: Model) -> Iterator[tuple[int, Array]]:
    """The weights of all postings, in blocks, and where each begins."""
    weights = Weights(index, model)
    for terms, spans in in_blocks(index.offsets, range(index.stats.n_terms)):
        yield spans[0][0], weights.weigh(terms, spans)[1]
