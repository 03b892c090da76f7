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
SLIPS = {
    "tokenzier": "tokenizer",
    "signficance": "significance",
    "bm52": "bm25",
    "convetr a run": "convert a run",
    "Stemmming": "stemming",
    "ndgc": "ndcg",
    "evaluatian": "evaluation",
    "qurey langauge": "query language",
}
"""What was typed → what was meant."""
OTHER_WORDS = [
    "bite",
    "copper",
    "defect",
    "litter",
    "plates",
    "stone",
    "fever",
    "born",
    "weak",
    "heating",
    "raters",
    "internal",
    "20133",
    "pdff",
]
"""Words, most of no page, that are one letter from a word of the pages, and mean something else."""


def success(found: dict[str, list[str]]) -> float:
    """The share of the questions with an answer among the first three pages."""
    qrels = {question: dict.fromkeys(ANSWERS[question], 1) for question in found}
    return toysearch.evaluate(found, qrels, "Success@3").means["Success@3"]


@pytest.fixture(scope="module")
def options():
    return docs_search.option_records(command)


@pytest.fixture(scope="module")
def sections(options):
    return docs_search.sections_of(docs_search.documents(command, options))


def ranked(sections, question: str) -> list[tuple[str, float]]:
    text = docs_search.read_words(sections, question).text
    return [(hit.doc_id, hit.score) for hit in docs_search.best_sections(sections.searcher, text)]


def places(sections, right: dict[str, set[str]]) -> dict[str, int]:
    """The place of the first right section for each name, 6 if it is not among five."""
    found = {name: [doc_id for doc_id, _ in ranked(sections, name)] for name in right}
    return {name: next((n for n, one in enumerate(found[name], 1) if one in right[name]), 6) for name in right}


def test_the_judged_pages_are_there():
    assert {page for pages in ANSWERS.values() for page in pages} <= docs_pages.pages(command).keys()


def test_a_right_page_is_among_the_first_three(sections):
    found = {one: [doc_id.partition("#")[0] for doc_id, _ in ranked(sections, one)] for one in ANSWERS}
    assert all(len(set(pages)) == len(pages) for pages in found.values())
    assert success(found) >= 0.98


def test_models_and_measures_are_found_by_their_names(sections):
    names = {*toysearch.MODELS, *(one.name for one in CALLS.values())} - {">>"}  # which has no word
    models = {name: {f"models#{docs_pages.anchor_of(name)}"} for name in names}
    assert {*places(sections, models).values()} == {1}
    measures = {name: {f"measures#{docs_pages.anchor_of(name)}"} for name in toysearch.MEASURES}
    assert {*places(sections, measures).values()} == {1}


def test_commands_are_found_by_their_names(sections):
    alone = places(sections, {name: {f"commands#toysearch-{name}", name} for name in command.lines})
    assert max(alone.values()) <= 3
    whole = places(sections, {f"toysearch {name}": {f"commands#toysearch-{name}"} for name in command.lines})
    assert {*whole.values()} == {1}


def test_options_are_found_by_their_names_here_and_elsewhere(sections, options):
    right: dict[str, set[str]] = {}
    for name, records in options.items():
        for option in records:
            right.setdefault(option, set()).add(f"commands#toysearch-{name}" if name else "commands")
    assert {"--facets", "-k", "--limit"} <= right.keys()
    found = places(sections, right)
    assert max(found.values()) <= 3
    assert sum(place == 1 for place in found.values()) >= 0.9 * len(found)


def test_formats_are_found_by_their_names(sections):
    names = dict.fromkeys(document_formats.FORMATS)
    found = {name: [doc_id.partition("#")[0] for doc_id, _ in ranked(sections, name)] for name in names}
    assert [name for name in names if not {"formats", "collections"} & {*found[name][:3]}] == []


def test_slips_are_mended_and_other_words_left_out(sections):
    assert {typed: docs_search.read_words(sections, typed).text.lower() for typed in SLIPS} == SLIPS
    assert docs_search.read_words(sections, " ".join(OTHER_WORDS)).text == " ".join(OTHER_WORDS)
    assert docs_search.read_words(sections, "copper the index") == ("copper the index", ["copper"])


def test_the_shell_has_the_scores_of_the_site_without_loading_the_options(sections):
    without = docs_search.sections_of(docs_search.documents(command))
    for question in [one for one in SOME if not docs_search.OPTION.search(one)]:
        assert ranked(without, question) == ranked(sections, question), question


def test_the_site_ranks_as_the_shell_does(sections, browser):
    page = browser.new_page()
    script = (ROOT / "docs" / "site" / "static" / "search.js").read_text(encoding="utf-8")
    page.add_script_tag(content=f"const INDEX = {json.dumps(search_index(command))};\n{script}")
    first = "(query) => search(query, INDEX).slice(0, 5).map(({document, score}) => [document, score])"
    doc_ids, known, index = [one["doc_id"] for one in sections.documents], sections.terms, sections.searcher.index

    def has_other_forms(question: str) -> bool:  # the site, which has no stemmer, knows the forms of the pages alone
        parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", question)
        strange = {*re.findall(r"\w+", f"{question} {parts}".lower())} - known.keys()
        forms = {word: page.evaluate("(word) => stemmed(word, INDEX)", word) for word in strange}
        terms = {word: index.analyzer.term(word) for word in strange}
        return any(forms[word] != (terms[word] if terms[word] in index else None) for word in strange)

    assert sum(map(has_other_forms, ANSWERS)) < 0.05 * len(ANSWERS)
    for question in [
        *SOME,
        *SLIPS,
        *OTHER_WORDS,
        *toysearch.MODELS,
        *toysearch.MEASURES,
        "search --facets",
        "option -k",
    ]:
        if has_other_forms(question):
            continue
        hits = page.evaluate(first, question)
        expected = ranked(sections, question)
        assert [doc_ids[number] for number, _ in hits] == [doc_id for doc_id, _ in expected], question
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


def test_notes_say_what_was_not_searched_as_typed():
    assert done("docs", "convetr").stderr == "note: searched for: convert\n"
    assert done("docs", "copper", "an", "index").stderr == "note: on no page: copper\n"


def test_a_section_about_nothing_else_is_shown_from_its_beginning():
    for words in (["bm25"], ["what", "is", "bm25?"], ["bm25", "zzqqxxjjkk"]):
        assert done("docs", *words).stdout.splitlines()[2].startswith("BM25 as in Lucene: ln(1 + "), words
    assert done("docs", "latency").stdout.splitlines()[0] == "toysearch docs speed"


def test_a_command_line_or_a_message_leads_to_the_option():
    lines = done("docs", "search", "--facets").stdout.splitlines()
    assert lines[0] == "toysearch docs commands#toysearch-search"
    assert lines[2].startswith("--facets FIELD,… Count all matching documents")
    assert done("docs", "no such option --limit").stdout.splitlines()[2].startswith("-k N Maximum number of documents")


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
