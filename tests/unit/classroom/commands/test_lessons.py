"""`toysearch textbook examples` and `toysearch textbook means`."""

import json

import pytest
from shell import run

import toysearch

pytestmark = pytest.mark.system


def test_every_slip_is_explained_with_what_gives_it():
    result = run("textbook", "examples", "A")
    assert result.exit_code == 0
    slip = "  nDCG(dcg='exp-log2') 0.55: ideal taken as (2,2,2), which gives 0.547492; standard: 0.96394\n"
    assert slip in result.stdout
    assert result.stdout.endswith("36 numbers computed, 36 equal to the standard value; 3 printed otherwise\n")


def test_json_holds_all_numbers():
    data = json.loads(run("textbook", "examples", "c", "--json").stdout)
    assert {example["example_id"] for example in data} == {f"C{i}" for i in range(1, 17)}
    assert all(row["right"] for example in data for row in example["rows"])
    header = run("textbook", "examples", "--tsv").stdout.splitlines()[0]
    assert header == "example_id\twhat\tmeasure\tcase\tprinted\tstandard\tours\tright\tslip\tby_formula"


def test_a_number_that_is_not_the_standard_one_makes_the_exit_code_1(monkeypatch):
    example = toysearch.worked_examples("A")[5]
    row = example.rows[0]._replace(ours=0.5, right=False)
    monkeypatch.setattr(toysearch, "worked_examples", lambda letter: [example._replace(rows=[row])])
    result = run("textbook", "examples", "A")
    assert result.exit_code == 1
    assert result.stderr == "toysearch: A6 AP: ours is 0.5, the standard value 0.375\n"
    assert "1 number computed, 0 equal to the standard value; 0 printed otherwise" in result.stdout


def test_systems_relative_to_one_another():
    data = json.loads(run("textbook", "means", "1,1000", "10,100", "20,20", "--json").stdout)
    rows = {(row["mean"], row["relative_to"]): list(row.values())[2:] for row in data}
    assert rows["arithmetic", "A"] == pytest.approx([1, 5.05, 10.01])
    assert rows["arithmetic", "C"] == pytest.approx([25.025, 2.75, 1])
    assert rows["geometric", "B"] == pytest.approx([1, 1, 0.632456], abs=1e-6)
