"""Names and paths: what is known, where files are found, and what is missing."""

import contextlib
import json
import os
from pathlib import Path

import platformdirs
import pytest
from captured_notes import noted
from conftest import ROOT, loaded
from error_messages import raising
from on_windows import WINDOWS
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from small_collections import sizes, write_files

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.base.platform import cache_folder
from toysearch.collection import catalog

pytestmark = pytest.mark.system

SHIPPED = Path(__file__).parents[3] / "corpora"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that TOYSEARCH_CORPORA lists; the user's cache is empty as well."""
    folder = tmp_path / "places"
    folder.mkdir()
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(folder))
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache" / "toysearch"))
    return folder


def test_names_are_those_of_all_places(places: Path, tmp_path: Path) -> None:
    shipped = ["cat-dog-parrot", "cisi", "companions", "companions-2", "cranfield", "languages", "scifact"]
    assert catalog.collections() == shipped
    write_files(places / "pets", **{"collection.toml": 'title = "Pets"', "corpus.jsonl": '{"_id": "1", "text": "cat"}'})
    write_files(places / "raw", **{"corpus.jsonl": ""})
    write_files(tmp_path / "cache" / "toysearch" / "cached", **{"collection.toml": ""})
    assert catalog.collections() == sorted(["cached", "pets", *shipped])
    pets = catalog.load("pets")
    assert (pets.name, pets.title, pets.in_catalog, sizes(pets)) == ("pets", "Pets", True, (1, 0, 0, 0))


def test_a_folder_with_the_name_of_a_collection_is_named(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(places / "pets", **{"collection.toml": 'title = "Pets"', "corpus.jsonl": '{"_id": "1", "text": "cat"}'})
    write_files(tmp_path / "here" / "pets", **{"a.txt": "dog", "b.txt": "cow"})
    said = "'pets' is the collection of that name; what is called so here is ./pets"
    for folder, name, expected, size in (
        (tmp_path / "here", "pets", [said], 1),
        (tmp_path / "here", "./pets", [], 2),
        (places, "pets", [], 1),
        (tmp_path, "pets", [], 1),
    ):
        monkeypatch.chdir(folder)
        with noted() as notes:
            assert sizes(catalog.load(name))[0] == size
        assert notes == expected


def test_files_come_from_the_first_place_that_has_them_all(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cat_dog_parrot = catalog.recipe("cat-dog-parrot")
    assert catalog.locate(cat_dog_parrot) == SHIPPED / "cat-dog-parrot"
    cached = tmp_path / "cache" / "toysearch" / "cranfield"
    cranfield = catalog.recipe("cranfield")
    assert catalog.locate(cranfield) is None
    write_files(cached, **{"cran.all.1400": "", "cran.qry": "", "cranqrel": ""})
    assert catalog.locate(cranfield) == cached
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setenv("TOYSEARCH_CORPORA", os.pathsep.join([str(first), "", str(second)]))
    write_files(second / "cranfield", **{"cran.all.1400": "", "cran.qry.gz": "", "cranqrel": ""})
    write_files(first / "cranfield", **{"cran.all.1400": "", "cran.qry": ""})
    assert catalog.locate(cranfield) == second / "cranfield"
    write_files(first / "cranfield", cranqrel="")
    assert catalog.locate(cranfield) == first / "cranfield"


@pytest.mark.parametrize(("platform", "expected"), [(Unix, ".cache/toysearch"), (MacOS, "Library/Caches/toysearch")])
def test_the_cache_of_each_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: type, expected: str
) -> None:
    monkeypatch.setattr(platformdirs, "PlatformDirs", platform)
    monkeypatch.delenv("TOYSEARCH_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path))
    assert cache_folder() == tmp_path / expected


def test_the_cache_that_the_user_chose(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("TOYSEARCH_CACHE")
    if WINDOWS:
        return  # whose folders have other names than the variable may hold
    monkeypatch.setattr(platformdirs, "PlatformDirs", Unix)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "toysearch"


def test_missing_files_say_where_was_looked_and_what_to_do(places: Path, tmp_path: Path) -> None:
    write_files(places / "scifact", **{"corpus.jsonl": "", "queries.jsonl": "", "qrels/train.tsv": ""})
    with pytest.raises(DataError) as error:
        catalog.load("scifact")
    assert str(error.value) == (
        "the files of collection 'scifact' (corpus.jsonl, queries.jsonl, qrels/test.tsv, qrels/train.tsv) were not "
        f"found; looked in {places / 'scifact'} (there qrels/test.tsv missing), {SHIPPED / 'scifact'}, "
        f"{tmp_path / 'cache' / 'toysearch' / 'scifact'}. "
        "`fetch('scifact')` fetches them; if you have them, set the environment variable "
        "TOYSEARCH_CORPORA to a folder that holds scifact/corpus.jsonl and the others"
    )


def test_where_the_files_of_a_name_are_missing_the_folder_of_that_name_is_named(places, tmp_path, monkeypatch) -> None:
    write_files(tmp_path / "here" / "scifact", **{"corpus.jsonl": '{"_id": "1", "text": "a cell"}\n'})
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(DataError, match=r"; the folder of that name here is \./scifact\Z"):
        catalog.load("scifact")
    assert len(catalog.load("./scifact").documents) == 1


def test_missing_files_of_a_folder_that_no_name_stands_for(places: Path, tmp_path: Path) -> None:
    """`toysearch corpora get` knows nothing of it."""
    toml = 'format = "jsonl"\n[[files]]\nrole = "documents"\npath = "gone.jsonl"\n'
    pets = write_files(tmp_path / "pets", **{"collection.toml": toml})
    with pytest.raises(DataError) as error:
        catalog.load(pets)
    assert str(error.value) == (
        f"the files of collection 'pets' (gone.jsonl) were not found; looked in {pets}, {places / 'pets'}, "
        f"{SHIPPED / 'pets'}, {tmp_path / 'cache' / 'toysearch' / 'pets'}. Put them into {pets}, or correct their "
        f"paths in {pets / 'collection.toml'}"
    )


@pytest.mark.usefixtures("places")
def test_unknown_names() -> None:
    listed = (
        "Collections (irds:NAME is of ir_datasets): cat-dog-parrot, cisi, companions, companions-2, cranfield, "
        "languages, scifact"
    )
    for load in (catalog.load, catalog.recipe):
        with pytest.raises(ArgumentError) as error:
            load("cranfeld")
        assert str(error.value) == f"unknown collection, file or folder 'cranfeld'; did you mean 'cranfield'? {listed}"
    with raising(ArgumentError, f"unknown collection, file or folder ''. {listed}"):
        catalog.load("")
    with pytest.raises(ArgumentError) as error:
        catalog.load("x" * 5000)
    assert str(error.value).endswith(listed[-100:])


def test_names_and_paths(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("cat-dog-parrot", "mine"):
        write_files(tmp_path / name, **{"corpus.jsonl": '{"_id": "own", "text": "cat"}\n'})
    assert len(catalog.load("cat-dog-parrot").documents) == 4
    for source in (f".{os.sep}cat-dog-parrot", Path("cat-dog-parrot"), "mine", tmp_path / "mine", f"mine{os.sep}"):
        collection = catalog.load(source)
        assert [d.doc_id for d in collection.documents] == ["own"]
        assert (collection.name, collection.in_catalog) == (Path(source).name, False)
    with raising(DataError, "./absent: there is no such folder or file"):
        catalog.load("./absent")


def test_a_folder_with_a_recipe_alone_finds_its_files_by_name(corpora: Path, tmp_path: Path) -> None:
    own = write_files(
        tmp_path / "cranfield", **{"collection.toml": (SHIPPED / "cranfield" / "collection.toml").read_text()}
    )
    assert sizes(catalog.load(own)) == (1400, 225, 1837, 225)


def test_a_cache_that_may_not_be_looked_into_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOYSEARCH_CORPORA", "")
    monkeypatch.setattr(catalog, "cache_folder", lambda: tmp_path)
    assert tmp_path in catalog.places()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    assert tmp_path not in catalog.places()
    assert catalog.load("cat-dog-parrot").name == "cat-dog-parrot"


def test_without_topics_a_collection_is_its_documents(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path / "pets", **{"a.txt": "cat", "b.txt": "dog", "queries.jsonl": '{"_id": "q1", "text": "cat"}\n'}
    )
    write_files(folder, **{"qrels.txt": "q1 0 a.txt 1\nq1 0 gone.txt 1\n"})
    whole, alone = catalog.load(folder), catalog.load(folder, topics=False)
    assert list(alone.documents) == list(whole.documents)
    assert sizes(alone) == (2, 0, 0, 0)
    assert (len(whole.notes), alone.notes) == (1, [])


@pytest.mark.parametrize("name", ["", ".", "..", "pets/", "a\0b", "n" * 300])
def test_what_is_no_name_of_the_catalog(places: Path, name: str) -> None:
    write_files(places, **{"collection.toml": "", "pets/collection.toml": ""})
    with pytest.raises(ArgumentError, match="unknown collection, file or folder"):
        catalog.recipe(name)


def test_a_name_in_other_letters_is_that_collection_where_nothing_else_has_the_name(tmp_path, monkeypatch):
    assert catalog.load("Cat-Dog-PARROT").name == "cat-dog-parrot"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Companions").mkdir()
    (tmp_path / "Companions" / "a.txt").write_text("a cat")
    assert [document.doc_id for document in catalog.load("Companions").documents] == ["a.txt"]


@pytest.fixture
def one_case(tmp_path, monkeypatch):
    """A function that lets names in other letters lead to the files of a folder, as on Windows and macOS everywhere."""
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda *at: [name for name in listed(*at) if not os.path.islink(name)])
    monkeypatch.chdir(tmp_path)

    def spelled(name, other):
        with contextlib.suppress(FileExistsError):  # this system does so by itself
            (tmp_path / other).symlink_to(name)
        assert os.path.samefile(name, other)
        assert os.listdir() == [name]

    return spelled


@pytest.mark.parametrize(
    ("listed", "typed", "found"),
    [
        ("cat-dog-parrot", "Cat-Dog-Parrot", "1"),  # a name before a path that is listed otherwise
        ("Cat-Dog-Parrot", "cat-dog-PARROT", "1"),
        ("Cat-Dog-Parrot", "Cat-Dog-Parrot", "a.txt"),  # a path as it is listed before a name in other letters
        ("Own", "OWN", "a.txt"),  # a path that no collection is named like in any letters
    ],
)
def test_where_letters_may_be_capital(tmp_path, one_case, listed, typed, found):
    write_files(tmp_path / listed, **{"a.txt": "a cat"})
    if listed != typed:
        one_case(listed, typed)
    assert catalog.load(typed).documents[0].doc_id == found


def test_a_collection_knows_where_other_processes_read_it(tmp_path, monkeypatch):
    (tmp_path / "docs.csv").write_text("nr,body\n1,a cat\n")
    (tmp_path / "cat-dog-parrot").mkdir()
    monkeypatch.chdir(tmp_path)
    named = catalog.load("docs.csv", columns="id=nr,text=body", on_error="skip")
    assert named.read_from == (str(tmp_path / "docs.csv"), {"columns": "id=nr,text=body", "on_error": "skip"})
    assert catalog.load("Cat-Dog-Parrot").read_from == ("cat-dog-parrot", {})


# The bundled collections companions and companions-2: whole, judged, and with what their READMEs promise.

making = loaded(ROOT / "docs" / "make_companions.py")

FIRST, SECOND = making.NAMES
ENGLISH = toysearch.Analyzer.for_language("english")


@pytest.fixture(scope="module", params=making.NAMES)
def collection(request):
    return toysearch.load(request.param)


@pytest.fixture(scope="module")
def first():
    return toysearch.load(FIRST)


def needs(name: str = FIRST) -> dict[str, dict]:
    lines = (making.CORPORA / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return {need["_id"]: need for need in map(json.loads, lines)}


def test_each_need_has_its_phenomenon(first):
    terms = {document.doc_id: set(ENGLISH(document.text)) for document in first.documents}
    assert all("anim" in found for found in terms.values())
    for query_id, need in needs().items():
        asked, grades = set(ENGLISH(need["text"])), first.qrels[query_id]
        good = [doc_id for doc_id, grade in grades.items() if grade >= 2]
        if "misspelt" in need["phenomena"]:
            assert good and asked - set().union(*terms.values())  # noqa: PT018
        if "unreached" in need["phenomena"]:
            assert good and not any(asked & terms[doc_id] for doc_id in good)  # noqa: PT018
        assert ("nothing-relevant" in need["phenomena"]) == (max(grades.values()) == 0)


def test_every_document_of_the_pool_is_judged_and_no_other(collection):
    judged = {(judgment.query_id, judgment.doc_id) for judgment in collection.qrels}
    pooled = set(making.pooled(collection.name).pairs)
    assert pooled <= judged
    if collection.name == FIRST:
        assert judged == pooled


def test_the_statistics_in_the_readme_are_those_of_the_files(collection):
    readme = (making.CORPORA / collection.name / "README.md").read_text(encoding="utf-8")
    assert making.statistics_of(collection.name) in readme


def test_there_is_a_reason_for_each_grade_above_0(first):
    lines = (making.CORPORA / FIRST / "reasons.tsv").read_text(encoding="utf-8").splitlines()[1:]
    given = {tuple(line.split("\t")[:2]) for line in lines}
    assert given >= {(row.query_id, row.doc_id) for row in first.qrels if row.relevance > 0}
    assert all(line.split("\t")[2].strip() for line in lines)


def test_the_second_release_has_forty_other_documents(first):
    second = toysearch.load(SECOND)
    before = {document.doc_id: document.text for document in first.documents}
    after = {document.doc_id: document.text for document in second.documents}
    assert len(before.keys() - after.keys()) == len(after.keys() - before.keys()) == 20
    assert sum(before[doc_id] != after[doc_id] for doc_id in before.keys() & after.keys()) == 20
    assert list(first.queries) == list(second.queries)
    for judgment in first.qrels:  # a judgment stays where the document did
        if after.get(judgment.doc_id) == before[judgment.doc_id]:
            assert second.qrels[judgment.query_id][judgment.doc_id] == judgment.relevance


def test_ten_needs_were_judged_twice(first):
    again = toysearch.load(FIRST, split="second").qrels
    assert len(again.query_ids) == 10
    for query_id in again.query_ids:
        assert set(again[query_id]) == set(first.qrels[query_id])
    found = toysearch.kappa(first.qrels, again)
    readme = (making.CORPORA / FIRST / "README.md").read_text(encoding="utf-8")
    assert f"κ is {found.kappa:.2f} on the four grades, {found.quadratic:.2f} with quadratic weights" in readme
    two = toysearch.kappa(first.qrels, again, threshold=1)
    assert f"and {two.kappa:.2f} on relevant or not" in readme


def test_sub_topics_have_the_grades_of_the_judgments(first):
    parts = toysearch.load(FIRST, split="subtopics").qrels
    assert len(parts.query_ids) == 20
    assert {query_id: parts[query_id] for query_id in parts.query_ids} == {
        query_id: first.qrels[query_id] for query_id in parts.query_ids
    }
    assert parts.subtopics is not None
    for place, names in enumerate(parts.subtopics.names):
        rows = slice(*parts.offsets[place : place + 2])
        relevant = (parts.subtopics.grades[rows] >= 1).sum(axis=0)
        assert len(names) >= 2
        assert (relevant[: len(names)] >= 1).all()


def test_an_index_is_not_read_as_documents(tmp_path):
    toysearch.Index.build({"a": "a cat"}).save(tmp_path / "pets")
    with raising(ArgumentError, f"{tmp_path / 'pets'} is an index, not a collection: Index.open or Searcher opens it"):
        toysearch.load(tmp_path / "pets")


def test_a_path_that_may_be_a_name_of_ir_datasets_is_told_as_such(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    message = "sea/boats/test: there is no such folder or file; as one of ir_datasets it is irds:sea/boats/test"
    with raising(DataError, message):
        toysearch.load("sea/boats/test")
    for name in ("sea/boats.csv", str(tmp_path / "boats")):
        with raising(DataError, f"{name}: there is no such folder or file"):
            toysearch.load(name)
