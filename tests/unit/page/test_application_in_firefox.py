"""The page in Firefox: what one does on it by mouse and by keyboard, at three widths, in the dark, without scripts."""

from __future__ import annotations

import re

import firefox
import pytest

pytest.importorskip("starlette")

from served import server

import toysearch

pytestmark = [pytest.mark.system, pytest.mark.skipif(firefox.PROGRAM is None, reason="there is no Firefox here")]

HOME, LEFT, RIGHT, ENTER = "\ue011", "\ue012", "\ue014", "\ue007"  # keys of the WebDriver standard
BEYOND = "document.documentElement.scrollWidth - innerWidth"
WALKED = "(document.readyState === 'complete' && document.querySelector('.walk span')?.innerText || '')"
CUT = """[...document.querySelectorAll('.ranked .grade')].filter((badge) =>
    badge.getBoundingClientRect().right > badge.closest('section').getBoundingClientRect().right + 1).length"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with server("companions", "--judgments", str(folder / "grades.jsonl"), folder=folder) as (_, printed):
        yield f"{printed}companions/"


@pytest.fixture(scope="module")
def lecture(tmp_path_factory):
    """The addresses of a lecturer and of a class; the run of another engine is on the page."""
    folder = tmp_path_factory.mktemp("lecture")
    run = toysearch.Searcher("companions", "dph").run(toysearch.load("companions").queries, 30)
    toysearch.write_run(run, folder / "theirs.run")
    arguments = ("--run", "theirs.run", "--token", "of-the-lecturer-alone")
    with server("companions", *arguments, folder=folder) as (process, printed):
        yield printed, process.stdout.readline().split()[-1]


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with firefox.opened(tmp_path_factory.mktemp("profile")) as driven:
        yield driven


def measures(window):
    """The measures and their changes, as the page shows them."""
    return [text.replace("\n", " ") for text in window.texts(".measured > div")]


def test_measures_missed_documents_and_an_open_explanation_follow_the_slider(window, address):
    window.go(f"{address}search?topic=4")
    before = measures(window)
    assert [text.split()[0] for text in before] == ["AP", "nDCG@10", "P@10"]
    window.click(".missed > summary")
    window.click(".missed a.why")
    assert "rank" in window.wait("document.querySelector('.missed .explained pre')?.innerText")

    window.go(f"{address}search?topic=33")
    assert len(set(window.texts(".hits .opens"))) == 1  # each bar says that it opens
    window.click(".hits a.why")
    opened = window.wait("document.querySelector('.hits .explained .formula')?.innerText")
    assert "b = 0.75" in opened
    window.type("#p-b", HOME)
    window.wait("document.querySelector('#summary code')?.innerText === 'bm25:b=0'")
    window.wait("document.querySelector('.hits .explained .formula')?.innerText.match(/\\bb = 0\\b(?!\\.)/)")
    assert all(re.search(r"[+−]0\.\d{4} since bm25", text) for text in measures(window))
    window.value(
        "document.querySelector('.formula .quantity').dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))"
    )
    assert window.value("document.querySelectorAll('.formula .lit').length") >= 2


def test_the_verdict_comes_first_and_the_arrow_keys_walk_from_the_largest_loss(window, address):
    window.resize(2560)
    window.go(f"{address}compare?a=bm25&b=lm-dirichlet")
    [verdict] = window.texts(".verdict")
    assert re.fullmatch(r"By AP over 58 queries, b and a are not distinguished \(−0\.0100, p [\d.]+\)\.", verdict)
    walked = []
    for _ in range(2):
        window.press(RIGHT)
        number = len(walked) + 1
        window.wait(f"{WALKED}.startsWith('query {number} of 58')")
        walked.append(window.value("[...document.querySelectorAll('.means tbody tr')][0].lastElementChild.innerText"))
    losses = [float(text.replace("−", "-")) for text in walked]
    assert losses == sorted(losses)
    assert losses[0] < 0
    window.press(LEFT)
    window.wait(f"{WALKED}.startsWith('query 1 of 58')")
    form, main = (f"document.querySelector('{part}').getBoundingClientRect()" for part in ("#search", "main"))
    assert window.value(f"{form}.right < {main}.left && {form}.top < {main}.bottom")
    assert (window.value(CUT), window.value(BEYOND) <= 0) == (0, True)


def test_documents_are_graded_where_they_stand_and_only_the_own_grades_are_seen(window, address):
    window.resize(1280)
    window.go(f"{address}search?topic=33")
    assert "grade 3" in " ".join(window.texts(".hits .grade"))
    window.type("#judge", "ada" + ENTER)
    window.wait("document.querySelector('.rates')")
    assert set(window.texts(".hits .grade")) == {"not judged"}
    window.click(".rates button:last-child")
    window.wait("document.querySelector('.hits .grade').innerText === 'grade 3'")
    window.click("button[value=undo]")
    window.wait("document.querySelector('.hits .grade').innerText === 'not judged'")
    window.click("button[value=end]")
    window.wait("document.querySelector('.hits .grade').innerText === 'grade 3'")


def test_a_facet_is_chosen_by_a_click_and_typed_and_a_suggestion_keeps_its_count(window, address):
    window.go(f"{address}search?q=tick")
    window.click(".facet a")
    window.wait("document.querySelector('.facet [aria-current]')")
    chosen = window.value("document.querySelectorAll('[data-doc]').length")
    [value] = window.texts(".facet [aria-current]")
    window.go(f"{address}search?q=%2Btopic:{value}+%2Btick")
    assert window.value("document.querySelectorAll('[data-doc]').length") == chosen > 0
    window.go(f"{address}search?q=removing+a+tikc")
    [suggestion] = window.texts(".suggestion")
    assert suggestion == "Did you mean removing a tick? (16 documents)"
    window.click(".suggestion a")
    window.wait("document.querySelector('#summary')?.innerText.startsWith('16 documents')")


def test_settings_are_counted_where_a_slider_is_left_and_begun_anew(window, address):
    window.go(f"{address}compare?a=bm25&b=lm-dirichlet")
    [before] = re.findall(r"(\d+) settings tried", window.value("document.querySelector('#summary').innerText"))
    window.type("#p-b-mu", RIGHT)
    window.wait(f"document.querySelector('#summary')?.innerText.includes('{int(before) + 1} settings tried')")
    window.click("form[action] button.quiet")
    window.wait("document.querySelector('#summary')?.innerText.includes('2 settings tried')")


def test_a_class_reads(window, lecture):
    lecturer, of_class = lecture
    host = lecturer.partition("?")[0]
    window.go(f"{host}companions/search")
    assert "token" in window.texts("main")[0]  # 401 is a page with a field for it
    window.go(of_class)
    window.go(f"{host}companions/search?q=tick")
    assert window.value("document.querySelectorAll('[data-doc]').length") > 0
    assert not window.value("document.querySelector('form[method=post]')")
    window.send("WebDriver:DeleteAllCookies")


def test_the_first_page_has_examples_and_what_is_refused_keeps_the_form(window, lecture):
    lecturer, *_ = lecture
    host = lecturer.partition("?")[0]
    window.go(lecturer)
    window.go(f"{host}companions/search")
    assert window.value("document.querySelectorAll('main a[href*=topic]').length") >= 3
    window.go(f"{host}companions/search?q=tick&k=0")
    assert "k must be a whole number" in window.value("document.body.innerText")
    assert window.value("document.querySelector('#q').value") == "tick"


def test_the_run_of_another_engine_is_compared_and_kept(window, lecture):
    lecturer, *_ = lecture
    host = lecturer.partition("?")[0]
    window.go(lecturer)
    window.go(f"{host}companions/compare?topic=7&doc=p259")
    assert window.value("document.querySelector('#model-b').value") == "theirs.run"
    assert "A run gives no reasons" in " ".join(window.texts("main"))
    window.type("#name", "default" + ENTER)
    window.wait("[...document.querySelectorAll('h2')].some((place) => place.innerText === 'default')")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_narrow_dark_window_shows_all_with_scripts_and_without(address, tmp_path, scripts):
    """The narrowest window of Firefox has 500 pixels, of which the page gets 390."""
    preferences = {"ui.systemUsesDarkTheme": 1, "javascript.enabled": scripts}
    with firefox.opened(tmp_path, **preferences) as window:
        window.resize(500, 1000)
        window.narrow(390)
        for view in ("search?topic=33", "compare?a=bm25&b=lm-dirichlet&topic=33", "judge?judge=ben&topic=33"):
            window.go(address + view)
            assert abs(window.value("innerWidth") - 390) <= 2
            assert (window.value(BEYOND) <= 0, window.value(CUT)) == (True, 0), view
            red, green, blue = map(
                int, re.findall(r"\d+", window.value("getComputedStyle(document.body).backgroundColor"))
            )
            assert max(red, green, blue) < 60
        assert window.value("document.querySelector('.judge').getBoundingClientRect().bottom - innerHeight") <= 1
        window.go(f"{address}search")
        window.type("#q", "tick" + ENTER)
        window.wait("document.querySelector('.hits [data-doc]')")
        window.click(".hits a.why")
        window.wait("document.querySelector('.explained pre, .explanation pre')")
        assert window.value("location.pathname").endswith("search" if scripts else "explanation")
