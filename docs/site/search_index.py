"""The index of the search page: what static/search.js ranks by."""

from __future__ import annotations

import re
from typing import Any

import click
import numpy as np

from toysearch.cli import docs_pages, docs_search


def search_index(command: click.Command) -> dict[str, Any]:
    """What search.js ranks by: the postings of the sections, and the term of each word, empty for a stop word."""
    made = docs_search.documents(command)
    folders = {name: page.folder for name, page in docs_pages.pages(command).items()}
    searcher = docs_search.searcher_of(made)
    index, model = searcher.index, searcher.model.parameters
    texts = " ".join(one[field] for one in made for field in docs_search.FIELDS)
    words = {word: index.analyzer.term(word) or "" for word in dict.fromkeys(re.findall(r"\w+", texts.lower()))}
    postings = {}
    for term in sorted(set(words.values()) - {""}):
        number = np.array([index.term_number(term)])
        tf = [index.field_tf(field, number).tolist() for field in index.fields.names]
        postings[term] = [index.postings(term).docs.tolist(), *tf]
    lengths = {field: index.fields.dl(field) for field in index.fields.names}
    return {
        "documents": [
            [_address(one["doc_id"], folders), one["label"], docs_search.beginning(one["text"]), one["page"]]
            for one in made
        ],
        "fields": [[name, model[name], model[f"b_{name}"], dl.tolist(), dl.mean()] for name, dl in lengths.items()],
        "k1": model["k1"],
        "postings": postings,
        "words": words,
    }


def _address(doc_id: str, folders: dict[str, str]) -> str:
    """Where a section is on the site; a slide has no address of its own, and a lab is handed out as a notebook."""
    name, _, anchor = doc_id.partition("#")
    folder = folders[name]
    if folder == "labs":
        return "docs/do/teach.html#what-a-student-does"
    if folder == "slides":
        return f"slides/{name}.html"
    if name == "commands" and anchor:
        return f"docs/{folder}/{name}/{anchor}.html"
    return f"docs/{folder}/{name}.html{f'#{anchor}' if anchor else ''}"
