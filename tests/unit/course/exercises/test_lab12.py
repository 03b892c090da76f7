"""The bar of lab 12: new evidence reaches it, and counts of words do not."""

from __future__ import annotations

import pytest

from toysearch.course.answers import judge, observe
from toysearch.course.exercise import exercise

pytestmark = [pytest.mark.system, pytest.mark.system]

EXERCISE = exercise("12.8")


@pytest.fixture(scope="module")
def case():
    return EXERCISE.case("ada")


def verdict(answer, case):
    return judge(EXERCISE, observe(EXERCISE, answer, case), case)


def test_counts_of_words_do_not_reach_the_bar_and_feedback_does(case):
    found = verdict(["bm25", "coverage", "length"], case)
    assert found.state == "wrong"
    assert f"{case.given.bar:.4f} is the bar" in found.sentences[0]
    assert verdict(("min-max(bm25)", "min-max(rm3(bm25))", "min-max(lsa:100)"), case).passed


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
