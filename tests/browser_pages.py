"""Pages in a browser as people see them: by width, in light and dark, on paper; and what axe says of them."""

import contextlib
import time
from importlib.resources import files
from typing import NamedTuple

from tiers import EVERYTHING

WIDTHS = (1280, 390)
_PATIENCE = 60  # seconds

_SETTLED = """() => [...document.querySelectorAll("[data-chart]")].every(
    (place) => place.querySelector("svg.marks") || place.textContent)"""
_SEEN = "place.checkVisibility({contentVisibilityAuto: true})"  # not folded
_FITTED = f"""() => [...document.querySelectorAll("[data-chart]")].every((place) => {{
    const style = getComputedStyle(place), drawn = place.querySelector("svg.marks");
    const room = place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return !drawn || !{_SEEN} || Math.abs(room - drawn.getBoundingClientRect().width) < 2;
}})"""
_MEASURED = f"""() => ({{
    beyond: document.documentElement.scrollWidth - innerWidth,
    charts: Object.fromEntries(
        [...document.querySelectorAll("[data-chart]")].filter((place) => {_SEEN}).map((place) => {{
        const style = getComputedStyle(place), drawn = place.querySelector("svg.marks");
        const room = place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        return [place.dataset.chart, [Math.round(room), drawn && Math.round(drawn.getBoundingClientRect().width)]];
    }})),
}})"""
_UNFOLD = "() => document.querySelectorAll('details:not(.vega-embed details)').forEach((each) => { each.open = true; })"
_AXE = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(
    (found) => `${found.id}: ${found.nodes.length} × ${found.nodes[0].html.slice(0, 160)}`)"""


LOOKS = [(390, True), (1280, False)] if EVERYTHING else [(390, True)]
"""Widths of windows, and whether they are dark, in which pages are looked at; axe takes a second of each."""


class Opened(NamedTuple):
    """A page after its scripts have run, what they told the console, and the addresses that it asked for."""

    page: object
    said: list
    asked: list

    def layout(self):
        """How far the page is wider than the window, and chart that is not folded →
        (width of its frame, width of the chart)."""
        return self.page.evaluate(_MEASURED)

    def unfold(self):
        """Open all that is folded."""
        self.page.evaluate(_UNFOLD)
        self.fitted()

    def fitted(self):
        """Wait until every chart that is not folded has the width of its frame."""
        wait_until(self.page, _FITTED)


def wait_until(page, expression, argument=None):
    """Ask the page again and again until a JavaScript expression, or a function of the argument, is true.

    Playwright's own `wait_for_function` has the page evaluate a string whenever the first answer is no, and a page
    whose policy refuses strings as scripts fails there.
    """
    deadline = time.monotonic() + _PATIENCE
    while not page.evaluate(expression, argument):
        assert time.monotonic() < deadline, f"not true within {_PATIENCE} s: {expression}"
        page.wait_for_timeout(20)


def expect(place):
    """What waits until a page, or a place on it, is as the test says: Playwright's own, with the patience of here."""
    from playwright.sync_api import expect

    expect.set_options(1000 * _PATIENCE)
    return expect(place)


@contextlib.contextmanager
def settling(page):
    """Wait until a slider of the page that the block moves is left: its ranking, which counts as tried, is shown."""
    with page.expect_response(lambda reply: reply.request.headers.get("x-toysearch-part") == "main") as left:
        yield
    left.value.finished()
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")


def opened(browser, path, *, width=1280, dark=False, strict=True, scripts=True):
    """A page of a file (Path) or of an address (str) in a new window, as wide as that in pixels.

    strict: whether the page's own policy holds; axe is a script that it refuses.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        bypass_csp=not strict,
        java_script_enabled=scripts,
    )
    context.set_default_timeout(1000 * _PATIENCE)
    page, address = context.new_page(), path if isinstance(path, str) else path.as_uri()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: None if request.url == address else asked.append(request.url))
    page.goto(address)
    if scripts:
        wait_until(page, _SETTLED)
    return Opened(page, said, asked)


def axe_violations(found):
    """What axe finds wrong with a page that was opened with strict=False, once it is loaded."""
    found.page.wait_for_load_state()
    found.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    return found.page.evaluate(_AXE)
