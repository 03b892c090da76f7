"""The public names: few in front, loaded lazily, typed by the stub; all documented, those in front by an example."""

import ast
import doctest
import inspect
import pickle
import pydoc
import re
from importlib import import_module

import pytest
from conftest import ROOT
from public_names import FOLDER, FRONT, MODULES, NAMES

import toysearch
from toysearch import labs
from toysearch.index.inverted_index import _FOR_SEARCHERS

HOMES = {name: f"toysearch.{home}" for home, names in toysearch._HOMES.items() for name in names.split()}
MOST_IN_FRONT = 75
NOT_FOR_PROGRAMS = {"damage_of_opened", "refuse_foreign", "refuse_loss", "refuse_place", "parsed"}
NOT_FOR_PROGRAMS |= {"chosen", "Setting", "WEIGHT"}
"""What keeps a command from trusting or replacing the wrong file; and what reads the settings of an analyzer or of a
method, which a program gives as arguments."""


def test_few_names_are_in_front():
    assert len(set(FRONT)) == len(FRONT) <= MOST_IN_FRONT


def test_the_stub_types_exactly_the_names_in_front():
    tree = ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))
    imported = [
        (alias.asname, node.module) for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert len(imported) == len(FRONT)
    assert dict(imported) == HOMES


def test_the_stub_of_labs_types_exactly_its_names():
    tree = ast.parse((FOLDER / "labs.pyi").read_text(encoding="utf-8"))
    typed = {
        alias.asname: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    homes = {name: f"toysearch{home}" for home, names in labs._HOMES.items() for name in names.split()}
    assert typed == homes
    assert sorted(labs.__all__) == sorted(homes)


def test_help_begins_with_one_page_that_lists_the_names_in_front():
    page = pydoc.plain(pydoc.render_doc(toysearch)).partition("\nPACKAGE CONTENTS\n")[0]
    assert len(page.splitlines()) <= 100
    assert sorted(re.findall(r"^ {8}(\w+) {2,}\w", page, re.MULTILINE)) == sorted(FRONT)


def test_all_names_in_front_are_imported_by_a_star():
    names: dict[str, object] = {}
    exec("from toysearch import *", names)
    assert sorted(names.keys() - {"__builtins__"}) == sorted(FRONT)


IN_FRONT = {*HOMES, *(path.stem for path in FOLDER.iterdir())}  # names, and packages
BEHIND = [(name.rpartition(".")[0], name.rpartition(".")[2]) for name in NAMES]
OF_OTHERS = {"Retriever"}  # names of other tools, with an answer of their own
BEHIND = [(module, name) for module, name in BEHIND if name not in IN_FRONT | OF_OTHERS]


@pytest.mark.parametrize(("module", "name"), BEHIND[:: len(BEHIND) // 6])
def test_a_name_behind_says_where_it_is_imported_from(module, name):
    with pytest.raises(AttributeError) as missing:
        getattr(toysearch, name)
    told = f"module 'toysearch' has no attribute '{name}'; it is imported from its module: from (\\S+) import {name}"
    found = re.fullmatch(told, str(missing.value))
    assert found
    assert name in import_module(found[1]).__all__


def test_a_name_that_labs_has_too_is_imported_from_there():
    assert toysearch._elsewhere("zipf") == "; it is imported from its module: from toysearch.labs import zipf"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("labs", "; it is a module: from toysearch import labs"),  # as long as nothing has loaded it
        ("bm25", "; here: toysearch.Searcher(collection, 'bm25').search(text)"),
    ],
)
def test_a_module_says_how_it_is_imported_or_what_is_called_instead(name, told):
    assert toysearch._elsewhere(name) == told


@pytest.mark.parametrize("name", ["nonsense", "_private", "records", "workbench"])
def test_what_is_not_public_is_only_missing(name):
    assert toysearch._elsewhere(name) == ""


def test_an_index_completes_what_people_need():
    index = toysearch.Index.build(["a cat"])
    names = {name for name in dir(index) if not name.startswith("_")}
    assert {"terms", "doc_ids", "postings", "save", "stats", "text", "title", "vector"} <= names
    assert len(names) <= 40
    assert all(hasattr(index, name) for name in _FOR_SEARCHERS)


@pytest.mark.parametrize("explained", ["bm25", "0.5*bm25 + 0.5*tfidf"])
def test_an_explanation_is_short_in_a_console(explained):
    searcher = toysearch.Searcher("cat-dog-parrot", explained)
    for shown in (
        toysearch.explain(searcher, "train cat", "1"),
        toysearch.explain_order(searcher, "train cat", "1", "2"),
    ):
        assert len(repr(shown).splitlines()) == 1
        assert len(repr(shown)) < 120


@pytest.mark.parametrize("name", FRONT)
def test_a_name_in_front_is_public_in_its_module_and_has_an_example(name):
    value = getattr(toysearch, name)
    assert NAMES[f"{HOMES[name]}.{name}"] is value
    if not callable(value) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return
    (found,) = doctest.DocTestFinder(recurse=False).find(value, name, import_module(HOMES[name]))
    assert any(f"{name}(" in example.source or f"{name}." in example.source for example in found.examples)


def test_every_public_name_is_documented():
    undocumented = [name for name, value in NAMES.items() if callable(value) and not (value.__doc__ or "").strip()]
    assert not undocumented


FUNCTIONS = [value for value in NAMES.values() if inspect.isfunction(value)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=[function.__name__ for function in FUNCTIONS])
def test_a_public_function_can_be_pickled_and_its_examples_are_found(function):
    assert pickle.loads(pickle.dumps(function)) is function
    found = {test.name for test in doctest.DocTestFinder().find(import_module(function.__module__))}
    assert f"{function.__module__}.{function.__qualname__}" in found


ENGINE = tuple(
    f"toysearch.{part}"
    for part in (
        *("records", "ranking", "files", "analysis", "index", "models", "retrieval", "evaluation"),
        *(f"study.explain.{name}_explanation" for name in ("measure", "order", "query", "score")),
        *("study.explain.failure_analysis", "study.explain.rank_flip"),
    )
)


def in_front_of(folder):
    """The names that a folder offers to others."""
    homes = getattr(import_module(folder), "_HOMES", {})
    return {name for names in homes.values() for name in names.split()}


@pytest.mark.system
def test_the_command_line_uses_public_names():
    """Whatever a command does with the engine, a program can do."""
    private = [
        f"{file.relative_to(FOLDER)}: {node.module}.{alias.name}"
        for file in sorted((FOLDER / "cli").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ENGINE)
        for alias in node.names
        if alias.name not in {*MODULES.get(node.module or "", []), *in_front_of(node.module or ""), *NOT_FOR_PROGRAMS}
    ]
    assert not private


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TABLE = CONTRIBUTING.split("<!-- argument names -->")[1].split("<!-- end -->")[0]
ARGUMENTS = {
    name: re.findall(r"`(\w+)`", instead)
    for name, instead in re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", TABLE, re.MULTILINE)
}
"""The names of arguments in their order, each with the names that it stands for."""
SYSTEMS_FIRST = "ablate", "robustness", "tune"


@pytest.mark.parametrize("function", FUNCTIONS, ids=[function.__name__ for function in FUNCTIONS])
def test_arguments_have_the_same_names_and_order_everywhere(function):
    parameters = inspect.signature(function).parameters.values()
    assert {each.name for each in parameters}.isdisjoint(name for others in ARGUMENTS.values() for name in others)
    by_place = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD and each.name in ARGUMENTS]
    first = ["model", "models"] if function.__name__ in SYSTEMS_FIRST else []
    assert by_place == sorted(by_place, key=[*first, *ARGUMENTS].index)
