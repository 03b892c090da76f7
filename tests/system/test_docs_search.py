"""The documentation is searched by its own engine: what its readers ask, and the pages that answer.

The questions are a small test collection, scored by the measures of toysearch. Some of them use words that the pages
use in no title: whoever renames a page sees here who no longer finds it.
"""

import json
import re
import sys

import pytest
from conftest import ROOT
from shell import done, refused

import toysearch
from toysearch.cli import docs_pages, docs_search
from toysearch.cli.main import command

sys.path.append(str(ROOT / "docs" / "site"))

from search_index import search_index

pytestmark = pytest.mark.system

ANSWERS = {
    "how do I see why a document ranks first": "explain first-search",
    "install on windows": "install",
    "phrase query": "queries",
    "json output": "json",
    "convert trec run": "runs-and-judgments",
    "latency": "speed",
    "how fast is it": "speed",
    "save an index": "first-search index-format",
    "csv": "formats collections",
    "filter by a field": "search",
    "a measure of my own": "write-a-measure measures",
    "autocomplete": "search",
    "statistical significance test": "significance compare",
    "kappa of two assessors": "judge",
    "synonyms": "analyzers what-a-query-means",
    "stop words": "analyzers",
    "typos in queries": "search test-robustness",
    "ties": "evaluation conventions",
    "cross validation": "tune learn-a-ranker",
    "llm as a judge": "judge",
    "a/b test of two rankers with users": "learn-from-clicks",
    "embeddings": "search-by-topic",
    "pseudo relevance feedback": "expand-queries",
    "pagerank": "inside-an-index combine-models",
    "moodle": "grade",
    "latex table": "compare report",
    "parallel processes": "use-a-cluster",
    "elasticsearch": "coming-from",
    "popularity or recency of a document": "combine-models",
    "continuous integration": "gate",
    "wildcard": "queries",
    "boost the title": "combine-models",
    "how many queries do I need": "significance 5-significance",
    "re-rank with a second model": "combine-models",
    "graded relevance": "evaluation conventions",
    "chinese text": "analyzers",
    "grade homework automatically": "grade teach",
    "precision recall curve": "evaluation report",
    "overfitting parameters": "tune is-my-tweak-better gallery",
    "use my own vectors": "search-by-topic",
    "how is a score computed": "explain first-search",
    "regular expression": "queries",
    "spreadsheet with ratings": "collections",
    "leaderboard for my class": "run-a-competition",
    "position bias of clicks": "learn-from-clicks",
    "pytest": "gate",
}
"""Question → the pages that answer it."""
QRELS = {question: dict.fromkeys(pages.split(), 1) for question, pages in ANSWERS.items()}


def success(found: dict[str, list[str]]) -> float:
    """The share of the questions with an answer among the first three pages."""
    return toysearch.evaluate(found, QRELS, "Success@3").means["Success@3"]


@pytest.fixture(scope="module")
def searcher():
    return docs_search.searcher_of(docs_search.documents(command))


def ranked(searcher, question: str) -> list[tuple[str, float]]:
    return [(hit.doc_id, hit.score) for hit in docs_search.best_sections(searcher, question)]


def test_the_judged_pages_are_there():
    assert {page for pages in ANSWERS.values() for page in pages.split()} <= docs_pages.pages(command).keys()


def test_a_right_page_is_among_the_first_three(searcher):
    found = {one: [doc_id.partition("#")[0] for doc_id, _ in ranked(searcher, one)] for one in ANSWERS}
    assert all(len(set(pages)) == len(pages) for pages in found.values())
    assert success(found) >= 22 / 24


def test_the_site_ranks_as_the_shell_does(searcher, browser):
    page = browser.new_page()
    script = (ROOT / "docs" / "site" / "static" / "search.js").read_text(encoding="utf-8")
    index = search_index(command)
    page.add_script_tag(content=f"const INDEX = {json.dumps(index)};\n{script}")
    first = "(query) => search(query, INDEX).slice(0, 5).map(({document, score}) => [document, score])"
    doc_ids = [one["doc_id"] for one in docs_search.documents(command)]
    for question in ANSWERS:
        hits = page.evaluate(first, question)
        expected = ranked(searcher, question)
        assert [doc_ids[number] for number, _ in hits] == [doc_id for doc_id, _ in expected]
        assert [score for _, score in hits] == pytest.approx([score for _, score in expected], rel=1e-12)
    page.close()


def test_each_section_has_its_address_on_the_site():
    addresses = [address for address, *_ in search_index(command)["documents"]]
    assert {"docs/do/search.html", "docs/look-up/commands/toysearch-run.html", "slides/1-terms.html"} <= {*addresses}
    assert "docs/look-up/results.html#cranfield-1" in addresses  # the second of this heading
    alike = {address for address in addresses if addresses.count(address) > 1 and not address.startswith("slides/")}
    assert alike == {"docs/look-up/models.html"}  # the heading >> has no letter


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


def test_a_misspelt_word_is_corrected():
    answer = done("docs", "convetr")
    assert "searched for: convert" in answer.stderr
    assert "toysearch docs " in answer.stdout


def test_words_of_no_page():
    sentence = "toysearch: no page has a word of 'zzqqxxjjkk'; toysearch docs lists the pages\n"
    assert refused("docs", "zzqqxxjjkk") == sentence
