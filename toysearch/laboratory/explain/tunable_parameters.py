"""The parameters of a model or a mixture: their values, their ranges, and the model with another value of one."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from toysearch.models.composed_models import WRAPPERS, bound
from toysearch.models.mixture import Mixture, Product, Scorer
from toysearch.models.model import ANY, TEXT, Model, Range, Value, public_name, range_text
from toysearch.models.ranker import LearnedModel

_MAGNITUDES = 1000.0  # a range whose ends differ by at least this factor is logarithmic


class TunableParameter(NamedTuple):
    """A parameter of a model or of a mixture."""

    name: str  # as in the grammar, in a mixture with its model: ``b of bm25``, ``weight of dice``
    value: Value  # its present value
    span: Range  # its declared range
    default: Value  # its declared value
    # the model with another value; raises an ArgumentError if the model refuses it
    with_value: Callable[[Value], Model | Mixture]

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts to choose from; none for a number."""
        return () if self.span == TEXT else tuple(choice for choice in self.span if isinstance(choice, str))

    @property
    def is_number(self) -> bool:
        """Whether it takes numbers."""
        return self.span != TEXT and not self.choices

    @property
    def range(self) -> str:
        """The declared range in words."""
        return range_text(self.span, self.default)

    def place(self, value: float) -> float:
        """The position of a number in the range: 0 is its low end, 1 its high end."""
        # Between two ends it is linear, or logarithmic if the high end is a thousand times the low one. With one end, a
        # distance x from it becomes x / (x + c), where c is the distance of the declared value, so its position is 0.5;
        # with no end, x becomes (1 + x / (|x| + c)) / 2.
        low, high = self.span
        if low is None and high is None:
            return (1 + value / (abs(value) + self._unit(0.0))) / 2
        if high is None:
            return float((value - low) / (value - low + self._unit(low)))
        if low is None:
            return float(1 - (high - value) / (high - value + self._unit(high)))
        if low == high:
            return 0.0
        if low > 0 and high / low >= _MAGNITUDES:
            return math.log(value / low) / math.log(high / low)
        return float((value - low) / (high - low))

    def at(self, place: float) -> float:
        """The number at a position from 0 to 1; infinite at an open end."""
        low, high = self.span
        if low is None and high is None:
            side = 2 * place - 1
            return math.copysign(_opened(abs(side)) * self._unit(0.0), side)
        if high is None:
            return float(low + _opened(place) * self._unit(low))
        if low is None:
            return float(high - _opened(1 - place) * self._unit(high))
        if low > 0 and high / low >= _MAGNITUDES:
            return float(min(max(low * (high / low) ** place, low), high))
        return float(min(max(low + place * (high - low), low), high))

    def _unit(self, end: float) -> float:
        """The distance of the declared value, or else of the present value, from an end; 1 if neither is usable."""
        for value in (self.default, self.value):
            if isinstance(value, (int, float)) and math.isfinite(value) and value != end:
                return abs(value - end)
        return 1.0


@functools.singledispatch
def tunable_parameters(model: Model | Mixture) -> list[TunableParameter]:
    """The parameters of a model; for a mixture, the parameters of all its models and its weights."""
    assert isinstance(model, Model)
    return [
        TunableParameter(
            public_name(name),
            value,
            model.ranges.get(name, ANY),
            model.defaults[name],
            lambda given, name=name: model.bind(**{name: given}),  # type: ignore[misc]
        )
        for name, value in model.parameters.items()
    ]


@tunable_parameters.register
def _of_mixture(mixture: Mixture) -> list[TunableParameter]:
    found = []
    seen: Counter[str] = Counter()
    for place, product in enumerate(mixture.products):
        labels = [_label(factor.scorer, seen) for factor in product.factors]

        def weighed(given: Value, place: int = place) -> Mixture:
            return _with(mixture, place, mixture.products[place]._replace(weight=float(given or 0.0)))

        if len(mixture.products) > 1:  # the weight of all there is changes no order
            found.append(
                TunableParameter(f"weight of {'*'.join(labels)}", product.weight, ANY, product.weight, weighed)
            )
        for position, (factor, label) in enumerate(zip(product.factors, labels, strict=True)):
            for parameter in tunable_parameters(factor.scorer) if isinstance(factor.scorer, Model) else ():

                def turned(given: Value, place: int = place, position: int = position, own: Any = parameter) -> Mixture:
                    factors = list(mixture.products[place].factors)
                    factors[position] = factors[position]._replace(scorer=own.with_value(given))
                    return _with(mixture, place, mixture.products[place]._replace(factors=tuple(factors)))

                found.append(parameter._replace(name=f"{parameter.name} of {label}", with_value=turned))
        for position in range(len(product.factors)):
            found += _of_wrappers(mixture, place, position, seen)
    return found


@tunable_parameters.register
def _of_ranker(ranker: LearnedModel) -> list[TunableParameter]:
    return []  # its function fits the parameters that its models had in the training


def _of_wrappers(mixture: Mixture, place: int, position: int, seen: Counter[str]) -> list[TunableParameter]:
    """The parameters of the wrappers of a factor, but for whole numbers, which change in steps."""
    factor = mixture.products[place].factors[position]
    found = []
    for depth, wrapper in enumerate(factor.wrappers):
        label = _numbered(wrapper.name, seen)
        for name, declared in WRAPPERS[wrapper.name].items():
            if not declared.whole:

                def turned(given: Value, depth: int = depth, name: str = name) -> Mixture:
                    wrappers, factors = list(factor.wrappers), list(mixture.products[place].factors)
                    [wrappers[depth]] = bound([wrappers[depth]], {name: given})[0]
                    factors[position] = factor._replace(wrappers=tuple(wrappers))
                    return _with(mixture, place, mixture.products[place]._replace(factors=tuple(factors)))

                value, span = wrapper.parameters[name], (declared.low, declared.high)
                found.append(TunableParameter(f"{name} of {label}", value, span, declared.default, turned))
    return found


def _label(scorer: Scorer, seen: Counter[str]) -> str:
    """The name of a scorer, numbered from its second occurrence on."""
    return _numbered(scorer.name if isinstance(scorer, Model) else str(scorer), seen)


def _numbered(name: str, seen: Counter[str]) -> str:
    """A name, numbered from its second occurrence on."""
    seen[name] += 1
    return name if seen[name] == 1 else f"{name} ({seen[name]})"


def _with(mixture: Mixture, place: int, product: Product) -> Mixture:
    products = list(mixture.products)
    products[place] = product
    return replace(mixture, products=tuple(products))


def _opened(part: float) -> float:
    """The x whose x / (x + 1) is this value."""
    return part / (1 - part) if part < 1 else math.inf
