"""The parts of a ranking, each with a way to switch it off, or on if a model lacks it.

A part is switched off in the statistics passed to the functions of the model, so that this works for any model: a
built-in one, a formula, a custom function. If every document has the mean length, length normalisation has no effect;
if every term has the mean frequency in the collection, idf has none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy import log

from toysearch.base.errors import ModelError
from toysearch.index.inverted_index import Index
from toysearch.models.model import Array, Model, call, field_statistic, names_of
from toysearch.models.similarity import dot
from toysearch.search.scoring import Weights

B = 0.75
"""The b of the length normalisation added to a model without any."""

_LENGTHS = {"dl", "distinct", "max_tf", "bytes"}
_OF_TERMS = {"df", "cf", "df_all", "cf_all"}
_SAMPLE = 1 << 16  # postings on which a model is probed


class Ingredient(NamedTuple):
    """A part of a ranking that a model may have."""

    name: str  # its name
    has: Callable[[Model], bool]  # whether the functions of a model name its statistics
    off: Callable[[Model, Index], Model]  # (Model, Index) → the model without it
    without: str  # a description of switching it off
    # (Model, Index) → a model without it, given its plainest form
    on: Callable[[Model, Index], Model] | None = None
    plainest: str = ""  # a description of switching it on
    needs: bool = False  # whether it is switched on only if the model names the statistic that it acts on


class Handed:
    """A function of a model with changed statistics or a changed result."""

    def __init__(
        self,
        function: Callable[..., Any],
        before: Callable[[Mapping[str, Any]], dict[str, Any]],
        after: Callable[[Any, Mapping[str, Any]], Any] | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        self._function, self._before, self._after = function, before, after
        own = inspect.signature(function)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        more = [inspect.Parameter(name, kind) for name in names if name not in own.parameters]
        self.__signature__ = own.replace(parameters=[*more, *own.parameters.values()])
        self.__doc__, self.__module__ = function.__doc__, getattr(function, "__module__", "")

    def __call__(self, /, **given: Any) -> Any:
        """The result of the original function for the changed statistics."""
        made = call(self._function, self._before(given), {})
        return made if self._after is None else self._after(made, given)


def has_ingredient(ingredient: Ingredient, model: Model, index: Index) -> bool:
    """Whether a model has an ingredient: it names it, and some weight changes without it.

    >>> from toysearch.models.bm25 import bm25
    >>> index = Index.build(["a cat", "a cat and a dog"])
    >>> [has_ingredient(INGREDIENTS[1], model, index) for model in (bm25, bm25.bind(b=0))]
    [True, False]
    """
    # If switching it off or on changes no weight of the index, the statistics that the model names decide.
    if not ingredient.has(model):
        return False
    if ingredient.on is None:
        return True
    off, on = ingredient.off(model, index), ingredient.on(model, index)
    return _differs(model, off, index) or not _differs(model, on, index)


def _differs(model: Model, other: Model, index: Index) -> bool:
    """Whether the other model gives different weights; a model that fails counts as different."""
    try:
        return is_changed(model, other, index)
    except ModelError:
        return True


def is_changed(model: Model, other: Model, index: Index) -> bool:
    """Whether two models that differ by an ingredient give any posting of an index different weights."""
    if other.similarity != model.similarity:
        return True
    pairs = zip(_seen(model, index), _seen(other, index), strict=True)
    return not all(np.allclose(one, two, rtol=1e-9, atol=0) for one, two in pairs)


def _seen(model: Model, index: Index) -> Iterator[Array]:
    """The weights of the postings of the most frequent terms, then the values of the hooks of the model."""
    weights, terms, size = Weights(index, model), [], 0
    for term in np.argsort(-index.df, kind="stable").tolist():
        if size > _SAMPLE:
            break
        terms.append(term)
        size += int(index.df[term])
    yield weights.weigh(np.array(terms))[1]
    of_query = {"ql": 2.0, "max_qtf": 2.0, "distinct_q": 1.0}
    for name, function in model.hooks.items():
        if name == "document":
            docs = np.arange(index.stats.N)
            yield weights.apply(name, {**of_query, **weights.document_statistics(docs, names_of(function))}, len(docs))
        elif name != "collection_constants":  # its constants show in the weights
            statistics = {**of_query, "qtf": np.full(len(terms), 2.0), **weights.term_statistics(np.array(terms))}
            yield weights.apply(name, statistics, len(terms))


def _named(model: Model) -> set[str]:
    """The statistics named by the functions of a model; field statistics without their field."""
    names = {name for function in (model.function, *model.hooks.values()) for name in names_of(function)}
    parts = {name: field_statistic(name) for name in names if name not in model.parameters}
    return {part[0] if part else name for name, part in parts.items()}


def _handed(model: Model, change_of: Callable[[str], Callable[[Any], Any] | None]) -> Model:
    """A model whose functions get changed statistics; `change_of` returns None for those that stay the same."""

    def before(given: Mapping[str, Any]) -> dict[str, Any]:
        changes = {name: None if name in model.parameters else change_of(name) for name in given}
        return {name: value if (change := changes[name]) is None else change(value) for name, value in given.items()}

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        named = [name for name in names_of(function) if name not in model.parameters]
        return Handed(function, before) if any(change_of(name) for name in named) else function

    hooks = {name: wrapped(function) for name, function in model.hooks.items()}
    return replace(model, function=wrapped(model.function), hooks=hooks)


def _constant(number: float) -> Callable[[Any], Any]:
    """A function that replaces every value with a number."""
    return lambda value: np.full_like(value, number)


def _has_idf(model: Model) -> bool:
    return bool(_named(model) & _OF_TERMS)


def _without_idf(model: Model, index: Index) -> Model:
    df, cf = (_constant(float(np.mean(counts))) for counts in (index.df, index.cf))
    return _handed(model, {"df": df, "df_all": df, "cf": cf, "cf_all": cf}.get)


def _with_idf(model: Model, index: Index) -> Model:
    idf = Handed(model.function, dict, lambda made, given: made * log(1 + given["N"] / given["df"]), ("df", "N"))
    return replace(model, function=idf)


def _has_length(model: Model) -> bool:
    return bool(_named(model) & _LENGTHS) or bool({"dd", "d1"} & set(names_of(model.similarity.function)))


def _without_length(model: Model, index: Index) -> Model:
    lengths = {name: getattr(index, name) for name in _LENGTHS}
    lengths |= {f"dl_{name}": index.fields.dl(name) for name in index.fields.names}
    made = _handed(model, {name: _constant(float(np.mean(each))) for name, each in lengths.items()}.get)
    if {"dd", "d1"} & set(names_of(model.similarity.function)):
        made = replace(made, similarity=model.similarity._replace(function=dot), similarity_of=None)
    return made


def _with_length(model: Model, index: Index) -> Model:
    def length(given: Mapping[str, Any]) -> Any:
        return 1 - B + B * given["dl"] / given["avgdl"]

    names = ("dl", "avgdl")
    if "tf" not in names_of(model.function):
        return replace(model, function=Handed(model.function, dict, lambda made, given: made / length(given), names))
    by_tf = Handed(model.function, lambda given: {**given, "tf": given["tf"] / length(given)}, names=names)
    return replace(model, function=by_tf)


def _has_tf(model: Model) -> bool:
    return "tf" in _named(model)


def _has_one_tf(model: Model) -> bool:
    """Whether a model names tf as one number, not field by field."""
    return "tf" in names_of(model.function)


def _without_tf(model: Model, index: Index) -> Model:
    def change_of(name: str) -> Callable[[Any], Any] | None:
        return _at_most_once if name == "max_tf" or (field_statistic(name) or (name,))[0] == "tf" else None

    return _handed(model, change_of)


def _at_most_once(counts: Any) -> Any:
    return np.minimum(counts, 1.0)


def _with_tf(model: Model, index: Index) -> Model:
    return replace(model, function=Handed(model.function, dict, lambda made, given: made * given["tf"], ("tf",)))


def _without_saturation(model: Model, index: Index) -> Model:
    def before(given: Mapping[str, Any]) -> dict[str, Any]:
        return {**given, "tf": np.ones_like(given["tf"])}

    return replace(model, function=Handed(model.function, before, lambda made, given: made * given["tf"]))


def _with_saturation(model: Model, index: Index) -> Model:
    return replace(model, function=Handed(model.function, lambda given: {**given, "tf": 1 + log(given["tf"])}))


def _without_repetition(model: Model, index: Index) -> Model:
    def before(given: Mapping[str, Any]) -> dict[str, Any]:
        changed = {**given, "max_qtf": 1.0, "ql": given.get("distinct_q")}
        if "qtf" in given:
            changed["qtf"] = np.ones_like(given["qtf"])
        return changed

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        names = set(names_of(function)) & {"qtf", "max_qtf", "ql"}
        return Handed(function, before, names=("distinct_q",) if "ql" in names else ()) if names else function

    hooks = {name: wrapped(function) for name, function in model.hooks.items()}
    return replace(model, hooks={"query": _once, **hooks})


def _once(qtf: Any) -> Any:
    """The weight 1 for a query term of any frequency."""
    return np.ones_like(qtf)


INGREDIENTS = (
    Ingredient(
        "idf",
        _has_idf,
        _without_idf,
        "every term has the mean df and cf of all terms",
        _with_idf,
        "weights times ln(1 + N/df)",
    ),
    Ingredient(
        "length normalisation",
        _has_length,
        _without_length,
        "every document has the mean length, and its vector no norm",
        _with_length,
        f"tf, or a weight without tf, over 1 − b + b · dl/avgdl, b = {B}",
    ),
    Ingredient("tf", _has_tf, _without_tf, "a term occurs once or not at all", _with_tf, "weights times tf"),
    Ingredient(
        "tf saturation",
        _has_one_tf,
        _without_saturation,
        "each occurrence of a term counts like the first",
        _with_saturation,
        "1 + ln tf instead of tf",
        needs=True,
    ),
    Ingredient("repeated query terms", lambda model: True, _without_repetition, "each term of a query counts once"),
)
"""The ingredients that can be switched, in the order of the table."""
