"""Options made from functions: types and defaults come from a signature, help and choices from its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from toysearch.cli.commands import flag
from toysearch.cli.options import SHARED, Decorator, option, shared

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
