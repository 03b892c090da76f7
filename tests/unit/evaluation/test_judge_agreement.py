"""Agreement of several judges, against published examples; sheets for a class."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raising import raising

from toysearch.base.errors import ArgumentError, DataError
from toysearch.evaluation.judge_agreement import alpha, kappa
from toysearch.evaluation.pooling import divide_pool, pool

KRIPPENDORFF = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
"""Krippendorff 2011, example C: four observers, twelve units."""

FLEISS = ("", "02642", "00356", "03920", "22811", "77000", "32630", "25322", "65210", "02237")
"""Fourteen judges, ten units, five grades: how many gave each (the example that textbooks repeat)."""


def test_krippendorffs_own_example():
    judged = {
        judge: {"1": {str(unit): int(grade) for unit, grade in enumerate(grades.split()) if grade != "."}}
        for judge, grades in KRIPPENDORFF.items()
    }
    found = alpha(judged)
    assert (round(found.nominal, 3), round(found.ordinal, 3), round(found.interval, 3)) == (0.743, 0.815, 0.849)
    assert (found.n, found.n_all, found.n_single) == (11, 8, 1)


def test_fleiss_example_of_fourteen_judges():
    table = [[0, 0, 0, 0, 14], *([int(digit) for digit in row] for row in FLEISS[1:])]
    judged: dict[str, dict[str, dict[str, float]]] = {f"judge {number}": {"1": {}} for number in range(14)}
    for unit, counts in enumerate(table):
        grades = [grade for grade, count in enumerate(counts, 1) for _ in range(count)]
        for judge, grade in zip(judged, grades, strict=True):
            judged[judge]["1"][str(unit)] = grade
    found = alpha(judged)
    assert round(found.fleiss, 3) == 0.210
    assert round(found.agreement, 3) == 0.378


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_what_two_judges_give_is_near_cohens(pairs):
    """α of two has the grades of both for chance, and corrects for few pairs: between π and 1 by (1 − π) / 2n."""
    first = {"1": {str(place): one for place, (one, _) in enumerate(pairs)}}
    second = {"1": {str(place): other for place, (_, other) in enumerate(pairs)}}
    several, two = alpha({"a": first, "b": second}), kappa(first, second)
    assert several.agreement == pytest.approx(two.agreement)
    assert several.n == two.n == several.n_all
    if not math.isnan(several.fleiss):
        assert several.nominal == pytest.approx(several.fleiss + (1 - several.fleiss) / (2 * len(pairs)))
    assert len(several.disputed) == len(two.disagreements)


def test_each_query_by_itself():
    ada, ben = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}, {"1": {"a": 1, "b": 0}, "2": {"a": 0}}
    found = alpha({"ada": ada, "ben": ben})
    assert [(each.query_id, each.pairs, each.agreement) for each in found.by_query] == [("1", 2, 1.0), ("2", 1, 0.0)]
    assert found.by_query[0].alpha == 1.0
    assert found.disputed[0] == ("2", "a", {"ada": 2.0, "ben": 0.0})
    assert alpha({"ada": ada, "ben": ben}, threshold=3).disputed == ()


def test_judges_who_share_nothing_are_refused():
    with pytest.raises(DataError, match="no pair of query and document has been judged by two"):
        alpha({"ada": {"1": {"a": 1}}, "ben": {"1": {"b": 1}}})


POOL = pool([{f"q{number}": [f"d{place}" for place in range(number % 5 + 1)] for number in range(20)}])


@pytest.mark.parametrize("twice", [0, 0.2, 0.5, 1])
def test_every_pair_is_judged_and_as_many_twice_as_asked_for(twice):
    shares = divide_pool(POOL, ["ada", "ben", "carla"], twice, seed=26)
    given_out = [pair for share in shares.values() for pair in share.pairs]
    assert set(given_out) == set(POOL.pairs)
    for query_id in POOL:
        of_query = [pair for pair in given_out if pair[0] == query_id]
        assert len(of_query) == len(POOL[query_id]) + math.ceil(twice * len(POOL[query_id]))
        assert max(of_query.count(pair) for pair in of_query) == (2 if twice else 1)
    sizes = [len(share.pairs) for share in shares.values()]
    assert max(sizes) - min(sizes) <= 5


def test_each_judge_has_an_order_of_their_own_that_the_seed_decides():
    shares = divide_pool(POOL, ["ada", "ben"], 1, seed=1)
    assert sorted(shares["ada"].pairs) == sorted(shares["ben"].pairs)
    assert shares["ada"].pairs != shares["ben"].pairs
    assert shares["ada"].pairs == divide_pool(POOL, ["ada", "ben"], 1, seed=1)["ada"].pairs
    assert shares["ada"].pairs != divide_pool(POOL, ["ada", "ben"], 1, seed=2)["ada"].pairs
    queries = [query_id for query_id, _ in shares["ada"].pairs]
    assert len([1 for one, other in pairwise(queries) if one != other]) == len(POOL) - 1


@pytest.mark.parametrize(
    ("judges", "twice", "message"),
    [
        ([], 0, "name the judges, each once"),
        (["a", "a"], 0, "name the judges, each once"),
        (["a"], 0.2, "pairs are judged twice by two judges, and there is one: a"),
        (["a", "b"], 20, "the share that is judged twice must be between 0 and 1, not 20"),
    ],
)
def test_what_cannot_be_divided(judges, twice, message):
    with raising(ArgumentError, message):
        divide_pool(POOL, judges, twice)
