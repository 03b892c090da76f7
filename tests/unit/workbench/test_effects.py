"""Every variation of every registry on every kind of ranker has an effect, or a sentence that says why it has none."""

import math
import re
import warnings

import pytest
from random_collections import collection

from toysearch import Collection, Document, features, robustness
from toysearch.workbench.learning.ranker_training import learn

pytestmark = pytest.mark.system

RANKERS = ["bm25", "jaccard", "rm3(bm25)", "0.5*min-max(bm25) + 0.5*min-max(lm-dirichlet)", "lsa:5", "learned:ranker"]


@pytest.fixture(scope="module")
def made():
    found = collection(1, n_docs=40, n_queries=4, by_words=True)
    documents = [Document(each.doc_id, each.text, "", {"title": "w1", "text": each.text}) for each in found.documents]
    return Collection("made", documents, found.queries, found.qrels)


def test_every_variation_of_every_ranker_has_an_effect_or_a_reason(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learn(features(made, ["bm25", "length"], ["bm25@10"]), "logistic").save("ranker")
        found = robustness(RANKERS, made, "AP nDCG@10", thesaurus={"w1": "w2"})
    assert len(found.inputs) >= 8
    for altered in found.inputs:
        refused = [skipped for skipped in found.skipped if skipped.name == altered.name]
        assert len(altered.rows) == 2 * (len(RANKERS) - len(refused)), altered.name
        for row in altered.rows:
            assert row.measure in ("AP", "nDCG@10")
            assert row.queries > 0
            assert math.isfinite(row.after)
            assert row.after - row.before == pytest.approx(row.test.mean, abs=1e-12)
    for skipped in found.skipped:
        assert re.fullmatch(r"[a-z0-9'].{10,}", skipped.reason), skipped
