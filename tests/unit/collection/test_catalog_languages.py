"""The bundled collection languages: whole, judged completely, and with terms such as C++, .NET and R."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from shell import done
from tiers import thinned

import toysearch
from toysearch.collection import catalog
from toysearch.files.source import sha256
from toysearch.query.modes import MODES
from toysearch.query.parser import parse
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


def test_the_files_are_those_that_the_recipe_describes():
    described = catalog.recipe("languages")
    assert {file.path: file.sha256 for file in described.files} == {
        file.path: sha256(FOLDER / file.path) for file in described.files
    }
    assert described.expected == {"documents": 86, "queries": 20, "judgments": 1720, "judged_queries": 20}


def test_every_need_is_judged_against_every_document(languages):
    assert languages.complete
    ids = [document.doc_id for document in languages.documents]
    judged = Counter((row.query_id, row.doc_id) for row in languages.qrels)
    assert judged == Counter((query.query_id, doc_id) for query in languages.queries for doc_id in ids)
    assert {row.relevance for row in languages.qrels} == {0, 1, 2, 3}


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


def test_the_statistics_in_the_readme_are_those_of_the_files(languages):
    lengths = sorted(len(document.fields["text"].split()) for document in languages.documents)
    assert f"86, of {lengths[0]} to {lengths[-1]} words, median {sum(lengths[42:44]) / 2:g}" in README
    grades = Counter(row.relevance for row in languages.qrels)
    assert ", ".join(f"{grades[grade]} of grade {grade}" for grade in (3, 2, 1, 0)) in README
    relevant = sorted(sum(grade >= 1 for grade in languages.qrels[need["_id"]].values()) for need in NEEDS)
    median = sum(relevant[9:11]) / 2
    assert f"relevant texts per need | {relevant[0]} to {relevant[-1]}, median {median:g}" in README
    assert set(re.findall(r"\bd\d{2}\b", README)) <= {document.doc_id for document in languages.documents}


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
@pytest.mark.filterwarnings("ignore:no document")
def test_operators_leave_the_signs_of_a_name_alone(mode, languages, holders):
    index = toysearch.Index.build(languages, positions=True, fields=["title", "text"])
    for typed, right in STRUCTURED.items():
        found = toysearch.Searcher(index, "bm25").search(typed, k=None, query_mode=mode)
        assert set(found.doc_ids) == right(holders), typed


@pytest.mark.system
@pytest.mark.parametrize("typed", thinned(SIGNED, 3))
def test_a_name_is_marked_as_a_whole_in_the_terminal_and_in_json(typed):
    hits = json.loads(done("search", "languages", typed, "-k", "50", "--json").stdout)["hits"]
    parts = [(hit[part], hit[f"{part}_marks"]) for hit in hits for part in ("title", "snippet")]
    assert {text[start:end].lower() for text, marks in parts for start, end in marks} == {typed.lower()}
    printed = done("search", "languages", typed, "-k", "50").stdout
    assert {word.lower() for word in re.findall(r"\*(\S+?)\*", printed)} == {typed.lower()}
