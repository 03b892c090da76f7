"""Grading in the ranking in Chromium: by mouse, by keyboard and without scripts, beside a case that follows."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette")

from lengths import exhaustive
from pages import LOOKS, axe_violations, opened
from served import server

pytestmark = pytest.mark.system

_PATIENCE = 60_000  # milliseconds
_CASE = "companions/search?topic=7&case=1"


@pytest.fixture
def judged(tmp_path):
    with server("companions", "--judgments", "class.jsonl", folder=tmp_path) as (_, address):
        yield address, tmp_path / "class.jsonl"


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_grades_notes_and_scores_beside_the_ranking(browser, judged):
    address, file = judged
    found = opened(browser, f"{address}{_CASE}")
    page = found.page
    page.set_default_timeout(_PATIENCE)
    assert page.locator(".rates").count() == 0
    page.fill("#judge", "ada")
    page.click("text=Begin")
    page.wait_for_selector("text=ada grades here")
    page.wait_for_load_state()
    assert page.locator(".hits .grade.relevant").count() == 0
    page.locator(".rates button >> nth=3").click()
    page.wait_for_selector(".rates button[aria-pressed=true]")
    page.wait_for_selector(".case .facts:has-text('mean of 1 graded query')")
    assert page.inner_text(".case [aria-current] >> xpath=../..").startswith("7:")
    assert "1.0000 · 1 graded" in page.inner_text(".case [aria-current] >> xpath=../..")

    page.focus("#p-b")
    page.keyboard.press("Home")  # the score is that of the system on screen
    page.wait_for_selector("#summary code:text-is('bm25:b=0')")
    score = page.inner_text(".case [aria-current] >> xpath=../..")
    assert "1 graded" in score

    page.fill("#note", "what of cats?")
    page.press("#note", "Enter")
    page.wait_for_selector(".case .facts:has-text('“what of cats?”')")
    page.locator("text=Undo").click()
    page.wait_for_selector(".rates button[aria-pressed=true]", state="detached")
    assert [{*line} & {"grade", "note", "undo"} for line in lines(file)] == [{"grade"}, {"note"}, {"undo"}]
    assert found.said == []


def test_a_note_that_is_being_typed_stays_while_the_ranking_is_renewed(browser, judged):
    address, file = judged
    page = opened(browser, f"{address}{_CASE}").page
    page.set_default_timeout(_PATIENCE)
    page.fill("#judge", "ada")
    page.click("text=Begin")
    page.wait_for_selector("text=ada grades here")
    page.wait_for_load_state()
    page.focus("#note")
    page.keyboard.type("what cats?")
    for _ in "cats?":
        page.keyboard.press("ArrowLeft")
    page.evaluate("""() => {
        const slider = document.getElementById("p-b");
        slider.value = 0;
        slider.dispatchEvent(new Event("input", {bubbles: true}));
    }""")
    page.wait_for_selector("#summary code:text-is('bm25:b=0')")
    page.keyboard.type("of ")
    page.locator(".rates button >> nth=3").click()
    page.wait_for_selector(".rates button[aria-pressed=true]")
    assert page.input_value("#note") == "what of cats?"
    page.press("#note", "Enter")
    page.wait_for_selector(".case .facts:has-text('“what of cats?”')")
    assert [line.get("note") for line in lines(file)] == [None, "what of cats?"]


def test_a_ranking_is_graded_by_keyboard(browser, judged):
    address, file = judged
    page = opened(browser, f"{address}{_CASE}").page
    page.set_default_timeout(_PATIENCE)
    page.focus("#judge")
    page.keyboard.type("ada")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=ada grades here")
    page.wait_for_load_state()
    page.locator(".rates button >> nth=1").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".rates button[aria-pressed=true]")
    assert page.evaluate("document.activeElement.textContent").startswith("1")  # the focus stays
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rates button[aria-pressed=true]:has-text('2')")
    assert [line["grade"] for line in lines(file)] == [1, 2]


def test_without_scripts_a_ranking_is_graded_too(browser, judged):
    address, file = judged
    page = browser.new_context(java_script_enabled=False).new_page()
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{address}{_CASE}")
    page.fill("#judge", "ada")
    page.click("text=Begin")
    page.locator(".rates button >> nth=2").click()
    page.wait_for_selector(".rates button[aria-pressed=true]")
    page.fill("#note", "short")
    page.click('button:text-is("Keep")')
    page.wait_for_selector(".case:has-text('“short”')")
    with page.expect_navigation():
        page.click("text=Stop grading")
    assert page.locator(".rates").count() == 0
    assert [line.get("grade") for line in lines(file)] == [2, None]


@exhaustive
@pytest.mark.parametrize(("width", "dark"), [*LOOKS, (2560, False)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, judged, width, dark):
    address, _ = judged
    for view in (_CASE, "companions/search?case=1"):
        found = opened(browser, f"{address}{view}", width=width, dark=dark, strict=False)
        if "topic" in view:
            found.page.fill("#judge", "ada")
            found.page.click("text=Begin")
            found.page.wait_for_selector("text=ada grades here")
        assert axe_violations(found) == []
        assert found.layout()["beyond"] <= 0
