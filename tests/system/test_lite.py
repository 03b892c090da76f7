"""The folder of `make lite`: the labs with toysearch's wheel, opened in Chromium; its notebooks are graded as ever."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser_pages import expect
from conftest import ROOT, loaded
from student_notebooks import needs_confinement, notebook
from tiers import exhaustive

from toysearch.classroom.grading.graded_notebook import grade_all

pytestmark = [pytest.mark.system, pytest.mark.waits]

PROGRAM = ROOT / "docs" / "browser" / "make_lite.py"
MAKING = loaded(PROGRAM)
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
START = 'from toysearch import labs\nlabs.start(1, student="{}")'
ANSWER = "g = labs.given('1.5')\nlabs.check('1.5', g.times ** (1 / g.b))"


def make(*words):
    return subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not all(map(importlib.util.find_spec, ("jupyterlite_core", "jupyterlite_pyodide_kernel"))):
        pytest.skip("JupyterLite is not installed (make lite installs it)")
    folder = tmp_path_factory.mktemp("published") / "lite"
    built = make(folder)
    if "run this with a network once" in built.stderr and not os.environ.get("CI"):
        pytest.skip(built.stderr)
    assert (built.returncode, built.stdout) == (0, f"{folder / 'index.html'}\n"), built.stderr
    return folder


@exhaustive
def test_it_holds_the_demo_and_the_labs_with_one_more_cell(folder):
    assert sorted(path.name for path in (folder / "files").iterdir()) == NOTEBOOKS
    assert len(NOTEBOOKS) == 15
    for name in NOTEBOOKS:
        here = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
        published = json.loads((folder / "files" / name).read_text(encoding="utf-8"))
        first, *others = published["cells"]
        assert (first["cell_type"], first["source"]) == ("code", ["%pip install -q toysearch altair"])
        assert published | {"cells": others} == here


@exhaustive
def test_two_makers_at_once_share_only_wheels_that_none_of_them_removes(folder, tmp_path):
    fetched = {path: path.stat().st_mtime_ns for path in MAKING.WHEELS.iterdir()}
    *others, ours = MAKING.wheels(tmp_path)
    assert [path.parent for path in others] == [MAKING.WHEELS] * len(MAKING.NOT_IN_PYODIDE)
    assert list(tmp_path.iterdir()) == [ours]
    assert {path: path.stat().st_mtime_ns for path in MAKING.WHEELS.iterdir()} == fetched


@exhaustive
def test_its_index_of_wheels_has_toysearch_for_every_system_and_what_pyodide_lacks(folder):
    index = json.loads((folder / "pypi" / "all.json").read_text(encoding="utf-8"))
    assert set(index) == {"toysearch", *MAKING.NOT_IN_PYODIDE}
    for releases in (project["releases"] for project in index.values()):
        [[file]] = releases.values()
        path = folder / "pypi" / file["filename"]
        assert path.name.endswith("-none-any.whl")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file["digests"]["sha256"]
    names = zipfile.ZipFile(*(folder / "pypi").glob("toysearch-*-py3-none-any.whl")).namelist()
    assert not [name for name in names if name.endswith((".so", ".pyd", ".c"))]
    assert {f"toysearch/_corpora/{name}/corpus.jsonl" for name in ("companions", "languages")} <= set(names)


@exhaustive
def test_a_lab_opens_and_its_kernel_asks_for_python(folder, browser):
    settings = json.loads((folder / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    kernel = settings["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert kernel["pyodideUrl"] == f"{MAKING.PYODIDE}pyodide.mjs"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page, failed, missing = context.new_page(), [], []
        context.on("requestfailed", lambda request: failed.append(request.url))
        context.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
        with context.expect_event("requestfailed", timeout=60_000):
            page.goto(f"http://127.0.0.1:{server.server_port}/lab/index.html?path=01-tokens.ipynb")
        expect(page.locator(".jp-Notebook")).to_contain_text("Lab 1: Tokens and terms")
        expect(page.locator(".jp-Notebook")).to_contain_text("%pip install -q toysearch altair")
        assert set(failed) == {kernel["pyodideUrl"]}
        assert [address for address in missing if "/files/" in address or "/pypi/" in address] == []
    finally:
        context.close()
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        """Nothing."""


@needs_confinement
def test_a_notebook_with_the_added_cell_is_graded_as_ever(tmp_path):
    for student in ("ada", "bob"):
        text = notebook(START.format(student), ANSWER)
        added = student == "ada"
        (tmp_path / f"{student}.ipynb").write_text(MAKING.in_a_browser(text) if added else text, encoding="utf-8")
    ada, bob = grade_all(tmp_path, salt="winter")
    assert (ada.student, ada.score, ada.troubles) == ("ada", bob.score, ())
    assert ada.score > 0
    assert [verdict.state for verdict in ada.verdicts] == [verdict.state for verdict in bob.verdicts]


def test_a_folder_that_holds_something_else_is_kept(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    built = make(tmp_path)
    message = f"{tmp_path} is there and holds something else; name another one, or remove it\n"
    assert (built.returncode, built.stderr) == (1, message)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
