"""Judgments that have the texts of their queries or of their documents, alone and as the file of queries too."""

import json
from pathlib import Path

import pytest
from shell import run as shell

from toysearch import read_qrels
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
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("docs.jsonl").write_text(lines({"id": key, "text": text} for key, text in TEXTS.items()))


def values(*words):
    result = shell("eval", *words, "-m", "RR", "--tsv")
    assert result.exit_code == 0, result.stderr
    return [float(row.split("\t")[1]) for row in result.stdout.splitlines()[1:]]


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


def test_whole_numbers_in_lists_are_documents_where_they_are_judged() -> None:
    Path("run.json").write_text('{"1": [3, 1], "2": [2, 4]}')
    Path("judged.txt").write_text("1 0 1 1\n1 0 3 0\n2 0 2 1\n")
    assert values("run.json", "judged.txt") == [0.75]


@pytest.mark.parametrize("names", ["documents queries qrels", "queries judgments corpus", "rows queries documents"])
def test_an_object_of_documents_queries_and_a_list_of_judgments_is_three_tables(names) -> None:
    tables = {
        "documents": [{"id": d, "text": text} for d, text in TEXTS.items()],
        "queries": [{"id": q, "text": text} for q, text in QUERIES.items()],
        "qrels": [{"query_id": q, "doc_id": d, "relevance": 1} for q, d in JUDGED.items()],
    }
    roles = {"corpus": "documents", "judgments": "qrels", "rows": "qrels"}
    Path("all.json").write_text(json.dumps({name: tables[roles.get(name, name)] for name in names.split()}))
    assert values("all.json") == values("all.json", "--queries", "all.json", "--qrels", "all.json") == [1.0]


PLACED = [("kettle", "d1", "d3"), ("saddle", "d2", "")]


@pytest.mark.parametrize("of", ["https://x.org/{}", "docs/{}.txt", "/{}/d1"])
def test_documents_may_be_named_by_a_field_or_by_their_paths(of) -> None:
    Path("docs").mkdir()
    for d, text in TEXTS.items():
        Path("docs", f"{d}.txt").write_text(text)
    Path("docs.csv").write_text(table("url,title,text", [(of.format(d), d, text) for d, text in TEXTS.items()]))
    Path("judged.csv").write_text(
        table("query,doc_id,grade", [(QUERIES[q], of.format(d), "1") for q, d in JUDGED.items()])
    )
    if "docs" not in of:
        assert values("docs.csv", "--qrels", "judged.csv") == [1.0]
    if of == "docs/{}.txt":
        assert values("docs", "--qrels", "judged.csv") == [1.0]
    else:
        assert "none of the 2 judged documents is in the index" in shell("eval", "docs", "--qrels", "judged.csv").stderr


def test_a_field_that_names_no_document_alone_is_no_name() -> None:
    rows = [("9", d, text) for d, text in TEXTS.items()]
    Path("docs.csv").write_text(table("shelf,id,text", rows))
    Path("judged.csv").write_text(table("query,doc_id,grade", [(QUERIES[q], "9", "1") for q in JUDGED]))
    assert "judged document is in the index" in shell("eval", "docs.csv", "--qrels", "judged.csv").stderr


ASKED = {"Tell me about the lighthouse": "1", "Tell me about the tomato": "2", "Tell me about the violin": "3"}
LAYOUTS = {
    "lists": {text: [doc_id] for text, doc_id in ASKED.items()},
    "lists of numbers": {text: [int(doc_id)] for text, doc_id in ASKED.items()},
    "grades": {text: {doc_id: 2} for text, doc_id in ASKED.items()},
}


@pytest.mark.parametrize("label", ["note", "relevant"])
def test_a_word_beside_a_query_and_a_document_is_no_answer(label: str) -> None:
    Path("queries.csv").write_text(table("id,query", QUERIES.items()))
    Path("judged.csv").write_text(table(f"Frage-Nr,Dokument-Nr,{label}", [(q, d, "super") for q, d in JUDGED.items()]))
    asked = shell("eval", "docs.jsonl", "--queries", "queries.csv", "--qrels", "judged.csv")
    assert asked.exit_code == 2


@pytest.mark.parametrize("doc", ["retrieved_doc", "prediction", "top_result", "results"])
@pytest.mark.parametrize(("value", "numbers"), [("score", ["0.1", "0.9", "0.4"]), ("rank", [*"211"])])
def test_a_document_in_each_row_under_a_name_of_lists_has_its_value(doc, value, numbers) -> None:
    cells = zip(["kettle", "kettle", "saddle"], ["d3", "d1", "d2"], numbers, strict=True)
    Path("mine.csv").write_text(table(f"query,{doc},{value}", cells))
    Path("judged.csv").write_text(table("query,doc_id,relevance", [("kettle", "d1", "1"), ("saddle", "d2", "1")]))
    assert values("mine.csv", "judged.csv") == [1.0]


@pytest.mark.parametrize("number", ["Query No", "Query Nr.", "question_no", "QueryID"])
def test_the_number_of_a_query_beside_its_text_is_its_id(number) -> None:
    Path("mine.csv").write_text(
        table(f"{number},Rank,Document", [("1", "1", "d3"), ("1", "2", "d1"), ("2", "1", "d2")])
    )
    judged = [("1", "kettle", "d1", "1"), ("2", "saddle", "d2", "1")]
    Path("judged.csv").write_text(table(f"{number},Query,Document,Grade", judged))
    assert values("mine.csv", "judged.csv") == [0.75]


@pytest.mark.parametrize("doc", ["doc_id", "expected_doc"])
def test_a_table_of_markdown_in_the_place_of_judgments_is_one(doc) -> None:
    Path("judged.md").write_text(f"| query | {doc} | relevance |\n|---|:---|---|\n| a | d1 | 1 |\n| a | d2 | 0 |\n")
    assert read_qrels("judged.md")["a"] == {"d1": 1.0, "d2": 0.0}


@pytest.mark.parametrize("kind", FILES)
def test_their_texts_are_searched(kind) -> None:
    Path("judged").write_text(FILES[kind])
    assert values("docs.jsonl", "--qrels", "judged") == [1.0]
    assert values("docs.jsonl", "--queries", "judged", "--qrels", "judged") == [1.0]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_judgments_by_text_are_read_alike_in_every_layout(layout: str, named: bool) -> None:
    rows = [(str(at), f"About the {one}", "A story.") for at, one in enumerate(("lighthouse", "tomato", "violin"), 1)]
    Path("shelf.csv").write_text(table("id,title,text", rows))
    Path("asked.json").write_text(json.dumps(LAYOUTS[layout]))
    of_queries = ["--queries", "asked.json"] if named else []
    assert values("shelf.csv", "--qrels", "asked.json", *of_queries) == [1.0]


@pytest.mark.parametrize("doc", ["expected_doc", "relevant_id", "gold_doc"])
@pytest.mark.parametrize("value", ["relevance", "grade", "label", "Relevanz", "pertinence"])
@pytest.mark.parametrize("words", [("1", "0"), ("yes", "no")])
def test_a_judged_document_under_a_name_of_relevant_ones_has_its_grade(doc, value, words) -> None:
    Path("mine.run").write_text("kettle Q0 d3 1 2 mine\nkettle Q0 d1 2 1 mine\n")
    Path("judged.csv").write_text(
        table(f"query,{doc},{value}", [("kettle", "d1", words[0]), ("kettle", "d3", words[1])])
    )
    assert values("mine.run", "judged.csv") == [0.5]
