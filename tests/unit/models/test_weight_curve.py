"""The weight along one statistic: which values it takes, where the others stay, what no posting can have."""

import math

import numpy as np
import pytest
from error_messages import raising

import toysearch
from toysearch import formula, weight_curve
from toysearch.base.errors import ArgumentError
from toysearch.models.model import STATISTICS


def test_tf_runs_to_twenty_or_to_the_end_of_the_document():
    curve = weight_curve(toysearch.model("bm25"), "tf")
    assert curve.values.tolist() == list(range(1, 21))
    assert curve.fixed == {"dl": 100, "df": 14, "N": 1400, "avgdl": 100}
    for tf, weight in zip(curve.values, curve.weights, strict=True):
        assert weight == toysearch.model("bm25").weight(tf=tf, dl=100, df=14, N=1400, avgdl=100)
    assert weight_curve("bm25", "tf", {"dl": 3}).values.tolist() == [1, 2, 3]
    with raising(ArgumentError, "'rm3(bm25)' is made of several models; the weight of a term is that of one of them"):
        weight_curve("rm3(bm25)")
    assert weight_curve(formula("tf/cf"), "tf", {"cf": 15}).values.tolist() == list(range(1, 16))


def test_dl_and_df_run_over_round_numbers():
    assert weight_curve(formula("dl"), "dl", {"tf": 3}).weights.tolist() == [
        3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000
    ]  # fmt: skip
    assert weight_curve(formula("df"), "df").weights.tolist() == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1400]
    assert weight_curve(formula("df/cf"), "df", {"cf": 15}).values.tolist() == [1, 2, 5, 10, 15]
    assert weight_curve(formula("df"), "df", {"N": 1}).values.tolist() == [1]


@pytest.mark.parametrize("along", ["tf", "dl", "df"])
@pytest.mark.parametrize("at", [{}, {"tf": 50}, {"dl": 2}, {"N": 1}, {"df": 1}, {"avgdl": 0.5}])
def test_what_follows_is_what_a_posting_can_have(along, at):
    if along in at:
        return

    def of(name):
        return weight_curve(formula(f"{name} + 0*tf"), along, at).weights

    tf, df, cf, dl = of("tf"), of("df"), of("cf"), of("dl")
    assert (tf <= of("max_tf")).all()
    assert (of("max_tf") <= dl).all()
    assert (df <= of("N")).all()
    assert (cf >= tf + df - 1).all()
    assert (of("distinct") + of("max_tf") - 1 <= dl + 1e-9).all() or (dl <= of("max_tf")).any()
    assert (of("distinct") >= 1).all()
    np.testing.assert_allclose(of("T"), of("N") * of("avgdl"))
    np.testing.assert_allclose(of("bytes"), 6 * dl)


@pytest.mark.parametrize("name", ["lm-dirichlet", "lm-jm", "dph", "bm25"])
def test_a_score_is_that_of_a_query_of_the_term_alone(name):
    index = toysearch.Index.build(["moss moss fern", "fern stone", "moss " + "stone " * 7, "ash"])
    hits = toysearch.Searcher(index, name).search("moss")
    at = {"df": 2, "cf": 3, "N": 4, "T": float(index.dl.sum()), "avgdl": float(index.dl.mean())}
    for doc_id, tf in (("1", 2), ("3", 1)):
        dl = int(index.dl[int(doc_id) - 1])
        curve = weight_curve(toysearch.model(name), "tf", {**at, "dl": dl})
        [hit] = [hit for hit in hits if hit.doc_id == doc_id]
        assert curve.scores[tf - 1] == pytest.approx(hit.score, rel=1e-12)


def test_a_language_model_falls_with_the_length_of_the_document():
    curve = weight_curve(toysearch.model("lm-dirichlet"), "dl")
    assert (np.diff(curve.scores) < 0).all()
    assert (np.diff(curve.weights) == 0).all()


@pytest.mark.parametrize("name", [name for name in toysearch.MODELS if name != "bm25-okapi"])
def test_every_model_has_curves_of_finite_numbers(name):
    for along in ("tf", "dl", "df"):
        curve = weight_curve(toysearch.model(name), along)
        assert len(curve.weights) == len(curve.values) > 10, along
        assert np.isfinite(curve.weights).all(), along


def test_constants_of_a_collection_are_given():
    curve = weight_curve(toysearch.model("bm25-okapi"), "tf", {"average_idf": 2})
    assert curve.fixed["average_idf"] == 2
    with pytest.raises(ArgumentError, match="computes average_idf from a whole collection; give it a value"):
        weight_curve(toysearch.model("bm25-okapi"), "tf")


def test_the_statistics_of_a_field_are_those_of_the_document_unless_given():
    curve = weight_curve(formula("tf_title + dl_title * avgdl_title"), "tf", {"avgdl_title": 0.25, "dl": 8})
    assert curve.weights.tolist() == [tf + 2 for tf in range(1, 9)]


@pytest.mark.parametrize(
    ("along", "at", "sentence"),
    [
        ("idf", {}, "unknown curve 'idf'; did you mean 'df'? Curves: tf, dl, df"),
        ("tf", {"tf": 1}, "tf changes along the curve and cannot be fixed at 1"),
        ("tf", {"dl": 0.5}, "dl must be 1 or more, not 0.5"),
        ("tf", {"bytes": math.inf}, "bytes must be above 0, not inf"),
        ("tf", {"avgdl": 0}, "avgdl must be above 0, not 0"),
        ("tf", {"dl": 200, "T": 100}, "dl 200 cannot be above T 100 in any posting"),
        ("dl", {"tf": 4, "cf": 3}, "tf 4 cannot be above cf 3 in any posting"),
        ("dl", {"df": 3, "cf": 2}, "df 3 cannot be above cf 2 in any posting"),
        ("df", {"tf": 3, "dl": 2}, "tf 3 cannot be above dl 2 in any posting"),
        ("dl", {"cf": 30, "T": 20}, "cf 30 cannot be above T 20 in any posting"),
    ],
)
def test_what_no_posting_can_have_is_refused(along, at, sentence):
    with raising(ArgumentError, sentence):
        weight_curve(toysearch.model("bm25"), along, at)


def test_an_unknown_statistic_is_told_the_nearest():
    with pytest.raises(ArgumentError, match="unknown statistic 'avgdll'; did you mean 'avgdl'") as caught:
        weight_curve(toysearch.model("bm25"), "tf", {"avgdll": 3})
    assert str(caught.value).endswith(f"Statistics: {', '.join(STATISTICS)}")
