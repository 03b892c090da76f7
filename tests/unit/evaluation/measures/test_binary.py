"""Binary measures, those of sets and condensed lists by hand; tests/oracles hold the rest against trec_eval's code."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, fbeta_score, precision_recall_fscore_support

from toysearch import evaluate
from toysearch.base import Qrels, Run
from toysearch.base.errors import ArgumentError
from toysearch.base.ranking import Ranking
from toysearch.evaluation.joined_run import condensed, join


def value(ranking: str, relevant: str, measure: str, nonrelevant: str = "") -> float:
    qrels = {"1": dict.fromkeys(relevant, 1) | dict.fromkeys(nonrelevant, 0)}
    return evaluate({"1": list(ranking)}, qrels, measure)[measure]


@pytest.mark.parametrize(
    ("ranking", "relevant", "measure", "expected"),
    [
        # relevant at 2, 3, 5 …: only the first two count, (1/2 + 2/3) / 2
        ("xabyc", "abcdefgh", "AP(first=2)", (1 / 2 + 2 / 3) / 2),
        ("xabyc", "abcdefgh", "AP(first=1)", 1 / 2),
        ("xabyc", "abc", "AP(first=9)", (1 / 2 + 2 / 3 + 3 / 5) / 3),
        ("xabyc", "abc", "AP(first=2)@2", (1 / 2) / 2),
        ("abcxy", "abcdefg", "MeanP@5", 0.87),
        ("xa", "a", "MeanP@1", 0),
        ("abcxydefzg", "abcdefgh", "R_cap@5", 3 / 5),
        ("abcxy", "ab", "R_cap@5", 1),
        ("axyb", "ab", "IPrec@0.5", 1),
        ("axyb", "ab", "IPrec@0.6", 0.5),
        ("axyb", "abc", "IPrec@1.0", 0),
        ("axyb", "ab", "IAP", (6 * 1 + 5 * 0.5) / 11),
        ("axyb", "ab", "IAP(points=3)", (1 + 1 + 0.5) / 3),
    ],
)
def test_by_hand(ranking: str, relevant: str, measure: str, expected: float) -> None:
    assert value(ranking, relevant, measure) == pytest.approx(expected, abs=1e-12)


def test_trec_evals_rounding_of_a_level_of_recall() -> None:
    """x · R + 0.9 without its fraction: what is less than a tenth above a whole number is rounded down."""
    relevant = "abcdefghijk"
    assert value("axb", relevant, "IPrec@0.1") == pytest.approx(2 / 3)  # 1.1 + 0.9 = 2 relevant documents
    assert value("axb", relevant, "IPrec@0.09") == 1  # 0.99 + 0.9: one
    assert value("axb", relevant, "IPrec@0.095") == 1  # 1.045 + 0.9: one, though recall is 1/11 = 0.0909


RUN = {"q": ["u", "a", "n", "z", "v", "b"]}
QRELS = {"q": {"a": 1, "b": 2, "z": 0, "n": -1, "c": 1}}


def test_nothing_retrieved_is_judged_0() -> None:
    assert evaluate({"q": ["a"], "p": []}, {"p": {"a": 1}}, "Judged@5 Judged").means == {"Judged@5": 0, "Judged": 0}


def test_a_condensed_list_holds_the_judged_documents_only() -> None:
    run = Run.from_rankings([Ranking("q", RUN["q"], range(6, 0, -1)), Ranking("p", ["x", "c"], [2, 1])])
    judged = join(run, Qrels.from_dict({**QRELS, "p": {"c": 3}, "empty": {"a": 1}}))
    short = condensed(judged)
    np.testing.assert_array_equal(short.ranks, [[1, 2, 3], [1, np.inf, np.inf], [np.inf] * 3])
    np.testing.assert_array_equal(short.grades, [[1, 0, 2], [3, np.nan, np.nan], [np.nan] * 3])
    assert short.retrieved.tolist() == [3, 1, 0]
    assert short.ideal is judged.ideal
    assert (short.query_ids, short.threshold, short.top) == (judged.query_ids, 1.0, 3.0)


def test_a_collection_that_is_too_small() -> None:
    with pytest.raises(ArgumentError) as error:
        evaluate({"q": list("axyb")}, {"q": {"a": 1, "b": 1, "c": 1}}, "Fallout(N=4)")
    assert str(error.value) == (
        "N=4 is fewer than the 5 documents that are retrieved or relevant for query 'q'; "
        "N is the number of documents in the collection"
    )


@pytest.mark.parametrize("seed", range(20))
def test_against_scikit_learn(seed: int) -> None:
    """A collection of 30 documents, labelled relevant or not; what was retrieved is what was predicted."""
    chance = np.random.default_rng(seed)
    relevant, retrieved = chance.integers(0, 2, 30), chance.integers(0, 2, 30)
    relevant[0] = retrieved[1] = 1
    names = np.array([f"d{number}" for number in range(30)])
    run = {"1": names[retrieved == 1].tolist()}
    qrels = {"1": dict(zip(names.tolist(), relevant.tolist(), strict=True))}
    result = evaluate(
        run,
        qrels,
        "SetP SetR SetF SetF(beta=0.5) SetF(beta=2) SetE TP FP FN TN(N=30) SetAccuracy(N=30) Generality(N=30)",
    )
    precision, recall, f, _ = precision_recall_fscore_support(relevant, retrieved, average="binary")
    assert [result[name] for name in ("SetP", "SetR", "SetF")] == pytest.approx([precision, recall, f], abs=1e-12)
    assert result["SetE"] == pytest.approx(1 - f, abs=1e-12)
    for beta in (0.5, 2):
        assert result[f"SetF(beta={beta})"] == pytest.approx(fbeta_score(relevant, retrieved, beta=beta), abs=1e-12)
    tn, fp, fn, tp = confusion_matrix(relevant, retrieved).ravel().tolist()
    assert [result[name] for name in ("TP", "FP", "FN", "TN(N=30)")] == [tp, fp, fn, tn]
    assert result["SetAccuracy(N=30)"] == pytest.approx((tp + tn) / 30, abs=1e-12)
    assert result["Generality(N=30)"] == pytest.approx((tp + fn) / 30, abs=1e-12)
    assert evaluate(run, qrels, "Fallout(N=30)")["Fallout(N=30)"] == pytest.approx(fp / (fp + tn), abs=1e-12)


def test_alpha_and_beta_are_two_names_of_one_weight() -> None:
    """β² = (1 − α) / α; P = 0.5 and R = 0.25 give 0.277778 with α = 0.2, which is β = 2."""
    run, qrels = {"1": list("abxy")}, {"1": dict.fromkeys("abcdefgh", 1)}
    result = evaluate(run, qrels, "SetF(alpha=0.2) SetF(beta=2) SetF(alpha=0.5) SetF SetF(alpha=1) SetF(alpha=0)")
    assert result["SetF(alpha=0.2)"] == result["SetF(beta=2)"] == pytest.approx(5 / 18, abs=1e-12)
    assert result["SetF(alpha=0.5)"] == result["SetF"] == pytest.approx(1 / 3, abs=1e-12)
    assert result["SetF(alpha=1)"] == 0.5
    assert result["SetF(alpha=0)"] == 0.25
