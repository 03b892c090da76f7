"""Second judge, such as a language model: how far its grades agree, and which conclusions about systems change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Part,
    Qrels,
    Result,
    ResultTable,
    Sentences,
    counted,
    expect_seed,
    number_columns,
    plain,
    table_columns,
)
from toysearch.evaluation import Measure, mean_measures
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.given_judgments import as_qrels
from toysearch.files import QrelsLike
from toysearch.models import Array
from toysearch.study.compare.comparison import Comparison, compare, left_out_as_infinite
from toysearch.study.compare.significance import TUKEY, corrected, paired_test, side_of_test
from toysearch.study.compare.tested_differences import p_stated
from toysearch.study.study import JudgedLike, Study, SystemsLike
from toysearch.workbench.judging.judge_agreement import Kappa, grades_by_pair, kappa
from toysearch.workbench.judging.pooling import pool

__all__ = ["JudgedSystem", "PairVerdict", "Rejudged", "rejudge"]

CHANGES = {
    "same": "with the same conclusion",
    "inconclusive": "inconclusive for both judges",
    "lost": "lost",
    "new": "new",
    "reversed": "reversed",
}
"""Possible changes of a conclusion on two systems, and the words that count them."""


class JudgedSystem(NamedTuple):
    """System under the judgments of two judges.

    Attributes
    ----------
    system : str
        Its name.
    by_first, by_second : float
        The mean of the measure under each judge.
    favour : float
        By how much more the second judge raises its mean than those of all systems on average.
    p : float
        The p of a test of the favour, query by query, corrected for the number of systems; 1 if a test of signs or
        ranks finds the other side than the favour.
    alone : int
        The number of pairs that it alone contributes to the pool.
    without, filled : float
        Its mean under the first judge if these pairs count as not relevant, and if the second judge grades them.
    """

    system: str
    by_first: float
    by_second: float
    favour: float
    p: float
    alone: int
    without: float
    filled: float


class PairVerdict(NamedTuple):
    """Conclusions of both judges on two systems.

    Attributes
    ----------
    system, other : str
        The systems.
    by_first, by_second : float
        The difference of their means under each judge.
    p_first, p_second : float
        The corrected p under each judge.
    conclusion : {"same", "inconclusive", "lost", "new", "reversed"}
        Significant for both with the same sign, for neither, for the first alone, for the second alone, or for both
        with different signs.
    """

    system: str
    other: str
    by_first: float
    by_second: float
    p_first: float
    p_second: float
    conclusion: str


@dataclass(frozen=True, repr=False)
class Rejudged(Result):
    """Systems under the judgments of two judges.

    Attributes
    ----------
    measure : str
        The measure.
    threshold : float
        The grade from which a document is relevant.
    n : int
        The number of queries, or of needs with several texts.
    depth : int
        The number of ranks of each system that are in the pool.
    test, correction : str
        The test of the differences, and how p is corrected.
    alpha : float
        The significance level.
    both : Kappa
        The agreement on the pairs of query and document that both judged; only these count in everything else.
    tau : float
        Kendall's τ_b of the means of the systems, NaN if one judge ties all of them.
    systems : tuple of JudgedSystem
        The systems, the best under the first judge first.
    pairs : tuple of PairVerdict
        All pairs of systems.
    left_out : tuple of str
        A sentence for each judge under whom queries are left out, because their value is infinite.
    kind : (str, str)
        Name of what counts once in a mean, for one and for several: queries, or needs.
    """

    measure: str
    threshold: float
    n: int
    depth: int
    test: str
    correction: str
    alpha: float
    both: Kappa
    tau: float
    systems: tuple[JudgedSystem, ...]
    pairs: tuple[PairVerdict, ...]
    left_out: tuple[str, ...] = ()
    kind: tuple[str, str] = ("query", "queries")

    @property
    def changes(self) -> dict[str, int]:
        """Count the pairs of systems with each kind of change."""
        return {change: Counter(pair.conclusion for pair in self.pairs)[change] for change in CHANGES}

    def data(self) -> dict[str, Any]:
        """Return everything but the words of the tables as plain values, for JSON."""
        return {name: plain(value) for name, value in vars(self).items() if name != "kind"}

    def __repr__(self) -> str:
        return f"<Rejudged {counted(len(self.systems), 'system')} by {self.measure}: τ {self.tau:.4f}, {self.changes}>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per system."""
        columns = table_columns(
            "system",
            number_columns(".4f", by_first="first", by_second="second"),
            number_columns("+.4f", favour="bias"),
            number_columns(".4f", "p"),
            number_columns(",", alone="found by it alone"),
            number_columns(".4f", "without", "filled"),
        )
        return [ResultTable(columns, self.systems)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the systems, the conclusions that change, and what follows."""
        [of_systems] = self.tables()
        changed = [pair for pair in self.pairs if pair.conclusion in ("lost", "new", "reversed")]
        of_pairs = table_columns(
            "system",
            "other",
            number_columns("+.4f", by_first="first", by_second="second"),
            number_columns(".4f", p_first="p of first", p_second="p of second"),
            "conclusion",
        )
        parts = [
            of_systems._replace(title=f"{self.measure} under each judge"),
        ]
        if changed:
            parts.append(ResultTable(of_pairs, changed, "conclusions that change"))
        return [*parts, Sentences(self.sentences())]

    def sentences(self) -> list[str]:
        """State the agreement on grades, order of systems and conclusions, and which systems are favoured."""
        tau = "undefined" if math.isnan(self.tau) else f"{self.tau:.4f}"
        kinds = ", ".join(f"{number} {CHANGES[change]}" for change, number in self.changes.items())
        sign = Measure.parse(self.measure).sign
        favoured = [
            f"the second judge {'favours' if sign * system.favour > 0 else 'disadvantages'} {system.system}: "
            f"{system.favour:+.4f}, {p_stated(system.p)}"
            for system in self.systems
            if system.p <= self.alpha
        ]
        return [
            f"grades: κ {self.both.kappa:.4f}, with quadratic weights {self.both.quadratic:.4f}",
            f"order of the systems: τ_b {tau}",
            f"{counted(len(self.pairs), 'pair')} of systems: {kinds}",
            *favoured,
            *self.left_out,
        ]

    def about(self) -> list[str]:
        """Describe the pairs, the measure and the test in one line."""
        parts = [
            *(counted(self.n, *self.kind), f"{counted(self.both.n, 'pair')} judged by both"),
            *(f"relevant from grade {self.threshold:g}", f"test {self.test}", f"pool of depth {self.depth}"),
        ]
        return [" · ".join(parts)]


def rejudge(
    systems: SystemsLike,
    qrels: QrelsLike | JudgedLike,
    measure: str | Measure = "nDCG@10",
    *,
    by: QrelsLike,
    test: str | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    depth: int = 20,
    **options: Any,
) -> Rejudged:
    """Compare systems under two judges, such as a person and a model.

    With a COLLECTION: ranks the judged queries with each MODEL. With RUN files and --qrels: takes the runs. --by names
    the grades of the second judge: JSON Lines with reasons, as a language model or umbrela writes them, or any other
    judgments. Only the pairs of query and document that both judged count. The first table shows each system under both
    judges: *bias* is by how much more than the average the second judge raises its mean; *without* is its mean under
    the first judge if the documents that it alone found are not relevant, *filled* if they have the grades of the
    second. The other one lists the conclusions that change. No language model is called.

    Parameters
    ----------
    systems : mapping of str to run or model, or list of run or model
        The systems, as `compare` takes them; at least two.
    qrels : Qrels, dict, data frame, path, Collection, Index, Searcher or name
        The judgments of the first judge. Models need a collection, or an index built from a named one.
    measure : str or Measure, default "nDCG@10"
        The measure by which the systems are compared.
    by : Qrels, dict, data frame or path
        The judgments of the second judge.
    test : {"tukey", "t", "wilcoxon", "sign", "permutation", "bootstrap"}, optional
        The paired test of all pairs of systems; "tukey" by default. The favour is tested by it too, but by "t" for
        "tukey".
    correction : {"holm", "bonferroni", "bh", "none"}, default "holm"
        How p is corrected.
    alpha : float, default 0.05
        The significance level.
    seed : int, default 0
        The seed of randomised tests.
    depth : int, default 20
        The number of first documents that a system contributes to the pool.
    **options
        Other arguments of `evaluate`: threshold, ties, undefined …

    Raises
    ------
    ArgumentError
        If there are fewer than two systems, or a name is unknown.
    DataError
        If no pair has been judged by both, or judgments are malformed.

    References
    ----------
    Thomas, Spielman, Craswell & Mitra, "Large language models can accurately predict searcher preferences", SIGIR 2024;
    Upadhyay et al., "UMBRELA: UMbrela is the (open-source reproduction of the) Bing RELevance Assessor", 2024; Faggioli
    et al., "Perspectives on large language models for relevance judgment", ICTIR 2023. On favoured systems: Clarke &
    Dietz, "LLM-based relevance assessment still can't replace human relevance assessment", 2024. Leaving a run out:
    Zobel, "How reliable are the results of large-scale information retrieval experiments?", SIGIR 1998.

    Examples
    --------
    >>> person = {str(n): {"a": 1, "b": 0} for n in range(8)}
    >>> machine = {n: {"a": 1, "b": int(n > "2")} for n in person}
    >>> runs = {"old": {n: ["b", "a"] for n in person}, "new": {n: ["a", "b"] for n in person}}
    >>> found = rejudge(runs, person, "RR", by=machine, test="sign")
    >>> found.tau, [(system.system, system.by_first, system.by_second) for system in found.systems]
    (1.0, [('new', 1.0, 1.0), ('old', 0.5, 0.8125)])
    >>> [(pair.by_first, pair.conclusion) for pair in found.pairs]
    [(-0.5, 'lost')]
    """
    expect_seed(seed)
    [measured] = mean_measures([measure])
    study, named_runs = Study.of_judgments(qrels).with_scoring(ties=options.get("ties")).systems(systems)
    if len(named_runs) < 2:
        raise ArgumentError(f"a second judge is compared on at least two systems, found {len(named_runs)}")
    if options.get("threshold") is None and options.get("gains") is None:
        options["threshold"] = study.stated_threshold()
    runs, first = dict(named_runs), study.qrels()
    second = as_qrels(by).for_texts(first.needs)
    agreement = kappa(*map(_once, (first, second)))
    both = grades_by_pair({"first": first, "second": second})
    both = {pair: grades for pair, grades in both.items() if len(grades) == 2}
    judgments = {judge: {pair: grades[judge] for pair, grades in both.items()} for judge in ("first", "second")}
    common = first.of_rows([place for place, row in enumerate(first) if row[:2] in both])
    how: Any = {"pairs": "all", "test": test, "correction": correction, "alpha": alpha, "seed": seed, **options}
    before, after = (compare(runs, _regraded(common, grades), [measured], **how) for grades in judgments.values())
    name = str(before.measures[0])
    if first.subtopics is not None and compare(runs, common, [measured], **how).means != before.means:
        raise ArgumentError(
            f"{before.measures[0]} counts the grades of sub-topics, and judges are compared by one grade of each "
            "document; name another measure, such as nDCG@10"
        )
    [usual] = before.means.values()
    order = sorted(before.systems, key=lambda name: -measured.sign * usual[name])
    # What differs by rounding alone is tied.
    worth = [
        np.round([measured.sign * comparison.means[name][system] for system in order], 12)
        for comparison in (before, after)
    ]
    favours, p_values = _favours(before, after)
    contributed = pool(before.runs, depth).ranks
    by_system = []
    for system in order:
        alone = {  # the pairs that no other system has among its first documents
            (query_id, doc_id)
            for query_id, by_doc in contributed.items()
            for doc_id, ranks in by_doc.items()
            if [*ranks] == [system]
        }
        holes = []
        for filling in ({}, judgments["second"]):
            graded = {
                pair: filling.get(pair, 0.0) if pair in alone else grade for pair, grade in judgments["first"].items()
            }
            evaluation = evaluate(runs[system], _regraded(common, graded), [measured], **options)
            holes.append(evaluation.aggregate(name, "mean"))
        means = before.means[name][system], after.means[name][system]
        favour = favours[system], p_values[system]
        by_system.append(JudgedSystem(system, *means, *favour, len(alone & both.keys()), *holes))
    return Rejudged(
        measure=name,
        threshold=before.first.threshold,
        n=len(before.query_ids[name]),
        depth=depth,
        test=before.how.test,
        correction=correction,
        alpha=alpha,
        both=agreement,
        tau=tau_b(*worth),
        systems=tuple(by_system),
        pairs=tuple(_conclusions(before, after)),
        left_out=tuple(_left_out(before, after)),
        kind=before.kind,
    )


def _left_out(before: Comparison, after: Comparison) -> Iterator[str]:
    for judge, comparison in (("first", before), ("second", after)):
        if sentence := left_out_as_infinite(comparison, str(comparison.measures[0]), comparison.systems):
            yield f"{judge} judge: {sentence}"


def _once(qrels: Qrels) -> Qrels:
    """Return the judgments of one text of each need."""
    texts_of = qrels.needs.texts(qrels.query_ids) if qrels.needs else {}
    return qrels.of_queries([first for first, *_ in texts_of.values()]) if texts_of else qrels


def _regraded(qrels: Qrels, grades: dict[tuple[str, str], float]) -> Qrels:
    return qrels.with_grades(np.array([grades[row.query_id, row.doc_id] for row in qrels]))


def _favours(before: Comparison, after: Comparison) -> tuple[dict[str, float], dict[str, float]]:
    """Return, by system, how much more its mean rises than the average of all, and the corrected p."""
    [first], [second] = before.query_ids.values(), after.query_ids.values()
    in_both, values_of_both = {*first}.intersection(second), []
    for query_ids, comparison in ((first, before), (second, after)):
        [values] = comparison.values.values()
        values_of_both.append(values[[place for place, query_id in enumerate(query_ids) if query_id in in_both]])
    rise = values_of_both[1] - values_of_both[0]
    beyond = rise - rise.mean(axis=1, keepdims=True)
    test = "t" if before.how.test == TUKEY else before.how.test
    results = [paired_test(column, test, alpha=before.how.alpha, seed=before.how.seed) for column in beyond.T]
    sides = [side_of_test(test, column) for column in beyond.T]  # of signs or ranks, which may oppose the mean
    alone = [one.p if side == np.sign(one.mean) else 1.0 for one, side in zip(results, sides, strict=True)]
    p_values = corrected(alone, before.how.correction)
    means = (result.mean for result in results)
    return dict(zip(before.systems, means, strict=True)), dict(zip(before.systems, p_values.tolist(), strict=True))


def _conclusions(before: Comparison, after: Comparison) -> Iterable[PairVerdict]:
    for first, second in zip(before.pairs, after.pairs, strict=True):
        one, other = before.verdict(first), after.verdict(second)
        change = "inconclusive"
        if one and other:
            change = "same" if one == other else "reversed"
        elif one or other:
            change = "lost" if one else "new"
        yield PairVerdict(first.system, first.other, first.result.mean, second.result.mean, first.p, second.p, change)


def tau_b(first: Array, second: Array) -> float:
    """Kendall's τ_b of two lists of values: pairs that one of them ties count for neither order; NaN if one ties all.

    >>> round(tau_b(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0])), 4)
    0.8165
    """
    above, above_too = (np.sign(np.subtract.outer(values, values)) for values in (first, second))
    apart, apart_too = np.count_nonzero(above), np.count_nonzero(above_too)
    return float((above * above_too).sum() / math.sqrt(apart * apart_too)) if apart and apart_too else math.nan
