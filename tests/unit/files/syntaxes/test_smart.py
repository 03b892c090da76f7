"""SMART files: each trap of the old collections, and what is malformed."""

from functools import partial
from pathlib import Path

import pytest
from error_messages import raising

from toysearch.base.errors import DataError
from toysearch.files.document_formats import read_records
from toysearch.files.triples import read_smart_qrels

read_smart = partial(read_records, "smart", "documents")


@pytest.fixture
def smart(tmp_path: Path):
    """A function that writes lines to a SMART file."""

    def write(*lines: str, end: str = "\n", name: str = "pets.all") -> Path:
        path = tmp_path / name
        path.write_bytes(end.join([*lines, ""]).encode())
        return path

    return write


def test_fields_and_lines(smart) -> None:
    lines = (".I 1", ".T", "how to", "train", ".A", ".W", "train a cat .", ".I b-2", ".W", "dog")
    for end in ("\n", "\r\n"):
        assert list(read_smart(smart(*lines, end=end))) == [
            (1, "1", {"T": "how to\ntrain", "A": "", "W": "train a cat ."}),
            (8, "b-2", {"W": "dog"}),
        ]


READ = {
    "a repeated marker inside the text is dropped, and the text goes on": (
        ".I 240|.T|t|.A|a|.B|b|.W|one|.A|two|.B|three|.W|four",
        [(1, "240", {"T": "t", "A": "a", "B": "b", "W": "one\ntwo\nthree\nfour"})],
    ),
    "a marker seen before in another record is no stray line": (
        ".I 1|.A|a|.W|one|.I 2|.W|two|.A|b",
        [(1, "1", {"A": "a", "W": "one"}), (6, "2", {"W": "two", "A": "b"})],
    ),
    "lines that only look like markers are text": (
        ".I 1|.W|.5 of a cat|.w|.WW| .T|.Id|. ",
        [(1, "1", {"W": ".5 of a cat\n.w\n.WW\n .T\n.Id\n. "})],
    ),
    "empty records keep their ids": (
        ".I 471|.T|.A|.B|.W|.I 472|.I 995",
        [(1, "471", {"T": "", "A": "", "B": "", "W": ""}), (6, "472", {}), (7, "995", {})],
    ),
    "a stray marker in front of the first record is dropped": (".X||.I 1|.W|cat", [(3, "1", {"W": "cat"})]),
}


@pytest.mark.parametrize("case", READ)
def test_markers(smart, case: str) -> None:
    lines, records = READ[case]
    assert list(read_smart(smart(*lines.split("|")))) == records


MALFORMED = {
    "text in front": ((".W", "cat"), "{path}:2: expected a line '.I ID' that begins a SMART record, found 'cat'"),
    "not SMART": (
        ('{"_id": "1"}',),
        "{path}:1: expected a line '.I ID' that begins a SMART record, found '{{\"_id\": \"1\"}}'",
    ),
    "no id": ((".I 1", ".W", ".I"), "{path}:3: expected one id without blanks after .I, found nothing"),
    "blank id": ((".I  ",), "{path}:1: expected one id without blanks after .I, found nothing"),
    "two words": ((".I 1 2", ".W"), "{path}:1: expected one id without blanks after .I, found '1 2'"),
    "no field": (
        (".I 1", ".W", "cat", ".I 2", "dog"),
        "{path}:5: expected a line that begins a field, such as .T or .W, after .I 2, found 'dog'",
    ),
    "empty": ((), "{path} holds no record; expected SMART records, each beginning with a line '.I ID'"),
    "blank lines": (("", ""), "{path} holds no record; expected SMART records, each beginning with a line '.I ID'"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_records(smart, case: str) -> None:
    lines, message = MALFORMED[case]
    path = smart(*lines)
    with raising(DataError, message.format(path=path)):
        list(read_smart(path))


def test_four_columns_of_trec(smart) -> None:
    path = smart("1 0 13 1", "1 0 14 0", "2 0 0 0", name="rel")
    assert [tuple(row) for row in read_smart_qrels(path)] == [("1", "13", 1), ("1", "14", 0), ("2", "0", 0)]


LINES = "SMART judgments are lines 'query document grade' or 'query document 0 0'"
MALFORMED_QRELS = {
    "empty": ((), "{path} holds no judgments; expected lines such as 'query document grade'"),
    "two columns": (("1 184",), "{path}:1: expected 3 or 4 columns, found 2: '1 184'; " + LINES),
    "a column lost": (("1 184 2", "1 29"), "{path}:2: expected 3 columns, found 2: '1 29'; " + LINES),
    "no number": (("1 184 2", "1 29 high"), "{path}:2: expected a number as the third column, found 'high'"),
    "not finite": (("1 184 nan",), "{path}:1: expected a number as the third column, found 'nan'"),
    "twice": (
        ("1 184 2", "", "1 184 3"),
        "{path}:3: query '1' and document '184' have grade 3 here and 2 on line 1; keep one of the two lines",
    ),
    "a mixture": (
        ("1 28 0 0.000000", "1 35 0 0.5", "1 38 0 0.000000"),
        "{path}:2: expected 'query document 0 0' or, in TREC, 'query 0 document grade' on every "
        "line, found '1 35 0 0.5'",
    ),
}


@pytest.mark.parametrize("case", MALFORMED_QRELS)
def test_malformed_judgments(smart, case: str) -> None:
    lines, message = MALFORMED_QRELS[case]
    path = smart(*lines, name="rel")
    with raising(DataError, message.format(path=path)):
        read_smart_qrels(path)
