"""Postings and a query → scores: weigh the terms, add their weights in one canonical order, then finish.

The weights of a model are computed per term on first use and cached. The terms of a document are added in the same
order on every path, so that scores are equal to the last bit: by ascending document frequency, ties by term number.
Then come the parts common to all ranked documents, the part of the document itself, and the similarity.

Start with `plan`, `score` and `highest`.
"""

from __future__ import annotations

import builtins
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import ModelError, ToysearchError, near_name, repeat_each
from toysearch.base.errors import go_on
from toysearch.index.inverted_index import Index
from toysearch.index.postings import NO_NUMBERS, contained, rows_of
from toysearch.models import dot
from toysearch.models.model import COLLECTION, PRIOR, Array, Model, call, is_shipped, names_of
from toysearch.retrieval.query_terms import (
    BLOCK,
    QueryTerms,
    column_of,
    counts_of,
    derived_term,
    in_blocks,
    term_counts,
    term_text,
    with_matched,
)

if TYPE_CHECKING:
    from toysearch.base import Explanation
    from toysearch.models import Factor
    from toysearch.retrieval.derived_terms import DerivedTerm


MEMORY = 1 << 30
"""Default limit in bytes for the cached weights of a model: about 80 million postings."""


FieldTf = Callable[[str], np.ndarray]
"""Term frequencies of postings in a separate field, by its name."""


class TermWeights(NamedTuple):
    """Weights of a term, aligned with its postings."""

    docs: np.ndarray
    weights: Array


class Weights:
    """Applies a model to the terms and documents of an index.

    The functions of a model get statistics of postings, terms and documents as one-dimensional read-only float64 arrays
    of one length, and all others as floats. So a weight does not depend on the postings that it is computed with.
    """

    def __init__(self, index: Index, model: Model, memory: int = MEMORY) -> None:
        self.index = index
        self.model = model
        self.constants = self._constants()
        self.memory = memory
        self.posting_counts = index.posting_counts
        self._kept: dict[int, TermWeights] = {}  # in the order of their last use
        self._bytes = 0  # that they take
        self._lock = threading.Lock()
        if not is_shipped(model.function):
            self._check_elementwise()

    def of_terms(self, terms: Sequence[int]) -> list[TermWeights]:
        """Weigh the terms with these numbers: new ones together; above the limit, the least recent are dropped."""
        with self._lock:
            kept = self._kept
            missing = [term for term in dict.fromkeys(terms) if term not in kept]
            for some in in_blocks(self.index, missing) if missing else ():
                docs, weights = self.weigh(some)
                ends = accumulate(self.posting_counts[some].tolist())
                for term, (start, stop) in zip(some.tolist(), pairwise([0, *ends]), strict=True):
                    # Copies: a view would keep the whole block in memory.
                    kept[term] = TermWeights(docs[start:stop].copy(), weights[start:stop].copy())
                    self._bytes += kept[term].docs.nbytes + kept[term].weights.nbytes
            chosen = [kept[term] for term in terms]
            if self._bytes > self.memory // 2:  # the order of use matters only if something may be dropped
                recent = dict.fromkeys(terms)
                kept.update([(term, kept.pop(term)) for term in recent])
                for term in list(kept)[: -len(recent)] if self._bytes > self.memory else ():
                    if self._bytes <= self.memory:
                        break
                    dropped = kept.pop(term)
                    self._bytes -= dropped.docs.nbytes + dropped.weights.nbytes
            return chosen

    @cached_property
    def squared_norms(self) -> Array:
        """Σ d² of every document, over all its terms, added in term order; shape (N,)."""
        norms = np.zeros(len(self.index))
        for terms in in_blocks(self.index, self.index.held_terms):
            docs, weights = self.weigh(terms)
            np.add.at(norms, docs, np.square(weights))
        return norms

    def document_statistics(self, docs: np.ndarray, names: Sequence[str]) -> dict[str, Array]:
        """Named statistics among dl, distinct, max_tf, bytes and priors, for the documents with these numbers."""
        columns = ("dl", "distinct", "max_tf", "bytes")
        columns_of_index = {name: column_of(self.index.numbers_at(name, docs)) for name in columns if name in names}
        return columns_of_index | {name: self._priors[name][docs] for name in names if name in self._priors}

    @cached_property
    def _priors(self) -> dict[str, Array]:
        if not self.model.fields_of_priors:
            return {}
        from toysearch.models import Prior  # most models take none
        from toysearch.retrieval.priors import prior_values

        return {PRIOR + field: prior_values(Prior(field), self.index) for field in self.model.fields_of_priors}

    def statistics(
        self, docs: np.ndarray, tf: np.ndarray, of_terms: Mapping[str, Any], field_tf: FieldTf
    ) -> dict[str, Any]:
        """Arguments of the weight function for postings, from their documents, frequencies, df and cf."""
        names, index = self.model.statistics, self.index
        columns: dict[str, Array] = {"tf": column_of(tf)} if "tf" in names else {}
        columns |= {name: column for name, column in of_terms.items() if name in names}
        columns |= self.document_statistics(docs, names)
        for name, (statistic, field) in self.model.of_fields.items():
            if statistic == "tf":
                columns[name] = column_of(field_tf(field))
            elif statistic == "dl":
                columns[name] = column_of(index.fields.dl(field)[docs])
        return {**self.constants, **columns}

    def weigh(self, terms: np.ndarray) -> tuple[np.ndarray, Array]:
        """Compute the weights of the postings of terms; return the documents and the weights."""
        docs, tf = self.index.blocks.of_terms(terms)
        if not len(docs):  # models need not handle empty arrays
            return docs, np.zeros(0)
        counts, sizes = counts_of(self.index, terms, self.model.statistics), self.posting_counts[terms]

        def field_tf(field: str) -> np.ndarray:
            return self.index.field_tf(field, terms)

        return docs, self._weighed(docs, tf, sizes, counts, field_tf, lambda row: self.index.term(int(terms[row])))

    def of_postings(
        self, texts: Sequence[str], terms: Sequence[DerivedTerm], counts: Mapping[str, Array]
    ) -> list[TermWeights]:
        """Weigh given postings of terms, from the df and cf of each; the texts are for messages."""
        sizes = np.array([len(term.docs) for term in terms], np.int64)
        if not sizes.any():
            return [TermWeights(term.docs, np.empty(0)) for term in terms]
        docs = np.concatenate([term.docs for term in terms])
        tf = np.concatenate([term.tf for term in terms])

        def field_tf(field: str) -> np.ndarray:
            return np.concatenate([term.field_tf[self.index.fields.name(field)] for term in terms])

        weights = self._weighed(docs, tf, sizes, counts, field_tf, texts.__getitem__)
        parts = np.split(weights, np.cumsum(sizes)[:-1])
        return [TermWeights(term.docs, part) for term, part in zip(terms, parts, strict=True)]

    def _weighed(
        self,
        docs: np.ndarray,
        tf: np.ndarray,
        sizes: np.ndarray,
        counts: Mapping[str, Array],
        field_tf: FieldTf,
        text_of: Callable[[int], str],
    ) -> Array:
        """Weigh the postings of terms, from the number of postings and the counts of each; refuse infinite weights."""
        of_terms = {name: repeat_each(column, sizes) for name, column in counts.items()}
        statistics = self.statistics(docs, tf, of_terms, field_tf)
        weights = self.apply("weight", statistics, len(docs))
        if not np.isfinite(weights).all():
            position = int(np.flatnonzero(~np.isfinite(weights))[0])
            name = text_of(int(np.searchsorted(np.cumsum(sizes), position, side="right")))
            values = [(statistic, statistics[statistic]) for statistic in self.model.statistics]
            texts = [f"{statistic}={np.broadcast_to(value, len(docs))[position]:g}" for statistic, value in values]
            listing = f" ({', '.join(texts)})" if texts else ""
            raise ModelError(
                f"model '{self.model}' gives {weights[position]} for the term '{name}' in document "
                f"'{self.index.doc_ids[int(docs[position])]}'{listing}; every weight must be a finite number"
            )
        return weights

    def apply(self, part: str, statistics: Mapping[str, Any], n: int, kind: str = "") -> Array:
        """Call the weight function or a hook: n float64 numbers; a single number applies to all."""
        function = self.model.function if part == "weight" else self.model.hooks[part]
        what = f"model '{self.model.name}'" if part == "weight" else f"{part} of model '{self.model.name}'"
        statistics = {**self.constants, **statistics}
        for value in statistics.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        try:
            with np.errstate(all="ignore"):
                returned = call(function, statistics, self.model.parameters)
                result = np.asarray(returned)
        except ToysearchError:
            raise
        except Exception as error:
            raise _failure(what, function, error, {**self.model.parameters, **statistics}) from error
        if result.dtype.kind not in "fiub":
            from toysearch.base import instead_of_numbers  # most functions return numbers

            if problem := instead_of_numbers(returned):
                raise ModelError(f"{what} returned {problem}; expected one number for each posting it was given")
        if result.shape not in ((), (n,)):
            raise ModelError(
                f"{what} returned an array of shape {result.shape} for {n} {kind}postings; "
                "a model works elementwise and returns one weight for each posting"
            )
        return np.full(n, result, np.float64) if result.shape == () else result.astype(np.float64)

    def _constants(self) -> dict[str, float]:
        stats = self.index.stats
        constants = {name: float(getattr(stats, name)) for name in COLLECTION}
        for name, (statistic, field) in self.model.of_fields.items():
            tokens = self.index.field_tokens(field)
            if statistic == "avgdl":
                constants[name] = float(tokens / stats.N)
        if "collection_constants" in self.model.hooks:
            columns = {**constants, "df_all": column_of(self.index.df), "cf_all": column_of(self.index.cf)}
            function = self.model.hooks["collection_constants"]
            try:
                with np.errstate(all="ignore"):
                    own_constants = call(function, columns, self.model.parameters)
                constants |= {name: float(value) for name, value in own_constants.items()}
            except Exception as error:
                what = f"collection_constants of model '{self.model.name}'"
                raise _failure(what, function, error, {**self.model.parameters, **columns}) from error
        available = {"tf", "df", "cf", "dl", "distinct", "max_tf", "bytes"}
        available.update(constants, self.model.of_fields, self._priors)
        for name in self.model.statistics:
            if name not in available:
                raise ModelError(
                    f"model '{self.model.name}' names {name}, which is neither a statistic nor one of its "
                    "collection_constants"
                )
        return constants

    def _check_elementwise(self) -> None:
        """Weigh artificial postings together and separately, which exposes a model that reduces over its arguments."""
        if not self.index.stats.n_postings:
            return
        N, avgdl = self.constants["N"], max(1.0, self.constants["avgdl"])
        tf = np.array([1.0, 2.0, 3.0, 1.0, 5.0, 2.0, 1.0])
        df = np.clip(np.array([1.0, 2.0, N / 3, N / 2, N / 5, N - 1, N]).round(), 1.0, N)
        dl = np.round(avgdl * np.array([1.0, 0.5, 2.0, 1.5, 1.0, 0.7, 3.0])) + tf
        sample = {
            "tf": tf,
            "df": df,
            "cf": df * tf,
            "dl": dl,
            "distinct": np.maximum(1.0, np.round(dl * 0.7)),
            "max_tf": tf + np.array([0.0, 1.0, 2.0, 0.0, 1.0, 4.0, 0.0]),
            "bytes": dl * 6,
        }
        of_fields = {"tf": tf, "dl": dl}
        sample |= {name: values[np.arange(7) % len(values)] for name, values in self._priors.items()}
        sample |= {name: of_fields[part] for name, (part, _) in self.model.of_fields.items() if part in of_fields}

        def weigh(rows: Any) -> Array:
            picked = {name: np.ascontiguousarray(column[rows]) for name, column in sample.items()}
            return self.apply("weight", picked, len(picked["tf"]), kind="made-up ")

        together = weigh(slice(None))
        apart = np.concatenate([weigh(slice(0, 1)), weigh(slice(1, 4)), weigh(slice(4, None))])
        turned = weigh(slice(None, None, -1))[::-1]
        for other in (apart, turned):
            if not np.allclose(together, other, rtol=1e-9, atol=0.0, equal_nan=True):
                raise ModelError(
                    f"model '{self.model.name}' is not elementwise: a posting's weight depends on the postings it "
                    "is weighed with; use the named statistics (avgdl, max_tf, …) or a "
                    "collection_constants hook instead of reducing arrays"
                )


def _failure(what: str, function: Callable[..., Any], error: Exception, arguments: Mapping[str, Any]) -> ModelError:
    code = getattr(function, "__code__", None)
    line, frame = (code.co_firstlineno if code else 0), error.__traceback__
    while code and frame is not None:
        if frame.tb_frame.f_code is code:
            line = frame.tb_lineno
        frame = frame.tb_next
    where, advice = f" ({code.co_filename}:{line})" if code else "", ""
    if isinstance(error, NameError):
        known = [*getattr(function, "__globals__", {}), *dir(np), *dir(builtins)]
        advice = near_name(error.name or "", known)
    elif isinstance(error, TypeError | ValueError) and _takes_one(function, arguments):
        advice = (
            f"; its arguments ({', '.join(names_of(function))}) are read-only numpy arrays: use numpy functions "
            "(np.log, np.where) instead of math functions and if"
        )
    return ModelError(f"{what}{where} failed: {type(error).__name__}: {error}{advice}")


def _takes_one(function: Callable[..., Any], arguments: Mapping[str, Any]) -> bool:
    """True if a function works for a single posting: then it is arrays that it cannot take."""
    one = {
        name: np.array(value.flat[0]) if np.size(value) and np.ndim(value) else value
        for name, value in arguments.items()
    }
    try:
        call(function, one, {})
    except Exception:
        return False
    return True


Ranked: TypeAlias = tuple[np.ndarray, Array]
"""Numbers of documents and their scores, aligned."""


class Plan(NamedTuple):
    """Query prepared for scoring: its terms in the canonical order, and their weights."""

    query: QueryTerms  # its known terms in the canonical order
    query_weights: Array  # (n,) float64; q of each term
    every: Array  # (n,) float64; the addition of each term to every ranked document
    of_norms: Array  # q of each term, and of each unknown term if the model counts those
    terms: Sequence[TermWeights] = ()

    @property
    def norms(self) -> dict[str, float]:
        """Σ q² as qq."""
        return {"qq": float(np.sum(np.square(self.of_norms)))}

    def of(self, some: np.ndarray) -> Plan:
        """Restrict the plan to the postings of some terms, which a mask selects; the other parts count all terms."""
        query = self.query._replace(numbers=self.query.numbers[some], qtf=self.query.qtf[some])
        return self._replace(query=query, query_weights=self.query_weights[some])


def plan(weights: Weights, query: QueryTerms) -> Plan:
    """Put query terms in the canonical order, with their query weights and the weights of their postings."""
    index = weights.index
    if query.required:
        query = with_matched(index, query)
    weighed = weigh_query(weights, query)
    query, numbers = weighed.query, weighed.query.numbers.tolist()
    if not query.derived and query.matched is None:
        return weighed._replace(terms=weights.of_terms(numbers))
    whole = {number for number in numbers if query.matched is None and derived_term(index, query, number) is None}
    weights_of_whole = dict(zip(whole, weights.of_terms([*whole]), strict=True))
    rows = [row for row, number in enumerate(numbers) if number not in whole]
    postings = [postings_in(index, query, numbers[row], query.matched) for row in rows]
    counts = {name: column[rows] for name, column in term_counts(index, query, weights.model.statistics).items()}
    texts = [term_text(index, query, numbers[row]) for row in rows]
    weights_of_others = iter(weights.of_postings(texts, postings, counts))
    terms = [weights_of_whole[number] if number in whole else next(weights_of_others) for number in numbers]
    return weighed._replace(terms=terms)


def weigh_query(weights: Weights, query: QueryTerms) -> Plan:
    """Put query terms in the canonical order, the rarest first, without the weights of their postings."""
    index, n, hooks = weights.index, len(query.numbers), weights.model.hooks
    df = index.df_by_term[query.numbers] if not query.derived else term_counts(index, query, {"df"})["df"]
    order = np.lexsort((query.numbers, df))
    query = query._replace(numbers=query.numbers[order], qtf=query.qtf[order])
    query_weights, every = query.qtf, np.zeros(n)
    if n and ("query" in hooks or "per_matched_document" in hooks):
        names = {name for part in ("query", "per_matched_document") if part in hooks for name in names_of(hooks[part])}
        statistics = query.statistics if names & {"ql", "max_qtf", "distinct_q"} else {"qtf": query.qtf}
        if names & {"df", "cf"}:
            statistics |= term_counts(index, query, names)
        if "query" in hooks:
            query_weights = weights.apply("query", statistics, n)
        if "per_matched_document" in hooks:
            every = weights.apply("per_matched_document", statistics, n)
        if not (np.isfinite(query_weights).all() and np.isfinite(every).all()):
            raise not_finite(weights)
    of_norms = query_weights
    if query.unknown and "unknown" in hooks:
        qtf = np.array(list(query.unknown.values()), np.float64)
        of_norms = np.concatenate([of_norms, weights.apply("unknown", {**query.statistics, "qtf": qtf}, len(qtf))])
    return Plan(query, query_weights, every, of_norms)


def not_finite(weights: Weights) -> ModelError:
    """Make the error for a model whose weight of a query term is not a finite number."""
    return ModelError(f"model '{weights.model}' gives a query term a weight that is not a finite number")


def postings_in(index: Index, query: QueryTerms, number: int, docs: np.ndarray | None) -> DerivedTerm:
    """Read the postings of a query term, only those in some documents if these are given by rising number."""
    from toysearch.retrieval.derived_terms import DerivedTerm, of_terms  # most queries do not need it

    term = derived_term(index, query, number)
    if term is None and docs is not None and not index.fields.names:
        if number in query.postings:
            postings = query.postings[number]
            if np.array_equal(docs, postings.docs):
                return DerivedTerm("", postings.docs, postings.tf, {})
            rows = rows_of(docs, postings.docs)
            return DerivedTerm("", postings.docs[rows], postings.tf[rows], {})
        return DerivedTerm("", *index.blocks.in_documents(number, docs), {})
    term = term or of_terms(index, "", np.array([number]))
    return term if docs is None else term.at(contained(term.docs, docs))


def score(weights: Weights, query: QueryTerms) -> Ranked:
    """Score the documents that contain a query term, by ascending number."""
    planned = plan(weights, query)
    if planned.query.matched is not None:
        return planned.query.matched, _score_matched(weights, planned, planned.query.matched)
    if not any(len(term.docs) for term in planned.terms):  # models need not handle empty arrays
        return NO_NUMBERS, np.zeros(0)
    pairs = zip(planned.query_weights.tolist(), planned.terms, strict=True)
    if len(planned.terms) == 1:  # whose documents rise
        [(q, term)] = pairs
        docs = term.docs.astype(np.int64)
        return docs, finish(weights, planned, docs, 0.0 + q * term.weights)
    postings, N = np.concatenate([term.docs for term in planned.terms]), weights.index.n_documents
    if len(postings) > N // 16:
        matched = np.zeros(N, bool)
        matched[postings] = True
        docs = np.flatnonzero(matched)
    else:  # sorting a few numbers is faster than looking at all documents
        ordered = np.sort(postings)
        docs = ordered[np.flatnonzero(np.diff(ordered, prepend=-1))].astype(np.int64)
    compact = len(postings) <= N // 256  # the sums of all documents would be mostly empty pages
    places = np.searchsorted(docs, postings) if compact else postings
    sums = np.zeros(len(docs) if compact else N)
    added = np.concatenate([q * term.weights for q, term in pairs])
    for start in range(0, len(added), BLOCK):  # between parts, Ctrl-C is answered
        part = slice(start, start + BLOCK)
        np.add.at(sums, places[part], added[part])  # one by one, in order
    return docs, finish(weights, planned, docs, sums if compact else sums[docs])


def _score_matched(weights: Weights, planned: Plan, docs: np.ndarray) -> Array:
    """Score the documents that a query's structure matches, which need not contain a term to score."""
    sums, scores = np.zeros(len(docs)), np.zeros(len(docs))
    for q, term in zip(planned.query_weights.tolist(), planned.terms, strict=True):
        rows = slice(None) if len(term.docs) == len(docs) else np.searchsorted(docs, term.docs)
        sums[rows] += q * term.weights
    if planned.terms and len(docs):  # without terms, and in an empty vector, there is nothing to score
        vectors = weights.model.similarity.function is not dot
        solid = np.flatnonzero((weights.squared_norms if vectors else weights.index.dl)[docs] > 0)
        if len(solid):
            scores[solid] = finish(weights, planned, docs[solid], sums[solid])
    return scores


def finish(weights: Weights, planned: Plan, docs: np.ndarray, sums: Array) -> Array:
    """Score documents by the sums of their term weights: add the other parts, then apply the similarity."""
    s = sums + (in_turn(planned.every) if "per_matched_document" in weights.model.hooks else 0.0)
    if "document" in weights.model.hooks:
        s = s + document_part(weights, planned, docs)
    if weights.model.similarity.function is dot and np.isfinite(s).all():
        return s
    return similarity_scores(weights, docs, s, {} if weights.model.similarity.function is dot else planned.norms)


def similarity_scores(weights: Weights, docs: np.ndarray, s: Array, norms: Mapping[str, Any]) -> Array:
    """Apply the model's similarity to the sums of documents, with the norms of one query or of each row."""
    model, function = weights.model, weights.model.similarity.function
    scores = s
    if function is not dot:
        names, quantities = names_of(function), {"s": s, **norms}
        if "dd" in names:
            quantities["dd"] = weights.squared_norms[docs]
        with np.errstate(all="ignore"):
            scores = np.asarray(call(function, quantities, model.parameters), np.float64)
    if not np.isfinite(scores).all():
        doc = int(docs[np.flatnonzero(~np.isfinite(scores))[0]])
        raise ModelError(f"model '{model}' gives document '{weights.index.doc_ids[doc]}' a score that is not finite")
    return scores


def document_part(weights: Weights, planned: Plan, docs: np.ndarray) -> Array:
    """Part that the model adds once to each of these documents; zeros if it has none."""
    if "document" not in weights.model.hooks:
        return np.zeros(len(docs))
    names = names_of(weights.model.hooks["document"])
    statistics = {**planned.query.statistics, **weights.document_statistics(docs, names)}
    return weights.apply("document", statistics, len(docs))


def in_turn(values: Array) -> float:
    """Add values one by one from the first; the built-in sum rounds differently since Python 3.12.

    >>> in_turn(np.array([0.1, 0.2, 0.3])), 0.1 + 0.2 + 0.3
    (0.6000000000000001, 0.6000000000000001)
    """
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def top(scores: Array, k: int | None) -> np.ndarray:
    """Positions of the k highest scores, best first; equal scores in the order of their positions.

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
    return chosen[order]


def highest(ranked: Ranked, k: int | None) -> Ranked:
    """Keep the k documents with the highest scores, best first, ties in their order; all of them if k is None."""
    go_on()
    docs, scores = ranked
    best = top(scores, k)
    return docs[best], scores[best]


def score_of(ranked: Ranked, number: int) -> float:
    """Return the score of a document; NaN if it is not ranked."""
    return next(iter(ranked[1][ranked[0] == number].tolist()), math.nan)


class Scorer:
    """Ranks the documents of an index for `Searcher`: by a model, a mixture, vectors or a learned ranker."""

    scorers: Mapping[Any, Any] = MappingProxyType({})  # of the rankers that it holds, by ranker
    weights: Weights | None = None  # of the terms, if it is the scorer of one model
    factors: Sequence[Factor] = ()  # of a sum

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers together, which is much faster than one by one."""
        numbers = list(terms)
        for scorer in self.scorers.values():
            scorer.prepare(numbers)

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents that it ranks, by ascending number."""
        raise NotImplementedError

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Find the k best documents of each query, best first, ties by number; all matches if k is None."""
        return [highest(self.score(query), k) for query in queries]

    def ranking_keys(self, query: QueryTerms, scores: Array) -> Array:
        """Return the numbers that rank the documents of `score`: the scores, unless ties have an order of their own."""
        return scores

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the score of a document by the numbers that make it; NaN if it is not ranked."""
        raise NotImplementedError


class OrderedScorer(Scorer):
    """Ranks documents in an order of its own, in which equal scores need not stand in the order of the documents."""

    def in_order(self, query: QueryTerms) -> Ranked:
        """Score the documents that it ranks, best first."""
        raise NotImplementedError

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents that it ranks, by ascending number."""
        docs, scores = self.in_order(query)
        order = np.argsort(docs)
        return docs[order], scores[order]

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Find the k best documents of each query, tied ones in the order of `in_order`; all if k is None."""
        ranked = map(self.in_order, queries)
        return [(docs[:k], scores[:k]) for docs, scores in ranked]

    def ranking_keys(self, query: QueryTerms, scores: Array) -> Array:
        """Return numbers that fall from rank to rank, for the documents by ascending number."""
        docs, _ = self.in_order(query)
        return -np.argsort(docs).astype(np.float64)


ScorerOf: TypeAlias = Callable[..., Scorer]
"""Builder of the scorer of a ranker, as `toysearch.retrieval.scorers.scorer_of`: a scorer that holds others gets it."""
