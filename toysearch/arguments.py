"""Arguments of the public functions, held against their annotations before the call."""

from __future__ import annotations

import builtins
import collections.abc
import functools
import inspect
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from numbers import Integral, Real
from typing import Any, Literal, TypeVar

import numpy as np

import toysearch
from toysearch.errors import ArgumentError, a

Function = TypeVar("Function", bound=Callable[..., Any])

_LISTS = (collections.abc.Sequence, collections.abc.MappingView, collections.abc.Iterator)
_WIDER: dict[Any, Any] = {float: Real, int: Integral, list: list | tuple} | dict.fromkeys(
    (tuple, collections.abc.Sequence), _LISTS
)  # numbers of NumPy too, and what is made on the way
_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_MANY = (Iterable, collections.abc.Sequence, collections.abc.Collection, collections.abc.Iterator)


def checked(function: Function) -> Function:
    """A function that refuses an argument of a kind that its annotation does not have, in a sentence.

    What an annotation leaves open (a protocol, a name that only type checkers know) is left to the function.

    >>> def halved(number: float) -> float:
    ...     return number / 2
    >>> checked(halved)("ten")
    Traceback (most recent call last):
    toysearch.errors.ArgumentError: number must be a number, not a str
    """

    @functools.wraps(function)
    def checking(*args: Any, **kwargs: Any) -> Any:
        signature, kinds = _kinds(function)
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # the call itself says what it lacks
            return function(*args, **kwargs)
        for name, kind in kinds.items():
            if name in given and not _fits(given[name], kind):
                raise ArgumentError(f"{name} must be {_words(kind)}, not {_found(given[name], kind)}")
        return function(*args, **kwargs)

    return typing.cast(Function, checking)


@functools.cache
def _kinds(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    """The signature of a function, and the kinds of those parameters of which the annotation can be read here."""
    signature, kinds = inspect.signature(function), {}
    names, known = function.__globals__, _Names(function.__globals__)
    for name, parameter in signature.parameters.items():
        if parameter.annotation is parameter.empty or parameter.kind in _REST:
            continue
        kind = parameter.annotation
        try:
            kind = eval(kind, names, known) if isinstance(kind, str) else kind
        except (TypeError, AttributeError):  # an alias that is a text, in a union
            continue
        kinds[name] = kind if parameter.default is not None else typing.Optional[kind]  # noqa: UP045
    return signature, kinds


class _Names(dict[str, Any]):
    """The names of a module; beyond them, those that only type checkers see there: public ones, or anything."""

    def __missing__(self, name: str) -> Any:
        if name in vars(builtins):
            return vars(builtins)[name]
        return getattr(toysearch, name) if name in toysearch.__all__ else Any


def _fits(value: object, kind: Any) -> bool:
    """Whether a value is of a kind, as far as one can tell from itself and the first that it holds."""
    if kind is None or kind is type(None):
        return value is None
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, each) for each in inner)
    wanted = origin or kind
    if kind is Any or not isinstance(wanted, type) or getattr(wanted, "_is_protocol", False):
        return True  # of a Literal the function knows which names there are, and lists them
    if wanted.__module__ == "typing":  # TextIO and its like, of which nothing is an instance
        return hasattr(value, "write")
    if wanted.__module__ == "numpy":
        return hasattr(value, "__array__") or (isinstance(value, list | tuple) and _numbers(value))
    if isinstance(value, str | bytes) and wanted in (*_MANY, list, tuple):
        return any(isinstance(value, each) for each in inner if isinstance(each, type))
    if wanted in (list, tuple, collections.abc.Sequence) and hasattr(value, "__array__"):
        return True
    if not isinstance(value, _WIDER.get(wanted, wanted)):
        return False
    return all(_fits(held, each) for held, each in _first(value, inner))


def numbers(values: object, name: str) -> np.ndarray:
    """Numbers in an array, or a sentence that names the argument.

    >>> numbers([1, 2], "values")
    array([1., 2.])
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be numbers, not {a(values)}") from None


def _numbers(value: object) -> bool:
    """Whether the first of a list, or the first of its first, is a number; or there is none."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, Real | list | tuple) or hasattr(value, "__array__")


def _first(value: object, inner: tuple[Any, ...]) -> Iterable[tuple[object, Any]]:
    """The first that a value holds, with its kind; nothing of what can be read only once."""
    if isinstance(value, Mapping) and float in inner:  # of numbers the function says more
        return []
    if isinstance(value, Mapping) and len(inner) == 2:
        return [pair for item in list(value.items())[:1] for pair in zip(item, inner, strict=True)]
    if isinstance(value, list | tuple | Mapping) and inner and not isinstance(inner[0], list):
        return [(held, inner[0]) for held in islice(value, 1)]
    return []


def _found(value: object, kind: Any) -> str:
    """What was given, in words; of several in a list or a dict the first one, if that is the trouble."""
    for origin, inner in ((typing.get_origin(each), typing.get_args(each)) for each in _alternatives(kind)):
        if isinstance(origin, type) and isinstance(value, _WIDER.get(origin, origin)):
            for held, each in _first(value, inner):
                if not _fits(held, each):
                    return f"{a(value)} of {type(held).__name__}"
    return a(value)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,)


def _words(kind: Any) -> str:
    """A kind in words: "a Run, a dict or a path"."""
    words = list(dict.fromkeys(_word(each) for each in _alternatives(kind) if each is not type(None)))
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _word(kind: Any) -> str:
    origin, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is Literal:
        return "a name"
    plain = {float: "a number", int: "a whole number", str: "a text", bool: "True or False", os.PathLike: "a path"}
    if origin in plain:
        return plain[origin]
    name = getattr(origin, "__name__", str(origin))
    if name == "Path":
        return "a path"
    if name in ("Mapping", "dict"):
        return "a dict"
    if name in ("Callable", "ndarray"):
        return {"Callable": "a function", "ndarray": "an array"}[name]
    if origin in (*_MANY, list, tuple):
        held = [each for each in inner[:1] if isinstance(each, type) and each is not object]
        return f"a list of {held[0].__name__}" if held else "a list"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
