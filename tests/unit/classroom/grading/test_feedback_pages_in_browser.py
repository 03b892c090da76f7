"""The pages about graded notebooks in Chromium: as wide as the window, also on a phone; axe finds nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from pages import LOOKS, axe_violations, opened

from toysearch.classroom.exercise import lesson
from toysearch.classroom.grading.feedback_pages import write_feedback
from toysearch.classroom.grading.graded_notebook import without_answers

pytestmark = [pytest.mark.system, pytest.mark.waits]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    long = replace(without_answers(lesson(5), "Ada " * 12 + "X" * 30), path=Path("05-sets.ipynb"))
    return write_feedback([long], tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_no_page_is_wider_than_the_window_and_axe_finds_nothing(browser, pages, width, dark):
    wrong = {}
    for path in pages:
        found = opened(browser, path, width=width, dark=dark)
        beyond = found.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        wrong[path.name] = (axe_violations(found), max(0, beyond), found.said)
        found.page.context.close()
    assert {name: each for name, each in wrong.items() if each != ([], 0, [])} == {}
