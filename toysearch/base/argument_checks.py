"""Arguments of the public functions, compared with their annotations before the call."""

from __future__ import annotations

import errno
import functools
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MappingView, Sequence
from itertools import chain, islice
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TextIO, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from toysearch.base.errors import ArgumentError, a

Function = TypeVar("Function", bound=Callable[..., Any])

_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_ELEMENTS = 100  # of a list, whose types are looked at
_LISTS = (list, tuple, Sequence, Collection, Iterable, Iterator)
_WIDER: dict[Any, Any] = {
    float: Real,  # NumPy numbers too
    int: Integral,
    list: (list, tuple),
    tuple: (Sequence, MappingView, Iterator),  # what is made on the way
    Sequence: (Sequence, MappingView, Iterator),
}
_WORDS: dict[Any, str] = {
    **{float: "a number", int: "a whole number", str: "a text", bool: "True or False", Literal: "a name"},
    **{Path: "a path", os.PathLike: "a path", Mapping: "a dict", dict: "a dict"},
    **{Callable: "a function", np.ndarray: "an array"},
}


def checked(function: Function) -> Function:
    """Decorate a function so that it rejects an argument that does not fit its annotation, in one sentence.

    >>> @checked
    ... def halved(number: float) -> float:
    ...     return number / 2
    >>> halved("ten")
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: number must be a number, not a str
    """
    # Annotations are read at the first call. A parameter is left to the function if its annotation cannot be read at
    # run time (a name imported under TYPE_CHECKING, an alias that is a text) or cannot be tested by `isinstance` (a
    # protocol, a Literal).

    @functools.wraps(function)
    def checking(*args: Any, **kwargs: Any) -> Any:
        plain = _annotated(function)[2]
        for name, value in chain(zip(plain, args, strict=False), kwargs.items()):
            fitting = plain.get(name)
            if fitting is not None and type(value) not in fitting:
                _check(function, args, kwargs)
                break
        try:
            return function(*args, **kwargs)
        except (OSError, OverflowError, ValueError) as error:
            if problem := _problem(error, function, args, kwargs):
                raise ArgumentError(problem) from None
            raise

    return cast(Function, checking)


def _check(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Reject an argument that does not fit its annotation; remember types that fit whatever the value."""
    signature, annotated, plain = _annotated(function)
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError:  # the call itself names the missing argument
        return
    for name, kinds in annotated.items():
        if name in arguments and not any(_fits(arguments[name], kind) for kind in kinds):
            words = list(dict.fromkeys(_word(kind) for kind in kinds if kind not in (None, NoneType)))
            expected = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
            raise ArgumentError(f"{name} must be {expected}, not {_found(arguments[name], kinds)}")
        types, value = plain.get(name), arguments.get(name)
        if types is None or name == "seed" or name not in arguments:
            continue
        if isinstance(value, tuple(types)) or not isinstance(value, list | tuple | Mapping):  # no look at elements
            types.add(type(value))
    seed = arguments.get("seed")
    if isinstance(seed, Integral) and int(seed) < 0:  # random number generators of NumPy take no other
        raise ArgumentError(f"seed must be a whole number of at least 0, not {seed}")


def _problem(error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Say which argument no file can be named, or no float can hold; "" for any other error."""
    if isinstance(error, OSError):
        return f"{error.filename} is too long for the name of a file" if error.errno == errno.ENAMETOOLONG else ""
    if not isinstance(error, OverflowError):
        return "the name of a file cannot hold the character 0; leave it out" if "embedded null" in str(error) else ""
    named = chain(zip(_annotated(function)[0].parameters, args, strict=False), kwargs.items())
    large = [name for name, value in named if _is_large(value)]
    return f"{large[0]} holds a number that is too large: a float holds at most 1.8e308" if large else ""


def _is_large(value: Any, depth: int = 3) -> bool:
    """True for a whole number beyond all floats, also inside of lists and dicts."""
    if isinstance(value, Integral):
        return abs(int(value)) >= 1 << 1024
    inside = chain(*value.items()) if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return depth > 0 and any(_is_large(one, depth - 1) for one in inside)


@functools.cache
def _annotated(
    function: Callable[..., Any],
) -> tuple[inspect.Signature, dict[str, tuple[Any, ...]], dict[str, set[Any] | None]]:
    """Return the signature of a function; the kinds of each parameter with a readable annotation; its plain types.

    An instance of a plain type fits whatever its value; types that are met are added, but not those whose elements
    are looked at. None: any value fits.
    """
    signature, annotated = inspect.signature(function), {}
    for name, parameter in signature.parameters.items():
        if parameter.annotation is parameter.empty or parameter.kind in _REST:
            continue
        kind = parameter.annotation
        try:
            kind = eval(kind, function.__globals__) if isinstance(kind, str) else kind
        except (NameError, TypeError):  # only type checkers know the name, or the text in a union
            continue
        kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        annotated[name] = (*kinds, *([None] if parameter.default is None else []))
    plain = {
        name: {NoneType if kind is None else kind for kind in annotated[name] if kind is None or _is_plain(kind)}
        if name in annotated
        else None
        for name, parameter in signature.parameters.items()
        if parameter.kind not in _REST
    }
    return signature, annotated, plain | ({"seed": set()} if "seed" in plain else {})


def _is_plain(kind: Any) -> bool:
    others = (*_LISTS, Any, TextIO, np.ndarray)
    return isinstance(kind, type) and not (get_args(kind) or kind in others or _is_protocol(kind))


def _is_protocol(kind: type) -> bool:
    return bool(vars(kind).get("_is_protocol"))  # `getattr` would ask the class for a habit of another library


def _fits(value: object, kind: Any) -> bool:
    """Judge a value by its type and by those of its first elements."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin in (None, NoneType):
        return value is None
    if origin is Any or not isinstance(origin, type) or _is_protocol(origin):
        return True  # the function checks the rest, such as the names of a Literal
    if origin is TextIO:  # nothing is an instance of it
        return hasattr(value, "write")
    if origin is np.ndarray:
        return hasattr(value, "__array__") or (isinstance(value, list | tuple) and _holds_numbers(value))
    if origin in _LISTS and isinstance(value, str | bytes):
        return any(isinstance(value, one) for one in inner if isinstance(one, type))
    if origin in (list, tuple, Sequence) and hasattr(value, "__array__"):
        return True
    if not isinstance(value, _WIDER.get(origin, origin)):
        return False
    if isinstance(value, Mapping) and len(inner) == 2:
        return float in inner or all(map(_fits, next(iter(value.items()), ()), inner))
    if isinstance(value, list | tuple | Mapping) and inner and not isinstance(inner[0], list):
        alike = origin is not tuple or ... in inner
        return all(_fits(item, inner[0]) for item in islice(value, _ELEMENTS if alike else 1))
    return True  # an iterator can be read only once


def _holds_numbers(value: object) -> bool:
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, Real | list | tuple) or hasattr(value, "__array__")


def numbers(values: object, name: str) -> np.ndarray:
    """Return numbers as an array, or refuse them in a sentence that names the argument.

    >>> numbers([1, 2], "values")
    array([1., 2.])
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be numbers, not {a(values)}") from None


def _found(value: object, kinds: tuple[Any, ...]) -> str:
    for kind in kinds:
        inner = get_args(kind)
        if isinstance(value, list | tuple | Mapping) and inner and _fits(value, get_origin(kind)):
            first = next(iter(value.items())) if isinstance(value, Mapping) and len(inner) == 2 else list(value)[:1]
            for item, item_kind in zip(first, inner, strict=False):
                if not _fits(item, item_kind):
                    return f"{a(value)} of {type(item).__name__}"
            for item in islice(value, _ELEMENTS):
                if not isinstance(value, Mapping) and not _fits(item, inner[0]):
                    return f"{a(value)} with {a(item)}"
    return a(value)


def _word(kind: Any) -> str:
    origin = get_origin(kind) or kind
    if origin in _LISTS:
        item_types = [one for one in get_args(kind)[:1] if isinstance(one, type) and one is not object]
        return f"a list of {item_types[0].__name__}" if item_types else "a list"
    name = getattr(origin, "__name__", str(origin))
    return _WORDS.get(origin) or f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
