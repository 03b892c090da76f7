"""Rows as tables, TSV and JSON: whole texts; parts that are rounded together."""

import csv
import io
import json
import math
import re
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base import Column, Marked, ResultTable, Sentences, number_columns
from toysearch.base.rendering import html_of, render, rounded_together

COLUMNS = [
    Column("rank", justify="right"),
    Column("doc_id"),
    Column("score", justify="right", format=".4f"),
    Column("title", wrap=True),
]
ROWS = [
    (1, "184", 27.06251234, "scale models for thermo-aeroelastic research"),
    (2, "12", -0.5, "some structural problems"),
    (10, "486", 3, None),
]


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    """One that can write in bold, and is as wide as is said."""
    monkeypatch.setenv("TERM", "xterm")


def bare(text: str) -> str:
    """The text without a terminal's escape sequences."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_plain_table_is_aligned_and_ends_no_line_with_blanks():
    assert render(COLUMNS, ROWS) == (
        "rank  doc_id    score  title\n"
        "   1  184     27.0625  scale models for thermo-aeroelastic research\n"
        "   2  12      -0.5000  some structural problems\n"
        "  10  486      3.0000"
    )


def test_wide_and_combining_characters_are_aligned_by_what_they_take_on_the_screen():
    rows = [("猫", 1), ("café", 2), ("cafe\u0301", 3), ("cat", 4)]
    assert render([Column("term"), Column("tf")], rows).splitlines() == [
        "term  tf",
        "猫    1",
        "café  2",
        "cafe\u0301  3",
        "cat   4",
    ]


@pytest.mark.parametrize("end", ["\t", "\n", "\r", "\x1b", "\x85", "\u2028"])
def test_what_would_end_a_cell_or_a_line_becomes_a_blank(end):
    rows = [(f"one{end}two", 1)]
    columns = [Column("text"), Column("n")]
    assert render(columns, rows, "tsv") == "text\tn\none two\t1"
    assert render(columns, rows) == "text     n\none two  1"
    assert bare(render(columns, rows, width=80)).split() == ["text", "n", "─" * 10, "one", "two", "1"]
    assert json.loads(render(columns, rows, "json")) == [{"text": f"one{end}two", "n": 1}]


def test_tsv_has_every_number_in_full():
    assert render(COLUMNS, ROWS, "tsv") == (
        "rank\tdoc_id\tscore\ttitle\n"
        "1\t184\t27.06251234\tscale models for thermo-aeroelastic research\n"
        "2\t12\t-0.5\tsome structural problems\n"
        "10\t486\t3\t"
    )


def test_json_is_the_callers_own_object_where_there_is_one():
    data = {"mean": np.float64(0.1), "n": np.int64(3), "all": np.array([1.5, np.nan]), 7: (np.inf, "猫")}
    text = render(COLUMNS, ROWS, "json", data=data)
    assert json.loads(text) == {"mean": 0.1, "n": 3, "all": [1.5, None], "7": [None, "猫"]}
    assert "猫" in text


def test_a_number_that_is_not_finite_is_named():
    column = [Column("AP", justify="right", format=".4f")]
    assert render(column, [(float("nan"),), (0.25,)]) == "    AP\n   nan\n0.2500"
    assert render(column, [(float("nan"),)], "json") == '[{"AP": null}]'


def test_marked_words_stand_between_asterisks_in_a_plain_table_and_nowhere_else():
    rows = [(Marked("How to train a cat", [(7, 12), (15, 18)]),)]
    column = [Column("text", wrap=True)]
    assert render(column, rows) == "text\nHow to *train* a *cat*"
    assert render(column, rows, "tsv") == "text\nHow to train a cat"
    assert render(column, rows, "json") == '[{"text": "How to train a cat"}]'
    on_terminal = render(column, rows, width=80)
    assert "How to \x1b[1mtrain\x1b[0m a \x1b[1mcat\x1b[0m" in on_terminal


def test_a_terminal_gets_lines_that_fit_and_running_text_wrapped():
    rows = [(rank, "d" * 10, 1.0, "word " * 40) for rank in range(3)]
    text = bare(render(COLUMNS, rows, width=80))
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("word") == 120
    assert text.count("1.0000") == 3


def test_in_a_notebook_nothing_is_shown_besides(monkeypatch, capsys):
    """Where rich takes itself to be in a notebook it would display what it captures."""
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    shown = []
    monkeypatch.setattr("rich.jupyter.display", lambda segments, text: shown.append(text))
    assert "cat" in render([Column("word")], [["cat"]], width=40)
    assert shown == []


def test_a_number_is_never_cut_on_a_narrow_terminal():
    columns = [Column("system"), *(Column(f"nDCG@{k}", justify="right", format=".4f") for k in range(20))]
    text = bare(render(columns, [("bm25", *[0.1234] * 20)], width=40))
    assert text.splitlines()[-1].split() == ["bm25", *["0.1234"] * 20]


def test_a_row_with_a_cell_too_few_is_refused():
    with pytest.raises(ValueError, match="shorter"):
        render(COLUMNS, [(1, "184")])


AWKWARD = [
    Column("name", "a_name | header"),
    Column("count", "how many", justify="right", format=","),
    Column("share", justify="right", format=".2f"),
]
AWKWARD_ROWS = [
    ('50% & "more", _x_ #1', 1234567, 0.125),
    (Marked("a|b cat_dog *c* <b> \\ {d} ~ ^ $ `e` [f]", [(4, 11)]), None, math.nan),
    (" blank ", True, 2),
]


def test_csv_quotes_what_has_to_be_quoted_and_reads_back():
    text = render(AWKWARD, AWKWARD_ROWS, "csv")
    assert text == (
        "name,count,share\n"
        '"50% & ""more"", _x_ #1",1234567,0.125\n'
        "a|b cat_dog *c* <b> \\ {d} ~ ^ $ `e` [f],,nan\n"
        '" blank ",yes,2'
    )
    read = list(csv.reader(io.StringIO(text)))
    assert [row[0] for row in read] == ["name", *(str(row[0]) for row in AWKWARD_ROWS)]


def test_markdown_escapes_what_would_format_or_end_a_cell():
    assert render(AWKWARD, AWKWARD_ROWS, "markdown") == (
        "| a_name \\| header                                        |  how many | share |\n"
        "| :------------------------------------------------------ | --------: | ----: |\n"
        '| 50% & "more", \\_x\\_ #1                                  | 1,234,567 |  0.12 |\n'
        "| a\\|b **cat_dog** \\*c\\* &lt;b> \\\\ {d} \\~ ^ $ \\`e\\` \\[f\\] |           |   nan |\n"
        "| blank                                                   |       yes |  2.00 |"
    )


def test_latex_escapes_what_is_markup():
    assert render(AWKWARD, AWKWARD_ROWS, "latex") == (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "a\\_name \\textbar{} header & how many & share \\\\\n"
        "\\midrule\n"
        '50\\% \\& "more", \\_x\\_ \\#1 & 1,234,567 & 0.12 \\\\\n'
        "a\\textbar{}b \\textbf{cat\\_dog} {*}c{*} \\textless{}b\\textgreater{} \\textbackslash{} \\{d\\} "
        "\\textasciitilde{} \\textasciicircum{} \\$ `e` {[}f] &  & nan \\\\\n"
        " blank  & yes & 2.00 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}"
    )


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_a_cell_cannot_end_its_line_in_any_form(form):
    lines = render([Column("text")], [("one\ntwo\r\x1b[31m",)], form).splitlines()
    assert len(lines) == {"csv": 2, "markdown": 3, "latex": 8}[form]
    assert not any("\x1b" in line for line in lines)


NUMBERS = st.floats(-1e5, 1e5, allow_subnormal=False)


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.sampled_from([2, 4, 6]))
def test_printed_parts_add_up_to_the_printed_total(parts, digits):
    total = math.fsum(parts)
    rounded = rounded_together(parts, total, digits)
    printed = [Decimal(f"{part:.{digits}f}") for part in rounded]
    assert sum(printed) == Decimal(f"{total:.{digits}f}")
    assert all(abs(after - before) <= 1.0001 * 10**-digits for before, after in zip(parts, rounded, strict=True))


def test_whole_units_stay_and_the_largest_remainders_are_raised():
    assert rounded_together([0.5, 0.0, 0.25], 0.75, 2) == [0.5, 0.0, 0.25]
    assert rounded_together([1 / 3, 1 / 3, 1 / 3], 1.0, 2) == [0.34, 0.33, 0.33]
    assert rounded_together([-1 / 3, -2 / 3], -1.0, 2) == [-0.33, -0.67]


def test_parts_of_something_else_are_rounded_one_by_one():
    assert rounded_together([0.126, 0.333], 7.0, 2) == [0.13, 0.33]
    assert rounded_together([math.inf, 0.333], math.inf, 2) == [math.inf, 0.333]
    assert rounded_together([], 0.0) == []


def test_the_first_example_of_the_documentation():
    assert rounded_together([0.5472603656, 0.0478911], 0.5951515) == pytest.approx([0.547260, 0.047891], abs=1.1e-6)


def test_a_long_json_is_written_without_a_list_of_its_pieces() -> None:
    """The list takes eight times the memory of the text."""
    data = {"hits": [*range(50_000)]}
    tracemalloc.start()
    try:
        text = render([], [], "json", data=data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert text == json.dumps(data, indent=2)
    assert peak < 6 * len(text), peak / len(text)


def test_a_page_has_the_parts_of_a_text_in_their_order():
    table = ResultTable([Column("a<b"), *number_columns(".2f", "x")], [["&", 0.5]], "title", "below")
    parts = [Sentences(["one", "<two>"], "", ""), table, Sentences(["why"], heading="because"), "as it\n stands", ""]
    assert html_of(parts) == (
        "<p>one</p><p>&lt;two&gt;</p>\n"
        '<div><table><caption>title</caption><thead><tr><th style="text-align:left">a&lt;b</th>'
        '<th style="text-align:right">x</th></tr></thead><tbody><tr><td style="text-align:left">&amp;</td>'
        '<td style="text-align:right">0.50</td></tr></tbody></table></div><p>below</p>\n'
        "<h2>because</h2><ul><li>why</li></ul>\n<pre>as it\n stands</pre>"
    )
