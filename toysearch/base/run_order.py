"""Order of the documents of a query in a run, including tied ones, which is decided only here."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from toysearch.base.errors import unknown
from toysearch.base.groups import repeat_each
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.run_and_qrels import Run

TIES = ("rank", "trec_eval", "average", "bounds", "sklearn")
"""Rules for ties: an order, or a value over all orders of the tied documents."""


class ByScore(NamedTuple):
    """Scores of a run by rank, query by query, as compiled loops compare them."""

    rising: np.ndarray  # (len(run),) float32; the scores with their signs changed
    rows: np.ndarray | None  # (len(run),) int64; the rows that have them; None if they are in this order


@dataclass(frozen=True, eq=False)
class Order:
    """Rows of a run by rank, query by query."""

    rule: str  # "rank" or "trec_eval"
    scores: np.ndarray | None = None  # None if the rows are in this order already
    offsets: np.ndarray = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    @cached_property
    def _row_keys(self) -> np.ndarray:
        """Number of each row's query, above 33 bits, and below them the contribution of its score."""
        scores = np.empty(0) if self.scores is None else self.scores
        keys = np.zeros(scores.size + 1, dtype=np.int64)
        np.add.at(keys, self.offsets[1:-1], 1 << 33)
        keys = keys[:-1].cumsum()
        return keys if self.rule == "rank" else keys - score_keys(scores)

    @cached_property
    def keys(self) -> np.ndarray:
        """One number per rank for trec_eval: (len(run),) int64, ascending."""
        # Rows with equal numbers are tied: they are in any order here, and `trec_eval_rows` sorts them by their ids.
        return self._row_keys if self.rows is None else self._row_keys[self.rows]

    @cached_property
    def rows(self) -> np.ndarray | None:
        """Rows in this order: (len(run),) int64; None if they are in it already."""
        if self.scores is None:
            return None
        if self.rule == "rank":  # stable: equal scores keep the order of their rows
            return np.lexsort((-self.scores, self._row_keys))
        if self.by_score is not None:
            return self.by_score.rows
        keys = self._row_keys
        return None if (keys[1:] >= keys[:-1]).all() else np.argsort(keys)  # the usual order in files is falling

    @cached_property
    def places(self) -> np.ndarray | None:
        """Place of each row in this order, from 0; None if they are in it already."""
        if self.rows is None:
            return None
        places = np.empty_like(self.rows)
        places[self.rows] = np.arange(self.rows.size)
        return places

    @cached_property
    def by_score(self) -> ByScore | None:
        """Scores by rank for trec_eval; None without compiled loops, or if a score is not a number."""
        if self.scores is None or not compiled() or np.isnan(self.scores).any():
            return None
        from toysearch.compiled.run_ranks import in_order, sort

        rising = negated(self.scores)
        if in_order(rising, self.offsets):  # as in most files
            return ByScore(rising, None)
        rows = np.arange(rising.size)
        sort(rising, rows, self.offsets)
        return ByScore(rising, rows)


def ordered(run: Run, ties: str | None = None) -> tuple[Run, str]:
    """Return the run with its rows in rank order, after applying the rule.

    >>> run = Run.from_dict({"1": {"b": 1, "a": 2, "c": 1}})
    >>> [hit.doc_id for hit in ordered(run)[0]], [hit.doc_id for hit in ordered(run, "rank")[0]]
    (['a', 'c', 'b'], ['a', 'b', 'c'])
    """
    order = order_of(run, ties)
    if order.rule == "trec_eval":
        return trec_eval_order(run), order.rule
    if order.rows is None:
        return run, order.rule
    doc_ids = [run.doc_ids[row] for row in order.rows.tolist()]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[order.rows], run.name, ranked=True), order.rule


def order_of(run: Run, ties: str | None = None) -> Order:
    """Return the order of the rows of a run after applying the rule: see `ordered`."""
    rule = rule_of(ties, run.ranked)
    if rule == "rank" and run.ranked:
        return Order(rule)
    if rule not in run.orders:
        run.orders[rule] = Order(rule, run.values, run.offsets)
    return run.orders[rule]


def rule_of(ties: str | None, ranked: bool) -> str:
    """Return the order, "rank" or "trec_eval", under a rule for ties; if none is given, that of a run."""
    # ranked: whether the run is a ranking, and not scores.
    if ties is not None and ties not in TIES:
        raise unknown("rule for ties", ties, TIES, "rules for ties")
    orders = {"rank": "rank", "sklearn": "rank", "trec_eval": "trec_eval"}
    return orders.get(ties or "", "rank" if ranked else "trec_eval")


def of_one_table(runs: Sequence[Run], ties: str | None = None, k: int | None = None) -> list[Run]:
    """Return runs as one table shows them: as scores if one of them is scores, and with at most k documents per query.

    >>> ranking, scores = Run(["1"], [0, 2], ["a", "b"], [1, 1], ranked=True), Run.from_dict({"1": {"b": 1, "c": 1}})
    >>> [run.ranked for run in of_one_table([ranking, scores])], of_one_table([scores], k=1)[0]["1"]
    ([False, False], {'c': 1.0})
    """
    ranked, shown = all(run.ranked for run in runs), []
    for run in runs:
        if k is not None and np.diff(run.offsets).max(initial=0) > k:
            run = _cut(ordered(run, ties)[0], k, run.ranked)
        if run.ranked and not ranked:
            run = copy(run)
            run.ranked = False
        shown.append(run)
    return shown


def _cut(in_order: Run, k: int, ranked: bool) -> Run:
    """Keep the first k documents of each query of a run that is in rank order."""
    lengths = np.diff(in_order.offsets)
    rows = np.flatnonzero(np.arange(len(in_order)) - repeat_each(in_order.offsets[:-1], lengths) < k)
    offsets = np.append(0, np.minimum(lengths, k).cumsum())
    doc_ids = [in_order.doc_ids[row] for row in rows.tolist()]
    return Run(in_order.query_ids, offsets, doc_ids, in_order.scores[rows], in_order.name, ranked)


def trec_eval_order(run: Run) -> Run:
    """Return the run with the documents of each query in the order of trec_eval."""
    # The order is by decreasing 32-bit float score, ties by decreasing doc_id as text (UTF-8 bytes, which is the
    # order of code points).
    order = trec_eval_rows(run)
    doc_ids = list(run.doc_ids)
    moved = np.flatnonzero(order != np.arange(order.size))  # in most files only a few tie
    for place, row in zip(moved.tolist(), order[moved].tolist(), strict=True):
        doc_ids[place] = run.doc_ids[row]
    return Run(run.query_ids, run.offsets, doc_ids, run.values[order], run.name, ranked=True)


def trec_eval_rows(run: Run) -> np.ndarray:
    """Return the rows of a run in the order of `trec_eval_order`, query by query: int64, shape (len(run),)."""
    order = order_of(run, "trec_eval")
    keys, rows = order.keys, np.arange(len(run)) if order.rows is None else order.rows.copy()
    same = keys[1:] == keys[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    texts = run.ids.at(rows[tied])
    falling = sorted(range(tied.size), key=texts.__getitem__, reverse=True)
    by_id = tied[np.array(falling, dtype=np.int64)]
    rows[tied] = rows[by_id[np.argsort(keys[by_id], kind="stable")]]
    return rows


def negated(scores: np.ndarray) -> np.ndarray:
    """Return scores as 32-bit floats with their signs changed, which rise from rank to rank."""
    with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite, as in C
        rising = scores.astype(np.float32)
    np.negative(rising, out=rising)
    return rising


def score_keys(scores: np.ndarray) -> np.ndarray:
    """Return scores as int64 with the order and the ties of the 32-bit floats (+0 and −0 tie)."""
    with np.errstate(over="ignore"):  # beyond the range of 32 bits is infinite, as in C
        bits = scores.astype(np.float32).view(np.int32)
    return np.where(bits >= 0, bits, -(bits & np.int32(0x7FFFFFFF))).astype(np.int64)
