"""The page "Try it": its Python needs only numpy and has the numbers of the commands; its states in Chromium."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
import zipfile
from functools import cache

import pytest
from conftest import ROOT, loaded
from in_a_tab import a_tab
from pages import LOOKS, axe_violations, opened, wait_until
from shell import done

import toysearch

pytestmark = pytest.mark.system

MAKING = loaded(ROOT / "docs" / "browser" / "make_try_it.py")
FORMULA = "formula:log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + 1.2 * (0.25 + 0.75 * dl / avgdl))"
MODELS = ("bm25", "bm25:b=0.3", "bm25 + 0.5*lm-dirichlet", "rm3(bm25)", FORMULA, *sorted(toysearch.MODELS))
FAILED = "toysearch could not start: {}. Check the connection, then reload this page."
QUERY = "removing a tick"
ONLY_NUMPY = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "numpy", "toysearch", "snowballstemmer"}:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
sys.meta_path.insert(0, Finder())
sys.path.insert(0, sys.argv[1])
exec(open(sys.argv[2], encoding="utf-8").read())
assert toysearch.__file__.startswith(sys.argv[1])
for line in sys.stdin:
    print(answer(line))
"""
PYODIDE = """
const ANSWERS = %s;
window.loadPyodide = async () => ({
  loadPackage: async (name, {errorCallback}) => { if (!NUMPY) errorCallback("numpy is not here"); },
  loadedPackages: NUMPY ? {numpy: "a stub"} : {},
  unpackArchive: () => {}, runPython: () => {}, globals: {get: () => (request) => ANSWERS[request]},
});
"""


def request(what, **values):
    """A request as the page writes it."""
    return json.dumps({"what": what, **values}, ensure_ascii=False, separators=(",", ":"))


REQUESTS = [
    request("about"),
    *(request("search", query=QUERY, model=model) for model in MODELS),
    *(request("explain", query=QUERY, model=model, doc_id="p057") for model in MODELS),
    *(request("evaluate", model=model) for model in MODELS),
    request("search", query=QUERY, model="formula:tf *"),
    request("search", query="xyzzy", model="bm25"),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Request → what the Python of the page answers, where there is nothing but the page's package and numpy."""
    folder = tmp_path_factory.mktemp("package")
    zipfile.ZipFile(io.BytesIO(MAKING.package())).extractall(folder)
    command = [sys.executable, "-c", ONLY_NUMPY, folder, ROOT / "docs" / "browser" / "try_it.py"]
    lines = "".join(f"{line}\n" for line in REQUESTS)
    result = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    return dict(zip(REQUESTS, result.stdout.splitlines(), strict=True))


@cache
def command(*words):
    """What a command prints on companions."""
    return done(*words[:1], "companions", *words[1:]).stdout


@pytest.mark.parametrize("model", MODELS)
def test_numbers_are_those_of_the_commands(answers, model):
    found = json.loads(answers[request("search", query=QUERY, model=model)])
    if model not in json.loads(answers[request("about")])["models"] and model in toysearch.MODELS:
        assert list(found) == ["error"]
        return
    hits = json.loads(command("search", QUERY, "--model", model, "--format", "json"))["hits"]
    assert [(hit["doc_id"], hit["score"]) for hit in found["hits"]] == [(hit["doc_id"], hit["score"]) for hit in hits]
    explained = json.loads(answers[request("explain", query=QUERY, model=model, doc_id="p057")])
    printed = command("search", QUERY, "--model", model, "--explain")
    if "p057" in [hit["doc_id"] for hit in hits]:
        assert explained["text"] in printed
    [system] = json.loads(command("eval", "--model", model, "-m", "AP nDCG@10 P@10", "--json"))["systems"]
    measured = json.loads(answers[request("evaluate", model=model)])
    assert measured == {"measures": system["measures"], "queries": system["queries"]}


def test_what_is_refused_is_a_sentence(answers):
    wrong = json.loads(answers[request("search", query=QUERY, model="formula:tf *")])["error"]
    assert wrong.startswith("'tf *' is not a formula: ")
    assert json.loads(answers[request("search", query="xyzzy", model="bm25")])["hits"] == []


def test_answers_in_a_simulated_tab_are_the_same(answers):
    with a_tab():
        answer = loaded(ROOT / "docs" / "browser" / "try_it.py").answer
        for line in REQUESTS[:-2]:
            assert answer(line) == answers[line]


@pytest.fixture
def page(tmp_path, answers):
    """The path of the page, with recorded answers instead of Python."""

    def made(numpy="true"):
        stub = PYODIDE.replace("NUMPY", numpy) % json.dumps(answers)
        (tmp_path / "pyodide.js").write_text(stub, encoding="utf-8")
        (tmp_path / "try-it.html").write_text(MAKING.page(tmp_path.as_uri(), "Documentation"), encoding="utf-8")
        return tmp_path / "try-it.html"

    return made


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_a_search_its_reasons_and_a_measured_formula(browser, page, width, dark):
    found = opened(browser, page(), width=width, dark=dark, strict=False)
    wait_until(found.page, "() => document.querySelectorAll('#results li').length === 10")
    assert found.page.inner_text("#state") == "Ready."
    first = json.loads(command("search", QUERY, "--format", "json"))["hits"][0]
    assert found.page.inner_text("#results li strong") == first["title"]
    found.page.click("#results summary")
    wait_until(found.page, "() => document.querySelector('#results pre')")
    assert found.page.inner_text("#results summary") == f"score {first['score']:.4f}: why?"
    assert found.page.inner_text("#results pre").strip() in command("search", QUERY, "--explain")
    found.page.click("#measure")
    found.page.click("#formula")
    wait_until(found.page, "() => !document.getElementById('measure').disabled")
    found.page.click("#measure")
    wait_until(found.page, "() => document.querySelectorAll('#measured tbody tr').length === 2")
    measures = [f"{json.loads(command('eval', '--model', 'bm25', '--json'))['systems'][0]['measures']['AP']:.4f}"]
    assert found.page.inner_text("#measured tbody td") == measures[0]
    found.page.click("#go")
    wait_until(found.page, f"() => document.getElementById('command').textContent.includes({json.dumps(FORMULA)})")
    assert shlex.split(found.page.inner_text("#command"))[:4] == ["toysearch", "search", "companions", QUERY]
    assert found.said == []
    assert found.layout()["beyond"] == 0
    assert axe_violations(found) == []


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_without_a_connection_the_page_says_so(browser, tmp_path, width, dark):
    (tmp_path / "try-it.html").write_text(MAKING.page(), encoding="utf-8")
    found = opened(browser, tmp_path / "try-it.html", width=width, dark=dark, strict=False)
    wait_until(found.page, "() => document.getElementById('state').className === 'error'")
    assert found.page.inner_text("#state") == FAILED.format(f"{MAKING.PYODIDE}pyodide.js cannot be loaded")
    assert found.page.is_disabled("#go")
    assert found.layout()["beyond"] == 0
    assert axe_violations(found) == []


def test_without_numpy_the_page_says_so(browser, page):
    found = opened(browser, page(numpy="false"))
    wait_until(found.page, "() => document.getElementById('state').className === 'error'")
    assert found.page.inner_text("#state") == FAILED.format("numpy cannot be loaded: numpy is not here")
