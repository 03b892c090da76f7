"""The order of the documents of a query in an evaluation: the one place where ties are decided."""

from __future__ import annotations

import numpy as np

from toysearch.errors import unknown
from toysearch.formats.trec import trec_eval_order, trec_eval_rows
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
