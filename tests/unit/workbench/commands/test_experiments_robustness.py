"""`toysearch robustness`: what it prints, and what it refuses."""

import json
from functools import partial
from pathlib import Path

import pytest
import shell

import toysearch

run = partial(shell.run, "robustness")


def test_exact_matches(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat, parrot\n")
    printed = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(words), "--all").stdout
    assert "Of 5 relevant documents, 60.0% contain all terms of their query, 40.0% some, 0.0% none.\n" in printed
    rows = json.loads(run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(words), "--json").stdout)
    (row,) = next(each["rows"] for each in rows["inputs"] if each["name"] == "related words only")
    assert f"With other words, bm25 keeps {row['after'] / row['before']:.0%} of its AP.\n" in printed


@pytest.mark.system
def test_rows_for_programs():
    result = run("cat-dog-parrot", "--only", "spelling", "--tsv")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    names = (
        "property input system measure queries before after difference low high p corrected where text_before "
        "text_after"
    )
    assert " ".join(lines[0]) == names
    assert lines[1][:5] == ["spelling", "a neighbouring key", "bm25", "AP", "3"]
    assert lines[1][-3:] == ["query 1", "train cat", "traih cat"]
    one_query = run("cat-dog-parrot", "--queries", "1", "--only", "spelling", "--tsv").stdout.splitlines()[1]
    assert one_query.split("\t")[8:10] == ["", ""]  # one query allows no interval
    assert result.stderr == ""


@pytest.mark.system
def test_json_has_all_there_is():
    found = shell.json_of(run("cat-dog-parrot", "--json", "--seed", "5").stdout)
    whole = toysearch.robustness("bm25", "cat-dog-parrot", seed=5).data()
    assert list(found) == list(whole)
    assert found["inputs"][0]["rows"][0] == whole["inputs"][0]["rows"][0]
    assert (found["seed"], len(found["inputs"])) == (5, len(whole["inputs"]))


def test_a_thesaurus(tmp_path: Path):
    path = tmp_path / "pets.txt"
    path.write_text("parrot, hamster\n")
    printed = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(path), "--all").stdout
    assert "(query 3)\n   - train parrot\n   + train hamster\n" in printed
    path.write_text("parrot\n")
    result = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(path))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"toysearch: {path}:1: expected words separated by commas")
