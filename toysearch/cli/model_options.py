"""How to rank, as several commands take it: --model with a model's name, or --formula and --set."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

import toysearch

Command = Callable[..., Any]
DEFAULT = "bm25"

_formula_options = (
    click.option(
        "--formula",
        "formulas",
        multiple=True,
        metavar="FORMULA",
        help='How to rank, as a formula of statistics: "log(1+tf) * log(N/df)" (`toysearch docs models`).',
    ),
    click.option(
        "--set", "settings", multiple=True, metavar="NAME=VALUE", help="The value of a name of your own in --formula."
    ),
)


threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads that answer many queries; the rankings are the same.  [default: one a core]",
)


def model_option(function: Command) -> Command:
    """Add --model, --formula and --set; the command gets the text of one model as ``name``."""

    @functools.wraps(function)
    def command(
        *args: Any, name: str | None, formulas: tuple[str, ...], settings: tuple[str, ...], **values: Any
    ) -> Any:
        return function(*args, name=model_text(name, formulas, settings) or DEFAULT, **values)

    help_text = "How to rank: a name such as bm25:b=0.4 (`toysearch models`), or FILE.py:FUNCTION."
    option = click.option("--model", "name", metavar="MODEL", help=f"{help_text}  [default: {DEFAULT}]")
    return _added(command, option)


def models_option(function: Command) -> Command:
    """Add --model, --formula and --set, to be repeated; the command gets the texts of the models as ``names``."""
    return _several(function, f"  [default: {DEFAULT}]")


def compared_models_option(function: Command) -> Command:
    """The same for a command that shows or compares systems, and has no default."""
    return _several(function, "")


def _several(function: Command, default: str) -> Command:
    @functools.wraps(function)
    def command(
        *args: Any, names: tuple[str, ...], formulas: tuple[str, ...], settings: tuple[str, ...], **values: Any
    ) -> Any:
        return function(*args, names=tuple(model_texts(names, formulas, settings)), **values)

    help_text = "How to rank, once a system: bm25:b=0.4 (`toysearch models`), FILE.py:FUNCTION."
    option = click.option("--model", "names", multiple=True, metavar="MODEL", help=help_text + default)
    return _added(command, option)


def formula_options(function: Command) -> Command:
    """Add --formula and --set alone, for a command whose arguments name models; see `model_texts`."""
    return _added(function)


def _added(function: Command, *options: Callable[[Command], Command]) -> Command:
    for option in reversed([*options, *_formula_options]):
        function = option(function)
    return function


def model_text(name: str | None, formulas: Sequence[str], settings: Sequence[str]) -> str | None:
    """The text that names the one model asked for, by --model or by --formula; None where none is."""
    texts = model_texts([name] if name else [], formulas, settings)
    if len(texts) > 1:
        raise click.UsageError("give one model, by --model or by --formula")
    return texts[0] if texts else None


def model_texts(names: Sequence[str], formulas: Sequence[str], settings: Sequence[str]) -> list[str]:
    """The texts that name the models asked for: those of --model first, then those of --formula."""
    values = _values(settings)
    if values and not formulas:
        raise click.UsageError("--set gives a name of a --formula its value; a model's own are written bm25:b=0.4")
    own = [{name: value for name, value in values.items() if name in names_in(formula)} for formula in formulas]
    for name in values:
        if not any(name in used for used in own):
            raise toysearch.ArgumentError(f"--set {name}: no formula has the name {name}")
    made = [toysearch.formula(text, **used) for text, used in zip(formulas, own, strict=True)]
    return [*names, *map(str, made)]


def _values(settings: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not (name and equals and value):
            raise toysearch.ArgumentError(f"--set '{setting}' is not of the form NAME=VALUE; an example: --set k=1.2")
        if name in values:
            raise toysearch.ArgumentError(f"--set gives {name} twice: {values[name]} and {value}")
        values[name] = value
    return values


def names_in(formula: str) -> set[str]:
    """The names that stand in a formula: statistics, functions, and the user's own."""
    return set(re.findall(r"[^\W\d]\w*", formula))
