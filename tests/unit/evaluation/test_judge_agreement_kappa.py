"""Cohen's kappa: a published example, what is counted, and what is not."""

from __future__ import annotations

import pytest

from toysearch.base.errors import DataError
from toysearch.evaluation.judge_agreement import Disagreement, kappa


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


def test_a_threshold_leaves_two_grades():
    found = kappa(judgments([0, 1, 2, 3]), judgments([1, 1, 3, 2]), threshold=2)
    assert found.grades == (0, 1)
    assert found.kappa == 1
    assert found.disagreements == ()
    assert kappa(judgments([0, 2]), judgments([2, 0]), threshold=2).disagreements[0] == ("1", "d0", 0.0, 1.0)


def test_nothing_in_common():
    with pytest.raises(DataError) as error:
        kappa({"1": {"a": 1}}, {"01": {"a": 1}})
    assert str(error.value) == (
        "no pair of query and document has been judged in both; the first has query '1' with document 'a', the second "
        "query '01' with document 'a': ids must be equal as texts"
    )
