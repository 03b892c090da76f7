"""`toysearch explain`: whole outputs, worked by hand, and whole messages for what makes no sense."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

import toysearch

DOCUMENTS = [
    {"_id": "a", "title": "Of cats", "text": "cat cat cat cat dog"},
    {"_id": "b", "text": "cat dog"},
    {"_id": "c", "text": "fox fox"},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A collection of three documents and two queries, and an index of its documents."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets" / "qrels").mkdir(parents=True)
    lines = "".join(json.dumps(document) + "\n" for document in DOCUMENTS)
    (tmp_path / "pets" / "corpus.jsonl").write_text(lines)
    queries = '{"_id": "q1", "text": "cat  dog"}\n{"_id": "q2", "text": "fox"}\n'
    (tmp_path / "pets" / "queries.jsonl").write_text(queries)
    (tmp_path / "pets" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t2\nq1\ta\t0\nq2\tc\t1\n")
    toysearch.Index.build(toysearch.load("pets")).save(tmp_path / "pets.idx")
    return tmp_path


run = partial(shell.run, "explain")


def test_one_document_is_explained_and_held_against_another(folder):
    result = run("pets", "--query-id", "q1", "--doc", "b")
    assert (result.exit_code, result.stderr) == (0, "")
    # a has 7 tokens ("of cats cat cat cat cat dog"), b 2, c 2: the mean is 11/3.
    assert result.stdout == (
        "query q1: cat dog\n"
        "document b (grade 2): cat dog\n"
        "document a (grade 0): Of cats\n"
        "\n"
        "1. document b: score 0.524877 under bm25\n"
        "term  qtf  tf  dl  df     idf  length  weight  × q     share\n"
        "cat     1   1   2   2  0.4700  0.6591  0.2624    1  0.262439\n"
        "dog     1   1   2   2  0.4700  0.6591  0.2624    1  0.262438\n"
        "collection: N = 3, avgdl = 3.666667\n"
        "\n"
        "idf = ln(1 + (N − df + 0.5) / (df + 0.5))\n"
        "length = 1 − b + b · dl / avgdl\n"
        "weight = idf · tf / (tf + k1 · length)\n"
        "with k1 = 1.2, b = 0.75\n"
        "\n"
        "idf = ln(1 + (3 − 2 + 0.5) / (2 + 0.5)) = 0.470004\n"
        "length = 1 − 0.75 + 0.75 · 2 / 3.66667 = 0.659091\n"
        "weight = 0.470004 · 1 / (1 + 1.2 · 0.659091) = 0.262439\n"
        "\n"
        "score = 0.262439 + 0.262439 = 0.524877\n"
        "\n"
        "Why b is the first: compared with the second\n"
        "\n"
        "b ranks above a by 0.0567639, under bm25\n"
        "\n"
        "document         b        a\n"
        "rank             1        2\n"
        "dl               2        7\n"
        "length    0.659091  1.68182\n"
        "\n"
        "part   df     idf  tf b         b  tf a         a   ahead by\n"
        "dog     2  0.4700     1  0.262439     1  0.155724  +0.106715\n"
        "cat     2  0.4700     1  0.262438     4  0.312389  -0.049951\n"
        "score                    0.524877        0.468113  +0.056764\n"
        "\n"
        "The smallest change of one parameter that swaps them\n"
        "\n"
        "parameter   now  a above b  of the range  range\n"
        "b          0.75     0.5397         21.0%  from 0 to 1\n"
        "k1          1.2          0         50.0%  at least 0\n"
        "the scores are equal at k1 = 0, where the order of the collection decides\n"
        "cannot swap them: k3 (at least 0, or none)\n"
    )


def test_two_documents_side_by_side(folder):
    result = run("pets", "--query-id", "q1", "--doc", "b", "--doc", "a", "--model", "f2log")
    # idf = ln(4/2); a: 4 / (4.5 + 0.5 · 7 · 3/11) and 1 / (1.5 + …), b: 1 / (1.5 + 0.5 · 2 · 3/11) twice.
    assert result.stdout == (
        "query q1: cat dog\n"
        "document b (grade 2): cat dog\n"
        "document a (grade 0): Of cats\n"
        "\n"
        "a ranks above b by 0.00868902, under f2log\n"
        "\n"
        "document  a  b\n"
        "rank      1  2\n"
        "dl        7  2\n"
        "\n"
        "part   df     idf  tf a         a  tf b         b   ahead by\n"
        "cat     2  0.6931     4  0.508308     1  0.391006  +0.117302\n"
        "dog     2  0.6931     1  0.282393     1  0.391006  -0.108613\n"
        "score                    0.790701        0.782012  +0.008689\n"
        "\n"
        "idf = ln((N + 1) / df)\n"
        "weight = idf · tf / (tf + s + s · dl / avgdl)\n"
        "with s = 0.5\n"
        "\n"
        "cat\n"
        "  a  weight = 0.693147 · 4 / (4 + 0.5 + 0.5 · 7 / 3.66667) = 0.508308\n"
        "  b  weight = 0.693147 · 1 / (1 + 0.5 + 0.5 · 2 / 3.66667) = 0.391006\n"
        "dog\n"
        "  a  weight = 0.693147 · 1 / (1 + 0.5 + 0.5 · 7 / 3.66667) = 0.282393\n"
        "  b  weight = 0.693147 · 1 / (1 + 0.5 + 0.5 · 2 / 3.66667) = 0.391006\n"
        "\n"
        "The smallest change of one parameter that swaps them\n"
        "\n"
        "parameter  now  b above a  of the range  range\n"
        "s          0.5     0.3928          6.0%  at least 0\n"
    )


def test_a_mixture(folder):
    result = run("pets", "--query", "cat fox", "--doc", "a", "--model", "2*overlap + min-max(dice)")
    assert result.stdout.partition("score = 2 · 1")[2] == (
        " + 0 = 2\n"
        "\n"
        "Why a is not higher: compared with the one above it\n"
        "\n"
        "b ranks above a by 0.5, under 2*overlap + min-max(dice)\n"
        "\n"
        "document  b  a\n"
        "rank      2  3\n"
        "\n"
        "part                                           b          a   ahead by\n"
        "cat                                     3.500000   3.000000  +0.500000\n"
        "(min-max(dice), apart from its scale)  -1.000000  -1.000000  +0.000000\n"
        "score                                   2.500000   2.000000  +0.500000\n"
        "\n"
        "The smallest change of one parameter that swaps them\n"
        "\n"
        "parameter           now  a above b  of the range  range\n"
        "weight of dice        1          0         25.0%  a finite number\n"
        "weights of dice  binary      tfidf                tfidf, tf, binary\n"
        "the scores are equal at weight of dice = 0, where the order of the collection decides\n"
        "cannot swap them: weight of overlap (a finite number); tf of dice (raw, log, sqrt, binary, augmented); "
        "idf of dice (ln, smooth, plus1, prob, none)\n"
    )


def test_not_in_the_first_and_alike(folder):
    result = run("pets", "--query", "cat dog", "--doc", "b", "-k", "1", "--model", "overlap")
    assert "\nWhy b is not in the first 1: compared with the last of them\n" in result.stdout
    assert "\na and b have equal scores, and a comes first in the collection, under overlap\n" in result.stdout
    assert result.stdout.endswith("\n\nthe model has no parameter that could swap them\n")


def test_the_only_document_is_held_against_nothing(folder):
    result = run("pets", "--query", "fox", "--doc", "c", "--model", "formula:tf*log(N/df)")
    assert result.stdout.endswith(
        "\nweight = tf · ln(N / df)\n\nfox: weight = 2 · ln(3 / 1) = 2.19722\n\nscore = 2.19722\n"
    )


def test_what_is_not_looked_at(folder):
    result = run("pets", "--query", "cat dog", "--doc", "b", "--doc", "a", "--model", "smart:Lnu.ltc")
    assert result.stdout.endswith("not examined: weights (a text)\n")


def test_a_document_that_is_not_ranked(folder):
    result = run("pets", "--query", "fox unheard", "--doc", "b")
    assert (result.exit_code, result.stdout) == (
        0,
        "query: fox unheard\n"
        "document b: cat dog\n"
        "\n"
        "document b is not ranked: it contains no query term (fox), which no parameter of a model can change\n",
    )
    result = run("pets", "--query", "unheard", "--doc", "b")
    assert result.stdout.endswith(
        "\ndocument b is not ranked, and no other is, for this query: no document holds unheard\n"
    )
    assert run("pets", "--query", "", "--doc", "b").stdout.endswith(
        "\ndocument b is not ranked, and no other is, for this query, which has no term\n"
    )
    result = run("pets", "--query", "fox", "--doc", "b", "--doc", "c")
    assert "\ndocument b is not ranked: it contains no query term" in result.stdout
    assert "\n1. document c: score 0.702874 under bm25\n" in result.stdout
    assert "ranks above" not in result.stdout
    data = json.loads(run("pets", "--query", "fox", "--doc", "b", "--json").stdout)
    assert (data["documents"][0]["rank"], data["documents"][0]["explanation"]["value"]) == (None, None)
    assert (data["order"], data["turns"]) == (None, [])


def test_json_has_everything(folder):
    data = json.loads(run("pets", "--query-id", "q1", "--doc", "a", "--doc", "b", "--json").stdout)
    assert (data["query"], data["query_id"], data["model"]) == ("cat  dog", "q1", "bm25")
    assert [(one["doc_id"], one["rank"]) for one in data["documents"]] == [("a", 2), ("b", 1)]
    [cat, _] = data["documents"][1]["explanation"]["parts"]
    assert cat["expressions"][2] == {
        "name": "weight",
        "formula": "idf · tf / (tf + k1 · length)",
        "numbers": "0.470004 · 1 / (1 + 1.2 · 0.659091)",
        "value": cat["parts"][0]["value"],
    }
    order = data["order"]
    assert (order["above"], order["below"], order["ranks"]) == ("b", "a", [1, 2])
    assert sum(part["ahead"] for part in order["parts"]) == pytest.approx(order["ahead"])
    assert [(turn["parameter"], turn["turns"]) for turn in data["turns"]] == [("b", True), ("k1", True), ("k3", False)]
    alone = json.loads(run("pets", "--query-id", "q1", "--doc", "b", "--json").stdout)
    assert alone["order"]["against"]["doc_id"] == "a"
    assert run("pets", "--query-id", "q1", "--doc", "b", "--format", "csv").stdout.splitlines()[0] == (
        "kind,name,above,below,ahead"
    )


def test_a_saved_index_does_as_well(folder):
    asked = ["--query", "cat dog", "--doc", "b", "--json"]
    of_index, of_collection = (json.loads(run(source, *asked).stdout) for source in ("pets.idx", "pets"))
    assert of_index == of_collection
    result = run("pets.idx", "--query-id", "q1", "--doc", "b")
    assert (result.exit_code, result.stderr) == (
        2,
        "toysearch: pets.idx is an index and holds no queries; give its text by --query, or --queries FILE\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--query", "cat"], "give one DOC_ID, or two to compare, not 0"),
        (["--query", "cat", *["--doc", "a"] * 3], "give one DOC_ID, or two to compare, not 3"),
        (["--doc", "a"], "give one query, either its text by --query or its id by --query-id"),
        (
            ["--query", "cat", "--query-id", "q1", "--doc", "a"],
            "give one query, either its text by --query or its id by --query-id",
        ),
    ],
)
def test_usage_that_makes_no_sense(folder, arguments, message):
    result = run("pets", *arguments)
    usage = "Usage: toysearch explain [OPTIONS] SOURCE [DOC_ID]...\nTry 'toysearch explain --help' for help.\n\nError: "
    assert (result.exit_code, result.stderr.replace("toysearch: ", "")) == (2, f"{usage}{message}\n")


UNKNOWN = "the index has no document 'z'; it has 3 documents, the first is 'a'"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--query", "cat", "--doc", "a", "--doc", "a"], "'a' is given twice; name two documents, or one"),
        (["--query", "cat", "--doc", "z"], "the index has no document 'z'; it has 3 documents, the first is 'a'"),
        (
            ["--query", "cat", "--doc", "a", "--doc", "z"],
            "the index has no document 'z'; it has 3 documents, the first is 'a'",
        ),
        (["--query-id", "z", "--doc", "a"], "collection 'pets' has no query 'z'; its 2 queries run from 'q1' to 'q2'"),
    ],
)
def test_bad_input_is_one_sentence(folder, arguments, message):
    result = run("pets", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"toysearch: {message}\n")


@pytest.mark.parametrize("named", [["p057", "removing a tick"], ["removing a tick", "p057", "p224"]])
def test_a_query_among_the_documents_is_told_its_place_and_the_advice_works(named, tmp_path):
    sentence = shell.refusal("explain", "companions", *named)
    assert sentence.startswith("Error: the text of the query stands after --query: toysearch explain companions p057")
    answer = shell.typed(sentence.partition("--query: ")[2], tmp_path)
    assert (answer.exit_code, answer.stdout.splitlines()[0]) == (0, "query: removing a tick")
