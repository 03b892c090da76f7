"""The report: what it holds, what it leaves out; checksums that change with the content and with nothing else."""

import html.parser
import json
import re

import pytest
from report_cases import HOSTILE, hostile_report

from toysearch import Index, Searcher, compare, evaluate, load, report
from toysearch.base.errors import ArgumentError
from toysearch.base.rendering import html_of
from toysearch.study.compare.comparison_tables import caveat_lines, comparison_parts
from toysearch.workbench.report.chart_files import true_minus
from toysearch.workbench.report.measure_curve import curve

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def pets():
    collection = load("cat-dog-parrot")
    index = Index.build(collection)
    runs = [Searcher(index, name).run(collection.judged_queries) for name in ("bm25", "jaccard", "tfidf:tf=binary")]
    comparison = compare(runs, collection.qrels, "RR AP P@2", threshold=0.5)
    found = report(comparison, collection=collection, index=index, k=1000, command="toysearch report")
    return collection, index, found


def test_the_page_says_every_caveat_of_compare():
    judged = {str(n): {"a": 1} for n in range(30)}
    runs = {"good": {n: ["a"] for n in judged}, "poor": {n: ["b", "c", "a"] for n in judged}}
    found = report(compare(runs, judged, "RR AP"), command="toysearch report")
    page = html.unescape(found.html())
    lines = caveat_lines(found.caveats)
    assert any("their judgments could change the conclusion: RR (1 pair), AP (1 pair)" in line for line in lines)
    assert [line for line in lines if line not in page] == []
    assert true_minus(html_of(comparison_parts(found.comparison, found.caveats, terminal=True))) in found.html()
    assert (
        "poor is worse than good in both measures (p < 0.0001 for 2 comparisons). What is shown depends on unjudged"
        in page
    )


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the content of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.found, self.inside, self.texts = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.inside.append(tag)

    def handle_data(self, data):
        self.texts.append((self.inside[-1] if self.inside else "", data))


def charts(page):
    found = re.findall(r'<script type="application/json" id="chart-([a-z0-9-]+)">(.*?)</script>', page, re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def test_the_data_are_those_of_the_evaluation(pets):
    collection, _, found = pets
    data = json.loads(json.dumps(found.data()))
    for name, run in found.comparison.runs.items():
        expected = evaluate(run, collection.qrels, "RR AP P@2", threshold=0.5)
        got = {(row["measure"], row["query_id"]): row["values"][name] for row in data["per_query"]}
        assert got == {(m, q): value for q, row in expected.per_query.items() for m, value in row.items()}
        points = curve(run, collection.qrels, threshold=0.5)
        assert data["precision_recall"][name]["mean"] == points.mean.tolist()
        assert data["precision_recall"][name]["recall"] == [level / 10 for level in range(11)]
    assert data["queries"] == {query.query_id: query.text for query in collection.judged_queries}
    assert [row["measure"] for row in data["measures"]] == ["RR", "AP", "P@2"]


def test_the_page_has_every_chart_and_a_place_for_each(pets):
    page = pets[2].html()
    names = ["pr", "queries-1", "queries-2", "depth"]
    assert [*charts(page)] == names
    places = [attributes for _, attributes in Elements(page).found if "data-chart" in attributes]
    assert [each["data-chart"] for each in places] == [f"chart-{name}" for name in names]
    assert all(chart["description"] for chart in charts(page).values())


def test_the_same_input_gives_the_same_bytes(pets):
    collection, index, found = pets
    again = report(
        found.comparison,
        collection=collection,
        index=index,
        k=1000,
        command="toysearch report",
    )
    assert again.html() == found.html()


def test_nothing_in_the_page_is_from_elsewhere(pets):
    found = Elements(pets[2].html()).found
    assert [attributes for _, attributes in found if {"src", "href"} & set(attributes)] == [
        {"href": each["href"]} for _, each in found if each.get("href", "").startswith("#")
    ]
    policy = next(each["content"] for tag, each in found if tag == "meta" and "http-equiv" in each)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "http" not in policy


def test_what_the_input_holds_is_never_code():
    page = hostile_report().html()
    parsed = Elements(page)
    scripts = [attributes for tag, attributes in parsed.found if tag == "script"]
    assert scripts == [{"type": "application/json", "id": f"chart-{name}"} for name in charts(page)] + [{}, {}]
    assert HOSTILE not in page
    data = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert len(data) == 3
    assert not any(re.search("[<>&\u2028]", text) for text in data)
    shown = "".join(text for inside, text in parsed.texts if inside not in ("script", "style"))
    assert shown.count("alert(") > 20
    queries = charts(page)["queries-1"]
    rows = [row for rows in queries["datasets"].values() for row in rows if "text" in row]
    assert {row["text"] for row in rows} == {f"cat {n} {HOSTILE}".replace("\u2028", " ") for n in range(4)}


def test_runs_without_a_collection_say_what_is_left_out():
    qrels = {str(n): {"a": 1} for n in range(30)}
    comparison = compare({"x": {n: ["a"] for n in qrels}, "y": {n: ["b", "a"] for n in qrels}}, qrels, "RR")
    found = report(comparison)
    assert found.left_out == (
        "The texts of the queries: the judgments are a file, not a collection.",
        "Models and index: the systems are run files.",
    )
    assert found.texts == {}
    assert "index" not in found.provenance
    page = found.html()
    assert "Models and index: the systems are run files." in page


def test_a_mean_over_the_orders_of_ties_leaves_the_curves_in_the_order_of_the_ranking():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    comparison = compare(
        {"x": {"1": {"a": 1, "b": 1}, "2": {"a": 1}}, "y": {"1": {"a": 1}, "2": {"a": 1}}}, qrels, "RR", ties="average"
    )
    found = report(comparison)
    assert found.comparison.means["RR"]["x"] == 0.875
    assert found.curves["x"].mean[0] == 0.75
    assert "a curve cannot average over all orders" in found.html()


def test_save(pets, tmp_path):
    found = pets[2]
    found.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == found.html()
    with pytest.raises(ArgumentError, match=r"the extension of the file selects the format; expected \.html"):
        found.save(tmp_path / "a.pdf")
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]


def test_how_to_repeat_it(pets):
    _, index, found = pets
    repeat = found.provenance
    assert repeat["command"] == {"command": "toysearch report"}
    assert repeat["index"]["SHA-256"] == index.checksum
    assert repeat["models"]["tfidf:tf=binary"].startswith("tfidf:tf=")
    assert repeat["choices"]["seed"] == "0"
    assert repeat["choices"]["k"] == "1000"
    assert set(repeat["versions"]) > {"toysearch", "Python", "numpy"}


def test_what_stands_at_each_rank_follows_the_rules_of_the_comparison():
    runs = {"x": {"1": {"a": 1, "b": 1}}, "y": {"1": {"c": 1}}}
    for ties, threshold, expected in (("rank", 1, 1), ("trec_eval", 1, 0), ("rank", 2, 0)):
        comparison = compare(runs, {"1": {"a": 1}}, "P@1", ties=ties, threshold=threshold)
        found = report(comparison)
        assert found.by_rank["x"].relevant[0] == expected == comparison.means["P@1"]["x"]
