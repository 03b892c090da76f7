"""Pools: what is in them, who found it, and the sheet that is made of them."""

from __future__ import annotations

import io

import pytest
from raising import raising

from toysearch.base import Run
from toysearch.base.errors import ArgumentError, DataError
from toysearch.evaluation.pooling import Contribution, pool, write_pool
from toysearch.formats.runs_and_judgments import read_qrels

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


def test_which_run_found_what_at_which_rank():
    found = pool({"mine": MINE, "yours": YOURS}, depth=2)
    assert found.ranks["2"] == {"a": {"mine": 2, "yours": 1}, "b": {"mine": 1}, "d": {"yours": 2}}
    assert found.contributions == [Contribution("mine", 3, 2), Contribution("yours", 4, 3)]


def test_deeper_pools_hold_the_shallower_ones():
    for depth in (1, 2, 3, 100):
        shallow, deep = pool([MINE, YOURS], depth), pool([MINE, YOURS], depth + 1)
        assert set(shallow.pairs) <= set(deep.pairs)
    assert pool([MINE, YOURS], 100)["2"] == ["a", "b", "c", "d"]


def test_twenty_documents_are_the_default():
    assert len(pool([{"1": [f"{n:03}" for n in range(50)]}])["1"]) == 20


def test_a_run_is_cut_in_the_order_in_which_it_is_evaluated():
    run = {"1": {"a": 1.0, "b": 1.0, "c": 2.0}}  # trec_eval puts b before a
    assert pool([run], 2)["1"] == ["b", "c"]
    assert pool([run], 2, ties="rank")["1"] == ["a", "c"]
    assert pool([run], 2).ranks["1"] == {"b": {"run": 2}, "c": {"run": 1}}


def test_what_is_judged_is_left_out():
    found = pool([MINE], qrels={"2": {"a": 0, "q": 1}, "9": {"b": 1}})
    assert dict(found) == {"2": ["b", "c"], "1": ["x"]}
    assert found.contributions == [Contribution("run", 3, 3)]


def test_equal_names_are_numbered():
    assert pool([MINE, YOURS, MINE]).runs == ("run", "run 2", "run 3")
    assert pool([Run.from_dict({"1": {"a": 1}}, name="bm25")]).runs == ("bm25",)


def test_the_order_of_the_runs_changes_nothing_but_their_order():
    one, other = pool({"a": MINE, "b": YOURS}), pool({"b": YOURS, "a": MINE})
    assert {query: one.ranks[query] for query in sorted(one)} == {query: other.ranks[query] for query in sorted(other)}


@pytest.mark.parametrize(
    ("runs", "depth", "message"),
    [([MINE], 0, "the depth of a pool must be at least 1, not 0"), ([], 5, "a pool needs at least one run")],
)
def test_what_is_no_pool(runs, depth, message):
    with raising(ArgumentError, message):
        pool(runs, depth)


def test_a_run_without_a_query_is_refused():
    with pytest.raises(DataError, match="the run is empty"):
        pool([{}])


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


def test_a_sheet_without_texts():
    file = io.StringIO()
    write_pool(pool([MINE], 1), file)
    assert file.getvalue() == "query_id,doc_id,relevance,reason\n2,b,,\n1,x,,\n"


def test_a_sheet_has_a_format():
    with raising(ArgumentError, "unknown format of a sheet 'json'. Formats: csv, tsv"):
        write_pool(pool([MINE]), "sheet.json")
