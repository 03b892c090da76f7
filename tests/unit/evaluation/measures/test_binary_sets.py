from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, fbeta_score, precision_recall_fscore_support

from toysearch import evaluate
from toysearch.base.errors import ArgumentError


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


def test_set_precision_is_of_what_there_is_and_p_of_k() -> None:
    result = evaluate({"1": ["a", "b"]}, {"1": {"a": 1, "b": 1, "c": 1}}, "SetP@5 P@5 SetRelP@5 SetAP SetP@1 SetF@1")
    assert list(result.means.values()) == pytest.approx([1, 2 / 5, 1, 2 / 3, 1, 0.5])
