"""A file read many lines at a time gives what one read line by line gives: the same records, or the same sentence."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from captured_notes import noted
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import DataError
from toysearch.files import triples

pytestmark = pytest.mark.system

WHITE = st.sampled_from([" ", "\t", "  ", "\v", "\f", "\r", " \t "])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n \t\n"])
IDS = st.one_of(
    st.sampled_from(["1", "2", "10", "a", "b", "é", "日本", "😀", "a\x1cb", "\0", "x\x1f", "\u00a0", "\x85", "\u2028"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r"), min_size=1, max_size=4),
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers().map(str),
    st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,4})?", fullmatch=True).filter(bool),
    st.sampled_from(
        ["inf", "-Infinity", "nan", "1_000", "0x1p3", "１２", "1e", ".", "-", "+.5", "5.", "1e+", "\u00a01"]
    ),
)
NOISE = st.sampled_from(
    [b"\n", b" ", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"x", b"9", b"\x1c", b"\0", b"\r", b""]
)


@st.composite
def lines(draw: Any, width: int, value: int) -> str:
    columns = [draw(IDS) for _ in range(width)]
    columns[0] = draw(st.sampled_from(["1", "2", "q"]) | IDS)
    columns[value] = draw(st.sampled_from(["0", "1", "2.5"]) | NUMBERS)
    return draw(st.sampled_from(["", " "])) + draw(WHITE).join(columns) + draw(ENDS)


def outcome(read: Callable[[Path], Any], path: Path) -> tuple[Any, list[str]]:
    """What comes back, all of it, or the error; and the notes."""
    with noted() as notes:
        try:
            rows = read(path)
        except DataError as error:
            found: Any = str(error)
        else:
            values = [(value, str(value)) for value in rows.values.tolist()]  # str tells 0 from −0
            found = rows.query_ids, rows.offsets.tolist(), rows.doc_ids, values, getattr(rows, "name", "")
    return found, notes


def check(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(data)
        for read in (triples.read_trec_run, triples.read_trec_qrels):
            scanned = outcome(read, path)
            with mock.patch.object(triples, "scanned", return_value=None):
                assert scanned == outcome(read, path)


@given(st.lists(lines(6, 4), max_size=8))
def test_runs(made: list[str]) -> None:
    check("".join(made).encode())


@given(st.lists(lines(4, 3), max_size=8))
def test_judgments(made: list[str]) -> None:
    check("".join(made).encode())


@given(
    st.lists(st.builds("{} Q0 d{} 1 {} t\n".format, st.sampled_from("12"), st.integers(0, 99), st.floats(0, 9))),
    st.lists(st.tuples(st.integers(0, 400), NOISE), min_size=1, max_size=3),
)
def test_mutated_bytes(made: list[str], changes: list[tuple[int, bytes]]) -> None:
    data = "".join(made).encode()
    for place, noise in changes:
        data = data[:place] + noise + data[place + 1 :]
    check(data)
    check(data.replace(b" Q0 ", b" ").replace(b" t", b""))  # four columns


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    check(data)
