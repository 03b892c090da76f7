"""Commands made from functions: the options, their types, defaults and help come from a signature and its docstring.

Cyclopts and defopt do the same for any program. They were looked at: importing them takes 55 and 80 ms where click
takes 28, which every search would pay, and neither knows headings or shared options.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from toysearch.cli.commands import READ, READ_OPTIONS, command, flag, kept_value
from toysearch.cli.options import (
    SHARED,
    Decorator,
    judged_options,
    model_option,
    models_option,
    option,
    output_options,
    reading_of_runs,
    shared,
    source_options,
    together,
)
from toysearch.cli.output import show, working
from toysearch.cli.sources import study_taken

_SOURCE = ("collection", "analyzer", "index", "queries", "qrels", "progress")
"""Parameters that the source, its options, and the terminal stand for."""
_STUDIED = ("collection", "index")
"""Parameters for which a function takes the study of a source."""
_JUDGED = ("qrels", "threshold")
"""Parameters of a function that reads queries and judgments too."""
_TOGETHER: dict[str, Decorator] = {"model": model_option, "models": models_option}
"""Parameters for which there are several options."""

COLLECTION = click.argument("source", metavar="COLLECTION")

_PARAMETER = r"(?m)^(?P<names>\w+(?:, \w+)*) : (?P<kind>.*)\n(?P<text>(?:    .*\n?|\n)+)"
_BY_DEFAULT = r"; (?:(?P<first>.+) by default|by default (?P<last>.+))\.$"
_SECTION = r"(?m)^(\w+(?: \w+)?)\n-+\n"


def sections(function: Callable[..., Any]) -> dict[str, str]:
    """Return the sections of a numpydoc docstring by heading; the text before the first one is under ""."""
    pieces = re.split(_SECTION, inspect.getdoc(function) or "")
    return {"": pieces[0].strip(), **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def description(function: Callable[..., Any], more: str = "") -> str:
    """Return the help of a command: the text of the function that it calls, and what the command says besides."""
    return f"{sections(function)['']}\n\n{more}".rstrip()


def descriptions(text: str) -> dict[str, str]:
    """Return the help of each parameter: its first sentence in the section Parameters.

    A default that the signature cannot say, as in "; by default all.", is shown like any other: [default: all].
    """
    result = {}
    for entry in re.finditer(_PARAMETER, text + "\n"):
        words = re.sub('``|"', "", " ".join(entry["text"].split())).removeprefix("The ")
        for name in entry["names"].split(", "):
            sentence = words[:1].upper() + re.split(r"(?<=\.) (?=[A-Z])", words)[0][1:]
            result[name] = re.sub(
                _BY_DEFAULT, lambda match: f".  [default: {match['first'] or match['last']}]", sentence
            )
    return result


def choices(text: str) -> dict[str, list[str]]:
    """Return the names among which a parameter chooses, where its type is written as a set of names."""
    return {
        name: re.findall(r'"([^"]+)"', entry["kind"].partition("}")[0])
        for entry in re.finditer(_PARAMETER, text + "\n")
        for name in entry["names"].split(", ")
        if entry["kind"].startswith('{"')
    }


def type_of(parameter: inspect.Parameter, function: Callable[..., Any]) -> Any:
    """Return the type of a parameter: of a union, the first one that is not None."""
    alone = SimpleNamespace(__annotations__={"type": parameter.annotation})
    kind = get_type_hints(alone, inspect.unwrap(function).__globals__)["type"]
    if get_origin(kind) in (Union, UnionType):
        return next(part for part in get_args(kind) if part is not NoneType)
    return kind


def documented(function: Callable[..., Any]) -> Callable[..., Decorator]:
    """Return what makes the option for a parameter of a function, of its name and of what the option says differently.

    Type and default come from the signature, help and choices from the docstring. What several commands have besides,
    such as a heading, is in `SHARED`; its help is for a parameter without its own.

    A command lists its options with it, one below the other: `scored = documented(toysearch.study.scores)`, and above
    the command `@scored("worst", heading="Queries")`.
    """
    text = sections(function).get("Parameters", "")
    helps, names = descriptions(text), choices(text)
    parameters = inspect.signature(function).parameters

    def option_for(name: str, **changes: Any) -> Decorator:
        parameter, among = parameters[name], names.get(name)
        settings: dict[str, Any] = {"help": helps[name]} if name in helps else {}
        if name in SHARED:
            if among and "choices" not in SHARED[name]:
                settings["type"] = click.Choice(among)
            return shared(name, **{"default": parameter.default, **settings, **changes})
        kind = type_of(parameter, function)
        if kind is bool:
            settings["is_flag"] = True
        else:
            names_of_type = get_args(kind) if get_origin(kind) is Literal else among
            settings["type"] = click.Choice(names_of_type) if names_of_type else kind if kind in (int, float) else str
            if parameter.default is not None:
                settings["default"] = parameter.default
        settings |= changes
        return option(*settings.pop("names", [flag(name)]), name, **settings)

    return option_for


def options_of(function: Callable[..., Any], **changed: Decorator | dict[str, Any]) -> Decorator:
    """Return the arguments and options for the parameters that no source stands for, then further options.

    A parameter without a default is an argument; `SOURCE` stands for a study.

    changed : for a parameter, its option, or what the option says differently; for any other name, one more option
    """
    option_for, parameters = documented(function), inspect.signature(function).parameters
    arguments, options = list[Decorator](), list[Decorator]()
    for name, parameter in parameters.items():
        changes = changed.get(name, _TOGETHER.get(name, {}))
        if callable(changes):
            options.append(changes)
        elif parameter.default is parameter.empty:
            place = COLLECTION if name in _STUDIED else click.argument(name, **{"required": True, **changes})
            arguments.append(place)
        elif name not in _SOURCE:
            options.append(option_for(name, **changes))
    more = [option for name, option in changed.items() if name not in parameters and callable(option)]
    return together(*arguments, *options, *more)


def command_of(
    function: Callable[..., Any],
    *lines: str,
    reads: Decorator | None = None,
    more: str = "",
    doing: str = "",
    take: Callable[[dict[str, Any]], Sequence[Any]] = study_taken,
    after: Callable[..., None] = show,
    succeeds: Callable[[Any], bool] = lambda result: True,
    **changed: Decorator | dict[str, Any],
) -> click.Command:
    """Return the command of a function, whose options are those of the signature.

    It calls the function, with the study of its source if it takes one, and prints the result. A command that needs
    more than five changes is written out instead, with `command` and `documented`.

    lines : the examples in its help
    reads : the options for reading, if they are not those of a source, or, with judgments, of a collection
    more : what the help says besides
    doing : what the line about progress says, and what it counts: "tuning settings"
    take : makes the first arguments of the function from the values of the options, and removes what it used; by
        default the study of the source, if there is one
    after : prints the result, in a form; gets the values of the options that are not parameters of the function
    succeeds : whether a result is a success; if not, the exit code is 1
    """
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def derived(**values: Any) -> None:
        first = take(values)
        arguments = {name: _as_read(name, values.pop(name)) for name in [*values] if name in parameters}
        chosen = {name: value for name, value in arguments.items() if value != ()}
        with working(doing) if "progress" in parameters else nullcontext() as tell:
            told = {"progress": tell} if "progress" in parameters else {}
            result = function(*first, **told | chosen)
        after(result, **values)
        if not succeeds(result):
            click.get_current_context().exit(1)

    usual = judged_options if parameters.keys() & _JUDGED else source_options
    reading = reads or (usual if parameters.keys() & _STUDIED else together())
    options = together(options_of(function, **changed), reading, output_options)
    return command(*lines, text=description(function, more))(options(derived))


def _as_read(name: str, value: Any) -> Any:
    """Return the files among the words of an argument as sources, which say with --notes what they are taken for."""
    is_read = name in READ or name in READ_OPTIONS
    if not is_read or not (kept_value("notes") or kept_value("run_columns")):
        return value
    if isinstance(value, tuple):
        return tuple(_as_read(name, word) for word in value)
    return reading_of_runs().target(value) if isinstance(value, str) else value
