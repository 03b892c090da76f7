"""The pages about graded notebooks in Chromium: as wide as the window, also on a phone; axe finds nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from browser_pages import LOOKS, axe_violations, expect, opened

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


def test_the_students_of_a_class_are_sorted_by_any_column(browser, tmp_path):
    points = {"Ada": 2, "Ben": 10, "Cleo": 0}
    graded = []
    for name, score in points.items():
        notebook = replace(without_answers(lesson(5), name), path=Path(f"{name}.ipynb"))
        first = replace(notebook.verdicts[0], by_hand=score)
        graded.append(replace(notebook, verdicts=[first, *notebook.verdicts[1:]]))
    page = opened(browser, next(path for path in write_feedback(graded, tmp_path) if path.name == "class.html")).page
    names, button = page.locator("table.sorted td .name"), page.locator("table.sorted th button")
    expect(names).to_have_text(["Ada", "Ben", "Cleo"])
    button.nth(1).focus()
    page.keyboard.press("Enter")
    expect(names).to_have_text(["Cleo", "Ada", "Ben"])
    page.keyboard.press("Enter")
    expect(names).to_have_text(["Ben", "Ada", "Cleo"])
    assert page.locator("[aria-sort]").evaluate_all("(heads) => heads.map((head) => head.ariaSort)") == ["descending"]
    unscripted = opened(browser, tmp_path / "class.html", scripts=False).page
    assert unscripted.locator("table.sorted td .name").all_inner_texts() == ["Ada", "Ben", "Cleo"]
