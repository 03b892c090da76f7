"""`check --write`: the options for reading three spreadsheets are kept in the collection.toml beside them."""

import json
import os
import shutil
from pathlib import Path

import pytest
from shell import done, refusal, run

import toysearch

GOODS = "Product No;Name;Long text\nK1;Kettle;a heavy kettle for café and kitchen\nL2;Lamp;a red lamp\n"
GOODS += "O3;Oil;oil for the lamp\nP4;Pot;a pot for coffee, not a kettle\nK1;Kettle;the same number again\n"
SEARCHES = "Search no;Typed\n7;café kettle\n8;lamp\n9;pot\n"
RATINGS = "Search no;Product No;Remark;Rating (0-3)\n7;K1;for the café;1\n7;P4;;3\n8;L2;good;2\n"
RATINGS += "8;O3;?;unclear\n9;P4;;2\n9;K1;;0\n"
FILES = {"goods.csv": GOODS, "searches.csv": SEARCHES, "ratings.csv": RATINGS}
OPTIONS = {
    "columns": "id=Product No,title=Name,text=Long text",
    "query_columns": "id=Search no,text=Typed",
    "qrels_columns": "query=Search no,doc=Product No,grade=Rating (0-3)",
    "ids": "first",
    "on_error": "skip",
    "encoding": "cp1252",
}
SEPARATE = ("shop/goods.csv", "--queries", "shop/searches.csv", "--qrels", "shop/ratings.csv")
PATHS = [f"shop/{name}" for name in FILES]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("shop").mkdir()
    for name, text in FILES.items():
        Path("shop", name).write_bytes(text.encode("cp1252"))
    return Path("shop")


def typed(**options):
    return [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]


def written(*targets, **options):
    return run("check", *targets, "--write", *typed(**options))


MEASURING = ("eval SOURCE --per-query", "compare SOURCE --model bm25 --model cosine")


@pytest.mark.parametrize("targets", [PATHS, ["shop"]], ids=["files", "folder"])
def test_the_folder_gives_the_figures_of_all_options(targets):
    lines = [line.replace(" --", " -m AP -m nDCG --json --", 1).split() for line in MEASURING]
    with_options = [
        done(*(w for word in line for w in (SEPARATE if word == "SOURCE" else [word])), *typed(**OPTIONS))
        for line in lines
    ]
    assert "coll" not in " ".join(os.listdir("shop"))
    found = written(*targets, **OPTIONS)
    assert "shop/collection.toml is written: `toysearch eval shop`" in found.stderr
    assert "shop/ratings.csv:5: expected a number" in found.stdout  # the line left out is reported
    for line, expected in zip(lines, with_options, strict=True):
        here = done(*("shop" if word == "SOURCE" else word for word in line))
        assert figures(here.stdout) == figures(expected.stdout)


OTHERS = (
    "search shop kettle",
    "index shop -o goods.idx",
    "run shop -o -",
    "judge agree shop other",
    "judge merge shop other -o -",
    "corpora show shop",
    "check shop",
    "gate relevance.toml",
)


@pytest.mark.parametrize("line", OTHERS)
def test_every_command_reads_the_folder_without_options(line):
    written(*PATHS, **OPTIONS)
    shutil.copytree("shop", "other")
    Path("relevance.toml").write_text('collection = "shop"\n[[expect]]\nmeasure = "AP"\nat_least = 0.0\n')
    done(*line.split())
    Path("shop/collection.toml").unlink()
    assert run(*line.split()).exit_code != 0


LETTERS = RATINGS.replace(";1\n", ";S\n").replace(";2\n", ";C\n").replace(";3\n", ";E\n").replace(";0\n", ";I\n")


def test_the_grades_of_letters_are_kept(folder):
    (folder / "ratings.csv").write_bytes(LETTERS.encode("cp1252"))
    letters = {**OPTIONS, "grades": "E=3,S=1,C=2,I=0"}
    for line in MEASURING:
        with_options = done(*line.replace("SOURCE", " ".join(SEPARATE)).split(), "--json", *typed(**letters))
        assert "is written" in written(*PATHS, "--force", **letters).stderr
        assert 'grades = "E=3,S=1,C=2,I=0"' in (folder / "collection.toml").read_text()
        here = done(*line.replace("SOURCE", "shop").split(), "--json")
        assert figures(here.stdout) == figures(with_options.stdout)
    (folder / "collection.toml").write_text('grades = "E=much"\n[[files]]\nrole = "documents"\npath = "goods.csv"\n')
    assert "grades: expected the grade of each code" in refusal("eval", "shop")
    (folder / "collection.toml").write_text('grades = "E=3"\ndefault_grades = "E"\n')
    assert "exclude each other" in refusal("eval", "shop")


def test_what_is_written_is_not_for_pasting():
    found = written(*PATHS, **OPTIONS)
    assert "shop/collection.toml:" in found.stdout.splitlines()
    assert "paste" not in found.stdout
    assert "to paste into the folder" in written(*PATHS, "--force", **{**OPTIONS, "on_error": "refuse"}).stdout


def test_what_is_done_already_is_not_advised():
    once = written(*PATHS, **OPTIONS).stdout
    assert "cannot be read" not in once or "--on-error" not in once
    several = written(*PATHS, "--force", **{**OPTIONS, "ids": "refuse"}).stdout
    assert "Correct the file; or choose among repeated ids with --ids" in several
    assert "--on-error" not in several.partition("collection.toml:")[0]
    assert (
        "skip bad records with --on-error skip"
        in written(*PATHS, "--force", **{**OPTIONS, "on_error": "refuse", "ids": "refuse"}).stdout
    )


def test_python_has_the_same_text(folder):
    paths = [folder / name for name in FILES]
    text = toysearch.diagnose(paths, **OPTIONS).toml
    assert not (folder / "collection.toml").exists()
    found = written(*PATHS, **OPTIONS)
    assert text in found.stdout
    assert (folder / "collection.toml").read_text() == f"{text}\n"
    table = {"id": "Product No", "title": "Name", "text": "Long text"}
    assert toysearch.diagnose(paths, **{**OPTIONS, "columns": table}).toml == text


def test_fields_are_kept_too(folder):
    toml = toysearch.diagnose([folder], **OPTIONS, fields=("title",), query_fields=["text"], input_format="csv").toml
    assert 'text = ["title"]' in toml
    assert 'query = ["text"]' in toml
    assert 'format = "csv"' in toml
    (folder / "collection.toml").write_text(toml)
    assert toysearch.load(folder).documents[0].text == "Kettle"


def test_settings_that_help_are_written_between_the_options_and_the_files(folder):
    columns = {name: OPTIONS[name] for name in OPTIONS if name.endswith("columns")}
    titled = "K1;Kettle;Kettle for the kitchen\nL2;Lamp;Lamp for oil\nO3;Oil;Oil for lamps\nP4;Pot;Pot of steel\n"
    (folder / "goods.csv").write_text(f"Product No;Name;Long text\n{titled}")
    for name in ("searches.csv", "ratings.csv"):
        (folder / name).write_text(FILES[name].replace("unclear", "1"))
    found = written(*PATHS, **columns)
    assert "repeated titles" in found.stdout
    text = (folder / "collection.toml").read_text()
    assert text.index("qrels_columns") < text.index('text = ["text"]') < text.index("[[files]]")
    assert toysearch.load(folder).documents[0].text.startswith("Kettle for")
    assert run("check", "shop").exit_code == 0


def test_only_the_files_named_are_read(folder):
    (folder / "old-goods.csv").write_text("id,text\n1,an older lamp\n")
    assert "1 file of records left out, such as old-goods.csv" in run("check", "shop", *typed(**OPTIONS)).output
    written(*PATHS, **OPTIONS)
    assert len(toysearch.load(folder).documents) == 4


def test_what_cannot_be_read_is_not_written(folder):
    for wrong in ({"on_error": "refuse"}, {"columns": "id=Product No,text=Short text"}):
        found = written(*PATHS, **{**OPTIONS, **wrong})
        assert found.exit_code == 1, wrong
        assert "is not written, because not everything can be read" in found.stderr
        assert sorted(os.listdir(folder)) == sorted(FILES)


def test_one_that_exists_is_kept_without_force(folder):
    (folder / "collection.toml").write_text('title = "Mine"\n')
    found = refusal("check", *PATHS, "--write", *typed(**OPTIONS))
    assert found == "toysearch: 'shop/collection.toml' already exists; edit it, or give --force to replace it"
    assert (folder / "collection.toml").read_text() == 'title = "Mine"\n'
    written(*PATHS, "--force", **OPTIONS)
    assert "Long text" in (folder / "collection.toml").read_text()


def test_a_folder_that_needs_none_gets_none(folder):
    Path("plain").mkdir()
    Path("plain/goods.csv").write_text("id,text\n1,a heavy old kettle\n2,a small red lamp\n")
    assert "is not written: the folder is read as it is" in run("check", "plain", "--write").stderr
    assert os.listdir("plain") == ["goods.csv"]


REFUSED = {
    "check shop/goods.csv second/ratings.csv --write": "second/ratings.csv: a collection.toml describes one folder",
    "check shop shop/goods.csv --write": "shop: a collection.toml describes one folder",
    "check shop/goods.csv shop/none.csv --write": "shop/none.csv: there is no such folder or file",
    "check cat-dog-parrot --write": "cat-dog-parrot: there is no such folder or file",
    "check shop/goods.csv shop/notes.txt --columns text=Name --write": "shop/notes.txt: expected documents, queries or",
    "check shop --qrels shop/ratings.csv --write": "--qrels: ",
    "check shop --fields colour --write": "unknown field 'colour'",
    "check shop --force": "--force: only with --write",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_no_collection_is_refused_in_a_sentence(line, folder):
    Path("second").mkdir()
    Path("second/ratings.csv").write_text(RATINGS)
    (folder / "notes.txt").write_text("Ask Ada.\n")
    assert REFUSED[line] in refusal(*line.split())
    assert not (folder / "collection.toml").exists()


def figures(text):
    """All numbers of a result in JSON, in order."""

    def walk(value):
        if isinstance(value, dict):
            for key in value:
                yield from walk(value[key])
        elif isinstance(value, list):
            for each in value:
                yield from walk(each)
        elif isinstance(value, float):
            yield value

    found = list(walk(json.loads(text)))
    assert len(found) > 5
    return found
