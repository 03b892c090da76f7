"""The word list of CONTRIBUTING.md: the documentation, the help and the messages keep to it."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES += sorted((ROOT / "corpora").glob("*/README.md"))
LIST = re.compile(r"^<!-- word list -->$.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
JOINT = re.compile(r"""["']\s*\n\s*[rfb]*["']""")
"""Where a string goes on in the next line."""
ROW = re.compile(r"^\| (.+?) \| (.+?) \|$", re.MULTILINE)


@functools.cache
def avoided() -> dict[str, str]:
    """What the list checks, the phrases between backticks, with what to write instead."""
    table = LIST.search((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert table is not None
    return {phrase: better for cell, better in ROW.findall(table[0]) for phrase in re.findall("`(.+?)`", cell)}


def found_in(text: str, phrases: dict[str, str]) -> Iterator[str]:
    """A sentence for each phrase of the list that a text has, whatever its line ends and its capitals."""
    flat = " ".join(text.split())
    low = flat.lower()
    for phrase, better in phrases.items():
        if phrase.lower() in low and (place := re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", flat, re.IGNORECASE)):
            near = flat[max(0, place.start() - 30) : place.end() + 30]
            yield f"{phrase!r} in {near!r}; write: {better}"


def messages(source: str) -> Iterator[str]:
    """The texts of a module that a user may see: its strings, and the docstrings of what is public."""
    tree = ast.parse(source)
    hidden = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)} - {*map(id, shown(tree))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.value


def shown(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> Iterator[ast.expr]:
    """The docstrings of a module, of its public functions and classes, and of their public methods."""
    if node.body and isinstance(node.body[0], ast.Expr):
        yield node.body[0].value
    for inner in node.body if not isinstance(node, ast.FunctionDef) else ():
        if isinstance(inner, ast.ClassDef | ast.FunctionDef) and not inner.name.startswith("_"):
            yield from shown(inner)


def avoided_in(source: str) -> dict[str, str]:
    """The phrases of the list that a source holds anywhere, in strings that several lines hold too."""
    flat = " ".join(JOINT.sub("", source).replace("\\n", " ").split()).lower()
    return {phrase: better for phrase, better in avoided().items() if phrase.lower() in flat}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_documentation_and_the_help_keep_to_the_word_list(page: Path):
    assert list(found_in(LIST.sub("", page.read_text(encoding="utf-8")), avoided())) == []


@pytest.mark.parametrize(
    "folder",
    sorted({path.parent for path in (ROOT / "toysearch").rglob("*.py")}),
    ids=lambda folder: folder.relative_to(ROOT).as_posix(),
)
def test_the_messages_keep_to_the_word_list(folder: Path):
    found = []
    for path in folder.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        phrases = avoided_in(source)
        texts = messages(source) if phrases else ()  # a module takes long to parse
        found += [f"{path.name}: {sentence}" for text in texts for sentence in found_in(text, phrases)]
    assert found == []


def test_a_phrase_of_the_list_is_found():
    phrases = {"that is none": "that is not one"}
    assert len(list(found_in("A file That is\n  none.", phrases))) == 1
    assert list(found_in("A file that is nonempty.", phrases)) == []
    assert list(messages('raise E("that is none", f"{x} is")\n')) == ["that is none", " is"]
    public = 'class A:\n    "A."\n    def b(): "B."\n    def _c(): "C."\ndef d():\n    "D."\n    def e(): "E."\n'
    assert list(messages(f'"Module."\n{public}')) == ["Module.", "A.", "D.", "B."]
    assert "that is none" in avoided_in('raise E(\n    f"{x} that "\n    f"is none"\n)')
    assert len(avoided()) >= 30
