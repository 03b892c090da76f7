"""Registry of models by name: built-in ones, and those in a file of the user; and their names in one table."""

from __future__ import annotations

import copyreg
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from toysearch.base import (
    IN_FILE,
    SYSTEM_PARTS,
    ArgumentError,
    ModelError,
    Spec,
    ToysearchError,
    a,
    expect_list,
    functions_of,
    in_file_meant,
    listed,
    module_of,
    parse_spec,
    unknown,
)
from toysearch.base.elsewhere import phrases
from toysearch.models import bm25, divergence, language_models, tfidf, vector_space
from toysearch.models.calls import CALLS, LEARNED, PIPE
from toysearch.models.formula import PREFIX as FORMULA
from toysearch.models.formula import from_text
from toysearch.models.model import Model
from toysearch.models.model import model as declare
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.rankers import ModelLike, Ranker, rebuilt
from toysearch.rings import ring

__all__ = ["MODELS", "distinct", "model"]


MODELS: dict[str, Model] = {
    built_in.name: built_in
    for family in (tfidf, vector_space, bm25, language_models, divergence)
    for built_in in family.MODELS
}


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


_SPELT = {_letters(name): name for name in MODELS}  # TF_IDF and BM25Okapi, as elsewhere


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
    if isinstance(what, Model | Ranker):
        return _with_values(what, ranges) if ranges else what
    if not isinstance(what, str):
        if what is not None and not callable(what):
            raise ArgumentError(f"what must be a text, a function, a Model or a Ranker, not {a(what)}{_whole(what)}")
        from toysearch.models.search_function import own_search, takes_text  # most models are named

        return own_search(what) if takes_text(what) else declare(what, **ranges)
    if ranges:
        return _with_values(model(what), ranges)
    if what in MODELS:
        return MODELS[what]
    if SYSTEM_PARTS.search(what):
        raise ArgumentError(
            f"'{what}' is a system, a model with an analysis, fields or an index of its own; compare, eval, diff and "
            "report take it (System in Python), and only a model is expected here"
        )
    if labelled_text := NAMED.match(what):
        return replace(model(labelled_text["model"]), label=labelled_text["label"])
    if what.lstrip().startswith(FORMULA) and PIPE not in what:
        return from_text(what)
    folder = what.strip().removeprefix(f"{LEARNED}:")
    if folder != what.strip() and os.path.isdir(folder):  # its name may have any characters
        return _named(what)
    from toysearch.models.grammar import read  # a name alone needs none

    ranker: Model | Ranker = read(what, _named)
    return ranker


def _whole(what: Any) -> str:
    """Say what takes a system, which has more than a model."""
    if type(what).__name__ != "System":
        return ""
    return "; compare, diff and tune take it whole, and Study.of(collection).searcher(system) searches with it"


def _with_values(named: Model | Ranker, values: dict[str, Any]) -> Model:
    if not isinstance(named, Model):
        raise ArgumentError(
            f"'{named}' takes values in its text alone, as in 'rm3(bm25:b=0.4)'; write {listed(sorted(values))} there"
        )
    if named.name == bm25.BM25F:  # whose parameters depend on the fields that are named
        named_fields = parse_spec(str(replace(named, label=""))).parameters
        bound = bm25.bm25f_from_parameters({**named_fields, **values})
    else:
        bound = named.bind(**values)
    return replace(bound, label=named.label)


def _named(what: str) -> Model | Ranker:
    if what.startswith(FORMULA):
        return from_text(what)
    if what.lstrip().startswith(f"{LEARNED}:"):
        learned: Ranker = ring("learned models").learned_model(what, model)
        return learned
    in_file = IN_FILE.match(what.strip())
    if comma := re.match(_COMMA_AFTER_FUNCTION, what.strip()):
        raise ArgumentError(f"'{what}': parameters follow a colon: {comma[1]}:{comma[2]}")
    if in_file:
        unbound = _from_file(Path(in_file["file"]), in_file["name"])
        spec = parse_spec(f"{in_file['name']}{in_file['parameters'] or ''}")
    else:
        head = what.strip().partition(":")[0]
        if head not in MODELS and (meant := in_file_meant(what)):
            raise ArgumentError(f"'{what}': the name of a file ends in .py: {meant}")
        spec = parse_spec(what) if head else Spec("", {})
        name = spec.name if spec.name in MODELS else _SPELT.get(_letters(spec.name), spec.name)
        if name not in MODELS:
            raise _unknown_model(what, spec.name)
        if name == bm25.BM25F and not spec.values:
            return bm25.bm25f_from_parameters(spec.parameters)
        unbound = MODELS[name]
        for parameter, value in spec.parameters.items():
            if (variant := f"{name}-{value}") in MODELS and parameter not in unbound.ranges:
                raise ArgumentError(f"{name} has no parameter '{parameter}'; did you mean '{variant}'?")
    bound: Model | Ranker = unbound.bind(*spec.values, **spec.parameters) if spec.values or spec.parameters else unbound
    return bound


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


_COMMA_AFTER_FUNCTION = r"(?s)(.+\.py:[A-Za-z_]\w*),(.+)"
LISTED = "`toysearch models` lists all (toysearch.MODELS in Python)"


def _unknown_model(what: str, name: str) -> ArgumentError:
    if not name:
        return ArgumentError(f"'{what}' names no model; an example: bm25:b=0.4")
    if name.endswith(".py"):
        if not os.path.isfile(name):
            return ArgumentError(f"{name}: there is no such file; a model of your own is given as FILE.py:NAME")
        functions = functions_of(module_of(Path(name), Path(name).read_bytes(), ModelError))
        return ArgumentError(f"'{what}': name its function, as in {name}:{functions[0] if functions else 'rank'}")
    names = [*MODELS, *CALLS]
    for row in phrases("model"):
        if _letters(row.theirs) == _letters(name):
            return ArgumentError(f"unknown model '{name}'; {row.advice or f'it is {row.ours} here'}")
    if "%" in name or ("@" in name and name.partition("@")[0].lower() in names):
        return ArgumentError(f"'{what}': @ says how many documents the next stage re-ranks, as in bm25@100 >> lsa:100")
    if name.lower() in FACTOR_NORMALISATIONS:
        return ArgumentError(f"'{what}': {name.lower()} normalises the scores of a model, as in {name.lower()}(bm25)")
    if name.lower() in CALLS:
        call = CALLS[name.lower()]
        return ArgumentError(f"'{what}': expected {call.form}, as in {call.example}")
    return unknown("model", name, names, listed=LISTED)


def _from_file(path: Path, name: str) -> Any:
    if not os.path.isfile(path):
        raise ArgumentError(f"{path}: there is no such file; a model of your own is given as FILE.py:NAME")
    module = module_of(path, path.read_bytes(), ModelError)
    if not hasattr(module, name):
        models = [variable for variable, value in vars(module).items() if isinstance(value, Model)]
        raise unknown(f"model in {path}", name, dict.fromkeys([*models, *functions_of(module)]), f"functions of {path}")
    function: Callable[..., Any] = getattr(module, name)
    if isinstance(function, Model | Ranker):
        return function
    from toysearch.models.search_function import own_search, takes_text  # most models come with toysearch

    if takes_text(function):
        return own_search(function, name=f"{path}:{name}")
    # By the name requested: a lambda, or a function with two names, has no other name.
    return declare(function, name=name.replace("_", "-"))


_LABEL = r"[^\s=:()+*,;/\\]+"
NAMED = re.compile(rf"\s*(?P<label>{_LABEL})=(?:\s*{_LABEL}=)*(?P<model>.+)\Z", re.DOTALL)
"""Text form of a model with a name of its own, the first of several: new=mine.py:rank."""

_HERE = Path(__file__).parents[1]


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
    code = getattr(model.function, "__code__", None)
    file = Path(code.co_filename) if code else None
    return file if file and file.is_file() and _HERE not in file.parents else None
