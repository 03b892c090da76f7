"""A learned ranker, and the shares of its features in a score, as text for people."""

from __future__ import annotations

from typing import Any

from toysearch.base.wide_counts import count_each
from toysearch.laboratory.results.tables import Column
from toysearch.models.ranker import Linear, Ranker, feature_meaning


def ranker_table(found: Ranker) -> tuple[list[Column], list[list[Any]]]:
    """The features of a ranker; of a weighted sum with weights, of trees with the number of branches."""
    columns = [Column("feature")]
    if isinstance(found.function, Linear):
        columns += [Column(name, "", "right", ".6g") for name in ("weight", "mean", "deviation")]
        arrays = (found.function.weights, found.function.means, found.function.scales)
        numbers = [*zip(*(array.tolist() for array in arrays), strict=True)]
    else:
        columns.append(Column("branches", "", "right", ","))
        counts = count_each(found.function.nodes["feature"] + 1, minlength=len(found.features) + 1)[1:]
        numbers = [(count,) for count in counts.tolist()]
    columns.append(Column("meaning"))
    pairs = zip(found.features, numbers, strict=True)
    return columns, [[feature, *own, feature_meaning(feature)] for feature, own in pairs]


def ranker_about(found: Ranker) -> str:
    """The learner and the pool of a ranker, in a line."""
    return f"{found.learner} · pool {', '.join(map(str, found.pool))}"
