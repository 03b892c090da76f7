"""No import goes outwards, and the core runs without the rings."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
from circles import RINGS, against, imports
from conftest import ROOT
from core_alone import CORE, copied, index_bytes, python

from toysearch.rings import ABILITIES, COMMANDS

PACKAGE = ROOT / "toysearch"


def test_the_table_names_modules_of_rings():
    modules = [*COMMANDS.values(), *ABILITIES.values()]
    assert {module.split(".")[1] for module in modules} == {*RINGS}
    assert [module for module in modules if not (ROOT / f"{module.replace('.', '/')}.py").is_file()] == []


def test_no_import_goes_outwards():
    assert against(imports(PACKAGE)) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"search/a.py": "def f():\n    from sea.workbench import b"}, [("sea.search.a", "sea.workbench.b", 2)]),
        ({"search/a.py": 'HOME = "sea.page.c"'}, [("sea.search.a", "sea.page.c", 1)]),
        ({"workbench/d.py": "import sea.classroom.e"}, [("sea.workbench.d", "sea.classroom.e", 1)]),
        ({"rings.py": 'HOME = "sea.page.c"', "page/c.py": "import sea.workbench.b, sea.search.a"}, []),
    ],
)
def test_an_import_against_the_rings_is_found(tmp_path, files, expected):
    for name in ("search/a.py", "workbench/b.py", "page/c.py", "classroom/e.py", *files):
        for file in (tmp_path / "sea" / name, (tmp_path / "sea" / name).parent / "__init__.py"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(files.get(name, "") if file.name in name else "", encoding="utf-8")
    (tmp_path / "sea" / "__init__.py").touch()
    assert against(imports(tmp_path / "sea")) == expected


FRONTS = [path.parent.name for path in sorted(PACKAGE.glob("*/__init__.pyi"))] + ["loops"]


@pytest.mark.parametrize("folder", FRONTS)
def test_a_front_is_typed_by_its_stub_and_loads_each_name(folder):
    module = import_module(f"toysearch.{folder}")
    file = next(file for file in (PACKAGE / folder / "__init__.pyi", PACKAGE / f"{folder}.pyi") if file.exists())
    stub = ast.parse(file.read_text(encoding="utf-8"))
    typed = [
        (alias.name, node.module) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    full = {home: f"toysearch{home}" if home[0] == "." else f"toysearch.{folder}.{home}" for home in module._HOMES}
    homes = [(name, full[home]) for home, names in module._HOMES.items() for name in names.split()]
    assert sorted(typed) == sorted(homes)
    assert all(getattr(module, name) is getattr(import_module(home), name) for name, home in homes)
    with pytest.raises(AttributeError, match=f"module 'toysearch.{folder}' has no attribute 'nonsense'"):
        _ = module.nonsense


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """A copy of the project without the rings and the loops."""
    return copied(tmp_path_factory.mktemp("alone"))


@pytest.mark.waits
@pytest.mark.system
@pytest.mark.parametrize(
    "arguments",
    [
        ["demo"],
        ["search", "cat-dog-parrot", "train cat"],
        ["eval", "cat-dog-parrot", "--model", "bm25"],
        ["compare", "cat-dog-parrot", "--model", "bm25", "--model", "tfidf"],
        ["check", "cat-dog-parrot"],
        ["--help"],
        ["--commands"],
    ],
    ids=" ".join,
)
def test_a_command_of_the_core_needs_no_ring(alone, arguments):
    result = python(alone, "-m", "toysearch", *arguments)
    assert (result.returncode, bool(result.stdout)) == (0, True), result.stderr


@pytest.mark.waits
@pytest.mark.system
@pytest.mark.parametrize(
    ("arguments", "folder", "name"),
    [
        (["serve", "cat-dog-parrot"], "page", "serve"),
        (["labs"], "classroom", "labs"),
        (["check", "lab.ipynb"], "classroom", "notebooks"),
        (["tune", "cat-dog-parrot"], "workbench", "tune"),
        (["report", "cat-dog-parrot"], "workbench", "report"),
        (["eval", "mine.run", "qrels.txt", "--format", "trec_eval"], "workbench", "trec_eval"),
        (["run", "cat-dog-parrot", "-o", "-", "--workers", "2"], "workbench", "workers"),
        (["search", "cat-dog-parrot", "cat", "--model", "lsa"], "workbench", "vectors"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_of_a_missing_ring_says_what_to_type(alone, arguments, folder, name):
    result = python(alone, "-m", "toysearch", *arguments)
    sentence = f"toysearch: {name}: the folder toysearch/{folder} is missing from this installation of toysearch"
    typed = "pip install --force-reinstall toysearch"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"{sentence}; to add it: {typed}\n")


@pytest.mark.waits
@pytest.mark.system
def test_a_public_name_of_a_missing_ring_says_what_to_type(alone):
    result = python(alone, "-c", "import toysearch; toysearch.tune")
    sentence = (
        "toysearch.base.errors.ArgumentError: tune: the folder toysearch/workbench is missing from this installation"
    )
    assert result.stderr.splitlines()[-1].startswith(sentence)


@pytest.mark.waits
@pytest.mark.system
def test_an_index_of_the_core_alone_has_the_same_bytes(alone):
    assert index_bytes(alone) == index_bytes(ROOT)


def test_the_folders_of_the_core_are_all_that_is_no_ring():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {*RINGS, "compiled"} == {*CORE}
