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
    reduce_at,
    repeat_each,
)
from toysearch.evaluation.values_and_means import over_needs
from toysearch.files import RunLike, as_run
from toysearch.models import Array

__all__ = ["Agreement", "agreement", "kendall_tau", "rank_biased_overlap", "tau_ap"]

PERSISTENCE = 0.9
"""Parameter p of rank-biased overlap: the first ten ranks have 86 % of the weight."""

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


def tau_b(first: Array, second: Array) -> float:
    """Kendall's τ_b of two lists of values: pairs that one of them ties count for neither order; NaN if one ties all.

    >>> round(tau_b(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0])), 4)
    0.8165
    """
    return float(_kendall(np.ones((1, len(first))), first, second)[0]) if len(first) > 1 else math.nan


def mean_tau_ap(first: Array, second: Array) -> float:
    """Symmetric τ_AP of the orders that two lists of values give, the highest first: the mean over all orders of ties.

    The second and the third item can stand either way:

    >>> round(mean_tau_ap(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0])), 4)
    0.75
    >>> float(tau_ap("abc", "abc") + tau_ap("acb", "abc")) / 2
    0.75
    """
    n = len(first)
    if n < 2:
        return math.nan
    total = 0.0
    for one, other in ((first, second), (second, first)):
        agreeing = (1 + np.sign(other[:, np.newaxis] - other)) / 2  # how often the item of the row is above the other
        for item in range(n):
            above, tied = one > one[item], one == one[item]
            tied[item] = False
            certain, mates = agreeing[above, item].sum(), agreeing[tied, item].sum()
            n_above, n_tied = np.count_nonzero(above), np.count_nonzero(tied)
            # Each number of the tied items can be above it, and each choice of that many.
            places = np.arange(n_above == 0, n_tied + 1)
            shares = (certain + places / max(n_tied, 1) * mates) / (n_above + places)
            total += float(shares.sum()) / (n_tied + 1)
    return float(total / (n - 1) - 1)


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
    _check_persistence(p)
    short, long = sorted((first, second), key=len)
    n_short, n_long = len(short), len(long)
    if not n_long:
        return Overlap(math.nan, math.nan, math.nan)
    # The number of items in common among the first d, for d from 1 to the length of the longer ranking.
    places = {item: place for place, item in enumerate(long)}
    shared = [max(place, places[item]) for place, item in enumerate(short) if item in places]
    common = count_each(np.array(shared, dtype=np.int64), minlength=n_long).cumsum()
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


def _check_persistence(p: float) -> None:
    if not 0 < p < 1:
        raise ArgumentError(f"the p of rank-biased overlap must be a number between 0 and 1, not {p:g}")


def mean_overlap(rankings: Sequence[Sequence[str]], p: float = PERSISTENCE) -> float:
    """Mean extrapolated `rank_biased_overlap` of each two rankings that are not both empty; NaN if there are none.

    >>> round(mean_overlap(["abcdefg", "zcavwxy"]), 4)
    0.2882
    """
    # An item in common adds to the overlap by its depth in the ranking where it is lower, and by the lengths of both.
    # So the rankings with an item above are counted by their length: time grows with the rankings, not their pairs.
    _check_persistence(p)
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
    rows: dict[str, list[float]] = {}
    for query_id in dict.fromkeys([*one.query_ids, *other.query_ids]) if query_ids is None else query_ids:
        a, b = (run.doc_ids[run.rows(query_id)][:depth] for run in (one, other))
        above, back = _agreeing_above(a, b), _agreeing_above(b, a)
        rows[query_id] = [_tau(above), (_tau_ap(above) + _tau_ap(back)) / 2, _overlap(a, b, p).extrapolated]
    _, means = over_needs([*rows], np.array([*rows.values()]).reshape(len(rows), 3), needs or TextNeeds())
    taus, taus_ap, overlaps = means.T.tolist()
    n, n_common = (sum(not math.isnan(value) for value in values) for values in (overlaps, taus))
    return Agreement(one.name, other.name, _mean(taus), _mean(taus_ap), _mean(overlaps), n, n_common)


def _mean(values: Iterable[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


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


SAMPLES = 2_000
"""Number of bootstrap samples: the ends of an interval vary by about 0.01 of its width between seeds."""

_BLOCK = 64  # samples whose pairs are counted at a time


class Estimate(NamedTuple):
    """Value and its interval; NaN if undefined."""

    value: float
    low: float
    high: float


_UNDEFINED = Estimate(math.nan, math.nan, math.nan)


class ValueCorrelation(NamedTuple):
    """Agreement of predicted with actual values over n queries."""

    n: int
    pearson: Estimate
    kendall: Estimate  # tau-b
    smare: Estimate  # 0 is best; a random order has about 1/3


def value_correlation(
    predicted: Array, actual: Array, *, alpha: float = 0.05, seed: int = 0, samples: int = SAMPLES
) -> ValueCorrelation:
    """Correlate predicted and actual values, both finite, with percentile intervals of the bootstrap.

    >>> found = value_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.3, 0.2, 0.9]))
    >>> round(found.pearson.value, 4), round(found.kendall.value, 4), found.smare.value
    (0.8262, 0.6667, 0.125)
    """
    # Queries are drawn with replacement; a sample is the number of times that each query was drawn, so all three are
    # weighted formulas. Samples whose values are all equal have no correlation and do not count. Efron & Tibshirani, An
    # Introduction to the Bootstrap, 1993, §13.3.
    n = len(predicted)
    if n < 2:
        return ValueCorrelation(n, *[_UNDEFINED] * 3)
    once = np.ones((1, n))
    errors = scaled_errors(predicted, actual)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=samples).astype(np.float64)
    both = np.concatenate([once, drawn])
    pearson = _pearson(both, predicted, actual)
    smare = both @ errors / n if math.isfinite(pearson[0]) else np.full(len(both), math.nan)
    coefficients = [pearson, _kendall(both, predicted, actual), smare]
    estimates = []
    for values in coefficients:
        of_samples = values[1:][np.isfinite(values[1:])]
        low = high = math.nan
        if len(of_samples) and math.isfinite(values[0]):
            low, high = np.quantile(of_samples, [alpha / 2, 1 - alpha / 2])
        estimates.append(Estimate(float(values[0]), float(low), float(high)))
    return ValueCorrelation(n, *estimates)


def scaled_errors(predicted: Array, actual: Array) -> Array:
    """Scaled absolute rank error of each query, |rank(predicted) − rank(actual)| / n; equal values share a rank.

    >>> scaled_errors(np.array([1.0, 2.0, 2.0, 4.0]), np.array([0.1, 0.3, 0.2, 0.9])).tolist()
    [0.0, 0.125, 0.125, 0.0]
    """
    # Faggioli, Zendel, Culpepper, Ferro & Scholer, "An enhanced evaluation framework for query performance prediction",
    # ECIR 2021; their mean is sMARE.
    return np.asarray(np.abs(_ranks(predicted) - _ranks(actual)) / len(actual))


def _ranks(values: Array) -> Array:
    """Rank each value, from 1; equal values have the mean of their ranks."""
    ordered = np.sort(values)
    below, not_above = np.searchsorted(ordered, values), np.searchsorted(ordered, values, "right")
    return np.asarray((below + not_above + 1) / 2)


def _pearson(weights: Array, first: Array, second: Array) -> Array:
    n = weights.sum(1)
    x, y = first - first.mean(), second - second.mean()
    mean_x, mean_y = weights @ x / n, weights @ y / n
    covariance = weights @ (x * y) / n - mean_x * mean_y
    square_x, square_y = weights @ (x * x) / n, weights @ (y * y) / n
    variance_x, variance_y = square_x - mean_x**2, square_y - mean_y**2
    varied = (variance_x > 1e-12 * square_x) & (variance_y > 1e-12 * square_y)
    return np.where(varied, covariance / np.sqrt(np.where(varied, variance_x * variance_y, 1)), math.nan)


def _kendall(weights: Array, first: Array, second: Array) -> Array:
    # The sums are whole numbers below 2**53, so their order does not matter.
    order = np.lexsort((second, first))
    x, y = (np.unique(values[order], return_inverse=True)[1].astype(np.int64) for values in (first, second))
    starts = range(0, len(weights), _BLOCK)
    found = [_agreeing_and_apart(weights[start : start + _BLOCK, order], x, y) for start in starts]
    agreeing, apart, apart_too = np.concatenate(found, axis=1)
    varied = (apart > 0) & (apart_too > 0)
    return np.where(varied, agreeing / np.sqrt(np.where(varied, apart * apart_too, 1)), math.nan)


def _agreeing_and_apart(weights: Array, x: np.ndarray, y: np.ndarray) -> Array:
    """Count pairs of items in samples: concordant minus discordant ones, and those that x or y tells apart.

    weights: (samples, n), for items by rising x, and rising y if x is equal.
    """
    squares = np.square(weights.sum(1))
    apart, apart_too, apart_in_any = (squares - _tied(weights, values) for values in (x, y, x * (y.max() + 1) + y))
    agreeing, places, width = np.zeros(len(weights)), np.arange(len(x), dtype=np.int64), 1
    while width < len(x):  # pairs of an item in the left half of a block, and one in its right half
        blocks, is_right = places // (2 * width), places // width % 2 == 1
        order = np.lexsort((y, blocks))
        values = blocks * (y.max() + 1) + y
        of_left = np.where(is_right, 0, weights)[:, order].cumsum(1)
        of_left = np.concatenate([np.zeros((len(weights), 1)), of_left], axis=1)
        right, sorted_values = values[is_right], values[order]
        bounds = [np.searchsorted(sorted_values, right, side) for side in ("left", "right")]
        bounds += [np.searchsorted(blocks, blocks[is_right], side) for side in ("left", "right")]
        below, not_above, none, all_of_block = (of_left[:, places_of] for places_of in bounds)
        agreeing += (weights[:, is_right] * (below + not_above - none - all_of_block)).sum(1)
        width *= 2
    in_ties_of_x = apart_in_any - apart  # y rises there
    return np.stack([2 * agreeing - in_ties_of_x, apart, apart_too])


def _tied(weights: Array, values: np.ndarray) -> Array:
    """Add up the products of the weights of each two items with equal values."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-1))
    return np.asarray(np.square(reduce_at(np.add, weights[:, order].T, starts)).sum(0))
