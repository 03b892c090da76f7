"""SMART's letters: each worked by hand, what they are not, and the similarity that they choose."""

from __future__ import annotations

import math

import pytest
from raising import raising

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError

POSTING = {"tf": 4, "max_tf": 8, "dl": 20, "distinct": 10, "bytes": 81, "df": 10, "N": 1000, "avg_distinct": 5.0}

BY_HAND = [
    ("nnn", {}, 4.0),
    ("lnn", {"base": 2}, 3.0),  # 1 + 2
    ("lnn", {}, 1 + 2 * math.log(2)),
    ("ann", {}, 0.75),  # 0.5 + 0.5 · 4/8
    ("bnn", {}, 1.0),
    ("Lnn", {"base": 2}, 1.5),  # (1 + 2) / (1 + lb 2)
    ("dnn", {"base": 3}, 1 + math.log(1 + math.log(4) / math.log(3)) / math.log(3)),
    ("btn", {"base": 10}, 2.0),  # lg(1000/10)
    ("bpn", {"base": 10}, 1.9956351945975499),  # lg 99
    ("nnu", {}, 4 / 6),  # 0.8 · 5 + 0.2 · 10
    ("nnu", {"pivot": 20, "slope": 0.5}, 4 / 15),
    ("nnu", {"slope": 1}, 4 / 10),
    ("nnb", {}, 4 / 9),
    ("nnb", {"alpha": 0.25}, 4 / 3),
    ("nnc", {}, 4.0),  # the similarity divides
]


@pytest.mark.parametrize(("letters", "values", "weight"), BY_HAND)
def test_a_document_by_hand(letters, values, weight):
    model = toysearch.model("smart").bind(f"{letters}.nnn", **values)
    assert model.weight(**POSTING) == pytest.approx(weight, rel=1e-15)


def test_the_idf_of_p_is_never_negative():
    model = toysearch.model("smart:bpn.nnn")
    for df in (500, 501, 999, 1000):
        assert model.weight(**{**POSTING, "df": df}) == 0.0


QUERY = [
    ("nnn", {}, {"cat": 2.0, "dog": 1.0}),
    ("lnn", {"base": 2}, {"cat": 2.0, "dog": 1.0}),
    ("ann", {}, {"cat": 1.0, "dog": 0.75}),
    ("Lnn", {"base": 2}, {"cat": 2 / (1 + math.log2(1.5)), "dog": 1 / (1 + math.log2(1.5))}),
    ("dnn", {"base": 2}, {"cat": 2.0, "dog": 1.0}),
    ("btn", {"base": 2}, {"cat": 1.0, "dog": 2.0}),
    ("nnu", {"pivot": 7, "slope": 0.5}, {"cat": 2 / 4.5, "dog": 1 / 4.5}),
    ("nnu", {}, {"cat": 2 / 1.4, "dog": 1 / 1.4}),  # 0.8 · 5/4 + 0.2 · 2
]


@pytest.mark.parametrize(("letters", "values", "weights"), QUERY)
def test_a_query_by_hand(letters, values, weights):
    """Only words that the index knows count in the query's own statistics, its mean tf and number of terms."""
    index = Index.build(["cat dog", "cat", "parrot", "hamster"])
    searcher = Searcher(index, toysearch.model("smart").bind(f"nnn.{letters}", **values))
    why = toysearch.explain(searcher, "cat dog cat unheard unheard unheard", "1")
    assert {share.term: share.query_weight for share in why.terms} == pytest.approx(weights, rel=1e-15)


@pytest.mark.parametrize(
    ("weights", "similarity", "qq"),
    [
        ("nnc.nnc", "cosine", 2 * 2 + 1 + 9),
        ("nnc.nnn", "cosine-document", 2 * 2 + 1 + 9),
        ("nnn.nnc", "cosine-query", 2 * 2 + 1 + 9),
        ("nnn.nnn", "dot", 2 * 2 + 1 + 9),
        ("nnu.ntc", "cosine-query", (2 * math.log(2)) ** 2 + math.log(4) ** 2),
        ("nnu.bnc", "cosine-query", 3),
    ],
)
def test_the_third_letters_choose_the_similarity(weights, similarity, qq):
    searcher = Searcher(Index.build(["cat dog", "cat", "parrot", "hamster"]), f"smart:{weights}")
    assert searcher.model.similarity.name == similarity
    assert searcher.plan("cat dog cat unheard unheard unheard").norms["qq"] == pytest.approx(qq, rel=1e-15)


def test_a_query_of_unknown_words_is_answered_by_nothing():
    index = Index.build(["cat dog", "cat"])
    for weights in ("nnc.Lnc", "anc.anc", "lnc.ltc"):
        with pytest.warns(toysearch.ToysearchNote, match="unheard"):
            assert len(Searcher(index, f"smart:{weights}").search("unheard")) == 0
        why = toysearch.explain(Searcher(index, f"smart:{weights}"), "unheard", "1")
        assert (why.score, why.terms, why.unknown) == (None, [], ["unheard"])


TF = (
    "n tf, l 1 + log tf, a 0.5 + 0.5 tf / max_tf, b 1, L (1 + log tf) / (1 + log of the mean tf), d 1 + log(1 + log tf)"
)
DF = "n 1, t log(N/df), p max(0, log((N−df)/df))"
NORM = "n 1, c cosine, √Σ w², u pivoted unique, b bytes^alpha"
MESSAGES = [
    (
        "smart:lnc",
        "smart: weights=lnc is not of the form ddd.qqq (lnc.ltc); the letters: "
        f"tf: {TF}; df: {DF}; normalization: {NORM}",
    ),
    ("smart:Xnc.ltc", f"smart: weights=Xnc.ltc: 'X' is not a letter for tf; those are {TF}"),
    ("smart:lnc.lxc", f"smart: weights=lnc.lxc: 'x' is not a letter for df; those are {DF}"),
    ("smart:lnt.ltc", f"smart: weights=lnt.ltc: 't' is not a letter for normalization; those are {NORM}"),
    (
        "smart:lnb.ltb",
        "smart: weights=lnb.ltb: the length of a query in bytes is not a statistic and would change no ranking; use n",
    ),
    (
        "smart:slope=0.3",
        "smart: pivot and slope belong to u as the third letter of three, and weights=lnc.ltc has none",
    ),
    ("smart:lnu.ltc,alpha=0.3", "smart: alpha belongs to b as the third letter, and weights=lnu.ltc has none"),
    ("smart:nnc.bnc,base=10", "smart: weights=nnc.bnc uses no logarithm, so base has no effect"),
    ("smart:lnc.ltc,base=1", "base of smart must be at least 2, not 1"),
    ("smart:lnu.ltu,pivot=0", "pivot of smart must be at least 1, not 0"),
]


@pytest.mark.parametrize(("spec", "message"), MESSAGES)
def test_refusals(spec, message):
    with raising(ArgumentError, message):
        toysearch.model(spec)


def test_specs_read_back():
    for spec in ("smart", "smart:weights=Lnu.ltu,pivot=30,slope=0.1", "smart:weights=nnb.ntn,base=10,alpha=0.3"):
        assert str(toysearch.model(spec)) == spec
    assert str(toysearch.model("smart:Lnu.ltu,10")) == "smart:weights=Lnu.ltu,base=10"
    assert toysearch.model("smart:dnn.nnn,base=none").parameters["base"] is None
    assert toysearch.model("smart:nnn.dnn,base=2").parameters["base"] == 2
    for weights in ("nnn.npn", "npn.nnn", "nnn.ntn", "nnn.Lnn", "Lnn.nnn", "lnn.nnn", "nnn.lnn"):
        assert toysearch.model(f"smart:{weights},base=2").parameters["base"] == 2
