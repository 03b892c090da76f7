"""A collection.toml with less than all files, and one whose judgments are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shell import run

import toysearch

pytestmark = pytest.mark.system

TOML = '[[files]]\nrole = "documents"\npath = "documents.csv"\nformat = "csv"\n'


def folder_with(tmp_path: Path, toml: str) -> Path:
    (tmp_path / "collection.toml").write_text(toml)
    (tmp_path / "documents.csv").write_text(
        "id,title,text\n1,Robot,red robot\n2,Cat,blue cat\n3,Both,green cat and robot\n"
    )
    (tmp_path / "queries.csv").write_text("query_id,text\nq1,robot\nq2,cat\n")
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nq1,1,2\nq2,2,1\n")
    return tmp_path


@pytest.mark.parametrize(
    "command", ["eval", "eval --worst 1", "eval --queries one.csv", "compare", "diff", "report -o page.html"]
)
def test_nothing_is_told_of_unjudged_documents_where_judgments_are_complete(tmp_path, monkeypatch, command):
    name, *options = command.split()

    def told(folder: Path) -> bool:
        result = run(name, folder, "--model", "bm25", "--model", "bm25:b=0", "-m", "P@2", *options)
        assert result.exit_code == 0, result.stderr
        page = Path("page.html").read_text(encoding="utf-8") if "page.html" in options else ""
        return re.search("first (2|10|ten) documents are unjudged", result.stdout + result.stderr + page) is not None

    monkeypatch.chdir(tmp_path)
    pets = tmp_path / "pets"
    pets.mkdir()
    Path("one.csv").write_text("query_id,text\nq1,robot\n")
    assert told(folder_with(pets, TOML))
    complete = folder_with(pets, f'judgments = "complete"\n{TOML}')
    assert toysearch.load(complete).complete
    assert not told(complete)
    assert not toysearch.load(complete).with_topics(qrels=toysearch.Qrels.from_dict({"q1": {"1": 1}})).complete
