"""The notebooks run from top to bottom and print what they show."""

from __future__ import annotations

import nbformat
import pytest
from conftest import ROOT
from lengths import by_hand
from nbclient import NotebookClient


def printed(notebook):
    return ["".join(out.get("text", "") for out in cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]


ON_CRANFIELD = {"tweak-on-cranfield.ipynb"}
NOTEBOOKS = [  # those of the labs are made from a source: tests/test_labs.py
    path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if not (ROOT / "labs" / f"{path.stem}.py").exists()
]


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=by_hand) if path.name in ON_CRANFIELD else path for path in NOTEBOOKS],
    ids=lambda path: path.name,
)
def test_a_notebook_runs_and_prints_what_it_shows(path, tmp_path, request):
    if path.name in ON_CRANFIELD:
        request.getfixturevalue("corpora")
    shown = nbformat.read(path, as_version=4)
    run = nbformat.from_dict(shown)
    client = NotebookClient(run, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    expected = printed(shown)
    client.execute()
    assert printed(run) == expected
    assert all(expected)  # every cell shows something
