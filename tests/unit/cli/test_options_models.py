"""--formula and --set beside --model: search, run and eval rank with what was typed; models shows it."""

import json

from shell import run

import toysearch
from toysearch.cli.options import formula_models

PETS = "cat-dog-parrot"
FORMULA = "tf/(tf+k) * log(N/df)"


def test_search_ranks_by_a_formula():
    data = json.loads(run("search", PETS, "train cat", "--formula", FORMULA, "--set", "k=1.2", "--json").stdout)
    index = toysearch.Index.build(toysearch.load(PETS))
    searcher = toysearch.Searcher(index, toysearch.formula(FORMULA, k=1.2))
    assert data["model"] == "formula:tf/(tf+k) * log(N/df):k=1.2"
    assert [(hit["doc_id"], hit["score"]) for hit in data["hits"]] == [
        (hit.doc_id, hit.score) for hit in searcher.search("train cat")
    ]


def test_search_without_either_ranks_by_bm25():
    assert json.loads(run("search", PETS, "cat", "--json").stdout)["model"] == "bm25"
    assert "[default: bm25]" in " ".join(run("search", "--help").stdout.split())


def test_run_names_its_run_after_the_formula():
    result = run("run", PETS, "--formula", "log(1+tf)", "-o", "-")
    assert result.exit_code == 0
    assert result.stderr.endswith("ranked documents, formula:log(1+tf)\n")
    typed = run("run", PETS, "--model", "formula:log(1+tf)", "-o", "-")
    assert typed.stdout == result.stdout


def test_eval_scores_each_formula_as_one_more_system():
    arguments = ["--model", "tfidf", "--formula", FORMULA, "--formula", "tf * b", "--set", "k=1", "--set", "b=2"]
    rows = run("eval", PETS, *arguments, "--tsv").stdout.splitlines()
    assert [row.partition("\t")[0] for row in rows] == [
        "system", "tfidf", "formula:tf/(tf+k) * log(N/df):k=1", "formula:tf * b:b=2"
    ]  # fmt: skip


def test_a_value_goes_to_each_formula_that_has_its_name():
    models = formula_models(["tf*k", "tf*kk", "log(tf+k)", "tf"], ["k=1", "kk = 2"])
    assert [*map(str, models)] == ["formula:tf*k:k=1", "formula:tf*kk:kk=2", "formula:log(tf+k):k=1", "formula:tf"]
