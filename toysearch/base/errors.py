"""Errors and notes, each one sentence: what was found and where, what was expected, what to do."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from os import PathLike
from typing import Any, TypeVar

from toysearch.base import platform
from toysearch.base.wording import cut, edits_from_beginnings, one_line, sentence

__all__ = ["ArgumentError", "DataError", "ModelError", "StorageError", "ToysearchError", "ToysearchNote"]

_MOST_LISTED = 100  # names in a list; more would not help
_MOST_BESIDE_A_GUESS = 20  # names listed after a guess, which is usually right
_LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_SHELL = r"[\\/](IPython|ipykernel)[\\/]"  # the files of notebooks themselves; cells have other names


class ToysearchError(Exception):
    """Error that toysearch raises on purpose; the command line prints it and exits with 2.

    Its text is one line of bounded length without control characters, whatever it quotes from a file. If several
    things need correction, one such line follows for each.
    """

    def __init__(self, message: object = "", details: Iterable[str] = ()) -> None:
        super().__init__("\n  ".join(sentence(str(part)) for part in (message, *details)))

    def _render_traceback_(self) -> list[str]:
        """Return the user's own lines and the sentence for IPython and notebooks, without the lines of the library."""
        import traceback  # most processes print none

        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        cell_of = getattr(getattr(shell, "compile", None), "format_code_name", lambda _: None)  # of a file, in words
        lines = []
        for frame in traceback.extract_tb(self.__traceback__):
            if not frame.filename.startswith(_LIBRARY) and not re.search(_SHELL, frame.filename):
                inside = f", in {frame.name}()" if frame.name.isidentifier() else ""
                place = " ".join(cell_of(frame.filename) or [frame.filename])
                lines += [f"{place}, line {frame.lineno}{inside}", f"    {frame.line}"]
        return [*lines, "", f"{type(self).__name__}: {self}"]


class DataError(ToysearchError, ValueError):
    """Unexpected file, record or collection."""

    problem = ""  # of a line: the sentence without the file and the number of the line


class MissingFiles(DataError):
    """Missing files of a collection in the catalog, which can be downloaded."""

    def __init__(self, collection: str, message: str) -> None:
        super().__init__(message)
        self.collection = collection


class ArgumentError(ToysearchError, ValueError):
    """Unknown name, or a value that is not accepted."""


class UnknownName(ArgumentError):
    """Name that no thing of this kind has."""

    def __init__(self, message: str, kind: str = "", name: str = "") -> None:
        super().__init__(message)
        self.kind, self.name = kind, name


class OtherFunction(ArgumentError):
    """Function of a stored analyzer that is missing or has changed."""


class ModelError(ToysearchError, ValueError):
    """Ranking model that breaks its contract: not elementwise, not finite, or of the wrong shape."""


class StorageError(ToysearchError):
    """Index folder that cannot be read or written: damaged, foreign, newer, or without room left."""


class ToysearchNote(UserWarning):
    """Note that is not an error; the command line prints it on stderr."""


class QueryNote(ToysearchNote):
    """Note on queries that count unlike the others; the command line sums up several, which --notes prints."""


class ReadingNote(ToysearchNote):
    """Note on how files are read: in full where they are indexed or checked, else the command line prints its head."""


class NoMatchNote(ToysearchNote):
    """Note on why no document can match; no further note is needed."""


_COLLECTED: ContextVar[list[ToysearchNote] | None] = ContextVar("collected", default=None)


def refuse_in_a_tab(what: str, instead: str = "run it with toysearch on a computer") -> None:
    """Refuse, in a tab of a browser, what needs processes, servers or packages that a browser lacks."""
    if platform.ALONE:
        raise ArgumentError(f"{what} cannot be had in a tab of a browser: {instead}")


def note(message: str | ToysearchNote, kind: type[ToysearchNote] = ToysearchNote) -> None:
    """Issue a note that is not an error: a Python warning of the user's line; a line on stderr in the command line."""
    warning = message if isinstance(message, ToysearchNote) else kind(sentence(message))
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(warning)
        return
    caller, level = sys._getframe(1), 2
    while caller.f_back is not None and caller.f_code.co_filename.startswith(_LIBRARY):
        caller, level = caller.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


def _formatted(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    if issubclass(category, ToysearchNote):
        return f"note: {message}\n"
    return _format_of_others(message, category, filename, lineno, line)


_format_of_others = warnings.formatwarning
warnings.formatwarning = _formatted


T = TypeVar("T")


@contextmanager
def holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Give a variable another value in a context."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def go_on() -> None:
    """Raise the exception with which the caller of this work wants it to end, if any."""
    check = _CHECK.get()
    if check is not None:
        check()


def ended_by(check: Callable[[], None]) -> AbstractContextManager[None]:
    """Let work of this thread ask `check` between its steps while this lasts; it raises to end the work.

    >>> def refuse():
    ...     raise TimeoutError("enough")
    >>> with ended_by(refuse):
    ...     go_on()
    Traceback (most recent call last):
    TimeoutError: enough
    """
    return holding(_CHECK, check)


@contextmanager
def collected_notes() -> Iterator[list[ToysearchNote]]:
    """Collect the notes that this thread issues meanwhile, instead of warnings, which all threads share.

    >>> with collected_notes() as notes:
    ...     note("no document contains a term of the query")
    >>> [str(each) for each in notes]
    ['no document contains a term of the query']
    """
    notes: list[ToysearchNote] = []
    with holding(_COLLECTED, notes):
        yield notes


@contextmanager
def without_notes() -> Iterator[None]:
    """Suppress notes that contain nothing new for the user."""
    if _COLLECTED.get() is not None:
        with collected_notes():
            yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        yield


def malformed(path: str | PathLike[str], line: int, problem: str) -> DataError:
    """Return the error for a line of a file, which may say itself how it is named."""
    at = getattr(path, "at", None)
    error = DataError(f"{at(line) if at else f'{path}:{line}'}: {problem}")
    error.problem = sentence(problem)
    return error


def unknown(
    kind: str, name: object, choices: Iterable[str], plural: str | None = None, *, listed: str = ""
) -> ArgumentError:
    """Return the error for a name that is not among the choices, with the nearest choice or a list of them.

    A list of many is not shown if ``listed`` says where it is: "`toysearch models` lists all".
    """
    name = cut(one_line(str(name)), 60)
    rest = _which_there_are(name, list(choices), plural or f"{kind}s", listed)
    return UnknownName(f"unknown {kind} '{name}'{rest}", kind, name)


def expect_name(kind: str, name: object, choices: Collection[str], plural: str | None = None) -> None:
    """Reject a name that is not among the choices."""
    if not isinstance(name, str) or name not in choices:
        raise unknown(kind, name, choices, plural)


def has_no(owner: str, kind: str, name: str, choices: Iterable[str]) -> ArgumentError:
    """Return the error for a part that something does not have: "bm25 has no parameter 'k'; did you mean 'k1'? …"."""
    names = list(choices)
    if not names:
        return ArgumentError(f"{owner} has no {kind}s; leave out {name}")
    return ArgumentError(f"{owner} has no {kind} '{name}'{_which_there_are(name, names, f'{kind}s of {owner}', '')}")


def _which_there_are(name: str, known: list[str], plural: str, listed: str) -> str:
    """End a sentence about an unknown name with the nearest choice, and a list of them or its place."""
    guess = near_name(name, known)
    hint = guess or "."
    many = len(known) > _MOST_BESIDE_A_GUESS
    if listed and many and not guess:
        return f"; {listed}"
    if guess and many:  # a long list is not shown after a guess
        return hint
    choices = ", ".join(known) if len(known) <= _MOST_LISTED else f"{', '.join(known[:10])}, … ({len(known)} in all)"
    return f"{hint} {plural[0].upper()}{plural[1:]}: {choices}"


def near_name(name: str, choices: Iterable[str]) -> str:
    """End a sentence about an unknown name: "; did you mean 'log'?", or nothing if no choice is near."""
    near = nearest(name, choices)
    return f"; did you mean '{near[0]}'?" if near else ""


def nearest(name: str, choices: Iterable[str]) -> list[str]:
    """Return the choices that a name is a slip away from; else the first that it begins, that begins it, or it ends.

    >>> nearest("compraison", ["compare", "comparison"]), nearest("et", ["set", "get"])
    (['comparison'], ['set', 'get'])
    >>> nearest("port", ["sort"])
    ['sort']
    """
    typed, lowered = name.lower(), {choice.lower(): choice for choice in reversed([*choices])}
    if typed in lowered or typed.isdigit():
        return [lowered[typed]] if typed in lowered else []
    names = [*reversed(lowered)]
    most = 2 if len(typed) > _SHORT else 1
    wrong = _slips_of if len(typed) < _SHORTEST else (lambda key, other: 1)
    among = [low for low in names if len(low) > 1 and abs(len(low) - len(typed)) <= most]
    slips = {low: edits_from_beginnings(typed, low, most, wrong)[-1] for low in among}
    least = min(slips.values(), default=most + 1)
    near = [low for low, n in slips.items() if n == least <= most]
    longest = len(typed) + 3 if len(typed) < _BEGUN else max(map(len, names), default=0)
    near = near or [low for low in names if typed and low.startswith(typed) and len(low) <= longest][:1]
    near = near or [low for low in names if len(low) > 3 and typed.startswith(low)][:1]
    near = near or [low for low in names if len(typed) > 2 and low.endswith(typed)][:1]
    return [lowered[low] for low in near]


_SHORTEST, _BEGUN, _SHORT = 3, 4, 5  # letters: two slips leave a longer name recognisable
_KEYS = {
    key: (row, place + row / 2)
    for row, keys in enumerate(("1234567890-", "qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for place, key in enumerate(keys)
}


def _slips_of(key: str, other: str) -> int:
    """Count one slip for a key typed instead of a neighbouring one, two for any other."""
    (row, place), (other_row, other_place) = _KEYS.get(key, (9, 0)), _KEYS.get(other, (-9, 0))
    return 1 if abs(row - other_row) <= 1 and abs(place - other_place) <= 1 else 2


def a(value: object) -> str:
    """Return the type of a value, with its article, for a message."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


class Remedy:
    """Call of a public function with the argument that solves the problem of a message; the front end words it.

    function : the name in front of `toysearch`, or the whole path of the module and the function; "" for any
    first : what is given by place, if there is nothing else to give
    settings : the arguments by name; ``...`` is a value that only the user knows

    >>> str(Remedy("Index.build", positions=True)), str(Remedy("", qrels=...))
    ('Index.build(…, positions=True)', 'qrels=…')
    """

    def __init__(self, function: str, *first: str, **settings: Any) -> None:
        self.function, self.first, self.settings = function, first, settings

    def __str__(self) -> str:
        return FRONT_ENDS[-1](self)


def in_python(remedy: Remedy) -> str:
    """Write a remedy as a call in Python."""
    arguments = [*map(repr, remedy.first)] or ["…"]
    settings = []
    for name, value in remedy.settings.items():
        written = f"Analyzer.parse({value!r})" if name == "analyzer" else repr(value)
        settings.append(f"{name}={'…' if value is ... else written}")
    return f"{remedy.function}({', '.join([*arguments, *settings])})" if remedy.function else ", ".join(settings)


FRONT_ENDS: list[Callable[[Remedy], str]] = [in_python]
"""Writers of remedies, of which the last is in use. The command line adds its own while a command runs."""
