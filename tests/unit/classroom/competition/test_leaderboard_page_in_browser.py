"""The leaderboard's page in headless Chromium: charts fill their frames, axe finds nothing."""

import pytest
from browser_pages import WIDTHS, axe_violations, opened
from tiers import thinned

import toysearch
from toysearch.classroom.competition.leaderboard import Leaderboard
from toysearch.classroom.competition.leaderboard_page import visible_part, write_board

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.system, pytest.mark.waits]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Four teams in two groups, one of them with a refused submission only."""
    folder = tmp_path_factory.mktemp("board")
    board = Leaderboard.create(folder / "board", toysearch.load("companions"), "AP", secret="a secret")
    board.submit("bm25", "bm25", baseline=True)
    for team, model in (("Ada", "bm25:b=0.5"), ("Ben", "jaccard"), ("Cleo", "bm25:b=0.4")):
        board.submit(model, team)
    with pytest.raises(toysearch.ToysearchError):
        board.submit("bm52", "Dora")
    board.close()
    write_board(visible_part(board), folder / "board.html")
    return folder / "board.html"


@pytest.fixture(scope="module")
def found(browser, page):
    return opened(browser, page)


@pytest.mark.parametrize("width", thinned(WIDTHS, 2))
def test_the_charts_fill_their_frames(browser, page, width):
    found = opened(browser, page, width=width)
    found.fitted()
    layout = found.layout()
    assert (found.said, found.asked, layout["beyond"]) == ([], [], 0)
    assert set(layout["charts"]) == {"chart-standings"}


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.exhaustive), True])
def test_axe_finds_nothing(browser, page, dark):
    assert axe_violations(opened(browser, page, width=390, dark=dark, strict=False)) == []


def test_a_rule_stands_between_teams_that_do_not_share_a_rank(found):
    expect(found.page.locator('[data-chart="chart-standings"] line[stroke-dasharray="4,3"]')).to_have_count(1)
    expect(found.page.locator("tr.ruled")).to_have_count(2)  # and before the team that has nothing that counts
