"""Sub-topics of queries: the parts of a need that each document serves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Subtopics"]


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Grades of judged documents for each sub-topic (or nugget) of their queries.

    Attributes
    ----------
    names : tuple of tuple of str
        The sub-topics of each query, in the order of their first judgments.
    grades : ndarray of float64, shape (n_judgments, n_subtopics)
        One row per judgment; NaN where a document is not judged for a sub-topic.
    weights : ndarray of float64, shape (n_queries, n_subtopics)
        How much a sub-topic matters: 1 unless the judgments say otherwise; 0 beyond the sub-topics of a query.

    Examples
    --------
    >>> found = Subtopics.of({"1": {"a": {"food": 1, "care": 2}, "b": {"care": 1}}})
    >>> found.names, found.grades.tolist()
    ((('food', 'care'),), [[1.0, 2.0], [nan, 1.0]])
    """

    names: tuple[tuple[str, ...], ...]
    grades: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(
        cls,
        judgments: Mapping[str, Mapping[str, Mapping[str, float]]],
        weights: Mapping[tuple[str, str], float] | None = None,
    ) -> Subtopics:
        """Group judgments by sub-topic: query_id → doc_id → sub-topic → grade; (query_id, sub-topic) → weight."""
        weights = weights or {}
        names = [
            tuple(dict.fromkeys(name for grades in documents.values() for name in grades))
            for documents in judgments.values()
        ]
        width = max(map(len, names), default=1)
        rows = [
            [grades.get(name, np.nan) for name in of_query] + [np.nan] * (width - len(of_query))
            for documents, of_query in zip(judgments.values(), names, strict=True)
            for grades in documents.values()
        ]
        weighed = [
            [weights.get((query_id, name), 1.0) for name in of_query] + [0.0] * (width - len(of_query))
            for query_id, of_query in zip(judgments, names, strict=True)
        ]
        grades, of_queries = (np.array(part, np.float64).reshape(-1, width) for part in (rows, weighed))
        return cls(tuple(names), grades, of_queries)

    def of_queries(self, queries: Sequence[int], rows: Iterable[int]) -> Subtopics:
        """Return the sub-topics of some queries and of the rows of their judgments."""
        chosen = list(queries)
        return Subtopics(tuple(self.names[query] for query in chosen), self.grades[list(rows)], self.weights[chosen])

    def named(self, query: int, row: int) -> list[tuple[str, float, float]]:
        """Return the sub-topics for which a judgment of a query has a grade, each with that grade and its weight."""
        rows = zip(self.names[query], self.grades[row].tolist(), self.weights[query].tolist(), strict=False)
        return [(name, grade, weight) for name, grade, weight in rows if grade == grade]

    def replaced(self, gains: Mapping[float, float]) -> Subtopics:
        """Replace each grade by its gain; a grade without one is kept."""
        grades = self.grades.copy()
        for grade, gain in gains.items():
            grades[self.grades == grade] = gain
        return replace(self, grades=grades)
