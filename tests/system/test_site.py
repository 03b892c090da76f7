"""The site of the documentation is built without a warning, and its search has the scores of the command."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser_pages import LOOKS, axe_violations, expect, opened, wait_until
from conftest import ROOT, loaded
from shell import run
from tiers import thinned

import toysearch
from toysearch.cli import docs_search
from toysearch.cli.main import command
from toysearch.cli.reference_pages import written_pages

pytestmark = [pytest.mark.system, pytest.mark.waits]

ENGINE = loaded(ROOT / "docs" / "site" / "engine.py")
PICTURES = loaded(ROOT / "docs" / "site" / "pictures.py")
PYODIDE = loaded(ROOT / "docs" / "browser" / "make_lite.py").PYODIDE
QUERIES = ("how to tune bm25", "nDCG gains gains", "phrases and operators", "trec_eval", "Ränge", "relevance judgments")
PAGES = ["index", *(f"docs/look-up/{page}" for page in ("measures", "models", "results", "python/Run"))]
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
        hits = searcher.search(docs_search.words_of(query), 1000, group_by="page")
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


def formulas():
    return tomllib.loads((ROOT / "docs" / "site" / "formulas.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", thinned(PAGES, len(PAGES)))
@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_pages_fit_the_window(site, browser, name, width, dark):
    found = opened(browser, site / f"{name}.html", width=width, dark=dark, strict=False)
    assert found.said == []
    assert found.layout()["beyond"] == 0
    found.page.evaluate(SHORTER)
    assert axe_violations(found) == []


def test_the_front_page_is_light_and_loads_what_searches_only_when_it_is_used(site, browser):
    found = opened(browser, site / "index.html")
    front = found.page
    files = [site / "index.html", *(Path(unquote(urlsplit(address).path)) for address in found.asked)]
    assert sum(file.stat().st_size for file in files) <= 200_000
    names = {file.name for file in files}
    assert {"index.html", "front.js", "site.css"} <= names
    assert names & {"search-index.js", "search.js", "engine.js"} == set()
    front.fill("#front-search input[type=search]", "how to tune bm25")
    expect(front.locator("#front-results li")).to_have_count(5)
    scores = [one.strip() for one in front.locator("#front-results summary").all_inner_texts()]
    searched = opened(browser, f"{(site / 'search.html').as_uri()}?q=how+to+tune+bm25").page
    assert scores == searched.evaluate(SHOWN_SCORES)[:5]
    assert {Path(address).name for address in found.asked} & {"engine.js", "pyodide.mjs"} == set()
    front.fill("#front-search input[type=search]", "the documents of xyzzy")
    notes = "; stop words: the, of; on no page: xyzzy"
    expect(front.locator("#front-note")).to_have_text(re.compile(f"shown{notes}$"))
    front.click("#front-results a >> nth=0")
    expect(front.locator("h1").first).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_search_of_the_front_page_is_in_its_first_screen_with_the_results_below_it(site, browser, width):
    page = opened(browser, site / "index.html", width=width).page
    example = page.locator("#front-search [data-query='phrase query']")
    foot = example.bounding_box()
    assert foot["y"] + foot["height"] < 700
    example.click()
    expect(page.locator("#front-results li")).to_have_count(5)
    first = page.locator("#front-results li >> nth=0").bounding_box()
    assert 0 < first["y"] - foot["y"] < 150


def test_each_page_names_its_icon(site):
    for name in ("index", "search", "docs/do/search"):
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        [icon] = re.findall(r'<link rel="shortcut icon" href="([^"]+)"', page)
        assert (site / name).parent.joinpath(icon.partition("?")[0]).is_file()


def test_the_folder_has_what_the_site_shows_and_nothing_of_its_making(site):
    assert sorted(path.name for path in site.iterdir() if path.name.startswith(".")) == [".buildinfo"]
    assert not (site / "searchindex.js").exists()
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 15_000_000


def test_the_page_on_models_draws_the_models_that_add_up_weights(site, browser):
    page = opened(browser, site / "docs" / "look-up" / "models.html").page
    for name in toysearch.MODELS:
        assert page.locator(f"section#{name} figure svg.picture").count() == (PICTURES.curves(name) is not None), name
    assert page.locator("section#lm-dirichlet figure").first.inner_text().endswith("and the default parameters.")
    worked = {name for name in toysearch.MODELS if page.locator(f"section#{name} .worked").count()}
    assert worked == toysearch.MODELS.keys() - {"bm25f"}


def test_the_page_on_measures_works_out_a_value_and_lists_all(site, browser):
    page = opened(browser, site / "docs" / "look-up" / "measures.html").page
    assert page.locator("table:has-text('family') tbody tr").count() == len(toysearch.MEASURES)
    assert page.locator("section#ndcg .worked").inner_text().endswith("= 0.660278")
    assert {*formulas()} <= toysearch.MEASURES.keys()
    assert page.locator("div.formula math").count() == len(formulas())


def test_the_front_page_without_scripts_has_its_pictures_and_pages_and_offers_no_search(site, browser):
    page = opened(browser, site / "index.html", scripts=False).page
    assert page.locator("figure svg.picture").count() == 3
    assert not page.locator("#front-search").is_visible()
    assert page.locator("noscript").inner_text().startswith("The search ranks in the browser")
    expect(page.locator("#front-note")).to_have_text("")
    page.click("article a:has-text('is my tweak better?')")
    expect(page).to_have_url(re.compile(r"is-my-tweak-better\.html$"))


def test_without_a_network_the_front_page_says_where_the_engine_would_come_from(site, browser):
    found = opened(browser, site / "index.html", width=390, dark=True, strict=False)
    page = found.page
    page.check("#front-search input[value=companions]")
    assert not [address for address in found.asked if address.startswith("http")]
    page.click("#front-search [data-query='removing a tick']")
    expect(page.locator("#front-note")).to_have_text(
        re.compile(rf"^The engine is not here: .* {urlsplit(PYODIDE).hostname}, which could not be reached\.")
    )
    assert axe_violations(found) == []
    page.check("#front-search input[value=pages]")
    page.click("#front-search .front-box button")
    expect(page.locator("#front-results li")).to_have_count(5)


STANDING_IN = """
export const loadPyodide = async ({indexURL}) => ({
  loadPackage: async (name) => { globalThis.did = [indexURL, name]; },
  unpackArchive: (bytes, form, {extractDir}) => { globalThis.did.push(bytes.length, form, extractDir); },
  runPythonAsync: async (code) => { globalThis.did.push(code); },
  pyimport: (name) => ({answer: (query, shown) => JSON.stringify({hits: [{title: `${name} <b>`, score: "4.8713",
    passage: query, explanation: `${shown} terms`}], notes: []})}),
});
"""
"""What the front page asks of Python for browsers; tests/test_front_page.py runs the same archive in Python."""


def test_the_front_page_gives_the_engine_to_python_for_browsers_and_shows_its_answers(site, browser):
    found = opened(browser, site / "index.html", strict=False)
    page = found.page
    headers = {"access-control-allow-origin": "*"}
    page.route(
        f"{PYODIDE}pyodide.mjs",
        lambda route: route.fulfill(body=STANDING_IN, content_type="text/javascript", headers=headers),
    )
    page.check("#front-search input[value=companions]")
    page.click("#front-search [data-query='removing a tick']")
    expect(page.locator("#front-note")).to_have_text("The best 1 of 400 documents, by toysearch in this tab")
    address, package, size, form, folder, code = page.evaluate("did")
    assert (address, package, form) == (PYODIDE, "numpy", "zip")
    assert size == len(ENGINE.archive())
    assert f"sys.path.insert(0, '{folder}')\nimport in_the_tab" in code
    assert page.locator("#front-results strong").inner_text() == "in_the_tab <b>"
    page.click("#front-results summary")
    assert page.locator("#front-results pre").inner_text() == "5 terms"
    assert axe_violations(found) == []
    page.fill("#front-search input[type=search]", "parrot")
    expect(page.locator("#front-results p")).to_have_text("parrot")


def test_the_engine_in_the_tab_has_the_scores_of_the_shell(site, browser):
    folder = Path(os.environ.get("TOYSEARCH_PYODIDE", ROOT / ".venv" / "node_modules" / "pyodide"))
    lock = folder / "pyodide-lock.json"
    if not lock.exists() or not (folder / json.loads(lock.read_text())["packages"]["numpy"]["file_name"]).exists():
        pytest.skip(f"{folder} has no Pyodide with the wheel of numpy that its lock names")
    found = opened(browser, site / "index.html", strict=False)
    page, headers = found.page, {"access-control-allow-origin": "*"}
    page.route(f"{PYODIDE}**", lambda route: route.fulfill(path=folder / Path(route.request.url).name, headers=headers))
    page.check("#front-search input[value=companions]")
    for query in ("removing a tick", '"guide dog"', "parrot OR budgie", "dog NEAR/0 cat"):
        page.fill("#front-search input[type=search]", query)
        page.click("#front-search .front-box button")
        hits = json.loads(run("search", "companions", query, "-k", "5", "--json").stdout)["hits"]
        expect(page.locator("#front-results strong")).to_have_text([hit["title"] for hit in hits])
        expect(page.locator("#front-results summary")).to_have_text([f"{hit['score']:.4f}" for hit in hits])
    assert [line for line in found.said if "numpy" not in line] == []


def test_arrows_lead_from_slide_to_slide(site, browser):
    found = opened(browser, site / "slides" / "3-ranking.html")
    page = found.page
    at_top = "(slide) => Math.abs(slide.getBoundingClientRect().top) < 2"
    shown = f"() => [...document.querySelectorAll('section')].findIndex({at_top})"
    for key, number in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("ArrowLeft", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        wait_until(page, f"(number) => ({shown})() === number", number)
    assert (found.said, found.asked) == ([], [])


def test_two_forms_that_search_have_two_names(site):
    for name in ("index.html", "search.html"):
        forms = re.findall(r"<form[^>]*role=\"search\"[^>]*>", (site / name).read_text(encoding="utf-8"))
        labels = [re.findall(r'aria-label="([^"]*)"', form) for form in forms]
        assert len(labels) == 2
        assert labels[0] != labels[1]


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
