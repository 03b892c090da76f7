"""In which order an evaluation takes a query's documents: the one place where ties are decided."""

from __future__ import annotations

import numpy as np

from toysearch.errors import unknown
from toysearch.formats.trec import trec_eval_order
from toysearch.records import Run

TIES = ("rank", "trec_eval")


def ordered(run: Run, ties: str | None = None) -> tuple[Run, str]:
    """The run with its rows in the order of their ranks, and the rule that was used.

    Parameters
    ----------
    run : Run
        No score is NaN.
    ties : {"rank", "trec_eval"}, optional
        "rank" keeps the order of a run that was ranked; any other is ordered by falling score in full precision,
        equal scores in the order of their rows (the lines of a file, whose rank column is not looked at).
        "trec_eval" orders by falling score as a 32-bit float, equal scores by falling doc_id as text. By
        default "rank" for a run that was ranked, else "trec_eval".

    Returns
    -------
    Run, str
        The run, with ``ranked=True``, and "rank" or "trec_eval".

    Raises
    ------
    ArgumentError
        If the rule is none of the two.

    Examples
    --------
    >>> run = Run.from_dict({"1": {"b": 1, "a": 2, "c": 1}})
    >>> [hit.doc_id for hit in ordered(run)[0]], [hit.doc_id for hit in ordered(run, "rank")[0]]
    (['a', 'c', 'b'], ['a', 'b', 'c'])
    """
    rule = ties or ("rank" if run.ranked else "trec_eval")
    if rule not in TIES:
        raise unknown("rule for ties", rule, TIES, "rules for ties")
    if rule == "trec_eval":
        return trec_eval_order(run), rule
    return (run if run.ranked else _by_score(run)), rule


def _by_score(run: Run) -> Run:
    groups = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    order = np.lexsort((-run.scores, groups))  # stable: equal scores keep the order of their rows
    doc_ids = [run.doc_ids[row] for row in order.tolist()]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[order], run.name, ranked=True)
