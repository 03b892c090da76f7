"""The view of agreement in Chromium: needs, passages and tables of grades, and what axe says of them."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from pages import LOOKS, axe_violations, opened
from served import server

from toysearch.formats.judgment_log import JudgmentLog

pytestmark = pytest.mark.system


@pytest.mark.parametrize(("width", "dark"), [*LOOKS, (2560, False)])
def test_disagreements_are_settled_by_query(browser, tmp_path, width, dark):
    with JudgmentLog(tmp_path / "class.jsonl") as log:
        for query_id, doc_id, grades in (("8", "p081", (0, 3, 2)), ("7", "p013", (1, 2, 2)), ("8", "p020", (3, 3, 1))):
            for judge, grade in zip(("ada", "ben", "carla"), grades, strict=True):
                log.add(judge, query_id, doc_id, grade, f"says {judge}")
    with server("companions", "--judgments", "class.jsonl", folder=tmp_path) as (process, _):
        link = process.stdout.readline().split(": ")[1].strip()
        found = opened(browser, link, width=width, dark=dark, strict=False)
        page = found.page
        assert [text.split(":")[0] for text in page.locator(".of-query").all_inner_texts()] == ["7", "8"]
        assert page.locator(".confusion").count() == 3
        rows = {round(place.bounding_box()["y"]) for place in page.locator(".confusion").all()}
        assert len(rows) == (1 if width > 900 else 3)
        assert page.locator(".disputed .passage mark").count() > 0
        assert axe_violations(found) == []
        assert found.layout()["beyond"] <= 0
        page.locator(".settle button[value='2'] >> nth=0").click()
        page.wait_for_selector("text=Settled")
        page.wait_for_load_state()
        assert page.locator(".settle").count() == 2
