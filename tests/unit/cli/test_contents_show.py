"""`toysearch show`: an index, a term, a document; whole outputs on documents small enough to count by hand."""

from __future__ import annotations

import json
import math
from functools import partial

import pytest
import shell

import toysearch

DOCUMENTS = [
    toysearch.Document("a", "The cats sat. The cats!", "Of cats"),
    toysearch.Document("b", "A dog\tsat on the dog"),
    toysearch.Document("c", ""),
]


@pytest.fixture
def folder(tmp_path):
    toysearch.Index.build(DOCUMENTS).save(tmp_path / "own.idx")
    return tmp_path / "own.idx"


run = partial(shell.run, "show")


def test_the_counts_of_an_index_and_its_most_frequent_terms(folder):
    result = run(folder, "-k", "3")
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert result.stdout == (
        "analyzer                     plain\n"
        "documents                    3\n"
        "empty documents              1\n"
        "tokens                       10\n"
        "tokens per document          3.33\n"
        "distinct terms per document  2.33\n"
        "terms                        5\n"
        "postings                     7\n"
        "text stored                  yes\n"
        "positions stored             no\n"
        f"size                         {size / 1000:.1f} kB\n"
        "\n"
        "the most frequent terms\n"
        "\n"
        "term  df  cf\n"
        "the    2   3\n"
        "cats   1   2\n"
        "dog    1   2\n"
        "\n"
        "Zipf's and Heaps' laws: 5 distinct terms; a fit to fewer than 50 means nothing\n"
    )
    assert result.stderr == ""


def test_the_counts_in_full_for_programs(folder):
    data = json.loads(run(folder, "--json").stdout)
    sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
    laws = {name: data.pop(name) for name in ("zipf", "heaps")}
    assert list(laws["zipf"]) == ["c", "slope", "r_squared", "first", "last"]
    assert (laws["zipf"]["first"], laws["zipf"]["last"]) == (1, 5)
    # Documents of 5 and 5 tokens, of 3 terms and 2 new ones: 3 = k · 5^b, 5 = k · 10^b.
    assert laws["heaps"] == pytest.approx({"k": 3 / 5 ** math.log2(5 / 3), "b": math.log2(5 / 3), "r_squared": 1})
    assert data == {
        "collection": None,
        "analyzer": "plain",
        "documents": 3,
        "empty_documents": 1,
        "tokens": 10,
        "tokens_per_document": 10 / 3,
        "distinct_terms_per_document": 7 / 3,
        "terms": 5,
        "postings": 7,
        "text_stored": True,
        "positions_stored": False,
        "bytes": sum(sizes.values()),
        "files": sizes,
        "frequent_terms": [
            {"term": "the", "df": 2, "cf": 3},
            {"term": "cats", "df": 1, "cf": 2},
            {"term": "dog", "df": 1, "cf": 2},
            {"term": "sat", "df": 2, "cf": 2},
            {"term": "on", "df": 1, "cf": 1},
        ],
    }
    lines = run(folder, "--tsv").stdout.splitlines()
    assert lines[:3] == ["property\tvalue", "collection\t", "analyzer\tplain"]
    assert [line.split("\t")[0] for line in lines[13:21]] == [
        "zipf_c",
        "zipf_slope",
        "zipf_r_squared",
        "zipf_first",
        "zipf_last",
        "heaps_k",
        "heaps_b",
        "heaps_r_squared",
    ]
    assert lines[-6:-4] == ["term\tdf\tcf", "the\t2\t3"]


def test_a_term_and_its_postings(folder):
    result = run(folder, "--term", "sat")
    assert result.stdout == (
        "'sat' is in 2 documents of 3 (df), 2 times in all (cf); idf = ln(N/df) = 0.4055\n"
        "\n"
        "document  tf  title or beginning\n"
        "a          1  Of cats\n"
        "b          1  A dog sat on the dog\n"
    )
    assert result.stderr == ""


def test_the_positions_of_a_term(tmp_path):
    folder = tmp_path / "positions.idx"
    toysearch.Index.build([*DOCUMENTS, toysearch.Document("d", "sat " * 30)], positions=True).save(folder)
    assert "positions stored             yes\n" in run(folder).stdout
    shown = run(folder, "--term", "sat").stdout
    lines = [line.split() for line in shown.splitlines()[2:]]
    assert lines[:3] == [
        ["document", "tf", "title", "or", "beginning", "positions"],
        ["a", "1", "Of", "cats", "2"],
        ["b", "1", "A", "dog", "sat", "on", "the", "dog", "1"],
    ]
    assert shown.endswith("sat …  0 1 2 3 4 5 6 7 8 9 10 11 12 13 …\n")
    assert run(folder, "--term", "dog", "--tsv").stdout == "doc_id\ttf\ttitle\tpositions\nb\t2\t\t0 4\n"
    assert json.loads(run(folder, "--term", "dog", "--json").stdout)["postings"] == [
        {"doc_id": "b", "tf": 2, "title": "", "positions": [0, 4]}
    ]


def test_only_k_postings_are_listed_and_the_rest_is_counted(folder):
    result = run(folder, "--term", "the", "-k", "1", "--tsv")
    assert [result.stdout, result.stderr] == ["doc_id\ttf\ttitle\na\t2\tOf cats\n", "1 of 2 postings; -k 2 shows all\n"]
    assert json.loads(run(folder, "--term", "the", "-k", "1", "--json").stdout) == {
        "term": "the",
        "df": 2,
        "cf": 3,
        "idf": pytest.approx(0.405465, abs=1e-6),
        "postings": [{"doc_id": "a", "tf": 2, "title": "Of cats"}],
    }


def test_a_word_is_looked_up_as_the_index_has_it(tmp_path):
    folder = tmp_path / "stemmed.idx"
    toysearch.Index.build(DOCUMENTS, toysearch.Analyzer.for_language("english")).save(folder)
    result = run(folder, "--term", "Cats", "--tsv")
    assert result.stdout == "doc_id\ttf\ttitle\na\t2\tOf cats\n"
    assert result.stderr == "note: 'Cats' is indexed as 'cat'\n"
    assert run(folder, "--term", "the").stderr == (
        "toysearch: 'the' is not a term of this index: its analyzer removes it\n"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("horse", "no document of the index contains the term 'horse'"),
        ("cats sat", "'cats sat' is 2 terms in this index (cats, sat); show one at a time"),
    ],
)
def test_what_is_no_term_is_refused(folder, text, sentence):
    result = run(folder, "--term", text)
    assert [result.exit_code, result.stdout, result.stderr] == [2, "", f"toysearch: {sentence}\n"]


def test_a_document_and_its_terms(folder):
    result = run(folder, "--doc", "b", "-k", "2")
    assert result.stdout == (
        "document b: 5 tokens, 4 distinct terms\n"
        "\n"
        "text: A dog sat on the dog\n"
        "\n"
        "term  tf  df  cf\n"
        "dog    2   1   2\n"
        "on     1   1   1\n"
    )
    assert result.stderr == "2 of 4 terms; -k 4 shows all\n"
    assert json.loads(run(folder, "--doc", "a", "--json").stdout) == {
        "doc_id": "a",
        "title": "Of cats",
        "text": "The cats sat. The cats!",
        "tokens": 5,
        "distinct_terms": 3,
        "terms": {"cats": 2, "sat": 1, "the": 2},
    }


def test_an_empty_document(folder):
    assert run(folder, "--doc", "c").stdout == "document c: 0 tokens, 0 distinct terms\n\nterm  tf  df  cf\n"


def test_an_index_without_texts(tmp_path):
    folder = tmp_path / "bare.idx"
    toysearch.Index.build(DOCUMENTS, store_text=False).save(folder)
    assert "text stored                  no\n" in run(folder).stdout
    assert run(folder, "--term", "dog").stdout.endswith("document  tf  title or beginning\nb          2\n")
    assert run(folder, "--doc", "a", "--tsv").stdout == "term\ttf\tdf\tcf\ncats\t2\t1\t2\nthe\t2\t2\t3\nsat\t1\t2\t2\n"


def test_wrong_usage(folder, tmp_path):
    assert run(folder, "--doc", "z").stderr.startswith("toysearch: the index has no document 'z'; ")
    assert run(folder, "--doc", "a", "--term", "cats").stderr.endswith(
        "Error: choose one of --term, --doc and --complete\n"
    )
    assert run(tmp_path).stderr == f"toysearch: {tmp_path} is not an index: it has no manifest.json\n"
