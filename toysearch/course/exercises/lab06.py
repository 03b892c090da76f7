"""Lab 6: measures of rankings: AP, RR, the 11-point curve, nDCG and its conventions, ties, values per query."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from toysearch.course.answer_kinds import Function, Number, Table
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.exercises.lab06_by_hand import AVERAGE_PRECISION, CURVE, MEASURES
from toysearch.course.exercises.lab06_ndcg import CONVENTIONS, FROM_SCRATCH, guarded_or_not
from toysearch.course.lessons import collection, index
from toysearch.course.students import Draw
from toysearch.errors import without_notes
from toysearch.evaluation.evaluate import evaluate
from toysearch.search.searcher import Searcher

# 6.3: average precision as a function


def _average_precision(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    return evaluate({"q": list(ranking)}, {"q": dict.fromkeys(relevant, 1) or {"": 0}}, "AP")["AP"]


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


def _by_smaller(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    total, _ = _sum_of_precisions(ranking, relevant)
    return total / min(len(ranking), len(relevant))


def _at_every_rank(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    hits, total = 0, 0.0
    for rank, doc_id in enumerate(ranking, 1):
        hits += doc_id in relevant
        total += hits / rank
    return total / len(ranking)


def _by_length(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    return _sum_of_precisions(ranking, relevant)[0] / len(ranking)


def _rankings(draw: Draw, given: Given) -> list[tuple[list[str], list[str]]]:
    """A usual one, one with more relevant documents than ranks, one that finds none, one with nothing to find."""
    names = draw.shuffled([f"d{number}" for number in range(1, 19)])
    ten, missed = names[:10], names[10:]
    usual = [*draw.some(ten[1:], 3), *draw.some(missed, draw.whole(1, 3))]
    short = [*draw.some(ten[:4], 2), *draw.some(missed, draw.whole(3, 5))]
    return [(ten, usual), (ten[:4], short), (ten, missed[:2]), (ten[:5], [])]


# 6.7: ties


def _tied(draw: Draw) -> dict[str, Any]:
    """Drawn again until the orders that people give to equal scores have different values."""
    while True:
        given = _scores_with_ties(draw)
        orders = [_ap_in_order(Given(**given), *by) for by in ((str, True), (str,), (_constant,), (_digits, True))]
        if len({round(value, 6) for value in orders}) == len(orders):
            return given


def _constant(doc_id: str) -> int:
    return 0


def _digits(doc_id: str) -> int:
    return int(doc_id[1:])


def _scores_with_ties(draw: Draw) -> dict[str, Any]:
    """Six documents, four of them with one score in the middle: three with one digit, one with two."""
    small, large = draw.some([f"d{number}" for number in range(2, 10)], 6), f"d{draw.whole(10, 19)}"
    first, last, *tied = small[:5]
    tied = draw.shuffled([*tied, large])
    score = draw.number(4, 6, 1)
    scores = {first: round(score + 2, 1), **dict.fromkeys(tied, score), last: round(score - 2, 1)}
    relevant = [*draw.some(tied, 2), *draw.some([first, last], 1), small[5]]
    return {"scores": {doc_id: scores[doc_id] for doc_id in draw.shuffled(list(scores))}, "relevant": sorted(relevant)}


def _ap_in_order(given: Given, key: Callable[[str], Any], reverse: bool = False) -> float:
    """AP where equal scores are ordered by something else."""
    doc_ids = sorted(sorted(given.scores, key=key, reverse=reverse), key=lambda doc_id: -given.scores[doc_id])
    return _average_precision(doc_ids, given.relevant)


def _four_rules(given: Given, **wrong: float) -> dict[str, float]:
    return _right_rules(tuple(given.scores.items()), tuple(given.relevant)) | wrong


@functools.lru_cache(maxsize=64)
def _right_rules(scores: tuple[tuple[str, float], ...], relevant: tuple[str, ...]) -> dict[str, float]:
    run, qrels = {"q": dict(scores)}, {"q": dict.fromkeys(relevant, 1)}
    by_rule = evaluate(run, qrels=qrels, measures="AP", ties="trec_eval")
    low, high = by_rule.tie_bounds["AP"]
    average = evaluate(run, qrels=qrels, measures="AP", ties="average")["AP"]
    return {"trec_eval": by_rule["AP"], "lowest": low, "highest": high, "average": average}


def _found_only(given: Given) -> dict[str, float]:
    """All four over the relevant documents that are in the ranking."""
    share = len(given.relevant) / sum(doc_id in given.scores for doc_id in given.relevant)
    return {name: value * share for name, value in _four_rules(given).items()}


# 6.8: query by query

_MODELS = ("bm25", "cosine", "tfidf", "lm-dirichlet", "dice", "overlap")


@functools.cache
def _values(model: str, measure: str) -> dict[str, float]:
    """A measure of a model for each judged query."""
    of = collection()
    with without_notes():  # a query without a word that is in any document
        run = Searcher(index(), model).run(of.judged_queries)
        rows = evaluate(run, of.qrels, measure, threshold=of.threshold).per_query
    return {query_id: row[measure] for query_id, row in rows.items()}


def _two_systems(draw: Draw) -> dict[str, Any]:
    first, second = draw.some(_MODELS, 2)
    query_ids = [query.query_id for query in collection().judged_queries]
    return {
        "first": first,
        "second": second,
        "measure": draw.one(("P@10", "RR", "nDCG@10")),
        "query_ids": sorted(draw.some(query_ids, 10), key=query_ids.index),
    }


def _differences(given: Given) -> list[float]:
    first, second = (_values(model, given.measure) for model in (given.first, given.second))
    return [second[query_id] - first[query_id] for query_id in given.query_ids]


def _summary(differences: Sequence[float], divisor: int | None = None, equal_wins: bool = False) -> dict[str, float]:
    equal = sum(abs(each) < 1e-12 for each in differences)
    wins = sum(each >= 1e-12 for each in differences)
    return {
        "difference": sum(differences) / (divisor or len(differences)),
        "wins": wins + equal * equal_wins,
        "losses": len(differences) - wins - equal,
    }


def _of_all(given: Given) -> dict[str, float]:
    everyone = [query.query_id for query in collection().judged_queries]
    return _summary(_differences(Given(**vars(given) | {"query_ids": everyone})))


EXERCISES = (
    MEASURES,
    AVERAGE_PRECISION,
    Exercise(
        number="6.3",
        title="Your own average precision",
        answer=Function(Number(6), "average_precision(ranking, relevant)"),
        inputs=_rankings,
        expected=lambda given: _average_precision,
        mistakes=(
            *guarded_or_not(_by_found, "you divide by the relevant documents that were retrieved, not by all."),
            *guarded_or_not(
                _by_smaller,
                "you divide by the length of the ranking where that is smaller; AP divides by all that are relevant.",
            ),
            Mistake(
                lambda given: _at_every_rank,
                "you average precision over all ranks; only the ranks of relevant documents count.",
            ),
            Mistake(
                lambda given: _by_length,
                "you divide by the length of the ranking; AP divides by the number of all relevant documents.",
            ),
        ),
        hints=(
            "Go through enumerate(ranking, 1) and keep a count of the relevant documents so far. Where the document "
            "is relevant, add count / rank to a sum.",
            "Divide once, at the end, by the number of relevant documents. If there are none, the value is 0 by "
            "trec_eval's convention, which holds here.",
        ),
        points=2,
    ),
    CURVE,
    FROM_SCRATCH,
    CONVENTIONS,
    Exercise(
        number="6.7",
        title="What equal scores can do",
        given=_tied,
        answer=Table(Number(3), "rules"),
        expected=_four_rules,
        mistakes=(
            Mistake(
                lambda given: _four_rules(given, trec_eval=_ap_in_order(given, str)),
                "trec_eval puts equal scores in falling order of their doc_id; yours rises.",
            ),
            Mistake(
                lambda given: _four_rules(given, trec_eval=_ap_in_order(given, _constant)),
                "trec_eval does not keep the order in which scores are given: equal ones are sorted by doc_id.",
            ),
            Mistake(
                lambda given: _four_rules(given, trec_eval=_ap_in_order(given, _digits, reverse=True)),
                "trec_eval compares doc_ids as texts, sign by sign: where does d1… stand among d2 to d9?",
            ),
            Mistake(
                lambda given: _four_rules(
                    given, average=(_four_rules(given)["lowest"] + _four_rules(given)["highest"]) / 2
                ),
                "your average is the middle of the lowest and the highest; take the mean over all orders.",
            ),
            Mistake(
                lambda given: _four_rules(
                    given, lowest=_four_rules(given)["highest"], highest=_four_rules(given)["lowest"]
                ),
                "you have exchanged the lowest and the highest.",
            ),
            Mistake(_found_only, "you divided by the relevant documents that were retrieved, not by all."),
        ),
        hints=(
            "Four documents change places, two of them relevant. Only the places of these two matter: there are six "
            "ways, all equally likely. Or let itertools.permutations write down all 24 orders.",
            "Your function from 6.3 gives the value of each order: the lowest, the highest and the mean of all. "
            'For trec_eval compare the ids as Python compares texts: "d10" < "d9".',
        ),
        points=2,
    ),
    Exercise(
        number="6.8",
        title="Query by query",
        given=_two_systems,
        answer=Table(Number(4), "numbers"),
        expected=lambda given: _summary(_differences(given)),
        mistakes=(
            Mistake(
                lambda given: _summary([-each for each in _differences(given)]),
                "the wrong way round: it is the second system less the first.",
            ),
            Mistake(
                lambda given: _summary(_differences(given), divisor=len(collection().judged_queries)),
                "your mean is over all judged queries: those that were not run count as 0 in it.",
            ),
            Mistake(_of_all, "these are the numbers of all judged queries; take the ones that you were given."),
            Mistake(
                lambda given: _summary(_differences(given), equal_wins=True),
                "you counted equal values as wins.",
            ),
        ),
        hints=(
            "toysearch.evaluate(run, collection.qrels, g.measure, threshold=collection.threshold).per_query[query_id]"
            "[g.measure] is the value of one query.",
            "Make a list of the differences, second − first, for your query_ids alone. All three numbers come from it.",
        ),
        points=2,
    ),
)
