"""Labs, notebooks and pages use public names alone: what is copied from them runs wherever a module moves."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from public_names import FRONT

from toysearch import labs

LABS = sorted((ROOT / "notebooks/sources").glob("*.py"))
NOTEBOOKS = sorted([*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "docs" / "browser").glob("*.ipynb")])
PAGES = [ROOT / "README.md", ROOT / "notebooks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILES = [*LABS, *NOTEBOOKS, *PAGES]
OFFERED = {
    "toysearch": {*FRONT, "__version__", "labs", "tiny"},
    "toysearch.labs": {*labs.__all__},
    "toysearch.tiny": None,  # a book of one file: all of it is read
}
"""What may be imported from where."""
BY_MODULE = {
    "docs/do/grade.md": {"toysearch.classroom"},  # what a notebook that is graded had better not import
}
"""Page → the modules that it is about."""
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOTTED = re.compile(r"(?<![\w./-])(?:toysearch|(?<=`)labs)(?:\.[A-Za-z_]\w*)+")


def is_public(path: str) -> bool:
    """Whether a dotted path leads to a public name, or on from one."""
    module, _, rest = path.partition(".")
    while rest:
        name, _, rest = rest.partition(".")
        if (offered := OFFERED[module]) is None:
            return True
        if name not in offered:
            return False
        if f"{module}.{name}" not in OFFERED:
            return True
        module = f"{module}.{name}"
    return True


def of_code(code: str) -> Iterator[str]:
    """The names of toysearch that a program imports or writes, each with its path."""
    code = re.sub(r"^(\s*)[%!].*$", r"\1pass", code, flags=re.MULTILINE)  # for the shell of a notebook
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "toysearch")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "toysearch":
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Attribute):
            written = ast.unparse(node)
            if re.fullmatch(r"(toysearch|labs)(\.\w+)+", written):
                yield written if written.startswith("toysearch") else f"toysearch.{written}"


def of_prose(text: str) -> Iterator[str]:
    """The paths that a text names; labs has its names behind toysearch."""
    for found in DOTTED.findall(text):
        yield found if found.startswith("toysearch") else f"toysearch.{found}"


def of_page(text: str) -> Iterator[str]:
    """Those of the programs of a page, whatever they print, and of its prose."""
    for block in BLOCK.findall(text):
        typed = [line[4:] for line in block.splitlines() if line.startswith((">>>", "..."))]
        yield from of_code("\n".join(typed) if typed else block)
    yield from of_prose(BLOCK.sub("", text))


def names_of(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return [*of_page(text)]
    if file.suffix == ".py":
        comments = "\n".join(line for line in text.splitlines() if line.lstrip().startswith("#"))
        return [*of_code(text), *of_prose(comments)]
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
    return [name for kind, source in cells for name in (of_code(source) if kind == "code" else of_page(source))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_file_for_readers_uses_public_names_alone(file):
    allowed = BY_MODULE.get(file.relative_to(ROOT).as_posix(), set())
    assert sorted({name for name in names_of(file) if not is_public(name)} - allowed) == []


def test_labs_notebooks_and_pages_were_read():
    names = {name for file in FILES for name in names_of(file)}
    assert len(LABS) >= 14
    assert len(NOTEBOOKS) > len(LABS)
    assert len(PAGES) > 40
    assert len([name for name in names if name.startswith("toysearch.labs.")]) > 25
    assert len([name for name in names if name.removeprefix("toysearch.") in FRONT]) > 60
    assert {name for allowed in BY_MODULE.values() for name in allowed} <= names


def test_every_name_in_front_is_shown_in_use():
    assert {*FRONT} - {name.split(".")[1] for file in FILES for name in names_of(file) if "." in name} == set()


PAGE = """Call `toysearch.index.lists.gaps`, not `labs.gaps`.
```python
>>> import toysearch
>>> toysearch.model
toysearch.base.X
```
"""


@pytest.mark.parametrize(
    ("read", "text", "refused"),
    [
        (of_code, "from toysearch.study import rejudge", ["toysearch.study.rejudge"]),
        (of_code, "if fast:\n    import toysearch.index as index", ["toysearch.index"]),
        (
            of_code,
            "import toysearch\ntoysearch.retrieval.fusion.fuse(runs)",
            ["toysearch.retrieval", "toysearch.retrieval.fusion"],
        ),
        (
            of_code,
            "from toysearch import labs, study\nlabs.nonsense()",
            ["toysearch.study", "toysearch.labs.nonsense"],
        ),
        (of_code, "%pip install toysearch\nfrom toysearch import Index, labs\nlabs.check('1.1', Index.build)", []),
        (of_code, "from toysearch.tiny import Index\nfrom toysearch.labs import zipf", []),
        (of_page, PAGE, ["toysearch.index.lists.gaps"]),
        (of_prose, "see /toysearch.index.py, `toysearch.toml`", ["toysearch.toml"]),
    ],
)
def test_what_is_refused(read, text, refused):
    assert {*refused} <= {name for name in read(text) if not is_public(name)} or not refused
    assert bool(refused) == any(not is_public(name) for name in read(text))
