"""What the controls of a page show is what its results are of: after Back, Forward, reload, late answers and stops."""

import pytest
from browser_pages import expect, opened, settling, wait_until
from page_client import served_here
from tiers import thinned

pytestmark = [pytest.mark.system, pytest.mark.waits]

AGREE = """async () => {
    const html = await (await fetch(location)).text(), fresh = new DOMParser().parseFromString(html, "text/html");
    const seen = (page) => JSON.stringify([
        [...new FormData(page.getElementById("search"))].filter(([name]) => name !== "tried"),
        [...page.querySelectorAll("output, h1, .hits .facts, .ranked h3, .ranked .title, .verdict")].map(
            (each) => each.textContent),
    ]);
    return seen(document) === seen(fresh);
}"""
"""Whether a page has the controls and results that its address gives anew; what its visitor has tried only grows."""

STOPPED = """() => { window.signs = 0; const sign = document.getElementById("working");
    new MutationObserver(() => {
        if (sign.checkVisibility()) { window.signs += 1; sign.querySelector("button").click(); }
    }).observe(sign, {attributes: true}); }"""
"""Stops what takes long as soon as its sign is seen."""

SEARCH, COMPARE = "search?topic=33&model=bm25", "compare?a=bm25&b=dph&topic=33"
CONTROLS = [
    *((SEARCH, *each) for each in (("topic", "6"), ("model", "dph"), ("k", "3"), ("p-b", "0"), ("p-k3", "7"))),
    *((SEARCH, *each) for each in (("q", "dog"), ("query_mode", "strict"))),
    *((COMPARE, *each) for each in (("topic", "6"), ("model-a", "cosine"), ("model-c", "dice"), ("k", "3"))),
    *((COMPARE, *each) for each in (("p-a-b", "0"), ("measure", "RR"), ("q", "dog"))),
]


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with served_here("companions", "--judgments", "grades.jsonl", folder=folder) as printed:
        yield f"{printed[0]}companions/"


def choose(page, control, value):
    """Change a control as somebody does, and wait for the results."""
    place = page.locator(f"#{control}")
    if place.get_attribute("type") == "range":
        with settling(page):
            place.press("Home")
        return
    with page.expect_navigation():
        if place.evaluate("(field) => Boolean(field.options)"):
            place.select_option(value)
        else:
            place.fill(value)
            place.press("Enter")


def agrees(page):
    page.wait_for_load_state()
    wait_until(page, AGREE)


@pytest.mark.parametrize(("view", "control", "value"), thinned(CONTROLS, 4))
def test_after_every_way_through_the_history(browser, address, view, control, value):
    found = opened(browser, address + "search")
    page = found.page
    page.goto(address + view)
    page.evaluate("() => document.querySelector('details.more')?.setAttribute('open', '')")
    choose(page, control, value)
    assert page.locator(f"#{control}").input_value() == value
    agrees(page)
    page.click("nav a:text-is('Search')")
    page.go_back()
    agrees(page)
    page.go_back()
    agrees(page)
    page.go_forward()
    agrees(page)
    page.evaluate("([id, value]) => { document.getElementById(id).value = value; }", [control, value])
    page.reload()
    agrees(page)
    page.evaluate("([id, value]) => { document.getElementById(id).value = value; }", [control, value])
    page.evaluate("() => window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    agrees(page)
    assert found.said == []


def test_a_slider_then_another_choice_then_back(browser, address):
    page = opened(browser, address + SEARCH).page
    choose(page, "p-b", "0")
    choose(page, "topic", "6")
    page.go_back()
    agrees(page)
    expect(page.locator("#topic")).to_have_value("33")
    choose(page, "p-k1", "0")  # of the query that is shown
    agrees(page)
    expect(page.locator("#topic")).to_have_value("33")


def test_a_late_ranking_does_not_overwrite_the_grade_given_meanwhile(browser, address):
    page, held, late = opened(browser, address + SEARCH).page, [], []
    page.fill("#judge", "ada")
    page.press("#judge", "Enter")
    grade = page.locator(".rates button").first
    expect(grade).to_be_visible()
    page.wait_for_load_state()
    page.route("**/search?*", lambda route: route.continue_() if late else held.append((route, route.fetch())))
    page.press("#p-b", "Home")
    wait_until(page, "() => document.getElementById('main').hasAttribute('aria-busy')")
    name = grade.get_attribute("data-kept")
    grade.click()
    page.wait_for_timeout(100)  # in which a grade that waits for nothing is answered
    late.append(True)
    for route, reply in held:
        route.fulfill(response=reply)
    given = page.locator(f".rates [data-kept='{name}']")
    expect(given).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#summary code")).to_have_text("bm25:b=0")
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
    page.wait_for_timeout(600)  # in which the slider is left
    agrees(page)
    expect(given).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#summary code")).to_have_text("bm25:b=0")


@pytest.mark.parametrize(("control", "value"), [("p-a-b", "0"), ("model-a", "cosine")])
def test_what_takes_long_has_a_sign_and_is_stopped(browser, address, control, value):
    found, held = opened(browser, address + COMPARE), []
    page = found.page
    expect(page.locator("#working")).to_be_hidden()
    page.route("**/compare?*", lambda route: held.append(route))
    page.evaluate(STOPPED)
    if control == "p-a-b":
        page.press("#p-a-b", "Home")
    else:
        page.evaluate("([id, value]) => { document.getElementById(id).value = value; }", [control, value])
        page.evaluate("() => document.getElementById('search').requestSubmit()")
    wait_until(page, "() => window.signs > 0 && document.getElementById('working').hidden")
    page.unroute_all()
    agrees(page)
    expect(page.locator(f"#{control}")).not_to_have_value(value)
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
