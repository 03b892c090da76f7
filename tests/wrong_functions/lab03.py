"""Wrong functions that students write in lab 3: weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from toysearch.classroom.exercises.lab03 import _ltc

Weighting = Callable[..., dict[str, float]]


def _ltc_by(
    tf_part: Callable[[float], float] = lambda tf: 1 + math.log(tf),
    idf: Callable[[float, float], float] = lambda df, N: math.log(N / df),
    length: Callable[[list[float]], float] = lambda weights: math.hypot(*weights),
) -> Weighting:
    """Weigh with other parts: of tf, of df and N, and of all weights of the document."""

    def weigh(tf: Mapping[str, int], df: Mapping[str, int], N: int) -> dict[str, float]:
        weights = {word: tf_part(count) * idf(df[word], N) for word, count in tf.items()}
        norm = length(list(weights.values())) or 1.0
        return {word: weight / norm for word, weight in weights.items()}

    return weigh


def _kept_weights(keep: Callable[[str, float, int], bool]) -> Weighting:
    """Leave out terms, by the term, its weight and its tf."""
    return lambda tf, df, N: {word: weight for word, weight in _ltc(tf, df, N).items() if keep(word, weight, tf[word])}


def _unguarded(tf: Mapping[str, int], df: Mapping[str, int], N: int) -> dict[str, float]:
    weights = _ltc(tf, df, N, "ltn")
    return {word: weight / math.hypot(*weights.values()) for word, weight in weights.items()}


_TF_IS = "your tf part is not 1 + log tf: "


_IDF_IS = "your idf is not log(N/df): "


_LENGTH_IS = "the length is √Σw², over the terms of the document: "


_WRONG_LTC = (
    (_ltc_by(length=lambda weights: sum(each**2 for each in weights)), _LENGTH_IS + "the root is missing."),
    (_ltc_by(length=lambda weights: max(weights, default=0.0)), _LENGTH_IS + "you divide by the largest weight."),
    (_ltc_by(length=len), _LENGTH_IS + "you divide by the number of terms."),
    (_ltc_by(length=lambda weights: math.hypot(*weights) / math.sqrt(len(weights) or 1)), _LENGTH_IS + "no mean."),
    (
        lambda tf, df, N: {
            word: weight / (math.hypot(*tf.values()) or 1.0) for word, weight in _ltc(tf, df, N, "ltn").items()
        },
        _LENGTH_IS + "you took that of the tfs.",
    ),
    (
        lambda tf, df, N: {
            word: weight / (math.hypot(*(math.log(N / df[each]) for each in df)) or 1.0)
            for word, weight in _ltc(tf, df, N, "ltn").items()
        },
        _LENGTH_IS + "yours sums over all terms of df.",
    ),
    (_ltc_by(lambda tf: math.log(1 + tf)), _TF_IS + "the 1 is added inside the logarithm."),
    (_ltc_by(lambda tf: 1 + math.log2(tf)), "your logarithms have base 2; use natural logarithms."),
    (_ltc_by(lambda tf: 1.0), _TF_IS + "you left tf out."),
    (_ltc_by(math.sqrt), _TF_IS + "you took a root."),
    (_ltc_by(lambda tf: 1 + math.log(1 + tf)), _TF_IS + "you added 1 to tf."),
    (_ltc_by(lambda tf: 1 + math.log(1 + math.log(tf))), _TF_IS + "you took the logarithm twice."),
    (_ltc_by(lambda tf: 1 + math.log(min(tf, 10))), _TF_IS + "you cut tf at 10."),
    (_ltc_by(idf=lambda df, N: 1.0), _IDF_IS + "you left idf out."),
    (_ltc_by(idf=lambda df, N: math.log(N / df) + 1), _IDF_IS + "you added 1."),
    (_ltc_by(idf=lambda df, N: math.log(1 + N / df)), _IDF_IS + "you added 1 inside the logarithm."),
    (_ltc_by(idf=lambda df, N: math.log(N / (1 + df))), _IDF_IS + "you added 1 to df."),
    (_ltc_by(idf=lambda df, N: math.log((N + 1) / (df + 1))), _IDF_IS + "you added 1 to both numbers."),
    (_ltc_by(idf=lambda df, N: math.log((N - df + 0.5) / (df + 0.5))), _IDF_IS + "this is the one of BM25."),
    (_ltc_by(idf=lambda df, N: math.log(1 + (N - df + 0.5) / (df + 0.5))), _IDF_IS + "this is the one of BM25."),
    (_ltc_by(idf=lambda df, N: max(0.0, math.log(max(N - df, 1) / df))), _IDF_IS + "this is the letter p."),
    (_ltc_by(idf=lambda df, N: N / df), _IDF_IS + "you took no logarithm."),
    (_ltc_by(idf=lambda df, N: math.log(df / N)), _IDF_IS + "you divided df by N."),
    (_ltc_by(idf=lambda df, N: math.log(N / df) ** 2), _IDF_IS + "you multiplied by it twice."),
    (lambda tf, df, N: _ltc(tf, df, len(df)), "N is the number of documents, not of terms."),
    (lambda tf, df, N: _ltc(tf, df, sum(df.values())), "N is the number of documents, not the sum of df."),
    (lambda tf, df, N: dict.fromkeys(df, 0.0) | _ltc(tf, df, N), "return weights for the terms of the document only."),
    (_kept_weights(lambda word, weight, count: weight > 0), "keep a term with the weight 0; it is in the document."),
    (_kept_weights(lambda word, weight, count: count > 1), "a term that occurs once has a weight too."),
    (_unguarded, "you divide by 0 where all weights are 0; leave them at 0."),
    (
        lambda tf, df, N: weights if any((weights := _ltc(tf, df, N)).values()) else {},
        "if all weights are 0, leave them at 0; do not leave out the terms.",
    ),
    (
        lambda tf, df, N: weights if any((weights := _ltc(tf, df, N)).values()) else dict.fromkeys(tf, 1.0),
        "if all weights are 0, leave them at 0.",
    ),
)


WRONG = {"3.4": _WRONG_LTC}
