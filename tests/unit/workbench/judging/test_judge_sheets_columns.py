"""Which columns hold the grades of judges: known names, a book, those named; any other table is asked about."""

import json
import re

import pytest
from captured_notes import noted
from error_messages import raising
from judge_sheet_grades import given_by, grades, refusal_of_sheets
from shell import done, refusal, refused, run, words_of

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.judging.judge_sheets import read_judges, write_judges

ROWS = (
    ("lamp", "S1", "A red lamp", 3, 2, 9.5),
    ("lamp", "S2", "Shade, oval", 0, 1, 24),
    ("iron", "S3", "Iron", 2, 2, 61),
)
BOTH = {"Ada": {("lamp", "S1"): 3, ("lamp", "S2"): 0, ("iron", "S3"): 2}} | {
    "Tom": {("lamp", "S1"): 2, ("lamp", "S2"): 1, ("iron", "S3"): 2}
}
QUESTION = r"name it: (?:(?P<several>.*), or, if one column has all grades, )?(?P<one>.*)$"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def merged(*arguments):
    """The rows that `merge` writes as a sheet: judge, query, document, grade."""
    lines = done("judge", "merge", *arguments, "--to", "sheet").stdout.splitlines()[1:]
    return [(judge, query, doc, float(grade)) for query, doc, grade, judge, _ in (line.split(",") for line in lines)]


def table(labels, cells, delimiter=","):
    quoted = [[f'"{cell}"' if delimiter in str(cell) else str(cell) for cell in row] for row in [labels, *cells]]
    return "".join(delimiter.join(row) + "\n" for row in quoted)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "labels",
    [
        ["search_term", "sku", "Rating (0-3)", "Minutes"],
        ["query_id", "doc_id", "How good is it?", "Price in EUR"],
        ["query", "docid", "Rating (0-3)", "Minutes"],
    ],
)
def test_a_column_of_numbers_is_asked_about_and_the_answer_works(folder, labels, delimiter):
    rows = [[query, doc, grade, minutes] for query, doc, _, grade, _, minutes in ROWS]
    (folder / "ada.csv").write_text(table(labels, rows, delimiter), encoding="utf-8")
    (folder / "tom.txt").write_text("lamp 0 S1 2\nlamp 0 S2 1\niron 0 S3 2\n")
    told = {refusal(*command) for command in (("judge", "merge", "ada.csv"), ("judge", "agree", "ada.csv", "tom.txt"))}
    match = re.search(QUESTION, told.pop())
    assert not told
    assert match["several"] is None
    assert all(label in match.string for label in labels)
    options = words_of(match["one"])
    assert merged("ada.csv", *options) == [("ada", *pair, grade) for pair, grade in BOTH["Ada"].items()]
    found = done("judge", "agree", "ada.csv", "tom.txt", *options, "--json").stdout
    assert json.loads(found)["agreement"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["two.csv", "two.jsonl"])
def test_of_several_columns_the_judges_are_chosen(folder, name):
    labels = ["search_term", "sku", "title", "Ada", "Tom", "price"]
    items = [json.dumps(dict(zip(labels, row, strict=True))) for row in ROWS]
    (folder / name).write_text(table(labels, ROWS) if name == "two.csv" else "\n".join(items))
    match = re.search(QUESTION, refusal("judge", "agree", name))
    assert (words_of(match["one"])[1], words_of(match["several"])[1]) == ("grade=Ada", "Ada,Tom")
    assert grades(read_judges([name], columns="grade=Ada")) == {"two": BOTH["Ada"]}
    options = words_of(match["several"])
    assert json.loads(done("judge", "agree", name, *options, "--json").stdout)["agreement"] == pytest.approx(1 / 3)
    assert [row[0] for row in merged(name, *options)] == ["Ada"] * 3 + ["Tom"] * 3
    assert grades(read_judges([name], judges=["tom", "ADA"])) == {"tom": BOTH["Tom"], "ADA": BOTH["Ada"]}
    assert "judges=['Ada', 'Tom']" in refusal_of_sheets([name])


def test_a_question_keeps_the_columns_that_are_named(folder):
    (folder / "two.csv").write_text(table(["such", "ware", "Ada", "Tom"], [[q, d, a, t] for q, d, _, a, t, _ in ROWS]))
    match = re.search(QUESTION, refusal("judge", "agree", "two.csv", "--qrels-columns", "query=such,doc=ware"))
    assert grades(read_judges(["two.csv"], columns="query=such,doc=ware", judges=["Ada", "Tom"])) == BOTH
    assert "3 pairs judged in both" in done("judge", "agree", "two.csv", *words_of(match["several"])).output
    assert merged("two.csv", *words_of(match["one"])) == [("two", *pair, grade) for pair, grade in BOTH["Ada"].items()]


@pytest.mark.parametrize("named", ["Güte (0-3)", "güte (0–3)", "Gu\u0308te\u00a0(0−3)", " GÜTE  (0-3) "])
def test_a_column_is_known_by_its_name_however_it_is_typed(folder, named):
    (folder / "ada.csv").write_text("query,sku,GÜTE (0—3),Zeit\nlamp,S1,2,9\n", encoding="utf-8")
    expected = {("lamp", "S1"): 2}
    assert grades(read_judges(["ada.csv"], columns={"grade": named})) == {"ada": expected}
    assert grades(read_judges(["ada.csv"], judges=[named])) == {named: expected}
    assert dict(toysearch.read_qrels("ada.csv", {"grade": named})["lamp"].items()) == {"S1": 2}


def test_a_column_that_no_file_has_is_refused(folder):
    (folder / "two.csv").write_text("search_term,sku,Ada,Tom\nlamp,S1,2,3\n")
    (folder / "eva.txt").write_text("lamp 0 S1 2\n")
    message = "two.csv:1: unknown column 'Tim'; did you mean 'Tom'? Columns: search_term, sku, Ada, Tom"
    for columns in ("grade=Tim", {"relevance": "Tim"}):
        with raising(DataError, message):
            read_judges(["two.csv", "eva.txt"], columns=columns)
    with raising(ArgumentError, "two columns are named for the grade: grade=Ada,grade=Tom; name one"):
        read_judges(["two.csv"], columns="grade=Ada,grade=Tom")
    assert refusal("judge", "merge", "eva.txt", "--qrels-columns", "grade=a").startswith(
        "toysearch: eva.txt has no columns with names; leave out --qrels-columns"
    )
    with raising(
        ArgumentError, "unknown part of a judgment 'grad'; did you mean 'grade'? Parts: query, doc, grade, judge"
    ):
        read_judges(["two.csv"], columns="grad=Ada")
    with raising(ArgumentError, "unknown judge 'Tim'. Judges: Ada"):
        read_judges(["two.csv"], judges=["Ada", "Tim"])
    with raising(ArgumentError, "unknown value of on_error 'ignore'. Values: refuse, skip"):
        read_judges(["two.csv"], judges=["Ada"], on_error="ignore")


@pytest.mark.parametrize(
    "header",
    ["query,docid,Ada,Tom", "query_id,doc_id,Ada,Tom", "docid,query,Ada,Tom", "query,sku,annotator_1,annotator_2"],
)
def test_the_columns_of_judges_are_asked_for(folder, header):
    (folder / "book.csv").write_text(f"{header}\nlamp,S1,3,2\n")
    match = re.search(QUESTION, refusal("judge", "agree", "book.csv"))
    assert words_of(match["several"]) == ["--judges", ",".join(header.split(",")[2:])]
    assert done("judge", "agree", "book.csv", *words_of(match["several"])).exit_code == 0


def test_a_large_number_is_proposed_as_no_grade(folder):
    rows = zip(["lamp", "lamp", "iron", "iron"], range(4), [2, 0, 3, 1], [3, 0, 1, 1], [12, 45, 33, 20], strict=True)
    (folder / "book.csv").write_text(table(["query", "docid", "ada", "ben", "seconds"], rows))
    options = words_of(re.search(QUESTION, refusal("judge", "agree", "book.csv"))["several"])
    assert options == ["--judges", "ada,ben"]
    found = json.loads(done("judge", "agree", "book.csv", *options, "--json").stdout)
    by_chance = (1 * 1 + 1 * 2 + 1 * 0 + 1 * 1) / 16  # ada gave 0, 1, 2, 3 once each; ben 0 once, 1 twice, 3 once
    assert found["kappa"] == pytest.approx((0.5 - by_chance) / (1 - by_chance))


def test_each_book_that_is_written_is_read_whatever_its_judges_are_called(folder):
    names = ["Ada", "minutes", "docid", "title", "comment", "Tom, Dr.", "(x)", "rank"]
    judges = given_by({name: {"1": {"d": place}} for place, name in enumerate(names)})
    for form in ("sheet", "book"):
        write_judges(judges, folder / "all.csv", form)
        assert grades(read_judges(["all.csv"], judges=names)) == grades(judges), form
    assert re.search("or, if one column has all grades, .*columns='grade=Ada'", refusal_of_sheets(["all.csv"]))


def test_the_rank_of_a_document_and_the_score_of_a_run_are_no_grades(folder):
    (folder / "run.csv").write_text("query_id,doc_id,rank,score,Ada,Tom\nlamp,S1,1,2.5,3,2\n")
    (folder / "llm.csv").write_text("query_id,doc_id,score\nlamp,S1,2\n")
    match = re.search(QUESTION, refusal("judge", "merge", "run.csv"))
    assert match["several"].endswith("--judges Ada,Tom")
    assert grades(read_judges(["run.csv"], columns="grade=score")) == {"run": {("lamp", "S1"): 2.5}}
    assert grades(read_judges(["llm.csv"])) == {"llm": {("lamp", "S1"): 2}}


def test_the_column_with_the_names_of_the_judges_may_be_named(folder):
    text = "query,sku,Note,Wer\nlamp,S1,3,Ada\nlamp,S1,2,Tom\n"
    (folder / "long.csv").write_text(text)
    columns = "grade=Note,judge=Wer"
    expected = {"Ada": {("lamp", "S1"): 3}, "Tom": {("lamp", "S1"): 2}}
    assert grades(read_judges(["long.csv"], columns=columns)) == expected
    assert done("judge", "agree", "long.csv", "--qrels-columns", columns).exit_code == 0
    items = ({"query": "lamp", "sku": "S1", "Note": grade, "Wer": judge} for grade, judge in ((3, "Ada"), (2, "Tom")))
    (folder / "long.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    assert grades(read_judges(["long.jsonl"], columns=columns)) == expected


@pytest.mark.parametrize("label", ["worker_id", "username", "staff"])
def test_a_column_that_tells_repeated_grades_apart_is_asked_about(folder, label):
    pairs = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
    rows = [
        (date, who, *pair, str(grade)) for date, who, grade in (("May", "ada", 1), ("June", "ben", 2)) for pair in pairs
    ]
    (folder / "all.csv").write_text(table(["timestamp", label, "query_id", "doc_id", "relevance"], rows))
    told = refusal("judge", "agree", "all.csv")
    assert told.startswith(f"toysearch: all.csv:1: a pair is graded twice; if {label} names the judges: ")
    assert "agreement of ada, ben" in done("judge", "agree", "all.csv", *words_of(told.partition("judges: ")[2])).stdout


def test_decisions_may_have_the_columns_of_the_sheets(folder):
    for name, grade in (("ada", 3), ("tom", 1), ("decided", 2)):
        (folder / f"{name}.csv").write_text(f"search_term,sku,Note,Minutes\nlamp,S1,{grade},9\nlamp,S2,?,9\n")
    (folder / "own.csv").write_text("query_id,doc_id,relevance\nlamp,S1,0\n")
    options = ("--qrels-columns", "grade=Note", "--on-error", "skip")
    for decisions, grade in (("decided.csv", 2), ("own.csv", 0)):
        found = done("judge", "merge", "ada.csv", "tom.csv", *options, "--decisions", decisions)
        assert found.stdout == f"lamp 0 S1 {grade}\n"


def test_standard_input_is_read_once(folder):
    text = table(["query", "sku", "Ada", "Tom"], [[q, d, ada, tom] for q, d, _, ada, tom, _ in ROWS])
    found = run("judge", "agree", "-", "--judges", "Ada,Tom", "--json", stdin=text)
    assert json.loads(found.stdout)["agreement"] == pytest.approx(1 / 3)
    found = run("judge", "merge", "-", "--qrels-columns", "grade=Tom", stdin=text)
    assert found.stdout.splitlines()[0] == "lamp 0 S1 2"


def test_another_encoding_may_be_named(folder):
    (folder / "ada.csv").write_bytes("query;sku;Grösse;Güte (0-3)\nlamp;S1;4;3\n".encode("cp1252"))
    assert merged("ada.csv", "--encoding", "cp1252", "--qrels-columns", "grade=güte (0-3)") == [
        ("ada", "lamp", "S1", 3)
    ]


def test_lines_that_cannot_be_read_are_left_out_with_their_number(folder):
    (folder / "ada.csv").write_text("query,sku,rating\nlamp,S1,3\nlamp,S2,n/a\nlamp,S3,\nlamp,S4,?\niron,S1\n")
    (folder / "two.csv").write_text("query,docid,Ben,Tom\nlamp,S1,?,2\nlamp,S2,x,y\niron,S3,1,\n")
    (folder / "llm.jsonl").write_text(
        '{"query_id": "lamp", "doc_id": "S1", "relevance": 1}\n'
        '{"query_id": "lamp", "doc_id": "S2", "relevance": null}\n'
        '{"query_id": "lamp", "doc_id": "S3", "relevance": 0, "result_status": 0}\n["lamp"]\n'
    )
    (folder / "eva.txt").write_text("lamp 0 S1 2\nlamp 0 S2 ?\n")
    files = ["ada.csv", "two.csv", "llm.jsonl", "eva.txt"]
    for file in files:
        assert f"{file}:" in refused("judge", "merge", file)
    with noted() as told:
        found = read_judges(files, judges=["ada", "Ben", "Tom", "llm", "eva"], on_error="skip")
    assert {judge: len(of_judge) for judge, of_judge in grades(found).items()} == {
        "ada": 1,
        "Tom": 1,
        "Ben": 1,
        "llm": 1,
        "eva": 1,
    }
    assert [note.partition(": expected")[0] for note in told] == [
        "ada.csv: 3 lines left out, the first line 3",
        "ada.csv: 1 row without a grade left out as unjudged, the first line 4",
        "two.csv: 3 grades left out, the first on line 2",
        "llm.jsonl: 1 line left out, on line 4",
        "llm.jsonl: 2 rows without a grade (1 with result_status 0) left out as unjudged, the first line 2",
        "eva.txt: 1 line left out, on line 2",
    ]
    options = ("--judges", "ada,Ben,Tom,llm,eva", "--on-error", "skip")
    done("judge", "agree", *files, *options)
    assert len(merged(*files, *options)) == 5
    (folder / "bad.csv").write_text("query,sku,rating\nlamp,S1,?\n")
    assert refusal("judge", "merge", "bad.csv", "--on-error", "skip").endswith(
        "bad.csv:2: expected a number as relevance, found '?'"
    )


def test_of_two_grades_of_a_judge_the_first_is_kept(folder):
    (folder / "one.csv").write_text("query,sku,rating\nlamp,S1,3\nlamp,S2,1\n")
    (folder / "two.csv").write_text("query,sku,rating\nlamp,S1,2\nlamp,S2,0\n")
    with noted() as told:
        found = read_judges([("ada", "one.csv"), ("ada", "two.csv")], on_error="skip")
    assert grades(found) == {"ada": {("lamp", "S1"): 3, ("lamp", "S2"): 1}}
    assert told == [
        "2 grades left out, different from the first of the same judge: "
        "two.csv:2: ada gave query 'lamp', document 'S1' grade 2 here and 3 in one.csv:2"
    ]


@pytest.mark.parametrize(
    ("label", "scale"),
    [
        ("Rating (0-3)", (0, 3)),
        ("Güte [0 – 3]", (0, 3)),
        ("grade (0..3)", (0, 3)),
        ("rel {0, 1, 2, 3}", (0, 3)),
        ("note (0 à 3)", (0, 3)),
        ("Note (0/3)", (0, 3)),
        ("rating (-1 to 3)", (-1, 3)),
        ("Rating", None),
        ("Rating (3)", None),
        ("Rating (2024-01)", None),
    ],
)
def test_grades_outside_the_scale_of_their_column_are_told(folder, label, scale):
    rows = "".join(f'lamp,S{place},"{grade}"\n' for place, grade in enumerate([0, 3, 5, 1, 4, -1]))
    (folder / "ada.csv").write_text(f'query,sku,"{label}"\n{rows}')
    (folder / "two.csv").write_text(f'query,sku,"{label}",Tom\n{rows.replace(chr(10), f",9{chr(10)}")}')
    (folder / "ada.run").write_text("lamp Q0 S1 1 1 a\n")
    number = 0 if scale is None else 2 + (scale[0] > -1)
    sentence = [f"{number} grades outside the scale of '{label}', the first 5 on line 4; kept as given"] * bool(number)
    columns = {"relevance": label}
    with noted() as told:
        assert grades(read_judges(["ada.csv"], columns=columns))["ada"]["lamp", "S2"] == 5
        toysearch.read_qrels("ada.csv", columns)
        read_judges(["two.csv"], judges=[label, "Tom"])
    assert told == [f"{file}: {text}" for file in ("ada.csv", "ada.csv", "two.csv") for text in sentence]


def test_the_grades_of_a_second_judge_are_asked_about_by_a_command_that_can_name_them(folder):
    (folder / "two.csv").write_text("query_id,doc_id,Ada,Tom\n1,1,3,2\n1,2,1,1\n2,3,0,2\n")
    told = refusal("judge", "rejudge", "cat-dog-parrot", "--model", "bm25", "--by", "two.csv", "--model", "cosine")
    assert "name it: toysearch judge merge FILE --judges Ada,Tom, or, if" in told


def test_the_judges_whose_grades_are_compared_are_shown(folder):
    (folder / "book.csv").write_text("query,docid,ada,ben,carla\nlamp,S1,3,2,3\nlamp,S2,0,0,1\n")
    all_three = done("judge", "agree", "book.csv", "--judges", "ada,ben,carla").stdout
    assert all_three.startswith("agreement of ada, ben, carla\n")
    assert done("judge", "agree", "book.csv", "--judges", "ben,ada").stdout.startswith("agreement of ben, ada\n")
