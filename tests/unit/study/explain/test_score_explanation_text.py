"""Explanations of scores and of the order of two documents as text."""

import re
from decimal import Decimal

import numpy as np
import pytest

import toysearch
from toysearch import Document, Index, Searcher, explain_order, model
from toysearch.study.explain.order_explanation import order_text
from toysearch.study.explain.score_explanation_text import explanation_text, rows_adding_up

TEXTS = {
    "1": ("Boundary layers", "how boundary layer transition moves in hypersonic flow past a cone"),
    "2": ("Cones", "flow past cones"),
    "3": ("Transition", "the transition"),
}
QUERY = "boundary transition hypersonic"


@pytest.fixture(scope="module")
def index():
    documents = [Document(doc_id, "", "", {"title": title, "text": text}) for doc_id, (title, text) in TEXTS.items()]
    return Index.build(documents, fields=("title", "text"))


def shown(index, model, doc_id="1", most=None):
    return explanation_text(1, toysearch.explain(Searcher(index, model), QUERY, doc_id), most)


def test_headings_of_two_words_take_two_lines_where_there_is_no_room(index):
    # 3 · 1/(0.25 + 0.75 · 1/(4/3)) + 1/(0.25 + 0.75 · 2/5) = 5.5105
    assert shown(index, "bm25f:title=3,text=1", "3") == (
        "1. document 3: score 0.385955 under bm25f:title=3\n"
        "                   tf_   tf_      weighted\n"
        "term        qtf  title  text  df        tf     idf  weight  × q     share\n"
        "transition    1      1     1   2    5.5105  0.4700  0.3860    1  0.385955\n"
        "document: dl_title = 1, dl_text = 2\n"
        "collection: N = 3, avgdl_title = 1.333333, avgdl_text = 5\n"
        "not in this document: boundary, hypersonic"
    )


def test_parts_with_long_names_are_numbered_where_there_is_no_room(index):
    formula = "formula:log(1 + (N - df + 0.5) / (df + 0.5)) * (tf / (tf + 1.2 * dl / avgdl)) / (1 + max_tf)"
    assert shown(index, formula, "3").partition("\n")[2] == (
        "term        qtf  df  tf     (1)     (2)  1 + max_tf  weight  × q     share\n"
        "transition    1   2   2  0.4700  0.7787      3.0000  0.1220    1  0.121995\n"
        "document: dl = 3, max_tf = 2\n"
        "(1) = log(1 + (N - df + 0.5) / (df + 0.5))\n"
        "(2) = tf / (tf + 1.2 * dl / avgdl)\n"
        "collection: N = 3, avgdl = 6.333333\n"
        "not in this document: boundary, hypersonic"
    )


def test_a_table_of_the_largest_shares(index):
    lines = shown(index, "bm25", most=2).splitlines()
    assert [line.split()[0] for line in lines] == ["1.", "term", "boundary", "hypersonic", "…", "collection:"]
    assert re.fullmatch(r"… 1 more term: 0\.\d{6}", lines[4])


EXPANDED = ["rm3(bm25, df=1)", "rocchio(bm25, df=1)", "0.5*bm25 + min-max(dice)", "2*rm3(lm-dirichlet, df=1) + bm25"]


@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("model", [*toysearch.MODELS, *EXPANDED])
def test_printed_shares_add_up_to_the_printed_score(index, model, most):
    text = shown(index, model, "1", most)
    for block in text.split("\n\n"):
        score, shares, column = None, Decimal(0), ""
        for line in block.splitlines():
            found = re.search(r"score (\S+) under|gives (\S+):$", line)
            if found:
                score = Decimal(found[1] or found[2])
            elif line.endswith(("share", "contribution")):
                column = line
            elif column and re.search(r" -?\d+\.\d{6}$", line) and not line.startswith(("collection:", "document:")):
                shares += Decimal(line.split()[-1])
        if column:
            assert shares == score, block


@pytest.mark.parametrize("model", [*toysearch.MODELS, "smart:Lnu.ltu", "bm25f:title=3,text=1,b_title=0.3"])
def test_every_model_s_table_fits_a_terminal(index, model):
    table = shown(index, model).partition("\ncollection:")[0].splitlines()[1:]
    assert max(map(len, table)) <= 80


@model
def fields_apart(tf_title, tf_text, df, N, *, boost=1.0):
    idf = np.log(1 + N / df)
    count = tf_text + boost * tf_title
    return idf * count / (count + 1)


def test_an_idf_stays_where_the_statistics_of_postings_have_to_go():
    fields = {"a": {"title": "fox", "text": "cat cat fox"}, "b": {"title": "cat", "text": "cat cat dog hen"}}
    documents = [Document(doc_id, each["text"], "", each) for doc_id, each in fields.items()]
    index = Index.build(documents, fields=["title", "text"])
    table = order_text(explain_order(Searcher(index, fields_apart), "cat fox", "a", "b")).split("\n\n")[-1]
    assert table.splitlines()[0].split() == ["part", "df", "idf", "a", "b", "ahead", "by"]


def test_topics_are_listed_with_their_strongest_terms() -> None:
    """The words of a topic stand in one cell, with commas between them."""
    index = Index.build(["boundary layer flow", "layer flow past a cone", "the cat sat", "a cat sat on the cone"])
    why = toysearch.explain(Searcher(index, "lsa:2"), "boundary flow", "2")
    text = explanation_text(1, why)
    assert "by its strongest terms" in text
    topics = [number for number in why.tree.walk() if number.kind == "topic"]
    assert topics
    assert all(", ".join(topic.quantities["terms"]) in text for topic in topics)
    assert "(" not in text.partition("by its strongest terms")[2]


def test_a_value_that_a_model_computes_is_no_statistic_though_its_name_begins_like_one() -> None:
    """``tf_part`` has the form of the statistic ``tf`` of a field; it is shown after it, and dropped before it."""
    index = Index.build(["removing a tick tick removing", "tick day", "dog remove"])
    tables = order_text(explain_order(Searcher(index, "jaccard"), "remove tick", "1", "2")).split("\n\n")
    assert tables[-1].splitlines()[0] == "part   df  tf part  idf part  tf 1         1  tf 2         2   ahead by"


@pytest.mark.parametrize(("n", "last"), [(3, "score"), (4, "… 2 more parts")])
def test_numbers_of_parts_add_up_in_each_column(n, last):
    numbers = [(0.333333333, 2.0)] * n
    rows, others = rows_adding_up(numbers, (n / 3, 2.0 * n), (4, 2), most=2)
    columns = zip(*rows, *(row for name, row in others if name != "score"), strict=True)
    assert [round(sum(column), 4) for column in columns] == [round(n / 3, 4), 2.0 * n]
    assert (others[0][0], others[-1]) == (last, ("score", (round(n / 3, 4), 2.0 * n)))


INSIDE = {
    ("mmr(bm25, lambda=0.7, depth=1)", "3"): (
        "1. document 3: score -0.319226 under mmr(bm25, lambda=0.7, depth=1)\n"
        "outside the pool, 1 below its lowest document, which has 0.680774"
    ),
    ("bm25@1 >> dice", "3"): (
        "1. document 3: score -0.571429 under bm25@1 >> dice\n"
        "stage   rank  moved      score\n"
        "bm25@1     2          0.344790\n"
        "dice       2     +0  -0.571429\n\n"
        "outside the pool, 1 below its lowest document, which has 0.428571"
    ),
    ("passages(overlap, words=5, best=0)", "3"): (
        "1. document 3: score 1.000000 under passages(overlap, words=5, best=0)\n"
        "passage 3#1, of the 1 passage of the document: 1.000000\n"
        "term        qtf  tf  weight  × q     share\n"
        "transition    1   2  1.0000    1  1.000000\n"
        "not in this document: boundary, hypersonic"
    ),
}


@pytest.mark.parametrize(("model", "doc_id"), INSIDE)
def test_scores_inside_a_score_follow_in_blocks(model, doc_id):
    index = Index.build([Document(each, f"{title} {text}") for each, (title, text) in TEXTS.items()])
    assert shown(index, model, doc_id) == INSIDE[model, doc_id]
    data = toysearch.explain(Searcher(index, model), QUERY, doc_id).data()
    assert "notes" not in data  # sentences are for people


def test_a_mixture_shows_the_scores_of_its_models_and_a_diversified_one_its_ranks(index):
    blocks = shown(index, "0.5*min-max(bm25) + 2*overlap").split("\n\n")
    assert [block.partition("\n")[0] for block in blocks[1:]] == ["bm25 gives 0.972534:", "overlap gives 3.000000:"]
    assert "0.7 × bm25  +0.680774\nrank 1, and 1 under bm25\n\nbm25 gives 0.972534:" in shown(
        index, "mmr(bm25, lambda=0.7)"
    )
