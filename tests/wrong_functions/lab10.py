"""Wrong functions that students write in lab 10: weights with a title."""

from __future__ import annotations

import math
from collections.abc import Callable

from toysearch.classroom.exercise import Given, Mistake
from toysearch.classroom.exercises.lab10 import Weight, _idf


def _weight_by(
    count: Callable[[float, float, Given], float] = lambda text, title, given: text + given.boost * title,
    idf: Callable[[float, float], float] = _idf,
    slow: Callable[[Given, float], float] = lambda given, r: given.k1 * (1 - given.b + given.b * r),
    whole: Callable[[float, float, Given], float] = lambda count, slow, given: count / (count + slow),
) -> Callable[[Given], Weight]:
    """Make a weight with another count, idf, length part (of dl / avgdl), or combination of them."""

    def of(given: Given) -> Weight:
        def weight(tf_text: float, tf_title: float, dl: float, avgdl: float, df: float, N: float) -> float:
            counted = count(tf_text, tf_title, given)
            return float(idf(df, N) * whole(counted, slow(given, dl / avgdl), given)) if counted else 0.0

        return weight

    return of


_IDF_IS = "the idf is ln(1 + (N − df + 0.5) / (df + 0.5)): "


_COUNT_IS = "the count is tf_text + boost · tf_title: "


_LENGTH_IS = "the length part is 1 − b + b · dl / avgdl: "


_WRONG_BOOSTS = (
    Mistake(_weight_by(lambda text, title, given: text), _COUNT_IS + "the title is missing."),
    Mistake(_weight_by(lambda text, title, given: given.boost * title), _COUNT_IS + "the text is missing."),
    Mistake(_weight_by(lambda text, title, given: text + title), _COUNT_IS + "boost is missing."),
    Mistake(_weight_by(lambda text, title, given: given.boost * text + title), _COUNT_IS + "you boosted the text."),
    Mistake(_weight_by(lambda text, title, given: given.boost * (text + title)), _COUNT_IS + "you boosted both."),
    Mistake(_weight_by(lambda text, title, given: text + title + given.boost), _COUNT_IS + "you added boost."),
    Mistake(
        _weight_by(lambda text, title, given: text + (title and given.boost)), _COUNT_IS + "a title repeats words."
    ),
    Mistake(_weight_by(lambda text, title, given: max(text, given.boost * title)), _COUNT_IS + "add the two."),
    Mistake(_weight_by(lambda text, title, given: text + title**given.boost), _COUNT_IS + "boost is a factor."),
    Mistake(
        _weight_by(lambda text, title, given: text and text + given.boost * title), "a word may be in the title only."
    ),
    Mistake(
        _weight_by(lambda text, title, given: title and text + given.boost * title), "a word may be in the text only."
    ),
    Mistake(
        _weight_by(
            lambda text, title, given: text + title * 1j,
            whole=lambda count, slow, given: (
                given.boost * abs(count.real + count.imag) / (count.real + count.imag + slow)
            ),
        ),
        "boost multiplies the count of the title, not the whole weight.",
    ),
    *(
        Mistake(
            _weight_by(lambda text, title, given, boost=boost: text + boost * title),
            "your function ignores your boost.",
        )
        for boost in (2.5, 4.0, 5.0)
    ),
    Mistake(_weight_by(idf=lambda df, N: 1.0), _IDF_IS + "it is missing."),
    Mistake(_weight_by(idf=lambda df, N: math.log((N - df + 0.5) / (df + 0.5))), _IDF_IS + "its 1 + is missing."),
    Mistake(
        _weight_by(idf=lambda df, N: max(0.0, math.log((N - df + 0.5) / (df + 0.5)))), _IDF_IS + "its 1 + is missing."
    ),
    Mistake(_weight_by(idf=lambda df, N: math.log(N / df)), _IDF_IS + "yours is ln(N / df)."),
    Mistake(_weight_by(idf=lambda df, N: math.log(1 + N / df)), _IDF_IS + "yours is ln(1 + N / df)."),
    Mistake(_weight_by(idf=lambda df, N: _idf(df, N) / math.log(10)), _IDF_IS + "yours has base 10."),
    Mistake(_weight_by(idf=lambda df, N: _idf(df, N) / math.log(2)), _IDF_IS + "yours has base 2."),
    Mistake(_weight_by(idf=lambda df, N: 1 + math.log((N - df + 0.5) / (df + 0.5))), _IDF_IS + "add 1 inside it."),
    Mistake(_weight_by(idf=lambda df, N: _idf(df, 400)), "your function ignores N."),
    Mistake(_weight_by(idf=lambda df, N: _idf(df, N) ** 2), _IDF_IS + "it stands there once."),
    Mistake(_weight_by(slow=lambda given, r: given.k1 * (given.b + (1 - given.b) * r)), _LENGTH_IS + "you swapped b."),
    Mistake(
        _weight_by(slow=lambda given, r: given.k1 * (1 - given.b + given.b / r)), _LENGTH_IS + "yours has avgdl / dl."
    ),
    Mistake(
        _weight_by(slow=lambda given, r: given.k1 * (1 - given.b) + given.b * r), "k1 multiplies the whole length part."
    ),
    Mistake(
        _weight_by(slow=lambda given, r: 1 - given.b + given.b * r), "k1 is missing: it multiplies the length part."
    ),
    Mistake(_weight_by(slow=lambda given, r: given.k1 * r), _LENGTH_IS + "you took b as 1."),
    Mistake(_weight_by(slow=lambda given, r: given.k1 * given.b * r), _LENGTH_IS + "its 1 − b is missing."),
    Mistake(_weight_by(slow=lambda given, r: given.k1 * (1 + given.b * r)), _LENGTH_IS + "its − b is missing."),
    Mistake(
        _weight_by(slow=lambda given, r: given.k1 * (1 - given.b + given.b * max(r, 1))),
        "a short document gains by its length.",
    ),
    Mistake(
        _weight_by(slow=lambda given, r: 1.25 * (1 - given.b + given.b * r)),
        "your function ignores your k1.",
    ),
    Mistake(
        _weight_by(whole=lambda count, slow, given: count),
        "the count does not saturate: divide by count + k1 · length.",
    ),
    Mistake(_weight_by(whole=lambda count, slow, given: count / slow), "the denominator begins with the count."),
    Mistake(_weight_by(whole=lambda count, slow, given: count / count + slow), "the denominator lacks its brackets."),
    Mistake(_weight_by(whole=lambda count, slow, given: count / (1 + slow)), "the denominator begins with the count."),
    Mistake(
        _weight_by(whole=lambda count, slow, given: 1 + count / (count + slow)), "nothing is added to the tf part."
    ),
)


WRONG = {"10.1": _WRONG_BOOSTS}
