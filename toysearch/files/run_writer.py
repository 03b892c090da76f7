"""Runs and judgments, written to files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, TextIO

import numpy as np

from toysearch.base import DataError, Qrels, Run, encodable, expect_name, repeat_each, score_keys, shortest
from toysearch.base.run_order import trec_eval_order
from toysearch.files.columns import JUDGED_PARTS
from toysearch.files.numbers import whole_or_fraction
from toysearch.files.run_arguments import QrelsLike, RunLike, as_run, judgments_in, refuse_values
from toysearch.files.writing import format_of_name, table_texts, write_texts

__all__ = ["write_qrels", "write_run"]

FORMATS = ("trec", "tsv", "csv", "json")
"""Formats for writing runs and judgments."""

_LARGEST = int(np.array(np.finfo(np.float32).max).view(np.int32))  # the key of the largest 32-bit float


def write_run(run: RunLike, file: TextIO | str | PathLike[str], form: str | None = None) -> None:
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
    >>> from toysearch import Ranking
    >>> run = Run.from_rankings([Ranking("1", ["a", "b"], [0.5, 0.5])], name="mine")
    >>> write_run(run, sys.stdout)
    1 Q0 a 1 0.5 mine
    1 Q0 b 2 0.49999997 mine
    >>> write_run(run, sys.stdout, "csv")
    query_id,doc_id,rank,score
    1,a,1,0.5
    1,b,2,0.49999997
    """
    form = form or format_of_name(file)
    expect_name("format", form, FORMATS)
    run = run if isinstance(run, Run) else as_run(run)
    run = run if run.ranked else trec_eval_order(run)
    if form == "trec":
        cannot = "which a TREC run cannot carry; give it another id"
        _refuse_ids({"query_id": run.query_ids, "doc_id": run.doc_ids}, cannot)
    refuse_values(run, np.isnan(run.scores), "score")
    if form == "trec":  # of which trec_eval reads the score and the doc_id, not the rank
        write_texts(_run_texts(run), file)
        return
    if form == "json":
        write_texts(_nested_texts({query_id: dict(rows) for query_id, rows in _written(run)}), file)
        return
    header = ["query_id", "doc_id", "rank", "score"]
    rows = (
        [query_id, doc_id, str(rank), score]
        for query_id, scored in _written(run)
        for rank, (doc_id, score) in enumerate(scored, 1)
    )
    write_texts(table_texts(header, rows, form), file)


def _written(run: Run) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the documents of each query, with their scores as they are written."""
    for query_id in run.query_ids:
        rows = run.rows(query_id)
        scores = [f"{score:.9g}" for score in falling(run.scores[rows]).tolist()]
        yield query_id, list(zip(run.doc_ids[rows], scores, strict=True))


def _refuse_ids(by_name: Mapping[str, Iterable[str]], cannot: str) -> None:
    """Refuse ids that the TREC format cannot carry; cannot: that it cannot, and what to do."""
    for name, ids in by_name.items():
        for text in dict.fromkeys(ids):
            if text.split() != [text]:
                raise DataError(f"the {name} {text!r} {'holds white space' if text else 'is empty'}, {cannot}")
            if not text.isascii() and encodable(text)[1]:
                surrogate = "holds a lone surrogate, which UTF-8 cannot carry; give it another id"
                raise DataError(f"the {name} {text!r} {surrogate}")


def falling(scores: np.ndarray) -> np.ndarray:
    """Lower the scores of a ranking by the least amounts that make them strictly decreasing; float32."""
    # On the integer keys of the floats, "at most its own value, and at least 1 below the previous one" is t_i = min
    # over j ≤ i of (key_j + j) − i. Below the smallest finite float there is no room: there the whole tail is moved up
    # so that it just fits.
    places = np.arange(scores.size)
    keys = np.clip(score_keys(scores), -_LARGEST, _LARGEST)
    keys = np.minimum.accumulate(keys + places) - places
    keys = np.maximum(keys, -_LARGEST + places[::-1])
    bits = np.where(keys >= 0, keys, -keys | 0x80000000)
    return np.asarray(bits.astype(np.uint32).view(np.float32))


def _run_texts(run: Run) -> Iterator[str]:
    """Yield the lines of the queries; white space in the name of the run becomes `_`."""
    tag = "_".join(run.name.split()) or "run"
    for query_id, scored in _written(run):
        lines = enumerate(scored, 1)
        yield "".join([f"{query_id} Q0 {doc_id} {rank} {score} {tag}\n" for rank, (doc_id, score) in lines])


def write_qrels(qrels: QrelsLike, file: TextIO | str | PathLike[str], form: str | None = None) -> None:
    """Write judgments.

    Parameters
    ----------
    qrels : Qrels, dict, data frame, path or Collection
        The judgments; grades read back as the same numbers.
    file : file open for text, or path
        A path is replaced as a whole; one that ends in ``.gz`` is gzipped.
    form : {"trec", "tsv", "csv", "json"}, optional
        The default is the suffix of the file, else ``trec``. ``tsv`` is the BEIR form; ``json`` with sub-topics has an
        object per line.

    Raises
    ------
    ArgumentError
        If the form is unknown.
    DataError
        If the form cannot carry an id.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_qrels(Qrels.from_dict({"q1": {"a": 2, "b": 0.5}}), sys.stdout)
    q1 0 a 2
    q1 0 b 0.5
    """
    form = form or format_of_name(file)
    expect_name("format", form, FORMATS)
    qrels = qrels if isinstance(qrels, Qrels) else judgments_in(qrels).qrels
    rows = ([query_id, doc_id, shortest(grade), *more] for query_id, doc_id, grade, *more in _graded(qrels))
    if form == "json" and qrels.subtopics is not None:
        write_judgment_lines(qrels, file)
    elif form == "json":
        texts = {
            query_id: dict(zip(group, map(shortest, group.values()), strict=True)) for query_id, group in qrels.items()
        }
        write_texts(_nested_texts(texts), file)
    elif form == "trec":
        instead = "give it another id, or write a file that ends in .csv, .tsv or .json"
        _refuse_ids({"id": [*qrels.query_ids, *qrels.doc_ids]}, f"which TREC judgments cannot carry; {instead}")
        subtopics = (("_".join(row[3].split()) if row[3:] else "0", row) for row in rows)
        write_texts((f"{row[0]} {subtopic} {row[1]} {row[2]}\n" for subtopic, row in subtopics), file)
    else:
        header = ["query-id", "corpus-id", "score"] if form == "tsv" else ["query_id", "doc_id", "relevance"]
        write_texts(table_texts(header + _columns_beside(qrels), rows, form), file)


def _columns_beside(qrels: Qrels) -> list[str]:
    if qrels.subtopics is None:
        return []
    weights = map(zip, qrels.subtopics.names, qrels.subtopics.weights.tolist())
    return ["subtopic", "weight"] if any(weight != 1 for row in weights for _, weight in row) else ["subtopic"]


def _graded(qrels: Qrels) -> Iterator[list[Any]]:
    if qrels.subtopics is None:
        yield from map(list, qrels)
        return
    n = len(_columns_beside(qrels))
    queries = repeat_each(np.arange(len(qrels.query_ids)), np.diff(qrels.offsets)).tolist()
    for row, (query, (query_id, doc_id, _)) in enumerate(zip(queries, qrels, strict=True)):
        for name, grade, weight in qrels.subtopics.named(query, row):
            yield [query_id, doc_id, grade, *[name, shortest(weight)][:n]]


def _nested_texts(groups: Mapping[str, Mapping[str, str]]) -> list[str]:
    if not groups:
        return ["{}\n"]
    lines = []
    for query_id, group in groups.items():
        numbers = ", ".join(f"{json.dumps(doc_id, ensure_ascii=False)}: {number}" for doc_id, number in group.items())
        lines.append(f"{json.dumps(query_id, ensure_ascii=False)}: {{{numbers}}}")
    return ["{\n", ",\n".join(lines), "\n}\n"]


def write_judgment_lines(qrels: Qrels, file: TextIO | str | PathLike[str]) -> None:
    """Write judgments as JSON Lines."""
    keys = (*JUDGED_PARTS, *_columns_beside(qrels))
    rows = (
        dict(zip(keys, [query_id, doc_id, whole_or_fraction(grade), *more], strict=False))
        for query_id, doc_id, grade, *more in _graded(qrels)
    )
    write_texts((json.dumps(row, ensure_ascii=False) + "\n" for row in rows), file)
