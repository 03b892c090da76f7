"""The documentation's console blocks are run, and its list of commands is what the commands say of themselves."""

from __future__ import annotations

import ast
import builtins
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT, loaded
from lengths import by_hand, exhaustive
from shell import alone, typed

import toysearch

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FIRST_READ = {"README.md", "collections.md", "evaluation.md", "measures.md", "first-search.md"}
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^\$ .*\n(?:>(?: .*)?\n)*", re.MULTILINE)
OUTSIDE = re.compile(r"\b(cranfield|cisi|scifact)\b")


def run(command: str, folder: Path, environment: dict[str, str] | None = None, before: Sequence[str] = ()) -> str:
    """What a terminal of 80 columns would show, were it a pipe; `before` is put before the shell."""
    if environment is None and not before and alone(command):
        return typed(command, folder).output
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [*before, "sh", "-c", command],
        cwd=folder,
        env={**(environment or own), "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return done.stdout


def command_of(lines: str) -> str:
    """The command typed after the prompt `$`, with its further lines after the prompt `>`."""
    return "\n".join(line[2:] for line in lines.splitlines())


def without_seconds(text: str) -> str:
    """What is printed, without how long it took and how large a page is, which its libraries decide."""
    return re.sub(r"\.html: (.*) \([\d.]+ [kM]B\)", r".html: \1 (…)", re.sub(r"\d+\.\d+ s\b", "… s", text))


SLOW = {"report.md", "is-my-tweak-better.md", "test-robustness.md", "run-a-competition.md", "grade.md"}
SOME = [
    page if page.name in FIRST_READ else pytest.param(page, marks=by_hand if page.name in SLOW else exhaustive)
    for page in PAGES
]


def shown_path(page: Path) -> str:
    """A page as the tests name it: its path in the project."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", SOME, ids=shown_path)
def test_what_the_page_shows_is_what_is_printed(page, tmp_path, request):
    """TOYSEARCH_GOLDEN=write puts what is printed now into the page: read the diff."""
    writing = os.environ.get("TOYSEARCH_GOLDEN") == "write"
    if page.name == "teach.md" and not writing:
        pytest.skip("tests/system/test_teaching.py runs it where there is no network")
    text = page.read_text(encoding="utf-8")
    shown = []
    for block in BLOCK.finditer(text):
        if OUTSIDE.search(block[1]):
            request.getfixturevalue("corpora")
        typed_lines = [found[0] for found in TYPED.finditer(block[1])]
        printed = "".join(f"{lines}{run(command_of(lines), tmp_path)}" for lines in typed_lines)
        shown.append((block[1], printed))
    if writing:
        for before, after in shown:
            if without_seconds(before) != without_seconds(after):
                text = text.replace(f"```console\n{before}```", f"```console\n{after}```")
        page.write_text(text, encoding="utf-8")
        return
    for expected, printed in shown:
        assert without_seconds(printed) == without_seconds(expected)


@pytest.mark.parametrize("maker", ["make_commands", "make_measures", "make_python"])
def test_a_page_that_is_made_is_current(maker):
    module = loaded(ROOT / "docs" / f"{maker}.py")
    assert module.page() == module.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "models.md"])
def test_the_tables_of_models_are_current_and_have_all(name):
    module = loaded(ROOT / "docs" / "make_models.py")
    [path] = [path for path in module.PAGES if path.name == name]
    text = path.read_text(encoding="utf-8")
    assert module.page(text) == text
    tables = "".join(found[0] for found in module.TABLE.finditer(text))
    assert [model for model in module.MODELS if f"`{model}`" not in tables] == []


READMES = sorted([*ROOT.glob("[AC]*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("corpora/*/README.md")])


def anchors(page: Path) -> set[str]:
    """The fragments of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", sorted({*PAGES, *READMES}), ids=shown_path)
def test_links_inside_the_documentation_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            file = page.parent / target if target else page
            assert file.exists(), target
            assert not anchor or anchor in anchors(file), f"{target}#{anchor}"


def test_the_gallery_has_thirty_examples_that_stand_alone_and_use_every_name():
    text = (ROOT / "docs" / "look-up" / "gallery.md").read_text(encoding="utf-8")
    used = set()
    for title, block in (
        examples := re.findall(r"^### (.*?)\n.*?^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ):
        code = "\n".join(line[4:] for line in block.splitlines() if line.startswith((">>>", "...")))
        nodes = list(ast.walk(ast.parse(code)))
        loaded_names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ExceptHandler | ast.alias)}
        assert loaded_names - bound - set(dir(builtins)) == set(), title
        used |= set(re.findall(r"\btoysearch\.(\w+)", code))
    assert len(examples) == text.count("\n### ") == 30
    assert used == set(toysearch.__all__)


def test_the_overview_links_to_every_page():
    overview = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").glob("*/*.md")]
    assert [page for page in pages if f"]({page})" not in overview] == []
