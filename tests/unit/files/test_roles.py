"""Syntax × role × what is missing or in excess: each cell reads, or is refused with a remedy that works."""

import csv
import io
import json
import re
import shlex
from itertools import product
from pathlib import Path

import pytest
from made_files import parquet, workbook
from shell import run as shell

from toysearch.files import read_run
from toysearch.files.roles import settle

ORDER = {"t1": ["oak", "elm", "ash"], "t2": ["fir", "yew"]}
"""Best first."""
GRADES = {"t1": {"elm": 2, "ash": 1}, "t2": {"yew": 1}}
RELEVANT = "RR"  # 1/2 and 1/2
VALUE = "0.5"
ROWS = {
    "run": [(q, d, 9.5 - place) for q, docs in ORDER.items() for place, d in enumerate(docs)],
    "qrels": [(q, d, grade) for q, docs in GRADES.items() for d, grade in docs.items()],
}
NAMES = {
    "known": {"run": ["query_id", "doc_id", "score"], "qrels": ["query", "docid", "rating"]},
    "unknown": {"run": ["Anfrage", "Baum", "Punkte"], "qrels": ["Anfrage", "Baum", "Punkte"]},
    "none": {"run": [], "qrels": []},
}
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blanks": " "}
MORE = {
    "nothing": [],
    "a text": ["a tall tree"],
    "a quoted line end": ["a tall\ntree"],
    "a number": [7],
    "no value": None,
}


def delimited(role, header, separator, more):
    mark, extra = SEPARATORS[separator], MORE[more]
    rows = [list(row[:2] if extra is None else (*row, *extra)) for row in ROWS[role]]
    labels = NAMES[header][role]
    if labels:
        rows.insert(0, [*labels[: 2 if extra is None else 3], *(["Notiz"] * bool(extra))])
    return "".join(mark.join(map(_cell, row)) + "\n" for row in rows)


def _cell(value):
    return f'"{value}"' if "\n" in str(value) else str(value)


def sheet(role, header, more):
    """The rows of the delimited table, as a sheet."""
    rows = csv.reader(io.StringIO(delimited(role, header, "comma", more)))
    return [[float(cell) if re.fullmatch(r"[\d.]+", cell) else cell for cell in row] for row in rows]


def objects(role, labels):
    return [dict(zip(labels, row, strict=True)) for row in ROWS[role]]


def lists(role, key):
    docs = ORDER if role == "run" else {q: [*grades] for q, grades in GRADES.items()}
    return [{"query_id": query_id, key: ids} for query_id, ids in docs.items()]


def hits(role, key):
    value = "score" if role == "run" else "rating"
    found = {}
    for query_id, doc_id, number in ROWS[role]:
        found.setdefault(query_id, []).append({"docId": doc_id, value: number})
    return [{"query": query_id, key: items} for query_id, items in found.items()]


def grouped(role):
    groups = {}
    for query_id, doc_id, number in ROWS[role]:
        groups.setdefault(query_id, {})[doc_id] = number
    return groups


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


KNOWN = NAMES["known"]
OF_RUN = {"run": "retrieved_ids", "qrels": "expected_chunk_ids"}
JSON = {
    "lines": lambda role: lines(objects(role, KNOWN[role])),
    "array": lambda role: json.dumps(objects(role, KNOWN[role])),
    "array, indented": lambda role: json.dumps(objects(role, KNOWN[role]), indent=2),
    "objects, indented": lambda role: "\n".join(json.dumps(item, indent=1) for item in objects(role, KNOWN[role])),
    "an object of numbers": lambda role: json.dumps(grouped(role)),
    "an object of numbers, indented": lambda role: json.dumps(grouped(role), indent=2),
    "an object of lists": lambda role: json.dumps(
        {q: [*docs] for q, docs in ({"run": ORDER}.get(role, GRADES)).items()}
    ),
    "an object of pairs": lambda role: json.dumps({q: [*map(list, docs.items())] for q, docs in grouped(role).items()}),
    "an object of columns": lambda role: json.dumps(
        dict(zip(KNOWN[role], map(list, zip(*ROWS[role], strict=True)), strict=True))
    ),
    "a list inside": lambda role: json.dumps({"version": 2, "data": objects(role, KNOWN[role])}),
    "groups inside": lambda role: json.dumps({"name": "mine", ("run" if role == "run" else "qrels"): grouped(role)}),
    "lists per query": lambda role: lines(lists(role, OF_RUN[role])),
    "lists per query, in an array": lambda role: json.dumps(lists(role, OF_RUN[role]), indent=1),
    "lists per query, any key": lambda role: lines(lists(role, "trees")),
    "objects per query": lambda role: lines(hits(role, "hits" if role == "run" else "ratings")),
    "objects per query, inside": lambda role: json.dumps(
        {"judged": hits(role, "hits" if role == "run" else "ratings")}
    ),
    "objects per query, any key": lambda role: lines(hits(role, "trees")),
    "lines of texts too": lambda role: lines({**item, "text": "a tall tree"} for item in objects(role, KNOWN[role])),
    "lines of unknown keys": lambda role: lines(objects(role, NAMES["unknown"][role])),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("trec.run").write_text("".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in ROWS["run"]))
    Path("trec.qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in ROWS["qrels"]))


def outcome(role, text):
    """How a file is read beside the other: "read", "advised" if an option of a message reads it, or the message."""
    Path("theirs").write_bytes(text if isinstance(text, bytes) else text.encode())
    files = ["theirs", "trec.qrels"] if role == "run" else ["trec.run", "--qrels", "theirs"]
    result = shell("eval", *files, "-m", RELEVANT, "--tsv")
    if result.exit_code == 0:
        return "read" if result.stdout.split()[-1] == VALUE else f"wrong: {result.stdout}"
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    remedy = re.search(r"--(?:run|qrels)-columns (?:'[^']*'|\"[^\"]*\"|\S+)", result.stderr)
    if remedy is None:
        return result.stderr
    again = shell("eval", *files, "-m", RELEVANT, "--tsv", *shlex.split(remedy[0].rstrip(";,")))
    return (
        "advised"
        if again.exit_code == 0 and again.stdout.split()[-1] == VALUE
        else f"bad advice: {remedy[0]} {again.output}"
    )


ADVISED = [
    *product(["run", "qrels"], ["unknown", "none"], SEPARATORS, ["a number"]),  # which of two is the value
]
NONE_EXISTS = {
    "a run has a score, ranks or lists": [*product(["run"], NAMES, SEPARATORS, ["no value"])],
    "a text has blanks": [*product(["run", "qrels"], NAMES, ["blanks"], ["a text", "a quoted line end"])],
}
READ_ANYWAY = [("run", "none", "blanks", "a text"), ("qrels", "none", "blanks", "a text")]
"""Cells that do not exist, and are read all the same: of a constant text, no column is anything else."""


def expected_of(cell):
    if cell in ADVISED:
        return "advised"
    return "refused" if any(cell in cells for cells in NONE_EXISTS.values()) else "read"


CELLS = [*product(["run", "qrels"], NAMES, SEPARATORS, MORE)]


@pytest.mark.parametrize("cell", CELLS, ids=" · ".join)
def test_each_delimited_table_is_read_beside_the_other_file_or_the_advice_works(cell):
    found = outcome(cell[0], delimited(*cell))
    if expected_of(cell) == "refused":
        assert found.startswith("toysearch: theirs") or cell in READ_ANYWAY, found
        assert "bad advice" not in found
    else:
        assert found == expected_of(cell)
    assert len(CELLS) == 2 * 3 * 5 * 5


@pytest.mark.parametrize("cell", [*product(["run", "qrels"], NAMES, MORE)], ids=" · ".join)
@pytest.mark.parametrize("others", [(), ("About",), ("About", "Trees")])
def test_each_sheet_is_read_as_the_delimited_table_is(cell, others):
    pytest.importorskip("python_calamine")
    role, header, more = cell
    name = {"run": "Results", "qrels": "Ratings"}[role]
    notes = {other: [["Notes of our trees"], ["They are tall"]] for other in others}
    found = outcome(role, workbook({**notes, name: sheet(role, header, more)}))
    expected = expected_of((role, header, "comma", more))
    assert found == expected if expected != "refused" else found.startswith("toysearch: theirs")


@pytest.mark.parametrize("role", ["run", "qrels"])
@pytest.mark.parametrize("shape", ["lines", "lists per query", "objects per query", "lines of unknown keys"])
def test_parquet_is_read_as_its_json(role, shape):
    pytest.importorskip("pyarrow")
    rows = [json.loads(line) for line in JSON[shape](role).splitlines()]
    assert outcome(role, parquet(rows)) == "read"


@pytest.mark.parametrize(("role", "shape"), [*product(["run", "qrels"], JSON)])
def test_each_shape_of_json_is_read(role, shape):
    assert outcome(role, JSON[shape](role)) == "read"
    assert len(JSON) == 19


def test_what_is_guessed_is_said_in_a_short_line():
    Path("theirs").write_text(delimited("run", "unknown", "comma", "a text"))
    told = shell("eval", "theirs", "trec.qrels", "-m", RELEVANT).stderr.splitlines()[0]
    assert told == "note: theirs: 5 results; query Anfrage; document Baum; score Punkte (by the ids of trec.qrels)"
    assert len(told) <= 160


def test_what_does_not_meet_the_other_file_is_not_guessed():
    Path("theirs").write_text(delimited("run", "unknown", "comma", "nothing").replace("t1", "x1").replace("t2", "x2"))
    said = shell("eval", "theirs", "trec.qrels", "-m", RELEVANT).stderr
    assert "is not a run: it begins with Anfrage, Baum, Punkte; name its columns, as in --run-columns query=" in said


@pytest.mark.parametrize(("rows", "by"), [("t1 oak 1\nt1 elm 2\n", "rank"), ("t1 oak 0\nt1 elm 1\n", "rank")])
def test_three_columns_in_the_place_of_a_run_are_ranks_or_scores(rows, by):
    Path("three").write_text(rows)
    assert settle("three", "run").by == by
    assert [*read_run("three")["t1"]] == ["oak", "elm"]


def test_numbers_that_may_be_ranks_or_scores_are_asked_about_and_both_answers_work():
    Path("three").write_text("t1 oak 2\nt1 elm 1\nt2 fir 1\n")
    said = shell("eval", "three", "trec.qrels", "-m", RELEVANT, "--tsv").stderr
    assert "the third column may hold ranks or scores; say which" in said
    for part, value in (("rank", "0.5"), ("score", "0.25")):
        assert f"query=1,doc=2,{part}=3" in said
        columns = ("--run-columns", f"query=1,doc=2,{part}=3")
        assert shell("eval", "three", "trec.qrels", "-m", "RR", "--tsv", *columns).stdout.split()[-1] == value


def test_judgments_of_time_are_lists_where_their_documents_are_those_of_the_run():
    Path("time.run").write_text("1 Q0 5 1 3 r\n1 Q0 268 2 2 r\n2 Q0 8 1 3 r\n2 Q0 10 2 2 r\n")
    Path("time.rel").write_text("1  268 288 304\n2  9 10\n")
    assert shell("eval", "time.run", "time.rel", "-m", "AP", "--tsv").stdout.split()[-1] == "0.20833333333333331"
    Path("time.rel").write_text("1  900 901 902\n2  9 10\n")
    assert shell("eval", "time.run", "--qrels", "time.rel").exit_code == 2


@pytest.mark.parametrize("role", ["run", "qrels"])
@pytest.mark.parametrize("mark", [" ", "|", ", "])
@pytest.mark.parametrize("labels", [("query_id", "doc_ids"), ("Anfrage", "Baum"), ()])
def test_lists_in_a_cell_are_read_beside_the_other_file(role, mark, labels):
    listed = [(query_id, mark.join(docs)) for query_id, docs in (ORDER if role == "run" else GRADES).items()]
    rows = "".join(f'{query_id},"{docs}"\n' for query_id, docs in listed)
    assert outcome(role, f"{','.join(labels)}\n{rows}" if labels else rows) == "read"
