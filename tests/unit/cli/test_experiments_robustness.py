"""`toysearch robustness`: what it prints, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
import shell

import toysearch

run = partial(shell.run, "robustness")


def test_one_system():
    result = run("cat-dog-parrot", "--only", "rare", "--all")
    assert (result.exit_code, result.stderr) == (
        0,
        "cat-dog-parrot · plain · 3 queries · relevant from grade 0.5 · k 1000 · seed 0 · 95 % intervals, each for its "
        "row alone\n",
    )
    conclusion, blank, *lines = result.stdout.splitlines()
    assert conclusion == ("bm25 loses no AP beyond chance; an unknown word and three unknown words change nothing.")
    assert lines[:4] == [
        "2. rare inputs: AP",
        "",
        "input                  original  altered   change     from       to  queries",
        "an unknown word          1.0000   1.0000  +0.0000  +0.0000  +0.0000        3",
    ]
    assert lines[9:12] == [
        "an unknown word: one word that is in no document is added at the end (query 1)",
        "   - train cat",
        "   + train cat vudetanu",
    ]
    assert "by the rarity" not in result.stdout  # those of all three queries are equally rare
    brief = run("cat-dog-parrot", "--only", "rare")
    assert brief.stdout.splitlines() == [conclusion, blank, *lines[:8]]
    assert (
        brief.stderr == f"{result.stderr}--all adds an example of each input, and tables on rare words, changed "
        "collections and lengths\n"
    )


def test_several_systems_and_measures():
    result = run("cat-dog-parrot", "--only", "spelling", "--model", "bm25", "--model", "cosine", "-m", "AP P@2")
    lines = result.stdout.splitlines()
    assert lines[0].startswith(
        "bm25 loses most AP with a neighbouring key (1.0000 → 0.4444), two letters swapped (1.0000 → 0.4444) and a "
    )
    assert [line.split(" with ")[0] for line in lines[1:4]] == [
        "bm25 loses most P@2",
        "cosine loses most AP",
        "cosine loses most P@2",
    ]
    assert lines[5:11] == [
        "5. input errors: AP",
        "",
        "input                  original  altered   change     from       to  queries  corrected",
        "a neighbouring key",
        "  bm25                   1.0000   0.4444  -0.5556  -0.7946  -0.3165        3     1.0000",
        "  cosine                 1.0000   0.4444  -0.5556  -0.7946  -0.3165        3     1.0000",
    ]
    assert "5. input errors: P@2" in lines
    assert lines[-1] == "not measured: accents dropped (it changes no query)"
    assert "not measured: no function words (no list of function words is known (language: none))" in lines


def test_a_changing_corpus():
    printed = run("cat-dog-parrot", "--only", "corpus", "--all").stdout
    assert (
        "10 % removed: 1 of 4 documents are removed; relevant ones among them count as not found (document 1)\n"
        "   - How to train a cat\n"
        "10 % removed, drift: "
    ) in printed
    assert "All 9 changed indexes, and the values measured on them, equal those of an index built anew" in printed


def test_length():
    printed = run("cat-dog-parrot", "--only", "length", "--model", "bm25", "--model", "tfidf", "--all").stdout
    assert (
        "system  10 of 5,000  5 of 100  first\n"
        "bm25         0.8265    1.3586  short\n"
        "tfidf       25.9029   12.9515  long\n"
    ) in printed
    assert "tokens  relevant   bm25  tfidf\n4 to 4     40.0%  40.0%  40.0%\n" in printed


def test_exact_matches(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat, parrot\n")
    printed = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(words), "--all").stdout
    assert "Of 5 relevant documents, 60.0% contain all terms of their query, 40.0% some, 0.0% none.\n" in printed
    rows = json.loads(run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(words), "--json").stdout)
    (row,) = next(each["rows"] for each in rows["inputs"] if each["name"] == "related words only")
    assert f"With other words, bm25 keeps {row['after'] / row['before']:.0%} of its AP.\n" in printed


def test_how_is_no_synonym_even_where_nothing_says_that_the_texts_are_english():
    printed = run("cat-dog-parrot", "--only", "semantic").stdout
    assert "not measured: one related word (it changes no query)" in printed


def test_an_index_that_is_wrong_would_be_told(monkeypatch):
    monkeypatch.setattr("toysearch.laboratory.experiments.robustness.alterations.same_index", lambda one, other: False)
    printed = run("cat-dog-parrot", "--only", "corpus").stdout
    assert "WRONG: 10 % removed is not the same as built without them\n" in printed
    assert "All 9" not in printed


def test_rows_for_programs():
    result = run("cat-dog-parrot", "--only", "spelling", "--tsv")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    names = (
        "property input system measure queries before after difference low high p corrected where text_before "
        "text_after"
    )
    assert " ".join(lines[0]) == names
    assert lines[1][:5] == ["spelling", "a neighbouring key", "bm25", "AP", "3"]
    assert lines[1][-3:] == ["query 1", "train cat", "traih cat"]
    one_query = next(line for line in lines if line[1] == "two pairs swapped")
    assert one_query[8:10] == ["", ""]  # one query allows no interval
    assert result.stderr == ""


def test_json_has_all_there_is():
    found = json.loads(run("cat-dog-parrot", "--json", "--seed", "5").stdout)
    whole = toysearch.robustness("cat-dog-parrot", seed=5).data()
    assert list(found) == list(whole)
    assert found["inputs"][0]["rows"][0] == whole["inputs"][0]["rows"][0]
    assert (found["seed"], len(found["inputs"]), len(found["checks"])) == (5, len(whole["inputs"]), 9)


def test_a_thesaurus(tmp_path: Path):
    path = tmp_path / "pets.txt"
    path.write_text("parrot, hamster\n")
    printed = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(path), "--all").stdout
    assert "(query 3)\n   - train parrot\n   + train hamster\n" in printed
    path.write_text("parrot\n")
    result = run("cat-dog-parrot", "--only", "semantic", "--thesaurus", str(path))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"toysearch: {path}:1: expected words separated by commas")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["cat-dog-parrot", "--only", "lenght"],
            "toysearch: unknown property 'lenght'; did you mean 'length'? Properties: semantic, rare, corpus, length, "
            "spelling\n",
        )
    ],
)
def test_what_is_refused(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)


def test_a_collection_without_judgments_and_an_index(tmp_path: Path):
    (tmp_path / "docs.jsonl").write_text('{"_id": "1", "text": "a cat"}\n')
    result = run(str(tmp_path / "docs.jsonl"))
    assert (result.exit_code, result.stderr) == (
        2,
        f"toysearch: {tmp_path / 'docs.jsonl'} has no judgments to score against; give some: --qrels QRELS, or a "
        "collection that has some\n",
    )
    toysearch.Index.build({"1": "a cat"}).save(tmp_path / "pets.idx")
    result = run(str(tmp_path / "pets.idx"))
    assert (result.exit_code, result.stderr) == (
        2,
        f"toysearch: {tmp_path / 'pets.idx'} has no judgments to score against; give some: --qrels QRELS, or a "
        "collection that has some\n",
    )
    asked = "--queries", "cat-dog-parrot", "--qrels", "cat-dog-parrot", "--model", "bm25f"
    assert run(str(tmp_path / "pets.idx"), *asked).stderr == (
        f"toysearch: '{tmp_path / 'pets.idx'}' is an index; name its collection, whose fields are known\n"
    )


def test_cures():
    printed = run("cat-dog-parrot", "--cures")
    assert "spelling correction       +0.0000   +0.0000   +0.0000   +0.0000   +0.6667" in printed.stdout
    assert "not measured: related words only (it changes no query)" in printed.stdout
    assert printed.stderr == "cat-dog-parrot · plain · 3 queries · relevant from grade 0.5 · k 1000 · seed 0\n"
    settings = ("--seed", "3", "--threshold", "1", "-k", "2", "-m", "RR")
    data = json.loads(run("cat-dog-parrot", "--cures", *settings, "--json").stdout)
    assert [data[name] for name in ("seed", "threshold", "k", "measures")] == [3, 1, 2, ["RR"]]
    assert {*data["cures"][0]["effects"]} == {"all", "rare", "corpus", "length", "spelling"}
    lines = run("cat-dog-parrot", "--cures", "--only", "length", "--format", "tsv").stdout.splitlines()
    assert lines[0].split("\t")[:5] == ["system", "cure_for", "cure", "number", "queries"]
    assert [line.split("\t")[2:4] for line in lines[1:]] == [
        [cure, number] for cure in ("", "b = 1", "pivoted normalisation") for number in ("all", "length")
    ]


def test_cures_of_an_index(tmp_path):
    toysearch.Index.build(toysearch.load("cat-dog-parrot")).save(tmp_path / "pets")
    of_index, of_collection = (
        json.loads(run(source, "--cures", "--json").stdout) for source in (tmp_path / "pets", "cat-dog-parrot")
    )
    assert [row["effects"] for row in of_index["cures"]] == [row["effects"] for row in of_collection["cures"]]


def test_cures_have_one_measure():
    result = run("cat-dog-parrot", "--cures", "-m", "AP RR")
    assert result.exit_code == 2
    assert "cures are measured by one measure, found AP, RR" in result.stderr
