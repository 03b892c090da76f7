"""Top-k where a score depends on the sum of weights and on the document's length, as the cosine and Dice's do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from toysearch.compiled import best_documents
from toysearch.compiled.list_layout import HIGHEST, LOWEST
from toysearch.models.model import Array, call
from toysearch.search.maxscore import Each, MaxScore
from toysearch.search.posting_lists import PostingLists
from toysearch.search.scoring import Plan, QueryTerms, Ranked, finish, plan, top, weigh_query
from toysearch.search.term_weights import Weights

_HUGE = 1e140  # products of squares within it, and above 1 / it, keep all their digits
_SPARE = 16  # documents sought beyond the k best
_WIDER = 4  # times as many are sought where those may not be all
_MOST = 2000  # documents sought, or 2 k of them: where more are needed, adding all up is as quick


class MaxScoreCosine:
    """The k best documents by a similarity that a sum bounds: that of the weights divided by the document's length.

    The best by this sum are found as by any, and scored as the model has it. What is not among them has a lower sum;
    once no such document can have the score of the k-th, all of the k best are known.
    """

    def __init__(self, weights: Weights, lists: PostingLists) -> None:
        self.weights = weights
        self.lists = lists
        self._near = lists
        if weights.model.similarity.bounded_by != "s":
            lengths = np.sqrt(weights.squared_norms)
            times = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths != 0)
            lists.memory //= 2
            self._near = PostingLists(weights, lists.memory, times)
        self._maxscore = MaxScore(weights, self._near)

    @staticmethod
    def fits(weights: Weights) -> bool:
        """Whether the model's similarity is of this kind, and the lengths keep their digits in its formula."""
        if not weights.model.similarity.bounded_by or {"per_matched_document", "document"} & set(weights.model.hooks):
            return False
        lengths = weights.squared_norms[weights.squared_norms != 0]
        return not len(lengths) or bool(lengths.min() > 1 / _HUGE and lengths.max() < _HUGE)

    def ranked(self, queries: Sequence[QueryTerms], k: int, each: Each = map) -> list[Ranked | None]:
        """As `MaxScore.ranked`; None as well where too many documents would have to be scored."""
        sought = min(k + _SPARE, self.weights.index.stats.N)
        near = self._maxscore.ranked(queries, sought, each)
        return [found and self._best(query, found, sought, k) for query, found in zip(queries, near, strict=True)]

    def _best(self, query: QueryTerms, found: Ranked | None, sought: int, k: int) -> Ranked | None:
        """The k best, from those that the sum has found and more where they may not be all."""
        held = self.lists.of_terms(query.numbers.tolist())
        query_weights = weigh_query(self.weights, query)[0]
        planned = plan(self.weights, query, [self.lists.term_weights(each) for each in held])
        if not 1 / _HUGE < planned.squared_norm < _HUGE:
            return None
        addresses = np.array([each.address for each in held], dtype=np.int64)
        rounding = self._rounding(query, query_weights)
        while found is not None:
            docs, near = np.sort(found[0]), found[1]
            totals = np.empty(len(docs))
            best_documents.totals_of(addresses, query_weights, docs, totals, np.empty(len(docs), np.int64))
            scores = finish(self.weights, planned, docs, totals)
            best = top(scores, k)
            all_found = len(docs) < sought or sought == self.weights.index.stats.N
            if all_found or self._highest(planned, near[-1] + rounding) < scores[best[-1]]:
                return docs[best], scores[best]
            sought = min(_WIDER * sought, self.weights.index.stats.N)
            if sought > max(_MOST, 2 * k):
                return None
            found = self._maxscore.ranked([query], sought)[0]
        return None

    def _highest(self, planned: Plan, near: float) -> float:
        """The highest score of a document whose sum is no larger than this."""
        qq, near = planned.squared_norm, max(0.0, near)
        s = near if self.weights.model.similarity.bounded_by == "s" else near * np.sqrt(qq)
        named: dict[str, Any] = {"s": s, "dd": qq, "qq": qq}
        return float(call(self.weights.model.similarity.function, named, self.weights.model.parameters))

    def _rounding(self, query: QueryTerms, query_weights: Array) -> float:
        """How much larger the sum can be than it has come out, so that rounding in the score counts as well."""
        lists = self._near.of_terms(query.numbers.tolist())
        largest = [max(abs(each.values[HIGHEST]), abs(each.values[LOWEST])) for each in lists]
        return best_documents.ROUNDING * (8 * len(lists) + 64) * float(np.dot(np.abs(query_weights), largest))
