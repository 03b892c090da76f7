"""Which format a user's folder or file has, and which file plays which part."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from toysearch.errors import ArgumentError, DataError
from toysearch.formats.layout import Layout, layout_of_file, layout_of_folder

SMART = b".I 1\n.W\ncat\n"
JSONL = b'{"_id": "1", "text": "cat"}\n'
REL = b"1 1 1\n"


@pytest.fixture
def folder(tmp_path: Path):
    """A function that writes files and returns their folder."""

    def write(**files: bytes) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return tmp_path

    return write


def test_smart_files_by_content_and_name(folder) -> None:
    made = folder(
        **{
            "MED.ALL": SMART,
            "MED.QRY": b"\xef\xbb\xbf\r\n.X\r\n" + SMART,
            "MED.REL": REL,
            "MED.BLN": b"#q1= #and (cat)\n",
            "cranqrel.readme": b"about relevance\n",
            ".I": SMART,
            "sub/other.all": SMART,
        }
    )
    assert layout_of_folder(made) == Layout("smart", "MED.ALL", "MED.QRY", {"": "MED.REL"})


@pytest.mark.parametrize("name", ["a.qry", "A.QRY.gz", "x.que", "query.text", "topics"])
def test_names_of_queries(folder, name: str) -> None:
    made = folder(**{"docs": gzip.compress(SMART), name: SMART})
    assert layout_of_folder(made) == Layout("smart", "docs", name, {})


def test_documents_alone(folder) -> None:
    assert layout_of_folder(folder(**{"cacm.all": SMART})) == Layout("smart", "cacm.all")


def test_beir_folder(folder) -> None:
    made = folder(
        **{
            "corpus.jsonl.gz": gzip.compress(JSONL),
            "queries.jsonl": JSONL,
            "qrels/test.tsv": b"",
            "qrels/train.tsv.gz": b"",
            "qrels/notes.tsv.bak": b"",
        }
    )
    qrels = {"test": "qrels/test.tsv", "train": "qrels/train.tsv.gz"}
    assert layout_of_folder(made) == Layout("beir", "corpus.jsonl.gz", "queries.jsonl", qrels)


def test_beir_folder_with_documents_alone(folder) -> None:
    assert layout_of_folder(folder(**{"corpus.jsonl": JSONL})) == Layout("beir", "corpus.jsonl")


def test_single_files(folder) -> None:
    made = folder(a=SMART, b=JSONL, c=gzip.compress(JSONL))
    assert [layout_of_file(made / name) for name in "abc"] == [
        Layout("smart", "a"),
        Layout("beir", "b"),
        Layout("beir", "c"),
    ]


def test_the_format_can_be_forced(folder) -> None:
    made = folder(**{"corpus.jsonl": JSONL, "pets.all": SMART, "odd": b"\n"})
    assert layout_of_folder(made, "smart").documents == "pets.all"
    assert layout_of_file(made / "odd", "beir") == Layout("beir", "odd")


REFUSED = {
    "two files of documents": (
        {"a.all": SMART, "b.all": SMART},
        "{folder}: a.all and b.all could each hold the documents; describe it in a collection.toml "
        "(docs/collections.md has an example)",
    ),
    "two files of queries": (
        {"a.all": SMART, "a.qry": SMART, "b.qry": SMART},
        "{folder}: a.qry and b.qry could each hold the queries; describe it in a collection.toml "
        "(docs/collections.md has an example)",
    ),
    "two files of judgments": (
        {"MED.ALL": SMART, "MED.REL": REL, "MED.REL.OLD": REL},
        "{folder}: MED.REL and MED.REL.OLD could each hold the judgments; describe it in a collection.toml "
        "(docs/collections.md has an example)",
    ),
    "empty": (
        {},
        "{folder}: expected a BEIR folder (corpus.jsonl), SMART files of documents (lines '.I ID') or a "
        "collection.toml; found nothing",
    ),
    "queries alone": (
        {"a.qry": SMART},
        "{folder}: expected a BEIR folder (corpus.jsonl), SMART files of documents (lines '.I ID') or a "
        "collection.toml; found a.qry",
    ),
    "something else": (
        dict.fromkeys("gfedcba", b""),
        "{folder}: expected a BEIR folder (corpus.jsonl), SMART files of documents (lines '.I ID') or a "
        "collection.toml; found a, b, c, d, e, f, …",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_folders_that_are_refused(folder, case: str) -> None:
    files, message = REFUSED[case]
    made = folder(**files)
    with pytest.raises(DataError) as error:
        layout_of_folder(made)
    assert str(error.value) == message.format(folder=made)


def test_forced_formats_that_are_refused(folder) -> None:
    made = folder(**{"pets.all": SMART})
    with pytest.raises(DataError) as error:
        layout_of_folder(made, "beir")
    assert str(error.value) == f"{made}: expected a file corpus.jsonl, as each BEIR folder has; found pets.all"
    with pytest.raises(ArgumentError) as unknown:
        layout_of_folder(made, "bier")
    assert str(unknown.value) == "unknown input format 'bier'; did you mean 'beir'? Input formats: beir, smart"


def test_files_that_are_refused(folder) -> None:
    made = folder(empty=b"", prose=b"Once upon a time\n", damaged=gzip.compress(SMART * 99)[:15])
    expected = (
        "expected documents, either SMART records (lines '.I ID') or JSON Lines (an object with _id and text a line)"
    )
    for name, found in (("empty", "an empty file"), ("prose", "neither"), ("damaged", "an empty file")):
        with pytest.raises(DataError) as error:
            layout_of_file(made / name)
        assert str(error.value) == f"{made / name}: {expected}, found {found}"
