"""What a SOURCE stands for: an index folder, a name, a folder, a file; and who may choose the analysis."""

import json
from pathlib import Path

import pytest
from shell import refusal

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.cli.options import SourceOptions
from toysearch.cli.sources import study_of
from toysearch.collection import catalog
from toysearch.files.reading import Reading


def open_source(source, options):
    """The index of a SOURCE and the collection behind it."""
    study = study_of(source, options)
    return study.index(), study.collection()


@pytest.fixture
def pets(tmp_path):
    """The folder of an index of the bundled collection."""
    folder = tmp_path / "pets.idx"
    toysearch.Index.build(toysearch.load("cat-dog-parrot"), toysearch.Analyzer()).save(folder)
    return str(folder)


@pytest.fixture
def own(tmp_path):
    """The folder of an index of documents without a name."""
    folder = tmp_path / "own.idx"
    toysearch.Index.build(["the cat", "the dog"]).save(folder)
    return str(folder)


@pytest.fixture
def documents(tmp_path):
    """A user's own file of documents."""
    file = tmp_path / "corpus.jsonl"
    records = [
        {"_id": "a", "title": "Cats", "text": "training the cats"},
        {"_id": "b", "title": "Dogs", "text": "the dog"},
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(file)


def test_a_name_is_a_collection_that_is_indexed_in_memory():
    index, collection = open_source("cat-dog-parrot", SourceOptions())
    assert list(index.terms) == ["cat", "dog", "hamster", "how", "parrot", "to", "train"]
    assert [collection.name, len(collection.queries)] == ["cat-dog-parrot", 3]


def test_the_analysis_is_plain_unless_the_user_says(documents):
    index, _ = open_source(documents, SourceOptions())
    assert list(index.terms) == ["cats", "dog", "dogs", "the", "training"]
    index, _ = open_source(documents, SourceOptions(language="english"))
    assert list(index.terms) == ["cat", "dog", "train"]
    index, _ = open_source(documents, SourceOptions(stop="sklearn"))
    assert list(index.terms) == ["cats", "dog", "dogs", "training"]


def test_a_collection_that_names_its_language_is_analysed_so_unless_the_user_says(documents):
    folder = Path(documents).parent / "named"
    folder.mkdir()
    Path(documents).rename(folder / "corpus.jsonl")
    (folder / "collection.toml").write_text('language = "english"\n')
    assert str(open_source(str(folder), SourceOptions())[0].analyzer) == "english:stop=sklearn,stem=english"
    assert (
        str(open_source(str(folder), SourceOptions(analyzer={"stem": "none"}))[0].analyzer)
        == "english:stop=sklearn,stem=none"
    )
    assert str(open_source(str(folder), SourceOptions(language="none"))[0].analyzer) == "plain"
    assert toysearch.Index.build(toysearch.load(folder)).analyzer == toysearch.Analyzer.for_language("english")


def test_an_index_knows_the_collection_it_was_built_from(pets):
    index, collection = open_source(pets, SourceOptions())
    assert index.stats.N == 4
    assert collection.query("2").text == "train dog"
    assert collection.qrels["1"]["2"] == 0.5


def test_the_collection_of_an_index_is_not_read_until_it_is_asked_for(pets, monkeypatch):
    def refuse(*_, **__):
        raise DataError("its files are gone")

    monkeypatch.setattr(catalog, "collection_of", refuse)
    study = study_of(pets, SourceOptions())
    assert study.index().stats.N == 4
    with pytest.raises(DataError, match="its files are gone"):
        len(study.queries())


def test_an_index_without_a_name_has_no_collection(own):
    index, collection = open_source(own, SourceOptions())
    assert [index.stats.N, collection] == [2, None]


def test_an_index_without_a_name_has_no_judgments_to_choose(own):
    with pytest.raises(ArgumentError) as caught:
        open_source(own, SourceOptions(Reading(grades="binary")))
    assert str(caught.value) == (
        f"the index '{own}' was not built from a named collection and has no judgments: --grades cannot be chosen "
        "here; leave it out, or name a collection instead of the index"
    )


def test_an_index_without_a_name_has_no_queries_to_read(own):
    with pytest.raises(ArgumentError, match="has no judgments: --query-fields cannot be chosen here"):
        open_source(own, SourceOptions(Reading(query_fields="title")))


@pytest.mark.system
def test_the_grades_of_the_collection_of_an_index_can_be_chosen(corpora, tmp_path):
    folder = tmp_path / "cranfield.idx"
    toysearch.Index.build(toysearch.load("cranfield"), toysearch.Analyzer()).save(folder)
    _, collection = open_source(str(folder), SourceOptions(Reading(grades="binary:minus1=relevant")))
    assert collection.grades == "binary:minus1=relevant"


def test_a_folder_with_a_foreign_manifest_is_no_index(tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(DataError, match=r"expected documents, found manifest\.json"):
        open_source(str(tmp_path), SourceOptions())


@pytest.mark.parametrize("command", [["search", "{}", "cat"], ["tune", "{}", "--grid", "text=1,2"], ["ablate", "{}"]])
@pytest.mark.parametrize("model", ["bm25f:text=3", "bm25 + 0.5*bm25f:text=3"])
def test_an_index_that_counts_its_fields_together(pets, command, model):
    arguments = [argument.format(pets) for argument in command]
    assert refusal(*arguments, "--model", model) == (
        f"toysearch: {model} weights its fields separately (title and text), but this index counts all fields "
        "together; build it again with separate fields: toysearch index SOURCE -o DIR --apart"
    )
