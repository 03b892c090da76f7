"""Model of a request, from a fixed list with parameters in their ranges, and the sliders that choose it."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from toysearch.base import ArgumentError, parse_spec, unknown
from toysearch.models import ANY, MODELS, TEXT, Model, Ranker, Value, public_name, range_text, value_text
from toysearch.models.calls import WEIGHT
from toysearch.models.grammar import read
from toysearch.models.rankers import parts_of

AnyModel: TypeAlias = "Model | Ranker"
Models: TypeAlias = Mapping[str, AnyModel]
"""The models that a page offers, by name."""
Asked: TypeAlias = Mapping[str, str]
"""The fields of a request: of its address, or of a form."""
Data: TypeAlias = dict[str, Any]
"""What a view or a part of it shows: plain values by name, as JSON has them."""

PARAMETER = "p."
"""Beginning of the name of a slider; the rest is the name of the parameter."""

_GIVEN = "given to serve"
_STEPS = 100  # of a slider
_LONGEST = 1000  # characters of a mixture
_BEYOND = 4  # an open range is shown up to this multiple of the default value


def chosen_model(models: Models, asked: Asked) -> AnyModel:
    """Return the model that a request names, with the values of its sliders.

    Only models of the list are used: what is typed into a page is never run or looked up as a file.
    """
    text = asked.get("model", next(iter(models))).strip()
    model = models[text] if text in models else _with_parameters(models, text)
    moved = {name.removeprefix(PARAMETER): value for name, value in asked.items() if name.startswith(PARAMETER)}
    if not moved or asked.get("of", text) != text:  # the sliders are those of another model
        return model
    now = {public_name(name): value_text(value) for name, value in model.parameters.items()}
    return model.bind(**{name: value for name, value in moved.items() if value.strip() and value != now.get(name)})


def _with_parameters(models: Models, text: str) -> AnyModel:
    """Read a model of the list with other parameters, from a text such as bm25:b=0.4."""
    if len(text) <= _LONGEST:
        model: AnyModel = read(text, functools.partial(_part, models))
        if name_in_list(models, model) in models:
            return model
    raise unknown("model of this page", text, models, "models of this page")


def _part(models: Models, text: str) -> Any:
    """Find a model by its name with parameters, among the parts of the listed models."""
    inside = {str(part): part for model in models.values() for part in parts_of(model)}
    if text in inside:
        return inside[text]
    spec = parse_spec(text)
    part = next((part for part in inside.values() if part.single is not None and part.name == spec.name), None)
    if part is None:
        raise unknown("model of this page", spec.name, models, "models of this page")
    usual = {public_name(name): value for name, value in part.defaults.items()}
    return part.bind(**usual).bind(*spec.values, **spec.parameters)


def name_in_list(models: Models, model: AnyModel) -> str:
    """Return the entry of the list that differs from a model only in the values of its parameters; or its own."""
    values = {public_name(name): value for name, value in model.parameters.items()}
    if str(model) in models or not values:
        return str(model)
    alike = (
        (text, candidate)
        for text, candidate in models.items()
        if candidate.parameters.keys() == model.parameters.keys() and len(candidate.models) == len(model.models)
    )
    return next((text for text, candidate in alike if str(candidate.bind(**values)) == str(model)), str(model))


def families(models: Models) -> dict[str, dict[str, str]]:
    """Group the models of a list by family, each with its description; those given by the user are first.

    >>> from toysearch.models.registry import MODELS
    >>> {family: len(members) for family, members in families(MODELS).items()}["bm25"]
    10
    """
    groups: dict[str, dict[str, str]] = {_GIVEN: {}}
    for name, model in models.items():
        family = _GIVEN
        if (built_in := MODELS.get(name)) is model and built_in is not None:
            family = built_in.function.__module__.rpartition(".")[2].replace("_", " ")
        groups.setdefault(family, {})[name] = model.summary
    return {family: members for family, members in groups.items() if members}


def sliders(model: AnyModel, models: Models | None = None) -> list[Data]:
    """Return the parameters of a model, each with what a slider or a field needs.

    The defaults of a mixture are the values of the mixture in the list from which it is made.

    >>> from toysearch.models.registry import MODELS, model
    >>> [(each["name"], each["kind"], each["low"], each["high"], each["step"]) for each in sliders(MODELS["bm25"])]
    [('k1', 'slider', 0.0, 5.0, 0.05), ('b', 'slider', 0.0, 1.0, 0.01), ('k3', 'typed', None, None, None)]
    >>> [(each["name"], each["value"], each["high"]) for each in sliders(model("0.7*pl2 + 0.3*dph"))]
    [('weight1', '0.7', 1.0), ('weight2', '0.3', 1.0), ('c', '1', 5.0)]
    """
    listed = (models or {}).get(name_in_list(models or {}, model), model)
    defaults = model.single.defaults if model.single else listed.parameters
    return [_slider(model, parameter, value, defaults[parameter]) for parameter, value in model.parameters.items()]


def _slider(model: AnyModel, parameter: str, value: Value, default: Value) -> Data:
    name, span = public_name(parameter), model.ranges.get(parameter, ANY)
    if (setting := model.setting(name)) is WEIGHT:  # a weight may be any number
        span = (min(span[0], default, value), max(span[1], default, value))
    data: Data = {
        "name": name,
        "value": value_text(value),
        "default": value_text(default),
        "range": range_text(span, default),
        "kind": "typed",
        "low": None,
        "high": None,
        "step": None,
        "choices": [],
    }
    if span == TEXT or not isinstance(default, float | int) or not isinstance(value, float | int):
        is_choice = span != TEXT and bool(span) and all(isinstance(choice, str) for choice in span)
        return data | ({"kind": "choice", "choices": [*span]} if is_choice else {})
    if setting is not None and setting.is_slow:
        return data
    # The ends of a slider are those of the range; if it is open or very wide, four times the default.
    low, high = span
    reach = round_up(_BEYOND * abs(float(default)) or 1.0)
    high = float(max(reach if high is None or high > 100 * reach else high, value))
    low = float(min(-reach if low is None else low, value))
    step = round_up((high - low) / _STEPS)
    if setting is not None and setting.whole:
        step = max(1.0, step)
        low -= low % step
        low = low if _accepts(model, name, low) else low + step
    elif not any(_accepts(model, name, end) for end in (low + step, high)):  # it belongs to another value
        return data
    low = max(low, step) if 0 < low < step or not _accepts(model, name, low) else low
    high = high if _accepts(model, name, high) else high - step
    on_steps = all(abs((number - low) / step - round((number - low) / step)) < 1e-6 for number in (default, value))
    return data | {"kind": "slider", "low": min(low, value), "high": high, "step": step if on_steps else "any"}


def _accepts(model: AnyModel, name: str, value: float) -> bool:
    try:
        return bool(model.bind(**{name: value}))
    except ArgumentError:
        return False


def round_up(number: float, factors: Sequence[float] = (1, 2, 5, 10)) -> float:
    """Return the least of some factors times a power of ten that is not below a number: 1, 2, 5, 10, 20, 50 and so on.

    >>> [round_up(number) for number in (0.01, 0.048, 1.0, 4.8, 8000)]
    [0.01, 0.05, 1.0, 5.0, 10000.0]
    """
    power = 10.0 ** math.floor(math.log10(number) + 1e-9)
    rounded = next(factor for factor in factors if factor * power >= number * (1 - 1e-9)) * power
    return float(f"{rounded:.12g}")
