"""What messages advise: a call to those who write Python, an option to those at a shell; both exist."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from error_messages import raising
from public_names import FOLDER, NAMES
from shell import every_command, refusal

import toysearch
from toysearch.base.errors import Remedy
from toysearch.cli.commands import by_name
from toysearch.cli.remedies import OPTIONS, shell_option
from toysearch.rings import COMMANDS

pytestmark = pytest.mark.system

TYPED = dict(every_command())
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
SHELL_ONLY = {"cli", "page", "commands"}  # only commands import them
OF_OTHERS = ("dask scheduler ", "pip install ")  # options of other programs


@cache
def trees() -> dict[Path, ast.Module]:
    """Each file of the engine, read."""
    shells = {FOLDER.parent / f"{module.replace('.', '/')}.py" for module in COMMANDS.values()}
    files = [file for file in sorted(FOLDER.rglob("*.py")) if SHELL_ONLY.isdisjoint(file.relative_to(FOLDER).parts)]
    files = [file for file in files if file not in shells]
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """The texts of a file, without docstrings and other texts that are statements."""
    idle = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in idle:
            yield node


def test_the_engine_names_no_option_of_a_command():
    named = [
        f"{file.relative_to(FOLDER)}:{text.lineno}: {text.value}"
        for file, tree in trees().items()
        for text in strings(tree)
        if OPTION.search(text.value) and not any(other in text.value for other in OF_OTHERS)
    ]
    assert not named, "give a Remedy, which the command line shows as an option"


def remedies() -> Iterator[tuple[str, str, str]]:
    """The place, the function and the argument of each remedy in the engine; "" for one given by place."""
    for file, tree in trees().items():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Remedy":
                function = ast.literal_eval(call.args[0])
                place = f"{file.relative_to(FOLDER)}:{call.lineno}"
                yield from ((place, function, "") for _ in call.args[1:])
                yield from ((place, function, each.arg or "parameters") for each in call.keywords)


def test_every_remedy_has_an_option_and_every_option_a_remedy():
    given = {(function, name) for _, function, name in remedies()}
    assert all(map(shell_option, *zip(*given, strict=True)))
    assert OPTIONS.keys() - given == set()


@pytest.mark.parametrize(("function", "name"), sorted({each[1:] for each in remedies()}), ids=" ".join)
def test_a_remedy_is_an_argument_of_a_public_function(function, name):
    if not function:
        assert any(name in inspect.signature(each).parameters for each in NAMES.values() if inspect.isfunction(each))
        return
    if function.startswith("toysearch."):
        assert function in NAMES
        module, _, last = function.rpartition(".")
        value = getattr(import_module(module), last)
    else:
        value = toysearch
        for part in function.split("."):
            value = getattr(value, part)
    assert not name or name in inspect.signature(value).parameters


def test_the_command_of_a_remedy_has_its_option():
    for _, function, argument in remedies():
        place = shell_option(function, argument)
        name = " ".join(word for word in place.command.split(" -")[0].split() if word.islower())
        for option in filter(None, (place.option, place.or_else)):
            assert option.split(" ")[0] in by_name(TYPED[name]), place


def test_one_message_in_both_words(tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text("a,b,c\n1,7,2\n")  # queries are 1 to 3, documents 1 to 4
    found, alone = f"{file}:1: found the columns a, b, c; name them: ", "; or, if each is relevant: "
    said = f"{found}read_qrels(…, columns='query=a,doc=b,grade=c'){alone}read_qrels(…, columns='query=a,doc=b')"
    with raising(toysearch.ToysearchError, said):
        toysearch.read_qrels(file)
    toysearch.read_qrels(file, columns="query=a,doc=c,grade=b")
    told = refusal("eval", "cat-dog-parrot", "--qrels", str(file))  # whose ids are known
    options = f"--qrels-columns query=a,doc=c,grade=b{alone}--qrels-columns query=a,doc=c"
    assert told == f"toysearch: {found}{options}"


def test_a_remedy_of_another_command_names_it():
    told = refusal("search", "cat-dog-parrot", "cat", "--formula", "tf*fd")
    assert told.endswith(": --set fd=1.2")
    with pytest.raises(toysearch.ToysearchError, match=r"its value: formula\(…, fd=1\.2\)$"):
        toysearch.formula("tf*fd")


def test_without_a_command_a_remedy_is_python():
    assert str(Remedy("Index.build", analyzer="hindi")) == "Index.build(…, analyzer=Analyzer.parse('hindi'))"
    assert str(Remedy("fetch", "cisi")) == "fetch('cisi')"
