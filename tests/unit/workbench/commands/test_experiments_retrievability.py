"""`toysearch retrievability`: what is printed and refused; values: tests/oracles."""

import json

import numpy as np
import pytest
import shell

import toysearch
from toysearch.workbench.retrieval_bias import Retrievability, SystemRetrievability, gini, lorenz_curve, retrievability

pytestmark = pytest.mark.system


def test_the_own_queries_leave_documents_unfound():
    shown = shell.done("retrievability", "cat-dog-parrot", "--ask", "own", "-k", "1")
    [line] = [line for line in shown.stdout.splitlines() if line.startswith("never found by bm25: ")]
    found = json.loads(shell.done("retrievability", "cat-dog-parrot", "--ask", "own", "-k", "1", "--json").stdout)
    [system] = found["systems"]
    assert line == f"never found by bm25: {', '.join(system['never'])}"
    assert (found["kind"], found["n"], found["documents"]) == ("queries", 3, 4)
    assert sum(system["counts"]) == 3
    assert system["lorenz"][0] == 0
    assert system["lorenz"][-1] == 1


def test_a_chart_of_the_curves(tmp_path):
    models = ("--model", "bm25:b=0", "--model", "bm25", "-k", "10")
    shown = shell.done("retrievability", "companions", *models, "--chart", tmp_path / "a.svg")
    assert f"{tmp_path / 'a.svg'}: the Lorenz curves" in shown.stderr
    assert shown.stdout == shell.done("retrievability", "companions", *models).stdout
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "Lorenz curves of retrievability on companions: 1,458 bigrams, k 10" in picture
    assert "bm25:b=0 (Gini 0.5020)" in picture
    told = shell.refusal("retrievability", "companions", "--chart", tmp_path / "a.gif")
    assert told.endswith("a.gif': the extension of the file selects the format; expected .svg, .png, .html or .pdf")


def test_the_points_of_the_chart_are_those_of_the_counts():
    """Four documents found 0, 2, 2 and 4 times; a system that finds nothing has no curve."""
    counts = np.array([2, 0, 2, 4])
    systems = [
        SystemRetrievability("some", gini(counts), ("d2",), tuple(lorenz_curve(counts, 11)), counts),
        SystemRetrievability("none", gini([0, 0]), ("d1", "d2"), (), np.array([0, 0])),
    ]
    chart = toysearch.plot("lorenz", Retrievability("pets", "plain", "queries", 3, 4, 2, 0, tuple(systems)))
    drawn = chart["datasets"][chart["layer"][1]["data"]["name"]]
    points = {point["documents"]: point["retrievals"] for point in drawn}
    assert {point["system"] for point in drawn} == {"some (Gini 0.3750)"}
    assert [points[share] for share in (0, 0.25, 0.5, 0.75, 1)] == [0, 0, 0.25, 0.5, 1]
    assert chart["description"].endswith("all documents are found equally often: some (Gini 0.3750).")


def test_what_a_chart_is_not_drawn_from():
    found = toysearch.compare([{"1": ["a"]}], {"1": {"a": 1}}, "AP")
    with pytest.raises(toysearch.ToysearchError, match=r"^lorenz is drawn from the result of `retrieva"):
        toysearch.plot("lorenz", found)
    with pytest.raises(toysearch.ToysearchError, match=r"^pr is drawn from a comparison, not from a retrievability$"):
        toysearch.plot("pr", retrievability("cat-dog-parrot", kind="terms"))
