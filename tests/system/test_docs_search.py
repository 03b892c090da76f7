"""The documentation is searched by its own engine: what its readers ask, and the pages that answer.

The questions of docs_questions.tsv are a small test collection, scored by the measures of toysearch; some use words
that the pages use in no title: whoever renames a page sees here who no longer finds it. The sets after the first
were judged before anyone searched for them. Every name of the registries is asked for too.
"""

import csv
import json
import re
import sys

import pytest
from captured_notes import noted
from conftest import ROOT
from shell import done, refused

import toysearch
from toysearch.cli import docs_pages, docs_search
from toysearch.cli.main import command
from toysearch.files import document_formats
from toysearch.models.calls import CALLS

sys.path.append(str(ROOT / "docs" / "site"))

from search_index import search_index

pytestmark = pytest.mark.system

with (ROOT / "tests" / "system" / "docs_questions.tsv").open(encoding="utf-8", newline="") as questions:
    ANSWERS = {row["question"]: row["pages"].split() for row in csv.DictReader(questions, delimiter="\t")}
"""Question → the pages that answer it."""
SOME = [*ANSWERS][::4]
"""Enough of them to see that two searches rank alike."""


def success(found: dict[str, list[str]]) -> float:
    """The share of the questions with an answer among the first three pages."""
    qrels = {question: dict.fromkeys(ANSWERS[question], 1) for question in found}
    return toysearch.evaluate(found, qrels, "Success@3").means["Success@3"]


@pytest.fixture(scope="module")
def made():
    return docs_search.documents(command)


@pytest.fixture(scope="module")
def searcher(made):
    return docs_search.searcher_of(made)


def ranked(searcher, question: str) -> list[tuple[str, float]]:
    with noted():
        hits = searcher.search(docs_search.words_of(question), 5, group_by="page")
    return [(hit.doc_id, hit.score) for hit in hits]


def places(searcher, right: dict[str, set[str]]) -> dict[str, int]:
    """The place of the first right section for each name, 6 if it is not among five."""
    found = {name: [doc_id for doc_id, _ in ranked(searcher, name)] for name in right}
    return {name: next((n for n, one in enumerate(found[name], 1) if one in right[name]), 6) for name in right}


def test_the_judged_pages_are_there():
    assert {page for pages in ANSWERS.values() for page in pages} <= docs_pages.pages(command).keys()


def test_a_right_page_is_among_the_first_three(searcher):
    found = {one: [doc_id.partition("#")[0] for doc_id, _ in ranked(searcher, one)] for one in ANSWERS}
    assert all(len(set(pages)) == len(pages) for pages in found.values())
    assert success(found) >= 0.91


def test_models_and_measures_are_found_by_their_names(searcher):
    names = {*toysearch.MODELS, *(one.name for one in CALLS.values())} - {">>"}  # which has no word
    models = {name: {f"models#{docs_pages.anchor_of(name)}"} for name in names}
    found = places(searcher, models)
    assert (max(found.values()), [*found.values()].count(2)) == (2, 1)  # of smart the conventions have a section too
    measures = {name: {f"measures#{docs_pages.anchor_of(name)}"} for name in toysearch.MEASURES}
    assert {*places(searcher, measures).values()} == {1}


def test_commands_are_found_by_their_names(searcher):
    alone = places(searcher, {name: {f"commands#toysearch-{name}", name} for name in command.lines})
    assert max(alone.values()) <= 4
    whole = places(searcher, {f"toysearch {name}": {f"commands#toysearch-{name}"} for name in command.lines})
    assert {*whole.values()} == {1}


def test_formats_are_found_by_their_names(searcher):
    names = dict.fromkeys(document_formats.FORMATS)
    found = {name: [doc_id.partition("#")[0] for doc_id, _ in ranked(searcher, f"{name} format")] for name in names}
    assert [name for name in names if not {"formats", "collections"} & {*found[name][:3]}] == []


def test_labs_are_pages(searcher):
    for question, lab in {"variable byte codes": "lab-02-index", "interleaving users lab": "lab-13-users"}.items():
        assert lab in [doc_id.partition("#")[0] for doc_id, _ in ranked(searcher, question)]
    assert done("docs", "lab-02-index").stdout.startswith("# Lab 2: ")


def test_the_site_ranks_as_the_shell_does(made, searcher, browser):
    page = browser.new_page()
    script = (ROOT / "docs" / "site" / "static" / "search.js").read_text(encoding="utf-8")
    page.add_script_tag(content=f"const INDEX = {json.dumps(search_index(command))};\n{script}")
    first = "(query) => search(query, INDEX).slice(0, 5).map(({document, score}) => [document, score])"
    doc_ids, index = [one["doc_id"] for one in made], searcher.index
    n_compared = 0
    for question in [*SOME, *toysearch.MODELS, *toysearch.MEASURES, "search --facets", "option -k"]:
        # The site has no stemmer: of a word in a form that no page has it takes a beginning that is a term.
        words = docs_search.words_of(question).split()
        theirs = [page.evaluate("(word) => INDEX.words[word] ?? stemmed(word, INDEX) ?? null", word) for word in words]
        ours = [index.analyzer.term(word) for word in words]
        if [term or None for term in theirs] != [term if term in index else None for term in ours]:
            continue
        n_compared += 1
        hits = page.evaluate(first, question)
        expected = ranked(searcher, question)
        assert [doc_ids[number] for number, _ in hits] == [doc_id for doc_id, _ in expected], question
        assert [score for _, score in hits] == pytest.approx([score for _, score in expected], rel=1e-12)
    assert n_compared > 0.9 * len(SOME)
    page.close()


def test_each_section_has_its_address_on_the_site():
    addresses = [address for address, *_ in search_index(command)["documents"]]
    assert {"docs/do/search.html", "docs/look-up/commands/toysearch-run.html", "slides/1-terms.html"} <= {*addresses}
    assert "docs/look-up/results.html#cranfield-1" in addresses  # the second of this heading
    alike = {address for address in addresses if addresses.count(address) > 1 and not address.startswith("slides/")}
    assert alike == {
        "docs/look-up/models.html",
        "docs/do/teach.html#what-a-student-does",
    }  # the heading >> has no letter


def test_the_command_shows_pages_with_passages():
    lines = done("docs", "how", "fast", "is", "a", "query?").stdout.splitlines()
    names = [line.removeprefix("toysearch docs ") for line in lines if line.startswith("toysearch docs ")]
    assert len(names) == 5
    assert "speed" in [name.partition("#")[0] for name in names[:3]]
    assert any(re.search(r"\*\w+\*", line) for line in lines)
    for name in names:
        page, _, anchor = name.partition("#")
        text = docs_pages.pages(command)[page].text()
        assert not anchor or anchor in docs_pages.sections(text)


def test_a_section_about_nothing_else_is_shown_from_its_beginning():
    assert done("docs", "bm25").stdout.splitlines()[2].startswith("BM25 as in Lucene: ln(1 + ")
    assert done("docs", "latency").stdout.splitlines()[0] == "toysearch docs speed"


def test_other_forms_have_the_same_sections():
    text = done("docs", "query", "latency").stdout
    found = json.loads(done("docs", "query", "latency", "--json").stdout)
    assert [f"toysearch docs {one['name']}" for one in found] == re.findall("^toysearch docs .*", text, re.MULTILINE)
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    listed = json.loads(done("docs", "--json").stdout)
    assert {"name": "speed", "title": "Speed", "folder": "understand"} in listed
    assert json.loads(done("docs", "speed", "--json").stdout)[0]["text"] == done("docs", "speed").stdout


def test_words_of_no_page():
    sentence = "toysearch: no page has a word of 'zzqqxxjjkk'; toysearch docs lists the pages\n"
    assert refused("docs", "zzqqxxjjkk") == sentence
