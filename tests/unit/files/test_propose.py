"""Runs and judgments of strangers: the right number at once, or one question whose options, copied, are read."""

import json
import re
import shlex
from pathlib import Path

import pytest
from shell import run as shell

NAMED = {"what is a": ["u1", "u9"], "what is b": ["u8", "u3"], "5a7a": ["Ann Lee", "Cy Roe", "Bo Day"]}
SOURCES = {name: ["pricing.pdf", "faq.pdf", "handbook.pdf"] for name in ("return", "order", "shipping", "card")}
EXPECTED = {"return": "handbook.pdf; pricing.pdf", "order": "pricing.pdf", "shipping": "pricing.pdf; faq.pdf"}
RISING = {"q1": [("a", 0.21), ("b", 0.35), ("c", 0.5)], "q2": [("x", 0.1), ("d", 0.2), ("e", 0.6)]}
FIRST = {"q1": ["a"], "q2": ["d"]}
FAQ = {"g1": ["x9", "p1"], "g2": ["f7", "x9"]}
PAGES = [
    {"qid": "g1", "question": "a", "relevant_pages": [{"doc_id": "p1", "page": 5}], "relevant_faq_ids": []},
    {"qid": "g2", "question": "b", "relevant_pages": [], "relevant_faq_ids": ["f7"]},
]
HOPS = [
    {
        "id": hop,
        "question": text,
        "answer": [wrong],
        "paragraphs": [
            {"title": right, "is_supporting": True, "idx": 0},
            {"title": wrong, "is_supporting": False, "idx": 1},
        ],
    }
    for hop, text, right, wrong in (("h1", "who", "Al", "Bo"), ("h2", "whom", "Di", "Cy"))
]
OUTPUTS = [
    ("p1", "q one", ["b", "a"]),
    ("p2", "q one", ["a", "c"]),
    ("p1", "q two", ["x", "d"]),
    ("p2", "q two", ["d", "x"]),
]
SPAN = {"input.value": "red lamp", "documents.0.document.id": "2", "documents.0.document.score": 0.9}


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def table(labels, *rows):
    return "".join(",".join(map(str, row)) + "\n" for row in (labels.split(","), *rows))


def rows_of(lists):
    return [(query, *pair) for query, pairs in lists.items() for pair in pairs]


COUNTED = {query: [(doc, place) for place, (doc, _) in enumerate(pairs, 1)] for query, pairs in RISING.items()}
TSV = "".join(f"{query}\t{doc}\t{rank}\n" for query, doc, rank in rows_of(COUNTED))

# name: (run, judgments, measure, right numbers, options that are asked; 0 if it is read at once)
CASES = {
    "a place beside an id": (
        NAMED,
        lines(
            {"query": q, "golden_chunk_uuids": [[d, n]]} for q, d, n in [("what is a", "u1", 0), ("what is b", "u3", 4)]
        ),
        "RR",
        [0.75],
        2,
    ),
    "places of facts": (
        {"5a7a": NAMED["5a7a"]},
        [{"_id": "5a7a", "question": "Who?", "supporting_facts": [["Ann Lee", 0], ["Bo Day", 2]]}],
        "AP",
        [5 / 6],
        2,
    ),
    "cells that list sources": (SOURCES, table("question,expected_sources", *EXPECTED.items()), "R@3", [1.0], 0),
    "texts that list sources": (
        SOURCES,
        lines({"question": q, "expected_sources": d} for q, d in EXPECTED.items()),
        "R@3",
        [1.0],
        0,
    ),
    "rising pairs": (RISING, FIRST, "RR", [0.75], 2),
    "rising objects": (
        {q: [{"id": d, "score": n} for d, n in pairs] for q, pairs in RISING.items()},
        FIRST,
        "RR",
        [0.75],
        2,
    ),
    "rising hits": (
        lines({"query": q, "results": [{"id": d, "score": n} for d, n in pairs]} for q, pairs in RISING.items()),
        FIRST,
        "RR",
        [0.75],
        2,
    ),
    "rising rows": (table("query_id,doc_id,score", *rows_of(RISING)), FIRST, "RR", [0.75], 2),
    "numbers of no name": (table("query_id,doc_id,value", *rows_of(RISING)), FIRST, "RR", [0.75], 2),
    "ranks in objects": ({q: dict(pairs) for q, pairs in COUNTED.items()}, FIRST, "RR", [0.75], 2),
    "ranks of no name": (table("query_id,doc_id,value", *rows_of(COUNTED)), FIRST, "RR", [0.75], 2),
    "three columns": (TSV, FIRST, "RR", [0.75], 2),
    "two lists of relevant ids": (FAQ, lines(PAGES), "RR", [0.25, 0.5], 2),
    "a number of the row": (
        table("row,question,passage,points", (1, 10, 3, 9), (2, 10, 2, 8), (3, 20, 4, 9), (4, 20, 5, 8)),
        "10 0 3 1\n20 0 5 1\n",
        "RR",
        [0.75],
        1,
    ),
    "several systems": (
        {
            "results": {
                "results": [
                    {"provider": {"id": p}, "vars": {"query": q}, "response": {"output": o}} for p, q, o in OUTPUTS
                ]
            }
        },
        [{"question": "q one", "correct_chunks": ["a"]}, {"question": "q two", "correct_chunks": ["d"]}],
        "RR",
        [0.5, 1.0],
        1,
    ),
    "answers are no documents": ({"h1": ["Bo", "Al"], "h2": ["Cy", "Di"]}, HOPS, "RR", [0.5], 2),
    "columns beside each other": (
        lines([{"name": "retrieve", "attributes": SPAN}]),
        "query,doc_id,relevance\nred lamp,1,1\n",
        "RR",
        [],
        0,
    ),
    "no query": (
        [{"retrieved_ids": ["2", "1"], "f1": 0.67, "recall": 1.0}],
        "query,doc_id,relevance\nred lamp,1,1\n",
        "RR",
        [],
        0,
    ),
    "keywords are no documents": (
        {"red lamp": ["1"]},
        lines([{"question": "red lamp", "expected_keywords": ["glow"], "must_cite": "1"}]),
        "RR",
        [1.0],
        1,
    ),
    "text behind the tag": (
        "".join(
            f"{q}\tQ0\t{d}\t1\t{s}\tstd{t}\n" for q, d, s, t in [(1, "b", 2, " more"), (1, "a", 1, ""), (2, "c", 2, "")]
        ),
        "1 0 a 1\n2 0 c 1\n",
        "RR",
        [0.75],
        0,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_read_rightly_or_asked_about_with_options_that_work(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, judged, measure, right, n_options = CASES[case]
    for name, content in (("run", run), ("judged", judged)):
        Path(name).write_text(content if isinstance(content, str) else json.dumps(content))
    words = ["eval", "run", "judged", "-m", measure, "--tsv"]
    said = shell(*words)
    assert "Traceback" not in said.output
    if not right:
        assert said.exit_code == 2
        assert "-columns" not in said.stderr
        return
    if not n_options:
        assert numbers(said) == pytest.approx(right, abs=1e-4)
        return
    assert (said.exit_code, said.stdout) == (2, "")
    options = re.findall(r"--(?:run|qrels)-columns (?:'[^']*'|[^\s;]+)", said.stderr)
    assert len(options) == n_options
    found = [number for option in options for number in numbers(shell(*words, *shlex.split(option)))]
    assert [pytest.approx(number, abs=1e-4) in found for number in right] == [True] * len(right)


def numbers(said):
    assert said.exit_code == 0, said.stderr
    return [float(row.split("\t")[1]) for row in said.stdout.splitlines()[1:]]
