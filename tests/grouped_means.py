"""Means by groups of queries, as `toysearch compare --by` shows them, in one call."""

from typing import Any

from toysearch.study import Study, means_by_group, scores
from toysearch.study.compare.group_means import GroupMeans


def group_means(systems: Any, source: Any, measures: Any = "AP", by: str = "length", **how: Any) -> GroupMeans:
    """Compare systems by groups of the queries of a source, each with the first one."""
    study = Study.of(source)
    evaluations = scores(systems, study, measures).evaluations
    return means_by_group({values.name: values for values in evaluations}, study, by, **how)
