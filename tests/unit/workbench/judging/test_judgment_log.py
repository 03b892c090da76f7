"""The judgment log: grades in force, undo, torn lines, several threads, and a process killed while it appends."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import warnings
from collections import Counter
from pathlib import Path

import pytest
from captured_notes import noted
from hypothesis import given, settings
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError, DataError, StorageError
from toysearch.files import event_log
from toysearch.workbench.judging.judgment_log import JudgmentLog

IDS = st.text(min_size=1, max_size=4)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("skip"), st.sampled_from(["ada", "=ben"]), st.sampled_from("12"), st.sampled_from("de")),
        st.tuples(st.sampled_from(["ada", "=ben", 'c"a,r'])),
        st.tuples(st.sampled_from(["ada", "=ben", 'c"a,r']), IDS, IDS, st.floats(-2, 4), st.text(max_size=5)),
        st.tuples(st.sampled_from(["ada", "=ben"]), st.sampled_from("12"), st.sampled_from("de"), st.floats(0, 3)),
    ),
    max_size=20,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "class.jsonl"


def in_force(log):
    return {given[1:4]: (given.grade, given.reason) for given in log}


@pytest.mark.system
@settings(max_examples=60, deadline=None)
@given(ACTIONS)
def test_the_log_is_what_a_plain_stack_says_and_reads_back_the_same(tmp_path_factory, actions):
    path = tmp_path_factory.mktemp("log") / "class.jsonl"
    stacks: dict[str, list[tuple]] = {}
    put_off: list[tuple] = []
    with JudgmentLog(path) as log:
        for judge, *rest in actions:
            if judge == "skip":
                log.skip(*rest)
                put_off = [pair for pair in put_off if pair != tuple(rest)] + [tuple(rest)]
                continue
            stack = stacks.setdefault(judge, [])
            if rest:
                done = log.add(judge, *rest)
                stack.append((*done[1:4], done.grade, done.reason))
            else:
                back = log.undo(judge)
                assert (back and (*back[1:4], back.grade, back.reason)) == (stack.pop() if stack else None)
        expected = {row[:3]: row[3:] for stack in stacks.values() for row in stack}
        assert in_force(log) == expected
        assert len(log) == len(expected)
        again = JudgmentLog(path, append=False)
        assert list(again) == list(log)
        for judge in ("ada", "=ben"):
            counted = Counter(query_id for own, query_id, _ in expected if own == judge)
            assert log.counts(judge) == again.counts(judge) == counted
            for query_id in "12":
                left = [pair[2] for pair in put_off if pair[:2] == (judge, query_id) and pair not in expected]
                assert log.skipped(judge, query_id) == again.skipped(judge, query_id) == left
        assert again.judges == log.judges
        for judge in log.judges:
            assert again.of_judge(judge) == log.of_judge(judge)
            assert {(row.query_id, row.doc_id): row.relevance for row in log.qrels()[judge]} == {
                key[1:]: value[0] for key, value in expected.items() if key[0] == judge
            }
        for query_id in {key[1] for key in expected}:
            of_query = {
                (judge, query_id, doc_id): (given.grade, given.reason)
                for doc_id, by in log.of_query(query_id).items()
                for judge, given in by.items()
            }
            assert of_query == {key: value for key, value in expected.items() if key[1] == query_id}


def test_a_later_grade_replaces_and_undo_brings_the_earlier_one_back(path):
    with JudgmentLog(path) as log:
        log.add("ada", "1", "d", 2, "first")
        log.add("ada", "1", "d", 0)
        log.add("ben", "1", "d", 1)
        assert log.latest("ada", "1", "d").grade == 0
        assert log.undo("ada").grade == 0
        assert log.latest("ada", "1", "d")[4:] == (2, "first")
        assert log.undo("ada").grade == 2
        assert log.latest("ada", "1", "d") is None
        assert log.undo("ada") is log.undo("nobody") is None
        assert log.judges == ("ben",)
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry.get("undo", False) for entry in entries] == [False, False, False, True, True]
    assert list(entries[0]) == ["time", "judge", "query_id", "doc_id", "grade", "reason"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_torn_last_line_loses_nothing_that_was_acknowledged(path, end):
    whole = '\ufeff{"time":"t","judge":"ada","query_id":"1","doc_id":"d","grade":2}' + end + end
    last = '{"time":"t","judge":"ada","query_id":"1","doc_id":"é","grade":1}'
    size = len(last.encode())
    for kept in range(1, size + 1):
        path.write_bytes(whole.encode() + last.encode()[:kept])
        with noted() as told:
            read = JudgmentLog(path, append=False)
        assert len(read) == 1 + (kept == size)
        assert told == (kept < size) * [
            f"{path}:3: the last line is torn and left out; the program that wrote it was interrupted"
        ]
        with JudgmentLog(path) as log:
            log.add("ada", "2", "d", 3)
        assert len(JudgmentLog(path, append=False)) == 2 + (kept == size)


def test_what_a_failing_disk_leaves_is_cut_off(path, monkeypatch):
    with JudgmentLog(path) as log:
        log.add("ada", "1", "d", 2)
        before = path.read_bytes()
        real = os.write
        monkeypatch.setattr(event_log.os, "write", lambda file, data: real(file, data[:10]))
        with pytest.raises(StorageError, match=r"class.jsonl could not be written: only 10 of \d+ bytes were written"):
            log.add("ada", "1", "d", 0)
        with pytest.raises(StorageError):
            log.undo("ada")
        monkeypatch.undo()
        assert path.read_bytes() == before
        assert log.latest("ada", "1", "d").grade == 2
    with pytest.raises(StorageError, match="has been closed"):
        log.add("ada", "1", "d", 1)


def test_each_grade_is_one_write_and_one_sync_before_it_is_acknowledged(path, monkeypatch):
    with JudgmentLog(path) as log:
        calls = []
        for name in ("write", "fsync"):
            real = getattr(os, name)
            monkeypatch.setattr(event_log.os, name, lambda *given, n=name, r=real: (calls.append(n), r(*given))[1])
        log.add("ada", "1", "d", 2, "a reason\nof two lines")
        assert calls == ["write", "fsync"]
        log.undo("ada")
        assert calls == ["write", "fsync"] * 2
        monkeypatch.undo()
    assert len(path.read_bytes().splitlines()) == 2


def test_one_program_appends_and_others_read(path):
    with JudgmentLog(path) as log:
        log.add("ada", "1", "d", 2)
        with pytest.raises(StorageError, match="is already open for appending; close the other program"):
            JudgmentLog(path)
        reader = JudgmentLog(path, append=False)
        assert len(reader) == 1
        with pytest.raises(ArgumentError, match="was opened for reading only"):
            reader.add("ada", "1", "d", 1)
    JudgmentLog(path).close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("", "1", "d", 1), "a grade needs the name of a judge, a query_id and a doc_id; one of them is empty"),
        (("ada", "1", "d", float("nan")), "a grade must be a finite number, not nan"),
        (("ada", "1", 7, 1), "doc_id must be a text, not an int"),
    ],
)
def test_what_is_no_grade(path, given, message):
    with JudgmentLog(path) as log, pytest.raises(ArgumentError) as error:
        log.add(*given)
    assert str(error.value) == message
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 0 d 2", "expected an entry of a judgment log: a JSON object with time, judge, query_id, doc_id and grade"),
        ("[1]", "expected an entry of a judgment log"),
        ("[" * 10_000, "expected an entry of a judgment log"),
        ('{"judge":"ada","query_id":1,"doc_id":"d","grade":1}', "expected a text as query_id, found 1; correct"),
        ('{"query_id":"1","doc_id":"d","grade":1}', "expected a text as judge, found nothing; correct the line"),
        ('{"judge":"ada","query_id":"1","doc_id":"d","grade":"2"}', "expected a finite number as grade, and texts"),
        ('{"judge":"ada","query_id":"1","doc_id":"d","grade":1e999}', "expected a finite number as grade, and texts"),
        ('{"judge":"ada","query_id":"1","doc_id":"d","grade":1,"reason":3}', "expected a finite number as grade"),
        (
            '{"judge":"ada","query_id":"1","doc_id":"d","undo":true}',
            "ada takes back a grade of query '1', document 'd' and has given none; remove the line",
        ),
    ],
)
@pytest.mark.parametrize("append", [True, False])
def test_a_line_that_is_no_entry(path, line, message, append):
    path.write_text('{"time":"t","judge":"ben","query_id":"1","doc_id":"d","grade":1}\n\n' + line + "\n")
    with pytest.raises(DataError) as error:
        JudgmentLog(path, append=append)
    assert str(error.value).startswith(f"{path}:3: {message}")
    with pytest.raises(DataError):  # the file was closed again
        JudgmentLog(path, append=append)


def test_a_missing_log_is_not_made_for_reading(path):
    with pytest.raises(DataError, match="there is no such file"):
        JudgmentLog(path, append=False)
    with pytest.raises(StorageError, match="cannot be opened for appending"):
        JudgmentLog(path / "below" / "log")


@pytest.mark.waits
def test_threads_append_whole_lines(path):
    with JudgmentLog(path) as log:
        threads = [
            threading.Thread(target=lambda judge=judge: [log.add(judge, "1", f"d{n}", n) for n in range(50)])
            for judge in ("ada", "ben", "carla", "dana")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(log) == 200
    assert len(JudgmentLog(path, append=False)) == 200


APPENDS = """
import os, sys, threading
from toysearch.workbench.judging.judgment_log import JudgmentLog
path = sys.argv[1]
for line in sys.stdin:
    child = os.fork()
    if not child:
        log, turn = JudgmentLog(path), line.strip()
        os.write(1, f"{os.getpid()}\\n".encode())
        def judge(name):
            for n in range(10 ** 9):
                log.add(name, turn, f"d{n}", n % 4, "x" * (n % 7 * 100))
                os.write(1, f"{name} {turn} d{n}\\n".encode())
        for name in ("ada", "ben", "carla"):
            threading.Thread(target=judge, args=(name,)).start()
        threading.Event().wait()
    os.waitpid(child, 0)
    os.write(1, b"gone\\n")
"""


@pytest.mark.waits
@pytest.mark.system
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks")
def test_killed_a_hundred_times_it_keeps_every_grade_that_it_acknowledged(path):
    rng = random.Random(19)
    acknowledged: set[tuple[str, ...]] = set()
    with subprocess.Popen(
        [sys.executable, "-c", APPENDS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        for turn in range(100):
            process.stdin.write(f"{turn}\n")
            process.stdin.flush()
            child = int(process.stdout.readline())
            for _ in range(rng.randrange(12)):
                acknowledged.add(tuple(process.stdout.readline().split()))
            os.kill(child, signal.SIGKILL)
            for line in iter(process.stdout.readline, "gone\n"):
                acknowledged.add(tuple(line.split()))
        process.stdin.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = in_force(JudgmentLog(Path(path), append=False))
    assert acknowledged <= kept.keys()
    assert len(kept) - len(acknowledged) <= 100 * 3  # each thread may have written one more
    assert len(acknowledged) > 300
