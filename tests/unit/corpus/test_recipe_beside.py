"""A collection.toml with less than all files, and one whose judgments are complete."""

from __future__ import annotations

from pathlib import Path

from shell import run

import toysearch

TOML = '[[files]]\nrole = "documents"\npath = "documents.csv"\nformat = "csv"\n'


def folder_with(tmp_path: Path, toml: str) -> Path:
    (tmp_path / "collection.toml").write_text(toml)
    (tmp_path / "documents.csv").write_text("id,title,text\n1,Robot,red robot\n2,Cat,blue cat\n3,Cats,green cat\n")
    (tmp_path / "queries.csv").write_text("query_id,text\nq1,robot\nq2,cat\n")
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nq1,1,2\nq2,2,1\n")
    return tmp_path


def test_queries_and_judgments_beside_named_documents_are_found(tmp_path):
    collection = toysearch.load(folder_with(tmp_path, TOML))
    assert (len(collection.documents), len(collection.queries), len(collection.qrels)) == (3, 2, 2)


def test_no_note_tells_of_unjudged_documents_where_judgments_are_complete(tmp_path):
    assert "are unjudged" in run("eval", folder_with(tmp_path, TOML), "-m", "AP").stderr
    complete = folder_with(tmp_path, f'judgments = "complete"\n{TOML}')
    assert toysearch.load(complete).complete
    assert "are unjudged" not in run("eval", complete, "-m", "AP").stderr
    assert not toysearch.load(complete).with_topics(qrels=toysearch.Qrels.from_dict({"q1": {"1": 1}})).complete
