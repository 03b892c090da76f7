"""Word counts that stand for texts: when they are used, what is said, and what they hold."""

import os
from pathlib import Path

import pytest
import shell
from captured_notes import noted
from error_messages import raising
from small_collections import write_files
from tiers import thinned

import toysearch
from toysearch.base.documents import CountedWords
from toysearch.base.errors import ArgumentError, DataError, MissingFiles
from toysearch.collection import catalog
from toysearch.files.reading import Reading

SETTINGS = 'format = "smart"\nlanguage = "english"\ntext = ["T", "W"]\nquery = ["W"]\nnumber = "place"\n'
SETTINGS += 'sources = ["http://127.0.0.1:9/"]\n'


def listed(kind: str, **paths: str) -> str:
    """The files of a recipe, by their roles."""
    return "".join(f'[[{kind}]]\nrole = "{role.partition("_")[0]}"\npath = {entry}\n' for role, entry in paths.items())


COUNTED = {
    "documents_t": '"T.svm"\nformat = "svmlight"\nfield = "T"\nrecords = 3',
    "documents_w": '"W.svm"\nformat = "svmlight"\nfield = "W"\nrecords = 3',
    "queries": '"queries.svm"\nformat = "svmlight"\nfield = "W"',
    "qrels": '"judged.txt"\nformat = "smart"',
}
RECIPE = SETTINGS + listed("files", documents='"pets.all"', queries='"pets.qry"', qrels='"petsrel"')
RECIPE += listed("counts", **COUNTED)
COUNTS = {
    "vocab.txt": "the\ncats\ndog\ntrain\n",
    "T.svm": "0 2:1 # bytes=5\n0 3:1 # bytes=3\n0 # bytes=0\n",
    "W.svm": "0 1:2 2:1 4:1 # bytes=30\n0 1:1 3:2 # bytes=14\n0 # bytes=0\n",
    "queries.svm": "0 4:1 2:1\n0 3:1\n",
    "judged.txt": "1 1 2\n2 2 1\n",
}
TEXTS = {
    "pets.all": ".I 1\n.T\nCats\n.W\nthe cats, the train\n.I 2\n.T\ndog\n.W\nThe dog. Dog!\n.I 3\n",
    "pets.qry": ".I 001\n.W\ntrain cats\n.I 004\n.W\ndog\n",
    "petsrel": "1 1 2\n2 2 1\n",
}
NOTE = (
    "pets: without its texts{}, its word counts are used, which give the same figures, "
    "and queries are their words in order of the alphabet; `fetch('pets')` fetches the texts"
)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of collections with the word counts of one whose texts are missing; the cache is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path / "listed"))
    write_files(tmp_path / "listed" / "pets", **{"collection.toml": RECIPE}, **COUNTS)
    return tmp_path


def test_documents_are_their_words_without_title_or_text(places: Path) -> None:
    with noted() as notes:
        pets = toysearch.load("pets")
    lacking = f" (TOYSEARCH_CORPORA: {places / 'listed'} lacks pets/pets.all)"
    assert notes == [NOTE.format(lacking)]  # of the queries
    assert (pets.word_counts, pets.grades, pets.searched_fields) == (True, "as given", ("T", "W"))
    assert [tuple(query) for query in pets.queries] == [("1", "cats train"), ("2", "dog")]
    with noted() as notes:
        first, second, last = pets.documents
    assert notes == []  # it is told once
    assert first == ("1", "cats the the cats train", "", {"T": "cats", "W": "the the cats train"})
    assert all(isinstance(document[1], CountedWords) for document in (first, second, last))
    assert [document[1].size for document in (first, second, last)] == [5 + 1 + 30, 3 + 1 + 14, 0]
    with pytest.raises(ArgumentError, match=r"without a text; `fetch\('pets'\)` fetches the texts"):
        _ = first.text


def test_texts_are_used_where_they_are(places: Path) -> None:
    write_files(places / "cache" / "pets", **TEXTS)
    with noted() as notes:
        pets = toysearch.load("pets")
        assert pets.documents[1].text == "dog The dog. Dog!"
    assert (notes, pets.word_counts) == ([], False)
    os.remove(places / "cache" / "pets" / "petsrel")
    assert toysearch.load("pets").word_counts


def test_the_variable_is_named_only_if_it_is_set(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.rename(places / "listed", places / "cache")
    monkeypatch.setenv("TOYSEARCH_CORPORA", "")
    with noted() as notes:
        index = toysearch.Index.build(toysearch.load("pets"))
    assert notes == [NOTE.format("")]
    index.save("pets.idx")
    assert "without its texts" not in shell.done("search", "pets.idx", "cats").stderr
    assert "queries are their words in order of the alphabet" in shell.done("eval", "pets.idx", "--worst").stderr


def test_only_the_searched_fields_are_read(places: Path) -> None:
    os.remove(places / "listed" / "pets" / "T.svm")
    write_files(places / "listed" / "pets", **{"T.svm": "0 9:1\n"})  # which no vocabulary has
    with noted():
        index = toysearch.Index.build(toysearch.load("pets", fields="W"), toysearch.Analyzer())
        assert index.vector("2") == {"the": 1, "dog": 2}
        with raising(
            DataError,
            f"{places / 'listed' / 'pets' / 'T.svm'}:1: expected the number of a word from 1 to 4, found 9; the words "
            f"are in {places / 'listed' / 'pets' / 'vocab.txt'}",
        ):
            toysearch.Index.build(toysearch.load("pets", fields="t"))


def test_files_of_fields_must_have_the_same_documents(places: Path) -> None:
    folder = places / "listed" / "pets"
    write_files(folder, **{"W.svm": "0 1:2\n"})
    problem = "files with a field each must have the same documents in the same order; found "
    with noted(), raising(DataError, f"{problem}'2' in {folder / 'T.svm'}, no more in {folder / 'W.svm'}"):
        list(toysearch.load("pets").stream())
    write_files(folder, **{"W.svm": "0 1:2 # id=7\n"})
    with noted(), raising(DataError, f"{problem}'1' in {folder / 'T.svm'}, '7' in {folder / 'W.svm'}"):
        list(toysearch.load("pets").stream())


def test_counts_that_are_not_those_of_the_recipe_are_noted(places: Path) -> None:
    folder = places / "listed" / "pets"
    write_files(folder, **dict.fromkeys(("T.svm", "W.svm"), "0 1:2 # bytes=9\n"))
    with noted() as notes:
        list(toysearch.load("pets").stream())
    expected = "holds 1 documents, the recipe of 'pets' expects 3; figures may differ from published ones"
    assert notes[1:] == [
        f"{folder / 'T.svm'} {expected}",
        f"{folder / 'W.svm'} {expected}",
        "1 judged document is not in collection 'pets' (the first: '2'); if relevant, it counts as not found",
    ]


def test_texts_that_are_wanted_are_missing(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingFiles):
        catalog.collection_of("pets", Reading(texts_only=True))
    monkeypatch.setattr("toysearch.collection.download._PAUSE", 0.0)
    refused = shell.refused("search", "pets", "cats", "--get")
    assert "none" not in refused
    assert "http://127.0.0.1:9/pets.all: the server cannot be reached" in refused


def test_what_needs_texts_says_how_to_get_them(places: Path) -> None:
    fetching = "and the documents of 'pets' are word counts here; `fetch('pets')` fetches the texts"
    with raising(ArgumentError, f"this needs texts, {fetching}"):
        raise catalog.without_texts("this needs texts", "pets")
    for name in ("", "cat-dog-parrot", "gone"):
        with raising(ArgumentError, "this needs texts, and the documents are word counts; index the texts instead"):
            raise catalog.without_texts("this needs texts", name)
    with noted(), raising(ArgumentError, f"the layout beir holds texts, {fetching}"):
        toysearch.convert("pets", to="beir", folder=places / "out")
    assert not (places / "out").exists()


NO_COUNTS = "expected word counts among [[counts]], in a format of docword or svmlight"
NO_PATH = "expected a path below the folder of the collection.toml as counts[1].path, found '../a.svm'"
NO_FIELD = "files[2].field is for word counts, in a format of docword or svmlight"


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        (listed("counts", documents='"a.jsonl"\nformat = "beir"'), NO_COUNTS),
        (listed("counts", queries='"a.svm"\nformat = "svmlight"'), NO_COUNTS),
        (listed("counts", documents='"../a.svm"\nformat = "svmlight"'), NO_PATH),
        (listed("files", documents='"a.csv"\nformat = "csv"\nfield = "T"'), NO_FIELD),
    ],
)
def test_recipes_that_are_refused(places: Path, toml: str, problem: str) -> None:
    path = places / "listed" / "pets" / "collection.toml"
    path.write_text(f'format = "smart"\n[[files]]\nrole = "documents"\npath = "pets.all"\n{toml}')
    with raising(DataError, f"{path}: {problem}"):
        toysearch.load("pets")


def test_word_counts_of_ones_own_in_a_folder(tmp_path: Path) -> None:
    write_files(tmp_path / "pets", **COUNTS, **{"collection.toml": SETTINGS + listed("files", **COUNTED)})
    with noted() as notes:
        pets = toysearch.load(tmp_path / "pets")
        assert len(pets.documents) == 3
    assert (notes, pets.word_counts) == ([], True)
    assert [tuple(row) for row in pets.qrels] == [("1", "1", 2.0), ("2", "2", 1.0)]


@pytest.mark.parametrize(
    ("name", "counts", "figures"),
    thinned(
        [
            ("cisi", (1460, 112, 3114), ["0.2220", "0.4146", "0.3711"]),
            ("cranfield", (1400, 225, 1837), ["0.3065", "0.3652", "0.2329"]),
        ],
        2,
    ),
)
def test_the_bundled_counts_on_a_machine_without_the_texts(tmp_path: Path, monkeypatch, name, counts, figures) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("HOME", "TOYSEARCH_CACHE", "IR_DATASETS_HOME", "PYTERRIER_HOME", "NLTK_DATA"):
        monkeypatch.setenv(variable, str(tmp_path / "empty"))
    monkeypatch.setenv("TOYSEARCH_CORPORA", "")
    result = shell.done("eval", name)
    assert result.stdout.splitlines()[1].split()[1::2] == figures
    told = " ".join(result.stderr.split())
    assert told.startswith(
        f"note: {name}: without its texts, its word counts are used, which give the same figures, and queries "
        f"are their words in order of the alphabet; `toysearch corpora get {name}` "
        f"fetches the texts {name} · english:stop=sklearn,stem=english · "
    )
    collection = toysearch.load(name)
    with noted():
        read = len(collection.documents), len(collection.queries), len(collection.qrels)
    assert (read, collection.vouched) == (counts, True)
    assert sum(path.stat().st_size for path in catalog.bundled(name).glob("*.gz")) < 300_000
