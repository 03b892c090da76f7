"""A ranking model is a function: positional parameters name statistics, keyword-only ones can be tuned.

Start with `model`, the decorator that makes a `Model` of such a function, and with `Model.weight`, which calls it.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, overload

import numpy as np

from toysearch.base import ArgumentError, ModelError, expect, expect_name, has_no, near_name, numbers, shortest, unknown
from toysearch.models.similarity import SIMILARITIES, Similarity

if TYPE_CHECKING:
    from toysearch.models.rankers import Ranker


__all__ = ["STATISTICS", "Model", "Needs", "describe_statistic", "index_needs"]


Value = float | str | None
Range = tuple[Any, ...]
"""``(low, high)``, None for no bound; or the texts to choose from; or `TEXT`."""

ANY: Range = (None, None)
"""Range of any number."""


class Above(float):
    """Lower end of a range that does not belong to it; the `check` of the model says why."""


TEXT: Range = (str,)
"""Range of a parameter that takes any text; the `check` of the model decides which are valid."""


_BASES = {"log10": 10, "lg": 10, "log2": 2, "ld": 2}
"""Logarithms of textbooks that are no choice of a parameter → their base."""


def in_range(label: str, value: Any, span: Range, default: Value) -> Value:
    """Return the value of a parameter as the function of the model takes it.

    >>> in_range("b of bm25", "0.4", (0, 1), 0.75), in_range("k3 of bm25", "none", (0, None), None)
    (0.4, None)
    """
    if span == TEXT:
        return str(value)
    if default is None and (value is None or (isinstance(value, str) and value.lower() == "none")):
        return None
    if _is_choice(span):
        if base := _BASES.get(str(value)):
            sentence = (
                f"unknown value for {label} '{value}'; logarithms of any base are in smart: smart:ntn.ntn,base={base}"
            )
            raise ArgumentError(sentence)
        if value not in span:
            raise unknown(f"value for {label}", str(value), span, "values")
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{label} must be a number, not '{value}'") from None
    except OverflowError:
        raise ArgumentError(f"{label} is too large: a float holds at most 1.8e308") from None
    low, high = span
    if not math.isfinite(number) or (low is not None and number < low) or (high is not None and number > high):
        raise ArgumentError(f"{label} must be {_span_text(low, high)}, not {value_text(value)}")
    return number


def range_text(span: Range, default: Value) -> str:
    """Write a range in words.

    >>> range_text((0, 1), 0.75), range_text((0, None), None), range_text(("raw", "log"), "raw")
    ('from 0 to 1', 'at least 0, or none', 'raw, log')
    >>> range_text((Above(0), 1), 0.1)
    'above 0, at most 1'
    """
    if span == TEXT:
        return "a text"
    if _is_choice(span):
        return ", ".join(span)
    return _span_text(*span) + (", or none" if default is None else "")


def value_text(value: Any) -> str:
    """Write the value of a parameter as in the grammar.

    >>> value_text(2.0), value_text(0.4), value_text(None), value_text("log")
    ('2', '0.4', 'none', 'log')
    """
    if value is None:
        return "none"
    return value if isinstance(value, str) else shortest(value)


def _is_choice(span: Range) -> bool:
    return bool(span) and all(isinstance(choice, str) for choice in span)


def _span_text(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "a finite number"
    if isinstance(low, Above):
        return f"above {value_text(low)}" + ("" if high is None else f", at most {value_text(high)}")
    if high is None:
        return f"at least {value_text(low)}"
    if low is None:
        return f"at most {value_text(high)}"
    return f"from {value_text(low)} to {value_text(high)}"


Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

STATISTICS = {
    "tf": "the term frequency in the document",
    "df": "the document frequency: the number of documents with the term",
    "cf": "the collection frequency: the number of occurrences of the term",
    "dl": "the length of the document in tokens",
    "distinct": "the number of distinct terms of the document",
    "max_tf": "the tf of the most frequent term of the document",
    "bytes": "the length of the document in bytes of UTF-8",
    "N": "the number of documents of the collection, including empty ones",
    "avgdl": "the mean of dl over all documents",
    "avg_distinct": "the mean of distinct over all documents",
    "T": "the number of tokens of the collection",
}
DOCUMENT = ("dl", "distinct", "max_tf", "bytes")
COLLECTION = ("N", "avgdl", "avg_distinct", "T")
FIELD_STATISTICS = {
    "tf": "the term frequency in the field {field} of the document",
    "dl": "the length of the field {field} of the document in tokens",
    "avgdl": "the mean of dl_{field} over all documents",
}
"""Statistics of a field, if the index counts fields separately: ``tf_title``, ``dl_title``, ``avgdl_title``."""
HOOKS: dict[str, tuple[str, ...]] = {
    "query": ("qtf", "ql", "max_qtf", "distinct_q", "df", "cf"),
    "per_matched_document": ("qtf", "ql", "max_qtf", "distinct_q", "df", "cf"),
    "document": ("dl", "distinct", "max_tf", "bytes", "ql"),
    "collection_constants": ("df_all", "cf_all"),
    "unknown": ("qtf", "ql", "max_qtf", "distinct_q"),
}


PRIOR = "prior_"
"""Beginning of the name of a statistic that is a number of the document, such as ``prior_year``."""


def prior_statistic(name: str) -> str:
    """Return the field of a statistic that is a number of the document: year for ``prior_year``; "" for any other."""
    return name.removeprefix(PRIOR) if name.startswith(PRIOR) else ""


def field_statistic(name: str) -> tuple[str, str] | None:
    """Return the statistic and the field of a name such as ``tf_title``; None for any other name."""
    statistic, _, field = name.partition("_")
    return (statistic, field) if field and statistic in FIELD_STATISTICS else None


def is_of_document(name: str) -> bool:
    """True if a statistic is one number for the whole document."""
    part = field_statistic(name)
    return (part[0] if part else name) in DOCUMENT or bool(prior_statistic(name))


def is_of_collection(name: str) -> bool:
    """True if a statistic is one number for the whole collection."""
    return name in COLLECTION or name.startswith("avgdl_")


def describe_statistic(name: str) -> str:
    """Describe a statistic; "made by collection_constants" for a constant of the model.

    Examples
    --------
    >>> describe_statistic("dl_title")
    'the length of the field title of the document in tokens'
    """
    expect(str, name=name)
    part = field_statistic(name)
    if part:
        return FIELD_STATISTICS[part[0]].format(field=part[1])
    if prior_statistic(name):
        return f"the number in the field {prior_statistic(name)} of the document"
    return STATISTICS.get(name, "made by collection_constants")


def public_name(name: str) -> str:
    """Return the name of a parameter in the grammar and in all output, without the trailing underscore."""
    return name.removesuffix("_")


@dataclass(frozen=True, repr=False)
class Model:
    """Ranking model with its parameters bound. It holds no data: one index serves all models.

    Made by the decorator `model`, looked up by name with ``toysearch.model("bm25:b=0.4")``.

    Attributes
    ----------
    name : str
        The name of the model in the grammar.
    function : callable
        Weight of a term in a document, elementwise over aligned float64 arrays.
    parameters : dict of str to number, text or None
        The bound values by Python name, in the order of declaration.
    defaults : dict
        The declared values.
    ranges : dict of str to tuple
        ``(low, high)``, None for no bound; or the texts to choose from; or `TEXT`.
    hooks : dict of str to callable
        The additions to its weight: see `model`.
    similarity : Similarity
        The function that turns the sum into a score.
    check : callable or None
        Returns the problem with the given parameters, or None.
    similarity_of : callable or None
        Returns the name of the similarity, if parameters decide it.
    label : str
        A name of its own in tables: ``new=bm25:b=0.4``; "" for none.
    """

    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, Value]
    defaults: Mapping[str, Value]
    ranges: Mapping[str, Range] = field(default_factory=dict)
    hooks: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    similarity: Similarity = SIMILARITIES["dot"]
    check: Callable[..., str | None] | None = None
    similarity_of: Callable[..., str] | None = None
    label: str = field(default="", compare=False)
    call: ClassVar[str] = "model"
    inside: ClassVar[tuple[()]] = ()
    needs_terms: ClassVar[bool] = True
    ranks_every: ClassVar[bool] = False
    is_learned: ClassVar[bool] = False
    changes_query: ClassVar[bool] = False
    training: ClassVar[Mapping[str, Any]] = {}

    def __post_init__(self) -> None:
        # So help() and doctest see the docstring and module of the function.
        for name in ("__doc__", "__module__", "__qualname__"):
            object.__setattr__(self, name, getattr(self.function, name, None))
        object.__setattr__(self, "__wrapped__", self.function)

    def __hash__(self) -> int:
        return hash((self.name, self.function, tuple(self.parameters.items())))

    def __str__(self) -> str:
        """Write this model in the grammar; parameters with their default values are left out.

        Examples
        --------
        >>> from toysearch.models.bm25 import bm25
        >>> str(bm25.bind(b=0.4))
        'bm25:b=0.4'
        """
        if self.label:
            return self.label
        changed = [
            f"{public_name(name)}={value_text(value)}"
            for name, value in self.parameters.items()
            if value != self.defaults[name]
        ]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    __repr__ = __str__

    @property
    def single(self) -> Model | None:
        """Model itself; None for a ranker made of others."""
        return self

    @property
    def models(self) -> tuple[Model, ...]:
        """Model alone; for a ranker, the models in it."""
        return (self,)

    @functools.cached_property
    def fields_of_priors(self) -> tuple[str, ...]:
        """Fields whose numbers its functions take, in their order."""
        functions = [self.function, *(self.hooks[name] for name in self.hooks if name == "document")]
        fields = (prior_statistic(name) for function in functions for name in names_of(function))
        return tuple(dict.fromkeys(filter(None, fields)))

    @functools.cached_property
    def of_fields(self) -> dict[str, tuple[str, str]]:
        """Statistics of single fields, such as ``tf_title``: each with its kind and its field."""
        return {name: part for name in self.statistics if (part := field_statistic(name))}

    @functools.cached_property
    def statistics(self) -> tuple[str, ...]:
        """Positional arguments of the weight function: statistics, and constants of the model."""
        return tuple(name for name in names_of(self.function) if name not in self.parameters)

    @property
    def tuned(self) -> Mapping[str, Value]:
        """Parameters that are tried where none are named."""
        return self.parameters

    def setting(self, name: str) -> None:
        """Return None: no parameter of a model is a setting of a call."""
        return

    @property
    def summary(self) -> str:
        """First line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def bind(self, *places: Any, **values: Any) -> Model:
        """Return the same model with other parameter values.

        Parameters
        ----------
        *places
            Values without a name, for the parameters in the order of their declaration.
        **values
            By public name or Python name (``tf`` or ``tf_``); texts are read as the command line does.

        Raises
        ------
        ArgumentError
            If there is no such parameter (the nearest is named), or the value is outside its range.

        Examples
        --------
        >>> from toysearch.models.bm25 import bm25
        >>> bm25.bind(k1=0.9, b="0.4")
        bm25:k1=0.9,b=0.4
        """
        by_public_name = {public_name(name): name for name in self.parameters}
        values = self._named(places, values)
        bound = dict(self.parameters)
        for name_given, value in values.items():
            name = by_public_name.get(public_name(name_given))
            if name is None:
                raise has_no(self.name, "parameter", name_given, by_public_name)
            label = f"{public_name(name)} of {self.name}"
            bound[name] = in_range(label, value, self.ranges.get(name, ANY), self.defaults[name])
        given_names = {by_public_name[public_name(name)] for name in values}
        problem = self.check and call(self.check, {"given": given_names}, bound)
        if problem:
            raise ArgumentError(f"{self.name}: {problem}")
        similarity = SIMILARITIES[call(self.similarity_of, {}, bound)] if self.similarity_of else self.similarity
        return replace(self, parameters=bound, similarity=similarity, label="")

    def _named(self, places: tuple[Any, ...], values: dict[str, Any]) -> dict[str, Any]:
        """Name all values; values without a name follow the order of the declaration."""
        names = [public_name(name) for name in self.parameters]
        if len(places) > len(names):
            listed = f"takes {', '.join(names)}" if names else "takes no parameters"
            raise ArgumentError(f"{self.name} {listed}, found {', '.join(map(value_text, places))}")
        for name, place in zip(names, places, strict=False):
            if place in names:
                raise ArgumentError(f"{self.name}: {place} has no value; an example: {self.name}:{place}=…")
            if name in values:
                raise ArgumentError(f"{self.name} got {name} twice: {value_text(place)} and {value_text(values[name])}")
        return dict(zip(names, places, strict=False)) | values

    def describe_parameters(self) -> list[tuple[str, str, Value, str]]:
        """List for each parameter its Python name, its public name, its value, and its range in words."""
        return [(name, public_name(name), v, self.describe_range(name)) for name, v in self.parameters.items()]

    def describe_range(self, name: str) -> str:
        """Write the range of a parameter in words.

        Examples
        --------
        >>> from toysearch.models.bm25 import bm25
        >>> bm25.describe_range("b")
        'from 0 to 1'
        """
        expect(str, name=name)
        if name not in self.defaults:
            raise has_no(str(self), "parameter", name, self.defaults)
        return range_text(self.ranges.get(name, ANY), self.defaults[name])

    def weight(self, **statistics: Any) -> Any:
        """Weigh a term under the bound parameters, from numbers or aligned arrays.

        Parameters
        ----------
        **statistics : float or array_like
            One for each name in `statistics`; numbers and arrays are broadcast to one length.

        Returns
        -------
        float or ndarray of float64
            A float if only numbers were given.

        Raises
        ------
        ArgumentError
            If a statistic is missing, or the model does not take it.

        Examples
        --------
        >>> from toysearch.models.bm25 import bm25
        >>> bm25.weight(tf=2, df=7, dl=44, N=8514, avgdl=50.580456)
        4.563661...
        """
        for name in statistics:
            if name not in self.statistics:
                raise has_no(self.name, "statistic", name, self.statistics)
        missing = [name for name in self.statistics if name not in statistics]
        if missing:
            raise ArgumentError(f"{self.name} needs {', '.join(missing)} as well")
        rows = {name: value for name, value in statistics.items() if not is_of_collection(name)}
        arrays = np.broadcast_arrays(*(np.atleast_1d(numbers(value, name)) for name, value in rows.items()))
        filled: dict[str, Any] = {name: np.ascontiguousarray(a) for name, a in zip(rows, arrays, strict=True)}
        filled |= {name: float(value) for name, value in statistics.items() if is_of_collection(name)}
        with np.errstate(all="ignore"):
            weights = np.asarray(call(self.function, filled, self.parameters), dtype=np.float64)
        return float(weights.ravel()[0]) if all(np.ndim(value) == 0 for value in rows.values()) else weights

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the weight function as written, with the bound values as its keyword parameters."""
        names = names_of(self.function)
        bound = {name: value for name, value in self.parameters.items() if name in names}
        return self.function(*args, **bound | kwargs)


@overload
def model(function: Callable[..., Any], /, **ranges: Any) -> Model: ...


@overload
def model(function: None = None, /, **ranges: Any) -> Callable[[Callable[..., Any]], Model]: ...


def model(
    function: Callable[..., Any] | None = None, /, **ranges: Any
) -> Model | Callable[[Callable[..., Any]], Model]:
    """Make a function a ranking model. Works bare (``@model``) or with ranges (``@model(k1=(0, None))``).

    Parameters
    ----------
    function : callable
        Its positional parameters are named statistics (`STATISTICS`, or ``prior_year`` for the number in a field
        of the document), passed as 1-d float64 arrays of one
        length (N, avgdl, avg_distinct and T as floats); its keyword-only parameters, with defaults, can be
        tuned. It returns the weight of the term in the document, elementwise.
    **ranges : tuple
        ``(low, high)`` of a parameter, None for no bound; or the texts to choose from. Besides parameters:

        - ``query(qtf, ql, max_qtf, df, cf)``: the weight of the query term (default: qtf);
        - ``per_matched_document(qtf, df, cf)``: the part that each known query term adds to every ranked document;
        - ``document(dl, distinct, ql)``: a part added once to each ranked document;
        - ``collection_constants(df_all, cf_all)``: a dict of constants, whose keys can then be named like statistics;
        - ``unknown(qtf)``: the weight, in the norm of the query, of a term that the index does not know
          (default: none);
        - ``similarity``: the name of one (dot, cosine, dice, jaccard, …), a `Similarity`, or a function of those of
          s, dd, qq, d1, q1 (see `Similarity`) and of the parameters that it names;
        - ``similarity_of(...)``: the name of the similarity, if parameters decide it;
        - ``check(given, ...)``: a sentence if the given parameters are incompatible, else None;
        - ``name``: the name of the model, if it is not that of the function.

        Every hook may also name N, avgdl, avg_distinct, T, the parameters and the constants; parameters
        that only a hook names belong to the model as well. A name that is also a statistic or a Python
        keyword is written with a trailing underscore: ``tf_``, ``lambda_``.

    Returns
    -------
    Model
        Accepted wherever the name of a model is.

    Raises
    ------
    ModelError
        If the function or a hook names something that is neither statistic nor parameter, or gives a statistic a
        default value.

    Examples
    --------
    >>> @model(k=(0, None))
    ... def saturated(tf, df, N, *, k=1.0):
    ...     return tf / (tf + k) * np.log(N / df)
    >>> saturated.bind(k=2)
    saturated:k=2
    """
    if function is None:
        return functools.partial(model, **ranges)
    if isinstance(function, Model):
        return function
    if not callable(function):
        raise ModelError(f"a ranking model is a function or the name of a model, not {function!r}")
    hooks = {name: ranges.pop(name) for name in HOOKS if name in ranges}
    similarity, check = ranges.pop("similarity", "dot"), ranges.pop("check", None)
    similarity_of = ranges.pop("similarity_of", None)
    name = ranges.pop("name", getattr(function, "__name__", "model").strip("<>").replace("_", "-"))
    if isinstance(similarity, str):
        expect_name("similarity", similarity, SIMILARITIES, "similarities")
        similarity = SIMILARITIES[similarity]
    elif not isinstance(similarity, Similarity):
        similarity = Similarity(getattr(similarity, "__name__", "similarity"), similarity, "")
    defaults = _declared_parameters(name, function, hooks, similarity)
    if similarity_of:
        similarity = SIMILARITIES[call(similarity_of, {}, defaults)]
    for parameter in ranges:
        if parameter not in defaults:
            raise ModelError(
                f"model '{name}' declares a range for {parameter}, which is not one of its keyword parameters"
            )
    declared = Model(name, function, defaults, defaults, ranges, hooks, similarity, check, similarity_of)
    _check_names(declared)
    return declared


class Needs(NamedTuple):
    """Data that an index must keep for models: separate counts of fields, and the numbers of these fields."""

    apart: bool = False
    values: tuple[str, ...] = ()


def index_needs(*models: Model | Ranker) -> Needs:
    """Return the data that an index must keep for all these models.

    >>> from toysearch.models.registry import model
    >>> index_needs(model("bm25f")), index_needs(model("bm25 + 0.1*prior:year"))
    (Needs(apart=True, values=()), Needs(apart=False, values=('year',)))
    """
    apart = any(model.of_fields for ranker in models for model in ranker.models)
    return Needs(apart, tuple(dict.fromkeys(name for model in models for name in model.fields_of_priors)))


def call(function: Callable[..., Any], named: Mapping[str, Any], parameters: Mapping[str, Value]) -> Any:
    """Call a weight function or a hook with the named values that it takes."""
    return function(**{name: named[name] if name in named else parameters[name] for name in names_of(function)})


@functools.lru_cache(maxsize=1024)
def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a function, in order."""
    return tuple(_signature(function).parameters)


@functools.lru_cache(maxsize=1024)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def is_shipped(function: Callable[..., Any]) -> bool:
    """True if a function comes with toysearch; one made by `exec` or `functools.partial` may have no module."""
    return str(getattr(function, "__module__", "")).startswith("toysearch.")


def _declared_parameters(
    name: str, function: Callable[..., Any], hooks: Mapping[str, Callable[..., Any]], similarity: Similarity
) -> dict[str, Value]:
    defaults: dict[str, Value] = {}
    for part in (similarity.function, function, *hooks.values()):
        try:
            signature = _signature(part)
        except (TypeError, ValueError):
            raise ModelError(f"model '{name}': the names of the parameters of {part!r} are unknown") from None
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise ModelError(f"model '{name}': name each statistic and parameter instead of {parameter}")
            if parameter.default is parameter.empty:
                continue
            if parameter.name in STATISTICS or any(parameter.name in names for names in HOOKS.values()):
                raise ModelError(
                    f"model '{name}': {parameter.name} is a statistic and takes no default; write a parameter of that "
                    f"name as {parameter.name}_"
                )
            default = defaults.setdefault(parameter.name, parameter.default)
            if default is not parameter.default and default != parameter.default:
                raise ModelError(f"model '{name}' gives two defaults for {parameter.name}")
    return defaults


def _check_names(made: Model) -> None:
    if "collection_constants" in made.hooks:  # whose names are known only with an index
        return
    allowed = {"weight": tuple(STATISTICS), **{hook: HOOKS[hook] + COLLECTION for hook in made.hooks}}
    for part, names in allowed.items():
        function = made.function if part == "weight" else made.hooks[part]
        for name in names_of(function):
            if name in names or name in made.parameters:
                continue
            of_field = part == "weight" and field_statistic(name) is not None
            if of_field or (part in ("weight", "document") and prior_statistic(name)):
                continue
            where = f"model '{made.name}'" + ("" if part == "weight" else f", {part},")
            error = str(unknown("statistic", name, names)).replace(f"unknown statistic '{name}'", "", 1)
            if part in ("weight", "document") and not near_name(name, names):
                error += f"; {PRIOR}{name} is the number in the field '{name}' of a document"
            raise ModelError(f"{where} uses an unknown statistic, '{name}'{error}")


FAMILIES = {
    "tfidf": "overlap tfidf smart",
    "vector_space": "cosine dice jaccard euclidean",
    "bm25": "bm25 bm25-lucene bm25-robertson bm25-atire bm25-okapi bm25l bm25plus bm25l-rank bm25plus-rank bm25f",
    "language_models": "lm-dirichlet lm-jm",
    "divergence": "pl2 inl2 dph ll spl f2exp",
}
"""File of `toysearch.models` → the names of its models, in the order of lists."""

_FILES = {name: file for file, names in FAMILIES.items() for name in names.split()}


class _BuiltIn(Mapping[str, Model]):
    """Built-in models by name; the file of a family is loaded when one of its models is first asked for."""

    def __getitem__(self, name: str) -> Model:
        family = import_module(f"toysearch.models.{_FILES[name]}")
        made = getattr(family, name.replace("-", "_"))
        built_in: Model = made if isinstance(made, Model) else made()  # bm25f makes a model of fields
        return built_in

    def __contains__(self, name: object) -> bool:
        return name in _FILES

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)

    def __or__(self, others: Mapping[str, Model]) -> dict[str, Model]:
        return {**self, **others}

    def __ror__(self, others: Mapping[str, Model]) -> dict[str, Model]:
        return {**others, **self}

    def __repr__(self) -> str:
        return repr(dict(self))


MODELS: Mapping[str, Model] = _BuiltIn()
