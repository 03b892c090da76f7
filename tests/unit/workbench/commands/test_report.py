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
    run("cat-dog-parrot", *MODELS, "-o", "a.html")
    assert (folder / "a.html").read_text(encoding="utf-8") == page


def test_json_has_what_the_page_shows(folder):
    result = run("cat-dog-parrot", *MODELS, "--json", "-o", "a.html", "-m", "AP RR")
    data = json.loads(result.stdout)
    assert (folder / "a.html").exists()
    assert [each["measure"] for each in data["measures"]] == ["AP", "RR"]
    assert len(data["per_query"]) == 6
    assert data["repeat"]["command"]["command"].endswith("-m 'AP RR'")
    assert data["left_out"] == []


def test_json_alone_writes_no_file(folder):
    assert json.loads(run("cat-dog-parrot", *MODELS, "--json").stdout)["systems"]
    assert list(folder.iterdir()) == []


def test_an_index(folder):
    index = Index.build(load("cat-dog-parrot"))
    index.save("pets")
    result = run("pets", *MODELS, "--json")
    assert result.stderr == ""
    data = json.loads(result.stdout)
    assert data["repeat"]["index"]["SHA-256"] == json.loads((folder / "pets" / "manifest.json").read_text())["sha256"]


def test_run_files(folder):
    (folder / "qrels").write_text("".join(f"q{n} 0 a 1\n" for n in range(30)))
    (folder / "x").write_text("".join(f"q{n} Q0 a 1 {n} x\n" for n in range(30)))
    (folder / "y").write_text("".join(f"q{n} Q0 b 1 2 y\nq{n} Q0 a 2 1 y\n" for n in range(30)))
    result = run("--qrels", "qrels", "x", "y", "-o", "a.html", "--json", "-m", "RR")
    data = json.loads(result.stdout)
    assert data["left_out"] == [
        "The texts of the queries: the judgments are a file, not a collection.",
        "Models and index: the systems are run files.",
    ]
    assert data["measures"][0]["means"] == {"x": evaluate("x", "qrels", "RR")["RR"], "y": 0.5}
    assert data["queries"] == {}
    assert "runs (SHA-256)" in data["repeat"]


def test_a_page_of_one_system(folder):
    result = run("cat-dog-parrot", "--model", "bm25", "-o", "a.html")
    assert result.stdout.startswith("a.html: bm25 on cat-dog-parrot (")
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert '<td style="text-align:left">bm25</td><td style="text-align:left"><strong>1.0000</strong></td>' in page
    assert 'id="queries-1"' not in page


def test_a_page_of_one_run(folder):
    (folder / "x.run").write_text("q1 Q0 a 1 1 x\nq2 Q0 b 1 1 x\n")
    (folder / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    run("--qrels", "qrels", "x.run", "-m", "RR", "-o", "a.html")
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert '<td style="text-align:left">x</td><td style="text-align:left"><strong>0.5000</strong></td>' in page
