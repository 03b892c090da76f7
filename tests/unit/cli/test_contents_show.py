"""`toysearch show`, `analyze` and `query`: numbers counted by hand (whole outputs: tests/golden/sessions)."""

import json
import math

import pytest
from shell import done, run

import toysearch

DOCUMENTS = [
    toysearch.Document("a", "The cats sat. The cats!", "Of cats", {"title": "Of cats"}),
    toysearch.Document("b", "A dog\tsat on the dog"),
    toysearch.Document("c", ""),
]


@pytest.fixture
def folder(tmp_path):
    toysearch.Index.build(DOCUMENTS).save(tmp_path / "own.idx")
    return tmp_path / "own.idx"


def test_the_counts_in_full_for_programs(folder):
    data = json.loads(run("show", folder, "--json").stdout)
    sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
    zipf, heaps = data["zipf"], data["heaps"]
    assert list(zipf) == ["c", "slope", "r_squared", "first", "last"]
    assert (zipf["first"], zipf["last"]) == (1, 5)
    # Documents of 5 and 5 tokens, of 3 terms and 2 new ones: 3 = k · 5^b, 5 = k · 10^b.
    assert heaps == pytest.approx({"k": 3 / 5 ** math.log2(5 / 3), "b": math.log2(5 / 3), "r_squared": 1})
    counts = {"documents": 3, "empty_documents": 1, "tokens": 10, "terms": 5, "postings": 7}
    counts |= {"tokens_per_document": 10 / 3, "distinct_terms_per_document": 7 / 3}
    counts |= {"text_stored": True, "positions_stored": False, "bytes": sum(sizes.values()), "files": sizes}
    assert {name: data[name] for name in counts} == counts
    frequent = [(row["term"], row["df"], row["cf"]) for row in data["frequent_terms"]]
    assert frequent == [("the", 2, 3), ("cats", 1, 2), ("dog", 1, 2), ("sat", 2, 2), ("on", 1, 1)]
    lines = run("show", folder, "--tsv").stdout.splitlines()
    assert lines[:3] == ["property\tvalue", "collection\t", "analyzer\tplain"]
    laws = [*(f"zipf_{name}" for name in zipf), *(f"heaps_{name}" for name in heaps)]
    assert [line.split("\t")[0] for line in lines[13:21]] == laws
    assert lines[-6:-4] == ["term\tdf\tcf", "the\t2\t3"]


def test_a_collection_is_shown_like_its_index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert done("index", "companions", "-o", "c.idx").exit_code == 0
    for words in ((), ("--term", "leash", "-k", "3"), ("--doc", "p012"), ("--complete", "how to tra")):
        of_index, of_collection = (done("show", source, *words, "--json").stdout for source in ("c.idx", "companions"))
        alike = [
            {**json.loads(text), "bytes": None, "files": {}, "values_kept": ""} for text in (of_index, of_collection)
        ]
        assert alike[0] == alike[1]
    assert "size" not in done("show", "companions").stdout


def test_the_laws_for_programs(tmp_path):
    """Of two ranks a line is exact, and one document has no growth."""
    toysearch.Index.build([" ".join(["w1"] * 60 + ["w2"] * 30 + ["w3"] * 20)]).save(tmp_path / "one.idx")
    data = json.loads(run("show", tmp_path / "one.idx", "--ranks", "2-3", "--json").stdout)
    assert data["zipf"] == pytest.approx({"c": 60, "slope": -1, "r_squared": 1, "first": 2, "last": 3})
    assert data["heaps"] == {"k": None, "b": None, "r_squared": None}


@pytest.mark.parametrize("text", ["", "!", "\udce9"])
def test_a_text_without_tokens_has_no_rows(text):
    result = run("analyze", text, "--tsv")
    assert [result.exit_code, result.stdout] == [0, "token\tstop_word\tterm\n"]


@pytest.mark.system
def test_a_collection_is_indexed_with_the_fields_of_the_query():
    result = run("query", "title:dogs AND date:>=2010 subject:cats", "companions", "--json")
    data = json.loads(result.stdout)
    assert data["query"] == r"(title:dogs AND date:[2010 TO *]) OR subject\:cats"
    assert data["remarks"] == ["'subject:cats' is text: unknown field 'subject'. Fields: title, text, topic, date"]
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
