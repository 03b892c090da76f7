"""Sequential dependence: neighbouring words of a query count as pairs, next to each other and near each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from toysearch.index.inverted_index import Index
from toysearch.search.derived_terms import DerivedTerm
from toysearch.search.phrases import Words, occurrences, places_of
from toysearch.search.scoring import QueryTerms


def sdm(
    index: Index, query: QueryTerms, *, terms: float, ordered: float, unordered: float, window: float
) -> QueryTerms:
    """The terms of a query, its neighbouring pairs in order, and these pairs in any order within a window.

    Each has its weight as qtf, times its count in the query (Metzler & Croft 2005: weights 0.85, 0.10 and 0.05, windows
    of 8 positions). Pairs are made of the terms after analysis, and pairs that no document contains are left out.
    """
    pairs: dict[str, float] = {}
    made: dict[str, DerivedTerm] = {}
    for first, second in pairwise(query.sequence):
        if first < 0 or second < 0:
            continue
        places = None
        for slop, weight in ((0, ordered), (int(window), unordered)):
            own = (min(first, second), max(first, second)) if slop else (first, second)
            text = f'"{index.term(own[0])} {index.term(own[1])}"' + (f"~{slop}" if slop else "")
            if weight and text not in made:
                places = places or places_of(index, own)
                words = Words(own, (0, 1), slop)
                made[text] = DerivedTerm(text, *occurrences(index, words, places), (words,))
            if weight and made[text].df:
                pairs[text] = pairs.get(text, 0.0) + weight
    first_number = index.stats.n_terms + len(query.derived)
    return query._replace(
        numbers=np.concatenate([query.numbers, np.arange(first_number, first_number + len(pairs))]),
        qtf=np.concatenate([query.qtf * terms, [*pairs.values()]]),
        derived=(*query.derived, *(made[text] for text in pairs)),
    )
