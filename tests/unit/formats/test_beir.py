"""BEIR's judgments: headers, and what is malformed."""

from __future__ import annotations

from pathlib import Path

import pytest

from toysearch.errors import DataError
from toysearch.formats.beir import read_beir_qrels


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes lines to a file."""

    def write(*lines: str, end: str = "\n") -> Path:
        path = tmp_path / "file"
        path.write_bytes("".join(line + end for line in lines).encode())
        return path

    return write


def test_judgments_with_header_and_crlf(written) -> None:
    path = written("query-id\tcorpus-id\tscore", "1\t31715818\t1", "3\t14717500\t0.5", "", end="\r\n")
    assert [tuple(row) for row in read_beir_qrels(path)] == [("1", "31715818", 1.0), ("3", "14717500", 0.5)]


HEADER = "query-id\tcorpus-id\tscore"
MALFORMED_QRELS = {
    "no header": (
        ("1\t7\t1",),
        "{path}:1: expected a header such as query-id<TAB>corpus-id<TAB>score, found '1\t7\t1'",
    ),
    "blanks": (
        (HEADER, "1 7 1"),
        "{path}:2: expected 3 columns separated by tabs (query-id<TAB>corpus-id<TAB>score), found 1: '1 7 1'",
    ),
    "four columns": (
        (HEADER, "1\t0\t7\t1"),
        "{path}:2: expected 3 columns separated by tabs (query-id<TAB>corpus-id<TAB>score), found 4: '1\t0\t7\t1'",
    ),
    "no number": ((HEADER, "1\t7\tyes"), "{path}:2: expected a number as the score, found 'yes'"),
    "no score": ((HEADER, "1\t7\t"), "{path}:2: expected a number as the score, found ''"),
    "no query": (
        (HEADER, "\t7\t1"),
        "{path}:2: the query-id is empty: '\t7\t1'; give it an id or take the line out",
    ),
    "no document": (
        (HEADER, "1\t \t1"),
        "{path}:2: the corpus-id is empty: '1\t \t1'; give it an id or take the line out",
    ),
    "infinite": ((HEADER, "1\t7\tinf"), "{path}:2: expected a number as the score, found 'inf'"),
    "twice": (
        (HEADER, "1\t7\t1", "1\t8\t1", "1\t7\t1"),
        "{path}:4: query '1' and document '7' were given on line 2 already; each pair may occur once",
    ),
    "header alone": (
        (HEADER,),
        "{path} holds no judgments; expected lines query-id<TAB>corpus-id<TAB>score after a header",
    ),
    "empty": ((), "{path} holds no judgments; expected lines query-id<TAB>corpus-id<TAB>score after a header"),
}


@pytest.mark.parametrize("case", MALFORMED_QRELS)
def test_malformed_judgments(written, case: str) -> None:
    lines, message = MALFORMED_QRELS[case]
    path = written(*lines)
    with pytest.raises(DataError) as error:
        read_beir_qrels(path)
    assert str(error.value) == message.format(path=path)
