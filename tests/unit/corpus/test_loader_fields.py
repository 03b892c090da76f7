"""Fields to be searched, by the names that their columns have in the file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from toysearch import load
from toysearch.base.errors import ArgumentError

ROWS = [
    {"sku": "p1", "headline": "Red shoe", "description": "made of leather", "brand": "Acme"},
    {"sku": "p2", "headline": "Blue hat", "description": "made of wool", "brand": "Norda"},
]
COLUMNS = "id=sku"


def written(folder: Path, form: str) -> Path:
    path = folder / f"products.{form}"
    delimiter = "\t" if "tsv" in form else ","
    lines = [delimiter.join(row) for row in [list(ROWS[0]), *(list(row.values()) for row in ROWS)]]
    text = "\n".join(map(json.dumps, ROWS) if "jsonl" in form else lines) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if form.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "csv.gz", "jsonl.gz"])
def test_a_field_by_the_name_of_its_column(tmp_path, form):
    path = written(tmp_path, form)
    for asked, named in (("headline,description,brand", "title,text,brand"), ("description", "text")):
        by_column, by_name = (load(path, columns=COLUMNS, fields=fields).documents for fields in (asked, named))
        assert [each.text for each in by_column] == [each.text for each in by_name]
    assert load(path, columns="id=sku,text=brand", fields="brand").documents[0].text == "Acme"
    for wrong in ("sku", "abstract", "Description!"):
        with pytest.raises(ArgumentError, match=f"unknown field '{wrong}'.* Fields: title, text, brand$"):
            load(path, columns=COLUMNS, fields=wrong).documents[0]


def test_a_column_of_that_name_comes_first(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("id,text,body\nd1,a cat,a dog\n")
    assert load(path, fields="body").documents[0].text == "a dog"


@pytest.mark.parametrize("titled", [True, False])
def test_a_name_that_no_key_has_is_not_taken_for_the_optional_title(tmp_path, titled):
    path = tmp_path / "pets.jsonl"
    path.write_text(json.dumps({"_id": "d1", "text": "a cat"} | ({"title": "Cats"} if titled else {})) + "\n")
    with pytest.raises(ArgumentError, match="unknown field 'body'"):
        load(path, fields="body").documents[0]
