"""Judgments of groups: what is read, and what is refused."""

from __future__ import annotations

import gzip
import os

import pytest

from toysearch.base.errors import DataError
from toysearch.exchange.trec_eval import read_judgment_groups


def read(tmp_path, text, layout="prefs"):
    (tmp_path / "p").write_text(text)
    return read_judgment_groups(tmp_path / "p", layout)


def failure(tmp_path, text, layout="prefs"):
    with pytest.raises(DataError) as error:
        read(tmp_path, text, layout)
    return str(error.value).replace(f"{tmp_path}{os.sep}", "")


def test_the_three_layouts(tmp_path):
    assert read(tmp_path, "# who\n1 ada s a 2.5\r\n\n1\tada  t b 0\n") == {
        "1": {"ada": {"s": {"a": 2.5}, "t": {"b": 0}}}
    }
    for layout in ("qrels_prefs", "qrels_jg"):
        assert read(tmp_path, "1 ada a 2\n1 ben a 0\n", layout) == {
            "1": {"ada": {"0": {"a": 2}}, "ben": {"0": {"a": 0}}}
        }


def test_a_packed_file_is_read(tmp_path):
    (tmp_path / "p.gz").write_bytes(gzip.compress(b"1 ada s a 1\n"))
    assert read_judgment_groups(tmp_path / "p.gz", "prefs") == {"1": {"ada": {"s": {"a": 1}}}}


@pytest.mark.parametrize(
    ("layout", "text", "message"),
    [
        ("prefs", "", "p is empty; expected lines of 5 columns: query_id group subgroup doc_id level"),
        (
            "prefs",
            "1 0 a 1\n",
            "p:1: expected 5 columns (query_id group subgroup doc_id level), found 4: '1 0 a 1'; complete the line or "
            "remove it",
        ),
        ("qrels_jg", "1 0 a yes\n", "p:1: expected a number as grade, found 'yes'"),
        ("qrels_jg", "1 0 a nan\n", "p:1: expected a number as grade, found 'nan'"),
        (
            "qrels_prefs",
            "1 0 a 1\n1 0 a 1\n",
            "p:2: query '1' and group '0' already have document 'a' on line 1; keep one of the two lines",
        ),
        (
            "prefs",
            "1 0 s a 1\n1 0 t a 0\n",
            (
                "p: query '1', group '0' has document 'a' at level 0 and at another; 0 means not "
                "relevant and holds for all subgroups of a group"
            ),
        ),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(tmp_path, layout, text, message):
    assert failure(tmp_path, text, layout) == message
