"""Agreement of two judges and of several, against published examples; sheets for a class, and one judgment of many."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from captured_notes import noted
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from shell import run

from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.judging.judge_agreement import MERGE_RULES, Disagreement, alpha, kappa, merge_qrels
from toysearch.workbench.judging.pooling import divide_pool, pool


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


def judgments(grades):
    return {"1": {f"d{number}": grade for number, grade in enumerate(grades)}}


def test_the_example_of_the_textbook():
    """Manning, Raghavan & Schütze 2008, table 8.2: 300, 20, 10, 70, and 0.776."""
    first, second = [1] * 320 + [0] * 80, [1] * 300 + [0] * 20 + [1] * 10 + [0] * 70
    found = kappa(judgments(first), judgments(second))
    assert round(found.kappa, 3) == 0.776
    assert found.agreement == 370 / 400
    assert found.by_chance == pytest.approx(0.8 * 0.775 + 0.2 * 0.225, abs=1e-15)
    assert found.table.tolist() == [[70, 10], [20, 300]]
    assert found.grades == (0, 1)
    assert found.linear == found.quadratic == pytest.approx(found.kappa, abs=1e-15)


def test_only_pairs_that_both_judged_count():
    first = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1}}
    second = {"1": {"a": 1, "b": 1, "z": 0}, "3": {"a": 0}}
    found = kappa(first, second)
    assert (found.n, found.only_first, found.only_second) == (2, 2, 2)
    assert (found.agreement, found.by_chance) == (0.5, 0.5)
    assert found.disagreements == (Disagreement("1", "b", 0.0, 1.0),)


def test_nothing_in_common():
    with pytest.raises(DataError) as error:
        kappa({"1": {"a": 1}}, {"01": {"a": 1}})
    assert str(error.value) == (
        "no pair of query and document has been judged in both; the first has query '1' with document 'a', the second "
        "query '01' with document 'a': ids must be equal as texts"
    )


def test_most_votes_count_and_decisions_stand():
    judged = {"a": {"1": {"x": 1, "y": 0, "z": 2}}, "b": {"1": {"x": 1, "y": 2}}, "c": {"1": {"x": 0}}}
    found = merge_qrels(judged)
    assert found.qrels["1"] == {"x": 1, "z": 2}
    assert [(each.doc_id, each.grades) for each in found.undecided] == [("y", {"a": 0, "b": 2})]
    decided = merge_qrels(judged, {"1": {"y": 1, "x": 3, "new": 1}})
    assert decided.qrels["1"] == {"x": 3, "y": 1, "z": 2, "new": 1}
    assert decided.undecided == ()
    with pytest.raises(DataError, match="no pair has a grade that most judges gave"):
        merge_qrels({"a": {"1": {"x": 1}}, "b": {"1": {"x": 0}}})
    with pytest.raises(ArgumentError, match=r"unknown rule 'median'; did you mean 'mean'\? Rules: "):
        merge_qrels(judged, rule="median")


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=9), st.sampled_from([*MERGE_RULES]))
def test_each_rule_is_its_definition_in_any_order_of_the_judges(grades, rule):
    judged = {f"judge {place}": {"1": {"x": grade, "y": 0}} for place, grade in enumerate(grades)}
    found = merge_qrels(judged, rule=rule).qrels["1"].get("x")
    votes = Counter(grades)
    most = [grade for grade in votes if votes[grade] == max(votes.values())]
    expected = {
        "majority": most[0] if len(most) == 1 else None,
        "optimistic": sorted(grades)[-1],
        "pessimistic": sorted(grades)[0],
        "mean": float(Fraction(sum(grades), len(grades))),
    }[rule]
    assert found == expected
    assert merge_qrels(dict(reversed(judged.items())), rule=rule).qrels["1"].get("x") == expected


def test_a_threshold_leaves_two_grades():
    found = kappa(judgments([0, 1, 2, 3]), judgments([1, 1, 3, 2]), threshold=2)
    assert found.grades == (0, 1)
    assert found.kappa == 1
    assert found.disagreements == ()
    assert kappa(judgments([0, 2]), judgments([2, 0]), threshold=2).disagreements[0] == ("1", "d0", 0.0, 1.0)


class TestKeysThatNeverMeet:
    ADA, BEN = {"tea kettle": {"K1": 3}}, {"1": {"K1": 2}}

    def test_judges_who_name_queries_in_two_ways_have_a_note(self):
        with noted() as notes:
            merge_qrels({"ada": self.ADA, "ben": self.BEN})
        assert [note.partition(";")[0] for note in notes] == [
            "ada has queries such as 'tea kettle', ben such as '1', and no pair has two grades"
        ]

    def test_decisions_on_other_pairs_have_a_note(self):
        with noted() as notes:
            found = merge_qrels({"ben": self.BEN}, self.ADA)
        assert notes == [
            "none of 1 decision is on a judged pair, such as query 'tea kettle', document 'K1'; they are added"
        ]
        assert len(found.qrels) == 2

    def test_a_divided_class_has_none(self):
        with noted() as notes:
            merge_qrels({"ada": {"1": {"a": 1}}, "ben": {"2": {"a": 1}}})
            merge_qrels({"ada": {"tea kettle": {"a": 1}}, "ben": {"red lamp": {"a": 1}}}, {"red lamp": {"a": 0}})
        assert notes == []


@pytest.mark.parametrize("judge", ["Bewerter", "juge", "evaluador"])
def test_the_judge_of_another_language_is_not_advised_as_the_query(tmp_path, judge: str) -> None:
    rows = [f"q{query},d{doc},{name},{doc}" for name in ("ann", "ben") for query in range(2) for doc in range(3)]
    (tmp_path / "sheet.csv").write_text("\n".join([f"Anfrage,Dokument,{judge},Relevanz", *rows]) + "\n")
    printed = run("judge", "agree", str(tmp_path / "sheet.csv"))
    assert "query=Anfrage,doc=Dokument,grade=Relevanz" in printed.stderr
    columns = "query=Anfrage,doc=Dokument,grade=Relevanz"
    assert (
        "agreement of ann, ben" in run("judge", "agree", str(tmp_path / "sheet.csv"), "--qrels-columns", columns).stdout
    )
