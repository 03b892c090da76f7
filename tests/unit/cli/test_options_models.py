"""--formula and --set beside --model: search, run and eval rank with what was typed; models shows it."""

from __future__ import annotations

import json

import pytest
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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--formula", "tf", "--model", "bm25"], "Error: give one model, by --model or by --formula"),
        (["--formula", "tf", "--formula", "df"], "Error: give one model, by --model or by --formula"),
        (["--set", "k=1"], ("Error: --set gives values to names in a --formula; parameters of a model are written "
            "bm25:b=0.4")),
        (["--formula", "tf", "--set", "k=1"], "toysearch: --set k: no formula has the name k"),
        (["--formula", "tf*k", "--set", "k"],
         "toysearch: --set 'k' is not of the form NAME=VALUE; an example: --set k=1.2"),
        (["--formula", "tf*k", "--set", "k="],
         "toysearch: --set 'k=' is not of the form NAME=VALUE; an example: --set k=1.2"),
        (["--formula", "tf*k", "--set", "=1"],
         "toysearch: --set '=1' is not of the form NAME=VALUE; an example: --set k=1.2"),
        (["--formula", "tf*k", "--set", "k=1", "--set", "k=2"], "toysearch: --set gives k twice: 1 and 2"),
        (["--formula", "tf*k", "--set", "k=x"], "toysearch: k of formula:tf*k must be a number, not 'x'"),
        (["--formula", "tf*df", "--set", "df=2"],
         "toysearch: df already has a meaning in formulas; choose another name for 2"),
        (["--formula", "tf*9**9**9**9"],
         "toysearch: model 'formula:tf*9**9**9**9' gives inf for the term 'train' in document '1' (tf=1); every weight "
         "must be a finite number"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(arguments, sentence):
    result = run("search", PETS, "train", *arguments)
    assert (result.exit_code != 0, result.stdout) == (True, "")
    assert result.stderr.splitlines()[-1] == sentence


def test_a_run_typed_by_hand_takes_no_formula():
    result = run("score", "R I", "--formula", "tf")
    assert result.exit_code == 2
    assert "No such option '--formula'" in result.stderr


def test_runs_that_are_made_take_no_formula():
    result = run("eval", "mine.run", PETS, "--formula", "tf", "--model", "bm25", "-k", "3")
    assert result.stderr.endswith(
        "Error: --model, --formula, -k: only with one COLLECTION; run files are scored as they are\n"
    )


def test_a_name_without_a_value_says_how_to_give_one():
    result = run("search", PETS, "train", "--formula", "tf * kappa")
    assert result.exit_code == 2
    assert result.stderr.endswith("give a name of your own its value: --set kappa=1.2\n")


def test_the_page_of_a_formula_shows_its_values_and_the_formula_as_its_code():
    assert run("models", "--formula", FORMULA, "--set", "k=1.5").stdout == (
        "formula:tf/(tf+k) * log(N/df):k=1.5\n\n"
        "A formula typed by hand: tf/(tf+k) * log(N/df).\n\n"
        "Parameters and their ranges\n---------------------------\n"
        "name  value  default  range\nk     1.5    none     a finite number\n\n"
        "Code\n----\ntf/(tf+k) * log(N/df)\n"
    )


def test_the_page_of_a_mixture_lists_its_parts():
    mixture = "0.7*bm25:b=0.4 + 2*min-max(f2log)*prior:year"
    shown = run("models", mixture)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == mixture
    assert [line.split()[:3] for line in lines[2:]] == [
        ["weight", "scores", "of"], ["0.7", "bm25:b=0.4", "none"], ["2", "f2log", "min-max"],
        ["prior:year", "none", "numbers"]
    ]  # fmt: skip
    [first, second, third] = json.loads(run("models", mixture, "--json").stdout)
    assert (first["weight"], first["scores"], first["normalised"]) == (0.7, "bm25:b=0.4", "none")
    assert second["formula"] == "F2-LOG: ln((N + 1)/df) · tf / (tf + s + s · dl/avgdl)."
    assert third["weight"] is None


def test_one_page_at_a_time():
    assert run("models", "bm25", "tfidf").stderr.endswith(
        "Error: only one model can be explained at a time; several need --curve\n"
    )
