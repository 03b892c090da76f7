"""The beginning of a file, and what has none that could be read twice."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from toysearch.errors import DataError
from toysearch.formats.folder_layout import layout_of_file
from toysearch.formats.qrels import read_qrels
from toysearch.formats.runs import read_run
from toysearch.formats.text_files import beginning, refuse_unreadable


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_a_file_begins_with(tmp_path: Path, pack) -> None:
    (tmp_path / "file").write_bytes(pack(b"\xef\xbb\xbf cat\n" * 2))
    assert beginning(tmp_path / "file", 6) == b" ca"
    assert beginning(tmp_path / "file") == b" cat\n\xef\xbb\xbf cat\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_nothing_of_standard_input_is_used_up(monkeypatch, pack) -> None:
    packed = pack(b"\xef\xbb\xbfcat\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed))))
    assert beginning("-") == b"cat\n"
    assert sys.stdin.buffer.read() == packed


def test_a_damaged_file_has_no_beginning(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(gzip.compress(b"cat" * 99)[:12])
    assert beginning(tmp_path / "file") == b""
    with pytest.raises(DataError, match="damaged or cut short"):
        refuse_unreadable(tmp_path / "file")
    (tmp_path / "file").write_bytes(b"cat")
    refuse_unreadable(tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")
@pytest.mark.parametrize("read", [read_run, read_qrels, layout_of_file])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, read) -> None:
    """To read its beginning would empty it, and what follows would be called an empty file."""
    os.mkfifo(tmp_path / "pipe")
    errors: list[str] = []

    def reading() -> None:
        try:
            read(tmp_path / "pipe")
        except DataError as error:
            errors.append(str(error))

    thread = threading.Thread(target=reading, daemon=True)
    thread.start()
    thread.join(5)
    assert errors == [
        f"{tmp_path / 'pipe'} is a pipe, which can be read only once, and telling its format takes one reading; save "
        "it to a file, or pipe a run or judgments into standard input and name it -"
    ]
