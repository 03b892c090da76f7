"""A comparison as tables: marks, legends, and caveats that hold of many pairs."""

from __future__ import annotations

import pytest

from toysearch.laboratory.experiments.caveats import Caveat
from toysearch.laboratory.experiments.comparison import compare
from toysearch.laboratory.experiments.stats.power import Sensitivity
from toysearch.laboratory.reports.comparison_text import (
    caveat_lines,
    compared_rows,
    compared_tables,
    legend,
    power_table,
)
from toysearch.laboratory.reports.tables import Marked

JUDGED = {f"q{n}": {"a": 1, "b": 0} for n in range(30)}
RUNS = {
    name: {query: ["a", "b"] if n < first else ["b", "a"] for n, query in enumerate(JUDGED)}
    for name, first in (("old", 0), ("new", 12), ("newer", 13))
}


def some(kind: str, number: int) -> list[Caveat]:
    return [Caveat(kind, "AP", f"s{n}", "base", "as it is") for n in range(number)]


def test_the_best_is_bold_on_a_terminal_and_has_an_asterisk_elsewhere():
    comparison = compare(RUNS, JUDGED, "AP")
    means = [[row[1] for row in compared_tables(comparison, terminal)[0].rows] for terminal in (True, False)]
    assert means == [["0.5000", "0.7000~", Marked("0.7167", [(0, 6)])], ["0.5000", "0.7000~", "0.7167*"]]
    assert legend(comparison, True).endswith("bold: best, ~: cannot be told from it")
    assert legend(comparison, False).endswith("*: best, ~: cannot be told from it")


def test_a_measure_that_is_neither_good_nor_bad_has_no_best():
    comparison = compare(RUNS, JUDGED, "NumRet")
    assert [row[1] for row in compared_tables(comparison, False)[0].rows] == ["2.0000"] * 3
    assert legend(comparison, False).endswith("+/=/−: queries won, tied, lost")
    assert [row[13] for row in compared_rows(comparison, "tsv").rows] == ["", "", ""]


def test_a_small_p_is_not_0_in_a_paper():
    clear = compare(
        {"old": RUNS["old"], "all": {query: ["a"] if query != "q1" else ["b"] for query in JUDGED}}, JUDGED, "AP"
    )
    assert clear.pairs[0].p < 0.0001
    assert [compared_rows(clear, form).rows[1][8] for form in ("markdown", "latex")] == ["<0.0001", "<0.0001"]
    assert compared_rows(clear, "csv").rows[1][8] == clear.pairs[0].p


def test_decimal_points_stand_in_a_line():
    deep = {query: [f"x{n}" for n in range(12)] for query in JUDGED}
    comparison = compare({**RUNS, "deep": deep}, JUDGED, "NumRet")
    assert [row[1] for row in compared_tables(comparison, False)[0].rows][-2:] == [" 2.0000", "12.0000"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "t test, p corrected (holm) for 4 comparisons, all measures together, alpha 0.05"),
        ({"correction": "none", "test": "sign", "alpha": 0.1}, "sign test, p not corrected, alpha 0.1"),
        ({"pairs": "all"}, "randomised Tukey HSD, p corrected for all pairs and all measures together, alpha 0.05"),
        (
            {"pairs": "all", "correction": "none"},
            "randomised Tukey HSD, p corrected for all pairs by each measure, alpha 0.05",
        ),
        (
            {"pairs": "all", "test": "t"},
            "t test, p corrected (holm) for 6 comparisons, all measures together, alpha 0.05",
        ),
        ({"family": "measure"}, "t test, p corrected (holm) for 2 comparisons, each measure by itself, alpha 0.05"),
        (
            {"pairs": "all", "family": "measure"},
            "randomised Tukey HSD, p corrected for all pairs by each measure, alpha 0.05",
        ),
    ],
)
def test_the_legend_says_how_it_was_tested(settings, expected):
    assert legend(compare(RUNS, JUDGED, "AP P@1", **settings), False).partition(" · ")[0] == expected


def test_another_level_has_another_interval():
    table = compared_tables(compare(RUNS, JUDGED, "AP", alpha=0.01), False)[0]
    assert [column.header for column in table.columns][3] == "99 % int."


def test_caveats_that_hold_of_many_pairs_are_not_all_told():
    assert caveat_lines(some("ties", 1)) == ["ties: AP, s0 less base: as it is"]
    assert len(caveat_lines(some("ties", 3))) == 3
    assert caveat_lines(some("ties", 4))[2:] == ["ties: AP: so too of 2 more pairs (--json has all)"]
    assert caveat_lines(some("bounds", 5)) == ["unjudged: as it is: AP (5 pairs)"]
    assert len(caveat_lines(some("ties", 2) + some("one query", 2))) == 4


def test_a_difference_of_0_needs_more_queries_than_there_are():
    rows = [Sensitivity("AP", "x", "y", 30, 0.0, 0.1, queries) for queries in (float("inf"), float("nan"), 1234.0)]
    assert [row[-1] for row in power_table(rows, 0.8).rows] == ["∞", "", "1,234"]
