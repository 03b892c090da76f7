"""Tree of an HTML page, made in time that grows with its length, whatever it holds."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from bs4.element import Tag

# A section is a comment to a browser, <![if !IE]>, and may end a comment: <!--[if gte mso 9]>…<![endif]-->
_ODD_SECTION = re.compile(r"(?P<comment><!--.*?(?:-->|\Z))|<!\[(?!CDATA\[)[^>]*>?", re.DOTALL)
_CLOSING = {"<!--": r"--\s*>", "<![CDATA[": r"\]\s*\]\s*>", "<": ">"}
"""What begins markup → the pattern of its end."""


class PageTree(BeautifulSoup):
    """Tree of a page by the parser of Python."""

    def __init__(self, html: str) -> None:
        # The parser loses an ampersand at the very end, and some versions refuse such sections.
        super().__init__(_closed(_ODD_SECTION.sub(r"\g<comment>", html)) + "\n", "html.parser")

    def _linkage_fixer(self, el: Tag) -> None:
        """Do nothing: it mends elements that are inserted, and walks through all parents of each text."""


def _closed(html: str) -> str:
    """Make text of what begins as markup and never ends, as the parser does, which reads to the end from each."""
    for opening, closing in _CLOSING.items():
        end = max((found.end() for found in re.finditer(closing, html)), default=0)
        html = html[:end] + html[end:].replace(opening, f"&lt;{opening[1:]}")
    return html
