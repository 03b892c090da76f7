"""The site of the documentation is built without a warning, and its search has the scores of the command."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest
from conftest import ROOT
from pages import LOOKS, axe_violations, opened
from shell import done

import toysearch

pytestmark = pytest.mark.system

QUERIES = ("how to tune bm25", "nDCG gains gains", "phrases and operators", "trec_eval", "Ränge", "relevance judgments")
SHOWN_SCORES = "() => [...document.querySelectorAll('.results summary')].map((score) => score.textContent)"
SCORES = "(query) => search(query, INDEX).map(({document, score}) => [INDEX.documents[document][0], score])"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    missing = [name for name in ("sphinx", "furo", "myst_parser") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed (make docs installs them)")
    folder = tmp_path_factory.mktemp("docs") / "site"
    built = subprocess.run(
        [sys.executable, ROOT / "docs" / "site" / "build.py", folder], capture_output=True, text=True, timeout=900
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def test_every_command_and_public_function_has_a_page(site):
    commands = {path.stem for path in (site / "docs" / "look-up" / "commands").glob("*.html")}
    assert {"toysearch", "toysearch-search", "toysearch-labs-grade"} <= commands
    assert {"tune", "Index", "evaluate"} <= {
        path.stem for path in (site / "docs" / "look-up" / "python").glob("*.html")
    }


@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_those_of_the_command(site, browser, query):
    page = opened(browser, site / "search.html").page
    words = ("search", site / "_static" / "sections.jsonl", "--analyzer", "english", "--query-mode", "plain")
    answer = json.loads(done(*words, "-k", "1000", "--format", "json", query).stdout)
    hits = [(hit["doc_id"], hit["score"]) for hit in answer["hits"]]
    scores = page.evaluate(SCORES, query)
    assert [address for address, _ in scores] == [doc_id for doc_id, _ in hits]
    assert [score for _, score in scores] == pytest.approx([score for _, score in hits], rel=1e-13)


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_a_search_from_a_file_shows_and_explains_what_it_finds(site, browser, width, dark):
    address = f"{(site / 'search.html').as_uri()}?q=the+length+of+documents+xyzzy"
    found = opened(browser, address, width=width, dark=dark, strict=False)
    assert found.said == []
    assert found.layout()["beyond"] == 0
    assert axe_violations(found) == []
    page = found.page
    assert page.text_content("[role=status]").endswith("stop words: the, of; on no page: xyzzy")
    shown = page.evaluate(SHOWN_SCORES)
    assert shown == sorted(shown, key=float, reverse=True)
    shares = page.get_attribute(".results summary", "title").splitlines()[1:]
    assert sum(float(line.split()[1]) for line in shares) == pytest.approx(float(shown[0]), abs=2e-4)
    page.click(".results a")
    assert page.query_selector("h1") is not None


@pytest.mark.parametrize("name", ["index", "docs/look-up/measures", "docs/look-up/commands/toysearch-eval"])
@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_pages_fit_the_window(site, browser, name, width, dark):
    found = opened(browser, site / f"{name}.html", width=width, dark=dark, strict=False)
    assert found.said == []
    assert found.layout()["beyond"] == 0
    assert axe_violations(found) == []


def test_the_citation_names_this_version():
    assert f"\nversion: {toysearch.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_a_folder_that_holds_something_else_is_kept(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    built = subprocess.run(
        [sys.executable, ROOT / "docs" / "site" / "build.py", tmp_path], capture_output=True, text=True
    )
    assert (built.returncode, built.stderr) == (
        1,
        f"{tmp_path} is there and is no site; name another folder, or remove it\n",
    )
    assert (tmp_path / "thesis.txt").read_text() == "mine"
