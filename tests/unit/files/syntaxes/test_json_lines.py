"""JSON Lines: keys and what they hold, ids, surrogates, and what is malformed."""

import json
from functools import partial
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising

import toysearch
from toysearch.base.errors import DataError, ToysearchNote
from toysearch.files.document_formats import read_records

read_jsonl = partial(read_records, "jsonl", "documents")


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes lines to a file."""

    def write(*lines: str) -> Path:
        path = tmp_path / "file"
        path.write_bytes("".join(line + "\n" for line in lines).encode())
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


OBJECT = "expected a JSON object with _id and text"
NO_TEXT = "{path}:1: expected a key that holds the text, such as text or body, found"
NOT_TEXT = "{path}:1: _id must be a text or a whole number, found "
MALFORMED = {
    "not JSON": (
        ('{"_id": "1", "text": "a"}', '{"_id": "2" "text": "b"}'),
        f"{{path}}:2: {OBJECT}; Expecting ',' delimiter at column 13",
    ),
    "cut off": (('{"_id": "1", "te',), f"{{path}}:1: {OBJECT}; Unterminated string at column 14"),
    "a list": (("[1, 2]",), f"{{path}}:1: {OBJECT}, found a list"),
    "a number": (("17",), f"{{path}}:1: {OBJECT}, found a number"),
    "two objects on a line": (
        ('{"_id": "1", "text": "a"}', '{"_id": "2", "text": "b"} {"_id": "3"}'),
        f"{{path}}:2: {OBJECT}; Extra data at column 27",
    ),
    "no id where others have one": (
        ('{"_id": "1", "text": "a"}', '{"id": "2", "text": "b"}'),
        "{path}:2: expected the key _id, found id, text",
    ),
    "no key": (("{}",), f"{NO_TEXT} no key; name it, as in load(…, columns='text=NAME')"),
    "no key in a later object": (('{"id": 1, "text": "a"}', "{}"), "{path}:2: expected the key id, found no key"),
    "null as id": (
        ('{"_id": "1", "text": "a"}', '{"_id": null, "text": "a"}'),
        NOT_TEXT.replace(":1:", ":2:") + "null",
    ),
    "true as id": (('{"_id": true, "text": "a"}',), NOT_TEXT + "true or false"),
    "a fraction as id": (('{"_id": 1.0, "text": "a"}',), NOT_TEXT + "a number"),
    "a list as id": (('{"_id": [], "text": "a"}',), NOT_TEXT + "a list"),
    "empty id": (('{"_id": "", "text": "a"}',), "{path}:1: _id must not be empty"),
    "no text": (
        ('{"id": 1, "url": "a", "evidence": {}}',),
        f"{NO_TEXT} id, url; name it, as in load(…, columns='text=url')",
    ),
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


READ = {
    "numbers under the names of a title and a text": (
        '{"_id": "1", "title": 1776, "text": [1, 2], "made": 1776}',
        ("1", {"title": "1776", "text": "1 2", "made": "1776"}),
    ),
    "what stands in _source": ('{"_id": "1", "_source": {"text": "a"}}', ("1", {"text": "a"})),
    "keys of other collections": (
        '{"doc_id": 4983, "title": "Cats", "abstract": ["One.", "Two."], "structured": false}\n'
        '{"doc_id": 5, "title": "Dogs", "abstract": [], "structured": true}',
        ("4983", {"title": "Cats", "abstract": "One. Two.", "text": "One. Two.", "structured": "false"}),
        ("5", {"title": "Dogs", "abstract": "", "text": "", "structured": "true"}),
    ),
    "values that are no text": (
        '{"_id": "1", "text": "a", "year": 2011, "price": 1.5, "new": true, "authors": ["A", "B"], "mixed": ["A", 1], '
        '"metadata": {"label": "SUPPORT"}, "nothing": null, "empty": ""}',
        (
            "1",
            {
                "text": "a A B A 1",
                "year": "2011",
                "price": "1.5",
                "new": "true",
                "authors": "A B",
                "mixed": "A 1",
                "empty": "",
            }
            | {"metadata.label": "SUPPORT"},
        ),
    ),
    "a title that comes later, and is then decided": (
        '{"id": "1", "body": "a"}\n{"id": "2", "body": "b", "headline": "B"}\n'
        '{"id": "3", "body": "c", "title": "C"}\n{"headline": "D", "body": "d", "id": "4"}',
        ("1", {"body": "a", "text": "a"}),
        ("2", {"body": "b", "headline": "B", "title": "B", "text": "b"}),
        ("3", {"body": "c", "title": "C", "text": "c"}),
        ("4", {"headline": "D", "body": "d", "title": "D", "text": "d"}),
    ),
    "blanks around an object": (
        ' {"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"} \t\n{"_id": "3", "text": "c"}',
        ("1", {"text": "a"}),
        ("2", {"text": "b"}),
        ("3", {"text": "c"}),
    ),
}


@pytest.mark.parametrize("case", READ)
def test_keys_and_values(written, case: str) -> None:
    text, *records = READ[case]
    assert list(read_jsonl(written(text))) == [(line, *record) for line, record in enumerate(records, 1)]


def test_without_an_id_the_objects_are_numbered_and_a_note_says_so(written) -> None:
    path = written('{"text": "a"}', "", '{"text": "b", "id": "x"}')
    with noted() as notes:
        records = list(read_jsonl(path))
    assert records == [(1, "1", {"text": "a"}), (3, "2", {"text": "b", "id": "x"})]
    assert notes == [f"{path}: 2 documents; ids numbered from 1; searched: text; not searched: id"]


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
    assert fields in ({"text": "\ufffd"}, {"text": "a b", "\ufffd": "b"})


@pytest.mark.parametrize("part", ["id", "text"])
def test_a_named_key_must_be_in_the_first_object(written, part: str) -> None:
    path = written('{"docno": "1", "boddy": "a"}')
    with raising(DataError, f"{path}:1: unknown key 'body'; did you mean 'boddy'? Keys: docno, boddy"):
        list(read_jsonl(path, {"id": "docno", "text": "boddy", part: "body"}))


SQUAD = """{"data": [{"id": "a", "title": "Normans", "paragraphs": [{"context": "They came.", "qas": []},
{"context": "They went."}]}, {"id": "b", "title": "Oxygen", "paragraphs": []}]}"""


def test_pieces_of_a_titled_record_are_documents(written) -> None:
    with noted() as notes:
        records = list(read_jsonl(written(SQUAD)))
    assert [(doc_id, fields["title"], fields["text"]) for _, doc_id, fields in records] == [
        ("a#1", "Normans", "They came."),
        ("a#2", "Normans", "They went."),
        ("b", "Oxygen", ""),
    ]
    assert any(note.endswith(": 1 record without a text") for note in notes)


def test_a_record_with_its_text_under_another_key_has_it(written) -> None:
    path = written('{"id": 1, "summary": "an oak"}', '{"id": 2, "content": "an elm"}', '{"id": 3, "url": "a"}')
    with noted() as notes:
        assert [fields.get("text") for _, _, fields in read_jsonl(path)] == ["an oak", "an elm", ""]
    assert any(told.endswith(": 1 record without a text") for told in notes)


def test_texts_and_links_of_a_message_are_one_text(written) -> None:
    path = written('{"id": 7, "text": ["See ", {"type": "link", "text": "the ridge"}]}')
    assert list(read_jsonl(path)) == [(1, "7", {"text": "See  the ridge"})]


def test_the_records_in_an_object_with_nothing_but_an_id_are_the_documents(tmp_path) -> None:
    path = tmp_path / "outbox.json"
    notes = [
        {"id": f"a/{n}", "object": {"id": f"n/{n}", "content": f"<p>{word} bread</p>"}}
        for n, word in enumerate(("rye", "oat"))
    ]
    path.write_text(json.dumps({"@context": "https://www.w3.org/ns/activitystreams", "id": "a", "orderedItems": notes}))
    assert [one.doc_id for one in toysearch.search(path, "oat")] == ["a/1"]


EXPORTS = {  # a record, and by hand: its id, and its searched text
    "a question beside its subject and its choices": (
        {"subject": "Law", "question": "Who may sue?", "choices": ["The owner of the lamp", "The maker of it"]},
        ("1", "Law Who may sue? The owner of the lamp The maker of it"),
    ),
    "a body whose summary is empty": (
        {"id": "a", "body": {"value": "a red lamp", "summary": ""}},
        ("a", "a red lamp"),
    ),
    "blocks of rich text": (
        {"id": "a", "body": [{"_type": "block", "children": [{"_type": "span", "text": "a red"}, {"text": "lamp"}]}]},
        ("a", "a red lamp"),
    ),
    "an image between two texts": (
        {"id": "a", "content": ["a red", {"img": "x.jpg"}, "lamp"]},
        ("a", "a red lamp"),
    ),
    "a number that is missing": ({"id": "a", "title": "lamp", "text": float("nan")}, ("a", "lamp")),
}


@pytest.mark.parametrize("case", EXPORTS)
def test_a_record_of_an_export_is_read(tmp_path, case) -> None:
    record, expected = EXPORTS[case]
    path = tmp_path / "export.jsonl"
    path.write_text(f"{json.dumps(record)}\n")
    [document] = toysearch.load(path).documents
    assert (document.doc_id, document.text) == expected


POSTS = [{"id": n, "title": f"Oaks {n}", "text": "They stand in a row."} for n in (1, 2)]
NOTES = [{"id": n, "headline": f"Elms {n}", "body": "They stand by the pier."} for n in (3, 4)]
SAID = [{"by": "Ann", "comment": "I saw them on the way home."}] * 2


def test_lists_beside_each_other_are_read_if_they_are_alike_and_named_if_not(tmp_path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"posts": POSTS, "notes": NOTES, "comments": SAID}))
    with noted() as notes:
        found = [(one.doc_id, one.title) for one in toysearch.load(path).documents]
    assert found == [("1", "Oaks 1"), ("2", "Oaks 2"), ("3", "Elms 3"), ("4", "Elms 4")]
    assert "4 documents; not read: comments; " in notes[0]


def test_lists_in_groups_are_read_if_their_ids_differ(tmp_path) -> None:
    path = tmp_path / "groups.json"
    path.write_text(
        json.dumps({"oaks": {"items": POSTS}, "elms": {"items": [{**one, "id": one["id"] + 2} for one in POSTS]}})
    )
    assert [one.doc_id for one in toysearch.load(path).documents] == ["1", "2", "3", "4"]


PAGES = {
    "pages of an interface": ("results", {"page": 1}, ["1", "2", "3", "4"]),
    "pages in an answer of an engine": ("hits", {"took": 1}, ["1", "2", "3", "4"]),
    "lists of a titled group": ("products", {"name": "Trees"}, ["1", "2", "3", "4"]),
    "reviews of one thing": ("reviews", {"id": "x", "name": "Trees"}, ["x", "x1"]),
    "the turns of conversations": ("turns", {"topic": "oaks"}, ["1", "2"]),
}


@pytest.mark.parametrize("case", PAGES)
@pytest.mark.parametrize("array", [False, True])
def test_the_objects_in_groups_without_a_text_are_documents(tmp_path, case: str, array: bool) -> None:
    label, around, ids = PAGES[case]
    lists: list = [POSTS, [{**one, "id": one["id"] + 2} for one in POSTS]]
    if label == "hits":
        lists = [{"hits": [{"_id": one["id"], "_source": one} for one in items]} for items in lists]
    elif label == "turns":
        lists = [[{"by": "Ann", "text": "They stand in a row."}] * 2] * 2
    pages = [{**around, label: items} for items in lists]
    pages[1] |= {"id": "x1"} if "id" in around else {}
    path = tmp_path / ("pages.json" if array else "pages.jsonl")
    path.write_text(json.dumps(pages) if array else "".join(json.dumps(page) + "\n" for page in pages))
    assert [one.doc_id for one in toysearch.load(path).documents] == ids


VECTORS = {
    "one vector": {"vector": [0.25, 0.5]},
    "several vectors": {"vector": [[0.25, 0.5], [0.5, 0.25]]},
    "named vectors": {"vector": {"dense": [0.25, 0.5], "title": [0.5, 0.25]}},
    "a sparse vector": {"vector": {"words": {"indices": [1, 4], "values": [0.25, 0.5]}}},
    "no vector": {"vector": None, "score": 0.5},
    "values": {"values": [0.25, 0.5]},
}
PAYLOADS = {
    "payload": {"payload": {"title": "Lamp", "text": "a red lamp"}},
    "properties": {"class": "Thing", "properties": {"titel": "Lamp", "inhalt": "a red lamp"}},
    "metadata": {"metadata": {"title": "Lamp", "text": "a red lamp", "page": 7}},
}


@pytest.mark.parametrize("around", ["lines", "list", "points"])
@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("vectors", VECTORS)
def test_the_texts_beside_vectors_are_read_and_no_vector(tmp_path, vectors, payload, around):
    items = [{"id": n, **VECTORS[vectors], **PAYLOADS[payload]} for n in (1, 2)]
    whole = {"list": items, "points": {"result": {"points": items}, "status": "ok"}}
    text = json.dumps(whole[around]) if around in whole else "".join(json.dumps(item) + "\n" for item in items)
    path = tmp_path / "points.json"
    path.write_text(text)
    read = [(one.doc_id, one.title, one.text) for one in toysearch.load(path).documents]
    assert read == [("1", "Lamp", "Lamp a red lamp"), ("2", "Lamp", "Lamp a red lamp")]


LONG = "Oaks, elms {and} [ashes] stand, as they say, in a row. " * 2000  # more than is looked at first
ITEMS = {str(n): {"name": f"Tree {n}", "body": f"It grows {LONG}"} for n in (1, 2)}
WHOLE = {
    "a list beside the number of its page": {"total": 9, "page": 1, "questions": [*ITEMS.values()]},
    "a list behind long settings": {"settings": {"motto": LONG}, "questions": [*ITEMS.values()]},
    "objects by their ids": ITEMS,
    "objects by their ids behind settings": {"version": 3, "of": {"motto": LONG}, "data": ITEMS},
    "a list": [*ITEMS.values()],
    "groups": [{"name": "Old", "trees": [{"name": f"{LONG} {n}", "year": n} for n in range(6)]}],
}


@pytest.mark.parametrize("kind", WHOLE)
def test_the_length_of_the_texts_does_not_decide_what_is_read(tmp_path, kind: str) -> None:
    texts = {name: json.dumps(WHOLE[kind], indent=1).replace(json.dumps(LONG)[1:-1], name) for name in ("brief", LONG)}
    read = []
    for number, text in enumerate(texts.values()):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        read.append([(one.doc_id, one.title[-2:]) for one in toysearch.load(path).documents])
    assert read[0] == read[1]
    assert len(read[0]) == (6 if kind == "groups" else 2)


def test_a_long_object_with_a_list_on_lines_is_one(tmp_path) -> None:
    path = tmp_path / "docs.json"
    path.write_text('{"docs": [\n' + ",\n".join(json.dumps(one) for one in POSTS * 900) + "\n]}\n")
    assert len(toysearch.load(path, ids="first").documents) == 2


TOLD = {"title": "Oak", "description": "A tall tree of the north", "notes": {"1": "It grows for years", "2": "See 1"}}
PAGES_OF = [{"url": f"/{n}", "title": f"On oaks {n}"} for n in range(60)]
DESCRIBED = {
    "short lists": ({"links": PAGES_OF[:2], "bugs": [{"description": "It falls " * 40}] * 2}, ["Oak"]),
    "a short list without texts": ({"links": PAGES_OF[:2]}, ["Oak"]),
    "a list of records": (
        {"recipes": [{"title": f"Soup {n}", "text": "Boil it"} for n in (1, 2)]},
        ["Soup 1", "Soup 2"],
    ),
    "a long list": ({"links": PAGES_OF}, [one["title"] for one in PAGES_OF]),
}


@pytest.mark.parametrize("case", DESCRIBED)
def test_an_object_with_a_title_and_a_text_is_the_record(tmp_path, case: str) -> None:
    lists, titles = DESCRIBED[case]
    path = tmp_path / "oak.json"
    path.write_text(json.dumps({**TOLD, **lists}))
    assert [one.title for one in toysearch.load(path).documents] == titles


def test_the_keys_of_many_objects_are_ids_whatever_words_are_in_them(tmp_path) -> None:
    path = tmp_path / "data.json"
    of = {f"cross-document-{n}": {"title": f"Move {n}", "description": "To a page"} for n in range(60)}
    path.write_text(json.dumps({"eras": {"e1": "long ago", "e2": "now"}, "data": of}))
    assert [one.doc_id for one in toysearch.load(path).documents] == [*of]


def test_the_keys_of_many_texts_are_ids_whatever_words_are_among_them(tmp_path) -> None:
    names = {**{f"n{n}": f"Northern {n}" for n in range(300)}, "pid": "Piaroa", "raw": "Rawang", "body": "Bodo"}
    path = tmp_path / "languages.json"
    path.write_text(json.dumps(names))
    assert {one.doc_id: one.text for one in toysearch.load(path).documents} == names


def test_objects_behind_a_long_one_show_what_is_searched(tmp_path) -> None:
    chapters = [
        {"id": n, "name": f"N{n}", "verses": [{"text": "waf faw", "translation": f"He said {n} {at}"} for at in verses]}
        for n, verses in enumerate([range(7), range(3000), *[range(9)] * 8])
    ]
    path = tmp_path / "chapters.json"
    path.write_text(json.dumps(chapters))
    assert toysearch.search(path, "said")


def test_many_objects_by_their_ids_are_records_though_no_key_is_known(tmp_path) -> None:
    path = tmp_path / "signs.json"
    path.write_text(json.dumps({f"s{n}": {"en": f":sign_{n}:", "status": n} for n in range(60)}))
    assert [one.text for one in toysearch.load(path, columns="text=en").documents][:2] == [":sign_0:", ":sign_1:"]


NAMED = [{"emoji": str(n), "name": f"face {n}"} for n in range(12)]
GROUPED = {
    "long lists with the keys of their groups": ([{"name": "A", "of": NAMED[:6]}, {"name": "B", "of": NAMED[6:]}], 12),
    "short lists": ([{"name": "A", "of": NAMED[:2]}, {"name": "B", "of": NAMED[2:4]}], 2),
    "lists with the same names": ([{"name": "A", "of": NAMED[:6]}, {"name": "B", "of": NAMED[:6]}], 2),
    "groups with more keys": ([{"name": "A", "year": 7, "of": NAMED[:6]}, {"name": "B", "of": NAMED[6:]}], 2),
}


@pytest.mark.parametrize("case", GROUPED)
def test_named_objects_in_groups_are_documents_if_the_lists_are_long(tmp_path, case: str) -> None:
    groups, number = GROUPED[case]
    path = tmp_path / "groups.json"
    path.write_text(json.dumps(groups))
    assert len(toysearch.load(path).documents) == number


def test_the_first_object_has_all_texts_of_the_others(tmp_path):
    """What stands inside an object was read of the first one before all of it was known."""
    rows = [
        {"data": {"title": f"Lamp {n}", "body": "It burns.", "review": f"Read number {n} by it in the long evenings."}}
        for n in range(3)
    ]
    for order in (rows, rows[::-1]):
        path = tmp_path / "wrapped.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in order))
        for document, row in zip(toysearch.load(path).documents, order, strict=True):
            assert row["data"]["review"] in document.text
