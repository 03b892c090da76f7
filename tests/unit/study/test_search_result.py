"""Answers to a query as tables for programs: each mark is at its word, and each id as it is."""

import csv
import io
import json
from dataclasses import replace

import pytest
from shell import done

from toysearch import Index
from toysearch.base import ResultTable
from toysearch.study import find

WORDS = ["=1", "+2", "-5%", "@sea", "a", "'tis", "'=1"]
IDS = ["@harbour", "+41", "-7", "=x", "+f(1)", "plain", "a'b"]


def test_the_name_of_a_file_is_no_title_that_was_searched(tmp_path) -> None:
    """A file without a title is named after itself; the passage shows why it was found."""
    (tmp_path / "dog.txt").write_text("A dog sleeps in the garden.")
    (tmp_path / "garden.md").write_text("# The garden\n\nRoses and a dog.")
    hits = find(str(tmp_path), "dog garden").data()["hits"]
    assert {hit["doc_id"]: hit["title_marks"] for hit in hits} == {"dog.txt": [], "garden.md": [[4, 10]]}
    shown = done("search", tmp_path, "dog garden").stdout
    assert "A *dog* sleeps in the *garden*." in shown
    assert "The *garden*\n" in shown


@pytest.mark.parametrize("form", ["csv", "tsv", "json"])
def test_marks_are_at_the_words_of_the_cell(tmp_path, form: str) -> None:
    """In CSV an apostrophe may stand before a text, which shifts it."""
    path = tmp_path / "news.jsonl"
    titles = [f"{word} ferry" for word in WORDS]
    items = [{"id": name, "title": title, "text": "red ferry"} for name, title in zip(IDS, titles, strict=True)]
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    text = done("search", path, "ferry", "--format", form).stdout
    if form == "json":
        rows = json.loads(text)["hits"] if isinstance(json.loads(text), dict) else json.loads(text)
    else:
        rows = list(csv.DictReader(io.StringIO(text), delimiter={"csv": ",", "tsv": "\t"}[form]))
    assert len(rows) == len(IDS)
    for row in rows:
        for name in ("title", "snippet"):
            marks = row[f"{name}_marks"]
            places = [tuple(map(int, one.split(":"))) for one in marks.split()] if form != "json" else marks
            assert {row[name][start:end] for start, end in places} == {"ferry"}
    guarded = {"=x": "'=x", "+f(1)": "'+f(1)"} if form == "csv" else {}
    assert {row["doc_id"] for row in rows} == {guarded.get(doc_id, doc_id) for doc_id in IDS}


@pytest.mark.parametrize("form", ["table", "csv"])
def test_rows_are_made_one_by_one(form: str) -> None:
    """A long ranking is not held as hits besides the rows that are shown."""
    cut = []

    def passages(_: frozenset[str], doc_id: str) -> tuple[None, None]:
        cut.append(doc_id)
        return None, None

    index = Index.build([f"ferry {number}" for number in range(50)])
    found = replace(find(index, "ferry", k=None), passages=passages)
    parts = found.text_parts() if form == "table" else found.tables(form)
    [table] = [part for part in parts if isinstance(part, ResultTable)]
    assert (table.n, cut) == (50, [])
    rows = iter(table.rows)
    next(rows)
    assert len(cut) == 1
    assert len([*rows]) == 49
