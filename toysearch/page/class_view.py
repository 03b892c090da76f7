"""Address that a lecturer gives to a class: who opens it may search and compare, and change nothing."""

from __future__ import annotations

from toysearch.base import ArgumentError
from toysearch.page.access import class_token
from toysearch.page.model_picker import Asked, Models
from toysearch.page.reply import Reply
from toysearch.page.served_source import ServedSource


def classroom(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Show the address for a class."""
    if not source.class_link:
        raise ArgumentError(
            "only this computer can open this page; for a class, start it with `toysearch serve --host 0.0.0.0`"
        )
    data = {"source": source.typed, "link": source.class_link, "views": ["search", "compare"], "notes": []}
    return Reply("class.html", f"{source.typed} for a class", data, address=f"/{source.name}/class")


def class_link(source: ServedSource, place: str, token: str) -> str:
    """Return the address by which a class reads a source, where the page has a token; `place` is host and port."""
    return f"http://{place}/{source.name}/search?token={class_token(token)}"
