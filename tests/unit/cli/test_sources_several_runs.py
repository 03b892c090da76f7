"""A note that several runs share is given once, with their names or "in all n runs", by each command with runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell import done, refused, run

COMMANDS = {
    "eval": [],
    "compare": [],
    "diff": [],
    "report": ["--json"],
}
QUERIES = [f"q{number}" for number in range(12)]
QRELS = "".join(f"{query} 0 d{grade} {grade}\n" for query in QUERIES for grade in (1, 2, 3, 4))
RANKINGS = {  # tag: the documents of every query, best first
    "falling": "d1 d2 d3 d4",
    "alike": "d1 d3 d2 d4",
    "rising": "d4 d3 d2 d1",
}


def written(folder, tags):
    paths = []
    for tag in tags:
        lines = [
            f"{query} Q0 {doc_id} {rank} {10 - rank} {tag}\n"
            for query in QUERIES
            for rank, doc_id in enumerate(RANKINGS[tag.rstrip("2")].split(), 1)
        ]
        paths.append(folder / f"{tag}.run")
        paths[-1].write_text("".join(lines), encoding="utf-8")
    (folder / "qrels.txt").write_text(QRELS, encoding="utf-8")
    return [*map(str, paths), str(folder / "qrels.txt")]


NAMED = {
    ("falling", "falling2"): "in both runs: ",
    ("falling", "alike", "falling2"): "in all 3 runs: ",
    ("falling", "rising", "alike"): "falling, alike: ",
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("tags", NAMED)
def test_a_note_of_several_runs_is_given_once(tmp_path, name, tags):
    if name == "diff" and len(tags) > 2:
        tags = tags[:2]
        if "rising" in tags:
            return
    result = run(name, *written(tmp_path, tags), *COMMANDS[name])
    assert result.exit_code == 0
    notes = [line for line in result.stderr.splitlines() if line.startswith("note: ")]
    backwards = [line for line in notes if "runs backwards" in line]
    assert [line.split("grades:")[0] for line in backwards] == [f"note: {NAMED.get(tags, 'in both runs: ')}"]
    assert "nDCG(gains={1:4,2:3,3:2,4:1})" in backwards[0]
    assert len({*notes}) == len(notes)


def test_the_gains_of_the_note_turn_the_scale_round(tmp_path):
    falling, qrels = written(tmp_path, ["falling"])
    result = run("eval", falling, qrels, "-m", "nDCG(gains={1:4,2:3,3:2,4:1})", "--tsv")
    assert result.stdout.split()[-1] == "1.0"


@pytest.mark.parametrize("command", ["eval a.csv b.run judged.txt -m RR --tsv", "fuse a.csv b.run --method combsum"])
def test_named_columns_are_those_of_the_runs_that_have_columns(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("x,y,z\n1,d1,3\n1,d2,2\n")
    Path("b.run").write_text("1 Q0 d2 1 4 b\n")
    Path("judged.txt").write_text("1 0 d2 1\n")
    named = ["--run-columns", "query=x,doc=y,score=z"]
    printed = {"eval": "system\tRR\na\t0.5\nb\t1.0\n", "fuse": "1 Q0 d1 1 1 combsum\n"}
    name, *words = command.split()
    assert done(name, *words, *named).stdout.startswith(printed[name])
    alone = [word for word in words if word != "a.csv"]
    assert "b.run has no columns with names; leave out --run-columns" in refused(name, *alone, *named)
