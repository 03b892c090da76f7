"""Values of fields: every layout of an index × everything that can be asked of a value."""

import json
from pathlib import Path

import pytest
from error_messages import raising
from shell import done, refused, run

import toysearch
from toysearch import Document, Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.index.stored_values import every_field, kept_fields
from toysearch.retrieval.filters_and_facets import facet_fields
from toysearch.workbench.shards.sharded_index import ShardedIndex

pytestmark = pytest.mark.system

BRANDS = ["Dyson", "New Look", "new", ""]
ROWS = [(str(n), f"robot {n}", BRANDS[n % 4], f"{n * 2.5:g}", f"20{10 + n % 5}-0{1 + n % 9}-15") for n in range(1, 41)]
HEADER = "id,text,brand,price,date"

LAYOUTS = ["shop.csv", "shop.jsonl", "saved", "named", "shards", "added", "deleted"]

ROLES = {
    "filter": ("+brand:dyson robot", lambda brand, price, date: brand == "Dyson"),
    "another value": ("+brand:new robot", lambda brand, price, date: brand == "new"),
    "quoted": ('+brand:"new look" robot', lambda brand, price, date: brand == "New Look"),
    "several": ("+brand:(dyson OR new) robot", lambda brand, price, date: brand in ("Dyson", "new")),
    "pattern": ("+brand:new* robot", lambda brand, price, date: brand in ("New Look", "new")),
    "wildcard": ("+brand:n?w robot", lambda brand, price, date: brand == "new"),
    "not": ("robot -brand:dyson", lambda brand, price, date: brand != "Dyson"),
    "number": ("+price:50 robot", lambda brand, price, date: price == 50),
    "range": ("+price:[10 TO 30} robot", lambda brand, price, date: 10 <= price < 30),
    "date": ("+date:2012-03-15 robot", lambda brand, price, date: date == "2012-03-15"),
    "dates": ("+date:>=2013 robot", lambda brand, price, date: date >= "2013"),
    "field": ("+text:17", lambda brand, price, date: price == 42.5),
    "alone": ("brand:dyson", lambda brand, price, date: brand == "Dyson"),
}


def csv_of(path: Path, rows) -> Path:
    path.write_text("\n".join([HEADER, *(",".join(row) for row in rows)]) + "\n")
    return path


@pytest.fixture(scope="module")
def layouts(tmp_path_factory) -> dict[str, str]:
    """The same documents in every layout."""
    folder = tmp_path_factory.mktemp("layouts")
    whole = csv_of(folder / "shop.csv", ROWS)
    first, rest = csv_of(folder / "first.csv", ROWS[:30]), csv_of(folder / "rest.csv", ROWS[30:])
    more = csv_of(folder / "more.csv", [*ROWS, ("gone", "robot", "Gone", "7", "2020-01-15")])
    records = [dict(zip(HEADER.split(","), row, strict=True)) for row in ROWS]
    (folder / "shop.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for arguments in (
        ("index", whole, "-o", folder / "saved", "--apart"),
        ("index", whole, "-o", folder / "named", "--apart", "--values", "brand,price,date"),
        ("index", whole, "-o", folder / "shards", "--apart", "--shards", 3),
        ("index", first, "-o", folder / "added", "--apart"),
        ("add", folder / "added", rest),
        ("index", more, "-o", folder / "deleted", "--apart"),
        ("delete", folder / "deleted", "gone"),
    ):
        done(*arguments)
    return {name: str(folder / name) for name in LAYOUTS}


@pytest.mark.parametrize("layout", LAYOUTS[2:])
def test_a_saved_index_has_the_facets_of_its_collection(layouts, layout):
    collection = toysearch.load(layouts["shop.csv"])
    built, opened = Index.build(collection, values=every_field(collection)), Index.open(layouts[layout])
    assert facet_fields(opened) == facet_fields(built) == ["brand", "price", "date"]
    fields = facet_fields(built)
    assert Searcher(opened).facets("robot", fields) == Searcher(built).facets("robot", fields)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_answers_every_question_about_a_value(layouts, layout):
    for role, (query, fits) in ROLES.items():
        result = run("search", layouts[layout], query, "-k", 100, "--json")
        assert result.exit_code == 0, (role, result.stderr)
        expected = {row[0] for row in ROWS if fits(row[2], float(row[3]), row[4])}
        assert {hit["doc_id"] for hit in json.loads(result.stdout)["hits"]} == expected, role


def test_the_values_of_an_index_do_not_depend_on_how_it_was_made(layouts):
    checksums = {name: Index.open(layouts[name]).checksum for name in ("saved", "shards", "added", "deleted")}
    assert len({*checksums.values()}) == 1, checksums
    index = Index.open(layouts["shards"])
    assert isinstance(index, ShardedIndex)
    assert [*index.values["brand"].texts] == ["Dyson", "New Look", "new"]


def test_an_index_without_the_field_says_what_to_type_and_that_works(layouts, tmp_path):
    done("index", layouts["shop.csv"], "-o", tmp_path / "bare", "--values", "")
    before = run("search", tmp_path / "bare", "+brand:dyson robot", "-k", 1)
    assert "there is no field 'brand'" in before.stderr
    assert "(to ask for it: toysearch index SOURCE -o DIR --values brand)" in before.stderr
    done("index", layouts["shop.csv"], "-o", tmp_path / "bare", "--values", "brand")
    after = run("search", tmp_path / "bare", "+brand:dyson robot", "-k", 1)
    assert (after.exit_code, after.stderr) == (0, "")


def test_a_filter_beside_words_is_told_to_filter_nothing(layouts):
    for query, part in (("brand:dyson robot", "brand:dyson"), ("price:<50 robot", "price:[* TO 50}")):
        result = run("search", layouts["saved"], query, "-k", 1)
        assert result.stderr == f"note: '{part}' filters nothing beside words: +{part} requires it\n"
        assert run("search", layouts["saved"], f"+{part} robot", "-k", 1).stderr == ""


def test_a_query_requires_or_excludes_any_value_of_a_field_as_a_filter_does():
    documents = [
        Document("1", "lamp", "", {"brand": "Dyson"}),
        Document("2", "lamp", "", {"price": 3}),
        Document("3", "lamp", "", {"brand": "*", "price": 4}),
    ]
    searcher = toysearch.Searcher(Index.build(documents, values=["brand", "price"]))
    for field, some in (("brand", ["1", "3"]), ("price", ["2", "3"])):
        none = [doc_id for doc_id in "123" if doc_id not in some]
        for sign, condition, right in (("+", "", some), ("-", "not ", none)):
            for mode in ("lenient", "strict"):
                found = searcher.search(f"lamp {sign}{field}:*", query_mode=mode)
                assert sorted(hit.doc_id for hit in found) == right
            filtered = searcher.search("lamp", where=f"{condition}{field}:*")
            assert sorted(hit.doc_id for hit in filtered) == right


def test_the_fields_of_a_document_are_written_as_those_of_a_dict():
    fields = {"price": 3, "version": [3, 4], "label": ["red", "old"], "none": None, "new": True, "weight": 2.5}
    ours = Index.build([Document("1", "lamp", "", fields)], values=[*fields])
    theirs = Index.build([{"id": "1", "text": "lamp", **fields}], values=[*fields])
    assert {name: [*values.texts] for name, values in ours.values.items()} == {
        "price": ["3"],
        "version": ["3", "4"],
        "label": ["old", "red"],
        "none": [],
        "new": ["True"],
        "weight": ["2.5"],
    }
    assert ours.checksum == theirs.checksum


def test_a_value_that_no_comparison_fits_is_refused():
    index = Index.build([Document("1", "a", "", {"brand": "Dyson"})], values=["brand"])
    with raising(ArgumentError, "the field 'brand' holds whole values, and 'dyson~1' is none"):
        toysearch.Searcher(index).search("+brand:dyson~1", query_mode="strict")
    with raising(
        ArgumentError,
        "the field 'brand' holds words such as 'Dyson', and 'brand:[1 TO 2]' compares numbers "
        "(numbers are written as 3.7, dates as 2021-06-15)",
    ):
        toysearch.Searcher(index).search("+brand:[1 TO 2]", query_mode="strict")


def test_the_bundled_collection_filters_by_its_topic():
    result = json.loads(done("search", "companions", "+topic:health cat", "-k", 100, "--json").stdout)
    topics = {document.doc_id: document.fields["topic"] for document in toysearch.load("companions").documents}
    assert {topics[hit["doc_id"]] for hit in result["hits"]} == {"health"}


def test_fields_that_are_kept(tmp_path):
    collection = toysearch.load(csv_of(tmp_path / "shop.csv", ROWS))
    assert kept_fields(collection, None) == every_field(collection) == ("brand", "price", "date")
    assert kept_fields(collection, ["BRAND", "price", "text"]) == ("brand", "price", "text")
    assert kept_fields(toysearch.load("cat-dog-parrot"), None) == ()
    assert "unknown field of the documents 'bramd'; did you mean 'brand'?" in refused(
        "index", tmp_path / "shop.csv", "-o", tmp_path / "idx", "--values", "bramd"
    )
