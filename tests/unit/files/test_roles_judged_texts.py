"""Judgments that have the texts of their queries or of their documents, alone and as the file of queries too."""

import json
from pathlib import Path

import pytest
from shell import run as shell

from toysearch.collection.queries import read_queries
from toysearch.files import kind_of

TEXTS = {"d1": "The kettle boils water for tea.", "d2": "Two wheels and a saddle.", "d3": "Owls hunt at night."}
QUERIES = {"q1": "kettle", "q2": "saddle"}
JUDGED = {"q1": "d1", "q2": "d2"}
BOTH = [(QUERIES[query_id], TEXTS[doc_id]) for query_id, doc_id in JUDGED.items()]


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def table(header, rows):
    return "".join(",".join(row) + "\n" for row in (header.split(","), *rows))


FILES = {
    "texts as queries": table("query,doc_id,grade", [(QUERIES[q], d, "1") for q, d in JUDGED.items()]),
    "texts beside ids": table("query_id,query,doc_id,grade", [(q, QUERIES[q], d, "1") for q, d in JUDGED.items()]),
    "lists beside ids": lines({"qid": q, "question": QUERIES[q], "relevant_docs": [d]} for q, d in JUDGED.items()),
    "a golden set": lines({"question": QUERIES[q], "expected_ids": [d]} for q, d in JUDGED.items()),
    "LlamaIndex": json.dumps(
        {"queries": QUERIES, "relevant_docs": {q: [d] for q, d in JUDGED.items()}, "corpus": TEXTS}
    ),
    "RAGAS": lines({"user_input": query, "reference_contexts": [text], "by": "model"} for query, text in BOTH),
    "DeepEval": json.dumps([{"input": query, "expected_output": "", "context": [text]} for query, text in BOTH]),
    "TruLens": json.dumps([{"query": q, "expected_chunks": [{"text": t, "title": "of it"}]} for q, t in BOTH]),
    "MTEB": lines({"query": q, "positive": [t], "negative": ["Owls hunt at night."]} for q, t in BOTH),
    "pairs": lines({"qid": QUERIES[q], "rels": [[d, 1], ["d3", 0]]} for q, d in JUDGED.items()),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("docs.jsonl").write_text(lines({"id": key, "text": text} for key, text in TEXTS.items()))


def values(*words):
    result = shell("eval", *words, "-m", "RR", "--tsv")
    assert result.exit_code == 0, result.stderr
    return [float(row.split("\t")[1]) for row in result.stdout.splitlines()[1:]]


@pytest.mark.parametrize("kind", FILES)
def test_their_texts_are_searched(kind) -> None:
    Path("judged").write_text(FILES[kind])
    assert values("docs.jsonl", "--qrels", "judged") == [1.0]
    assert values("docs.jsonl", "--queries", "judged", "--qrels", "judged") == [1.0]


@pytest.mark.parametrize("kind", ["a golden set", "RAGAS", "DeepEval", "TruLens", "MTEB"])
def test_their_texts_are_read_where_queries_are_expected(kind) -> None:
    Path("judged").write_text(FILES[kind])
    assert [query.text for query in read_queries("judged")] == [*QUERIES.values()]


def test_one_file_of_both_has_word_grades_read_once() -> None:
    Path("judged.csv").write_text(FILES["texts beside ids"].replace(",1\n", ",E\n"))
    both = ("docs.jsonl", "--queries", "judged.csv", "--qrels", "judged.csv")
    assert "--grades E=" in shell("eval", *both).stderr
    assert values(*both, "--grades", "E=3") == [1.0]


def test_a_file_that_holds_all_may_be_named_for_each_part() -> None:
    Path("all.json").write_text(FILES["LlamaIndex"])
    assert kind_of("all.json") is None
    assert values("all.json") == values("all.json", "--queries", "all.json", "--qrels", "all.json") == [1.0]


def test_texts_of_documents_beside_a_run_are_refused() -> None:
    Path("mine.run").write_text("kettle Q0 d1 1 2 mine\n")
    Path("judged").write_text(FILES["RAGAS"])
    assert "expected judgments in JSON" in shell("eval", "mine.run", "judged").stderr


def test_unknown_columns_are_those_of_a_run_by_the_ids_of_named_judgments() -> None:
    Path("runs.csv").write_text("retriever,question_id,chunk_id,score\na,1,x,2\na,1,y,1\nb,1,y,2\nb,1,x,1\n")
    Path("judged.tsv").write_text("question_id\tchunk_id\trelevance\n1\tx\t1\n1\ty\t0\n")
    assert values("runs.csv", "--qrels", "judged.tsv") == values("runs.csv", "judged.tsv") == [1.0, 0.5]


def test_whole_numbers_in_lists_are_documents_where_they_are_judged() -> None:
    Path("run.json").write_text('{"1": [3, 1], "2": [2, 4]}')
    Path("judged.txt").write_text("1 0 1 1\n1 0 3 0\n2 0 2 1\n")
    assert values("run.json", "judged.txt") == [0.75]
