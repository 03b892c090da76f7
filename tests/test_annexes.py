"""The annexes use public names of the core, and the core runs without their folders."""

import ast
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT
from public import MODULES

from toysearch.rings import ABILITIES, COMMANDS

PACKAGE = ROOT / "toysearch"
ANNEXES = ("cluster", "course", "exchange", "page")


def test_each_module_of_the_table_is_there():
    modules = (*COMMANDS.values(), *ABILITIES.values())
    assert {*ANNEXES} <= {module.split(".")[1] for module in modules}
    assert [module for module in modules if not (ROOT / f"{module.replace('.', '/')}.py").is_file()] == []


def public(module: str) -> set[str]:
    """The names that a module of the core offers."""
    homes: dict[str, str] = getattr(import_module(module), "_HOMES", {})
    modules = [each.rpartition(".")[2] for each in MODULES if each.rpartition(".")[0] == module]
    in_front = (name for names in homes.values() for name in names.split())
    return {"__version__", *MODULES.get(module, []), *modules, *in_front}


@pytest.mark.parametrize("name", ANNEXES)
def test_an_annex_imports_public_names_only(name):
    private = []
    for file in sorted((PACKAGE / name).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("toysearch"):
                continue
            if str(node.module).split(".")[1:2] and str(node.module).split(".")[1] in ANNEXES:
                continue
            if (
                node.module == "toysearch.base.lazy_namespaces" and file.name == "__init__.py"
            ):  # makes the front of a folder
                continue
            offered = public(str(node.module)) | ({name} if node.module == "toysearch" else set())
            place = f"{file.relative_to(ROOT)}: {node.module}"
            private += [f"{place}.{alias.name}" for alias in node.names if alias.name not in offered]
    assert private == []


FRONTS = [path.parent.name for path in sorted(PACKAGE.glob("*/__init__.pyi"))]


@pytest.mark.parametrize("folder", FRONTS)
def test_a_front_is_typed_by_its_stub_and_loads_each_name(folder):
    module = import_module(f"toysearch.{folder}")
    stub = ast.parse((PACKAGE / folder / "__init__.pyi").read_text(encoding="utf-8"))
    typed = [
        (alias.name, node.module) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    homes = [(name, f"toysearch.{folder}.{home}") for home, names in module._HOMES.items() for name in names.split()]
    assert sorted(typed) == sorted(homes)
    assert all(getattr(module, name) is getattr(import_module(home), name) for name, home in homes)
    with pytest.raises(AttributeError, match=f"module 'toysearch.{folder}' has no attribute 'nonsense'"):
        _ = module.nonsense


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """A copy of the project without the folders of the annexes, and without their tests."""
    place = tmp_path_factory.mktemp("alone")
    unwanted = shutil.ignore_patterns("__pycache__", *ANNEXES)
    for name in ("toysearch", "tests", "corpora", "docs", "build_backend", "build/loops"):
        if name != "build/loops" or (ROOT / name).exists():  # the loops, compiled already
            shutil.copytree(ROOT / name, place / name, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", place)
    return place


def python(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of Python that imports the copy."""
    environment = {**os.environ, "PYTHONPATH": str(place), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=environment, capture_output=True, text=True, timeout=900
    )


@pytest.mark.waits
@pytest.mark.system
@pytest.mark.parametrize(
    "arguments",
    [
        ["demo"],
        ["search", "cat-dog-parrot", "train cat"],
        ["eval", "cat-dog-parrot", "--model", "bm25"],
        ["compare", "cat-dog-parrot", "--model", "bm25", "--model", "tfidf"],
        ["--help"],
        ["--commands"],
    ],
    ids=" ".join,
)
def test_a_command_of_the_core_needs_no_annex(alone, arguments):
    result = python(alone, "-m", "toysearch", *arguments)
    assert (result.returncode, bool(result.stdout)) == (0, True), result.stderr


@pytest.mark.waits
@pytest.mark.system
@pytest.mark.parametrize(
    ("arguments", "folder", "name"),
    [
        (["serve", "cat-dog-parrot"], "page", "serve"),
        (["labs"], "course", "labs"),
        (["leaderboard", "show", "board"], "course", "leaderboard"),
        (["eval", "mine.run", "qrels.txt", "--format", "trec_eval"], "exchange", "trec_eval"),
        (["run", "cat-dog-parrot", "-o", "-", "--workers", "2"], "cluster", "workers"),
        (["check", "lab.ipynb"], "course", "notebooks"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_of_a_missing_annex_says_so(alone, arguments, folder, name):
    result = python(alone, "-m", "toysearch", *arguments)
    sentence = f"toysearch: {name}: the folder toysearch/{folder} is missing from this installation of toysearch"
    typed = "pip install --force-reinstall toysearch"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"{sentence}; to add it: {typed}\n")


OF_ALL_COMMANDS = (
    "tests/unit/models/test_registry.py::test_every_command_with_a_model_is_tried",
    "tests/unit/models/test_registry.py::test_an_algorithm_is_worked_out_for_a_model_of_ones_own",
)
"""Tests that call the commands of the annexes too."""


@pytest.mark.waits
@pytest.mark.exhaustive
@pytest.mark.parametrize("folder", ["index", "search", "evaluation", "models"])
def test_the_core_passes_its_tests_without_annexes(alone, folder):
    left_out = (f"--deselect={test}" for test in OF_ALL_COMMANDS)
    tests = ("-m", "not system and not exhaustive", *left_out, f"tests/unit/{folder}")
    result = python(alone, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert result.returncode == 0, result.stdout[-4000:]
