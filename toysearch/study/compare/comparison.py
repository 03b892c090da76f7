"""Systems compared on the same queries: means, differences, their significance, and caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, compress
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Part,
    Qrels,
    Result,
    ResultTable,
    Run,
    TextNeeds,
    ToysearchError,
    counted,
    expect,
    expect_name,
    expect_seed,
    percent,
    unknown,
)
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import SIZE, Measure, mean_measures
from toysearch.evaluation.evaluate import DEFAULT_MEASURES, Evaluation, evaluate, expect_options
from toysearch.evaluation.intervals import FEWEST as FEWEST_OF_INTERVALS
from toysearch.evaluation.intervals import MeanInterval, check_alpha, mean_interval
from toysearch.evaluation.unjudged_bounds import BOUNDED, unjudged_bounds
from toysearch.evaluation.values_and_means import over_needs
from toysearch.files import QrelsLike
from toysearch.study.compare.comparison_tables import (
    ComparedQueries,
    caveat_lines,
    compared_data,
    compared_rows,
    compared_tables,
    comparison_parts,
    letter_of,
    paper_table,
    tested_text,
)
from toysearch.study.compare.comparison_verdict import condition_of, verdict_of
from toysearch.study.compare.consistency import Consistency, consistency
from toysearch.study.compare.margin import MarginVerdict, check_margin, margin_verdicts
from toysearch.study.compare.significance import (
    CORRECTIONS,
    DECIMALS,
    ROUNDING,
    TESTS,
    TUKEY,
    Pair,
    Procedure,
    mean_of,
    paired_test,
    side_of_test,
    tested_pairs,
)
from toysearch.study.study import DEPTH, DocumentsLike, JudgedLike, Study, SystemsLike, ranked_of

__all__ = ["Caveat", "Comparison", "caveats", "compare"]


PAIRS = ("baseline", "all")
"""Compared pairs: each system with the baseline, or all pairs."""

FAMILIES = ("all", "measure")
"""Tests corrected together: all, or those of one measure."""


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Systems compared on the same queries, by measures.

    Attributes
    ----------
    runs : dict of str to Run
        The systems by name.
    qrels : Qrels
        The judgments.
    evaluations : dict of str to Evaluation
        Name → the evaluation, by the same measures.
    measures : tuple of Measure
        The measures compared.
    baseline : str or None
        The system with which the others were compared; None for all pairs.
    how : Procedure
        The test, the correction and its family, alpha and the seed.
    query_ids : dict of str to tuple of str
        Measure → the queries for which it is defined for every system; the needs, if some have several texts.
    values : dict of str to ndarray of float64, shape (queries, systems)
        Measure → its values, aligned with `query_ids` and `systems`.
    pairs : tuple of Pair
        The comparisons that were made, by measure.
    options : dict
        Further arguments of `evaluate`.
    texts : dict of str to tuple of str
        Measure → the queries by whose values those of `query_ids` are computed: if these are needs, their texts.
    """

    runs: dict[str, Run]
    qrels: Qrels
    evaluations: dict[str, Evaluation]
    measures: tuple[Measure, ...]
    baseline: str | None
    how: Procedure
    query_ids: dict[str, tuple[str, ...]]
    values: dict[str, np.ndarray]
    pairs: tuple[Pair, ...]
    options: dict[str, Any]
    texts: dict[str, tuple[str, ...]]

    @property
    def first(self) -> Evaluation:
        """Values of the first system, whose rules are those of all."""
        return next(iter(self.evaluations.values()))

    @property
    def needs(self) -> TextNeeds:
        """Query → the need that it is a text of; empty if no need has several texts."""
        return self.first.needs

    @property
    def kind(self) -> tuple[str, str]:
        """Name of what is compared, for one and for several: queries, or needs if some have several texts."""
        return self.needs.kind

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, in the order given."""
        return tuple(self.evaluations)

    @cached_property
    def consistencies(self) -> list[Consistency]:
        """For each system its consistency over the texts of a need; none if no need has several."""
        if not self.needs:
            return []
        return [consistency(self.runs.get(name), values) for name, values in self.evaluations.items()]

    @cached_property
    def spread_pairs(self) -> tuple[Pair, ...]:
        """The same pairs compared by the spread of the values over the texts of a need; lower is more consistent."""
        table = {}
        for name in map(str, self.measures):
            columns = [{row.need: row.spread for row in one.rows if row.measure == name} for one in self.consistencies]
            rows = np.array([[column.get(need, np.nan) for column in columns] for need in self.query_ids[name]])
            table[name] = rows[np.isfinite(rows).all(axis=1)]
        pairs = list(dict.fromkeys((pair.system, pair.other) for pair in self.pairs))
        if not self.needs or not all(map(len, table.values())):
            return ()
        tested = tested_pairs(table, self.measures, self.systems, pairs, self.how)
        return tuple(one if one.sign < 0 else one._replace(wins=one.losses, losses=one.wins) for one in tested)

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """Measure → system → mean over the evaluated queries."""
        return {
            name: dict(zip(self.systems, map(mean_of, values.T), strict=True)) for name, values in self.values.items()
        }

    @cached_property
    def intervals(self) -> dict[str, dict[str, MeanInterval]]:
        """Measure → system → interval of the mean at the level 1 − alpha, by Student's t."""
        return {
            measure.text: {
                name: mean_interval(measure, values, self.how.alpha)
                for name, values in zip(self.systems, self.values[measure.text].T, strict=True)
            }
            for measure in self.measures
        }

    @cached_property
    def best(self) -> dict[str, str]:
        """Measure → system with the best mean, the first of ties; a measure without a direction has none."""
        best = {}
        for measure in self.measures:
            if measure.definition.better is not None:
                means = {name: measure.sign * round(mean, DECIMALS) for name, mean in self.means[measure.text].items()}
                best[measure.text] = max(means, key=means.__getitem__)
        return best

    @cached_property
    def as_good(self) -> dict[str, tuple[str, ...]]:
        """Measure → other systems that are indistinguishable from the best one.

        The best system is chosen by looking at all systems. So p is corrected for all pairs of systems other than the
        baseline, except in comparisons with the baseline itself.
        """
        as_good = {}
        for measure, best in self.best.items():
            alike = {name for pair in self.of_best(measure) if not self.verdict(pair) for name in pair[1:3]}
            as_good[measure] = tuple(name for name in self.systems if name in alike and name != best)
        return as_good

    @cached_property
    def letters(self) -> dict[str, dict[str, str]]:
        """Measure → system → letters, if all pairs were compared: systems share one if they are indistinguishable.

        Each largest group of systems without a difference has a letter, the group of the best system the first (Piepho,
        "An algorithm for a letter-based representation of all-pairwise comparisons", JCGS 13(2), 2004).
        """
        letters = {}
        for measure in self.measures if self.baseline is None else ():
            name = measure.text
            groups = {frozenset(self.systems)}
            for pair in self.pairs:
                if pair.measure == name and self.verdict(pair):
                    both = {pair.system, pair.other}
                    parts = {group - {one} for group in groups for one in (both if both <= group else ("",))}
                    groups = {group for group in parts if not any(group < other for other in parts)}
            order = sorted(self.systems, key=lambda system: -measure.sign * self.means[name][system])
            by_rank = sorted(groups, key=lambda group: sorted(map(order.index, group)))
            between = "" if len(groups) <= 26 else ","
            letters[name] = {
                system: between.join(letter_of(place) for place, group in enumerate(by_rank) if system in group)
                for system in self.systems
            }
        return letters

    @property
    def together(self) -> int:
        """Number of comparisons that p is corrected for."""
        how, measures = self.how, len(self.measures)
        if how.tried:
            return how.comparisons(len(self.pairs), measures)
        return len(self.pairs) // (1 if how.shares_measures else measures)

    @cached_property
    def margins(self) -> tuple[MarginVerdict, ...]:
        """For each pair, whether the system is worse by the margin or more; none without a margin."""
        return tuple(margin_verdicts(self)) if self.how.margin else ()

    @property
    def per_query(self) -> ComparedQueries:
        """Value of each system and each difference, query by query; the means as query 'all'."""
        return ComparedQueries(self)

    def of_best(self, measure: str | Measure) -> list[Pair]:
        """Pair the best system by a measure with each of the others, tested as for `as_good`.

        Parameters
        ----------
        measure : str or Measure
            One of `measures` that has a best.
        """
        expect_name("measure", str(measure), self.best)
        name, best = str(measure), self.best[str(measure)]
        return [pair for pair in self.every_pair if pair.measure == name and best in (pair.system, pair.other)]

    def pair(self, measure: str | Measure, system: str, other: str | None = None) -> Pair:
        """Return the comparison of two systems by a measure.

        Parameters
        ----------
        measure : str or Measure
            One of `measures`.
        system : str
            A system.
        other : str, optional
            The system to compare it with; the baseline by default.

        Raises
        ------
        ArgumentError
            If the two systems were not compared.
        """
        other = self.baseline if other is None else other
        for pair in self.pairs:
            if (pair.measure, pair.system, pair.other) == (str(measure), system, other):
                return pair
        raise ArgumentError(f"{system} was not compared with {other} by {measure}")

    def family(self, pair: Pair) -> tuple[Pair, ...]:
        """Return the pairs whose p-values are corrected together, including the pair given.

        Parameters
        ----------
        pair : Pair
            One of `pairs`.
        """
        return tuple(other for other in self.pairs if self.how.shares_measures or other.measure == pair.measure)

    def differences(self, pair: Pair) -> np.ndarray:
        """Return the differences of a pair, query by query, aligned with the `query_ids` of the measure.

        Parameters
        ----------
        pair : Pair
            One of `pairs`.
        """
        expect(Pair, pair=pair)
        first, second = map(self.systems.index, pair[1:3])
        values = self.values[pair.measure]
        return np.asarray(values[:, first] - values[:, second])

    def verdict(self, pair: Pair, differences: np.ndarray | None = None) -> int:
        """Judge a pair: 1 if the system has the higher mean, −1 if the lower, 0 if inconclusive.

        It is inconclusive too if the test of signs or ranks finds the other side than the mean.

        Parameters
        ----------
        pair : Pair
            One of `pairs`.
        differences : ndarray of float64, optional
            Differences to use instead of those of the pair; all other comparisons stay the same.
        """
        expect(Pair, pair=pair)
        mean, p = pair.result.mean, pair.p
        if differences is not None:
            mean = mean_of(differences)
            if self.how.test == TUKEY:  # the critical difference is half the width of every interval
                critical = (pair.result.high - pair.result.low) / 2
                p = 0.0 if abs(mean) > critical + ROUNDING else 1.0
            else:
                family = self.family(pair)
                place = family.index(pair)
                p_values = [member.result.p for member in family]
                p_values[place] = paired_test(differences, self.how.test, alpha=self.how.alpha, seed=self.how.seed).p
                p = float(self.how.corrected(p_values, len(self.measures))[place])
        if not p <= self.how.alpha:
            return 0
        side = side_of_test(self.how.test, self.differences(pair) if differences is None else differences)
        return side if side == np.sign(mean) else 0

    def __repr__(self) -> str:
        verdict = verdict_of(self)
        return f"<Comparison of {counted(len(self.systems), 'system')}{': ' * bool(verdict)}{verdict}>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Make one table per measure; for programs and papers, one with a row per pair."""
        return [*compared_tables(self, False)] if form == "table" else [compared_rows(self, form)]

    def sentences(self) -> list[str]:
        """Give the verdict, name the test, and the conditions of the conclusions."""
        verdicts = [verdict_of(self), condition_of(self, self._caveats), *(one.sentence for one in self.margins)]
        return [*filter(None, verdicts), tested_text(self), *caveat_lines(self._caveats)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """Yield the verdict, the tables, the legend, and the conditions of the conclusions."""
        about = f"relevant from grade {self.first.threshold:g} · ties {self.first.ties}"
        return comparison_parts(self, self._caveats, about=about, terminal=width is not None)

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return compared_data(self, self._caveats)

    @cached_property
    def _caveats(self) -> list[Caveat]:
        return caveats(self)

    def to_latex(self) -> str:
        """Write a table for a paper: systems in rows, measures in columns, letters for significant differences.

        It needs the LaTeX package booktabs. ``compare --format latex`` prints the same table.
        """
        return paper_table(self)

    @cached_property
    def every_pair(self) -> tuple[Pair, ...]:
        """The pairs that were compared, and those beside the baseline, which are corrected among themselves."""
        names = [name for name in self.systems if name != self.baseline]
        compared = [] if self.baseline is None else list(combinations(names, 2))
        return (*self.pairs, *tested_pairs(self.values, self.measures, self.systems, compared, self.how))


def compare(
    systems: SystemsLike,
    qrels: QrelsLike | JudgedLike,
    measures: str | Iterable[object] = DEFAULT_MEASURES,
    *,
    baseline: str | None = None,
    test: str | None = None,
    correction: str = "holm",
    family: str = "all",
    alpha: float = 0.05,
    margin: float | None = None,
    pairs: str = "baseline",
    seed: int = 0,
    tried: int = 0,
    index: DocumentsLike | None = None,
    queries: QueriesLike | None = None,
    k: int | None = DEPTH,
    threads: int | None = None,
    **options: Any,
) -> Comparison:
    """Compare systems on the same queries, and test the differences of their means.

    Every system is evaluated as `evaluate` does. Each is tested against the baseline, query by query, and p is
    corrected for all comparisons made: all measures times all systems but the baseline. With ``family="measure"`` it
    is corrected for the comparisons by the same measure only.

    Parameters
    ----------
    systems : mapping of str to run or model, or list of run or model
        The systems by name, or a list of systems with distinct names. Each is a run as `evaluate` takes it; a model as
        `Searcher` takes it, or a `System`, a model with its own analysis, which rank the judged queries. A single one
        has means and values but no pairs, which is enough for `report` and `plot`.
    qrels : Qrels, dict, data frame, path, Collection, Index, Searcher or name
        The judgments, as `evaluate` takes them. Models need a collection, or an index built from a named one.
    measures : str or iterable, default ("AP", "nDCG@10", "P@10")
        As `evaluate` takes them. Counts are compared by their means over queries.
    baseline : str, optional
        The name of the system with which the others are compared; the first one by default.
    test : {"t", "wilcoxon", "sign", "permutation", "bootstrap"}, optional
        As in `paired_test`; "t" by default. For all pairs the default is "tukey", the randomised Tukey HSD test.
    correction : {"holm", "bonferroni", "bh", "none"}, default "holm"
        As in `corrected`. "tukey" itself corrects for all pairs; its p is then multiplied by the number of measures,
        unless the correction is "none" or the family "measure".
    family : {"all", "measure"}, default "all"
        The tests corrected together: all, or those of one measure, if the measures answer separate questions.
    alpha : float, default 0.05
        The significance level: a corrected p of at most alpha counts as a difference. The level of an interval is
        1 − alpha, corrected as its p is; with "tukey" and "bonferroni", all intervals hold simultaneously.
    margin : float, optional
        Test too whether each system is worse than the baseline by this or more: `Comparison.margins`. The tests are two
        one-sided t tests, corrected as p is.
    pairs : {"baseline", "all"}, default "baseline"
        Whether each system is compared with the baseline, or all pairs.
    seed : int, default 0
        The seed of randomised tests.
    tried : int, default 0
        The number of settings that have been tried on these queries in all, if there are more than those compared. Then
        p is multiplied by the number of comparisons of all of them with the baseline, as Bonferroni does, whichever
        correction is given.
    index : Index, Collection, Searcher, name or path, optional
        The index that models search, if not the collection itself; required with plain judgments.
    queries : optional
        The queries for models instead of those of the collection, as `read_queries` takes them.
    k : int or None, default 1000
        The maximum number of documents that models retrieve per query.
    threads : int, optional
        The number of threads that search; by default one per core. The result does not depend on it.
    **options
        Other arguments of `evaluate`: threshold, ties, undefined, convention …

    Returns
    -------
    Comparison

    Raises
    ------
    ArgumentError
        If there is no system, two systems have the same name, or a name or an option is unknown.
    DataError
        As in `evaluate`; also if two runs have no judged query in common, or a measure is defined for no query.

    Examples
    --------
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> found = compare(
    ...     {"old": {n: ["b", "a"] for n in judged}, "new": {n: ["a"] if n < "6" else ["b", "a"] for n in judged}},
    ...     judged, "RR", test="permutation",
    ... )
    >>> pair = found.pair("RR", "new")
    >>> pair.result.mean, pair.p, (pair.wins, pair.ties, pair.losses)
    (0.375, 0.03125, (6, 2, 0))
    >>> found.best, found.as_good
    ({'RR': 'new'}, {'RR': ()})
    >>> compare(["dice", "bm25"], "companions", "AP")
    <Comparison of 2 systems: bm25 is better than dice in AP (+0.1206, 95% CI +0.0804 to +0.1608; p < 0.0001).>
    """
    expect_seed(seed)
    expect(int, tried=tried)
    measured = mean_measures(measures, SIZE)
    check_alpha(alpha)
    expect_name("choice of pairs", pairs, PAIRS, "choices of pairs")
    tests = [*TESTS, TUKEY] if pairs == "all" else list(TESTS)
    expect_options("compare", options)
    test = test or (TUKEY if pairs == "all" else "t")
    if test == TUKEY and pairs != "all":
        raise ArgumentError("the test 'tukey' compares all pairs of systems; give pairs='all' with it")
    expect_name("test", test, tests)
    expect_name("correction", correction, CORRECTIONS)
    expect_name("family", family, FAMILIES, "families")
    if tried and (pairs == "all" or family != "all"):
        raise ArgumentError("tried counts comparisons with the baseline by all measures; leave out pairs and family")
    if margin is not None:
        check_margin(margin)
        if pairs == "all":
            raise ArgumentError("a margin is tested against the baseline: leave out pairs='all', or margin")
    how = Procedure(test, "bonferroni" if tried else correction, alpha, seed, family, tried, margin or 0.0)
    study = Study.of_judgments(qrels, index, queries).with_scoring(k=k, ties=options.get("ties"), threads=threads)
    study, named_runs = study.systems(systems)
    if not study.models and (k != DEPTH or any(option is not None for option in (index, queries, threads))):
        raise ArgumentError("index, queries, k and threads apply only to models; runs are compared as they are")
    measured = study.sized(measured)
    twice = [name for name, times in Counter(name for name, _ in named_runs).items() if times > 1]
    if twice:
        raise ArgumentError(f"two systems have the name '{twice[0]}'; name each, in Python {{'a': …, 'b': …}}")
    if not named_runs:
        raise ArgumentError("a comparison needs at least one system, but none was given")
    runs, judgments = dict(named_runs), study.qrels()
    if baseline is not None:
        if baseline not in runs:  # its run may have a shorter name: bm25:k1=1.2 is bm25
            with suppress(ToysearchError):
                baseline = str(ranked_of(baseline))
        if pairs == "all":
            raise ArgumentError(f"a comparison of all pairs has no baseline; leave out '{baseline}'")
        if baseline not in runs:
            raise unknown("baseline", baseline, runs)
    if options.get("threshold") is None and options.get("gains") is None:
        options["threshold"] = study.stated_threshold()
    evaluations = {
        name: replace(evaluate(run, judgments, measured, **options), name=name) for name, run in runs.items()
    }
    return compared(
        evaluations, None if pairs == "all" else baseline or next(iter(runs)), how, judgments, runs, options
    )


def compared(
    evaluations: dict[str, Evaluation],
    baseline: str | None,
    how: Procedure,
    qrels: Qrels,
    runs: dict[str, Run],
    options: dict[str, Any],
) -> Comparison:
    """Compare evaluations by the same measures, with a baseline or, without one, in all pairs."""
    names = list(evaluations)
    compared_pairs = [
        *(combinations(names, 2) if baseline is None else ((name, baseline) for name in names if name != baseline))
    ]
    answered = {name: set(evaluation.per_query) - set(evaluation.missing) for name, evaluation in evaluations.items()}
    for first, second in compared_pairs:
        if empty := [name for name in (first, second) if not answered[name]]:
            raise DataError(f"'{empty[0]}' finds no document for any judged query, so there is nothing to compare")
        if not answered[first] & answered[second]:
            raise DataError(
                f"'{first}' and '{second}' have no judged query in common; compare runs of the same queries"
            )
    # A convention may have set parameters, so the measures are those of the evaluations.
    one, *others = evaluations.values()
    settled = one.measures
    shared = [query_id for query_id in one.per_query if all(query_id in other.per_query for other in others)]
    texts, query_ids, values = {}, {}, {}
    for name in map(str, settled):
        columns = [[evaluation.per_query[query_id][name] for query_id in shared] for evaluation in evaluations.values()]
        table = np.array(columns).T.reshape(len(shared), len(evaluations))
        defined = np.isfinite(table).all(axis=1)
        if not defined.any():
            raise DataError(f"no query has a value of {name} under every system, so there is nothing to compare")
        texts[name] = tuple(compress(shared, defined))
        query_ids[name], values[name] = over_needs(texts[name], table[defined], one.needs)
    tested = tested_pairs(values, settled, names, compared_pairs, how)
    return Comparison(runs, qrels, evaluations, settled, baseline, how, query_ids, values, tested, options, texts)


FEWEST = 25
"""Recommended minimum of queries: Buckley & Voorhees, SIGIR 2000; 50 are better."""

ORDINAL = ("RR", "ERR")
"""Measures without an interval scale, whose means and differences are disputed: Fuhr 2017."""

_SAID = {1: "higher", 0: "inconclusive", -1: "lower"}  # of a verdict
_UNBOUNDED = {"judged_only", "gains", "first"}  # with these parameters a measure has no bounds over unjudged documents


class Caveat(NamedTuple):
    """Choice that a conclusion depends on.

    Attributes
    ----------
    kind : {"queries", "identical", "scale", "infinite", "opposed", "one query", "ties", "unjudged", "bounds"}
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


def caveats(comparison: Comparison) -> list[Caveat]:
    """List the caveats of a comparison; empty if its conclusions are robust.

    A conclusion is that a mean is higher, that it is lower, or that the comparison is inconclusive
    (`Comparison.verdict`). The kinds of caveat:

    * *queries*: there are fewer than 25 queries;
    * *identical*: two systems have the same values by all measures, so there is nothing to conclude;
    * *scale*: the measure is RR or ERR;
    * *infinite*: queries are left out because their value is infinite under some system, which is then spared them;
    * *opposed*: the test of signs or ranks finds the other side than the mean, so nothing is concluded;
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
    >>> from toysearch.study.compare.comparison import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> old, new = {n: ["b", "a"] for n in judged}, {n: ["a"] if n < "6" else ["b", "a"] for n in judged}
    >>> for caveat in caveats(compare({"old": old, "new": new}, judged, "RR", test="permutation")):
    ...     print(caveat.kind, caveat.sentence, sep=": ")
    queries: 8 queries: with fewer than 25, a mean depends more on the queries than on the systems
    scale: its values are not on an interval scale, so their means and differences are disputed (Fuhr, SIGIR Forum
    51(3), 2017)
    one query: higher with all queries, inconclusive without query '0', whose difference is +0.5000
    bounds: 38% of the first ten documents are unjudged; their judgments could change the conclusion
    """
    expect(Comparison, comparison=comparison)
    found = []
    fewest = min(map(len, comparison.query_ids.values()))
    if fewest < FEWEST:
        sentence = (
            f"{counted(fewest, *comparison.kind)}: with fewer than {FEWEST}, a mean depends more on the "
            f"{comparison.kind[1]} than on the systems{', and no test is possible with one' * (fewest == 1)}"
        )
        if fewest < FEWEST_OF_INTERVALS:
            sentence += f"; fewer than {FEWEST_OF_INTERVALS} are too few for confidence intervals"
        found.append(Caveat("queries", "", "", "", sentence))
    differing = {pair[1:3] for pair in comparison.pairs if pair.ties < pair.result.n}
    identical = f"both have the same value for every {comparison.kind[0]}, so there is nothing to test"
    disputed = (
        "its values are not on an interval scale, so their means and differences are disputed (Fuhr, SIGIR Forum "
        "51(3), 2017)"
    )
    for names in dict.fromkeys(pair[1:3] for pair in comparison.pairs):
        if names not in differing:
            found.append(Caveat("identical", "", *names, identical))
    found += [Caveat("scale", str(one), "", "", disputed) for one in comparison.measures if one.name in ORDINAL]
    for caveats_of in (_infinite, _opposed, _one_query, _ties, _unjudged):
        found += caveats_of(comparison)
    return found


def left_out_as_infinite(comparison: Comparison, measure: str, systems: Iterable[str]) -> str:
    """Say how many queries have an infinite value under any system, and how many under some; "" if none has."""
    infinite = {
        system: {query_id for query_id, row in evaluation.per_query.items() if np.isinf(row[measure])}
        for system, evaluation in comparison.evaluations.items()
    }
    every = set().union(*infinite.values())
    numbers = ", ".join(f"{len(infinite[system])} under {system}" for system in systems)
    return f"{counted(len(every), 'query is', 'queries are')} left out, as infinite: {numbers}" if every else ""


def _infinite(comparison: Comparison) -> Iterator[Caveat]:
    for pair in comparison.pairs:
        if sentence := left_out_as_infinite(comparison, pair.measure, pair[1:3]):
            yield Caveat("infinite", *pair[:3], sentence)


def _opposed(comparison: Comparison) -> Iterator[Caveat]:
    for pair in comparison.pairs:
        side = side_of_test(comparison.how.test, comparison.differences(pair))
        if pair.p <= comparison.how.alpha and side == -np.sign(pair.result.mean):
            sentence = (
                f"the {comparison.how.test} test finds it {_SAID[side]} (won {pair.wins}, tied {pair.ties}, lost "
                f"{pair.losses}), but its mean is {_SAID[-side]}, so nothing is concluded"
            )
            yield Caveat("opposed", *pair[:3], sentence)


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
            what = f"without {comparison.kind[0]} '{query_id}', whose difference is {differences[place]:+.4f}"
            sentence = f"the mean difference is {mean:+.4f}, and {without.mean():+.4f} {what}"
            if verdict:
                sentence = f"{_SAID[verdict]} with all {comparison.kind[1]}, {_SAID[verdict_without]} {what}"
            yield Caveat("one query", *pair[:3], sentence)


def _ties(comparison: Comparison) -> Iterator[Caveat]:
    for pair in comparison.pairs:
        bounds = [comparison.evaluations[name].extremes for name in pair[1:3]]
        if any(pair.measure in of_system.refused for of_system in bounds):
            continue
        low, other_low = _averaged(comparison, pair.measure, [of_system.lowest for of_system in bounds]).T
        high, other_high = _averaged(comparison, pair.measure, [of_system.highest for of_system in bounds]).T
        ends = [low - other_high, high - other_low]
        if turned := _turned(comparison, pair, ends):
            least, most = (float(end.mean()) for end in ends)
            sentence = (
                f"{_SAID[comparison.verdict(pair)]} in this order of equal scores, {turned} in another; the difference "
                f"ranges from {least:+.4f} to {most:+.4f}"
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
        verdict = _SAID[comparison.verdict(pair)]
        first, second = map(comparison.systems.index, pair[1:3])
        if pair.measure in condensed:
            without = condensed[pair.measure][:, first] - condensed[pair.measure][:, second]
            verdict_without = _SAID[comparison.verdict(pair, without)]
            if verdict_without != verdict:
                sentence = (
                    f"{verdict}, but {verdict_without} without the unjudged documents, where the difference is "
                    f"{without.mean():+.4f}"
                )
                yield Caveat("unjudged", *pair[:3], sentence)
                continue
        if pair.measure in bounds:
            least, most = np.moveaxis(bounds[pair.measure], -1, 0)
            ends = [least[:, first] - most[:, second], most[:, first] - least[:, second]]
            if _turned(comparison, pair, ends):
                low, high = (float(end.mean()) for end in ends)
                sentence = (
                    f"{percent(unjudged, retrieved)} of the first ten documents are unjudged; their judgments could "
                    "change the conclusion"
                )
                yield Caveat("bounds", *pair[:3], sentence, low, high)


def _condensed(comparison: Comparison) -> dict[str, np.ndarray]:
    relevant = comparison.qrels.relevance >= comparison.first.threshold
    leavable = [
        measure
        for measure in comparison.measures
        if "judged_only" in measure.definition.parameters and "judged_only" not in dict(measure.parameters)
    ]
    if not leavable or relevant.mean() >= 0.5 or comparison.qrels.complete:
        return {}
    condensed = [replace(measure, parameters=(*measure.parameters, ("judged_only", True))) for measure in leavable]
    evaluations = [evaluate(run, comparison.qrels, condensed, **comparison.options) for run in comparison.runs.values()]
    tables = [evaluation.per_query for evaluation in evaluations]
    columns = {
        as_asked: _averaged(comparison, as_asked, tables, measure.text)
        for measure, as_asked in zip(condensed, map(str, leavable), strict=True)
    }
    return {name: values for name, values in columns.items() if np.isfinite(values).all()}


def _unjudged_values(comparison: Comparison) -> dict[str, np.ndarray]:
    # Measure → (queries, systems, 2) float64.
    bounded = [
        measure
        for measure in comparison.measures
        if measure.name in BOUNDED and not _UNBOUNDED & dict(measure.parameters).keys()
    ]
    rules = {name: comparison.options[name] for name in ("threshold", "gains") if name in comparison.options}
    order = comparison.options.get("ties")
    order = order if order in ("rank", "trec_eval") else None
    bounds = [
        unjudged_bounds(run, comparison.qrels, bounded, ties=order, **rules).per_query
        for run in (comparison.runs.values() if bounded else ())
    ]
    return {name: _averaged(comparison, name, bounds) for name in map(str, bounded)}


def _averaged(comparison: Comparison, measure: str, tables: Sequence[Any], column: str = "") -> np.ndarray:
    """Stack a column of tables by text and measure, as means over the texts of a need, aligned with `query_ids`."""
    texts = comparison.texts[measure]
    rows = np.array([[table[text][column or measure] for table in tables] for text in texts])
    return over_needs(texts, rows, comparison.needs)[1]


def _turned(comparison: Comparison, pair: Pair, ends: list[np.ndarray]) -> str:
    """Return the verdict under one of these differences if it is another verdict, else an empty string.

    ends: the differences with the system at its worst and the other at its best, and vice versa
    """
    verdict = comparison.verdict(pair)
    as_ranked = comparison.differences(pair)
    others = (comparison.verdict(pair, end) for end in ends if not np.array_equal(end, as_ranked))
    return next((_SAID[turned] for turned in others if turned != verdict), "")
