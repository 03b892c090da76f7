"""BEIR files: string ids, surrogates, headers, and what is malformed."""

from __future__ import annotations

from pathlib import Path

import pytest

from toysearch.errors import DataError, ToysearchNote
from toysearch.formats.beir import read_beir_qrels, read_jsonl


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes lines to a file."""

    def write(*lines: str, end: str = "\n") -> Path:
        path = tmp_path / "file"
        path.write_bytes("".join(line + end for line in lines).encode())
        return path

    return write


def test_objects_a_line(written) -> None:
    path = written(
        '{"_id": "4983", "title": "Cats", "text": "\\u03b2 cat", "metadata": {"label": "SUPPORT"}, "url": "u"}',
        "",
        '{"_id": "070", "text": ""}',
        end="\r\n",
    )
    assert list(read_jsonl(path)) == [
        (1, "4983", {"title": "Cats", "text": "β cat", "url": "u"}),
        (3, "070", {"text": ""}),
    ]


def test_whole_numbers_as_ids_are_read_as_text(written) -> None:
    path = written('{"_id": 7, "text": "a"}', '{"_id": "07", "text": "b"}')
    assert [record_id for _, record_id, _ in read_jsonl(path)] == ["7", "07"]


def test_a_title_may_be_null(written) -> None:
    assert list(read_jsonl(written('{"_id": "1", "title": null, "text": "a"}'))) == [(1, "1", {"text": "a"})]


def test_lone_surrogates_are_replaced_and_counted(written) -> None:
    path = written(
        '{"_id": "a\\ud800", "title": "\\uDC00\\ud83d\\ude00", "text": "x"}', '{"_id": "b", "text": "\\udfff"}'
    )
    with pytest.warns(ToysearchNote) as notes:
        records = list(read_jsonl(path))
    assert records == [(1, "a\ufffd", {"title": "\ufffd😀", "text": "x"}), (2, "b", {"text": "\ufffd"})]
    assert [str(note.message) for note in notes] == [f"{path}: 3 lone surrogates read as U+FFFD"]


NOT_TEXT = "{path}:1: _id must be a text or a whole number, found "
MALFORMED = {
    "not JSON": (
        ('{"_id": "1", "text": "a"}', '{"_id": "2" "text": "b"}'),
        "{path}:2: expected a JSON object with _id and text; Expecting ',' delimiter at column 13",
    ),
    "cut off": (
        ('{"_id": "1", "te',),
        "{path}:1: expected a JSON object with _id and text; Unterminated string starting at at column 14",
    ),
    "a list": (("[1, 2]",), "{path}:1: expected a JSON object with _id and text, found a list"),
    "a number": (("17",), "{path}:1: expected a JSON object with _id and text, found a number"),
    "no id": (('{"id": "1", "text": "a"}',), "{path}:1: expected the key _id, found id, text"),
    "no key": (("{}",), "{path}:1: expected the key _id, found no key"),
    "null as id": (('{"_id": null, "text": "a"}',), NOT_TEXT + "null"),
    "true as id": (('{"_id": true, "text": "a"}',), NOT_TEXT + "true or false"),
    "a fraction as id": (('{"_id": 1.0, "text": "a"}',), NOT_TEXT + "a number"),
    "a list as id": (('{"_id": [], "text": "a"}',), NOT_TEXT + "a list"),
    "empty id": (('{"_id": "", "text": "a"}',), "{path}:1: _id must not be empty"),
    "no text": (('{"_id": "1", "title": "a"}',), "{path}:1: expected the key text, found _id, title"),
    "null as text": (('{"_id": "1", "text": null}',), "{path}:1: text must be a text, found null"),
    "a number as title": (
        ('{"_id": "1", "title": 7, "text": "a"}',),
        "{path}:1: title must be a text, found a number",
    ),
    "empty": ((), "{path} holds no record; expected one JSON object a line, with _id and text"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_objects(written, case: str) -> None:
    lines, message = MALFORMED[case]
    path = written(*lines)
    with pytest.raises(DataError) as error:
        list(read_jsonl(path))
    assert str(error.value) == message.format(path=path)


def test_json_that_is_nested_too_deep_is_refused(written) -> None:
    path = written('{"_id": "1", "text": "a", "metadata": ' + "[" * 100_000)
    with pytest.raises(DataError, match=r":1: expected a JSON object with _id and text; "):
        list(read_jsonl(path))


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
