"""A run of another engine and the chart of snapshots in a browser: compared, explained, saved, drawn."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from pages import axe_violations, opened
from served import server

import toysearch

_PATIENCE = 60_000  # milliseconds


@pytest.fixture
def address(browser, tmp_path):
    run = toysearch.Searcher("companions", "dph").run(toysearch.load("companions").queries, 30)
    toysearch.write_run(run, tmp_path / "lucene.run")
    with server("companions", "--run", "lucene.run", folder=tmp_path) as (_, printed):
        yield printed


def test_a_run_is_compared_with_a_model_and_kept_as_snapshots(browser, address):
    found = opened(browser, f"{address}companions/compare")
    page = found.page
    page.set_default_timeout(_PATIENCE)
    assert page.input_value("#model-b") == "lucene.run"
    page.select_option("#topic", "7")
    page.wait_for_selector(".ranked >> nth=1")
    page.wait_for_load_state()
    page.click(".ranked >> nth=1 >> text=A hundred for nothing")
    page.wait_for_selector("text=lucene.run ranks it 4. A run gives no reasons; the text")
    for name, b in (("default", "0.75"), ("short", "0")):
        page.wait_for_load_state()
        if b == "0":
            page.goto(f"{address}companions/compare?a=bm25:b=0&b=lucene.run")
        page.fill("#name", name)
        page.click("button:text-is('Save')")
        page.wait_for_selector(f"h2:has-text('{name}')")
    page.goto(f"{address}companions/search")
    page.click("nav >> text=Snapshots")
    page.wait_for_selector("h2:text-is('AP over snapshots')")
    page.wait_for_load_state()
    assert page.locator(".trend .point").count() == 4
    assert found.said == []


@pytest.mark.parametrize(("width", "dark"), [(390, True), (2560, False)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, address, width, dark):
    for view in ("companions/compare?topic=7&doc=p259", "companions/snapshots"):
        found = opened(browser, address + view, width=width, dark=dark, strict=False)
        assert axe_violations(found) == []
        assert found.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        found.page.context.close()
