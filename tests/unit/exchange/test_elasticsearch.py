"""The response of Elasticsearch's _rank_eval, beside a calculation by hand in its layout."""

from __future__ import annotations

import json
import math

import pytest
from shell import done, run


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    request = {
        "requests": [
            {"id": "q1", "ratings": [{"_id": "a", "rating": 0}, {"_id": "b", "rating": 2}, {"_id": "z", "rating": 1}]},
            {"id": "q2", "ratings": [{"_id": "a", "rating": 1}]},
        ]
    }
    (tmp_path / "rank_eval.json").write_text(json.dumps(request))
    lines = ["q1 Q0 a 1 3 t", "q1 Q0 x 2 2 t", "q1 Q0 b 3 1 t", "q2 Q0 c 1 5 t"]
    (tmp_path / "a.run").write_text("\n".join(lines) + "\n")


def respond(measure):
    return json.loads(done("eval", "a.run", "rank_eval.json", "-m", measure, "--format", "rank-eval").stdout)


def test_the_layout_is_that_of_elasticsearch(files):
    assert respond("P@3") == {
        "metric_score": pytest.approx(1 / 6),
        "details": {
            "q1": {
                "metric_score": pytest.approx(1 / 3),
                "unrated_docs": [{"_index": "", "_id": "x"}],
                "hits": [
                    {"hit": {"_index": "", "_id": "a", "_score": 3.0}, "rating": 0},
                    {"hit": {"_index": "", "_id": "x", "_score": 2.0}, "rating": None},
                    {"hit": {"_index": "", "_id": "b", "_score": 1.0}, "rating": 2},
                ],
                "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 3}},
            },
            "q2": {
                "metric_score": 0.0,
                "unrated_docs": [{"_index": "", "_id": "c"}],
                "hits": [{"hit": {"_index": "", "_id": "c", "_score": 5.0}, "rating": None}],
                "metric_details": {"precision": {"relevant_docs_retrieved": 0, "docs_retrieved": 1}},
            },
        },
        "failures": {},
    }


@pytest.mark.parametrize(
    ("measure", "of_first"),
    [
        ("R@2", {"recall": {"relevant_docs_retrieved": 0, "relevant_docs": 2}}),
        ("RR@10", {"mean_reciprocal_rank": {"first_relevant": 3}}),
        ("DCG(dcg='exp-log2')@10", {"dcg": {"dcg": 1.5, "unrated_docs": 1}}),
        (
            "nDCG(dcg='exp-log2')@10",  # 3 / log2(4), over 3 / log2(2) + 1 / log2(3)
            {
                "dcg": {
                    "dcg": 1.5,
                    "ideal_dcg": pytest.approx(3 + 1 / math.log2(3)),
                    "normalized_dcg": pytest.approx(1.5 / (3 + 1 / math.log2(3))),
                    "unrated_docs": 1,
                }
            },
        ),
        ("ERR@10", {"expected_reciprocal_rank": {"unrated_docs": 1}}),
        ("AP", {"AP": {}}),
    ],
)
def test_each_metric_has_its_details(files, measure, of_first):
    assert respond(measure)["details"]["q1"]["metric_details"] == of_first


def test_a_query_without_gain_has_no_ideal(files, tmp_path):
    request = {"requests": [{"id": "q1", "ratings": [{"_id": "a", "rating": 0}]}]}
    (tmp_path / "rank_eval.json").write_text(json.dumps(request))
    details = respond("nDCG(dcg='exp-log2')@10")["details"]
    assert details["q1"]["metric_details"] == {"dcg": {"dcg": 0.0, "unrated_docs": 2}}


def test_several_systems_or_measures_are_refused(files):
    for more in (["-m", "P@3 AP"], ["-m", "P@3", "--by", "length"]):
        result = run("eval", "a.run", "rank_eval.json", *more, "--format", "rank-eval")
        assert result.exit_code == 2
        assert "rank-eval holds one system and one measure: give one model or run, and -m P@10" in result.stderr
