"""Wrong functions that students write in lab 6: average precision and nDCG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from toysearch.classroom.exercises.lab06 import Grades, Value, _dcg, _sum_of_precisions, _wrong_ndcg, guarded_or_not
from toysearch.classroom.lab_collection import value_of


def _with_guard(function: Value, sentence: str) -> list[tuple[Value, str]]:
    return [(each, sentence) for each in guarded_or_not(function)]


def _ndcg_by(
    gains: Callable[[Sequence[str], Grades, int], Sequence[float]],
    ideal: Callable[[Sequence[str], Grades, int], Sequence[float]],
) -> Value:
    """Compute nDCG from other lists of gains; 0 if the ideal has none."""

    def ndcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
        most = _dcg(ideal(ranking, grades, k))
        return _dcg(gains(ranking, grades, k)) / most if most else 0.0

    return ndcg


def _right_gains(ranking: Sequence[str], grades: Grades, k: int) -> list[float]:
    return [float(grades.get(doc_id, 0)) for doc_id in ranking[:k]]


def _right_ideal(ranking: Sequence[str], grades: Grades, k: int) -> list[float]:
    return sorted(map(float, grades.values()), reverse=True)[:k]


_ndcg = _ndcg_by(_right_gains, _right_ideal)


_IDEAL = "your ideal ranking is not that of all judged documents, best first, cut at k: "


_WRONG_NDCGS = (
    (
        _ndcg_by(
            _right_gains,
            lambda ranking, grades, k: sorted((grades[each] for each in {*ranking} & {*grades}), reverse=True)[:k],
        ),
        "your ideal ranking has only retrieved documents; make it from all judged documents.",
    ),
    (
        _ndcg_by(_right_gains, lambda ranking, grades, k: [*map(float, grades.values())][:k]),
        _IDEAL + "you did not sort it.",
    ),
    (
        _ndcg_by(_right_gains, lambda ranking, grades, k: sorted(map(float, grades.values()))[:k]),
        _IDEAL + "your order is increasing.",
    ),
    (
        _ndcg_by(_right_gains, lambda ranking, grades, k: [max(grades.values(), default=0)] * k),
        _IDEAL + "you take the highest grade at every rank.",
    ),
    (_ndcg_by(_right_gains, lambda ranking, grades, k: [3.0] * k), _IDEAL + "you take a perfect grade at every rank."),
    (
        _ndcg_by(_right_gains, lambda ranking, grades, k: sorted({*grades.values()}, reverse=True)[:k]),
        _IDEAL + "you take each grade once.",
    ),
    (
        _ndcg_by(_right_gains, lambda ranking, grades, k: _right_ideal(ranking, grades, k + 1)),
        _IDEAL + "it has a rank too many.",
    ),
    (
        _ndcg_by(_right_gains, lambda ranking, grades, k: _right_ideal(ranking, grades, 10)),
        _IDEAL + "you cut it at 10.",
    ),
    *(
        (
            lambda ranking, grades, k, most=most: _ndcg(ranking, grades, min(k, most)),
            "cut at k, even where k is large.",
        )
        for most in (5, 10, 20, 100)
    ),
    *(
        (
            lambda ranking, grades, k, fixed=fixed: _ndcg(ranking, grades, fixed),
            "your function ignores k.",
        )
        for fixed in (5, 10)
    ),
    (lambda ranking, grades, k: _ndcg(ranking, grades, k + 1), "you cut one rank too late."),
    (
        lambda ranking, grades, k: _ndcg(ranking, grades, k - 1),
        "you cut one rank too early.",
    ),
    (
        _ndcg_by(lambda ranking, grades, k: [float(grades.get(each, 0) > 0) for each in ranking[:k]], _right_ideal),
        "the gain is the grade, not only 0 or 1.",
    ),
    (
        lambda ranking, grades, k: _ndcg(ranking, {each: min(grade, 1) for each, grade in grades.items()}, k),
        "the gain is the grade, not only 0 or 1.",
    ),
    (
        lambda ranking, grades, k: _ndcg(ranking, {each: min(grade, 3) for each, grade in grades.items()}, k),
        "the gain is the grade, however high it is.",
    ),
    (
        lambda ranking, grades, k: _ndcg(ranking, {each: grade + 1 for each, grade in grades.items()}, k),
        "the gain is the grade itself.",
    ),
    (
        lambda ranking, grades, k: _ndcg(ranking, {each: grade**2 for each, grade in grades.items()}, k),
        "the gain is the grade itself.",
    ),
    (
        lambda ranking, grades, k: _ndcg([each for each in ranking if each in grades], grades, k),
        "you leave out unjudged documents; each keeps its rank, and gains 0.",
    ),
    (
        _ndcg_by(lambda ranking, grades, k: [grades[each] for each in ranking[:k]], _right_ideal),
        "a document may be unjudged; it gains 0.",
    ),
    (
        _ndcg_by(lambda ranking, grades, k: [grades.get(each, 1) for each in ranking[:k]], _right_ideal),
        "a document may be unjudged; it gains 0.",
    ),
    (
        lambda ranking, grades, k: _ndcg(ranking, grades, k) if any(grades.values()) else 1.0,
        "if no document has a gain, the value is 0.",
    ),
    (
        lambda ranking, grades, k: _dcg(_right_gains(ranking, grades, k)) / _dcg(_right_ideal(ranking, grades, k)),
        "you divide by 0 where no document has a gain; the value is 0 there.",
    ),
    *_with_guard(
        _wrong_ndcg(discount=lambda rank: math.log2(rank + 2)), "your ranks begin at 2; the first document has rank 1."
    ),
    *_with_guard(_wrong_ndcg(discount=float), "your discount is the rank; here it is log₂(rank + 1)."),
    *_with_guard(_wrong_ndcg(discount=lambda rank: 1.0), "the discount is missing: divide by log₂(rank + 1)."),
    *_with_guard(
        _wrong_ndcg(discount=lambda rank: 1 + math.log2(rank)), "your discount is 1 + log₂(rank), not log₂(rank + 1)."
    ),
    *_with_guard(_wrong_ndcg(discount=lambda rank: 1 / math.log2(rank + 1)), "divide by the discount."),
    (
        _ndcg_by(lambda ranking, grades, k: _right_gains(ranking, grades, len(ranking)), _right_ideal),
        "you do not cut the ranking at k.",
    ),
    (lambda ranking, grades, k: value_of(ranking, grades, f"P@{k}"), "this is precision; take grades and discounts."),
    (lambda ranking, grades, k: round(_ndcg(ranking, grades, k), 3), "you round; return it as it is."),
)


def _ap_by(divisor: Callable[[int, int, int], float], *, depth: int | None = None) -> Value:
    """Compute AP with another divisor, from R, the length of the ranking and the number found, or down to a depth."""

    def average_precision(ranking: Sequence[str], relevant: Sequence[str]) -> float:
        total, hits = _sum_of_precisions(ranking[:depth], relevant)
        divided_by = divisor(len(relevant), len(ranking), hits)
        return total / divided_by if total else 0.0

    return average_precision


def _sum_at_hits(at_hit: Callable[[int, int], float]) -> Value:
    """Sum up something other than precision, from the number of the relevant document and its rank."""

    def average_precision(ranking: Sequence[str], relevant: Sequence[str]) -> float:
        ranks = [rank for rank, doc_id in enumerate(ranking, 1) if doc_id in relevant]
        return sum(at_hit(number, rank) for number, rank in enumerate(ranks, 1)) / (len(relevant) or 1)

    return average_precision


def _named(measure: str) -> Value:
    return lambda ranking, relevant: value_of(ranking, relevant, measure)


def _interpolated(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    ranks = [rank for rank, doc_id in enumerate(ranking, 1) if doc_id in relevant]
    precisions = [number / rank for number, rank in enumerate(ranks, 1)]
    return sum(max(precisions[place:]) for place in range(len(precisions))) / (len(relevant) or 1)


def _in_a_text(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    total, _ = _sum_of_precisions(ranking, " ".join(relevant))
    return total / (len(relevant) or 1)


def _cut_at(depth: int) -> Value:
    return _ap_by(lambda R, length, found: R, depth=depth)


_ap = _ap_by(lambda R, length, found: R)


_NO_CUT = "AP looks at the whole ranking; you cut it."


_BY_CUT = (
    "you divide by a cutoff where that is smaller than the number of relevant documents; AP divides by all of them."
)


_WRONG_APS = (
    (
        lambda ranking, relevant: (
            _sum_of_precisions(ranking, [each for each in ranking if each.startswith((*relevant,))])[0]
            / (len(relevant) or 1)
        ),
        "d10 begins as d1 does; ids are equal or not.",
    ),
    *((_ap_by(lambda R, length, found, most=most: min(R, most)), _BY_CUT) for most in (5, 10, 20, 100)),
    *((_cut_at(depth), _NO_CUT) for depth in (5, 10, 20, 50, 100, 1000)),
    *(
        (
            _ap_by(lambda R, length, found, depth=depth: min(R, depth), depth=depth),
            "AP looks at the whole ranking and divides by all that are relevant; this is AP at a cutoff.",
        )
        for depth in (5, 10, 20, 100)
    ),
    (
        lambda ranking, relevant: _cut_at(len(relevant))(ranking, relevant) if relevant else 0.0,
        "AP looks at the whole ranking; you cut it at R.",
    ),
    (_ap_by(lambda R, length, found: max(R, length)), "you divide by the length of the ranking where that is larger."),
    (_ap_by(lambda R, length, found: 10), "you divide by 10; AP divides by the number of all relevant documents."),
    (_ap_by(lambda R, length, found: 1), "you do not divide; AP divides by the number of all relevant documents."),
    (_ap_by(lambda R, length, found: R + 1), "you divide by one document too many."),
    (_sum_at_hits(lambda number, rank: 1 / rank), "you take 1 / rank each time; count the relevant documents so far."),
    (_sum_at_hits(lambda number, rank: number / (rank + 1)), "your ranks begin at 2; the first document has rank 1."),
    (
        _sum_at_hits(lambda number, rank: (number - 1) / rank),
        "you add the precision before you count the document; it counts itself.",
    ),
    (_sum_at_hits(lambda number, rank: number / max(1, rank - 1)), "your ranks begin at 0; the first one is 1."),
    (_sum_at_hits(lambda number, rank: number / math.log2(rank + 1)), "precision divides by the rank, not by its log."),
    (_named("P@10"), "this is P@10."),
    (_named("RR"), "this is the reciprocal rank of the first relevant document."),
    (_named("Rprec"), "this is Rprec, the precision at one rank; AP adds up those at all relevant documents."),
    (_named("nDCG"), "this is nDCG."),
    (
        lambda ranking, relevant: len({*ranking} & {*relevant}) / (len(relevant) or 1),
        "this is recall; AP depends on the ranks as well.",
    ),
    (
        lambda ranking, relevant: len({*ranking} & {*relevant}) / (len(ranking) or 1),
        "this is precision; AP depends on the ranks as well.",
    ),
    (_interpolated, "you interpolate; take the precision at each relevant document as it is."),
    (
        lambda ranking, relevant: _ap(ranking, relevant) if relevant else 1.0,
        "if there is no relevant document, the value is 0 here.",
    ),
    (
        lambda ranking, relevant: _sum_of_precisions(ranking, relevant)[0] / len(relevant),
        "you divide by 0 where nothing is relevant; the value is 0 there.",
    ),
    (_in_a_text, "you look in a joined text, where an id can be part of another one, such as d1 in d10."),
    (
        lambda ranking, relevant: _ap([doc_id.lower() for doc_id in ranking], [doc_id.lower() for doc_id in relevant]),
        "ids that differ in case are different.",
    ),
    (
        lambda ranking, relevant: _ap(ranking[::-1], relevant),
        "you read the ranking from its end; the best document stands first.",
    ),
    (lambda ranking, relevant: _ap(ranking[1:], relevant), "you leave out the first document."),
    (lambda ranking, relevant: _ap(ranking[:-1], relevant), "you leave out the last document."),
    (lambda ranking, relevant: _ap(sorted(ranking), relevant), "you sort the ranking; its order is the question."),
    (lambda ranking, relevant: round(_ap(ranking, relevant), 2), "you round; return the number as it is."),
    (lambda ranking, relevant: 100 * _ap(ranking, relevant), "this is per cent; AP lies between 0 and 1."),
)


WRONG = {"6.5": _WRONG_NDCGS, "6.3": _WRONG_APS}
