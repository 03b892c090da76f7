"""A score as one flat list of parts that add up to it, so that two scores can be held side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.score_explanation import MixtureExplanation, ProductShare


class ScorePart(NamedTuple):
    """What adds to a score."""

    # 'term': a query term that the document holds. 'per_matched_document': what the model gives to each ranked
    # document. 'document': the document's own part (a length part; of a distance, that of two strangers).
    # 'normalisation': what a mixture's normalisation adds to a score after scaling it. 'product': a product of a
    # mixture that cannot be divided among terms, since it has several models, or none
    kind: str
    name: str = ""  # the term, the normalised factor, the product; "" for the others


class PartDifference(NamedTuple):
    """A part in two scores, and the second less the first."""

    kind: str
    name: str
    first: float
    second: float
    difference: float


def parts(why: ScoreExplanation | MixtureExplanation) -> dict[ScorePart, float]:
    """The parts of a score; their sum is the score, to rounding. Nothing where the document is not ranked.

    Under a similarity that divides by lengths (cosine, Dice …) a term's part is its part of the sum s, times score / s:
    a longer document shows in every term's part. A mixture's product of one model and any priors is spread over the
    model's parts; a normalisation scales these alike, and what it adds besides is a part of its own.
    """
    found: dict[ScorePart, float] = {}
    if isinstance(why, ScoreExplanation):
        _add_model(found, why, 1.0)
    else:
        for product in why.products:
            _add_product(found, product)
    return found


def part_differences(first: Mapping[ScorePart, float], second: Mapping[ScorePart, float]) -> list[PartDifference]:
    """Each part of two scores and its difference, the largest first; the differences add up to that of the scores."""
    rows = []
    for part in dict.fromkeys([*first, *second]):
        before, after = first.get(part, 0.0), second.get(part, 0.0)
        rows.append(PartDifference(*part, before, after, after - before))
    return sorted(rows, key=lambda row: (-abs(row.difference), row.kind, row.name))


def _add_model(found: dict[ScorePart, float], why: ScoreExplanation, factor: float) -> None:
    """Add the parts of a single model's score, times a factor."""
    for share in why.terms:
        _add(found, ScorePart("term", share.term), factor * share.share)
    for kind, value in (("per_matched_document", why.per_matched_document), ("document", why.document)):
        if value:
            _add(found, ScorePart(kind), factor * value)


def _add_product(found: dict[ScorePart, float], product: ProductShare) -> None:
    """Add a product of a mixture: spread over the terms of its model where it has one, else as a whole."""
    explained = [factor for factor in product.factors if factor.explanation]
    if len(explained) != 1:
        _add(found, ScorePart("product", "*".join(factor.factor for factor in product.factors)), product.share)
        return
    [factor] = explained
    assert factor.explanation is not None
    others = product.weight * math.prod(other.counted for other in product.factors if other is not factor)
    _add_model(found, factor.explanation, others * factor.scale)
    moved = others * (factor.counted - factor.scale * factor.raw)
    if moved:
        _add(found, ScorePart("normalisation", factor.factor), moved)


def _add(found: dict[ScorePart, float], part: ScorePart, value: float) -> None:
    found[part] = found.get(part, 0.0) + value
