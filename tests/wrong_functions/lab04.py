"""Wrong functions that students write in lab 4: weights of BM25 and likelihoods."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from toysearch.classroom.exercises.lab04 import Weight, _function, _mixed, _tf_part, _with

Likelihood = Callable[..., float]


def _mixed_by(word: Callable[..., float], total: Callable[[list[float]], float] | None = None) -> Likelihood:
    """Combine other values of the words: of tf, cf, dl, T and lambda_."""

    def likelihood(tf: Sequence[int], cf: Sequence[int], dl: int, T: int, lambda_: float) -> float:
        values = [word(n, c, dl, T, lambda_) for n, c in zip(tf, cf, strict=True)]
        return total(values) if total else sum(map(math.log, values))

    return likelihood


def _share(n: float, c: float, dl: float, T: float, part: float) -> float:
    return (1 - part) * n / dl + part * c / T


def _logarithm(n: float, c: float, dl: float, T: float, part: float) -> float:
    return math.log(_share(n, c, dl, T, part))


_WRONG_MIXTURES: tuple[tuple[Likelihood, str], ...] = (
    (lambda *document: -_mixed(*document), "the sign is wrong: a probability below 1 has a negative logarithm."),
    (
        lambda tf, cf, dl, T, lambda_: _mixed(tf, cf, dl, T, lambda_) / max(1, len(tf)),
        "you took the mean over the words; add up their logarithms.",
    ),
    (
        _mixed_by(_share, lambda values: math.log(sum(values) or 1.0)),
        "the probabilities are multiplied, so add up their logarithms.",
    ),
    (_mixed_by(_share, sum), "the probabilities are multiplied, so add up their logarithms."),
    (
        _mixed_by(lambda n, c, dl, T, part: n * _logarithm(n, c, dl, T, part), sum),
        "each word of the query counts once; you weighted it by its tf.",
    ),
    (
        _mixed_by(lambda n, c, dl, T, part: (1 - part) * n / dl or 1.0),
        "the part of the collection is missing: lambda_ · cf / T.",
    ),
    (_mixed_by(lambda n, c, dl, T, part: c / T), "the part of the document is missing: (1 - lambda_) · tf / dl."),
    (_mixed_by(lambda n, c, dl, T, part: n / dl + c / T), "you left out lambda_."),
    (_mixed_by(lambda n, c, dl, T, part: n / dl + part * c / T), "the document has the part 1 - lambda_."),
    (_mixed_by(lambda n, c, dl, T, part: (1 - part) * n / dl + c / T), "the collection has the part lambda_."),
    (_mixed_by(lambda n, c, dl, T, part: _share(n, c, dl, dl, part)), "divide cf by T, the tokens of the collection."),
    (_mixed_by(lambda n, c, dl, T, part: _share(n, c, T, T, part)), "divide tf by dl, the tokens of the document."),
    (_mixed_by(lambda n, c, dl, T, part: _share(n, c, dl, T + dl, part)), "divide cf by T as it is."),
    (_mixed_by(lambda n, c, dl, T, part: _share(n, c, dl + 1, T, part)), "divide tf by dl as it is."),
    (_mixed_by(lambda n, c, dl, T, part: _share(n + 1, c, dl, T, part)), "take tf as it is; the mixture smooths it."),
    (_mixed_by(lambda n, c, dl, T, part: _share(min(n, 1), c, dl, T, part)), "tf is a number, not only 0 or 1."),
    (_mixed_by(lambda n, c, dl, T, part: max((1 - part) * n / dl, part * c / T)), "add the two parts."),
    (
        _mixed_by(lambda n, c, dl, T, part: n / dl if n else part * c / T),
        "every word has both parts, also where the document has it.",
    ),
    (
        _mixed_by(lambda n, c, dl, T, part: (n + 1000 * c / T) / (dl + 1000)),
        "this is the prior of Dirichlet; mix tf / dl and cf / T.",
    ),
    *(
        (
            _mixed_by(lambda n, c, dl, T, part, fixed=fixed: _share(n, c, dl, T, fixed)),
            "your function ignores lambda_.",
        )
        for fixed in (0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
    ),
    *(
        (
            _mixed_by(lambda n, c, dl, T, part, fixed=fixed: _share(n, c, dl, fixed, part)),
            "your function ignores T.",
        )
        for fixed in (80_000, 100_000)
    ),
    (
        lambda tf, cf, dl, T, lambda_: _mixed(tf, cf, sum(tf) or 1, T, lambda_),
        "dl is the length of the whole document, not the sum of these tfs.",
    ),
    (
        lambda tf, cf, dl, T, lambda_: _mixed(tf, cf, dl, sum(cf) or 1, lambda_),
        "T is the length of the whole collection, not the sum of these cfs.",
    ),
    (
        lambda tf, cf, dl, T, lambda_: sum(_logarithm(n, c, dl, T, lambda_) for n, c in {*zip(tf, cf, strict=True)}),
        "two words with the same counts count twice.",
    ),
    (
        lambda tf, cf, dl, T, lambda_: sum(
            _logarithm(n, c, dl, T, lambda_) for n, c in dict(zip(tf, cf, strict=True)).items()
        ),
        "two words with the same tf count twice.",
    ),
    (lambda tf, cf, dl, T, lambda_: _mixed(tf[:1], cf[:1], dl, T, lambda_), "you return inside the loop."),
)


def _of_counts(formula: Callable[[Any, Any, Any, float, float], Any]) -> Weight:
    """Make a ranking function from an idf of df and N, beside tf, dl/avgdl, k1 and b."""

    def weight(tf: Any, dl: Any, df: Any, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Any:
        return formula(df, N, _tf_part(tf, dl / avgdl, k1, b), k1, b)

    return weight


_IDF = "your idf is not ln(1 + (N − df + 0.5) / (df + 0.5))"


_DEFAULTS = "the defaults are k1=1.2 and b=0.75."


_WRONG_WEIGHTS: tuple[tuple[Weight, str], ...] = ()


_WRONG_WEIGHTS: tuple[tuple[Weight, str], ...] = (
    (_of_counts(lambda df, N, part, k1, b: np.log(1 + (400 - df + 0.5) / (df + 0.5)) * part), "N is given."),
    (_function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, r, 1.2, b)), "your function ignores k1."),
    (_function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, r, k1, 0.75)), "your function ignores b."),
    *(
        (_with(k1, b), _DEFAULTS)
        for k1, b in ((0.9, 0.4), (2.0, 0.75), (1.5, 0.75), (1.2, 0.4), (1.2, 0.0), (0.82, 0.68), (1.0, 1.0))
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, r, b, k1)),
        "you swapped k1 and b.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.maximum(np.log(odds), 0.0) * _tf_part(tf, r, k1, b)),
        "the 1 + inside the logarithm is missing, and you cut the idf at 0; Lucene's is never below 0.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: (1 + np.log(odds)) * _tf_part(tf, r, k1, b)),
        "the 1 is added inside the logarithm, not to it.",
    ),
    (_function(lambda tf, r, odds, k1, b: _tf_part(tf, r, k1, b)), "the idf is missing."),
    (_function(lambda tf, r, odds, k1, b: np.log(1 + odds) + 0 * tf), "the tf part is missing."),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(1, r, k1, b) + 0 * tf),
        "your function ignores tf.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / (tf + k1 + b * r)),
        "the length part is 1 - b + b · dl/avgdl, times k1.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / (1 + k1 * (1 - b + b * r))),
        "the denominator begins with tf.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * tf / (k1 * (1 - b + b * r))),
        "the denominator begins with tf.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * tf * (k1 * (1 - b + b * r))),
        "divide by the length part.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(np.minimum(tf, 10), r, k1, b)),
        "take tf as it is; the formula saturates it.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(1 + np.log(tf), r, k1, b)),
        "take tf as it is; the formula saturates it.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * _tf_part(tf, np.maximum(r, 1), k1, b)),
        "a short document gains by its length; you treat it as one of average length.",
    ),
    (
        _function(lambda tf, r, odds, k1, b: np.log(1 + odds) * (1 + _tf_part(tf, r, k1, b))),
        "this has a part that is always there, as BM25+ has.",
    ),
    (_of_counts(lambda df, N, part, k1, b: np.log(N / df) * part), f"{_IDF}: this is ln(N/df)."),
    (_of_counts(lambda df, N, part, k1, b: np.log(1 + N / df) * part), f"{_IDF}: this is ln(1 + N/df)."),
    (_of_counts(lambda df, N, part, k1, b: np.log((N + 1) / (df + 1)) * part), _IDF + "."),
    (_of_counts(lambda df, N, part, k1, b: np.log(1 + (N - df + 0.5) / df) * part), f"{_IDF}: one 0.5 is missing."),
    (_of_counts(lambda df, N, part, k1, b: np.log(1 + (N + 0.5) / (df + 0.5)) * part), f"{_IDF}: N lacks its − df."),
    (_of_counts(lambda df, N, part, k1, b: np.log(1 + (N - df + 1) / (df + 1)) * part), f"{_IDF}: 0.5, not 1."),
    (_of_counts(lambda df, N, part, k1, b: (1 + (N - df + 0.5) / (df + 0.5)) * part), f"{_IDF}: no logarithm."),
)


WRONG = {"4.8": _WRONG_MIXTURES, "4.4": _WRONG_WEIGHTS}
