"""The slides of docs/slides as HTML: one file per topic, which needs no other file and prints one slide per page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

STYLE = Path(__file__).with_name("slides.css")
SCRIPT = Path(__file__).with_name("slides.js")
LINK = re.compile(r"\]\((\.\./)?([\w/-]+)\.md(#[\w-]+)?\)")
"""A link to a page of the documentation, or to another topic."""


def deck(text: str, formula: Callable[[str], str]) -> str:
    """The slides of a topic: Markdown with a line `---` between slides, and formulas in blocks named `math`."""

    def block(renderer: Any, tokens: Sequence[Token], index: int, *_: Any) -> str:
        content = tokens[index].content
        return formula(content) if tokens[index].info == "math" else f'<pre tabindex="0">{escape(content)}</pre>\n'

    markdown = MarkdownIt("commonmark", {"xhtmlOut": True}).enable("table")
    markdown.add_render_rule("fence", block)
    linked = LINK.sub(lambda link: f"]({'../docs/' if link[1] else ''}{link[2]}.html{link[3] or ''})", text)
    slides = re.split(r"^---$", linked, flags=re.MULTILINE)
    sections = "".join(
        f'<section aria-label="{number} of {len(slides)}">\n{markdown.render(slide)}</section>\n'
        for number, slide in enumerate(slides, 1)
    )
    title = escape(text.partition("\n")[0].removeprefix("# "))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        f"<title>{title}</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{sections}</main>\n<script>\n{SCRIPT.read_text(encoding='utf-8')}</script>\n</body>\n</html>\n"
    )
