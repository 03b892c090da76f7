"""Models by name: built-in ones, and those in a file of the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, overload

from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError, ModelError, unknown
from toysearch.models import axiomatic, bm25, bm25f, divergence, language_models, tfidf, vector_space
from toysearch.models.formula import PREFIX, from_text
from toysearch.models.mixture import Mixture, ModelLike, is_mixture, parse_mixture
from toysearch.models.model import Model
from toysearch.models.model import model as declare
from toysearch.spec import parse_spec
from toysearch.user_code import IN_FILE, functions_of, module_of

__all__ = ["MODELS", "model"]

MODELS: dict[str, Model] = {
    made.name: made
    for family in (tfidf, vector_space, bm25, bm25f, language_models, divergence, axiomatic)
    for made in family.MODELS
}


@overload
def model(what: Model, /, **ranges: Any) -> Model: ...


@overload
def model(what: ModelLike, /, **ranges: Any) -> Model | Mixture: ...


@overload
def model(what: None = None, /, **ranges: Any) -> Callable[[Callable[..., Any]], Model]: ...


@checked
def model(what: ModelLike | None = None, /, **ranges: Any) -> Model | Mixture | Callable[[Callable[..., Any]], Model]:
    """A model by its name, a mixture of several, or the decorator that makes a function a model.

    Parameters
    ----------
    what : str, function, Model or Mixture, optional
        A name with parameters (``"bm25:b=0.4"``), a function in a file (``"mine.py:rank:k=2"``), a mixture
        (``"0.7*bm25 + 0.3*min-max(tfidf)"``), or a function to turn into a model. Without it, a decorator is returned.
    **ranges
        With a function: ranges of its parameters and hooks; see `toysearch.models.model.model`.

    Returns
    -------
    Model or Mixture
        With its parameters bound; accepted wherever a name is.

    Raises
    ------
    ArgumentError
        If the name or a parameter is unknown (the nearest is named), or a value is out of range.
    ModelError
        If a function does not follow the contract of a model.

    Examples
    --------
    >>> model("bm25:b=0.4").parameters["b"]
    0.4
    >>> @model
    ... def presence(tf):
    ...     return tf / tf
    >>> presence
    presence
    """
    if isinstance(what, Mixture):
        return what
    if not isinstance(what, str):
        return declare(what, **ranges)
    if what in MODELS:
        return MODELS[what]
    if what.lstrip().startswith(PREFIX):
        return from_text(what)
    if what.lstrip().startswith("learned:"):
        from toysearch.models.learned_model import learned_model  # most models are not learned

        return learned_model(what)
    return parse_mixture(what, _named) if is_mixture(what) else _named(what)


def _named(what: str) -> Model:
    """The model of a name with parameters."""
    if what.startswith(PREFIX):
        return from_text(what)
    in_file = IN_FILE.match(what.strip())
    if in_file:
        made = _from_file(Path(in_file["file"]), in_file["name"])
        spec = parse_spec(f"{made.name}{in_file['parameters'] or ''}")
    else:
        spec = parse_spec(what)
        name = spec.name if spec.name in MODELS else spec.name.lower()
        if name not in MODELS:
            if spec.name.endswith(".py"):
                raise ArgumentError(f"'{what}': name its function, as in {spec.name}:rank")
            raise unknown("model", spec.name, MODELS)
        if name == bm25f.NAME and not spec.values:
            return bm25f.from_parameters(spec.parameters)
        made = MODELS[name]
    return made.bind(*spec.values, **spec.parameters) if spec.values or spec.parameters else made


def _from_file(path: Path, name: str) -> Model:
    """The model or function of that name in a Python file."""
    if not path.is_file():
        raise ArgumentError(f"{path}: there is no such file; a model of your own is given as FILE.py:NAME")
    module = module_of(path, path.read_bytes(), ModelError)
    if not hasattr(module, name):
        models = [known for known, value in vars(module).items() if isinstance(value, Model)]
        raise unknown(f"model in {path}", name, dict.fromkeys([*models, *functions_of(module)]), f"functions of {path}")
    function: Callable[..., Any] = getattr(module, name)
    # By the name requested: a lambda, or a function with two names, has no other name.
    return function if isinstance(function, Model) else declare(function, name=name.replace("_", "-"))
