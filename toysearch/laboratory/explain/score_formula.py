"""A score as an expression of its parts: the sum with its numbers put in, and what the similarity makes of it."""

from __future__ import annotations

import re

from toysearch.laboratory.explain.expressions import Expression
from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.score_explanation import MixtureExplanation
from toysearch.models.model import Model, public_name
from toysearch.models.similarity import COMBINE

_NEGLIGIBLE = 1e-9  # of a sum: what rounding leaves


def score_expressions(why: ScoreExplanation | MixtureExplanation, model: Model | None = None) -> list[Expression]:
    """The sum s over the terms, and the score made from it; for a mixture, the sum of its products.

    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = toysearch.explain(toysearch.Searcher(index, "dice"), "cat sat", "1")
    >>> for line in score_expressions(why):
    ...     print(line.name, "=", line.formula, "=", line.numbers, "=", line.value)
    s = Σ weight · q = 1 + 1 = 2.0
    score = 2s / (dd + qq) = 2 · 2 / (3 + 2) = 0.8
    """
    if isinstance(why, MixtureExplanation):
        return _of_mixture(why)
    if why.score is None or why.s is None:
        return []
    terms = [_product(share.weight, share.query_weight, why.combine) for share in why.terms]
    summed = sum(float(COMBINE[why.combine](share.query_weight, share.weight)) for share in why.terms)
    formula = "Σ weight · q" if why.combine == "product" else "Σ min(weight, q)"
    rest = why.s - summed
    if why.similarity == "s":
        named = [
            (name, value)
            for name, value in (("per_matched_document", why.per_matched_document), ("document", why.document))
            if value
        ]
    else:
        named = [("per_matched_document + document", rest)] if abs(rest) > _NEGLIGIBLE * max(abs(summed), 1.0) else []
    formula = " + ".join([formula, *(name for name, _ in named)])
    numbers = _added([*terms, *(f"{value:.6g}" for _, value in named)])
    if why.similarity == "s":
        return [Expression("score", formula, numbers, why.score)]
    values = {"s": why.s, **why.norms}
    if model is not None:
        values |= {public_name(name): v for name, v in model.parameters.items() if isinstance(v, float)}
    put_in = _put_in(why.similarity, values)
    return [Expression("s", formula, numbers, why.s), Expression("score", why.similarity, put_in, why.score)]


def _of_mixture(why: MixtureExplanation) -> list[Expression]:
    if why.score is None:
        return []
    formulas, numbers = [], []
    for product in why.products:
        weight = [] if product.weight == 1 else [f"{product.weight:g}"]
        formulas.append(" · ".join([*weight, *(factor.factor for factor in product.factors)]))
        numbers.append(" · ".join([*weight, *(_bracketed(factor.counted) for factor in product.factors)]))
    return [Expression("score", " + ".join(formulas), _added(numbers), why.score)]


def _product(weight: float, q: float, combine: str) -> str:
    if combine == "min":
        return f"min({weight:.6g}, {q:.6g})"
    return f"{weight:.6g}" if q == 1 else f"{weight:.6g} · {_bracketed(q)}"


def _bracketed(value: float) -> str:
    return f"({value:.6g})" if value < 0 else f"{value:.6g}"


def _added(texts: list[str]) -> str:
    """Summands joined by plus, or by minus before a negative one."""
    joined = " + ".join(texts) or "0"
    return joined.replace("+ -", "− ")


def _put_in(formula: str, values: dict[str, float]) -> str:
    """A similarity's formula with numbers in the place of its names: 2s becomes 2 · 0.5."""

    def number(match: re.Match[str]) -> str:
        if match[2] not in values:
            return match[0]
        return f"{match[1]} · {_bracketed(values[match[2]])}" if match[1] else _bracketed(values[match[2]])

    return re.sub(r"(?<![A-Za-z])(\d*)([A-Za-z][A-Za-z0-9]*)", number, formula)
