"""`toysearch robustness`: what it prints, and what it refuses."""

from functools import partial
from pathlib import Path

import pytest
import shell

import toysearch

run = partial(shell.run, "robustness")


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
    row = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(path), "--tsv").stdout.splitlines()[1]
    assert row.split("\t")[-3:] == ["query 3", "train parrot", "train hamster"]
    path.write_text("parrot\n")
    result = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(path))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"toysearch: {path}:1: expected words separated by commas")
