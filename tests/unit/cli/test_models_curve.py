"""`toysearch models --curve`: numbers, plot and what stays where."""

from __future__ import annotations

import json
from functools import partial
from math import log

import pytest
import shell

import toysearch
from toysearch.laboratory.results.text_charts import text_plot

run = partial(shell.run, "models")


def test_a_table_a_plot_and_what_stays():
    shown = run("formula:log(tf) * dl", "--curve", "tf", "--at", "dl=2").stdout
    plot = text_plot({"": ([1, 2], [0, 2 * log(2)])}, x_label="tf", y_label="weight")
    assert shown == (
        "tf  formula:log(tf) * dl\n"
        " 1                0.0000\n"
        " 2                1.3863\n\n"
        f"{plot}\n\n"
        "at dl=2\n"
    )  # fmt: skip
    assert "\nat " not in run("formula:tf", "--curve", "tf").stdout


def test_several_models_share_one_plot_and_one_list_of_what_stays():
    shown = run("bm25", "inl2", "--formula", "tf*k", "--set", "k=2", "--curve", "df", "--at", "N=100,tf=3").stdout
    assert "weight   • bm25   + inl2   × formula:tf*k:k=2\n" in shown
    assert shown.endswith("\nat tf=3, dl=100, N=100, avgdl=100\n")
    assert shown.splitlines()[0].split() == ["df", "bm25", "inl2", "formula:tf*k:k=2"]
    assert [line.split()[0] for line in shown.splitlines()[1:8]] == ["1", "2", "5", "10", "20", "50", "100"]


def test_what_one_model_makes_need_not_be_known_to_the_others():
    at = "average_idf=1,dl=3,dl_title=2"
    shown = run("bm25", "bm25-okapi", "bm25f", "--curve", "tf", "--at", at, "--json")
    data = json.loads(shown.stdout)
    assert (data["at"]["average_idf"], data["at"]["dl_title"], data["at"]["dl"]) == (1, 2, 3)
    assert (
        data["weights"]["bm25"]
        == json.loads(run("bm25", "--curve", "tf", "--at", "dl=3", "--json").stdout)["weights"]["bm25"]
    )
    refused = run("bm25", "bm25-okapi", "--curve", "tf", "--at", "average_id=1")
    assert refused.stderr.startswith("toysearch: unknown statistic 'average_id'. Statistics: tf, df, ")


def test_long_names_are_numbered_in_a_table_and_written_in_full_elsewhere():
    arguments = ("bm25", "--formula", "log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + 1.2)", "--curve", "tf")
    shown = run(*arguments).stdout
    assert shown.splitlines()[0] == "tf    bm25     (2)"
    assert "\n(2) formula:log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + 1.2)\n\n weight   • bm25   + (2)\n" in shown
    assert run(*arguments, "--tsv").stdout.startswith("tf\tbm25\tformula:log(1 + ")


def test_numbers_for_programs():
    data = json.loads(run("bm25", "bm25", "--curve", "dl", "--at", "avgdl=1", "--json").stdout)
    assert data["along"] == "dl"
    assert data["values"] == [2, 5, 10, 20, 50, 100]
    assert data["at"] == {"tf": 2, "df": 14, "N": 1400, "avgdl": 1}
    assert list(data["weights"]) == ["bm25"]
    expected = toysearch.model("bm25").weight(tf=2, dl=5, df=14, N=1400, avgdl=1)
    assert data["weights"]["bm25"][1] == expected
    assert run("bm25", "--curve", "dl", "--tsv").stdout.startswith("dl\tbm25\n2\t")


def test_a_function_of_ones_own(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n")
    assert run(f"{path}:rank", "--curve", "tf", "--tsv").stdout.splitlines()[1] == "1\t0.5"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--curve", "tf"], "Error: --curve needs the NAME of a model, or a --formula"),
        (["bm25", "--at", "dl=3"], "Error: --at gives the other statistics of a --curve; give --curve too"),
        (["bm25", "--curve", "dl", "--at", "dl=3"], "toysearch: dl changes along the curve and cannot be fixed at 3"),
        (["bm25", "--curve", "tf", "--at", "dl"],
         "toysearch: --at: 'dl' is not of the form NAME=VALUE; an example: dl=100,N=1000"),
        (["bm25", "--curve", "tf", "--at", "dl=x"],
         "toysearch: --at: 'dl=x' is not of the form NAME=VALUE; an example: dl=100,N=1000"),
        (["bm25", "--curve", "tf", "--at", "dl=nan"], "toysearch: dl must be 1 or more, not nan"),
        (["bm25", "--curve", "tf", "--at", "df=20,N=10"],
         "toysearch: df 20 cannot be above N 10 in any posting"),
        (["formula:tf/(N-N)", "--curve", "tf"],
         "toysearch: there is no point to draw: all are undefined, infinite, or not above 0 on a logarithmic axis"),
        (["0.5*bm25 + 0.5*tfidf", "--curve", "tf"],
         "toysearch: '0.5*bm25 + 0.5*tfidf' adds scores and has no weight itself; name its models separately"),
        (["bm25-okapi", "--curve", "tf"],
         "toysearch: bm25-okapi computes average_idf from a whole collection; give it a value: --at average_idf=5"),
    ],
)  # fmt: skip
def test_what_has_no_curve_is_refused(arguments, sentence):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == sentence
