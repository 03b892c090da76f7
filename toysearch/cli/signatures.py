"""Commands made from functions: the options, their types, defaults and help come from a signature and its docstring.

Cyclopts and defopt do the same for any program. They were looked at: importing them takes 55 and 80 ms where click
takes 28, which every search would pay, and neither knows headings, shared options or names that are completed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import click

from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    Decorator,
    SourceOptions,
    depth_option,
    judged_options,
    measures_option,
    model_option,
    models_option,
    option,
    output_options,
    threshold_option,
    together,
)
from toysearch.cli.output import progress, show
from toysearch.cli.sources import study_of
from toysearch.laboratory.experiments.stats.multiple_comparisons import CORRECTIONS
from toysearch.laboratory.experiments.stats.significance import TESTS

_SOURCE = ("collection", "analyzer", "index", "queries", "qrels", "progress")
"""Parameters that the source, its options, and the terminal stand for."""
_SHARED: dict[str, Decorator] = {
    "model": model_option,
    "models": models_option,
    "measures": measures_option,
    "k": depth_option,
    "threshold": threshold_option,
}
"""Parameters whose option is the same in every command."""
_CHOICES: dict[str, Mapping[str, Any]] = {"test": TESTS, "correction": CORRECTIONS}
"""Parameters that take a name from a table."""
_SHORT = {"measure": "-m"}

_PARAMETER = re.compile(r"^(?P<names>\w+(?:, \w+)*) : .*\n(?P<text>(?:    .*\n?|\n)+)", re.MULTILINE)
_SECTION = re.compile(r"^(\w+(?: \w+)?)\n-+\n", re.MULTILINE)
_TYPES = {"int": int, "float": float, "bool": bool}


def sections(function: Callable[..., Any]) -> dict[str, str]:
    """The sections of a numpydoc docstring by heading; the text before the first one is under ""."""
    pieces = _SECTION.split(inspect.getdoc(function) or "")
    return {"": pieces[0].strip(), **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def descriptions(text: str) -> dict[str, str]:
    """What a section Parameters says of each parameter: the first sentence, which is its help."""
    result = {}
    for entry in _PARAMETER.finditer(text + "\n"):
        words = " ".join(entry["text"].split()).removeprefix("The ")
        for name in entry["names"].split(", "):
            result[name] = words[:1].upper() + re.split(r"(?<=\.) (?=[A-Z])", words)[0][1:]
    return result


def option_of(parameter: inspect.Parameter, text: str) -> Decorator:
    """The option for a parameter: its type and default from the signature, its help from the docstring."""
    name, default = parameter.name, parameter.default
    settings: dict[str, Any] = {"help": text.replace("``", "")}
    kind = _TYPES.get(str(parameter.annotation).removesuffix(" | None"), str)
    if kind is bool:
        settings["is_flag"] = True
    elif name in _CHOICES:
        settings["type"] = click.Choice(list(_CHOICES[name]))
    else:
        settings["type"] = click.IntRange(min=0) if name == "seed" else kind
    if default is not None and kind is not bool:
        settings["default"] = default
    names = [_SHORT[name]] if name in _SHORT else []
    return option(*names, f"--{name.replace('_', '-')}", name, **settings)


def options_of(function: Callable[..., Any], written: Mapping[str, Decorator]) -> list[Decorator]:
    """The options for the parameters of a function, without those that a source stands for; then those written out."""
    helps = descriptions(sections(function).get("Parameters", ""))
    shared = _SHARED | dict(written)
    parameters = inspect.signature(function).parameters
    derived = [
        shared[name] if name in shared else option_of(parameter, helps[name])
        for name, parameter in parameters.items()
        if name not in _SOURCE
    ]
    return [*derived, *(decorator for name, decorator in written.items() if name not in parameters)]


def command_of(
    function: Callable[..., Any],
    *lines: str,
    doing: str,
    counted: str = "",
    also: Mapping[str, Decorator] | None = None,
    after: Callable[..., None] = show,
) -> Command:
    """The command that calls a function of a judged collection and prints its result, with these lines as examples."""
    # doing and counted are what the line about progress says: "predicting", "queries". `also` has the options that no
    # signature gives; `after` gets the values of those that are not parameters.
    parameters = inspect.signature(function).parameters

    def call(source: str, options: SourceOptions, form: str, **values: Any) -> None:
        arguments = {name: values.pop(name) for name in parameters if name in values}
        with progress(doing, counted) as tell:
            result = function(study_of(source, options), progress=tell, **arguments)
        after(result, form, **values)

    call.__doc__ = sections(function)[""]
    collection = click.argument("source", metavar="COLLECTION")
    decorated = together(collection, *options_of(function, also or {}), judged_options, output_options)(call)
    command: Command = click.command(cls=Command, epilog=examples(*lines))(decorated)
    return command
