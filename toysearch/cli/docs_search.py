"""The search of the documentation: its sections as documents, ranked by the engine, in the shell and on the site."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from textwrap import shorten
from typing import Any, NamedTuple

import click

import toysearch
from toysearch.base import ArgumentError, Column, Marked, ToysearchError, collected_notes, groups_of
from toysearch.base.elsewhere import here
from toysearch.base.platform import cache_folder
from toysearch.cli.commands import LazyGroup
from toysearch.cli.docs_pages import anchor_of, pages, root, sections
from toysearch.cli.output import emit
from toysearch.files import replacing
from toysearch.retrieval.snippets import snippet

FIELDS = ["title", "purpose", "text", "name"]
MODEL = "bm25f:title=5,purpose=3,text=1,name=20,b_text=0.6,b_title=0.3,b_purpose=0.1,b_name=0,k1=4"
"""Titles and purposes are short, so their length says little; whoever asks by a whole name wants what bears it."""

OF_NAMES = ("commands", "measures", "models")
"""Pages whose sections come first if their name is all that is asked."""

Section = dict[str, str]
"""A section of a page: its doc_id, title, purpose, text, names, page and label."""


def documents(command: click.Command) -> list[Section]:
    """Return each section of each page: its title, its text, and the purpose of its page, a row of the overview.

    command : the one with all commands below it, of which each is a section with its line of help
    """
    purposes: dict[str, str] = {}
    for row in re.findall(r"^\|.*\|$", (root() / "README.md").read_text(encoding="utf-8"), re.MULTILINE):
        for file, anchor, reference in re.findall(r"\([\w-]+/([\w-]+)\.md(#[\w-]+)?\)|`toysearch docs (\w+)`", row):
            purposes[file + anchor or reference] = plain_text(row)
    typed = tomllib.loads(Path(__file__).with_name("docs_words.toml").read_text(encoding="utf-8"))
    lines = command.lines if isinstance(command, LazyGroup) else {}
    briefly = "".join(f"## toysearch {name}\n{line}\n" for name, line in lines.items())
    theirs = _names_elsewhere()
    found = []
    for page, content in pages(command).items():
        parts = sections(f"# Commands\n{briefly}" if page == "commands" else content.text())
        of_page = f"{content.title()} {page} {purposes.get(page, '')} {typed.get(page, '')}"
        for place, (anchor, section) in enumerate(parts.items()):
            title, text = plain_text(section.heading), plain_text(section.text)
            doc_id, label = (f"{page}#{anchor}", f"{content.title()}: {title}") if place else (page, title)
            purpose = f"{of_page} {purposes.get(doc_id, '') if place else ''}"
            others = theirs.get(doc_id, [])
            names = " ".join(map(_name, [title, title.removeprefix("toysearch "), *others] * (1 + (page in OF_NAMES))))
            parts_of_it = {"title": title, "purpose": purpose, "text": "\n".join([text, *others]), "name": names}
            found.append({"doc_id": doc_id, **parts_of_it, "page": page, "label": label})
    return found


def _names_elsewhere() -> dict[str, list[str]]:
    """Section of a measure or a model → its names in other tools."""
    pairs = ((f"{kind}s", *pair) for kind in ("measure", "model") for pair in here(kind).items())
    return groups_of((f"{page}#{anchor_of(re.split('[(:]', ours)[0])}", name) for page, name, ours in pairs)


def plain_text(text: str) -> str:
    """Return a text without the marks of Markdown."""
    text = re.sub(r"^(```\S*|<.*>|---|orphan: true)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|(?: *:?-+:? *\|)+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*|]|^\W*---\W*$", " ", text, flags=re.MULTILINE).strip()


def searcher_of(documents: list[Section], folder: Path | None = None) -> toysearch.Searcher:
    """Return the ranker of sections; folder : where its index is saved."""
    analyzer = toysearch.Analyzer.for_language("english", stop="snowball", tokens="word1")
    indexed = [{name: one[name] for name in ("doc_id", "page", *FIELDS)} for one in documents]
    index = toysearch.Index.build(indexed, analyzer, fields=FIELDS, values=["page"], folder=folder)
    return toysearch.Searcher(index, MODEL)


def _kept(command: click.Command) -> tuple[list[Section], toysearch.Searcher]:
    """Return the sections and their ranker, from the user's cache if it has them as they are."""
    folder = cache_folder() / f"docs-{_state_of_pages()}"
    listed = folder.with_suffix(".json")
    with suppress(OSError, ToysearchError, ValueError):
        return json.loads(listed.read_text(encoding="utf-8")), toysearch.Searcher(toysearch.Index.open(folder), MODEL)
    made = documents(command)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for old in folder.parent.glob("docs-*"):
            if old.is_dir():
                rmtree(old, ignore_errors=True)
            else:
                old.unlink()
        searcher = searcher_of(made, folder)
        with replacing(listed) as file:
            json.dump(made, file)
    except (OSError, ToysearchError):
        searcher = searcher_of(made)
    return made, searcher


def _state_of_pages() -> str:
    """Digest the names, sizes and times of the files that pages are made of: texts, and the package for the others."""
    files = (path for folder in (root(), Path(toysearch.__file__).parent) for path in folder.rglob("*"))
    made_of = ((str(path), path.stat()) for path in files if path.suffix in (".md", ".py", ".toml"))
    stats = sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in made_of)
    return hashlib.sha256(repr(stats).encode()).hexdigest()[:16]


def words_of(question: str) -> str:
    """Return the words of a question, which has no signs of the query language, and all of them as a name.

    >>> words_of("search --facets")
    'search facets _search_facets_'
    """
    return " ".join([*re.findall(r"\w+", question.lower()), _name(question)])


def _name(text: str) -> str:
    """Return a whole text as one word, which no text has and no stemmer shortens."""
    return "_" + "_".join(re.findall(r"\w+", text.lower())) + "_"


class FoundSection(NamedTuple):
    """Section that answers: the name by which `toysearch docs` prints it, its title, and a passage of it."""

    name: str
    title: str
    passage: Marked
    score: float


def find_sections(question: str, command: click.Command) -> list[FoundSection]:
    """Find the best section of each of five pages, with its passage.

    command : the one with all commands below it
    """
    made, searcher = _kept(command)
    by_name = {section["doc_id"]: section for section in made}
    with collected_notes():  # of a name that no section has
        ranking = searcher.search(words_of(question), 5, group_by="page")
    analyzer = searcher.index.analyzer
    terms = {term for term in analyzer(question) if term in searcher.index}
    found = []
    for hit in ranking:
        section = by_name[hit.doc_id]
        passage = Marked(*snippet(section["text"], terms, analyzer))
        if terms <= {*analyzer(section["title"])}:  # it is about nothing else
            passage = Marked(beginning(section["text"]), ())
        found.append(FoundSection(hit.doc_id, section["label"], passage, hit.score))
    return found


def beginning(text: str) -> str:
    """Return the first words of a section."""
    return shorten(text, 160, placeholder=" …")


def show_found(question: str, command: click.Command, form: str) -> None:
    """Print the best section of each of five pages, with its passage and the command that prints it.

    command : the one with all commands below it
    form : one of the forms of output
    """
    found = find_sections(question, command)
    if not found:
        raise ArgumentError(f"no page has a word of '{question}'; toysearch docs lists the pages")
    if form == "table":
        lines: list[Any] = []
        for one in found:
            lines += [f"toysearch docs {one.name}", one.title, one.passage, ""]
        emit([Column("name", " ", wrap=True)], [[line] for line in lines[:-1]], form)
    else:
        columns = [Column("name"), Column("title"), Column("passage"), Column("score")]
        emit(columns, [(one.name, one.title, str(one.passage), one.score) for one in found], form)
