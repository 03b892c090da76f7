"""A disk without room: one sentence, and no empty file or folder stays."""

import errno
import os

import pytest
from shell import run

from toysearch.base.errors import StorageError
from toysearch.classroom import notebook
from toysearch.files.event_log import AppendLog
from toysearch.files.writing import new_folder
from toysearch.workbench.learning import learned_ranker

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_room(*_):
    raise FULL


def full(path, *_):
    raise StorageError(f"{path} could not be written: {FULL.strerror}")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["learn", "cat-dog-parrot", "--learner", "logistic"], "new/ranker"),
        (["labs", "start", "1", "--student", "ada"], "new/labs"),
    ],
)
def test_nothing_empty_is_left(tmp_path, monkeypatch, command, output):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(learned_ranker, "_write", full)
    monkeypatch.setattr(notebook, "replacing", full)
    monkeypatch.setattr("toysearch.files.event_log.os.write", no_room)
    result = run(*command, "-o", output)
    assert result.exit_code == 2
    assert result.stderr.rstrip().endswith(f"could not be written: {FULL.strerror}")
    assert list(tmp_path.iterdir()) == []


def test_a_log_to_which_something_was_written_stays(tmp_path, monkeypatch):
    path = tmp_path / "votes.jsonl"
    log = AppendLog(path)
    with monkeypatch.context() as patched:
        patched.setattr("toysearch.files.event_log.os.write", no_room)
        with pytest.raises(StorageError, match=FULL.strerror):
            log.append({"vote": 1})
    log.append({"vote": 2})
    log.close()
    assert path.read_text() == '{"vote": 2}\n'


@pytest.mark.parametrize("exists", [False, True])
def test_a_log_to_which_nothing_was_written_goes_if_it_is_new(tmp_path, monkeypatch, exists):
    path = tmp_path / "votes.jsonl"
    if exists:
        path.touch()
    log = AppendLog(path)
    monkeypatch.setattr("toysearch.files.event_log.os.write", no_room)
    with pytest.raises(StorageError):
        log.append({"vote": 1})
    log.close()
    assert path.exists() == exists


def test_a_folder_that_holds_something_stays(tmp_path):
    (tmp_path / "old").mkdir()
    folder = tmp_path / "old" / "a"
    with pytest.raises(StorageError, match="could not be written"), new_folder(folder / "b"):
        no_room((folder / "kept.txt").touch())
    assert [path.name for path in tmp_path.rglob("*")] == ["old", "a", "kept.txt"]
