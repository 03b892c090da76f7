"""A collection in another layout: what is kept, what is told, and what becomes of the folder."""

import os
import warnings
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from tiers import exhaustive, thinned

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.base.errors import ArgumentError, DataError, StorageError
from toysearch.collection import catalog
from toysearch.collection import convert as conversion
from toysearch.collection.collection import Collection
from toysearch.collection.convert import TARGETS, Writing, convert

DOCUMENTS = [Document("d1", "train a cat", "Cats"), Document("d2", "")]
QRELS = Qrels.from_dict({"q1": {"d1": 0.5, "d2": -1, "gone": 1}})
PLAIN = Collection("pets", DOCUMENTS, [Query("q1", "cat")], QRELS, title='Pets "here"\x7f', threshold=0.25)


def words(texts: list[str]) -> list[str]:
    """Texts that differ in white space are the same in TREC's formats."""
    return [" ".join(text.split()) for text in texts]


def loaded(source: str | Path, **options: str) -> Collection:
    """A collection, whatever there is to tell of it."""
    with warnings.catch_warnings(record=True):
        return catalog.load(source, **options)


def converted(source: str | Collection, to: str, folder: Path, **options: str) -> tuple[Collection, list[str]]:
    """The copy of a collection, and what was told while it was written."""
    with noted() as told:
        convert(source, to=to, folder=folder, **options)
    return loaded(folder), told


def test_the_sets_of_a_catalog_collection_are_read_without_notes(tmp_path: Path) -> None:
    after, told = converted("companions", "jsonl", tmp_path / "copy")
    assert (told, "subtopics" in after.reading.splits) == ([], True)


@pytest.mark.system
@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", thinned(["cranfield", "cisi", "scifact", "cat-dog-parrot"], 4))
@pytest.mark.usefixtures("corpora")
def test_collections_come_back_as_they_were(tmp_path: Path, name: str, to: str) -> None:
    before, (after, _) = loaded(name), converted(name, to, tmp_path / "copy")
    same = words if to == "trec" else list
    assert after.documents.doc_ids == before.documents.doc_ids
    assert same(after.documents.texts) == same(before.documents.texts)
    assert after.documents.titles == before.documents.titles
    assert list(after.qrels) == list(before.qrels)
    assert after.queries.query_ids == before.queries.query_ids
    assert same(after.queries.texts) == same(before.queries.texts)
    assert (after.language, after.threshold, after.split) == (before.language, before.threshold, before.split)
    assert (after.title, after.description.split()) == (before.title, before.description.split())
    for split in before.reading.splits:
        assert list(after.reading.qrels_of(split)) == list(before.reading.qrels_of(split))
    names = {"T": "title", "W": "text"}
    names |= {"A": "a_", "B": "b_", "X": "x", "K": "k", "C": "c"} if to == "trec" else {}
    for old, new in zip(before.documents, after.documents, strict=True):
        fields = {names.get(field, field): value for field, value in old.fields.items() if value.strip()}
        kept = {field: value for field, value in new.fields.items() if value}
        assert dict(zip(kept, words(list(kept.values())), strict=True)) == {
            field: " ".join(value.split()) for field, value in fields.items()
        }


@pytest.mark.system
@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", ["companions", "languages", pytest.param("cranfield", marks=exhaustive)])
@pytest.mark.usefixtures("corpora")
def test_a_model_has_the_same_figures_on_a_copy(tmp_path: Path, name: str, to: str) -> None:
    before, (after, _) = loaded(name), converted(name, to, tmp_path / "copy")
    figures = []
    for collection in (before, after):
        index = toysearch.Index.build(collection)
        run = toysearch.Searcher(index, "bm25").run(collection.queries, 1000)
        found = toysearch.evaluate(run, collection.qrels, ["AP", "nDCG@10", "P@10", "bpref"])
        figures.append((list(run), found.means))
    assert figures[0] == figures[1]


@pytest.mark.parametrize("to", TARGETS)
def test_a_collection_made_by_hand(tmp_path: Path, to: str) -> None:
    """The rest is a property: tests/properties/test_conversion.py."""
    after, told = converted(PLAIN, to, tmp_path / "copy")
    assert (told, after.title, after.threshold) == ([], PLAIN.title, 0.25)
    with pytest.raises(ArgumentError, match=r"^split 'train' cannot be chosen: collection 'pets' has one set of"):
        convert(PLAIN, to=to, folder=tmp_path / "other", split="train")
    assert not (tmp_path / "other").exists()


@pytest.mark.system
def test_all_splits_or_one(corpora: Path, tmp_path: Path) -> None:
    assert corpora
    all_splits, _ = converted("scifact", "beir", tmp_path / "all")
    assert all_splits.reading.splits == ("test", "train")
    one, _ = converted("scifact", "jsonl", tmp_path / "one", split="train")
    assert (one.reading.splits, one.split, len(one.qrels)) == (("train",), "train", 919)
    assert sorted(os.listdir(tmp_path / "one" / "qrels")) == ["train.jsonl"]


def test_gains_are_written_and_where_they_come_from(corpora: Path, tmp_path: Path) -> None:
    assert corpora
    collection = loaded("cranfield", grades="graded:minus1=removed")
    after, _ = converted(collection, "beir", tmp_path / "copy")
    assert sorted(set(after.qrels.relevance.tolist())) == [1, 2, 3, 4]
    assert len(after.qrels) == 1837 - 225
    recipe = (tmp_path / "copy" / "collection.toml").read_text(encoding="utf-8")
    assert "origin = \"Converted from 'cranfield', with the grades graded:minus1=removed. Assembled by" in recipe
    assert 'licence = "None is stated with the files;' in recipe
    assert 'text = ["text"]\nquery = ["text"]\nthreshold = 1.0\n' in recipe


def own(folder: Path, **files: str) -> Path:
    """Write texts to files of a folder, and return the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_topics_keep_their_fields(tmp_path: Path) -> None:
    topic = "<top><num>051<title>a &lt; b<desc>train<narr>not dogs<con>pets</top>\n"
    folder = own(tmp_path / "own", d="<DOC><DOCNO>1</DOCNO><TEXT>x &amp; y</TEXT></DOC>", t=topic)
    fields = {"title": "a < b", "description": "train", "narrative": "not dogs", "con": "pets"}
    after, told = converted(folder, "trec", tmp_path / "trec")
    assert (after.queries.fields[0], told) == (fields, [])
    lines = "<num> Number: 051 </num>\n<title> Topic: a &lt; b </title>\n<desc> Description: train </desc>\n"
    assert lines in (tmp_path / "trec" / "topics.trec").read_text()
    del fields["title"]
    after, _ = converted(folder, "beir", tmp_path / "beir")
    assert after.queries.fields[0] == {"text": "a < b", **fields}
    after, _ = converted(loaded(folder, query_fields="title,narrative"), "jsonl", tmp_path / "jsonl")
    assert after.queries.fields[0] == {"text": "a < b not dogs", "title": "a < b", **fields}
    assert after.queries.texts == ["a < b not dogs"]


def test_fields_that_have_to_be_called_differently(tmp_path: Path) -> None:
    row = '{"_id": "1", "text": "cat", "Date (UTC)": "May", "docno": "7", "date_utc_": "June", "3": "three", "é": "e"}'
    folder = own(tmp_path / "own", **{"pets.jsonl": row})
    pets = loaded(folder, columns={"id": "_id", "text": "text"})
    after, told = converted(pets, "trec", tmp_path / "trec")
    assert told == [
        "of a document, the field 'Date (UTC)' is called 'date__utc_', 'docno' is called 'docno_', '3' is called "
        "'field_3', 'é' is called 'field_'"
    ]
    fields = after.documents[0].fields
    assert " ".join(fields) == "title text date__utc_ docno_ date_utc_ field_3 field_"
    assert list(fields.values()) == ["", "cat", "May", "7", "June", "three", "e"]
    assert after.documents[0].text == "cat"
    after, told = converted(pets, "jsonl", tmp_path / "jsonl")
    assert told == ["of a document, the field 'docno' is called 'docno_'"]


def test_what_trec_cannot_carry_is_told(tmp_path: Path) -> None:
    documents = [Document("1", "\n cat \t"), Document("2", "a\r\nb\rc  d"), Document("3", "\ud800")]
    queries = [Query("1", "a  cat"), Query("2", " "), Query("3", "dog\n"), Query("4", "")]
    after, told = converted(Collection("pets", documents, queries), "trec", tmp_path / "copy")
    assert after.documents.texts == ["cat", "a\r\nb\rc  d", "\ufffd"]
    assert list(after.queries) == [("1", "a cat"), ("3", "dog")]
    assert told == [
        "1 document with lone surrogates, which become U+FFFD",
        "1 document with white space at the ends of a field, which is left out",
        "3 queries with line breaks or repeated spaces, which become one space",
        "2 queries without text left out: a topic has some",
    ]


def test_nothing_searched_has_text(tmp_path: Path) -> None:
    after, _ = converted(Collection("pets", [Document("1", " ", "Cats", {"title": "Cats"})]), "trec", tmp_path / "copy")
    assert after.documents[0] == ("1", "", "Cats", {"title": "Cats", "text": ""})
    own(tmp_path / "own", **{"pets.jsonl": '{"_id": "1", "text": "cat", "by": "", "on": "May"}'})
    after, _ = converted(loaded(tmp_path / "own", fields="by,text"), "trec", tmp_path / "other")
    assert (after.reading.searched, after.documents[0].text) == (("text",), "cat")
    with pytest.raises(DataError) as error:
        converted(loaded(tmp_path / "own", fields="by"), "trec", tmp_path / "third")
    assert str(error.value) == (
        "collection 'own' has no document with any text in the searched fields, and TREC "
        "documents omit empty fields; search other fields, or convert to beir or jsonl"
    )


def test_from_layout_to_layout_nothing_is_added(tmp_path: Path) -> None:
    """Not a field, not a second copy of the text: what went to TREC's documents and back is as large as before."""
    row = '{"doc_id": "1", "title": "Cats", "text": "how to train a cat", "lang": "en", "year": "2011"}\n'
    converted(own(tmp_path / "own", **{"documents.jsonl": row}), "trec", tmp_path / "trec")
    converted(tmp_path / "trec", "beir", tmp_path / "beir")
    converted(tmp_path / "beir", "trec", tmp_path / "again")
    converted(tmp_path / "again", "jsonl", tmp_path / "jsonl")
    assert (tmp_path / "jsonl" / "documents.jsonl").read_text() == row
    assert (tmp_path / "again" / "documents.trec").read_bytes() == (tmp_path / "trec" / "documents.trec").read_bytes()


@pytest.mark.parametrize("doc_id", ["a b", "a\u00a0b", " ", "\ud800"])
def test_ids_that_trec_cannot_carry_are_refused(tmp_path: Path, doc_id: str) -> None:
    with pytest.raises(DataError) as error:
        convert(Collection("pets", [Document(doc_id, "cat")]), to="trec", folder=tmp_path / "copy")
    assert str(error.value) == (
        f"the document {doc_id!r} has an id with white space or a lone surrogate, which the TREC formats cannot carry; "
        "give it another id, or convert to beir or jsonl"
    )
    assert os.listdir(tmp_path) == []


def test_a_copy_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "new" / "copy"
    converted("cat-dog-parrot", "trec", folder)
    converted("cat-dog-parrot", "beir", folder)
    assert sorted(os.listdir(folder)) == ["collection.toml", "corpus.jsonl", "qrels", "queries.jsonl"]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(conversion, "write_qrels", interrupted)
    with pytest.raises(KeyboardInterrupt):
        convert("cat-dog-parrot", to="trec", folder=folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert os.listdir(tmp_path / "new") == ["copy"]


def test_the_old_copy_comes_back_if_the_new_one_cannot_take_its_place(tmp_path, monkeypatch) -> None:
    folder = convert(PLAIN, to="beir", folder=tmp_path / "copy")
    rename = os.replace

    def failing(old: Path, new: Path) -> None:
        if new == folder and not str(old).endswith(".old"):
            raise OSError(28, "No space left on device")
        rename(old, new)

    monkeypatch.setattr(os, "replace", failing)
    with raising(StorageError, f"{folder} could not be written: No space left on device"):
        convert(PLAIN, to="trec", folder=folder)
    assert (os.listdir(tmp_path), sorted(os.listdir(folder))[1]) == (["copy"], "corpus.jsonl")


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "qrels/mine.tsv"])
def test_a_folder_with_anything_else_in_it_is_refused(tmp_path: Path, name: str) -> None:
    for folder in (tmp_path / "own", convert(PLAIN, to="beir", folder=tmp_path / "copy")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
        with pytest.raises(StorageError) as error:
            convert(PLAIN, to="trec", folder=folder)
        assert str(error.value) == (
            f"{folder} holds files that `toysearch convert` did not write, such as '{name}'; choose a new "
            "folder or an empty one"
        )


def test_folders_that_are_taken_or_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    convert(PLAIN, to="beir", folder=tmp_path / "empty")
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    convert(PLAIN, to="trec", folder=tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert "documents.trec" in os.listdir(tmp_path / "empty")
    recipe = tmp_path / "empty" / "collection.toml"
    recipe.write_text(recipe.read_text() + "\nmine = 1\n")
    with pytest.raises(StorageError, match=r"such as 'collection\.toml'"):
        convert(PLAIN, to="trec", folder=tmp_path / "empty")
    (tmp_path / "file").write_text("")
    with raising(StorageError, f"{tmp_path / 'file'} is a file; a collection is written as a folder"):
        convert(PLAIN, to="trec", folder=tmp_path / "file")
    with pytest.raises(StorageError, match="could not be written: Not a directory"):
        convert(PLAIN, to="trec", folder=tmp_path / "file" / "copy")
    with raising(ArgumentError, "unknown layout 'bier'; did you mean 'beir'? Layouts: beir, trec, jsonl"):
        convert(PLAIN, to="bier", folder=tmp_path / "x")


def test_a_split_of_any_name_stays_inside_the_folder(tmp_path: Path) -> None:
    toml = 'format = "beir"\n[[files]]\nrole = "documents"\npath = "d"\n'
    toml += '[[files]]\nrole = "qrels"\nsplit = "../../x"\npath = "q"\n'
    folder = own(tmp_path / "own", **{"collection.toml": toml, "d": '{"_id": "1", "text": "cat"}', "q": "1 0 1 1\n"})
    after, _ = converted(folder, "trec", tmp_path / "copy")
    assert (after.split, os.listdir(tmp_path / "copy" / "qrels")) == ("../../x", ["split1.trec"])


def test_a_copy_of_itself_counts_fields_apart_and_tells_how_far_it_is(tmp_path: Path) -> None:
    done: list[int] = []
    pets = Collection("pets", DOCUMENTS, apart=True)
    folder = convert(pets, to="beir", folder=tmp_path / "copy", progress=done.append)
    with noted():
        convert(folder, to="trec", folder=folder)
    after = loaded(folder)
    assert (done, after.apart, [d.text for d in after.documents]) == ([1, 2], True, ["Cats train a cat", ""])


# How a record is put down in each layout, and what its fields are called there.

RECORD = Document("7", "how to\n<train> a cat", "Cats & dogs", {"Author": "Doe", "year": "2011"})


def written(to: str, part: str, record: Document) -> tuple[str, Writing]:
    """The text of a record, and what happened to it."""
    target = TARGETS[to]
    if part == "document":
        put, writing = target.document, Writing(part, target.document_names, target.as_tags)
    else:
        put, writing = target.query, Writing(part, target.query_names, target.as_tags, dict(target.names))
    return put(record, writing), writing


def test_a_document() -> None:
    line = '"title": "Cats & dogs", "text": "how to\\n<train> a cat", "Author": "Doe", "year": "2011"}\n'
    assert written("beir", "document", RECORD)[0] == f'{{"_id": "7", {line}'
    assert written("jsonl", "document", RECORD)[0] == f'{{"doc_id": "7", {line}'
    text, writing = written("trec", "document", RECORD)
    assert text == (
        "<DOC>\n<DOCNO>7</DOCNO>\n<TITLE>Cats &amp; dogs</TITLE>\n<HEADER>\n<AUTHOR>Doe</AUTHOR>\n<YEAR>2011</YEAR>\n"
        "</HEADER>\n<TEXT>how to\n&lt;train&gt; a cat</TEXT>\n</DOC>\n"
    )
    assert writing.notes() == ["of a document, the field 'Author' is called 'author'"]
    assert writing.filled == {"title", "text", "author", "year"}


def test_a_query() -> None:
    record = Document("7", "train  a cat", "", {"description": "how?", "query": "cat"})
    line = '"text": "train  a cat", "description": "how?", "query": "cat"}\n'
    assert written("beir", "query", record)[0] == f'{{"_id": "7", {line}'
    assert written("jsonl", "query", record)[0] == f'{{"query_id": "7", {line}'
    text, writing = written("trec", "query", record)
    assert text == (
        "<top>\n<num> Number: 7 </num>\n<title> Topic: train a cat </title>\n<desc> Description: how? </desc>\n"
        "<query_> cat </query_>\n</top>\n"
    )
    assert writing.notes() == [
        "1 query with line breaks or repeated spaces, which become one space",
        "of a query, the field 'query' is called 'query_'",
    ]


def test_the_text_of_a_query_made_in_python_is_written_once(tmp_path: Path) -> None:
    query = {"id": "q1", "text": "cat", "description": "a cat"}
    after, told = converted(Collection("pets", DOCUMENTS, [query]), "beir", tmp_path / "copy")
    assert (after.queries.fields, told) == ([{"text": "cat", "description": "a cat"}], [])


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (["author", "date"], ["author", "date"]),
        (["Author", "author", "AUTHOR"], ["author", "author_", "author__"]),
        (["text_", "text"], ["text_", "text__"]),
        (["B", "headline", "docno"], ["b_", "headline_", "docno_"]),
        (["3", "é", "x y", "_"], ["field_3", "field_", "x_y", "field__"]),
    ],
)
def test_names_of_tags(names: list[str], called: list[str]) -> None:
    writing = Writing("document", TARGETS["trec"].document_names, as_tags=True)
    assert [writing.name_of(name) for name in names] == called
    assert [writing.name_of(name) for name in names] == called


@pytest.mark.parametrize("layout", ["beir", "jsonl", "trec"])
def test_lists_stay_lists_where_the_layout_has_them(tmp_path, layout):
    (tmp_path / "docs.jsonl").write_text(
        '{"id": "a", "text": ["red lamp", "harbour pier"], "tags": ["x", "y z"]}\n'
        '{"id": "b", "text": "lamp harbour", "tags": ["x"]}\n'
    )
    copied, said = converted(loaded(tmp_path / "docs.jsonl"), layout, tmp_path / layout)
    searcher = toysearch.Searcher(toysearch.Index.build(copied, positions=True, values=["tags"]))
    found = [hit.doc_id for hit in searcher.search('"lamp harbour"')]
    [facet] = searcher.facets("lamp", ["tags"]).facets
    tags = [row.value for row in facet.values]
    if layout == "trec":
        assert (found, tags) == (["b", "a"], ["x", "x y z"])
        assert "2 documents with lists or joined fields, each of which becomes one text" in said
    else:
        assert (found, tags, said) == (
            ["b"],
            ["x", "y z"],
            [f"{tmp_path}/docs.jsonl: 2 documents; id id; searched: text, tags"],
        )
