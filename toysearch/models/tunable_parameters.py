"""Tunable numbers of a ranker, one at a time: parameters of models, weights, and settings of calls."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from toysearch.models.calls import LEARNED, PIPE, PRODUCT, SUM
from toysearch.models.model import ANY, TEXT, Model, Range, Value, public_name, range_text
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.rankers import ADDED, STAGES, Part, Ranker

_MAGNITUDES = 1000.0  # a range whose ends differ by at least this factor is logarithmic


class TunableParameter(NamedTuple):
    """Parameter of a model or of a mixture."""

    name: str  # as in the grammar, in a mixture with its model: ``b of bm25``, ``weight1``
    value: Value  # its present value
    span: Range  # its declared range
    default: Value  # its declared value
    # the model with another value; raises an ArgumentError if the model refuses it
    with_value: Callable[[Value], Model | Ranker]

    @property
    def choices(self) -> tuple[str, ...]:
        """Texts to choose from; none for a number."""
        return () if self.span == TEXT else tuple(choice for choice in self.span if isinstance(choice, str))

    @property
    def is_number(self) -> bool:
        """True if it takes numbers."""
        return self.span != TEXT and not self.choices

    @property
    def range(self) -> str:
        """Declared range in words."""
        return range_text(self.span, self.default)

    def place(self, value: float) -> float:
        """Place a number in the range: 0 is its low end, 1 its high end."""
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
        """Return the number at a position from 0 to 1; infinite at an open end."""
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
        """Distance of the declared value, or else of the present value, from an end; 1 if neither is usable."""
        for value in (self.default, self.value):
            if isinstance(value, (int, float)) and math.isfinite(value) and value != end:
                return abs(value - end)
        return 1.0


def tunable_parameters(model: Part) -> list[TunableParameter]:
    """List the parameters of a model; of a ranker its own settings that need not be whole, and those of all inside."""
    if isinstance(model, Model):
        return [
            _bound(model, public_name(name), value, model.ranges.get(name, ANY), model.defaults[name])
            for name, value in model.parameters.items()
        ]
    if not isinstance(model, Ranker) or model.call == LEARNED:
        return []  # its function fits the parameters that its models had in the training
    return _of_stages(model) if model.call in (PIPE, *STAGES) else _of_sum(model)


def _of_sum(ranker: Ranker) -> list[TunableParameter]:
    parameters, seen = list[TunableParameter](), Counter[str]()
    parts = enumerate(ranker.inside) if ranker.call == SUM else [(-1, ranker)]
    for place, part in parts:
        path: Path = (place,) if ranker.call == SUM else ()
        factors = [(path, part)]
        if part.call == PRODUCT:
            factors = [((*path, n), factor) for n, factor in enumerate(part.inside)]
        scorers = [_scorer_of(path, factor) for path, factor in factors]
        labels = [
            _numbered(scorer.name if isinstance(scorer, Model) else str(scorer), seen) for _, _, scorer in scorers
        ]
        if len(ranker.values) > 1 and ranker.call == SUM:  # the weight of all there is changes no order
            weight = ranker.values[place]
            turned = partial(_weighed, ranker, place)
            parameters.append(TunableParameter(f"weight{place + 1}", weight, ANY, weight, turned))
        for (_, path, scorer), label in zip(scorers, labels, strict=True):
            if isinstance(scorer, Model):
                inside = tunable_parameters(scorer)
                parameters += [_put_in(ranker, path, each, f"{each.name} of {label}") for each in inside]
        for wrappers, _, _ in scorers:
            for path, wrapper in wrappers:
                label = _numbered(wrapper.call, seen)
                parameters += [_put_in(ranker, path, each, f"{each.name} of {label}") for each in _own(wrapper)]
    return parameters


def _of_stages(ranker: Ranker) -> list[TunableParameter]:
    parameters = _own(ranker)
    for place, part in enumerate(ranker.inside):
        for inside in tunable_parameters(part):
            name = f"{inside.name} of {part.name}" if isinstance(part, Model) else inside.name
            label = f"{name} (stage {place + 1})" if name in [one.name for one in parameters] else name
            parameters.append(_put_in(ranker, (place,), inside, label))
    return parameters


def _own(ranker: Ranker) -> list[TunableParameter]:
    """List the own settings of a ranker, except whole numbers, which change in steps."""
    return [
        _bound(ranker, name, ranker.settings[name], setting.span, setting.default)
        for name, setting in ranker.declared.items()
        if not setting.whole
    ]


def _bound(model: Model | Ranker, name: str, value: Value, span: Range, default: Value) -> TunableParameter:
    return TunableParameter(name, value, span, default, lambda given: model.bind(**{name: given}))


Path: TypeAlias = tuple[int, ...]
"""Places that lead from a ranker to a part inside."""


def _scorer_of(path: Path, factor: Part) -> tuple[list[tuple[Path, Ranker]], Path, Part]:
    """Separate the parts of a factor that change the query, outermost first, from its scorer, each with its path."""
    wrappers = []
    while factor.call in (*FACTOR_NORMALISATIONS, *ADDED):
        assert isinstance(factor, Ranker)
        if factor.call in ADDED:
            wrappers.append((path, factor))
        path, [factor] = (*path, 0), factor.inside
    return wrappers, path, factor


def _put(ranker: Part, path: Path, part: Part) -> Any:
    if not path or not isinstance(ranker, Ranker):
        return part
    inside = list(ranker.inside)
    inside[path[0]] = _put(inside[path[0]], path[1:], part)
    return replace(ranker, inside=tuple(inside))


def _put_in(ranker: Ranker, path: Path, inside: TunableParameter, name: str) -> TunableParameter:
    return inside._replace(name=name, with_value=lambda given: _put(ranker, path, inside.with_value(given)))


def _weighed(ranker: Ranker, place: int, given: Value) -> Ranker:
    values = list(ranker.values)
    values[place] = float(given or 0.0)
    return replace(ranker, values=tuple(values))


def _numbered(name: str, seen: Counter[str]) -> str:
    seen[name] += 1
    return name if seen[name] == 1 else f"{name} ({seen[name]})"


def _opened(part: float) -> float:
    return part / (1 - part) if part < 1 else math.inf
