"""`toysearch examples` and `toysearch means`."""

from __future__ import annotations

import json

import pytest
from shell import run

import toysearch


def test_every_slip_is_explained_with_what_gives_it():
    result = run("examples", "A")
    assert result.exit_code == 0
    slip = "  nDCG(dcg='exp-log2') 0.55: ideal taken as (2,2,2), which gives 0.547492; standard: 0.96394\n"
    assert slip in result.stdout
    assert result.stdout.endswith("36 numbers computed, 36 equal to the standard value; 3 printed otherwise\n")


def test_json_holds_all_numbers():
    data = json.loads(run("examples", "c", "--json").stdout)
    assert {example["example_id"] for example in data} == {f"C{i}" for i in range(1, 17)}
    assert all(row["right"] for example in data for row in example["rows"])
    header = run("examples", "--tsv").stdout.splitlines()[0]
    assert header == "example_id\twhat\tmeasure\tcase\tprinted\tstandard\tours\tright\tslip"


def test_a_number_that_is_not_the_standard_one_makes_the_exit_code_1(monkeypatch):
    example = toysearch.worked_examples("A")[5]
    row = example.rows[0]._replace(ours=0.5, right=False)
    monkeypatch.setattr(toysearch, "worked_examples", lambda letter: [example._replace(rows=[row])])
    result = run("examples", "A")
    assert result.exit_code == 1
    assert result.stderr == "toysearch: A6 AP: ours is 0.5, the standard value 0.375\n"
    assert "1 number computed, 0 equal to the standard value; 0 printed otherwise" in result.stdout


def test_an_unknown_letter_is_refused():
    result = run("examples", "Z")
    assert (result.exit_code, result.stderr) == (
        2,
        "toysearch: unknown source of examples 'Z'. Sources of examples: A, B, C, D, E\n",
    )


def test_a_zero_is_not_divided_by():
    result = run("means", "0", "5", "--tsv")
    assert result.stdout.splitlines()[3] == "harmonic\t0 where a number is 0\t0.0"


def test_a_negative_number_is_not_taken_for_an_option():
    result = run("means", "-1", "5")
    assert result.exit_code == 2
    assert "option" not in result.stderr
    assert "-1" in result.stderr


def test_the_three_means_with_their_arithmetic():
    assert run("means", "60", "20", "--tsv").stdout == (
        "mean\tarithmetic\tvalue\n"
        "arithmetic\t(60 + 20) / 2\t40.0\n"
        "geometric\t(60 · 20)^(1/2)\t34.64101615137755\n"
        "harmonic\t2 / (1/60 + 1/20)\t30.0\n"
    )
    assert "Why F takes the harmonic mean" in run("means", "60", "20").stdout


def test_systems_relative_to_one_another():
    data = json.loads(run("means", "1,1000", "10,100", "20,20", "--json").stdout)
    rows = {(row["mean"], row["relative_to"]): list(row.values())[2:] for row in data}
    assert rows["arithmetic", "A"] == pytest.approx([1, 5.05, 10.01])
    assert rows["arithmetic", "C"] == pytest.approx([25.025, 2.75, 1])
    assert rows["geometric", "B"] == pytest.approx([1, 1, 0.632456], abs=1e-6)


REFUSED = {
    ("x",): "Error: 'x' is not a number; an example: toysearch means 60 20",
    ("--", "3", "-1"): "toysearch: a geometric mean needs numbers of at least 0, and -1 is negative",
    ("inf",): "toysearch: a mean needs finite numbers, and inf is not finite",
    ("1,2", "3"): "Error: expected 2 to 26 lists of one length, such as 1,1000 10,100; found 1,2 3",
    ("1,2",): "Error: expected lists of numbers above 0, two or more of them; found 1,2",
    ("1,2", "0,3"): "Error: expected lists of numbers above 0, two or more of them; found 1,2 0,3",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_has_no_mean_is_refused(arguments):
    result = run("means", *arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == REFUSED[arguments]
