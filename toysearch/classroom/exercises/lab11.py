"""Lab 11: expansion by hand, the residual collection, a user who marks, harmed queries, topics, fusion, synonyms."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any, NamedTuple

from toysearch import Analyzer, Collection, Index, Searcher, evaluate, load, similar
from toysearch.base import Qrels, Run, totals, without_notes
from toysearch.classroom.answers import at_least, function, number, table, text, unordered
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Unusable, off_by_one, wrong_functions
from toysearch.classroom.lab_collection import collection, index, judged_ids, query_values, value_of
from toysearch.models.similarity import similarity
from toysearch.retrieval.relevance_feedback import search_again
from toysearch.workbench.judged_feedback import judged_feedback

Weights = dict[str, float]

_WORDS = ("cage", "cat", "dog", "food", "fur", "hay", "kitten", "lead", "puppy", "seed", "straw", "vet", "walk", "wing")


# 11.1: Rocchio by hand


def _judged_vectors(draw: Draw) -> Drawn:
    """Draw words of one part only, one in query and others, and one that the relevant documents share with both."""
    raised, lowered, common, good, better, bad = draw.some(_WORDS, 6)
    return {
        "query": {raised: 1, lowered: draw.whole(1, 2), common: 1},
        "relevant": [
            {raised: draw.whole(1, 3), good: draw.whole(2, 4)},
            {raised: draw.whole(1, 2), common: draw.whole(1, 2), better: draw.whole(1, 3)},
        ],
        "not_relevant": [
            {lowered: draw.whole(1, 3), bad: draw.whole(2, 4), common: 1},
            {lowered: 1, bad: 1},
            {bad: draw.whole(1, 3)},
        ],
        "beta": draw.number(0.5, 1.0, 2),
        "gamma": draw.number(0.1, 0.3, 2),
    }


def _kept(weights: Weights) -> Weights:
    return {word: weight for word, weight in weights.items() if weight > 0}


def _rocchio(given: Given, kept: Callable[[Weights], Weights] = _kept, **changed: Any) -> Weights:
    values = vars(given) | changed
    query, relevant, others = values["query"], values["relevant"], values["not_relevant"]
    beta, gamma = values["beta"], values["gamma"]
    words = list(dict.fromkeys(word for vector in (query, *relevant, *others) for word in vector))
    sums = [[sum(vector.get(word, 0) for vector in part) for word in words] for part in (relevant, others)]
    weights = {
        word: query.get(word, 0) + beta * good / max(len(relevant), 1) - gamma * bad / max(len(others), 1)
        for word, good, bad in zip(words, *sums, strict=True)
    }
    return kept(weights)


def _of_sums(given: Given) -> Weights:
    """Add up the vectors of the documents, without averaging them."""
    return _rocchio(given, beta=given.beta * len(given.relevant), gamma=given.gamma * len(given.not_relevant))


def _by_all_documents(given: Given) -> Weights:
    """Divide both sums by the number of all judged documents."""
    good, bad = len(given.relevant), len(given.not_relevant)
    return _rocchio(given, beta=given.beta * good / (good + bad), gamma=given.gamma * bad / (good + bad))


ROCCHIO = Exercise(
    title="Rocchio by hand",
    why="The query moves towards the documents marked as relevant: words come in that nobody typed.",
    given=_judged_vectors,
    answer=table(number(3), "words"),
    expected=_rocchio,
    mistakes={
        "you added the vectors up; take their means, or ten documents would count ten times.": _of_sums,
        "divide each sum by the number of its own documents, not of all judged documents.": _by_all_documents,
        "a word with a negative weight is left out: a query has no words that documents should lack.": {"kept": dict},
        "leave words out whose weight is not above 0; you kept them with the weight 0.": {
            "kept": lambda weights: {word: max(0.0, weight) for word, weight in weights.items()}
        },
        "documents that are not relevant push the query away: subtract their mean.": lambda g: _rocchio(
            g, gamma=-g.gamma
        ),
        "the documents that are not relevant count too: subtract gamma times their mean.": {"gamma": 0.0},
        "this is what comes in; the words of the query keep their weights.": {"query": {}},
        "you swapped beta and gamma: beta belongs to the relevant documents.": lambda g: _rocchio(
            g, beta=g.gamma, gamma=g.beta
        ),
    },
    hints=(
        "Take one word at a time: its count in the query, its mean count in the relevant documents, and its mean count "
        "in the others. A document without the word counts 0.",
        "weight = count in the query + beta · the first mean − gamma · the second. Keep it only if it is above 0.",
    ),
    points=2,
)


# 11.2: the relevance model


def _feedback_documents(draw: Draw) -> Drawn:
    """Draw three documents of different lengths with scores, until no two of the words weigh nearly the same."""
    while True:
        words = draw.some(_WORDS, 6)
        lengths = draw.shuffled([draw.whole(4, 5), draw.whole(6, 8), draw.whole(9, 12)])
        texts = [" ".join(draw.one(words) for _ in range(length)) for length in lengths]
        scores = sorted((draw.number(1.0, 6.0, 1) for _ in texts), reverse=True)
        values = {
            "documents": {f"d{place}": text for place, text in enumerate(texts, 1)},
            "scores": {f"d{place}": score for place, score in enumerate(scores, 1)},
            "terms": draw.whole(3, 4),
        }
        weights = sorted(_summed(Given(**values)).values(), reverse=True)
        if len(weights) > 5 and min(one - two for one, two in itertools.pairwise(weights)) > 0.02:
            return values


def _summed(given: Given, by_length: bool = True, weight: Callable[[float], float] = float) -> Weights:
    """Compute Σ tf / dl · weight of the score of each word over the feedback documents."""
    texts = {doc_id: document.split() for doc_id, document in given.documents.items()}
    return totals(
        (word, weight(given.scores[doc_id]) / (len(words) if by_length else 1))
        for doc_id, words in texts.items()
        for word in words
    )


def _best(weights: Weights, terms: int) -> Weights:
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:terms])


def _to_one(weights: Weights, total: float | None = None) -> Weights:
    """Return the weights as shares of their sum, or of another one."""
    whole = sum(weights.values()) if total is None else total
    return {word: weight / whole for word, weight in weights.items()}


def _relevance_model(given: Given, **how: Any) -> Weights:
    return _to_one(_best(_summed(given, **how), given.terms))


RELEVANCE_MODEL = Exercise(
    title="A relevance model by hand",
    why="It estimates which words a relevant document uses, with the first documents as the evidence.",
    given=_feedback_documents,
    answer=table(number(3), "words"),
    expected=_relevance_model,
    mistakes={
        "divide tf by the length of the document, or a long document decides alone.": {"by_length": False},
        "all documents count the same in your answer; weight each by its score.": {"weight": lambda score: 1.0},
        "you weighted each document by e to the power of its score (softmax); take the score itself.": {
            "weight": math.exp
        },
        "these are the right words; divide by the sum of their weights, so that the shares add up to 1.": lambda g: (
            _best(_summed(g), g.terms)
        ),
        "your shares add up to less than 1: divide by the sum of the words that you keep, not of all words.": (
            lambda g: _best(_to_one(_summed(g)), g.terms)
        ),
        "these are the shares of all words; keep the best of them, and divide by their sum.": lambda g: _to_one(
            _summed(g)
        ),
        "how many words stay? Count them: it is the number in terms.": off_by_one(_relevance_model, "terms"),
    },
    hints=(
        "Each document gives each of its words tf / length, times its score. Add up over the documents.",
        "Sort the words by that sum, keep the first of them (terms), and divide each by the sum of those kept.",
    ),
    points=2,
)


# 11.3: the query and the relevance model mixed


def _mixed(query: Weights, expansion: Weights, lambda_: float, length: float | None = None) -> Weights:
    length = sum(query.values()) if length is None else length
    words = dict.fromkeys([*query, *expansion])
    return _kept(
        {word: lambda_ * query.get(word, 0) / length + (1 - lambda_) * expansion.get(word, 0) for word in words}
    )


def _one_each(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    """Keep the words of the query as before, and of the expansion only those that are new."""
    new = {word: share for word, share in expansion.items() if word not in query}
    return _mixed(query, new, lambda_)


def _queries_to_mix(draw: Draw, given: Given) -> list[tuple[Weights, Weights, float]]:
    cases: list[tuple[Weights, Weights, float]] = []
    for lambda_ in (draw.number(0.3, 0.45, 2), draw.number(0.6, 0.9, 2), 1.0, 0.0):
        first, second, *new = draw.some(_WORDS, 5)
        shares = [draw.whole(1, 9) for _ in range(4)]
        expansion = {word: share / sum(shares) for word, share in zip((first, *new), shares, strict=True)}
        cases.append(({first: draw.whole(2, 3), second: 1}, expansion, lambda_))
    a, b, c, d, *many = draw.some(_WORDS, min(len(_WORDS), 12))
    half = {a: 0.5, c: 0.25, d: 0.25}
    zero = {a: 0.5, c: 0.5, d: 0.0}
    long = {word: 1 / len(many) for word in many}
    cases += [({a: 1, b: 4, many[0]: 2}, half, 0.6), ({a: 1}, {a: 1.0}, 0.3), ({a: 1, b: 1}, {}, 0.4)]
    cases += [({a: 2}, zero, 0.7), ({b: 3}, half, 0.5), ({a: 3, b: 2, c: 1, d: 4}, half, 0.2)]
    return [*cases, ({a: 2, b: 1}, long, 0.8), ({a: 1, b: 1}, half, 0.9), ({a: 1}, long, 0.98)]


def _with_zeros(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    return dict.fromkeys([*query, *expansion], 0.0) | _mixed(query, expansion, lambda_)


_BOTH = "a word of the query that is also in the expansion gets both parts."


MIXTURE = Exercise(
    title="RM3: the query and the model mixed",
    why="With λ = 1 the plain query must come back: a check that costs nothing, on any code for feedback.",
    inputs=_queries_to_mix,
    answer=function(table(number(4), "words"), "mixed(query, expansion, lambda_)"),
    expected=lambda g: _mixed,
    mistakes=wrong_functions(
        {
            "λ is the share that the query keeps; with λ = 1 nothing comes in.": lambda query, expansion, lambda_: (
                _mixed(query, expansion, 1 - lambda_)
            ),
            "divide the counts of the query by their sum, so that both parts add up to 1 before they are mixed.": {
                "length": 1
            },
            "a word that is in the query twice has twice the share of the others.": lambda query, expansion, lambda_: (
                _mixed(dict.fromkeys(query, 1), expansion, lambda_)
            ),
            _BOTH: _one_each,
            "leave words out whose weight is 0.": _with_zeros,
        },
        _mixed,
    ),
    hints=(
        "The words are those of both dicts. query.get(word, 0) is 0 for a word that is not in the query.",
        "weight = lambda_ · count / sum of the counts + (1 − lambda_) · share in the expansion; keep those above 0.",
    ),
    points=2,
)


Point = tuple[float, float]


# 11.7: the cosine of two documents among two topics


def _words_with_places(draw: Draw) -> Drawn:
    """Draw words on the side of one topic, and two documents of two of them each, with different counts."""
    words = draw.some(("car", "automobile", "engine", "garage", "motor", "wheel"), 4)
    places = {word: [draw.number(0.3, 0.8, 2), draw.number(-0.3, 0.4, 2)] for word in words}
    counts = [draw.shuffled([1, draw.whole(2, 4)]) for _ in range(2)]
    return {
        "topics": places,
        "first": dict(zip(words[:2], counts[0], strict=True)),
        "second": dict(zip(words[2:], counts[1], strict=True)),
    }


def _place(given: Given, counts: dict[str, int], counted: bool = True) -> Point:
    """Add up the places of the words, each as often as it occurs."""
    parts = [(count if counted else 1, given.topics[word]) for word, count in counts.items()]
    return sum(count * place[0] for count, place in parts), sum(count * place[1] for count, place in parts)


def _places(given: Given, counted: bool = True) -> tuple[Point, Point]:
    return _place(given, given.first, counted), _place(given, given.second, counted)


def _mean_of_pairs(given: Given) -> float:
    """Return the mean cosine of a word of one document and a word of the other."""
    pairs = [(given.topics[one], given.topics[other]) for one in given.first for other in given.second]
    return sum(similarity(one, other).cosine for one, other in pairs) / len(pairs)


COSINE = Exercise(
    title="Neighbours without a shared word",
    why="Words that keep the same company point the same way, so documents can meet without sharing one.",
    given=_words_with_places,
    answer=number(3),
    expected=lambda g: similarity(*_places(g)).cosine,
    mistakes={
        "this is the cosine of the words, of which they share none; compare their places among the topics.": lambda g: (
            0.0
        ),
        "divide the dot product by the lengths of both vectors.": lambda g: similarity(*_places(g)).xy,
        "a word that occurs several times counts as often.": lambda g: similarity(*_places(g, counted=False)).cosine,
        "you took one word of each document; add up the places of all its words.": lambda g: (
            similarity(*(g.topics[next(iter(of))] for of in (g.first, g.second))).cosine
        ),
        "first add up the places of the words of each document, then take one cosine.": _mean_of_pairs,
    },
    hints=(
        "The place of a document is a sum: the place of each word, times its count, separately for each of the topics.",
        "The cosine of (a, b) and (c, d) is (a·c + b·d) / (√(a² + b²) · √(c² + d²)).",
    ),
)


# 11.8: the nearest stranger

_TOPICS = 20


class Stranger(NamedTuple):
    """Document that shares no word with another one, and how near it is."""

    rank: int
    doc_id: str
    score: float


@functools.cache
def _index() -> Index:
    """Index the collection of the labs without the word that is in each of its passages."""
    english = Index.build(collection()).analyzer
    return Index.build(collection(), Analyzer(stop=[*english.stop, "animal", "animals"], stem="english"))


@functools.cache
def _searcher(topics: int) -> Searcher:
    return Searcher(_index(), f"lsa:{topics}")


@functools.cache
def _strangers(doc_id: str, topics: int = _TOPICS) -> list[Stranger]:
    """Return the documents without a word of this one, nearest first."""
    sharing = {hit.doc_id for hit in similar(_index(), doc_id, k=None)}
    with without_notes():  # the topics are computed for this search
        ranked = enumerate(similar(_searcher(topics), doc_id, k=None), 1)
    return [Stranger(rank, hit.doc_id, hit.score) for rank, hit in ranked if hit.doc_id not in sharing]


@functools.cache
def _lonely() -> list[str]:
    """Return documents whose nearest stranger is unambiguous and at rank 2 to 12 among their neighbours."""
    lonely = []
    for doc_id in _index().doc_ids:
        nearest = _strangers(doc_id)[:2]
        if len(nearest) == 2 and 2 <= nearest[0].rank <= 12 and nearest[0].score - nearest[1].score > 0.01:
            lonely.append(doc_id)
    return lonely


STRANGER = Exercise(
    title="The nearest stranger",
    why="No search by words can find it from there; a model of topics can, and says why only in numbers.",
    given=lambda draw: {"document": draw.one(_lonely())},
    answer=text(),
    expected=lambda g: _strangers(g.document)[0].doc_id,
    mistakes={
        "this is the nearest neighbour of all, and it shares a word with your document.": lambda g: (
            next(iter(similar(_searcher(_TOPICS), g.document))).doc_id
        ),
        "this is your document itself, which shares all of its words.": lambda g: g.document,
        "this one shares no word, but it is the farthest such document; find the nearest.": lambda g: (
            _strangers(g.document)[-1].doc_id
        ),
        "this is the answer for lsa:100; take lsa:20, fewer and broader topics.": lambda g: (
            _strangers(g.document, 100)[0].doc_id
        ),
    },
    hints=(
        "similar(index, document, k=None) ranks the documents that share a word, and no others; with "
        'toysearch.Searcher(index, "lsa:20") in place of the index, it ranks all documents by topics.',
        "Go through the second ranking from its top, and stop at the first document that is not in the first one.",
    ),
    points=2,
)


# 11.4: the residual collection by hand


def _two_rankings(draw: Draw) -> Drawn:
    """Draw a first ranking, and a second one that has the relevant documents seen at its top."""
    names = [f"d{number}" for number in sorted(draw.some(range(10, 99), 10))]
    before, depth = draw.shuffled(names), draw.whole(3, 4)
    judged = draw.some(before[:depth], 2)
    relevant = [*judged, *draw.some(before[depth:], 3)]
    after = [*judged, *draw.shuffled([name for name in names if name not in judged])]
    return {"before": before, "after": after, "relevant": sorted(relevant), "seen": depth}


def _residual(given: Given, ranking: bool = True, judgments: bool = True, of: str = "before") -> float:
    """Compute AP of the second ranking, with the documents seen removed from it and from the judgments."""
    first = getattr(given, of)[: given.seen]
    after = [doc_id for doc_id in given.after if not (ranking and doc_id in first)]
    return value_of(after, [doc_id for doc_id in given.relevant if not (judgments and doc_id in first)])


def _only_relevant_removed(given: Given) -> float:
    judged = [doc_id for doc_id in given.before[: given.seen] if doc_id in given.relevant]
    return value_of(
        [doc_id for doc_id in given.after if doc_id not in judged],
        [doc_id for doc_id in given.relevant if doc_id not in judged],
    )


RESIDUAL = Exercise(
    title="The residual collection by hand",
    why="A system that was told the judgment of a document gets no credit for ranking it well.",
    given=_two_rankings,
    answer=number(3),
    expected=_residual,
    mistakes={
        "this rewards the documents that the user has marked; remove all documents seen.": {
            "ranking": False,
            "judgments": False,
        },
        "you removed the documents seen from the ranking only; remove them from the relevant ones too.": {
            "judgments": False
        },
        "documents seen are in your ranking still and take up ranks; the others move up.": {"ranking": False},
        "the user has also seen documents that are not relevant; they are removed from the ranking too.": (
            _only_relevant_removed
        ),
        "this is the value of the first ranking; feedback made the second.": lambda g: value_of(
            g.before[g.seen :], [d for d in g.relevant if d not in g.before[: g.seen]]
        ),
        "the user has seen the first documents of the first ranking; you removed those of the second.": {"of": "after"},
        "how many documents has the user seen? You are off by one.": off_by_one(_residual, "seen"),
    },
    hints=(
        "The documents seen are the first of before. Make a copy of after without them, and of relevant without them.",
        "AP divides by the number of the relevant documents that are left.",
    ),
    points=2,
)


# 11.5: the gain on the residual collection


@functools.cache
def _values_with_feedback(docs: int) -> tuple[Weights, Weights, Weights, Weights]:
    """Return AP per query: without and with feedback on the residual collection, then both on the whole collection."""
    of = collection()
    with without_notes():  # queries without a known word, or without a relevant document
        feedback = judged_feedback(of, index(), ["rocchio(bm25)"], docs)
        residual = [_per_query(run, feedback.qrels) for run in feedback.runs]
        again = []
        for query in of.judged_queries:
            first, grades = feedback.seen[query.query_id], of.qrels[query.query_id]
            good = [doc_id for doc_id in first if grades.get(doc_id, 0) >= of.threshold]
            bad = [doc_id for doc_id in first if doc_id not in good]
            again.append(search_again(Searcher(index()), query.text, good, bad, k=1000, query_id=query.query_id))
        plain = Searcher(index()).run(of.judged_queries)
        whole = [_per_query(run, of.qrels) for run in (plain, Run.from_rankings(again))]
    return residual[0], residual[1], whole[0], whole[1]


def _per_query(run: Any, qrels: Qrels) -> Weights:
    rows = evaluate(run, qrels, "AP", threshold=collection().threshold).per_query
    return {query_id: row["AP"] for query_id, row in rows.items()}


@functools.cache
def _scarce() -> tuple[str, ...]:
    """Return the needs without a relevant document below the first three."""
    return tuple(query_id for query_id in judged_ids() if query_id not in _values_with_feedback(3)[0])


def _some_needs(draw: Draw) -> Drawn:
    others = [query_id for query_id in judged_ids() if query_id not in _scarce()]
    return {
        "docs": draw.whole(3, 7),
        "queries": sorted([*draw.some(others, 24), *draw.some(_scarce(), 3)], key=int),
    }


def _mean(values: Weights, given: Given) -> float:
    """Return the mean over the student's queries that have a value."""
    return fmean(values[query_id] for query_id in given.queries if query_id in values)


def _gain(given: Given, before: int = 0, after: int = 1) -> float:
    values = _values_with_feedback(given.docs)
    return _mean(values[after], given) - _mean(values[before], given)


def _gain_with_zeros(given: Given) -> float:
    """Count the queries that have no relevant document left as 0."""
    before, after, *_ = _values_with_feedback(given.docs)
    return sum(after[query] - before[query] for query in given.queries if query in after) / len(given.queries)


GAIN = Exercise(
    title="The gain from a user who marks",
    why="It counts only what is new to the user; what the user has marked must not count again.",
    given=_some_needs,
    answer=number(3),
    expected=_gain,
    mistakes={
        "this is the gain on the whole collection, which counts the documents that the user has marked.": {
            "before": 2,
            "after": 3,
        },
        "queries without a relevant document left have no value; leave them out instead of counting 0.": (
            _gain_with_zeros
        ),
        "this is the mean AP with feedback; subtract that of plain bm25.": lambda g: _mean(
            _values_with_feedback(g.docs)[1], g
        ),
        "you compared two collections: both means must come from the residual one.": {"before": 2},
        "how many documents does the user see? You are off by one.": off_by_one(_gain, "docs"),
    },
    hints=(
        'found = labs.judged_feedback(collection, index, ["rocchio(bm25)"], docs) has two runs, and the judgments that '
        "are left: found.runs and found.qrels.",
        "toysearch.evaluate(run, found.qrels, 'AP', threshold=collection.threshold).per_query[query_id]['AP'] is one "
        "value. Average over those of your queries that are in found.qrels, for each run, and subtract.",
    ),
    points=2,
)


# 11.6: the queries that lose


@functools.cache
def _changes(model: str) -> Weights:
    """Return the change of AP from bm25 to a model, query by query."""
    old, new = query_values("bm25"), query_values(model)
    return {query_id: new[query_id] - old[query_id] for query_id in old}


def _needs_that_change(draw: Draw) -> Drawn:
    """Draw some needs that lose, some that stay as they are, and as many again that gain."""
    changes = _changes("rm3(bm25)")
    lost, same = [q for q, by in changes.items() if by < 0], [q for q, by in changes.items() if by == 0]
    gained = [q for q, by in changes.items() if by > 0]
    chosen = [*draw.some(lost, draw.whole(3, 5)), *draw.some(same, 3), *draw.some(gained, 8)]
    return {"queries": sorted(chosen, key=int)}


def _those(given: Given, wanted: Callable[[float], bool] = lambda by: by < 0, model: str = "rm3(bm25)") -> list[str]:
    return [query_id for query_id in given.queries if wanted(_changes(model)[query_id])]


LOSERS = Exercise(
    title="Queries that feedback harms",
    why="A mean gain hides the queries that lose; their first documents speak of something else.",
    given=_needs_that_change,
    answer=unordered(text(), "query ids"),
    expected=_those,
    mistakes={
        "these are the queries that gain.": {"wanted": lambda by: by > 0},
        "some of these have the same value with and without feedback; they do not lose.": {
            "wanted": lambda by: by <= 0
        },
        "these lose under rocchio(bm25); the question is about rm3(bm25).": {"model": "rocchio(bm25)"},
    },
    hints=(
        "Evaluate the runs of bm25 and of rm3(bm25) with AP; .per_query[query_id]['AP'] is the value of one query.",
        "A query loses if its value under rm3(bm25) is lower. Go through your queries only.",
    ),
)


# 11.9: two rankings fused


def _rankings_to_fuse(draw: Draw) -> Drawn:
    """Draw the first documents by words and by vectors; some are in both."""
    ids = [f"p{number:03}" for number in draw.some(range(1, 400), 7)]
    both, by_words, by_vectors = ids[:3], ids[3:5], ids[5:]
    return {
        "by_words": draw.shuffled([*both, *by_words]),
        "by_vectors": draw.shuffled([*both, *by_vectors]),
        "k": draw.whole(5, 60),
    }


def _fused(given: Given, share: Callable[[int, int], float] = lambda rank, k: 1 / (k + rank)) -> Weights:
    return totals(
        (doc_id, share(rank, given.k))
        for ranking in (given.by_words, given.by_vectors)
        for rank, doc_id in enumerate(ranking, 1)
    )


def _fused_in_both(given: Given) -> Weights:
    """Leave out the documents that only one ranking has."""
    both = {*given.by_words} & {*given.by_vectors}
    return {doc_id: value for doc_id, value in _fused(given).items() if doc_id in both}


FUSION = Exercise(
    title="Hybrid search: two rankings fused",
    why="Scores by words and by vectors have different scales; ranks have one, so they can be added up as they are.",
    given=_rankings_to_fuse,
    answer=table(number(4), "documents"),
    expected=_fused,
    mistakes={
        "the first rank is 1, not 0.": {"share": lambda rank, k: 1 / (k + rank - 1)},
        "a document that only one ranking has counts too, with the share of that ranking.": _fused_in_both,
        "add k to the rank; without it the first document of each ranking decides almost alone.": {
            "share": lambda rank, k: 1 / rank
        },
        "k is added to the rank, not multiplied with it.": {"share": lambda rank, k: 1 / (k * rank)},
    },
    hints=(
        "Go through each ranking with enumerate(ranking, 1), and add 1 / (k + rank) to the sum of the document.",
        "A dict collects the sums: sums[doc_id] = sums.get(doc_id, 0) + 1 / (g.k + rank).",
    ),
)


# 11.10: a query that says what is meant

_WORDINGS = ("text", "wording_2", "wording_3", "description", "narrative")
_MOST_WORDS = 25


@functools.cache
def _languages() -> Collection:
    return load("languages")


@functools.cache
def _bm25() -> Searcher:
    return Searcher(Index.build(_languages()), "bm25")


def _needs() -> dict[str, Mapping[str, str]]:
    return dict(zip(_languages().queries.query_ids, _languages().queries.fields, strict=True))


def _value_of_query(typed: str, query_id: str) -> float:
    with without_notes():  # a word may be in no document
        ranking = _bm25().search(typed, k=None).doc_ids
    return value_of(ranking, _languages().qrels[query_id])


@functools.cache
def _meant() -> list[dict[str, Any]]:
    """Return needs that groups of synonyms answer better than all that is written of them; the first is an example."""
    needs = []
    for query_id, fields in list(_needs().items())[1:]:
        written = max(_value_of_query(fields[name], query_id) for name in _WORDINGS)
        grouped = _value_of_query(fields["synonyms"], query_id)
        if grouped - written > 0.1:
            bar = math.floor(500 * (written + grouped)) / 1000
            parts = {name: fields[name] for name in ("text", "description")}
            needs.append({"query_id": query_id, **parts, "bar": bar})
    return needs


def _said(answer: Any, given: Given) -> float:
    if not isinstance(answer, str):
        raise Unusable(f"an object of type {type(answer).__name__}")
    if len(answer.split()) > _MOST_WORDS:
        raise Unusable(f"{len(answer.split())} words, more than {_MOST_WORDS}")
    return min(_value_of_query(answer, given.query_id), float(given.bar))


MEANING = Exercise(
    title="A query that says what is meant",
    why="A person who knows the words of a field can group them, and a model of words then finds what is meant.",
    given=lambda draw: draw.one(_meant()),
    answer=at_least(_said, f"the text of a query, of at most {_MOST_WORDS} words", "AP"),
    expected=lambda g: _needs()[g.query_id]["synonyms"],
    mistakes={
        "this is the query as it was typed; say it in more words.": lambda g: g.text,
        "a whole sentence has more words, but not those of the documents; name languages, signs and functions.": (
            lambda g: g.description
        ),
    },
    hints=(
        "#syn(cat kitten) counts as one term: a document with both words gains no more than one with the same word "
        "twice. One group for each part of the need is enough.",
        "Read two or three of the relevant documents: languages[doc_id].text. Which words would only they have?",
    ),
    points=2,
)

EXERCISES = (ROCCHIO, RELEVANCE_MODEL, MIXTURE, RESIDUAL, GAIN, LOSERS, COSINE, STRANGER, FUSION, MEANING)
