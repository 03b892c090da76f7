"""Processes do the work of commands, also if one is killed in the middle; what they report is summed."""

from __future__ import annotations

import os
import shutil
import signal
from functools import partial

import pytest
from lengths import exhaustive
from shell import done
from workers_here import WorkersHere, connect

from toysearch.cluster import connection
from toysearch.cluster.connection import Place, each_done, report
from toysearch.errors import ToysearchError, ToysearchNote, note

COMMANDS = [
    "run SHARDS -o - --model rm3(bm25)",
    "eval cat-dog-parrot --model bm25 --model tfidf",
    "compare SHARDS --model bm25 --model tfidf",
    "tune cat-dog-parrot --grid k1=0.5,1,2 --grid stem=none,english --json",
    "robustness cat-dog-parrot --only rare,length --json",
    "check SHARDS cat-dog-parrot",
    "check SHARDS",
]


def noted(number):
    """A result of a task that says the same as some others."""
    note(f"odd or even: {number % 2}")
    report(number)
    return 10 * number


def test_results_come_in_order_and_notes_once():
    with pytest.warns(ToysearchNote) as told:
        assert list(each_done(WorkersHere(), noted, [(3,), (1,), (2,)])) == [30, 10, 20]
    assert [str(each.message) for each in told] == ["odd or even: 1", "odd or even: 0"]


def test_a_cluster_without_workers_is_refused():
    with pytest.raises(ToysearchError) as refused:
        connection.done(WorkersHere(0), noted, [(1,)])
    assert str(refused.value) == "the cluster has no workers; start some, and run the command again"


def test_a_relative_path_is_the_same_for_every_worker(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.jsonl").touch()
    assert Place.of("docs.jsonl").here() == str(tmp_path / "docs.jsonl")
    assert Place.of("companions").here() == "companions"


def killed_once(mark, *arguments):
    """Do a task; the first time of all, the worker is killed."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        from toysearch.cluster.connection import _told  # in a worker, not the one that the test has replaced

        return _told(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@exhaustive
def test_a_killed_process_changes_no_output(processes, tmp_path, monkeypatch):
    done("index", "companions", "-o", tmp_path / "shards", "--shards", 3)
    done("index", "companions", "-o", tmp_path / "alone")
    shutil.copytree(tmp_path / "alone", tmp_path / "together")
    lines = [line.replace("SHARDS", str(tmp_path / "shards")).split() for line in COMMANDS]
    expected = [done(*line) for line in lines]
    done("add", tmp_path / "alone", "cat-dog-parrot")
    connect(monkeypatch, processes)
    for number, (line, alone) in enumerate(zip(lines, expected, strict=True)):
        mark = tmp_path / f"killed-{number}"
        monkeypatch.setattr(connection, "_told", partial(killed_once, mark))
        found = done(*line, "--workers", 2)
        assert mark.exists()
        assert (found.stdout, found.stderr) == (alone.stdout, alone.stderr), line
    monkeypatch.setattr(connection, "_told", partial(killed_once, tmp_path / "killed"))
    done("add", tmp_path / "together", "cat-dog-parrot", "--workers", 2)
    assert (tmp_path / "killed").exists()
    names = {path.name: path.read_bytes() for path in (tmp_path / "alone").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "together").iterdir()} == names


@exhaustive
def test_reports_of_processes_are_summed(processes):
    told = []
    assert list(each_done(processes, noted, [(3,), (4,), (5,)], told.append)) == [30, 40, 50]
    assert told == sorted(told)
    assert told[-1] <= 12
