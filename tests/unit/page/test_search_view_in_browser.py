"""The page in Chromium: a search as somebody does it, by mouse, by keyboard, without scripts and on paper."""

import json
import re
import urllib.request

import pytest
from browser_pages import axe_violations, expect, opened, settling
from page_client import served_here

pytestmark = [pytest.mark.system, pytest.mark.waits]

LISTENED = """() => { window.glides = 0; const animate = Element.prototype.animate;
    Element.prototype.animate = function (...all) { window.glides += 1; return animate.apply(this, all); }; }"""

MARKED = """() => { window.marks = {}; new MutationObserver(() => {
    for (const mark of document.querySelectorAll(".moved"))
        window.marks[mark.closest("[data-doc]").dataset.doc] = mark.textContent;
}).observe(document.getElementById("main"), {childList: true, subtree: true}); }"""


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    with served_here("companions", "cat-dog-parrot", folder=tmp_path_factory.mktemp("served")) as printed:
        yield printed[0]


def ranked(address, asked):
    """The documents that the server ranks."""
    with urllib.request.urlopen(f"{address}companions/search.json?{asked}", timeout=60) as reply:
        return [hit["doc_id"] for hit in json.loads(reply.read())["hits"]]


def shows(page, doc_ids):
    """Wait until a page shows these documents."""
    expect(page.locator(".hits .facts")).to_have_text([re.compile(rf"^\d+\. {doc_id} ") for doc_id in doc_ids])
    page.wait_for_load_state()  # its script listens


def test_search_correct_explain_slide_and_read(browser, address):
    found = opened(browser, f"{address}companions/search")
    page = found.page
    page.fill("#q", "removing a tikc")
    page.press("#q", "Enter")
    page.click(".suggestion a")
    expect(page.locator("#q")).to_have_value("removing a tick")
    shows(page, ranked(address, "q=removing+a+tick"))

    first, why = page.locator("a.why").first, page.locator(".explained pre")
    first.click()
    expect(page.locator(".explained").first).to_contain_text("1. document p057: score")
    expect(page.locator(".explained").first).to_contain_text("idf = ln(1 + (N − df + 0.5) / (df + 0.5))")
    first.click()
    expect(why).to_have_count(0)

    with settling(page):
        page.press("#p-b", "Home")
    by_slider = ranked(address, "q=removing+a+tick&model=bm25:b=0")
    assert by_slider != ranked(address, "q=removing+a+tick")
    shows(page, by_slider)
    expect(page.locator("output[for=p-b]")).to_have_text("0")
    expect(page).to_have_url(re.compile(r"model=bm25%3Ab%3D0(&|$)"))
    page.reload()
    expect(page.locator("#p-b")).to_have_value("0")
    page.click("text=Tick removal for dog owners")
    expect(page.locator("h2:text-is('Similar documents')")).to_be_visible()
    page.click("text=back to the search")
    expect(page.locator("#summary code")).to_have_text("bm25:b=0")
    assert found.said == []
    assert [url for url in found.asked if not url.startswith(address)] == []


def test_words_that_begin_like_what_is_typed_are_offered(browser, address):
    page = opened(browser, f"{address}companions/search").page
    page.type("#q", "removing a ti")
    expect(page.locator("#completions option[value='removing a tick']")).to_be_attached()
    page.fill("#q", "")
    expect(page.locator("#completions option")).to_have_count(0)


def test_what_is_open_stays_open_and_its_numbers_move_with_the_slider(browser, address):
    found = opened(browser, f"{address}companions/search?topic=7")
    page = found.page
    page.click(".missed summary")
    page.click(".missed a.why >> nth=0")
    expect(page.locator(".missed .explained pre").first).to_be_visible()
    doc_id = page.locator(".hits a.why").nth(2).get_attribute("data-kept")
    link, why = page.locator(f".hits a[data-kept={doc_id}]"), page.locator(f"[data-doc={doc_id}] .explained")
    link.click()
    expect(why).to_contain_text("with k1 = 1.2, b = 0.75")
    why.locator(".worked summary").first.click()
    with settling(page):
        page.press("#p-b", "Home")
    expect(why.locator(".worked details").first).to_have_attribute("open", "")
    expect(page.locator(".measured")).to_contain_text("since bm25")
    expect(why).to_contain_text("with k1 = 1.2, b = 0")
    expect(why).not_to_contain_text("b = 0.75")
    expect(why).to_contain_text(f"document {doc_id}: score")
    expect(link).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".missed .explained pre").first).to_be_visible()
    link.click()
    expect(why).to_have_text("")
    assert found.said == []


def test_a_number_and_its_place_in_the_formula_light_up_together(browser, address):
    page = opened(browser, f"{address}companions/explanation?topic=33&doc=p224").page
    page.click(".worked summary >> nth=0")
    page.hover("[data-quantity=idf-df][title=df] >> nth=0")
    alike = page.locator(".worked").filter(has=page.locator(".lit")).locator("[data-quantity=idf-df]")
    expect(page.locator(".lit[data-quantity=idf-df]:text-is('df')").first).to_be_visible()
    expect(page.locator(".lit")).to_have_count(alike.count())
    page.hover("h1")
    expect(page.locator(".lit")).to_have_count(0)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_documents_glide_to_their_ranks_unless_motion_is_unwanted(browser, address, motion):
    page = opened(browser, f"{address}companions/search?topic=34").page
    page.emulate_media(reduced_motion=motion)
    page.evaluate(LISTENED)
    with settling(page):
        page.press("#p-b", "Home")
    assert (page.evaluate("() => window.glides") > 0) is (motion == "no-preference")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_documents_that_moved_are_marked_for_a_while_and_the_line_that_says_so_closes(browser, address, motion):
    found = opened(browser, f"{address}companions")
    page = found.page
    page.emulate_media(reduced_motion=motion)
    expect(page.locator(".tip")).to_contain_text("Drag k1")
    before = ranked(address, page.url.partition("?")[2])
    page.evaluate(MARKED)
    with settling(page):
        page.press("#p-k1", "End")
    after = ranked(address, page.url.partition("?")[2])
    expected = {}
    for rank, doc_id in enumerate(after):
        up = before.index(doc_id) - rank if doc_id in before else None
        if up != 0:
            expected[doc_id] = "▲ new" if up is None else f"▲{up}" if up > 0 else f"▼{-up}"
    assert page.evaluate("() => window.marks") == expected != {}
    expect(page.locator(".moved")).to_have_count(0 if motion == "no-preference" else len(expected))
    page.click(".tip .close")
    expect(page.locator(".tip")).to_have_count(0)
    page.goto(f"{address}companions")
    expect(page.locator(".tip")).to_have_count(0)
    assert found.said == []


def test_a_topic_a_model_and_a_facet_are_chosen(browser, address):
    page = opened(browser, f"{address}companions/search?q=dog").page
    page.select_option("#topic", "33")
    shows(page, ranked(address, "topic=33"))
    expect(page.locator("#q")).to_have_value("removing a tick")
    page.select_option("#model", "lm-dirichlet")
    expect(page.locator("#p-mu")).to_be_visible()
    shows(page, ranked(address, "topic=33&model=lm-dirichlet"))
    page.click(".facet a:text-is('health')")
    expect(page.locator(".facet a[aria-current]")).to_be_visible()
    shows(page, ranked(address, "topic=33&model=lm-dirichlet&f.topic=health"))


def test_without_scripts_forms_and_links_do_the_same(browser, address):
    page = opened(browser, f"{address}companions/search", scripts=False).page
    page.fill("#q", "removing a tick")
    page.press("#p-b", "Home")
    page.click("button")
    shows(page, ranked(address, "q=removing+a+tick&model=bm25:b=0"))
    page.locator("a.why").first.click()
    expect(page.locator("h1")).to_have_text("Score of p057")
    page.click("text=The document")
    expect(page.locator("h1")).to_have_text("Tick removal for dog owners")


@pytest.mark.parametrize(
    ("view", "presses", "among"),
    [
        ("search?q=tick", 40, {"skip", "q", "topic", "model", "p-k1", "p-b", "p-k3", "why"}),
        (
            "compare?topic=33&a=bm25&b=lm-dirichlet",
            30,
            {"model-a", "p-a-b", "model-b", "p-b-mu", "model-c", "measure", "k", "topic", "q"},
        ),
    ],
)
def test_everything_is_reached_by_keyboard(browser, address, view, presses, among):
    page = opened(browser, f"{address}companions/{view}").page
    page.evaluate("() => document.querySelectorAll('.more').forEach((each) => { each.open = true; })")
    reached = set()
    for _ in range(presses):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.id || document.activeElement.className"))
    assert among <= reached


def test_a_saved_page_opens_offline(browser, address, tmp_path):
    for view, opens in (("search?topic=33", "text=Why this score? >> nth=0"), ("compare?topic=33&b=dph", None)):
        with urllib.request.urlopen(f"{address}companions/{view}&save=1", timeout=60) as reply:
            (tmp_path / "saved.html").write_bytes(reply.read())
        found = opened(browser, tmp_path / "saved.html", strict=False)
        if opens:
            found.page.click(opens)
            expect(found.page.locator(".hits")).to_contain_text("1. document p057: score")
        else:
            expect(found.page.locator(".lines path").nth(5)).to_be_attached()
        assert (found.said, found.asked, axe_violations(found)) == ([], [], [])


def test_paper_has_the_query_and_no_links_that_only_a_screen_can_follow(browser, address):
    page = opened(browser, f"{address}companions/search?topic=33&model=bm25:b=0.4", width=720).page
    page.locator(".hits a.why").first.click()
    expect(page.locator(".hits .explained pre").first).to_be_visible()
    links = ["back to bm25", "Open the case", "Why this score?", "Show more", "In Python"]
    assert [link for link in links if link not in page.inner_text("body")] == []
    page.emulate_media(media="print")
    assert [link for link in links if link in page.inner_text("body")] == []
    assert page.locator("h1.unseen").bounding_box()["height"] > 20
    assert page.locator(".hits").bounding_box()["width"] > 600
    expect(page.locator("h1.unseen")).to_have_text("removing a tick")
    expect(page.locator(".hits .explained pre").first).to_be_visible()
    page.goto(f"{address}companions/compare?a=bm25&b=dph&topic=33")
    assert page.locator("h1").bounding_box()["height"] > 20
    assert "next →" not in page.inner_text("body")


def test_explanations_that_are_open_stay_open_after_a_reload_and_at_the_permanent_address(browser, address):
    found = opened(browser, f"{address}companions/search?topic=33")
    page, explained = found.page, found.page.locator(".explained:not(:empty) h1")
    for place in (0, 2):
        page.locator("a.why").nth(place).click()
    said = ["Score of p057", "Score of p271"]
    expect(explained).to_have_text(said)
    page.reload()
    expect(explained).to_have_text(said)
    permanent = page.locator(".same >> text=Permanent address").last.evaluate("(link) => link.href")
    expect(opened(browser, permanent).page.locator(".explained:not(:empty) h1")).to_have_text(said)
    with settling(page):
        page.press("#p-b", "Home")
    expect(page).to_have_url(re.compile("#explained=p057,p271$"))
    page.locator("a.why[aria-expanded=true]").first.click()
    expect(page).to_have_url(re.compile("#explained=p271$"))
    assert found.said == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("case", ["", "&case=1"])
def test_results_keep_their_place_when_a_slider_is_first_moved(browser, address, width, case):
    page = opened(browser, f"{address}companions/search?topic=50{case}", width=width).page
    top = page.locator(".hits").bounding_box()["y"]
    for name, key in (("k1", "ArrowLeft"), ("b", "Home")):
        with settling(page):
            page.press(f"#p-{name}", key)
        assert page.locator(".hits").bounding_box()["y"] == top
    expect(page.locator("text=back to bm25")).to_be_visible()
    expect(page.locator(".change").first).to_contain_text("since bm25")


@pytest.mark.parametrize(("width", "most"), [(390, 320), (1280, 240), (2560, 240)])
def test_two_rows_stand_above_the_first_result_of_a_judged_query(browser, address, width, most):
    page = opened(browser, f"{address}companions/search?topic=33", width=width).page
    page.set_viewport_size({"width": width, "height": 844})
    assert page.locator(".hits li >> nth=0").bounding_box()["y"] <= most
    stops = 0
    page.keyboard.press("Tab")
    while not page.evaluate("() => document.activeElement.closest('.hits')"):
        stops += page.evaluate("() => !document.activeElement.matches('.skip')")
        page.keyboard.press("Tab")
    assert stops <= 12 + (width == 390)  # where a link leads to the facets, below the ranking
    page.click("summary:has-text('the formula')")
    expect(page.locator("details[open] .note")).to_contain_text("BM25 as in Lucene")
    if width == 390:
        page.click("text=Facets")
        expect(page).to_have_url(re.compile("#facets$"))


def test_on_a_wide_screen_what_opens_a_score_stands_near_its_text(browser, address):
    page = opened(browser, f"{address}companions/search?topic=33", width=2560).page
    text, opens = (page.locator(f".hits {name} >> nth=0").bounding_box() for name in (".passage", ".opens"))
    assert opens["x"] + opens["width"] - (text["x"] + text["width"]) < 250


def test_what_is_divided_stands_above_a_line_and_is_copied_and_read_as_it_is_written(browser, address):
    page = opened(browser, f"{address}companions/explanation?topic=33&doc=p057").page
    for folded in page.locator(".worked summary").all():
        folded.click()
    for fraction in page.locator("mfrac").all():
        over, under = (fraction.locator("> mrow").nth(place).bounding_box() for place in (0, 1))
        assert over["y"] + over["height"] <= under["y"] + 1
        assert abs(over["x"] + over["width"] / 2 - under["x"] - under["width"] / 2) < 1
    with urllib.request.urlopen(f"{address}companions/explanation.json?topic=33&doc=p057", timeout=60) as reply:
        written = "\n".join(json.loads(reply.read())["text"][1:]).strip("\n")
    assert page.locator(".worked").evaluate("(place) => place.textContent").strip() == written.strip()
