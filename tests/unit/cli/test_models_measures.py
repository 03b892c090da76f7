"""`toysearch measures`: a page for every measure, and what is refused."""

import json

import pytest
from shell import run

import toysearch
from toysearch.evaluation.measures.measure import PRESETS, measure_facts, parse_measures


@pytest.mark.parametrize("name", toysearch.MEASURES)
def test_every_measure_has_a_page(name):
    shown = run("measures", name)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].partition("@")[0].partition("(")[0].partition("[")[0] == name
    assert lines[2] == toysearch.MEASURES[name].description
    labels = [line[:16].rstrip() for line in lines[4:13]]
    assert labels == list(measure_facts(name))
    for parameter in toysearch.MEASURES[name].parameters:
        assert any(line.startswith(f"{parameter} ") for line in lines)


@pytest.mark.parametrize(
    "text", ["nDCG", "nDCG@10", "ndcg", "ndcg_cut_10", "ndcg_cut", "NDCG@5", "nDCG(dcg='exp-log2')"]
)
def test_a_page_is_found_by_any_name(text):
    assert run("measures", text).stdout == run("measures", "nDCG").stdout


def test_a_measure_that_needs_a_cutoff_is_found_without_it():
    assert run("measures", "P").stdout == run("measures", "precision").stdout == run("measures", "P_5").stdout


def test_the_list_has_a_row_a_measure():
    lines = run("measures", "--tsv").stdout.splitlines()
    assert lines[0] == "measure\tfamily\tdescription"
    assert len(lines) == 1 + len(toysearch.MEASURES)
    assert "Fallout(N=…)[@k]\tset\tthe share of the non-relevant documents that was retrieved" in lines


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_lists_its_measures(preset):
    rows = json.loads(run("measures", preset, "--json").stdout)
    assert [row["measure"] for row in rows] == [str(measure) for measure in parse_measures(preset)]


def test_the_values_for_all_queries_by_another_aggregate():
    shown = run("eval", "cat-dog-parrot", "--model", "jaccard", "-m", "AP NumRet TP", "--aggregate", "min", "--json")
    data = json.loads(shown.stdout)
    (system,) = data["systems"]
    assert data["aggregate"] == "min"
    assert system["measures"]["AP"] == min(row["AP"] for row in system["per_query"].values())
    assert system["measures"]["NumRet"] == sum(row["NumRet"] for row in system["per_query"].values())
