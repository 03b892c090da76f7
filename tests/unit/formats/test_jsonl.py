"""JSON Lines: keys and what they hold, ids, surrogates, and what is malformed."""

from functools import partial
from pathlib import Path

import pytest
from noted import noted
from raising import raising

from toysearch.base.errors import DataError, ToysearchNote
from toysearch.formats.document_formats import read_records

read_jsonl = partial(read_records, "jsonl", "documents")


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes lines to a file."""

    def write(*lines: str, end: str = "\n") -> Path:
        path = tmp_path / "file"
        path.write_bytes("".join(line + end for line in lines).encode())
        return path

    return write


def test_lone_surrogates_are_replaced_and_counted(written) -> None:
    path = written(
        '{"_id": "a\\ud800", "title": "\\uDC00\\ud83d\\ude00", "text": "x"}', '{"_id": "b", "text": "\\udfff"}'
    )
    with noted() as notes:
        records = list(read_jsonl(path))
    assert records == [(1, "a\ufffd", {"title": "\ufffd😀", "text": "x"}), (2, "b", {"text": "\ufffd"})]
    assert notes == [f"{path}: 3 lone surrogates read as U+FFFD"]


NOT_TEXT = "{path}:1: _id must be a text or a whole number, found "
MALFORMED = {
    "not JSON": (
        ('{"_id": "1", "text": "a"}', '{"_id": "2" "text": "b"}'),
        "{path}:2: expected a JSON object with _id and text; Expecting ',' delimiter at column 13",
    ),
    "cut off": (
        ('{"_id": "1", "te',),
        "{path}:1: expected a JSON object with _id and text; Unterminated string at column 14",
    ),
    "a list": (("[1, 2]",), "{path}:1: expected a JSON object with _id and text, found a list"),
    "a number": (("17",), "{path}:1: expected a JSON object with _id and text, found a number"),
    "no id where others have one": (
        ('{"_id": "1", "text": "a"}', '{"id": "2", "text": "b"}'),
        "{path}:2: expected the key _id, found id, text",
    ),
    "no key": (
        ("{}",),
        "{path}:1: expected a key that holds the text, such as text or body, found no key; name it, as in "
        "load(…, columns='text=NAME')",
    ),
    "no key in a later object": (('{"id": 1, "text": "a"}', "{}"), "{path}:2: expected the key id, found no key"),
    "null as id": (('{"_id": null, "text": "a"}',), NOT_TEXT + "null"),
    "true as id": (('{"_id": true, "text": "a"}',), NOT_TEXT + "true or false"),
    "a fraction as id": (('{"_id": 1.0, "text": "a"}',), NOT_TEXT + "a number"),
    "a list as id": (('{"_id": [], "text": "a"}',), NOT_TEXT + "a list"),
    "empty id": (('{"_id": "", "text": "a"}',), "{path}:1: _id must not be empty"),
    "no text": (
        ('{"id": 1, "claim": "a", "evidence": {}}',),
        "{path}:1: expected a key that holds the text, such as text or body, found id, claim, evidence; name it, as "
        "in load(…, columns='text=claim')",
    ),
    "no text where others have one": (
        ('{"_id": "1", "text": "a"}', '{"_id": "2", "title": "a"}'),
        "{path}:2: expected the key text, found _id, title",
    ),
    "a list of numbers as text": (('{"_id": "1", "text": [1]}',), "{path}:1: text must be a text, found a list"),
    "null as text": (('{"_id": "1", "text": null}',), "{path}:1: text must be a text, found null"),
    "a number as title": (('{"_id": "1", "title": 7, "text": "a"}',), "{path}:1: title must be a text, found a number"),
    "empty": ((), "{path} holds no record; expected one JSON object per line, with _id and text"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_objects(written, case: str) -> None:
    lines, message = MALFORMED[case]
    path = written(*lines)
    with raising(DataError, message.format(path=path)):
        list(read_jsonl(path))


def test_json_that_is_nested_too_deep_is_refused(written) -> None:
    path = written('{"_id": "1", "text": "a", "metadata": ' + "[" * 100_000)
    with pytest.raises(DataError, match=r":1: expected a JSON object with _id and text; "):
        list(read_jsonl(path))


def test_the_keys_of_other_collections(written) -> None:
    path = written(
        '{"doc_id": 4983, "title": "Cats", "abstract": ["One.", "Two."], "structured": false}',
        '{"doc_id": 5, "title": "Dogs", "abstract": [], "structured": true}',
    )
    assert list(read_jsonl(path)) == [
        (1, "4983", {"title": "Cats", "text": "One. Two.", "structured": "false"}),
        (2, "5", {"title": "Dogs", "text": "", "structured": "true"}),
    ]


def test_values_that_are_no_text(written) -> None:
    path = written(
        '{"_id": "1", "text": "a", "year": 2011, "price": 1.5, "new": true, "authors": ["A", "B"], "mixed": ["A", 1], '
        '"metadata": {"label": "SUPPORT"}, "nothing": null, "empty": ""}'
    )
    assert list(read_jsonl(path)) == [
        (1, "1", {"text": "a", "year": "2011", "price": "1.5", "new": "true", "authors": "A B", "empty": ""})
    ]


def test_a_title_may_come_later_and_is_then_decided(written) -> None:
    path = written(
        '{"id": "1", "body": "a"}',
        '{"id": "2", "body": "b", "headline": "B"}',
        '{"id": "3", "body": "c", "title": "C"}',
        '{"headline": "D", "body": "d", "id": "4"}',
    )
    assert [fields for _, _, fields in read_jsonl(path)] == [
        {"text": "a"},
        {"text": "b", "title": "B"},
        {"text": "c", "title_": "C"},
        {"title": "D", "text": "d"},
    ]


def test_without_an_id_the_objects_are_numbered_and_a_note_says_so(written) -> None:
    path = written('{"text": "a"}', "", '{"text": "b", "id": "x"}')
    with noted() as notes:
        records = list(read_jsonl(path))
    assert records == [(1, "1", {"text": "a"}), (3, "2", {"text": "b", "id": "x"})]
    assert notes == [f"{path}: no key holds the ids; the objects are numbered from 1"]


def test_a_named_title_that_no_object_has_is_told(written) -> None:
    path = written('{"id": "1", "text": "a", "title": "b"}')
    with noted() as notes:
        assert list(read_jsonl(path, {"title": "headlin"})) == [(1, "1", {"text": "a", "title": "b"})]
    assert notes == [f"{path}: no object has the key 'headlin', which was named for the title"]


@pytest.mark.parametrize("escape", ["\\ud83d", "\\uD83D", "\\uDE00"])
@pytest.mark.parametrize("place", ['"text": "{}"', '"text": "a", "{}": "b"'])
def test_escapes_of_either_case_are_mended_in_values_and_keys(written, place: str, escape: str) -> None:
    with pytest.warns(ToysearchNote, match="1 lone surrogate read"):
        [(_, _, fields)] = read_jsonl(written('{"_id": "1", ' + place.format(escape) + "}"))
    assert fields in ({"text": "\ufffd"}, {"text": "a", "\ufffd": "b"})


@pytest.mark.parametrize("part", ["id", "text"])
def test_a_named_key_must_be_in_the_first_object(written, part: str) -> None:
    path = written('{"docno": "1", "boddy": "a"}')
    with raising(DataError, f"{path}:1: unknown key 'body'; did you mean 'boddy'? Keys: docno, boddy"):
        list(read_jsonl(path, {"id": "docno", "text": "boddy", part: "body"}))


def test_blanks_around_an_object_and_more_than_one(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(' {"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"} \t\n{"_id": "3", "text": "c"}\n')
    assert [record_id for _, record_id, _ in read_jsonl(path)] == ["1", "2", "3"]
    path.write_text('{"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"} {"_id": "3"}\n')
    with raising(DataError, f"{path}:2: expected a JSON object with _id and text; Extra data at column 27"):
        list(read_jsonl(path))
