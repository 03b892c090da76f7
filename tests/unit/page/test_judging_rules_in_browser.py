"""Grades and thumbs in Chromium, by mouse and by keyboard: of a judge, in a ranking, and settled."""

import json

import pytest
from browser_pages import expect, opened, settling
from judging_page import logged_grades
from page_client import served_here

from toysearch.workbench.judging.judgment_log import JudgmentLog

pytestmark = [pytest.mark.system, pytest.mark.waits]

CASE = "companions/search?topic=7&case=1"
PRESSED = ".rates button[aria-pressed=true]"
ON_PAPER = """() => ({
    back: getComputedStyle(document.body).backgroundColor,
    seen: [...document.querySelectorAll("header, form, button, input, textarea, a[download]")]
        .filter((each) => each.checkVisibility()).map((each) => each.outerHTML),
})"""


@pytest.fixture
def log(tmp_path):
    return tmp_path / "class.jsonl"


@pytest.fixture
def judged(browser, log):
    """The lines of a server on which everybody may judge."""
    with served_here("companions", "--judgments", log.name, folder=log.parent) as printed:
        yield printed


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def begun(browser, judged):
    """The case of a query that ada has begun to grade."""
    found = opened(browser, f"{judged[0]}{CASE}")
    found.page.fill("#judge", "ada")
    found.page.press("#judge", "Enter")
    expect(found.page.locator("#rate")).to_contain_text("ada grades here")
    found.page.wait_for_load_state()  # its script listens
    return found


def test_grades_notes_and_scores_beside_the_ranking(browser, judged, log):
    found = begun(browser, judged)
    page, row = found.page, found.page.locator(".case tr").filter(has=found.page.locator("[aria-current]"))
    expect(page.locator(".hits .grade.relevant")).to_have_count(0)
    page.locator(".rates button").nth(3).click()
    expect(page.locator(PRESSED)).to_have_text("3 answers it")
    expect(page.locator(".case summary")).to_contain_text("mean of 1 graded query")
    expect(row.locator("th")).to_contain_text("7 ")
    expect(row.locator("td")).to_have_text(["1.000", "1"])
    with settling(page):
        page.press("#p-b", "Home")  # the score is that of the system on screen
    expect(page.locator("#summary code")).to_have_text("bm25:b=0")
    expect(row.locator("td").first).to_contain_text(".")
    page.fill("#note", "what of cats?")
    page.press("#note", "Enter")
    expect(page.locator(".case .noted")).to_have_text("“what of cats?”")
    page.click("text=Undo")
    expect(page.locator(PRESSED)).to_have_count(0)
    assert [{*line} & {"grade", "note", "undo"} for line in lines(log)] == [{"grade"}, {"note"}, {"undo"}]
    assert found.said == []


def test_a_note_that_is_being_typed_stays_while_the_ranking_is_renewed(browser, judged, log):
    page = begun(browser, judged).page
    page.type("#note", "what cats?")
    for _ in "cats?":
        page.keyboard.press("ArrowLeft")
    with settling(page):
        page.evaluate("""() => {
            const slider = document.getElementById("p-b");
            slider.value = 0;
            slider.dispatchEvent(new Event("input", {bubbles: true}));
        }""")
    page.keyboard.type("of ")
    page.locator(".rates button").nth(3).click()
    expect(page.locator(PRESSED)).to_be_visible()
    expect(page.locator("#note")).to_have_value("what of cats?")
    page.press("#note", "Enter")
    expect(page.locator(".case [data-scrolled]")).to_contain_text("“what of cats?”")
    assert [line.get("note") for line in lines(log)] == [None, "what of cats?"]


def test_a_ranking_is_graded_by_keyboard(browser, judged, log):
    page = begun(browser, judged).page
    page.locator(".rates button").nth(1).press("Enter")
    pressed = page.locator(PRESSED)
    expect(pressed).to_contain_text("1")
    expect(pressed).to_be_focused()  # the focus stays
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(pressed).to_contain_text("2")
    assert [line["grade"] for line in lines(log)] == [1, 2]


def test_thumbs_by_mouse_and_keyboard(browser, tmp_path):
    with served_here("companions", "--votes", "thumbs.jsonl", folder=tmp_path) as printed:
        address = f"{printed[0]}companions/search?q=cat+scratching+sofa"
        searched = opened(browser, address)
        page, pressed = searched.page, searched.page.locator(PRESSED)
        page.locator(".rates button").nth(2).click()  # up, on the second document
        expect(pressed).to_have_count(1)
        page.locator(".rates button").nth(1).press("Enter")  # down, on the first
        expect(pressed).to_have_count(2)
        expect(pressed.first).to_be_focused()
        page.reload()
        expect(pressed.nth(0)).to_have_attribute("title", "Bad answer")
        expect(pressed.nth(1)).to_have_attribute("title", "Good answer")
        pressed.nth(1).click()
        expect(pressed).to_have_count(1)
        assert searched.said == []
    given = [(line.get("vote"), line.get("rank"), "undo" in line) for line in lines(tmp_path / "thumbs.jsonl")]
    assert given == [("up", 2, False), ("down", 1, False), (None, 2, True)]


def test_a_judge_grades_by_keys(browser, log):
    with served_here("companions", "--judgments", log.name, "--judges", "ada,ben", folder=log.parent) as printed:
        link = printed[1].removeprefix("ada: ")
        found = opened(browser, link)
        page, facts = found.page, found.page.locator(".judged .facts")
        page.click("text=33: removing a tick")
        first = facts.inner_text()
        page.wait_for_load_state()  # its script listens
        page.keyboard.press("2")
        expect(page.locator("#progress")).to_contain_text("1 of 12")
        second = facts.inner_text()
        page.keyboard.press("r")
        page.keyboard.type("sounds that tick 3")
        page.keyboard.press("Enter")
        page.keyboard.press("0")
        expect(page.locator("#progress")).to_contain_text("2 of 12")
        third = facts.inner_text()
        page.keyboard.press("s")
        expect(facts).not_to_have_text(third)
        page.keyboard.press("u")
        expect(facts).to_have_text(second)
        page.keyboard.press("1")
        expect(page.locator("#progress")).to_contain_text("2 of 12")
        assert found.said == []
    assert logged_grades(log) == {("ada", "33", first, 2.0), ("ada", "33", second, 1.0)}
    with served_here("companions", "--judgments", log.name, "--judges", "ada", folder=log.parent) as printed:
        assert printed[1].partition("key=")[2] == link.partition("key=")[2]


def test_the_adjudicator_settles_exports_and_imports(browser, log):
    with JudgmentLog(log) as given:
        for query_id, doc_id, grades in (("8", "p081", (0, 3, 2)), ("7", "p013", (1, 2, 2)), ("8", "p020", (3, 3, 1))):
            for judge, grade in zip(("ada", "ben", "carla"), grades, strict=True):
                given.add(judge, query_id, doc_id, grade, f"says {judge}")
    with served_here("companions", "--judgments", log.name, folder=log.parent) as printed:
        link = printed[1].removeprefix("adjudicator: ")
        page = opened(browser, link, width=2560).page
        expect(page.locator(".of-query")).to_contain_text(["7:", "8:"])
        tables = page.locator(".confusion").all()
        assert (len(tables), len({round(table.bounding_box()["y"]) for table in tables})) == (3, 1)  # side by side
        page.set_viewport_size({"width": 390, "height": 900})
        assert len({round(table.bounding_box()["y"]) for table in tables}) == 3
        place = "[aria-label='Settle p020 for query 8']"
        page.fill(f"{place} input[name=reason]", "the narrative says so")
        page.click(f"{place} button:text-is('3')")
        expect(page.locator("text=Settled: 3, “the narrative says so”")).to_be_visible()
        expect(page.locator(".settle")).to_have_count(2)
        with page.expect_download() as done:
            page.click("text=Download")
        assert done.value.suggested_filename == "judged.txt"
        assert "8 0 p020 3\n" in done.value.path().read_text()
        page.click("text=Undo the last one")
        expect(page.locator(".settle")).to_have_count(3)
        page.emulate_media(media="print")
        assert page.evaluate(ON_PAPER) == {"back": "rgb(255, 255, 255)", "seen": []}
    assert logged_grades(log.with_name("class.decisions.jsonl")) == set()
