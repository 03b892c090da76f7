"""HTML and accents, by hand."""

from __future__ import annotations

import pytest

from toysearch import Analyzer
from toysearch.analysis.tokenizer import folded, without_html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("caf&eacute; &amp; bar &#233; &#xe9;", "café & bar é é"),
        ("<p>one</p><p>two</p>", " one  two "),
        ("one<br/>two<BR>three", "one two three"),
        ("H<sub>2</sub>O and E=mc<SUP class='x'>2</SUP>", "H2O and E=mc2"),
        ("<strong>b</strong>old <bold>b</bold>old", "bold  b old"),
        ("a<!-- hidden <b>words</b> > -->z", "a z"),
        ("a<!-- one -->b<!-- two -->c", "a b c"),
        ("seen <!-- never closed", "seen  "),
        ("<script type='x'>var a = '<p>';</script>seen<style>p {}</style >", " seen "),
        ("<SCRIPT>a</SCRIPT><style>b</style>c", "  c"),
        ("<scripture>seen</scripture>", " seen "),
        ("seen<script>to the end", "seen "),
        ("<!DOCTYPE html><?xml version='1.0'?>x", "  x"),
        ("1 < 2 and 3 > 2, a<b", "1 < 2 and 3 > 2, a<b"),
        ("&lt;b&gt; stays", "<b> stays"),
        ("no entity: &xyz; and AT&T", "no entity: &xyz; and AT&T"),
        ("&notthis; as browsers read it", "¬this; as browsers read it"),
        ("&#xD800; &#0;", "\ufffd \ufffd"),
    ],
)
def test_what_is_left_of_html(html, text):
    assert without_html(html) == text


def test_many_things_left_open_take_no_quadratic_time():
    for piece in ("<!-- ", "<script ", "<a ", "<a \"'", "</script"):
        without_html(piece * 50_000)


def test_html_is_taken_out_before_everything_else():
    assert Analyzer(html=True)("<P>&Eacute;T&eacute;</P> na<i>ï</i>ve") == ["été", "naïve"]
    assert Analyzer()("<p>&eacute;") == ["eacute"]


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("crème brûlée", "creme brulee"),
        ("e\u0301te\u0301", "ete"),
        ("straße øre Łódź", "straße øre Łodz"),
        ("ﬁ ² Å ½", "fi 2 A 1⁄2"),
        ("мой ёж", "мои еж"),
        ("が", "か"),
        ("plain", "plain"),
        ("\ud800é", "\ud800e"),
    ],
)
def test_accents(text, without):
    assert folded(text) == without


def test_accents_are_folded_in_text_and_lists_alike():
    analyzer = Analyzer(
        fold_accents=True, stop=["Été"], protected=["Forêts"], synonyms={"Crémerie": "Café"}, stem="french"
    )
    assert analyzer("L'ÉTÉ, e\u0301te\u0301, FORÊTS, cremerie") == ["forets", "caf"]
    assert Analyzer(stem="french")("forêts") == ["forêt"]


def test_accents_are_kept_unless_asked():
    assert Analyzer()("Café") == ["café"]
    assert Analyzer(fold_accents=True, lowercase=False)("Café ÉTÉ") == ["Cafe", "ETE"]
