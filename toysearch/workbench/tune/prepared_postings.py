"""Prepared postings: the model-independent part of a judged collection, so that each further model is cheap."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from toysearch import loops
from toysearch.base import ModelError, Qrels, collected_notes, count_each, note, repeat_each
from toysearch.base.errors import go_on
from toysearch.evaluation.joined_run import JoinedRun, blocks, ideal_of, with_subtopics
from toysearch.index.inverted_index import Index
from toysearch.index.postings import NO_NUMBERS, offsets_of
from toysearch.models import SIMILARITIES, Array, Factor, Model, Ranker, call, names_of
from toysearch.retrieval import Feedback, QueryTerms, Weights, in_turn, scorer_of
from toysearch.retrieval.expanded_queries import expansion, feedback_of, no_documents
from toysearch.retrieval.mixture_scorer import MixtureScorer, weighted_sum
from toysearch.retrieval.query_terms import counts_of
from toysearch.retrieval.scoring import Ranked, similarity_scores

POSTINGS = 1 << 22
"""Number of postings whose sums are held at a time: about 100 MB."""

FEEDBACK_POSTINGS = POSTINGS
"""Number of postings of feedback documents that are kept."""


class Unfit(Exception):
    """Raised if a model must be evaluated query by query: its values are not numbers, or it has its own similarity."""


class MatchedDocuments(NamedTuple):
    """Documents that match some queries."""

    queries: slice
    docs: np.ndarray  # the documents, query by query
    counts: np.ndarray  # the number of documents per query
    judged_places: np.ndarray  # for each judged document its position in `docs`; −1 if it does not match


def rows_of(bounds: np.ndarray, queries: slice) -> tuple[slice, np.ndarray]:
    """Return the rows of some queries, and where those of each begin among them."""
    of_these = bounds[queries.start : queries.stop + 1]
    return slice(int(of_these[0]), int(of_these[-1])), of_these - of_these[0]


class JudgedDocuments:
    """Judged queries, with the numbers of their judged documents."""

    def __init__(self, index: Index, qrels: Qrels, threshold: float, k: int | None) -> None:
        self.index, self._qrels, self._threshold = index, qrels, threshold
        self._depth = index.stats.N if k is None else k
        docs = index.document_numbers(qrels.doc_ids)  # those that the index lacks cannot be retrieved
        self._judged_docs, self._grades = (
            docs[docs >= 0],
            (qrels.relevance if qrels.subtopics is None else np.arange(float(len(qrels))))[docs >= 0],
        )
        self._judged_bounds = offsets_of(docs >= 0)[qrels.offsets]
        rows = np.stack([qrels.offsets[:-1], qrels.offsets[1:]], axis=1)
        self._parts = [(queries, ideal_of(qrels.relevance, rows[queries])) for queries in blocks(qrels)]

    def joined(self, scored: Callable[[slice], Iterable[tuple[MatchedDocuments, Array]]]) -> Iterator[JoinedRun]:
        """Yield rankings joined with the judgments, some queries at a time, from a function that scores them."""
        for queries, ideal in self._parts:
            _, bounds = rows_of(self._judged_bounds, queries)
            ranks = np.full((len(ideal), int(np.diff(bounds).max(initial=0))), np.inf)
            grades, retrieved = np.full(ranks.shape, np.nan), np.zeros(len(ideal), np.int64)
            width = 0
            for matched, scores in scored(queries):
                rows = slice(matched.queries.start - queries.start, matched.queries.stop - queries.start)
                judged, own_bounds = rows_of(self._judged_bounds, matched.queries)
                deepest = loops.rank(
                    matched.counts,
                    matched.docs,
                    scores,
                    own_bounds,
                    matched.judged_places,
                    self._grades[judged],
                    self._depth,
                    ranks[rows],
                    grades[rows],
                )
                width = max(width, deepest)
                retrieved[rows] = np.minimum(matched.counts, self._depth)
            grades, subtopics = grades[:, :width].copy(), None
            if self._qrels.subtopics is not None:
                grades, subtopics = with_subtopics(self._qrels, self._qrels.subtopics, queries, grades)
            yield JoinedRun(
                query_ids=self._qrels.query_ids[queries],
                retrieved=retrieved,
                ranks=ranks[:, :width].copy(),
                grades=grades,
                ideal=ideal,
                threshold=self._threshold,
                top=self._qrels.top,
                subtopics=subtopics,
            )


class Planned(NamedTuple):
    """Values of a model for the terms of all queries, query by query in the canonical order."""

    order: np.ndarray  # the positions of the query–term pairs in that order
    # starts, stops: where the postings of each term begin and end
    starts: np.ndarray
    stops: np.ndarray
    query_weights: Array  # q of each term
    values: dict[str, Array]  # ``every`` and ``qq`` of each query, where the model has or needs them
    parts: tuple[np.ndarray, Array] | None  # the kind of each query; the part of each document by kind


class PlacedPostings(NamedTuple):
    """Postings of some queries, and the documents that match these, whatever the model."""

    pairs: slice  # the terms of these queries
    # for each posting of these terms, term by term: the position of its document among those matched
    places: np.ndarray
    starts: np.ndarray  # where the positions of each term begin
    matched: MatchedDocuments


class PreparedPostings(JudgedDocuments):
    """Judged queries with the postings of their terms and the judgments, shared by many models."""

    def __init__(
        self, index: Index, queries: Mapping[str, QueryTerms], qrels: Qrels, threshold: float, k: int | None
    ) -> None:
        super().__init__(index, qrels, threshold, k)
        nothing = QueryTerms(NO_NUMBERS, np.empty(0), {})
        self._refuse_negative = False
        self._take([queries.get(query_id, nothing) for query_id in qrels.query_ids])

    def _take(self, queries: list[QueryTerms]) -> None:
        self.queries = queries
        # Each term of each query is a pair; the terms themselves are kept once.
        lengths = [len(query.numbers) for query in self.queries]
        self._pair_bounds = np.cumsum([0, *lengths])
        self._pair_queries = repeat_each(np.arange(len(lengths)), lengths)
        self._pair_numbers = np.concatenate([query.numbers for query in self.queries])
        self._qtf = np.concatenate([query.qtf for query in self.queries])
        # Derived terms are numbered from 0 in each query; here each text has one number, after those of the index.
        derived = {term.text: term for query in self.queries for term in query.derived}
        self._derived, n_terms = [*derived.values()], self.index.stats.n_terms
        numbers, number_of = self._pair_numbers.copy(), {text: n_terms + at for at, text in enumerate(derived)}
        texts = [term.text for query in self.queries for term in query.derived]
        numbers[numbers >= n_terms] = [number_of[text] for text in texts]
        terms, self._pair_terms = np.unique(numbers, return_inverse=True)
        self._terms = terms[: len(terms) - len(derived)]
        self._df = np.array([*self.index.df_by_term[self._terms].tolist(), *(term.df for term in self._derived)], int)
        self._bounds = offsets_of(self._df)
        self._pair_sizes = np.diff(self._bounds)[self._pair_terms]
        self._columns: dict[tuple[str, ...], tuple[np.ndarray, dict[str, Array]]] = {}
        self._placed: dict[tuple[int, int], PlacedPostings] = {}

    def of(self, queries: Sequence[QueryTerms], *, refuse_negative: bool = False) -> PreparedPostings:
        """Prepare queries with added terms alike; a model that gives one of them a negative weight may be refused."""
        instance = copy.copy(self)
        instance._take([*queries])
        instance._refuse_negative = refuse_negative
        return instance

    @property
    def n_postings(self) -> int:
        """Number of weights summed for a model."""
        return int(self._pair_sizes.sum())

    def judged(self, model: Model) -> Iterator[JoinedRun]:
        """Join the rankings of a model with the judgments, some queries at a time, without making a ranking."""
        return self.joined(partial(self._scored, *self._weighed(model)))

    def best(self, model: Model, k: int) -> list[Ranked]:
        """Find the k best documents of each query, best first, ties by number."""
        ranked = []
        for documents, scores in self._scored(*self._weighed(model), slice(0, len(self.queries))):
            for start, stop in pairwise([0, *np.cumsum(documents.counts).tolist()]):
                docs, own_docs = documents.docs[start:stop], scores[start:stop]
                if k < len(own_docs):
                    near = np.flatnonzero(own_docs >= np.partition(own_docs, len(own_docs) - k)[len(own_docs) - k])
                    docs, own_docs = docs[near], own_docs[near]
                order = np.lexsort((docs, -own_docs))[:k]
                ranked.append((docs[order].astype(np.int64), own_docs[order]))
        return ranked

    def _weighed(self, model: Model) -> tuple[Weights, Planned, np.ndarray, Array]:
        if model.similarity.function not in (similarity.function for similarity in SIMILARITIES.values()):
            raise Unfit  # another one may not take qq as an array
        weights = Weights(self.index, model)
        return weights, self._plan(weights), *self._weigh(weights)

    def _scored(
        self, weights: Weights, planned: Planned, docs: np.ndarray, posting_weights: Array, queries: slice
    ) -> Iterator[tuple[MatchedDocuments, Array]]:
        for some in self._few(queries):
            go_on()
            placed = self._places(some, docs)
            yield placed.matched, self._scores(weights, planned, placed, posting_weights, some)

    def _few(self, queries: slice) -> Iterator[slice]:
        """Yield the queries in parts small enough to hold the sums of their postings in memory."""
        sizes = count_each(self._pair_queries, weights=self._pair_sizes, minlength=len(self.queries))
        start, n_held = queries.start, 0.0
        for query in range(queries.start, queries.stop):
            if query > start and n_held + sizes[query] > POSTINGS:
                yield slice(start, query)
                start, n_held = query, 0.0
            n_held += sizes[query]
        yield slice(start, queries.stop)

    def _places(self, queries: slice, docs: np.ndarray) -> PlacedPostings:
        """Place the postings of some queries among the documents that match; kept if those of all queries are few."""
        part = queries.start, queries.stop
        if part in self._placed:
            return self._placed[part]
        pairs, bounds = rows_of(self._pair_bounds, queries)
        starts = offsets_of(self._pair_sizes[pairs])
        judged, judged_bounds = rows_of(self._judged_bounds, queries)
        places, matched = (np.empty(int(starts[-1]), np.int32) for _ in range(2))
        counts = np.empty(queries.stop - queries.start, np.int64)
        # With their places beside, which `place` fills in.
        judged_docs = np.stack([self._judged_docs[judged]] * 2, axis=1)
        terms = self._pair_terms[pairs]
        loops.place(
            bounds,
            self._bounds[terms],
            self._bounds[terms + 1],
            np.ascontiguousarray(docs, np.int32),
            judged_bounds,
            judged_docs,
            np.full(self.index.stats.N, -1, np.int32),
            places,
            matched,
            counts,
        )
        matches = MatchedDocuments(queries, matched[: counts.sum()].copy(), counts, judged_docs[:, 1].copy())
        placed = PlacedPostings(pairs, places, starts, matches)
        if self.n_postings <= POSTINGS:
            self._placed[part] = placed
        return placed

    def _weigh(self, weights: Weights) -> tuple[np.ndarray, Array]:
        model = weights.model
        if model.statistics not in self._columns:
            docs, statistics = self._posting_statistics(weights)
            columns = {name: column for name, column in statistics.items() if isinstance(column, np.ndarray)}
            for column in columns.values():
                column.flags.writeable = False
            self._columns[model.statistics] = docs, columns
        docs, columns = self._columns[model.statistics]
        try:
            with np.errstate(all="ignore"):
                term_weights = np.asarray(call(model.function, {**weights.constants, **columns}, model.parameters))
        except Exception as error:  # a user's function may raise anything: a search reports the error and its place
            raise Unfit from error
        if term_weights.dtype.kind not in "fiub" or term_weights.shape not in ((), docs.shape):
            raise Unfit
        filled = np.ascontiguousarray(np.broadcast_to(term_weights, docs.shape), np.float64)
        if not np.isfinite(filled).all():
            raise Unfit
        return docs, filled

    def _posting_statistics(self, weights: Weights) -> tuple[np.ndarray, dict[str, Any]]:
        index, derived = self.index, self._derived
        docs, tf = index.blocks.of_terms(self._terms)
        docs = np.concatenate([docs, *(term.docs for term in derived)])
        tf = np.concatenate([tf, *(term.tf for term in derived)])
        sizes = np.diff(self._bounds)
        of_terms = {name: repeat_each(column, sizes) for name, column in self._term_counts(weights).items()}

        def field_tf(field: str) -> np.ndarray:
            of_derived = [term.field_tf[index.fields.name(field)] for term in derived]
            return np.concatenate([index.field_tf(field, self._terms), *of_derived])

        return docs, weights.statistics(docs, tf, of_terms, field_tf)

    def _term_counts(self, weights: Weights) -> dict[str, Array]:
        of_derived = {name: [getattr(term, name) for term in self._derived] for name in ("df", "cf")}
        columns = counts_of(self.index, self._terms, ("df", "cf"))
        return {name: np.concatenate([column, of_derived[name]]) for name, column in columns.items()}

    def _plan(self, weights: Weights) -> Planned:
        model = weights.model
        counts = {name: column[self._pair_terms] for name, column in self._term_counts(weights).items()}
        term_statistics = {"qtf": self._qtf, **counts}
        query_weights = self._qtf
        if "query" in model.hooks:
            query_weights = self._hook(weights, "query", self._pair_queries, term_statistics)
        order = np.lexsort((self._pair_numbers, self._df[self._pair_terms], self._pair_queries))
        values = {}
        if "per_matched_document" in model.hooks:
            every = self._hook(weights, "per_matched_document", self._pair_queries, term_statistics)[order]
            values["every"] = np.array([in_turn(every[start:stop]) for start, stop in pairwise(self._pair_bounds)])
        if "qq" in names_of(model.similarity.function):
            values["qq"] = self._query_norms(weights, query_weights[order])
        terms = self._pair_terms[order]
        if not all(np.isfinite(array).all() for array in (query_weights, *values.values())):
            raise Unfit
        if self._refuse_negative and (query_weights < 0).any():
            raise Unfit
        parts = self._document_parts(weights) if "document" in model.hooks else None
        return Planned(order, self._bounds[terms], self._bounds[terms + 1], query_weights[order], values, parts)

    def _query_norms(self, weights: Weights, query_weights: Array) -> Array:
        """Σ q² of each query, including unknown terms where the model counts them."""
        counts = [list(query.unknown.values()) for query in self.queries]
        bounds = np.cumsum([0, *map(len, counts)])
        unknown = np.zeros(0)
        if "unknown" in weights.model.hooks and bounds[-1]:
            qtf = np.array(list(chain.from_iterable(counts)), np.float64)
            unknown = self._hook(weights, "unknown", repeat_each(np.arange(len(counts)), np.diff(bounds)), {"qtf": qtf})
        norms = np.zeros(len(counts))
        for query, (start, stop) in enumerate(pairwise(self._pair_bounds)):
            all_weights = np.concatenate([query_weights[start:stop], unknown[bounds[query] : bounds[query + 1]]])
            norms[query] = np.sum(np.square(all_weights))
        return norms

    def _hook(self, weights: Weights, name: str, queries: np.ndarray, columns: Mapping[str, Array]) -> Array:
        """Compute a hook for rows of queries, with one call for all rows with the same arguments."""
        kinds, kind_of = self._kinds(weights, name)
        kind_of_row, results = kind_of[queries], np.empty(len(queries))
        for kind in np.flatnonzero(count_each(kind_of_row)).tolist():
            rows = np.flatnonzero(kind_of_row == kind)
            statistics = kinds[kind] | {value: column[rows] for value, column in columns.items()}
            results[rows] = weights.apply(name, statistics, len(rows))
        return results

    def _kinds(self, weights: Weights, name: str) -> tuple[list[dict[str, float]], np.ndarray]:
        """Return the different arguments of queries that a hook takes, and which of them each query has."""
        names = [value for value in ("ql", "max_qtf", "distinct_q") if value in names_of(weights.model.hooks[name])]
        of_query = np.array([[query.statistics[value] for value in names] for query in self.queries])
        kinds, kind_of = np.unique(of_query, axis=0, return_inverse=True)
        return [dict(zip(names, kind, strict=True)) for kind in kinds.tolist()], kind_of.ravel()

    def _document_parts(self, weights: Weights) -> tuple[np.ndarray, Array] | None:
        """Compute the document hook once per document and kind of query; None if fewer documents match."""
        kinds, kind_of = self._kinds(weights, "document")
        n = self.index.stats.N
        if not kinds or len(kinds) * n > self.n_postings:
            return None
        columns = weights.document_statistics(np.arange(n), names_of(weights.model.hooks["document"]))
        return kind_of, np.stack([weights.apply("document", kind | columns, n) for kind in kinds])

    def _scores(
        self, weights: Weights, planned: Planned, placed: PlacedPostings, posting_weights: Array, queries: slice
    ) -> Array:
        model, own_scores, docs = weights.model, placed.pairs, placed.matched.docs
        scores = np.zeros(len(docs))
        loops.add_up(
            planned.starts[own_scores],
            planned.stops[own_scores],
            placed.starts[planned.order[own_scores] - own_scores.start],
            planned.query_weights[own_scores],
            placed.places,
            posting_weights,
            scores,
        )
        of_query = NO_NUMBERS
        if planned.values or "document" in model.hooks:
            of_query = repeat_each(np.arange(queries.start, queries.stop), placed.matched.counts)
        if "every" in planned.values:
            scores = scores + planned.values["every"][of_query]
        if planned.parts:
            kind_of, parts = planned.parts
            scores = scores + parts[kind_of[of_query], docs]
        elif "document" in model.hooks:
            columns = weights.document_statistics(docs, names_of(model.hooks["document"]))
            scores = scores + self._hook(weights, "document", of_query, columns)
        norms = {name: values[of_query] for name, values in planned.values.items()}
        try:
            return similarity_scores(weights, docs, scores, norms)
        except ModelError as error:
            raise Unfit from error


class PreparedMixture(JudgedDocuments):
    """Judged queries with the scores of the factors of a mixture."""

    def __init__(
        self,
        index: Index,
        mixture: Ranker,
        queries: Mapping[str, QueryTerms],
        qrels: Qrels,
        threshold: float,
        k: int | None,
    ) -> None:
        super().__init__(index, qrels, threshold, k)
        with collected_notes() as self._notes:
            scorer = MixtureScorer(index, mixture, scorer_of)
            scorer.prepare(number for query in queries.values() for number in query.numbers.tolist())
            docs, factors = self._scored(scorer, queries)
        self._bounds = np.cumsum([0, *map(len, docs)])
        self._docs = np.concatenate(docs).astype(np.int32)
        self._factors = [[np.concatenate(column) for column in product] for product in factors]
        self._judged_places = self._places()

    def _scored(
        self, scorer: MixtureScorer, queries: Mapping[str, QueryTerms]
    ) -> tuple[list[np.ndarray], list[list[list[Array]]]]:
        """Return the ranked documents of each query, and their scores: by product, by factor, by query."""
        every = []
        factors: list[list[list[Array]]] = [[[] for _ in product.factors] for product in scorer.parts]
        n_held = 0
        for query_id in self._qrels.query_ids:
            docs, products = scorer.products(queries[query_id]) if query_id in queries else (NO_NUMBERS, [])
            every.append(docs)
            for columns, product in zip(factors, products, strict=False):
                for column, factor in zip(columns, product, strict=True):
                    column.append(factor.counted)
            n_held += len(docs) * sum(map(len, factors))
            if n_held > POSTINGS:
                raise Unfit
        return every, factors

    def _places(self) -> np.ndarray:
        """Find each judged document among the ranked ones of its query; −1 for others."""
        places = np.full(len(self._judged_docs), -1)
        for (start, stop), (first, last) in zip(pairwise(self._bounds), pairwise(self._judged_bounds), strict=True):
            docs, judged = self._docs[start:stop], self._judged_docs[first:last]
            slots = np.searchsorted(docs, judged)
            places[first:last] = np.where(np.append(docs, -1)[slots] == judged, start + slots, -1)
        return places

    def judged(self, mixture: Ranker) -> Iterator[JoinedRun]:
        """Join the rankings of a mixture of the same factors with the judgments, some queries at a time."""
        for scored_query in self._notes:
            note(scored_query)
        scores = weighted_sum(mixture.products, self._factors, len(self._docs))
        if not np.isfinite(scores).all():
            raise Unfit

        def scored(queries: slice) -> Iterator[tuple[MatchedDocuments, Array]]:
            judged, _ = rows_of(self._judged_bounds, queries)
            own_scores, bounds = rows_of(self._bounds, queries)
            places = self._judged_places[judged]
            places = np.where(places < 0, -1, places - own_scores.start)
            yield MatchedDocuments(queries, self._docs[own_scores], np.diff(bounds), places), scores[own_scores]

        return self.joined(scored)


class PreparedFeedback:
    """Judged queries with the feedback documents of the last model, and with their last pairs of words."""

    def __init__(self, prepared: PreparedPostings) -> None:
        self._prepared = prepared
        self._last: tuple[Model, int, list[Feedback]] | None = None
        self._last_pairs: tuple[dict[str, Any], PreparedPostings] | None = None

    def expanded(self, wrapped: Factor) -> tuple[PreparedPostings, Model]:
        """Return the prepared postings of queries with the terms that the wrapper of a model adds, and the model."""
        model, [wrapper, *others] = wrapped.scorer, wrapped.wrappers
        if model.single is None or others:
            raise Unfit
        if not wrapper.expands:
            return self._with_pairs(wrapper), model
        feedback = self._feedback(model, int(wrapper.settings["docs"]))
        queries = [expansion(wrapper, documents).query for documents in feedback]
        return self._prepared.of(queries, refuse_negative=True), model

    def _with_pairs(self, wrapper: Ranker) -> PreparedPostings:
        """Prepare queries with pairs of their words, which do not depend on the model."""
        from toysearch.retrieval.derived_terms import sdm  # an expansion does not need it

        last = self._last_pairs
        if last is not None and last[0] == wrapper.settings:
            return last[1]
        self._last_pairs = None  # first, so that both are never in memory
        queries = [
            sdm(self._prepared.index, terms_of_query, **wrapper.settings) for terms_of_query in self._prepared.queries
        ]
        prepared = self._prepared.of(queries)
        if prepared.n_postings <= FEEDBACK_POSTINGS:
            self._last_pairs = wrapper.settings, prepared
        return prepared

    def _feedback(self, model: Model, k: int) -> list[Feedback]:
        last = self._last
        if last is not None and last[:2] == (model, k):
            return last[2]
        queries = self._prepared.queries
        ranked = self._prepared.best(model, k) if k else no_documents(queries)
        kept_feedback = feedback_of(self._prepared.index, queries, ranked)
        is_small = sum(len(documents.vectors.counts) for documents in kept_feedback) <= FEEDBACK_POSTINGS
        self._last = (model, k, kept_feedback) if is_small else None
        return kept_feedback
