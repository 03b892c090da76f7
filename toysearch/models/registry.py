"""Models by name: built-in ones, and those in a file of the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, overload

from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError, ModelError, unknown
from toysearch.models import axiomatic, bm25, bm25f, divergence, language_models, tfidf, vector_space
from toysearch.models.formula import PREFIX, from_text
from toysearch.models.mixture import LEARNED, Mixture, ModelLike, is_mixture, parse_mixture
from toysearch.models.model import Model
from toysearch.models.model import model as declare
from toysearch.models.query_wrappers import WRAPPERS
from toysearch.models.vector_models import DENSE, DIMENSIONS, LSA
from toysearch.spec import parse_spec
from toysearch.user_code import IN_FILE, functions_of, module_of

__all__ = ["COMPOSED", "MODELS", "model"]

MODELS: dict[str, Model] = {
    made.name: made
    for family in (tfidf, vector_space, bm25, bm25f, language_models, divergence, axiomatic)
    for made in family.MODELS
}

_WRAPPED = {
    "sdm": "Sequential dependence: pairs of neighbouring words of the query count too (Metzler & Croft 2005).",
    "rm3": "Relevance model: terms of the first documents are added to the query (Abdul-Jaleel et al. 2004).",
    "rm3-anserini": "Relevance model as in Anserini.",
    "rm3-terrier": "Relevance model as in Terrier.",
    "rocchio": "Rocchio: the query moves towards the first documents (Rocchio 1971).",
    "bo1": "Bo1: terms whose counts in the first documents differ most from chance are added (Amati 2003).",
    "bo1-terrier": "Bo1 as in Terrier.",
    "kl": "Terms are added by the divergence of the first documents from the collection (Amati 2003).",
    "kl-terrier": "Divergence as in Terrier.",
    "axiomatic": "Terms are added that share documents with those of the query (Fang & Zhai 2006).",
}
"""What each wrapper does."""

COMPOSED: dict[str, tuple[str, str]] = {
    **{
        f"{name}(MODEL)": (
            ", ".join(f"{parameter}={each.default:g}" for parameter, each in WRAPPERS[name].items()),
            summary,
        )
        for name, summary in _WRAPPED.items()
    },
    LSA: (
        f"dimensions={DIMENSIONS}",
        "Latent topics: cosine of documents and queries in the space of that many topics (Deerwester et al. 1990).",
    ),
    f"{DENSE}:FILE": (
        "queries=FILE, similarity=cosine, ids=FILE",
        "Vectors of your own: cosine or dot product of documents and queries.",
    ),
    "learned:FOLDER": ("", "A ranker that `toysearch learn` saved: the models in it, combined by what was learned."),
}
"""What is named like a model and is none of `MODELS`: the wrappers of models, vectors, and learned rankers."""


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
    alone = what.lstrip().startswith(LEARNED) and Path(what.strip().removeprefix(LEARNED)).is_dir()
    return parse_mixture(what, _named) if not alone and is_mixture(what) else _named(what)


def _named(what: str) -> Model | Mixture:
    """The model of a name with parameters, or of the folder of a ranker."""
    if what.startswith(PREFIX):
        return from_text(what)
    if what.lstrip().startswith(LEARNED):
        from toysearch.models.learned_model import learned_model  # most models are not learned

        return learned_model(what)
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
