"""Two systems in one file are two runs, in each format and by each command, or refused by their column; never mixed."""

import json
from itertools import product

import pytest
from captured_notes import noted
from shell import done, refusal
from stand_in_frames import Frame
from tiers import thinned

import toysearch
from toysearch.base.errors import DataError
from toysearch.files.labels import NAMES, PERHAPS_OF_DOCUMENTS
from toysearch.files.runs_and_judgments import read_runs

ROWS = [("s1", "1", "a", 9), ("s1", "2", "c", 7), ("s2", "1", "b", 9), ("s2", "2", "d", 8)]
OVERLAPPING = [("s1", "1", "a", 9), ("s1", "1", "b", 8), ("s2", "1", "b", 9), ("s2", "1", "a", 8)]


def table(rows, mark, label):
    return "".join(mark.join(map(str, row)) + "\n" for row in [(label, "query_id", "doc_id", "score"), *rows])


def objects(rows, label):
    return [{label: name, "query_id": query, "doc_id": doc, "score": score} for name, query, doc, score in rows]


def hits(rows, label):
    return [{"query_id": q, label: name, "hits": [{"docid": doc, "score": score}]} for name, q, doc, score in rows]


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


FORMATS = {
    "run.csv": lambda rows, label: table(rows, ",", label),
    "run.tsv": lambda rows, label: table(rows, "\t", label),
    "semicolons.csv": lambda rows, label: table(rows, ";", label),
    "rows.jsonl": lambda rows, label: lines(objects(rows, label)),
    "hits.jsonl": lambda rows, label: lines(hits(rows, label)),
    "rows.json": lambda rows, label: json.dumps(objects(rows, label)),
    "trec.run": lambda rows, _: "".join(f"{query} Q0 {doc} 1 {score} {name}\n" for name, query, doc, score in rows),
}
OF_SEVERAL = {
    "eval {} q.txt -m RR": "s1 s2",
    "eval {} q.txt -m RR --on-error skip": "s1 s2",
    "compare {} one.run --qrels q.txt": "s1 s2 one",
    "fuse one.run {}": "",
    "judge pool one.run {}": "one s1 s2",
    "judge rejudge one.run {} --qrels q.txt --by q.txt": "s1 s2 one",
    "report one.run {} --qrels q.txt -o x.html": "",
}
"""Command of several runs → the systems that it shows."""
OF_ONE = ("clicks interleave one.run {}", "gate gate.toml")
COMMANDS = [*OF_SEVERAL, *OF_ONE]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("1 0 a 2\n2 0 c 1\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 9 one\n2 Q0 d 1 8 one\n")
    return tmp_path


CASES = [*product(FORMATS, COMMANDS, (ROWS, OVERLAPPING))]


def test_each_format_meets_each_command():
    assert len(CASES) == 7 * 9 * 2
    tried = [case.values for case in thinned(CASES, 5) if not case.marks]
    assert {name for name, _, _ in tried} == {*FORMATS}
    assert {command for _, command, _ in tried} == {*COMMANDS}


@pytest.mark.parametrize(("name", "rows"), [*product(FORMATS, (ROWS, OVERLAPPING))])
def test_each_format_holds_two_runs(folder, name, rows):
    (folder / name).write_text(FORMATS[name](rows, "system"))
    with noted() as notes:
        assert [run.name for run in read_runs(name)] == ["s1", "s2"]
    assert any(f"{name} holds 2 systems" in line for line in notes)


@pytest.mark.parametrize(("name", "command", "rows"), thinned(CASES, 5))
def test_two_systems_that_rank_one_query_are_two_runs_or_refused_where_one_is_expected(folder, name, command, rows):
    (folder / name).write_text(FORMATS[name](rows, "system"))
    (folder / "gate.toml").write_text(f'run = "{name}"\nqrels = "q.txt"\n[[expect]]\nmeasure = "RR"\nat_least = 0.1\n')
    column = "column tag" if name == "trec.run" else f"{'key' if 'json' in name else 'column'} system"
    told = f"{name} holds 2 systems ({column}: s1, s2)"
    if command in OF_ONE:
        said = refusal(*command.format(name).split())
        assert f"{told} that rank the same query" in said
        assert said.endswith("write one file per system")
        return
    result = done(*command.format(name).split())
    assert f"{told}; each is a run" in result.stderr
    assert {*OF_SEVERAL[command].split()} <= {*result.stdout.split()}


def test_each_system_has_its_own_values(folder):
    for name in FORMATS:
        (folder / name).write_text(FORMATS[name](ROWS, "system"))
        rows = done("eval", name, "q.txt", "-m", "RR", "--tsv").stdout.splitlines()[1:]
        assert rows == ["s1\t1.0", "s2\t0.0"]
        assert [run.name for run in read_runs(name)] == ["s1", "s2"]
        assert [*toysearch.compare([name, "one.run"], "q.txt", "RR").means["RR"]] == ["s1", "s2", "one"]


@pytest.mark.parametrize("name", [*FORMATS])
def test_a_diff_takes_the_two_systems_of_one_file(folder, name):
    (folder / name).write_text(FORMATS[name](ROWS, "system"))
    assert "s1" in done("diff", name, "q.txt", "-m", "RR").stdout


def test_one_file_per_system_is_read(folder):
    values = []
    for name in ("s1", "s2"):
        (folder / f"{name}.csv").write_text(table([row for row in ROWS if row[0] == name], ",", "system"))
        values.append(done("eval", f"{name}.csv", "q.txt", "-m", "RR", "--tsv").stdout.split()[-2:])
    assert values == [["s1", "1.0"], ["s2", "0.0"]]


@pytest.mark.parametrize("label", [*NAMES["tag"], "Run-ID", "System Number"])
def test_a_column_that_names_systems_is_known_by_each_of_its_names(folder, label):
    (folder / "run.csv").write_text(table(ROWS, ",", label))
    (folder / "run.jsonl").write_text(lines(objects(ROWS, label)))
    for name in ("run.csv", "run.jsonl"):
        with pytest.raises(DataError, match=rf"2 systems \(\w+ {label}: s1, s2\)"):
            toysearch.read_run(name)


@pytest.mark.parametrize("label", PERHAPS_OF_DOCUMENTS)
def test_the_names_of_documents_are_not_systems(folder, label):
    rows = [("Lamp", "1", "a", 9), ("Kettle", "1", "b", 8), ("Lamp", "2", "a", 7)]
    (folder / "shop.csv").write_text(table(rows, ",", label))
    run = toysearch.read_run("shop.csv")
    assert (run.name, run["1"]) == ("shop", {"a": 9.0, "b": 8.0})


@pytest.mark.parametrize("layout", ["run.csv", "hits.jsonl"])
def test_a_system_of_its_own_for_each_query_is_none(folder, layout):
    rows = [(f"4f63-{number}", number, "a", 9) for number in "1234"]
    (folder / layout).write_text(FORMATS[layout](rows, "run_id"))
    with noted() as told:
        [run] = read_runs(layout)
    assert (run.name, len(run.query_ids), told) == (layout.split(".")[0], 4, [])


@pytest.mark.parametrize("name", FORMATS)
def test_systems_with_queries_of_their_own_are_one_run_with_a_note(folder, name):
    (folder / name).write_text(FORMATS[name]([("s1", "1", "a", 9), ("s2", "2", "d", 8)], "system"))
    with noted() as notes:
        run = toysearch.read_run(name)
    assert {query: run[query] for query in run.query_ids} == {"1": {"a": 9.0}, "2": {"d": 8.0}}
    assert [note for note in notes if "holds 2 systems" in note and note.endswith("they are read as one run")]


@pytest.mark.parametrize("way", ["compiled", "plain"])
@pytest.mark.parametrize("size", [3, 5_000])
def test_one_line_of_another_system_is_seen_anywhere_in_a_file(folder, monkeypatch, way, size):
    """The second tag may be shorter, longer, or differ in its last byte only."""
    monkeypatch.setenv("TOYSEARCH_PATH", way)
    cells = [*product((0, 1, size - 1), ("bm", "bm25-k0.9-b0.5", "bm25-k0.9-b0.40"))]
    for place, tag in cells:
        tags = ["bm25-k0.9-b0.4"] * size
        tags[place] = tag
        (folder / "two.run").write_text("".join(f"1 Q0 d{at} {at} {-at} {of}\n" for at, of in enumerate(tags)))
        with pytest.raises(DataError, match=r"two\.run holds 2 systems"):
            toysearch.read_run("two.run")
    assert len(cells) == 9


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\n\n", ""])
def test_one_tag_is_one_system_however_its_lines_end(folder, end):
    (folder / "one.run").write_bytes(f"1 Q0 a 1 9 t{end or chr(10)}2\tQ0\tb\t1\t8\tt{end}".encode())
    with noted() as notes:
        assert toysearch.read_run("one.run").name == "t"
    assert notes == []


def test_the_columns_of_a_course_are_known(folder):
    header = "system_number,query_number,doc_number,rank_of_doc,score\n"
    (folder / "two.csv").write_text(f"{header}1,1,a,1,9.0\n2,1,b,1,9.0\n")
    assert "two.csv holds 2 systems (column system_number: 1, 2)" in done("eval", "two.csv", "q.txt").stderr
    (folder / "one.csv").write_text(f"{header}1,1,b,1,9.0\n1,1,a,2,8.0\n1,2,c,1,7.0\n")
    assert done("eval", "one.csv", "q.txt", "-m", "RR", "--tsv").stdout.splitlines()[-1].split("\t")[1] == "0.75"


def test_two_systems_in_a_frame_are_refused():
    columns = dict(zip(("system", "query_id", "doc_id", "score"), map(list, zip(*ROWS, strict=True)), strict=True))
    with pytest.raises(DataError, match=r"the data frame holds 2 systems \(column system: s1, s2\)"):
        toysearch.evaluate(Frame(**columns), {"1": {"a": 1}})


LISTS = [("s1", "1", "a", 9), ("s1", "1", "x", 8), ("s2", "1", "b", 0.9), ("s2", "1", "z", 0.8)]
LISTS += [("s1", "2", "c", 7), ("s1", "2", "y", 6), ("s2", "2", "d", 0.7), ("s2", "2", "e", 0.6)]
MIXED = [LISTS[place] for place in (0, 2, 1, 3, 4, 6, 5, 7)]
UNKNOWN = ["setup", "variant_id", "run#", "Verfahren", "bucket"]
TABLES = [name for name in FORMATS if name != "trec.run"]
SIGNS = {"a document twice": OVERLAPPING, "scores that fall and rise": MIXED, "": LISTS}


@pytest.mark.parametrize(("name", "label", "sign"), [*product(TABLES, UNKNOWN, SIGNS)])
def test_systems_under_an_unknown_name_are_told_apart_asked_about_or_noted(folder, name, label, sign):
    rows = SIGNS[sign]
    (folder / name).write_text(FORMATS[name](rows, label))
    noun = "key" if "json" in name else "column"
    with noted() as notes:
        if sign == "a document twice":
            assert [run.name for run in read_runs(name)] == ["s1", "s2"]
        elif sign:
            said = refusal("eval", name, "q.txt", "--on-error", "skip")
            assert f"{name} seems to hold 2 systems ({noun} {label}: s1, s2): query '1' has {sign}, but not" in said
            assert f"; if it tells systems apart, --run-columns system={label}, or leave the {noun} out" in said
        else:
            assert len(toysearch.read_run(name)) == len(rows)
    told = f"{name}: a {noun} is not read ({noun} {label}: s1, s2); if it tells systems apart: "
    of_two = f"{name} holds 2 systems ({noun} {label}: s1, s2); each is a run"
    expected = {"a document twice": [of_two], "": [f"{told}read_run(…, columns='system={label}')"]}
    assert notes == expected.get(sign, [])
    columns = done("eval", name, "q.txt", "--run-columns", f"system={label}", "-m", "RR", "--tsv").stdout
    assert [row.split("\t")[0] for row in columns.splitlines()[1:]] == ["s1", "s2"]


def test_each_unknown_name_meets_each_format():
    assert len(TABLES) * len(UNKNOWN) * len(SIGNS) == 6 * 5 * 3


@pytest.mark.parametrize(("name", "label"), [*product(TABLES, ["", "run", "system", "setup", "Unnamed: 0"])])
def test_a_column_with_a_new_value_in_each_row_names_no_systems(folder, name, label):
    rows = [(f"r{place}", *row[1:]) for place, row in enumerate(LISTS)]
    (folder / name).write_text(FORMATS[name](rows, label))
    with noted() as notes:
        [run] = read_runs(name)
    assert {query: len(run[query]) for query in run.query_ids} == {"1": 4, "2": 4}
    is_told = label in ("run", "system")
    assert len(notes) == is_told
    assert all("has a new value in each row, and names no systems" in one for one in notes)
    if label:
        columns = done("eval", name, "q.txt", "--run-columns", f"system={label}", "-m", "RR", "--tsv").stdout
        assert [row.split("\t")[0] for row in columns.splitlines()[1:]] == [f"r{place}" for place in range(8)]


@pytest.mark.parametrize(("name", "label"), [*product(TABLES, ["", "setup"])])
def test_a_document_twice_is_one_in_a_file_that_numbers_its_rows(folder, name, label):
    rows = [("r1", "1", "a", 9), ("r2", "1", "b", 8), ("r3", "1", "a", 7)]
    (folder / name).write_text(FORMATS[name](rows, label))
    assert "query '1' has document 'a' twice" in refusal("eval", name, "q.txt")


@pytest.mark.parametrize("mark", ",;\t")
def test_ranks_that_begin_anew_are_of_another_system(folder, mark):
    rows = ["setup query_id doc_id rank", "s1 1 a 1", "s1 1 b 2", "s2 1 c 1", "s1 2 d 1", "s2 2 e 1", "s2 2 f 2"]
    (folder / "run.csv").write_text("".join(f"{row.replace(' ', mark)}\n" for row in rows))
    assert "query '1' has a rank twice, but not within one of these" in refusal("eval", "run.csv", "q.txt")
    (folder / "one.csv").write_text("".join(f"{row.replace(' ', mark)}\n" for row in rows if row[:2] != "s2"))
    with noted() as notes:
        assert len(toysearch.read_run("one.csv")) == 3
    assert notes == []


@pytest.mark.parametrize(
    "cells",
    [
        ["Desk lamp", "Iron", "Desk lamp", "Kettle", "Rug", "Bulb"],  # of documents
        ["red lamp", "red lamp", "red lamp", "iron", "iron", "iron"],  # of queries
        ["9.25", "8.5", "7.25", "3.5", "2.25", "1.75"],  # of rows
        ["x", "x", "x", "x", "x", "x"],
        ["", "s2", "s1", "s2", "s1", "s2"],
    ],
)
def test_a_column_of_documents_queries_or_rows_is_none_of_systems(folder, cells):
    ids = ["1,a,9", "1,b,8", "1,c,7", "2,d,9", "2,e,8", "2,f,9.5"]  # not in the order of the scores
    rows = [f"{row},{cell}\n" for row, cell in zip(ids, cells, strict=True)]
    (folder / "run.csv").write_text("".join(["query_id,doc_id,score,about\n", *rows]))
    with noted() as notes:
        assert toysearch.read_run("run.csv")["2"] == {"f": 9.5, "d": 9, "e": 8}
    assert notes == []


def test_texts_of_many_rows_are_not_kept(folder):
    rows = [(f"text {place}", str(place // 10), f"d{place}", -place) for place in range(3000)]
    (folder / "run.csv").write_text(table(rows, ",", "snippet"))
    with noted() as notes:
        assert len(toysearch.read_run("run.csv")) == 3000
    assert notes == []


def test_two_systems_of_an_unknown_name_in_a_frame_are_refused():
    columns = dict(zip(("setup", "query_id", "doc_id", "score"), map(list, zip(*MIXED, strict=True)), strict=True))
    with pytest.raises(DataError, match=r"the data frame seems to hold 2 systems \(column setup: s1, s2\)"):
        toysearch.evaluate(Frame(**columns), {"1": {"a": 1}})


def test_the_systems_of_a_frame_are_compared():
    columns = dict(zip(("system", "query_id", "doc_id", "score"), map(list, zip(*MIXED, strict=True)), strict=True))
    for runs in (Frame(**columns), [Frame(**columns)]):
        assert toysearch.compare(runs, {"1": {"a": 1}}, "AP").systems == ("s1", "s2")


RANKS = ("q1 d1 1 3", "q1 d2 2 1", "q1 d3 3 2", "q2 d4 1 2", "q2 d5 2 1")


def test_ranks_that_do_not_count_are_asked_about(folder):
    path = folder / "ranks.csv"
    path.write_text("query_id,doc_id,rank_a,page_rank\nq1,d1,1,7\nq1,d2,2,9\nq2,d4,1,3\n")
    (folder / "judged.txt").write_text("q1 0 d1 1\nq2 0 d4 1\n")
    assert "rank=rank_a or --run-columns" in refusal("eval", path, folder / "judged.txt")
