"""The join of a run with judgments as a compiled loop over the bytes of ids."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import kernel
from toysearch.compiled.utf8 import same, slots_for


@kernel
def judged_ranks(
    run_rows: np.ndarray,
    order: np.ndarray,
    blob: np.ndarray,
    offsets: np.ndarray,
    hashes: np.ndarray,
    judged_rows: np.ndarray,
    judged_blob: np.ndarray,
    judged_offsets: np.ndarray,
    judged_hashes: np.ndarray,
    relevance: np.ndarray,
    ranks: np.ndarray,
    grades: np.ndarray,
) -> int:
    """Fill in the ranks and grades of judged documents, query by query; the most that one has.

    The rows of query i are ``run_rows[i, 0]:run_rows[i, 1]``, those of its judgments ``judged_rows[i, 0]:…``. `order`
    has the rows of the run in the order of their ranks, or nothing where they stand so.
    """
    width = 0
    table = np.empty(0, dtype=np.int32)
    for query in range(run_rows.shape[0]):
        first, stop = judged_rows[query, 0], judged_rows[query, 1]
        size = slots_for(4 * (stop - first))  # most rows are not judged, and a table with much room says so at once
        if size > table.size:
            table = np.empty(size, dtype=np.int32)
        table[:size] = -1
        mask = size - 1
        for judged in range(first, stop):
            slot = judged_hashes[judged] & mask
            while table[slot] >= 0:
                slot = (slot + 1) & mask
            table[slot] = judged - first
        found = 0
        start = run_rows[query, 0]
        for place in range(start, run_rows[query, 1]):
            row = order[place] if order.size else place
            slot = hashes[row] & mask
            while table[slot] >= 0:
                judged = first + table[slot]
                if judged_hashes[judged] == hashes[row] and same(
                    blob,
                    offsets[row],
                    offsets[row + 1],
                    judged_blob,
                    judged_offsets[judged],
                    judged_offsets[judged + 1],
                ):
                    ranks[query, found] = place - start + 1
                    grades[query, found] = relevance[judged]
                    found += 1
                slot = (slot + 1) & mask
        width = max(width, found)
    return width
