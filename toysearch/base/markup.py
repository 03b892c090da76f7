"""Elements of markup that decide which text a reader sees of a page, and where its words end."""

from __future__ import annotations

INLINE = frozenset(
    "a abbr acronym b bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong "  # noqa: SIM905
    "sub sup tt u var".split()
)
"""Tags that may stand inside a word; any other tag separates words."""

WITHIN_WORDS = INLINE | {"bdi", "data", "img", "label", "time", "wbr"}
"""Tags that may stand inside a word in HTML, which has some more."""

UNSEEN = ("script", "style", "template", "noscript")
"""Elements of HTML whose content a browser does not show."""
