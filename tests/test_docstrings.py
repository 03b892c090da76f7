"""Public names have parameters that match; everything else has a sentence, without sections."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from public_names import NAMES

import toysearch

validate = pytest.importorskip("numpydoc.validate").validate

FOLDER = Path(toysearch.__file__).parent
SECTION = re.compile(
    r"^(Parameters|Attributes|Returns|Yields|Raises|Warns|See Also|Notes|References|Examples)\n---", re.M
)
FAMILIES = ("binary", "diversity", "effort", "graded")
MEASURES = {FOLDER / "evaluation" / "measures" / f"{name}.py" for name in FAMILIES}
MEASURES.add(FOLDER / "workbench" / "exchange" / "trec_eval_measures.py")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public() -> dict[str, object]:
    """The path of each public function, class and method, and what stands there."""
    found = {}
    for value in NAMES.values():
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        found[_path(value)] = value
        for part in value.__mro__ if inspect.isclass(value) else ():
            for method, function in vars(part).items():
                if method.strip("_") == method or method.endswith("__"):
                    found[f"{_path(part)}.{method}"] = getattr(function, "__func__", function)
                    if inspect.isfunction(function) and function.__module__.startswith("toysearch."):
                        found[_path(function)] = function  # a method may be a function of another file
    return found


def _path(value: object) -> str:
    value = inspect.unwrap(value)
    return f"{value.__module__}.{value.__qualname__}"


def definitions(node: ast.AST, path: str) -> Iterator[tuple[str, Definition]]:
    """Every function and class below a node, with its path."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            yield f"{path}.{child.name}", child
            yield from definitions(child, f"{path}.{child.name}")
        else:
            yield from definitions(child, path)


def explained_to_users(file: Path, path: str, node: Definition) -> bool:
    """Whether a docstring is shown as help: of models, measures and what the exercises call."""
    if path == "toysearch.models.model.model":
        return True  # how to write a model
    if file in MEASURES:
        return path.count(".") == 4 and not node.name.startswith("_")
    if file.parent.name == "models":
        return any(re.match(r"model\b", ast.unparse(decorator)) for decorator in node.decorator_list)
    return file.parent.name == "exercises" or file == FOLDER / "classroom" / "session.py"


PUBLIC = public()
WITH_PARAMETERS = [path for path, value in PUBLIC.items() if "Parameters\n------" in (inspect.getdoc(value) or "")]


@pytest.mark.parametrize("package", sorted({path.split(".")[1] for path in WITH_PARAMETERS}))
def test_parameters_are_neither_invented_nor_missing(package):
    wrong = [
        f"{path}: {message}"
        for path in WITH_PARAMETERS
        if path.split(".")[1] == package
        for code, message in validate(path)["errors"]
        if code in ("PR01", "PR02", "PR03")
    ]
    assert not wrong


def test_there_is_something_to_check():
    assert len(WITH_PARAMETERS) > 100


@pytest.mark.system
def test_only_public_names_have_sections():
    wrong = [
        f"{file.relative_to(FOLDER)}:{node.lineno} {node.name}"
        for file in sorted(FOLDER.rglob("*.py"))
        for module in [".".join(file.relative_to(FOLDER.parent).with_suffix("").parts)]
        for path, node in definitions(ast.parse(file.read_text(encoding="utf-8")), module)
        if SECTION.search(ast.get_docstring(node) or "")
        if path not in PUBLIC and not explained_to_users(file, path, node)
    ]
    assert not wrong, "numpydoc sections are for public names: list each in __all__ of its module, or write sentences"
