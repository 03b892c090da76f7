"""A search of one's own: every form of ranking that it may return, and what is said of anything else."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher, own_search
from toysearch.base.errors import ArgumentError, ModelError

INDEX = Index.build({"a": "red cat", "b": "blue dog"})
EXPECTED = "expected a dict of doc_id to score, pairs such as zip(doc_ids, scores), or doc_ids from the best on"


def searched(answer: Any) -> list[tuple[str, float]]:
    searcher = Searcher(INDEX, own_search(lambda text: answer, name="mine"))
    return [(hit.doc_id, hit.score) for hit in searcher.search("cat")]


@pytest.mark.parametrize(
    "answer",
    [
        {"b": 2, "a": 1},
        [("a", 1.0), ("b", np.float32(2))],
        ["b", "a"],
        ("b", "a"),
        np.array(["b", "a"]),
        zip(["b", "a"], np.array([2.0, 1.0]), strict=True),
        {("a", 1.0), ("b", 2.0)},
        {"b": 0, "a": 0}.keys(),
        {"a": 1.0, "b": 2.0}.items(),
        ["b", "a", "b"],
        iter(["b", "b", "a"]),
        [("b", 2.0), ("a", 1.0), ("b", -1.0)],
        [("b", -1.0), ("a", 1.0), ("b", 2.0)],
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_forms_of_a_ranking(answer: Any) -> None:
    assert searched(answer) == [("b", 2.0), ("a", 1.0)]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (None, "None"),
        (np.array([0.5, 0.2]), "a ndarray"),
        ([1, 2], "a list"),
        ("ab", "a str"),
        (0.5, "a float"),
        ({"a": "best"}, "a dict"),
        ([("a", 1, 0.5)], "a list"),
        (["a", ("b", 1.0)], "a list"),
        ({"a", "b"}, "a set, which has no order"),
        (frozenset("ab"), "a frozenset, which has no order"),
        (iter({"a", "b"}), "a set_iterator, which has no order"),
    ],
)
def test_anything_else_is_no_mistake_inside_the_function(answer: Any, found: str) -> None:
    with pytest.raises(ModelError) as refused:
        searched(answer)
    assert str(refused.value) == f"<lambda> returned {found}; {EXPECTED}, for query 'cat'".replace("<lambda>", "mine")


def test_the_one_argument_of_a_search_of_ones_own_may_have_any_name() -> None:
    searcher = Searcher(INDEX, own_search(lambda words, n=2: {"b": n * len(words)}, name="mine"))
    assert [(hit.doc_id, hit.score) for hit in searcher.search("cat")] == [("b", 6.0)]
    with pytest.raises(ArgumentError, match="expected a function of the text of a query"):
        own_search(lambda tf, df: tf / df)


def test_a_document_that_is_returned_twice_is_named_once() -> None:
    searcher = Searcher(INDEX, own_search(lambda text: ["b", "a", "b"], name="mine"))
    with pytest.warns(toysearch.ToysearchNote) as noted:
        searcher.run({"1": "cat", "2": "dog"})
    assert [str(each.message) for each in noted] == [
        "mine returns documents more than once, such as 'b' for query 1; each counts once, at its best place"
    ]


@pytest.mark.parametrize("score", [10**400, -(10**400), math.nan, math.inf, np.float32("nan"), Decimal("1e400")])
def test_a_score_that_no_float_holds_is_refused(score: Any) -> None:
    for answer in ({"a": 1.0, "b": score}, [("b", score), ("a", 1.0)], [("b", 2.0), ("b", score)]):
        with pytest.raises(ModelError) as refused:
            searched(answer)
        assert str(refused.value) == "mine gives document 'b' a score that is not a finite float, for query 'cat'"


def test_a_mistake_inside_the_function_has_its_line() -> None:
    def broken(text: str) -> Any:
        yield "a"
        raise KeyError(text)

    with pytest.raises(ModelError, match=r"\.py:\d+: broken raised KeyError: .cat., for query .cat."):
        Searcher(INDEX, own_search(broken)).search("cat")


def test_an_evaluation_is_a_dict_of_its_means() -> None:
    found = toysearch.evaluate({"1": ["a"]}, {"1": {"a": 1}}, "AP RR")
    assert dict(found) == found.means
    assert [*found] == ["AP", "RR"]
