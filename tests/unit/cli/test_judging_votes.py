"""`toysearch votes`: the table, the thumbs as judgments, and what is refused."""

from __future__ import annotations

import json

import pytest
from shell import done, refused, run

from toysearch.formats.judgment_log import VoteLog


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with VoteLog("votes.jsonl") as log:
        for voter, query_id, vote in (
            ("ada", "1", "left"),
            ("ben", "1", "right"),
            ("ada", "2", "left"),
            ("ben", "3", "tie"),
        ):
            log.prefer(voter, query_id, vote, left="bm25", right="lsa")
        log.thumb("ada", "1", "d,7", up=True)
        log.thumb("ben", "1", "d,7", up=False)
    return tmp_path


def test_the_table():
    result = done("votes", "votes.jsonl")
    assert result.stdout == (
        "first  second  by       first wins  ties  second wins   share  lowest  highest       p\n"
        "bm25   lsa     votes             2     1            1  0.6667  0.0943   0.9916  1.0000\n"
        "bm25   lsa     queries           1     2            0  1.0000  0.0250   1.0000  1.0000\n"
    )
    assert result.stderr == "4 votes of 2 voters on 3 queries\n"
    assert json.loads(done("votes", "votes.jsonl", "--json").stdout)[0]["wins"] == 2


def test_thumbs_are_written_as_judgments(folder):
    result = done("votes", "votes.jsonl", "-o", "thumbs.csv")
    assert result.stderr.startswith("2 thumbs written to thumbs.csv\n")
    (folder / "a.run").write_text("1 Q0 d,7 1 3 a\n")
    assert "0.5" in done("eval", "a.run", "thumbs.csv", "-m", "CG@1").stdout
    assert "choose another name, or give --force" in refused("votes", "votes.jsonl", "-o", "thumbs.csv")


def test_thumbs_are_written_in_other_forms(folder):
    result = done("votes", "votes.jsonl", "--to", "counts", "-o", "counts.csv")
    assert result.stderr.startswith("1 document written to counts.csv\n")
    assert (folder / "counts.csv").read_text() == 'query_id,doc_id,relevance,up,down\n1,"d,7",0.5,1,1\n'
    with VoteLog("votes.jsonl") as log:
        log.thumb("carla", "1", "d,7", up=True)
    done("votes", "votes.jsonl", "--to", "qrels", "-o", "judged.txt")
    assert (folder / "judged.txt").read_text() == "1 0 d,7 1\n"
    assert refused("votes", "votes.jsonl", "--to", "qrels").endswith("Error: --to qrels needs -o FILE\n")


def test_what_is_refused(folder):
    (folder / "odd.jsonl").write_text('{"voter": "ada"}\n')
    assert refused("votes", "odd.jsonl") == (
        "toysearch: odd.jsonl:1: expected a text as query_id, found nothing; correct the line or remove it\n"
    )
    assert refused("votes", "none.jsonl") == "toysearch: none.jsonl: there is no such file\n"
    (folder / "empty.jsonl").write_text("")
    assert refused("votes", "empty.jsonl") == "toysearch: there is no vote on two systems\n"
    assert run("votes", "empty.jsonl", "-o", "x.csv").exit_code == 2
    with VoteLog("thumbs.jsonl") as log:
        log.thumb("ada", "cat sofa", "d7", up=True, model="bm25", rank=3)
    assert refused("votes", "thumbs.jsonl") == (
        "toysearch: thumbs.jsonl holds thumbs and no vote on two systems; -o FILE writes them as judgments\n"
    )


def test_thumbs_of_a_search_are_judgments(folder):
    with VoteLog("thumbs.jsonl") as log:
        log.thumb("ada", "cat sofa", "d7", up=True, model="bm25", rank=3)
        log.thumb("ada", "cat sofa", "d8", up=False, model="lsa", rank=1)
    result = done("votes", "thumbs.jsonl", "--to", "qrels", "-o", "judged.csv")
    assert (result.stdout, result.stderr) == ("", "2 documents written to judged.csv\n")
    assert (folder / "judged.csv").read_text() == "query_id,doc_id,relevance\ncat sofa,d7,1\ncat sofa,d8,0\n"
