"""What the package weighs: statements, files, functions called once, parameters, imports and bare local names.

`python tests/weight.py` prints the figures per folder, `python tests/weight.py FOLDER` per file of one.
tests/test_weight.py holds the totals under limits that only fall.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent / "toysearch"
BARE = frozenset(
    """found each own given known made named asked shown kept told taken seen read left said done held set got wanted
    used tried""".split()  # noqa: SIM905
)
"""Participles and pronouns that do not say what a local name holds."""


class Weight(NamedTuple):
    """The counts of one file, or their sum over several."""

    files: int = 0
    statements: int = 0
    imports: int = 0
    functions: int = 0
    single_use: int = 0
    many_parameters: int = 0
    names: int = 0
    bare: int = 0

    def plus(self, other: Weight) -> Weight:
        """The sum of two weights."""
        return Weight(*(a + b for a, b in zip(self, other, strict=True)))


Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[Function]:
    """All functions and methods of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def parameters(function: Function) -> int:
    """How many parameters a function has, without self and cls."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in named)


def bare_names(tree: ast.Module) -> list[ast.Name]:
    """The assigned names that are a participle or a pronoun alone."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in BARE]


def mentions(tree: ast.Module) -> Iterator[str]:
    """Every name that is read, looked up as an attribute or imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def single_use(trees: dict[Path, ast.Module]) -> dict[Path, list[Function]]:
    """Per file the private functions that are called in one place, and mentioned nowhere else."""
    result = {}
    for path, tree in trees.items():
        uses = Counter(mentions(tree))
        calls = Counter(n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
        result[path] = [
            node
            for node in tree.body
            if isinstance(node, Function) and node.name.startswith("_") and not node.decorator_list
            if uses[node.name] == calls[node.name] == 1
        ]
    return result


def weights() -> dict[Path, Weight]:
    """The weight of every file of the package that holds a statement."""
    trees = {path: ast.parse(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))}
    trees = {path: tree for path, tree in trees.items() if tree.body}
    once = single_use(trees)
    return {
        path.relative_to(PACKAGE): Weight(
            files=1,
            statements=sum(isinstance(node, ast.stmt) for node in ast.walk(tree)),
            imports=sum(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree)),
            functions=sum(1 for _ in functions(tree)),
            single_use=len(once[path]),
            many_parameters=sum(parameters(function) > 10 for function in functions(tree)),
            names=sum(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) for n in ast.walk(tree)),
            bare=len(bare_names(tree)),
        )
        for path, tree in trees.items()
    }


def total(chosen: list[Weight]) -> Weight:
    """The sum of several weights."""
    result = Weight()
    for weight in chosen:
        result = result.plus(weight)
    return result


def main() -> None:
    """Print the figures per folder, or per file of one folder with its single uses."""
    under = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else ""
    rows: dict[str, list[Weight]] = {}
    for path, weight in weights().items():
        if path.as_posix().startswith(under):
            rows.setdefault(path.as_posix() if under else path.parts[0], []).append(weight)
    print("".join(f"{name.replace('_', ' '):>16}" for name in Weight._fields))
    rows["all"] = [weight for group in rows.values() for weight in group]
    for name, group in rows.items():
        print("".join(f"{count:16}" for count in total(group)), " ", name)


if __name__ == "__main__":
    main()
