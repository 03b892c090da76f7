"""`toysearch similar`: whole outputs on documents small enough to compare by hand."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

import toysearch

DOCUMENTS = [
    toysearch.Document("a", "ant bee cat", "Of ants"),
    toysearch.Document("b", "cat bee ant"),
    toysearch.Document("c", "ant bee dog dog"),
    toysearch.Document("d", "elk fox"),
    toysearch.Document("e", "fox elk"),
    toysearch.Document("f", ""),
    toysearch.Document("g", "gnu"),
]

EXACTLY_ONE = "give exactly one of DOC_ID, --matrix with several ids, --above with a similarity, or --term with a word"


@pytest.fixture
def folder(tmp_path):
    toysearch.Index.build(DOCUMENTS).save(tmp_path / "own.idx")
    return str(tmp_path / "own.idx")


run = partial(shell.run, "similar")


def test_the_nearest_documents(folder):
    result = run(folder, "c", "--model", "jaccard")
    assert result.stdout == (
        "nearest to c, ant bee dog dog, by jaccard\n"
        "\n"
        "rank  document   score  title or beginning\n"
        "   1  a         0.5000  Of ants\n"
        "   2  b         0.5000  cat bee ant\n"
    )
    assert result.stderr == ""
    assert run(folder, "c", "--model", "jaccard", "-k", "1", "--tsv").stdout == (
        "rank\tdoc_id\tscore\ttitle\n1\ta\t0.5\tOf ants\n"
    )


def test_the_nearest_are_those_of_cosine_unless_another_model_is_named(folder):
    data = json.loads(run(folder, "a", "--json").stdout)
    assert data["model"] == "cosine"
    assert [(hit["doc_id"], hit["rank"]) for hit in data["hits"]] == [("b", 1), ("c", 2)]
    assert data["hits"][0]["score"] == pytest.approx(1)


def test_what_is_shared(folder):
    result = run(folder, "c", "--model", "cosine:weights=tf", "--explain", "-k", "1")
    # c = (ant 1, bee 1, dog 2), a = (ant 1, bee 1, cat 1): 2 / √(6 · 3), half of it each.
    assert result.stdout.endswith(
        "   1  a         0.4714  Of ants\n"
        "\n"
        "1. document a: 0.471405\n"
        "term  df  tf  tf there     share\n"
        "ant    3   1         1  0.235703\n"
        "bee    3   1         1  0.235702\n"
    )
    data = json.loads(run(folder, "c", "--model", "dice", "--explain", "-k", "1", "--json").stdout)
    assert data["hits"] == [
        {
            "rank": 1,
            "doc_id": "a",
            "score": pytest.approx(2 / 3),
            "title": "Of ants",
            "shared": [
                {"term": term, "df": 3, "tf": 1, "other_tf": 1, "share": pytest.approx(1 / 3)}
                for term in ("ant", "bee")
            ],
        }
    ]


def test_only_the_largest_shares_are_listed(tmp_path):
    text = " ".join(f"w{number:02}" for number in range(12))
    toysearch.Index.build([text, text, "other"]).save(tmp_path / "long.idx")
    shown = run(str(tmp_path / "long.idx"), "1", "--explain").stdout
    assert (shown.count("0.083334"), shown.count("0.083333")) == (4, 6)  # which add up to 1 with the rest
    assert shown.endswith("w09    2   1         1  0.083333\n… 2 more terms: 0.166666\n")


def test_a_mixture_and_a_prior(tmp_path):
    """The collection's index, built for the occasion, keeps the numbers and the fields that the model names."""
    path = tmp_path / "pets.jsonl"
    lines = [("a", "ant bee", 3), ("b", "ant bee cat", 1), ("c", "ant dog", 2)]
    path.write_text("".join(f'{{"_id": "{id_}", "text": "{text}", "year": "{year}"}}\n' for id_, text, year in lines))
    result = run(str(path), "a", "--model", "0.5*jaccard + prior:year", "--explain", "-k", "1")
    assert result.stdout == (
        "nearest to a, ant bee, by 0.5*jaccard + prior:year\n"
        "\n"
        "rank  document   score  title or beginning\n"
        "   1  c         2.1667  ant dog\n"
        "\n"
        "1. document c: score 2.166667 under 0.5*jaccard + prior:year\n"
        "weight  model          score  normalised  contribution\n"
        "   0.5  jaccard     0.333333    0.333333      0.166667\n"
        "     1  prior:year  2.000000    2.000000      2.000000\n"
        "\n"
        "jaccard gives 0.333333:\n"
        "term  qtf  tf  max_tf  df  tf part  idf part  weight  × q     share\n"
        "ant     1   1       1   3   1.0000    1.0000  1.0000    1  0.333333\n"
        "collection: N = 3\n"
        "score = s / (dd + qq − s) with s = 1, dd = 2, qq = 2\n"
    )
    data = json.loads(run(str(path), "a", "--model", "0.5*jaccard + prior:year", "--explain", "--json").stdout)
    products = data["hits"][1]["explanation"]["parts"]
    assert [product["value"] for product in products] == [pytest.approx(1 / 3), 1.0]
    assert run(str(path), "a", "--model", "bm25f:text=1").exit_code == 0


def test_a_formula_ranks_neighbours(folder):
    result = run(folder, "c", "--formula", "k * tf", "--set", "k=2", "-k", "1", "--tsv")
    assert result.stdout.splitlines()[1] == "1\ta\t4.0\tOf ants"
    result = run(folder, "c", "--formula", "tf", "--model", "bm25")
    assert (result.exit_code, "Error: give one model, by --model or by --formula" in result.stderr) == (2, True)


def test_a_mixture_shows_the_largest_shares_only(tmp_path):
    text = " ".join(f"w{number:02}" for number in range(12))
    toysearch.Index.build([text, f"{text} other"]).save(tmp_path / "long.idx")
    shown = run(str(tmp_path / "long.idx"), "2", "--explain", "--model", "bm25 + jaccard").stdout
    assert shown.count("\n… 2 more terms: ") == 2
    assert "not in this document" not in shown


def test_a_document_that_shares_nothing(folder):
    for doc_id in ("f", "g"):
        result = run(folder, doc_id)
        assert [result.exit_code, result.stdout] == [0, "no document shares a term with it\n"]
    assert json.loads(run(folder, "g", "--json").stdout) == {"doc_id": "g", "model": "cosine", "hits": []}


def test_a_matrix_has_the_three_similarities_of_sets(folder):
    assert run(folder, "--matrix", "a, c,d").stdout == (
        "of the documents' sets of terms\n"
        "\n"
        "dice      a      c      d\n"
        "a     1.000  0.667  0.000\n"
        "c     0.667  1.000  0.000\n"
        "d     0.000  0.000  1.000\n"
        "\n"
        "jaccard      a      c      d\n"
        "a        1.000  0.500  0.000\n"
        "c        0.500  1.000  0.000\n"
        "d        0.000  0.000  1.000\n"
        "\n"
        "cosine      a      c      d\n"
        "a       1.000  0.667  0.000\n"
        "c       0.667  1.000  0.000\n"
        "d       0.000  0.000  1.000\n"
    )


def test_a_matrix_by_another_model_and_for_programs(folder):
    assert run(folder, "--matrix", "a,c", "--model", "jaccard:weights=tf", "--tsv").stdout == (
        "similarity\tdoc_id\ta\tc\n"
        "jaccard:weights=tf\ta\t1.0\t0.2857142857142857\n"  # 2 / (3 + 6 − 2)
        "jaccard:weights=tf\tc\t0.2857142857142857\t1.0\n"
    )
    assert json.loads(run(folder, "--matrix", "a,b", "--model", "dice", "--json").stdout) == {
        "doc_ids": ["a", "b"],
        "similarities": {"dice": [[1.0, 1.0], [1.0, 1.0]]},
    }


def test_a_table_by_a_model_names_the_model(folder):
    assert run(folder, "--matrix", "a,b", "--model", "cosine").stdout == (
        "cosine      a      b\na       1.000  1.000\nb       1.000  1.000\n"
    )


def test_a_large_matrix_is_for_programs(folder):
    many = ",".join("abcdefgabcd")
    result = run(folder, "--matrix", many)
    assert [result.exit_code, result.stdout, result.stderr] == [
        2,
        "",
        "toysearch: a table has room for 10 documents, not for 11; use --json, --tsv or --format csv\n",
    ]
    assert len(run(folder, "--matrix", many, "--tsv").stdout.splitlines()) == 34
    assert run(folder, "--matrix", many[:-2]).exit_code == 0


def test_near_duplicates(folder):
    result = run(folder, "--above", "0.5")
    assert result.stdout == (
        "similarity  document  and  title or beginning of the first\n"
        "    1.0000  a         b    Of ants\n"
        "    1.0000  d         e    elk fox\n"
        "    0.5000  a         c    Of ants\n"
        "    0.5000  b         c    cat bee ant\n"
    )
    assert result.stderr == ""
    cut = run(folder, "--above", "0.5", "-k", "3", "--tsv")
    assert cut.stdout.splitlines()[1:] == ["1.0\ta\tb\tOf ants", "1.0\td\te\telk fox", "0.5\ta\tc\tOf ants"]
    assert cut.stderr == "3 of 4 pairs; -k 4 shows all\n"
    assert run(folder, "--above", "0.5", "-k", "4").stderr == ""
    assert run(folder, "--above", "0.5", "--model", "dice").stdout.count("0.6667") == 2


def test_groups_of_near_duplicates(folder):
    assert run(folder, "--above", "0.5", "--groups").stdout == "documents  doc_ids\n        3  a b c\n        2  d e\n"
    result = run(folder, "--above", "0.5", "--groups", "-k", "1", "--json")
    assert json.loads(result.stdout) == [{"documents": 3, "doc_ids": ["a", "b", "c"]}]
    assert result.stderr == "1 of 2 groups; -k 2 shows all\n"
    assert run(folder, "--above", "0.5", "--groups", "-k", "2").stderr == ""


def test_nothing_is_so_similar(tmp_path):
    toysearch.Index.build(["ant bee", "cat dog", ""]).save(tmp_path / "far.idx")
    for more in ([], ["--groups"]):
        assert run(str(tmp_path / "far.idx"), "--above", "0.1", *more).stdout == "no two documents are so similar\n"
    assert json.loads(run(str(tmp_path / "far.idx"), "--above", "0.1", "--json").stdout) == []


def test_an_index_without_texts(tmp_path):
    toysearch.Index.build(DOCUMENTS, store_text=False).save(tmp_path / "bare.idx")
    assert run(str(tmp_path / "bare.idx"), "a", "-k", "1").stdout == (
        "nearest to a, a document without text, by cosine\n"
        "\n"
        "rank  document   score  title or beginning\n"
        "   1  b         1.0000\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], EXACTLY_ONE),
        (["a", "--above", "0.5"], EXACTLY_ONE),
        (["--above", "0.5", "--explain"], "--explain goes with a DOC_ID, in a table or in JSON"),
        (["a", "--explain", "--tsv"], "--explain goes with a DOC_ID, in a table or in JSON"),
        (["a", "--groups"], "--groups goes with --above"),
        (["z"], "the index has no document 'z'; it has 7 documents, the first is 'a'"),
        (["--matrix", "a,z"], "the index has no document 'z'; it has 7 documents, the first is 'a'"),
        (["--above", "0"], "the least similarity of near duplicates must be above 0 and at most 1, not 0.0"),
        (
            ["--above", "0.5", "--model", "bm25"],
            "near duplicates are found by cosine, dice or jaccard, not by 'bm25': their similarity must be symmetric",
        ),
    ],
)
def test_wrong_usage(folder, arguments, sentence):
    result = run(folder, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.endswith(f": {sentence}\n")


def test_terms_near_a_word():
    result = shell.run("similar", "companions", "--term", "tortoises", "--model", "lsa:20", "-k", "2", "--json")
    rows = json.loads(result.stdout)
    assert [len(rows), rows[0]["term"]] == [2, "mediterranean"]
    wrong = shell.run("similar", "companions", "--term", "big tortoise", "--model", "lsa:20")
    assert wrong.stderr.endswith("expected one word, and the analyzer makes 2 terms of it\n")
    other = shell.run("similar", "companions", "--term", "tortoise", "--model", "bm25")
    assert other.stderr.endswith("terms are compared by latent topics, not by 'bm25'; an example: lsa:100\n")
