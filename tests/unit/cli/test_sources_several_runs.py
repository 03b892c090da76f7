"""A note that several runs share is given once, with their names or "in all n runs", by each command with runs."""

from __future__ import annotations

import pytest
from shell import run

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
