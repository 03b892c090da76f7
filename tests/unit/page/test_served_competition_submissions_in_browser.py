"""A competition by a real server: submitted to in Chromium with and without scripts, and by a server that is killed."""

from __future__ import annotations

import json
import re
import urllib.request
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette")

from competitions import created, run_of
from pages import LOOKS, axe_violations, opened
from served import server

from toysearch.course.competition.leaderboard import Leaderboard

pytestmark = pytest.mark.exhaustive

_PATIENCE = 60_000  # milliseconds
_KILLED = 2  # times


@pytest.fixture
def folder(tmp_path):
    created(tmp_path / "board", "companions")
    (tmp_path / "my.run").write_text(run_of("lm-dirichlet", "companions"))
    return tmp_path


def links(process, n):
    """The links that a server prints after its address, by name."""
    return dict(process.stdout.readline().strip().split(": ", 1) for _ in range(n))


def look_until(page, text):
    """Look again and again until the page tells of a submission that it is ranked, or why not."""
    state, link = page.locator(f"#state:has-text({text!r})"), page.locator("a:text-is('Look again')")
    state.or_(link).first.wait_for()
    while link.count():
        with page.expect_navigation():
            link.click()
    state.wait_for()


def test_a_team_submits_and_everybody_sees_it(browser, folder):
    with server("board", "--teams", "ada,ben", folder=folder) as (process, address):
        link = links(process, 3)
        found = opened(browser, link["ada"])
        found.page.set_default_timeout(_PATIENCE)
        table = opened(browser, f"{address}board/leaderboard")
        table.page.set_default_timeout(_PATIENCE)
        found.page.fill("#model", "bm25:b=0.3")
        found.page.click("button:text-is('Submit')")
        found.page.fill("#pasted", "what I type meanwhile stays")
        waits = "AP" not in found.page.get_attribute("#live", "data-said")  # or it was ranked before the page came
        found.page.wait_for_selector("#state:has-text('submission 1 of ada: AP')")
        assert found.page.input_value("#pasted") == "what I type meanwhile stays"
        if waits:
            found.page.wait_for_selector("#status:text('submission 1 of ada: AP')", state="attached")
        table.page.wait_for_selector("th:text-is('ada')")  # without loading the page again
        found.page.fill("#pasted", "")
        found.page.set_input_files("#file", folder / "my.run")
        found.page.keyboard.press("Tab")
        found.page.click("button:text-is('Submit')")
        found.page.wait_for_selector("#state:has-text('submission 2 of ada: AP')")
        found.page.click("a:text-is('Leaderboard')")
        found.page.wait_for_selector("th:text-is('ada')")
        found.page.click("a:text-is('Submit')")
        found.page.wait_for_selector("#state:has-text('submission 2 of ada')")
        assert found.said == table.said == []
        for width, dark in LOOKS:
            views = (link["ada"], link["held-out scores"], f"{address}board/leaderboard")
            for view in views:
                seen = opened(browser, view, width=width, dark=dark, strict=False)
                assert axe_violations(seen) == []
                assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert [entry.team for entry in Leaderboard(folder / "board").history] == ["bm25", "ada", "ada"]


def test_without_scripts_the_form_does_the_same(browser, folder):
    with server("board", "--teams", "ada", folder=folder) as (process, _):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.set_default_timeout(_PATIENCE)
        page.goto(links(process, 2)["ada"])
        page.set_input_files("#file", folder / "my.run")
        page.click("button:text-is('Submit')")
        look_until(page, "submission 1 of ada: AP")
        page.fill("#pasted", "1 Q0\n")
        page.click("button:text-is('Submit')")
        look_until(page, "Refused: pasted.run: ")
        context.close()


def test_a_killed_server_loses_no_submission(folder):
    acknowledged = []
    for n in range(_KILLED + 1):  # the last one ranks what is left
        with server("board", "--teams", "ada,ben", folder=folder) as (process, address):
            link = links(process, 3)
            with urllib.request.urlopen(f"{address}board/leaderboard", timeout=60) as reply:
                token = re.search(r'name="toysearch-token" content="([^"]+)"', reply.read().decode())[1]
            for team in ("ada", "ben"):
                _, asked = link[team].split("?")
                state = {"waiting": True}
                while state["waiting"]:
                    with urllib.request.urlopen(f"{address}board/submit.json?{asked}", timeout=60) as reply:
                        state = json.loads(reply.read())
                if n < _KILLED:
                    form = f"{asked}&{urlencode({'token': token, 'pasted': (folder / 'my.run').read_text()})}"
                    with urllib.request.urlopen(f"{address}board/submit.json", form.encode(), timeout=60) as reply:
                        acknowledged.append(json.loads(reply.read())["team"])
            process.kill()
    counted = Leaderboard(folder / "board").counted
    assert {team: len(counted[team]) for team in ("ada", "ben")} == {"ada": _KILLED, "ben": _KILLED}
    assert len(acknowledged) == 2 * _KILLED
