"""A comparison as tables for people, programs and papers, and what is concluded from it."""

import math
import re

import pytest

from toysearch.base import Column, Marked
from toysearch.base.rendering import latex_number, latex_text, render
from toysearch.study.compare.comparison import Caveat, compare
from toysearch.study.compare.comparison_tables import (
    caveat_lines,
    compared_rows,
    compared_tables,
    difference_cells,
    difference_columns,
    legend,
    paper_table,
    power_table,
)
from toysearch.study.compare.sensitivity import Sensitivity
from toysearch.study.compare.significance import TestResult

JUDGED = {f"q{n}": {"a": 1, "b": 0} for n in range(30)}
RUNS = {
    name: {query: ["a", "b"] if n < first else ["b", "a"] for n, query in enumerate(JUDGED)}
    for name, first in (("old", 0), ("new", 12), ("newer", 13))
}


def test_the_best_is_bold_on_a_terminal_and_has_an_asterisk_elsewhere():
    comparison = compare(RUNS, JUDGED, "AP")
    means = [[row[1] for row in next(compared_tables(comparison, terminal)).rows] for terminal in (True, False)]
    assert means == [["0.5000", "0.7000~", Marked("0.7167", [(0, 6)])], ["0.5000", "0.7000~", "0.7167*"]]
    for best in ("bold", "*"):
        assert legend(comparison, best).endswith(
            f" · +/=/−: queries won, tied, lost · {best}: best, ~: indistinguishable from it"
        )


def test_the_legend_names_no_sign_that_a_table_with_columns_for_them_lacks():
    assert legend(compare(RUNS, JUDGED, "AP"), "").endswith(
        " · d_z: mean difference / standard deviation of the differences"
    )


def test_each_query_has_a_row_with_the_values_and_their_differences():
    comparison = compare(RUNS, {query: JUDGED[query] for query in ("q0", "q12", "q13")}, "AP P@1")
    [table] = comparison.per_query.tables("csv")
    names = ["measure", "query_id", "old", "new", "newer", "new minus old", "newer minus old"]
    assert [column.name for column in table.columns] == names
    assert table.rows == [
        ["AP", "q0", 0.5, 1.0, 1.0, 0.5, 0.5],
        ["AP", "q12", 0.5, 0.5, 1.0, 0.0, 0.5],
        ["AP", "q13", 0.5, 0.5, 0.5, 0.0, 0.0],
        ["AP", "all", 0.5, pytest.approx(2 / 3), pytest.approx(5 / 6), pytest.approx(1 / 6), pytest.approx(1 / 3)],
        ["P@1", "q0", 0.0, 1.0, 1.0, 1.0, 1.0],
        ["P@1", "q12", 0.0, 0.0, 1.0, 0.0, 1.0],
        ["P@1", "q13", 0.0, 0.0, 0.0, 0.0, 0.0],
        ["P@1", "all", 0.0, pytest.approx(1 / 3), pytest.approx(2 / 3), pytest.approx(1 / 3), pytest.approx(2 / 3)],
    ]
    assert [table.title for table in comparison.per_query.tables()] == ["AP", "P@1"]


def test_the_rows_of_the_queries_agree_with_the_evaluations_and_the_pairs():
    for settings in ({}, {"pairs": "all"}, {"baseline": "newer"}):
        comparison = compare(RUNS, JUDGED, "AP nDCG@10 NumRet", **settings)
        for row in comparison.per_query.data():
            query, measure = row["query_id"], row["measure"]
            means = comparison.means[measure]
            for name, value in row["values"].items():
                per_query = comparison.evaluations[name].per_query
                assert value == (means[name] if query == "all" else per_query[query][measure])
            for pair in comparison.pairs:
                difference = row["differences"][f"{pair.system} minus {pair.other}"]
                assert difference == pytest.approx(row["values"][pair.system] - row["values"][pair.other])


def test_one_system_has_values_and_no_differences():
    [table] = compare({"old": RUNS["old"]}, JUDGED, "AP").per_query.tables()
    assert [column.name for column in table.columns] == ["query_id", "old"]


def test_a_measure_that_is_neither_good_nor_bad_has_no_best():
    comparison = compare(RUNS, JUDGED, "NumRet")
    assert [row[1] for row in next(compared_tables(comparison, False)).rows] == ["2.0000"] * 3
    assert legend(comparison, "*").endswith(" · +/=/−: queries higher, equal, lower")
    assert [row[13] for row in compared_rows(comparison, "tsv").rows] == ["", "", ""]


def test_a_small_p_is_not_0_in_a_paper():
    clear = compare(
        {"old": RUNS["old"], "all": {query: ["a"] if query != "q1" else ["b"] for query in JUDGED}}, JUDGED, "AP"
    )
    assert clear.pairs[0].p < 0.0001
    assert [compared_rows(clear, form).rows[1][8] for form in ("markdown", "latex")] == ["<0.0001", "<0.0001"]
    assert compared_rows(clear, "csv").rows[1][8] == clear.pairs[0].p


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "t test, p and CI corrected (holm) for 4 comparisons, all measures together, alpha 0.05"),
        (
            {"correction": "none", "test": "sign", "alpha": 0.1},
            "sign test, p and CI by Student's t not corrected, alpha 0.1",
        ),
        (
            {"pairs": "all"},
            "randomised Tukey HSD, p and CI corrected for all pairs and all measures together, alpha 0.05",
        ),
        (
            {"family": "measure"},
            "t test, p and CI corrected (holm) for 2 comparisons, each measure by itself, alpha 0.05",
        ),
        (
            {"pairs": "all", "family": "measure"},
            "randomised Tukey HSD, p and CI corrected for all pairs by each measure, alpha 0.05",
        ),
    ],
)
def test_the_legend_says_how_it_was_tested(settings, expected):
    assert legend(compare(RUNS, JUDGED, "AP P@1", **settings), False).partition(" · ")[0] == expected


RESULT = TestResult("t", 5, 0.1, -0.01, 0.21, 0.00001, 0.9)
ONE_QUERY = TestResult("t", 1, 0.1, -math.inf, math.inf, 1.0, math.nan)


def test_for_people_the_interval_is_one_cell():
    assert [column.header for column in difference_columns("99% CI", "table")] == ["diff.", "99% CI", "p", "d_z"]
    assert difference_cells(RESULT, 0.00001, "table") == ["+0.1000", "-0.010 +0.210", "<0.0001", "+0.90"]
    assert difference_cells(ONE_QUERY, 1.0, "table") == ["+0.1000", "too few queries", "1.0000", ""]
    assert difference_cells(None, 1.0, "table") == ["", "", "", ""]


def test_for_papers_and_programs_its_ends_are_two():
    names = ["difference", "low", "high", "p", "effect"]
    assert [column.name for column in difference_columns("95% CI", "csv")] == names
    assert difference_cells(RESULT, 0.00001, "csv") == [0.1, -0.01, 0.21, 0.00001, 0.9]
    assert difference_cells(RESULT, 0.00001, "latex") == [0.1, -0.01, 0.21, "<0.0001", 0.9]
    assert difference_cells(0.1, 1.0, "csv") == [0.1, None, None, None, None]


QUERIES = [f"q{n}" for n in range(30)]
PAPER_QRELS = {query: {"a": 1, "b": 0} for query in QUERIES}
GOOD, BAD = {query: ["a", "b"] for query in QUERIES}, {query: ["b", "a"] for query in QUERIES}
MIXED = {query: (["a", "b"] if place % 2 else ["b", "a"]) for place, query in enumerate(QUERIES)}


def rows(latex: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
        for line in latex.splitlines()
        if line.endswith(r"\\")
    ]


def test_letters_name_the_systems_that_are_significantly_worse():
    found = compare({"bad": BAD, "mixed": MIXED, "good": GOOD}, PAPER_QRELS, "RR P@1", test="sign", pairs="all")
    assert rows(paper_table(found)) == [
        ["", "System", "RR", "P@1"],
        ["a", "bad", "0.5000", "0.0000"],
        ["b", "mixed", "0.7500$^{a}$", "0.5000$^{a}$"],
        ["c", "good", r"\textbf{1.0000}$^{a,b}$", r"\textbf{1.0000}$^{a,b}$"],
    ]


def test_no_system_is_worse_by_a_measure_without_a_better_side():
    found = compare({"good": GOOD, "bad": {query: ["b"] for query in QUERIES}}, PAPER_QRELS, "NumRet SetE")
    assert found.pairs[0].p < 0.05
    assert rows(paper_table(found))[1:] == [
        ["a", "good", "2.0000", r"\textbf{0.3333}$^{b}$"],
        ["b", "bad", "1.0000", "1.0000"],
    ]


def test_the_caption_says_what_repeats_the_test():
    found = compare({"good": GOOD, "bad": BAD}, PAPER_QRELS, "RR P@1", correction="bh", alpha=0.01, test="wilcoxon")
    caption = " ".join(paper_table(found).split())
    assert r"Means over 30 queries;" in caption
    assert r"Wilcoxon signed-rank test, $p \leq 0.01$, Benjamini and Hochberg's correction for 2 comparisons" in caption
    plain = " ".join(paper_table(compare({"x": GOOD, "y": BAD}, PAPER_QRELS, "RR", correction="none")).split())
    assert r"paired $t$ test, $p \leq 0.05$, not corrected" in plain


@pytest.mark.parametrize(
    "name", ["a_b", "50 % & more", "#1", "$x^2$", "{}", "~\\", "x\ny\x1b[31m", "日本 é −1", "*[z]"]
)
def test_any_name_is_escaped(name):
    latex = paper_table(compare({name: GOOD, "bad": BAD}, PAPER_QRELS, "RR"))
    cell = rows(latex)[1][1]
    assert not re.search(r"(?<!\\)[_%#&]|[\n\x00-\x1f]", cell)
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    assert len({len(row) for row in rows(latex)}) == 1
    assert re.sub(r"\\textasciicircum\{\}|\\\$|\$-\$", "", cell).count("$") == 0


def test_minus_signs_are_true_ones():
    assert latex_number("-0.02 -.5 1e-05 bm25-okapi") == "$-$0.02 $-$.5 1e-05 bm25-okapi"
    assert latex_text("−1 × 2") == r"$-$1 $\times$ 2"
    columns = [Column("name"), Column("gain", justify="right", format="+.2f")]
    assert r"x-1 & $-$0.25 \\" in render(columns, [("x-1", -0.25)], "latex")


JUDGED_BY_NUMBER = {str(n): {"a": 1} for n in range(30)}
BEST = {n: ["a"] for n in JUDGED_BY_NUMBER}
POOR = {n: ["b", "a"] if int(n) < 15 else ["b", "c", "d", "a"] for n in JUDGED_BY_NUMBER}
NEARLY = {n: ["a"] if int(n) < 29 else ["b", "a"] for n in JUDGED_BY_NUMBER}


def some(kind: str, number: int) -> list[Caveat]:
    return [Caveat(kind, "AP", f"s{n}", "base", "as it is") for n in range(number)]


def test_caveats_that_hold_of_many_pairs_are_not_all_told():
    assert caveat_lines(some("ties", 1)) == ["ties: AP, s0 minus base: as it is"]
    assert len(caveat_lines(some("ties", 3))) == 3
    assert caveat_lines(some("ties", 4))[2:] == ["ties: AP: the same holds for 2 more pairs (as JSON, all are listed)"]
    assert caveat_lines(some("bounds", 5)) == ["unjudged: as it is: AP (5 pairs)"]
    assert len(caveat_lines(some("ties", 2) + some("one query", 2))) == 4


def test_measures_of_differing_queries_say_so():
    judged = PAPER_QRELS | {"empty": {"a": 0}}
    runs = {"good": GOOD | {"empty": ["a"]}, "bad": BAD | {"empty": ["b"]}}
    found = compare(runs, judged, "RR Judged@1", undefined="nan")
    assert "the queries (RR: 30, Judged@1: 31)" in " ".join(paper_table(found).split())


def test_a_difference_of_0_needs_more_queries_than_there_are():
    rows = [Sensitivity("AP", "x", "y", 30, 0.0, 0.1, queries) for queries in (float("inf"), float("nan"), 1234.0)]
    assert [row[-1] for row in power_table(rows).rows] == ["∞", "", "1,234"]


def test_an_interval_beside_ranks_or_signs_names_its_source():
    found = compare(["tfidf", "dph"], "companions", "AP", test="wilcoxon")
    assert "(+0.0270, 95% CI by Student's t +0.0016 to +0.0525; p = 0.0779)" in found.data()["verdict"]
    assert "95% CI by Student's t" in str(found)
