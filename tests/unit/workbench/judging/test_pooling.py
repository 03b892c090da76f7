"""Pools: what is in them, who found it, the sheet that is made of them, and which documents decide a comparison."""

import csv
import json
import re
from pathlib import Path
from typing import ClassVar

import pytest
from captured_notes import noted
from error_messages import raising
from shell import done, refusal

from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.runs_and_judgments import read_qrels
from toysearch.workbench.judging.pooling import Contribution, pool, write_pool

MINE = {"2": ["b", "a", "c"], "1": ["x"]}
YOURS = {"2": ["a", "d", "b"], "3": ["y", "x"]}


def test_the_first_documents_of_all_runs_in_the_order_of_their_ids():
    found = pool({"mine": MINE, "yours": YOURS}, depth=2)
    assert dict(found) == {"2": ["a", "b", "d"], "1": ["x"], "3": ["x", "y"]}
    assert len(found) == 3
    assert found.depth == 2
    assert found.runs == ("mine", "yours")
    assert found.pairs == [("2", "a"), ("2", "b"), ("2", "d"), ("1", "x"), ("3", "x"), ("3", "y")]
    assert repr(found) == "<Pool of 6 documents for 3 queries: 2 runs, depth 2>"


def test_a_run_is_cut_in_the_order_in_which_it_is_evaluated():
    run = {"1": {"a": 1.0, "b": 1.0, "c": 2.0}}  # trec_eval puts b before a
    assert pool([run], 2)["1"] == ["b", "c"]
    assert pool([run], 2, ties="rank")["1"] == ["a", "c"]
    assert pool([run], 2).ranks["1"] == {"b": {"run": 2}, "c": {"run": 1}}


def test_what_is_judged_is_left_out():
    found = pool([MINE], qrels={"2": {"a": 0, "q": 1}, "9": {"b": 1}})
    assert dict(found) == {"2": ["b", "c"], "1": ["x"]}
    assert found.contributions == [Contribution("run", 3, 3)]


@pytest.mark.parametrize(
    ("runs", "depth", "message"),
    [([MINE], 0, "the depth of a pool must be at least 1, not 0"), ([], 5, "a pool needs at least one run")],
)
def test_what_is_no_pool(runs, depth, message):
    with raising(ArgumentError, message):
        pool(runs, depth)


def test_a_sheet_and_back(tmp_path):
    found = pool([MINE], 2)
    texts = {"a": ("A cat", 'He said "so,\n what"'), "b": ("", "a\tb")}
    for name, mark in (("sheet.csv", ","), ("sheet.tsv", "\t")):
        write_pool(found, tmp_path / name, {"2": "train  cat"}, texts)
        lines = (tmp_path / name).read_text().splitlines()
        assert lines[0] == mark.join(["query_id", "doc_id", "relevance", "reason", "query_text", "title", "text"])
        assert len(lines) == 4
        filled = "\n".join(line.replace(mark * 2, f"{mark}1{mark}", 1) for line in lines[1:])
        (tmp_path / name).write_text(f"{lines[0]}\n{filled}\n")
        assert read_qrels(tmp_path / name)["2"] == {"a": 1, "b": 1}
    assert (tmp_path / "sheet.csv").read_text().splitlines()[1] == '2,a,1,,train cat,A cat,"He said ""so, what"""'


class TestJudgmentsOfOtherNames:
    """Judgments of which no run has a pair leave out nothing: they are refused; others are counted."""

    RUNS: ClassVar = {"mine": {"1": ["a", "b"], "2": ["c"]}, "yours": {"1": ["b", "a"], "2": ["d"]}}

    @pytest.mark.parametrize(
        ("judged", "sentence"),
        [
            ({"red lamp": {"a": 1}}, "none of 1 judged query, such as 'red lamp', is a query of the runs, such as '1'"),
            ({"01": {"a": 1}, "02": {"b": 1}}, "none of 2 judged queries, such as '01', is a query of the runs"),
            ({"1": {"A": 1}}, "no run has a judged pair, such as query '1', document 'A'; name documents by the same"),
            ({"2": {"a": 1}}, "no run has a judged pair, such as query '2', document 'a'"),
        ],
    )
    def test_none_of_them_is_refused(self, judged, sentence):
        with pytest.raises(DataError, match=re.escape(sentence)):
            pool(self.RUNS, qrels=judged)

    @pytest.mark.parametrize(
        ("judged", "note"),
        [
            ({"1": {"a": 1}, "7": {"a": 1}}, ["left out of the pool: 1 of 2 judged pairs"]),
            ({"1": {"b": 0}}, ["left out of the pool: 0 of 1 judged pair"]),  # below the depth
            ({"1": {"a": 1}}, []),
        ],
    )
    def test_those_left_out_are_counted(self, judged, note):
        with noted() as notes:
            pool({"mine": {"1": ["a", "b"], "2": ["c"]}}, 1, qrels=judged)
        assert notes == note

    @pytest.mark.parametrize(
        ("title", "text", "shown"),
        [
            ("Cats", "Cats purr.", "Cats purr."),
            ("Cat", "Category", "Category"),
            ("On  cats", "On cats\nA cat.", "A cat."),
        ],
    )
    def test_a_title_beside_the_text_is_left_out_only_above_it(self, tmp_path, monkeypatch, title, text, shown):
        monkeypatch.chdir(tmp_path)
        Path("a.run").write_text("1 Q0 K1 1 1 a\n")
        Path("cats").mkdir()
        Path("cats/documents.jsonl").write_text(json.dumps({"doc_id": "K1", "title": title, "text": text}) + "\n")
        Path("cats/collection.toml").write_text('fields = ["text"]\n')
        Path("cats/queries.tsv").write_text("1\tcat\n")
        done("judge", "pool", "a.run", "-o", "sheet.csv", "--texts", "cats")
        [row] = csv.DictReader(Path("sheet.csv").read_text().splitlines())
        assert row["text"] == shown

    @pytest.mark.parametrize("options", [(), ("-o", "x.csv"), ("--json",)])
    def test_in_the_shell(self, tmp_path, monkeypatch, options):
        monkeypatch.chdir(tmp_path)
        for name, order in (("a", "K1 L2"), ("b", "L2 K1")):
            lines = [f"1 Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(order.split(), 1)]
            Path(f"{name}.run").write_text("".join(lines))
        Path("texts.csv").write_text("query_id,doc_id,relevance\ntea kettle,K1,3\n")
        said = refusal("judge", "pool", "a.run", "b.run", "--judged", "texts.csv", *options)
        assert said.startswith("toysearch: none of 1 judged query, such as 'tea kettle', is a query of the runs")
        assert not Path("x.csv").exists()
