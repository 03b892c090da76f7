"""Which columns hold the grades of judges: those named and those of a known form; any other column is asked about."""

import json
import re

import pytest
from captured_notes import noted
from error_messages import raising
from judge_sheet_grades import grades, refusal_of_sheets
from shell import done, refusal, refused, run, words_of

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.judging.judge_sheets import Judges, read_judges, write_judges

ROWS = (
    ("lamp", "S1", "A red lamp", 3, 2, 9.5),
    ("lamp", "S2", "Shade, oval", 0, 1, 24),
    ("iron", "S3", "Iron", 2, 2, 61),
)
BOTH = {"Ada": {("lamp", "S1"): 3, ("lamp", "S2"): 0, ("iron", "S3"): 2}} | {
    "Tom": {("lamp", "S1"): 2, ("lamp", "S2"): 1, ("iron", "S3"): 2}
}
QUESTION = r"name (?:it|them): (?:(?P<several>.*), or, if one column has all grades, )?(?P<one>.*)$"


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


def sheet_of(labels):
    """A sheet of one judge: query, document, grade, minutes."""
    return [labels, [[query, doc, grade, minutes] for query, doc, _, grade, _, minutes in ROWS]]


HEADERS = [
    ["search_term", "sku", "Rating (0-3)", "Minutes"],
    ["Search Term", "SKU", "RATING [0–3]", "minutes"],
    ["query_id", "doc_id", "How good is it?", "Price in EUR"],
    ["query", "docid", "Rating (0-3)", "Minutes"],
    ["query", "docid", "Ada (0-3)", "Minutes"],
    ["query", "url", "rating (0, 1, 2, 3)", "Minutes"],
    ["Suchanfrage", "Artikel", "Bewertung (0 bis 3)", "Zeit in Minuten"],
    ["requête", "réf", "pertinence {0..3}", "durée"],
    ["検索語", "商品", "評価 (0-3)", "分"],
    ["Suche", "Artikel", "Note = 0/3 'gut'", "Zeit"],
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("labels", HEADERS, ids=lambda labels: labels[2])
def test_a_column_of_numbers_is_asked_about_and_the_answer_works(folder, labels, delimiter):
    (folder / "ada.csv").write_text(table(*sheet_of(labels), delimiter), encoding="utf-8")
    (folder / "tom.txt").write_text("lamp 0 S1 2\nlamp 0 S2 1\niron 0 S3 2\n")
    told = {refusal(*command) for command in (("judge", "merge", "ada.csv"), ("judge", "agree", "ada.csv", "tom.txt"))}
    assert len(told) == 1
    match = re.search(QUESTION, told.pop())
    assert match["several"] is None
    assert all(label in match.string for label in labels)
    options = words_of(match["one"])
    assert merged("ada.csv", *options) == [("ada", *pair, grade) for pair, grade in BOTH["Ada"].items()]
    found = done("judge", "agree", "ada.csv", "tom.txt", *options, "--json").stdout
    assert json.loads(found)["agreement"] == pytest.approx(1 / 3)


def test_of_several_columns_the_judges_are_chosen(folder):
    labels = ["search_term", "sku", "title", "Ada", "Tom", "price"]
    (folder / "two.csv").write_text(table(labels, ROWS))
    match = re.search(QUESTION, refusal("judge", "agree", "two.csv"))
    assert (words_of(match["one"])[1], words_of(match["several"])[1]) == ("grade=Ada", "Ada,Tom")
    assert grades(read_judges(["two.csv"], columns="grade=Ada")) == {"two": BOTH["Ada"]}
    for options in (words_of(match["several"]), ["--qrels-columns", "grade=Ada,grade=Tom"]):
        assert json.loads(done("judge", "agree", "two.csv", *options, "--json").stdout)["agreement"] == pytest.approx(
            1 / 3
        )
        assert [row[0] for row in merged("two.csv", *options)] == ["Ada"] * 3 + ["Tom"] * 3
    assert grades(read_judges(["two.csv"], judges=["tom", "ADA"])) == {"tom": BOTH["Tom"], "ADA": BOTH["Ada"]}
    assert "judges=['Ada', 'Tom']" in refusal_of_sheets(["two.csv"])


def test_columns_of_judges_in_any_language_are_asked_about_and_the_answer_works(folder):
    labels = ["Suchanfrage", "Dokument", "Bewertung Anna (0–3)", "Bewertung Tom", "Bemerkung", "Minuten"]
    rows = [["lamp", "S1", 2, 1, "?", 7], ["lamp", "S2", 0, "?", "", 3], ["iron", "S3", 3, 2, "gut", 9]]
    (folder / "zwei.csv").write_text(table(labels, rows, ";"), encoding="utf-8")
    match = re.search(QUESTION, refusal("judge", "agree", "zwei.csv"))
    options = words_of(match["several"])
    assert options[-1] == "Bewertung Anna (0–3),Bewertung Tom"
    assert refusal("judge", "agree", "zwei.csv", *options).endswith("found '?'; --on-error skip leaves it out")
    found = run("judge", "agree", "zwei.csv", *options, "--on-error", "skip")
    assert "zwei.csv: 1 grade left out, on line 3: expected a number as the grade of Bewertung Tom" in found.stderr
    alone = refusal("judge", "agree", "zwei.csv", *words_of(match["one"]))
    assert alone.endswith("there is one: zwei; give more files, or their columns: --judges NAMES")


@pytest.mark.parametrize("named", ["Güte (0-3)", "güte (0–3)", "Gu\u0308te\u00a0(0−3)", " GÜTE  (0-3) "])
def test_a_column_is_known_by_its_name_however_it_is_typed(folder, named):
    (folder / "ada.csv").write_text("query,sku,GÜTE (0—3),Zeit\nlamp,S1,2,9\n", encoding="utf-8")
    expected = {("lamp", "S1"): 2}
    assert grades(read_judges(["ada.csv"], columns={"grade": named})) == {"ada": expected}
    assert grades(read_judges(["ada.csv"], judges=[named])) == {named: expected}
    assert dict(toysearch.read_qrels("ada.csv", {"grade": named})["lamp"].items()) == {"S1": 2}


@pytest.mark.parametrize(
    "labels", ["query,sku,Ada; Dr.,Zeit", "query;sku;Ada, Dr.;Zeit", "query\tsku\tAda, Dr.; MA\tZeit"]
)
def test_the_delimiter_is_the_mark_that_parts_the_ids(folder, labels):
    mark = labels[5]
    (folder / "ada.csv").write_text(f"{labels}\n{mark.join(['lamp', 'S1', '2', '9'])}\n")
    assert grades(read_judges(["ada.csv"], judges=[labels.split(mark)[2]])) == {
        labels.split(mark)[2]: {("lamp", "S1"): 2}
    }


def test_judges_whose_names_hold_commas_and_blanks(folder):
    labels = ["query", "sku", "Grade (Ada, Dr.)", "Grade (Tom)", "Minutes"]
    (folder / "two.csv").write_text(table(labels, [[q, d, *more] for q, d, _, *more in ROWS]))
    match = re.search(QUESTION, refusal("judge", "agree", "two.csv"))
    found = merged("two.csv", *words_of(match["one"]))
    assert found == [("two", *pair, grade) for pair, grade in BOTH["Ada"].items()]
    several = words_of(match["several"])
    assert several == ["--judges", '"Grade (Ada, Dr.)",Grade (Tom)']
    assert json.loads(done("judge", "agree", "two.csv", *several, "--json").stdout)["agreement"] == pytest.approx(1 / 3)


def test_two_sheets_that_name_their_columns_differently(folder):
    (folder / "ada.csv").write_text(table(*sheet_of(["search_term", "sku", "Rating (0-3)", "Minutes"])))
    rows = [[doc, query, grade] for query, doc, _, _, grade, _ in ROWS]
    (folder / "tom.csv").write_text(table(["Artikel", "Suche", "Note"], rows, ";"))
    (folder / "eva.csv").write_text("query_id,doc_id,relevance\nlamp,S1,1\n")
    options = words_of(re.search(QUESTION, refusal("judge", "agree", "ada.csv", "tom.csv", "eva.csv"))["one"])
    told = refusal("judge", "agree", "ada.csv", "tom.csv", "eva.csv", *options)
    assert re.search(QUESTION, told)["one"].startswith(f"{options[0]} ")
    options = [options[0], f"{options[1]},query=Suche,doc=Artikel,grade=Note"]
    found = read_judges(["ada.csv", "tom.csv", "eva.csv"], columns=options[1])
    assert grades(found) == {"ada": BOTH["Ada"], "tom": BOTH["Tom"], "eva": {("lamp", "S1"): 1}}
    assert "3 pairs judged by two or more" in done("judge", "agree", "ada.csv", "tom.csv", "eva.csv", *options).output


def test_a_column_that_no_file_has_is_refused(folder):
    (folder / "two.csv").write_text("search_term,sku,Ada,Tom\nlamp,S1,2,3\n")
    (folder / "eva.txt").write_text("lamp 0 S1 2\n")
    message = "two.csv:1: unknown column 'Tim'; did you mean 'Tom'? Columns: search_term, sku, Ada, Tom"
    for columns in ("grade=Tim", "grade=Ada,grade=Tim", {"relevance": "Tim"}):
        with raising(DataError, message):
            read_judges(["eva.txt", "two.csv"], columns=columns)
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


def test_only_a_book_has_a_judge_in_each_column(folder):
    (folder / "book.csv").write_text("query,docid,Ada,Tom\nlamp,S1,3,2\n")
    assert [*read_judges(["book.csv"])] == ["Ada", "Tom"]
    for header in ("query_id,doc_id,Ada,Tom", "docid,query,Ada,Tom", "Query,DocId,Ada,Tom", "query,sku,Ada,Tom"):
        (folder / "other.csv").write_text(f"{header}\nlamp,S1,3,2\n")
        match = re.search(QUESTION, refusal("judge", "agree", "other.csv"))
        assert done("judge", "agree", "other.csv", *words_of(match["several"])).exit_code == 0


def test_each_book_that_is_written_is_read_whatever_its_judges_are_called(folder):
    names = ["Ada", "minutes", "docid", "title", "comment", "Tom, Dr.", "(x)", "rank"]
    judges = Judges({name: toysearch.Qrels.from_dict({"1": {"d": place}}) for place, name in enumerate(names)})
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


OBJECTS = [
    {"query": query, "sku": doc, "Ada": ada, "Tom": tom, "cents": 100 * price}
    for query, doc, _, ada, tom, price in ROWS
]


@pytest.mark.parametrize("write", [lambda rows: "".join(json.dumps(row) + "\n" for row in rows), json.dumps])
def test_keys_of_json_are_asked_about_too(folder, write):
    (folder / "two.jsonl").write_text(write([*OBJECTS, {"query": "iron", "sku": "S4", "Ada": None, "cents": 5}]))
    told = refusal("judge", "agree", "two.jsonl")
    assert told.startswith("toysearch: two.jsonl:1: found the keys query, sku, Ada, Tom, cents, none of which is known")
    match = re.search(QUESTION, told)
    assert grades(read_judges(["two.jsonl"], judges=words_of(match["several"])[1].split(","))) == BOTH
    assert "3 pairs judged in both" in done("judge", "agree", "two.jsonl", *words_of(match["several"])).output
    (folder / "one.jsonl").write_text(write(OBJECTS))
    assert merged("one.jsonl", *words_of(match["one"])) == [("one", *pair, g) for pair, g in BOTH["Ada"].items()]


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
        found = read_judges(files, on_error="skip")
    assert {judge: len(qrels) for judge, qrels in found.items()} == {"ada": 1, "Tom": 1, "Ben": 1, "llm": 1, "eva": 1}
    assert [note.partition(": expected")[0] for note in told] == [
        "ada.csv: 3 lines left out, the first line 3",
        "ada.csv: 1 row without a grade left out as unjudged, the first line 4",
        "two.csv: the columns Ben, Tom are taken for judges; "
        "toysearch.workbench.judging.judge_sheets.read_judges(…, judges=…) chooses some",
        "two.csv: 3 grades left out, the first on line 2",
        "llm.jsonl: 1 line left out, on line 4",
        "llm.jsonl: 2 rows without a grade (1 with result_status 0) left out as unjudged, the first line 2",
        "eva.txt: 1 line left out, on line 2",
    ]
    done("judge", "agree", *files, "--on-error", "skip")
    assert len(merged(*files, "--on-error", "skip")) == 5
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


def test_the_judgments_of_eval_are_asked_about_by_a_column_of_numbers(folder):
    (folder / "two.csv").write_text(table(["search_term", "sku", "title", "Ada", "Tom", "price"], ROWS))
    (folder / "a.run").write_text("lamp Q0 S1 1 1 a\n")
    assert refusal("eval", "a.run", "two.csv").endswith(
        "two.csv:1: the grades are open; name them: --qrels-columns query=search_term,doc=sku,grade=Ada or "
        "--qrels-columns query=search_term,doc=sku,grade=Tom"
    )


def test_the_grades_of_a_second_judge_are_asked_about_by_a_command_that_can_name_them(folder):
    (folder / "two.csv").write_text("query_id,doc_id,Ada,Tom\n1,1,3,2\n1,2,1,1\n2,3,0,2\n")
    told = refusal("judge", "rejudge", "cat-dog-parrot", "--model", "bm25", "--by", "two.csv", "--model", "cosine")
    assert "name it: toysearch judge merge FILE --judges Ada,Tom, or, if" in told


@pytest.mark.parametrize(
    ("second", "is_judge"),
    [
        ([0, 1, 2, 3] * 3, True),
        ([1, 0] * 6, True),
        ([3, 2] * 6, True),
        ([0] * 12, True),
        ([12, 45, 33] * 4, False),  # minutes
        ([4, 5, 6, 7] * 3, False),  # never within the range of the other
        ([9.5, 24, 61] * 4, False),  # prices
        ([0, 2, 7, 1] * 3, False),  # votes
    ],
)
@pytest.mark.parametrize("command", ["agree", "merge"])
def test_all_columns_of_a_book_are_judges_if_their_grades_may_be_of_one_scale(folder, command, second, is_judge):
    rows = [["lamp", f"S{n}", n % 4, grade] for n, grade in enumerate(second)]
    (folder / "book.csv").write_text(table(["query", "docid", "Ada", "Other"], rows))
    words = ["judge", command, "book.csv", *(["--rule", "mean"] if command == "merge" else [])]
    if is_judge:
        done(*words)
    else:
        assert "none of which is known to hold grades" in refusal(*words)
        assert "--qrels-columns grade=Ada" in refusal(*words)
        done("judge", "merge", "book.csv", "--judges", "Ada", "--rule", "mean")
        done(*words, "--judges", "Ada,Other")


GRADES_OF_TWO = [(2, 3), (0, 0), (3, 1), (1, 1)]
BESIDE_JUDGES = {  # a column that is hardly one of a judge, and its cells for four documents of two queries
    **dict.fromkeys(("position", "Mean", "final_rating", "Price (EUR)", "clicks", "year", "overall"), (3, 1, 2, 2)),
    **dict.fromkeys(("votes_up", "week", "n_words", "Anzahl Klicks", "fold"), (3, 1, 2, 2)),
    "graded by half": (2.5, 1, 2, 0),
    **dict.fromkeys(("place", "nr", "cut"), (1, 2, 1, 2)),  # counts the documents of each query
    "from zero": (0, 1, 0, 1),
    "p_rel": (0.91, 0.25, 0.5, 0.75),
    **dict.fromkeys(("name", "Ware"), ("Desk lamp", "Rug", "Bulb", "Iron, 2 kW")),
}
DOORS = ["agree", "merge", "merge --to sheet", "agree --on-error skip", "merge --on-error skip", "agree --json"]
BOOKS = [(label, first, door) for label in BESIDE_JUDGES for first in (True, False) for door in DOORS]


@pytest.mark.parametrize(
    ("judges", "is_noted"),
    [
        (["Ada", "Ben"], True),
        (["gist", "Ada", "Ben"], True),
        (["rater 1", "rater 2"], False),
        (["agent_1_rating", "agent_2_rating"], False),
        (["J1", "J2"], False),
        (["ada@x.org", "ben@y.org"], False),
    ],
)
def test_columns_whose_names_do_not_show_judges_are_noted(folder, judges, is_noted):
    rows = [["q", f"d{place}", *([grade] * len(judges))] for place, grade in enumerate((2, 0, 1))]
    (folder / "book.csv").write_text(table(["query", "docid", *judges], rows))
    told = f"note: book.csv: the columns {', '.join(judges)} are taken for judges; --judges NAMES chooses some"
    assert (told in done("judge", "agree", "book.csv", "--json").stderr.splitlines()) is is_noted
    assert "note:" not in done("judge", "agree", "book.csv", "--judges", ",".join(judges[:2])).stderr


@pytest.mark.parametrize(
    "judges", ["annotator_1,annotator_2", "Judge 1,Judge 2", "rater1,rater2", "relevance_a,relevance_b"]
)
def test_two_columns_of_one_name_and_a_number_or_a_letter_are_judges(folder, judges):
    rows = [("lamp", "S1", 2, 1), ("lamp", "S2", 0, 0), ("iron", "S3", 1, 1)]
    (folder / "both.csv").write_text(table(["query", "doc_id", *judges.split(",")], rows))
    told = f"note: both.csv: the columns {judges.replace(',', ', ')} are taken for judges; --judges NAMES chooses some"
    said = done("judge", "agree", "both.csv")
    assert told in said.stderr.splitlines()
    assert said.stdout == done("judge", "agree", "both.csv", "--judges", judges).stdout
    for unlike in ([("lamp", "S4", 1, "")], [("lamp", "S4", 1, 0.5)]):
        (folder / "both.csv").write_text(table(["query", "doc_id", *judges.split(",")], [*rows, *unlike]))
        assert "none of which is known to hold grades" in refused("judge", "agree", "both.csv")


@pytest.mark.parametrize("labels", ["Zoekvraag,Pagina,Relevantie", "Anfrage,Dokument,Bewertung", "查询,文档,相关性"])
def test_two_files_of_the_same_three_columns_are_of_two_judges(folder, labels):
    pairs = [(query, f"page-{at}") for query in ("oak lamp", "tea") for at in range(4)]
    for judge, column in (("anna", "01201012"), ("ben", "01101022")):
        rows = [(*pair, grade) for pair, grade in zip(pairs, column, strict=True)]
        (folder / f"{judge}.csv").write_text(table(labels.split(","), rows))
    said = done("judge", "agree", "anna.csv", "ben.csv").stdout
    named = dict(zip(("query", "doc", "grade"), labels.split(","), strict=True))
    option = ",".join(f"{part}={label}" for part, label in named.items())
    assert said == done("judge", "agree", "anna.csv", "ben.csv", "--qrels-columns", option).stdout
    assert "agreement of anna, ben" in said
    assert "--qrels-columns" in refused("judge", "agree", "anna.csv")


def test_each_column_beside_judges_meets_each_door():
    assert len(BOOKS) == 20 * 2 * 6


@pytest.mark.parametrize(("label", "first", "door"), BOOKS)
def test_a_column_beside_those_of_judges_is_no_judge_and_the_answer_works(folder, label, first, door):
    rows = []
    for place, (grades_of_both, cell) in enumerate(zip(GRADES_OF_TWO, BESIDE_JUDGES[label], strict=True)):
        query = "lamp" if place < 2 else "iron"
        rows.append([query, f"S{place}", *((cell, *grades_of_both) if first else (*grades_of_both, cell))])
    labels = ["query", "docid", *((label, "ada", "ben") if first else ("ada", "ben", label))]
    (folder / "book.csv").write_text(table(labels, rows))
    told = refusal("judge", *door.split()[:1], "book.csv", *door.split()[1:])
    options = words_of(re.search(QUESTION, told)["several"])
    assert options == ["--judges", "ada,ben"]
    found = json.loads(done("judge", "agree", "book.csv", *options, "--json").stdout)
    by_chance = (1 * 1 + 1 * 2 + 1 * 0 + 1 * 1) / 16  # ada gave 0, 1, 2, 3 once each; ben 0 once, 1 twice, 3 once
    assert found["kappa"] == pytest.approx((0.5 - by_chance) / (1 - by_chance))


def test_the_judges_whose_grades_are_compared_are_shown(folder):
    (folder / "book.csv").write_text("query,docid,ada,ben,carla\nlamp,S1,3,2,3\nlamp,S2,0,0,1\n")
    assert done("judge", "agree", "book.csv").stdout.startswith("agreement of ada, ben, carla\n")
    assert done("judge", "agree", "book.csv", "--judges", "ben,ada").stdout.startswith("agreement of ben, ada\n")


def test_of_a_book_with_a_final_rating_the_agents_are_the_judges(folder):
    labels = ["query", "docid", "name", "agent_1_rating", "agent_2_rating", "agent_3_rating", "final_rating"]
    rows = [["lamp", "a", "Desk lamp", 2, 3, 3, 3], ["lamp", "b", "Rug", 0, 0, 1, 0], ["lamp", "c", "Bulb", 3, 3, 3, 3]]
    (folder / "book.csv").write_text(table(labels, rows))
    options = words_of(re.search(QUESTION, refusal("judge", "agree", "book.csv", "--on-error", "skip"))["several"])
    found = json.loads(done("judge", "agree", "book.csv", *options, "--json").stdout)
    by_chance = (2 / 9) ** 2 + (1 / 9) ** 2 + (1 / 9) ** 2 + (5 / 9) ** 2  # of the grades 0, 1, 2 and 3
    agreement = (1 / 3 + 1 / 3 + 1) / 3
    assert found["fleiss"] == pytest.approx((agreement - by_chance) / (1 - by_chance)) == pytest.approx(0.28)


@pytest.mark.parametrize("label", ["worker_id", "WorkerId", "username", "staff"])
def test_a_column_that_tells_repeated_grades_apart_names_the_judges(tmp_path, label):
    pairs = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
    rows = [
        (date, who, *pair, str(grade)) for date, who, grade in (("May", "ada", 1), ("June", "ben", 2)) for pair in pairs
    ]
    path = tmp_path / "grades.csv"
    path.write_text("\n".join(map(",".join, [("timestamp", label, "query_id", "doc_id", "relevance"), *rows])))
    with noted() as notes:
        assert [*read_judges([path])] == ["ada", "ben"]
    assert notes == [f"{path}: the column {label} is taken for judges, who grade the same documents"]
