"""Building an index straight into a folder: the same files, whatever the path, and no trace of what went wrong."""

import numpy as np
import pytest
from small_collections import contents

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.base.errors import ArgumentError, DataError, StorageError, ToysearchNote
from toysearch.base.plain_or_compiled import loops_compiled
from toysearch.base.platform import LOCK
from toysearch.collection.collection import Collection
from toysearch.collection.document_batches import batches
from toysearch.index import threaded_builder
from toysearch.index.content_checks import check_index
from toysearch.index.document_columns import Columns
from toysearch.index.inverted_index import Index
from toysearch.index.listed_files import index_files
from toysearch.index.saving import spooling
from toysearch.index.threaded_builder import ScannedTerms

DOCUMENTS = [
    Document(
        f"d{number}",
        f"the cats number {number} sat ÉTÉ {'cat ' * (number % 300)}",
        f"Title {number}",
        {"y": "1", "W": "a cat"},
    )
    for number in range(700)
]


@pytest.mark.system
@pytest.mark.parametrize("path", ["plain", "compiled"])
@pytest.mark.parametrize(
    "options", [{}, {"store_text": False}, {"threads": 1}, {"threads": 3}, {"values": ["y"]}, {"fields": ["W", "y"]}]
)
def test_the_folder_is_what_building_in_memory_and_saving_gives(tmp_path, monkeypatch, path, options):
    monkeypatch.setenv("TOYSEARCH_PATH", "plain")
    analyzer = Analyzer.for_language("english")
    Index.build(DOCUMENTS, analyzer, **options).save(tmp_path / "saved")
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    index = Index.build(DOCUMENTS, analyzer, folder=tmp_path / "built", **options)
    assert contents(tmp_path / "built") == contents(tmp_path / "saved")
    assert check_index(tmp_path / "built") == []
    assert index.postings("cat").docs.tolist() == list(range(700))
    Index.build(DOCUMENTS, analyzer, **options).save(tmp_path / "saved")  # the same path in memory
    assert contents(tmp_path / "built") == contents(tmp_path / "saved")


@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_texts_that_are_all_empty(tmp_path, monkeypatch, path):
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    index = Index.build(["", "!"], folder=tmp_path / "index")
    assert (index.stats, list(index.terms), index.text(1), index.title(0)) == ((2, 0, 0.0, 0.0, 0, 0, 2), [], "!", "")
    assert check_index(tmp_path / "index") == []


@pytest.mark.system
@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_what_goes_wrong_leaves_the_old_index_or_nothing(tmp_path, monkeypatch, path):
    monkeypatch.setenv("TOYSEARCH_PATH", path)

    def cut_short():
        yield from DOCUMENTS
        raise DataError("corpus.jsonl:701: cut short")

    for folder in (tmp_path / "old", tmp_path / "new"):
        if folder.name == "old":
            Index.build(["a cat"], folder=folder)
        before = contents(folder) if folder.exists() else None
        for source, message in (
            (cut_short(), "corpus.jsonl:701: cut short"),
            (
                [*DOCUMENTS, Document("d5", "again")],
                "doc_id 'd5' is given twice, by documents 6 and 701; each id may occ",
            ),
            ([*DOCUMENTS, Document("x", 7)], "document 701 has the text 7; expected a str, not int"),
            ([], "there is no document to index; an index needs at least one"),
        ):
            with pytest.raises(DataError) as error:
                Index.build(source, folder=folder)
            assert str(error.value).startswith(message)
            assert (contents(folder) if folder.exists() else None) == before


def test_a_folder_that_holds_anything_else(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StorageError, match=r"holds other files, such as 'thesis\.tex'"):
        Index.build(DOCUMENTS, folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_no_room_for_the_texts(tmp_path, monkeypatch):
    Index.build(["a cat"], folder=tmp_path)
    before = contents(tmp_path)

    class Full:
        def write(self, data: bytes) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    monkeypatch.setattr("toysearch.index.saving.open", lambda *_: Full(), raising=False)
    with pytest.raises(StorageError) as error:
        Index.build(DOCUMENTS, folder=tmp_path)
    assert str(error.value) == (
        f"cannot save the index to {tmp_path}: No space left on device; the index in it is unchanged"
    )
    assert contents(tmp_path) == before


def _counted(spooled=None):
    terms, columns = ScannedTerms(Analyzer(), 2, 1000, positions=True, spooled=spooled), Columns()
    for batch in batches(DOCUMENTS):
        terms.add(batch, columns.add(batch))
    return terms.finish()


def test_blocks_of_postings_wait_in_a_file_that_is_removed(tmp_path, monkeypatch):
    if not loops_compiled():
        pytest.skip("the loops are not compiled here")
    monkeypatch.setattr(threaded_builder, "_MANY", 0)
    with spooling(tmp_path / "index") as spool:
        found = _counted(spool.blocks)
        assert (tmp_path / "index/toysearch-blocks.tmp").stat().st_size > 0
    assert not (tmp_path / "index/toysearch-blocks.tmp").exists()
    for name, values in _counted().items():
        np.testing.assert_array_equal(np.asarray(found[name]), np.asarray(values), err_msg=name)


def test_what_a_killed_process_has_left_makes_room_before_the_work(tmp_path):
    Index.build(["a cat"], folder=tmp_path)
    (tmp_path / "toysearch-texts-0.tmp").write_bytes(b"half a text")
    (tmp_path / "docs-0123456789abcdef.npy").write_bytes(b"half an array")

    def documents():
        left = {path.name for path in tmp_path.iterdir()} - {*index_files(tmp_path), LOCK}
        assert left == {"toysearch-titles-0.tmp", "toysearch-texts-0.tmp"}
        assert (tmp_path / "toysearch-texts-0.tmp").read_bytes() != b"half a text"
        yield Document("1", "a dog")

    assert list(Index.build(documents(), folder=tmp_path).terms) == ["dog"]


def test_two_at_once(tmp_path):
    def other():
        with pytest.raises(StorageError, match="another process is saving an index to"):
            Index.build(["a cat"], folder=tmp_path / "index")
        yield from DOCUMENTS

    assert Index.build(other(), folder=tmp_path / "index").stats.N == 700


def test_threads_are_at_least_one():
    with pytest.raises(ArgumentError, match="threads must be a whole number of at least 1, not 0"):
        Index.build(["a cat"], threads=0)


@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_lone_surrogates_and_progress_on_either_path(monkeypatch, path):
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    documents = [
        Document("a\ud800", "cat\udfff dog \ud83d", "T\ud800", {"title": "T\ud800"}),
        Document("b", "c\ud800at"),
    ]
    told: list[int] = []
    with pytest.warns(ToysearchNote, match="5 lone surrogates in the documents became U"):
        index = Index.build([*documents, *DOCUMENTS[:148]], progress=told.append)
    assert told == [100, 150]
    assert (index.doc_ids[0], index.text(0), index.title(0)) == ("a\ufffd", "cat\ufffd dog \ufffd", "T\ufffd")


def test_the_position_in_the_files_of_a_collection(tmp_path):
    from toysearch import load

    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(f'{{"_id": "{number}", "text": "{"cat " * 100}"}}\n' for number in range(5000)))
    collection = load(path)
    assert collection.position is None
    places = [collection.position for _ in collection.stream()]
    size = path.stat().st_size
    assert all(place is not None and place[1] == size for place in places)
    assert 0 < places[0][0] < size // 4  # type: ignore[index]
    assert places == sorted(places, key=lambda place: place[0])  # type: ignore[index]
    assert collection.position == (size, size)
    next(stream := collection.stream())  # it begins again
    assert collection.position is not None
    assert collection.position[0] < size // 4
    stream.close()
    assert Collection("pets", DOCUMENTS).position is None
