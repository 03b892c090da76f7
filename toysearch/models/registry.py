"""Registry of models by name: built-in ones, and those in a file of the user; and their names in one table."""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from toysearch.base import ArgumentError, ToysearchError, a, expect_list
from toysearch.models.model import MODELS, Model

if TYPE_CHECKING:
    from pathlib import Path

    from toysearch.models.rankers import ModelLike, Ranker

__all__ = ["MODELS", "distinct", "model"]


@overload
def model(what: Model, /, **ranges: Any) -> Model: ...


@overload
def model(what: ModelLike, /, **ranges: Any) -> Model | Ranker: ...


@overload
def model(what: None = None, /, **ranges: Any) -> Callable[[Callable[..., Any]], Model]: ...


def model(what: ModelLike | None = None, /, **ranges: Any) -> Model | Ranker | Callable[[Callable[..., Any]], Model]:
    """Return a model by its name, a ranker made of several, or the decorator that makes a function a model.

    Parameters
    ----------
    what : str, function, Model or Ranker, optional
        A name with parameters (``"bm25:b=0.4"``), a function in a file (``"mine.py:rank:k=2"``), a sum
        (``"0.7*bm25 + 0.3*min-max(tfidf)"``), a pipeline (``"bm25@100 >> lsa:50"``), any of these with a name of its
        own (``"new=bm25:b=0.4"``), or a function to turn into a model. Without it, a decorator is returned.
    **ranges
        With a function: ranges of its parameters and hooks; see `toysearch.models.model.model`. With a name or a
        Model: values of its parameters.

    Returns
    -------
    Model or Ranker
        With its parameters bound; accepted wherever a name is.

    Raises
    ------
    ArgumentError
        If the name or a parameter is unknown (the nearest is named), a value is out of range, or values are given
        beside a ranker that is not a Model.
    ModelError
        If a function does not follow the contract of a model.

    Examples
    --------
    >>> model("bm25:b=0.4").parameters["b"]
    0.4
    >>> model("bm25", b=0.4) == model("bm25:b=0.4")
    True
    >>> @model
    ... def presence(tf):
    ...     return tf / tf
    >>> presence
    presence
    """
    if not ranges and isinstance(what, Model):
        return what
    if not ranges and isinstance(what, str) and (built_in := MODELS.get(what)):
        return built_in
    from toysearch.models.given_models import given  # most searches have one model, by its name

    found: Model | Ranker | Callable[[Callable[..., Any]], Model] = given(what, ranges)
    return found


def _rebound(place: Any, parameters: dict[str, Any], label: str) -> Model:
    """Return the model of a name or a function, with its parameters."""
    bound: Model = model(place).bind(**parameters)
    return replace(bound, label=label)


def _sent(bound: Model) -> str | tuple[Any, ...]:
    """Send a model to another process as its text, else as the function of a module or a file."""
    text, values, where = str(replace(bound, label="")), dict(bound.parameters), str(bound.__module__)
    around = getattr(bound.function, "__globals__", {})
    namesake = around.get(str(getattr(bound, "__qualname__", "")))
    imported = around is vars(sys.modules.get(where, sys)) and not (namesake is bound and where == "__main__")
    if namesake is bound and imported:
        return str(bound.__qualname__)
    if "__file__" in around and not imported:
        for key, value in around.items():
            if value is bound.function or getattr(value, "function", None) is bound.function:
                return _rebound, (f"{around['__file__']}:{key}", values, bound.label)
    for place, parameters in ((text, {}), (namesake, values)):
        with suppress(ToysearchError):
            if place not in (None, bound) and _rebound(place, parameters, "") == bound:
                return _rebound, (place, parameters, bound.label)
    return object.__reduce_ex__(bound, 4)  # cloudpickle, as of joblib and Dask, sends any function


copyreg.pickle(Model, _sent)


def distinct(models: Sequence[Model | Ranker], *, own: bool = False) -> list[Model | Ranker]:
    """Name models by their files where several functions have one name.

    Parameters
    ----------
    models : sequence of Model or Ranker
        The systems of one table.
    own : bool
        Whether each function in a file of the user is named by its file. Default False.

    Returns
    -------
    list of Model or Ranker
        In the same order; a model with a name of its own keeps it.

    Examples
    --------
    >>> from toysearch.models.registry import model
    >>> distinct([model("bm25"), model("bm25:b=0.4")])
    [bm25, bm25:b=0.4]
    """
    from toysearch.models.rankers import Ranker, rebuilt  # most commands show one model

    expect_list(object, models=models)
    for model in models:
        if not isinstance(model, Model | Ranker):
            raise ArgumentError(f"models must be a list of Model or Ranker, not a list with {a(model)}")
    inside = list(dict.fromkeys(part for model in models for part in model.models if not part.label))
    changes: dict[Model, Model] = {}
    for model in inside:
        file = _file_of(model)
        alike = [other for other in inside if str(other) == str(model) and other != model]
        if file is None or not (own or alike):
            continue
        same_name = [other for other in alike if (beside := _file_of(other)) and beside.name == file.name]
        changes[model] = replace(model, label=f"{file if same_name else file.name}:{model}")
    return [model if model.label else rebuilt(model, lambda part: changes.get(part, part)) for model in models]


def _file_of(model: Model) -> Path | None:
    from pathlib import Path  # few models are named by their files

    code = getattr(model.function, "__code__", None)
    file = Path(code.co_filename) if code else None
    return file if file and file.is_file() and Path(__file__).parents[1] not in file.parents else None
