"""Commands made from functions: what they read, what they call, and how they show the result.

Cyclopts and defopt do the same for any program. They were looked at: importing them takes 55 and 80 ms where click
takes 28, which every search would pay, and neither knows headings or shared options.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import click

from toysearch.cli.commands import READ, READ_OPTIONS, command, kept_value
from toysearch.cli.options import (
    Decorator,
    description,
    documented,
    judged_options,
    model_option,
    models_option,
    output_options,
    reading_of_runs,
    source_options,
    together,
)
from toysearch.cli.output import show, working
from toysearch.cli.sources import study_of
from toysearch.study.study import Study

_SOURCE = ("collection", "analyzer", "index", "queries", "qrels", "progress")
"""Parameters that the source, its options, and the terminal stand for."""
_STUDIED = ("collection", "index")
"""Parameters for which a function takes the study of a source."""
_JUDGED = ("qrels", "threshold")
"""Parameters of a function that reads queries and judgments too."""
_TOGETHER: dict[str, Decorator] = {"model": model_option, "models": models_option}
"""Parameters for which there are several options."""

COLLECTION = click.argument("source", metavar="COLLECTION")


def study_taken(values: dict[str, Any]) -> list[Study]:
    """Return the study of a source, if there is one among the values of the options, which it is taken from."""
    return [study_of(values.pop("source"), values.pop("options"))] if "source" in values else []


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
