"""Lab 6: measures of rankings: AP, RR, the 11-point curve, nDCG and its conventions, ties, values per query."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch import evaluate, typed_ranking
from toysearch.classroom.answers import choice, function, number, ordered, table
from toysearch.classroom.exercise import (
    Draw,
    Drawn,
    Exercise,
    Given,
    Numbers,
    Wrong,
    lost_items,
    swapped,
    wrong_functions,
)
from toysearch.classroom.lab_collection import judged_ids, query_values, value_of
from toysearch.workbench.report.measure_curve import curve

# 6.1 and 6.2: by hand


def _signs(draw: Draw, hits: int, length: int, first: int) -> str:
    """Draw a ranking with the given number of relevant documents, the first of them at the given rank or below."""
    places = draw.some(range(first, length + 1), hits)
    return " ".join("R" if rank in places else "I" for rank in range(1, length + 1))


def _ranking_of_ten(draw: Draw) -> Drawn:
    hits = draw.whole(3, 5)
    return {"ranking": _signs(draw, hits, 10, 2), "relevant": hits + draw.whole(1, 4)}


def _ranks(given: Given) -> list[int]:
    return [rank for rank, sign in enumerate(given.ranking.split(), 1) if sign == "R"]


def _value(given: Given, measure: str) -> float:
    typed = typed_ranking(given.ranking, relevant=given.relevant)
    return evaluate(typed.run, typed.qrels, measure)[measure]


def _four(given: Given, **wrong: float) -> Numbers:
    names = {"P": f"P@{given.k}", "R": f"R@{given.k}", "RR": "RR", "Rprec": "Rprec"}
    return {name: wrong.get(short, _value(given, name)) for short, name in names.items()}


_BLANKS_COUNT = "you count the blanks between the letters as documents; given.ranking.split() leaves them out."


def _with_blanks(given: Given) -> Given:
    return Given(**{**given, "ranking": given.ranking.replace(" ", " I ")})


def _hits(given: Given, rank: int) -> int:
    return sum(other <= rank for other in _ranks(given))


def _precisions(given: Given) -> list[float]:
    return [_hits(given, rank) / rank for rank in range(1, len(given.ranking.split()) + 1)]


# 6.4: the 11-point curve


def _eight(draw: Draw) -> Drawn:
    """Draw a ranking of eight with three or four relevant documents, while one or two others are missing."""
    hits = draw.whole(3, 4)
    return {"ranking": _signs(draw, hits, 8, 1), "relevant": hits + draw.whole(1, 2)}


def _eleven(given: Given) -> list[float]:
    typed = typed_ranking(given.ranking, relevant=given.relevant)
    return [precision for _, precision in curve(typed.run, typed.qrels, points=11).points]


def _at_levels(given: Given, at: Callable[[int], float], relevant: int | None = None) -> list[float]:
    """Return `at` of the number of relevant documents (at least 1) that each recall level needs; 0 for too few."""
    R, hits = relevant or given.relevant, len(_ranks(given))
    needed = [max(1, -(-level * R // 10)) for level in range(11)]
    return [at(number) if number <= hits else 0.0 for number in needed]


def _reached(given: Given) -> list[float]:
    """Return the precision where each relevant document is found."""
    return [number / rank for number, rank in enumerate(_ranks(given), 1)]


def _carried_on(given: Given) -> list[float]:
    right = _eleven(given)
    last = next(value for value in reversed(right) if value)
    return [value or last for value in right]


Grades = Mapping[str, float]
Value = Callable[..., float]
"""Measure as a function, as students write it."""


def guarded_or_not(function: Value) -> list[Value]:
    """Return a wrong function, without and with a guard against division by 0."""

    def guarded(*arguments: Any) -> float:
        try:
            return function(*arguments)
        except ZeroDivisionError:
            return 0.0

    return [function, guarded]


# 6.5: nDCG as a function


def _discount(rank: int) -> float:
    return math.log2(rank + 1)


def _dcg(gains: Sequence[float], discount: Callable[[int], float] = _discount) -> float:
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1))


def _wrong_ndcg(
    gain: Callable[[float], float] = float,
    discount: Callable[[int], float] = _discount,
    ideal: str = "judged",
    cut: bool = True,
    normalised: bool = True,
) -> Value:
    def ndcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
        gains = [gain(grades.get(doc_id, 0)) for doc_id in (ranking[:k] if cut else ranking)]
        best = sorted(gains if ideal == "own" else map(gain, grades.values()), reverse=True)
        depth = {"uncut": None, "short": min(k, len(ranking))}.get(ideal, k if cut else None)
        dcg, most = _dcg(gains, discount), _dcg(best[:depth], discount)
        return dcg / most if normalised else dcg

    return ndcg


def _graded(draw: Draw, given: Given) -> list[tuple[list[str], Grades, int]]:
    cases: list[tuple[list[str], Grades, int]] = []
    for _ in range(3):
        names = draw.shuffled([f"d{number}" for number in range(1, 17)])
        ranking, missed = names[:9], names[9:]
        judged = [*draw.some(ranking, 6), *draw.some(missed, 3)]
        scale = [3, 2, 1, 0, draw.whole(1, 3), draw.whole(0, 2), 3, 2, draw.whole(0, 3)]
        cases.append((ranking, dict(zip(judged, scale, strict=True)), draw.whole(3, 6)))
    ranking, grades, k = cases[0]
    x, y, z, *more = ranking
    low = {x: 0, y: 1, z: 2, more[0]: 5, "missed": 4, "absent": 3}
    many = [f"d{number}" for number in draw.shuffled(range(1001, 1151))]
    graded = {doc_id: 1 + place % 4 for place, doc_id in enumerate(many[::2])} | {f"e{n}": 2 for n in range(60)}
    cases += [(ranking, dict.fromkeys(grades, 0), k), (ranking, {}, k), ([], grades, k), (ranking, {"missed": 3}, 5)]
    cases += [(ranking, low, k) for k in (1, 2, 5, 30)]
    cases += [([x], low, 5), ([more[0], y], low, 4), ([more[1], more[2], y], low, 3)]
    cases += [(["d1", "d10"], {"d10": 2, "d100": 0.5}, 2)]
    cases += [(many, graded, k) for k in (12, 25, 120, 1000)]
    return cases


# 6.6: which convention printed this?


_CONVENTIONS = {
    "usual": "nDCG",
    "exponential": "nDCG(dcg='exp-log2')",
    "old discount": "nDCG(discount='jk')",
    "own ideal": "nDCG(ideal='ranking')",
    "top of the scale": "nDCG(ideal='max')",
}


def _printed(draw: Draw) -> Drawn:
    """Draw five printed values, again until all differ in what is printed of them."""
    while True:
        ranking = draw.shuffled([3, 2, 1, 0, draw.whole(0, 2)])
        judged = sorted([*ranking, *(draw.whole(1, 3) for _ in range(2))], reverse=True)
        grades = " ".join(map(str, ranking))
        values = {name: _under(grades, judged, measure) for name, measure in _CONVENTIONS.items()}
        if len({round(value, 2) for value in values.values()}) == len(values):
            order = draw.shuffled(list(values))
            return {"ranking": ranking, "judged": judged, "printed": [round(values[name], 3) for name in order]}


def _under(ranking: str, judged: Sequence[int], measure: str) -> float:
    typed = typed_ranking(ranking, judged=" ".join(map(str, judged)))
    return evaluate(typed.run, typed.qrels, measure)[measure]


def _conventions(given: Given) -> list[str]:
    ranking = " ".join(map(str, given.ranking))
    printed = {
        round(_under(ranking, given.judged, measure), 3): convention for convention, measure in _CONVENTIONS.items()
    }
    return [printed[value] for value in given.printed]


def _exchanged(one: str, other: str) -> Wrong:
    swap = {one: other, other: one}
    return lambda g: [swap.get(name, name) for name in _conventions(g)]


# 6.3: average precision as a function


def _sum_of_precisions(ranking: Sequence[str], relevant: Sequence[str]) -> tuple[float, int]:
    total, hits = 0.0, 0
    for rank, doc_id in enumerate(ranking, 1):
        if doc_id in relevant:
            hits += 1
            total += hits / rank
    return total, hits


def _by_found(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    total, hits = _sum_of_precisions(ranking, relevant)
    return total / hits


def _at_every_rank(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    hits, total = 0, 0.0
    for rank, doc_id in enumerate(ranking, 1):
        hits += doc_id in relevant
        total += hits / rank
    return total / len(ranking)


def _rankings(draw: Draw, given: Given) -> list[tuple[list[str], list[str]]]:
    """Draw a usual ranking, one with more relevant documents than ranks, one that finds none, one with none to find."""
    names = draw.shuffled([f"d{number}" for number in range(1, 19)])
    ten, missed = names[:10], names[10:]
    usual = [*draw.some(ten[1:], 3), *draw.some(missed, draw.whole(1, 3))]
    short = [*draw.some(ten[:4], 2), *draw.some(missed, draw.whole(3, 5))]
    many = [f"d{number}" for number in draw.shuffled(range(1001, 2051))]
    found = [many[rank - 1] for rank in (1, 2, 4, 7, 9, 12, 15, 18, 22, 24, 27, 33, 48, 52, 97, 104, 340, 1010)]
    never = [f"e{number}" for number in range(120)]
    strange = [f"f{number}" for number in range(1003)]
    cases = [(ten, usual), (ten[:4], short), (ten, missed[:2]), (ten[:5], []), ([], ten[:2]), ([], [])]
    cases += [(ten[:2], ten[:1]), (ten[:2], ten[1:2]), (ten, ten[:1]), (ten, ten[::-1]), (ten[:6], ten[5:6])]
    for depth, n_found, n_never in ((25, 10, 2), (60, 13, 9), (len(many), len(found), 5)):
        cases.append((many[:depth], draw.shuffled(found[:n_found] + never[:n_never])))
    cases += [(many[:130], never + found[2:16]), (ten, draw.shuffled([ten[0], ten[3], *strange]))]
    return [*cases, (["d1", "d10", "d2", "d21", "d3"], ["d1", "d21", "d100", "D3"])]


def _cut_ap(depth: int | None, largest: int | None) -> Value:
    """Look at the ranking down to a depth, and divide by no more than a number."""

    def average_precision(ranking: Sequence[str], relevant: Sequence[str]) -> float:
        total, _ = _sum_of_precisions(ranking[:depth], relevant)
        return total / len(relevant[:largest]) if total else 0.0

    return average_precision


_WRONG_APS: dict[str, Value | list[Value]] = {
    "you divide by the relevant documents that were retrieved, not by all.": guarded_or_not(_by_found),
    "you divide by the length of the ranking where that is smaller; AP divides by all that are relevant.": (
        guarded_or_not(
            lambda ranking, relevant: _sum_of_precisions(ranking, relevant)[0] / min(len(ranking), len(relevant))
        )
    ),
    "you average precision over all ranks; only the ranks of relevant documents count.": _at_every_rank,
    "AP looks at the whole ranking and divides by all that are relevant; there is no cutoff in it.": [
        _cut_ap(*cuts) for cuts in ((10, None), (None, 10), (10, 10), (100, None), (None, 100), (100, 100))
    ],
    "you divide by the length of the ranking; AP divides by the number of all relevant documents.": (
        lambda ranking, relevant: _sum_of_precisions(ranking, relevant)[0] / len(ranking)
    ),
}


# 6.7: ties


def _tied(draw: Draw) -> Drawn:
    """Draw tied scores, again until the orders that people give to them have different values."""
    while True:
        small, large = draw.some([f"d{number}" for number in range(2, 10)], 6), f"d{draw.whole(10, 19)}"
        first, last, *tied = small[:5]
        tied = draw.shuffled([*tied, large])
        score = draw.number(4, 6, 1)
        scores = {first: round(score + 2, 1), **dict.fromkeys(tied, score), last: round(score - 2, 1)}
        relevant = [*draw.some(tied, 2), *draw.some([first, last], 1), small[5]]
        values = {
            "scores": {doc_id: scores[doc_id] for doc_id in draw.shuffled(list(scores))},
            "relevant": sorted(relevant),
        }
        orders = [_ap_in_order(Given(**values), *by) for by in ((str, True), (str,), (_constant,), (_digits, True))]
        if len({round(value, 6) for value in orders}) == len(orders):
            return values


def _constant(doc_id: str) -> int:
    return 0


def _digits(doc_id: str) -> int:
    return int(doc_id[1:])


def _ap_in_order(given: Given, key: Callable[[str], Any], reverse: bool = False) -> float:
    """Compute AP where equal scores are ordered by something else."""
    doc_ids = sorted(sorted(given.scores, key=key, reverse=reverse), key=lambda doc_id: -given.scores[doc_id])
    return value_of(doc_ids, given.relevant)


def _four_rules(given: Given, **wrong: float) -> Numbers:
    return _right_rules(tuple(given.scores.items()), tuple(given.relevant)) | wrong


@functools.lru_cache(maxsize=64)
def _right_rules(scores: tuple[tuple[str, float], ...], relevant: tuple[str, ...]) -> Numbers:
    run, qrels = {"q": dict(scores)}, {"q": dict.fromkeys(relevant, 1)}
    by_rule = evaluate(run, qrels=qrels, measures="AP", ties="trec_eval")
    low, high = by_rule.tie_bounds["AP"]
    average = evaluate(run, qrels=qrels, measures="AP", ties="average")["AP"]
    return {"trec_eval": by_rule["AP"], "lowest": low, "highest": high, "average": average}


def _found_only(given: Given) -> Numbers:
    """Compute all four over the relevant documents that are in the ranking."""
    share = len(given.relevant) / sum(doc_id in given.scores for doc_id in given.relevant)
    return {name: value * share for name, value in _four_rules(given).items()}


# 6.8: query by query

_MODELS = ("bm25", "cosine", "tfidf", "lm-dirichlet", "dice", "overlap")


def _two_systems(draw: Draw) -> Drawn:
    first, second = draw.some(_MODELS, 2)
    return {
        "first": first,
        "second": second,
        "measure": draw.one(("P@10", "RR", "nDCG@10")),
        "query_ids": sorted(draw.some(judged_ids(), 10), key=judged_ids().index),
    }


def _differences(given: Given) -> list[float]:
    first, second = (query_values(model, given.measure) for model in (given.first, given.second))
    return [second[query_id] - first[query_id] for query_id in given.query_ids]


def _summary(given: Given, sign: int = 1, of_all: bool = False, equal_wins: bool = False) -> Numbers:
    differences = [sign * difference for difference in _differences(given)]
    equal = sum(abs(difference) < 1e-12 for difference in differences)
    wins = sum(difference >= 1e-12 for difference in differences)
    return {
        "difference": sum(differences) / len(judged_ids() if of_all else differences),
        "wins": wins + equal * equal_wins,
        "losses": len(differences) - wins - equal,
    }


EXERCISES = (
    Exercise(
        title="Four measures by hand",
        why="The same ranking is good or poor depending on the reader in mind; each measure is a model of one.",
        given=lambda draw: _ranking_of_ten(draw) | {"k": draw.whole(4, 6)},
        answer=table(number(3), "measures"),
        expected=_four,
        mistakes={
            _BLANKS_COUNT: lambda g: _four(_with_blanks(g)),
            (
                "your recall divides by the relevant documents in the ranking; those that were not retrieved count too."
            ): lambda g: _four(g, R=_hits(g, g.k) / len(_ranks(g))),
            "your precision divides by the whole ranking; only the first k count.": lambda g: _four(
                g, P=_hits(g, g.k) / 10
            ),
            "your Rprec looks at as many ranks as relevant documents were found; R counts all relevant documents.": (
                lambda g: _four(g, Rprec=_precisions(g)[len(_ranks(g)) - 1])
            ),
            "RR is the reciprocal of the rank, not the rank.": lambda g: _four(g, RR=_ranks(g)[0]),
        },
        hints=(
            "Count the relevant documents down to rank k once; P@k and R@k divide that count by different numbers.",
            "RR depends only on the first relevant document. Rprec is P@R, where R is the number of relevant "
            "documents.",
        ),
    ),
    Exercise(
        title="Average precision by hand",
        why="Dividing by all relevant documents is what makes AP punish what was never found.",
        given=_ranking_of_ten,
        answer=number(3),
        expected=lambda g: _value(g, "AP"),
        mistakes={
            _BLANKS_COUNT: lambda g: _value(_with_blanks(g), "AP"),
            "you divided by the relevant documents that were retrieved, not by all.": lambda g: (
                sum(_reached(g)) / _hits(g, 10)
            ),
            "you divided by the length of the ranking; AP divides by the number of all relevant documents.": lambda g: (
                sum(_reached(g)) / 10
            ),
            "you averaged precision over all ranks; only the ranks of relevant documents count.": lambda g: (
                sum(_precisions(g)) / 10
            ),
            "you added up precision at all ranks; only the ranks of relevant documents count.": lambda g: (
                sum(_precisions(g)) / g.relevant
            ),
            "you took 1 / rank each time; precision counts all relevant documents down to that rank.": lambda g: (
                sum(1 / rank for rank in _ranks(g)) / g.relevant
            ),
            "you added up the precisions without dividing; AP divides by the number of all relevant documents.": (
                lambda g: sum(_reached(g))
            ),
            "you counted ranks from 0; the first document has rank 1.": lambda g: (
                sum(n / (rank - 1) for n, rank in enumerate(_ranks(g), 1)) / g.relevant
            ),
        },
        hints=(
            "Write the precision beside each R: the number of R down to this one, itself included, over the rank.",
            "Add these up. What do the missed relevant documents contribute? And what is the divisor?",
        ),
    ),
    Exercise(
        title="Your own average precision",
        why="This function is the core of MAP, the number most quoted from trec_eval.",
        answer=function(number(6), "average_precision(ranking, relevant)"),
        inputs=_rankings,
        expected=lambda g: value_of,
        mistakes={
            **wrong_functions(_WRONG_APS),
            **lost_items(value_of),
        },
        hints=(
            "Go through enumerate(ranking, 1) and keep a count of the relevant documents so far. Where the document "
            "is relevant, add count / rank to a sum.",
            "Divide once, at the end, by the number of relevant documents. If there are none, the value is 0 by "
            "the convention of trec_eval, used here too.",
        ),
        points=2,
    ),
    Exercise(
        title="The 11-point curve by hand",
        why="Interpolation makes curves comparable across queries; it also hides how jagged each of them is.",
        given=_eight,
        answer=ordered(number(3), "precisions"),
        expected=_eleven,
        mistakes={
            _BLANKS_COUNT: lambda g: _eleven(_with_blanks(g)),
            "this is precision where each level is reached; take the highest precision from there on.": lambda g: (
                _at_levels(g, lambda number: _reached(g)[number - 1])
            ),
            "you took the highest precision up to each level; take the highest from each level on.": lambda g: (
                _at_levels(g, lambda number: max(_reached(g)[:number]))
            ),
            "your recall reaches 1; divide by all relevant documents, since some were not retrieved.": lambda g: (
                _at_levels(
                    g,
                    lambda number: max(_reached(g)[number - 1 :]),
                    len(_ranks(g)),
                )
            ),
            "you extended the last precision; the value is 0 at levels of recall that the ranking never reaches.": (
                _carried_on
            ),
        },
        hints=(
            "For each R write down recall (its number over all relevant) and precision (its number over its rank).",
            "For the level x look only at pairs with a recall of x or more, and take their highest precision. "
            "No such pair: 0.",
        ),
        points=2,
    ),
    Exercise(
        title="Your own nDCG",
        why="nDCG is the standard for graded judgments, and now you know what its denominator hides.",
        answer=function(number(6), "ndcg(ranking, grades, k)"),
        inputs=_graded,
        expected=lambda g: lambda ranking, grades, k: value_of(ranking, grades, f"nDCG@{k}"),
        mistakes=wrong_functions(
            {
                "you cut the ideal ranking at the length of the ranking; cut it at k only.": guarded_or_not(
                    _wrong_ndcg(ideal="short")
                ),
                "your ideal ranking has only retrieved documents; make it from all judged documents.": guarded_or_not(
                    _wrong_ndcg(ideal="own")
                ),
                "your ideal ranking continues below rank k; cut both rankings there.": guarded_or_not(
                    _wrong_ndcg(ideal="uncut")
                ),
                "your gain is 2^grade − 1; here the gain is the grade.": guarded_or_not(
                    _wrong_ndcg(gain=lambda grade: 2.0**grade - 1)
                ),
                "your discount is log₂ of the rank; here it is log₂(rank + 1), from the first rank on.": guarded_or_not(
                    _wrong_ndcg(discount=lambda rank: max(1.0, math.log2(rank)))
                ),
                "you do not cut the ranking at k.": guarded_or_not(_wrong_ndcg(cut=False)),
                "this is DCG: divide it by the DCG of the ideal ranking.": _wrong_ndcg(normalised=False),
            }
        ),
        hints=(
            "Write DCG of a list of gains as a function of its own, and call it twice: for ranking[:k], and for the "
            "ideal ranking.",
            "grades.get(doc_id, 0) is the gain of a document that may be unjudged. The ideal: sorted(grades.values(), "
            "reverse=True)[:k]. If its DCG is 0, the value is 0.",
        ),
        points=3,
    ),
    Exercise(
        title="Which convention?",
        why="Five numbers for one ranking: never compare nDCG across papers before you know the convention.",
        given=_printed,
        answer=ordered(choice(*_CONVENTIONS), "conventions"),
        expected=_conventions,
        mistakes={
            "you swapped the two ideals: which of them can be reached, and which asks for more?": _exchanged(
                "own ideal", "top of the scale"
            ),
            "you swapped the gain 2^grade − 1 and the old discount.": _exchanged("exponential", "old discount"),
            "you swapped the two discounts: the old one is 1 at ranks 1 and 2 and log₂(rank) below.": (
                _exchanged("usual", "old discount")
            ),
            "you swapped the two gains: the grade itself, and 2^grade − 1.": _exchanged("usual", "exponential"),
        },
        hints=(
            "Compute them all: toysearch.typed_ranking makes a run and judgments of grades, and the parameters dcg=, "
            "discount= and ideal= of nDCG are shown above.",
            "A larger ideal makes a smaller value, so one of the ideals gives the highest and one the lowest of these "
            "three: own ideal, usual, top of the scale.",
        ),
    ),
    Exercise(
        title="The effect of equal scores",
        why="Equal scores are common, and a tie rule can be worth more than a new model.",
        given=_tied,
        answer=table(number(3), "rules"),
        expected=_four_rules,
        mistakes={
            "trec_eval sorts equal scores by decreasing doc_id; your order is increasing.": lambda g: _four_rules(
                g, trec_eval=_ap_in_order(g, str)
            ),
            "trec_eval does not keep the given order of equal scores: it sorts them by doc_id.": lambda g: _four_rules(
                g, trec_eval=_ap_in_order(g, _constant)
            ),
            "trec_eval compares doc_ids as texts, character by character: where does d1… stand among d2 to d9?": (
                lambda g: _four_rules(g, trec_eval=_ap_in_order(g, _digits, reverse=True))
            ),
            "your average is the middle of the lowest and the highest; take the mean over all orders.": lambda g: (
                _four_rules(g, average=(_four_rules(g)["lowest"] + _four_rules(g)["highest"]) / 2)
            ),
            "you swapped the lowest and the highest.": swapped(_four_rules, "lowest", "highest"),
            "you divided by the relevant documents that were retrieved, not by all.": _found_only,
        },
        hints=(
            "Four documents are tied, two of them relevant. Only the ranks of these two matter: there are six "
            "ways, all equally likely. Or let itertools.permutations write down all 24 orders.",
            "Your function from 6.3 gives the value of each order: the lowest, the highest and the mean of all. "
            'For trec_eval compare the ids as Python compares texts: "d10" < "d9".',
        ),
        points=2,
    ),
    Exercise(
        title="Query by query",
        why="A mean difference of 0.01 may hide wins and losses of 0.5; look at the queries first.",
        given=_two_systems,
        answer=table(number(4), "numbers"),
        expected=_summary,
        mistakes={
            "the sign is wrong: subtract the first system from the second.": {"sign": -1},
            "your mean is over all judged queries; those that were not run count as 0.": {"of_all": True},
            "these are the numbers for all judged queries; use the queries that you were given.": lambda g: _summary(
                Given(**vars(g) | {"query_ids": judged_ids()})
            ),
            "you counted equal values as wins.": {"equal_wins": True},
        },
        hints=(
            "toysearch.evaluate(run, collection.qrels, g.measure, threshold=collection.threshold).per_query[query_id]"
            "[g.measure] is the value of one query.",
            "Make a list of the differences, second − first, for your query_ids alone. All three numbers come from it.",
        ),
        points=2,
    ),
)
