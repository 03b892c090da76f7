"""The files that keep values of settings; checksums of what makes them."""

import json
import math

import numpy as np
import pytest
from error_messages import raising
from tiers import EVERYTHING

from toysearch.base.errors import DataError, StorageError
from toysearch.study.ledger import Ledger, key

HEADER = {"measure": "AP", "grid": {"b": [0.0, 0.1]}, "queries": ["1", "ü"]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tuned.jsonl"


def fill(path, n=2):
    with Ledger(path, HEADER) as ledger:
        for number in range(n):
            ledger.add({"b": number / 10, "k3": None}, np.array([0.1 + 0.2, math.nan]))


def found(path):
    with Ledger(path, HEADER) as ledger:
        return {name: values.tolist() for name, values in ledger.found.items()}


def test_what_is_added_is_found_again_to_the_last_bit(path):
    fill(path)
    assert str(found(path)) == str(
        {key({"b": 0.0, "k3": None}): [0.1 + 0.2, math.nan], (("b", 0.1), ("k3", None)): [0.1 + 0.2, math.nan]}
    )
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {"kind": "toysearch-tune", **HEADER}
    assert lines[1] == {"setting": {"b": 0.0, "k3": None}, "values": [0.1 + 0.2, None]}


def test_wherever_the_file_is_cut_only_whole_lines_count_and_the_rest_can_be_added(path):
    fill(path)
    whole = path.read_bytes()
    ends = [place for place, byte in enumerate(whole, 1) if byte == 10]
    near_ends = {end + step for end in (0, *ends) for step in (-2, -1, 0, 1)} & {*range(len(whole) + 1)}
    for cut in range(len(whole) + 1) if EVERYTHING else sorted({*range(0, len(whole), 25)} | near_ends):
        path.write_bytes(whole[:cut])
        done = max(0, sum(end <= cut for end in ends) - 1)
        assert len(found(path)) == done, cut
        with Ledger(path, HEADER) as ledger:
            for number in range(done, 2):
                ledger.add({"b": number / 10, "k3": None}, np.array([0.1 + 0.2, math.nan]))
        assert path.read_bytes() == whole, cut


@pytest.mark.parametrize("text", ["hello", "hello\n", "{}\n", '{"kind": "other"}\n', "[1]\n", "\n"])
def test_other_files_are_refused_and_left_as_they_are(path, text):
    path.write_text(text)
    with raising(DataError, f"{path}: this is not a file of results of `tune`; choose another name"):
        Ledger(path, HEADER)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "{}",
        '{"setting": {"b": 1}, "values": [1]}',
        '{"setting": {"b": 1}, "values": [1, "a"]}',
        '{"setting": {"b": 1}, "values": [1, true]}',
        '{"setting": 1, "values": [1, 2]}',
        '{"setting": {"b": 1}, "values": null}',
    ],
)
def test_a_damaged_line_is_told_with_its_number(path, line):
    fill(path, 1)
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError) as caught:
        Ledger(path, HEADER)
    assert str(caught.value) == (
        f"{path}:3: expected a setting with 2 values, one per query; delete this line and those after it, or choose "
        "another file"
    )


def test_one_process_at_a_time_writes(tmp_path):
    header = {"measure": "AP", "queries": ["1"]}
    with Ledger(tmp_path / "a.jsonl", header) as ledger:
        ledger.add({"b": 0.5}, np.array([1.0]))
        with pytest.raises(StorageError) as error:
            Ledger(tmp_path / "a.jsonl", header)
        assert str(error.value) == (
            f"{tmp_path / 'a.jsonl'} is already open for appending; close the other program, or give another file"
        )
    with Ledger(tmp_path / "a.jsonl", header) as ledger:
        assert len(ledger.found) == 1
