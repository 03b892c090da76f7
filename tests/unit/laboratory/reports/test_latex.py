"""A comparison as LaTeX: what a paper's table needs, whatever the systems are called."""

from __future__ import annotations

import re

import pytest

import toysearch
from toysearch.laboratory.experiments.comparison import compare
from toysearch.laboratory.reports.comparison_text import paper_table
from toysearch.laboratory.reports.tables import Column, latex_number, latex_text, render

QUERIES = [f"q{n}" for n in range(30)]
JUDGED = {query: {"a": 1, "b": 0} for query in QUERIES}
GOOD, BAD = {query: ["a", "b"] for query in QUERIES}, {query: ["b", "a"] for query in QUERIES}
MIXED = {query: (["a", "b"] if place % 2 else ["b", "a"]) for place, query in enumerate(QUERIES)}


def rows(latex: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
        for line in latex.splitlines()
        if line.endswith(r"\\")
    ]


def test_letters_name_the_systems_that_are_significantly_worse():
    found = compare({"bad": BAD, "mixed": MIXED, "good": GOOD}, JUDGED, "RR P@1", test="sign", pairs="all")
    assert rows(paper_table(found)) == [
        ["", "System", "RR", "P@1"],
        ["a", "bad", "0.5000", "0.0000"],
        ["b", "mixed", "0.7500$^{a}$", "0.5000$^{a}$"],
        ["c", "good", r"\textbf{1.0000}$^{a,b}$", r"\textbf{1.0000}$^{a,b}$"],
    ]


def test_a_baseline_that_is_better_has_the_letters():
    found = compare({"good": GOOD, "bad": BAD, "same": GOOD}, JUDGED, "RR", test="sign")
    assert [row[2] for row in rows(paper_table(found))[1:]] == [r"\textbf{1.0000}$^{b}$", "0.5000", "1.0000"]
    assert "each system compared with good" in " ".join(paper_table(found).split())


def test_where_lower_is_better_the_lower_one_has_the_letters():
    found = compare({"good": GOOD, "bad": BAD}, JUDGED, "ESL", test="sign")
    assert [row[2] for row in rows(paper_table(found))[1:]] == [r"\textbf{0.0000}$^{b}$", "1.0000"]


def test_the_caption_says_what_repeats_the_test():
    found = compare({"good": GOOD, "bad": BAD}, JUDGED, "RR P@1", correction="bh", alpha=0.01, test="wilcoxon")
    caption = " ".join(paper_table(found).split())
    assert r"Means over 30 queries;" in caption
    assert r"Wilcoxon signed-rank test, $p \leq 0.01$, Benjamini and Hochberg's correction for 2 comparisons" in caption
    plain = " ".join(paper_table(compare({"x": GOOD, "y": BAD}, JUDGED, "RR", correction="none")).split())
    assert r"paired $t$ test, $p \leq 0.05$, not corrected" in plain


def test_measures_of_differing_queries_say_so():
    judged = JUDGED | {"empty": {"a": 0}}
    runs = {"good": GOOD | {"empty": ["a"]}, "bad": BAD | {"empty": ["b"]}}
    found = compare(runs, judged, "RR Judged@1", undefined="nan")
    assert "the queries (RR: 30, Judged@1: 31)" in " ".join(paper_table(found).split())


@pytest.mark.parametrize(
    "name", ["a_b", "50 % & more", "#1", "$x^2$", "{}", "~\\", "x\ny\x1b[31m", "日本 é −1", "*[z]"]
)
def test_any_name_is_escaped(name):
    latex = paper_table(compare({name: GOOD, "bad": BAD}, JUDGED, "RR"))
    cell = rows(latex)[1][1]
    assert not re.search(r"(?<!\\)[_%#&]|[\n\x00-\x1f]", cell)
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    assert len({len(row) for row in rows(latex)}) == 1
    assert re.sub(r"\\textasciicircum\{\}|\\\$|\$-\$", "", cell).count("$") == 0


def test_more_systems_than_letters():
    runs = {f"s{n}": MIXED for n in range(27)} | {"best": GOOD}
    table = rows(paper_table(compare(runs, JUDGED, "RR", test="sign", correction="none")))
    assert [row[0] for row in table[26:]] == ["z", "aa", "ab"]
    assert table[-1][2] == r"\textbf{1.0000}$^{a}$"


def test_every_begin_has_its_end():
    latex = compare({"good": GOOD, "bad": BAD}, JUDGED, "RR").to_latex()
    assert re.findall(r"\\(begin|end)\{(\w+)\}", latex) == [
        ("begin", "table"),
        ("begin", "tabular"),
        ("end", "tabular"),
        ("end", "table"),
    ]
    order = [latex.index(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")]
    assert order == sorted(order)
    assert r"\label{tab:comparison}" in latex
    assert latex == toysearch.as_text(compare({"good": GOOD, "bad": BAD}, JUDGED, "RR"), "latex")


def test_minus_signs_are_true_ones():
    assert latex_number("-0.02 -.5 1e-05 bm25-okapi") == "$-$0.02 $-$.5 1e-05 bm25-okapi"
    assert latex_text("−1 × 2") == r"$-$1 $\times$ 2"
    columns = [Column("name"), Column("gain", justify="right", format="+.2f")]
    assert r"x-1 & $-$0.25 \\" in render(columns, [("x-1", -0.25)], "latex")
