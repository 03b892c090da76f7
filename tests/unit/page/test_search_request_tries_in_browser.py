"""The table of what was tried, in Chromium: its numbers, its notes, its file, and the links that lead to it."""

import json
import re

import pytest
from browser_pages import axe_violations, expect, opened, settling
from page_client import served_here

import toysearch

pytestmark = [pytest.mark.system, pytest.mark.waits]

MODELS = ["bm25", "bm25:b=0", "bm25:b=1"]


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    with served_here("companions", "cat-dog-parrot", folder=tmp_path_factory.mktemp("served")) as printed:
        yield printed[0]


def tried(browser, address, **how):
    """A search page on which a slider was moved to both its ends, with the table open."""
    found = opened(browser, f"{address}companions/search?topic=33", **how)
    for key in ("Home", "End"):
        with settling(found.page):
            found.page.press("#p-b", key)
    found.page.click("summary:has-text('settings tried')")
    return found


def rows(page):
    return page.locator(".tries tbody tr")


def numbers(page):
    """The mean and the change of each row, once none is asked for any more."""
    expect(rows(page).filter(has_text="…")).to_have_count(0)
    return [[row.locator(".right").nth(place).inner_text() for place in (0, 1)] for row in rows(page).all()]


def test_the_means_and_changes_are_those_of_compare(browser, address):
    found = tried(browser, address)
    comparison = toysearch.compare(MODELS, "companions", "nDCG@10")
    means = comparison.means["nDCG@10"]
    expected = [[f"{means[model]:.4f}", f"{means[model] - means['bm25']:+.4f}".replace("-", "−")] for model in MODELS]
    expected[0][1] = ""
    assert numbers(found.page) == expected
    assert rows(found.page).locator("th").all_inner_texts() == MODELS
    half = comparison.intervals["nDCG@10"]["bm25"].half
    interval = f"{means['bm25'] - half:.4f} to {means['bm25'] + half:.4f}"
    expect(rows(found.page).nth(0).locator("svg")).to_have_attribute("aria-label", interval)
    expect(found.page.locator(".tries summary")).to_have_text("3 settings tried")
    rows(found.page).nth(1).locator("a").click()
    expect(found.page.locator("#summary code")).to_have_text("bm25:b=0")
    expect(found.page.locator("#q")).to_have_value("removing a tick")
    assert found.said == []


def test_notes_stay_in_the_browser_and_two_ticks_lead_to_a_comparison(browser, address):
    page = tried(browser, address).page
    compare = page.locator("button:text-is('Compare those ticked')")
    note = page.get_by_label("Note on bm25:b=0")
    note.fill("length is ignored")
    with settling(page):
        page.press("#p-k1", "Home")
    expect(rows(page)).to_have_count(4)
    expect(note).to_have_value("length is ignored")
    page.reload()
    page.click("summary:has-text('settings tried')")
    expect(note).to_have_value("length is ignored")
    expect(compare).to_be_disabled()
    for model in ("bm25:b=1", "bm25:b=0"):
        page.get_by_label(f"Compare {model}", exact=True).check()
    compare.click()
    expect(page).to_have_url(re.compile(r"compare\?a=bm25%3Ab%3D0&b=bm25%3Ab%3D1&measure=nDCG%4010&tried=4"))
    expect(page.locator("#topic")).to_have_value("")
    expect(page.locator(".verdict")).to_contain_text("in nDCG@10")


def test_tries_are_saved_in_a_file_and_opened_from_it(browser, address, tmp_path):
    page = tried(browser, address).page
    page.get_by_label("Note on bm25", exact=True).fill("as published")
    numbers(page)
    with page.expect_download() as saved:
        page.click("text=Save in a file")
    saved.value.save_as(file := tmp_path / saved.value.suggested_filename)
    kept = json.loads(file.read_text(encoding="utf-8"))
    notes = {each["model"]: each["note"] for each in kept["tries"]}
    assert notes == dict.fromkeys(MODELS, "") | {"bm25": "as published"}
    assert kept["tries"][1]["change"] < 0

    other = opened(browser, f"{address}companions/search?topic=7&model=dph").page
    expect(other.locator(".tries")).to_be_hidden()
    other.goto(f"{address}companions/search?topic=7&model=lm-jm")
    other.click(".tries summary")
    for content, says in (
        ("{", "is not a file of tries"),
        (file.read_text(encoding="utf-8").replace('"source": "companions"', '"source": "pets"'), "has tries on pets"),
    ):
        (tmp_path / "bad.json").write_text(content, encoding="utf-8")
        other.set_input_files("input[type=file]", tmp_path / "bad.json")
        expect(other.locator("#status")).to_contain_text(says)
        expect(rows(other)).to_have_count(2)
    other.set_input_files("input[type=file]", file)
    expect(rows(other).locator("th")).to_have_text([*MODELS, "dph", "lm-jm"])
    expect(other.get_by_label("Note on bm25", exact=True)).to_have_value("as published")
    assert numbers(other)[1] == numbers(page)[1]
    other.reload()
    expect(other.locator(".tries summary")).to_have_text("2 settings tried")  # what a file brings is not counted
    other.click(".tries summary")
    other.on("dialog", lambda dialog: dialog.accept())
    other.click("text=Forget these")
    expect(rows(other).locator("th")).to_have_text(["dph", "lm-jm"])


def test_a_verdict_leads_to_the_table_also_before_its_script_is_there(browser, address):
    found = tried(browser, address)
    page, held = found.page, []
    page.route("**/static/tries.js", lambda route: held.append(route))
    page.goto(f"{address}companions/compare?a=bm25&b=dph")
    expect(page.locator(".tries ul")).to_be_hidden()
    page.click(".verdict a:has-text('comparisons')")
    expect(page.locator(".tries ul a")).to_have_text([*MODELS, "dph"])
    expect(page.locator(".tries summary")).to_be_focused()
    held[0].continue_()
    expect(rows(page)).to_have_count(4)
    assert found.said == []


def test_without_scripts_the_verdict_leads_to_links(browser, address):
    page = opened(browser, f"{address}companions/compare?a=bm25&b=dph", scripts=False).page
    page.goto(f"{address}companions/search?q=tick&model=lm-jm")
    page.goto(f"{address}companions/compare?a=bm25&b=dph")
    page.click(".verdict a:has-text('comparisons')")
    page.click(".tries a:has-text('lm-jm')")
    expect(page.locator("#model")).to_have_value("lm-jm")


def test_the_script_is_asked_for_only_where_something_was_tried(browser, address):
    found = opened(browser, f"{address}companions/search?topic=33")
    assert not any("tries.js" in each for each in found.asked)
    with settling(found.page):
        found.page.press("#p-b", "Home")
    expect(found.page.locator(".tries summary")).to_have_text("2 settings tried")
    found.page.click(".tries summary")
    expect(rows(found.page)).to_have_count(2)
    assert sum("tries.js" in each for each in found.asked) == 1


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)])
def test_the_table_fits_and_axe_finds_nothing(browser, address, width, dark):
    found = tried(browser, address, width=width, dark=dark, strict=False)
    numbers(found.page)
    assert (found.layout()["beyond"], axe_violations(found)) == (0, [])
