"""Runs and judgments in the layouts of other programs: each layout × each door × a line that cannot be read."""

import gzip
import json
import re
from pathlib import Path

import pytest
from captured_notes import noted
from shell import run as shell

from toysearch import read_qrels, read_run
from toysearch.base import DataError
from toysearch.files import kind_of, rows_in
from toysearch.files.recognise import what_is

ORDER = {"t1": ["oak", "elm", "ash"], "t2": ["fir"]}
"""Best first, in every run here."""
GRADES = {"t1": {"elm": 2.0, "ash": 1.0}, "t2": {"fir": 2.0}}
RELEVANT = {query_id: dict.fromkeys(grades, 1.0) for query_id, grades in GRADES.items()}
TREC_RUN = "t1 Q0 oak 1 9.5 x\nt1 Q0 elm 2 8 x\nt1 Q0 ash 3 7 x\nt2 Q0 fir 1 1 x\n"
TREC_QRELS = "t1 0 elm 2\nt1 0 ash 1\nt2 0 fir 2\n"


def hits(query_id: str) -> list[tuple[str, float]]:
    return [(doc_id, 9.5 - place) for place, doc_id in enumerate(ORDER[query_id])]


def by_query(form) -> str:
    return json.dumps({query_id: form(query_id) for query_id in ORDER})


def answer(query_id: str) -> dict:
    found = [{"_index": "trees", "_id": doc_id, "_score": score} for doc_id, score in hits(query_id)]
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": 3}, "hits": found}}


def per_line(form) -> str:
    return "".join(json.dumps(form(query_id)) + "\n" for query_id in ORDER)


RUNS = {
    "records": "".join(
        json.dumps({"qid": query_id, "docno": doc_id, "score": score}) + "\n"
        for query_id in ORDER
        for doc_id, score in hits(query_id)
    ),
    "an array of records": json.dumps(
        [{"query_id": q, "doc_id": doc_id, "score": score} for q in ORDER for doc_id, score in hits(q)], indent=1
    ),
    "records with ranks": "".join(
        json.dumps({"query_id": query_id, "doc_id": doc_id, "rank": rank}) + "\n"
        for query_id in ORDER
        for rank, doc_id in enumerate(ORDER[query_id], 1)
    ),
    "pairs": by_query(lambda query_id: [list(hit) for hit in hits(query_id)]),
    "objects": by_query(lambda query_id: [{"doc_id": doc_id, "score": score} for doc_id, score in hits(query_id)]),
    "objects with ranks": by_query(
        lambda query_id: [{"id": doc_id, "rank": rank} for rank, doc_id in enumerate(ORDER[query_id], 1)]
    ),
    "topk by query": by_query(lambda query_id: {"topk": [list(hit) for hit in hits(query_id)]}),
    "hits by query": by_query(
        lambda query_id: {"hits": [{"docid": one, "score": score} for one, score in hits(query_id)]}
    ),
    "answers by query": by_query(answer),
    "answers without scores": by_query(
        lambda query_id: {"hits": {"hits": [{"_id": doc_id, "_score": None} for doc_id in ORDER[query_id]]}}
    ),
    "answers of Solr by query": by_query(
        lambda query_id: {
            "responseHeader": {"status": 0, "params": {"q": query_id}},
            "response": {"numFound": 9, "docs": [{"id": one, "score": score} for one, score in hits(query_id)]},
        }
    ),
    "a ranking evaluation": json.dumps(
        {
            "metric_score": 0.5,
            "details": {
                query_id: {
                    "hits": [
                        {"hit": {"_id": doc_id, "_score": score}, "rating": None} for doc_id, score in hits(query_id)
                    ]
                }
                for query_id in ORDER
            },
        }
    ),
    "lines with topk": per_line(lambda query_id: {"query_id": query_id, "topk": [list(hit) for hit in hits(query_id)]}),
    "lines with names alone": per_line(lambda query_id: {"qid": query_id, "results": ORDER[query_id]}),
    "lines with a query inside": per_line(
        lambda query_id: {
            "query": {"text": "tall trees", "qid": query_id},
            "candidates": [{"docid": one, "score": score, "doc": {"text": "bark"}} for one, score in hits(query_id)],
        }
    ),
}
QRELS = {
    "pairs with a header": ("query_id\tdoc_id\nt1\telm\nt1\tash\nt2\tfir\n", RELEVANT),
    "pairs the other way round": ("doc_id,query_id\nelm,t1\nash,t1\nfir,t2\n", RELEVANT),
    "LETOR": ("2 qid:t1 1:0.5 7:1 # elm a tall one\n1 qid:t1 # ash\n2 qid:t2 1:0 # docid = fir inc = 1\n", GRADES),
    "RRE": (
        json.dumps(
            {
                "index": "trees",
                "topics": [
                    {
                        "query_groups": [
                            {
                                "queries": [{"template": "one.json", "placeholders": {"$lang": "en", "$query": "t1"}}],
                                "relevant_documents": {"2": ["elm"], "1": ["ash"]},
                            },
                            {
                                "queries": [{"placeholders": {"$query": "t2"}}],
                                "relevant_documents": {"fir": {"gain": 2}},
                            },
                        ]
                    }
                ],
            },
            indent=1,
        ),
        GRADES,
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("trec.run").write_text(TREC_RUN)
    Path("trec.qrels").write_text(TREC_QRELS)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("layout", RUNS)
def test_a_run_is_recognised_and_read_in_its_order(layout, packed):
    path = Path("theirs.json")
    path.write_bytes(gzip.compress(RUNS[layout].encode()) if packed else RUNS[layout].encode())
    what = rows_in(path)
    assert (kind_of(path), what.role) == ("run", "run")
    assert what.why
    assert what_is(path).role == "run"
    read = read_run(path)
    found = {query_id: sorted(read[query_id], key=read[query_id].get, reverse=True) for query_id in read.query_ids}
    assert found == ORDER


@pytest.mark.parametrize("layout", QRELS)
def test_judgments_are_read_with_their_grades(layout):
    text, grades = QRELS[layout]
    Path("theirs.txt").write_text(text)
    with noted() as told:
        qrels = read_qrels("theirs.txt")
    assert {query_id: dict(qrels[query_id]) for query_id in qrels.query_ids} == grades
    assert len(told) == (grades is RELEVANT)
    for line in told:
        assert re.fullmatch(r"theirs\.txt: 3 judgments; query .*; document .*; grade 1 for each, none is given", line)


@pytest.mark.parametrize("layout", RUNS)
@pytest.mark.parametrize(
    "words",
    [
        "eval theirs trec.qrels -m RR",
        "compare trec.run theirs trec.qrels -m RR",
        "diff theirs trec.run trec.qrels",
        "fuse theirs trec.run",
        "check theirs",
        "check theirs trec.qrels",
    ],
)
def test_every_command_takes_each_layout_of_a_run(layout, words):
    Path("theirs").write_text(RUNS[layout])
    result = shell(*words.split())
    assert result.exit_code == (1 if words.startswith("check") and "nothing suspicious" not in result.stderr else 0), (
        result.output
    )
    if words.startswith("eval"):
        assert "0.7500" in result.stdout


SOLR = {
    "responseHeader": {"status": 0, "params": {"q": "tall trees"}},
    "response": {"start": 0, "docs": [{"id": doc_id, "score": score} for doc_id, score in hits("t1")]},
}
LONG = {"responseHeader": {}, "response": {"docs": [{"id": f"d{place}", "name": "x" * 99} for place in range(999)]}}


@pytest.mark.parametrize(
    ("given", "first", "read"),
    [
        (answer("t1"), "oak", "3 results; query t1 (named after the file); document _id; score _score"),
        (SOLR, "oak", "3 results; query t1 (named after the file); document id; score score"),
        (LONG, "d0", "999 results; query t1 (named after the file); document id"),
    ],
)
def test_an_answer_to_one_query_is_named_after_its_file(given, first, read):
    Path("t1.json").write_text(json.dumps(given))
    with noted() as told:
        run = read_run("t1.json")
    assert told == [f"t1.json: {read}"]
    assert (run.query_ids, next(iter(run["t1"]))) == (["t1"], first)
    assert kind_of("t1.json") == "run"


def test_answers_to_several_queries_need_their_ids():
    Path("all.json").write_text(json.dumps({"took": 1, "responses": [answer("t1"), answer("t2")]}))
    with pytest.raises(DataError, match="answers to several searches without the ids of the queries"):
        read_run("all.json")


BAD_LINES = {
    "records": '{"qid": "t2", "docno": "yew"}\n{"qid": "t2", "docno": "yew", "score": "x"}\n',
    "lines with topk": '{"query_id": "t3", "topk": [["yew", "x"]]}\n',
}


@pytest.mark.parametrize("layout", BAD_LINES)
def test_bad_lines_are_named_or_left_out(layout):
    Path("theirs").write_text(RUNS[layout] + BAD_LINES[layout])
    with pytest.raises(DataError, match="expected"):
        read_run("theirs")
    with noted() as told:
        read = read_run("theirs", on_error="skip")
    assert {query_id: len(read[query_id]) for query_id in ORDER} == {"t1": 3, "t2": 1}
    assert len(told) == 1
    assert "left out" in told[0]


def test_of_a_document_given_twice_the_first_line_stays_and_the_other_goes_to_the_rejected():
    Path("twice.run").write_text(TREC_RUN + "t2 Q0 fir 2 0.5 x\n")
    assert shell("eval", "twice.run", "trec.qrels").exit_code == 2
    result = shell("eval", "twice.run", "trec.qrels", "-m", "RR", "--on-error", "skip", "--rejected", "out.jsonl")
    assert "0.7500" in result.stdout
    assert "twice.run: 1 line left out, on line 5" in result.stderr
    [rejected] = map(json.loads, Path("out.jsonl").read_text().splitlines())
    assert (rejected["file"], rejected["line"], rejected["text"]) == ("twice.run", 5, "t2 Q0 fir 2 0.5 x")
    assert "only with --on-error skip" in shell("eval", "twice.run", "trec.qrels", "--rejected", "out.jsonl").stderr


@pytest.mark.parametrize(
    "text",
    [
        "query_id,doc_id,esci_label\nt1,elm,E\nt1,ash,S\nt2,fir,E\n",
        '{"query_id": "t1", "doc_id": "elm", "grade": "E"}\n{"query_id": "t1", "doc_id": "ash", "grade": "S"}\n'
        '{"query_id": "t2", "doc_id": "fir", "grade": "E"}\n',
        "t1 0 elm E\nt1 0 ash S\nt2 0 fir E\n",
    ],
)
def test_letters_stand_for_grades(text):
    Path("letters").write_text(text)
    result = shell("eval", "trec.run", "letters")
    assert result.exit_code == 2
    qrels = read_qrels("letters", grades={"E": 2, "S": 1})
    assert {query_id: dict(qrels[query_id]) for query_id in qrels.query_ids} == GRADES
    given = shell("eval", "trec.run", "letters", "-m", "RR", "--grades", "E=2,S=1")
    assert "0.7500" in given.stdout
    missing = shell("eval", "trec.run", "letters", "--grades", "E=2")
    assert missing.exit_code == 2
    assert "one of E" in missing.stderr


def test_numbers_are_codes_too_and_a_name_is_refused():
    Path("codes").write_text("t1 0 elm 1\nt1 0 ash 2\nt2 0 fir 1\n")
    qrels = read_qrels("codes", grades="1=2,2=1")
    assert {query_id: dict(qrels[query_id]) for query_id in qrels.query_ids} == GRADES
    for grades in ("binary", "E=", "=1", "E=x", "E=1,E=2"):
        refused = shell("eval", "trec.run", "codes", "--grades", grades)
        assert refused.exit_code == 2, grades
        assert "--grades E=3,I=0" in refused.stderr
    assert "expected one of 1 as grade, found 2" in shell("eval", "trec.run", "codes", "--grades", "1=2").stderr


@pytest.mark.parametrize("text", ["lamp,S1,2,1\nlamp,S2,0,0\n", None])
def test_an_answer_of_a_model_without_a_grade_is_unjudged(text):
    header = "query_id,doc_id,grade,result_status\n"
    lines = [
        {"query_id": "lamp", "doc_id": "S1", "judgment": 2, "result_status": 1},
        {"query_id": "lamp", "doc_id": "S2"},
    ]
    lines[1] |= {"judgment": 0, "result_status": 0}
    Path("model").write_text(header + text if text else "".join(json.dumps(line) + "\n" for line in lines))
    with noted() as told:
        assert dict(read_qrels("model")["lamp"]) == {"S1": 2.0}
    line = 3 if text else 2
    assert told == [
        f"model: 1 row without a grade (1 with result_status 0) left out as unjudged, the first line {line}"
    ]


@pytest.mark.parametrize("empty", ["null", '""'])
def test_null_is_an_empty_cell(empty):
    Path("model").write_text(
        f'{{"qid": "lamp", "doc": "S1", "grade": {empty}}}\n{{"qid": "lamp", "doc": "S2", "grade": 1}}\n'
    )
    with noted() as told:
        assert dict(read_qrels("model")["lamp"]) == {"S2": 1.0}
    assert told == ["model: 1 row without a grade left out as unjudged, the first line 1"]


def test_a_query_without_a_rated_document_is_counted():
    Path("partial.csv").write_text("query,docid,rating\nlamp,S1,2\niron,,\npan,,\n")
    with noted() as told:
        assert len(read_qrels("partial.csv")) == 1
    assert told == ["partial.csv: 2 rows without a grade left out as unjudged, the first line 3"]
    Path("partial.csv").write_text("query,docid,rating\nlamp,S1,2\niron,,1\n")
    with pytest.raises(DataError, match="the docid is empty"):
        read_qrels("partial.csv")


@pytest.mark.parametrize(
    "text", ["t1 a 2\nt1 b 1\n", "t1 a 1\nt2 b 1\n", "t1 0 a 1\nt1 0 b 2\n", "t1 1 1 1\nt1 1 2 1\n"]
)
def test_judgments_stay_judgments(text):
    Path("any").write_text(text)
    assert kind_of("any") == "qrels"


PAIRS = {
    "a header of other names": ("id,answer\n0,B\n1,D\n", {"0": "B", "1": "D"}),
    "a header with a digit": ("id,answer1\n0,B\n1,D\n", {"0": "B", "1": "D"}),
    "a header over codes": ("Frage;Ware\nq1;a\nq2;c\n", {"q1": "a", "q2": "c"}),
    "a known header, texts": ("query,document\nred shoe,a\nlamp,c\n", {"red shoe": "a", "lamp": "c"}),
    "a known header, tabs": ("query\tdocument\nred shoe\ta, b\nlamp\tc\n", {"red shoe": "a, b", "lamp": "c"}),
    "texts between commas": ("red shoe,d1\nlamp,d2\n", {"red shoe": "d1", "lamp": "d2"}),
    "texts between tabs": ("red shoe\td1\nlamp\t7\n", {"red shoe": "d1", "lamp": "7"}),
    "a comma in quotes": ('"shoe, red",d1\nlamp,d2\n', {"shoe, red": "d1", "lamp": "d2"}),
    "ids with commas between blanks": ("q1 a\nq2 b,c\n", {"q1": "a", "q2": "b,c"}),
    "a comma behind an id": ("q1 a,\nq2 b\n", {"q1": "a,", "q2": "b"}),
    "an id that is a mark": ("q1 ;\n", {"q1": ";"}),
    "ids of one kind, one a word": ("q1 alpha\nq2 d7\nq3 d8\n", {"q1": "alpha", "q2": "d7", "q3": "d8"}),
    "a query of several documents": ("lamp,c\nlamp,d\nshoe,a\n", None),
    "words, with a header or not": ("lamp,c\nshoe,a\n", "1: 'lamp,c' may be a header or a judged pair"),
    "words below a header": ("Frage,Ware\nlamp,c\nshoe,a\n", "1: 'Frage,Ware' may be a header or a judged pair"),
    "another separator below": ("q1,a\nblue lamp;b\n", "expected"),
    "blanks after a comma": ("q1,a\nblue lamp\n", "expected"),
    "a list in brackets": ("id,answer\n0,\"['a','b']\"\n1,D\n", "may be one id or several"),
    "a list with blanks": ("QuestionId,MisconceptionId\n1_A,12 7 3\n2_B,9 4 5\n", "may be one id or several"),
    "three columns of texts": ("red shoe\ta\t1\nred lamp\tc\t1\n", {"red shoe": "a", "red lamp": "c"}),
    "three columns with commas": ("red shoe,a,1\nred lamp,c,1\n", {"red shoe": "a", "red lamp": "c"}),
}


WRITTEN = [
    *(
        "\"['a','b']\"",
        '"a, b"',
        "a|b",
        "a b",
        "a;b",
        "a、b",
        "a / b",
        "a & b",
        '"- a\n- b"',
        "1. a 2. b",
        "\"'a','b'\"",
    ),
    *(
        "['a' 'b']",
        '"{a,b}"',
        "\"{'a','b'}\"",
        '"(a, b)"',
        "\"array(['a', 'b'], dtype=object)\"",
        '"WrappedArray(a, b)"',
    ),
]
