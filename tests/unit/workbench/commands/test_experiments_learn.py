"""`toysearch learn`: what is printed, written and refused; values: tests/oracles."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import shell

from toysearch.workbench.learning.learned_ranker import LearnedRanker, Linear, PoolPart, save_ranker

learn = partial(shell.done, "learn")
SMALL = ("--learner", "logistic", "--features", "bm25 min-max(bm25) length", "--pool", "bm25@20")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_blanks_within_brackets_and_around_operators_belong_to_a_feature():
    names = ["mmr(0.5*bm25 + 0.5*dph, lambda=0.7)", "bm25@5 >> dph", "length"]
    learn("cat-dog-parrot", "--learner", "logistic", "--folds", "2", "--features", "  ".join(names), "-o", "ranker")
    assert json.loads(Path("ranker", "ranker.json").read_text())["features"] == names


@pytest.mark.system
def test_everything_is_in_the_data():
    found = json.loads(learn("companions", *SMALL, "--json", "-o", "ranker").stdout)
    assert (found["learner"], found["queries"], found["pool"]) == ("logistic", 58, [{"model": "bm25", "k": 20}])
    values = found["held_out"]["per_query"]
    assert sum(values.values()) / len(values) == pytest.approx(found["held_out"]["value"])
    assert found["held_out_difference"]["difference"] == pytest.approx(
        found["held_out"]["value"] - found["baseline"]["value"]
    )
    assert sorted(query for fold in found["folds"] for query in fold["query_ids"]) == sorted(values)
    assert {use["feature"] for use in found["features"]} == {"bm25", "min-max(bm25)", "length"}
    described = json.loads(Path("ranker", "ranker.json").read_text())
    assert described["training"]["held_out"] == found["held_out"]["value"]


@pytest.mark.system
def test_the_saved_ranker_ranks_and_is_told_to_be_optimistic():
    table = learn("companions", *SMALL, "-o", "ranker", "--run", "held-out.run").stdout
    fitted = next(line for line in table.splitlines() if line.startswith("learned, on the same queries"))
    found = shell.done("eval", "companions", "--model", "learned:ranker", "-m", "AP", "--json")
    assert f"{json.loads(found.stdout)['systems'][0]['measures']['AP']:.4f}" == fitted.split()[5]
    assert (
        "note: learned:ranker was learned from 58 of the 58 judged queries, so its values are optimistic"
        in found.stderr
    )
    held_out = shell.done("eval", "held-out.run", "--qrels", "companions", "-m", "AP", "--json")
    row = next(line for line in table.splitlines() if line.startswith("learned, held out"))
    assert f"{json.loads(held_out.stdout)['systems'][0]['measures']['AP']:.4f}" == row.split()[5]


@pytest.mark.system
@pytest.mark.parametrize(
    "command",
    [
        "diff companions --model bm25 --model learned:ranker",
        "tune companions --grid weight2=0.5 --model learned:ranker+0.5*bm25",
        "robustness companions --only rare --model learned:ranker",
        "ablate companions --model learned:ranker",
    ],
)
def test_every_measurement_tells_that_a_ranker_has_seen_the_queries(command):
    seen = {"collection": "companions", "query_ids": [str(number) for number in range(1, 59)]}
    length = Linear(0.0, *np.array([[1.0], [0.0], [1.0]]))
    save_ranker(LearnedRanker("logistic", ("length",), (PoolPart("bm25", 5),), length, seen), "ranker")
    told = shell.done(*command.split()).stderr
    note = "note: learned:ranker was learned from 58 of the 58 judged queries, so its values are optimistic"
    assert told.count(note) == 1


@pytest.mark.system
def test_a_ranker_replaces_only_a_ranker():
    learn("companions", *SMALL, "-o", "ranker")
    learn("companions", *SMALL, "--seed", "1", "-o", "ranker")
    Path("ranker", "notes.txt").write_text("mine")
    told = shell.refusal("learn", "companions", *SMALL, "-o", "ranker")
    assert told == "toysearch: ranker holds notes.txt, which is not a part of a ranker; name another folder"
    told = shell.refusal("learn", "companions", *SMALL, "-o", "ranker/notes.txt")
    assert told == f"toysearch: {Path('ranker', 'notes.txt')} is a file; name a folder for the ranker"


@pytest.mark.system
def test_a_ranker_has_no_parameters():
    learn("companions", *SMALL, "-o", "ranker")
    assert "k1" in shell.refusal("tune", "companions", "--model", "learned:ranker", "--grid", "k1=1,2")
    found = shell.done("explain", "companions", "--query", "train a cat", "p268", "--model", "learned:ranker")
    assert "the model has no parameter that could swap them" in found.stdout
    switched = shell.done("ablate", "companions", "--model", "learned:ranker", "--json").stdout
    names = {each["ingredient"] for each in json.loads(switched)["switches"]}
    assert "stemming" in names
    assert "idf" not in names  # its function fits scores with idf
    told = shell.refusal("search", "companions", "train a cat", "--model", "learned:ranker:k1=1")
    assert "ranker:k1=1: there is no such folder; expected that of a ranker" in told


@pytest.mark.system
def test_the_features_of_a_ranker_are_listed():
    learn("companions", *SMALL, "-o", "ranker")
    rows = json.loads(shell.done("models", "learned:ranker", "--json").stdout)
    assert [row["feature"] for row in rows] == ["bm25", "min-max(bm25)", "length"]
    assert rows[2]["meaning"] == "length of the document in tokens"
    learn("companions", "--learner", "boosting:trees=5", *SMALL[2:], "-o", "ranker")
    rows = json.loads(shell.done("models", "learned:ranker", "--json").stdout)
    assert sum(row["share"] for row in rows) > 0
