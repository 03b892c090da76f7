"""The history grows by whole lines, and what a crash left behind does no harm."""

from __future__ import annotations

import pytest
from on_windows import is_private
from raising import raising

from toysearch.base.errors import DataError, StorageError
from toysearch.course.competition.leaderboard import CLOSED, HistoryLine, append, read_history

pytestmark = pytest.mark.system

FIRST = HistoryLine("text", "2026-01-01T00:00:00+00:00", 1, "Ada é", False, "bm25", "ab", "", {"AP": 0.5}, {"AP": 0.25})
SECOND = HistoryLine(CLOSED, "2026-01-02T00:00:00+00:00")


def test_what_was_appended_is_read(tmp_path):
    path = tmp_path / "history.jsonl"
    assert read_history(path) == []
    for entry in (FIRST, SECOND):
        append(path, entry)
    assert read_history(path) == [FIRST, SECOND]
    assert path.read_bytes().count(b"\n") == 2
    assert is_private(path)


def test_a_line_cut_short_does_not_count_and_spoils_nothing(tmp_path):
    path = tmp_path / "history.jsonl"
    append(path, FIRST)
    whole = path.read_bytes()
    for length in range(1, len(whole)):
        path.write_bytes(whole + whole[:length])
        append(path, SECOND)
        found = read_history(path)
        assert found[0] == FIRST
        assert found[-1] == SECOND
        # without its end alone a line is whole: it was being written when the next one came
        assert len(found) == (3 if length == len(whole) - 1 else 2)


def test_a_line_of_something_else_is_refused(tmp_path):
    path = tmp_path / "history.jsonl"
    append(path, FIRST)
    with path.open("a") as file:
        file.write('{"other": 1}\n')
    with raising(DataError, f"{path}:2: expected a line that `toysearch leaderboard submit` wrote; restore the line"):
        read_history(path)


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(StorageError, match="cannot be opened for appending"):
        append(tmp_path / "none" / "history.jsonl", FIRST)
