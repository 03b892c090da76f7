"""Thumbs in a search in Chromium: by mouse, by keyboard, on a phone, and without scripts."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette")

from pages import LOOKS, axe_violations, opened
from served import server

_PATIENCE = 60_000  # milliseconds
_SEARCH = "companions/search?q=cat+scratching+sofa"
_PRESSED = ".rates button[aria-pressed=true]"


def test_thumbs_by_mouse_keyboard_and_without_scripts(browser, tmp_path):
    with server("companions", "--votes", "thumbs.jsonl", folder=tmp_path) as (_, address):
        searched = opened(browser, f"{address}{_SEARCH}")
        page = searched.page
        page.set_default_timeout(_PATIENCE)
        page.locator(".rates button >> nth=2").click()  # up, on the second document
        page.wait_for_selector(_PRESSED)
        page.locator(".rates button >> nth=1").focus()  # down, on the first
        page.keyboard.press("Enter")
        page.wait_for_selector(".hits li:first-child button[aria-pressed=true]")
        assert page.evaluate("document.activeElement.dataset.kept").startswith("down ")  # the focus stays
        page.reload()
        pressed = [button.get_attribute("title") for button in page.locator(_PRESSED).all()]
        assert pressed == ["Bad answer", "Good answer"]
        page.locator(_PRESSED + " >> nth=1").click()
        page.wait_for_selector(".hits li:nth-child(2) button[aria-pressed=true]", state="detached")
        assert searched.said == []

        plain = browser.new_context(java_script_enabled=False).new_page()
        plain.set_default_timeout(_PATIENCE)
        plain.goto(f"{address}{_SEARCH}")
        assert plain.locator(_PRESSED).count() == 0
        plain.locator(".rates button >> nth=0").click()
        plain.wait_for_selector(_PRESSED)
        for width, dark in LOOKS:
            seen = opened(browser, f"{address}{_SEARCH}", width=width, dark=dark, strict=False)
            assert axe_violations(seen) == []
            assert seen.layout()["beyond"] <= 0
    log = [json.loads(line) for line in (tmp_path / "thumbs.jsonl").read_text().splitlines()]
    assert [(line.get("vote"), line.get("rank"), "undo" in line) for line in log] == [
        ("up", 2, False),
        ("down", 1, False),
        (None, 2, True),
        ("up", 1, False),
    ]
