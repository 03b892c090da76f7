"""A competition in Chromium: submitted to, and seen by everybody."""

import pytest
from browser_pages import LOOKS, axe_violations, expect, opened
from competitions import created, run_of
from page_client import served_here

from toysearch.classroom.competition.leaderboard import Leaderboard

pytestmark = [pytest.mark.exhaustive, pytest.mark.waits]


@pytest.fixture
def folder(tmp_path):
    created(tmp_path / "board", "companions")
    (tmp_path / "my.run").write_text(run_of("lm-dirichlet", "companions"))
    return tmp_path


def links(printed):
    """The links that a server prints after its address, by name."""
    return dict(line.split(": ", 1) for line in printed[1:])


def test_a_team_submits_and_everybody_sees_it(browser, folder):
    with served_here(str(folder / "board"), "--teams", "ada,ben", folder=folder) as printed:
        link, shown = links(printed), f"{printed[0]}board/leaderboard"
        found, table = opened(browser, links(printed)["ada"]), opened(browser, shown)
        page, state = found.page, found.page.locator("#state")
        page.fill("#model", "bm25:b=0.3")
        page.click("button:text-is('Submit')")
        expect(state).to_be_attached()  # the page of the answer
        page.fill("#pasted", "what I type meanwhile stays")
        expect(state).to_contain_text("submission 1 of ada: AP")
        expect(page.locator("#pasted")).to_have_value("what I type meanwhile stays")
        expect(table.page.locator("th:text-is('ada')")).to_be_visible()  # without loading the page again
        page.fill("#pasted", "")
        page.set_input_files("#file", folder / "my.run")
        page.click("button:text-is('Submit')")
        expect(state).to_contain_text("submission 2 of ada: AP")
        page.click("a:text-is('Leaderboard')")
        expect(page.locator("th:text-is('ada')")).to_be_visible()
        page.click("a:text-is('Submit')")
        expect(state).to_contain_text("submission 2 of ada")
        assert found.said == table.said == []
        for width, dark in LOOKS:
            for view in (link["ada"], link["held-out scores"], shown):
                seen = opened(browser, view, width=width, dark=dark, strict=False)
                assert axe_violations(seen) == []
                assert seen.layout()["beyond"] <= 0
    assert [entry.team for entry in Leaderboard(folder / "board").history] == ["bm25", "ada", "ada"]
