"""Wrong functions that students write in lab 11: mixtures of a query and its expansion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from toysearch.classroom.exercises.lab11 import _BOTH, Weights, _kept, _mixed


def _mixed_by(
    word: Callable[[float, float, float], float],
    words: Callable[[Weights, Weights], Iterable[str]] = lambda query, expansion: [*query, *expansion],
) -> Callable[..., Weights]:
    """Mix otherwise: from a word's share of the query, its share of the expansion, and λ."""

    def mixed(query: Weights, expansion: Weights, lambda_: float) -> Weights:
        length = sum(query.values())
        chosen = dict.fromkeys(words(query, expansion))
        return _kept({each: word(query.get(each, 0) / length, expansion.get(each, 0), lambda_) for each in chosen})

    return mixed


def _right_word(asked: float, added: float, lambda_: float) -> float:
    return lambda_ * asked + (1 - lambda_) * added


def _of_mixed(change: Callable[[Weights], Weights]) -> Callable[..., Weights]:
    return lambda query, expansion, lambda_: change(_mixed(query, expansion, lambda_))


def _cut_expansion(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    return _mixed(query, dict(sorted(expansion.items(), key=lambda pair: -pair[1])[:3]), lambda_)


def _overwritten(query: Weights, expansion: Weights, lambda_: float) -> Weights:
    """Let the expansion replace the weight of a word of the query."""
    own = _mixed(query, {}, lambda_)
    return _kept(own | {word: (1 - lambda_) * share for word, share in expansion.items()})


_IGNORED = "your function ignores lambda_."


_WRONG_MIXES = (
    (
        lambda query, expansion, lambda_: _mixed(query, expansion, lambda_, length=len(query)),
        "divide the counts of the query by their sum, not by the number of different words.",
    ),
    (
        lambda query, expansion, lambda_: _mixed(query, expansion, lambda_, length=max(query.values())),
        "divide the counts of the query by their sum, not by the largest of them.",
    ),
    (
        lambda query, expansion, lambda_: _mixed(query, expansion, lambda_, length=math.hypot(*query.values())),
        "divide the counts of the query by their sum, not by the length of the vector.",
    ),
    (
        lambda query, expansion, lambda_: _mixed(
            query, expansion, lambda_, length=sum(query.values()) + len(expansion)
        ),
        "divide the counts of the query by their sum.",
    ),
    (_overwritten, _BOTH),
    (_mixed_by(lambda asked, added, lambda_: max(lambda_ * asked, (1 - lambda_) * added)), _BOTH),
    (_mixed_by(lambda asked, added, lambda_: asked * added), "add the two parts; you multiplied them."),
    (_mixed_by(lambda asked, added, lambda_: lambda_ * asked + added), "the expansion has the share 1 − λ."),
    (_mixed_by(lambda asked, added, lambda_: asked + (1 - lambda_) * added), "the query has the share λ."),
    (_mixed_by(lambda asked, added, lambda_: lambda_ * (asked + added)), "the expansion has the share 1 − λ."),
    (_mixed_by(lambda asked, added, lambda_: asked + added), _IGNORED),
    *(
        (lambda query, expansion, lambda_, fixed=fixed: _mixed(query, expansion, fixed), _IGNORED)
        for fixed in (0.5, 0.6, 0.4, 0.7)
    ),
    (lambda query, expansion, lambda_: _mixed(query, {}, 1.0), "the expansion is missing."),
    (lambda query, expansion, lambda_: _kept(expansion), "the query is missing."),
    (_mixed_by(_right_word, lambda query, expansion: query), "words of the expansion alone are missing."),
    (_mixed_by(_right_word, lambda query, expansion: expansion), "words of the query alone are missing."),
    (
        _mixed_by(_right_word, lambda query, expansion: {*query} & {*expansion}),
        "words that are in one of the two only are missing.",
    ),
    (
        _of_mixed(lambda weights: {word: weight for word, weight in weights.items() if weight > 0.05}),
        "leave words out only where their weight is 0.",
    ),
    (
        _of_mixed(lambda weights: {word: weight for word, weight in weights.items() if weight > 0.01}),
        "leave words out only where their weight is 0.",
    ),
    (_of_mixed(lambda weights: dict([*weights.items()][:5])), "keep all words."),
    (_cut_expansion, "keep all words of the expansion."),
    (_of_mixed(lambda weights: {word: round(weight, 2) for word, weight in weights.items()}), "you round."),
    (
        _of_mixed(lambda weights: {word: weight / max(weights.values()) for word, weight in weights.items()}),
        "you divided by the largest weight.",
    ),
    (
        _mixed_by(lambda asked, added, lambda_: lambda_ * asked + (1 - lambda_) * math.sqrt(added)),
        "take the shares of the expansion as they are.",
    ),
)


WRONG = {"11.3": _WRONG_MIXES}
