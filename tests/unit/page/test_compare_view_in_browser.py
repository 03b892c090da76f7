"""The compare view in Chromium: sliders redraw, queries lead to rankings, and arrow keys walk through the queries."""

import json
import re
import urllib.request

import pytest
from browser_pages import expect, opened, settling
from page_client import served_here

pytestmark = [pytest.mark.system, pytest.mark.waits]

ENDS = """() => [[".ranked li", ".ranked ol"], [".lines", ".lines"]].map(([first, whole]) => [
    document.querySelector(first).getBoundingClientRect().top,
    document.querySelector(whole).getBoundingClientRect().bottom])"""

BEYOND = """(rows) => rows.map((row) => {
    const facts = row.querySelector(".facts"), [end, bottom] = [row.querySelector("a") ?? facts, row].map(
        (each) => each.getBoundingClientRect().bottom);
    const beyond = Math.floor(end - bottom);
    return [row.textContent.trim(), facts.scrollWidth - facts.clientWidth, beyond];
})"""
"""Row of a ranking → its text, and by how many pixels its facts and its title are cut."""

COMPARED = [
    "b=jaccard",
    "b=jaccard&c=lm-dirichlet",
    "b=lm-dirichlet&c=dph&d=cosine",
    "b=jaccard&c=dph&d=cosine&e=dice",
]


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    with served_here("companions", folder=tmp_path_factory.mktemp("served")) as printed:
        yield f"{printed[0]}companions/"


def data_of(address):
    """What the server computes."""
    with urllib.request.urlopen(address.replace("compare?", "compare.json?"), timeout=60) as reply:
        return json.loads(reply.read())


def test_the_verdict_on_four_systems_is_in_the_first_screen_of_a_phone_and_their_settings_fold(browser, address):
    page = opened(browser, f"{address}compare?{COMPARED[2]}", width=390).page
    verdict = page.locator(".verdict").bounding_box()
    assert verdict["y"] + verdict["height"] < 844
    means = page.locator(".wide:has(.means)")
    assert means.evaluate(
        "(box) => [box.scrollWidth > box.clientWidth, getComputedStyle(box).backgroundAttachment]"
    ) == [
        True,
        "local, scroll",  # a shadow shows that it scrolls
    ]
    page.click(".systems summary")
    expect(page.locator("#model-d")).to_be_visible()
    expect(opened(browser, f"{address}compare?{COMPARED[2]}").page.locator("#model-d")).to_be_visible()
    refused = opened(browser, f"{address}compare?{COMPARED[2]}&measure=none-such", width=390, strict=False).page
    expect(refused.locator("#model-d")).to_be_visible()


def test_slide_choose_a_query_and_ask_why(browser, address):
    found = opened(browser, f"{address}compare?a=bm25&b=lm-dirichlet")
    page = found.page
    with settling(page):
        page.press("#p-a-b", "Home")
    expect(page.locator("h1")).to_have_text("bm25:b=0 and lm-dirichlet on companions")
    expect(page).to_have_url(re.compile(r"a=bm25%3Ab%3D0(&|$)"))
    overall = data_of(f"{address}compare?a=bm25:b=0&b=lm-dirichlet")["overall"]
    expect(page.locator("#summary")).to_contain_text(f"bm25:b=0 {overall['measures'][0]['means']['a']:.4f} ±")
    bars = [bar for bar in overall["histograms"]["b"] if bar["queries"]]
    expect(page.locator(".histogram rect")).to_have_count(len(bars))

    query_id = overall["rows"][0]["query_id"]
    page.click(f".gains a[href*='topic={query_id}'] >> nth=0")
    left, right = data_of(f"{address}compare?a=bm25:b=0&b=lm-dirichlet&topic={query_id}")["rankings"]
    both = {hit["doc_id"] for hit in left["hits"]} & {hit["doc_id"] for hit in right["hits"]}
    expect(page.locator(".lines path.joined")).to_have_count(len(both))
    page.click(".ranked .title a >> nth=1")
    expect(page.locator("li.chosen").first).to_be_visible()
    page.click("a:has-text('explain') >> nth=1")
    expect(page.locator("h1")).to_have_text(f"Score of {left['hits'][1]['doc_id']}")
    assert found.said == []
    assert [url for url in found.asked if not url.startswith(address.rsplit("/", 2)[0])] == []


def test_keys_that_come_faster_than_the_pages_are_all_followed(browser, address):
    found = opened(browser, f"{address}compare?a=bm25&b=lm-dirichlet")
    page, held, pressed = found.page, [], []
    page.route("**/compare?*", lambda route: route.continue_() if pressed else held.append(route))
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    pressed.append(True)
    for route in held:  # no page has come before the last key
        route.continue_()
    walked = data_of(f"{address}compare?a=bm25&b=lm-dirichlet")
    for _ in range(4):
        walked = data_of(address.rsplit("/", 2)[0] + walked["overall"]["walk"]["next"])
    place, topic = page.locator(".walk span"), page.locator("#topic")
    expect(place).to_contain_text("query 4 of 58")
    expect(topic).to_have_value(walked["query_id"])
    expect(page.locator("#status")).to_have_text(f"Query {walked['query_id']}: {walked['query']}")
    page.click(".walk a[rel=next]")
    expect(place).to_contain_text("query 5 of 58")
    expect(page.locator(".walk a[rel=next]")).to_be_focused()
    page.go_back()
    expect(place).to_contain_text("query 4 of 58")
    expect(topic).to_have_value(walked["query_id"])
    page.wait_for_load_state()  # its script listens
    with settling(page):
        page.press("#p-a-b", "Home")  # the query to which one has walked stays
    expect(page.locator("h1")).to_have_text("bm25:b=0 and lm-dirichlet on companions")
    expect(place).to_contain_text("of 58")
    assert found.said == []


@pytest.mark.parametrize("width", [1280, 390])
def test_lines_end_in_the_middle_of_their_rows(browser, address, width):
    page = opened(browser, f"{address}compare?topic=33&b=jaccard", width=width).page
    rows, lines = page.evaluate(ENDS)
    assert rows == pytest.approx(lines, abs=1.5)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("systems", COMPARED)
def test_where_a_document_was_is_never_cut(browser, address, systems, width):
    page = opened(browser, f"{address}compare?topic=33&a=bm25&{systems}", width=width).page
    rows = page.locator(".ranked li").evaluate_all(BEYOND)
    assert any("(was " in text for text, *_ in rows)
    assert [row for row in rows if max(row[1:]) > 0] == []


def test_typing_asks_for_nothing(browser, address):
    found = opened(browser, f"{address}compare?a=bm25&b=dph&topic=33")
    found.page.clock.install()
    before = [*found.asked]
    found.page.fill("#q", "dog")
    found.page.clock.run_for(1000)
    found.page.evaluate("() => fetch('/static/icon.svg')")
    assert [url.rpartition("/")[2] for url in found.asked[len(before) :]] == ["icon.svg"]
    assert found.said == []
