"""A score in the formulas of its model: what all terms share stands once, and each term has the rest."""

import math

import toysearch
from toysearch.study import expressed_text


def lines_of(query, model="bm25"):
    """The lines below the formulas, for the first of three documents."""
    searcher = toysearch.Searcher(toysearch.Index.build(["cat dog cat", "cat", "bird bird"]), model)
    text = expressed_text(1, toysearch.explain(searcher, query, "1"), searcher, searcher.terms(query))
    return text[text.index("with k1 = 1.2, b = 0.75") + 2 :]


def test_what_all_terms_share_stands_once_and_the_rest_below_each():
    """N = 3, avgdl = 2, dl = 3: the part of the length is that of both terms, idf and weight are not."""
    length = 1 - 0.75 + 0.75 * 3 / 2
    cat, dog = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    weights = cat * 2 / (2 + 1.2 * length), dog * 1 / (1 + 1.2 * length)
    assert lines_of("cat dog") == [
        f"length = 1 − 0.75 + 0.75 · 3 / 2 = {length:.6g}",
        "dog",
        f"  idf = ln(1 + (3 − 1 + 0.5) / (1 + 0.5)) = {dog:.6g}",
        f"  weight = {dog:.6g} · 1 / (1 + 1.2 · {length:.6g}) = {weights[1]:.6g}",
        "cat",
        f"  idf = ln(1 + (3 − 2 + 0.5) / (2 + 0.5)) = {cat:.6g}",
        f"  weight = {cat:.6g} · 2 / (2 + 1.2 · {length:.6g}) = {weights[0]:.6g}",
        "",
        f"score = {weights[1]:.6g} + {weights[0]:.6g} = {sum(weights):.6g}",
    ]


def test_a_single_term_shares_nothing():
    head, *rest, blank, _ = lines_of("cat")
    assert (head, blank) == ("cat", "")
    assert [line.split(" = ")[0] for line in rest] == ["  idf", "  length", "  weight"]
