"""collection.toml: the recipes that ship, the documented example, and what is malformed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from made import write_files
from raising import raising
from shell import done

from toysearch.analysis.languages import LISTS
from toysearch.base.errors import ArgumentError, DataError
from toysearch.corpus import catalog
from toysearch.corpus.recipe import ROLES, STOP_LISTS, Recipe, read_recipe
from toysearch.formats.text_files import sha256

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(path.parent.name for path in (ROOT / "corpora").glob("*/collection.toml"))


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes a collection.toml."""

    def write(text: str) -> Path:
        path = tmp_path / "collection.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_recipe_says_all_that_is_to_be_said(name: str) -> None:
    shipped = catalog.recipe(name)
    assert shipped.title
    assert shipped.description
    assert shipped.licence
    assert shipped.origin
    assert shipped.language == ("none" if name == "cat-dog-parrot" else "english")
    assert shipped.quirks
    assert all(re.fullmatch(r"\S.*[.]", quirk) for quirk in shipped.quirks)
    assert set(shipped.expected) == {"documents", "queries", "judgments", "judged_queries"}
    for file in shipped.files:
        if file.role != "run":
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.records
    assert len(SHIPPED) == 7


@pytest.mark.parametrize("name", ["cranfield", "cisi", "scifact"])
def test_checksums_of_recipes(corpora: Path, name: str) -> None:
    for file in catalog.recipe(name).files:
        path = corpora / name / file.path
        assert (sha256(path), path.stat().st_size) == (file.sha256, file.bytes)


@pytest.mark.parametrize("name", ["cranfield", "cisi", "scifact"])
def test_recipes_ship_without_text_and_say_where_it_can_be_had(name: str) -> None:
    described = catalog.recipe(name)
    counts = {file.path for file in described.counts}
    others = {path.name for path in (ROOT / "corpora" / name).iterdir()} - counts - {"collection.toml", "vocab.txt.gz"}
    assert others == set()
    assert bool(counts) == (name != "scifact")
    assert all(source.startswith(("http://", "https://")) for source in described.sources)
    assert all(len(file.sha256) == 64 and file.bytes for file in described.files)


def test_the_documented_example_is_a_recipe(written) -> None:
    blocks = re.findall(
        r"```toml\n(.*?)```", (ROOT / "docs" / "look-up" / "collections.md").read_text(encoding="utf-8"), re.S
    )
    full = read_recipe(written(blocks[1]), "pets")
    assert (full.title, full.number, full.default_grades) == ("Pets", "place", "graded")
    assert full.expected == {"documents": 40, "queries": 12, "judgments": 60, "judged_queries": 12}
    assert full.grades["graded"].options["nine"].values["removed"] == {9: None}
    (full.folder / "corpus.jsonl").write_text('{"_id": "1", "text": "a"}\n')
    short = read_recipe(written(blocks[0]))
    assert (short.format, short.language, short.threshold) == ("beir", "german", 2.0)
    assert [file.path for file in short.files] == ["corpus.jsonl"]


def test_the_lists_of_stop_words_are_those_of_the_analysis() -> None:
    assert STOP_LISTS == LISTS


SMART, DOCUMENTS = 'format = "smart"\n', '[[files]]\nrole = "documents"\npath = "d"\n'
QUERIES, QRELS = (f'[[files]]\nrole = "{role}"\npath = "q"\n' for role in ("queries", "qrels"))
FILES = SMART + DOCUMENTS
GAINS = FILES + "[grades.a]\ngains = { 1 = 1 }\n"
FORMATS, OF = "beir, smart, trec, jsonl, csv, tsv, folder, docword, svmlight", "files[1].columns"
NO_FORMAT = f"expected the key format beside files; formats: {FORMATS}"
STOP = "Lists of stop words: none, sklearn, lucene, snowball, iso"
KEYS = "role path format columns field split records judged sha256 bytes"
KEYS = ", ".join(f"files[1].{key}" for key in KEYS.split())
DIGITS = "expected TOML; Exceeds the limit (4300 digits) for integer string conversion: value has 5001 digits; use "
DIGITS += "sys.set_int_max_str_digits() to increase the limit"
MALFORMED = [
    ("title = ?", "1: expected TOML; Invalid value"),
    ('titel = "Pets"', "unknown key 'titel'; did you mean 'title'?"),
    (FILES + 'sha = "0"', f"unknown key 'files[1].sha'; did you mean 'files[1].sha256'? Keys: {KEYS}"),
    ("title = 7", "expected a string as title, found 7"),
    ('threshold = "high"', "expected a number as threshold, found 'high'"),
    ("threshold = nan", "expected a number as threshold, found nan"),
    ("threshold = 1" + "0" * 400, "expected a number as threshold, found 1" + "0" * 59),
    ("threshold = 1" + "0" * 5000, DIGITS),
    ("x = " + "[" * 100_000, "expected TOML; maximum recursion depth exceeded"),
    (FILES + "records = -1", "expected a number of 0 or more as files[1].records, found -1"),
    ("threshold = true", "expected a number as threshold, found True"),
    ('text = "W"', "expected a list of strings as text, found 'W'"),
    ("text = [1]", "expected a list of strings as text, found [1]"),
    ('files = "d"', "expected a list of tables as files, found 'd'"),
    ('files = ["d"]', "expected a table as files[1]"),
    (FILES + "records = 1.5", "expected a whole number as files[1].records, found 1.5"),
    ('format = "smrt"', f"unknown format 'smrt'; did you mean 'smart'? Formats: {FORMATS}"),
    (DOCUMENTS, NO_FORMAT),
    ('number = "plaice"', "unknown number 'plaice'; did you mean 'place'? Ways to number queries: id, place"),
    ('stop = "snow"', f"unknown stop 'snow'; did you mean 'snowball'? {STOP}"),
    ('stop = "../words.txt"', f"unknown stop '../words.txt'. {STOP}"),
    (FILES + 'format = "smrt"', f"unknown files[1].format 'smrt'; did you mean 'smart'? Formats: {FORMATS}"),
    (
        FILES + 'columns = { key = "a" }',
        f"unknown key '{OF}.key'; did you mean '{OF}.text'? Keys: {OF}.id, {OF}.title, {OF}.text",
    ),
    (FILES + "columns = { id = 7 }", "expected a string as files[1].columns.id, found 7"),
    (
        FILES + 'columns = { id = "a", text = "a" }',
        "files[1].columns: column 'a' is named for id and for text; name one column per part",
    ),
    (
        FILES + '[[files]]\nrole = "documents"\npath = "e"\nformat = "csv"',
        "expected one format for all files with the role documents, found csv and smart",
    ),
    (DOCUMENTS + 'format = "csv"\n' + QUERIES, NO_FORMAT),
    ('format = "smart"\n[[files]]\npath = "d"', "expected a key files[1].role"),
    (
        SMART + '[[files]]\nrole = "docs"\npath = "d"',
        "unknown files[1].role 'docs'; did you mean 'documents'? Roles: documents, queries, qrels, run",
    ),
    (SMART + QUERIES, "expected one file with the role documents, found 0"),
    (FILES + QUERIES * 2, "expected at most one file with the role queries, found 2"),
    (FILES + QRELS * 2, "expected a different split for each file with the role qrels"),
    (GAINS + "[grades.b]\ngains = { 1 = 1 }", "unknown default_grades ''. Grade mappings: a, b"),
    ('default_grades = "a"', "default_grades 'a' names a grade mapping, but there is no [grades.a]"),
    (
        FILES + '[grades.a]\ndescription = ""',
        "expected a table grades.a.gains of codes and gains, such as { 1 = 4, 2 = 3 }",
    ),
    (FILES + "[grades.a]\ngains = { one = 1 }", "expected a number as a code of grades.a.gains, found 'one'"),
    (
        FILES + '[grades.a]\ngains = { 1 = "gone" }',
        "expected a number or \"removed\" as grades.a.gains.1, found 'gone'",
    ),
    (FILES + "[grades.a]\ngains = { 1 = inf }", 'expected a number or "removed" as grades.a.gains.1, found inf'),
    (GAINS + "[grades.a.options.x]\nvalues.on = { 1 = 2 }", "unknown grades.a.options.x.default ''. Values: on"),
    (
        GAINS + '[grades.a.options.x]\ndefault = "on"\nvalues.on = 2',
        "expected a table of codes and gains as grades.a.options.x.values.on, found 2",
    ),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=lambda text: text[-30:])
def test_malformed_recipes(written, text: str, message: str) -> None:
    path = written(text)
    with raising(DataError, f"{path}:{message}" if message[0].isdigit() else f"{path}: {message}"):
        read_recipe(path)


def test_which_judgments(written) -> None:
    def with_splits(*splits: str, **values: str) -> Recipe:
        head = "".join(f'{key} = "{value}"\n' for key, value in values.items())
        files = "".join(f'[[files]]\nrole = "qrels"\npath = "{split}.tsv"\nsplit = "{split}"\n' for split in splits)
        return read_recipe(written(head + FILES + files), "pets")

    several = with_splits("train", "test", "dev")
    assert several.qrels_file().path == "test.tsv"
    assert several.qrels_file("dev").path == "dev.tsv"
    assert with_splits("dev", "test", split="dev").qrels_file().path == "dev.tsv"
    assert with_splits("dev").qrels_file().path == "dev.tsv"
    assert with_splits().qrels_file() is None
    refused = {
        "unknown split 'trian'; did you mean 'train'? Splits: train, test, dev": (several, "trian"),
        "collection 'pets' has several sets of judgments and none is called test; choose a split: dev, train": (
            with_splits("dev", "train"),
            None,
        ),
        "split 'test' cannot be chosen: collection 'pets' has one set of judgments; leave split out": (
            with_splits(""),
            "test",
        ),
        "split 'test' cannot be chosen: collection 'pets' has no judgments; leave split out": (with_splits(), "test"),
    }
    for message, (read, split) in refused.items():
        with raising(ArgumentError, message):
            read.qrels_file(split)


# A collection.toml reads no file outside its folder: not by its paths, not by links, and not for long.


DOCUMENTS = '{"_id": "d1", "text": "a cat"}\n'
QUERIES = '{"_id": "q1", "text": "cat"}\n'
ROWS = {"documents": DOCUMENTS, "queries": QUERIES, "qrels": "q1 0 d1 1\n", "run": "q1 Q0 d1 1 1.0 bm25\n"}
SECRET = {
    "documents": '{"_id": "s1", "text": "secret"}\n',
    "queries": '{"_id": "s1", "text": "secret"}\n',
    "qrels": "q1 0 s1 1\n",
    "run": "q1 Q0 s1 1 1.0 secret\n",
}


def recipe(**paths):
    """A collection.toml with these paths, and the usual ones for the other roles."""
    text = 'format = "beir"\n'
    for role in ROLES:
        text += f'[[files]]\nrole = "{role}"\npath = "{paths.get(role, role)}"\n'
    return text


@pytest.fixture
def pets(tmp_path, monkeypatch):
    """A folder with a file for each role, and secrets outside of it."""
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path / "none"))
    write_files(tmp_path / "secrets", **SECRET)
    return write_files(tmp_path / "pets", **ROWS, **{"collection.toml": recipe()})


OUTSIDE = ["", ".", "./", "..", "../secrets/{}", "/etc", "/proc/**/*", "{}/../../secrets/{}", "C:/secrets", "~\\0/x"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_lead_outside_are_refused(pets, role, path):
    path = path.replace("{}", role)
    if path.startswith("~"):
        path = "a\\u0000b"
    write_files(pets, **{"collection.toml": recipe(**{role: path})})
    with pytest.raises(DataError) as refused:
        catalog.load(pets)
    place = ROLES.index(role) + 1
    said = f"expected a path below the folder of the collection.toml as files[{place}].path, found "
    assert str(refused.value).startswith(f"{pets / 'collection.toml'}: {said}")


@pytest.mark.parametrize("role", ROLES)
def test_links_that_lead_outside_are_refused(pets, role):
    (pets / role).unlink()
    (pets / role).symlink_to(pets.parent / "secrets" / role)
    with pytest.raises(DataError) as refused:
        list(catalog.load(pets).stream())
    said = "a collection.toml reads no file outside its folder: put the file there, or give it by itself"
    assert str(refused.value) == f"{pets / role} leads out of {pets}; {said}"


def test_a_pattern_does_not_search_linked_folders(pets):
    (pets / "everything").symlink_to("/")  # would take for ever
    (pets / "round").symlink_to(pets)
    write_files(pets, **{"collection.toml": recipe(documents="**/doc*")})
    assert catalog.load(pets).documents.doc_ids == ["d1"]


def test_links_within_the_folder_and_what_the_user_names_are_read(pets):
    os.rename(pets / "documents", pets / "own.jsonl")
    (pets / "documents").symlink_to("own.jsonl")
    assert catalog.load(pets).documents.doc_ids == ["d1"]
    (pets.parent / "short").symlink_to(pets)  # the folder itself may be a link
    assert catalog.load(pets.parent / "short").documents.doc_ids == ["d1"]
    link = pets.parent / "named.jsonl"
    link.symlink_to(pets.parent / "secrets" / "documents")
    assert "s1" in done("search", link, "secret").stdout
