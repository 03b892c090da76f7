"""Divergence from randomness, information, axioms: weights by hand, and the postings at which a formula has no value.

In a document of average length with c = 1, tfn is tf; with c = 3 it is 2 tf, with c = e - 1 and natural logarithms tf.
"""

from __future__ import annotations

from math import e, log, log2, pi

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError

AVERAGE = {"dl": 4, "avgdl": 4.0}
NAMES = ["pl2", "inl2", "dph", "ll", "spl", "f2exp"]


def weigh(spec, **statistics):
    """The weight, from those of the statistics that the model takes."""
    model = toysearch.model(spec)
    return model.weight(**{name: statistics[name] for name in model.statistics})


@pytest.mark.parametrize(
    ("spec", "statistics", "by_hand"),
    [
        ("pl2", {"tf": 1, "cf": 5, "N": 10}, (log2(2) - 0.5 / log(2) + 0.5 * log2(2 * pi)) / 2),
        ("pl2:3", {"tf": 1, "cf": 5, "N": 10}, (2 * log2(4) - 1.5 / log(2) + 0.5 * log2(4 * pi)) / 3),
        ("inl2", {"tf": 3, "df": 3, "N": 13}, 3 / 4 * 2),  # log2(14 / 3.5) = 2
        ("inl2:c=3", {"tf": 1, "df": 3, "N": 13}, 2 / 3 * 2),
        ("dph", {"tf": 2, "cf": 2, "N": 4}, 1 / 4 / 3 * (2 * log2(4) + 0.5 * log2(2 * pi))),
        (f"ll:{e - 1!r}", {"tf": 2, "df": 1, "N": 10}, log(21)),
        (f"spl:{e - 1!r}", {"tf": 1, "df": 1, "N": 4}, log(3)),  # (1/2 - 1/4) / (3/4)
        (f"spl:{e - 1!r}", {"tf": 3, "df": 16, "N": 81}, -log((8 / 27 - 16 / 81) / (65 / 81))),
        (f"spl:{e - 1!r}", {"tf": 2, "df": 7, "N": 7}, log(3)),
        ("f2exp", {"tf": 1, "df": 1, "N": 2**20}, 2**7 / 2),
        ("f2exp:s=1,k=0.5", {"tf": 2, "df": 4, "N": 36, "dl": 8}, 3 * 2 / (2 + 1 + 2)),
    ],
)
def test_by_hand(spec, statistics, by_hand):
    assert weigh(spec, **{**AVERAGE, **statistics}) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_one_document_of_one_word(name):
    """N = df = cf = tf = dl = 1: nothing here is surprising, and nothing is undefined."""
    weight = weigh(name, tf=1, dl=1, df=1, cf=1, N=1, avgdl=1)
    by_hand = {
        "pl2": (0.5 * log2(2 * pi)) / 2,
        "inl2": log2(2 / 1.5) / 2,
        "dph": 0,
        "ll": log(1 + log(2)),
        "spl": log(1 + log(2)),
        "f2exp": 1 / 2,
    }
    assert weight == pytest.approx(by_hand[name], abs=1e-15, rel=1e-12)


def test_a_document_of_one_repeated_word():
    """Popper's normalisation is 0, near it almost 0."""
    repeated = {"tf": 8, "dl": 8, "cf": 16, "N": 8, "avgdl": 8.0}  # F/T = 1/4
    assert weigh("dph", **repeated) == 0
    long = {"dl": 10_000, "cf": 20_000, "N": 8, "avgdl": 10_000.0}
    assert 0 < weigh("dph", tf=9_999, **long) < 1e-6
    assert weigh("dph", tf=10_000, **long) == 0


def test_a_repeated_word_alone_is_ranked_with_a_score_of_zero_by_dph():
    ranking = Searcher(Index.build(["cat cat", "cat dog", "dog"]), "dph").search("cat", k=None)
    assert sorted(hit.doc_id for hit in ranking) == ["1", "2"]
    assert {hit.doc_id: hit.score for hit in ranking}["1"] == 0


def test_spl_keeps_its_digits_where_tfn_is_large_and_where_the_term_is_almost_everywhere():
    assert weigh("spl:1e6", tf=1e9, dl=1e9, df=1, N=2, avgdl=1e9) == pytest.approx(
        log(1 + 1e9 * log(1 + 1e6)) - log(log(2)), rel=1e-9
    )
    everywhere, almost = (weigh("spl", tf=3, df=df, N=1e9, **AVERAGE) for df in (1e9, 1e9 - 1))
    assert almost == pytest.approx(everywhere, rel=1e-6)


@pytest.mark.parametrize("name", ["pl2", "inl2", "ll", "spl"])
@pytest.mark.parametrize("c", ["0", "1e7", "-1", "nan"])
def test_c_outside_its_range_is_refused(name, c):
    with pytest.raises(ArgumentError, match=rf"c of {name} must be from 0\.001 to 1000000, not"):
        toysearch.model(f"{name}:{c}")


def test_parameters_of_the_axiomatic_model_have_ranges():
    with pytest.raises(ArgumentError, match="k of f2exp must be from 0 to 1, not 2"):
        toysearch.model("f2exp:k=2")
    with pytest.raises(ArgumentError, match="s of f2exp must be at least 0, not -1"):
        toysearch.model("f2exp:-1")


@pytest.mark.parametrize("name", NAMES)
def test_a_word_counts_as_often_as_the_query_has_it(name):
    index = Index.build(["cat cat dog bird", "the dog", "a bird"])
    once, thrice = (Searcher(index, name).search(query, k=None).scores for query in ("cat", "cat cat cat"))
    np.testing.assert_allclose(thrice, 3 * once, rtol=1e-15)
