"""`toysearch pool` and `toysearch agree`: tables, sheets, and what is refused."""

from __future__ import annotations

import json

import pytest
from shell import run

MINE = "1 Q0 1 1 3 mine\n1 Q0 2 2 2 mine\n2 Q0 3 1 1 mine\n"
YOURS = "1 Q0 2 1 0.9 yours\n1 Q0 4 2 0.5 yours\n"
ADA = "query_id,doc_id,relevance\n1,1,2\n1,2,0\n1,3,1\n2,1,0\n"
BEN = "1 0 1 1\n1 0 2 0\n1 0 3 1\n3 0 1 0\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("mine.run", MINE), ("yours.run", YOURS), ("ada.csv", ADA), ("ben.txt", BEN)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_each_run_brings():
    result = run("pool", "mine.run", "yours.run")
    assert result.exit_code == 0
    assert result.stdout == (
        "run    in the pool  found by it alone\n"
        "mine             3                  2\n"
        "yours            2                  1\n"
    )  # fmt: skip
    assert result.stderr == "4 documents to judge for 2 queries, depth 20\n"


def test_json_has_which_run_found_what():
    data = json.loads(run("pool", "mine.run", "yours.run", "--depth", "1", "--json").stdout)
    assert data == {
        "depth": 1,
        "runs": [{"run": "mine", "documents": 2, "alone": 2}, {"run": "yours", "documents": 1, "alone": 1}],
        "queries": {"1": {"1": {"mine": 1}, "2": {"yours": 1}}, "2": {"3": {"mine": 1}}},
    }


def test_a_sheet_with_texts(folder):
    result = run("pool", "mine.run", "yours.run", "-o", "sheet.csv", "--texts", "cat-dog-parrot")
    assert result.stderr == "4 documents to judge for 2 queries, depth 20, written to sheet.csv\n"
    lines = (folder / "sheet.csv").read_text().splitlines()
    assert lines[0] == "query_id,doc_id,relevance,reason,query_text,title,text"
    assert lines[1].startswith("1,1,,,")
    assert len(lines) == 5


def test_texts_of_another_collection(folder):
    (folder / "odd.run").write_text("1 Q0 1 1 3 odd\n1 Q0 none 2 2 odd\n")
    result = run("pool", "odd.run", "-o", "sheet.csv", "--texts", "cat-dog-parrot")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == "note: cat-dog-parrot lacks 1 documents of the pool, such as 'none'"
    (folder / "odd.run").write_text("1 Q0 none 2 2 odd\n")
    result = run("pool", "odd.run", "-o", "other.csv", "--texts", "cat-dog-parrot")
    assert result.exit_code == 2
    assert result.stderr == (
        "toysearch: cat-dog-parrot lacks 1 documents of the pool, such as 'none': is this the collection that was "
        "ranked?\n"
    )
    assert not (folder / "other.csv").exists()


def test_what_is_judged_is_left_out_and_equal_tags_give_way_to_files(folder):
    (folder / "again.run").write_text(MINE)
    result = run("pool", "mine.run", "again.run", "--judged", "ada.csv", "--tsv")
    assert result.stdout == "run\tdocuments\talone\nmine.run\t1\t0\nagain.run\t1\t0\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pool"], "Error: Missing argument 'RUN...'.\n"),
        (
            ["pool", "mine.run", "--texts", "cranfield"],
            "Error: --texts and --judges apply to the sheet: give -o FILE too\n",
        ),
        (
            ["pool", "-", "mine.run", "--judged", "-"],
            "Error: standard input (-) can be read only once; give the others as files\n",
        ),
        (["pool", "mine.run", "-o", "x.json"], "toysearch: unknown format of a sheet 'json'. Formats: csv, tsv\n"),
        (["pool", "none.run"], "toysearch: none.run: there is no such file\n"),
        (["agree", "-", "-"], "Error: standard input (-) can be read only once; give the others as files\n"),
    ],
)
def test_what_is_refused(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.endswith(message)


def test_the_figures_and_the_table():
    result = run("agree", "ada.csv", "ben.txt")
    assert result.exit_code == 0
    assert result.stdout == (
        "same grade                0.6667\n"
        "same by chance            0.3333\n"
        "kappa                     0.5000\n"
        "kappa, linear weights     0.5714\n"
        "kappa, quadratic weights  0.6667\n"
        "\n"
        "pairs, by the grade of the first judge (row) and the second (column)\n"
        "grade  0  1  2\n"
        "    0  1  0  0\n"
        "    1  0  1  0\n"
        "    2  0  1  0\n"
    )
    assert result.stderr == "3 pairs judged in both · 1 only in ada · 1 only in ben\n"


def test_two_grades_need_no_weights():
    assert "weights" not in run("agree", "ada.csv", "ben.txt", "--threshold", "1").stdout


def test_differences_to_talk_about():
    result = run("agree", "ada.csv", "-", "--differences", "--format", "csv", stdin=BEN)
    assert result.stdout == "query_id,doc_id,ada,standard input\n1,1,2,1\n"


def test_json_has_everything_of_the_agreement():
    data = json.loads(run("agree", "ada.csv", "ben.txt", "--json").stdout)
    assert data["n"] == 3
    assert data["table"] == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert data["disagreements"] == [{"query_id": "1", "doc_id": "1", "first": 2.0, "second": 1.0}]


def test_a_kappa_of_no_pairs_is_no_number(folder):
    """Of three judges none of whose pairs all three have, Fleiss' kappa is undefined, and the reason is told."""
    for name, judged in (("a", "q 0 1 1\nq 0 2 0\n"), ("b", "q 0 3 0\nq 0 4 1\n"), ("c", "q 0 3 0\nq 0 4 1\n")):
        (folder / f"{name}.txt").write_text(judged)
    result = run("agree", "a.txt", "b.txt", "c.txt")
    assert "nan" not in result.stdout
    assert "Fleiss' kappa                     –" in result.stdout
    assert "note: Fleiss' kappa needs pairs that all have judged, and there are none\n" in result.stderr


def test_a_query_of_one_grade_has_no_alpha(folder):
    (folder / "one.txt").write_text("1 0 1 0\n1 0 2 0\n2 0 1 1\n2 0 2 0\n")
    (folder / "two.txt").write_text("1 0 1 0\n1 0 2 0\n2 0 1 1\n2 0 2 1\n")
    result = run("agree", "one.txt", "two.txt", "--per-query")
    assert result.stdout.splitlines() == [
        "query  pairs  same grade   alpha",
        "1          2      1.0000",
        "2          2      0.5000  0.0000",
    ]
    assert json.loads(run("agree", "one.txt", "two.txt", "--per-query", "--json").stdout)[0]["alpha"] is None


def test_the_sheet_of_each_judge_keeps_the_name(folder):
    run("pool", "mine.run", "yours.run", "-o", "class.csv", "--judges", "ada,ben", "--twice", "50")
    for name in ("ada", "ben"):
        sheet = (folder / f"class-{name}.csv").read_text()
        assert sheet.splitlines()[0] == "query_id,doc_id,relevance,reason,judge"
        assert sheet.splitlines()[1].endswith(f",,,{name}")
        (folder / f"returned {name}.csv").write_text(sheet.replace(",,,", f",{len(name)},because,"))
    data = json.loads(run("agree", "returned ada.csv", "returned ben.csv", "--per-query", "--json").stdout)
    assert [row["agreement"] for row in data] == [1.0, 1.0]
    assert "of 2 judges" in run("merge", "returned ada.csv", "returned ben.csv").stderr


def test_parts_of_one_judge_and_reasons_beside_the_differences(folder):
    (folder / "more.csv").write_text("query_id;doc_id;relevance;reason\n1;4;1;the title\n1;3;2;long\n")
    result = run("agree", "ben=ben.txt", "ada=ada.csv", "ada=more.csv", "--differences")
    assert result.stderr == (
        "toysearch: more.csv:3: ada gave query '1', document '3' grade 2 here and 1 in ada.csv:4; keep one of the two\n"
    )
    (folder / "more.csv").write_text("query_id;doc_id;relevance;reason\n1;4;1;the title\n1;1;2;long\n")
    result = run("agree", "ben=ben.txt", "ada=ada.csv", "ada=more.csv", "--differences", "--format", "csv")
    assert result.stdout == "query_id,doc_id,ben,ada,reasons\n1,1,1,2,ada: long\n"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("majority", "1 0 2 0\n1 0 3 1\n2 0 1 0\n3 0 1 0\n"),
        ("optimistic", "1 0 1 2\n1 0 2 0\n1 0 3 1\n2 0 1 0\n3 0 1 0\n"),
        ("pessimistic", "1 0 1 1\n1 0 2 0\n1 0 3 1\n2 0 1 0\n3 0 1 0\n"),
        ("mean", "1 0 1 1.5\n1 0 2 0\n1 0 3 1\n2 0 1 0\n3 0 1 0\n"),
    ],
)
def test_merged_by_each_rule(rule, expected):
    result = run("merge", "ada.csv", "ben.txt", "--rule", rule)
    assert (result.exit_code, result.stdout) == (0, expected)
    assert ("note: 1 pair left out because no grade has most votes" in result.stderr) == (rule == "majority")


def test_merged_into_what_quepid_reads_and_back(folder):
    run("merge", "ada.csv", "ben.txt", "--to", "book", "--texts", "cat-dog-parrot", "-o", "book.csv")
    assert (folder / "book.csv").read_text().splitlines()[:2] == ["query,docid,ada,ben", "train cat,1,2,1"]
    found = run("merge", "book.csv", "--texts", "cat-dog-parrot", "--to", "sheet").stdout
    assert found == run("merge", "ada.csv", "ben.txt", "--to", "sheet").stdout
    again = run("merge", "ada.csv", "-o", "book.csv")
    assert again.exit_code == 2
    assert "choose another name, or give --force" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agree", "ada.csv"], "Error: agreement needs two judges, and there is one: ada; give more files\n"),
        (["agree", "ada.csv", "ben.txt", "--judges", "ada,carla"], "unknown judge 'carla'. Judges: ada, ben\n"),
        (["merge", "ada.csv", "--to", "log", "--rule", "mean"], "--to log keeps the judges apart\n"),
        (["merge", "a=-", "-"], "Error: standard input (-) can be read only once; give the others as files\n"),
        (["merge", "none.csv"], "toysearch: none.csv: there is no such file\n"),
    ],
)
def test_what_judges_are_refused(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.endswith(message)


def test_the_most_decisive_pairs_come_first(folder):
    # AP of query 1 by runs (1, 2) and (2, 4): document 1 alone adds 1 to mine, 4 alone 1/2 to yours; 3 adds 1 to mine.
    data = json.loads(run("pool", "mine.run", "yours.run", "--decisive", "AP", "--json").stdout)
    assert data["influence"] == {"1": {"1": 0.5, "2": 0.25, "4": 0.25}, "2": {"3": 0.5}}
    result = run("pool", "mine.run", "yours.run", "--decisive", "AP", "--most", "2", "-o", "sheet.csv")
    assert result.stderr == "2 documents to judge for 2 queries, depth 20, written to sheet.csv\n"
    assert (folder / "sheet.csv").read_text() == "query_id,doc_id,relevance,reason\n1,1,,\n2,3,,\n"
    (folder / "judged.csv").write_text("query_id,doc_id,relevance\n1,1,0\n2,3,0\n")
    data = json.loads(
        run("pool", "mine.run", "yours.run", "--decisive", "P@1", "--judged", "judged.csv", "--json").stdout
    )
    assert data["influence"] == {"1": {"2": 0.5, "4": 0.0}}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--decisive", "GMAP"], "GMAP is not a mean over queries"),
        (["--most", "3"], "--most keeps the most decisive pairs: give --decisive MEASURE too"),
    ],
)
def test_what_decides_nothing(arguments, says):
    result = run("pool", "mine.run", "yours.run", *arguments)
    assert (result.exit_code, says in result.stderr) == (2, True)


def test_decisions_may_be_a_log(folder):
    def entry(doc_id, more, time):
        return json.dumps({"time": time, "judge": "adjudicator", "query_id": "1", "doc_id": doc_id} | more) + "\n"

    lines = [entry("1", {"grade": 3}, "2"), entry("3", {"grade": 2}, "3"), entry("3", {"undo": True}, "4")]
    (folder / "decided.jsonl").write_text("".join(lines))
    result = run("merge", "ada.csv", "ben.txt", "--decisions", "decided.jsonl")
    assert result.stdout == "1 0 1 3\n1 0 2 0\n1 0 3 1\n2 0 1 0\n3 0 1 0\n"
    (folder / "decided.jsonl").write_text("".join([lines[1], lines[2]]))
    assert "1 pair left out" in run("merge", "ada.csv", "ben.txt", "--decisions", "decided.jsonl").stderr
