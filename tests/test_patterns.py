"""Regular expressions that match the same with each release of Python.

With Python 3.11.0 to 3.11.4, a possessive repeat of more than one character may end behind the last part that fits, and
`(?:ab?c)++` matches all of "aca". A possessive repeat of single characters, and an atomic group, match as they should.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from re import _constants as kinds
from re import _parser as parser
from typing import Any

import pytest
from conftest import ROOT

TAKE_A_PATTERN = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
SINGLE = {kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN}


def parts_of(tree: Any) -> Iterator[tuple[Any, Any]]:
    """All parts of a pattern that was read, each with its content."""
    for kind, content in tree:
        yield kind, content
        for inner in content if isinstance(content, tuple | list) else [content]:
            trees = inner if isinstance(inner, list) else [inner]
            for each in trees:
                if isinstance(each, parser.SubPattern):
                    yield from parts_of(each)


def misread(pattern: str | bytes, flags: int = 0) -> bool:
    """Whether a pattern has a possessive repeat of more than a single character."""
    tree = parser.parse(pattern, flags)
    repeated = [content[2] for kind, content in parts_of(tree) if kind is kinds.POSSESSIVE_REPEAT]
    return any(len(part) != 1 or part[0][0] not in SINGLE for part in repeated)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(?:ab?c)*+", r"(?:(?!a).)++", r"(?:\\.|[^x])*+", r"(?:(?<!:)a)?+", r"(?:ab){1,3}+", r"(a)++"),
        r"x(?=(?:y(?:ab?)*+))",
    ],
)
def test_a_longer_possessive_repeat_is_found(pattern):
    assert misread(pattern)


@pytest.mark.parametrize("pattern", [r"a*+", r"(?:[^x]++|\\.)*", r".?+", r"\s{2,}+", r"(?>ab?c)*", rb"\d++"])
def test_other_repeats_are_not(pattern):
    assert not misread(pattern)


def value_of(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of an expression in a module, with a letter for each part of a text that only a call knows; or None."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value_of(part, names) or "x") for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return value_of(node.value, names)
    try:
        return eval(compile(ast.Expression(node), "", "eval"), dict(names))
    except NameError:
        return None


def patterns() -> Iterator[tuple[str, str | bytes, int]]:
    """The patterns of the package: those that its sources give to `re`, and the compiled ones of its modules."""
    for path in sorted((ROOT / "toysearch").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not any(f"re.{name}(" in source for name in TAKE_A_PATTERN):
            continue
        calls = [
            node
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in TAKE_A_PATTERN
        ]
        place = path.relative_to(ROOT).with_suffix("")
        names = vars(importlib.import_module(".".join(place.parts).removesuffix(".__init__")))
        for call in calls:
            pattern = value_of(call.args[0], names)
            flags = [value_of(each.value, names) for each in call.keywords if each.arg == "flags"]
            flags += [value_of(each, names) for each in call.args[1:2] if call.func.attr == "compile"]
            if isinstance(pattern, str | bytes):
                yield f"{place}.py:{call.lineno}", pattern, flags[0] if flags else 0
        for name, value in names.items():
            values = (
                value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
            )
            for each in values if not name.startswith("__") else ():
                if isinstance(each, re.Pattern):
                    yield f"{place}.py, {name}", each.pattern, each.flags


@pytest.mark.system
def test_no_pattern_depends_on_the_release_of_python():
    found = [*patterns()]
    assert len(found) > 200
    assert [(place, pattern) for place, pattern, flags in found if misread(pattern, flags)] == []
