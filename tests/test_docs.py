"""The console blocks of the documentation are run, its links lead somewhere, and the registries write their pages."""

import functools
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT
from documented_lines import BLOCK, FOR_NEWCOMERS, NEEDING, PAGES, command_of, shown_parts, without_seconds
from shell import alone, every_command, typed
from tiers import exhaustive

import toysearch
from toysearch.base.rendering import FORMATS
from toysearch.cli import docs_pages, reference_pages
from toysearch.cli.main import GROUPS, command
from toysearch.evaluation.measures.measure import FAMILIES
from toysearch.models.calls import CALLS

pytestmark = pytest.mark.system

FIRST_READ = {"README.md", "collections.md", "evaluation.md", "first-search.md"}
OUTSIDE = re.compile(r"\b(cranfield|cisi|scifact)\b")


def run(
    command: str,
    folder: Path,
    environment: dict[str, str] | None = None,
    before: Sequence[str] = (),
    shown: str | None = None,
) -> str:
    """What a terminal of 80 columns would show, were it a pipe; `before` is put before the shell.

    shown : what a page shows of it: its output alone, or with its notes, in any order where a shell ran it
    """
    if environment is None and not before and alone(command):
        result = typed(command, folder)
        alike = shown is not None and without_seconds(result.stdout) == without_seconds(shown)
        return result.stdout if alike else result.output
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [*before, "sh", "-c", command],
        cwd=folder,
        env={**(environment or own), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    if shown is None:
        return done.stdout + done.stderr
    with_notes = sorted(without_seconds(done.stdout + done.stderr).splitlines())
    if sorted(without_seconds(shown).splitlines()) == with_notes:
        return shown
    return done.stdout if without_seconds(done.stdout) == without_seconds(shown) else done.stdout + done.stderr


SOME = [page if page.name in FIRST_READ else pytest.param(page, marks=exhaustive) for page in PAGES]


def shown_path(page: Path) -> str:
    """A page as the tests name it: its path in the project."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.waits
@pytest.mark.parametrize("page", SOME, ids=shown_path)
def test_what_the_page_shows_is_what_is_printed(page, tmp_path, request):
    """TOYSEARCH_GOLDEN=write puts what is printed now into the page: read the diff."""
    writing = os.environ.get("TOYSEARCH_GOLDEN") == "write"
    if page.name == "teach.md" and not writing:
        pytest.skip("tests/system/test_teaching.py runs it where there is no network")
    text = page.read_text(encoding="utf-8")
    compared = []
    for block in BLOCK.finditer(text):
        if OUTSIDE.search(block[1]):
            request.getfixturevalue("corpora")
        parts = shown_parts(block[1])
        printed = "".join(f"{lines}{run(command_of(lines), tmp_path, shown=shown)}" for lines, shown in parts)
        compared.append((block[1], printed))
    if writing:
        for before, after in compared:
            if without_seconds(before) != without_seconds(after):
                text = text.replace(f"```console\n{before}```", f"```console\n{after}```")
        page.write_text(text, encoding="utf-8")
        return
    for expected, printed in compared:
        assert without_seconds(printed) == without_seconds(expected)


def test_a_line_that_needs_an_extra_has_it_before_it_and_none_hides_its_notes():
    needing = []
    for page in FOR_NEWCOMERS:
        text = page.read_text(encoding="utf-8")
        assert "2>/dev/null" not in text, page
        for block in re.finditer(r"^```(?:console|text|sh)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            for extra, line in NEEDING.items():
                if re.search(rf"^\$ .*(?:{line})", block[1], re.MULTILINE):
                    needing.append(page.name)
                    assert re.search(rf"\[(?:\w+,)*{extra}(?:,\w+)*\]", text[: block.start()]), (page, block[1])
    assert len(needing) >= 8


def test_no_page_shows_a_temporary_folder():
    assert [page.name for page in PAGES if "pytest-of-" in page.read_text(encoding="utf-8")] == []


ELSEWHERE = {
    *("--no-index", "--find-links", "--no-cache-dir", "--force-reinstall", "--editable", "--upgrade"),  # pip
    *(
        "--install",
        "--update",
        "--rm",
        "--directory",
        "--inplace",
        "--prefix",
    ),  # wsl, podman, http.server, setup.py, npm
    *("--pyodide", "--check", "--checkout"),  # programs of this project
    *("--wmodel", "--limit", "--hits"),  # what users of another tool type
}


def test_an_option_that_the_documentation_names_exists():
    options = {
        option
        for _, command in every_command()
        for each in command.params
        for option in [*each.opts, *each.secondary_opts]
    }
    options |= {*ELSEWHERE, "--help", "--version", "--commands"} | {f"--{form}" for form in FORMATS}
    named = {
        (page.name, option)
        for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "notebooks" / "README.md"]
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", page.read_text(encoding="utf-8"))
    }
    assert [(page, option) for page, option in sorted(named) if option not in options] == []


def test_a_command_of_a_group_that_the_documentation_names_exists():
    names = {name for name, _ in every_command()}
    groups = {name.split()[0] for name in names if " " in name}
    named = {
        (page.name, f"{group} {word}")
        for page in PAGES
        for group, word in re.findall(r"\btoysearch ([a-z]+) ([a-z]+)\b", page.read_text(encoding="utf-8"))
        if group in groups
    }
    assert len(named) > 25
    assert [(page, name) for page, name in sorted(named) if name not in names] == []


def test_the_readme_says_what_to_use_by_commands_that_there_are():
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("| to | use |")[2].partition("\n\n")[0]
    used = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)", row.split("|")[2])}
    assert len(used) == 10
    assert sorted(used - {name.split()[0] for name, _ in every_command()}) == []


def test_the_readme_stays_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


WRITTEN = reference_pages.written_pages(command)
IN_THE_REGISTRIES = {
    "commands": lambda: ["toysearch", *(f"toysearch {name}" for lines in GROUPS.values() for name in lines)],
    "measures": lambda: [*toysearch.MEASURES, *FAMILIES.values()],
    "models": lambda: [*toysearch.MODELS, *CALLS],
    "python": lambda: ["In front", "Search", "In their modules", "retrieval"],
}


@pytest.mark.parametrize("name", IN_THE_REGISTRIES)
def test_a_page_of_a_registry_has_a_section_for_each_entry(name):
    title, write = WRITTEN[name]
    text = write()
    assert text.startswith(f"# {title}\n\n")
    assert [
        entry for entry in IN_THE_REGISTRIES[name]() if not re.search(rf"^##+ {re.escape(entry)}$", text, re.M)
    ] == []
    assert len(IN_THE_REGISTRIES) == len(WRITTEN)


def test_the_page_of_python_names_has_each_of_them():
    text = reference_pages.python_names()
    assert [name for name in toysearch.__all__ if f"| `{name}` |" not in text] == []
    behind = {name for module, names in reference_pages.modules() for name in names} - {*toysearch.__all__}
    assert [name for name in behind if f"`{name}`" not in text] == []


READMES = sorted([*ROOT.glob("[AC]*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("corpora/*/README.md")])


def anchors(page: Path) -> set[str]:
    """The fragments of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


COMMITTED = {path.stem: path for path in (ROOT / "docs").glob("*/*.md")}
NAMED = re.compile(r"`toysearch\s+docs\s+([A-Za-z][\w-]*)(?:#([\w-]+))?`")
"""How a text names a page of the terminal: the only way to one that a registry writes, which is no file."""


def misnamed(text: str) -> list[str]:
    """The pages and sections that a text names and that there are not."""
    return [f"{name}#{anchor}" for name, anchor in NAMED.findall(text) if not is_there(name, anchor)]


@functools.cache
def is_there(name: str, anchor: str) -> bool:
    if name in {"NAME", "PAGE", "WORDS"}:
        return True
    page = docs_pages.pages(command).get(name)
    return page is not None and (not anchor or anchor in docs_pages.sections(page.text()))


@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_of_a_registry_links_by_commands_alone(name):
    text = WRITTEN[name][1]()
    assert re.findall(r"\]\((?!https?:)[^)]*\)", text) == []
    assert misnamed(text) == []
    assert name not in COMMITTED


def test_the_package_names_pages_that_there_are():
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "toysearch").rglob("*.py")}
    assert {path: wrong for path, text in texts.items() if (wrong := misnamed(text))} == {}
    named = ("modells", "measures#ap", "measures#app", "TS1")
    assert misnamed(", ".join(f"`toysearch docs\n{name}`" for name in named)) == ["modells#", "measures#app", "TS1#"]


@pytest.mark.parametrize("page", sorted({*PAGES, *READMES}), ids=shown_path)
def test_links_inside_the_documentation_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            file = page.parent / target if target else page
            assert file.exists(), target
            assert not anchor or anchor in anchors(file), f"{target}#{anchor}"
    assert misnamed(page.read_text(encoding="utf-8")) == []


def test_the_overview_names_every_page():
    overview = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in COMMITTED.values()]
    assert [page for page in pages if f"]({page})" not in overview] == []
    assert [name for name in WRITTEN if f"`toysearch docs {name}`" not in overview] == []
    assert len(COMMITTED) == len([*(ROOT / "docs").glob("*/*.md")]), "two pages have one name"
