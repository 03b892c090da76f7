"""`toysearch gate`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
import shell

WORSE = "1 Q0 3 1 3 w\n1 Q0 1 2 2 w\n2 Q0 2 1 2 w\n2 Q0 3 2 1 w\n3 Q0 1 1 2 w\n3 Q0 3 2 1 w\n"
GATE = """run = "worse.run"
collection = "cat-dog-parrot"

[[expect]]
query = 1
document = 1
in_first = 2

[[expect]]
name = "as good as ever"
measure = "AP"
at_least = 0.5
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "worse.run").write_text(WORSE)
    (tmp_path / "relevance.toml").write_text(GATE)
    return tmp_path


run = partial(shell.run, "gate")


def test_what_fails_comes_first():
    result = run("relevance.toml")
    assert result.exit_code == 1
    assert result.stdout == (
        "FAIL relevance.toml:9\n"
        "     as good as ever: AP of worse.run is at least 0.5\n"
        "     it is 0.4167, 0.0833 too low\n"
        "     query   value  text\n"
        "     1      0.2500  train cat\n"
        "     2      0.5000  train dog\n"
        "     3      0.5000  train parrot\n"
        "pass relevance.toml:4 query 1 has document 1 in the first 2 (worse.run): rank 2\n"
    )
    assert result.stderr == "1 of 2 expectations fails\n"


def test_all_hold(folder):
    (folder / "relevance.toml").write_text(GATE.replace("0.5", "0.4"))
    result = run("relevance.toml")
    assert (result.exit_code, result.stderr) == (0, "2 expectations hold\n")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["pass", "pass"]
    assert run("relevance.toml", "--json").exit_code == 0


def test_one_expectation(folder):
    (folder / "relevance.toml").write_text(GATE.rpartition("[[")[0])
    assert run("relevance.toml").stderr == "1 expectation holds\n"
    (folder / "relevance.toml").write_text(GATE.replace("in_first = 2", "in_first = 1"))
    assert run("relevance.toml").stderr == "2 of 2 expectations fail\n"


def test_a_fall_shows_both_values(folder):
    (folder / "better.run").write_text(WORSE.replace("1 Q0 3 1 3 w\n", ""))
    text = GATE.partition("[[")[0] + '[[expect]]\nmeasure = "AP"\nbaseline = "better.run"\nquery_may_fall_by = 0.2\n'
    (folder / "relevance.toml").write_text(text)
    assert run("relevance.toml").stdout == (
        "FAIL relevance.toml:4\n"
        "     AP of no query falls by more than 0.2 from better.run to worse.run\n"
        "     1 of 3 queries falls by more, one by 0.2500\n"
        "     query   value  baseline  text\n"
        "     1      0.2500    0.5000  train cat\n"
    )


def test_many_queries_are_cut(folder):
    (folder / "qrels.txt").write_text("".join(f"{number} 0 a 1\n" for number in range(12)))
    (folder / "relevance.toml").write_text(
        'run = "worse.run"\nqrels = "qrels.txt"\n[[expect]]\nmeasure = "AP"\nevery_query_at_least = 0.1\n'
    )
    lines = run("relevance.toml").stdout.splitlines()
    assert lines[2] == "     12 of 12 queries are below, the lowest with 0.0000"
    assert lines[3:5] == ["     query   value", "     0      0.0000"]  # no text is known
    assert lines[-1] == "     … and 2 more"
    assert len(json.loads(run("relevance.toml", "--json").stdout)["outcomes"][0]["queries"]) == 12


def test_other_forms():
    result = run("relevance.toml", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["path"], found["passed"]) == ("relevance.toml", False)
    assert [one["line"] for one in found["outcomes"]] == [4, 9]
    assert run("relevance.toml", "--tsv").stdout.splitlines()[1] == (
        "4\tyes\tquery 1 has document 1 in the first 2 (worse.run)\trank 2\t"
    )


@pytest.mark.parametrize("text", ["", 'collection = "cat-dog-parrot"\n'])
def test_nothing_to_test(folder, text):
    (folder / "relevance.toml").write_text(text)
    result = run("relevance.toml")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == ("relevance.toml: no expectation found; expected one table [[expect]] per expectation\n")
    result = run("relevance.toml", "--json")
    assert (result.exit_code, json.loads(result.stdout)["outcomes"]) == (1, [])


def test_a_bad_file(folder):
    (folder / "relevance.toml").write_text(GATE.replace("at_least", "atleast"))
    result = run("relevance.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "toysearch: relevance.toml:12: unknown key 'atleast'; did you mean 'at_least'? Keys: name, system, measure, "
    )
    assert run("nowhere.toml").stderr == "toysearch: nowhere.toml: there is no such file\n"
    (folder / "relevance.toml").write_bytes(b"\xff\xfe\x00")
    assert run("relevance.toml").exit_code == 2


def test_paths_are_relative_to_the_file(folder, monkeypatch):
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert run("../relevance.toml").stdout.startswith("FAIL ../relevance.toml:9\n")
