"""The report: what it holds, what it leaves out, and that a page is one text of nothing but our own code."""

from __future__ import annotations

import html.parser
import json
import re

import pytest
from report_cases import HOSTILE, hostile_report

from toysearch import (
    ArgumentError,
    Index,
    Searcher,
    StorageError,
    compare,
    curve,
    evaluate,
    load,
    report,
    robustness,
)


@pytest.fixture(scope="module")
def pets():
    collection = load("cat-dog-parrot")
    index = Index.build(collection)
    runs = [Searcher(index, name).run(collection.judged_queries) for name in ("bm25", "jaccard", "tfidf:tf=binary")]
    comparison = compare(runs, collection.qrels, "RR AP P@2", threshold=0.5)
    card = robustness(collection, ["bm25", "jaccard"], "RR", only="spelling")
    found = report(comparison, collection=collection, index=index, k=1000, robustness=card, command="toysearch report")
    return collection, index, found


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
    data = json.loads(json.dumps(found.as_dict()))
    for name, run in found.comparison.runs.items():
        expected = evaluate(run, collection.qrels, "RR AP P@2", threshold=0.5)
        got = {(row["measure"], row["query_id"]): row["values"][name] for row in data["per_query"]}
        assert got == {(m, q): value for q, row in expected.per_query.items() for m, value in row.items()}
        points = curve(run, collection.qrels, threshold=0.5)
        assert data["precision_recall"][name]["mean"] == points.mean.tolist()
        assert data["precision_recall"][name]["recall"] == [level / 10 for level in range(11)]
    assert data["queries"] == {query.query_id: query.text for query in collection.judged_queries}
    assert [row["measure"] for row in data["measures"]] == ["RR", "AP", "P@2"]
    assert data["robustness"]["systems"] == ["bm25", "jaccard"]


def test_the_poorest_are_those_whose_best_value_is_lowest(pets):
    _, _, found = pets
    rows = [list(row) for row in found.comparison.values["RR"]]
    best = dict(zip(found.comparison.query_ids["RR"], map(max, rows), strict=True))
    assert [case.best for case in found.poorest] == sorted(best.values())
    for case in found.poorest:
        assert case.best == best[case.query_id]
        for answer in case.answers:
            ranked = found.comparison.runs[answer.system].ranking(case.query_id)
            assert [placed.doc_id for placed in answer.came] == ranked.doc_ids[:5]


def test_the_page_has_every_chart_and_a_place_for_each(pets):
    page = pets[2].html()
    names = ["pr", "queries-1", "queries-2", "box", "unjudged", "robustness"]
    assert [*charts(page)] == names
    places = [attributes for _, attributes in Elements(page).found if "data-chart" in attributes]
    assert [each["data-chart"] for each in places] == [f"chart-{name}" for name in names]
    assert all(each["role"] == "img" and each["aria-label"] for each in places)


def test_all_tables_have_captions_and_headers(pets):
    page = pets[2].html()
    tags = [tag for tag, _ in Elements(page).found]
    assert tags.count("table") == tags.count("caption") > 5
    headings = [tag for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1
    assert set(headings) == {"h1", "h2", "h3"}


def test_the_same_input_gives_the_same_bytes(pets):
    collection, index, found = pets
    again = report(
        found.comparison,
        collection=collection,
        index=index,
        k=1000,
        robustness=found.robustness,
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
        "Titles of documents, models and index: the systems are run files.",
        "The robustness card: it takes models that can rank altered input.",
    )
    assert found.texts == found.titles == {}
    assert "index" not in found.provenance
    page = found.html()
    assert "The robustness card: it takes models that can rank altered input." in page
    assert "robustness" not in charts(page)


def test_a_query_without_an_answer_and_one_with_nothing_relevant_are_shown():
    qrels = {"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 1}}
    comparison = compare({"x": {"1": ["a"], "3": ["a"]}, "y": {"1": ["b", "a"]}}, qrels, "RR")
    page = report(comparison, poorest=3).html()
    assert "nothing was retrieved" in page
    assert "No document is relevant to it." in page


def test_a_mean_over_the_orders_of_ties_leaves_the_curves_in_the_order_of_the_ranking():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    comparison = compare(
        {"x": {"1": {"a": 1, "b": 1}, "2": {"a": 1}}, "y": {"1": {"a": 1}, "2": {"a": 1}}}, qrels, "RR", ties="average"
    )
    found = report(comparison)
    assert found.comparison.means["RR"]["x"] == 0.875
    assert found.curves["x"].mean[0] == 0.75
    assert "a curve has no mean over all orders" in found.html()


def test_save(pets, tmp_path):
    found = pets[2]
    found.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == found.html()
    with pytest.raises(ArgumentError, match=r"the file's name says what is made; let it end in \.html"):
        found.save(tmp_path / "a.pdf")
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]


def test_a_page_that_cannot_be_written_leaves_what_was_there(pets, tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(StorageError, match=r"a\.html could not be written: No space left on device"):
        pets[2].save(tmp_path / "a.html")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a.html", "before")]


def test_at_least_one_query_and_one_document(pets):
    with pytest.raises(ArgumentError, match="poorest=0, depth=5: both are 1 at least"):
        report(pets[2].comparison, poorest=0)


def test_how_to_repeat_it(pets):
    _, index, found = pets
    repeat = found.provenance
    assert repeat["command"] == {"command": "toysearch report"}
    assert repeat["index"]["SHA-256"] == index.checksum
    assert repeat["models"]["tfidf:tf=binary"].startswith("tfidf:tf=")
    assert repeat["choices"]["seed"] == "0"
    assert repeat["choices"]["k"] == "1000"
    assert repeat["choices"]["seed of the robustness card"] == "0"
    assert set(repeat["versions"]) > {"toysearch", "Python", "numpy"}
