"""What an `Evaluator` is, takes and refuses; that its values are right: tests/properties/test_evaluator.py."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import toysearch
from toysearch import Evaluator, Index, Searcher, evaluate
from toysearch.base.errors import ArgumentError, DataError
from toysearch.models.model import model as as_model

TEXTS = {"a": "the cat sat", "b": "a cat and a cat", "c": "the dog", "d": "the dog sat"}
QUERIES = {"1": "cat", "2": "the dog", "3": "unheard"}
QRELS = {"1": {"b": 1, "x": 1}, "2": {"c": 2, "a": 1, "d": 0}, "4": {"a": 1}}


@pytest.fixture
def index() -> Index:
    return Index.build(TEXTS)


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TOYSEARCH_PATH", request.param)
    return str(request.param)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda index: Evaluator(index, QUERIES, QRELS, k=0),
            "k must be a whole number of at least 1 (or None for all), not 0",
        ),
        (lambda index: Evaluator(index, QUERIES, QRELS, undefined="no"), "unknown value for undefined 'no'"),
        (lambda index: Evaluator(index, QUERIES, QRELS, threshold=float("nan")), "the threshold must be a finite"),
        (lambda index: Evaluator(index, {"1": 5}, QRELS), "a query is a query_id and a text, both"),
    ],
)
def test_what_is_refused(index: Index, make: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        make(index)
    assert str(error.value).startswith(message)


def test_no_query_in_common(index: Index) -> None:
    with pytest.raises(DataError, match="run and judgments have no query in common: the run has queries such as '9'"):
        Evaluator(index, {"9": "cat"}, QRELS)
    with pytest.raises(DataError, match="there is no query; expected at least one with its text"):
        Evaluator(index, {}, QRELS)


def odd_models() -> list[Any]:
    """Models that only a search, query by query, can answer, or refuse."""

    def by_query_norm(s: Any, qq: Any) -> Any:
        return s / (qq if qq > 1 else 1.0)  # a comparison: an array would be refused

    def raising(tf: Any) -> Any:
        return [1.0 / 0 for _ in tf]

    def infinite(tf: Any) -> Any:
        return tf / (tf - tf)

    def shorter(tf: Any) -> Any:
        return tf[:1] if len(tf) > 7 else tf

    def one(tf: Any) -> Any:
        return 1

    def every(N: Any) -> Any:
        return np.inf

    def weight(tf: Any) -> Any:
        return tf

    return [
        as_model(similarity=by_query_norm)(weight),
        *(as_model(function) for function in (raising, infinite, shorter, one)),
        as_model(per_matched_document=every)(weight),
        as_model(query=every)(weight),
    ]


@pytest.mark.parametrize("model", odd_models(), ids=str)
def test_odd_models(index: Index, model: Any) -> None:
    def outcome(make: Any) -> Any:
        try:
            return make()
        except toysearch.ToysearchError as error:
            return type(error), str(error)

    found = outcome(lambda: Evaluator(index, QUERIES, QRELS)(model))
    expected = outcome(lambda: evaluate(Searcher(index, model).run(QUERIES), QRELS))
    if isinstance(expected, tuple):
        assert found == expected
    else:
        assert dataclasses.asdict(found)["per_query"] == expected.per_query
