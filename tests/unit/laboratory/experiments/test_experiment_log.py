"""The experiment log: settings are counted once per set of queries, snapshots keep what they were, nothing is lost."""

from __future__ import annotations

import json
import threading

import pytest

import toysearch
from toysearch.base import Qrels, Query
from toysearch.base.errors import ArgumentError, DataError, StorageError
from toysearch.laboratory.experiments.experiment_log import ExperimentLog, data_fingerprints

INDEX = toysearch.Index.build(["the cat sat", "a dog"])
QUERIES = [Query("1", "cat"), Query("2", "dog")]


def test_a_setting_counts_once_whoever_tries_it_and_other_queries_do_not_share_it(tmp_path):
    file = tmp_path / "log.jsonl"
    log, other = ExperimentLog(file), ExperimentLog(file)
    assert log.add(QUERIES, INDEX, ["bm25", "bm25:b=0.4"]) == 2
    assert other.add(QUERIES, INDEX, ["bm25:b=0.40", "dph"]) == 3
    assert log.add(QUERIES, INDEX, ["bm25"]) == 3
    assert log.add(QUERIES[:1], INDEX, ["bm25"]) == 1
    other_analysis = toysearch.Index.build(["the cat sat"], toysearch.Analyzer.parse("english"))
    assert log.add(QUERIES, other_analysis, ["bm25"]) == 4
    assert ExperimentLog(file).add(QUERIES, INDEX, []) == 4
    assert len(file.read_text().splitlines()) == 5


def test_a_function_of_the_user_counts_again_when_its_file_changes(tmp_path):
    (tmp_path / "mine.py").write_text("def rank(tf):\n    return tf\n")
    log = ExperimentLog(tmp_path / "log.jsonl")
    assert log.add(QUERIES, INDEX, [toysearch.model(f"{tmp_path}/mine.py:rank")]) == 1
    (tmp_path / "mine.py").write_text("def rank(tf):\n    return 2 * tf\n")
    assert log.add(QUERIES, INDEX, [toysearch.model(f"{tmp_path}/mine.py:rank")]) == 2


def test_snapshots_are_renamed_removed_and_restored_and_every_entry_stays(tmp_path):
    file = tmp_path / "log.jsonl"
    log = ExperimentLog(file, create=False)
    assert log.add(QUERIES, INDEX, ["bm25"]) == 1
    assert not file.exists()
    saved = log.save(" first ", {"systems": {"a": "bm25"}})
    assert (saved.name, saved.data) == ("first", {"systems": {"a": "bm25"}})
    assert log.rename(saved.snapshot_id, "x" * 100).name == "x" * 100
    assert log.remove(saved.snapshot_id).removed
    assert log.rename(saved.snapshot_id, "again").removed
    assert not log.restore(saved.snapshot_id).removed
    found = [(each.name, each.time, each.removed, each.data) for each in ExperimentLog(file).snapshots]
    assert found == [("again", saved.time, False, {"systems": {"a": "bm25"}})]
    kinds = [json.loads(line)["kind"] for line in file.read_text().splitlines()]
    assert kinds == ["tried", "snapshot", "renamed", "removed", "renamed", "restored"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "two\nlines", "bell\a"])
def test_a_snapshot_needs_a_name(tmp_path, name):
    log = ExperimentLog(tmp_path / "log.jsonl")
    with pytest.raises(ArgumentError, match="a snapshot needs a name of 1 to 100 characters"):
        log.save(name, {})
    with pytest.raises(ArgumentError, match="unknown snapshot"):
        log.remove("nothing")
    assert log.snapshots == []


def test_many_threads_with_logs_of_their_own_lose_nothing(tmp_path):
    file = tmp_path / "log.jsonl"

    def work(number: int) -> None:
        log = ExperimentLog(file)
        for step in range(10):
            log.add(QUERIES, INDEX, [f"bm25:k1={10 * number + step}"])
        log.save(f"by {number}", {})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    log = ExperimentLog(file)
    assert log.add(QUERIES, INDEX, []) == 40
    assert sorted(each.name for each in log.snapshots) == [f"by {number}" for number in range(4)]


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        '{"time": "t"}',
        '{"kind": "other", "id": "x"}',
        '{"kind": "tried", "queries": "k"}',
        '{"kind": "renamed", "id": "x", "name": "y"}',
        '{"kind": "snapshot", "id": "x", "name": "y", "time": "t", "data": []}',
        '{"kind": ["tried"]}',
    ],
)
def test_a_file_that_is_not_such_a_log_is_refused_with_its_line(tmp_path, line):
    file = tmp_path / "log.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(DataError, match=r"log\.jsonl:1: "):
        ExperimentLog(file)
    assert file.read_text() == line + "\n"


def test_a_torn_last_line_is_left_out_and_cut_by_the_next_entry(tmp_path):
    file = tmp_path / "log.jsonl"
    ExperimentLog(file).save("kept", {})
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"time": "2026')
    with pytest.warns(toysearch.base.errors.ToysearchNote, match="torn"):
        log = ExperimentLog(file)
    log.save("next", {})
    assert [each.name for each in ExperimentLog(file).snapshots] == ["kept", "next"]
    assert file.read_bytes().startswith(whole)


def test_a_file_that_cannot_be_made_is_a_sentence(tmp_path):
    with pytest.raises(StorageError, match="cannot be opened for appending"):
        ExperimentLog(tmp_path / "missing" / "log.jsonl")


def test_checksums_say_what_has_changed():
    qrels = Qrels.from_dict({"1": {"1": 1}})
    before = data_fingerprints(INDEX, QUERIES, qrels)
    assert data_fingerprints(INDEX, QUERIES, Qrels.from_dict({"1": {"1": 1}})) == before
    for changed, found in {
        "documents": data_fingerprints(toysearch.Index.build(["the cat sat", "a dog dog"]), QUERIES, qrels),
        "queries": data_fingerprints(INDEX, QUERIES[:1], qrels),
        "judgments": data_fingerprints(INDEX, QUERIES, Qrels.from_dict({"1": {"1": 2}})),
    }.items():
        assert [name for name in before if before[name] != found[name]] == [changed]
