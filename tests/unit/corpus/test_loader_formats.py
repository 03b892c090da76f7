"""Collections of many formats: mixtures, columns, fields of queries, several files, folders, data sets."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest
from made import counts, write_files
from raising import raising

from toysearch.base import Qrels
from toysearch.base.errors import ArgumentError, DataError, ToysearchNote
from toysearch.corpus import catalog
from toysearch.formats import datasets
from toysearch.formats.record_files import RecordFile

TREC = "<DOC>\n<DOCNO> {0} </DOCNO>\n<HEAD>{1}</HEAD>\n<TEXT>\nhow to {1}\n</TEXT>\n</DOC>\n"
TOPICS = (
    "<top>\n<num> Number: 051\n<title> Topic: cat\n<desc> Description:\ntrain a cat\n</top>\n"
    "<top>\n<num> Number: 052\n<title> Topic: dog\n</top>\n"
)
QRELS = "051 0 a 1\n052 0 b 2\n"


@pytest.fixture
def trec(tmp_path: Path) -> Path:
    """A folder in TREC's formats, its documents in two files."""
    packed = gzip.compress(TREC.format("b", "dogs").encode())
    return write_files(
        tmp_path / "own", **{"ap/one": TREC.format("a", "cats"), "ap/two.gz": packed, "t": TOPICS, "q": QRELS}
    )


def test_trec(trec: Path) -> None:
    collection = catalog.load(trec)
    assert counts(collection)[:3] == (2, 2, 2)
    assert collection.documents[0].text == "cats how to cats"
    assert collection.documents[0].fields == {"title": "cats", "text": "how to cats", "head": "cats"}
    assert list(collection.queries) == [("051", "cat"), ("052", "dog")]
    assert collection.queries.fields[0] == {"title": "cat", "description": "train a cat"}


def test_fields_of_topics(trec: Path) -> None:
    assert catalog.load(trec, query_fields="Title,description").queries.texts == ["cat train a cat", "dog"]
    with pytest.warns(ToysearchNote) as notes:
        collection = catalog.load(trec, query_fields=["description"])
    assert collection.queries.texts == ["train a cat", ""]
    assert [str(note.message) for note in notes] == [
        "1 query of collection 'own' without text in description; nothing is found for them"
    ]
    with raising(ArgumentError, "unknown query field 'narrative'. Query fields: title, description"):
        catalog.load(trec, query_fields="narrative")
    with raising(ArgumentError, "query_fields names no field; an example: query_fields='title,description'"):
        catalog.load(trec, query_fields=" ,")
    write_files(trec, **{"collection.toml": 'query = ["description", "title"]'})
    assert catalog.load(trec).queries.texts == ["train a cat cat", "dog"]


def test_topics_without_titles(trec: Path) -> None:
    write_files(trec, t="<top><num>051</num><desc>train</desc></top>\n<top><num>052</num><desc>dog</desc></top>\n")
    assert catalog.load(trec).queries.texts == ["train", "dog"]


def test_topics_with_zeros_that_the_judgments_lack(trec: Path) -> None:
    write_files(trec, q="51 0 a 1\n52 0 b 1\n")
    with pytest.warns(ToysearchNote) as notes:
        collection = catalog.load(trec)
    assert [str(note.message) for note in notes] == [
        "2 queries of collection 'own' renamed as in the judgments, which have fewer or more leading zeros, such as "
        "'51' for '051'"
    ]
    assert collection.queries.query_ids == collection.qrels.query_ids == ["51", "52"]
    for first, second in (("51", "051"), ("051", "51")):
        write_files(trec, q=f"{first} 0 a 1\n{second} 0 b 1\n052 0 a 1\n")
        with pytest.warns(ToysearchNote, match="1 judged query"):
            assert catalog.load(trec).queries.query_ids == ["051", "052"]


def test_an_id_in_two_files(trec: Path) -> None:
    write_files(trec, **{"ap/three": TREC.format("a", "parrots")})
    with pytest.raises(DataError) as error:
        len(catalog.load(trec).documents)
    assert str(error.value) == (
        f"{trec}/ap/three:1: doc_id 'a' was already given in {trec}/ap/one; each id may occur once"
    )


def test_a_mixture(tmp_path: Path) -> None:
    files = {"pets.csv": "docno;headline;body;year\na;Cats;train;2011\n", "topics": TOPICS, "judged.txt": QRELS}
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        collection = catalog.load(write_files(tmp_path, **files))
        assert counts(collection)[:3] == (1, 2, 2)
    assert collection.documents[0] == ("a", "Cats train", "Cats", {"title": "Cats", "text": "train", "year": "2011"})


def test_columns(tmp_path: Path) -> None:
    write_files(tmp_path, **{"pets.csv": "key,a,b\n7,Cats,train\n", "queries.csv": "qid,key,text\n1,9,cat\n"})
    for columns in ("id=key,title=a,text=b", {"id": "key", "title": "a", "text": "b"}):
        collection = catalog.load(tmp_path, columns=columns)
        assert list(collection.documents) == [("7", "Cats train", "Cats", {"title": "Cats", "text": "train"})]
        assert list(collection.queries) == [("1", "cat")]
    with pytest.raises(ArgumentError, match="columns can be named only in the formats"):
        len(catalog.load(write_files(tmp_path / "s", d=".I 1\n.W\ncat\n"), columns="id=key").documents)


def test_a_folder_of_texts_with_judgments_in_it(tmp_path: Path) -> None:
    texts = {"cat.txt": "Cats\n", "sub/dog.md": "# Dogs\ntrain\n"}
    write_files(
        tmp_path, **texts, **{"sub/topics.txt": TOPICS, "sub/qrels.txt": "051 0 cat.txt 1\n052 0 sub/dog.md 1\n"}
    )
    collection = catalog.load(tmp_path)
    assert collection.documents.doc_ids == ["cat.txt", "sub/dog.md"]
    assert collection.documents.titles == ["cat", "Dogs"]
    assert counts(collection)[:3] == (2, 2, 2)


def test_judgments_as_json_lines(tmp_path: Path) -> None:
    judgment = '{"query_id": "051", "doc_id": "1", "relevance": 0.5}\n'
    write_files(tmp_path, **{"pets.jsonl": '{"id": 1, "text": "cat"}\n', "topics": TOPICS, "judged.jsonl": judgment})
    assert list(catalog.load(tmp_path).qrels) == [("051", "1", 0.5)]


RECIPE = """
text = ["title", "text"]
[[files]]
role = "documents"
path = "{path}"
format = "trec"
[[files]]
role = "queries"
path = "t"
format = "trec"
[[files]]
role = "qrels"
path = "q"
"""


@pytest.mark.parametrize("path", ["ap", "ap/*", "*/[ot]*", "ap/one"])
def test_a_recipe_names_a_folder_or_a_pattern(trec: Path, path: str) -> None:
    write_files(trec, **{"collection.toml": RECIPE.format(path=path), "ap/.hidden": "", "ap/sub/.x/y": ""})
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        found = catalog.load(trec).documents.doc_ids
    assert found == (["a"] if path == "ap/one" else ["a", "b"])


def test_files_of_a_pattern_are_read_in_the_order_of_their_names(trec: Path) -> None:
    names = [f"d{number}" for number in (7, 2, 9, 4, 1, 8, 3, 6, 5)]
    write_files(trec, **{f"many/{name}": TREC.format(name, "cats") for name in names})
    for path in ("many/d*", "**/d[0-9]", "many/?[1-9]"):
        write_files(trec, **{"collection.toml": RECIPE.format(path=path)})
        with warnings.catch_warnings(record=True):
            assert catalog.load(trec).documents.doc_ids == sorted(names)


def test_topics_in_several_files(trec: Path) -> None:
    write_files(trec, **{"t2": TOPICS.replace("Number: 05", "Number: 06")})
    with pytest.raises(DataError, match="t and t2 could each hold the queries; describe it in a collection"):
        catalog.load(trec)
    write_files(trec, **{"collection.toml": RECIPE.format(path="ap").replace('path = "t"', 'path = "t*"')})
    assert catalog.load(trec).queries.query_ids == ["051", "052", "061", "062"]
    write_files(trec, **{"t2": TOPICS})
    with pytest.raises(DataError, match=r"t2:1: query_id '051' was already given in .*/t; each id may occur once"):
        catalog.load(trec)


def test_a_recipe_names_files_that_are_not_there(trec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOYSEARCH_CORPORA", raising=False)
    for path in ("wsj", "wsj/*.gz", "a**b", "x*"):
        write_files(trec, **{"collection.toml": RECIPE.format(path=path)})
        with pytest.raises(DataError) as error:
            catalog.load(trec)
        assert f"looked in {trec} (there {path} missing)" in str(error.value)


def test_a_recipe_names_several_files_with_columns(tmp_path: Path) -> None:
    entry = '[[files]]\nrole = "documents"\npath = "{0}"\nrecords = 2\ncolumns = {{ id = "key", text = "b" }}\n'
    toml = 'format = "csv"\n' + entry.format("one.csv") + entry.format("two.csv")
    write_files(tmp_path, **{"collection.toml": toml, "one.csv": "key,b\n1,cat\n", "two.csv": "key,b\n2,dog\n"})
    with pytest.warns(ToysearchNote) as notes:
        assert [document.text for document in catalog.load(tmp_path).documents] == ["cat", "dog"]
    assert [str(note.message) for note in notes] == [
        f"the 2 files of the documents of '{tmp_path.name}' hold 2, its recipe expects 4; figures may differ from "
        "published ones"
    ]


def test_columns_of_the_user_go_before_those_of_the_recipe(tmp_path: Path) -> None:
    toml = 'format = "csv"\n[[files]]\nrole = "documents"\npath = "d"\ncolumns = { id = "key", text = "a" }\n'
    write_files(tmp_path, **{"collection.toml": toml, "d": "key,a,b\n1,cat,dog\n"})
    assert catalog.load(tmp_path).documents[0].text == "cat"
    assert catalog.load(tmp_path, columns="text=b").documents[0].text == "dog"


def test_a_data_set_of_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def records(dataset: RecordFile) -> list[tuple[int, str, dict[str, str]]]:
        asked.append(dataset.path)
        return [(1, "a", {"title": "Cats", "text": "train a cat"})]

    monkeypatch.setattr(datasets, "read_dataset_documents", records)
    monkeypatch.setattr(datasets, "read_dataset_queries", records)
    monkeypatch.setattr(datasets, "read_dataset_qrels", lambda _: Qrels.from_dict({"a": {"a": 1}}))
    monkeypatch.setattr(datasets, "dataset_parts", lambda _: ["documents", "queries", "qrels"])
    collection = catalog.load("ir_datasets:pets/dev")
    assert collection.folder is None
    assert (collection.name, collection.documents[0].text) == ("pets/dev", "Cats train a cat")
    assert (list(collection.queries), list(collection.qrels)) == ([("a", "train a cat")], [("a", "a", 1)])
    assert set(asked) == {"pets/dev"}
    monkeypatch.setattr(datasets, "read_dataset_queries", lambda _: [(1, "a", {"text": "", "title": "cat"})])
    assert catalog.load("ir_datasets:pets/dev").queries.texts == ["cat"]
    for source, options, message in (
        ("ir_datasets:", {}, "ir_datasets: names no collection; an example: ir_datasets:vaswani"),
        (
            "ir_datasets:pets",
            {"input_format": "trec"},
            "input_format 'trec' is for files; ir_datasets:pets has none: leave it out",
        ),
    ):
        with raising(ArgumentError, message):
            catalog.load(source, **options)
