"""Query performance prediction: the difficulty of queries without judgments, and how well it foresees a measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    Query,
    Result,
    ResultTable,
    Sentences,
    Spec,
    TextNeeds,
    counted,
    expect,
    expect_seed,
    note,
    number_columns,
    plain,
    table_columns,
    without_notes,
)
from toysearch.base.result_forms import opening
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import Measure, parse_measures
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.result import over_needs
from toysearch.files import QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.models import Array, Model, ModelLike, Ranker
from toysearch.models.calls import Setting, chosen
from toysearch.models.rankers import parts_of
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Feedback, IndexLike, QueryTerms, Searcher, term_counts
from toysearch.retrieval.scoring import Ranked, top
from toysearch.study.stats.correlation import Estimate, scaled_errors, value_correlation
from toysearch.study.stats.significance import interval_name, paired_test
from toysearch.study.study import JudgedLike, Study
from toysearch.workbench.learning.learned_scorer import LearnedScorer

__all__ = [
    "PredictedQuery",
    "PredictingSearcher",
    "Prediction",
    "PredictorResult",
    "QueryDifficulty",
    "difficulties",
    "predict",
    "query_difficulty",
]


class QueryEvidence(NamedTuple):
    """Facts known of a query before judgments: its terms, the statistics of each, and the ranking."""

    N: int
    df: Array  # (n,) of each distinct term that the collection contains
    cf: Array
    length: float  # the tokens of the query, repeated and unknown ones included
    scores: Array  # of all ranked documents, best first
    # over all documents, where one that is not ranked counts 0; over the ranked ones if a score is below 0, or of a
    # learned ranker
    mean_score: float
    term_shares: Callable[[int, int], tuple[Array, Array]]  # documents, terms → P(w|q), P(w|C)


def evidence(searcher: Searcher, query: QueryTerms) -> QueryEvidence:
    """Gather the evidence on a query under a model; a learned ranker gives the documents of its pool."""
    # A ranker gives the documents below its pool numbers in their order, which are not scores.
    ranker = searcher.scorer if isinstance(searcher.scorer, LearnedScorer) else None
    if ranker is None:
        docs, scores = searcher.scores(query)
    else:
        pooled, scores = ranker.pool(query)
        docs = pooled.docs
    order = top(scores, None)
    return evidence_of(searcher.index, query, docs[order], scores[order], ranker is not None)


def evidence_of(
    index: Index, query: QueryTerms, docs: np.ndarray, scores: Array, among_ranked: bool = False
) -> QueryEvidence:
    """Gather the evidence on a query from all documents that a model ranks, best first, and their scores."""
    counts = term_counts(index, query)

    def term_shares(documents: int, terms: int) -> tuple[Array, Array]:
        best, best_scores = docs[:documents], scores[:documents]
        feedback = Feedback(index, query, best, best_scores, index.documents.vectors(best))
        weights = feedback.document_weights
        shares = weights / weights.sum() @ (feedback.vectors.tf / np.maximum(feedback.lengths, 1)[:, np.newaxis])
        chosen = top(shares, terms)
        cf = np.asarray(index.numbers_at("cf", feedback.terms[chosen]), np.float64)
        return shares[chosen] / shares[chosen].sum(), cf / index.stats.T

    # In a model of log probabilities 0 is the best score of all, not that of a document without a query term.
    N = index.stats.N
    among = len(scores) if len(scores) and (among_ranked or scores[-1] < 0) else N
    length = float(query.qtf.sum()) + sum(query.unknown.values())
    return QueryEvidence(N, counts["df"], counts["cf"], length, scores, float(scores.sum()) / among, term_shares)


def wig(found: QueryEvidence, k: int) -> float:
    """Weighted information gain: how far the best k scores exceed the mean score, divided by √|q|."""
    if not found.length:  # NOT cat
        return math.nan
    return (float(found.scores[:k].mean()) - found.mean_score) / math.sqrt(found.length)


def nqc(found: QueryEvidence, k: int) -> float:
    """Normalised query commitment: the standard deviation of the best k scores, divided by the mean score."""
    return float(found.scores[:k].std()) / abs(found.mean_score) if found.mean_score else math.nan


def smv(found: QueryEvidence, k: int) -> float:
    """Score magnitude and variance: the mean of s·|ln(s/mean)| of the best k scores, divided by the mean score."""
    best = found.scores[:k]
    if best[-1] <= 0 or not found.mean_score:
        return math.nan
    return float((best * np.abs(np.log(best / best.mean()))).mean()) / abs(found.mean_score)


def sigma_max(found: QueryEvidence, k: int) -> float:
    """Largest standard deviation of the best n scores, for n from 1 to k."""
    best = found.scores[:k] - found.scores[0]  # numbers near 0 lose fewer digits in the sums
    n = np.arange(1, len(best) + 1)
    variances = np.cumsum(best**2) / n - (np.cumsum(best) / n) ** 2
    return math.sqrt(max(float(variances.max()), 0.0))


def clarity(found: QueryEvidence, docs: int, terms: int) -> float:
    """Divergence of the language of the best documents from that of the collection, in bits."""
    share, of_collection = found.term_shares(docs, terms)
    present = share > 0
    return float((share[present] * np.log2(share[present] / of_collection[present])).sum())


def _over_terms(
    summary: Callable[[Array], Any], weights: Callable[[QueryEvidence], Array], found: QueryEvidence
) -> float:
    return float(summary(weights(found)))


def _idf(found: QueryEvidence) -> Array:
    return np.log(found.N / found.df)


def _scq(found: QueryEvidence) -> Array:
    """Similarity of each term to the collection: (1 + ln cf) · ln(1 + N/df)."""
    return np.asarray((1 + np.log(found.cf)) * np.log(1 + found.N / found.df))


OF_MAGNITUDES = ("wig", "nqc", "smv")
"""Predictors that compare the magnitudes of scores between queries."""


def tell_normalised(model: Model | Ranker, asked: Collection[str]) -> None:
    """Note that predictors of magnitudes are used on scores that a normalisation has made alike for all queries."""
    names = [name for name in OF_MAGNITUDES if name in asked]
    by = list(dict.fromkeys(part.call for part in parts_of(model) if part.normalises))
    if names and by:
        hides, says = "hides" if len(by) == 1 else "hide", "says" if len(names) == 1 else "say"
        note(
            f"{' and '.join(by)} {hides} the magnitude of scores, so {', '.join(names)} {says} nothing about "
            f"'{model}'; predict with a model whose scores are not normalised"
        )


class Predictor(NamedTuple):
    """Predictor: its function, its parameters with their defaults, its formula, and its source."""

    function: Callable[..., float]
    defaults: dict[str, int]
    formula: str
    source: str


_ZHAO = "Zhao, Scholer & Tsegay, ECIR 2008"
_SHTOK = "Shtok, Kurland, Carmel, Raiber & Markovits, ACM TOIS 30(2), 2012"

PREDICTORS: dict[str, Predictor] = {
    "wig": Predictor(
        wig,
        {"k": 5},
        "(mean of the best k scores − mean score of all documents) / √|q|",
        "Zhou & Croft, SIGIR 2007; k: Shtok et al. 2012",
    ),
    "nqc": Predictor(
        nqc, {"k": 100}, "standard deviation of the best k scores / |mean score of all documents|", _SHTOK
    ),
    "smv": Predictor(
        smv,
        {"k": 100},
        "mean of s · |ln(s / mean of the best k)| over the best k scores s / |mean score of all documents|",
        "Tao & Wu, CIKM 2014",
    ),
    "sigma-max": Predictor(
        sigma_max,
        {"k": 100},
        "largest standard deviation of the best n scores, n from 1 to k",
        "Pérez-Iglesias & Araujo, SPIRE 2010",
    ),
    "clarity": Predictor(
        clarity,
        {"docs": 50, "terms": 100},
        "Σ P(w|q) · log2(P(w|q) / P(w|C)) over the most probable terms w of the best documents",
        "Cronen-Townsend, Zhou & Croft, SIGIR 2002",
    ),
    "max-scq": Predictor(
        partial(_over_terms, np.max, _scq), {}, "largest (1 + ln cf) · ln(1 + N/df) of the query terms", _ZHAO
    ),
    "avg-scq": Predictor(
        partial(_over_terms, np.mean, _scq), {}, "mean of (1 + ln cf) · ln(1 + N/df) over the query terms", _ZHAO
    ),
    "max-idf": Predictor(
        partial(_over_terms, np.max, _idf),
        {},
        "largest ln(N/df) of the query terms",
        "Scholer, Williams & Turpin, JASIST 55(7), 2004",
    ),
    "avg-idf": Predictor(
        partial(_over_terms, np.mean, _idf),
        {},
        "mean of ln(N/df) over the query terms",
        "Cronen-Townsend, Zhou & Croft, SIGIR 2002",
    ),
}
"""Predictors by name; a higher value predicts an easier query."""


_OF_PREDICTOR = Setting(None, 1, 999_999_999, whole=True)


class BoundPredictor(NamedTuple):
    """Predictor with values for its parameters."""

    name: str  # such as wig or wig:k=10
    predictor: Predictor
    parameters: dict[str, int]

    def value(self, found: QueryEvidence) -> float:
        """Return the value for a query; NaN if it is undefined, such as for a query that finds no document."""
        if not len(found.scores) or not len(found.df):
            return math.nan
        return self.predictor.function(found, **self.parameters)


def predictor_of(text: str) -> BoundPredictor:
    """Parse a predictor such as ``wig:k=10``.

    >>> predictor_of("clarity:docs=10").parameters
    {'docs': 10, 'terms': 100}
    """
    of_each = {name: dict.fromkeys(each.defaults, _OF_PREDICTOR) for name, each in PREDICTORS.items()}
    name, settings = chosen("predictor", text, of_each)
    parameters = {key: int(value) for key, value in settings.items()}
    typed = str(Spec(name, {key: str(value) for key, value in parameters.items()}))
    return BoundPredictor(typed, PREDICTORS[name], PREDICTORS[name].defaults | parameters)


def predictors_of(texts: str | Iterable[str] | None) -> list[BoundPredictor]:
    """Parse predictors, each once; all of them by default."""
    if isinstance(texts, str):
        texts = texts.split()
    chosen = {text.name: text for text in map(predictor_of, PREDICTORS if texts is None else texts)}
    if not chosen:
        raise ArgumentError(f"expected at least one predictor: {', '.join(PREDICTORS)}")
    return list(chosen.values())


HARD = 0.1
"""Share of queries, those with the lowest WIG, that look hard; docs/do/predict-difficulty.md has their AP."""

FEWEST = 10
"""Least number of queries that have a lowest tenth."""

_K = 5


class QueryDifficulty(NamedTuple):
    """Predicted difficulty of a query.

    Attributes
    ----------
    wig : float
        Its weighted information gain, with the best 5 documents; NaN if no document is found.
    place : int
        1 + the number of other queries with a lower WIG; 1 is the hardest.
    n : int
        The number of queries compared, this one included.
    """

    wig: float
    place: int
    n: int

    @property
    def hard(self) -> bool:
        """True if the WIG is in the lowest tenth of at least 10 queries."""
        return self.n >= FEWEST and self.place <= HARD * self.n

    def sentence(self, name: str) -> str:
        """State the difficulty in a sentence; `name` is that of the other queries."""
        easier = f"easier than {self.place - 1} of the {self.n - 1} other queries of {name} (WIG {self.wig:.3f})"
        return f"{'this query looks hard: ' if self.hard else ''}{easier}"


class PredictingSearcher(Searcher):
    """Searcher whose runs also give the WIG of each query, from the scores that the run is made of.

    Parameters
    ----------
    index : Index, Collection, name or path
        The documents.
    model : str, function, Model or Ranker
        The ranking model.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> searcher = PredictingSearcher(pets, "bm25")
    >>> run = searcher.run(pets.queries)
    >>> searcher.difficulties(run.query_ids)["12"].place
    1
    """

    def __init__(self, index: IndexLike, model: ModelLike = "bm25") -> None:
        super().__init__(index, model)
        self._values: dict[str, float] = {}

    def difficulties(self, query_ids: Iterable[str]) -> dict[str, QueryDifficulty]:
        """Predict the difficulty of some queries of the last run among each other.

        Parameters
        ----------
        query_ids : iterable of str
            The queries that are compared; others are left out.
        """
        tell_normalised(self.model, ["wig"])
        return _places({query_id: self._values[query_id] for query_id in query_ids if query_id in self._values})

    def _best(
        self, queries: Sequence[QueryTerms], k: int | None, ties: str = "rank", threads: int | None = 1
    ) -> Sequence[Ranked]:
        """Rank all documents, because the WIG needs all scores, and keep the best k."""
        self._values = {}
        best = []
        for terms in queries:
            [(docs, scores)] = super()._best([terms], None, ties, threads)
            best.append((docs[:k].copy(), scores[:k].copy()))
            falling = np.sort(scores)[::-1]  # ties of trec_eval come in another order
            ranker = isinstance(self.scorer, LearnedScorer)
            of_query = evidence(self, terms) if ranker else evidence_of(self.index, terms, docs, falling)
            self._values[terms.query_id] = _value(of_query)
        return best


def difficulties(
    searcher: Searcher, queries: Iterable[tuple[str, str]], *, query_mode: str | None = None
) -> dict[str, QueryDifficulty]:
    """Predict the difficulty of each query among all of them.

    Parameters
    ----------
    searcher : Searcher
        The index with the model.
    queries : iterable of Query
        The queries.
    query_mode : {"lenient", "strict", "plain"}, optional
        How their texts are read.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> found = difficulties(Searcher(pets), pets.queries)
    >>> found["12"].place, found["12"].n, found["12"].hard
    (1, 57, True)
    """
    expect(Searcher, searcher=searcher)
    tell_normalised(searcher.model, ["wig"])
    with without_notes():
        values = {query_id: _wig(searcher, Query(query_id, text), query_mode) for query_id, text in queries}
    return _places(values)


def _places(values: Mapping[str, float]) -> dict[str, QueryDifficulty]:
    ordered = np.sort([value for value in values.values() if not math.isnan(value)])
    return {
        query_id: QueryDifficulty(value, int(np.searchsorted(ordered, value)) + 1, len(ordered))
        for query_id, value in values.items()
        if not math.isnan(value)
    }


def query_difficulty(
    searcher: Searcher, queries: Iterable[tuple[str, str]], text: Any, *, query_mode: str | None = None
) -> QueryDifficulty | None:
    """Predict the difficulty of a query among others; None if it finds no document.

    Parameters
    ----------
    searcher : Searcher
        The index with the model.
    queries : iterable of Query
        The others, read as plain text.
    text : str, Query or Node
        The query. If it has the id of one of the others, it takes its place.
    query_mode : {"lenient", "strict", "plain"}, optional
        How the text is read.

    Raises
    ------
    ArgumentError
        If fewer than 10 queries can be compared.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> query_difficulty(Searcher(pets), pets.queries, "animals alone").sentence(pets.name)
    'this query looks hard: easier than 0 of the 57 other queries of companions (WIG 0.000)'
    """
    expect(Searcher, searcher=searcher)
    own_id = text.query_id if isinstance(text, Query) else None
    others = difficulties(searcher, [query for query in queries if query[0] != own_id])
    if len(others) + 1 < FEWEST:
        count = counted(len(others), "query has a ranking", "queries have a ranking")
        raise ArgumentError(f"difficulty is a place among at least {FEWEST} queries, but only {count} to compare with")
    with without_notes():
        value = _wig(searcher, text, query_mode)
    if math.isnan(value):
        return None
    return QueryDifficulty(value, 1 + sum(other.wig < value for other in others.values()), len(others) + 1)


def _wig(searcher: Searcher, text: Any, query_mode: str | None) -> float:
    return _value(evidence(searcher, searcher.terms(text, query_mode)))


def _value(of_query: QueryEvidence) -> float:
    return wig(of_query, _K) if len(of_query.scores) else math.nan


_TEXT = 48  # characters of a query in a table


class PredictorResult(NamedTuple):
    """Predictor, its correlation with the measure, and its values.

    Attributes
    ----------
    predictor : str
        Its name, with the parameters that were given.
    formula, source : str
        The definition.
    n : int
        The number of queries, or of needs with several texts, for which predictor and measure are defined.
    pearson, kendall, smare : Estimate
        Pearson's r, Kendall's τ_b and the mean scaled absolute rank error, each with an interval.
    values : tuple of float
        One value per query, or per need the mean over its texts; NaN if undefined.
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
    """Query: the value of the measure, and for each predictor its value and its scaled absolute rank error.

    Of a need with several texts: its id, its texts, and the means over them.
    """

    query_id: str
    text: str
    value: float
    predicted: dict[str, float]
    sare: dict[str, float]


@dataclass(frozen=True, repr=False)
class Prediction(Result):
    """Result of `predict`.

    Attributes
    ----------
    collection, analyzer, model, measure : str
        The collection, the analysis, the model, and the measure to predict.
    threshold : float
        The lowest grade of a relevant document.
    k : int or None
        The maximum number of documents per query.
    queries : tuple of PredictedQuery
        The judged queries, or the needs if some have several texts.
    predictors : tuple of PredictorResult
        The predictors, in the order asked for.
    alpha, seed : float, int
        The level of the intervals, and the seed of the bootstrap.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
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
    needs: TextNeeds = field(default_factory=TextNeeds)

    def __repr__(self) -> str:
        best = self.best
        best_text = f", best {best.predictor} (Pearson {best.pearson.value:.4f})" if best else ""
        return f"<Prediction of {self.measure} of {self.model} for {len(self.queries)} {self.needs.kind[1]}{best_text}>"

    def __getitem__(self, predictor: str) -> PredictorResult:
        """Return the result of a predictor by its name."""
        results = {result.predictor: result for result in self.predictors}
        if predictor not in results:
            raise ArgumentError(f"'{predictor}' was not asked for: {', '.join(results)}")
        return results[predictor]

    @property
    def best(self) -> PredictorResult | None:
        """Return the predictor with the highest Pearson correlation; None if it is undefined for all."""
        defined = [predictor for predictor in self.predictors if math.isfinite(predictor.pearson.value)]
        return max(defined, key=lambda predictor: predictor.pearson.value, default=None)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per predictor: the three correlations with their intervals."""
        headers: dict[str, str] = {}
        for name, title in (("pearson", "Pearson"), ("kendall", "Kendall"), ("smare", "sMARE")):
            headers |= {name: title, f"{name}_low": "from", f"{name}_high": "to"}
        columns = table_columns("predictor", number_columns(".3f", **headers), number_columns("", n=self.needs.kind[1]))
        rows = []
        for result in self.predictors:
            rows.append([result.predictor, *result.pearson, *result.kendall, *result.smare, result.n])
        if form == "table":
            rows = [[None if cell != cell else cell for cell in row] for row in rows]
        return [ResultTable(columns, rows)]

    def queries_table(self) -> ResultTable:
        """Return one row per query, worst first: the value of the measure and of each predictor."""
        columns = table_columns(
            Column("query_id", self.needs.kind[0]),
            number_columns(".4f", self.measure),
            number_columns(".3f", *(result.predictor for result in self.predictors)),
            Column("text", wrap=True),
        )
        rows = []
        for query in sorted(self.queries, key=lambda query: (math.isnan(query.value), query.value)):
            values = [query.value, *query.predicted.values()]
            rows.append([query.query_id, *(value if math.isfinite(value) else None for value in values), query.text])
        return ResultTable(columns, rows)

    def text_parts(self, width: int | None = None, wrap: int | None = None, queries: bool = False) -> Iterable[Part]:
        """Yield the correlation of each predictor, the definitions, and the conclusions; on request the queries."""
        yield from self.tables()
        if queries:
            table = self.queries_table()
            yield table._replace(rows=[[*row[:-1], opening(row[-1], _TEXT)] for row in table.rows])
        yield Sentences([f"{result.predictor}: {result.formula} ({result.source})" for result in self.predictors], "")
        yield Sentences(self.sentences())

    def sentences(self) -> list[str]:
        """State the conclusions, one sentence each."""
        best = self.best
        if best is None:
            return ["No correlation is defined: at least two queries with different values are needed."]
        one, several = self.needs.kind
        first = f"{best.predictor} predicts {self.measure} best, with Pearson's r {best.pearson.value:.3f}"
        weak = ", ".join(result.predictor for result in self.predictors if result.pearson.low <= 0)
        return [
            f"{first}, so it explains {best.pearson.value**2:.0%} of its variance over these {self.needs.kind[1]}.",
            *([f"The interval of Pearson's r includes 0 or lies below it: {weak}."] if weak else []),
            f"sMARE is the mean error of the rank of a {one}, as a share of all {several}: 0 is perfect, a random "
            "order has about 0.333.",
        ]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; the queries are ``per_query``."""
        data = {name: value for name, value in plain(self).items() if name != "needs" or value}
        return {"per_query" if name == "queries" else name: value for name, value in data.items()}

    def about(self) -> list[str]:
        """Describe the setup in one line."""
        size = self.needs.size(self.needs or (query.query_id for query in self.queries))
        parts = [
            *(self.collection, self.analyzer, self.model, self.measure),
            *(size, f"relevant from grade {self.threshold:g}"),
            f"{interval_name(self.alpha)}s of 2,000 bootstrap samples, seed {self.seed}",
        ]
        return [" · ".join(parts)]


def predict(
    collection: JudgedLike,
    model: ModelLike = "bm25",
    measure: str | Measure = "AP",
    *,
    predictors: str | Iterable[str] | None = None,
    k: int | None = 1000,
    threshold: float | None = None,
    analyzer: AnalyzerLike | None = None,
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
    model : str, function, Model or Ranker, default "bm25"
        The ranking model.
    measure : str or Measure, default "AP"
        Measure to predict (`toysearch measures`).
    predictors : str or iterable of str, optional
        Some of wig, nqc, smv, sigma-max, clarity, max-scq, avg-scq, max-idf, avg-idf, with parameters such as wig:k=10
        or clarity:docs=10,terms=50; by default all.
    k : int or None, default 1000
        The number of documents to rank per query.
    threshold : float, optional
        The lowest relevant grade; by default the collection's, or 1.
    analyzer : Analyzer, str or function, optional
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
    expect_seed(seed)
    chosen, ranked_by = predictors_of(predictors), find_model(model)
    paired_test([0.0], alpha=alpha)  # refuses an invalid alpha before the work
    measures = parse_measures(measure if isinstance(measure, str) else [measure], ["N"])
    if len(measures) != 1:
        raise ArgumentError(f"expected one measure to predict, such as AP, not {len(measures)}")
    if index is not None:
        expect(Index, index=index)
    study = (
        Study.of(collection, queries, qrels)
        .with_index(index, analyzer)
        .with_models([ranked_by])
        .with_scoring(k=k, threshold=threshold)
        .ready()
    )
    tell_normalised(ranked_by, [predictor.name.partition(":")[0] for predictor in chosen])
    judgments, threshold = study.qrels(), study.threshold()
    evaluation = evaluate(study.run(ranked_by), judgments, study.sized(measures), threshold=threshold)
    name = str(evaluation.measures[0])
    texts = dict(study.queries())
    values, table = np.array([evaluation.per_query[query_id][name] for query_id in texts]), []
    with without_notes():  # the run has given them
        searcher = Searcher(study.index(), ranked_by)
        for number, (query_id, text) in enumerate(texts.items(), 1):
            of_query = evidence(searcher, searcher.terms(text, study.scoring.query_mode, query_id))
            table.append([predictor.value(of_query) for predictor in chosen])
            if progress:
                progress(number)
    needs = judgments.needs
    means = np.column_stack([values, np.array(table).reshape(len(texts), len(chosen))])
    _, means = over_needs([*texts], means, needs)
    joined = {
        need: " | ".join(dict.fromkeys(filter(None, map(texts.__getitem__, of_need))))
        for need, of_need in needs.texts(texts).items()
    }
    values, columns = means[:, 0], means[:, 1:]
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
        collection=study.judged().name,
        analyzer=str(study.analyzer()),
        model=str(ranked_by),
        measure=name,
        threshold=threshold,
        k=k,
        queries=tuple(
            PredictedQuery(*query, value, dict(zip(names, row, strict=True)), dict(zip(names, sare, strict=True)))
            for query, value, row, sare in zip(
                joined.items(), values.tolist(), columns.tolist(), errors.tolist(), strict=True
            )
        ),
        predictors=tuple(results),
        alpha=alpha,
        seed=seed,
        needs=needs.among(texts),
    )
