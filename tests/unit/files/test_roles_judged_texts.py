"""Judgments that have the texts of their queries or of their documents, alone and as the file of queries too."""

import json
import shlex
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


@pytest.mark.parametrize("name", ["expected_doc_{}", "doc{}", "Expected result {}", "relevant_{}"])
def test_a_column_for_each_relevant_document_makes_one_list(name) -> None:
    labels = f"query,{name.format(1)},{name.format(2)}"
    Path("mine.run").write_text("kettle Q0 d1 1 2 mine\nkettle Q0 d2 2 1 mine\nsaddle Q0 d2 1 1 mine\n")
    Path("judged.csv").write_text(table(labels, PLACED))
    table_of = shell("eval", "mine.run", "judged.csv", "-m", "R@5", "--tsv").stdout.splitlines()
    assert table_of[1].split("\t")[1] == "0.75"
    assert values("docs.jsonl", "--queries", "judged.csv", "--qrels", "judged.csv") == [1.0]


def test_columns_of_documents_beside_what_may_choose_among_them_are_asked_about() -> None:
    Path("mine.run").write_text("kettle Q0 d1 1 2 mine\nsaddle Q0 d2 1 1 mine\n")
    Path("judged.csv").write_text(table("query,doc_1,doc_2,better", [(*PLACED[0], "B"), ("saddle", "d2", "d3", "A")]))
    assert "; name the columns of the query, the document" in shell("eval", "mine.run", "judged.csv").stderr
    Path("judged.csv").write_text(table("query,gold,other", [("kettle", "d1", "d2"), ("saddle", "d2", "d1")]))
    said = shell("eval", "mine.run", "judged.csv").stderr
    assert "2 columns hold documents; if each of them is relevant, call them doc_1, doc_2, …\n" in said


@pytest.mark.parametrize("word", ["ja", "oui", "Sí", "sim", "是", "WAHR", "correct", "super"])
def test_one_word_for_all_that_is_relevant_is_known_or_its_remedy_is_complete(word) -> None:
    Path("queries.csv").write_text(table("id,query", QUERIES.items()))
    Path("judged.csv").write_text(table("Frage-Nr,Dokument-Nr,relevant", [(q, d, word) for q, d in JUDGED.items()]))
    words = ["docs.jsonl", "--queries", "queries.csv", "--qrels", "judged.csv"]
    _, _, line = shell("eval", *words).stderr.partition("all at once: ")
    assert ("--grades" in line) == (word == "super")
    assert values(*shlex.split(line)[2:] or words) == [1.0]


@pytest.mark.parametrize("query", [lambda q: q, lambda q: {"id": q, "text": q}], ids=["text", "object"])
@pytest.mark.parametrize("label", ["docs", "documents"])
def test_lists_of_ids_with_grades_alone_are_judgments(label, query) -> None:
    Path("run.csv").write_text("query,doc_id,score\nkettle,d3,0.9\nkettle,d1,0.5\nsaddle,d2,0.7\n")
    rated = [
        {"query": query(QUERIES[q]), label: [{"id": d, "grade": 2}, {"id": "d3", "grade": 0}]}
        for q, d in JUDGED.items()
    ]
    Path("judged.jsonl").write_text(lines(rated))
    assert values("run.csv", "judged.jsonl") == values("run.csv", "--qrels", "judged.jsonl") == [0.75]
    named = [{**one, label: [{**hit, "title": "a"} for hit in one[label]]} for one in rated]
    Path("judged.jsonl").write_text(lines(named))
    assert "name them with --qrels" in shell("eval", "run.csv", "judged.jsonl").stderr


def test_lists_of_texts_are_documents_if_other_lists_have_some_of_them() -> None:
    owls = "Owls hunt at night."
    items = [
        {"user_input": query, "retrieved_contexts": [owls, text], "reference_contexts": [text], "response": "So."}
        for query, text in BOTH
    ]
    Path("testset.jsonl").write_text(lines(items))
    assert values("testset.jsonl", "testset.jsonl") == [0.5]
    Path("testset.jsonl").write_text(lines({**one, "retrieved_contexts": [owls, owls]} for one in items))
    assert "is not a run" in shell("eval", "testset.jsonl", "testset.jsonl").stderr


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
    "one each": ASKED,
    "named lists": {text: {"relevant": [doc_id]} for text, doc_id in ASKED.items()},
    "short names": [{"q": text, "docs": [doc_id]} for text, doc_id in ASKED.items()],
    "pairs of names": [{"query": text, "relevant": doc_id} for text, doc_id in ASKED.items()],
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_judgments_by_text_are_read_alike_in_every_layout(layout: str, named: bool) -> None:
    rows = [(str(at), f"About the {one}", "A story.") for at, one in enumerate(("lighthouse", "tomato", "violin"), 1)]
    Path("shelf.csv").write_text(table("id,title,text", rows))
    Path("asked.json").write_text(json.dumps(LAYOUTS[layout]))
    of_queries = ["--queries", "asked.json"] if named else []
    assert values("shelf.csv", "--qrels", "asked.json", *of_queries) == [1.0]


@pytest.mark.parametrize("suffix", ["json", "csv"])
@pytest.mark.parametrize("labels", ["question,answer,source", "Frage,Erwartete Antwort,Quelle"])
def test_a_golden_set_beside_a_folder_counts_by_its_documents(labels: str, suffix: str) -> None:
    Path("pages").mkdir()
    rows = [(f"Tell me about the {one}", "It has a story.", f"{one}.md") for one in ("lighthouse", "tomato", "violin")]
    for *_, file in rows:
        Path("pages", file).write_text(f"About the {file[:-3]}\n")
    found = [dict(zip(labels.split(","), row, strict=True)) for row in rows]
    Path(f"golden.{suffix}").write_text(json.dumps(found) if suffix == "json" else table(labels, rows))
    query, _, document = labels.split(",")
    named = f"query={query},doc={document}"
    for options in ([], ["--qrels-columns", named]):
        assert values("pages", "--qrels", f"golden.{suffix}", *options) == [1.0]


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


@pytest.mark.parametrize("doc", ["expected_doc", "relevant_id", "gold_doc", "prediction"])
@pytest.mark.parametrize("value", ["relevance", "grade", "label", "Relevanz", "pertinence"])
@pytest.mark.parametrize("words", [("1", "0"), ("yes", "no")])
def test_a_judged_document_under_a_name_of_relevant_ones_has_its_grade(doc, value, words) -> None:
    Path("mine.run").write_text("kettle Q0 d3 1 2 mine\nkettle Q0 d1 2 1 mine\n")
    Path("judged.csv").write_text(
        table(f"query,{doc},{value}", [("kettle", "d1", words[0]), ("kettle", "d3", words[1])])
    )
    assert values("mine.run", "judged.csv") == [0.5]


@pytest.mark.parametrize("number", ["Query No", "Query Nr.", "question_no", "QueryID"])
def test_the_number_of_a_query_beside_its_text_is_its_id(number) -> None:
    Path("mine.csv").write_text(
        table(f"{number},Rank,Document", [("1", "1", "d3"), ("1", "2", "d1"), ("2", "1", "d2")])
    )
    judged = [("1", "kettle", "d1", "1"), ("2", "saddle", "d2", "1")]
    Path("judged.csv").write_text(table(f"{number},Query,Document,Grade", judged))
    assert values("mine.csv", "judged.csv") == [0.75]


@pytest.mark.parametrize(("doc", "value"), [("expected_doc", "relevance"), ("Retrieved document", "Relevance")])
def test_a_name_with_a_blank_is_one_document_beside_its_grade(doc, value) -> None:
    rows = [("kettle", "Tea pots", 0.9), ("kettle", "Kettles", 0.8), ("saddle", "Two wheels", 0.7)]
    Path("mine.jsonl").write_text(lines({"query": q, "doc_id": d, "score": score} for q, d, score in rows))
    grades = [("kettle", "Tea pots", "0"), ("kettle", "Kettles", "1"), ("saddle", "Two wheels", "1")]
    Path("judged.csv").write_text(table(f"query,{doc},{value}", grades))
    assert values("mine.jsonl", "judged.csv") == [0.75]


@pytest.mark.parametrize("between", [": ", ":", " : "])
def test_a_colon_may_stand_between_a_query_and_its_document(between) -> None:
    Path("mine.run").write_text("q1 Q0 d3 1 2 mine\nq1 Q0 d1 2 1 mine\nq2 Q0 d2 1 1 mine\n")
    Path("judged.txt").write_text(f"q1{between}d1\nq2{between}d2\n")
    assert values("mine.run", "judged.txt") == [0.75]
    assert read_qrels("judged.txt")["q1"] == {"d1": 1.0}


@pytest.mark.parametrize("doc", ["doc_id", "expected_doc"])
def test_a_table_of_markdown_in_the_place_of_judgments_is_one(doc) -> None:
    Path("judged.md").write_text(f"| query | {doc} | relevance |\n|---|:---|---|\n| a | d1 | 1 |\n| a | d2 | 0 |\n")
    assert read_qrels("judged.md")["a"] == {"d1": 1.0, "d2": 0.0}
