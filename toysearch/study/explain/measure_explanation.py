"""Computation of a measure for one query, rank by rank, from the same terms as the value itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    COMPLEMENT,
    COUNT,
    HIGHEST,
    MEAN,
    PRODUCT,
    QUOTIENT,
    SUM,
    ArgumentError,
    Column,
    Explanation,
    Part,
    Qrels,
    Result,
    Run,
    expect,
    expect_name,
    number_columns,
    plain,
    table_columns,
)
from toysearch.base.rendering import flowed, render
from toysearch.evaluation import LOG2, Evaluation, Measure, Piece, join
from toysearch.evaluation.measures.definition import FLAG, IDEAL

__all__ = ["MeasureExplanation", "explain_measure"]

TERM, RUNNING, VALUE = "term", "running_sum", "value"
"""Quantities of a rank: its term of the sum, the sum so far, and its value in a measure that takes the highest."""

_OVER_ORDERS = ("average", "sklearn")
_MOST = 6  # a longer sum is not written out


_LONG = 3  # the longest stretch of documents that add nothing shown row by row
_IDEAL_ORDER = ("all judged documents by descending grade", "at each rank the document that adds most")
_DEEP = 20  # ranks of the ideal ranking that are shown


class RankRow(NamedTuple):
    """Rank of the ranking with the quantities of the measure at this rank."""

    rank: int  # from 1
    doc_id: str
    grade: float | None  # None if unjudged
    relevant: bool  # true if its grade is at least the threshold and above 0
    # The values that the measure computes at this rank: precision, gain, discount, … Empty for an unjudged document.
    quantities: dict[str, float]


class IdealRow(NamedTuple):
    """Rank of the ideal ranking, which lists the judged documents by falling gain."""

    rank: int
    grade: float
    quantities: dict[str, float]


@dataclass(frozen=True, repr=False)
class MeasureExplanation(Result):
    """Parts of a measure's value for one query.

    Attributes
    ----------
    measure, query_id : str
        The measure and the query.
    value : float
        The value; NaN if it is undefined.
    counted : float
        The value that the evaluation counts (by default 0 for an undefined value, as in trec_eval).
    threshold : float
        The lowest grade of a relevant document.
    retrieved, relevant : int
        The number of retrieved documents, and the number of relevant documents, retrieved or not.
    cutoff : int or None
        The last rank that counts; None if all count.
    description, formula, undefined : str
        The description of the measure, its formula, and when it is undefined.
    ranking : list of RankRow
        The retrieved documents, best first.
    ideal : list of IdealRow
        The ideal ranking if the measure needs one, otherwise empty.
    numbers : dict of str to float
        The cutoff, the parameters, and the quantities of the query that do not depend on rank.
    lists : dict of str to list of float
        The levels of a mean and the values at these levels.
    how : str
        The formula with numbers: ``(1/1 + 2/3) / 3``; empty if the value is a bare count.
    tree : Explanation
        The value, and the terms that make it, at every level.
    """

    measure: str
    query_id: str
    value: float
    counted: float
    threshold: float
    retrieved: int
    relevant: int
    cutoff: int | None
    description: str
    formula: str
    undefined: str
    ranking: list[RankRow]
    ideal: list[IdealRow]
    numbers: dict[str, float]
    lists: dict[str, list[float]]
    how: str
    tree: Explanation

    @property
    def arithmetic(self) -> str:
        """Computation with numbers: ``AP = (1/1 + 2/3) / 3 = 0.555556``."""
        if math.isnan(self.value):
            counted = "" if math.isnan(self.counted) else f"; counted as {self.counted:g}"
            return f"{self.measure} is undefined: {self.undefined or 'it has no value here'}{counted}"
        return " = ".join(part for part in (self.measure, self.how, _number(self.value)) if part)

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Show the ranking, the ideal ranking, other quantities, the value."""
        if width is not None:
            expect(int, width=width)
        return [measure_text(self, width)]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; ``arithmetic`` is the formula with its numbers."""
        fields = {name: value for name, value in vars(self).items() if name != "tree"}
        return plain({**fields, "arithmetic": self.arithmetic})  # type: ignore[no-any-return]


def explain_measure(
    run: Run, qrels: Qrels, evaluation: Evaluation, measure: str | Measure, query_id: str
) -> MeasureExplanation:
    """Explain the computation of one value of an evaluation.

    A measure returns its `toysearch.evaluation.measures.definition.Terms`. The value and this explanation are computed
    from the same terms.

    Parameters
    ----------
    run : Run
        The run that was evaluated.
    qrels : Qrels
        The judgments it was evaluated with.
    evaluation : Evaluation
        The evaluation of the run.
    measure : str or Measure
        A measure of the evaluation.
    query_id : str
        A query of the evaluation.

    Raises
    ------
    ArgumentError
        If the evaluation lacks the measure or the query, if its values are averages over several orders of tied
        documents, or if it was made from another run or other judgments.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> run, qrels = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1}}), Qrels.from_dict({"1": {"a": 1, "c": 1, "d": 1}})
    >>> why = explain_measure(run, qrels, evaluate(run, qrels, "AP"), "AP", "1")
    >>> [(row.rank, row.doc_id, row.grade) for row in why.ranking]
    [(1, 'a', 1.0), (2, 'b', None), (3, 'c', 1.0)]
    >>> why.ranking[2].quantities["precision"], why.value
    (0.6666666666666666, 0.5555555555555555)
    >>> why.arithmetic
    'AP = (1/1 + 2/3) / 3 = 0.555556'
    """
    expect(Run, run=run)
    expect(Qrels, qrels=qrels)
    expect(Evaluation, evaluation=evaluation)
    expect(str, query_id=query_id)
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
    evaluated = parsed if parsed in evaluation.measures else evaluation.convention.applied(parsed)
    if evaluated not in evaluation.measures:
        raise ArgumentError(f"{parsed} was not evaluated; there are {', '.join(map(str, evaluation.measures))}")
    if evaluation.ties in _OVER_ORDERS:
        raise ArgumentError(
            f"with ties={evaluation.ties} a value covers all orders of the tied documents, so no single ranking "
            "explains it; evaluate with ties=rank or ties=trec_eval"
        )
    expect_name("query", query_id, evaluation.per_query, "queries evaluated")
    why = _explained(run, qrels, evaluation, evaluated, query_id)
    is_close = math.isclose(why.value, why.counted, rel_tol=1e-9, abs_tol=1e-12)
    if not (is_close or math.isnan(why.value) or math.isnan(why.counted)):
        raise ArgumentError(
            f"{evaluated} of query {query_id} is {why.counted:g} in the evaluation but {why.value:g} with this run and "
            "these judgments; give the evaluated run and judgments (with remapped gains, if gains were remapped)"
        )
    return why


def _explained(run: Run, qrels: Qrels, evaluation: Evaluation, measure: Measure, query_id: str) -> MeasureExplanation:
    from toysearch.study.explain.failure_analysis import ranking_of  # scores of a run need no index

    ranking, grades = ranking_of(run, evaluation, query_id), qrels[query_id]
    definition, parameters = measure.definition, dict(measure.parameters)
    if parameters.get("judged_only"):  # a condensed list is a separate ranking
        ranking = [doc_id for doc_id in ranking if grades.get(doc_id, -1) >= 0]
    of_ranking = Run([query_id], [0, len(ranking)], ranking, np.arange(len(ranking), 0, -1), ranked=True)
    retrieved_only = evaluation.convention.retrieved_only
    judged = join(of_ranking, qrels.of_queries([query_id]), evaluation.threshold, retrieved_only=retrieved_only)
    terms = measure.terms(judged)
    tree = terms.explained()
    total, whole = _quotient(tree)
    rel = parameters.get("rel")
    threshold = float(rel) if isinstance(rel, int | float) else evaluation.threshold
    ranks = judged.ranks[0].astype(int).tolist()
    along = [piece for piece in terms.also if np.ndim(piece.values) == 2]
    at_rank = dict(zip(ranks, _quantities(total, along, len(ranks)), strict=True))
    rows = []
    for rank, doc_id in enumerate(ranking, 1):
        grade = grades.get(doc_id)
        is_relevant = grade is not None and grade >= threshold and grade > 0
        rows.append(RankRow(rank, doc_id, grade, is_relevant, at_rank.get(rank, {})))
    if whole is not None and whole.kind == IDEAL:
        best, at_ideal = whole.quantities["grades"], _quantities(whole, (), len(whole.parts))
    else:
        length = max((np.shape(piece.values)[-1] for piece in terms.ideal), default=0)
        best, at_ideal = judged.ideal[0].tolist(), _quantities(None, terms.ideal, length)
    ideal = [IdealRow(rank, *row) for rank, row in enumerate(zip(best, at_ideal, strict=False), 1)]
    settings = {"cutoff": measure.cutoff} | {
        name: parameters.get(name, parameter.default) for name, parameter in definition.parameters.items()
    }
    numbers = {
        name: float(value)
        for name, value in settings.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    numbers |= {name: value for name, value in tree.quantities.items() if name not in numbers}
    lists = {}
    if total.formula == MEAN:
        levels = [float(level.label) for level in total.parts]
        lists = {"levels": levels, total.label: [level.value for level in total.parts]}
    return MeasureExplanation(
        measure=measure.text,
        query_id=query_id,
        value=tree.value,
        counted=evaluation.per_query[query_id][measure.text],
        threshold=threshold,
        retrieved=len(ranking),
        relevant=int(judged.n_relevant(threshold)[0]),
        cutoff=None if definition.cutoff == "recall" or measure.cutoff is None else int(measure.cutoff),
        description=definition.description,
        formula=definition.formula,
        undefined=definition.undefined,
        ranking=rows,
        ideal=ideal,
        numbers={name: value for name, value in numbers.items() if math.isfinite(value)},
        lists=lists,
        how=_how(tree, ranks),
        tree=tree._replace(label=measure.text),
    )


def _quotient(tree: Explanation) -> tuple[Explanation, Explanation | None]:
    (number,) = tree.parts
    if number.formula == COMPLEMENT:
        (number,) = number.parts
    if number.formula != QUOTIENT:
        return number, None
    total, whole = number.parts
    return total, whole


def _quantities(total: Explanation | None, others: Sequence[Piece], length: int) -> list[dict[str, float]]:
    """List the quantities at each rank: those of a sum's term, others, the term and the sum so far, or the value."""
    rows = []
    running = 0.0
    for place in range(length):
        at_rank = {piece.name: piece.explained(place).value for piece in others}
        if total is not None and total.formula in (SUM, COUNT, HIGHEST):
            number = total.parts[place]
            gain, *factors = [leaf for leaf in number.walk() if not leaf.parts]
            at_rank = {gain.label: gain.value} | at_rank | {leaf.label: leaf.value for leaf in factors}
            running += number.value
            at_rank |= {VALUE: number.value} if total.formula == HIGHEST else {TERM: number.value, RUNNING: running}
        rows.append(at_rank)
    return rows


def _how(tree: Explanation, ranks: Sequence[int]) -> str:
    """Write the formula with numbers; empty if it is only the value. The ranks are those of the summands."""
    number, whole = _quotient(tree)
    before = "1 − " if tree.parts[0].formula == COMPLEMENT else ""
    after = f" / {_bracketed(_text(whole))}" if whole is not None and whole.value > 0 else ""
    terms = [part.value for part in number.parts]
    if number.formula != HIGHEST:
        text = _text(number)
    elif not any(terms):
        text = f"({number.quantities['nothing']})"
    else:
        place = terms.index(max(terms))
        only_counts = number.parts[place].kind == FLAG
        text = f"({number.quantities['first'].format(ranks[place])})" if only_counts else _text(number.parts[place])
    text = f"{before}{_bracketed(text) if before or after else text}{after}"
    return "" if text == _number(tree.value) else text


def _text(number: Explanation) -> str:
    """Write a number as its formula does: the terms of a short sum, a precision, a gain over its discount."""
    parts, formula = number.parts, number.formula
    if formula == SUM:
        terms = [part for part in parts if part.value]
        return " + ".join(map(_text, terms)) if 0 < len(terms) <= _MOST else _number(number.value)
    if formula == MEAN:
        return f"({' + '.join(_number(part.value) for part in parts)}) / {len(parts)}"
    if formula == QUOTIENT:
        gain, discount = parts
        is_product = gain.formula == PRODUCT and gain.parts[0].kind != FLAG
        if not is_product and discount.value != 1:
            return f"{_text(gain)}/{_text(discount)}"
        return _number(number.value) if is_product else _text(gain)
    if formula == PRODUCT and parts[0].kind == FLAG:
        return _text(parts[1])
    numbers = [*number.quantities.values()]
    is_whole_logarithm = formula == LOG2 and number.value % 1 == 0
    if not numbers or not all(map(math.isfinite, numbers)) or is_whole_logarithm:
        return _number(number.value)
    return formula.format(*map(_number, numbers))


def _bracketed(text: str) -> str:
    return f"({text})" if " + " in text and not text.startswith("(") else text


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.6g}"


def measure_text(why: MeasureExplanation, width: int | None = None, subject: str = "") -> str:
    """Explain the value of a measure: the ranking, the ideal ranking, other quantities, the value."""
    lines = [
        flowed(f"{why.measure} of {subject or f'query {why.query_id}'}: {why.description}", width),
        flowed(why.formula, width),
        "",
        _ranking_table(why, width) if why.ranking else "nothing was retrieved",
        f"{why.retrieved} retrieved · {why.relevant} relevant in all (from grade {why.threshold:g})",
    ]
    if why.ideal:
        is_greedy = Measure.parse(why.measure).definition.family == "diversity"
        names = list(why.ideal[0].quantities)
        columns = table_columns(number_columns("", "rank"), number_columns("g", "grade"), _quantity_columns(names))
        rows: list[list[Any]] = [
            [row.rank, row.grade, *(row.quantities.get(name) for name in names)] for row in why.ideal[:_DEEP]
        ]
        if len(why.ideal) > _DEEP:
            last = why.ideal[-1]
            rows.append([f"… {last.rank}", last.grade, *(last.quantities.get(name) for name in names)])
        lines += ["", f"the ideal ranking: {_IDEAL_ORDER[is_greedy]}", render(columns, rows, width=width)]
    lines += [""] if why.lists else []
    for name, row in why.lists.items():
        lines.append(flowed(f"{name.replace('_', ' ')}: {' '.join(f'{value:.4g}' for value in row)}", width))
    if why.numbers:
        numbers = (f"{name.replace('_', ' ')} {value:.7g}" for name, value in why.numbers.items())
        lines += ["", flowed(" · ".join(numbers), width)]
    return "\n".join([*lines, "", flowed(why.arithmetic, width)])


def _ranking_table(why: MeasureExplanation, width: int | None) -> str:
    """Show one row per document, and one for a long stretch that adds nothing, or for all below the cutoff."""
    cutoff = why.cutoff or math.inf
    shown = [row for row in why.ranking if row.rank <= cutoff]
    judged = [row for row in shown if row.grade is not None]
    before = [[row.relevant for row in judged], [row.rank for row in judged]]
    names = []  # of the quantities that repeat no column before them
    for name in judged[0].quantities if judged else ():
        column = [row.quantities[name] for row in judged]
        if column not in before or name not in (TERM, VALUE, "hits", "rank"):
            names.append(name)
            before.append(column)
    columns = table_columns(
        number_columns("", "rank"),
        Column("doc_id", "document"),
        number_columns("", "grade"),
        "relevant",
        _quantity_columns(names),
    )
    blank = [None] * (len(names) + 1)
    rows: list[list[Any]] = []
    for adds, group in groupby(
        shown, lambda row: row.grade is not None and (row.relevant or row.quantities.get(TERM, 1.0) != 0)
    ):
        stretch = [*group]
        if not adds and len(stretch) > _LONG:
            unjudged = sum(row.grade is None for row in stretch)
            alike = unjudged == len(stretch)
            documents = f"{len(stretch)} documents" if alike else f"… {len(stretch)} not relevant"
            grade = "unjudged" if alike else f"{unjudged} unjudged" if unjudged else None
            rows.append([f"{stretch[0].rank}–{stretch[-1].rank}", documents, grade, *blank])
            continue
        for row in stretch:
            if row.grade is None:
                rows.append([row.rank, row.doc_id, "unjudged", *blank])
                continue
            quantities = [row.quantities.get(name) for name in names]
            rows.append([row.rank, row.doc_id, f"{row.grade:g}", "yes" if row.relevant else "no", *quantities])
    if len(why.ranking) > cutoff:
        below = len(why.ranking) - int(cutoff)
        rows.append(["below", f"{below} {'document' if below == 1 else 'documents'}", None, *blank])
    return render(columns, rows, width=width)


def _quantity_columns(names: Sequence[str]) -> list[Column]:
    return number_columns(".4f", **{name: name.replace("_", " ") for name in names})
