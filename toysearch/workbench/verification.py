"""Verification: the numbers of an index, of models and of measures, recomputed with other libraries."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.analysis.tokenizer import is_function
from toysearch.base import (
    ArgumentError,
    Result,
    ResultTable,
    counted,
    expect,
    expect_list,
    nested,
    number_columns,
    plain,
    present,
    table_columns,
    totals,
)
from toysearch.collection.collection import Collection
from toysearch.evaluation.evaluate import evaluate
from toysearch.files import read_run
from toysearch.files.run_writer import write_run
from toysearch.index.inverted_index import Index
from toysearch.models import Model, Ranker
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Searcher
from toysearch.study.study import JudgedLike, Study

__all__ = ["VERIFIED_MODELS", "Verification", "Verified", "verify"]

VERIFIED_MODELS = (
    "bm25", "bm25-okapi", "bm25l-rank", "bm25plus-rank", "tfidf:idf=smooth", "cosine:idf=smooth",
    "cosine:tf=log,idf=smooth",
)  # fmt: skip
"""Models verified by default."""

_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
_MOST_DIGITS = 16
_MEASURES = {  # the name in toysearch and ir_measures → the name in pytrec_eval
    "AP": "map", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "R@100": "recall_100", "RR": "recip_rank",
    "Rprec": "Rprec", "Bpref": "bpref",
}  # fmt: skip
_IDFS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "bm25": lambda df, N: np.log(1 + (N - df + 0.5) / (df + 0.5)),
    "bm25-robertson": lambda df, N: np.log((N - df + 0.5) / (df + 0.5)),
    "bm25-atire": lambda df, N: np.log(N / df),
}

Tokens = list[list[str]]
"""Tokens of each text."""

LibraryScores = Callable[[list[str]], np.ndarray]
"""Returns the score of every document for the tokens of a query."""

PerQuery = dict[str, dict[str, float]]
"""Query → the value of each measure."""


class Verified(NamedTuple):
    """Numbers that were computed twice, and how far the two results differ.

    Attributes
    ----------
    what : str
        A description of the numbers.
    numbers : int
        The count of numbers.
    difference : float
        The largest difference between two corresponding numbers; infinite if one side lacks a number.
    digits : int
        The number of significant digits to which all agree, at most 16.
    by : str
        The other library.
    agrees : bool
        Whether they are equal except for rounding.
    """

    what: str
    numbers: int
    difference: float
    digits: int
    by: str
    agrees: bool


@dataclass(frozen=True)
class Verification(Result):
    """Result of a verification: what was compared and what was left out.

    Attributes
    ----------
    rows : tuple of Verified
        In the order of computation: tokens, scores, measures.
    left : tuple of str
        One sentence for each omission.
    """

    rows: tuple[Verified, ...]
    left: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Verification of {len(self.rows)} kinds of numbers: {'all agree' if self.agrees else 'NOT all agree'}>"

    @property
    def agrees(self) -> bool:
        """True if nothing disagrees."""
        return all(row.agrees for row in self.rows)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the recomputed values, the library that recomputed them, and the largest difference."""
        columns = table_columns(
            "what",
            number_columns(",", "numbers"),
            number_columns(".1e", difference="largest difference"),
            number_columns("", "digits"),
            "by",
            "agrees",
        )
        return [ResultTable(columns, [[*row[:5], "yes" if row.agrees else "NO"] for row in self.rows])]

    def about(self) -> list[str]:
        """Say what was left out."""
        return [f"left out: {line}" for line in self.left]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {"agrees": self.agrees, "rows": plain(self.rows), "left_out": plain(self.left)}


def verify(
    collection: JudgedLike,
    models: Iterable[str | Model | Ranker] = VERIFIED_MODELS,
    *,
    index: Index | None = None,
    analyzer: AnalyzerLike | None = None,
    sample: int = 50,
) -> Verification:
    """Recompute the numbers of a collection with other libraries.

    Tokens and counts, TF-IDF and cosine by scikit-learn; BM25 by rank-bm25; measures by pytrec_eval and ir_measures,
    if these are installed. Each row shows the number of values compared, the largest difference, the number of
    significant digits to which all agree (at most 16), and the library. Numbers that none of them computes are listed
    as left out.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name or path
        Documents, queries, and judgments if measures are to be verified; an index has those of its named collection.
    models : iterable of str or Model
        The models whose scores are compared; a mixture is refused.
    index : Index, optional
        The index of the collection; by default one is built.
    analyzer : Analyzer, str or function, optional
        The analyzer of that index; by default that of the collection's language.
    sample : int, default 50
        The number of queries whose scores are compared: rank-bm25 is slow.

    Raises
    ------
    ArgumentError
        If a model is unknown, or none of these libraries computes it.

    Examples
    --------
    >>> import toysearch
    >>> found = verify(toysearch.load("cat-dog-parrot"), ["bm25-okapi"])
    >>> found.agrees, [(row.what, row.by) for row in found.rows[:2]]
    (True, [('tokens', 'scikit-learn'), ('counts', 'scikit-learn')])
    """
    expect_list(object, models=models)
    expect(int, sample=sample)
    study = Study.of(collection).with_index(index, analyzer)
    known = study.collection()
    if known is None:
        raise ArgumentError(f"{study.given.name} was not made from a named collection; name the collection itself")
    collection, index = known, study.index()
    checks = []
    for model in map(find_model, models):
        if model.single is None or _library(model) is None:
            names = "bm25, bm25-robertson, bm25-atire, bm25-okapi, bm25l-rank, bm25plus-rank, tfidf and cosine"
            raise ArgumentError(f"none of the libraries here computes '{model}'; expected one of {names}, without k3")
        checks.append(model)
    texts = list(collection.documents.texts)
    skipped: list[str] = []
    rows = [*_analysis(index, texts, skipped)]
    tokens = [index.analyzer(text) for text in texts]
    chosen = [index.analyzer(query.text) for query in collection.queries][:sample]
    rows += [_scores(model, index, tokens, chosen) for model in checks if chosen]
    rows += _measures(collection, index, checks[0], skipped) if checks else []
    return Verification(tuple(rows), tuple(skipped))


def _compared(what: str, by: str, ours: np.ndarray, theirs: np.ndarray) -> Verified:
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if ours.shape != theirs.shape:
        return Verified(what, max(ours.size, theirs.size), math.inf, 0, by, False)
    apart = np.abs(ours - theirs)
    apart[np.isnan(apart)] = np.inf
    largest = float(apart.max(initial=0.0))
    size = np.maximum(np.abs(ours), np.abs(theirs))
    relative = np.divide(apart, size, out=np.zeros_like(apart), where=(size > 0) & (apart > _ABSOLUTE * 1e-3))
    worst = float(relative.max(initial=0.0))
    digits = _MOST_DIGITS if worst == 0 else max(0, min(_MOST_DIGITS, math.floor(-math.log10(worst))))
    agrees = bool((apart <= _ABSOLUTE + _RELATIVE * size).all())
    return Verified(what, ours.size, largest, digits, by, agrees)


def _analysis(index: Index, texts: Sequence[str], left: list[str]) -> Iterator[Verified]:
    from sklearn.feature_extraction.text import CountVectorizer

    analyzer = index.analyzer
    theirs = _their_analyzer(analyzer)
    if theirs is None:
        left.append("tokens: scikit-learn has no equivalent of this analyzer")
    else:
        usual = [text for text in texts if not analyzer.marks or text.isascii()]
        if len(usual) < len(texts):
            left.append(
                f"tokens of {counted(len(texts) - len(usual), 'document')} with letters beyond ASCII, which "
                "scikit-learn cuts at combining marks"
            )
        ours, other = [analyzer(text) for text in usual], [theirs(text) for text in usual]
        n = sum(map(len, ours))
        same = np.array([mine == yours for mine, yours in zip(ours, other, strict=True)])
        row = _compared("tokens", "scikit-learn", np.arange(n), np.arange(sum(map(len, other))))
        yield row if same.all() else row._replace(difference=math.inf, digits=0, agrees=False)
    counter = CountVectorizer(analyzer=analyzer)
    matrix = counter.fit_transform(texts).tocsc()
    same_terms = list(index.terms) == counter.get_feature_names_out().tolist()
    same_places = same_terms and np.array_equal(index.docs(), matrix.indices)
    yield _compared("counts", "scikit-learn", index.tf(), matrix.data if same_places else np.empty(0))


def _their_analyzer(analyzer: Analyzer) -> Callable[[str], list[str]] | None:
    """Combine the tokens and stop words of CountVectorizer with the stemmer; None if it lacks one of our steps."""
    from sklearn.feature_extraction.text import CountVectorizer

    pattern = analyzer.tokenizer.pattern
    more = (analyzer.html, analyzer.cjk, analyzer.synonyms, analyzer.protected, analyzer.makes_grams)
    lengths = analyzer.min_length > 1 or analyzer.max_length is not None
    if pattern is None or any(more) or is_function(analyzer.stem) or lengths or analyzer.numbers != "keep":
        return None
    split = CountVectorizer(
        lowercase=analyzer.lowercase,
        token_pattern=pattern.pattern,
        stop_words=sorted(analyzer.stop) or None,
        strip_accents="unicode" if analyzer.fold_accents else None,
    ).build_analyzer()
    if analyzer.stem is None:
        return split  # type: ignore[no-any-return]
    from toysearch.analysis.token_filters import stem

    name = str(analyzer.stem)
    return lambda text: [stem(token, name) for token in split(text)]


def _library(model: Model) -> str | None:
    values = model.parameters
    if model.name in ("bm25-okapi", "bm25l-rank", "bm25plus-rank", *_IDFS):
        return None if values.get("k3") is not None else "rank-bm25"
    if model.name in ("tfidf", "cosine"):
        usual = values["tf_"] in ("raw", "log", "binary") and values["idf"] in ("ln", "smooth", "plus1")
        weighted = values.get("weights", "tfidf") == "tfidf" and values.get("query_weights", "tfidf") == "tfidf"
        return "scikit-learn" if usual and weighted else None
    return None


def _scores(model: Model, index: Index, tokens: Tokens, queries: Tokens) -> Verified:
    answer = _by_rank_bm25(model, tokens) if _library(model) == "rank-bm25" else _by_sklearn(model, index, tokens)
    searcher = Searcher(index, model)
    ours, theirs = [], []
    for query in queries:
        ranking = searcher.search_terms(query, k=None)
        places = [index.doc_number(hit.doc_id) for hit in ranking]
        ours.append(np.asarray(ranking.scores))
        theirs.append(answer(query)[places])
    by = _library(model) or ""
    if model.name in _IDFS:  # the library has no idf of its own, and takes that of the model
        by += f", with the idf of {model.name}"
    elif model.parameters.get("idf") == "ln":
        by += ", with idf ln(N/df)"
    return _compared(f"scores of {model}", by, np.concatenate(ours), np.concatenate(theirs))


def _by_rank_bm25(model: Model, tokens: Tokens) -> LibraryScores:
    """Score by the three classes of rank-bm25.

    BM25 with another idf is their sum with that idf and without the factor k1 + 1.
    """
    import rank_bm25

    values: dict[str, Any] = {name: value for name, value in model.parameters.items() if name != "k3"}
    kinds = {"bm25l-rank": rank_bm25.BM25L, "bm25plus-rank": rank_bm25.BM25Plus}
    reference = kinds.get(model.name, rank_bm25.BM25Okapi)(tokens, **values)
    factor = 1.0
    if model.name in _IDFS:
        documents = totals((term, 1) for terms in tokens for term in set(terms))
        idf = _IDFS[model.name](np.array([*documents.values()], dtype=float), float(len(tokens)))
        reference.idf = dict(zip(documents, idf.tolist(), strict=True))
        factor = 1.0 if model.name == "bm25-atire" else values["k1"] + 1.0
    return lambda query: np.asarray(reference.get_scores(query), dtype=float) / factor


def _by_sklearn(model: Model, index: Index, tokens: Tokens) -> LibraryScores:
    """Score by the inner products of the vectors of TfidfVectorizer; for a cosine their norms are 1."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity, linear_kernel

    kind, idf = model.parameters["tf_"], model.parameters["idf"]
    vectorizer = TfidfVectorizer(
        analyzer=lambda terms: terms,
        norm=None,
        binary=kind == "binary",
        sublinear_tf=kind == "log",
        smooth_idf=idf == "smooth",
    ).fit(tokens)
    if idf == "ln":  # the textbook idf, which scikit-learn lacks
        df = index.df[[index.term_number(term) for term in vectorizer.get_feature_names_out()]]
        vectorizer.idf_ = np.log(index.stats.N / df)
    documents = vectorizer.transform(tokens)
    product = cosine_similarity if model.name == "cosine" else linear_kernel
    return lambda query: np.asarray(product(documents, vectorizer.transform([query]))[:, 0])


def _measures(collection: Collection, index: Index, model: Model, left: list[str]) -> Iterator[Verified]:
    qrels, grades = collection.qrels, collection.qrels.relevance
    if not grades.size or (grades % 1).any():
        left.append(
            "measures: there are no judgments" if not grades.size else "measures: trec_eval takes only whole grades"
        )
        return
    whole = {query: {doc: int(grade) for doc, grade in qrels[query].items()} for query in qrels.query_ids}
    others = {"pytrec_eval": _by_pytrec_eval, "ir_measures": _by_ir_measures}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.txt")
        write_run(Searcher(index, model).run(collection.queries), path)
        run = nested(read_run(path))
        ours = evaluate(path, qrels, list(_MEASURES), threshold=1).per_query
    for library, computed in others.items():
        if not present(library):
            left.append(f"measures by {library}: it is not installed")
            continue
        theirs = computed(run, whole)
        queries = [query for query in whole if query in run]
        for name in _MEASURES:
            mine = np.array([ours[query][name] for query in queries])
            other = np.array([theirs[query].get(name, math.nan) for query in queries])
            yield _compared(f"{name} of each query", library, mine, other)


def _by_pytrec_eval(run: Mapping[str, Mapping[str, float]], qrels: Mapping[str, Mapping[str, int]]) -> PerQuery:
    import pytrec_eval

    results = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    return {query: {name: values[theirs] for name, theirs in _MEASURES.items()} for query, values in results.items()}


def _by_ir_measures(run: Mapping[str, Mapping[str, float]], qrels: Mapping[str, Mapping[str, int]]) -> PerQuery:
    import ir_measures

    names = {}
    for name in _MEASURES:  # not parsed by ir_measures 0.4, which cannot do that since Python 3.14
        base, _, cutoff = name.partition("@")
        measure = getattr(ir_measures, base)
        names[measure @ int(cutoff) if cutoff else measure] = name
    values: PerQuery = {query: {} for query in qrels}
    for value in ir_measures.iter_calc(list(names), qrels, run):
        values[value.query_id][names[value.measure]] = value.value
    return values
