"""Values against ranx, on rankings without ties, under the names that ranx gives the measures.

ranx compiles its measures at first use, which takes most of a minute; so it belongs to the extra `oracles` and
this file is skipped where that is not installed.
"""

import math
import random

import numpy as np
import pytest

from toysearch import evaluate

ranx = pytest.importorskip("ranx", reason="ranx is not installed: pip install -e '.[oracles]'")
numba = pytest.importorskip("numba")  # ranx brings it

NAMES = ["map", "map@5", "mrr", "mrr@3", "ndcg", "ndcg@4", "ndcg_burges@4", "precision@5", "recall@5", "f1@5"]
NAMES += ["r-precision", "hit_rate@2"]


def made(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """A run without ties, and judgments of documents that are found and that are not."""
    rng = random.Random(seed)
    doc_ids = [f"d{i}" for i in range(30)]
    run, qrels = {}, {}
    for query in range(rng.randint(1, 5)):
        found = rng.sample(doc_ids, rng.randint(1, 20))
        run[f"q{query}"] = {doc_id: float(score) for score, doc_id in enumerate(found, 1)}
        grades = {doc_id: rng.choice([0, 0, 1, 2, 3]) for doc_id in rng.sample(doc_ids, rng.randint(1, 15))}
        qrels[f"q{query}"] = grades | {rng.choice(doc_ids): rng.randint(1, 3)}
    return run, qrels


@pytest.mark.parametrize("name", NAMES)
def test_each_query_has_the_value_of_ranx(name):
    for seed in range(25):
        run, qrels = made(seed)
        theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name, return_mean=False)
        ours = evaluate(run, qrels=qrels, measures=name)
        [measure] = ours.means
        # ranx sorts the queries by their ids
        np.testing.assert_allclose(
            [ours.per_query[q][measure] for q in sorted(qrels)], theirs, atol=1e-9, err_msg=f"seed {seed}"
        )


def test_rbp_agrees_on_grades_of_0_and_1():
    """ranx multiplies by the grade as it stands, ours by its share of the highest: graded values differ."""
    for seed in range(25):
        run, qrels = made(seed)
        binary = {query_id: {d: int(grade > 0) for d, grade in grades.items()} for query_id, grades in qrels.items()}
        theirs = ranx.evaluate(ranx.Qrels(binary), ranx.Run(run), "rbp.80", return_mean=False)
        ours = evaluate(run, qrels=binary, measures="rbp.80")
        [measure] = ours.means
        np.testing.assert_allclose(
            [ours.per_query[q][measure] for q in sorted(qrels)], theirs, atol=1e-9, err_msg=f"seed {seed}"
        )
    graded = ranx.evaluate(ranx.Qrels({"q": {"a": 2}}), ranx.Run({"q": {"a": 1.0}}), "rbp.80")
    assert (
        round(float(graded), 9),
        evaluate({"q": {"a": 1.0}}, qrels={"q": {"a": 2}}, measures="rbp.80")[measure],
    ) == (0.4, pytest.approx(0.2))


def test_ranx_orders_ties_in_its_own_way_and_averages_over_the_queries_of_the_run():
    """Both differ from trec_eval; so comparisons above have neither."""
    tied = {"q1": {"a": 1.0, "b": 1.0}}
    by_ranx = {doc_id: ranx.evaluate(ranx.Qrels({"q1": {doc_id: 1}}), ranx.Run(tied), "mrr") for doc_id in "ab"}
    assert sorted(by_ranx.values()) == [0.5, 1.0]  # some order it is
    assert evaluate(tied, qrels={"q1": {"b": 1}}, measures="RR")["RR"] == 1.0  # trec_eval's: b before a


def test_bpref_of_ranx_ends_at_a_query_without_relevant_documents():
    """It divides by their number, which ends the compiled loop of its thread: all later queries keep 0."""
    run = {f"q{number}": {"a": 2.0, "b": 1.0} for number in range(5)}
    judged = {query_id: {"a": 0, "b": 1, "c": 0, "d": 1} for query_id in run}
    qrels, without = ranx.Qrels(judged), judged | {"q2": {"a": 0}}
    ours = evaluate(run, qrels=judged, measures="Bpref").per_query
    assert [row["Bpref"] for row in ours.values()] == [0.25] * 5
    assert ranx.evaluate(qrels, ranx.Run(run), "bpref", return_mean=False).tolist() == [0.25] * 5
    theirs = ranx.evaluate(ranx.Qrels(without), ranx.Run(run), "bpref", return_mean=False, threads=1)
    # As plain Python, without numba's compiler, the division gives NaN and the loop goes on.
    plain, compiled = [0.25, 0.25, math.nan, 0.25, 0.25], [0.25, 0.25, 0.0, 0.0, 0.0]
    np.testing.assert_array_equal(theirs, plain if numba.config.DISABLE_JIT else compiled)
    ours = evaluate(run, qrels=without, measures="Bpref").per_query
    assert [row["Bpref"] for row in ours.values()] == [0.25, 0.25, 0.0, 0.25, 0.25]
