"""`toysearch query`: the outline of a query, in each form."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

import toysearch

run = partial(shell.run, "query")


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("query") / "pets"
    documents = [
        toysearch.Document(
            str(year), f"Training {name} {year}", fields={"title": name, "text": "Training", "year": str(year)}
        )
        for year, name in [(1990, "a cat"), (2000, "a dog")]
    ]
    analyzer = toysearch.Analyzer.for_language("english")
    toysearch.Index.build(documents, analyzer, fields=["title", "text"], values=["year"]).save(folder)
    return str(folder)


def test_the_outline_shows_each_part_with_its_terms():
    result = run('"how to train" AND (Removal^2 OR the) year:>=1990', "--analyzer", "english")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "analyzer: english:stop=sklearn,stem=english\n"
        'query: ("how to train" AND (Removal^2 OR the)) OR year:[1990 TO *]\n'
        "\n"
        "node                terms\n"
        "OR\n"
        "  AND\n"
        '    "how to train"  train (left out: how, to: stop word)\n'
        "    OR\n"
        "      ^2\n"
        "        Removal     remov\n"
        "      the           left out: stop word\n"
        "  year:[1990 TO *]  1990 ≤ year\n"
    )


def test_a_remark_is_a_note_and_strict_refuses():
    result = run('C++ "x')
    assert result.stderr == "note: '++' after C is text\nnote: the quotation mark has no partner and is left out\n"
    assert shell.refused("query", 'C++ "x', "--query-mode", "strict") == (
        'toysearch: the quotation mark has no partner:\n  C++ "x\n      ^\n'
    )
    assert run('C++ "x', "--query-mode", "plain", "--tsv").stdout.splitlines()[1:] == [
        "OR\t",
        "  C++\tleft out: too short",
        '  \\"x\tleft out: too short',
    ]


def test_json_is_the_tree():
    result = run("Cats -the", "--analyzer", "english", "--json")
    word = {"node": "Term", "parts": []}
    cats = {**word, "text": "Cats", "terms": ["cat"], "left_out": {}}
    the = {**word, "text": "the", "terms": [], "left_out": {"the": "stop word"}}
    assert json.loads(result.stdout) == {
        "analyzer": "english:stop=sklearn,stem=english",
        "query": "Cats AND NOT the",
        "remarks": [],
        "tree": {
            "node": "And",
            "text": "Cats AND NOT the",
            "terms": [],
            "left_out": {},
            "parts": [cats, {"node": "Not", "text": "NOT the", "terms": [], "left_out": {}, "parts": [the]}],
        },
    }


@pytest.mark.parametrize("text", ["", " ", "()"])
def test_a_query_without_words_has_no_rows(text):
    result = run(text, "--json")
    assert result.exit_code == 0
    assert [json.loads(result.stdout)[key] for key in ("query", "tree")] == [None, None]
    assert "query: no words" in run(text).stdout


def test_an_index_gives_its_analyzer_and_its_fields(index):
    result = run("title:Training note:this year:1990", index)
    assert "query: title:Training OR note\\:this OR year:1990" in result.stdout
    assert result.stderr == (
        "note: 'note:this' is text: unknown field 'note'. Fields: title, text, year "
        "(to ask for it: toysearch index SOURCE -o DIR --values note)\n"
        "note: 'year:1990' filters nothing beside words: +year:1990 requires it\n"
    )
    assert "analyzer: english" in result.stdout


def test_a_text_that_begins_with_a_sign_stands_after_two_dashes():
    assert "query: cat AND NOT dog" in run("--", "-dog cat").stdout


def test_the_documents_of_each_part_are_counted(index):
    result = run("+training (title:(cat OR dog) year:1990) -year:<1990", index, "--tsv")
    assert result.stdout == (
        "node\tterms\tn_documents\n"
        "AND\t\t2\n"
        "  training\ttrain\t2\n"
        "  optional\t\t2\n"
        "    OR\t\t2\n"
        "      title:\t\t2\n"
        "        OR\t\t2\n"
        "          cat\tcat\t1\n"
        "          dog\tdog\t1\n"
        "      year:\t\t1\n"
        "        1990\t\t1\n"
        "  NOT\t\t2\n"
        "    year:[* TO 1990}\tyear < 1990\t0\n"
    )


def test_a_collection_is_indexed_with_the_fields_of_the_query():
    result = run("title:dogs AND date:>=2010 subject:cats", "companions", "--json")
    data = json.loads(result.stdout)
    assert data["query"] == r"(title:dogs AND date:[2010 TO *]) OR subject\:cats"
    assert data["remarks"] == ["'subject:cats' is text: unknown field 'subject'. Fields: title, text, date, topic"]
    counts = {}

    def walk(part):
        counts[part["text"]] = part["n_documents"]
        for inner in part["parts"]:
            walk(inner)

    walk(data["tree"])
    collection = toysearch.load("companions")
    dogs = {
        document.doc_id
        for document in collection.stream()
        if "dog" in toysearch.Analyzer.for_language("english")(document.title)
    }
    recent = {document.doc_id for document in collection.stream() if document.fields["date"] >= "2010"}
    assert counts["title:dogs"] == len(dogs) > 0
    assert counts["date:[2010 TO *]"] == len(recent) > 0
    assert counts["title:dogs AND date:[2010 TO *]"] == len(dogs & recent)


def test_an_unknown_field_is_refused_by_a_strict_query(index):
    assert shell.refused("query", "date:>1990", index, "--query-mode", "strict") == (
        "toysearch: unknown field 'date'. Fields: title, text, year "
        "(to ask for it: toysearch index SOURCE -o DIR --values date):\n  date:>1990\n  ^\n"
    )


def test_a_word_of_several_terms_counts_as_all_of_them_where_it_is_required(index):
    counted = run("cat-2000 OR (cat-1990 AND training) OR (training -cat-2000)", index, "--tsv").stdout
    rows = [line.split("\t") for line in counted.splitlines() if "-" in line]
    assert [(row[0].strip(), row[2]) for row in rows] == [("cat-2000", "1"), ("cat-1990", "0"), ("cat-2000", "0")]


def test_the_terms_that_fit_a_pattern_are_shown(tmp_path):
    toysearch.Index.build(["cats catch", "cattle cat", "catalog car"]).save(tmp_path / "pets")
    rows = run("cat* c?r kat~ -/[x-z]+/", tmp_path / "pets", "--tsv").stdout.splitlines()
    assert rows[3:6] + rows[7:] == [
        "    cat*\tcat catalog catch cats … (5 terms)\t3",
        "    c?r\tcar\t1",
        "    kat~1\tcat\t1",
        "    /[x-z]+/\tno term fits\t0",
    ]
    tree = json.loads(run("cat*", tmp_path / "pets", "--json").stdout)["tree"]
    assert tree["terms"] == ["cat", "catalog", "catch", "cats", "cattle"]


def test_the_textbook_works_out_each_part(tmp_path):
    toysearch.Index.build(["a tick", "tick removal", "ticks and talk"], toysearch.Analyzer()).save(tmp_path / "index")
    result = run("tikc~ AND t*k", str(tmp_path / "index"), "--textbook")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.split("\n\n", 2)[2] == (
        "tikc → tick: 1 edit\n"
        "\n"
        "        t  i  c  k\n"
        "     0  1  2  3  4\n"
        "  t  1  0  1  2  3\n"
        "  i  2  1  0  1  2\n"
        "  k  3  2  1  1  1\n"
        "  c  4  3  2  1  1\n"
        "\n"
        "exchange k and c\n"
        "\n"
        "t*k in a permuterm index: look up k$t*\n"
        "\n"
        "rotation  term\n"
        "k$tal     talk\n"
        "k$tic     tick\n"
        "\n"
        "all rotations of talk: talk$ alk$t lk$ta k$tal $talk\n"
        "\n"
        "t*k in a k-gram index: merge these lists by AND\n"
        "\n"
        "k-gram  terms\n"
        "$t          3\n"
        "k$          2\n"
        "\n"
        "2 candidates: talk tick\n"
        "candidates that do not fit: none\n"
        "2 terms: talk tick\n"
        "\n"
        "tikc~1 AND t*k: 2 and 3 documents, numbered from 1\n"
        "\n"
        "step  tikc~1  t*k  outcome\n"
        "   1       1    1  1 = 1: 1 is kept, on in both\n"
        "   2       2    2  2 = 2: 2 is kept, on in both\n"
        "\n"
        "2 comparisons of at most 2 + 3; 2 documents: 1 2\n"
    )
    told = json.loads(run("tick AND removal", str(tmp_path / "index"), "--textbook", "--json").stdout)
    assert [(step["kind"], step["documents"]) for step in told["textbook"]] == [("Merge", [2])]


def test_the_textbook_needs_postings_and_something_to_work_out(index):
    assert shell.refused("query", "a AND b", "--textbook").endswith(
        "--textbook reads postings and terms; give an index or a collection after the query\n"
    )
    assert shell.refused("query", "a AND b", index, "--textbook", "--tsv").endswith(
        "--textbook has no rows; it is shown with --format table or json\n"
    )
    assert run("cat", index, "--textbook").stderr == (
        "note: the query has no operator, phrase or pattern to work out\n"
    )
