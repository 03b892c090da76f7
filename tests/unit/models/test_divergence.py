"""Divergence from randomness, information, axioms: the postings at which a formula has no value, and refusals.

tests/oracles/test_divergence.py holds the weights against their definitions.
"""

from __future__ import annotations

from math import log

import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError

AVERAGE = {"dl": 4, "avgdl": 4.0}
NAMES = ["pl2", "inl2", "ifb2", "in_expb2", "bb2", "dlh", "dlh13", "dph", "ll", "spl", "f2exp", "f2log"]


def weigh(spec, **statistics):
    """The weight, from those of the statistics that the model takes."""
    model = toysearch.model(spec)
    return model.weight(**{name: statistics[name] for name in model.statistics})


def test_a_document_of_one_repeated_word():
    """What stands for C(dl, tf) = 1 is 0; Popper's normalisation is 0, near it almost 0."""
    repeated = {"tf": 8, "dl": 8, "cf": 16, "N": 8, "avgdl": 8.0}  # F/T = 1/4
    assert weigh("dlh", **repeated) == weigh("dlh13", **repeated) == 8 * 2 / 8.5
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


@pytest.mark.parametrize("name", [*NAMES[:5], "ll", "spl"])
@pytest.mark.parametrize("c", ["0", "1e7", "-1", "nan"])
def test_c_outside_its_range_is_refused(name, c):
    with pytest.raises(ArgumentError, match=rf"c of {name} must be from 0\.001 to 1000000, not"):
        toysearch.model(f"{name}:{c}")


def test_parameters_of_the_axiomatic_models_have_ranges():
    with pytest.raises(ArgumentError, match="k of f2exp must be from 0 to 1, not 2"):
        toysearch.model("f2exp:k=2")
    with pytest.raises(ArgumentError, match="s of f2log must be at least 0, not -1"):
        toysearch.model("f2log:-1")
