"""Postings and a query → scores: add up term weights in one canonical order, then finish.

The terms of a document are added in the same order on every path, so that scores are equal to the last bit: by
ascending document frequency, ties by term number. Then come the parts common to all ranked documents, the part of the
document itself, and the similarity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from toysearch.base import ModelError
from toysearch.compiled.plain_or_compiled import pays_from
from toysearch.index.inverted_index import Index
from toysearch.index.postings import Postings, contained, rows_of
from toysearch.models.model import Array, Model, call, names_of
from toysearch.models.similarity import COMBINE, dot
from toysearch.search.term_weights import MEMORY, TermWeights, Weights

if TYPE_CHECKING:
    from toysearch.search.block_search import CompiledScorer
    from toysearch.search.derived_terms import DerivedTerm

Ranked: TypeAlias = tuple[np.ndarray, Array]
"""The numbers of documents and their scores, aligned."""

_QUERY = 3_000  # the fixed cost of a query in numpy, as a number of postings that are weighed
_AGAIN = 8  # the cost of weighing a posting, as a number of postings whose weights are known


class QueryTerms(NamedTuple):
    """A query's terms: those that the index knows, by number, and those it does not."""

    numbers: np.ndarray  # (n,) int64; the known terms, each once, in the order of the query
    qtf: Array  # (n,) float64; the counts of these terms in the query
    unknown: Mapping[str, float]  # the terms that no document contains, with their counts
    derived: tuple[DerivedTerm, ...] = ()  # the last terms; their numbers follow those of the index
    sequence: tuple[int, ...] = ()  # the number of each word's term as written; -1 for no or several terms
    matched: np.ndarray | None = None  # the documents to rank, by rising number; None: all with one of the terms
    postings: Mapping[int, Postings] = MappingProxyType({})  # of terms, those in the documents to rank at least
    required: bool = False  # whether only documents with all terms are ranked; `matched` is then found when needed
    structured: bool = False  # whether only documents with one of its terms match, also where all could be ranked
    text: str = ""  # as written, for a function that makes its vector
    query_id: str = ""  # for a file with its vector
    document: int = -1  # the document whose terms these are, for its own vector

    @property
    def statistics(self) -> dict[str, Any]:
        """The statistics qtf, ql, max_qtf and distinct_q, which count known terms only."""
        return {
            "qtf": self.qtf,
            "ql": float(self.qtf.sum()),
            "max_qtf": float(self.qtf.max()) if len(self.qtf) else 0.0,
            "distinct_q": float(len(self.qtf)),
        }


def query_terms(index: Index, terms: Iterable[str]) -> QueryTerms:
    """The analysed terms of a query, looked up in an index."""
    # If the terms of the index are pairs of characters, a single character means all pairs that contain it.
    counts: dict[int, float] = {}
    unknown: dict[str, int] = {}
    sequence = []
    for term in terms:
        number = index.term_numbers[term]
        numbers = [number] if number >= 0 else []
        if not term.isascii() and index.analyzer.cjk and not index.analyzer.makes_grams:
            from toysearch.analysis.character_pairs import is_character

            if is_character(term):
                numbers = [int(number) for number in index.terms.holding(term)]
        sequence.append(numbers[0] if len(numbers) == 1 else -1)
        for number in numbers:
            counts[number] = counts.get(number, 0.0) + 1.0
        if not numbers:
            unknown[term] = unknown.get(term, 0) + 1
    qtf = np.array(list(counts.values()), np.float64)
    return QueryTerms(np.array(list(counts), np.int64), qtf, unknown, sequence=tuple(sequence))


def with_matched(index: Index, query: QueryTerms) -> QueryTerms:
    """The query with the documents to rank, if these are the ones with all its terms."""
    if not query.required:
        return query
    docs, postings = index.blocks.of_all(query.numbers)
    return query._replace(matched=docs.astype(np.int64), postings=postings, required=False)


def structure_matched(index: Index, query: QueryTerms) -> QueryTerms:
    """The query with the documents to rank, if it has phrases, patterns or the like, for what could rank any others."""
    query = with_matched(index, query)
    if not query.structured or query.matched is not None:
        return query
    of_index = query.numbers[query.numbers < index.stats.n_terms]
    docs = [index.blocks.of_terms(of_index).docs, *(term.docs for term in query.derived)]
    return query._replace(matched=np.unique(np.concatenate(docs)).astype(np.int64))


class Plan(NamedTuple):
    """A query prepared for scoring: its terms in the canonical order, and their weights."""

    query: QueryTerms  # its known terms in the canonical order
    query_weights: Array  # (n,) float64; q of each term
    every: Array  # (n,) float64; the addition of each term to every ranked document
    of_norms: Array  # q of each term, and of each unknown term if the model counts those
    terms: Sequence[TermWeights] = ()

    @property
    def norms(self) -> dict[str, float]:
        """Σ q² as qq, and Σ |q| as q1."""
        return {"qq": float(np.sum(np.square(self.of_norms))), "q1": float(np.sum(np.abs(self.of_norms)))}

    def of(self, some: np.ndarray) -> Plan:
        """The plan with the postings of some terms only, which are given as a mask; the other parts count all terms."""
        query = self.query._replace(numbers=self.query.numbers[some], qtf=self.query.qtf[some])
        return self._replace(query=query, query_weights=self.query_weights[some])


def plan(weights: Weights, query: QueryTerms) -> Plan:
    """The query terms in the canonical order, with their query weights and the weights of their postings."""
    query = with_matched(weights.index, query)
    weighed = weigh_query(weights, query)
    if query.derived or query.matched is not None:
        return weighed._replace(terms=_term_weights(weights, weighed.query))
    return weighed._replace(terms=weights.of_terms(weighed.query.numbers.tolist()))


def weigh_query(weights: Weights, query: QueryTerms) -> Plan:
    """The query terms in the canonical order, the rarest first, without the weights of their postings."""
    index, n, hooks = weights.index, len(query.numbers), weights.model.hooks
    df = index.df_by_term[query.numbers] if not query.derived else term_counts(index, query)["df"]
    order = np.lexsort((query.numbers, df))
    query = query._replace(numbers=query.numbers[order], qtf=query.qtf[order])
    query_weights, every = query.qtf, np.zeros(n)
    if n and ("query" in hooks or "per_matched_document" in hooks):
        names = {name for part in ("query", "per_matched_document") if part in hooks for name in names_of(hooks[part])}
        statistics = query.statistics if names & {"ql", "max_qtf", "distinct_q"} else {"qtf": query.qtf}
        if names & {"df", "cf"}:
            own = term_counts(index, query) if query.derived else weights.term_statistics(query.numbers, names)
            statistics |= own
        if "query" in hooks:
            query_weights = weights.apply("query", statistics, n)
        if "per_matched_document" in hooks:
            every = weights.apply("per_matched_document", statistics, n)
        if not (np.isfinite(query_weights).all() and np.isfinite(every).all()):
            raise ModelError(f"model '{weights.model}' gives a query term a weight that is not a finite number")
    of_norms = query_weights
    if query.unknown and "unknown" in hooks:
        qtf = np.array(list(query.unknown.values()), dtype=np.float64)
        of_norms = np.concatenate([of_norms, weights.apply("unknown", {**query.statistics, "qtf": qtf}, len(qtf))])
    return Plan(query, query_weights, every, of_norms)


def term_counts(index: Index, query: QueryTerms) -> dict[str, Array]:
    """The df and cf of the terms of a query, derived ones included, as float64."""
    terms = [derived_term(index, query, number) for number in query.numbers.tolist()]
    known = query.numbers[[term is None for term in terms]]
    counts = {}
    for name, numbers in (("df", index.df_by_term[known]), ("cf", index.numbers_at("cf", known))):
        of_index = iter(numbers.tolist())
        counts[name] = np.array([next(of_index) if term is None else getattr(term, name) for term in terms], np.float64)
    return counts


def derived_term(index: Index, query: QueryTerms, number: int) -> DerivedTerm | None:
    """The derived term of a number in a query; None for a term of the index."""
    n_terms = index.stats.n_terms
    return query.derived[number - n_terms] if number >= n_terms else None


def term_text(index: Index, query: QueryTerms, number: int) -> str:
    """A term of a query, for people: a term of the index, or a derived one in the query language."""
    derived = derived_term(index, query, number)
    return index.term(number) if derived is None else derived.text


def postings_in(index: Index, query: QueryTerms, number: int, docs: np.ndarray | None) -> DerivedTerm:
    """The postings of a term of a query, only those in some documents if these are given by rising number."""
    from toysearch.search.derived_terms import DerivedTerm, of_terms  # most queries do not need it

    term = derived_term(index, query, number)
    if term is None and docs is not None and not index.fields.names:
        if number in query.postings:
            known, tf = query.postings[number]
            own = rows_of(docs, known)
            return DerivedTerm("", known[own], tf[own], {})
        return DerivedTerm("", *index.blocks.in_documents(number, docs), {})
    term = term or of_terms(index, "", np.array([number]))
    if docs is None:
        return term
    own = contained(term.docs, docs)
    field_tf = {name: counts[own] for name, counts in term.field_tf.items()}
    return term._replace(docs=term.docs[own], tf=term.tf[own], field_tf=field_tf)


def _term_weights(weights: Weights, query: QueryTerms) -> list[TermWeights]:
    """The weights of the terms of a query in the documents to rank."""
    index, numbers = weights.index, query.numbers.tolist()
    whole = {number for number in numbers if query.matched is None and derived_term(index, query, number) is None}
    weights_of_whole = dict(zip(whole, weights.of_terms([*whole]), strict=True))
    rows = [row for row, number in enumerate(numbers) if number not in whole]
    postings = [postings_in(index, query, numbers[row], query.matched) for row in rows]
    counts = {name: column[rows] for name, column in term_counts(index, query).items()}
    weights_of_others = iter(
        weights.of_postings([term_text(index, query, numbers[row]) for row in rows], postings, counts)
    )
    return [weights_of_whole[number] if number in whole else next(weights_of_others) for number in numbers]


def score(weights: Weights, planned: Plan) -> Ranked:
    """The documents that contain a query term, by ascending number, and their scores."""
    if planned.query.matched is not None:
        return planned.query.matched, _score_matched(weights, planned, planned.query.matched)
    if not any(len(term.docs) for term in planned.terms):  # models need not handle empty arrays
        return np.zeros(0, np.int64), np.zeros(0)
    combine = COMBINE[weights.model.similarity.combine]
    pairs = zip(planned.query_weights.tolist(), planned.terms, strict=True)
    if len(planned.terms) == 1:  # whose documents rise
        [(q, term)] = pairs
        docs = term.docs.astype(np.int64)
        return docs, finish(weights, planned, docs, 0.0 + combine(q, term.weights))
    postings, N = np.concatenate([term.docs for term in planned.terms]), weights.index.n_documents
    if len(postings) > N // 16:
        matched = np.zeros(N, dtype=bool)
        matched[postings] = True
        docs = np.flatnonzero(matched)
    else:  # sorting a few numbers is faster than looking at all documents
        ordered = np.sort(postings)
        docs = ordered[np.flatnonzero(np.diff(ordered, prepend=-1))].astype(np.int64)
    compact = len(postings) <= N // 256  # the sums of all documents would be mostly empty pages
    places = np.searchsorted(docs, postings) if compact else postings
    sums = np.zeros(len(docs) if compact else N)
    np.add.at(sums, places, np.concatenate([combine(q, term.weights) for q, term in pairs]))  # one by one, in order
    return docs, finish(weights, planned, docs, sums if compact else sums[docs])


def _score_matched(weights: Weights, planned: Plan, docs: np.ndarray) -> Array:
    """The scores of the documents that a query's structure matches, which need not contain a term to score."""
    combine, sums, scores = COMBINE[weights.model.similarity.combine], np.zeros(len(docs)), np.zeros(len(docs))
    for q, term in zip(planned.query_weights.tolist(), planned.terms, strict=True):
        sums[np.searchsorted(docs, term.docs)] += combine(q, term.weights)
    if planned.terms and len(docs):  # without terms, and in an empty vector, there is nothing to score
        vectors = weights.model.similarity.function is not dot
        solid = np.flatnonzero((weights.squared_norms if vectors else weights.index.dl)[docs] > 0)
        if len(solid):
            scores[solid] = finish(weights, planned, docs[solid], sums[solid])
    return scores


def finish(weights: Weights, planned: Plan, docs: np.ndarray, sums: Array) -> Array:
    """The scores of documents from the sums of their term weights: add the other parts, then apply the similarity."""
    s = sums + (in_turn(planned.every) if "per_matched_document" in weights.model.hooks else 0.0)
    if "document" in weights.model.hooks:
        s = s + document_part(weights, planned, docs)
    return similarity_scores(weights, docs, s, {} if weights.model.similarity.function is dot else planned.norms)


def similarity_scores(weights: Weights, docs: np.ndarray, s: Array, norms: Mapping[str, Any]) -> Array:
    """The scores of documents from their sums by the model's similarity, with the norms of one query or of each row."""
    model, function = weights.model, weights.model.similarity.function
    scores = s
    if function is not dot:
        names, quantities = names_of(function), {"s": s, **norms}
        if "dd" in names:
            quantities["dd"] = weights.squared_norms[docs]
        if "d1" in names:
            quantities["d1"] = weights.absolute_norms[docs]
        with np.errstate(all="ignore"):
            scores = np.asarray(call(function, quantities, model.parameters), dtype=np.float64)
    if not np.isfinite(scores).all():
        doc = int(docs[np.flatnonzero(~np.isfinite(scores))[0]])
        raise ModelError(f"model '{model}' gives document '{weights.index.doc_ids[doc]}' a score that is not finite")
    return scores


def document_part(weights: Weights, planned: Plan, docs: np.ndarray) -> Array:
    """The part that the model adds once to each of these documents; zeros if it has none."""
    if "document" not in weights.model.hooks:
        return np.zeros(len(docs))
    names = names_of(weights.model.hooks["document"])
    statistics = {**planned.query.statistics, **weights.document_statistics(docs, names)}
    return weights.apply("document", statistics, len(docs))


def in_turn(values: Array) -> float:
    """The sum of values, added one by one from the first; the built-in sum rounds differently since Python 3.12.

    >>> in_turn(np.array([0.1, 0.2, 0.3])), 0.1 + 0.2 + 0.3
    (0.6000000000000001, 0.6000000000000001)
    """
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def top(scores: Array, k: int | None) -> np.ndarray:
    """The positions of the k highest scores, best first; equal scores in the order of their positions.

    >>> top(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), 4)
    array([1, 3, 0, 2])
    """
    chosen = np.arange(len(scores))
    if k is not None and k < len(scores):
        kth = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = np.flatnonzero(scores > kth)
        level = np.flatnonzero(scores == kth)[: k - len(above)]
        chosen = np.sort(np.concatenate([above, level]))
    order = np.argsort(-scores[chosen], kind="stable")
    best: np.ndarray = chosen[order]
    return best


class Scorer(Protocol):
    """A model or a mixture over an index, as used by `Searcher`."""

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers together, which is much faster than one by one."""

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that contain a query term, by ascending number, and their scores."""

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all matches if k is None."""


def model_scorer(index: Index, model: Model, memory: int = MEMORY) -> ModelScorer:
    """The scorer of a model of term weights over an index."""
    weights = Weights(index, model, memory)
    if not index.shards:
        return ModelScorer(weights)
    from toysearch.search.sharded_scorer import ShardedScorer  # most indexes have no shards

    return ShardedScorer(weights)


class ModelScorer:
    """One model over an index, by plain numpy or, for enough work, by compiled loops with identical results."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._pays_from = pays_from("search")
        self._work = 0  # the work so far, in postings
        self._seen: set[int] = set()  # the terms of the queries so far
        self._compiled: CompiledScorer | None = None

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers together, which is much faster than one by one."""
        numbers = np.unique(np.fromiter(terms, dtype=np.int64))
        if self._compiled is None and self._work + int(self.weights.index.df_by_term[numbers].sum()) < self._pays_from:
            self.weights.of_terms(numbers.tolist())

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that contain a query term, by ascending number, and their scores."""
        return score(self.weights, plan(self.weights, query))

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all matches if k is None."""
        found: Sequence[Ranked | None] = [None] * len(queries)
        if k is not None and (compiled := self._faster(queries)):
            found = compiled.best(queries, k, threads)
        ranked = []
        for query, own in zip(queries, found, strict=True):
            if own is None:
                docs, scores = score(self.weights, plan(self.weights, query))
                best = top(scores, k)
                own = docs[best], scores[best]
            ranked.append(own)
        return ranked

    def _faster(self, queries: Sequence[QueryTerms]) -> CompiledScorer | None:
        """The compiled scorer, once the work so far is enough to pay for loading it; None before."""
        if self._compiled is None:
            df = self.weights.index.df_by_term
            for query in queries:
                if query.derived or query.matched is not None:
                    continue
                work = dict(zip(query.numbers.tolist(), df[query.numbers].tolist(), strict=True))
                new = work.keys() - self._seen
                self._seen |= new
                self._work += sum(work[term] for term in new) + sum(work.values()) // _AGAIN + _QUERY
            if self._work >= self._pays_from:
                from toysearch.search.block_search import CompiledScorer

                self._compiled = CompiledScorer(self.weights)
        return self._compiled
