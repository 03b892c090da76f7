"""The explanation of a score as text for people and data for programs."""

from __future__ import annotations

from typing import Any

from toysearch.base.explanation import Expression
from toysearch.laboratory.explain.expressions import HookExpressions, expressions
from toysearch.laboratory.explain.model_explanation import explanation_data
from toysearch.laboratory.explain.score_explanation import AnyExplanation
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model, value_text

_PARTS = {"per_matched_document": "every ranked document", "document": "the document's own part", "base": "base"}


def score_parts(why: AnyExplanation) -> list[dict[str, Any]]:
    """The parts of a score with their labels, for bars; they add up to it."""
    return [{"part": part_label(part.kind, part.label), "share": float(part.value)} for part in why.tree.parts]


def term_expressions(why: Any, model: Model | Mixture) -> list[tuple[str, list[Expression]]]:
    """The formulas of a single model for each term of a score; none for a mixture or a learned ranker."""
    single = model.single
    if single is None:
        return []
    return [(share.term, expressions(single, share, why.collection)) for share in why.terms]


def part_label(kind: str, name: str) -> str:
    """A part of a score in a table: a term as it is, anything else in brackets.

    >>> part_label("term", "cat"), part_label("per_matched_document", ""), part_label("normalisation", "min-max(bm25)")
    ('cat', '(every ranked document)', '(min-max(bm25), apart from its scale)')
    """
    if kind in ("term", "feature"):
        return name
    if kind == "absent":
        return f"{name} (not in it)"
    if kind == "normalisation":
        return f"({name}, apart from its scale)"
    return f"({_PARTS.get(kind, name)})"


def expressed_data(why: Any, model: Model | Mixture, hooks: HookExpressions | None = None) -> dict[str, Any]:
    """The explanation of a score for JSON, with the formulas of the model for each term and for the score."""
    data = explanation_data(why)
    for place, (_, lines) in enumerate(term_expressions(why, model)):
        data["terms"][place]["expressions"] = [line._asdict() for line in lines]
    data["expressions"] = [line._asdict() for line in why.expressions(model.single)]
    if hooks is not None:
        data["query_weights"] = {term: [line._asdict() for line in lines] for term, lines in hooks.query.items()}
        data["other_parts"] = [line._asdict() for line in [*hooks.per_matched_document, *hooks.document]]
    return data


def expressed_text(why: Any, model: Model | Mixture, hooks: HookExpressions | None = None) -> list[str]:
    """A score as expressions: the formulas of the model, the same with the numbers of each term, then the score."""
    lines: list[str] = []
    rows = [(term, shown(of_term)) for term, of_term in term_expressions(why, model)]
    if any(of_term for _, of_term in rows):
        lines += ["", *formulas_of(model.single, rows[0][1]), ""]
    common = set(rows[0][1]).intersection(*(of_term for _, of_term in rows)) if len(rows) > 1 else set()
    lines += [expression_line(line) for line in (rows[0][1] if rows else []) if line in common]
    for term, of_term in rows:
        of_query = hooks.query.get(term, []) if hooks else []
        texts = [expression_line(line) for line in [*of_term, *of_query] if line not in common]
        # A single line follows the term on the same line.
        lines += [f"{term}: {text}" for text in texts] if len(texts) < 2 else [term, *(f"  {text}" for text in texts)]
    others = [*hooks.per_matched_document, *hooks.document] if hooks else []
    if others:
        lines += ["", *(f"{line.name} = {line.formula}" for line in others), *map(expression_line, others)]
    lines += ["", *map(expression_line, why.expressions(model.single))]
    return lines


def shown(lines: list[Expression]) -> list[Expression]:
    """The lines that have a formula; the table of terms has the values of the others."""
    return [line for line in lines if line.formula]


def formulas_of(model: Model | None, lines: list[Expression]) -> list[str]:
    """The formulas of expressions, and the parameters in them that are numbers."""
    described = [] if model is None else model.describe_parameters()
    values = [f"{name} = {value_text(value)}" for _, name, value, _ in described if value is not None]
    return [*(f"{line.name} = {line.formula}" for line in lines), *([f"with {', '.join(values)}"] if values else [])]


def expression_line(line: Expression) -> str:
    """An expression with its numbers and its value."""
    if not line.numbers or line.numbers == f"{line.value:.6g}":
        return f"{line.name} = {line.value:.6g}"
    return f"{line.name} = {line.numbers} = {line.value:.6g}"
