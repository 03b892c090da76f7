"""Words that are in no searched text, but in another field of a document: what is said of them is true, and works."""

import json
import re
import shlex
from pathlib import Path

import pytest
from captured_notes import noted
from shell import run as shell

import toysearch
from toysearch import Document, Index, Searcher
from toysearch.retrieval import unsearched_fields

BRANDS, AUTHORS = ["Dyson", "Miele"], ["Ada Lovelace", "Alan Turing"]
ROWS = [
    {"id": f"d{n}", "title": f"item {n}", "text": "a light vacuum", "label": BRANDS[n % 2], "target": AUTHORS[n % 2]}
    for n in range(40)
]
FOUND = {f"d{n}" for n in range(0, 40, 2)}  # by hand: those of the first brand and the first author


@pytest.fixture(autouse=True)
def _shop(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))


def remarks(text: str) -> list[str]:
    return [line.removeprefix("note: ") for line in text.splitlines() if line.startswith("note: ")]


def test_a_word_of_a_field_that_is_not_searched_is_in_a_list_of_dicts_too() -> None:
    with noted() as notes:
        assert len(toysearch.search(ROWS, "dyson")) == 0
    assert notes[0].startswith("dyson is a value of label: ")
    assert notes[1:] == ["no searched text contains a term of the query (dyson)"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("dyson", "dyson is a value of label: +label:dyson, or --fields title,text,label"),
        ("lovelace", "lovelace is in target: --fields title,text,target"),
    ],
)
@pytest.mark.parametrize("saved", [False, True])
def test_what_is_said_of_a_value_can_be_followed(word: str, said: str, saved: bool) -> None:
    source = "shop.jsonl"
    if saved:
        assert shell("index", source, "-o", "shop.idx").exit_code == 0
        source, said = "shop.idx", said.replace(", or --fields title,text,label", "")
        said = said.replace("--fields title,text,target", "+target:*lovelace*")
    assert remarks(shell("search", source, f"{word} vacuum").stderr) == [said]
    alone = remarks(shell("search", source, word).stderr)
    assert alone == [said, f"no searched text contains a term of the query ({word})"]
    for way in said.partition(": ")[2].split(", or "):
        words = ["vacuum", *shlex.split(way)] if way.startswith("--") else [way]
        words = [f"{word} vacuum", *words[1:]] if way.startswith("--") else words
        result = shell("search", source, *words, "-k", "20", "--format", "tsv")
        rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
        assert {row[1] for row in rows} == FOUND, result.output
        assert not remarks(result.stderr)


def test_a_second_process_answers_alike() -> None:
    documents = [Document(row["id"], row["text"], row["title"], row) for row in ROWS]
    built = Index.build(documents, values=["label"])
    built.save("kept.idx")
    said = []
    for index in (built, Index.open("kept.idx")):
        with noted() as notes:
            Searcher(index).search("dyson vacuum")
        said.append(notes)
    assert said[0] == said[1] == ["dyson is a value of label: +label:dyson"]


def test_callers_in_python_get_the_keyword() -> None:
    searcher = Searcher(toysearch.load("shop.jsonl"))
    with noted() as notes:
        searcher.search("lovelace vacuum")
    assert notes == ["lovelace is in target: +target:*lovelace*, or load(…, fields='title,text,target')"]
    collection = toysearch.load("shop.jsonl", fields="title,text,target")
    assert set(Searcher(collection).search("lovelace", k=None).doc_ids) == FOUND


def test_fields_that_an_index_does_not_know_are_not_denied() -> None:
    Path("two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[:2]))
    shell("index", "two.jsonl", "-o", "two.idx")
    assert remarks(shell("search", "two.idx", "dyson vacuum").stderr) == ["in no searched text: dyson"]
    assert remarks(shell("search", "two.jsonl", "qwzx vacuum").stderr) == ["in no document: qwzx"]


def test_many_documents_are_not_read_again(monkeypatch) -> None:
    monkeypatch.setattr(unsearched_fields, "_MOST_DOCUMENTS", 39)
    assert remarks(shell("search", "shop.jsonl", "dyson vacuum").stderr) == ["in no document: dyson"]
    monkeypatch.setattr(unsearched_fields, "_MOST_DOCUMENTS", 40)
    assert re.match("dyson is a value", remarks(shell("search", "shop.jsonl", "dyson vacuum").stderr)[0])


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("field", ["Brand (new)", "a,b", "c:d", "AND", "Größe", "x y"])
def test_odd_names_of_fields_are_written_so_that_they_work(field: str, saved: bool) -> None:
    rows = [{"id": row["id"], "text": row["text"], field: row["label"]} for row in ROWS]
    Path("odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = "odd.jsonl"
    if saved:
        assert shell("index", source, "-o", "odd.idx", "--fields", "text").exit_code == 0
        source = "odd.idx"
    exactly = [] if saved else ["--fields", "text"]
    [said] = remarks(shell("search", source, "dyson vacuum", *exactly).stderr)
    assert said.startswith(f"dyson is a value of {field}: {'+' if saved or field == 'Größe' else ''}")
    for way in said.partition(f"{field}: ")[2].split(", or "):
        words = ["dyson vacuum", *shlex.split(way)] if way.startswith("--") else [way]
        result = shell("search", source, *words, "-k", "20", "--format", "tsv")
        assert {line.split("\t")[1] for line in result.stdout.splitlines()[1:]} == FOUND, (said, result.output)
