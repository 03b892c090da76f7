"""Our values against trec_eval's own code (pytrec_eval), ir_measures and scikit-learn."""

import functools
import io
import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from peer_measures import Grades, Scores, ir_measure, labelled, random_collection
from sklearn.metrics import average_precision_score, fbeta_score, ndcg_score, precision_recall_curve
from tiers import thinned

from toysearch import Ranking, Run, evaluate, write_run
from toysearch.evaluation.measures.measure import parse_measures

ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

_CUTOFFS = (1, 3, 5, 10, 100, 1000)
THEIRS = [
    *("map", "ndcg", "bpref", "recip_rank", "Rprec", "infAP", "11pt_avg", "num_ret", "num_rel", "num_rel_ret"),
    *("set_P", "set_recall", "set_F", "set_map", "set_relative_P"),
    *("G", "binG", "ndcg_rel", "Rndcg", "utility", "num_nonrel_judged_ret"),
    *(f"{name}_{k}" for name in ("P", "recall", "map_cut", "ndcg_cut", "relative_P", "success") for k in _CUTOFFS),
    *(f"iprec_at_recall_{level:.2f}" for level in (0, 0.05, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.7, 0.75, 0.9, 0.99, 1)),
]
OURS = {name: str(parse_measures([name])[0]) for name in THEIRS}

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
    st.dictionaries(st.sampled_from(DOC_IDS), st.integers(-3, 4), min_size=1).filter(lambda g: max(g.values()) >= 0),
    min_size=1,
)


RANKINGS = st.dictionaries(
    st.sampled_from(["1", "2", "3"]),
    st.lists(st.tuples(st.sampled_from(DOC_IDS), SCORES), min_size=1, unique_by=lambda row: row[0]),
    min_size=1,
)


drawn = functools.partial(random_collection, sizes=(2, 5, 40, 300), queries=[f"q{number}" for number in range(6)])


def trec_eval(run: Scores, qrels: Grades, threshold: int = 1) -> dict[str, dict[str, float]]:
    """trec_eval's values of each query, by our names."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS), relevance_level=threshold)
    values = evaluator.evaluate(run)
    return {query_id: {OURS[name]: row[name] for name in THEIRS} for query_id, row in values.items()}


class TestTrecEval:
    @pytest.mark.system
    @given(RUNS, QRELS, st.sampled_from([1, 2]))
    def test_small_collections(self, run: Scores, qrels: Grades, threshold: int) -> None:
        if run.keys() & qrels.keys():
            self.check(run, qrels, threshold)

    @pytest.mark.parametrize("seed", thinned(range(40), 3))
    def test_longer_rankings(self, seed: int) -> None:
        self.check(*drawn(seed), threshold=1 + seed % 2)

    @pytest.mark.parametrize("threshold", [1, 2, 5])
    def test_nothing_relevant(self, threshold: int) -> None:
        run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
        self.check(run, {"1": {"a": 0, "c": 0}, "2": {"a": 1, "b": -1}}, threshold)

    def check(self, run: Scores, qrels: Grades, threshold: int) -> None:
        theirs = trec_eval(run, qrels, threshold)
        ours = evaluate(run, qrels=qrels, measures=THEIRS, threshold=threshold, only_retrieved=True)
        assert list(ours.means) == list(OURS.values())
        assert ours.per_query.keys() == theirs.keys()
        for query_id, row in theirs.items():
            assert ours.per_query[query_id] == pytest.approx(row, abs=1e-9)
        for name, our_name in OURS.items():
            mean = pytrec_eval.compute_aggregated_measure(name, [row[our_name] for row in theirs.values()])
            assert ours[our_name] == pytest.approx(mean, abs=1e-9)

    @pytest.mark.parametrize("seed", range(6))
    def test_a_missing_query_counts_as_zero_as_with_its_option_c(self, seed: int) -> None:
        run, qrels = drawn(seed)
        ours = evaluate(run, qrels=qrels, measures="AP nDCG@10 P@5")
        theirs = trec_eval(run, qrels)
        assert set(ours.missing) == qrels.keys() - theirs.keys() == {"q4"}
        for name in ours.means:
            assert ours.per_query["q4"][name] == 0
            assert ours[name] == pytest.approx(sum(row[name] for row in theirs.values()) / len(qrels), abs=1e-9)

    @pytest.mark.parametrize("seed", thinned(range(12), 2))
    def test_precision_at_multiples_of_the_number_of_relevant_documents(self, seed: int) -> None:
        run, qrels = drawn(seed)
        times = (0.05, 0.2, 0.35, 1.0, 1.5, 2.0, 5.0)
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {f"Rprec_mult.{','.join(map(str, times))}"})
        ours = evaluate(
            run, qrels=qrels, measures=[f"RprecMult(times={each})" for each in times], threshold=1
        ).per_query
        for query_id, values in evaluator.evaluate(run).items():
            expected = [values[f"Rprec_mult_{each:.2f}"] for each in times]
            assert list(ours[query_id].values()) == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize("seed", thinned(range(12), 2))
    def test_the_geometric_mean(self, seed: int) -> None:
        run, qrels = drawn(seed)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map", "num_q"}).evaluate(run)
        logarithms = [row["gm_map"] for row in theirs.values()]  # its value for a query is ln(max(AP, 0.00001))
        ours = evaluate(run, qrels=qrels, measures="gm_map AP num_q", only_retrieved=True)
        expected = pytrec_eval.compute_aggregated_measure("gm_map", logarithms)
        assert ours["GMAP"] == ours.aggregate("AP", "gm") == pytest.approx(expected, abs=1e-12)
        assert ours["NumQ"] == len(theirs)
        with_the_missing = math.exp((sum(logarithms) + math.log(0.00001)) / (len(logarithms) + 1))
        assert evaluate(run, qrels=qrels, measures="GMAP")["GMAP"] == pytest.approx(with_the_missing, abs=1e-12)

    @pytest.mark.parametrize("grade", [-1, -2, -3, -100])
    def test_every_negative_grade_is_pooled_and_not_judged(self, grade: int) -> None:
        run, qrels = {"1": {"a": 4.0, "n": 3.0, "x": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 2, "x": 0, "n": grade}}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"infAP", "bpref"}).evaluate(run)["1"]
        ours = evaluate(run, qrels=qrels, measures="infAP bpref").per_query["1"]
        assert ours["infAP"] == pytest.approx(theirs["infAP"], abs=1e-12)
        assert ours["Bpref"] == pytest.approx(theirs["bpref"], abs=1e-12)


class TestWrittenRuns:
    """What is written is read back by trec_eval in the order that was ranked, whatever the scores are."""

    @pytest.mark.system
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
        in_memory = evaluate(run, qrels=qrels, measures=THEIRS, only_retrieved=True)
        theirs = trec_eval(read, qrels)
        assert in_memory.ties == "rank"
        assert in_memory.per_query.keys() == theirs.keys()
        for query_id, row in theirs.items():
            assert in_memory.per_query[query_id] == pytest.approx(row, abs=1e-9)

    @pytest.mark.parametrize("ties", ["rank", "trec_eval"])
    def test_our_own_reading_agrees_by_either_rule(self, tmp_path: Path, ties: str) -> None:
        run, qrels = drawn(3)
        ranked = Run.from_rankings(Ranking(q, list(docs), list(docs.values())) for q, docs in run.items())
        write_run(ranked, tmp_path / "run")
        from_file = evaluate(tmp_path / "run", qrels=qrels, measures=THEIRS, ties=ties)
        in_memory = evaluate(ranked, qrels=qrels, measures=THEIRS)
        for query_id, row in in_memory.per_query.items():
            assert from_file.per_query[query_id] == pytest.approx(row, abs=1e-12)


class TestIrMeasures:
    """Its values come from several providers; rankings are untied, because not all of them break ties alike."""

    @pytest.mark.parametrize(
        "text",
        [
            *("AP", "AP@7", "nDCG@10", "P(rel=2)@5", "R@10", "RR", "RR(rel=2)@10", "Rprec(rel=2)", "Success@3"),
            *("Bpref", "Bpref(rel=2)", "infAP", "IPrec@0.0", "IPrec@0.1", "IPrec@0.5", "IPrec@1.0", "NumQ", "NumRel"),
            *("NumRet", "NumRet(rel=1)", "SetP", "SetR", "SetF", "SetP(rel=2)", "SetAP", "SetRelP"),
            *("AP(judged_only=True)", "P(judged_only=True)@5", "nDCG(judged_only=True)@10", "RR(judged_only=True)"),
            *("SetP(judged_only=True)", "SetF(judged_only=True)", "AP(rel=2,judged_only=True)@10"),
        ],
    )
    @pytest.mark.parametrize("seed", thinned([2, 5, 8], 3))
    def test_values(self, text: str, seed: int) -> None:
        run, qrels = drawn(seed)
        for grades in qrels.values():  # its condensed lists keep documents of negative grades
            for doc_id, grade in grades.items():
                grades[doc_id] = max(grade, 0)
        theirs = ir_measure(text)
        values = {value.query_id: value.value for value in theirs.iter_calc(qrels, run)}
        ours = evaluate(run, qrels=qrels, measures=[theirs], threshold=1)
        (measure,) = ours.measures
        assert str(measure) == {"NumRet(rel=1)": "NumRelRet(rel=1)"}.get(text, text)
        for query_id in run.keys() & qrels.keys():
            assert ours.per_query[query_id][str(measure)] == pytest.approx(values[query_id], abs=1e-9)

    @pytest.mark.parametrize("text", ["AP", "nDCG@10"])
    def test_the_mean(self, text: str) -> None:
        run, qrels = drawn(2)  # without ties, which not all of its providers break alike
        theirs = ir_measure(text).calc_aggregate(qrels, run)
        assert evaluate(run, qrels=qrels, measures=text, threshold=1)[text] == pytest.approx(theirs, abs=1e-9)

    def test_cutoffs_and_parameters_bound_in_python(self) -> None:
        from ir_measures import AP, P, nDCG

        given_to_us = [AP, nDCG @ 10, P(rel=2) @ 5]
        assert list(evaluate({"1": ["a"]}, {"1": {"a": 1}}, given_to_us).means) == ["AP", "nDCG@10", "P(rel=2)@5"]

    def test_every_measure_of_its_own_that_we_have_is_read(self) -> None:
        ours = {"AP", "Bpref", "ERR", "infAP", "IPrec", "Judged", "nDCG", "NumQ", "NumRel", "NumRet", "P", "R", "RBP"}
        ours |= {"Rprec", "RR", "SetP", "SetRelP", "SetR", "SetF", "SetAP", "Success", "Compat"}
        for name in ours:
            measure = ir_measures.measures.registry[name]
            end = {"IPrec": "@0.1"}.get(name, "@10" if name in ("P", "R", "Success") else "")
            theirs = str(parse_measures([repr(measure) + end])[0])
            assert theirs == str(parse_measures([name + end])[0])

    @pytest.mark.parametrize("beta", [0.5, 2.0])
    def test_its_beta_of_set_f_is_trec_evals_parameter_which_is_beta_squared(self, beta: float) -> None:
        run, qrels = drawn(2)
        values = {value.query_id: value.value for value in ir_measures.SetF(beta=beta).iter_calc(qrels, run)}
        ours = evaluate(run, qrels=qrels, measures=[f"set_F_{beta}", f"SetF(beta={beta})"], threshold=1)
        squared, as_named = map(str, ours.measures)
        differing = 0
        for query_id in run.keys() & qrels.keys():
            assert ours.per_query[query_id][squared] == pytest.approx(values[query_id], abs=1e-9)
            differing += ours.per_query[query_id][as_named] != pytest.approx(values[query_id], abs=1e-3)
        assert differing


class TestScikitLearn:
    """Its functions score a labelling of all documents: the same thing where all are judged and retrieved, untied."""

    @pytest.mark.parametrize("seed", range(10))
    def test_where_definitions_coincide(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        size = int(chance.integers(5, 50))
        grades = chance.integers(0, 4, size)
        grades[0] = 2
        scores = chance.permutation(size).astype(float)
        result = evaluate(**labelled(scores, grades), measures="nDCG nDCG@5 AP AP(rel=2)")
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
            measure = f"F(beta={beta})@{k}"
            ours = evaluate(**labelled(-np.arange(20.0), relevant), measures=measure)
            assert ours[measure] == pytest.approx(fbeta_score(relevant, np.arange(20) < k, beta=beta), abs=1e-9)

    @pytest.mark.parametrize("seed", range(10))
    def test_the_curve_of_precision_and_recall(self, seed: int) -> None:
        """Its curve has a point a rank; where all is retrieved, ours is the running maximum of it from the right."""
        chance = np.random.default_rng(seed)
        relevant = chance.integers(0, 2, 40)
        relevant[0] = 1
        scores = chance.permutation(40).astype(float)
        precisions, recalls, _ = precision_recall_curve(relevant, scores)
        n_relevant = int(relevant.sum())
        levels = [found / n_relevant for found in range(1, n_relevant + 1)]
        measures = [f"IPrec@{level:.15f}" for level in levels]
        ours = list(evaluate(**labelled(scores, relevant), measures=measures).means.values())
        # Its last point is recall 0 at precision 1, which no rank has.
        expected = [precisions[:-1][recalls[:-1] >= level - 1e-9].max() for level in levels]
        assert ours == pytest.approx(expected, abs=1e-9)
