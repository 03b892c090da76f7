"""The page in Chromium: a search as somebody does it, by mouse, by keyboard and without scripts; and what axe says."""

from __future__ import annotations

import json
import urllib.request
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("starlette")

from lengths import EVERYTHING, exhaustive
from pages import LOOKS, axe_violations, opened
from served import server

pytestmark = pytest.mark.system

VIEWS = [
    "",
    *(["companions/search", "companions/search?topic=33"] if EVERYTHING else []),
    "companions/search?q=removing+a+tikc",
    "companions/explanation?topic=33&doc=p057",
    "companions/document?doc=p057&topic=33",
    "companions/nothing",
]
_PATIENCE = 60_000  # milliseconds


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    with server("companions", "cat-dog-parrot", folder=tmp_path_factory.mktemp("served")) as (_, printed):
        yield printed


def ranked(address, asked):
    """The documents that the server ranks."""
    with urllib.request.urlopen(f"{address}companions/search.json?{asked}", timeout=60) as reply:
        return [hit["doc_id"] for hit in json.loads(reply.read())["hits"]]


def shown(page):
    """The documents that a page shows, once it is loaded."""
    page.wait_for_load_state()
    return [text.split()[1] for text in page.locator(".hits .facts").all_inner_texts()]


def test_search_correct_explain_slide_and_read(browser, address):
    found = opened(browser, f"{address}companions/search")
    page = found.page
    page.set_default_timeout(_PATIENCE)
    page.fill("#q", "removing a tikc")
    page.press("#q", "Enter")
    page.click(".suggestion a")
    page.wait_for_selector("text=Tick removal for dog owners")
    page.wait_for_load_state()  # its script listens
    assert shown(page) == ranked(address, "q=removing+a+tick")

    first = page.locator("a.why").first
    first.click()
    page.wait_for_selector(".explained pre")
    assert "1. document p057: score" in page.inner_text(".explained")
    assert "idf = ln(1 + (N − df + 0.5) / (df + 0.5))" in page.inner_text(".explained")
    first.click()
    page.wait_for_selector(".explained pre", state="detached")

    page.focus("#p-b")
    page.keyboard.press("Home")
    page.wait_for_selector("#summary code:text-is('bm25:b=0')")
    assert shown(page) == ranked(address, "q=removing+a+tick&model=bm25:b=0") != ranked(address, "q=removing+a+tick")
    assert page.inner_text("output[for=p-b]") == "0"
    assert parse_qs(urlsplit(page.url).query)["model"] == ["bm25:b=0"]
    page.reload()
    assert (page.input_value("#p-b"), page.input_value("#q")) == ("0", "removing a tick")

    page.click("text=Tick removal for dog owners")
    page.wait_for_selector("h2:text-is('Similar documents')")
    page.click("text=back to the search")
    page.wait_for_selector("#summary code:text-is('bm25:b=0')")
    assert found.said == []
    assert [url for url in found.asked if not url.startswith(address)] == []


def test_words_that_begin_like_what_is_typed_are_offered(browser, address):
    page = opened(browser, f"{address}companions/search").page
    page.set_default_timeout(_PATIENCE)
    page.type("#q", "removing a ti")
    page.wait_for_selector("#completions option[value='removing a tick']", state="attached")
    page.fill("#q", "")
    page.wait_for_selector("#completions option", state="detached")


def test_what_is_open_stays_open_and_its_numbers_move_with_the_slider(browser, address):
    found = opened(browser, f"{address}companions/search?topic=7")
    page = found.page
    page.set_default_timeout(_PATIENCE)
    page.click(".missed summary")
    page.click(".missed a.why >> nth=0")
    page.wait_for_selector(".missed .explained pre")
    link = page.locator(".hits a.why >> nth=2")
    doc_id = link.get_attribute("data-kept")
    link.click()
    page.wait_for_selector(f"[data-doc={doc_id}] .explained:has-text('with k1 = 1.2, b = 0.75')")
    page.focus("#p-b")
    page.keyboard.press("Home")
    page.wait_for_selector(".measured:has-text('since bm25')")
    page.wait_for_selector(
        f"[data-doc={doc_id}] .explained:has-text('with k1 = 1.2, b = 0'):not(:has-text('b = 0.75'))"
    )
    assert f"document {doc_id}: score" in page.inner_text(".hits .explained pre >> nth=0")
    assert page.locator(".hits .explained pre").count() >= 2
    assert page.get_attribute(f".hits a[data-kept={doc_id}]", "aria-expanded") == "true"
    assert page.is_visible(".missed .explained pre")
    page.click(f".hits a[data-kept={doc_id}]")
    page.wait_for_selector(".hits .explained pre", state="detached")
    assert found.said == []


def test_a_number_and_its_place_in_the_formula_light_up_together(browser, address):
    page = opened(browser, f"{address}companions/explanation?topic=33&doc=p224").page
    page.set_default_timeout(_PATIENCE)
    page.hover("[data-quantity=idf-df][title=df] >> nth=0")
    lit = page.locator(".lit")
    assert {*lit.evaluate_all("(all) => all.map((each) => each.dataset.quantity)")} == {"idf-df"}
    assert "df" in lit.all_inner_texts()
    page.hover("h1")
    assert page.locator(".lit").count() == 0


def test_documents_glide_to_their_ranks_unless_motion_is_unwanted(browser, address):
    for wanted in (True, False):
        page = opened(browser, f"{address}companions/search?topic=34").page
        page.set_default_timeout(_PATIENCE)
        page.emulate_media(reduced_motion="no-preference" if wanted else "reduce")
        page.evaluate(
            "() => { window.glides = 0; const animate = Element.prototype.animate;"
            " Element.prototype.animate = function (...all) { window.glides += 1; return animate.apply(this, all); }; }"
        )
        page.focus("#p-b")
        page.keyboard.press("Home")
        page.wait_for_selector("#summary code:text-is('bm25:b=0')")
        page.wait_for_function("() => !document.getElementById('main').hasAttribute('aria-busy')")
        assert (page.evaluate("() => window.glides") > 0) is wanted
        page.context.close()


def test_a_topic_a_model_and_a_facet_are_chosen(browser, address):
    page = opened(browser, f"{address}companions/search?q=dog").page
    page.set_default_timeout(_PATIENCE)
    page.select_option("#topic", "33")
    page.wait_for_selector(".grade")
    page.wait_for_load_state()  # its script listens
    assert (page.input_value("#q"), shown(page)) == ("", ranked(address, "topic=33"))
    page.select_option("#model", "lm-dirichlet")
    page.wait_for_selector("#p-mu")
    assert shown(page) == ranked(address, "topic=33&model=lm-dirichlet")
    page.click(".facet a:text-is('health')")
    page.wait_for_selector(".facet a[aria-current]")
    assert shown(page) == ranked(address, "topic=33&model=lm-dirichlet&f.topic=health")


def test_without_scripts_forms_and_links_do_the_same(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{address}companions/search")
    page.fill("#q", "removing a tick")
    page.locator("#p-b").press("Home")
    with page.expect_navigation():
        page.click("button")
    assert shown(page) == ranked(address, "q=removing+a+tick&model=bm25:b=0")
    page.locator("a.why").first.click()
    page.wait_for_selector("h1:text-is('Score of p057')")
    page.click("text=The document")
    page.wait_for_selector("h1:text-is('Tick removal for dog owners')")
    context.close()


def test_everything_is_reached_by_keyboard(browser, address):
    page = opened(browser, f"{address}companions/search?q=tick").page
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.id || document.activeElement.className"))
    assert reached[0] == "skip"
    assert {"q", "topic", "model", "p-k1", "p-b", "p-k3", "why"} <= set(reached)


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, address, width, dark):
    wrong = {}
    for view in VIEWS:
        found = opened(browser, address + view, width=width, dark=dark, strict=False)
        if found.page.locator("a.why").count():
            found.page.locator("a.why").first.click()
            found.page.wait_for_selector(".explained pre", timeout=_PATIENCE)
        found.page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        wrong[view] = (
            axe_violations(found),
            max(0, found.page.evaluate("document.documentElement.scrollWidth - innerWidth")),
        )
        found.page.context.close()
    assert {view: each for view, each in wrong.items() if each != ([], 0)} == {}


def test_a_saved_page_opens_offline(browser, address, tmp_path):
    with urllib.request.urlopen(f"{address}companions/search?topic=33&save=1", timeout=60) as reply:
        (tmp_path / "saved.html").write_bytes(reply.read())
    found = opened(browser, tmp_path / "saved.html", strict=False)
    found.page.click("text=Why this score? >> nth=0")
    assert "1. document p057: score" in found.page.inner_text(".hits")
    assert (found.said, found.asked, axe_violations(found)) == ([], [], [])


@exhaustive
def test_a_link_with_the_token_on_another_page_opens_the_page(browser, tmp_path):
    """The browser sends the cookie although the way to it began on the other page, such as that of a mail."""
    with server("cat-dog-parrot", "--token", "let-me-in", folder=tmp_path) as (_, printed):
        page = browser.new_page()
        page.goto(f"data:text/html,<a href='{printed}'>the page</a>")
        page.click("a")
        page.wait_for_selector("#q")


@exhaustive
def test_printed_results_have_the_whole_width(browser, address):
    page = opened(browser, f"{address}companions/search?topic=33", width=720).page
    page.emulate_media(media="print")
    assert page.locator(".hits").bounding_box()["width"] > 600


def test_paper_has_the_query_and_no_links_that_only_a_screen_can_follow(browser, address):
    page = opened(browser, f"{address}companions/search?topic=33&model=bm25:b=0.4").page
    page.locator(".hits a.why").first.click()
    page.wait_for_selector(".hits .explained pre")
    page.emulate_media(media="print")
    assert page.locator("h1.unseen").bounding_box()["height"] > 20
    assert page.locator(".hits .explained pre").first.is_visible()
    printed = page.inner_text("body")
    assert "removing a tick" in printed
    for link in (
        "compare with another model",
        "back to bm25",
        "Open the case",
        "Why this score?",
        "Show more",
        "In Python",
    ):
        assert page.locator(f"text={link}").first.count() == 1
        assert link not in printed
    page.goto(f"{address}companions/compare?a=bm25&b=dph&topic=33")
    page.emulate_media(media="print")
    assert page.inner_text("h1") == "bm25 and dph on companions"
    assert "next →" not in page.inner_text("body")
