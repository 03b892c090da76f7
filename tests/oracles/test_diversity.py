"""Measures of sub-topics against ndeval: published figures, its binding where it is installed, and plain loops."""

import random
from pathlib import Path

import numpy as np
import pytest

from toysearch import Qrels, evaluate, read_qrels

README = "0 a A 1\n0 b B 1\n0 b D 1\n0 c C 1\n"
RUN = {"0": {"A": 9.3, "D": 8.4, "E": 8.1, "B": 7.6}}
PUBLISHED = """ERR_IA@5 0.3933  ERR_IA@10 0.3907  nERR_IA@5 0.8297  alpha_DCG@5 0.4052  alpha_DCG@10 0.3998
alpha_DCG@20 0.3997  alpha_nDCG@5 0.7868  alpha_nDCG@20 0.7868  NRBP 0.3906  nNRBP 0.8620  AP_IA 0.5000
P_IA@5 0.2000  P_IA@20 0.0500  StRecall@5 0.6667  ERR-IA@5 0.3933  MAP-IA 0.5000  strec@10 0.6667"""


def test_published_figures(tmp_path: Path) -> None:
    """The example on the page of pyndeval, which cuts digits off instead of rounding."""
    path = tmp_path / "qrels.txt"
    path.write_text(README)
    qrels = read_qrels(path)
    for name, value in zip(PUBLISHED.split()[::2], PUBLISHED.split()[1::2], strict=True):
        assert evaluate(RUN, qrels, name)[name] == pytest.approx(float(value), abs=1e-4), name


def random_case(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, dict[str, float]]]]:
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(chance.choice([3, 12, 60]))]
    run, judgments = {}, {}
    for query_id in map(str, range(1, 5)):
        ranked = chance.sample(docs, chance.randint(1, len(docs)))
        run[query_id] = {doc_id: float(len(ranked) - place) for place, doc_id in enumerate(ranked)}
        judgments[query_id] = {
            doc_id: {str(number): float(chance.random() < 0.4) for number in range(1, 6) if chance.random() < 0.8}
            for doc_id in chance.sample(docs, chance.randint(1, len(docs)))
        }
        judgments[query_id] = {doc_id: grades or {"1": 0.0} for doc_id, grades in judgments[query_id].items()}
        judgments[query_id][docs[0]] = {"1": 1.0, "2": 0.0}
    return run, judgments


NDEVAL = {
    **{f"alpha-nDCG@{k}": f"alpha_nDCG@{k}" for k in (1, 3, 5, 20)},
    **{f"alpha-DCG@{k}": f"alpha_DCG@{k}" for k in (2, 5, 20)},
    **{f"ERR-IA@{k}": f"ERR_IA@{k}" for k in (2, 5, 20)},
    **{f"nERR-IA@{k}": f"nERR_IA@{k}" for k in (1, 5, 20)},
    **{f"P-IA@{k}": f"P_IA@{k}" for k in (1, 5, 20)},
    **{f"strec@{k}": f"StRecall@{k}" for k in (1, 5, 20)},
    **{"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"},
}


@pytest.mark.parametrize("seed", range(40))
def test_ndeval(seed: int) -> None:
    """ndeval does not divide alpha-DCG and ERR-IA at k = 1, so these are compared from k = 2 on."""
    pyndeval = pytest.importorskip("pyndeval", reason="pyndeval is not installed: pip install pyndeval")
    run, judgments = random_case(seed)
    triples = [
        pyndeval.SubtopicQrel(query_id, subtopic, doc_id, int(grade))
        for query_id, documents in judgments.items()
        for doc_id, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    scored = [pyndeval.ScoredDoc(*row) for row in ((q, d, s) for q, docs in run.items() for d, s in docs.items())]
    expected = pyndeval.ndeval(triples, scored, measures=list(NDEVAL))
    found = evaluate(run, Qrels.from_subtopics(judgments), list(NDEVAL.values()), ties="trec_eval").per_query
    for query_id, values in expected.items():
        for theirs, ours in NDEVAL.items():
            assert found[query_id][ours] == pytest.approx(values[theirs], abs=1e-9), (query_id, ours)


@pytest.mark.parametrize("seed", range(20))
def test_without_penalty_it_is_ndcg(seed: int) -> None:
    """With α = 0 the gain of a document is the number of its sub-topics, and the ideal ranking falls by it."""
    run, judgments = random_case(seed)
    counts = {
        query_id: {doc_id: sum(grades.values()) for doc_id, grades in documents.items()}
        for query_id, documents in judgments.items()
    }
    novel = evaluate(run, Qrels.from_subtopics(judgments), "alpha_nDCG(alpha=0) alpha_nDCG(alpha=0)@5").per_query
    plain = evaluate(run, qrels=counts, measures="nDCG nDCG@5").per_query
    for query_id, values in novel.items():
        assert list(values.values()) == pytest.approx(list(plain[query_id].values()), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_by_hand(seed: int) -> None:
    """Each measure of the sub-topics one by one, as a plain loop; a single sub-topic is the query itself."""
    run, judgments = random_case(seed)
    qrels = Qrels.from_subtopics(judgments)
    found = evaluate(run, qrels, "AP_IA P_IA@5 StRecall@5 NuggetRecall@5 NRBP(alpha=0.2,beta=0.7)").per_query
    for query_id, documents in judgments.items():
        subtopics: dict[str, set[str]] = {}
        for doc_id, grades in documents.items():
            for subtopic in (name for name, grade in grades.items() if grade):
                subtopics.setdefault(subtopic, set()).add(doc_id)
        ranked = sorted(run[query_id], key=lambda doc_id, scores=run[query_id]: -scores[doc_id])
        precisions = [sum(doc_id in relevant for doc_id in ranked[:5]) / 5 for relevant in subtopics.values()]
        single = [
            evaluate({"1": ranked}, {"1": dict.fromkeys(relevant, 1)}, "AP")["AP"] for relevant in subtopics.values()
        ]
        reached = sum(not relevant.isdisjoint(ranked[:5]) for relevant in subtopics.values()) / len(subtopics)
        seen, total = dict.fromkeys(subtopics, 0), 0.0
        for place, doc_id in enumerate(ranked):
            for subtopic in (name for name, relevant in subtopics.items() if doc_id in relevant):
                total += 0.8 ** seen[subtopic] * 0.7**place
                seen[subtopic] += 1
        nrbp = (1 - 0.8 * 0.7) / len(subtopics) * total
        expected = [np.mean(single), np.mean(precisions), reached, reached, nrbp]
        assert list(found[query_id].values()) == pytest.approx(expected, abs=1e-12)


def test_weights_of_nuggets() -> None:
    """Vital nuggets weigh 1, okay ones 1/2; with vital=True only the vital ones count."""
    judgments = {"1": {"a": {"n1": 1.0, "n2": 1.0}, "b": {"n3": 1.0}, "c": {"n4": 1.0}}}
    weights = {("1", "n2"): 0.5, ("1", "n4"): 0.5}
    found = evaluate(
        {"1": ["a", "c", "b"]}, Qrels.from_subtopics(judgments, weights), "NuggetRecall@1 NuggetRecall(vital=True)@2"
    )
    assert list(found.means.values()) == [1.5 / 3, 1 / 2]
