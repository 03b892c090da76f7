"""HTML pages and Markdown texts: the title, and the text as a reader sees it."""

from __future__ import annotations

import bs4
import pytest

from toysearch.errors import DataError
from toysearch.formats.folder import html_parts, markdown_parts

HTML = {
    "a page": (
        "<html><head><title>\n Cats\n and  dogs</title><style>p {color: red}</style></head><body><h1>Pets</h1>"
        "<!-- not seen --><script>var x = '<p>no</p>';</script><p>how to\ntrain</p></body></html>",
        ("Cats and dogs", "Pets\nhow to\ntrain"),
    ),
    "words go on within a block": (
        "<p>H<sub>2</sub>O, <b>re</b>run<a href=x>s</a> <span>a</span>b</p>",
        ("", "H2O, reruns ab"),
    ),
    "words end with a block": (
        "a<div>b</div>c<br>d<table><tr><td>1</td><td>2</td></tr><tr><th>3</table><unheard-of>e</unheard-of>f",
        ("", "a\nb\nc\nd\n1\n2\n3\ne\nf"),
    ),
    "entities": ("<p>&lt;p&gt; caf&eacute; &#233;&#xe9; a&nbsp;b AT&T", ("", "<p> café éé a b AT&T")),
    "pictures": ('<p>see <img src="x.png" alt="a cat"> and <img src="y.png">', ("", "see a cat and")),
    "not for readers": ("<template>a</template><noscript>b</noscript><?php d ?>e<!---->f", ("", "ef")),
    "the first h1 where there is no title": (
        "<h1>Cats <i>and</i> dogs</h1><p>purr<h1>More</h1>",
        ("Cats and dogs", "purr\nMore"),
    ),
    "XHTML": ("<?xml version='1.0'?><html xmlns='x'><title/><p>a<br/>b <![CDATA[c]]></p></html>", ("", "a\nb c")),
    "sections of other programs": ("a<![if !IE]> b <![endif]><![x[ y ]]>c<![CDATA[ d ]]>", ("", "a b c d")),
    "never closed": ("<p>a<p>b<ul><li>c<li>d", ("", "a\nb\nc\nd")),
    "no markup": ("only text.html", ("", "only text.html")),
    "nothing": ("", ("", "")),
}


@pytest.mark.parametrize("case", HTML)
def test_html(case: str) -> None:
    page, expected = HTML[case]
    assert html_parts("page.html", page) == expected


def test_html_that_cannot_be_parsed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise bs4.exceptions.ParserRejectedMarkup(AssertionError("unknown status keyword"))

    monkeypatch.setattr(bs4, "BeautifulSoup", refuse)
    with pytest.raises(DataError) as error:
        html_parts("page.html", "<p>a")
    assert str(error.value) == (
        "page.html cannot be read as HTML (AssertionError: unknown status keyword); correct it or take it out of the "
        "folder"
    )


@pytest.mark.parametrize("page", ["<div>" * 20_000 + "a cat", "<p>a cat" * 20_000, "<b>a cat" * 5_000])
def test_large_pages_take_no_longer_than_they_are(page: str) -> None:
    assert html_parts("page.html", page)[1].startswith("a cat")


MARKDOWN = {
    "blocks": (
        "# Cats *and* `dogs`\n\nhow to\n**train**\n\n- one\n- two\n\n> quoted\n\n```python\nx = 1 < 2\n```\n\n"
        "    code\n",
        ("Cats and dogs", "how to\ntrain\none\ntwo\nquoted\nx = 1 < 2\ncode"),
    ),
    "another heading is text": ("Cats\n====\n\n## Food\n\nfish\n", ("Cats", "Food\nfish")),
    "the first heading is the title, wherever": ("intro\n\n### Third\n\n# First\n", ("Third", "intro\nFirst")),
    "links and pictures": (
        "[a link](there.md) ![a cat](cat.png 'no') <https://x.org>",
        ("", "a link a cat https://x.org"),
    ),
    "tables": ("| a | b |\n|---|---|\n| 1 | 2 |\n", ("", "a\nb\n1\n2")),
    "HTML within": ("a <b>bold</b>ly\n\n<div>\n<!-- no -->\nblock\n</div>\n", ("", "a boldly\nblock")),
    "settings": ('---\ntitle: "A: cat"\ntags: [x]\n---\ntext\n', ("A: cat", "text")),
    "settings and a heading": ("---\ntitle: A cat\n---\n# Cats\n", ("Cats", "")),
    "settings without a title": ("---\nlayout: post\n---\ntext\n", ("", "text")),
    "a rule is no setting": ("a\n\n---\n\nb\n", ("", "a\nb")),
    "entities": ("a &amp; b &copy; \\*c\\*", ("", "a & b © *c*")),
}


@pytest.mark.parametrize("case", MARKDOWN)
def test_markdown(case: str) -> None:
    text, expected = MARKDOWN[case]
    assert markdown_parts("page.md", text) == expected


def test_lists_nested_deep_are_read_to_the_end() -> None:
    text = "".join(f"{'  ' * level}- level {level}\n" for level in range(40))
    assert markdown_parts("page.md", text) == ("", "\n".join(f"level {level}" for level in range(40)))


def test_what_no_one_nests_so_deep_is_no_error() -> None:
    assert markdown_parts("page.md", "# Cats\n\n" + "> " * 5000 + "a cat\n")[0] == "Cats"
