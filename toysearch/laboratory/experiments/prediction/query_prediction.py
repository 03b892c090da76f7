"""Query performance prediction: how well predictors, which need no judgments, foresee the value of each query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, without_notes
from toysearch.base.result_tables import Column, Part, Result, ResultTable, Sentences, number_columns, plain
from toysearch.base.wording import counted
from toysearch.corpus.query_sources import QueriesLike
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.measures.measure import Measure, parse_measures
from toysearch.formats.runs_and_judgments import QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.prediction import predicted, predictors_of, tell_normalised
from toysearch.laboratory.experiments.stats.correlation import Estimate, scaled_errors, value_correlation
from toysearch.laboratory.experiments.stats.significance import paired_test
from toysearch.laboratory.results.tables import opening
from toysearch.laboratory.study import JudgedLike, Study
from toysearch.models.mixture import ModelLike
from toysearch.models.registry import model as find_model
from toysearch.search.searcher import Searcher

_TEXT = 48  # characters of a query in a table

__all__ = ["PredictedQuery", "Prediction", "PredictorResult", "predict"]


class PredictorResult(NamedTuple):
    """A predictor, its correlation with the measure, and its values.

    Attributes
    ----------
    predictor : str
        Its name, with the parameters that were given.
    formula, source : str
        The definition.
    n : int
        The number of queries for which predictor and measure are defined.
    pearson, kendall, smare : Estimate
        Pearson's r, Kendall's τ_b and the mean scaled absolute rank error, each with an interval.
    values : tuple of float
        One value per query; NaN if undefined.
    """

    predictor: str
    formula: str
    source: str
    n: int
    pearson: Estimate
    kendall: Estimate
    smare: Estimate
    values: tuple[float, ...]


class PredictedQuery(NamedTuple):
    """A query: the value of the measure, and for each predictor its value and its scaled absolute rank error."""

    query_id: str
    text: str
    value: float
    predicted: dict[str, float]
    sare: dict[str, float]


@dataclass(frozen=True, repr=False)
class Prediction(Result):
    """The result of `predict`.

    Attributes
    ----------
    collection, analyzer, model, measure : str
        The collection, the analysis, the model, and the measure to predict.
    threshold : float
        The lowest grade of a relevant document.
    k : int or None
        The maximum number of documents per query.
    queries : tuple of PredictedQuery
        The judged queries.
    predictors : tuple of PredictorResult
        The predictors, in the order asked for.
    alpha, seed : float, int
        The level of the intervals, and the seed of the bootstrap.
    """

    collection: str
    analyzer: str
    model: str
    measure: str
    threshold: float
    k: int | None
    queries: tuple[PredictedQuery, ...]
    predictors: tuple[PredictorResult, ...]
    alpha: float
    seed: int

    def __repr__(self) -> str:
        best = self.best
        best_text = f", best {best.predictor} (Pearson {best.pearson.value:.4f})" if best else ""
        return f"<Prediction of {self.measure} of {self.model} for {len(self.queries)} queries{best_text}>"

    def __getitem__(self, predictor: str) -> PredictorResult:
        """The result of a predictor by its name."""
        for result in self.predictors:
            if result.predictor == predictor:
                return result
        raise ArgumentError(
            f"'{predictor}' was not asked for: {', '.join(result.predictor for result in self.predictors)}"
        )

    @property
    def best(self) -> PredictorResult | None:
        """The predictor with the highest Pearson correlation; None if it is undefined for all."""
        defined = [predictor for predictor in self.predictors if math.isfinite(predictor.pearson.value)]
        return max(defined, key=lambda predictor: predictor.pearson.value, default=None)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """One row per predictor: the three correlations with their intervals."""
        columns = [Column("predictor")]
        for name, title in (("pearson", "Pearson"), ("kendall", "Kendall"), ("smare", "sMARE")):
            columns += number_columns(".3f", **{name: title, f"{name}_low": "from", f"{name}_high": "to"})
        rows = [
            [result.predictor, *result.pearson, *result.kendall, *result.smare, result.n] for result in self.predictors
        ]
        if form == "table":
            rows = [[None if cell != cell else cell for cell in row] for row in rows]
        return [ResultTable([*columns, *number_columns("", n="queries")], rows)]

    def queries_table(self) -> ResultTable:
        """One row per query, worst first: the value of the measure and of each predictor."""
        names = [result.predictor for result in self.predictors]
        columns = [Column("query_id", "query"), *number_columns(".4f", self.measure), *number_columns(".3f", *names)]
        rows = []
        for query in sorted(self.queries, key=lambda query: (math.isnan(query.value), query.value)):
            numbers = [value if math.isfinite(value) else None for value in (query.value, *query.predicted.values())]
            rows.append([query.query_id, *numbers, query.text])
        return ResultTable([*columns, Column("text", wrap=True)], rows)

    def text_parts(self, width: int | None = None, wrap: int | None = None, queries: bool = False) -> Iterable[Part]:
        """The correlation of each predictor, the definitions, and the conclusions; on request the queries."""
        yield from self.tables()
        if queries:
            table = self.queries_table()
            yield table._replace(rows=[[*row[:-1], opening(row[-1], _TEXT)] for row in table.rows])
        yield Sentences([f"{result.predictor}: {result.formula} ({result.source})" for result in self.predictors], "")
        yield Sentences(self.sentences())

    def sentences(self) -> list[str]:
        """The conclusions, one sentence each."""
        best = self.best
        if best is None:
            return ["No correlation is defined: at least two queries with different values are needed."]
        first = f"{best.predictor} predicts {self.measure} best, with Pearson's r {best.pearson.value:.3f}"
        weak = ", ".join(result.predictor for result in self.predictors if result.pearson.low <= 0)
        return [
            f"{first}, so it explains {best.pearson.value**2:.0%} of its variance over these queries.",
            *([f"The interval of Pearson's r includes 0 or lies below it: {weak}."] if weak else []),
            "sMARE is the mean error of the rank of a query, as a share of all queries: 0 is perfect, a random order "
            "has about 0.333.",
        ]

    def data(self) -> dict[str, Any]:
        """Everything as plain values, for JSON; the queries are ``per_query``."""
        return {"per_query" if name == "queries" else name: value for name, value in plain(self).items()}

    def about(self) -> list[str]:
        """The setup in one line."""
        parts = [self.collection, self.analyzer, self.model, self.measure]
        parts += [counted(len(self.queries), "query", "queries"), f"relevant from grade {self.threshold:g}"]
        return [" · ".join([*parts, f"{1 - self.alpha:.0%} intervals of 2,000 bootstrap samples, seed {self.seed}"])]


@checked
def predict(
    collection: JudgedLike,
    model: ModelLike = "bm25",
    measure: str | Measure = "AP",
    *,
    predictors: str | Iterable[str] | None = None,
    k: int | None = 1000,
    threshold: float | None = None,
    analyzer: Analyzer | None = None,
    index: Index | None = None,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> Prediction:
    """Measure how well the difficulty of queries can be predicted.

    Predictors need no judgments: they use the query terms and the scores of a ranking. Each is correlated with a
    measure over the judged queries: Pearson's r, Kendall's tau-b and sMARE (the mean error of the rank of a query; 0 is
    perfect), with intervals from 2,000 bootstrap samples of the queries. A predictor uses all documents that the model
    ranks, the measure the best k. smv is undefined for a query if one of its best scores is not above 0.

    What predicts well on one collection need not do so on another: read the intervals. `toysearch docs
    predict-difficulty` has figures on three collections.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name or path
        Documents with judged queries.
    model : str, function, Model or Mixture, default "bm25"
        The ranking model.
    measure : str or Measure, default "AP"
        Measure to predict (`toysearch measures`).
    predictors : str or iterable of str, optional
        Some of wig, nqc, smv, sigma-max, clarity, max-scq, avg-scq, max-idf, avg-idf, with parameters such as wig:k=10
        or clarity:docs=10,terms=50; by default all.
    k : int or None, default 1000
        The maximum number of documents per query for the measure.
    threshold : float, optional
        The lowest grade of a relevant document; by default that of the collection.
    analyzer : Analyzer, optional
        By default that of the collection's language.
    index : Index, optional
        An index of the collection to use instead of building one.
    queries, qrels : optional
        Other queries and judgments.
    alpha : float, default 0.05
        The intervals have the level 1 − alpha.
    seed : int, default 0
        The seed of the bootstrap.
    progress : callable, optional
        Called with the number of queries done.

    Returns
    -------
    Prediction

    Raises
    ------
    ArgumentError
        If a name is unknown or a number is out of range.

    References
    ----------
    Carmel & Yom-Tov, "Estimating the Query Difficulty for Information Retrieval", 2010. sMARE: Faggioli et al., ECIR
    2021. Each predictor has its own source, which ``predictors`` of the result state.

    Examples
    --------
    >>> found = predict("companions", predictors="wig nqc")
    >>> found
    <Prediction of AP of bm25 for 58 queries, best wig (Pearson 0.5770)>
    >>> [round(end, 2) for end in found["wig"].pearson]
    [0.58, 0.44, 0.71]
    """
    chosen, ranked_by = predictors_of(predictors), find_model(model)
    paired_test([0.0], alpha=alpha)  # refuses an invalid alpha before the work
    measures = parse_measures(measure if isinstance(measure, str) else [measure], ["N"])
    if len(measures) != 1:
        raise ArgumentError(f"expected one measure to predict, such as AP, not {len(measures)}")
    study = Study.of(
        collection,
        models=[ranked_by],
        k=k,
        threshold=threshold,
        analyzer=analyzer,
        index=index,
        queries=queries,
        qrels=qrels,
    ).ready()
    tell_normalised(ranked_by, [predictor.name.partition(":")[0] for predictor in chosen])
    evaluation = evaluate(study.run(ranked_by), study.qrels, study.sized(measures), threshold=study.threshold)
    name = str(evaluation.measures[0])
    texts = dict(study.queries)
    values, table = np.array([evaluation.per_query[query_id][name] for query_id in texts]), []
    with without_notes():  # the run has given them
        searcher = Searcher(study.index, ranked_by)
        for number, (query_id, text) in enumerate(texts.items(), 1):
            table.append(predicted(searcher, text, query_id, chosen))
            if progress:
                progress(number)
    columns = np.array(table).reshape(len(texts), len(chosen))
    errors, results = np.full_like(columns, math.nan), []
    for place, predictor in enumerate(chosen):
        column = columns[:, place]
        defined = np.isfinite(column) & np.isfinite(values)
        errors[defined, place] = scaled_errors(column[defined], values[defined])
        correlation = value_correlation(column[defined], values[defined], alpha=alpha, seed=seed)
        results.append(
            PredictorResult(
                predictor.name,
                predictor.predictor.formula,
                predictor.predictor.source,
                correlation.n,
                correlation.pearson,
                correlation.kendall,
                correlation.smare,
                tuple(column.tolist()),
            )
        )
    names = [predictor.name for predictor in chosen]
    return Prediction(
        collection=study.judged.name,
        analyzer=str(study.analyzer),
        model=str(ranked_by),
        measure=name,
        threshold=study.threshold,
        k=k,
        queries=tuple(
            PredictedQuery(*query, value, dict(zip(names, row, strict=True)), dict(zip(names, sare, strict=True)))
            for query, value, row, sare in zip(
                texts.items(), values.tolist(), columns.tolist(), errors.tolist(), strict=True
            )
        ),
        predictors=tuple(results),
        alpha=alpha,
        seed=seed,
    )
