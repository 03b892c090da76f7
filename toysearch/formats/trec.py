"""TREC files: runs (six columns) and relevance judgments (four), as trec_eval reads and writes them."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, TextIO

import numpy as np

from toysearch.errors import DataError, StorageError, malformed
from toysearch.formats.lines import finite_number, numbered_lines
from toysearch.records import Qrels, Run, encodable


class _Layout(NamedTuple):
    """What the lines of a kind of file hold: the columns' names, which of them is the value, and its kind."""

    holds: str
    columns: tuple[str, ...]
    value: int
    number: Callable[[str], float | None]

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


def _score(text: str) -> float | None:
    """The score that a text is, or None: it may be infinite (the logarithm of 0) but not NaN."""
    number = finite_number(text)
    infinite = number is None and text.lower().lstrip("+-") in ("inf", "infinity")
    return float(text) if infinite else number


_RUN = _Layout("a run", ("query_id", "Q0", "doc_id", "rank", "score", "tag"), 4, _score)
_QRELS = _Layout("judgments", ("query_id", "iteration", "doc_id", "relevance"), 3, finite_number)
_WHITE_SPACE = " \t\n\v\f\r"  # C's isspace, which trec_eval splits by: a no-break space belongs to an id
_SEPARATOR = re.compile(f"[{_WHITE_SPACE}]+")
_LARGEST = int(np.array(np.finfo(np.float32).max).view(np.int32))  # the key of the largest 32-bit float


def read_run(path: str | Path) -> Run:
    """The run in a TREC run file, its rows in the file's order.

    Each line holds six columns with any white space between: ``query_id Q0 doc_id rank score tag``. The second
    and the rank are not looked at (nor are they by trec_eval); the name of the run is the first line's tag.

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped.

    Returns
    -------
    Run
        With ``ranked=False``: the scores decide the order, not the lines.

    Raises
    ------
    DataError
        If a line does not have six columns, its score is not a number, a query has a document twice, or the
        file has no line at all.
    """
    groups, tag = _read(path, _RUN)
    return Run.from_dict(groups, name=tag)


def read_qrels(path: str | Path) -> Qrels:
    """The relevance judgments in a TREC qrels file.

    Each line holds four columns with any white space between: ``query_id iteration doc_id relevance``. The
    second is not looked at. A grade may be a fraction.

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped.

    Returns
    -------
    Qrels
        Queries and documents in the file's order.

    Raises
    ------
    DataError
        If a line does not have four columns, its grade is not a finite number, a query has a document twice,
        or the file has no line at all.
    """
    groups, _ = _read(path, _QRELS)
    return Qrels.from_dict(groups)


def kind_of(path: str | Path) -> Literal["run", "qrels"] | None:
    """What a file's first ten lines look like: a TREC "run", TREC "qrels", or None for neither.

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped.
    """
    for _, line in islice(numbered_lines(path), 10):
        columns = _split(line)
        if len(columns) == len(_RUN.columns) and _score(columns[_RUN.value]) is not None:
            return "run"
        if len(columns) == len(_QRELS.columns) and finite_number(columns[_QRELS.value]) is not None:
            return "qrels"
    return None


def write_run(run: Run, file: TextIO | str | Path) -> None:
    """Write a run in TREC's format so that trec_eval reads back the very order that was ranked.

    trec_eval ignores the rank column: it orders by score, read as a 32-bit float, and equal scores by
    falling doc_id. So a score that would not be lower than the one above it, as a 32-bit float, is written as
    the next lower one; nine significant digits tell any two of them apart.

    Parameters
    ----------
    run : Run
        A run with ``ranked=False`` is put in trec_eval's order first.
    file : file open for text, or path
        A path is written to a temporary file beside it that then takes its place: whatever happens, the
        old file or the whole new one is there.

    Raises
    ------
    DataError
        If a score is not a number (NaN), or an id is empty or holds white space: the format cannot carry it.
    StorageError
        If the file cannot be written.

    Notes
    -----
    White space in the run's name becomes ``_``.

    Examples
    --------
    >>> import sys
    >>> from toysearch.records import Ranking
    >>> write_run(Run.from_rankings([Ranking("1", ["a", "b"], [0.5, 0.5])], name="mine"), sys.stdout)
    1 Q0 a 1 0.5 mine
    1 Q0 b 2 0.49999997 mine
    """
    if not run.ranked:
        run = trec_eval_order(run)
    _check_writable(run)
    if isinstance(file, str | Path):
        with _replacing(Path(file)) as replacement:
            replacement.writelines(_run_texts(run))
    else:
        file.writelines(_run_texts(run))


def trec_eval_order(run: Run) -> Run:
    """The run with each query's documents in the order in which trec_eval takes them.

    That is by falling score as a 32-bit float, equal scores by falling doc_id as text (UTF-8 bytes, which is
    the order of code points).

    Parameters
    ----------
    run : Run
        Rows in any order; no score is NaN.

    Returns
    -------
    Run
        With ``ranked=True``; the scores are those given, in full.

    Examples
    --------
    >>> run = Run.from_dict({"1": {"a": 1, "b": 2, "c": 1.00000001}})
    >>> [hit.doc_id for hit in trec_eval_order(run)]
    ['b', 'c', 'a']
    """
    groups = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    # One number a row that rises with the query and falls with the score; a key needs 33 bits at most.
    keys = (groups << 33) - _score_keys(run.scores)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    tied = np.flatnonzero(np.diff(np.concatenate(([False], keys[1:] == keys[:-1], [False])).astype(np.int8)))
    for first, last in tied.reshape(-1, 2).tolist():
        rows = order[first : last + 1].tolist()
        order[first : last + 1] = sorted(rows, key=run.doc_ids.__getitem__, reverse=True)
    doc_ids = [run.doc_ids[row] for row in order.tolist()]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[order], run.name, ranked=True)


def _score_keys(scores: np.ndarray) -> np.ndarray:
    """Scores as whole numbers, int64, that have the order and the ties of the 32-bit floats (+0 and −0 tie)."""
    with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite, as in C
        bits: np.ndarray = scores.astype(np.float32).view(np.int32).astype(np.int64)
    return np.asarray(np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF)))


def _falling(scores: np.ndarray) -> np.ndarray:
    """The scores of a ranking, float32, nudged down as little as makes each lower than the one before.

    With whole numbers in the place of floats, "at most its own value, and at least 1 below the one before"
    is t_i = min over j ≤ i of (key_j + j) − i. Beyond the range of finite floats there is no room below:
    there the whole tail is moved up so that it just fits.
    """
    places = np.arange(scores.size)
    keys = np.clip(_score_keys(scores), -_LARGEST, _LARGEST)
    keys = np.minimum.accumulate(keys + places) - places
    keys = np.maximum(keys, -_LARGEST + places[::-1])
    bits = np.where(keys >= 0, keys, -keys | 0x80000000)
    return np.asarray(bits.astype(np.uint32).view(np.float32))


def _run_texts(run: Run) -> Iterator[str]:
    """The lines of a run, as one text a query."""
    tag = "_".join(run.name.split()) or "run"
    for query_id in run.query_ids:
        rows = run.rows(query_id)
        scores = _falling(run.scores[rows]).tolist()
        lines = zip(run.doc_ids[rows], range(1, len(scores) + 1), scores, strict=True)
        yield "".join([f"{query_id} Q0 {doc_id} {rank} {score:.9g} {tag}\n" for doc_id, rank, score in lines])


def _check_writable(run: Run) -> None:
    """Refuse what six columns with white space between cannot carry."""
    for what, ids in (("query_id", run.query_ids), ("doc_id", dict.fromkeys(run.doc_ids))):
        for text in ids:
            if text.split() != [text]:
                problem = "holds white space" if text else "is empty"
                raise DataError(f"the {what} {text!r} {problem}, which a TREC run cannot carry; give it another id")
            if not text.isascii() and encodable(text)[1]:
                raise DataError(
                    f"the {what} {text!r} holds a lone surrogate, which UTF-8 cannot carry; give it another id"
                )
    for row in np.flatnonzero(np.isnan(run.scores))[:1].tolist():
        where = f"query '{run.query_of(row)}', document '{run.doc_ids[row]}'"
        raise DataError(f"{where}: expected a number as score, found nan")


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """A file open for text that takes the place of `path` when all has been written, and never before."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe: there is nothing to keep whole
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                yield file
            return
        final = Path(os.path.realpath(path))  # through a link, to the file that it names
        temporary = final.with_name(f".{final.name}.{secrets.token_hex(4)}")
        try:
            with open(temporary, "x", encoding="utf-8", newline="\n") as file:
                yield file
            os.replace(temporary, final)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror or error}") from error


def _read(path: str | Path, layout: _Layout) -> tuple[dict[str, dict[str, float]], str]:
    """Query → document → value from lines of columns, and the last column of the first line."""
    groups: dict[str, dict[str, float]] = {}
    group: dict[str, float] = {}
    current = tag = ""
    for number, line in numbered_lines(path):
        columns = line.split() if line.isascii() else _split(line)
        if len(columns) != len(layout.columns):
            if not columns:
                continue
            raise malformed(path, number, _wrong_columns(layout, columns, line))
        if columns[0] != current:
            current = columns[0]
            group = groups.setdefault(current, {})
            tag = tag or columns[-1]
        doc_id = columns[2]
        if doc_id in group:
            problem = f"query '{current}' has document '{doc_id}' a second time; keep one of the two lines"
            raise malformed(path, number, problem)
        value = layout.number(columns[layout.value])
        if value is None:
            name, found = layout.columns[layout.value], columns[layout.value]
            raise malformed(path, number, f"expected a number as {name}, found '{found}'")
        group[doc_id] = value
    if not groups:
        raise DataError(f"{path} is empty; expected {layout.holds}: lines of {layout}")
    return groups, tag


def _split(line: str) -> list[str]:
    """The columns of a line, at C's white space only."""
    line = line.strip(_WHITE_SPACE)
    return _SEPARATOR.split(line) if line else []


def _wrong_columns(layout: _Layout, columns: list[str], line: str) -> str:
    """What is wrong with a line of too few or too many columns, and what to do."""
    shown = line.strip() if len(line) <= 80 else line.strip()[:77] + "…"
    problem = f"expected {layout}, found {len(columns)}: '{shown}'"
    if layout is not _QRELS or len(columns) != 3:
        return f"{problem}; complete the line or take it out"
    header = columns[0].lower() in {"query-id", "query_id", "qid"}
    condition, source = ("NR > 1 ", "BEIR's layout") if header else ("", "three columns")
    return f"{problem}. From {source} to TREC's: awk '{condition}{{print $1, 0, $2, $3}}' FILE"
