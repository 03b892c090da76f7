"""Every kind of documents at every function that takes documents: each reads it alike, or refuses it by its type."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising
from stand_in_frames import Frame, LazyFrame, Series, Table

from toysearch import Collection, Document, Index, Query, Searcher, load
from toysearch.base.errors import ArgumentError, DataError

CATS = [("d1", "a cat"), ("d2", "a dog")]
NUMBERED = [("#1", "a cat"), ("#2", "a dog")]
"""Documents with the ids of their places, which begin after the documents that are there."""


ACCEPTED = (
    "expected documents: a collection, its name or path, a data frame of pandas or polars, a dict of doc_id to text, "
    "or a list of texts, Documents, (doc_id, text) or dicts, not "
)
OF_A_SERIES = "; give its .to_list(), whose texts get the ids 1, 2, …, or the data frame of which it is a column"
AN_ITEM = "document 1 is {}; expected a text, a Document(doc_id, text), (doc_id, text) or a dict"

KINDS: dict[str, tuple[Callable[[Path], Any], Any]] = {
    # kind: (how one is made, the documents that are read, or the error)
    "a list of texts": (lambda _: ["a cat", "a dog"], NUMBERED),
    "a tuple of texts": (lambda _: ("a cat", "a dog"), NUMBERED),
    "a generator of texts": (lambda _: (text for text in ["a cat", "a dog"]), NUMBERED),
    "an array of texts": (lambda _: np.array(["a cat", "a dog"]), NUMBERED),
    "an array of objects": (lambda _: np.array(["a cat", "a dog"], dtype=object), NUMBERED),
    "a list of Documents": (lambda _: [Document(*pair) for pair in CATS], CATS),
    "Documents with titles": (
        lambda _: [Document("d1", "sits", title="a cat"), Document("d2", "a dog", "Dogs", {"title": "Dogs"})],
        [("d1", "a cat sits"), ("d2", "a dog")],  # a title in a field was read, and may have been left out
    ),
    "a Document with a title and a number": (
        lambda _: [Document("d1", "sits", "a cat", {"price": 3}), Document("d2", "a dog", "", {"price": None})],
        [("d1", "a cat sits"), ("d2", "a dog")],
    ),
    "a generator of Documents": (lambda _: (Document(*pair) for pair in CATS), CATS),
    "the documents of a collection": (lambda _: Collection("cats", dict(CATS)).documents, CATS),
    "a list of dicts": (lambda _: [{"docno": doc_id, "body": text} for doc_id, text in CATS], CATS),
    "dicts with a title alone": (
        lambda _: [{"id": doc_id, "name": text, "price": n} for n, (doc_id, text) in enumerate(CATS)],
        CATS,
    ),
    "a generator of dicts": (lambda _: ({"_id": doc_id, "contents": text} for doc_id, text in CATS), CATS),
    "dicts without ids": (lambda _: [{"text": text} for _, text in CATS], NUMBERED),
    "a text, a Document and a dict": (
        lambda _: iter(["a cat", Document("d2", "a dog"), {"id": 7, "text": "a parrot"}]),
        [("#1", "a cat"), ("d2", "a dog"), ("7", "a parrot")],
    ),
    "a dict of texts": (lambda _: dict(CATS), CATS),
    "a collection": (lambda _: Collection("cats", dict(CATS)), CATS),
    "a path": (lambda folder: _file(folder), CATS),
    "the text of a path": (lambda folder: str(_file(folder)), CATS),
    "the name of a collection": (
        lambda _: "cat-dog-parrot",
        [(document.doc_id, document.text) for document in load("cat-dog-parrot").documents],
    ),
    "a frame": (lambda _: Frame(docno=["d1", "d2"], text=["a cat", "a dog"], price=["x", None]), CATS),
    "a frame with numbers as ids": (
        lambda _: Frame(doc_id=[17, 4.0], text=["a cat", "a dog"]),
        [("17", "a cat"), ("4", "a dog")],
    ),
    "a dict of columns": (lambda _: {"docno": ["d1", "d2"], "text": np.array(["a cat", "a dog"])}, CATS),
    "a dict of Series": (lambda _: {"docno": Series(["d1", "d2"]), "text": Series(["a cat", "a dog"])}, CATS),
    "a dict of dicts": (lambda _: {"d1": {"text": "a cat", "price": 3}, "d2": {"id": "d2", "body": "a dog"}}, CATS),
    "a list of pairs": (lambda _: CATS, CATS),
    "a generator of pairs": (lambda _: iter(CATS), CATS),
    "a list of triples": (lambda _: [("d1", "a", "cat")], AN_ITEM.format("('d1', 'a', 'cat'), a tuple")),
    "a list of lists": (lambda _: [["a", "cat"]], AN_ITEM.format("['a', 'cat'], a list")),
    "a pair with a number as id": (
        lambda _: [(1, "a cat")],
        "document 1 has the doc_id 1; expected a str, not int: write '1'",
    ),
    "one dict": (
        lambda _: {"doc_id": "d1", "text": "a cat"},
        "a dict with the keys doc_id, text is one record; put it into a list: [{…}]",
    ),
    "columns of two lengths": (
        lambda _: {"docno": ["d1"], "text": ["a cat", "a dog"]},
        "the columns differ in length (docno 1, text 2); give each a value for every row",
    ),
    "a dict of dicts with two ids": (
        lambda _: {"d1": {"id": "d2", "text": "a dog"}},
        "document 'd1' has the id 'd2' in its dict; give it one id",
    ),
    "a list of queries": (lambda _: [Query("1", "cat")], AN_ITEM.format("Query(query_id='1', text='cat'), a Query")),
    "a list of numbers": (lambda _: [3], AN_ITEM.format("3, an int")),
    "an array of numbers": (lambda _: np.array([3]), AN_ITEM.format("np.int64(3), an int64")),
    "a list of bytes": (lambda _: [b"a cat"], AN_ITEM.format("b'a cat', a bytes")),
    "texts and then a number": (
        lambda _: iter(["a cat", Document("z", "a dog"), 3]),
        "document 3 is 3, an int; expected a text, a Document(doc_id, text), (doc_id, text) or a dict",
    ),
    "a dict of numbers": (lambda _: {"d1": 3}, "document 1 has the text 3; expected a str, not int"),
    "a dict with a number as id": (
        lambda _: {3: "a cat"},
        "document 1 has the doc_id 3; expected a str, not int: write '3'",
    ),
    "a Document without a text": (
        lambda _: [Document("1", None)],  # type: ignore[arg-type]
        "document 1 has the text None; expected a str, not NoneType",
    ),
    "a Document without a dict of fields": (
        lambda _: [Document("1", "a cat", "", None)],  # type: ignore[arg-type]
        "document 1: expected a dict as fields, found None",
    ),
    "a Document with an object in a field": (
        lambda _: iter(["a cat", Document("2", "a dog", "", {"size": {"w": 1}})]),  # type: ignore[dict-item]
        "document 2: expected a text, a number or a list as size, not a dict",
    ),
    "a Document": (lambda _: Document("1", "a cat"), f"{ACCEPTED}a Document"),
    "a Query": (lambda _: Query("1", "cat"), f"{ACCEPTED}a Query"),
    "a Series": (lambda _: Series(["a cat"]), f"{ACCEPTED}a Series{OF_A_SERIES}"),
    "a lazy frame": (lambda _: LazyFrame(text=["a cat"]), f"{ACCEPTED}a LazyFrame"),
    "a table of Arrow": (lambda _: Table(text=["a cat"]), f"{ACCEPTED}a Table"),
    "bytes": (lambda _: b"a cat", f"{ACCEPTED}a bytes"),
    "a set": (lambda _: {"a cat"}, f"{ACCEPTED}a set"),
    "a frozenset": (lambda _: frozenset({"a cat"}), f"{ACCEPTED}a frozenset"),
    "None": (lambda _: None, f"{ACCEPTED}None"),
    "an int": (lambda _: 3, f"{ACCEPTED}an int"),
    "an array of no dimension": (lambda _: np.array("a cat"), f"{ACCEPTED}a ndarray"),
    "an array of two dimensions": (lambda _: np.array([["a cat"]]), f"{ACCEPTED}a ndarray"),
    "an object": (lambda _: object(), f"{ACCEPTED}an object"),
}


def _file(folder: Path) -> Path:
    path = folder / "cats.csv"
    path.write_text("id,text\nd1,a cat\nd2,a dog\n", encoding="utf-8")
    return path


def of_index(index: Index) -> list[tuple[str, str]]:
    assert index.texts is not None
    return list(zip(index.doc_ids, index.texts, strict=True))


def of_collection(collection: Collection) -> list[tuple[str, str]]:
    return [(document.doc_id, document.text) for document in collection.documents]


BEFORE = {"z": "a horse"}
DOORS: dict[str, Callable[[Any], list[tuple[str, str]]]] = {
    "Index.build": lambda source: of_index(Index.build(source)),
    "Index.add": lambda source: of_index(Index.build(BEFORE).add(source))[1:],
    "Searcher": lambda source: of_index(Searcher(source).index),
    "Collection": lambda source: of_collection(Collection("mine", source)),
    "Collection of a function": lambda source: of_collection(Collection("mine", lambda: source)),
    "load": lambda source: of_collection(load(source)),
}
TO_LOAD = {"a path", "the text of a path", "the name of a collection"}  # a collection is made of documents in memory
CELLS = [(kind, door) for kind in KINDS for door in DOORS]


def test_the_matrix_is_whole() -> None:
    assert (len(KINDS), len(DOORS), len(CELLS)) == (56, 6, 336)


@pytest.mark.parametrize(("kind", "door"), CELLS)
def test_every_kind_at_every_door(kind: str, door: str, tmp_path: Path) -> None:
    made, expected = KINDS[kind]
    if isinstance(expected, str):
        of_data = ("expected a str", "differ in length", "in its dict")
        with raising(DataError if any(said in expected for said in of_data) else ArgumentError, expected):
            DOORS[door](made(tmp_path))
        return
    if kind in TO_LOAD and door.startswith("Collection"):
        said = f"documents: load({str(made(tmp_path))!r}) reads a file, a folder or a named collection"
        with raising(ArgumentError, said):
            DOORS[door](made(tmp_path))
        return
    first = 2 if door == "Index.add" else 1
    placed = [(str(int(i[1:]) + first - 1) if i.startswith("#") else i, text) for i, text in expected]
    assert DOORS[door](made(tmp_path)) == placed


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", [str, Path])
def test_names_of_files_are_no_documents(kind: Callable[[Path], Any], door: str, tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in paths:
        path.write_text(f'{{"id": "{path.stem}", "text": "a cat"}}\n')
    pattern = str(tmp_path / "*.jsonl")
    said = f"the documents are names of files, such as {paths[0]}: load({pattern!r}) reads their texts"
    for source in ([*map(kind, paths)], (*map(kind, paths),)):
        with raising(ArgumentError, said):
            DOORS[door](source)
    assert [text for _, text in of_collection(load(pattern))] == ["a cat", "a cat"]
    beside = [str(paths[0]), "a dog"]
    assert [text for _, text in DOORS["Index.build"](beside)] == beside


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("mode", ["r", "rb"])
def test_the_lines_of_an_open_file_are_no_documents(mode: str, door: str, tmp_path: Path) -> None:
    with (
        open(_file(tmp_path), mode) as opened,
        raising(ArgumentError, f"documents: load({opened.name!r}) reads a file, a folder or a named collection"),
    ):
        DOORS[door](opened)


def test_texts_of_a_pattern_are_documents_as_those_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"The cat {name[0]} sat.\nIt slept.\n")
    assert of_collection(load(tmp_path / "*.txt")) == of_collection(load(tmp_path))
    (tmp_path / "b.txt").unlink()
    with pytest.raises(DataError, match="found a single text; give its folder"):
        load(tmp_path / "*.txt")


def test_only_a_collection_takes_a_function() -> None:
    for door in ("Index.build", "Searcher", "load"):
        with raising(ArgumentError, f"{ACCEPTED}a function"):
            DOORS[door](lambda: ["a cat"])
    read: list[int] = []
    collection = Collection("mine", lambda: read.append(1) or ["a cat"])
    assert (read, of_collection(collection), read) == ([1], [("1", "a cat")], [1])


PRICES = {
    "docno": ["d1", "d2", "d3"],
    "Headline": ["Cats", None, "Dogs"],
    "text": ["sits on a mat", "sleeps", float("nan")],
    "price": [3.0, float("nan"), 4.5],
    "stars": [3, 4, 5],
    "seller": ["x", "x", "y"],
}


NO_TITLE, DOGS = {"Headline": ""}, {"Headline": "Dogs"}


def test_a_frame_is_read_as_a_table_of_documents() -> None:
    collection = load(Frame(**PRICES))
    assert [tuple(document) for document in collection.documents] == [
        (
            "d1",
            "Cats sits on a mat x",
            "Cats",
            {"title": "Cats", "text": "sits on a mat x", "price": "3.0", "stars": "3", "seller": "x"}
            | {"Headline": "Cats"},
        ),
        ("d2", "sleeps x", "", {"title": "", "text": "sleeps x", "price": "", "stars": "4", "seller": "x"} | NO_TITLE),
        ("d3", "Dogs y", "Dogs", {"title": "Dogs", "text": "y", "price": "4.5", "stars": "5", "seller": "y"} | DOGS),
    ]
    index = Index.build(Frame(**PRICES))
    assert sorted(index.values) == ["price", "seller", "stars"]
    found = Searcher(index).search("cats mat", where="price < 4 and seller = x")
    assert [(hit.doc_id, hit.title, hit.fields["stars"]) for hit in found] == [("d1", "Cats", "3")]
    assert Searcher(Frame(**PRICES), "bm25f:title=3").index.fields.names == ["title", "text"]


def test_the_columns_and_the_searched_fields_of_a_frame_can_be_named() -> None:
    frame = Frame(SKU=[1, 2], Name=["cat tree", "dog bed"], Details=["soft", "hard"], Brand=["a", "b"])
    collection = load(frame, columns="id=SKU,text=details", fields="name,Brand")
    assert of_collection(collection) == [("1", "cat tree a"), ("2", "dog bed b")]
    dicts = load([{"SKU": 1, "Details": "soft"}], columns={"text": "Details", "id": "SKU"})
    assert of_collection(dicts) == [("1", "soft")]


LONG = [
    {
        "doc_id": str(n),
        "headline": f"lamp {n}",
        "purpose": f"to read at night in room {n}",
        "body": f"lamp of steel, with feet of oak {n}",
        "name": "lamp",
    }
    for n in range(8)
]
LONG_FORMS = {
    "dicts": LONG,
    "by ids": {each["doc_id"]: {key: each[key] for key in each if key != "doc_id"} for each in LONG},
    "frame": Frame(**{key: [each[key] for each in LONG] for key in LONG[0]}),
    "columns": {key: [each[key] for each in LONG] for key in LONG[0]},
}


@pytest.mark.parametrize("form", LONG_FORMS)
@pytest.mark.parametrize("named", [["headline", "purpose", "body"], ["Title", "purpose", "Text"]])
def test_named_fields_are_counted_each_alone_and_without_a_note(form: str, named: list[str]) -> None:
    with noted() as notes:
        index = Index.build(LONG_FORMS[form], fields=named)
        loaded = load(LONG_FORMS[form], fields=named)
    assert [*map(str.lower, index.fields.names)] == [*map(str.lower, named)]
    assert [index.fields.dl(name)[0] for name in index.fields.names] == [1, 6, 7]
    assert loaded.documents[0].text == "lamp 0 to read at night in room 0 lamp of steel, with feet of oak 0"
    assert notes == []


def test_documents_are_added_with_the_fields_of_an_index_each_alone() -> None:
    fields = ["headline", "purpose", "body"]
    more = [{**each, "doc_id": f"x{each['doc_id']}"} for each in LONG]
    added, built = Index.build(LONG, fields=fields).add(more), Index.build([*LONG, *more], fields=fields)
    for name in built.fields.names:
        assert added.fields.dl(name).tolist() == built.fields.dl(name).tolist()


def test_a_field_to_count_that_no_document_has_is_refused() -> None:
    for source in (LONG, iter(LONG), load(LONG)):
        with pytest.raises(ArgumentError, match=r"unknown field.* 'purpos'; did you mean 'purpose'"):
            Index.build(source, fields=["purpos", "text"])
    assert Index.build(["a lamp"], fields=["title", "text"]).fields.names == ["title", "text"]


NO_TEXT = "the data frame: expected a column that holds the text, such as text or body, found {}; name it, as in "
NO_TEXT += "load(…, {})"
NO_ID = "row {} of the data frame: expected a text or a whole number as doc_id, found {}; give it an id or remove it"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            Frame(doc_id=["1"], url=["7"]),
            NO_TEXT.format("doc_id, url", "columns='text=url'"),
        ),
        (Frame(), NO_TEXT.format("no column", "columns='text=NAME'")),
        (Frame(doc_id=["1", None], text=["a", "b"]), NO_ID.format(2, "nothing")),
        (Frame(doc_id=[" "], text=["a"]), NO_ID.format(1, "nothing")),
        (Frame(doc_id=[17.5], text=["a"]), NO_ID.format(1, "a float")),
        (Frame(doc_id=[2.0**60], text=["a"]), NO_ID.format(1, "a float")),
        (Frame(doc_id=[True], text=["a"]), NO_ID.format(1, "a bool")),
        (Frame(doc_id=["1"], text=[b"a"]), "row 1 of the data frame: expected a text as text, found a bytes"),
        (Frame(doc_id=["1"], text=[{"a": 1}]), "row 1 of the data frame: expected a text as text, found a dict"),
        (
            Frame(doc_id=["1", "1"], text=["a", "b"]),
            "doc_id '1' is given twice, by documents 1 and 2; each id may occur once",
        ),
        (Frame(doc_id=[], text=[]), "collection 'documents' has no documents; an index needs at least one"),
    ],
)
def test_bad_frames(frame: Frame, message: str) -> None:
    for door in ("Index.build", "Searcher", "Collection", "load"):
        with raising(DataError, message):
            DOORS[door](frame)


def test_settings_of_files_have_no_meaning_for_documents_in_memory() -> None:
    for settings in ({"ids": "first"}, {"on_error": "skip"}, {"grades": "graded"}, {"encoding": "cp1252"}):
        with raising(ArgumentError, f"{next(iter(settings))} cannot be chosen for a Frame; leave it out"):
            load(Frame(text=["a cat"]), **settings)  # type: ignore[arg-type]
    with raising(ArgumentError, "columns cannot be chosen for a dict; leave it out"):
        load({"d1": "a cat"}, columns="text=body")
    with raising(ArgumentError, "unknown field 'title'. Fields: text"):
        load(["a cat"], fields="title")
    with raising(ArgumentError, "document 1 is 'a cat', a str; expected a dict with the named columns"):
        load(["a cat"], columns="text=body")


def test_a_collection_gives_its_settings_with_its_documents() -> None:
    pets = Collection("pets", Frame(**PRICES), language="english", tokens="word1", apart=True)
    other = Collection("others", pets, [Query("1", "cat")])
    assert (other.name, other.language, other.tokens, other.apart) == ("others", "english", "word1", True)
    assert Index.build(other).checksum == Index.build(pets).checksum
    assert Collection("others", pets, language="german").language == "german"


LIBRARIES = ("pandas", "polars")
TYPED = {
    "doc_id": [17, 4, 9],
    "title": ["Cats", None, "Dogs"],
    "text": ['a cat, "quoted"', "two\nlines", "a dog"],
    "price": [3.0, None, 19.99],
    "stars": [3, 4, 5],
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_frame_is_read_as_its_csv(library: str, tmp_path: Path) -> None:
    frames = pytest.importorskip(library)
    columns = {**TYPED, "day": [datetime.date(2020, 5, number) for number in (1, 2, 3)]}
    frame, path = frames.DataFrame(columns), tmp_path / "pets.csv"
    if library == "pandas":
        frame = frame.assign(
            day=frames.to_datetime(frame["day"]).where(frame["stars"] > 3),  # one is NaT
            sold=frames.array([1, None, 2], dtype="Int64"),  # one is NA
            kind=frames.Categorical(["x", None, "y"]),
            new=[True, False, True],
        )
        frame.to_csv(path, index=False)
    else:
        frame.write_csv(path)
    narrow = frame.astype({"price": "float32"}) if library == "pandas" else frame.cast({"price": frames.Float32})
    expected = load(path)
    for read in (frame, narrow):
        collection = load(read)
        assert [*collection.documents] == [*expected.documents]
        assert Index.build(read).checksum == Index.build(expected).checksum
        assert all(DOORS[door](read) == of_collection(expected) for door in DOORS)


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_like_a_frame_is_refused_by_its_type(library: str) -> None:
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"text": ["a cat"]})
    others = {"Series": frame["text"]} | ({"LazyFrame": frame.lazy()} if library == "polars" else {})
    for name, other in others.items():
        for door in DOORS.values():
            with raising(ArgumentError, f"{ACCEPTED}a {name}{OF_A_SERIES if name == 'Series' else ''}"):
                door(other)


def test_the_index_of_a_frame_holds_the_ids_if_it_has_a_name_or_texts() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"docno": [3, 5], "text": ["a cat", "a dog"]})
    assert of_collection(load(frame.set_index("docno"))) == [("3", "a cat"), ("5", "a dog")]
    unnamed = pandas.DataFrame({"text": ["a cat", "a dog"]}, index=["d1", "d2"])
    assert of_collection(load(unnamed)) == CATS
    assert of_collection(load(frame.set_index(pandas.Index(["x", "y"])))) == [("3", "a cat"), ("5", "a dog")]
    twice = pandas.DataFrame([["d1", "a cat", "a dog"]], columns=["doc_id", "text", "text"])
    with raising(DataError, "the data frame has the column 'text' twice; give each column its own name"):
        load(twice)
