"""BM25 and its family, each under the name by which its formula is known.

All share the length part 1 − b + b · dl/avgdl and differ in the idf, in the saturation of tf, and in the
effect of a lower bound (delta). No two libraries agree on "BM25L" and "BM25+": `bm25l` and `bm25plus` follow the
papers; the names that end in -rank follow the rank-bm25 package. BM25F, over several fields of a document, comes last.

Start with `bm25`.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy import log, maximum, spacing, where

from toysearch.base import ArgumentError, field_identifier, listed
from toysearch.models.model import STATISTICS, Array, Model, model

__all__ = ["bm25f"]


def repeated(qtf: Array, *, k3: float | None = None) -> Array:
    """Weight of a query term that occurs qtf times: (k3 + 1) qtf / (k3 + qtf); qtf if k3 is none."""
    return qtf if k3 is None else (k3 + 1) * qtf / (k3 + qtf)


_FAMILY: Any = {"k1": (0, None), "b": (0, 1), "k3": (0, None), "query": repeated}
_WITH_DELTA: Any = {**_FAMILY, "delta": (0, None)}
"""Ranges of the parameters, and the weight of a query term, which all members share."""


@model(**_FAMILY)
def bm25(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Array:
    """BM25 as in Lucene: ln(1 + (N − df + 0.5)/(df + 0.5)) · tf / (tf + k1 · (1 − b + b · dl/avgdl)).

    The 1 inside the logarithm keeps the idf above 0 for every df. The usual factor k1 + 1 is left out: it is the same
    for all terms and changes no ranking.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Robertson & Zaragoza, "The probabilistic relevance framework: BM25 and beyond", FnTIR 3, 2009.
    Kamphuis, de Vries, Boytsov & Lin, "Which BM25 do you mean?", ECIR 2020 (Lucene's idf).

    Examples
    --------
    >>> bm25.weight(tf=2, df=7, dl=44, N=8514, avgdl=50.580456)      # a row of Lucene's explain
    4.563661...
    """
    idf = log(1 + (N - df + 0.5) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    return idf * tf / (tf + k1 * length)


@model(**_FAMILY, name="bm25-lucene")
def bm25_lucene(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Array:
    """BM25 with the lengths that Lucene keeps: dl is rounded down to one of 256 values, and avgdl stays exact.

    Lucene stores the length of a document in one byte. Lengths up to 40 are exact; above, dl − 24 has four significant
    bits: 41 counts as 40, 100 as 96, 150 as 144. Otherwise it is `bm25`.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Apache Lucene, classes BM25Similarity and SmallFloat (intToByte4).
    Kamphuis, de Vries, Boytsov & Lin, "Which BM25 do you mean?", ECIR 2020 (Lucene's lengths).

    Examples
    --------
    >>> statistics = {"tf": 2, "df": 7, "N": 8514, "avgdl": 50.580456}
    >>> bm25_lucene.weight(dl=100, **statistics) == bm25.weight(dl=96, **statistics)
    True
    """
    idf = log(1 + (N - df + 0.5) / (df + 0.5))
    step = spacing(maximum(dl - 24, 8)) * 2**49  # between floats of 4 significant bits instead of 53
    stored = dl - (dl - 24) % step
    length: Array = 1 - b + b * stored / avgdl
    return idf * tf / (tf + k1 * length)


@model(**_FAMILY, name="bm25-robertson")
def bm25_robertson(
    tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75
) -> Array:
    """BM25 with the original idf: ln((N − df + 0.5)/(df + 0.5)) · tf / (tf + k1 · (1 − b + b · dl/avgdl)).

    The idf is negative for a term in more than half of the documents: such a match lowers the score.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Robertson, Walker, Jones, Hancock-Beaulieu & Gatford, "Okapi at TREC-3", 1994.

    Examples
    --------
    >>> round(bm25_robertson.weight(tf=1, df=4, dl=4, N=4, avgdl=4.0), 6)
    -0.998738
    """
    idf = log((N - df + 0.5) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    return idf * tf / (tf + k1 * length)


@model(**_FAMILY, name="bm25-atire")
def bm25_atire(tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.2, b: float = 0.75) -> Array:
    """BM25 as in ATIRE: ln(N/df) · (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl)).

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    Trotman, Jia & Crane, "Towards an efficient and effective search engine", SIGIR workshop OSIR 2012.

    Examples
    --------
    >>> round(bm25_atire.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)
    1.386294
    """
    idf = log(N / df)
    length = 1 - b + b * dl / avgdl
    return idf * (k1 + 1) * tf / (tf + k1 * length)


def _average_idf(df_all: Array, N: float) -> dict[str, float]:
    idf = log(N - df_all + 0.5) - log(df_all + 0.5)
    return {"average_idf": float(idf.sum() / max(len(idf), 1))}


@model(**_FAMILY, epsilon=(0, None), collection_constants=_average_idf, name="bm25-okapi")
def bm25_okapi(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    average_idf: float,
    *,
    k1: float = 1.5,
    b: float = 0.75,
    epsilon: float = 0.25,
) -> Array:
    """BM25 as rank-bm25's BM25Okapi: idf · (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl)), idf with a floor.

    idf = ln((N − df + 0.5)/(df + 0.5)); a negative one is replaced by epsilon · (mean idf of the vocabulary). On a
    small collection that mean can itself be negative: in the cat-dog-parrot collection idf(train) is replaced by
    −0.1144, and three documents score below 0.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    average_idf
        The mean idf over all terms of the collection, including negative ones.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    epsilon : float
        The floor, as a share of the mean idf.

    References
    ----------
    The rank-bm25 package, class BM25Okapi; Robertson et al., "Okapi at TREC-3", 1994.

    Examples
    --------
    >>> round(bm25_okapi.weight(tf=1, dl=4, df=4, N=4, avgdl=4.0, average_idf=-0.457497), 4)
    -0.1144
    """
    idf = log(N - df + 0.5) - log(df + 0.5)
    idf = where(idf < 0, epsilon * average_idf, idf)
    length = 1 - b + b * dl / avgdl
    return idf * (k1 + 1) * tf / (tf + k1 * length)


@model(**_WITH_DELTA)
def bm25l(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    delta: float = 0.5,
) -> Array:
    """BM25L: ln((N + 1)/(df + 0.5)) · (k1 + 1)(c + delta) / (k1 + c + delta), c = tf / (1 − b + b · dl/avgdl).

    Raises the scores of long documents; delta counts only where the term occurs, as in the paper. The form of
    rank-bm25 is `bm25l-rank`.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    delta : float
        The addition to the length-normalised tf.

    References
    ----------
    Lv & Zhai, "When documents are very long, BM25 fails!", SIGIR 2011 (idf: Fang, Tao & Zhai 2004).

    Examples
    --------
    >>> round(bm25l.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)      # ln(5/1.5) · 2.2 · 1.5 / 2.7
    1.471522
    """
    idf = log((N + 1) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    c = tf / length
    return idf * (k1 + 1) * (c + delta) / (k1 + c + delta)


@model(**_WITH_DELTA)
def bm25plus(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    delta: float = 1.0,
) -> Array:
    """BM25+: ln((N + 1)/df) · (delta + (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl))).

    A match has a lower bound, however long the document is. delta counts only for terms in the document, as in the
    paper. The form of rank-bm25 is `bm25plus-rank`.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    delta : float
        The minimum weight of a match, in units of the idf.

    References
    ----------
    Lv & Zhai, "Lower-bounding term frequency normalization", CIKM 2011.

    Examples
    --------
    >>> round(bm25plus.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)      # ln(5) · (1 + 1)
    3.218876
    """
    idf = log((N + 1) / df)
    length = 1 - b + b * dl / avgdl
    return idf * (delta + (k1 + 1) * tf / (tf + k1 * length))


@model(**_WITH_DELTA, name="bm25l-rank")
def bm25l_rank(
    tf: Array,
    dl: Array,
    df: Array,
    N: float,
    avgdl: float,
    *,
    k1: float = 1.5,
    b: float = 0.75,
    delta: float = 0.5,
) -> Array:
    """BM25L as rank-bm25's BM25L: idf · tf · (k1 + 1)(c + delta) / (k1 + c + delta), idf = ln((N + 1)/(df + 0.5)).

    c = tf / (1 − b + b · dl/avgdl). It multiplies by tf once more than the paper (`bm25l`), so
    tf does not saturate.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of the bounded part.
    b : float
        The effect of the document length: 0 is none, 1 is full.
    delta : float
        The addition to the length-normalised tf.

    References
    ----------
    The rank-bm25 package, class BM25L; Lv & Zhai, SIGIR 2011.

    Examples
    --------
    >>> round(bm25l_rank.weight(tf=2, df=1, dl=4, N=4, avgdl=4.0), 6)
    3.762415
    """
    idf = log((N + 1) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    c = tf / length
    return idf * tf * (k1 + 1) * (c + delta) / (k1 + c + delta)


def _delta_of_every_term(qtf: Array, df: Array, N: float, *, delta: float = 1.0, k3: float | None = None) -> Array:
    """Delta · idf of each known query term, which every document gets."""
    idf = log((N + 1) / df)
    return repeated(qtf, k3=k3) * delta * idf


@model(**_WITH_DELTA, per_matched_document=_delta_of_every_term, name="bm25plus-rank")
def bm25plus_rank(
    tf: Array, dl: Array, df: Array, N: float, avgdl: float, *, k1: float = 1.5, b: float = 0.75
) -> Array:
    """BM25+ as rank-bm25's BM25Plus: Σ ln((N + 1)/df) · (delta + (k1 + 1) tf / (tf + k1 · (1 − b + b · dl/avgdl))).

    The sum includes query terms that the document lacks (tf = 0), so delta adds the same to every document and never
    changes the ranking. In the paper (`bm25plus`) delta counts only for terms in the document.

    Parameters
    ----------
    tf, dl, df, N, avgdl
        Statistics of the posting, its document, its term, the collection.
    k1 : float
        The saturation of tf: 0 is binary, a large value nearly linear.
    b : float
        The effect of the document length: 0 is none, 1 is full.

    References
    ----------
    The rank-bm25 package, class BM25Plus; bm25s, method bm25+; Lv & Zhai, CIKM 2011.

    Examples
    --------
    >>> round(bm25plus_rank.weight(tf=1, df=1, dl=4, N=4, avgdl=4.0), 6)      # the part without delta: ln 5
    1.609438
    """
    idf = log((N + 1) / df)
    length = 1 - b + b * dl / avgdl
    return idf * (k1 + 1) * tf / (tf + k1 * length)


BM25F = "bm25f"
_WEIGHTS: Mapping[str, float] = {"title": 2.0, "text": 1.0}
_K1, _B = 1.2, 0.75


def bm25f(**weights: float) -> Model:
    """BM25F: the counts of a term are summed over the fields of a document before they saturate.

    tf~ = Σ_f  w_f · tf_f / (1 − b_f + b_f · dl_f/avgdl_f)

    ln(1 + (N − df + 0.5)/(df + 0.5)) · tf~ / (k1 + tf~)

    df counts the documents with the term in any field. With a single field of weight 1 this is `bm25`. The index must
    count its fields separately (``--apart``). The parameters are named after the fields:
    ``bm25f:title=3,text=1,b_title=0.4``.

    Parameters
    ----------
    **weights : float
        The weight w of each field, at least 0; default title 2, text 1. They become parameters of the model, in
        addition to k1 (at least 0) and the b of each field (``b_title``, from 0 to 1).

    Returns
    -------
    Model
        With k1 = 1.2 and each b = 0.75.

    Raises
    ------
    ArgumentError
        If the name of a field is not valid for a parameter.

    References
    ----------
    Robertson, Zaragoza & Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004.
    Zaragoza, Craswell, Taylor, Saria & Robertson, "Microsoft Cambridge at TREC-13", 2004 (one b per field).

    Examples
    --------
    >>> made = bm25f(title=3, text=1)
    >>> made.bind(b_title=0.4)
    bm25f:title=3,b_title=0.4
    >>> lengths = {"dl_title": 2, "avgdl_title": 2.0, "dl_text": 10, "avgdl_text": 10.0}
    >>> round(made.weight(tf_title=1, tf_text=2, df=1, N=10, **lengths), 6)
    1.606799
    """
    model = _over(_fields(weights))
    return model.bind(**weights) if weights else model


def bm25f_from_parameters(parameters: Mapping[str, str]) -> Model:
    """Return BM25F over the fields named by parameters; over title and text if there are none."""
    fields = [name for name in parameters if name != "k1" and not name.startswith("b_")]
    model = _over(_fields(fields))
    return model.bind(**parameters) if parameters else model


def fields_of(model: Model) -> tuple[str, ...]:
    """Return the fields that BM25F weights; empty for any other model."""
    if model.name != BM25F or model.function.__module__ != __name__:
        return ()
    return tuple(field for kind, field in model.of_fields.values() if kind == "tf")


def left_out(models: Sequence[Model], names: Iterable[str]) -> str:
    """Note the fields of an index that no model weights; "" if a model is not BM25F, which searches all fields."""
    weighed = list(dict.fromkeys(field for model in models for field in fields_of(model)))
    missing = [name for name in map(field_identifier, names) if name not in weighed]
    if not missing or not models or not all(map(fields_of, models)):
        return ""
    first = models[0]
    unnamed = [field for field in fields_of(first) if not _is_named(first, field)]
    weights = ",".join(f"{field}={_WEIGHTS.get(field, 1):g}" for field in [*unnamed, *missing])
    kind = "field" if len(missing) == 1 else "fields"
    return (
        f"{BM25F} over {listed(weighed)} leaves out the {kind} {listed(missing)}, and documents that match "
        f"only there score 0; add {weights} (a weight of 0 leaves a field out without this note)"
    )


def widened(model: Model, names: Iterable[str]) -> Model:
    """Return BM25F over all fields of an index; missing ones have weight 0, or defaults if the model lacks all."""
    fields = [name for name in map(field_identifier, names) if _is_nameable(name)]
    weighted = [field for field in fields_of(model) if field in fields or _is_named(model, field)]
    weights = {field: model.parameters[_parameter(field)] for field in weighted}
    weights |= {field: 0.0 if weighted else _WEIGHTS.get(field, 1.0) for field in fields if field not in weighted}
    others = {name: model.parameters[name] for name in ["k1", *(f"b_{field}" for field in weighted)]}
    return _over(_fields(weights)).bind(**weights, **others)


def _is_named(model: Model, field: str) -> bool:
    return any(model.parameters[name] != model.defaults[name] for name in (_parameter(field), f"b_{field}"))


def _is_nameable(field: str) -> bool:
    return field.isidentifier() and field != "k1" and not field.startswith("b_") and not field.endswith("_")


def _fields(named: Iterable[str]) -> tuple[str, ...]:
    """Return the named fields; title and text, in this order, if no other field is named."""
    fields = tuple(named)
    return tuple(_WEIGHTS) if set(fields) <= set(_WEIGHTS) else fields


def _parameter(field: str) -> str:
    """Return the Python name of the weight of a field: T is a statistic, so the weight of a field T is T_."""
    return f"{field}_" if field in STATISTICS or keyword.iskeyword(field) else field


@functools.lru_cache(maxsize=256)
def _over(fields: tuple[str, ...]) -> Model:
    """Return the model over these fields; fields other than title and text have no default weight."""
    for field in fields:
        if not _is_nameable(field):
            raise ArgumentError(f"{BM25F} cannot use a field named '{field}', because no parameter can have that name")

    def weight(**given: Any) -> Array:
        weighted_tf = np.zeros_like(given["df"])
        for field in fields:
            weighted_tf = weighted_tf + given[_parameter(field)] * _normalised_tf(given, field)
        idf = log(1 + (given["N"] - given["df"] + 0.5) / (given["df"] + 0.5))
        return np.asarray(idf * _quotient(weighted_tf, given["k1"] + weighted_tf))

    statistics = [f"{statistic}_{field}" for field in fields for statistic in ("tf", "dl", "avgdl")]
    weights = _WEIGHTS if fields == tuple(_WEIGHTS) else dict.fromkeys(fields, math.nan)
    defaults_of_fields = {_parameter(field): weights[field] for field in fields}
    defaults = {"k1": _K1, **defaults_of_fields, **{f"b_{field}": _B for field in fields}}
    kind = inspect.Parameter
    signature = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in [*statistics, "df", "N"]]
    signature += [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    weight.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    weight.__doc__ = bm25f.__doc__
    ranges: dict[str, Any] = dict.fromkeys(["k1", *defaults_of_fields], (0, None)) | {
        f"b_{field}": (0, 1) for field in fields
    }
    return replace(model(weight, name=BM25F), ranges=ranges)  # a field may have the name of a hook, or be called name


def _normalised_tf(given: Mapping[str, Any], field: str) -> Array:
    # Not in the formula itself: an explanation would show the last field's values among those of the term.
    dl, avgdl, b = (given[f"{name}_{field}"] for name in ("dl", "avgdl", "b"))
    return _quotient(given[f"tf_{field}"], 1 - b + b * (dl / avgdl if avgdl else np.ones_like(dl)))


def _quotient(numerator: Array, denominator: Array) -> Array:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


VARIANTS = {"bm25-lucene": "bm25", "bm25l-rank": "bm25l", "bm25plus-rank": "bm25plus"}
"""A model as another tool computes it → the model in whose row a list names it."""
