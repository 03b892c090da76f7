"""The provider for ir_measures against its own providers, which run the code of trec_eval and others."""

import random
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_measures import ir_measure

import toysearch
from toysearch.workbench.exchange.ir_measures import PROVIDER

ir_measures = pytest.importorskip("ir_measures")
AP, Judged, P, nDCG = ir_measures.AP, ir_measures.Judged, ir_measures.P, ir_measures.nDCG

pytestmark = pytest.mark.system

NAMES = [
    *("AP", "AP@3", "AP(rel=2)@5", "P@5", "P(rel=2)@5", "P(judged_only=True)@5", "RR", "RR(rel=2)", "Rprec"),
    *("nDCG", "nDCG@3", "nDCG(judged_only=True)@4", "R@5", "R(rel=2)@5", "Bpref", "Bpref(rel=2)", "infAP"),
    *("NumRet", "NumRet(rel=1)", "SetAP", "SetF", "SetP", "SetP(relative=True)", "SetR", "Success@1"),
    *("Success(rel=3)@3", "IPrec@0.1", "IPrec@0.5", "infAP(rel=2)", "NumRel", "NumQ"),
]
SCORES = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([0.5, 1.0, -2.0, 3.25]), min_size=1)
GRADES = st.dictionaries(st.sampled_from("abcdefghi"), st.integers(-1, 3), min_size=1)


def values(provider: object, measures: list[object], qrels: object, run: object) -> dict[tuple[str, str], float]:
    return {(str(each.measure), each.query_id): each.value for each in provider.iter_calc(measures, qrels, run)}


def drawn(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments of three queries, and a run without ties that lacks the last."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(30)]
    qrels = {query_id: {doc_id: chance.randint(-1, 4) for doc_id in chance.sample(docs, 12)} for query_id in "123"}
    return qrels, {query_id: {doc_id: chance.random() for doc_id in chance.sample(docs, 20)} for query_id in "12"}


@given(st.dictionaries(st.sampled_from("123"), GRADES, min_size=1), st.dictionaries(st.sampled_from("123x"), SCORES))
@settings(max_examples=25)
def test_values_are_those_of_trec_eval(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> None:
    if any(max(grades.values()) < 0 for grades in qrels.values()):
        return  # nDCG of trec_eval then reads past its arrays
    measures = [*map(ir_measure, NAMES), nDCG(gains={1: 5, 2: 0}) @ 5]
    ours, theirs = (values(each, measures, qrels, run) for each in (PROVIDER, ir_measures.pytrec_eval))
    found = any(query_id in run for query_id in qrels)
    for query_id in qrels.keys() - run.keys() if found else ():  # there they count as in trec_eval without -c
        theirs["NumQ", query_id] = 1.0
        theirs["NumRel", query_id] = sum(grade > 0 for grade in qrels[query_id].values())
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(
    ("peer", "names", "tolerance"),
    [
        ("compat", ["Compat", "Compat(p=0.8)", "Compat(normalize=False)"], 1e-9),
        ("gdeval", ["ERR@10", "nDCG(dcg='exp-log2')@10"], 6e-6),
    ],
)
def test_values_are_those_of_other_providers(peer: str, names: list[str], tolerance: float) -> None:
    if peer == "gdeval" and shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl script, and there is no perl")
    measures, (qrels, run) = [*map(ir_measure, names)], drawn(1)
    ours, theirs = (values(each, measures, qrels, run) for each in (PROVIDER, ir_measures.providers.registry[peer]))
    assert ours == pytest.approx(theirs, abs=tolerance)
    assert len(set(ours.values())) > 3


def test_runs_and_judgments_of_toysearch_are_taken_as_they_are() -> None:
    qrels, run = drawn(2)
    made = toysearch.evaluate(run, qrels=qrels, measures="AP")
    given = PROVIDER.calc_aggregate([AP], toysearch.Qrels.from_dict(qrels), toysearch.Run.from_dict(run))
    assert given == {AP: made["AP"]}


def test_what_is_defined_otherwise_is_left_to_the_others() -> None:
    assert [PROVIDER.supports(ir_measure(name)) for name in ("SetF", "SetF(beta=2.0)", "Judged", "RBP")] == [
        *(True, False, False, False)
    ]
    every = ir_measures.providers.FallbackProvider([PROVIDER, ir_measures.judged])
    found = every.calc_aggregate([P @ 5, Judged @ 5], *drawn(3))
    assert found == {
        **PROVIDER.calc_aggregate([P @ 5], *drawn(3)),
        **ir_measures.judged.calc_aggregate([Judged @ 5], *drawn(3)),
    }


def test_an_evaluator_scores_several_runs() -> None:
    qrels, run = drawn(4)
    evaluator = ir_measures.providers.registry["toysearch"].evaluator([P @ 5, AP], qrels)
    other = {query_id: {doc_id: -score for doc_id, score in scores.items()} for query_id, scores in run.items()}
    for each in (run, other):
        assert evaluator.calc_aggregate(each) == pytest.approx(
            ir_measures.pytrec_eval.calc_aggregate([P @ 5, AP], qrels, each)
        )
