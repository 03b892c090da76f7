"""The slides: few words on each, HTML that is well formed and needs no other file, and links that lead somewhere."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT, loaded

DOCS = ROOT / "docs"
TOPICS = sorted((DOCS / "slides").glob("*.md"))
FORMULA = '<div class="formula"><math /></div>'


def slides_of(path: Path) -> tuple[str, ElementTree.Element]:
    """The HTML of a topic, as text and as a tree; a formula is typeset only where the site is built."""
    html = loaded(DOCS / "site" / "slides.py").deck(path.read_text(encoding="utf-8"), lambda tex: FORMULA)
    return html, ElementTree.fromstring(html)


def words(element: ElementTree.Element) -> Iterator[str]:
    """The words of a slide outside its console block."""
    if element.tag != "pre":
        yield from (element.text or "").split()
        for child in element:
            yield from words(child)
            yield from (child.tail or "").split()


@pytest.mark.parametrize("path", TOPICS, ids=lambda path: path.stem)
def test_a_topic_has_six_to_nine_short_slides(path):
    text = path.read_text(encoding="utf-8")
    html, tree = slides_of(path)
    slides = tree.findall("body/main/section")
    assert 6 <= len(slides) == text.count("\n---\n") + 1 <= 9
    assert [slide.get("aria-label") for slide in slides] == [f"{n} of {len(slides)}" for n in range(1, len(slides) + 1)]
    assert tree.findtext("head/title") == slides[0].findtext("h1") == text.splitlines()[0].removeprefix("# ")
    for slide in slides:
        title = " ".join(slide[0].itertext())
        assert [child.tag for child in slide if child.tag in ("h1", "h2")] == [slide[0].tag], title
        assert len(list(words(slide))) <= 60, title
        blocks = slide.findall("pre") + slide.findall("div")
        assert len(blocks) <= 1, title
        assert sum(len("".join(block.itertext()).splitlines()) for block in blocks) <= 16, title
    assert html.count(FORMULA) == text.count("```math") > 0
    assert html.count("<pre ") == text.count("```console") > 0


@pytest.mark.parametrize("path", TOPICS, ids=lambda path: path.stem)
def test_the_html_needs_no_other_file_and_its_links_lead_to_pages_of_the_site(path):
    _, tree = slides_of(path)
    assert {"link", "img", "iframe"}.isdisjoint(element.tag for element in tree.iter())
    assert [script.attrib for script in tree.iter("script")] == [{}]
    assert "url(" not in tree.findtext("head/style")
    links = [link.get("href") for link in tree.iter("a")]
    for link in links:
        source = link.partition("#")[0].replace("../docs/", "../").replace(".html", ".md")
        assert link.partition("#")[0].endswith(".html")
        assert (path.parent / source).is_file(), link
    assert len(list(tree.findall("body/main/section")[-1].iter("a"))) >= 3


def test_there_are_seven_topics_and_the_page_for_teachers_links_to_them():
    assert [path.stem[0] for path in TOPICS] == list("1234567")
    text = (DOCS / "do" / "teach.md").read_text(encoding="utf-8")
    assert [path.name for path in TOPICS if text.count(f"](../slides/{path.name})") != 1] == []
