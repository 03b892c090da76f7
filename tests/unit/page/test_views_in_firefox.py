"""The page in Firefox, with scripts and without: a query, its explanation, a slider, a facet, a walk, a grade."""

from __future__ import annotations

import firefox
import pytest

pytest.importorskip("starlette")

from served import served_here

pytestmark = [
    pytest.mark.system,
    pytest.mark.waits,
    pytest.mark.skipif(firefox.PROGRAM is None, reason="there is no Firefox here"),
]

HOME, RIGHT, ENTER = "\ue011", "\ue014", "\ue007"  # keys of the WebDriver standard
NARROW = "document.documentElement.scrollWidth <= innerWidth"
BEGINS = "document.querySelector('{}')?.innerText.startsWith('{}')"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served_here("companions", "--judgments", "grades.jsonl", folder=tmp_path_factory.mktemp("served")) as printed:
        yield f"{printed[0]}companions/"


def test_search_slide_compare_and_grade(address, tmp_path):
    with firefox.opened(tmp_path) as window:
        window.go(f"{address}search")
        window.type("#q", "removing a tick" + ENTER)
        window.click(".hits a.why")
        window.wait("document.querySelector('.hits .explained .formula').innerText.includes('b = 0.75')")
        window.type("#p-b", HOME)
        window.wait("document.querySelector('#summary code').innerText === 'bm25:b=0'")
        window.wait(r"document.querySelector('.hits .explained .formula').innerText.match(/\bb = 0\b(?!\.)/)")
        window.click(".facet a")
        window.wait("document.querySelector('.facet [aria-current]')")
        window.wait(NARROW)

        window.go(f"{address}compare?a=bm25&b=lm-dirichlet")
        window.wait(BEGINS.format(".verdict", "By AP over 58 queries, b and a are not distinguished"))
        window.type("body", RIGHT)
        window.wait(BEGINS.format(".walk span", "query 1 of 58"))

        window.go(f"{address}search?topic=33")
        window.type("#judge", "ada" + ENTER)
        window.click(".rates button:last-child")
        window.wait("document.querySelector('.hits .grade').innerText === 'grade 3'")
        window.click("button[value=undo]")
        window.wait("document.querySelector('.hits .grade').innerText === 'not judged'")


def test_without_scripts_and_in_the_dark(address, tmp_path):
    dark = {"ui.systemUsesDarkTheme": 1, "javascript.enabled": False}
    with firefox.opened(tmp_path, **dark) as window:
        window.go(f"{address}search")
        window.type("#q", "tick" + ENTER)
        window.click(".hits a.why")
        window.wait("document.querySelector('.explanation pre') && location.pathname.endsWith('explanation')")
        window.wait("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((part) => part < 60)")
        window.wait(NARROW)
