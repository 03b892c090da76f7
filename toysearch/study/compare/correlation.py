"""Similarity of two rankings: Kendall's τ, τ of average precision, rank-biased overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Rows,
    TextNeeds,
    count_each,
    expect,
    expect_list,
    ordered,
    repeat_each,
)
from toysearch.evaluation.values_and_means import aggregated, over_needs
from toysearch.files import RunLike, as_run

__all__ = ["Agreement", "agreement", "kendall_tau", "rank_biased_overlap", "tau_ap"]

PERSISTENCE = 0.9
"""Parameter p of rank-biased overlap: the first ten ranks have 86% of the weight."""

DEPTH = 100
"""Default number of documents of each ranking that are compared."""


class Overlap(NamedTuple):
    """Rank-biased overlap: its known part and its uncertainty."""

    extrapolated: float  # RBO_ext: if the agreement at the ends of the rankings continued
    lowest: float  # RBO_min: if they had nothing else in common
    residual: float  # RBO_res: how far it could exceed the lowest


class _Agreement(NamedTuple):
    first: str
    second: str
    tau: float
    tau_ap: float
    rbo: float
    n: int
    n_common: int


class Agreement(Rows, _Agreement):
    """Similarity of the rankings of two systems, averaged over queries.

    Attributes
    ----------
    first, second : str
        The systems.
    tau, tau_ap, rbo : float
        Kendall's τ and τ_AP of the documents in common; rank-biased overlap of all. NaN if undefined for every query.
    n : int
        The number of queries averaged in `rbo`.
    n_common : int
        The number of queries with at least two documents in common: those averaged in `tau` and `tau_ap`.
    """


def _expect_rankings(**rankings: Sequence[str]) -> None:
    """Refuse what is neither a list of ids nor a text, whose letters are the ids."""
    for name, ranking in rankings.items():
        ids: Any = list(ranking) if isinstance(ranking, str | np.ndarray | range) else ranking
        expect_list(str, **{name: ids})
        if len({*ids}) < len(ids):
            raise ArgumentError(f"{name} has an item twice; a ranking has each once")


def kendall_tau(first: Sequence[str], second: Sequence[str]) -> float:
    """Kendall's τ of two rankings: (concordant − discordant pairs) / all pairs, of the items in common.

    Parameters
    ----------
    first, second : sequence of str
        Items, best first, without duplicates.

    Returns
    -------
    float
        From −1 (reversed) to 1; NaN with fewer than two items in common.

    References
    ----------
    Kendall, "A new measure of rank correlation", Biometrika 30, 1938.

    Examples
    --------
    One of three pairs is discordant:

    >>> round(kendall_tau(["a", "b", "c"], ["b", "a", "c"]), 4)
    0.3333
    """
    _expect_rankings(first=first, second=second)
    return _tau(_agreeing_above(first, second))


def tau_ap(first: Sequence[str], second: Sequence[str], *, symmetric: bool = True) -> float:
    """τ of average precision: like Kendall's τ, but the top weighs more.

    2/(n − 1) · Σ C(i)/(i − 1) − 1, i from 2 to n, where C(i) is the number of items above rank i of the first
    ranking that are above that item in the second too. The second ranking is the reference, so the order of the
    arguments matters; the symmetric form is the mean of both orders.

    Parameters
    ----------
    first, second : sequence of str
        Items, best first, without duplicates; only items in common are compared.
    symmetric : bool, default True
        Whether neither ranking is the reference.

    Returns
    -------
    float
        From −1 to 1; NaN with fewer than two items in common.

    References
    ----------
    Yilmaz, Aslam & Robertson, "A new rank correlation coefficient for information retrieval", SIGIR 2008,
    with the symmetric form.

    Examples
    --------
    A swap at the top costs more than one at the end; Kendall's τ is 0.67 for both:

    >>> round(tau_ap("bacd", "abcd"), 4), round(tau_ap("abdc", "abcd"), 4)
    (0.3333, 0.7778)
    """
    _expect_rankings(first=first, second=second)
    value = _tau_ap(_agreeing_above(first, second))
    return (value + _tau_ap(_agreeing_above(second, first))) / 2 if symmetric else value


def rank_biased_overlap(first: Sequence[str], second: Sequence[str], p: float = PERSISTENCE) -> Overlap:
    """Rank-biased overlap of two rankings, which may differ in items and in length.

    (1 − p) · Σ pᵈ⁻¹ · X(d)/d, where X(d) is the number of items that the first d of both have in common: the agreement
    found by a reader who continues from each depth to the next with probability p. Beyond the end of a ranking the
    agreement is unknown; see `Overlap`.

    Parameters
    ----------
    first, second : sequence of str
        Items, best first, without duplicates.
    p : float, default 0.9
        Between 0 and 1.

    Returns
    -------
    Overlap
        NaN if both are empty; 0 with a residual of 1 if one is.

    Raises
    ------
    ArgumentError
        If p is out of range.

    References
    ----------
    Webber, Moffat & Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28(4), 2010: equations 11
    (lowest), 30 (residual) and 32 (extrapolated), which are for rankings of different lengths.

    Examples
    --------
    >>> found = rank_biased_overlap("abcdefg", "zcavwxy")
    >>> [round(value, 4) for value in found]
    [0.2882, 0.2217, 0.359]
    """
    _expect_rankings(first=first, second=second)
    return _overlap(first, second, p)


def _overlap(first: Sequence[str], second: Sequence[str], p: float) -> Overlap:
    if not 0 < p < 1:
        raise ArgumentError(f"the p of rank-biased overlap must be a number between 0 and 1, not {p:g}")
    short, long = sorted((first, second), key=len)
    n_short, n_long = len(short), len(long)
    if not n_long:
        return Overlap(math.nan, math.nan, math.nan)
    # The number of items in common among the first d, for d from 1 to the length of the longer ranking.
    places = {item: place for place, item in enumerate(long)}
    shared = [max(place, places[item]) for place, item in enumerate(short) if item in places]
    common = count_each(np.array(shared, np.int64), minlength=n_long).cumsum()
    at_end, at_short = common[-1], common[n_short - 1] if n_short else 0
    end = n_short + n_long - at_end  # at this depth the rankings could have all their items in common
    depths = np.arange(1.0, end + 1)
    agreeing = np.concatenate([common, np.full(end - n_long, at_end)])
    weights = (1 - p) * p ** (depths - 1) / depths
    lowest = (agreeing * weights).sum() + at_end * (-math.log1p(-p) * (1 - p) / p - weights.sum())
    most = agreeing + np.maximum(depths - n_short, 0) + np.maximum(depths - n_long, 0)
    highest = (most * weights).sum() + p**end
    share = at_short / n_short if n_short else 0.0
    supposed = (agreeing + share * np.maximum(depths - n_short, 0))[:n_long]
    extrapolated = (supposed * weights[:n_long]).sum() + supposed[-1] / n_long * p**n_long
    return Overlap(float(extrapolated), float(lowest), float(highest - lowest))


def mean_overlap(rankings: Sequence[Sequence[str]], p: float = PERSISTENCE) -> float:
    """Mean extrapolated `rank_biased_overlap` of each two rankings that are not both empty; NaN if there are none.

    >>> round(mean_overlap(["abcdefg", "zcavwxy"]), 4)
    0.2882
    """
    # An item in common adds to the overlap by its depth in the ranking where it is lower, and by the lengths of both.
    # So the rankings with an item above are counted by their length: time grows with the rankings, not their pairs.
    sizes = np.array([len(ranking) for ranking in rankings], np.int64)
    pairs = math.comb(len(sizes), 2) - math.comb(np.count_nonzero(sizes == 0), 2)
    if not pairs:
        return math.nan
    numbers: dict[str, int] = {}
    items = np.array([numbers.setdefault(item, len(numbers)) for ranking in rankings for item in ranking], np.int64)
    depths = np.concatenate([np.arange(1, size + 1) for size in sizes])
    order = np.lexsort((depths, items))
    items, depths, lengths = items[order], depths[order], repeat_each(sizes, sizes)[order]
    starts = np.searchsorted(items, items)
    up_to = np.arange(1.0, sizes.max() + 1)
    weights = np.concatenate([[0.0], ((1 - p) * p ** (up_to - 1) / up_to).cumsum()])
    total = 0.0
    for length in np.unique(lengths):
        seen = np.concatenate([[0], (lengths == length).cumsum()])
        above = seen[:-1] - seen[starts]
        short, long = np.minimum(lengths, length), np.maximum(lengths, length)
        end = p**long / long
        beyond = (p**short - p**long) / short - (weights[long] - weights[short]) + (long - short) / short * end
        found = weights[long] - weights[depths - 1] + end
        total += float((above * (found + np.where(depths <= short, beyond, 0.0))).sum())
    return total / pairs


def agreement(
    first: RunLike,
    second: RunLike,
    query_ids: Iterable[str] | None = None,
    *,
    ties: str | None = None,
    depth: int = DEPTH,
    p: float = PERSISTENCE,
    needs: TextNeeds | None = None,
) -> Agreement:
    """Compute the similarity of two runs, averaged over queries.

    Parameters
    ----------
    first, second : run
        Runs, as `evaluate` takes them.
    query_ids : iterable of str, optional
        The queries; by default those of the runs. Queries without a document in either run do not count.
    ties : str, optional
        The order of equal scores, as in `evaluate`.
    depth : int, default 100
        The number of documents of each ranking that are compared.
    p : float, default 0.9
        The persistence of rank-biased overlap.
    needs : TextNeeds, optional
        Those of judgments: each need then counts once, by the mean of its texts.

    Examples
    --------
    >>> found = agreement({"1": ["a", "b", "c"]}, {"1": ["b", "a", "d"]})
    >>> found.tau, round(found.rbo, 4), found.n
    (-1.0, 0.63, 1)
    """
    expect(int, depth=depth)
    one, other = (ordered(as_run(run), ties)[0] for run in (first, second))
    rows = {}
    for query_id in dict.fromkeys([*one.query_ids, *other.query_ids]) if query_ids is None else query_ids:
        a, b = (run.doc_ids_of(query_id)[:depth] for run in (one, other))
        above, back = _agreeing_above(a, b), _agreeing_above(b, a)
        rows[query_id] = [_tau(above), (_tau_ap(above) + _tau_ap(back)) / 2, _overlap(a, b, p).extrapolated]
    _, means = over_needs([*rows], np.array([*rows.values()]).reshape(len(rows), 3), needs or TextNeeds())
    n_common, _, n = np.isfinite(means).sum(axis=0).tolist()
    tau, ap, rbo = (aggregated(values, "mean") for values in means.T.tolist())
    return Agreement(one.name, other.name, tau, ap, rbo, n, n_common)


def _agreeing_above(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    """For each item of the first ranking except the top one, number of items above it in both rankings."""
    places = {item: place for place, item in enumerate(second)}
    theirs = np.array([places[item] for item in first if item in places])
    return np.asarray(np.tril(theirs[:, np.newaxis] > theirs, -1).sum(axis=1)[1:])


def _tau(above: np.ndarray) -> float:
    pairs = above.size * (above.size + 1) / 2  # there is one count for each item but the first
    return float(2 * above.sum() / pairs - 1) if above.size else math.nan


def _tau_ap(above: np.ndarray) -> float:
    return float(2 * (above / np.arange(1, above.size + 1)).mean() - 1) if above.size else math.nan
