"""`toysearch report`: what it writes, what it prints, and what it refuses."""

import json
from functools import partial

import pytest
import shell

from toysearch import Index, evaluate, load

pytestmark = pytest.mark.system

MODELS = ("--model", "bm25", "--model", "jaccard")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


run = partial(shell.done, "report")


def test_a_page_with_all(folder):
    result = run("cat-dog-parrot", *MODELS, "-o", "a.html")
    assert result.stdout.startswith("a.html: bm25 and jaccard on cat-dog-parrot (")
    assert result.stderr == ""
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "toysearch report cat-dog-parrot --model bm25 --model jaccard -o a.html" in page
    assert "5. Input errors" in page
    run("cat-dog-parrot", *MODELS, "-o", "a.html")
    assert (folder / "a.html").read_text(encoding="utf-8") == page


def test_json_has_what_the_page_shows(folder):
    result = run("cat-dog-parrot", *MODELS, "--json", "-o", "a.html", "-m", "AP RR", "--hardest", "1", "--depth", "2")
    data = json.loads(result.stdout)
    assert (folder / "a.html").exists()
    assert [each["measure"] for each in data["measures"]] == ["AP", "RR"]
    assert len(data["per_query"]) == 6
    (case,) = data["poorest"]
    assert [len(answer["came"]) for answer in case["answers"]] == [2, 2]
    assert data["robustness"]["measures"] == ["AP"]
    assert data["repeat"]["command"]["command"].endswith("--hardest 1 --depth 2")
    assert data["left_out"] == []


def test_json_alone_writes_no_file(folder):
    data = json.loads(run("cat-dog-parrot", *MODELS, "--json", "--no-robustness").stdout)
    assert data["robustness"] is None
    assert list(folder.iterdir()) == []


def test_without_the_card(folder):
    result = run("cat-dog-parrot", *MODELS, "-o", "a.html", "--no-robustness")
    assert result.stderr == "left out: The robustness card, as --no-robustness asks.\n"
    assert "The robustness card, as --no-robustness asks." in (folder / "a.html").read_text(encoding="utf-8")


def test_an_index(folder):
    index = Index.build(load("cat-dog-parrot"))
    index.save("pets")
    result = run("pets", *MODELS, "--json")
    assert result.stderr == ""
    data = json.loads(result.stdout)
    of_collection = json.loads(run("cat-dog-parrot", *MODELS, "--json").stdout)
    assert data["robustness"]["inputs"]
    assert data["robustness"] == of_collection["robustness"]
    assert data["repeat"]["index"]["SHA-256"] == json.loads((folder / "pets" / "manifest.json").read_text())["sha256"]
    assert data["documents"]


@pytest.mark.parametrize("topics", [(), ("--queries", "cat-dog-parrot", "--qrels", "cat-dog-parrot")])
def test_an_index_without_texts_has_no_card(folder, topics):
    Index.build(load("cat-dog-parrot"), store_text=False).save("pets")
    result = run("pets", *MODELS, *topics, "--json")
    assert result.stderr == (
        "left out: The robustness card: the index keeps no texts to alter; name the collection instead.\n"
    )
    assert json.loads(result.stdout)["robustness"] is None


def test_run_files(folder):
    (folder / "qrels").write_text("".join(f"q{n} 0 a 1\n" for n in range(30)))
    (folder / "x").write_text("".join(f"q{n} Q0 a 1 {n} x\n" for n in range(30)))
    (folder / "y").write_text("".join(f"q{n} Q0 b 1 2 y\nq{n} Q0 a 2 1 y\n" for n in range(30)))
    result = run("--qrels", "qrels", "x", "y", "-o", "a.html", "--json", "-m", "RR")
    data = json.loads(result.stdout)
    assert data["left_out"] == [
        "The texts of the queries: the judgments are a file, not a collection.",
        "Titles of documents, models and index: the systems are run files.",
        "The robustness card: it needs models that can rank altered input.",
    ]
    assert data["measures"][0]["means"] == {"x": evaluate("x", "qrels", "RR")["RR"], "y": 0.5}
    assert data["queries"] == data["documents"] == {}
    assert "runs (SHA-256)" in data["repeat"]


def test_a_page_of_one_system(folder):
    result = run("cat-dog-parrot", "--model", "bm25", "--no-robustness", "-o", "a.html")
    assert result.stdout.startswith("a.html: bm25 on cat-dog-parrot (")
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert '<tr><th scope="row">bm25</th><td class="right">1.0000</td>' in page
    assert 'id="queries"' not in page


def test_a_page_of_one_run(folder):
    (folder / "x.run").write_text("q1 Q0 a 1 1 x\nq2 Q0 b 1 1 x\n")
    (folder / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    run("--qrels", "qrels", "x.run", "-m", "RR", "-o", "a.html")
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert '<tr><th scope="row">x</th><td class="right">0.5000</td>' in page


def test_the_card_is_made_by_the_same_choices(folder):
    data = json.loads(run("cat-dog-parrot", *MODELS, "--json", "--seed", "3", "--threshold", "1", "-k", "2").stdout)
    assert [data["robustness"][name] for name in ("seed", "threshold", "k")] == [3, 1, 2]
    assert data["robustness"]["means"]["bm25"]["AP"] == data["measures"][0]["means"]["bm25"]
    assert data["repeat"]["choices"]["seed of the robustness card"] == "3"
