"""Golden sets and answers of engines in nested JSON: which lists, ids and numbers count, and what the user names."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from shell import run as shell

from toysearch import evaluate, read_qrels, read_run
from toysearch.files import as_run, read_runs

TEXTS = {"1": "The kettle boils water for tea.", "2": "Two wheels and a saddle.", "7": "Owls hunt at night."}
JUDGED = {"kettle": "1", "saddle": "2"}
PLACES = {"start_paragraph_id": 1, "end_paragraph_id": 1, "start_character": 0, "end_character": 20, "bleu_score": 1.0}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("docs.jsonl").write_text(lines({"id": key, "text": text} for key, text in TEXTS.items()))


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def golden(form):
    return lines(form(f"k{place}", *pair) for place, pair in enumerate(JUDGED.items()))


def values(*words):
    result = shell("eval", *words, "-m", "RR", "--tsv")
    assert result.exit_code == 0, result.stderr
    return [float(row.split("\t")[1]) for row in result.stdout.splitlines()[1:]]


def of_bright(name, query, doc):
    others = {"excluded_ids": ["7"], "hard_negatives": ["7"], "gold_ids_long": [f"{doc}.txt"]}
    return {"query": query, "id": name, **others, "gold_ids": [doc], "gold_answer": "…"}


@pytest.mark.parametrize("options", [("--qrels-columns", "query=query,doc=gold_ids")], ids=len)
def test_what_a_name_calls_negative_is_not_relevant(options):
    Path("golden").write_text(golden(of_bright))
    assert values("docs.jsonl", "--qrels", "golden", *options) == [1.0]
    assert values("docs.jsonl", "--qrels", "golden", "--qrels-columns", "query=query,doc=excluded_ids") == [0.0]


LISTS = {"qid": "q1", "docs": ["a", "b"], "numbers": [1, 2], "gold_ids": ["c"], "retrieved": ["d"]}


def of_lotte(name, query, doc):
    return {"qid": int(name[1:]), "query": query, "answer_pids": [int(doc)]}


def of_scifact(name, query, doc):
    return {"id": name, "claim": query, "evidence": {doc: [{"sentences": [0]}]}, "cited_doc_ids": [int(doc)]}


def of_fever(name, query, doc):
    return {
        "id": name,
        "verifiable": "YES",
        "label": "SUPPORTS",
        "claim": f"a {query} is a thing",
        "evidence": [[[9, 8, doc, 0]]],
    }


def of_kilt(key, relevant):
    def form(name, query, doc):
        return {
            "id": name,
            "input": query,
            "output": [{key: [{"wikipedia_id": doc, **PLACES} for doc in relevant(doc)]}],
        }

    return form


RESCORED = {"a": (0.25, 3.5), "b": (0.75, 2.5), "c": (0.5, 1.5)}
"""Document → its first score, and the one by which the lists are in order."""


OF_COLLECTION = {
    "unknown columns": "Frage-Nr;Geprüft von;Text-Nr;Note\nk0;Al;1;1\nk0;Al;7;1\nk1;Al;2;2\n",
    "the texts of queries": "Suche;Text-Nr;Note\nkettle;1;2\nkettle;7;2\nsaddle;2;2\n",
    "lists with bars": "query;relevant\nkettle;1|7\nsaddle;2\n",
    "lists with blanks": "query;relevant\nkettle;1 7\nsaddle;2\n",
    "a list in a list": lines(
        {"qid": f"k{doc - 1}", "generation_gt": ["25 days"], "retrieval_gt": [[str(doc)]]} for doc in (1, 2)
    ),
    "snippets under a key": json.dumps(
        {"tests": [{"query": query, "snippets": [{"text_nr": doc, "span": [0, 7]}]} for query, doc in JUDGED.items()]}
    ),
    "two lists, one of ids": lines({"id": f"k{doc - 1}", "tags": ["x", "y"], "chunk_nrs": [doc]} for doc in (1, 2)),
}


ASKED = {"red lamp?": ("d2", ["d3", "d2", "d1"]), "two wheels?": ("d3", ["d3", "d1", "d2"])}
"""Query → its relevant document, and a ranking: the mean reciprocal rank is 0.75."""


def table_of(*names):
    """Write a table with columns for each query and its relevant document, and one for each place of its ranking."""
    rows = [[*names, "Result 1", "Result 2", "Result 3"]]
    for place, (query, (doc, ranking)) in enumerate(ASKED.items(), 1):
        cells = {"#": str(place), "Comment": "ok" if place == 1 else ""}
        rows.append([cells.get(name, query if name == "Question" else doc) for name in names] + ranking)
    return "".join(",".join(row) + "\n" for row in rows)


def hits(ranking):
    return [{"page_content": "Some words", "metadata": {"source": doc}} for doc in ranking]


IN_ONE_FILE = {
    "places.csv": table_of("Question", "Expected article"),
    "counted.csv": table_of("#", "Question", "Expected"),
    "comments.csv": table_of("Question", "Expected", "Comment"),
    "ids.csv": table_of("Question", "expected_doc"),
    "lists.csv": "query,relevant,retrieved\n" + "".join(f'{q},{d},"{",".join(r)}"\n' for q, (d, r) in ASKED.items()),
    "objects.json": json.dumps(
        [{"question": q, "relevant_sources": [d], "retrieved_documents": hits(r)} for q, (d, r) in ASKED.items()]
    ),
    "one.json": json.dumps([{"query": q, "expected": d, "retrieved": r} for q, (d, r) in ASKED.items()]),
}


def test_records_with_hits_are_a_run_in_memory_as_they_are_in_a_file():
    records = [{"query_id": "q1", "hits": [{"id": "a", "score": np.float32(0.5)}, {"id": "b", "score": 0.25}]}]
    judged = [{"query_id": "q1", "relevant_ids": ["b"]}]
    assert evaluate(records, judged, "RR").per_query["q1"]["RR"] == 0.5
    Path("run").write_text(json.dumps(records, default=float))
    assert read_run("run")["q1"] == as_run(records)["q1"]
    with pytest.raises(ValueError, match="not a list"):
        evaluate([{"query_id": "q1", "score": 1}], judged, "RR")


def by_query(form):
    return json.dumps({f"q{place}": form(*pair) for place, pair in enumerate(ASKED.values(), 1)})


WITH_RANKINGS = {
    "lists": by_query(lambda doc, ranking: {"ranking": ranking, "relevant": [doc]}),
    "numbers": by_query(lambda doc, ranking: {"relevant": {doc: 1}, "results": dict.fromkeys(ranking, 9)}),
    "tables": json.dumps(
        {"run": {"q1": {"d3": 9.5, "d2": 8}, "q2": {"d3": 9.5}}, "qrels": {"q1": {"d2": 1, "d3": 0}, "q2": {"d3": 1}}}
    ),
    "gold": json.dumps({"run": {"q1": ["d3", "d2"], "q2": ["d3"]}, "gold": {"q1": ["d2"], "q2": ["d3"]}}),
}


@pytest.mark.parametrize("ids", [["1"], [1]])
def test_texts_that_are_the_keys_of_lists_are_searched(ids):
    Path("judged.json").write_text(
        json.dumps({"what boils water for tea": ids, "which owls hunt at night": [type(ids[0])(7)]})
    )
    assert values("docs.jsonl", "--qrels", "judged.json") == [1.0]


def test_lists_beside_each_other_are_systems_or_parts_of_one_file():
    def listed(*queries, key="results", docs=("a", "b")):
        return [{"query_id": query, key: [*docs]} for query in queries]

    Path("run.json").write_text(json.dumps({"bm25": listed("q1", "q2"), "dense": listed("q1", "q2", docs=("b", "a"))}))
    assert [(run.name, [*run["q2"]]) for run in read_runs("run.json")] == [("bm25", ["a", "b"]), ("dense", ["b", "a"])]
    Path("run.json").write_text(json.dumps({"train": listed("q1"), "test": listed("q2")}))
    with pytest.warns(match="each with queries of its own; they are read as one run"):
        assert [*read_run("run.json").query_ids] == ["q1", "q2"]
    Path("judged.json").write_text(
        json.dumps({"train": listed("q1", key="relevant"), "test": listed("q2", key="relevant")})
    )
    assert [*read_qrels("judged.json").query_ids] == ["q1", "q2"]


@pytest.mark.parametrize("more", [{"labels": [2, 1]}], ids=len)
def test_a_file_that_holds_one_list_is_not_its_own_judgments(more):
    Path("both.json").write_text(json.dumps([{"query": "q1", "docs" if more else "relevant": ["a", "b"]} | more]))
    refused = shell("eval", "both.json", "both.json")
    assert refused.exit_code == 2
    assert "the run 'both' is its own judgments; name the columns of each: --run-columns" in refused.stderr


KINDS = {"kettle": "kitchen", "saddle": "bicycle"}
CASES = {KINDS[query]: [{"question": query, "expected_doc_ids": [doc]}] for query, doc in JUDGED.items()}
OF_KINDS = {
    "beside each other": CASES,
    "one below the other": {kind: {"questions": cases} for kind, cases in CASES.items()},
    "in a list": {"dataset": [{"category": kind, "cases": cases} for kind, cases in CASES.items()]},
}


RANKINGS = [("retrieved", "reranked"), ("candidates", "results"), ("docs", "docs_v2"), ("hits", "reranked_hits")]
KEPT_APART = [("must_include", "must_not_include"), ("good", "bad"), ("grade_1", "grade_0"), ("alpha", "beta")]


@pytest.mark.parametrize("beside", [{}, {"section_id": 1}, {"page": 3}, {"answer": "Yes it does."}, {"relevance": 2}])
def test_an_object_that_names_a_document_is_the_judgment_of_its_query(beside):
    """Its keys are no documents, and the run beside is read by its own names."""
    Path("golden.json").write_text(json.dumps({query: {"doc_id": doc, **beside} for query, doc in JUDGED.items()}))
    hits = [(query, doc, 1.5 if JUDGED[query] == doc else 0.5) for query in JUDGED for doc in TEXTS]
    Path("run.jsonl").write_text(lines(dict(zip(["query", "doc_id", "score"], hit, strict=True)) for hit in hits))
    assert values("run.jsonl", "golden.json") == [1.0]
    assert values("docs.jsonl", "--qrels", "golden.json") == [1.0]
    grade = beside.get("relevance", 1)
    assert {query: dict(read_qrels("golden.json")[query]) for query in JUDGED} == {
        query: {doc: grade} for query, doc in JUDGED.items()
    }


PLACES_OF_RUN = "Requête;Rang 1;Rang 2\nR1;d1;d2\nR2;d3;d1\n"


@pytest.mark.parametrize("labels", ["srch_id,prop_id", "query_id,doc_id", "SearchId,PropertyId", ""])
def test_a_run_without_scores_is_refused_with_the_option_that_takes_the_order_of_its_rows(labels):
    Path("run.csv").write_text(f"{labels}\n".lstrip() + "1,a\n1,b\n2,a\n2,b\n")
    Path("judged.csv").write_text("srch_id,prop_id,relevance\n1,a,0\n1,b,1\n2,a,1\n2,b,0\n")
    said = shell("eval", "run.csv", "judged.csv")
    assert said.exit_code
    [option] = re.findall(r"if its rows are ranked: --run-columns (\S+?)(?=;|$)", said.stderr, re.MULTILINE)[:1]
    assert values("run.csv", "judged.csv", "--run-columns", option) == [0.75]


def test_scores_before_the_documents_of_pairs_are_read():
    pairs = {query: [[0.9, JUDGED[query]], [0.5, "7"]] for query in JUDGED}
    Path("golden").write_text(golden(lambda name, query, doc: {"query": query, "doc_id": doc}))
    Path("run.json").write_text(json.dumps(pairs))
    assert values("run.json", "golden") == [1.0]
    assert read_run("run.json")["kettle"] == {"1": 0.9, "7": 0.5}
