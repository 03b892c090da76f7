"""`toysearch predict`: what is printed and refused; values: tests/oracles."""

from __future__ import annotations

import csv
import io
import json
from functools import partial

import pytest
import shell

predict = partial(shell.done, "predict", "companions")


def test_the_queries_are_listed_worst_first():
    rows = list(csv.DictReader(io.StringIO(predict("--predictors", "wig", "--per-query", "--format", "csv").stdout)))
    values = [float(row["AP"]) for row in rows]
    assert values == sorted(values)
    assert len(rows) == 58
    nothing = next(row for row in rows if row["query_id"] == "6")
    assert (nothing["wig"], nothing["text"]) == ("", "sunstroke precautions")


def test_everything_is_in_the_data():
    found = json.loads(predict("--predictors", "wig:k=3 nqc", "-m", "P@5", "--json").stdout)
    assert (found["measure"], len(found["per_query"])) == ("P@5", 58)
    wig, nqc = found["predictors"]
    assert (wig["predictor"], wig["n"], nqc["predictor"]) == ("wig:k=3", 57, "nqc")
    errors = [query["sare"]["wig:k=3"] for query in found["per_query"] if query["query_id"] != "6"]
    assert sum(errors) / 57 == pytest.approx(wig["smare"]["value"])
    assert wig["values"][5] is None


def test_equal_values_have_no_correlation():
    shown = shell.done("predict", "cat-dog-parrot", "--predictors", "wig").stdout
    assert "No correlation is defined" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--predictors", "wgi"), "unknown predictor 'wgi'; did you mean 'wig'?"),
        (("--predictors", "wig:n=3"), "unknown parameter 'n'"),
        (("--predictors", "wig:k=0"), "'wig:k=0': k must be a whole number from 1 to 999,999,999, not 0"),
        (("--predictors", "wig:10"), "'wig:10': a parameter of wig is given with its name, such as wig:k=10"),
        (("--predictors", " "), "expected at least one predictor: wig, nqc"),
        (("-m", "AP P@5"), "expected one measure to predict, such as AP, not 2"),
    ],
)
def test_what_is_refused(arguments, told):
    assert told in " ".join(shell.refusal("predict", "companions", *arguments).split())
