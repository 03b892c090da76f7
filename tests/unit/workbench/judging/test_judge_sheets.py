"""Grades of several judges from files: half-filled sheets, books, logs; what is refused, with file and line."""

import pytest
from captured_notes import noted
from error_messages import raising
from judge_sheet_grades import grades, reasons, refusal_of_sheets

from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.judging.judge_sheets import read_judges
from toysearch.workbench.judging.judgment_log import JudgmentLog

SHEET = "query_id,doc_id,relevance,reason\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_half_filled_sheets_of_one_judge_are_one_and_no_grade_is_lost(folder):
    (folder / "monday.csv").write_text(SHEET + "1,a,2,names it\n1,b,,\n1,c,,not sure\n,,,\n")
    (folder / "friday.csv").write_bytes(
        b"\xef\xbb\xbfquery_id;doc_id;relevance;reason\r\n1;a;2.0;again\r\n\r\n1;b;0;\r\n1;c;;\r\n;;;\r\n"
    )
    (folder / "ben.txt").write_text("1 0 a 1\n")
    judges = read_judges([("ada", "monday.csv"), ("ada", "friday.csv"), "ben.txt"])
    assert grades(judges) == {"ada": {("1", "a"): 2, ("1", "b"): 0}, "ben": {("1", "a"): 1}}
    assert reasons(judges) == {("ada", "1", "a"): "names it / again"}


def test_words_for_grades_are_those_of_judgments(folder):
    for name, grade in (("ada", "yes"), ("ben", "no")):
        (folder / f"{name}.csv").write_text(f"query,document,relevant\n1,a,{grade}\n1,b,no\n")
    assert grades(read_judges(["ada.csv", "ben.csv"])) == {
        "ada": {("1", "a"): 1, ("1", "b"): 0},
        "ben": {("1", "a"): 0, ("1", "b"): 0},
    }


def test_rows_without_a_grade_are_told(folder):
    (folder / "ada.csv").write_text(SHEET + "1,a,2,\n1,b,,\n1,c,,\n")
    with noted() as told:
        read_judges(["ada.csv"])
    assert told == ["ada.csv: 2 rows without a grade left out as unjudged, the first line 3"]


def test_the_column_of_the_judge_stands_above_the_name_of_the_file(folder):
    (folder / "class.csv").write_text("judge,query_id,doc_id,grade,comment\nada,1,a,2,so\nben,1,a,1,\n,1,b,0,\n")
    judges = read_judges(["class.csv"])
    assert grades(judges) == {"ada": {("1", "a"): 2}, "ben": {("1", "a"): 1}, "class": {("1", "b"): 0}}
    assert reasons(judges) == {("ada", "1", "a"): "so"}


def test_files_of_one_name_in_two_folders_are_two_judges(folder):
    for name in ("x", "y"):
        (folder / name).mkdir()
        (folder / name / "sheet.csv").write_text(SHEET + f"1,a,{len(name)},\n")
    assert [*grades(read_judges(["x/sheet.csv", "y/sheet.csv"]))] == ["1: x/sheet.csv", "2: y/sheet.csv"]


def test_a_book_has_a_column_for_each_judge_and_names_queries_by_text(folder):
    (folder / "book.csv").write_text(
        'query,docid,Ada,"Carla, Dr."\n\ntrain  cat,a,1.0,\n" =1+1, x",b,,2\ntrain cat,"d,""7",0,3\n,,,\n'
    )
    judges = read_judges(["book.csv"], {"7": "train cat", "8": "other"}, judges=["Ada", "Carla, Dr."])
    assert grades(judges) == {
        "Ada": {("train  cat", "a"): 1, ("7", 'd,"7'): 0},
        "Carla, Dr.": {("=1+1, x", "b"): 2, ("7", 'd,"7'): 3},
    }


def test_a_text_that_two_queries_have_names_neither(folder):
    (folder / "book.csv").write_text("query,docid,Ada\nx,a,1\ny,a,1\n2,a,1\n")
    judges = read_judges(["book.csv"], {"1": "x", "2": "x", "3": "2", "4": "y"}, judges=["Ada"])
    assert [each.query_id for each in judges] == ["x", "4", "2"]


def test_a_log_has_the_grades_in_force(folder):
    with JudgmentLog("class.jsonl") as log:
        log.add("ada", "1", "a", 2, "names it")
        log.add("ada", "1", "a", 1, "only once")
        log.add("ben", "1", "a", 0)
        log.undo("ben")
    judges = read_judges(["class.jsonl"])
    assert grades(judges) == {"ada": {("1", "a"): 1}}
    assert reasons(judges) == {("ada", "1", "a"): "only once"}


def test_only_some_judges(folder):
    (folder / "book.csv").write_text("query,docid,ada,ben,carla\n1,a,1,2,0\n")
    assert [*grades(read_judges(["book.csv"], judges=["carla", "ada"]))] == ["carla", "ada"]
    with raising(ArgumentError, "unknown judge 'bne'; did you mean 'ben'? Judges: ada, ben"):
        read_judges(["book.csv"], judges=["ada", "ben", "bne"])


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("other.csv", SHEET + "1,a,2,\n1,b,0,\n", "other.csv:3"),
        ("other.txt", "1 0 a 2\n1 0 b 0\n", "other.txt:2"),
        ("other.json", '{"1": {"b": 0}}', "other.json"),
    ],
)
def test_two_grades_of_one_judge_are_refused_with_both_places(folder, name, text, place):
    (folder / "first.csv").write_text(SHEET + "1,b,1,\n")
    (folder / name).write_text(text)
    assert refusal_of_sheets([("ada", "first.csv"), ("ada", name)]) == (
        f"{place}: ada gave query '1', document 'b' grade 0 here and 1 in first.csv:2; keep one of the two"
    )


def test_many_conflicts_are_listed(folder):
    rows = [f"1,d{number}," for number in range(30)]
    (folder / "one.csv").write_text(SHEET + "".join(f"{row}1,\n" for row in rows))
    (folder / "two.csv").write_text(SHEET + "".join(f"{row}2,\n" for row in rows))
    lines = refusal_of_sheets([("ada", "one.csv"), ("ada", "two.csv")]).splitlines()
    assert lines[0] == "30 grades differ from another of the same judge:"
    assert (len(lines), lines[-1]) == (22, "  and 10 more")
    assert lines[1] == (
        "  two.csv:2: ada gave query '1', document 'd0' grade 2 here and 1 in one.csv:2; keep one of the two"
    )


GIVEN = '{"query_id": "1", "doc_id": "a", "grade": 2}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GIVEN + GIVEN.replace("2", '"high"'), "x.csv:2: expected a number as relevance, found 'high'"),
        (GIVEN.replace('"1"', "true"), "x.csv:1: query_id must be a text or a whole number, found true"),
        (SHEET + "1,a,two,\n", "x.csv:2: expected a number as relevance, found 'two'"),
        (SHEET + ",a,2,\n", "x.csv:2: the query_id is empty"),
        (SHEET + '1,"a,2,\n', "x.csv:2: a quotation mark opens in this row and is not closed"),
        (SHEET + "1,a\n", "x.csv:2: expected 4 columns (query_id doc_id relevance reason), found 2"),
        ("query,docid\n1,a\n", "x.csv:1: expected a column relevance, or one column per judge"),
    ],
)
def test_what_is_refused(folder, text, message):
    (folder / "x.csv").write_text(text)
    assert refusal_of_sheets(["x.csv"]).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,docid,Ada,Ben\n1,a,x,2\n", "x.csv:2: expected a number as the grade of Ada, found 'x'"),
        ("query,docid,Ada,Ben\n1,a,nan,2\n", "x.csv:2: expected a number as the grade of Ada, found 'nan'"),
        ("query,docid,Ada\n1,a\n", "x.csv:2: expected 3 columns (query docid Ada), found 2"),
    ],
)
def test_what_is_refused_of_a_book(folder, text, message):
    (folder / "x.csv").write_text(text)
    assert refusal_of_sheets(["x.csv"], judges=["Ada"]).startswith(message)


def test_one_blank_sheet_is_no_judge_and_blank_sheets_alone_are_refused(folder):
    (folder / "ada.csv").write_text(SHEET + "1,a,,\n")
    (folder / "ben.csv").write_text(SHEET + "1,a,2,\n")
    assert [*grades(read_judges(["ada.csv", "ben.csv"]))] == ["ben"]
    with raising(DataError, "no grade is in ada.csv, ada.csv; fill some in"):
        read_judges(["ada.csv", "ada.csv"])


def test_grades_of_a_language_model_keep_their_reasons(folder):
    (folder / "model.jsonl").write_text(
        '{"query_id": 1, "doc_id": "a", "grade": 2, "reason": "names it"}\n\n'
        '{"query_id": "1", "doc_id": "b", "grade": 0, "judge": "small"}\n'
    )
    judges = read_judges(["model.jsonl"])
    assert grades(judges) == {"model": {("1", "a"): 2}, "small": {("1", "b"): 0}}
    assert reasons(judges) == {("model", "1", "a"): "names it"}


def test_umbrela_names_queries_and_passages_by_their_texts_or_ids(folder):
    line = '{"model": "m", "query": "train cat", "passage": "A  cat", "prompt": "", "prediction": "o: 2", "judgment": 2'
    (folder / "texts.jsonl").write_text(line + "}\n")
    (folder / "ids.jsonl").write_text(line + ', "qid": "7", "docid": "d7"}\n')
    judges = read_judges(["texts.jsonl", "ids.jsonl"], {"1": "train cat"}, {"d1": "A cat", "d2": "A dog"})
    assert grades(judges) == {"texts": {("1", "d1"): 2}, "ids": {("7", "d7"): 2}}
    assert reasons(judges)["ids", "7", "d7"] == "o: 2"
