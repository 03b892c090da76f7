"""Differences of two systems on the same queries: queries that gain or lose, documents that moved, and why."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    Part,
    Qrels,
    Query,
    Result,
    ResultTable,
    Run,
    Sentences,
    TextNeeds,
    aligned,
    expect,
    expect_count,
    expect_list,
    groups_of,
    number_columns,
    one_line,
    percent,
    plain,
    table_columns,
    totals,
)
from toysearch.base.explanation import PartName
from toysearch.base.run_order import of_one_table, ordered, rule_of
from toysearch.evaluation import SIZE, Evaluation, Measure, out_of_reach, parse_measures, with_size
from toysearch.evaluation.evaluate import evaluate, expect_options, note_judgments_first
from toysearch.evaluation.given_judgments import judgments_of
from toysearch.evaluation.values_and_means import over_needs
from toysearch.files import QrelsLike, RunLike, as_run
from toysearch.models import ModelLike
from toysearch.retrieval import Searcher
from toysearch.study.compare.regrouped_terms import RegroupedTerms, regrouped_terms
from toysearch.study.explain.score_explanation import explain
from toysearch.study.explain.score_explanation_text import part_label, rows_adding_up
from toysearch.study.study import JudgedLike, Study, holds_documents, model_of, refuse_documents_first
from toysearch.study.system import System

__all__ = ["Diff", "MovedDocument", "QueryDiff", "diff"]


class Mover(NamedTuple):
    """Part of the score of a document in two rankings."""

    # kind, name: as in `PartName`; absent: true if the document lacks the term
    kind: str
    name: str
    # first, second: its contribution to each score; 0 for a term that the document lacks
    first: float
    second: float
    difference: float  # second − first; these differences sum to the difference of the scores
    # own, others: the same difference on a scale common to both rankings, for the document, and for the mean of those
    # that it passes or that pass it. Each score is divided by the distance from the first score to the tenth
    own: float
    others: float
    lift: float  # own − others; the lifts sum to the change of the document's lead, so they have the sign of its move


_Scores: TypeAlias = Mapping[str, tuple[float, Mapping[PartName, float]]]
"""Document → its score and the parts that add up to it."""


class Explained(NamedTuple):
    """Scores of a document in two rankings (None: not ranked), and the parts of their difference."""

    scores: tuple[float | None, float | None]  # in both rankings
    leads: tuple[float | None, float | None]  # its mean lead over the documents that it passes, in both
    movers: list[Mover]  # largest lift or fall first; empty if nothing can be compared in both rankings


def movers_of(
    searchers: Sequence[Searcher],
    text: str | Query,
    passed: Mapping[str, Sequence[str]],
    spans: Sequence[float],
    query_mode: str | None = None,
    labels: Sequence[Mapping[str, str]] = ({}, {}),
) -> dict[str, Explained]:
    """Find the parts of the scores that moved documents past others between the rankings of two searchers.

    Each score is divided by a span of the scores of its ranking, which makes the two comparable. labels: term → its
    name in the movers, for each searcher; parts of the same name are one.

    >>> from toysearch.index.inverted_index import Index
    >>> index = Index.build(["cat sat", "cat cat cat", "dog"])
    >>> searchers = [Searcher(index, "tfidf:query_weights=tf"), Searcher(index, "overlap")]
    >>> explained = movers_of(searchers, "cat sat", {"2": ["1"]}, [1, 1])["2"]
    >>> explained.leads
    (-0.2876..., -1.0)
    >>> [(mover.name, round(mover.first, 4), mover.second, round(mover.lift, 4)) for mover in explained.movers]
    [('cat', 1.2164, 1.0, -0.8109), ('sat', 0.0, 0.0, 0.0986)]
    """
    every = dict.fromkeys([*passed, *chain.from_iterable(passed.values())])
    systems = []
    for searcher, names in zip(searchers, labels, strict=True):
        terms, scores = searcher.terms(text, query_mode), dict[str, tuple[float, Mapping[PartName, float]]]()
        for doc_id in every:
            with suppress(ArgumentError):  # one of two indexes may lack a document
                score = explain(searcher, terms, doc_id).tree
                shares = (
                    (part._replace(name=names.get(part.name, part.name)) if part.kind == "term" else part, share)
                    for part, share in score.shares().items()
                )
                if not math.isnan(score.value):
                    scores[doc_id] = score.value, totals(shares)
        systems.append(scores)
    units = [1 / span if span > 0 else 1.0 for span in spans]
    return {doc_id: _explained(systems, units, doc_id, others) for doc_id, others in passed.items()}


def _explained(systems: Sequence[_Scores], units: Sequence[float], doc_id: str, passed: Sequence[str]) -> Explained:
    first, second = (scores[doc_id][0] if doc_id in scores else None for scores in systems)
    others = [other for other in passed if all(other in scores for scores in systems)]
    if first is None or second is None or not others:
        return Explained((first, second), (None, None), [])
    before, after = (sum(scores[other][0] for other in others) / len(others) for scores in systems)
    mine = [scores[doc_id][1] for scores in systems]
    means = []
    for scores in systems:
        of_others = aligned([scores[other][1] for other in others], 0.0)
        means.append({part: sum(shares) / len(others) for part, shares in of_others.items()})
    movers = []
    for part, (low, high, low_mean, high_mean) in aligned([*mine, *means], 0.0).items():
        gain, gain_of_others = units[1] * high - units[0] * low, units[1] * high_mean - units[0] * low_mean
        is_part = part.kind != "term" or any(part in shares for shares in mine)
        kind = part.kind if is_part else "absent"
        movers.append(Mover(kind, part.name, low, high, high - low, gain, gain_of_others, gain - gain_of_others))
    movers.sort(key=lambda mover: (-abs(mover.lift), mover.kind, mover.name))
    return Explained((first, second), (units[0] * (first - before), units[1] * (second - after)), movers)


class MovedDocument(NamedTuple):
    """Document with another rank in the second ranking.

    Attributes
    ----------
    doc_id : str
        The document.
    grade : float or None
        Its grade; None if not judged.
    ranks : tuple of int or None
        In both runs, from 1; None if not retrieved.
    scores : tuple of float or None
        In both runs; for two searchers also below the depth of the run. None if not scored.
    passed : list of str
        If it rises, the documents that it passes; if it falls, those that pass it. At most three, the highest ones.
    n_passed : int
        The number of all these documents.
    leads : tuple of float or None
        Its mean lead over the documents of ``passed`` in both: below 0 first if it rises, below 0 then if it falls. The
        unit is the distance from the first score to the tenth. None for runs.
    movers : list of Mover
        The parts of both scores, which sum to their difference, largest lift or fall first; the lifts sum to the change
        of its lead. Empty for runs, whose scores cannot be explained, and if one of the two does not score the
        document, or none of those that it passes.
    """

    doc_id: str
    grade: float | None
    ranks: tuple[int | None, int | None]
    scores: tuple[float | None, float | None]
    passed: list[str]
    n_passed: int
    leads: tuple[float | None, float | None]
    movers: list[Mover]

    @property
    def rises(self) -> bool:
        """True if it ranks higher in the second ranking."""
        first, second = (math.inf if rank is None else rank for rank in self.ranks)
        return second < first


class QueryDiff(NamedTuple):
    """Values of a query in both systems, and the documents that moved.

    Attributes
    ----------
    query_id : str
        The query.
    text : str or None
        Its text, if known.
    values : tuple of float
        The values of the measure for both.
    gain : float
        The improvement from the first to the second: the second value minus the first, or the reverse for a measure
        whose lower values are better.
    moved : list of MovedDocument
        The most informative ones: relevant documents first, then by the change of 1 / rank.
    terms : list of RegroupedTerms
        Of two systems with different analyses: the terms of the query that one of them joins, splits or spells
        otherwise, among the words of the documents compared.
    """

    query_id: str
    text: str | None
    values: tuple[float, float]
    gain: float
    moved: list[MovedDocument]
    terms: Sequence[RegroupedTerms] = ()


_LONGEST_NAME = 14  # characters of a system's name that can head a column


@dataclass(frozen=True, repr=False)
class Diff(Result):
    """Differences of two systems, query by query.

    Attributes
    ----------
    measure : str
        The measure that compares the queries.
    names : tuple of str
        The two systems.
    means : tuple of float
        The values of the measure for both over all queries.
    threshold : float
        The lowest grade of a relevant document.
    gains : dict of str to float
        Each query with a value in both → its gain (`QueryDiff.gain`), in the order of the judgments. Needs with several
        texts are counted instead: the gain of a need is the mean over its texts.
    gained, lost : list of QueryDiff
        The queries that gain and lose most, largest first; or the one requested. Of a need, its texts that gain or lose
        as it does.
    first_ten : tuple of (int, int)
        The number of documents of both systems in the first ten, and the number of these that are unjudged.
    ties : str
        The order of equal scores of both systems.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
    """

    measure: str
    names: tuple[str, str]
    means: tuple[float, float]
    threshold: float
    gains: dict[str, float]
    gained: list[QueryDiff]
    lost: list[QueryDiff]
    first_ten: tuple[int, int] = (0, 0)
    ties: str = "rank"
    needs: TextNeeds = field(default_factory=TextNeeds)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of queries that gain, stay the same, lose."""
        values = self.gains.values()
        gained, lost = sum(gain > 0 for gain in values), sum(gain < 0 for gain in values)
        return gained, len(values) - gained - lost, lost

    def __repr__(self) -> str:
        gained, same, lost = self.counts
        better, worse = Measure.parse(self.measure).verbs
        return (
            f"<Diff from {self.names[0]} to {self.names[1]}: {self.measure} {self.means[0]:.4f} → {self.means[1]:.4f}; "
            f"{gained} {better}, {same} stay the same, {lost} {worse}>"
        )

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the queries that gain and those that lose in tables, one row each."""
        names = self.names if max(map(len, self.names)) <= _LONGEST_NAME else ("first", "second")
        columns = table_columns(
            ["need"] if self.needs else [],
            Column("query_id", "query"),
            number_columns(".4f", first=names[0], second=names[1]),
            number_columns("+.4f", "gain"),
            Column("text", wrap=True),
        )
        rows = []
        for query in (*self.gained, *self.lost):
            need = [self.needs[query.query_id]] if self.needs else []
            rows.append([*need, query.query_id, *query.values, query.gain, one_line(query.text or "")])
        return [ResultTable(columns, rows)]

    def text_parts(
        self,
        width: int | None = None,
        wrap: int | None = None,
        single: bool | None = None,
        title: Callable[[str], str | None] = lambda _: None,
    ) -> Iterator[Part]:
        """Yield the queries that lose and gain with their moved documents, or all parts of the scores of one query."""
        yield _summary(self)
        listed = [*self.gained, *self.lost]
        moved = [document for query in listed for document in query.moved]
        is_explained = any(document.movers for document in moved)
        if len(listed) == 1 if single is None else single:
            (query,) = listed
            if not is_explained:
                yield _moved_documents(query, wrap)
                return
            yield "\n".join([_query_line(query, wrap), *_terms_lines(query)])
            yield from (_document_parts(document, self.names, title(document.doc_id)) for document in moved)
            yield Sentences([_LIFTS.replace("in brackets", "lifts")], "", "")
            return
        better, worse = Measure.parse(self.measure).verbs
        for word, queries in ((worse, self.lost), (better, self.gained)):
            if queries:
                yield f"The {self.needs.kind[1]} that {word} most"
            for need, texts in groups_of((self.needs[query.query_id], query) for query in queries).items():
                if self.needs:
                    yield f"need {need} ({Measure.parse(self.measure).sign * self.gains[need]:+.4f})"
                yield from (_moved_documents(query, wrap) for query in texts)
        if is_explained:
            yield Sentences([_LIFTS], "", "")
        if not listed:
            yield f"no {self.needs.kind[0]} {better}s or {worse}s"

    def about(self) -> list[str]:
        """Name the relevant grades, and the rule for ties."""
        return [f"relevant from grade {self.threshold:g} · ties {self.ties}; no grade: not judged"]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        data = {name: value for name, value in plain(self).items() if name != "needs" or value}
        for query in (*data["gained"], *data["lost"]):
            if not query["terms"]:
                del query["terms"]
        return data | {"counts": dict(zip(("gain", "same", "lose"), self.counts, strict=True))}


def diff(
    first: RunLike | ModelLike | System | Searcher,
    second: RunLike | ModelLike | System | Searcher,
    qrels: QrelsLike | JudgedLike,
    measure: str = "AP",
    *,
    queries: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
    n: int | None = 3,
    moves: int = 3,
    query_id: str | None = None,
    k: int | None = 1000,
    **rules: Any,
) -> Diff:
    """Explain the differences of two systems: queries that gain and lose most, documents that moved, and why.

    Parameters
    ----------
    first, second : run, model, System or Searcher
        Two runs, as `evaluate` takes them; two models or systems, which rank the judged queries of a collection; or two
        searchers, which rank the judged ones of `queries`. Two searchers, or two systems, may have different indexes
        of the same documents; for runs, the move of a document is not explained.
    qrels : Qrels, dict, data frame, path, Collection, Index or name
        The judgments; for models a collection, or an index built from one.
    measure : str, default "AP"
        The measure of the differences.
    queries : mapping of query_id to text, or iterable of Query
        The texts of the queries; needed for searchers, and by default those of the collection for models.
    n : int or None, default 3
        The number of queries to examine that gain most, and of those that lose most; None for all. Of needs with
        several texts, the number of needs, and of texts of each.
    moves : int, default 3
        The number of moved documents to report for each query.
    query_id : str, optional
        Examine only this query.
    k : int or None, default 1000
        The maximum number of documents that searchers retrieve per query.
    **rules
        Other arguments of `evaluate`: threshold, ties, undefined …

    Raises
    ------
    ArgumentError
        If there is not exactly one measure, a searcher is given without queries or with a run, or no query has that id.
    DataError
        If none of the queries of the searchers is judged, or as in `evaluate`.

    Examples
    --------
    >>> first, second = {"1": ["a", "b", "c"], "2": ["a"]}, {"1": ["c", "a", "b"], "2": ["a"]}
    >>> found = diff(first, second, {"1": {"c": 1}, "2": {"a": 1}}, "RR")
    >>> found.counts, found.gained[0].values
    ((1, 1, 0), (0.3333333333333333, 1.0))
    >>> [(document.doc_id, document.grade, document.ranks) for document in found.gained[0].moved]
    [('c', 1.0, (3, 1)), ('a', None, (1, 2)), ('b', None, (2, 3))]
    >>> diff("dice", "bm25", "companions")
    <Diff from dice to bm25: AP 0.2626 → 0.3831; 37 gain, 15 stay the same, 6 lose>
    """
    parsed = parse_measures(measure, SIZE)
    if len(parsed) != 1:
        raise ArgumentError(f"a diff needs exactly one measure, found {len(parsed)}: {measure}")
    for number, name, none in ((n, "n", " (or None for all)"), (moves, "moves", "")):
        if number is not None or not none:
            expect_count(1, none, **{name: number})
    if query_id is not None:
        expect(str, query_id=query_id)
    expect_options("diff", rules)
    systems = _resolved([first, second], qrels, queries, rules)
    judgments = systems.qrels
    unreachable = out_of_reach(judgments, parsed, rules["threshold"] if rules.get("gains") is None else None)
    if unreachable and rules.get("undefined") != "nan":
        raise ArgumentError(unreachable)
    runs = systems.runs(k, rules.get("ties"))
    for system, run in zip(systems.sources, runs, strict=True):
        if isinstance(system, Mapping) and isinstance(qrels, Mapping):
            note_judgments_first(run, judgments, "diff(run, run, qrels)")
    runs = of_one_table(runs)
    parsed = with_size(parsed, len(systems.searchers[0].index) if systems.searchers else None)
    evaluations = [evaluate(run, judgments, parsed, **rules) for run in runs]
    of_texts, needs = _gains(evaluations), judgments.needs
    counted_once, means = over_needs([*of_texts], np.array([*of_texts.values()]), needs)
    gains = dict(zip(counted_once, means.tolist(), strict=True))
    gained, lost = (_most(sign, gains, of_texts, needs, n) for sign in (1, -1))
    if query_id is not None:
        if query_id not in of_texts:
            why = "has no value of the measure in both" if query_id in judgments else "has no judgments"
            raise ArgumentError(f"query '{query_id}' {why}; expected a query such as '{next(iter(of_texts), '')}'")
        gained, lost = ([], [query_id]) if of_texts[query_id] < 0 else ([query_id], [])
    names = runs[0].name, runs[1].name
    if names[0] == names[1]:
        names = f"{names[0]} (1)", f"{names[1]} (2)"
    in_order = [ordered(run, evaluation.ties)[0] for run, evaluation in zip(runs, evaluations, strict=True)]
    most_gained, most_lost = (
        [_query_diff(systems, evaluations, in_order, query_id, of_texts[query_id], moves) for query_id in query_ids]
        for query_ids in (gained, lost)
    )
    one, other = evaluations
    label = one.measures[0].text
    retrieved, unjudged = map(sum, zip(one.first_ten, other.first_ten, strict=True))
    figures = one.threshold, gains, most_gained, most_lost, (retrieved, unjudged)
    return Diff(label, names, (one[label], other[label]), *figures, one.ties, needs.among(of_texts))


class _Systems(NamedTuple):
    """Two systems, the queries that they rank, and the judgments."""

    sources: Sequence[Any]  # two searchers, or two runs
    qrels: Qrels
    queries: Sequence[Any] | None = None  # with their texts
    names: Sequence[str | None] = (None, None)
    query_mode: str | None = None

    @property
    def searchers(self) -> list[Searcher]:
        """The systems, if they are searchers."""
        return [system for system in self.sources if isinstance(system, Searcher)]

    def runs(self, k: int | None, ties: str | None) -> list[Run]:
        """Rank the judged queries, or take the runs."""
        if not self.searchers:
            return [as_run(system) for system in self.sources]
        if len(self.searchers) == 1:
            raise ArgumentError("a diff needs two runs or two searchers, found one of each")
        if self.queries is None:
            raise ArgumentError("searchers need the texts of the queries; give queries=")
        judged = [query for query in self.queries if query[0] in self.qrels]
        if not judged:
            raise DataError("none of the queries is judged; the ids of queries and judgments must be equal as strings")
        rule = rule_of(ties, ranked=True)
        both = zip(self.names, self.searchers, strict=True)
        return [searcher.run(judged, k, name=name, query_mode=self.query_mode, ties=rule) for name, searcher in both]


def _resolved(given: list[Any], qrels: Any, queries: Any, rules: dict[str, Any]) -> _Systems:
    """Return searchers of models, or the systems as they are given; the rules get the threshold of the judgments."""
    for system, other in (given, given[::-1]):
        if not isinstance(system, Searcher):
            refuse_documents_first(system, [other, qrels], "diff('bm25', 'dph', collection)")
    models = [None if isinstance(system, Searcher) else model_of(system, holds_documents(qrels)) for system in given]
    if not all(models):
        judgments, threshold = judgments_of(qrels)
        records = queries.items() if isinstance(queries, Mapping) else queries
        expect_list(object, ordered=False, queries=records or [])
        systems = _Systems(given, judgments, None if records is None else [*records])
    elif holds_documents(qrels):
        study = Study.of(qrels, queries).with_models(model for model in models if model is not None).ready()
        searchers, names = [study.searcher(model) for model in study.models], [*map(str, study.models)]
        threshold = rules.setdefault("threshold", study.threshold())
        systems = _Systems(searchers, study.qrels(), study.queries(), names, study.scoring.query_mode)
    else:
        raise ArgumentError(
            f"'{models[0]}' is a model, which needs documents to rank; give a collection or an index instead of the "
            "judgments"
        )
    if rules.get("threshold") is None and rules.get("gains") is None:
        rules["threshold"] = threshold
    return systems


def _gains(evaluations: list[Evaluation]) -> dict[str, float]:
    first, second = evaluations
    measure = first.measures[0]
    gains = {
        query_id: measure.sign * (second.per_query[query_id][measure.text] - row[measure.text])
        for query_id, row in first.per_query.items()
        if query_id in second.per_query
    }
    return {query_id: gain + 0.0 for query_id, gain in gains.items() if not math.isnan(gain)}  # no -0.0


def _most(
    sign: int, gains: Mapping[str, float], of_texts: Mapping[str, float], needs: TextNeeds, n: int | None
) -> list[str]:
    """List the texts that gain most of the needs that gain most, or that lose most."""
    texts_of = needs.texts(of_texts)
    moved = sorted((need for need in gains if sign * gains[need] > 0), key=lambda need: -sign * gains[need])
    several = (sorted(texts_of[need], key=lambda text: -sign * of_texts[text]) for need in moved[:n])
    return [text for texts in several for text in texts[:n] if sign * of_texts[text] > 0]


def _query_diff(
    systems: _Systems,
    evaluations: Sequence[Evaluation],
    runs: Sequence[Run],
    query_id: str,
    gain: float,
    moves: int,
) -> QueryDiff:
    """Examine a query: the documents that moved most, what they passed, and why."""
    text, grades = dict(systems.queries or ()).get(query_id), systems.qrels[query_id]
    rankings = [run.ranking(query_id) for run in runs]
    first, second = ({doc_id: rank for rank, doc_id in enumerate(one.doc_ids, 1)} for one in rankings)

    def telling(doc_id: str) -> tuple[bool, float]:
        relevant = grades.get(doc_id, 0.0) >= evaluations[0].threshold and grades.get(doc_id, 0.0) > 0
        before, after = (1 / ranks.get(doc_id, math.inf) for ranks in (first, second))
        return not relevant, -abs(before - after)

    moved = [doc_id for doc_id, (before, after) in aligned([first, second], None).items() if before != after]
    passed = {doc_id: _passed(doc_id, first, second) for doc_id in sorted(moved, key=telling)[:moves]}
    some = {doc_id: others[:_PASSED] for doc_id, others in passed.items()}
    explained, groups = dict[str, Explained](), list[RegroupedTerms]()
    if systems.searchers and text is not None:
        index = systems.searchers[0].index
        numbers = map(index.find_document, [*some, *chain.from_iterable(some.values())])
        texts = [index.text(number) or "" for number in numbers if number >= 0]
        groups = regrouped_terms([searcher.index.analyzer for searcher in systems.searchers], text, texts)
        labels = [{term: group.label for group in groups for term in group[side]} for side in (0, 1)]
        spans = [one.scores[0] - one.scores[:_SPAN][-1] if len(one) else 0.0 for one in rankings]
        query = Query(query_id, text)
        explained = movers_of(systems.searchers, query, some, spans, systems.query_mode, labels)
    documents = []
    scores = [dict(zip(one.doc_ids, one.scores.tolist(), strict=True)) for one in rankings]
    for doc_id, others in passed.items():
        unknown = Explained((scores[0].get(doc_id), scores[1].get(doc_id)), (None, None), [])
        ranks, (both, leads, movers) = (first.get(doc_id), second.get(doc_id)), explained.get(doc_id, unknown)
        documents.append(
            MovedDocument(doc_id, grades.get(doc_id), ranks, both, some[doc_id], len(others), leads, movers)
        )
    terms = []
    for group in groups:
        lifts = {
            document.doc_id: mover.lift
            for document in documents
            for mover in document.movers
            if mover.name == group.label
        }
        terms.append(group._replace(lifts=lifts))
    label = evaluations[0].measures[0].text
    before, after = (evaluation.per_query[query_id][label] for evaluation in evaluations)
    return QueryDiff(query_id, text, (before, after), gain, documents, terms)


_SPAN = 10  # the distance from the first score to that of this rank makes two rankings comparable
_PASSED = 3  # documents with which a moved one is compared


def _passed(doc_id: str, first: Mapping[str, int], second: Mapping[str, int]) -> list[str]:
    """List the documents that a document passes if it rises, or that pass it if it falls, the highest first."""
    before, after = first.get(doc_id, math.inf), second.get(doc_id, math.inf)
    if after < before:
        return [other for other, rank in first.items() if rank < before and second.get(other, math.inf) > after]
    return [other for other, rank in second.items() if rank < after and first.get(other, math.inf) > before]


_FEW = 2  # reasons for the move of a document in a table of documents


def _summary(diff: Diff) -> str:
    gained, same, lost = diff.counts
    first, second = diff.means
    change = "" if math.isnan(second - first) else f" ({second - first:+.4f})"
    head = f"{diff.measure}, {' → '.join(diff.names)}: {first:.4f} → {second:.4f}{change}"
    better, worse = Measure.parse(diff.measure).verbs
    queries = f"{len(diff.gains):,} {diff.needs.kind[1]}: {gained:,} {better}, {same:,} stay the same, {lost:,} {worse}"
    retrieved, unjudged = diff.first_ten
    judged = f"\n{percent(unjudged, retrieved)} of the first ten documents are unjudged" if unjudged else ""
    return f"{head}\n{queries}{judged}"


def _query_line(query: QueryDiff, wrap: int | None) -> str:
    before, after = query.values  # their difference as for the means: a gain is one below 0 where lower is better
    change = 0.0 if before == after else after - before
    head = f"{query.query_id}: {before:.4f} → {after:.4f} ({change:+.4f})"
    line = f"{head}  {one_line(query.text or '')}".rstrip()
    return line if wrap is None else textwrap.fill(line, wrap)


def _moved_documents(query: QueryDiff, wrap: int | None) -> Part:
    if not query.moved:
        return f"{_query_line(query, wrap)}\n  no document moved"
    columns = table_columns(
        Column("doc_id", "  document"),
        number_columns("g", "grade"),
        number_columns("", "rank"),
        Column("move", wrap=True),
    )
    rows = [
        [f"  {document.doc_id}", document.grade, _ranks_text(document.ranks), _reasons(document)]
        for document in query.moved
    ]
    return ResultTable(columns, rows, _query_line(query, wrap), "\n".join(_terms_lines(query)))


def _terms_lines(query: QueryDiff) -> Iterator[str]:
    """Yield a line for each group of terms that an analysis joins or splits."""
    for group in query.terms:
        lifts = ", ".join(f"{doc_id} ({lift:+.2g})" for doc_id, lift in group.lifts.items() if lift)
        if group.kind:
            yield f"  {group.kind}: {group.label}" + (f"; moved {lifts}" if lifts else "")


def _ranks_text(ranks: tuple[int | None, int | None]) -> str:
    """Write both ranks: 12 → 3; a dash where the document is not retrieved."""
    return " → ".join("–" if rank is None else f"{rank:,}" for rank in ranks)


def _reasons(document: MovedDocument) -> str:
    passed = _passed_text(document)
    if not document.movers:
        return passed
    agreeing = [mover for mover in document.movers if (mover.lift > 0 if document.rises else mover.lift < 0)]
    they = document.passed[0] if document.n_passed == 1 else "they"
    clauses: dict[str, list[str]] = {}
    for mover in agreeing[:_FEW]:
        part = f"{_PARTS.get(mover.kind) or mover.name} ({mover.lift:+.2g})"
        clause = f"it {'gains' if mover.lift > 0 else 'loses'}"
        if (mover.own + mover.others < 0) == (mover.lift > 0):
            clause = f"{they} {'lose' if mover.lift > 0 else 'gain'}{'' if they == 'they' else 's'}"
        more = " more" if mover.own * mover.others > 0 else ""
        clauses.setdefault(f"{clause}{more}", []).append(part)
    sentence = ", ".join(f"{clause} from {' and '.join(parts)}" for clause, parts in clauses.items())
    return f"{passed}: {sentence}" if sentence else passed


def _passed_text(document: MovedDocument) -> str:
    more = document.n_passed - len(document.passed)
    others = ", ".join(document.passed) + (f" and {more:,} more" if more else "")
    move = "rises past" if document.rises else "falls behind"
    if None in document.ranks:
        move = "new, past" if document.rises else "gone, behind"
    return f"{move} {others}" if others else move.partition(",")[0]


def _document_parts(document: MovedDocument, names: Sequence[str], title: str | None) -> Part:
    grade = "unjudged" if document.grade is None else f"grade {document.grade:g}"
    heading = f"document {document.doc_id} ({grade})" + (f": {one_line(title)}" if title else "")
    head = f"{heading}\nrank {_ranks_text(document.ranks)}"
    if not document.movers:
        return f"{head}, score {' → '.join('–' if score is None else f'{score:.6g}' for score in document.scores)}"
    titles = list(names) if max(map(len, names)) <= _LONGEST_NAME else ["first", "second"]
    columns = table_columns(
        Column("part", "  part", wrap=True),
        number_columns(".4f", first=titles[0], second=titles[1]),
        number_columns("+.4f", "difference"),
        number_columns("+.2f", lift="lifts"),
    )
    first, second = document.scores
    before, after = document.leads
    assert first is not None and second is not None and before is not None and after is not None  # noqa: PT018
    lifted = round(after, 2) - round(before, 2)
    numbers = [(mover.first, mover.second, mover.lift) for mover in document.movers]
    listed, others = rows_adding_up(numbers, (first, second, lifted), (4, 4, 2))
    rows = []
    for mover, (low, high, lift) in zip(document.movers, listed, strict=False):
        amounts = [None] * 3 if mover.kind == "absent" else [low, high, high - low]
        rows.append([f"  {part_label(mover.kind, mover.name)}", *amounts, lift])
    rows += [[f"  {name}", low, high, high - low, lift] for name, (low, high, lift) in others]
    them = "it" if document.n_passed == 1 else "them"
    lead = f"{_passed_text(document)}\nits lead over {them}: {before:+.2f} → {after:+.2f}"
    return ResultTable(columns, rows, f"{head}, {lead}")


_PARTS = {"document": "its own part", "per_matched_document": "the part of every document", "base": "the base"}
_LIFTS = "in brackets: gain over these documents; 1 = the gap between ranks 1 and 10"
