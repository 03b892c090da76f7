"""Runs in files of any format."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.errors import DataError, Problems, malformed, unknown
from toysearch.base.ranking import Ranking
from toysearch.base.records import Run, trec_eval_order
from toysearch.formats import trec
from toysearch.formats.column_names import rows_of
from toysearch.formats.detection import form_of
from toysearch.formats.text_files import finite_value, not_a_number, numbered_lines
from toysearch.formats.trec import falling, score_of
from toysearch.formats.writing import format_of_name, table_texts, write_texts

if TYPE_CHECKING:
    from toysearch.formats.run_and_qrels import RunLike

__all__ = ["read_run", "write_run"]


def read_nested(path: str | Path, what: str) -> dict[str, dict[str, float] | list[str]]:
    """The object of a JSON file, checked: for each query a list of doc_ids or an object of doc_id → number."""
    text = "\n".join(line for _, line in numbered_lines(path))
    try:
        groups = json.loads(text, object_pairs_hook=_once)
    except _TwiceError as error:
        key = error.args[0]
        second = text.find(json.dumps(key, ensure_ascii=False), text.find(json.dumps(key, ensure_ascii=False)) + 1)
        problem = f"'{key}' is a key of one object twice, and JSON keeps only one; remove the other"
        raise malformed(path, _line(text, second), problem) from None
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" starting at")
        problem = f"expected a JSON object of objects, query_id to doc_id to {what}; {why} at column {error.colno}"
        raise malformed(path, error.lineno, problem) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or as many nested brackets
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise malformed(path, 1, f"expected a JSON object of objects, query_id to doc_id to {what}; {why}") from None
    if not isinstance(groups, dict) or not groups:
        found = "an empty one" if isinstance(groups, dict) else f"{_kind(groups)}"
        raise DataError(f"{path}: expected a JSON object of objects, query_id to doc_id to {what}, found {found}")
    for query_id, group in groups.items():
        _check(path, text, query_id, group, what)
    return groups


def nested_texts(groups: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The lines of a JSON file, one per query."""
    if not groups:
        return ["{}\n"]
    lines = []
    for query_id, group in groups.items():
        numbers = ", ".join(f"{json.dumps(doc_id, ensure_ascii=False)}: {number}" for doc_id, number in group.items())
        lines.append(f"{json.dumps(query_id, ensure_ascii=False)}: {{{numbers}}}")
    return ["{\n", ",\n".join(lines), "\n}\n"]


class _TwiceError(Exception):
    """A key that occurs twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        raise _TwiceError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return made


def _check(path: str | Path, text: str, query_id: str, group: Any, what: str) -> None:
    """Refuse a value that is neither an object of numbers nor a list of strings (checking each type once is fast)."""
    if isinstance(group, list) and what == "score":
        wrong = [doc_id for doc_id in group if not isinstance(doc_id, str)]
        if wrong:
            problem = f"query '{query_id}': expected a list of doc_ids, found {_kind(wrong[0])} in it"
            raise malformed(path, _line_of(text, query_id), problem)
        if len(set(group)) < len(group):
            twice = next(doc_id for place, doc_id in enumerate(group) if doc_id in group[:place])
            problem = f"query '{query_id}' has document '{twice}' twice; keep one of the two"
            raise malformed(path, _line_of(text, query_id, twice), problem)
        return
    if not isinstance(group, dict):
        problem = f"query '{query_id}': expected an object of doc_id to {what}, found {_kind(group)}"
        raise malformed(path, _line_of(text, query_id), problem)
    if all(finite_value(value) is not None for value in group.values()):
        return
    for doc_id, value in group.items():
        if finite_value(value) is None and not _is_infinity(value, text):
            problem = f"query '{query_id}', document '{doc_id}': expected a number as {what}, found {_shown(value)}"
            raise malformed(path, _line_of(text, query_id, doc_id), problem)


def _is_infinity(value: object, text: str) -> bool:
    """Whether a value was written as infinite, like the logarithm of 0, and is not merely too large."""
    return type(value) is float and math.isinf(value) and "Infinity" in text


def _line_of(text: str, *keys: str) -> int:
    """The line of the last key, each key searched for after the previous one."""
    place = 0
    for key in keys:
        place = max(place, text.find(json.dumps(key, ensure_ascii=False), place))
    return _line(text, place)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, max(place, 0)) + 1


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _shown(value: object) -> str:
    if (isinstance(value, float) and math.isinf(value)) or type(value) is int:
        return "a number that is too large"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | float | bool) else _kind(value)


FORMATS = ("trec", "tsv", "csv", "json")
"""The formats for writing runs and judgments."""


@checked
def read_run(path: str | Path) -> Run:
    r"""The run in a file of any format.

    ==========  =====================================================================================
    TREC        ``query_id Q0 doc_id rank score tag`` with any white space between
    CSV, TSV    a header that names query_id, doc_id and score, or rank if there is no score
    JSON        an object of objects, query_id → doc_id → score; or query_id → list of doc_ids
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input.

    Returns
    -------
    Run
        With ``ranked=False``: the scores decide the order. A JSON list or a table with ranks but no scores gives
        ``ranked=True``. The name of the run is the tag, else the file name.

    Raises
    ------
    DataError
        If the file is empty or malformed, a score is not a number, or a query has a document twice; the error names
        the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mine.csv")
    >>> _ = path.write_text("qid,docno,score\nq1,a,0.5\nq1,b,2\n")
    >>> read_run(path).name, read_run(path)["q1"]
    ('mine', {'a': 0.5, 'b': 2.0})
    """
    layout = form_of(path).layout
    if layout == "json":
        return _from_json(path)
    return _from_table(path) if layout == "table" else trec.read_trec_run(path)


@checked
def write_run(run: RunLike, file: TextIO | str | Path, form: str | None = None) -> None:
    """Write a run so that every reader sees the same order of documents.

    Readers order by score, trec_eval by score as a 32-bit float, and equal scores by doc_id. A score that is not lower
    than the one above it, as a 32-bit float, is therefore written as the next lower float; nine significant digits
    distinguish any two floats.

    Parameters
    ----------
    run : Run, dict, data frame or path
        As `evaluate` takes it. A run with ``ranked=False`` is first put in the order of trec_eval.
    file : file open for text, or path
        A path is written to a temporary file beside it, which then replaces it: after a failure the old file is
        still complete. A path that ends in ``.gz`` is gzipped.
    form : {"trec", "tsv", "csv", "json"}, optional
        The default is the suffix of the file, else ``trec``.

    Raises
    ------
    ArgumentError
        If the form is unknown.
    DataError
        If a score is not a number (NaN), or the form cannot carry an id.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> run = Run.from_rankings([Ranking("1", ["a", "b"], [0.5, 0.5])], name="mine")
    >>> write_run(run, sys.stdout)
    1 Q0 a 1 0.5 mine
    1 Q0 b 2 0.49999997 mine
    >>> write_run(run, sys.stdout, "csv")
    query_id,doc_id,rank,score
    1,a,1,0.5
    1,b,2,0.49999997
    """
    from toysearch.formats.run_and_qrels import as_run  # it imports this module

    form = form or format_of_name(file)
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    run = run if isinstance(run, Run) else as_run(run)
    if form == "trec":
        trec.write_trec_run(run, file)
        return
    run = run if run.ranked else trec_eval_order(run)
    for row in np.flatnonzero(np.isnan(run.scores))[:1].tolist():
        where = f"query '{run.query_of(row)}', document '{run.doc_ids[row]}'"
        raise DataError(f"{where}: expected a number as score, found nan")
    if form == "json":
        write_texts(nested_texts({query_id: dict(rows) for query_id, rows in _written(run)}), file)
        return
    header = ["query_id", "doc_id", "rank", "score"]
    rows = (
        [query_id, doc_id, str(rank), score]
        for query_id, scored in _written(run)
        for rank, (doc_id, score) in enumerate(scored, 1)
    )
    write_texts(table_texts(header, rows, form), file)


def _written(run: Run) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each query with its documents and their scores as written."""
    for query_id in run.query_ids:
        rows = run.rows(query_id)
        scores = [f"{score:.9g}" for score in falling(run.scores[rows]).tolist()]
        yield query_id, list(zip(run.doc_ids[rows], scores, strict=True))


def _from_json(path: str | Path) -> Run:
    groups = read_nested(path, "score")
    name = _name(path)
    if not any(isinstance(group, list) for group in groups.values()):
        return Run.from_dict(groups, name=name)  # type: ignore[arg-type]  # no list is left
    for query_id, group in groups.items():
        if not isinstance(group, list):
            raise DataError(
                f"{path}: query '{query_id}' has scores, others have lists of doc_ids; give all queries the same"
            )
    rankings = [Ranking(query_id, list(group), np.arange(len(group), 0, -1)) for query_id, group in groups.items()]
    return Run.from_rankings(rankings, name=name)


def _from_table(path: str | Path) -> Run:
    """The run of a table, by its scores, or by its ranks if it has no scores."""
    groups: dict[str, dict[str, float]] = {}
    by = name = ""
    problems = Problems(path)
    for row in rows_of(path, ("score", "rank"), "a run", problems):
        group = groups.setdefault(row.query_id, {})
        value = score_of(row.value)
        if row.doc_id in group:
            twice = f"query '{row.query_id}' has document '{row.doc_id}' twice; keep one of the two lines"
            problems.add(row.line, twice)
        elif value is None:
            problems.add(row.line, not_a_number(row.by, row.value))
        else:
            group[row.doc_id] = value
        by, name = row.by, name or row.cell("tag")
    problems.refuse(among=any(groups.values()))
    name = name or _name(path)
    return run_by_rank(groups, name) if by == "rank" else Run.from_dict(groups, name=name)


def run_by_rank(groups: dict[str, dict[str, float]], name: str) -> Run:
    """A run whose documents are sorted by rank, equal ranks in the given order."""
    rankings = []
    for query_id, group in groups.items():
        doc_ids = sorted(group, key=group.__getitem__)
        rankings.append(Ranking(query_id, doc_ids, np.arange(len(doc_ids), 0, -1)))
    return Run.from_rankings(rankings, name=name)


def _name(path: str | Path) -> str:
    """The name of a run without a tag: its file name without the suffixes of the format."""
    return "run" if str(path) == "-" else Path(path).name.split(".")[0] or "run"
