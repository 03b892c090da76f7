"""Lab 12, features: their values, normalised by query, a step of pairwise learning, and the shares of a score."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from toysearch.course.answers import number, table
from toysearch.course.exercise import Draw, Exercise, Given, Mistake

Numbers = dict[str, float]

WORDS = ("bite", "cage", "cat", "dog", "feed", "fur", "hay", "lead", "nest", "parrot", "pony", "seed", "tick", "vet")


# 12.1: the features of a query and a document


def _query_and_document(draw: Draw) -> dict[str, Any]:
    """A query with a repeated word, one that the document lacks, and one that no document has."""
    twice, once, lacking, unknown, *others = draw.some(WORDS, 8)
    document = [*[twice] * draw.whole(2, 4), *[once] * draw.whole(1, 2)]
    document += [draw.one(others) for _ in range(draw.whole(4, 8))]
    return {
        "query": draw.shuffled([twice, twice, once, lacking, unknown]),
        "document": " ".join(draw.shuffled(document)),
        "df": {twice: draw.whole(20, 60), once: draw.whole(3, 15), lacking: draw.whole(5, 40), unknown: 0},
        "N": draw.whole(200, 400),
    }


def _idf(N: float, df: float) -> float:
    return math.log(1 + (N - df + 0.5) / (df + 0.5))


def _features(given: Given, idf: Callable[[float, float], float] = _idf, terms: Sequence[str] | None = None) -> Numbers:
    """The five features; `terms` are the words of the query that count."""
    terms = list(dict.fromkeys(given.query)) if terms is None else terms
    words = given.document.split()
    present = [word for word in terms if word in words]
    total = sum(idf(given.N, given.df[word]) for word in terms)
    part = sum(idf(given.N, given.df[word]) for word in present)
    return {
        "coverage": len(present) / len(terms),
        "idf-sum": part,
        "idf-coverage": part / total,
        "tf-sum": sum(word in terms for word in words),
        "length": len(words),
    }


def _idf_times_tf(given: Given) -> Numbers:
    words = given.document.split()
    right = _features(given)
    weighed = sum(words.count(word) * _idf(given.N, given.df[word]) for word in dict.fromkeys(given.query))
    return right | {"idf-sum": weighed, "idf-coverage": weighed * right["idf-coverage"] / right["idf-sum"]}


FEATURES = Exercise(
    number="12.1",
    title="Features by hand",
    why="A learner sees these numbers and no words: what they do not tell, it cannot learn.",
    given=_query_and_document,
    answer=table(number(3), "features"),
    expected=_features,
    mistakes=(
        Mistake(
            lambda given: _features(given, terms=given.query),
            "a word that is in the query twice counts once: the features are about its distinct words.",
        ),
        Mistake(
            lambda given: _features(given, terms=[word for word in dict.fromkeys(given.query) if given.df[word]]),
            "a word that no document has is still a word of the query; it has an idf too, the highest.",
        ),
        Mistake(
            lambda given: _features(given, idf=lambda N, df: math.log(N / df) if df else 0.0),
            "this idf is ln(N / df); take the one of Lucene from lab 4.",
        ),
        Mistake(_idf_times_tf, "each word of the query adds its idf once, however often the document has it."),
        Mistake(
            lambda given: _features(given) | {"length": len({*given.document.split()})},
            "the length counts all words of the document, repeated ones too.",
        ),
        Mistake(
            lambda given: _features(given, idf=lambda N, df: math.log10(1 + (N - df + 0.5) / (df + 0.5))),
            "use the natural logarithm for idf, not the one to base 10.",
        ),
    ),
    hints=(
        "First list the distinct words of the query, and mark those that the document has.",
        "idf = ln(1 + (N − df + 0.5) / (df + 0.5)). idf-sum adds it up over the marked words, idf-coverage divides by "
        "the sum over all words of the list. tf-sum counts the occurrences of marked words in the document.",
    ),
    points=2,
)


# 12.2: normalised by query


def _scores_of_two_queries(draw: Draw) -> dict[str, Any]:
    """Scores of a query with rare words and of one with common words."""
    names = draw.some(range(1, 400), 7)
    high = [draw.number(4, 14, 1) for _ in range(4)]
    low = [draw.number(0.5, 3, 1) for _ in range(3)]
    parts = draw.shuffled([(names[:4], high), (names[4:], low)])
    return {
        "scores": {
            f"q{place}": {f"p{name:03}": score for name, score in zip(*part, strict=True)}
            for place, part in enumerate(parts, 1)
        }
    }


def _each(given: Given, change: Callable[[list[float], float], float]) -> dict[str, Numbers]:
    """Every score changed, with the scores of its query."""
    return {
        query: {doc_id: change([*scores.values()], score) for doc_id, score in scores.items()}
        for query, scores in given.scores.items()
    }


def _scaled(scores: Sequence[float], score: float) -> float:
    """From 0, the lowest of the scores, to 1, the highest."""
    span = max(scores) - min(scores)
    return (score - min(scores)) / span if span else 1.0


def _scaled_together(given: Given) -> dict[str, Numbers]:
    every = [score for scores in given.scores.values() for score in scores.values()]
    return _each(given, lambda _, score: _scaled(every, score))


def _z_score(scores: Sequence[float], score: float) -> float:
    deviation = statistics.pstdev(scores)
    return (score - fmean(scores)) / deviation if deviation else 0.0


NORMALISED = Exercise(
    number="12.2",
    title="Scores normalised by query",
    why="A weight is the same for all queries, so its feature must mean the same in all of them.",
    given=_scores_of_two_queries,
    answer=table(table(number(3), "documents"), "queries"),
    expected=lambda given: _each(given, _scaled),
    mistakes=(
        Mistake(_scaled_together, "the lowest and the highest score are those of the query, not of all queries."),
        Mistake(
            lambda given: _each(given, lambda scores, score: score / max(scores)),
            "you divided by the highest score only; the lowest one must become 0.",
        ),
        Mistake(
            lambda given: _each(given, lambda scores, score: score / sum(scores)),
            "you divided by the sum of the scores; min-max goes from 0 to 1.",
        ),
        Mistake(lambda given: _each(given, _z_score), "these are z-scores; min-max goes from 0 to 1."),
        Mistake(
            lambda given: _each(given, lambda scores, score: 1 - _scaled(scores, score)),
            "your best document has 0; the highest score must become 1.",
        ),
    ),
    hints=(
        "Take one query at a time. What are its lowest and its highest score?",
        "(score − lowest) / (highest − lowest): the lowest becomes 0, the highest 1.",
    ),
)


# 12.3: a step of pairwise learning

_NAMES = ("bm25", "coverage", "length")


def _pair(draw: Draw) -> dict[str, Any]:
    """Weights that put the wrong document first, so that there is something to learn."""
    while True:
        weights = (draw.number(0.2, 1, 1), draw.number(-0.6, 0.9, 1), draw.number(-0.8, 0.6, 1))
        values: dict[str, Any] = {
            "weights": dict(zip(_NAMES, weights, strict=True)),
            "relevant": {name: draw.number(0.1, 1, 1) for name in _NAMES},
            "other": {name: draw.number(0.1, 1, 1) for name in _NAMES},
            "rate": draw.one((0.1, 0.2, 0.5)),
        }
        lead = _score(values["weights"], values["relevant"]) - _score(values["weights"], values["other"])
        if -1.5 < lead < -0.3 and all(values["relevant"][name] != values["other"][name] for name in _NAMES):
            return values


def _score(weights: Numbers, values: Numbers) -> float:
    return sum(weight * values[name] for name, weight in weights.items())


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def _lead(given: Given) -> float:
    """The score of the relevant document minus that of the other one."""
    return _score(given.weights, given.relevant) - _score(given.weights, given.other)


def _stepped(given: Given, error: float | None = None, other: float = 1.0, sign: int = 1) -> Numbers:
    """The weights after a step; 1 − σ(lead) is the error of the order."""
    error = 1 - _sigmoid(_lead(given)) if error is None else error
    return {
        name: weight + sign * given.rate * error * (given.relevant[name] - other * given.other[name])
        for name, weight in given.weights.items()
    }


STEP = Exercise(
    number="12.3",
    title="One step of pairwise learning",
    why="Thousands of such steps learn a ranking; the more certain the wrong order, the larger the step.",
    given=_pair,
    answer=table(number(4), "weights"),
    expected=_stepped,
    mistakes=(
        Mistake(
            lambda given: _stepped(given, sign=-1),
            "your step makes the order worse: the weight of a feature that speaks for the relevant document must grow.",
        ),
        Mistake(
            lambda given: _stepped(given, error=_sigmoid(_lead(given))),
            "you took the probability of the right order; the step is as large as that of the wrong order.",
        ),
        Mistake(
            lambda given: _stepped(given, error=1.0),
            "your step ignores how wrong the order was: multiply by the probability of the wrong order.",
        ),
        Mistake(
            lambda given: _stepped(given, other=0.0),
            "the step is along the difference of the two documents, not along the relevant one alone.",
        ),
        Mistake(
            lambda given: {name: after - given.weights[name] for name, after in _stepped(given).items()},
            "this is the step; add it to the weights.",
        ),
    ),
    hints=(
        "Score both documents: Σ weight · value. d is the score of the relevant one minus that of the other, and "
        "1 / (1 + exp(d)) the probability of the wrong order.",
        "New weight = weight + rate · that probability · (value in relevant − value in other).",
    ),
    points=2,
)


# 12.4: the shares of a score


def _learned(draw: Draw) -> dict[str, Any]:
    return {
        "intercept": draw.number(-4, -2, 2),
        "weights": {
            "bm25": draw.number(0.4, 1.2, 2),
            "coverage": draw.number(0.2, 0.9, 2),
            "length": -draw.number(0.1, 0.5, 2),
        },
        "means": {"bm25": draw.number(1.5, 3, 2), "coverage": draw.number(0.3, 0.6, 2), "length": draw.whole(50, 70)},
        "deviations": {
            "bm25": draw.number(1.2, 2.2, 2),
            "coverage": draw.number(0.15, 0.3, 2),
            "length": draw.whole(15, 40),
        },
        "document": {
            "bm25": draw.number(3.5, 8, 2),
            "coverage": draw.one((0.25, 0.75, 1.0)),
            "length": draw.whole(75, 140),
        },
    }


def _with_score(
    given: Given, intercept: bool = True, centred: bool = True, scaled: bool = True, squared: bool = False
) -> Numbers:
    """The contribution of each feature to the score, and the score."""
    shares = {}
    for name, weight in given.weights.items():
        deviation = given.deviations[name] ** (2 if squared else 1) if scaled else 1.0
        shares[name] = weight * (given.document[name] - (given.means[name] if centred else 0.0)) / deviation
    return shares | {"score": sum(shares.values()) + (given.intercept if intercept else 0.0)}


def _as_probability(given: Given) -> Numbers:
    right = _with_score(given)
    return right | {"score": _sigmoid(right["score"])}


SHARES = Exercise(
    number="12.4",
    title="A learned score explained",
    why="Shares that add up answer the question why; a weight alone does not, since features have different units.",
    given=_learned,
    answer=table(number(3), "shares"),
    expected=_with_score,
    mistakes=(
        Mistake(
            lambda given: _with_score(given, centred=False, scaled=False),
            "standardise each value first: subtract the mean, and divide by the deviation.",
        ),
        Mistake(lambda given: _with_score(given, scaled=False), "divide by the deviation of the feature."),
        Mistake(lambda given: _with_score(given, centred=False), "subtract the mean of the feature first."),
        Mistake(lambda given: _with_score(given, squared=True), "divide by the deviation, not by its square."),
        Mistake(
            lambda given: _with_score(given, intercept=False),
            "the score begins with the intercept; the shares are added to it.",
        ),
        Mistake(_as_probability, "this is the probability; the score is the sum, before it is made a probability."),
    ),
    hints=(
        "share = weight · (value − mean) / deviation, for each feature.",
        "score = intercept + all shares. Return a dict with the three shares and the score.",
    ),
)
