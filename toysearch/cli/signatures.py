"""Commands made from functions: the options, their types, defaults and help come from a signature and its docstring.

Cyclopts and defopt do the same for any program. They were looked at: importing them takes 55 and 80 ms where click
takes 28, which every search would pay, and neither knows headings, shared options or names that are completed.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Container, Sequence
from contextlib import nullcontext
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from toysearch.cli.commands import READ, READ_OPTIONS, Command, examples, flag, kept_value
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
    shell_report,
    together,
)
from toysearch.cli.output import progress, remark, show
from toysearch.cli.sources import study_taken
from toysearch.cli.workers import Workers, named_worker_option

_SOURCE = ("collection", "analyzer", "index", "queries", "qrels", "progress")
"""Parameters that the source, its options, and the terminal stand for."""
_STUDIED = ("collection", "index")
"""Parameters for which a function takes the study of a source."""
_TOGETHER: dict[str, Decorator] = {"model": model_option, "models": models_option, "client": named_worker_option}
"""Parameters for which there are several options."""

COLLECTION = click.argument("source", metavar="COLLECTION")

_PARAMETER = r"(?m)^(?P<names>\w+(?:, \w+)*) : (?P<kind>.*)\n(?P<text>(?:    .*\n?|\n)+)"
_BY_DEFAULT = r"; (?:(?P<first>.+) by default|by default (?P<last>.+))\.$"
_SECTION = r"(?m)^(\w+(?: \w+)?)\n-+\n"


def sections(function: Callable[..., Any]) -> dict[str, str]:
    """Return the sections of a numpydoc docstring by heading; the text before the first one is under ""."""
    pieces = re.split(_SECTION, inspect.getdoc(function) or "")
    return {"": pieces[0].strip(), **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def descriptions(text: str) -> dict[str, str]:
    """Return the help of each parameter: its first sentence in the section Parameters.

    A default that the signature cannot say, as in "; by default all.", is shown like any other: [default: all].
    """
    result = {}
    for entry in re.finditer(_PARAMETER, text + "\n"):
        words = " ".join(entry["text"].split()).removeprefix("The ")
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


def option_of(
    parameter: inspect.Parameter, function: Callable[..., Any], text: str, among: Sequence[str] = (), **changes: Any
) -> Decorator:
    """Return the option for a parameter: type and default from the signature, help and choices from the docstring."""
    name, text = parameter.name, text.replace("``", "").replace('"', "")
    if name in SHARED:
        choice = {"type": click.Choice(among)} if among and "choices" not in SHARED[name] else {}
        of_function = {key: value for key, value in {"help": text, **choice}.items() if key not in SHARED[name]}
        return shared(name, **{**of_function, "default": parameter.default, **changes})
    kind = type_of(parameter, function)
    settings: dict[str, Any] = {"help": text, "type": kind if kind in (int, float) else str}
    if names := get_args(kind) if get_origin(kind) is Literal else among:
        settings["type"] = click.Choice(names)
    if kind is bool:
        settings = {"help": text, "is_flag": True}
    elif parameter.default is not None:
        settings["default"] = parameter.default
    settings |= changes
    return option(*settings.pop("names", [flag(name)]), name, **settings)


def options_of(function: Callable[..., Any], **written: Decorator | dict[str, Any] | None) -> Decorator:
    """Return the options for the parameters that no source stands for, then those written out.

    A parameter without a default has no option: it is an argument.

    written : for a parameter, its option, or what the option says differently, or None for no option; for any other
        name, one more option
    """
    documented = sections(function).get("Parameters", "")
    helps, names = descriptions(documented), choices(documented)
    parameters = inspect.signature(function).parameters
    options = []
    for name, parameter in parameters.items():
        changes = written.get(name, _TOGETHER.get(name, {}))
        if callable(changes):
            options.append(changes)
        elif changes is not None and name not in _SOURCE and is_optional(parameter):
            options.append(option_of(parameter, function, helps.get(name, ""), names.get(name, ()), **changes))
    options += [more for name, more in written.items() if name not in parameters and callable(more)]
    return together(*options)


def popped(values: dict[str, Any], *names: str) -> list[Any]:
    """Take some of the values of the options out of all."""
    return [values.pop(name) for name in names]


def is_optional(parameter: inspect.Parameter) -> bool:
    """Return True if a parameter has a default, and so an option."""
    return parameter.default is not parameter.empty


def argument_of(function: Callable[..., Any], **written: Any) -> Decorator:
    """Return the arguments for the parameters without a default that are not written out; the source gives a study."""
    parameters = inspect.signature(function).parameters
    settings = {
        name: written.get(name, _TOGETHER.get(name, {}))
        for name, parameter in parameters.items()
        if not is_optional(parameter)
    }
    return together(
        *(
            COLLECTION if name in _STUDIED else click.argument(name, **{"required": True, **changes})
            for name, changes in settings.items()
            if not callable(changes)
        )
    )


def loaded(name: str) -> Callable[..., Any]:
    """Return the function of a name with its module."""
    module, _, function = name.rpartition(".")
    result: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return result


def command_of(
    function_or_name: str | Callable[..., Any],
    *lines: str,
    argument: Decorator | None = None,
    reads: Decorator | None = None,
    forms: Decorator = output_options,
    text: str = "",
    more: str = "",
    doing: str = "",
    take: Callable[[dict[str, Any]], Sequence[Any]] = study_taken,
    after: Callable[..., None] = show,
    succeeds: Callable[[Any], bool] = lambda result: True,
    **written: Decorator | dict[str, Any] | None,
) -> Callable[[], Command]:
    """Return a maker of the command of a function, called at first use; its options are those of the signature.

    It calls the function, with the study of its source if it takes one, and prints the result.

    function_or_name : the function, or its name with its module, which is loaded only when the command is made
    lines : the examples in its help
    argument : the arguments, where they are not the parameters without a default
    reads, forms : the options for reading them, if they are no source none, and those for the output
    text : the help, where the text of the function says what only a program needs
    more : what the help says besides
    doing : what the line about progress says, and what it counts: "tuning settings"
    take : makes the first arguments of the function from the values of the options, and removes what it used; by
        default the study of the source, if there is one
    after : prints the result, in a form; gets the values of the options that are not parameters of the function, and
        of its arguments those that it names
    succeeds : whether a result is a success; if not, the exit code is 1
    """

    @functools.cache
    def make() -> Command:
        function = loaded(function_or_name) if isinstance(function_or_name, str) else function_or_name
        parameters = inspect.signature(function).parameters

        names = {*parameters}
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            names |= {*written} - {*inspect.signature(after).parameters}
        run = functools.partial(performed, function, names, take, after, doing, succeeds)
        description = f"{inspect.cleandoc(text) or sections(function)['']}\n\n{more}".rstrip()
        decorate = click.command("run", cls=Command, help=description, epilog=examples(*lines))
        arguments = argument or argument_of(function, **written)
        reading = reads or (judged_options if argument or parameters.keys() & _STUDIED else together())
        command: Command = decorate(together(arguments, options_of(function, **written), reading, forms)(run))
        return command

    return make


def performed(
    function: Callable[..., Any],
    parameters: Container[str],
    take: Callable[[dict[str, Any]], Sequence[Any]],
    after: Callable[..., None],
    doing: str,
    succeeds: Callable[[Any], bool],
    /,
    workers: Workers | None = None,
    **values: Any,
) -> None:
    """Call the function of a command, first with what is taken from the values of its options, and show the result.

    If it is interrupted, and has told what is best so far, a line says so, and where that is kept.
    """
    told: list[Any] = []
    what, _, counts = doing.partition(" ")
    try:
        with workers.connected() if workers else nullcontext() as client:
            first = take(values)
            arguments = {name: _as_read(name, values.pop(name)) for name in [*values] if name in parameters}
            with progress(what, counts) if "progress" in parameters else nullcontext() as line:

                def tell(*state: Any) -> None:
                    told[:] = state
                    if line is not None:
                        line(*state)

                run_by = {name: by for name, by in (("client", client), ("progress", tell)) if name in parameters}
                chosen = {name: value for name, value in arguments.items() if value != ()}
                result = function(*first, **run_by | chosen)
    except KeyboardInterrupt:
        if told[2:]:
            from toysearch.study.ledger import read_ledger  # only of a command that keeps what it has done

            count, total, best = told
            file = arguments["results"]
            count = len(read_ledger(file)[1]) if file else count
            n_done = f"{count} of {total}" if total else str(count)
            where = f"kept in {file}: the same command resumes there" if file else "with -o FILE they would be kept"
            remark(f"{n_done} {counts} are done, the best so far {best}; {where}")
        raise
    values |= {name: arguments[name] for name in inspect.signature(after).parameters if name in arguments}
    after(result, **values)
    if not succeeds(result):
        click.get_current_context().exit(1)


def _as_read(name: str, value: Any) -> Any:
    """Return the files among the words of an argument as sources, which say with --notes what they are taken for."""
    is_read = name in READ or name in READ_OPTIONS
    if not is_read or not (kept_value("notes") or kept_value("run_columns")):
        return value
    if isinstance(value, tuple):
        return tuple(_as_read(name, word) for word in value)
    options = SourceOptions(report=shell_report(), run_columns=kept_value("run_columns"))
    return options.target(value) if isinstance(value, str) else value
