"""Values of measures by the names of ir_measures against its providers, which run the code of trec_eval and others."""

import random
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_measures import Grades, Scores, ir_measure

import toysearch

ir_measures = pytest.importorskip("ir_measures")
pytestmark = pytest.mark.system

NAMES = [
    *("AP", "AP@3", "AP(rel=2)@5", "P@5", "P(rel=2)@5", "P(judged_only=True)@5", "RR", "RR(rel=2)", "Rprec"),
    *("nDCG", "nDCG@3", "nDCG(judged_only=True)@4", "R@5", "R(rel=2)@5", "Bpref", "Bpref(rel=2)", "infAP"),
    *("NumRet", "NumRet(rel=1)", "SetAP", "SetF", "SetP", "SetP(relative=True)", "SetR", "Success@1"),
    *("Success(rel=3)@3", "IPrec@0.1", "IPrec@0.5", "infAP(rel=2)"),
]
SCORES = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([0.5, 1.0, -2.0, 3.25]), min_size=1)
GRADES = st.dictionaries(st.sampled_from("abcdefghi"), st.integers(-1, 3), min_size=1)


def compared(peer: str, names: list[str], qrels: Grades, run: Scores) -> list[tuple[float, float]]:
    """Pairs of values, ours and theirs; a query that the run lacks has none there."""
    measures = {ir_measure(name): name for name in names}
    ours = toysearch.evaluate(run, qrels, names, threshold=1).per_query
    keys = dict(zip(names, next(iter(ours.values())), strict=True))
    theirs = [*ir_measures.providers.registry[peer].iter_calc([*measures], qrels, run)]
    return [(ours[each.query_id][keys[measures[each.measure]]], each.value) for each in theirs]


@given(st.dictionaries(st.sampled_from("123"), GRADES, min_size=1), st.dictionaries(st.sampled_from("123x"), SCORES))
@settings(max_examples=25)
def test_values_are_those_of_trec_eval(qrels: Grades, run: Scores) -> None:
    if any(max(grades.values()) < 0 for grades in qrels.values()) or not run.keys() & qrels.keys():
        return  # nDCG of trec_eval then reads past its arrays
    pairs = compared("pytrec_eval", NAMES, qrels, run)
    assert len(pairs) >= len(NAMES)
    assert [ours for ours, _ in pairs] == pytest.approx([theirs for _, theirs in pairs], abs=1e-9)


@pytest.mark.parametrize(
    ("peer", "names", "tolerance"),
    [
        ("compat", ["Compat", "Compat(p=0.8)", "Compat(normalize=False)"], 1e-9),
        ("gdeval", ["ERR@10", "nDCG(dcg='exp-log2')@10"], 6e-6),
    ],
)
def test_values_are_those_of_other_providers(peer: str, names: list[str], tolerance: float) -> None:
    """Of judgments whose highest grade is 4, which is the scale of ERR there."""
    if peer == "gdeval" and shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl script, and there is no perl")
    chance = random.Random(1)
    docs = [f"d{number}" for number in range(30)]
    qrels = {query_id: {doc_id: chance.randint(-1, 4) for doc_id in chance.sample(docs, 12)} for query_id in "123"}
    run = {query_id: {doc_id: chance.random() for doc_id in chance.sample(docs, 20)} for query_id in "12"}
    pairs = compared(peer, names, qrels, run)
    assert [ours for ours, _ in pairs] == pytest.approx([theirs for _, theirs in pairs], abs=tolerance)
    assert len({ours for ours, _ in pairs}) > 3
