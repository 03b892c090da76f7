"""Weights as the lines of a model's code: what is shown, what is not; and scores as what similarities make of sums."""

import math
import re

import numpy as np
import pytest
from numpy import log

import toysearch
from toysearch import Index, Searcher, explain
from toysearch.base.errors import ArgumentError
from toysearch.models.similarity import SIMILARITIES
from toysearch.study.explain.worked_formulas import expressions, hook_expressions, score_expressions

TEXTS = ["train the cat", "train train the dog and the cat", "parrot", "the the the"]
TWO = 2.0


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def lines(index, model, text="train", doc_id="2"):
    searcher = Searcher(index, model)
    why = explain(searcher, text, doc_id)
    return [tuple(line[:3]) for line in expressions(searcher.model, why.terms[0], why.collection)]


def branching(tf, df, N, *, kind: float = 1.0):
    if kind == TWO:
        return tf * TWO
    if kind > TWO:
        rarity = log(N / df)
        scale = 1.0
    else:
        rarity = -np.log2(df)
        scale = 1.0
    return scale * tf * (rarity - TWO) ** 2


def naming(tf, df, N):
    gain = tf * log(N / df)
    half = gain / 2  # noqa: F841
    return gain


def looping(tf, df):
    total = tf * 0
    for _ in range(2):
        total = total + tf
    return total


def reaching(tf, df, N):
    table = {"a": 3.0}
    return np.multiply(tf, table["a"])


BRANCHING = toysearch.model(branching)
LM_JM = "ln(1 + (1 − lambda) · p_document / (lambda · p_collection))"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (
            "bm25",
            [
                ("idf", "ln(1 + (N − df + 0.5) / (df + 0.5))", "ln(1 + (4 − 2 + 0.5) / (2 + 0.5))"),
                ("length", "1 − b + b · dl / avgdl", "1 − 0.75 + 0.75 · 7 / 3.5"),
                ("weight", "idf · tf / (tf + k1 · length)", "0.693147 · 2 / (2 + 1.2 · 1.75)"),
            ],
        ),
        # a helper of one line is written out, and a longer one is a number
        ("cosine", [("tf_part", "", ""), ("idf_part", "", ""), ("weight", "tf_part · idf_part", "2 · 0.693147")]),
        # of a user's function, the branch that was taken; train: tf 2, df 2 of 4
        (
            BRANCHING,
            [
                ("rarity", "-log2(df)", "-log2(2)"),
                ("scale", "1.0", "1.0"),
                ("weight", "scale · tf · (rarity − TWO)^2", "1 · 2 · (-1 − 2)^2"),
            ],
        ),
        (BRANCHING.bind(kind=2), [("weight", "tf · TWO", "2 · 2")]),
        # what is no straight line has no lines or a number
        (looping, []),
        (reaching, [("weight", "", "")]),
        (lambda tf, df: tf / df, []),
    ],
)
def test_the_lines_of_a_weight(index, model, expected):
    assert lines(index, model) == expected


@pytest.mark.parametrize(
    ("model", "place", "line"),
    [
        ("pl2", 0, ("tfn", "tf · ln(1 + c · avgdl / dl) / 0.693147", "2 · ln(1 + 1 · 3.5 / 7) / 0.693147")),
        ("pl2", 1, ("mean", "cf / N", "3 / 4")),
        (BRANCHING.bind(kind=3), 0, ("rarity", "ln(N / df)", "ln(4 / 2)")),
        # a parameter loses its underscore, and log1p is a logarithm
        ("lm-jm", -1, ("weight", LM_JM, "ln(1 + (1 − 0.1) · 0.285714 / (0.1 · 0.214286))")),
        (
            *("formula:sqrt(tf)**-0.5*log(N/df)-k:k=-2", -1),
            ("weight", "sqrt(tf)^(-0.5) · ln(N / df) − k", "sqrt(2)^(-0.5) · ln(4 / 2) − (-2)"),
        ),
        (naming, -1, ("weight", "tf · ln(N / df)", "2 · ln(4 / 2)")),  # a value that is only returned by its name
    ],
)
def test_a_line_of_a_weight(index, model, place, line):
    assert lines(index, model)[place] == line


def test_a_model_of_fields_has_no_lines():
    assert lines(Index.build([toysearch.Document("2", "train", "train")], fields=("title", "text")), "bm25f") == []


def totals(index, model, text, doc_id):
    searcher = Searcher(index, model)
    return [tuple(line[:3]) for line in score_expressions(explain(searcher, text, doc_id), searcher.model)]


def test_a_score_is_the_sum_of_its_terms_and_the_other_parts(index):
    assert totals(index, "bm25@1 >> dice", "train the", "1")[0][1] == "lowest − places"  # below the pool
    assert totals(index, "overlap@3 >> 0.5*overlap*dice", "train", "1")[0][1] == "0.5 · overlap · dice"
    assert totals(index, "overlap", "train cat", "2") == [("score", "Σ weight · q", "1 + 1")]
    assert totals(index, "tfidf", "train train parrot", "2") == [("score", "Σ weight · q", "1.38629 · 1.38629")]
    [(_, formula, numbers)] = totals(index, "lm-jm", "train", "2")
    assert formula == "Σ weight · q + per_matched_document + document"
    assert numbers == "2.56495 − 1.54045 − 2.30259"


def part(s, qq, *, alpha=0.5):
    return s / (s + alpha * qq)


def test_a_similarity_has_its_numbers_put_in(index):
    assert totals(index, "dice", "train cat unheard", "1") == [
        ("s", "Σ weight · q", "1 + 1"),
        ("score", "2s / (dd + qq)", "2 · 2 / (3 + 3)"),
    ]
    own = toysearch.model(similarity=part)(lambda tf: tf)
    assert totals(index, own, "train dog", "1")[1] == ("score", "part(s, qq, alpha)", "part(1, 2, 0.5)")
    assert score_expressions(explain(Searcher(index, "dice"), "train", "3")) == []


@pytest.mark.parametrize("name", SIMILARITIES)
def test_the_numbers_that_are_put_into_a_similaritys_formula_give_the_score(index, name):
    model = toysearch.model(lambda tf: tf, similarity=name, name="mine")
    why = explain(Searcher(index, model), "train cat cat dog", "2")
    written = score_expressions(why, model)[-1].numbers
    python = re.sub(r"√([0-9.]+)", r"sqrt(\1)", written).replace("√", "sqrt").replace("·", "*").replace("−", "-")
    assert eval(python, {"sqrt": math.sqrt, "min": min}) == pytest.approx(why.score, rel=1e-5)


def hooks_of(index, spec, text, doc_id="2"):
    return hook_expressions(Searcher(index, spec), text, doc_id)


def test_the_parts_of_a_language_model(index):
    found = hooks_of(index, "lm-dirichlet:10", "dog train train unheard")
    # Three known words in the query; 14 tokens in all, dog 1 hooks_of them, train 3; the document has 7.
    [document] = found.document
    assert (document.name, document.formula) == ("document", "-ql · ln(1 + dl / mu)")
    assert (document.numbers, document.value) == ("-3 · ln(1 + 7 / 10)", pytest.approx(-3 * math.log(1.7)))
    [every] = found.per_matched_document
    assert (every.name, every.formula) == ("per_matched_document", "Σ qtf · ln(cf / T)")
    assert sorted(every.numbers.split(" + ")) == ["1 · ln(1 / 14)", "2 · ln(3 / 14)"]
    assert every.value == pytest.approx(math.log(1 / 14) + 2 * math.log(3 / 14))
    assert found.query == {}


def test_a_query_weight_is_told_where_it_is_not_the_count(index):
    found = hooks_of(index, "bm25:k3=8", "train train cat")
    assert list(found.query) == ["train"]
    [line] = found.query["train"]
    assert (line.name, line.formula) == ("q", "(k3 + 1) · qtf / (k3 + qtf)")
    assert (line.numbers, line.value) == ("(8 + 1) · 2 / (8 + 2)", 1.8)
    assert hooks_of(index, "bm25", "train train cat") == ({}, [], [])


def test_a_query_without_a_known_word_and_a_mixture(index):
    assert hooks_of(index, "lm-jm", "unheard") == ({}, [], [])
    with pytest.raises(ArgumentError, match="is a mixture"):
        hooks_of(index, "bm25 + dice", "cat")
    with pytest.raises(ArgumentError, match="no document 'x'"):
        hooks_of(index, "lm-jm", "cat", "x")
