"""Colab, Binder and Codespaces: what their files name is there, and the notebook for Colab runs."""

import json
import tomllib

import click
from conftest import ROOT, loaded
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from toysearch.cli.main import command

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ADDRESSES = loaded(ROOT / "build_backend" / "addresses.py")
COLAB = "docs/browser/colab.ipynb"
DEVCONTAINER = {"name", "image", "postCreateCommand", "forwardPorts", "portsAttributes", "customizations"}
"""The properties that are used here, of the schema of devcontainer.json."""


def extras(requirement):
    """The extras of toysearch that a requirement such as `.[charts]` names; each is one."""
    names = Requirement(requirement.replace(".[", "toysearch[")).extras
    assert names <= set(PROJECT["optional-dependencies"])
    return names


def test_the_cell_for_colab_installs_the_project_from_its_address_or_an_upload():
    import nbformat  # takes a second

    cells = nbformat.read(ROOT / COLAB, as_version=4).cells
    first = next(cell.source for cell in cells if cell.cell_type == "code")
    address = ADDRESSES.repository()
    source = f"toysearch[charts] @ git+{address}" if address else "checkout.zip[charts]"
    assert first == f'%pip install -q "{source}"'
    assert "charts" in PROJECT["optional-dependencies"]
    assert address or "`checkout.zip`" in cells[0].source


def test_the_notebook_for_colab_is_valid_and_runs(capsys):
    import nbformat

    notebook = nbformat.read(ROOT / COLAB, as_version=4)
    nbformat.validate(notebook)
    names = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.source.startswith("%pip"):
            exec(compile(cell.source, cell.id, "exec"), names)
    printed = capsys.readouterr().out
    assert "document p057: score 4.871297 under bm25" in printed
    assert "AP 0.3831   nDCG@10 0.4762" in printed


def test_binder_installs_an_extra_that_is_there_on_a_python_that_is_new_enough():
    [line] = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert extras(line) == {"charts"}
    [runtime] = (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8").splitlines()
    assert runtime.removeprefix("python-") in SpecifierSet(PROJECT["requires-python"])


def test_codespaces_install_extras_that_are_there_and_forward_the_port_of_serve():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert set(container) == DEVCONTAINER
    assert container["image"].rpartition(":")[2] in SpecifierSet(PROJECT["requires-python"])
    assert extras(container["postCreateCommand"].split("'")[1]) == {"labs", "page"}
    serve = command.get_command(click.Context(command), "serve")
    text = next(option.help for option in serve.params if option.name == "port")
    [port] = container["forwardPorts"]
    assert f"the first free one from {port}]" in text
    assert [*container["portsAttributes"]] == [str(port)]
