"""Lab 12, learning to rank: features and steps by hand, held-out values, groups of queries, controls, a bar."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from toysearch import learn
from toysearch.base import without_notes
from toysearch.classroom.answers import at_least, choice, number, ordered, table, text, unordered
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Numbers, Unusable, swapped
from toysearch.classroom.lab_collection import collection, index
from toysearch.models.similarity import similarity
from toysearch.workbench.learning.feature_table import FeatureTable, features

WORDS = ("bite", "cage", "cat", "dog", "feed", "fur", "hay", "lead", "nest", "parrot", "pony", "seed", "tick", "vet")


# 12.1: the features of a query and a document


def _query_and_document(draw: Draw) -> Drawn:
    """Draw a query with a repeated word, one that the document lacks, and one that no document has."""
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


def _features(
    given: Given,
    idf: Callable[[float, float], float] = _idf,
    terms: Sequence[str] | None = None,
    repeated: bool = False,
) -> Numbers:
    """Compute the five features; `terms` are the query words that count, repeated ones in tf-sum too if asked."""
    terms = list(dict.fromkeys(given.query)) if terms is None else terms
    words = given.document.split()
    present = [word for word in terms if word in words]
    total = sum(idf(given.N, given.df[word]) for word in terms)
    part = sum(idf(given.N, given.df[word]) for word in present)
    return {
        "coverage": len(present) / len(terms),
        "idf-sum": part,
        "idf-coverage": part / total,
        "tf-sum": sum(words.count(word) for word in (terms if repeated else dict.fromkeys(terms))),
        "length": len(words),
    }


def _idf_times_tf(given: Given) -> Numbers:
    words = given.document.split()
    right = _features(given)
    weighed = sum(words.count(word) * _idf(given.N, given.df[word]) for word in dict.fromkeys(given.query))
    return right | {"idf-sum": weighed, "idf-coverage": weighed * right["idf-coverage"] / right["idf-sum"]}


FEATURES = Exercise(
    title="Features by hand",
    why="A learner sees these numbers and no words: what they do not tell, it cannot learn.",
    given=_query_and_document,
    answer=table(number(3), "features"),
    expected=_features,
    mistakes={
        "a word that is in the query twice counts once: the features are about its distinct words.": lambda g: (
            _features(g, terms=g.query)
        ),
        "a word that is in the query twice counts once, in tf-sum too: the features are about its distinct words.": (
            lambda g: _features(g, terms=g.query, repeated=True)
        ),
        "a word that no document has is still a word of the query; it has an idf too, the highest.": lambda g: (
            _features(g, terms=[word for word in dict.fromkeys(g.query) if g.df[word]])
        ),
        "this idf is ln(N / df); take the one of Lucene from lab 4.": {
            "idf": lambda N, df: math.log(N / df) if df else 0.0
        },
        "each word of the query adds its idf once, however often the document has it.": _idf_times_tf,
        "the length counts all words of the document, repeated ones too.": lambda g: (
            _features(g) | {"length": len({*g.document.split()})}
        ),
        "use the natural logarithm for idf, not the one to base 10.": {
            "idf": lambda N, df: math.log10(1 + (N - df + 0.5) / (df + 0.5))
        },
    },
    hints=(
        "First list the distinct words of the query, and mark those that the document has.",
        "idf = ln(1 + (N − df + 0.5) / (df + 0.5)). idf-sum adds it up over the marked words, idf-coverage divides by "
        "the sum over all words of the list. tf-sum counts the occurrences of marked words in the document.",
    ),
    points=2,
)


# 12.2: normalised by query


def _scores_of_two_queries(draw: Draw) -> Drawn:
    """Draw scores of a query with rare words and of one with common words."""
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


def _scaled(scores: Sequence[float], score: float) -> float:
    """Scale a score from 0, the lowest of the scores, to 1, the highest."""
    span = max(scores) - min(scores)
    return (score - min(scores)) / span if span else 1.0


def _each(given: Given, change: Callable[[list[float], float], float] = _scaled) -> dict[str, Numbers]:
    """Change every score, with the scores of its query."""
    return {
        query: {doc_id: change([*scores.values()], score) for doc_id, score in scores.items()}
        for query, scores in given.scores.items()
    }


def _scaled_together(given: Given) -> dict[str, Numbers]:
    every = [score for scores in given.scores.values() for score in scores.values()]
    return _each(given, lambda _, score: _scaled(every, score))


def _z_score(scores: Sequence[float], score: float) -> float:
    deviation = statistics.pstdev(scores)
    return (score - fmean(scores)) / deviation if deviation else 0.0


NORMALISED = Exercise(
    title="Scores normalised by query",
    why="A weight is the same for all queries, so its feature must mean the same in all of them.",
    given=_scores_of_two_queries,
    answer=table(table(number(3), "documents"), "queries"),
    expected=_each,
    mistakes={
        "the lowest and the highest score are those of the query, not of all queries.": _scaled_together,
        "you divided by the highest score only; the lowest one must become 0.": {
            "change": lambda scores, score: score / max(scores)
        },
        "you divided by the sum of the scores; min-max goes from 0 to 1.": {
            "change": lambda scores, score: score / sum(scores)
        },
        "these are z-scores; min-max goes from 0 to 1.": {"change": _z_score},
        "your best document has 0; the highest score must become 1.": {
            "change": lambda scores, score: 1 - _scaled(scores, score)
        },
    },
    hints=(
        "Take one query at a time. What are its lowest and its highest score?",
        "(score − lowest) / (highest − lowest): the lowest becomes 0, the highest 1.",
    ),
)


# 12.3: a step of pairwise learning

_NAMES = ("bm25", "coverage", "length")


def _pair(draw: Draw) -> Drawn:
    """Draw weights that put the wrong document first, so that there is something to learn."""
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
    return _score(given.weights, given.relevant) - _score(given.weights, given.other)


def _stepped(given: Given, error: float | None = None, other: float = 1.0, sign: int = 1) -> Numbers:
    """Return the weights after a step; 1 − σ(lead) is the error of the order."""
    error = 1 - _sigmoid(_lead(given)) if error is None else error
    return {
        name: weight + sign * given.rate * error * (given.relevant[name] - other * given.other[name])
        for name, weight in given.weights.items()
    }


STEP = Exercise(
    title="One step of pairwise learning",
    why="Thousands of such steps learn a ranking; the more certain the wrong order, the larger the step.",
    given=_pair,
    answer=table(number(4), "weights"),
    expected=_stepped,
    mistakes={
        "your step makes the order worse: the weight of a feature that speaks for the relevant document must grow.": {
            "sign": -1
        },
        "you took the probability of the right order; the step is as large as that of the wrong order.": lambda g: (
            _stepped(g, error=_sigmoid(_lead(g)))
        ),
        "your step ignores how wrong the order was: multiply by the probability of the wrong order.": {"error": 1.0},
        "the step is along the difference of the two documents, not along the relevant one alone.": {"other": 0.0},
        "your step is the whole one: multiply it by the rate.": lambda g: _stepped(
            g, error=(1 - _sigmoid(_lead(g))) / g.rate
        ),
        "this is the step; add it to the weights.": lambda g: {
            name: after - g.weights[name] for name, after in _stepped(g).items()
        },
    },
    hints=(
        "Score both documents: Σ weight · value. d is the score of the relevant one minus that of the other, and "
        "1 / (1 + exp(d)) the probability of the wrong order.",
        "New weight = weight + rate · that probability · (value in relevant − value in other).",
    ),
    points=2,
)


# 12.4: the shares of a score


def _learned(draw: Draw) -> Drawn:
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
    """Return the contribution of each feature to the score, and the score."""
    shares = {}
    for name, weight in given.weights.items():
        deviation = given.deviations[name] ** (2 if squared else 1) if scaled else 1.0
        shares[name] = weight * (given.document[name] - (given.means[name] if centred else 0.0)) / deviation
    return shares | {"score": sum(shares.values()) + (given.intercept if intercept else 0.0)}


SHARES = Exercise(
    title="A learned score explained",
    why="Shares that add up answer the question why; a weight alone does not, since features have different units.",
    given=_learned,
    answer=table(number(3), "shares"),
    expected=_with_score,
    mistakes={
        "standardise each value first: subtract the mean, and divide by the deviation.": {
            "centred": False,
            "scaled": False,
        },
        "divide by the deviation of the feature.": {"scaled": False},
        "subtract the mean of the feature first.": {"centred": False},
        "divide by the deviation, not by its square.": {"squared": True},
        "the score begins with the intercept; the shares are added to it.": {"intercept": False},
        "this is the probability; the score is the sum, before it is made a probability.": lambda g: (
            _with_score(g) | {"score": _sigmoid(_with_score(g)["score"])}
        ),
    },
    hints=(
        "share = weight · (value − mean) / deviation, for each feature.",
        "score = intercept + all shares. Return a dict with the three shares and the score.",
    ),
)


# 12.5: held out, and on the same queries


def _folds(draw: Draw) -> Drawn:
    """Draw seven queries in folds of 3, 2 and 2, with AP under the ranker without each fold and the final one."""
    names = [f"q{number}" for number in range(1, 8)]
    folds = dict(zip(names, draw.shuffled([1, 1, 1, 2, 2, 3, 3]), strict=True))
    values = {}
    for name in names:
        honest = draw.number(0.15, 0.6, 2)
        row = {
            f"without {fold}": honest if fold == folds[name] else round(honest + draw.number(0.03, 0.3, 2), 2)
            for fold in (1, 2, 3)
        }
        values[name] = row | {"final": round(honest + draw.number(0.1, 0.35, 2), 2)}
    return {"folds": folds, "AP": values}


def _held_out(given: Given) -> list[float]:
    return [given.AP[name][f"without {fold}"] for name, fold in given.folds.items()]


def _values(given: Given, held_out: Callable[[Given], float] = lambda g: fmean(_held_out(g))) -> Numbers:
    return {"held out": held_out(given), "on the same queries": fmean(row["final"] for row in given.AP.values())}


def _by_fold(given: Given) -> float:
    """Return the mean of the means of the folds, which have different sizes."""
    parts = [
        [value for value, number in zip(_held_out(given), given.folds.values(), strict=True) if number == fold]
        for fold in (1, 2, 3)
    ]
    return fmean(map(fmean, parts))


def _seen(given: Given) -> float:
    """Return the mean over the rankers that learned from the query."""
    rows = [
        [value for name, value in given.AP[query].items() if name not in (f"without {fold}", "final")]
        for query, fold in given.folds.items()
    ]
    return fmean(map(fmean, rows))


HELD_OUT = Exercise(
    title="Held out and optimistic",
    why="Only the held-out value says what the ranker is worth to a query that nobody has judged.",
    given=_folds,
    answer=table(number(4), "values"),
    expected=_values,
    mistakes={
        "you swapped the two values.": swapped(_values, "held out", "on the same queries"),
        "you took rankers that learned from the query; the one called without 2 has not seen fold 2.": {
            "held_out": _seen
        },
        "each query has one held-out value: that of the ranker which did not learn from its fold.": {
            "held_out": lambda g: fmean(row[f"without {fold}"] for row in g.AP.values() for fold in (1, 2, 3))
        },
        "the folds differ in size; take the mean over the queries, not over the folds.": {"held_out": _by_fold},
    },
    hints=(
        "For each query, find its fold, and the ranker that was learned without that fold.",
        "Held out: the mean of these seven values. On the same queries: the mean under the final ranker, which has "
        "learned from all of them.",
    ),
    points=2,
)


# 12.6: groups of near-duplicate queries


def _near_queries(draw: Draw) -> Drawn:
    """Draw a chain of three queries, a pair at the very limit, and two that share fewer words with these."""
    a, b, c, d, e, f, g, h, i, j, *single = draw.some(WORDS, 14)
    extra = [*single, "barn", "pond"]
    texts = [[a, b, c, d], [b, c, d, e], [c, d, e, f], [g, h, i], [g, h, j], [a, b, extra[0]], [g, extra[1], extra[2]]]
    numbers = sorted(draw.some(range(1, 60), len(texts)))
    return {
        "queries": {
            str(number): draw.shuffled(words) for number, words in zip(numbers, draw.shuffled(texts), strict=True)
        },
        "least": 0.5,
    }


def _near_pairs(
    given: Given, near: Callable[[Any, float], bool] = lambda pair, least: pair.jaccard >= least
) -> list[list[str]]:
    """Return the pairs of queries whose similarity is near enough to the least one."""
    names = list(given.queries)
    return [
        [one, other]
        for place, one in enumerate(names)
        for other in names[place + 1 :]
        if near(similarity(given.queries[one], given.queries[other]), given.least)
    ]


def _groups(given: Given, **near: Callable[[Any, float], bool]) -> list[list[str]]:
    groups: list[list[str]] = []
    for pair in _near_pairs(given, **near):
        touched = [group for group in groups if {*group} & {*pair}]
        groups = [group for group in groups if group not in touched]
        groups.append(list(dict.fromkeys([*(name for group in touched for name in group), *pair])))
    return groups


def _with_single_queries(given: Given) -> list[list[str]]:
    grouped = {name for group in _groups(given) for name in group}
    return [*_groups(given), *([name] for name in given.queries if name not in grouped)]


GROUPS = Exercise(
    title="Queries that belong in one fold",
    why="A ranker that has learned from a twin of a test query has seen the answers.",
    given=_near_queries,
    answer=unordered(unordered(text(), "query ids"), "groups"),
    expected=_groups,
    mistakes={
        "these are pairs; one query is in two of them, so all three belong together.": _near_pairs,
        "a similarity of exactly the least one is enough.": {"near": lambda pair, least: pair.jaccard > least},
        "this is the similarity of Dice; Jaccard divides the shared words by all words of both.": {
            "near": lambda pair, least: pair.dice >= least
        },
        "one shared word is not enough: compare the similarity with the least one.": {
            "near": lambda pair, least: pair.dice > 0
        },
        "leave out the queries that are near no other one.": _with_single_queries,
    },
    hints=(
        "Jaccard: the number of shared words, divided by the number of different words in both. Try all pairs.",
        "If A is near B and B is near C, all three are in one group, even if A and C are not near each other.",
    ),
    points=2,
)


# 12.7: controls

_VERDICTS = ("gain", "inconclusive", "error")


def _experiments(draw: Draw) -> Drawn:
    """Draw each verdict at least once; the gain on the same queries is large in all of them."""
    kinds = ["gain", "inconclusive, above 0", "inconclusive, below 0", "error"]
    return {"experiments": [_experiment(draw, kind) for kind in draw.shuffled([*kinds, draw.one(kinds)])]}


def _experiment(draw: Draw, kind: str) -> Drawn:
    """Draw held-out gains with intervals, with the real features and with shuffled ones; none ends near 0."""
    gain, half = draw.number(0.03, 0.08, 3), draw.number(0.01, 0.02, 3)
    if kind.startswith("inconclusive"):
        gain = draw.number(0.004, 0.012, 3) * (-1 if kind.endswith("below 0") else 1)
        half = abs(gain) + draw.number(0.01, 0.03, 3)
    noise = draw.number(0.02, 0.05, 3) if kind == "error" else -draw.number(0.005, 0.04, 3)
    return {
        "on the same queries": draw.number(0.1, 0.3, 3),
        "held out": _interval(gain, half),
        "shuffled": _interval(noise, 0.01),
    }


def _interval(gain: float, half: float) -> Numbers:
    return {"gain": gain, "low": round(gain - half, 3), "high": round(gain + half, 3)}


def _read(given: Given, control: bool = True, end: str = "low") -> list[str]:
    """Read the control first, then an end of the held-out interval or its middle."""
    verdicts = ["gain" if experiment["held out"][end] > 0 else "inconclusive" for experiment in given.experiments]
    wrong = [control and experiment["shuffled"]["low"] > 0 for experiment in given.experiments]
    return ["error" if error else verdict for error, verdict in zip(wrong, verdicts, strict=True)]


CONTROLS = Exercise(
    title="A control with shuffled features",
    why="An experiment that finds a gain in noise finds it anywhere; run it on noise before you believe it.",
    given=_experiments,
    answer=ordered(choice(*_VERDICTS), "verdicts"),
    expected=_read,
    mistakes={
        "look at the control: where shuffled features gain, the gain does not come from the features.": {
            "control": False
        },
        "a gain on the same queries shows nothing; look at the held-out interval.": lambda g: [
            "error" if verdict == "error" else "gain" for verdict in _read(g)
        ],
        "a mean above 0 is not enough; an interval that reaches below 0 is inconclusive.": {"end": "gain"},
        (
            "a ranker that gains only on its own queries has learned too much from them; that is not an error of the "
            "experiment."
        ): lambda g: ["error" if verdict == "inconclusive" else verdict for verdict in _read(g)],
    },
    hints=(
        "Look at the control first: does its interval lie above 0?",
        "If it does, something is wrong: error. If not, the held-out interval decides: above 0 is a gain, else it is "
        "inconclusive.",
    ),
)


# 12.8: a bar

_PLAIN = ("bm25", "coverage", "length")
_GOOD = ("min-max(bm25)", "min-max(lsa:100)", "min-max(rm3(bm25))", "coverage")


@functools.lru_cache(maxsize=64)
def _table(names: tuple[str, ...]) -> FeatureTable:
    return features(collection(), names, index=index())


@functools.lru_cache(maxsize=256)
def _held_out_ap(names: tuple[str, ...], seed: int) -> float:
    with without_notes():  # topics are computed, and one query has no known word
        return float(learn(_table(names), "logistic", seed=seed).held_out.value)


def _folds_and_bar(draw: Draw) -> Drawn:
    """Set a bar above what counts of words reach, and below what topics and feedback reach, in the student's folds."""
    seed = draw.whole(1, 40)
    low, high = (_held_out_ap(names, seed) for names in (_PLAIN, _GOOD))
    return {"seed": seed, "bar": math.floor(500 * (low + high)) / 1000}


def _reached(answer: Any, given: Given) -> float:
    """Compute the held-out AP of a list of features in the student's folds, at most the bar."""
    if isinstance(answer, str) or not isinstance(answer, Sequence) or not all(isinstance(name, str) for name in answer):
        raise Unusable(f"an object of type {type(answer).__name__}")
    return min(_held_out_ap(tuple(answer), given.seed), float(given.bar))


BAR = Exercise(
    title="Features that reach a bar",
    why="New evidence gains more than a new learner: a sum of forms of one score is still that score.",
    given=_folds_and_bar,
    answer=at_least(_reached, "a list of features, such as ['bm25', 'coverage']", "held-out AP"),
    expected=lambda g: list(_GOOD),
    hints=(
        "Forms of BM25 and counts of words say nearly the same. What did lab 11 add to a ranking?",
        "Any model is a feature: 'lsa:100' and 'rm3(bm25)' are, too. Scores of different queries compare better as "
        "'min-max(lsa:100)'.",
    ),
    points=3,
)

EXERCISES = (FEATURES, NORMALISED, STEP, SHARES, HELD_OUT, GROUPS, CONTROLS, BAR)
