"""The page in headless Chromium: every chart is drawn, nothing goes wrong, and nothing is asked for from outside.

Skipped where Chromium is not installed, unless TOYSEARCH_NEED_CHROMIUM is 1: then it fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest
from report_cases import HOSTILE, hostile_report

from toysearch import Index, Searcher, compare, load, plot, report, robustness

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
ALONE = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions")


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        reason = "Chromium is not installed"
        if os.environ.get("TOYSEARCH_NEED_CHROMIUM") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return CHROMIUM


def opened(browser, page, folder):
    """The page as it is after its scripts have run, what they told the console, and what was asked for elsewhere."""
    net_log = folder / "net.json"
    arguments = (
        *(*QUIET, *ALONE, "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--dump-dom"),
        *(f"--user-data-dir={folder / 'profile'}", f"--log-net-log={net_log}", "--virtual-time-budget=20000"),
        page.as_uri(),
    )
    done = subprocess.run([browser, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console, asked_elsewhere(net_log)


def asked_elsewhere(net_log):
    """The addresses that were asked for over a network by a page: Chromium's own services are no page's."""
    events = json.loads(net_log.read_text(encoding="utf-8"))["events"]
    addresses = {event["params"]["url"] for event in events if "url" in event.get("params", {})}
    own = re.compile(r"https?://[a-z0-9.-]*\.(google|googleapis|gstatic)\.com(:\d+)?(/|$)")
    return sorted(each for each in addresses if each.startswith(("http", "ws", "ftp")) and not own.match(each))


def charts_in(dom):
    """Name → whether there is a picture in its place."""
    _, *places = dom.split('data-chart="')
    return {place.split('"')[0]: "<svg" in place.split("</figure>")[0] for place in places}


@pytest.fixture(scope="module")
def comparison():
    collection = load("cat-dog-parrot")
    index = Index.build(collection)
    runs = [Searcher(index, name).run(collection.judged_queries) for name in ("bm25", "jaccard")]
    return compare(runs, collection.qrels, "AP RR", threshold=0.5), collection, index


def test_every_chart_of_a_report_is_drawn(browser, comparison, tmp_path):
    compared, collection, index = comparison
    card = robustness(collection, ["bm25", "jaccard"], only="spelling")
    report(compared, collection=collection, index=index, robustness=card).save(tmp_path / "report.html")
    dom, console, elsewhere = opened(browser, tmp_path / "report.html", tmp_path)
    assert (console, elsewhere) == ([], [])
    assert len(charts_in(dom)) == 5
    assert all(charts_in(dom).values())
    assert 'name="chosen"' in dom  # the list of the queries


def test_hostile_texts_do_nothing(browser, tmp_path):
    (tmp_path / "report.html").write_text(hostile_report().html(), encoding="utf-8")
    dom, console, elsewhere = opened(browser, tmp_path / "report.html", tmp_path)
    assert (console, elsewhere) == ([], [])
    assert len(charts_in(dom)) == 4
    assert all(charts_in(dom).values())
    assert HOSTILE not in dom


@pytest.mark.parametrize("name", ["pr", "queries", "box", "unjudged"])
def test_a_page_with_one_chart(browser, comparison, tmp_path, name):
    compared, collection, _ = comparison
    plot(name, compared, tmp_path / "one.html", collection=collection)
    dom, console, elsewhere = opened(browser, tmp_path / "one.html", tmp_path)
    assert (console, elsewhere) == ([], [])
    assert charts_in(dom) == {"chart-chart": True}


def test_an_error_and_a_request_would_be_seen(browser, comparison, tmp_path):
    compared, collection, index = comparison
    page = report(compared, collection=collection, index=index).html()
    policy = re.search(r'<meta http-equiv="Content-Security-Policy"[^>]*>', page)[0]
    (tmp_path / "spoilt.html").write_text(page.replace('"mark":', '"marl":'), encoding="utf-8")
    dom, console, _ = opened(browser, tmp_path / "spoilt.html", tmp_path)
    assert console
    assert not any(charts_in(dom).values())
    calling = page.replace("</body>", '<img src="http://example.invalid/x.png"></body>')
    (tmp_path / "calling.html").write_text(calling, encoding="utf-8")
    assert any("Content Security Policy" in line for line in opened(browser, tmp_path / "calling.html", tmp_path)[1])
    (tmp_path / "open.html").write_text(calling.replace(policy, ""), encoding="utf-8")
    assert opened(browser, tmp_path / "open.html", tmp_path)[2] == ["http://example.invalid/x.png"]
