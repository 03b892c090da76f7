"""Link analysis, building in blocks, champion lists, WAND and relevance weights: published values, and plain loops."""

import math
from random import Random

import pytest

from toysearch import Index, Searcher, load
from toysearch.base import ArgumentError, without_notes
from toysearch.classroom.textbook_pages import (
    blocks_merged,
    champion_lists,
    hubs_and_authorities,
    page_rank,
    relevance_weights,
    wand,
)

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


CAESAR = ["brutus caesar with", "caesar with", "brutus with", "caesar", "noble with"]
CAESAR += ["brutus", "brutus", "caesar killed", "caesar", "julius"]


@pytest.mark.parametrize("method", ["spimi", "bsbi"])
def test_blocks_are_merged_as_in_figure_4_3(method):
    found = blocks_merged(CAESAR, 10, method=method)
    merged = {"brutus": [1, 3, 6, 7], "caesar": [1, 2, 4, 8, 9], "julius": [10], "killed": [8]}
    assert found.outcome == merged | {"noble": [5], "with": [1, 2, 3, 5]}
    assert [row[1:3] for row in found.steps[-1].rows if row[0] == "caesar"] == [["1 2 4", "8 9"]]


@pytest.mark.parametrize("method", ["spimi", "bsbi"])
@pytest.mark.parametrize("capacity", [1, 7, 10_000])
def test_blocks_of_any_size_give_the_index_of_the_library(method, capacity):
    """Also where a document is cut by the end of a block."""
    texts = [document.text for document in load("cat-dog-parrot").documents] + ["cat cat dog", "", "dog cat"]
    index = Index.build(texts)
    found = blocks_merged(texts, capacity, method=method, analyzer=index.analyzer).outcome
    places = {doc_id: number for number, doc_id in enumerate(index.doc_ids, 1)}
    assert found.keys() == {term.term for term in index.frequent_terms(None)}
    for term, documents in found.items():
        assert documents == sorted(places[doc] for doc in Searcher(index).search_terms([term], k=None).doc_ids)


@pytest.mark.system
def test_champion_lists_are_those_of_a_plain_loop():
    collection = load("companions")
    index = Index.build(collection)
    searcher, k, r = Searcher(index), 10, 7
    same = scored = matching = 0
    with without_notes():
        rankings = [(query, searcher.search(query.text, k=None)) for query in collection.queries]
    for query, exact in rankings:
        if not exact:
            continue
        terms = dict.fromkeys(index.analyzer(query.text))
        chosen = {doc for term in terms for doc in searcher.search_terms([term], k=r).doc_ids}
        best = [doc for doc in exact.doc_ids if doc in chosen][:k]
        same += best == list(exact.doc_ids[:k])
        scored, matching = scored + len(chosen) / len(exact), matching + 1
    [row] = champion_lists(collection, sizes=[r], k=k).outcome.values()
    assert row["queries changed"] == matching - same > 0
    assert row["scored"] == pytest.approx(scored / matching)


TEXTS = [document.text for document in load("companions").documents][:120]


@pytest.fixture(scope="module")
def searcher():
    return Searcher(Index.build(TEXTS))


@pytest.mark.parametrize("block", [None, 1, 3, 50])
@pytest.mark.parametrize("k", [1, 3, 200])
def test_wand_finds_the_exact_best_and_skips_only_what_cannot_be_among_them(searcher, block, k):
    for text in ("old dog food", "a cat and the vet", "tick", "dog dog walk lead puppy", "zzz"):
        found = wand(searcher, text, k, block=block)
        exact = searcher.search_terms(dict.fromkeys(searcher.index.analyzer(text)), k=None)
        assert [*found.outcome["best"].items()] == [*zip(exact.doc_ids, exact.scores, strict=True)][:k]
        assert found.outcome["scored"] + found.outcome["skipped"] == len(exact)
        assert found.outcome["skipped"] == 0 or k < len(exact)
        steps = found.steps[1].rows
        assert sum("score:" in row[-1] for row in steps) == found.outcome["scored"]
        thetas = [row[3] for row in steps]
        assert thetas == sorted(thetas)


def test_a_score_that_is_not_a_sum_is_refused(searcher):
    with pytest.raises(ArgumentError, match="WAND needs a score that is a sum of weights above 0, which cosine is not"):
        wand(Searcher(searcher.index, "cosine"), "old dog")


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
        (lambda: blocks_merged(["a"], 0), "capacity must be at least 1, not 0"),
        (lambda: champion_lists("companions", sizes=[]), "k and all sizes must be at least 1, not k=10 and sizes=[]"),
        (lambda: wand(Searcher("cat-dog-parrot"), "cat", 0), "k and block must be at least 1, not k=0 and block=None"),
    ],
)
def test_what_cannot_be_worked_out_is_told(call, sentence):
    with pytest.raises(ArgumentError) as told:
        call()
    assert str(told.value) == sentence
