"""A row's text is the same alone, among any other rows, and shuffled, whatever the form."""

import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch.base.errors import without_notes

LABELS = ["id", "headline", "body", "colour", "made", "page.note", "imageUrl", "supplier_id"]
WORDS = ["red", "lamp", "1776", "3.5", "2020-05-01", "true", "https://a.org", "a lamp of steel, as long as a tale", ""]
ROW = st.tuples(*[st.sampled_from(WORDS)] * (len(LABELS) - 1))
_FOLDER = tempfile.TemporaryDirectory()  # of all examples; removed when the tests end


def _as_csv(rows: list[dict[str, str]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, LABELS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _as_lines(rows: list[dict[str, str]], path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _as_array(rows: list[dict[str, str]], path: Path) -> Path:
    path.write_text(json.dumps([{**row, "page": {"note": row["page.note"]}} for row in rows]))
    return path


FORMS: dict[str, Callable[[list[dict[str, str]], Path], Any]] = {
    "csv": _as_csv,
    "jsonl": _as_lines,
    "json": _as_array,
    "memory": lambda rows, _: rows,
}


@pytest.mark.parametrize("form", FORMS)
@given(rows=st.lists(ROW, min_size=2, max_size=7), data=st.data())
def test_the_text_of_a_row_is_its_own(form: str, rows: list[tuple[str, ...]], data: st.DataObject) -> None:
    records = [dict(zip(LABELS, (f"k{place}", *row), strict=True)) for place, row in enumerate(rows)]
    path = Path(_FOLDER.name, f"rows.{form}")

    def texts(given: list[dict[str, str]]) -> dict[str, str]:
        with without_notes():
            return {one.doc_id: one.text for one in toysearch.load(FORMS[form](given, path)).documents}

    whole = texts(records)
    assert texts(data.draw(st.permutations(records))) == whole
    for record in records:
        assert texts([record]) == {record["id"]: whole[record["id"]]}
        known = [record[label] for label in ("headline", "body") if record[label]]
        assert whole[record["id"]].startswith(" ".join(known))
