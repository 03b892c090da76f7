"""Mixtures: the scores of several models, and priors, added and multiplied: ``0.7*bm25 + 0.3*lm-dirichlet``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from toysearch.base import ArgumentError, has_no, shortest, unknown
from toysearch.formats.text_files import finite_number
from toysearch.models.composed_models import (
    DIMENSIONS,
    STAGES,
    TOPICS,
    WRAPPERS,
    DenseVectors,
    LatentModel,
    Wrapper,
    bound,
    depths_of,
    in_full,
    is_whole,
    latent_model,
    parameters_of,
    ranges_of,
    unwrapped,
    vector_model,
)
from toysearch.models.formula import FUNCTIONS, PriorFormula
from toysearch.models.model import Array, Model, Range, Value, public_name

__all__ = ["Mixture"]


def min_max(scores: Array) -> Array:
    """From 0, the lowest, to 1, the highest: (s − min) / (max − min); 1 if all are equal (Lee 1997)."""
    span = scores.max() - scores.min()
    # If all are equal the formula gives 0 / 0; each is then the best score.
    return (scores - scores.min()) / span if span else np.ones(scores.size)


def z_score(scores: Array) -> Array:
    """In standard deviations above the mean: (s − mean) / deviation; 0 if all are equal."""
    if scores.max() == scores.min():  # rounding may make the deviation slightly more than 0
        return np.zeros(scores.size)
    return np.asarray((scores - scores.mean()) / scores.std())


def share(scores: Array) -> Array:
    """As shares that add up to 1: (s − min) / Σ (s − min); equal shares if all are equal (Montague & Aslam 2001)."""
    above = scores - scores.min()
    # The smallest are added first, so the order of the documents cannot change the last digit.
    total = np.add.accumulate(np.sort(above))[-1]
    return above / total if total else np.full(scores.size, 1 / scores.size)


NORMALISATIONS: Mapping[str, Callable[[Array], Array]] = {"min-max": min_max, "sum": share, "z-score": z_score}
"""The normalisations by name; each takes the scores of all documents ranked for a query, at least one."""


RRF = 60
"""The constant of ``rrf``, as in its paper (Cormack, Clarke & Büttcher 2009)."""


def reciprocal_rank(scores: Array) -> Array:
    """1 / (60 + rank): equal scores are ranked in the order of the documents."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return 1 / (RRF + ranks)


FACTOR_NORMALISATIONS: Mapping[str, Callable[[Array], Array]] = {**NORMALISATIONS, "rrf": reciprocal_rank}
"""The normalisations of the factors of a mixture; the last one keeps only their ranks."""

PREFIX = "prior:"
LEARNED = "learned:"
"""What the name of a learned ranker begins with; its folder follows."""
_DEEPEST = 20  # brackets inside each other
_FILES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
CALL = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]*)\((?P<inside>.*)\)\Z", re.DOTALL)
_MODEL = r"[A-Za-z][^=:]*(:|\(|\Z)"  # the beginning of a model, not of its parameter b=0.4
_OPERATOR = r"(?<![0-9.][eE])[+*]|[,»]|(?<=\s)-(?=\s)"  # the + of 1e+5 and the - of a name are none
OPERATORS = "+*-"
EVERY = "every"
"""What stands around a prior that ranks all documents: ``every(prior:year)``."""


@dataclass(frozen=True)
class Prior:
    """A number for each document, such as its year, from a field that the index keeps or from a file."""

    # the name of a field, or the path of a CSV or TSV file (by its extension) with the columns doc_id and value;
    # or a formula of such, log(1 + prior:price)
    source: str
    ranks_every: bool = False  # whether it ranks all documents, not only those that a model ranks

    def __str__(self) -> str:
        text = self.source if self.formula else PREFIX + self.source
        return f"{EVERY}({text})" if self.ranks_every else text

    @cached_property
    def formula(self) -> PriorFormula | None:
        """The formula by which its number follows from others; None if it is the number of a field or a file."""
        return PriorFormula(self.source) if CALL.match(self.source) else None

    @property
    def sources(self) -> tuple[str, ...]:
        """The fields and files whose numbers it takes."""
        return self.formula.sources if self.formula else (self.source,)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the index must keep."""
        return tuple(source for source in self.sources if not is_file_of_numbers(source))


def is_file_of_numbers(source: str) -> bool:
    """Whether a prior comes from a file.

    >>> is_file_of_numbers("clicks.csv"), is_file_of_numbers("year")
    (True, False)
    """
    return source.lower().endswith(_FILES)


Scorer: TypeAlias = "Model | Prior | LatentModel | DenseVectors | Mixture"
"""What gives documents a score: a model of term weights, a number of each document, the vectors of documents, or a
learned ranker, which is a mixture of its own."""


class Factor(NamedTuple):
    """A model or a prior in a mixture, the normalisation of the scores ("" for none), and wrappers of the model."""

    scorer: Scorer
    normalisation: str = ""
    wrappers: tuple[Wrapper, ...] = ()  # outermost first

    def __str__(self) -> str:
        text = str(self.scorer)
        names = [public_name(name) for name in self.scorer.parameters] if isinstance(self.scorer, Model) else []
        for wrapper in reversed(self.wrappers):
            text, names = wrapper.around(text, names), []
        return f"{self.normalisation}({text})" if self.normalisation else text


class Product(NamedTuple):
    """A number times factors."""

    weight: float
    factors: tuple[Factor, ...]

    def __str__(self) -> str:
        weight = [] if self.weight == 1 else [shortest(self.weight)]
        return "*".join([*weight, *map(str, self.factors)])


@dataclass(frozen=True)
class Mixture:
    """A sum of products of scores. It ranks the documents that one of its models ranks.

    Parameters
    ----------
    products : tuple of Product
        Its parts, in the order of addition.
    label : str
        A name of its own in tables: ``new=rm3(bm25)``; "" for none.
    """

    products: tuple[Product, ...]
    label: str = field(default="", compare=False)

    def __str__(self) -> str:
        """The text that parses back to this, or a name of its own."""
        first, *others = self.products
        signed = (f" - {p._replace(weight=-p.weight)}" if p.weight < 0 else f" + {p}" for p in others)
        return self.label or "".join([str(first), *signed])

    __repr__ = __str__

    @property
    def single(self) -> None:
        """None: a mixture has no weight function."""
        return None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The models of terms and of vectors, and the priors, in their order."""
        return tuple(factor.scorer for product in self.products for factor in product.factors)

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, in their order."""
        return tuple(scorer for scorer in self.scorers if isinstance(scorer, Model))

    @property
    def vectors(self) -> tuple[LatentModel | DenseVectors, ...]:
        """The models of vectors, in their order."""
        return tuple(scorer for scorer in self.scorers if isinstance(scorer, LatentModel | DenseVectors))

    @property
    def rankers(self) -> tuple[Mixture, ...]:
        """The learned rankers, in their order; each scores the documents of its pool."""
        return tuple(scorer for scorer in self.scorers if isinstance(scorer, Mixture))

    @property
    def fields_of_priors(self) -> tuple[str, ...]:
        """The fields whose numbers the priors take, in their order."""
        rankers: tuple[Model | Mixture, ...] = (*self.models, *self.rankers)
        inside = (name for ranker in rankers for name in ranker.fields_of_priors)
        return (*(name for prior in self.scorers if isinstance(prior, Prior) for name in prior.fields), *inside)

    @property
    def ranks_every(self) -> bool:
        """Whether a prior ranks all documents, also for a query without a known word."""
        return any(isinstance(scorer, Prior) and scorer.ranks_every for scorer in self.scorers)

    @property
    def only(self) -> Factor | None:
        """The factor that is all there is, with the weight 1; None for any other mixture."""
        [product, *others] = self.products
        [factor, *more] = product.factors
        return None if others or more or product.weight != 1 else factor

    @property
    def wrapped(self) -> Factor | None:
        """The model with wrappers that is all there is, such as ``rm3(bm25)``; None for any other mixture."""
        return self.only if self.only and self.only.wrappers else None

    @property
    def parameters(self) -> Mapping[str, Value]:
        """The parameters of a wrapped model and of its wrappers; the weights of several products; that of lsa alone."""
        if self.wrapped is not None:
            return parameters_of(self.wrapped.wrappers, self.wrapped.scorer)
        if len(self.products) > 1:
            return {f"weight{number}": product.weight for number, product in enumerate(self.products, 1)}
        return {"dimensions": float(self.latent.dimensions or DIMENSIONS)} if self.latent else {}

    @property
    def ranges(self) -> Mapping[str, Range]:
        """The range of each parameter."""
        if self.wrapped is None:
            return dict.fromkeys(self.parameters, TOPICS if self.latent else (0.0, 1.0))
        declared = ranges_of(self.wrapped.wrappers)
        return {**getattr(self.wrapped.scorer, "ranges", {}), **declared}

    @property
    def name(self) -> str:
        """The name in messages."""
        return str(self)

    def takes_whole(self, name: str) -> bool:
        """Whether a parameter takes whole numbers only."""
        return self.wrapped is not None and is_whole(self.wrapped.wrappers, name)

    def bind(self, *places: Any, **values: Any) -> Mixture:
        """The mixture with other parameter values.

        Parameters
        ----------
        *places
            None: the parameters need names.
        **values
            The parameters of a wrapped model and of its wrappers; a name of both is that of the wrapper. In a mixture
            of several products ``weight1``, ``weight2`` …, and for ``lsa`` alone ``dimensions``.

        Raises
        ------
        ArgumentError
            If there is no such parameter, or the value is outside its range.

        Examples
        --------
        >>> from toysearch.models.registry import model
        >>> model("rm3(bm25)").bind(docs=5, b=0.4)
        rm3(bm25:b=0.4,docs=5)
        >>> model("0.7*min-max(bm25) + 0.3*min-max(lsa:100)").bind(weight2=0.5)
        0.7*min-max(bm25) + 0.5*min-max(lsa:100)
        """
        if not places and not values:
            return self
        if places or not self.parameters:
            raise ArgumentError(f"'{self}' is a mixture; write the parameters of its models in its text")
        names = {public_name(name): name for name in self.parameters}
        for value_name in values:
            if public_name(value_name) not in names:
                raise has_no(str(self), "parameter", value_name, names)
        if self.wrapped is None:
            return self._with(values)
        wrappers, others = bound(self.wrapped.wrappers, {public_name(name): value for name, value in values.items()})
        scorer = self.wrapped.scorer
        bound_scorer = scorer.bind(**others) if others and isinstance(scorer, Model) else scorer
        return Mixture((Product(1.0, (self.wrapped._replace(scorer=bound_scorer, wrappers=wrappers),)),))

    @property
    def latent(self) -> LatentModel | None:
        """The model of latent topics that is all there is; None for any other mixture."""
        alone = [factor.scorer for factor in self.products[0].factors] if len(self.products) == 1 else []
        return alone[0] if len(alone) == 1 and isinstance(alone[0], LatentModel) else None

    def _with(self, values: Mapping[str, Any]) -> Mixture:
        """The mixture with other weights; lsa with another number of topics."""
        numbers = {name: finite_number(str(value)) for name, value in values.items()}
        for name, number in numbers.items():
            if number is None:
                raise ArgumentError(f"{name} of {self} must be a finite number, not {values[name]!r}")
        parameters = {**self.parameters} | {name: number for name, number in numbers.items() if number is not None}
        if self.latent is None:
            weights = [float(cast(float, parameters[name])) for name in self.parameters]
            weighed = zip(self.products, weights, strict=True)
            return Mixture(tuple(product._replace(weight=weight) for product, weight in weighed))
        model = latent_model(f"{round(cast(float, parameters['dimensions']))}")
        return self._mapped(lambda factor: factor._replace(scorer=model))

    def _mapped(self, change: Callable[[Factor], Factor]) -> Mixture:
        """The mixture with its factors changed."""
        factors = (tuple(map(change, product.factors)) for product in self.products)
        changed = zip(self.products, factors, strict=True)
        return Mixture(tuple(product._replace(factors=factors) for product, factors in changed))

    def without_wrapper(self, name: str) -> Mixture:
        """The mixture with the wrappers of a name taken off."""
        return self._mapped(
            lambda factor: factor._replace(wrappers=tuple(other for other in factor.wrappers if other.name != name))
        )

    def replaced(self, changes: Mapping[Any, Model]) -> Mixture:
        """The mixture with some models replaced."""
        return self._mapped(lambda factor: factor._replace(scorer=changes.get(factor.scorer, factor.scorer)))


def products_of(rankers: Iterable[Model | Mixture | Prior]) -> tuple[Product, ...]:
    """The products of several rankers, each once: what their index must have, and what is inside them."""
    products = (each.products if isinstance(each, Mixture) else (Product(1.0, (Factor(each),)),) for each in rankers)
    return tuple(dict.fromkeys(chain.from_iterable(products)))


ModelLike: TypeAlias = str | Callable[..., Any] | Model | Mixture
"""The ways to give a model: its name or text, a function, a model, a mixture."""


def is_mixture(text: str) -> bool:
    """Whether the text of a model is a mixture: an operator outside brackets, brackets, a prior, or vectors."""
    text = text.strip()
    several = len(split(text, OPERATORS)) > 1 or text.startswith(PREFIX) or CALL.match(text) is not None
    return several or in_full(text) != text or vector_model(text) is not None


def parse_mixture(text: str, model: Callable[[str], Model | Mixture]) -> Mixture:
    """The mixture that a text describes."""
    if (nested := max(depths_of(text))) > _DEEPEST:
        raise ArgumentError(f"a model has at most {_DEEPEST} brackets inside each other, not {nested}")
    products: list[Product] = []
    signed = chain.from_iterable(
        zip(chain([1.0], repeat(-1.0)), split(added, "-"), strict=False) for added in split(text, "+")
    )
    for sign, part in signed:  # rrf(a, b) is rrf(a) + rrf(b)
        called = CALL.match(part)
        inside = _split_models(called["inside"]) if called and called["name"] == "rrf" else []
        parts = [f"rrf({piece})" for piece in inside] if inside[1:] else [part]
        products += [_product(text, piece, sign, model) for piece in parts]
    mixture = Mixture(tuple(products))
    if not (mixture.models or mixture.vectors or mixture.rankers or mixture.ranks_every):
        raise ArgumentError(
            f"'{text}' has no model, only a prior; an example: bm25 + 0.1*{PREFIX}year, or {EVERY}({PREFIX}year) to "
            "rank all documents by it"
        )
    return mixture


def _product(text: str, part: str, weight: float, model: Callable[[str], Model | Mixture]) -> Product:
    factors = []
    for piece in split(part, "*"):
        number = finite_number(piece)
        if number is not None:
            weight *= number
        elif piece:
            factors.append(_factor(piece, model))
        else:
            raise ArgumentError(f"'{text}': a part is missing beside +, - or *; an example: 0.7*bm25 + 0.3*tfidf")
    if not factors:
        raise ArgumentError(f"'{text}': {part.strip()} is a number without a model, which would change no ranking")
    if not math.isfinite(weight):
        raise ArgumentError(f"'{text}': the weight {weight} is not finite")
    return Product(weight, tuple(factors))


def _factor(piece: str, model: Callable[[str], Model | Mixture]) -> Factor:
    piece = in_full(piece)
    called = CALL.match(piece)
    if called:
        around = called["name"].lower()
        if around in STAGES:
            return Factor(model(piece))
        if around in WRAPPERS:
            return _wrapped(piece, around, called["inside"], model)
        if around == EVERY:
            inside = called["inside"].strip()
            if len(split(inside, OPERATORS)) > 1 or not isinstance(prior := _factor(inside, model).scorer, Prior):
                raise ArgumentError(f"'{piece}': {EVERY} takes a prior, as in {EVERY}({PREFIX}year)")
            return Factor(replace(prior, ranks_every=True))
        if around in FUNCTIONS:
            if not (prior := Prior(piece)).sources:
                raise ArgumentError(f"'{piece}': {around} takes a prior, as in {around}({PREFIX}year)")
            return Factor(prior)
        if around not in FACTOR_NORMALISATIONS:
            names = [EVERY, *FUNCTIONS, *FACTOR_NORMALISATIONS, *WRAPPERS, *STAGES]
            raise unknown("function or wrapper", called["name"], names, "functions and wrappers")
        if len(split(called["inside"], OPERATORS)) > 1:
            raise ArgumentError(f"'{piece}': a normalisation takes one model or prior, as in min-max(bm25)")
        factor = _factor(called["inside"].strip(), model)
        if factor.normalisation:
            raise ArgumentError(f"'{piece}': {around} takes a model that is not normalised, as in min-max(bm25)")
        return factor._replace(normalisation=around)
    if piece.startswith("("):
        raise ArgumentError(
            f"'{piece}': brackets stand around what a normalisation takes, as in min-max(bm25), and nowhere else; "
            "give each model its own weight"
        )
    if piece.startswith(PREFIX):
        if piece == PREFIX:
            raise ArgumentError(f"'{piece}' names no field and no file; an example: {PREFIX}year")
        return Factor(Prior(piece.removeprefix(PREFIX)))
    return Factor(vector_model(piece) or model(piece))


def _wrapped(piece: str, name: str, inside: str, model: Callable[[str], Model | Mixture]) -> Factor:
    """The factor of a wrapper around a model or around another wrapper."""
    wrapper, text, joint = unwrapped(name, inside)
    called = CALL.match(text)
    if (
        len(split(text, OPERATORS)) > 1
        or text.startswith(PREFIX)
        or (called and called["name"] in FACTOR_NORMALISATIONS)
    ):
        raise ArgumentError(f"'{piece}': {name} takes one model, as in {name}(bm25)")
    factor = _factor(text, model)
    if any(other.name == name for other in factor.wrappers):
        raise ArgumentError(f"'{piece}': {name} inside {name} would do the same twice; write it once")
    expanding = [other.name for other in factor.wrappers if "docs" in other.parameters]
    if expanding and "docs" in wrapper.parameters:
        raise ArgumentError(f"'{piece}': a query is expanded once; take {name} or {expanding[0]}")
    scorer = factor.scorer
    if isinstance(scorer, LatentModel | DenseVectors):
        raise ArgumentError(f"'{piece}': {name} changes the terms of a query, and {scorer} ranks by vectors")
    if isinstance(scorer, Mixture):
        reason = "has no terms of its own; put it around a model inside" if hasattr(scorer, "stages") else ""
        reason = reason or "fits its models as they are"
        raise ArgumentError(f"'{piece}': {name} changes the terms of a query, and {scorer} {reason}")
    for shared in joint:
        if isinstance(scorer, Model) and shared in map(public_name, scorer.parameters):
            raise ArgumentError(
                f"'{piece}': {name} and {scorer.name} both have {shared}; put the model in brackets: "
                f"{name}((model:{shared}=…):{shared}=…)"
            )
    return factor._replace(wrappers=(wrapper, *factor.wrappers))


def _split_models(text: str) -> list[str]:
    """The models in a list; the parameters of a model follow it after commas too."""
    models: list[str] = []
    for piece in split(text, ","):
        if models and not re.match(_MODEL, piece):
            models[-1] += f",{piece}"
        else:
            models.append(piece)
    return models


def split(text: str, operators: str) -> Sequence[str]:
    """The pieces of a text between operators outside brackets, without surrounding blanks."""
    depth, start, pieces = 0, 0, []
    operator_places = {match.start() for match in re.finditer(_OPERATOR, text)}
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign in operators and depth == 0 and place in operator_places:
            pieces.append(text[start:place].strip())
            start = place + 1
    return [*pieces, text[start:].strip()]
