"""Judgments in several files that a pattern names, and queries: read as their sum."""

from pathlib import Path

import pytest
from captured_notes import noted
from shell import done, refusal, run

from toysearch import read_qrels
from toysearch.base import ArgumentError, DataError
from toysearch.collection.queries import read_queries

FILES = {
    "judged/first.txt": "t1 0 d1 1\nt1 0 d2 0\n",
    "judged/second.txt": "t2 0 d2 2\nt1 0 d2 0\n",
    "judged/third.csv": "query,docid,rating\nt3,d1,1\n",
    "asked/one.tsv": "t1\toak\n",
    "asked/two.tsv": "t2\telm\n",
    "trees.jsonl": '{"_id": "d1", "text": "tall oak"}\n{"_id": "d2", "text": "small elm"}\n',
    "yours.run": "t1 Q0 d2 1 2.5 y\n",
    "mine.run": "t1 Q0 d1 1 2.5 x\nt2 Q0 d2 1 2.5 x\nt3 Q0 d1 1 2.5 x\n",
}
WHOLE = {"t1": {"d1": 1, "d2": 0}, "t2": {"d2": 2}, "t3": {"d1": 1}}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)


def test_a_pattern_is_the_sum_of_its_files(tmp_path):
    for pattern in ("judged/*", "judg*/*.[tc][xs][tv]", str(tmp_path / "judged" / "*"), tmp_path / "j*" / "*"):
        with noted() as notes:
            qrels = read_qrels(pattern)
        assert {query_id: dict(group) for query_id, group in qrels.to_dict().items()} == WHOLE
        assert notes == ["1 pair is judged again with the same grade in another file"]
    assert read_qrels("judged/*.csv").to_dict() == {"t3": {"d1": 1}}


def test_two_grades_of_a_pair_are_refused_and_the_first_is_kept_where_lines_are_skipped():
    Path("judged/zeroth.txt").write_text("t2 0 d2 1\nt1 0 d1 2\n")
    said = r"judged.zeroth\.txt: query 't2' and document 'd2' have grade 1 here and 2 in judged.second\.txt; keep one"
    with pytest.raises(DataError, match=said):
        read_qrels("judged/*")
    with noted() as notes:
        assert read_qrels("judged/*", on_error="skip").to_dict() == WHOLE
    assert notes[0].startswith("2 grades left out, different from that of an earlier file: ")


def test_what_only_one_file_can_hold_is_not_added_up():
    Path("judged/thumbs.csv").write_text("query_id,doc_id,vote\nt1,d1,1\n")
    with pytest.raises(DataError, match="votes are read from one file; join the files"):
        read_qrels("judged/*")


@pytest.mark.parametrize("reads", [read_qrels, read_queries])
def test_a_pattern_of_nothing_says_so(reads):
    with pytest.raises(DataError, match=r"none/\*\.txt matches no file; give the path of a file"):
        reads("none/*.txt")
    with pytest.raises(ArgumentError, match="is an address; download it first"):
        reads("https://example.org/judged?file=1")


def test_a_file_whose_name_looks_like_a_pattern_is_read():
    Path("judged[1].txt").write_text("t9 0 d1 1\n")
    assert read_qrels("judged[1].txt").to_dict() == {"t9": {"d1": 1}}


@pytest.mark.parametrize("pattern", ["asked/*.tsv", "a*/*.tsv"])
def test_queries_of_several_files(pattern):
    assert [(query.query_id, query.text) for query in read_queries(pattern)] == [("t1", "oak"), ("t2", "elm")]
    Path("asked/three.tsv").write_text("t1\tash\n")
    with pytest.raises(DataError, match="query_id 't1' was already given"):
        read_queries(pattern)


LINES = (
    "eval mine.run judged/*",
    "eval mine.run --qrels judged/*",
    "compare mine.run yours.run judged/*",
    "eval trees.jsonl --queries asked/*.tsv --qrels judged/*.txt",
    "compare trees.jsonl --model bm25 --model tfidf --queries asked/*.tsv --qrels judged/*.txt",
    "judge merge judged/first.txt",
)


@pytest.mark.parametrize("line", LINES)
def test_commands_take_patterns(line):
    result = done(*line.split())
    assert "matches no file" not in result.stderr
    if "*" in line:
        words = [word.replace("judged/", "none/").replace("asked/", "none/") for word in line.split()]
        assert "matches no file; give the path of a file" in refusal(*words)


def test_check_says_what_each_file_is_taken_for():
    result = run("check", "judged/*.txt")
    assert result.stderr.splitlines()[:2] == [
        f"{Path('judged', name)}.txt is taken for judgments: its lines have four columns, the last a number"
        for name in ("first", "second")
    ]
