"""The compare view in Chromium: sliders redraw, queries lead to rankings, by mouse and keyboard; and what axe says."""

from __future__ import annotations

import json
import urllib.request
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("starlette")

from lengths import EVERYTHING
from pages import LOOKS, axe_violations, opened
from served import server

pytestmark = pytest.mark.system

VIEWS = ["compare?topic=33&a=bm25&b=dph&c=jaccard&d=cosine", "compare?q=tick"]
VIEWS += ["compare", "compare?topic=33&b=dph"] if EVERYTHING else []
_PATIENCE = 60_000  # milliseconds


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    with server("companions", folder=tmp_path_factory.mktemp("served")) as (_, printed):
        yield f"{printed}companions/"


def data_of(address, asked):
    """What the server computes."""
    with urllib.request.urlopen(f"{address}compare.json?{asked}", timeout=60) as reply:
        return json.loads(reply.read())


def test_slide_choose_a_query_and_ask_why(browser, address):
    found = opened(browser, f"{address}compare?a=bm25&b=lm-dirichlet")
    page = found.page
    page.set_default_timeout(_PATIENCE)
    page.focus("#p-a-b")
    page.keyboard.press("Home")
    page.wait_for_selector("h1:text-is('bm25:b=0 and lm-dirichlet on companions')", state="attached")
    data = data_of(address, "a=bm25:b=0&b=lm-dirichlet")
    assert f"a {data['overall']['measures'][0]['means']['a']:.4f}" in page.inner_text("#summary")
    assert parse_qs(urlsplit(page.url).query)["a"] == ["bm25:b=0"]
    bars = [bar for bar in data["overall"]["histograms"]["b"] if bar["queries"]]
    assert page.locator(".histogram rect").count() == len(bars)

    first = data["overall"]["rows"][0]
    query_id = first["query_id"]
    page.click(f".gains a[href*='topic={query_id}'] >> nth=0")
    page.wait_for_selector(".lines path", state="attached")
    page.wait_for_load_state()
    left, right = data_of(address, f"a=bm25:b=0&b=lm-dirichlet&topic={first['query_id']}")["rankings"]
    both = {hit["doc_id"] for hit in left["hits"]} & {hit["doc_id"] for hit in right["hits"]}
    assert page.locator(".lines path.joined").count() == len(both)
    page.click(".ranked .title a >> nth=1")
    page.wait_for_selector("li.chosen >> nth=0")
    page.click("a:has-text('explain') >> nth=1")
    page.wait_for_selector(f"h1:text-is('Score of {left['hits'][1]['doc_id']}')")
    assert found.said == []
    assert [url for url in found.asked if not url.startswith(address.rsplit("/", 2)[0])] == []


def test_keys_that_come_faster_than_the_pages_are_all_followed(browser, address):
    found = opened(browser, f"{address}compare?a=bm25&b=lm-dirichlet")
    page = found.page
    page.route("**/compare?*", lambda route: (page.wait_for_timeout(100), route.continue_()))
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_selector(".walk span:has-text('query 4 of 58')")
    walk = data_of(address, urlsplit(page.url).query)
    assert walk["overall"]["walk"]["place"] == 4
    assert page.input_value("#topic") == walk["query_id"]
    assert page.inner_text("#status") == f"Query {walk['query_id']}: {walk['query']}"
    page.click(".walk a[rel=next]")
    page.wait_for_selector(".walk span:has-text('query 5 of 58')")
    assert page.evaluate("document.activeElement.rel") == "next"
    page.focus("#p-a-b")
    page.keyboard.press("Home")  # the query to which one has walked stays
    page.wait_for_selector("h1:text-is('bm25:b=0 and lm-dirichlet on companions')", state="attached")
    assert page.locator(".walk span:has-text('of 58')").count() == 1
    page.go_back()
    page.wait_for_selector(".walk span:has-text('query 4 of 58')")
    assert page.input_value("#topic") == walk["query_id"]
    assert found.said == []


def test_lines_end_in_the_middle_of_their_rows(browser, address):
    for width in (1280, 390):
        page = opened(browser, f"{address}compare?topic=33&b=jaccard", width=width).page
        rows, lines = page.evaluate("""() => [".ranked", ".lines"].map((name) => {
            const box = (place) => place.getBoundingClientRect();
            return name === ".lines" ? [box(document.querySelector(name)).top, box(document.querySelector(name)).bottom]
                : [box(document.querySelector(".ranked li")).top, box(document.querySelector(".ranked ol")).bottom];
        })""")
        assert rows == pytest.approx(lines, abs=1.5)


def test_everything_is_reached_by_keyboard(browser, address):
    page = opened(browser, f"{address}compare?topic=33&a=bm25&b=lm-dirichlet").page
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.id || document.activeElement.textContent"))
    assert {"model-a", "p-a-b", "model-b", "p-b-mu", "model-c", "measure", "k", "topic", "q"} <= set(reached)
    assert "Tick removal for dog owners" in reached


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, address, width, dark):
    wrong = {}
    for view in VIEWS:
        found = opened(browser, address + view, width=width, dark=dark, strict=False)
        beyond = found.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        wrong[view] = (axe_violations(found), max(0, beyond))
        found.page.context.close()
    assert {view: each for view, each in wrong.items() if each != ([], 0)} == {}


def test_a_saved_page_opens_offline(browser, address, tmp_path):
    with urllib.request.urlopen(f"{address}compare?topic=33&b=dph&save=1", timeout=60) as reply:
        (tmp_path / "saved.html").write_bytes(reply.read())
    found = opened(browser, tmp_path / "saved.html", strict=False)
    assert found.page.locator(".lines path").count() > 5
    assert (found.said, found.asked, axe_violations(found)) == ([], [], [])


@pytest.mark.exhaustive
def test_a_long_mixture_by_keyboard(browser, tmp_path):
    mixture = "0.7*min-max(bm25) + 0.3*min-max(lm-dirichlet)"
    with server("companions", "--model", mixture, folder=tmp_path) as (_, printed):
        found = opened(browser, f"{printed}companions/compare?b=bm25", width=390, strict=False)
        page = found.page
        page.set_default_timeout(_PATIENCE)
        page.focus("#p-a-weight2")
        page.keyboard.press("End")
        page.wait_for_selector("h1:has-text('0.7*min-max(bm25) + min-max(lm-dirichlet) and')", state="attached")
        assert (found.layout()["beyond"], axe_violations(found)) == (0, [])
        assert found.said == []
