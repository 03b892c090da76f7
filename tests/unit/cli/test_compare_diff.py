"""`toysearch diff`: whole outputs, and whole messages for what makes no sense."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

import toysearch

DOCUMENTS = [
    {"_id": "a", "text": "cat cat cat cat dog"},
    {"_id": "b", "text": "cat dog"},
    {"_id": "c", "text": "fox fox"},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A collection of three documents and two queries, and runs of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets").mkdir()
    (tmp_path / "pets" / "qrels").mkdir()
    lines = "".join(json.dumps(document) + "\n" for document in DOCUMENTS)
    (tmp_path / "pets" / "corpus.jsonl").write_text(lines)
    queries = '{"_id": "q1", "text": "cat  dog"}\n{"_id": "q2", "text": "fox"}\n'
    (tmp_path / "pets" / "queries.jsonl").write_text(queries)
    judged = "query-id\tcorpus-id\tscore\nq1\tb\t2\nq1\ta\t0\nq2\tc\t1\n"
    (tmp_path / "pets" / "qrels" / "test.tsv").write_text(judged)
    (tmp_path / "qrels.txt").write_text("q1 0 b 2\nq1 0 a 0\nq2 0 c 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2.0 mine\nq1 Q0 b 2 1.0 mine\nq2 Q0 c 1 1.0 mine\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 2.0 mine\nq2 Q0 c 1 1.0 mine\n")
    return tmp_path


run = partial(shell.run, "diff")


def test_models(folder):
    result = run("pets", "--model", "tfidf:idf=plus1,query_weights=tf", "--model", "dice", "-m", "RR")
    # Both words are in two of three documents: idf = 1 + ln(3/2) = 1.405465. a: 4 + 1 times that, b: 1 + 1.
    # dice ties: both words of two, and the collection has a before b.
    assert result.stdout.splitlines()[0] == "RR, tfidf:idf=plus1,query_weights=tf → dice: 0.7500 → 0.7500 (+0.0000)"
    assert result.stdout.splitlines()[1:] == [
        "2 queries: 0 gain, 2 stay the same, 0 lose",
        "",
        "no query gains or loses",
    ]
    result = run("pets", "--model", "tfidf", "--model", "cosine", "-m", "RR")
    assert result.exit_code == 0
    assert result.stdout == (
        "RR, tfidf → cosine: 0.7500 → 1.0000 (+0.2500)\n"
        "2 queries: 1 gain, 1 stay the same, 0 lose\n"
        "\n"
        "The queries that gain most\n"
        "\n"
        "q1: 0.5000 → 1.0000 (+0.5000)  cat dog\n"
        "  document  grade   rank  move\n"
        "  b             2  2 → 1  rises past a: it gains more from dog (+2.3)\n"
        "  a             0  1 → 2  falls behind b: b gains more from dog (-2.3)\n"
        "\n"
        "in brackets: what it gains on the documents named, where 1 is the distance from the first score to the tenth\n"
    )
    assert result.stderr == "relevant from grade 1; no grade: not judged\n"


def test_one_query_with_all_parts(folder):
    result = run("pets", "--model", "tfidf", "--model", "cosine", "-m", "RR", "--query-id", "q1", "--documents", "1")
    # tfidf: x = ln²(3/2) = 0.1644 for one occurrence; a has 4x + x, b x + x. cosine: a 4/√34 + 1/√34, b 1/2 + 1/2.
    # dog is equal in both first; then b leads by (1/2 − 1/√34) / (1 − 5/√34) of the distance between a and b: 2.31.
    assert result.stdout.partition("\n\n")[2] == (
        "q1: 0.5000 → 1.0000 (+0.5000)  cat dog\n"
        "\n"
        "document b (grade 2): cat dog\n"
        "rank 2 → 1, rises past a; its lead over it: -1.00 → +1.00\n"
        "  part    tfidf  cosine  difference  lifts\n"
        "  dog    0.1644  0.5000     +0.3356  +2.31\n"
        "  cat    0.1644  0.5000     +0.3356  -0.31\n"
        "  score  0.3288  1.0000     +0.6712  +2.00\n"
        "\n"
        "lifts: what it gains on the documents named, where 1 is the distance from the first score to the tenth\n"
    )


def test_json_has_everything(folder):
    data = json.loads(run("pets", "--model", "tfidf", "--model", "cosine", "-m", "RR", "--json").stdout)
    assert data["gains"] == {"q1": 0.5, "q2": 0.0}
    assert (data["names"], data["means"], data["counts"]) == (
        ["tfidf", "cosine"],
        [0.75, 1.0],
        {"gain": 1, "same": 1, "lose": 0},
    )
    [query] = data["gained"]
    assert (query["query_id"], query["values"], data["lost"]) == ("q1", [0.5, 1.0], [])
    [first, _] = query["moved"]
    assert (first["doc_id"], first["grade"], first["ranks"]) == ("b", 2.0, [2, 1])
    assert sum(mover["difference"] for mover in first["movers"]) == pytest.approx(
        first["scores"][1] - first["scores"][0]
    )
    assert sum(mover["lift"] for mover in first["movers"]) == pytest.approx(2.0)
    assert (first["passed"], first["n_passed"], first["leads"]) == (["a"], 1, [pytest.approx(-1), pytest.approx(1)])
    assert run("pets", "--model", "tfidf", "--model", "cosine", "-m", "RR", "--tsv").stdout == (
        "query_id\tfirst\tsecond\tgain\ttext\nq1\t0.5\t1.0\t0.5\tcat dog\n"
    )


RUNS = (
    "RR, one.run → two.run: 0.7500 → 1.0000 (+0.2500)\n"
    "2 queries: 1 gain, 1 stay the same, 0 lose\n"
    "\n"
    "The queries that gain most\n"
    "\n"
    "q1: 0.5000 → 1.0000 (+0.5000){text}\n"
    "  document  grade   rank  move\n"
    "  b             2  2 → 1  rises past a\n"
    "  a             0  1 → –  gone, behind b\n"
)


@pytest.mark.parametrize(
    "targets",
    [
        ["one.run", "two.run", "qrels.txt"],
        ["qrels.txt", "one.run", "two.run"],
        ["one.run", "two.run", "--qrels", "qrels.txt"],
    ],
)
def test_runs_have_ranks_and_grades(folder, targets):
    result = run(*targets, "-m", "RR")
    assert result.exit_code == 0
    assert result.stdout == RUNS.format(text="")
    assert result.stderr == "relevant from grade 1; no grade: not judged\n"


def test_the_judgments_of_a_collection_bring_the_queries_texts(folder):
    for targets in (["one.run", "two.run", "pets"], ["one.run", "two.run", "--qrels", "pets"]):
        assert run(*targets, "-m", "RR").stdout == RUNS.format(text="  cat dog")


def test_a_run_on_standard_input(folder):
    result = run("-", "two.run", "qrels.txt", "-m", "RR", stdin=(folder / "one.run").read_text())
    assert result.stdout.startswith("RR, - → two.run: 0.7500 → 1.0000")


def test_one_query_of_runs(folder):
    result = run("one.run", "two.run", "qrels.txt", "-m", "RR", "--query-id", "q1")
    assert result.stdout.partition("\n\n")[2] == (
        "q1: 0.5000 → 1.0000 (+0.5000)\n"
        "  document  grade   rank  move\n"
        "  b             2  2 → 1  rises past a\n"
        "  a             0  1 → –  gone, behind b\n"
    )
    result = run("one.run", "two.run", "qrels.txt", "--query-id", "q2")
    assert result.stdout.partition("\n\n")[2] == "q2: 1.0000 → 1.0000 (+0.0000)\n  no document moved\n"


USAGE = "Usage: toysearch diff [OPTIONS] COLLECTION | RUN RUN [QRELS]\nTry 'toysearch diff --help' for help.\n\nError: "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pets"], "give two models to compare, not 0: --model A --model B"),
        (["pets", "--model", "bm25"], "give two models to compare, not 1: --model A --model B"),
        (["one.run"], "one.run is a run; give a second one and the judgments: diff RUN RUN QRELS"),
        (["one.run", "two.run"], "a diff needs two runs and their judgments, found 1 run: diff RUN RUN QRELS"),
        (
            ["one.run", "two.run", "--qrels", "one.run"],
            "none of one.run, two.run, one.run holds judgments (query iteration doc_id grade); name them with --qrels",
        ),
        (
            ["one.run", "two.run", "qrels.txt", "--model", "bm25"],
            "--model: only with one COLLECTION; run files are scored as they are",
        ),
        (["-", "two.run", "--qrels", "-"], "standard input (-) can be read only once; give the others as files"),
    ],
)
def test_usage_that_makes_no_sense(folder, arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stderr.replace("toysearch: ", "")) == (2, USAGE + message + "\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["pets", "--model", "bm25", "--model", "dice", "-m", "AP RR"],
            "a diff needs exactly one measure, found 2: AP RR",
        ),
        (
            ["pets", "--model", "bm25", "--model", "dice", "--query-id", "9"],
            "query '9' has no judgments; expected a query such as 'q1'",
        ),
        (["one.run", "two.run", "nowhere"], "unknown collection, file or folder 'nowhere'"),
    ],
)
def test_bad_input_is_one_sentence(folder, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"toysearch: {message}")
    assert result.stderr.count("\n") == 1


def test_an_index_without_a_collection_has_no_judgments(folder):
    toysearch.Index.build(["cat"]).save(folder / "own.idx")
    result = run("own.idx", "--model", "bm25", "--model", "dice")
    assert (result.exit_code, result.stderr) == (
        2,
        "toysearch: own.idx has no judgments to score against; give some: --qrels QRELS, or a collection that has "
        "some\n",
    )
