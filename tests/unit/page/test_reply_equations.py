"""Equations of an explanation as the page sets them: fractions, and every letter of what was written."""

import re
from html import unescape

import pytest

import toysearch
from toysearch.page.reply import equations
from toysearch.study.explain.score_explanation_formulas import expressed_text

OVER = re.compile(r'<mfrac><mrow>(.*)</mrow><mtext class="unseen"> / </mtext><mrow>(.*)</mrow></mfrac>')
BRACKET = re.compile(r'<mtext class="unseen">[()]</mtext>')


def plain(markup):
    return unescape(re.sub("<[^>]+>", "", str(markup)))


@pytest.mark.parametrize(
    ("line", "over", "under"),
    [
        ("w = a / b", "a", "b"),
        ("w = idf · tf / (tf + k1 · length)", "tf", "tf + k1 · length"),
        ("w = ln(1 + (N − df + 0.5) / (df + 0.5))", "N − df + 0.5", "df + 0.5"),
        ("w = -ln(a) / (b)", "-ln(a)", "b"),
        ("w = (a + b)² / c", "(a + b)²", "c"),
        ("tick: w = 2 / (2 + 1.2) = 0.625", "2", "2 + 1.2"),
    ],
)
def test_what_is_before_and_after_a_stroke_is_a_fraction_without_its_outer_brackets(line, over, under):
    [shown] = equations([line])
    assert plain(shown) == line
    assert [plain(BRACKET.sub("", part)) for part in OVER.search(shown).groups()] == [over, under]


@pytest.mark.parametrize(
    "line", ["w = a / b / c", "w = (a / (b / c)) / d", "w = (a / b", "w = a) / b", "w = / a", "w = a /"]
)
def test_no_letter_is_lost(line):
    [shown] = equations([line])
    assert plain(shown) == line


@pytest.fixture(scope="module")
def companions():
    return toysearch.Index.build(toysearch.load("companions"))


@pytest.mark.parametrize("name", [name for name in toysearch.MODELS if name != "bm25f"])
def test_the_formulas_of_every_model_are_read_as_they_are_written(companions, name):
    searcher, query = toysearch.Searcher(companions, name), "removing a tick"
    why = toysearch.explain(searcher, query, searcher.search(query)[0].doc_id)
    _, *lines = "\n".join(expressed_text(None, why, searcher, searcher.terms(query))).splitlines()
    assert any(" = " in line for line in lines)
    assert [*map(plain, equations(lines))] == lines
