"""Shares of a collection: together all documents in their order, whatever the form of the files."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import exhaustive, often

import toysearch
from toysearch import Index
from toysearch.base.errors import ArgumentError
from toysearch.workbench.shards.document_shares import NoDocuments, cut_in_shares, of_share

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore")]
LINES = st.lists(
    st.one_of(
        st.just(""),
        st.tuples(st.sampled_from(["title", "headline", "x"]), st.text(max_size=12)).map(
            lambda pair: {pair[0]: pair[1], "text": f"aa {pair[1]}"}
        ),
    ),
    max_size=12,
)


def written(path, records):
    """A file of JSON Lines; an empty record is a blank line."""
    path.write_text("".join((json.dumps(each) if each else "") + "\n" for each in records), encoding="utf-8")
    return path


def documents(collection):
    """The documents of a collection, by the shares of their number."""
    return [(each.doc_id, each.title, each.text) for each in collection.stream()]


def read_in_shares(collection, n):
    found = []
    for share in cut_in_shares(collection, n):
        try:
            for batch in of_share(collection, share).batches():
                found += [(each.doc_id, each.title, each.text) for each in batch.documents()]
        except NoDocuments:
            pass
    return found


@settings(max_examples=often(100))
@given(lines=LINES, n=st.integers(1, 6), first=st.sampled_from(["title", "headline", "other"]))
def test_any_lines_in_any_number_of_shares(lines, n, first, tmp_path_factory):
    records = [{"id": "first", first: "cats", "text": "aa"}]
    records += [each and {"id": f"d{number}", **each} for number, each in enumerate(lines)]
    collection = toysearch.load(written(tmp_path_factory.mktemp("shares") / "docs.jsonl", records))
    assert read_in_shares(collection, n) == documents(collection)


def test_lines_of_json_are_cut_by_bytes(tmp_path):
    records = [{"id": f"d{number}", "title": "", "text": "cat " * (number % 7)} for number in range(100)]
    path = written(tmp_path / "docs.jsonl", records)
    found = cut_in_shares(toysearch.load(path), 3)
    ranges = [share.ranges[0] for share in found]
    assert [each.start for each in ranges][1:] == [each.stop for each in ranges][:-1]
    assert (ranges[0].start, ranges[0].first, ranges[-1].stop) == (0, 0, path.stat().st_size)
    assert max(each.stop - each.start for each in ranges) < path.stat().st_size // 3 + 60


@pytest.mark.parametrize(
    "change",
    [
        lambda record: {**record, "headline": "late"} if record["id"] == "d50" else record,  # decides the titles
        lambda record: {"text": record["text"]},  # the ids are numbers of lines
    ],
)
def test_lines_that_depend_on_earlier_ones_are_cut_by_documents(change, tmp_path):
    records = [change({"id": f"d{number}", "text": "aa cat"}) for number in range(100)]
    collection = toysearch.load(written(tmp_path / "docs.jsonl", records))
    assert [(share.first, share.stop) for share in cut_in_shares(collection, 3)] == [(0, 33), (33, 66), (66, 100)]
    assert read_in_shares(collection, 3) == documents(collection)


@pytest.mark.parametrize("name", ["companions"])
def test_files_of_other_formats_are_cut_by_documents(name):
    collection = toysearch.load(name)
    assert read_in_shares(collection, 3) == documents(collection)


def test_a_folder_of_texts_is_cut_by_documents(tmp_path):
    for name in "abcde":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nthe ferry {name}\n")
    collection = toysearch.load(tmp_path)
    assert [(share.first, share.stop) for share in cut_in_shares(collection, 2)] == [(0, 2), (2, 5)]
    assert read_in_shares(collection, 2) == documents(collection)


def test_documents_in_memory_are_not_sent():
    with pytest.raises(ArgumentError) as refused:
        cut_in_shares(toysearch.Collection("mine", [toysearch.Document("1", "a cat")]), 2)
    assert str(refused.value) == (
        "the documents of 'mine' are not in files, which workers could read; name a collection, a folder or a file"
    )


@exhaustive
def test_the_quick_reader_of_large_files_reads_shares_too(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", "compiled")
    records = [{"id": f"d{number}", "title": "pets", "text": f"cat dog{number}"} for number in range(2_000)]
    collection = toysearch.load(written(tmp_path / "docs.jsonl", records))
    ids = []
    for share in cut_in_shares(collection, 3):
        ids += Index.build(of_share(collection, share)).doc_ids
    assert ids == [record["id"] for record in records]
