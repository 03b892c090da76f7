"""A user's own data: BEIR folders, SMART files, single files, fields, formats, and what does not fit."""

import gzip
import json
import shutil
import warnings
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from shell import run as shell
from small_collections import sizes, write_files

from toysearch import files, load
from toysearch.base import Qrels
from toysearch.base.errors import ArgumentError, DataError, ToysearchNote
from toysearch.base.run_and_qrels import Qrel
from toysearch.collection import catalog
from toysearch.collection.collection import Collection
from toysearch.files import datasets
from toysearch.files.document_formats import FORMATS, RecordFile

SHIPPED = Path(__file__).parents[3] / "corpora"

silent = pytest.mark.filterwarnings("error")


@silent
def test_a_single_file_is_a_collection_without_queries(corpora: Path) -> None:
    collection = catalog.load(corpora / "cranfield" / "cran.all.1400", fields="w")
    assert sizes(collection) == (1400, 0, 0, 0)
    assert (collection.name, collection.documents[0].text) == (
        "cran.all.1400",
        catalog.load("cranfield").documents[0].text,
    )


def test_a_beir_folder(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path / "own",
        **{
            "corpus.jsonl": '{"_id": "d1", "title": "Cats", "text": "train"}\r\n{"_id": "d2", "text": ""}\r\n',
            "queries.jsonl": '{"_id": "q1", "text": "cat"}\r\n{"_id": "q2", "text": "dog"}\r\n',
            "qrels/dev.tsv": "query-id\tcorpus-id\tscore\r\nq2\td1\t0.5\r\n",
        },
    )
    collection = catalog.load(folder)
    assert [tuple(d) for d in collection.documents] == [
        ("d1", "Cats train", "Cats", {"title": "Cats", "text": "train"}),
        ("d2", "", "", {"text": ""}),
    ]
    assert list(collection.qrels) == [Qrel("q2", "d1", 0.5)]
    assert collection.judged_queries == [("q2", "dog")]
    assert (collection.split, collection.grades, collection.threshold) == ("dev", "as given", 1.0)


def test_a_gzipped_beir_folder(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED / "cat-dog-parrot", tmp_path / "pets")
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "published.run"):
        path = tmp_path / "pets" / name
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        collection = catalog.load(tmp_path / "pets")
        assert sizes(collection) == (4, 3, 12, 3)
        assert len(collection.published_run()) == 12
    (tmp_path / "pets" / "collection.toml").unlink()
    assert sizes(catalog.load(tmp_path / "pets")) == (4, 3, 12, 3)


def smart_folder(tmp_path: Path, query_ids: list[str], judgments: str, doc_ids: str = "1 2 3") -> Path:
    """A folder of SMART files without a recipe."""
    documents = "".join(f".I {doc_id}\n.T\nt{doc_id}\n.W\nw{doc_id}\n" for doc_id in doc_ids.split())
    queries = "".join(f".I {query_id}\n.W\nq{place}\n" for place, query_id in enumerate(query_ids, 1))
    return write_files(tmp_path / "own", **{"d.all": documents, "d.qry": queries, "d.rel": judgments})


@silent
def test_smart_queries_numbered_by_their_ids_also_with_leading_zeros(tmp_path: Path) -> None:
    collection = catalog.load(smart_folder(tmp_path, ["2", "4"], "2 1 1\n4 3 1\n"))
    assert list(collection.queries) == [("2", "q1"), ("4", "q2")]
    assert [d.text for d in collection.documents] == ["t1 w1", "t2 w2", "t3 w3"]
    collection = catalog.load(smart_folder(tmp_path, ["1", "2"], "01 0002 0 0\n02 0003 0 0\n"))
    assert list(collection.queries) == [("1", "q1"), ("2", "q2")]
    assert list(collection.qrels) == [("1", "2", 1), ("2", "3", 1)]
    collection = catalog.load(smart_folder(tmp_path, ["01", "02"], "1 0002 1\n2 2 1\n", "0002 2"))
    assert list(collection.qrels) == [("01", "0002", 1), ("02", "2", 1)]


def test_smart_queries_numbered_by_place(tmp_path: Path) -> None:
    with pytest.warns(ToysearchNote, match="numbered by their place"):
        collection = catalog.load(smart_folder(tmp_path, ["001", "004", "009"], "1 1 1\n2 2 1\n3 3 1\n"))
    assert list(collection.queries) == [("1", "q1"), ("2", "q2"), ("3", "q3")]


def test_smart_numbering_that_a_recipe_names(tmp_path: Path) -> None:
    folder = smart_folder(tmp_path, ["4", "1"], "1 1 1\n")
    write_files(folder, **{"collection.toml": 'number = "place"'})
    assert catalog.load(folder).judged_queries == [("1", "q1")]
    write_files(folder, **{"collection.toml": 'number = "id"'})
    assert catalog.load(folder).judged_queries == [("1", "q2")]
    write_files(folder, **{"d.rel": "2 1 1\n"})
    with pytest.warns(ToysearchNote, match="1 judged query of collection 'own' has no text, such as '2'"):
        assert catalog.load(folder).queries.query_ids == ["4", "1"]
    write_files(folder, **{"collection.toml": 'number = "place"', "d.qry": ".I 7\n.W\nq1\n.I 7\n.W\nq2\n"})
    assert catalog.load(folder).judged_queries == [("2", "q2")]  # then ids may repeat


def test_ids_given_twice_name_both_lines(tmp_path: Path) -> None:
    folder = smart_folder(tmp_path, ["1", "2", "1"], "1 1 1\n", "1 2 1")
    with raising(DataError, f"{folder / 'd.qry'}:7: query_id '1' was already given on line 1; each id may occur once"):
        catalog.load(folder)
    collection = catalog.load(folder / "d.all")
    with raising(
        DataError,
        f"{folder / 'd.all'}:11: doc_id '1' was already given on line 1; each id may occur once: "
        "load(…, ids='number') keeps both",
    ):
        len(collection.documents)


@pytest.mark.parametrize(
    ("fields", "text"),
    [("W", "w1"), ("w", "w1"), ("W,T", "w1 t1"), (" t , w ", "t1 w1"), (["T"], "t1"), ("T,t,T", "t1")],
)
def test_fields_choose_what_is_searched(tmp_path: Path, fields: str | list[str], text: str) -> None:
    collection = catalog.load(smart_folder(tmp_path, ["1"], "1 1 1\n"), fields=fields)
    assert collection.documents[0].text == text
    assert collection.documents[0].fields == {"T": "t1", "W": "w1"}


def test_fields_that_no_document_has(tmp_path: Path) -> None:
    folder = smart_folder(tmp_path, ["1"], "1 1 1\n")
    for fields, message in (
        ("W,A", "unknown field 'A'. Fields: T, W"),
        (" ,", "fields names no field; an example: fields='title,text'"),
    ):
        with raising(ArgumentError, message):
            catalog.load(folder, fields=fields)
    write_files(folder, **{"collection.toml": 'text = ["B"]'})
    with raising(ArgumentError, "unknown field 'B'. Fields: T, W"):
        catalog.load(folder)


def test_input_format(tmp_path: Path) -> None:
    folder = smart_folder(tmp_path, ["1"], "1 1 1\n")
    write_files(folder, **{"corpus.jsonl": '{"_id": "j", "text": "cat"}'})
    assert catalog.load(folder).documents.doc_ids == ["j"]
    assert catalog.load(folder, input_format="smart").documents.doc_ids == ["1", "2", "3"]
    assert catalog.load("cat-dog-parrot", input_format="beir").name == "cat-dog-parrot"
    for form, said in (
        ("smart", "input_format 'smart': collection 'cat-dog-parrot' has the format beir; leave input_format out"),
        ("yaml", f"unknown input format 'yaml'. Input formats: {', '.join(FORMATS)}"),
    ):
        with raising(ArgumentError, said):
            catalog.load("cat-dog-parrot", input_format=form)


def _read_twice(folder: Path) -> Collection:
    collection = catalog.load(folder)
    assert len(list(collection.stream())) == len(collection.documents) == 5
    return collection


def test_files_that_differ_from_the_recipe_are_used_and_a_note_tells(tmp_path: Path) -> None:
    folder = tmp_path / "pets"
    shutil.copytree(SHIPPED / "cat-dog-parrot", folder)
    corpus, queries, qrels = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / "test.tsv"
    corpus.write_text(corpus.read_text() + '{"_id": "78888", "text": ""}\n')
    queries.write_text(queries.read_text().replace("train cat", "train cats"))
    qrels.write_text("\n".join(qrels.read_text().splitlines()[:-1]))
    with noted() as notes:
        collection = _read_twice(folder)
    tail = "figures may differ from published ones"
    expected = [
        f"{queries} is not the file in the recipe of 'pets': its checksum differs; {tail}",
        f"{qrels} holds 11 judgments, the recipe of 'pets' expects 12; {tail}",
        f"{corpus} holds 5 documents, the recipe of 'pets' expects 4; {tail}",
    ]
    assert notes == collection.notes == expected


def test_malformed_documents_are_found_before_they_are_used(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "own", **{"corpus.jsonl": '{"_id": "1", "text": "cat"}\n{"_id": "2", "text": }\n'})
    with pytest.raises(DataError, match=r"corpus\.jsonl:2: expected a JSON object with _id and text; Expecting value"):
        list(catalog.load(folder).stream())
    write_files(folder, **{"corpus.jsonl": ""})
    with pytest.raises(DataError) as error:
        list(catalog.load(folder).stream())
    assert str(error.value) == (
        f"{folder / 'corpus.jsonl'} holds no record; expected one JSON object per line, with _id and text"
    )


# Fields to be searched, by the names that their columns have in the file.

ROWS = [
    {"sku": "p1", "headline": "Red shoe", "description": "made of leather", "brand": "Acme"},
    {"sku": "p2", "headline": "Blue hat", "description": "made of wool", "brand": "Norda"},
]
COLUMNS = "id=sku"


def written(folder: Path, form: str) -> Path:
    path = folder / f"products.{form}"
    delimiter = "\t" if "tsv" in form else ","
    lines = [delimiter.join(row) for row in [list(ROWS[0]), *(list(row.values()) for row in ROWS)]]
    text = "\n".join(map(json.dumps, ROWS) if "jsonl" in form else lines) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if form.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "csv.gz", "jsonl.gz"])
def test_a_field_by_the_name_of_its_column(tmp_path, form):
    path = written(tmp_path, form)
    for asked, named in (("headline,description,brand", "title,text,brand"), ("description", "text")):
        by_column, by_name = (load(path, columns=COLUMNS, fields=fields).documents for fields in (asked, named))
        assert [each.text for each in by_column] == [each.text for each in by_name]
    assert load(path, columns="id=sku,text=brand", fields="brand").documents[0].text == "Acme"
    for wrong in ("sku", "abstract", "Description!"):
        with pytest.raises(
            ArgumentError, match=f"unknown field '{wrong}'.* Fields: title, headline, description, brand, text$"
        ):
            load(path, columns=COLUMNS, fields=wrong).documents[0]


def test_a_column_of_that_name_comes_first_and_a_later_document_may_have_it(tmp_path):
    write_files(tmp_path, **{"a.csv": "id,text,body\nd1,a cat,a dog\n"})
    assert load(tmp_path / "a.csv", fields="body").documents[0].text == "a dog"
    lines = '{"_id": "1", "text": "cat"}\n{"_id": "2", "text": "dog", "Author": "Pings"}\n'
    write_files(tmp_path, **{"d.jsonl": lines})
    assert load(tmp_path / "d.jsonl", fields="author").documents.texts == ["", "Pings"]


@pytest.mark.parametrize("titled", [True, False])
def test_a_name_that_no_key_has_is_not_taken_for_the_optional_title(tmp_path, titled):
    path = tmp_path / "pets.jsonl"
    path.write_text(json.dumps({"_id": "d1", "text": "a cat"} | ({"title": "Cats"} if titled else {})) + "\n")
    with pytest.raises(ArgumentError, match="unknown field 'body'"):
        load(path, fields="body").documents[0]


# Collections of many formats: mixtures, columns, fields of queries, several files, folders, data sets.

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


def test_fields_of_topics(trec: Path) -> None:
    assert catalog.load(trec, query_fields="Title,description").queries.texts == ["cat train a cat", "dog"]
    with noted() as notes:
        collection = catalog.load(trec, query_fields=["description"])
    assert collection.queries.texts == ["train a cat", ""]
    assert notes == ["1 query of collection 'own' without text in description; nothing is found for them"]
    with raising(ArgumentError, "unknown query field 'narrative'. Query fields: title, description"):
        catalog.load(trec, query_fields="narrative")
    with raising(ArgumentError, "query_fields names no field; an example: query_fields='title,description'"):
        catalog.load(trec, query_fields=" ,")
    write_files(trec, **{"collection.toml": 'query = ["description", "title"]'})
    assert catalog.load(trec).queries.texts == ["train a cat cat", "dog"]
    write_files(trec, t="<top><num>051</num><desc>train</desc></top>\n", **{"collection.toml": ""})
    with noted():
        assert catalog.load(trec).queries.texts == ["train"]


def test_topics_with_zeros_that_the_judgments_lack(trec: Path) -> None:
    write_files(trec, q="51 0 a 1\n52 0 b 1\n")
    with noted() as notes:
        collection = catalog.load(trec)
    assert notes == [
        "2 queries of collection 'own' renamed as in the judgments, which have fewer or more leading zeros, such as "
        "'51' for '051'"
    ]
    assert collection.queries.query_ids == collection.qrels.query_ids == ["51", "52"]
    for first, second in (("51", "051"), ("051", "51")):
        write_files(trec, q=f"{first} 0 a 1\n{second} 0 b 1\n052 0 a 1\n")
        with pytest.warns(ToysearchNote, match="1 judged query"):
            assert catalog.load(trec).queries.query_ids == ["051", "052"]


def test_columns(tmp_path: Path) -> None:
    write_files(tmp_path, **{"pets.csv": "key,a,b\n7,Cats,train\n", "queries.csv": "qid,key,text\n1,9,cat\n"})
    for columns in ("id=key,title=a,text=b", {"id": "key", "title": "a", "text": "b"}):
        collection = catalog.load(tmp_path, columns=columns)
        assert list(collection.documents) == [
            ("7", "Cats train", "Cats", {"a": "Cats", "b": "train", "title": "Cats", "text": "train"})
        ]
        assert list(collection.queries) == [("1", "cat")]
    with pytest.raises(ArgumentError, match="columns can be named only in the formats"):
        len(catalog.load(write_files(tmp_path / "s", d=".I 1\n.W\ncat\n"), columns="id=key").documents)


def test_the_names_of_texts_are_ids_where_judgments_have_no_endings(tmp_path: Path) -> None:
    write_files(tmp_path / "d", **{"C1.txt": "cats", "C2.txt": "dogs"})
    write_files(tmp_path, **{"q.txt": "1||cats\n2||dogs\n", "qrels": "1 0 C1 1\n2 0 C2 1\n"})
    targets = ("eval", tmp_path / "d", "--queries", tmp_path / "q.txt", "--qrels", tmp_path / "qrels", "-m", "AP")
    read = shell(*targets)
    assert "1.0000" in read.stdout
    assert "note: the judgments name 2 documents by their names\n" in read.stderr
    write_files(tmp_path, more="1 0 C1 1\n2 0 C3 1\n")
    assert "none of the 2 judged documents is in the index" in shell(*targets[:-3], tmp_path / "more").stderr
    assert "1.0000" in shell(*targets, "--columns", "id=name").stdout
    write_files(tmp_path / "d", **{"qrels.txt": "1 0 C1 1\n2 0 C2 1\n"})
    assert len(catalog.load(tmp_path / "d", columns="id=name").documents) == 2
    with pytest.raises(DataError, match="unknown field 'nam'; did you mean 'name'"):
        len(catalog.load(tmp_path / "d", columns="id=nam").documents)


GUIDE = {
    "en/cats.md": "# About cats\n\nThey purr.\n",
    "dogs.md": "# Dogs and us\n\nThey bark.\n",
    "c/owls.txt": "On owls\n\nHoo.\n",
}
NAMED = {
    "paths": ["docs/en/cats.md", "docs/dogs.md"],
    "files": ["wiki/cats.md", "wiki/dogs.md"],
    "names": ["cats", "dogs"],
    "titles": ["About cats", "On owls"],
}


@pytest.mark.parametrize("how", NAMED)
@pytest.mark.parametrize("inside", [True, False])
def test_judgments_name_texts_by_their_paths_files_names_and_titles(tmp_path: Path, how: str, inside: bool) -> None:
    write_files(tmp_path / "docs", **GUIDE)
    first, second = NAMED[how]
    word = "hoo" if how == "titles" else "bark"
    judged = f"query,document,relevance\nwho does purr,{first},1\nwhat would {word},{second},1\n"
    write_files(tmp_path, **{"gold.csv": judged})
    place = [tmp_path] if inside else [tmp_path / "docs", "--qrels", tmp_path / "gold.csv"]
    read = shell("eval", *place, "-m", "AP")
    assert "1.0000" in read.stdout, read.stderr
    assert f"note: the judgments name 2 documents by their {how}\n" in read.stderr


@pytest.mark.parametrize(
    "judged",
    [
        ["en/cats.md", "wiki/dogs.md", "wiki/c/owls.txt"],  # the first is an id
        ["wiki/index.md", "wiki/cats.md"],  # two have that name
        ["a/dogs.md", "b/dogs.md"],  # two names of one
    ],
)
def test_a_name_that_is_an_id_or_means_none_or_two_stays(tmp_path: Path, judged: list[str]) -> None:
    write_files(tmp_path / "docs", **GUIDE, **{"en/index.md": "One\n", "c/index.md": "Two\n"})
    write_files(tmp_path, **{"gold.csv": "query,document\n" + "".join(f"a cat,{one}\n" for one in judged)})
    read = shell("eval", tmp_path / "docs", "--qrels", tmp_path / "gold.csv", "-m", "AP")
    assert "the judgments name" not in read.stderr.replace("by which the judgments name", "")


def test_a_folder_of_texts_with_judgments_in_it(tmp_path: Path) -> None:
    texts = {"cat.txt": "Cats\n", "sub/dog.md": "# Dogs\ntrain\n"}
    write_files(
        tmp_path, **texts, **{"sub/topics.txt": TOPICS, "sub/qrels.txt": "051 0 cat.txt 1\n052 0 sub/dog.md 1\n"}
    )
    collection = catalog.load(tmp_path)
    assert collection.documents.doc_ids == ["cat.txt", "sub/dog.md"]
    assert collection.documents.titles == ["cat", "Dogs"]
    assert sizes(collection)[:3] == (2, 2, 2)


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


def test_topics_in_several_files(trec: Path) -> None:
    write_files(trec, **{"t2": TOPICS.replace("Number: 05", "Number: 06")})
    with pytest.raises(DataError, match="t and t2 could each hold the queries; describe it in a collection"):
        catalog.load(trec)
    write_files(trec, **{"collection.toml": RECIPE.format(path="ap").replace('path = "t"', 'path = "t*"')})
    assert catalog.load(trec).queries.query_ids == ["051", "052", "061", "062"]
    write_files(trec, **{"t2": TOPICS})
    with pytest.raises(DataError, match=r"t2:1: query_id '051' was already given in .*[/\\]t; each id may occur once"):
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
    with noted() as notes:
        assert [document.text for document in catalog.load(tmp_path).documents] == ["cat", "dog"]
    assert notes == [
        f"the 2 files of the documents of '{tmp_path.name}' hold 2, its recipe expects 4; figures may differ from "
        "published ones"
    ]


def test_a_data_set_of_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def records(dataset: RecordFile) -> list[tuple[int, str, dict[str, str]]]:
        asked.append(dataset.source.path)
        return [(1, "a", {"title": "Cats", "text": "train a cat"})]

    monkeypatch.setattr(datasets, "read_dataset", records)
    monkeypatch.setattr(files, "read_dataset_qrels", lambda _: Qrels.from_dict({"a": {"a": 1}}))
    monkeypatch.setattr(files, "dataset_parts", lambda _: ["documents", "queries", "qrels"])
    collection = catalog.load("ir_datasets:pets/dev")
    assert collection.folder is None
    assert (collection.name, collection.documents[0].text) == ("pets/dev", "Cats train a cat")
    assert (list(collection.queries), list(collection.qrels)) == ([("a", "train a cat")], [("a", "a", 1)])
    assert set(asked) == {"pets/dev"}
    monkeypatch.setattr(datasets, "read_dataset", lambda _: [(1, "a", {"text": "", "title": "cat"})])
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
