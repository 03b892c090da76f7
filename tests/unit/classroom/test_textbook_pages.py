"""Link analysis and relevance weights: published values, and plain loops."""

import math
from random import Random

import pytest

from toysearch import Index, Searcher, load
from toysearch.base import ArgumentError
from toysearch.classroom.textbook_pages import hubs_and_authorities, page_rank, relevance_weights

SEVEN = {
    **{"d0": ["d2"], "d1": ["d1", "d2"], "d2": ["d0", "d2", "d3", "d3"], "d3": ["d3", "d4"]},
    **{"d4": ["d6"], "d5": ["d5", "d6"], "d6": ["d3", "d3", "d4", "d6"]},
}
"""The pages of Manning, Raghavan & Schütze 2008, figure 21.4, with the links of the matrix of their section 21.3."""


def rounded(values):
    return [round(value, 2) for value in values]


def test_pagerank_is_the_published_one():
    """Section 21.2.2: the powers of P, and the limit 5/18, 4/9, 5/18; then the example of figure 21.4."""
    found = page_rank({"1": ["2"], "2": ["1", "3"], "3": ["2"]}, teleport=0.5, steps=4)
    assert [row[1:] for row in found.steps[0].rows] == [
        pytest.approx(row) for row in ([1 / 6, 2 / 3, 1 / 6], [5 / 12, 1 / 6, 5 / 12], [1 / 6, 2 / 3, 1 / 6])
    ]
    steps = [[1, 0, 0], [1 / 6, 2 / 3, 1 / 6], [1 / 3] * 3, [1 / 4, 1 / 2, 1 / 4], [7 / 24, 5 / 12, 7 / 24]]
    assert [row[1:] for row in found.steps[1].rows[:5]] == [pytest.approx(step) for step in steps]
    assert [*found.outcome.values()] == pytest.approx([5 / 18, 4 / 9, 5 / 18])
    assert rounded(page_rank(SEVEN, teleport=0.14).outcome.values()) == [0.05, 0.04, 0.11, 0.25, 0.21, 0.04, 0.31]


def test_hubs_and_authorities_are_the_published_ones():
    rows = hubs_and_authorities(SEVEN).outcome.values()
    assert rounded(row["hub"] for row in rows) == [0.03, 0.04, 0.33, 0.18, 0.04, 0.04, 0.35]
    assert rounded(row["authority"] for row in rows) == [0.10, 0.01, 0.12, 0.47, 0.16, 0.01, 0.13]


def test_limits_are_exact_where_steps_come_near_them_slowly():
    path = {"a": ["b"], "b": ["c"], "c": []}  # jumps are rare, and two hubs and authorities are equally good
    ranks = page_rank({**path, "c": ["a"]}, teleport=1e-6).outcome
    assert list(ranks.values()) == pytest.approx([1 / 3] * 3, abs=1e-12)
    outcome = hubs_and_authorities(path).outcome
    assert [row["hub"] for row in outcome.values()] == pytest.approx([0.5, 0.5, 0])
    assert [row["authority"] for row in outcome.values()] == pytest.approx([0, 0.5, 0.5])


@pytest.mark.parametrize("seed", range(5))
def test_a_pagerank_solves_its_equation_in_any_graph_with_dead_ends_too(seed):
    draw = Random(seed)
    links = {page: draw.sample("abcdefg", draw.randint(0, 3)) for page in "abcde"}
    ranks = page_rank(links, teleport=0.2).outcome
    pages = list(ranks)
    assert sum(ranks.values()) == pytest.approx(1)
    for page in pages:
        comes = sum(
            ranks[other] * ((page in links[other]) * 0.8 / len(links[other]) + 0.2 / len(pages))
            if links.get(other)
            else ranks[other] / len(pages)
            for other in pages
        )
        assert comes == pytest.approx(ranks[page])


TEXTS = [document.text for document in load("companions").documents][:120]


@pytest.fixture(scope="module")
def searcher():
    return Searcher(Index.build(TEXTS))


def test_relevance_weights_are_the_published_ones():
    """Croft, Metzler & Strohman 2010, 7.2.2: 2.44 at a hundredth of their numbers, and both figures by the formula."""
    texts = ["president lincoln"] * 3 + ["president"] * 397 + ["x"] * 4600
    weights = relevance_weights(Index.build(texts), "president lincoln").outcome["weights"]
    assert weights["president"] == pytest.approx(math.log(4600.5 / 400.5)) == pytest.approx(2.44, abs=0.005)
    assert weights["lincoln"] == pytest.approx(math.log(4997.5 / 3.5))
    assert round(math.log(460_000.5 / 40_000.5), 2) == 2.44
    assert round(math.log(499_700.5 / 300.5), 2) == 7.42


def test_relevance_weights_are_odds_and_a_query(searcher):
    index = searcher.index
    relevant = list(index.doc_ids[:5])
    found = relevance_weights(index, "dog cat tick", relevant)
    for term, weight in found.outcome["weights"].items():
        holding = {hit.doc_id for hit in searcher.search_terms([term], k=None)}
        in_relevant = (len(holding & {*relevant}) + 0.5) / (len({*relevant} - holding) + 0.5)
        others = {*index.doc_ids} - {*relevant}
        assert weight == pytest.approx(
            math.log(in_relevant / ((len(holding & others) + 0.5) / (len(others - holding) + 0.5)))
        )
    ones = Searcher(index, lambda tf: 1.0 * (tf > 0))
    above = {term: weight for term, weight in found.outcome["weights"].items() if weight > 0}
    for hit in ones.search(found.outcome["query"], k=5):
        words = {*index.analyzer(TEXTS[int(hit.doc_id) - 1])}
        assert hit.score == pytest.approx(sum(weight for term, weight in above.items() if term in words), abs=1e-5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: page_rank({}), "links must have at least one page, such as {'a': ['b'], 'b': []}"),
        (lambda: page_rank({"a": []}, teleport=0), "teleport must be above 0, at most 1, not 0"),
        (lambda: hubs_and_authorities({"a": []}), "links must have at least one link, such as {'a': ['b']}"),
    ],
)
def test_what_cannot_be_worked_out_is_told(call, sentence):
    with pytest.raises(ArgumentError) as told:
        call()
    assert str(told.value) == sentence
