"""`toysearch models --curve`: numbers, plot and what stays where."""

import json
from functools import partial

import shell

import toysearch

run = partial(shell.run, "models")


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
