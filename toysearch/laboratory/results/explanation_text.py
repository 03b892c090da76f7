"""The explanation of a score, and of the expansion of a query, as text for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from toysearch.base import DIFFERENCE, EQUAL, PRODUCT, Column, Explanation, Expression, counted
from toysearch.laboratory.explain.expressions import HookExpressions, expressions, hook_expressions, score_expressions
from toysearch.laboratory.explain.score_explanation import ScoreExplanation, TermShare, term_shares
from toysearch.laboratory.results.tables import render, rounded_together
from toysearch.models import APPROXIMATE, Mixture, Model, is_of_document, value_text
from toysearch.search import QueryTerms, Searcher

WIDE = 80
"""Characters per line of a table."""

_FEW = 5  # terms of an expanded query that are shown
_SHORT = 6  # the longest heading that is never folded: numbers are as wide
_LONG = 16  # the longest heading that never moves below a table that is too wide
_SHARES = 8  # terms and topics of vectors that are shown
_NO_TERM = "it matches, and contains no term of the query that is scored"
_OF_ALL = {"per_matched_document": "added to every ranked document", "document": "the document's own part"}
_FEATURE_SHARES = {
    "linear": "share = weight × (value − mean) / deviation, by the training documents; the rest is the intercept",
    "trees": "share = sum of the changes at the branches on the feature, from root to leaf (Saabas 2014); "
    "the rest is the mean score of the training documents",
}
_PARTS = {"per_matched_document": "every ranked document", "document": "the document's own part", "base": "base"}


def explanation_text(rank: int | None, why: ScoreExplanation, most: int | None = None) -> str:
    """The score of a document explained: one row per term of a model, per factor of a mixture, or per feature."""
    if why.score is None:
        return f"document {why.doc_id} is not ranked under {why.model}: {unranked(why.model)}"
    place = "" if rank is None else f"{rank}. "
    head = f"{place}document {why.doc_id}: score {why.score:.6f} under {why.model}"
    return "\n".join([head, *_lines(why.tree, most)])


def unranked(model: str) -> str:
    """Why a model does not rank a document, in the words after a colon."""
    missed = f",{APPROXIMATE}=" in model
    return "it is not among the candidates of the approximate search" if missed else "it contains no query term"


def _lines(score: Explanation, most: int | None) -> list[str]:
    """A score for people, with at most so many rows in a table."""
    return _LINES[score.kind](score, most)


def _model_lines(score: Explanation, most: int | None) -> list[str]:
    """A table of the terms of a model, and what is added to their sum."""
    terms, others = term_shares(score), score.of_kind(*_OF_ALL)
    rounded = rounded_together([*(term.share for term in terms), *(part.value for part in others)], score.value)
    terms = [term._replace(share=share) for term, share in zip(terms, rounded, strict=False)]
    is_expanded = any(term.qtf % 1 for term in terms)  # a typed word counts once, or twice
    if is_expanded or most is not None:
        terms.sort(key=lambda term: -term.share)
    similarity = score.parts[1] if score.formula == EQUAL else None
    takes_smaller = similarity is not None and "min" in similarity.parts[0].formula
    limit = most or (_FEW if is_expanded and len(terms) > _FEW + 1 else len(terms))
    lines = [
        *(_terms_lines(terms[:limit], takes_smaller, terms[limit:]) if terms else [_NO_TERM]),
        *(
            f"{term.label} at position {', '.join(map(str, term.quantities['positions']))}"
            for term in score.of_kind("term")
            if term.quantities.get("positions")
        ),
        *([f"collection: {_listed(score.quantities)}"] if score.quantities else []),
        *(f"{_OF_ALL[part.kind]}: {share:.6f}" for part, share in zip(others, rounded[len(terms) :], strict=True)),
        *(["a term adds the smaller of weight and q to s"] if takes_smaller else []),
    ]
    if similarity is not None:
        values = {"s": similarity.parts[0].value, **similarity.quantities}
        lines.append(f"score = {similarity.formula} with {_listed(values)}")
    absent = [part.label for part in score.of_kind("absent")]
    if absent and most is None:
        is_long = is_expanded and len(absent) > _FEW
        lines.append(f"not in this document: {counted(len(absent), 'term') if is_long else ', '.join(absent)}")
    if unknown := score.of_kind("unknown"):
        lines.append(f"in no document: {', '.join(part.label for part in unknown)}")
    return lines


def _mixture_lines(score: Explanation, most: int | None) -> list[str]:
    """The factors of each product, and the explanation of each factor's model; of a single model, that alone."""
    factors = [factor for product in score.parts for factor in product.parts[1:]]
    # before the normalisation; None for a prior and others that are not taken apart
    scaled = [factor.parts[0] if factor.parts else None for factor in factors]
    models = [one.parts[1] if one is not None and one.formula == PRODUCT else one for one in scaled]
    if len(models) == 1 and models[0] is not None and models[0].value == score.value:
        return _lines(models[0], most)
    rows: list[list[Any]] = []
    shares = rounded_together([product.value for product in score.parts], score.value)
    for product, share in zip(score.parts, shares, strict=True):
        weight, first, *others = product.parts
        rows.append([weight.value, first.label, first.quantities["raw"], first.value, share])
        rows += [[None, f"× {factor.label}", factor.quantities["raw"], factor.value, None] for factor in others]
    columns = [
        Column("weight", "", "right", "g"),
        Column("factor", "model"),
        Column("raw", "score", "right", ".6f"),
        Column("counted", "normalised", "right", ".6f"),
        Column("share", "contribution", "right", ".6f"),
    ]
    lines = [render(columns, rows)]
    for factor in factors:  # one that is a formula of numbers of the document
        numbers = [f"{name} = {value:g}" for name, value in factor.quantities.items() if name != "raw"]
        lines += [f"{factor.label}: {', '.join(numbers)}"] if numbers else []
    for model in models:
        if model is not None:
            lines += ["", f"{model.label} gives {model.value:.6f}:", *_lines(model, most)]
    return lines


def _vector_lines(score: Explanation, _: int | None) -> list[str]:
    """The query terms and the topics with the largest shares; each column adds up to the score."""
    lines: list[str] = []
    share = Column("share", "", "right", ".6f")
    for way in score.parts:
        if not way.parts:
            continue
        kind, parts = way.parts[0].kind, way.parts
        shares = rounded_together([part.value for part in parts], score.value)
        if kind == "term":
            columns = [Column("term"), Column("weight", "", "right", ".4f"), Column("tf", "", "right", "d"), share]
            rows = [[part.label, part.quantities["weight"], part.quantities["tf"]] for part in parts]
        else:
            entries = [Column(factor.label, "", "right", ".4f") for factor in parts[0].parts]
            columns = [Column("number", kind, "right", "d"), *entries, share]
            rows = [[int(part.label), *(factor.value for factor in part.parts)] for part in parts]
        cells = [[*row, value] for row, value in zip(rows, shares, strict=True)]
        if kind == "topic":
            columns.append(Column("terms", "by its strongest terms"))
            cells = [
                [*row, ", ".join(part.quantities.get("terms", ()))] for row, part in zip(cells, parts, strict=True)
            ]
        lines += [*([""] if lines else []), render(columns, cells[:_SHARES])]
        if rest := shares[_SHARES:]:
            lines.append(f"… {counted(len(rest), f'more {kind}')}: {sum(rest):.6f}")
    return lines


def _ranker_lines(score: Explanation, most: int | None) -> list[str]:
    """The features of a learned ranker with their shares."""
    base, *features = score.parts
    if base.formula == DIFFERENCE:
        return _below_lines(score, most)
    base_share, *shares = rounded_together([part.value for part in score.parts], score.value)
    columns = [Column("feature"), Column("value", "", "right", ".6g"), Column("share", "", "right", "+.6f")]
    pairs = zip(features, shares, strict=True)
    rows = [[feature.label, feature.quantities["value"], share] for feature, share in pairs]
    rest = shares[most:] if most else []
    more = [f"… {counted(len(rest), 'more feature')}: {sum(rest):+.6f}"] if rest else []
    return [render(columns, rows[:most]), *more, f"base: {base_share:.6f}", _FEATURE_SHARES[score.kind]]


def _pipeline_lines(score: Explanation, most: int | None) -> list[str]:
    """The rank of a document after each stage, how far the stage moved it, and what the last stage made of it."""
    names, ranks = score.quantities["stages"], score.quantities["ranks"]
    moves = [None, *(before - after for before, after in pairwise(ranks))]
    columns = [Column("stage"), Column("rank", "", "right", "d"), Column("moved", "", "right", "+d")]
    rows = zip(names, ranks, moves, score.quantities["scores"], strict=True)
    lines = [render([*columns, Column("score", "", "right", ".6f")], [list(row) for row in rows])]
    return [*lines, "", *_lines(score.parts[0], most)]


def _passage_lines(score: Explanation, most: int | None) -> list[str]:
    """The passages whose scores count, each taken apart."""
    of_document = f"of the {counted(score.quantities['of'], 'passage')} of the document"
    lines = []
    for passage_id, tree in zip(score.quantities["passages"][:_FEW], score.parts, strict=False):
        lines += [f"passage {passage_id}, {of_document}: {tree.value:.6f}", *_lines(tree, most), ""]
    if rest := score.parts[_FEW:]:
        lines += [f"… {counted(len(rest), 'more passage')}: {sum(tree.value for tree in rest):.6f}", ""]
    return lines[:-1] or [f"no passage {of_document} is ranked"]


def _diversity_lines(score: Explanation, most: int | None) -> list[str]:
    """The weighted score of the model inside, and what the documents ranked before take from it or leave to add."""
    if score.parts[0].kind == "base":
        return _below_lines(score, most)
    relevance, *others = score.parts
    weight, tree = relevance.parts
    shares = rounded_together([part.value for part in score.parts], score.value)
    labels = [f"{weight.value:g} × {tree.label}", *(part.label for part in others)]
    before, after = score.quantities["ranks"]
    return [
        render([Column("part"), Column("share", "", "right", "+.6f")], list(zip(labels, shares, strict=True))),
        f"rank {after}, and {before} under {tree.label}",
        "",
        f"{tree.label} gives {tree.value:.6f}:",
        *_lines(tree, most),
    ]


def _below_lines(score: Explanation, _: int | None) -> list[str]:
    """The place of a document outside a pool."""
    lowest, below = score.parts[0].parts
    return [f"outside the pool, {below.value} below its lowest document, which has {lowest.value:.6f}"]


_LINES: Mapping[str, Callable[[Explanation, int | None], list[str]]] = {
    "model": _model_lines,
    "mixture": _mixture_lines,
    "vectors": _vector_lines,
    "linear": _ranker_lines,
    "trees": _ranker_lines,
    "pipeline": _pipeline_lines,
    "passages": _passage_lines,
    "diversity": _diversity_lines,
    "below": _below_lines,
}
"""How each kind of score is shown."""


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.7g}" for name, value in values.items())


def _terms_lines(terms: list[TermShare], takes_smaller: bool, rest: list[TermShare]) -> list[str]:
    """One row per term, and the notes below the table."""
    # A table that is too wide for a terminal is narrowed step by step: the statistics of the document move below it,
    # since they are the same for each term; then long headings do; then headings of several words are folded.
    statistics = list(terms[0].statistics)
    headings = {part: part.replace("_", " ") if part.isidentifier() else part for part in terms[0].parts}
    below = [f"… {counted(len(rest), 'more term')}: {sum(term.share for term in rest):.6f}"] if rest else []
    table = _terms_table(terms, statistics, headings, takes_smaller)
    if not _fits(table):
        of_document = {name: value for name, value in terms[0].statistics.items() if is_of_document(name)}
        statistics = [name for name in statistics if name not in of_document]
        below += [f"document: {_listed(of_document)}"] if of_document else []
        table = _terms_table(terms, statistics, headings, takes_smaller)
    if not _fits(table):
        long = [part for part, heading in headings.items() if len(heading) > _LONG]
        headings |= {part: f"({number})" for number, part in enumerate(long, 1)}
        below += [f"{headings[part]} = {part}" for part in long]
        table = _terms_table(terms, statistics, headings, takes_smaller)
    if not _fits(table):
        table = _terms_table(terms, statistics, headings, takes_smaller, folded=True)
    return [table, *below]


def _fits(table: str) -> bool:
    return max(map(len, table.splitlines())) <= WIDE


def _terms_table(
    terms: list[TermShare], statistics: list[str], headings: dict[str, str], takes_smaller: bool, folded: bool = False
) -> str:
    """One row per term: its statistics, the intermediate values of the model, its weights and its share."""
    columns = [
        Column("term"),
        Column("qtf", "", "right", ".4g"),
        *(Column(name, "", "right", "g") for name in statistics),
        *(Column(name, heading, "right", ".4f") for name, heading in headings.items()),
        Column("weight", "", "right", ".4f"),
        Column("query_weight", "q" if takes_smaller else "× q", "right", ".4g"),
        Column("share", "", "right", ".6f"),
    ]
    rows: list[list[Any]] = [
        [
            *(term.term, term.qtf, *map(term.statistics.get, statistics), *map(term.parts.get, headings)),
            *(term.weight, term.query_weight, term.share),
        ]
        for term in terms
    ]
    if folded:
        pairs = [_folded(column.header or column.name) for column in columns]
        rows = [*map(list, zip(*pairs, strict=True)), *rows]
        columns = [column._replace(header=" ") for column in columns]
    return render(columns, rows)


def _folded(heading: str) -> tuple[str, str]:
    """A heading in two lines, the second of one word: weighted / tf, tf_ / title; a short one stays on one line."""
    for mark in (" ", "_") if len(heading) > _SHORT else ():
        first, joint, second = heading.rpartition(mark)
        if first:
            return f"{first}{joint}".rstrip(), second
    return "", heading


def score_parts(why: ScoreExplanation) -> list[dict[str, Any]]:
    """The parts of a score with their labels, for bars; they add up to it."""
    parts = [part for part in why.tree.summands if not part.is_idle]
    return [{"part": part_label(part.kind, part.label), "share": float(part.value)} for part in parts]


def term_expressions(why: ScoreExplanation, model: Model | Mixture) -> list[tuple[str, list[Expression]]]:
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


def _hooks(why: ScoreExplanation, searcher: Searcher, terms: QueryTerms) -> HookExpressions:
    """What a single model adds to the term weights; nothing for a mixture or an unranked document."""
    if why.score is None or searcher.model.single is None:
        return HookExpressions({}, [], [])
    return hook_expressions(searcher, terms, why.doc_id)


def expressed_data(why: ScoreExplanation, searcher: Searcher, terms: QueryTerms) -> dict[str, Any]:
    """The explanation of a score for JSON, with the formulas of the model for each term and for the score."""
    data, model = why.data(), searcher.model
    if of_terms := term_expressions(why, model):
        summands = data["parts"][0]["parts"] if why.tree.formula == EQUAL else data["parts"]
        numbers = (part for part in summands if part.get("kind") == "term")
        for number, (_, lines) in zip(numbers, of_terms, strict=True):
            number["expressions"] = [line._asdict() for line in lines]
    data["expressions"] = [line._asdict() for line in score_expressions(why, model.single)]
    if why.score is not None and model.single is not None:
        hooks = _hooks(why, searcher, terms)
        data["query_weights"] = {term: [line._asdict() for line in lines] for term, lines in hooks.query.items()}
        data["other_parts"] = [line._asdict() for line in [*hooks.per_matched_document, *hooks.document]]
    return data


def expressed_text(why: ScoreExplanation, searcher: Searcher, terms: QueryTerms) -> list[str]:
    """A score as expressions: the formulas of the model, the same with the numbers of each term, then the score."""
    model, hooks, lines = searcher.model, _hooks(why, searcher, terms), list[str]()
    rows = [(term, shown(of_term)) for term, of_term in term_expressions(why, model)]
    if any(of_term for _, of_term in rows):
        lines += ["", *formulas_of(model.single, rows[0][1]), ""]
    common = set(rows[0][1]).intersection(*(of_term for _, of_term in rows)) if len(rows) > 1 else set()
    lines += [expression_line(line) for line in (rows[0][1] if rows else []) if line in common]
    for term, of_term in rows:
        texts = [expression_line(line) for line in [*of_term, *hooks.query.get(term, [])] if line not in common]
        # A single line follows the term on the same line.
        lines += [f"{term}: {text}" for text in texts] if len(texts) < 2 else [term, *(f"  {text}" for text in texts)]
    if others := [*hooks.per_matched_document, *hooks.document]:
        lines += ["", *(f"{line.name} = {line.formula}" for line in others), *map(expression_line, others)]
    return [*lines, "", *map(expression_line, score_expressions(why, model.single))]


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


_NAMED = 3  # documents named beside a term
_MOST = 10  # terms that are shown


def expansion_text(expansion: Explanation) -> str:
    """The terms of an expanded query, one row each, with the documents that they come from."""
    rows: list[list[Any]] = []
    for term in expansion.parts:
        query, added = term.parts
        documents = [f"{doc_id} ({tf})" for doc_id, tf in added.quantities.items()]
        more = f" + {len(documents) - _NAMED}" if len(documents) > _NAMED else ""
        few = ", ".join(documents[:_NAMED]) + more
        rows.append([term.label, term.value, query.quantities["qtf"], added.value, few])
    if not expansion.quantities and all(weight == qtf for _, weight, qtf, *_ in rows):
        return f"{expansion.label} has no feedback documents: the query stays as it is"
    listed = ", ".join(f"{doc_id} ({score:.4g})" for doc_id, score in expansion.quantities.items())
    lines = [f"feedback documents of {expansion.label}: {listed}"]
    if not listed:
        lines = [f"{expansion.label} weighs down the terms of documents that are not relevant"]
    elif all(qtf for _, _, qtf, *_ in rows):
        lines.append("no new term came in")
    columns = [
        Column("term"),
        Column("weight", "", "right", ".4f"),
        Column("qtf", "in the query", "right", "g"),
        Column("added", "added", "right", "+.4f"),
        Column("documents", "tf in feedback documents"),
    ]
    most = _MOST if len(rows) > _MOST + 1 else len(rows)
    cells = [[term, weight, qtf or None, gain or None, documents] for term, weight, qtf, gain, documents in rows[:most]]
    rest = [weight for _, weight, *_ in rows[most:]]
    below = [f"… {counted(len(rest), 'more term')}: {sum(rest):.4f}"] if rest else []
    return "\n".join([*lines, render(columns, cells), *below])
