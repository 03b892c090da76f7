"""Every view in Chromium: what axe says of it, and whether it fits a telephone and a wide screen."""

import pytest
from browser_pages import axe_violations, expect, opened
from page_client import served_here
from tiers import exhaustive

import toysearch
from toysearch.workbench.judging.judgment_log import JudgmentLog

pytestmark = [pytest.mark.system, pytest.mark.waits]

VIEWS = {
    "/": "",
    "correct": "companions/search?q=removing+a+tikc",
    "explanation": "companions/explanation?topic=33&doc=p057",
    "document": "companions/document?doc=p057&topic=33",
    "error": "companions/nothing",
    "refused": "companions/search?topic=33&model=bm25:k1=-3",
    "compare": "companions/compare?topic=7&doc=p259&a=bm25&b=their.run&c=jaccard&d=cosine",
    "queries": "companions/judge?judge=ada",
    "judge": "companions/judge?judge=ada&topic=33",
    "agreement": "companions/agreement?key=KEY",
}
REPEATED = {
    "begin": "companions/search",
    "topic": "companions/search?topic=33",
    "case": "companions/search?topic=7&case=1",
    "words compared": "companions/compare?q=tick",
    "all compared": "companions/compare",
    "four compared": "companions/compare?topic=33&a=bm25&b=lm-dirichlet&c=dph&d=cosine",
    "two compared": "companions/compare?topic=33&b=dph",
}
"""Views of the same parts."""


@pytest.fixture(scope="module")
def pages(browser, tmp_path_factory):
    """The address of a server of a collection with all it can have, of one of two, and the key of the adjudicator."""
    folder = tmp_path_factory.mktemp("served")
    run = toysearch.Searcher("companions", "dph").run(toysearch.load("companions").queries, 30)
    toysearch.write_run(run, folder / "their.run")
    with JudgmentLog(folder / "class.jsonl") as log:
        for judge, grade in (("ada", 0), ("ben", 3), ("carla", 2)):
            log.add(judge, "8", "p081", grade, f"says {judge}")
    offered = ("--judgments", "class.jsonl", "--votes", "thumbs.jsonl", "--run", "their.run")
    with (
        served_here("companions", *offered, folder=folder) as printed,
        served_here("companions", "cat-dog-parrot", folder=folder) as of_two,
    ):
        yield printed[0], of_two[0], printed[1].rpartition("key=")[2]


@pytest.mark.parametrize(
    ("width", "dark"),
    [(390, True), pytest.param(1280, False, marks=exhaustive), pytest.param(2560, False, marks=exhaustive)],
)
@pytest.mark.parametrize("view", [*VIEWS, *(pytest.param(view, marks=exhaustive) for view in REPEATED)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, pages, view, width, dark):
    of_one, of_two, key = pages
    path = (VIEWS | REPEATED)[view].replace("KEY", key)
    found = opened(browser, (of_one if path else of_two) + path, width=width, dark=dark, strict=False)
    if view == "case":
        found.page.fill("#judge", "ada")
        found.page.press("#judge", "Enter")
        expect(found.page.locator("#rate")).to_contain_text("ada grades here")
    if view in ("correct", "topic"):
        found.page.locator("a.why").first.click()
        expect(found.page.locator(".explained pre").first).to_be_visible()
    found.unfold()
    assert axe_violations(found) == []
    assert found.layout()["beyond"] <= 0
    found.page.context.close()
