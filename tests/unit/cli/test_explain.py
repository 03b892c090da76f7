"""`toysearch explain`: whole outputs, worked by hand, and whole messages for what makes no sense."""

import json
from functools import partial

import pytest
import shell

DOCUMENTS = [
    {"_id": "a", "title": "Of cats", "text": "cat cat cat cat dog"},
    {"_id": "b", "text": "cat dog"},
    {"_id": "c", "text": "fox fox"},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A collection of three documents and two queries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets" / "qrels").mkdir(parents=True)
    lines = "".join(json.dumps(document) + "\n" for document in DOCUMENTS)
    (tmp_path / "pets" / "corpus.jsonl").write_text(lines)
    queries = '{"_id": "q1", "text": "cat  dog"}\n{"_id": "q2", "text": "fox"}\n'
    (tmp_path / "pets" / "queries.jsonl").write_text(queries)
    (tmp_path / "pets" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t2\nq1\ta\t0\nq2\tc\t1\n")
    return tmp_path


run = partial(shell.run, "explain")


@pytest.mark.system
def test_json_has_everything(folder):
    data = json.loads(run("pets", "--query-id", "q1", "--doc", "a", "--doc", "b", "--json").stdout)
    assert (data["query"], data["query_id"], data["model"]) == ("cat  dog", "q1", "bm25")
    assert [(one["doc_id"], one["rank"]) for one in data["documents"]] == [("a", 2), ("b", 1)]
    [cat, _] = data["documents"][1]["explanation"]["parts"]
    assert cat["expressions"][2] == {
        "name": "weight",
        "formula": "idf · tf / (tf + k1 · length)",
        "numbers": "0.470004 · 1 / (1 + 1.2 · 0.659091)",
        "value": cat["parts"][0]["value"],
    }
    order = data["order"]
    assert (order["above"], order["below"], order["ranks"]) == ("b", "a", [1, 2])
    assert sum(part["ahead"] for part in order["parts"]) == pytest.approx(order["ahead"])
    assert [(turn["parameter"], turn["turns"]) for turn in data["turns"]] == [("b", True), ("k1", True), ("k3", False)]
    alone = json.loads(run("pets", "--query-id", "q1", "--doc", "b", "--json").stdout)
    assert alone["order"]["against"]["doc_id"] == "a"
    assert run("pets", "--query-id", "q1", "--doc", "b", "--format", "csv").stdout.splitlines()[0] == (
        "kind,name,above,below,ahead"
    )


@pytest.mark.system
@pytest.mark.parametrize("named", [["p057", "removing a tick"], ["removing a tick", "p057", "p224"]])
def test_a_query_among_the_documents_is_told_its_place_and_the_advice_works(named, tmp_path):
    sentence = shell.refusal("explain", "companions", *named)
    assert sentence.startswith("Error: the text of the query stands after --query: toysearch explain companions p057")
    answer = shell.typed(sentence.partition("--query: ")[2], tmp_path)
    assert (answer.exit_code, answer.stdout.splitlines()[0]) == (0, "query: removing a tick")
