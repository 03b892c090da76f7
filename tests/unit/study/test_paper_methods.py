"""The methods paragraph of a paper: every system, formula, measure, test and version is in it, each once."""

import json
import re

import pytest
from shell import done, run

from toysearch import MEASURES, MODELS, __version__
from toysearch.evaluation.measures.measure import measure_facts


def paragraph(command, *options):
    return " ".join(done(command, "cat-dog-parrot", *options, "--methods").stdout.split())


def test_everything_that_a_reader_needs_is_said_once():
    text = paragraph("eval", "--model", "bm25:b=0.4", "--model", "dice", "-m", "RR nDCG@2")
    assert text.startswith(
        "We used cat-dog-parrot: 4 documents, 3 queries, 12 judgments; a document is relevant from grade 0.5. "
        "bm25:b=0.4 and dice read texts by the analyzer plain. bm25:b=0.4 (k1=1.2, b=0.4, k3=none): BM25 as in Lucene: "
    )
    for sentence in (MODELS["bm25"].summary, MODELS["dice"].summary, measure_facts("nDCG")["formula"] + "; "):
        assert text.count(sentence) == 1
    assert "Each system ranks at most 1,000 documents per query." in text
    assert text.endswith(".")
    assert f"All figures were computed with toysearch {__version__}, Python " in text


def test_each_part_of_a_mixture_has_its_formula():
    text = paragraph("eval", "--model", "0.3*bm25 + 0.7*min-max(dph)")
    assert "0.3*bm25 + 0.7*min-max(dph) (weight1=0.3, weight2=0.7): Sum of weighted scores. bm25 (k1=" in text
    assert " dph: DPH" in text


def test_compare_names_the_test_and_analyses_are_told_apart():
    text = paragraph("compare", "--model", "bm25", "--analyzer", "plain", "--analyzer", "english", "-m", "P@3")
    assert "the share of the first k documents that is relevant (Σ r(i) / k, k = 3; " in text
    assert "bm25 · plain reads texts by the analyzer plain. bm25 · english reads texts by the analyzer english:" in text
    assert (
        "Differences were paired by query and tested by the t test; p-values and confidence intervals are corrected "
        "(holm) for 1 comparison; alpha is 0.05." in text
    )


def test_a_run_was_made_elsewhere(tmp_path):
    file = tmp_path / "a.run"
    file.write_text("1 Q0 1 1 1 mine\n")
    text = " ".join(done("eval", file, "cat-dog-parrot", "-m", "RR", "--methods").stdout.split())
    assert "3 queries, 12 judgments; a document is relevant from grade 0.5. mine is a run made elsewhere." in text
    assert "by falling document id, as in trec_eval" in text


def test_latex_and_json():
    latex = paragraph("eval", "-m", "RR P@2", "--format", "latex")
    assert "$\\Sigma$" in latex
    assert not re.search(r"(?<!\\)[&%#_]", latex)
    text = json.loads(done("eval", "cat-dog-parrot", "-m", "RR", "--methods", "--json").stdout)["paragraph"]
    assert text == paragraph("eval", "-m", "RR")


@pytest.mark.parametrize("others", [["--bounds"], ["--convention", "all"], ["--format", "trec_eval"], ["--csv"]])
def test_what_has_no_such_paragraph(others):
    refused = run("eval", "cat-dog-parrot", "--methods", *others)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--methods describes one table" in refused.stderr or "--format csv is for tables" in refused.stderr


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_every_measure_can_be_described(name):
    assert measure_facts(name)["formula"]
