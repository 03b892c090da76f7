"""`toysearch add` and `toysearch delete`: what they make, what they say, what they refuse."""

import io
import json
import random
import re
import shutil
from pathlib import Path

import pytest
from shell import run
from small_collections import contents

import toysearch
from toysearch import Index, load
from toysearch.index.saving import only_writer
from toysearch.workbench.shards.shard_builder import index_to_add
from toysearch.workbench.shards.shard_folder import BUILDING

GOLDFISH = {"_id": "5", "title": "Fish", "text": "How to train a goldfish", "year": "1999"}


def write(path: Path, *records) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    """A folder with an index of four documents, of no named collection."""
    folder = tmp_path / "pets.idx"
    texts = {document.doc_id: document.text for document in toysearch.load("cat-dog-parrot").documents}
    toysearch.Index.build(texts).save(folder)
    return folder


def refused(folder: Path, *arguments, **options) -> str:
    """What a command says that changes nothing."""
    before = contents(folder)
    result = run(*arguments, **options)
    assert [result.exit_code, result.stdout] == [2, ""]
    assert contents(folder) == before
    return result.stderr.removeprefix("toysearch: ").removesuffix("\n")


# add


def test_adding_says_what_the_index_has_now(pets, tmp_path):
    result = run("add", pets, write(tmp_path / "more.jsonl", GOLDFISH))
    assert [result.exit_code, result.stdout] == [0, ""]
    assert re.fullmatch(
        rf"{re.escape(str(pets))}: 4 documents before, now 5 documents, 9 terms, 21 postings, \d\.\d kB, \d+\.\d\d s\n",
        result.stderr,
    )
    assert toysearch.Index.open(pets).vector("5") == {"fish": 1, "goldfish": 1, "how": 1, "to": 1, "train": 1}


@pytest.mark.system
def test_the_files_are_those_of_indexing_all(tmp_path):
    old = [{"_id": str(number), "title": f"T{number}", "text": f"cat {number}", "year": number} for number in range(5)]
    new = [{"_id": "é", "title": "", "text": "the cats " * 300}, GOLDFISH]
    options = ["--language", "english"]
    for extra in ([], ["--no-text"], ["--apart"], ["--values", "year"], ["--fields", "text"]):
        folder = tmp_path / "".join(extra)
        folder.mkdir(exist_ok=True)
        some, rest = write(folder / "some.jsonl", *old), write(folder / "rest.jsonl", *new)
        both = write(folder / "both.jsonl", *old, *new)
        assert run("index", both, "-o", folder / "all", *options, *extra).exit_code == 0
        assert run("index", some, "-o", folder / "changed", *options, *extra).exit_code == 0
        fields = extra if "--fields" in extra else []
        assert run("add", folder / "changed", rest, *fields).exit_code == 0
        assert contents(folder / "changed") == contents(folder / "all")
        assert run("delete", folder / "changed", "é", "5").exit_code == 0
        assert run("index", some, "-o", folder / "all", *options, *extra).exit_code == 0
        assert contents(folder / "changed") == contents(folder / "all")


@pytest.mark.system
def test_a_named_collection_stays_and_what_that_means_is_said(tmp_path):
    folder = tmp_path / "pets.idx"
    run("index", "cat-dog-parrot", "-o", folder)
    result = run("add", folder, write(tmp_path / "more.jsonl", GOLDFISH))
    assert result.stderr.splitlines()[0] == (
        "note: the documents of the index now differ from collection 'cat-dog-parrot', "
        "whose queries and judgments it keeps: added documents are unjudged, and deleted relevant documents "
        "count as not found"
    )
    assert toysearch.Index.open(folder).collection == "cat-dog-parrot"
    assert run("eval", folder).exit_code == 0
    fresh = tmp_path / "fresh.idx"
    run("index", "cat-dog-parrot", "-o", fresh)
    assert contents(folder) != contents(fresh)
    run("delete", folder, "5")
    assert contents(folder) == contents(fresh)


def test_a_second_document_of_an_id_is_refused_or_replaces_the_first(pets, tmp_path):
    more = write(tmp_path / "more.jsonl", {"_id": "2", "text": "two"}, GOLDFISH)
    assert refused(pets, "add", pets, more) == (
        "doc_id '2' is already in the index, as document 2, and each id may occur once; replace "
        "the old document (--replace, or --sync), or omit the new one"
    )
    result = run("add", pets, more, "--replace")
    assert f"{pets}: 4 documents before, now 5 documents" in result.stderr
    index = toysearch.Index.open(pets)
    assert (list(index.doc_ids), index.text(3)) == (["1", "3", "4", "2", "5"], "two")


def test_the_fields_of_an_index_with_fields_apart_are_searched(tmp_path):
    folder = tmp_path / "own.idx"
    run(
        "index", write(tmp_path / "own.jsonl", {**GOLDFISH, "body": "big"}), "-o", folder, "--fields", "body", "--apart"
    )
    more = write(tmp_path / "more.jsonl", {"_id": "6", "text": "not searched", "body": "small"})
    assert run("add", folder, more).exit_code == 0
    index = toysearch.Index.open(folder)
    assert (list(index.terms), index.fields.names, index.text(1)) == (["big", "small"], ["body"], "small")
    assert refused(folder, "add", folder, more, "--replace", "--fields", "body,text") == (
        f"the index has the separate fields body, but '{more}' would be searched in body, text; both must be the "
        "same, in the same order"
    )
    other = write(tmp_path / "other.jsonl", {"_id": "7", "text": "a"})
    assert refused(folder, "add", folder, other) == "unknown field 'body'. Fields: text"


def test_fields_apart_that_a_source_lacks_are_empty_where_they_are_title_and_text(tmp_path):
    folder = tmp_path / "own.idx"
    run("index", write(tmp_path / "own.jsonl", GOLDFISH), "-o", folder, "--apart")
    assert run("add", folder, write(tmp_path / "more.jsonl", {"_id": "6", "text": "cat"})).exit_code == 0
    index = toysearch.Index.open(folder)
    assert [index.fields.dl(name).tolist() for name in index.fields.names] == [[1, 0], [4, 1]]


def test_nothing_is_added_of_a_source_that_is_malformed(pets, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps(GOLDFISH) + "\n{oops\n")
    assert refused(pets, "add", pets, broken).startswith(f"{broken}:2: ")


@pytest.mark.parametrize("arguments", [["add", "FOLDER", "cat-dog-parrot"], ["delete", "FOLDER", "1"]])
def test_one_at_a_time(pets, arguments):
    with only_writer(pets):
        message = refused(pets, *(pets if each == "FOLDER" else each for each in arguments))
    assert message == f"another process is saving an index to {pets}; try again when it has ended"


# delete


def test_deleting_says_what_the_index_has_now(pets):
    result = run("delete", pets, "3", "1", "3")
    assert [result.exit_code, result.stdout] == [0, ""]
    assert f"{pets}: 4 documents before, now 2 documents, 5 terms, 8 postings, " in result.stderr
    assert list(toysearch.Index.open(pets).doc_ids) == ["2", "4"]


def test_ids_from_a_file_and_from_standard_input(pets, tmp_path):
    gone = tmp_path / "gone.txt"
    gone.write_bytes(b"\xef\xbb\xbf3\r\n\r\n")
    assert run("delete", pets, "--from", gone, "1").exit_code == 0
    assert list(toysearch.Index.open(pets).doc_ids) == ["2", "4"]
    assert run("delete", pets, "-", stdin=" 4 \n").exit_code == 0
    assert list(toysearch.Index.open(pets).doc_ids) == ["2"]


def test_an_id_may_look_like_an_option(tmp_path):
    folder = tmp_path / "own.idx"
    toysearch.Index.build({"--from": "a cat", "-": "a dog", "x": "an emu"}).save(folder)
    assert run("delete", folder, "--", "--from").exit_code == 0
    assert run("delete", folder, "--from", "-", stdin="-\n").exit_code == 0
    assert list(toysearch.Index.open(folder).doc_ids) == ["x"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "x", "y"], "the index has no document 'x' and 1 other; nothing is deleted"),
        (
            ["1", "2", "3", "4"],
            "that would delete 4 documents, all of the index; an index needs at least "
            "one: remove its folder, or build another index in its place",
        ),
        (["--from", "no-such-file"], "no-such-file: there is no such file"),
        (["1", "-"], "standard input holds no doc_id; expected one on each line"),
    ],
)
def test_what_cannot_be_deleted(pets, arguments, message):
    assert refused(pets, "delete", pets, *arguments, stdin=io.BytesIO(b"\n")) == message


KINDS = {
    "plain": [],
    "positions": ["--positions"],
    "fields": ["--apart"],
    "no text": ["--no-text"],
    "english": ["--language", "english"],
    "lsa": ["--lsa", "2"],
    "shards": ["--shards", "2", "--positions"],
}


@pytest.mark.system
@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_in_sync_is_the_one_built_anew(tmp_path, kind):
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in "abcd":
        (notes / f"{name}.txt").write_text(f"the ferry {name} sails at noon, and rain {name}")
    assert run("index", notes, "-o", tmp_path / "old", *KINDS[kind]).exit_code == 0
    (notes / "a.txt").unlink()
    (notes / "b.txt").write_text("the ferry is late, and late again")
    (notes / "0.md").write_text("# Kites\n\nA kite on the ferry\n")
    (notes / "z.txt").write_text("the end")
    answer = run("add", tmp_path / "old", notes, "--sync")
    assert answer.exit_code == 0, answer.stderr
    assert f"{tmp_path / 'old'}: 2 added, 1 changed, 1 gone; 4 documents before, now 5 documents" in answer.stderr
    assert run("index", notes, "-o", tmp_path / "new", *KINDS[kind]).exit_code == 0
    assert contents(tmp_path / "old") == contents(tmp_path / "new")
    assert ": 0 added, 0 changed, 0 gone; 5 documents before" in run("add", tmp_path / "old", notes, "--sync").stderr
    assert contents(tmp_path / "old") == contents(tmp_path / "new")
    assert "leave out --replace" in refused(tmp_path / "old", "add", tmp_path / "old", notes, "--sync", "--replace")


@pytest.mark.system
@pytest.mark.parametrize("kept", [[], ["--positions"], ["--values", "year"]], ids=["plain", "positions", "values"])
def test_lines_may_change_leave_come_and_move(tmp_path, kept):
    lines, draw = tmp_path / "goods.jsonl", random.Random(7)
    goods = [{"doc_id": str(n), "text": f"pot {n % 7} lamp", "year": str(1990 + n % 3)} for n in range(250)]
    for number in range(6):
        lines.write_text("".join(json.dumps(each) + "\n" for each in goods))
        if not number:
            assert run("index", lines, "-o", tmp_path / "old", *kept).exit_code == 0
        assert run("add", tmp_path / "old", lines, "--sync").exit_code == 0
        assert run("index", lines, "-o", tmp_path / "new", *kept).exit_code == 0
        assert contents(tmp_path / "old") == contents(tmp_path / "new")
        del goods[draw.randrange(len(goods))]
        goods.insert(draw.randrange(len(goods)), goods.pop(draw.randrange(len(goods))))
        goods.insert(draw.randrange(len(goods)), {"doc_id": f"new {number}", "text": "a kite", "year": "2001"})
        place = draw.randrange(len(goods))
        goods[place] = goods[place] | draw.choice([{"text": "a late pot"}, {"year": "2024"}])
    lines.write_text("".join(json.dumps(each) + "\n" for each in [*goods, goods[0]]))
    said = f"{lines}:251: doc_id '{goods[0]['doc_id']}' was already given on line 1; each id may occur once"
    assert said in refused(tmp_path / "old", "add", tmp_path / "old", lines, "--sync")


def test_a_value_that_changed_is_counted_and_a_document_that_moved_is_not(tmp_path):
    lines, index = tmp_path / "goods.jsonl", tmp_path / "goods.idx"
    goods = [{"id": str(n), "text": "a pot", "tags": ["new"], "price": n} for n in range(4)]
    for changed, said in (({}, "0 changed"), ({"price": 9}, "1 changed"), ({"tags": ["new", "red"]}, "1 changed")):
        goods[2] |= changed
        goods.insert(0, goods.pop())
        lines.write_text("".join(json.dumps(each) + "\n" for each in goods))
        if not changed:
            assert run("index", lines, "-o", index, "--values", "price,tags").exit_code == 0
        assert f": 0 added, {said}, 0 gone" in run("add", index, lines, "--sync").stderr


LEDGER = "Nr;Ware;Words\n7;Pot;a pot für coffee\n8;Lamp;a red lamp\n8;Lamp;again\n9;bad\n"
READINGS = {
    "columns": ["--columns", "id=Nr,title=Ware,text=Words", "--ids", "first", "--on-error", "skip"],
    "encoding": ["--columns", "id=Nr,text=Words", "--encoding", "cp1252", "--ids", "last", "--on-error", "skip"],
    "fields": ["--columns", "id=Nr,text=Words", "--fields", "Ware", "--ids", "number", "--on-error", "skip"],
    "lines": ["--input-format", "lines"],
}


@pytest.mark.parametrize("kind", READINGS)
def test_an_index_in_sync_reads_its_source_as_it_was_built(tmp_path, kind):
    source, old, new = tmp_path / "goods.csv", tmp_path / "old", tmp_path / "new"
    source.write_bytes(LEDGER.encode("cp1252"))
    assert run("index", source, "-o", old, *READINGS[kind]).exit_code == 0
    for change in ("none", "more"):
        if change == "more":
            source.write_bytes(f"{LEDGER}10;Mug;a mug für tea\n".encode("cp1252"))
        answer = run("add", old, source, "--sync")
        assert answer.exit_code == 0, answer.stderr
        assert f": {1 if change == 'more' else 0} added, 0 changed, 0 gone" in answer.stderr
        assert run("index", source, "-o", new, *READINGS[kind]).exit_code == 0
        assert contents(old) == contents(new)
    other = ["--columns", "id=Nr,text=Ware", "--ids", "first", "--on-error", "skip", "--input-format", "csv"]
    if kind in ("columns", "lines"):  # those of the command line count
        assert run("add", old, source, "--sync", *other).exit_code == 0
        assert run("add", old, source, "--sync").exit_code == 0
        assert run("index", source, "-o", new, *other).exit_code == 0
        assert contents(old) == contents(new)


def test_how_documents_were_read_is_kept_through_every_change(tmp_path):
    (tmp_path / "goods.csv").write_text("Nr;Words\n7;a pot\n8;a lamp\n")
    (tmp_path / "more.jsonl").write_text('{"_id": "9", "text": "a mug"}\n')
    columns = ["--columns", "id=Nr,text=Words"]
    assert run("index", tmp_path / "goods.csv", "-o", tmp_path / "old", *columns).exit_code == 0
    for words in (["add", tmp_path / "old", tmp_path / "more.jsonl"], ["delete", tmp_path / "old", "8"]):
        assert run(*words).exit_code == 0
        assert Index.open(tmp_path / "old").reading == {"columns": "id=Nr,text=Words"}
    assert ": 1 added, 0 changed, 1 gone" in run("add", tmp_path / "old", tmp_path / "goods.csv", "--sync").stderr
    assert Index.build(tmp_path / "more.jsonl").reading == {}


def test_what_a_killed_synchronisation_leaves_in_an_index_in_shards_goes_with_the_next(tmp_path):
    notes, index = tmp_path / "notes", tmp_path / "old"
    notes.mkdir()
    for name in "abcd":
        (notes / f"{name}.txt").write_text(f"the ferry {name}")
    assert run("index", notes, "-o", index, "--shards", "2").exit_code == 0
    (notes / "a.txt").write_text("late")
    with index_to_add(load(notes), index, Index.open(index), shards=2, joined=False) as made:
        assert [*made.doc_ids] == ["a.txt", "b.txt", "c.txt", "d.txt"]
        assert [path.name for path in tmp_path.iterdir() if path not in (notes, index)] == []
        shutil.copytree(index / BUILDING, tmp_path / "left")
    assert not (index / BUILDING).exists()
    shutil.copytree(tmp_path / "left", index / BUILDING)  # as after a kill
    assert run("add", index, notes, "--sync").exit_code == 0
    assert run("index", notes, "-o", tmp_path / "new", "--shards", "2").exit_code == 0
    assert contents(index) == contents(tmp_path / "new")


def test_one_text_is_added_as_a_document_named_after_its_file(tmp_path):
    notes, index = tmp_path / "notes", tmp_path / "index"
    notes.mkdir()
    (notes / "a.txt").write_text("a tale of frogs\n")
    assert run("index", notes, "-o", index).exit_code == 0
    (notes / "b.txt").write_text("another of hedgehogs\n")
    assert "1 document before, now 2 documents" in run("add", index, notes / "b.txt").stderr
    assert run("index", notes, "-o", tmp_path / "anew").exit_code == 0
    assert contents(index) == contents(tmp_path / "anew")
    assert "give its folder" in refused(index, "add", index, notes / "b.txt", "--sync")  # all others would be gone
    assert "--replace, or --sync" in refused(index, "add", index, notes)
    assert run("index", notes / "a.txt", "--input-format", "lines", "-o", tmp_path / "lines").exit_code == 0
    assert "--input-format lines" in refused(tmp_path / "lines", "add", tmp_path / "lines", notes / "b.txt")


def test_a_missing_file_behind_an_index_is_named_without_a_swap(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_text('{"id": "d1", "text": "a cat"}\n')
    assert run("index", tmp_path / "a.jsonl", "-o", tmp_path / "index").exit_code == 0
    monkeypatch.chdir(tmp_path)
    assert (
        refused(tmp_path / "index", "add", "index", "missing.jsonl") == "missing.jsonl: there is no such file or folder"
    )
