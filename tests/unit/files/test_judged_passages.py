"""One file with the documents, the queries and the judgments: what of it is searched, and each document once."""

import csv
import json
from pathlib import Path

import pytest
from shell import run as shell

ROWS = [
    ("11", "oak table", "p1", "A round table of oak.", 1),
    ("11", "oak table", "p2", "Garden chairs, set of four.", 0),
    ("12", "garden lamp", "p3", "This lamp stands in any garden.", 1),
    ("12", "garden lamp", "p2", "Garden chairs, set of four.", 0),
    ("12", "garden lamp", "p4", "A round mirror.", 0),
]
"""Without their queries, one passage has words of the first one, and two have words of the second one."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(name, labels, rows=ROWS):
    with Path(name).open("w", newline="") as file:
        if name.endswith(".csv"):
            csv.writer(file).writerows([labels, *rows])
        else:
            file.writelines(json.dumps(dict(zip(labels, row, strict=True))) + "\n" for row in rows)
    return name


def evaluated(name, *words):
    return shell("eval", name, "--queries", name, "--qrels", name, "--tsv", "-m", "AP NumRet", *words)


def values(said):
    assert said.exit_code == 0, said.stderr
    (_, *names), (_, *numbers) = (line.split("\t") for line in said.stdout.splitlines())
    return dict(zip(names, map(float, numbers), strict=True))


NAMES = [
    "query_id,query,passage_id,passage,label",
    "question_id,question,doc_id,text,relevant",
    "query_id,query_text,doc_id,doc_text,relevance",
    "topic,title,docid,body,judgment",
    "qid,query_text,docid,passage_text,score",
]


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
@pytest.mark.parametrize("labels", NAMES)
def test_rows_of_a_query_a_passage_and_a_grade_are_searched_without_the_query(labels, name):
    assert values(evaluated(written(name, labels.split(",")))) == {"AP": 1.0, "NumRet": 3.0}


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_a_passage_without_an_id_is_one_document_however_many_queries_it_is_judged_for(name):
    rows = [(query, passage, label) for _, query, _, passage, label in ROWS]
    assert values(evaluated(written(name, ["query", "document", "label"], rows))) == {"AP": 1.0, "NumRet": 3.0}


def test_what_the_documents_of_a_query_have_in_common_is_not_searched():
    rows = [(*row, "It is made of oak." if row[0] == "11" else "It shines.") for row in ROWS]
    labels = ["query_id", "query", "doc_id", "text", "label", "answer"]
    assert values(evaluated(written("rows.csv", labels, rows))) == {"AP": 1.0, "NumRet": 3.0}


def test_words_of_an_answer_beside_a_grade_are_no_documents():
    rows = [(row[0], row[1], row[2], row[3], ["oak"], row[4]) for row in ROWS]
    name = written("rows.jsonl", ["q_id", "question", "passage_row_id", "text", "answers", "label"], rows)
    said = evaluated(name)
    assert "--qrels-columns query=q_id,doc=passage_row_id,grade=label" in said.stderr
    assert values(evaluated(name, "--qrels-columns", "query=q_id,doc=passage_row_id,grade=label")) == {
        "AP": 1.0,
        "NumRet": 3.0,
    }


@pytest.mark.parametrize("role", [("pos", "neg"), ("positive", "negative")])
def test_records_that_list_several_passages_are_no_documents(role):
    rows = [("oak table", ["A round table of oak."], ["Garden chairs, set of four.", "A round mirror."])] * 2
    said = evaluated(written("lists.jsonl", ["query", *role], rows))
    assert said.exit_code
    assert f"each record holds several texts, under {role[0]}" in said.stderr


def test_a_run_with_grades_is_its_own_judgments_though_it_has_titles():
    labels = ["query_id", "doc_id", "score", "relevance", "title"]
    rows = [("1", "a", 2.5, 0, "A red lamp"), ("1", "b", 1.5, 1, "A blue lamp")]
    said = shell("eval", written("run.csv", labels, rows), "--qrels", "run.csv", "--tsv", "-m", "AP")
    assert values(said) == {"AP": 0.5}
