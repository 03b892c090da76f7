"""The scale of the judgments' codes: which are odd, and which way it runs, told by where BM25 ranks the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toysearch.laboratory.corpus_check.judged_ranks_by_bm25 import CodeRanks, agreement, chance, ranks_by_code
from toysearch.records import Qrels, Run

SURE, LIKELY = 0.001, 0.05
"""Below these chances of being accidental, a scale is said to run backwards, or suspected of it."""

_FEWEST_QUERIES = 5
_NEARLY_ALL = 0.9


class Scale(NamedTuple):
    """What the codes seem to mean."""

    codes: list[float]  # all codes, rising
    ranks: list[CodeRanks]  # where the documents of each code stand, as far as rankings were made for their queries
    odd: list[float]  # codes that each query has once and that are not on the scale
    grades: list[float]  # the codes of the scale: 0 and above, but for the odd ones
    # how likely it is that rankings run against the codes by accident, as far as they do; 1 where they do not
    chance: float
    # the codes of which that was asked: those above 0, and 0 where it is ranked best of all or only it is left
    backwards: list[float]

    def gains(self, *, reverse: bool = False, shift: float = 0.0) -> dict[float, float]:
        """A gain for each code: 0 for what is odd or negative."""
        top = max(self.backwards, default=0.0) + min(self.backwards, default=0.0)
        return {
            code: (top - code if reverse and code in self.backwards else code) - shift if code in self.grades else 0.0
            for code in sorted(self.codes, key=lambda code: code not in self.grades)
        }


def scale_of(run: Run, judged: Qrels, codes: Qrels) -> Scale:
    """What the codes of judgments seem to mean."""
    ranks = ranks_by_code(run, judged)
    odd = _odd(codes, ranks)
    all_codes = np.unique(codes.relevance).tolist()
    grades = [code for code in all_codes if code >= 0 and code not in odd]
    positive = [code for code in grades if code > 0]
    best = max((row for row in ranks if row.code in grades), key=lambda row: row.mean_reciprocal_rank, default=None)
    asked = grades if len(positive) < 2 or (best and best.code == 0) else positive
    return Scale(all_codes, ranks, odd, grades, _against(run, judged, ranks, asked), asked)


def _against(run: Run, judged: Qrels, ranks: Sequence[CodeRanks], asked: Sequence[float]) -> float:
    """The chance that scores run against the codes by accident; 1 where the lowest is not ranked above the highest."""
    rows = [row for row in ranks if row.code in asked]
    if len(rows) < 2 or rows[0].mean_reciprocal_rank <= rows[-1].mean_reciprocal_rank:
        return 1.0
    return chance(agreement(run, judged, asked))


def _odd(codes: Qrels, ranks: Sequence[CodeRanks]) -> list[float]:
    """Codes that nearly every query has, exactly once, and that stand apart from the scale."""
    counts: dict[float, dict[str, int]] = {}
    for query_id, _, code in codes:
        of_code = counts.setdefault(code, {})
        of_code[query_id] = of_code.get(query_id, 0) + 1
    n_queries = len(codes.query_ids)
    once = [
        code
        for code, of_code in counts.items()
        if max(of_code.values()) == 1 and len(of_code) >= max(_FEWEST_QUERIES, _NEARLY_ALL * n_queries)
    ]
    return sorted(code for code in once if _apart(code, sorted(set(counts) - {code}), ranks))


def _apart(code: float, others: Sequence[float], ranks: Sequence[CodeRanks]) -> bool:
    """Whether a code is not a step of the scale that the others make: below 0, or 0 and ranked above them all."""
    if code != 0:
        return bool(others) and code < 0 <= others[-1]
    # Where the grades above 0 follow the ranks, that is; else 0 may be the best of a scale that runs backwards.
    found = {row.code: row.mean_reciprocal_rank for row in ranks}
    above = [found.get(other, 0.0) for other in others if other > 0]
    return len(above) > 1 and above[0] < above[-1] and found.get(code, 0.0) > max(above)
