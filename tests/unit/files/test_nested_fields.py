"""Nested objects of JSON: their values are fields with points, in every shape of file and in memory."""

import json
from pathlib import Path

import pytest
from shell import done

import toysearch
from toysearch.base import bordered
from toysearch.files import read_qrels

GOODS = [
    {
        "id": "1",
        "text": "a red shoe",
        "spec": {"colour": "red", "size": {"eu": 40}},
        "by": [{"name": "a"}, {"name": "b"}],
    },
    {"id": "2", "text": "a blue shoe", "spec": {"colour": "blue", "size": {"eu": 42.5}}, "by": [{"name": "c"}]},
]
FIELDS = [
    {"text": "a red shoe\x1fred\x1fa\x1fb", "spec.colour": "red", "spec.size.eu": "40", "by.name": "a\x1fb"},
    {"text": "a blue shoe\x1fblue\x1fc", "spec.colour": "blue", "spec.size.eu": "42.5", "by.name": "c"},
]
BY_ID = {one["id"]: {key: value for key, value in one.items() if key != "id"} for one in GOODS}
SHAPES = {
    "lines": "".join(json.dumps(one) + "\n" for one in GOODS),
    "array": json.dumps(GOODS),
    "objects, indented": "\n".join(json.dumps(one, indent=1) for one in GOODS),
    "a list inside": json.dumps({"goods": GOODS}),
    "objects by id": json.dumps(BY_ID),
    "an object of columns": json.dumps({key: [one[key] for one in GOODS] for key in GOODS[0]}),
    "one per file": None,
}
TEXTS_INSIDE = [shape for shape in SHAPES if shape != "an object of columns"]
IN_MEMORY = {"dicts": GOODS, "dicts by id": BY_ID}


@pytest.fixture
def source(request, tmp_path):
    """The goods in a shape of files, or in memory."""
    if request.param in IN_MEMORY:
        return IN_MEMORY[request.param]
    path = tmp_path / "goods.json"
    if SHAPES[request.param] is None:
        path = tmp_path / "goods"
        path.mkdir()
        for one in GOODS:
            (path / f"{one['id']}.json").write_text(json.dumps(one))
    else:
        path.write_text(SHAPES[request.param])
    return path


def fields_of(source, **settings):
    return [
        {name: bordered(text) for name, text in one.fields.items()}
        for one in toysearch.load(source, **settings).documents
    ]


@pytest.mark.parametrize("source", [*SHAPES, *IN_MEMORY], indirect=True)
def test_every_shape_has_the_values_under_dotted_names(source):
    assert fields_of(source) == FIELDS
    assert toysearch.load(source).documents.doc_ids == ["1", "2"]


@pytest.mark.parametrize("source", [*TEXTS_INSIDE, "dicts"], indirect=True)
def test_a_dotted_name_may_hold_the_text(source):
    found = fields_of(source, columns={"text": "spec.colour", "title": "by.name"})
    assert [(one["text"], one["title"]) for one in found] == [("red", "a\x1fb"), ("blue", "c")]
    assert found[0]["spec.colour"] == "red"


@pytest.mark.parametrize("source", SHAPES, indirect=True)
@pytest.mark.parametrize("saved", [False, True])
def test_dotted_names_filter_sort_and_count(source, saved, tmp_path):
    if saved:
        done("index", source, "-o", tmp_path / "goods.idx", "--values", "spec.colour,spec.size.eu,by.name")
        source = tmp_path / "goods.idx"

    def found(*arguments):
        return [
            line.split()[1] for line in done("search", source, *arguments, "--format", "tsv").stdout.splitlines()[1:]
        ]

    assert found("shoe", "--where", "spec.colour = red") == ["1"]
    assert found("shoe", "--where", "spec.size.eu > 41") == ["2"]
    assert found("+spec.colour:blue shoe") == ["2"]
    assert found("shoe", "--sort", "-spec.size.eu") == ["2", "1"]
    counted = done("search", source, "shoe", "--facets", "spec.colour").stdout
    assert "spec.colour  documents\nblue                 1\nred                  1" in counted


RECORDS = {
    "ids and texts inside are fields": (
        {"id": "1", "text": "a", "more": {"id": "2", "text": "b", "title": "c"}},
        {"text": "a\x1fb\x1fc", "more.id": "2", "more.text": "b", "more.title": "c"},
    ),
    "a key with a point wins": (
        {"id": "1", "text": "a", "more": {"b": "in"}, "more.b": "out"},
        {"text": "a\x1fout", "more.b": "out"},
    ),
    "values of each kind": (
        {"id": "1", "text": "a", "m": {"n": 1.5, "t": True, "z": None, "e": "", "l": ["x", "y"], "o": {}, "k": [1, 2]}},
        {"text": "a\x1fx\x1fy", "m.n": "1.5", "m.t": "true", "m.l": "x\x1fy", "m.k": "1\x1f2"},
    ),
    "mongodb": (
        {"_id": {"$oid": "65f0"}, "text": "a", "made": {"at": {"$date": "2024-01-02"}}},
        {"text": "a", "made.at": "2024-01-02"},
    ),
    "objects in lists in objects": (
        {"id": "1", "text": "a", "m": {"l": [{"n": [{"x": "1"}, {"x": "2"}]}, {"n": [{"x": "3"}]}, "word"]}},
        {"text": "a\x1fword", "m.l": "word", "m.l.n.x": "1\x1f2\x1f3"},
    ),
    "many keys are ids": ({"id": "1", "text": "a", "m": {str(key): "x" for key in range(51)}}, {"text": "a"}),
}


@pytest.mark.parametrize("case", RECORDS)
def test_what_is_in_an_object(case, tmp_path):
    record, fields = RECORDS[case]
    path = tmp_path / "goods.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert fields_of(path) == [fields]


def test_a_deep_object_is_read_as_far_as_anyone_nests(tmp_path):
    nested: object = "deep"
    for _ in range(400):
        nested = {"a": [nested, {"b": "c"}]}
    path = tmp_path / "goods.jsonl"
    path.write_text(json.dumps({"id": "1", "text": "a", "m": nested}) + "\n")
    (fields,) = fields_of(path)
    assert fields["m.a.b"] == "c"
    assert max(map(len, fields)) < 30


def test_judgments_beside_a_query_stay_judgments(tmp_path):
    path = Path(tmp_path, "judged.jsonl")
    path.write_text('{"query": "shoe", "ratings": [{"docId": "1", "rating": 2}]}\n')
    assert read_qrels(path).to_dict() == {"shoe": {"1": 2.0}}
