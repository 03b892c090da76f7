"""Elements of markup that decide which text a reader sees of a page, and where its words end."""

from __future__ import annotations

import re

INLINE = frozenset(
    "a abbr acronym b bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong "  # noqa: SIM905
    "sub sup tt u var".split()
)
"""Tags that may stand inside a word; any other tag separates words."""

WITHIN_WORDS = INLINE | {"bdi", "data", "img", "label", "time", "wbr"}
"""Tags that may stand inside a word in HTML, which has some more."""

UNSEEN = ("script", "style", "template", "noscript")
"""Elements of HTML whose content a browser does not show."""

# As in HTML, an unclosed comment or element that is not seen extends to the end of the text.
_UNSEEN = rf"(?is)<!--(?:.*?-->|.*)|<({'|'.join(UNSEEN)})\b[^<>]*>(?:.*?</\1\b[^<>]*>|.*)"
_INLINE = rf"(?i)</?(?:{'|'.join(sorted(WITHIN_WORDS))})(?=[\s/>])[^<>]*>"
_TAG = r"<(?:/?[A-Za-z]|[!?])[^<>]*>"


def without_html(text: str) -> str:
    """Return the visible text of HTML: tags and comments removed, entities decoded."""
    # Inline tags (`<b>`, `<sub>`, `<span>` …) leave nothing, all other tags (`<p>`, `<br>`, `<td>` …) a blank.
    # Comments, scripts, style sheets, templates and `<noscript>` are removed with their content. A `<` that does not
    # start a tag stays, and so does a tag written with entities: `&lt;b&gt;` is the text `<b>`.
    if "<" in text:
        text = re.sub(_TAG, " ", re.sub(_INLINE, "", re.sub(_UNSEEN, " ", text)))
    from html import unescape  # with a table of all entities

    return unescape(text)


_BLOCKS = frozenset("article blockquote div h1 h2 h3 h4 h5 h6 html li ol p pre section table td th tr ul".split())  # noqa: SIM905
_VOID = {"br", "hr", "img"}


def is_html(text: str) -> bool:
    """True if a text has an element of HTML with both of its tags, or one that has no content.

    >>> [is_html(text) for text in ("<p>A <b>pot</b></p>", "a pot<br/>", "List<a>", "1 <b and c> 2", "<p> is a tag")]
    [True, True, False, False, False]
    """
    if "<" not in text:
        return False
    opened, closed = ({*re.findall(rf"(?a)<{mark}(\w+)(?=[\s/>])", text.lower())} for mark in ("", "/"))
    return not (opened & closed).isdisjoint(_BLOCKS | WITHIN_WORDS) or not opened.isdisjoint(_VOID)
