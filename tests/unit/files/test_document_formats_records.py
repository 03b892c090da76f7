"""Sheets of ratings as people keep them: other headers, empty cells, repeats, many mistakes."""

import json
from itertools import product
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from tiers import thinned

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.document_formats import Rejected, unique
from toysearch.files.labels import NAMES
from toysearch.files.recognise import kind_of
from toysearch.files.runs_and_judgments import read_qrels

GRADES = {"q1": {"a": 2.0, "b": 0.5}, "q2": {"a": 0.0}}
ROWS = [(query_id, doc_id, grade) for query_id, group in GRADES.items() for doc_id, grade in group.items()]
COLUMNS = [(query, doc, "relevance") for query, doc in zip(NAMES["query_id"], NAMES["doc_id"], strict=False)]
COLUMNS += [("query", doc, "rating") for doc in NAMES["doc_id"]] + [
    ("qid", "url", grade) for grade in NAMES["relevance"]
]


def sheet(tmp_path: Path, text: str, name: str = "sheet.csv") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(("labels", "mark"), thinned(product(COLUMNS, [",", ";", "\t"]), 4))
def test_the_columns_by_whatever_name(tmp_path, labels, mark):
    rows = [labels, *([str(cell) for cell in row] for row in ROWS)]
    path = sheet(tmp_path, "".join(mark.join(row) + "\n" for row in rows))
    assert kind_of(path) == "qrels"
    assert {query_id: read_qrels(path)[query_id] for query_id in GRADES} == GRADES


@pytest.mark.parametrize("labels", [("query", "product_id", "stars"), ("topic", "url", "grade")], ids=",".join)
@pytest.mark.parametrize("array", [False, True], ids=["lines", "array"])
def test_the_keys_of_objects_by_whatever_name(tmp_path, labels, array):
    objects = [dict(zip(labels, row, strict=True)) for row in ROWS]
    text = json.dumps(objects, indent=1) if array else "".join(json.dumps(each) + "\n" for each in objects)
    path = sheet(tmp_path, text, "sheet.json")
    assert kind_of(path) == "qrels"
    assert read_qrels(path)["q1"] == GRADES["q1"]


@pytest.mark.parametrize(
    ("text", "columns", "problem"),
    [
        (
            "anfrage;produkt;note\nq1;a;2\n",
            None,
            "{path}:1: found the columns anfrage, produkt, note; name them: read_qrels(…, columns='query=anfrage,"
            "doc=produkt,grade=note'); or, if each is relevant: read_qrels(…, columns='query=anfrage,doc=produkt')",
        ),
        (
            "query,doc,note\nq1,a,2\n",
            "relevance=nte",
            "{path}:1: unknown column 'nte'; did you mean 'note'? Columns: query, doc, note",
        ),
        ("query,doc,rating\nq1,a,\n", None, "{path} holds no judgments: no row has a relevance; fill some in"),
    ],
)
def test_what_is_missing_is_named(tmp_path, text, columns, problem):
    path = sheet(tmp_path, text)
    with raising(DataError, problem.format(path=path)):
        read_qrels(path, columns)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ("points=note", "unknown part of a judgment 'points'. Parts: query, doc, grade"),
        ("doc_id", "expected columns such as doc_id=artikel,relevance=note, found 'doc_id'"),
        (
            "doc_id=a,query_id=a",
            "one column is named for two parts of a judgment: doc_id=a,query_id=a; name one column per part",
        ),
        ("doc_id=a", "{path} has no columns with names; leave out read_qrels(…, columns=…)"),
    ],
)
def test_columns_that_are_named_wrongly(tmp_path, columns, problem):
    path = sheet(tmp_path, "q1 0 a 1\n")
    with raising(ArgumentError, problem.format(path=path)):
        read_qrels(path, columns)


HINT = "; if that is a grade, give each such word its number: read_qrels(…, grades='good=1,…')"
BAD = {
    "table": (
        "query,doc,rating\nq1,a,1\nq1,b,good\n,c,1\nq1,a,2\nq1,d\nq2,x,0\n",
        {
            3: f"expected a number as relevance, found 'good'{HINT}",
            4: "the query is empty; give it an id or remove the line",
            5: "query 'q1' and document 'a' have grade 2 here and 1 on line 2; keep one of the two lines",
            6: "expected 3 columns (query doc rating), found 2: 'q1,d'; complete the line or remove it",
        },
    ),
    "trec": (
        "q1 0 a 1\nq1 0 b good\nq1 0 a 2\nq2 0 x 0\n",
        {
            2: "expected a number as relevance, found 'good'",
            3: "query 'q1' and document 'a' have grade 2 here and 1 on line 1; keep one of the two lines",
        },
    ),
    "three columns": (
        "q1 a 1\nq1 b good\nq1 a 2\nq2 x 0\n",
        {
            2: "expected a number as the third column, found 'good'",
            3: "query 'q1' and document 'a' have grade 2 here and 1 on line 1; keep one of the two lines",
        },
    ),
    "objects": (
        '{"qid": "q1", "doc": "a", "stars": 1}\n{"qid": "q1", "doc": "b", "stars": "good"}\n{"qid": 1.5, "doc": "a", '
        '"stars": 1}\n{"qid": "q1", "doc": "a", "stars": 2}\n',
        {
            2: f"expected a number as relevance, found 'good'{HINT}",
            3: "qid must be a text or a whole number, found 1.5",
            4: "query 'q1' and document 'a' have grade 2 here and 1 on line 1; keep one of the two lines",
        },
    ),
}


@pytest.mark.parametrize("form", BAD)
def test_all_that_is_wrong_at_once(tmp_path, form):
    text, problems = BAD[form]
    path = sheet(tmp_path, text)
    with pytest.raises(DataError) as error:
        read_qrels(path)
    lines = [f"  line {line}: {problem}" for line, problem in problems.items()]
    skipped = "  on_error='skip' leaves them out"
    assert str(error.value).splitlines() == [f"{path}: {len(problems)} lines cannot be read:", *lines, skipped]
    with noted():
        read_qrels(path, on_error="skip")


def test_of_very_many_mistakes_the_number(tmp_path):
    path = sheet(tmp_path, "query,doc,rating\nq1,a,1\n" + "q1,b,good\n" * 500)
    with pytest.raises(DataError) as error:
        read_qrels(path)
    first, *lines, last, _ = str(error.value).splitlines()
    assert (first, len(lines), last) == (f"{path}: 500 lines cannot be read:", 20, "  and 480 more")


@pytest.mark.parametrize(
    ("text", "line", "first"),
    [
        ("query,doc,rating\nq1,a,1\nq1,b,0\nq1,a,1.0\n", 4, " (as line 2)"),
        ("q1 0 a 1\nq1 0 b 0\nq1 0 a 1\n", 3, " (as line 1)"),
        ("q1 a 1\nq1 b 0\nq1 a 1\n", 3, " (as line 1)"),
        ("query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq1\ta\t1\n", 4, " (as line 2)"),
    ],
)
def test_the_same_grade_twice_is_a_note(tmp_path, text, line, first):
    path = sheet(tmp_path, text)
    with noted() as notes:
        assert read_qrels(path)["q1"] == {"a": 1.0, "b": 0.0}
    message = f"1 line judges a pair again with the same grade, the first line {line}{first}"
    assert notes == [f"{path}: {message}"]


def test_rows_without_a_grade_are_unjudged(tmp_path):
    path = sheet(tmp_path, "query,doc,rating\nq1,a,1\nq1,b,\nq2,c,\n")
    with noted() as notes:
        assert list(read_qrels(path)) == [("q1", "a", 1.0)]
    assert notes == [f"{path}: 2 rows without a grade left out as unjudged, the first line 3"]


@pytest.mark.parametrize("query_id", ["{;B;", "a,b,c"])
def test_ids_with_delimiters_are_no_header(tmp_path, query_id):
    (tmp_path / "judged").write_text(f"{query_id} 0 d 1\n")
    assert dict(read_qrels(tmp_path / "judged")[query_id]) == {"d": 1.0}
    (tmp_path / "found").write_text(f"{query_id} Q0 d 1 0.5 mine\n")
    assert toysearch.read_run(tmp_path / "found").query_ids == [query_id]


def test_an_id_given_twice_names_both_places() -> None:
    records = [(1, "a", {}), (4, "b", {"text": "cat"}), (9, "a", {"text": "dog"})]
    with raising(
        DataError,
        "pets.all:9: doc_id 'a' was already given on line 1; each id may occur once: load(…, ids='number') keeps both",
    ):
        list(unique([("pets.all", records)], "doc_id"))
    assert list(unique([("pets.all", records[:2])], "doc_id")) == records[:2]
    several = [("a.all", records[:2]), ("b.all", records[1:])]
    with raising(
        DataError,
        "b.all:4: doc_id 'b' was already given in a.all; each id may occur once: load(…, ids='number') keeps both",
    ):
        list(unique(several, "doc_id"))
    rejected = Rejected()
    assert list(unique(several, "doc_id", rejected)) == records[:2]
    again = "was already given in a.all; each id may occur once"
    assert rejected.of_files() == {"b.all": [(4, f"doc_id 'b' {again}"), (9, f"doc_id 'a' {again}")]}
