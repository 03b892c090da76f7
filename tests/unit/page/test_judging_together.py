"""Judging by a real server: by keys in Chromium, by eight judges at once, and by a server that is killed meanwhile."""

from __future__ import annotations

import http.client
import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette")

from lengths import EVERYTHING, exhaustive, longer
from pages import LOOKS, axe_violations, opened, wait_until
from served import acknowledged_when_killed, server, write_token

from toysearch.formats.judgment_log import JudgmentLog

pytestmark = pytest.mark.system

_PATIENCE = 60_000  # milliseconds
_KILLED = 20 if EVERYTHING else 2  # times


def judged(address, token, judge, topic, most, acknowledged):
    """Grade what the server offers, up to so many documents, and note each grade that it acknowledges."""
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=60)
    form = {"judge": judge, "topic": topic, "token": token}
    try:
        connection.request("GET", f"/companions/judge.json?{urlencode({'judge': judge, 'topic': topic})}")
        data = json.loads(connection.getresponse().read())
        while len(acknowledged) < most and (data["document"] or data["next_query"]):
            if not data["document"]:
                form["topic"] = data["next_query"]
                connection.request(
                    "GET", f"/companions/judge.json?{urlencode({'judge': judge, 'topic': form['topic']})}"
                )
                data = json.loads(connection.getresponse().read())
                continue
            own = {"doc": data["document"]["doc_id"], "grade": str(len(acknowledged) % 4)}
            body = urlencode(form | own)
            connection.request(
                "POST", "/companions/judge.json", body, {"content-type": "application/x-www-form-urlencoded"}
            )
            data = json.loads(connection.getresponse().read())
            acknowledged.append((judge, form["topic"], own["doc"], float(own["grade"])))
    except (OSError, http.client.HTTPException, ValueError):
        pass  # the server was killed: what it had not acknowledged may be lost
    finally:
        connection.close()


def in_log(path):
    """The grades of a log."""
    with JudgmentLog(path, append=False) as log:
        return {given[1:5] for given in log}


@pytest.mark.parametrize("most", [12, pytest.param(200, marks=exhaustive)])
def test_eight_judges_at_once_lose_no_grade(tmp_path, most):
    path, judges = tmp_path / "class.jsonl", [f"judge {n}" for n in range(8)]
    with server("companions", "--judgments", path.name, folder=tmp_path) as (_, address):
        token, given = write_token(address), {judge: [] for judge in judges}
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda judge: judged(address, token, judge, "33", most, given[judge]), judges))
        with urllib.request.urlopen(f"{address}companions/agreement.json", timeout=60) as reply:
            data = json.loads(reply.read())
    acknowledged = [each for own in given.values() for each in own]
    assert in_log(path) == {*acknowledged}
    assert len(acknowledged) == sum(each["grades"] for each in data["judges"]) == 8 * most
    assert {each["judge"] for each in data["judges"]} == {*judges}


@longer
def test_a_killed_server_has_every_grade_that_it_acknowledged(tmp_path):
    path, acknowledged = tmp_path / "class.jsonl", []
    for n in range(_KILLED):

        def give(address, own, judge=f"judge {n}"):
            judged(address, write_token(address), judge, "33", 12, own)

        acknowledged += acknowledged_when_killed(give, "companions", "--judgments", path.name, folder=tmp_path)
        assert {*acknowledged} <= in_log(path)


def test_a_judge_grades_by_keys(browser, tmp_path):
    with server("companions", "--judgments", "class.jsonl", "--judges", "ada,ben", folder=tmp_path) as (
        process,
        address,
    ):
        link = process.stdout.readline().strip().removeprefix("ada: ")
        assert link.startswith(f"{address}companions/judge?judge=ada&key=")
        found = opened(browser, link)
        page = found.page
        page.set_default_timeout(_PATIENCE)
        page.click("text=33: removing a tick")
        page.wait_for_selector(".judged")
        page.wait_for_load_state()  # its script listens
        first = page.inner_text(".judged .facts")
        page.keyboard.press("2")
        page.wait_for_selector("#progress:has-text('1 of 12')")
        second = page.inner_text(".judged .facts")
        page.keyboard.press("r")
        page.keyboard.type("sounds that tick 3")
        page.keyboard.press("Enter")
        page.keyboard.press("0")
        page.wait_for_selector("#progress:has-text('2 of 12')")
        third = page.inner_text(".judged .facts")
        page.keyboard.press("s")
        page.wait_for_selector(f".judged .facts:not(:text-is('{third}'))")
        page.keyboard.press("u")
        page.wait_for_selector(f".judged .facts:text-is('{second}')")
        page.keyboard.press("1")
        page.wait_for_selector("#progress:has-text('2 of 12')")
        assert page.evaluate(
            "getComputedStyle(document.querySelector('.judged mark') || document.body).backgroundColor"
        ) in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
        assert found.said == []
        for width, dark in LOOKS:
            for view in ("&topic=33", ""):
                seen = opened(browser, link + view, width=width, dark=dark, strict=False)
                assert axe_violations(seen) == []
                assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            assert (
                axe_violations(opened(browser, f"{address}companions/agreement", width=width, dark=dark, strict=False))
                == []
            )
    assert in_log(tmp_path / "class.jsonl") == {("ada", "33", first, 2.0), ("ada", "33", second, 1.0)}
    with server("companions", "--judgments", "class.jsonl", "--judges", "ada", folder=tmp_path) as (process, _):
        again = process.stdout.readline().strip()
    assert again.partition("key=")[2] == link.partition("key=")[2]


def test_without_scripts_buttons_do_the_same(browser, tmp_path):
    with server("companions", "--judgments", "class.jsonl", folder=tmp_path) as (_, address):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{address}companions/judge")
        page.fill("#judge", "ada")
        page.click("text=Begin")
        page.click("text=33: removing a tick")
        graded = page.inner_text(".judged .facts")
        page.fill("#reason", "by hand")
        page.click("button:has-text('answers it')")
        page.wait_for_selector("#progress:has-text('1 of 12')")
        context.close()
    assert in_log(tmp_path / "class.jsonl") == {("ada", "33", graded, 3.0)}


def judged_by_three(address, token):
    """Three judges give a document three grades."""
    for number, judge in enumerate(("ada", "ben", "carla")):
        form = {"judge": judge, "topic": "33", "token": token, "doc": "p057", "reason": f"{judge} says so"}
        body = urlencode(form | {"grade": str(number)}).encode()
        urllib.request.urlopen(f"{address}companions/judge.json", body, timeout=60).close()


def on_paper(page):
    """What a printed page has behind its text, and what it shows that only a screen is for."""
    page.emulate_media(media="print")
    return page.evaluate("""() => ({
        back: getComputedStyle(document.body).backgroundColor,
        seen: [...document.querySelectorAll("header, form, button, input, textarea, a[download]")]
            .filter((each) => each.checkVisibility()).map((each) => each.outerHTML),
    })""")


@pytest.mark.parametrize("scripts", [True, pytest.param(False, marks=exhaustive)])
def test_the_adjudicator_settles_exports_and_imports(browser, tmp_path, scripts):
    with server("companions", "--judgments", "class.jsonl", folder=tmp_path) as (process, address):
        link = process.stdout.readline().strip().removeprefix("adjudicator: ")
        assert link.startswith(f"{address}companions/agreement?key=")
        judged_by_three(address, write_token(address))
        page = browser.new_context(java_script_enabled=scripts).new_page()
        page.set_default_timeout(_PATIENCE)
        page.goto(link)
        page.fill("[aria-label='Settle p057 for query 33'] input[name=reason]", "the narrative says so")
        page.click("[aria-label='Settle p057 for query 33'] button:text-is('3')")
        page.wait_for_selector("text=Settled: 3, “the narrative says so”")
        page.wait_for_load_state()
        assert page.locator(".settle").count() == 0
        with page.expect_download() as done:
            page.click("text=Download")
        assert (done.value.suggested_filename, done.value.path().read_text()) == ("judged.txt", "33 0 p057 3\n")
        page.click("text=Undo the last one")
        page.wait_for_selector(".settle")
        page.wait_for_load_state()  # its script listens
        lines = "query_id,doc_id,relevance,judge\n33,p058,2,dora\n33,p059,0,dora\n"
        if scripts:
            (tmp_path / "sheet.csv").write_text(lines)
            page.set_input_files("#file", tmp_path / "sheet.csv")
            wait_until(page, "document.getElementById('content').value !== ''")
        else:
            page.fill("#content", lines)
        page.click("button:text-is('Import')")
        page.wait_for_selector("text=2 grades imported")
        if scripts:
            for width, dark in LOOKS:
                opened_page = opened(browser, link, width=width, dark=dark, strict=False)
                assert axe_violations(opened_page) == []
                assert opened_page.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
                assert on_paper(opened_page.page) == {"back": "rgb(255, 255, 255)", "seen": []}
    assert {("dora", "33", "p058", 2.0), ("dora", "33", "p059", 0.0)} < in_log(tmp_path / "class.jsonl")
    assert in_log(tmp_path / "class.decisions.jsonl") == set()
