"""Colab, Binder and Codespaces: what their files name is there, and the notebook for Colab runs."""

import json
import tomllib

import click
import pytest
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


def test_the_cell_for_colab_installs_the_project_from_its_address():
    import nbformat  # takes a second

    cells = nbformat.read(ROOT / COLAB, as_version=4).cells
    first = next(cell.source for cell in cells if cell.cell_type == "code")
    requirement = Requirement(first.removeprefix('%pip install -q "').removesuffix('"'))
    assert (requirement.name, requirement.url) == ("toysearch", f"git+{ADDRESSES.repository()}")
    assert requirement.extras == {"charts"} <= set(PROJECT["optional-dependencies"])
    assert first in (ROOT / "docs" / "do" / "install.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("badge", ["colab.research.google.com/github/{}/blob/HEAD/" + COLAB, "codespaces.new/{})"])
def test_badges_of_the_readme_lead_to_the_project(badge):
    path = ADDRESSES.repository().removeprefix("https://github.com/")
    assert f"](https://{badge.format(path)}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / COLAB).exists()
