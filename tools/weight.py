"""What a reader of the package reads: tokens and statements of its Python, words of its other texts, by folder.

    python tools/weight.py [CHECKOUT]

tokens   without comments, docstrings, line ends and indentation; an f-string is one, on every Python
stmts    statements without docstrings; t/st: tokens of one
excess   tokens beyond the 25th of a statement
crowd    statements with four or more comprehensions, conditional values, lambdas, stars or chains of and/or
strings  words inside texts between quotes; fstr: what an f-string computes
data     words of templates, TOML, stubs and whatever else is no Python: moved there, they are read all the same

A token belongs to the innermost statement that it stands in or follows. `ceilings.toml` has the most that there may be.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTER = ("workbench", "classroom", "page", "compiled")
"""Folders outside the core."""
TEXTS = {
    *(".toml", ".html", ".pyi", ".js", ".css", ".pxd", ".pyx", ".txt"),
    *(".json", ".csv", ".tsv", ".md", ".svg", ".xml", ".jinja", ".j2"),
}
FULL, CROWDED = 25, 4

_UNREAD = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER"}
_BRANCHING = (
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.IfExp, ast.Lambda, ast.Starred, ast.BoolOp),
)
_COMPUTED = (
    *(ast.Name, ast.Attribute, ast.Call, ast.Constant),
    *(ast.IfExp, ast.BinOp, ast.Compare, ast.Subscript),
)


def token_places(source: str) -> Iterator[tuple[int, int]]:
    """Yield line and column of each token that is read; Python 3.12 takes an f-string apart, which is one here."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("FSTRING_END", "TSTRING_END"):
            depth -= 1
        elif depth == 0 and kind not in _UNREAD:
            yield token.start
        if kind in ("FSTRING_START", "TSTRING_START"):
            depth += 1


def docstrings_of(nodes: list[ast.AST]) -> list[ast.Expr]:
    """Return the statements that are docstrings."""
    documented = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bodies = [
        node.body for node in nodes if isinstance(node, documented) and ast.get_docstring(node, False) is not None
    ]
    return [body[0] for body in bodies if isinstance(body[0], ast.Expr)]


def expressions_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a statement, without the statements inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield child
            yield from expressions_of(child)


def weight_of_python(source: str) -> Counter[str]:
    """Weigh one file of Python."""
    nodes = [*ast.walk(ast.parse(source))]
    docstrings = docstrings_of(nodes)
    unread = {id(node) for node in docstrings} | {id(node.value) for node in docstrings}
    statements = [node for node in nodes if isinstance(node, ast.stmt)]
    statements.sort(key=lambda node: (node.lineno, node.col_offset))
    begins = [(node.lineno, node.col_offset) for node in statements]
    owners = [bisect_right(begins, place) - 1 for place in token_places(source)]
    sizes = Counter(id(statements[owner]) for owner in owners if owner >= 0)
    read = [node for node in statements if id(node) not in unread]
    tokens = [sizes[id(node)] for node in read]
    branches = [sum(isinstance(part, _BRANCHING) for part in expressions_of(node)) for node in read]
    quoted = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in unread]
    spliced = [part for node in nodes if isinstance(node, ast.FormattedValue) for part in ast.walk(node.value)]
    return Counter(
        tokens=sum(tokens),
        stmts=len(read),
        excess=sum(max(0, size - FULL) for size in tokens),
        crowd=sum(count >= CROWDED for count in branches),
        files=int(bool(read)),
        strings=sum(len(text.split()) for text in quoted if isinstance(text, str)),
        fstr=sum(isinstance(part, _COMPUTED) for part in spliced),
    )


def weights(checkout: Path = ROOT) -> dict[str, Counter[str]]:
    """Return the weight of each folder of the package, the heaviest first, of the core, and of all."""
    package, folders = checkout / "toysearch", dict[str, Counter[str]]()
    for path in package.rglob("*"):
        if path.suffix == ".py":
            weight = weight_of_python(path.read_text(encoding="utf-8"))
        elif path.suffix in TEXTS and path.is_file():
            weight = Counter(data=len(path.read_text(encoding="utf-8").split()))
        else:
            continue
        folder, *below = path.relative_to(package).parts
        folders.setdefault(folder if below else "(top)", Counter()).update(weight)
    folders = dict(sorted(folders.items(), key=lambda item: -item[1]["tokens"]))
    core, total = Counter[str](), Counter[str]()
    for folder, weight in folders.items():
        total.update(weight)
        core.update({} if folder in OUTER else weight)
    return folders | {"core": core, "all": total}


def words_and_lines(checkout: Path = ROOT) -> dict[str, int]:
    """Count the lines of the tests and the words of the documentation."""
    tests = [path.read_text(encoding="utf-8") for path in (checkout / "tests").rglob("*.py")]
    pages = [path.read_text(encoding="utf-8") for path in (checkout / "docs").rglob("*.md")]
    return {
        "lines of tests": sum(len(text.splitlines()) for text in tests),
        "words of docs": sum(len(page.split()) for page in pages),
    }


def ceilings() -> dict[str, dict[str, int]]:
    """Return how much there may be now, and what this round and those after it are to reach."""
    return tomllib.loads(Path(__file__).with_name("ceilings.toml").read_text(encoding="utf-8"))


def main() -> None:
    """Print the weight of each folder beside its ceiling."""
    checkout = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    now = ceilings()["now"]
    columns = ("tokens", "stmts", "excess", "crowd", "files", "strings", "fstr", "data")
    print(f"{'':12}" + "".join(f"{column:>9}" for column in columns) + f"{'t/st':>6}{'ceiling':>9}")
    for folder, weight in weights(checkout).items():
        share = weight["tokens"] / max(weight["stmts"], 1)
        counts = "".join(f"{weight[column]:>9,}" for column in columns)
        print(f"{folder:12}{counts}{share:>6.1f}{now.get(folder, 0):>9,}")
    for what, count in words_and_lines(checkout).items():
        print(f"{what}: {count:,} (ceiling {now[what]:,})")


if __name__ == "__main__":
    main()
