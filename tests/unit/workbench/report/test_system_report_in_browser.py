"""The page in headless Chromium: charts are drawn and fill their frames, axe finds nothing, nothing is asked for."""

import re

import pytest
from browser_pages import WIDTHS, axe_violations, opened, wait_until
from tiers import thinned

from toysearch import Index, Searcher, compare, load, plot, report

pytestmark = [pytest.mark.system, pytest.mark.waits]


@pytest.fixture(scope="module")
def comparison():
    collection = load("cat-dog-parrot")
    index = Index.build(collection)
    runs = [Searcher(index, name).run(collection.judged_queries) for name in ("bm25", "jaccard")]
    return compare(runs, collection.qrels, "AP RR", threshold=0.5), collection, index


@pytest.fixture(scope="module")
def saved(comparison, tmp_path_factory):
    """Two systems with their card, and one alone."""
    compared, collection, index = comparison
    folder = tmp_path_factory.mktemp("pages")
    report(compared, collection=collection, index=index).save(folder / "two.html")
    alone = compare([compared.runs["bm25"]], collection.qrels, "AP RR", threshold=0.5)
    report(alone, collection=collection, index=index).save(folder / "one.html")
    return {"two": folder / "two.html", "one": folder / "one.html"}


CHARTS = {"two": 3, "one": 2}


@pytest.fixture(scope="module")
def wide(browser, saved):
    """The page of two systems in a wide window, all of it unfolded."""
    found = opened(browser, saved["two"])
    found.unfold()
    return found


@pytest.mark.parametrize("width", thinned(reversed(WIDTHS), 2))
@pytest.mark.parametrize("name", thinned(CHARTS, 2))
def test_every_chart_is_drawn_and_fills_its_frame(browser, saved, name, width):
    found = opened(browser, saved[name], width=width)
    found.unfold()
    layout = found.layout()
    assert (found.said, found.asked) == ([], [])
    assert layout["beyond"] == 0
    assert len(layout["charts"]) == CHARTS[name]
    for room, drawn in layout["charts"].values():
        assert room - 2 <= drawn <= room + 1


@pytest.mark.parametrize("dark", thinned([False, True], 2))
@pytest.mark.parametrize("name", thinned(CHARTS, 2))
def test_axe_finds_nothing(browser, saved, name, dark):
    found = opened(browser, saved[name], width=390, dark=dark, strict=False)
    assert axe_violations(found) == []
    found.unfold()
    assert axe_violations(found) == []


def test_dark_charts_have_light_letters_on_no_ground_of_their_own(browser, saved):
    def colours(dark):
        return opened(browser, saved["one"], dark=dark).page.evaluate(
            """() => [getComputedStyle(document.body).backgroundColor,
                      getComputedStyle(document.querySelector(".chart svg.marks text")).fill,
                      document.querySelector(".chart svg.marks").style.backgroundColor]"""
        )

    assert colours(dark=False) == ["rgb(255, 255, 255)", "rgb(27, 27, 27)", "transparent"]
    assert colours(dark=True) == ["rgb(22, 24, 27)", "rgb(230, 230, 230)", "transparent"]


def test_nothing_is_cut_on_paper(wide):
    wide.page.emulate_media(media="print")
    wide.page.set_viewport_size({"width": 680, "height": 960})  # A4 within its margins; the script is not asked
    assert wide.page.evaluate("document.documentElement.scrollWidth") == 680
    boxes = wide.page.evaluate(
        """() => [...document.querySelectorAll(".chart svg.marks, table")].map((each) => each.getBoundingClientRect())
                 .map((box) => [box.left, box.right])"""
    )
    wide.page.emulate_media(media="screen")
    for box in boxes:
        assert box[0] >= 0
        assert box[1] <= 681


def test_the_list_of_queries_draws_another_one(browser, tmp_path):
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    plot("pr", compare({"x": {"1": ["a"], "2": ["b", "a"]}}, judged, "RR"), tmp_path / "pr.html")
    found = opened(browser, tmp_path / "pr.html")
    found.fitted()
    line = "document.querySelector('.mark-line path').getAttribute('d')"
    before = found.page.evaluate(line)
    found.page.locator("select[name=chosen]").select_option(index=2)
    wait_until(found.page, f"(before) => {line} !== before", before)
    assert found.said == []


@pytest.mark.parametrize(
    "name", ["pr", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("queries", "depth"))]
)
def test_a_page_with_one_chart(browser, comparison, tmp_path, name):
    compared, collection, _ = comparison
    plot(name, compared, tmp_path / "one.html", collection=collection)
    found = opened(browser, tmp_path / "one.html", width=390, strict=False)
    found.fitted()
    ((room, drawn),) = found.layout()["charts"].values()
    assert (found.said, found.asked) == ([], [])
    assert room - 2 <= drawn <= room + 1
    assert axe_violations(found) == []


def test_an_error_and_a_request_would_be_seen(browser, saved, tmp_path):
    page = saved["one"].read_text(encoding="utf-8")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy"[^>]*>', page)[0]
    (tmp_path / "spoilt.html").write_text(page.replace('"mark":', '"marl":'), encoding="utf-8")
    found = opened(browser, tmp_path / "spoilt.html")
    assert found.said
    assert not any(drawn for _, drawn in found.layout()["charts"].values())
    calling = page.replace("</body>", '<img src="http://example.invalid/x.png"></body>')
    (tmp_path / "calling.html").write_text(calling, encoding="utf-8")
    found = opened(browser, tmp_path / "calling.html")
    assert any("Content Security Policy" in line for line in found.said)
    (tmp_path / "open.html").write_text(calling.replace(policy, ""), encoding="utf-8")
    assert opened(browser, tmp_path / "open.html").asked == ["http://example.invalid/x.png"]
