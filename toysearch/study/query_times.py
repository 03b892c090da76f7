"""Time of queries: how long each system of a study takes for each query, on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.base import ArgumentError

if TYPE_CHECKING:
    from toysearch.study.study import Study


class QueryTimes(NamedTuple):
    """Milliseconds that a system took for each query.

    >>> QueryTimes({"1": 1.0, "2": 2.0, "3": 6.0}).median
    2.0
    """

    by_query: Mapping[str, float]

    @property
    def median(self) -> float:
        """Median of the milliseconds."""
        return float(np.median([*self.by_query.values()]))

    @property
    def percentile_95(self) -> float:
        """95th percentile of the milliseconds, between two values in proportion."""
        return float(np.percentile([*self.by_query.values()], 95))


def query_times(study: Study) -> dict[str, QueryTimes]:
    """Search each judged query once with each system, one after the other, in one thread; return the times by system.

    >>> from toysearch.study.study import Study
    >>> times = query_times(Study.of("cat-dog-parrot").with_models(["bm25", "dice"]))
    >>> [*times], [*times["bm25"].by_query], times["bm25"].median > 0
    (['bm25', 'dice'], ['1', '2', '3'], True)
    """
    if not study.models:
        raise ArgumentError("a run was ranked elsewhere and has no time; give models that rank now")
    queries, how = study.queries(), study.ranking | {"threads": 1}
    found = {}
    for system in study.models:
        searcher, milliseconds = study.searcher(system), dict[str, float]()
        for query in queries:
            start = perf_counter()
            searcher.run([query], **how)
            milliseconds[query.query_id] = 1000 * (perf_counter() - start)
        found[str(system)] = QueryTimes(milliseconds)
    return found
