"""Texts that are no number, in every file that holds numbers: one sentence with the file and the line."""

import json
from pathlib import Path

import pytest
from shell import refusal

from toysearch import read_qrels, read_run
from toysearch.base.errors import DataError
from toysearch.workbench.clicks.click_log import read_clicks

BAD = [
    "--inf",
    "++inf",
    "-+inf",
    "--infinity",
    "++1",
    "+-1",
    "1e400",
    "nan",
    "-nan",
    "1_0",
    "0x10",
    "\u0663",
    "high",
    "1,5",
]
FILES = {
    "trec.run": (read_run, "1 Q0 a 1 2 t\n1 Q0 b 2 {} t\n", 2),
    "scores.csv": (read_run, "query_id,doc_id,score\n1,a,2\n1,b,{quoted}\n", 3),
    "scores.tsv": (read_run, "query_id\tdoc_id\tscore\n1\ta\t{}\n", 2),
    "run.json": (read_run, '{{"1": {{"a": {json}}}}}', 1),
    "trec.qrels": (read_qrels, "1 0 a 1\n1 0 b {}\n", 2),
    "grades.csv": (read_qrels, "query_id,doc_id,relevance\n1,a,{quoted}\n", 2),
    "grades.jsonl": (read_qrels, '{{"query_id": "1", "doc_id": "a", "relevance": {json}}}\n', 1),
    "grades.json": (read_qrels, '{{"1": {{"a": {json}}}}}', 1),
    "clicks.csv": (read_clicks, "session,query,rank,doc,clicked\n1,cats,1,a,0\n1,cats,2,b,{quoted}\n", 3),
    "ranks.csv": (read_clicks, "session,query,rank,doc,clicked\n1,cats,{quoted},a,0\n", 2),
}
"""Name of a file → its reader, its text with a place for a number, and the line of that place."""


def written(folder: Path, name: str, text: str, number: str) -> Path:
    (folder / name).write_text(text.format(number, json=json.dumps(number), quoted=f'"{number}"'), encoding="utf-8")
    return folder / name


CELLS = [(name, bad) for name in FILES for bad in BAD if (name, bad) != ("scores.tsv", "1,5")]  # a decimal comma there


@pytest.mark.parametrize(("name", "bad"), CELLS)
def test_a_file_with_one_is_refused_with_its_line(tmp_path, name, bad):
    read, text, line = FILES[name]
    path = written(tmp_path, name, text, bad)
    with pytest.raises(DataError) as error:
        read(path)
    message = str(error.value)
    assert message.startswith(f"{path}:{line}: ")
    assert "expected" in message
    assert bad in message or json.dumps(bad) in message


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_a_number_is_read(tmp_path, name):
    read, text, _ = FILES[name]
    (tmp_path / name).write_text(text.format("1", json="1", quoted="1"))
    assert len(read(tmp_path / name)) in (1, 2)


@pytest.mark.parametrize("infinite", ["inf", "-inf", "+Infinity", "-INF"])
def test_the_logarithm_of_nothing_is_a_score(tmp_path, infinite):
    run = read_run(written(tmp_path, "trec.run", FILES["trec.run"][1], infinite))
    assert run["1"]["b"] == float(infinite)


SHELL = {
    "pr.csv": ("doc_id,value\n1,{quoted}\n", ["search", "cat-dog-parrot", "cat", "--model", "bm25*prior:pr.csv"]),
    "v.jsonl": (
        '{{"_id": "1", "vector": [{json}, 1]}}\n',
        ["search", "cat-dog-parrot", "cat", "--model", "dense:v.jsonl"],
    ),
    "i.jsonl": (
        '{{"id": "1", "vector": {{"cat": {json}}}}}\n',
        ["search", "cat-dog-parrot", "cat", "--model", "impact:i.jsonl"],
    ),
    "gate.toml": ('[[expect]]\nmeasure = "AP"\nat_least = {json}\n', ["gate", "gate.toml"]),
    "two.run": ("1 Q0 1 1 {} t\n", ["fuse", "two.run", "two.run", "-o", "-"]),
    "one.run": ("1 Q0 1 1 {} t\n", ["eval", "one.run", "cat-dog-parrot"]),
}


@pytest.mark.parametrize("bad", ["--inf", "++1", "1e400x", "--infinity"])
@pytest.mark.parametrize("name", SHELL)
def test_a_command_refuses_it_with_its_line(tmp_path, monkeypatch, name, bad):
    monkeypatch.chdir(tmp_path)
    text, words = SHELL[name]
    written(tmp_path, name, text, bad)
    line = 3 if name == "gate.toml" else 2 if name == "pr.csv" else 1
    message = refusal(*words)
    assert f"{name}:{line}: " in message
    assert "expected" in message
    assert "\n" not in message
