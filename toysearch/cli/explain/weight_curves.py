"""How weights move with a statistic, as numbers and a plot, for `toysearch models --curve`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import toysearch
from toysearch.cli.output import emit, paragraph
from toysearch.laboratory.reports.tables import Column
from toysearch.laboratory.reports.text_charts import text_plot

_ROOM = 60  # characters for the names of all models together


def print_curves(asked: Sequence[Any], along: str, at: str | None, form: str) -> None:
    """Print the weights of several models at several values of one statistic."""
    if not asked:
        raise click.UsageError("--curve needs the NAME of a model, or a --formula")
    fixed = _fixed(at)
    models = [_single(model) for model in {str(model): model for model in asked}.values()]
    curves = {str(model): toysearch.weight_curve(model, along, _taken(fixed, model, models)) for model in models}
    names = _short_names(list(curves)) if form == "table" else {name: name for name in curves}
    values = [value.item() for value in next(iter(curves.values())).values]
    weights = {name: curve.weights.tolist() for name, curve in curves.items()}
    together = _together(list(curves.values()))
    # Made before anything is printed: it refuses what cannot be drawn.
    series = {names[name]: (values, own) for name, own in weights.items()}
    plot = text_plot(series, x_label=along, y_label="weight", log_x=along != "tf") if form == "table" else ""
    columns = [Column(along, "", "right", ".10g"), *(Column(name, "", "right", ".4f") for name in names.values())]
    rows = [[x, *row] for x, row in zip(values, zip(*weights.values(), strict=True), strict=True)]
    emit(columns, rows, form, data={"along": along, "at": together, "values": values, "weights": weights})
    if form == "table":
        legend = [paragraph(f"{short} {name}") for name, short in names.items() if name != short]
        click.echo("\n".join([*legend, f"\n{plot}"]))
        if together:
            click.echo("\n" + paragraph("at " + ", ".join(f"{name}={value:g}" for name, value in together.items())))


def _short_names(names: Sequence[str]) -> dict[str, str]:
    """The names as a table of several has room for them: numbers in the place of long ones."""
    most = _ROOM // len(names)
    return {name: name if len(name) <= most else f"({number})" for number, name in enumerate(names, 1)}


def _single(model: Any) -> toysearch.Model:
    """A model; refused if it is a mixture."""
    if model.single is None:
        raise toysearch.ArgumentError(f"'{model}' adds scores and has no weight of its own; name its models apart")
    single: toysearch.Model = model.single
    return single


def _fixed(at: str | None) -> dict[str, float]:
    """The statistics of --at."""
    fixed: dict[str, float] = {}
    for part in at.split(",") if at else []:
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name in fixed:
            raise toysearch.ArgumentError(f"--at gives {name} twice: {fixed[name]:g} and {value}")
        try:
            fixed[name] = float(value)
        except ValueError:
            raise toysearch.ArgumentError(
                f"--at: '{part}' is not of the form NAME=VALUE; an example: dl=100,N=1000"
            ) from None
    return fixed


def _taken(fixed: dict[str, float], model: toysearch.Model, models: Sequence[toysearch.Model]) -> dict[str, float]:
    """What of --at concerns a model: all but what only others know, their constants and fields."""
    others = {name for other in models for name in other.statistics} - set(toysearch.STATISTICS)
    return {name: value for name, value in fixed.items() if name in model.statistics or name not in others}


def _together(curves: Sequence[Any]) -> dict[str, float]:
    """Where the other statistics stay, of all curves."""
    together: dict[str, float] = {}
    for curve in curves:
        together |= curve.fixed
    return together
