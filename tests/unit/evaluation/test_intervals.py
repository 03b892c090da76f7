"""Intervals of means, against scipy: over queries and needs, and in each form of `toysearch eval`."""

import csv
import json
import math

import numpy as np
import pytest
from error_messages import raising
from scipy import stats
from shell import done

from toysearch import Qrels, compare, evaluate
from toysearch.base import ArgumentError
from toysearch.evaluation import Measure
from toysearch.evaluation.intervals import FEWEST, mean_interval, quantile
from toysearch.study import scores
from toysearch.study.compare.significance import TESTS
from toysearch.study.compare.tested_differences import difference_data

AP = Measure.parse("AP")
FIRST = "AP nDCG@10 NumRel GMAP"


def of_scipy(values, alpha=0.05):
    return stats.t.interval(1 - alpha, len(values) - 1, np.mean(values), stats.sem(values))


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_interval_of_each_mean_is_that_of_scipy(alpha):
    [values] = scores(["bm25"], "companions", FIRST).evaluations
    found = values.intervals(alpha)
    assert [*found] == ["AP", "nDCG@10"]  # a sum and a geometric mean have none
    for name, interval in found.items():
        of_queries = [row[name] for row in values.per_query.values()]
        low, high = of_scipy(of_queries, alpha)
        assert (interval.low, interval.high, interval.n) == pytest.approx((low, high, len(of_queries)))
        assert interval.half == pytest.approx((high - low) / 2)


def test_each_need_counts_once_and_an_undefined_value_not_at_all():
    qrels = Qrels({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 0}, "5": {"a": 1}, "6": {"a": 1}})
    run = {"1-1": ["a"], "1-2": ["b", "a"], "2": ["b", "c", "a"], "3": ["a"], "4": ["a"], "5": ["a"], "6": ["b", "a"]}
    needs = {"1-1": "1", "1-2": "1", "2": "2", "3": "3", "4": "4", "5": "5", "6": "6"}
    found = evaluate(run, qrels.for_texts(needs), "RR", undefined="nan").intervals()["RR"]
    low, high = of_scipy([0.75, 1 / 3, 1.0, 1.0, 0.5])
    assert (found.half, found.n) == pytest.approx(((high - low) / 2, 5))
    assert (found.low, found.high) == (pytest.approx(low), 1)


@pytest.mark.parametrize("n", [1, 7])
def test_one_value_or_equal_ones_have_no_interval(n):
    run = {str(query): [*"bcdefghi", "a"] for query in range(n)}
    assert evaluate(run, {query: {"a": 1} for query in run}, "RR").intervals() == {}  # 1/9 each
    assert mean_interval(AP, np.array([0.1] * n)).half == (0 if n > 1 else math.inf)
    assert mean_interval(AP, np.array([math.inf, 0.1])).half == math.inf


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_a_quantile_is_that_of_scipy(alpha):
    for freedom in (*range(1, 60), 224, 999, 6979, 100_000):
        assert quantile(alpha, freedom) == pytest.approx(stats.t.isf(alpha / 2, freedom), rel=1e-9)


def test_a_wrong_level_is_refused():
    with raising(ArgumentError, "alpha must be a number between 0 and 1, not 1.5"):
        evaluate({"1": ["a"]}, {"1": {"a": 1}}).intervals(1.5)


@pytest.mark.parametrize("n", range(1, 7))
def test_fewer_than_five_queries_are_too_few(n):
    """Neither a mean nor a difference has an interval then, whatever the test."""
    judged = {str(query): {"a": 1} for query in range(n)}
    old, new = {query: [*"bcd"[: int(query) % 4], "a"] for query in judged}, {q: ["a"] for q in judged}
    assert bool(evaluate(old, judged, "RR").intervals()) == (n >= FEWEST)
    systems = {"old": old, "new": new}
    whole = compare(systems, judged, "RR", pairs="all", alpha=0.4)
    tested = [whole, *(compare(systems, judged, "RR", test=test, alpha=0.4) for test in TESTS)]
    for [pair] in (comparison.pairs for comparison in tested):
        assert (pair.result.interval is not None) == (difference_data(pair.result)["low"] is not None) == (n >= FEWEST)


def halves(*arguments):
    return {
        system["system"]: {name: (high - low) / 2 for name, (low, high) in system["intervals"].items()}
        for system in json.loads(done("eval", "companions", *arguments, "--json").stdout)["systems"]
    }


SYSTEMS = ("--model", "bm25", "--model", "jaccard", "-m", "AP NumRel P@10")


@pytest.mark.system
def test_every_form_has_the_same_intervals():
    expected = halves(*SYSTEMS)
    shown = {name: {measure: f"{half:.4f}" for measure, half in row.items()} for name, row in expected.items()}
    assert all([*row] == ["AP", "P@10"] for row in expected.values())
    for form, mark in (("csv", ","), ("tsv", "\t")):
        text = done("eval", "companions", *SYSTEMS, "--format", form).stdout
        for row in csv.DictReader(text.splitlines(), delimiter=mark):
            assert [*row] == ["system", "AP", "NumRel", "P@10", "AP ±", "P@10 ±"]
            of_row = {name: float(row[f"{name} ±"]) for name in ("AP", "P@10")}
            assert of_row == pytest.approx(expected[row["system"]])
    markdown = done("eval", "companions", *SYSTEMS, "--format", "markdown").stdout.splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in markdown]
    assert rows[0] == ["system", "AP", "AP ±", "NumRel", "P@10", "P@10 ±"]
    assert {row[0]: {"AP": row[2], "P@10": row[5]} for row in rows[2:]} == shown
    latex = [
        line.split(" & ") for line in done("eval", "companions", *SYSTEMS, "--format", "latex").stdout.splitlines()
    ]
    assert {row[0]: {"AP": row[2], "P@10": row[5].removesuffix(r" \\")} for row in latex if row[0] in shown} == shown


@pytest.mark.system
@pytest.mark.parametrize("models", [["bm25"], ["bm25", "dice", "cosine"], ["bm25", "dice", "cosine", "dph", "tfidf"]])
@pytest.mark.parametrize("measures", ["AP", "AP RR P@5 nDCG@10 R@10"])
def test_the_table_fits_in_80_columns_or_says_where_the_intervals_are(models, measures):
    named = [word for model in models for word in ("--model", model)]
    lines = done("eval", "companions", *named, "-m", measures).stdout.splitlines()
    if "±" in lines[0]:
        assert max(map(len, lines)) <= 80
        assert lines[-1] == "±: half of the 95% confidence interval of the mean over 58 queries (t)"
        cells = " ".join(lines).split()
        assert {f"{half:.4f}" for row in halves(*named, "-m", measures).values() for half in row.values()} <= {*cells}
    else:
        expected = "The 95% confidence intervals of the means do not fit beside them; JSON and CSV have them."
        assert (len(models), lines[-1]) == (5, expected)
    assert ("±" in lines[0]) == (len(models) < 5 or measures == "AP")


@pytest.mark.parametrize("more", [["--per-query"], ["--ties", "bounds"]])
def test_queries_and_bounds_have_none(more):
    for form in ("table", "tsv", "markdown"):
        assert "±" not in done("eval", "companions", "-m", "AP", *more, "--format", form).stdout
