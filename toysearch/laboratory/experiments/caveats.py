"""Caveats of a comparison: too few queries, identical systems, the scale, one query, ties, unjudged documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.wording import counted, percent
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.unjudged_bounds import BOUNDED, unjudged_bounds
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.stats.significance import Pair

__all__ = ["Caveat", "caveats"]

FEWEST = 25
"""The recommended minimum of queries: Buckley & Voorhees, SIGIR 2000; 50 are better."""

ORDINAL = ("RR", "ERR")
"""The measures without an interval scale, whose means and differences are disputed: Fuhr 2017."""

_UNBOUNDED = {"judged_only", "gains", "first"}  # with these parameters a measure has no bounds over unjudged documents


class Caveat(NamedTuple):
    """A choice that a conclusion depends on.

    Attributes
    ----------
    kind : {"queries", "identical", "scale", "one query", "ties", "unjudged", "bounds"}
        The kind of dependence.
    measure : str
        The measure of the conclusion; "" for all.
    system, other : str
        The pair; "" for all.
    sentence : str
        The finding, without the names.
    low, high : float or None
        For *bounds*: the least and the greatest possible difference.
    """

    kind: str
    measure: str
    system: str
    other: str
    sentence: str
    low: float | None = None
    high: float | None = None


@checked
def caveats(comparison: Comparison) -> list[Caveat]:
    """The caveats of a comparison; empty if its conclusions are robust.

    A conclusion is that a mean is higher, that it is lower, or that the comparison is inconclusive
    (`Comparison.verdict`). The kinds of caveat:

    * *queries*: there are fewer than 25 queries;
    * *identical*: two systems have the same values by all measures, so there is nothing to conclude;
    * *scale*: the measure is RR or ERR;
    * *one query*: the conclusion changes without the query that supports it most;
    * *ties*: the conclusion changes if documents with equal scores are in the worst order for one system and in the
      best for the other;
    * *unjudged*: the conclusion changes if unjudged documents are removed from all rankings. This is tested only if
      most judged documents are not relevant; otherwise the rankings left would hardly differ;
    * *bounds*: removing them does not change it, but there are unjudged documents among the first ten, and their
      judgments could (`unjudged_bounds`). This is nearly always so if many documents are unjudged. Neither kind is
      told of complete judgments (`Collection.complete`).

    Parameters
    ----------
    comparison : Comparison
        The comparison of the systems.

    Returns
    -------
    list of Caveat
        Sorted by kind, then in the order of the pairs.

    References
    ----------
    Fuhr, "Some common mistakes in IR evaluation, and how they can be avoided", SIGIR Forum 51(3), 2017. Buckley &
    Voorhees, "Evaluating evaluation measure stability", SIGIR 2000. Sakai, "Alternatives to Bpref", SIGIR 2007, on
    rankings without unjudged documents.

    Examples
    --------
    >>> from toysearch.laboratory.experiments.comparison import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> old, new = {n: ["b", "a"] for n in judged}, {n: ["a"] if n < "6" else ["b", "a"] for n in judged}
    >>> for caveat in caveats(compare({"old": old, "new": new}, judged, "RR", test="permutation")):
    ...     print(caveat.kind, caveat.sentence, sep=": ")
    queries: 8 queries: with fewer than 25, a mean depends more on the queries than on the systems
    scale: its values are not on an interval scale, so their means and differences are disputed (Fuhr, SIGIR Forum
    51(3), 2017)
    one query: higher with all queries, inconclusive without query '0', whose difference is +0.5000
    bounds: 38 % of the first ten documents are unjudged; their judgments could change the conclusion
    """
    return [
        *_few(comparison),
        *_identical(comparison),
        *_ordinal(comparison),
        *_one_query(comparison),
        *_ties(comparison),
        *_unjudged(comparison),
    ]


def _few(comparison: Comparison) -> Iterator[Caveat]:
    fewest = min(map(len, comparison.query_ids.values()))
    if fewest < FEWEST:
        sentence = (
            f"{counted(fewest, 'query', 'queries')}: with fewer than {FEWEST}, a mean depends more on the queries "
        )
        sentence += "than on the systems" if fewest > 1 else "than on the systems, and no test is possible with one"
        yield Caveat("queries", "", "", "", sentence)


def _identical(comparison: Comparison) -> Iterator[Caveat]:
    for system, other in dict.fromkeys(pair[1:3] for pair in comparison.pairs):
        of_both = [pair for pair in comparison.pairs if pair[1:3] == (system, other)]
        if all(pair.ties == pair.result.n for pair in of_both):
            yield Caveat(
                "identical", "", system, other, "both have the same value for every query, so there is nothing to test"
            )


def _ordinal(comparison: Comparison) -> Iterator[Caveat]:
    for measure in comparison.measures:
        if measure.name in ORDINAL:
            sentence = (
                "its values are not on an interval scale, so their means and differences are disputed (Fuhr, SIGIR "
                "Forum 51(3), 2017)"
            )
            yield Caveat("scale", str(measure), "", "", sentence)


def _one_query(comparison: Comparison) -> Iterator[Caveat]:
    for pair in comparison.pairs:
        differences = comparison.differences(pair)
        verdict, mean = comparison.verdict(pair), pair.result.mean
        if len(differences) < 2 or not mean:
            continue
        place = int(np.argmax(differences * np.sign(mean)))
        without = np.delete(differences, place)
        verdict_without = comparison.verdict(pair, without)
        if verdict_without != verdict if verdict else np.sign(without.mean().round(12)) == -np.sign(mean):
            query_id = comparison.query_ids[pair.measure][place]
            what = f"without query '{query_id}', whose difference is {differences[place]:+.4f}"
            if verdict:
                yield Caveat(
                    "one query", *pair[:3], f"{_said(verdict)} with all queries, {_said(verdict_without)} {what}"
                )
            else:
                sentence = f"the mean difference is {mean:+.4f}, and {without.mean():+.4f} {what}"
                yield Caveat("one query", *pair[:3], sentence)


def _ties(comparison: Comparison) -> Iterator[Caveat]:
    bounds = {name: evaluation.extremes for name, evaluation in comparison.evaluations.items()}
    for pair in comparison.pairs:
        if any(pair.measure in bounds[name].refused for name in (pair.system, pair.other)):
            continue
        ends = _ends(
            *(
                np.array([side[query_id][pair.measure] for query_id in comparison.query_ids[pair.measure]])
                for name in (pair.system, pair.other)
                for side in bounds[name][:2]
            )
        )
        turned = _turned(comparison, pair, ends)
        if turned:
            low, high = (float(end.mean()) for end in ends)
            sentence = (
                f"{_said(comparison.verdict(pair))} in this order of equal scores, {turned} in another; the difference "
                f"ranges from {low:+.4f} to {high:+.4f}"
            )
            yield Caveat("ties", *pair[:3], sentence)


def _unjudged(comparison: Comparison) -> Iterator[Caveat]:
    condensed = _condensed(comparison)
    retrieved, unjudged = (
        sum(counts)
        for counts in zip(*(evaluation.first_ten for evaluation in comparison.evaluations.values()), strict=True)
    )
    bounds = _unjudged_values(comparison) if unjudged else {}
    for pair in comparison.pairs:
        verdict = _said(comparison.verdict(pair))
        first, second = (comparison.systems.index(name) for name in (pair.system, pair.other))
        if pair.measure in condensed:
            without = condensed[pair.measure][:, first] - condensed[pair.measure][:, second]
            verdict_without = _said(comparison.verdict(pair, without))
            if verdict_without != verdict:
                sentence = (
                    f"{verdict}, but {verdict_without} without the unjudged documents, where the difference is "
                    f"{without.mean():+.4f}"
                )
                yield Caveat("unjudged", *pair[:3], sentence)
                continue
        if pair.measure in bounds:
            least, most = bounds[pair.measure]
            ends = _ends(least[:, first], most[:, first], least[:, second], most[:, second])
            if _turned(comparison, pair, ends):
                low, high = (float(end.mean()) for end in ends)
                sentence = (
                    f"{percent(unjudged, retrieved)} of the first ten documents are unjudged; their judgments could "
                    "change the conclusion"
                )
                yield Caveat("bounds", *pair[:3], sentence, low, high)


def _condensed(comparison: Comparison) -> dict[str, np.ndarray]:
    """The values without unjudged documents, for the measures that can leave them out."""
    relevant = comparison.qrels.relevance >= next(iter(comparison.evaluations.values())).threshold
    leavable = [
        measure
        for measure in comparison.measures
        if "judged_only" in measure.definition.parameters and "judged_only" not in dict(measure.parameters)
    ]
    if not leavable or relevant.mean() >= 0.5 or comparison.qrels.complete:
        return {}
    condensed = [replace(measure, parameters=(*measure.parameters, ("judged_only", True))) for measure in leavable]
    evaluations = [evaluate(run, comparison.qrels, condensed, **comparison.options) for run in comparison.runs.values()]
    columns = {}
    for measure, as_asked in zip(condensed, map(str, leavable), strict=True):
        rows = [
            [evaluation.per_query[query_id][str(measure)] for evaluation in evaluations]
            for query_id in comparison.query_ids[as_asked]
        ]
        columns[as_asked] = np.array(rows)
    return {name: values for name, values in columns.items() if np.isfinite(values).all()}


def _unjudged_values(comparison: Comparison) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The lowest and highest possible values over the unknown judgments, for the measures that have such bounds."""
    bounded = [
        measure
        for measure in comparison.measures
        if measure.name in BOUNDED and not _UNBOUNDED & dict(measure.parameters).keys()
    ]
    rules = {name: comparison.options[name] for name in ("threshold", "gains") if name in comparison.options}
    ties = comparison.options.get("ties")
    order = ties if ties in ("rank", "trec_eval") else None
    bounds = [
        unjudged_bounds(run, comparison.qrels, bounded, ties=order, **rules).per_query
        for run in (comparison.runs.values() if bounded else ())
    ]
    values = {}
    for name in map(str, bounded):
        pairs = np.array(
            [[per_query[query_id][name] for per_query in bounds] for query_id in comparison.query_ids[name]]
        )
        values[name] = (pairs[:, :, 0], pairs[:, :, 1])
    return values


def _ends(low: np.ndarray, high: np.ndarray, other_low: np.ndarray, other_high: np.ndarray) -> list[np.ndarray]:
    """The differences with the system at its worst and the other at its best, and vice versa."""
    return [low - other_high, high - other_low]


def _turned(comparison: Comparison, pair: Pair, ends: list[np.ndarray]) -> str:
    """The verdict under one of these differences if it is another verdict, else an empty string."""
    verdict = comparison.verdict(pair)
    differences_as_ranked = comparison.differences(pair)
    for differences in ends:
        turned = (
            verdict if np.array_equal(differences, differences_as_ranked) else comparison.verdict(pair, differences)
        )
        if turned != verdict:
            return _said(turned)
    return ""


def _said(verdict: int) -> str:
    return {1: "higher", 0: "inconclusive", -1: "lower"}[verdict]
