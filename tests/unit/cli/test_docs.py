"""`toysearch docs`: every page is listed and printed, and messages name pages that are there."""

import re
from functools import partial
from pathlib import Path

import pytest
import shell
import terminals
from conftest import ROOT
from tiers import EVERYTHING, longer

from toysearch.cli import docs_search, main
from toysearch.cli.docs import docs_command as command
from toysearch.cli.reference_pages import written_pages

pytestmark = pytest.mark.system

FILES = {path.stem: path for path in (ROOT / "docs").glob("*/*.md")}
REGISTRIES = written_pages(main.command)


run = partial(shell.run, "docs")


def test_every_page_is_listed_with_its_title_under_its_folder():
    listed, folder = {}, ""
    for line in run().stdout.splitlines():
        if line.startswith("  "):
            name, title = line.split(None, 1)
            listed[name] = (folder, title)
        elif line:
            folder = line.partition(":")[0]
    titles = {name: path.read_text(encoding="utf-8").splitlines()[0] for name, path in FILES.items()}
    files = {name: (path.parent.name, titles[name].removeprefix("# ")) for name, path in FILES.items()}
    labs = {name: one for name, one in listed.items() if one[0] == "labs"}
    assert len(labs) == 14
    assert listed == files | labs | {name: ("look-up", title) for name, (title, _) in REGISTRIES.items()}


def test_a_page_is_printed_as_it_is():
    for name in ("results", "results.md"):
        assert run(name).stdout == FILES["results"].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REGISTRIES)
def test_a_page_of_a_registry_is_what_the_registry_writes(name):
    assert run(name).stdout == run(f"{name}.md").stdout == REGISTRIES[name][1]()


@pytest.mark.parametrize("section", ["measures#ap", "models#bm25", "commands#toysearch-eval", "python#in-front"])
def test_a_section_of_a_registry_is_printed(section):
    name, _, anchor = section.partition("#")
    shown = run(section).stdout
    assert shown.partition("\n")[0].lstrip("# ").lower().replace(" ", "-") == anchor
    assert shown in REGISTRIES[name][1]()


def test_a_terminal_shows_a_page_of_a_registry(monkeypatch):
    shown = on_a_terminal(monkeypatch, "models", 10_000)[0]
    assert "toysearch docs write-a-model" in " ".join(shown.split())
    assert not re.search(r"^#|\]\(|^\|", shown, re.MULTILINE)


_CODES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")  # of colours and of links


def on_a_terminal(monkeypatch, page: str, lines: int, columns: int = 60) -> tuple[str, str]:
    """What a terminal of so many lines shows of a page at once, and what in the pager, without colours."""
    stream, paged = terminals.on_terminal(monkeypatch), []
    monkeypatch.setenv("LINES", str(lines))
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("click.echo_via_pager", lambda text, color: paged.append(text))
    command.main([page], standalone_mode=False)
    at_once, later = (_CODES.sub("", text) for text in (stream.getvalue(), "".join(paged)))
    return at_once, later


def test_a_terminal_shows_a_page_with_its_headings_tables_and_links(monkeypatch):
    at_once, paged = on_a_terminal(monkeypatch, "expand-queries", 10_000)
    assert paged == ""
    assert not re.search(r"^#|\]\(|^\|", at_once, re.MULTILINE)
    assert max(map(len, at_once.splitlines())) <= 60
    assert on_a_terminal(monkeypatch, "expand-queries", 24) == ("", at_once)


@longer
def test_each_link_to_a_page_names_a_command_that_prints_it(monkeypatch):
    linked_pages = [name for name, page in FILES.items() if "](" in prose(page)]
    for name in linked_pages if EVERYTHING else linked_pages[::10]:
        shown = " ".join(on_a_terminal(monkeypatch, name, 10_000, 1_000)[0].split())
        named = set(re.findall(r"\(toysearch docs ([\w-]+)(#[\w-]+)?\)", shown))
        links = re.findall(r"\]\((?!http)([^)#]+)(#[^)]*)?", prose(FILES[name]))
        assert {(Path(target).stem, anchor) for target, anchor in links if Path(target).stem in FILES} <= named
        for page, anchor in named:
            assert run(f"{page}{anchor}").exit_code == 0, f"{page}{anchor}"


def test_a_section_ends_at_the_next_heading_of_its_level():
    ties, whole = run("evaluation#ties").stdout, run("evaluation").stdout
    assert re.match(r"#+ Ties\n", ties)
    assert f"\n{ties}" in whole
    assert run("compare#no-such").stderr.splitlines()[-1].startswith("toysearch: unknown section 'no-such'")


def test_links_inside_a_page_are_its_words_without_an_address(monkeypatch):
    shown = on_a_terminal(monkeypatch, "grade", 10_000, 80)[0]
    assert "(#" not in shown
    assert "that Moodle or Canvas made" in " ".join(shown.split())


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_headings_that_repeat_are_numbered():
    first, second = run("results#cranfield").stdout, run("results#cranfield-1").stdout
    assert (first.partition("\n")[0], second.partition("\n")[0]) == ("## Cranfield", "### Cranfield")
    assert second.startswith(f"{'#' * 3} Cranfield\n")
    assert second not in first


def test_messages_and_help_name_pages_that_a_user_of_the_wheel_has():
    for folder in ("cli", "files", "study/corpus_check"):
        for path in (ROOT / "toysearch" / folder).rglob("*.py"):
            assert not re.search(r"docs/[a-z/-]+\.md", path.read_text(encoding="utf-8")), path


def test_sections_are_kept_until_a_page_changes(tmp_path, monkeypatch):
    made: list[int] = []
    documents = docs_search.documents
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(docs_search, "documents", lambda *given: made.append(1) or documents(*given))
    first = shell.done("docs", "synonyms of several words").stdout
    assert shell.done("docs", "synonyms of several words").stdout == first
    assert len(made) == 1
    [listed] = (tmp_path / "cache").glob("docs-*.json")
    listed.write_text('[{"doc_id": ')  # cut off
    assert shell.done("docs", "synonyms of several words").stdout == first
    monkeypatch.setattr(docs_search, "_state_of_pages", lambda: "changed")
    assert shell.done("docs", "synonyms of several words").stdout == first
    assert len(made) == 3
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["docs-changed", "docs-changed.json"]
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache" / "docs-changed.json" / "in a file"))
    assert shell.done("docs", "synonyms of several words").stdout == first
