"""Scorers of pipelines over an index: stages that re-rank, best passages, and documents unlike those before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    PRODUCT,
    SUM,
    ArgumentError,
    Document,
    Explanation,
    JoinedText,
    Remedy,
    bordered,
    count_each,
    repeat_each,
)
from toysearch.index import contained, idf
from toysearch.index.inverted_index import Index, once_per_index
from toysearch.models.model import Array
from toysearch.models.rankers import Ranker, Stage
from toysearch.retrieval.query_terms import QueryTerms, term_text, word_counts
from toysearch.retrieval.rerank_pool import Pooled, below_pool, scores_of, with_rest
from toysearch.retrieval.scoring import OrderedScorer, Ranked, Scorer, ScorerOf, score_of, top


class Ranks(NamedTuple):
    """Ranking of a query after a stage."""

    docs: np.ndarray  # best first
    scores: Array
    pooled: Pooled | None = None  # the documents that the stage re-ranked, and the others; None for the first stage
    query: QueryTerms | None = None  # the query with the pool of the stage


class PipelineScorer(Scorer):
    """Stages over an index: each re-ranks the first documents of the one before; the others follow in their order."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        rankers = dict.fromkeys(stage.ranker for stage in model.stages)
        self.scorers: dict[object, Any] = {
            ranker: scorer_of(index, ranker, memory // len(rankers)) for ranker in rankers
        }

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents that the first stage ranks, by ascending number."""
        docs, scores, *_ = self._ranks(query, None)[-1]
        order = np.argsort(docs)
        return docs[order], scores[order]

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Find the k best documents of each query, best first, ties by number; all matches if k is None."""
        ranked = (self._ranks(query, k, threads)[-1] for query in queries)
        return [(docs[:k], scores[:k]) for docs, scores, *_ in ranked]

    def ranking_keys(self, query: QueryTerms, scores: Array) -> Array:
        """Return the scores; numbers that fall from rank to rank if the last stage has an order of its own."""
        if not isinstance(self.scorers[self.model.stages[-1].ranker], OrderedScorer):
            return scores
        return -np.argsort(self._ranks(query, None)[-1].docs).astype(np.float64)

    def _ranks(self, query: QueryTerms, k: int | None, threads: int | None = 1) -> list[Ranks]:
        """Rank after each stage at least k documents, if there are as many."""
        first, *others = self.model.stages
        depths = [stage.depth for stage in self.model.stages[:-1]]
        most = None if k is None or None in depths else max(filter(None, [k, *depths]))
        if query.pool is None:
            [ranked] = self.scorers[first.ranker].best([query], most, threads)
        else:
            docs, scores, keys = in_pool(self.scorers[first.ranker], query)
            best = top(keys, None)
            ranked = docs[best], scores[best]
        ranks = [Ranks(*ranked)]
        for depth, stage in zip(depths, others, strict=True):
            ranks.append(self._reranked(ranks[-1].docs, depth, stage, query))
        return ranks

    def _reranked(self, docs: np.ndarray, depth: int | None, stage: Stage, query: QueryTerms) -> Ranks:
        """Put the first documents in the order of a stage, those that it ranks before the others."""
        query = query._replace(pool=np.sort(docs[:depth]))
        reranked, scores, keys = in_pool(self.scorers[stage.ranker], query)
        pooled = Pooled(reranked, docs[~contained(docs, reranked)])
        docs, scores = with_rest(pooled, scores)
        best = top(with_rest(pooled, keys)[1], None)
        return Ranks(docs[best], scores[best], pooled, query)

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the score of the last stage, with the rank and the score after each stage."""
        number, ranks = self.index.doc_number(doc_id), self._ranks(query, None)
        places = [np.flatnonzero(ranked.docs == number).tolist() for ranked in ranks]
        if not places[0]:
            return Explanation(str(self.model), math.nan, SUM, kind="pipeline")
        last, scores = ranks[-1], [float(ranked.scores[place]) for ranked, [place] in zip(ranks, places, strict=True)]
        if last.pooled is None or number in last.pooled.docs:
            tree = self.scorers[self.model.stages[-1].ranker].explained(last.query or query, doc_id)
        else:
            of_pool = last.scores[: len(last.pooled.docs)]
            below = below_pool(last.pooled, of_pool, number, scores[-1])
            tree = Explanation("", scores[-1], SUM, {}, (below,), "below")
        moves = {
            "stages": tuple(map(str, self.model.stages)),
            "ranks": tuple(place + 1 for [place] in places),
            "scores": tuple(scores),
        }
        return Explanation(str(self.model), scores[-1], SUM, moves, (tree,), "pipeline")


def in_pool(scorer: Scorer, query: QueryTerms) -> tuple[np.ndarray, Array, Array]:
    """Score the documents of the pool, if there is one, that a scorer ranks, and return the numbers that rank them too.

    They come by rising number.
    """
    docs, scores = scorer.score(query)
    keys = scorer.ranking_keys(query, scores)
    inside: Any = slice(None) if query.pool is None else contained(docs, query.pool)
    return docs[inside], scores[inside], keys[inside]


class Passages(NamedTuple):
    """Passages of the documents of an index, and an index of them."""

    indexed: Index
    starts: np.ndarray  # (N + 1,) int64: passages starts[d] up to starts[d + 1] are those of document d

    def of(self, docs: np.ndarray | None) -> np.ndarray | None:
        """Return the passages of documents, by rising number; None for None."""
        if docs is None:
            return None
        holders = repeat_each(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return np.flatnonzero(contained(holders, docs))


@once_per_index
def passages_of(index: Index, words: int, stride: int) -> Passages:
    """Cut passages of so many words, one at each stride, out of the texts of documents, and index them once."""
    if index.texts is None and index.word_counts:
        from toysearch.collection.catalog import without_texts  # most documents are texts

        raise without_texts("passages are cut out of texts", index.collection)
    if index.texts is None:
        raise ArgumentError(
            "passages are cut out of texts, and this index keeps none; build it again with "
            f"{Remedy('Index.build', store_text=True)}"
        )
    tokenizer, pieces, counts = index.analyzer.tokenizer, [], []
    for doc_id, text in zip(index.doc_ids, index.texts, strict=True):
        marked = tokenizer.visible(bordered(text))
        visible = JoinedText.of(marked)
        places = list(tokenizer.places(visible))
        starts = range(0, max(len(places) - words + stride, 1), stride)
        for n, start in enumerate(starts, 1):
            first, last = places[start : start + 1], places[start : start + words][-1:]
            piece = marked[first[0][0] : last[0][1]] if first else ""
            pieces.append(Document(f"{doc_id}#{n}", JoinedText.of(piece)))
        counts.append(len(starts))
    passages = Index.build(pieces, index.analyzer, positions=index.position_blocks is not None)
    passages.values = {name: values.repeated(counts) for name, values in index.values.items()}
    return Passages(passages, np.cumsum([0, *counts]))


class PassageScorer(Scorer):
    """Ranks documents by their best passages, which a ranker inside ranks as documents of an index of their own."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        words, stride, best = (int(value) for value in model.values)
        self.best_passages = best or None
        self.passages = passages_of(index, words, min(stride, words))
        self.inside = scorer_of(self.passages.indexed, model.inside[0], memory)
        self.scorers = {model.inside[0]: self.inside}

    def prepare(self, terms: Iterable[int]) -> None:
        """Do nothing: terms are weighed among the passages, when they are scored."""

    def of_passages(self, query: QueryTerms) -> QueryTerms:
        """Turn a query into one of passages: the same words, and the passages of its documents."""
        numbers, qtf = word_counts(self.index, query)
        position = {number: place for place, number in enumerate(query.numbers.tolist())}
        order = np.argsort([position.get(number, len(position)) for number in numbers.tolist()], kind="stable")
        terms = [self.index.term(number) for number in numbers[order].tolist()]
        renumbered = np.array(self.passages.indexed.term_numbers.of_each(terms), np.int64)
        known = dict(zip(numbers[order].tolist(), renumbered.tolist(), strict=True))
        qtf, in_passages = qtf[order], renumbered >= 0  # an n-gram of the text may cross the ends of all passages
        rows = zip(terms, qtf.tolist(), in_passages.tolist(), strict=True)
        return QueryTerms(
            renumbered[in_passages],
            qtf[in_passages],
            {**query.unknown, **{term: count for term, count, is_known in rows if not is_known}},
            sequence=tuple(known.get(number, -1) for number in query.sequence),
            text=query.text,
            query_id=query.query_id,
            pool=self.passages.of(query.pool),
        )

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents with a ranked passage, by rising number: the sums of their best passages."""
        passages, scores = self.inside.score(self.of_passages(query))
        holders = np.searchsorted(self.passages.starts, passages, side="right") - 1
        order = np.lexsort((-scores, holders))
        docs, first, counts = np.unique(holders, return_index=True, return_counts=True)
        rank = np.arange(len(holders)) - repeat_each(first, counts)
        kept = order[rank < (self.best_passages or len(rank))]
        sums = count_each(np.searchsorted(docs, holders[kept]), scores[kept], len(docs))
        if query.matched is not None:
            return query.matched, scores_of(query.matched, docs, sums)
        return docs, sums

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the sum of the best passages of a document, each taken apart by the ranker inside."""
        number, name, terms = self.index.doc_number(doc_id), str(self.model), self.of_passages(query)
        first, last = self.passages.starts[number : number + 2].tolist()
        passages, scores = self.inside.score(terms)
        mine = slice(*np.searchsorted(passages, (first, last)).tolist())
        score = score_of(self.score(query), number)
        if math.isnan(score):
            return Explanation(name, score, SUM, kind="passages")
        best = passages[mine][top(scores[mine], self.best_passages)].tolist()
        ids = [self.passages.indexed.doc_ids[passage] for passage in best]
        trees = tuple(self.inside.explained(terms, passage_id) for passage_id in ids)
        trees = trees or (Explanation("matched", score, kind="product"),)
        return Explanation(name, score, SUM, {"passages": tuple(ids), "of": last - first}, trees, "passages")


class Selection(NamedTuple):
    """Documents of a query selected one by one, and the numbers that decided each selection."""

    pooled: Pooled
    scores: Array  # of each document when it was selected
    relevance: Array  # its score under the ranker inside, times its weight
    novelty: np.ndarray  # (n, parts): the other parts of the score
    labels: list[list[str]]  # of these parts
    before: np.ndarray  # the documents in the order of the ranker inside, best first
    ranked: np.ndarray  # those in their new order


class DiversityScorer(OrderedScorer):
    """Ranks from the top down: documents unlike those selected before (MMR), or for terms that they lack (xQuAD)."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.weight, self.depth = float(model.values[0]), int(model.values[1])
        self.relevance = self.weight if model.call == "mmr" else 1 - self.weight
        self.inside = scorer_of(index, model.inside[0], memory)
        self.scorers = {model.inside[0]: self.inside}

    def in_order(self, query: QueryTerms) -> Ranked:
        """Score the documents that the ranker inside ranks, best first: their scores when they were selected."""
        selection = self.selected(query)
        docs, scores = with_rest(selection.pooled, selection.scores)
        return selection.ranked, scores[np.searchsorted(docs, selection.ranked)]

    def selected(self, query: QueryTerms) -> Selection:
        """Select the first documents of the ranker inside one by one, equal values in the order of the documents.

        Equal scores of the ranker inside stay in its order: that of a run need not be that of the documents.
        """
        docs, scores, keys = in_pool(self.inside, query)
        order = top(keys, None)
        chosen = np.sort(order[: self.depth])
        pooled, s = Pooled(docs[chosen], docs[order[self.depth :]]), scores[chosen]
        span = float(np.ptp(s)) if len(s) else 0.0
        parts = _PARTS[self.model.call](self, query, pooled.docs)
        parts.scale *= span or 1.0
        turns, by_key = np.argsort(s, kind="stable"), np.lexsort((-keys[chosen], s))
        turn = np.empty(len(s), np.int64)
        turn[turns] = by_key
        left, values, selected = np.ones(len(s), bool), np.empty(len(s)), []
        novelty, labels = np.empty((len(s), parts.n)), [[""]] * len(s)
        for _ in range(len(s)):
            every = parts.novelty()
            total = self.relevance * s + every.sum(axis=1)
            best = int(turn[np.argmax(np.where(left, total, -np.inf)[turn])])
            selected.append(best)
            left[best], values[best], novelty[best], labels[best] = False, total[best], every[best], parts.labels(best)
            parts.select(best)
        best_first = np.array(selected, np.int64)[top(values[selected], None)]
        ranked = np.concatenate([pooled.docs[best_first], pooled.rest])
        return Selection(pooled, values, self.relevance * s, novelty, labels, docs[order], ranked)

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the weighted score of the ranker inside, and the effect of the documents selected before."""
        number, name, selection = self.index.doc_number(doc_id), str(self.model), self.selected(query)
        docs, scores = with_rest(selection.pooled, selection.scores)
        score = score_of((docs, scores), number)
        if math.isnan(score):
            return Explanation(name, score, SUM, kind="diversity")
        orders = selection.before, selection.ranked
        ranks = tuple(int(np.flatnonzero(order == number)[0]) + 1 for order in orders)
        parts: tuple[Explanation, ...]
        notes: tuple[str, ...] = ()
        if number not in selection.pooled.docs:
            parts = (below_pool(selection.pooled, selection.scores, number, score),)
        else:
            place = int(np.searchsorted(selection.pooled.docs, number))
            tree, weight = self.inside.explained(query, doc_id), Explanation("weight", self.relevance)
            share = float(selection.relevance[place])
            relevance = Explanation(tree.label, share, PRODUCT, {}, (weight, tree), "product")
            pairs = zip(selection.labels[place], selection.novelty[place].tolist(), strict=True)
            parts = (relevance, *(Explanation(label, value, kind="product") for label, value in pairs if label))
            notes = (f"rank {ranks[1]}, and {ranks[0]} under {tree.label}",)
        return Explanation(name, score, SUM, {"ranks": ranks}, parts, "diversity", notes)


class _Similarity:
    """Highest cosine of each document with a selected one, which lowers its value (MMR)."""

    n = 1

    def __init__(self, scorer: DiversityScorer, _: QueryTerms, docs: np.ndarray) -> None:
        from scipy.sparse import csr_array  # most searches do not need it

        index = self._index = scorer.index
        vectors = index.documents.vectors(docs)
        weights = np.log1p(vectors.counts) * idf(index.df_by_term[vectors.terms], index.stats.N)[vectors.columns]
        norms = np.sqrt(vectors.by_document(np.square(weights)))
        weights = weights / np.where(norms > 0, norms, 1.0)[vectors.rows]
        matrix = csr_array((weights, (vectors.rows, vectors.columns)), shape=(len(docs), len(vectors.terms)))
        self._docs, self._cosines = docs, (matrix @ matrix.T).toarray()
        self._highest, self._nearest = np.zeros(len(docs)), np.full(len(docs), -1)
        self.scale = 1 - scorer.weight

    def novelty(self) -> np.ndarray:
        return -self.scale * self._highest[:, np.newaxis]

    def labels(self, place: int) -> list[str]:
        nearest = int(self._nearest[place])
        return [f"like {self._index.doc_ids[self._docs[nearest]]}" if nearest >= 0 else ""]

    def select(self, place: int) -> None:
        nearer = self._cosines[place] > self._highest
        self._highest[nearer], self._nearest[nearer] = self._cosines[place][nearer], place


class _Aspects:
    """Gain of each document for each query term, as far as the selected ones left it open (xQuAD)."""

    def __init__(self, scorer: DiversityScorer, query: QueryTerms, docs: np.ndarray) -> None:
        self.n = len(query.numbers)
        self._coverage = np.zeros((len(docs), self.n))
        self._names = [f"aspect {term_text(scorer.index, query, number)}" for number in query.numbers.tolist()]
        for column in range(self.n):
            term = slice(column, column + 1)
            numbers, qtf = query.numbers[term], query.qtf[term]
            aspect = query._replace(numbers=numbers, qtf=qtf, unknown={}, sequence=(), is_whole=False)
            scores = scores_of(docs, *scorer.inside.score(aspect))
            lowest = min(0.0, float(scores.min(initial=0.0)))
            self._coverage[:, column] = (scores - lowest) / (float(scores.max(initial=0.0)) - lowest or 1.0)
        self._open, self._shares = np.ones(self.n), query.qtf / (float(query.qtf.sum()) or 1.0)
        self.scale = scorer.weight

    def novelty(self) -> np.ndarray:
        return self.scale * self._shares * self._open * self._coverage

    def labels(self, place: int) -> list[str]:
        return self._names

    def select(self, place: int) -> None:
        self._open = self._open * (1 - self._coverage[place])


_PARTS: Mapping[str, type[_Similarity | _Aspects]] = {"mmr": _Similarity, "xquad": _Aspects}
