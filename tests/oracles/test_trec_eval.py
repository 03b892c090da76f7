"""Our values against trec_eval's own code (pytrec_eval), ir_measures and scikit-learn."""

from __future__ import annotations

import io
import random
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, fbeta_score, ndcg_score

from toysearch import Ranking, Run, evaluate, write_run
from toysearch.evaluation.measures.measure import Measure

Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]

TREC_EVAL = {
    "AP": "map",
    "AP@1": "map_cut_1",
    "AP@10": "map_cut_10",
    "nDCG": "ndcg",
    "nDCG@3": "ndcg_cut_3",
    "nDCG@10": "ndcg_cut_10",
    "P@1": "P_1",
    "P@5": "P_5",
    "P@100": "P_100",
    "R@5": "recall_5",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
}

DOC_IDS = [*(f"d{number}" for number in range(12)), "D1", "é", "日本", "😀", "d-1"]
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9, 1 - 1e-9, -1.0, 1e-45, 1e-46, 1e39, 2e39, -1e39]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-3, 3).map(float),
)
RUNS = st.dictionaries(
    st.sampled_from(["1", "2", "3", "only-run"]),
    st.dictionaries(st.sampled_from(DOC_IDS), SCORES, min_size=1),
    min_size=1,
)
QRELS = st.dictionaries(
    st.sampled_from(["1", "2", "3", "only-judged"]),
    # trec_eval's nDCG reads past its arrays where all grades of a query are negative.
    st.dictionaries(st.sampled_from(DOC_IDS), st.integers(-2, 4), min_size=1).filter(lambda g: max(g.values()) >= 0),
    min_size=1,
)
RANKINGS = st.dictionaries(
    st.sampled_from(["1", "2", "3"]),
    st.lists(st.tuples(st.sampled_from(DOC_IDS), SCORES), min_size=1, unique_by=lambda row: row[0]),
    min_size=1,
)


def trec_eval(run: Scores, qrels: Grades, threshold: int = 1) -> dict[str, dict[str, float]]:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values()), relevance_level=threshold)
    values = evaluator.evaluate(run)
    return {query_id: {ours: row[theirs] for ours, theirs in TREC_EVAL.items()} for query_id, row in values.items()}


def random_collection(seed: int) -> tuple[Scores, Grades]:
    """Longer rankings than hypothesis makes; as the seed goes: many ties, scores 32 bits cannot tell apart, neither."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(chance.choice([3, 30, 300]))]
    score = [
        lambda: float(chance.randint(0, 3)),
        lambda: 10 + chance.random() * 1e-6,
        lambda: chance.gauss(0, 5),
    ][seed % 3]
    queries = [f"q{number}" for number in range(6)]
    run = {query_id: {d: score() for d in chance.sample(docs, chance.randint(1, len(docs)))} for query_id in queries}
    qrels = {query_id: {d: chance.choice([-1, 0, 1, 2, 3]) for d in chance.sample(docs, 3)} for query_id in queries}
    for grades in qrels.values():
        grades[docs[0]] = chance.choice([0, 1])
    del run["q4"], qrels["q5"]
    return run, qrels


class TestTrecEval:
    @given(RUNS, QRELS, st.sampled_from([1, 2]))
    def test_small_collections(self, run: Scores, qrels: Grades, threshold: int) -> None:
        if run.keys() & qrels.keys():
            self.check(run, qrels, threshold)

    @pytest.mark.parametrize("seed", range(30))
    def test_longer_rankings(self, seed: int) -> None:
        self.check(*random_collection(seed), threshold=1 + seed % 2)

    def check(self, run: Scores, qrels: Grades, threshold: int) -> None:
        theirs = trec_eval(run, qrels, threshold)
        ours = evaluate(run, qrels=qrels, measures=TREC_EVAL, threshold=threshold, only_retrieved=True)
        assert ours.per_query.keys() == theirs.keys()
        for query_id, row in theirs.items():
            assert ours.per_query[query_id] == pytest.approx(row, abs=1e-9)
        for name, value in ours.means.items():
            values = [row[name] for row in theirs.values()]
            aggregate = pytrec_eval.compute_aggregated_measure(TREC_EVAL[name], values)
            assert value == pytest.approx(aggregate, abs=1e-9)

    @pytest.mark.parametrize("seed", range(6))
    def test_a_missing_query_counts_as_zero_as_with_its_option_c(self, seed: int) -> None:
        run, qrels = random_collection(seed)
        ours = evaluate(run, qrels=qrels, measures="AP nDCG@10 P@5")
        theirs = trec_eval(run, qrels)
        assert set(ours.missing) == qrels.keys() - theirs.keys() == {"q4"}
        for name in ours.means:
            assert ours.per_query["q4"][name] == 0
            assert ours[name] == pytest.approx(sum(row[name] for row in theirs.values()) / len(qrels), abs=1e-9)


class TestWrittenRuns:
    """What is written is read back by trec_eval in the order that was ranked, whatever the scores are."""

    @given(RANKINGS, QRELS)
    def test_small_rankings(self, rankings: dict[str, list[tuple[str, float]]], qrels: Grades) -> None:
        if rankings.keys() & qrels.keys():
            self.check(rankings, qrels)

    @pytest.mark.parametrize("score", [0.0, -0.0, 1.0, -1e-45, 1e300, -1e300, 1e7, -0.1144])
    def test_nothing_but_ties(self, score: float) -> None:
        chance = random.Random(3)
        docs = [f"d{number}" for number in range(500)]
        rankings = {query_id: [(d, score) for d in chance.sample(docs, 500)] for query_id in ("1", "2")}
        qrels = {query_id: {d: chance.choice([0, 1, 2]) for d in chance.sample(docs, 60)} for query_id in rankings}
        self.check(rankings, qrels)

    def test_scores_that_32_bits_cannot_tell_apart(self) -> None:
        chance = random.Random(4)
        scores = sorted((chance.gauss(0, 1e-5) + 7 for _ in range(1000)), reverse=True)
        rankings = {"1": [(f"d{chance.random()}", score) for score in scores]}
        qrels = {"1": {doc_id: chance.choice([0, 1, 2]) for doc_id, _ in rankings["1"][::7]}}
        self.check(rankings, qrels)

    def check(self, rankings: dict[str, list[tuple[str, float]]], qrels: Grades) -> None:
        run = Run.from_rankings(
            Ranking(query_id, [d for d, _ in rows], [s for _, s in rows]) for query_id, rows in rankings.items()
        )
        file = io.StringIO()
        write_run(run, file)
        read = pytrec_eval.parse_run(io.StringIO(file.getvalue()))
        in_memory = evaluate(run, qrels=qrels, measures=TREC_EVAL, only_retrieved=True)
        theirs = trec_eval(read, qrels)
        assert in_memory.ties == "rank"
        assert in_memory.per_query.keys() == theirs.keys()
        for query_id, row in theirs.items():
            assert in_memory.per_query[query_id] == pytest.approx(row, abs=1e-9)

    @pytest.mark.parametrize("ties", ["rank", "trec_eval"])
    def test_our_own_reading_agrees_by_either_rule(self, tmp_path: Path, ties: str) -> None:
        run, qrels = random_collection(3)
        ranked = Run.from_rankings(Ranking(q, list(docs), list(docs.values())) for q, docs in run.items())
        write_run(ranked, tmp_path / "run")
        from_file = evaluate(tmp_path / "run", qrels=qrels, measures=TREC_EVAL, ties=ties)
        in_memory = evaluate(ranked, qrels=qrels, measures=TREC_EVAL)
        for query_id, row in in_memory.per_query.items():
            assert from_file.per_query[query_id] == pytest.approx(row, abs=1e-12)


class TestIrMeasures:
    @pytest.mark.parametrize(
        "text", ["AP", "AP@7", "nDCG@10", "P(rel=2)@5", "R@10", "RR", "RR(rel=2)@10", "Rprec(rel=2)", "Success@3"]
    )
    def test_names_and_values(self, text: str) -> None:
        theirs = ir_measures.parse_measure(text)
        assert repr(theirs) == str(Measure.parse(text))
        run, qrels = random_collection(2)  # without ties, which not all of its providers break alike
        values = {value.query_id: value.value for value in theirs.iter_calc(qrels, run)}
        ours = evaluate(run, qrels=qrels, measures=[theirs], threshold=1)
        for query_id, row in ours.per_query.items():
            assert row[text] == pytest.approx(values[query_id], abs=1e-9)
        assert ours[text] == pytest.approx(theirs.calc_aggregate(qrels, run), abs=1e-9)

    def test_cutoffs_and_parameters_bound_in_python(self) -> None:
        from ir_measures import AP, P, nDCG

        given_to_us = [AP, nDCG @ 10, P(rel=2) @ 5]
        assert list(evaluate({"1": ["a"]}, {"1": {"a": 1}}, given_to_us).means) == ["AP", "nDCG@10", "P(rel=2)@5"]


class TestScikitLearn:
    """Its functions score a labelling of all documents: the same thing where all are judged and retrieved, untied."""

    @pytest.mark.parametrize("seed", range(10))
    def test_where_definitions_coincide(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        size = int(chance.integers(5, 50))
        grades = chance.integers(0, 4, size)
        grades[0] = 2
        scores = chance.permutation(size).astype(float)
        names = [f"d{number}" for number in range(size)]
        run = {"1": dict(zip(names, scores.tolist(), strict=True))}
        qrels = {"1": dict(zip(names, grades.tolist(), strict=True))}
        result = evaluate(run, qrels=qrels, measures="nDCG nDCG@5 AP AP(rel=2)")
        assert result["nDCG"] == pytest.approx(ndcg_score([grades], [scores]), abs=1e-9)
        assert result["nDCG@5"] == pytest.approx(ndcg_score([grades], [scores], k=5), abs=1e-9)
        assert result["AP"] == pytest.approx(average_precision_score(grades >= 1, scores), abs=1e-9)
        assert result["AP(rel=2)"] == pytest.approx(average_precision_score(grades >= 2, scores), abs=1e-9)

    @pytest.mark.parametrize("beta", [0, 0.5, 1, 2])
    def test_f_of_the_first_k(self, beta: float) -> None:
        chance = np.random.default_rng(7)
        for k in (1, 3, 10):
            relevant = chance.integers(0, 2, 20)
            relevant[0] = 1
            names = [f"d{number}" for number in range(20)]
            measure = f"F(beta={beta})@{k}"
            ours = evaluate(
                {"1": names}, qrels={"1": dict(zip(names, relevant.tolist(), strict=True))}, measures=measure
            )
            assert ours[measure] == pytest.approx(fbeta_score(relevant, np.arange(20) < k, beta=beta), abs=1e-9)
