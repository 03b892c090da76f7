"""`toysearch search` and `run`: from an index or a collection, with a typed query or the collection's own."""

import json
import re
import sys

import pytest
import shell
from shell import run
from small_collections import write_beir

import toysearch
from toysearch.retrieval import matching

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


def test_how_files_are_read_is_said_in_full_where_they_are_kept_and_in_brief_at_each_search(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, content in {"a.txt": b"gloves", "b.txt": b"na\xefve caf\xe9", "c.docx": b"x"}.items():
        (notes / name).write_bytes(content)
    full = run("index", notes, "-o", tmp_path / "n.idx").stderr.splitlines()[:2]
    assert "; documents are named .txt" in full[0]
    assert "b.txt: not UTF-8 in 2 places, read as U+FFFD; it looks like " in full[1]
    assert run("search", notes, "gloves", "--notes").stderr.splitlines()[-2:] == full
    assert run("search", notes, "gloves").stderr.splitlines() == [
        f"{line.partition(';')[0]}; --notes says more" for line in full
    ]


def test_json_holds_scores_in_full_and_null_where_there_is_nothing(beir):
    data = json.loads(run("search", beir, "cats", "--json").stdout)
    [hit] = data["hits"]
    assert (data["query"], data["query_id"], data["model"]) == ("cats", None, "bm25")
    assert hit["score"] == toysearch.Searcher(toysearch.Index.build(toysearch.load(beir))).search("cats")[0].score
    assert (hit["grade"], hit["title"]) == (None, "On cats")


def test_usual_words_do_not_load_the_spelling(tmp_path, monkeypatch):
    source = tmp_path / "pets.jsonl"
    source.write_text('{"_id": "1", "text": "all cats"}\n{"_id": "2", "text": "dogs"}\n')
    monkeypatch.setitem(sys.modules, "toysearch.retrieval.spelling", None)
    assert run("search", source, "all cats").stderr == ""
    assert isinstance(run("search", source, "catz").exception, ImportError)


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


@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_the_results_do_not_depend_on_threads(tmp_path, monkeypatch, path):
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    folder = write_beir(tmp_path / "made")
    for command in (["run", folder, "-o", "-"], ["eval", folder, "--per-query"]):
        assert shell.done(*command, "--threads", 3).stdout == shell.done(*command).stdout
    shell.done("run", folder, "-o", tmp_path / "a.run")
    assert shell.refusal("eval", tmp_path / "a.run", folder, "--threads", 2).endswith(
        "--threads: only with one COLLECTION; run files are scored as they are"
    )


@pytest.mark.parametrize("query", ["why ?", "?", "? cat", "(?)", "+?", "? AND cat", "NOT ?", "?*", "*?", "?^2"])
def test_a_wildcard_of_signs_alone(query):
    """No letter of it can be a stem."""
    assert run("search", "companions", query, "--query-mode", "strict").exit_code == 0
