"""Counterfactual values: what cannot be estimated is refused in a sentence."""

from __future__ import annotations

import pytest
from raising import raising
from shell import done, refusal

from toysearch.base.errors import ArgumentError, DataError
from toysearch.formats.click_log import ShownDocument, ShownList
from toysearch.laboratory.experiments.counterfactual import counterfactual

CLICKED = ShownList("1", "q", (ShownDocument("a", False), ShownDocument("b", True)))
RUN = {"q": {"a": 2.0, "b": 1.0}}


def test_the_power_of_a_rank():
    [value] = counterfactual([CLICKED], [RUN], propensities="power:2").values
    assert value.ips == pytest.approx(4 * 0.6309297535714574)
    assert value.ips_low != value.ips_low  # one list has no interval
    assert value.effective == value.covered == 1


def test_without_support():
    with raising(DataError, "the log has no click, so no run can be estimated from it"):
        counterfactual([ShownList("1", "q", (ShownDocument("a", False),))], [RUN], propensities="power:1")
    message = "run ranks no document down to 1 that was clicked in the log, so the log says nothing about it"
    with raising(DataError, message):
        counterfactual([CLICKED], [RUN], propensities="power:1", k=1)
    with raising(
        DataError,
        "session '1' and query 'q' have no propensity at rank 1; fit them, as in "
        "toysearch.laboratory.experiments.counterfactual.counterfactual(…, propensities='pbm')",
    ):
        counterfactual([CLICKED], [RUN])
    with raising(ArgumentError, "unknown propensities 'power:x'; expected log, pbm, or power:1 for 1 / rank"):
        counterfactual([CLICKED], [RUN], propensities="power:x")


def test_a_few_clicks_that_decide_are_told():
    lists = [ShownList(str(n), "q", (ShownDocument("a", True, propensity=1.0),)) for n in range(40)]
    lists.append(ShownList("40", "q", (ShownDocument("b", True, propensity=0.01),)))
    result = counterfactual(lists, [RUN])
    assert result.sentences() == ["run: 41 clicks weigh as much as 2; a few decide."]


def test_in_the_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clicks.csv").write_text("session,query,rank,doc,clicked\n1,q,1,a,0\n1,q,2,b,1\n2,q,1,a,1\n")
    (tmp_path / "a.run").write_text("q Q0 a 1 2 bm25\nq Q0 b 2 1 bm25\n")
    assert "session '1' and query 'q' have no propensity at rank 1; fit them, as in --propensities pbm" in refusal(
        "counterfactual", "clicks.csv", "a.run"
    )
    lines = done("counterfactual", "clicks.csv", "a.run", "--propensities", "power:1", "--tsv").stdout.splitlines()
    assert lines[0].split("\t")[0] == "system"
    assert lines[1].split("\t")[0] == "bm25"
