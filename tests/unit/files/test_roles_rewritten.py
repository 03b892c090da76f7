"""Runs and judgments that are written in another way: the same numbers, or a question, and never another number."""

import csv
import io
import json
import random
from pathlib import Path

import pytest
from shell import run as shell

from toysearch import evaluate
from toysearch.base.errors import ToysearchError

DRAWN = random.Random(7)
QUERIES = [f"q{number}" for number in range(1, 9)]
DOCS = [f"doc-{number}" for number in range(100, 200)]
RUN = {query: DRAWN.sample(DOCS, 6) for query in QUERIES}
"""Best first."""
GRADES = {
    query: dict(zip(DRAWN.sample(RUN[query], 2) + DRAWN.sample(DOCS, 2), (2, 0, 1, 1), strict=True))
    for query in QUERIES
}
RELEVANT = {query: [doc for doc, grade in grades.items() if grade] for query, grades in GRADES.items()}


def score(place):
    return round(9.87 - place * 0.731, 3)


def average_precision(run, relevant):
    """The mean over queries, worked out here."""
    values = []
    for query, docs in run.items():
        hits = [place for place, doc in enumerate(docs, 1) if doc in relevant[query]]
        values.append(sum(n / place for n, place in enumerate(hits, 1)) / len(relevant[query]))
    return sum(values) / len(values)


AP = average_precision(RUN, RELEVANT)
RANKED = [(query, place, doc) for query in QUERIES for place, doc in enumerate(RUN[query])]
JUDGED = [(query, doc, grade) for query in QUERIES for doc, grade in GRADES[query].items()]
LISTED = [(query, json.dumps(RUN[query]), json.dumps(RELEVANT[query])) for query in QUERIES]

RUNS = {
    "scores": ("query doc score", [(q, d, score(at)) for q, at, d in RANKED]),
    "ranks and titles": ("query position url title", [(q, at + 1, d, f"Page {d[4:]}") for q, at, d in RANKED]),
    "ranks and scores": ("qid docno rank score", [(q, d, at + 1, score(at)) for q, at, d in RANKED]),
    "unknown names": ("Anfrage Treffer Punkte", [(q, d, score(at)) for q, at, d in RANKED]),
    "lists with blanks": ("query ranking", [(q, " ".join(RUN[q])) for q in QUERIES]),
    "lists with bars": ("query retrieved_ids", [(q, "|".join(RUN[q])) for q in QUERIES]),
    "lists in brackets": ("query retrieved_ids", [(q, ranked) for q, ranked, _ in LISTED]),
    "a column for each place": (
        "query doc_1 doc_2 doc_3 doc_4 doc_5 doc_6",
        [(q, *RUN[q]) for q in QUERIES],
    ),
    "lists of both": ("user_input retrieved_context_ids reference_context_ids", LISTED),
}
JUDGMENTS = {
    "grades": ("query doc relevance", JUDGED),
    "pairs": ("query_id doc_id", [(q, d) for q, d, grade in JUDGED if grade]),
    "words": ("query url judgment judge", [(q, d, "relevant" if g else "not relevant", "anna") for q, d, g in JUDGED]),
    "unknown names": ("Requête Page Pertinent", [(q, d, "oui" if g else "non") for q, d, g in JUDGED]),
    "lists in brackets": ("question relevant_docs", [(q, relevant) for q, _, relevant in LISTED]),
    "lists with blanks": ("query expected_ids", [(q, " ".join(RELEVANT[q])) for q in QUERIES]),
    "more columns": ("id query_id doc_id grade comment", [(100 + n, *row, "") for n, row in enumerate(JUDGED)]),
    "a column for each query": (
        " ".join(["document", *QUERIES]),
        [(doc, *(GRADES[q].get(doc, "") for q in QUERIES)) for doc in DOCS if any(doc in GRADES[q] for q in QUERIES)],
    ),
}


def delimited(labels, rows, mark=",", quoting=csv.QUOTE_MINIMAL):
    written = io.StringIO()
    csv.writer(written, delimiter=mark, lineterminator="\n", quoting=quoting).writerows([labels, *rows])
    return written.getvalue()


def objects(labels, rows):
    return [dict(zip(labels, row, strict=True)) for row in rows]


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def permuted(labels, rows):
    order = [*range(len(labels))][::-1]
    return [labels[at] for at in order], [[row[at] for at in order] for row in rows]


def shuffled(labels, rows):
    return labels, random.Random(1).sample(rows, len(rows))


def renamed(labels, rows, names):
    return names[: len(labels)], rows


COUNTED, UNKNOWN = [f"c{number}" for number in range(1, 10)], ["ta", "zu", "mi", "ro", "ke", "pa", "vo", "du", "se"]
REWRITTEN = {
    "commas": lambda *table: delimited(*table),
    "semicolons": lambda *table: delimited(*table, ";"),
    "tabs": lambda *table: delimited(*table, "\t"),
    "quoted": lambda *table: delimited(*table, quoting=csv.QUOTE_ALL),
    "quoted between tabs": lambda *table: delimited(*table, "\t", csv.QUOTE_ALL),
    "lines of JSON": lambda *table: lines(objects(*table)),
    "texts in JSON": lambda *table: lines({key: str(cell) for key, cell in one.items()} for one in objects(*table)),
    "an array": lambda *table: json.dumps(objects(*table)),
    "a list in an object": lambda *table: json.dumps({"items": objects(*table), "total": 8}),
    "a list in two objects": lambda *table: json.dumps({"data": {"rows": objects(*table)}, "took": 3}),
    "other order of rows": lambda *table: delimited(*shuffled(*table)),
    "other order of columns": lambda *table: delimited(*permuted(*table)),
    "other order of keys": lambda *table: lines(objects(*permuted(*table))),
    "numbers of rows": lambda labels, rows: delimited(["", *labels], [[n, *row] for n, row in enumerate(rows)]),
    "Windows": lambda *table: "\ufeff" + delimited(*table).replace("\n", "\r\n"),
    "counted names": lambda *table: delimited(*renamed(*table, COUNTED)),
    "other names": lambda *table: delimited(*renamed(*table, UNKNOWN)),
    "other names in JSON": lambda *table: lines(objects(*renamed(*table, UNKNOWN))),
}
ASKED = {
    ("run", "a column for each place"): {"other order of keys", "other order of columns"}
    | {"counted names", "other names", "other names in JSON"},
    ("run", "ranks and scores"): set[str](),
    ("qrels", "a column for each query"): {"counted names", "other names", "other names in JSON", "numbers of rows"},
}
"""What cannot be told, or hardly, from cells alone."""


def outcome(run, qrels):
    """The mean AP of two files; what is asked if one cannot be read."""
    try:
        return float(evaluate(run, qrels, ["AP"]).means["AP"])
    except ToysearchError as error:
        return str(error)


def ap_of(*words):
    """The mean AP that the shell prints."""
    printed = shell("eval", *words, "-m", "AP", "--tsv").stdout
    return pytest.approx(float(printed.splitlines()[-1].split("\t")[1]), abs=1e-4)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, tables in (("run", RUNS["scores"]), ("qrels", JUDGMENTS["grades"])):
        Path(name).write_text(delimited(tables[0].split(), tables[1]), encoding="utf-8")


def test_the_matrix_of_layouts_and_rewritings_is_walked():
    assert (len(RUNS) + len(JUDGMENTS)) * len(REWRITTEN) == 17 * 18


def of_both(names):
    """Lines that hold texts and ids of what was found and of what is relevant for each query."""
    of_queries = [(q, RUN[q], RELEVANT[q]) for q in QUERIES]
    rows = [
        (f"what is {q}?", *([f"text of {doc}" for doc in docs] for docs in both), *both, "It is.")
        for q, *both in of_queries
    ]
    return lines(dict(zip(names, row, strict=True)) for row in rows)


RAGAS = ["user_input", "retrieved_contexts", "reference_contexts"]
RAGAS += ["retrieved_context_ids", "reference_context_ids", "response"]


def test_lists_of_unknown_names_are_refused_in_a_sentence():
    Path("run.jsonl").write_text(of_both(RAGAS))
    Path("theirs.jsonl").write_text(of_both(["k0", "k1", "k2", "k3", "k4", "k5"]))
    said = shell("eval", "run.jsonl", "theirs.jsonl")
    assert said.exit_code == 2
    assert said.stderr.startswith("toysearch: theirs.jsonl:1: ")


def test_documents_that_a_query_must_not_find_are_no_judgments():
    trapped = [{"question_id": q, "expected_answer": "none", "trap_chunk_id": RUN[q][0]} for q in QUERIES]
    Path("theirs.json").write_text(json.dumps({"tests": trapped}))
    assert "expected judgments" in outcome("run", "theirs.json")


def test_what_is_wrong_below_the_first_line_of_a_trec_run_is_reported_in_its_place():
    Path("theirs").write_text("q1 Q0 doc-1 1 2 x\nq1 Q0 doc-2 2 nan x\n")
    assert outcome("theirs", "qrels").startswith("theirs:2: expected a number as score, found 'nan'")
