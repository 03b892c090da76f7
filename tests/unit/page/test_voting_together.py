"""Voting by a real server: a lecturer and phones in Chromium, and a server that is killed while people vote."""

from __future__ import annotations

import http.client
import json
import urllib.request
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette")

from lengths import EVERYTHING, exhaustive, longer
from pages import LOOKS, axe_violations, opened
from served import acknowledged_when_killed, server, write_token

from toysearch.formats.judgment_log import VoteLog

_PATIENCE = 60_000  # milliseconds
_KILLED = 10 if EVERYTHING else 1  # times
_FORM = {"content-type": "application/x-www-form-urlencoded"}


def voted(address, acknowledged):
    """Open a vote, and vote with one phone after another until the server is gone."""
    try:
        opening = urlencode({"action": "open", "topic": "33", "token": write_token(address)}).encode()
        urllib.request.urlopen(f"{address}companions/vote.json", opening, timeout=60).close()
        token = write_token(address, "ballot")
        for n in range(10_000):
            connection = http.client.HTTPConnection(address.split("/")[2], timeout=60)
            connection.request("GET", "/companions/ballot.json")
            reply = connection.getresponse()
            cookie = reply.getheader("set-cookie").partition(";")[0]
            reply.read()
            vote = ("left", "right", "tie")[n % 3]
            form = urlencode({"token": token, "topic": "33", "vote": vote})
            connection.request("POST", "/companions/ballot.json", form, _FORM | {"cookie": cookie})
            assert json.loads(connection.getresponse().read())["vote"] == vote
            acknowledged.append((cookie.partition("=")[2].rpartition(".")[0], vote))
    except (OSError, http.client.HTTPException, ValueError):
        pass  # the server was killed: what it had not acknowledged may be lost


@longer
def test_a_killed_server_has_every_vote_that_it_acknowledged(tmp_path):
    path, acknowledged = tmp_path / "hall.jsonl", []
    for _ in range(_KILLED):
        acknowledged += acknowledged_when_killed(voted, "companions", "--votes", path.name, folder=tmp_path)
        assert {*acknowledged} <= {(vote.voter, vote.vote) for vote in VoteLog(path, append=False)}


def phone_of(browser, link, scripts=True):
    """A phone that has opened a link."""
    page = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=scripts).new_page()
    page.set_default_timeout(_PATIENCE)
    page.goto(link)
    return page


def printed_link(process):
    """The link for phones, which a server prints after that for a class."""
    assert process.stdout.readline().startswith("class: ")
    return process.stdout.readline().strip().removeprefix("phones: ")


@exhaustive
def test_a_query_that_is_being_typed_stays_when_somebody_else_opens_and_closes_a_vote(browser, tmp_path):
    with server("companions", "--votes", "hall.jsonl", folder=tmp_path) as (_, address):
        page, other = (opened(browser, f"{address}companions/vote").page for _ in range(2))
        for window in (page, other):
            window.set_default_timeout(_PATIENCE)
        page.fill("#q", "cat scratching sofa")
        page.fill("#k", "7")
        other.select_option("#topic", "33")
        other.click("text=Open the vote")
        page.wait_for_selector("text=Close the vote")
        other.click("text=Close the vote")
        page.wait_for_selector("text=Open the vote")
        assert (page.input_value("#q"), page.input_value("#k")) == ("cat scratching sofa", "7")


@exhaustive
def test_a_lecture_votes_by_phone(browser, tmp_path):
    arguments = ("companions", "--votes", "hall.jsonl", "--host", "0.0.0.0")
    with server(*arguments, folder=tmp_path) as (process, address):
        link = printed_link(process)
        local = address.split("/")[2].replace("0.0.0.0", "127.0.0.1")
        code = f"http://{local}/{link.split('/', 3)[3]}"
        assert code.startswith(f"http://{local}/companions/ballot?token=")
        lecturer = opened(browser, address.replace("0.0.0.0", "127.0.0.1").replace("/?", "/companions/vote?"))
        page = lecturer.page
        page.set_default_timeout(_PATIENCE)
        assert page.locator(".code svg path").count() > 0
        with_script, without = phone_of(browser, code), phone_of(browser, code, scripts=False)
        assert with_script.inner_text("h1") == without.inner_text("h1") == "No vote is open yet"
        page.select_option("#topic", "33")
        page.click("text=Open the vote")
        with_script.wait_for_selector("h1:has-text('removing a tick')")  # without a reload
        without.click("text=Reload")
        for phone, vote in ((with_script, "Left"), (without, "Right"), (with_script, "Tie")):
            phone.click(f"button:has-text('{vote}')")
            phone.wait_for_selector(f"#saved:has-text('Saved: {vote.lower()}.')")
        page.wait_for_selector("[data-voters]:has-text('2')")
        for width, dark in LOOKS:
            for shown in (page.url + "?" + address.partition("?")[2], code):
                seen = opened(browser, shown, width=width, dark=dark, strict=False)
                assert axe_violations(seen) == []
                assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.click("text=Close the vote")
        with_script.wait_for_selector("h1:has-text('The vote is closed')")
        page.wait_for_selector("p:has-text('95 % interval')")
        page.wait_for_load_state()
        named = [each.strip() for each in page.locator(".pair h3").all_inner_texts()]
        assert named == ["bm25", "lm-dirichlet"]
        sides = with_script.locator(".pair h2").all_inner_texts()
        assert sorted(side.partition(": ")[2] for side in sides) == named
        for width, dark in LOOKS:
            for shown in (page.url + "?" + address.partition("?")[2], code):
                seen = opened(browser, shown, width=width, dark=dark, strict=False)
                assert axe_violations(seen) == []
                assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.fill("#q", "cat scratching sofa")
        page.select_option("#kind", "thumbs")
        page.click("text=Open the vote")
        with_script.wait_for_selector("h1:has-text('cat scratching sofa')")
        title = with_script.inner_text(".mixed summary >> nth=0")
        with_script.click("button:has-text('Good') >> nth=0")
        with_script.wait_for_selector("#saved:has-text('Saved: 1 thumb.')")
        seen = opened(browser, code, width=390, dark=True, strict=False)
        assert axe_violations(seen) == []
        page.click("text=Close the vote")
        page.wait_for_selector(f"h2:has-text('Thumbs') + .wide th:has-text('{title}')")
        seen = opened(browser, page.url + "?" + address.partition("?")[2], strict=False)
        assert axe_violations(seen) == []
        assert lecturer.said == []
    log = [(vote.query_id, vote.vote) for vote in VoteLog(tmp_path / "hall.jsonl", append=False)]
    assert sorted(log) == [("33", "right"), ("33", "tie"), ("cat scratching sofa", "up")]
    with server(*arguments, folder=tmp_path) as (process, _):
        again = printed_link(process)
    assert again.partition("token=")[2] == link.partition("token=")[2]
