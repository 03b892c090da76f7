"""Which of several arguments are runs and which the judgments: tools differ in what comes first."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

import toysearch
from toysearch.arguments import checked
from toysearch.formats.detect_run_or_qrels import ambiguous, form_of
from toysearch.formats.frames import is_frame
from toysearch.formats.run_and_qrels import is_file
from toysearch.formats.table_columns import header_of
from toysearch.records import Qrels, Ranking, Run

Taken = Literal["run", "qrels", "either", "searcher"] | None
P = ParamSpec("P")
T = TypeVar("T")


def either_order(n: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator for a function whose first arguments are runs and, last of them, judgments: in any order.

    What is recognised goes where it belongs. Where two could each be the judgments, they have to be named. Arguments
    that are named are what they are called.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        ordered = checked(function)

        @functools.wraps(function)
        def ordering(*args: P.args, **kwargs: P.kwargs) -> T:
            if len(args) >= n:
                return ordered(*runs_first(args[:n]), *args[n:], **kwargs)  # type: ignore[arg-type]
            return ordered(*args, **kwargs)

        # doctest passes over a function that another module has wrapped, unless __test__ names it.
        function.__globals__.setdefault("__test__", {})[function.__name__] = function.__doc__
        return ordering

    return decorate


def runs_first(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Runs and one set of judgments with the judgments last."""
    taken = [taken_for(value) for value in given]
    for kind in ("qrels", "either", "searcher"):  # a searcher ranks, unless nothing else can be the judgments
        places = [place for place, one in enumerate(taken) if one == kind]
        if kind == "either" and len(places) > 1:
            raise ambiguous([_shown(given[place], place) for place in places])
        if len(places) == 1:
            (place,) = places
            return (*given[:place], *given[place + 1 :], given[place])
        if places:
            break
    return given  # whoever reads them says what is wrong


def taken_for(value: Any) -> Taken:
    """What a value can only be, a run or judgments; "either" where nothing tells; None where it is neither."""
    if isinstance(value, Run | Ranking):
        return "run"
    if isinstance(value, Qrels):
        return "qrels"
    if isinstance(value, str | Path):
        return _of_path(value)
    if is_frame(value):
        header = header_of("\t".join(map(str, value.columns)))
        return header.kind or "either" if header else None
    if isinstance(value, Mapping):
        return _of_mapping(value)
    if isinstance(value, toysearch.Searcher):
        return "searcher"
    return "qrels" if isinstance(value, toysearch.Collection | toysearch.Index) else None


def _of_path(path: str | Path) -> Taken:
    if not is_file(path):
        return "qrels"
    if str(path) != "-" and not Path(path).is_file():
        return None
    form = form_of(path)
    return "either" if form.either else form.kind


def _of_mapping(value: Mapping[Any, Any]) -> Taken:
    """Of an object of objects with numbers nothing tells; lists are rankings, and what is deeper holds several runs."""
    first = next(iter(value.values()), None)
    if isinstance(first, Mapping):
        return "run" if isinstance(next(iter(first.values()), None), Mapping | list | tuple) else "either"
    return None if first is None else "run"


def _shown(value: Any, place: int) -> str:
    return str(value) if isinstance(value, str | Path) else f"argument {place + 1} (a {type(value).__name__})"
