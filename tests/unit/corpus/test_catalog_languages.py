"""The bundled collection languages: whole, judged completely, and with terms such as C++, .NET and R."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from shell import done

import toysearch
from toysearch.corpus import catalog
from toysearch.formats.text_files import sha256
from toysearch.query import MODES, parse
from toysearch.query.syntax import words_of

FOLDER = Path(__file__).parents[3] / "corpora" / "languages"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
NEEDS = [json.loads(line) for line in (FOLDER / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
WORDINGS = ("text", "wording_2", "wording_3")


@pytest.fixture(scope="module")
def languages():
    return toysearch.load("languages")


@pytest.fixture(scope="module")
def index(languages):
    return toysearch.Index.build(languages, positions=True)


@pytest.fixture(scope="module")
def holders(languages, index):
    """A term → the documents that hold it, by the analyzer alone."""
    terms = {document.doc_id: set(index.analyzer(document.text)) for document in languages.documents}
    return lambda term: {doc_id for doc_id, found in terms.items() if term in found}


def test_counts_and_records(languages):
    ids = [document.doc_id for document in languages.documents]
    assert ids == [f"d{number:02}" for number in range(1, 87)]
    assert [query.query_id for query in languages.queries] == [str(number) for number in range(1, 21)]
    assert [languages.documents[place].title for place in (0, 9, -1)] == [
        "Two tables, one key",
        "When the table does not fit",
        "The tree outside the window",
    ]
    assert languages.query("1").text == "data science programming languages"


def test_the_files_are_those_that_the_recipe_describes():
    described = catalog.recipe("languages")
    assert {file.path: file.sha256 for file in described.files} == {
        file.path: sha256(FOLDER / file.path) for file in described.files
    }
    assert described.expected == {"documents": 86, "queries": 20, "judgments": 1720, "judged_queries": 20}


def test_texts_are_short_and_of_several_forms(languages):
    assert all(60 <= len(document.fields["text"].split()) <= 120 for document in languages.documents)
    forms = Counter(document.fields["form"] for document in languages.documents)
    assert set(forms) == {"note", "textbook", "anecdote", "question", "release", "dates"}
    assert min(forms.values()) >= 4


def test_every_need_is_judged_against_every_document(languages):
    assert languages.complete
    ids = [document.doc_id for document in languages.documents]
    judged = Counter((row.query_id, row.doc_id) for row in languages.qrels)
    assert judged == Counter((query.query_id, doc_id) for query in languages.queries for doc_id in ids)
    assert {row.relevance for row in languages.qrels} == {0, 1, 2, 3}


def test_there_is_a_reason_for_each_grade_above_0_and_for_no_other(languages):
    rows = [line.split("\t") for line in (FOLDER / "reasons.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    given = [(query_id, doc_id) for query_id, doc_id, _ in rows]
    assert given == [row[:2] for row in sorted(languages.qrels, key=by_number) if row.relevance > 0]
    assert all(reason.strip() for _, _, reason in rows)


def by_number(row) -> tuple[int, str]:
    return int(row.query_id), row.doc_id


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need["_id"])
def test_each_wording_has_a_known_term_and_each_need_its_definition(need, index):
    known = set(index.terms)
    assert all(known & set(index.analyzer(need[name])) for name in WORDINGS)
    assert len({need[name] for name in WORDINGS}) == len(WORDINGS)
    assert need["description"].endswith("?")
    assert re.match(r"3 = .*; 2 = .*; 1 = ", need["narrative"])
    grouped = parse(need["synonyms"], "strict")
    assert grouped.remarks == []
    assert known & set(index.analyzer(" ".join(words_of(grouped.tree))))


@pytest.mark.parametrize("wording", [*WORDINGS, "description"])
def test_each_wording_is_a_set_of_queries(wording):
    asked = toysearch.load("languages", query_fields=wording)
    assert [query.text for query in asked.judged_queries] == [need[wording] for need in NEEDS]


def test_the_statistics_in_the_readme_are_those_of_the_files(languages):
    lengths = sorted(len(document.fields["text"].split()) for document in languages.documents)
    assert f"86, of {lengths[0]} to {lengths[-1]} words, median {sum(lengths[42:44]) / 2:g}" in README
    grades = Counter(row.relevance for row in languages.qrels)
    assert ", ".join(f"{grades[grade]} of grade {grade}" for grade in (3, 2, 1, 0)) in README
    relevant = sorted(sum(grade >= 1 for grade in languages.qrels[need["_id"]].values()) for need in NEEDS)
    median = sum(relevant[9:11]) / 2
    assert f"relevant texts per need | {relevant[0]} to {relevant[-1]}, median {median:g}" in README
    assert set(re.findall(r"\bd\d{2}\b", README)) <= {document.doc_id for document in languages.documents}


def test_the_central_need_is_missed_by_its_words(languages, index):
    asked = set(index.analyzer(languages.query("1").text))
    relevant = [doc_id for doc_id, grade in languages.qrels["1"].items() if grade >= 1]
    strangers = [doc_id for doc_id in relevant if not asked & set(index.analyzer(languages[doc_id].text))]
    assert (len(relevant), len(strangers)) == (29, 15)
    first = toysearch.Searcher(index, "bm25").search(languages.query("1"), k=5).doc_ids
    assert [languages.qrels["1"][doc_id] for doc_id in first] == [0, 0, 0, 3, 3]
    assert "Of the 29 relevant texts, 15\nshare no word with it." in README


# Terms with signs, and of one letter.

SIGNED = {
    "C++": ("c++", "d64"),
    "C#": ("c#", "d63"),
    "F#": ("f#", "d05"),
    ".NET": (".net", "d02"),
    "ASP.NET": ("asp.net", "d61"),
    "Node.js": ("node.j", "d14"),
    "R": ("r", "d33"),
    "C": ("c", "d64"),
    "Go": ("go", "d53"),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("typed", SIGNED)
def test_a_name_with_signs_finds_the_documents_that_hold_it_in_every_mode(typed, mode, index, holders, recwarn):
    term, first = SIGNED[typed]
    assert index.analyzer(typed) == [term]
    found = toysearch.Searcher(index, "bm25").search(typed, k=None, query_mode=mode)
    assert found.doc_ids[0] == first
    assert set(found.doc_ids) == holders(term)
    assert recwarn.list == []


STRUCTURED = {
    "+C++ templates": lambda holds: holds("c++"),
    "templates -C++": lambda holds: holds("templat") - holds("c++"),
    "Rust -C++": lambda holds: holds("rust") - holds("c++"),
    "language -.NET": lambda holds: holds("languag") - holds(".net"),
    "+.NET Basic": lambda holds: holds(".net"),
    "C++ AND C#": lambda holds: holds("c++") & holds("c#"),
    "C++ NOT C": lambda holds: holds("c++") - holds("c"),
    '"C++ templates"': lambda holds: {"d50"},
    "title:C++": lambda holds: {"d64"},
    "title:R": lambda holds: {"d03", "d33"},
    "title:C#": lambda holds: set(),
    "(C++)": lambda holds: holds("c++"),
    "#syn(C++ C#)": lambda holds: holds("c++") | holds("c#"),
    "C++^2": lambda holds: holds("c++"),
    r"C\+\+": lambda holds: holds("c++"),
    "C++/C#": lambda holds: holds("c++") | holds("c#"),
}


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("typed", STRUCTURED)
@pytest.mark.filterwarnings("ignore:no document")
def test_operators_leave_the_signs_of_a_name_alone(typed, mode, languages, holders):
    index = toysearch.Index.build(languages, positions=True, fields=["title", "text"])
    found = toysearch.Searcher(index, "bm25").search(typed, k=None, query_mode=mode)
    assert set(found.doc_ids) == STRUCTURED[typed](holders)


def test_go_is_a_verb_too(index, holders):
    searcher = toysearch.Searcher(index, "bm25")
    assert {"d53", "d06", "d59"} <= holders("go")  # cards that go somewhere, the language, the game
    assert searcher.search("Go", k=1).doc_ids == ["d53"]
    assert searcher.search("Go goroutines", k=1).doc_ids == ["d06"]


@pytest.mark.system
def test_commands_know_these_terms(tmp_path):
    saved = tmp_path / "languages.idx"
    done("index", "languages", "-o", saved)
    assert done("search", saved, "C++", "--json").stdout == done("search", "languages", "C++", "--json").stdout
    assert "\nc++     1   4  66   6 " in done("explain", saved, "d64", "--query", "C++").stdout
    assert "\nC#    c#             7\n" in done("query", "C#", "languages").stdout
    spec = str(toysearch.Index.open(saved).analyzer)
    rows = done("analyze", "R, C++ and .NET!", "--analyzer", spec).stdout.splitlines()
    assert [row.split() for row in rows if row.startswith(("r ", "c++", ".net"))] == [
        ["r", "r"],
        ["c++", "c++"],
        [".net", ".net"],
    ]
    assert f"languages · {spec} · " in done("eval", "languages").stderr


@pytest.mark.system
@pytest.mark.parametrize("typed", SIGNED)
def test_a_name_is_marked_as_a_whole_in_the_terminal_and_in_json(typed):
    hits = json.loads(done("search", "languages", typed, "-k", "50", "--json").stdout)["hits"]
    parts = [(hit[part], hit[f"{part}_marks"]) for hit in hits for part in ("title", "snippet")]
    assert {text[start:end].lower() for text, marks in parts for start, end in marks} == {typed.lower()}
    printed = done("search", "languages", typed, "-k", "50").stdout
    assert {word.lower() for word in re.findall(r"\*(\S+?)\*", printed)} == {typed.lower()}
