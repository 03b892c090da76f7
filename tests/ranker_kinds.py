"""The places that decide by the kind of a ranker: python tests/ranker_kinds.py prints each, `make weight` their number.

A place asks for the class of a ranker (isinstance), or compares the name of its call. The grammar and the tree itself,
toysearch/models, are left out: they say what the kinds are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "toysearch"
CLASSES = {"Model", "Ranker", "Prior", "LearnedRanker", "SearchFunction", "ModelScorer", "MixtureScorer"}


def places() -> list[str]:
    """Each place: its file, its line and its code."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.name == "models":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if _decides(node):
                found.append(f"{path.relative_to(PACKAGE.parent)}:{node.lineno}: {ast.unparse(node)}")
    return found


def _decides(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        return bool(CLASSES & {*_names(node.args[1])})
    if isinstance(node, ast.Compare):
        return any(isinstance(side, ast.Attribute) and side.attr == "call" for side in (node.left, *node.comparators))
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Attribute) and node.slice.attr == "call"


def _names(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name | ast.Attribute):
            yield each.id if isinstance(each, ast.Name) else each.attr


if __name__ == "__main__":
    print("\n".join(places()))
