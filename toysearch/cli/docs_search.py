"""The search of the documentation: its sections as documents, ranked by the engine, in the shell and on the site."""

from __future__ import annotations

import re
from typing import Any

import click

import toysearch
from toysearch.base import ArgumentError, Column, collected_notes
from toysearch.cli.commands import LazyGroup
from toysearch.cli.docs_pages import pages, root, sections
from toysearch.cli.output import emit
from toysearch.search import TypedQuery, tell_spelling
from toysearch.study.search_result import passages

ANALYZER = "english:stop=snowball"
MODEL = "bm25f:title=4,purpose=2,text=1,b_title=0.3,b_purpose=0.3"
"""Titles and purposes are short, so their length says little."""


def documents(command: click.Command) -> list[dict[str, str]]:
    """Return each section of each page: its title and text, and the purpose of its page, a row of the overview.

    command : the one with all commands below it, of which each is a section with its line of help
    """
    purposes: dict[str, str] = {}
    for row in re.findall(r"^\|.*\|$", (root() / "README.md").read_text(encoding="utf-8"), re.MULTILINE):
        for file, reference in re.findall(r"\([\w-]+/([\w-]+)\.md\)|`toysearch docs (\w+)`", row):
            purposes[file or reference] = plain_text(row)
    lines = command.lines if isinstance(command, LazyGroup) else {}
    briefly = "".join(f"## toysearch {name}\n{line}\n" for name, line in lines.items())
    entries = []
    for name, page in pages(command).items():
        parts = sections(f"# Commands\n{briefly}" if name == "commands" else page.text())
        purpose = f"{page.title()} {name} {purposes.get(name, '')}"
        for place, (anchor, section) in enumerate(parts.items()):
            title, text = plain_text(section.heading), plain_text(section.text)
            names = (f"{name}#{anchor}", f"{page.title()}: {title}") if place else (name, title)
            entries.append(
                {"doc_id": names[0], "title": title, "purpose": purpose, "text": text, "page": name, "label": names[1]}
            )
    return entries


def plain_text(text: str) -> str:
    """Return a text without the marks of Markdown."""
    text = re.sub(r"^(```\S*|<.*>|---|orphan: true)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|(?: *:?-+:? *\|)+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*|]|^\W*---\W*$", " ", text, flags=re.MULTILINE).strip()


def searcher_of(sections: list[dict[str, str]]) -> toysearch.Searcher:
    """Return the ranker of sections; a word counts more in a title or a purpose."""
    fields = ["title", "purpose", "text"]
    return toysearch.Searcher(toysearch.Index.build(sections, ANALYZER, fields=fields, keywords=["page"]), MODEL)


def best_sections(searcher: toysearch.Searcher, words: str, k: int = 5) -> toysearch.Ranking:
    """Rank the pages by the best section of each."""
    return searcher.search(words, k, query_mode="plain", group_by="page")


def show_found(words: str, command: click.Command) -> None:
    """Print the best section of each of five pages, with its passage."""
    sections = documents(command)
    searcher, labels = searcher_of(sections), {section["doc_id"]: section["label"] for section in sections}
    typed = tell_spelling(searcher.index, TypedQuery(words), correct=True)
    with collected_notes():
        ranking = best_sections(searcher, typed.text)
    if not len(ranking):
        raise ArgumentError(f"no page has a word of '{words}'; toysearch docs lists the pages")
    terms = typed.marked_terms(searcher.index)
    rows: list[list[Any]] = []
    for hit in ranking:
        passage = passages(searcher.index, terms, hit.doc_id)[1]
        rows += [[f"toysearch docs {hit.doc_id}"], [labels[hit.doc_id]], [passage], [""]]
    emit([Column("page", " ", wrap=True)], rows[:-1], "table")
