"""Grades that run backwards are told before the figures; others are not."""

import pytest

from toysearch import Qrels, Run
from toysearch.evaluation.judgment_doubts import backwards, doubts, of_grades


def example(n_queries, grades):
    names = "abcd"[: len(grades)]
    run = {str(query): {name: -float(place) for place, name in enumerate(names)} for query in range(n_queries)}
    return Run.from_dict(run), Qrels.from_dict({query: dict(zip(names, grades, strict=True)) for query in run})


@pytest.mark.parametrize(
    ("n_queries", "grades", "found"),
    [
        (12, [1, 2, 3], (1.0, 3.0)),
        (500, [1, 2, 3, 0], (1.0, 3.0)),
        (12, [3, 2, 1], None),
        (12, [0, 1], None),
        (12, [-1, 0, 1], None),
        (9, [1, 2, 3], None),  # by accident with a chance of 1 in 512
    ],
)
def test_examples(n_queries, grades, found):
    run, qrels = example(n_queries, grades)
    assert backwards(run, qrels) == found
    assert len(doubts(run, qrels)) == (found is not None)


@pytest.mark.parametrize(
    ("scale", "odd", "noted"),
    [
        ([0, 1, 2, 3], 30, True),
        ([0, 1, 2, 3], 33, True),
        ([0, 1], 4, True),
        ([1, 2, 3, 4], -30, True),
        ([0, 1, 2, 3], 5, False),  # a rare highest grade
        ([0, 1], -2, False),  # spam
        ([0, 1, 2], 3, False),
        ([0, 0.5, 1], 30, False),  # no scale of whole grades
    ],
)
def test_a_grade_far_from_the_others_is_noted_with_its_place(scale, odd, noted):
    judged = {str(query): {f"d{n}": scale[n % len(scale)] for n in range(20)} for query in range(10)}
    judged["7"]["d3"] = odd
    found = [str(each) for each in of_grades(Qrels.from_dict(judged))]
    rest = f"the others {scale[0]} to {scale[-1]}, such as query '7', document 'd3'; a typing error, or another column?"
    assert found == [f"grades: 1 judgment has the grade {odd}, {rest}"] * noted
    judged |= {str(query): dict.fromkeys(judged["0"], odd) for query in range(20, 23)}
    assert not list(of_grades(Qrels.from_dict(judged))), "many belong to the scale"
