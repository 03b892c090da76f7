"""The site of the documentation is built without a warning, and its search has the scores of the command."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from lengths import thinned
from pages import LOOKS, axe_violations, expect, opened, wait_until

import toysearch
from toysearch.cli import docs_search
from toysearch.cli.main import command
from toysearch.cli.reference_pages import written_pages

pytestmark = [pytest.mark.system, pytest.mark.waits]

QUERIES = ("how to tune bm25", "nDCG gains gains", "phrases and operators", "trec_eval", "Ränge", "relevance judgments")
PAGES = ["index", *(f"docs/look-up/{page}" for page in ("measures", "models", "results", "gallery", "python/Run"))]
SHOWN_SCORES = "() => [...document.querySelectorAll('.results summary')].map((score) => score.textContent)"
# All rows of a table are made alike, and axe would take half a minute for 27,000 elements.
SHORTER = "() => document.querySelectorAll('tbody tr:nth-child(n + 40)').forEach((row) => row.remove())"
SCORES = "(query) => search(query, INDEX).map(({score}) => score)"


@pytest.fixture(scope="module")
def builder():
    if not all(map(importlib.util.find_spec, ("sphinx", "furo", "myst_parser", "latex2mathml"))):
        pytest.skip("Sphinx or what it needs is not installed (make docs installs it)")
    return ROOT / "docs" / "site" / "build.py"


@pytest.fixture(scope="module")
def site(builder, tmp_path_factory):
    if built_before := os.environ.get("TOYSEARCH_SITE"):  # .ci/run has built it, where a warning is an error too
        return Path(built_before)
    folder = tmp_path_factory.mktemp("docs") / "site"
    built = subprocess.run([sys.executable, builder, folder], capture_output=True, text=True, timeout=900)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def test_every_command_and_public_function_has_a_page(site):
    commands = {path.stem for path in (site / "docs" / "look-up" / "commands").glob("*.html")}
    assert {"toysearch", "toysearch-search", "toysearch-labs-grade"} <= commands
    functions = {path.stem for path in (site / "docs" / "look-up" / "python").glob("*.html")}
    assert functions == set(toysearch.__all__)


def test_scores_are_those_of_the_command(site, browser):
    page = opened(browser, site / "search.html").page
    wait_until(page, "() => typeof INDEX !== 'undefined'")
    searcher = docs_search.searcher_of(docs_search.documents(command))
    for query in QUERIES:
        hits = docs_search.best_sections(searcher, query, 1000)
        scores = page.evaluate(SCORES, query)
        assert scores == pytest.approx([hit.score for hit in hits], rel=1e-12)


def test_each_result_leads_to_a_section(site):
    index = (site / "_static" / "search-index.js").read_text(encoding="utf-8")
    documents = json.loads(index.removeprefix("const INDEX = ").removesuffix(";\n"))["documents"]
    texts = {}
    for address, *_ in documents:
        page, _, anchor = address.partition("#")
        text = texts.setdefault(page, (site / page).read_text(encoding="utf-8"))
        assert not anchor or f'id="{anchor}"' in text, address


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_a_search_from_a_file_shows_and_explains_what_it_finds(site, browser, width, dark):
    address = f"{(site / 'search.html').as_uri()}?q=the+length+of+documents+xyzzy"
    found = opened(browser, address, width=width, dark=dark, strict=False)
    assert found.said == []
    assert found.layout()["beyond"] == 0
    assert axe_violations(found) == []
    page = found.page
    expect(page.locator("[role=status]")).to_have_text(re.compile("stop words: the, of; on no page: xyzzy$"))
    shown = page.evaluate(SHOWN_SCORES)
    assert shown == sorted(shown, key=float, reverse=True)
    shares = page.get_attribute(".results summary", "title").splitlines()[1:]
    assert sum(float(line.split()[1]) for line in shares) == pytest.approx(float(shown[0]), abs=2e-4)
    page.click(".results a")
    expect(page.locator("h1").first).to_be_visible()


@pytest.mark.parametrize("name", thinned(PAGES, len(PAGES)))
@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_pages_fit_the_window(site, browser, name, width, dark):
    found = opened(browser, site / f"{name}.html", width=width, dark=dark, strict=False)
    assert found.said == []
    assert found.layout()["beyond"] == 0
    found.page.evaluate(SHORTER)
    assert axe_violations(found) == []


def test_public_names_and_examples_link_to_each_other(site, browser):
    page = opened(browser, site / "docs" / "look-up" / "python" / "fuse.html").page
    page.click("text=Two runs fused")
    expect(page).to_have_url(re.compile(r"gallery\.html#two-runs-fused$"))
    page.click("#two-runs-fused a:has-text('fuse')")
    expect(page.locator("h1")).to_have_text(re.compile("^fuse"))


def test_pages_of_the_registries_are_there_and_their_commands_are_links(site):
    folder = site / "docs" / "look-up"
    for name, (title, _) in written_pages(command).items():
        assert f"<h1>{title}<" in (folder / f"{name}.html").read_text(encoding="utf-8")
    measures = (folder / "measures.html").read_text(encoding="utf-8")
    assert [name for name in toysearch.MEASURES if f'id="{name.lower()}"' not in measures] == []
    tiny = (site / "docs" / "understand" / "tiny.html").read_text(encoding="utf-8")
    assert 'href="../look-up/models.html"' in tiny
    assert 'href="../docs/look-up/measures.html"' in (site / "slides" / "4-measures.html").read_text(encoding="utf-8")


def test_the_citation_names_this_version():
    assert f"\nversion: {toysearch.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_a_folder_that_holds_something_else_is_kept(builder, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    built = subprocess.run([sys.executable, builder, tmp_path], capture_output=True, text=True)
    said = f"{tmp_path} is there and is no site; name another folder, or remove it\n"
    assert (built.returncode, built.stderr) == (1, said)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
