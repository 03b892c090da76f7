"""The sentences of all errors in the sources of toysearch, with … for what is put into them."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from toysearch.base.errors import ToysearchError

ROOT = Path(__file__).parent.parent
MODULES = (
    "analysis.token_function",
    "course.competition.submission_queue",
    "index.document_columns",
    "laboratory.effects",
    "page.application",
    "query.lexer",
)
"""Modules with errors of their own."""


class SourceMessage(NamedTuple):
    """A sentence, its error, and where it is raised."""

    kind: str
    place: str
    text: str


def source_messages() -> Iterator[SourceMessage]:
    """The message of each call of an error's class, or of a function that makes one, in the order of the files."""
    for path in sorted((ROOT / "toysearch").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            place = f"{path.relative_to(ROOT).as_posix()}:{call.lineno}"
            if name == "malformed" and len(call.args) > 2:
                yield SourceMessage("DataError", place, f"…:1: {_text(call.args[2])}")
            elif name == "unknown":
                yield SourceMessage("UnknownName", place, f"unknown {_text(call.args[0])} …")
            elif name == "has_no" and len(call.args) > 2:
                yield SourceMessage("ArgumentError", place, f"{_text(call.args[0])} has no {_text(call.args[1])} …")
            elif name in error_classes():
                yield SourceMessage(name, place, _text(call.args[0]))


@cache
def error_classes() -> dict[str, type]:
    """The classes of toysearch's errors by name."""
    for module in MODULES:
        import_module(f"toysearch.{module}")
    classes: dict[str, type] = {}
    waiting: list[type] = [ToysearchError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        classes[error.__name__] = error
    return classes


def _text(node: ast.expr) -> str:
    """A text with … in place of what is put into it."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(value) for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left) + _text(right)
        case ast.IfExp(body=body):
            return _text(body)
    return "…"
