"""Lab 11, expansion by hand: Rocchio's vector, a relevance model, and its mixture with the query."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from toysearch.course.answers import function, number, table
from toysearch.course.exercise import Draw, Exercise, Given, Mistake, off_by_one

Weights = dict[str, float]

_WORDS = ("cage", "cat", "dog", "food", "fur", "hay", "kitten", "lead", "puppy", "seed", "straw", "vet", "walk", "wing")


# 11.1: Rocchio by hand


def _judged_vectors(draw: Draw) -> dict[str, Any]:
    """Words of one part only, one shared by query and others, and one that the relevant documents share with both."""
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


def _moved(
    query: Weights, relevant: Sequence[Weights], others: Sequence[Weights], beta: float, gamma: float
) -> Weights:
    """The query, plus beta times the mean of some vectors, minus gamma times the mean of others."""
    words = list(dict.fromkeys(word for vector in (query, *relevant, *others) for word in vector))
    sums = [[sum(vector.get(word, 0) for vector in part) for word in words] for part in (relevant, others)]
    return {
        word: query.get(word, 0) + beta * good / max(len(relevant), 1) - gamma * bad / max(len(others), 1)
        for word, good, bad in zip(words, *sums, strict=True)
    }


def _kept(weights: Weights) -> Weights:
    return {word: weight for word, weight in weights.items() if weight > 0}


def _rocchio(given: Given, **changed: Any) -> Weights:
    values = vars(given) | changed
    return _moved(values["query"], values["relevant"], values["not_relevant"], values["beta"], values["gamma"])


def _of_sums(given: Given) -> Weights:
    """The vectors of the documents added up, not averaged."""
    beta, gamma = given.beta * len(given.relevant), given.gamma * len(given.not_relevant)
    return _kept(_rocchio(given, beta=beta, gamma=gamma))


def _by_all_documents(given: Given) -> Weights:
    """Both sums divided by the number of all judged documents."""
    good, bad = len(given.relevant), len(given.not_relevant)
    beta, gamma = given.beta * good / (good + bad), given.gamma * bad / (good + bad)
    return _kept(_rocchio(given, beta=beta, gamma=gamma))


ROCCHIO = Exercise(
    number="11.1",
    title="Rocchio by hand",
    why="The query moves towards the documents marked as relevant: words come in that nobody typed.",
    given=_judged_vectors,
    answer=table(number(3), "words"),
    expected=lambda given: _kept(_rocchio(given)),
    mistakes=(
        Mistake(_of_sums, "you added the vectors up; take their means, or ten documents would count ten times."),
        Mistake(_by_all_documents, "divide each sum by the number of its own documents, not of all judged documents."),
        Mistake(
            _rocchio, "a word with a negative weight is left out: a query has no words that documents should lack."
        ),
        Mistake(
            lambda given: {word: max(0.0, weight) for word, weight in _rocchio(given).items()},
            "leave words out whose weight is not above 0; you kept them with the weight 0.",
        ),
        Mistake(
            lambda given: _kept(_rocchio(given, gamma=-given.gamma)),
            "documents that are not relevant push the query away: subtract their mean.",
        ),
        Mistake(
            lambda given: _kept(_rocchio(given, query={})),
            "this is what comes in; the words of the query keep their weights.",
        ),
        Mistake(
            lambda given: _kept(_rocchio(given, beta=given.gamma, gamma=given.beta)),
            "you swapped beta and gamma: beta belongs to the relevant documents.",
        ),
    ),
    hints=(
        "Take one word at a time: its count in the query, its mean count in the relevant documents, and its mean count "
        "in the others. A document without the word counts 0.",
        "weight = count in the query + beta · the first mean − gamma · the second. Keep it only if it is above 0.",
    ),
    points=2,
)


# 11.2: the relevance model


def _feedback_documents(draw: Draw) -> dict[str, Any]:
    """Three documents of different lengths with scores, drawn again until no two of the words weigh nearly the same."""
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


def _summed(given: Given, by_length: bool = True, by_score: bool = True) -> Weights:
    """Σ tf / dl · score of each word over the feedback documents."""
    weights: Weights = {}
    for doc_id, text in given.documents.items():
        words = text.split()
        for word in words:
            part = (given.scores[doc_id] if by_score else 1) / (len(words) if by_length else 1)
            weights[word] = weights.get(word, 0.0) + part
    return weights


def _best(weights: Weights, terms: int) -> Weights:
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:terms])


def _to_one(weights: Weights, total: float | None = None) -> Weights:
    """The weights as shares of their sum, or of another one."""
    whole = sum(weights.values()) if total is None else total
    return {word: weight / whole for word, weight in weights.items()}


def _relevance_model(given: Given, **how: bool) -> Weights:
    return _to_one(_best(_summed(given, **how), given.terms))


RELEVANCE_MODEL = Exercise(
    number="11.2",
    title="A relevance model by hand",
    why="It estimates which words a relevant document uses, with the first documents as the evidence.",
    given=_feedback_documents,
    answer=table(number(3), "words"),
    expected=_relevance_model,
    mistakes=(
        Mistake(
            lambda given: _relevance_model(given, by_length=False),
            "divide tf by the length of the document, or a long document decides alone.",
        ),
        Mistake(
            lambda given: _relevance_model(given, by_score=False),
            "all documents count the same in your answer; weight each by its score.",
        ),
        Mistake(
            lambda given: _best(_summed(given), given.terms),
            "these are the right words; divide by the sum of their weights, so that the shares add up to 1.",
        ),
        Mistake(
            lambda given: _best(_to_one(_summed(given)), given.terms),
            "your shares add up to less than 1: divide by the sum of the words that you keep, not of all words.",
        ),
        Mistake(
            lambda given: _to_one(_summed(given)),
            "these are the shares of all words; keep the best of them, and divide by their sum.",
        ),
        *off_by_one(_relevance_model, "terms", "how many words stay? Count them: it is the number in terms."),
    ),
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


def _undivided(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    return _mixed(query, expansion, lambda_, length=1)


def _by_distinct_words(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    """The counts of the query divided by the number of its different words."""
    return _mixed(dict.fromkeys(query, 1), expansion, lambda_)


def _zeros_kept(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    return dict.fromkeys([*query, *expansion], 0.0) | _mixed(query, expansion, lambda_)


def _one_each(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    """The words of the query as before, and of the expansion only those that are new."""
    new = {word: share for word, share in expansion.items() if word not in query}
    return _mixed(query, new, lambda_)


def _queries_to_mix(draw: Draw, given: Given) -> list[tuple[Weights, Weights, float]]:
    cases: list[tuple[Weights, Weights, float]] = []
    for lambda_ in (draw.number(0.3, 0.45, 2), draw.number(0.6, 0.9, 2), 1.0, 0.0):
        first, second, *new = draw.some(_WORDS, 5)
        shares = [draw.whole(1, 9) for _ in range(4)]
        expansion = {word: share / sum(shares) for word, share in zip((first, *new), shares, strict=True)}
        cases.append(({first: draw.whole(2, 3), second: 1}, expansion, lambda_))
    return cases


MIXTURE = Exercise(
    number="11.3",
    title="RM3: the query and the model mixed",
    why="With λ = 1 the plain query must come back: a check that costs nothing, on any code for feedback.",
    inputs=_queries_to_mix,
    answer=function(table(number(4), "words"), "mixed(query, expansion, lambda_)"),
    expected=lambda given: _mixed,
    mistakes=(
        Mistake(
            lambda given: lambda query, expansion, lambda_: _mixed(query, expansion, 1 - lambda_),
            "λ is the share that the query keeps; with λ = 1 nothing comes in.",
        ),
        Mistake(
            lambda given: _undivided,
            "divide the counts of the query by their sum, so that both parts add up to 1 before they are mixed.",
        ),
        Mistake(
            lambda given: _by_distinct_words,
            "a word that is in the query twice has twice the share of the others.",
        ),
        Mistake(
            lambda given: _one_each,
            "a word of the query that is also in the expansion gets both parts.",
        ),
        Mistake(lambda given: _zeros_kept, "leave words out whose weight is 0."),
    ),
    hints=(
        "The words are those of both dicts. query.get(word, 0) is 0 for a word that is not in the query.",
        "weight = lambda_ · count / sum of the counts + (1 − lambda_) · share in the expansion; keep those above 0.",
    ),
    points=2,
)
