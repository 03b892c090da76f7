"""Commands made from functions: the options, their types, defaults and help come from a signature and its docstring.

Cyclopts and defopt do the same for any program. They were looked at: importing them takes 55 and 80 ms where click
takes 28, which every search would pay, and neither knows headings, shared options or names that are completed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    SHARED,
    Decorator,
    SourceOptions,
    judged_options,
    model_option,
    models_option,
    option,
    output_options,
    shared,
    together,
)
from toysearch.cli.output import progress, show
from toysearch.cli.sources import study_of
from toysearch.cli.workers import NO_WORKERS, Workers, named_worker_options

if TYPE_CHECKING:
    from toysearch.laboratory.study import Study

_SOURCE = ("collection", "analyzer", "index", "queries", "qrels", "progress")
"""Parameters that the source, its options, and the terminal stand for."""
_TOGETHER: dict[str, Decorator] = {"model": model_option, "models": models_option, "client": named_worker_options}
"""Parameters for which there are several options."""

_PARAMETER = re.compile(r"^(?P<names>\w+(?:, \w+)*) : .*\n(?P<text>(?:    .*\n?|\n)+)", re.MULTILINE)
_SECTION = re.compile(r"^(\w+(?: \w+)?)\n-+\n", re.MULTILINE)


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


def type_of(parameter: inspect.Parameter, function: Callable[..., Any]) -> Any:
    """The type of a parameter: of a union, the first one that is not None."""
    alone = SimpleNamespace(__annotations__={"type": parameter.annotation})
    kind = get_type_hints(alone, inspect.unwrap(function).__globals__)["type"]
    if get_origin(kind) in (Union, UnionType):
        return next(part for part in get_args(kind) if part is not NoneType)
    return kind


def option_of(parameter: inspect.Parameter, function: Callable[..., Any], text: str, **changes: Any) -> Decorator:
    """The option for a parameter: its type and default from the signature, its help from the docstring."""
    name, text = parameter.name, text.replace("``", "")
    if name in SHARED:
        return shared(name, **{"help": text} | SHARED[name] | {"default": parameter.default} | changes)
    kind = type_of(parameter, function)
    settings: dict[str, Any] = {"help": text, "type": kind if kind in (int, float) else str}
    if get_origin(kind) is Literal:
        settings["type"] = click.Choice(get_args(kind))
    if kind is bool:
        settings = {"help": text, "is_flag": True}
    elif parameter.default is not None:
        settings["default"] = parameter.default
    settings |= changes
    return option(*settings.pop("names", [f"--{name.replace('_', '-')}"]), name, **settings)


def options_of(function: Callable[..., Any], **written: Decorator | dict[str, Any] | None) -> Decorator:
    """The options for the parameters of a function, without those that a source stands for; then those written out.

    written : for a parameter, its option, or what the option says differently, or None for no option; for any other
        name, one more option
    """
    helps = descriptions(sections(function).get("Parameters", ""))
    parameters = inspect.signature(function).parameters
    options = []
    for name, parameter in parameters.items():
        changes = written.get(name, _TOGETHER.get(name, {}))
        if callable(changes):
            options.append(changes)
        elif changes is not None and name not in _SOURCE and parameter.kind is not parameter.VAR_KEYWORD:
            options.append(option_of(parameter, function, helps.get(name, ""), **changes))
    return together(*options, *(more for name, more in written.items() if name not in parameters and callable(more)))


def command_of(
    function: Callable[..., Any],
    *lines: str,
    more: str = "",
    doing: str = "",
    counted: str = "",
    prepare: Callable[..., Study] = lambda study, **_: study,
    after: Callable[..., None] = show,
    **written: Decorator | dict[str, Any] | None,
) -> Command:
    """The command that calls a function of a judged collection and prints its result, with these lines as examples.

    more : what its help says besides the text of the function
    doing, counted : what the line about progress says, such as "predicting" and "queries"
    prepare : makes the study that the function takes, from that of the source and the values of its options
    after : prints the result, in a form; gets the values of the options that are not parameters of the function
    """
    parameters = inspect.signature(function).parameters

    def call(source: str, options: SourceOptions, form: str, workers: Workers = NO_WORKERS, **values: Any) -> None:
        arguments = {name: value for name, value in values.items() if name in parameters and value != ()}
        study = prepare(study_of(source, options), **arguments)
        with workers.connected() as client, progress(doing, counted) as tell:
            run_by = {"client": client, "progress": tell}
            result = function(study, **arguments, **{name: run_by[name] for name in run_by if name in parameters})
        after(result, form, **{name: value for name, value in values.items() if name not in parameters})

    call.__doc__ = f"{sections(function)['']}\n\n{more}".rstrip()
    collection = click.argument("source", metavar="COLLECTION")
    decorated = together(collection, options_of(function, **written), judged_options, output_options)(call)
    command: Command = click.command(cls=Command, epilog=examples(*lines))(decorated)
    return command
