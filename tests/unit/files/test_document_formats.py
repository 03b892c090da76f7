"""The table of formats: their readers, and what the user may say about columns."""

import importlib
from pathlib import Path

import pytest
from error_messages import raising

from toysearch.base.errors import ArgumentError
from toysearch.files.columns import parsed_columns
from toysearch.files.document_formats import DATASET, FORMATS, format_named, read_records


@pytest.mark.parametrize("name", [*FORMATS, DATASET])
def test_each_format_has_its_readers(name: str) -> None:
    known = format_named(name)
    for reader in (known.documents, known.queries):
        home, _, function = reader.partition(":")
        assert not reader or callable(getattr(importlib.import_module(f"toysearch.files.{home}"), function))
    assert known.documents
    assert known.counts or known.title in known.text or name == "lines"  # which have no title


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError) as error:
        read_records("folder", "queries", tmp_path)
    listed = ", ".join(FORMATS)
    assert str(error.value) == f"the format folder has no queries; name another for {tmp_path}: {listed}"
    with pytest.raises(ArgumentError) as error:
        read_records("smart", "documents", tmp_path, {"id": "I"})
    assert str(error.value) == (
        f"columns can be named only in the formats beir, jsonl, xml, csv, tsv; {tmp_path} is in the format smart: "
        "leave columns out, and choose its fields with fields"
    )
    with pytest.raises(ArgumentError) as error:
        format_named("smrt")
    assert str(error.value).startswith("unknown format 'smrt'; did you mean 'smart'? Formats: beir, smart")


COLUMNS = {
    "id": "expected columns such as id=docno,text=body, found 'id'",
    "id=": "expected columns such as id=docno,text=body, found 'id='",
    "id=a,": "expected columns such as id=docno,text=body, found ''",
    "": "expected columns such as id=docno,text=body, found ''",
    "id=a,id=b": "columns names the part id twice; name one column per part",
    "key=a": "unknown part of a record 'key'. Parts: id, title, text",
    "id=a,text=a": "column 'a' is named for id and for text; name one column per part",
}


@pytest.mark.parametrize("text", COLUMNS)
def test_columns_that_are_refused(text: str) -> None:
    with raising(ArgumentError, COLUMNS[text]):
        parsed_columns(text)
