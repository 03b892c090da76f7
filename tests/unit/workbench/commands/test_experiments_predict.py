"""`toysearch predict`: what is printed and refused; values: tests/oracles."""

import csv
import io
import json
from functools import partial

import pytest
import shell

pytestmark = pytest.mark.system

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
