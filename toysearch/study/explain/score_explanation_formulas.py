"""Explanation of a score with the formulas of its model, for people and for JSON."""

from __future__ import annotations

from typing import Any

from toysearch.base import EQUAL, Expression
from toysearch.models import Model, Ranker, value_text
from toysearch.retrieval import QueryTerms, Searcher
from toysearch.study.explain.score_explanation import ScoreExplanation
from toysearch.study.explain.score_explanation_text import explanation_text
from toysearch.study.explain.term_shares import TermShare
from toysearch.study.explain.worked_formulas import HookExpressions, expressions, hook_expressions, score_expressions


def term_expressions(why: ScoreExplanation, model: Model | Ranker) -> list[tuple[TermShare, list[Expression]]]:
    """Return the formulas of a single model for each term of a score; none for a mixture or a learned ranker."""
    single = model.single
    return [] if single is None else [(share, expressions(single, share, why.collection)) for share in why.terms]


def expressed_data(why: ScoreExplanation, searcher: Searcher, terms: QueryTerms) -> dict[str, Any]:
    """Explain a score for JSON, with the formulas of the model for each term and for the score."""
    data, model = why.data(), searcher.model
    if of_terms := term_expressions(why, model):
        summands = data["parts"][0]["parts"] if why.tree.formula == EQUAL else data["parts"]
        numbers = (part for part in summands if part.get("kind") == "term")
        for number, (_, lines) in zip(numbers, of_terms, strict=True):
            number["expressions"] = [line._asdict() for line in lines]
    data["expressions"] = [line._asdict() for line in score_expressions(why, model.single)]
    if why.score is not None and model.single is not None:
        hooks = hook_expressions(searcher, terms, why.doc_id)
        data["query_weights"] = {term: [line._asdict() for line in lines] for term, lines in hooks.query.items()}
        data["other_parts"] = [line._asdict() for line in [*hooks.per_matched_document, *hooks.document]]
    return data


def expressed_text(rank: int | None, why: ScoreExplanation, searcher: Searcher, terms: QueryTerms) -> list[str]:
    """Explain the score of a ranked document: a table, the formulas of the model with numbers, and the sum."""
    lines, model = [explanation_text(rank, why)], searcher.model
    rows = [(share.term, shown(of_term)) for share, of_term in term_expressions(why, model)]
    first = rows[0][1] if rows else []
    if any(of_term for _, of_term in rows):
        lines += ["", *formulas_of(model.single, first), ""]
    common = set(first).intersection(*(of_term for _, of_term in rows)) if len(rows) > 1 else set()
    lines += [expression_line(line) for line in first if line in common]
    hooks = HookExpressions({}, [], []) if model.single is None else hook_expressions(searcher, terms, why.doc_id)
    for term, of_term in rows:
        texts = [expression_line(line) for line in [*of_term, *hooks.query.get(term, [])] if line not in common]
        if len(texts) < 2:
            lines += [f"{term}: {text}" for text in texts]
        else:
            lines += [term, *(f"  {text}" for text in texts)]
    if others := [*hooks.per_matched_document, *hooks.document]:
        lines += ["", *(f"{line.name} = {line.formula}" for line in others), *map(expression_line, others)]
    return [*lines, "", *map(expression_line, score_expressions(why, model.single))]


def shown(lines: list[Expression]) -> list[Expression]:
    """Keep the lines that have a formula; the table of terms has the values of the others."""
    return [line for line in lines if line.formula]


def formulas_of(model: Model | None, lines: list[Expression]) -> list[str]:
    """List the formulas of expressions, and the parameters in them that are numbers."""
    described = [] if model is None else model.describe_parameters()
    values = [f"{name} = {value_text(value)}" for _, name, value, _ in described if value is not None]
    formulas = [f"{line.name} = {line.formula}" for line in lines]
    if values:
        formulas.append(f"with {', '.join(values)}")
    return formulas


def expression_line(line: Expression) -> str:
    """Write an expression with its numbers and its value."""
    if not line.numbers or line.numbers == f"{line.value:.6g}":
        return f"{line.name} = {line.value:.6g}"
    return f"{line.name} = {line.numbers} = {line.value:.6g}"
