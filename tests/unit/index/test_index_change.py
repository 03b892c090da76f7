"""Adding to an index and deleting from it: what comes out, what is refused, and what a folder holds meanwhile."""

import subprocess
import sys
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from small_collections import contents

import toysearch
from toysearch.base import Document
from toysearch.base.errors import ArgumentError, DataError, StorageError
from toysearch.index.content_checks import check_index
from toysearch.index.index_change import change_index
from toysearch.index.inverted_index import Index
from toysearch.index.listed_files import index_files
from toysearch.index.saving import only_writer

DOCUMENTS = [
    Document("1", "Cats how to train a cat", "Cats", {"title": "Cats", "text": "how to train a cat", "year": "1999"}),
    Document("2", "the dog " + "dog " * 300, "the dog", {"title": "the dog", "text": "dog " * 300}),
    Document("3", "", "", {"year": "2024-07-01"}),
    Document("4", "dog cat " * 260 + "emu", "", {"title": "dog cat " * 260, "text": "emu"}),
    Document("5", "a zebra and a cat", "Zoo", {"title": "", "text": "a zebra and a cat"}),
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with an index of three documents."""
    Index.build(DOCUMENTS[:3]).save(tmp_path / "index")
    return tmp_path / "index"


# What comes out


def test_the_index_itself_never_changes():
    index = Index.build(DOCUMENTS[:3])
    before = {name: values.tobytes() for name, values in index.arrays.items()}
    index.add(DOCUMENTS[3:])
    index.delete(["1"])
    assert {name: values.tobytes() for name, values in index.arrays.items()} == before


@pytest.mark.parametrize("gone", [[], [0], [150], [*range(100, 299)]])
def test_positions_in_many_blocks_of_a_term_are_those_of_an_index_built_anew(gone, tmp_path):
    texts = {f"d{number:03}": "cat " * (1 + number % 3) + "dog " * (number % 2) for number in range(300)}
    new = {"x": "a dog and a cat", "y": "an emu"}
    doc_ids = [f"d{number:03}" for number in gone]
    changed = Index.build(texts, positions=True).delete(doc_ids).add(new)
    changed.save(tmp_path / "changed")
    left = {doc_id: text for doc_id, text in (texts | new).items() if doc_id not in doc_ids}
    Index.build(left, positions=True).save(tmp_path / "built")
    assert contents(tmp_path / "changed") == contents(tmp_path / "built")


def test_an_index_in_shards_is_changed_like_any_other(tmp_path):
    from small_shards import documents, saved  # of a ring, which the core is tested without

    place = saved(tmp_path)
    changed = change_index(place, lambda index: index.delete(["d5", "d46"]).add({"x": "w0 rare"}))
    expected = [*(document.doc_id for document in documents() if document.doc_id not in ("d5", "d46")), "x"]
    assert sorted(changed.doc_ids) == sorted(Index.open(place).doc_ids) == sorted(expected)
    assert len(changed.postings("rare").docs) == 2


def test_texts_alone_go_on_with_the_numbers():
    index = Index.build(["a cat", "a dog"]).add(["an emu", "a zebra"])
    assert list(index.doc_ids) == ["1", "2", "3", "4"]
    with pytest.raises(
        DataError, match="doc_id '4' is already in the index, as document 3, and each id may occur once"
    ):
        index.delete(["2"]).add(["a fish"])


def test_every_source_of_an_index_can_be_added():
    pets = toysearch.load("cat-dog-parrot")
    index = Index.build({"x": "a fish"})
    assert list(index.add(pets).doc_ids) == ["x", "1", "2", "3", "4"]
    assert list(index.add(iter(pets.documents)).doc_ids) == ["x", "1", "2", "3", "4"]
    assert list(index.add({"y": "a cat"}).doc_ids) == ["x", "y"]


def test_a_deleted_document_leaves_no_trace(saved):
    change_index(saved, lambda index: index.add({"x": "a confidential zyzzyva", "é": "x"}).delete(["1"]))
    change_index(saved, lambda index: index.delete(iter(["x"])))
    assert not any(b"zyzzyva" in raw or b"confidential" in raw for raw in contents(saved).values())
    assert list(Index.open(saved).doc_ids) == ["2", "3", "é"]


def test_what_stays_the_same_is_not_written_again(saved):
    before = {path.name: path.stat().st_ino for path in saved.iterdir()}
    change_index(saved, lambda index: index.add({"x": "cat"}))  # its posting stands before that of dog
    after = {name: (saved / name).stat().st_ino for name in index_files(saved)}
    same = before.keys() & after.keys() - {"manifest.json"}
    kept = {"terms", "terms_lengths", "titles", "doc_ids_order", "highest_tf"}
    assert {name.partition("-")[0] for name in same} == kept
    assert all(before[name] == after[name] for name in same)


def test_deleting_nothing_changes_nothing(saved):
    before = contents(saved)
    change_index(saved, lambda index: index.delete([]))
    assert contents(saved) == before
    assert check_index(saved) == []


def test_a_changed_index_stays_of_its_named_collection():
    index = Index.build(toysearch.load("cat-dog-parrot"))
    assert index.collection == "cat-dog-parrot"
    said = (
        "the documents of the index now differ from collection 'cat-dog-parrot', whose "
        "queries and judgments it keeps: added documents are unjudged, and deleted relevant documents count "
        "as not found"
    )
    for change in (lambda: index.delete(["1"]), lambda: index.add({"x": "a fish"})):
        with noted() as notes:
            assert change().collection == "cat-dog-parrot"
        assert notes == [said]
    assert index.collection == "cat-dog-parrot"


def test_progress_counts_the_new_documents():
    told: list[int] = []
    Index.build(DOCUMENTS).add({f"x{number}": "cat" for number in range(250)}, progress=told.append)
    assert told == [100, 200, 250]


# What is refused


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (
            [Document("x", "a"), Document("2", "b")],
            "doc_id '2' is already in the index, as document 2, and each id may occur once; "
            "replace the old document (Index.add(…, replace=True)), or omit the new one",
        ),
        (
            [Document("x", "a"), Document("x", "b")],
            "doc_id 'x' is given twice, by documents 1 and 2; each id may occur once",
        ),
        ([], "there is no document to index; an index needs at least one"),
        ([Document("x", 7)], "document 1 has the text 7; expected a str, not int"),
    ],
)
def test_what_cannot_be_added(saved, documents, message):
    before = contents(saved)
    with raising(DataError, message):
        change_index(saved, lambda index: index.add(documents))
    assert contents(saved) == before


def test_replacing_needs_ids_that_differ_among_the_new_ones():
    with pytest.raises(DataError, match="doc_id '1' is given twice, by documents 1 and 2"):
        Index.build(["a"]).add([Document("1", "b"), Document("1", "c")], replace=True)


@pytest.mark.parametrize(
    ("doc_ids", "message"),
    [
        (["1", "x"], "the index has no document 'x'; nothing is deleted"),
        (["x", "1", "y", "x"], "the index has no document 'x' and 1 other; nothing is deleted"),
        (["x", "y", "z"], "the index has no document 'x' and 2 others; nothing is deleted"),
        ("12", "expected a list of doc_ids, found the single string '12'"),
        ([1], "a doc_id must be a str, not 1 (int)"),
        pytest.param(["\udcff"], "the index has no document '\ufffd'; nothing is deleted", id="lone surrogate"),
        (
            ["1", "2", "3", "1"],
            "that would delete 3 documents, all of the index; an index needs at least "
            "one: remove its folder, or build another index in its place",
        ),
    ],
)
def test_what_cannot_be_deleted(saved, doc_ids, message):
    before = contents(saved)
    with raising(ArgumentError, message):
        change_index(saved, lambda index: index.delete(doc_ids))
    assert contents(saved) == before


def test_a_folder_without_an_index(tmp_path):
    with pytest.raises(StorageError, match="there is no such folder; toysearch index SOURCE -o"):
        change_index(tmp_path / "none", lambda index: index)
    with pytest.raises(StorageError, match=r"is not an index: it has no manifest\.json"):
        change_index(tmp_path, lambda index: index)


@pytest.mark.parametrize("array", ["texts", "postings", "df", "bytes"])
@pytest.mark.parametrize("change", [lambda index: index.add({"x": "cat"}), lambda index: index.delete(["1"])])
def test_damage_is_not_carried_into_a_new_index(saved, array, change):
    path = next(saved.glob(f"{array}-*.npy"))
    raw = bytearray(path.read_bytes())
    raw[-9] = 0x7F
    path.write_bytes(raw)
    before = contents(saved)
    with raising(StorageError, f"{path} is damaged: its checksum does not match; build the index again"):
        change_index(saved, change)
    assert contents(saved) == before


# Two at once


def test_while_one_changes_it_others_read_and_do_not_write(saved):
    def change(index: Index) -> Index:
        for refused in (lambda: index.save(saved), lambda: change_index(saved, lambda again: again)):
            with raising(StorageError, f"another process is saving an index to {saved}; try again when it has ended"):
                refused()
        assert list(Index.open(saved).doc_ids) == ["1", "2", "3"]
        assert check_index(saved) == []
        return index.add({"x": "a fish"})

    change_index(saved, change)
    assert list(Index.open(saved).doc_ids) == ["1", "2", "3", "x"]
    with only_writer(saved):  # let go of afterwards
        pass


ADDER = """
import sys
from toysearch.base.errors import StorageError
from toysearch.index.index_change import change_index

folder, name = sys.argv[1:]

def say(what):
    print(what, flush=True)
    sys.stdin.readline()

def add(index):
    say("inside")
    return index.add({f"{name}{number}": "fish" for number in range(10)})

while True:
    try:
        change_index(folder, add)
        break
    except StorageError as error:
        say(str(error))
"""
"""It adds documents; it says where it is, when it may change the index and when not, and goes on when it is told to."""


@pytest.mark.system
@pytest.mark.waits
def test_nothing_is_lost_of_what_several_processes_add(saved):
    def adder(name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", ADDER, saved, name]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def on(process: subprocess.Popen[str]) -> None:
        process.stdin.write("\n")
        process.stdin.flush()

    with adder("a") as one:
        assert one.stdout.readline() == "inside\n"
        with adder("b") as other:
            assert other.stdout.readline().startswith(f"another process is saving an index to {saved}")
            on(one)
            assert one.wait() == 0
            on(other)
            assert other.stdout.readline() == "inside\n"
            on(other)
            assert other.wait() == 0
    index = Index.open(saved)
    assert set(index.doc_ids) == {"1", "2", "3", *(f"{name}{number}" for name in "ab" for number in range(10))}
    assert index.postings("fish").docs.size == 20
    assert check_index(saved) == []


def test_a_change_that_gives_no_index_is_refused_and_the_folder_stays(saved):
    with pytest.raises(ArgumentError, match=r"^changed must be an Index, not an int$"):
        change_index(saved, lambda index: 5)  # type: ignore[arg-type, return-value]
    assert len(Index.open(saved))
