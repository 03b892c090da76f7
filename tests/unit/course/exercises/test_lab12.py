"""The bar of lab 12: new evidence reaches it, and counts of words do not."""

import math

import numpy as np
import pytest

from toysearch.analysis.analyzer import Analyzer
from toysearch.course.answers import judge, observe
from toysearch.course.exercise import exercise
from toysearch.laboratory.learning.ranker_training import query_groups
from toysearch.models.mixture import min_max
from toysearch.models.ranker import COUNTED, Linear, QueryCounts

EXERCISE = exercise("12.8")


@pytest.fixture(scope="module")
def case():
    return EXERCISE.case("ada")


def verdict(answer, case):
    return judge(EXERCISE, observe(EXERCISE, answer, case), case)


@pytest.mark.system
def test_counts_of_words_do_not_reach_the_bar_and_feedback_does(case):
    found = verdict(["bm25", "coverage", "length"], case)
    assert found.state == "wrong"
    assert f"{case.given.bar:.4f} is the bar" in found.sentences[0]
    assert verdict(("min-max(bm25)", "min-max(rm3(bm25))", "min-max(lsa:100)"), case).passed


@pytest.mark.system
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (["bm52"], "did you mean 'bm25'"),
        ("bm25", "an object of type str"),
        ([], "at least one feature"),
        (["bm25", "bm25"], "each named once"),
    ],
)
def test_what_is_not_a_list_of_features_is_told(answer, told, case):
    found = verdict(answer, case)
    assert found.state == "refused"
    assert told in found.sentences[0]


# Features, steps, shares, groups, folds and controls, compared with the library.


each_student = pytest.mark.parametrize("student", ["anyone", "ada", "student 3"])


@each_student
def test_features_are_those_of_the_library(student):
    given = exercise("12.1").case(student).given
    words, asked = given.document.split(), sorted(set(given.query))
    df = np.array([given.df[word] for word in asked], float)
    counts = QueryCounts(
        np.log(1 + (given.N - df + 0.5) / (df + 0.5)),
        np.array([[word in words for word in asked]]),
        np.array([sum(map(words.count, asked))]),
        np.array([len(words)]),
    )
    made = exercise("12.1").expected(given)
    assert made == pytest.approx({name: COUNTED[name](counts)[0] for name in made})
    assert len(made) == 5


@each_student
def test_scores_are_normalised_as_by_the_library(student):
    given = exercise("12.2").case(student).given
    for query, scores in exercise("12.2").expected(given).items():
        right = min_max(np.array([*given.scores[query].values()]))
        assert [*scores.values()] == pytest.approx(right.tolist())


@each_student
def test_a_step_goes_down_the_gradient_of_the_pairwise_loss(student):
    given = exercise("12.3").case(student).given
    names = list(given.weights)

    def loss(weights):
        return math.log1p(
            math.exp(-sum(w * (given.relevant[n] - given.other[n]) for n, w in zip(names, weights, strict=True)))
        )

    start, stepped = np.array([*given.weights.values()]), exercise("12.3").expected(given)
    for place, name in enumerate(names):
        nudge = np.eye(len(names))[place] * 1e-6
        slope = (loss(start + nudge) - loss(start - nudge)) / 2e-6
        assert stepped[name] == pytest.approx(start[place] - given.rate * slope, abs=1e-7)
    assert loss([*stepped.values()]) < loss(start)


@each_student
def test_shares_add_up_as_those_of_a_learned_sum(student):
    given = exercise("12.4").case(student).given
    weights, means, scales, values = (
        np.array([part[name] for name in given.weights])
        for part in (given.weights, given.means, given.deviations, given.document)
    )
    learned = Linear(given.intercept, weights, means, scales)
    made = exercise("12.4").expected(given)
    assert made["score"] == pytest.approx(learned.scores(values[None])[0])
    assert [made[name] for name in given.weights] == pytest.approx(learned.shares(values[None])[1][0].tolist())


@each_student
def test_a_held_out_value_is_that_of_the_ranker_without_the_query(student):
    given = exercise("12.5").case(student).given
    made = exercise("12.5").expected(given)
    total = sum(min(values.values()) for values in given.AP.values())  # all other rankers have seen the query
    assert made["held out"] == pytest.approx(total / 7)
    assert made["on the same queries"] > made["held out"] + 0.05


@each_student
def test_groups_are_those_of_the_library(student):
    given = exercise("12.6").case(student).given
    queries = {query_id: " ".join(words) for query_id, words in given.queries.items()}
    groups = query_groups(queries, Analyzer.for_language("none"), given.least)
    assert sorted(map(sorted, exercise("12.6").expected(given))) == sorted(map(sorted, groups))
    assert sorted(map(len, groups)) == [2, 3]


@each_student
def test_experiments_have_every_verdict_and_no_interval_that_ends_near_0(student):
    given = exercise("12.7").case(student).given
    assert set(exercise("12.7").expected(given)) == {"gain", "inconclusive", "error"}
    for each in given.experiments:
        for found in (each["held out"], each["shuffled"]):
            assert found["low"] < found["gain"] < found["high"]
        assert min(abs(each["held out"]["low"]), abs(each["shuffled"]["low"])) > 0.004
