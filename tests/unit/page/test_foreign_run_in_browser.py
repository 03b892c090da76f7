"""A run of another engine in a browser: compared and explained."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from pages import axe_violations, opened
from served import server

import toysearch

pytestmark = pytest.mark.system

_PATIENCE = 60_000  # milliseconds


@pytest.fixture
def address(browser, tmp_path):
    run = toysearch.Searcher("companions", "dph").run(toysearch.load("companions").queries, 30)
    toysearch.write_run(run, tmp_path / "lucene.run")
    with server("companions", "--run", "lucene.run", folder=tmp_path) as (_, printed):
        yield printed


def test_a_run_is_compared_with_a_model(browser, address):
    found = opened(browser, f"{address}companions/compare")
    page = found.page
    page.set_default_timeout(_PATIENCE)
    assert page.input_value("#model-b") == "lucene.run"
    page.select_option("#topic", "7")
    page.wait_for_selector(".ranked >> nth=1")
    page.wait_for_load_state()
    page.click(".ranked >> nth=1 >> text=A hundred for nothing")
    page.wait_for_selector("text=lucene.run ranks it 4. A run gives no reasons; the text")
    assert found.said == []


@pytest.mark.parametrize(("width", "dark"), [(390, True), (2560, False)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(browser, address, width, dark):
    found = opened(browser, f"{address}companions/compare?topic=7&doc=p259", width=width, dark=dark, strict=False)
    assert axe_violations(found) == []
    assert found.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    found.page.context.close()
