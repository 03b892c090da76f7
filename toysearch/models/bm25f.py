"""BM25F: BM25 over several fields of a document, each with its own weight and length normalisation."""

from __future__ import annotations

import functools
import inspect
import keyword
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy import log

from toysearch.base import ArgumentError
from toysearch.base.spec import field_identifier
from toysearch.models.model import STATISTICS, Array, Model, model

__all__ = ["bm25f"]

NAME = "bm25f"
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
    return _over(_fields(weights)).bind(**weights)


def from_parameters(parameters: Mapping[str, str]) -> Model:
    """BM25F over the fields named by parameters; over title and text if there are none."""
    fields = [name for name in parameters if name != "k1" and not name.startswith("b_")]
    model = _over(_fields(fields))
    return model.bind(**parameters) if parameters else model


def fields_of(model: Model) -> tuple[str, ...]:
    """The fields that BM25F weights; empty for any other model."""
    if model.name != NAME or model.function.__module__ != __name__:
        return ()
    return tuple(name.removeprefix("tf_") for name in model.statistics if name.startswith("tf_"))


def left_out(models: Sequence[Model], names: Iterable[str]) -> str:
    """A note on the fields of an index that no model weights; "" if a model is not BM25F, which searches all fields."""
    weighed = list(dict.fromkeys(field for model in models for field in fields_of(model)))
    missing = [name for name in map(field_identifier, names) if name not in weighed]
    if not missing or not models or not all(map(fields_of, models)):
        return ""
    first = models[0]
    unnamed = [field for field in fields_of(first) if not _is_named(first, field)]
    weights = ",".join(f"{field}={_WEIGHTS.get(field, 1):g}" for field in [*unnamed, *missing])
    kind = "field" if len(missing) == 1 else "fields"
    return (
        f"{NAME} over {_listed(weighed)} leaves out the {kind} {_listed(missing)}, and documents that match "
        f"only there score 0; add {weights} (a weight of 0 leaves a field out without this note)"
    )


def widened(model: Model, names: Iterable[str]) -> Model:
    """BM25F over all fields of an index; fields that the model lacks have weight 0, or defaults if it lacks all."""
    fields = [name for name in map(field_identifier, names) if _is_nameable(name)]
    weighted = [field for field in fields_of(model) if field in fields or _is_named(model, field)]
    weights = {field: model.parameters[_parameter(field)] for field in weighted}
    weights |= {field: 0.0 if weighted else _WEIGHTS.get(field, 1.0) for field in fields if field not in weighted}
    others = {name: model.parameters[name] for name in ["k1", *(f"b_{field}" for field in weighted)]}
    return _over(_fields(weights)).bind(**weights, **others)


def _is_named(model: Model, field: str) -> bool:
    """Whether a weight or a length parameter of a field differs from its default."""
    return any(model.parameters[name] != model.defaults[name] for name in (_parameter(field), f"b_{field}"))


def _is_nameable(field: str) -> bool:
    """Whether a parameter can have the name of a field."""
    return field.isidentifier() and field != "k1" and not field.startswith("b_") and not field.endswith("_")


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _fields(named: Iterable[str]) -> tuple[str, ...]:
    """The named fields; title and text, in this order, if no other field is named."""
    fields = tuple(named)
    return tuple(_WEIGHTS) if set(fields) <= set(_WEIGHTS) else fields


def _parameter(field: str) -> str:
    """The Python name of the weight of a field: T is a statistic, so the weight of a field T is T_."""
    return f"{field}_" if field in STATISTICS or keyword.iskeyword(field) else field


@functools.lru_cache(maxsize=256)
def _over(fields: tuple[str, ...]) -> Model:
    """The model over these fields; fields other than title and text have no default weight."""
    for field in fields:
        if not _is_nameable(field):
            raise ArgumentError(f"{NAME} cannot use a field named '{field}', because no parameter can have that name")

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
    return replace(model(weight, name=NAME), ranges=ranges)  # a field may have the name of a hook, or be called name


def _normalised_tf(given: Mapping[str, Any], field: str) -> Array:
    """The count of a term in a field, divided by the length part of the field; 0 if the field is empty."""
    dl, avgdl, b = (given[f"{name}_{field}"] for name in ("dl", "avgdl", "b"))
    return _quotient(given[f"tf_{field}"], 1 - b + b * (dl / avgdl if avgdl else np.ones_like(dl)))


def _quotient(numerator: Array, denominator: Array) -> Array:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


MODELS: tuple[Any, ...] = (_over(tuple(_WEIGHTS)),)
