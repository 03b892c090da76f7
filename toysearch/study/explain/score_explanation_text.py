"""Text for people that explains a score, or the expansion of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from toysearch.base import EQUAL, Column, Explanation, counted, number_columns, table_columns
from toysearch.base.rendering import flowed, render, rounded_together
from toysearch.models import is_of_document
from toysearch.study.explain.term_shares import TermShare, term_shares

if TYPE_CHECKING:
    from toysearch.study.explain.score_explanation import ScoreExplanation

WIDE = 80
"""Characters per line of a table."""

_MOST = 10  # terms, or parts of a score, that are shown; an expanded query has dozens
_FEW = 5  # terms of an expanded query, and passages, that are shown
_SHORT = 6  # the longest heading that is never folded: numbers are as wide
_LONG = 16  # the longest heading that never moves below a table that is too wide
_SHARES = 8  # terms and topics of vectors that are shown
_NO_TERM = "it matches, and contains no term of the query that is scored"
_OF_ALL = {"per_matched_document": "added to every ranked document", "document": "the document's own part"}
_PARTS = {"per_matched_document": "every ranked document", "document": "the document's own part", "base": "base"}
_QUANTITIES = {"weight": ".4f", "tf": "d", "query": ".4f", "document": ".4f", "value": ".6g"}
"""Numbers from which the share of a part of vectors, or of a feature, follows."""


def explanation_text(rank: int | None, why: ScoreExplanation, most: int | None = None) -> str:
    """Explain the score of a document: one row per term of a model, per factor of a mixture, or per feature."""
    if why.score is None:
        return f"document {why.doc_id} is not ranked under {why.model}: {missed_by(why)}"
    place = "" if rank is None else f"{rank}. "
    head = f"{place}document {why.doc_id}: score {why.score:.6f} under {why.model}"
    return "\n".join([head, *_lines(why.tree, most)])


def missed_by(why: ScoreExplanation) -> str:
    """Say why a document has no score."""
    missed = {"function": "the search does not return it", "run": "the run lacks it"}
    return missed.get(why.tree.kind, "it contains no query term")


Blocks: TypeAlias = Iterator[list[str]]
"""Lines that belong together: a table with the notes below it."""


def _lines(score: Explanation, most: int | None) -> list[str]:
    """Explain a score, with at most so many rows in a table, and an empty line between the blocks."""
    if score.is_below:
        lowest, below = score.parts[0].parts
        return [f"outside the pool, {below.value} below its lowest document, which has {lowest.value:.6f}"]
    return [line for block in _BLOCKS[score.kind](score, most) for line in ("", *block)][1:]


def _model_blocks(score: Explanation, most: int | None) -> Blocks:
    terms, notes = rounded_terms(score, most)
    is_expanded = _is_expanded(terms)
    if is_expanded or most is not None:
        terms.sort(key=lambda term: -term.share)
    limit = most or (n_shown(terms, _FEW) if is_expanded else len(terms))
    yield [*(fitting(_term_tables(terms, limit)) if terms else [_NO_TERM]), *notes]


def _is_expanded(terms: list[TermShare]) -> bool:
    return any(term.qtf % 1 for term in terms)  # a typed word counts once, or twice


def rounded_terms(score: Explanation, most: int | None = None) -> tuple[list[TermShare], list[str]]:
    """Round the shares of terms so that they add up to the score of a model; return them and the notes below them."""
    terms, others = term_shares(score), score.of_kind(*_OF_ALL)
    rounded = rounded_together([term.share for term in terms] + [part.value for part in others], score.value)
    terms = [term._replace(share=share) for term, share in zip(terms, rounded, strict=False)]
    similarity = score.parts[1] if score.formula == EQUAL else None
    lines = []
    for term in score.of_kind("term"):
        if positions := term.quantities.get("positions"):
            lines.append(f"{term.label} at position {', '.join(map(str, positions))}")
    if score.quantities:
        lines.append(f"collection: {_listed(score.quantities)}")
    for part, share in zip(others, rounded[len(terms) :], strict=True):
        lines.append(f"{_OF_ALL[part.kind]}: {share:.6f}")
    if similarity is not None:
        values = {"s": similarity.parts[0].value, **similarity.quantities}
        lines.append(f"score = {similarity.formula} with {_listed(values)}")
    absent = [part.label for part in score.of_kind("absent")]
    if absent and most is None:
        is_long = _is_expanded(terms) and len(absent) > _FEW
        lines.append(f"not in this document: {counted(len(absent), 'term') if is_long else ', '.join(absent)}")
    if unknown := score.of_kind("unknown"):
        lines.append(f"in no document: {', '.join(part.label for part in unknown)}")
    return terms, lines


def _mixture_blocks(score: Explanation, most: int | None) -> Blocks:
    """Yield the factors of each product, and the explanation of each factor's model; of a single model, that alone."""
    models = [*_scores_inside(score)]
    if len(models) == 1 and models[0].value == score.value:
        yield _lines(models[0], most)
        return
    rows = []
    notes = []
    shares = rounded_together([product.value for product in score.parts], score.value)
    for product, share in zip(score.parts, shares, strict=True):
        weight, first, *others = product.parts
        rows.append([weight.value, first.label, first.quantities["raw"], first.value, share])
        rows += [[None, f"× {factor.label}", factor.quantities["raw"], factor.value, None] for factor in others]
        for factor in (first, *others):  # one that is a formula of numbers of the document
            numbers = [f"{name} = {value:g}" for name, value in factor.quantities.items() if name != "raw"]
            notes += [f"{factor.label}: {', '.join(numbers)}"] if numbers else []
    scores = number_columns(".6f", raw="score", counted="normalised", share="contribution")
    yield [render(table_columns(number_columns("g", "weight"), Column("factor", "model"), scores), rows), *notes]
    for model in models:
        yield _given_lines(model, most)


def _scores_inside(number: Explanation) -> Iterator[Explanation]:
    for part in number.parts:
        yield from [part] if part.kind in _BLOCKS else _scores_inside(part)


def _given_lines(score: Explanation, most: int | None) -> list[str]:
    return [f"{score.label} gives {score.value:.6f}:", *_lines(score, most)]


def _vector_blocks(score: Explanation, _: int | None) -> Blocks:
    """Yield the query terms and the topics with the largest shares; each table adds up to the score."""
    for way in score.parts:
        if way.parts:
            yield _parts_table(way.parts, rounded_together([part.value for part in way.parts], score.value), _SHARES)


def _ranker_blocks(score: Explanation, most: int | None) -> Blocks:
    base, *shares = rounded_together([part.value for part in score.parts], score.value)
    yield [*_parts_table(score.parts[1:], shares, most, "+.6f"), f"base: {base:.6f}", *score.notes]


def _pipeline_blocks(score: Explanation, most: int | None) -> Blocks:
    """Yield the rank of a document after each stage, how far the stage moved it, and the parts of the last score."""
    names, ranks = score.quantities["stages"], score.quantities["ranks"]
    moves = [None, *(before - after for before, after in pairwise(ranks))]
    columns = table_columns("stage", number_columns("d", "rank"), number_columns("+d", "moved"))
    rows = zip(names, ranks, moves, score.quantities["scores"], strict=True)
    yield [render(table_columns(columns, number_columns(".6f", "score")), [list(row) for row in rows])]
    yield _lines(score.parts[0], most)


def _passage_blocks(score: Explanation, most: int | None) -> Blocks:
    passage_ids, of_document = score.quantities["passages"], counted(score.quantities["of"], "passage")
    if not passage_ids:
        yield [f"no passage of the {of_document} of the document is ranked"]
    for passage_id, tree in zip(passage_ids[:_FEW], score.parts, strict=False):
        heading = f"passage {passage_id}, of the {of_document} of the document: {tree.value:.6f}"
        yield [heading, *_lines(tree, most)]
    if rest := score.parts[_FEW:]:
        yield more("passage", [tree.value for tree in rest])


def _diversity_blocks(score: Explanation, most: int | None) -> Blocks:
    relevance, *others = score.parts
    weight, tree = relevance.parts
    parts = [Explanation(f"{weight.value:g} × {tree.label}", relevance.value, kind="product"), *others]
    shares = rounded_together([part.value for part in parts], score.value)
    yield [*_parts_table(parts, shares, None, "+.6f"), *score.notes]
    yield _given_lines(tree, most)


def _function_blocks(score: Explanation, _: int | None) -> Blocks:
    """Say that a score comes from elsewhere and is not taken apart."""
    yield [*score.notes]


_BLOCKS: Mapping[str, Callable[[Explanation, int | None], Blocks]] = {
    "model": _model_blocks,
    "mixture": _mixture_blocks,
    "vectors": _vector_blocks,
    "linear": _ranker_blocks,
    "trees": _ranker_blocks,
    "pipeline": _pipeline_blocks,
    "passages": _passage_blocks,
    "diversity": _diversity_blocks,
    "function": _function_blocks,
    "run": _function_blocks,
}


def _parts_table(
    parts: Sequence[Explanation], shares: Sequence[float], most: int | None, form: str = ".6f"
) -> list[str]:
    first, most = parts[0], most or len(parts)
    numbers = [name for name in first.quantities if name in _QUANTITIES]
    factors = [factor.label for factor in first.parts]
    kind = "part" if first.kind == "product" else first.kind
    columns = table_columns(
        Column(kind, "", "right" if factors else "left"),
        [Column(name, "", "right", _QUANTITIES[name]) for name in numbers + factors],
        number_columns(form, "share"),
    )
    rows = []
    for part, share in zip(parts, shares, strict=True):
        values = [factor.value for factor in part.parts]
        rows.append([part.label, *map(part.quantities.get, numbers), *values, share])
    if first.kind == "topic":
        columns.append(Column("terms", "by its strongest terms"))
        rows = [[*row, ", ".join(part.quantities.get("terms", ()))] for row, part in zip(rows, parts, strict=True)]
    return [render(columns, rows[:most]), *more(first.kind, shares[most:], form)]


def n_shown(parts: Sequence[Any], most: int) -> int:
    """Count the shown parts, if only the first are: a single one more takes no more room than its sum."""
    return len(parts) if len(parts) <= most + 1 else most


def more(noun: str, shares: Sequence[float], form: str = ".6f") -> list[str]:
    """Write the hidden parts as their sum: no line, or one."""
    return [f"… {counted(len(shares), f'more {noun}')}: {sum(shares):{form}}"] if shares else []


def rows_adding_up(
    numbers: Sequence[Sequence[float]], totals: Sequence[float], digits: Sequence[int], most: int = _MOST
) -> tuple[list[tuple[float, ...]], list[tuple[str, tuple[float, ...]]]]:
    """Round the numbers of the parts of scores so that each column adds up to its total, the score.

    Returns the rows that are shown, and those that follow by name: the sum of the others, and the totals.
    """
    columns = zip(zip(*numbers, strict=True), totals, digits, strict=False)
    rounded = [*zip(*(rounded_together(column, total, n) for column, total, n in columns), strict=True)]
    first, rest = rounded[: n_shown(rounded, most)], rounded[n_shown(rounded, most) :]
    others = [(f"… {counted(len(rest), 'more part')}", tuple(map(sum, zip(*rest, strict=True))))] if rest else []
    return first, [*others, ("score", tuple(map(round, totals, digits)))]


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.7g}" for name, value in values.items())


def fitting(tables: Iterable[list[str]]) -> list[str]:
    """Choose the first table, with the lines below it, that fits a terminal; the last one if none does."""
    for lines in tables:
        if max(map(len, lines[0].splitlines())) <= WIDE:
            break
    return lines


def _term_tables(terms: list[TermShare], most: int) -> Iterator[list[str]]:
    """Yield ever narrower tables with one row per term, and the notes below each."""
    # A table that is too wide for a terminal is narrowed step by step: the statistics of the document move below it,
    # since they are the same for each term; then long headings do; then headings of several words are folded.
    statistics = list(terms[0].statistics)
    headings = {part: part.replace("_", " ") if part.isidentifier() else part for part in terms[0].parts}
    below = more("term", [term.share for term in terms[most:]])

    def table(folded: bool = False) -> list[str]:
        columns, rows = terms_table(terms[:most], statistics, headings)
        if folded:
            pairs = [_folded(column.header or column.name) for column in columns]
            rows = [*map(list, zip(*pairs, strict=True)), *rows]
            columns = [column._replace(header=" ") for column in columns]
        return [render(columns, rows), *below]

    yield table()
    statistics, of_document = apart(terms[0].statistics)
    below += of_document
    yield table()
    long = [part for part, heading in headings.items() if len(heading) > _LONG]
    headings |= {part: f"({number})" for number, part in enumerate(long, 1)}
    below += [f"{headings[part]} = {part}" for part in long]
    yield table()
    yield table(folded=True)


def apart(statistics: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Name the statistics that differ between terms; those of the document make a line below the table, if any."""
    of_document = {name: value for name, value in statistics.items() if is_of_document(name)}
    of_terms = [name for name in statistics if name not in of_document]
    return of_terms, [f"document: {_listed(of_document)}"] if of_document else []


def terms_table(
    terms: Sequence[TermShare], statistics: Sequence[str], headings: Mapping[str, str]
) -> tuple[list[Column], list[list[Any]]]:
    """Show one row per term: its count in the query, statistics, the values under some headings, weight and share."""
    columns = table_columns(
        "term",
        number_columns(".4g", "qtf"),
        number_columns("g", *statistics),
        [Column(name, heading, "right", ".4f") for name, heading in headings.items()],
        number_columns(".4f", "weight"),
        number_columns(".4g", query_weight="× q"),
        number_columns(".6f", "share"),
    )
    rows = []
    for term in terms:
        values = [*map(term.statistics.get, statistics), *map(term.parts.get, headings)]
        rows.append([term.term, term.qtf, *values, term.weight, term.query_weight, term.share])
    return columns, rows


def _folded(heading: str) -> tuple[str, str]:
    """Fold a long heading into two lines, the second of one word: weighted / tf, tf_ / title."""
    for mark in (" ", "_") if len(heading) > _SHORT else ():
        first, joint, second = heading.rpartition(mark)
        if first:
            return f"{first}{joint}".rstrip(), second
    return "", heading


def part_label(kind: str, name: str) -> str:
    """Label a part of a score in a table: a term as it is, anything else in brackets.

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


_NAMED = 3  # documents named beside a term


def expansion_text(expansion: Explanation) -> str:
    """Show the terms of an expanded query, one row each, with the documents that they come from."""
    rows = []
    for term in expansion.parts:
        query, added = term.parts
        documents = [f"{doc_id} ({tf})" for doc_id, tf in added.quantities.items()]
        others = f" + {len(documents) - _NAMED}" if len(documents) > _NAMED else ""
        qtf = query.quantities["qtf"] or None
        rows.append([term.label, term.value, qtf, added.value or None, ", ".join(documents[:_NAMED]) + others])
    if not expansion.quantities and all(row[1] == (row[2] or 0.0) for row in rows):
        return f"{expansion.label} has no feedback documents: the query stays as it is"
    feedback = ", ".join(f"{doc_id} ({score:.4g})" for doc_id, score in expansion.quantities.items())
    lines = [flowed(f"feedback documents of {expansion.label}: {feedback}", WIDE)]
    if not feedback:
        lines = [f"{expansion.label} weighs down the terms of documents that are not relevant"]
    elif all(row[2] for row in rows):
        lines.append("no new term came in")
    columns = table_columns(
        "term",
        number_columns(".4f", "weight"),
        number_columns("g", qtf="in the query"),
        number_columns("+.4f", "added"),
        Column("documents", "tf in feedback documents"),
    )
    most = n_shown(rows, _MOST)
    rest = [term.value for term in expansion.parts[most:]]
    return "\n".join([*lines, render(columns, rows[:most]), *more("term", rest, ".4f")])
