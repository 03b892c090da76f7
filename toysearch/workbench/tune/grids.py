"""Grids: axes of values, and the settings that they span."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, cast

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.analyzer_text import CHOICES, choice_of, parsed, variant
from toysearch.base import ArgumentError, expect, unknown
from toysearch.models import ANY, TEXT, Model, Ranker, Value, public_name, value_text
from toysearch.study.study import Study
from toysearch.workbench.effects import Variation, Varied

__all__ = ["setting_text"]

Setting = dict[str, Value]
"""Value for each axis, by the name of the axis."""

ANALYZER = "analyzer"
"""Axis of whole analyzers, which other choices then change."""

MOST = 100_000
"""Maximum number of settings that are tried."""

_STEPS = 10  # between the ends of a range given without a step
_OCTAVES = 3  # on both sides of the given value, if a declared range has no end
_FEW = 4  # steps between the ends of a declared range if no grid is given
_PLANNED = 60  # settings of a whole grid if none is given; of a larger one, one parameter changes at a time


class Axis(NamedTuple):
    """Dimension of a grid."""

    name: str  # a parameter of the model by its public name, or a choice of the analysis (`CHOICES`)
    values: tuple[Value, ...]  # the values tried, in this order
    of_analysis: bool = False  # whether each value needs an index of its own
    limits: tuple[float | None, float | None] = (None, None)  # the range allowed

    @property
    def ordered(self) -> bool:
        """True if its values are numbers and thus ordered."""
        return all(isinstance(value, float) for value in self.values)


def axes_of(grid: Mapping[str, Any], model: Model | Ranker, analyzer: Analyzer) -> tuple[Axis, ...]:
    """Return the axes that a grid names, those of the analysis first, each value checked."""
    if not grid:
        return _default_axes(model)
    parameters = {public_name(name): name for name in model.parameters}
    axes = []
    for written, values in grid.items():
        name = written if written in parameters else written.replace("-", "_")
        if name in parameters:
            axes.append(_parameter_axis(name, values, model, parameters[name]))
        elif name in (ANALYZER, *CHOICES):
            texts = values
            if isinstance(values, str):
                texts = _descriptions(values) if name == ANALYZER else values.split(",")
            choices = tuple(dict.fromkeys(text.strip() for text in map(str, texts or ()) if text.strip()))
            if not choices:
                raise ArgumentError(f"{name}: expected the choices to try, such as stem=none,english")
            for text in choices:
                analysed(analyzer, {name: text})
            axes.append(Axis(name, choices, of_analysis=True))
        else:
            of_model = f"parameter of {model.name} or " if parameters or model.single else ""
            known = [*parameters, ANALYZER, *CHOICES]
            raise unknown(f"{of_model}choice of the analysis", written, known, "what can be tried")
    return tuple(sorted(axes, key=lambda axis: not axis.of_analysis))


def _default_axes(model: Model | Ranker) -> tuple[Axis, ...]:
    """Return a few values of each parameter whose declared range says what to try, and its given value."""
    axes = []
    for python_name, own in model.tuned.items():
        with contextlib.suppress(ArgumentError):
            axis = _parameter_axis(public_name(python_name), None, model, python_name)
            if axis.ordered:
                few = axis.values[:: max(1, (len(axis.values) - 1) // _FEW)]
                axis = axis._replace(values=tuple(sorted({*few, float(cast(float, own))}, key=float)))  # type: ignore[arg-type]
            axes.append(axis)
    if not axes:
        raise ArgumentError(
            f"{model} declares no range to try; name parameters or choices of the analysis with their values, such "
            "as k1=0.2:3:0.2 or stem=none,english"
        )
    return tuple(axes)


def _descriptions(text: str) -> list[str]:
    """Split descriptions of analyzers; an option behind a comma belongs to the analyzer before it.

    >>> _descriptions("plain,english:stem=porter,html,german")
    ['plain', 'english:stem=porter,html', 'german']
    """
    descriptions: list[str] = []
    for part in text.split(","):
        if descriptions and ":" in descriptions[-1] and _is_option(part):
            descriptions[-1] += f",{part}"
        else:
            descriptions.append(part)
    return descriptions


def _is_option(text: str) -> bool:
    try:
        parsed(f"plain:{text}")
    except ArgumentError:
        return False
    return True


def analysed(analyzer: Analyzer, choices: Mapping[str, str]) -> Analyzer:
    """Return the analyzer of some choices: another one, if it is among them, with the others changed."""
    base = Analyzer.parse(choices[ANALYZER]) if ANALYZER in choices else analyzer
    return variant(base, {name: text for name, text in choices.items() if name != ANALYZER})


def settings_of(axes: Iterable[Axis]) -> list[Setting]:
    """Return all settings of a grid: the values of the last axis change first."""
    axes = list(axes)
    size = size_of(axes)
    if size > MOST:
        raise ArgumentError(f"the grid has {size:,} settings, and at most {MOST:,} are tried; take larger steps")
    names = [axis.name for axis in axes]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*(axis.values for axis in axes))]


def size_of(axes: Iterable[Axis]) -> int:
    """Return the number of settings that axes span."""
    return math.prod(len(axis.values) for axis in axes)


def planned(axes: Sequence[Axis], given: Setting, model: Model | Ranker) -> list[Setting]:
    """Return the settings that are tried if no grid is given: a small grid whole, of others one change at a time."""
    if size_of(axes) <= _PLANNED and all(_takes(model, setting) for setting in settings_of(axes)):
        return settings_of(axes)
    changes = ((axis.name, value) for axis in axes for value in axis.values)
    return [given, *(given | {name: value} for name, value in changes if value != given[name])]


def setting_text(setting: Mapping[str, Value]) -> str:
    """Format a setting as typed on the command line.

    Parameters
    ----------
    setting : mapping of str to number, text or None
        Name → value.

    Examples
    --------
    >>> setting_text({"stem": "english", "k1": 2.0})
    'stem=english,k1=2'
    """
    expect(Mapping, setting=setting)
    return ",".join(f"{name}={value_text(value)}" for name, value in setting.items())


def variation(axes: Iterable[Axis], setting: Setting) -> Variation:
    """Turn a setting into a change of a system: other choices of its analysis, and other parameters of its model.

    >>> from toysearch.models.registry import model
    >>> b = Axis("b", (0.0, 1.0))
    >>> str(variation([b], {"b": 0.0}).apply(Study.of("cat-dog-parrot"), model("bm25"))[1])
    'bm25:b=0'
    """
    choices = {axis.name: str(setting[axis.name]) for axis in axes if axis.of_analysis and axis.name in setting}
    parameters = {name: value for name, value in setting.items() if name not in choices}

    def apply(study: Study, model: Model | Ranker) -> Varied:
        usual = study.analyzer()
        analyzer = analysed(usual, choices) if choices else usual
        changed = study if analyzer == usual else study.with_index(analyzer=analyzer)
        own = {public_name(name): value for name, value in model.parameters.items()}
        return changed, model.bind(**{name: value for name, value in parameters.items() if value != own[name]})

    return Variation(setting_text(setting), "the values of a grid", apply)


def _parameter_axis(name: str, values: Any, model: Model | Ranker, python_name: str) -> Axis:
    label, span = f"{name} of {model.name}", model.ranges.get(python_name, ANY)
    setting = model.setting(name)
    whole = setting is not None and setting.whole
    if values is None:
        axis = _declared(name, label, span, model.parameters[python_name])
        axis = _rounded_axis(axis) if whole else axis
        taken = tuple(value for value in axis.values if _takes(model, {name: value}))
        if not taken:
            model.bind(**{name: axis.values[-1]})  # says why
        return axis._replace(values=taken)
    numbers, is_span = _read(name, values)
    if whole and is_span:
        return _rounded_axis(Axis(name, tuple(numbers), limits=_limits(span)))
    distinct_values = tuple(dict.fromkeys(model.bind(**{name: value}).parameters[python_name] for value in numbers))
    if not distinct_values:
        raise ArgumentError(f"{name} has no values to try; give some, such as {name}=0.5,1,2")
    return Axis(name, distinct_values, limits=_limits(span))


def _takes(model: Model | Ranker, setting: Setting) -> bool:
    """Return whether a model takes values: not an end outside its range, nor one that needs another of them."""
    try:
        model.bind(**setting)
    except ArgumentError:
        return False
    return True


def _rounded_axis(axis: Axis) -> Axis:
    return axis._replace(values=tuple(dict.fromkeys(float(round(cast(float, value))) for value in axis.values)))


def _declared(name: str, label: str, span: tuple[Any, ...], own: Value) -> Axis:
    if span != TEXT and span and all(isinstance(choice, str) for choice in span):
        return Axis(name, span)
    if span == TEXT or not isinstance(own, float | int):
        raise ArgumentError(f"the range of {label} does not say what to try; give values, such as {name}=1,2,4")
    low, high = span
    if low is not None and high is not None and not 0 < low <= high / 100:
        return Axis(name, _between(float(low), float(high)), limits=_limits(span))
    if not own > 0:
        raise ArgumentError(f"the range of {label} has no end; give values or a range, such as {name}=0:2:0.1")
    ratios = [2 ** (half / 2) for half in range(-2 * _OCTAVES, 2 * _OCTAVES + 1)]
    around = [_rounded(own * ratio) for ratio in ratios]
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    allowed = [value for value in around if least <= value <= most]
    return Axis(name, tuple(allowed), limits=_limits(span))


def _limits(span: tuple[Any, ...]) -> tuple[float | None, float | None]:
    return span if len(span) == 2 and not any(isinstance(end, str) for end in span) else (None, None)


def _read(name: str, values: Any) -> tuple[list[Any], bool]:
    """Read the values given, and whether they are a range without a step."""
    if not isinstance(values, str):
        listed = list(values) if isinstance(values, Iterable) else [values]
        return [float(f"{value:.12g}") if isinstance(value, float) else value for value in listed], False  # np.arange
    if ":" not in values:
        return [text.strip() for text in values.split(",") if text.strip()], False
    parts = values.split(":")
    try:
        low, high, *step = (Decimal(part.strip()) for part in parts)
    except (InvalidOperation, ValueError):
        low = high = Decimal("nan")
        step = []
    if len(parts) > 3 or not all(number.is_finite() for number in (low, high, *step)):
        raise ArgumentError(f"{name}={values} is not a range; expected low:high:step or low:high, as in k1=0.2:3:0.2")
    if high < low or (step and step[0] <= 0):
        raise ArgumentError(
            f"{name}={values} is empty; expected an ascending range with a step above 0, as in k1=0.2:3:0.2"
        )
    if not step:
        return list(_between(float(low), float(high))), True
    n = int((high - low) / step[0]) + 1
    if n > MOST:
        raise ArgumentError(f"{name}={values} has {n:,} values, and at most {MOST:,} settings are tried")
    return [float(low + place * step[0]) for place in range(n)], False  # in decimals: three times 0.2 is 0.6


def _between(low: float, high: float) -> tuple[float, ...]:
    places = [step / _STEPS for step in range(1, _STEPS)]
    if low > 0 and high >= 100 * low:  # it is divided in equal ratios
        inner = [low * (high / low) ** place for place in places]
    else:
        inner = [low + (high - low) * place for place in places]
    return tuple(dict.fromkeys([low, *map(_rounded, inner), high]))


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def own_values(axes: Sequence[Axis], model: Model | Ranker, analyzer: Analyzer) -> Setting:
    """Return the values of a model and an analyzer on each axis."""
    own: Setting = {public_name(name): value for name, value in model.parameters.items()}
    for axis in filter(lambda axis: axis.of_analysis, axes):
        if axis.name == ANALYZER:  # of whole analyzers, the one that equals it
            alike = (str(text) for text in axis.values if Analyzer.parse(str(text)) == analyzer)
            own[ANALYZER] = next(alike, str(analyzer))
        else:
            own[axis.name] = choice_of(analyzer, axis.name)
    return {axis.name: own[axis.name] for axis in axes}
