"""The order of the documents of a query in an evaluation: the one place where ties are decided."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.choice import compiled
from toysearch.errors import unknown
from toysearch.records import Run

TIES = ("rank", "trec_eval", "average", "bounds", "sklearn")
"""What can be asked for: an order, or a value over all orders of the tied documents."""


def ordered(run: Run, ties: str | None = None) -> tuple[Run, str]:
    """The run with its rows in the order of their ranks, and the rule that was used.

    >>> run = Run.from_dict({"1": {"b": 1, "a": 2, "c": 1}})
    >>> [hit.doc_id for hit in ordered(run)[0]], [hit.doc_id for hit in ordered(run, "rank")[0]]
    (['a', 'c', 'b'], ['a', 'b', 'c'])
    """
    order, rule = rows_in_order(run, ties)
    if order is None:
        return run, rule
    if rule == "trec_eval":
        return trec_eval_order(run), rule
    doc_ids = [run.doc_ids[row] for row in order.tolist()]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[order], run.name, ranked=True), rule


def rows_in_order(run: Run, ties: str | None = None) -> tuple[np.ndarray | None, str]:
    """The rows of a run in the order of their ranks, query by query, and the rule that was used: see `ordered`."""
    if ties is not None and ties not in TIES:
        raise unknown("rule for ties", ties, TIES, "rules for ties")
    rule = {"rank": "rank", "sklearn": "rank", "trec_eval": "trec_eval"}.get(
        ties or "", "rank" if run.ranked else "trec_eval"
    )
    if rule == "trec_eval":
        return trec_eval_rows(run), rule
    if run.ranked:
        return None, rule
    groups = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    return np.lexsort((-run.scores, groups)), rule  # stable: equal scores keep the order of their rows


def trec_eval_order(run: Run) -> Run:
    """The run with each query's documents in the order in which trec_eval takes them.

    That is by falling score as a 32-bit float, equal scores by falling doc_id as text (UTF-8 bytes, which is
    the order of code points).
    """
    order = trec_eval_rows(run)
    doc_ids = list(run.doc_ids)
    moved = np.flatnonzero(order != np.arange(order.size))  # in most files the few that tie
    for place, row in zip(moved.tolist(), order[moved].tolist(), strict=True):
        doc_ids[place] = run.doc_ids[row]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[order], run.name, ranked=True)


def trec_eval_rows(run: Run) -> np.ndarray:
    """The rows of a run in the order of `trec_eval_order`, query by query.

    Returns (len(run),) int64.
    """
    if compiled("evaluate", len(run)):
        from toysearch.compiled.trec_lines import put_in_order

        order = np.arange(len(run))
        put_in_order(order, run.offsets, run.scores, run.packed_ids.blob, run.packed_ids.offsets)
        return order
    groups = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    # One number a row that rises with the query and falls with the score; a key needs 33 bits at most.
    keys = (groups << 33) - score_keys(run.scores)
    if (keys[1:] > keys[:-1]).all():  # as it stands in most files
        return np.arange(keys.size)
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    tied = np.concatenate((same, [False])) | np.concatenate(([False], same))
    falling = np.array(sorted(order[tied].tolist(), key=run.doc_ids.__getitem__, reverse=True), dtype=np.int64)
    order[tied] = falling[np.argsort(keys[falling], kind="stable")]
    return order


def score_keys(scores: np.ndarray) -> np.ndarray:
    """Scores as whole numbers, int64, that have the order and the ties of the 32-bit floats (+0 and −0 tie)."""
    with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite, as in C
        bits: np.ndarray = scores.astype(np.float32).view(np.int32).astype(np.int64)
    return np.asarray(np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF)))
