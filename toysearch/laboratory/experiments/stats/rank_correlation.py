"""How alike two rankings are: Kendall's τ, τ of average precision, rank-biased overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch import display
from toysearch.argument_checks import checked
from toysearch.errors import ArgumentError
from toysearch.formats.run_and_qrels import RunLike, as_run
from toysearch.records import ordered

__all__ = ["Agreement", "agreement", "kendall_tau", "rank_biased_overlap", "tau_ap"]

PERSISTENCE = 0.9
"""The p of rank-biased overlap: the first ten ranks have 86 % of the weight."""

DEPTH = 100
"""How many documents of each ranking are compared by default."""


class Overlap(NamedTuple):
    """Rank-biased overlap: what is known of it, and what is not."""

    extrapolated: float  # RBO_ext: as if the rankings went on to agree as they do at their ends
    lowest: float  # RBO_min: as if they had nothing else in common
    residual: float  # RBO_res: by how much it could be more than the lowest


class Agreement(NamedTuple):
    """How alike two systems rank, the mean over queries.

    Attributes
    ----------
    first, second : str
        The systems.
    tau, tau_ap, rbo : float
        Kendall's τ and τ_AP, of the documents that both have; rank-biased overlap, of all. NaN where no query has one.
    n : int
        Of how many queries the mean of `rbo` is.
    n_common : int
        In how many both have two documents or more in common: those of which `tau` and `tau_ap` are.
    """

    first: str
    second: str
    tau: float
    tau_ap: float
    rbo: float
    n: int
    n_common: int

    def _repr_html_(self) -> str:
        return display.html(self)

    def frame(self) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return display.frame(self)


@checked
def kendall_tau(first: Sequence[str], second: Sequence[str]) -> float:
    """Kendall's τ of two rankings: (concordant − discordant pairs) / all pairs, of the items that both have.

    Parameters
    ----------
    first, second : sequence of str
        Items, best first, none twice.

    Returns
    -------
    float
        From −1, the other way round, to 1; NaN with fewer than two items in common.

    References
    ----------
    Kendall, "A new measure of rank correlation", Biometrika 30, 1938.

    Examples
    --------
    Of three pairs one is turned round:

    >>> round(kendall_tau(["a", "b", "c"], ["b", "a", "c"]), 4)
    0.3333
    """
    above = _agreeing_above(first, second)
    pairs = above.size * (above.size + 1) / 2  # there is a count for each item but the first
    return float(2 * above.sum() / pairs - 1) if above.size else math.nan


@checked
def tau_ap(first: Sequence[str], second: Sequence[str], *, symmetric: bool = True) -> float:
    """τ of average precision: as Kendall's τ, but what happens at the top weighs more.

    2/(n − 1) · Σ C(i)/(i − 1) − 1, i from 2 to n, where C(i) is how many of the items above rank i of the first
    ranking are above that item in the second too. It is the second ranking that is the truth, so first and second
    cannot change places; the symmetric form is the mean of both ways.

    Parameters
    ----------
    first, second : sequence of str
        Items, best first, none twice; those that both have are compared.
    symmetric : bool, default True
        Whether neither ranking is the truth.

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
    An exchange at the top costs more than one at the end; Kendall's τ is 0.67 for both:

    >>> round(tau_ap("bacd", "abcd"), 4), round(tau_ap("abdc", "abcd"), 4)
    (0.3333, 0.7778)
    """
    if symmetric:
        return (tau_ap(first, second, symmetric=False) + tau_ap(second, first, symmetric=False)) / 2
    above = _agreeing_above(first, second)
    return float(2 * (above / np.arange(1, above.size + 1)).mean() - 1) if above.size else math.nan


@checked
def rank_biased_overlap(first: Sequence[str], second: Sequence[str], p: float = PERSISTENCE) -> Overlap:
    """Rank-biased overlap of two rankings, which need not have the same items nor the same length.

    (1 − p) · Σ pᵈ⁻¹ · X(d)/d, where X(d) is how many items the first d of both have in common: the agreement that a
    reader finds who goes on from each depth to the next with probability p. Rankings that end leave what is beyond
    open; see `Overlap`.

    Parameters
    ----------
    first, second : sequence of str
        Items, best first, none twice.
    p : float, default 0.9
        Between 0 and 1.

    Returns
    -------
    Overlap
        NaN if both are empty; if one is, 0 with a residual of 1.

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
    if not 0 < p < 1:
        raise ArgumentError(f"the p of rank-biased overlap is a number between 0 and 1, not {p:g}")
    short, long = sorted((first, second), key=len)
    n_short, n_long = len(short), len(long)
    if not n_long:
        return Overlap(math.nan, math.nan, math.nan)
    common = _common(short, long)
    at_end, at_short = common[-1], common[n_short - 1] if n_short else 0
    end = n_short + n_long - at_end  # at this depth the rankings could have all their items in common
    depths = np.arange(1.0, end + 1)
    seen = np.concatenate([common, np.full(end - n_long, at_end)])
    weights = (1 - p) * p ** (depths - 1) / depths
    lowest = (seen * weights).sum() + at_end * (-math.log1p(-p) * (1 - p) / p - weights.sum())
    most = seen + np.maximum(depths - n_short, 0) + np.maximum(depths - n_long, 0)
    highest = (most * weights).sum() + p**end
    share = at_short / n_short if n_short else 0.0
    supposed = (seen + share * np.maximum(depths - n_short, 0))[:n_long]
    extrapolated = (supposed * weights[:n_long]).sum() + supposed[-1] / n_long * p**n_long
    return Overlap(float(extrapolated), float(lowest), float(highest - lowest))


@checked
def agreement(
    first: RunLike,
    second: RunLike,
    query_ids: Iterable[str] | None = None,
    *,
    ties: str | None = None,
    depth: int = DEPTH,
    p: float = PERSISTENCE,
) -> Agreement:
    """How alike two runs rank: the means over queries.

    Parameters
    ----------
    first, second : run
        What `evaluate` takes as a run.
    query_ids : iterable of str, optional
        The queries; by default those of the runs. One for which neither run has a document does not count.
    ties : str, optional
        The order of equal scores, as of `evaluate`.
    depth : int, default 100
        How many documents of each ranking are compared.
    p : float, default 0.9
        The persistence of rank-biased overlap.

    Examples
    --------
    >>> found = agreement({"1": ["a", "b", "c"]}, {"1": ["b", "a", "d"]})
    >>> found.tau, round(found.rbo, 4), found.n
    (-1.0, 0.63, 1)
    """
    one, other = (ordered(as_run(run), ties)[0] for run in (first, second))
    taus, taus_ap, overlaps = [], [], []
    for query_id in dict.fromkeys([*one.query_ids, *other.query_ids]) if query_ids is None else query_ids:
        a, b = (run.doc_ids[run.rows(query_id)][:depth] for run in (one, other))
        taus.append(kendall_tau(a, b))
        taus_ap.append(tau_ap(a, b))
        overlaps.append(rank_biased_overlap(a, b, p).extrapolated)
    n, n_common = (sum(not math.isnan(value) for value in values) for values in (overlaps, taus))
    return Agreement(one.name, other.name, _mean(taus), _mean(taus_ap), _mean(overlaps), n, n_common)


def _mean(values: Iterable[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _agreeing_above(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    """For each item of the first ranking but its first: how many above it are above it in the second ranking too."""
    places = {item: place for place, item in enumerate(second)}
    theirs = np.array([places[item] for item in first if item in places])
    return np.asarray(np.tril(theirs[:, np.newaxis] > theirs, -1).sum(axis=1)[1:])


def _common(short: Sequence[str], long: Sequence[str]) -> np.ndarray:
    """How many items the first d of both rankings have in common, d from 1 to the length of the longer."""
    places = {item: place for place, item in enumerate(long)}
    depths = [max(place, places[item]) for place, item in enumerate(short) if item in places]
    return np.bincount(np.array(depths, dtype=np.int64), minlength=len(long)).cumsum()
