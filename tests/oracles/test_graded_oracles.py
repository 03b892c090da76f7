"""Our graded and incomplete-judgment measures against gdeval, ir_measures' own code, trec_eval and scikit-learn.

gdeval is TREC's Perl script for ERR and nDCG with 2^grade - 1, which prints five digits; ir_measures carries it, and
has code of its own for Compat and Judged.
"""

import random
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from peer_measures import Grades, Scores, ir_measure, labelled
from sklearn.metrics import dcg_score, ndcg_score

from toysearch import evaluate
from toysearch.evaluation.measures.measure import Measure

pytrec_eval = pytest.importorskip("pytrec_eval")

pytestmark = pytest.mark.filterwarnings("ignore:no grade is 0 or less")


def untied(seed: int, grades: list[int]) -> tuple[Scores, Grades]:
    """A random run whose scores are positive and differ, and judgments; each query has a grade above 0."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(chance.choice([4, 25, 200]))]
    run, qrels = {}, {}
    for query_id in map(str, range(1, 6)):
        found = chance.sample(docs, chance.randint(1, len(docs)))
        run[query_id] = {doc_id: float(len(found) - place) for place, doc_id in enumerate(found)}
        qrels[query_id] = {d: chance.choice(grades) for d in chance.sample(docs, chance.randint(1, len(docs)))}
        qrels[query_id][docs[0]] = max(grades)
    return run, qrels


def check(measure: str, theirs: str, run: Scores, qrels: Grades, tolerance: float) -> None:
    parsed = ir_measure(theirs)
    expected = {metric.query_id: metric.value for metric in parsed.iter_calc(qrels, run)}
    ours = evaluate(run, qrels=qrels, measures=[measure]).per_query
    assert {query_id: next(iter(row.values())) for query_id, row in ours.items()} == pytest.approx(
        expected, abs=tolerance
    )


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and there is no perl")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 5, 20, 1000])
class TestGdeval:
    def test_exponential_gains(self, seed: int, k: int) -> None:
        name = f"nDCG(dcg='exp-log2')@{k}"
        assert repr(ir_measure(name)) == str(Measure.parse(name))
        check(name, name, *untied(seed, [-1, 0, 1, 2, 4]), tolerance=6e-6)

    def test_expected_reciprocal_rank_on_its_scale_from_0_to_4(self, seed: int, k: int) -> None:
        check(f"ERR(max_rel=4)@{k}", f"ERR@{k}", *untied(seed, [-1, 0, 1, 3]), tolerance=6e-6)


class TestIrMeasures:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("name", ["Compat", "Compat(p=0.8)", "Compat(p=0.5,normalize=False)", "Compat(p=1.0)"])
    def test_compatibility(self, name: str, seed: int) -> None:
        check(name, name, *untied(seed, [-1, 0, 1, 2, 3]), tolerance=1e-9)

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("name", ["Judged", "Judged@1", "Judged@10", "Judged@1000"])
    def test_judged(self, name: str, seed: int) -> None:
        check(name, name, *untied(seed, [-2, -1, 0, 1, 2]), tolerance=1e-12)

    def test_compatibility_of_negative_scores_is_another_there(self) -> None:
        # Its ideal ranking puts "c", which was not retrieved, at score 0: above "a" of the same grade, retrieved at -1.
        run, qrels = {"1": {"a": -1.0}}, {"1": {"a": 1, "c": 1}}
        assert evaluate(run, qrels=qrels, measures="Compat(p=0)")["Compat(p=0)"] == 1
        assert ir_measure("Compat(p=0.0)").calc_aggregate(qrels, run) == 0

    def test_compatibility_of_nothing_is_0(self) -> None:
        """Nothing is left of the run without its unjudged documents, and the ideal ranking is empty."""
        name = "Compat(normalize=False,judged_only=True)"
        assert evaluate({"1": ["a", "b"]}, {"1": {"c": 0}}, name)[name] == 0

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("name", ["nDCG(gains={1:4,2:1})@10", "nDCG(gains={0:1,3:7},judged_only=True)"])
    def test_other_gains(self, name: str, seed: int) -> None:
        check(name, name.replace(":", ": "), *untied(seed, [0, 1, 2, 3]), tolerance=1e-9)


@st.composite
def scored(draw: st.DrawFn) -> tuple[Scores, Grades]:
    docs = [f"d{number}" for number in range(9)]
    scores = st.dictionaries(st.sampled_from(docs), st.integers(-2, 6).map(float), min_size=1)
    # trec_eval's nDCG reads past its arrays where all grades of a query are negative.
    grades = st.dictionaries(st.sampled_from(docs), st.integers(-2, 3), min_size=1).filter(
        lambda g: max(g.values()) >= 0
    )
    return {"1": draw(scores)}, {"1": draw(grades)}


TREC_EVAL = {"AP": "map", "nDCG": "ndcg", "nDCG@3": "ndcg_cut_3", "P@5": "P_5", "RR": "recip_rank", "R@5": "recall_5"}


@pytest.mark.system
@given(scored())
def test_condensed_lists_are_those_of_trec_evals_option_j(collection: tuple[Scores, Grades]) -> None:
    run, qrels = collection
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values()), judged_docs_only_flag=True)
    theirs = evaluator.evaluate(run)["1"]
    for name, its in TREC_EVAL.items():
        head, at, cutoff = name.partition("@")
        measure = f"{head}(judged_only=True){at}{cutoff}"
        assert evaluate(run, qrels=qrels, measures=measure)[measure] == pytest.approx(theirs[its], abs=1e-9), name


@pytest.mark.parametrize("seed", range(8))
def test_scikit_learn_on_documents_that_are_all_judged_and_retrieved(seed: int) -> None:
    chance = np.random.default_rng(seed)
    grades = chance.integers(0, 5, int(chance.integers(3, 40)))
    grades[0] = 4
    scores = chance.permutation(grades.size).astype(float)
    measures = "DCG DCG@4 DCG(dcg='exp-log2')@7 nDCG(ideal='ranking') nDCG(ideal='ranking')@5 nDCG(dcg='exp-log2')"
    exponential = 2.0**grades - 1
    assert list(evaluate(**labelled(scores, grades), measures=measures).means.values()) == pytest.approx(
        [
            dcg_score([grades], [scores]),
            dcg_score([grades], [scores], k=4),
            dcg_score([exponential], [scores], k=7),
            ndcg_score([grades], [scores]),
            ndcg_score([grades], [scores], k=5),
            ndcg_score([exponential], [scores]),
        ],
        abs=1e-9,
    )
