"""Files that only grow: what was acknowledged is found again, whatever other programs do to the file meanwhile."""

import os
import shutil
import sys

import pytest
from error_messages import raising

from toysearch.base.errors import StorageError, ToysearchNote
from toysearch.files.event_log import AppendLog, logged
from toysearch.workbench.judging.judgment_log import JudgmentLog, VoteLog


class Judged:
    kind = JudgmentLog

    def __init__(self, path):
        self.log = self.kind(path)

    def add(self, n):
        self.log.add("ada", "1", f"d{n}", 1)

    @classmethod
    def read(cls, path):
        return {int(each.doc_id[1:]) for each in cls.kind(path, append=False)}

    def close(self):
        self.log.close()


class Voted(Judged):
    kind = VoteLog

    def add(self, n):
        self.log.thumb("ada", "1", f"d{n}", up=True)


LOGS = {"judgments": Judged, "votes": Voted}


def copied_over(path):
    """As `sed -i`, an editor, and a sync client write."""
    shutil.copy(path, path.with_name("new"))
    return lambda: os.replace(path.with_name("new"), path)


def moved(path):
    return lambda: path.rename(path.with_name("elsewhere.jsonl"))


def moved_and_replaced(path):
    shutil.copy(path, path.with_name("new"))

    def change():
        path.rename(path.with_name("elsewhere.jsonl"))
        os.replace(path.with_name("new"), path)

    return change


def removed(path):
    return path.unlink


def removed_and_linked(path):
    """As some tools back a file up: another name for it stays."""

    def change():
        os.link(path, path.with_name("elsewhere.jsonl"))
        path.unlink()

    return change


CHANGES = [copied_over, moved, moved_and_replaced, removed, removed_and_linked]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let a file go that is open")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", LOGS)
def test_nothing_that_was_acknowledged_is_lost(name, change, tmp_path, recwarn):
    path, kind, acknowledged = tmp_path / "log.jsonl", LOGS[name], {1, 2}
    log = kind(path)
    log.add(1)
    do_it = change(path)  # what is written from here on is not in a copy
    log.add(2)
    do_it()
    refusals = []
    for n in (3, 4):
        try:
            log.add(n)
        except StorageError as error:
            refusals.append(str(error))
        else:
            acknowledged.add(n)
    log.close()
    problem = f"{path} was moved, replaced or removed by another program while it was open, so nothing more is saved; "
    assert all(refusal.startswith(problem) for refusal in refusals)
    lines = b"".join(file.read_bytes() for file in sorted(tmp_path.glob("*.jsonl")))
    whole = tmp_path / "whole"
    whole.write_bytes(b"".join(dict.fromkeys(lines.splitlines(keepends=True))))
    assert kind.read(whole) >= acknowledged


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let a file go that is open")
def test_the_sentence_names_the_file_with_the_lines_that_are_lacking(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = AppendLog("class.jsonl")
    log.append({"n": 1})
    (tmp_path / "new").write_bytes((tmp_path / "class.jsonl").read_bytes())
    log.append({"n": 2}, {"n": 3})
    os.replace(tmp_path / "new", tmp_path / "class.jsonl")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    problem = (
        "class.jsonl was moved, replaced or removed by another program while it was open, so nothing more is saved; "
        "the lines that it lacks now are in class.kept-1.jsonl: end this program, add them, and open the file again"
    )
    for _ in range(2):  # the same file each time
        with raising(StorageError, problem):
            log.append({"n": 4})
    assert [item["n"] for _, item in logged(tmp_path / "class.kept-1.jsonl", "a number")] == [2, 3]
    assert [item["n"] for _, item in logged(tmp_path / "class.jsonl", "a number")] == [1]
    with pytest.warns(ToysearchNote, match="class.kept-1.jsonl"):
        log.close()
    assert [*tmp_path.glob("*kept*")] == [tmp_path / "class.kept-1.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let a file go that is open")
def test_a_file_that_was_only_moved_needs_no_copy(tmp_path):
    log = AppendLog(tmp_path / "class.jsonl")
    log.append({"n": 1})
    (tmp_path / "class.jsonl").rename(tmp_path / "b.jsonl")
    with pytest.raises(StorageError, match=r"so nothing more is saved; end this program, and open the file again$"):
        log.append({"n": 2})
    assert [item["n"] for _, item in logged(tmp_path / "b.jsonl", "a number")] == [1]
    (tmp_path / "b.jsonl").rename(tmp_path / "class.jsonl")  # and back: nothing has happened
    log.append({"n": 3})
    log.close()
    assert [item["n"] for _, item in logged(tmp_path / "class.jsonl", "a number")] == [1, 3]


def test_the_folder_of_the_process_may_change(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = AppendLog("class.jsonl")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    log.append({"n": 1})
    log.close()
    assert [item["n"] for _, item in logged(tmp_path / "class.jsonl", "a number")] == [1]
