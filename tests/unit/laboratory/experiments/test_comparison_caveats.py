"""What conclusions hang on: each kind where it is so, and not where it is not."""

from __future__ import annotations

import pytest

from toysearch.laboratory.experiments.comparison import caveats, compare

FORTY = [f"q{n:02}" for n in range(40)]
JUDGED = {query: {"a": 1, "b": 0, "c": 0} for query in FORTY}


def kinds(comparison):
    return [(caveat.kind, caveat.measure, caveat.system, caveat.other) for caveat in caveats(comparison)]


def at(ranks: dict[str, int] | int) -> dict[str, list[str]]:
    """A run that has the relevant document at a rank, below judged documents that are not relevant."""
    ranks = dict.fromkeys(FORTY, ranks) if isinstance(ranks, int) else ranks
    return {query: [*["b", "c"][: rank - 1], "a", *["b", "c"][rank - 1 :]] for query, rank in ranks.items()}


def mixed(better: int) -> dict[str, int]:
    """The relevant document at rank 1 for so many queries, at rank 2 or 3 for the others."""
    return {query: 1 if n < better else 2 + n % 2 for n, query in enumerate(FORTY)}


def test_fewer_than_25_queries():
    few = dict(list(JUDGED.items())[:24])
    runs = {"low": at(mixed(0)), "high": at(mixed(30))}
    found = caveats(compare(runs, few, "AP"))
    assert [caveat.kind for caveat in found] == ["queries"]
    assert found[0].sentence == "24 queries: with fewer than 25, a mean depends more on the queries than on the systems"
    assert caveats(compare(runs, dict(list(JUDGED.items())[:25]), "AP")) == []


@pytest.mark.parametrize("measure", ["RR", "RR@10", "ERR", "ERR@5"])
def test_a_measure_that_is_no_interval_scale(measure):
    found = caveats(compare({"low": at(mixed(0)), "high": at(mixed(30))}, JUDGED, f"AP {measure}"))
    assert [(caveat.kind, caveat.measure.partition("(")[0]) for caveat in found] == [("scale", measure)]
    assert "Fuhr, SIGIR Forum 51(3), 2017" in found[0].sentence


def test_identical_systems():
    comparison = compare({"one": at(1), "two": at(1), "three": at(mixed(5))}, JUDGED, "AP P@1")
    assert kinds(comparison) == [("identical", "", "two", "one")]
    assert caveats(comparison)[0].sentence == "both have the same value for every query, so there is nothing to test"


@pytest.mark.system
def test_one_query_that_carries_a_difference():
    # Six queries at rank 1 in the place of 2: p is just below 0.05 by the sign-flip test, with five above it.
    ranks = {query: 1 if n < 6 else 2 for n, query in enumerate(FORTY)}
    comparison = compare({"low": at(2), "high": at(ranks)}, JUDGED, "AP", test="permutation")
    assert comparison.pairs[0].p <= 0.05
    assert kinds(comparison) == [("one query", "AP", "high", "low")]
    assert caveats(comparison)[0].sentence == (
        "higher with all queries, inconclusive without query 'q00', whose difference is +0.5000"
    )


def test_a_mean_that_turns_round_without_one_query():
    # +1/2 for one query, −1/6 (rank 3 in the place of 2) for two: the mean is positive, without the one negative.
    ranks = {query: {0: 1, 1: 3, 2: 3}.get(n, 2) for n, query in enumerate(FORTY)}
    found = caveats(compare({"base": at(2), "mine": at(ranks)}, JUDGED, "AP"))
    assert [caveat.kind for caveat in found] == ["one query"]
    assert found[0].sentence == (
        "the mean difference is +0.0042, and -0.0085 without query 'q00', whose difference is +0.5000"
    )


def test_ties_that_decide():
    scores = {query: {"a": 1.0, "b": 1.0} for query in FORTY}  # trec_eval puts b first
    ranked = {query: {"a": 2.0, "b": 1.0} for query in FORTY[:20]} | {
        query: {"a": 1.0, "b": 2.0} for query in FORTY[20:]
    }
    comparison = compare({"tied": scores, "sure": ranked}, JUDGED, "AP")
    assert kinds(comparison) == [("ties", "AP", "sure", "tied")]
    assert caveats(comparison)[0].sentence == (
        "higher in this order of equal scores, lower in another; the difference ranges from -0.2500 to +0.2500"
    )


def test_ties_that_do_not_decide():
    scores = {query: {"a": 3.0, "b": 1.0, "c": 1.0} for query in FORTY}
    assert kinds(compare({"low": at(mixed(0)), "high": scores}, JUDGED, "AP P@2")) == []


def test_unjudged_documents_that_are_left_out():
    # The baseline finds as much, below documents that nobody judged.
    base = {query: ["x", "y", *ranking] for query, ranking in at(mixed(30)).items()}
    comparison = compare({"base": base, "mine": at(mixed(30))}, JUDGED, "nDCG@3 P@2")
    assert kinds(comparison) == [("unjudged", "nDCG@3", "mine", "base"), ("unjudged", "P@2", "mine", "base")]
    assert caveats(comparison)[0].sentence == (
        "higher, but inconclusive without the unjudged documents, where the difference is +0.0000"
    )


def test_unjudged_documents_that_could_be_relevant():
    # Without them the difference stays; but all that the baseline found could be relevant.
    base = {query: ["x", "y", "b", "c", "a"] for query in FORTY}
    comparison = compare({"base": base, "mine": at(mixed(30))}, JUDGED, "P@2")
    assert kinds(comparison) == [("bounds", "P@2", "mine", "base")]
    low, high = 30 / 40 * 0.5 + 5 / 40 * 0.5 - 1, 30 / 40 * 0.5 + 5 / 40 * 0.5
    found = caveats(comparison)[0]
    # Of 40 · (5 + 3) documents 40 · 2 are unjudged.
    assert found.sentence == "25 % of the first ten documents are unjudged; their judgments could change the conclusion"
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_unjudged_documents_below_the_first_ten_are_no_caveat():
    judged = {query: {f"d{n}": int(n == 1) for n in range(10)} for query in FORTY}
    base = {query: [*judged[query], "x", "y"] for query in FORTY}
    mine = {query: ["d1", *(doc for doc in judged[query] if doc != "d1"), "x", "y"] for query in FORTY}
    assert kinds(compare({"base": base, "mine": mine}, judged, "AP R@12")) == []
    deeper = {query: [*list(judged[query])[2:], "x", "y", "d0", "d1"] for query in FORTY}
    assert [kind for kind, *_ in kinds(compare({"base": deeper, "mine": mine}, judged, "R@12"))] == ["identical"]
    assert [kind for kind, *_ in kinds(compare({"base": deeper, "mine": mine}, judged, "AP"))] == []


def test_options_of_the_evaluation_hold_for_the_caveats_too():
    judged = {query: {"a": 2, "b": 1, "c": 0} for query in FORTY}
    runs = {"low": at(mixed(0)), "high": at(mixed(30))}
    found = compare(runs, judged, "AP nDCG(dcg='exp-log2')@3 P(judged_only=True)@2", threshold=2, ties="rank")
    assert kinds(found) == []
    for options in ({"convention": "textbook"}, {"undefined": "nan"}, {"only_retrieved": True}, {"ties": "average"}):
        assert kinds(compare(runs, judged, "AP", threshold=2, **options)) == []
