"""`toysearch docs`: every page is listed and printed, and messages name pages that are there."""

from __future__ import annotations

import re
from functools import partial

import shell
from conftest import ROOT

PAGES = {path.stem: path for path in (ROOT / "docs").glob("*/*.md")}


run = partial(shell.run, "docs")


def test_every_page_is_listed_with_its_title_under_its_folder():
    listed, folder = {}, ""
    for line in run().stdout.splitlines():
        if line.startswith("  "):
            name, title = line.split(None, 1)
            listed[name] = (folder, title)
        elif line:
            folder = line.partition(":")[0]
    titles = {name: path.read_text(encoding="utf-8").splitlines()[0] for name, path in PAGES.items()}
    assert listed == {name: (path.parent.name, titles[name].removeprefix("# ")) for name, path in PAGES.items()}
    assert len(PAGES) == len([*(ROOT / "docs").glob("*/*.md")]), "two pages have one name"


def test_a_page_is_printed_as_it_is():
    for name in ("models", "models.md"):
        assert run(name).stdout == PAGES["models"].read_text(encoding="utf-8")


def test_an_unknown_page():
    result = run("modells")
    assert result.exit_code == 2
    assert "unknown page 'modells'; did you mean 'models'?" in result.stderr


def test_messages_and_help_name_pages_that_a_user_of_the_wheel_has():
    for path in (ROOT / "toysearch").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"`toysearch docs ([a-z-]+)`", text)) <= set(PAGES), path
    for folder in ("cli", "formats", "laboratory/corpus_check"):
        for path in (ROOT / "toysearch" / folder).rglob("*.py"):
            assert not re.search(r"docs/[a-z/-]+\.md", path.read_text(encoding="utf-8")), path
