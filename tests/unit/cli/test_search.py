"""`toysearch search` and `run`: from an index or a collection, with a typed query or the collection's own."""

from __future__ import annotations

import json
import re
import sys

import pytest
import shell
from conftest import ROOT, loaded
from shell import refused, run

import toysearch
from toysearch.compiled import plain_or_compiled
from toysearch.search import matching

BEIR = {
    "corpus.jsonl": '{"_id": "d 1", "title": "On cats", "text": "The cat sat"}\n{"_id": "d2", "text": "dog"}\n',
    "queries.jsonl": '{"_id": "q1", "text": "cats cat"}\n{"_id": "q2", "text": "horse"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td 1\t2\n",
}


@pytest.fixture
def beir(tmp_path):
    for name, text in BEIR.items():
        path = tmp_path / "pets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "pets"


def test_a_folder_and_an_index_answer_like_a_name(beir, tmp_path):
    expected = "rank  document   score  title or best passage\n   1  d 1       0.2476  On *cats*\n"
    assert run("search", beir, "cats").stdout == expected
    toysearch.Index.build(toysearch.load(beir)).save(tmp_path / "saved")
    assert run("search", tmp_path / "saved", "cats").stdout == expected


def test_a_typed_query_reads_neither_queries_nor_judgments(beir):
    expected = run("search", beir, "cats").stdout
    (beir / "queries.jsonl").write_text("{")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\n")
    assert run("search", beir, "cats").stdout == expected
    assert f"{beir / 'queries.jsonl'}:1: " in refused("search", beir, "--query-id", "q1")
    assert "Splits: test" in refused("search", beir, "cats", "--split", "train")


def test_without_titles_the_best_passage_is_shown_and_without_text_a_word_about_it(beir, tmp_path):
    assert run("search", beir, "dog").stdout.endswith("   1  d2        0.4332  *dog*\n")
    toysearch.Index.build(["the cat"], store_text=False).save(tmp_path / "saved")
    assert run("search", tmp_path / "saved", "cat").stdout.endswith("(the index holds no text)\n")


def test_json_holds_scores_in_full_and_null_where_there_is_nothing(beir):
    data = json.loads(run("search", beir, "cats", "--json").stdout)
    [hit] = data["hits"]
    assert (data["query"], data["query_id"], data["model"]) == ("cats", None, "bm25")
    assert hit["score"] == toysearch.Searcher(toysearch.Index.build(toysearch.load(beir))).search("cats")[0].score
    assert (hit["grade"], hit["title"]) == (None, "On cats")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cat AND dog", ["2"]),
        ("cat -dog", ["1"]),
        ("+dog cat", ["2", "3"]),
        ('"the cat"', ["1"]),
        ("title:dog", ["3"]),
        ("ca*", ["1", "2"]),
        ("dgo~1", ["2", "3"]),
        ("year:[2000 TO 2010]", ["1", "2"]),
        ("NOT (cat OR dog)", ["4"]),
        ("/d.g/ AND NOT year:2010", ["3"]),
    ],
)
@pytest.mark.parametrize("saved", [False, True])
def test_the_query_language(tmp_path, query, found, saved):
    source = tmp_path / "pets.jsonl"
    rows = [
        ("1", "", "see the cat", "2000"),
        ("2", "", "a cat, a dog", "2010"),
        ("3", "dog", "one", ""),
        ("4", "", "x", ""),
    ]
    lines = [{"_id": doc_id, "title": title, "text": text, "year": year} for doc_id, title, text, year in rows]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if saved:
        run("index", source, "-o", tmp_path / "index", "--apart", "--values", "year", "--positions")
    searched = tmp_path / "index" if saved else source
    result = run("search", searched, query, "--json", "--query-mode", "strict")
    assert sorted(hit["doc_id"] for hit in json.loads(result.stdout)["hits"]) == found
    explained = run("search", searched, query, "--explain")
    assert (explained.exit_code, explained.stdout.count(" under bm25")) == (0, len(found))
    plain = run("search", searched, query, "--query-mode", "plain", "--json")
    assert json.loads(plain.stdout)["query"] == query


def test_usual_words_do_not_load_the_spelling(tmp_path, monkeypatch):
    source = tmp_path / "pets.jsonl"
    source.write_text('{"_id": "1", "text": "all cats"}\n{"_id": "2", "text": "dogs allcats"}\n')
    monkeypatch.setitem(sys.modules, "toysearch.search.spelling", None)
    assert run("search", source, "cats all").stderr == ""
    for query in ("catz", "all cats"):
        assert isinstance(run("search", source, query).exception, ImportError)


def test_queries_that_begin_like_options_or_hold_anything_are_queries(beir):
    assert run("search", beir, "--", "-cat", '"cats"', "%s {} \\").exit_code == 0
    assert run("search", beir, "cat/" * 10_000).exit_code == 0


def test_wrong_usage(beir, tmp_path):
    assert refused("search", beir).endswith(
        "Error: give a query, or --query-id with the id of a query of the collection\n"
    )
    assert refused("search", beir, "cat", "--query-id", "q1").endswith("Error: give a query or --query-id, not both\n")
    assert refused("search", beir, "cat", "--explain", "--tsv").endswith(
        "Error: --explain needs a table or JSON; other formats cannot hold it\n"
    )
    saved = tmp_path / "saved"
    toysearch.Index.build(["cat"]).save(saved)
    assert refused("search", saved, "--query-id", "1") == (
        f"toysearch: {saved} is an index and holds no queries; give --queries FILE with --query-id\n"
    )


def test_run_refuses_ids_that_a_trec_run_cannot_carry_and_writes_nothing(beir, tmp_path):
    path = tmp_path / "out.run"
    precious = "q1 Q0 a 1 2.5 mine\n"
    path.write_text(precious)
    assert "'d 1'" in refused("run", beir, "-o", path)
    assert path.read_text() == precious
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.run", "pets"]


def test_run_writes_what_eval_then_scores_alike(tmp_path):
    path = tmp_path / "out.run"
    assert run("run", "cat-dog-parrot", "--model", "overlap", "-o", path, "--tag", "mine").stderr == (
        "3 queries, 12 ranked documents, overlap\n"
    )
    from_file = json.loads(run("eval", path, "cat-dog-parrot", "--json").stdout)
    in_memory = json.loads(run("eval", "cat-dog-parrot", "--model", "overlap", "--json").stdout)
    assert from_file["systems"][0]["system"] == "mine"
    assert from_file["systems"][0]["per_query"] == in_memory["systems"][0]["per_query"]
    assert (from_file["ties"], in_memory["ties"]) == ("trec_eval", "rank")


def test_run_needs_queries_and_a_place_to_write(tmp_path):
    documents = tmp_path / "corpus.jsonl"
    documents.write_text('{"_id": "1", "text": "cat"}\n')
    assert refused("run", documents, "-o", "-") == (
        f"toysearch: {documents} has no queries to rank; give some with --queries FILE\n"
    )
    nowhere = tmp_path / "no" / "where.run"
    assert refused("run", "cat-dog-parrot", "-o", nowhere) == (
        f"toysearch: '{nowhere}': there is no folder '{nowhere.parent}'; create it, or choose another\n"
    )


def test_a_search_in_a_collection_enters_few_files_and_functions(monkeypatch):
    """A student who follows the command from the shell to its table reads no more than this."""
    monkeypatch.setenv(plain_or_compiled.VARIABLE, "plain")
    module = loaded(ROOT / "tests" / "trace.py")
    found = module.trace(module.calls()["search companions"])
    assert len(found.files) <= 42, found.files
    assert len(found.functions) <= 330, found.functions


def test_run_and_eval_read_queries_as_words_unless_asked(tmp_path):
    (tmp_path / "documents.jsonl").write_text('{"_id": "1", "text": "a cat"}\n{"_id": "2", "text": "cat and dog"}\n')
    (tmp_path / "queries.tsv").write_text("query_id\ttext\n7\tcat -dog\n")
    (tmp_path / "qrels.txt").write_text("7 0 1 1\n")
    given = [tmp_path / "documents.jsonl", "--queries", tmp_path / "queries.tsv"]
    assert len(run("run", *given, "-o", "-").stdout.splitlines()) == 2
    [line] = run("run", *given, "-o", "-", "--query-mode", "strict").stdout.splitlines()
    assert line.startswith("7 Q0 1 1 ")
    scored = [*given, "--qrels", tmp_path / "qrels.txt", "-m", "P@1", "--tsv"]
    assert run("eval", *scored).stdout.splitlines()[1] == "bm25\t0.0"
    assert run("eval", *scored, "--query-mode", "lenient").stdout.splitlines()[1] == "bm25\t1.0"
    (tmp_path / "queries.tsv").write_text("query_id\ttext\n7\tcat AND (dog\n")
    refused = run("run", *given, "-o", "-", "--query-mode", "strict")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith("toysearch: query '7': '(' has no partner")


def test_a_query_is_matched_once_for_all_explanations(monkeypatch):
    matched = []
    read = matching.read_query
    monkeypatch.setattr(matching, "read_query", lambda *given: matched.append(given) or read(*given))
    shown = run("search", "companions", "dog NOT cat", "--explain", "-k", "5")
    assert shown.stdout.count("score ") == 6
    assert len(matched) == 2  # for the ranking, and for the explanations


def test_the_explanation_of_a_corrected_query_of_a_collection(tmp_path):
    """It explains the query that was asked."""
    texts = ["the parrot sings", "the parrot and the rabbit", "a rabbit eats"]
    lines = [json.dumps({"_id": str(number), "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "documents.jsonl").write_text("\n".join(lines))
    (tmp_path / "queries.tsv").write_text("query_id\ttext\n7\trabbit AND parrto\n")
    given = [tmp_path / "documents.jsonl", "--queries", tmp_path / "queries.tsv", "--query-id", "7", "--correct"]
    [hit] = json.loads(run("search", *given, "--query-mode", "lenient", "--explain", "--json").stdout)["hits"]
    assert hit["doc_id"] == "1"
    assert hit["explanation"]["value"] == hit["score"] > 0


def test_a_query_looks_hard_among_those_of_the_collection():
    easy = shell.done("search", "companions", "tick removal", "--difficulty", "-k", "1")
    assert easy.stdout.splitlines()[-1] == "easier than 53 of the 57 other queries of companions (WIG 2.218)"
    hard = shell.done("search", "companions", "--query-id", "12", "--difficulty", "-k", "1")
    assert hard.stdout.splitlines()[-1] == (
        "this query looks hard: easier than 0 of the 56 other queries of companions (WIG 0.773)"
    )
    found = json.loads(shell.done("search", "companions", "--query-id", "12", "--difficulty", "--json").stdout)
    assert found["difficulty"]["hard"] is True


def test_a_large_collection_is_better_indexed_once_and_the_advice_works(tmp_path, monkeypatch):
    monkeypatch.setattr("toysearch.cli.sources._LARGE", 10)
    file = tmp_path / "two pets.jsonl"
    file.write_text('{"_id": "1", "text": "a cat"}\n{"_id": "2", "text": "a dog"}\n')
    told = shell.done("search", file, "cat").stderr
    (advice,) = [line for line in told.splitlines() if "indexed for this command" in line]
    first, second = re.fullmatch(r"note: .* to do it once: (.*), then give (.*) instead of .*", advice).groups()
    shell.typed(first, tmp_path)
    answer = shell.typed(f"toysearch search {second} cat", tmp_path)
    assert answer.stdout == shell.done("search", file, "cat").stdout
    assert "indexed for this command" not in answer.stderr


def test_the_places_of_marked_words(beir):
    """They cut the words out of the plain texts that the table puts between asterisks."""
    documents = [
        {"_id": "d1", "title": "On cats 🐈 and cats", "text": "The   bird\nsat"},
        {"_id": "d2", "text": "a cats dog"},
    ]
    (beir / "corpus.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    hits = {hit["doc_id"]: hit for hit in json.loads(run("search", beir, "cats", "--json").stdout)["hits"]}
    assert (hits["d1"]["title"], hits["d1"]["title_marks"]) == ("On cats 🐈 and cats", [[3, 7], [14, 18]])
    assert (hits["d2"]["snippet"], hits["d2"]["snippet_marks"], hits["d2"]["title_marks"]) == (
        "a cats dog",
        [[2, 6]],
        [],
    )
    for hit in hits.values():
        for name in ("title", "snippet"):
            assert {hit[name][start:end] for start, end in hit[f"{name}_marks"]} <= {"cats"}
    for separator, form in (("\t", "tsv"), (",", "csv")):
        header, *lines = run("search", beir, "cats", "--format", form).stdout.splitlines()
        assert header.split(separator)[-2:] == ["title_marks", "snippet_marks"]
        assert {line.split(separator)[1]: line.split(separator)[-2:] for line in lines} == {
            doc_id: [" ".join(f"{start}:{end}" for start, end in hit[f"{name}_marks"]) for name in ("title", "snippet")]
            for doc_id, hit in hits.items()
        }
