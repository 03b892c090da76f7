"""An explanation as HTML: the table of a notebook is that of the page, and its bars are as long as its numbers."""

import re
from xml.etree import ElementTree

import pytest

import toysearch
from toysearch.study import order_html, score_html

SEARCHER = toysearch.Searcher(toysearch.Index.build({"1": "the cat sat", "2": "cat cat <b>dog", "3": "a dog"}), "bm25")


def bars(markup):
    """(x, width) of each bar, in parts of the width of the drawing, and the ends of the axis."""
    table = ElementTree.fromstring(re.search("<table.*?</table>", markup, re.S)[0])
    found = []
    for svg in table.iter("svg"):
        low, _, width, _ = map(float, svg.get("viewBox").split())
        rect = svg.find("rect")
        found.append((float(rect.get("x")), float(rect.get("width")), low, low + width))
    return found


def test_a_notebook_shows_the_table_of_the_page_with_bars():
    why = toysearch.explain(SEARCHER, "cat dog", "2")
    assert why._repr_html_() == score_html(None, why)
    shares = [term.share for term in why.terms]
    assert bars(why._repr_html_()) == [
        (0, pytest.approx(share, abs=1e-6), 0, pytest.approx(max(shares), abs=1e-6)) for share in shares
    ]
    assert [
        f'<th{side} scope="col">{name}</th>' in why._repr_html_()
        for side, name in ((' align="left"', "term"), (' class="right" align="right"', "idf"))
    ] == [True, True]
    assert "style=" not in why._repr_html_()  # which the policy of the page refuses


def test_an_order_has_bars_to_both_sides_of_zero():
    order = toysearch.explain_order(SEARCHER, "cat dog", "2", "3")
    differences = [part.difference for part in order.parts]
    assert min(differences) < 0 < max(differences)
    most = max(map(abs, differences))
    assert bars(order._repr_html_()) == [(min(value, 0), abs(value), -most, most) for value in differences]
    assert order._repr_html_() == order_html(order)


def test_what_no_single_model_ranks_keeps_its_text_or_table():
    mixture = toysearch.Searcher(SEARCHER.index, "0.5 * bm25 + 0.5 * dph")
    for why in (toysearch.explain(mixture, "cat", "1"), toysearch.explain(SEARCHER, "cat", "3")):
        assert score_html(None, why) == ""
        assert str(why).splitlines()[0] in why._repr_html_()
    unranked = toysearch.explain_order(SEARCHER, "cat", "1", "3")
    assert order_html(unranked) == ""
    assert "<table>" in unranked._repr_html_()
