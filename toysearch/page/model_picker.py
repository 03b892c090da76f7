"""The model of a request, from a fixed list with parameters in their ranges, and the sliders that choose it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from toysearch.errors import ArgumentError, unknown
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.models.parameter_ranges import ANY, TEXT, Value, value_text
from toysearch.spec import parse_spec

AnyModel: TypeAlias = "Model | Mixture"

PARAMETER = "p."
"""What the name of a slider begins with; the rest is the name of the parameter."""

_STEPS = 100  # of a slider
_BEYOND = 4  # an open range is shown up to this multiple of the default value


def chosen_model(models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> AnyModel:
    """The model that a request names, with the values of its sliders.

    Only models of the list are used: what is typed into a page is never run or looked up as a file.
    """
    text = asked.get("model", next(iter(models))).strip()
    model = models[text] if text in models else _with_parameters(models, text)
    moved = {name.removeprefix(PARAMETER): value for name, value in asked.items() if name.startswith(PARAMETER)}
    if not moved or asked.get("of", text) != text:  # the sliders are those of another model
        return model
    if not isinstance(model, Model):
        raise ArgumentError(f"{model} has no parameters here; change it where `toysearch serve` is started")
    now = {name: value_text(value) for _, name, value, _ in model.describe_parameters()}
    return model.bind(**{name: value for name, value in moved.items() if value.strip() and value != now.get(name)})


def _with_parameters(models: Mapping[str, AnyModel], text: str) -> Model:
    """A model of the list with the parameters of a spec such as bm25:b=0.4."""
    spec = parse_spec(text)
    model = models.get(spec.name)
    if not isinstance(model, Model):
        raise unknown("model of this page", spec.name, models, "models of this page")
    return model.bind(*spec.values, **spec.parameters)


def name_in_list(models: Mapping[str, AnyModel], model: AnyModel) -> str:
    """The entry of the list from which a model was made."""
    text = str(model)
    return text if text in models else getattr(model, "name", text)


def sliders(model: AnyModel) -> list[dict[str, Any]]:
    """The parameters of a model, each with what a slider or a list needs; none for a mixture.

    >>> from toysearch.models.registry import MODELS
    >>> [(each["name"], each["kind"], each["low"], each["high"], each["step"]) for each in sliders(MODELS["bm25"])]
    [('k1', 'slider', 0.0, 5.0, 0.05), ('b', 'slider', 0.0, 1.0, 0.01), ('k3', 'typed', None, None, None)]
    """
    return [_slider(model, *row) for row in model.describe_parameters()] if isinstance(model, Model) else []


def _slider(model: Model, own: str, name: str, value: Value, described: str) -> dict[str, Any]:
    """One parameter: its kind, its bounds, its value, its default and its range in words."""
    span, default = model.ranges.get(own, ANY), model.defaults[own]
    shown: dict[str, Any] = {"name": name, "value": value_text(value), "default": value_text(default)}
    shown |= {"range": described, "kind": "typed", "low": None, "high": None, "step": None, "choices": []}
    if span == TEXT or not isinstance(default, float | int) or not isinstance(value, float | int):
        is_choice = span != TEXT and bool(span) and all(isinstance(each, str) for each in span)
        return shown | ({"kind": "choice", "choices": [*span]} if is_choice else {})
    low, high = _bounds(span, float(default), float(value))
    step = _round_up((high - low) / _STEPS)
    if not any(_accepts(model, name, end) for end in (low + step, high)):  # it belongs to another value
        return shown
    low = max(low, step) if 0 < low < step or not _accepts(model, name, low) else low
    high = high if _accepts(model, name, high) else high - step
    on_steps = all(abs((number - low) / step - round((number - low) / step)) < 1e-6 for number in (default, value))
    return shown | {"kind": "slider", "low": min(low, value), "high": high, "step": step if on_steps else "any"}


def _accepts(model: Model, name: str, value: float) -> bool:
    """Whether a model accepts an end of the range of a parameter."""
    try:
        return bool(model.bind(**{name: value}))
    except ArgumentError:
        return False


def _bounds(span: Any, default: float, value: float) -> tuple[float, float]:
    """The ends of a slider: the range, where it is open or very wide as far as four times the default."""
    low, high = span
    reach = _round_up(_BEYOND * abs(default) or 1.0)
    if high is None or high > 100 * reach:
        high = reach
    if low is None:
        low = -reach
    return float(min(low, value)), float(max(high, value))


def _round_up(number: float) -> float:
    """The least of 1, 2, 5, 10, 20, 50 … that is not below a number.

    >>> [_round_up(number) for number in (0.01, 0.048, 1.0, 4.8, 8000)]
    [0.01, 0.05, 1.0, 5.0, 10000.0]
    """
    power = 10.0 ** math.floor(math.log10(number) + 1e-9)
    rounded = next(factor for factor in (1, 2, 5, 10) if factor * power >= number * (1 - 1e-9)) * power
    return float(f"{rounded:.12g}")
