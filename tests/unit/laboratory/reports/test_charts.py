"""The charts: each number in them is one of the evaluation, and each description says what is seen."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from toysearch import ArgumentError, compare
from toysearch.laboratory.reports import charts
from toysearch.laboratory.reports.chart_files import curves_of, ranks_of, svg

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


def test_one_query_and_the_choice_of_one(comparison):
    curves = curves_of(comparison)
    (row,) = [row for row in values(charts.precision_recall(curves, {}, query_id="1")) if row["system"] == "new"]
    assert row["precision"] == pytest.approx(curves["new"].per_query["1"], abs=1e-6)
    chart = charts.precision_recall(curves, {"1": "a cat " * 30}, choose=True)
    (chosen,) = chart["params"]
    assert chosen["bind"]["options"] == [charts.MEAN, *QRELS]
    assert chosen["bind"]["labels"][2] == f"1: {('a cat ' * 30)[:66]}…"
    assert len(values(chart)) == 3 * 7
    with pytest.raises(ArgumentError, match="there is no judged query '9' to draw"):
        charts.precision_recall(curves, {}, query_id="9")


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


def test_boxes_have_every_value(comparison):
    rows = values(charts.value_boxes(comparison))
    assert len(rows) == 2 * 3 * 6
    for measure in ("RR", "P@2"):
        for place, system in enumerate(comparison.systems):
            own = [row["value"] for row in rows if (row["measure"], row["system"]) == (measure, system)]
            assert own == pytest.approx(comparison.values[measure][:, place], abs=1e-6)


def test_ranks(comparison):
    found = ranks_of(comparison)
    rows = values(charts.judged_by_rank(found))
    assert sum(row["queries"] for row in rows) == 3 * 20 * 6
    first = {row["kind"]: row["queries"] for row in rows if row["rank"] == 1 and row["system"] == "new"}
    assert first == {"relevant": 3, "unjudged": 3}


def contrast(first, second):
    """The ratio of contrast of two colours: WCAG 2.1, relative luminance."""

    def luminance(colour):
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted(map(luminance, (first, second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


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


def test_systems_differ_by_dashes_too(comparison):
    chart = charts.precision_recall(curves_of(comparison), {})
    assert len({tuple(dash) for dash in chart["encoding"]["strokeDash"]["scale"]["range"]}) == 3


def test_lines_are_seen_on_white():
    assert min(contrast(colour, "#FFFFFF") for colour in charts.COLOURS) > 2


def test_equal_charts_are_equal_whatever_was_drawn_before(comparison):
    pair = comparison.pair("RR", "new")
    makers = (
        lambda: charts.precision_recall(curves_of(comparison), {}, choose=True),
        lambda: charts.query_differences(comparison, pair, {}),
        lambda: charts.value_boxes(comparison),
        lambda: charts.judged_by_rank(ranks_of(comparison)),
    )
    before = [make() for make in makers]
    assert [make() for make in makers] == before
    assert all(chart["description"] for chart in before)


def test_measures_and_systems_stand_in_the_order_in_which_they_were_given():
    comparison = compare(dict.fromkeys(("z", "a", "M"), RUNS["new"]), QRELS, "nDCG P@2 AP")
    drawn = svg(charts.value_boxes(comparison))
    assert sorted(["nDCG", "P@2", "AP"], key=lambda name: drawn.index(f">{name}<")) == ["nDCG", "P@2", "AP"]
    ranked = svg(charts.judged_by_rank(ranks_of(comparison)))
    assert sorted(["z", "a", "M"], key=lambda name: ranked.index(f">{name}<")) == ["z", "a", "M"]


POINT = re.compile(r'aria-label="recall: ([0-9.]+); interpolated precision: ([0-9.]+); system: (\w+); query: ([^;]+);')


@pytest.mark.parametrize("chosen", [charts.MEAN, "1", "4"])
def test_who_chooses_a_query_sees_its_curves(comparison, chosen):
    curves = curves_of(comparison)
    chart = charts.precision_recall(curves, {}, choose=True)
    chart["params"][0]["value"] = chosen
    drawn = {(float(x), system): float(y) for x, y, system, query in POINT.findall(svg(chart)) if query == chosen}
    expected = {name: each.mean if chosen == charts.MEAN else each.per_query[chosen] for name, each in curves.items()}
    assert drawn == {
        (level / 10, name): pytest.approx(y, abs=1e-6) for name, ys in expected.items() for level, y in enumerate(ys)
    }
