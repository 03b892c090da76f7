"""Parquet: its rows are those of the same table in JSON Lines."""

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from binary_files import parquet
from shell import run as shell

from toysearch import Index, load, read_qrels, read_run
from toysearch.base.errors import DataError
from toysearch.collection.queries import read_queries
from toysearch.files import unpacking
from toysearch.files.source import numbered_lines
from toysearch.workbench.clicks.click_log import read_clicks

pytest.importorskip("pyarrow")

DOCUMENTS = [
    {
        "_id": "1",
        "title": "Lamp",
        "text": "a red\nlamp",
        "price": 3.5,
        "tags": ["tall", "red"],
        "maker": {"name": "Ada"},
    },
    {"_id": "2", "title": "Shoe", "text": "of leather", "price": None, "tags": [], "maker": None},
]
QUERIES = [{"_id": "q1", "text": "red lamp"}, {"_id": "q2", "text": "leather"}]
QRELS = [{"query-id": "q1", "corpus-id": "1", "score": 1}, {"query-id": "q2", "corpus-id": "2", "score": 2}]
RUN = [{"qid": "q1", "docno": "2", "score": 2.5}, {"qid": "q1", "docno": "1", "score": 1.5}]
CLICKS = [{"session": "s", "query": "cats", "rank": 1, "doc": "a", "clicked": True}]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def saved(name, rows):
    Path(name).write_bytes(parquet(rows))
    return name


def test_parquet_makes_the_index_of_the_same_rows_in_json_lines():
    """The files have one name, which the index keeps."""
    theirs = {"parquet": parquet(DOCUMENTS), "lines": "".join(json.dumps(row) + "\n" for row in DOCUMENTS).encode()}
    indexes = []
    for folder, data in theirs.items():
        Path(folder).mkdir()
        Path(folder, "theirs.parquet").write_bytes(data)
        Index.build(load(Path(folder, "theirs.parquet"))).save(Path(folder, "index"))
        indexes.append({file.name: file.read_bytes() for file in Path(folder, "index").iterdir()})
    assert indexes[0] == indexes[1]
    assert indexes[0]


def test_each_role_is_read():
    assert [each.doc_id for each in load(saved("d.parquet", DOCUMENTS)).documents] == ["1", "2"]
    assert [each.text for each in read_queries(saved("q.parquet", QUERIES))] == ["red lamp", "leather"]
    assert read_qrels(saved("r.parquet", QRELS))["q2"] == {"2": 2.0}
    assert read_run(saved("run.parquet", RUN))["q1"] == {"2": 2.5, "1": 1.5}
    assert read_clicks(saved("c.parquet", CLICKS))[0].session == "s"
    assert (
        shell("eval", "run.parquet", "r.parquet", "-m", "RR", "--tsv").stdout.splitlines()[-1].split("\t")[1] == "0.25"
    )  # 1/2 and 0
    line = ("eval", "d.parquet", "--queries", "q.parquet", "--qrels", "r.parquet", "-m", "RR", "--tsv")
    assert shell(*line).stdout.splitlines()[-1].split("\t")[1] == "1.0"


def test_values_that_json_lacks_are_numbers_or_texts():
    values = [Decimal("1.50"), Decimal("2.00"), date(2026, 5, 1), datetime(2026, 5, 1, 12, 30), b"picture"]
    of_frame = {"__index_level_0__": 7}  # the index of a data frame is no column
    saved("d.parquet", [{**{str(place): value for place, value in enumerate(values)}, **of_frame}])
    rows = [json.loads(line) for _, line in numbered_lines("d.parquet")]
    assert rows == [{"0": 1.5, "1": 2, "2": "2026-05-01", "3": "2026-05-01T12:30:00", "4": None}]


def test_a_file_is_read_batch_by_batch():
    n_rows = 1000
    saved("d.parquet", [{"id": str(number), "text": "a lamp"} for number in range(n_rows)])
    assert len(load("d.parquet").documents) == n_rows
    numbers = [number for number, _ in numbered_lines("d.parquet")]
    assert numbers == [*range(1, n_rows + 1)]


def test_a_message_names_the_row():
    rows = [*QRELS, {"query-id": "q3", "corpus-id": None, "score": 1}]
    with pytest.raises(DataError, match=r"^bad.parquet, row 3: corpus-id must be a text or a whole number, found null"):
        read_qrels(saved("bad.parquet", rows))


@pytest.mark.usefixtures("without_libraries")
def test_without_the_library_a_sentence_names_the_line_to_type():
    Path("d.parquet").write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    what = "is a Parquet file; save it as CSV or JSON Lines, or install what reads it: pip install 'toysearch[files]'"
    result = shell("search", "d.parquet", "lamp")
    assert (result.exit_code, result.stderr) == (2, f"toysearch: d.parquet {what}\n")


def test_hostile_bytes_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS_UNPACKED", 1 << 20)
    whole = parquet([{"id": str(number), "text": "lamp " * 10_000} for number in range(300)])
    damage = "cannot be read to its end because it is damaged or truncated: "
    kinds = {whole: "is Parquet that grows more than 200-fold, to over ", whole[:-9]: damage, b"PAR1" * 9: damage}
    for data, said in kinds.items():
        Path("d.parquet").write_bytes(data)
        for line in (("search", "d.parquet", "lamp"), ("eval", "d.parquet", "d.parquet")):
            result = shell(*line)
            assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
            assert result.stderr.startswith(f"toysearch: d.parquet {said}")
