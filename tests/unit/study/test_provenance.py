"""What made a run or a number: checksums by hand, the record beside a run, the block in JSON."""

import hashlib
import json
import struct

import pytest
from shell import done, run

from toysearch import Index, Qrels, Run, load, read_run
from toysearch.base import Document, Query
from toysearch.study import provenance


def sha(*parts):
    return hashlib.sha256(b"".join(struct.pack("<q", len(part)) + part for part in parts)).hexdigest()


def test_by_hand():
    assert provenance.queries_checksum([Query("1", "cat")]) == sha(b"1", b"cat")
    assert provenance.documents_checksum([Document("1", "é", "T", {"W": "x"})]) == sha(b"1", "é".encode(), b"T")
    qrels = Qrels.from_dict({"1": {"a": 2, "bc": 0}})
    columns = (struct.pack("<q", 1) + b"1", struct.pack("<2q", 1, 2) + b"abc")
    assert provenance.ids_checksum(qrels) == sha(*columns, struct.pack("<2q", 0, 2), struct.pack("<2d", 2, 0))


@pytest.mark.parametrize(
    "others", [{"1": {"a": 1, "b": 2}}, {"1": {"b": 1, "a": 2}}, {"1": {"ab": 2}}, {"2": {"a": 2, "b": 1}}]
)
def test_any_difference_counts(others):
    for kind in (Run, Qrels):
        same = kind.from_dict({"1": {"a": 2, "b": 1}})
        assert provenance.ids_checksum(kind.from_dict(others)) != provenance.ids_checksum(same)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done("run", "cat-dog-parrot", "--model", "bm25:b=0.4", "-o", "a.run")
    done("run", "cat-dog-parrot", "--model", "dice", "-o", "b.run")
    return tmp_path


def test_beside_a_run_stands_what_made_it(runs):
    record = json.loads((runs / "a.run.json").read_text(encoding="utf-8"))
    assert record["file"] == {"name": "a.run", "SHA-256": hashlib.sha256((runs / "a.run").read_bytes()).hexdigest()}
    assert record["command"]["command"] == "toysearch run cat-dog-parrot --model bm25:b=0.4 -o a.run"
    collection = load("cat-dog-parrot")
    assert record["collection"]["documents (SHA-256)"] == provenance.documents_checksum(collection.documents)
    assert record["index"]["SHA-256"] == Index.build(collection).checksum
    assert record["models"] == {"bm25:b=0.4": "bm25:k1=1.2,b=0.4,k3=none"}
    assert record["choices"]["k"] == "1000"


def test_a_fused_run_names_the_runs_that_it_is_made_of(runs):
    done("fuse", "a.run", "b.run", "-o", "f.run")
    record = json.loads((runs / "f.run.json").read_text(encoding="utf-8"))
    assert record["runs (SHA-256)"] == {
        name: provenance.ids_checksum(read_run(f"{file}.run"))
        for name, file in {"bm25:b=0.4": "a", "dice": "b"}.items()
    }


def test_check_reads_it_back_and_tells_a_changed_file(runs):
    made = "made by toysearch run cat-dog-parrot --model bm25:b=0.4 -o a.run (as a.run.json says)"
    lines = run("check", "a.run").stdout.splitlines()
    assert lines[0] == made
    assert "models: bm25:b=0.4 bm25:k1=1.2,b=0.4,k3=none" in lines
    with (runs / "a.run").open("a") as file:
        file.write("1 Q0 9 9 0 x\n")
    assert run("check", "a.run").stdout.splitlines()[0] == f"{made}; a.run has changed since"


@pytest.mark.parametrize("targets", [["."], ["a.run", "a.run.json", "b.run", "b.run.json"]])
def test_it_is_no_system_of_a_folder_or_a_pattern(runs, targets):
    assert (
        done("eval", *targets, "cat-dog-parrot", "-m", "AP").stdout.splitlines()[1:3]
        == (done("eval", "a.run", "b.run", "cat-dog-parrot", "-m", "AP").stdout.splitlines()[1:3])
    )


def test_a_file_of_the_user_is_not_replaced(runs):
    (runs / "c.run.json").write_text('{"1": {"a": 1}}')
    refused = run("run", "cat-dog-parrot", "-o", "c.run")
    assert refused.exit_code == 2
    assert "'c.run.json' already exists and is not what toysearch keeps beside a run" in refused.stderr
    assert not (runs / "c.run").exists()
    assert (runs / "c.run.json").read_text() == '{"1": {"a": 1}}'
    done("run", "cat-dog-parrot", "-o", "a.run")  # its own is


@pytest.mark.parametrize(
    "arguments", [("eval",), ("compare", "--model", "dice"), ("diff", "--model", "dice"), ("ablate",), ("robustness",)]
)
def test_json_says_what_made_its_numbers(arguments):
    command, *options = arguments
    repeat = json.loads(done(command, "cat-dog-parrot", "--model", "bm25", *options, "--json").stdout)["repeat"]
    assert repeat["collection"]["name"] == "cat-dog-parrot"
    assert repeat["index"]["SHA-256"] == Index.build(load("cat-dog-parrot")).checksum
    assert repeat["models"]["bm25"] == "bm25:k1=1.2,b=0.75,k3=none"
    assert repeat["command"]["command"].startswith(f"toysearch {command} cat-dog-parrot --model bm25")
    assert {"toysearch", "Python", "numpy"} <= repeat["versions"].keys()
