"""Runs and judgments in any form: files, mappings, data frames, in either order."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar

import numpy as np

import toysearch
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, DataError, a
from toysearch.base.ranking import Ranking
from toysearch.base.records import Qrels, Run, columns_of
from toysearch.formats.column_names import header_of, places_of
from toysearch.formats.detection import ambiguous, form_of, is_file
from toysearch.formats.qrels import read_qrels
from toysearch.formats.runs import read_run, run_by_rank

if TYPE_CHECKING:
    from toysearch.corpus.collection import Collection

_PLAIN_NAME = re.compile(r"\w[\w-]*")  # no path, and no name of a file, but perhaps of a model


def is_frame(source: object) -> bool:
    """Whether a value is a data frame: it has ``columns`` and returns a column by its name."""
    return hasattr(source, "columns") and hasattr(source, "__getitem__") and not isinstance(source, Mapping)


def run_of_frame(frame: Any) -> Run:
    """The run in a data frame with the columns query_id, doc_id and score (or rank), or their synonyms."""
    by, groups, columns = _groups(frame, ("score", "rank"), "a run")
    tags = columns.get("tag")
    name = str(tags[0]) if tags else "run"
    return run_by_rank(groups, name) if by == "rank" else Run.from_dict(groups, name=name)


def qrels_of_frame(frame: Any) -> Qrels:
    """The judgments in a data frame with the columns query_id, doc_id and relevance, or their synonyms."""
    _, groups, _ = _groups(frame, ("relevance", "score"), "judgments")
    return Qrels.from_dict(groups)


def _groups(
    frame: Any, among: Sequence[str], what: str
) -> tuple[str, dict[str, dict[str, float]], dict[str, list[Any]]]:
    """The kind of the values; query_id → doc_id → value; and the known columns, as lists."""
    labels = list(frame.columns)
    places = places_of(labels)
    missing = [holds for holds in ("query_id", "doc_id") if holds not in places]
    missing += [" or ".join(among)] * (not any(holds in places for holds in among))
    if missing:
        found = ", ".join(map(str, labels)) or "none"
        raise DataError(f"the data frame of {what} has no column {missing[0]}; its columns: {found}")
    columns = {holds: _listed(frame[labels[place]]) for holds, place in places.items()}
    by = next(holds for holds in among if holds in places)
    groups: dict[str, dict[str, float]] = {}
    rows = zip(columns["query_id"], columns["doc_id"], columns[by], strict=True)
    for number, (query, doc, value) in enumerate(rows, 1):
        query_id, doc_id = _id("query_id", query, number), _id("doc_id", doc, number)
        group = groups.setdefault(query_id, {})
        if doc_id in group:
            raise DataError(f"row {number} of the data frame: query '{query_id}' has document '{doc_id}' twice")
        group[doc_id] = _number(by, value, number)
    return by, groups, columns


def _listed(column: Any) -> list[Any]:
    for method in ("to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _id(holds: str, value: object, number: int) -> str:
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, bool) and isinstance(value, Integral):
        return str(int(value))
    found = repr(value) if value is not None and value != "" else "nothing"
    problem = f"ids must be strings, but the {holds} is {found}; read that column as strings (dtype=str)"
    raise DataError(f"row {number} of the data frame: {problem}")


def _number(by: str, value: object, number: int) -> float:
    if isinstance(value, Real):
        read = float(value)
        if math.isfinite(read) or (by == "score" and not math.isnan(read)):
            return read
    raise DataError(f"row {number} of the data frame: expected a number as {by}, found {value!r}")


class Frame(Protocol):
    """A data frame, such as those of pandas and polars: it has columns, accessed by name."""

    @property
    def columns(self) -> Any:
        """The column names."""
        ...

    def __getitem__(self, name: Any, /) -> Any: ...


RunLike = Run | Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]] | Frame | str | Path
RunsLike = Mapping[str, RunLike] | Iterable[RunLike]
QrelsLike: TypeAlias = "Qrels | Mapping[str, Mapping[str, float]] | Frame | str | Path | Collection"


class Graded(NamedTuple):
    """Judgments, and the relevance threshold if a collection states one."""

    qrels: Qrels
    threshold: float | None = None


def as_run(source: RunLike) -> Run:
    """The given run, checked: it has a query, and each score is a number."""
    if isinstance(source, str) and _PLAIN_NAME.fullmatch(source) and not Path(source).exists():
        raise DataError(
            f"{source}: there is no such file; a run by a model is Searcher(collection, '{source}')"
            ".run(collection.queries)"
        )
    if isinstance(source, str | Path):
        return read_run(source)
    if isinstance(source, Run):
        run = source
    elif not isinstance(source, Mapping):
        if not is_frame(source):
            raise ArgumentError(f"a run is a Run, a dict, a data frame or the path of a file, not {a(source)}")
        run = run_of_frame(source)
    elif source and all(isinstance(group, Mapping) for group in source.values()):
        _check_types(source, "score")
        run = Run.of_groups(source)  # type: ignore[arg-type]  # no list is left
    else:
        rankings = [_ranking(query_id, group) for query_id, group in source.items()]
        _check_types({ranking.query_id: ranking.doc_ids for ranking in rankings})
        run = Run.from_rankings(rankings)
    if not run.query_ids:
        raise DataError("the run is empty; expected at least one query with its ranking")
    refused = np.isnan(run.values)
    if refused.any():
        raise _no_number(run, refused, "score")
    return run


def named_runs(runs: RunsLike) -> list[tuple[str, Run]]:
    """Several runs with their names, which may repeat.

    >>> [name for name, _ in named_runs({"mine": {"1": ["a"]}, "theirs": {"1": {"a": 0.5}}})]
    ['mine', 'theirs']
    """
    several = isinstance(runs, Iterable) and not isinstance(runs, str | Path | Run | Qrels | Ranking)
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        single = isinstance(first, Mapping) and not isinstance(next(iter(first.values()), {}), Mapping | Sequence)
        if not single and not isinstance(first, list | tuple | Ranking):
            return [(str(name), as_run(run)) for name, run in runs.items()]
        several = False
    if not several or is_frame(runs):
        one = "one run" if isinstance(runs, str | Path | Run | Mapping) or is_frame(runs) else a(runs)
        raise ArgumentError(f"expected several runs, in a list or in a dict of name to run; found {one}")
    return [(run.name, run) for run in map(as_run, runs)]


def as_qrels(source: QrelsLike) -> Qrels:
    """The given judgments, as `judgments_of` takes them."""
    return judgments_of(source).qrels


def judgments_of(source: QrelsLike) -> Graded:
    """The given judgments, checked: there is at least one, and each grade is a finite number.

    >>> judgments_of("cat-dog-parrot").threshold, judgments_of({"1": {"a": 2}}).qrels["1"]
    (0.5, {'a': 2.0})
    """
    if isinstance(source, str | Path):
        if is_file(source):
            return Graded(read_qrels(source))
        source = toysearch.load(source)
    if isinstance(source, Qrels):
        qrels = source
    elif isinstance(source, Mapping):
        for query_id, group in source.items():
            if not isinstance(group, Mapping):
                raise ArgumentError(
                    f"query {query_id!r} of the judgments: expected a dict of doc_id to grade, found {a(group)}"
                )
        _check_types(source, "grade")
        qrels = Qrels(*columns_of(source))
    elif is_frame(source):
        qrels = qrels_of_frame(source)
    else:
        return _of_collection(source)
    if not qrels.values.size:
        raise DataError("the judgments are empty; expected at least one query with a judged document")
    refused = ~np.isfinite(qrels.values)
    if refused.any():
        raise _no_number(qrels, refused, "grade")
    return Graded(qrels)


def _of_collection(source: Any) -> Graded:
    """The judgments of a collection, and its threshold."""
    if not isinstance(source, toysearch.Collection):
        raise ArgumentError(
            f"judgments are Qrels, a dict, a data frame, the path of a file or a collection, not {a(source)}"
        )
    if not len(source.qrels):
        raise DataError(
            f"collection '{source.name}' has no judgments; give a collection that has some, or a file of judgments"
        )
    return Graded(source.qrels, source.threshold)


def _ranking(query_id: str, group: Any) -> Ranking:
    if isinstance(group, Ranking):
        return Ranking(query_id, group.doc_ids, group.scores)
    if isinstance(group, Sequence) and not isinstance(group, str):
        return Ranking(query_id, group, np.arange(len(group), 0, -1))
    raise ArgumentError(
        f"query {query_id!r} of the run: expected a list of doc_ids, best first (or, for all queries, a dict of "
        f"doc_id to score), found {a(group)}"
    )


def _check_types(groups: Mapping[str, Iterable[str]], numbers: str = "") -> None:
    """Refuse ids that are not strings (1 and "1" would never match), and values that are not numbers."""
    for query_id, group in groups.items():
        if not isinstance(query_id, str):
            raise ArgumentError(f"ids must be strings, but a query_id is {query_id!r}; write {str(query_id)!r}")
        try:  # to join all ids and to add all numbers is quicker than to look at each
            "".join(group)
            if not isinstance(group, Mapping) or type(sum(group.values())) in (int, float):
                continue
        except (TypeError, ValueError, ArithmeticError):
            pass
        _check_each(query_id, group, numbers)


def _check_each(query_id: str, group: Iterable[str], numbers: str) -> None:
    for doc_id in group:
        if not isinstance(doc_id, str):
            raise ArgumentError(
                f"ids must be strings, but query {query_id!r} has the doc_id {doc_id!r}; write {str(doc_id)!r}"
            )
    for doc_id, found in group.items() if isinstance(group, Mapping) else ():
        if not isinstance(found, Real):
            raise _not_a_number(numbers, query_id, doc_id, found)


def _no_number(rows: Run | Qrels, refused: np.ndarray, what: str) -> DataError:
    """The error for the first value that is refused."""
    row = int(np.flatnonzero(refused)[0])
    return _not_a_number(what, rows.query_of(row), rows.doc_ids[row], float(rows.values[row]))


def _not_a_number(what: str, query_id: str, doc_id: str, found: object) -> DataError:
    return DataError(f"query '{query_id}', document '{doc_id}': expected a number as {what}, found {found!r}")


Taken = Literal["run", "qrels", "either", "searcher"] | None
P = ParamSpec("P")
T = TypeVar("T")


def either_order(n: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that accepts runs and judgments as first arguments in any order, and passes the judgments last."""
    # If two arguments could each be the judgments, they must be keyword arguments. Keyword arguments are passed on.

    return lambda function: checked(
        function, lambda args: (*runs_first(args[:n]), *args[n:]) if len(args) >= n else args
    )


def runs_first(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Runs and one set of judgments with the judgments last."""
    taken = [taken_for(value) for value in given]
    for kind in ("qrels", "either", "searcher"):  # a searcher is a run unless nothing else can be the judgments
        places = [place for place, one in enumerate(taken) if one == kind]
        if kind == "either" and len(places) > 1:
            raise ambiguous([_shown(given[place], place) for place in places])
        objects = [place for place in places if not isinstance(given[place], str)]
        if len(places) == 1 or len(objects) == 1:  # a text may also be the name of a model
            (place,) = objects if len(objects) == 1 else places
            return (*given[:place], *given[place + 1 :], given[place])
        if places:
            break
    return given  # their reader reports the problem


def taken_for(value: Any) -> Taken:
    """The kind of a value: a run, judgments, "either" if it could be both, or None."""
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
    if str(path) != "-" and "://" not in str(path) and not Path(path).is_file():
        return None
    form = form_of(path)
    return "either" if form.either else form.kind


def _of_mapping(value: Mapping[Any, Any]) -> Taken:
    """The kind of a mapping: either for numbers; a run for lists; several runs if it nests deeper."""
    first = next(iter(value.values()), None)
    if isinstance(first, Mapping):
        return "run" if isinstance(next(iter(first.values()), None), Mapping | list | tuple) else "either"
    return None if first is None else "run"


def _shown(value: Any, place: int) -> str:
    return str(value) if isinstance(value, str | Path) else f"argument {place + 1} (a {type(value).__name__})"
