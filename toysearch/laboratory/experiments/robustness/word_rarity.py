"""Query terms in a collection: how many relevant documents contain them, and the values by their rarity."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from toysearch.base.wide_counts import count_each
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.robustness.alterations import StudiedSystems
from toysearch.laboratory.experiments.stats.significance import paired_test, within_range
from toysearch.search.scoring import QueryTerms

GROUPS = ("common", "middling", "rare")


class ExactMatches(NamedTuple):
    """The number of relevant documents that contain the exact terms of their query."""

    relevant: int  # the number of pairs of a query and a relevant document
    # all_terms, some_terms, no_term: the shares of these pairs whose document contains all terms of its query, some,
    # none. A model that sums the weights of query terms cannot find the last
    all_terms: float
    some_terms: float
    no_term: float


def exact_matches(index: Index, terms: Mapping[str, QueryTerms], relevant: Mapping[str, Iterable[int]]) -> ExactMatches:
    """The number of relevant documents that contain the terms of their queries."""
    pairs = [0, 0, 0]
    for query_id, docs in relevant.items():
        query = terms[query_id]
        counts = count_each(index.blocks.of_terms(query.numbers).docs, minlength=index.stats.N)
        all_terms = len(query.numbers) + len(query.unknown)
        for doc in docs:
            pairs[0 if counts[doc] == all_terms and all_terms else 1 if counts[doc] else 2] += 1
    total = sum(pairs)
    return ExactMatches(total, *(count / total if total else np.nan for count in pairs))


class RarityValue(NamedTuple):
    """The value of a third of the queries by the rarity of their terms."""

    # system, measure: which
    system: str
    measure: str
    group: str  # 'common' | 'middling' | 'rare': which third
    queries: int  # the number of queries
    # held_low, held_high: the lowest and the highest share of documents that contain a term of such a query (averaged
    # over its terms)
    held_low: float
    held_high: float
    # value, low, high: the mean of the measure, and its 95 % interval, within the range of the measure
    value: float
    low: float
    high: float


class RarityGroup(NamedTuple):
    """A third of the queries by the rarity of their terms."""

    group: str  # 'common' | 'middling' | 'rare': which third
    query_ids: list[str]  # the queries, most common terms first
    # low, high: the shares of documents that contain a term of a query (the geometric mean over its terms): for the
    # query with the rarest terms in the group, and for that with the most common ones
    low: float
    high: float


def rarity_groups(terms: Mapping[str, QueryTerms], df: np.ndarray, N: int) -> list[RarityGroup]:
    """Queries in three groups of equal size, by the mean idf ln(N/df) of their known terms."""
    # The mean idf of a query's terms predicts its difficulty (Cronen-Townsend, Zhou & Croft 2002; Hauff 2010
    # calls it AvIDF).
    idf = {
        query_id: float(np.log(N / df[query.numbers]).mean()) for query_id, query in terms.items() if len(query.numbers)
    }
    order = sorted(idf, key=lambda query_id: idf[query_id])
    parts = [part.tolist() for part in np.array_split(np.array(order, dtype=object), len(GROUPS))]
    return [
        RarityGroup(name, part, math.exp(-idf[part[-1]]), math.exp(-idf[part[0]]))
        for name, part in zip(GROUPS, parts, strict=True)
        if part
    ]


def rarity_values(studied: StudiedSystems) -> list[RarityValue]:
    """The values of each third of the queries, under each system and by each measure."""
    index = studied.study.index
    groups, rows = rarity_groups(studied.terms, index.df, index.stats.N), []
    for system, model in studied.models.items():
        per_query = studied.study.evaluation(model, studied.measures).per_query
        for measure, group in itertools.product(studied.measures, groups):
            values = [per_query[query_id][str(measure)] for query_id in group.query_ids]
            values = [value for value in values if math.isfinite(value)]
            if values:
                test = paired_test(values)
                limits = group.low, group.high, test.mean, *within_range(measure, test.low, test.high)
                rows.append(RarityValue(system, str(measure), group.group, len(values), *limits))
    return rows
