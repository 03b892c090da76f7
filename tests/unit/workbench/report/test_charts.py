"""The charts: each number is one of the evaluation, each description says what is seen; pictures and their files."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from tiers import thinned

from toysearch import compare
from toysearch.base.errors import ArgumentError
from toysearch.files.replaceable_files import refuse_loss
from toysearch.files.writing import PDF_MARK
from toysearch.workbench.report import charts
from toysearch.workbench.report.chart_files import drawing_script, pdf, png, svg, true_minus, write_whole
from toysearch.workbench.report.charts import curves_of, ranks_of

vl_convert = pytest.importorskip("vl_convert")

QRELS = {str(n): {"a": 1, "b": n % 2} for n in range(6)}
RUNS = {
    "base": {n: ["b", "a", "c"] for n in QRELS},
    "new": {n: ["a", "b"] if n < "3" else ["c", "b", "a"] for n in QRELS},
    "same": {n: ["b", "a", "c"] for n in QRELS},
}


@pytest.fixture
def comparison():
    return compare(RUNS, QRELS, "RR P@2")


def values(chart):
    """All rows of all data of a chart."""
    return [row for rows in chart["datasets"].values() for row in rows]


def test_precision_and_recall(comparison):
    curves = curves_of(comparison)
    rows = values(charts.precision_recall(curves, {}))
    assert [row["system"] for row in rows] == ["base", "new", "same"]
    assert all(row["query"] == charts.MEAN for row in rows)
    for row in rows:
        assert row["precision"] == pytest.approx(curves[row["system"]].mean, abs=1e-6)


def test_the_choice_of_a_query(comparison):
    curves = curves_of(comparison)
    chart = charts.precision_recall(curves, {"1": "a cat " * 30}, choose=True)
    [row] = [row for row in values(chart) if (row["system"], row["query"]) == ("new", "1")]
    assert row["precision"] == pytest.approx(curves["new"].per_query["1"], abs=1e-6)
    (chosen,) = chart["params"]
    assert chosen["bind"]["options"] == [charts.MEAN, *QRELS]
    assert chosen["bind"]["labels"][2] == f"1: {('a cat ' * 30)[:66]}…"
    assert len(values(chart)) == 3 * 7


def test_differences_fall_and_name_the_higher(comparison):
    pair = comparison.pair("RR", "new")
    rows = [row for row in values(charts.query_differences(comparison, pair, {"0": "a cat"})) if "query" in row]
    differences = [row["difference"] for row in rows]
    assert differences == sorted(differences, reverse=True)
    assert {row["query"]: row["difference"] for row in rows} == pytest.approx(
        dict(zip(comparison.query_ids["RR"], comparison.differences(pair).tolist(), strict=True)), abs=1e-6
    )
    for row in rows:
        assert row["difference"] == pytest.approx(row["system"] - row["other"], abs=1e-6)
        assert row["higher"] == ("new" if row["difference"] > 0 else "base")
    assert next(row for row in rows if row["query"] == "0")["text"] == "a cat"


def test_ranks(comparison):
    found = ranks_of(comparison)
    rows = values(charts.judged_by_rank(found))
    assert sum(row["queries"] for row in rows) == 3 * 20 * 6
    first = {row["kind"]: row["queries"] for row in rows if row["rank"] == 1 and row["system"] == "new"}
    assert first == {"relevant": 3, "unjudged": 3}


# Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB.
SEEN = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


@pytest.mark.parametrize("sight", SEEN)
def test_the_colour_blind_can_tell_any_two_systems_apart(sight):
    def seen(colour):
        parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        shown = np.clip(np.array(SEEN[sight]) @ linear, 0, 1)
        return np.where(shown <= 0.0031308, shown * 12.92, 1.055 * shown ** (1 / 2.4) - 0.055)

    for first, second in itertools.combinations(charts.COLOURS[:6], 2):
        assert np.abs(seen(first) - seen(second)).max() > 0.1, (first, second)


@pytest.mark.system
def test_equal_charts_are_equal_whatever_was_drawn_before(comparison):
    pair = comparison.pair("RR", "new")
    makers = (
        lambda: charts.precision_recall(curves_of(comparison), {}, choose=True),
        lambda: charts.query_differences(comparison, pair, {}),
        lambda: charts.judged_by_rank(ranks_of(comparison)),
    )
    before = [make() for make in makers]
    assert [make() for make in makers] == before
    assert all(chart["description"] for chart in before)


@pytest.mark.system
def test_systems_stand_in_the_order_in_which_they_were_given():
    comparison = compare(dict.fromkeys(("z", "a", "M"), RUNS["new"]), QRELS, "nDCG P@2 AP")
    ranked = svg(charts.judged_by_rank(ranks_of(comparison)))
    assert sorted(["z", "a", "M"], key=lambda name: ranked.index(f">{name}<")) == ["z", "a", "M"]


POINT = re.compile(r'aria-label="recall: ([0-9.]+); interpolated precision: ([0-9.]+); system: (\w+); query: ([^;]+);')


@pytest.mark.system
@pytest.mark.parametrize("chosen", thinned([charts.MEAN, "1", "4"], 3))
def test_who_chooses_a_query_sees_its_curves(comparison, chosen):
    curves = curves_of(comparison)
    chart = charts.precision_recall(curves, {}, choose=True)
    chart["params"][0]["value"] = chosen
    drawn = {(float(x), system): float(y) for x, y, system, query in POINT.findall(svg(chart)) if query == chosen}
    expected = {name: each.mean if chosen == charts.MEAN else each.per_query[chosen] for name, each in curves.items()}
    assert drawn == {
        (level / 10, name): pytest.approx(y, abs=1e-6) for name, ys in expected.items() for level, y in enumerate(ys)
    }


@pytest.fixture(scope="module")
def ranks():
    qrels = {str(n): {"a": 1} for n in range(6)}
    compared = compare({"<x> & y": {n: ["a"] for n in qrels}, "z": {n: ["b"] for n in qrels}}, qrels, "RR")
    return charts.judged_by_rank(ranks_of(compared))


@pytest.mark.system
def test_svg_is_xml_with_the_texts(ranks):
    picture = svg(charts.titled(ranks, "a <title>"))
    texts = {
        "".join(each.itertext()) for each in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {"<x> & y", "z", "rank", "a <title>"} <= texts
    assert svg(charts.titled(ranks, "a <title>")) == picture


@pytest.mark.system
def test_png_is_twice_as_large_as_svg(ranks):
    picture = png(ranks)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width = int.from_bytes(picture[16:20], "big")
    assert width == pytest.approx(2 * float(ElementTree.fromstring(svg(ranks)).attrib["width"]), abs=2)


@pytest.mark.system
def test_pdf_can_be_read_and_is_recognised(ranks, tmp_path):
    made = pdf(charts.titled(ranks, "a title"))
    assert made.startswith(b"%PDF-")
    assert made.endswith(b"%%EOF" + PDF_MARK)
    table = int(made.rpartition(b"startxref")[2].split()[0])  # where the table of objects begins
    assert made[table:].startswith(b"xref") or b" obj" in made[table : table + 20]
    charts.Plot(ranks, "a title").save(tmp_path / "ranks.pdf")
    assert refuse_loss(tmp_path / "ranks.pdf", "chart") is None
    (tmp_path / "foreign.pdf").write_bytes(made.removesuffix(PDF_MARK))
    with pytest.raises(ArgumentError, match=r"foreign\.pdf"):
        refuse_loss(tmp_path / "foreign.pdf", "chart")


@pytest.mark.system
def test_the_script_asks_for_nothing():
    script = drawing_script()
    assert "</script" not in script
    assert "window.vegaEmbed=" in script


@pytest.mark.system
def test_what_cannot_be_made_leaves_no_file(tmp_path):
    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a.svg", {".svg": fails})
    assert list(tmp_path.iterdir()) == []


def test_by_a_measure_without_a_better_side_queries_rise_and_fall():
    runs = {"old": {n: ["a"] for n in "123"}, "new": {n: ["a", "b"] for n in "123"}}
    found = compare(runs, {n: {"a": 1} for n in "123"}, "NumRet")
    assert charts.plot("queries", found)["description"].endswith("; 3 queries rise, 0 stay, 0 fall.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("-0.5 to +0.5", "−0.5 to +0.5"), ("(-.5)", "(−.5)"), ("lm-jm bm25-2", "lm-jm bm25-2"), ("", "")],
)
def test_hyphens_before_numbers_are_minus_signs(text, expected):
    assert true_minus(text) == expected
