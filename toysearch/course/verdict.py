"""What a check says: right, or what is wrong and where to look; as text on a terminal, as HTML in a notebook."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from toysearch.course.verdict_display import display_once

_SIGNS = {"right": "✓", "wrong": "✗", "refused": "✗", "unanswered": "·", "noted": "·"}
_COLOURS = {"right": "#009E73", "wrong": "#D55E00", "refused": "#D55E00"}
_GREY = "#777777"


@dataclass(frozen=True, repr=False)
class Verdict:
    """What is thought of one answer."""

    # number, title: of the exercise
    number: str
    title: str
    # "right" | "wrong" | "refused" | "unanswered" | "noted": refused is an answer of the wrong kind; noted is one that
    # somebody else will judge
    state: str
    sentences: tuple[str, ...]  # what there is to say
    points: int  # what the exercise is worth

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == "right"

    @property
    def score(self) -> int:
        """The points that were earned."""
        return self.points if self.passed else 0

    def __repr__(self) -> str:
        return text_panel(f"{_SIGNS[self.state]} {self.number} {self.title}", self.sentences)

    def _repr_html_(self) -> str:
        heading = f"{_SIGNS[self.state]} {self.number} {self.title}"
        return html_panel(heading, self.sentences, _COLOURS.get(self.state, _GREY))

    def _ipython_display_(self) -> None:
        display_once(self)


@dataclass(frozen=True, repr=False)
class Notice:
    """A heading and a few sentences, for people."""

    heading: str  # in bold where there is such a thing
    sentences: tuple[str, ...]  # a paragraph each

    def __repr__(self) -> str:
        return text_panel(self.heading, self.sentences)

    def _repr_html_(self) -> str:
        return html_panel(self.heading, self.sentences, _GREY)

    def _ipython_display_(self) -> None:
        display_once(self)


class Waiting(Exception):
    """A cell that cannot run before an exercise is answered; its message says which."""


def text_panel(heading: str, sentences: Sequence[str]) -> str:
    """A heading, and sentences below it, wrapped and indented."""
    paragraphs = (textwrap.fill(each, 80, initial_indent="  ", subsequent_indent="  ") for each in sentences)
    return "\n".join([heading, *paragraphs])


def html_panel(heading: str, sentences: Sequence[str], colour: str) -> str:
    """The same for a notebook, with a coloured edge."""
    lines = [f"<strong>{html.escape(heading)}</strong>", *map(html.escape, sentences)]
    return f'<div style="border-left: 4px solid {colour}; padding: 0.2em 0.8em">{"<br>".join(lines)}</div>'
