"""The notebooks run from top to bottom, without a network and without files of others, and print what they show."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT
from tiers import exhaustive, thinned

nbformat = pytest.importorskip("nbformat")
NotebookClient = pytest.importorskip("nbclient").NotebookClient

pytestmark = pytest.mark.system

ALL = sorted((ROOT / "notebooks").glob("*.ipynb"))
OF_LABS = {path.stem for path in (ROOT / "notebooks/sources").glob("*.py")}  # made from a source: tests/test_labs.py
ON_CRANFIELD = "tweak-on-cranfield"
OFFLINE = str(ROOT / "tests" / "offline")


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """What the kernels of a fresh machine have: no network, no cache, no texts of Cranfield."""
    monkeypatch.setenv("PYTHONPATH", OFFLINE, prepend=":")
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("TOYSEARCH_CORPORA", raising=False)


def printed(notebook):
    return ["".join(out.get("text", "") for out in cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]


def numbers_where_queries_are_shown(notebook):
    """What is printed; of the cells that show queries, whose words have another order in counts, the numbers."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    texts = zip(cells, printed(notebook), strict=True)
    return [re.findall(r"\d[\d.]*", text) if "tags" in cell.metadata else text for cell, text in texts]


def run(path, folder):
    """The notebook, run from top to bottom."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    return notebook


@pytest.mark.waits
def test_nothing_but_this_machine_is_reached_offline(offline):
    program = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "there is no network: 192.0.2.1" in done.stderr


@pytest.mark.waits
@pytest.mark.parametrize("path", thinned(ALL, 8), ids=lambda path: path.stem)
def test_a_notebook_runs_without_a_network_and_prints_what_it_shows(path, tmp_path, offline):
    made = run(path, tmp_path)
    errors = [out for cell in made.cells for out in cell.get("outputs", ()) if out.output_type == "error"]
    assert errors == []
    if path.stem not in OF_LABS:
        assert printed(made) == printed(nbformat.read(path, as_version=4))
        assert all(printed(made))  # every cell shows something


@exhaustive
@pytest.mark.waits
def test_with_the_texts_of_cranfield_the_figures_are_the_same(tmp_path, corpora):
    path = ROOT / "notebooks" / f"{ON_CRANFIELD}.ipynb"
    shown = numbers_where_queries_are_shown(nbformat.read(path, as_version=4))
    assert numbers_where_queries_are_shown(run(path, tmp_path)) == shown
