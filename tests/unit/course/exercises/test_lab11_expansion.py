"""Expansion by hand in lab 11, compared with a textbook's example and with the library."""

from __future__ import annotations

import numpy as np
import pytest

import toysearch
from toysearch.course.exercise import Given
from toysearch.course.lessons import exercise
from toysearch.models.composed_models import Wrapper
from toysearch.search.relevance_feedback import expanded_by

STUDENTS = ["anyone", "ada", "student 3"]


def test_rocchio_moves_the_query_of_a_textbook():
    """Manning, Raghavan & Schütze 2008, chapter 9, with beta 0.75 and gamma 0.25."""
    given = Given(
        query={"cheap": 3, "CDs": 2, "DVDs": 1, "extremely": 1},
        relevant=[{"CDs": 2, "cheap": 2, "software": 1}],
        not_relevant=[{"cheap": 1, "thrills": 1, "DVDs": 1}],
        beta=0.75,
        gamma=0.25,
    )
    assert exercise("11.1").expected(given) == {
        "cheap": 4.25,
        "CDs": 3.5,
        "DVDs": 0.75,
        "extremely": 1,
        "software": 0.75,
    }


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.8, 1.0])
def test_the_relevance_model_and_its_mixture_are_those_of_the_library(student, lambda_):
    given = exercise("11.2").case(student).given
    index = toysearch.Index.build(given.documents, toysearch.Analyzer.for_language("none"))
    query = list(given.documents["d1"].split()[:1] * 2) + given.documents["d2"].split()[:1]
    searcher = toysearch.Searcher(index, "bm25")
    wrapper = Wrapper("rm3", (3, given.terms, lambda_, 1.0))
    scores = np.array([*given.scores.values()])
    found = expanded_by(searcher.scorer, searcher.terms(" ".join(query)), wrapper, np.arange(3), scores).query
    weights = {
        index.terms[term]: weight for term, weight in zip(found.numbers.tolist(), found.qtf.tolist(), strict=True)
    }
    shares = exercise("11.2").expected(given)
    counts = {word: query.count(word) for word in query}
    mixed = exercise("11.3").expected(given)(counts, shares, lambda_)
    assert {word: weight * len(query) for word, weight in mixed.items()} == pytest.approx(weights)
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("student", STUDENTS)
def test_a_function_is_asked_for_a_plain_query_and_for_an_expansion_alone(student):
    case = exercise("11.3").case(student, "a grader's")
    mixed = exercise("11.3").expected(case.given)
    (plain,) = [mixed(*each) for each in case.inputs if each[2] == 1]
    assert len(plain) == 2
    (alone,) = [mixed(*each) for each in case.inputs if each[2] == 0]
    assert len(alone) == 4


@pytest.mark.parametrize("student", STUDENTS)
def test_rocchio_adds_means_and_not_sums(student):
    given = exercise("11.1").case(student).given
    words = sorted(
        {word for part in ([given.query], given.relevant, given.not_relevant) for each in part for word in each}
    )
    query, good, bad = (
        np.array([[each.get(word, 0) for word in words] for each in part]).mean(axis=0)
        for part in ([given.query], given.relevant, given.not_relevant)
    )
    moved = dict(zip(words, query + given.beta * good - given.gamma * bad, strict=True))
    assert exercise("11.1").expected(given) == pytest.approx({word: by for word, by in moved.items() if by > 0})
    assert min(moved.values()) < 0
